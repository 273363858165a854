//! Approvals, audit, configuration, doctor: what an operator does.

use tool_core::Value;

use crate::support::Place;

const WRITE: &str = r#"{"path":"out.txt","content":"hello","mode":"overwrite"}"#;

fn pending(place: &Place) -> String {
    let answer = place.run(&["call", "write_file"], WRITE);
    assert_eq!(
        answer.expect_code(4).at("/status"),
        Value::from("pending_approval")
    );
    assert_eq!(answer.at("/requires_approval"), Value::Bool(true));
    answer
        .at("/metadata/approval_id")
        .as_str()
        .expect("an id")
        .to_owned()
}

/// Cases R16 and R17: a call that asks does not run; approved, it runs once with exactly those arguments.
#[test]
fn an_approval_is_used_once_by_the_same_call() {
    let place = Place::new();
    let id = pending(&place);
    assert!(!place.path("work/out.txt").exists());
    assert_eq!(pending(&place), id, "the same request is filed once");
    let listed = place.run(&["approvals", "list"], "");
    assert_eq!(
        listed
            .expect_code(0)
            .json()
            .items()
            .map(|items| items.len()),
        Some(1)
    );
    place.run(&["approve", &id], "").expect_code(0);
    let other = place.run(
        &["call", "write_file"],
        r#"{"path":"other.txt","content":"hello","mode":"overwrite"}"#,
    );
    other.expect_code(4);
    let role = place.run(&["call", "write_file", "--role", "toolrunner"], WRITE);
    assert_ne!(role.code, 0, "an approval is for one role");
    place.run(&["call", "write_file"], WRITE).expect_code(0);
    assert_eq!(place.read("out.txt"), "hello");
    place.run(&["call", "write_file"], WRITE).expect_code(4);
}

/// Who answers with a key is named in the approval and in the audit, and is never the agent that asks.
#[test]
#[cfg(unix)]
fn an_approver_is_known_by_a_key() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = Place::new();
    let open = |name: &str, mode: u32| {
        let path = place.path("work").join(name);
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("a mode");
    };
    place.write("anna.key", &"k".repeat(32));
    place.write("short.key", "k");
    let id = pending(&place);
    let approve = |key: &str| place.run(&["approve", &id, "--key", key], "");
    open("anna.key", 0o644);
    let readable = approve("anna.key");
    assert!(
        readable.stderr.contains("accessible to others"),
        "{}",
        readable.stderr
    );
    open("anna.key", 0o600);
    open("short.key", 0o600);
    approve("short.key").expect_code(2);
    approve("no.key").expect_code(2);
    let unknown = approve("anna.key");
    unknown.expect_code(3);
    let hint = &unknown.stderr;
    let digest = hint.split('"').nth(1).expect("the digest of the key");
    assert_eq!(digest.len(), 64, "{hint}");
    // Beside the folder where commands run is the user's configuration.
    let list = format!("version = 1\n[approvers]\nanna = \"{digest}\"\n");
    place.write("../config/mathchain/approvers.toml", &list);
    // No tool makes an approver, even where the workspace is the whole home.
    let forged = r#"{"path":"config/mathchain/approvers.toml","content":"","mode":"overwrite"}"#;
    let refused = place.run(
        &["call", "write_file", "--yes", "--workspace", ".."],
        forged,
    );
    assert_ne!(refused.code, 0, "{}", refused.stdout);
    assert_eq!(place.read("../config/mathchain/approvers.toml"), list);
    let approved = approve("anna.key");
    assert_eq!(
        approved.expect_code(0).at("/decided_by"),
        Value::from("anna")
    );
    let ran = place.run(&["call", "write_file"], WRITE);
    assert_eq!(
        ran.expect_code(0).at("/metadata/approved_by"),
        Value::from("anna")
    );
    let audit = place.run(&["audit", "export"], "");
    assert!(
        audit
            .expect_code(0)
            .stdout
            .contains(r#""decided_by":"anna""#),
        "{}",
        audit.stdout
    );
    let id = pending(&place);
    let declined = place.run(&["deny", &id, "--key", "anna.key"], "");
    assert_eq!(
        declined.expect_code(0).at("/decided_by"),
        Value::from("anna")
    );
}

#[test]
fn a_declined_call_stays_declined() {
    let place = Place::new();
    let id = pending(&place);
    place.run(&["deny", &id], "").expect_code(0);
    let answer = place.run(&["call", "write_file"], WRITE);
    assert_eq!(
        answer.expect_code(3).at("/error/code"),
        Value::from("approval_declined")
    );
    assert!(!place.path("work/out.txt").exists());
    assert_ne!(place.run(&["approve", &id], "").code, 0, "settled once");
    assert_ne!(place.run(&["approve", "ffff"], "").code, 0);
}

#[test]
fn yes_is_recorded_as_the_callers() {
    let place = Place::new();
    place
        .run(&["call", "write_file", "--yes"], WRITE)
        .expect_code(0);
    let audit = place.run(&["audit", "list"], "");
    assert!(
        audit.expect_code(0).stdout.contains("caller-yes"),
        "{}",
        audit.stdout
    );
}

/// No argument, plan or environment variable approves anything.
#[test]
fn nothing_but_a_person_approves() {
    let place = Place::new();
    for args in [
        r#"{"path":"x","content":"y","yes":true}"#,
        r#"{"path":"x","content":"y","approved":true}"#,
    ] {
        assert_ne!(place.run(&["call", "write_file"], args).code, 0);
    }
    let mut command = place.command(&["call", "write_file"]);
    command
        .env("MATHCHAIN_YES", "1")
        .env("MATHCHAIN_APPROVE", "all")
        .stdin(std::process::Stdio::null());
    assert_eq!(
        command.output().expect("runs").status.code(),
        Some(2),
        "no arguments were given"
    );
    place.write("plan.yaml", "version: 1\nid: p\nyes: true\nsteps:\n  - {id: w, tool: write_file, args: {path: x, content: y}}\n");
    assert_ne!(place.run(&["run", "plan.yaml"], "").code, 0);
    place.write("plan.yaml", "version: 1\nid: p\nsteps:\n  - {id: w, tool: write_file, approval: never-ask, args: {path: x, content: y}}\n");
    assert_ne!(place.run(&["run", "plan.yaml"], "").code, 0);
    assert!(!place.path("work/x").exists());
}

#[test]
fn every_call_is_audited_and_the_chain_verifies() {
    let place = Place::new();
    place
        .run(&["call", "statistics"], r#"{"data":[1,2]}"#)
        .expect_code(0);
    place
        .run(&["call", "write_file", "--role", "worker_math"], WRITE)
        .expect_code(3);
    place.run(&["call", "nope"], "{}").expect_code(2);
    let listed = place.run(&["audit", "list"], "");
    let text = &listed.expect_code(0).stdout;
    for needle in [
        "\"statistics\"",
        "\"write_file\"",
        "not_visible",
        "unknown_tool",
    ] {
        assert!(text.contains(needle), "{needle}: {text}");
    }
    let verified = place.run(&["audit", "verify"], "");
    assert_eq!(verified.expect_code(0).at("/sound"), Value::Bool(true));
    let head = verified.at("/head").as_str().expect("a head").to_owned();
    place
        .run(&["audit", "verify", "--head", &head], "")
        .expect_code(0);
    let exported = place.run(&["audit", "export"], "");
    assert!(exported.expect_code(0).stdout.lines().count() >= 3);
    let forged = format!("{}0", &head[..head.len() - 1]);
    if forged != head {
        place
            .run(&["audit", "verify", "--head", &forged], "")
            .expect_code(1);
    }
}

/// A secret in an argument never reaches the audit.
#[test]
fn secrets_stay_out_of_the_audit() {
    let place = Place::new();
    let secret = "ghp_0123456789abcdefghijklmnopqrstuvwxyzAB";
    place
        .run(
            &["call", "write_file"],
            &format!(r#"{{"path":"x","content":"token {secret}"}}"#),
        )
        .expect_code(4);
    for args in [
        ["audit", "export"].as_slice(),
        &["approvals", "list"],
        &["audit", "list"],
    ] {
        assert!(
            !place.run(args, "").expect_code(0).stdout.contains(secret),
            "{args:?}"
        );
    }
}

/// A listing of everything below a folder shows what a denied folder holds, so it is denied; the listing of one folder is not.
#[test]
fn a_denied_folder_is_not_listed_from_above() {
    let place = Place::new();
    for file in ["data/secret/name.txt", "data/open/a.txt"] {
        place.write(file, "x");
    }
    place.write(
        "mathchain.toml",
        "version = 1\n[[policies]]\nlevel = \"global\"\n[[policies.rules]]\nmatch = { tools = [\"list_directory\"], path = { under = \"data/secret\" } }\ndecision = \"deny\"\n",
    );
    for (path, recursive, code) in [
        (".", false, 0),
        ("data", false, 0),
        ("data/secret", false, 3),
        ("data/open", true, 0),
        (".", true, 3),
        ("data", true, 3),
        ("data/secret", true, 3),
    ] {
        let args = Value::object([
            ("path", Value::from(path)),
            ("recursive", Value::from(recursive)),
        ]);
        let answer = place.run(
            &["call", "list_directory"],
            &tool_core::json::to_text(&args),
        );
        assert_eq!(answer.code, code, "{path} {recursive}: {}", answer.stdout);
        assert!(!answer.stdout.contains("name.txt"), "{path} {recursive}");
    }
}

#[test]
fn a_configuration_is_found_checked_and_obeyed() {
    let place = Place::new();
    place.run(&["init"], "").expect_code(0);
    assert_ne!(place.run(&["init"], "").code, 0, "nothing is overwritten");
    place.run(&["doctor"], "").expect_code(0);
    place
        .run(&["call", "statistics"], r#"{"data":[1]}"#)
        .expect_code(0);
    assert!(
        place.path("work/.mathchain/state.db").exists(),
        "the state lies beside the configuration"
    );
    place.write(
        "mathchain.toml",
        "version = 1\n[[policies]]\nlevel = \"global\"\ndeny = [\"sql_query\"]\n[[policies.rules]]\nmatch = { tools = [\"write_file\"], path = { under = \"out\" } }\ndecision = \"allow\"\n",
    );
    let denied = place.run(
        &["call", "sql_query"],
        r#"{"query":"select 1","tables":{}}"#,
    );
    assert_eq!(
        denied.expect_code(3).at("/error/code"),
        Value::from("not_visible")
    );
    std::fs::create_dir(place.path("work/out")).expect("makes a folder");
    place
        .run(
            &["call", "write_file"],
            r#"{"path":"out/a.txt","content":"x"}"#,
        )
        .expect_code(0);
    place
        .run(
            &["call", "write_file"],
            r#"{"path":"out2.txt","content":"x"}"#,
        )
        .expect_code(4);
    place
        .run(
            &["call", "write_file"],
            r#"{"path":"out/../b.txt","content":"x"}"#,
        )
        .expect_code(4);
    place.write("mathchain.toml", "version = 1\ndefault_rol = \"operator\"\n[[policies]]\nlevel = \"global\"\ndeny = [\"group:raed\"]\n");
    let broken = place.run(&["call", "statistics"], r#"{"data":[1]}"#);
    broken.expect_code(2);
    for needle in ["mathchain.toml:2", "default_role"] {
        assert!(
            broken.stderr.contains(needle),
            "{needle}: {}",
            broken.stderr
        );
    }
}

/// Neither by its name nor by that of the folder which a configuration names, and no walk shows it.
#[test]
fn tools_never_read_the_state() {
    let place = Place::new();
    place.write(
        "mathchain.toml",
        "version = 1\n[workspace]\nstate = \"kept/state\"\n",
    );
    place.write("note.txt", "SQLite format");
    place.write(".mathchain/old", "SQLite format");
    place
        .run(&["call", "calculate", "--expression", "1"], "")
        .expect_code(0);
    for path in [
        "kept/state/state.db",
        "./kept/../kept/state/state.db",
        ".mathchain/old",
    ] {
        let read = [
            "call",
            "read_file",
            "--path",
            path,
            "--encoding",
            "base64",
            "--json",
        ];
        let answer = place.run(&read, "");
        answer.expect_code(3);
        assert_eq!(
            answer.json().pointer("/error/reason"),
            Some(Value::from("protected_path")),
            "{path}: {}",
            answer.stdout
        );
    }
    let searched = r#"{"pattern":"SQLite","path":".","ignored":true,"literal":true}"#;
    let found = place.run(&["call", "grep", "--json"], searched);
    found.expect_code(0);
    assert!(found.stdout.contains("note.txt"), "{}", found.stdout);
    assert!(
        !found.stdout.contains("kept/") && !found.stdout.contains(".mathchain/"),
        "{}",
        found.stdout
    );
}

#[test]
fn tools_never_write_state_or_configuration() {
    let place = Place::new();
    place.run(&["init"], "").expect_code(0);
    for path in [
        "mathchain.toml",
        ".mathchain/state.db",
        ".mathchain/x",
        ".git/config",
        "../escape",
        "/etc/mathchain",
    ] {
        let answer = place.run(
            &[
                "call",
                "write_file",
                "--yes",
                "--path",
                path,
                "--content",
                "x",
                "--mode",
                "overwrite",
            ],
            "",
        );
        assert!(
            [1, 2, 3].contains(&answer.code),
            "{path}: {} {}",
            answer.code,
            answer.stdout
        );
    }
    assert!(place.read("mathchain.toml").contains("version = 1"));
}

/// A pure call works where nothing can be written, with a warning; an effect is refused.
#[test]
fn without_a_writable_state_only_pure_calls_run() {
    let place = Place::new();
    place.write("file", "not a folder");
    let blocked = |args: &[&str], stdin: &str| {
        let mut command = place.command(args);
        command.env("XDG_STATE_HOME", place.path("work/file"));
        let mut child = command.spawn().expect("starts");
        std::io::Write::write_all(&mut child.stdin.take().expect("piped"), stdin.as_bytes())
            .expect("writes");
        crate::support::Answer::of(&child.wait_with_output().expect("ends"))
    };
    let pure = blocked(&["call", "statistics"], r#"{"data":[1,2]}"#);
    assert_eq!(pure.expect_code(0).at("/output/mean"), Value::Float(1.5));
    assert_ne!(
        pure.at("/warnings").items().map(|items| items.len()),
        Some(0)
    );
    let effect = blocked(
        &[
            "call",
            "write_file",
            "--yes",
            "--path",
            "x.txt",
            "--content",
            "x",
        ],
        "",
    );
    assert_ne!(effect.code, 0);
    assert!(!place.path("work/x.txt").exists());
}

#[test]
fn tools_are_listed_shown_and_searched() {
    let place = Place::new();
    // The two that need a session are hidden at this door.
    let all = place.run(&["tools", "list", "--fact", "session=open"], "");
    let count = all.expect_code(0).json().items().expect("a list").len();
    assert!(count >= 23, "{count} tools");
    let math = place.run(&["tools", "list", "--role", "worker_math"], "");
    assert!(math.expect_code(0).json().items().expect("a list").len() < count);
    assert!(!math.stdout.contains("\"write_file\""));
    let hidden = place.run(&["tools", "list", "--role", "worker_math", "--all"], "");
    assert_eq!(
        hidden.expect_code(0).json().items().expect("a list").len(),
        count
    );
    let shown = place.run(&["tools", "show", "matrix_solve", "--output", "human"], "");
    assert!(shown.expect_code(0).stdout.contains("Arguments"));
    let schema = place.run(&["tools", "show", "matrix_solve", "--schema"], "");
    assert_eq!(
        schema
            .expect_code(0)
            .at("/input_schema/additionalProperties"),
        Value::Bool(false)
    );
    // A tool that calls others changes what these change, whatever it does itself.
    for (tool, calls_tools, read_only) in [
        ("chain_run", true, false),
        ("delegate", true, false),
        ("chain_check", false, true),
        ("read_file", false, true),
    ] {
        let shown = place.run(&["tools", "show", tool], "");
        let shown = shown.expect_code(0);
        assert_eq!(shown.at("/calls_tools"), Value::Bool(calls_tools), "{tool}");
        assert_eq!(shown.at("/read_only"), Value::Bool(read_only), "{tool}");
    }
    let shown = place.run(&["tools", "show", "chain_run", "--output", "human"], "");
    let shown = &shown.expect_code(0).stdout;
    assert!(
        shown.contains("effects those of the calls it makes"),
        "{shown}"
    );
    let found = place.run(&["tools", "search", "category:math", "eigen"], "");
    assert!(found.expect_code(0).stdout.contains("matrix_eigenvalues"));
    place
        .run(&["tools", "search", "category:maths"], "")
        .expect_code(2);
    let explained = place.run(&["policy", "explain", "worker_math", "write_file"], "");
    assert_eq!(
        explained.expect_code(0).at("/decision"),
        Value::from("deny")
    );
}
