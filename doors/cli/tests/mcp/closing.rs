//! Clients that go away without a word, and requests with the same id.

use std::io::Write as _;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use super::client::{Client, Era};
use crate::support::Place;

fn request(id: i64, tool: &str, arguments: Json) -> String {
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}});
    let params = json!({"name": tool, "arguments": arguments, "_meta": meta});
    format!(
        "{}\n",
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
    )
}

/// How long a server lives whose client has closed its output and sends these lines.
fn lives(place: &Place, lines: &str) -> Duration {
    let mut child = place.command(&["serve", "--mcp"]).spawn().expect("starts");
    let mut stdin = child.stdin.take().expect("piped");
    drop(child.stdout.take());
    // The last line is sent once what the others ask for has begun.
    let lines: Vec<&str> = lines.lines().collect();
    let (last, others) = lines.split_last().expect("a line");
    let mut send = |line: &str| stdin.write_all(format!("{line}\n").as_bytes());
    for line in others {
        send(line).expect("is read");
    }
    std::thread::sleep(Duration::from_millis(1000));
    let begun = Instant::now();
    send(last).expect("is read");
    loop {
        if let Some(status) = child.try_wait().expect("is ours") {
            assert_eq!(status.code(), Some(0));
            return begun.elapsed();
        }
        assert!(begun.elapsed() < Duration::from_secs(20), "{lines:?}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_client_that_reads_no_more_ends_the_server_within_a_second() {
    let place = Place::new();
    let endless = json!({"log_density": "-x0**2/2 - x1**4", "x0": [0, 0], "n_samples": 1_000_000, "chains": 8});
    let small = request(2, "calculate", json!({"expression": "1+1"}));
    for lines in [small.clone(), request(1, "mcmc", endless) + &small] {
        // The fastest of three: other tests run at the same time.
        let times = (0..3).map(|_| lives(&place, &lines));
        let least = times.min().expect("three");
        assert!(least < Duration::from_secs(1), "{least:?} {lines}");
    }
}

#[test]
fn requests_with_the_id_of_one_on_its_way_lose_no_other() {
    let place = Place::new();
    let mut client = Client::start(&place, &["--threads", "1"], Era::Modern);
    let twice = request(900, "calculate", json!({"expression": "1+1"}))
        + &request(900, "calculate", json!({"expression": "1+2"}));
    client.write(twice.as_bytes());
    let next = client.call("calculate", json!({"expression": "6*7"}));
    assert_eq!(next["structuredContent"]["value"], 42.0);
    std::thread::sleep(Duration::from_millis(300));
    while let Some(message) = client.next_within(Duration::from_millis(300)) {
        client.others.push(message);
    }
    let answers: Vec<&Json> = client
        .others
        .iter()
        .filter(|message| message["id"] == 900)
        .collect();
    let values: Vec<f64> = answers
        .iter()
        .filter_map(|answer| answer["result"]["structuredContent"]["value"].as_f64())
        .collect();
    assert_eq!(values.len(), answers.len(), "{answers:?}");
    assert!((1..=2).contains(&values.len()), "{answers:?}");
    assert!(values.iter().all(|value| [2.0, 3.0].contains(value)));
    client.end();
}

#[test]
fn ten_thousand_calls_at_once_have_an_answer_each() {
    const CALLS: usize = 10_000;
    let place = Place::new();
    let mut client = Client::start(&place, &[], Era::Modern);
    let lines: String = (0..CALLS as i64)
        .map(|id| request(id, "calculate", json!({"expression": format!("{id}+1")})))
        .collect();
    client.write(lines.as_bytes());
    let (mut answered, mut refused) = (vec![false; CALLS], 0);
    for _ in 0..CALLS {
        let answer = client
            .next_within(Duration::from_secs(60))
            .expect("an answer to every call");
        let id = answer["id"].as_u64().expect("an id") as usize;
        assert!(
            !std::mem::replace(&mut answered[id], true),
            "answered twice: {answer}"
        );
        let result = &answer["result"]["structuredContent"];
        match result["error"]["reason"].as_str() {
            Some("overloaded") => refused += 1,
            _ => assert_eq!(result["value"], (id + 1) as f64, "{answer}"),
        }
    }
    assert!(
        refused <= CALLS - 4096,
        "as many as may wait are not refused"
    );
    assert!(client.next_within(Duration::from_millis(200)).is_none());
    assert_eq!(client.end().0, 0);
}
