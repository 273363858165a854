//! The binary `math-tools`, run as it is: what it prints, and how it ends.

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use tool_core::{Value, json};

fn run(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_math-tools"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    // A binary that answers without reading (`--help`) may close its input first.
    let _ = stdin.write_all(input);
    drop(stdin);
    child.wait_with_output().expect("the binary ends")
}

/// Runs a request: one line of JSON with the four members, exit 0 or 1 by its status, nothing on standard error.
fn ask(input: &[u8]) -> Value {
    let shown = String::from_utf8_lossy(&input[..input.len().min(200)]).into_owned();
    let output = run(&[], input);
    let stdout = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(
        stdout.ends_with('\n') && stdout.matches('\n').count() == 1,
        "{shown}: {stdout:?}"
    );
    assert!(
        output.stderr.is_empty(),
        "{shown}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    let answer = json::parse_json(&stdout, json::JsonLimits::default())
        .unwrap_or_else(|err| panic!("{shown}: {err}: {stdout}"));
    let keys: Vec<&str> = answer
        .as_object()
        .expect("an object")
        .iter()
        .map(|(key, _)| key)
        .collect();
    assert_eq!(keys, ["status", "result", "error", "stats"], "{shown}");
    let success = answer.get("status").and_then(Value::as_str) == Some("success");
    assert_eq!(
        output.status.code(),
        Some(if success { 0 } else { 1 }),
        "{shown}: {stdout}"
    );
    answer
}

fn code(answer: &Value) -> String {
    answer
        .pointer("/error/code")
        .and_then(|code| code.as_str().map(str::to_owned))
        .unwrap_or_default()
}

#[test]
fn a_success_and_both_kinds_of_error_have_one_shape() {
    let success = ask(br#"{"command":"histogram","data":[1,2,3],"bins":3}"#);
    assert_eq!(
        success
            .pointer("/result/n_bins")
            .and_then(|bins| bins.as_i64()),
        Some(3)
    );
    assert_eq!(
        code(&ask(br#"{"command":"histogram","data":[]}"#)),
        "invalid_args"
    );
    assert_eq!(code(&ask(br#"{"command":"nothing"}"#)), "unknown_tool");
    assert_eq!(code(&ask(b"")), "invalid_request");
}

#[test]
fn nasty_input_never_breaks_it() {
    let megabyte = vec![b' '; 1 << 20];
    let deep = b"[".repeat(2_000_000);
    let deep_objects = br#"{"command":"#.repeat(100_000);
    let long_command = format!(r#"{{"command":"{}"}}"#, "x".repeat(1 << 20)).into_bytes();
    let many_members = format!(
        "{{{}}}",
        (0..50_000)
            .map(|i| format!("\"k{i}\":{i}"))
            .collect::<Vec<_>>()
            .join(",")
    )
    .into_bytes();
    let deep_expression = format!(
        r#"{{"command":"plot_function","function":"{}"}}"#,
        "(".repeat(100_000)
    )
    .into_bytes();
    let deep_data = format!(
        r#"{{"command":"plot_braille","x":[1],"y":{}1{}}}"#,
        "[".repeat(100),
        "]".repeat(100)
    )
    .into_bytes();
    let cases: Vec<(&[u8], &str)> = vec![
        (b"\xff\xfe{}", "invalid_request"),
        (b"\0", "invalid_request"),
        (b"\xef\xbb\xbf{\"command\":\"help\"}", "invalid_request"),
        (&megabyte, "invalid_request"),
        (&deep, "limit_exceeded"),
        (&deep_objects, "limit_exceeded"),
        (&long_command, "unknown_tool"),
        (&many_members, "invalid_request"),
        (&deep_expression, "invalid_args"),
        (&deep_data, "invalid_args"),
        (b"[]", "invalid_request"),
        (b"true", "invalid_request"),
        (b"{\"command\":{}}", "invalid_request"),
        (
            b"{\"command\":\"histogram\",\"data\":[NaN]}",
            "invalid_request",
        ),
        (
            b"{\"command\":\"histogram\",\"data\":[-Infinity]}",
            "invalid_request",
        ),
        (
            b"{\"command\":\"histogram\",\"data\":[1e400]}",
            "invalid_request",
        ),
        (
            b"{\"command\":\"histogram\",\"data\":\"abc\"}",
            "invalid_args",
        ),
        (
            b"{\"command\":\"histogram\",\"data\":[1],\"bins\":1e300}",
            "invalid_args",
        ),
        (
            b"{\"command\":\"histogram\",\"data\":[1],\"bins\":-1}",
            "invalid_args",
        ),
        (
            b"{\"command\":\"plot_sixel\",\"x\":[1],\"y\":[1],\"width\":100000}",
            "invalid_args",
        ),
        (b"{\"command\":\"\xed\xa0\x80\"}", "invalid_request"),
        (b"{\"command\":\"\\ud800\"}", "invalid_request"),
    ];
    for (input, expected) in cases {
        let answer = ask(input);
        assert_eq!(
            code(&answer),
            expected,
            "{}",
            String::from_utf8_lossy(&input[..input.len().min(80)])
        );
    }
}

#[test]
fn the_command_line_has_help_and_a_version() {
    for flag in ["--help", "-h"] {
        let output = run(&[flag], b"");
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        assert_eq!(output.status.code(), Some(0));
        assert!(
            text.contains("no role, no policy") && text.contains("\"command\":\"help\""),
            "{text}"
        );
    }
    let version = run(&["--version"], b"").stdout;
    assert_eq!(
        String::from_utf8_lossy(&version),
        format!("math-tools {}\n", env!("CARGO_PKG_VERSION"))
    );
    let unknown = run(&["--hlep"], b"");
    assert_eq!(unknown.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&unknown.stdout).contains("unknown argument `--hlep`"));
}

/// The examples of `--help`, as they stand there.
#[test]
fn the_examples_of_the_help_text_answer() {
    let requests: Vec<&str> = math_tools::protocol::HELP
        .lines()
        .filter_map(|line| {
            line.trim()
                .strip_prefix("echo '")?
                .strip_suffix("' | math-tools")
        })
        .collect();
    assert_eq!(requests.len(), 6);
    for request in requests {
        let answer = ask(request.as_bytes());
        assert_eq!(
            answer.get("status").and_then(Value::as_str),
            Some("success"),
            "{request}: {answer}"
        );
    }
}

#[cfg(unix)]
#[test]
fn a_reader_that_has_gone_is_no_crash() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_math-tools"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin
        .write_all(br#"{"command":"help"}"#)
        .expect("the request is sent");
    drop(stdin);
    let output = child.wait_with_output().expect("the binary ends");
    assert_eq!(output.status.code(), Some(1));
    assert!(
        output.stderr.is_empty(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[cfg(unix)]
#[test]
fn standard_input_that_cannot_be_read_is_answered() {
    let folder = std::fs::File::open("/").expect("the root folder opens");
    let output = Command::new(env!("CARGO_BIN_EXE_math-tools"))
        .stdin(folder)
        .output()
        .expect("the binary ends");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stdout).contains("cannot be read"));
}
