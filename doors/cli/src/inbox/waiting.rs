//! What waits for a decision, as the inbox prints it.

use super::super::prelude::*;
use mathchain::clock::SystemClock;
use mathchain::waiting::{WaitingEntry, option_labels};
use mathchain_servers::people::waiting::deadline_text;
use tool_core::capability::Clock as _;

/// The entry as a value, with the time that is left to decide an approval.
pub(super) fn timed_value(waiting: &WaitingEntry) -> Value {
    let value = waiting.value();
    let (WaitingEntry::Approval(approval), Some(members)) = (waiting, value.as_object()) else {
        return value;
    };
    let mut members = members.clone();
    members.insert(
        "left_ms",
        approval.left_ms(SystemClock::default().unix_ms()),
    );
    Value::from(members)
}

pub(super) fn render_waiting(waiting: &WaitingEntry) -> String {
    match waiting {
        WaitingEntry::Approval(approval) => {
            let time = human::format_local_time(approval.created_ms);
            let (id, tool, role) = (&approval.id, &approval.tool, &approval.role);
            let preview = approval.preview.replace('\n', "\n    ");
            let deadline = deadline_text(approval, SystemClock::default().unix_ms());
            format!(
                "{id}  {time}  approval  {tool} as `{role}`\n    {preview}\n    {}\n    {deadline}\n",
                approval.reason
            )
        }
        WaitingEntry::Gate(gate) => {
            let mut text = format!("{}  gate      stage `{}`\n", gate.workflow, gate.stage);
            if let Some(prompt) = &gate.prompt {
                let _ = writeln!(text, "    {}", prompt.replace('\n', "\n    "));
            }
            let answers = match gate.options.is_empty() {
                true => "yes".to_owned(),
                false => gate.options.join(", "),
            };
            text + &format!("    answers: {answers}\n")
        }
        WaitingEntry::Feedback { workflow, item } => {
            let blocking = if item.blocking { ", blocking" } else { "" };
            let (id, kind, by) = (&item.id, item.kind, &item.author.principal);
            let content = item.content.replace('\n', "\n    ");
            let text = format!("{workflow}/{id}  {kind}{blocking}  by `{by}`\n    {content}\n");
            text + &choices_text(&option_labels(item))
        }
    }
}

fn choices_text(options: &[String]) -> String {
    match options {
        [] => String::new(),
        options => format!("    options: {}\n", options.join(", ")),
    }
}
