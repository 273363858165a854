//! Prompts for approval at a terminal: every answer, for a call and for a run, and where there is no prompt.

use crate::support::{Answer, Place, answer_of, at_terminal};
use crate::terminal::Screen;

const CALL: [&str; 6] = [
    "call",
    "write_file",
    "--path",
    "a.txt",
    "--content",
    "text of a",
];

const PLAN: &str = "version: 1
steps:
  - {id: w, tool: write_file, args: {path: a.txt, content: text of a}}
outputs: {path: {$ref: w.path}}
";

const RUN: [&str; 2] = ["run", "p.yaml"];

fn place() -> Place {
    let place = Place::new();
    place.write("p.yaml", PLAN);
    place
}

/// Runs a command on a terminal and types each answer when it asks; gives its exit code and all it printed.
fn answered(place: &Place, command: &[&str], answers: &[&str]) -> (i32, String) {
    let mut screen = Screen::start(place, command, 60, 120, &[("PAGER", "cat")]);
    for (index, answer) in answers.iter().enumerate() {
        let asked = |text: &str| text.matches("[y/N/always/show]").count() > index;
        screen.until("a question", asked);
        screen.type_in(answer);
    }
    let (code, text, _) = screen.end();
    (code.expect("a code"), text)
}

fn written(place: &Place) -> bool {
    place.path("work/a.txt").exists()
}

fn state_of(place: &Place) -> String {
    let listed = place.run(&["approvals", "list", "--all", "--json"], "");
    listed.at("/0/state").as_str().expect("a text").to_owned()
}

#[test]
fn yes_runs_it_once() {
    for command in [&CALL[..], &RUN] {
        for yes in ["y\r", "YES\r"] {
            let place = place();
            let (code, text) = answered(&place, command, &[yes]);
            assert_eq!(code, 0, "{text}");
            assert!(text.contains("text of a") && written(&place), "{text}");
            assert_eq!(state_of(&place), "consumed");
            // Once: the same again asks again.
            std::fs::remove_file(place.path("work/a.txt")).expect("removes");
            let (code, text) = answered(&place, command, &["n\r"]);
            assert_eq!((code == 0, written(&place)), (false, false), "{text}");
        }
    }
}

#[test]
fn anything_but_yes_is_no() {
    for command in [&CALL[..], &RUN] {
        for no in ["n\r", "\r", "no\r", "yess\r", "\u{4}"] {
            let place = place();
            let (code, text) = answered(&place, command, &[no]);
            assert_ne!(code, 0, "{no:?}: {text}");
            assert!(!written(&place), "{no:?}");
            assert_eq!(state_of(&place), "declined", "{no:?}");
        }
    }
}

#[test]
fn always_records_a_rule() {
    for command in [&CALL[..], &RUN] {
        for always in ["always\r", "a\r"] {
            let place = place();
            let (code, text) = answered(&place, command, &[always]);
            assert_eq!(code, 0, "{text}");
            assert!(written(&place), "{text}");
            let rules = place.run(&["policy", "rules", "--json"], "");
            assert_eq!(
                rules.json().items().map(|rules| rules.len()),
                Some(1),
                "{}",
                rules.stdout
            );
            // It is not asked again.
            std::fs::remove_file(place.path("work/a.txt")).expect("removes");
            let (code, text) = answered(&place, command, &[]);
            assert_eq!((code, written(&place)), (0, true), "{text}");
        }
    }
}

/// A destructive call is approved each time: `always` says why, and asks again.
#[test]
fn always_of_a_destructive_call_asks_again() {
    let place = place();
    place.write("a.txt", "old text\n");
    let command = [&CALL[..], &["--mode", "overwrite"]].concat();
    let (code, text) = answered(&place, &command, &["always\r", "n\r"]);
    assert_ne!(code, 0, "{text}");
    assert!(text.contains("error:"), "{text}");
    assert_eq!(place.read("a.txt"), "old text\n");
}

#[test]
fn show_shows_everything_and_asks_again() {
    for command in [&CALL[..], &RUN] {
        for show in ["show\r", "s\r"] {
            let place = place();
            let (code, text) = answered(&place, command, &[show, "y\r"]);
            assert_eq!(code, 0, "{text}");
            assert!(
                written(&place) && text.contains("arguments_digest"),
                "{text}"
            );
        }
    }
}

/// The text of a file that the arguments name is what is approved, so it is what is shown.
#[test]
fn the_content_of_a_file_is_shown() {
    let place = place();
    let lines = |changed: &str| {
        (1..=40)
            .map(|n| {
                if n == 30 {
                    format!("{changed}\n")
                } else {
                    format!("line {n}\n")
                }
            })
            .collect::<String>()
    };
    place.write("a.txt", &lines("line 30"));
    let token = format!("ghp_{}", "a1B2".repeat(9));
    place.write(
        "new.txt",
        &(lines("changed line") + "token: " + &token + "\n"),
    );
    let command = [
        "call",
        "write_file",
        "--path",
        "a.txt",
        "--mode",
        "overwrite",
        "--content",
        "@new.txt",
    ];
    let (code, text) = answered(&place, &command, &["n\r"]);
    assert_ne!(code, 0);
    assert!(
        text.contains("-line 30") && text.contains("+changed line"),
        "{text}"
    );
    assert!(!text.contains(&token), "{text}");
    // From another process, as from another terminal.
    place.write(
        "new.txt",
        &(lines("changed line") + "token: " + &token + "\nmore\n"),
    );
    let id = place
        .run(&command, "")
        .expect_code(4)
        .at("/metadata/approval_id");
    let id = id.as_str().expect("a text");
    let shown = place.run(&["approvals", "show", id, "--json"], "");
    let content = shown.expect_code(0).at("/details/arguments/content");
    let content = content.as_str().expect("a text");
    assert!(
        content.contains("changed line\nline 31") && !content.contains(&token),
        "{content}"
    );
    // Another content is another call.
    place.write("new.txt", "something else\n");
    place.run(&["approve", id], "").expect_code(0);
    place.run(&command, "").expect_code(4);
    assert!(place.read("a.txt").contains("line 30"));
}

#[test]
fn with_keys_no_terminal_is_asked() {
    let place = place();
    place.write(
        "mathchain.toml",
        "version = 1\n[approvals]\nfrom = \"key\"\n",
    );
    for command in [&CALL[..], &RUN] {
        let (code, text) = answered(&place, command, &[]);
        assert_eq!(code, 4, "{text}");
        assert!(!text.contains("[y/N") && !written(&place), "{text}");
    }
}

/// A job that calls and approves in one process group is refused, also at a terminal; the prompt of a shell starts each command in a
/// group of its own.
#[test]
fn the_process_group_that_asks_does_not_approve() {
    let script = |place: &Place, options: &str| {
        let binary = env!("CARGO_BIN_EXE_mathchain");
        let text = format!(
            "set {options}; \"{binary}\" call write_file --path a.txt --content x > asked.json; \
             id=$(sed 's/.*\"approval_id\":\"\\([0-9a-f]*\\)\".*/\\1/' asked.json); \"{binary}\" approve \"$id\""
        );
        let mut command = at_terminal("/bin/sh");
        command
            .args(["-c", &text])
            .current_dir(place.path("work"))
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", place.path("home"))
            .env("XDG_STATE_HOME", place.path("state"))
            .env("XDG_CONFIG_HOME", place.path("config"))
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped());
        answer_of(command, b"")
    };
    let check = |answer: &Answer, code: i32, words: &str| {
        answer.expect_code(code);
        let all = format!("{}{}", answer.stdout, answer.stderr);
        assert!(all.contains(words), "{all}");
    };
    let place = place();
    check(
        &script(&place, "+m"),
        3,
        "the process group that requested an approval cannot give it",
    );
    assert_eq!(state_of(&place), "pending");
    let place = Place::new();
    check(&script(&place, "-m"), 0, "approved");
}

#[test]
fn an_approval_that_expired_is_refused() {
    let place = place();
    place.write(
        "mathchain.toml",
        "version = 1\n[approvals]\nexpire = \"2s\"\n",
    );
    let args = r#"{"path":"a.txt","content":"x"}"#;
    let ask = || place.run(&["call", "write_file"], args);
    let id = |answer: &Answer| {
        let id = answer.expect_code(4).at("/metadata/approval_id");
        id.as_str().expect("a text").to_owned()
    };
    // One that was granted in time, and one that was not.
    let granted = id(&ask());
    place.run(&["approve", &granted], "").expect_code(0);
    std::thread::sleep(std::time::Duration::from_millis(2100));
    let refused = ask();
    let code = refused.expect_code(3).at("/error/code");
    assert_eq!(code, "approval_expired".into(), "{}", refused.stdout);
    assert!(!written(&place));
    let late = id(&ask());
    assert_ne!(late, granted, "the next call asks anew");
    std::thread::sleep(std::time::Duration::from_millis(2100));
    let refused = place.run(&["approve", &late], "");
    assert_ne!(refused.code, 0);
    assert!(refused.stderr.contains("expired"), "{}", refused.stderr);
    assert_eq!(state_of(&place), "expired");
    place.run(&["audit", "verify"], "").expect_code(0);
}

/// Facts of the command line narrow every door that takes them.
#[test]
fn facts_narrow_calls_runs_and_serving() {
    let place = place();
    let args = r#"{"path":"a.txt","content":"x"}"#;
    let refused = place.run(
        &["call", "--fact", "read_only", "write_file", "--yes"],
        args,
    );
    assert!(
        refused
            .expect_code(3)
            .at("/error/message")
            .to_string()
            .contains("read_only")
    );
    let refused = place.run(&["run", "p.yaml", "--fact", "read_only", "--yes"], "");
    assert_ne!(refused.code, 0);
    let said = format!("{}{}", refused.stdout, refused.stderr);
    assert!(said.contains("read_only"), "{said}");
    let line = format!("{{\"id\":1,\"tool\":\"write_file\",\"args\":{args}}}\n");
    let served = place.run(&["serve", "--jsonl", "--fact", "read_only"], &line);
    assert!(
        served
            .at("/error/message")
            .to_string()
            .contains("read_only"),
        "{}",
        served.stdout
    );
    let url = r#"{"url":"http://127.0.0.1:9/"}"#;
    let refused = place.run(&["call", "--fact", "no_web", "http_get", "--yes"], url);
    assert!(
        refused
            .expect_code(3)
            .at("/error/message")
            .to_string()
            .contains("no_web")
    );
    assert!(!written(&place));
    // What only reads and stays here runs.
    let read = place.run(
        &[
            "call",
            "--fact",
            "read_only",
            "--fact",
            "no_web",
            "read_file",
            "--path",
            "p.yaml",
        ],
        "",
    );
    read.expect_code(0);
    let unknown = place.run(
        &[
            "call",
            "--fact",
            "readonly",
            "calculate",
            "--expression",
            "1",
        ],
        "",
    );
    assert!(
        unknown.expect_code(2).stderr.contains("read_only"),
        "{}",
        unknown.stderr
    );
}

/// From another folder, at another terminal: all requests of one run, and the run goes on where it began.
#[test]
fn all_requests_of_a_run_are_approved_from_elsewhere() {
    let place = Place::new();
    place.write(
        "a/p.yaml",
        "version: 1
steps:
  - {id: a, tool: write_file, args: {path: a.txt, content: aa}}
  - {id: b, tool: write_file, args: {path: b.txt, content: bb}}
  - {id: c, tool: calculate, args: {expression: 6*7}}
outputs: {c: {$ref: c.value}}
",
    );
    let at = |folder: &str, args: &[&str], stdin: &str| {
        std::fs::create_dir_all(place.path("work").join(folder)).expect("makes folders");
        let mut command = place.command(args);
        command.current_dir(place.path("work").join(folder));
        answer_of(command, stdin.as_bytes())
    };
    let begun = at("a", &["run", "p.yaml"], "");
    let run = begun.expect_code(4).at("/metadata/chain_id");
    let run = run.as_str().expect("a text");
    at(
        "a",
        &["call", "write_file"],
        r#"{"path":"other.txt","content":"x"}"#,
    )
    .expect_code(4);
    let approve = ["approve", "--all", "--run", run, "--resume"];
    let mut answer = at("b", &approve, "");
    for _ in 0..2 {
        if answer.code == 4 {
            answer = at("b", &approve, "");
        }
    }
    assert!(
        answer.expect_code(0).stdout.contains("c  42"),
        "{}",
        answer.stdout
    );
    for (file, content) in [("a/a.txt", "aa"), ("a/b.txt", "bb")] {
        assert_eq!(place.read(file), content);
    }
    assert!(!place.path("work/a/other.txt").exists() && !place.path("work/b/a.txt").exists());
    let left = at("a", &["approvals", "list", "--json"], "");
    assert_eq!(
        left.json().items().map(|left| left.len()),
        Some(1),
        "the request of the call"
    );
}
