//! `mathchain backups`: copies of files, kept before calls changed them.

use super::folders::FolderArgs;
use super::prelude::*;
use super::when;

#[derive(Debug, Subcommand)]
pub(super) enum BackupsCommand {
    /// List backups, newest first
    #[command(alias = "backups")]
    List(FolderArgs),
    /// Restore a file from a backup, and back up its present content first
    Restore {
        /// Id of the backup or its beginning, or the path of a file for its newest backup
        #[arg(value_name = "ID|PATH")]
        wanted: String,
        /// With a path, the newest backup not later than this; milliseconds since 1970, as `backups list` shows them
        #[arg(long, value_name = "TIME")]
        at: Option<String>,
    },
}

/// Maximum number of rows of the list.
const SHOWN_MAX: usize = 1000;

/// Lists backups, or restores one.
pub(super) fn run_backups_command(
    global: &GlobalArgs,
    backups: &BackupsCommand,
) -> Result<ExitCode> {
    let toolkit = open::open_toolkit(global)?;
    let state = open::require_state(&toolkit)?;
    let (wanted, at) = match backups {
        BackupsCommand::List(folders) => {
            let listed = state.backups(folders.of(&toolkit).as_ref(), SHOWN_MAX)?;
            let none = folders.none(&toolkit, "no backups");
            return output::print_list(global, &listed, plain_value, &none, |one| {
                let (id, path) = (&one.id, &one.path);
                let (time, size) = (
                    human::format_local_time(one.time_ms),
                    human::format_byte_size(one.bytes),
                );
                let line = format!("{id}  {time}  {size:>9}  {path}\n");
                folders.line(line, one.folder_root.as_deref())
            });
        }
        BackupsCommand::Restore { wanted, at } => {
            (wanted, at.as_deref().map(when::unix_ms).transpose()?)
        }
    };
    let backups = toolkit.file_backups().ok_or_else(
        || tool_error!(PreconditionFailed; "there is no workspace"; "name one with --workspace"),
    )?;
    let (restored, before) = backups.restore(wanted, at, "terminal")?;
    state.close()?;
    let before = before.map(|kept| kept.id);
    let data = object! { "restored" => plain_value(&restored), "before" => before.clone() };
    output::print_data(global, &data, || {
        let undo = before.map(|id| format!("; its content before is backup {id}"));
        let (id, path) = (&restored.id, &restored.path);
        format!(
            "restored {path} from backup {id}{}\n",
            undo.unwrap_or_default()
        )
    })
}
