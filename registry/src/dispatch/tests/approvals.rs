//! A person's answer: for one call, once.

use tool_core::OutcomeStatus;
use tool_core::capability::ApprovalState;

use super::*;
use crate::ApprovalAnswer;

const WRITE: &str = r#"{"path":"out/a","content":"x"}"#;

fn pending(outcome: &CallOutcome) -> Option<&str> {
    match &outcome.status {
        OutcomeStatus::PendingApproval { approval_id, .. } => Some(approval_id),
        _ => None,
    }
}

#[test]
fn a_call_that_asks_waits_then_runs_once_with_exactly_these_arguments() {
    let world = world();
    let first = world.call("operator", "write_file", WRITE);
    assert_eq!(pending(&first), Some("a1"));
    let envelope = first.to_value();
    assert_eq!(field(&envelope, "/ok"), Value::from(true));
    assert_eq!(field(&envelope, "/requires_approval"), Value::from(true));
    assert_eq!(field(&envelope, "/metadata/approval_id"), Value::from("a1"));
    assert_eq!(
        field(&envelope, "/side_effects_declared/0"),
        Value::from("modifies_files")
    );
    assert!(world.files.get("out/a").is_none(), "it did not run");
    assert_eq!(
        field(&world.last(), "/status"),
        Value::from("pending_approval")
    );

    world.approvals.answer(Ok("someone at the terminal"));
    let other = world.call(
        "operator",
        "write_file",
        r#"{"path":"out/a","content":"y"}"#,
    );
    assert!(
        pending(&other).is_some(),
        "the answer is for other arguments"
    );
    let role = world.call("toolrunner", "write_file", WRITE);
    assert!(pending(&role).is_some(), "the answer is for another role");
    let second = world.call(
        "operator",
        "write_file",
        r#"{"content":"x","path":"out/a"}"#,
    );
    assert!(
        second.is_success(),
        "the same call in another spelling: {:?}",
        second.err()
    );
    assert_eq!(
        second.metadata.get("approved_by"),
        Some(&Value::from("someone at the terminal"))
    );
    assert_eq!(field(&world.last(), "/approval_id"), Value::from("a1"));
    assert_eq!(world.files.text("out/a").as_deref(), Some("x"));
    let third = world.call("operator", "write_file", WRITE);
    assert!(
        pending(&third).is_some(),
        "an answer is used up by one call"
    );
}

#[test]
fn a_person_may_decline_and_answers_expire() {
    for (state, expected) in [
        (
            ApprovalState::Declined("a1".to_owned()),
            ErrorCode::ApprovalDeclined,
        ),
        (
            ApprovalState::TimedOut("a1".to_owned()),
            ErrorCode::ApprovalDeclined,
        ),
        (
            ApprovalState::Expired("a1".to_owned()),
            ErrorCode::ApprovalExpired,
        ),
    ] {
        let world = world();
        world.call("operator", "write_file", WRITE);
        world.approvals.answer(Err(state));
        let outcome = world.call("operator", "write_file", WRITE);
        assert_eq!(code(&outcome), Some(expected));
        assert_eq!(field(&world.last(), "/approval_id"), Value::from("a1"));
        assert!(world.files.get("out/a").is_none());
    }
}

#[test]
fn an_approval_is_bound_to_the_real_path() {
    let world = world();
    let call = |world: &World| world.call("operator", "write_file", r#"{"path":"out/link/x"}"#);
    call(&world);
    world.approvals.answer(Ok("someone"));
    let target = |path: &str| world.files.link("out/link", path);
    target("elsewhere");
    assert!(
        pending(&call(&world)).is_some(),
        "the link means another file than the one that was approved"
    );
    target("secret");
    assert!(call(&world).is_success());
}

#[test]
fn an_answer_given_in_advance_is_recorded_as_such_and_overrules_no_denial() {
    let config = "version = 1\n[[policies]]\nlevel = \"global\"\n[[policies.rules]]\nmatch = { tools = [\"write_file\"], path = { under = \"secret\" } }\ndecision = \"deny\"\n";
    let world = World::new(&[TWELVE, TOOLS], config);
    let mut yes = request(
        "operator",
        "write_file",
        r#"{"path":"out/a","overwrite":true}"#,
    );
    yes.context.answer = ApprovalAnswer::Yes;
    let outcome = world.dispatcher.call(yes.clone());
    assert!(outcome.is_success());
    assert_eq!(
        field(&world.last(), "/approved_by"),
        Value::from("caller-yes")
    );
    assert_eq!(field(&world.last(), "/decision"), Value::from("ask"));
    yes.args = Value::object([("path", "out/link/key")]);
    assert_eq!(
        code(&world.dispatcher.call(yes)),
        Some(ErrorCode::PolicyDenied)
    );
}

/// The dispatcher of a world on another host.
fn on(world: &World, change: impl FnOnce(&mut crate::DispatchHost)) -> crate::Dispatcher {
    let mut host = world.dispatcher.host().clone();
    change(&mut host);
    let catalogue = std::sync::Arc::new(world.dispatcher.catalogue().clone());
    let policy = std::sync::Arc::new(world.dispatcher.policy().clone());
    crate::Dispatcher::new(catalogue, policy, crate::CallLimits::default(), host)
}

#[test]
fn a_new_request_is_told_unless_a_person_decides_at_once() {
    let world = world();
    let told = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let heard = std::sync::Arc::clone(&told);
    let dispatcher = on(&world, |host| {
        host.notifier = Some(std::sync::Arc::new(move |entry: &Value| {
            heard.lock().unwrap().push(field(entry, "/event"));
        }));
    });
    let asked = |answer| {
        let mut request = request("operator", "write_file", WRITE);
        request.context.answer = answer;
        assert!(pending(&dispatcher.call(request)).is_some());
        told.lock().unwrap().len()
    };
    assert_eq!(asked(ApprovalAnswer::AtOnce), 0);
    assert_eq!(asked(ApprovalAnswer::Ask), 1);
    assert_eq!(told.lock().unwrap()[0], Value::from("approval"));
}

#[test]
fn without_a_place_for_approvals_a_call_that_asks_is_refused() {
    let world = world();
    let dispatcher = on(&world, |host| host.approvals = None);
    assert_eq!(
        code(&dispatcher.call(request("operator", "write_file", WRITE))),
        Some(ErrorCode::ApprovalRequired)
    );
}

#[test]
fn what_a_person_sees_is_short_and_without_secrets() {
    let world = world();
    let secret = ["ghp_", "abcDEF0123456789abcDEF0123456789abcDEF01"].concat();
    let content = format!("{secret}{}", "x".repeat(5_000));
    let args = Value::object([("path", "out/a"), ("content", content.as_str())]);
    let mut asked = request("operator", "write_file", "{}");
    asked.args = args;
    world.dispatcher.call(asked);
    let preview = world.approvals.requests.lock().unwrap()[0].preview.clone();
    assert!(
        preview.chars().count() <= 700 && preview.contains("out/a"),
        "{preview}"
    );
    assert!(!preview.contains(&secret[..20]), "{preview}");
    let reason = world.approvals.requests.lock().unwrap()[0].reason.clone();
    assert!(reason.contains("modifies files"), "{reason}");
}

/// A tool that tries every name by which it could approve something.
#[test]
fn no_tool_can_approve() {
    let world = world();
    world.call("operator", "write_file", WRITE);
    for name in [
        "approve",
        "mathchain:approve",
        "approvals",
        "approval_settle",
    ] {
        assert_eq!(
            code(&world.call("operator", name, r#"{"id":"a1"}"#)),
            Some(ErrorCode::UnknownTool)
        );
    }
    for args in [
        r#"{"path":"out/a","content":"x","approved":true}"#,
        r#"{"path":"out/a","content":"x","answer":"yes"}"#,
        r#"{"path":"out/a","role":"operator"}"#,
    ] {
        assert_eq!(
            code(&world.call("operator", "write_file", args)),
            Some(ErrorCode::InvalidArgs),
            "{args}"
        );
    }
    assert!(pending(&world.call("operator", "write_file", WRITE)).is_some());
}

/// What a person approves is what the arguments open, not only how it is called.
#[test]
fn another_content_of_a_file_asks_anew() {
    let world = World::new(
        &[TWELVE, TOOLS],
        "version = 1\n[[policies]]\nlevel = \"global\"\n[[policies.rules]]\nmatch = { tools = [\"plot\"] }\ndecision = \"ask\"\n",
    );
    let args = r#"{"text":{"$file":"data/a.txt"}}"#;
    let first = world.call("operator", "plot", args);
    assert_eq!(pending(&first), Some("a1"), "{:?}", first.err());
    let preview = world.approvals.requests.lock().unwrap()[0].preview.clone();
    assert!(
        preview.contains("`/text` opens `data/a.txt`, blake3 "),
        "{preview}"
    );
    world.approvals.answer(Ok("someone at the terminal"));
    let put = |content: &[u8]| world.files.put("data/a.txt", content);
    put(b"beta");
    let changed = world.call("operator", "plot", args);
    assert!(pending(&changed).is_some(), "the file is another one now");
    put(b"alpha");
    let same = world.call("operator", "plot", args);
    assert!(same.is_success(), "{:?}", same.err());
}

/// Neither a rule that names the tool, nor the caller's own yes, replaces a person's approval.
#[test]
fn a_human_gate_is_opened_by_an_approval_only() {
    let config = "version = 1\n[[policies]]\nlevel = \"global\"\n  [[policies.rules]]\n  match = { tools = [\"gated\", \"touch\"] }\n  decision = \"allow\"\n";
    let world = World::new(&[TWELVE, super::TOOLS], config);
    assert!(
        world
            .call("operator", "touch", r#"{"value":1}"#)
            .is_success()
    );
    let asked = world.call("operator", "gated", r#"{"value":1}"#);
    assert!(pending(&asked).is_some(), "{:?}", asked.err());
    let mut yes = request("operator", "gated", r#"{"value":1}"#);
    yes.context.answer = ApprovalAnswer::Yes;
    let asked = world.dispatcher.call(yes);
    assert!(pending(&asked).is_some(), "{:?}", asked.err());
    world.approvals.answer(Ok("someone at the terminal"));
    let asked = world.call("operator", "gated", r#"{"value":2}"#);
    assert!(
        pending(&asked).is_some(),
        "the answer is for other arguments"
    );
    assert!(
        world
            .call("operator", "gated", r#"{"value":1}"#)
            .is_success()
    );
}

/// Grants the newest request for other arguments.
fn edit(world: &World, arguments: Value) {
    world.approvals.answer(Err(ApprovalState::Edited {
        id: "a1".to_owned(),
        approved_by: "anna".to_owned(),
        arguments,
    }));
}

#[test]
fn a_person_changes_the_arguments_and_the_call_runs_once_with_these() {
    let world = world();
    world.call("operator", "write_file", WRITE);
    let asked = field(&world.last(), "/args_digest");
    edit(
        &world,
        Value::object([("path", "out/b"), ("content", "better")]),
    );
    let done = world.call("operator", "write_file", WRITE);
    assert!(done.is_success(), "{:?}", done.err());
    assert_eq!(world.files.text("out/b").as_deref(), Some("better"));
    assert!(world.files.get("out/a").is_none(), "not as it was asked");
    let record = world.last();
    assert_eq!(field(&record, "/approved_by"), Value::from("anna"));
    assert_eq!(field(&record, "/first_args_digest"), asked);
    assert_ne!(field(&record, "/args_digest"), asked);
    let warning = done.warnings.join(" ");
    for words in ["anna", "`path` is \"out/b\"", "`content` is \"better\""] {
        assert!(warning.contains(words), "{words} in {warning}");
    }
    let again = world.call("operator", "write_file", WRITE);
    assert!(pending(&again).is_some(), "the grant is used up");
}

#[test]
fn the_policy_decides_about_the_arguments_of_a_person_too() {
    let config = "version = 1\n[[policies]]\nlevel = \"global\"\n[[policies.rules]]\nmatch = { tools = [\"write_file\"], path = { under = \"secret\" } }\ndecision = \"deny\"\n";
    let world = World::new(&[TWELVE, TOOLS], config);
    world.call("operator", "write_file", WRITE);
    edit(
        &world,
        Value::object([("path", "secret/other"), ("content", "x")]),
    );
    let denied = world.call("operator", "write_file", WRITE);
    assert_eq!(code(&denied), Some(ErrorCode::PolicyDenied));
    assert!(world.files.get("secret/other").is_none() && world.files.get("out/a").is_none());
    // Arguments that the tool does not take are an error of the call, which stays without effect.
    edit(&world, Value::object([("nothing", "x")]));
    let refused = world.call("operator", "write_file", WRITE);
    assert_eq!(code(&refused), Some(ErrorCode::InvalidArgs));
}

#[test]
fn arguments_of_a_person_that_reach_files_which_were_not_shown_are_asked_anew() {
    let world = world();
    world.files.put("out/there", "precious");
    world.call("operator", "write_file", WRITE);
    let over = Value::object([
        ("path", Value::from("out/there")),
        ("content", Value::from("x")),
        ("overwrite", Value::from(true)),
    ]);
    edit(&world, over);
    let asked = world.call("operator", "write_file", WRITE);
    assert!(pending(&asked).is_some(), "{:?}", asked.err());
    assert_eq!(world.files.text("out/there").as_deref(), Some("precious"));
    // With that granted too, the same call of the caller runs.
    world.approvals.answer(Ok("anna"));
    let done = world.call("operator", "write_file", WRITE);
    assert!(done.is_success(), "{:?}", done.err());
    assert_eq!(world.files.text("out/there").as_deref(), Some("x"));
}
