use std::fs;

use super::*;
use crate::artifacts::FOLDER;

const DAY_MS: u64 = 24 * 3_600_000;

fn matrix(first: f64) -> Value {
    let mut data = vec![0.25; 10_000];
    data[0] = first;
    Value::vector(data)
}

fn files(top: &Path) -> usize {
    let Ok(folders) = fs::read_dir(top.join(FOLDER)) else {
        return 0;
    };
    folders
        .map(|folder| fs::read_dir(folder.unwrap().path()).unwrap().count())
        .sum()
}

struct Place {
    top: TempDir,
    clock: Arc<TestClock>,
    machine: Arc<Machine>,
    state: Arc<StateStore>,
}

impl Place {
    fn new() -> Self {
        let (top, clock, machine) = (folder(), TestClock::at(NOW), Arc::new(Machine::default()));
        let state = machine.open(top.path(), &clock, 1);
        Self {
            top,
            clock,
            machine,
            state,
        }
    }

    /// A run with a matrix of its own and one that all share, a day after the last.
    fn run(&self, first: f64, end: Option<RunState>) -> Arc<Journal> {
        self.clock.advance(DAY_MS);
        let journal = self.state.begin_run(&header()).unwrap();
        journal
            .put(&Value::object([("m", matrix(first)), ("n", Value::Int(1))]))
            .unwrap();
        journal.put(&matrix(0.0)).unwrap();
        if let Some(end) = end {
            journal.finish(end).unwrap();
        }
        journal
    }

    fn gc(&self, days: Option<u64>, quota_bytes: Option<u64>) -> GcReport {
        let keep = RetentionPolicy {
            age_ms: days.map(|days| days * DAY_MS),
            quota_bytes,
            dry_run: true,
        };
        let before = (
            files(self.top.path()),
            self.state.artifacts(None, 99).unwrap().len(),
        );
        let said = self.state.gc(keep).unwrap();
        assert_eq!(
            (
                files(self.top.path()),
                self.state.artifacts(None, 99).unwrap().len()
            ),
            before
        );
        let done = self
            .state
            .gc(RetentionPolicy {
                dry_run: false,
                ..keep
            })
            .unwrap();
        assert_eq!(said, done, "a dry run says what is done");
        done
    }
}

#[test]
fn old_runs_lose_their_values_and_keep_their_records() {
    let place = Place::new();
    let runs: Vec<_> = (1..=4)
        .map(|n| place.run(f64::from(n), Some(RunState::Succeeded)))
        .collect();
    let pinned = place.state.pin_run(&runs[1].id()[..8], true).unwrap();
    assert!(pinned.pinned);
    assert_eq!(files(place.top.path()), 5);
    assert_eq!(
        place.gc(None, None),
        GcReport {
            left_bytes: place.gc(None, None).left_bytes,
            ..GcReport::default()
        }
    );

    let done = place.gc(Some(2), None);
    assert_eq!(done.runs, [runs[0].id()]);
    assert_eq!(
        (done.artifacts, done.values),
        (1, 1),
        "the shared ones stay"
    );
    assert_eq!(files(place.top.path()), 4);
    let run = place.state.run(runs[0].id()).unwrap();
    assert!(run.collected);
    assert!(
        place.state.value(&run.plan).is_ok(),
        "another run has the same plan"
    );
    assert_eq!(place.gc(Some(2), None).runs, Vec::<String>::new(), "once");

    place.state.pin_run(runs[1].id(), false).unwrap();
    let done = place.gc(Some(0), None);
    assert_eq!(done.runs, [runs[1].id(), runs[2].id(), runs[3].id()]);
    assert_eq!((files(place.top.path()), done.left_bytes), (0, 0));
    let err = assert_reason(place.state.value(&run.plan), "artifact_missing");
    assert!(err.hint_str().unwrap().contains("pin"));
    let report = place.state.verify(&[], true).unwrap();
    assert!(report.is_sound(), "{:?}", report.faults);
    let told = place
        .state
        .audit_list(Some(&place.state.session()), 1)
        .unwrap();
    assert_eq!(told[0].record.get("event"), Some(&Value::from("gc")));
}

#[test]
fn what_is_open_or_waits_is_never_touched() {
    let place = Place::new();
    let _running = place.run(1.0, None);
    let _waits = place.run(2.0, Some(RunState::Suspended));
    let _asks = place.run(3.0, Some(RunState::NeedsDecision));
    // One whose process died; it can be resumed.
    let other = place.machine.open(place.top.path(), &place.clock, 2);
    let died = other.begin_run(&header()).unwrap();
    let handle = died.put(&matrix(4.0)).unwrap();
    died.state().flush().unwrap();
    place.machine.kill(2);
    place.clock.advance(1000 * DAY_MS);
    let done = place.gc(Some(0), Some(0));
    assert_eq!((done.runs.len(), done.artifacts), (0, 0));
    assert!(place.state.value(&handle).is_ok());
}

#[test]
fn a_quota_frees_the_oldest_first() {
    let place = Place::new();
    let runs: Vec<_> = (1..=4)
        .map(|n| place.run(f64::from(n), Some(RunState::Failed)))
        .collect();
    let all = place.gc(None, None).left_bytes;
    assert!(all > 5 * 80_000);
    let done = place.gc(None, Some(all));
    assert_eq!(done.runs.len(), 0);
    let done = place.gc(None, Some(all - 80_000));
    assert_eq!(done.runs, [runs[0].id()]);
    assert!(done.left_bytes <= all - 80_000);
    let done = place.gc(None, Some(200_000));
    assert_eq!(done.runs, [runs[1].id(), runs[2].id()]);
}

#[test]
fn kept_results_hold_their_value_until_they_are_old() {
    let place = Place::new();
    let journal = place.run(1.0, None);
    let handle = journal.put(&matrix(9.0)).unwrap();
    journal.finish(RunState::Succeeded).unwrap();
    place.clock.advance(DAY_MS);
    place.state.remember("k", &handle, "t", 1).unwrap();
    place.clock.advance(DAY_MS);
    let done = place.gc(Some(2), None);
    assert_eq!((done.runs.len(), done.results), (1, 0));
    assert!(place.state.cached("k").unwrap().is_some());
    place.clock.advance(3 * DAY_MS);
    let done = place.gc(Some(2), None);
    assert_eq!((done.results, done.artifacts), (1, 1));
    assert!(place.state.cached("k").unwrap().is_none());
}

/// Files of a crash: half written, or without a row. Young ones may be somebody's work; what is not ours stays.
#[test]
fn what_a_crash_left_is_removed_when_it_is_old() {
    let place = Place::new();
    let _journal = place.run(1.0, None);
    let there = place.top.path().join(FOLDER).join("ab");
    let _ = fs::create_dir(&there);
    let before = files(place.top.path());
    let names = [
        ".new-0123456789abcdef",
        &format!("{}.npy", "ab".repeat(32)),
        "README",
    ];
    for name in names {
        let file = fs::File::create(there.join(name)).unwrap();
        file.set_len(100).unwrap();
        file.set_modified(std::time::UNIX_EPOCH + Duration::from_millis(place.clock.unix_ms()))
            .unwrap();
    }
    assert_eq!(place.gc(None, None).strays, 0);
    place.clock.advance(DAY_MS);
    let done = place.gc(None, None);
    assert_eq!((done.strays, done.freed_bytes), (2, 200));
    assert_eq!(files(place.top.path()), before + 1);
    assert!(there.join("README").exists());
}
