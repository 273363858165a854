//! `mathchain workspace`: which workspace the state belongs to, and making a copy or a restored backup one of its own.

use std::path::Path;

use journal::StateStore;
use registry::WorkspaceId;
use tool_core::capability::EventLog;
use workflow::import::{ImportSource, adopt_item_files};
use workflow::tools::log as of_workflows;

use super::prelude::*;
use super::workflow::{collect_documents, workflow_log};
use mathchain::identity::{self, ProjectState, WorkspaceBinding};

#[derive(Debug, Subcommand)]
pub(super) enum WorkspaceCommand {
    /// Show which workspace the state belongs to
    Show,
    /// Make a copied or restored state that of this folder
    ///
    /// Where the original folder is still there, the copy gets an identity of its own: approvals and runs of the original stay there. Where
    /// it is gone, the identity moves here. Requests, chains and tasks below `workflow/` that the log does not know become part of it; new
    /// items of an adopted log have ids of their own.
    #[command(after_help = "Examples:
  mathchain workspace adopt --dry-run
  mathchain workspace adopt")]
    Adopt {
        /// Show what would be done, and do nothing
        #[arg(long)]
        dry_run: bool,
    },
}

/// Shows or adopts.
pub(super) fn run_workspace_command(
    global: &GlobalArgs,
    command: &WorkspaceCommand,
) -> Result<ExitCode> {
    match command {
        WorkspaceCommand::Show => show_workspace(global),
        WorkspaceCommand::Adopt { dry_run } => adopt_workspace(global, *dry_run),
    }
}

fn show_workspace(global: &GlobalArgs) -> Result<ExitCode> {
    let toolkit = open::open_toolkit_quietly(global)?;
    let here = current_workspace(&toolkit)?;
    let state = open::require_state(&toolkit)?;
    let data = object! {
        "root" => here.root.as_str(),
        "id" => here.id.as_str(),
        "state" => state.file().display().to_string(),
        "copy_of" => toolkit.copy_of(),
    };
    output::print_data(global, &data, || {
        let file = state.file();
        let mut text = format!("{} ({})\nstate {}\n", here.root, here.id, file.display());
        if let Some(original) = toolkit.copy_of() {
            let _ = writeln!(
                text,
                "the state is a copy, or a restored backup, of that of {original}; `mathchain workspace adopt` makes it that of this folder"
            );
        }
        text
    })
}

fn current_workspace(toolkit: &Toolkit) -> Result<WorkspaceId> {
    toolkit.workflow_folder().ok_or_else(
        || tool_error!(PreconditionFailed, "workspace"; "there is no workspace"; "name one with --workspace"),
    )
}

fn adopt_workspace(global: &GlobalArgs, dry_run: bool) -> Result<ExitCode> {
    let toolkit = open::open_toolkit_quietly(global)?;
    let (now, from) = match toolkit.state_place() {
        Some(found) => bind_state(&toolkit, found, dry_run)?,
        None => (current_workspace(&toolkit)?, replaced_workspace(&toolkit)?),
    };
    if let (Some(from), false) = (&from, dry_run) {
        let state = open::require_state(&toolkit)?;
        if !from.id.is_empty() {
            state.adopt_folder(&from.id, &now)?;
        }
        state.begin_checkout(Some(&now))?;
        state.close()?;
    }
    drop(toolkit);
    // The state belongs to this folder now.
    let toolkit = open::open_toolkit_quietly(global)?;
    let log = workflow_log(&toolkit)?;
    let taken = take_files(&**log, &now, from.is_some() && dry_run, dry_run)?;
    let mut text = String::new();
    for line in &taken.notes {
        let _ = writeln!(text, "note: {line}");
    }
    for line in &taken.errors {
        let _ = writeln!(text, "not taken over: {line}");
    }
    let (adopts, takes) = match dry_run {
        true => ("would be", "would be taken"),
        false => ("is", "taken"),
    };
    match &from {
        Some(from) => {
            let _ = writeln!(
                text,
                "the state of {} {adopts} that of {} now",
                from.root, now.root
            );
        }
        None => text.push_str("the state belongs to this folder already\n"),
    }
    let items = count_phrase(taken.items, "item");
    let _ = writeln!(text, "{items} of files {takes} into the log");
    let data = object! {
        "root" => now.root.as_str(),
        "adopted" => from.as_ref().map(|from| from.root.clone()),
        "items" => taken.items,
        "not_taken" => taken.errors.clone(),
        "notes" => taken.notes.clone(),
        "dry_run" => dry_run,
    };
    output::print_data(global, &data, || text)?;
    Ok(match taken.errors.is_empty() {
        true => exit::OK.into(),
        false => exit::SHORTFALL.into(),
    })
}

/// Binds the state of a project to its folder; gives the identity that the folder has then, and the workspace that it is taken from.
fn bind_state(
    toolkit: &Toolkit,
    found: &ProjectState,
    dry_run: bool,
) -> Result<(WorkspaceId, Option<WorkspaceId>)> {
    let Some(original) = toolkit.copy_of() else {
        return Ok((current_workspace(toolkit)?, None));
    };
    let root = found.root.to_string_lossy().into_owned();
    let is_there = original != root && Path::new(original).is_dir();
    let known = open::require_state(toolkit)?.known_folders()?;
    let bound = found.bound.as_ref();
    let from = bound.map(|bound| identity::of_name(&bound.identity, Path::new(original)));
    // A state that was never used knows no folder.
    let from = from.filter(|from| known.iter().any(|one| one.id == from.id));
    let mut copied_from = bound.map_or_else(Vec::new, |bound| bound.copied_from.clone());
    let name = bound.map(|bound| &bound.identity).filter(|_| !is_there);
    let name = name.unwrap_or(&found.folder).clone();
    if is_there {
        copied_from.push(original.to_owned());
    }
    let from = from.unwrap_or_else(|| WorkspaceId {
        id: String::new(),
        root: original.to_owned(),
        roots: Vec::new(),
    });
    let now = identity::of_name(&name, &found.root);
    if !dry_run {
        found.write(&WorkspaceBinding {
            identity: name,
            folder: found.folder.clone(),
            root,
            copied_from,
        })?;
    }
    Ok((now, Some(from)))
}

/// The folder that was at the place of this one before and has workflows, in a state that several folders share.
fn replaced_workspace(toolkit: &Toolkit) -> Result<Option<WorkspaceId>> {
    let here = current_workspace(toolkit)?;
    let state: &StateStore = open::require_state(toolkit)?;
    let known = state.known_folders()?;
    let before = known.into_iter().rfind(|one| {
        one.root == here.root
            && one.id != here.id
            && one.workflow_events > 0
            && !one.id.starts_with("replaced ")
    });
    Ok(before.map(|before| WorkspaceId {
        id: before.id,
        root: before.root,
        roots: Vec::new(),
    }))
}

/// What was taken from the files.
#[derive(Default)]
struct FileImport {
    items: u64,
    errors: Vec<String>,
    notes: Vec<String>,
}

/// Takes the items of the files below `workflow/` that the log does not know into it.
fn take_files(
    log: &dyn EventLog,
    here: &WorkspaceId,
    is_unbound: bool,
    dry_run: bool,
) -> Result<FileImport> {
    let root = Path::new(&here.root);
    let mut files = Vec::new();
    collect_documents(root, &root.join(workflow::item::FOLDER), 0, &mut files)?;
    let sources = || {
        let sources = files.iter().map(|(path, text)| ImportSource { path, text });
        sources.collect::<Vec<_>>()
    };
    // Before the state is bound its log cannot be read as that of this folder.
    let known = match is_unbound {
        true => std::sync::Arc::default(),
        false => of_workflows::load_state(log)?,
    };
    let found = adopt_item_files(&known, &sources());
    let is_item = |event: &&workflow::WorkflowEvent| event.kind().ends_with(".created");
    let items = found.events.iter().filter(is_item).count() as u64;
    if !dry_run && !found.events.is_empty() {
        // New ids differ from those of the checkout that made the files.
        log.checkout()?;
        of_workflows::append_events(log, |state, _| {
            Ok(adopt_item_files(state, &sources()).events)
        })?;
        // The files show these items already.
        let seq = of_workflows::load_state(log)?.seq();
        log.show(seq, &mut |_, _| Ok(seq))?;
    }
    let lines = |list: &[registry::LoadError]| list.iter().map(ToString::to_string).collect();
    Ok(FileImport {
        items,
        errors: lines(&found.errors),
        notes: lines(&found.notes),
    })
}
