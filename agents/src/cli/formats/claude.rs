//! `claude -p --output-format stream-json`: messages, and a result with turns and cost.

use tool_core::Value;

use super::output::{AgentOutput, AgentStreamFormat, read_amount, read_count};

pub(super) const FORMAT: AgentStreamFormat = AgentStreamFormat {
    name: "claude",
    states_cost: true,
    shows_turns: true,
    read_event: read_claude_event,
};

fn read_claude_event(output: &mut AgentOutput, event: &Value) {
    match event.text("type") {
        Some("assistant") => {
            // Blocks of one message arrive as events of their own.
            let id = event.pointer("/message/id");
            let id = id.as_ref().and_then(Value::as_str).unwrap_or_default();
            if id.is_empty() || !output.is_counted(id) {
                output.count_turn();
            }
            let blocks = event.pointer("/message/content");
            for block in blocks.iter().flat_map(|one| one.items()).flatten() {
                if let Some(text) = block.text("text") {
                    output.show_line(text);
                }
            }
        }
        Some("result") => {
            output.is_over = true;
            output.turns = read_count(event, "num_turns").or(output.turns);
            output.cost_usd = read_amount(event, "total_cost_usd");
            output.count_tokens(event.get("usage"), ["input_tokens", "output_tokens"]);
            let text = event.text("result").unwrap_or_default();
            let subtype = event.text("subtype").unwrap_or_default();
            let failed = event.get("is_error").and_then(Value::as_bool) == Some(true);
            if failed || subtype.starts_with("error") {
                let words = [text, subtype].into_iter().find(|text| !text.is_empty());
                output.error = Some(words.unwrap_or("an error").to_owned());
            }
            output.set_answer(text);
        }
        _ => {}
    }
}
