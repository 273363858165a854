use std::sync::{Arc, Mutex};

use tool_core::capability::{
    AskedQuestion, BudgetRaise, CallDelegation, OperatorQuestion, ToolCaller,
};
use tool_core::{
    Caller, Capabilities, Ctx, Effect, ErrorCode, RandomSeed, StopFlag, ToolError, Value,
};

use super::TOOLS;
use fakes::call;

/// A dispatcher that answers with what it was asked.
#[derive(Default)]
struct Echo(Mutex<u64>);

impl ToolCaller for Echo {
    fn call(&self, tool: &str, _: &Value, _: &StopFlag) -> Result<Value, ToolError> {
        Ok(Value::from(tool))
    }

    fn delegate(&self, delegation: &CallDelegation, _: &StopFlag) -> Result<Vec<Value>, ToolError> {
        let line = |(tool, args): &(String, Value)| {
            Value::from(format!("{} {tool} {args}", delegation.name))
        };
        Ok(delegation.calls.iter().map(line).collect())
    }

    fn escalate(&self, question: &OperatorQuestion) -> Result<AskedQuestion, ToolError> {
        let id = format!("id of {}", question.reason);
        Ok(AskedQuestion { id, answer: None })
    }

    fn raise_budget(&self, kind: &str) -> Result<BudgetRaise, ToolError> {
        let mut used = self.0.lock().unwrap();
        let refused = (*used == 2).then(|| format!("no more {kind}"));
        *used += u64::from(refused.is_none());
        Ok(BudgetRaise {
            remaining: Some(3),
            overrides_used: *used,
            refused,
        })
    }
}

fn ctx() -> Ctx {
    let calls: Arc<dyn ToolCaller> = Arc::new(Echo::default());
    Ctx::default()
        .with_seed(RandomSeed::DEFAULT)
        .with_capabilities(Capabilities {
            calls: Some(calls),
            ..Capabilities::default()
        })
}

#[test]
fn a_delegate_gets_its_calls_in_order() {
    let args = r#"{"name":"helper","tools":["double"],"calls":[{"tool":"a","args":{"x":1}},{"tool":"b"}]}"#;
    let output = call(TOOLS, &ctx(), "delegate", args).unwrap();
    assert_eq!(
        output.pointer("/results/0"),
        Some(Value::from("helper a {\"x\":1}"))
    );
    assert_eq!(
        output.pointer("/results/1"),
        Some(Value::from("helper b {}"))
    );
    for name in ["", "a b", "../x"] {
        let args = format!(r#"{{"name":"{name}","tools":[],"calls":[]}}"#);
        let error = call(TOOLS, &ctx(), "delegate", &args).unwrap_err();
        assert_eq!(
            (error.code(), error.path()),
            (ErrorCode::InvalidArgs, Some("/name"))
        );
    }
}

/// No argument names a role, and none of these is a step of a chain.
#[test]
fn nobody_is_named() {
    for entry in TOOLS {
        let spec = entry.tool().spec();
        assert_eq!(spec.callers, &[Caller::Direct], "{}", spec.id);
        let schema = entry.tool().input_schema();
        let names = schema["properties"].as_object().unwrap();
        assert!(
            !names.contains_key("role") && !names.contains_key("agent"),
            "{}",
            spec.id
        );
    }
    let args = r#"{"name":"helper","role":"operator","tools":[],"calls":[]}"#;
    assert!(call(TOOLS, &ctx(), "delegate", args).is_err());
}

#[test]
fn a_question_has_a_reason() {
    let output = call(TOOLS, &ctx(), "escalate", r#"{"reason":" may I? "}"#).unwrap();
    assert_eq!(output.get("id"), Some(&Value::from("id of may I?")));
    let long = format!(r#"{{"reason":"{}"}}"#, "x".repeat(2001));
    for args in [r#"{"reason":" "}"#, long.as_str()] {
        let error = call(TOOLS, &ctx(), "escalate", args).unwrap_err();
        assert_eq!(error.path(), Some("/reason"));
    }
}

/// Case R78: the third override answers `ok: false`.
#[test]
fn the_third_override_is_refused_in_the_answer() {
    let ctx = ctx();
    let raise = || {
        call(
            TOOLS,
            &ctx,
            "budget_override",
            r#"{"category":"read","reason":"more"}"#,
        )
        .unwrap()
    };
    for used in 1..=2_u64 {
        let output = raise();
        assert_eq!(output.get("ok"), Some(&Value::from(true)));
        assert_eq!(output.get("overrides_used"), Some(&Value::from(used)));
        assert_eq!(output.get("error"), None);
    }
    let third = raise();
    assert_eq!(third.get("ok"), Some(&Value::from(false)));
    assert_eq!(third.get("error"), Some(&Value::from("no more read")));
    let long = format!(r#"{{"category":"llm","reason":"{}"}}"#, "x".repeat(300));
    let output = call(TOOLS, &self::ctx(), "budget_override", &long).unwrap();
    assert_eq!(
        output
            .get("reason")
            .and_then(|reason| reason.as_str())
            .map(str::len),
        Some(160)
    );
    let spec = TOOLS[2].tool().spec();
    assert_eq!(spec.effects, &[Effect::SystemState]);
}

#[test]
fn without_a_dispatcher_they_say_so() {
    let error = call(TOOLS, &Ctx::default(), "escalate", r#"{"reason":"x"}"#).unwrap_err();
    assert_eq!(error.code(), ErrorCode::PreconditionFailed);
}
