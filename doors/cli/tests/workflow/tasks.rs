//! Tasks, chains and requests.

use tool_core::Value;

use super::{CHAIN, Project, TASK, kind, text};

#[test]
fn a_submission_is_one_event_with_both_statuses_and_the_summary() {
    let project = Project::started();
    let answer = project.task("impl", "task:submit", r#", "summary": "All digits.""#);
    answer.expect_code(0);
    assert_eq!(text(&answer, "/output/status"), "in-review");
    let event = project.events().pop().expect("an event");
    assert_eq!(kind(&event), "task.submitted");
    let data = event.get("data").expect("data");
    assert_eq!(
        (data.text("from"), data.text("to"), data.text("summary")),
        (Some("in-progress"), Some("in-review"), Some("All digits."))
    );
    assert_eq!(event.pointer("/actor/role"), Some(Value::from("impl")));
    // Without a summary there is none.
    let other = Project::started();
    other.task("impl", "task:submit", "").expect_code(0);
    let event = other.events().pop().expect("an event");
    assert_eq!(event.pointer("/data/summary"), None);
}

#[test]
fn a_task_that_was_not_started_cannot_be_submitted() {
    let project = Project::new("");
    project
        .task("operator", "task:block", r#", "reason": "x""#)
        .expect_code(0);
    project
        .task("operator", "task:unblock", r#", "to": "backlog""#)
        .expect_code(0);
    let before = project.events().len();
    let answer = project.task("impl", "task:submit", "");
    answer.expect_code(1);
    assert!(
        answer.stdout.contains("allowed: todo, blocked"),
        "{}",
        answer.stdout
    );
    assert_eq!(project.events().len(), before);
}

#[test]
fn a_second_approval_has_no_status_to_go_to() {
    let project = Project::started();
    project.finish();
    assert_eq!(project.status(), "done");
    let again = project.task("review", "task:approve", "");
    again.expect_code(1);
    assert!(again.stdout.contains("allowed: none"), "{}", again.stdout);
}

/// Rows B4 to B7: reason, suggestion and summary are kept, in the event and in the file.
#[test]
fn requests_for_changes_keep_all_that_was_said() {
    let project = Project::new("");
    let before = (project.events().len(), project.file());
    let refused = project.task("review", "task:request_changes", r#", "reason": "why""#);
    refused.expect_code(1);
    assert_eq!(
        before,
        (project.events().len(), project.file()),
        "a refused call writes nothing"
    );
    project.task("operator", "task:start", "").expect_code(0);
    project
        .task("impl", "task:submit", r#", "summary": "All digits.""#)
        .expect_code(0);
    let answer = project.task(
        "review",
        "task:request_changes",
        r#", "reason": "1e400", "suggestions": ["Check the range."]"#,
    );
    answer.expect_code(0);
    assert_eq!(text(&answer, "/output/status"), "in-progress");
    let event = project.events().pop().expect("an event");
    assert_eq!(
        (kind(&event), event.text("reason")),
        ("task.changes_requested", Some("1e400"))
    );
    assert_eq!(
        event
            .pointer("/data/suggestions")
            .and_then(|list| list.items())
            .map(|list| list.len()),
        Some(1)
    );
    let file = project.file();
    for part in [
        "rework_count: 1",
        "All digits.",
        "1e400",
        "Check the range.",
    ] {
        assert!(file.contains(part), "{part}: {file}");
    }
}

#[test]
fn tasks_are_numbered_and_the_next_one_is_named() {
    let project = Project::new("");
    let second = project.call(
        "operator",
        "task:create",
        &format!(r#"{{"chainId": "{CHAIN}", "title": "Write numbers"}}"#),
    );
    assert_eq!(
        (text(&second, "/output/id"), text(&second, "/output/status")),
        ("002-write-numbers".to_owned(), "backlog".to_owned())
    );
    // The file of a task does not move with its status (B9).
    let path = project
        .place
        .path(&format!("work/workflow/tasks/{CHAIN}/{TASK}.md"));
    assert!(path.is_file());
    let next = |project: &Project| {
        project
            .chain("review", "chain:status")
            .at("/output/chain/nextTask")
    };
    assert_eq!(next(&project), Value::from(TASK), "the first that is ready");
    project.task("operator", "task:start", "").expect_code(0);
    project.ok(
        "operator",
        "task:ready",
        &format!(r#"{{"chainId": "{CHAIN}", "taskId": "002-write-numbers"}}"#),
    );
    assert_eq!(next(&project), Value::from(TASK), "the one in progress");
    project.finish();
    assert_eq!(next(&project), Value::from("002-write-numbers"));
    assert!(path.is_file());
}

#[test]
fn a_chain_with_open_tasks_is_not_approved() {
    let project = Project::started();
    let refused = project.chain("review", "chain:approve");
    refused.expect_code(1);
    assert!(refused.stdout.contains(TASK), "{}", refused.stdout);
    project.finish();
    project.chain("review", "chain:approve").expect_code(0);
    assert_eq!(
        kind(&project.events().pop().expect("an event")),
        "chain.approved"
    );
}

#[test]
fn and_b13_the_status_of_a_chain_follows_its_tasks() {
    let project = Project::started();
    project.ok(
        "operator",
        "task:create",
        &format!(r#"{{"chainId": "{CHAIN}", "title": "Two", "ready": true}}"#),
    );
    project.ok(
        "operator",
        "task:block",
        &format!(r#"{{"chainId": "{CHAIN}", "taskId": "002-two", "reason": "waits"}}"#),
    );
    let answer = project.chain("impl", "chain:status");
    assert_eq!(text(&answer, "/output/chain/status"), "blocked");
    let empty = project.call(
        "operator",
        "chain:create",
        &format!(
            r#"{{"requestId": "{}", "title": "Empty"}}"#,
            project.request
        ),
    );
    let id = text(&empty, "/output/id");
    let listed = project.call("review", "chain:list", "{}");
    let chains = listed.at("/output/chains");
    let chains = chains.items().expect("a list");
    let found = chains
        .iter()
        .find(|chain| chain.text("chainId") == Some(&id))
        .expect("listed");
    assert_eq!(
        (
            found.text("status"),
            found.get("progress").and_then(Value::as_i64)
        ),
        (Some("backlog"), Some(0))
    );
}

#[test]
fn and_b15_a_request_is_a_file_of_its_own_and_needs_no_template() {
    let project = Project::new("");
    let folder = project.place.path("work/workflow/requests");
    let name = format!("{}-a-parser.md", project.request);
    assert!(folder.join(&name).is_file());
    assert!(
        project.request.starts_with("CR-") && project.request.ends_with("-001"),
        "{}",
        project.request
    );
    let file = project.place.read(&format!("workflow/requests/{name}"));
    assert!(file.contains("Numbers have to be read."), "{file}");
    assert_eq!(kind(&project.events()[0]), "request.created");
}

#[test]
fn unknown_ids_are_errors_that_name_the_nearest() {
    let project = Project::new("");
    let near = format!("{}9", &project.request[..project.request.len() - 1]);
    let answer = project.call(
        "review",
        "request:approve",
        &format!(r#"{{"requestId": "{near}"}}"#),
    );
    answer.expect_code(2);
    assert!(
        answer.stdout.contains("no request has the id") && answer.stdout.contains(&project.request),
        "{}",
        answer.stdout
    );
    for (tool, args) in [
        ("task:status", r#"{"chainId": "CHAIN-999", "taskId": "x"}"#),
        (
            "chain:status",
            r#"{"chainId": "nonsense without a number"}"#,
        ),
        ("workflow:status", r#"{"workflowId": "../../etc/passwd"}"#),
    ] {
        project.call("review", tool, args).expect_code(2);
    }
}

/// A request is approved when its chains are, by another than its author, and closed.
#[test]
fn a_request_goes_from_its_chains_to_its_end() {
    let project = Project::started();
    let approve = |role: &str| {
        project.call(
            role,
            "request:approve",
            &format!(r#"{{"requestId": "{}"}}"#, project.request),
        )
    };
    approve("review").expect_code(1);
    project.finish();
    approve("review").expect_code(1);
    project.chain("review", "chain:approve").expect_code(0);
    approve("impl").expect_code(3);
    approve("review").expect_code(0);
    project.ok(
        "operator",
        "request:close",
        &format!(r#"{{"requestId": "{}"}}"#, project.request),
    );
    let listed = project.call("review", "request:list", r#"{"status": "done"}"#);
    assert_eq!(
        listed.at("/output/requests/0/closed"),
        Value::from("completed")
    );
    // Nothing changes below it.
    project
        .call(
            "operator",
            "task:create",
            &format!(r#"{{"chainId": "{CHAIN}", "title": "Late"}}"#),
        )
        .expect_code(1);
}

/// One agent never reviews what it submitted, whatever its role.
#[test]
fn own_work_is_not_approved() {
    let project = Project::started();
    project.place.write("agents/ada.md", "---\nname: ada\ndescription: builds\nrole: toolrunner\ntools: [\"task:submit\", \"task:approve\"]\n---\n\n# System Prompt\n\nBuild.\n");
    let by_ada = |tool: &str| {
        let args = format!(r#"{{"chainId": "{CHAIN}", "taskId": "{TASK}"}}"#);
        project.place.run(&["call", tool, "--agent", "ada"], &args)
    };
    by_ada("task:submit").expect_code(0);
    let refused = by_ada("task:approve");
    refused.expect_code(3);
    assert!(
        refused.stdout.contains("their own work"),
        "{}",
        refused.stdout
    );
    project.task("review", "task:approve", "").expect_code(0);
}

#[test]
fn ids_without_a_number_are_no_crash() {
    let project = Project::new("");
    for id in ["", "parser", "CHAIN--", "CHAIN-000", "\u{202e}"] {
        let args = format!(r#"{{"chainId": "{id}"}}"#);
        project.call("review", "chain:status", &args).expect_code(2);
    }
}

#[test]
fn files_are_locked_for_a_chain_and_overlaps_are_named() {
    let project = Project::new("");
    let request = &project.request;
    project.ok(
        "operator",
        "chain:create",
        &format!(r#"{{"requestId": "{request}", "title": "Other"}}"#),
    );
    project.ok(
        "operator",
        "lock:acquire",
        &format!(r#"{{"chainId": "{CHAIN}", "patterns": ["src/**"]}}"#),
    );
    let b36 = project.call(
        "operator",
        "lock:acquire",
        r#"{"chainId": "CHAIN-002-other", "patterns": ["src/a/**"]}"#,
    );
    b36.expect_code(1);
    assert!(
        b36.stdout.contains("src/**") && b36.stdout.contains("src/a/**"),
        "{}",
        b36.stdout
    );
    let listed = project.call("impl", "lock:status", "{}");
    assert_eq!(listed.at("/output/locks/0/chainId"), Value::from(CHAIN));
    let check = |chain: &str| {
        project.call(
            "impl",
            "governance:check",
            &format!(r#"{{"files": ["src/a/x.rs"], "chainId": "{chain}"}}"#),
        )
    };
    assert_eq!(check(CHAIN).at("/output/ruling"), Value::from("allow"));
    assert_eq!(
        check("CHAIN-002-other").at("/output/ruling"),
        Value::from("deny")
    );
    project.ok(
        "operator",
        "lock:release",
        &format!(r#"{{"chainId": "{CHAIN}"}}"#),
    );
    assert_eq!(
        check("CHAIN-002-other").at("/output/ruling"),
        Value::from("allow")
    );
}

#[test]
fn and_b35_rules_on_files_deny_first_and_by_role() {
    let project = Project::new("");
    project.place.write("governance.yaml", "mutations:\n  allow: [{pattern: '**/*'}]\n  deny: [{pattern: '.git/**', actions: [modify]}]\n");
    let check = |role: &str, file: &str| {
        let answer = project.call(
            role,
            "governance:check",
            &format!(r#"{{"files": ["{file}"]}}"#),
        );
        text(&answer, "/output/ruling")
    };
    assert_eq!(check("impl", "src/lib.rs"), "allow");
    assert_eq!(check("impl", ".git/config"), "deny");
    project.place.write("governance.yaml", "mutations:\n  allow: [{pattern: '**/*'}]\nroles:\n  impl:\n    allow: [{pattern: 'src/**'}]\n");
    assert_eq!(
        (check("impl", "src/lib.rs"), check("review", "src/lib.rs")),
        ("allow".to_owned(), "deny".to_owned())
    );
    project.place.write(
        "governance.yaml",
        "mutations:\n  deny: [{pattern: 'x', actions: [move]}]\n",
    );
    let answer = project.call("impl", "governance:check", r#"{"files": ["x"]}"#);
    answer.expect_code(2);
    assert!(
        answer.stdout.contains("governance.yaml:2"),
        "{}",
        answer.stdout
    );
}
