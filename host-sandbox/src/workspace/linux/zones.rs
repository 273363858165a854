//! Roots within one another: the nearest root at or above a folder decides whether the folder is written to.
//!
//! Roots are told by device and inode, so that neither another name of a root nor a rename on the way changes the answer.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use rustix::fs::{Mode, OFlags, Stat, fstat, openat};
use rustix::io::Errno;
use tool_core::{Access, Result};

use super::error;
use super::resolve::{FolderId, id_of};

/// Maximum number of folders above one that are looked at.
const ABOVE_MAX: usize = 4096;

/// The roots of a workspace with their access; empty where one root is all, and writable.
#[derive(Debug, Clone, Default)]
pub(super) struct AccessZones(Arc<Vec<(FolderId, Access)>>);

impl AccessZones {
    pub(super) fn new(roots: Vec<(FolderId, Access)>) -> Self {
        Self(Arc::new(roots))
    }

    /// Refuses to write in an open folder whose nearest root is read-only, or that has left every root.
    pub(super) fn allow(&self, folder: impl AsFd, path: &str) -> Result<()> {
        if self.0.is_empty() {
            return Ok(());
        }
        let fail = |err| error::io_error("look at", path, err);
        let mut here = open_folder(folder.as_fd(), ".").map_err(fail)?;
        let mut stat = fstat(&here).map_err(fail)?;
        for _ in 0..ABOVE_MAX {
            match self.access_of(&stat) {
                Some(Access::Write) => return Ok(()),
                Some(Access::Read) => return Err(error::read_only(path)),
                None => {}
            }
            let above = open_folder(here.as_fd(), "..").map_err(fail)?;
            let found = fstat(&above).map_err(fail)?;
            if id_of(&found) == id_of(&stat) {
                break; // the root of the file system
            }
            (here, stat) = (above, found);
        }
        Err(error::outside_workspace_error(path))
    }

    /// Refuses to remove or replace a folder that is a root.
    pub(super) fn spare(&self, stat: &Stat, path: &str) -> Result<()> {
        match self.access_of(stat) {
            Some(_) => Err(error::is_root(path)),
            None => Ok(()),
        }
    }

    /// The access in a folder that was entered from one with this access.
    pub(super) fn entered(&self, folder: &OwnedFd, above: Access) -> Result<Access, Errno> {
        if self.0.is_empty() {
            return Ok(above);
        }
        Ok(self.access_of(&fstat(folder)?).unwrap_or(above))
    }

    /// The access of a root; `None` for every other folder.
    fn access_of(&self, stat: &Stat) -> Option<Access> {
        let mut roots = self.0.iter();
        let found = roots.find(|(id, _)| *id == id_of(stat));
        found.map(|(_, access)| *access)
    }
}

fn open_folder(folder: BorrowedFd<'_>, name: &str) -> Result<OwnedFd, Errno> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    openat(folder, name, flags, Mode::empty())
}
