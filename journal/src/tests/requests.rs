//! Requests that act once.

use super::*;

const HOUR_MS: u64 = 60 * 60 * 1000;

#[test]
fn a_request_is_claimed_once_and_answered_ever_after() {
    let top = folder();
    let state = open(top.path());
    let claim = |state: &StateStore, owner: &str, key: &str, request: &str| {
        state.claim_request(owner, key, request, None)
    };
    assert_eq!(claim(&state, "a", "k", "r").unwrap(), RequestClaim::New);
    assert_eq!(claim(&state, "a", "k", "r").unwrap(), RequestClaim::Open);
    // Another process sees it too.
    let other = open(top.path());
    assert_eq!(claim(&other, "a", "k", "r").unwrap(), RequestClaim::Open);
    state.answer_request("a", "k", "yes").unwrap();
    let answered = RequestClaim::Answered("yes".to_owned());
    assert_eq!(claim(&other, "a", "k", "r").unwrap(), answered);
    // An answer stays.
    other.release_request("a", "k").unwrap();
    drop((state, other));
    let state = open(top.path());
    assert_eq!(claim(&state, "a", "k", "r").unwrap(), answered);
    let reused = claim(&state, "a", "k", "other").unwrap_err();
    assert_eq!(reused.reason_str(), Some("key_reused"));
    // Keys belong to their owner.
    assert_eq!(claim(&state, "b", "k", "other").unwrap(), RequestClaim::New);
    state.release_request("b", "k").unwrap();
    assert_eq!(claim(&state, "b", "k", "third").unwrap(), RequestClaim::New);
    // An answer with the claim.
    let answer = |text| state.claim_request("c", "k", "r", Some(text)).unwrap();
    assert_eq!(answer("first"), RequestClaim::New);
    assert_eq!(answer("second"), RequestClaim::Answered("first".to_owned()));
}

#[test]
fn an_answer_expires_and_an_open_claim_does_not() {
    let top = folder();
    let claim = |hours: u64, key: &str| {
        let state = StateStore::open(top.path(), TestClock::at(NOW + hours * HOUR_MS)).unwrap();
        state.claim_request("a", key, "r", None).unwrap()
    };
    assert_eq!(claim(0, "open"), RequestClaim::New);
    assert_eq!(claim(0, "answered"), RequestClaim::New);
    open(top.path())
        .answer_request("a", "answered", "yes")
        .unwrap();
    let answered = RequestClaim::Answered("yes".to_owned());
    assert_eq!(claim(REQUEST_HOURS - 1, "answered"), answered);
    assert_eq!(claim(REQUEST_HOURS + 1, "answered"), RequestClaim::New);
    assert_eq!(claim(1000 * REQUEST_HOURS, "open"), RequestClaim::Open);
}

#[test]
fn a_claim_of_a_process_that_ended_is_taken_again_unless_it_began_to_act() {
    let top = folder();
    let clock = TestClock::at(NOW);
    let machine = Arc::new(Machine::default());
    let claim = |state: &StateStore, key: &str| state.claim_request("a", key, "r", None).unwrap();
    let first = machine.open(top.path(), &clock, 1);
    assert_eq!(claim(&first, "idle"), RequestClaim::New);
    assert_eq!(claim(&first, "acted"), RequestClaim::New);
    let intent = Value::object([
        ("kind", "intent".to_owned()),
        ("request", request_name("a", "acted")),
    ]);
    first.record(&intent, RecordDurability::Synced).unwrap();
    let second = machine.open(top.path(), &clock, 2);
    assert_eq!(
        claim(&second, "idle"),
        RequestClaim::Open,
        "its process runs"
    );
    machine.kill(1);
    assert_eq!(claim(&second, "idle"), RequestClaim::New);
    assert_eq!(claim(&second, "acted"), RequestClaim::Open);
    // It is the claim of the second process now.
    let third = machine.open(top.path(), &clock, 3);
    assert_eq!(claim(&third, "idle"), RequestClaim::Open);
}
