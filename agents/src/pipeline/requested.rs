//! Pipelines that calls ask for: begun or resumed as their caller, with agents that have at most its tools.

use std::collections::BTreeMap;
use std::sync::Arc;

use journal::{PipelineRequester, StateScope};
use registry::{Config, Dispatcher, PipelineCall};
use tool_core::ctx::Progress;
use tool_core::{Result, Value, tool_error};

use super::event::PhaseEvent;
use super::observer::PipelineObserver;
use super::prepare::{PhaseSelection, PipelineProject, prepare_pipeline};
use super::record::{RecordedPipeline, completed_phases};
use super::run::{PipelineRun, check_resumable, check_same_file};
use crate::service::AgentService;
use crate::spawn::PipelineCaller;

/// Runs the pipeline of a call to its end, and gives its record.
///
/// # Errors
/// Everything that keeps a phase or agent from starting, before anything has started; `precondition_failed` without a state folder;
/// `conflict` for a pipeline that cannot be resumed.
pub fn run_requested_pipeline(
    service: &AgentService,
    config: &Arc<Config>,
    dispatcher: &Dispatcher,
    call: &PipelineCall<'_>,
) -> Result<Value> {
    let state = service.state.as_ref().ok_or_else(|| {
        tool_error!(PreconditionFailed, "state"; "there is no state folder for the record of the pipeline";
            "`mathchain doctor` checks the state folder")
    })?;
    let project = PipelineProject {
        service,
        config,
        dispatcher,
    };
    let caller = PipelineCaller {
        who: &call.context.who,
        heirs: call.heirs,
    };
    let request = call.request;
    let choice = PhaseSelection {
        skip: request.skip.clone(),
        only: request.only.clone(),
        from: request.from.clone(),
    };
    let mut completed = BTreeMap::new();
    if choice.only.is_some() || choice.from.is_some() {
        let file = service.project.config_file.display().to_string();
        completed.extend(completed_phases(state, &file)?);
    }
    let done = |phase: &str| completed.get(phase).cloned();
    let recorded = match &request.resume {
        Some(id) => {
            let role = &call.context.who.role;
            let scope = StateScope::new(dispatcher.host().workspace.clone(), role);
            let row = state.pipeline_in(&scope, id)?;
            let recorded = RecordedPipeline::load(state, row)?;
            check_resumable(&recorded)?;
            Some(recorded)
        }
        None => None,
    };
    let ready = prepare_pipeline(project, &choice, Some(&caller), &done)?;
    let mut run = match recorded {
        Some(recorded) => {
            check_same_file(&recorded, &ready)?;
            check_unknown(&recorded, request.retry_unknown)?;
            PipelineRun::reopen(state, &ready, recorded, request.retry_unknown)?
        }
        None => {
            let requester = PipelineRequester {
                role: Some(call.context.who.role.clone()),
            };
            PipelineRun::begin(state, &ready, &requester)?
        }
    };
    if let Some(begun) = &call.context.origin.begun {
        begun.set(&run.id);
    }
    let mut observer = ReportedPhases {
        progress: call.progress.cloned(),
        phases: ready.phases.len(),
        ended: 0,
    };
    let end = run.drive(project, &ready, state, &mut observer, call.stop)?;
    Ok(run.to_value(&ready.file.display().to_string(), end.as_str()))
}

/// Refuses to run agents again whose outcome is unknown, unless the caller has looked at what they did.
fn check_unknown(recorded: &RecordedPipeline, retry_unknown: bool) -> Result<()> {
    let unknown = recorded.machine.running();
    if unknown.is_empty() || retry_unknown {
        return Ok(());
    }
    let names = unknown
        .iter()
        .map(|(phase, agent)| format!("{phase}/{agent}"));
    let names = names.collect::<Vec<_>>().join(", ");
    Err(
        tool_error!(Conflict, "unknown_outcome"; "the outcome of {names} is unknown: the process that ran the pipeline ended first";
        "look at what was done, then resume with `retry_unknown`"),
    )
}

/// Reports the share of the phases that have ended, and what happened last.
struct ReportedPhases {
    progress: Option<Arc<Progress>>,
    phases: usize,
    ended: usize,
}

impl PipelineObserver for ReportedPhases {
    fn happened(&mut self, event: &PhaseEvent) {
        let words = match event {
            PhaseEvent::PhaseBegan { phase } => format!("phase `{phase}`"),
            PhaseEvent::AgentBegan { phase, agent, .. } => format!("`{agent}` in phase `{phase}`"),
            PhaseEvent::GateOpened { phase, .. } => format!("gate of phase `{phase}`"),
            PhaseEvent::PhaseEnded { phase, status, .. } => {
                self.ended += 1;
                format!("phase `{phase}`: {status}")
            }
            PhaseEvent::PhaseSkipped(skip) => {
                self.ended += 1;
                format!("phase `{}`: skipped", skip.phase)
            }
            _ => return,
        };
        if let Some(progress) = &self.progress {
            let share = self.ended as f64 / self.phases.max(1) as f64;
            progress(Some(share.min(1.0)), &words);
        }
    }
}
