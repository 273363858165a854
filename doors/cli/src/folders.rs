//! `--all-folders`: lists of a state that several folders share show one of them, or all.

use registry::WorkspaceId;

use super::prelude::*;

/// Whose rows a list has.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(super) struct FolderArgs {
    /// Include other folders that share this state: the user's, where no configuration is
    #[arg(long)]
    pub all_folders: bool,
}

impl FolderArgs {
    /// The folder whose rows are listed; `None` for every folder, and for a state that belongs to one.
    pub(super) fn of(self, toolkit: &Toolkit) -> Option<WorkspaceId> {
        match self.all_folders {
            true => None,
            false => current_workspace(toolkit),
        }
    }

    /// What is said of an empty list.
    pub(super) fn none(self, toolkit: &Toolkit, none: &str) -> String {
        match self.of(toolkit) {
            None => none.to_owned(),
            Some(_) => format!("{none} of this folder; `--all-folders` includes others"),
        }
    }

    /// A line of a list of every folder, with the folder of its row.
    pub(super) fn line(self, mut line: String, folder: Option<&str>) -> String {
        if self.all_folders {
            let folder = folder.unwrap_or("unknown folder");
            let _ = writeln!(line, "    in {folder}");
        }
        line
    }
}

/// This folder, if other folders may share the state: a state below the first root is its own.
pub(super) fn current_workspace(toolkit: &Toolkit) -> Option<WorkspaceId> {
    let here = toolkit.workspace_id()?;
    let file = open::require_state(toolkit).ok().map(|state| state.file());
    let is_own = file.is_some_and(|file| file.starts_with(&here.root));
    (!is_own).then_some(here)
}
