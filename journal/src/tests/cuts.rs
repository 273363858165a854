//! Forged cuts, by an intruder who knows every algorithm and rebuilds all hashes, but has no key of the user.

use super::pruning::{DAY_MS, Place, key};
use super::*;
use crate::cut::ChainCut;
use crate::verify::VerificationChecks;

/// A state with three sessions of two records, the first two of which were pruned.
fn pruned() -> Place {
    let place = Place::new();
    for _ in 0..3 {
        place.session(2);
    }
    place.prune(NOW + 2 * DAY_MS + 1);
    place
}

/// The place and body of the record of the cut.
fn record_of_cut(file: &Connection) -> (String, i64, Value) {
    const SQL: &str =
        "SELECT session, sequence, body FROM events WHERE instr(body, '\"cut\":{') > 0";
    let (session, sequence, body): (String, i64, String) = file
        .query_row(SQL, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .unwrap();
    let record =
        tool_core::json::parse_json(&body, tool_core::json::JsonLimits::default()).unwrap();
    (session, sequence, record)
}

fn cut_of(record: &Value) -> ChainCut {
    tool_core::convert::from_value(record.get("cut").unwrap()).unwrap()
}

/// Changes the cut in its record, and rebuilds every hash.
fn with_cut(place: &Place, change: impl FnOnce(&mut ChainCut, &str)) {
    let file = intruder(place.top.path());
    let (session, sequence, record) = record_of_cut(&file);
    let mut cut = cut_of(&record);
    change(&mut cut, &session);
    let mut record = record.as_object().unwrap().clone();
    record.insert("cut", tool_core::convert::to_value(&cut).unwrap());
    let body = tool_core::json::canonical_json(&Value::Object(record.into()));
    let sql = "UPDATE events SET body = ? WHERE session = ? AND sequence = ?";
    let params = rusqlite::params![body, session, sequence];
    assert_eq!(file.execute(sql, params).unwrap(), 1);
    rebuild(&file, chain::parse_hex_hash(&cut.link_hash), cut.link);
}

/// Computes every hash of every chain again, and the links that follow one, with the numbers that follow its.
fn rebuild(file: &Connection, mut before: [u8; 32], mut number: u64) {
    let texts = |sql: &str, of: &str| -> Vec<(i64, String)> {
        let mut query = file.prepare(sql).unwrap();
        let rows = query.query_map([of], |row| Ok((row.get(0)?, row.get(1)?)));
        rows.unwrap().collect::<Result<_, _>>().unwrap()
    };
    let mut hashes = std::collections::HashMap::new();
    for (_, session) in texts("SELECT rowid, id FROM sessions WHERE ? = ''", "") {
        let header = texts("SELECT rowid, header FROM sessions WHERE id = ?", &session);
        let mut hash = chain::record_hash(&chain::START, &header[0].1);
        hashes.insert((session.clone(), 0), hash);
        let sql = "SELECT sequence, body FROM events WHERE session = ? ORDER BY sequence";
        for (sequence, body) in texts(sql, &session) {
            hash = chain::record_hash(&hash, &body);
            let sql = "UPDATE events SET hash = ? WHERE session = ? AND sequence = ?";
            file.execute(sql, rusqlite::params![hash, session, sequence])
                .unwrap();
            hashes.insert((session.clone(), sequence), hash);
        }
    }
    file.execute("UPDATE heads SET number = number + 1000", [])
        .unwrap();
    for (old, session) in texts(
        "SELECT number, session FROM heads WHERE ? = '' ORDER BY number",
        "",
    ) {
        let sql = "SELECT sequence FROM heads WHERE number = ?";
        let sequence: i64 = file.query_row(sql, [old], |row| row.get(0)).unwrap();
        let hash = hashes[&(session.clone(), sequence)];
        before = chain::link_hash(&before, &session, sequence as u64, &hash);
        number += 1;
        let sql = "UPDATE heads SET number = ?, hash = ?, link = ? WHERE number = ?";
        let params = rusqlite::params![number as i64, hash, before, old];
        file.execute(sql, params).unwrap();
    }
}

/// The faults that this user's verification finds.
fn faults(place: &Place) -> Vec<String> {
    let keys = [key().public()];
    let checks = VerificationChecks {
        cut_keys: Some(&keys),
        ..VerificationChecks::default()
    };
    let report = place.open().verify_with(&checks).unwrap();
    report
        .faults
        .into_iter()
        .map(|fault| fault.message)
        .collect()
}

#[track_caller]
fn assert_fault(place: &Place, what: &str) {
    let found = faults(place);
    assert!(
        found.len() == 1 && found[0].contains(what),
        "{what}: {found:?}"
    );
}

/// So that the tests below show the signature at work, and nothing else.
#[test]
fn hashes_rebuilt_without_a_change_verify() {
    let place = pruned();
    with_cut(&place, |_, _| ());
    assert_eq!(faults(&place), [""; 0]);
}

#[test]
fn a_cut_that_was_changed_is_found() {
    type Change = fn(&mut ChainCut);
    let changes: [(&str, Change); 9] = [
        ("records", |cut| cut.records = 1),
        ("sessions", |cut| cut.sessions = 1),
        ("earlier", |cut| cut.earlier_records = 7),
        ("first", |cut| cut.first_ms += 1),
        ("last", |cut| cut.last_ms += 1),
        ("time", |cut| cut.pruned_ms += 1),
        ("newest", |cut| cut.last = format!("x:1:{}", "0".repeat(64))),
        ("link", |cut| cut.link += 3),
        ("hash", |cut| cut.link_hash = "0".repeat(64)),
    ];
    for (name, change) in changes {
        let place = pruned();
        with_cut(&place, |cut, _| change(cut));
        let found = faults(&place);
        assert!(
            found[0].contains("signature of the cut"),
            "{name}: {found:?}"
        );
    }
    let place = pruned();
    with_cut(&place, |cut, _| cut.signature.clear());
    assert_fault(&place, "the cut is not signed");
    let place = pruned();
    with_cut(&place, |cut, _| cut.key = CutKey::of_seed([8; 32]).public());
    assert!(faults(&place)[0].contains("signature of the cut"));
}

/// A cut that the intruder signs is sound in itself, and not one of this user.
#[test]
fn a_cut_by_another_key_is_not_of_this_user() {
    let place = pruned();
    with_cut(&place, |cut, session| {
        cut.records = 1;
        cut.sign(session, &CutKey::of_seed([8; 32]));
    });
    assert_fault(&place, "which is not this user's");
    assert!(place.open().verify(&[], false).unwrap().is_sound());
}

/// Records removed by hand, with a cut made up for them.
#[test]
fn a_cut_that_never_happened_is_found() {
    for is_signed in [false, true] {
        let place = Place::new();
        let gone = place.session(2);
        place.session(2);
        let file = intruder(place.top.path());
        let sql = "SELECT max(number), link FROM heads WHERE session = ?";
        let (number, link): (i64, [u8; 32]) = file
            .query_row(sql, [&gone], |row| Ok((row.get(0)?, row.get(1)?)))
            .unwrap();
        for sql in [
            "DELETE FROM events WHERE session = ?",
            "DELETE FROM heads WHERE session = ?",
            "DELETE FROM sessions WHERE id = ?",
        ] {
            file.execute(sql, [&gone]).unwrap();
        }
        let sql = "SELECT session, max(sequence) + 1 FROM events";
        let (session, next): (String, i64) = file
            .query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?)))
            .unwrap();
        let mut cut = ChainCut {
            link: number.unsigned_abs(),
            link_hash: chain::format_hex_hash(&link),
            last: format!("{gone}:2:{}", "0".repeat(64)),
            sessions: 1,
            records: 2,
            first_ms: NOW,
            last_ms: NOW,
            earlier_records: 0,
            pruned_ms: NOW,
            key: String::new(),
            signature: String::new(),
        };
        if is_signed {
            cut.sign(&session, &CutKey::of_seed([9; 32]));
        }
        let cut_value = tool_core::convert::to_value(&cut).unwrap();
        let record = tool_core::object! { "event" => "prune", "cut" => cut_value };
        let body = tool_core::json::canonical_json(&record);
        let sql =
            "INSERT INTO events(session, sequence, body, hash) VALUES (?, ?, ?, zeroblob(32))";
        file.execute(sql, rusqlite::params![session, next, body])
            .unwrap();
        let sql = "UPDATE heads SET sequence = ? WHERE number = (SELECT max(number) FROM heads)";
        file.execute(sql, [next]).unwrap();
        rebuild(&file, link, number.unsigned_abs());
        let expected = match is_signed {
            false => "the cut is not signed",
            true => "which is not this user's",
        };
        assert_fault(&place, expected);
    }
}

/// A cut belongs to the chain that it was signed for, and to one state.
#[test]
fn a_cut_that_was_moved_is_found() {
    let place = pruned();
    let file = intruder(place.top.path());
    let (session, sequence, record) = record_of_cut(&file);
    let sql = "SELECT max(session) FROM events WHERE session != ?";
    let other: String = file.query_row(sql, [&session], |row| row.get(0)).unwrap();
    let sql = "UPDATE events SET session = ?1, number = (SELECT max(number) + 1 FROM events), sequence = (SELECT max(sequence) + 1 FROM events WHERE session = ?1)
         WHERE session = ?2 AND sequence = ?3";
    let params = rusqlite::params![other, session, sequence];
    file.execute(sql, params).unwrap();
    // The links confirm what is there now.
    file.execute("UPDATE heads SET sequence = (SELECT ifnull(max(sequence), 0) FROM events WHERE events.session = heads.session)
         WHERE number IN (SELECT max(number) FROM heads GROUP BY session)", []).unwrap();
    let sql = "INSERT INTO heads(number, session, sequence, hash, link)
         SELECT max(number) + 1, ?1, (SELECT max(sequence) FROM events WHERE session = ?1), hash, link FROM heads";
    file.execute(sql, [&other]).unwrap();
    let cut = cut_of(&record);
    rebuild(&file, chain::parse_hex_hash(&cut.link_hash), cut.link);
    // Its number, which lists go by, moved with it.
    let found = faults(&place);
    let of_signature = |fault: &String| fault.contains("signature of the cut");
    assert!(found.iter().any(of_signature), "{found:?}");
}

/// What follows the cut has no key: a hole is found by the hashes, and hashes rebuilt around it by a head that was stored elsewhere.
#[test]
fn records_removed_after_the_cut_are_found() {
    let remove = |place: &Place| {
        let file = intruder(place.top.path());
        let (cut_session, _, record) = record_of_cut(&file);
        let sql = "SELECT session FROM heads WHERE session != ? ORDER BY number LIMIT 1";
        let session: String = file
            .query_row(sql, [&cut_session], |row| row.get(0))
            .unwrap();
        for sql in [
            "DELETE FROM events WHERE session = ?",
            "DELETE FROM heads WHERE session = ?",
            "DELETE FROM sessions WHERE id = ?",
        ] {
            assert!(file.execute(sql, [&session]).unwrap() > 0);
        }
        (file, cut_of(&record))
    };
    let with_more = || {
        let place = pruned();
        place.session(2);
        let head = place.open().verify(&[], false).unwrap().head.unwrap();
        (place, head)
    };
    let (place, _) = with_more();
    remove(&place);
    assert!(
        faults(&place)
            .iter()
            .any(|fault| fault.contains("missing") || fault.contains("changed"))
    );
    let (place, head) = with_more();
    let (file, cut) = remove(&place);
    rebuild(&file, chain::parse_hex_hash(&cut.link_hash), cut.link);
    assert_eq!(faults(&place), [""; 0], "the file alone does not tell");
    let report = place.open().verify(&[head], false).unwrap();
    assert!(!report.is_sound(), "a head that was stored elsewhere does");
}
