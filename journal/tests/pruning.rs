//! Backups and notifications over years, and folders that share a state.

use std::sync::Arc;

use fakes::MemoryFiles;
use registry::WorkspaceId;
use tempfile::TempDir;
use tool_core::Value;
use tool_core::capability::{
    AuditLedger as _, BackupStore as _, Clock, Notification, NotificationLog as _,
    RecordDurability, WorkspaceFiles,
};

use journal::{BACKUPS, CutKey, FileBackups, SEED_BYTES, StateStore};

use crate::support::*;

const DAY_MS: u64 = 24 * 3_600_000;

fn key() -> CutKey {
    CutKey::of_seed([7; SEED_BYTES])
}

struct Place {
    top: TempDir,
    clock: Arc<TestClock>,
    files: Arc<MemoryFiles>,
}

impl Place {
    fn new() -> Self {
        Self {
            top: folder(),
            clock: TestClock::at(NOW),
            files: Arc::default(),
        }
    }

    fn open(&self) -> Arc<StateStore> {
        let clock = Arc::clone(&self.clock) as Arc<dyn Clock>;
        Arc::new(StateStore::open(self.top.path(), clock).unwrap())
    }

    /// A call of a day of its own, recorded and closed, that backs up a file and sends a notification.
    fn call(&self, id: &str, content: &str) {
        self.clock.advance(DAY_MS);
        let state = self.open();
        self.files.put("a.txt", content);
        let files = Arc::clone(&self.files) as Arc<dyn WorkspaceFiles>;
        let keeper = FileBackups::new(Arc::clone(&state), files);
        keeper.keep(id, &["a.txt".to_owned()]).unwrap();
        state.notify(&notice("call", id, id)).unwrap();
        let record = Value::object([("call_id", id)]);
        state.record(&record, RecordDurability::Synced).unwrap();
        state.close().unwrap();
    }

    /// The contents of backups on the disk.
    fn contents(&self) -> usize {
        let Ok(groups) = std::fs::read_dir(self.top.path().join(BACKUPS)) else {
            return 0;
        };
        let files = groups
            .flatten()
            .map(|group| std::fs::read_dir(group.path()).unwrap().count());
        files.sum()
    }
}

fn notice(kind: &'static str, call_id: &str, text: &str) -> Notification {
    Notification {
        kind,
        call_id: call_id.to_owned(),
        tool: Some("write_file".to_owned()),
        role: "operator".to_owned(),
        agent: None,
        text: text.to_owned(),
    }
}

#[test]
fn backups_and_notifications_go_with_the_records_of_their_calls() {
    let place = Place::new();
    place.call("c1", "first");
    place.call("c2", "shared");
    let middle = place.clock.unix_ms() + 1;
    place.call("c3", "shared");
    assert_eq!(place.contents(), 2);
    let state = place.open();
    let said = state.forecast(middle).unwrap();
    assert_eq!((said.backups, said.backup_bytes, said.notices), (2, 5, 2));
    assert_eq!(place.contents(), 2, "a forecast removes nothing");
    let done = state.prune(middle, &key()).unwrap();
    assert_eq!(done, said);
    // The content that a newer backup has too remains.
    assert_eq!(place.contents(), 1);
    let left: Vec<String> = state
        .backups(None, 9)
        .unwrap()
        .into_iter()
        .map(|one| one.call_id)
        .collect();
    assert_eq!(left, ["c3"]);
    let left: Vec<String> = state
        .notices(None, 9)
        .unwrap()
        .into_iter()
        .map(|one| one.call_id)
        .collect();
    assert_eq!(left, ["c3"]);
    let files = Arc::clone(&place.files) as Arc<dyn WorkspaceFiles>;
    FileBackups::new(Arc::clone(&state), files)
        .restore("a.txt", None, "terminal")
        .unwrap();
    assert!(state.verify(&[], true).unwrap().is_sound());
    // The file of notifications is append-only again.
    let file = rusqlite::Connection::open(state.file()).unwrap();
    assert!(file.execute("DELETE FROM notices", []).is_err());
}

#[test]
fn what_a_remaining_record_names_remains() {
    let place = Place::new();
    // A session whose newest record is newer than the time remains whole.
    let living = place.open();
    place.files.put("a.txt", "text");
    let files = Arc::clone(&place.files) as Arc<dyn WorkspaceFiles>;
    let keeper = FileBackups::new(Arc::clone(&living), files);
    keeper.keep("c1", &["a.txt".to_owned()]).unwrap();
    living.notify(&notice("call", "c1", "told")).unwrap();
    let record = |call: &str| {
        let record = Value::object([("call_id", call)]);
        living.record(&record, RecordDurability::Synced).unwrap();
    };
    record("c1");
    place.clock.advance(DAY_MS);
    let middle = place.clock.unix_ms();
    place.clock.advance(DAY_MS);
    record("c2");
    living.close().unwrap();
    let done = place.open().prune(middle, &key()).unwrap();
    assert_eq!((done.records, done.backups, done.notices), (0, 0, 0));
    place.clock.advance(DAY_MS);
    let done = place.open().prune(place.clock.unix_ms(), &key()).unwrap();
    assert_eq!((done.backups, done.notices), (1, 1));
    assert_eq!(place.contents(), 0);
}

#[test]
fn a_question_remains_until_it_is_answered() {
    let place = Place::new();
    let state = place.open();
    let open = state.notify(&notice("question", "c1", "which?")).unwrap();
    let answered = state.notify(&notice("question", "c2", "where?")).unwrap();
    place.clock.advance(DAY_MS);
    state.answer(&answered, "here", "terminal").unwrap();
    let early = place.clock.unix_ms() - 1;
    place.clock.advance(DAY_MS);
    // The answer is newer than the time.
    assert_eq!(state.prune(early, &key()).unwrap().notices, 0);
    let done = state.prune(place.clock.unix_ms(), &key()).unwrap();
    assert_eq!(done.notices, 2, "the question and its answer");
    let left = state.notices(None, 9).unwrap();
    assert_eq!(left.len(), 1);
    assert_eq!(left[0].id, open);
    state.answer(&open, "this one", "terminal").unwrap();
    assert!(state.verify(&[], true).unwrap().is_sound());
}

/// A content that a pruning removes while a call backs up the same one is there afterwards.
#[test]
fn a_backup_made_during_a_pruning_has_its_content() {
    let place = Place::new();
    for round in 0..20 {
        place.call(&format!("old{round}"), "same content");
        place.clock.advance(DAY_MS);
        let (pruning, keeping) = (place.open(), place.open());
        let before = place.clock.unix_ms();
        place.files.put("a.txt", "same content");
        let files = Arc::clone(&place.files) as Arc<dyn WorkspaceFiles>;
        std::thread::scope(|scope| {
            scope.spawn(|| pruning.prune(before, &key()).unwrap());
            let keeper = FileBackups::new(Arc::clone(&keeping), Arc::clone(&files));
            keeper.keep("new", &["a.txt".to_owned()]).unwrap();
        });
        let keeper = FileBackups::new(Arc::clone(&keeping), files);
        keeper
            .restore("a.txt", None, "terminal")
            .unwrap_or_else(|err| panic!("{round}: {err:?}"));
    }
}

#[test]
fn lists_of_a_shared_state_are_of_one_folder() {
    let place = Place::new();
    let id = |name: &str| WorkspaceId {
        root: format!("/projects/{name}"),
        id: format!("{name:0>16}"),
        roots: Vec::new(),
    };
    for name in ["a", "b"] {
        let state = place.open();
        state.set_workspace(id(name));
        place.files.put("a.txt", name);
        let files = Arc::clone(&place.files) as Arc<dyn WorkspaceFiles>;
        FileBackups::new(Arc::clone(&state), files)
            .keep(name, &["a.txt".to_owned()])
            .unwrap();
        state.notify(&notice("question", name, "which?")).unwrap();
        let record = Value::object([("call_id", name), ("tool", "calculate")]);
        state.record(&record, RecordDurability::Synced).unwrap();
        state.close().unwrap();
    }
    let state = place.open();
    for name in ["a", "b"] {
        let here = id(name);
        let backups = state.backups(Some(&here), 9).unwrap();
        assert_eq!(
            (backups.len(), backups[0].folder_root.as_deref()),
            (1, Some(&*here.root))
        );
        let notices = state.notices(Some(&here), 9).unwrap();
        assert_eq!((notices.len(), &*notices[0].call_id), (1, name));
        let filter = journal::AuditFilter {
            folder: Some(here.clone()),
            ..Default::default()
        };
        let records = state.audit_matching(&filter, 9).unwrap();
        assert_eq!(
            (records.len(), records[0].folder.as_deref()),
            (1, Some(&*here.root))
        );
        // A folder that moved is the same one, and so is another one at the same path.
        let moved = WorkspaceId {
            root: "/elsewhere".to_owned(),
            ..here.clone()
        };
        let again = WorkspaceId {
            id: "9".repeat(16),
            ..here
        };
        for one in [moved, again] {
            assert_eq!(state.notices(Some(&one), 9).unwrap().len(), 1);
        }
    }
    assert_eq!(state.notices(None, 9).unwrap().len(), 2);
    // A path names the backup of this folder, and a question is answered in the folder that asks.
    for name in ["a", "b"] {
        let state = place.open();
        state.set_workspace(id(name));
        let files = Arc::clone(&place.files) as Arc<dyn WorkspaceFiles>;
        let keeper = FileBackups::new(Arc::clone(&state), files);
        let (restored, _) = keeper.restore("a.txt", Some(NOW), "terminal").unwrap();
        assert_eq!(restored.call_id, name);
    }
    let first = state.notices(Some(&id("a")), 9).unwrap().remove(0);
    state.answer(&first.id, "this one", "terminal").unwrap();
    for (name, answer) in [("a", Some("this one")), ("b", None)] {
        let state = place.open();
        state.set_workspace(id(name));
        let asked = state
            .asked(&notice("question", name, "which?"))
            .unwrap()
            .unwrap();
        assert_eq!(asked.answer.as_deref(), answer, "{name}");
    }
}
