//! What an approval, a recorded rule and a run are bound to, and who may answer.

use std::path::Path;

use tool_core::Value;

use super::support::{Answer, Place, Served, answer_of, asking_json};

/// Runs the binary in a folder of the place.
fn at(place: &Place, folder: &str, args: &[&str], stdin: &str) -> Answer {
    let folder = place.path("work").join(folder);
    std::fs::create_dir_all(&folder).expect("makes folders");
    let mut command = place.command(&asking_json(args));
    command.current_dir(folder);
    answer_of(command, stdin.as_bytes())
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

#[track_caller]
fn asks(answer: &Answer) -> String {
    text(&answer.expect_code(4).at("/metadata/approval_id"))
}

fn is_there(place: &Place, name: &str) -> bool {
    place.path("work").join(name).exists()
}

const NEW: &str = r#"{"path":"new.txt","content":"x"}"#;

#[test]
fn an_approval_holds_in_the_folder_it_was_asked_in() {
    let place = Place::new();
    let id = asks(&at(&place, "a", &["call", "write_file"], NEW));
    // Settled from elsewhere, and said where it holds.
    let granted = at(&place, "b", &["approve", &id], "");
    let workspace = text(&granted.expect_code(0).at("/workspace"));
    assert_eq!(
        Path::new(&workspace),
        place.path("work/a").canonicalize().expect("there")
    );
    let other = asks(&at(&place, "b", &["call", "write_file"], NEW));
    assert_ne!(other, id);
    assert!(!is_there(&place, "b/new.txt"));
    at(&place, "a", &["call", "write_file"], NEW).expect_code(0);
    assert!(is_there(&place, "a/new.txt"));
}

#[test]
fn an_approval_moves_with_its_folder_and_not_to_a_copy() {
    let place = Place::new();
    let id = asks(&at(&place, "a", &["call", "write_file"], NEW));
    at(&place, ".", &["approve", &id], "").expect_code(0);
    let work = place.path("work");
    std::fs::rename(work.join("a"), work.join("moved")).expect("moves");
    // Another folder at the same path, such as a fresh checkout.
    asks(&at(&place, "a", &["call", "write_file"], NEW));
    at(&place, "moved", &["call", "write_file"], NEW).expect_code(0);
}

#[test]
fn a_recorded_rule_holds_in_its_folder() {
    let place = Place::new();
    let id = asks(&at(&place, "a", &["call", "write_file"], NEW));
    at(&place, "b", &["approve", &id, "--always"], "").expect_code(0);
    asks(&at(&place, "b", &["call", "write_file"], NEW));
    at(&place, "a", &["call", "write_file"], NEW).expect_code(0);
}

const ASKS: &str = "version: 1\nid: p\nsteps:\n  - {id: w, tool: write_file, args: {path: made.txt, content: x}}\n";

#[test]
fn a_run_goes_on_in_the_folder_it_began_in() {
    let place = Place::new();
    place.write("a/p.yaml", ASKS);
    let begun = at(&place, "a", &["run", "p.yaml"], "");
    let id = asks(&begun);
    let run = text(&begun.at("/metadata/chain_id"));
    at(&place, "b", &["approve", &id], "").expect_code(0);
    // Another folder that is named is another workspace.
    let refused = at(
        &place,
        "b",
        &["runs", "resume", &run, "--workspace", "."],
        "",
    );
    assert_ne!(refused.code, 0);
    assert!(
        refused.stderr.contains("began in the folder"),
        "{}",
        refused.stderr
    );
    at(&place, "b", &["runs", "resume", &run], "").expect_code(0);
    assert!(is_there(&place, "a/made.txt") && !is_there(&place, "b/made.txt"));
}

#[test]
fn a_run_whose_folder_is_another_one_now_is_refused() {
    let place = Place::new();
    place.write("a/p.yaml", ASKS);
    let begun = at(&place, "a", &["run", "p.yaml"], "");
    let run = text(&begun.at("/metadata/chain_id"));
    std::fs::rename(place.path("work/a"), place.path("gone")).expect("moves");
    std::fs::remove_dir_all(place.path("gone")).expect("removes");
    for command in ["resume", "cancel"] {
        let refused = at(&place, "a", &["runs", command, &run], "");
        assert_ne!(refused.code, 0, "{command}");
        assert!(
            refused.stderr.contains("a fresh checkout"),
            "{}",
            refused.stderr
        );
    }
    at(
        &place,
        "a",
        &["runs", "cancel", &run, "--accept-changes"],
        "",
    )
    .expect_code(0);
}

#[test]
fn what_is_destroyed_is_part_of_what_is_approved() {
    for (tool, args) in [
        ("delete_file", r#"{"path":"x"}"#),
        (
            "write_file",
            r#"{"path":"x","content":"new","mode":"overwrite"}"#,
        ),
    ] {
        let place = Place::new();
        place.write("x", "draft");
        let call = || place.run(&["call", tool], args);
        let id = asks(&call());
        place.run(&["approve", &id], "").expect_code(0);
        place.write("x", "something else");
        assert_ne!(asks(&call()), id, "{tool}");
        assert_eq!(place.read("x"), "something else");
        place.write("x", "draft");
        call().expect_code(0);
    }
}

#[test]
fn everything_that_is_approved_can_be_seen_until_it_is_answered() {
    let place = Place::new();
    let hidden = format!("echo ok{}; echo DANGER", " ".repeat(3000));
    let args = Value::object([("argv", vec!["sh".to_owned(), "-c".to_owned(), hidden])]);
    let id = asks(&place.run(&["call", "run_shell"], &args.to_string()));
    let listed = place.run(&["approvals", "list", "--output", "human"], "");
    assert!(!listed.stdout.contains("DANGER"));
    let hint = format!("approvals show {id}");
    assert!(listed.stdout.contains(&hint), "{}", listed.stdout);
    let shown = place.run(&["approvals", "show", &id], "");
    let argv = text(&shown.expect_code(0).at("/details/arguments/argv/2"));
    assert!(argv.ends_with("DANGER"));
    for name in ["workspace", "resources", "digest", "arguments_digest"] {
        assert!(shown.at("/details").get(name).is_some(), "{name}");
    }
    let readable = place.run(&["approvals", "show", &id, "--output", "human"], "");
    assert!(readable.stdout.contains("DANGER"), "{}", readable.stdout);
    // Who approves is shown all of it too; then it is gone.
    let approved = place.run(&["approve", &id, "--output", "human"], "");
    assert!(approved.stdout.contains("DANGER"), "{}", approved.stdout);
    let shown = place.run(&["approvals", "show", &id], "");
    assert!(shown.expect_code(0).json().get("details").is_none());
}

fn always(place: &Place, tool: &str, args: &str) -> Answer {
    let id = asks(&place.run(&["call", tool], args));
    place.run(&["approve", &id, "--always"], "")
}

#[test]
fn always_is_no_more_than_was_shown() {
    let place = Place::new();
    let recorded = always(
        &place,
        "write_file",
        r#"{"path":"n/a","content":"1","parents":true}"#,
    );
    let rule = text(&recorded.expect_code(0).at("/rule"));
    assert!(
        rule.contains("args.mode `create`") && rule.contains("destructive false"),
        "{rule}"
    );
    assert!(recorded.stderr.contains(&rule), "{}", recorded.stderr);
    place
        .run(
            &["call", "write_file"],
            r#"{"path":"n/a","content":"2","parents":true}"#,
        )
        .expect_code(0);
    for mode in ["append", "overwrite"] {
        let args = format!(r#"{{"path":"n/a","content":"2","parents":true,"mode":"{mode}"}}"#);
        asks(&place.run(&["call", "write_file"], &args));
    }
    // A program is the whole of its arguments.
    always(&place, "run_shell", r#"{"argv":["env"]}"#).expect_code(0);
    place
        .run(&["call", "run_shell"], r#"{"argv":["env"]}"#)
        .expect_code(0);
    asks(&place.run(
        &["call", "run_shell"],
        r#"{"argv":["env","sh","-c","echo x"]}"#,
    ));
    always(&place, "python_run", r#"{"code":"print(1)"}"#).expect_code(0);
    asks(&place.run(&["call", "python_run"], r#"{"code":"print(2)"}"#));
    // A patch that adds a file is no patch that deletes it.
    let patch = |text: &str| Value::object([("patch", Value::from(text))]).to_string();
    let add = patch("--- /dev/null\n+++ b/q\n@@ -0,0 +1 @@\n+x\n");
    always(&place, "apply_patch", &add).expect_code(0);
    place.run(&["call", "apply_patch"], &add).expect_code(0);
    let delete = patch("--- a/q\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n");
    asks(&place.run(&["call", "apply_patch"], &delete));
    // What destroys is asked about each time.
    let refused = always(&place, "delete_file", r#"{"path":"q"}"#);
    assert_eq!(refused.code, 3, "{}", refused.stderr);
}

/// Approvers with keys, one of whom has `anna.key`.
fn approvers(place: &Place, head: &str) {
    place.write("anna.key", &"k".repeat(32));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::Permissions::from_mode(0o600);
        std::fs::set_permissions(place.path("work/anna.key"), mode).expect("a mode");
    }
    let digest = registry::load::key_digest("k".repeat(32).as_bytes());
    let list = format!("{head}[approvers]\nanna = \"{digest}\"\n");
    place.write("../config/mathchain/approvers.toml", &list);
}

#[test]
fn where_approvers_have_keys_nothing_else_approves() {
    let place = Place::new();
    let early = asks(&place.run(&["call", "write_file"], NEW));
    place.run(&["approve", &early], "").expect_code(0);
    approvers(&place, "version = 1\n");
    // What was granted without a key before does not count any more.
    let id = asks(&place.run(&["call", "write_file"], NEW));
    assert_ne!(id, early);
    for args in [
        &["approve", &id][..],
        &["approve", &id, "--always"],
        &["deny", &id],
        &[
            "call",
            "write_file",
            "--yes",
            "--path",
            "new.txt",
            "--content",
            "x",
        ],
    ] {
        let refused = place.run(args, "");
        assert_eq!(
            refused.code, 3,
            "{args:?}: {}{}",
            refused.stdout, refused.stderr
        );
        assert!(!is_there(&place, "new.txt"));
    }
    place.write("p.yaml", ASKS);
    let refused = place.run(&["run", "p.yaml", "--yes"], "");
    assert_eq!(refused.code, 3, "{}{}", refused.stdout, refused.stderr);
    assert!(!is_there(&place, "made.txt"));
    place
        .run(&["approve", &id, "--key", "anna.key"], "")
        .expect_code(0);
    place.run(&["call", "write_file"], NEW).expect_code(0);
    place.run(&["audit", "verify"], "").expect_code(0);
}

#[test]
fn the_configuration_may_want_keys() {
    let place = Place::new();
    place.write(
        "mathchain.toml",
        "version = 1\n[approvals]\nfrom = \"key\"\n",
    );
    let id = asks(&place.run(&["call", "write_file"], NEW));
    assert_eq!(place.run(&["approve", &id], "").code, 3);
    place.write(
        "mathchain.toml",
        "version = 1\n[approvals]\nfrom = \"anyone\"\n",
    );
    assert_eq!(place.run(&["check"], "").code, 2);
}

#[test]
fn a_faulty_list_of_approvers_is_an_error_everywhere() {
    let place = Place::new();
    let id = asks(&place.run(&["call", "write_file"], NEW));
    approvers(&place, "");
    for args in [
        &["approve", &id][..],
        &["call", "calculate", "--expression", "1"],
        &["check"],
    ] {
        let refused = place.run(args, "");
        assert_eq!(refused.code, 2, "{args:?}: {}", refused.stderr);
        let all = format!("{}{}", refused.stdout, refused.stderr);
        assert!(all.contains("approvers.toml"), "{all}");
    }
    #[cfg(unix)]
    {
        let list = place.path("config/mathchain/approvers.toml");
        std::fs::remove_file(&list).expect("removes");
        std::os::unix::fs::symlink("/nowhere", &list).expect("links");
        assert_eq!(place.run(&["approve", &id], "").code, 2);
    }
}

#[test]
fn a_line_without_a_role_has_the_first_that_was_listed() {
    let place = Place::new();
    let mut served = Served::start(&place, &["--roles", "worker_math"]);
    let answer = served.call("run_shell");
    let code = answer.pointer("/error/code").unwrap_or_default();
    assert_eq!(code, Value::from("not_visible"), "{answer}");
    served.end();
}

#[test]
fn a_comment_in_the_configuration_voids_no_approval() {
    let place = Place::new();
    let rules = "version = 1\n[[policies]]\nlevel = \"global\"\n[[policies.rules]]\nmatch = { tools = [\"write_file\"] }\ndecision = \"ask\"\n";
    place.write("mathchain.toml", rules);
    let id = asks(&place.run(&["call", "write_file"], NEW));
    place.run(&["approve", &id], "").expect_code(0);
    place.write("mathchain.toml", &format!("# A comment.\n\n{rules}"));
    place.run(&["call", "write_file"], NEW).expect_code(0);
}

#[test]
fn denying_the_network_denies_all_that_reaches_it() {
    let place = Place::new();
    for selector in ["effect:network_access", "permission:network"] {
        let layer =
            format!("version = 1\n[[policies]]\nlevel = \"global\"\ndeny = [\"{selector}\"]\n");
        place.write("mathchain.toml", &layer);
        let listed = place.run(&["tools", "list"], "");
        let listed = listed.expect_code(0).stdout.clone();
        for tool in [
            "http_get",
            "fetch_docs",
            "web_search",
            "http_post",
            "embed_text",
            "similarity_search",
            "classify_text",
        ] {
            assert!(
                !listed.contains(&format!("\"{tool}\"")),
                "{selector}: {tool}"
            );
        }
        assert!(
            listed.contains("\"read_file\"") && listed.contains("\"calculate\""),
            "{selector}"
        );
    }
    let sends = "version = 1\n[[policies]]\nlevel = \"global\"\ndeny = [\"effect:network_send\"]\n";
    place.write("mathchain.toml", sends);
    let listed = place.run(&["tools", "list"], "");
    let listed = &listed.expect_code(0).stdout;
    assert!(listed.contains("\"http_get\"") && !listed.contains("\"http_post\""));
}

#[test]
fn a_pattern_denies_every_spelling_of_a_path() {
    let place = Place::new();
    for name in ["a.key", "x/b.key", "x/plain"] {
        place.write(name, "secret");
    }
    #[cfg(unix)]
    std::os::unix::fs::symlink("x/b.key", place.path("work/link")).expect("links");
    let rule = |path: &str| {
        format!(
            "version = 1\n[[policies]]\nlevel = \"global\"\n[[policies.rules]]\nmatch = {{ tools = [\"group:all\"], path = {{ {path} }} }}\ndecision = \"deny\"\n"
        )
    };
    place.write("mathchain.toml", &rule("glob = \"**/*.key\""));
    let absolute = place.path("work/a.key").to_string_lossy().into_owned();
    for path in [
        "a.key",
        "./a.key",
        "x/../a.key",
        "x//b.key",
        "x/b.key",
        "X/B.KEY",
        "link",
        &absolute,
    ] {
        let args = Value::object([("path", Value::from(path))]).to_string();
        let refused = place.run(&["call", "read_file"], &args);
        assert_ne!(refused.code, 0, "{path}: {}", refused.stdout);
        assert!(!refused.stdout.contains("secret"), "{path}");
    }
    let patch = "--- /dev/null\n+++ b/free\n@@ -0,0 +1 @@\n+x\n--- /dev/null\n+++ b/y/c.key\n@@ -0,0 +1 @@\n+x\n";
    let args = Value::object([("patch", Value::from(patch))]).to_string();
    place.run(&["call", "apply_patch"], &args).expect_code(3);
    place
        .run(
            &["call", "list_directory"],
            r#"{"path":".","recursive":true}"#,
        )
        .expect_code(3);
    place
        .run(&["call", "read_file"], r#"{"path":"x/plain"}"#)
        .expect_code(0);
    for (path, hint) in [
        ("under = \"*.key\"", "glob = "),
        ("glob = \"*.key\"", "**/*.key"),
    ] {
        place.write("mathchain.toml", &rule(path));
        let refused = place.run(&["check"], "");
        assert_eq!(refused.code, 2, "{path}");
        let all = format!("{}{}", refused.stdout, refused.stderr);
        assert!(all.contains(hint), "{all}");
    }
}

#[test]
fn a_broken_plugin_keeps_nothing_else_from_working() {
    let place = Place::new();
    let configuration = "version = 1\n[[policies]]\nlevel = \"global\"\ndeny = [\"plugin:mine\", \"run_shell\"]\n[[policies]]\nlevel = \"global\"\n[[policies.rules]]\nmatch = { tools = [\"mine:word_count\"] }\ndecision = \"deny\"\n";
    place.write("mathchain.toml", "version = 1\n");
    place.run(&["plugins", "new", "mine"], "").expect_code(0);
    place.run(&["plugins", "new", "other"], "").expect_code(0);
    place.write("mathchain.toml", configuration);
    let manifest = place.read("plugins/mine/manifest.json");
    for broken in [
        manifest.replace("\"category\"", "\"categry\""),
        manifest.replace("\"tools\"", "\"tools"),
    ] {
        place.write("plugins/mine/manifest.json", &broken);
        place
            .run(&["call", "calculate", "--expression", "6*7"], "")
            .expect_code(0);
        assert_ne!(
            place
                .run(&["call", "run_shell"], r#"{"argv":["true"]}"#)
                .code,
            0
        );
        let listed = place.run(&["plugins", "list"], "");
        let listed = listed.expect_code(0).json();
        let of = |name: &str| {
            let items = listed.items().unwrap_or_default();
            let found = items
                .into_iter()
                .find(|one| one.get("name") == Some(&Value::from(name)));
            found.unwrap_or_else(|| panic!("no {name} in {listed}"))
        };
        assert_eq!(of("mine").get("status"), Some(&Value::from("broken")));
        assert_eq!(of("other").get("status"), Some(&Value::from("ready")));
        assert_ne!(
            place
                .run(&["call", "mine:word_count", "--text", "a"], "")
                .code,
            0
        );
        assert_ne!(place.run(&["plugins", "check", "--no-start"], "").code, 0);
        assert_eq!(place.run(&["check"], "").code, 2);
        assert!(place.run(&["doctor"], "").stdout.contains("manifest.json"));
    }
    place.write("plugins/mine/manifest.json", &manifest);
    place.run(&["check"], "").expect_code(0);
}

#[test]
fn everything_wrong_is_told_at_once() {
    let place = Place::new();
    place.write("mathchain.toml", "version = 1\nunknwon = 1\n[[policies]]\nlevel = \"global\"\ndeny = [\"raed_file\"]\n[[phases]]\nname = \"a\"\ngate = { kind = \"autoo\" }\n[cli.codex]\nstream_format = \"nonsense\"\n");
    let refused = place.run(&["check"], "");
    assert_eq!(refused.code, 2);
    let all = format!("{}{}", refused.stdout, refused.stderr);
    for part in ["unknwon", "raed_file", "found `autoo`", "nonsense"] {
        assert!(all.contains(part), "{part}: {all}");
    }
    place.write(
        "mathchain.toml",
        "version = 1\ndefault_role = \"a\"\ndefault_role = \"b\"\n",
    );
    let refused = place.run(&["check"], "");
    let all = format!("{}{}", refused.stdout, refused.stderr);
    assert!(
        all.contains("duplicate key `default_role`") && all.contains(":3:1"),
        "{all}"
    );
}

#[test]
fn without_a_terminal_nothing_is_approved() {
    let place = Place::new();
    let id = asks(&place.run(&["call", "write_file"], NEW));
    let mut command = std::process::Command::new("/usr/bin/setsid");
    command
        .args(["--wait", env!("CARGO_BIN_EXE_mathchain"), "approve", &id])
        .current_dir(place.path("work"))
        .env_clear()
        .env("HOME", place.path("home"))
        .env("XDG_STATE_HOME", place.path("state"))
        .env("XDG_CONFIG_HOME", place.path("config"))
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    let refused = answer_of(command, b"");
    assert_eq!(refused.code, 3, "{}{}", refused.stdout, refused.stderr);
    assert!(
        refused.stderr.contains("requires a terminal"),
        "{}",
        refused.stderr
    );
    asks(&place.run(&["call", "write_file"], NEW));
    place.run(&["approve", &id], "").expect_code(0);
}

#[test]
fn an_approval_expires_as_configured() {
    let place = Place::new();
    place.write(
        "mathchain.toml",
        "version = 1\n[approvals]\nexpire = \"12h\"\n",
    );
    asks(&place.run(&["call", "write_file"], NEW));
    let listed = place.run(&["approvals", "list"], "");
    let time = |name: &str| listed.at(name).as_i64().expect("a time");
    let lifetime_ms = time("/0/expires_ms") - time("/0/created_ms");
    assert_eq!(lifetime_ms, 12 * 3_600_000);
}

#[test]
fn a_request_that_nobody_decides_in_time_is_denied_as_configured() {
    let place = Place::new();
    place.write(
        "mathchain.toml",
        "version = 1\n[approvals]\nexpire = \"2s\"\nfallback = \"deny\"\n",
    );
    let id = asks(&place.run(&["call", "write_file"], NEW));
    let inbox = place.run(&["inbox", "list"], "");
    assert_eq!(inbox.at("/0/fallback"), Value::from("deny"));
    assert!(inbox.at("/0/left_ms").as_i64().is_some_and(|ms| ms <= 2000));
    let shown = place.run_as_typed(&["inbox", "list"], "").stdout;
    assert!(shown.contains(" s left, then denied"), "{shown}");
    std::thread::sleep(std::time::Duration::from_millis(2100));
    let inbox = place.run(&["inbox", "list"], "").json();
    assert!(inbox.items().expect("a list").is_empty(), "{inbox}");
    let late = place.run(&["approve", &id], "");
    assert_eq!(late.at("/error/reason"), Value::from("settled"));
    let refused = place.run(&["call", "write_file"], NEW);
    assert_eq!(
        refused.expect_code(3).at("/error/code"),
        Value::from("approval_declined")
    );
    assert_eq!(refused.at("/error/reason"), Value::from("timeout"));
    assert!(!is_there(&place, "new.txt"));
    let listed = place.run(&["approvals", "list", "--all"], "");
    assert_eq!(listed.at("/0/decided_by"), Value::from("timeout"));
    assert_ne!(asks(&place.run(&["call", "write_file"], NEW)), id);
    place.run(&["audit", "verify"], "").expect_code(0);
}

#[test]
fn a_rule_shortens_the_time_of_its_requests_and_makes_their_fallback_stricter() {
    let place = Place::new();
    place.write(
        "mathchain.toml",
        r#"
version = 1
[approvals]
expire = "3h"
fallback = "expire"
[[policies]]
level = "global"
  [[policies.rules]]
  match = { tools = ["write_file"] }
  decision = "ask"
  obligations = [{ expire = "2h" }, { fallback = "deny" }]
  [[policies.rules]]
  match = { tools = ["write_file"], path = { under = "long" } }
  decision = "ask"
  obligations = [{ expire = "9h" }, { fallback = "keep" }]
  [[policies.rules]]
  match = { tools = ["delete_file"] }
  decision = "ask"
  obligations = [{ expire = "9h" }, { fallback = "keep" }]
"#,
    );
    let terms = |tool: &str, args: &str| {
        asks(&place.run(&["call", tool], args));
        let listed = place.run(&["approvals", "list"], "");
        let time = |name: &str| listed.at(name).as_i64().expect("a time");
        let hours = (time("/0/expires_ms") - time("/0/created_ms")) / 3_600_000;
        (hours, text(&listed.at("/0/fallback")))
    };
    assert_eq!(terms("write_file", NEW), (2, "deny".to_owned()));
    let long = r#"{"path":"long/a","content":"x"}"#;
    assert_eq!(terms("write_file", long), (2, "deny".to_owned()));
    place.write("old.txt", "x");
    let deleted = terms("delete_file", r#"{"path":"old.txt"}"#);
    assert_eq!(deleted, (3, "expire".to_owned()));
}

#[test]
fn no_fallback_lets_a_call_run() {
    let place = Place::new();
    place.write(
        "mathchain.toml",
        "version = 1\n[approvals]\nfallback = \"allow\"\n",
    );
    let refused = place.run(&["call", "write_file"], NEW);
    let error = refused.at("/error").to_string();
    assert_ne!(refused.code, 0);
    assert!(error.contains("allow") && error.contains("deny"), "{error}");
}

#[test]
fn a_question_is_answered_in_the_inbox() {
    let place = Place::new();
    let ask = || place.run(&["call", "escalate", "--reason", "which table?"], "");
    let id = text(&ask().expect_code(0).at("/output/id"));
    assert_eq!(
        ask().at("/output/id"),
        Value::from(id.as_str()),
        "asked once"
    );
    place
        .run(&["inbox", "answer", &id, "houses"], "")
        .expect_code(0);
    assert_eq!(ask().at("/output/answer"), Value::from("houses"));
    let other = place.run(&["call", "escalate", "--reason", "another?"], "");
    assert_eq!(other.at("/output/answer"), Value::Null);
    place.run(&["audit", "verify"], "").expect_code(0);
}

#[test]
fn an_earlier_name_calls_and_a_fact_narrows() {
    let place = Place::new();
    place.write("a.txt", "x");
    let called = place.run(&["call", "get_file_info", "--path", "a.txt"], "");
    let warning = text(&called.expect_code(0).at("/warnings/0"));
    assert!(
        warning.contains("`get_file_info`") && warning.contains("`stat`"),
        "{warning}"
    );
    let refused = place.run(&["call", "--fact", "read_only", "write_file"], NEW);
    let layer = text(&refused.expect_code(3).at("/metadata/layer"));
    assert!(layer.contains("read_only"), "{layer}");
}

#[test]
fn an_approver_changes_the_arguments_of_a_call() {
    let place = Place::new();
    let id = asks(&at(&place, "a", &["call", "write_file"], NEW));
    let wrong = at(
        &place,
        "a",
        &["approve", &id, "--args", r#"{"pth":"x"}"#],
        "",
    );
    assert_eq!(
        wrong.expect_code(2).at("/error/code"),
        Value::from("invalid_args")
    );
    let other = r#"{"path":"better.txt","content":"y"}"#;
    at(&place, "a", &["approve", &id, "--args", "-"], other).expect_code(0);
    let done = at(&place, "a", &["call", "write_file"], NEW);
    let warnings = done.expect_code(0).at("/warnings").to_string();
    assert!(
        warnings.contains("changed the arguments") && warnings.contains("better.txt"),
        "{warnings}"
    );
    assert!(is_there(&place, "a/better.txt") && !is_there(&place, "a/new.txt"));
    asks(&at(&place, "a", &["call", "write_file"], NEW));
}

#[test]
fn a_step_runs_with_the_arguments_of_its_approver() {
    let place = Place::new();
    place.write("a/p.yaml", ASKS);
    let begun = at(&place, "a", &["run", "p.yaml"], "");
    let id = asks(&begun);
    let other = r#"{"path":"made.txt","content":"better"}"#;
    at(
        &place,
        "a",
        &["approve", &id, "--args", other, "--resume"],
        "",
    )
    .expect_code(0);
    assert_eq!(place.read("a/made.txt"), "better");
    let run = text(&begun.at("/metadata/chain_id"));
    let replayed = at(&place, "a", &["replay", &run], "");
    assert_eq!(replayed.expect_code(0).at("/same"), Value::from(true));
    at(&place, "a", &["audit", "verify"], "").expect_code(0);
    // A file that the plan does not name is not written by its step.
    let begun = at(&place, "b", &["run", "../a/p.yaml"], "");
    let id = asks(&begun);
    let beside = r#"{"path":"beside.txt","content":"x"}"#;
    let ended = at(
        &place,
        "b",
        &["approve", &id, "--args", beside, "--resume"],
        "",
    );
    assert_ne!(ended.code, 0);
    assert!(!is_there(&place, "b/beside.txt"));
}
