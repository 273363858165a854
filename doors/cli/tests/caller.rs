//! Who calls, said at the command line.

use tool_core::Value;

use crate::support::{Answer, Place};

const CONFIG: &str = r#"version = 1
[[phases]]
name = "research"
agents = ["helper"]
[phases.tools]
internal = ["read_file", "list_directory", "calculate"]
[budgets.bugfix]
read = 1
[[policies]]
level = "global"
deny = ["http_post"]
"#;

const HELPER: &str = "---\nname: helper\ndescription: d\nrole: coder_escalation\ntools: [read_file, calculate, statistics]\n---\n# System Prompt\nx\n";

fn place() -> Place {
    let place = Place::new();
    place.write("mathchain.toml", CONFIG);
    place.write("agents/helper.md", HELPER);
    place.write("a.txt", "there");
    place
}

const ADD: &str = r#"{"expression":"1+1"}"#;

#[test]
fn a_call_is_of_an_agent_in_a_phase_for_a_task() {
    let place = place();
    let called = place.run(
        &[
            "call",
            "--agent",
            "helper",
            "--phase",
            "research",
            "--task",
            "bugfix",
            "calculate",
        ],
        ADD,
    );
    assert_eq!(
        called.expect_code(0).at("/metadata/role"),
        Value::from("coder_escalation"),
        "the agent brings its role"
    );
    let records = place.run(&["audit", "list", "--limit", "1"], "");
    for (key, name) in [
        ("agent", "helper"),
        ("phase", "research"),
        ("task", "bugfix"),
        ("role", "coder_escalation"),
    ] {
        let pointer = format!("/0/record/{key}");
        assert_eq!(records.at(&pointer), Value::from(name), "{key}");
    }
    // The phase lists what the agent's file does not, and the file what the phase does not.
    for tool in ["list_directory", "statistics"] {
        let args = ["call", "--agent", "helper", "--phase", "research", tool];
        let hidden = place.run(&args, "{}");
        hidden.expect_code(3);
        assert_eq!(hidden.at("/error/code"), Value::from("not_visible"));
    }
    let read = place.run(
        &["call", "--phase=research", "read_file", "--path", "a.txt"],
        "",
    );
    assert_eq!(
        read.expect_code(0).at("/output/content"),
        Value::from("there")
    );
}

#[test]
fn names_that_do_not_exist_are_errors_with_the_nearest() {
    let place = place();
    for (flag, name, near) in [
        ("--agent", "helpr", "helper"),
        ("--phase", "reserch", "research"),
        ("--task", "bugfx", "bugfix"),
        ("--profile", "opnai", "openai"),
        ("--enable", "calculat", "calculate"),
        ("--disable", "statistic", "statistics"),
        ("--force", "read_fil", "read_file"),
        ("--role", "worker_maths", "worker_math"),
    ] {
        let code = if matches!(flag, "--enable" | "--disable" | "--force") {
            2
        } else {
            3
        };
        let words = format!("did you mean `{near}`?");
        let said = |answer: &Answer| {
            answer.expect_code(code);
            let all = format!("{}{}", answer.stdout, answer.stderr);
            assert!(all.contains(&words), "{flag}: {all}");
        };
        said(&place.run(&["call", flag, name, "calculate"], ADD));
        said(&place.run(&["tools", "list", flag, name], ""));
        said(&place.run(&["serve", "--jsonl", flag, name], ""));
        let plan = "{\"version\":1,\"id\":\"p\",\"steps\":[{\"id\":\"a\",\"tool\":\"calculate\",\"args\":{\"expression\":\"1\"}}]}";
        said(&place.run(&["run", "-", flag, name], plan));
        if flag != "--role" {
            let explain = ["policy", "explain", "operator", "calculate", flag, name];
            said(&place.run(&explain, ""));
        }
    }
}

#[test]
fn overrides_select_and_no_denial_gives_way() {
    let place = place();
    let call = |flags: &[&str], tool: &str| {
        let args: Vec<&str> = ["call"]
            .iter()
            .chain(flags)
            .chain(&[tool])
            .copied()
            .collect();
        place.run(&args, r#"{"data":[1,2]}"#)
    };
    let hidden = |answer: Answer| {
        let code = answer.expect_code(3).at("/error/code");
        assert_eq!(code, Value::from("not_visible"), "{}", answer.stdout);
    };
    let phase = ["--role", "operator", "--phase", "research"];
    let with = |more: &[&'static str]| [phase.as_slice(), more].concat();
    hidden(call(&phase, "statistics"));
    for flag in ["--enable", "--force"] {
        call(&with(&[flag, "stat,statistics"]), "statistics").expect_code(0);
        hidden(call(
            &with(&[flag, "statistics", "--disable", "group:math"]),
            "statistics",
        ));
        // Denied by a layer, not listed by the role, not listed by the agent's file.
        hidden(call(&[flag, "http_post"], "http_post"));
        hidden(call(
            &["--role", "frontdoor", flag, "statistics"],
            "statistics",
        ));
        hidden(call(
            &["--agent", "helper", flag, "list_directory"],
            "list_directory",
        ));
    }
    call(&[], "statistics").expect_code(0);
    hidden(call(&["--disable", "statistics"], "statistics"));
}

/// Options of the caller stand before the tool or after it, and once.
#[test]
fn flags_of_the_caller_stand_on_both_sides_of_the_tool() {
    let place = place();
    let behind = place.run(
        &[
            "call",
            "calculate",
            "--agent",
            "helper",
            "--expression",
            "1",
        ],
        "",
    );
    behind.expect_code(0);
    let role = behind.at("/metadata/role");
    assert_eq!(role, Value::from("coder_escalation"));
    let unknown = place.run(&["call", "--agnt", "helper", "calculate"], ADD);
    assert!(
        unknown.expect_code(2).stderr.contains("--agent"),
        "{}",
        unknown.stderr
    );
    let twice = [
        "call",
        "--role",
        "operator",
        "calculate",
        "--role",
        "operator",
        "--expression",
        "1",
    ];
    assert!(
        place
            .run(&twice, "")
            .expect_code(2)
            .stderr
            .contains("cannot be used multiple times")
    );
    for command in [
        vec!["call"],
        vec!["run"],
        vec!["serve"],
        vec!["tools", "list"],
        vec!["policy", "explain"],
    ] {
        let args: Vec<&str> = command.iter().chain(&["--help"]).copied().collect();
        let help = place.run(&args, "");
        for word in [
            "Examples:",
            "--agent <AGENT>",
            "--task <TASK>",
            "--enable <TOOL,...>",
        ] {
            assert!(
                help.expect_code(0).stdout.contains(word),
                "{command:?}: {}",
                help.stdout
            );
        }
    }
}

#[test]
fn a_list_is_that_of_the_caller_in_its_order() {
    let place = place();
    let ids = |flags: &[&str]| -> Vec<String> {
        let args: Vec<&str> = ["tools", "list"].iter().chain(flags).copied().collect();
        let listed = place
            .run(&args, "")
            .expect_code(0)
            .json()
            .items()
            .expect("a list");
        let id = |entry: &Value| {
            entry
                .get("id")
                .and_then(Value::as_str)
                .expect("an id")
                .to_owned()
        };
        listed.iter().map(id).collect()
    };
    assert_eq!(
        ids(&["--agent", "helper"]),
        ["read_file", "calculate", "statistics"]
    );
    assert_eq!(
        ids(&["--agent", "helper", "--phase", "research"]),
        ["read_file", "calculate"]
    );
    assert_eq!(
        ids(&["--agent", "helper", "--disable", "read_file,statistics"]),
        ["calculate"]
    );
    assert_eq!(ids(&["--profile", "openai"])[0], "apply_patch");
    assert!(!ids(&["--profile", "openai"]).contains(&"edit_file".to_owned()));
    assert_eq!(
        ids(&["--phase", "research", "--enable", "statistics,stat"])[3..],
        ["stat", "statistics"]
    );
    let all = place.run(&["tools", "list", "--agent", "helper", "--all"], "");
    assert_eq!(all.expect_code(0).at("/2/hidden"), Value::Null);
    assert!(all.at("/3/hidden").as_str().is_some());
}

#[test]
fn a_plan_runs_as_its_caller_and_its_record_says_so() {
    let place = place();
    let plan =
        "version: 1\nid: p\nsteps:\n  - {id: a, tool: calculate, args: {expression: '1+1'}}\n";
    place.write("plan.yaml", plan);
    let caller = [
        "--agent", "helper", "--phase", "research", "--task", "bugfix",
    ];
    let run = |flags: &[&str]| {
        let args: Vec<&str> = ["run", "plan.yaml"].iter().chain(flags).copied().collect();
        place.run(&args, "")
    };
    run(&caller).expect_code(0);
    let export = place.run(&["audit", "export"], "");
    let records: Vec<Value> = export
        .expect_code(0)
        .stdout
        .lines()
        .map(|line| mathchain::parse_json(line).expect("JSON"))
        .map(|line| line.get("record").cloned().unwrap_or(line))
        .collect();
    for kind in ["call", "chain"] {
        let of_kind = |record: &&Value| record.get("kind").and_then(Value::as_str) == Some(kind);
        let record = records
            .iter()
            .find(of_kind)
            .unwrap_or_else(|| panic!("no {kind}"));
        for (key, name) in [
            ("agent", "helper"),
            ("phase", "research"),
            ("task", "bugfix"),
        ] {
            assert_eq!(record.get(key), Some(&Value::from(name)), "{kind} {key}");
        }
    }
    let disabled = run(&["--disable", "calculate"]);
    disabled.expect_code(3);
    assert!(
        disabled.stderr.contains("nothing ran"),
        "{}",
        disabled.stderr
    );
    // The budget of the task holds for all steps together.
    let second = "  - {id: b, tool: calculate, args: {expression: '2'}, after: [a]}\n";
    place.write("plan.yaml", &format!("{plan}{second}"));
    let ended = run(&["--task", "bugfix"]);
    assert_eq!(
        ended.expect_code(1).at("/error/reason"),
        Value::from("budget")
    );
}

/// `policy explain` answers for the same caller that `call` makes.
#[test]
fn an_explanation_is_of_the_same_caller() {
    let place = place();
    let explain = |flags: &[&str]| {
        let args: Vec<&str> = [
            "policy",
            "explain",
            "operator",
            "statistics",
            "--phase",
            "research",
        ]
        .iter()
        .chain(flags)
        .copied()
        .collect();
        place.run(&args, "").expect_code(0).at("/visible")
    };
    assert_eq!(explain(&[]), Value::Bool(false));
    assert_eq!(explain(&["--enable", "statistics"]), Value::Bool(true));
    assert_eq!(
        explain(&["--enable", "statistics", "--disable", "statistics"]),
        Value::Bool(false)
    );
    assert_eq!(explain(&["--profile", "openai"]), Value::Bool(false));
}

/// An agent's file counts where only the call names the agent: for a rule that is recorded of it too.
#[test]
fn a_rule_is_recorded_of_an_agents_call() {
    let place = Place::new();
    place.write("mathchain.toml", "version = 1\n");
    place.write(
        "agents/writer.md",
        &HELPER
            .replace("helper", "writer")
            .replace("read_file", "write_file"),
    );
    let write = r#"{"path":"out.txt","content":"x"}"#;
    let call = ["call", "--agent", "writer", "write_file"];
    let id = place
        .run(&call, write)
        .expect_code(4)
        .at("/metadata/approval_id");
    let approved = place.run(&["approve", id.as_str().expect("an id"), "--always"], "");
    approved.expect_code(0);
    place.run(&call, write).expect_code(0);
}
