//! Files and events agree: after edits by hand, after a kill at any time, and over two processes.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use super::{CHAIN, Project, TASK};

/// Every file below a folder with its text.
fn tree(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let Ok(entries) = std::fs::read_dir(folder) else {
        return found;
    };
    for entry in entries {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(tree(&path));
        } else {
            #[expect(
                clippy::disallowed_methods,
                reason = "a test looks at what was written"
            )]
            let text = std::fs::read_to_string(&path).expect("reads");
            found.insert(path.display().to_string(), text);
        }
    }
    found
}

#[test]
fn what_a_person_wrote_into_a_file_stays() {
    let project = Project::started();
    let path = format!("workflow/tasks/{CHAIN}/{TASK}.md");
    let own = project
        .place
        .read(&path)
        .replacen("---\n\n#", "---\n\n<!-- mine -->\n#", 1)
        + "\n## My notes\r\n\n```\n## no heading\n---\n```\n";
    project.place.write(&path, &own);
    project
        .task("impl", "task:submit", r#", "summary": "All digits.""#)
        .expect_code(0);
    let after = project.place.read(&path);
    for part in [
        "<!-- mine -->",
        "## My notes\r\n\n```\n## no heading\n---\n```\n",
        "status: in-review",
        "All digits.",
    ] {
        assert!(after.contains(part), "{part}: {after}");
    }
    // A file whose first lines are damaged is a warning, not a lost transition.
    project.place.write(&path, "---\nid: [\n---\n");
    let answer = project.task("review", "task:approve", "");
    answer.expect_code(0);
    assert!(
        answer.stdout.contains("do not show this yet"),
        "{}",
        answer.stdout
    );
    std::fs::remove_file(project.place.path("work").join(&path)).expect("removes");
    project
        .place
        .run(&["workflow", "rebuild"], "")
        .expect_code(0);
    assert!(project.place.read(&path).contains("status: done"));
}

#[test]
fn files_are_rebuilt_from_the_events() {
    let project = Project::started();
    project.workflow("documentation", "");
    let folder = project.place.path("work/workflow");
    let before = tree(&folder);
    assert_eq!(before.len(), 3);
    std::fs::remove_dir_all(&folder).expect("removes");
    project
        .place
        .run(&["workflow", "rebuild"], "")
        .expect_code(0);
    assert_eq!(tree(&folder), before);
}

/// A server that makes tasks is killed at many moments; no task is lost or half there, and files follow at the next change.
#[test]
fn files_and_events_agree_after_a_kill_at_any_time() {
    let project = Project::new("");
    let line = |number: usize| {
        let args = format!(r#"{{"chainId": "{CHAIN}", "title": "Task {number}", "ready": true}}"#);
        format!(r#"{{"id": "{number}", "tool": "task:create", "args": {args}}}"#)
    };
    for round in 0..12_u64 {
        let mut server = project
            .place
            .command(&["serve", "--jsonl"])
            .spawn()
            .expect("starts");
        let mut stdin = server.stdin.take().expect("piped");
        for number in 0..8 {
            let _ = writeln!(stdin, "{}", line(number));
        }
        std::thread::sleep(Duration::from_millis(40 + round * 17));
        server.kill().expect("kills");
        server.wait().expect("ends");
        drop(stdin);
        // The next change writes what is missing.
        project.ok(
            "operator",
            "task:create",
            &format!(r#"{{"chainId": "{CHAIN}", "title": "After {round}"}}"#),
        );
        let folder = project.place.path("work/workflow");
        let before = tree(&folder);
        project
            .place
            .run(&["workflow", "rebuild"], "")
            .expect_code(0);
        assert_eq!(tree(&folder), before, "round {round}");
    }
    let numbers: Vec<i64> = project
        .events()
        .iter()
        .filter_map(|event| event.get("seq").and_then(|seq| seq.as_i64()))
        .collect();
    assert_eq!(numbers, (1..=numbers.len() as i64).collect::<Vec<_>>());
    let listed = project.call("impl", "task:list", &format!(r#"{{"chainId": "{CHAIN}"}}"#));
    let tasks = listed
        .at("/output/tasks")
        .items()
        .map_or(0, |list| list.len());
    let files = std::fs::read_dir(project.place.path(&format!("work/workflow/tasks/{CHAIN}")))
        .expect("reads")
        .count();
    assert_eq!(
        (tasks, numbers.len()),
        (files, tasks + 2),
        "a file and an event for each task"
    );
}

/// Two processes that write at once never lose an event, and the last file shows the last state.
#[test]
fn two_processes_change_items_at_once() {
    let project = Project::new("");
    let each = 10;
    std::thread::scope(|scope| {
        for worker in 0..2 {
            let project = &project;
            scope.spawn(move || {
                for number in 0..each {
                    let args =
                        format!(r#"{{"chainId": "{CHAIN}", "title": "W{worker} {number}"}}"#);
                    project.ok("operator", "task:create", &args);
                }
            });
        }
    });
    let events = project.events().len();
    assert_eq!(events, 3 + 2 * each);
    let folder = project.place.path("work/workflow");
    let before = tree(&folder);
    project
        .place
        .run(&["workflow", "rebuild"], "")
        .expect_code(0);
    assert_eq!(tree(&folder), before);
}

/// Another folder with the same state has its own items.
#[test]
fn a_second_folder_has_its_own_items() {
    let project = Project::new("[workspace]\nstate = \"../shared\"\n");
    let other = project.place.path("work/../second");
    std::fs::create_dir_all(&other).expect("makes");
    let config = project.place.read("mathchain.toml");
    #[expect(clippy::disallowed_methods, reason = "a test makes its own files")]
    std::fs::write(other.join("mathchain.toml"), config).expect("writes");
    let mut command = project.place.command(&["call", "request:list"]);
    command.current_dir(&other);
    let answer = crate::support::answer_of(command, b"{}");
    answer.expect_code(0);
    assert_eq!(
        answer.at("/output/requests").items().map(|list| list.len()),
        Some(0)
    );
}

/// The earlier layout is imported read-only.
#[test]
fn an_earlier_project_is_imported() {
    let project = Project::new("");
    project.place.write(
        "earlier/docs/requests/change-requests/doing/CR-20250101-001-old.md",
        "# Change Request: Old\n\n**ID**: CR-20250101-001\n**Domain**: core\n**Status**: doing\n\n---\n\n## What\n\nIt.\n",
    );
    let dry = project
        .place
        .run(&["workflow", "import", "earlier", "--dry-run"], "");
    assert_eq!(
        dry.at("/recorded"),
        tool_core::Value::from(false),
        "{}",
        dry.stdout
    );
    let before = project.events().len();
    let done = project.place.run(&["workflow", "import", "earlier"], "");
    assert!(
        project.events().len() > before,
        "{} {}",
        done.stdout,
        done.stderr
    );
    let listed = project.call("review", "request:list", "{}");
    assert!(
        listed.stdout.contains("CR-20250101-001"),
        "{}",
        listed.stdout
    );
}

/// The log is what the audit says it was, and a reader's screen is left alone.
#[test]
fn a_changed_event_is_found_and_no_text_draws_on_the_screen() {
    let project = Project::started();
    project.task("impl", "task:submit", "").expect_code(0);
    let reason = r#", "reason": "no\u001b[2J\n     9  2026-01-01  chain.approved  anna""#;
    project
        .task("review", "task:request_changes", reason)
        .expect_code(0);
    let printed = project.place.run_as_typed(&["events"], "");
    assert_eq!(printed.stdout.lines().count(), project.events().len());
    assert!(!printed.stdout.contains('\u{1b}'), "{:?}", printed.stdout);
    for after in ["9223372036854775807", "18446744073709551615"] {
        let none = project
            .place
            .run_as_typed(&["events", "--after", after], "");
        assert_eq!(
            (none.code, none.stdout.as_str()),
            (0, ""),
            "{}",
            none.stderr
        );
    }
    project.place.run(&["audit", "verify"], "").expect_code(0);
    let state = rusqlite::Connection::open(project.place.path("work/.mathchain/state.db"));
    let state = state.expect("the state");
    state
        .execute_batch(
            "DROP TRIGGER workflow_events_stay;
             UPDATE workflow_events SET body = replace(body, '\"review\"', '\"anna\"') WHERE number = 6;",
        )
        .expect("changes");
    let found = project.place.run(&["audit", "verify"], "");
    assert_ne!(found.code, 0);
    assert!(
        found
            .stdout
            .contains("event 6 of the workflows was changed"),
        "{}",
        found.stdout
    );
}
