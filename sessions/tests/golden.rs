//! A whole log, byte by byte.

use std::path::PathBuf;

use tool_core::json;

use super::{Logged, READY, RUN};

/// A coding agent: refused before the workspace is open, then reads and edits, then refused again.
const EVENTS: [&str; 13] = [
    RUN,
    r#"{"type":"calls.observed","calls":[{"call_id":"1","tool":"read","args":{"reads":["a"]}},{"call_id":"2","tool":"nope"}]}"#,
    READY,
    r#"{"type":"turn.ended"}"#,
    r#"{"type":"input.appended"}"#,
    r#"{"type":"calls.observed","turn":3,"calls":[{"call_id":"3","tool":"read","args":{"reads":["a"]}},{"call_id":"4","tool":"write","args":{"writes":["a"]}},{"call_id":"5","tool":"ask","args":{}}]}"#,
    r#"{"type":"call.settled","call_id":"5","status":"pending_approval","approval_id":"p1"}"#,
    r#"{"type":"call.settled","call_id":"3","status":"succeeded","output":{"content":"old","numbers":[1,2.5,1.0]}}"#,
    r#"{"type":"call.settled","call_id":"4","status":"failed","error":{"code":"timeout","message":"the deadline passed"},"warnings":["slow"]}"#,
    r#"{"type":"workspace.changed","id":"w1","status":"expired"}"#,
    r#"{"type":"calls.observed","calls":[{"call_id":"6","tool":"read","args":{"reads":["a"]}}]}"#,
    r#"{"type":"run.finished","status":"completed"}"#,
    r#"{"type":"session.closed"}"#,
];

/// Compares a text with a file of the repository; with `UPDATE` in the environment it is rewritten.
#[expect(
    clippy::disallowed_methods,
    reason = "a golden file is no file of a workspace"
)]
pub(super) fn compare(path: &str, text: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(path);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let golden = std::fs::read_to_string(&path).unwrap_or_default();
    let place = (golden.lines().zip(text.lines())).position(|(golden, found)| golden != found);
    assert!(
        golden == text,
        "{} differs from line {:?} on; UPDATE=1 rewrites it",
        path.display(),
        place.map(|place| place + 1)
    );
}

#[test]
fn the_log_of_a_session_is_these_bytes() {
    let logged = Logged::after(&EVENTS);
    let state = sessions::StateDocument::of(logged.session.state()).unwrap();
    let end = sessions::Record::from(state).to_value().unwrap();
    let lines: Vec<String> = logged
        .log
        .iter()
        .chain([&end])
        .map(|line| json::to_text(line) + "\n")
        .collect();
    compare("tests/golden/session.jsonl", &lines.concat());
}
