//! `search_tools`, `describe_tool` and `call_tool`, and what is listed beside them.

use serde_json::json;

use super::client::{Client, Era, text};
use crate::support::Place;

#[test]
fn a_misspelt_tool_or_argument_is_an_answer_that_a_model_reads() {
    let place = Place::new();
    let mut client = Client::start(&place, &[], Era::Modern);
    let misspelt = client.call("call_tool", json!({"name": "matrix_solv", "arguments": {}}));
    assert_eq!(misspelt["isError"], true, "{misspelt}");
    assert!(text(&misspelt).contains("matrix_solve"), "{misspelt}");
    for (tool, arguments, near) in [
        ("search_tools", json!({"words": "fft"}), "query"),
        ("describe_tool", json!({"name": "fft", "detail": 1}), "name"),
        ("call_tool", json!({"name": "fft", "args": {}}), "arguments"),
    ] {
        let refused = client.call(tool, arguments);
        assert_eq!(refused["isError"], true, "{refused}");
        let told = text(&refused);
        assert!(
            told.contains("unknown argument") && told.contains(near),
            "{told}"
        );
    }
    let direct = client.request("tools/call", json!({"name": "matrix_solv"}));
    assert_eq!(direct["error"]["code"], -32602);
}

#[test]
fn a_search_says_where_nothing_fits() {
    let place = Place::new();
    let mut client = Client::start(&place, &[], Era::Modern);
    let found = client.call("search_tools", json!({"query": "neural network"}));
    let note = found["structuredContent"]["note"].as_str();
    assert!(
        note.is_some_and(|note| note.contains("no tool matches")),
        "{found}"
    );
    assert!(text(&found).contains("no tool matches"), "{found}");
    let found = client.call("search_tools", json!({"query": "eigenvalues"}));
    assert!(found["structuredContent"]["note"].is_null(), "{found}");
}

#[test]
fn the_text_of_a_description_has_every_argument() {
    let place = Place::new();
    let mut client = Client::start(&place, &[], Era::Modern);
    for tool in ["mcmc", "calculate", "matrix_solve", "read_file"] {
        let described = client.call("describe_tool", json!({"name": tool}));
        let shown: serde_json::Value = serde_json::from_str(text(&described)).expect("JSON");
        let whole = &described["structuredContent"]["input_schema"]["properties"];
        assert_eq!(&shown["input_schema"]["properties"], whole, "{tool}");
        assert!(
            whole.as_object().is_some_and(|all| !all.is_empty()),
            "{tool}"
        );
    }
}

#[test]
fn tools_that_start_everything_are_loaded_from_the_start() {
    let place = Place::new();
    let mut client = Client::start(&place, &[], Era::Modern);
    let listed = client.request("tools/list", json!({}));
    let tools = listed["result"]["tools"].as_array().expect("tools");
    let mut always: Vec<&str> = tools
        .iter()
        .filter(|tool| tool["_meta"]["anthropic/alwaysLoad"] == true)
        .filter_map(|tool| tool["name"].as_str())
        .collect();
    always.sort_unstable();
    let expected = [
        "calculate",
        "call_tool",
        "chain_run",
        "describe_tool",
        "search_tools",
    ];
    assert_eq!(always, expected);
    let bytes: usize = tools
        .iter()
        .filter(|tool| tool["_meta"]["anthropic/alwaysLoad"] == true)
        .map(|tool| tool.to_string().len())
        .sum();
    assert!(bytes / 4 < 1500, "{} tokens", bytes / 4);
}

#[test]
fn an_unknown_prompt_completes_to_an_error() {
    let place = Place::new();
    let mut client = Client::start(&place, &[], Era::Modern);
    let complete = |client: &mut Client, name: &str| {
        let params = json!({"ref": {"type": "ref/prompt", "name": name}, "argument": {"name": "tool", "value": "matrix"}});
        client.request("completion/complete", params)
    };
    let unknown = complete(&mut client, "nothing");
    assert!(
        unknown["error"]["message"]
            .as_str()
            .is_some_and(|text| text.contains("no prompt")),
        "{unknown}"
    );
    let prompts = client.request("prompts/list", json!({}));
    let known = prompts["result"]["prompts"][0]["name"]
        .as_str()
        .expect("a prompt")
        .to_owned();
    assert!(complete(&mut client, &known)["result"].is_object());
}

#[test]
fn a_part_of_a_large_artifact_is_read_where_it_is() {
    let place = Place::new();
    let mut client = Client::start(&place, &[], Era::Modern);
    let found = client.call("fft", json!({"data": [1, 2], "n": 131_072}));
    let of = found["structuredContent"].to_string();
    let at = of.find("b3:").expect("a handle");
    let handle = &of[at..at + 67];
    let mut read = |from: usize, count: usize| {
        let uri = format!("mathchain://artifact/{handle}/{from}/{count}");
        let answer = client.request("resources/read", json!({"uri": uri}));
        let text = answer["result"]["contents"][0]["text"]
            .as_str()
            .unwrap_or_else(|| panic!("{answer}"))
            .to_owned();
        serde_json::from_str::<serde_json::Value>(&text).expect("JSON")
    };
    let first = read(0, 2);
    assert_eq!(
        (
            first["from"].as_i64(),
            first["items"].as_array().map(Vec::len)
        ),
        (Some(0), Some(2))
    );
    let total = usize::try_from(first["total"].as_u64().expect("a number")).expect("fits");
    let pair = read(1, 1);
    assert_eq!(pair["items"][0], first["items"][1]);
    assert_eq!(
        read(total - 1, 10)["items"].as_array().map(Vec::len),
        Some(1)
    );
    assert_eq!(
        read(total + 5, 10)["items"].as_array().map(Vec::len),
        Some(0)
    );
}
