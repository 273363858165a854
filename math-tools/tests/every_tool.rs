use tool_core::{AnyTool, Ctx, Value, schema};

pub(crate) fn tools() -> impl Iterator<Item = &'static dyn AnyTool> {
    math_tools::FAMILIES
        .iter()
        .flat_map(|family| family.iter())
        .map(|entry| entry.tool())
}

/// Equal up to a relative 1e-9 in every double (and an absolute 1e-12 around zero).
fn close(found: &Value, expected: &Value) -> bool {
    if let (Some(found), Some(expected)) = (found.as_f64(), expected.as_f64()) {
        return (found - expected).abs() <= 1e-12 + 1e-9 * expected.abs();
    }
    match (found.as_object(), expected.as_object()) {
        (Some(found), Some(expected)) => {
            return found.len() == expected.len()
                && expected
                    .iter()
                    .all(|(key, value)| found.get(key).is_some_and(|found| close(found, value)));
        }
        (None, None) => {}
        _ => return false,
    }
    match (found.items(), expected.items()) {
        (Some(found), Some(expected)) => {
            found.len() == expected.len()
                && found
                    .iter()
                    .zip(&expected)
                    .all(|(found, expected)| close(found, expected))
        }
        _ => found == expected,
    }
}

#[test]
fn examples_give_what_they_say() {
    for tool in tools() {
        let id = tool.spec().id;
        let examples = tool.examples();
        assert!(!examples.is_empty(), "`{id}` has no example");
        for example in examples {
            let call = tool
                .decode(&example.args)
                .unwrap_or_else(|err| panic!("`{id}`, {}: {err:?}", example.title));
            let output = call
                .run(&Ctx::default())
                .unwrap_or_else(|err| panic!("`{id}`, {}: {err:?}", example.title));
            assert!(
                close(&output, &example.output),
                "`{id}`, {}:\n found {output}\n expected {}",
                example.title,
                example.output
            );
        }
    }
}

#[test]
fn specs_are_sound() {
    for tool in tools() {
        assert_eq!(tool.spec().fault(), None);
        assert!(
            tool.spec().read_only(),
            "`{}` is a pure tool and must have no effects",
            tool.spec().id
        );
    }
}

#[test]
fn schemas_describe_every_field_and_accept_the_examples() {
    for tool in tools() {
        let id = tool.spec().id;
        assert!(
            !tool.description().is_empty(),
            "the arguments of `{id}` have no doc comment"
        );
        for (side, document) in [
            ("argument", tool.input_schema()),
            ("result", tool.output_schema()),
        ] {
            for (name, property) in document["properties"].as_object().into_iter().flatten() {
                assert!(
                    property["description"].is_string(),
                    "the {side} `{name}` of `{id}` has no description"
                );
            }
        }
        for example in tool.examples() {
            assert_eq!(
                schema::check_value(&tool.input_schema(), &example.args),
                [],
                "`{id}`, {}",
                example.title
            );
            assert_eq!(
                schema::check_value(&tool.output_schema(), &example.output),
                [],
                "`{id}`, {}",
                example.title
            );
        }
    }
}

/// What did not reach its end says so in one way: `completed` or `converged`, and a `reason` from a closed list.
#[test]
fn what_did_not_end_says_why() {
    for tool in tools() {
        let schema = tool.output_schema();
        let flag = ["completed", "converged"]
            .into_iter()
            .find(|flag| schema["properties"].get(flag).is_some());
        // Without convergence `sparse_solve` answers with an error.
        if flag.is_none() || tool.spec().id == "sparse_solve" {
            continue;
        }
        let reason = &schema["properties"]["reason"];
        let text = reason.to_string() + &schema["$defs"].to_string();
        assert!(
            reason.is_object() && (text.contains("\"enum\"") || text.contains("\"const\"")),
            "`{}` has `{flag:?}` without a closed list of reasons: {reason}",
            tool.spec().id
        );
    }
}
