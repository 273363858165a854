use std::fs;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

use super::*;
use crate::artifacts::{ArtifactHandle, FOLDER};

fn matrix(first: f64) -> Value {
    let mut data = vec![0.25; 10_000];
    data[0] = first;
    Value::vector(data)
}

fn place(top: &Path, handle: &ArtifactHandle) -> PathBuf {
    let hex = handle.hash.to_string().split_off(3);
    let file = format!("{hex}.{}", handle.ending().unwrap());
    top.join(FOLDER).join(&hex[..2]).join(file)
}

fn flip(path: &Path, offset: u64) {
    let mut file = fs::OpenOptions::new()
        .read(true)
        .write(true)
        .open(path)
        .unwrap();
    let mut byte = [0];
    file.seek(SeekFrom::Start(offset)).unwrap();
    file.read_exact(&mut byte).unwrap();
    file.seek(SeekFrom::Start(offset)).unwrap();
    file.write_all(&[byte[0] ^ 1]).unwrap();
}

#[test]
fn values_of_every_size_come_back_also_before_they_are_written() {
    let top = folder();
    let state = Arc::new(open(top.path()));
    let journal = state.begin_run(&header()).unwrap();
    let values = [
        Value::Null,
        Value::from("a\u{0}b"),
        Value::object([("$artifact", "b3:00")]),
        matrix(f64::NAN),
        Value::object([("a", matrix(1.0)), ("b", matrix(1.0)), ("c", Value::Int(3))]),
        Value::from("x".repeat(100_000)),
        Value::object([
            ("text", Value::from("y".repeat(50_000))),
            ("m", matrix(2.0)),
        ]),
    ];
    let handles: Vec<ArtifactHandle> = values
        .iter()
        .map(|value| journal.put(value).unwrap())
        .collect();
    for (handle, value) in handles.iter().zip(&values) {
        assert_eq!(
            journal.state().value(handle).unwrap().to_string(),
            value.to_string()
        );
    }
    journal.finish(RunState::Succeeded).unwrap();
    let id = journal.id().to_owned();
    drop(journal);
    drop(state);
    let state = Arc::new(open(top.path()));
    for (handle, value) in handles.iter().zip(&values) {
        assert_eq!(state.value(handle).unwrap().to_string(), value.to_string());
        let found = state.artifact(handle.hash).unwrap();
        assert_eq!(&found.handle, handle);
        assert_eq!(found.runs, [id.as_str()]);
        let digits = &handle.hash.to_string()[..13];
        assert_eq!(state.artifact_named(digits).unwrap().handle, *handle);
    }
    // One block of three values, and two texts.
    assert_eq!(state.artifacts(Some(&id), 99).unwrap().len(), 5);
    assert_eq!(state.artifacts(Some("other"), 99).unwrap().len(), 0);
    assert_reason(state.artifact_named("b3:"), "handle");
    assert_reason(state.artifact_named("zz"), "handle");
}

#[test]
fn damage_is_found_when_a_value_is_read_and_mended_when_it_is_made_again() {
    let top = folder();
    let state = Arc::new(open(top.path()));
    let journal = state.begin_run(&header()).unwrap();
    let text = Value::from("x".repeat(40_000));
    let (npy, json) = (
        journal.put(&matrix(1.0)).unwrap(),
        journal.put(&text).unwrap(),
    );
    let small = journal.put(&Value::from("small")).unwrap();
    journal.state().flush().unwrap();
    for handle in [&npy, &json] {
        let path = place(top.path(), handle);
        for offset in [7, 200, 30_000] {
            flip(&path, offset);
            let err = assert_reason(journal.state().value(handle), "artifact_corrupt");
            assert!(err.message().contains(&handle.hash.to_string()), "{err:?}");
            flip(&path, offset);
        }
        let length = fs::metadata(&path).unwrap().len();
        fs::OpenOptions::new()
            .write(true)
            .open(&path)
            .unwrap()
            .set_len(length - 1)
            .unwrap();
        assert_reason(journal.state().value(handle), "artifact_corrupt");
        fs::remove_file(&path).unwrap();
        assert_reason(journal.state().value(handle), "artifact_missing");
    }
    flip_nothing_but_mend(&journal, &npy, &matrix(1.0));
    flip_nothing_but_mend(&journal, &json, &text);
    flip(&place(top.path(), &npy), 300);
    flip_nothing_but_mend(&journal, &npy, &matrix(1.0));

    let connection = intruder(top.path());
    connection
        .execute_batch("UPDATE vals SET body = '\"other\"' WHERE body = '\"small\"'")
        .unwrap();
    assert_reason(journal.state().value(&small), "artifact_corrupt");
    journal.put(&Value::from("small")).unwrap();
    journal.state().flush().unwrap();
    assert_eq!(journal.state().value(&small).unwrap(), Value::from("small"));
    connection.execute_batch("DELETE FROM vals").unwrap();
    assert_reason(journal.state().value(&small), "artifact_missing");
}

#[track_caller]
fn flip_nothing_but_mend(journal: &Journal, handle: &ArtifactHandle, value: &Value) {
    assert_eq!(&journal.put(value).unwrap(), handle);
    assert_eq!(journal.state().value(handle).unwrap(), *value);
}

#[cfg(unix)]
#[test]
fn files_are_for_the_user_alone_and_no_link_is_followed() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let top = folder();
    let state = Arc::new(open(top.path()));
    let journal = state.begin_run(&header()).unwrap();
    let handle = journal.put(&matrix(1.0)).unwrap();
    let path = place(top.path(), &handle);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&path), 0o600);
    assert_eq!(mode(path.parent().unwrap()), 0o700);
    assert_eq!(mode(&top.path().join(FOLDER)), 0o700);
    // A link in the place of the file or its folder.
    let elsewhere = folder();
    let copy = elsewhere.path().join("copy");
    fs::rename(&path, &copy).unwrap();
    symlink(&copy, &path).unwrap();
    assert_reason(journal.state().value(&handle), "artifact_corrupt");
    let before = path.parent().unwrap().to_owned();
    fs::remove_dir_all(&before).unwrap();
    symlink(elsewhere.path(), &before).unwrap();
    assert_reason(journal.put(&matrix(1.0)), "artifact_unwritable");
    assert_eq!(
        fs::read_dir(elsewhere.path()).unwrap().count(),
        1,
        "nothing was written there"
    );
}

/// A handle is a name: only the roles whose runs made it open it, and the operator.
#[test]
fn artifacts_open_for_the_role_that_made_them() {
    let top = folder();
    let state = Arc::new(open(top.path()));
    let journal = state.begin_run(&header()).unwrap();
    let whole = journal
        .put(&Value::object([("m", matrix(1.0)), ("n", Value::Int(1))]))
        .unwrap();
    let small = journal.put(&Value::from("small")).unwrap();
    let block = state.artifacts(None, 9).unwrap()[0].handle.clone();
    for handle in [&whole, &small, &block] {
        let name = handle.hash.to_string();
        for role in ["worker_math", OPERATOR] {
            assert!(state.open_for(role, &name, 1 << 20).is_ok(), "{role}");
        }
        let err = assert_reason(
            state.open_for("worker_general", &name, 1 << 20),
            "artifact_role",
        );
        assert_eq!(err.code(), tool_core::ErrorCode::PolicyDenied);
    }
    let none = format!("b3:{}", "1".repeat(64));
    assert_reason(
        state.open_for("worker_math", &none, 1 << 20),
        "artifact_role",
    );
    assert_reason(state.open_for(OPERATOR, &none, 1 << 20), "artifact_missing");
    assert_reason(state.open_for(OPERATOR, "b3:12", 1 << 20), "handle");
    assert_reason(
        state.open_for(OPERATOR, &block.hash.to_string(), 80_000),
        "artifact_size",
    );
    // A run of another role that made the same.
    let other = RunHeader {
        role: "worker_general".to_owned(),
        ..header()
    };
    let other = state.begin_run(&other).unwrap();
    assert_eq!(other.put(&Value::from("small")).unwrap(), small);
    assert_eq!(other.put(&matrix(1.0)).unwrap().hash, block.hash);
    assert!(
        state
            .open_for("worker_general", &small.hash.to_string(), 1 << 20)
            .is_ok()
    );
    let name = block.hash.to_string();
    assert!(state.open_for("worker_general", &name, 1 << 20).is_ok());
    let name = whole.hash.to_string();
    assert_reason(
        state.open_for("worker_general", &name, 1 << 20),
        "artifact_role",
    );
}

#[test]
fn results_are_kept_until_their_value_is_gone() {
    let top = folder();
    let clock = TestClock::at(NOW);
    let state =
        Arc::new(StateStore::open(top.path(), Arc::clone(&clock) as Arc<dyn Clock>).unwrap());
    let journal = state.begin_run(&header()).unwrap();
    let (one, two) = (
        journal.put(&matrix(1.0)).unwrap(),
        journal.put(&matrix(2.0)).unwrap(),
    );
    assert_eq!(state.cached("k").unwrap(), None);
    state.remember("k", &one, "matrix_solve", 1).unwrap();
    assert_eq!(state.cached("k").unwrap(), Some((one.clone(), matrix(1.0))));
    state.flush().unwrap();
    assert_eq!(state.cached("k").unwrap(), Some((one, matrix(1.0))));
    state.remember("k", &two, "matrix_solve", 2).unwrap();
    state.flush().unwrap();
    assert_eq!(state.cached("k").unwrap().unwrap().0, two);
    let used = |state: &StateStore| -> i64 {
        state.flush().unwrap();
        intruder(&state.file().with_file_name(""))
            .query_row("SELECT used_ms FROM cache", [], |row| row.get(0))
            .unwrap()
    };
    let before = used(&state);
    clock.advance(7_200_000);
    state.cached("k").unwrap().unwrap();
    assert_eq!(used(&state), before + 7_200_000);
    flip(&place(top.path(), &two), 500);
    assert_eq!(state.cached("k").unwrap(), None, "damaged");
    fs::remove_file(place(top.path(), &two)).unwrap();
    assert_eq!(state.cached("k").unwrap(), None, "gone");
}

#[test]
fn a_slice_of_a_block_has_its_elements_and_takes_no_more() {
    let top = folder();
    let state = open(top.path());
    let data: Vec<f64> = (0..60_000).map(f64::from).collect();
    let numbers = tool_core::value::Numbers::new(vec![20_000, 3], data, true).unwrap();
    let keep = |value: &Value| {
        let kept = registry::ResultStore::keep(&state, "call", "math", value).unwrap();
        kept.text("$artifact").unwrap().to_owned()
    };
    let block = keep(&Value::Numbers(numbers));
    let slice = state
        .slice_in(&StateScope::role("math"), &block, 19_998..20_010, 48)
        .unwrap();
    let rows = "[[59994,59995,59996],[59997,59998,59999]]";
    assert_eq!(
        (slice.total, slice.items.to_string().as_str()),
        (20_000, rows)
    );
    let beyond = state
        .slice_in(&StateScope::role("math"), &block, 30_000..30_001, 48)
        .unwrap();
    assert_eq!(beyond.items.to_string(), "[]");
    let refused = state
        .slice_in(&StateScope::role("math"), &block, 0..20_000, 1 << 10)
        .unwrap_err();
    assert_eq!(refused.reason_str(), Some("artifact_size"));
    assert!(
        refused.hint_str().unwrap().contains("42 elements"),
        "{refused}"
    );
    let other = state
        .slice_in(&StateScope::role("other"), &block, 0..1, 48)
        .unwrap_err();
    assert_eq!(other.reason_str(), Some("artifact_role"));
    let texts: Vec<Value> = (0..9000)
        .map(|number| Value::from(format!("text {number}")))
        .collect();
    let list = keep(&Value::array(texts));
    let slice = state
        .slice_in(&StateScope::role("math"), &list, 8_999..9_001, 1 << 20)
        .unwrap();
    assert_eq!(
        (slice.total, slice.items.to_string().as_str()),
        (9000, "[\"text 8999\"]")
    );
    // What a value refers to counts too.
    let whole = keep(&Value::object([
        ("a", matrix(1.0)),
        ("b", Value::from("x".repeat(50_000))),
    ]));
    assert!(state.open_for("math", &whole, 60_000).is_err());
    assert!(state.open_for("math", &whole, 1 << 20).is_ok());
    flip(
        &place(top.path(), &state.artifact_named(&block).unwrap().handle),
        500,
    );
    let damaged = state
        .slice_in(&StateScope::role("math"), &block, 0..1, 48)
        .unwrap_err();
    assert_eq!(damaged.reason_str(), Some("artifact_corrupt"));
}
