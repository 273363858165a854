//! Running a pipeline to its end: a new one, or one that is recorded.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use journal::{PipelineRequester, StateStore};
use tool_core::{Result, StopFlag, Value, tool_error};

use super::drive::PipelineDriver;
use super::event::{End, PhaseEvent};
use super::logs::AgentLogs;
use super::machine::PipelineMachine;
use super::observer::PipelineObserver;
use super::prepare::{PipelineProject, ReadyPipeline};
use super::record::{self, RecordedPipeline};

/// A pipeline that this process runs, or has run.
#[derive(Debug)]
pub struct PipelineRun {
    /// Its id.
    pub id: String,
    /// Where it is.
    pub machine: PipelineMachine,
    /// Every event so far.
    pub events: Vec<PhaseEvent>,
}

impl PipelineRun {
    /// Begins a pipeline; on disk when this returns.
    ///
    /// # Errors
    /// `tool_error` when the state cannot be written.
    pub fn begin(
        state: &StateStore,
        ready: &ReadyPipeline,
        requester: &PipelineRequester,
    ) -> Result<Self> {
        let file = ready.file.display().to_string();
        let id = state.begin_pipeline(&file, &ready.digest, requester)?;
        let setups = ready.setups();
        let began = PhaseEvent::Began {
            phases: setups.clone(),
            skipped: ready.skipped.clone(),
            seed: id.clone(),
        };
        state.append_pipeline(&id, &[record::to_value(&began)?], None)?;
        let machine =
            record::fold_events(&setups, agents_at_once(ready), std::slice::from_ref(&began));
        Ok(Self {
            id,
            machine,
            events: vec![began],
        })
    }

    /// Takes over a pipeline that no process runs. Agents whose outcome is unknown run again where `retry_unknown` says so, else they have
    /// failed.
    ///
    /// # Errors
    /// `conflict` for one that has succeeded, whose file or prompts changed since, or that another process runs.
    pub fn reopen(
        state: &StateStore,
        ready: &ReadyPipeline,
        recorded: RecordedPipeline,
        retry_unknown: bool,
    ) -> Result<Self> {
        check_same_file(&recorded, ready)?;
        let RecordedPipeline {
            row, mut events, ..
        } = recorded;
        state.take_pipeline(&row.id)?;
        let resumed = PhaseEvent::Resumed { retry_unknown };
        state.append_pipeline(&row.id, &[record::to_value(&resumed)?], Some("running"))?;
        events.push(resumed);
        let machine = record::fold_events(&ready.setups(), agents_at_once(ready), &events);
        Ok(Self {
            id: row.id,
            machine,
            events,
        })
    }

    /// Runs to the end of the pipeline, which is told to `observer`.
    ///
    /// # Errors
    /// A record that cannot be written: the agents are stopped, and what they did is unknown.
    pub fn drive(
        &mut self,
        project: PipelineProject<'_>,
        ready: &ReadyPipeline,
        state: &Arc<StateStore>,
        observer: &mut dyn PipelineObserver,
        stop: &StopFlag,
    ) -> Result<End> {
        let spawner = &project.dispatcher.host().capabilities.spawner;
        let spawner = spawner.as_deref().ok_or_else(
            || tool_error!(PreconditionFailed, "capability"; "this interface starts no programs"),
        )?;
        let mut driver = PipelineDriver {
            project,
            spawner,
            ready,
            state,
            id: self.id.clone(),
            machine: self.machine.clone(),
            events: std::mem::take(&mut self.events),
            observer,
            running: BTreeMap::new(),
            logs: AgentLogs::new(),
            controls: BTreeMap::new(),
            due: Vec::new(),
            asked: None,
            signed: Instant::now(),
        };
        let end = driver.run(stop);
        (self.machine, self.events) = (driver.machine, driver.events);
        end
    }

    /// The pipeline as data, in a state of its record.
    pub fn to_value(&self, file: &str, state: &str) -> Value {
        record::pipeline_value(&self.id, file, state, &self.machine, &self.events)
    }
}

/// Refuses what cannot be resumed as it began.
///
/// # Errors
/// `conflict` for a pipeline that has succeeded, or whose file or prompts changed since.
pub fn check_same_file(recorded: &RecordedPipeline, ready: &ReadyPipeline) -> Result<()> {
    let row = &recorded.row;
    check_resumable(recorded)?;
    if ready.digest != row.digest {
        return Err(
            tool_error!(Conflict, "file_changed"; "`{}` or a prompt changed since the pipeline `{}` began", row.file, row.id;
            "run the file again, with --from for the phase to begin with"),
        );
    }
    Ok(())
}

/// Refuses to resume a pipeline that has succeeded.
///
/// # Errors
/// `conflict` with reason `pipeline_ended`.
pub fn check_resumable(recorded: &RecordedPipeline) -> Result<()> {
    if recorded.machine.end() != Some(End::Succeeded) {
        return Ok(());
    }
    Err(
        tool_error!(Conflict, "pipeline_ended"; "the pipeline `{}` has succeeded", recorded.row.id;
        "run the file again for another pipeline"),
    )
}

fn agents_at_once(ready: &ReadyPipeline) -> usize {
    ready.config.pipeline.agents_at_once as usize
}
