//! `mathchain state`: what the state folder holds, and keeping it small over years.

use std::path::PathBuf;

use journal::{PruneReport, StatePartSize, StateSize};

use super::prelude::*;
use super::{state_copy, when};
use mathchain::audit_key;
use mathchain::clock::SystemClock;
use tool_core::capability::Clock as _;

#[derive(Debug, Subcommand)]
pub(super) enum StateCommand {
    /// Show what takes how much
    Size,
    /// Remove old records, runs, backups, messages and values that nothing needs
    #[command(
        after_help = "Removes audit sessions and runs whose newest record is older than TIME, with the backups and messages of their calls. Runs that have not ended or are pinned, open approval requests, open questions, and all records that these need remain. A signed cut remains in the audit log: `mathchain audit verify` continues from it.
Examples:
  mathchain state prune --dry-run              # by `[state] keep`, 365 days by default
  mathchain state export --to records.jsonl && mathchain state prune --before 90d
  mathchain state prune --before 2026-01-01"
    )]
    Prune {
        /// Age or local date, such as 90d or 2026-01-01; by default `[state] keep`
        #[arg(long, value_name = "TIME")]
        before: Option<String>,
        /// Show what would be removed
        #[arg(long)]
        dry_run: bool,
    },
    /// Write all records, values and the newest head as JSON Lines
    #[command(
        after_help = "docs/state.md describes the lines, which need no mathchain to be read and verified. Large values are files in `artifacts` of the state folder.
Example:
  mathchain state export --to records.jsonl"
    )]
    Export {
        /// File to write
        #[arg(long, value_name = "FILE")]
        to: PathBuf,
        /// Replace an existing file
        #[arg(long)]
        force: bool,
    },
    /// Shrink the state file by its free pages
    Vacuum,
    /// Write the whole state to one file while it is in use, and verify it
    #[command(
        after_help = "The file is a tar archive of the database, stored values, backups of files and recorded rules. Keys are not part of it: docs/operations.md.
Example:
  mathchain state backup --to /backup/state.tar"
    )]
    Backup {
        /// File to write
        #[arg(long, value_name = "FILE")]
        to: PathBuf,
        /// Replace an existing file
        #[arg(long)]
        force: bool,
    },
    /// Restore a backup as the state of this folder
    #[command(
        after_help = "End every server and run that uses the state first. In another folder than that of the backup, `mathchain workspace adopt` then makes it the state of that folder.
Example:
  mathchain state restore /backup/state.tar"
    )]
    Restore {
        /// File that `state backup` wrote
        file: PathBuf,
        /// Replace a state that is there; it is kept in a folder below it
        #[arg(long)]
        force: bool,
    },
}

/// Runs one of the commands about the state folder.
pub(super) fn run_state_command(global: &GlobalArgs, command: &StateCommand) -> Result<ExitCode> {
    if let StateCommand::Restore { file, force } = command {
        return state_copy::restore_state(global, file, *force);
    }
    let toolkit = open::open_toolkit(global)?;
    match command {
        StateCommand::Restore { .. } => Ok(exit::OK.into()),
        StateCommand::Backup { to, force } => {
            state_copy::backup_state(global, &toolkit, to, *force)
        }
        StateCommand::Size => {
            let sizes = open::state_to_read(global, &toolkit)?.sizes()?;
            output::print_data(global, &plain_value(&sizes), || sizes_table(&sizes))
        }
        StateCommand::Prune { before, dry_run } => {
            let before_ms = match before {
                Some(text) => when::unix_ms(text)?,
                None => {
                    let now_ms = SystemClock::default().unix_ms();
                    now_ms.saturating_sub(toolkit.config().state.keep.ms())
                }
            };
            let state = open::require_state(&toolkit)?;
            let done = match dry_run {
                true => state.forecast(before_ms)?,
                false => state.prune(before_ms, &audit_key::existing_or_new()?)?,
            };
            state.close()?;
            let mut data = plain_value(&done).as_object().cloned().unwrap_or_default();
            data.insert("before_ms", before_ms);
            data.insert("dry_run", *dry_run);
            let data = Value::Object(data.into());
            output::print_data(global, &data, || prune_summary(&done, before_ms, *dry_run))
        }
        StateCommand::Export { to, force } => {
            let state = open::state_to_read(global, &toolkit)?;
            let mut exported = (None, 0);
            let bytes = output::to_file(to, *force, |out| {
                exported = state.export_whole(out)?;
                Ok(())
            })?;
            let (head, lines) = exported;
            let file = to.display().to_string();
            let data = object! {
                "file" => file.as_str(),
                "lines" => lines,
                "bytes" => bytes,
                "head" => head.clone(),
            };
            output::print_data(global, &data, || {
                let head = head.map(|head| format!("head {head}\n"));
                let (lines, bytes) = (count_phrase(lines, "line"), human::format_byte_size(bytes));
                format!(
                    "wrote {lines}, {bytes}, to {file}\n{}",
                    head.unwrap_or_default()
                )
            })
        }
        StateCommand::Vacuum => {
            let done = open::require_state(&toolkit)?.vacuum()?;
            output::print_data(global, &plain_value(&done), || {
                let (before, after) = (done.before_bytes, done.after_bytes);
                format!(
                    "{} before, {} now\n",
                    human::format_byte_size(before),
                    human::format_byte_size(after)
                )
            })
        }
    }
}

fn sizes_table(sizes: &StateSize) -> String {
    let line = |StatePartSize {
                    part,
                    bytes,
                    items,
                    item,
                }: &StatePartSize| {
        let size = human::format_byte_size(*bytes);
        format!("{part:10} {size:>10}  {}\n", count_phrase(*items, item))
    };
    let mut text: String = sizes.parts.iter().map(line).collect();
    let _ = writeln!(
        text,
        "{:10} {:>10}",
        "total",
        human::format_byte_size(sizes.bytes)
    );
    if let Some(oldest) = sizes.oldest_ms {
        let _ = writeln!(text, "oldest record {}", human::format_local_time(oldest));
    }
    text
}

fn prune_summary(done: &PruneReport, before_ms: u64, dry_run: bool) -> String {
    let verb = if dry_run { "would remove" } else { "removed" };
    let mut text = format!(
        "{verb} {} in {} and {}, {}, older than {}\n",
        count_phrase(done.records, "record"),
        count_phrase(done.sessions, "audit session"),
        count_phrase(done.runs, "run"),
        count_phrase(done.approvals, "approval request"),
        human::format_local_time(before_ms),
    );
    let _ = writeln!(
        text,
        "{verb} {} of {}, {} of the inbox and {}",
        count_phrase(done.backups, "backup"),
        human::format_byte_size(done.backup_bytes),
        count_phrase(done.notices, "message"),
        count_phrase(done.pipelines, "pipeline"),
    );
    let values = &done.values;
    let _ = writeln!(
        text,
        "{verb} {} and {} of values, {}",
        count_phrase(values.values, "small value"),
        count_phrase(values.artifacts, "artifact"),
        human::format_byte_size(values.freed_bytes),
    );
    if done.needed > 0 {
        let _ = writeln!(
            text,
            "kept as still needed: {}",
            count_phrase(done.needed, "old chain")
        );
    }
    if !dry_run && done.records + done.backups + done.notices + done.pipelines > 0 {
        text += "`mathchain state vacuum` gives the free pages back to the disk\n";
    }
    text
}
