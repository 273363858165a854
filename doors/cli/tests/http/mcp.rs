//! MCP clients over HTTP, in both versions of the protocol.

use std::io::Write as _;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use super::client::{Reply, Server};
use crate::support::Place;

const ACCEPT: (&str, &str) = ("Accept", "application/json, text/event-stream");
const LEGACY: (&str, &str) = ("MCP-Protocol-Version", "2025-11-25");

/// The message with an answer, in a stream or alone.
fn message(reply: &Reply) -> Json {
    let lines = reply
        .body
        .lines()
        .filter_map(|line| line.strip_prefix("data:"));
    let last = lines.rev().find(|line| line.contains("\"jsonrpc\""));
    let text = last.unwrap_or(&reply.body);
    serde_json::from_str(text).unwrap_or_else(|err| panic!("{err}: {reply:?}"))
}

/// Begins a session of the older version; gives its id.
pub(super) fn begin(server: &Server, fields: &[(&str, &str)]) -> String {
    let begin = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}});
    let reply = server.post("/mcp", &[&[ACCEPT], fields].concat(), &begin.to_string());
    assert_eq!(
        message(reply.expect(200))["result"]["serverInfo"]["name"],
        "mathchain"
    );
    let session = reply.field("mcp-session-id").expect("a session").to_owned();
    let told = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let in_session = [ACCEPT, LEGACY, ("Mcp-Session-Id", &*session)];
    let reply = server.post("/mcp", &[&in_session, fields].concat(), &told.to_string());
    reply.expect(202);
    session
}

/// Sends a request of the newer version.
pub(super) fn modern(
    server: &Server,
    fields: &[(&str, &str)],
    method: &str,
    name: &str,
    params: Json,
) -> Json {
    let mut request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let meta = &mut request["params"]["_meta"];
    meta["io.modelcontextprotocol/protocolVersion"] = "2026-07-28".into();
    meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
    let own = [
        ACCEPT,
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", method),
        ("Mcp-Name", name),
    ];
    let own = if name.is_empty() { &own[..3] } else { &own[..] };
    let reply = server.post("/mcp", &[own, fields].concat(), &request.to_string());
    message(&reply)
}

#[test]
fn a_client_of_either_version_lists_and_calls() {
    let place = Place::new();
    let server = Server::start(&place, &[]);
    let session = begin(&server, &[]);
    let in_session = [ACCEPT, LEGACY, ("Mcp-Session-Id", &*session)];
    let call = |arguments: &str| {
        let text = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{{\"name\":\"calculate\",\"arguments\":{arguments}}}}}"
        );
        message(server.post("/mcp", &in_session, &text).expect(200))
    };
    let answer = call("{\"expression\":\"2**60\"}");
    assert_eq!(
        answer["result"]["structuredContent"]["value"], "1152921504606846976",
        "{answer}"
    );
    // Arguments are as strict as at every interface.
    let twice = call("{\"expression\":\"1\",\"expression\":\"2\"}");
    assert_eq!(twice["result"]["isError"], true, "{twice}");
    let listed = modern(&server, &[], "tools/list", "", json!({}));
    let tools = listed["result"]["tools"].as_array().expect("tools");
    assert!(tools.len() > 20, "{}", tools.len());
    let params = json!({"name": "calculate", "arguments": {"expression": "6*7"}});
    let answer = modern(&server, &[], "tools/call", "calculate", params);
    assert_eq!(
        answer["result"]["structuredContent"]["value"], 42.0,
        "{answer}"
    );
}

#[test]
fn the_configuration_names_the_catalogue() {
    let place = Place::new();
    place.write(
        "mathchain.toml",
        "version = 1\n[server]\ncatalog = \"search\"\n",
    );
    let listed = |server: &Server| {
        let listed = modern(server, &[], "tools/list", "", json!({}));
        listed["result"]["tools"].as_array().expect("tools").len()
    };
    assert_eq!(listed(&Server::start(&place, &[])), 4);
    assert!(listed(&Server::start(&place, &["--catalog", "core"])) > 20);
}

#[test]
fn a_session_belongs_to_the_key_that_began_it() {
    let place = Place::new();
    let key = |name: &str, role: &str| {
        let made = place.run(&["keys", "create", name, "--role", role], "");
        format!(
            "Bearer {}",
            made.expect_code(0).at("/key").as_str().expect("a key")
        )
    };
    let (first, second) = (key("a", "worker_math"), key("b", "worker_general"));
    let server = Server::start(&place, &["--catalog", "full"]);
    let session = begin(&server, &[("Authorization", &first)]);
    let list = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}).to_string();
    let listed = |bearer: &str| {
        let fields = [
            ACCEPT,
            LEGACY,
            ("Mcp-Session-Id", &*session),
            ("Authorization", bearer),
        ];
        server.post("/mcp", &fields, &list)
    };
    let own = message(listed(&first).expect(200));
    listed(&second).expect(404);
    server.post("/mcp", &[ACCEPT, LEGACY], &list).expect(401);
    // Each key has the tools of its role.
    let others = modern(
        &server,
        &[("Authorization", &second)],
        "tools/list",
        "",
        json!({}),
    );
    assert_ne!(own["result"]["tools"], others["result"]["tools"]);
}

/// A call of the newer version, as it is sent.
fn sent(server: &Server, tool: &str, arguments: Json) -> String {
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}});
    let params = json!({"name": tool, "arguments": arguments, "_meta": meta});
    let body =
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string();
    let length = body.len().to_string();
    let fields = [
        ACCEPT,
        ("Content-Type", "application/json"),
        ("Content-Length", &*length),
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", tool),
    ];
    server.head("POST", "/mcp", &fields) + &body
}

#[test]
fn clients_that_are_slow_or_vanish_delay_no_other() {
    let place = Place::new();
    let server = Server::start(&place, &["--threads", "4"]);
    let endless = json!({"log_density": "-x0**2/2 - x1**4", "x0": [0, 0], "n_samples": 1_000_000, "chains": 8});
    let (endless, small) = (
        sent(&server, "mcmc", endless),
        sent(&server, "calculate", json!({"expression": "6*7"})),
    );
    // Some send half a request and no more.
    let half: Vec<_> = (0..100)
        .map(|_| {
            let mut stream = server.connect();
            let part = &small.as_bytes()[..small.len() - 10];
            stream.write_all(part).expect("is read");
            stream
        })
        .collect();
    // Some never read, and some close at once: their calls are stopped, or nothing else would run.
    for _ in 0..100 {
        let mut stream = server.connect();
        stream.write_all(endless.as_bytes()).expect("is read");
    }
    let begun = Instant::now();
    for _ in 0..20 {
        let reply = server.raw(small.as_bytes());
        let answer = message(reply.expect(200));
        assert_eq!(
            answer["result"]["structuredContent"]["value"], 42.0,
            "{answer}"
        );
    }
    assert!(
        begun.elapsed() < Duration::from_secs(20),
        "{:?}",
        begun.elapsed()
    );
    drop(half);
    server.until("mathchain_calls_running 0", None);
}
