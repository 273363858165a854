//! The roots of a workspace: opened for tools, identified for approvals and runs, and named for rules.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use registry::WorkspaceId;
use registry::model::WorkspaceRoots;
use tool_core::capability::WorkspaceFiles;
use tool_core::{Access, Result, tool_error};

use crate::real_paths::RealPaths;
use crate::{PluginRoot, WorkspaceRoot, identity};

/// One folder in which tools may write.
pub fn single_root(path: PathBuf) -> Vec<WorkspaceRoot> {
    vec![WorkspaceRoot {
        path,
        access: Access::Write,
    }]
}

/// Opens the roots: files that determine permissions are write-protected, state folders are unreadable.
pub fn open_roots(
    roots: &[WorkspaceRoot],
    closed: &[PathBuf],
    protected: &[PathBuf],
    paths: &RealPaths,
) -> Result<Arc<dyn WorkspaceFiles>> {
    for root in roots {
        let root = paths.real(&root.path);
        let mut around = protected.iter().chain(closed);
        if let Some(around) = around.find(|place| root.starts_with(place)) {
            let (root, around) = (root.display(), around.display());
            return Err(tool_error!(PreconditionFailed, "workspace";
                "the workspace `{root}` is inside `{around}`, which tools must not write";
                "choose another folder with --workspace"));
        }
    }
    host_sandbox::workspace::open_workspace(roots, protected, closed)
}

/// What tools never write: these files, and the folders of plugins. Paths are compared without links, so that another name of one folder
/// compares equal.
pub fn protected_paths(
    plugins: &[PluginRoot],
    files: &[PathBuf],
    paths: &RealPaths,
) -> Vec<PathBuf> {
    let of_plugins = plugins.iter();
    let of_plugins = of_plugins.flat_map(|root| [&root.plugins, &root.settings, &root.servers]);
    let mut places: Vec<PathBuf> = files.iter().chain(of_plugins).cloned().collect();
    places.extend(places.clone().iter().map(|place| paths.real(place)));
    places
}

/// The roots by which rules on paths are read: the first, and the others that lie within no root.
pub fn root_names(roots: &[WorkspaceRoot], paths: &RealPaths) -> WorkspaceRoots {
    let folders: Vec<PathBuf> = roots.iter().map(|root| paths.real(&root.path)).collect();
    let Some((first, others)) = folders.split_first() else {
        return WorkspaceRoots::default();
    };
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let is_outer = |path: &&PathBuf| {
        let mut around = folders.iter().filter(|other| *other != *path);
        !around.any(|around| path.starts_with(around))
    };
    WorkspaceRoots {
        first: text(first),
        others: others
            .iter()
            .filter(is_outer)
            .map(|path| text(path))
            .collect(),
    }
}

/// The identity of a workspace. That of a folder is the name in its state folder (`identity.rs`), and without one its inode with the time
/// of its birth, or with its device where the file system keeps no such time. All stay when the folder is moved; a copy, a fresh checkout
/// and another folder at the same path have others. That of several roots is that of their set, each with its access.
pub fn workspace_identity(roots: &[WorkspaceRoot], paths: &RealPaths) -> Option<WorkspaceId> {
    let (first, others) = roots.split_first()?;
    let root = paths.existing(&first.path)?;
    let mut parts = vec![paths.folder_id(&root, of_folder)?];
    let mut shown = Vec::new();
    if !others.is_empty() || first.access == Access::Read {
        parts.push(first.access.to_string());
    }
    let identified = others.iter().map(|other| {
        let path = paths.existing(&other.path)?;
        let access = other.access.as_str();
        Some((
            format!("{} {access}", paths.folder_id(&path, of_folder)?),
            format!("{} ({access})", path.display()),
        ))
    });
    let mut identified = identified.collect::<Option<Vec<_>>>()?;
    if let ([name], []) = (parts.as_slice(), identified.as_slice()) {
        return Some(identity::of_name(name, &root));
    }
    identified.sort();
    for (id, name) in identified {
        parts.push(id);
        shown.push(name);
    }
    Some(WorkspaceId {
        id: registry::digest::of_texts(parts.iter().map(String::as_str))[..16].to_owned(),
        root: root.to_string_lossy().into_owned(),
        roots: shown,
    })
}

/// The identity of the first root alone, whatever else is a root: workflows belong to it.
pub fn first_identity(roots: &[WorkspaceRoot], paths: &RealPaths) -> Option<WorkspaceId> {
    let first = roots.first()?;
    let path = paths.existing(&first.path)?;
    let name = paths.folder_id(&path, of_folder)?;
    Some(identity::of_name(&name, &path))
}

#[cfg(unix)]
pub fn of_folder(folder: &Path) -> Option<String> {
    use std::os::unix::fs::MetadataExt as _;
    let found = folder.metadata().ok()?;
    let born = found.created().ok();
    let born = born.and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
    Some(match born {
        Some(born) => format!("{} born {}", found.ino(), born.as_nanos()),
        None => format!("{} on {}", found.ino(), found.dev()),
    })
}

#[cfg(not(unix))]
pub fn of_folder(folder: &Path) -> Option<String> {
    Some(folder.to_string_lossy().into_owned())
}
