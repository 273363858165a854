//! Calls that another process computes: every other stage stays here.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::dispatch::{CallPlace, RemoteCall, RemoteCompute};

/// Computes `double` as a node would, falls back for the rest, and counts what reached it.
#[derive(Default)]
struct Node(AtomicUsize);

impl RemoteCompute for Node {
    fn compute(
        &self,
        call: &RemoteCall<'_>,
        here: &mut dyn FnMut() -> Result<Value, ToolError>,
    ) -> (Result<Value, ToolError>, Option<CallPlace>) {
        self.0.fetch_add(1, Ordering::Relaxed);
        let place = |text: &str| Some(CallPlace::Fallback(text.to_owned()));
        match (call.spec.id, call.stays) {
            (_, Some(why)) => (here(), place(why)),
            ("double", None) => {
                call.ctx.warn("it was far");
                let there = Some(CallPlace::Node("n7".to_owned()));
                (Ok(Value::from(12.0)), there)
            }
            (_, None) => (here(), place("no worker")),
        }
    }
}

fn call(world: &World, node: &Arc<Node>, tool: &str, args: &str) -> CallOutcome {
    world.dispatcher.call(crate::CallRequest {
        remote: Some(Arc::clone(node) as _),
        ..request("operator", tool, args)
    })
}

#[test]
fn the_record_of_a_call_has_its_node_or_the_reason_why_it_fell_back() {
    let (world, node) = (world(), Arc::new(Node::default()));
    let there = call(&world, &node, "double", r#"{"x":6}"#);
    assert_eq!(there.output(), Some(&Value::from(12.0)));
    assert_eq!(there.warnings, ["it was far"]);
    assert_eq!(there.metadata.get("node"), Some(&Value::from("n7")));
    assert_eq!(field(&world.last(), "/node"), Value::from("n7"));
    let here = call(&world, &node, "draw", "{}");
    assert_eq!(here.output(), Some(&Value::from(42_u64)));
    let why = field(&world.last(), "/placement_fallback");
    assert_eq!(why, Value::from("no worker"));
    // An ordinary call has neither.
    world.call("operator", "double", r#"{"x":6}"#);
    let record = world.last();
    for key in ["node", "placement_fallback"] {
        assert_eq!(record.get(key), None, "{key}");
    }
}

#[test]
fn what_is_not_a_function_of_its_arguments_stays() {
    let (world, node) = (world(), Arc::new(Node::default()));
    for (tool, args) in [
        ("look", r#"{"value":1}"#),
        ("nested", r#"{"value":{"x":1}}"#),
    ] {
        call(&world, &node, tool, args);
        let why = field(&world.last(), "/placement_fallback").to_string();
        assert!(why.contains("not a function of arguments"), "{tool}: {why}");
    }
    for tool in world.dispatcher.catalogue().iter() {
        let spec = tool.spec();
        let is_pure = spec.effects.is_empty()
            && spec.capabilities.is_empty()
            && spec.determinism != Determinism::External;
        assert!(is_pure || !crate::is_movable(spec), "{}", spec.id);
    }
}

#[test]
fn what_is_refused_reaches_no_node() {
    let layer = "version = 1\n[[policies]]\nlevel = \"global\"\n[[policies.rules]]\nmatch = { tools = [\"double\"] }\ndecision = \"deny\"\n";
    let world = World::new(&[TWELVE, TOOLS], layer);
    let node = Arc::new(Node::default());
    let denied = call(&world, &node, "double", r#"{"x":6}"#);
    assert_eq!(code(&denied), Some(ErrorCode::PolicyDenied));
    let invalid = call(&world, &node, "draw", r#"{"seed":"x"}"#);
    assert_eq!(code(&invalid), Some(ErrorCode::InvalidArgs));
    assert_eq!(node.0.load(Ordering::Relaxed), 0);
}

/// Looks at the clock, which passes a millisecond at each look, for longer than the deadline; then lets the call be computed here.
struct Queue(Arc<dyn tool_core::capability::Clock>);

impl RemoteCompute for Queue {
    fn compute(
        &self,
        call: &RemoteCall<'_>,
        here: &mut dyn FnMut() -> Result<Value, ToolError>,
    ) -> (Result<Value, ToolError>, Option<CallPlace>) {
        for _ in 0..80 {
            self.0.monotonic();
        }
        assert!(!call.ctx.stop().is_set());
        let first = here();
        assert!(here().is_err(), "at most once");
        (first, None)
    }
}

/// The time until a call is computed is none of its own.
#[test]
fn the_deadline_of_a_call_counts_from_its_computation() {
    let world = world();
    let outcome = world.dispatcher.call(crate::CallRequest {
        remote: Some(Arc::new(Queue(Arc::clone(&world.dispatcher.host().clock)))),
        timeout_ms: Some(40),
        ..request("operator", "draw", "{}")
    });
    assert!(outcome.is_success(), "{outcome:?}");
}
