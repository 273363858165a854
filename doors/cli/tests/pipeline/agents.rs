//! What an agent gets, and what it is kept from.

use super::*;
use crate::support::root;

/// The example that the documentation shows: its agents call tools on the server of their phase.
#[test]
#[expect(clippy::disallowed_methods, reason = "a test copies the example")]
fn the_example_runs_and_a_tool_that_a_phase_lacks_is_refused() {
    let place = Place::new();
    for name in ["examples/pipeline.toml", "examples/pipeline/agent.py"] {
        place.write(name, &std::fs::read_to_string(root().join(name)).unwrap());
    }
    let args = ["pipeline", "run", "examples/pipeline.toml", "--json"];
    let done = place.run_as_typed(&args, "");
    done.expect_code(0);
    for agent in ["calculator", "estimator"] {
        let said = place.read(&format!("outputs/compute/{agent}.md"));
        assert!(
            said.contains("matrix_solve: ok") && said.contains("\"x\":[2.0,3.0]"),
            "{said}"
        );
        assert!(said.contains("write_file: refused: not_visible"), "{said}");
        assert!(
            !said.lines().next().unwrap().contains("write_file"),
            "not even listed: {said}"
        );
    }
    assert_eq!(place.read("examples/out/answer.txt"), "x = 2, y = 3\n");
    let review = place.read("outputs/review/reviewer.md");
    assert!(
        review.contains("read_file: ok") && review.contains("calculate: ok"),
        "{review}"
    );
    // The calls are in the audit of the same state, under phase and agent.
    let records = place.run(
        &[
            "--config",
            "examples/pipeline.toml",
            "audit",
            "list",
            "--tool",
            "matrix_solve",
        ],
        "",
    );
    assert!(
        records.stdout.contains("\"agent\":\"calculator\""),
        "{}",
        records.stdout
    );
    assert!(
        records.stdout.contains("\"phase\":\"compute\""),
        "{}",
        records.stdout
    );
}

#[test]
fn a_phase_that_only_reads_writes_nothing() {
    let config = format!(
        "[[phases]]\nname = \"p\"\nagents = [\"sly\"]\nprompt = \"x\"\n{}",
        agent(
            "sly",
            "echo x > here.txt || echo refused; echo y > \"$HOME/own.txt\" && cat \"$HOME/own.txt\""
        )
    );
    let place = place(&config);
    run(&place, &[]).expect_code(0);
    assert_eq!(place.read("outputs/p/sly.md"), "refused\ny\n");
    assert!(!exists(&place, "here.txt"));
}

#[test]
fn a_phase_that_writes_changes_the_workspace_and_nothing_that_decides_permissions() {
    let script = "echo x > inside.txt && echo inside; echo '' >> team.toml || echo no-config; echo x > ../outside.txt || echo no-outside; ls .mathchain 2>/dev/null | head -1; echo x > .mathchain/x || echo no-state";
    let config = format!(
        "[[phases]]\nname = \"p\"\nagents = [\"sly\"]\nprompt = \"x\"\n{WRITES}{}",
        agent("sly", script)
    );
    let place = place(&config);
    let before = place.read("team.toml");
    run(&place, &[]).expect_code(0);
    assert_eq!(
        place.read("outputs/p/sly.md"),
        "inside\nno-config\nno-outside\nno-state\n"
    );
    assert_eq!(place.read("inside.txt"), "x\n");
    assert_eq!(place.read("team.toml"), before);
    assert!(!place.path("outside.txt").exists());
}

/// What does not exist yet cannot be mounted read-only: an agent that leaves it behind fails, and nothing reads it afterwards.
#[test]
fn an_agent_that_leaves_configuration_behind_fails_and_the_file_is_set_aside() {
    for name in [
        "mathchain.toml",
        "mathchain.yaml",
        "sub/deep/mathchain.toml",
        "governance.yaml",
        "sub/choragen.governance.yaml",
        "sub/mcp-servers/x.json",
        "sub/workflow/templates/t.yaml",
        "agents/new.md",
        "plugins/p/manifest.json",
        "sub/.git/config",
    ] {
        let script = format!(
            "mkdir -p \"$(dirname {name})\"; echo '{{}}' > {name}; echo x > out.txt; echo done"
        );
        let config = format!(
            "[[phases]]\nname = \"p\"\nagents = [\"sly\"]\nprompt = \"x\"\n{WRITES}{}",
            agent("sly", &script)
        );
        let place = place(&config);
        let done = run(&place, &[]);
        assert_ne!(done.code, 0, "{name}: {}", done.stdout);
        assert!(
            done.stdout.contains("protected_path"),
            "{name}: {}",
            done.stdout
        );
        assert!(!exists(&place, name), "{name}");
        assert!(exists(&place, "out.txt"), "{name}: its other work stays");
        let aside = std::fs::read_dir(place.path("work/.mathchain/set-aside")).expect(name);
        assert_eq!(aside.count(), 1, "{name}");
    }
}

#[test]
fn an_agent_gets_the_variables_that_are_no_secret_and_those_of_its_table() {
    let config = format!(
        "[[phases]]\nname = \"p\"\nagents = [\"sly\"]\nprompt = \"x\"\n{}env_passlist = [\"MY_SETTING\"]\n",
        agent("sly", "env")
    );
    let place = place(&config);
    let mut command = place.command(&["pipeline", "run", "team.toml", "--json"]);
    for name in ["DB_CONN", "PGPASS", "SLACK_WEBHOOK", "LC_ALL", "MY_SETTING"] {
        command.env(name, "value");
    }
    answer_of(command, b"").expect_code(0);
    let said = place.read("outputs/p/sly.md");
    for (name, gets) in [
        ("DB_CONN", false),
        ("PGPASS", false),
        ("SLACK_WEBHOOK", false),
        ("LC_ALL", true),
        ("MY_SETTING", true),
        ("HOME", true),
    ] {
        let line = format!("\n{name}=");
        assert_eq!(format!("\n{said}").contains(&line), gets, "{name}: {said}");
    }
}

/// A program that plays a known command line: it shows its arguments and its environment.
#[test]
fn a_known_command_line_gets_its_flags_its_server_and_a_filtered_environment() {
    let script = r#"#!/bin/sh
printf 'ARG %s\n' "$@"
echo "HOME $HOME"; echo "KEY $ANTHROPIC_API_KEY"; echo "OTHER $OPENAI_API_KEY"; cat "$HOME/.login"
while [ $# -gt 1 ]; do [ "$1" = --mcp-config ] && cat "$2" && echo; shift; done
echo '{"type":"result","subtype":"success","is_error":false,"num_turns":2,"result":"the answer","total_cost_usd":0.25,"usage":{"input_tokens":3,"output_tokens":4}}'
"#;
    let config = "[cli.claude]\nbinary = \"./fake.sh\"\nmodel = \"m1\"\nenv_passlist = [\"ANTHROPIC_API_KEY\"]\nhome_files = [\".login\"]\n[cli.claude.flags]\ncareful = [\"--think\"]\n[[phases]]\nname = \"p\"\nagents = [\"claude\"]\nprompt_file = \"task.md\"\nflag_profile = \"careful\"\n[phases.tools]\ntools = [\"read_file\", \"calculate\"]\nmax_turns = 7\n";
    let place = place(config);
    place.write("task.md", "find it");
    place.write_program("fake.sh", script);
    place.write("../home/.login", "secret login\n");
    let mut command = place.command(&["pipeline", "run", "team.toml", "--json"]);
    command
        .env("ANTHROPIC_API_KEY", "key1")
        .env("OPENAI_API_KEY", "key2");
    let done = answer_of(command, b"");
    done.expect_code(0);
    assert_eq!(place.read("outputs/p/claude.md"), "the answer\n");
    assert_eq!(done.at("/cost_usd"), Value::from(0.25));
    assert_eq!(done.at("/turns"), Value::from(2_i64));
    let id = done.at("/pipeline");
    let log = place
        .run_as_typed(
            &[
                "--config",
                "team.toml",
                "pipeline",
                "log",
                id.as_str().unwrap(),
            ],
            "",
        )
        .stdout;
    for words in [
        "ARG find it",
        "ARG m1",
        "ARG --think",
        "ARG --max-turns",
        "ARG 7",
        "ARG --strict-mcp-config",
        "ARG plan",
        "KEY key1",
        "secret login",
        "\"mcpServers\":{\"mathchain\":",
        "serve",
        "--through",
    ] {
        assert!(log.contains(words), "{words}: {log}");
    }
    assert!(!log.contains("key2"), "{log}");
    assert!(
        !log.contains(&format!("HOME {}\n", place.path("home").display())),
        "{log}"
    );
}

/// A task on stdin, an answer in a file, and folders that are told.
#[test]
fn templates_name_the_workspace_the_task_and_a_file_for_the_answer() {
    let config = "[cli.mine]\nbinary = \"sh\"\nprompt_via = \"stdin\"\nprompt_stdin = [\"-c\", '''read task; echo noise; echo \"$task in $1\" > $2''', \"mine\", \"{workspace}\", \"{output}\"]\n[[phases]]\nname = \"p\"\nagents = [\"mine\"]\nprompt = \"work\"\n";
    let place = place(config);
    run(&place, &[]).expect_code(0);
    let workspace = place.path("work").canonicalize().unwrap();
    assert_eq!(
        place.read("outputs/p/mine.md"),
        format!("work in {}\n", workspace.display())
    );
}

/// A link in place of the file for the answer leads nowhere.
#[test]
fn an_answer_is_never_read_through_a_link() {
    let config = "[cli.mine]\nbinary = \"sh\"\nprompt_argv = [\"-c\", '''rm \"$1\"; ln -s /etc/hostname \"$1\"; true''', \"mine\", \"{output}\"]\n[[phases]]\nname = \"p\"\nagents = [\"mine\"]\nprompt = \"work\"\n";
    let done = run(&place(config), &[]);
    assert_eq!(states(done.expect_code(1), "p"), ["empty_output"]);
}

#[test]
fn an_agent_with_a_file_gets_its_prompts_before_the_task() {
    let config = format!(
        "[[phases]]\nname = \"p\"\nagents = [\"helper\"]\nprompt = \"the task\"\nclis = {{ helper = \"shell\" }}\n{}",
        agent("shell", "echo \"$1\"")
    );
    let place = place(&config);
    place.write("agents/helper.md", "---\nname: helper\ndescription: Helps\ntools: [calculate]\n---\n\n# System Prompt\n\nYou help.\n");
    run(&place, &[]).expect_code(0);
    assert_eq!(place.read("outputs/p/helper.md"), "You help.\n\nthe task\n");
    // Without its command line, it is an error.
    place.write(
        "team.toml",
        "version = 1\n[[phases]]\nname = \"p\"\nagents = [\"helper\"]\nprompt = \"x\"\n",
    );
    let refused = place.run_as_typed(&["pipeline", "run", "team.toml"], "");
    assert!(
        refused.expect_code(2).stderr.contains("clis = { helper"),
        "{}",
        refused.stderr
    );
}

#[test]
fn agents_fail_with_the_reason() {
    let config = format!(
        "[cli.gone]\nbinary = \"no-such-program\"\nprompt_argv = []\n[[phases]]\nname = \"p\"\nagents = [\"gone\", \"silent\", \"odd\"]\nfailure_mode = \"continue\"\nprompt = \"x\"\n{}{}",
        agent("silent", "true"),
        agent("odd", "printf '\\377\\376\\n'; sleep 0.2"),
    );
    let done = run(&place(&config), &[]);
    assert_eq!(
        states(done.expect_code(1), "p"),
        ["binary_not_found", "empty_output", "stream_error"]
    );
}

/// Offline, no address of this machine or another is reached; what the file says is passed on.
#[test]
fn isolation_decides_about_the_network() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let script = format!(
        "import socket\ntry:\n  socket.create_connection(('127.0.0.1', {port}), 5); print('reached')\nexcept OSError: print('kept')"
    );
    let table = |name: &str, more: &str| {
        format!(
            "[cli.{name}]\nbinary = \"python3\"\nsubcommand = [\"-c\", '''{script}''']\nprompt_argv = [\"{{prompt}}\"]\n{more}\n"
        )
    };
    let config = format!(
        "{}{}[[phases]]\nname = \"p\"\nagents = [\"off\", \"on\"]\nprompt = \"x\"\n[[phases]]\nname = \"q\"\nagents = [\"off\"]\nprompt = \"x\"\nisolation = \"network\"\n",
        table("off", ""),
        table("on", "isolation = \"network\""),
    );
    let place = place(&config);
    run(&place, &[]).expect_code(0);
    assert_eq!(place.read("outputs/p/off.md"), "kept\n");
    assert_eq!(place.read("outputs/p/on.md"), "reached\n");
    assert_eq!(place.read("outputs/q/off.md"), "reached\n");
}

/// Beside the system's files an agent reads the workspace and what its table names.
#[test]
fn readable_files_are_read_and_others_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (folder.path().join("one"), folder.path().join("two"));
    for (file, text) in [(&one, "first"), (&two, "second")] {
        std::io::Write::write_all(&mut std::fs::File::create(file).unwrap(), text.as_bytes())
            .unwrap();
    }
    let script = format!(
        "cat {}; echo; cat {} || echo kept",
        one.display(),
        two.display()
    );
    let config = format!(
        "[[phases]]\nname = \"p\"\nagents = [\"a\"]\nprompt = \"x\"\n{}readable = [\"{}\"]\n",
        agent("a", &script),
        one.display()
    );
    let place = place(&config);
    run(&place, &[]).expect_code(0);
    assert_eq!(place.read("outputs/p/a.md"), "first\nkept\n");
}
