//! `codex exec --json`: items, and usage at the end of each turn; no cost.

use tool_core::Value;

use super::output::{AgentOutput, AgentStreamFormat};

pub(super) const FORMAT: AgentStreamFormat = AgentStreamFormat {
    name: "codex",
    states_cost: false,
    shows_turns: true,
    read_event: read_codex_event,
};

fn read_codex_event(output: &mut AgentOutput, event: &Value) {
    match event.text("type") {
        Some("turn.completed") => {
            output.count_turn();
            output.count_tokens(event.get("usage"), ["input_tokens", "output_tokens"]);
        }
        Some("item.completed") => {
            let item = event.get("item");
            let text = item.and_then(|item| item.text("text")).unwrap_or_default();
            let kind = item.and_then(|item| item.text("type").or(item.text("item_type")));
            match kind {
                Some("agent_message" | "assistant_message") => output.set_answer(text),
                _ => output.show_line(text),
            }
        }
        Some("turn.failed") => {
            let message = event.pointer("/error/message");
            let message = message.as_ref().and_then(Value::as_str);
            output.error = Some(message.unwrap_or("the turn failed").to_owned());
        }
        Some("error") => {
            let message = event.text("message").unwrap_or("an error");
            output.error = Some(message.to_owned());
        }
        _ => {}
    }
}
