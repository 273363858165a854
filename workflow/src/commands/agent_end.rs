//! An agent ended; the tools that started it give the command.

use tool_core::Decode;

use super::command::{Command, DraftResult, EventDraft};
use crate::actor::{DecisionContext, EventOrigin};
use crate::event::data::{EventData, define_event};
use crate::fault::WorkflowFault;
use crate::names::AgentOutcome;
use crate::state::WorkflowState;

/// Record how an agent ended.
#[derive(Debug, Clone, PartialEq, Decode)]
#[value(transparent)]
pub struct AgentEnd(pub AgentEnded);

define_event! {
    /// An agent ended.
    AgentEnded = "agent.ended" {
        /// The agent.
        agent: String,
        /// How.
        outcome: AgentOutcome;
        /// Why it failed, in a word such as `timeout`.
        category: Option<String>,
        /// What happened, for a reader.
        message: String,
        /// The exit code of its process.
        exit: Option<i32>,
        /// Its turns, where they are known.
        turns: Option<u64>,
        /// Its cost, where it is known.
        cost_usd: Option<f64>,
        /// Its duration, in milliseconds.
        elapsed_ms: u64,
        /// The beginning of its answer.
        answer: String,
    }
}

impl Command for AgentEnd {
    const ID: &'static str = "agent:end";

    /// # Errors
    /// None.
    fn draft_event(&self, _: &WorkflowState, _: &DecisionContext<'_>) -> DraftResult {
        Ok(EventDraft::new(self.0.clone()))
    }
}

impl EventData for AgentEnded {
    fn may_follow(&self, state: &WorkflowState, _: EventOrigin<'_>) -> Result<(), WorkflowFault> {
        state.live_agent(&self.agent).map(drop)
    }

    fn apply(&self, state: &mut WorkflowState, _: EventOrigin<'_>) {
        if let Some(agent) = state.agents.get_mut(&self.agent) {
            agent.outcome = Some(self.outcome);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::AgentEnd;
    use crate::commands::case::{CommandCase, CommandCases, accepted, refused};

    impl CommandCases for AgentEnd {
        const CASES: &'static [CommandCase] = &[
            accepted(
                r#"task todo; lea/control spawn_agent "role":"impl","depthMax":2"#,
                "lea/control",
                r#""agent":"impl-1","outcome":"completed""#,
                "agent.ended",
            ),
            accepted(
                r#"task todo; lea/control spawn_agent "role":"impl","depthMax":2"#,
                "lea/control",
                r#""agent":"impl-1","outcome":"failed","category":"timeout""#,
                "agent.ended",
            ),
            accepted(
                r#"task todo; lea/control spawn_agent "role":"impl","depthMax":2"#,
                "lea/control",
                r#""agent":"impl-1","outcome":"cancelled""#,
                "agent.ended",
            ),
            refused(
                r#"task todo; lea/control spawn_agent "role":"impl","depthMax":2; lea/control agent:end "agent":"impl-1","outcome":"completed""#,
                "lea/control",
                r#""agent":"impl-1","outcome":"failed""#,
                "has ended (completed)",
            ),
            refused(
                "task todo",
                "lea/control",
                r#""agent":"impl-1","outcome":"failed""#,
                "no agent has the id `impl-1`",
            ),
        ];
    }
}
