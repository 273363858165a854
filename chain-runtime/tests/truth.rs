//! Answers that are true to the end: what was damaged or collected is named, and so is what ended a run.

#![expect(
    clippy::disallowed_methods,
    reason = "the tests damage what a run left"
)]

use std::path::{Path, PathBuf};

use chain_runtime::run::{ResumeRequest, RunReplayResult, replay_run};
use chain_runtime::{ChainResult, ChainStatus, RunOptions, StepStatus};
use journal::{RetentionPolicy, RunState};
use rusqlite::Connection;
use tool_core::{ErrorCode, ToolError, Value};

use crate::durable::{Durable, approval_of, asker};
use crate::fakes::{World, logged, operator, statuses, steps};

fn replayed(durable: &Durable, id: &str) -> Result<RunReplayResult, ToolError> {
    let options = RunOptions::default();
    replay_run(&durable.state, id, &durable.asking(), &operator(), options)
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let folders = std::fs::read_dir(folder.join("artifacts")).unwrap();
    let files = folders.flat_map(|folder| std::fs::read_dir(folder.unwrap().path()).unwrap());
    files.map(|file| file.unwrap().path()).collect()
}

fn flip(file: &Path) {
    let mut bytes = std::fs::read(file).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    std::fs::write(file, bytes).unwrap();
}

#[test]
fn a_replay_names_the_results_that_are_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let durable = Durable::open(folder.path());
    let result = durable.run(
        &steps(&[
            "{id: b, tool: block, args: {count: 9000, value: 2.5}}",
            "{id: r, tool: random, args: {count: 2}}",
        ]),
        &operator(),
    );
    let sound = replayed(&durable, &result.chain_id).unwrap();
    assert_eq!(
        (sound.compared.same, sound.compared.unreadable.len()),
        (2, 0)
    );
    let [file] = files(folder.path()).try_into().unwrap();
    flip(&file);
    let damaged = replayed(&durable, &result.chain_id).unwrap();
    // What was computed agrees with the recorded digests; that the kept block is damaged is said all the same.
    assert_eq!(damaged.compared.same, 2);
    assert!(damaged.compared.divergences.is_empty());
    let [unreadable] = &damaged.compared.unreadable[..] else {
        panic!("{:?}", damaged.compared)
    };
    assert_eq!(
        (&*unreadable.what, unreadable.error.reason_str()),
        ("b", Some("artifact_corrupt"))
    );
}

/// What came from the world cannot be computed again: without its record there is nothing to go on with.
#[test]
fn a_replay_names_results_of_the_world_that_are_gone() {
    let folder = tempfile::tempdir().unwrap();
    let durable = Durable::open(folder.path());
    let plan = steps(&["{id: f, tool: flaky, args: {key: gone, fails: 0}}"]);
    let result = durable.run(&plan, &operator());
    logged("gone");
    durable.state.flush().unwrap();
    let file = Connection::open(durable.state.file()).unwrap();
    let gone = file.execute(
        "DELETE FROM vals WHERE body LIKE '%\"status\":\"done\"%'",
        [],
    );
    assert_eq!(gone.unwrap(), 1);
    let found = replayed(&durable, &result.chain_id).unwrap();
    let [unreadable] = &found.compared.unreadable[..] else {
        panic!("{:?}", found.compared)
    };
    assert_eq!(
        (&*unreadable.what, unreadable.error.reason_str()),
        ("f", Some("artifact_missing"))
    );
    assert!(logged("gone").is_empty(), "the world was not asked again");
}

#[test]
fn a_replay_of_a_collected_run_says_that_it_was_collected() {
    let folder = tempfile::tempdir().unwrap();
    let durable = Durable::open(folder.path());
    let plan = steps(&["{id: r, tool: random, args: {count: 3}}"]);
    let collected = durable.run(&plan, &operator()).chain_id;
    // The same plan and inputs stay for another run.
    let pinned = durable.run(&plan, &operator()).chain_id;
    durable.state.pin_run(&pinned, true).unwrap();
    let keep = RetentionPolicy {
        age_ms: Some(0),
        ..RetentionPolicy::default()
    };
    assert_eq!(
        durable.state.gc(keep).unwrap().runs,
        std::slice::from_ref(&collected)
    );
    let err = replayed(&durable, &collected).unwrap_err();
    assert_eq!(
        (err.code(), err.reason_str()),
        (ErrorCode::PreconditionFailed, Some("values_collected"))
    );
    assert!(err.message().contains(&collected), "{err}");
    assert_eq!(replayed(&durable, &pinned).unwrap().compared.same, 1);
}

/// The answer is in hand, and the run is not: it stays open, and the answer does not call that a success.
#[test]
fn a_run_that_cannot_be_written_to_its_end_is_no_success() {
    let folder = tempfile::tempdir().unwrap();
    let durable = Durable::open(folder.path());
    let plan = steps(&[
        "{id: a, tool: block, args: {count: 3000, value: 2.5}}",
        "{id: b, tool: block, args: {count: 3000, value: 3.5}}",
        "{id: c, tool: block, args: {count: 3000, value: 4.5}}",
    ]) + "outputs: {a: {$ref: a.data}, b: {$ref: b.data}, c: {$ref: c.data}}\n";
    // Each is a row, all of them together are a file, and there is no place for one.
    let place = folder.path().join("artifacts");
    let _ = std::fs::remove_dir_all(&place);
    std::fs::write(&place, "in the way").unwrap();
    let result = durable.run(&plan, &operator());
    let id = result.chain_id.clone();
    let outcome = result.to_outcome();
    let err = outcome.err().unwrap();
    assert_eq!(
        (err.code(), err.reason_str()),
        (ErrorCode::ToolError, Some("run_not_written"))
    );
    assert!(
        err.hint_str()
            .unwrap()
            .contains(&format!("runs resume {id}"))
    );
    assert!(!result.is_success());
    assert_eq!(outcome.metadata.get("success"), Some(&Value::Bool(false)));
    let answer = err.to_value().pointer("/evidence/outputs/b/2999");
    assert_eq!(answer, Some(Value::from(3.5)), "the answer is there");
    assert_eq!(statuses(&result), "a:done b:done c:done");
    assert_eq!(durable.state_of(&id), RunState::Running);

    std::fs::remove_file(&place).unwrap();
    let durable = Durable::open(folder.path());
    let result = durable
        .resume(&id, &operator(), &ResumeRequest::default())
        .unwrap();
    assert_eq!(result.status, ChainStatus::Success);
    assert_eq!(durable.state_of(&id), RunState::Succeeded);
}

fn error(result: &ChainResult) -> (ErrorCode, &str, &str) {
    let error = result.error.as_ref().unwrap();
    let reason = error.reason_str().unwrap_or_default();
    (error.code(), reason, error.hint_str().unwrap_or_default())
}

/// Whichever limit comes first is named, with its own hint; also in what the stopped call answers.
#[test]
fn the_limit_that_ended_a_run_is_named() {
    let slow = steps(&["{id: a, tool: note, args: {key: k, text: x, sleep_ms: 9000}}"]);
    let run = |limits: &str| {
        let result = World::new().run(&format!("{limits}\n{slow}"));
        assert_eq!(result.status, ChainStatus::Cancelled, "{limits}");
        assert_eq!(result.steps[0].end.status, StepStatus::Cancelled);
        result
    };
    let wall = run("budget: {wall_ms: 30}\ndeadline_ms: 8000");
    let expected = (
        ErrorCode::LimitExceeded,
        "budget_exceeded",
        "raise `budget.wall_ms` of the plan",
    );
    assert_eq!(error(&wall), expected);
    assert!(wall.error.unwrap().message().contains("`wall_ms`"));
    let deadline = run("budget: {wall_ms: 8000}\ndeadline_ms: 30");
    let expected = (
        ErrorCode::Timeout,
        "deadline_ms",
        "raise `deadline_ms` of the plan",
    );
    assert_eq!(error(&deadline), expected);
    let step = World::new().run(&steps(&[
        "{id: a, tool: note, deadline_ms: 30, args: {key: k, text: x, sleep_ms: 9000}}",
    ]));
    let expected = (
        ErrorCode::Timeout,
        "deadline_ms",
        "raise `deadline_ms` of the step",
    );
    assert_eq!(error(&step), expected);
}

/// What was spent before the run waited counts for `wall_ms`, and the wait does not.
#[test]
fn the_budget_of_time_goes_on_where_it_stood() {
    let folder = tempfile::tempdir().unwrap();
    let durable = Durable::open(folder.path());
    let plan = format!(
        "budget: {{wall_ms: 900}}\n{}",
        steps(&[
            "{id: before, tool: note, args: {key: wall, text: before, sleep_ms: 600}}",
            "{id: w, tool: write, after: [before], args: {key: wall, path: out}}",
            "{id: late, tool: note, after: [w], args: {key: wall, text: late, sleep_ms: 600}}",
        ])
    );
    let result = durable.run(&plan, &asker());
    assert_eq!(result.status, ChainStatus::Suspended);
    let (id, approval) = (result.chain_id.clone(), approval_of(&result, "w"));
    let hint = result.error.as_ref().unwrap().hint_str().unwrap();
    assert_eq!(
        hint,
        format!("`mathchain approve {approval}`, then `mathchain runs resume {id}`")
    );
    std::thread::sleep(std::time::Duration::from_millis(500));
    durable.state.approve(&approval, "terminal").unwrap();
    let result = durable
        .resume(&id, &asker(), &ResumeRequest::default())
        .unwrap();
    assert_eq!(statuses(&result), "before:done w:done late:cancelled");
    assert_eq!(error(&result).1, "budget_exceeded");
    logged("wall");
}

/// What calls took before the run waited counts for `cpu_ms`.
#[test]
fn the_budget_of_calls_goes_on_where_it_stood() {
    let folder = tempfile::tempdir().unwrap();
    let durable = Durable::open(folder.path());
    let plan = format!(
        "budget: {{cpu_ms: 100}}\n{}",
        steps(&[
            "{id: before, tool: note, args: {key: cpu, text: before, sleep_ms: 60}}",
            "{id: w, tool: write, after: [before], args: {key: cpu, path: out}}",
            "{id: late, tool: note, after: [w], args: {key: cpu, text: late, sleep_ms: 60}}",
            "{id: end, tool: note, after: [late], args: {key: cpu, text: end}}",
        ])
    );
    let result = durable.run(&plan, &asker());
    let (id, approval) = (result.chain_id.clone(), approval_of(&result, "w"));
    durable.state.approve(&approval, "terminal").unwrap();
    let result = durable
        .resume(&id, &asker(), &ResumeRequest::default())
        .unwrap();
    assert_eq!(
        statuses(&result),
        "before:done w:done late:done end:cancelled"
    );
    assert_eq!(error(&result).1, "budget_exceeded");
    logged("cpu");
}
