//! Limits: time, silence, output, turns, cost; and what is repeated.

use super::*;

fn one(more: &str, script: &str) -> Place {
    place(&format!(
        "[[phases]]\nname = \"p\"\nagents = [\"a\"]\nprompt = \"x\"\n{more}\n{}",
        agent("a", script)
    ))
}

#[test]
fn an_agent_that_meets_a_rate_limit_runs_again() {
    let policy = "retry_policy = { max_retries = 3, waits_s = [0], jitter_s = 0, longest_s = 60 }";
    let script = "echo x >> tries; [ $(wc -l < tries) -ge 3 ] && echo good && exit 0; echo 'HTTP 429 Too Many Requests' >&2; exit 1";
    let place = one(&format!("{policy}\n{WRITES}"), script);
    let done = run(&place, &[]);
    done.expect_code(0);
    assert_eq!(place.read("tries"), "x\nx\nx\n");
    assert_eq!(done.at("/phases/0/agents/0/attempts"), Value::from(3_i64));
    // Without a policy, and for any other failure, once.
    let place = one(WRITES, script);
    assert_eq!(states(run(&place, &[]).expect_code(1), "p"), ["rate_limit"]);
    assert_eq!(place.read("tries"), "x\n");
    let place = one(
        &format!("{policy}\n{WRITES}"),
        "echo x >> tries; echo other >&2; exit 1",
    );
    run(&place, &[]).expect_code(1);
    assert_eq!(place.read("tries"), "x\n");
}

/// The policy of repetition leaves the mode of the phase as it is.
#[test]
fn a_retry_policy_does_not_replace_the_failure_mode() {
    let config = format!(
        "[[phases]]\nname = \"p\"\nagents = [\"bad\", \"good\"]\nfailure_mode = \"continue\"\nretry_policy = {{}}\nprompt = \"x\"\n{}{}",
        agent("bad", "exit 1"),
        agent("good", "echo good"),
    );
    assert_eq!(
        status(run(&place(&config), &[]).expect_code(0), "p"),
        "partial"
    );
}

#[test]
fn a_silent_agent_and_one_that_never_ends_are_stopped() {
    let stalled = run(
        &one("limits = { stall_s = 1 }", "echo begun; exec sleep 600"),
        &[],
    );
    assert_eq!(states(stalled.expect_code(1), "p"), ["stall_timeout"]);
    let late = run(
        &one(
            "limits = { timeout_s = 1 }",
            "while true; do echo on; sleep 0.1; done",
        ),
        &[],
    );
    assert_eq!(states(late.expect_code(1), "p"), ["timeout"]);
}

#[test]
fn output_beyond_the_journal_goes_to_a_file() {
    let place = one("", "seq 1 200000; echo end");
    let done = run(&place, &[]);
    done.expect_code(0);
    let id = done.at("/pipeline");
    let log = place
        .run_as_typed(
            &[
                "--config",
                "team.toml",
                "pipeline",
                "log",
                id.as_str().unwrap(),
            ],
            "",
        )
        .stdout;
    let count = log.lines().filter(|line| line.contains("p/a | ")).count();
    assert!((30_000..100_000).contains(&count), "{count}");
    assert!(
        log.contains("more bytes of output in outputs/p/a.log"),
        "{}",
        &log[log.len() - 500..]
    );
    let spilled = place.read("outputs/p/a.log");
    assert!(spilled.ends_with("200000\nend\n"));
    let first: usize = spilled.lines().next().unwrap().parse().unwrap();
    assert_eq!(first, count, "the file begins where the journal ends");
    assert!(
        place.read("outputs/p/a.md").ends_with("200000\nend\n"),
        "the answer is whole"
    );
}

#[test]
fn a_line_without_an_end_is_an_error_and_not_memory() {
    let place = one(
        "",
        "echo first; head -c 20000000 /dev/zero | tr '\\0' x; sleep 5",
    );
    let done = run(&place, &[]);
    assert_eq!(states(done.expect_code(1), "p"), ["stream_error"]);
    // What it had said until then is kept, the beginning of that line included.
    let answer = place.read("outputs/p/a.md");
    let long = answer.strip_prefix("first\n").expect("the first line");
    assert_eq!(long.trim_end(), "x".repeat(8 << 20));
}

/// A table of an agent whose output has the format of a known command line.
fn spoken(name: &str, lines: &[&str], end: &str) -> String {
    let script: String = lines
        .iter()
        .map(|line| format!("echo {};", quoted(line)))
        .collect();
    format!(
        "{}stream_format = \"claude\"\n",
        agent(name, &format!("{script}{end}"))
    )
}

fn quoted(line: &str) -> String {
    format!("\"{}\"", line.replace('"', "\\\""))
}

fn result(cost: f64) -> String {
    format!(
        r#"{{"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"ok","total_cost_usd":{cost}}}"#
    )
}

const TURN: [&str; 3] = [
    r#"{"type":"assistant","message":{"id":"m1","content":[]}}"#,
    r#"{"type":"assistant","message":{"id":"m2","content":[]}}"#,
    r#"{"type":"assistant","message":{"id":"m3","content":[]}}"#,
];

#[test]
fn turns_are_counted_and_the_agent_is_stopped() {
    let config = |turns: &str| {
        format!(
            "[[phases]]\nname = \"p\"\nagents = [\"a\"]\nprompt = \"x\"\nlimits = {{ max_turns = {turns} }}\n{}",
            spoken("a", &TURN, "exec sleep 60")
        )
    };
    let stopped = run(&place(&config("2")), &[]);
    assert_eq!(states(stopped.expect_code(1), "p"), ["limit"]);
    assert!(
        phase(&stopped, "p")
            .text("reason")
            .unwrap()
            .contains("more than 2 turns"),
        "{}",
        stopped.stdout
    );
    let whole = format!(
        "[pipeline]\nmax_turns = 2\n[[phases]]\nname = \"p\"\nagents = [\"a\"]\nprompt = \"x\"\nlimits = {{ max_turns = 0 }}\n{}",
        spoken("a", &TURN, "exec sleep 60")
    );
    let stopped = run(&place(&whole), &[]);
    assert_eq!(stopped.expect_code(1).at("/state"), Value::from("stopped"));
    assert_eq!(states(&stopped, "p"), ["cancelled"]);
}

#[test]
fn cost_is_summed_and_limits_what_follows() {
    let config = |limits: &str, whole: &str| {
        format!(
            "{whole}[[phases]]\nname = \"p\"\nagents = [\"a\", \"b\"]\nprompt = \"x\"\nfailure_mode = \"continue\"\nlimits = {{ max_turns = 0{limits} }}\n[[phases]]\nname = \"q\"\nagents = [\"b\"]\nprompt = \"x\"\nlimits = {{ max_turns = 0 }}\n{}{}",
            spoken("a", &[&result(0.5)], ""),
            spoken("b", &[&result(0.25)], ""),
        )
    };
    let free = run(&place(&config("", "")), &[]);
    assert_eq!(free.expect_code(0).at("/cost_usd"), Value::from(1.0));
    let phase = run(&place(&config(", max_cost_usd = 0.4", "")), &[]);
    assert_eq!(
        states(phase.expect_code(0), "p"),
        ["done", "limit"],
        "the second is not started"
    );
    assert_eq!(phase.at("/cost_usd"), Value::from(0.75));
    // Where nothing follows in the phase, it has failed, and the next phase does not begin.
    let one = format!(
        "[[phases]]\nname = \"p\"\nagents = [\"a\"]\nprompt = \"x\"\nlimits = {{ max_turns = 0, max_cost_usd = 0.4 }}\n[[phases]]\nname = \"q\"\nagents = [\"a\"]\nprompt = \"x\"\nlimits = {{ max_turns = 0 }}\n{}",
        spoken("a", &[&result(0.5)], ""),
    );
    let over = run(&place(&one), &[]);
    assert_eq!(states(over.expect_code(1), "p"), ["limit"]);
    assert_eq!(status(&over, "q"), "pending");
    let whole = run(&place(&config("", "[pipeline]\nmax_cost_usd = 0.6\n")), &[]);
    whole.expect_code(1);
    assert_eq!(
        (whole.at("/state"), status(&whole, "q")),
        (Value::from("stopped"), "pending".to_owned())
    );
    assert_eq!(whole.at("/cost_usd"), Value::from(0.75));
}
