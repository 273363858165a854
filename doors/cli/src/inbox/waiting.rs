//! What waits for a decision, as the inbox prints it.

use super::super::prelude::*;
use mathchain::waiting::{WaitingEntry, option_labels};

pub(super) fn render_waiting(waiting: &WaitingEntry) -> String {
    match waiting {
        WaitingEntry::Approval(approval) => {
            let time = human::format_local_time(approval.created_ms);
            let (id, tool, role) = (&approval.id, &approval.tool, &approval.role);
            let preview = approval.preview.replace('\n', "\n    ");
            format!(
                "{id}  {time}  approval  {tool} as `{role}`\n    {preview}\n    {}\n",
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
