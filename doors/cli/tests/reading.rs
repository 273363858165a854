//! What a person reads: listings, numbers, help, completions and the log, the same on a pipe as on a terminal.

use mathchain::Value;

use crate::support::Place;

fn listed(text: &str) -> Vec<&str> {
    let rows = text.lines().filter(|line| line.starts_with("  "));
    rows.filter_map(|line| line.split_whitespace().next())
        .collect()
}

#[test]
fn lists_are_text_on_a_pipe_and_json_on_demand() {
    let place = Place::new();
    for list in [
        &["tools", "list"][..],
        &["roles", "list"],
        &["runs", "list"],
        &["audit", "list"],
        &["approvals", "list"],
        &["state", "size"],
        &["doctor"],
    ] {
        let text = place.run_as_typed(list, "");
        text.expect_code(0);
        assert!(
            !text.stdout.starts_with(['[', '{']),
            "{list:?}: {}",
            text.stdout
        );
        let json = [list, &["--json"]].concat();
        let json = place.run_as_typed(&json, "").json();
        assert!(!matches!(json, Value::String(_)), "{list:?}");
    }
}

#[test]
fn tools_are_listed_by_category_in_short_lines_with_a_count() {
    let place = Place::new();
    let all = place.run_as_typed(&["tools", "list"], "");
    let names = listed(&all.stdout);
    assert!(
        all.stdout.lines().all(|line| line.chars().count() <= 100),
        "{}",
        all.stdout
    );
    let count = all.stdout.lines().last().unwrap_or_default();
    assert_eq!(count, format!("{} tools", names.len()));
    let json = place.run_as_typed(&["tools", "list", "--json"], "").json();
    assert_eq!(json.items().map(|items| items.len()), Some(names.len()));
    assert!(
        all.stdout.lines().any(|line| line == "math"),
        "{}",
        all.stdout
    );
    let steps = place.run_as_typed(&["tools", "list", "--caller", "chain"], "");
    let steps = listed(&steps.stdout);
    assert!(
        steps.contains(&"statistics") && !steps.contains(&"delegate"),
        "{steps:?}"
    );
    assert!(names.contains(&"delegate"), "{names:?}");
}

#[test]
fn a_search_that_finds_nothing_names_the_nearest_and_fails() {
    let place = Place::new();
    for (words, found) in [
        (&["curve", "fit"][..], "linear_regression"),
        (&["pca"], "matrix_svd"),
        (&["save", "a", "file"], "write_file"),
        (&["average"], "statistics"),
        (&["minimise"], "optimize"),
    ] {
        let answer = place.run_as_typed(&[&["tools", "search"], words].concat(), "");
        answer.expect_code(0);
        assert!(
            listed(&answer.stdout).contains(&found),
            "{words:?}: {}",
            answer.stdout
        );
    }
    let none = place.run_as_typed(&["tools", "search", "rgression"], "");
    none.expect_code(1);
    assert!(none.stdout.is_empty(), "{}", none.stdout);
    assert!(none.stderr.contains("linear_regression"), "{}", none.stderr);
    place
        .run(&["tools", "search", "zzyzx", "--json"], "")
        .expect_code(1);
}

#[test]
fn numbers_have_as_many_digits_as_asked_for() {
    let place = Place::new();
    let call = |options: &[&str]| {
        let call = [
            "call",
            "calculate",
            "--expression",
            "2/3",
            "--output",
            "human",
        ];
        place.run_as_typed(&[&call, options].concat(), "").stdout
    };
    assert!(call(&[]).contains(" 0.666667\n"), "{}", call(&[]));
    assert!(call(&["--digits", "3"]).contains(" 0.667\n"));
    assert!(call(&["--digits", "17"]).contains(" 0.66666666666666663\n"));
    let json = place.run_as_typed(
        &["call", "calculate", "--expression", "2/3", "--digits", "3"],
        "",
    );
    assert_eq!(json.at("/output/value"), Value::Float(2.0 / 3.0));
    place
        .run(&["call", "calculate", "--digits", "0"], "{}")
        .expect_code(2);
}

#[test]
fn the_audit_head_is_shown_with_verbose_alone() {
    let place = Place::new();
    let call = [
        "call",
        "calculate",
        "--expression",
        "1+1",
        "--output",
        "human",
    ];
    for (options, shown) in [(&[][..], false), (&["-v"], true), (&["--quiet"], false)] {
        let answer = place.run_as_typed(&[&call, options].concat(), "");
        assert_eq!(
            answer.stderr.contains("audit "),
            shown,
            "{options:?}: {}",
            answer.stderr
        );
    }
    place
        .run_as_typed(&["-q", "-v", "doctor"], "")
        .expect_code(2);
}

#[test]
fn options_stand_anywhere_and_lists_are_written_with_commas() {
    let place = Place::new();
    for words in [
        &[
            "call",
            "statistics",
            "--data",
            "1,2,6",
            "--role",
            "worker_math",
            "--json",
        ][..],
        &[
            "--json",
            "call",
            "--role",
            "worker_math",
            "statistics",
            "--data",
            "1,2,6",
        ],
        &[
            "call",
            "-y",
            "statistics",
            "--json",
            "--data",
            "[1,2,6]",
            "--agent",
            "codex",
        ],
        &["call", "statistics", "--data", "1,2,6", "--metrics", "mean"],
    ] {
        assert_eq!(
            place.run_as_typed(words, "").at("/output/mean"),
            Value::from(3.0),
            "{words:?}"
        );
    }
    let one = [
        "call",
        "solve_ode",
        "--system",
        "-y",
        "--y0",
        "1",
        "--t-span",
        "0,1",
    ];
    place.run_as_typed(&one, "").expect_code(0);
    let twice = [
        "call",
        "--role",
        "operator",
        "statistics",
        "--data",
        "1",
        "--role",
        "operator",
    ];
    place.run_as_typed(&twice, "").expect_code(2);
    let word = place.run_as_typed(&["call", "statistics", "word", "--data", "1,2"], "");
    word.expect_code(2);
}

#[test]
fn an_option_that_is_also_an_argument_is_refused_after_the_tool() {
    let place = Place::new();
    let answer = place.run_as_typed(&["call", "user_conclude", "--fact", "read_only"], "");
    answer.expect_code(2);
    assert!(
        answer.stdout.contains("--arg fact=VALUE"),
        "{}",
        answer.stdout
    );
}

#[test]
fn an_unknown_option_suggests_an_argument_of_the_tool() {
    let place = Place::new();
    for (option, near) in [("--a", "--A"), ("--metod", "--method")] {
        let answer = place.run_as_typed(&["call", "matrix_solve", option, "[[1]]"], "");
        answer.expect_code(2);
        assert!(
            answer.stderr.contains(&format!("'{near}'")),
            "{}",
            answer.stderr
        );
    }
}

#[test]
fn every_example_of_every_help_is_one_command_of_a_shell() {
    let place = Place::new();
    let tools = place
        .run_as_typed(&["tools", "list", "--all", "--json"], "")
        .json();
    let (mut script, mut bare) = (String::new(), Vec::new());
    let mut wanted = Vec::new();
    for tool in tools.items().expect("a list") {
        let id = tool.get("id").and_then(Value::as_str).expect("an id");
        let help = place.run_as_typed(&["help", id], "").stdout;
        let Some(examples) = help.split("\nExamples:\n").nth(1) else {
            assert!(!help.contains("Examples"), "{id}: {help}");
            bare.push(id.to_owned());
            continue;
        };
        for line in examples
            .lines()
            .filter(|line| !line.trim_start().starts_with('#'))
        {
            let (printed, call) = line
                .rsplit_once(" | ")
                .unwrap_or_else(|| panic!("{id}: {line}"));
            assert_eq!(call, format!("mathchain call {id}"));
            script += &format!("{}\n", printed.trim_start());
            wanted.push(id.to_owned());
        }
    }
    // Most tools have some.
    assert!(bare.len() * 4 < wanted.len(), "{bare:?}");
    let shell = std::process::Command::new("bash")
        .arg("-ec")
        .arg(&script)
        .output();
    let shell = shell.expect("bash runs");
    let printed = String::from_utf8(shell.stdout).expect("UTF-8");
    assert!(
        shell.status.success(),
        "{}",
        String::from_utf8_lossy(&shell.stderr)
    );
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines.len(), wanted.len());
    for (line, id) in lines.iter().zip(wanted) {
        let args = mathchain::parse_json(line).unwrap_or_else(|err| panic!("{id}: {err}: {line}"));
        assert!(matches!(args, Value::Object(_)), "{id}: {line}");
    }
}

#[test]
fn help_knows_commands_and_tools() {
    let place = Place::new();
    for (words, part) in [
        (&["help"][..], "\nGlobal options:\n"),
        (&["help", "audit", "list"], "--since"),
        (&["help", "matrix_solve"], "--A <LIST>"),
        (&["call", "matrix_solve", "--help"], "--A <LIST>"),
        (&["tools", "--help"], "search"),
    ] {
        let answer = place.run_as_typed(words, "");
        answer.expect_code(0);
        assert!(answer.stdout.contains(part), "{words:?}: {}", answer.stdout);
    }
    for (words, near) in [
        (&["help", "statistcs"][..], "statistics"),
        (&["help", "audit", "lst"], "list"),
    ] {
        let answer = place.run_as_typed(words, "");
        answer.expect_code(2);
        assert!(
            answer.stderr.contains(&format!("did you mean `{near}`?")),
            "{}",
            answer.stderr
        );
    }
}

#[test]
fn a_listing_of_a_session_leads_to_the_tool() {
    let place = Place::new();
    let listed = place.run_as_typed(&["session"], "{\"type\":\"run.requested\"}\n");
    let mut lines = listed
        .stdout
        .lines()
        .map(|line| mathchain::parse_json(line).expect("JSON"));
    let first = lines
        .find(|line| line.get("tools").is_some())
        .expect("a list of tools");
    let text = |pointer: &str| {
        first
            .pointer(pointer)
            .and_then(|value| value.as_str().map(str::to_owned))
    };
    let (digest, id) = (
        text("/tools/0/digest").expect("a digest"),
        text("/tools/0/id").expect("an id"),
    );
    let shown = place.run_as_typed(&["tools", "show", "--digest", &digest], "");
    shown.expect_code(0);
    assert!(
        shown.stdout.starts_with(&format!("{id} - ")),
        "{}",
        shown.stdout
    );
    // What `effect:network_access` selects says so, whether it has that effect or only reads.
    for (tool, network) in [
        ("http_get", Some("read")),
        ("http_post", Some("send")),
        ("calculate", None),
    ] {
        let shown = place.run(&["tools", "show", tool], "");
        assert_eq!(
            shown.expect_code(0).at("/network"),
            Value::from(network),
            "{tool}"
        );
    }
    let page = place.run_as_typed(&["tools", "show", "http_get"], "");
    assert!(
        page.stdout.contains("effects none, reads from the network"),
        "{}",
        page.stdout
    );
    // What a session lists is what the page of the tool prints, whole in JSON and shortened for a reader.
    let shown = place.run(&["tools", "show", &id], "");
    assert_eq!(shown.expect_code(0).at("/digest"), Value::from(&*digest));
    let page = place.run_as_typed(&["tools", "show", &id], "");
    let short = &digest[..12];
    let line = format!("digest {short}\n");
    assert!(page.stdout.contains(&line), "{}", page.stdout);
    place
        .run_as_typed(&["tools", "show", "--digest", short], "")
        .expect_code(0);
    for unknown in ["0123", &digest[..4]] {
        place
            .run(&["tools", "show", "--digest", unknown], "")
            .expect_code(2);
    }
    place.run_as_typed(&["tools", "show"], "").expect_code(2);
}

#[test]
fn completions_are_asked_of_the_program() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = place.run_as_typed(&["completions", shell], "");
        script.expect_code(0);
        assert!(
            script.stdout.contains("MATHCHAIN_COMPLETE"),
            "{}",
            script.stdout
        );
    }
    let offered = |words: &[&str]| {
        let mut command = place.command(&[&["--", "mathchain"], words].concat());
        let command = command
            .env("MATHCHAIN_COMPLETE", "bash")
            .env("_CLAP_COMPLETE_INDEX", words.len().to_string())
            .env("_CLAP_COMPLETE_COMP_TYPE", "9")
            .env("_CLAP_IFS", "\n");
        let output = command.output().expect("runs");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    for (words, candidate) in [
        (&["call", "matrix_so"][..], "matrix_solve"),
        (&["call", "matrix_solve", "--me"], "--method"),
        (&["tools", "list", "--role", "worker_m"], "worker_math"),
        (&["help", "sta"], "statistics"),
        (&["roles", "l"], "list"),
    ] {
        let offered = offered(words);
        assert!(
            offered.lines().any(|line| line.trim_end() == candidate),
            "{words:?}: {offered}"
        );
    }
    assert!(
        !place.path("work/.mathchain").exists(),
        "completing creates no state"
    );
}

#[test]
fn there_is_a_manual_page_for_each_command() {
    let place = Place::new();
    place
        .run_as_typed(&["man", "--dir", "man"], "")
        .expect_code(0);
    for page in [
        "mathchain.1",
        "mathchain-call.1",
        "mathchain-audit-list.1",
        "mathchain-plan-graph.1",
    ] {
        assert!(place.path("work/man").join(page).exists(), "{page}");
    }
    let one = place.run_as_typed(&["man", "audit", "list"], "");
    assert!(one.stdout.contains(".SH NAME"), "{}", one.stdout);
    place.run_as_typed(&["man", "nothing"], "").expect_code(2);
}

#[test]
fn the_log_has_a_line_for_each_call_at_its_level() {
    let place = Place::new();
    let log = |level: &str, format: &str, tool: &[&str]| {
        let options = ["--log", "log", "--log-level", level, "--log-format", format];
        place.run_as_typed(&[tool, &options].concat(), "");
        let text = place.read("log");
        std::fs::remove_file(place.path("work").join("log")).expect("is there");
        text
    };
    let good = ["call", "calculate", "--expression", "1+1"];
    let wrong = ["call", "calculate", "--expression", "1+"];
    let line =
        mathchain::parse_json(log("info", "json", &good).trim_end()).expect("one line of JSON");
    for (member, value) in [
        ("level", "info"),
        ("event", "call"),
        ("tool", "calculate"),
        ("status", "success"),
    ] {
        assert_eq!(
            line.get(member).and_then(Value::as_str),
            Some(value),
            "{line}"
        );
    }
    assert_eq!(log("warn", "json", &good), "");
    let line =
        mathchain::parse_json(log("warn", "json", &wrong).trim_end()).expect("one line of JSON");
    assert_eq!(
        line.get("level").and_then(Value::as_str),
        Some("warn"),
        "{line}"
    );
    let text = log("debug", "text", &good);
    assert!(text.contains(" debug opened "), "{text}");
    assert!(
        text.contains(" info  call ") && text.contains(" tool=calculate "),
        "{text}"
    );
    place
        .run(&["doctor", "--log-level", "info"], "")
        .expect_code(2);
    let nowhere = place.run_as_typed(&["call", "calculate", "--log", "no/such/folder/log"], "{}");
    nowhere.expect_code(1);
}

#[test]
fn records_and_series_are_tables() {
    let place = Place::new();
    let solved = place.run_as_typed(
        &[
            "call",
            "solve_ode",
            "--system",
            "y1; -y0",
            "--y0",
            "1,0",
            "--t-span",
            "0,1",
            "--output",
            "human",
        ],
        "",
    );
    let lines: Vec<&str> = solved.stdout.lines().collect();
    let header = lines
        .iter()
        .position(|line| line.split_whitespace().eq(["t", "y0", "y1"]));
    assert!(header.is_some(), "{}", solved.stdout);
    assert!(solved.stdout.contains("-0.841471"), "{}", solved.stdout);
    let query = [
        "call",
        "sql_query",
        "--query",
        "select 1 as a, 2.5 as b",
        "--output",
        "human",
    ];
    let rows = place.run_as_typed(&query, "").stdout;
    assert!(rows.contains("a    b\n  1  2.5\n"), "{rows}");
}
