use std::collections::HashMap;

use tool_core::Value;

use crate::support::Place;

#[test]
fn every_line_is_answered_and_bad_ones_too() {
    let place = Place::new();
    let input = "{\"id\":1,\"tool\":\"statistics\",\"args\":{\"data\":[1,2,3,4]}}\ngarbage\n{\"id\":2,\"tool\":\"nope\",\"args\":{}}\n{\"id\":3,\"tool\":\"statistics\",\"args\":{\"data\":[1]},\"role\":\"worker_math\"}\n";
    let answer = place.run(&["serve", "--jsonl"], input);
    answer.expect_code(0);
    let answers: HashMap<String, Value> = answer
        .stdout
        .lines()
        .map(|line| mathchain::parse(line).expect("JSON"))
        .map(|line| (line.get("id").expect("an id").to_string(), line))
        .collect();
    assert_eq!(answers.len(), 4);
    assert_eq!(
        answers["1"].pointer("/output/mean"),
        Some(Value::Float(2.5))
    );
    assert_eq!(
        answers["2"].pointer("/error/code"),
        Some(Value::from("unknown_tool"))
    );
    assert_eq!(
        answers["3"].pointer("/error/code"),
        Some(Value::from("policy_denied"))
    );
    assert_eq!(
        answers["null"].pointer("/metadata/line"),
        Some(Value::Int(2))
    );
}

#[test]
fn roles_are_allowed_at_the_start_only() {
    let place = Place::new();
    let line = "{\"id\":1,\"tool\":\"write_file\",\"args\":{\"path\":\"a\",\"content\":\"b\"},\"role\":\"worker_math\"}\n";
    let answer = place.run(
        &["serve", "--jsonl", "--roles", "worker_math,frontdoor"],
        line,
    );
    assert_eq!(
        answer.expect_code(0).at("/error/code"),
        Value::from("not_visible")
    );
    place
        .run(&["serve", "--jsonl", "--roles", "worker_maths"], line)
        .expect_code(3);
    let smuggled = "{\"id\":1,\"tool\":\"statistics\",\"args\":{\"data\":[1],\"role\":\"operator\",\"yes\":true}}\n";
    let answer = place.run(&["serve", "--jsonl", "--role", "worker_math"], smuggled);
    assert_eq!(
        answer.expect_code(0).at("/error/code"),
        Value::from("invalid_args")
    );
    assert_eq!(answer.at("/metadata/role"), Value::from("worker_math"));
}

#[test]
fn a_thousand_lines_keep_their_ids() {
    let place = Place::new();
    let input: String = (0..1000).map(|id| format!("{{\"id\":{id},\"tool\":\"statistics\",\"args\":{{\"data\":[{id}],\"metrics\":[\"mean\"]}}}}\n")).collect();
    let answer = place.run(&["serve", "--jsonl", "--workers", "8"], &input);
    let mut seen = vec![false; 1000];
    for line in answer.expect_code(0).stdout.lines() {
        let line = mathchain::parse(line).expect("JSON");
        let id = line.get("id").and_then(Value::as_i64).expect("an id");
        assert_eq!(
            line.pointer("/output/mean").and_then(|mean| mean.as_f64()),
            Some(id as f64)
        );
        seen[id as usize] = true;
    }
    assert!(seen.iter().all(|&seen| seen));
    let audit = place.run(&["audit", "verify"], "");
    assert_eq!(audit.expect_code(0).at("/sound"), Value::Bool(true));
    assert!(audit.at("/records").as_i64().expect("a count") >= 1000);
}
