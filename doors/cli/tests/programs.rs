//! Programs through the binary: the sandbox joined to every door.

use tool_core::Value;

use crate::support::Place;

/// The command that the project was asked to show: every part is refused, and the host is as it was.
#[test]
fn escapes_are_refused_and_the_host_is_untouched() {
    let place = Place::new();
    std::fs::create_dir_all(place.path("home/.ssh")).expect("makes folders");
    place.write("../home/.ssh/id", "canary-key");
    let home = place.path("home/.ssh/id");
    let script = format!(
        "echo x > ../outside; cat ~/.ssh/id; cat {}; python3 -c \"import socket;socket.socket()\"",
        home.display()
    );
    let argv = Value::array(vec!["sh".into(), "-c".into(), script.as_str().into()]);
    let argument = format!("argv={}", tool_core::json::to_text(&argv));
    let asks = place.run(&["call", "run_shell", "--arg", &argument], "");
    assert_eq!(
        asks.expect_code(4).at("/status"),
        Value::from("pending_approval")
    );
    let answer = place.run(&["call", "run_shell", "--arg", &argument, "--yes"], "");
    // The last command fails: there is a result, and the exit code of one that falls short.
    let said = answer.expect_code(8).at("/output/stderr");
    let said = said.as_str().expect("a text");
    assert_eq!(
        said.matches("cannot create ../outside").count(),
        1,
        "{said}"
    );
    assert_eq!(said.matches("cat: ").count(), 2, "{said}");
    assert!(said.contains("PermissionError"), "{said}");
    assert_eq!(answer.at("/output/stdout"), Value::from(""));
    assert!(!answer.stdout.contains("canary-key"));
    assert!(!place.path("outside").exists());
}

/// A secret in the environment reaches neither a child, nor an answer, nor an error, nor the audit.
#[test]
fn a_secret_of_the_environment_stays_there() {
    const SECRET: &str = "canary-93b1";
    let place = Place::new();
    let pid = "$PPID";
    for script in [
        "env".to_owned(),
        "set".to_owned(),
        format!("cat /proc/{pid}/environ /proc/1/environ /proc/self/environ"),
        "python3 -I -c 'import os; print(os.environ)'".to_owned(),
        "exec /no/such/program".to_owned(),
    ] {
        let argv = Value::array(vec!["sh".into(), "-c".into(), script.as_str().into()]);
        let argument = format!("argv={}", tool_core::json::to_text(&argv));
        let mut command = place.command(&["call", "run_shell", "--arg", &argument, "--yes"]);
        command
            .env("SECRET_TOKEN", SECRET)
            .stdin(std::process::Stdio::null());
        let output = command.output().expect("runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned()
            + &String::from_utf8_lossy(&output.stderr);
        assert!(text.contains("\"status\":\"success\""), "{script}: {text}");
        assert!(!text.contains(SECRET), "{script}: {text}");
    }
    let audit = place.run(&["audit", "list"], "");
    assert!(audit.expect_code(0).stdout.contains("run_shell"));
    assert!(!audit.stdout.contains(SECRET));
}

#[test]
fn python_is_the_interpreter_that_the_configuration_names() {
    let place = Place::new();
    let env = place.path("env");
    place.write(
        "../env/pyvenv.cfg",
        "home = /usr/bin\ninclude-system-site-packages = false\n",
    );
    std::fs::create_dir_all(env.join("bin")).expect("makes folders");
    std::os::unix::fs::symlink("/usr/bin/python3", env.join("bin/python3")).expect("links");
    let code = r#"{"code":"import sys; print(sys.prefix)"}"#;
    let prefix = || {
        place
            .run(&["call", "python_run", "--yes"], code)
            .at("/output/stdout")
    };
    assert_eq!(prefix(), "/usr\n".into());
    for named in ["../env", "../env/bin/python3"] {
        place.write(
            "mathchain.toml",
            &format!("version = 1\n[code]\npython = \"{named}\"\n"),
        );
        let found = prefix().to_string();
        assert!(
            found.contains(env.to_str().expect("UTF-8")),
            "{named}: {found}"
        );
    }
    place.write("mathchain.toml", "version = 1\n[code]\npython = \"none\"\n");
    let missing = place.run(&["call", "python_run", "--yes"], code);
    assert!(
        missing.stdout.contains("[code] python"),
        "{}",
        missing.stdout
    );
}

#[test]
fn git_reads_the_repository_of_the_workspace_whoever_runs_it() {
    let place = Place::new();
    let git = |args: &[&str]| {
        let mut command = std::process::Command::new("git");
        let done = command.args(args).current_dir(place.path("work")).output();
        assert!(done.expect("runs").status.success());
    };
    git(&["init", "-q"]);
    place.write("a.txt", "x");
    let args = r#"{"argv":["git","status","--short"]}"#;
    let answer = place.run(&["call", "run_shell", "--yes"], args);
    let out = answer.expect_code(0).at("/output/stdout");
    assert_eq!(out, "?? a.txt\n".into(), "{}", answer.stdout);
}

#[test]
fn an_expression_of_python_needs_no_approval_and_runs_in_chains() {
    let place = Place::new();
    let answer = place.run(
        &["call", "python_eval"],
        r#"{"expression":"sum(xs)","variables":{"xs":[1,2,3]}}"#,
    );
    assert_eq!(
        answer.expect_code(0).at("/output/value"),
        Value::from(6_i64)
    );
    place.write(
        "plan.yaml",
        "version: 1\nid: p\nsteps:\n  - {id: a, tool: python_eval, args: {expression: '[n * n for n in range(4)]'}}\n  - {id: b, tool: statistics, args: {data: {$ref: a.value}}}\noutputs: {mean: {$ref: b.mean}}\n",
    );
    let ran = place.run(&["run", "plan.yaml"], "");
    assert!(ran.expect_code(0).stdout.contains("3.5"), "{}", ran.stdout);
}

/// A text for the shell is decided by every command in it, and as a whole where they cannot be read off.
#[test]
fn a_command_text_is_decided_command_by_command() {
    let place = Place::new();
    place.write(
        "mathchain.toml",
        "version = 1\n[[policies]]\nlevel = \"global\"\n[[policies.rules]]\nmatch = { tools = [\"run_shell\"], argv = { prefix = [\"echo\"] } }\ndecision = \"allow\"\n[[policies.rules]]\nmatch = { tools = [\"run_shell\"], argv = { prefix = [\"rm\"] } }\ndecision = \"deny\"\n",
    );
    for (command, code) in [
        ("echo a && echo b", 0),
        ("echo 'rm x'", 0),
        ("echo a; ls", 4),
        ("echo a | rm x", 3),
        ("echo a; /bin/rm x", 3),
        ("echo $(rm x)", 3),
        ("ls > x", 3),
    ] {
        let args = Value::object([("command", Value::from(command))]);
        let answer = place.run(&["call", "run_shell"], &tool_core::json::to_text(&args));
        assert_eq!(answer.code, code, "{command}: {}", answer.stdout);
    }
}

#[test]
fn doctor_shows_the_sandbox() {
    let place = Place::new();
    let answer = place.run(&["doctor"], "");
    for probe in [
        "landlock",
        "seccomp",
        "namespaces",
        "sandbox user",
        "sandbox level",
        "python3",
        "ruff",
    ] {
        let row = format!("{{\"probe\":\"{probe}\",\"ok\":");
        assert!(answer.stdout.contains(&row), "{probe}: {}", answer.stdout);
    }
    assert!(answer.stdout.contains("\"standing\":\"ok\""));
}

/// A program that only some tools need is named with them, and is no fault; a missing state is one.
#[test]
fn doctor_says_which_tools_are_refused() {
    let place = Place::new();
    let mut command = place.command(&["doctor", "--output", "human"]);
    let output = command.env("PATH", "/nowhere").output().expect("runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{text}");
    let ruff = if std::path::Path::new("/usr/bin/ruff").exists()
        || std::path::Path::new("/usr/local/bin/ruff").exists()
    {
        "all available"
    } else {
        "unavailable: lint_python, format_python (no ruff)"
    };
    assert!(text.contains(ruff), "{text}");
    let file = place.path("work/file");
    place.write("file", "");
    let mut command = place.command(&["doctor", "--output", "human"]);

    let output = command.env("XDG_STATE_HOME", &file).output().expect("runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(
        text.contains("MISSING state") && text.contains("(no state)"),
        "{text}"
    );
}

/// Started under the launcher's name without a policy it does nothing.
#[test]
fn the_launcher_runs_nothing_by_itself() {
    use std::os::unix::process::CommandExt;
    let place = Place::new();
    let mut command = place.command(&["call", "statistics", "--data", "[1]"]);
    command
        .arg0("mathchain-sandbox-launcher")
        .stdin(std::process::Stdio::null());
    let output = command.output().expect("ends");
    assert_ne!(output.status.code(), Some(0));
    assert!(output.stdout.is_empty() && output.stderr.is_empty());
}

/// A program as objective: asked line by line, kept alive, in the sandbox, with the permission of any program.
#[test]
fn a_program_is_optimised_where_programs_may_run() {
    let place = Place::new();
    place.write(
        "objective.py",
        "import json, os, sys\nfor line in sys.stdin:\n    x = json.loads(line)['x']\n    a, b = (x['a'], x['b']) if isinstance(x, dict) else x\n    f = (a - 1)**2 + 10*(b + 2)**2\n    print(json.dumps({'f': f, 'gradient': [2*(a - 1), 20*(b + 2)]}), flush=True)\n",
    );
    place.write(
        "line.py",
        "import json, sys\nfor line in sys.stdin:\n    print(sum(json.loads(line)['x']), flush=True)\n",
    );
    place.write(
        "chatty.sh",
        "echo hello; while read -r line; do echo 1; echo more; done",
    );
    place.write("echo.sh", "read -r line; echo not a number; cat >/dev/null");
    place.write("ends.sh", "read -r line; echo 3; echo cause >&2; exit 5");
    place.write("silent.sh", "sleep 60");
    place.write("nothing.sh", "while read -r line; do echo null; done");
    let run = |args: &str, flags: &[&str]| {
        let words = [&["call", "optimize_program"], flags].concat();
        place.run(&words, args)
    };
    let near =
        |value: Value, expected: f64| (value.as_f64().expect("a number") - expected).abs() < 1e-4;
    let asks = run(
        r#"{"command": ["python3", "objective.py"], "x0": [0, 0]}"#,
        &[],
    );
    assert_eq!(
        asks.expect_code(4).at("/status"),
        Value::from("pending_approval")
    );
    for args in [
        r#"{"command": ["python3", "objective.py"], "x0": {"a": 0, "b": 0}}"#,
        r#"{"command": ["python3", "objective.py"], "x0": {"a": 0, "b": 0}, "method": "gradient"}"#,
        r#"{"command": ["python3", "objective.py"], "x0": {"a": 0, "b": 0}, "constraints": ["a + b <= 5"], "tolerance": 1e-7}"#,
    ] {
        let answer = run(args, &["--yes"]);
        answer.expect_code(0);
        assert!(near(answer.at("/output/named/a"), 1.0), "{}", answer.stdout);
        assert!(
            near(answer.at("/output/named/b"), -2.0),
            "{}",
            answer.stdout
        );
        assert_eq!(answer.at("/output/converged"), Value::from(true));
    }
    let bayes = r#"{"command": ["python3", "objective.py"], "bounds": {"a": [-3, 3], "b": [-3, 3]}, "max_evals": 30}"#;
    let bayes = run(bayes, &["--yes"]);
    bayes.expect_code(0);
    assert_eq!(bayes.at("/output/method"), Value::from("bayes"));
    assert_eq!(bayes.at("/output/evaluations"), Value::from(30.0));
    assert!(
        bayes.at("/output/f").as_f64().expect("a number") < 0.1,
        "{}",
        bayes.stdout
    );
    // Under constraints the lowest value may be where they fail.
    let held = run(
        r#"{"command": ["python3", "line.py"], "x0": [3, 3], "constraints": ["x0 >= 0", "x1 >= 0"]}"#,
        &["--yes"],
    );
    let at = |pointer: &str| held.at(pointer).as_f64().expect("a number");
    assert!(at("/output/f").abs() < 1e-3, "{}", held.stdout);
    assert!(at("/output/violation") < 1e-6, "{}", held.stdout);
    // Also where the evaluations are used up: the best point at which they hold.
    let few = run(
        r#"{"command": ["python3", "line.py"], "x0": [3, 3], "constraints": ["x0 >= 0", "x1 >= 0"], "max_evals": 8}"#,
        &["--yes"],
    );
    few.expect_code(0);
    assert_eq!(few.at("/output/reason"), Value::from("max_evals"));
    assert!(
        few.at("/output/violation").as_f64().expect("a number") <= 1e-6,
        "{}",
        few.stdout
    );
    // What can be refused is, before the program runs.
    let refused = run(
        r#"{"command": ["sh", "-c", "echo started >&2; exit 3"], "x0": [3], "constraints": ["x0"]}"#,
        &["--yes"],
    );
    assert_eq!(
        refused.expect_code(2).at("/error/path"),
        Value::from("/constraints/0")
    );
    let short = r#"{"command": ["python3", "objective.py"], "x0": [0, 0], "max_evals": 7}"#;
    let short = run(short, &["--yes"]);
    short.expect_code(0);
    assert_eq!(short.at("/output/reason"), Value::from("max_evals"));
    assert_eq!(short.at("/output/evaluations"), Value::from(7.0));
    let fails = |args: &str| run(args, &["--yes"]);
    for (args, reason, words) in [
        (
            r#"{"command": ["sh", "echo.sh"], "x0": [0]}"#,
            "answer",
            "answered `not a number`",
        ),
        (
            r#"{"command": ["sh", "ends.sh"], "x0": [0]}"#,
            "ended",
            "status 5 and gave no answer; it printed: cause",
        ),
        (
            r#"{"command": ["sh", "silent.sh"], "x0": [0], "seconds": 0.5}"#,
            "silent",
            "no answer within 0.5 s",
        ),
        (
            r#"{"command": ["sh", "nothing.sh"], "x0": [0]}"#,
            "not_finite",
            "NaN",
        ),
        (
            r#"{"command": ["sh", "chatty.sh"], "x0": [0]}"#,
            "answer",
            "answer",
        ),
        (
            r#"{"command": ["nothing-here"], "x0": [0]}"#,
            "",
            "nothing-here",
        ),
    ] {
        let answer = fails(args);
        assert!(answer.stdout.contains(words), "{args}: {}", answer.stdout);
        if !reason.is_empty() {
            assert_eq!(answer.at("/error/reason"), Value::from(reason), "{args}");
        }
    }
    // What was found before the program ended is not lost.
    let ended = fails(r#"{"command": ["sh", "ends.sh"], "x0": [0]}"#);
    assert_eq!(ended.at("/error/evidence/f"), Value::from(3.0));
    for (args, path) in [
        (r#"{"command": [], "x0": [0]}"#, "/command"),
        (r#"{"command": ["true"]}"#, "/x0"),
        (
            r#"{"command": ["true"], "x0": [0], "method": "bayes"}"#,
            "/x0",
        ),
        (
            r#"{"command": ["true"], "bounds": [[0, null]]}"#,
            "/bounds/0",
        ),
        (
            r#"{"command": ["true"], "bounds": [[0, 1]], "method": "nelder_mead"}"#,
            "/x0",
        ),
        (
            r#"{"command": ["true"], "x0": [0], "method": "gradient", "constraints": ["x0 >= 0"]}"#,
            "/method",
        ),
    ] {
        let answer = fails(args);
        answer.expect_code(2);
        assert_eq!(answer.at("/error/path"), Value::from(path), "{args}");
    }
}

/// `[workspace] writable`: a program of `run_shell` keeps what it makes there, and nothing else; what tools never write stays as it is.
#[test]
fn programs_write_where_the_configuration_says_so() {
    let allow = "[[policies]]\nlevel = \"global\"\n[[policies.rules]]\nmatch = { tools = [\"run_shell\"] }\ndecision = \"allow\"\n";
    let config = format!("version = 1\n[workspace]\nwritable = [\"build\", \"missing\"]\n{allow}");
    let place = Place::of_a_stranger();
    place.write("mathchain.toml", &config);
    place.write("src/main.c", "int main;\n");
    place.write("build/.git/config", "old\n");
    let run = |cwd: &str, script: &str| {
        let script = tool_core::json::to_text(&Value::from(script));
        let args = format!(r#"{{"command": {script}, "cwd": "{cwd}"}}"#);
        place.run(&["call", "run_shell", "--yes"], &args)
    };
    // It is given by the configuration, so that a stranger's opens nothing.
    run(".", "echo made > build/a").expect_code(8);
    assert!(!place.path("work/build/a").exists());
    let shown = place.run(&["trust", "--show"], "");
    assert!(
        shown.stdout.contains("workspace.writable"),
        "{}",
        shown.stdout
    );
    place.run(&["trust", "--yes"], "").expect_code(0);
    run(".", "echo made > build/a").expect_code(0);
    assert_eq!(place.read("build/a"), "made\n");
    run("src", "mkdir ../build/b && echo deeper > ../build/b/c").expect_code(0);
    assert_eq!(place.read("build/b/c"), "deeper\n");
    for script in [
        "echo x > src/x",
        "echo x > build/.git/config",
        "mkdir missing",
        "echo x >> mathchain.toml",
        "ln -s ../mathchain.toml build/link; echo x >> build/link",
        "mv build built",
    ] {
        run(".", script).expect_code(8);
    }
    assert_eq!(place.read("mathchain.toml"), config);
    assert_eq!(place.read("build/.git/config"), "old\n");
    assert!(!place.path("work/src/x").exists());
    // Under a name that decides what mathchain and git do, nothing new stays.
    for name in [
        "build/b/mathchain.toml",
        "build/b/.git",
        "build/b/governance.yaml",
    ] {
        let made = run(".", &format!("echo x > {name}"));
        let reason = made.expect_code(3).at("/error/reason");
        assert_eq!(reason, Value::from("protected_path"), "{name}");
        assert!(!place.path(&format!("work/{name}")).exists(), "{name}");
        assert_eq!(place.read(&format!("{name}.set-aside-0")), "x\n");
    }
    // Python has no such folder.
    let python = r#"{"code": "open('build/p', 'w')"}"#;
    place
        .run(&["call", "python_run", "--yes"], python)
        .expect_code(8);
    assert!(!place.path("work/build/p").exists());
}

/// A folder of a root that is only read stays so.
#[test]
fn a_folder_of_a_root_that_is_read_is_not_opened_for_programs() {
    let place = Place::new();
    place.write("kept/build/a", "a\n");
    place.write(
        "mathchain.toml",
        "version = 1\n[workspace]\nwritable = [\"kept/build\"]\nroots = [{ path = \".\", access = \"write\" }, { path = \"kept\", access = \"read\" }]\n",
    );
    let refused = place.run(&["call", "calculate"], r#"{"expression": "1"}"#);
    let reason = refused.expect_code(2).at("/error/reason");
    assert_eq!(reason, Value::from("read_only_root"), "{}", refused.stdout);
}
