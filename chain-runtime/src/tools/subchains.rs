//! Running plans that calls pass, with the permissions of their caller.

use std::collections::BTreeMap;
use std::sync::Arc;

use registry::{CallerContext, Chains, Dispatcher};
use tool_core::capability::ChainRequest;
use tool_core::ctx::Progress;
use tool_core::{Object, StopFlag, ToolError, Value, fields, tool_error};

use super::step_progress::StepProgress;
use crate::check::{CheckMode, CheckedPlan, check_plan, read_subplan};
use crate::plan::Defaults;
use crate::run::{
    ChainResult, ChainStatus, RecordedOutcome, ResumeRequest, RunOptions, UsageMeter,
    record_rejection, resume_recorded_run, run_checked_plan, run_initiator,
};
use journal::{RunRecord, RunState, StateScope, StateStore, new_id};

/// Runs plans that calls pass.
#[derive(Clone, Default)]
pub struct SubchainRunner {
    defaults: Defaults,
    state: Option<Arc<StateStore>>,
}

impl SubchainRunner {
    /// Creates a runner with defaults for plans, and the state in which runs are recorded.
    pub fn new(defaults: Defaults, state: Option<Arc<StateStore>>) -> Self {
        Self { defaults, state }
    }

    /// Runs a plan. A step of a run that is resumed after a crash resumes the run that it began; so does a repeated call whose run waits
    /// for approval.
    fn run(
        &self,
        plan: &CheckedPlan,
        dispatcher: &Dispatcher,
        context: &CallerContext,
        options: RunOptions,
    ) -> Result<Value, ToolError> {
        // The next step of an outer plan takes the outputs themselves, a door their handles.
        let within = context.chain.is_some();
        let Some(state) = &self.state else {
            return chain_answer(&run_checked_plan(plan, dispatcher, options), within);
        };
        let (id, known) = match &context.chain {
            Some(chain) => {
                let id = child_id(&chain.chain_id, &chain.step, chain.item, chain.attempt);
                let known = state.run_named(&id)?;
                (Some(id), known)
            }
            None => match find_waiting_run(state, plan, dispatcher)? {
                Some(known) => (None, Some(known)),
                None => (context.origin.begun.is_some().then(new_id), None),
            },
        };
        if let Some(begun) = &context.origin.begun
            && let Some(id) = known.as_ref().map(|known| &known.id).or(id.as_ref())
        {
            begun.set(id);
        }
        let result = match known {
            None => run_checked_plan(
                plan,
                dispatcher,
                RunOptions {
                    chain_id: id,
                    parent: context.chain.as_ref().map(|chain| chain.chain_id.clone()),
                    ..options
                },
            ),
            Some(known) if known.state.is_final() => return recorded_answer(state, &known),
            Some(known) => {
                let above = options.above.as_ref();
                let how =
                    above.map_or_else(ResumeRequest::default, |above| above.resume_of(&known.id));
                resume_recorded_run(state, &known.id, dispatcher, context, options, &how)?
            }
        };
        chain_answer(&result, within)
    }
}

/// The id of the run that a step of another run begins; the same for every call of that step.
pub(crate) fn child_id(chain_id: &str, step: &str, item: Option<usize>, attempt: u32) -> String {
    let item = item.map_or_else(String::new, |item| item.to_string());
    let attempt = attempt.to_string();
    let mut digest = registry::digest::of_texts([step, &item, &attempt]);
    digest.truncate(8);
    format!("{chain_id}-{digest}")
}

/// The newest top-level run of the same caller with the same plan and inputs that waits for approval.
fn find_waiting_run(
    state: &StateStore,
    plan: &CheckedPlan,
    dispatcher: &Dispatcher,
) -> Result<Option<RunRecord>, ToolError> {
    /// Older runs are resumed by id.
    const LOOKED_AT: usize = 100;
    let who = run_initiator(plan, dispatcher);
    let scope = StateScope::new(dispatcher.host().workspace.clone(), &plan.context.who.role);
    for run in state.runs_in(&scope, Some(RunState::Suspended), LOOKED_AT)? {
        let same = run.plan_digest == plan.digest
            && (&run.role, &run.who) == (&plan.context.who.role, &who)
            && run.parent.is_none();
        if same
            && state
                .value(&run.inputs)
                .is_ok_and(|inputs| inputs == plan.inputs)
        {
            return Ok(Some(run));
        }
    }
    Ok(None)
}

/// The answer of a run that has ended.
pub(crate) fn recorded_answer(state: &StateStore, run: &RunRecord) -> Result<Value, ToolError> {
    let recorded = RecordedOutcome::of(state, run)?;
    if run.state != RunState::Succeeded {
        return Err(recorded.error(run));
    }
    let steps = recorded.get("step_status").and_then(Value::items);
    let steps = steps.unwrap_or_default();
    let mut summary = fields! {
        "outputs" => recorded.outputs(state)?,
        "chain_id" => &*run.id,
        "status" => ChainStatus::Success.as_str(),
        "steps" => count_statuses(steps.iter().filter_map(|step| step.text("status"))),
    };
    for key in ["waves", "mode_used", "fallback_reason"] {
        summary.insert(key, recorded.get(key).cloned());
    }
    let warnings = recorded.get("warnings").and_then(Value::items);
    summary.insert("warnings", warnings.unwrap_or_default());
    Ok(summary.into())
}

impl SubchainRunner {
    /// As the [`Host`](registry::DispatchHost) of a dispatcher takes it.
    pub fn into_chains(self) -> Arc<Chains> {
        Arc::new(move |dispatcher, context, request, stop, progress| {
            self.chain(dispatcher, context, request, stop, progress)
        })
    }

    fn chain(
        &self,
        dispatcher: &Dispatcher,
        context: &CallerContext,
        request: &ChainRequest,
        stop: &StopFlag,
        progress: Option<&Arc<Progress>>,
    ) -> Result<Value, ToolError> {
        let position = context.chain.as_ref();
        if let Some(plans) = position.and_then(|position| position.plans.as_ref())
            && !plans.contains(&registry::digest::of_value(&request.plan))
        {
            return Err(text_changed_error());
        }
        let plan = read_subplan(&request.plan)?.with_defaults(self.defaults);
        let none = Object::new();
        let inputs = request.inputs.as_object().unwrap_or(&none);
        let checked =
            check_plan(&plan, dispatcher, context, inputs, CheckMode::Run).map_err(|problems| {
                record_rejection(&plan, dispatcher, context, &problems);
                ToolError::from(problems)
            })?;
        if request.check_only {
            return Ok(checked.explain());
        }
        let observer = progress.map(|progress| StepProgress::of(&checked, progress));
        let options = RunOptions {
            stop: stop.clone(),
            observer,
            state: self.state.clone(),
            above: position.and_then(|position| position.allowance.get::<UsageMeter>()),
            ..RunOptions::default()
        };
        self.run(&checked, dispatcher, context, options)
    }
}

/// The error for a text that changed since the outer plan was checked.
fn text_changed_error() -> ToolError {
    tool_error!(ResourceChanged, "resource_changed";
        "the plan is not the one that was checked: its text has changed since";
        "check the outer plan again")
}

fn chain_answer(result: &ChainResult, within: bool) -> Result<Value, ToolError> {
    let outputs = match within {
        true => &result.outputs,
        false => result.shown(),
    };
    let mut summary = summarise_result(result, outputs);
    let Some(error) = &result.error else {
        return Ok(summary.into());
    };
    summary.insert_some("failed_step", result.failed());
    let approvals = result.approvals();
    let error = error.clone();
    let error = match approvals.first() {
        Some(first) if result.status == ChainStatus::Suspended => {
            let first = (*first).to_owned();
            summary.insert("approvals", approvals);
            error.waits_for(first)
        }
        _ => error,
    };
    Err(error.evidence(summary))
}

/// The number of steps by status.
fn count_statuses<'s>(statuses: impl Iterator<Item = &'s str>) -> Value {
    let mut counted: BTreeMap<&str, u64> = BTreeMap::new();
    statuses.for_each(|status| *counted.entry(status).or_default() += 1);
    Value::object(counted)
}

fn summarise_result(result: &ChainResult, outputs: &Object) -> Object {
    let statuses = result.steps.iter().map(|step| step.end.status.as_str());
    let member = |key: &str| result.diagnostics.get(key).cloned();
    fields! {
        "outputs" => outputs.clone(),
        "chain_id" => &*result.chain_id,
        "status" => result.status.as_str(),
        "steps" => count_statuses(statuses),
        "waves" => member("waves"),
        "mode_used" => member("mode_used"),
        "fallback_reason" => member("fallback_reason"),
        "warnings" => result.warnings.clone(),
        "tool_chains" => result.tool_chains(),
    }
}
