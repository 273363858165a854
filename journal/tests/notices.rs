//! What people are told.

use tool_core::capability::{Notification, NotificationLog as _};

use journal::FILE_NAME;
use rusqlite::Connection;

use crate::support::*;

fn notice(text: &str) -> Notification {
    Notification {
        kind: "call",
        call_id: "c1".to_owned(),
        tool: Some("write_file".to_owned()),
        role: "operator".to_owned(),
        agent: None,
        text: text.to_owned(),
    }
}

#[test]
fn notices_stay_and_are_listed_newest_first() {
    let top = folder();
    let first = open(top.path()).notify(&notice("one")).unwrap();
    let state = open(top.path());
    let second = state.notify(&notice("two")).unwrap();
    let listed = state.notices(None, 10).unwrap();
    let ids: Vec<&str> = listed.iter().map(|one| one.id.as_str()).collect();
    assert_eq!(ids, [second.as_str(), first.as_str()]);
    assert_eq!((listed[0].text.as_str(), listed[0].time_ms), ("two", NOW));
    assert_eq!(state.notices(None, 1).unwrap().len(), 1);
    let connection = Connection::open(top.path().join(FILE_NAME)).unwrap();
    for change in ["DELETE FROM notices", "UPDATE notices SET text = ''"] {
        assert!(connection.execute_batch(change).is_err(), "{change}");
    }
}
