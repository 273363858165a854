//! Pipelines: append-only events, one process at a time, removal with age.

use std::sync::Arc;

use tool_core::Value;
use tool_core::capability::{Clock, Notification};

use journal::{CutKey, SEED_BYTES, StateStore};

use crate::support::*;

const DAY_MS: u64 = 24 * 3_600_000;

fn event(text: &str) -> Value {
    Value::object([("happened", text)])
}

#[test]
fn events_are_kept_in_order_and_only_appended() {
    let top = folder();
    let state = open(top.path());
    let id = state
        .begin_pipeline("team.toml", "d1", &Default::default())
        .unwrap();
    let two = [event("a"), event("b")];
    state.append_pipeline(&id, &two, None).unwrap();
    state
        .append_pipeline(&id, &[event("c")], Some("waiting"))
        .unwrap();
    let found = state.pipeline_events(&id[..6], 0).unwrap();
    assert!(found.is_empty(), "by the whole id");
    let found = state.pipeline_events(&id, 1).unwrap();
    let numbers: Vec<u64> = found.iter().map(|one| one.number).collect();
    assert_eq!(numbers, [2, 3]);
    assert_eq!(found[1].event, event("c"));
    let row = state.pipeline(&id[..6]).unwrap();
    assert_eq!((row.state.as_str(), row.digest.as_str()), ("waiting", "d1"));
    let connection = rusqlite::Connection::open(top.path().join("state.db")).unwrap();
    for sql in [
        "DELETE FROM pipeline_events",
        "UPDATE pipeline_events SET body = '{}'",
    ] {
        assert!(connection.execute(sql, []).is_err(), "{sql}");
    }
}

#[test]
fn one_process_runs_a_pipeline_and_an_ended_one_takes_no_events() {
    let top = folder();
    let state = open(top.path());
    let id = state
        .begin_pipeline("team.toml", "d1", &Default::default())
        .unwrap();
    let busy = state.take_pipeline(&id).unwrap_err();
    assert_eq!(busy.reason_str(), Some("pipeline_busy"));
    state
        .append_pipeline(&id, &[event("end")], Some("failed"))
        .unwrap();
    let lost = state
        .append_pipeline(&id, &[event("more")], None)
        .unwrap_err();
    assert_eq!(lost.reason_str(), Some("pipeline_lost"));
    assert_eq!(
        state.pipeline_events(&id, 0).unwrap().len(),
        1,
        "nothing was added"
    );
    state.take_pipeline(&id).unwrap();
    state.append_pipeline(&id, &[event("more")], None).unwrap();
    let unknown = state.pipeline("ffffffffffff").unwrap_err();
    assert_eq!(unknown.reason_str(), Some("unknown_pipeline"));
}

/// The question of a gate and its event are recorded together or not at all, so that none is asked twice.
#[test]
fn a_question_is_recorded_with_its_event() {
    let top = folder();
    let state = open(top.path());
    let id = state
        .begin_pipeline("team.toml", "d1", &Default::default())
        .unwrap();
    let question = |text: &str| {
        let notice = Notification {
            kind: "gate",
            call_id: id.clone(),
            tool: None,
            role: "operator".to_owned(),
            agent: None,
            text: text.to_owned(),
        };
        (StateStore::new_notice_id(), notice)
    };
    let asked = question("first");
    state
        .append_pipeline_asking(&id, &[event("gate")], Some("waiting"), Some(&asked))
        .unwrap();
    let (found, answers) = state.notice(&asked.0).unwrap();
    assert_eq!((found.text.as_str(), answers.len()), ("first", 0));
    assert_eq!(state.pipeline_events(&id, 0).unwrap().len(), 1);
    // The events of a pipeline that this process does not run are refused after the question was written.
    state.append_pipeline(&id, &[], Some("failed")).unwrap();
    let lost = question("second");
    let refused = state.append_pipeline_asking(&id, &[event("gate")], None, Some(&lost));
    assert_eq!(refused.unwrap_err().reason_str(), Some("pipeline_lost"));
    assert!(state.notice(&lost.0).is_err(), "the question stayed");
    assert_eq!(state.notices(None, 10).unwrap().len(), 1);
    assert_eq!(state.pipeline_events(&id, 0).unwrap().len(), 1);
}

#[test]
fn old_pipelines_are_pruned_with_their_events_and_running_ones_stay() {
    let top = folder();
    let clock = TestClock::at(NOW);
    let state = StateStore::open(top.path(), Arc::clone(&clock) as Arc<dyn Clock>).unwrap();
    let old = state
        .begin_pipeline("old.toml", "d", &Default::default())
        .unwrap();
    state
        .append_pipeline(&old, &[event("end")], Some("succeeded"))
        .unwrap();
    let running = state
        .begin_pipeline("running.toml", "d", &Default::default())
        .unwrap();
    clock.advance(10 * DAY_MS);
    let new = state
        .begin_pipeline("new.toml", "d", &Default::default())
        .unwrap();
    state.append_pipeline(&new, &[], Some("succeeded")).unwrap();
    let key = CutKey::of_seed([7; SEED_BYTES]);
    let done = state.prune(NOW + DAY_MS, &key).unwrap();
    assert_eq!(done.pipelines, 1);
    assert!(state.pipeline(&old).is_err());
    assert!(state.pipeline_events(&old, 0).unwrap().is_empty());
    for id in [&running, &new] {
        state.pipeline(id).unwrap();
    }
}
