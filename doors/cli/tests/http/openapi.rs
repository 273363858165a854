//! The OpenAPI document: what it says of tools and paths agrees with the server.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use super::client::Server;
use crate::support::Place;

/// The pointers of every `$ref`.
fn references(value: &Json, found: &mut BTreeSet<String>) {
    match value {
        Json::Object(members) => {
            if let Some(Json::String(to)) = members.get("$ref") {
                found.insert(to.clone());
            }
            members.values().for_each(|one| references(one, found));
        }
        Json::Array(items) => items.iter().for_each(|one| references(one, found)),
        _ => {}
    }
}

#[test]
fn the_document_has_the_visible_tools_and_leads_nowhere_else() {
    let place = Place::new();
    let server = Server::start(&place, &["--role", "worker_math"]);
    let document = server.get("/v1/openapi.json", &[]).expect(200).json();
    assert_eq!(document["openapi"], "3.1.0");
    let listed = server.get("/v1/tools", &[]).expect(200).json();
    let schemas = document["components"]["schemas"]
        .as_object()
        .expect("schemas");
    let mut calls = 0;
    for (name, tool) in listed.as_object().expect("tools") {
        if name == "describe_tool" {
            continue; // no tool of the registry
        }
        calls += 1;
        for (part, whole) in [("args", "input_schema"), ("result", "output_schema")] {
            let (shown, whole) = (&schemas[&format!("{name}.{part}")], &tool[whole]);
            assert_eq!(
                shown["properties"].as_object().map(|it| it.len()),
                whole["properties"].as_object().map(|it| it.len()),
                "{name}"
            );
            assert_eq!(shown["required"], whole["required"], "{name}");
        }
    }
    assert!(calls > 30, "{calls}");
    assert!(!schemas.contains_key("write_file.args"));
    assert_eq!(
        schemas["Call"]["anyOf"].as_array().map(Vec::len),
        Some(calls)
    );
    let mut found = BTreeSet::new();
    references(&document, &mut found);
    assert!(found.len() > 3 * calls);
    for to in found {
        let pointer = to.strip_prefix('#').expect("a place in the document");
        assert!(document.pointer(pointer).is_some(), "{to}");
    }
}

/// Every path of the document is one of the server with the methods that it has, and those of the page are in the document.
/// Events come as they are recorded, each with its number, and a client that comes again gets the next ones.
#[test]
fn events_of_workflows_are_streamed() {
    use std::io::{BufRead as _, BufReader, Write as _};
    let place = Place::new();
    let server = Server::start(&place, &[]);
    let follow = |fields: &[(&str, &str)]| {
        let mut stream = server.connect();
        let head = server.head("GET", "/v1/events", fields);
        stream.write_all(head.as_bytes()).expect("sends");
        BufReader::new(stream)
            .lines()
            .map(|line| line.expect("a line"))
    };
    let mut first = follow(&[]);
    assert!(first.next().expect("a status").contains("200"));
    let create = |title: &str| {
        let args =
            serde_json::json!({ "type": "cr", "title": title, "domain": "d", "content": "c" });
        server
            .call(&serde_json::json!({ "tool": "request:create", "args": args }))
            .expect(200);
    };
    create("One");
    let data = first
        .find(|line| line.starts_with("data: "))
        .expect("an event");
    assert!(
        data.contains("request.created") && data.contains("One"),
        "{data}"
    );
    create("Two");
    let again = follow(&[("Last-Event-ID", "1")]);
    let mut lines = again.filter(|line| line.starts_with("id: ") || line.starts_with("data: "));
    assert_eq!(lines.next().as_deref(), Some("id: 2"));
    assert!(lines.next().expect("an event").contains("Two"));
}

#[test]
fn the_paths_of_the_document_are_those_of_the_server() {
    let place = Place::new();
    let server = Server::start(&place, &[]);
    let document = server.get("/v1/openapi.json", &[]).expect(200).json();
    let paths = document["paths"].as_object().expect("paths");
    for (path, operations) in paths {
        let real = path
            .replace("{id}", "0")
            .replace("{name}", "calculate")
            .replace("{handle}", "b3:0");
        for method in ["GET", "POST", "PUT", "DELETE"] {
            // It never ends; `events_of_workflows_are_streamed` reads it.
            if method == "GET" && path == "/v1/events" {
                continue;
            }
            let head = server.head(method, &real, &[("Content-Length", "0")]);
            let status = server.raw(head.as_bytes()).status;
            match operations.get(method.to_lowercase()) {
                None => assert_eq!(status, 405, "{method} {path}"),
                Some(operation) => {
                    assert!(
                        operation["responses"].get(status.to_string()).is_some(),
                        "{method} {path}: {status}"
                    );
                }
            }
        }
    }
    let page = include_str!("../../../../docs/http.md");
    let stated = page
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once('|'));
    let mut stated: BTreeSet<&str> = stated
        .flat_map(|(paths, _)| paths.split(['`', ' ', ',']))
        .filter(|word| word.starts_with("/v1/") || word.ends_with('z'))
        .map(|word| word.split('?').next().unwrap_or(word))
        .collect();
    stated.remove("/v1/");
    assert!(stated.len() > 12, "{stated:?}");
    for path in stated {
        let path = path
            .replace("ID", "{id}")
            .replace("NAME", "{name}")
            .replace("HANDLE", "{handle}");
        assert!(paths.contains_key(&path), "{path}");
    }
}
