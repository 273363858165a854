//! `opencode run --format json`: texts, and tokens and cost at the end of each step.

use tool_core::Value;

use super::output::{AgentOutput, AgentStreamFormat, read_amount};

pub(super) const FORMAT: AgentStreamFormat = AgentStreamFormat {
    name: "opencode",
    states_cost: true,
    shows_turns: true,
    read_event: read_opencode_event,
};

fn read_opencode_event(output: &mut AgentOutput, event: &Value) {
    match event.text("type") {
        Some("text") => {
            let text = event.pointer("/part/text");
            let text = text.as_ref().and_then(Value::as_str).unwrap_or_default();
            output.set_answer(text);
        }
        Some("step_finish") => {
            output.count_turn();
            let part = event.get("part");
            output.count_tokens(
                part.and_then(|part| part.get("tokens")),
                ["input", "output"],
            );
            if let Some(cost) = part.and_then(|part| read_amount(part, "cost")) {
                output.cost_usd = Some(output.cost_usd.unwrap_or(0.0) + cost);
            }
        }
        Some("error") => {
            let message = event.pointer("/error/data/message");
            let message = message.as_ref().and_then(Value::as_str);
            let name = event.pointer("/error/name");
            let name = name.as_ref().and_then(Value::as_str);
            output.error = Some(message.or(name).unwrap_or("an error").to_owned());
        }
        _ => {}
    }
}
