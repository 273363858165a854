//! `mathchain notifications`: calls with the obligation `notify`, and questions from agents.

use super::prelude::*;

#[derive(Debug, Subcommand)]
pub(super) enum Notifications {
    /// List notifications, newest first
    List {
        /// Maximum number of rows
        #[arg(long, default_value_t = 20, value_name = "N")]
        limit: u32,
    },
}

/// Lists notifications.
pub(super) fn notifications(global: &Global, notifications: &Notifications) -> Result<ExitCode> {
    let Notifications::List { limit } = notifications;
    let toolkit = open::toolkit(global)?;
    let listed = open::state_to_read(global, &toolkit)?.notices(*limit as usize)?;
    output::list(global, &listed, plain, "no notifications", |one| {
        let tool = one.tool.as_deref().unwrap_or("-");
        let text = one.text.replace('\n', "\n    ");
        let time = human::time(one.time_ms);
        let (id, kind, role) = (&one.id, &one.kind, &one.role);
        format!("{id}  {time}  {kind:8}  {tool} as `{role}`\n    {text}\n")
    })
}
