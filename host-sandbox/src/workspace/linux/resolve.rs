//! Path resolution: from the text of a path to an open file beneath the root. No other module resolves paths.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{
    AtFlags, CWD, Mode, OFlags, ResolveFlags, Stat, fstat, openat, openat2, readlinkat, statat,
};
use rustix::io::Errno;
use tool_core::capability::{FileCall, FileKind, fold_file_name};
use tool_core::{Result, tool_error};

use super::super::{CLOSED, is_temporary};
use super::error;
use super::stat::kind_of;

/// Maximum length of a path in bytes: the limit of the kernel without the final NUL.
const PATH_BYTES_MAX: usize = 4095;
/// Maximum parts of a path; each remains open during resolution.
pub(super) const PARTS_MAX: usize = 256;
/// Maximum links followed in one path, as in the kernel.
const LINKS_MAX: usize = 40;
/// Maximum retries of a resolution that a concurrent rename disturbs.
const ATTEMPTS_MAX: usize = 256;

const BENEATH: ResolveFlags = ResolveFlags::BENEATH.union(ResolveFlags::NO_MAGICLINKS);

/// The open root folder.
#[derive(Debug, Clone)]
pub(super) struct WorkspaceRootFd {
    fd: Arc<OwnedFd>,
    pub(super) id: FolderId,
    /// Absolute path without links when it was opened.
    pub(super) real: Arc<Path>,
    /// Closed paths in addition to [`CLOSED`], as folded parts.
    closed: Arc<Vec<Vec<String>>>,
    /// Targets of paths at the time of the decision, by the path as written.
    places: Arc<HashMap<String, String>>,
}

/// Device and inode of a folder.
pub(super) type FolderId = (u64, u64);

/// Device and inode of an examined folder.
pub(super) fn id_of(stat: &Stat) -> FolderId {
    (stat.st_dev, stat.st_ino)
}

/// Where a path leads.
pub(super) enum PathResolution {
    /// To a place beneath the root.
    Here(ResolvedPath),
    /// Out of the root: the rest as an absolute path, which may have further links.
    Beyond(PathBuf),
}

/// The target of a path.
pub(super) struct ResolvedPath {
    /// Relative to the root, without links; `.` is the root.
    pub(super) path: String,
    /// The same as raw bytes.
    pub(super) real: PathBuf,
    /// The existing file, if any.
    pub(super) stat: Option<Stat>,
}

impl WorkspaceRootFd {
    pub(super) fn open(path: &Path) -> Result<Self> {
        let refuse = |why: String, reason: &'static str, hint: &str| {
            let path = path.display();
            tool_error!(PreconditionFailed, reason;
                "the workspace `{path}` cannot be opened: {why}")
            .hint(hint)
        };
        let flags = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::CLOEXEC;
        let opened = openat(CWD, path, flags, Mode::empty())
            .and_then(|fd| fstat(&fd).map(|stat| (fd, stat)));
        const UNREADABLE: &str = "choose an existing, readable folder";
        let (fd, stat) = opened.map_err(|err| refuse(err.to_string(), "workspace", UNREADABLE))?;
        // Some sandboxes return EPERM for unknown system calls.
        let probe = OFlags::PATH | OFlags::CLOEXEC;
        openat2(&fd, ".", probe, Mode::empty(), BENEATH).map_err(|err| {
            let hint = "file tools require `openat2`: Linux 5.6 or newer, and a container that does not block it";
            refuse(format!("`openat2` does not work here ({err})"), "openat2", hint)
        })?;
        let real = path.canonicalize();
        let real = real.map_err(|err| refuse(err.to_string(), "workspace", UNREADABLE))?;
        Ok(Self {
            fd: Arc::new(fd),
            id: id_of(&stat),
            real: real.into(),
            closed: Arc::default(),
            places: Arc::default(),
        })
    }

    pub(super) fn close(&mut self, folders: Vec<Vec<String>>) {
        Arc::make_mut(&mut self.closed).extend(folders);
    }

    pub(super) fn for_call(&self, call: &FileCall) -> Self {
        Self {
            places: Arc::new(call.places.clone()),
            ..self.clone()
        }
    }

    /// The part of a path below the root. An absolute path is accepted if one of its leading folders *is* the root, by device
    /// and inode, so that neither a sibling with the same prefix nor another spelling of the root is confused with it.
    pub(super) fn relative(&self, path: &str) -> Result<String> {
        let fault = match path {
            "" => {
                return Err(
                    error::malformed_path(path, "it is empty").hint("`.` is the workspace root")
                );
            }
            _ if path.contains('\0') => "it contains a NUL character",
            _ if path.len() > PATH_BYTES_MAX => "it is longer than 4095 bytes",
            _ if normal_path_parts(path).count() > PARTS_MAX => "it has more than 256 parts",
            _ => "",
        };
        if !fault.is_empty() {
            return Err(error::malformed_path(path, fault));
        }
        if !path.starts_with('/') {
            return Ok(path.to_owned());
        }
        self.below_root(Path::new(path))
            .and_then(|rest| rest.into_os_string().into_string().ok())
            .ok_or_else(|| error::outside_workspace_error(path))
    }

    /// The rest of an absolute path after the root; `None` if the path does not pass through the root.
    fn below_root(&self, absolute: &Path) -> Option<PathBuf> {
        first_on_way(absolute, &[self.id]).map(|(_, rest)| rest)
    }

    /// Opens the target of a path, following links that remain beneath the root.
    pub(super) fn open_following(
        &self,
        relative: &str,
        flags: OFlags,
        path: &str,
    ) -> Result<OwnedFd> {
        self.allow_read(relative, path)?;
        if let Some(place) = self.places.get(path) {
            self.allow_read(place, path)?;
            return self.open_plain(place, flags).map_err(|err| match err {
                Errno::LOOP => error::target_changed(path),
                err => error::io_error("read", path, err),
            });
        }
        match self.open_plain(relative, flags) {
            // A path with a link is resolved by hand and its target opened without following links, so that
            // the checked file is the opened one.
            Err(Errno::LOOP) => {
                let place = self.locate(relative, path)?;
                self.allow_read(&place.path, path)?;
                self.open_plain(place.real, flags)
            }
            opened => opened,
        }
        .map_err(|err| error::io_error("read", path, err))
    }

    /// Refuses closed paths; a path with links is checked again after they were followed.
    pub(super) fn allow_read(&self, relative: &str, path: &str) -> Result<()> {
        let parts = leads_to(relative).unwrap_or_default();
        match parts.iter().any(|part| is_temporary(part)) {
            true => Err(error::reserved_name(path)),
            false if self.is_closed(&parts) => Err(error::closed_path(path)),
            false => Ok(()),
        }
    }

    /// The root folder, opened again.
    pub(super) fn open_top(&self, path: &str) -> Result<OwnedFd> {
        self.open_plain(".", OFlags::RDONLY | OFlags::DIRECTORY)
            .map_err(|err| error::io_error("make", path, err))
    }

    /// Whether walks omit a path without links.
    pub(super) fn is_hidden(&self, relative: &str) -> bool {
        leads_to(relative).is_some_and(|parts| {
            self.is_closed(&parts) || parts.iter().any(|part| is_temporary(part))
        })
    }

    /// Whether folded parts are closed or below a closed path.
    fn is_closed(&self, parts: &[String]) -> bool {
        parts.iter().any(|part| CLOSED.contains(&part.as_str()))
            || self.closed.iter().any(|closed| parts.starts_with(closed))
    }

    /// Opens the target of a path without links.
    pub(super) fn open_plain(
        &self,
        relative: impl AsRef<OsStr>,
        flags: OFlags,
    ) -> Result<OwnedFd, Errno> {
        let relative = relative.as_ref();
        let (flags, resolve) = (flags | OFlags::CLOEXEC, BENEATH | ResolveFlags::NO_SYMLINKS);
        for _ in 0..ATTEMPTS_MAX {
            match openat2(self.fd.as_fd(), relative, flags, Mode::empty(), resolve) {
                Err(Errno::AGAIN | Errno::INTR) => {}
                opened => return opened,
            }
        }
        Err(Errno::AGAIN)
    }

    /// Resolves a path that stays beneath the root; see [`WorkspaceRootFd::follow`].
    pub(super) fn locate(&self, relative: &str, path: &str) -> Result<ResolvedPath> {
        match self.follow(relative, path)? {
            PathResolution::Here(place) => Ok(place),
            PathResolution::Beyond(_) => Err(error::outside_workspace_error(path)),
        }
    }

    /// Resolves a path part by part: links are read and followed here, and only the folders on the path are opened.
    ///
    /// Missing last parts are accepted unchanged.
    pub(super) fn follow(&self, relative: &str, path: &str) -> Result<PathResolution> {
        let mut ahead: Vec<OsString> = parts_reversed(Path::new(relative));
        let mut trail = FolderStack {
            root: self,
            steps: Vec::new(),
        };
        let fail = |err| error::io_error("look up", path, err);
        let mut links = 0;
        while let Some(part) = ahead.pop() {
            if part == ".." {
                if !trail.up(path)? {
                    let above = self.real.parent().unwrap_or(&self.real);
                    return Ok(way_out_of_root(above, ahead));
                }
                continue;
            }
            let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let fd = match openat(trail.here(), &part, flags, Mode::empty()) {
                Ok(fd) => fd,
                Err(Errno::NOENT) => {
                    ahead.push(part);
                    return trail.missing(ahead, path).map(PathResolution::Here);
                }
                Err(err) => return Err(fail(err)),
            };
            let stat = fstat(&fd).map_err(fail)?;
            if kind_of(stat.st_mode) != FileKind::Link {
                trail.steps.push((fd, part, stat));
            } else {
                links += 1;
                if links > LINKS_MAX {
                    return Err(error::link_refused(path).hint("the links form a cycle"));
                }
                let target = readlinkat(&fd, "", Vec::new()).map_err(fail)?;
                let mut target = PathBuf::from(OsString::from_vec(target.into_bytes()));
                if target.is_absolute() {
                    let Some(below) = self.below_root(&target) else {
                        return Ok(way_out_of_root(&target, ahead));
                    };
                    target = below;
                    trail.steps.clear();
                }
                ahead.extend(parts_reversed(&target));
            }
            if ahead.len() + trail.steps.len() > PARTS_MAX {
                let why = "it leads through more than 256 parts";
                return Err(error::malformed_path(path, why));
            }
        }
        let stat = trail.steps.last().map(|(_, _, stat)| *stat);
        Ok(PathResolution::Here(ResolvedPath {
            path: trail.path(),
            real: trail.real(),
            stat,
        }))
    }
}

/// The first of several folders that an absolute path passes through, and the rest of the path after it.
pub(super) fn first_on_way(absolute: &Path, folders: &[FolderId]) -> Option<(usize, PathBuf)> {
    let mut leading = PathBuf::new();
    let mut parts = absolute.components();
    while let Some(part) = parts.next() {
        leading.push(part);
        let stat = statat(CWD, &leading, AtFlags::NO_AUTOMOUNT).ok()?;
        if let Some(index) = folders.iter().position(|id| *id == id_of(&stat)) {
            let rest = Some(parts.as_path()).filter(|rest| !rest.as_os_str().is_empty());
            return Some((index, rest.unwrap_or(Path::new(".")).to_owned()));
        }
    }
    None
}

/// The way out of a root by a folder and the parts that follow it, last first.
fn way_out_of_root(folder: &Path, ahead: Vec<OsString>) -> PathResolution {
    let mut path = folder.to_owned();
    path.extend(ahead.into_iter().rev());
    PathResolution::Beyond(path)
}

/// The open folders from the root to the current one of a resolution.
struct FolderStack<'a> {
    root: &'a WorkspaceRootFd,
    steps: Vec<(OwnedFd, OsString, Stat)>,
}

impl FolderStack<'_> {
    fn here(&self) -> BorrowedFd<'_> {
        self.steps
            .last()
            .map_or(self.root.fd.as_fd(), |(fd, _, _)| fd.as_fd())
    }

    /// Goes to the folder above; false at the root.
    fn up(&mut self, path: &str) -> Result<bool> {
        match self.steps.pop() {
            None => Ok(false),
            Some((_, _, stat)) if kind_of(stat.st_mode) != FileKind::Directory => {
                Err(error::io_error("look up", path, Errno::NOTDIR))
            }
            Some(_) => Ok(true),
        }
    }

    fn path(&self) -> String {
        match self.steps.is_empty() {
            true => ".".to_owned(),
            false => self.names().join("/"),
        }
    }

    fn names(&self) -> Vec<String> {
        self.steps
            .iter()
            .map(|(_, name, _)| escape_file_name(name))
            .collect()
    }

    fn real(&self) -> PathBuf {
        let start = self.steps.is_empty().then_some(OsStr::new("."));
        let names = self.steps.iter().map(|(_, name, _)| name.as_os_str());
        start.into_iter().chain(names).collect()
    }

    fn missing(&self, mut ahead: Vec<OsString>, path: &str) -> Result<ResolvedPath> {
        if ahead.iter().any(|part| part == "..") {
            return Err(error::io_error("look up", path, Errno::NOENT));
        }
        ahead.reverse();
        let mut names = self.names();
        names.extend(ahead.iter().map(|name| escape_file_name(name)));
        let mut real = self.real();
        real.extend(&ahead);
        Ok(ResolvedPath {
            path: names.join("/"),
            real,
            stat: None,
        })
    }
}

/// The parts of a path, last first, without `.`.
fn parts_reversed(path: &Path) -> Vec<OsString> {
    path.components()
        .rev()
        .filter(|part| !matches!(part, Component::CurDir | Component::RootDir))
        .map(|part| part.as_os_str().to_owned())
        .collect()
}

/// The parts of a path without `.` and empty ones.
pub(super) fn normal_path_parts(path: &str) -> impl Iterator<Item = &str> {
    path.split('/')
        .filter(|part| !part.is_empty() && *part != ".")
}

/// The parts of a path folded for comparison: letter case is ignored.
pub(super) fn folded_parts(path: &str) -> Vec<String> {
    normal_path_parts(path).map(fold_file_name).collect()
}

/// The folded parts of a path without links, `..` resolved; `None` if it leaves the root.
pub(super) fn leads_to(relative: &str) -> Option<Vec<String>> {
    Some(
        plain_parts(relative)?
            .into_iter()
            .map(fold_file_name)
            .collect(),
    )
}

/// As [`leads_to`], in their spelling.
pub(super) fn plain_parts(relative: &str) -> Option<Vec<&str>> {
    let mut parts = Vec::new();
    for part in normal_path_parts(relative) {
        if part == ".." {
            parts.pop()?;
        } else {
            parts.push(part);
        }
    }
    Some(parts)
}

/// A name as text; bytes that are not UTF-8 are shown as `\xNN`.
pub(super) fn escape_file_name(name: &OsStr) -> String {
    let mut text = String::with_capacity(name.len());
    for chunk in name.as_bytes().utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            text.push_str(&format!("\\x{byte:02x}"));
        }
    }
    text
}
