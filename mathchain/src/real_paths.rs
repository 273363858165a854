//! [`RealPaths`]: paths without links, as they are while a toolkit is opened.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Finds paths without links. Each folder is looked up once, and what is below a missing one not at all: the files that determine
/// permissions are many, and lie in few folders. It is for one opening, and not kept: links may change.
#[derive(Debug, Default)]
pub struct RealPaths {
    /// Absolute paths without links; `None` for one that does not exist.
    found: RefCell<HashMap<PathBuf, Option<PathBuf>>>,
    /// Paths as written, with what [`RealPaths::real`] made of them.
    written: RefCell<HashMap<PathBuf, PathBuf>>,
    /// Identities of folders.
    folders: RefCell<HashMap<PathBuf, Option<String>>>,
}

impl RealPaths {
    /// A path without links, as far as it exists.
    pub fn real(&self, path: &Path) -> PathBuf {
        if let Some(known) = self.written.borrow().get(path) {
            return known.clone();
        }
        let absolute = absolute_path(path);
        let mut above = absolute.ancestors();
        let there = above.find_map(|above| Some((above, self.look_up(above)?)));
        let real = match there {
            None => absolute.clone(),
            Some((above, found)) => match absolute.strip_prefix(above) {
                Ok(rest) if !rest.as_os_str().is_empty() => found.join(rest),
                _ => found,
            },
        };
        let mut written = self.written.borrow_mut();
        written.insert(path.to_owned(), real.clone());
        real
    }

    /// A path without links; `None` if it does not exist.
    pub fn existing(&self, path: &Path) -> Option<PathBuf> {
        self.look_up(&absolute_path(path))
    }

    /// What identifies the folder at a path without links, found once.
    pub fn folder_id(
        &self,
        folder: &Path,
        find: impl FnOnce(&Path) -> Option<String>,
    ) -> Option<String> {
        let mut folders = self.folders.borrow_mut();
        let found = folders.entry(folder.to_owned());
        found.or_insert_with(|| find(folder)).clone()
    }

    /// Gives a folder the name that it has in its state folder.
    pub fn name_folder(&self, folder: &Path, name: String) {
        let mut folders = self.folders.borrow_mut();
        folders.insert(folder.to_owned(), Some(name));
    }

    fn look_up(&self, path: &Path) -> Option<PathBuf> {
        if let Some(known) = self.found.borrow().get(path) {
            return known.clone();
        }
        let real = self.follow(path);
        self.found
            .borrow_mut()
            .insert(path.to_owned(), real.clone());
        real
    }

    /// As the system resolves a path: folder by folder, each link replaced by its target.
    #[cfg(unix)]
    fn follow(&self, path: &Path) -> Option<PathBuf> {
        let (Some(above), Some(name)) = (path.parent(), path.file_name()) else {
            // The root, or a path that ends with `..`.
            return path.canonicalize().ok();
        };
        let place = self.look_up(above)?.join(name);
        match place.read_link() {
            Ok(_) => place.canonicalize().ok(),
            // It exists and is no link.
            Err(err) if err.kind() == std::io::ErrorKind::InvalidInput => Some(place),
            Err(_) => None,
        }
    }

    #[cfg(not(unix))]
    fn follow(&self, path: &Path) -> Option<PathBuf> {
        path.canonicalize().ok()
    }
}

fn absolute_path(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

#[cfg(all(test, unix))]
#[expect(clippy::disallowed_methods, reason = "a test makes its own files")]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn paths_are_those_that_the_system_finds() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("a/b")).expect("makes folders");
        fs::write(at("a/file"), "").expect("writes");
        symlink("a/b", at("link")).expect("links");
        symlink("../link", at("a/b/up")).expect("links");
        symlink("nowhere", at("dangling")).expect("links");
        symlink("circle", at("circle")).expect("links");
        let paths = RealPaths::default();
        for name in [
            ".",
            "a",
            "a/b",
            "a/b/.",
            "a/b/..",
            "a/b/../b",
            "a/file",
            "a/file/below",
            "link",
            "link/up",
            "link/..",
            "link/../file",
            "link/missing",
            "dangling",
            "dangling/below",
            "circle",
            "missing",
            "missing/below",
        ] {
            let path = at(name);
            assert_eq!(paths.existing(&path), path.canonicalize().ok(), "{name}");
            // Again, as it is known now.
            assert_eq!(paths.existing(&path), path.canonicalize().ok(), "{name}");
        }
        let real = folder.path().canonicalize().expect("there");
        assert_eq!(paths.real(&at("link/new/file")), real.join("a/b/new/file"));
        assert_eq!(paths.real(&at("dangling/x")), real.join("dangling/x"));
        assert_eq!(paths.real(Path::new("/")), Path::new("/"));
    }
}
