//! The state over years: pruning, and a state that an earlier version wrote.

use rusqlite::Connection;
use tool_core::Value;

use crate::support::Place;

fn count(place: &Place, args: &[&str]) -> usize {
    let listed = place.run(args, "");
    let listed = listed.expect_code(0).json();
    listed.items().expect("a list").len()
}

fn two_calls(place: &Place) {
    for expression in ["1+1", "2+2"] {
        let args = ["call", "calculate", "--expression", expression];
        place.run(&args, "").expect_code(0);
    }
}

#[test]
fn records_older_than_the_configuration_keeps_are_pruned() {
    let place = Place::new();
    place.write("mathchain.toml", "version = 1\n[state]\nkeep = \"90d\"\n");
    two_calls(&place);
    let pruned = place.run(&["state", "prune", "--json"], "");
    assert_eq!(pruned.expect_code(0).at("/records"), Value::Int(0));
    place.write("mathchain.toml", "version = 1\n[state]\nkeep = \"0s\"\n");
    std::thread::sleep(std::time::Duration::from_millis(5));
    let dry = place.run(&["state", "prune", "--dry-run", "--json"], "");
    assert_eq!(dry.expect_code(0).at("/records"), Value::Int(2));
    assert_eq!(count(&place, &["audit", "list", "--json"]), 2);
    let pruned = place.run(&["state", "prune", "--json"], "");
    assert_eq!(pruned.expect_code(0).at("/records"), Value::Int(2));
    let tools = ["audit", "list", "--tool", "calculate", "--json"];
    assert_eq!(count(&place, &tools), 0);
    let verified = place.run(&["audit", "verify", "--json"], "");
    assert_eq!(verified.expect_code(0).at("/cut/records"), Value::Int(2));
    let verified = place.run(&["audit", "verify", "--output", "human"], "");
    assert!(
        verified.stdout.contains("from the cut"),
        "{}",
        verified.stdout
    );
}

#[test]
fn sizes_exports_and_lists_by_filter() {
    let place = Place::new();
    place.write("mathchain.toml", "version = 1\n");
    two_calls(&place);
    let args = [
        "call",
        "statistics",
        "--data",
        "[1,2]",
        "--role",
        "worker_math",
    ];
    place.run(&args, "").expect_code(0);
    let of = |args: &[&str]| count(&place, &[&["audit", "list", "--json"], args].concat());
    assert_eq!(of(&["--tool", "statistics"]), 1);
    assert_eq!(of(&["--role", "operator"]), 2);
    assert_eq!(of(&["--status", "success", "--since", "1h"]), 3);
    assert_eq!(of(&["--since", "2099-01-01"]), 0);
    let near = place.run(&["audit", "list", "--tool", "statistcs"], "");
    assert!(
        near.expect_code(2).stderr.contains("`statistics`"),
        "{}",
        near.stderr
    );
    let wrong = place.run(&["audit", "list", "--since", "soon"], "");
    assert!(
        wrong.expect_code(2).stderr.contains("90d"),
        "{}",
        wrong.stderr
    );

    let export = [
        "audit",
        "export",
        "--tool",
        "statistics",
        "--out",
        "part.jsonl",
    ];
    place.run(&export, "").expect_code(0);
    assert_eq!(place.read("part.jsonl").lines().count(), 1);
    place.run(&export, "").expect_code(1);
    place
        .run(&[&export[..], &["--force"]].concat(), "")
        .expect_code(0);
    let whole = place.run(&["state", "export", "--to", "all.jsonl", "--json"], "");
    let head = place.run(&["audit", "verify", "--json"], "").at("/head");
    assert_eq!(whole.expect_code(0).at("/head"), head);
    assert!(
        place
            .read("all.jsonl")
            .lines()
            .last()
            .unwrap()
            .contains("\"type\":\"end\"")
    );

    let sizes = place.run(&["state", "size", "--output", "human"], "");
    assert!(
        sizes.expect_code(0).stdout.contains("3 records"),
        "{}",
        sizes.stdout
    );
    let vacuum = place
        .run(&["state", "vacuum", "--json"], "")
        .expect_code(0)
        .json();
    let bytes = |key: &str| vacuum.get(key).and_then(Value::as_i64).unwrap();
    assert!(bytes("after_bytes") <= bytes("before_bytes"), "{vacuum}");
}

/// A state of schema version 10 with calls, a run that succeeded and one that waits for an approval: it is migrated, verifies, and the
/// run is resumed.
#[test]
fn a_state_of_an_earlier_version_is_migrated_verified_and_resumed() {
    let place = Place::new();
    place.write("mathchain.toml", "version = 1\n");
    place.write(".mathchain/note", "");
    let file = Connection::open(place.path("work/.mathchain/state.db")).unwrap();
    file.execute_batch("PRAGMA foreign_keys = OFF").unwrap();
    file.execute_batch(include_str!("states/version-10.sql"))
        .unwrap();
    drop(file);
    let head = "*:10:6fb6bd03f04ada0661977eab22572fc0b5b41f47d2cad4dce8dc0be2c6c549fc";
    let verified = place.run(&["audit", "verify", "--head", head, "--json"], "");
    verified.expect_code(0);
    assert_eq!(verified.at("/sound"), Value::Bool(true));
    assert_eq!(
        (verified.at("/records"), verified.at("/values")),
        (Value::Int(21), Value::Int(11))
    );
    // The run began in another folder.
    let resume = ["runs", "resume", "a5d0", "--yes", "--json"];
    place.run(&resume, "").expect_code(1);
    let resumed = place.run(&[&resume[..], &["--accept-changes"]].concat(), "");
    assert_eq!(
        resumed.expect_code(0).at("/output/outputs/end"),
        Value::Int(42)
    );
    assert_eq!(place.read("note.txt"), "forty-two");
    let verified = place.run(&["audit", "verify", "--head", head, "--json"], "");
    assert_eq!(verified.expect_code(0).at("/sound"), Value::Bool(true));
}
