//! What holds at every door: one envelope, the limits of the configuration, large results after effects, answers that fell short.

use std::process::Stdio;

use tool_core::Value;

use crate::support::{Answer, Place, answer_of, asking_json};

/// Every command, with words that are wrong; `-` for those that only print.
const WRONG: &[(&str, &[&str])] = &[
    ("call", &["call", "calculate", "--expresion", "1"]),
    ("call", &["call", "no_such_tool"]),
    ("call", &["call"]),
    ("run", &["run", "absent.yaml"]),
    ("run", &["run"]),
    ("plan", &["plan", "check", "absent.yaml"]),
    ("plan", &["plan", "explain", "absent.yaml"]),
    ("plan", &["plan", "nope"]),
    ("serve", &["serve", "--jsonl", "--roles", "nobody"]),
    ("serve", &["serve"]),
    ("keys", &["keys", "revoke", "absent"]),
    ("keys", &["keys", "create", "a", "--role", "nobody"]),
    ("session", &["session", "--role", "nobody"]),
    ("session", &["session", "replay", "absent.jsonl"]),
    ("tools", &["tools", "show", "no_such_tool"]),
    ("policy", &["policy", "explain", "nobody", "calculate"]),
    ("roles", &["roles", "nothing"]),
    ("agents", &["agents", "show", "nobody"]),
    ("agents", &["agents", "command", "--agent", "nobody"]),
    ("agent-args", &["agent-args", "--agent", "nobody"]),
    ("phases", &["phases", "show", "nothing"]),
    ("check", &["check", "extra"]),
    ("schema", &["schema", "nothing"]),
    ("plugins", &["plugins", "enable", "nothing"]),
    ("approve", &["approve", "zzzz"]),
    ("deny", &["deny", "zzzz"]),
    ("approvals", &["approvals", "nope"]),
    ("backups", &["backups", "restore", "zzzz"]),
    ("inbox", &["inbox", "list", "--limit", "x"]),
    ("inbox", &["inbox", "answer", "zzzz", "yes"]),
    ("events", &["events", "--after", "x"]),
    ("workflow", &["workflow", "import", "nowhere"]),
    ("pipeline", &["pipeline", "show", "zzzz"]),
    ("audit", &["audit", "show", "zzzz"]),
    ("audit", &["audit", "verify", "--head", "zzzz"]),
    ("runs", &["runs", "show", "zzzz"]),
    ("state", &["state", "prune", "--before", "zzzz"]),
    ("runs", &["runs", "resume", "zzzz"]),
    ("runs", &["runs", "cancel", "zzzz"]),
    ("runs", &["runs", "export", "zzzz"]),
    ("schedule", &["schedule", "run", "absent"]),
    ("schedule", &["schedule", "show", "absent"]),
    ("worker", &["worker", "folder", "--slots", "x"]),
    ("cluster", &["cluster", "up", "--slots", "0"]),
    ("cluster", &["cluster", "status", "--address", "nowhere"]),
    ("replay", &["replay", "zzzz"]),
    ("replay", &["replay", "--last"]),
    ("chain", &["chain", "anomalies", "--run", "zzzz"]),
    ("artifacts", &["artifacts", "get", "zzzz"]),
    ("init", &["init", "--nope"]),
    ("setup", &["setup", "emacs"]),
    ("setup", &["setup", "codex", "--role", "nobody"]),
    ("doctor", &["doctor", "--nope"]),
    ("trust", &["trust", "--nope"]),
    ("workspace", &["workspace", "adopt", "--nope"]),
    ("completions", &["completions", "nosh"]),
    ("console", &["console", "--listen", "192.0.2.1:0"]),
    ("man", &["man", "--nope"]),
    ("help", &["help", "nothing"]),
];

/// One document on stdout, and it is the envelope of an error; words on stderr.
#[track_caller]
fn one_envelope(answer: &Answer, what: &str) {
    assert_ne!(answer.code, 0, "{what}: {}", answer.stdout);
    assert_eq!(
        answer.stdout.lines().count(),
        1,
        "{what}: {}",
        answer.stdout
    );
    let envelope = answer.json();
    assert_eq!(envelope.get("ok"), Some(&Value::Bool(false)), "{what}");
    assert!(envelope.pointer("/error/code").is_some(), "{what}");
    // The envelope of a call is all of its answer.
    let is_of_call = envelope.pointer("/metadata/tool").is_some();
    assert!(
        is_of_call || !answer.stderr.is_empty(),
        "{what}: nothing for people"
    );
}

#[test]
fn whatever_goes_wrong_is_one_envelope() {
    let place = Place::new();
    let commands = place.run(&["--help"], "").stdout;
    let commands = commands.split("\nOptions:").next().expect("the groups");
    let commands = commands.lines().filter_map(|line| {
        let command = line.strip_prefix("  ")?.split_whitespace().next();
        command.filter(|_| !line.starts_with("   "))
    });
    let commands: Vec<&str> = commands.collect();
    assert!(commands.len() > 25, "{commands:?}");
    for command in commands {
        assert!(
            WRONG.iter().any(|(name, _)| *name == command),
            "`{command}` is not in the list"
        );
    }
    for (_, words) in WRONG {
        one_envelope(&place.run(words, ""), &words.join(" "));
    }
    // A configuration that is wrong, at each command that reads it.
    place.write("mathchain.toml", "version = 1\nnonsense = 3\n");
    const UNCONFIGURED: [&str; 7] = [
        "init",
        "completions",
        "man",
        "schema",
        "approve",
        "deny",
        "help",
    ];
    for (command, words) in WRONG {
        if !UNCONFIGURED.contains(command) {
            one_envelope(&place.run(words, ""), &words.join(" "));
        }
    }
    one_envelope(
        &place.run(&["call", "calculate"], r#"{"expression":"1"}"#),
        "call",
    );
    for words in [
        &["doctor"][..],
        &["runs", "list"],
        &["audit", "export"],
        &["check"],
    ] {
        one_envelope(&place.run(words, ""), &words.join(" "));
    }
}

#[test]
fn what_cannot_be_read_is_one_envelope_wherever_the_flags_stand() {
    let place = Place::new();
    let deep = format!("{{\"data\":{}1{}}}", "[".repeat(300), "]".repeat(300));
    let inputs: [&[u8]; 5] = [
        br#"{"expression":"6*7""#,
        br#"{"expression":"1","expression":"2"}"#,
        deep.as_bytes(),
        b"{\"expression\":\"\xff\"}",
        b"[1]",
    ];
    for input in inputs {
        for words in [
            &["call", "calculate"][..],
            &["call", "calculate", "--json"],
            &["--json", "call", "calculate"],
            &["call", "calculate", "--output", "json"],
            &["call", "calculate", "--output=npy"],
        ] {
            one_envelope(&place.run_bytes(words, input), &words.join(" "));
        }
        one_envelope(&place.run_bytes(&["run", "-"], input), "run -");
    }
    // Whoever asks for something else gets words alone.
    let human = place.run(&["call", "calculate", "--output", "human"], "{");
    assert_eq!((human.code, human.stdout.as_str()), (2, ""));
    assert!(human.stderr.contains("error:"), "{}", human.stderr);
}

#[test]
fn the_limit_of_input_holds_for_every_way_of_reading_a_call() {
    let place = Place::new();
    place.write(
        "mathchain.toml",
        "version = 1\n[limits]\nmax_input_bytes = 100\n",
    );
    let long = format!(r#"{{"expression":"1{}"}}"#, "+1".repeat(200));
    for words in [&["call", "calculate"][..], &["call", "calculate", "--json"]] {
        let answer = place.run(words, &long);
        one_envelope(&answer, "call");
        assert_eq!(answer.at("/error/code"), Value::from("limit_exceeded"));
    }
    let line = format!("{{\"id\":1,\"tool\":\"calculate\",\"args\":{long}}}\n");
    let served = place.run(&["serve", "--jsonl"], &line);
    assert_eq!(served.at("/error/code"), Value::from("limit_exceeded"));
    let short = place.run(&["call", "calculate"], r#"{"expression":"6*7"}"#);
    short.expect_code(0);
}

/// Writes a line, then makes a product of a million numbers.
fn large_plan() -> String {
    let column: Vec<String> = (0..1000).map(|n| format!("[{n}]")).collect();
    let row: Vec<String> = (0..1000).map(|n| format!("{n}.25")).collect();
    let (a, b) = (column.join(","), row.join(","));
    format!(
        r#"{{"version":1,"id":"large","steps":[{{"id":"w","tool":"write_file","args":{{"path":"log.txt","content":"once;","mode":"append"}}}},{{"id":"z","tool":"matrix_multiply","args":{{"A":[{a}],"B":[[{b}]]}}}},{{"id":"t","tool":"calculate","args":{{"expression":"6*7"}}}}],"outputs":{{"p":{{"$ref":"z.product"}},"n":{{"$ref":"t"}}}}}}"#
    )
}

const ALLOWED: &str = "version = 1\n[[policies]]\nlevel = \"global\"\n  [[policies.rules]]\n  match = { tools = [\"write_file\", \"run_shell\"] }\n  decision = \"allow\"\n";

/// The handle of the product of the plan, in outputs.
#[track_caller]
fn handle_in(place: &Place, outputs: &Value) {
    assert_eq!(outputs.pointer("/p/shape/1"), Some(Value::Int(1000)));
    let name = outputs.pointer("/p/$artifact").expect("a handle");
    let name = name.as_str().expect("text").to_owned();
    let shown = place.run(&["artifacts", "show", &name], "");
    assert_eq!(shown.expect_code(0).at("/shape/0"), Value::Int(1000));
}

#[test]
fn a_plan_with_effects_is_answered_with_handles_at_every_door() {
    let place = Place::new();
    place.write("mathchain.toml", ALLOWED);
    place.write("plan.json", &large_plan());
    let args = format!(r#"{{"plan":{}}}"#, large_plan());
    let called = place.run(&["call", "chain_run"], &args);
    let output = called.expect_code(0).at("/output");
    assert!(called.stdout.len() < 1 << 20);
    assert_eq!(output.get("status"), Some(&Value::from("success")));
    handle_in(&place, output.get("outputs").expect("outputs"));
    let line = format!("{{\"id\":1,\"tool\":\"chain_run\",\"args\":{args}}}\n");
    let served = place.run(&["serve", "--jsonl"], &line);
    handle_in(&place, &served.expect_code(0).at("/output/outputs"));
    let run = place.run(&["run", "plan.json"], "");
    handle_in(&place, &run.expect_code(0).at("/output/outputs"));
    assert_eq!(place.read("log.txt"), "once;once;once;");

    // Whose answer was lost finds it again: nothing is called.
    let id = run.at("/output/chain_id");
    let id = id.as_str().expect("text");
    let again = place.run(&["runs", "resume", id], "");
    assert_eq!(
        again.expect_code(0).at("/output/outputs"),
        run.at("/output/outputs")
    );
    assert_eq!(again.at("/output/status"), Value::from("success"));
    let shown = place.run(&["runs", "show", id], "");
    assert_eq!(
        shown.expect_code(0).at("/outputs"),
        run.at("/output/outputs")
    );
    assert_eq!(place.read("log.txt"), "once;once;once;");
}

#[test]
fn within_a_plan_an_inner_plan_gives_the_numbers_themselves() {
    let place = Place::new();
    place.write("mathchain.toml", ALLOWED);
    let outer = format!(
        r#"{{"version":1,"id":"outer","steps":[{{"id":"c","tool":"chain_run","args":{{"plan":{{"$lit":{}}}}}}},{{"id":"q","tool":"json_query","args":{{"data":{{"$ref":"c.outputs"}},"query":"length(p)"}}}}],"outputs":{{"rows":{{"$ref":"q.result"}}}}}}"#,
        large_plan()
    );
    place.write("outer.json", &outer);
    let run = place.run(&["run", "outer.json"], "");
    assert_eq!(
        run.expect_code(0).at("/output/outputs/rows"),
        Value::Int(1000)
    );
}

#[test]
fn what_a_failed_run_answered_can_be_asked_for_again() {
    let place = Place::new();
    place.write(
        "plan.yaml",
        "version: 1\nid: p\nsteps:\n  - {id: a, tool: calculate, args: {expression: '6*7'}}\n  - {id: b, tool: read_file, args: {path: absent.txt}}\noutputs: {a: {$ref: a}}\n",
    );
    let run = place.run(&["run", "plan.yaml"], "");
    let id = run.at("/error/evidence/chain_id");
    let again = place.run(&["runs", "resume", id.as_str().expect("text")], "");
    assert_eq!(again.code, run.code);
    assert_eq!(again.at("/error/evidence/chain_id"), id);
    assert_eq!(again.at("/error/evidence/status"), Value::from("failed"));
    let outputs = "/error/evidence/outputs";
    assert_eq!(again.at(outputs), run.at(outputs));
    assert_eq!(again.at("/error/message"), run.at("/error/message"));
    // A ruling on a run that has ended is a mistake.
    let words = [
        "runs",
        "resume",
        id.as_str().expect("text"),
        "--decide",
        "b=again",
    ];
    assert_eq!(
        place.run(&words, "").at("/error/reason"),
        Value::from("run_ended")
    );
}

#[test]
fn a_result_after_an_effect_is_cut_and_kept() {
    let place = Place::new();
    place.write(
        "mathchain.toml",
        &format!("{ALLOWED}[limits]\nmax_output_bytes = 4000\n"),
    );
    let args = r#"{"command":"seq 1 4000; echo once >&2"}"#;
    let answer = place.run(&["call", "run_shell"], args);
    assert_eq!(answer.expect_code(0).at("/ok"), Value::Bool(true));
    let shown = answer.at("/output/stdout");
    let shown = shown.as_str().expect("text").to_owned();
    assert!(
        shown.starts_with("1\n2\n3\n") && shown.len() < 4000,
        "{shown}"
    );
    assert_eq!(answer.at("/output/stderr"), Value::from("once\n"));
    let warning = answer.at("/warnings/0");
    assert!(
        warning
            .as_str()
            .is_some_and(|text| text.contains("truncated")),
        "{warning}"
    );
    let name = answer.at("/metadata/whole_output");
    let name = name.get("$artifact").or(name.get("$value")).cloned();
    let name = name.expect("a handle");
    let whole = place.run(&["artifacts", "get", name.as_str().expect("text")], "");
    let whole = mathchain::parse_json(whole.expect_code(0).stdout.trim_end()).expect("JSON");
    let whole = whole
        .get("stdout")
        .and_then(Value::as_str)
        .expect("text")
        .to_owned();
    assert!(whole.ends_with("\n3999\n4000\n"), "{} bytes", whole.len());
    // It is kept as long as others, and no longer.
    let gc = place.run(&["runs", "gc"], "");
    assert_eq!(gc.expect_code(0).at("/values"), Value::Int(0));
    let gc = place.run(&["runs", "gc", "--keep-days", "0"], "");
    let freed = gc.expect_code(0);
    assert_ne!(freed.at("/freed_bytes"), Value::Int(0));
    // A pure call may be sent again, and is refused with both sizes.
    let pure = place.run(
        &["call", "json_query"],
        &format!(r#"{{"data":"{}","query":"@"}}"#, "x".repeat(5000)),
    );
    assert_eq!(pure.at("/error/code"), Value::from("output_too_large"));
    let audit = place.run(&["audit", "verify"], "");
    assert_eq!(audit.expect_code(0).at("/sound"), Value::Bool(true));
}

#[test]
fn an_answer_that_fell_short_says_so_and_exits_with_its_own_code() {
    let place = Place::new();
    place.write("mathchain.toml", ALLOWED);
    let ode = r#"{"system":["y0**2"],"y0":[1],"t_span":[0,2]}"#;
    let refused = r#"{"name":"d","tools":["calculate"],"calls":[{"tool":"write_file","args":{"path":"a","content":"b"}}]}"#;
    for (tool, args, how) in [
        ("run_shell", r#"{"argv":["false"]}"#, "exit_status"),
        (
            "run_shell",
            r#"{"argv":["sleep","60"],"timeout":1}"#,
            "timed_out",
        ),
        ("run_shell", r#"{"command":"kill -9 $$"}"#, "exit_status"),
        ("solve_ode", ode, "incomplete"),
        ("delegate", refused, "none_done"),
    ] {
        let answer = place.run(&["call", tool], args);
        assert_eq!(answer.expect_code(8).at("/ok"), Value::Bool(true), "{tool}");
        assert_eq!(answer.at("/metadata/shortfall"), Value::from(how), "{tool}");
        assert!(answer.at("/warnings/0").as_str().is_some(), "{tool}");
    }
    place
        .run(&["call", "run_shell"], r#"{"argv":["true"]}"#)
        .expect_code(0);
}

#[test]
fn a_state_that_cannot_be_written_can_be_looked_at() {
    let place = Place::new();
    place.write("mathchain.toml", ALLOWED);
    place.write("plan.json", &large_plan());
    let run = place.run(&["run", "plan.json"], "");
    let id = run.expect_code(0).at("/output/chain_id");
    let id = id.as_str().expect("text").to_owned();
    let handle = run.at("/output/outputs/p/$artifact");
    let handle = handle.as_str().expect("text").to_owned();
    for with_log in [true, false] {
        if !with_log {
            // As a copy on media is: the log has been emptied into the file.
            let file = place.path("work/.mathchain/state.db");
            let emptied = std::process::Command::new("python3")
                .args(["-c", "import sqlite3,sys\nc=sqlite3.connect(sys.argv[1])\nc.execute('PRAGMA wal_checkpoint(TRUNCATE)')\nc.close()"])
                .arg(file)
                .status();
            assert!(emptied.expect("python3").success());
            for name in ["state.db-wal", "state.db-shm"] {
                let _ = std::fs::remove_file(place.path("work/.mathchain").join(name));
            }
        }
        for words in [
            &["audit", "verify"][..],
            &["audit", "list"],
            &["audit", "export"],
            &["runs", "list"],
            &["runs", "show", &id],
            &["approvals", "list"],
            &["artifacts", "list"],
            &["artifacts", "get", &handle, "--to", "got.npy"],
        ] {
            let answer = read_only(&place, words);
            if answer.code == NO_NAMESPACE {
                return; // the system lets no user make a mount of its own
            }
            answer.expect_code(0);
            assert!(answer.stderr.contains("read-only"), "{}", answer.stderr);
            match words[..] {
                ["audit", "verify"] => assert_eq!(answer.at("/sound"), Value::Bool(true)),
                ["artifacts", "get", ..] => {
                    std::fs::remove_file(place.path("work/got.npy")).expect("was made");
                }
                ["runs", "list"] => assert_eq!(answer.at("/0/run"), Value::from(id.as_str())),
                ["runs", "show", _] => assert_eq!(answer.at("/state"), Value::from("succeeded")),
                _ => {}
            }
        }
        // Effects are refused there, and pure calls are answered.
        let pure = read_only(&place, &["call", "calculate", "--expression", "6*7"]);
        pure.expect_code(0);
        let effect = ["call", "write_file", "--path", "b", "--content", "c"];
        assert_ne!(read_only(&place, &effect).code, 0);
    }
    assert!(
        place
            .run(&["audit", "verify"], "")
            .expect_code(0)
            .stdout
            .contains("true")
    );
}

/// What a shell answers that cannot make a mount.
const NO_NAMESPACE: i32 = 97;

/// Runs the binary where the state is mounted without writing.
fn read_only(place: &Place, words: &[&str]) -> Answer {
    let own = place.command(&[]);
    let mut command = std::process::Command::new("unshare");
    let script =
        r#"mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" || exit 97; shift; exec "$@""#;
    command.args([
        "--mount",
        "--map-root-user",
        "--",
        "/bin/sh",
        "-c",
        script,
        "sh",
    ]);
    command.arg(place.path("work/.mathchain"));
    let words = asking_json(words);
    command.arg(env!("CARGO_BIN_EXE_mathchain")).args(words);
    command.current_dir(place.path("work"));
    for (name, value) in own.get_envs() {
        command.env(name, value.expect("is set"));
    }
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut answer = answer_of(command, b"");
    if answer.stderr.contains("unshare:") {
        answer.code = NO_NAMESPACE;
    }
    answer
}

#[test]
fn looking_at_a_project_leaves_nothing_in_it() {
    let place = Place::new();
    place.write("mathchain.toml", "version = 1\n");
    let doctor = place.run(&["doctor"], "");
    let probes = doctor.at("/probes").items().expect("a list");
    let state = probes
        .iter()
        .find(|probe| probe.get("probe") == Some(&Value::from("state")));
    assert_eq!(
        state.and_then(|state| state.get("ok")),
        Some(&Value::Bool(true))
    );
    place.run(&["check"], "").expect_code(0);
    assert!(!place.path("work/.mathchain").exists());
}

#[test]
fn people_read_local_times() {
    let place = Place::new();
    place.write(
        "p.yaml",
        "version: 1\nid: p\nsteps:\n  - {id: a, tool: calculate, args: {expression: '6*7'}}\n",
    );
    place.run(&["run", "p.yaml"], "").expect_code(0);
    let shown = |zone: &str| {
        let mut command = place.command(&["runs", "list", "--output", "human"]);
        command.env("TZ", zone);
        let line = answer_of(command, b"").stdout;
        let line = line.trim_end();
        let time = line[line.len() - 19..].to_owned();
        let hour: i32 = time[11..13].parse().unwrap_or_else(|_| panic!("{line}"));
        (hour, time)
    };
    let (utc, text) = shown("UTC");
    assert!(text.starts_with("20"), "{text}");
    let ahead = shown("Asia/Kolkata").0 - utc;
    // Half past five, whatever the minute.
    assert!([5, 6].contains(&ahead.rem_euclid(24)), "{ahead}");
}

/// The table of exit codes on the page is that of the help.
#[test]
fn exit_codes_stand_in_the_help_and_on_the_page() {
    let page = include_str!("../../../docs/answers.md");
    let table = page.split("## Exit codes").nth(1).expect("a table");
    let rows = table
        .lines()
        .map_while(|line| match line.starts_with("## ") {
            true => None,
            false => Some(line),
        });
    let codes = rows.filter_map(|row| row.strip_prefix("| ")?.split(' ').next()?.parse().ok());
    let codes: Vec<u32> = codes.collect();
    let help = Place::new().run(&["--help"], "").stdout;
    let help = help
        .split("Exit codes")
        .nth(1)
        .expect("a list")
        .replace('\n', " ");
    let listed = help.split(": ").nth(1).expect("a list").split(", ");
    let listed = listed.filter_map(|entry| entry.trim().split(' ').next()?.parse().ok());
    assert_eq!(codes, listed.collect::<Vec<u32>>());
}

#[test]
fn a_reader_that_has_enough_is_no_error_and_a_full_disk_is_one() {
    let place = Place::new();
    place
        .run(&["serve", "--jsonl"], &"x\n".repeat(10))
        .expect_code(0);
    for n in 0..3 {
        let expression = format!("{n}+1");
        place
            .run(&["call", "calculate", "--expression", &expression], "")
            .expect_code(0);
    }
    for words in [
        &["audit", "export"][..],
        &["audit", "list"],
        &["call", "calculate", "--expression", "1"],
    ] {
        let mut command = place.command(words);
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let closed = command.stdout(writer).output().expect("runs");
        assert_eq!(closed.status.code(), Some(0), "{words:?}: {closed:?}");
        let full = std::fs::File::options().write(true).open("/dev/full");
        let mut command = place.command(words);
        let full = command.stdout(full.expect("opens")).output().expect("runs");
        assert_eq!(full.status.code(), Some(1), "{words:?}: {full:?}");
        assert!(!full.stderr.is_empty(), "{words:?}");
    }
}
