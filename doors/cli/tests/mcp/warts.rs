//! What clients send that they should not, ends of connections, and load.

use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use super::client::{Client, Era};
use crate::support::Place;

fn answer_to(client: &mut Client, line: &[u8]) -> Json {
    client.write(line);
    client
        .next_within(Duration::from_secs(20))
        .expect("an answer")
}

#[test]
fn lines_that_are_no_messages_are_answered_and_the_connection_goes_along() {
    let place = Place::new();
    let mut client = Client::start(&place, &[], Era::Legacy);
    for (line, code, id) in [
        (&b"garbage\n"[..], -32700, Json::Null),
        (b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\n", -32700, json!(7)),
        (b"{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"tools/call\",\"params\":{\"name\":\"\xff\"}}\n", -32700, json!(8)),
        (b"[{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"tools/list\"}]\n", -32600, Json::Null),
        (b"{\"jsonrpc\":\"2.0\",\"id\":10}\n", -32600, json!(10)),
        (b"{\"jsonrpc\":\"2.0\",\"id\":11,\"method\":\"tools/call\",\"params\":{\"name\":\"calculate\",\"arguments\":[1,2]}}\n", -32602, json!(11)),
        (b"{\"jsonrpc\":\"2.0\",\"id\":12,\"method\":\"tools/call\",\"params\":{\"arguments\":{}}}\n", -32602, json!(12)),
        (b"{\"jsonrpc\":\"2.0\",\"id\":13,\"method\":\"no/such\"}\n", -32601, json!(13)),
    ] {
        let answer = answer_to(&mut client, line);
        assert_eq!(answer["error"]["code"], code, "{answer} to {}", String::from_utf8_lossy(line));
        assert_eq!(answer.get("id").cloned().unwrap_or_default(), id, "{answer}");
    }
    client.write(b"\n  \n");
    assert_eq!(
        client.call("calculate", json!({"expression": "6*7"}))["structuredContent"]["value"],
        42.0
    );
    assert_eq!(client.end().0, 0);
}

#[test]
fn numbers_and_keys_are_read_as_at_every_door() {
    let place = Place::new();
    let mut client = Client::start(&place, &[], Era::Legacy);
    let mut told = |arguments: &str| {
        let line = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{{\"name\":\"statistics\",\"arguments\":{arguments}}}}}\n"
        );
        answer_to(&mut client, line.as_bytes())
    };
    for (arguments, expected) in [
        ("{\"data\":[1],\"data\":[2]}", "data"),
        ("{\"data\":[9007199254740993]}", "beyond 2^53"),
    ] {
        let answer = told(arguments);
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        let message = answer["result"]["structuredContent"]["error"]["message"]
            .as_str()
            .expect("a message");
        assert!(message.contains(expected), "{message}");
    }
    // Every double is read correctly rounded and written so that it reads back.
    let answer = told("{\"data\":[0.1,0.30000000000000004,5e-324],\"metrics\":[\"min\",\"max\"]}");
    assert_eq!(
        answer["result"]["structuredContent"],
        json!({"min": 5e-324, "max": 0.30000000000000004})
    );
    let exact = client.call("calculate", json!({"expression": "2**60"}));
    assert_eq!(
        exact["structuredContent"]["value"], "1152921504606846976",
        "clients round larger numbers"
    );
    client.end();
}

#[test]
fn a_line_over_the_limit_is_refused_with_its_id() {
    let place = Place::new();
    place.write(
        "mathchain.toml",
        "version = 1\n[limits]\nmax_input_bytes = 65536\n",
    );
    let mut client = Client::start(&place, &[], Era::Legacy);
    let long = "1,".repeat(200_000);
    let line = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":\"big\",\"method\":\"tools/call\",\"params\":{{\"name\":\"statistics\",\"arguments\":{{\"data\":[{long}1]}}}}}}\n"
    );
    let answer = answer_to(&mut client, line.as_bytes());
    assert_eq!(
        (answer["id"].clone(), answer["error"]["code"].clone()),
        (json!("big"), json!(-32600))
    );
    assert!(
        answer["error"]["message"]
            .as_str()
            .expect("a message")
            .contains("65536 bytes"),
        "{answer}"
    );
    assert_eq!(
        client.call("calculate", json!({"expression": "1"}))["isError"],
        false
    );
    client.end();
    let mut asking = Client::start(&place, &[], Era::Modern);
    let told = asking.request("server/discover", json!({}));
    assert!(
        told["result"]["instructions"]
            .as_str()
            .expect("instructions")
            .contains("65536 bytes"),
        "{told}"
    );
    asking.end();
}

#[test]
fn an_input_that_ends_is_no_failure() {
    let place = Place::new();
    // Nothing at all; only a question what there is; a notification alone.
    for lines in [
        String::new(),
        format!(
            "{}\n",
            json!({"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}}})
        ),
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n".to_owned(),
    ] {
        let answer = place.run(&["serve", "--mcp"], &lines);
        answer.expect_code(0);
        assert_eq!(
            answer.stdout.is_empty(),
            !lines.contains("discover"),
            "{}",
            answer.stdout
        );
    }
    // Requests piped in are answered before the end.
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}});
    let call = |id: i64| json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "calculate", "arguments": {"expression": "1+1"}, "_meta": meta}});
    let lines: String = (1..=20).map(|id| format!("{}\n", call(id))).collect();
    let answer = place.run(&["serve", "--mcp"], &lines);
    assert_eq!(answer.expect_code(0).stdout.lines().count(), 20);
}

fn endless(client: &mut Client) -> i64 {
    client.ask(
        "tools/call",
        json!({"name": "mcmc", "arguments": {"log_density": "-x0**2/2 - x1**4", "x0": [0, 0], "n_samples": 1_000_000, "chains": 8}}),
    )
}

#[test]
fn the_end_of_the_input_stops_what_runs() {
    let place = Place::new();
    let mut client = Client::start(&place, &[], Era::Modern);
    endless(&mut client);
    std::thread::sleep(Duration::from_millis(300));
    let (code, took) = client.end();
    assert_eq!(code, 0);
    assert!(took < Duration::from_secs(10), "{took:?}");
    let records = place.run(&["audit", "list", "--json", "--tool", "mcmc"], "");
    assert!(
        records.expect_code(0).stdout.contains("cancelled"),
        "{}",
        records.stdout
    );
}

#[cfg(unix)]
#[test]
fn a_signal_ends_the_server() {
    use rustix::process::{Pid, Signal, kill_process};
    let place = Place::new();
    for (signal, code) in [(Signal::INT, 6), (Signal::TERM, 7)] {
        let mut client = Client::start(&place, &[], Era::Modern);
        endless(&mut client);
        std::thread::sleep(Duration::from_millis(300));
        let process = Pid::from_child(&client.child);
        kill_process(process, signal).expect("is there");
        let status = client.child.wait().expect("ends");
        assert_eq!(status.code(), Some(code), "{signal:?}");
    }
}

#[test]
fn a_burst_is_answered_in_full_and_too_much_is_refused() {
    let place = Place::new();
    let mut client = Client::start(&place, &["--threads", "2"], Era::Modern);
    let begun = Instant::now();
    let ids: Vec<i64> = (0..2000)
        .map(|number| {
            client.ask(
                "tools/call",
                json!({"name": "calculate", "arguments": {"expression": format!("{number}+1")}}),
            )
        })
        .collect();
    for (number, id) in ids.into_iter().enumerate() {
        let answer = client.answer(id);
        assert_eq!(
            answer["result"]["structuredContent"]["value"],
            (number + 1) as f64,
            "{answer}"
        );
    }
    assert!(begun.elapsed() < Duration::from_secs(60));
    client.end();
}

#[test]
fn more_calls_than_may_wait_are_refused_and_none_is_lost() {
    let place = Place::new();
    let mut client = Client::start(&place, &["--threads", "1"], Era::Modern);
    let busy = endless(&mut client);
    std::thread::sleep(Duration::from_millis(300));
    let ids: Vec<i64> = (0..4200)
        .map(|_| {
            client.ask(
                "tools/call",
                json!({"name": "stat", "arguments": {"path": "."}}),
            )
        })
        .collect();
    // Small calls without capabilities need no thread; of those that do, as one is busy, exactly the calls beyond the queue are refused.
    let refused = client
        .next_within(Duration::from_secs(30))
        .expect("an answer");
    assert_eq!(
        refused["result"]["structuredContent"]["error"]["reason"], "overloaded",
        "{refused}"
    );
    client.others.push(refused);
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": busy}}));
    let answers: Vec<Json> = ids.into_iter().map(|id| client.answer(id)).collect();
    let is_refused = |answer: &&Json| answer["result"]["isError"] == true;
    assert_eq!(answers.iter().filter(is_refused).count(), 4200 - 4096);
    client.end();
}
