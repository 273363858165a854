//! What a server answers beside calls that take long, and to clients that do not read or begin oddly.

use std::io::Write as _;
use std::time::{Duration, Instant};

use serde_json::json;

use super::client::{Client, Era};
use crate::load::{endless, expect_prompt};
use crate::support::Place;

#[test]
fn pings_and_cancellations_are_heard_beside_any_number_of_long_calls() {
    let place = Place::new();
    let mut client = Client::start(&place, &["--threads", "8"], Era::Legacy);
    for count in [1, 32] {
        for (tool, args) in endless() {
            let params = json!({"name": tool, "arguments": args});
            let calls: Vec<i64> = (0..count)
                .map(|_| client.ask("tools/call", params.clone()))
                .collect();
            std::thread::sleep(Duration::from_millis(100));
            expect_prompt(&format!("{count} x {tool}"), || {
                let pong = client.request("ping", json!({}));
                assert!(pong["result"].is_object(), "{pong}");
            });
            for id in calls {
                let cancelled = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
                client.send(&cancelled);
            }
            // All stop: a call that waits for a thread gets one.
            let sum = client.call(
                "matrix_multiply",
                json!({"A": [[1, 2], [3, 4]], "B": [[1], [1]]}),
            );
            assert!(sum["isError"] != true, "{sum}");
        }
    }
    let (code, took) = client.end();
    assert_eq!(code, 0);
    assert!(took < Duration::from_secs(10), "{took:?}");
}

#[test]
fn a_server_reads_no_more_from_a_client_that_does_not_read() {
    let place = Place::new();
    let mut child = place.command(&["serve", "--mcp"]).spawn().expect("starts");
    let mut stdin = child.stdin.take().expect("piped");
    let _unread = child.stdout.take().expect("piped");
    // Each answer repeats the id, also where the server has no place for the call.
    let id = "x".repeat(10_000);
    let asked = json!({"jsonrpc": "2.0", "id": id, "method": "tools/list", "params": {"_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}}});
    let block = format!("{asked}\n").repeat(20);
    let (sender, sent) = std::sync::mpsc::channel();
    let writing = std::thread::spawn(move || {
        for _ in 0..500 {
            if stdin.write_all(block.as_bytes()).is_err() {
                return;
            }
            let _ = sender.send(block.len());
        }
    });
    let mut taken = 0;
    while let Ok(bytes) = sent.recv_timeout(Duration::from_secs(4)) {
        taken += bytes;
    }
    assert!(!writing.is_finished(), "all {taken} bytes were read");
    child.kill().expect("is ours");
    let _ = child.wait();
    let _ = writing.join();
}

#[test]
fn the_end_of_the_input_waits_for_a_reader_for_a_second_at_most() {
    let place = Place::new();
    let mut child = place.command(&["serve", "--mcp"]).spawn().expect("starts");
    let mut stdin = child.stdin.take().expect("piped");
    let _unread = child.stdout.take().expect("piped");
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}}});
    for _ in 0..50 {
        writeln!(stdin, "{call}").expect("is read");
    }
    std::thread::sleep(Duration::from_millis(500));
    drop(stdin);
    let begun = Instant::now();
    while child.try_wait().expect("is ours").is_none() {
        assert!(begun.elapsed() < Duration::from_secs(8), "does not end");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn what_comes_before_the_first_request_is_ignored() {
    let place = Place::new();
    let mut client = Client::start(&place, &[], Era::Modern);
    let found = client.request("server/discover", json!({}));
    assert!(found["result"].is_object(), "{found}");
    for stray in [
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}}),
        json!({"jsonrpc": "2.0", "id": 9, "result": {}}),
        json!({"jsonrpc": "2.0", "id": 9, "error": {"code": -1, "message": "no"}}),
    ] {
        client.send(&stray);
    }
    let sum = client.call("calculate", json!({"expression": "6*7"}));
    assert_eq!(sum["structuredContent"]["value"], 42.0);
    assert_eq!(client.end().0, 0);
}

#[test]
fn stdout_is_the_protocol_alone_where_the_server_does_not_start() {
    let place = Place::new();
    for flags in [&["--role", "nope"][..], &["--nothing"]] {
        let answer = place.run(&[&["serve", "--mcp"], flags].concat(), "");
        assert_eq!(answer.stdout, "", "{flags:?}");
        assert!(!answer.stderr.is_empty(), "{flags:?}");
    }
}
