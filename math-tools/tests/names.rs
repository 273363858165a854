//! Names that other programs give the arguments of tools, through the decoding that every interface uses.

use tool_core::{Value, json};

use crate::every_tool::tools;

/// The arguments of a call as the tool names them.
fn decoded(id: &str, args: &str) -> Result<Value, String> {
    let tool = tools()
        .find(|tool| tool.spec().id == id)
        .expect("a tool of this name");
    let args = json::parse_json(args, json::JsonLimits::default()).expect("JSON");
    let call = tool.decode(&args).map_err(|err| format!("{err:?}"))?;
    Ok(call.args().clone())
}

#[test]
fn arguments_are_read_by_their_usual_names() {
    for (id, other, own) in [
        (
            "linear_program",
            r#"{"c": [3, 5], "integer": [0, 1]}"#,
            r#"{"c": [3, 5], "integrality": [0, 1]}"#,
        ),
        (
            "linear_program",
            r#"{"c": [3, 5], "names": ["a", "b"], "integers": ["b"]}"#,
            r#"{"c": [3, 5], "names": ["a", "b"], "integrality": ["b"]}"#,
        ),
        (
            "integrate",
            r#"{"function": "x**2", "a": 0, "b": 3}"#,
            r#"{"f": "x**2", "from": 0, "to": 3}"#,
        ),
        (
            "integrate",
            r#"{"expression": "x**2", "lower": 0, "upper": 3}"#,
            r#"{"f": "x**2", "from": 0, "to": 3}"#,
        ),
        (
            "find_root",
            r#"{"function": "x**2-2", "lower": 0, "upper": 3}"#,
            r#"{"f": "x**2-2", "from": 0, "to": 3}"#,
        ),
        (
            "optimize",
            r#"{"f": "x**2", "initial_guess": [1]}"#,
            r#"{"objective": "x**2", "x0": [1]}"#,
        ),
    ] {
        assert_eq!(decoded(id, other), decoded(id, own), "{other}");
        assert!(decoded(id, own).is_ok(), "{own}");
    }
    let both = decoded(
        "linear_program",
        r#"{"c": [1], "integer": [1], "integrality": [1]}"#,
    );
    assert!(both.is_err(), "{both:?}");
}
