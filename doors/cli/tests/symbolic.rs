//! Symbolic mathematics by an outside program: a script takes the place of Python, so that it answers as a test wants it.

use tool_core::Value;

use crate::support::{Answer, Place};

/// The configuration of a user who wants SymPy.
const WITH_SYMPY: &str =
    "version = 1\n[code]\npython = \"../python/bin/python3\"\n[symbolic]\nsympy = true\n";
const SQUARE: &str = r#"{"expression": "x^2", "engine": "sympy"}"#;

/// A place whose interpreter of Python is a script that runs `body` for each question, with `message` and the `count` of questions so far.
fn place_with(body: &str) -> Place {
    let place = Place::new();
    write_python(&place, body);
    place.write("mathchain.toml", WITH_SYMPY);
    place
}

fn write_python(place: &Place, body: &str) {
    let program = format!(
        r#"#!/usr/bin/python3 -I
import json, os, sys, time
def say(**message):
    print(json.dumps(message), flush=True)
def rows(*texts):
    say(type="result", id=message["id"], output={{"rows": [[text] for text in texts]}})
count = 0
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        say(type="hello", protocol=1)
    elif message["type"] == "call":
        count += 1
        {body}
"#
    );
    place.write_program("../python/bin/python3", &program);
}

fn integrate(place: &Place, args: &str) -> Answer {
    place.run(&["call", "symbolic_integrate"], args)
}

/// What calls in one process answer, a line each.
fn served(place: &Place, calls: &[&str]) -> Vec<Value> {
    let line = |(id, args): (usize, &&str)| {
        format!("{{\"id\":{id},\"tool\":\"symbolic_integrate\",\"args\":{args}}}\n")
    };
    let lines: String = calls.iter().enumerate().map(line).collect();
    let answer = place.run(&["serve", "--jsonl", "--workers", "1"], &lines);
    let mut found: Vec<Value> = answer
        .stdout
        .lines()
        .map(|line| mathchain::parse_json(line).expect("a line of JSON"))
        .collect();
    found.sort_by_key(|one| one.get("id").and_then(Value::as_i64));
    found
}

fn text(of: &Value, pointer: &str) -> String {
    let found = of.pointer(pointer).unwrap_or_default();
    found.as_str().unwrap_or_default().to_owned()
}

#[test]
fn sympy_answers_once_the_user_wants_it_and_every_answer_is_checked() {
    let place = place_with(r#"rows("v0**3/3") if count > 1 else rows("v0**3")"#);
    let found = served(&place, &[SQUARE, SQUARE]);
    assert_eq!(text(&found[0], "/error/reason"), "unevaluated", "{found:?}");
    // The second question reached the same process.
    assert_eq!(text(&found[1], "/output/antiderivative/text"), "x**3/3");
    assert_eq!(text(&found[1], "/output/engine"), "sympy");
    assert_eq!(text(&found[1], "/metadata/determinism"), "external");
    let record = place.run(
        &["audit", "show", &text(&found[1], "/metadata/call_id")],
        "",
    );
    let record = record.expect_code(0).stdout.clone();
    assert!(record.contains(r#""determinism":"external""#), "{record}");
}

#[test]
fn without_the_configuration_no_program_starts() {
    let place = place_with(r#"rows("v0**3/3")"#);
    place.write(
        "mathchain.toml",
        "version = 1\n[code]\npython = \"../python/bin/python3\"\n",
    );
    let answer = integrate(&place, SQUARE);
    assert_eq!(answer.at("/error/code"), Value::from("precondition_failed"));
    assert_eq!(answer.at("/error/path"), Value::from("/engine"));
    let hint = answer.at("/error/hint").to_string();
    assert!(hint.contains("sympy = true"), "{hint}");
    // `auto` is then what this program answers.
    let refused = integrate(&place, r#"{"expression": "sin(sin(x))", "engine": "auto"}"#);
    assert_eq!(refused.at("/error/reason"), Value::from("unevaluated"));
    let own = integrate(&place, r#"{"expression": "x^2", "engine": "auto"}"#);
    assert_eq!(
        own.expect_code(0).at("/output/engine"),
        Value::from("native")
    );
}

#[test]
fn a_stranger_starts_no_program() {
    let place = Place::of_a_stranger();
    write_python(&place, r#"rows("v0**3/3")"#);
    place.write("mathchain.toml", WITH_SYMPY);
    let answer = integrate(&place, SQUARE);
    assert_eq!(answer.at("/error/code"), Value::from("precondition_failed"));
    let shown = place.run(&["trust", "--show"], "");
    assert!(shown.stdout.contains("symbolic"), "{}", shown.stdout);
}

#[test]
fn native_is_the_default_and_asks_nobody() {
    let place = place_with("os._exit(9)");
    let answer = integrate(&place, r#"{"expression": "x^2"}"#);
    let answer = answer.expect_code(0);
    assert_eq!(
        answer.at("/output/antiderivative/text"),
        Value::from("x**3/3")
    );
    assert!(!answer.stdout.contains("engine"), "{}", answer.stdout);
    assert!(!answer.stdout.contains("determinism"), "{}", answer.stdout);
}

#[test]
fn auto_asks_for_what_this_program_refuses() {
    let place = place_with(r#"rows("sinint(v0)")"#);
    let asked = r#"{"expression": "sin(x)/x", "engine": "auto"}"#;
    let answer = integrate(&place, asked);
    assert_eq!(
        answer.expect_code(0).at("/output/antiderivative/text"),
        Value::from("sinint(x)")
    );
    // What fails there leaves the refusal of this program, with a word about it.
    let place = place_with("os._exit(9)");
    let answer = integrate(&place, r#"{"expression": "sin(sin(x))", "engine": "auto"}"#);
    assert_eq!(answer.at("/error/reason"), Value::from("unevaluated"));
    assert!(
        answer.stdout.contains("SymPy was asked too"),
        "{}",
        answer.stdout
    );
}

#[test]
fn a_crash_a_hang_and_another_form_are_errors_and_the_next_call_is_answered() {
    let long = "print('x' * 5_000_000, flush=True)";
    for (bad, code, reason) in [
        ("os._exit(7)", "tool_error", "engine_crashed"),
        (long, "limit_exceeded", "engine_size"),
        (
            "print('nothing', flush=True)",
            "tool_error",
            "engine_protocol",
        ),
        (
            r#"say(type="result", id=message["id"], output={"answer": 1})"#,
            "tool_error",
            "engine_protocol",
        ),
        (
            r#"say(type="result", id=message["id"], error={"code": "limit_exceeded", "message": "memory"})"#,
            "limit_exceeded",
            "engine_size",
        ),
    ] {
        let body = format!(r#"{bad} if "v0 4" in line else rows("v0**3/3")"#);
        let place = place_with(&body);
        let calls = [r#"{"expression": "x^4", "engine": "sympy"}"#, SQUARE];
        let found = served(&place, &calls);
        assert_eq!(text(&found[0], "/error/code"), code, "{bad}: {found:?}");
        assert_eq!(text(&found[0], "/error/reason"), reason, "{bad}: {found:?}");
        assert_eq!(text(&found[0], "/error/path"), "/engine", "{bad}");
        let next = text(&found[1], "/output/antiderivative/text");
        assert_eq!(next, "x**3/3", "{bad}: {found:?}");
    }
    // A call that hangs ends with its deadline, and its process with it.
    let place = place_with(r#"time.sleep(1000) if "v0 4" in line else rows("v0**3/3")"#);
    place.write(
        "mathchain.toml",
        &format!("{WITH_SYMPY}[limits]\ntimeout_ms = 3000\n"),
    );
    let found = served(
        &place,
        &[r#"{"expression": "x^4", "engine": "sympy"}"#, SQUARE],
    );
    assert_eq!(text(&found[0], "/error/code"), "timeout", "{found:?}");
    let next = text(&found[1], "/output/antiderivative/text");
    assert_eq!(next, "x**3/3", "{found:?}");
}

#[test]
fn python_without_sympy_says_what_to_install() {
    let place = Place::new();
    let program = "#!/usr/bin/python3 -I\nimport json\nfor line in open(0):\n    print(json.dumps({'type': 'hello', 'protocol': 1, 'missing': ['sympy']}), flush=True)\n";
    place.write_program("../python/bin/python3", program);
    place.write("mathchain.toml", WITH_SYMPY);
    let answer = integrate(&place, SQUARE);
    assert_eq!(answer.at("/error/code"), Value::from("precondition_failed"));
    let hint = answer.at("/error/hint").to_string();
    assert!(hint.contains("pip install sympy"), "{hint}");
}

#[test]
fn a_replay_uses_the_recorded_answer_of_an_outside_program() {
    let place = place_with(r#"rows("v0**3/3")"#);
    place.write(
        "plan.yaml",
        "version: 1\nsteps:\n  - {id: own, tool: symbolic_integrate, args: {expression: x^2}}\n  - {id: asked, tool: symbolic_integrate, args: {expression: x^2, engine: sympy}}\noutputs: {value: {$ref: asked.antiderivative.text}}\n",
    );
    let ran = place.run(&["run", "plan.yaml"], "");
    assert_eq!(
        ran.expect_code(0).at("/output/outputs/value"),
        Value::from("x**3/3")
    );
    write_python(&place, "os._exit(9)");
    let again = place.run(&["--json", "replay", "--last"], "");
    again.expect_code(0);
    assert_eq!(again.at("/taken"), Value::from(1_i64));
    assert_eq!(again.at("/computed"), Value::from(1_i64));
}

/// SymPy itself, where an interpreter of the machine has it: `MATHCHAIN_TEST_SYMPY` names one, else `python3` is tried.
#[test]
#[expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "a test is told of an interpreter, and says why it is skipped"
)]
fn sympy_itself_answers_what_this_program_refuses() {
    let named =
        std::env::var("MATHCHAIN_TEST_SYMPY").unwrap_or_else(|_| "/usr/bin/python3".to_owned());
    let tried = std::process::Command::new(&named)
        .args(["-I", "-c", "import sympy"])
        .stderr(std::process::Stdio::null())
        .status();
    if !tried.is_ok_and(|status| status.success()) {
        eprintln!(
            "skipped: `{named}` has no SymPy; MATHCHAIN_TEST_SYMPY names an interpreter that has"
        );
        return;
    }
    let place = Place::new();
    let config = format!("version = 1\n[code]\npython = \"{named}\"\n[symbolic]\nsympy = true\n");
    place.write("mathchain.toml", &config);
    for (tool, args, pointer, wanted) in [
        (
            "symbolic_integrate",
            r#"{"expression": "x*erf(x)", "engine": "sympy"}"#,
            "/output/engine",
            "sympy",
        ),
        (
            "symbolic_sum",
            r#"{"expression": "1/(k^2+1)", "from": "1", "to": "inf", "engine": "auto"}"#,
            "/output/engine",
            "sympy",
        ),
        (
            "symbolic_solve",
            r#"{"equations": "x*exp(x) = 2", "engine": "sympy"}"#,
            "/output/solutions/0/values/x",
            "lambertw(2)",
        ),
        (
            "symbolic_limit",
            r#"{"expression": "(1+1/x)^x", "point": "inf", "engine": "sympy"}"#,
            "/output/limit/text",
            "e",
        ),
        (
            "symbolic_ode",
            r#"{"equation": "y' = y*cos(x)", "conditions": "y(0) = 2", "engine": "sympy"}"#,
            "/output/solutions/0/value",
            "2*exp(sin(x))",
        ),
        (
            "symbolic_series",
            r#"{"expression": "sin(x)", "order": 4, "engine": "sympy"}"#,
            "/output/series/text",
            "x - x**3/6",
        ),
        (
            "symbolic_simplify",
            r#"{"expression": "sin(x)^2 + cos(x)^2", "engine": "sympy"}"#,
            "/output/result/text",
            "1",
        ),
    ] {
        let answer = place.run(&["call", tool], args);
        assert_eq!(
            answer.expect_code(0).at(pointer),
            Value::from(wanted),
            "{tool}"
        );
    }
}
