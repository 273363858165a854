//! Due times of schedules.

use super::*;

const HOUR_MS: u64 = 60 * 60 * 1000;

fn due(name: &str, due_ms: u64) -> DueTime<'_> {
    DueTime {
        workspace: "w",
        name,
        due_ms,
    }
}

#[test]
fn of_two_processes_one_claims_a_due_time() {
    let top = folder();
    let (one, other) = (open(top.path()), open(top.path()));
    let mark = one.schedule_mark("w", "s", "hourly").unwrap();
    assert_eq!(other.schedule_mark("w", "s", "hourly").unwrap(), mark);
    let at = due("s", mark + HOUR_MS);
    assert!(one.claim_due(&at, DueClaim::Run("run1")).unwrap());
    assert!(!other.claim_due(&at, DueClaim::Run("run2")).unwrap());
    assert!(!one.claim_due(&at, DueClaim::Missed).unwrap());
    // Another schedule and another workspace have times of their own.
    assert!(
        other
            .claim_due(&due("t", at.due_ms), DueClaim::Missed)
            .unwrap()
    );
    let elsewhere = DueTime {
        workspace: "x",
        ..at
    };
    assert!(
        other
            .claim_due(&elsewhere, DueClaim::Refused("no"))
            .unwrap()
    );
    assert_eq!(other.schedule_mark("w", "s", "hourly").unwrap(), at.due_ms);
    let of = |name| one.schedule_times("w", name, 10).unwrap();
    assert_eq!(of(Some("s"))[0].run.as_deref(), Some("run1"));
    assert_eq!(of(None).len(), 2);
    let records = format!("{:?}", one.audit_list(None, 10).unwrap());
    assert!(
        records.contains("schedule") && records.contains("run1"),
        "{records}"
    );
    assert!(one.verify(&[], true).unwrap().is_sound());
}

#[test]
fn other_times_begin_anew_and_the_same_go_on() {
    let top = folder();
    let at = |ms: u64| StateStore::open(top.path(), TestClock::at(NOW + ms)).unwrap();
    assert_eq!(at(0).schedule_mark("w", "s", "hourly").unwrap(), NOW);
    assert_eq!(at(HOUR_MS).schedule_mark("w", "s", "hourly").unwrap(), NOW);
    let daily = at(HOUR_MS).schedule_mark("w", "s", "daily").unwrap();
    assert_eq!(daily, NOW + HOUR_MS);
}

#[test]
fn a_claim_is_taken_over_only_from_a_process_that_ended_before_its_run_was_recorded() {
    let top = folder();
    let clock = TestClock::at(NOW);
    let machine = Arc::new(Machine::default());
    let first = machine.open(top.path(), &clock, 1);
    first.schedule_mark("w", "s", "d").unwrap();
    let (idle, recorded) = (due("s", NOW), due("s", NOW + 1));
    assert!(first.claim_due(&idle, DueClaim::Run("run1")).unwrap());
    assert!(first.claim_due(&recorded, DueClaim::Run("run2")).unwrap());
    let header = RunHeader {
        id: Some("run2".to_owned()),
        ..RunHeader::default()
    };
    drop(first.begin_run(&header).unwrap());
    let second = machine.open(top.path(), &clock, 2);
    assert_eq!(
        second.take_over_due("w", "s").unwrap(),
        [],
        "its process runs"
    );
    machine.kill(1);
    let taken = second.take_over_due("w", "s").unwrap();
    assert_eq!(taken, [(NOW, "run1".to_owned())]);
    let third = machine.open(top.path(), &clock, 3);
    assert_eq!(third.take_over_due("w", "s").unwrap(), [], "taken once");
    let outcomes = |state: &StateStore| {
        let found = state.schedule_times("w", None, 9).unwrap().into_iter();
        found.map(|one| one.outcome).collect::<Vec<_>>()
    };
    assert_eq!(outcomes(&third), ["begun", "claimed"]);
    // What began is not refused any more.
    third.refuse_due(&recorded, "late").unwrap();
    third.refuse_due(&idle, "no such role").unwrap();
    assert_eq!(outcomes(&third), ["begun", "refused"]);
    assert_eq!(second.take_over_due("w", "s").unwrap(), []);
}

#[test]
fn old_times_are_forgotten_and_not_claimed_again() {
    let top = folder();
    let state = open(top.path());
    state.schedule_mark("w", "s", "d").unwrap();
    for at in 1..=1003 {
        assert!(
            state
                .claim_due(&due("s", NOW + at), DueClaim::Missed)
                .unwrap()
        );
    }
    let kept = state.schedule_times("w", Some("s"), 2000).unwrap();
    assert_eq!(
        (kept.len(), kept.last().map(|one| one.due_ms)),
        (1000, Some(NOW + 4))
    );
    assert!(
        !state
            .claim_due(&due("s", NOW + 1), DueClaim::Run("r"))
            .unwrap()
    );
}
