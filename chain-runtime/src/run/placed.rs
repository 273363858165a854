//! Calls of a run that an engine computes, and what happens where none does.

use std::sync::Arc;
use std::time::Duration;

use registry::{CallPlace, RemoteCall, RemoteCompute};
use tool_core::{StopFlag, ToolError, Value};

use super::events::CallUnit;
use super::memory::RunMemory;
use super::processors::process_processors;
use super::workers::RunWorkers;
use crate::check::{CheckedPlan, CheckedStep};
use crate::cluster::{
    CallGroup, Cluster, RemoteOutcome, WantedCall, count_fallback, no_cluster_error,
};
use crate::plan::Place;
use crate::problem::{Fault, PlanProblem, PlanProblems};

/// Next step where a run has no engine.
const NO_ENGINE_HINT: &str = "`mathchain run PLAN --engine files --dir DIR`, and `mathchain worker DIR` on other machines; or write `place: prefer`";
/// The reason of a fallback where a run has no engine.
const NO_ENGINE: &str = "the run has no engine";
/// Name under which fallbacks of runs without an engine are counted.
const WITHOUT_ENGINE: &str = "none";

/// The error of a step that requires an engine in a run without one.
pub(super) fn no_engine_error(step: &str) -> ToolError {
    no_cluster_error(step, NO_ENGINE, NO_ENGINE_HINT)
}

/// Refuses a plan with a step that requires an engine, in a run without one.
pub(super) fn require_engine(
    plan: CheckedPlan,
    has_engine: bool,
) -> Result<CheckedPlan, PlanProblems> {
    let mut problems = PlanProblems::default();
    let steps = plan.steps.iter().enumerate();
    let required = steps.filter(|(_, step)| step.place == Some(Place::Require) && !has_engine);
    for (position, step) in required {
        let error = no_engine_error(&step.id);
        let pointer = format!("/steps/{position}/place");
        problems.push(PlanProblem::of_error(Fault::Place, pointer, &error));
    }
    match problems.is_empty() {
        true => Ok(plan),
        false => Err(problems),
    }
}

impl RunWorkers<'_> {
    /// What computes a call elsewhere; none where it is computed here. A replay computes everything here.
    pub(super) fn remote(
        &self,
        step: &CheckedStep,
        unit: CallUnit,
        left_ms: Option<u64>,
    ) -> Result<Option<Arc<dyn RemoteCompute>>, ToolError> {
        let is_replay = self.job.memory.is_some_and(RunMemory::is_replay);
        if unit.part.undoes() || is_replay {
            return Ok(None);
        }
        Ok(match (self.job.cluster, step.place) {
            (Some(cluster), place) if step.may_leave() => Some(Arc::new(PlacedStep {
                cluster: Arc::clone(cluster),
                position: unit.step,
                id: Arc::clone(&step.id),
                place,
                left: left_ms.map(Duration::from_millis),
            })),
            (None, Some(Place::Require)) => return Err(no_engine_error(&step.id)),
            (None, Some(Place::Prefer)) => Some(Arc::new(WithoutEngine)),
            _ => None,
        })
    }
}

/// Computes the calls of a step by the engine of the run.
pub(super) struct PlacedStep {
    pub(super) cluster: Arc<Cluster>,
    pub(super) position: usize,
    pub(super) id: Arc<str>,
    pub(super) place: Option<Place>,
    /// Time left until the deadline of the step.
    pub(super) left: Option<Duration>,
}

impl RemoteCompute for PlacedStep {
    fn compute(
        &self,
        call: &RemoteCall<'_>,
        here: &mut dyn FnMut() -> Result<Value, ToolError>,
    ) -> (Result<Value, ToolError>, Option<CallPlace>) {
        let (spec, ctx) = (call.spec, call.ctx);
        let has_tool = self.cluster.has_tool(spec.id);
        let stays = call.stays.map(str::to_owned);
        let stays = stays.or_else(|| (!has_tool).then(|| "the workers lack the tool".to_owned()));
        if let Some(why) = stays {
            return self.fall_back(&why, ctx.stop(), here);
        }
        let outcome = self.cluster.compute(WantedCall {
            group: CallGroup {
                step: self.position,
                tool: spec.id,
                version: spec.version,
                budget: ctx.budget(),
                verify: ctx.must_verify(),
            },
            args: call.args.clone(),
            seed: ctx.seed(None),
            stop: ctx.stop().clone(),
            left: self.left,
        });
        match outcome {
            RemoteOutcome::Computed {
                output,
                warnings,
                notes,
                node,
            } => {
                warnings.into_iter().for_each(|warning| ctx.warn(warning));
                for (key, note) in notes.iter() {
                    ctx.note(key, note.clone());
                }
                (output, Some(CallPlace::Node(node)))
            }
            RemoteOutcome::Failed(error) => (Err(error), None),
            RemoteOutcome::Unplaced(why) => self.fall_back(&why, ctx.stop(), here),
        }
    }
}

impl PlacedStep {
    /// Computes a call here, unless its step requires the engine.
    fn fall_back(
        &self,
        why: &str,
        stop: &StopFlag,
        here: &mut dyn FnMut() -> Result<Value, ToolError>,
    ) -> (Result<Value, ToolError>, Option<CallPlace>) {
        if self.place == Some(Place::Require) {
            let error = no_cluster_error(&self.id, why, &self.cluster.hint());
            return (Err(error), None);
        }
        self.cluster.note_fallback();
        let place = Some(CallPlace::Fallback(why.to_owned()));
        match process_processors().take(stop) {
            Ok(_processor) => (here(), place),
            Err(stopped) => (Err(stopped), place),
        }
    }
}

/// Computes the calls of a step that prefers an engine in a run without one.
pub(super) struct WithoutEngine;

impl RemoteCompute for WithoutEngine {
    fn compute(
        &self,
        _call: &RemoteCall<'_>,
        here: &mut dyn FnMut() -> Result<Value, ToolError>,
    ) -> (Result<Value, ToolError>, Option<CallPlace>) {
        count_fallback(WITHOUT_ENGINE);
        (here(), Some(CallPlace::Fallback(NO_ENGINE.to_owned())))
    }
}
