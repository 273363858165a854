//! Detects changes of loaded files by polling names, sizes and times.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::PluginRoot;

/// Maximum number of entries that are watched.
const ENTRIES_MAX: usize = 20_000;

/// A snapshot of names, sizes and times.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PluginSnapshot(Vec<(PathBuf, u64, Option<SystemTime>)>);

impl PluginSnapshot {
    /// Takes a snapshot of the folders of plugins, their settings, and other files and folders.
    pub fn now(roots: &[PluginRoot], others: &[PathBuf]) -> Self {
        let mut seen = Self::default();
        let mut waiting: Vec<PathBuf> = Vec::new();
        for root in roots {
            waiting.extend([&root.plugins, &root.settings, &root.servers].map(Clone::clone));
        }
        for path in others {
            if path.is_dir() {
                waiting.push(path.clone());
            }
            seen.add(path);
        }
        while let Some(folder) = waiting.pop() {
            // What cannot be read looks like nothing; loading says why.
            for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
                let path = entry.path();
                if path.is_dir() && !path.ends_with("__pycache__") && !path.is_symlink() {
                    waiting.push(path.clone());
                }
                seen.add(&path);
                if seen.0.len() > ENTRIES_MAX {
                    waiting.clear();
                    break;
                }
            }
        }
        seen.0.sort();
        seen
    }

    fn add(&mut self, path: &Path) {
        if let Ok(found) = path.symlink_metadata()
            && !found.is_dir()
        {
            self.0
                .push((path.to_owned(), found.len(), found.modified().ok()));
        }
    }
}
