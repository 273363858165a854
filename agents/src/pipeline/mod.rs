//! Pipelines of phases. [`prepare_pipeline`] checks everything before anything starts, [`PipelineRun`] runs it.
//!
//! What runs next is said by a state machine over events without clock, files or processes.
//!
//! [`PipelineMachine::next`] says what is to be done; whoever does it records an [`PhaseEvent`] and applies it. The same events, read from the journal, give
//! the same machine, so that a pipeline is resumed from its record.

mod drive;
mod event;
mod gates;
mod logs;
mod machine;
mod observer;
mod order;
mod prepare;
mod record;
mod requested;
mod retry;
mod run;
#[cfg(test)]
mod tests;

pub use event::{AgentResult, Category, End, PhaseEvent, PhaseSkip, PhaseStatus, Stop};
pub use gates::GateQuestion;
pub use machine::{AgentState, PhaseState, PipelineAction, PipelineMachine};
pub use observer::{NoObserver, PipelineObserver};
pub use order::order_phases;
pub use prepare::{
    PhaseReadyAgent, PhaseSelection, PipelineProject, ReadyPhase, ReadyPipeline, prepare_pipeline,
};
pub use record::{
    AgentUsage, OUTPUT, OpenGate, RecordedPipeline, agent_state, completed_phases,
    parse_pipeline_events, phase_status, pipeline_value, shown_machine, sum_usage,
};
pub use requested::run_requested_pipeline;
pub use run::{PipelineRun, check_resumable, check_same_file};
use tool_core::{Decode, Encode};

use registry::model::{FailureMode, Phase, RetryPolicy};

/// A phase as the machine needs it.
#[derive(Debug, Clone, PartialEq, Encode, Decode)]
pub struct PhaseSetup {
    /// Its name.
    pub name: String,
    /// Its agents, in order.
    pub agents: Vec<String>,
    /// The phases it depends on.
    pub depends_on: Vec<String>,
    /// Whether its agents run at the same time.
    pub parallel: bool,
    /// Whether the pipeline stops with it.
    pub required: bool,
    /// Effect of an agent that fails.
    pub failure_mode: FailureMode,
    /// Number of agents that must succeed, for `require_minimum`.
    pub min_count: usize,
    /// Repetition after rate limits.
    pub retry: Option<RetryPolicy>,
    /// Whether a gate follows it.
    pub gated: bool,
}

impl From<&Phase> for PhaseSetup {
    fn from(phase: &Phase) -> Self {
        let texts = |list: &[registry::ToolSelector]| -> Vec<String> {
            list.iter().map(|one| one.text.clone()).collect()
        };
        Self {
            name: phase.name.clone(),
            agents: texts(&phase.agents),
            depends_on: texts(&phase.depends_on),
            parallel: phase.parallel,
            required: phase.required,
            failure_mode: phase.failure_mode,
            min_count: phase.min_count.unwrap_or(1) as usize,
            retry: phase.retry_policy.clone(),
            gated: phase.gate.is_some(),
        }
    }
}
