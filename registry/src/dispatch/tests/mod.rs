//! Calls through every stage, with three-line tools.

mod approvals;
mod audit;
mod budgets;
mod counts;
mod delegation;
mod engines;
mod hosts;
mod limits;
mod obligations;
mod panics;
mod reading;
mod remote;
mod sizes;
mod visibility;
mod witnesses;

use tool_core::{
    CallOutcome, Ctx, Determinism, Effect, ErasedTool, ErrorCode, Spec, Tool, ToolError, Value,
    tool_entry,
};

use crate::fakes::{World, context, request};
use fakes::{AnyArgs, NoArgs, NumberArgs, SeedArgs, TWELVE, tool};

tool!(Double(NumberArgs) { id: "double" } = |args, _| Ok(Value::from(2.0 * args.x.get())));
tool!(Echo(AnyArgs) { id: "echo" } = |args, _| Ok(args.value));
tool!(World1(AnyArgs) { id: "look", determinism: Determinism::External } = |args, _| Ok(args.value));
tool!(Draw(SeedArgs) { id: "draw", determinism: Determinism::Seeded } = |args, ctx| Ok(Value::from(ctx.seed(args.seed).get())));
tool!(Fail(NoArgs) { id: "fail" } = |_, _| Err(ToolError::new(ErrorCode::Numeric, "it overflowed with password=hunter2hunter").reason("overflow")));
tool!(Spin(NoArgs) { id: "spin" } = |_, ctx| loop { ctx.check()?; std::thread::yield_now(); });
tool!(Hoard(NoArgs) { id: "hoard" } = |_, ctx| { ctx.reserve(1 << 40)?; Ok(Value::Null) });
tool!(Touch(AnyArgs) { id: "touch", effects: &[Effect::SystemState], determinism: Determinism::External } = |args, _| Ok(args.value));
tool!(Gated(AnyArgs) { id: "gated", effects: &[Effect::SystemState], human_gate: true, determinism: Determinism::External } = |args, _| Ok(args.value));
tool!(Nested(AnyArgs) { id: "nested", capabilities: &[tool_core::Capability::Calls], determinism: Determinism::External } = |args, ctx| ctx.calls()?.call("double", &args.value, ctx.stop()));
tool!(Shy(NoArgs) { id: "shy" } = |_, ctx| { ctx.files()?; Ok(Value::Null) });
tool!(Warns(NoArgs) { id: "warns" } = |_, ctx| { ctx.warn("take care"); Ok(Value::Null) });

static TOOLS: &[ErasedTool] = &[
    tool_entry::<Double>(),
    tool_entry::<Echo>(),
    tool_entry::<World1>(),
    tool_entry::<Draw>(),
    tool_entry::<Fail>(),
    tool_entry::<Spin>(),
    tool_entry::<Hoard>(),
    tool_entry::<Touch>(),
    tool_entry::<Gated>(),
    tool_entry::<Nested>(),
    tool_entry::<Shy>(),
    tool_entry::<Warns>(),
    tool_entry::<engines::Integral>(),
];

fn world() -> World {
    World::new(&[TWELVE, TOOLS], "")
}

fn code(outcome: &CallOutcome) -> Option<ErrorCode> {
    outcome.code()
}

fn field(value: &Value, pointer: &str) -> Value {
    value
        .pointer(pointer)
        .unwrap_or_else(|| panic!("no {pointer} in {value}"))
}

#[test]
fn a_call_answers_and_is_recorded_as_direct() {
    let world = world();
    let outcome = world.call("operator", "double", r#"{"x":5}"#);
    assert_eq!(outcome.output(), Some(&Value::from(10.0)));
    let record = world.last();
    assert_eq!(field(&record, "/caller_type"), Value::from("direct"));
    assert_eq!(field(&record, "/chain_id"), Value::Null);
    assert_eq!(field(&record, "/chain_index"), Value::from(0_i64));
    let envelope = outcome.to_value();
    for (pointer, expected) in [
        ("/ok", Value::from(true)),
        ("/status", Value::from("success")),
        ("/output", Value::from(10.0)),
        ("/requires_approval", Value::from(false)),
        ("/metadata/tool", Value::from("double")),
        ("/metadata/version", Value::from(1_i64)),
        ("/metadata/role", Value::from("operator")),
        ("/metadata/decision", Value::from("allow")),
        ("/metadata/layer", Value::from("defaults")),
        (
            "/metadata/audit/head",
            Value::from(format!("test:1:{:064}", 0)),
        ),
    ] {
        assert_eq!(field(&envelope, pointer), expected, "{pointer}");
    }
    assert_eq!(
        field(&envelope, "/metadata/call_id").as_str().map(str::len),
        Some(16)
    );
}

#[test]
fn a_step_is_recorded_with_its_place_in_the_chain() {
    let world = world();
    let mut request = request("operator", "double", r#"{"x":5}"#);
    request.context.chain = Some(super::ChainPosition {
        chain_id: "ch_123".to_owned(),
        chain_index: 2,
        step: "fit".to_owned(),
        wave: 1,
        ..Default::default()
    });
    assert!(world.dispatcher.call(request).is_success());
    let record = world.last();
    for (key, expected) in [
        ("caller_type", Value::from("chain")),
        ("chain_id", Value::from("ch_123")),
        ("chain_index", Value::from(2_i64)),
        ("step", Value::from("fit")),
        ("wave", Value::from(1_i64)),
    ] {
        assert_eq!(field(&record, &format!("/{key}")), expected, "{key}");
    }
}

#[test]
fn unknown_tools_and_every_argument_error_at_once() {
    let world = world();
    let unknown = world.call("operator", "duoble", "{}");
    assert_eq!(code(&unknown), Some(ErrorCode::UnknownTool));
    assert_eq!(
        unknown.err().unwrap().hint_str(),
        Some("did you mean `double`?")
    );
    let wrong = world.call("operator", "double", r#"{"x":"five","count":500,"y":1}"#);
    let error = wrong.err().unwrap();
    assert_eq!(error.code(), ErrorCode::InvalidArgs);
    let mut paths: Vec<&str> = error
        .problems()
        .iter()
        .map(|problem| problem.path.as_str())
        .collect();
    paths.sort_unstable();
    assert_eq!(paths, ["/count", "/x", "/y"], "{error:?}");
    for (args, path) in [
        ("{}", ""),
        (r#"{"x":true}"#, "/x"),
        (r#"{"x":1,"count":true}"#, "/count"),
        (r#"{"x":1,"count":0}"#, "/count"),
        ("[1]", ""),
    ] {
        let outcome = world.call("operator", "double", args);
        assert_eq!(code(&outcome), Some(ErrorCode::InvalidArgs), "{args}");
        assert!(
            outcome
                .err()
                .unwrap()
                .path()
                .is_some_and(|found| found.starts_with(path)),
            "{args}: {:?}",
            outcome.err()
        );
    }
    assert_eq!(world.audited(), 7, "every refused call is recorded");
}

#[test]
fn failures_answer_in_the_envelope() {
    let world = world();
    let failed = world.call("operator", "fail", "{}").to_value();
    assert_eq!(field(&failed, "/ok"), Value::from(false));
    assert_eq!(field(&failed, "/error/code"), Value::from("numeric"));
    assert_eq!(field(&world.last(), "/error_code"), Value::from("numeric"));
    assert!(
        !world.last().to_string().contains("hunter2"),
        "secrets do not reach the audit"
    );
    let denied = world
        .call("worker_math", "read_file", r#"{"path":"a"}"#)
        .to_value();
    assert_eq!(field(&denied, "/error/code"), Value::from("not_visible"));
}

#[test]
fn seeds_come_from_the_arguments_else_from_the_request_and_are_stated() {
    let world = world();
    for (args, expected) in [
        ("{}", 42_u64),
        (r#"{"seed":7}"#, 7),
        (r#"{"seed":"9007199254740995"}"#, 9_007_199_254_740_995),
    ] {
        let outcome = world.call("operator", "draw", args);
        assert_eq!(outcome.output(), Some(&Value::from(expected)));
        assert_eq!(outcome.metadata.get("seed"), Some(&Value::from(expected)));
    }
    assert!(
        world
            .call("operator", "double", r#"{"x":1}"#)
            .metadata
            .get("seed")
            .is_none()
    );
}

#[test]
fn what_a_tool_did_not_declare_does_not_exist_for_it() {
    let world = world();
    let shy = world.call("operator", "shy", "{}");
    assert_eq!(code(&shy), Some(ErrorCode::PreconditionFailed));
    let read = world.call("operator", "read_file", r#"{"path":"data/a.txt"}"#);
    assert_eq!(read.output(), Some(&Value::from("alpha")));
}

#[test]
fn warnings_of_a_tool_reach_the_answer() {
    assert_eq!(
        world().call("operator", "warns", "{}").warnings,
        ["take care"]
    );
}

#[test]
fn files_of_arguments_are_loaded_after_the_rules_and_only_then() {
    let world = world();
    let loaded = world.call("operator", "plot", r#"{"text":{"$file":"data/a.txt"}}"#);
    assert_eq!(loaded.output(), Some(&Value::from("alpha")));
    assert_eq!(
        field(&world.last(), "/resources/0"),
        Value::from("path:read:data/a.txt")
    );
    let denied = world.call("worker_math", "plot", r#"{"text":{"$file":"data/a.txt"}}"#);
    assert_eq!(code(&denied), Some(ErrorCode::PolicyDenied));
    let missing = world.call("operator", "plot", r#"{"text":{"$file":"nope.txt"}}"#);
    assert_eq!(missing.err().unwrap().path(), Some("/text"));
    let outside = world.call("operator", "plot", r#"{"text":{"$file":"../x"}}"#);
    assert_eq!(code(&outside), Some(ErrorCode::InvalidArgs));
    assert_eq!(outside.err().unwrap().path(), Some("/text"));
    let path = world.call("operator", "read_file", r#"{"path":"../x"}"#);
    assert_eq!(path.err().unwrap().path(), Some("/path"));
}

#[test]
fn resource_keys_are_real_identities() {
    let world = world();
    let tool = world
        .dispatcher
        .resolve("write_file", &context("operator"))
        .unwrap();
    let call = tool
        .decode(&Value::object([("path", "out/link/../link/key")]))
        .unwrap();
    let keys = world.dispatcher.resource_keys(tool, call.as_ref()).unwrap();
    assert_eq!(
        keys.iter().map(|key| key.name.as_str()).collect::<Vec<_>>(),
        ["secret/key"]
    );
}

#[test]
fn eight_threads_of_calls_lose_nothing() {
    let world = world();
    const CALLS: usize = 500;
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let world = &world;
            scope.spawn(move || {
                for number in 0..CALLS {
                    let x = thread * CALLS + number;
                    let outcome = world.call("operator", "double", &format!("{{\"x\":{x}}}"));
                    assert_eq!(outcome.output(), Some(&Value::from(2.0 * x as f64)));
                    if number % 50 == 0 {
                        let denied = world.call("worker_math", "edit_file", r#"{"path":"a"}"#);
                        assert_eq!(code(&denied), Some(ErrorCode::NotVisible));
                    }
                }
            });
        }
    });
    let records = world.ledger.records.lock().unwrap();
    let ids: std::collections::BTreeSet<String> = records
        .iter()
        .filter_map(|(record, _)| Some(record.get("call_id")?.to_string()))
        .collect();
    assert_eq!(ids.len(), records.len(), "every call has an id of its own");
    assert_eq!(records.len(), 8 * (CALLS + CALLS / 50));
}
