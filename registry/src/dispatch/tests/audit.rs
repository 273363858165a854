//! One record per call, and effects only where they can be recorded.

use tool_core::capability::RecordDurability;

use super::*;
use crate::{ApprovalAnswer, CallLimits};
use fakes::MemoryLedger;

fn yes(tool: &str, args: &str) -> crate::CallRequest {
    let mut request = request("operator", tool, args);
    request.context.answer = ApprovalAnswer::Yes;
    request
}

#[test]
fn effects_are_intended_durably_before_and_recorded_after() {
    let world = world();
    assert!(
        world
            .dispatcher
            .call(yes("touch", r#"{"value":1}"#))
            .is_success()
    );
    let records = world.ledger.records.lock().unwrap();
    let kinds: Vec<(String, RecordDurability)> = records
        .iter()
        .map(|(record, durability)| (field(record, "/kind").to_string(), *durability))
        .collect();
    assert_eq!(
        kinds,
        [
            ("\"intent\"".to_owned(), RecordDurability::Synced),
            ("\"call\"".to_owned(), RecordDurability::Synced)
        ]
    );
    assert_eq!(
        field(&records[0].0, "/call_id"),
        field(&records[1].0, "/call_id")
    );
    drop(records);
    world.call("operator", "double", r#"{"x":1}"#);
    let records = world.ledger.records.lock().unwrap();
    assert_eq!(
        (records.len(), records[2].1),
        (3, RecordDurability::Batched)
    );
}

/// The digest of large arguments is computed on another thread, beside the call.
#[test]
fn a_record_has_the_digest_of_its_arguments_whatever_their_size() {
    for count in [2, 100_000, 200_000, 700_000] {
        let world = world();
        let numbers: Vec<f64> = (0..count).map(f64::from).collect();
        let args = Value::object([("value", Value::vector(numbers))]);
        for tool in ["echo", "fail"] {
            let mut wanted = request("operator", tool, "{}");
            wanted.args = args.clone();
            world.dispatcher.call(wanted);
            let records = world.ledger.records.lock().unwrap();
            let (record, _) = records.last().expect("a record");
            let digest = crate::digest::of_value(&args);
            assert_eq!(field(record, "/args_digest"), Value::from(digest), "{tool}");
        }
    }
}

/// A run has a dispatcher with records of its own; what was counted stays shared.
#[test]
fn records_can_be_those_of_a_run() {
    let world = world();
    let own = std::sync::Arc::new(MemoryLedger::default());
    let of_run = world.dispatcher.with_host(|host| {
        host.ledger = Some(own.clone());
        host.approvals = Some(world.approvals.clone());
    });
    let first = of_run.call(yes("touch", r#"{"value":1}"#)).to_value();
    assert_eq!(own.records.lock().unwrap().len(), 2);
    assert!(world.ledger.records.lock().unwrap().is_empty());
    let second = world.dispatcher.call(yes("touch", r#"{"value":1}"#));
    assert_eq!(own.records.lock().unwrap().len(), 2);
    assert_ne!(
        field(&first, "/metadata/call_id"),
        field(&second.to_value(), "/metadata/call_id"),
        "the numbers of calls go on"
    );
}

#[test]
fn a_call_with_effects_is_refused_where_it_cannot_be_recorded() {
    for ledger in [
        MemoryLedger {
            broken: true,
            ..MemoryLedger::default()
        },
        MemoryLedger {
            panics: true,
            ..MemoryLedger::default()
        },
    ] {
        let world = World::build(&[TWELVE, TOOLS], "", ledger, CallLimits::default());
        let outcome = world
            .dispatcher
            .call(yes("write_file", r#"{"path":"out/a"}"#));
        let error = outcome.err().unwrap();
        assert_eq!(
            (error.code(), error.reason_str()),
            (ErrorCode::PreconditionFailed, Some("audit")),
            "{error:?}"
        );
        assert!(world.files.get("out/a").is_none(), "it did not run");
        let pure = world.call("operator", "double", r#"{"x":1}"#);
        assert_eq!(pure.output(), Some(&Value::from(2.0)));
        assert!(
            pure.warnings
                .iter()
                .any(|warning| warning.contains("not in the audit")),
            "{:?}",
            pure.warnings
        );
    }
}

#[test]
fn without_an_audit_effects_are_refused_and_pure_calls_say_so() {
    let world = world();
    let mut host = world.dispatcher.host().clone();
    host.ledger = None;
    let dispatcher = crate::Dispatcher::new(
        std::sync::Arc::new(world.dispatcher.catalogue().clone()),
        std::sync::Arc::new(world.dispatcher.policy().clone()),
        CallLimits::default(),
        host,
    );
    assert_eq!(
        code(&dispatcher.call(yes("touch", r#"{"value":1}"#))),
        Some(ErrorCode::PreconditionFailed)
    );
    let mut asks = request("operator", "touch", r#"{"value":1}"#);
    asks.context.answer = ApprovalAnswer::Ask;
    assert_eq!(
        code(&dispatcher.call(asks)),
        Some(ErrorCode::PreconditionFailed),
        "no approval is asked for in vain"
    );
    assert!(world.approvals.requests.lock().unwrap().is_empty());
    let pure = dispatcher.call(request("operator", "double", r#"{"x":1}"#));
    assert!(pure.is_success() && pure.warnings.len() == 1);
}

#[test]
fn the_record_holds_digests_and_no_arguments() {
    let world = world();
    world.call(
        "operator",
        "echo",
        r#"{"value":{"b":"canary-text","a":[1,2]}}"#,
    );
    let first = world.last();
    assert!(!first.to_string().contains("canary"), "{first}");
    world.call(
        "operator",
        "echo",
        r#"{"value":{"a":[1.0,2],"b":"canary-text"}}"#,
    );
    let second = world.last();
    for key in ["/args_digest", "/output_digest"] {
        assert_eq!(
            field(&first, key),
            field(&second, key),
            "{key} is of the value, not of its spelling"
        );
        assert_eq!(field(&first, key).as_str().map(str::len), Some(64));
    }
    world.call(
        "operator",
        "echo",
        r#"{"value":{"a":[1,3],"b":"canary-text"}}"#,
    );
    assert_ne!(
        field(&world.last(), "/args_digest"),
        field(&first, "/args_digest")
    );
}

#[test]
fn every_record_has_the_same_members_whatever_the_end() {
    let world = world();
    for (role, tool, args) in [
        ("operator", "double", r#"{"x":1}"#),
        ("operator", "double", "{}"),
        ("operator", "nope", "{}"),
        ("nobody", "double", "{}"),
        ("worker_math", "write_file", "{}"),
        ("operator", "write_file", r#"{"path":"a"}"#),
        ("operator", "fail", "{}"),
    ] {
        world.call(role, tool, args);
        let record = world.last();
        for key in [
            "kind",
            "time_ms",
            "call_id",
            "caller_type",
            "chain_id",
            "chain_index",
            "role",
            "tool",
            "args_digest",
            "policy_generation",
            "status",
            "elapsed_ms",
            "effects",
            "resources",
        ] {
            assert!(
                record.get(key).is_some(),
                "{role} {tool}: no `{key}` in {record}"
            );
        }
    }
    assert_eq!(world.audited(), 7);
}

#[test]
fn a_name_that_is_a_secret_or_endless_does_not_reach_the_audit() {
    let world = world();
    let secret = ["sk-ant-", "api03-abcdefghijklmnop"].concat();
    world.call("operator", &secret, "{}");
    assert!(!world.last().to_string().contains(&secret));
    world.call("operator", &"x".repeat(100_000), "{}");
    assert!(world.last().to_string().len() < 2_000);
}

#[test]
fn secrets_found_in_the_world_are_taken_out_of_the_answer() {
    let world = world();
    let secret = ["ghp_", "abcDEF0123456789abcDEF0123456789abcDEF01"].concat();
    let args = format!("{{\"value\":{{\"deep\":[{{\"token\":\"{secret}\"}}]}}}}");
    let outcome = world.call("operator", "look", &args);
    assert!(!outcome.to_value().to_string().contains(&secret));
    assert!(
        outcome.warnings[0].contains("1 secrets"),
        "{:?}",
        outcome.warnings
    );
    let echoed = world.call("operator", "echo", &args);
    assert!(
        echoed.to_value().to_string().contains(&secret),
        "a function of its arguments gives back what it was given"
    );
    let config = "version = 1\n[[policies]]\nlevel = \"global\"\n[[policies.rules]]\nmatch = { tools = [\"echo\"] }\ndecision = \"allow\"\nobligations = [\"redact\"]\n";
    let obliged = World::new(&[TWELVE, TOOLS], config).call("operator", "echo", &args);
    assert!(!obliged.to_value().to_string().contains(&secret));
}
