use std::fs;

use tool_core::capability::{ApprovalRequest, ApprovalState, ApprovalStore};

use super::*;

/// A run that refers to small values, a large text and a matrix, and has ended.
fn run(state: &Arc<StateStore>, first: f64) -> String {
    let journal = state.begin_run(&header()).unwrap();
    let mut matrix = vec![0.25; 10_000];
    matrix[0] = first;
    let values = [
        Value::object([("first", first)]),
        Value::object([("m", Value::vector(matrix)), ("first", Value::from(first))]),
        Value::from(format!("{first} {}", "x".repeat(40_000))),
    ];
    for value in &values {
        let end = journal.put(value).unwrap().to_value();
        let settled = Value::object([("kind", Value::from("settled")), ("end", end)]);
        journal.write(&settled, RecordDurability::Batched).unwrap();
    }
    // A kept result: the run refers to it, and no record names it.
    journal.put(&Value::object([("kept", first)])).unwrap();
    journal.finish(RunState::Succeeded).unwrap();
    journal.id().to_owned()
}

fn shared(folder: &Path) -> Arc<StateStore> {
    Arc::new(open(folder))
}

#[track_caller]
fn faults(state: &StateStore) -> Vec<String> {
    let report = state.verify(&[], true).unwrap();
    let faults = report.faults.iter();
    faults
        .map(|fault| format!("{}:{} {}", fault.session, fault.sequence, fault.message))
        .collect()
}

/// Every small value, each changed and each taken away, is named with the run that refers to it; once.
#[test]
fn every_small_value_is_read() {
    let folder = folder();
    let state = shared(folder.path());
    let run = run(&state, 1.0);
    let report = state.verify(&[], true).unwrap();
    assert!(report.is_sound(), "{report:?}");
    // Plan, inputs, two settled ends with one block, a text, a kept result.
    assert_eq!(report.values, Some(7));
    assert_eq!(state.verify(&[], false).unwrap().values, None);

    let file = intruder(folder.path());
    let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
    let rows: Vec<(Vec<u8>, String)> = file
        .prepare("SELECT hash, body FROM vals")
        .unwrap()
        .query_map([], read)
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    assert_eq!(rows.len(), 5);
    let is_named = |what: &str| {
        let found = faults(&state);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(
            found[0].starts_with(&run) && found[0].contains(what),
            "{found:?}"
        );
        assert!(state.verify(&[], false).unwrap().is_sound());
    };
    for (hash, body) in rows {
        let set = |body: &str| {
            let sql =
                "INSERT INTO vals VALUES (?1, ?2, 0) ON CONFLICT(hash) DO UPDATE SET body = ?2";
            file.execute(sql, rusqlite::params![hash, body]).unwrap();
        };
        set(&format!("{body} "));
        is_named("does not match its hash");
        file.execute("DELETE FROM vals WHERE hash = ?", [&hash])
            .unwrap();
        is_named("no longer exists");
        set(&body);
        assert_eq!(faults(&state), Vec::<String>::new());
    }
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "the test damages what a run left"
)]
fn files_are_read_and_a_missing_one_is_a_fault_where_a_record_names_it() {
    let folder = folder();
    let state = shared(folder.path());
    let run = run(&state, 1.0);
    let folders = fs::read_dir(folder.path().join("artifacts")).unwrap();
    let files = folders.flat_map(|folder| fs::read_dir(folder.unwrap().path()).unwrap());
    let files: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    assert_eq!(files.len(), 2);
    for file in files {
        let whole = fs::read(&file).unwrap();
        let mut changed = whole.clone();
        *changed.last_mut().unwrap() ^= 1;
        fs::write(&file, changed).unwrap();
        let found = faults(&state);
        assert!(found.len() == 1 && found[0].starts_with(&run), "{found:?}");
        fs::remove_file(&file).unwrap();
        let found = faults(&state);
        assert!(
            found.len() == 1 && found[0].contains("no longer exists"),
            "{found:?}"
        );
        fs::write(&file, whole).unwrap();
    }
    assert_eq!(faults(&state), Vec::<String>::new());
}

/// More runs than one record lists: what was collected is no fault, what is only marked so is.
#[test]
fn collected_values_are_no_fault_where_a_record_says_so() {
    let folder = folder();
    let state = shared(folder.path());
    for number in 0..8 {
        run(&state, f64::from(number));
    }
    let keep = RetentionPolicy {
        age_ms: Some(0),
        ..RetentionPolicy::default()
    };
    let dry = state
        .gc(RetentionPolicy {
            dry_run: true,
            ..keep
        })
        .unwrap();
    let done = state.gc(keep).unwrap();
    assert_eq!((done.runs.len(), &dry), (8, &done));
    let records = state.audit_list(Some(&state.session()), 10).unwrap();
    let listed = records
        .iter()
        .map(|record| record.record.get("runs").unwrap().items().unwrap().len());
    assert_eq!(listed.collect::<Vec<_>>(), [2, 3, 3]);
    let report = state.verify(&[], true).unwrap();
    assert_eq!(
        (report.is_sound(), report.values),
        (true, Some(0)),
        "{report:?}"
    );

    let kept = run(&state, 9.0);
    let file = intruder(folder.path());
    file.execute_batch("UPDATE runs SET collected = 1; DELETE FROM vals")
        .unwrap();
    let found = faults(&state);
    assert!(found.len() == 1 && found[0].starts_with(&kept), "{found:?}");
    assert!(found[0].contains("no record says"), "{found:?}");
}

/// Rows beside the chains: what they say of a file, who refers to it, what belongs to it. Each that is changed or missing is named.
#[test]
fn rows_that_say_something_else_or_are_missing_are_found() {
    let folder = folder();
    let state = shared(folder.path());
    run(&state, 1.0);
    state.flush().unwrap();
    let file = intruder(folder.path());
    file.execute_batch("DROP TRIGGER runs_kept").unwrap();
    let tables = ["artifacts", "parts", "uses", "sessions", "cache"];
    for table in tables {
        let sql = format!("CREATE TABLE kept_{table} AS SELECT * FROM {table}");
        file.execute_batch(&sql).unwrap();
    }
    for (damage, said) in [
        (
            "UPDATE artifacts SET about = replace(about, '\"min\":', '\"min\":9')",
            "does not describe its file",
        ),
        (
            "UPDATE artifacts SET about = replace(about, '[10000]', '[100, 100]')",
            "does not describe its file",
        ),
        (
            "UPDATE artifacts SET bytes = bytes + 1",
            "does not describe its file",
        ),
        ("DELETE FROM artifacts", "the row of the artifact"),
        ("DELETE FROM parts", "as a part of"),
        (
            "UPDATE sessions SET opened_ms = opened_ms + 1 WHERE header LIKE '%plan_id%'",
            "the header was changed",
        ),
    ] {
        assert!(file.execute(damage, []).unwrap() > 0, "{damage}");
        let found = faults(&state);
        assert!(!found.is_empty(), "{damage}");
        assert!(
            found.iter().all(|fault| fault.contains(said)),
            "{damage}: {found:?}"
        );
        for table in tables {
            let sql =
                format!("DELETE FROM {table}; INSERT INTO {table} SELECT * FROM kept_{table}");
            file.execute_batch(&sql).unwrap();
        }
        assert_eq!(faults(&state), Vec::<String>::new(), "{damage}");
    }
    // Five values that the run's records and its row name; that it refers to a kept result stands nowhere else.
    file.execute_batch("DELETE FROM uses").unwrap();
    let found = faults(&state);
    assert_eq!(found.len(), 5, "{found:?}");
    assert!(
        found.iter().all(|fault| fault.contains("refers to")),
        "{found:?}"
    );
}

/// A value that no record names is told by its row alone: the row is held against the file.
#[test]
fn what_only_a_row_says_of_a_file_is_computed_again() {
    let folder = folder();
    let state = shared(folder.path());
    let journal = state.begin_run(&header()).unwrap();
    journal.put(&Value::vector(vec![0.25; 10_000])).unwrap();
    journal.put(&Value::from("x".repeat(40_000))).unwrap();
    journal.finish(RunState::Succeeded).unwrap();
    assert_eq!(faults(&state), Vec::<String>::new());
    let file = intruder(folder.path());
    for damage in [
        "UPDATE artifacts SET about = replace(about, '0.25', '0.75')",
        "UPDATE artifacts SET about = replace(about, ':40002', ':40003'), bytes = bytes + 1 WHERE about LIKE '%:40002%'",
    ] {
        assert!(file.execute(damage, []).unwrap() > 0, "{damage}");
        let found = faults(&state);
        assert!(
            found.len() == 1 && found[0].contains("does not describe its file"),
            "{damage}: {found:?}"
        );
        file.execute_batch(
            "UPDATE artifacts SET about = replace(about, '0.75', '0.25');
             UPDATE artifacts SET about = replace(about, ':40003', ':40002'), bytes = bytes - 1 WHERE about LIKE '%:40003%'",
        )
        .unwrap();
    }
}

#[test]
fn a_kept_result_that_is_anothers_is_not_answered_and_is_found() {
    let folder = folder();
    let state = shared(folder.path());
    let journal = state.begin_run(&header()).unwrap();
    for (key, number) in [("one", 1.0), ("two", 2.0)] {
        let handle = journal.put(&Value::object([("mean", number)])).unwrap();
        state.remember(key, &handle, "statistics", 1).unwrap();
    }
    journal.finish(RunState::Succeeded).unwrap();
    state.flush().unwrap();
    assert!(state.cached("one").unwrap().is_some());
    let file = intruder(folder.path());
    let sql = "UPDATE cache SET (value, handle, bound) = (SELECT value, handle, bound FROM cache WHERE action_key = 'two') WHERE action_key = 'one'";
    assert_eq!(file.execute(sql, []).unwrap(), 1);
    assert_eq!(state.cached("one").unwrap(), None);
    assert!(state.cached("two").unwrap().is_some());
    let found = faults(&state);
    assert!(
        found.len() == 1 && found[0].contains("the cached result of the call `one` was changed"),
        "{found:?}"
    );
    // What is computed again takes its place.
    let again = state.begin_run(&header()).unwrap();
    let handle = again.put(&Value::object([("mean", 1.0)])).unwrap();
    state.remember("one", &handle, "statistics", 1).unwrap();
    again.finish(RunState::Succeeded).unwrap();
    assert_eq!(faults(&state), Vec::<String>::new());
    assert_eq!(state.cached("one").unwrap().unwrap().0, handle);
}

/// Approvals are never removed: a record that names one that is not there shows that somebody did.
#[test]
fn an_approval_that_was_taken_away_is_found() {
    let folder = folder();
    let state = shared(folder.path());
    let request = ApprovalRequest {
        digest: "d".to_owned(),
        tool: "write_file".to_owned(),
        role: "operator".to_owned(),
        agent: None,
        condition: Value::Null,
        preview: String::new(),
        cut: false,
        by_key: false,
        lifetime_ms: DAY_MS,
        fallback: ApprovalFallback::Expire,
        workspace: None,
        details: Value::Null,
        reason: "destructive".to_owned(),
        step: None,
        edited: None,
    };
    let ApprovalState::Pending { id, .. } = state.settle(&request, &event(1)).unwrap() else {
        panic!("it waits");
    };
    state.approve(&id, "terminal").unwrap();
    state.settle(&request, &event(1)).unwrap();
    assert_eq!(faults(&state), Vec::<String>::new());
    let file = intruder(folder.path());
    file.execute_batch("DELETE FROM approvals").unwrap();
    let found = faults(&state);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found.iter().all(|fault| fault.contains(&id)), "{found:?}");
}

/// Records that were put at another place of the list are found: within their session, and among the others.
#[test]
fn records_with_other_numbers_are_found() {
    const SWAP: &str = "UPDATE events SET number = CASE number WHEN ?1 THEN -?2 WHEN ?2 THEN -?1 END WHERE number IN (?1, ?2)";
    const SIGN: &str = "UPDATE events SET number = -number WHERE number < 0";
    // Three sessions with four records each, numbered in the order of their writing.
    for (one, other) in [(1, 2), (2, 4), (4, 5), (3, 8)] {
        let folder = folder();
        filled(folder.path(), 4);
        let file = intruder(folder.path());
        file.execute(SWAP, [one, other]).unwrap();
        file.execute(SIGN, []).unwrap();
        let found = faults(&open(folder.path()));
        assert!(
            found
                .iter()
                .any(|fault| fault.contains("the number of the record was changed")),
            "{one} and {other}: {found:?}"
        );
    }
}

/// A pipe, a device and a file beyond every limit are told at once: nothing waits for them or reads them.
#[cfg(unix)]
#[test]
fn what_is_no_file_of_ours_is_not_read() {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    let folder = folder();
    let state = shared(folder.path());
    let journal = state.begin_run(&header()).unwrap();
    let handle = journal.put(&Value::vector(vec![0.25; 10_000])).unwrap();
    let settled = Value::object([("kind", Value::from("settled")), ("end", handle.to_value())]);
    journal.write(&settled, RecordDurability::Batched).unwrap();
    let path = state.shared.folder.place(handle.hash, "npy");
    let check = |said: &str| {
        let found = faults(&state);
        assert!(found.len() == 1 && found[0].contains(said), "{found:?}");
        assert_reason(state.value(&handle), "artifact_corrupt");
    };
    fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
    check("it is not a regular file");
    fs::remove_file(&path).unwrap();
    mknodat(CWD, &path, FileType::Fifo, Mode::RUSR, 0).unwrap();
    check("it is not a regular file");
    fs::remove_file(&path).unwrap();
    let sparse = fs::File::create(&path).unwrap();
    sparse.set_len(1 << 42).unwrap();
    check("more than any artifact");
    drop(sparse);
    fs::remove_file(&path).unwrap();
    // What is none is replaced when the value is made again.
    std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
    assert_eq!(
        journal.put(&Value::vector(vec![0.25; 10_000])).unwrap(),
        handle
    );
    assert_eq!(faults(&state), Vec::<String>::new());
}
