//! Paths that tools never write: by name at every depth, by location, and files that belong to a configuration beside them.

use rustix::fs::{AtFlags, OFlags, statat};
use tool_core::Result;
use tool_core::capability::fold_file_name;

use super::super::{
    BESIDE, CONFIGURATIONS, EVERYWHERE, MANIFEST, PLUGINS, TEMPLATES, is_temporary,
};
use super::resolve::{folded_parts, leads_to, plain_parts};
use super::{Workspace, display_path, error};

/// Protected paths, relative to the root.
#[derive(Debug, Clone, Default)]
pub(super) struct ProtectedPaths(Vec<Vec<String>>);

impl ProtectedPaths {
    pub(super) fn new(protected: &[&str]) -> Self {
        Self(protected.iter().map(|path| folded_parts(path)).collect())
    }

    pub(super) fn add(&mut self, places: impl IntoIterator<Item = Vec<String>>) {
        self.0.extend(places);
    }

    /// Refuses protected names among the parts of a path.
    pub(super) fn allow(&self, parts: &[String], path: &str) -> Result<()> {
        if parts.iter().any(|part| is_temporary(part)) {
            return Err(error::reserved_name(path));
        }
        let templates = parts.windows(2).any(|pair| pair == TEMPLATES);
        let named = templates || parts.iter().any(|part| EVERYWHERE.contains(&part.as_str()));
        let mut places = self.0.iter().filter(|place| !place.is_empty());
        let manifest =
            matches!(parts, [.., plugins, _, last] if plugins == PLUGINS && last == MANIFEST);
        if named || manifest || places.any(|place| parts.starts_with(place)) {
            return Err(error::protected_path_error(path));
        }
        Ok(())
    }
}

impl Workspace {
    /// A path relative to the root; protected ones are refused. Writes follow no links, so the text of the path decides.
    pub(super) fn writable(&self, path: &str) -> Result<String> {
        let relative = self.root.relative(path)?;
        let parts = leads_to(&relative).ok_or_else(|| error::outside_workspace_error(path))?;
        self.guard.allow(&parts, path)?;
        let plain = plain_parts(&relative).unwrap_or_default();
        for (depth, part) in plain.iter().enumerate() {
            let part = fold_file_name(part);
            let above = &plain[..depth];
            let of_plugin = || {
                let name = plain.get(depth + 1)?;
                part.eq(PLUGINS)
                    .then(|| [plain[depth], name, MANIFEST].join("/"))
            };
            if BESIDE.contains(&part.as_str())
                && (CONFIGURATIONS.iter().any(|name| self.is_there(above, name))
                    || of_plugin().is_some_and(|manifest| self.is_there(above, &manifest)))
            {
                return Err(error::protected_path_error(path));
            }
        }
        Ok(relative)
    }

    /// Whether a folder has an entry with this name, dangling links included.
    fn is_there(&self, folder: &[&str], name: &str) -> bool {
        // Writes never go through links.
        let flags = OFlags::PATH | OFlags::DIRECTORY;
        let folder = self.root.open_plain(display_path(&folder.join("/")), flags);
        folder.is_ok_and(|folder| statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW).is_ok())
    }
}
