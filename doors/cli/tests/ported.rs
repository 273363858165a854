//! Configurations of earlier systems, as their users bring them: what loads, and what an agent may then do.

use tool_core::Value;
use tool_core::json::to_text;

use crate::support::{Answer, Place};

const PHASES: &str = r#"
version = 1
[[phases]]
name = "look"
agents = ["claude", "codex", "gemini", "copilot", "opencode"]
tools = { internal = ["Read", "calculate", "write_file"], permission = "read-only", max_turns = 9 }
[[phases]]
name = "write"
agents = ["claude"]
tools = { internal = ["Read", "Write", "Edit", "Bash", "delete_file"], permission = "workspace-write" }
[[phases]]
name = "impl"
agents = ["claude", "codex"]
tools = { internal = ["Read", "Write", "Edit", "Bash", "delete_file", "calculate"], permission = "full-access" }
"#;

fn place(config: &str) -> Place {
    let place = Place::new();
    place.write("mathchain.toml", config);
    place
}

/// The arguments of the server in the command of an agent.
fn server_of(place: &Place, phase: &str, agent: &str) -> Vec<String> {
    let args = ["agents", "command", "--phase", phase, "--agent", agent];
    let command = place.run(&args, "");
    let command = command.expect_code(0);
    let argv = command.at("/argv");
    let argv = argv.items().expect("a list");
    let words: Vec<&str> = argv.iter().filter_map(Value::as_str).collect();
    let place = words.iter().position(|word| *word == "--mcp-config");
    let text = words[place.expect("the server is registered") + 1];
    let read = mathchain::parse_json(text).expect("JSON");
    let args = read
        .pointer("/mcpServers/mathchain/args")
        .expect("the server");
    let args = args.items().expect("a list");
    args.iter()
        .map(|arg| arg.as_str().expect("a text").to_owned())
        .collect()
}

/// The answers of a server with these arguments to these requests.
fn served(place: &Place, args: &[String], requests: &[&str]) -> Vec<Value> {
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let hello = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    let mut input = hello.to_owned();
    for (id, request) in requests.iter().enumerate() {
        input.push_str(&format!(
            "\n{{\"jsonrpc\":\"2.0\",\"id\":{},{request}}}",
            id + 1
        ));
    }
    let answer = place.run(&args, &(input + "\n"));
    let answer = answer.expect_code(0);
    let lines = answer
        .stdout
        .lines()
        .map(|line| mathchain::parse_json(line).expect("JSON"));
    let mut answers: Vec<Value> = lines
        .filter(|line: &Value| line.get("id").is_some())
        .collect();
    answers.sort_by_key(|answer| answer.get("id").and_then(Value::as_i64));
    answers.split_off(1)
}

fn call(tool: &str, args: &str) -> String {
    format!(r#""method":"tools/call","params":{{"name":"{tool}","arguments":{args}}}"#)
}

/// The server that an agent command line is told to start decides as the phase says, whatever its client tries.
#[test]
fn the_registered_server_has_the_tools_of_the_phase_alone() {
    let place = place(PHASES);
    let args = server_of(&place, "look", "claude");
    let requests = [
        r#""method":"tools/list","params":{}"#.to_owned(),
        call("calculate", r#"{"expression":"6*7"}"#),
        call("write_file", r#"{"path":"a.txt","content":"x"}"#),
        call("statistics", r#"{"data":[1,2]}"#),
    ];
    let requests: Vec<&str> = requests.iter().map(String::as_str).collect();
    let answers = served(&place, &args, &requests);
    let tools = answers[0].pointer("/result/tools").expect("tools");
    let names: Vec<String> = tools
        .items()
        .expect("a list")
        .iter()
        .map(|tool| {
            tool.get("name")
                .and_then(Value::as_str)
                .expect("a name")
                .to_owned()
        })
        .collect();
    assert_eq!(names, ["read_file", "calculate", "describe_tool"]);
    let text = to_text(&answers[1]);
    assert!(text.contains("42"), "{text}");
    for refused in &answers[2..] {
        let text = to_text(refused);
        assert!(text.contains("not_visible"), "{text}");
    }
    assert!(!place.path("work/a.txt").exists());
}

#[test]
fn a_permission_on_the_command_line_narrows_the_server_too() {
    let place = place(PHASES);
    let args = [
        "agents",
        "command",
        "--phase",
        "impl",
        "--agent",
        "claude",
        "--permission",
        "read-only",
    ];
    let command = place.run(&args, "");
    let text = to_text(&command.expect_code(0).at("/argv"));
    assert!(text.contains(r#"\"--permission\",\"read-only\""#), "{text}");
    let write = [
        "call",
        "--phase",
        "impl",
        "write_file",
        "--path",
        "a.txt",
        "--content",
        "x",
    ];
    let narrowed = [&write[..], &["--permission", "read-only"]].concat();
    let answer = place.run(&narrowed, "");
    assert_eq!(answer.at("/error/code"), Value::from("not_visible"));
    assert!(!place.path("work/a.txt").exists());
    place.run(&write, "").expect_code(0);
    assert_eq!(place.read("a.txt"), "x");
}

fn code(answer: &Answer) -> String {
    let said = answer.json();
    let code = said.pointer("/error/code").or(said.pointer("/status"));
    code.and_then(|code| code.as_str().map(str::to_owned))
        .expect("a code or a status")
}

/// What the permission of a phase grants, through two doors.
#[test]
fn the_permission_of_a_phase_grants_what_it_says() {
    let place = place(PHASES);
    let attempt = |phase: &str, tool: &str, args: &[&str]| {
        let words = [&["call", "--phase", phase, tool], args].concat();
        code(&place.run(&words, ""))
    };
    let write = ["--path", "new.txt", "--content", "a"];
    let edit = [
        "--path",
        "old.txt",
        "--old-string",
        "a",
        "--new-string",
        "b",
    ];
    let overwrite = ["--path", "old.txt", "--content", "z", "--mode", "overwrite"];
    let run = ["--command", "true"];
    let cases: [(&str, [&str; 4]); 3] = [
        (
            "look",
            ["not_visible", "not_visible", "not_visible", "not_visible"],
        ),
        (
            "write",
            ["success", "success", "pending_approval", "pending_approval"],
        ),
        (
            "impl",
            ["success", "success", "pending_approval", "success"],
        ),
    ];
    for (phase, expected) in cases {
        let _ = std::fs::remove_file(place.path("work/new.txt"));
        place.write("old.txt", "a");
        let found = [
            attempt(phase, "write_file", &write),
            attempt(phase, "edit_file", &edit),
            attempt(phase, "write_file", &overwrite),
            attempt(phase, "run_shell", &run),
        ];
        assert_eq!(found, expected, "{phase}");
    }
    // A destructive call asks in any phase.
    assert_eq!(
        attempt("impl", "delete_file", &["--path", "old.txt"]),
        "pending_approval"
    );
    let args = [
        "serve",
        "--mcp",
        "--catalog",
        "full",
        "--phase",
        "impl",
        "--agent",
        "claude",
    ]
    .map(str::to_owned);
    let request = call("write_file", r#"{"path":"by-server.txt","content":"x"}"#);
    served(&place, &args, &[&request]);
    assert_eq!(place.read("by-server.txt"), "x");
}

#[test]
fn rules_hold_over_what_a_phase_grants() {
    let rules = r#"
[[policies]]
level = "global"
deny = ["run_shell"]
rules = [{ match = { tools = ["write_file"] }, decision = "ask" }]
"#;
    let place = place(&(PHASES.to_owned() + rules));
    let write = [
        "call",
        "--phase",
        "impl",
        "write_file",
        "--path",
        "a.txt",
        "--content",
        "x",
    ];
    assert_eq!(code(&place.run(&write, "")), "pending_approval");
    let run = ["call", "--phase", "impl", "run_shell", "--command", "true"];
    assert_eq!(code(&place.run(&run, "")), "not_visible");
}

/// The tools of the agent command line itself run without approval where the phase grants their work.
#[test]
fn a_ported_phase_lets_the_tools_of_the_command_line_write_and_run() {
    let place = place(PHASES);
    let allowed = |phase: &str| {
        let args = ["agents", "command", "--phase", phase, "--agent", "claude"];
        let command = place.run(&args, "");
        let argv = command.expect_code(0).at("/argv").items().expect("a list");
        let words: Vec<&str> = argv.iter().filter_map(Value::as_str).collect();
        let place = words.iter().position(|word| *word == "--allowedTools");
        words[place.expect("there") + 1].to_owned()
    };
    assert_eq!(allowed("look"), "Read,mcp__mathchain__calculate");
    assert_eq!(
        allowed("write"),
        "Read,Write,Edit,mcp__mathchain__delete_file"
    );
    assert_eq!(
        allowed("impl"),
        "Read,Write,Edit,Bash,mcp__mathchain__delete_file,mcp__mathchain__calculate"
    );
}

const EARLIER: &str = r#"
version = 1
[agents.claude]
binary = "claude"
model = "claude-sonnet"
stream_format = "claude"
env_vars = { LEVEL = "3" }
env_passlist = ["ANTHROPIC_.*"]
stall_timeout = 300
max_runtime = 7200.5
[agents.claude.flags]
plan = ["--think", "--allowedTools", "Read,Task"]
[agents.claude.output_extraction]
strategy = "jq_filter"
jq_expression = ".result"
[agents.builder]
binary = "/opt/codex"
subcommand = "exec"
stream_format = "codex"
prompt_via = "stdin"
stdin_sentinel = "--from-stdin"
env_policy = "clean"
unenforced = "warn"
[[phases]]
name = "research"
agents = ["claude"]
[phases.tools]
internal = ["Read", "Agent", "Task", "TodoWrite", "NotebookEdit", "Skill"]
mcp = ["mcp__exa__search"]
permission = "read-only"
max_turns = 50
[[phases]]
name = "plan"
agents = ["claude", "builder"]
[[phases]]
name = "build"
agents = ["builder"]
[phases.tools]
internal = ["Bash", "update_plan", "Task"]
permission = "workspace-write"
[[policies]]
level = "user"
rules = [{ match = { tools = ["mcp__exa__search"] }, decision = "allow" }]
"#;

fn argv(answer: &Answer) -> Vec<String> {
    let words = answer.expect_code(0).at("/argv").items().expect("a list");
    words
        .iter()
        .map(|word| word.as_str().expect("a text").to_owned())
        .collect()
}

/// The layout of agents and phases of an earlier system, as it is.
#[test]
fn agents_and_phases_of_an_earlier_system_load_unchanged() {
    let place = place(EARLIER);
    place.run(&["check"], "").expect_code(0);
    let command = |phase: &str, agent: &str, more: &[&str]| {
        let args = [
            &["agents", "command", "--phase", phase, "--agent", agent],
            more,
        ]
        .concat();
        let mut command = place.command(&[&args[..], &["--json"]].concat());
        command
            .env("ANTHROPIC_BASE", "x")
            .env("LEVEL", "9")
            .env("GITHUB_TOKEN", "y");
        crate::support::answer_of(command, b"")
    };
    let research = command("research", "claude", &[]);
    assert_eq!(
        argv(&research)[..11],
        [
            "claude",
            "-p",
            "--model",
            "claude-sonnet",
            "--tools",
            "Read,Agent,Task,TodoWrite,Skill",
            "--allowedTools",
            "Read,Agent,Task,TodoWrite,Skill,mcp__exa__search",
            "--disallowedTools",
            "NotebookEdit",
            "--max-turns"
        ]
    );
    assert_eq!(research.at("/environment/set/LEVEL"), Value::from("3"));
    let passed = to_text(&research.at("/environment/passed"));
    assert!(
        passed.contains("ANTHROPIC_BASE") && !passed.contains("LEVEL"),
        "{passed}"
    );
    assert_eq!(
        research.at("/runner/output_extraction/jq_expression"),
        Value::from(".result")
    );
    assert_eq!(
        research.at("/runner/output_extraction/strategy"),
        Value::from("jq_filter")
    );
    assert_eq!(research.at("/runner/stall_timeout").as_f64(), Some(300.0));
    let shell = place.run_as_typed(
        &[
            "agents", "command", "--phase", "research", "--agent", "claude", "--output", "human",
        ],
        "",
    );
    assert!(
        shell.stdout.starts_with("env LEVEL=3 claude "),
        "{}",
        shell.stdout
    );
    // Its own table is like the one of its format. What it cannot enforce is an error, unless the table says otherwise.
    let strict = self::place(&EARLIER.replace("unenforced = \"warn\"\n", ""));
    let refused = strict.run(
        &[
            "agents", "command", "--phase", "build", "--agent", "builder",
        ],
        "",
    );
    assert!(
        refused
            .stderr
            .contains("builder cannot enforce it: `apply_patch`"),
        "{}",
        refused.stderr
    );
    let build = command("build", "builder", &[]);
    assert_eq!(argv(&build)[..3], ["/opt/codex", "exec", "--from-stdin"]);
    assert!(argv(&build).contains(&"workspace-write".to_owned()));
    assert!(
        build
            .stderr
            .contains("`Task` is a tool of another agent command line"),
        "{}",
        build.stderr
    );
    let removed = to_text(&build.at("/environment/removed"));
    assert!(
        removed.contains("ANTHROPIC_BASE") && removed.contains("GITHUB_TOKEN"),
        "{removed}"
    );
}

/// Tools of servers that are not configured here: allowed, asked and denied by rules, in the form of each command line.
#[test]
fn tools_of_other_servers_reach_every_command_line() {
    let config = r#"
version = 1
[cli.gemini]
unenforced = "warn"
[cli.opencode]
unenforced = "warn"
[[phases]]
name = "p"
agents = ["claude", "codex", "gemini", "copilot", "opencode"]
[phases.tools]
internal = ["read_file"]
mcp = ["mcp__exa__free", "mcp__exa__asked", "mcp__exa__gone", "mcp__exa__plain"]
[[policies]]
level = "global"
deny = ["mcp__exa__gone"]
rules = [
  { match = { tools = ["mcp__exa__free"] }, decision = "allow" },
  { match = { tools = ["mcp__exa__asked"] }, decision = "ask" },
]
"#;
    let place = place(config);
    let all = |agent: &str| {
        let command = place.run(&["agents", "command", "--phase", "p", "--agent", agent], "");
        let data = command.expect_code(0).json();
        let text = |key: &str| {
            data.pointer(key)
                .map(|value| to_text(&value))
                .unwrap_or_default()
        };
        (text("/argv"), text("/config/text"))
    };
    let (claude, _) = all("claude");
    assert!(
        claude.contains(
            r#""--allowedTools","Read,mcp__exa__free","--disallowedTools","mcp__exa__gone""#
        ),
        "{claude}"
    );
    let (codex, _) = all("codex");
    for part in [
        r#"mcp_servers.exa.enabled_tools=[\"free\",\"asked\",\"plain\"]"#,
        r#"mcp_servers.exa.tools.free.approval_mode=\"approve\""#,
        r#"mcp_servers.exa.tools.asked.approval_mode=\"prompt\""#,
        r#"mcp_servers.exa.tools.plain.approval_mode=\"prompt\""#,
    ] {
        assert!(codex.contains(part), "{part}: {codex}");
    }
    assert!(!codex.contains("gone"), "{codex}");
    let (gemini, settings) = all("gemini");
    assert!(gemini.contains("read_file,mcp_exa_free\""), "{gemini}");
    assert!(
        settings.contains(r#"\"mcp\":{\"allowed\":[\"exa\"]}"#),
        "{settings}"
    );
    let (copilot, _) = all("copilot");
    assert!(
        copilot.contains("--available-tools=view,exa-free,exa-asked,exa-plain"),
        "{copilot}"
    );
    assert!(
        copilot.contains("--allow-tool=read,exa(free)") && copilot.contains("exa(gone)"),
        "{copilot}"
    );
    let (_, opencode) = all("opencode");
    for part in [
        r#"\"exa_free\":\"allow\""#,
        r#"\"exa_asked\":\"ask\""#,
        r#"\"exa_gone\":\"deny\""#,
        r#"\"exa_plain\":\"ask\""#,
    ] {
        assert!(opencode.contains(part), "{part}: {opencode}");
    }
    let shown = place.run(&["phases", "show", "p", "--agent", "claude"], "");
    let verdicts = shown
        .expect_code(0)
        .at("/handed_on")
        .items()
        .expect("a list");
    let verdicts: Vec<_> = verdicts
        .iter()
        .filter_map(|tool| tool.get("verdict")?.as_str().map(str::to_owned))
        .collect();
    assert_eq!(verdicts, ["allow", "ask", "deny", "ask"]);
}

/// A phase without tools of its own: the flags of the mode, as they are written.
#[test]
fn a_phase_without_tools_falls_back_to_the_flags_of_the_mode() {
    let place = place(EARLIER);
    let plan = ["agents", "command", "--phase", "plan", "--agent", "claude"];
    let with = |more: &[&str]| place.run(&[&plan[..], more].concat(), "");
    let mode = with(&["--profile", "plan"]);
    let expected = [
        "claude",
        "-p",
        "--model",
        "claude-sonnet",
        "--think",
        "--allowedTools",
        "Read,Task",
    ];
    assert_eq!(argv(&mode), expected);
    assert!(
        mode.stderr.contains("the phase sets no tools"),
        "{}",
        mode.stderr
    );
    // Without a mode, or with another one, the tools of the role and reading only.
    for more in [&[][..], &["--profile", "other"]] {
        let words = argv(&with(more));
        assert!(
            words.contains(&"plan".to_owned()) && words.contains(&"--tools".to_owned()),
            "{words:?}"
        );
    }
    // A phase with tools translates, whatever the mode says.
    let research = [
        "agents",
        "command",
        "--phase",
        "research",
        "--agent",
        "claude",
        "--profile",
        "plan",
    ];
    let words = argv(&place.run(&research, ""));
    assert!(
        words.contains(&"--think".to_owned()) && !words.contains(&"Read,Task".to_owned()),
        "{words:?}"
    );
}

#[test]
fn agents_of_an_earlier_system_that_cannot_be_meant_are_refused() {
    for (table, expected) in [
        (
            "[agents.x]\nbinary = \"x\"",
            "`agents.x` needs its `stream_format`",
        ),
        ("[agents.claude]\nmodel = \"m\"", "binary"),
        (
            "[agents.claude]\nbinary = \"c\"\n[cli.claude]\nbinary = \"d\"",
            "keep one",
        ),
        (
            "[agents.claude]\nbinary = \"c\"\nflags = { \"--bad\" = [] }",
            "no name for a profile",
        ),
        (
            "[agents.claude]\nbinary = \"c\"\nstream_format = \"xml\"",
            "expected one of `claude`",
        ),
        (
            "[agents.claude]\nbinary = \"c\"\nbinry = \"c\"",
            "unknown key `binry`",
        ),
        (
            "[agents.claude]\nbinary = \"c\"\nenv_passlist = [\"(\"]",
            "no pattern",
        ),
        (
            "[agents.claude]\nname = \"other\"\nbinary = \"c\"",
            "is that of its table",
        ),
    ] {
        let place = place(&format!("version = 1\n{table}\n"));
        let checked = place.run(&["check"], "");
        assert_eq!(checked.code, 2, "{table}");
        assert!(
            checked.stderr.contains(expected),
            "{expected}: {}",
            checked.stderr
        );
    }
}

const RESEARCHER: &str = "---\ntools: [read_file, google_search, TodoWrite, calculate]\nlimits: {max_turns: 2}\ndescriptions:\n  read_file: Reads a source of the report.\n---\n# System Prompt\n{{tool_descriptions}}\n";

/// Tools of providers are listed, shown, exported and offered as such, and never run here.
#[test]
fn tools_of_a_provider_are_named_everywhere_and_run_nowhere() {
    let place = place("version = 1\n");
    place.write("agents/r.md", RESEARCHER);
    let listed = place.run(&["tools", "list", "--agent", "r"], "");
    let rows = listed.expect_code(0).json().items().expect("a list");
    let row = rows
        .iter()
        .find(|row| row.get("id") == Some(&Value::from("google_search")));
    assert_eq!(
        row.expect("listed").get("source"),
        Some(&Value::from("provider"))
    );
    let text = place
        .run_as_typed(&["tools", "list", "--agent", "r", "--output", "human"], "")
        .stdout;
    assert!(
        text.contains("run elsewhere") && text.contains("google_search"),
        "{text}"
    );
    assert!(
        text.contains("TodoWrite") && text.contains("(command line)"),
        "{text}"
    );
    let shown = place.run(&["tools", "show", "google_search"], "");
    assert_eq!(shown.expect_code(0).at("/source"), Value::from("provider"));
    let export = |format: &str| {
        place
            .run_as_typed(&["tools", "export", "--format", format, "--agent", "r"], "")
            .stdout
    };
    assert!(export("gemini").contains("\"googleSearch\": {}"));
    assert!(!export("openai").contains("oogle"));
    assert!(export("markdown").contains("## google_search"));
    let called = place.run(&["call", "--agent", "r", "google_search"], "{}");
    assert_eq!(code(&called), "unknown_tool");
    assert!(
        called.stdout.contains("the provider google runs it"),
        "{}",
        called.stdout
    );
    // A layer that denies the network hides it everywhere.
    place.write(
        "mathchain.toml",
        "version = 1\n[[policies]]\nlevel = \"global\"\ndeny = [\"effect:network_access\"]\n",
    );
    assert!(!export("gemini").contains("googleSearch"));
    let listed = place.run(&["tools", "list", "--agent", "r"], "");
    assert!(
        !listed.stdout.contains("google_search"),
        "{}",
        listed.stdout
    );
}

/// The lines of a session with some events.
fn session(place: &Place, args: &[&str], events: &[&str]) -> Vec<Value> {
    let args = [&["session"], args].concat();
    let answer = place.run(&args, &(events.join("\n") + "\n"));
    let lines = answer.expect_code(0).stdout.lines();
    lines
        .map(|line| mathchain::parse_json(line).expect("JSON"))
        .collect()
}

fn of_kind<'a>(lines: &'a [Value], kind: &str) -> Vec<&'a Value> {
    let fits = |line: &&Value| line.get("type") == Some(&Value::from(kind));
    lines.iter().filter(fits).collect()
}

#[test]
fn a_session_counts_turns_and_offers_what_runs_elsewhere() {
    let place = place("version = 1\n");
    place.write("agents/r.md", RESEARCHER);
    let call = r#"{"type":"calls.observed","calls":[{"call_id":"CALL","tool":"calculate","args":{"expression":"1"}}]}"#;
    let [first, second, third] = ["a", "b", "c"].map(|id| call.replace("CALL", id));
    let request = r#"{"type":"run.requested"}"#;
    let provider = first.replace("calculate", "google_search");
    let lines = session(
        &place,
        &["--agent", "r"],
        &[
            request,
            &provider,
            &second,
            &third,
            request,
            r#"{"type":"turn.ended"}"#,
        ],
    );
    let asked = of_kind(&lines, "generate.requested");
    assert_eq!(
        asked.len(),
        3,
        "two turns of the first run, and one of the second"
    );
    assert_eq!(asked[0].get("max_turns"), Some(&Value::from(2_i64)));
    let elsewhere = asked[0].get("elsewhere").expect("there");
    assert_eq!(
        to_text(elsewhere),
        r#"[{"name":"google_search","source":"provider","decision":"allow"},{"name":"TodoWrite","source":"command line","decision":"allow"}]"#
    );
    let settled = of_kind(&lines, "batch.settled");
    assert_eq!(settled.len(), 2, "the third call has no run");
    assert!(
        to_text(settled[0]).contains("unknown_tool"),
        "{}",
        to_text(settled[0])
    );
    let ended = of_kind(&lines, "run.ended");
    assert_eq!(ended[0].get("status"), Some(&Value::from("failed")));
    let reason = ended[0]
        .get("reason")
        .and_then(Value::as_str)
        .expect("a reason");
    assert!(reason.contains("its limit of 2 turns"), "{reason}");
    // The log replays, the limit with it.
    let log: String = lines.iter().map(|line| to_text(line) + "\n").collect();
    place.run(&["session", "replay", "-"], &log).expect_code(0);
    // Without agent and phase nothing is counted.
    let free = session(&place, &[], &[request]);
    assert_eq!(
        of_kind(&free, "generate.requested")[0].get("max_turns"),
        None
    );
}

#[test]
fn a_phase_limits_the_turns_of_its_sessions() {
    let place = place(&PHASES.replace("max_turns = 9", "max_turns = 1"));
    let request = r#"{"type":"run.requested"}"#;
    let call = r#"{"type":"calls.observed","calls":[{"call_id":"a","tool":"calculate","args":{"expression":"1"}}]}"#;
    let lines = session(&place, &["--phase", "look"], &[request, call]);
    let ended = of_kind(&lines, "run.ended");
    assert!(
        to_text(ended[0]).contains("its limit of 1 turns"),
        "{}",
        to_text(ended[0])
    );
    // The default of a phase; 0 is no limit.
    let lines = session(&place, &["--phase", "impl"], &[request]);
    assert_eq!(
        of_kind(&lines, "generate.requested")[0].get("max_turns"),
        Some(&Value::from(25_i64))
    );
    place.write(
        "mathchain.toml",
        &PHASES.replace("max_turns = 9", "max_turns = 0"),
    );
    let lines = session(&place, &["--phase", "look"], &[request]);
    assert_eq!(
        of_kind(&lines, "generate.requested")[0].get("max_turns"),
        None
    );
}

/// An agent's own description of a tool: what its model reads, and no change of the tool.
#[test]
fn an_agent_has_its_own_descriptions_of_tools() {
    let config = "version = 1\n[[phases]]\nname = \"p\"\nagents = [\"r\", \"codex\"]\n[phases.tools]\ninternal = [\"read_file\", \"calculate\"]\ndescriptions = { calculate = \"For figures.\" }\n[phases.agent_tools.r]\ndescriptions = { calculate = \"For every figure of the report.\" }\n";
    let place = place(config);
    place.write("agents/r.md", RESEARCHER);
    let described = |args: &[&str], tool: &str| {
        let args = [&["tools", "export", "--format", "mcp"], args].concat();
        let listed = place.run_as_typed(&args, "");
        let tools = listed.expect_code(0).at("/tools").items().expect("tools");
        let found = tools
            .iter()
            .find(|one| one.get("name") == Some(&Value::from(tool)));
        let found = found.unwrap_or_else(|| panic!("no {tool}"));
        let text = found
            .get("description")
            .and_then(Value::as_str)
            .expect("a text");
        (
            text.to_owned(),
            to_text(found.get("inputSchema").expect("a schema")),
        )
    };
    let (own, schema) = described(&["--agent", "r"], "read_file");
    assert!(own.starts_with("Reads a source of the report."), "{own}");
    let (usual, usual_schema) = described(&[], "read_file");
    assert!(!usual.contains("report"), "{usual}");
    assert_eq!(schema, usual_schema);
    let in_phase = ["--phase", "p", "--agent"];
    let (of_agent, _) = described(&[&in_phase[..], &["r"]].concat(), "calculate");
    assert!(
        of_agent.starts_with("For every figure of the report."),
        "{of_agent}"
    );
    let (of_phase, _) = described(&[&in_phase[..], &["codex"]].concat(), "calculate");
    assert!(of_phase.starts_with("For figures."), "{of_phase}");
    let (of_file, _) = described(&[&in_phase[..], &["r"]].concat(), "read_file");
    assert!(
        of_file.starts_with("Reads a source of the report."),
        "{of_file}"
    );
    // The list of the server, and what the prompt says.
    let args = ["serve", "--mcp", "--catalog", "full", "--agent", "r"].map(str::to_owned);
    let listed = served(&place, &args, &[r#""method":"tools/list","params":{}"#]);
    assert!(to_text(&listed[0]).contains("Reads a source of the report."));
    let prompt = place.run(&["agents", "show", "r", "--prompt"], "");
    assert!(
        prompt
            .stdout
            .contains("`read_file`: Reads a source of the report."),
        "{}",
        prompt.stdout
    );
    for (descriptions, expected) in [
        ("{read_fil: x}", "no tool named `read_fil`"),
        ("{grep: x}", "`grep`, which the agent does not list"),
        ("{google_search: x}", "runs elsewhere"),
        ("{read_file: ''}", "1 to 1000 characters"),
        (
            &format!("{{read_file: {}}}", "x".repeat(1001)),
            "found 1001",
        ),
    ] {
        let text = RESEARCHER.replace(
            "\n  read_file: Reads a source of the report.",
            &format!(" {descriptions}"),
        );
        place.write("agents/r.md", &text);
        let checked = place.run(&["agents", "check"], "");
        assert_eq!(checked.code, 2, "{descriptions}");
        assert!(
            checked.stderr.contains(expected),
            "{expected}: {}",
            checked.stderr
        );
    }
}

/// The example of docs/guidelines.md is an agent file without remarks.
#[test]
fn the_example_of_the_guidelines_checks_cleanly() {
    const PAGE: &str = include_str!("../../../docs/guidelines.md");
    let example = PAGE.split_once("```markdown\n").expect("the example").1;
    let example = example.split_once("\n```\n").expect("its end").0;
    let place = place("version = 1\n");
    place.write("agents/release_reader.md", &(example.to_owned() + "\n"));
    let checked = place.run(&["agents", "check"], "");
    let agents = checked.expect_code(0).json().items().expect("a list");
    assert_eq!(to_text(agents[0].get("notes").expect("there")), "[]");
    let tools = agents[0]
        .get("tools")
        .expect("there")
        .items()
        .expect("a list");
    let guidelines = example
        .split_once("## Tool usage guidelines")
        .expect("the section")
        .1;
    for tool in tools.iter().filter_map(Value::as_str) {
        assert!(
            guidelines.contains(&format!("`{tool}`")),
            "no line about {tool}"
        );
    }
}

/// Roles and tools in the layouts of earlier systems, through the program.
#[test]
fn roles_and_indices_of_earlier_systems_load_through_the_program() {
    let place = place(
        "version = 1\n[files]\nroles = [\"roles/index.yaml\"]\ntools = [\"tools/categories.yaml\", \"tools/index.yaml\"]\n",
    );
    place.write("roles/index.yaml", "roles:\n  - id: reader\n    name: Reader\n    toolIds: [read_file, list_files, task:begin]\n    createdAt: 2025-12-01T09:00:00.000Z\n");
    place.write("tools/categories.yaml", "categories:\n  - id: filesystem\n    name: Files\n    order: 1\n  - id: task\n    name: Tasks\n    order: 2\n");
    let index = "generatedAt: 2025-12-14T17:30:00.000Z\ntools:\n  - id: task:begin\n    name: Task Begin\n    category: task\n    mutates: true\n    parameters:\n      {\n        \"type\": \"object\"\n      }\n    roles: [implementer]\n";
    place.write("tools/index.yaml", index);
    let checked = place.run(&["check"], "");
    checked.expect_code(0);
    let notes = format!("{}{}", checked.stdout, checked.stderr);
    assert!(
        notes.contains("tools that do not exist here: `task:begin`"),
        "{notes}"
    );
    let listed = place.run(&["tools", "list", "--role", "reader"], "");
    let ids = listed.json().items().expect("a list");
    let ids: Vec<_> = ids
        .iter()
        .filter_map(|tool| tool.get("id")?.as_str().map(str::to_owned))
        .collect();
    assert_eq!(ids, ["read_file", "list_directory"]);
    place.write(
        "tools/index.yaml",
        &index.replace("category: task", "category: tsk"),
    );
    let wrong = place.run(&["check"], "");
    assert_eq!(wrong.code, 2);
    assert!(
        wrong.stderr.contains("did you mean `task`?"),
        "{}",
        wrong.stderr
    );
    // Our own index is one of theirs.
    let own = place.run_as_typed(&["tools", "export", "--format", "index"], "");
    assert_eq!(own.code, 2, "the configuration is wrong");
    place.write("tools/index.yaml", index);
    let own = place.run_as_typed(&["tools", "export", "--format", "index"], "");
    place.write(
        "tools/index.yaml",
        &(own.expect_code(0).stdout.clone() + &index[index.find("  - id").expect("a tool")..]),
    );
    place.write("tools/categories.yaml", "categories: [{id: task}]\n");
    place.run(&["check"], "").expect_code(0);
}

/// The phase of an earlier system for research: it reads the web, and its author sees what does not work.
#[test]
fn a_research_phase_reads_the_web_and_check_names_what_is_hidden() {
    let place = place(
        "version = 1\n[[phases]]\nname = \"research\"\nagents = [\"claude\"]\nprompt = \"x\"\n[phases.tools]\ninternal = [\"Read\", \"WebSearch\", \"Write\"]\nmcp = [\"mcp__exa__search\"]\npermission = \"read-only\"\n",
    );
    let shown = place.run(
        &["phases", "show", "research", "--agent", "claude", "--json"],
        "",
    );
    let tools = shown.expect_code(0).at("/tools");
    let tools = tools.items().expect("a list");
    let verdict = |name: &str| {
        let row = tools.iter().find(|row| row.text("tool") == Some(name));
        row.and_then(|row| row.text("verdict").map(str::to_owned))
    };
    assert_ne!(verdict("web_search").as_deref(), Some("hidden"));
    assert_eq!(verdict("write_file").as_deref(), Some("hidden"));
    let checked = place.run(&["check", "--json"], "");
    let warnings = to_text(&checked.expect_code(0).at("/warnings"));
    assert!(
        warnings.contains("the phase `research` names `Write`") && !warnings.contains("WebSearch"),
        "{warnings}"
    );
    let dry = place.run(&["pipeline", "run", "mathchain.toml", "--dry-run"], "");
    assert!(dry.stdout.contains("web_search"), "{}", dry.stdout);
    assert!(dry.stdout.contains("names `Write`"), "{}", dry.stdout);
}

/// Phases as an earlier system printed them: codex may write, since its own table says so.
#[test]
#[expect(clippy::disallowed_methods, reason = "a test looks at its own files")]
fn the_phases_of_an_earlier_system_run_as_printed() {
    let place = place(
        r#"version = 1
[toolsets.code-analysis]
internal = ["Read", "Glob", "Grep", "Agent"]
mcp = ["mcp__tavily__tavily_search"]
[[phases]]
name = "audit"
agents = ["claude", "codex"]
prompt = "look"
[phases.tools]
toolset = "code-analysis"
permission = "read-only"
max_turns = 50
[phases.agent_tools.codex]
permission = "workspace-write"
max_turns = 30
"#,
    );
    let dry = place.run(&["pipeline", "run", "mathchain.toml", "--dry-run"], "");
    dry.expect_code(0);
    assert!(
        dry.stdout.contains("`apply_patch` stays visible")
            && dry.stdout.contains("was set for this agent"),
        "{}",
        dry.stdout
    );
    // Where only the phase grants it, the author of the agent's table did not ask for it.
    let config = std::fs::read_to_string(place.path("work/mathchain.toml")).expect("reads");
    let config = config.replace(
        "permission = \"read-only\"",
        "permission = \"workspace-write\"",
    );
    let config = config.replace(
        "[phases.agent_tools.codex]\npermission = \"workspace-write\"\n",
        "[phases.agent_tools.codex]\n",
    );
    place.write("mathchain.toml", &config);
    let refused = place.run(&["pipeline", "run", "mathchain.toml", "--dry-run"], "");
    assert_eq!(refused.code, 2, "{}", refused.stdout);
}

#[test]
fn a_profile_means_the_same_in_a_pipeline_and_at_the_command_line() {
    let place = place(
        "version = 1\n[agents.claude]\nname = \"claude\"\nbinary = \"claude\"\n[agents.claude.flags]\nfix = [\"--think\", \"--allowedTools\", \"Bash\"]\n[[phases]]\nname = \"p\"\nagents = [\"claude\"]\nprompt = \"x\"\nflag_profile = \"fix\"\n",
    );
    let command = place.run(
        &[
            "agents",
            "command",
            "--agent",
            "claude",
            "--phase",
            "p",
            "--profile",
            "fix",
        ],
        "",
    );
    let command = to_text(&command.expect_code(0).at("/argv"));
    assert!(
        command.contains(r#""--think","--allowedTools","Bash""#),
        "{command}"
    );
    let dry = place.run(&["pipeline", "run", "mathchain.toml", "--dry-run"], "");
    dry.expect_code(0);
    assert!(
        dry.stdout.contains("--allowedTools") && !dry.stdout.contains("--permission-mode"),
        "{}",
        dry.stdout
    );
    assert!(
        dry.stdout.contains("are passed as they are"),
        "{}",
        dry.stdout
    );
}

#[test]
fn a_broken_agent_file_is_its_own_fault_only() {
    let place = place("version = 1\n");
    let agent = |name: &str, tools: &str| {
        format!(
            "---\nname: {name}\ndescription: d\ntools: [{tools}]\n---\n# System Prompt\nx\n# User Prompt\ny\n"
        )
    };
    place.write(
        "agents/good.md",
        &agent("good", "read_file, delegate_to_agent"),
    );
    place.write("agents/bad.md", &agent("bad", "read_file, no_such_thing"));
    let listed = place.run(&["tools", "list", "--agent", "good", "--json"], "");
    let listed = listed.expect_code(0);
    assert!(listed.stdout.contains("spawn_agent"), "{}", listed.stdout);
    place.write("a.txt", "x");
    let called = place.run(
        &["call", "--agent", "good", "read_file"],
        r#"{"path": "a.txt"}"#,
    );
    called.expect_code(0);
    let refused = place.run(
        &["call", "--agent", "bad", "read_file"],
        r#"{"path": "a.txt"}"#,
    );
    assert_ne!(refused.code, 0);
    assert!(
        refused.stdout.contains("no_such_thing"),
        "{}",
        refused.stdout
    );
    let checked = place.run(&["check"], "");
    assert_eq!(checked.code, 2);
    let errors = checked.stdout.clone() + &checked.stderr;
    assert!(errors.contains("bad.md") && errors.len() < 1500, "{errors}");
    place.run(&["agents", "check", "good"], "").expect_code(0);
}

/// Names of earlier systems are answered with the tool that does it.
#[test]
fn names_of_earlier_systems_lead_to_the_tool() {
    let place = place("version = 1\n");
    let task = place.run(
        &["call", "task_create"],
        r#"{"subject": "x", "description": "y"}"#,
    );
    let hint = task.at("/error/hint");
    assert_eq!(hint, Value::from("`todo_create` takes these arguments"));
    let fetch = place.run(&["call", "web_fetch"], "{}");
    assert_eq!(fetch.at("/metadata/tool"), Value::from("fetch_docs"));
}
