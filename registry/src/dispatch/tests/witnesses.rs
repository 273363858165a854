//! Who is told of calls, and that it changes none.

use std::sync::{Arc, Mutex};

use super::*;
use crate::{CallLineage, CallWitness, ChainPosition, Dispatcher, TraceParent};

/// Keeps what it was told.
#[derive(Default)]
struct Listener {
    told: Mutex<Vec<(Value, Value, Option<Value>)>>,
}

impl CallWitness for Listener {
    fn call(&self, record: &Value, args: &Value, result: Option<&Value>) {
        let told = (record.clone(), args.clone(), result.cloned());
        self.told.lock().unwrap().push(told);
    }

    fn chain(&self, _: &Value) {}
}

struct Clumsy;

impl CallWitness for Clumsy {
    fn call(&self, _: &Value, _: &Value, _: Option<&Value>) {
        panic!("not the call's affair");
    }

    fn chain(&self, _: &Value) {
        panic!("nor the chain's");
    }
}

fn watched(world: &World, witness: Arc<dyn CallWitness>) -> Dispatcher {
    let dispatcher = &world.dispatcher;
    dispatcher.with_host(|host| host.witnesses.push(witness))
}

#[test]
fn a_witness_is_told_what_the_audit_gets() {
    let (world, listener) = (world(), Arc::new(Listener::default()));
    let dispatcher = watched(&world, Arc::clone(&listener) as _);
    for (tool, args, seen) in [
        ("double", r#"{"x":2}"#, r#"{"x":2.0,"count":null}"#),
        ("double", r#"{"x":"two"}"#, r#"{"x":"two"}"#),
        ("no_such_tool", "{}", "{}"),
    ] {
        dispatcher.call(request("operator", tool, args));
        let (record, given, result) = listener.told.lock().unwrap().pop().unwrap();
        assert_eq!(record, world.last(), "{tool} {args}");
        assert_eq!(given.to_string(), seen);
        let done = field(&record, "/status") == Value::from("success");
        assert_eq!(result, done.then(|| Value::from(4.0)), "{tool} {args}");
    }
}

#[test]
fn a_witness_that_panics_changes_no_call() {
    let world = world();
    let dispatcher = watched(&world, Arc::new(Clumsy));
    let outcome = dispatcher.call(request("operator", "double", r#"{"x":2}"#));
    assert_eq!(outcome.output(), Some(&Value::from(4.0)));
    assert!(outcome.warnings.is_empty());
    dispatcher.notify_chain_end(|| Value::Null);
}

const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

#[test]
fn what_a_tool_calls_names_that_call_and_the_outermost() {
    let (world, listener) = (world(), Arc::new(Listener::default()));
    let dispatcher = watched(&world, Arc::clone(&listener) as _);
    let mut call = request("operator", "nested", r#"{"value":{"x":2}}"#);
    call.context.origin = CallLineage {
        client_id: Some("call_1".to_owned()),
        trace: TraceParent::parse(PARENT),
        ..CallLineage::default()
    };
    for chain in [None, Some("ch_1")] {
        call.context.chain = chain.map(|chain| ChainPosition {
            chain_id: chain.to_owned(),
            part: 2,
            ..ChainPosition::default()
        });
        assert!(dispatcher.call(call.clone()).is_success());
        let told = std::mem::take(&mut *listener.told.lock().unwrap());
        let [(inner, ..), (outer, ..)] = &told[..] else {
            panic!("{told:?}");
        };
        let id = field(outer, "/call_id");
        assert_eq!(field(inner, "/within"), id);
        assert_eq!(field(inner, "/root"), chain.map_or(id, Value::from));
        assert_eq!(inner.get("client_id"), None);
        assert_eq!((outer.get("within"), outer.get("root")), (None, None));
        assert_eq!(field(outer, "/client_id"), Value::from("call_1"));
        for record in [inner, outer] {
            assert_eq!(field(record, "/traceparent"), Value::from(PARENT));
        }
        let part = chain.map(|_| Value::from(2_i64));
        assert_eq!(outer.get("part").cloned(), part);
    }
}
