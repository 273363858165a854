use journal::StateStore;
use tool_core::capability::ToolStateStore as _;
use tool_core::{ErrorCode, ToolError, Value};

use crate::support::*;

fn add_one(state: &StateStore, key: &str) -> Result<Value, ToolError> {
    state.update(key, &mut |before| {
        let count = before.and_then(|value| value.as_i64()).unwrap_or(0);
        Ok(Value::from(count + 1))
    })
}

#[test]
fn values_stay_and_are_changed_one_after_the_other() {
    let top = folder();
    let state = open(top.path());
    assert!(state.get("a").unwrap().is_none());
    assert_eq!(add_one(&state, "a").unwrap(), Value::from(1_i64));
    // Two open states, as two processes have them, and threads.
    let other = open(top.path());
    std::thread::scope(|scope| {
        for state in [&state, &other] {
            scope.spawn(move || (0..20).for_each(|_| drop(add_one(state, "a").unwrap())));
        }
    });
    drop((state, other));
    let state = open(top.path());
    assert_eq!(state.get("a").unwrap(), Some(Value::from(41_i64)));
    assert!(state.get("b").unwrap().is_none());
    assert!(state.verify(&[], true).unwrap().is_sound());
}

#[test]
fn a_refused_change_changes_nothing() {
    let top = folder();
    let state = open(top.path());
    add_one(&state, "a").unwrap();
    let refusal = ToolError::new(ErrorCode::Conflict, "no");
    let refused = state.update("a", &mut |_| Err(refusal.clone()));
    assert_eq!(refused.unwrap_err().code(), ErrorCode::Conflict);
    let long = state.update("a", &mut |_| Ok(Value::from("x".repeat(2 << 20))));
    assert_reason(long, "memory_full");
    assert_eq!(state.get("a").unwrap(), Some(Value::from(1_i64)));
    for key in ["", &"k".repeat(257)] {
        assert_eq!(state.get(key).unwrap_err().code(), ErrorCode::InvalidArgs);
        assert_eq!(
            add_one(&state, key).unwrap_err().code(),
            ErrorCode::InvalidArgs
        );
    }
}

/// A file of the first version gets the new table and keeps its records.
#[test]
fn an_older_file_is_brought_forward() {
    let top = folder();
    filled(top.path(), 3);
    let connection = intruder(top.path());
    connection
        .execute_batch(
            "DROP TABLE runs; DROP TABLE vals; DROP TABLE artifacts; DROP TABLE parts; DROP TABLE uses; DROP TABLE cache;
             DROP TABLE answers; DROP TABLE requests; DROP TABLE folders; ALTER TABLE sessions DROP COLUMN folder;
             DROP TABLE counted_calls; DROP TABLE schedules; DROP TABLE schedule_times; DROP TABLE workflow_events; DROP TABLE workflow_checkouts; DROP TABLE workflow_shown; DROP TABLE pipeline_events; DROP TABLE pipelines; DROP TABLE memory; DROP TABLE notices; DROP TABLE backups;
             ALTER TABLE approvals DROP COLUMN agent; ALTER TABLE approvals DROP COLUMN condition;
             ALTER TABLE approvals DROP COLUMN run; ALTER TABLE approvals DROP COLUMN step;
             ALTER TABLE approvals DROP COLUMN workspace; ALTER TABLE approvals DROP COLUMN cut;
             ALTER TABLE approvals DROP COLUMN details; ALTER TABLE approvals DROP COLUMN decided_in; ALTER TABLE approvals DROP COLUMN edited; ALTER TABLE approvals DROP COLUMN fallback;
             PRAGMA user_version = 1;",
        )
        .unwrap();
    drop(connection);
    let state = open(top.path());
    add_one(&state, "a").unwrap();
    assert_eq!(state.get("a").unwrap(), Some(Value::from(1_i64)));
}
