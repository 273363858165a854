//! Sizes of answers: limits at, below and above their values, and arrays as handles.

use std::sync::{Arc, Mutex};

use super::*;
use crate::dispatch::{AnswerReader, ChainPosition, READABLE_BYTES, ResultStore};
use crate::{CallLimits, CallRequest, Dispatcher};
use fakes::MemoryLedger;

/// The limit that the tools here state.
const OWN: u64 = 4 << 20;

tool!(Letters(AnyArgs) { id: "letters", output_bytes_max: Some(OWN) } =
    |args, _| Ok(Value::from("x".repeat(args.value.as_i64().unwrap() as usize - 2))));
tool!(Ones(AnyArgs) { id: "ones", output_bytes_max: Some(OWN), inline_if: Some("/value/whole") } =
    |args, _| Ok(ones(&args.value)));
tool!(Acts(AnyArgs) { id: "acts", effects: &[Effect::SystemState], determinism: Determinism::External } =
    |args, _| Ok(ones(&args.value)));

static SIZED: &[ErasedTool] = &[
    tool_entry::<Letters>(),
    tool_entry::<Ones>(),
    tool_entry::<Acts>(),
];

/// A list of ones that is `bytes` long as JSON (1.0 and a comma are four), and a text beside it.
fn ones(args: &Value) -> Value {
    let bytes = args.get("bytes").and_then(Value::as_i64).unwrap() as usize;
    let ones = Value::vector(vec![1.0; (bytes - 1) / 4]);
    match args.get("beside") {
        None => ones,
        Some(beside) => Value::object([("ones", ones), ("beside", beside.clone())]),
    }
}

/// A store that numbers its values.
#[derive(Default)]
struct Store(Mutex<Vec<(String, Value)>>);

impl ResultStore for Store {
    fn keep(&self, _: &str, role: &str, value: &Value) -> Result<Value, ToolError> {
        let mut kept = self.0.lock().unwrap();
        kept.push((role.to_owned(), value.clone()));
        Ok(Value::object([("$artifact", format!("b3:{}", kept.len()))]))
    }
}

fn sized(limit: u64, rules: &str) -> (World, Dispatcher, Arc<Store>) {
    let limits = CallLimits {
        max_output_bytes: limit,
        ..CallLimits::default()
    };
    let world = World::build(&[TWELVE, SIZED], rules, MemoryLedger::default(), limits);
    let store = Arc::new(Store::default());
    let dispatcher = world
        .dispatcher
        .with_host(|host| host.answers = Some(Arc::clone(&store) as _));
    (world, dispatcher, store)
}

fn asked(reader: AnswerReader, tool: &str, args: &str) -> CallRequest {
    let mut request = request("operator", tool, args);
    request.context.reader = reader;
    request
}

/// Case A10: a configured limit that equals the default holds, also for a tool with a limit of its own.
#[test]
fn the_configured_limit_holds_at_every_value() {
    let default = CallLimits::default().max_output_bytes;
    for (limit, strictest, name) in [
        (default - 1, default - 1, "limits.max_output_bytes"),
        (default, default, "limits.max_output_bytes"),
        (default + 1, default + 1, "limits.max_output_bytes"),
        (OWN + 1, OWN, "the tool's own limit"),
    ] {
        let (world, ..) = sized(limit, "");
        let fits = world.call("operator", "letters", &format!("{{\"value\":{strictest}}}"));
        assert!(fits.is_success(), "{limit}");
        let beyond = format!("{{\"value\":{}}}", strictest + 1);
        let beyond = world.call("operator", "letters", &beyond);
        let error = beyond.err().unwrap_or_else(|| panic!("{limit}"));
        assert_eq!(error.code(), ErrorCode::OutputTooLarge);
        let words = format!("{} bytes, the limit is {strictest} ({name})", strictest + 1);
        assert!(error.message().contains(&words), "{error}");
    }
}

#[test]
fn an_array_is_a_handle_beyond_what_its_reader_reads() {
    const MOST: u64 = 100_001;
    for (reader, most) in [
        (AnswerReader::Model, READABLE_BYTES),
        (AnswerReader::Program, MOST),
    ] {
        // The longest list of ones that fits, and the next one.
        let below = (most - 1) / 4 * 4 + 1;
        let above = below + 4;
        for (bytes, is_handle) in [(below, false), (above, true)] {
            let (_world, dispatcher, store) = sized(MOST, "");
            let args = format!("{{\"value\":{{\"bytes\":{bytes}}}}}");
            let outcome = dispatcher.call(asked(reader, "ones", &args));
            let output = outcome.output().unwrap();
            assert_eq!(output.get("$artifact").is_some(), is_handle, "{bytes}");
            assert_eq!(outcome.warnings.len(), usize::from(is_handle));
            let kept = store.0.lock().unwrap();
            let expected = is_handle.then(|| ("operator".to_owned(), ones(&args_of(bytes))));
            assert!(kept.first() == expected.as_ref());
        }
    }
}

fn args_of(bytes: u64) -> Value {
    Value::object([("bytes", bytes)])
}

#[test]
fn where_nothing_can_be_stored_an_array_is_part_of_the_answer_up_to_the_limit() {
    let (world, ..) = sized(100_001, "");
    let small = asked(AnswerReader::Model, "ones", r#"{"value":{"bytes":90001}}"#);
    let small = world.dispatcher.call(small);
    assert!(small.output() == Some(&ones(&args_of(90_001))));
    let large = asked(AnswerReader::Model, "ones", r#"{"value":{"bytes":100005}}"#);
    let large = world.dispatcher.call(large);
    assert_eq!(code(&large), Some(ErrorCode::OutputTooLarge));
}

#[test]
fn a_caller_may_ask_for_arrays_in_the_answer() {
    let (_world, dispatcher, _store) = sized(100_001, "");
    for (whole, is_handle) in [("true", false), ("false", true)] {
        let args = format!("{{\"value\":{{\"bytes\":90001,\"whole\":{whole}}}}}");
        let outcome = dispatcher.call(asked(AnswerReader::Model, "ones", &args));
        let output = outcome.output().unwrap();
        assert_eq!(output.get("$artifact").is_some(), is_handle, "{whole}");
    }
}

/// What is left beside the arrays has the limit of answers: a pure call is refused, an effect is cut.
#[test]
fn the_rest_of_an_answer_has_the_limit() {
    let beside = "x".repeat(3_000);
    let args = format!("{{\"value\":{{\"bytes\":9001,\"beside\":\"{beside}\"}}}}");
    let (_world, dispatcher, _store) = sized(4_000, "");
    let outcome = dispatcher.call(asked(AnswerReader::Program, "ones", &args));
    let output = outcome.output().unwrap();
    assert!(
        output
            .get("ones")
            .and_then(|one| one.get("$artifact"))
            .is_some()
    );
    assert_eq!(output.text("beside"), Some(beside.as_str()));
    let (_world, dispatcher, _store) = sized(2_000, "");
    let outcome = dispatcher.call(asked(AnswerReader::Program, "ones", &args));
    assert_eq!(code(&outcome), Some(ErrorCode::OutputTooLarge));
    let rule = "version = 1\n[[policies]]\nlevel = \"global\"\n[[policies.rules]]\nmatch = { tools = [\"acts\"] }\ndecision = \"allow\"\n";
    let (_world, dispatcher, store) = sized(2_000, rule);
    let outcome = dispatcher.call(asked(AnswerReader::Program, "acts", &args));
    assert!(outcome.is_success(), "{:?}", outcome.err());
    assert_eq!(outcome.metadata.get("cut"), Some(&Value::from(true)));
    let whole = tool_core::json::parse_json(&args, tool_core::json::JsonLimits::default()).unwrap();
    let whole = ones(whole.get("value").unwrap());
    let kept = store.0.lock().unwrap();
    assert!(kept.iter().any(|(_, value)| *value == whole));
}

/// A rule keeps a result from its caller: no handle opens it.
#[test]
fn a_rule_on_bytes_holds_for_arrays() {
    let rule = "version = 1\n[[policies]]\nlevel = \"global\"\n[[policies.rules]]\nmatch = { tools = [\"ones\"] }\ndecision = \"allow\"\nobligations = [{ max_bytes = 50000 }]\n";
    let (_world, dispatcher, store) = sized(100_001, rule);
    let outcome = dispatcher.call(asked(
        AnswerReader::Model,
        "ones",
        r#"{"value":{"bytes":60001}}"#,
    ));
    let error = outcome.err().unwrap();
    assert!(error.message().contains("`max_bytes`"), "{error}");
    assert!(store.0.lock().unwrap().is_empty());
}

#[test]
fn a_step_passes_arrays_of_any_size() {
    let (_world, dispatcher, store) = sized(1_000, "");
    let mut step = asked(AnswerReader::Model, "ones", r#"{"value":{"bytes":900001}}"#);
    step.context.chain = Some(ChainPosition {
        chain_id: "c".to_owned(),
        step: "s".to_owned(),
        ..Default::default()
    });
    let outcome = dispatcher.call(step);
    assert!(outcome.output() == Some(&ones(&args_of(900_001))));
    assert!(store.0.lock().unwrap().is_empty());
}
