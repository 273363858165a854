//! `mathchain workflow`: the files that show workflows, and those of earlier systems.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tool_core::capability::EventLog;
use workflow::import::{ImportSource, import_files};
use workflow::tools::log as of_workflows;

use super::prelude::*;

/// The folders of the earlier layout.
const FOLDERS: [&str; 3] = ["docs/tasks", "docs/requests", ".choragen"];
/// Most files of one import.
const FILES_MAX: usize = 100_000;
/// Deepest nesting of their folders.
const DEPTH_MAX: usize = 8;

#[derive(Debug, Subcommand)]
pub(super) enum WorkflowCommand {
    /// Write every file below `workflow/` anew from the recorded events
    ///
    /// What the events do not determine stays: sections and keys of your own.
    Rebuild,
    /// Import the requests, chains and tasks of an earlier project
    ///
    /// Feedback and workflows too; its files are only read.
    #[command(after_help = "Example:
  mathchain workflow import ../earlier-project --dry-run
Read are docs/tasks, docs/requests and .choragen below the folder.")]
    Import {
        /// Folder of the project
        folder: PathBuf,
        /// Show what would be imported, and record nothing
        #[arg(long)]
        dry_run: bool,
    },
}

/// The log of the workflows of this workspace.
pub(super) fn workflow_log(toolkit: &Toolkit) -> Result<&Arc<dyn EventLog>> {
    open::require_state(toolkit)?;
    toolkit
        .workflows()
        .ok_or_else(|| tool_error!(PreconditionFailed, "state"; "no state is open"))
}

/// Rebuilds or imports.
pub(super) fn run_workflow_command(
    global: &GlobalArgs,
    command: &WorkflowCommand,
) -> Result<ExitCode> {
    let toolkit = open::open_toolkit(global)?;
    let log = workflow_log(&toolkit)?;
    match command {
        WorkflowCommand::Rebuild => {
            of_workflows::rebuild_files(&**log)?;
            let state = of_workflows::load_state(&**log)?;
            let items = workflow::item::items_with_files(&state).len();
            let events = state.seq();
            output::print_data(
                global,
                &object! { "items" => items as u64, "events" => events },
                || {
                    format!(
                        "{} of {events} events\n",
                        count_phrase(items as u64, "file")
                    )
                },
            )
        }
        WorkflowCommand::Import { folder, dry_run } => brought_in(global, &**log, folder, *dry_run),
    }
}

fn brought_in(
    global: &GlobalArgs,
    log: &dyn EventLog,
    folder: &Path,
    dry_run: bool,
) -> Result<ExitCode> {
    let mut files = Vec::new();
    for part in FOLDERS {
        collect_documents(folder, &folder.join(part), 0, &mut files)?;
    }
    if files.is_empty() {
        return Err(
            tool_error!(InvalidArgs, "folder"; "`{}` has no files in {}", folder.display(), FOLDERS.join(", ");
            "name the root of the earlier project"),
        );
    }
    let sources = || {
        let sources = files.iter().map(|(path, text)| ImportSource { path, text });
        sources.collect::<Vec<_>>()
    };
    let found = import_files(&*of_workflows::load_state(log)?, &sources());
    let mut text = String::new();
    for note in &found.notes {
        let _ = writeln!(text, "note: {note}");
    }
    for error in &found.errors {
        let _ = writeln!(text, "not imported: {error}");
    }
    let mut count = found.events.len();
    if !dry_run {
        let events =
            of_workflows::append_events(
                log,
                |state, _| Ok(import_files(state, &sources()).events),
            )?;
        count = events.len();
        of_workflows::write_changed_files(log)?;
    }
    let done = if dry_run {
        "would be recorded"
    } else {
        "recorded"
    };
    let _ = writeln!(text, "{} {done}", count_phrase(count as u64, "event"));
    let lines = |list: &[registry::LoadError]| -> Vec<String> {
        list.iter().map(ToString::to_string).collect()
    };
    let data = object! { "events" => count as u64, "recorded" => !dry_run, "not_imported" => lines(&found.errors), "notes" => lines(&found.notes) };
    output::print_data(global, &data, || text)?;
    Ok(match found.errors.is_empty() {
        true => exit::OK.into(),
        false => exit::SHORTFALL.into(),
    })
}

/// Reads the Markdown and JSON files below a folder, without following links.
pub(super) fn collect_documents(
    root: &Path,
    folder: &Path,
    depth: usize,
    files: &mut Vec<(String, String)>,
) -> Result<()> {
    let fail = |path: &Path, err: std::io::Error| tool_error!(ToolError, "io"; "`{}` cannot be read: {err}", path.display());
    let entries = match std::fs::read_dir(folder) {
        Err(err) if err.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        other => other.map_err(|err| fail(folder, err))?,
    };
    for entry in entries {
        let entry = entry.map_err(|err| fail(folder, err))?;
        let (path, kind) = (
            entry.path(),
            entry.file_type().map_err(|err| fail(folder, err))?,
        );
        if kind.is_dir() && depth < DEPTH_MAX {
            collect_documents(root, &path, depth + 1, files)?;
        }
        let wanted = path
            .extension()
            .is_some_and(|ending| ending == "md" || ending == "json");
        if !kind.is_file() || !wanted || !is_item(root, &path) {
            continue;
        }
        if files.len() == FILES_MAX {
            return Err(tool_error!(LimitExceeded, "files"; "more than {FILES_MAX} files"));
        }
        let mut bytes = Vec::new();
        std::fs::File::open(&path)
            .and_then(|mut file| std::io::Read::read_to_end(&mut file, &mut bytes))
            .map_err(|err| fail(&path, err))?;
        let Ok(text) = String::from_utf8(bytes) else {
            write_stderr(&format!(
                "not imported: `{}` is not UTF-8\n",
                path.display()
            ));
            continue;
        };
        let shown = path.strip_prefix(root).unwrap_or(&path);
        files.push((shown.to_string_lossy().into_owned(), text));
    }
    Ok(())
}

/// Whether a file is about items: the folder of the earlier program has settings and metrics as well.
fn is_item(root: &Path, path: &Path) -> bool {
    let Ok(inner) = path.strip_prefix(root.join(".choragen")) else {
        return true;
    };
    inner.starts_with("workflows") || inner.starts_with("requests")
}
