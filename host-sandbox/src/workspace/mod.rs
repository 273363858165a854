//! [`Workspace`]: access to the files beneath one folder only. [`open_workspace`] makes one of several folders.
//!
//! The root is opened once. The kernel resolves every path against it (`openat2` with `RESOLVE_BENEATH` and
//! `RESOLVE_NO_MAGICLINKS`), so that no `..`, link or race leaves it; the kind of a file is checked on the open file, never on
//! its name. Links whose target is beneath the root are followed for reading, never for writing or for listing a tree.
//!
//! Linux 5.6 or newer only: without `openat2`, and on other systems, [`Workspace::open`] refuses. There is no fallback that
//! checks before opening.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
pub use linux::{Workspace, find_leftovers, open_workspace};

#[cfg(not(target_os = "linux"))]
mod unsupported;
#[cfg(not(target_os = "linux"))]
pub use unsupported::{Workspace, find_leftovers, open_workspace};

#[cfg(target_os = "linux")]
use std::collections::BTreeSet;
#[cfg(target_os = "linux")]
use std::ffi::OsStr;
#[cfg(target_os = "linux")]
use std::path::Path;
use std::path::PathBuf;

use tool_core::Access;

#[cfg(target_os = "linux")]
use crate::below::WalkStep;

/// A folder that tools may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkspaceRoot {
    /// Its path.
    pub path: PathBuf,
    /// Whether tools may write in it.
    pub access: Access,
}

/// Paths that [`Workspace::open`] protects from writes, relative to the root: agents and plugins. A folder covers its content, and
/// letter case is ignored.
pub const PROTECTED: &[&str] = BESIDE;

/// Names that are protected from writes at any depth, with their content, whether they exist or not: repositories, configurations, rules
/// on files, lists of tools of servers, and states.
pub const EVERYWHERE: &[&str] = &[
    ".git",
    ".mathchain",
    "choragen.governance.yaml",
    "governance.yaml",
    "mathchain.toml",
    "mathchain.yaml",
    "mathchain.yml",
    "mcp-servers",
];

/// Folder of templates of workflows, by its last two names; protected with its content at any depth too.
const TEMPLATES: [&str; 2] = ["workflow", "templates"];

/// Names that are closed for reading too, at any depth: states, which contain data of calls by every role.
pub const CLOSED: &[&str] = &[".mathchain"];

/// Names of configurations, and of folders that mark a project.
const CONFIGURATIONS: &[&str] = &[
    "mathchain.toml",
    "mathchain.yaml",
    "mathchain.yml",
    ".mathchain",
];

/// Names protected from writes beside a configuration.
const BESIDE: &[&str] = &["agents", PLUGINS, "plugin-settings"];

/// Folder of plugins, which load without a configuration too; a folder in it with the manifest is a plugin.
const PLUGINS: &str = "plugins";
const MANIFEST: &str = "manifest.json";

/// Whether tools never write a file or folder, for what it is called or lies beside.
#[cfg(target_os = "linux")]
pub(crate) fn protected_in(path: &Path, name: &OsStr, is_folder: bool) -> bool {
    let is = |wanted: &str| name.eq_ignore_ascii_case(wanted);
    let above = path.parent().and_then(Path::file_name);
    let below_workflow = above.is_some_and(|above| above.eq_ignore_ascii_case(TEMPLATES[0]));
    if EVERYWHERE.iter().any(|wanted| is(wanted)) || is(TEMPLATES[1]) && below_workflow {
        return true;
    }
    let beside = |wanted: &&str| {
        let folder = path.parent();
        folder.is_some_and(|folder| folder.join(wanted).symlink_metadata().is_ok())
    };
    let is_plugin = || {
        let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
        entries
            .map(|entry| entry.path().join(MANIFEST))
            .any(|manifest| manifest.exists())
    };
    is_folder
        && BESIDE.iter().any(|wanted| is(wanted))
        && (CONFIGURATIONS.iter().any(beside) || is(PLUGINS) && is_plugin())
}

/// What is protected below a folder, by its name or as one of these paths; folders with a place each, not what is in them. Where there is
/// too much to look through, what was found until then.
#[cfg(target_os = "linux")]
pub fn protected_below(folder: &Path, protected: &[PathBuf]) -> BTreeSet<PathBuf> {
    let there = |path: &&PathBuf| path.starts_with(folder) && path.symlink_metadata().is_ok();
    let mut found: BTreeSet<PathBuf> = protected.iter().filter(there).cloned().collect();
    crate::below::visit_tree(folder, &mut |path, name, is_folder| {
        if protected_in(path, name, is_folder) {
            found.insert(path.to_owned());
            return WalkStep::Beside;
        }
        WalkStep::Into
    });
    found
}

/// Whether a name is reserved for temporary files, which tools neither see nor create.
pub fn is_temporary(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.starts_with(TEMPORARY) && name.ends_with(".tmp")
}

/// Prefix of temporary file names.
const TEMPORARY: &str = ".mathchain-";
