//! Transactions of several changes: every new content is synced beside its target before the first exchange of names, and each
//! old file is retained under another name until the last change. A failure is rolled back in reverse order.
//!
//! Names are exchanged atomically, so that the old or the new file always exists. A power cut between two exchanges can leave
//! some files new and some old, and files named `.mathchain-*.tmp`; so can a kill, after which the probe of the call restores the
//! old files and removes the others (`files::evidence`).

use std::fs::File;
use std::io::Read;
use std::os::fd::{AsFd, BorrowedFd};

use rustix::fs::{
    AtFlags, Mode, RenameFlags, Stat, fchmod, fstat, fsync, linkat, openat, renameat,
    renameat_with, statat, unlinkat,
};
use rustix::io::Errno;
use tool_core::Result;
use tool_core::capability::{FileChange, FileInfo, FileKind};

use super::leftovers::{TemporaryFile, fresh_name};
use super::resolve::normal_path_parts;
use super::stat::{file_info, kind_of};
use super::write::{CreatedFolders, WriteTarget, make_below, name_if_free};
use super::{READ, Workspace, error};

/// Applies changes, each with the workspace that has its path, and the path there.
pub(super) fn apply_changes(changes: &[(&Workspace, &str, &FileChange)]) -> Result<Vec<FileInfo>> {
    let mut transaction = FileTransaction::default();
    for (workspace, path, change) in changes {
        transaction.prepare(workspace, path, change)?;
    }
    for step in &mut transaction.steps {
        step.apply()?;
    }
    for step in &transaction.steps {
        step.target.sync_folder()?;
    }
    transaction.finish()
}

/// Maximum new files without a name before the exchange.
const OPEN_MAX: usize = 64;

/// A transaction; dropping it unfinished rolls everything back.
#[derive(Default)]
struct FileTransaction<'a> {
    steps: Vec<TransactionStep<'a>>,
    made: CreatedFolders,
}

struct TransactionStep<'a> {
    target: WriteTarget<'a>,
    change: &'a FileChange,
    before: Option<Stat>,
    after: Option<Stat>,
    /// The new content, until it has its final name.
    new: Option<TemporaryFile>,
    state: TargetState,
}

/// State of the target.
enum TargetState {
    Untouched,
    /// The new file has the name.
    Created,
    /// The old file has this name; the target may be the new file.
    Kept(String),
}

impl<'a> FileTransaction<'a> {
    fn prepare(
        &mut self,
        workspace: &Workspace,
        path: &'a str,
        change: &'a FileChange,
    ) -> Result<()> {
        if matches!(change, FileChange::Create { .. }) {
            self.make_parents(workspace, path)?;
        }
        let target = WriteTarget::find(workspace, path)?;
        let before = target.there()?;
        match (change, &before) {
            (FileChange::Create { .. }, Some(_)) => return Err(target.exists()),
            (FileChange::Replace { .. } | FileChange::Delete { .. }, None) => {
                return Err(error::io_error("change", path, Errno::NOENT));
            }
            _ => {}
        }
        let too_many = self.steps.len() >= OPEN_MAX;
        // From here on, dropping the transaction removes the files of this step.
        let step = self.steps.push_mut(TransactionStep {
            target,
            change,
            before,
            after: None,
            new: None,
            state: TargetState::Untouched,
        });
        step.write_new()?;
        if let Some(new) = step.new.as_mut().filter(|_| too_many) {
            new.close().map_err(|err| step.target.fail(err))?;
        }
        Ok(())
    }

    fn make_parents(&mut self, workspace: &Workspace, path: &str) -> Result<()> {
        let relative = workspace.writable(path)?;
        let parts: Vec<&str> = normal_path_parts(&relative).collect();
        match parts.split_last() {
            Some((_, folders)) if !folders.contains(&"..") => {
                let root = workspace.root.open_top(path)?;
                let (folders, made) = (folders.join("/"), &mut self.made);
                make_below(&workspace.zones, root, &folders, path, made).map(|_| ())
            }
            _ => Ok(()), // refused as the name of a file, or checked once the folder exists
        }
    }

    fn finish(mut self) -> Result<Vec<FileInfo>> {
        let steps = std::mem::take(&mut self.steps);
        self.made.0.clear();
        let mut found = Vec::with_capacity(steps.len());
        for step in steps {
            if let TargetState::Kept(old) = &step.state {
                // The change is complete; an old file that cannot be removed is a leftover, not a failure.
                let _ = unlinkat(&*step.target.folder, old.as_str(), AtFlags::empty());
                let _ = fsync(&*step.target.folder);
            }
            let stat = match step.change {
                FileChange::Delete { .. } => step.before,
                _ => step.after,
            };
            found.extend(stat.map(|stat| file_info(step.target.shown.clone(), &stat)));
        }
        Ok(found)
    }
}

impl Drop for FileTransaction<'_> {
    fn drop(&mut self) {
        for step in self.steps.iter_mut().rev() {
            step.undo();
        }
    }
}

impl TransactionStep<'_> {
    fn folder(&self) -> BorrowedFd<'_> {
        self.target.folder.as_fd()
    }

    fn write_new(&mut self) -> Result<()> {
        let (content, mode) = match self.change {
            FileChange::Create { content, mode, .. } => (content, *mode),
            FileChange::Replace { content, .. } => (content, None),
            FileChange::Delete { .. } => return Ok(()),
        };
        let before = self.before.as_ref();
        let mut new = self.target.new_file(before)?;
        if let Some(mode) = mode {
            let mode = Mode::from_raw_mode(mode & 0o777);
            let set = new.file().and_then(|file| fchmod(&*file, mode));
            set.map_err(|err| self.target.fail(err))?;
        }
        self.after = Some(self.target.fill(&mut new, content, before)?);
        self.new = Some(new);
        Ok(())
    }

    fn apply(&mut self) -> Result<()> {
        match self.change {
            FileChange::Create { .. } => self.create(),
            FileChange::Replace { before, .. } => {
                self.exchange()?;
                self.check_old(before)
            }
            FileChange::Delete { before, .. } => {
                self.move_away()?;
                self.check_old(before)
            }
        }
    }

    fn create(&mut self) -> Result<()> {
        if let Some(new) = self.new.take() {
            let named = new.name_if_free(&self.target.name);
            named.map_err(|err| self.target.taken_or_failed(err))?;
            self.state = TargetState::Created;
        }
        Ok(())
    }

    /// Gives the new file the name of the old one, which gets another name.
    fn exchange(&mut self) -> Result<()> {
        let Some(mut new) = self.new.take() else {
            return Ok(());
        };
        let kept = self.exchange_with(&mut new);
        let kept = kept.map_err(|err| self.target.fail(err))?;
        new.leave();
        self.state = TargetState::Kept(kept);
        Ok(())
    }

    fn exchange_with(&self, new: &mut TemporaryFile) -> Result<String, Errno> {
        let temporary = new.named()?;
        let (folder, name) = (self.folder(), self.target.name.as_str());
        let exchanged = renameat_with(folder, &*temporary, folder, name, RenameFlags::EXCHANGE);
        match exchanged {
            Ok(()) => Ok(temporary),
            // Without exchange in the file system, the old file gets a second name first.
            Err(Errno::INVAL | Errno::NOSYS) => {
                let old = fresh_name(&self.target.temporary);
                linkat(folder, name, folder, old.as_str(), AtFlags::empty())?;
                renameat(folder, &*temporary, folder, name).inspect_err(|_| {
                    let _ = unlinkat(folder, old.as_str(), AtFlags::empty());
                })?;
                Ok(old)
            }
            Err(err) => Err(err),
        }
    }

    fn move_away(&mut self) -> Result<()> {
        let old = fresh_name(&self.target.temporary);
        let folder = self.folder();
        renameat(folder, self.target.name.as_str(), folder, old.as_str())
            .map_err(|err| error::io_error("delete", self.target.path, err))?;
        self.state = TargetState::Kept(old);
        Ok(())
    }

    /// Whether the replaced file is the one the change was prepared for.
    fn check_old(&self, before: &[u8]) -> Result<()> {
        let TargetState::Kept(old) = &self.state else {
            return Ok(());
        };
        let opened = openat(self.folder(), old.as_str(), READ, Mode::empty());
        let fd = opened.map_err(|_| error::file_changed(self.target.path))?;
        let stat = fstat(&fd).map_err(|err| self.target.fail(err))?;
        let same = kind_of(stat.st_mode) == FileKind::File
            && stat.st_size as u64 == before.len() as u64
            && has_content(File::from(fd), before)
                .map_err(|err| error::of_std("read", self.target.path, &err))?;
        match same {
            true => Ok(()),
            false => Err(error::file_changed(self.target.path)),
        }
    }

    /// Errors are ignored in favour of the original failure; a file is left under a second name rather than lost.
    fn undo(&mut self) {
        let (folder, name) = (self.folder(), self.target.name.as_str());
        match &self.state {
            TargetState::Untouched => {}
            TargetState::Created => {
                // Only our own file: another program may have replaced it.
                let identity = |stat: Stat| (stat.st_dev, stat.st_ino);
                let now = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).map(identity);
                if now
                    .ok()
                    .is_some_and(|now| self.after.map(identity) == Some(now))
                {
                    let _ = unlinkat(folder, name, AtFlags::empty());
                }
            }
            TargetState::Kept(old) => match self.change {
                FileChange::Replace { .. } => {
                    let _ = renameat(folder, old.as_str(), folder, name);
                }
                _ => {
                    let _ = name_if_free(folder, old, name);
                }
            },
        }
        self.state = TargetState::Untouched;
        self.new = None;
        let _ = fsync(&*self.target.folder);
    }
}

fn has_content(mut file: File, content: &[u8]) -> std::io::Result<bool> {
    let mut buffer = [0; 64 << 10];
    let mut rest = content;
    loop {
        let count = file.read(&mut buffer)?;
        if count == 0 {
            return Ok(rest.is_empty());
        }
        match rest.strip_prefix(&buffer[..count]) {
            Some(after) => rest = after,
            None => return Ok(false),
        }
    }
}
