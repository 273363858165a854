//! Commands that change folders of the workspace: their user, and what stays read-only within these folders.
//!
//! The paths are read here by name, before the command. The launcher opens them beneath a root and mounts them, so that a link that
//! takes a place meanwhile grants nothing.

use std::collections::BTreeSet;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path, PathBuf};

use tool_core::command::SandboxCommand;
use tool_core::{Result, StopFlag, tool_error};

use super::super::SandboxEnvironment;
use super::super::policy::UserGroup;
use super::path_to_utf8;
use crate::below::{WalkStep, visit_tree};
use crate::workspace::{protected_below, protected_in};

/// The owner of the first writable folder, as which a launcher of root runs the command.
pub(super) fn writable_folder_owner(
    surroundings: &SandboxEnvironment,
    command: &SandboxCommand,
) -> Option<UserGroup> {
    let folder = absolute_folder_path(surroundings, command, command.writable.first()?)?;
    let found = folder.symlink_metadata().ok()?;
    Some(UserGroup {
        user: found.uid(),
        group: found.gid(),
    })
}

/// What stays read-only: the paths that the command names, and those below its folders that tools never write.
pub(super) fn read_only_paths(
    surroundings: &SandboxEnvironment,
    command: &SandboxCommand,
    stop: &StopFlag,
) -> Result<Vec<String>> {
    let mut kept = relative_to_directory(command, &command.kept);
    let named = command.writable.iter();
    let folders: Vec<PathBuf> = named
        .filter_map(|name| absolute_folder_path(surroundings, command, name))
        .collect();
    for folder in &folders {
        let protected = surroundings.protected.iter();
        let within = protected.filter(|path| path.starts_with(folder) && path.exists());
        let mut found: Vec<PathBuf> = within.cloned().collect();
        let complete = folder.ends_with(".git")
            || visit_tree(folder, &mut |path, name, is_folder| {
                if folders.iter().any(|other| path == other) || stop.is_set() {
                    return WalkStep::Beside;
                }
                if protected_in(path, name, is_folder) {
                    found.push(path.to_owned());
                    return WalkStep::Beside;
                }
                WalkStep::Into
            });
        stop.check()?;
        if !complete {
            return Err(tool_error!(LimitExceeded, "entries";
                "`{}` has more than 2000000 entries, too many to protect those that no command changes", folder.display();
                "choose a smaller folder"));
        }
        for path in found {
            kept.push(path_to_utf8(&path)?);
        }
    }
    Ok(kept)
}

/// The folders that are there of those in which the configuration lets programs write.
pub(super) fn configured_write_folders(surroundings: &SandboxEnvironment) -> Vec<String> {
    let there = |folder: &&PathBuf| folder.symlink_metadata().is_ok_and(|found| found.is_dir());
    let folders = surroundings.writable.iter().filter(there);
    folders
        .filter_map(|folder| folder.to_str().map(str::to_owned))
        .collect()
}

/// What tools never write, in the folders of the configuration that a command may write.
pub(super) fn find_protected_paths(
    surroundings: &SandboxEnvironment,
    command: &SandboxCommand,
) -> BTreeSet<PathBuf> {
    let opened = surroundings.writable.iter();
    let named = |folder: &&PathBuf| {
        let mut writable = command.writable.iter();
        writable.any(|name| Path::new(name) == folder.as_path())
    };
    let below = opened.filter(named);
    below
        .flat_map(|folder| protected_below(folder, &surroundings.protected))
        .collect()
}

/// Renames what the command made there, so that it is not found by its name; nothing is lost.
///
/// # Errors
/// `policy_denied` with the path.
pub(super) fn set_aside(
    surroundings: &SandboxEnvironment,
    command: &SandboxCommand,
    before: &BTreeSet<PathBuf>,
) -> Result<()> {
    let now = find_protected_paths(surroundings, command);
    let new: Vec<&PathBuf> = now.difference(before).collect();
    let mut renamed = None;
    for path in &new {
        let mut free = (0..u32::MAX).map(|number| {
            let mut name = path.as_os_str().to_owned();
            name.push(format!(".set-aside-{number}"));
            PathBuf::from(name)
        });
        let free = free.find(|path| path.symlink_metadata().is_err());
        if let Some(free) = free.filter(|free| std::fs::rename(path, free).is_ok()) {
            renamed.get_or_insert(free);
        }
    }
    let Some(first) = new.first() else {
        return Ok(());
    };
    let done = match &renamed {
        Some(free) => format!("it was renamed to `{}`", free.display()),
        None => "it cannot be renamed".to_owned(),
    };
    let error = tool_error!(PolicyDenied, "protected_path";
        "the program made `{}`, a name that no program may use: {done}", first.display();
        "configuration, `.git` and state are made by hand");
    Err(error.may_have_happened())
}

/// Paths relative to the working folder, named as it is; an absolute name stays.
pub(super) fn relative_to_directory(command: &SandboxCommand, paths: &[String]) -> Vec<String> {
    let joined = |path: &String| match command.directory.as_str() {
        _ if path.starts_with('/') => path.clone(),
        "" => path.clone(),
        folder => format!("{folder}/{path}"),
    };
    paths.iter().map(joined).collect()
}

/// The absolute path of a folder that is relative to the working folder, by its text.
fn absolute_folder_path(
    surroundings: &SandboxEnvironment,
    command: &SandboxCommand,
    path: &str,
) -> Option<PathBuf> {
    let root = surroundings.workspace.as_deref()?;
    // An absolute name replaces the root.
    let whole = root.join(&command.directory).join(path);
    let mut place = PathBuf::new();
    for part in whole.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(place.pop()),
            part => place.push(part),
        }
    }
    Some(place)
}
