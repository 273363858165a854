//! Lists and calls.

use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use super::client::{Client, Era, text};
use crate::support::Place;

#[test]
fn both_eras_list_and_call_the_same_tools() {
    let place = Place::new();
    let mut listed = Vec::new();
    for era in Era::BOTH {
        let mut client = Client::start(&place, &[], era);
        let answer = client.request("tools/list", json!({}));
        let tools = answer["result"]["tools"].as_array().expect("tools").clone();
        assert!((20..=27).contains(&tools.len()), "{}", tools.len());
        let solve = tools
            .iter()
            .find(|tool| tool["name"] == "matrix_solve")
            .expect("in the core");
        assert_eq!(solve["title"], "Solve a linear system");
        assert_eq!(
            solve["annotations"],
            json!({"readOnlyHint": true, "openWorldHint": false})
        );
        assert!(
            solve["inputSchema"]["properties"]["A"].is_object()
                && solve["outputSchema"]["properties"]["x"].is_object()
        );
        let result = client.call("matrix_solve", json!({"A": [[3, 1], [1, 2]], "b": [9, 8]}));
        assert_eq!(
            result["structuredContent"]["x"],
            json!([2.0, 3.0]),
            "{result}"
        );
        assert_eq!(result["isError"], false);
        assert!(text(&result).contains("\"x\":[2"), "{result}");
        assert_eq!(
            result["_meta"]["mathchain/metadata"]["tool"],
            "matrix_solve"
        );
        // A tool that is not listed can be called by name, and through `call_tool`.
        let rank = client.call("matrix_rank", json!({"A": [[1, 2], [2, 4]]}));
        let same = client.call(
            "call_tool",
            json!({"name": "matrix_rank", "arguments": {"A": [[1, 2], [2, 4]]}}),
        );
        assert_eq!(rank["structuredContent"]["rank"], 1);
        assert_eq!(rank["structuredContent"], same["structuredContent"]);
        assert_eq!(client.end().0, 0);
        listed.push(tools);
    }
    assert_eq!(listed[0], listed[1]);
}

#[test]
fn a_list_is_fixed_by_the_start_and_paged() {
    let place = Place::new();
    let names = |flags: &[&str]| {
        let mut client = Client::start(&place, flags, Era::Modern);
        let (mut names, mut cursor, mut pages) = (Vec::new(), Json::Null, 0);
        loop {
            let params = if cursor.is_null() {
                json!({})
            } else {
                json!({"cursor": cursor})
            };
            let answer = client.request("tools/list", params);
            assert!(
                answer.to_string().len() < 64 << 10,
                "a line is short enough for every client"
            );
            let tools = answer["result"]["tools"].as_array().expect("tools").clone();
            names.extend(
                tools
                    .iter()
                    .map(|tool| tool["name"].as_str().expect("a name").to_owned()),
            );
            pages += 1;
            match &answer["result"]["nextCursor"] {
                Json::String(next) => cursor = next.as_str().into(),
                _ => break,
            }
        }
        let wrong = client.request("tools/list", json!({"cursor": "nonsense"}));
        assert_eq!(wrong["error"]["code"], -32602);
        assert_eq!(client.end().0, 0);
        (names, pages)
    };
    let (full, pages) = names(&["--catalog", "full"]);
    assert!(
        full.len() > 80 && pages > 1,
        "{} tools on {pages} pages",
        full.len()
    );
    let (search, _) = names(&["--catalog", "search"]);
    assert_eq!(
        search,
        ["search_tools", "describe_tool", "call_tool", "chain_run"]
    );
    let (maths, _) = names(&["--catalog", "full", "--role", "worker_math"]);
    assert!(maths.contains(&"optimize".to_owned()) && !maths.contains(&"write_file".to_owned()));
    place.write(
        "mathchain.toml",
        "version = 1\n[toolsets.two]\ninclude = [\"calculate\", \"statistics\"]\n",
    );
    let (two, _) = names(&["--catalog", "full", "--toolset", "two"]);
    assert_eq!(two, ["calculate", "statistics", "describe_tool"]);
}

#[test]
fn tools_are_found_described_and_called() {
    let place = Place::new();
    let mut client = Client::start(
        &place,
        &["--catalog", "search", "--role", "worker_math"],
        Era::Modern,
    );
    let found = client.call("search_tools", json!({"query": "eigenvalues of a matrix"}));
    let first = &found["structuredContent"]["tools"][0]["name"];
    assert_eq!(first, "matrix_eigenvalues", "{found}");
    let all = client.call("search_tools", json!({}));
    let categories = all["structuredContent"]["categories"]
        .as_object()
        .expect("categories");
    assert!(
        categories.contains_key("math") && !categories.contains_key("system"),
        "{categories:?}"
    );
    let described = client.call("describe_tool", json!({"name": "solve_ode"}));
    let schema = &described["structuredContent"]["input_schema"]["properties"];
    assert!(schema["max_step"]["description"].is_string(), "{described}");
    assert!(described["structuredContent"]["examples"][0]["arguments"].is_object());
    let hidden = client.call("describe_tool", json!({"name": "write_file"}));
    assert_eq!(hidden["isError"], true);
    assert_eq!(hidden["structuredContent"]["error"]["code"], "not_visible");
    let denied = client.call(
        "call_tool",
        json!({"name": "write_file", "arguments": {"path": "a", "content": "b"}}),
    );
    assert_eq!(denied["structuredContent"]["error"]["code"], "not_visible");
    let nothing = client.call("call_tool", json!({}));
    assert_eq!(nothing["structuredContent"]["error"]["path"], "/name");
    client.end();
}

#[test]
fn an_error_says_how_to_repair_the_call() {
    let place = Place::new();
    for era in Era::BOTH {
        let mut client = Client::start(&place, &[], era);
        let wrong = client.call("matrix_solve", json!({"A": [[1, 2], [3]], "b": [1, 2]}));
        assert_eq!(wrong["isError"], true);
        assert_eq!(wrong["structuredContent"]["error"]["path"], "/A");
        assert!(
            text(&wrong).starts_with("invalid_args: row 1 has 1 entry"),
            "{}",
            text(&wrong)
        );
        let singular = client.call("matrix_solve", json!({"A": [[1, 2], [2, 4]], "b": [1, 2]}));
        assert!(
            text(&singular).contains("\nhint: call `least_squares`"),
            "{}",
            text(&singular)
        );
        let unknown = client.request(
            "tools/call",
            json!({"name": "matrix_slove", "arguments": {}}),
        );
        assert_eq!(unknown["error"]["code"], -32602);
        let message = unknown["error"]["message"].as_str().expect("a message");
        assert!(
            message.contains("did you mean `matrix_solve`?"),
            "{message}"
        );
        client.end();
    }
}

#[test]
fn plots_are_pictures_and_texts() {
    let place = Place::new();
    let mut client = Client::start(&place, &[], Era::Modern);
    let sixel = client.call(
        "plot_sixel",
        json!({"x": [0, 1, 2], "y": [0, 1, 4], "width": 200, "height": 100}),
    );
    let image = sixel["content"]
        .as_array()
        .expect("content")
        .iter()
        .find(|block| block["type"] == "image");
    let image = image.expect("an image");
    assert_eq!(image["mimeType"], "image/png");
    assert!(
        image["data"]
            .as_str()
            .expect("base64")
            .starts_with("iVBORw0KGgo"),
        "the signature of a PNG file"
    );
    assert!(
        !sixel.to_string().contains("\\u001b"),
        "no escape sequence reaches a model"
    );
    let table = client.call("plot", json!({"data": {"x": [0, 1, 2], "y": [0, 1, 4]}}));
    let blocks = table["content"].as_array().expect("content");
    assert!(
        blocks
            .iter()
            .any(|block| block["type"] == "image" && block["mimeType"] == "image/png"),
        "the picture of a table is an image: {table:.300}"
    );
    let page = client.call(
        "plot",
        json!({"data": {"x": [0, 1, 2], "y": [0, 1, 4]}, "format": "svg"}),
    );
    let blocks = page["content"].as_array().expect("content");
    let document = blocks.iter().find(|block| block["type"] == "resource");
    assert_eq!(
        document.expect("a document")["resource"]["mimeType"],
        "image/svg+xml"
    );
    let braille = client.call("plot_braille", json!({"x": [0, 1, 2], "y": [0, 1, 4]}));
    assert!(
        text(&braille).lines().count() > 10,
        "the plot is a text of its own: {braille}"
    );
    client.end();
}

#[test]
fn a_large_result_is_a_summary_with_handles() {
    let place = Place::new();
    let mut client = Client::start(&place, &["--result-bytes", "4096"], Era::Modern);
    let n = 40;
    let rows: Vec<Vec<f64>> = (0..n)
        .map(|i| {
            (0..n)
                .map(|j| {
                    if i == j {
                        1.5
                    } else {
                        1.0 / f64::from(1 + i + 3 * j)
                    }
                })
                .collect()
        })
        .collect();
    let result = client.call("matrix_inverse", json!({"A": rows}));
    assert_eq!(result["isError"], false, "{result}");
    assert!(
        result.to_string().len() < 10_000,
        "{} bytes",
        result.to_string().len()
    );
    let handle = result["structuredContent"]["inverse"]["$artifact"]
        .as_str()
        .expect("a handle")
        .to_owned();
    let link = result["content"]
        .as_array()
        .expect("content")
        .iter()
        .find(|block| block["type"] == "resource_link");
    let uri = link.expect("a link")["uri"]
        .as_str()
        .expect("a URI")
        .to_owned();
    let read = client.request("resources/read", json!({"uri": uri}));
    assert!(
        read["result"]["contents"][0]["text"]
            .as_str()
            .expect("a text")
            .contains("\"inverse\""),
        "{read}"
    );
    let part = client.request(
        "resources/read",
        json!({"uri": format!("mathchain://artifact/{handle}/0/1")}),
    );
    let part: Json = serde_json::from_str(
        part["result"]["contents"][0]["text"]
            .as_str()
            .expect("a text"),
    )
    .expect("JSON");
    assert_eq!(
        (
            part["total"].clone(),
            part["items"][0].as_array().map(Vec::len)
        ),
        (json!(n), Some(n as usize))
    );
    // A handle goes where the data would.
    let determinant = client.call("matrix_determinant", json!({"A": {"$artifact": handle}}));
    assert_eq!(determinant["isError"], false, "{determinant}");
    client.end();
}

/// A call that runs until it is stopped.
fn endless() -> Json {
    json!({"name": "mcmc", "arguments": {"log_density": "-x0**2/2 - x1**4", "x0": [0, 0], "n_samples": 1_000_000, "chains": 8}})
}

#[test]
fn cancelling_reaches_the_kernel() {
    let place = Place::new();
    for era in Era::BOTH {
        let mut client = Client::start(&place, &["--threads", "1"], era);
        let id = client.ask("tools/call", endless());
        std::thread::sleep(Duration::from_millis(300));
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}));
        // The one thread is free again, and no answer of the cancelled call comes.
        let begun = Instant::now();
        let next = client.call("calculate", json!({"expression": "6*7"}));
        assert_eq!(next["structuredContent"]["value"], 42.0, "{next}");
        assert!(begun.elapsed() < Duration::from_secs(20));
        assert!(
            client.others.iter().all(|message| message["id"] != id),
            "{:?}",
            client.others
        );
        client.end();
    }
}

#[test]
fn progress_comes_to_a_client_that_asked_and_always_grows() {
    let place = Place::new();
    let mut client = Client::start(&place, &[], Era::Modern);
    let mut params = endless();
    params["_meta"] = json!({"progressToken": "p1"});
    let id = client.ask("tools/call", params);
    let mut values = Vec::new();
    while values.len() < 3 {
        let message = client.notified("notifications/progress");
        assert_eq!(message["params"]["progressToken"], "p1");
        assert!(
            !message["params"]["message"]
                .as_str()
                .expect("words")
                .is_empty()
        );
        values.push(message["params"]["progress"].as_f64().expect("a number"));
    }
    assert!(values.is_sorted_by(|a, b| a < b), "{values:?}");
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}));
    client.end();
}

#[test]
fn a_plan_in_a_call_reports_its_steps() {
    let place = Place::new();
    let mut client = Client::start(&place, &[], Era::Modern);
    let long = endless();
    let steps = json!([
        {"id": "quick", "tool": "calculate", "args": {"expression": "1+1"}},
        {"id": "long", "tool": long["name"], "args": long["arguments"], "after": ["quick"]},
    ]);
    let plan = json!({"version": 1, "id": "two", "steps": steps});
    let mut params = json!({"name": "chain_run", "arguments": {"plan": plan}});
    params["_meta"] = json!({"progressToken": "p1"});
    client.ask("tools/call", params);
    loop {
        let message = client.notified("notifications/progress");
        let words = message["params"]["message"].as_str().expect("words");
        if words.starts_with("step `long`") {
            assert!(
                message["params"]["progress"].as_f64() >= Some(0.5),
                "{message}"
            );
            break;
        }
    }
    client.end();
}

#[test]
fn a_long_call_becomes_a_task_for_a_client_that_knows_tasks() {
    let place = Place::new();
    let knows = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
    let mut client = Client::with(&place, &[], Era::Modern, knows);
    let quick = client.call("calculate", json!({"expression": "1+1"}));
    assert_eq!(quick["resultType"], "complete");
    let answer = client.request("tools/call", endless());
    assert_eq!(answer["result"]["resultType"], "task", "{answer}");
    let id = answer["result"]["taskId"]
        .as_str()
        .or(answer["result"]["task"]["taskId"].as_str())
        .expect("an id")
        .to_owned();
    let state = client.request("tasks/get", json!({"taskId": id}));
    assert_eq!(state["result"]["status"], "working", "{state}");
    client.request("tasks/cancel", json!({"taskId": id}));
    let begun = Instant::now();
    loop {
        let state = client.request("tasks/get", json!({"taskId": id}));
        if state["result"]["status"] == "cancelled" {
            break;
        }
        assert!(begun.elapsed() < Duration::from_secs(20), "{state}");
        std::thread::sleep(Duration::from_millis(50));
    }
    let unknown = client.request("tasks/get", json!({"taskId": "none"}));
    assert_eq!(unknown["error"]["code"], -32602);
    client.end();
}
