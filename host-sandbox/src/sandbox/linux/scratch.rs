//! The scratch folder: the only folder a command may write to, created and deleted with it.

use std::ffi::{CString, OsStr};
use std::fs::{DirBuilder, File};
use std::hash::{BuildHasher, RandomState};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, chown, lchown};
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::time::Duration;

use rustix::fs::{
    AtFlags, CWD, Dir, FileType, FlockOperation, Mode, chmodat, flock, openat, renameat, statat,
    unlinkat,
};
use rustix::io::Errno;
use rustix::process::geteuid;
use tool_core::{Result, tool_error};

use super::super::lists::{NOBODY, USERS, USERS_FROM};
use super::super::policy::UserGroup;
use crate::below::FOLDER;

/// Maximum attempts to find a free name.
const NAMES_MAX: usize = 16;

/// A folder that is deleted when this value is dropped.
#[derive(Debug)]
pub(super) struct ScratchFolder {
    path: PathBuf,
    /// Locked as long as this process lives, so that others know whose folders are left behind.
    _owned: Option<File>,
    user: Option<UserGroup>,
}

impl ScratchFolder {
    /// Creates a folder that only the user of the command can open: of a launcher of root, `owner` or a user of its own.
    pub(super) fn make(parent: &Path, owner: Option<UserGroup>) -> Result<Self> {
        let refuse = |err: std::io::Error| {
            tool_error!(SandboxUnavailable, "scratch";
                "cannot create a scratch folder in `{}`: {err}", parent.display();
                "set TMPDIR to a writable folder")
        };
        static SWEPT: Once = Once::new();
        let parent = parent.canonicalize().map_err(refuse)?;
        SWEPT.call_once(|| sweep_stale_folders(&parent));
        let mut last = None;
        for attempt in 0..NAMES_MAX {
            let random = RandomState::new().hash_one(attempt);
            let path = parent.join(format!("mathchain-{random:016x}"));
            match DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => {
                    let owned = File::open(&path).ok();
                    if let Some(folder) = &owned {
                        let _ = flock(folder, FlockOperation::NonBlockingLockExclusive); // it is new
                    }
                    let mut scratch = Self {
                        path,
                        _owned: owned,
                        user: None,
                    };
                    if geteuid().is_root() {
                        let user = change_owner(&scratch.path, owner, random).map_err(refuse)?;
                        scratch.user = Some(user);
                    }
                    return Ok(scratch);
                }
                Err(err) if err.kind() == std::io::ErrorKind::AlreadyExists => last = Some(err),
                Err(err) => return Err(refuse(err)),
            }
        }
        Err(refuse(last.unwrap_or_else(|| {
            std::io::Error::other("every name is taken")
        })))
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Gives another folder with all that is in it to the user of the command, if that is not the caller.
    pub(super) fn give(&self, folder: &Path) -> Result<()> {
        let Some(UserGroup { user, group }) = self.user else {
            return Ok(());
        };
        let refuse = |err: std::io::Error| tool_error!(SandboxUnavailable, "exchange"; "cannot give `{}` to the command: {err}", folder.display());
        let mut waiting = vec![folder.to_owned()];
        while let Some(path) = waiting.pop() {
            lchown(&path, Some(user), Some(group)).map_err(refuse)?;
            if path.symlink_metadata().map_err(refuse)?.is_dir() {
                for entry in std::fs::read_dir(&path).map_err(refuse)? {
                    waiting.push(entry.map_err(refuse)?.path());
                }
            }
        }
        Ok(())
    }

    /// The owner, if it is not the caller.
    pub(super) fn user(&self) -> Option<UserGroup> {
        self.user
    }
}

/// Removes the folders below a parent that processes of this user left behind when they were killed: scratch folders, and those of agents,
/// which may contain copies of logins.
pub fn sweep_stale_folders(parent: &Path) {
    /// A process that makes a folder locks it at once.
    const YOUNG: Duration = Duration::from_secs(60);
    let own = geteuid();
    for entry in std::fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let number = name.to_str().and_then(|name| {
            let rest = name.strip_prefix("mathchain-")?;
            Some(rest.strip_prefix("agent-").unwrap_or(rest))
        });
        let hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if !number.is_some_and(|number| number.len() == 16 && number.bytes().all(hex)) {
            continue;
        }
        // A link in its place is not followed.
        let Ok(found) = entry.metadata() else {
            continue;
        };
        // The folders of a process of root belong to the users of its commands.
        let is_own = found.uid() == own.as_raw() || own.is_root();
        let age = found.modified().ok().and_then(|time| time.elapsed().ok());
        if !found.is_dir() || !is_own || age.is_none_or(|age| age < YOUNG) {
            continue;
        }
        let locked = File::open(entry.path())
            .is_ok_and(|folder| flock(&folder, FlockOperation::NonBlockingLockExclusive).is_err());
        if !locked {
            let _ = remove_scratch_tree(&entry.path()); // it stays until the next time
        }
    }
}

/// Changes the owner of the folder.
fn change_owner(path: &Path, owner: Option<UserGroup>, random: u64) -> std::io::Result<UserGroup> {
    let to = |owner: UserGroup| chown(path, Some(owner.user), Some(owner.group)).map(|()| owner);
    let alone = |user| UserGroup { user, group: user };
    match owner {
        Some(owner) => to(owner),
        None => to(alone(USERS_FROM + (random % u64::from(USERS)) as u32))
            .or_else(|_| to(alone(NOBODY))),
    }
}

impl Drop for ScratchFolder {
    /// Errors are ignored: a destructor cannot report them.
    fn drop(&mut self) {
        let _ = remove_scratch_tree(&self.path);
    }
}

/// Deletes a tree without recursion, since a command may have nested folders deeper than any stack. Nested folders are first
/// moved to the top. No other process writes here any more.
fn remove_scratch_tree(path: &Path) -> Result<(), Errno> {
    let top = open_subfolder(CWD, path.as_os_str())?;
    let mut waiting: Vec<CString> = vec![c".".into()];
    let mut moved = 0_u64;
    while let Some(name) = waiting.pop() {
        let folder = open_subfolder(&top, OsStr::from_bytes(name.as_bytes()))?;
        let at_top = name.as_bytes() == b".";
        for entry in Dir::read_from(&folder)? {
            let entry = entry?;
            let entry = entry.file_name();
            if matches!(entry.to_bytes(), b"." | b"..") {
                continue;
            }
            let stat = statat(&folder, entry, AtFlags::SYMLINK_NOFOLLOW)?;
            if FileType::from_raw_mode(stat.st_mode) != FileType::Directory {
                unlinkat(&folder, entry, AtFlags::empty())?;
                continue;
            }
            // Without these permissions it can be neither opened nor moved.
            chmodat(&folder, entry, Mode::RWXU, AtFlags::empty())?;
            if at_top {
                waiting.push(entry.to_owned());
                continue;
            }
            let name = loop {
                moved += 1;
                let name = CString::new(format!("moved-{moved:x}")).map_err(|_| Errno::INVAL)?;
                match statat(&top, &name, AtFlags::SYMLINK_NOFOLLOW) {
                    Err(Errno::NOENT) => break name,
                    Ok(_) => {}
                    Err(err) => return Err(err),
                }
            };
            renameat(&folder, entry, &top, &name)?;
            waiting.push(name);
        }
        if !at_top {
            unlinkat(&top, &name, AtFlags::REMOVEDIR)?;
        }
    }
    unlinkat(CWD, path, AtFlags::REMOVEDIR)
}

fn open_subfolder(parent: impl AsFd, name: &OsStr) -> Result<OwnedFd, Errno> {
    openat(parent, name, FOLDER, Mode::empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(
        clippy::disallowed_methods,
        reason = "the age of a folder is what is tested"
    )]
    fn folders_of_killed_processes_are_removed() {
        let parent = tempfile::tempdir().unwrap();
        let old = std::time::SystemTime::now() - Duration::from_secs(7200);
        let make = |name: &str| {
            let path = parent.path().join(name);
            std::fs::create_dir_all(path.join("home")).unwrap();
            File::open(&path).unwrap().set_modified(old).unwrap();
            path
        };
        let left = [
            make("mathchain-00000000000000ab"),
            make("mathchain-agent-00000000000000ab"),
        ];
        let kept = [
            make("mathchain-mine"),
            make("other-00000000000000ab"),
            make("mathchain-00000000000000cd"),
        ];
        let lock = File::open(&kept[2]).unwrap();
        flock(&lock, FlockOperation::LockExclusive).unwrap();
        let young = parent.path().join("mathchain-00000000000000ef");
        std::fs::create_dir(&young).unwrap();
        sweep_stale_folders(parent.path());
        assert!(left.iter().all(|path| !path.exists()));
        assert!(kept.iter().all(|path| path.exists()) && young.exists());
    }

    #[test]
    fn a_deep_and_locked_folder_disappears() {
        let parent = tempfile::tempdir().unwrap();
        let scratch = ScratchFolder::make(parent.path(), None).unwrap();
        let mut here = open_subfolder(CWD, scratch.path().as_os_str()).unwrap();
        for _ in 0..2000 {
            rustix::fs::mkdirat(&here, "d", Mode::RWXU).unwrap();
            rustix::fs::symlinkat("/etc", &here, "link").unwrap();
            here = open_subfolder(&here, OsStr::new("d")).unwrap();
        }
        drop(here);
        chmodat(
            CWD,
            scratch.path().join("d"),
            Mode::empty(),
            AtFlags::empty(),
        )
        .unwrap();
        let path = scratch.path().to_owned();
        drop(scratch);
        assert!(!path.exists());
        assert!(Path::new("/etc").exists());
    }
}
