use super::*;

#[test]
fn nothing_is_found_in_an_empty_journal_and_in_records_of_another_form() {
    let mut journal = Journal::default();
    journal.nothing();
    journal.add("aaaa", Object::new());
    for kind in ["call", "chain", "intent", "odd"] {
        let mut record = Object::new();
        record.insert("kind", kind);
        record.insert("status", "error");
        record.insert("elapsed_ms", "long");
        record.insert("attempt", -7_i64);
        record.insert("wave_timeline", "none");
        journal.add("aaaa", record);
    }
    journal.nothing();
}

#[test]
fn a_running_run_that_nobody_works_on_is_a_stall() {
    let mut journal = Journal::default();
    let holder = RunHolder {
        process: 7,
        left_ms: 20_000,
    };
    journal.run("bbbb", RunState::Running, Some(holder));
    journal.run("cccc", RunState::Suspended, None);
    journal.nothing();
    journal.run("dddd", RunState::Running, None);
    let found = journal.only(Kind::StalledRun);
    assert_eq!(found.location.run.as_deref(), Some("dddd"));
    assert!(found.next.contains("runs resume dddd"), "{}", found.next);
    assert_eq!(journal.found_in(Some("bbbb")), []);
}

#[test]
fn a_call_far_above_the_median_of_its_tool_is_a_stall() {
    let slow = Made {
        run: "slow",
        step: "fit",
        ms: 1000.5,
        ..CALL
    };
    let mut journal = Journal::default();
    journal.calls(4, CALL).call(slow);
    // Five results are enough, and the bound is the larger of 10 x 20 ms and 1000 ms.
    let found = journal.only(Kind::StalledStep);
    assert_eq!((found.measured, found.threshold), (1000.5, 1000.0));
    assert_eq!(found.location.run.as_deref(), Some("slow"));
    assert_eq!(found.location.step.as_deref(), Some("fit"));
    assert_eq!(found.location.tool.as_deref(), Some("fit"));
    assert_eq!(found.calls, ["slow-c4"]);
    assert_eq!(
        journal.found_in(Some("slow")).len(),
        1,
        "medians are of all"
    );
    assert_eq!(journal.found_in(Some("aaaa")), []);

    for calm in [
        Made { ms: 1000.0, ..slow },
        Made {
            cached: true,
            ..slow
        },
        Made {
            tool: "other",
            ..slow
        },
        Made {
            tool: "chain_run",
            ..slow
        },
    ] {
        Journal::default().calls(4, CALL).call(calm).nothing();
    }
    Journal::default().calls(3, CALL).call(slow).nothing();
    // Where a second is nothing unusual, ten times as long counts.
    let long = Made { ms: 900.0, ..CALL };
    let slow = Made { ms: 9000.0, ..slow };
    Journal::default().calls(6, long).call(slow).nothing();
    let slow = Made { ms: 9001.0, ..slow };
    let mut journal = Journal::default();
    journal.calls(6, long).call(slow);
    assert_eq!(journal.only(Kind::StalledStep).threshold, 9000.0);
}

#[test]
fn what_times_out_is_a_stall_too() {
    let mut journal = Journal::default();
    journal.calls(6, CALL).call(Made {
        ms: 60_000.0,
        code: Some("timeout"),
        ..CALL
    });
    assert_eq!(journal.only(Kind::StalledStep).measured, 60_000.0);
}

#[test]
fn a_wave_that_waits_for_something_else_is_a_stall() {
    // Four calls of 20 ms in wave 0, one in wave 1.
    let with = |barrier: bool, waves: &[f64], last: Made| {
        let mut journal = Journal::default();
        journal.calls(4, CALL).call(Made { wave: 1, ..last });
        journal.plan("aaaa", barrier, waves, None);
        journal
    };
    let found = with(true, &[80.0, 1001.0], CALL).only(Kind::StalledWave);
    assert_eq!((found.measured, found.threshold), (1001.0, 1000.0));
    assert_eq!(found.location.wave, Some(1));
    with(true, &[80.0, 1000.0], CALL).nothing();
    with(false, &[80.0, 1001.0], CALL).only(Kind::StalledWave);
    // A call that took long is the stall; the wait before another attempt is none; of other tools nothing is known.
    let slow = Made { ms: 5000.0, ..CALL };
    with(true, &[80.0, 5001.0], slow).only(Kind::StalledStep);
    let again = Made { attempt: 2, ..CALL };
    with(true, &[80.0, 5001.0], again).nothing();
    let unknown = Made {
        tool: "other",
        ..CALL
    };
    with(true, &[80.0, 5001.0], unknown).nothing();

    // Calls of 200 ms: a wave of one may take 2 s; without a barrier others run meanwhile, 5 x 200 ms x 10.
    let long = Made { ms: 200.0, ..CALL };
    let mut journal = Journal::default();
    journal.calls(4, long).call(Made { wave: 1, ..long });
    let mut barrier = journal.clone();
    barrier.plan("aaaa", true, &[800.0, 2001.0], None);
    barrier.only(Kind::StalledWave);
    journal.plan("aaaa", false, &[800.0, 10_000.0], None);
    journal.nothing();
    // The last word on a plan that went on counts.
    journal.plan("aaaa", false, &[800.0, 10_001.0], None);
    journal.only(Kind::StalledWave);
}

#[test]
fn a_tool_that_fails_often_is_named_with_its_code() {
    let failing = Made {
        ms: 30.0,
        code: Some("numeric"),
        ..CALL
    };
    let mut journal = Journal::default();
    journal.calls(9, CALL).calls(2, failing);
    journal.nothing();
    journal.call(Made {
        code: Some("io"),
        ..failing
    });
    // Three of twelve are a quarter.
    let found = journal.only(Kind::RepeatedFailures);
    assert_eq!((found.measured, found.threshold), (3.0, 3.0));
    assert!(found.message.contains("`numeric`"), "{}", found.message);
    assert!(found.next.contains("audit show aaaa-c11"), "{}", found.next);
    assert_eq!(found.location.run.as_deref(), Some("aaaa"));
    journal.call(CALL).nothing();

    // In several runs, none is named; who is refused is told whom to ask.
    let mut journal = Journal::default();
    for run in ["aaaa", "bbbb", "cccc"] {
        journal.call(Made {
            run,
            code: Some("policy_denied"),
            ..failing
        });
    }
    let found = journal.only(Kind::RepeatedFailures);
    assert_eq!(found.location.run, None);
    let next = "`mathchain policy explain operator fit`";
    assert!(found.next.starts_with(next), "{}", found.next);
}

#[test]
fn failures_at_once_are_told_apart() {
    let instant = Made {
        ms: 5.0,
        code: Some("invalid_args"),
        ..CALL
    };
    let mut journal = Journal::default();
    journal.calls(2, instant);
    journal.nothing();
    journal.call(instant);
    let found = journal.only(Kind::InstantFailures);
    assert_eq!((found.measured, found.kind.unit()), (3.0, "failures"));
    assert!(found.next.contains("tools show fit"), "{}", found.next);
    // One that took longer is more than at once: both are said.
    journal.call(Made { ms: 5.1, ..instant });
    let kinds: Vec<Kind> = journal.found().iter().map(|one| one.kind).collect();
    assert_eq!(kinds, [Kind::RepeatedFailures, Kind::InstantFailures]);
    // Among many good ones they say nothing.
    Journal::default()
        .calls(10, CALL)
        .calls(3, instant)
        .nothing();
    // In three sessions, one each: not at once again and again, but often.
    let mut journal = Journal::default();
    for run in ["aaaa", "bbbb", "cccc"] {
        journal.call(Made {
            run,
            step: "",
            ..instant
        });
    }
    journal.only(Kind::RepeatedFailures);
    let mut journal = Journal::default();
    journal.calls(
        3,
        Made {
            step: "",
            ..instant
        },
    );
    let found = journal.only(Kind::InstantFailures);
    assert_eq!(found.location.session.as_deref(), Some("aaaa"));
}

#[test]
fn attempts_that_outnumber_calls_are_a_storm() {
    let attempts = |journal: &mut Journal, step: &'static str, count: u64| {
        for attempt in 1..=count {
            let code = (attempt < count).then_some("rate_limit");
            journal.call(Made {
                step,
                attempt,
                code,
                ms: 20.0,
                ..CALL
            });
        }
    };
    let storms = |counts: [u64; 3]| {
        let mut journal = Journal::default();
        for (step, count) in ["x", "y", "z"].into_iter().zip(counts) {
            attempts(&mut journal, step, count);
        }
        let mut found = journal.found();
        found.retain(|one| one.kind == Kind::RetryStorm);
        found
    };
    let found = storms([1, 5, 1]);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].measured, found[0].threshold), (2.33, 2.0));
    assert_eq!(found[0].location.step.as_deref(), Some("y"));
    assert!(found[0].message.starts_with("7 attempts for 3 calls"));
    // Six for three are two each; four for one are few.
    assert_eq!(storms([1, 4, 1]), []);
    let mut journal = Journal::default();
    attempts(&mut journal, "x", 4);
    assert!(
        journal
            .found()
            .iter()
            .all(|one| one.kind != Kind::RetryStorm)
    );
    // The same call made again by hand is no attempt of a plan.
    let direct = Made {
        step: "",
        attempt: 9,
        ..CALL
    };
    Journal::default().calls(9, direct).nothing();
}

#[test]
fn plans_that_fall_back_are_counted_once_each() {
    let runs = ["r1", "r2", "r3", "r4", "r5"];
    let with = |fell: usize, of: usize| {
        let mut journal = Journal::default();
        for (index, run) in runs.into_iter().take(of).enumerate() {
            // Suspended and gone on with: two records, one plan.
            for _ in 0..2 {
                journal.plan(run, false, &[], (index < fell).then_some("paths unknown"));
            }
        }
        journal
    };
    let found = with(2, 5).only(Kind::Fallback);
    assert_eq!((found.measured, found.threshold), (40.0, 20.0));
    assert!(found.message.contains("paths unknown"), "{}", found.message);
    with(1, 5).nothing();
    with(4, 4).nothing();
}

#[test]
fn one_tool_or_role_beside_which_others_hardly_count() {
    let other = Made {
        tool: "plot",
        ..CALL
    };
    let mut journal = Journal::default();
    journal.calls(17, CALL).calls(3, other);
    let found = journal.only(Kind::ToolShare);
    assert_eq!((found.measured, found.threshold), (85.0, 80.0));
    assert_eq!(found.location.tool.as_deref(), Some("fit"));
    // Four fifths are not more than that; 19 calls are few; where there is no other, it is no wonder.
    Journal::default().calls(16, CALL).calls(4, other).nothing();
    Journal::default().calls(17, CALL).calls(2, other).nothing();
    Journal::default().calls(40, CALL).nothing();

    let worker = Made {
        role: "worker_math",
        ..other
    };
    let plot = Made {
        tool: "plot",
        ..CALL
    };
    let mut journal = Journal::default();
    journal.calls(10, CALL).calls(9, plot).call(worker);
    let found = journal.only(Kind::RoleShare);
    assert_eq!(found.location.role.as_deref(), Some("operator"));
    assert_eq!(found.measured, 95.0);
    // Nine tenths are not more than that.
    let mut journal = Journal::default();
    journal.calls(9, CALL).calls(9, plot).calls(2, worker);
    journal.nothing();
}
