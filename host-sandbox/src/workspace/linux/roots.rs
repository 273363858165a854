//! [`MountTable`]: a workspace of several folders, each confined on its own.
//!
//! Relative paths start from the first root. Everything at or below it has a name relative to it, everything in another root an
//! absolute one, so that each file has one name. A root within another adds no names: it decides what is written (`zones`). A link
//! from one root to another is followed for reading, as a link within one is: its target is then named, judged and opened in its own
//! root.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tool_core::capability::{
    DiskSpace, DraftFolder, FileCall, FileChange, FileContent, FileInfo, FileKind, FileReader,
    LinkMode, WorkspaceFiles, WriteMode,
};
use tool_core::{Access, Reason, ResourceId, Result, StopFlag, ToolError, tool_error};

use super::super::{PROTECTED, WorkspaceRoot};
use super::resolve::{PathResolution, WorkspaceRootFd, first_on_way, normal_path_parts};
use super::zones::AccessZones;
use super::{Workspace, change, error};

/// Maximum number of roots that one path leads through.
const HOPS_MAX: usize = 40;

/// Opens the folders of a workspace. `protected` and `closed` are absolute paths without links: those in a root are never written to,
/// and closed ones never read.
///
/// # Errors
/// `precondition_failed` with reason `workspace` for a folder that cannot be opened, is given twice, or is `/` beside others; and where
/// the first lies within another.
pub fn open_workspace(
    folders: &[WorkspaceRoot],
    protected: &[PathBuf],
    closed: &[PathBuf],
) -> Result<Arc<dyn WorkspaceFiles>> {
    let opened = folders
        .iter()
        .map(|folder| WorkspaceRootFd::open(&folder.path));
    let opened = opened.collect::<Result<Vec<WorkspaceRootFd>>>()?;
    check_roots(&opened)?;
    let access = folders.iter().map(|folder| folder.access);
    let roots: Vec<_> = opened.iter().map(|root| root.id).zip(access).collect();
    let zones = match roots.as_slice() {
        [(_, Access::Write)] => AccessZones::default(),
        _ => AccessZones::new(roots),
    };
    let mut mounts = Vec::new();
    for root in &opened {
        let mut around = opened.iter().filter(|other| other.id != root.id);
        if around.any(|other| root.real.starts_with(&other.real)) {
            continue;
        }
        // Names protected at a root are so at the roots within it.
        let within = opened.iter().filter(|r| r.real.starts_with(&root.real));
        let of_roots = within.flat_map(|r| PROTECTED.iter().map(|name| r.real.join(name)));
        let protected: Vec<PathBuf> = protected.iter().cloned().chain(of_roots).collect();
        let (protected, closed) = (
            paths_under_root(&protected, &root.real),
            paths_under_root(closed, &root.real),
        );
        let protected: Vec<&str> = protected.iter().map(String::as_str).collect();
        let closed: Vec<&str> = closed.iter().map(String::as_str).collect();
        let files = Workspace::of_root(root.clone(), &protected).close(&closed);
        let files = Workspace {
            zones: zones.clone(),
            ..files
        };
        mounts.push(RootMount {
            name: match mounts.is_empty() {
                true => String::new(),
                false => name_of(&root.real)?,
            },
            files,
        });
    }
    if mounts.len() == 1 {
        let only = mounts.remove(0);
        return Ok(Arc::new(only.files));
    }
    Ok(Arc::new(MountTable {
        mounts,
        routes: Arc::default(),
    }))
}

/// Refuses sets of roots in which a file could have two names or accesses.
fn check_roots(roots: &[WorkspaceRootFd]) -> Result<()> {
    const HINT: &str = "`[workspace] roots` in the configuration lists the roots";
    let refuse = |what: String| tool_error!(PreconditionFailed, "workspace"; "{what}"; "{HINT}");
    for (index, root) in roots.iter().enumerate() {
        let shown = root.real.display();
        if roots.len() > 1 && root.real.parent().is_none() {
            return Err(refuse(format!(
                "`{shown}` cannot be one of several roots: it contains the others"
            )));
        }
        if roots[..index].iter().any(|other| other.id == root.id) {
            return Err(refuse(format!("the root `{shown}` is given twice")));
        }
        if index > 0 && roots[0].real.starts_with(&root.real) {
            let first = roots[0].real.display();
            return Err(refuse(format!(
                "the first root `{first}` lies within the root `{shown}`: name the outer one first"
            )));
        }
    }
    Ok(())
}

fn name_of(root: &Path) -> Result<String> {
    root.to_str().map(str::to_owned).ok_or_else(|| {
        tool_error!(PreconditionFailed, "workspace"; "the path of the root `{}` is not UTF-8", root.display();
            "rename the folder: files in it are named by its path")
    })
}

/// The paths below a root, relative to it.
fn paths_under_root(paths: &[PathBuf], root: &Path) -> Vec<String> {
    let relative = |path: &PathBuf| path.strip_prefix(root).ok()?.to_str().map(str::to_owned);
    paths.iter().filter_map(relative).collect()
}

/// One of the roots that lie within no other.
#[derive(Debug, Clone)]
struct RootMount {
    /// The name of the root: absolute, and empty for the first root.
    name: String,
    files: Workspace,
}

impl RootMount {
    /// The name of a file in the workspace, by its path relative to this root.
    fn named(&self, path: String) -> String {
        match (self.name.as_str(), path.as_str()) {
            ("", _) => path,
            (name, ".") => name.to_owned(),
            (name, path) => format!("{name}/{path}"),
        }
    }

    fn told(&self, info: FileInfo) -> FileInfo {
        FileInfo {
            path: self.named(info.path),
            ..info
        }
    }
}

/// The files of several roots.
#[derive(Debug)]
struct MountTable {
    /// The first root, then the others that lie within no other.
    mounts: Vec<RootMount>,
    /// Of one call: where each of its paths led when it was decided.
    routes: Arc<HashMap<String, MountRoute>>,
}

/// The root that a path leads to, and the path to use there.
#[derive(Debug, Clone)]
struct MountRoute {
    mount: usize,
    path: String,
    /// Whether a link leads from the root where the path begins to another.
    by_link: bool,
}

impl MountTable {
    /// The root in which a path begins, by its text.
    fn begin(&self, path: &str) -> MountRoute {
        let here = |mount, path: &str| MountRoute {
            mount,
            path: path.to_owned(),
            by_link: false,
        };
        let Some(absolute) = self.absolute(path) else {
            return here(0, path);
        };
        let ids: Vec<_> = (self.mounts.iter())
            .map(|mount| mount.files.root.id)
            .collect();
        match first_on_way(Path::new(&absolute), &ids) {
            Some((mount, _)) => here(mount, &absolute),
            None => here(0, path), // which refuses it
        }
    }

    /// A path that does not begin in the first root, as an absolute one: one that is absolute, or begins with `..`.
    fn absolute(&self, path: &str) -> Option<String> {
        if path.starts_with('/') {
            return Some(path.to_owned());
        }
        let mut parts = normal_path_parts(path).peekable();
        parts.peek().filter(|first| **first == "..")?;
        let mut found = self.mounts[0].files.root.real.to_path_buf();
        while parts.next_if_eq(&"..").is_some() {
            found.pop();
        }
        found.extend(parts);
        found.to_str().map(str::to_owned)
    }

    fn route(&self, path: &str) -> MountRoute {
        let known = self.routes.get(path).cloned();
        known.unwrap_or_else(|| self.begin(path))
    }

    /// Runs an operation that follows no link.
    fn plainly<T>(
        &self,
        path: &str,
        operation: impl FnOnce(&Workspace, &str) -> Result<T>,
    ) -> Result<(&RootMount, T)> {
        let route = self.route(path);
        if route.by_link {
            return Err(error::link_refused(path));
        }
        let mount = &self.mounts[route.mount];
        let done = operation(&mount.files, &route.path).map_err(|err| self.hinted(err))?;
        Ok((mount, done))
    }

    /// Runs an operation that follows links, also from one root to another.
    fn following<T>(
        &self,
        path: &str,
        operation: impl Fn(&Workspace, &str) -> Result<T>,
    ) -> Result<(&RootMount, T)> {
        let mut route = self.route(path);
        for _ in 0..HOPS_MAX {
            let mount = &self.mounts[route.mount];
            let err = match operation(&mount.files, &route.path) {
                Ok(done) => return Ok((mount, done)),
                Err(err) => err,
            };
            let leaves = err.is(Reason::OutsideWorkspace);
            match leaves.then(|| self.beyond(&route)).flatten() {
                Some(next) => route = next,
                None => return Err(self.hinted(err)),
            }
        }
        Err(error::link_refused(path).hint("the links form a cycle"))
    }

    /// The continuation of a path that leaves a root; `None` if it leads into no other.
    fn beyond(&self, route: &MountRoute) -> Option<MountRoute> {
        let root = &self.mounts[route.mount].files.root;
        let relative = root.relative(&route.path).ok()?;
        let PathResolution::Beyond(next) = root.follow(&relative, &route.path).ok()? else {
            return None;
        };
        let next = self.begin(next.to_str()?);
        (next.mount != route.mount).then_some(next)
    }

    /// The root of a name, and the path relative to it.
    fn split<'a>(&self, name: &'a str) -> (usize, &'a str) {
        let others = self.mounts.iter().enumerate().skip(1);
        let within = |(index, mount): (usize, &RootMount)| match name.strip_prefix(&*mount.name)? {
            "" => Some((index, ".")),
            rest => Some((index, rest.strip_prefix('/')?)),
        };
        others.filter_map(within).next().unwrap_or((0, name))
    }

    /// Names the other roots in the hint of a path outside every root.
    fn hinted(&self, err: ToolError) -> ToolError {
        if !err.is(Reason::OutsideWorkspace) {
            return err;
        }
        let others = self.mounts.iter().skip(1);
        let names: Vec<String> = others.map(|mount| format!("`{}`", mount.name)).collect();
        err.hint(format!(
            "relative paths start from the first root; the others are {}",
            names.join(", ")
        ))
    }
}

impl WorkspaceFiles for MountTable {
    fn read(&self, path: &str, bytes_max: u64) -> Result<FileContent> {
        let (mount, found) = self.following(path, |files, path| files.read(path, bytes_max))?;
        Ok(FileContent {
            info: mount.told(found.info),
            ..found
        })
    }

    fn write(&self, path: &str, content: &[u8], mode: WriteMode) -> Result<FileInfo> {
        let (mount, info) = self.plainly(path, |files, path| files.write(path, content, mode))?;
        Ok(mount.told(info))
    }

    fn list(
        &self,
        path: &str,
        recursive: bool,
        entries_max: usize,
        stop: &StopFlag,
    ) -> Result<(Vec<FileInfo>, bool)> {
        let list = |files: &Workspace, path: &str| files.list(path, recursive, entries_max, stop);
        let (mount, (found, more)) = match recursive {
            true => self.plainly(path, list)?,
            false => self.following(path, list)?,
        };
        let found = found.into_iter().map(|info| mount.told(info));
        Ok((found.collect(), more))
    }

    fn make_folder(&self, path: &str) -> Result<()> {
        self.plainly(path, |files, path| files.make_folder(path))
            .map(|_| ())
    }

    fn open(&self, path: &str, links: LinkMode) -> Result<(FileInfo, Box<dyn FileReader>)> {
        let open = |files: &Workspace, path: &str| files.open(path, links);
        let (mount, (info, reader)) = match links {
            LinkMode::Refuse => self.plainly(path, open)?,
            LinkMode::Follow => self.following(path, open)?,
        };
        Ok((mount.told(info), reader))
    }

    fn entries(&self, path: &str, links: LinkMode, stop: &StopFlag) -> Result<Vec<FileInfo>> {
        let entries = |files: &Workspace, path: &str| files.entries(path, links, stop);
        let (mount, found) = match links {
            LinkMode::Refuse => self.plainly(path, entries)?,
            LinkMode::Follow => self.following(path, entries)?,
        };
        Ok(found.into_iter().map(|info| mount.told(info)).collect())
    }

    fn stat(&self, path: &str) -> Result<FileInfo> {
        let (mount, info) = self.following(path, |files, path| files.stat(path))?;
        Ok(mount.told(info))
    }

    fn space(&self, path: &str) -> Result<DiskSpace> {
        let found = self.following(path, |files, path| files.space(path));
        found.map(|(_, space)| space)
    }

    fn remove(&self, path: &str, kind: FileKind) -> Result<FileInfo> {
        let (mount, info) = self.plainly(path, |files, path| files.remove(path, kind))?;
        Ok(mount.told(info))
    }

    fn change(&self, changes: &[FileChange]) -> Result<Vec<FileInfo>> {
        let routes = changes.iter().map(|change| self.route(change.path()));
        let routes: Vec<MountRoute> = routes.collect();
        let mut placed = Vec::with_capacity(changes.len());
        for (route, change) in routes.iter().zip(changes) {
            if route.by_link {
                return Err(error::link_refused(change.path()));
            }
            let files = &self.mounts[route.mount].files;
            placed.push((files, route.path.as_str(), change));
        }
        let changed = change::apply_changes(&placed).map_err(|err| self.hinted(err))?;
        let told = routes.iter().zip(changed);
        Ok(told
            .map(|(route, info)| self.mounts[route.mount].told(info))
            .collect())
    }

    fn draft(&self, path: &str) -> Result<Box<dyn DraftFolder>> {
        self.plainly(path, |files, path| files.draft(path))
            .map(|(_, draft)| draft)
    }

    fn for_call(&self, call: &FileCall) -> Option<Arc<dyn WorkspaceFiles>> {
        let mut routes = HashMap::new();
        let mut places = vec![HashMap::new(); self.mounts.len()];
        for (written, place) in &call.places {
            let (mount, inside) = self.split(place);
            let begins = self.begin(written);
            let by_link = begins.mount != mount;
            let path = if by_link { place.clone() } else { begins.path };
            places[mount].insert(path.clone(), inside.to_owned());
            let route = MountRoute {
                mount,
                path,
                by_link,
            };
            routes.insert(written.clone(), route);
        }
        let bound = self.mounts.iter().zip(places);
        let bound = bound.map(|(mount, places)| RootMount {
            name: mount.name.clone(),
            files: mount.files.bound(&FileCall {
                key: call.key.clone(),
                places,
            }),
        });
        Some(Arc::new(Self {
            mounts: bound.collect(),
            routes: Arc::new(routes),
        }))
    }

    fn leftovers(&self, folder: &str) -> Result<Vec<Box<dyn FileReader>>> {
        self.plainly(folder, |files, folder| files.leftovers(folder))
            .map(|(_, found)| found)
    }

    fn clear_leftovers(&self, folder: &str) -> Result<()> {
        self.plainly(folder, |files, folder| files.clear_leftovers(folder))
            .map(|_| ())
    }

    fn may_write(&self, path: &str) -> Result<()> {
        self.plainly(path, |files, path| files.may_write(path))
            .map(|_| ())
    }

    fn identity(&self, path: &str) -> Result<ResourceId> {
        let (mount, id) = self.following(path, |files, path| files.identity(path))?;
        Ok(ResourceId {
            path: mount.named(id.path),
            ..id
        })
    }
}
