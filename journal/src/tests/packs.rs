//! Packs: what was recorded comes back, few rows hold it, and damage is found.

use tool_core::{Object, fields, object};

use super::*;

const ELEMENTS: usize = 200;

/// The record of the call of an element, as the dispatcher writes it.
fn call(item: usize) -> Value {
    let digest = |what: &str| registry::digest::of_texts([what, &item.to_string()]);
    object! {
        "kind" => "call",
        "time_ms" => 1_000 + item,
        "call_id" => format!("{item:016x}"),
        "step" => "draws",
        "item" => item,
        "role" => "worker_math",
        "tool" => "monte_carlo",
        "args_digest" => digest("args"),
        "approval_id" => Value::Null,
        "effects" => Vec::<Value>::new(),
        "resources" => Vec::<Value>::new(),
        "status" => "success",
        "output_digest" => digest("output"),
        "elapsed_ms" => item as f64 / 8.0,
        "node" => if item.is_multiple_of(2) { "n1" } else { "n2" },
    }
}

/// The event of the end of an element; each seventh has one member more.
fn settled(item: usize) -> Object {
    let mut event = fields! {
        "kind" => "settled",
        "step" => "draws",
        "item" => item,
        "tool" => "monte_carlo",
        "attempt" => 1_i64,
        "status" => "done",
        "elapsed_ms" => item as f64,
    };
    event.insert_some("note", item.is_multiple_of(7).then_some("seventh"));
    event
}

fn end(item: usize) -> Value {
    object! { "status" => "done", "output" => object! { "mean" => item as f64 + 0.1, "list" => vec![1.0, 2.5] } }
}

fn record_elements(journal: &Journal, items: std::ops::Range<usize>) {
    for item in items {
        journal
            .record(&call(item), RecordDurability::Batched)
            .unwrap();
        journal
            .settle_call(settled(item), &end(item), RecordDurability::Batched)
            .unwrap();
    }
}

fn count(connection: &Connection, table: &str) -> usize {
    let sql = format!("SELECT count(*) FROM {table}");
    sql::first_row::<u64>(connection, &sql, [])
        .unwrap()
        .unwrap() as usize
}

/// The members of a record without those that the journal adds.
fn plain(record: &Value) -> Object {
    let mut members = record.as_object().unwrap().clone();
    for key in ["recorded_ms", "end", "end_at"] {
        members.remove(key);
    }
    members
}

/// As canonical JSON has it.
fn read_back(value: &Value) -> Value {
    let text = tool_core::json::canonical_json(value);
    tool_core::json::parse_json(&text, tool_core::json::JsonLimits::default()).unwrap()
}

#[test]
fn records_of_elements_come_back_from_few_rows() {
    let top = folder();
    let state = Arc::new(open(top.path()));
    let journal = state.begin_run(&header()).unwrap();
    let id = journal.id().to_owned();
    record_elements(&journal, 0..ELEMENTS);
    // Another record comes after them.
    journal
        .write(&told("ending", 1), RecordDurability::Batched)
        .unwrap();
    let records = state.run_records(&id).unwrap();
    assert_eq!(records.len(), 2 * ELEMENTS + 1);
    assert_eq!(records.last().unwrap().text("kind"), Some("ending"));
    let of_kind = |kind: &str| {
        let mut found: Vec<&Value> = (records.iter())
            .filter(|record| record.text("kind") == Some(kind))
            .collect();
        found.sort_by_key(|record| record.get("item").and_then(Value::as_i64));
        found
    };
    for (item, record) in of_kind("call").into_iter().enumerate() {
        assert_eq!(Value::from(plain(record)), read_back(&call(item)));
        assert!(record.get("recorded_ms").is_some());
    }
    for (item, record) in of_kind("settled").into_iter().enumerate() {
        let expected = read_back(&settled(item).into());
        assert_eq!(Value::from(plain(record)), expected);
        let stored = StoredEnd::of(record).unwrap();
        assert_eq!(state.end(&stored).unwrap(), read_back(&end(item)), "{item}");
    }
    let connection = intruder(top.path());
    assert!(
        count(&connection, "events") < 20,
        "{}",
        count(&connection, "events")
    );
    assert!(count(&connection, "uses") < 20);
    let found = state.audit_show(&format!("{:016x}", 77)).unwrap();
    assert_eq!(found.record.get("item"), Some(&Value::Int(77)));
    assert_eq!(found.record.text("kind"), Some("call"));
    assert_reason(state.audit_show("00000000"), "unknown_record");
    let newest = state.audit_list(Some(&id), 3).unwrap();
    assert_eq!(newest.len(), 3);
    let filter = AuditFilter {
        tool: Some("monte_carlo".to_owned()),
        role: Some("worker_math".to_owned()),
        ..AuditFilter::default()
    };
    let calls = state.audit_matching(&filter, 1_000).unwrap();
    assert_eq!(calls.len(), ELEMENTS);
    let filter = AuditFilter {
        status: Some("done".to_owned()),
        ..AuditFilter::default()
    };
    let ends = state.audit_matching(&filter, 1_000).unwrap();
    assert_eq!(ends.len(), ELEMENTS);
    let calls = state.calls_and_plans(Some(&id), 0, 1_000).unwrap();
    assert_eq!(calls.len(), ELEMENTS);
    assert!(!state.recent_durations_ms().unwrap().is_empty());
    let head = journal.finish(RunState::Succeeded).unwrap();
    drop(journal);
    let report = state.verify(&[head], true).unwrap();
    assert!(report.is_sound(), "{:?}", report.faults);
}

#[test]
fn a_run_with_packs_is_taken_by_another_process() {
    let top = folder();
    let state = Arc::new(open(top.path()));
    let journal = state.begin_run(&header()).unwrap();
    let id = journal.id().to_owned();
    record_elements(&journal, 0..ELEMENTS);
    drop(journal);
    drop(state);
    let state = Arc::new(open(top.path()));
    let (journal, records) = state.take_run(&id).unwrap();
    assert_eq!(records.len(), 2 * ELEMENTS);
    record_elements(&journal, ELEMENTS..ELEMENTS + 3);
    let head = journal.finish(RunState::Succeeded).unwrap();
    let records = state.run_records(&id).unwrap();
    let ends = records.iter().filter_map(StoredEnd::of).count();
    assert_eq!(ends, ELEMENTS + 3);
    assert!(state.verify(&[head], true).unwrap().is_sound());
}

#[test]
fn what_is_looked_up_by_its_record_or_large_stands_alone() {
    let top = folder();
    let state = Arc::new(open(top.path()));
    let journal = state.begin_run(&header()).unwrap();
    let id = journal.id().to_owned();
    for item in 0..ELEMENTS {
        let mut approved = call(item).as_object().unwrap().clone();
        approved.insert("approval_id", "none-such");
        assert!(!crate::packs::is_packable_call(&approved));
        let mut effect = call(item).as_object().unwrap().clone();
        effect.insert("effects", vec![Value::from("modifies_files")]);
        assert!(!crate::packs::is_packable_call(&effect));
        let mut failed = call(item).as_object().unwrap().clone();
        failed.insert("status", "error");
        assert!(!crate::packs::is_packable_call(&failed));
        let large = object! { "output" => "x".repeat(5_000) };
        journal
            .settle_call(settled(item), &large, RecordDurability::Batched)
            .unwrap();
    }
    let records = state.run_records(&id).unwrap();
    assert_eq!(records.len(), ELEMENTS);
    let stored = StoredEnd::of(&records[0]).unwrap();
    assert_eq!(stored.at, None);
    assert_eq!(count(&intruder(top.path()), "events"), ELEMENTS);
}

#[test]
fn a_damaged_pack_is_a_fault_and_an_error() {
    let top = folder();
    let state = Arc::new(open(top.path()));
    let journal = state.begin_run(&header()).unwrap();
    let id = journal.id().to_owned();
    record_elements(&journal, 0..ELEMENTS);
    journal.finish(RunState::Succeeded).unwrap();
    drop(journal);
    state.close().unwrap();
    intruder(top.path())
        .execute_batch(
            "UPDATE events SET body = replace(body, '\"records\":\"', '\"records\":\"AAAA') WHERE body LIKE '%\"kind\":\"pack\"%';",
        )
        .unwrap();
    assert!(!state.verify(&[], false).unwrap().is_sound());
    assert_reason(state.run_records(&id), "run_corrupt");
    assert_reason(state.audit_list(Some(&id), 10), "state_corrupt");
}

#[test]
fn stored_texts_are_compressed_where_that_is_shorter() {
    let top = folder();
    let state = Arc::new(open(top.path()));
    let journal = state.begin_run(&header()).unwrap();
    let value = object! { "text" => "abc ".repeat(2_000) };
    let handle = journal.put(&value).unwrap();
    state.flush().unwrap();
    assert_eq!(state.value(&handle).unwrap(), value);
    let connection = intruder(top.path());
    let longest = "SELECT max(length(body)) FROM vals";
    let longest = sql::first_row::<u64>(&connection, longest, []).unwrap();
    assert!(longest.unwrap() < 2_000, "{longest:?}");
    let mut export = Vec::new();
    state.export_whole(&mut export).unwrap();
    let export = String::from_utf8(export).unwrap();
    assert!(export.contains(&"abc ".repeat(2_000)));
    drop(journal);
    assert!(state.verify(&[], true).unwrap().is_sound());
}
