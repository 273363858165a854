//! Limits of rules: which calls are counted, and what becomes of those beyond.

use std::sync::atomic::Ordering;

use tool_core::capability::ApprovalState;
use tool_core::{OutcomeStatus, StopFlag};

use super::*;
use crate::model::{Level, PolicyLayer, PolicyRule, RuleLimit, UnitDuration, Verdict};
use crate::{ApprovalAnswer, WorkspaceId};

const HOUR_MS: u64 = 3_600_000;

fn limited(tools: &str, decision: &str, limit: &str) -> World {
    let config = format!(
        "version = 1\n[[policies]]\nlevel = \"global\"\n[[policies.rules]]\nmatch = {{ tools = [{tools}] }}\n\
         decision = \"{decision}\"\nlimit = {{ {limit} }}\n"
    );
    World::new(&[TWELVE, TOOLS], &config)
}

fn denied(outcome: &CallOutcome) -> &ToolError {
    let error = outcome.err().unwrap_or_else(|| panic!("it ran"));
    assert_eq!(
        (error.code(), error.reason_str()),
        (ErrorCode::PolicyDenied, Some("limit")),
        "{error}"
    );
    assert!(error.hint_str().is_some());
    error
}

fn is_pending(outcome: &CallOutcome) -> bool {
    matches!(outcome.status, OutcomeStatus::PendingApproval { .. })
}

const DOUBLE: &str = r#"{"x":5}"#;

#[test]
fn calls_beyond_a_limit_are_denied_until_the_window_slides_on() {
    let world = limited("\"double\"", "allow", "calls = 2, per = \"1h\"");
    assert!(world.call("operator", "double", DOUBLE).is_success());
    world.clock.advance(600_000);
    assert!(world.call("operator", "double", DOUBLE).is_success());
    world.clock.advance(1_000);
    let third = world.call("operator", "double", DOUBLE);
    let error = denied(&third);
    assert_eq!(
        error.message(),
        "this call of `double` is denied by layer global, mathchain.toml:4: 2 of 2 calls in 1h in this workspace are used; \
         such a call is allowed again in 2999 s"
    );
    let evidence = error.evidence_value().unwrap();
    for (pointer, expected) in [
        ("/rule", Value::from("mathchain.toml:4")),
        ("/used", Value::from(2.0)),
        ("/most", Value::from(2.0)),
        ("/per_ms", Value::from(HOUR_MS)),
        ("/free_ms", Value::from(1_800_000_000_000 + HOUR_MS)),
    ] {
        assert_eq!(field(evidence, pointer), expected, "{pointer}");
    }
    // Just before the first leaves the window, and when it has left.
    world.clock.set(1_800_000_000_000 + HOUR_MS - 1);
    denied(&world.call("operator", "double", DOUBLE));
    world.clock.set(1_800_000_000_000 + HOUR_MS);
    assert!(world.call("operator", "double", DOUBLE).is_success());
    denied(&world.call("operator", "double", DOUBLE));
}

#[test]
fn the_record_of_a_call_has_the_count_from_which_its_verdict_follows() {
    let world = limited("\"double\"", "allow", "calls = 1, per = \"1d\"");
    assert!(world.call("operator", "double", DOUBLE).is_success());
    let record = world.last();
    assert_eq!(field(&record, "/limits/0/used"), Value::from(0.0));
    assert_eq!(field(&record, "/counted"), Value::from(true));
    denied(&world.call("operator", "double", DOUBLE));
    let record = world.last();
    for (pointer, expected) in [
        ("/decision", Value::from("deny")),
        ("/limits/0/used", Value::from(1.0)),
        ("/limits/0/amount", Value::from(1.0)),
        ("/limits/0/most", Value::from(1.0)),
        ("/limits/0/counts", Value::from("calls")),
        ("/limits/0/by", Value::from("workspace")),
        ("/limits/0/beyond", Value::from("deny")),
        ("/counted", Value::from(false)),
    ] {
        assert_eq!(field(&record, pointer), expected, "{pointer}");
    }
    // A call without a limit says nothing of one.
    world.call("operator", "echo", r#"{"value":1}"#);
    assert_eq!(world.last().get("limits"), None);
    assert_eq!(world.last().get("counted"), None);
}

#[test]
fn a_call_that_never_runs_is_not_counted() {
    let world = limited(
        "\"write_file\", \"fail\"",
        "allow",
        "calls = 2, per = \"1h\"",
    );
    // Refused before the rules, and by a plan's resources after them.
    world.call("operator", "write_file", r#"{"path":7}"#);
    world.call(
        "operator",
        "write_file",
        r#"{"path":"../out","content":""}"#,
    );
    assert_eq!(world.counts.len(), 0);
    // An obligation that fails, after the call was counted.
    let config = "version = 1\n[[policies]]\nlevel = \"global\"\n[[policies.rules]]\nmatch = { tools = [\"write_file\"] }\n\
         decision = \"allow\"\nobligations = [\"backup\"]\nlimit = { calls = 1, per = \"1h\" }\n";
    let world = World::new(&[TWELVE, TOOLS], config);
    world.backups.broken.store(true, Ordering::Relaxed);
    const REPLACE: &str = r#"{"path":"data/a.txt","content":"x","overwrite":true}"#;
    let refused = world.call("operator", "write_file", REPLACE);
    assert_eq!(refused.err().unwrap().reason_str(), Some("obligation"));
    assert_eq!(world.counts.len(), 0, "given back");
    assert_eq!(field(&world.last(), "/counted"), Value::from(false));
    world.backups.broken.store(false, Ordering::Relaxed);
    assert!(world.call("operator", "write_file", REPLACE).is_success());
    // A tool that fails has run.
    let world = limited("\"fail\"", "allow", "calls = 1, per = \"1h\"");
    assert_eq!(
        code(&world.call("operator", "fail", "{}")),
        Some(ErrorCode::Numeric)
    );
    denied(&world.call("operator", "fail", "{}"));
}

#[test]
fn a_sum_adds_up_an_argument() {
    let world = limited(
        "\"double\"",
        "allow",
        "sum = \"/x\", most = 10, per = \"1h\"",
    );
    let call = |x: &str| world.call("operator", "double", &format!("{{\"x\":{x}}}"));
    assert!(call("6").is_success());
    assert!(call("4").is_success());
    let error = call("0.5");
    assert!(
        denied(&error).message().contains(
            "10 of 10 of `/x` in 1h in this workspace are used, and this call adds 0.5; such a call is allowed again in 3600 s"
        ),
        "{error:?}"
    );
    assert!(call("0").is_success(), "nothing is added");
    assert!(
        denied(&call("11"))
            .message()
            .contains("no window allows such a call")
    );
    assert!(
        denied(&call("-1"))
            .message()
            .contains("expected a number of at least 0, found -1")
    );
    // Rounding takes no place away: ten times 0.1 is 1.
    let world = limited(
        "\"double\"",
        "allow",
        "sum = \"/x\", most = 0.3, per = \"1h\"",
    );
    for x in ["0.1", "0.2"] {
        assert!(
            world
                .call("operator", "double", &format!("{{\"x\":{x}}}"))
                .is_success()
        );
    }
}

#[test]
fn a_sum_of_no_number_denies_with_its_reason() {
    let world = limited(
        "\"echo\"",
        "allow",
        "sum = \"/value/amount\", most = 10, per = \"1h\"",
    );
    for (args, expected) in [
        (r#"{"value":{}}"#, "the call has no such argument"),
        (
            r#"{"value":{"amount":null}}"#,
            "the call has no such argument",
        ),
        (
            r#"{"value":{"amount":"5"}}"#,
            "expected a number, found the string \"5\"",
        ),
        (
            r#"{"value":{"amount":[1]}}"#,
            "expected a number, found an array",
        ),
    ] {
        let outcome = world.call("operator", "echo", args);
        assert!(denied(&outcome).message().contains(expected), "{outcome:?}");
        assert_eq!(field(&world.last(), "/decision"), Value::from("deny"));
    }
    assert!(
        world
            .call("operator", "echo", r#"{"value":{"amount":5}}"#)
            .is_success()
    );
}

#[test]
fn calls_are_counted_by_workspace_role_key_or_host() {
    let per_role = limited(
        "\"double\"",
        "allow",
        "calls = 1, per = \"1h\", by = \"role\"",
    );
    assert!(per_role.call("operator", "double", DOUBLE).is_success());
    assert!(per_role.call("toolrunner", "double", DOUBLE).is_success());
    let again = per_role.call("operator", "double", DOUBLE);
    assert!(denied(&again).message().contains("by role `operator`"));

    let world = limited("\"double\"", "allow", "calls = 1, per = \"1h\"");
    assert!(world.call("operator", "double", DOUBLE).is_success());
    denied(&world.call("toolrunner", "double", DOUBLE));
    let elsewhere = world.dispatcher.with_host(|host| {
        host.workspace = Some(WorkspaceId {
            root: "/w".to_owned(),
            id: "w".to_owned(),
            roots: Vec::new(),
        });
    });
    assert!(
        elsewhere
            .call(request("operator", "double", DOUBLE))
            .is_success()
    );

    let world = limited(
        "\"double\"",
        "allow",
        "calls = 1, per = \"1h\", by = \"key\"",
    );
    let with_key = |key: Option<&str>| {
        let mut request = request("operator", "double", DOUBLE);
        request.context.origin.key = key.map(str::to_owned);
        world.dispatcher.call(request)
    };
    assert!(with_key(Some("anna")).is_success());
    assert!(with_key(Some("ben")).is_success());
    assert!(with_key(None).is_success());
    assert!(
        denied(&with_key(Some("anna")))
            .message()
            .contains("by key `anna`")
    );
    assert!(denied(&with_key(None)).message().contains("without a key"));

    let world = limited(
        "\"web_fetch\"",
        "allow",
        "calls = 1, per = \"1h\", by = \"host\"",
    );
    let fetch = |url: &str| world.call("operator", "web_fetch", &format!("{{\"url\":\"{url}\"}}"));
    assert!(fetch("https://one.example/a").is_success());
    assert!(fetch("https://two.example/a").is_success());
    let again = fetch("https://ONE.example:8443/b");
    assert!(denied(&again).message().contains("by host `one.example`"));
    let unread = fetch("gopher://x");
    assert!(unread.err().is_some(), "{unread:?}");
}

#[test]
fn a_limit_may_ask_beyond_and_approved_calls_count() {
    let world = limited(
        "\"touch\"",
        "allow",
        "calls = 1, per = \"1h\", beyond = \"ask\"",
    );
    const TOUCH: &str = r#"{"value":1}"#;
    assert!(world.call("operator", "touch", TOUCH).is_success());
    let second = world.call("operator", "touch", TOUCH);
    assert!(is_pending(&second), "{second:?}");
    assert_eq!(world.counts.len(), 1, "a call that waits is not counted");
    let asked = world.approvals.requests.lock().unwrap()[0].clone();
    assert!(
        asked.reason.contains("1 of 1 calls in 1h"),
        "{}",
        asked.reason
    );
    assert_eq!(
        asked.condition,
        Value::Null,
        "no recorded rule holds over a limit"
    );
    world.approvals.answer(Ok("someone"));
    assert!(world.call("operator", "touch", TOUCH).is_success());
    assert_eq!(world.counts.len(), 2);
    // Declined, and approved in advance.
    assert!(is_pending(&world.call("operator", "touch", TOUCH)));
    world
        .approvals
        .answer(Err(ApprovalState::Declined("a2".to_owned())));
    let declined = world.call("operator", "touch", TOUCH);
    assert_eq!(code(&declined), Some(ErrorCode::ApprovalDeclined));
    assert_eq!(world.counts.len(), 2);
    let mut in_advance = request("operator", "touch", TOUCH);
    in_advance.context.answer = ApprovalAnswer::Yes;
    assert!(world.dispatcher.call(in_advance).is_success());
    assert_eq!(world.counts.len(), 3);
}

#[test]
fn a_rule_that_asks_counts_the_calls_that_are_approved() {
    let world = limited("\"touch\"", "ask", "calls = 1, per = \"1h\"");
    const TOUCH: &str = r#"{"value":1}"#;
    assert!(is_pending(&world.call("operator", "touch", TOUCH)));
    world.approvals.answer(Ok("someone"));
    assert!(world.call("operator", "touch", TOUCH).is_success());
    denied(&world.call("operator", "touch", TOUCH));
    assert_eq!(
        world.approvals.requests.lock().unwrap().len(),
        1,
        "nobody is asked in vain"
    );
}

#[test]
fn without_counts_a_limited_call_is_denied() {
    let world = limited("\"double\"", "allow", "calls = 5, per = \"1h\"");
    let bare = world.dispatcher.with_host(|host| host.counts = None);
    let outcome = bare.call(request("operator", "double", DOUBLE));
    assert!(
        denied(&outcome)
            .message()
            .contains("there is no state folder")
    );
    let other = bare.call(request("operator", "echo", r#"{"value":1}"#));
    assert!(other.is_success(), "no rule limits it");
    world.counts.broken.store(true, Ordering::Relaxed);
    let outcome = world.call("operator", "double", DOUBLE);
    assert!(denied(&outcome).message().contains("the disk is full"));
}

#[test]
fn a_place_that_another_call_took_since_the_decision_is_not_given_twice() {
    for beyond in ["deny", "ask"] {
        let limit = format!("calls = 1, per = \"1h\", beyond = \"{beyond}\"");
        let world = limited("\"double\"", "allow", &limit);
        assert!(world.call("operator", "double", DOUBLE).is_success());
        world.counts.is_late.store(true, Ordering::Relaxed);
        let outcome = world.call("operator", "double", DOUBLE);
        assert!(denied(&outcome).message().contains("1 of 1 calls"));
        assert_eq!(field(&world.last(), "/limits/0/used"), Value::from(1.0));
        assert_eq!(field(&world.last(), "/decision"), Value::from("deny"));
        assert_eq!(world.counts.len(), 1);
    }
}

#[test]
fn threads_take_every_place_once() {
    let world = limited("\"double\"", "allow", "calls = 20, per = \"1h\"");
    let passed = std::thread::scope(|scope| {
        let calls = || {
            let passed = (0..10).filter(|_| world.call("operator", "double", DOUBLE).is_success());
            passed.count()
        };
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(calls)).collect();
        let passed = threads.into_iter().map(|thread| thread.join().unwrap());
        passed.sum::<usize>()
    });
    assert_eq!((passed, world.counts.len()), (20, 20));
}

#[test]
fn calls_within_calls_are_counted_each() {
    let world = limited("\"double\"", "allow", "calls = 1, per = \"1h\"");
    let nested = || world.call("operator", "nested", r#"{"value":{"x":2}}"#);
    assert!(nested().is_success());
    denied(&nested());
    denied(&world.call("operator", "double", DOUBLE));
}

#[test]
fn a_layer_of_a_call_adds_a_limit_and_relaxes_none() {
    let world = limited("\"double\"", "allow", "calls = 2, per = \"1h\"");
    let narrowed = |calls: u64| {
        let hour = UnitDuration::parse("1h").unwrap();
        let rule = PolicyRule::new(Verdict::Ask, ["double"]).limited(RuleLimit::calls(calls, hour));
        let mut request = request("operator", "double", DOUBLE);
        request.context.answer = ApprovalAnswer::Yes;
        let layer = PolicyLayer::new(Level::Task, "bugfix").rule(rule);
        request.context.who = request.context.who.narrow(layer);
        world.dispatcher.call(request)
    };
    assert!(narrowed(1).is_success());
    let second = narrowed(1);
    assert!(
        denied(&second).message().contains("layer task `bugfix`"),
        "{second:?}"
    );
    assert!(world.call("operator", "double", DOUBLE).is_success());
    assert!(denied(&narrowed(100)).message().contains("layer global"));
}

#[test]
fn a_limited_call_is_never_answered_on_a_thread_that_may_not_wait() {
    let world = limited("\"double\"", "allow", "calls = 2, per = \"1h\"");
    let mut brief = request("operator", "double", DOUBLE);
    brief.stop = StopFlag::new();
    assert!(world.dispatcher.call_briefly(&brief).is_none());
    assert_eq!(world.counts.len(), 0);
    let brief = request("operator", "echo", r#"{"value":1}"#);
    assert!(world.dispatcher.call_briefly(&brief).is_some());
}

#[test]
fn an_explanation_shows_what_the_window_holds() {
    let world = limited("\"double\"", "allow", "calls = 1, per = \"1h\"");
    let catalogue = world.dispatcher.catalogue();
    let args = request("operator", "double", DOUBLE).args;
    let call = catalogue.get("double").unwrap().decode(&args).unwrap();
    let explain = || {
        let about = ("double", Some(&*call));
        let facts = world.dispatcher.facts();
        let explained = world.dispatcher.explain(about, &context("operator"), facts);
        explained.unwrap()
    };
    let before = explain();
    assert_eq!(before.decision.verdict, Verdict::Allow);
    assert_eq!(
        before.limits[0].phrase,
        "0 of 1 calls in 1h in this workspace"
    );
    world.call("operator", "double", DOUBLE);
    let after = explain();
    assert_eq!(after.decision.verdict, Verdict::Deny);
    assert_eq!(after.limits[0].used, Some(1.0));
    assert_eq!(
        (after.file.as_deref(), after.line),
        (Some("mathchain.toml"), Some(4))
    );
    assert!(after.what_would_allow.unwrap().contains("mathchain.toml:4"));
    assert_eq!(
        field(&explain().to_value(), "/limits/0/used"),
        Value::from(1.0)
    );
    assert_eq!(world.counts.len(), 1, "an explanation counts nothing");
}
