use tool_core::Value;

use crate::support::Place;

#[test]
fn a_call_answers_with_the_envelope() {
    let place = Place::new();
    let answer = place.run(
        &["call", "matrix_solve"],
        r#"{"A":[[3,1],[1,2]],"b":[9,8]}"#,
    );
    answer.expect_code(0);
    assert_eq!(
        answer.at("/output/x"),
        mathchain::parse_json("[2,3]").expect("JSON")
    );
    assert_eq!(answer.at("/ok"), Value::Bool(true));
    assert_eq!(answer.at("/status"), Value::from("success"));
    assert_eq!(answer.at("/protocol_version"), Value::Int(1));
    assert_eq!(answer.at("/metadata/tool"), Value::from("matrix_solve"));
    assert_eq!(answer.at("/metadata/role"), Value::from("operator"));
    assert_eq!(answer.stderr, "");
}

#[test]
fn arguments_come_from_flags_too() {
    let place = Place::new();
    for args in [
        ["call", "statistics", "--data", "[1,2,3,4]"].as_slice(),
        &["call", "statistics", "--arg", "data=[1,2,3,4]"],
        &[
            "--json",
            "call",
            "statistics",
            "--data=[1,2,3,4]",
            "--role",
            "worker_math",
        ],
    ] {
        let answer = place.run(args, "");
        assert_eq!(
            answer.expect_code(0).at("/output/mean"),
            Value::Float(2.5),
            "{args:?}"
        );
    }
    let answer = place.run(&["call", "calculate", "--expression", "-3**2"], "");
    assert_eq!(answer.expect_code(0).at("/output/value"), Value::Int(-9));
}

#[test]
fn output_has_three_forms() {
    let place = Place::new();
    let raw = place.run(
        &[
            "--output",
            "raw",
            "call",
            "calculate",
            "--expression",
            "1+1",
        ],
        "",
    );
    assert!(raw.expect_code(0).json().get("value").is_some());
    let human = place.run(
        &[
            "call",
            "calculate",
            "--expression",
            "1+1",
            "--output",
            "human",
        ],
        "",
    );
    assert!(
        human.expect_code(0).stdout.starts_with("value"),
        "{}",
        human.stdout
    );
    let failed = place.run(
        &[
            "call",
            "calculate",
            "--expression",
            "1+",
            "--output",
            "human",
        ],
        "",
    );
    assert_eq!(failed.expect_code(2).stdout, "");
    assert!(failed.stderr.starts_with("error: "), "{}", failed.stderr);
}

#[test]
fn exit_codes_say_what_happened() {
    let place = Place::new();
    for (args, stdin, code) in [
        (["call", "statistics"].as_slice(), r#"{"data":[1,2]}"#, 0),
        (
            &["call", "matrix_solve"],
            r#"{"A":[[1,2],[2,4]],"b":[1,1]}"#,
            1,
        ),
        (&["call", "statistics"], "garbage", 2),
        (&["call", "statistics"], r#"{"data":"x"}"#, 2),
        (&["call", "statistics"], r#"{"data":[1],"data":[2]}"#, 2),
        (&["call", "statistics"], "[1,2]", 2),
        (&["call", "nope"], "{}", 2),
        (&["frobnicate"], "", 2),
        (&["call"], "", 2),
        (&["call", "statistics", "--nope", "1"], "", 2),
        (
            &["call", "write_file", "--role", "worker_math"],
            r#"{"path":"x","content":"y"}"#,
            3,
        ),
        (
            &["call", "statistics", "--role", "nobody"],
            r#"{"data":[1]}"#,
            3,
        ),
        (&["call", "write_file"], r#"{"path":"x","content":"y"}"#, 4),
        (
            &[
                "call",
                "mcmc",
                "--timeout-ms",
                "30",
                "--log_density",
                "-x0**2",
                "--x0",
                "[0]",
                "--n_samples",
                "100000000",
            ],
            "",
            5,
        ),
    ] {
        let answer = place.run(args, stdin);
        if (code, answer.code) == (5, 1) {
            // A call may be refused before it starts when it cannot end in time.
            assert_eq!(
                answer.at("/error/code"),
                Value::from("limit_exceeded"),
                "{args:?}"
            );
            continue;
        }
        assert_eq!(
            answer.code, code,
            "{args:?} {stdin}: {} {}",
            answer.stdout, answer.stderr
        );
    }
}

#[test]
fn errors_name_the_argument_and_the_next_step() {
    let place = Place::new();
    let answer = place.run(&["call", "matrix_solve"], r#"{"A":[[1,2],[3]],"b":[1,2]}"#);
    assert_eq!(answer.expect_code(2).at("/error/path"), Value::from("/A"));
    let answer = place.run(&["call", "matrx_solve"], "{}");
    assert!(
        answer.expect_code(2).stdout.contains("matrix_solve"),
        "{}",
        answer.stdout
    );
    let answer = place.run(&["call", "statistics"], r#"{"dta":[1]}"#);
    assert_eq!(
        answer
            .expect_code(2)
            .at("/error/problems")
            .items()
            .map(|items| items.len()),
        Some(2)
    );
}

#[test]
fn no_input_crashes_the_process() {
    let place = Place::new();
    let deep = "[".repeat(2_000_000);
    for (name, bytes) in [
        ("empty", b"".as_slice()),
        ("not UTF-8", b"{\"data\":\"\xff\xfe\"}"),
        ("NUL", b"\0\0\0"),
        ("deep", deep.as_bytes()),
        ("half", b"{\"data\":[1,2"),
        ("huge exponent", b"{\"data\":[1e999]}"),
        ("wide integer", b"{\"data\":[9007199254740993]}"),
        ("NaN", b"{\"data\":[NaN]}"),
        ("null", b"null"),
        ("lone surrogate", b"{\"data\":\"\\ud800\"}"),
    ] {
        let answer = place.run_bytes(&["call", "statistics"], bytes);
        assert!(
            [1, 2].contains(&answer.code),
            "{name}: {} {}",
            answer.code,
            answer.stderr
        );
        assert!(
            answer.stdout.starts_with('{') || !answer.stderr.is_empty(),
            "{name}"
        );
        assert!(
            !answer.stderr.contains("panicked"),
            "{name}: {}",
            answer.stderr
        );
    }
}

#[test]
fn help_has_examples_and_the_tools_own_flags() {
    let place = Place::new();
    let help = place.run(&["--help"], "");
    assert!(help.expect_code(0).stdout.contains("Examples:"));
    let help = place.run(&["call", "matrix_solve", "--help"], "");
    assert!(
        help.expect_code(0).stdout.contains("--A <"),
        "{}",
        help.stdout
    );
    assert!(help.stdout.contains("Examples:"));
    for args in [["completions", "bash"].as_slice(), &["man"]] {
        assert!(place.run(args, "").expect_code(0).stdout.len() > 1000);
    }
}

/// A closed pipe ends the output and nothing else.
#[test]
fn a_closed_stdout_is_no_crash() {
    let place = Place::new();
    let mut child = place
        .command(&["call", "statistics", "--data", "[1,2,3]"])
        .spawn()
        .expect("starts");
    drop(child.stdout.take());
    drop(child.stdin.take());
    let output = child.wait_with_output().expect("ends");
    assert!(!String::from_utf8_lossy(&output.stderr).contains("panicked"));
    assert!(
        output.status.code().is_some(),
        "ended by a signal: {:?}",
        output.status
    );
}

#[test]
fn the_name_of_a_tool_as_a_command_is_a_call() {
    let place = Place::new();
    for args in [
        ["calculate", "2+2"].as_slice(),
        &["calculate", "--expression", "2+2"],
        &["--output", "json", "calculate", "2+2"],
        &["call", "calculate", "2+2"],
    ] {
        let answer = place.run(args, "");
        let value = answer.expect_code(0).at("/output/value");
        assert_eq!(value, Value::Int(4), "{args:?}");
    }
    let piped = place.run(&["statistics"], r#"{"data":[1,2,3]}"#);
    assert_eq!(piped.expect_code(0).at("/output/mean"), Value::Float(2.0));
    let help = place.run_as_typed(&["calculate", "--help"], "");
    assert!(
        help.expect_code(0).stdout.contains("--expression"),
        "{}",
        help.stdout
    );
    for (wrong, near) in [
        ("cal", "call"),
        ("calculat", "calculate"),
        ("tool", "tools"),
    ] {
        let answer = place.run_as_typed(&[wrong, "2+2"], "");
        let told = format!("`{near}`");
        let text = answer.expect_code(2).stderr.replace('\'', "`");
        assert!(text.contains(&told), "{wrong}: {text}");
    }
    let help = place.run_as_typed(&["--help"], "");
    assert!(
        help.stdout.contains("mathchain calculate '2**200'"),
        "{}",
        help.stdout
    );
}

/// The envelope of a misspelt option has the suggestion, for programs that read stdout alone.
#[test]
fn the_envelope_of_a_wrong_option_has_the_suggestion() {
    let place = Place::new();
    let answer = place.run(&["call", "statistics", "--dat", "[1,2]"], "");
    let hint = answer.expect_code(2).at("/error/hint").to_string();
    assert!(hint.contains("did you mean `--data`?"), "{hint}");
}

/// `@PATH` is the text of a file for every argument that is a text or data, and the file itself for those that open files.
#[test]
fn a_file_is_the_value_of_an_argument() {
    let place = Place::new();
    place.write("f.txt", "2+2");
    place.write("bounds.json", "[[0, 4]]");
    place.write("q.sql", "select 1 as one");
    let value = |args: &[&str], at: &str, stdin: &str| place.run(args, stdin).expect_code(0).at(at);
    assert_eq!(
        value(
            &["call", "calculate", "--expression", "@f.txt"],
            "/output/value",
            ""
        ),
        Value::Int(4)
    );
    assert_eq!(
        value(&["calculate", "@f.txt"], "/output/value", ""),
        Value::Int(4)
    );
    assert_eq!(
        value(&["calculate", "@-"], "/output/value", "3*3"),
        Value::Int(9)
    );
    let rows = value(
        &["call", "sql_query", "--query", "@q.sql"],
        "/output/rows/0/one",
        "",
    );
    assert_eq!(rows, Value::Int(1));
    let words = [
        "call",
        "bayesopt",
        "--objective",
        "-(x0-2)**2",
        "--n_iter",
        "5",
        "--bounds",
        "@bounds.json",
    ];
    place.run(&words, "").expect_code(0);
    // A query of documents begins with `@` itself, and so may paths.
    assert_eq!(
        value(
            &["call", "json_query", "--query", "@", "--data", "[1]"],
            "/output/result/0",
            ""
        ),
        Value::Int(1)
    );
    let title = [
        "call",
        "plot_braille",
        "--x",
        "1,2",
        "--y",
        "1,2",
        "--title",
        "@@home",
    ];
    let plot = value(&title, "/output/plot", "").to_string();
    assert!(plot.contains("@home") && !plot.contains("@@home"), "{plot}");
    let absent = place.run(&["calculate", "@absent.txt"], "");
    let error = absent.expect_code(1).at("/error");
    assert_eq!(
        error.get("path"),
        Some(&Value::from("/expression")),
        "{error}"
    );
    assert!(
        error.get("hint").unwrap().to_string().contains("`@@`"),
        "{error}"
    );
    let outside = place.run(&["calculate", "@../x"], "");
    assert_eq!(
        outside.at("/error/reason"),
        Value::from("outside_workspace")
    );
    let reference = place.run(&["calculate", r#"{"$file":"f.txt"}"#], "");
    let error = reference.expect_code(2).at("/error");
    assert_eq!(
        error.get("reason"),
        Some(&Value::from("reference")),
        "{error}"
    );
    assert!(
        error
            .get("hint")
            .unwrap()
            .to_string()
            .contains("--expression @PATH"),
        "{error}"
    );
}

/// What reads as JSON is a text where a text is meant: a list is an array only for files that hold arrays.
#[test]
fn texts_that_read_as_json_are_written_as_they_are() {
    let place = Place::new();
    for (index, content) in [
        "[1, 2]",
        "1",
        "true",
        "null",
        "{\"a\": 1}",
        "[1, 2",
        "\"x\"",
    ]
    .iter()
    .enumerate()
    {
        let path = format!("{index}.txt");
        let words = [
            "call",
            "write_file",
            "--yes",
            "--path",
            &path,
            "--content",
            content,
        ];
        place.run(&words, "").expect_code(0);
        assert_eq!(place.read(&path), *content);
    }
    let words = [
        "call",
        "write_file",
        "--yes",
        "--path",
        "a.csv",
        "--content",
        "[[1, 2], [3, 4]]",
    ];
    place.run(&words, "").expect_code(0);
    assert_eq!(place.read("a.csv"), "1.0,2.0\n3.0,4.0\n");
}

#[test]
fn tables_are_printed_as_csv_and_other_results_refused() {
    let place = Place::new();
    place.write("s.csv", "city,n\n\"Rome, Italy\",2\nOslo,3\nOslo,\n");
    let query = "select city, sum(n) as total from s group by city order by city";
    let tables = r#"{"s":{"$file":"s.csv"}}"#;
    let words = [
        "call",
        "sql_query",
        "--output",
        "csv",
        "--query",
        query,
        "--tables",
        tables,
    ];
    let answer = place.run_as_typed(&words, "");
    assert_eq!(
        answer.expect_code(0).stdout,
        "city,total\nOslo,3\n\"Rome, Italy\",2\n"
    );
    let empty = [
        "call",
        "sql_query",
        "--output",
        "csv",
        "--query",
        "select city, n from s where n > 9",
        "--tables",
        tables,
    ];
    assert_eq!(
        place.run_as_typed(&empty, "").expect_code(0).stdout,
        "city,n\n"
    );
    let records = [
        "call",
        "json_query",
        "--output",
        "csv",
        "--query",
        "[?n]",
        "--data",
        r#"{"$file":"s.csv"}"#,
    ];
    let answer = place.run_as_typed(&records, "");
    assert_eq!(
        answer.expect_code(0).stdout,
        "city,n\n\"Rome, Italy\",2\nOslo,3\n"
    );
    let refused = place.run_as_typed(
        &["call", "statistics", "--output", "csv", "--data", "1,2"],
        "",
    );
    let text = &refused.expect_code(2).stderr;
    assert!(
        text.contains("the result of `statistics` is no table"),
        "{text}"
    );
    assert_eq!(refused.stdout, "");
    place.write(
        "plan.yaml",
        "version: 1\nid: p\nsteps: [{id: q, tool: sql_query, args: {query: \"select 1 as a\"}}]\noutputs: {t: {$ref: q.rows}, n: {$ref: q.count}}\n",
    );
    let run = place.run_as_typed(&["run", "plan.yaml", "--output", "csv"], "");
    assert_eq!(run.expect_code(0).stdout, "a\n1\n");
    // A tool that is refused has not run.
    let words = [
        "call",
        "write_file",
        "--yes",
        "--output",
        "csv",
        "--path",
        "n.txt",
        "--content",
        "x",
    ];
    place.run_as_typed(&words, "").expect_code(2);
    let kept = place.run(&["call", "read_file", "--path", "n.txt"], "");
    assert_eq!(kept.at("/error/reason"), Value::from("not_found"));
}

/// A path where a table is expected hints at the file, also within an object of tables.
#[test]
fn a_path_for_a_table_hints_at_the_file() {
    let place = Place::new();
    place.write("sales.csv", "a\n1\n");
    let words = [
        "call",
        "sql_query",
        "--query",
        "select * from s",
        "--tables",
    ];
    for tables in [r#"{"s":"sales.csv"}"#, r#"{"s":"data/none.csv"}"#] {
        let answer = place.run(&[&words[..], &[tables]].concat(), "");
        let error = answer.expect_code(2).at("/error").to_string();
        assert!(
            error.contains("a file is written {\\\"$file\\\": "),
            "{error}"
        );
    }
}

#[test]
fn the_environment_sets_the_default_of_the_output() {
    let place = Place::new();
    let printed = |format: &str, more: &[&str]| {
        let words = [&["calculate", "2+2"], more].concat();
        let mut command = place.command(&words);
        let output = command.env("MATHCHAIN_OUTPUT", format).output();
        let output = output.expect("the program runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        (output.status.code(), text)
    };
    let (_, human) = printed("human", &[]);
    assert!(human.starts_with("value"), "{human}");
    let (_, json) = printed("human", &["--json"]);
    assert!(json.starts_with("{\"protocol_version\""), "{json}");
    let (code, text) = printed("xml", &[]);
    assert_eq!(code, Some(2), "{text}");
    assert!(!text.contains("\"ok\":true"), "{text}");
}
