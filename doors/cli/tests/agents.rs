//! Agent files and agent command lines, as an operator meets them.

use tool_core::Value;

use crate::support::{Answer, Place};

const AGENT: &str = "---\nname: helper\ndescription: helps\ntools: [read_file, execute_command, mcp__exa__search, google_search]\n\
                     variables: [topic]\n---\n# System Prompt\nTools:\n{{tool_descriptions}}\n# User Prompt\nAbout {{topic}}\n";

#[test]
fn starter_agents_are_written_once_and_check_cleanly() {
    let place = Place::new();
    place.run(&["init", "--agents"], "").expect_code(0);
    assert_eq!(
        place.run(&["init", "--agents"], "").code,
        1,
        "nothing is overwritten"
    );
    let checked = place.run(&["agent", "check", "--json"], "");
    let agents = checked.expect_code(0).json().items().expect("a list");
    let names: Vec<String> = agents
        .iter()
        .map(|agent| {
            agent
                .get("name")
                .expect("there")
                .as_str()
                .expect("a name")
                .to_owned()
        })
        .collect();
    assert_eq!(
        names,
        [
            "code_reviewer",
            "orchestrator",
            "planner",
            "researcher",
            "tester"
        ]
    );
    for (agent, name) in agents.iter().zip(&names) {
        assert_eq!(
            agent.get("notes").expect("there"),
            &Value::array(Vec::new()),
            "{name}"
        );
        let text = place.read(&format!("agents/{name}.md"));
        assert!(text.contains("\n## Tool usage guidelines\n"), "{name}");
        for tool in agent.get("tools").expect("there").items().expect("a list") {
            let tool = format!("`{}`", tool.as_str().expect("a name"));
            let guidelines = text
                .split_once("## Tool usage guidelines")
                .expect("there")
                .1;
            assert!(
                guidelines.contains(&tool),
                "{name} does not say how to use {tool}"
            );
        }
    }
}

#[test]
fn a_misspelt_tool_is_an_error_with_the_nearest_name() {
    let place = Place::new();
    place.write(
        "agents/a.md",
        "---\ntools:\n  - raed_file\nrole: operater\n---\n# System Prompt\nx\n",
    );
    place.write("agents/b.md", "---\ntools: grep\n---\n# System Prompt\nx\n");
    let answer = place.run(&["agent", "check"], "");
    answer.expect_code(2);
    for needle in [
        "agents/a.md:3:5",
        "no tool named `raed_file`",
        "did you mean `read_file`?",
        "no role named `operater`",
        "agents/b.md:2:1",
    ] {
        assert!(
            answer.stderr.contains(needle),
            "{needle}: {}",
            answer.stderr
        );
    }
    let listed = place.run(&["agent", "list"], "");
    assert!(
        listed.expect_code(0).stdout.contains("raed_file"),
        "a broken file is listed as such"
    );
    place.run(&["agent", "show", "a"], "").expect_code(2);
    let unknown = place.run(&["agent", "show", "c"], "");
    unknown.expect_code(2);
}

#[test]
fn an_agent_is_shown_with_what_its_names_mean_and_its_prompts_are_rendered() {
    let place = Place::new();
    place.write("agents/helper.md", AGENT);
    place.write("agents/old/agent.md", "# System Prompt\nx\n");
    let shown = place.run(&["agent", "show", "helper", "--json"], "");
    let tools = Value::array(vec![Value::from("read_file"), Value::from("run_shell")]);
    assert_eq!(shown.expect_code(0).at("/tools"), tools);
    assert_eq!(shown.at("/external/0"), Value::from("mcp__exa__search"));
    assert_eq!(shown.at("/provider/0"), Value::from("google_search"));
    assert!(
        shown
            .at("/notes/0")
            .as_str()
            .expect("a note")
            .contains("`execute_command` is the tool `run_shell` here")
    );
    place.run(&["agent", "show", "old"], "").expect_code(0);
    place
        .run(&["agent", "show", "agents/helper.md"], "")
        .expect_code(0);

    let rendered = place.run(
        &["agent", "show", "helper", "--prompt", "topic=x {{y}}"],
        "",
    );
    assert_eq!(
        rendered.expect_code(0).at("/user"),
        Value::from("About x {{y}}")
    );
    assert!(
        rendered
            .at("/system")
            .as_str()
            .expect("text")
            .starts_with("Tools:\n- `read_file`: ")
    );
    let missing = place.run(&["agent", "show", "helper", "--prompt"], "");
    assert!(
        missing
            .expect_code(2)
            .stderr
            .contains("no value for the variable `topic`")
    );
    let wrong = place.run(
        &[
            "agent", "show", "helper", "--prompt", "topic=1", "--prompt", "topik=2",
        ],
        "",
    );
    assert!(
        wrong
            .expect_code(2)
            .stderr
            .contains("did you mean `topic`?")
    );
}

#[test]
fn two_files_for_one_agent_are_an_error() {
    let place = Place::new();
    place.write("agents/a.md", "# System Prompt\nx\n");
    place.write("agents/a/agent.md", "# System Prompt\nx\n");
    let answer = place.run(&["agent", "check"], "");
    assert!(
        answer
            .expect_code(2)
            .stderr
            .contains("the agent `a` is also in agents/a/agent.md"),
        "{}",
        answer.stderr
    );
    place.run(&["agent", "show", "a"], "").expect_code(1);
}

/// What the policy denies is hidden, what it asks for is not approved, and what the command line cannot keep is an error.
#[test]
fn an_agent_command_line_gets_what_the_agent_may_do() {
    let place = Place::new();
    place.write("agents/helper.md", AGENT);
    place.write(
        "mathchain.toml",
        "version = 1\n[[policies]]\nlevel = \"global\"\ndeny = [\"grep\"]\n",
    );
    let words = |args: &[&str]| -> Vec<String> {
        let answer = place.run(args, "");
        let argv = answer.expect_code(0).at("/argv").items().expect("a list");
        argv.iter()
            .map(|word| word.as_str().expect("text").to_owned())
            .collect()
    };
    let argv = words(&[
        "agent-args",
        "--agent",
        "helper",
        "--cli",
        "claude",
        "--permission",
        "full-access",
    ]);
    let after = |flag: &str| {
        let at = argv
            .iter()
            .position(|word| word == flag)
            .unwrap_or_else(|| panic!("no {flag} in {argv:?}"));
        argv[at + 1].clone()
    };
    assert_eq!(after("--tools"), "Read,Bash");
    assert_eq!(after("--allowedTools"), "Read", "a program asks");
    assert_eq!(after("--max-turns"), "25");
    let argv = words(&[
        "agent-args",
        "--agent",
        "helper",
        "--cli",
        "claude",
        "--prompt",
        "go",
    ]);
    assert_eq!(
        argv[..5],
        ["claude", "-p", "go", "--tools", "Read"],
        "read-only hides the shell"
    );

    let codex = place.run(&["agent-args", "--agent", "helper", "--cli", "codex"], "");
    assert!(
        codex
            .expect_code(0)
            .stderr
            .contains("warning: codex has no limit on turns"),
        "{}",
        codex.stderr
    );
    assert_eq!(codex.at("/count_turns"), Value::from(25_i64));
    assert_eq!(codex.at("/stream_format"), Value::from("codex"));
    let refused = place.run(
        &[
            "agent-args",
            "--agent",
            "helper",
            "--cli",
            "gemini",
            "--permission",
            "full-access",
        ],
        "",
    );
    assert!(
        refused
            .expect_code(2)
            .stderr
            .contains("gemini cannot enforce it"),
        "{}",
        refused.stderr
    );
    let unknown = place.run(&["agent-args", "--agent", "helper", "--cli", "claud"], "");
    assert!(
        unknown
            .expect_code(2)
            .stderr
            .contains("did you mean `claude`?")
    );
}

/// Names only: what is passed and what is taken away, as a field and as words for a shell.
#[test]
fn an_agent_command_line_is_told_what_it_sees_of_the_environment() {
    const SECRET: &str = "hunter2-is-the-value";
    let place = Place::new();
    place.write("agents/helper.md", AGENT);
    let configure = |fields: &str| {
        place.write(
            "mathchain.toml",
            &format!("version = 1\n[cli.claude]\n{fields}\n"),
        );
    };
    let run = |format: &str| {
        let args = [
            "agent-args",
            "--agent",
            "helper",
            "--cli",
            "claude",
            "--output",
            format,
        ];
        let output = place
            .command(&args)
            .env("ANTHROPIC_API_KEY", SECRET)
            .env("MY_PASSWORD", SECRET)
            .env("PROJECT", SECRET)
            .stdin(std::process::Stdio::null())
            .output()
            .expect("runs");
        let answer = Answer::of(&output);
        assert!(
            !answer.stdout.contains(SECRET) && !answer.stderr.contains(SECRET),
            "{}",
            answer.stdout
        );
        answer
    };
    let names = |answer: &Answer, key: &str| -> Vec<String> {
        let list = answer.expect_code(0).at(&format!("/environment/{key}"));
        let list = list.items().expect("a list");
        list.iter()
            .map(|name| name.as_str().expect("text").to_owned())
            .collect()
    };
    configure("");
    let filtered = run("json");
    assert_eq!(filtered.at("/environment/policy"), Value::from("filtered"));
    assert_eq!(
        names(&filtered, "removed"),
        ["ANTHROPIC_API_KEY", "MY_PASSWORD"]
    );
    assert!(names(&filtered, "passed").contains(&"PROJECT".to_owned()));
    let line = run("human").stdout;
    assert!(
        line.starts_with("env -u ANTHROPIC_API_KEY -u MY_PASSWORD claude "),
        "{line}"
    );

    configure("env_passlist = [\"ANTHROPIC_.*\"]");
    assert_eq!(names(&run("json"), "removed"), ["MY_PASSWORD"]);
    configure("env_policy = \"inherit\"");
    assert!(run("human").stdout.starts_with("claude "));
    configure("env_policy = \"clean\"\nenv_passlist = [\"PROJ.*\"]");
    assert_eq!(names(&run("json"), "passed")[0], "HOME");
    let line = run("human").stdout;
    assert!(
        line.starts_with("env -i HOME=\"$HOME\" PROJECT=\"$PROJECT\" "),
        "{line}"
    );
    configure("env_passlist = [\"(\"]");
    let broken = run("json");
    assert!(
        broken
            .expect_code(2)
            .stderr
            .contains("no pattern for names"),
        "{}",
        broken.stderr
    );
}
