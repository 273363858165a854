//! Laws of every session, on random events, good and bad.

use std::collections::BTreeMap;

use proptest::prelude::*;
use sessions::{
    CallStatus, EVENTS_MAX, Emitted, Event, RunStatus, SessionStatus, WorkspaceStatus, apply_event,
};
use tool_core::{ErrorCode, json};

use super::{Logged, OPENED, READY, RUN, WITH_WORKSPACE, event, kinds};

/// An event from three small numbers; many are refused where they come.
fn random_event(kind: u8, a: u8, b: u8) -> Event {
    let tools = ["calc", "ask", "read", "write", "shell", "extra", "nope"];
    let text = match kind % 20 {
        0..=2 => RUN.to_owned(),
        3..=7 => {
            let calls = (0..=b % 5).map(|place| {
                let tool =
                    tools[usize::from(a.wrapping_mul(place + 1).wrapping_add(place)) % tools.len()];
                let id = if a.is_multiple_of(7) { 0 } else { place };
                let args = match (a ^ place) % 4 {
                    0 => r#"{"writes":["x"]}"#,
                    1 => r#"{"reads":["x","y"]}"#,
                    2 => "{}",
                    _ => "[1]",
                };
                format!(r#"{{"call_id":"c{id}","tool":"{tool}","args":{args}}}"#)
            });
            let calls: Vec<String> = calls.collect();
            format!(
                r#"{{"type":"calls.observed","calls":[{}]}}"#,
                calls.join(",")
            )
        }
        8..=11 => {
            let rest = match b % 5 {
                0 => r#""status":"succeeded","output":{"x":[1,2.5]}"#,
                1 => r#""status":"failed","error":{"code":"tool_error","message":"no"}"#,
                2 => r#""status":"pending_approval","approval_id":"p""#,
                3 => r#""status":"cancelled""#,
                _ => r#""status":"failed""#,
            };
            format!(r#"{{"type":"call.settled","call_id":"c{}",{rest}}}"#, a % 6)
        }
        12 => r#"{"type":"turn.ended"}"#.to_owned(),
        13 => r#"{"type":"input.appended"}"#.to_owned(),
        14 => r#"{"type":"run.interrupted"}"#.to_owned(),
        15 => {
            let status = ["completed", "failed", "cancelled"][usize::from(a) % 3];
            format!(r#"{{"type":"run.finished","status":"{status}"}}"#)
        }
        16 => {
            let status = ["ready", "ready", "closed", "expired", "error"][usize::from(a) % 5];
            let id = b % 2;
            format!(r#"{{"type":"workspace.changed","id":"w{id}","status":"{status}"}}"#)
        }
        17 => {
            let (scope, name) = (
                ["session", "run"][usize::from(a) % 2],
                tools[usize::from(b) % 7],
            );
            let list = ["enable", "disable", "force"][usize::from(a / 2) % 3];
            format!(r#"{{"type":"overrides.set","scope":"{scope}","{list}":["{name}"]}}"#)
        }
        18 => match a % 5 {
            0 => r#"{"type":"profile.selected","profile":"reversed"}"#.to_owned(),
            1 => r#"{"type":"profile.selected","profile":"nope"}"#.to_owned(),
            2 => r#"{"type":"profile.selected"}"#.to_owned(),
            3 => r#"{"type":"facts.set","read_only":true,"no_web":false}"#.to_owned(),
            _ => r#"{"type":"registry.set"}"#.to_owned(),
        },
        _ => match a % 8 {
            0..=2 => r#"{"type":"session.paused"}"#.to_owned(),
            3..=5 => r#"{"type":"session.resumed"}"#.to_owned(),
            6 if b == 0 => r#"{"type":"session.closed"}"#.to_owned(),
            _ => OPENED.to_owned(),
        },
    };
    event(&text)
}

/// What was observed, and what became of it.
#[derive(Default)]
struct Books {
    open: BTreeMap<u64, Vec<String>>,
    settled: usize,
}

impl Books {
    fn note(&mut self, emitted: &[Emitted]) {
        for document in emitted {
            match document {
                Emitted::PlanCreated(plan) => {
                    let ids = plan.calls.iter().map(|call| call.call_id.clone());
                    assert!(self.open.insert(plan.batch, ids.collect()).is_none());
                }
                Emitted::BatchSettled(batch) => {
                    let ids = self.open.remove(&batch.batch).expect("settled once");
                    let found: Vec<String> = batch
                        .results
                        .iter()
                        .map(|result| result.call_id.clone())
                        .collect();
                    assert_eq!(found, ids, "one result per call, in call order");
                    for result in &batch.results {
                        let ended =
                            !matches!(result.status, CallStatus::Planned | CallStatus::Running);
                        let told = result.output.is_some()
                            || result.error.is_some()
                            || result.approval_id.is_some();
                        assert!(ended && (told || result.status == CallStatus::Cancelled));
                    }
                    self.settled += 1;
                }
                _ => {}
            }
        }
        assert!(self.open.len() <= 1, "one batch at a time");
    }
}

/// A call whose tool needs the workspace starts while it is open only.
fn starts_what_it_can(logged: &Logged, emitted: &[Emitted]) {
    let status = logged.session.state().workspace.status;
    for document in emitted {
        if let Emitted::WaveStarted(wave) = document {
            let needs = |tool: &str| WITH_WORKSPACE.contains(&tool);
            let ready = status == Some(WorkspaceStatus::Ready);
            assert!(!wave.calls.is_empty());
            assert!(ready || !wave.calls.iter().any(|call| needs(&call.tool)));
        }
    }
}

/// Applies the events; afterwards settles what runs, as a caller would.
fn drive(events: &[(u8, u8, u8)]) -> (Logged, Books) {
    let mut logged = Logged::after(&[]);
    let mut books = Books::default();
    for &(kind, a, b) in events {
        let next = random_event(kind, a, b);
        let before = logged.bytes();
        if kind % 40 == 38 {
            let generation = &logged.session.registry().generation;
            generation.set(generation.get() + 1);
        }
        match logged.feed(&next) {
            Ok(emitted) => {
                books.note(&emitted);
                starts_what_it_can(&logged, &emitted);
            }
            Err(err) => {
                assert_eq!(logged.bytes(), before, "{next:?} was refused: {err:?}");
                assert!(!err.message().is_empty() && err.code() != ErrorCode::Internal);
            }
        }
    }
    if logged.session.state().status == SessionStatus::Paused {
        books.note(
            &logged
                .feed(&event(r#"{"type":"session.resumed"}"#))
                .unwrap(),
        );
    }
    while let Some(batch) = &logged.session.state().batch {
        let running = batch
            .calls
            .iter()
            .find(|call| call.status == CallStatus::Running);
        let id = running
            .expect("an open batch has a call that runs")
            .call_id
            .clone();
        let settled = format!(
            r#"{{"type":"call.settled","call_id":"{id}","status":"succeeded","output":1}}"#
        );
        books.note(&logged.feed(&event(&settled)).unwrap());
    }
    (logged, books)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn every_call_gets_one_result_and_nothing_stalls(
        events in prop::collection::vec((any::<u8>(), any::<u8>(), any::<u8>()), 1..60)
    ) {
        let (logged, books) = drive(&events);
        prop_assert!(books.open.is_empty());
        let state = logged.session.state();
        prop_assert_eq!(books.settled as u64, state.batches);
        if let Some(run) = state.active_run() {
            // It waits for the model or for input, never for itself.
            prop_assert!(matches!(run.status, RunStatus::Generating | RunStatus::Waiting));
            prop_assert!(!run.due);
        }
        let (again, _) = drive(&events);
        prop_assert_eq!(again.bytes(), logged.bytes());
        let text = |logged: &Logged| logged.log.iter().map(json::to_text).collect::<Vec<_>>();
        prop_assert_eq!(text(&again), text(&logged));
        logged.replays();
    }
}

#[test]
fn settlements_of_calls_that_do_not_run_are_refused_and_change_nothing() {
    let mut logged = Logged::after(&[
        READY,
        RUN,
        r#"{"type":"calls.observed","calls":[
            {"call_id":"a","tool":"write","args":{"writes":["x"]}},
            {"call_id":"b","tool":"write","args":{"writes":["x"]}},
            {"call_id":"c","tool":"nope","args":{}}]}"#,
    ]);
    let settle = |id: &str| {
        event(&format!(
            r#"{{"type":"call.settled","call_id":"{id}","status":"succeeded","output":null}}"#
        ))
    };
    for (id, reason) in [
        ("b", "not_started"),
        ("c", "not_started"),
        ("z", "unknown_call"),
    ] {
        let before = logged.bytes();
        let err = logged.feed(&settle(id)).unwrap_err();
        assert_eq!(
            (err.code(), err.reason_str()),
            (ErrorCode::Conflict, Some(reason)),
            "{id}"
        );
        assert_eq!(logged.bytes(), before);
    }
    assert_eq!(kinds(&logged.feed(&settle("a")).unwrap()), ["wave.started"]);
    assert_eq!(
        logged.feed(&settle("a")).unwrap_err().reason_str(),
        Some("settled")
    );
    let emitted = logged.feed(&settle("b")).unwrap();
    assert_eq!(kinds(&emitted), ["batch.settled", "generate.requested"]);
    assert_eq!(
        logged.feed(&settle("b")).unwrap_err().reason_str(),
        Some("no_batch")
    );
}

#[test]
fn members_of_a_settlement_must_fit_together() {
    let mut logged = Logged::after(&[
        RUN,
        r#"{"type":"calls.observed","calls":[{"call_id":"a","tool":"calc","args":{}}]}"#,
    ]);
    for rest in [
        r#""status":"failed""#,
        r#""status":"failed","output":1,"error":{"code":"timeout","message":"late"}"#,
        r#""status":"succeeded","error":{"code":"timeout","message":"late"}"#,
        r#""status":"pending_approval""#,
        r#""status":"succeeded","output":1,"approval_id":"p""#,
    ] {
        let before = logged.bytes();
        let settled = event(&format!(
            r#"{{"type":"call.settled","call_id":"a",{rest}}}"#
        ));
        assert_eq!(
            logged.feed(&settled).unwrap_err().code(),
            ErrorCode::InvalidRequest,
            "{rest}"
        );
        assert_eq!(logged.bytes(), before);
    }
    let deep = format!("{}1{}", "[[2],".repeat(70), "]".repeat(70));
    let settled = event(&format!(
        r#"{{"type":"call.settled","call_id":"a","status":"succeeded","output":{deep}}}"#
    ));
    assert_eq!(
        logged.feed(&settled).unwrap_err().code(),
        ErrorCode::LimitExceeded
    );
}

#[test]
fn a_batch_beyond_its_limits_still_has_one_result_per_call() {
    let mut calls: Vec<String> = (0..300)
        .map(|place| format!(r#"{{"call_id":"c{place}","tool":"calc","args":{{}}}}"#))
        .collect();
    calls[7] = r#"{"call_id":"c0","tool":"calc","args":{}}"#.to_owned();
    calls[8] = format!(
        r#"{{"call_id":"{}","tool":"calc","args":{{}}}}"#,
        "x".repeat(300)
    );
    calls[9] = r#"{"call_id":"","tool":"calc","args":{}}"#.to_owned();
    calls[10] = format!(
        r#"{{"call_id":"c10","tool":"calc","args":{{"deep":{}1{}}}}}"#,
        "[[2],".repeat(70),
        "]".repeat(70)
    );
    let mut logged = Logged::after(&[RUN]);
    let emitted = logged
        .feed(&event(&format!(
            r#"{{"type":"calls.observed","calls":[{}]}}"#,
            calls.join(",")
        )))
        .unwrap();
    let Emitted::PlanCreated(plan) = &emitted[0] else {
        panic!("no plan")
    };
    let code = |place: usize| plan.calls[place].error.as_ref().map(|error| error.code);
    assert_eq!(
        (code(0), code(255), code(256), code(299)),
        (
            None,
            None,
            Some(ErrorCode::LimitExceeded),
            Some(ErrorCode::LimitExceeded)
        )
    );
    assert_eq!(
        (code(7), code(8), code(9)),
        (
            Some(ErrorCode::InvalidRequest),
            Some(ErrorCode::InvalidRequest),
            Some(ErrorCode::InvalidRequest)
        )
    );
    assert_eq!(code(10), Some(ErrorCode::LimitExceeded));
    let close = logged.feed(&event(r#"{"type":"session.closed"}"#)).unwrap();
    let Emitted::BatchSettled(batch) = &close[0] else {
        panic!("not settled")
    };
    assert_eq!(batch.results.len(), 300);
}

#[test]
fn a_session_that_had_all_its_events_settles_what_runs_and_is_closed() {
    let logged = Logged::after(&[
        RUN,
        r#"{"type":"calls.observed","calls":[{"call_id":"a","tool":"nope"},{"call_id":"b","tool":"calc","args":{}}]}"#,
    ]);
    let registry = logged.session.registry();
    let mut state = logged.session.state().clone();
    state.events = EVENTS_MAX;
    let settled = r#"{"type":"call.settled","call_id":"b","status":"cancelled"}"#;
    state = apply_event(&state, &event(settled), registry)
        .unwrap()
        .state;
    assert!(state.batch.is_none());
    let again = apply_event(&state, &event(r#"{"type":"turn.ended"}"#), registry).unwrap_err();
    assert_eq!(again.reason_str(), Some("events"));
    let closed = apply_event(&state, &event(r#"{"type":"session.closed"}"#), registry).unwrap();
    assert_eq!(closed.state.status, SessionStatus::Closed);
}

#[test]
fn a_tool_that_changed_or_was_not_offered_is_rejected_with_the_reason() {
    let mut logged = Logged::after(&[RUN]);
    logged.session.registry().generation.set(1);
    logged.feed(&event(READY)).unwrap();
    let calls = r#"{"type":"calls.observed","calls":[{"call_id":"a","tool":"calc","args":{}},{"call_id":"b","tool":"read","args":{}},{"call_id":"c","tool":"ask","args":{}}]}"#;
    let emitted = logged.feed(&event(calls)).unwrap();
    let Emitted::PlanCreated(plan) = &emitted[0] else {
        panic!("no plan")
    };
    let reasons: Vec<Option<&str>> = (plan.calls.iter())
        .map(|call| {
            call.error
                .as_ref()
                .and_then(|error| error.reason.as_deref())
        })
        .collect();
    assert_eq!(reasons, [Some("tool_changed"), Some("not_offered"), None]);
}

#[test]
fn a_registry_that_breaks_ends_the_run_and_refuses_new_ones() {
    let mut logged = Logged::after(&[
        RUN,
        r#"{"type":"calls.observed","calls":[{"call_id":"a","tool":"calc","args":{}}]}"#,
    ]);
    logged.session.registry().broken.set(true);
    let settled = event(r#"{"type":"call.settled","call_id":"a","status":"succeeded","output":1}"#);
    assert_eq!(
        kinds(&logged.feed(&settled).unwrap()),
        ["batch.settled", "run.ended"]
    );
    let before = logged.bytes();
    for text in [
        RUN,
        r#"{"type":"registry.set"}"#,
        r#"{"type":"profile.selected"}"#,
    ] {
        logged.feed(&event(text)).unwrap_err();
        assert_eq!(logged.bytes(), before);
    }
    logged.session.registry().broken.set(false);
    assert_eq!(
        kinds(&logged.feed(&event(RUN)).unwrap()),
        ["generate.requested"]
    );
}

#[test]
fn a_paused_session_holds_back_waves_and_turns() {
    let pause = event(r#"{"type":"session.paused"}"#);
    let resume = event(r#"{"type":"session.resumed"}"#);
    let mut logged = Logged::after(&[
        READY,
        RUN,
        r#"{"type":"calls.observed","calls":[{"call_id":"a","tool":"shell","args":{}},{"call_id":"b","tool":"shell","args":{}}]}"#,
    ]);
    let settle = |id: &str| {
        event(&format!(
            r#"{{"type":"call.settled","call_id":"{id}","status":"cancelled"}}"#
        ))
    };
    logged.feed(&pause).unwrap();
    assert!(logged.feed(&settle("a")).unwrap().is_empty());
    assert_eq!(kinds(&logged.feed(&resume).unwrap()), ["wave.started"]);
    logged.feed(&pause).unwrap();
    assert_eq!(
        kinds(&logged.feed(&settle("b")).unwrap()),
        ["batch.settled"]
    );
    assert_eq!(
        logged.feed(&event(RUN)).unwrap_err().reason_str(),
        Some("session_paused")
    );
    assert_eq!(
        kinds(&logged.feed(&resume).unwrap()),
        ["generate.requested"]
    );
    assert_eq!(
        logged.feed(&resume).unwrap_err().reason_str(),
        Some("session_status")
    );
}

/// Each settlement looks at every call of the batch: a thousand are enough.
#[test]
fn an_event_of_too_many_calls_is_refused_whole() {
    let observed = |count: usize| {
        let call = |place| format!(r#"{{"call_id":"c{place}","tool":"calc","args":{{}}}}"#);
        let calls: Vec<String> = (0..count).map(call).collect();
        event(&format!(
            r#"{{"type":"calls.observed","calls":[{}]}}"#,
            calls.join(",")
        ))
    };
    let mut logged = Logged::after(&[RUN]);
    let refused = logged.feed(&observed(1_025)).unwrap_err();
    assert_eq!(
        (refused.code(), refused.reason_str()),
        (ErrorCode::LimitExceeded, Some("calls"))
    );
    assert!(logged.feed(&observed(1_024)).is_ok());
}
