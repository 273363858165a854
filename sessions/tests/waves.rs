//! Later waves of a batch start what may still run: what a call was judged by can change while earlier ones run.

use sessions::{CallResult, CallStatus, Emitted};
use tool_core::Value;

use super::{Logged, READY, RUN, event, kinds};

/// Four waves: `a`, then `b`, then `c` and `d`, then `e`. Only `d` does without the workspace.
const CALLS: &str = r#"{"type":"calls.observed","calls":[
    {"call_id":"a","tool":"write","args":{"writes":["x"]}},
    {"call_id":"b","tool":"write","args":{"writes":["x"]}},
    {"call_id":"c","tool":"read","args":{"reads":["x"]}},
    {"call_id":"d","tool":"calc","args":{"reads":["x"]}},
    {"call_id":"e","tool":"write","args":{"writes":["x"]}}]}"#;

#[track_caller]
fn settle(logged: &mut Logged, id: &str) -> Vec<Emitted> {
    let text =
        format!(r#"{{"type":"call.settled","call_id":"{id}","status":"succeeded","output":1}}"#);
    logged.feed(&event(&text)).unwrap()
}

/// The ids of the one wave that started.
#[track_caller]
fn started(emitted: &[Emitted]) -> Vec<&str> {
    match emitted {
        [Emitted::WaveStarted(wave)] => wave
            .calls
            .iter()
            .map(|call| call.call_id.as_str())
            .collect(),
        _ => panic!("{:?}", kinds(emitted)),
    }
}

/// The results of the batch that is settled: id, status and reason or code.
#[track_caller]
fn results(emitted: &[Emitted]) -> Vec<String> {
    let Emitted::BatchSettled(batch) = &emitted[0] else {
        panic!("{:?}", kinds(emitted));
    };
    assert_eq!(kinds(emitted), ["batch.settled", "generate.requested"]);
    let word = |result: &CallResult| {
        assert_eq!(
            result.error.is_some(),
            result.status == CallStatus::Rejected
        );
        let error = result.error.as_ref();
        let code = error.map(|error| {
            let reason = error.reason.clone();
            reason.unwrap_or_else(|| error.code.as_str().to_owned())
        });
        format!("{} {}", result.call_id, code.unwrap_or_default())
    };
    batch.results.iter().map(word).collect()
}

#[test]
fn a_workspace_that_is_gone_rejects_the_calls_that_need_it_and_no_others() {
    for status in ["closed", "expired", "error"] {
        let mut logged = Logged::after(&[READY, RUN, CALLS]);
        let gone = format!(r#"{{"type":"workspace.changed","id":"w1","status":"{status}"}}"#);
        assert!(logged.feed(&event(&gone)).unwrap().is_empty());
        assert_eq!(started(&settle(&mut logged, "a")), ["d"], "{status}");
        let late = r#"{"type":"call.settled","call_id":"b","status":"succeeded"}"#;
        let before = logged.bytes();
        let refused = logged.feed(&event(late)).unwrap_err();
        assert_eq!(refused.reason_str(), Some("not_started"));
        assert_eq!(logged.bytes(), before);
        let emitted = settle(&mut logged, "d");
        let lost = |id: &str| format!("{id} precondition_failed");
        assert_eq!(
            results(&emitted),
            [
                "a ".to_owned(),
                lost("b"),
                lost("c"),
                "d ".to_owned(),
                lost("e")
            ]
        );
        logged.replays();
    }
}

#[test]
fn a_batch_with_nothing_left_that_may_run_is_settled_at_once() {
    let mut logged = Logged::after(&[
        READY,
        RUN,
        r#"{"type":"calls.observed","calls":[{"call_id":"a","tool":"shell","args":[]},{"call_id":"b","tool":"shell","args":{}},{"call_id":"c","tool":"shell","args":{}},{"call_id":"d","tool":"shell","args":{}}]}"#,
        r#"{"type":"session.paused"}"#,
        r#"{"type":"workspace.changed","id":"w1","status":"expired"}"#,
    ]);
    // A paused session holds back what would be rejected, too.
    assert!(settle(&mut logged, "b").is_empty());
    let emitted = logged
        .feed(&event(r#"{"type":"session.resumed"}"#))
        .unwrap();
    assert_eq!(
        results(&emitted),
        [
            "a invalid_args",
            "b ",
            "c precondition_failed",
            "d precondition_failed"
        ]
    );
    logged.replays();
}

#[test]
fn calls_are_judged_again_by_what_changed_before_their_wave() {
    let again = r#"{"type":"workspace.changed","id":"w2","status":"ready"}"#;
    let gone = r#"{"type":"workspace.changed","id":"w1","status":"expired"}"#;
    let disabled = r#"{"type":"overrides.set","scope":"run","disable":["write"]}"#;
    let enabled = r#"{"type":"overrides.set","scope":"run"}"#;
    let registry = r#"{"type":"registry.set"}"#;
    for (events, expected) in [
        (&[gone, again][..], "b"),
        (&[disabled][..], "c d"),
        (&[disabled, enabled][..], "b"),
        (&[registry][..], "b"),
    ] {
        let mut logged = Logged::after(&[READY, RUN, CALLS]);
        for text in events {
            logged.feed(&event(text)).unwrap();
        }
        let emitted = settle(&mut logged, "a");
        assert_eq!(started(&emitted).join(" "), expected, "{events:?}");
        logged.replays();
    }
}

#[test]
fn a_tool_that_changed_or_asks_now_does_not_start() {
    let mut logged = Logged::after(&[READY, RUN, CALLS]);
    settle(&mut logged, "a");
    // `calc` is another tool now, and every call asks.
    logged.session.registry().generation.set(1);
    logged.session.registry().asks.set(true);
    logged.feed(&event(r#"{"type":"registry.set"}"#)).unwrap();
    assert_eq!(
        results(&settle(&mut logged, "b")),
        [
            "a ",
            "b ",
            "c decision_changed",
            "d tool_changed",
            "e decision_changed"
        ]
    );
    logged.replays();
}

#[test]
fn arguments_may_be_the_json_text_of_an_object() {
    let calls = r#"{"type":"calls.observed","calls":[
        {"call_id":"a","tool":"write","args":"{\"writes\":[\"x\"]}"},
        {"call_id":"b","tool":"calc","args":"{\"reads\":[\"y\""},
        {"call_id":"c","tool":"calc","args":"[1]"},
        {"call_id":"d","tool":"read","args":{"reads":["x"]}}]}"#;
    let mut logged = Logged::after(&[READY, RUN]);
    let emitted = logged.feed(&event(calls)).unwrap();
    let [Emitted::PlanCreated(plan), Emitted::WaveStarted(wave)] = emitted.as_slice() else {
        panic!("{:?}", kinds(&emitted));
    };
    // The resources in the text order the calls as those of an object do, and the call gets the object.
    assert_eq!(plan.waves, [["a"], ["d"]]);
    let writes = wave.calls[0].args.get("writes").and_then(Value::items);
    assert_eq!(writes, Some(vec![Value::from("x")]));
    settle(&mut logged, "a");
    let emitted = settle(&mut logged, "d");
    assert_eq!(
        results(&emitted),
        ["a ", "b invalid_args", "c invalid_args", "d "]
    );
    let Emitted::BatchSettled(batch) = &emitted[0] else {
        panic!("{:?}", kinds(&emitted));
    };
    let broken = &batch.results[1].error.as_ref().expect("an error").message;
    assert!(
        broken.contains("not JSON") && broken.contains("column"),
        "{broken}"
    );
    logged.replays();
}
