//! Plans as tools: an agent passes a whole plan and gets its outputs, not the results of its steps.
//!
//! The tools use no dispatcher, but [`tool_core::capability::ToolCaller`]; behind it [`SubchainRunner`] runs the plan with at most the caller's
//! permissions.

pub mod chain_check;
pub mod chain_run;
mod step_progress;
mod subchains;

use tool_core::capability::ChainRequest;
use tool_core::input::{InputKind, LoadInput};
use tool_core::schema::Schema;
use tool_core::schema::json;
use tool_core::{
    Capability, Category, Ctx, Decode, Determinism, Encode, ErasedTool, Input, Object,
    RequestProblem, Spec, Syntax, ToolError, Value, tool_entry,
};

pub use subchains::SubchainRunner;
pub(crate) use subchains::{child_id, recorded_answer};

/// The common part of the specs. These tools have no effects of their own: those of the steps are declared, decided and recorded with
/// each step.
const PLANS: Spec = Spec {
    category: Category::Chain,
    tags: &["plan", "chain"],
    capabilities: &[Capability::Calls],
    idempotent: false,
    determinism: Determinism::External,
    syntax: &[("/plan", Syntax::Plan)],
    holds_calls: &["/plan", "/inputs"],
    ..Spec::pure()
};

/// The tools of this family, in reading order.
pub static TOOLS: &[ErasedTool] = &[
    tool_entry::<chain_run::Args>(),
    tool_entry::<chain_check::Args>(),
];

/// A plan as an argument: the document itself, or its text in YAML, JSON or as a call script.
#[derive(Debug, Clone)]
pub struct PlanSource(Value);

impl LoadInput for PlanSource {
    const KIND: InputKind = InputKind::Text;

    fn from_value(value: &Value) -> Result<Self, RequestProblem> {
        if matches!(value, Value::Object(_) | Value::String(_)) {
            return Ok(Self(value.clone()));
        }
        let message = "expected a plan (an object) or the text of one, found";
        Err(RequestProblem::new(
            "",
            format_args!("{message} {}", value.kind()),
        ))
    }

    fn to_value(&self) -> Value {
        self.0.clone()
    }

    fn schema() -> Schema {
        json!({ "anyOf": [{ "type": "object" }, { "type": "string" }] })
    }
}

/// The values of a plan's inputs.
#[derive(Debug, Clone, Default, Encode, Decode)]
#[value(transparent)]
pub struct PlanInputs(Value);

tool_core::inline_schema!(
    PlanInputs,
    json!({ "type": ["object", "null"], "additionalProperties": true })
);

/// Member of the metadata of an answer: the chains of its calls.
pub(crate) const TOOL_CHAINS: &str = "tool_chains";

fn hand_on(
    plan: &Input<PlanSource>,
    inputs: PlanInputs,
    check_only: bool,
    ctx: &Ctx,
) -> Result<Value, ToolError> {
    let inputs = match inputs.0 {
        Value::Null => Object::new().into(),
        inputs @ Value::Object(_) => inputs,
        other => {
            let message = format_args!("expected an object, found {}", other.kind());
            return Err(ToolError::invalid("/inputs", message));
        }
    };
    let request = ChainRequest {
        plan: plan.load(ctx)?.0,
        inputs,
        check_only,
    };
    ctx.calls()?.chain(&request, ctx.stop())
}
