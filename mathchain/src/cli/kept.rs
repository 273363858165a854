//! `mathchain files` and `mathchain notifications`: what obligations kept and told.

use std::process::ExitCode;

use clap::Subcommand;
use journal::{Backup, NoticeRecord};
use tool_core::{ErrorCode, ToolError, Value};

use super::args::Global;
use super::{exit, human, print_data, session};

#[derive(Debug, Subcommand)]
pub(super) enum Files {
    /// List the copies, newest first
    Backups,
    /// Bring a file back as a copy has it; what is there now is copied first
    Restore {
        /// Id of the copy, its beginning, or the path of the file, of which the newest copy is taken
        #[arg(value_name = "ID|PATH")]
        wanted: String,
        /// Of a path, the newest copy that was kept no later; milliseconds since 1970, as `files backups` shows them
        #[arg(long, value_name = "TIME_MS")]
        at: Option<u64>,
    },
}

#[derive(Debug, Subcommand)]
pub(super) enum Notifications {
    /// List them, newest first
    List {
        /// How many
        #[arg(long, default_value_t = 20, value_name = "N")]
        limit: u32,
    },
}

/// Most rows of a list.
const SHOWN_MAX: usize = 1000;

/// Lists copies of files, or brings one back.
pub(super) fn files(global: &Global, files: &Files) -> Result<ExitCode, ToolError> {
    let toolkit = session::open(global)?;
    let state = session::state(&toolkit)?;
    match files {
        Files::Backups => {
            let listed = state.backups(SHOWN_MAX)?;
            let data = Value::array(listed.iter().map(copy).collect());
            print_data(global, &data, || {
                if listed.is_empty() {
                    return "no copies are kept\n".to_owned();
                }
                let line = |one: &Backup| {
                    format!(
                        "{}  {}  {:9} bytes  {}\n",
                        one.id, one.time_ms, one.bytes, one.path
                    )
                };
                listed.iter().map(line).collect()
            });
        }
        Files::Restore { wanted, at } => {
            let keeper = toolkit.keeper().ok_or_else(|| {
                ToolError::new(ErrorCode::PreconditionFailed, "there is no workspace")
                    .hint("open one with --workspace")
            })?;
            let (back, before) = keeper.restore(wanted, *at, "terminal")?;
            state.close()?;
            let before = before.map(|kept| kept.id);
            let data = Value::object([
                ("restored", copy(&back)),
                ("before", Value::from(before.clone())),
            ]);
            print_data(global, &data, || {
                let undo = before
                    .map(|id| format!("; what was there is copy {id}"))
                    .unwrap_or_default();
                format!(
                    "brought back {} as copy {} has it{undo}\n",
                    back.path, back.id
                )
            });
        }
    }
    Ok(exit::OK.into())
}

fn copy(one: &Backup) -> Value {
    Value::object([
        ("id", Value::from(one.id.as_str())),
        ("path", Value::from(one.path.as_str())),
        ("call_id", Value::from(one.call_id.as_str())),
        ("digest", Value::from(one.digest.as_str())),
        ("bytes", Value::from(one.bytes)),
        ("mode", Value::from(one.mode)),
        ("time_ms", Value::from(one.time_ms)),
    ])
}

/// Lists what people were told.
pub(super) fn notifications(
    global: &Global,
    notifications: &Notifications,
) -> Result<ExitCode, ToolError> {
    let Notifications::List { limit } = notifications;
    let toolkit = session::open(global)?;
    let listed = session::state_to_read(global, &toolkit)?.notices(*limit as usize)?;
    let data = Value::array(listed.iter().map(notice).collect());
    print_data(global, &data, || {
        if listed.is_empty() {
            return "nobody was told anything\n".to_owned();
        }
        let line = |one: &NoticeRecord| {
            let tool = one.tool.as_deref().unwrap_or("-");
            let text = one.text.replace('\n', "\n    ");
            format!(
                "{}  {}  {:8}  {tool} as `{}`\n    {text}\n",
                one.id,
                human::time(one.time_ms),
                one.kind,
                one.role
            )
        };
        listed.iter().map(line).collect()
    });
    Ok(exit::OK.into())
}

fn notice(one: &NoticeRecord) -> Value {
    Value::object([
        ("id", Value::from(one.id.as_str())),
        ("kind", Value::from(one.kind.as_str())),
        ("call_id", Value::from(one.call_id.as_str())),
        ("tool", Value::from(one.tool.clone())),
        ("role", Value::from(one.role.as_str())),
        ("agent", Value::from(one.agent.clone())),
        ("text", Value::from(one.text.as_str())),
        ("time_ms", Value::from(one.time_ms)),
    ])
}
