//! A panic costs one call, never the process, wherever it happens.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rayon::prelude::*;
use tool_core::capability::ToolCaller;
use tool_core::{Capability, StopFlag};

use super::*;
use crate::dispatch::{DispatchHost, Dispatcher};

static LOCK: Mutex<u32> = Mutex::new(0);
/// The dispatcher that nested calls go through.
static DEEP: OnceLock<Dispatcher> = OnceLock::new();

tool!(PanicPlain(AnyArgs) { id: "panic_plain" } = |args, _| panic!("secret argument {}", args.value));
tool!(PanicParallel(NoArgs) { id: "panic_parallel" } = |_, _| {
    let sum: usize = (0..10_000_usize).into_par_iter().map(|item| if item == 7_777 { panic!("item {item}") } else { item }).sum();
    Ok(Value::from(sum))
});
tool!(PanicLocked(NoArgs) { id: "panic_locked" } = |_, _| {
    let mut count = LOCK.lock().unwrap_or_else(PoisonError::into_inner);
    *count += 1;
    assert!(*count > 1_000_000, "while the lock is held");
    Ok(Value::from(*count))
});
tool!(Counts(NoArgs) { id: "counts" } = |_, _| {
    let mut count = LOCK.lock().unwrap_or_else(PoisonError::into_inner);
    *count += 1;
    Ok(Value::from(*count))
});
tool!(PanicDeep(NumberArgs) { id: "panic_deep", capabilities: &[Capability::Calls], determinism: Determinism::External } = |args, ctx| {
    let depth = args.x.get();
    assert!(depth > 0.0, "the bottom");
    ctx.calls()?.call("panic_deep", &Value::object([("x", depth - 1.0)]), ctx.stop())
});
tool!(PanicPayload(NoArgs) { id: "panic_payload" } = |_, _| std::panic::panic_any(Bomb));

/// Panics when it is dropped.
struct Bomb;
impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("a payload that panics");
    }
}

/// Panics before it runs, while its reach is worked out.
#[derive(tool_core::Encode, tool_core::Decode, tool_core::Describe)]
#[value(transparent)]
struct PanicEarly(NoArgs);
impl Tool for PanicEarly {
    const SPEC: Spec = Spec {
        id: "panic_early",
        title: "a fake",
        ..Spec::pure()
    };
    type Output = Value;
    fn run(_: Self, _: &Ctx) -> Result<Value, ToolError> {
        Ok(Value::Null)
    }
    fn resources(_: &Self) -> Result<Vec<tool_core::ResourceKey>, ToolError> {
        panic!("no resources")
    }
}

static PANICS: &[ErasedTool] = &[
    tool_entry::<PanicPlain>(),
    tool_entry::<PanicParallel>(),
    tool_entry::<PanicLocked>(),
    tool_entry::<Counts>(),
    tool_entry::<PanicDeep>(),
    tool_entry::<PanicPayload>(),
    tool_entry::<PanicEarly>(),
];

/// Calls through the dispatcher, as the person at the terminal would.
struct Again;

impl ToolCaller for Again {
    fn call(&self, tool: &str, args: &Value, stop: &StopFlag) -> Result<Value, ToolError> {
        let dispatcher = DEEP.get().expect("the test sets it before it calls");
        let mut request = request("operator", tool, "{}");
        request.args = args.clone();
        request.stop = stop.child();
        let outcome = dispatcher.call(request);
        outcome
            .output()
            .cloned()
            .ok_or_else(|| outcome.err().cloned().expect("no result means an error"))
    }
}

#[test]
fn a_panic_becomes_internal_and_the_next_call_is_answered() {
    let world = World::new(&[PANICS, TOOLS], "");
    for (tool, args) in [
        ("panic_plain", r#"{"value":"canary"}"#),
        ("panic_parallel", "{}"),
        ("panic_locked", "{}"),
        ("panic_payload", "{}"),
        ("panic_early", "{}"),
    ] {
        let outcome = world.call("operator", tool, args);
        let error = outcome
            .err()
            .unwrap_or_else(|| panic!("{tool} gave a result"));
        assert_eq!(
            (error.code(), error.reason_str()),
            (ErrorCode::Internal, Some("panic")),
            "{tool}"
        );
        assert!(!outcome.to_value().to_string().contains("canary"), "{tool}");
        let record = world.last();
        assert_eq!(
            field(&record, "/error_code"),
            Value::from("internal"),
            "{tool}"
        );
        assert!(!record.to_string().contains("canary"), "{tool}");
        let id = field(&record, "/call_id");
        assert!(
            error
                .hint_str()
                .is_some_and(|hint| hint.contains(id.as_str().unwrap())),
            "the id is reported"
        );
        assert_eq!(
            world.call("operator", "double", r#"{"x":2}"#).output(),
            Some(&Value::from(4.0)),
            "after {tool}"
        );
    }
    assert!(
        world.call("operator", "counts", "{}").is_success(),
        "the lock is not poisoned for good"
    );
    assert!(
        world
            .call("operator", "panic_parallel", "{}")
            .err()
            .is_some()
    );
    assert_eq!(
        (0..100_usize).into_par_iter().sum::<usize>(),
        4_950,
        "the pool works on"
    );
}

#[test]
fn a_panic_at_the_bottom_of_a_deep_chain_of_calls_unwinds_to_its_own_call() {
    let world = World::new(&[PANICS, TOOLS], "");
    let mut host: DispatchHost = world.dispatcher.host().clone();
    host.capabilities.calls = Some(Arc::new(Again));
    let catalogue = Arc::new(world.dispatcher.catalogue().clone());
    let policy = Arc::new(world.dispatcher.policy().clone());
    let dispatcher =
        DEEP.get_or_init(|| Dispatcher::new(catalogue, policy, crate::CallLimits::default(), host));
    let outcome = dispatcher.call(request("operator", "panic_deep", r#"{"x":20}"#));
    assert_eq!(code(&outcome), Some(ErrorCode::Internal));
    assert_eq!(world.audited(), 21, "each call on the way is recorded");
    assert!(
        dispatcher
            .call(request("operator", "double", r#"{"x":2}"#))
            .is_success()
    );
}

#[test]
fn many_threads_may_panic_at_once() {
    let world = World::new(&[PANICS, TOOLS], "");
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..20 {
                    assert_eq!(
                        code(&world.call("operator", "panic_parallel", "{}")),
                        Some(ErrorCode::Internal)
                    );
                    assert!(world.call("operator", "double", r#"{"x":2}"#).is_success());
                }
            });
        }
    });
    assert_eq!(world.audited(), 8 * 40);
}
