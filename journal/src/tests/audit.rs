use proptest::prelude::*;
use tool_core::json;

use super::*;

#[test]
fn records_form_a_chain() {
    let folder = folder();
    let state = open(folder.path());
    let first = state.record(&event(0), RecordDurability::Batched).unwrap();
    let second = state.record(&event(1), RecordDurability::Synced).unwrap();
    let third = state
        .record(&Value::from("not an object"), RecordDurability::Batched)
        .unwrap();
    assert_eq!((first.sequence, second.sequence, third.sequence), (1, 2, 3));
    assert_eq!(first.session, state.session());
    assert!(
        [&first, &second, &third]
            .iter()
            .all(|head| head.hash.len() == 64)
    );

    let listed = state.audit_list(None, 10).unwrap();
    assert_eq!(
        listed
            .iter()
            .map(|record| record.sequence)
            .collect::<Vec<_>>(),
        [3, 2, 1]
    );
    assert_eq!(listed[1].hash, second.hash);
    assert_eq!(
        json::canonical_json(&listed[1].record),
        r#"{"call_id":"c1","recorded_ms":1795305600000,"tool":"calculate"}"#
    );
    assert_eq!(
        json::canonical_json(&listed[0].record),
        r#"{"record":"not an object","recorded_ms":1795305600000}"#
    );
    assert_eq!(state.audit_list(Some(&first.session), 1).unwrap().len(), 1);
    assert_eq!(state.audit_list(Some("zzz"), 10).unwrap(), []);

    let name = format!("{}:2", &first.session[..20]);
    assert_eq!(state.audit_show(&name).unwrap(), listed[1]);
    assert_eq!(state.audit_show("c0").unwrap().sequence, 1);
    for unknown in ["c9", "zzz:1", ":9", ""] {
        assert_reason(state.audit_show(unknown), "unknown_record");
    }

    let report = state.verify(&[first, second, third], true).unwrap();
    assert!(report.is_sound(), "{report:?}");
    assert_eq!((report.sessions, report.records), (1, 3));
}

#[test]
fn a_state_without_records_writes_nothing() {
    let folder = folder();
    open(folder.path()).close().unwrap();
    let state = open(folder.path());
    let report = state.verify(&[], true).unwrap();
    assert!(report.is_sound());
    assert_eq!((report.sessions, report.records, report.head), (0, 0, None));
}

#[test]
fn dropping_writes_what_is_batched() {
    let folder = folder();
    filled(folder.path(), 3);
    let state = open(folder.path());
    for number in 0..5 {
        state
            .record(&event(number), RecordDurability::Batched)
            .unwrap();
    }
    drop(state);
    let report = open(folder.path()).verify(&[], true).unwrap();
    assert!(report.is_sound(), "{report:?}");
    assert_eq!((report.sessions, report.records), (4, 14));
}

/// Batched records reach the file by themselves, and more of them than are held in memory lose none.
#[test]
fn batched_records_are_written_soon_and_all() {
    let folder = folder();
    let state = open(folder.path());
    for number in 0..3000 {
        state
            .record(&event(number), RecordDurability::Batched)
            .unwrap();
    }
    let other = Connection::open(folder.path().join(FILE_NAME)).unwrap();
    let written = || {
        other
            .query_row("SELECT count(*) FROM events", [], |row| {
                row.get::<_, i64>(0)
            })
            .unwrap()
    };
    for _ in 0..1000 {
        if written() == 3000 {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(written(), 3000);
    assert!(state.verify(&[], true).unwrap().is_sound());
}

#[test]
fn threads_share_one_chain() {
    let folder = folder();
    let state = open(folder.path());
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let state = &state;
            scope.spawn(move || {
                for number in 0..40 {
                    let durability = if number % 8 == thread {
                        RecordDurability::Synced
                    } else {
                        RecordDurability::Batched
                    };
                    state.record(&event(number), durability).unwrap();
                }
            });
        }
    });
    let report = state.verify(&[], true).unwrap();
    assert!(report.is_sound(), "{report:?}");
    assert_eq!(report.records, 320);
}

/// Every byte of what is kept, changed one at a time, is found; and so is every record or link that is taken out.
#[test]
fn every_change_is_found() {
    let folder = folder();
    filled(folder.path(), 3);
    let state = open(folder.path());
    assert!(state.verify(&[], true).unwrap().is_sound());
    let file = intruder(folder.path());
    let mut changes = 0;
    for (table, column, key) in [
        ("events", "body", "number"),
        ("events", "hash", "number"),
        ("events", "session", "number"),
        ("sessions", "header", "id"),
        ("sessions", "id", "id"),
        ("heads", "session", "number"),
        ("heads", "hash", "number"),
        ("heads", "link", "number"),
    ] {
        let sql =
            format!("SELECT CAST({column} AS BLOB), typeof({column}), {key} FROM {table} LIMIT 4");
        let rows: Vec<(Vec<u8>, String, rusqlite::types::Value)> = file
            .prepare(&sql)
            .unwrap()
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .unwrap()
            .collect::<Result<_, _>>()
            .unwrap();
        for (bytes, kind, key_value) in rows {
            for position in 0..bytes.len() {
                let mut changed = bytes.clone();
                changed[position] ^= 1;
                let update =
                    format!("UPDATE {table} SET {column} = CAST(?1 AS {kind}) WHERE {key} IS ?2");
                file.execute_batch("BEGIN").unwrap();
                assert_eq!(
                    file.execute(&update, rusqlite::params![changed, key_value])
                        .unwrap(),
                    1
                );
                let report = verify_all_on(&file);
                file.execute_batch("ROLLBACK").unwrap();
                assert!(
                    !report.is_sound(),
                    "{table}.{column} byte {position} of {bytes:?}"
                );
                changes += 1;
            }
        }
    }
    assert!(changes > 500, "{changes}");
    for (sql, what) in [
        ("DELETE FROM events WHERE number = 2", "a record in the middle"),
        ("DELETE FROM events WHERE number = 3", "the last record before a link"),
        ("DELETE FROM events WHERE number <= 3", "all records of a closed session"),
        ("DELETE FROM sessions WHERE id = (SELECT session FROM events WHERE number = 1)", "a header"),
        ("DELETE FROM heads WHERE number = 2", "a link"),
        ("DELETE FROM heads", "all links"),
        ("UPDATE events SET sequence = sequence + 1 WHERE number = 3", "a number"),
        ("UPDATE heads SET sequence = 1 WHERE sequence = 3 AND number = 2", "the end that a link confirms"),
        ("UPDATE sessions SET opened_ms = 1", "the time of opening"),
        ("DELETE FROM heads WHERE session = (SELECT session FROM events WHERE number = 1); DELETE FROM events WHERE number <= 3;
          DELETE FROM sessions WHERE id NOT IN (SELECT session FROM events)", "a whole session with its links"),
    ] {
        file.execute_batch("BEGIN").unwrap();
        file.execute_batch(sql).unwrap();
        let report = verify_all_on(&file);
        file.execute_batch("ROLLBACK").unwrap();
        assert!(!report.is_sound(), "{what}");
    }
    let report = state.verify(&[], true).unwrap();
    assert!(report.is_sound(), "all is as before: {report:?}");
}

fn verify_all_on(connection: &Connection) -> VerificationReport {
    super::super::verify::verify_all(connection, &Default::default()).unwrap()
}

/// The end of a chain that nobody closed can be cut off; only a head that was kept elsewhere shows it.
#[test]
fn a_cut_tail_is_found_against_a_published_head() {
    let folder = folder();
    filled(folder.path(), 3);
    let state = open(folder.path());
    let newest = state.audit_list(None, 1).unwrap().remove(0);
    let head = LedgerHead {
        session: newest.session.clone(),
        sequence: newest.sequence,
        hash: newest.hash,
    };
    let head = parse_head(&head.to_string()).unwrap();
    let links = state.verify(std::slice::from_ref(&head), true).unwrap();
    assert!(links.is_sound());

    let file = intruder(folder.path());
    file.execute_batch("DELETE FROM events WHERE number = (SELECT max(number) FROM events)")
        .unwrap();
    assert!(
        state.verify(&[], true).unwrap().is_sound(),
        "without the head nothing shows it"
    );
    let report = state.verify(&[head], true).unwrap();
    assert_eq!(
        (report.faults.len(), report.faults[0].sequence),
        (1, 3),
        "{report:?}"
    );

    // A session cut off with its links is found against the published link.
    let published = links.head.unwrap();
    assert_eq!((published.session.as_str(), published.sequence), ("*", 5));
    file.execute_batch(&format!(
        "DELETE FROM heads WHERE session = '{0}'; DELETE FROM events WHERE session = '{0}'; DELETE FROM sessions WHERE id = '{0}'",
        newest.session
    ))
    .unwrap();
    assert!(state.verify(&[], true).unwrap().is_sound());
    assert!(!state.verify(&[published], true).unwrap().is_sound());
}

#[test]
fn a_head_of_another_file_does_not_fit() {
    let (one, two) = (folder(), folder());
    filled(one.path(), 2);
    filled(two.path(), 2);
    let head = open(one.path()).verify(&[], true).unwrap().head.unwrap();
    let report = open(two.path()).verify(&[head], true).unwrap();
    assert_eq!(
        report.faults[0].message,
        "the chain differs from the published head"
    );
    for text in [
        "",
        "a:b",
        "s:1:xyz",
        "s:1:2:3",
        &format!("s:x:{}", "a".repeat(64)),
    ] {
        assert_reason(parse_head(text), "head");
    }
}

/// The tables refuse changes even from this program.
#[test]
fn tables_are_append_only() {
    let folder = folder();
    filled(folder.path(), 1);
    let file = Connection::open(folder.path().join(FILE_NAME)).unwrap();
    for sql in [
        "UPDATE events SET body = ''",
        "DELETE FROM events",
        "UPDATE heads SET link = x'00'",
        "DELETE FROM heads",
        "UPDATE sessions SET header = ''",
        "DELETE FROM sessions",
    ] {
        let err = file.execute_batch(sql).unwrap_err();
        assert!(err.to_string().contains("append-only"), "{sql}: {err}");
    }
}

/// An export holds all that the hashes cover: the chain is checked here from its text alone.
#[test]
fn an_export_can_be_verified_by_itself() {
    let folder = folder();
    filled(folder.path(), 2);
    let state = open(folder.path());
    let mut out = Vec::new();
    let lines = state.export(None, &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    assert_eq!((lines, text.lines().count()), (3 + 6 + 5, 14));
    let mut hashes = std::collections::HashMap::new();
    for line in text.lines() {
        let value = json::parse_json(line, json::JsonLimits::default()).unwrap();
        let field = |name: &str| {
            value
                .get(name)
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        let before = hashes.get(&field("session")).copied().unwrap_or([0; 32]);
        let body = match &*field("type") {
            "session" => value.get("header").unwrap(),
            "record" => value.get("record").unwrap(),
            _ => continue,
        };
        let body = json::canonical_json(body);
        let mut bytes = b"mc-audit-v1".to_vec();
        bytes.extend(before);
        bytes.extend((body.len() as u64).to_le_bytes());
        bytes.extend(body.as_bytes());
        let hash = blake3::hash(&bytes);
        if field("type") == "record" {
            assert_eq!(field("hash"), hash.to_hex().to_string());
        }
        hashes.insert(field("session"), *hash.as_bytes());
    }
}

#[test]
fn a_record_too_long_is_refused_and_the_chain_goes_on() {
    let folder = folder();
    let state = open(folder.path());
    let long = Value::object([("x", "x".repeat(2 << 20))]);
    assert_reason(state.record(&long, RecordDurability::Batched), "record");
    assert_reason(state.record(&long, RecordDurability::Synced), "record");
    assert_eq!(
        state
            .record(&event(0), RecordDurability::Synced)
            .unwrap()
            .sequence,
        1
    );
    assert!(state.verify(&[], true).unwrap().is_sound());
}

/// When the file cannot be written, the call is told, what was batched stays, and the chain stands where it stood.
#[test]
fn a_failed_record_leaves_the_chain_as_it_was() {
    let folder = folder();
    let state = open(folder.path());
    state.record(&event(0), RecordDurability::Synced).unwrap();
    let file = Connection::open(folder.path().join(FILE_NAME)).unwrap();
    file.execute_batch(
        "CREATE TRIGGER full BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'no'); END",
    )
    .unwrap();
    state.record(&event(1), RecordDurability::Batched).unwrap();
    assert_reason_only(
        state.record(&event(2), RecordDurability::Synced),
        "state_io",
    );
    assert_reason_only(state.flush(), "state_io");
    file.execute_batch("DROP TRIGGER full").unwrap();
    let head = state.record(&event(3), RecordDurability::Synced).unwrap();
    assert_eq!(head.sequence, 3, "the first, the batched one, and this one");
    let report = state.verify(&[head], true).unwrap();
    assert!(report.is_sound(), "{report:?}");
    assert_eq!(report.records, 3);
}

#[track_caller]
fn assert_reason_only<T: std::fmt::Debug>(result: Result<T, ToolError>, reason: &str) {
    assert_eq!(result.unwrap_err().reason_str(), Some(reason));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// Whatever is recorded, and however: the chain holds, and records come back as they were.
    #[test]
    fn any_record_comes_back(texts in prop::collection::vec((any::<String>(), any::<f64>(), any::<bool>()), 1..12)) {
        let folder = folder();
        let state = open(folder.path());
        let mut expected = Vec::new();
        for (text, number, synced) in &texts {
            let record = Value::object([("text", Value::from(text.as_str())), ("number", Value::from(*number)), ("recorded_ms", Value::from(NOW))]);
            let durability = if *synced { RecordDurability::Synced } else { RecordDurability::Batched };
            state.record(&record, durability).unwrap();
            expected.push(json::canonical_json(&record));
        }
        expected.reverse();
        let found: Vec<String> = state.audit_list(None, 100).unwrap().iter().map(|record| json::canonical_json(&record.record)).collect();
        prop_assert_eq!(found, expected);
        prop_assert!(state.verify(&[], true).unwrap().is_sound());
    }
}

/// After a failure no head is given out until what waits is written; the records wait on, and are there afterwards.
#[test]
fn no_head_is_given_while_what_waits_cannot_be_written() {
    let folder = folder();
    let state = open(folder.path());
    let first = state.record(&event(1), RecordDurability::Synced).unwrap();
    let file = intruder(folder.path());
    file.execute_batch(
        "CREATE TRIGGER no_room BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'no room'); END;",
    )
    .unwrap();
    // The thread of the state may try before this one does, so only what comes after is sure.
    let _ = state.record(&event(2), RecordDurability::Batched);
    assert!(state.flush().is_err());
    for number in 3..6 {
        let err = state
            .record(&event(number), RecordDurability::Batched)
            .unwrap_err();
        assert!(err.reason_str().unwrap().starts_with("state_"), "{err:?}");
    }
    assert!(state.close().is_err());
    file.execute_batch("DROP TRIGGER no_room").unwrap();
    let last = state.record(&event(6), RecordDurability::Batched).unwrap();
    state.close().unwrap();
    assert_eq!(last.sequence, 6);
    let report = state.verify(&[first, last], true).unwrap();
    assert!(report.is_sound(), "{report:?}");
}

#[test]
fn a_record_that_would_wait_is_not_made() {
    let top = folder();
    let state = open(top.path());
    let record = Value::object([("kind", "call")]);
    let first = state
        .record_at_once(&record)
        .expect("no one writes")
        .unwrap();
    assert_eq!(first.sequence, 1);
    let writing = state.shared.lock();
    assert!(state.record_at_once(&record).is_none());
    drop(writing);
    let second = state
        .record_at_once(&record)
        .expect("no one writes")
        .unwrap();
    assert_eq!(second.sequence, 2);
}
