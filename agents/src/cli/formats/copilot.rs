//! `copilot --output-format json`: messages; neither tokens nor cost.

use tool_core::Value;

use super::output::{AgentOutput, AgentStreamFormat};

pub(super) const FORMAT: AgentStreamFormat = AgentStreamFormat {
    name: "copilot",
    states_cost: false,
    shows_turns: false,
    read_event: read_copilot_event,
};

fn read_copilot_event(output: &mut AgentOutput, event: &Value) {
    let data = event.get("data").unwrap_or(event);
    match event.text("type") {
        Some("assistant.message") => output.set_answer(data.text("content").unwrap_or_default()),
        Some("session.error" | "error") => {
            let message = data.text("message").unwrap_or("an error");
            output.error = Some(message.to_owned());
        }
        _ => {}
    }
}
