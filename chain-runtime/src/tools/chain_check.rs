//! Checking a plan without running it.

use tool_core::{Ctx, Decode, Describe, Encode, Input, Spec, Tool, ToolError, Value};

use super::{PlanInputs, PlanSource};

/// Check a plan completely without running it: ids, references and their types, arguments, permissions, resources, order. A plan
/// with problems gives an error that lists each with its place and the next step; a valid plan gives its waves.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub struct Args {
    /// The plan: an object, its text, or {"$file": path}.
    pub plan: Input<PlanSource>,
    /// The values of its inputs.
    #[value(default)]
    pub inputs: PlanInputs,
}

/// The result.
#[derive(Debug, Encode, Describe)]
pub struct Output {
    /// Waves, edges with their reasons, verdicts and notes.
    pub plan: Value,
}

impl Tool for Args {
    const SPEC: Spec = Spec {
        id: "chain_check",
        title: "Check a plan",
        idempotent: true,
        ..super::PLANS
    };
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let plan = super::hand_on(&args.plan, args.inputs, true, ctx)?;
        Ok(Output { plan })
    }

    // No examples: the verdicts are those of the caller.
}
