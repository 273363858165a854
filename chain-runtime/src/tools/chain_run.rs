//! Running a whole plan in one call.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{Ctx, Example, Input, Spec, Tool, ToolError, Value};

use super::{PlanInputs, PlanSource};

/// Runs a plan.
pub struct ChainRun;

/// Run a whole plan of steps in one call, in parallel where data and resources allow. Every step is checked before the first one
/// runs, and decided, approved and recorded separately with at most your own permissions. Returns the plan's `outputs` and a
/// summary.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// The plan: an object, its text, or {"$file": path}. Inside another plan wrap an object in {"$lit": ..}, so that its
    /// references are its own.
    pub plan: Input<PlanSource>,
    /// The values of its inputs.
    #[serde(default)]
    pub inputs: PlanInputs,
}

/// The result.
#[derive(Debug, Serialize, JsonSchema)]
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

impl Tool for ChainRun {
    const SPEC: Spec = Spec {
        id: "chain_run",
        title: "Run a plan",
        hands_on: true,
        ..super::PLANS
    };
    type Args = Args;
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let found = super::hand_on(&args.plan, args.inputs, false, ctx);
        let said = match &found {
            Ok(found) => Some(found),
            Err(error) => error.evidence_value(),
        };
        if let Some(chains) = said.and_then(|said| said.get(super::TOOL_CHAINS)) {
            ctx.note(super::TOOL_CHAINS, chains.clone());
        }
        let found = found.map_err(without_chains)?;
        let text = |key: &str| {
            let value = found.get(key)?;
            value.as_str().map(str::to_owned)
        };
        let warnings = found.get("warnings").and_then(Value::items);
        Ok(Output {
            outputs: found.get("outputs").cloned().unwrap_or_default(),
            chain_id: text("chain_id").unwrap_or_default(),
            status: text("status").unwrap_or_default(),
            steps: found.get("steps").cloned().unwrap_or_default(),
            waves: found
                .get("waves")
                .and_then(Value::as_i64)
                .map_or(0, i64::unsigned_abs),
            mode_used: text("mode_used").unwrap_or_default(),
            fallback_reason: text("fallback_reason"),
            warnings: warnings
                .unwrap_or_default()
                .iter()
                .filter_map(|warning| warning.as_str().map(str::to_owned))
                .collect(),
        })
    }

    fn examples() -> Vec<Example<Args, Output>> {
        Vec::new() // each result carries an id of its own
    }
}

/// Removes the diagnostics, which are in the metadata of the answer.
fn without_chains(error: ToolError) -> ToolError {
    let evidence = error.evidence_value().and_then(Value::as_object);
    match evidence.cloned() {
        Some(mut evidence) => {
            evidence.remove(super::TOOL_CHAINS);
            error.evidence(Value::Object(Arc::new(evidence)))
        }
        None => error,
    }
}
