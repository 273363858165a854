//! A pipeline for a reader.

use agents::pipeline::{AgentState, PhaseEvent, PipelineMachine};
use agents::pipeline::{agent_state, phase_status, sum_usage};

use super::super::prelude::*;

/// A pipeline for a reader.
pub(super) fn render_pipeline(
    id: &str,
    state: &str,
    machine: &PipelineMachine,
    events: &[PhaseEvent],
) -> String {
    let used_all = sum_usage(events, None);
    let mut text = format!(
        "pipeline {id}: {state}, {}, {}\n",
        used_all.cost(),
        used_all.turns()
    );
    for phase in machine.phases() {
        let (status, reason) = phase_status(&phase.state);
        let reason = reason
            .or(phase.error.clone())
            .map_or(String::new(), |reason| format!("  {reason}"));
        let _ = writeln!(text, "{:<20} {status}{reason}", phase.setup.name);
        for agent in &phase.agents {
            let word = agent_state(&agent.state);
            let more = match &agent.state {
                AgentState::Ended(result) => result.output.clone().unwrap_or_default(),
                _ => String::new(),
            };
            let _ = writeln!(
                text,
                "{}",
                format!("  {:<18} {word}  {more}", agent.name).trim_end()
            );
        }
    }
    text
}
