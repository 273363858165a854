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

/// A configuration under which `write_file` runs with a backup and a notification, and nothing is kept.
const KEPT: &str = "version = 1
[state]
keep = \"0s\"
[[policies]]
level = \"global\"
  [[policies.rules]]
  match = { tools = [\"write_file\"], path = { under = \"kept\" } }
  decision = \"allow\"
  obligations = [\"backup\", \"notify\"]
";

fn write(place: &Place, content: &str) {
    let args = format!(r#"{{"path":"kept/f.txt","content":"{content}","mode":"overwrite"}}"#);
    place.run(&["call", "write_file"], &args).expect_code(0);
}

fn later() {
    std::thread::sleep(std::time::Duration::from_millis(5));
}

#[test]
fn backups_and_messages_are_pruned_and_open_questions_stay() {
    let place = Place::new();
    place.write("mathchain.toml", KEPT);
    place.write("kept/f.txt", "first");
    write(&place, "second");
    write(&place, "third");
    for question in ["which?", "where?"] {
        place
            .run(&["call", "escalate", "--reason", question], "")
            .expect_code(0);
    }
    let inbox = place.run(&["inbox", "list", "--json"], "").json();
    let id = |index: usize| {
        let one = inbox.items().expect("a list")[index].clone();
        one.get("id")
            .and_then(|id| id.as_str().map(str::to_owned))
            .expect("an id")
    };
    place
        .run(&["inbox", "answer", &id(0), "here"], "")
        .expect_code(0);
    later();
    let sizes = place.run(&["state", "size", "--json"], "").at("/parts");
    let parts: Vec<Value> = sizes.items().expect("a list");
    let items = |name: &str| {
        let part = parts
            .iter()
            .find(|part| part.get("part") == Some(&Value::from(name)));
        part.and_then(|part| part.get("items"))
            .and_then(Value::as_i64)
    };
    assert_eq!(
        (items("backups"), items("inbox")),
        (Some(2), Some(5)),
        "{sizes}"
    );
    let dry = place
        .run(&["state", "prune", "--dry-run", "--json"], "")
        .expect_code(0)
        .json();
    let number = |found: &Value, key: &str| found.get(key).and_then(Value::as_i64);
    assert_eq!(number(&dry, "backups"), Some(2));
    assert_eq!(number(&dry, "backup_bytes"), Some(11));
    assert_eq!(
        number(&dry, "notices"),
        Some(4),
        "two of calls, a question and its answer"
    );
    assert_eq!(count(&place, &["backups", "list", "--json"]), 2);
    let done = place.run(&["state", "prune", "--output", "human"], "");
    let said = &done.expect_code(0).stdout;
    assert!(
        said.contains("2 backups of 11 B") && said.contains("4 messages"),
        "{said}"
    );
    assert_eq!(count(&place, &["backups", "list", "--json"]), 0);
    let left = place.run(&["inbox", "list", "--json"], "");
    assert_eq!(left.at("/0/text"), Value::from("which?"));
    assert_eq!(left.json().items().map(|left| left.len()), Some(1));
    place.run(&["audit", "verify"], "").expect_code(0);
}

/// The file of the state as whoever can write it changes it.
fn change(place: &Place, state: &str, sql: &str) {
    let file = Connection::open(place.path(state).join("state.db")).expect("opens");
    let lift = "DROP TRIGGER IF EXISTS events_stay; DROP TRIGGER IF EXISTS events_kept";
    file.execute_batch(lift).expect("lifts");
    assert!(file.execute(sql, []).expect("changes") > 0, "{sql}");
}

#[test]
fn a_cut_is_signed_by_a_key_of_this_user_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = Place::new();
    place.write("mathchain.toml", "version = 1\n[state]\nkeep = \"0s\"\n");
    let key = place.path("config/mathchain/keys/audit.key");
    two_calls(&place);
    later();
    place
        .run(&["state", "prune", "--dry-run"], "")
        .expect_code(0);
    assert!(!key.exists(), "a dry run makes no key");
    place.run(&["state", "prune"], "").expect_code(0);
    let mode = |path: &std::path::Path| {
        let found = path.metadata().expect("there").permissions().mode();
        found & 0o777
    };
    assert_eq!(
        (mode(&key), mode(key.parent().expect("a folder"))),
        (0o600, 0o700)
    );
    let verified = place.run(&["audit", "verify", "--json"], "");
    let own = verified.expect_code(0).at("/cut_key");
    assert_eq!(verified.at("/cut/key"), own);
    let own = own.as_str().expect("a text").to_owned();
    // The key is used again, and tools never read it, wherever the workspace is.
    two_calls(&place);
    later();
    place.run(&["state", "prune"], "").expect_code(0);
    assert_eq!(
        place.run(&["audit", "verify", "--json"], "").at("/cut/key"),
        own.as_str().into()
    );
    let args = r#"{"path":"config/mathchain/keys/audit.key","encoding":"base64"}"#;
    let read = place.run(
        &["--workspace", "..", "call", "read_file", "--output", "json"],
        args,
    );
    assert_eq!(read.at("/error/reason"), "protected_path".into());
    let shell = r#"{"argv":["cat","config/mathchain/keys/audit.key"]}"#;
    let read = place.run(
        &[
            "--workspace",
            "..",
            "call",
            "run_shell",
            "--yes",
            "--output",
            "json",
        ],
        shell,
    );
    assert_ne!(
        read.at("/output/returncode"),
        Value::Int(0),
        "{}",
        read.stdout
    );

    // Another user, or another machine: the cut is sound, and not of this user unless the key is named.
    let elsewhere = place.path("elsewhere/audit.key");
    std::fs::create_dir(place.path("elsewhere")).expect("makes a folder");
    std::fs::rename(&key, &elsewhere).expect("moves");
    let foreign = place.run(&["audit", "verify", "--output", "human"], "");
    assert_eq!(foreign.code, 1, "{}", foreign.stdout);
    assert!(
        foreign.stdout.contains("not this user's") && foreign.stdout.contains("--cut-key"),
        "{}",
        foreign.stdout
    );
    place
        .run(&["audit", "verify", "--cut-key", &own], "")
        .expect_code(0);
    place
        .run(&["audit", "verify", "--cut-key", "abc"], "")
        .expect_code(2);
    std::fs::rename(&elsewhere, &key).expect("moves");
    // A key that others may read, or that is damaged, is an error and not replaced.
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o644)).expect("a mode");
    let open = place.run(&["audit", "verify"], "");
    assert!(
        open.code != 0 && open.stderr.contains("accessible to others"),
        "{}",
        open.stderr
    );
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o600)).expect("a mode");
    place.run(&["audit", "verify"], "").expect_code(0);

    // A cut that claims less, with a record that is otherwise the same.
    let state = "work/.mathchain";
    change(
        &place,
        state,
        "UPDATE events SET body = replace(body, '\"records\":', '\"records\":1') WHERE body LIKE '%\"cut\":{%'",
    );
    let forged = place.run(&["audit", "verify", "--output", "human"], "");
    assert_eq!(forged.code, 1, "{}", forged.stdout);
    assert!(
        forged.stdout.contains("signature of the cut"),
        "{}",
        forged.stdout
    );
    let doctor = place.run(&["doctor"], "");
    assert!(
        doctor.code != 0 && doctor.stdout.contains("audit"),
        "{}",
        doctor.stdout
    );
}

/// Folders without a configuration share the state of the user: each list shows its folder, `--all-folders` every one.
#[test]
fn lists_show_the_folder_they_are_in() {
    let place = Place::new();
    let at = |folder: &str, args: &[&str], stdin: &str| {
        std::fs::create_dir_all(place.path("work").join(folder)).expect("makes folders");
        let mut command = place.command(args);
        command.current_dir(place.path("work").join(folder));
        crate::support::answer_of(command, stdin.as_bytes())
    };
    place.write("p.yaml", "version: 1\nsteps: [{id: m, tool: matrix_multiply, args: {A: {$file: m.csv}, B: {$file: m.csv}}}]\noutputs: {p: {$ref: m.product}}\n");
    let row = vec!["1.5"; 120].join(",");
    let matrix = vec![row; 120].join("\n");
    for folder in ["a", "b"] {
        place.write(&format!("{folder}/m.csv"), &matrix);
        place.write(&format!("{folder}/f.txt"), folder);
        std::fs::copy(
            place.path("work/p.yaml"),
            place.path("work").join(folder).join("p.yaml"),
        )
        .expect("copies");
        at(folder, &["run", "p.yaml", "--output", "json"], "").expect_code(0);
        at(
            folder,
            &["call", "write_file"],
            r#"{"path":"new.txt","content":"x"}"#,
        )
        .expect_code(4);
        at(folder, &["call", "escalate", "--reason", "which?"], "").expect_code(0);
    }
    let lists = ["runs", "approvals", "audit", "artifacts", "inbox"];
    let counted = |folder: &str, list: &str, flags: &[&str]| {
        let args = [&[list, "list", "--json"], flags].concat();
        let listed = at(folder, &args, "");
        listed.expect_code(0).json().items().expect("a list").len()
    };
    for list in lists {
        let (a, b) = (counted("a", list, &[]), counted("b", list, &[]));
        let all = counted(
            "a",
            list,
            &["--all-folders", "--limit", "100"][..if list == "approvals" { 1 } else { 3 }],
        );
        assert!(a > 0 && a == b, "{list}: {a} and {b}");
        assert!(
            all >= a + b || list == "artifacts" && all == a,
            "{list}: {all} of {a} and {b}"
        );
        assert_eq!(counted("c", list, &[]), 0, "{list}");
        let said = at("c", &[list, "list", "--output", "human"], "");
        assert!(
            said.stdout.contains("--all-folders"),
            "{list}: {}",
            said.stdout
        );
    }
    let shown = at(
        "c",
        &["runs", "list", "--all-folders", "--output", "human"],
        "",
    );
    for folder in ["a", "b"] {
        let folder = place
            .path("work")
            .canonicalize()
            .expect("there")
            .join(folder);
        let line = format!("in {}", folder.display());
        assert!(shown.stdout.contains(&line), "{}", shown.stdout);
    }
    // A folder that moved has its runs, and one with a configuration all of its own state.
    std::fs::rename(place.path("work/a"), place.path("work/moved")).expect("moves");
    assert_eq!(counted("moved", "runs", &[]), 1);
    let replayed = at("moved", &["replay", "--last", "--json"], "");
    assert_eq!(replayed.expect_code(0).at("/same"), Value::Bool(true));
    place.write("p/mathchain.toml", "version = 1\n");
    std::fs::create_dir(place.path("work/p/sub")).expect("makes a folder");
    at("p", &["call", "calculate", "--expression", "1"], "").expect_code(0);
    at(
        "p",
        &[
            "call",
            "calculate",
            "--expression",
            "1",
            "--workspace",
            "sub",
        ],
        "",
    )
    .expect_code(0);
    assert_eq!(counted("p", "audit", &[]), 2);
    assert_eq!(counted("p/sub", "audit", &[]), 2);
}

/// A path names the backup of this folder, also where another folder has a file of the same name.
#[test]
fn a_backup_is_restored_into_its_own_folder() {
    let place = Place::new();
    let at = |folder: &str, args: &[&str], stdin: &str| {
        let mut command = place.command(args);
        command.current_dir(place.path("work").join(folder));
        crate::support::answer_of(command, stdin.as_bytes())
    };
    place.write("../config/mathchain/mathchain.toml", KEPT);
    for folder in ["a", "b"] {
        place.write(&format!("{folder}/kept/f.txt"), &format!("old {folder}"));
        let args = r#"{"path":"kept/f.txt","content":"new","mode":"overwrite"}"#;
        at(folder, &["call", "write_file"], args).expect_code(0);
    }
    for folder in ["a", "b"] {
        assert_eq!(
            at(folder, &["backups", "list", "--json"], "")
                .json()
                .items()
                .map(|list| list.len()),
            Some(1)
        );
        at(folder, &["backups", "restore", "kept/f.txt"], "").expect_code(0);
        assert_eq!(
            place.read(&format!("{folder}/kept/f.txt")),
            format!("old {folder}")
        );
    }
}

/// A state of schema version 10 with rows in every table: each is there after the migration, and works.
#[test]
fn every_table_of_an_earlier_version_is_migrated() {
    let place = Place::new();
    place.write("mathchain.toml", KEPT);
    place.write("kept/f.txt", "second");
    place.write(".mathchain/note", "");
    let file = Connection::open(place.path("work/.mathchain/state.db")).unwrap();
    file.execute_batch("PRAGMA foreign_keys = OFF").unwrap();
    file.execute_batch(include_str!("states/version-10-all.sql"))
        .unwrap();
    // What waits still does, whenever this runs.
    file.execute_batch(
        "UPDATE approvals SET expires_ms = 8000000000000 WHERE state IN ('pending', 'granted')",
    )
    .unwrap();
    let rows = |file: &Connection| -> std::collections::BTreeMap<String, i64> {
        let mut tables = file
            .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
            .unwrap();
        let names = tables.query_map([], |row| row.get::<_, String>(0)).unwrap();
        names
            .map(|name| {
                let name = name.unwrap();
                let sql = format!("SELECT count(*) FROM {name}");
                let count = file.query_row(&sql, [], |row| row.get(0)).unwrap();
                (name, count)
            })
            .collect()
    };
    let before = rows(&file);
    assert!(before.values().all(|count| *count > 0), "{before:?}");
    let digest: String = file
        .query_row("SELECT digest FROM backups", [], |row| row.get(0))
        .unwrap();
    drop(file);
    // Files beside the state go by their digest; those of values are made by the same run again.
    place.write(
        &format!(".mathchain/backups/{}/{digest}", &digest[..2]),
        "first\n",
    );
    let row = vec!["1.5"; 120].join(",");
    place.write("again/m.csv", &vec![row; 120].join("\n"));
    place.write("again/mathchain.toml", "version = 1\n");
    place.write("again/p.yaml", "version: 1\nsteps: [{id: m, tool: matrix_multiply, args: {A: {$file: m.csv}, B: {$file: m.csv}}}]\noutputs: {p: {$ref: m.product}}\n");
    let again = |args: &[&str]| {
        let mut command = place.command(args);
        command.current_dir(place.path("work/again"));
        crate::support::answer_of(command, b"").expect_code(0);
    };
    again(&["run", "p.yaml"]);
    std::fs::rename(
        place.path("work/again/.mathchain/artifacts"),
        place.path("work/.mathchain/artifacts"),
    )
    .unwrap();

    let head = "*:36:1dd9b4eddd4d4139fc7a9e2563b0a1fa6b821bedf46fafc94f7079f43ddacda8";
    let verified = place.run(&["audit", "verify", "--head", head, "--json"], "");
    verified.expect_code(0);
    assert_eq!(
        (verified.at("/records"), verified.at("/values")),
        (Value::Int(33), Value::Int(11))
    );
    for (args, expected) in [
        (&["runs", "list", "--json"][..], 3),
        (&["approvals", "list", "--all", "--json"], 5),
        // Two of them are approvals that wait.
        (&["inbox", "list", "--json"], 5),
        (&["backups", "list", "--json"], 1),
        (&["artifacts", "list", "--json"], 2),
        (&["audit", "list", "--limit", "100", "--json"], 33),
    ] {
        assert_eq!(count(&place, args), expected, "{args:?}");
    }
    // The other one is of a sampler, whose last digits depend on the processor.
    let product = "b3:5339c2ed0927";
    let get = ["artifacts", "get", product, "--to", "a.npy"];
    place.run(&get, "").expect_code(0);
    let asked = place.run(&["call", "escalate", "--reason", "which?"], "");
    assert_eq!(asked.expect_code(0).at("/output/answer"), "this one".into());
    let todo = place.run(&["call", "todo_list"], "");
    assert!(
        todo.expect_code(0).stdout.contains("a task"),
        "{}",
        todo.stdout
    );
    place
        .run(&["backups", "restore", "kept/f.txt"], "")
        .expect_code(0);
    assert_eq!(place.read("kept/f.txt"), "first\n");
    let runs = place.run(&["runs", "list", "--state", "succeeded", "--json"], "");
    let id = runs.at("/0/run");
    place
        .run(&["runs", "show", id.as_str().unwrap()], "")
        .expect_code(0);

    let file = Connection::open(place.path("work/.mathchain/state.db")).unwrap();
    let after = rows(&file);
    for (table, count) in &before {
        assert!(
            after[table] >= *count,
            "{table}: {count}, now {}",
            after[table]
        );
    }
    // What is new has this folder, what was there has none.
    assert_eq!(after["folders"], 1);
    let sql = "SELECT count(*) FROM sessions WHERE folder IS NULL";
    assert_eq!(
        file.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap(),
        before["sessions"]
    );
    drop(file);
    // And all of it can be pruned, what is not needed.
    later();
    let pruned = place.run(&["state", "prune", "--json"], "");
    assert_eq!(pruned.expect_code(0).at("/runs"), Value::Int(2));
    place.run(&["audit", "verify"], "").expect_code(0);
}
