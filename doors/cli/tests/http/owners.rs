//! Whose objects a caller reaches: the id of one of another workspace, of another role or of another key is the id of none, at every path,
//! at every method for MCP clients, and at every command that changes something.

use std::collections::BTreeSet;

use serde_json::{Value as Json, json};

use super::client::{Reply, Server};
use crate::support::{Answer, Place, answer_of};

/// Two folders with one state, that of the user, and a configuration of the user for both.
fn place() -> Place {
    let place = Place::new();
    std::fs::create_dir(place.path("other")).expect("makes a folder");
    place.write(
        "../config/mathchain/mathchain.toml",
        r#"
version = 1
[[policies]]
level = "global"
[[policies.rules]]
match = { tools = ["write_file", "delete_file", "pipeline_run"] }
decision = "allow"
[roles.helper]
description = "helps"
tools = ["group:all"]
[[phases]]
name = "a"
agents = ["one"]
prompt = "x"
[cli.one]
binary = "sh"
subcommand = ["-c", "echo theirs"]
"#,
    );
    place
}

/// Runs a command in the other folder.
fn there(place: &Place, args: &[&str], stdin: &str) -> Answer {
    let mut command = place.command(&crate::support::asking_json(args));
    command.current_dir(place.path("other"));
    answer_of(command, stdin.as_bytes())
}

/// The objects of the other folder.
struct Theirs {
    run: String,
    pipeline: String,
    approval: String,
    artifact: String,
    call: String,
}

/// Makes one object of each kind in the other folder: a suspended run that has written a file, the approval for which it waits, a large
/// value and a record.
fn made_there(place: &Place) -> Theirs {
    place.write(
        "../other/p.json",
        &json!({"version": 1, "id": "p", "steps": [
            {"id": "a", "tool": "write_file", "args": {"path": "made.txt", "content": "theirs"},
             "compensate": {"tool": "delete_file", "args": {"path": "made.txt"}}},
            {"id": "b", "tool": "run_shell", "args": {"argv": ["true"]}, "after": ["a"]}]})
        .to_string(),
    );
    let suspended = there(place, &["run", "p.json", "--json"], "");
    let approval = suspended.expect_code(4).at("/metadata/approval_id");
    let runs = there(place, &["runs", "list"], "");
    let run = runs.expect_code(0).at("/0/run");
    let pipeline = there(place, &["pipeline", "run", "--json"], "");
    let pipeline = pipeline.expect_code(0).at("/pipeline");
    // A server of that folder answers with a handle.
    let server = Server::beside(place, "other", &["--role", "operator"]);
    let data: Vec<u32> = (0..20_000).collect();
    let large = json!({"tool": "json_query", "args": {"data": data, "query": "@"}});
    let large = server.call(&large).expect(200).json();
    let named = |pointer: &str| {
        let text = large.pointer(pointer).and_then(Json::as_str);
        text.expect("a text").to_owned()
    };
    let text = |value: &tool_core::Value| value.as_str().expect("a text").to_owned();
    Theirs {
        run: text(&run),
        pipeline: text(&pipeline),
        approval: text(&approval),
        artifact: named("/output/result/$artifact"),
        call: named("/metadata/call_id"),
    }
}

fn key(place: &Place, args: &[&str]) -> String {
    let made = place.run(&[&["keys", "create"], args].concat(), "");
    let key = made.expect_code(0).at("/key");
    format!("Bearer {}", key.as_str().expect("a key"))
}

/// The paths with the id of an object, or a list of objects, and what a stranger gets: no object, and no entry.
const PATHS: [(&str, &str); 18] = [
    ("GET", "/v1/chains/{run}"),
    ("GET", "/v1/chains/{run}/events"),
    ("POST", "/v1/chains/{run}/cancel"),
    ("POST", "/v1/chains/{run}/resume"),
    ("GET", "/v1/pipelines"),
    ("GET", "/v1/pipelines/{pipeline}"),
    ("GET", "/v1/pipelines/{pipeline}/events"),
    ("POST", "/v1/pipelines/{pipeline}/cancel"),
    ("POST", "/v1/pipelines/{pipeline}/resume"),
    ("POST", "/v1/pipelines/{pipeline}/gate"),
    ("GET", "/v1/runs"),
    ("GET", "/v1/runs/{run}"),
    ("GET", "/v1/approvals"),
    ("GET", "/v1/approvals/{approval}"),
    ("POST", "/v1/approvals/{approval}/approve"),
    ("POST", "/v1/approvals/{approval}/deny"),
    ("GET", "/v1/artifacts/{artifact}"),
    ("GET", "/v1/events"),
];
/// The paths that name no object.
const OTHERS: [&str; 10] = [
    "/",
    "/healthz",
    "/readyz",
    "/metrics",
    "/mcp",
    "/v1/openapi.json",
    "/v1/call",
    "/v1/tools",
    "/v1/chains",
    "/v1/schedules",
];

/// Sends a request without a body.
fn send(server: &Server, bearer: &str, method: &str, path: &str) -> Reply {
    let fields = [("Authorization", bearer), ("Content-Length", "0")];
    server.raw(server.head(method, path, &fields).as_bytes())
}

#[test]
fn every_path_of_the_server_is_tried_here() {
    let routes = include_str!("../../../servers/src/http/routes.rs");
    let routes: BTreeSet<String> = routes
        .split(".route(")
        .skip(1)
        .map(|rest| rest.split('"').nth(1).expect("a path").to_owned())
        .collect();
    let plain = |path: &str| {
        let path = path.replace("{run}", "{id}").replace("{approval}", "{id}");
        let path = path.replace("{pipeline}", "{id}");
        path.replace("{artifact}", "{handle}")
    };
    let tried: BTreeSet<String> = PATHS.iter().map(|(_, path)| plain(path)).collect();
    let others = OTHERS.map(str::to_owned);
    // A tool is no object: each role sees those that it may call.
    let known = tried
        .into_iter()
        .chain(others)
        .chain(["/v1/tools/{name}".to_owned()]);
    assert_eq!(routes, known.collect());
}

#[test]
fn an_object_of_another_workspace_is_none_at_every_path() {
    let place = place();
    place.write("made.txt", "ours");
    let theirs = made_there(&place);
    let operator = key(&place, &["boss", "--role", "operator", "--approve"]);
    let reviewer = key(
        &place,
        &["reviewer", "--role", "worker_general", "--approve"],
    );
    let server = Server::start(&place, &[]);
    for bearer in [&operator, &reviewer] {
        for (method, path) in PATHS {
            for shortened in [false, true] {
                let id = |whole: &str| match shortened {
                    true => whole[..6].to_owned(),
                    false => whole.to_owned(),
                };
                let real = path
                    .replace("{run}", &id(&theirs.run))
                    .replace("{approval}", &id(&theirs.approval))
                    .replace("{pipeline}", &id(&theirs.pipeline))
                    .replace("{artifact}", &theirs.artifact);
                if path == "/v1/events" {
                    continue; // the log of the workspace; it never ends
                }
                let reply = send(&server, bearer, method, &real);
                match real == path {
                    true => {
                        let body = &reply.expect(200).body;
                        let is_theirs =
                            body.contains(&theirs.run) || body.contains(&theirs.pipeline);
                        assert!(!is_theirs, "{reply:?}");
                    }
                    false => drop(reply.expect(404)),
                }
                assert!(!reply.body.contains("theirs"), "{reply:?}");
            }
        }
    }
    assert_eq!(place.read("made.txt"), "ours");
    assert_eq!(place.read("../other/made.txt"), "theirs");
    let there_still = there(&place, &["approvals", "list"], "");
    assert_eq!(
        there_still.expect_code(0).at("/0/state").as_str(),
        Some("pending")
    );
}

/// Objects of one workspace belong to a role; the operator sees all.
#[test]
fn an_object_of_another_role_is_none_and_that_of_another_key_of_the_role_is_shared() {
    let place = place();
    let first = key(&place, &["first", "--role", "helper"]);
    let same = key(&place, &["same", "--role", "helper"]);
    let other = key(&place, &["other", "--role", "worker_math"]);
    let boss = key(&place, &["boss", "--role", "operator"]);
    let server = Server::start(&place, &[]);
    let plan = json!({"plan": {"version": 1, "id": "p", "steps": [{"id": "a", "tool": "calculate", "args": {"expression": "6*7"}}]}});
    let plan = plan.to_string();
    let begun = server.post(
        "/v1/chains",
        &[("Authorization", &first), ("Idempotency-Key", "k")],
        &plan,
    );
    let id = begun.expect(202).json()["id"]
        .as_str()
        .expect("an id")
        .to_owned();
    crate::pipeline::until("the plan has ended", || {
        let shown = send(&server, &first, "GET", &format!("/v1/chains/{id}"));
        shown.json()["state"] == "succeeded"
    });
    let pipeline = server.post("/v1/pipelines", &[("Authorization", &first)], "{}");
    let pipeline = pipeline.expect(202).json()["id"].clone();
    let pipeline = pipeline.as_str().expect("an id").to_owned();
    crate::pipeline::until("the pipeline has ended", || {
        let shown = send(&server, &first, "GET", &format!("/v1/pipelines/{pipeline}"));
        shown.json()["state"] == "succeeded"
    });
    let data: Vec<u32> = (0..20_000).collect();
    let large = json!({"tool": "json_query", "args": {"data": data, "query": "@"}}).to_string();
    let large = server.post("/v1/call", &[("Authorization", &first)], &large);
    let large = large.expect(200).json()["output"]["result"]["$artifact"].clone();
    let large = large.as_str().expect("a handle").to_owned();
    for (method, path) in PATHS {
        let real = path.replace("{run}", &id).replace("{artifact}", &large);
        let real = real.replace("{pipeline}", &pipeline);
        if path.contains("approval") || path.ends_with("/gate") || path == "/v1/events" {
            continue; // for keys that approve; of the workspace
        }
        let status = |bearer: &str| send(&server, bearer, method, &real).status;
        match real == path {
            true => {
                let of = if path == "/v1/pipelines" {
                    &pipeline
                } else {
                    &id
                };
                let listed = |bearer: &str| send(&server, bearer, method, &real).body.contains(of);
                assert!(listed(&first) && listed(&same) && listed(&boss) && !listed(&other));
            }
            false => {
                assert_eq!(status(&other), 404, "{method} {path}");
                for bearer in [&first, &same, &boss] {
                    let status = status(bearer);
                    assert!([200, 409].contains(&status), "{method} {path}: {status}");
                }
            }
        }
    }
    // What a key may do once is its own: the other key begins another run.
    let again = server.post(
        "/v1/chains",
        &[("Authorization", &same), ("Idempotency-Key", "k")],
        &plan,
    );
    assert_ne!(again.expect(202).json()["id"], *id);
    let again = server.post(
        "/v1/chains",
        &[("Authorization", &first), ("Idempotency-Key", "k")],
        &plan,
    );
    assert_eq!(again.expect(202).json()["id"], *id);
    // A role whose runs are few finds them among many of others.
    let runs = send(&server, &other, "GET", "/v1/runs").expect(200).json();
    assert_eq!(runs["runs"], json!([]));
}

/// The methods for MCP clients that take the name of an object, as the handler has them; the others name tools, prompts, pages and
/// settings of the connection.
const METHODS: [&str; 24] = [
    "get_info",
    "list_tools",
    "call_tool",
    "list_prompts",
    "get_prompt",
    "list_resources",
    "list_resource_templates",
    "read_resource",
    "complete",
    "accepted_subscription_filter",
    "listen",
    "on_initialized",
    "set_level",
    "subscribe",
    "unsubscribe",
    "on_custom_request",
    "get_task",
    "update_task",
    "cancel_task",
    "new",
    "aside",
    "invalid_params_error",
    "on_roots_list_changed",
    "on_cancelled",
];

#[test]
fn an_object_of_another_workspace_is_none_for_every_method_of_a_client() {
    let handler = include_str!("../../../servers/src/mcp/handler.rs");
    for method in handler.split("fn ").skip(1) {
        let name: String = method
            .chars()
            .take_while(|one| one.is_alphanumeric() || *one == '_')
            .collect();
        assert!(METHODS.contains(&&*name), "`{name}` is not tried here");
    }
    let place = place();
    let theirs = made_there(&place);
    // The same names in this folder are found, so that what is refused is refused for its folder.
    let server = Server::start(&place, &[]);
    let ask = |method: &str, name: &str, params: Json| -> Json {
        super::mcp::modern(&server, &[], method, name, params)
    };
    let templates = include_str!("../../../servers/src/mcp/resources.rs");
    let templates: BTreeSet<&str> = templates
        .split('"')
        .filter(|text| text.starts_with("mathchain://") && text.contains('{'))
        .filter(|text| text.ends_with('}'))
        .collect();
    let mut tried = BTreeSet::new();
    for (template, id) in [
        ("mathchain://artifact/{handle}", &theirs.artifact),
        (
            "mathchain://artifact/{handle}/{from}/{count}",
            &theirs.artifact,
        ),
        ("mathchain://run/{run}", &theirs.run),
        ("mathchain://plan/{run}", &theirs.run),
        ("mathchain://audit/{call}", &theirs.call),
        ("mathchain://pipeline/{pipeline}", &theirs.pipeline),
    ] {
        tried.insert(template);
        let uri = template
            .replace("{handle}", id)
            .replace("{run}", id)
            .replace("{call}", id)
            .replace("{pipeline}", id)
            .replace("{from}", "0")
            .replace("{count}", "2");
        let read = ask("resources/read", &uri, json!({ "uri": uri }));
        assert!(read["error"].is_object(), "{uri}: {read}");
    }
    tried.insert("mathchain://docs/{page}");
    assert_eq!(templates, tried);
    for list in ["runs", "pipelines", "audit"] {
        let uri = format!("mathchain://{list}");
        let read = ask("resources/read", &uri, json!({ "uri": uri })).to_string();
        assert!(
            !read.contains(&theirs.run)
                && !read.contains(&theirs.call)
                && !read.contains(&theirs.pipeline),
            "{read}"
        );
    }
    let listed = ask("resources/list", "", json!({})).to_string();
    assert!(
        !listed.contains(&theirs.run) && !listed.contains(&theirs.artifact),
        "{listed}"
    );
    for argument in ["run", "pipeline", "handle"] {
        let template = format!(
            "mathchain://{}/{{{argument}}}",
            match argument {
                "handle" => "artifact",
                same => same,
            }
        );
        let wanted = json!({"ref": {"type": "ref/resource", "uri": template}, "argument": {"name": argument, "value": ""}});
        let completed = ask("completion/complete", "", wanted).to_string();
        assert!(
            !completed.contains(&theirs.run)
                && !completed.contains(&theirs.artifact)
                && !completed.contains(&theirs.pipeline),
            "{completed}"
        );
    }
    for method in ["tasks/get", "tasks/cancel", "tasks/update"] {
        let task = ask(
            method,
            &theirs.run,
            json!({"taskId": theirs.run, "inputResponses": {}}),
        );
        assert!(task["error"].is_object(), "{method}: {task}");
    }
    // A call that passes the handle on opens it no more than a list does.
    let call = json!({"name": "json_query", "arguments": {"data": {"$artifact": theirs.artifact}, "query": "length(@)"}});
    let called = ask("tools/call", "json_query", call);
    assert_eq!(called["result"]["isError"], true, "{called}");
}

/// The commands are those of the user, who owns every workspace: a run of another folder is ended there, never here.
#[test]
fn a_command_acts_on_a_run_in_the_folder_in_which_it_began() {
    let place = place();
    place.write("made.txt", "ours");
    let theirs = made_there(&place);
    let cancelled = place.run(&["runs", "cancel", &theirs.run], "");
    cancelled.expect_code(0);
    assert_eq!(place.read("made.txt"), "ours");
    assert!(
        !place.path("other/made.txt").exists(),
        "it was undone there"
    );
}

/// Each command that takes an id, with one of another folder: what it does it does there.
#[test]
fn commands_with_an_id_of_another_folder_leave_this_one_alone() {
    let place = place();
    place.write("made.txt", "ours");
    let theirs = made_there(&place);
    let files = || {
        let entries = std::fs::read_dir(place.path("work")).expect("a folder");
        let mut names: Vec<_> = entries
            .map(|entry| entry.expect("one").file_name())
            .collect();
        names.sort();
        names
    };
    let before = files();
    for words in [
        vec!["runs", "show", &theirs.run],
        vec!["replay", &theirs.run],
        vec!["runs", "resume", &theirs.run],
        vec!["approvals", "show", &theirs.approval],
        vec!["artifacts", "show", &theirs.artifact],
        vec!["audit", "show", &theirs.call],
        vec!["deny", &theirs.approval],
        vec!["runs", "resume", &theirs.run],
        vec!["runs", "cancel", &theirs.run],
    ] {
        place.run(&words, "");
        assert_eq!(place.read("made.txt"), "ours", "{words:?}");
        assert_eq!(files(), before, "{words:?}");
    }
    assert!(
        !place.path("other/made.txt").exists(),
        "it was undone there"
    );
}
