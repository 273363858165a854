//! `gemini --output-format stream-json`: parts of messages, and statistics at the end; no cost.

use tool_core::Value;

use super::output::{AgentOutput, AgentStreamFormat};

pub(super) const FORMAT: AgentStreamFormat = AgentStreamFormat {
    name: "gemini",
    states_cost: false,
    shows_turns: false,
    read_event: read_gemini_event,
};

fn read_gemini_event(output: &mut AgentOutput, event: &Value) {
    match event.text("type") {
        Some("message") if event.text("role") == Some("assistant") => {
            let text = event.text("content").unwrap_or_default();
            output.add_answer(text);
            output.show_line(text);
        }
        Some("result") => {
            output.count_tokens(event.get("stats"), ["input_tokens", "output_tokens"]);
            if event.text("status") == Some("error") {
                let message = event.pointer("/error/message");
                let message = message.as_ref().and_then(Value::as_str);
                output.error = Some(message.unwrap_or("an error").to_owned());
            }
        }
        // `--output-format json`: one object.
        None => {
            if let Some(text) = event.text("response") {
                output.set_answer(text);
            }
            let message = event.pointer("/error/message");
            if let Some(message) = message.as_ref().and_then(Value::as_str) {
                output.error = Some(message.to_owned());
            }
        }
        _ => {}
    }
}
