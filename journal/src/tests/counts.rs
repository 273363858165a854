//! Counts of calls that rules limit: exact over threads, processes and restarts.

use registry::policy::{CallFacts, CountedCaller, LimitClaim, LimitUse, RuntimeFacts};
use registry::{CallCounts, Catalogue, Config, Principal};
use tool_core::EffectReach;

use super::*;

const HOUR_MS: u64 = 60 * 60 * 1000;

/// What a limit claims for a call of `calculate` with this number.
pub(super) fn claims(limit: &str, x: f64) -> Vec<LimitClaim> {
    claims_of(&[limit], x)
}

fn claims_of(limits: &[&str], x: f64) -> Vec<LimitClaim> {
    let rule = |limit: &&str| {
        format!(
            "[[policies.rules]]\nmatch = {{ tools = [\"calculate\"] }}\ndecision = \"allow\"\nlimit = {{ {limit} }}\n"
        )
    };
    let rules: String = limits.iter().map(rule).collect();
    let config = format!("version = 1\n[[policies]]\nlevel = \"global\"\n{rules}");
    let catalogue = Catalogue::new(&[fakes::TWELVE]).unwrap();
    let (_, policy) =
        Config::load("mathchain.toml", &config, &catalogue).unwrap_or_else(|err| panic!("{err}"));
    let facts = RuntimeFacts::default();
    let caller = policy
        .caller(&catalogue, &Principal::role("operator"), &facts)
        .unwrap();
    let args = Value::object([("x", x)]);
    let facts = CallFacts {
        reach: EffectReach::of(&tool_core::Spec::pure()),
        paths: Some(Vec::new()),
        files: Vec::new(),
        programs: Some(Vec::new()),
        hosts: Some(Vec::new()),
        args: &args,
    };
    let index = catalogue.index("calculate").unwrap();
    let decision = caller.decide(&catalogue, index, Some(&facts), None);
    let counted = CountedCaller {
        role: "operator",
        key: None,
        workspace: None,
    };
    decision.claims(Some(&facts), counted).unwrap()
}

fn at(folder: &Path, now_ms: u64) -> StateStore {
    StateStore::open(folder, TestClock::at(now_ms)).unwrap()
}

fn rows(folder: &Path) -> i64 {
    let connection = Connection::open(folder.join(FILE_NAME)).unwrap();
    let count = "SELECT count(*) FROM counted_calls";
    connection.query_row(count, [], |row| row.get(0)).unwrap()
}

#[test]
fn a_window_slides_and_old_rows_are_removed() {
    let top = folder();
    let two = claims("calls = 2, per = \"1h\"", 1.0);
    let count = |now_ms: u64, call: &str| {
        let state = at(top.path(), now_ms);
        let counted = state.count(call, &two, false).unwrap();
        (counted.is_counted, counted.found[0])
    };
    let found = |used: f64, free_ms: Option<u64>| LimitUse { used, free_ms };
    // Each opens the state anew: the counts survive.
    assert_eq!(count(NOW, "a"), (true, found(0.0, None)));
    assert_eq!(count(NOW + 1000, "b"), (true, found(1.0, None)));
    let free_ms = Some(NOW + HOUR_MS);
    assert_eq!(count(NOW + 2000, "c"), (false, found(2.0, free_ms)));
    assert_eq!(count(NOW + HOUR_MS - 1, "c"), (false, found(2.0, free_ms)));
    assert_eq!(count(NOW + HOUR_MS, "c"), (true, found(1.0, None)));
    assert_eq!(rows(top.path()), 2, "the first has left its window");
    let free_ms = Some(NOW + 1000 + HOUR_MS);
    assert_eq!(count(NOW + HOUR_MS, "d"), (false, found(2.0, free_ms)));
    // A clock that is set back gives no place.
    assert!(!count(NOW - HOUR_MS, "d").0);
}

#[test]
fn a_call_that_did_not_run_gives_its_place_back() {
    let top = folder();
    let state = open(top.path());
    let one = claims("calls = 1, per = \"1h\"", 1.0);
    assert!(state.count("a", &one, false).unwrap().is_counted);
    state.give_back("b").unwrap();
    assert!(!state.count("b", &one, false).unwrap().is_counted);
    state.give_back("a").unwrap();
    assert_eq!(state.used(&one).unwrap()[0].used, 0.0);
    assert!(state.count("b", &one, false).unwrap().is_counted);
}

#[test]
fn a_call_is_counted_by_all_of_its_limits_or_none() {
    let top = folder();
    let state = open(top.path());
    let both = claims_of(
        &[
            "calls = 5, per = \"1h\"",
            "sum = \"/x\", most = 10, per = \"1h\"",
        ],
        8.0,
    );
    assert!(state.count("a", &both, false).unwrap().is_counted);
    assert!(!state.count("b", &both, false).unwrap().is_counted);
    let used = state.used(&both).unwrap();
    assert_eq!((used[0].used, used[1].used), (1.0, 8.0));
    assert_eq!(used[0].free_ms, None, "it has room");
    assert_eq!(used[1].free_ms, Some(NOW + HOUR_MS));
}

/// Twenty an hour and a hundred a day of the same calls are one counter, whose rows stay for the longer window.
#[test]
fn two_windows_of_one_counter_count_a_call_once() {
    let top = folder();
    let both = claims_of(&["calls = 2, per = \"1h\"", "calls = 3, per = \"1d\""], 1.0);
    assert_eq!(both[0].counter, both[1].counter);
    let count = |now_ms: u64, call: &str| {
        let state = at(top.path(), now_ms);
        state.count(call, &both, false).unwrap().is_counted
    };
    assert!(count(NOW, "a"));
    assert_eq!(rows(top.path()), 1);
    assert!(count(NOW, "b"));
    assert!(!count(NOW, "c"));
    assert!(count(NOW + HOUR_MS, "c"));
    assert!(!count(NOW + 2 * HOUR_MS, "d"), "three in a day");
    assert!(count(NOW + 24 * HOUR_MS, "d"));
}

#[test]
fn an_approved_call_is_counted_beyond_a_limit_that_asks() {
    let top = folder();
    let state = open(top.path());
    let asks = claims("calls = 1, per = \"1h\", beyond = \"ask\"", 1.0);
    assert!(state.count("a", &asks, false).unwrap().is_counted);
    assert!(!state.count("b", &asks, false).unwrap().is_counted);
    assert!(state.count("b", &asks, true).unwrap().is_counted);
    assert_eq!(state.used(&asks).unwrap()[0].used, 2.0);
    let denies = claims("calls = 1, per = \"1h\"", 1.0);
    assert!(!state.count("c", &denies, true).unwrap().is_counted);
}

#[test]
fn threads_of_several_states_take_every_place_once() {
    let top = folder();
    let states = [open(top.path()), open(top.path())];
    let claims = claims("calls = 25, per = \"1h\"", 1.0);
    let passed = std::thread::scope(|scope| {
        let part = |number: usize| {
            let (state, claims) = (&states[number % 2], &claims);
            let count = move |call: &usize| {
                let call = format!("{number}-{call}");
                state.count(&call, claims, false).unwrap().is_counted
            };
            scope.spawn(move || (0..10).filter(count).count())
        };
        let threads: Vec<_> = (0..6).map(part).collect();
        let passed = threads.into_iter().map(|thread| thread.join().unwrap());
        passed.sum::<usize>()
    });
    assert_eq!(passed, 25);
}
