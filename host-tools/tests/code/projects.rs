//! Programs that may be missing: Python, ruff, and the runners of tests.

use std::sync::Arc;

use tool_core::{Capabilities, ErrorCode, StopFlag, ToolError, Value, json};

use super::{Place, text};

crate::trials!(
    without_python_the_error_names_calculate,
    without_ruff_the_error_says_how_to_get_it,
    ruff_is_given_text_and_no_configuration,
    the_runner_of_tests_is_found_by_its_files,
    tests_of_a_project_are_counted,
);

/// A spawner that finds nothing.
struct Nothing;

impl tool_core::capability::Spawner for Nothing {
    fn run(
        &self,
        _: &tool_core::command::SandboxCommand,
        _: &StopFlag,
    ) -> Result<tool_core::command::CommandOutput, ToolError> {
        panic!("nothing can be run")
    }

    fn find(&self, _: &str) -> Option<tool_core::command::SandboxProgram> {
        None
    }

    fn home(&self) -> Option<std::path::PathBuf> {
        None
    }
}

fn bare() -> Place {
    let mut place = Place::new();
    place.ctx = place.ctx.with_capabilities(Capabilities {
        spawner: Some(Arc::new(Nothing)),
        ..Capabilities::default()
    });
    place
}

fn without_python_the_error_names_calculate() {
    let place = bare();
    for (tool, args) in [
        ("python_eval", r#"{"expression":"1"}"#),
        ("python_run", r#"{"code":"1"}"#),
    ] {
        let err = place.error(tool, args);
        assert_eq!(
            (err.code(), err.reason_str()),
            (ErrorCode::PreconditionFailed, Some("python"))
        );
        assert!(
            err.hint_str()
                .is_some_and(|hint| hint.contains("`calculate`")),
            "{err:?}"
        );
    }
}

fn without_ruff_the_error_says_how_to_get_it() {
    let place = bare();
    for tool in ["lint_python", "format_python"] {
        let err = place.error(tool, r#"{"code":"1"}"#);
        assert_eq!(
            (err.code(), err.reason_str()),
            (ErrorCode::PreconditionFailed, Some("ruff"))
        );
        assert!(
            err.hint_str()
                .is_some_and(|hint| hint.contains("pip install ruff")),
            "{err:?}"
        );
    }
}

/// In place of ruff stands a script that says what it was given, in ruff's words.
const RUFF: &str = r#"#!/bin/sh
code=$(cat)
case "$*" in
*"--isolated --no-cache --stdin-filename code.py"*) ;;
*) echo "no isolation: $*" >&2; exit 2 ;;
esac
case "$code" in *BROKEN*) echo "error: Failed to parse code.py:1:1: no" >&2; exit 2 ;; esac
case "$1 $2" in
"check --fix-only") echo "fixed" ;;
"check --output-format=json")
    case "$code" in
    fixed) echo "[]" ;;
    *)
        echo '[{"code":"F401","message":"unused","location":{"row":1,"column":8},"end_location":{"row":1,"column":10},"fix":{"applicability":"safe"},"url":"https://example.org/F401"},'
        echo '{"code":null,"message":"SyntaxError","location":{"row":2,"column":1},"fix":null,"url":null}]'
        exit 1 ;;
    esac ;;
"format --isolated") echo "formatted $*" ;;
esac
"#;

fn ruff_is_given_text_and_no_configuration() {
    // A ruff of the system would be found first.
    if ["/usr/local/bin/ruff", "/usr/bin/ruff", "/bin/ruff"]
        .iter()
        .any(|path| std::path::Path::new(path).exists())
    {
        return;
    }
    let place = Place::new();
    place.put("bin/ruff", RUFF);
    let output = place.output(
        "lint_python",
        r#"{"code":"import os\n","fix":true,"select":["F","E501"]}"#,
    );
    let issue = |index: usize, member: &str| {
        output
            .pointer(&format!("/issues/{index}/{member}"))
            .as_ref()
            .map(json::to_text)
    };
    assert_eq!(issue(0, "code").as_deref(), Some(r#""F401""#));
    assert_eq!(
        (
            issue(0, "fixable").as_deref(),
            issue(1, "fixable").as_deref()
        ),
        (Some("true"), Some("false"))
    );
    assert_eq!(
        (issue(1, "code").as_deref(), issue(1, "line").as_deref()),
        (Some(r#""syntax""#), Some("2"))
    );
    assert_eq!(text(&output, "fixed_code"), "fixed\n");
    assert_eq!(
        output.get("summary").map(json::to_text).as_deref(),
        Some(r#"{"total":2,"fixable":1,"remaining":0}"#)
    );
    let output = place.output("format_python", r#"{"code":"x","line_length":100}"#);
    assert!(text(&output, "formatted").contains("--line-length=100 -"));
    for (tool, args, path) in [
        ("format_python", r#"{"code":"BROKEN"}"#, "/code"),
        (
            "lint_python",
            r#"{"code":"x","select":["--config=x"]}"#,
            "/select/0",
        ),
        (
            "lint_python",
            r#"{"code":"x","select":["F","f,E"]}"#,
            "/select/1",
        ),
    ] {
        let err = place.error(tool, args);
        assert_eq!(
            (err.code(), err.path()),
            (ErrorCode::InvalidArgs, Some(path)),
            "{args}"
        );
    }
}

fn the_runner_of_tests_is_found_by_its_files() {
    let place = Place::new();
    let err = place.error("run_tests", "{}");
    assert_eq!(
        (err.code(), err.path()),
        (ErrorCode::PreconditionFailed, Some("/runner"))
    );
    place.put("workspace/both/Cargo.toml", "");
    place.put("workspace/both/package.json", "{}");
    let err = place.error("run_tests", r#"{"cwd":"both"}"#);
    assert!(err.message().contains("cargo and npm"), "{err:?}");
    for args in [
        r#"{"argv":["true"],"runner":"go"}"#,
        r#"{"cwd":".."}"#,
        r#"{"cwd":"nowhere"}"#,
    ] {
        place.error("run_tests", args);
    }
}

/// A runner of tests that is a script: what it is called with, what it prints, and what it may not do.
fn tests_of_a_project_are_counted() {
    let place = Place::new();
    place.put("bin/pytest", "#!/bin/sh\necho \"$* in $(pwd)\"\ntouch made && echo ESCAPED\necho '=== 1 failed, 2 passed, 1 skipped in 0.1s ==='\nexit 1\n");
    place.put("workspace/project/test_a.py", "");
    if std::path::Path::new("/usr/bin/pytest").exists() {
        return;
    }
    let output = place.output("run_tests", r#"{"cwd":"project","args":["-k","fast"]}"#);
    let count = |member: &str| output.get(member).and_then(Value::as_i64);
    assert_eq!(
        (count("passed"), count("failed"), count("skipped")),
        (Some(2), Some(1), Some(1))
    );
    assert_eq!(output.get("success").and_then(Value::as_bool), Some(false));
    assert_eq!(text(&output, "runner"), "pytest");
    let said = text(&output, "stdout");
    assert!(
        said.contains("no:cacheprovider --color=no -k fast in ")
            && said.contains("/workspace/project\n"),
        "{said}"
    );
    assert!(!said.contains("ESCAPED"));
    let output = place.output(
        "run_tests",
        r#"{"argv":["sh","-c","seq 1000"],"max_output_bytes":9}"#,
    );
    assert_eq!(text(&output, "stdout"), "999\n1000\n");
    assert_eq!(
        output.get("stdout_truncated").and_then(Value::as_bool),
        Some(true)
    );
    assert!(output.get("passed").is_some_and(Value::is_null));
}
