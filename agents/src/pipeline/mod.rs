//! Pipelines of phases: what runs next, as a state machine over events without clock, files or processes.
//!
//! [`PipelineMachine::next`] says what is to be done; whoever does it records an [`PhaseEvent`] and applies it. The same events, read from the journal, give
//! the same machine, so that a pipeline is resumed from its record.

mod event;
mod machine;
mod order;
mod retry;
#[cfg(test)]
mod tests;

pub use event::{AgentResult, Category, End, PhaseEvent, PhaseSkip, PhaseStatus, Stop};
pub use machine::{AgentState, PhaseState, PipelineAction, PipelineMachine};
pub use order::order_phases;
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
