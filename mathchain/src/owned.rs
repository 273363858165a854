//! Files that determine permissions: missing, or readable and owned by this user or root; anything else is an error.

use std::fs::{File, Metadata};
use std::io::Read as _;
use std::path::Path;
use std::sync::OnceLock;

use tool_core::{Result, ToolError, tool_error};

/// The owner of the configuration named on the command line, which is trusted too.
static TRUSTED: OnceLock<u32> = OnceLock::new();

/// Trusts the owner of a file, for this and other files.
pub fn trust_owner_of(path: &Path) {
    if let Some(owner) = path.metadata().ok().and_then(|found| owner_id(&found)) {
        let _ = TRUSTED.set(owner); // one command names one configuration
    }
}

/// The most that is reserved for a file by its size, in bytes.
const SIZE_MOST: usize = 1 << 20;

/// The content of a file; `None` if it does not exist.
///
/// # Errors
/// `invalid_request` for anything but a regular file of this user or of root that can be read.
pub fn read_owned_file(path: &Path) -> Result<Option<String>> {
    let Some((mut file, size)) = open_owned_file(path)? else {
        return Ok(None);
    };
    let mut text = String::with_capacity(usize::try_from(size).unwrap_or(0).min(SIZE_MOST) + 1);
    // Its size is known: a file itself would be asked for it again.
    let read = file.by_ref().take(u64::MAX).read_to_string(&mut text);
    read.map_err(|err| unusable_file_error(path, &format!("cannot be read: {err}")))?;
    Ok(Some(text))
}

/// As [`read_owned_file`], but gives the open file and its size.
pub fn open_owned_file(path: &Path) -> Result<Option<(File, u64)>> {
    let Some(named) = owned_metadata(path)? else {
        return Ok(None);
    };
    let cannot = |err: std::io::Error| match err.kind() {
        std::io::ErrorKind::NotFound if path.is_symlink() => {
            unusable_file_error(path, "is a dangling link")
        }
        _ => unusable_file_error(path, &format!("cannot be read: {err}")),
    };
    // Opening a pipe could block.
    if !named.is_file() {
        require_regular_file(path, &path.metadata().map_err(cannot)?)?;
    }
    let file = File::open(path).map_err(cannot)?;
    let found = file.metadata().map_err(cannot)?;
    require_regular_file(path, &found)?;
    of_this_user(path, &found)?;
    Ok(Some((file, found.len())))
}

/// Whether a file exists, dangling links included.
///
/// # Errors
/// A path that cannot be examined, or a file or link of another user.
pub fn is_present(path: &Path) -> Result<bool> {
    owned_metadata(path).map(|found| found.is_some())
}

/// What a name is, a link itself where it is one; `None` if it does not exist.
///
/// # Errors
/// As [`is_present`].
fn owned_metadata(path: &Path) -> Result<Option<Metadata>> {
    use std::io::ErrorKind::{NotADirectory, NotFound};
    match path.symlink_metadata() {
        Ok(found) => of_this_user(path, &found).map(|()| Some(found)),
        Err(err) if matches!(err.kind(), NotFound | NotADirectory) => Ok(None),
        Err(err) if err.kind() == std::io::ErrorKind::PermissionDenied => Err(of_another(path)),
        Err(err) => Err(unusable_file_error(
            path,
            &format!("cannot be examined: {err}"),
        )),
    }
}

/// The error for a file in a folder that this user may not enter.
fn of_another(path: &Path) -> ToolError {
    let folders = path.ancestors().skip(1);
    let mut known = folders.filter_map(|folder| Some((folder, folder.metadata().ok()?)));
    let owner = known
        .next()
        .and_then(|(folder, found)| Some((folder, owner_id(&found)?)));
    match owner {
        Some((folder, owner)) if owner != this_user() => tool_error!(InvalidRequest, "owner";
            "`{}` belongs to another user (id {owner}), and this one may not read it", folder.display();
            "ask that user for a key (`mathchain keys create NAME`) and call over HTTP, or use a state folder of your own"),
        _ => unusable_file_error(path, "cannot be examined: permission denied"),
    }
}

fn require_regular_file(path: &Path, found: &Metadata) -> Result<()> {
    if found.is_file() {
        return Ok(());
    }
    let kind = match found.is_dir() {
        true => "a folder",
        false => "a pipe, socket or device",
    };
    let why = format!("is {kind}, expected a regular file");
    Err(unusable_file_error(path, &why))
}

/// Refuses a file of another user.
///
/// # Errors
/// `invalid_request` with the owner's id and a fix.
pub fn of_this_user(path: &Path, found: &Metadata) -> Result<()> {
    match owner_id(found) {
        Some(owner) if !is_accepted_owner(owner, this_user(), TRUSTED.get().copied()) => {
            Err(tool_error!(InvalidRequest, "owner";
                "`{}` belongs to another user (id {owner}), who could grant permissions to tools", path.display();
                "change its owner, or trust the owner of a configuration by naming it with --config"))
        }
        _ => Ok(()),
    }
}

/// Root is trusted always, another user only as owner of the named configuration.
fn is_accepted_owner(owner: u32, this_user: u32, trusted: Option<u32>) -> bool {
    owner == 0 || owner == this_user || Some(owner) == trusted
}

/// An error about a file.
pub fn unusable_file_error(path: &Path, why: &str) -> ToolError {
    tool_error!(InvalidRequest, "configuration"; "`{}` {why}", path.display();
        "repair or remove it: restrictions in it must not be ignored")
}

#[cfg(unix)]
fn owner_id(found: &Metadata) -> Option<u32> {
    Some(std::os::unix::fs::MetadataExt::uid(found))
}

#[cfg(unix)]
fn this_user() -> u32 {
    /// No part of this program changes its user.
    static USER: OnceLock<u32> = OnceLock::new();
    *USER.get_or_init(|| rustix::process::geteuid().as_raw())
}

#[cfg(not(unix))]
fn owner_id(_: &Metadata) -> Option<u32> {
    None
}

#[cfg(not(unix))]
fn this_user() -> u32 {
    0
}

#[cfg(test)]
mod tests {
    use super::is_accepted_owner;

    #[test]
    fn root_is_believed_by_all_and_others_only_when_named() {
        for (owner, this_user, trusted, expected) in [
            (1000, 1000, None, true),
            (0, 1000, None, true),
            (1001, 1000, None, false),
            (1000, 0, None, false),
            (1000, 0, Some(1000), true),
            (1001, 0, Some(1000), false),
        ] {
            assert_eq!(
                is_accepted_owner(owner, this_user, trusted),
                expected,
                "{owner} {this_user}"
            );
        }
    }
}
