use std::collections::HashMap;

use tool_core::Value;

use crate::support::{Place, Served};

#[test]
fn every_line_is_answered_and_bad_ones_too() {
    let place = Place::new();
    let input = "{\"id\":1,\"tool\":\"statistics\",\"args\":{\"data\":[1,2,3,4]}}\ngarbage\n{\"id\":2,\"tool\":\"nope\",\"args\":{}}\n{\"id\":3,\"tool\":\"statistics\",\"args\":{\"data\":[1]},\"role\":\"worker_math\"}\n";
    let answer = place.run(&["serve", "--jsonl"], input);
    answer.expect_code(0);
    let answers: HashMap<String, Value> = answer
        .stdout
        .lines()
        .map(|line| mathchain::parse_json(line).expect("JSON"))
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
        let line = mathchain::parse_json(line).expect("JSON");
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

const BUDGET: &str = r#"version = 1
[budgets.bugfix]
read = 3
write = 4
[limits]
timeout_ms = @
"#;
const WRITE: &str = r#"{"path":"out.txt","content":"new","mode":"append"}"#;

fn reason(answer: &Value) -> Value {
    answer.pointer("/error/reason").unwrap_or_default()
}

/// What a session has used stays used and what a person recorded holds, whatever is read again.
#[test]
fn budgets_and_recorded_rules_outlive_a_reload() {
    let place = Place::new();
    let configure = |timeout: &str| place.replace("mathchain.toml", &BUDGET.replace('@', timeout));
    configure("50000");
    place.write("out.txt", "old");
    let mut served = Served::start(&place, &["--task", "bugfix", "--workers", "1"]);
    let written = |served: &mut Served, wanted: bool| {
        let answer = served.call_with("write_file", WRITE);
        let status = answer
            .get("status")
            .and_then(Value::as_str)
            .unwrap_or_default();
        assert_eq!(status == "success", wanted, "{answer}");
        answer
    };
    let read = |served: &mut Served| served.call_with("read_file", r#"{"path":"out.txt"}"#);

    // A rule that a person records meanwhile is taken up without a word of the configuration, for more calls than the one approved.
    let pending = written(&mut served, false);
    let id = pending.pointer("/metadata/approval_id").expect("an id");
    let id = id.as_str().expect("text").to_owned();
    place.run(&["approve", &id, "--always"], "").expect_code(0);
    served.wait_told("reloaded:");
    written(&mut served, true);
    written(&mut served, true);
    assert_eq!(read(&mut served).get("ok"), Some(&Value::Bool(true)));

    // Another configuration: the rule holds, and what was used stays used.
    configure("40000");
    served.wait_told("reloaded:");
    written(&mut served, true);
    assert_eq!(read(&mut served).get("ok"), Some(&Value::Bool(true)));

    // A broken one: all stays as it was.
    configure("\"soon\"");
    served.wait_told("not reloaded");
    assert_eq!(reason(&read(&mut served)), Value::Null);
    written(&mut served, true);
    let over = written(&mut served, false);
    assert_eq!(reason(&over), Value::from("budget"));
    assert_eq!(over.pointer("/error/evidence/limit"), Some(Value::Int(4)));
    assert_eq!(
        reason(&read(&mut served)),
        Value::from("budget"),
        "three were read"
    );

    // Mended, with more room: what was used counts against it.
    place.replace(
        "mathchain.toml",
        &BUDGET
            .replace('@', "30000")
            .replace("write = 4", "write = 5"),
    );
    served.wait_told("reloaded:");
    written(&mut served, true);
    assert_eq!(reason(&written(&mut served, false)), Value::from("budget"));

    // A rule that is forgotten holds no longer.
    place.run(&["policy", "forget", "1"], "").expect_code(0);
    served.wait_told("reloaded:");
    place.replace(
        "mathchain.toml",
        "version = 1\n[budgets.bugfix]\nwrite = 6\n",
    );
    served.wait_told("reloaded:");
    let again = written(&mut served, false);
    assert_eq!(again.get("status"), Some(&Value::from("pending_approval")));
    served.end();
    place.run(&["audit", "verify"], "").expect_code(0);
}

/// Without a configuration too, and while the file of recorded rules is broken the rules that were read hold.
#[test]
fn a_broken_agent_is_refused_until_its_file_is_mended() {
    let place = Place::new();
    place.write(
        "agents/helper.md",
        "---\nname: helper\ntools: [write_file, calculate]\n---\n# System Prompt\nx\n",
    );
    place.write("out.txt", "old");
    let mut served = Served::start(&place, &["--agent", "helper", "--workers", "1"]);
    let pending = served.call_with("write_file", WRITE);
    let id = pending.pointer("/metadata/approval_id").expect("an id");
    let approved = ["approve", id.as_str().expect("text"), "--always"];
    place.run(&approved, "").expect_code(0);
    served.wait_told("reloaded:");
    for _ in 0..2 {
        let answer = served.call_with("write_file", WRITE);
        assert_eq!(answer.get("ok"), Some(&Value::Bool(true)), "{answer}");
    }
    place.replace(
        "agents/helper.md",
        "---\nname: helper\ntools: [write_fil]\n---\n# System Prompt\nx\n",
    );
    served.wait_told("reloaded:");
    let refused = served.call_with("write_file", WRITE);
    assert_eq!(
        refused.pointer("/error/reason"),
        Some(Value::from("configuration")),
        "{refused}"
    );
    place.replace(
        "agents/helper.md",
        "---\nname: helper\ntools: [calculate]\n---\n# System Prompt\nx\n",
    );
    served.wait_told("reloaded:");
    let hidden = served.call_with("write_file", WRITE);
    assert_eq!(
        hidden.pointer("/error/code"),
        Some(Value::from("not_visible"))
    );
    served.end();
}

/// Files of earlier systems that the configuration names are read again; to name others requires a restart, and says so.
#[test]
fn named_files_of_roles_are_read_again() {
    let place = Place::new();
    let naming = |file: &str| format!("version = 1\n[files]\nroles = [\"{file}\"]\n");
    place.write("mathchain.toml", &naming("roles.yaml"));
    let roles = |tool: &str| format!("roles:\n  - id: clerk\n    toolIds: [{tool}]\n");
    place.write("roles.yaml", &roles("calculate"));
    let mut served = Served::start(&place, &["--role", "clerk", "--workers", "1"]);
    let sees = |wanted: bool, served: &mut Served| {
        let answer = served.call_with("calculate", r#"{"expression":"1"}"#);
        assert_eq!(answer.get("ok"), Some(&Value::Bool(wanted)), "{answer}");
    };
    sees(true, &mut served);
    place.replace("roles.yaml", &roles("statistics"));
    served.wait_told("reloaded:");
    sees(false, &mut served);
    place.write("others.yaml", &roles("calculate"));
    place.replace("mathchain.toml", &naming("others.yaml"));
    served.wait_told("`files` changed, which requires a restart");
    sees(false, &mut served);
    served.end();
}
