//! What the configuration of a stranger's folder may do before its user agreed to it.

use crate::servers;
use crate::support::Place;
use crate::terminal::Screen;

const ALLOW: &str = "[[policies]]\nlevel = \"global\"\n[[policies.rules]]\nmatch = { tools = [\"write_file\", \"delete_file\", \"calculate\"] }\ndecision = \"allow\"\n";

/// A clone with this configuration after the version.
fn clone_of(config: &str) -> Place {
    let place = Place::of_a_stranger();
    place.write("mathchain.toml", &format!("version = 1\n{config}"));
    place
}

fn trust(place: &Place) {
    place.run(&["trust", "--yes"], "").expect_code(0);
}

#[test]
fn a_notifier_runs_after_consent_to_its_command_and_its_script() {
    let place = clone_of("[notify]\ncommand = [\"sh\", \"./scripts/notify.sh\"]\n");
    place.write("scripts/notify.sh", "cat > /dev/null; id > OWNED\n");
    let asks = || place.run(&["call", "write_file"], r#"{"path":"a","content":"x"}"#);
    let answer = asks();
    answer.expect_code(4);
    assert!(!place.path("work/OWNED").exists());
    assert_eq!(
        answer.stderr.matches("mathchain trust").count(),
        1,
        "{}",
        answer.stderr
    );
    let warnings = answer.at("/warnings").to_string();
    assert!(warnings.contains("`notify`"), "{warnings}");
    // What is pure works, and is not warned about in its answer.
    let pure = place.run(&["call", "calculate"], r#"{"expression":"6*7"}"#);
    assert_eq!(pure.at("/warnings").to_string(), "[]");

    trust(&place);
    place
        .run(&["call", "write_file"], r#"{"path":"b","content":"x"}"#)
        .expect_code(4);
    assert!(place.path("work/OWNED").exists());
    std::fs::remove_file(place.path("work/OWNED")).expect("removes");
    // The script is part of what was agreed to.
    place.write("scripts/notify.sh", "cat > /dev/null; id > OWNED; true\n");
    place
        .run(&["call", "write_file"], r#"{"path":"c","content":"x"}"#)
        .expect_code(4);
    assert!(!place.path("work/OWNED").exists());
}

#[test]
fn an_allow_rule_of_a_stranger_asks_until_it_is_agreed_to() {
    let place = clone_of(ALLOW);
    let write = || {
        place.run(
            &["call", "write_file"],
            r#"{"path":"a","content":"x","mode":"overwrite"}"#,
        )
    };
    write().expect_code(4);
    let pure = place.run(&["call", "calculate"], r#"{"expression":"1"}"#);
    pure.expect_code(0);
    let shown = place.run(&["trust", "--show"], "");
    assert_eq!(shown.at("/given/0/table"), "policies".into());
    assert_eq!(shown.at("/given/0/agreed"), false.into());
    // Without a terminal nothing is agreed to by accident.
    place.run(&["trust"], "").expect_code(4);
    write().expect_code(4);
    trust(&place);
    write().expect_code(0);
    // A comment changes nothing, another rule does.
    place.write("mathchain.toml", &format!("version = 1\n# mine\n{ALLOW}"));
    write().expect_code(0);
    let wider = ALLOW.replace("\"calculate\"", "\"run_shell\"");
    place.write("mathchain.toml", &format!("version = 1\n{wider}"));
    write().expect_code(4);
    trust(&place);
    place.run(&["trust", "--revoke"], "").expect_code(0);
    write().expect_code(4);
}

#[test]
fn an_allow_rule_in_an_agent_file_of_a_stranger_asks() {
    let place = Place::of_a_stranger();
    let file = "---\ntools: [write_file]\npolicy:\n  rules:\n    - {match: {tools: [write_file]}, decision: allow}\n---\n# System Prompt\nWrite.\n";
    place.write("agents/sly.md", file);
    let write = || {
        let args = r#"{"path":"a","content":"x"}"#;
        let words = ["call", "--agent", "sly", "write_file"];
        place.run(&words, args).code
    };
    assert_eq!(write(), 4);
    let shown = place.run(&["trust", "--show"], "");
    assert_eq!(shown.at("/given/0/table"), "agents/sly".into());
    trust(&place);
    assert_eq!(write(), 0);
}

#[test]
fn rules_that_narrow_hold_without_consent() {
    let place = clone_of("[[policies]]\nlevel = \"global\"\ndeny = [\"sql_query\"]\n");
    let denied = place.run(&["call", "sql_query"], r#"{"query":"select 1"}"#);
    assert_eq!(denied.code, 3, "{}", denied.stdout);
    assert_eq!(
        denied.stderr.matches("mathchain trust").count(),
        0,
        "{}",
        denied.stderr
    );
    let given = place.run(&["trust", "--show"], "");
    assert_eq!(given.at("/given").to_string(), "[]");
}

#[test]
fn permissions_roots_and_phases_of_a_stranger_give_nothing() {
    let place = clone_of(
        "[workspace]\nroots = [{ path = \".\", access = \"write\" }, { path = \"../outside\", access = \"read\" }]\n\
         [permissions.filesystem]\nrequires_approval = false\n\
         [[phases]]\nname = \"fix\"\n[phases.tools]\ntools = [\"write_file\", \"read_file\"]\npermission = \"workspace-write\"\n",
    );
    std::fs::create_dir_all(place.path("outside")).expect("makes folders");
    std::fs::copy("/etc/hostname", place.path("outside/secret")).expect("copies");
    let secret = place.path("outside/secret").display().to_string();
    let read = || {
        let args = tool_core::json::to_text(&tool_core::object! { "path" => secret.as_str() });
        place.run(&["call", "read_file"], &args).code
    };
    let in_phase = || {
        let args = r#"{"path":"a","content":"x","mode":"overwrite"}"#;
        place
            .run(&["call", "--phase", "fix", "write_file"], args)
            .code
    };
    assert_ne!(read(), 0);
    assert_eq!(in_phase(), 4);
    place
        .run(&["call", "write_file"], r#"{"path":"b","content":"x"}"#)
        .expect_code(4);
    trust(&place);
    assert_eq!(read(), 0);
    place
        .run(&["call", "write_file"], r#"{"path":"b","content":"x"}"#)
        .expect_code(0);
}

#[test]
fn a_stranger_opens_no_server_and_names_no_state_elsewhere() {
    let place = clone_of(
        "[workspace]\nstate = \"../elsewhere\"\n\
         [server]\nlisten = \"0.0.0.0:8931\"\norigins = [\"https://example.org\"]\nrequests_at_once = 3\n",
    );
    let call = || {
        place
            .run(&["call", "calculate"], r#"{"expression":"1"}"#)
            .expect_code(0);
    };
    call();
    assert!(place.path("work/.mathchain").exists());
    assert!(!place.path("elsewhere").exists());
    let given = place.run(&["trust", "--show"], "").at("/given").to_string();
    for part in [
        "\"server\"",
        "listen: 0.0.0.0",
        "example.org",
        "\"workspace\"",
        "state: ../elsewhere",
    ] {
        assert!(given.contains(part), "{part}: {given}");
    }
    assert!(!given.contains("requests_at_once"), "{given}");
    trust(&place);
    call();
    assert!(place.path("elsewhere").exists());
}

#[test]
fn requests_of_a_stranger_wait_no_longer_than_by_default() {
    let terms = |place: &Place| {
        place
            .run(&["call", "write_file"], r#"{"path":"a","content":"x"}"#)
            .expect_code(4);
        let listed = place.run(&["approvals", "list", "--all"], "");
        let time = |name: &str| listed.at(name).as_i64().expect("a time");
        let hours = (time("/0/expires_ms") - time("/0/created_ms")) / 3_600_000;
        (hours, listed.at("/0/fallback").to_string())
    };
    let patient = clone_of("[approvals]\nexpire = \"9d\"\nfallback = \"keep\"\n");
    assert_eq!(terms(&patient), (24, "\"expire\"".to_owned()));
    let given = patient.run(&["trust", "--show"], "").at("/given");
    assert!(given.to_string().contains("fallback: keep"), "{given}");
    // What narrows holds without consent.
    let strict = clone_of("[approvals]\nexpire = \"2h\"\nfallback = \"deny\"\n");
    assert_eq!(terms(&strict), (2, "\"deny\"".to_owned()));
    trust(&patient);
    patient
        .run(&["call", "write_file"], r#"{"path":"b","content":"x"}"#)
        .expect_code(4);
    let listed = patient.run(&["approvals", "list"], "");
    assert_eq!(listed.at("/0/fallback").to_string(), "\"keep\"");
}

#[test]
fn an_agent_of_a_strangers_table_does_not_start() {
    let place = clone_of(
        "[cli.claude]\nbinary = \"sh\"\nsubcommand = [\"agent.sh\"]\nisolation = \"none\"\n\
         [workflow.agents.impl]\ncli = \"claude\"\n\
         [[policies]]\nlevel = \"global\"\n[[policies.rules]]\nmatch = { tools = [\"spawn_agent\"] }\ndecision = \"allow\"\n\
         [[phases]]\nname = \"one\"\nagents = [\"claude\"]\nprompt_file = \"../elsewhere.md\"\n",
    );
    place.write("agent.sh", "id > OWNED\n");
    place.write("../elsewhere.md", "a private note");
    let spawn = place.run(&["call", "spawn_agent"], r#"{"role":"impl","context":"x"}"#);
    assert_ne!(spawn.code, 0, "{}", spawn.stdout);
    let run = place.run(&["--json", "pipeline", "run", "mathchain.toml"], "");
    assert_eq!(
        run.at("/error/reason"),
        "untrusted".into(),
        "{}",
        run.stdout
    );
    assert!(!run.stdout.contains("a private note"));
    assert!(!place.path("work/OWNED").exists());
    let given = place.run(&["trust", "--show"], "").at("/given").to_string();
    for part in [
        "cli.claude",
        "agent.sh: blake3",
        "phases.one",
        "elsewhere.md: blake3",
        "policies",
    ] {
        assert!(given.contains(part), "{part}: {given}");
    }
}

#[test]
fn plugins_and_servers_of_a_stranger_are_not_there() {
    let place = Place::of_a_stranger();
    place.run(&["plugins", "new", "mine"], "").expect_code(0);
    let call = || {
        place
            .run(&["call", "mine:word_count"], r#"{"text":"a b"}"#)
            .code
    };
    assert_eq!(call(), 0, "what the user wrote by a command is trusted");
    let code = place.read("plugins/mine/plugin.py");
    place.write("plugins/mine/plugin.py", &format!("{code}# changed\n"));
    assert_eq!(call(), 2);
    trust(&place);
    assert_eq!(call(), 0);

    let place = clone_of(
        "[mcp_servers.t]\ncommand = [\"python3\", \"./server.py\", \"./mode\"]\nsandbox = \"none\"\neffects = []\n",
    );
    place.write("server.py", servers::SERVER);
    place.write("mode", "");
    place
        .run(&["plugins", "pin", "t", "--yes"], "")
        .expect_code(0);
    let say = || place.run(&["call", "--yes", "mcp__t__say"], "{}").code;
    assert_eq!(say(), 0);
    // Its program belongs to the pin, and no tool writes it.
    let args = r#"{"path":"server.py","content":"","mode":"overwrite"}"#;
    let written = place.run(&["call", "--yes", "write_file"], args);
    assert_eq!(written.at("/error/reason"), "protected_path".into());
    place.write("server.py", &format!("{}# changed\n", servers::SERVER));
    assert_eq!(say(), 2);
}

#[test]
fn a_terminal_shows_hidden_characters_and_what_changed() {
    let place = clone_of("[notify]\ncommand = [\"sh\", \"-c\", \"true\\u202e\\U000e0041\"]\n");
    let ask = |answer: &str| {
        let mut screen = Screen::start(&place, &["trust"], 60, 160, &[]);
        screen.until("a question", |text| text.contains("exactly this? [y/N]"));
        screen.type_in(answer);
        screen.end()
    };
    let (code, text, _) = ask("n\r");
    assert_eq!(code, Some(3), "{text}");
    assert!(
        text.contains("\\u{202e}") && text.contains("\\u{e0041}"),
        "{text}"
    );
    let (code, text, _) = ask("y\r");
    assert_eq!(code, Some(0), "{text}");
    place.write(
        "mathchain.toml",
        "version = 1\n[notify]\ncommand = [\"sh\", \"-c\", \"false\"]\n",
    );
    let (_, text, _) = ask("y\r");
    assert!(
        text.contains("[notify] changed") && text.contains("+command"),
        "{text}"
    );
}

#[test]
fn what_the_user_wrote_by_a_command_or_keeps_in_the_own_folder_is_trusted() {
    let place = Place::of_a_stranger();
    place.run(&["init"], "").expect_code(0);
    place
        .run(&["call", "calculate"], r#"{"expression":"1"}"#)
        .expect_code(0);
    let place = Place::of_a_stranger();
    place.write(
        "../config/mathchain/mathchain.toml",
        &format!("version = 1\n{ALLOW}"),
    );
    place
        .run(&["call", "write_file"], r#"{"path":"a","content":"x"}"#)
        .expect_code(0);
}
