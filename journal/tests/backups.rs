//! Copies of files, and bringing them back.

use std::collections::BTreeMap;
use std::sync::Mutex;

use tempfile::TempDir;
use tool_core::capability::{
    Backups as _, Change, Clock, FileContent, FileInfo, FileKind, Files, WriteMode,
};
use tool_core::{ErrorCode, Reason, ResourceId, StopFlag, ToolError};

use std::sync::Arc;

use journal::{BACKUPS, Keeper, State};

use crate::support::*;

/// Files in memory, with folders as beginnings of paths.
#[derive(Default)]
struct Memory(Mutex<BTreeMap<String, (Vec<u8>, u32)>>);

impl Memory {
    fn put(&self, path: &str, content: &str) {
        let file = (content.as_bytes().to_vec(), 0o640);
        self.0.lock().unwrap().insert(path.to_owned(), file);
    }

    fn get(&self, path: &str) -> Option<(String, u32)> {
        let files = self.0.lock().unwrap();
        let (content, mode) = files.get(path)?;
        Some((String::from_utf8(content.clone()).unwrap(), *mode))
    }
}

fn info(path: &str, kind: FileKind, size: usize, mode: u32) -> FileInfo {
    FileInfo {
        path: path.to_owned(),
        kind,
        size: size as u64,
        modified_s: 0.0,
        mode,
    }
}

impl Files for Memory {
    fn read(&self, path: &str, _: u64) -> Result<FileContent, ToolError> {
        let info = self.stat(path)?;
        let bytes = self.0.lock().unwrap()[path].0.clone();
        Ok(FileContent {
            info,
            bytes,
            truncated: false,
        })
    }

    fn write(&self, _: &str, _: &[u8], _: WriteMode) -> Result<FileInfo, ToolError> {
        unreachable!("files are brought back by `change`")
    }

    fn list(
        &self,
        path: &str,
        _: bool,
        _: usize,
        _: &StopFlag,
    ) -> Result<(Vec<FileInfo>, bool), ToolError> {
        let files = self.0.lock().unwrap();
        let below = format!("{path}/");
        let listed = files.iter().filter(|(name, _)| name.starts_with(&below));
        let listed =
            listed.map(|(name, (content, mode))| info(name, FileKind::File, content.len(), *mode));
        Ok((listed.collect(), false))
    }

    fn stat(&self, path: &str) -> Result<FileInfo, ToolError> {
        let files = self.0.lock().unwrap();
        if let Some((content, mode)) = files.get(path) {
            return Ok(info(path, FileKind::File, content.len(), *mode));
        }
        let below = format!("{path}/");
        if files.keys().any(|name| name.starts_with(&below)) {
            return Ok(info(path, FileKind::Directory, 0, 0o755));
        }
        Err(ToolError::new(ErrorCode::ToolError, "no such file").reason(Reason::NotFound))
    }

    fn change(&self, changes: &[Change]) -> Result<Vec<FileInfo>, ToolError> {
        let mut files = self.0.lock().unwrap();
        for change in changes {
            match change {
                Change::Create {
                    path,
                    content,
                    mode,
                } => {
                    assert!(!files.contains_key(path));
                    files.insert(path.clone(), (content.clone(), mode.unwrap_or(0o644)));
                }
                Change::Replace {
                    path,
                    before,
                    content,
                } => {
                    let file = files.get_mut(path).unwrap();
                    assert_eq!(&file.0, before);
                    file.0.clone_from(content);
                }
                Change::Delete { .. } => unreachable!(),
            }
        }
        Ok(Vec::new())
    }

    fn identity(&self, path: &str) -> Result<ResourceId, ToolError> {
        Ok(path.to_owned().into())
    }
}

struct Place {
    top: TempDir,
    clock: Arc<Still>,
    state: Arc<State>,
    files: Arc<Memory>,
    keeper: Keeper,
}

impl Place {
    fn new() -> Self {
        let (top, clock) = (folder(), Still::at(NOW));
        let opened = State::open(top.path(), Arc::clone(&clock) as Arc<dyn Clock>);
        let (state, files) = (Arc::new(opened.unwrap()), Arc::new(Memory::default()));
        let keeper = Keeper::new(Arc::clone(&state), Arc::clone(&files) as Arc<dyn Files>);
        Self {
            top,
            clock,
            state,
            files,
            keeper,
        }
    }

    fn keep(&self, paths: &[&str]) -> Vec<tool_core::capability::Kept> {
        let paths: Vec<String> = paths.iter().map(|path| (*path).to_owned()).collect();
        self.keeper.keep("c1", &paths).unwrap()
    }
}

#[test]
fn a_file_comes_back_by_id_and_by_path() {
    let place = Place::new();
    place.files.put("a.txt", "first");
    let first = place.keep(&["a.txt"]);
    assert_eq!((first.len(), first[0].bytes), (1, 5));
    place.clock.advance(1000);
    place.files.put("a.txt", "second");
    place.keep(&["a.txt"]);
    place.files.put("a.txt", "third");
    let (back, before) = place.keeper.restore("a.txt", None, "terminal").unwrap();
    assert_eq!(back.call_id, "c1");
    assert_eq!(place.files.get("a.txt").unwrap().0, "second");
    assert!(
        place
            .keeper
            .restore(&before.unwrap().id, None, "terminal")
            .is_ok()
    );
    assert_eq!(
        place.files.get("a.txt").unwrap().0,
        "third",
        "bringing back can be undone"
    );
    place
        .keeper
        .restore("a.txt", Some(NOW + 500), "terminal")
        .unwrap();
    assert_eq!(place.files.get("a.txt").unwrap().0, "first");
    let listed = place.state.backups(100).unwrap();
    assert_eq!(listed.len(), 5, "three of them by `restore`");
    assert_eq!(listed.last().unwrap().mode, 0o640);
    assert!(
        place.state.verify(&[]).is_ok(),
        "each return is in the audit"
    );
}

#[test]
fn a_deleted_file_comes_back_with_its_mode_and_folders_with_all_files() {
    let place = Place::new();
    for (path, content) in [("d/a", "1"), ("d/e/b", "2"), ("x", "3")] {
        place.files.put(path, content);
    }
    assert_eq!(
        place.keep(&["d", "d/a", "no/such"]).len(),
        2,
        "each file once"
    );
    place.files.0.lock().unwrap().clear();
    place.keeper.restore("d/e/b", None, "terminal").unwrap();
    assert_eq!(place.files.get("d/e/b"), Some(("2".to_owned(), 0o640)));
    assert_reason(
        place.keeper.restore("x", None, "terminal"),
        "unknown_backup",
    );
    assert_reason(place.keeper.restore("", None, "terminal"), "unknown_backup");
}

#[test]
fn equal_contents_are_kept_once_and_damage_is_noticed() {
    let place = Place::new();
    place.files.put("a", "same");
    place.files.put("b", "same");
    let kept = place.keep(&["a", "b"]);
    assert_eq!(kept[0].digest, kept[1].digest);
    let digest = &kept[0].digest;
    let copy = place
        .top
        .path()
        .join(BACKUPS)
        .join(&digest[..2])
        .join(digest);
    let folder = copy.parent().unwrap();
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), 1);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(&copy).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "for this user alone");
    }
    std::fs::copy(place.state.file(), &copy).unwrap();
    place.files.put("a", "changed");
    assert_reason(place.keeper.restore("a", None, "terminal"), "backup");
    assert_eq!(place.files.get("a").unwrap().0, "changed");
    place.keep(&["b"]);
    place.keeper.restore("a", None, "terminal").unwrap();
    assert_eq!(
        place.files.get("a").unwrap().0,
        "same",
        "a damaged copy is written anew"
    );
}
