//! Runs that go on where something is not as it was: tools, the plan, values on disk, the clock, and others who want the same run.

#![expect(
    clippy::disallowed_methods,
    reason = "the test damages what a run left on disk"
)]

use std::path::{Path, PathBuf};
use std::sync::{Arc, Barrier};

use chain_runtime::run::{ResumeRequest, resume_recorded_run};
use chain_runtime::{ChainResult, ChainStatus, RunOptions};
use fakes::TestClock;
use journal::{FILE_NAME, RunState, StateStore};
use registry::Dispatcher;
use tool_core::capability::Clock;
use tool_core::{ErrorCode, Object, ToolError};

use crate::durable::{Durable, approval_of, asker, effects, outputs};
use crate::fakes::{World, logged, operator, parse, statuses, steps};

/// A run that waits for its effect, which is approved meanwhile: its id.
fn suspended(folder: &Path, plan: &str, key: &str) -> String {
    let durable = Durable::open(folder);
    let result = durable.run(plan, &asker());
    assert_eq!(result.status, ChainStatus::Suspended, "{:?}", result.error);
    let approval = approval_of(&result, "w");
    durable.state.approve(&approval, "terminal").unwrap();
    logged(key);
    result.chain_id
}

#[test]
fn a_tool_of_another_version_is_a_conflict_until_somebody_accepts_it() {
    let folder = tempfile::tempdir().unwrap();
    let plan = steps(&[
        "{id: a, tool: any, args: {value: 1}}",
        "{id: w, tool: write, after: [a], args: {key: later, path: out}}",
        "{id: b, tool: any, after: [w], args: {value: {$ref: a.result}}}",
    ]) + "outputs: {b: {$ref: b.result}}\n";
    let id = suspended(folder.path(), &plan, "later");
    let durable = Durable::later(folder.path());
    let err = durable.resume(&id, &asker(), &ResumeRequest::default());
    let err = err.unwrap_err();
    assert_eq!(
        (err.code(), err.reason_str()),
        (ErrorCode::Conflict, Some("tool_changed"))
    );
    assert!(err.message().ends_with(": `any` 1 -> 2"), "{err}");
    assert!(err.hint_str().unwrap().contains("--accept-changes"));
    assert!(logged("later").is_empty(), "nothing was called");
    assert_eq!(durable.state_of(&id), RunState::Suspended);
    let how = ResumeRequest {
        accept_changes: true,
        ..ResumeRequest::default()
    };
    // With another tool the policy is another one, under which the approval does not hold.
    let waiting = durable.resume(&id, &asker(), &how).unwrap();
    assert_eq!(waiting.status, ChainStatus::Suspended);
    assert!(logged("later").is_empty());
    let approval = approval_of(&waiting, "w");
    durable.state.approve(&approval, "terminal").unwrap();
    let result = durable.resume(&id, &asker(), &how).unwrap();
    assert_eq!(outputs(&result), r#"{"b":1}"#, "{:?}", result.error);
    assert_eq!(logged("later"), ["write out "]);
}

/// The plan of a run stands in the state under the hash of its bytes: another one in its place is no plan of this run.
#[test]
fn a_plan_that_was_changed_on_disk_is_not_gone_on_with() {
    for (damage, reason) in [
        (
            "UPDATE vals SET body = replace(body, 'beside', 'inside') WHERE body LIKE '%beside%'",
            "artifact_corrupt",
        ),
        (
            "UPDATE vals SET body = substr(body, 1, length(body) / 2) WHERE body LIKE '%beside%'",
            "artifact_corrupt",
        ),
        (
            "DELETE FROM vals WHERE body LIKE '%beside%'",
            "artifact_missing",
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let id = suspended(folder.path(), &effects("changed-plan"), "changed-plan");
        let file = rusqlite::Connection::open(folder.path().join(FILE_NAME)).unwrap();
        let changed = file.execute(damage, []).unwrap();
        assert!(changed > 0, "{damage}");
        drop(file);
        let durable = Durable::open(folder.path());
        let err = durable.resume(&id, &asker(), &ResumeRequest::default());
        assert_eq!(err.unwrap_err().reason_str(), Some(reason), "{damage}");
        assert!(logged("changed-plan").is_empty(), "{damage}");
        assert_eq!(durable.state_of(&id), RunState::Suspended, "{damage}");
    }
}

/// The only file of an ending among the artifacts.
fn artifact(folder: &Path, ending: &str) -> PathBuf {
    let folders = std::fs::read_dir(folder.join("artifacts")).unwrap();
    let files = folders.flat_map(|folder| std::fs::read_dir(folder.unwrap().path()).unwrap());
    let mut files = files.map(|file| file.unwrap().path()).filter(|file| {
        let found = file.extension().and_then(|found| found.to_str());
        found == Some(ending)
    });
    let file = files.next().unwrap();
    assert_eq!(files.next(), None);
    file
}

fn flip(file: &Path) {
    let mut bytes = std::fs::read(file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(file, bytes).unwrap();
}

fn cut(file: &Path) {
    let bytes = std::fs::read(file).unwrap();
    std::fs::write(file, &bytes[..bytes.len() / 2]).unwrap();
}

fn remove(file: &Path) {
    std::fs::remove_file(file).unwrap();
}

/// What is kept of a step and is damaged: a function of its arguments is computed again; an effect is not repeated, and its
/// step fails.
#[test]
fn a_damaged_result_is_computed_again_or_fails_and_no_effect_is_repeated() {
    let long = "x".repeat(5_000);
    // `big` is kept as an array in a file, what `first` gave as a text in another.
    let plan = steps(&[
        "{id: big, tool: block, args: {count: 8000, value: 2}}",
        &format!("{{id: part, tool: any, args: {{value: {long}}}}}"),
        "{id: first, tool: flaky, args: {key: damage, fails: 0}}",
        "{id: long, tool: shell, after: [first], on_error: skip_dependents, args: {key: damage, text: {$fmt: \"{}{}{}{}{}{}{}{}\", args: [{$ref: part.result}, {$ref: part.result}, {$ref: part.result}, {$ref: part.result}, {$ref: part.result}, {$ref: part.result}, {$ref: part.result}, {$ref: part.result}]}}}",
        "{id: w, tool: write, after: [long], args: {key: damage, path: out}}",
        "{id: sum, tool: sum, after: [w], args: {data: {$ref: big.data}}}",
    ]) + "outputs: {sum: {$ref: sum.sum}}\n";
    type Damage = fn(&Path);
    let damages: [(Damage, &str); 3] = [
        (flip, "artifact_corrupt"),
        (cut, "artifact_corrupt"),
        (remove, "artifact_missing"),
    ];
    for (damage, reason) in damages {
        for ending in ["npy", "json"] {
            let folder = tempfile::tempdir().unwrap();
            let id = waiting_behind_an_effect(folder.path(), &plan);
            damage(&artifact(folder.path(), ending));
            let durable = Durable::open(folder.path());
            let result = durable
                .resume(&id, &asker(), &ResumeRequest::default())
                .unwrap();
            let called = logged("damage");
            assert!(
                !called.iter().any(|line| line.starts_with("shell")),
                "{called:?}"
            );
            if ending == "npy" {
                assert_eq!(outputs(&result), r#"{"sum":16000.0}"#, "{:?}", result.error);
                assert_eq!(called, ["write out "]);
                assert_eq!(durable.replay(&id, 2).result_same, Some(true));
            } else {
                let error = result.steps[3].end.error.as_ref().unwrap();
                assert_eq!(error.reason_str(), Some(reason));
                assert_eq!(result.status, ChainStatus::Failed);
                assert!(called.is_empty(), "{called:?}");
            }
        }
    }
}

/// Runs until `w` waits, where `long` was approved and done before.
fn waiting_behind_an_effect(folder: &Path, plan: &str) -> String {
    let durable = Durable::open(folder);
    let result = durable.run(plan, &asker());
    let approve = |result: &ChainResult, step: &str| {
        let approval = approval_of(result, step);
        durable.state.approve(&approval, "terminal").unwrap();
    };
    approve(&result, "long");
    let id = result.chain_id;
    let result = durable
        .resume(&id, &asker(), &ResumeRequest::default())
        .unwrap();
    assert_eq!(result.status, ChainStatus::Suspended, "{:?}", result.error);
    approve(&result, "w");
    assert_eq!(logged("damage").len(), 2);
    id
}

/// Several go on with one run at the same moment: one of them does what is left, once.
#[test]
fn of_several_who_go_on_at_once_one_does() {
    const MANY: usize = 6;
    for _ in 0..5 {
        let folder = tempfile::tempdir().unwrap();
        let id = suspended(folder.path(), &effects("at-once"), "at-once");
        let all: Vec<Durable> = (0..MANY).map(|_| Durable::open(folder.path())).collect();
        let start = Barrier::new(MANY);
        let ends: Vec<Result<ChainResult, ToolError>> = std::thread::scope(|scope| {
            let go_on = |durable| {
                start.wait();
                Durable::resume(durable, &id, &asker(), &ResumeRequest::default())
            };
            let threads: Vec<_> = all
                .iter()
                .map(|one| scope.spawn(move || go_on(one)))
                .collect();
            threads
                .into_iter()
                .map(|thread| thread.join().unwrap())
                .collect()
        });
        let (done, refused): (Vec<_>, Vec<_>) = ends.into_iter().partition(Result::is_ok);
        assert_eq!(done.len(), 1);
        assert_eq!(outputs(done[0].as_ref().unwrap()), r#"{"text":"first"}"#);
        for err in refused {
            let err = err.unwrap_err();
            let reason = err.reason_str();
            assert!(matches!(reason, Some("run_busy" | "run_ended")), "{err:?}");
        }
        assert_eq!(logged("at-once"), ["write out first", "note first"]);
        assert!(all[0].state.verify(&[], true).unwrap().is_sound());
    }
}

const NOW: u64 = 1_700_000_000_000;
const YEAR: u64 = 365 * 24 * 3_600_000;

/// A run that waits for `w`, after which the clock is set; goes on with it.
struct Dated {
    _folder: tempfile::TempDir,
    calendar: Arc<TestClock>,
    state: Arc<StateStore>,
    dispatcher: Dispatcher,
    id: String,
}

impl Dated {
    fn new(plan: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let calendar = TestClock::running(NOW);
        let clock = Arc::clone(&calendar) as Arc<dyn Clock>;
        let state = Arc::new(StateStore::open(folder.path(), clock).unwrap());
        let world = World::written(Some(Arc::clone(&state)));
        let dispatcher = world.dispatcher.with_host(|host| {
            host.ledger = Some(Arc::clone(&state) as _);
            host.approvals = Some(Arc::clone(&state) as _);
        });
        let options = RunOptions {
            state: Some(Arc::clone(&state)),
            ..RunOptions::default()
        };
        let none = Object::new();
        let run = chain_runtime::execute_plan(&parse(plan), &dispatcher, &asker(), &none, options);
        let run = run.unwrap();
        assert_eq!(run.status, ChainStatus::Suspended, "{:?}", run.error);
        Self {
            _folder: folder,
            calendar,
            state,
            dispatcher,
            id: run.chain_id,
        }
    }

    fn go_on(&self) -> ChainResult {
        let (options, how) = (RunOptions::default(), ResumeRequest::default());
        resume_recorded_run(
            &self.state,
            &self.id,
            &self.dispatcher,
            &asker(),
            options,
            &how,
        )
        .unwrap()
    }
}

/// The clock is set back while a run waits: it goes on, its budget of time is not spent by that, and its result is the same.
#[test]
fn a_run_goes_on_after_the_clock_was_set_back() {
    for then in [1, NOW - YEAR, NOW - 1] {
        let plan = format!("budget: {{wall_ms: 60000}}\n{}", effects("set-back"));
        let run = Dated::new(&plan);
        run.calendar.set(then);
        let waiting = run.go_on();
        assert_eq!(waiting.status, ChainStatus::Suspended, "{then}");
        let approval = approval_of(&waiting, "w");
        run.state.approve(&approval, "terminal").unwrap();
        let result = run.go_on();
        assert_eq!(
            outputs(&result),
            r#"{"text":"first"}"#,
            "{then}: {:?}",
            result.error
        );
        let calls = logged("set-back");
        let writes = calls.iter().filter(|line| line.starts_with("write"));
        assert_eq!(writes.count(), 1, "{then}");
        assert!(run.state.verify(&[], true).unwrap().is_sound(), "{then}");
    }
}

/// Case T18, the other half: an approval that nobody gave in time denies its step; what was done is undone in reverse. No time of
/// the budget is spent by the wait.
#[test]
fn an_approval_that_expired_ends_the_chain() {
    let plan = format!(
        "budget: {{wall_ms: 60000}}\n{}",
        steps(&[
            "{id: one, tool: any, args: {value: 1}, compensate: {tool: note, args: {key: t18x, text: undo one}}}",
            "{id: two, tool: any, args: {value: 2}, compensate: {tool: note, args: {key: t18x, text: undo two}}}",
            "{id: w, tool: write, on_error: skip_dependents, args: {key: t18x, path: out}}",
            "{id: after, tool: any, args: {value: {$ref: w.text}}}",
        ])
    );
    let run = Dated::new(&plan);
    run.calendar.set(NOW + YEAR);
    let result = run.go_on();
    assert_eq!(
        statuses(&result),
        "one:done two:done w:denied after:skipped(w)"
    );
    let error = result.steps[2].end.error.as_ref().unwrap();
    assert_eq!(error.code(), ErrorCode::ApprovalExpired, "{error:?}");
    assert_eq!(logged("t18x"), ["note undo two", "note undo one"]);
    assert_eq!(run.state.run(&run.id).unwrap().state, RunState::Failed);
}

/// No record can be written any more, as on a full disk: the effect does not happen, and the run goes on when there is room.
#[test]
fn without_room_for_its_records_a_run_stops_before_its_effect() {
    let folder = tempfile::tempdir().unwrap();
    let durable = Durable::open(folder.path());
    let file = rusqlite::Connection::open(folder.path().join(FILE_NAME)).unwrap();
    file.execute_batch(
        "CREATE TRIGGER no_room BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'no room'); END;",
    )
    .unwrap();
    let result = durable.run(&effects("no-room"), &operator());
    assert!(!result.is_success(), "{}", statuses(&result));
    let error = result.error.as_ref().unwrap();
    let reason = error.reason_str().unwrap_or_default();
    assert!(reason.starts_with("state_"), "{error:?}");
    let wrote = |line: &String| line.starts_with("write");
    assert!(!logged("no-room").iter().any(wrote));
    drop(durable);
    // The lease was not given back either; it ends with the process that holds it.
    file.execute_batch("DROP TRIGGER no_room; UPDATE runs SET lease_owner = NULL")
        .unwrap();
    let durable = Durable::open(folder.path());
    let result = durable.resume(&result.chain_id, &operator(), &ResumeRequest::default());
    let result = result.unwrap();
    assert_eq!(
        outputs(&result),
        r#"{"text":"first"}"#,
        "{:?}",
        result.error
    );
    assert_eq!(
        logged("no-room").iter().filter(|line| wrote(line)).count(),
        1
    );
    assert!(durable.state.verify(&[], true).unwrap().is_sound());
}
