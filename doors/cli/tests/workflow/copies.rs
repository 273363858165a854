//! Clones, copies and restored backups: each is noticed, none acts on its original, and no id is given twice.

use std::path::Path;

use tool_core::Value;

use super::{CHAIN, Project, TASK, text};
use crate::support::{Answer, Place, answer_of, asking_json};

/// Copies a folder with everything in it.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("makes folders");
    for entry in from.read_dir().expect("reads") {
        let entry = entry.expect("reads");
        let (path, to) = (entry.path(), to.join(entry.file_name()));
        match path.is_dir() {
            true => copy(&path, &to),
            false => drop(std::fs::copy(&path, &to).expect("copies")),
        }
    }
}

/// Runs the binary in another folder of the place.
fn run_in(place: &Place, folder: &str, args: &[&str], stdin: &str) -> Answer {
    let mut command = place.command(&asking_json(args));
    command.current_dir(place.path(folder));
    answer_of(command, stdin.as_bytes())
}

fn reason(answer: &Answer) -> String {
    text(answer, "/error/reason")
}

const LIST: [&str; 4] = ["call", "request:list", "--role", "operator"];

/// A request of the same kind and title as that of [`Project`], with another content.
const SAME_TITLE: &str = r#"{"type": "cr", "title": "A parser", "domain": "web", "content": "Something else entirely."}"#;

/// The files of a project without its state, as a clone has them.
fn clone(project: &Project) {
    let (from, to) = (project.place.path("work"), project.place.path("clone"));
    copy(&from, &to);
    std::fs::remove_dir_all(to.join(".mathchain")).expect("is there");
}

fn files_below(folder: &Path) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for entry in folder.read_dir().expect("reads").flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => all.extend(files_below(&path)),
            false => all.push((path.display().to_string(), read(&path))),
        }
    }
    all.sort();
    all
}

#[expect(
    clippy::disallowed_methods,
    reason = "a test looks at what was written"
)]
fn read(path: &Path) -> String {
    std::fs::read_to_string(path).expect("reads")
}

#[test]
fn a_clone_gives_ids_of_its_own_and_leaves_the_files_of_others_alone() {
    let project = Project::started();
    clone(&project);
    let place = &project.place;
    let before = files_below(&place.path("clone/workflow"));
    let create = ["call", "request:create", "--role", "ideation"];
    let made = run_in(place, "clone", &create, SAME_TITLE);
    let id = text(made.expect_code(0), "/output/id");
    assert_ne!(id, project.request);
    let args = format!(r#"{{"requestId": "{id}", "title": "Parser"}}"#);
    let made = run_in(
        place,
        "clone",
        &["call", "chain:create", "--role", "operator"],
        &args,
    );
    let chain = text(made.expect_code(0), "/output/id");
    assert_ne!(chain, CHAIN);
    let args = format!(r#"{{"chainId": "{chain}", "title": "Read numbers"}}"#);
    let made = run_in(
        place,
        "clone",
        &["call", "task:create", "--role", "operator"],
        &args,
    );
    assert_ne!(text(made.expect_code(0), "/output/id"), TASK);
    let after = files_below(&place.path("clone/workflow"));
    for file in &before {
        assert!(after.contains(file), "{} is as it was", file.0);
    }
    assert_eq!(after.len(), before.len() + 3);
    // A second request counts on.
    let made = run_in(place, "clone", &create, SAME_TITLE);
    let second = text(made.expect_code(0), "/output/id");
    assert_ne!(second, id);
    assert_eq!(second[..second.len() - 3], id[..id.len() - 3]);
}

#[test]
fn a_file_of_another_checkout_is_not_written_over() {
    let project = Project::new("");
    // As `git pull` brings it: the next request of this log would have this file.
    let other = project.request.replace("-001", "-002");
    let path = format!("workflow/requests/{other}-a-parser.md");
    project.place.write(&path, "---\nid: x\n---\n\n# Theirs\n");
    let refused = project.call("ideation", "request:create", SAME_TITLE);
    assert_eq!(reason(refused.expect_code(1)), "file_exists");
    assert!(text(&refused, "/error/hint").contains("workspace adopt"));
    assert_eq!(project.place.read(&path), "---\nid: x\n---\n\n# Theirs\n");
}

#[test]
fn adopting_the_files_of_a_clone_rebuilds_its_log() {
    let project = Project::started();
    project
        .task("impl", "task:submit", r#", "summary": "Done so far.""#)
        .expect_code(0);
    clone(&project);
    let place = &project.place;
    let before = files_below(&place.path("clone/workflow"));
    let planned = run_in(place, "clone", &["workspace", "adopt", "--dry-run"], "");
    assert_eq!(planned.expect_code(0).at("/items"), Value::from(3_i64));
    let adopted = run_in(place, "clone", &["workspace", "adopt"], "");
    assert_eq!(adopted.expect_code(0).at("/items"), Value::from(3_i64));
    assert_eq!(files_below(&place.path("clone/workflow")), before);
    let args = format!(r#"{{"chainId": "{CHAIN}", "taskId": "{TASK}"}}"#);
    let status = ["call", "task:status", "--role", "impl"];
    let found = run_in(place, "clone", &status, &args);
    assert_eq!(text(found.expect_code(0), "/output/status"), "in-review");
    // The work goes on, and what the log does not know stays in the file.
    let approve = ["call", "task:approve", "--role", "review"];
    run_in(place, "clone", &approve, &args).expect_code(0);
    let file = read(&place.path(&format!("clone/workflow/tasks/{CHAIN}/{TASK}.md")));
    assert!(
        file.contains("status: done") && file.contains("Done so far."),
        "{file}"
    );
    // A second time there is nothing to take.
    let again = run_in(place, "clone", &["workspace", "adopt"], "");
    assert_eq!(again.expect_code(0).at("/items"), Value::from(0_i64));
}

#[test]
fn a_restored_backup_is_said_and_adopted_with_its_log() {
    let project = Project::started();
    let place = &project.place;
    // Put back at the same path: another folder with the same content.
    copy(&place.path("work"), &place.path("saved"));
    std::fs::remove_dir_all(place.path("work")).expect("is there");
    copy(&place.path("saved"), &place.path("work"));
    let refused = place.run(&LIST, "{}");
    assert_eq!(reason(refused.expect_code(1)), "workspace_copied");
    assert!(
        refused.stderr.contains("workspace adopt"),
        "{}",
        refused.stderr
    );
    let refused = project.call("ideation", "request:create", SAME_TITLE);
    assert_eq!(reason(&refused), "workspace_copied");
    let doctor = place.run(&["doctor"], "");
    assert!(
        doctor.stdout.contains("workspace adopt"),
        "{}",
        doctor.stdout
    );
    place.run(&["workspace", "adopt"], "").expect_code(0);
    let listed = place.run(&LIST, "{}");
    assert_eq!(
        text(listed.expect_code(0), "/output/requests/0/requestId"),
        project.request
    );
    assert_eq!(project.status(), "in-progress");
    place.run(&["audit", "verify"], "").expect_code(0);
}

#[test]
fn a_copy_beside_its_original_becomes_a_workspace_of_its_own() {
    let project = Project::started();
    let place = &project.place;
    copy(&place.path("work"), &place.path("copy"));
    run_in(place, "copy", &["workspace", "adopt"], "").expect_code(0);
    let create = ["call", "request:create", "--role", "ideation"];
    let there = text(
        run_in(place, "copy", &create, SAME_TITLE).expect_code(0),
        "/output/id",
    );
    let here = text(
        &project.ok("ideation", "request:create", SAME_TITLE),
        "/output/id",
    );
    assert_ne!(here, there);
    let listed = run_in(place, "copy", &LIST, "{}");
    let requests = listed.expect_code(0).at("/output/requests");
    assert_eq!(requests.items().map(|items| items.len()), Some(2));
}

#[test]
fn a_copy_answers_and_continues_nothing_of_its_original() {
    let place = Place::new();
    place.write("mathchain.toml", "version = 1\n");
    place.write(
        "plan.yaml",
        "version: 1\nsteps:\n  - id: write\n    tool: write_file\n    args: { path: out.txt, content: x }\n",
    );
    let suspended = place.run(&["run", "plan.yaml", "--json"], "");
    let run = text(suspended.expect_code(4), "/metadata/chain_id");
    let approval = text(&suspended, "/metadata/approval_id");
    copy(&place.path("work"), &place.path("copy"));
    for args in [
        &["approve", &approval, "--resume"][..],
        &["deny", &approval],
        &["runs", "resume", &run],
        &["runs", "cancel", &run],
    ] {
        let refused = run_in(&place, "copy", args, "");
        assert_eq!(
            reason(&refused),
            "workspace_copied",
            "{args:?}: {}",
            refused.stdout
        );
    }
    // Nor once it has an identity of its own.
    run_in(&place, "copy", &["workspace", "adopt"], "").expect_code(0);
    for args in [
        &["approve", &approval, "--resume"][..],
        &["runs", "resume", &run],
    ] {
        let refused = run_in(&place, "copy", args, "");
        assert_eq!(
            reason(&refused),
            "workspace_copied",
            "{args:?}: {}",
            refused.stdout
        );
    }
    assert!(!place.path("work/out.txt").exists() && !place.path("copy/out.txt").exists());
    // The original goes on.
    place
        .run(&["approve", &approval, "--resume"], "")
        .expect_code(0);
    assert!(place.path("work/out.txt").exists());
}

#[test]
fn a_page_with_too_many_keys_holds_nobody_up() {
    let project = Project::started();
    let keys: String = (0..30_000).map(|key| format!("k{key}: v\n")).collect();
    let path = format!("workflow/tasks/{CHAIN}/{TASK}.md");
    let page = format!("---\n{keys}---\n");
    project.place.write(&path, &page);
    let blocked = project.task("operator", "task:block", r#", "reason": "waits""#);
    let warnings = blocked.expect_code(0).at("/warnings").to_string();
    assert!(warnings.contains("the limit is"), "{warnings}");
    assert_eq!(project.status(), "blocked");
    assert_eq!(project.place.read(&path), page, "the page stays as it was");
}

#[test]
fn a_backup_of_a_state_is_restored_with_everything_in_it() {
    let project = Project::started();
    let place = &project.place;
    let saved = place.run(&["state", "backup", "--to", "../state.tar"], "");
    assert!(saved.expect_code(0).at("/records").as_i64() > Some(0));
    // A state that is there is not replaced by the way.
    let refused = place.run(&["state", "restore", "../state.tar"], "");
    assert_eq!(reason(refused.expect_code(1)), "state_exists");
    project
        .task("operator", "task:block", r#", "reason": "waits""#)
        .expect_code(0);
    place
        .run(&["state", "restore", "../state.tar", "--force"], "")
        .expect_code(0);
    assert_eq!(project.status(), "in-progress");
    // In another folder it is a copy, until it is adopted.
    clone(&project);
    run_in(place, "clone", &["state", "restore", "../state.tar"], "").expect_code(0);
    let refused = run_in(place, "clone", &LIST, "{}");
    assert_eq!(reason(&refused), "workspace_copied");
    run_in(place, "clone", &["workspace", "adopt"], "").expect_code(0);
    let listed = run_in(place, "clone", &LIST, "{}");
    assert_eq!(
        text(listed.expect_code(0), "/output/requests/0/requestId"),
        project.request
    );
    run_in(place, "clone", &["audit", "verify"], "").expect_code(0);
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "a test changes a file as damage would"
)]
fn a_damaged_backup_is_refused_and_replaces_nothing() {
    let project = Project::started();
    let place = &project.place;
    place
        .run(&["state", "backup", "--to", "../state.tar"], "")
        .expect_code(0);
    let mut bytes = std::fs::read(place.path("state.tar")).expect("reads");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(place.path("state.tar"), bytes).expect("writes");
    let refused = place.run(&["state", "restore", "../state.tar", "--force"], "");
    assert_eq!(reason(refused.expect_code(2)), "backup");
    assert_eq!(project.status(), "in-progress");
}

#[test]
fn no_plan_decides_what_a_person_or_a_reviewer_decides() {
    let project = Project::started();
    project.task("impl", "task:submit", "").expect_code(0);
    for (tool, args) in [
        ("task:approve", format!("chainId: {CHAIN}, taskId: {TASK}")),
        ("gate:satisfy", "workflowId: WF-20250101-001".to_owned()),
        (
            "feedback:respond",
            "workflowId: WF-20250101-001, feedbackId: FB-001, content: x".to_owned(),
        ),
    ] {
        let plan =
            format!("version: 1\nsteps:\n  - {{id: a, tool: \"{tool}\", args: {{{args}}}}}\n");
        project.place.write("plan.yaml", &plan);
        let refused = project.place.run(&["run", "plan.yaml", "--json"], "");
        assert_ne!(refused.code, 0, "{tool}");
        assert!(
            refused.stdout.contains("cannot be used in a plan"),
            "{tool}: {}",
            refused.stdout
        );
    }
    assert_eq!(project.status(), "in-review");
}
