//! Budgets of tasks.

use tool_core::capability::BudgetRaise;

use super::*;
use crate::ApprovalAnswer;

tool!(Raise(AnyArgs) { id: "raise", capabilities: &[tool_core::Capability::Calls], determinism: Determinism::External } = |args, ctx| {
    let BudgetRaise { remaining, overrides_used, refused } =
        ctx.calls()?.raise_budget(args.value.as_str().unwrap_or_default())?;
    Ok(Value::object([
        ("remaining", Value::from(remaining)),
        ("used", Value::from(overrides_used)),
        ("refused", Value::from(refused)),
    ]))
});
tool!(AskModel(NoArgs) { id: "ask_model", effects: &[Effect::CallsLlm], determinism: Determinism::External } = |_, _| Ok(Value::Null));

static BUDGETED: &[ErasedTool] = &[tool_entry::<Raise>(), tool_entry::<AskModel>()];

const CONFIG: &str = "version = 1\n[budgets.bugfix]\nread = 2\nwrite = 1\nexec = 1\nllm = 0\n[budgets.free]\nread = 1\noverrides = 0\n";

fn budgeted() -> World {
    World::new(&[TWELVE, TOOLS, BUDGETED], CONFIG)
}

fn call(world: &World, task: Option<&str>, tool: &str, args: &str) -> CallOutcome {
    let mut request = request("operator", tool, args);
    request.context.who.task = task.map(str::to_owned);
    request.context.answer = ApprovalAnswer::Yes;
    world.dispatcher.call(request)
}

fn is_exhausted(outcome: &CallOutcome) -> bool {
    outcome.err().is_some_and(|err| {
        (err.code(), err.reason_str()) == (ErrorCode::LimitExceeded, Some("budget"))
    })
}

#[test]
fn calls_are_counted_by_kind_and_task() {
    let world = budgeted();
    let task = Some("bugfix");
    for (tool, args, fits) in [
        ("double", r#"{"x":1}"#, true),
        ("read_file", r#"{"path":"data/a.txt"}"#, true),
        ("double", r#"{"x":1}"#, false),
        ("touch", r#"{"value":1}"#, true),
        ("write_file", r#"{"path":"out/a","content":"x"}"#, false),
        ("run_shell", r#"{"argv":["true"]}"#, true),
        ("run_shell", r#"{"argv":["true"]}"#, false),
        ("ask_model", "{}", false),
    ] {
        let outcome = call(&world, task, tool, args);
        assert_eq!(is_exhausted(&outcome), !fits, "{tool}: {:?}", outcome.err());
        assert_eq!(outcome.is_success(), fits, "{tool}");
    }
    assert!(call(&world, None, "double", r#"{"x":1}"#).is_success());
    assert!(call(&world, Some("free"), "double", r#"{"x":1}"#).is_success());
    let none = call(&world, task, "double", r#"{"x":1}"#);
    let error = none.err().unwrap();
    assert!(
        error
            .message()
            .contains("`bugfix` has used its budget of 2 `read` calls"),
        "{error}"
    );
    assert!(
        error
            .hint_str()
            .is_some_and(|hint| hint.contains("budget_override"))
    );
}

/// A call that is refused, or whose arguments do not fit, costs nothing.
#[test]
fn what_does_not_run_is_not_counted() {
    let world = budgeted();
    for (tool, args) in [
        ("double", r#"{"y":1}"#),
        ("no_such_tool", "{}"),
        ("read_file", r#"{"path":"../x"}"#),
    ] {
        for _ in 0..3 {
            assert!(!call(&world, Some("bugfix"), tool, args).is_success());
        }
    }
    let mut asks = request("operator", "touch", r#"{"value":1}"#);
    asks.context.who.task = Some("bugfix".to_owned());
    for _ in 0..3 {
        let outcome = world.dispatcher.call(asks.clone());
        assert!(outcome.err().is_none() && !outcome.is_success(), "it waits");
    }
    for (tool, args) in [
        ("double", r#"{"x":1}"#),
        ("double", r#"{"x":1}"#),
        ("touch", r#"{"value":1}"#),
    ] {
        assert!(
            call(&world, Some("bugfix"), tool, args).is_success(),
            "{tool}"
        );
    }
}

/// Case R78: the third override is refused, in the answer and not as an error.
#[test]
fn a_budget_is_raised_twice() {
    let world = budgeted();
    let raise = |task| call(&world, task, "raise", r#"{"value":"exec"}"#);
    let first = raise(Some("bugfix"));
    let output = first.output().unwrap();
    assert_eq!(field(output, "/remaining"), Value::from(4_u64));
    assert_eq!(field(output, "/refused"), Value::Null);
    assert_eq!(
        field(raise(Some("bugfix")).output().unwrap(), "/remaining"),
        Value::from(7_u64)
    );
    let third = raise(Some("bugfix"));
    assert!(
        field(third.output().unwrap(), "/refused")
            .as_str()
            .is_some()
    );
    assert_eq!(field(third.output().unwrap(), "/used"), Value::from(2_u64));
    for _ in 0..7 {
        assert!(call(&world, Some("bugfix"), "run_shell", r#"{"argv":["true"]}"#).is_success());
    }
    let used_up = call(&world, Some("bugfix"), "run_shell", r#"{"argv":["true"]}"#);
    assert!(is_exhausted(&used_up));
    assert!(
        used_up
            .err()
            .unwrap()
            .hint_str()
            .unwrap()
            .contains("escalate")
    );
    for task in [None, Some("free")] {
        let refused = raise(task);
        assert!(
            field(refused.output().unwrap(), "/refused")
                .as_str()
                .is_some()
        );
    }
    let unknown = call(&world, Some("bugfix"), "raise", r#"{"value":"all"}"#);
    assert_eq!(code(&unknown), Some(ErrorCode::InvalidArgs));
}

/// A reloaded policy does not give a session its calls back.
#[test]
fn counts_outlive_a_reload() {
    let world = budgeted();
    let task = Some("bugfix");
    assert!(call(&world, task, "run_shell", r#"{"argv":["true"]}"#).is_success());
    let old = &world.dispatcher;
    let catalogue = std::sync::Arc::new(old.catalogue().clone());
    let policy = std::sync::Arc::new(old.policy().clone());
    let reloaded = crate::Dispatcher::new(catalogue, policy, old.limits(), old.host().clone());
    let reloaded = reloaded.continuing(old);
    let mut again = request("operator", "run_shell", r#"{"argv":["true"]}"#);
    again.context.who.task = Some("bugfix".to_owned());
    again.context.answer = ApprovalAnswer::Yes;
    assert!(is_exhausted(&reloaded.call(again)));
}

/// Threads that race for the last call of a budget do not both get it.
#[test]
fn a_budget_holds_between_threads() {
    let world = World::new(
        &[TWELVE, TOOLS],
        "version = 1\n[budgets.bugfix]\nread = 50\n",
    );
    let ran = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..25 {
                    if call(&world, Some("bugfix"), "double", r#"{"x":1}"#).is_success() {
                        ran.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    }
                }
            });
        }
    });
    assert_eq!(ran.load(std::sync::atomic::Ordering::Relaxed), 50);
    assert!(is_exhausted(&call(
        &world,
        Some("bugfix"),
        "double",
        r#"{"x":1}"#
    )));
}
