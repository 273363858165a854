//! Data from files on the command line and in JSON, for built-in tools and for tools of plugins.

use tool_core::{Numbers, Value, json, npy};

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
        let bytes = npy::write_npy(&Numbers::vector(values.to_vec(), false));
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

const COUNTRIES: &str = "cc,rate,day\nDE,3.5,2024-05-17\nNA,NA,NA\n,4.5,2024-05-19\nFR,-,-\n";

/// A file as `$file` and its text in `csv_to_json` are the same table, whatever is stated, with the same warnings.
#[test]
fn both_ways_to_read_a_table_agree() {
    let place = Place::new();
    for (text, stated) in [
        (COUNTRIES, ""),
        (COUNTRIES, r#","missing_words":["NA"]"#),
        (COUNTRIES, r#","missing_words":[]"#),
        ("a;b\n1,5;x\nNA;-\n", ""),
        ("a;b\n1,500;x\n2,250;-\n", r#","decimal_comma":true"#),
        ("1;x\n2;NA\n", r#","has_header":false,"delimiter":";""#),
        ("2020,2021\n5,NA\n", r#","has_header":true"#),
    ] {
        place.write("t.csv", text);
        let query = format!(r#"{{"query":"@","data":{{"$file":"t.csv"{stated}}}}}"#);
        let by_file = place.run(&["call", "json_query", "--json"], &query);
        let text = json::to_text(&Value::from(text));
        let args = format!(r#"{{"csv_content":{text}{stated}}}"#);
        let by_text = place.run(&["call", "csv_to_json", "--json"], &args);
        let rows = by_text.expect_code(0).at("/output/rows");
        let result = by_file.expect_code(0).at("/output/result");
        assert_eq!(result.to_string(), rows.to_string(), "{args}");
        let warnings = by_file.at("/warnings").to_string();
        let warnings = warnings.replace("`t.csv`: ", "");
        assert_eq!(warnings, by_text.at("/warnings").to_string(), "{args}");
    }
}

/// Numbers without a header are the same table by both ways, and say that they have none.
#[test]
fn numbers_without_a_header_have_columns_by_number() {
    let place = Place::new();
    place.write("y.csv", "2020,5\n2021,NA\n");
    let query = "select column_1 as year, column_2 as n from y order by year";
    let words = ["call", "sql_query", "--json", "--query", query, "--tables"];
    let found = place.run(&[&words[..], &[r#"{"y":{"$file":"y.csv"}}"#]].concat(), "");
    let rows = found.expect_code(0).at("/output/rows").to_string();
    assert_eq!(rows, r#"[{"year":2020,"n":5},{"year":2021,"n":null}]"#);
    let warning = found.at("/warnings/0").to_string();
    assert!(
        warning.contains("the first row has only numbers"),
        "{warning}"
    );
}

#[test]
fn the_code_of_namibia_is_a_country_and_dropped_rows_are_counted() {
    let place = Place::new();
    place.write("c.csv", COUNTRIES);
    let query = |words: &str| {
        let tables = format!(r#"{{"c":{{"$file":"c.csv"{words}}}}}"#);
        let words = ["call", "sql_query", "--json", "--query"];
        let sql = "select count(cc) c, count(rate) r, count(day) d from c";
        place.run(&[&words[..], &[sql, "--tables", &tables]].concat(), "")
    };
    let found = query("");
    assert_eq!(
        found.expect_code(0).at("/output/rows/0").to_string(),
        r#"{"c":3,"r":2,"d":2}"#
    );
    let warning = found.at("/warnings/0").to_string();
    assert!(
        warning.contains("text column `cc`: 1 cell is `NA`, kept as text"),
        "{warning}"
    );
    let found = query(r#","missing_words":["NA","-"]"#);
    assert_eq!(
        found.expect_code(0).at("/output/rows/0").to_string(),
        r#"{"c":2,"r":2,"d":2}"#
    );
    assert_eq!(found.at("/warnings").to_string(), "[]");

    let mean = |data: &str| place.run(&["call", "statistics", "--json", "--data", data], "");
    let found = mean(r#"{"$file":"c.csv","column":"rate"}"#);
    assert_eq!(found.expect_code(0).at("/output/mean").as_f64(), Some(4.0));
    assert_eq!(found.at("/output/dropped"), Value::from(2_i64));
    let whole = mean("[1,2]").expect_code(0).json();
    assert!(whole.pointer("/output/dropped").is_none(), "{whole}");
    // Of two arguments of one table the same rows are left out, and counted once.
    place.write("p.csv", "x,y\n1,1\n2,NA\n,3\n4,4\n5,5\n");
    let words = [
        "call",
        "interpolate",
        "--json",
        "--at",
        "[3]",
        "--x",
        r#"{"$file":"p.csv","column":"x"}"#,
    ];
    let found = place.run(
        &[&words[..], &["--y", r#"{"$file":"p.csv","column":"y"}"#]].concat(),
        "",
    );
    assert_eq!(
        found.expect_code(0).at("/output/dropped"),
        Value::from(2_i64)
    );
    let refused = place.run(
        &[
            "call",
            "sql_query",
            "--query",
            "select 1",
            "--tables",
            r#"{"c":{"$file":"c.csv","missing":"drop"}}"#,
        ],
        "",
    );
    let message = refused.expect_code(2).at("/error/message").to_string();
    assert!(
        message.contains("a table keeps its missing cells"),
        "{message}"
    );
    // A text column of which the taken rows are numbers and words for missing cells.
    place.write("s.csv", "k,v\na,1\na,NA\na,3\nb,x\n");
    let found = mean(r#"{"$file":"s.csv","column":"v","where":{"k":"a"}}"#);
    assert_eq!(found.expect_code(0).at("/output/mean").as_f64(), Some(2.0));
    assert_eq!(found.at("/output/dropped"), Value::from(1_i64));
    let refused = mean(r#"{"$file":"s.csv","column":"v"}"#)
        .expect_code(2)
        .at("/error");
    assert!(
        refused
            .get("message")
            .unwrap()
            .to_string()
            .contains("because of \\\"x\\\" in line 5"),
        "{refused}"
    );
    assert!(
        refused
            .get("hint")
            .unwrap()
            .to_string()
            .contains("missing_words"),
        "{refused}"
    );
}

const FIT: &str = "version: 1
id: pairs
steps:
  - {id: fit, tool: linear_regression, args: {x: X, y: Y}}
outputs: {slope: {$ref: \"fit.coefficients[0]\"}, dropped: {$ref: fit.dropped, default: 0}}
";

/// In a plan, of two columns of one file the same rows are left out and counted; of two files nothing tells which rows belong together.
#[test]
fn plans_take_pairs_of_one_file_and_refuse_holes_of_two() {
    let place = Place::new();
    place.write("p.csv", "x,y\n1,2\n2,NA\n,6\n4,8\n5,10\n");
    place.write("q.csv", "y\n2\n4\n6\n8\n10\n");
    place.write("r.csv", "x\n1\n2\n3\n4\n5\n");
    let run = |x: &str, y: &str| {
        let plan = FIT.replace("{x: X, y: Y}", &format!("{{x: {x}, y: {y}}}"));
        place.write("plan.yaml", &plan);
        place.run(&["run", "plan.yaml"], "")
    };
    let one = run("{$file: p.csv, column: x}", "{$file: p.csv, column: y}");
    let outputs = one.expect_code(0).at("/output/outputs").to_string();
    assert_eq!(outputs, r#"{"slope":2.0,"dropped":2}"#);
    let whole = run("{$file: r.csv, column: x}", "{$file: q.csv, column: y}");
    let outputs = whole.expect_code(0).at("/output/outputs").to_string();
    assert_eq!(outputs, r#"{"slope":2.0,"dropped":0}"#);
    let holes = run("{$file: p.csv, column: x}", "{$file: q.csv, column: y}");
    let error = holes.expect_code(2).json().to_string();
    assert!(
        error.contains("nothing tells which rows of `q.csv` belong to them"),
        "{error}"
    );
    let refused = run(
        "{$file: p.csv, column: x, missing: refuse}",
        "{$file: p.csv, column: y}",
    );
    let error = refused.expect_code(2).json().to_string();
    assert!(
        error.contains("2 rows have a missing cell, the first is row 2"),
        "{error}"
    );
}

/// Columns of a file are series of a plot by their names, as lists with labels are.
#[test]
fn columns_of_a_file_are_series_of_a_plot() {
    let place = Place::new();
    place.write("t.csv", "day,y2024,y2025\n1,1,4\n2,2,1\n3,NA,0\n4,4,3\n");
    let plot = |x: &str, y: &str, labels: &str| {
        let args = format!(r#"{{"x":{x},"y":{y},"title":""{labels}}}"#);
        let answer = place.run(&["call", "plot_braille"], &args);
        answer.expect_code(0).at("/output/plot").to_string()
    };
    let columns = plot(
        r#"{"$file":"t.csv","column":"day"}"#,
        r#"{"$file":"t.csv","columns":["y2024","y2025"]}"#,
        "",
    );
    let lists = plot(
        "[1,2,4]",
        "[[1,2,4],[4,1,3]]",
        r#","labels":["y2024","y2025"]"#,
    );
    assert_eq!(columns, lists);
}

/// Where an argument itself takes `null`, it is no missing cell: a pair that is forbidden.
#[test]
fn nulls_that_an_argument_takes_are_not_missing() {
    let place = Place::new();
    place.write("cost.json", "[[1, null, 3], [null, 2, 1], [4, 1, null]]");
    let output = |args: &str| {
        let answer = place.run(&["call", "assignment"], args);
        answer.expect_code(0).at("/output").to_string()
    };
    let inline = output(r#"{"cost":[[1,null,3],[null,2,1],[4,1,null]]}"#);
    assert_eq!(output(r#"{"cost":{"$file":"cost.json"}}"#), inline);
    place.write("cost.csv", "1,,3\n,2,1\n4,1,\n");
    assert_eq!(
        output(r#"{"cost":{"$file":"cost.csv","has_header":false}}"#),
        inline
    );
    let dropped = place.run(
        &["call", "assignment"],
        r#"{"cost":{"$file":"cost.json","missing":"refuse"}}"#,
    );
    let message = dropped.expect_code(2).at("/error/message").to_string();
    assert!(message.contains("3 rows have a missing cell"), "{message}");
}
