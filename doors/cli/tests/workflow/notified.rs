//! The program of `[notify]`: it is told what begins to wait for a person, once.

use super::{Project, text};

const CONFIG: &str = "[notify]\ncommand = [\"sh\", \"-c\", \"cat >> told.jsonl\"]\n[[policies]]\nlevel = \"global\"\n[[policies.rules]]\nmatch = { tools = [\"calculate\"] }\ndecision = \"allow\"\nobligations = [\"notify\"]\n";

/// What was told since the last look: the event and the id of each.
fn told(project: &Project) -> Vec<(String, String)> {
    let path = project.place.path("work/told.jsonl");
    let lines = match path.exists() {
        true => project.place.read("told.jsonl"),
        false => String::new(),
    };
    project.place.write("told.jsonl", "");
    let one = |line: &str| {
        let entry = mathchain::parse_json(line).expect("JSON");
        assert!(entry.text("text").is_some(), "{line}");
        let of = |name: &str| entry.text(name).expect(line).to_owned();
        (of("event"), of("id"))
    };
    lines.lines().map(one).collect()
}

fn entry(event: &str, id: impl Into<String>) -> Vec<(String, String)> {
    vec![(event.to_owned(), id.into())]
}

#[test]
fn what_begins_to_wait_is_told_once() {
    let project = Project::new(CONFIG);
    assert_eq!(told(&project), []);
    let id = project.workflow("standard", "");
    assert_eq!(told(&project), entry("gate", &*id));

    let asked = |more: &str| {
        let call = project.of_workflow("impl", "feedback:create", &id, more);
        call.expect_code(0);
        text(&call, "/output/id")
    };
    let first = asked(r#", "type": "question", "content": "Which base?""#);
    assert_eq!(told(&project), entry("feedback", format!("{id}/{first}")));
    let answer = format!("{id}/{first}");
    let answered = project
        .place
        .run(&["inbox", "answer", &answer, "Base 10"], "");
    answered.expect_code(0);
    assert_eq!(told(&project), []);

    // An approval is told with the id of its answer, and a second call waits for the same one.
    let args = format!(r#"{{"workflowId": "{id}"}}"#);
    let satisfy = || project.place.run(&["call", "gate:satisfy"], &args);
    let waits = satisfy();
    waits.expect_code(4);
    let approval = text(&waits, "/metadata/approval_id");
    assert_eq!(told(&project), entry("approval", &*approval));
    satisfy().expect_code(4);
    assert_eq!(told(&project), []);
    project
        .place
        .run(&["approve", &approval], "")
        .expect_code(0);
    satisfy().expect_code(0);
    assert_eq!(told(&project), []);

    let question = r#"{"reason": "Which file is meant?"}"#;
    let escalated = project.ok("operator", "escalate", question);
    let id = text(&escalated, "/output/id");
    assert_eq!(told(&project), entry("question", &*id));
    project.ok("operator", "escalate", question);
    assert_eq!(told(&project), []);

    let call = project.ok("operator", "calculate", r#"{"expression": "6*7"}"#);
    let notice = text(&call, "/metadata/notice");
    assert_eq!(told(&project), entry("call", notice));
}

/// Steps of runs wait as calls do.
#[test]
fn a_run_that_waits_is_told() {
    let project = Project::new(CONFIG);
    let plan = r#"{"version": 1, "steps": [{"id": "w", "tool": "write_file", "args": {"path": "a.txt", "content": "a"}}]}"#;
    let waits = project.place.run(&["run", "-"], plan);
    waits.expect_code(4);
    let approval = text(&waits, "/output/approvals/0");
    assert_eq!(told(&project), entry("approval", approval));
}

/// The entry is recorded before anyone is told of it, and the answer of a call does not hang on the program.
#[test]
fn a_notifier_that_fails_is_a_warning() {
    let broken = Project::new("[notify]\ncommand = [\"false\"]\n");
    let id = broken.workflow("standard", "");
    let args = format!(r#"{{"workflowId": "{id}"}}"#);
    let waits = broken.place.run(&["call", "gate:satisfy"], &args);
    waits.expect_code(4);
    assert!(
        waits
            .stderr
            .contains("warning: the notifier `false` failed: it ended with status 1"),
        "{}",
        waits.stderr
    );
    let listed = broken.place.run(&["inbox", "--json"], "");
    let approval = text(&waits, "/metadata/approval_id");
    assert!(listed.stdout.contains(&approval), "{}", listed.stdout);
}
