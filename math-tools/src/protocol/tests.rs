mod legacy;

use tool_core::{ErrorCode, ToolError, Value, json};

use super::work::{LegacyOperation, RequestJob, ResolvedRequest};
use super::{OUTPUT_BYTES_MAX, answer_request};

fn ask(request: &str) -> Value {
    let (line, ok) = answer_request(request.as_bytes());
    assert!(!line.contains('\n'), "one line: {line}");
    let parsed = json::parse_json(&line, json::JsonLimits::default()).expect("the answer is JSON");
    let keys: Vec<&str> = parsed
        .as_object()
        .expect("an object")
        .iter()
        .map(|(key, _)| key)
        .collect();
    assert_eq!(keys, ["status", "result", "error", "stats"], "{line}");
    assert_eq!(
        parsed.get("status").and_then(Value::as_str),
        Some(if ok { "success" } else { "error" })
    );
    assert_eq!(
        parsed.get("error").is_some_and(Value::is_null),
        ok,
        "{line}"
    );
    assert!(
        ok || parsed.get("result").is_some_and(Value::is_null),
        "{line}"
    );
    assert!(
        parsed
            .pointer("/stats/elapsed_ms")
            .and_then(|value| value.as_f64())
            .is_some_and(|ms| ms >= 0.0),
        "{line}"
    );
    parsed
}

fn text(value: &Value, pointer: &str) -> String {
    value
        .pointer(pointer)
        .and_then(|found| found.as_str().map(str::to_owned))
        .unwrap_or_default()
}

/// Code and path of the error to a request, and a word of its message or hint.
fn refused(request: &str, code: &str, path: &str, word: &str) {
    let found = ask(request);
    let (message, hint) = (text(&found, "/error/message"), text(&found, "/error/hint"));
    assert_eq!(text(&found, "/error/code"), code, "{request}: {found}");
    assert_eq!(text(&found, "/error/path"), path, "{request}: {found}");
    assert!(
        format!("{message} {hint}").contains(word),
        "{request}: {found}"
    );
}

#[test]
fn requests_that_are_none() {
    let cases = [
        ("", "invalid_request", "", "empty"),
        (" \n\t ", "invalid_request", "", "empty"),
        ("garbage", "invalid_request", "", "expected a value"),
        ("{", "invalid_request", "", "end of the text"),
        ("[1,2,3]", "invalid_request", "", "object"),
        ("null", "invalid_request", "", "object"),
        ("\"help\"", "invalid_request", "", "object"),
        ("{}", "invalid_request", "/command", "missing"),
        (r#"{"x":1}"#, "invalid_request", "/command", "missing"),
        (r#"{"command":null}"#, "invalid_request", "/command", "null"),
        (r#"{"command":7}"#, "invalid_request", "/command", "7"),
        (
            r#"{"command":["help"]}"#,
            "invalid_request",
            "/command",
            "array",
        ),
        (
            r#"{"command":"help","command":"help"}"#,
            "invalid_request",
            "",
            "duplicate",
        ),
        (
            r#"{"command":"help"} {}"#,
            "invalid_request",
            "",
            "end of the document",
        ),
        (
            r#"{"command":"histogram","data":[NaN]}"#,
            "invalid_request",
            "/data/0",
            "non-finite",
        ),
        (
            r#"{"command":"histogram","data":[1e999]}"#,
            "invalid_request",
            "/data/0",
            "larger than any double",
        ),
        (
            r#"{"command":"histogram","data":[1],"params":{"data":[1]}}"#,
            "invalid_request",
            "/data",
            "one place",
        ),
        (
            r#"{"command":"histogram","params":[1]}"#,
            "invalid_request",
            "/params",
            "object",
        ),
        (
            r#"{"command":"histogram","params":null}"#,
            "invalid_request",
            "/params",
            "null",
        ),
        (
            r#"{"command":"help","timeout_ms":0}"#,
            "invalid_request",
            "/timeout_ms",
            "0",
        ),
        (
            r#"{"command":"help","timeout_ms":1.5}"#,
            "invalid_request",
            "/timeout_ms",
            "1.5",
        ),
        (
            r#"{"command":"help","timeout_ms":"60"}"#,
            "invalid_request",
            "/timeout_ms",
            "60",
        ),
        (r#"{"command":""}"#, "unknown_tool", "/command", "help"),
        (
            r#"{"command":"histogran"}"#,
            "unknown_tool",
            "/command",
            "did you mean `histogram`?",
        ),
        (
            r#"{"command":"matrixop"}"#,
            "unknown_tool",
            "/command",
            "did you mean `matrix_op`?",
        ),
        (
            r#"{"command":"\u0000\u001b[2J"}"#,
            "unknown_tool",
            "/command",
            "no command",
        ),
    ];
    for (request, code, path, word) in cases {
        refused(request, code, path, word);
    }
}

#[test]
fn bytes_that_are_no_text_or_too_deep() {
    let found = answer_request(b"{\"command\":\"\xff\"}").0;
    assert!(found.contains("not UTF-8"), "{found}");
    for deep in [
        "[".repeat(2_000_000),
        format!("{{\"command\":{}", "{\"a\":".repeat(1_000_000)),
    ] {
        let found = ask(&deep);
        assert_eq!(
            text(&found, "/error/code"),
            "limit_exceeded",
            "{}",
            deep.len()
        );
    }
}

#[test]
fn help_lists_every_command_by_name() {
    let found = ask(r#"{"command":"help"}"#);
    let commands = found
        .pointer("/result/commands")
        .and_then(|list| list.items())
        .expect("a list");
    let names: Vec<String> = commands.iter().map(|entry| text(entry, "/name")).collect();
    assert!(names.is_sorted(), "{names:?}");
    for name in [
        "help",
        "histogram",
        "matrix_op",
        "monte_carlo",
        "plot",
        "plot_braille",
        "plot_function",
        "plot_sixel",
    ] {
        assert!(
            names.iter().any(|known| known == name),
            "`{name}` is missing"
        );
    }
    assert!(
        commands
            .iter()
            .all(|entry| !text(entry, "/description").is_empty())
    );
}

#[test]
fn help_describes_one_command() {
    let found = ask(r#"{"command":"help","name":"histogram"}"#);
    assert!(
        found
            .pointer("/result/input_schema/properties/bins/description")
            .is_some(),
        "{found}"
    );
    assert!(
        found.pointer("/result/examples/0/result/counts").is_some(),
        "{found}"
    );
    refused(
        r#"{"command":"help","name":"histogran"}"#,
        "unknown_tool",
        "/name",
        "did you mean `histogram`?",
    );
    refused(
        r#"{"command":"help","nmae":"histogram"}"#,
        "invalid_args",
        "/nmae",
        "did you mean `name`?",
    );
}

#[test]
fn parameters_stand_beside_the_command_or_in_params() {
    let flat = ask(r#"{"command":"histogram","data":[1,2,2],"bins":2,"timeout_ms":1000}"#);
    let nested = ask(r#"{"params":{"data":[1,2,2],"bins":2},"command":"histogram"}"#);
    let text = ask(r#"{"params":"{\"data\":[1,2,2],\"bins\":2}","command":"histogram"}"#);
    assert_eq!(text.get("result"), nested.get("result"));
    assert_eq!(flat.get("result"), nested.get("result"));
    assert_eq!(
        flat.pointer("/result/counts"),
        json::parse_json("[1,2]", json::JsonLimits::default()).ok()
    );
}

#[test]
fn an_unknown_parameter_is_an_error_with_the_nearest_name() {
    refused(
        r#"{"command":"histogram","data":[1],"bin":2}"#,
        "invalid_args",
        "/bin",
        "did you mean `bins`?",
    );
    refused(
        r#"{"command":"plot","x":[1],"y":[1],"heigth":5}"#,
        "invalid_args",
        "/heigth",
        "did you mean `height`?",
    );
    refused(
        r#"{"command":"matrix_op","A":[[1]],"toleranse":5}"#,
        "invalid_args",
        "/toleranse",
        "did you mean `tolerance`?",
    );
    refused(
        r#"{"command":"monte_carlo","operation":"pi","samples":10}"#,
        "invalid_args",
        "/samples",
        "n_samples",
    );
    refused(
        r#"{"command":"mcmc","log_density":"-x0**2","x0":[0],"samples":10}"#,
        "invalid_args",
        "/samples",
        "n_samples",
    );
}

#[test]
fn files_are_not_read() {
    refused(
        r#"{"command":"histogram","data":{"$file":"/etc/passwd"}}"#,
        "invalid_args",
        "/data",
        "reads no files",
    );
}

#[test]
fn formulas_have_the_members_of_the_earlier_commands() {
    let found = ask(r#"{"command":"symbolic_diff","expression":"x**3","order":2}"#);
    assert_eq!(text(&found, "/result/derivative"), "6*x");
    assert_eq!(text(&found, "/result/variable"), "x");
    assert_eq!(text(&found, "/result/latex"), "6 x");
    let found = ask(r#"{"command":"simplify","expression":"(x+1)**2","expand":true}"#);
    assert_eq!(text(&found, "/result/original"), "(x+1)**2");
    assert_eq!(text(&found, "/result/simplified"), "x**2 + 2*x + 1");
}

#[test]
fn plot_has_the_types_and_members_of_the_earlier_command() {
    for (request, lines) in [
        (
            r#"{"command":"plot","x":[1,2],"y":[3,4],"height":5,"title":"t"}"#,
            8,
        ),
        (
            r#"{"command":"plot","type":"line","x":[1,2],"y":[3,4],"height":5,"title":"t"}"#,
            8,
        ),
        (
            r#"{"command":"plot","type":"histogram","data":[3,4],"height":5,"title":"t"}"#,
            8,
        ),
        (
            r#"{"command":"plot","type":"function","function":"sin","height":5,"title":"t"}"#,
            8,
        ),
    ] {
        let found = ask(request);
        assert_eq!(
            text(&found, "/result/plot").lines().count(),
            lines,
            "{found}"
        );
        assert_eq!(text(&found, "/result/format"), "braille");
        assert_eq!(
            found
                .pointer("/result/width")
                .and_then(|width| width.as_i64()),
            Some(80)
        );
    }
    refused(
        r#"{"command":"plot","type":"pie"}"#,
        "invalid_args",
        "/type",
        "scatter, line",
    );
    refused(
        r#"{"command":"plot","type":"lin","x":[1],"y":[1]}"#,
        "invalid_args",
        "/type",
        "did you mean `line`?",
    );
    refused(
        r#"{"command":"plot","type":7}"#,
        "invalid_args",
        "/type",
        "the integer 7",
    );
    refused(
        r#"{"command":"plot_sixel","type":"bar","plot_type":"bar","x":[1],"y":[1]}"#,
        "invalid_args",
        "/type",
        "twice",
    );
    assert_eq!(
        text(
            &ask(r#"{"command":"plot_sixel","type":"bar","x":[1,2],"y":[1,2]}"#),
            "/result/format"
        ),
        "sixel"
    );
}

/// Cases W29 and W32 at the door: empty data is an error, the logarithm on its default range an answer.
#[test]
fn plots_end() {
    refused(
        r#"{"command":"plot","x":[],"y":[]}"#,
        "invalid_args",
        "/x",
        "at least one point",
    );
    let found = ask(r#"{"command":"plot","type":"function","function":"log"}"#);
    assert_eq!(
        found
            .pointer("/result/undefined")
            .and_then(|count| count.as_i64()),
        Some(200),
        "{found}"
    );
}

#[test]
fn a_deadline_ends_a_call() {
    // A thousand million samples of a long expression do not end within 20 ms.
    let expression = vec!["sin(x0)"; 200].join("+");
    let request = format!(
        r#"{{"command":"monte_carlo","expression":"{expression}","samples":1000000000,"timeout_ms":20}}"#
    );
    let found = ask(&request);
    let code = text(&found, "/error/code");
    assert!(code == "timeout" || code == "limit_exceeded", "{found}");
}

#[test]
fn warnings_reach_the_statistics() {
    let found = ask(
        r#"{"command":"mcmc","log_density":"-x0**2/2","x0":[0],"n_samples":50,"burnin":10,"chains":2,"thin":3}"#,
    );
    assert_eq!(
        found
            .pointer("/stats/total_iterations")
            .and_then(|count| count.as_i64()),
        Some(2 * (10 + 3 * 50)),
        "{found}"
    );
    assert_eq!(text(&found, "/status"), "success");
}

#[test]
fn monte_carlo_is_the_tool_or_the_earlier_command() {
    let operations = [
        (
            r#"{"command":"monte_carlo","operation":"pi","n_samples":100000}"#,
            "/result/pi_estimate",
            std::f64::consts::PI,
            0.05,
        ),
        (
            r#"{"command":"monte_carlo","operation":"integrate","bounds":[[0,1]],"function":"x^2"}"#,
            "/result/integral",
            0.333,
            0.03,
        ),
        (
            r#"{"command":"monte_carlo","bounds":[[0,1]],"function":"x^2"}"#,
            "/result/integral",
            0.333,
            0.03,
        ),
        (
            r#"{"command":"monte_carlo","expression":"2*x"}"#,
            "/result/mean",
            1.0,
            0.05,
        ),
    ];
    for (request, pointer, expected, tolerance) in operations {
        let found = ask(request);
        let value = found
            .pointer(pointer)
            .and_then(|value| value.as_f64())
            .unwrap_or(f64::NAN);
        assert!((value - expected).abs() < tolerance, "{request}: {found}");
    }
    refused(
        r#"{"command":"monte_carlo","operation":"pie"}"#,
        "invalid_args",
        "/operation",
        "did you mean `pi`?",
    );
    refused(
        r#"{"command":"monte_carlo","operation":"pi","expression":"x"}"#,
        "invalid_args",
        "/operation",
        "two different",
    );
}

#[test]
fn a_result_over_the_limit_would_be_refused() {
    let done = || {
        Ok(super::CommandOutcome {
            result: Value::from("x".repeat(1000)),
            stats: tool_core::Object::new(),
        })
    };
    let now = std::time::Instant::now();
    let (line, ok) = super::format_answer(done(), now, 1000);
    assert!(
        !ok && line.contains("output_too_large") && line.contains("the limit is 1000"),
        "{line}"
    );
    assert!(super::format_answer(done(), now, OUTPUT_BYTES_MAX).1);
}

/// A command of its own for the guards to hold.
fn guarded(run: super::work::Run, timeout_ms: u64) -> Result<super::CommandOutcome, ToolError> {
    let job = RequestJob::Operation(LegacyOperation {
        run,
        name: "test".to_owned(),
        params: Value::Null,
    });
    let work = ResolvedRequest {
        job,
        timeout_ms: None,
        notes: Vec::new(),
        finish: |_, result, _| result,
    };
    super::run::run_with_deadline(work, timeout_ms)
}

#[test]
fn a_panic_is_an_internal_error_without_its_message() {
    let err = guarded(|_, _, _| panic!("secret argument"), 1000).err();
    let err = err.expect("the panic is reported");
    assert_eq!(err.code(), ErrorCode::Internal);
    assert!(
        !format!("{:?}", err.to_value()).contains("secret"),
        "{err:?}"
    );
    assert!(
        answer_request(br#"{"command":"help"}"#).1,
        "the next call works"
    );
}

#[test]
fn a_loop_that_looks_at_the_flag_ends_at_its_deadline() {
    let err = guarded(
        |_, _, ctx| {
            loop {
                ctx.check()?;
                std::thread::yield_now();
            }
        },
        5,
    );
    assert_eq!(err.err().map(|err| err.code()), Some(ErrorCode::Timeout));
}

#[test]
fn a_call_has_the_stack_it_is_promised() {
    fn deep(level: usize) -> usize {
        let frame = [level; 128]; // a kilobyte, passed by reference: a copy would be another one without optimisation
        let frame = std::hint::black_box(&frame);
        if level == 0 {
            0
        } else {
            deep(level - 1) + frame[level % 128] - level + 1
        }
    }
    let levels = super::STACK_BYTES / 2048;
    let done = guarded(
        |_, _, _| Ok(Value::from(deep(super::STACK_BYTES / 2048))),
        60_000,
    );
    assert_eq!(
        done.ok().and_then(|done| done.result.as_i64()),
        Some(levels as i64)
    );
}
