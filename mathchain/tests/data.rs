//! Data from files on the command line and in JSON, for built-in tools and for tools of plugins.

use tool_core::{Numbers, Value, npy};

use crate::support::Place;

const MANIFEST: &str = r#"{"schema_version": "1.0", "name": "sig", "version": "1.0.0", "description": "Signals",
 "command": ["python3", "./plugin.py"], "tools": [
 {"name": "energy", "description": "Sum of squares.", "category": "math", "effects": [],
  "parameters": {"type": "object", "required": ["data"], "properties": {
   "data": {"type": "array", "items": {"type": "number"}, "description": "Samples."},
   "note": {"type": "string"},
   "options": {"type": "object"}}},
  "returns": {"type": "object", "required": ["energy"], "properties": {"energy": {"type": "number"}, "note": {"type": "string"}}}}]}"#;

const CODE: &str = r#"
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "hello", "protocol": 1}), flush=True)
    elif message["type"] == "call":
        args = message["args"]
        output = {"energy": sum(value * value for value in args["data"]), "note": args.get("note", "")}
        print(json.dumps({"type": "result", "id": message["id"], "output": output}), flush=True)
"#;

/// A place with the plugin, a table, an array and an archive of two arrays.
#[expect(clippy::disallowed_methods, reason = "a test makes its own files")]
fn place() -> Place {
    let place = Place::new();
    place.write("plugins/sig/manifest.json", MANIFEST);
    place.write("plugins/sig/plugin.py", CODE);
    place.write("table.csv", "name,value\na,1\nb,2\nc,3\n");
    place.write("note.txt", "from a file");
    for (name, values) in [("first", [1.0, 2.0]), ("second", [3.0, 4.0])] {
        let bytes = npy::write(&Numbers::vector(values.to_vec(), false));
        place.write(&format!("arrays/{name}.npy"), "");
        std::fs::write(place.path("work/arrays").join(format!("{name}.npy")), bytes)
            .expect("writes");
    }
    let words = [
        "call",
        "archive_create",
        "--path",
        "both.zip",
        "--from",
        "arrays",
        "--yes",
    ];
    place.run(&words, "").expect_code(0);
    std::fs::rename(place.path("work/both.zip"), place.path("work/both.npz")).expect("renames");
    place
}

fn energy(place: &Place, data: &str) -> Option<f64> {
    let answer = place.run(&["call", "sig:energy", "--data", data], "");
    answer.expect_code(0).at("/output/energy").as_f64()
}

#[test]
fn plugins_read_files_members_and_stdin() {
    let place = place();
    for (data, expected) in [
        ("[1,2,3]", 14.0),
        (r#"{"$file":"table.csv","column":"value"}"#, 14.0),
        (
            r#"{"$file":"table.csv","column":"value","where":{"name":["a","c"]}}"#,
            10.0,
        ),
        ("@arrays/first.npy", 5.0),
        ("arrays/second.npy", 25.0),
        (r#"{"$file":"both.npz","member":"second"}"#, 25.0),
    ] {
        assert_eq!(energy(&place, data), Some(expected), "{data}");
    }
    let piped = place.run(&["call", "sig:energy", "--data", "@-"], "1\n2\n");
    assert_eq!(
        piped.expect_code(0).at("/output/energy").as_f64(),
        Some(5.0)
    );
    let words = ["call", "sig:energy", "--data", "[1]", "--note", "@note.txt"];
    let noted = place.run(&words, "");
    assert_eq!(
        noted.expect_code(0).at("/output/note"),
        Value::from("from a file")
    );
}

#[test]
fn members_of_npz_files_are_read_by_name() {
    let place = place();
    let mean = |data: &str| place.run(&["call", "statistics", "--data", data], "");
    let second = mean(r#"{"$file":"both.npz","member":"second"}"#);
    assert_eq!(second.expect_code(0).at("/output/mean").as_f64(), Some(3.5));
    for (data, words) in [
        ("both.npz", ["choose a `member`", "`first`, `second`"]),
        (
            r#"{"$file":"both.npz","member":"third"}"#,
            ["no member `third`", "`first`, `second`"],
        ),
    ] {
        let refused = mean(data);
        let message = refused.expect_code(2).at("/error/message").to_string();
        for word in words {
            assert!(message.contains(word), "{message}");
        }
    }
}

/// What a plugin gets never holds a reference: it would be read as data.
#[test]
fn references_within_arguments_of_plugins_are_refused() {
    let place = place();
    for args in [
        r#"{"data":[{"$file":"table.csv"}]}"#,
        r#"{"data":[1],"options":{"$file":"table.csv"}}"#,
        r#"{"data":[1],"options":{"deep":[{"$artifact":"b3:0"}]}}"#,
        r#"{"data":[1],"note":{"$file":"table.csv","column":"name"}}"#,
        r#"{"data":{"$file":"table.csv"}}"#,
        r#"{"data":{"$file":"absent.csv"}}"#,
    ] {
        let refused = place.run(&["call", "sig:energy"], args);
        assert_eq!(refused.at("/ok"), Value::Bool(false), "{args}");
        assert!(!refused.stdout.contains("energy\":"), "{args}");
    }
    let wrong = place.run(&["call", "sig:energy"], r#"{"data":5}"#);
    let hint = wrong.expect_code(2).at("/error/hint");
    assert_eq!(hint, Value::from("`data`: Samples."));
}

/// The same holes are null in SQL, left out of numbers with a word, and in every argument of a call at the same rows.
#[test]
fn tables_with_missing_cells_give_the_right_numbers() {
    let place = Place::new();
    place.write(
        "m.csv",
        "id,temp,wind\n1,20.5,3\n2,,4\n3,NA,5\n4,22.1,\n5,x,1\n",
    );
    place.write("h.csv", "id,temp\n1,20.5\n2,\n3,NA\n4,22.1\n");
    let answer = place.run(
        &[
            "call",
            "sql_query",
            "--query",
            "select avg(temp) a, count(temp) c, sum(temp is null) n from m",
            "--tables",
            r#"{"m":{"$file":"h.csv"}}"#,
            "--json",
        ],
        "",
    );
    let row = answer.expect_code(0).at("/output/rows/0").to_string();
    assert_eq!(row, r#"{"a":21.3,"c":2,"n":2}"#);
    let mean = |data: &str| place.run(&["call", "statistics", "--data", data, "--json"], "");
    let answer = mean(r#"{"$file":"h.csv","column":"temp"}"#);
    assert_eq!(
        answer.expect_code(0).at("/output/mean").as_f64(),
        Some(21.3)
    );
    let warning = answer.expect_code(0).at("/warnings/0").to_string();
    assert!(warning.contains("2 of 4 rows"), "{warning}");
    let refused = mean(r#"{"$file":"h.csv","column":"temp","missing":"refuse"}"#);
    let message = refused.expect_code(2).at("/error/message").to_string();
    assert!(message.contains("2 rows have a missing cell"), "{message}");
    let text = mean(r#"{"$file":"m.csv","column":"temp"}"#);
    let message = text.expect_code(2).at("/error/message").to_string();
    assert!(message.contains("`temp` is text because of"), "{message}");
    assert!(message.contains("line 6"), "{message}");
}
