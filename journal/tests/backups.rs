//! Copies of files, and bringing them back.

use std::sync::Arc;

use fakes::MemoryFiles;
use tempfile::TempDir;
use tool_core::capability::{BackupStore as _, Clock, WorkspaceFiles};

use journal::{BACKUPS, FileBackups, StateStore};

use crate::support::*;

struct Place {
    top: TempDir,
    clock: Arc<TestClock>,
    state: Arc<StateStore>,
    files: Arc<MemoryFiles>,
    keeper: FileBackups,
}

impl Place {
    fn new() -> Self {
        let (top, clock) = (folder(), TestClock::at(NOW));
        let opened = StateStore::open(top.path(), Arc::clone(&clock) as Arc<dyn Clock>);
        let (state, files) = (Arc::new(opened.unwrap()), Arc::new(MemoryFiles::default()));
        let keeper = FileBackups::new(
            Arc::clone(&state),
            Arc::clone(&files) as Arc<dyn WorkspaceFiles>,
        );
        Self {
            top,
            clock,
            state,
            files,
            keeper,
        }
    }

    fn keep(&self, paths: &[&str]) -> Vec<tool_core::capability::BackupCopy> {
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
    let listed = place.state.backups(None, 100).unwrap();
    assert_eq!(listed.len(), 5, "three of them by `restore`");
    assert_eq!(listed.last().unwrap().mode, 0o640);
    assert!(
        place.state.verify(&[], true).is_ok(),
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
    place.files.clear();
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
