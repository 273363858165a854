use super::*;

fn compile(text: &str) -> (ArgumentNode, PlanProblems) {
    let value = json::parse_json(text, json::JsonLimits::default()).unwrap();
    let mut problems = PlanProblems::default();
    let node = ArgumentNode::compile(&value, &mut String::new(), &mut problems);
    (node, problems)
}

/// Binds every reference to the text of itself, or to a value of the test.
fn resolve(text: &str, value: &Value) -> String {
    let (node, problems) = compile(text);
    assert!(problems.is_empty(), "{problems}");
    let bound = node.bind(&mut |_| Ok(Some(value.clone()))).unwrap();
    bound
        .literal()
        .expect("every reference is bound")
        .to_string()
}

#[test]
fn literals_stay_whole() {
    for text in [
        "1",
        "[1,2]",
        r#"{"a":[{"b":null}]}"#,
        r#"{"$file":"a.csv"}"#,
        r#"[{"x":"$a.b"}]"#,
    ] {
        let (node, problems) = compile(text);
        assert!(node.is_literal() && problems.is_empty(), "{text}");
    }
}

#[test]
fn references_formats_and_literals() {
    let two = Value::Int(2);
    let cases = [
        (r#"{"$ref":"a.b"}"#, "2"),
        (r#"{"x":{"$ref":"a"},"y":3}"#, r#"{"x":2,"y":3}"#),
        (r#"[{"$ref":"a"},4]"#, "[2,4]"),
        (r#"{"$lit":{"$ref":"a"}}"#, r#"{"$ref":"a"}"#),
        (r#"{"x":{"$lit":{"$lit":1}}}"#, r#"{"x":{"$lit":1}}"#),
        (
            r#"{"$fmt":"n={} {{}}","args":[{"$ref":"a"}]}"#,
            r#""n=2 {}""#,
        ),
        (r#"{"$fmt":"plain"}"#, r#""plain""#),
        (r#"{"$file":{"$ref":"inputs.csv"}}"#, r#"{"$file":2}"#),
    ];
    for (text, expected) in cases {
        assert_eq!(resolve(text, &two), expected, "{text}");
    }
}

/// Case T29: values are data, whatever they look like.
#[test]
fn values_are_never_scanned() {
    let hostile = Value::object([("$ref", "b.secret")]);
    assert_eq!(
        resolve(r#"{"x":{"$ref":"a"}}"#, &hostile),
        r#"{"x":{"$ref":"b.secret"}}"#
    );
    let text = Value::from("$b.x {} {\"$ref\":\"b\"}");
    assert_eq!(
        resolve(r#"{"$fmt":"<{}>","args":[{"$ref":"a"}]}"#, &text),
        r#""<$b.x {} {\"$ref\":\"b\"}>""#
    );
    // A default is data of the plan that stands for a value: it is not looked into either.
    let (node, _) = compile(r#"{"$ref":"a","default":{"$ref":"b"}}"#);
    let references = node.references();
    assert_eq!(references.len(), 1);
    let default = references[0].default.as_ref().unwrap();
    assert_eq!(default.to_string(), r#"{"$ref":"b"}"#);
}

#[test]
fn problems_say_what_to_write() {
    let cases = [
        (
            r#"{"$ref":"a","x":1}"#,
            "no other members than `$ref` and `default`, found `x`",
        ),
        (
            r#"{"$ref":1}"#,
            "expected the text of a reference, found the integer 1",
        ),
        (r#"{"$ref":"a."}"#, "name of a field"),
        (r#"{"$lit":1,"x":2}"#, "no other members than `$lit`"),
        (
            r#"{"$fmt":"{} {}","args":[1]}"#,
            "2 places `{}`, `args` has 1",
        ),
        (r#"{"$fmt":"{"}"#, "a lone brace at position 0"),
        (r#"{"$fmt":1}"#, "expected `$fmt` with a text"),
        (r#"{"$reff":"a"}"#, "did you mean `$ref`?"),
    ];
    for (text, expected) in cases {
        let (_, problems) = compile(text);
        assert!(
            problems.to_string().contains(expected),
            "{text}: {problems}"
        );
    }
}

#[test]
fn a_format_has_a_longest_text() {
    let (node, _) = compile(r#"{"$fmt":"{}{}","args":[{"$ref":"a"},{"$ref":"a"}]}"#);
    let long = Value::from("x".repeat(FORMAT_BYTES_MAX / 2 + 1));
    let err = node.bind(&mut |_| Ok(Some(long.clone()))).unwrap_err();
    assert_eq!(err.code(), tool_core::ErrorCode::LimitExceeded);
}
