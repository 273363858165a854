//! Identity of a workspace: a name in a file of its state folder, bound to the folder that it was made in.
//!
//! The state of one project lies below its first root. `workspace.json` there has the name that approvals, runs, recorded rules and
//! workflows belong to, and the folder (inode and birth) that the name is bound to. A folder that is moved stays bound. In a copy, a
//! checkout that has the state folder with it, or a restored backup, the folder is another one: the name is not taken, since whoever made
//! the copy could have put approvals and rules into its state. It is said, and `mathchain workspace adopt` binds the state to the new
//! folder.

use std::path::{Path, PathBuf};

use registry::WorkspaceId;
use tool_core::{Decode, Encode, Result, convert, json};

use crate::real_paths::RealPaths;
use crate::{WorkspaceRoot, io, owned, roots};

/// Name of the file in the state folder.
pub const FILE_NAME: &str = "workspace.json";

/// The content of the file.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
pub struct WorkspaceBinding {
    /// The name of the workspace.
    pub identity: String,
    /// The folder that it is bound to.
    pub folder: String,
    /// The path of that folder, as last seen.
    pub root: String,
    /// Paths of the workspaces that this one is a copy of.
    #[value(default, skip_encoding_if = "Vec::is_empty")]
    pub copied_from: Vec<String>,
}

/// The state folder of a project, and what was found there.
#[derive(Debug, Clone)]
pub struct ProjectState {
    /// The state folder.
    state: PathBuf,
    /// The first root, without links.
    pub root: PathBuf,
    /// What identifies the folder at the first root.
    pub folder: String,
    pub bound: Option<WorkspaceBinding>,
}

/// Looks which name the workspace has, and lets `paths` give it for the first root; `None` for a state that is not below that root, which
/// other folders may share.
pub fn recognise_workspace(
    roots: &[WorkspaceRoot],
    state: Option<&Path>,
    paths: &RealPaths,
) -> Option<ProjectState> {
    let root = paths.existing(&roots.first()?.path)?;
    let state = paths.real(state?);
    if !state.starts_with(&root) {
        return None;
    }
    let folder = roots::of_folder(&root)?;
    let bound = read_bound_identity(&state);
    let is_bound = bound.as_ref().filter(|bound| bound.folder == folder);
    let name = is_bound.map_or(&folder, |bound| &bound.identity);
    paths.name_folder(&root, name.clone());
    Some(ProjectState {
        state,
        root,
        folder,
        bound,
    })
}

/// The content of the file; `None` where there is none that can be read, which is as good as none.
fn read_bound_identity(state: &Path) -> Option<WorkspaceBinding> {
    let text = owned::read_owned_file(&state.join(FILE_NAME)).ok()??;
    let value = json::parse_json(&text, json::JsonLimits::default()).ok()?;
    convert::from_value(&value).ok()
}

impl ProjectState {
    /// The path of the workspace that this folder is a copy of; `None` for the folder itself.
    pub fn copy_of(&self) -> Option<&str> {
        let bound = self.bound.as_ref()?;
        (bound.folder != self.folder).then_some(&*bound.root)
    }

    /// Notes that a state without a name, of an earlier version, is that of another folder.
    pub fn note_original(&mut self, id: &str, root: &str) {
        let bound = WorkspaceBinding {
            identity: format!("{OLDER}{id}"),
            folder: String::new(),
            root: root.to_owned(),
            copied_from: Vec::new(),
        };
        // Where it cannot be written, the next process finds it out again.
        let _ = self.write(&bound);
        self.bound = Some(bound);
    }

    /// Binds the name to this folder where nothing is bound yet, and notes where the folder is now.
    pub fn settle(&self) {
        let root = self.root.to_string_lossy();
        let bound = match &self.bound {
            None => WorkspaceBinding {
                identity: self.folder.clone(),
                folder: self.folder.clone(),
                root: root.into_owned(),
                copied_from: Vec::new(),
            },
            Some(bound) if bound.folder == self.folder && bound.root != root => WorkspaceBinding {
                root: root.into_owned(),
                ..bound.clone()
            },
            Some(_) => return,
        };
        // Where it cannot be written, the next process does it.
        let _ = self.write(&bound);
    }

    /// Binds a name to this folder.
    ///
    /// # Errors
    /// `tool_error` where the file cannot be written.
    pub fn write(&self, bound: &WorkspaceBinding) -> Result<()> {
        let file = self.state.join(FILE_NAME);
        let text = json::to_text(&convert::to_value(bound)?) + "\n";
        io::replace_file(&file, text.as_bytes(), io::FileReaders::Owner)
            .map_err(|err| io::cannot_write(&file, &err))
    }
}

/// What the name of a workspace begins with whose state is older than names: its identity follows.
const OLDER: &str = "identity ";

/// The identity of a workspace of one root by its name.
pub fn of_name(name: &str, root: &Path) -> WorkspaceId {
    let older = name.strip_prefix(OLDER).map(str::to_owned);
    WorkspaceId {
        id: older.unwrap_or_else(|| registry::digest::of_texts([name])[..16].to_owned()),
        root: root.to_string_lossy().into_owned(),
        roots: Vec::new(),
    }
}
