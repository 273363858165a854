use std::fs;

use super::*;

/// A run that refers to small values, a large text and a matrix, and has ended.
fn run(state: &Arc<State>, first: f64) -> String {
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
        journal.write(&settled, Durability::Batched).unwrap();
    }
    // A kept result: the run refers to it, and no record names it.
    journal.put(&Value::object([("kept", first)])).unwrap();
    journal.finish(RunState::Succeeded).unwrap();
    journal.id().to_owned()
}

fn shared(folder: &Path) -> Arc<State> {
    Arc::new(open(folder))
}

#[track_caller]
fn faults(state: &State) -> Vec<String> {
    let report = state.verify(&[]).unwrap();
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
    let report = state.verify(&[]).unwrap();
    assert!(report.is_sound(), "{report:?}");
    // Plan, inputs, two settled ends with one block, a text, a kept result.
    assert_eq!(report.values, Some(7));
    assert_eq!(state.verify_with(&[], false).unwrap().values, None);

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
        assert!(state.verify_with(&[], false).unwrap().is_sound());
    };
    for (hash, body) in rows {
        let set = |body: &str| {
            let sql =
                "INSERT INTO vals VALUES (?1, ?2, 0) ON CONFLICT(hash) DO UPDATE SET body = ?2";
            file.execute(sql, rusqlite::params![hash, body]).unwrap();
        };
        set(&format!("{body} "));
        is_named("is not what was written");
        file.execute("DELETE FROM vals WHERE hash = ?", [&hash])
            .unwrap();
        is_named("is not there any more");
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
            found.len() == 1 && found[0].contains("is not there any more"),
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
    let keep = Keep {
        days: Some(0),
        ..Keep::default()
    };
    let dry = state
        .gc(Keep {
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
    let report = state.verify(&[]).unwrap();
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
