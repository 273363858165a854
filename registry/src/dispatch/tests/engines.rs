//! Tools that this program answers, and another one where a call chooses it.

use std::sync::Arc;

use tool_core::capability::ComputerAlgebra;
use tool_core::{Decode, Describe, Encode, StopFlag};

use super::*;
use crate::dispatch::{CallPlace, RemoteCall, RemoteCompute};

/// Of a tool with engines.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(super) struct IntegralArgs {
    /// Who answers.
    #[value(default, skip_encoding_if = "Option::is_none")]
    engine: Option<String>,
}

const NATIVE: Spec = Spec::named("integral", "a fake");

/// Answers who could be asked.
#[derive(Debug, Encode, Decode, Describe)]
#[value(transparent)]
pub(super) struct Integral(IntegralArgs);

impl Tool for Integral {
    const SPEC: Spec = Spec::with_engines(&NATIVE);
    type Output = Value;

    fn run(_: Self, ctx: &Ctx) -> Result<Value, ToolError> {
        Ok(Value::from(ctx.algebra().is_ok()))
    }
}

struct Oracle;

impl ComputerAlgebra for Oracle {
    fn ask(&self, question: &Value, _: &Ctx) -> Result<Value, ToolError> {
        Ok(question.clone())
    }
}

/// Computes nothing, and says why a call would stay.
struct Nowhere;

impl RemoteCompute for Nowhere {
    fn compute(
        &self,
        call: &RemoteCall<'_>,
        here: &mut dyn FnMut() -> Result<Value, ToolError>,
    ) -> (Result<Value, ToolError>, Option<CallPlace>) {
        let why = call.stays.unwrap_or("it could leave");
        (here(), Some(CallPlace::Fallback(why.to_owned())))
    }
}

#[test]
fn a_call_has_what_its_engine_needs_and_no_more() {
    let world = world();
    let mut host = world.dispatcher.host().clone();
    host.capabilities.algebra = Some(Arc::new(Oracle));
    let catalogue = crate::Catalogue::new(&[TWELVE, TOOLS]).unwrap();
    let policy = crate::Policy::compile(&catalogue, &crate::Config::default(), &[]).unwrap();
    let (catalogue, policy) = (Arc::new(catalogue), Arc::new(policy));
    let dispatcher = crate::Dispatcher::new(catalogue, policy, crate::CallLimits::default(), host);
    for (args, is_outside) in [
        ("{}", false),
        (r#"{"engine":null}"#, false),
        (r#"{"engine":"native"}"#, false),
        (r#"{"engine":"auto"}"#, true),
        (r#"{"engine":"sympy"}"#, true),
    ] {
        let outcome = dispatcher.call(crate::CallRequest {
            remote: Some(Arc::new(Nowhere)),
            ..request("operator", "integral", args)
        });
        assert_eq!(outcome.output(), Some(&Value::from(is_outside)), "{args}");
        let mark = is_outside.then(|| Value::from("external"));
        assert_eq!(outcome.metadata.get("determinism"), mark.as_ref(), "{args}");
        let record = world.last();
        assert_eq!(record.get("determinism"), mark.as_ref(), "{args}");
        let why = record.text("placement_fallback").unwrap_or_default();
        assert_eq!(why == "it could leave", !is_outside, "{args}: {why}");
        // What a program outside may answer is never begun twice.
        let mut brief = request("operator", "integral", args);
        brief.stop = StopFlag::new();
        let brief = dispatcher.call_briefly(&brief);
        assert_eq!(brief.is_none(), is_outside, "{args}");
    }
}
