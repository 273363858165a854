use std::fs;
use std::io::{Seek, SeekFrom, Write};

use super::*;

#[cfg(unix)]
#[test]
fn folder_and_files_are_for_the_user_alone() {
    use std::os::unix::fs::PermissionsExt;
    let top = folder();
    let path = top.path().join("a/.mathchain");
    let state = open(&path);
    state.record(&event(0), RecordDurability::Synced).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&path), 0o700);
    for entry in fs::read_dir(&path).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(mode(&path), 0o600, "{}", path.display());
    }
    drop(state);
    fs::set_permissions(path.join(FILE_NAME), fs::Permissions::from_mode(0o644)).unwrap();
    drop(open(&path));
    assert_eq!(
        mode(&path.join(FILE_NAME)),
        0o600,
        "rights given to others are taken back"
    );
}

/// Not a folder, not a file, not to be made: each says what to do.
#[test]
fn what_cannot_be_written_is_a_typed_error() {
    let top = folder();
    let clock = || TestClock::at(NOW);
    fs::File::create(top.path().join("file")).unwrap();
    assert_reason(
        StateStore::open(top.path().join("file"), clock()),
        "state_unwritable",
    );
    assert_reason(
        StateStore::open(top.path().join("file/below"), clock()),
        "state_unwritable",
    );
    fs::create_dir_all(top.path().join("occupied").join(FILE_NAME)).unwrap();
    assert_reason(
        StateStore::open(top.path().join("occupied"), clock()),
        "state_unwritable",
    );
    #[cfg(unix)]
    {
        let linked = top.path().join("linked");
        fs::create_dir(&linked).unwrap();
        std::os::unix::fs::symlink(top.path().join("elsewhere"), linked.join(FILE_NAME)).unwrap();
        assert_reason(StateStore::open(&linked, clock()), "state_unwritable");
        assert!(!top.path().join("elsewhere").exists());
    }
}

#[test]
fn damage_names_the_file_and_the_next_step() {
    let top = folder();
    let file = top.path().join(FILE_NAME);
    fs::File::create(&file)
        .unwrap()
        .write_all(&[b'x'; 8192])
        .unwrap();
    let err = assert_reason(
        StateStore::open(top.path(), TestClock::at(NOW)),
        "state_corrupt",
    );
    assert!(
        err.message().contains(FILE_NAME) && err.hint_str().unwrap().contains("move"),
        "{err:?}"
    );

    // A file cut short in the middle of its pages.
    let top = folder();
    filled(top.path(), 50);
    let file = top.path().join(FILE_NAME);
    Connection::open(&file)
        .unwrap()
        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        .unwrap();
    let length = fs::metadata(&file).unwrap().len();
    fs::OpenOptions::new()
        .write(true)
        .open(&file)
        .unwrap()
        .set_len(length / 2)
        .unwrap();
    match StateStore::open(top.path(), TestClock::at(NOW)) {
        Err(err) => assert_eq!(err.reason_str(), Some("state_corrupt")),
        Ok(state) => {
            let found = state.verify(&[], true);
            assert!(found.is_err() || !found.unwrap().is_sound());
        }
    }
}

/// One byte changed in the file itself, anywhere in a record's text.
#[test]
fn a_byte_changed_on_disk_is_found() {
    let top = folder();
    let marker = "needle-in-the-record";
    let state = open(top.path());
    state
        .record(&Value::object([("note", marker)]), RecordDurability::Synced)
        .unwrap();
    drop(state);
    let file = top.path().join(FILE_NAME);
    Connection::open(&file)
        .unwrap()
        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        .unwrap();
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(&mut fs::File::open(&file).unwrap(), &mut bytes).unwrap();
    let start = bytes
        .windows(marker.len())
        .position(|window| window == marker.as_bytes())
        .unwrap();
    for (position, &original) in bytes.iter().enumerate().skip(start).take(marker.len()) {
        for bit in [0x01, 0x80] {
            let poke = |byte: u8| {
                let mut target = fs::OpenOptions::new().write(true).open(&file).unwrap();
                target.seek(SeekFrom::Start(position as u64)).unwrap();
                target.write_all(&[byte]).unwrap();
            };
            poke(original ^ bit);
            let report = open(top.path()).verify(&[], true).unwrap();
            assert_eq!(report.faults.len(), 1, "{report:?}");
            assert_eq!(report.faults[0].sequence, 1);
            poke(original);
        }
    }
    assert!(open(top.path()).verify(&[], true).unwrap().is_sound());
}

/// Many short sessions, one after the other: the write-ahead log stays short, and no record is lost on the way.
#[test]
fn short_sessions_keep_the_log_short() {
    let top = folder();
    let log = top.path().join(format!("{FILE_NAME}-wal"));
    let (mut longest, mut shortened) = (0, 0);
    for number in 0..150 {
        let before = fs::metadata(&log).map_or(0, |found| found.len());
        let state = open(top.path());
        state
            .record(&event(number), RecordDurability::Batched)
            .unwrap();
        drop(state);
        let after = fs::metadata(&log).unwrap().len();
        longest = longest.max(after);
        shortened += usize::from(after < before);
    }
    assert!(longest <= 1 << 20, "{longest}");
    assert!(shortened > 0);
    let report = open(top.path()).verify(&[], true).unwrap();
    assert!(report.is_sound() && report.records == 150, "{report:?}");
}

#[test]
fn files_of_others_are_left_alone() {
    let other = |sql: &str| {
        let top = folder();
        Connection::open(top.path().join(FILE_NAME))
            .unwrap()
            .execute_batch(sql)
            .unwrap();
        (StateStore::open(top.path(), TestClock::at(NOW)), top)
    };
    assert_reason(other("CREATE TABLE mine(x)").0, "state_foreign");
    assert_reason(
        other("PRAGMA application_id = 7; CREATE TABLE mine(x)").0,
        "state_foreign",
    );
    let top = folder();
    drop(open(top.path()));
    Connection::open(top.path().join(FILE_NAME))
        .unwrap()
        .execute_batch("PRAGMA user_version = 99")
        .unwrap();
    assert_reason(
        StateStore::open(top.path(), TestClock::at(NOW)),
        "state_newer",
    );
}

#[test]
fn a_clock_that_leaps_back_breaks_no_chain() {
    let top = folder();
    let clock = TestClock::at(NOW);
    let state = StateStore::open(top.path(), Arc::clone(&clock) as Arc<dyn Clock>).unwrap();
    state.record(&event(0), RecordDurability::Synced).unwrap();
    clock.set(5);
    state.record(&event(1), RecordDurability::Synced).unwrap();
    drop(state);
    let state = StateStore::open(top.path(), clock).unwrap();
    state.record(&event(2), RecordDurability::Synced).unwrap();
    let report = state.verify(&[], true).unwrap();
    assert!(report.is_sound() && report.records == 3, "{report:?}");
}
