//! Running a whole plan in one call.

use tool_core::{
    Ctx, Decode, Describe, Encode, Input, Spec, Tool, ToolError, Value, convert, tool_error,
};

use super::{PlanInputs, PlanSource};

/// Run a whole plan of steps in one call, in parallel where data and resources allow. Every step is checked before the first one
/// runs, and decided, approved and recorded separately with at most your own permissions. Returns the plan's `outputs` and a
/// summary.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub struct Args {
    /// The plan: an object, its text, or {"$file": path}. Inside another plan wrap an object in {"$lit": ..}, so that its
    /// references are its own.
    pub plan: Input<PlanSource>,
    /// The values of its inputs.
    #[value(default)]
    pub inputs: PlanInputs,
}

/// The result.
#[derive(Debug, Encode, Decode, Describe)]
pub struct Output {
    /// The outputs of the plan.
    pub outputs: Value,
    /// Id of the chain in the audit log.
    pub chain_id: String,
    /// Status of the run: `success`.
    pub status: String,
    /// Number of steps by status.
    pub steps: Value,
    /// Number of waves.
    pub waves: u64,
    /// The effective mode: `dep` or `seq`.
    pub mode_used: String,
    /// Reason for the mode `seq` where `dep` was requested.
    pub fallback_reason: Option<String>,
    /// Warnings about the run.
    pub warnings: Vec<String>,
}

impl Tool for Args {
    const SPEC: Spec = Spec {
        id: "chain_run",
        title: "Run a plan",
        calls_tools: true,
        ..super::PLANS
    };
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        // The diagnostics are in the metadata of the answer.
        let noted = |value: Value| {
            let mut members = value.as_object().cloned().unwrap_or_default();
            if let Some(chains) = members.remove(super::TOOL_CHAINS) {
                ctx.note(super::TOOL_CHAINS, chains);
            }
            Value::from(members)
        };
        match super::hand_on(&args.plan, args.inputs, false, ctx) {
            Ok(found) => convert::from_value(&noted(found))
                .map_err(|problem| tool_error!(Internal, "{}", problem.message)),
            Err(error) => Err(match error.evidence_value().cloned() {
                Some(evidence) => error.evidence(noted(evidence)),
                None => error,
            }),
        }
    }

    // No examples: each result carries an id of its own.
}
