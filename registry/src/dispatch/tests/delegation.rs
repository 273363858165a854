//! Calls that tools make for their caller: never with more rights.

use proptest::prelude::*;
use tool_core::Caller;
use tool_core::capability::{CallDelegation, OperatorQuestion};

use super::*;
use crate::model::{Level, PolicyLayer, Principal};
use crate::policy::Access;

tool!(Delegate(AnyArgs) { id: "delegate", capabilities: &[tool_core::Capability::Calls], determinism: Determinism::External, callers: &[Caller::Direct] } = |args, ctx| {
    let text = |pointer: &str| args.value.pointer(pointer);
    let calls = text("/calls").and_then(|calls| calls.items()).unwrap_or_default();
    let delegation = CallDelegation {
        name: "child".to_owned(),
        tools: text("/tools").and_then(|tools| tools.items()).unwrap_or_default().iter().filter_map(|tool| tool.as_str().map(str::to_owned)).collect(),
        read_only: text("/read_only").and_then(|flag| flag.as_bool()).unwrap_or(false),
        calls: calls.iter().map(|call| (
            call.get("tool").and_then(|tool| tool.as_str()).unwrap_or_default().to_owned(),
            call.get("args").cloned().unwrap_or_default(),
        )).collect(),
    };
    ctx.calls()?.delegate(&delegation, ctx.stop()).map(Value::array)
});
tool!(Escalate(AnyArgs) { id: "escalate", capabilities: &[tool_core::Capability::Calls], determinism: Determinism::External, callers: &[Caller::Direct] } = |args, ctx| {
    let question = OperatorQuestion {
        reason: "may I? password=hunter2hunter".to_owned(),
        tool: args.value.as_str().map(str::to_owned),
        args: None,
    };
    ctx.calls()?.escalate(&question).map(|asked| Value::from(asked.id))
});

static DELEGATION: &[ErasedTool] = &[tool_entry::<Delegate>(), tool_entry::<Escalate>()];

fn delegating() -> World {
    World::new(&[TWELVE, TOOLS, DELEGATION], "")
}

fn statuses(outcome: &CallOutcome) -> Vec<String> {
    let output = outcome
        .output()
        .unwrap_or_else(|| panic!("{:?}", outcome.err()));
    let envelopes = output.items().unwrap_or_default();
    let status = |envelope: &Value| match envelope.pointer("/error/code") {
        Some(code) => code.as_str().unwrap_or_default().to_owned(),
        None => field(envelope, "/status")
            .as_str()
            .unwrap_or_default()
            .to_owned(),
    };
    envelopes.iter().map(status).collect()
}

#[test]
fn a_delegate_calls_in_order_with_what_it_was_given() {
    let world = delegating();
    let outcome = world.call(
        "worker_math",
        "delegate",
        r#"{"value":{"tools":["double","write_file"],"calls":[
            {"tool":"double","args":{"x":2}},
            {"tool":"calculate","args":{"x":2}},
            {"tool":"write_file","args":{"path":"out/a","content":"x"}},
            {"tool":"double","args":{"y":2}}]}}"#,
    );
    assert_eq!(
        statuses(&outcome),
        ["success", "not_visible", "not_visible", "invalid_args"],
        "what it may not see, what nobody gave it, what its parent lacks"
    );
    assert_eq!(
        field(outcome.output().unwrap(), "/0/output"),
        Value::from(4.0)
    );
    assert_eq!(
        world.audited(),
        5,
        "each call is recorded, and the delegation"
    );
    assert_eq!(field(&world.last(), "/tool"), Value::from("delegate"));
    for (record, _) in world.ledger.records.lock().unwrap().iter() {
        assert_eq!(field(record, "/role"), Value::from("worker_math"));
    }
}

#[test]
fn a_delegate_that_only_reads_changes_nothing() {
    let world = delegating();
    let write = r#"{"tool":"write_file","args":{"path":"out/a","content":"x"}}"#;
    let args = |read_only: bool| {
        format!(
            "{{\"value\":{{\"tools\":[\"group:all\"],\"read_only\":{read_only},\"calls\":[{write}]}}}}"
        )
    };
    let outcome = world.call("operator", "delegate", &args(true));
    assert_eq!(statuses(&outcome), ["not_visible"]);
    let outcome = world.call("operator", "delegate", &args(false));
    assert_eq!(
        statuses(&outcome),
        ["pending_approval"],
        "it asks as its parent would"
    );
}

#[test]
fn delegates_of_delegates_end_and_unknown_tools_are_named() {
    let world = delegating();
    let mut args =
        r#"{"value":{"tools":["group:all"],"calls":[{"tool":"double","args":{"x":1}}]}}"#
            .to_owned();
    for _ in 0..crate::dispatch::DEPTH_MAX {
        args = format!(
            "{{\"value\":{{\"tools\":[\"group:all\"],\"calls\":[{{\"tool\":\"delegate\",\"args\":{args}}}]}}}}"
        );
    }
    let outcome = world.call("operator", "delegate", &args);
    let text = outcome.to_value().to_string();
    assert!(
        text.contains("limit_exceeded") && text.contains("nested"),
        "{text}"
    );
    let unknown = world.call(
        "operator",
        "delegate",
        r#"{"value":{"tools":["dobule"],"calls":[]}}"#,
    );
    let error = unknown.err().unwrap();
    assert_eq!(
        (error.code(), error.path()),
        (ErrorCode::InvalidArgs, Some("/tools"))
    );
    assert!(error.message().contains("dobule"), "{error}");
}

#[test]
fn delegation_is_no_step_of_a_chain() {
    let world = delegating();
    for tool in ["delegate", "escalate"] {
        let mut step = request("operator", tool, r#"{"value":{"tools":[],"calls":[]}}"#);
        step.context.chain = Some(crate::ChainPosition {
            chain_id: "c".to_owned(),
            chain_index: 0,
            step: "s".to_owned(),
            wave: 0,
            ..Default::default()
        });
        assert_eq!(
            code(&world.dispatcher.call(step)),
            Some(ErrorCode::NotVisible)
        );
    }
}

#[test]
fn a_nested_call_is_made_for_the_caller_of_the_tool() {
    let world = world();
    let nested = world.call("worker_math", "nested", r#"{"value":{"x":3}}"#);
    assert_eq!(nested.output(), Some(&Value::from(6.0)));
    let hidden = World::new(
        &[TWELVE, TOOLS],
        "version = 1\n[roles.caller]\ntools = [\"nested\"]\n",
    );
    let refused = hidden.call("caller", "nested", r#"{"value":{"x":3}}"#);
    assert_eq!(
        code(&refused),
        Some(ErrorCode::NotVisible),
        "its caller does not see `double`"
    );
}

#[test]
fn a_question_reaches_a_person() {
    let world = delegating();
    let outcome = world.call("operator", "escalate", r#"{"value":"write_file"}"#);
    assert_eq!(outcome.output(), Some(&Value::from("n1")));
    let told = world.notices.told.lock().unwrap().clone();
    assert_eq!(
        (told[0].kind, told[0].tool.as_deref()),
        ("question", Some("write_file"))
    );
    assert!(!told[0].text.contains("hunter2"));
    let unknown = world.call("operator", "escalate", r#"{"value":"writ_file"}"#);
    assert_eq!(code(&unknown), Some(ErrorCode::UnknownTool));
}

#[test]
fn a_configured_layer_of_delegates_only_narrows() {
    let allow = "version = 1\n[[policies]]\nlevel = \"delegation\"\n[[policies.rules]]\nmatch = { tools = [\"write_file\"] }\ndecision = \"allow\"\n";
    let errors = crate::Config::load("m.toml", allow, &crate::fakes::twelve())
        .unwrap_err()
        .to_string();
    assert!(
        errors.contains("m.toml:4") && errors.contains("narrows"),
        "{errors}"
    );
}

proptest! {
    /// P11: whatever a delegate is given, it sees no more than its parent, and no verdict is milder.
    #[test]
    fn a_delegate_is_at_or_above_its_parent(
        role in prop::sample::select(vec!["operator", "worker_math", "frontdoor", "coder_escalation"]),
        chain in prop::collection::vec(
            (prop::collection::vec(prop::sample::select(vec!["group:all", "write_file", "read_file", "calculate", "category:web", "effect:local_exec", "*file*", "run_shell"]), 0..4), any::<bool>()),
            1..4),
        rule in prop::sample::select(vec!["allow", "ask", "deny"]),
    ) {
        let config = format!("version = 1\n[[policies]]\nlevel = \"global\"\n[[policies.rules]]\nmatch = {{ tools = [\"run_shell\", \"write_file\"] }}\ndecision = \"{rule}\"\n[[policies]]\nlevel = \"delegation\"\ndeny = [\"web_search\"]\n");
        let world = World::new(&[TWELVE], &config);
        let (catalogue, policy, facts) = (world.dispatcher.catalogue(), world.dispatcher.policy(), world.dispatcher.facts());
        let mut who = Principal::role(role);
        let access = |who: &Principal| -> Vec<Access> {
            let caller = policy.caller(catalogue, who, facts).unwrap();
            (0..catalogue.len()).map(|tool| caller.access(catalogue, tool)).collect()
        };
        let mut parent = access(&who);
        for (tools, read_only) in chain {
            who = who.narrow(PolicyLayer::new(Level::Delegation, "child").allow(tools));
            if read_only {
                who = who.narrow(PolicyLayer::read_only());
            }
            let child = access(&who);
            for (above, below) in parent.iter().zip(&child) {
                prop_assert!(below >= above);
            }
            parent = child;
        }
    }
}
