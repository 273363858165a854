//! Pages that clients show beside results (MCP Apps): who is told of them, what they are, and that a text alone says the same.

use serde_json::{Value as Json, json};

use super::client::{Client, Era, text};
use crate::support::Place;

const MIME_TYPE: &str = "text/html;profile=mcp-app";
const PAGES: [&str; 3] = [
    "ui://mathchain/plot",
    "ui://mathchain/run",
    "ui://mathchain/approval",
];

/// Capabilities of a client that shows pages.
fn shows_apps() -> Json {
    json!({"extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": [MIME_TYPE]}}})
}

/// All pages of a list.
fn listed(client: &mut Client, what: &str) -> Vec<Json> {
    let (mut all, mut params) = (Vec::new(), json!({}));
    loop {
        let answer = client.request(&format!("{what}/list"), params);
        let items = answer["result"][what].as_array().expect("a list").clone();
        all.extend(items);
        match answer["result"]["nextCursor"].as_str() {
            Some(next) => params = json!({"cursor": next}),
            None => return all,
        }
    }
}

fn page_of<'a>(tools: &'a [Json], name: &str) -> &'a Json {
    let tool = tools.iter().find(|tool| tool["name"] == name);
    &tool.unwrap_or_else(|| panic!("no {name}"))["_meta"]
}

#[test]
fn a_client_that_shows_pages_is_told_of_them_under_both_keys() {
    let place = Place::new();
    for era in Era::BOTH {
        let mut client = Client::with(&place, &["--catalog", "full"], era, shows_apps());
        let tools = listed(&mut client, "tools");
        for (tool, page) in [
            ("plot", PAGES[0]),
            ("plot_sixel", PAGES[0]),
            ("chain_run", PAGES[1]),
            ("write_file", PAGES[2]),
            ("run_shell", PAGES[2]),
        ] {
            let meta = page_of(&tools, tool);
            assert_eq!(meta["ui"], json!({"resourceUri": page}), "{tool}: {meta}");
            assert_eq!(meta["ui/resourceUri"], page, "{tool}");
        }
        for tool in ["calculate", "matrix_solve", "describe_tool", "read_file"] {
            let meta = page_of(&tools, tool);
            assert!(
                meta["ui"].is_null() && meta["ui/resourceUri"].is_null(),
                "{tool}"
            );
        }
        assert_eq!(page_of(&tools, "chain_run")["anthropic/alwaysLoad"], true);
        let resources = listed(&mut client, "resources");
        for page in PAGES {
            let resource = resources.iter().find(|one| one["uri"] == page);
            let resource = resource.unwrap_or_else(|| panic!("no {page}"));
            assert_eq!(resource["mimeType"], MIME_TYPE);
            assert!(resource["_meta"]["ui"]["csp"].is_object(), "{resource}");
        }
        client.end();
    }
}

#[test]
fn other_clients_are_told_of_no_page() {
    let place = Place::new();
    for capabilities in [
        json!({}),
        json!({"extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": ["text/html"]}}}),
    ] {
        for era in Era::BOTH {
            let mut client = Client::with(&place, &[], era, capabilities.clone());
            for what in ["tools", "resources"] {
                let listed = json!(listed(&mut client, what)).to_string();
                assert!(!listed.contains("ui://") && !listed.contains("ui/resourceUri"));
            }
            client.end();
        }
    }
}

#[test]
fn the_core_has_pictures_in_place_of_characters_for_clients_that_show_pages() {
    let place = Place::new();
    let names = |capabilities: Json| {
        let mut client = Client::with(&place, &[], Era::Modern, capabilities);
        let tools = listed(&mut client, "tools");
        client.end();
        assert!(page_of(&tools, "call_tool")["ui"].is_null(), "any result");
        let names = tools.iter().filter_map(|tool| tool["name"].as_str());
        names.map(str::to_owned).collect::<Vec<_>>()
    };
    let (plain, linked) = (names(json!({})), names(shows_apps()));
    let place = plain.iter().position(|name| name == "plot_braille");
    let place = place.expect("in the core");
    assert_eq!(linked[place], "plot");
    let others = |names: &[String]| [&names[..place], &names[place + 1..]].concat();
    assert_eq!(others(&plain), others(&linked));
}

#[test]
fn pages_are_small_reach_nothing_and_say_so() {
    let place = Place::new();
    // A page may be read over a connection that was not told of it.
    let mut client = Client::start(&place, &[], Era::Modern);
    for page in PAGES {
        let read = client.request("resources/read", json!({"uri": page}));
        let contents = &read["result"]["contents"][0];
        assert_eq!(
            (&contents["uri"], &contents["mimeType"]),
            (&json!(page), &json!(MIME_TYPE))
        );
        let none = json!([]);
        let csp = json!({"connectDomains": none, "resourceDomains": none, "frameDomains": none, "baseUriDomains": none});
        assert_eq!(contents["_meta"]["ui"]["csp"], csp);
        let html = contents["text"].as_str().expect("a text");
        assert!(html.len() < 50_000, "{page}: {} bytes", html.len());
        assert!(html.starts_with("<!doctype html>") && html.contains("default-src 'none'"));
        for outside in ["http://", "https://", "src=\"//", "@import", "innerHTML"] {
            assert!(!html.contains(outside), "{page}: {outside}");
        }
    }
    let unknown = client.request("resources/read", json!({"uri": "ui://mathchain/other"}));
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    client.end();
}

#[test]
fn the_graph_of_a_run_is_beside_the_answer_and_the_answer_says_the_same_without_it() {
    let place = Place::new();
    let plan = json!({"version": 1, "id": "sums", "steps": [
        {"id": "a", "tool": "statistics", "args": {"data": [1, 2, 3]}},
        {"id": "b", "tool": "calculate", "args": {"expression": "m + 1", "variables": {"m": {"$ref": "a.mean"}}}},
    ], "outputs": {"b": {"$ref": "b"}}});
    for era in Era::BOTH {
        let mut client = Client::with(&place, &[], era, shows_apps());
        let run = client.call("chain_run", json!({"plan": plan}));
        let facts = &run["_meta"]["mathchain/run"];
        assert_eq!(facts["run"], run["structuredContent"]["chain_id"], "{run}");
        assert_eq!(facts["state"], "succeeded");
        let steps = facts["steps"].as_array().expect("steps");
        let states: Vec<_> = steps
            .iter()
            .map(|step| (&step["id"], &step["state"]))
            .collect();
        assert_eq!(
            states,
            [(&json!("a"), &json!("done")), (&json!("b"), &json!("done"))]
        );
        assert_eq!(steps[1]["after"], json!(["a"]));
        let graph = &facts["graph"];
        assert_eq!(graph["boxes"].as_array().map(Vec::len), Some(2));
        assert_eq!(graph["arrows"].as_array().map(Vec::len), Some(1));
        // The step after the other stands right of it.
        assert!(graph["boxes"][0]["x"].as_u64() < graph["boxes"][1]["x"].as_u64());
        client.end();
        let mut plain = Client::start(&place, &[], era);
        let same = plain.call("chain_run", json!({"plan": plan}));
        assert!(same["_meta"]["mathchain/run"].is_null());
        assert_eq!(
            same["structuredContent"]["outputs"],
            run["structuredContent"]["outputs"]
        );
        plain.end();
    }
}

#[test]
fn an_answer_says_what_a_waiting_call_would_do_and_nothing_that_its_caller_may_not_read() {
    let place = Place::new();
    place.write("notes.txt", "what nobody was shown");
    for capabilities in [json!({}), shows_apps()] {
        let mut client = Client::with(&place, &[], Era::Legacy, capabilities);
        let args = json!({"path": "notes.txt", "content": "new", "mode": "overwrite"});
        let pending = client.call("write_file", args);
        let error = &pending["structuredContent"]["error"];
        let request = &error["request"];
        assert_eq!(request["id"], error["approval_id"], "{pending}");
        assert_eq!(request["tool"], "write_file");
        assert_eq!(request["destroys"], json!(["notes.txt"]));
        assert_eq!(request["arguments"]["content"], "new");
        let reason = request["reason"].as_str().expect("a reason");
        let role = request["role"].as_str().expect("a role");
        let command = format!(
            "mathchain approve {}",
            error["approval_id"].as_str().expect("an id")
        );
        assert_eq!(request["command"], command);
        assert!(request["console"].is_null(), "no console runs here");
        // The same in words.
        let words = pending["content"].to_string();
        for fact in [reason, role, "destroys: notes.txt", command.as_str()] {
            let fact = json!(fact).to_string();
            assert!(words.contains(fact.trim_matches('"')), "{fact} in {words}");
        }
        assert!(
            !pending.to_string().contains("nobody was shown"),
            "{pending}"
        );
        client.end();
    }
}

#[test]
fn a_waiting_step_of_a_plan_is_described_with_its_own_arguments() {
    let place = Place::new();
    let hostile = "<img src=x onerror=alert(1)>.txt";
    let plan = json!({"version": 1, "id": "writes", "steps": [
        {"id": "sum", "tool": "calculate", "args": {"expression": "40 + 2"}},
        {"id": "keep", "tool": "write_file", "args": {"path": hostile, "content": "</script><b>42</b>"}, "after": ["sum"]},
    ], "outputs": {}});
    let mut client = Client::with(&place, &[], Era::Legacy, shows_apps());
    let pending = client.call("chain_run", json!({"plan": plan}));
    assert_eq!(pending["isError"], true, "{pending}");
    let request = &pending["structuredContent"]["error"]["request"];
    assert_eq!(
        (&request["step"], &request["tool"]),
        (&json!("keep"), &json!("write_file")),
        "{pending}"
    );
    assert_eq!(request["arguments"]["path"], hostile);
    let words = pending["content"].to_string();
    assert!(words.contains("onerror=alert(1)>.txt"), "{words}");
    assert!(text(&pending).contains("approval_required"));
    let facts = &pending["_meta"]["mathchain/run"];
    let steps = facts["steps"].as_array().expect("steps");
    let keep = steps.iter().find(|step| step["id"] == "keep");
    assert_eq!(
        keep.expect("the step")["state"],
        "pending_approval",
        "{facts}"
    );
    client.end();
}
