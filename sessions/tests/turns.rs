//! The limit on the turns of a run.

use sessions::Emitted;

use super::{Logged, OPENED, RUN, event, kinds};

const ENDED: &str = r#"{"type":"turn.ended"}"#;
const INPUT: &str = r#"{"type":"input.appended"}"#;

fn call(id: &str) -> String {
    format!(
        r#"{{"type":"calls.observed","calls":[{{"call_id":"{id}","tool":"nothing","args":{{}}}}]}}"#
    )
}

fn limited(turns: u64) -> Logged {
    let logged = Logged::new();
    logged.session.registry().max_turns.set(Some(turns));
    logged
}

fn feed(logged: &mut Logged, text: &str) -> Vec<Emitted> {
    let fed = logged.feed(&event(text));
    fed.unwrap_or_else(|err| panic!("{err:?}: {text}"))
}

#[test]
fn a_run_ends_at_its_limit_of_turns_with_the_reason() {
    let mut logged = limited(2);
    feed(&mut logged, OPENED);
    assert_eq!(kinds(&feed(&mut logged, RUN)), ["generate.requested"]);
    let second = feed(&mut logged, &call("a"));
    assert_eq!(kinds(&second).last(), Some(&"generate.requested"));
    let end = feed(&mut logged, &call("b"));
    assert_eq!(kinds(&end), ["plan.created", "batch.settled", "run.ended"]);
    let Some(Emitted::RunEnded(ended)) = end.last() else {
        panic!("the run has ended");
    };
    let reason = ended.reason.as_deref().unwrap_or_default();
    assert!(reason.contains("2 turns"), "{reason}");
    // Each run has turns of its own, and the log replays.
    assert_eq!(kinds(&feed(&mut logged, RUN)), ["generate.requested"]);
    logged.replays();
}

/// What waits at its limit ends with the next input.
#[test]
fn input_does_not_reach_beyond_the_limit() {
    let mut logged = limited(1);
    feed(&mut logged, OPENED);
    feed(&mut logged, RUN);
    assert_eq!(kinds(&feed(&mut logged, ENDED)), [] as [&str; 0]);
    assert_eq!(kinds(&feed(&mut logged, INPUT)), ["run.ended"]);
    logged.replays();
}

/// A limit that is lowered while a run is on holds from the next turn.
#[test]
fn the_limit_is_that_of_the_current_registry() {
    let mut logged = limited(9);
    feed(&mut logged, OPENED);
    feed(&mut logged, RUN);
    logged.session.registry().max_turns.set(Some(1));
    let end = feed(&mut logged, &call("a"));
    assert_eq!(kinds(&end).last(), Some(&"run.ended"));
    logged.session.registry().max_turns.set(None);
    feed(&mut logged, RUN);
    for turn in 0..40 {
        let fed = feed(&mut logged, &call(&turn.to_string()));
        assert_eq!(kinds(&fed).last(), Some(&"generate.requested"));
    }
}
