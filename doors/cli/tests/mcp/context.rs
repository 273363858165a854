//! Resources, prompts, completion, approvals, changes of the list, traces.

use serde_json::{Value as Json, json};

use super::client::{Client, Era, text};
use crate::support::Place;

#[test]
fn pages_runs_plans_and_records_are_resources_of_their_role() {
    let place = Place::new();
    let mut client = Client::start(&place, &[], Era::Modern);
    let plan = json!({"version": 1, "id": "sums", "steps": [{"id": "a", "tool": "statistics", "args": {"data": [1, 2, 3]}}], "outputs": {"mean": {"$ref": "a.mean"}}});
    let run = client.call("chain_run", json!({"plan": plan}));
    assert_eq!(run["structuredContent"]["outputs"]["mean"], 2.0, "{run}");
    let id = run["structuredContent"]["chain_id"]
        .as_str()
        .expect("an id")
        .to_owned();
    let listed = client.request("resources/list", json!({}));
    let uris: Vec<&str> = listed["result"]["resources"]
        .as_array()
        .expect("resources")
        .iter()
        .filter_map(|one| one["uri"].as_str())
        .collect();
    for uri in [
        "mathchain://docs/plans",
        "mathchain://runs",
        "mathchain://pipelines",
        "mathchain://audit",
        &format!("mathchain://run/{id}"),
    ] {
        assert!(uris.contains(&uri), "{uri} in {uris:?}");
    }
    let templates = client.request("resources/templates/list", json!({}));
    assert_eq!(
        templates["result"]["resourceTemplates"]
            .as_array()
            .map(Vec::len),
        Some(7)
    );
    let read =
        |client: &mut Client, uri: &str| client.request("resources/read", json!({"uri": uri}));
    let page = read(&mut client, "mathchain://docs/plans");
    assert_eq!(page["result"]["contents"][0]["mimeType"], "text/markdown");
    let of_run = read(&mut client, &format!("mathchain://run/{id}"));
    assert!(
        of_run["result"]["contents"][0]["text"]
            .as_str()
            .expect("a text")
            .contains("succeeded"),
        "{of_run}"
    );
    let pipelines = read(&mut client, "mathchain://pipelines");
    assert_eq!(pipelines["result"]["contents"][0]["text"], "[]");
    let of_plan = read(&mut client, &format!("mathchain://plan/{id}"));
    assert!(
        of_plan["result"]["contents"][0]["text"]
            .as_str()
            .expect("a text")
            .contains("statistics"),
        "{of_plan}"
    );
    let audit = read(&mut client, "mathchain://audit");
    assert!(
        audit["result"]["contents"][0]["text"]
            .as_str()
            .expect("a text")
            .contains("chain_run"),
        "{audit}"
    );
    for uri in [
        "mathchain://nothing",
        "file:///etc/passwd",
        "mathchain://docs/../docs/plans",
        "mathchain://run/zzzz",
        "mathchain://pipeline/zzzz",
    ] {
        assert_eq!(read(&mut client, uri)["error"]["code"], -32602, "{uri}");
    }
    let completed = client.request(
        "completion/complete",
        json!({"ref": {"type": "ref/resource", "uri": "mathchain://run/{run}"}, "argument": {"name": "run", "value": &id[..4]}}),
    );
    assert_eq!(
        completed["result"]["completion"]["values"],
        json!([id]),
        "{completed}"
    );
    client.end();
    // Another role sees no run, plan or record of it.
    let mut other = Client::start(&place, &["--role", "worker_math"], Era::Modern);
    let listed = other.request("resources/list", json!({}));
    assert!(!listed.to_string().contains(&id), "{listed}");
    for uri in [
        format!("mathchain://run/{id}"),
        format!("mathchain://plan/{id}"),
    ] {
        assert!(read(&mut other, &uri)["error"].is_object(), "{uri}");
    }
    assert!(
        !read(&mut other, "mathchain://audit")
            .to_string()
            .contains("chain_run")
    );
    other.end();
    let mut legacy = Client::start(&place, &[], Era::Legacy);
    assert_eq!(
        read(&mut legacy, "mathchain://nothing")["error"]["code"],
        -32002
    );
    legacy.end();
}

#[test]
fn five_prompts_take_arguments() {
    let place = Place::new();
    for era in Era::BOTH {
        let mut client = Client::start(&place, &[], era);
        let listed = client.request("prompts/list", json!({}));
        let prompts = listed["result"]["prompts"]
            .as_array()
            .expect("prompts")
            .clone();
        assert_eq!(prompts.len(), 5);
        for prompt in &prompts {
            let arguments = prompt["arguments"].as_array().expect("arguments").iter();
            let given: serde_json::Map<String, Json> = arguments
                .map(|one| {
                    (
                        one["name"].as_str().expect("a name").to_owned(),
                        "THE VALUE".into(),
                    )
                })
                .collect();
            let got = client.request(
                "prompts/get",
                json!({"name": prompt["name"], "arguments": given}),
            );
            let words = got["result"]["messages"][0]["content"]["text"]
                .as_str()
                .expect("a text");
            assert!(words.contains("THE VALUE"), "{words}");
        }
        let missing = client.request("prompts/get", json!({"name": "solve", "arguments": {}}));
        assert_eq!(missing["error"]["code"], -32602);
        let completed = client.request(
            "completion/complete",
            json!({"ref": {"type": "ref/prompt", "name": "explain_error"}, "argument": {"name": "tool", "value": "matrix_s"}}),
        );
        assert_eq!(
            completed["result"]["completion"]["values"],
            json!(["matrix_solve"])
        );
        client.end();
    }
}

#[test]
fn a_call_waits_for_the_operator_and_an_answer_of_the_client_approves_nothing() {
    let place = Place::new();
    let write = json!({"path": "a.txt", "content": "x"});
    // A client that cannot ask gets an error with the id.
    let mut client = Client::start(&place, &[], Era::Legacy);
    let pending = client.call("write_file", write.clone());
    assert_eq!(pending["isError"], true);
    let id = pending["structuredContent"]["error"]["approval_id"]
        .as_str()
        .expect("an id")
        .to_owned();
    assert!(
        text(&pending).contains(&format!("mathchain approve {id}")),
        "{}",
        text(&pending)
    );
    client.end();
    // One that can ask is told to, with state that belongs to this call.
    let mut client = Client::with(&place, &[], Era::Modern, json!({"elicitation": {}}));
    let asked = client.call("write_file", write.clone());
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let message = asked["inputRequests"]["approval"]["params"]["message"]
        .as_str()
        .expect("a message");
    assert!(message.contains(&id), "the same request: {message}");
    let retry = |client: &mut Client, args: &Json, state: &Json, action: &str| {
        client.request(
            "tools/call",
            json!({"name": "write_file", "arguments": args, "requestState": state, "inputResponses": {"approval": {"action": action, "content": {}}}}),
        )
    };
    let state = asked["requestState"].clone();
    let early = retry(&mut client, &write, &state, "accept");
    assert_eq!(
        early["result"]["resultType"], "input_required",
        "accepting approves nothing: {early}"
    );
    let declined = retry(&mut client, &write, &state, "decline");
    assert_eq!(declined["result"]["isError"], true);
    let other = retry(
        &mut client,
        &json!({"path": "b.txt", "content": "x"}),
        &state,
        "accept",
    );
    assert_eq!(
        other["error"]["code"], -32602,
        "state of another call: {other}"
    );
    let forged = retry(&mut client, &write, &json!("AAAA"), "accept");
    assert_eq!(forged["error"]["code"], -32602);
    assert!(!place.path("work/a.txt").exists());
    place.run(&["approve", &id], "").expect_code(0);
    let done = retry(&mut client, &write, &state, "accept");
    assert_eq!(done["result"]["isError"], false, "{done}");
    assert_eq!(place.read("a.txt"), "x");
    client.end();
}

#[test]
fn the_list_changes_when_the_configuration_does() {
    let place = Place::new();
    place.write("mathchain.toml", "version = 1\n");
    for era in Era::BOTH {
        place.replace("mathchain.toml", "version = 1\n");
        let mut client = Client::start(&place, &[], era);
        let before = client.request("tools/list", json!({})).to_string();
        assert!(before.contains("\"statistics\""));
        if era == Era::Modern {
            client.ask(
                "subscriptions/listen",
                json!({"notifications": {"toolsListChanged": true}}),
            );
            client.notified("notifications/subscriptions/acknowledged");
        }
        place.replace(
            "mathchain.toml",
            "version = 1\n[[policies]]\nlevel = \"global\"\ndeny = [\"statistics\"]\n",
        );
        client.notified("notifications/tools/list_changed");
        let after = client.request("tools/list", json!({})).to_string();
        assert!(!after.contains("\"statistics\""), "{after}");
        client.end();
    }
}

#[test]
fn the_span_of_the_client_is_in_the_audit() {
    let place = Place::new();
    let mut client = Client::start(&place, &[], Era::Modern);
    let span = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let id = client.ask("tools/call", json!({"name": "calculate", "arguments": {"expression": "1"}, "_meta": {"traceparent": span}}));
    client.answer(id);
    client.end();
    let records = place.run(&["audit", "list", "--json"], "");
    let records = &records.expect_code(0).stdout;
    assert!(records.contains(span), "{records}");
    assert!(
        records.contains(&format!("\"client_id\":\"{id}\"")),
        "{records}"
    );
}
