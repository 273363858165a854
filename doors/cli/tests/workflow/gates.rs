//! Workflows: stages, gates, feedback, and who opens what.

use std::process::Stdio;

use tool_core::Value;

use super::{Project, kind, text};
use crate::support::{Answer, answer_of, at_terminal};

fn stage(project: &Project, id: &str) -> String {
    let answer = project.of_workflow("review", "workflow:status", id, "");
    text(&answer, "/output/workflows/0/stage")
}

/// `inbox answer` with a terminal.
fn answer_at_terminal(project: &Project, words: &[&str]) -> Answer {
    let mut answer = at_terminal(env!("CARGO_BIN_EXE_mathchain"));
    answer
        .args(["inbox", "answer", "--json"])
        .args(words)
        .current_dir(project.place.path("work"))
        .env_clear()
        .env("HOME", project.place.path("home"))
        .env("XDG_STATE_HOME", project.place.path("state"))
        .env("XDG_CONFIG_HOME", project.place.path("config"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    answer_of(answer, b"")
}

/// Who answers feedback at a terminal is a person in its event, as at a gate; whoever answers elsewhere is the role.
#[test]
fn feedback_answered_at_a_terminal_is_answered_by_a_person() {
    let project = Project::started();
    let id = project.workflow("documentation", "");
    for expected in ["person", "service"] {
        let asked =
            project.of_workflow("impl", "feedback:create", &id, r#", "question": "Which?""#);
        let feedback = format!("{id}/{}", text(&asked, "/output/id"));
        match expected {
            "person" => answer_at_terminal(&project, &[&feedback, "Base 10."]),
            _ => project
                .place
                .run(&["inbox", "answer", &feedback, "Base 10."], ""),
        }
        .expect_code(0);
        let answered = project.events().pop().expect("an event");
        assert_eq!(kind(&answered), "feedback.answered");
        let by = |name: &str| answered.pointer(&format!("/actor/{name}"));
        assert_eq!(by("kind"), Some(Value::from(expected)));
        let principal = match expected {
            "person" => "terminal",
            _ => "operator",
        };
        assert_eq!(by("principal"), Some(Value::from(principal)));
    }
}

/// The id of feedback within its workflow is enough where no other workflow has the same.
#[test]
fn feedback_is_answered_by_its_short_id_where_that_is_unique() {
    let project = Project::started();
    let asked = |id: &str| {
        let asked = project.of_workflow("impl", "feedback:create", id, r#", "question": "Which?""#);
        text(&asked, "/output/id")
    };
    let first = project.workflow("documentation", "");
    assert_eq!(asked(&first), "FB-001");
    let answer = |id: &str| project.place.run(&["inbox", "answer", id, "Base 10."], "");
    answer("FB-001").expect_code(0);
    let second = project.workflow("ideation", "");
    asked(&second);
    assert_eq!(asked(&first), "FB-002");
    asked(&second);
    let refused = answer("FB-002");
    assert!(
        refused
            .expect_code(2)
            .stdout
            .contains("names several entries"),
        "{}",
        refused.stdout
    );
    answer(&format!("{second}/FB-002")).expect_code(0);
    answer("FB-002").expect_code(0);
}

/// Neither a rule nor `--yes` opens a human gate, and no agent; a person does, once.
#[test]
fn a_human_gate_is_opened_by_a_person_only() {
    let project = Project::new(
        "[[policies]]\nlevel = \"global\"\n[[policies.rules]]\nmatch = { tools = [\"gate:satisfy\"] }\ndecision = \"allow\"\n",
    );
    let id = project.workflow("standard", "");
    let refused = project.of_workflow("operator", "workflow:advance", &id, "");
    refused.expect_code(1);
    assert!(
        refused.stdout.contains("gate not satisfied"),
        "{}",
        refused.stdout
    );
    let args = format!(r#"{{"workflowId": "{id}"}}"#);
    project
        .place
        .run(&["call", "gate:satisfy", "--yes"], &args)
        .expect_code(4);
    let waits = project.place.run(&["call", "gate:satisfy"], &args);
    waits.expect_code(4);
    let approval = text(&waits, "/metadata/approval_id");
    project
        .place
        .run(&["approve", &approval], "")
        .expect_code(0);
    project
        .place
        .run(&["call", "gate:satisfy"], &args)
        .expect_code(0);
    let satisfied = project.events().pop().expect("an event");
    assert_eq!(kind(&satisfied), "gate.satisfied");
    assert_eq!(
        satisfied.pointer("/actor/kind"),
        Some(Value::from("person"))
    );
    project
        .of_workflow("operator", "workflow:advance", &id, "")
        .expect_code(0);
    assert_eq!(stage(&project, &id), "design");
    // The approval was for one gate.
    project
        .place
        .run(&["call", "gate:satisfy"], &args)
        .expect_code(4);
}

/// A grant of the configuration is for one agent and one tool.
#[test]
fn an_agent_with_a_grant_satisfies_a_gate() {
    let project = Project::new("[workflow.gates]\nrelease_bot = [\"gate:satisfy\"]\n");
    for name in ["release_bot", "other_bot"] {
        project.place.write(
            &format!("agents/{name}.md"),
            &format!("---\nname: {name}\ndescription: releases\nrole: toolrunner\ntools: [\"gate:satisfy\", \"workflow:advance\", \"request_approval\"]\n---\n\n# System Prompt\n\nRelease.\n"),
        );
    }
    let id = project.workflow("standard", "");
    let args = format!(r#"{{"workflowId": "{id}"}}"#);
    let by = |agent: &str, tool: &str| project.place.run(&["call", tool, "--agent", agent], &args);
    by("other_bot", "gate:satisfy").expect_code(4);
    by("release_bot", "gate:satisfy").expect_code(0);
    // It does not satisfy a gate that it opened itself.
    by("release_bot", "workflow:advance").expect_code(0);
    by("release_bot", "gate:satisfy").expect_code(3);
    project.place.write(
        "mathchain.toml",
        "version = 1\n[workflow.gates]\nrelease_bot = [\"git:push\"]\n",
    );
    let refused = project.place.run(&["check"], "");
    refused.expect_code(2);
    assert!((refused.stdout + &refused.stderr).contains("only a person"));
}

#[test]
fn blocking_feedback_stops_and_an_answer_continues() {
    let project = Project::started();
    let id = project.workflow("documentation", "");
    let ask = |more: &str| project.of_workflow("impl", "feedback:create", &id, more);
    // Both shapes (B19); a clarification blocks only where it says so (B21).
    ask(r#", "type": "clarification", "content": "Which base?", "priority": "high""#)
        .expect_code(0);
    assert_eq!(
        text(
            &project.of_workflow("impl", "workflow:status", &id, ""),
            "/output/workflows/0/status"
        ),
        "active"
    );
    project
        .of_workflow("operator", "workflow:advance", &id, "")
        .expect_code(0);
    let blocking =
        ask(r#", "question": "Which digits?", "context": "See the request.", "blocking": true"#);
    blocking.expect_code(0);
    assert_eq!(text(&blocking, "/output/id"), "FB-002");
    assert_eq!(
        text(
            &project.of_workflow("impl", "workflow:status", &id, ""),
            "/output/workflows/0/status"
        ),
        "paused"
    );
    // Nothing moves: neither the workflow (B20) nor its tasks.
    let refused = project.of_workflow("operator", "workflow:advance", &id, "");
    refused.expect_code(1);
    assert!(refused.stdout.contains("FB-002"), "{}", refused.stdout);
    project.task("impl", "task:submit", "").expect_code(1);
    // The author does not end what stops its own work.
    project
        .of_workflow(
            "operator",
            "feedback:respond",
            &id,
            r#", "feedbackId": "FB-002", "content": "Base 10.""#,
        )
        .expect_code(0);
    project.task("impl", "task:submit", "").expect_code(0);
    let listed = project.of_workflow("impl", "feedback:list", &id, "");
    let answers: Vec<Option<String>> = listed
        .at("/output/feedback")
        .items()
        .expect("a list")
        .iter()
        .map(|one| one.text("answer").map(str::to_owned))
        .collect();
    assert_eq!(answers, [Some("Base 10.".to_owned()), None], "newest first");
    assert!(
        project
            .events()
            .iter()
            .any(|event| kind(event) == "feedback.answered")
    );
}

#[test]
fn a_paused_workflow_is_resumed_before_it_advances() {
    let project = Project::started();
    let id = project.workflow("documentation", "");
    project
        .of_workflow(
            "operator",
            "workflow:pause",
            &id,
            r#", "reason": "holiday""#,
        )
        .expect_code(0);
    project
        .of_workflow("operator", "workflow:advance", &id, "")
        .expect_code(1);
    project.task("impl", "task:submit", "").expect_code(1);
    project
        .of_workflow("operator", "workflow:resume", &id, "")
        .expect_code(0);
    project
        .of_workflow("operator", "workflow:advance", &id, "")
        .expect_code(0);
    project
        .of_workflow("operator", "workflow:discard", &id, "")
        .expect_code(2);
    project
        .of_workflow(
            "operator",
            "workflow:discard",
            &id,
            r#", "reason": "not needed""#,
        )
        .expect_code(0);
    project
        .of_workflow("operator", "workflow:advance", &id, "")
        .expect_code(1);
}

#[test]
fn a_stage_waits_for_its_chains() {
    let project = Project::started();
    let id = project.workflow("documentation", "");
    project
        .of_workflow("operator", "workflow:advance", &id, "")
        .expect_code(0);
    let refused = project.of_workflow("operator", "workflow:advance", &id, "");
    refused.expect_code(1);
    project.finish();
    project
        .of_workflow("operator", "workflow:advance", &id, "")
        .expect_code(0);
}

/// The commands of a verification are calls of `run_shell` by the same caller: rules and approvals hold for them.
#[test]
fn a_verification_runs_its_commands_and_names_the_one_that_fails() {
    let rule = "[[policies]]\nlevel = \"global\"\n[[policies.rules]]\nmatch = { tools = [\"run_shell\"] }\ndecision = \"allow\"\n";
    let project = Project::new(rule);
    project.place.write(
        "workflow/templates/checked.yaml",
        "name: checked\nstages:\n  - {name: tests, type: verification, gate: {type: verification_pass, commands: ['test -f done', 'true']}}\n  - {name: end, type: reflection, gate: {type: auto}}\n",
    );
    let id = project.workflow("checked", "");
    let refused = project.of_workflow("operator", "workflow:advance", &id, "");
    refused.expect_code(1);
    assert!(
        refused.stdout.contains("test -f done"),
        "{}",
        refused.stdout
    );
    project.place.write("done", "");
    project
        .of_workflow("operator", "workflow:advance", &id, "")
        .expect_code(0);
    assert_eq!(stage(&project, &id), "end");
    // Nothing that the caller says counts as a result.
    project
        .of_workflow("operator", "workflow:advance", &id, r#", "results": []"#)
        .expect_code(2);
    // Without the rule the command asks.
    project.place.write("mathchain.toml", "version = 1\n");
    let other = project.workflow("checked", "");
    let asks = project.of_workflow("operator", "workflow:advance", &other, "");
    assert!(
        asks.code != 0 && asks.stdout.contains("approval"),
        "{}",
        asks.stdout
    );
    assert_eq!(stage(&project, &other), "tests");
}

#[test]
fn the_four_templates_run_to_their_end() {
    let rule = "[[policies]]\nlevel = \"global\"\n[[policies.rules]]\nmatch = { tools = [\"run_shell\"] }\ndecision = \"allow\"\n";
    for template in ["standard", "hotfix", "documentation", "ideation"] {
        let project = Project::new(rule);
        project.task("operator", "task:start", "").expect_code(0);
        project.finish();
        let commands = match template {
            "standard" | "hotfix" => r#", "commands": ["true"]"#,
            _ => "",
        };
        let id = project.workflow(template, commands);
        let mut steps = 0;
        loop {
            let shown = project.of_workflow("review", "workflow:status", &id, "");
            let now = text(&shown, "/output/workflows/0/status");
            if now == "completed" {
                break;
            }
            steps += 1;
            assert!(steps < 20, "{template} does not end");
            let advanced = project.of_workflow("operator", "workflow:advance", &id, "");
            if advanced.code == 0 {
                continue;
            }
            assert!(
                advanced.stdout.contains("gate not satisfied"),
                "{}",
                advanced.stdout
            );
            // One that opens on request is asked for first; its options are those of the template.
            let _ = project.of_workflow("impl_or_none", "request_approval", &id, "");
            let _ = project.of_workflow("toolrunner", "request_approval", &id, "");
            let shown = project.of_workflow("review", "workflow:status", &id, "");
            let stages = shown.at("/output/workflows/0/stages");
            let stage = text(&shown, "/output/workflows/0/stage");
            let stages = stages.items().expect("a list");
            let current = stages
                .iter()
                .find(|one| one.text("name") == Some(&stage))
                .expect("a stage");
            let option = current
                .items_at("options")
                .first()
                .and_then(|one| one.as_str().map(str::to_owned));
            let option =
                option.map_or(String::new(), |option| format!(r#", "option": "{option}""#));
            let waits = project.of_workflow("operator", "gate:satisfy", &id, &option);
            waits.expect_code(4);
            let approval = text(&waits, "/metadata/approval_id");
            project
                .place
                .run(&["approve", &approval], "")
                .expect_code(0);
            project
                .of_workflow("operator", "gate:satisfy", &id, &option)
                .expect_code(0);
        }
    }
}

/// One list for approvals, gates and feedback, answered by a second process.
#[test]
fn the_inbox_shows_and_answers_gates_and_feedback() {
    let project = Project::new("");
    let id = project.workflow("standard", "");
    project
        .of_workflow(
            "impl",
            "feedback:create",
            &id,
            r#", "question": "Which base?""#,
        )
        .expect_code(0);
    let listed = project.place.run(&["inbox"], "").json();
    let kinds: Vec<String> = listed
        .items()
        .expect("a list")
        .iter()
        .map(|one| one.text("kind").unwrap_or_default().to_owned())
        .collect();
    assert_eq!(kinds, ["gate", "feedback"]);
    project
        .place
        .run(&["inbox", "show", &id], "")
        .expect_code(0);
    let feedback = format!("{id}/FB-001");
    project
        .place
        .run(&["inbox", "answer", &feedback, "Base 10."], "")
        .expect_code(0);
    // Without a terminal nobody is taken for a person.
    project
        .place
        .run(&["inbox", "answer", &id, "yes"], "")
        .expect_code(3);
    answer_at_terminal(&project, &[&id, "yes"]).expect_code(0);
    let satisfied = project.events().pop().expect("an event");
    assert_eq!(
        (kind(&satisfied), satisfied.pointer("/actor/kind")),
        ("gate.satisfied", Some(Value::from("person")))
    );
    assert_eq!(
        project
            .place
            .run(&["inbox"], "")
            .json()
            .items()
            .map(|list| list.len()),
        Some(0)
    );
}

/// An approval opens the gate that the person saw, and no later one; no person is asked about a gate that is not open.
#[test]
fn the_approval_of_a_gate_is_for_its_stage() {
    let project = Project::new("");
    let id = project.workflow("standard", "");
    let args = format!(r#"{{"workflowId": "{id}"}}"#);
    let satisfy = || project.place.run(&["call", "gate:satisfy"], &args);
    let first = text(satisfy().expect_code(4), "/metadata/approval_id");
    let shown = project.place.run(&["approvals", "show", &first], "").stdout;
    assert!(shown.contains("Proceed to the design?"), "{shown}");
    project.place.run(&["approve", &first], "").expect_code(0);
    // Another reason is another call: it opens the gate, and leaves the first approval unused.
    let other = format!(r#"{{"workflowId": "{id}", "reason": "seen"}}"#);
    let again = project.place.run(&["call", "gate:satisfy"], &other);
    let second = text(again.expect_code(4), "/metadata/approval_id");
    project.place.run(&["approve", &second], "").expect_code(0);
    project
        .place
        .run(&["call", "gate:satisfy"], &other)
        .expect_code(0);
    project
        .of_workflow("operator", "workflow:advance", &id, "")
        .expect_code(0);
    satisfy().expect_code(4);
    // A gate that needs no person, and one that does not exist.
    let automatic = project.workflow("documentation", "");
    let refused = project.of_workflow("operator", "gate:satisfy", &automatic, "");
    assert_eq!(refused.code, 1, "{}", refused.stdout);
    project
        .of_workflow("operator", "gate:satisfy", "WF-0", "")
        .expect_code(2);
}

/// No file of the workspace takes the gates from a template of the program, and tools do not write templates.
#[test]
fn built_in_templates_keep_their_gates() {
    let rule = "[[policies]]\nlevel = \"global\"\n[[policies.rules]]\nmatch = { tools = [\"write_file\"] }\ndecision = \"allow\"\n";
    let project = Project::new(rule);
    let template = "name: standard\nstages: [{name: a, type: review, gate: {type: auto}}]\n";
    project
        .place
        .write("workflow/templates/standard.yaml", template);
    let id = project.workflow("standard", "");
    assert_eq!(stage(&project, &id), "request");
    for path in ["workflow/templates/x.yaml", "governance.yaml"] {
        let args = format!(r#"{{"path": "{path}", "content": "x", "parents": true}}"#);
        let refused = project.call("impl", "write_file", &args);
        assert_ne!(refused.code, 0, "{path}: {}", refused.stdout);
    }
}

/// What could not be read again is refused before it is written.
#[test]
fn feedback_that_is_too_deep_or_too_long_is_refused() {
    let project = Project::new("");
    let id = project.workflow("documentation", "");
    let before = project.events().len();
    let deep = format!("{}1{}", r#"{"a":"#.repeat(40), "}".repeat(40));
    let snippet = format!(
        r#"{{"file": "a", "startLine": 1, "endLine": 2, "content": "{}"}}"#,
        "x".repeat(60_000)
    );
    let long = vec![snippet; 40].join(",");
    for context in [
        format!(r#"{{"metadata": {deep}}}"#),
        format!(r#"{{"codeSnippets": [{long}]}}"#),
    ] {
        let more = format!(r#", "question": "q", "context": {context}"#);
        let refused = project.of_workflow("impl", "feedback:create", &id, &more);
        assert_ne!(refused.code, 0, "{}", refused.stdout);
    }
    assert_eq!(project.events().len(), before);
    project
        .of_workflow("impl", "workflow:status", &id, "")
        .expect_code(0);
}
