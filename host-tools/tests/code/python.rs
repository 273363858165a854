//! Python: expressions and scripts.

use tool_core::{ErrorCode, Value, json};

use super::{Place, text};

crate::trials!(
    python_eval_gives_values_as_json,
    python_eval_words_what_went_wrong,
    python_eval_sees_no_files,
    python_run_runs_a_script,
);

fn python_eval_gives_values_as_json() {
    let place = Place::new();
    for (expression, value, kind) in [
        ("1 + 1", "2", "int"),
        ("2**60", r#""1152921504606846976""#, "int"),
        ("0.1 + 0.2", "0.30000000000000004", "float"),
        ("(1, 'a', None, True)", r#"[1,"a",null,true]"#, "tuple"),
        (
            "{'a': [1.5, float('inf')]}",
            r#"{"a":[1.5,"Infinity"]}"#,
            "dict",
        ),
        ("float('nan')", r#""NaN""#, "float"),
        ("'é' * 2", r#""éé""#, "str"),
        (
            "[math.factorial(n) for n in range(5)]",
            "[1,1,2,6,24]",
            "list",
        ),
        ("statistics.median([3, 1, 2])", "2", "int"),
        ("(lambda k: k * x)(2)", "84", "int"),
        (
            "[x for x in re.findall('[a-z]', 'a1b')]",
            r#"["a","b"]"#,
            "list",
        ),
        (
            "fractions.Fraction(1, 3) == fractions.Fraction(2, 6)",
            "true",
            "bool",
        ),
        (
            "datetime.date(2024, 2, 29).isoformat()",
            r#""2024-02-29""#,
            "str",
        ),
    ] {
        let args = Value::object([
            ("expression", Value::from(expression)),
            ("variables", Value::object([("x", Value::from(42_i64))])),
        ]);
        let output = place.output("python_eval", &json::to_text(&args));
        assert_eq!(
            output.get("value").map(json::to_text).as_deref(),
            Some(value),
            "{expression}"
        );
        assert_eq!(text(&output, "type"), kind, "{expression}");
    }
    let output = place.output("python_eval", r#"{"expression":"print('said') or 5"}"#);
    assert_eq!(
        (
            text(&output, "printed").as_str(),
            output.get("value").and_then(Value::as_i64)
        ),
        ("said\n", Some(5))
    );
}

fn python_eval_words_what_went_wrong() {
    let place = Place::new();
    for (args, code, reason) in [
        (
            r#"{"expression":"1/0"}"#,
            ErrorCode::ToolError,
            Some("exception"),
        ),
        (
            r#"{"expression":"1 +"}"#,
            ErrorCode::InvalidArgs,
            Some("syntax"),
        ),
        (
            r#"{"expression":"import os"}"#,
            ErrorCode::InvalidArgs,
            Some("syntax"),
        ),
        (
            r#"{"expression":"{1, 2}"}"#,
            ErrorCode::ToolError,
            Some("not_json"),
        ),
        (
            r#"{"expression":"exit()"}"#,
            ErrorCode::ToolError,
            Some("exception"),
        ),
        (
            r#"{"expression":"bytearray(2 << 30)"}"#,
            ErrorCode::LimitExceeded,
            Some("memory"),
        ),
        (
            r#"{"expression":"1","variables":{"sum":3}}"#,
            ErrorCode::InvalidArgs,
            None,
        ),
        (
            r#"{"expression":"1","variables":{"a b":3}}"#,
            ErrorCode::InvalidArgs,
            None,
        ),
        (
            r#"{"expression":"1","variables":[1]}"#,
            ErrorCode::InvalidArgs,
            None,
        ),
        (
            r#"{"expression":"x"}"#,
            ErrorCode::ToolError,
            Some("exception"),
        ),
        (
            r#"{"expression":"sum(itertools.count())","timeout":1}"#,
            ErrorCode::Timeout,
            None,
        ),
        (
            r#"{"expression":"'a' * 5000000"}"#,
            ErrorCode::OutputTooLarge,
            None,
        ),
        (
            r#"{"expression":"__import__('os')._exit(3)"}"#,
            ErrorCode::ToolError,
            Some("python"),
        ),
        (
            r#"{"expression":"__import__('os').kill(__import__('os').getpid(), 9)"}"#,
            ErrorCode::ToolError,
            Some("python"),
        ),
    ] {
        let err = place.error("python_eval", args);
        assert_eq!(
            (err.code(), err.reason_str()),
            (code, reason),
            "{args}: {err:?}"
        );
    }
}

/// The escape that `eval` with empty builtins had, and plain reading.
fn python_eval_sees_no_files() {
    let place = Place::new();
    let notes = place.folder.path().join("workspace/notes.txt");
    for path in ["/etc/shadow", "/etc/passwd", notes.to_str().expect("UTF-8")] {
        let err = place.error(
            "python_eval",
            &format!(r#"{{"expression":"open('{path}').read()"}}"#),
        );
        assert!(err.message().starts_with("PermissionError"), "{err:?}");
    }
    let walk = r#"{"expression":"[c for c in ().__class__.__base__.__subclasses__() if c.__name__ == 'Popen'] or __import__('subprocess').check_output(['cat', '/etc/shadow'])"}"#;
    assert_eq!(
        place.error("python_eval", walk).reason_str(),
        Some("exception")
    );
}

fn python_run_runs_a_script() {
    let place = Place::new();
    let output = place.output(
        "python_run",
        r#"{"code":"import sys, os\nopen(os.environ['HOME'] + '/a', 'w').write('x')\nprint(sys.argv[1:], sys.stdin.read())\nsys.exit(2)","args":["-x","b"],"stdin":"in"}"#,
    );
    assert_eq!(text(&output, "stdout"), "['-x', 'b'] in\n");
    assert_eq!(output.get("returncode").and_then(Value::as_i64), Some(2));
    let output = place.output("python_run", r#"{"code":"open('notes.txt', 'w')"}"#);
    let refused = text(&output, "stderr");
    assert!(
        refused.contains("PermissionError") || refused.contains("Read-only"),
        "{refused}"
    );
    let long = format!(r#"{{"code":"{}"}}"#, "#".repeat(100_001));
    assert_eq!(
        place.error("python_run", &long).code(),
        ErrorCode::LimitExceeded
    );
}
