//! Limits of rules as an operator meets them: over processes, in plans, and in explanations.

use std::io::Write as _;

use tool_core::Value;

use crate::support::{Answer, Place};

fn limited(tool: &str, limit: &str) -> Place {
    let place = Place::new();
    let config = format!(
        "version = 1\n[[policies]]\nlevel = \"global\"\n[[policies.rules]]\nmatch = {{ tools = [\"{tool}\"] }}\n\
         decision = \"allow\"\nlimit = {{ {limit} }}\n"
    );
    place.write("mathchain.toml", &config);
    place
}

const ONE: &str = r#"{"expression":"1+1"}"#;

fn passes(answers: &str) -> usize {
    let lines = answers.lines().filter(|line| !line.is_empty());
    let answers = lines.map(|line| mathchain::parse_json(line).expect("JSON"));
    let is_ok = |answer: &Value| match answer.pointer("/ok") {
        Some(Value::Bool(true)) => true,
        _ => {
            let reason = answer.pointer("/error/reason");
            assert_eq!(reason, Some(Value::from("limit")), "{answer}");
            false
        }
    };
    answers.filter(is_ok).count()
}

/// Two servers with many calls each race for the places of a limit.
#[test]
fn two_processes_share_the_places_of_a_limit() {
    let place = limited("calculate", "calls = 30, per = \"1h\"");
    let calls = |from: usize| {
        let line = |id: usize| format!("{{\"id\":{id},\"tool\":\"calculate\",\"args\":{ONE}}}\n");
        (from..from + 25).map(line).collect::<String>()
    };
    let mut racing: Vec<_> = (0..2)
        .map(|_| {
            place
                .command(&["serve", "--jsonl"])
                .spawn()
                .expect("starts")
        })
        .collect();
    for (number, child) in racing.iter_mut().enumerate() {
        let mut stdin = child.stdin.take().expect("piped");
        stdin
            .write_all(calls(number * 100).as_bytes())
            .expect("takes it");
    }
    let passed = racing.into_iter().map(|child| {
        let answer = Answer::of(&child.wait_with_output().expect("ends"));
        passes(&answer.stdout)
    });
    assert_eq!(passed.sum::<usize>(), 30);
    // A third process, after both: the counts survive.
    let late = place.run(&["call", "calculate"], ONE);
    assert_eq!(late.at("/error/reason"), Value::from("limit"));
    assert_eq!(late.at("/error/evidence/used"), Value::from(30.0));
    place.run(&["audit", "verify"], "").expect_code(0);
}

#[test]
fn an_explanation_shows_the_present_count_and_counts_nothing() {
    let place = limited("calculate", "calls = 1, per = \"1h\", by = \"role\"");
    let explain = ["policy", "explain", "operator", "calculate", "--args", ONE];
    let before = place.run(&explain, "");
    assert_eq!(before.expect_code(0).at("/decision"), Value::from("allow"));
    assert_eq!(before.at("/limits/0/used"), Value::from(0.0));
    place.run(&["call", "calculate"], ONE).expect_code(0);
    let after = place.run(&explain, "");
    assert_eq!(after.expect_code(0).at("/decision"), Value::from("deny"));
    assert_eq!(after.at("/limits/0/used"), Value::from(1.0));
    assert_eq!(after.at("/limits/0/limit/per"), Value::from("1h"));
    let text = place.run_as_typed(&explain, "");
    assert!(
        text.stdout
            .contains("1 of 1 calls in 1h by role `operator`"),
        "{}",
        text.stdout
    );
}

#[test]
fn each_step_of_a_plan_is_counted() {
    let place = limited("calculate", "calls = 2, per = \"1h\"");
    let step =
        |id: &str| format!("  - {{id: {id}, tool: calculate, args: {{expression: \"1+1\"}}}}\n");
    let plan = ["a", "b", "c"].map(step).concat();
    place.write(
        "plan.yaml",
        &format!("version: 1\nid: three\nmode: seq\nsteps:\n{plan}"),
    );
    let run = place.run(&["run", "plan.yaml"], "");
    assert_ne!(run.code, 0, "{}", run.stdout);
    assert!(
        run.stdout.contains("\"limit\"") || run.stderr.contains("2 of 2 calls"),
        "{} {}",
        run.stdout,
        run.stderr
    );
    let listed = place.run(&["audit", "list", "--tool", "calculate"], "");
    let records = listed.expect_code(0).json().items().expect("records");
    let counted = records
        .iter()
        .filter(|one| one.pointer("/record/counted") == Some(Value::Bool(true)));
    assert_eq!(counted.count(), 2);
}

#[test]
fn without_a_state_folder_a_limited_call_is_denied() {
    let place = limited("calculate", "calls = 5, per = \"1h\"");
    place.write(".mathchain", "a file where the state would be");
    let denied = place.run(&["call", "calculate"], ONE);
    assert_eq!(
        denied.at("/error/reason"),
        Value::from("limit"),
        "{}",
        denied.stderr
    );
}
