use proptest::prelude::*;
use tool_core::Value;

use registry::ToolAliases;
use registry::agents::ToolName;
use registry::document::{self, DocumentFormat};
use registry::model::Verdict;
use registry::model::*;

use super::*;

const CASES: &str = include_str!("../../../tests/conformance/agent_cli.yaml");

fn tool(name: &str, verdict: Verdict) -> CliTool {
    let name = name.to_owned();
    let tool = if name.starts_with("mcp__") {
        ToolName::External(name)
    } else if ToolAliases::built_in().provider_tool(&name).is_some() {
        ToolName::Provider(name)
    } else {
        ToolName::Tool(name)
    };
    CliTool {
        tool,
        verdict,
        is_counted: false,
    }
}

/// The built-in table of a name with further fields, in YAML.
fn with(name: &str, fields: &str) -> CliSpec {
    CliSpec::parse_file(
        "x.yaml",
        &format!("version: 1\nclis: {{{name}: {fields}}}\n"),
    )
    .unwrap_or_else(|errors| panic!("{errors}"))
    .remove(0)
}

fn run(
    cli: &CliSpec,
    tools: &[(&str, Verdict)],
    permission: Confinement,
) -> Result<CliArgs, String> {
    let tools: Vec<CliTool> = tools
        .iter()
        .map(|(name, verdict)| tool(name, *verdict))
        .collect();
    let request = CliRequest {
        tools: Some(&tools),
        permission,
        ..CliRequest::default()
    };
    translate_cli_request(cli, ToolAliases::built_in(), &request)
        .map_err(|problems| problems.join("\n"))
}

fn answer(given: &Value) -> Result<CliArgs, String> {
    let name = given.get("cli").unwrap().as_str().unwrap();
    let fields = given
        .pointer("/table")
        .map_or("{}".to_owned(), |table| tool_core::json::to_text(&table));
    let cli = with(name, &fields);
    let text = |key: &str| {
        given
            .pointer(key)
            .and_then(|value| value.as_str().map(str::to_owned))
    };
    let permission = text("/permission").unwrap_or("read-only".to_owned());
    let permission = Confinement::parse(&permission)
        .ok_or_else(|| format!("no permission named `{permission}`"))?;
    let tools: Option<Vec<CliTool>> = given.pointer("/tools").map(|tools| {
        let tools = tools.as_object().unwrap().clone();
        let verdict = |value: &Value| Verdict::parse(value.as_str().unwrap()).unwrap();
        tools
            .iter()
            .map(|(name, value)| tool(name, verdict(value)))
            .collect()
    });
    let profile = text("/profile");
    let words = |list: Value| -> Vec<String> {
        let words = list.items().unwrap();
        words
            .iter()
            .map(|word| word.as_str().unwrap().to_owned())
            .collect()
    };
    let server = given.pointer("/server").map(words);
    let request = CliRequest {
        tools: tools.as_deref(),
        permission,
        permission_is_own: false,
        reads_output: false,
        max_turns: given
            .pointer("/max_turns")
            .and_then(|turns| turns.as_i64())
            .map_or(0, |turns| u64::try_from(turns).unwrap()),
        profile: profile.as_deref(),
        prompt: None,
        server: server.as_ref().map(|argv| ServerStart {
            argv,
            file: "mcp.json",
        }),
        words: &[],
    };
    translate_cli_request(&cli, ToolAliases::built_in(), &request)
        .map_err(|problems| problems.join("\n"))
}

/// The cases of the earlier system, as data.
#[test]
fn the_cases_of_the_earlier_system_hold() {
    let document = document::parse_document("agent_cli.yaml", CASES, DocumentFormat::Yaml).unwrap();
    let cases = document.value.get("cases").unwrap().items().unwrap();
    assert_eq!(cases.len(), 34);
    for case in cases {
        let id = case.get("id").unwrap().as_str().unwrap().to_owned();
        let answer = answer(case.get("given").unwrap());
        if let Some(expected) = case.pointer("/expect/error") {
            let problems = answer.expect_err(&id);
            let expected = expected.as_str().unwrap();
            assert!(
                problems.contains(expected),
                "{id}: no {expected:?} in {problems}"
            );
            continue;
        }
        let args = answer.unwrap_or_else(|problems| panic!("{id}: {problems}"));
        let expected: Vec<Value> = case
            .get("expect")
            .unwrap()
            .get("argv")
            .unwrap()
            .items()
            .unwrap();
        let expected: Vec<&str> = expected.iter().map(|item| item.as_str().unwrap()).collect();
        assert_eq!(args.argv, expected, "{id}");
        let expected = case
            .pointer("/expect/warnings")
            .and_then(|list| list.items())
            .unwrap_or_default();
        assert_eq!(
            args.warnings.len(),
            expected.len(),
            "{id}: {:?}",
            args.warnings
        );
        for (warning, expected) in args.warnings.iter().zip(&expected) {
            assert!(
                warning.contains(expected.as_str().unwrap()),
                "{id}: {warning}"
            );
        }
        if let Some(expected) = case.pointer("/expect/config") {
            assert_eq!(
                args.config.as_ref().unwrap().text,
                expected.as_str().unwrap(),
                "{id}"
            );
        }
        let expected = case.pointer("/expect/mcp_config");
        let expected = expected.as_ref().and_then(Value::as_str);
        let found = args.mcp_config.as_ref();
        assert_eq!(found.map(|file| file.text.as_str()), expected, "{id}");
        assert!(found.is_none_or(|file| file.file == "mcp.json"), "{id}");
        let counted = case
            .pointer("/expect/count_turns")
            .and_then(|turns| turns.as_i64());
        assert_eq!(args.count_turns.map(|turns| turns as i64), counted, "{id}");
    }
}

#[test]
fn the_built_in_tables_agree_with_the_names_of_tools() {
    let known = |name: &str| CliSpec::of_name(name).is_some();
    assert!(ToolAliases::built_in().clis().all(known));
    for cli in CliSpec::built_in() {
        // What the aliases do not say, the table itself says.
        let aliased = |tool: &&String| !cli.native.contains_key(*tool);
        for tool in cli.tools.iter().filter(aliased) {
            let id = ToolAliases::built_in().of_native(&cli.name, tool);
            let id = id.unwrap_or_else(|| panic!("{}: `{tool}` stands for none of ours", cli.name));
            assert_eq!(
                ToolAliases::built_in().native(&cli.name, id),
                Some(tool.as_str())
            );
        }
        let known = |tool: &String| cli.tools.contains(tool);
        assert!(
            cli.kinds.keys().all(known) && cli.visibility.off.keys().all(known),
            "{}",
            cli.name
        );
        assert!(cli.approval.never_asks.iter().all(known), "{}", cli.name);
        for permission in Confinement::ALL {
            let sandbox = &cli.sandbox[permission];
            assert!(sandbox.unenforced.keys().all(known), "{}", cli.name);
        }
        for flag in cli
            .output
            .iter()
            .chain(&cli.turns)
            .chain(&cli.visibility.args)
        {
            let flag = flag.split('=').next().unwrap();
            let managed = !flag.starts_with('-') || cli.managed.contains_key(flag);
            assert!(managed, "{}: a profile could set {flag} again", cli.name);
        }
    }
}

/// A tool that is denied is hidden, one that asks is visible and not approved, for every command line.
#[test]
fn what_is_denied_is_hidden_and_what_asks_is_not_approved() {
    for cli in CliSpec::built_in() {
        let mut cli = cli.clone();
        cli.unenforced = Unenforced::Warn;
        let mut seen = Vec::new();
        for verdict in [Verdict::Allow, Verdict::Ask, Verdict::Deny] {
            let args = run(
                &cli,
                &[("run_shell", verdict), ("read_file", Verdict::Allow)],
                Confinement::FullAccess,
            )
            .unwrap();
            let file = args.config.map(|config| config.text).unwrap_or_default();
            seen.push(format!("{}\n{file}", args.argv.join(" ")));
        }
        assert!(
            seen[0] != seen[1] && seen[1] != seen[2] && seen[0] != seen[2],
            "{}: {seen:#?}",
            cli.name
        );
    }
}

#[test]
fn what_cannot_be_enforced_is_a_problem_or_a_warning() {
    use Confinement::{FullAccess, WorkspaceWrite};
    let problems = |name: &str, tools: &[(&str, Verdict)], permission| {
        run(CliSpec::of_name(name).unwrap(), tools, permission).unwrap_err()
    };
    assert_eq!(
        problems("claude", &[("read_file", Verdict::Ask)], FullAccess),
        "claude cannot enforce it: `Read` never asks there"
    );
    assert_eq!(
        problems("codex", &[("run_shell", Verdict::Allow)], WorkspaceWrite),
        "codex cannot enforce it: `apply_patch` stays visible: it cannot be switched off; only the sandbox `read-only` keeps it from writing"
    );
    assert_eq!(
        problems("opencode", &[("edit_file", Verdict::Allow)], FullAccess),
        "opencode cannot enforce it: `write` stays visible with `edit`: one setting, `edit`, is for both\n\
         opencode cannot enforce it: `apply_patch` stays visible with `edit`: one setting, `edit`, is for both"
    );
    let external = problems(
        "gemini",
        &[("mcp__exa__search", Verdict::Allow)],
        FullAccess,
    );
    assert!(
        external.contains("other tools of the server `exa`"),
        "{external}"
    );
    let asking = problems("gemini", &[("mcp__exa__search", Verdict::Ask)], FullAccess);
    assert!(
        asking.contains("`mcp_exa_search` never asks there: a server"),
        "{asking}"
    );
    // Calls of our own tools come back to this program, which hides and asks.
    assert!(
        run(
            CliSpec::of_name("gemini").unwrap(),
            &[("calculate", Verdict::Ask)],
            FullAccess
        )
        .is_ok()
    );
    let cli = with("codex", "{unenforced: warn}");
    let args = run(&cli, &[("run_shell", Verdict::Allow)], WorkspaceWrite).unwrap();
    assert!(
        args.warnings[0].contains("`apply_patch` stays visible"),
        "{:?}",
        args.warnings
    );
}

#[test]
fn tools_of_servers_are_spelled_as_each_command_line_has_them() {
    let tools = [
        ("calculate", Verdict::Allow),
        ("mcp__tavily__tavily_search", Verdict::Ask),
        ("mcp__tavily__extract", Verdict::Deny),
        ("google_search", Verdict::Allow),
        ("mcp__other__x", Verdict::Deny),
    ];
    let of = |name: &str| {
        let mut cli = CliSpec::of_name(name).unwrap().clone();
        cli.unenforced = Unenforced::Warn;
        run(&cli, &tools, Confinement::FullAccess).unwrap()
    };
    let claude = of("claude");
    let joined = claude.argv.join(" ");
    assert!(
        joined.contains(
            "--allowedTools mcp__mathchain__calculate --disallowedTools mcp__tavily__extract,mcp__other__x"
        ),
        "{joined}"
    );
    assert!(!joined.contains("--strict-mcp-config"));
    assert_eq!(
        claude.warnings,
        ["claude is not of the provider that runs `google_search` and does not get it"]
    );
    let codex = of("codex").argv.join(" ");
    for expected in [
        r#"mcp_servers.mathchain.enabled_tools=["calculate"]"#,
        r#"mcp_servers.tavily.enabled_tools=["tavily_search"]"#,
        "mcp_servers.other.enabled_tools=[]",
        r#"mcp_servers.mathchain.tools.calculate.approval_mode="approve""#,
        r#"mcp_servers.tavily.tools.tavily_search.approval_mode="prompt""#,
    ] {
        assert!(codex.contains(expected), "no {expected} in {codex}");
    }
    let copilot = of("copilot").argv.join(" ");
    assert!(
        copilot.contains("--available-tools=mathchain-calculate,tavily-tavily_search"),
        "{copilot}"
    );
    assert!(
        copilot.contains("--allow-tool=mathchain(calculate) --deny-tool=tavily(extract),other(x)"),
        "{copilot}"
    );
    let gemini = of("gemini");
    assert!(
        gemini
            .argv
            .join(" ")
            .contains("--allowed-tools mcp_mathchain_calculate,google_web_search"),
        "{:?}",
        gemini.argv
    );
    assert!(
        gemini
            .config
            .unwrap()
            .text
            .contains(r#""core":["google_web_search"]"#)
    );
    let opencode = of("opencode").config.unwrap().text;
    assert!(
        opencode.contains(
            r#""mathchain_calculate":"allow","tavily_tavily_search":"ask","tavily_extract":"deny""#
        ),
        "{opencode}"
    );
}

/// Two tools under one rule: the stricter verdict holds for both, and it is said.
#[test]
fn a_rule_for_two_tools_takes_the_stricter_verdict() {
    let cli = CliSpec::of_name("copilot").unwrap();
    let tools = [("write_file", Verdict::Allow), ("edit_file", Verdict::Ask)];
    let args = run(cli, &tools, Confinement::FullAccess).unwrap();
    assert!(
        !args.argv.iter().any(|arg| arg.starts_with("--allow-tool")),
        "{:?}",
        args.argv
    );
    assert_eq!(
        args.warnings,
        ["`create` needs approval too: the rule `write` covers it and a tool that needs approval"]
    );
}

#[test]
fn a_task_is_an_argument_or_comes_on_stdin_and_is_never_a_flag() {
    let start = |name: &str, fields: &str, prompt: Option<&str>| {
        let request = CliRequest {
            prompt,
            ..CliRequest::default()
        };
        translate_cli_request(&with(name, fields), ToolAliases::built_in(), &request)
            .map(|args| args.argv)
    };
    assert_eq!(
        start("codex", "{model: m1}", Some("say {model}")).unwrap(),
        ["codex", "exec", "say {model}", "--model", "m1"]
    );
    assert_eq!(
        start("codex", "{prompt_via: stdin}", Some("x")).unwrap(),
        ["codex", "exec", "-"]
    );
    assert_eq!(
        start("gemini", "{}", Some("--yolo")).unwrap(),
        ["gemini", "--prompt=--yolo"]
    );
    let problem = start("codex", "{}", Some("--yolo")).unwrap_err();
    assert!(
        problem[0].contains("would read a task that begins with `-` as a flag"),
        "{problem:?}"
    );
    assert!(start("gemini", "{}", Some("a\0b")).is_err());
}

#[test]
fn a_table_is_read_field_by_field_over_the_built_in_one() {
    let cli = with(
        "codex",
        "{model: m, sandbox: {read-only: {args: [-s, x]}}, approval: {none_ask: []}}",
    );
    let base = CliSpec::of_name("codex").unwrap();
    assert_eq!(cli.binary, "codex");
    assert_eq!(cli.sandbox[&Confinement::ReadOnly].args, ["-s", "x"]);
    assert_eq!(
        cli.sandbox[&Confinement::FullAccess],
        base.sandbox[&Confinement::FullAccess]
    );
    assert!(cli.approval.none_ask.is_empty());
    assert_eq!(cli.approval.some_ask, base.approval.some_ask);
}

/// A new command line is one table and no code.
#[test]
fn a_new_command_line_is_a_table() {
    let cli = with(
        "mine",
        "{binary: mine, native: {Look: read_file, Do: run_shell}, visibility: {args: [\"--only={visible}\"]}, approval: {allow: [\"--free={allow}\"]}, \
         sandbox: {read-only: {args: [--ro]}}, turns: [\"-n{turns}\"], prompt_argv: [\"{prompt}\"]}",
    );
    let tools = [
        tool("read_file", Verdict::Allow),
        tool("run_shell", Verdict::Ask),
        tool("plot", Verdict::Allow),
    ];
    let request = CliRequest {
        tools: Some(&tools),
        max_turns: 4,
        prompt: Some("go"),
        ..CliRequest::default()
    };
    let args = translate_cli_request(&cli, ToolAliases::built_in(), &request).unwrap();
    assert_eq!(
        args.argv,
        [
            "mine",
            "go",
            "--only=Look,Do,mcp__mathchain__plot",
            "--free=Look,mcp__mathchain__plot",
            "-n4",
            "--ro"
        ]
    );
    let problems = run(&cli, &[], Confinement::FullAccess).unwrap_err();
    assert_eq!(
        problems,
        "mine cannot enforce it: its table has nothing for `full-access`"
    );
    let bare = with(
        "bare",
        "{binary: bare, native: {Do: run_shell}, sandbox: {read-only: {}}}",
    );
    let tools = [
        ("read_file", Verdict::Ask), // our own server asks
        ("mcp__x__y", Verdict::Ask),
    ];
    let problems = run(&bare, &tools, Confinement::ReadOnly).unwrap_err();
    assert_eq!(
        problems,
        "bare cannot enforce it: `Do` stays visible: it cannot be hidden\n\
         bare cannot enforce it: `mcp__x__y` does not ask there"
    );
}

#[test]
fn what_is_wrong_with_a_table_is_said_where_it_stands() {
    let errors = CliSpec::parse_file(
        "x.yaml",
        "version: 1\nclis:\n  claud: {}\n  codex:\n    binry: x\n    env_policy: clear\n    turns: [\"{turn}\"]\n    managed: {s: one, -x: two}\n    \
         flags: {-bad: []}\n    sandbox: {readonly: {}}\n    config: {file: f, value: {a: [\"{nativ}\"]}}\n    visibility: {off: {shell: {harmless: [read]}}}\n",
    )
    .unwrap_err();
    let found: Vec<String> = errors.list().iter().map(ToString::to_string).collect();
    assert_eq!(
        found,
        [
            "x.yaml:5:5: unknown key `binry` (did you mean `binary`?)",
            "x.yaml:6:5: expected one of `inherit`, `filtered`, `clean`, found `clear` (did you mean `clean`?)",
            "x.yaml:8:23: expected one of `none`, `one`, `greedy`, found `two`",
            "x.yaml:10:15: unknown key `readonly` (did you mean `read-only`?)",
            "x.yaml:12:43: expected one of `read-only`, `workspace-write`, `full-access`, found `read`",
            "x.yaml:3:3: a command line needs its `binary`; did you mean the built-in `claude`?",
            "x.yaml:9:13: `-bad` is no name for a profile: letters, digits, `.`, `_` and `-`",
            "x.yaml:8:15: expected a flag, found `s`",
            "x.yaml:7:13: no placeholder `{turn}` (did you mean `turns`?)",
            "x.yaml:11:35: no placeholder `{nativ}` (did you mean `native`?)",
        ]
    );
}

/// What stands behind a flag, `--flag list` or `--flag=list`.
fn listed(args: &CliArgs, flag: &str) -> Vec<String> {
    let attached = format!("{flag}=");
    let mut words = args.argv.iter();
    while let Some(word) = words.next() {
        let value = match word.strip_prefix(&attached) {
            Some(value) => Some(value),
            None if word == flag => words.next().map(String::as_str),
            None => None,
        };
        if let Some(list) = value {
            return list.split(',').map(str::to_owned).collect();
        }
    }
    Vec::new()
}

/// Visible and allowed names, for the command lines that take them as lists.
fn visible_and_allowed(name: &str, args: &CliArgs) -> (Vec<String>, Vec<String>) {
    match name {
        "claude" => (listed(args, "--tools"), listed(args, "--allowedTools")),
        "copilot" => (
            listed(args, "--available-tools"),
            listed(args, "--allow-tool"),
        ),
        _ => {
            let text = &args.config.as_ref().unwrap().text;
            let value =
                tool_core::json::parse_json(text, tool_core::json::JsonLimits::default()).unwrap();
            let core = value.pointer("/tools/core").unwrap().items().unwrap();
            let names = core.iter().map(|name| name.as_str().unwrap().to_owned());
            (names.collect(), listed(args, "--allowed-tools"))
        }
    }
}

proptest! {
    /// Exactly what is not denied is visible, and only what is allowed runs without asking.
    #[test]
    fn lists_hold_what_the_verdicts_say(verdicts in proptest::collection::vec(0_usize..4, 8)) {
        let ours = ["read_file", "write_file", "edit_file", "run_shell", "web_search", "fetch_docs", "grep", "glob"];
        let tools: Vec<(&str, Verdict)> = ours
            .into_iter()
            .zip(&verdicts)
            .filter_map(|(name, verdict)| {
                let known = [Verdict::Allow, Verdict::Ask, Verdict::Deny];
                Some((name, *known.get(*verdict)?))
            })
            .collect();
        for name in ["claude", "copilot", "gemini"] {
            let cli = with(name, "{unenforced: warn}");
            let args = run(&cli, &tools, Confinement::FullAccess).unwrap();
            let (visible, allowed) = visible_and_allowed(name, &args);
            for id in ours {
                let native = ToolAliases::built_in().native(name, id).unwrap();
                let verdict = tools.iter().find(|(tool, _)| *tool == id).map(|(_, verdict)| *verdict);
                let shown = visible.iter().any(|tool| tool == native);
                prop_assert_eq!(shown, matches!(verdict, Some(Verdict::Allow | Verdict::Ask)), "{} {}", name, native);
                let rule = cli.kinds.get(native).map_or(native, String::as_str);
                if verdict == Some(Verdict::Ask) {
                    prop_assert!(!allowed.iter().any(|tool| tool == rule), "{} {}", name, native);
                }
            }
        }
    }

    /// What is left of a profile sets nothing that the agent's tools set, in the same order.
    #[test]
    fn nothing_managed_is_left_of_a_profile(
        tokens in proptest::collection::vec(
            prop_oneof![
                "(--yolo|--tools|-s|-a|-c|--config=approval_policy=x|sandbox_mode=x|--allow-all|--allowedTools=Bash|-sfull|--format)",
                "[a-z-]{0,6}",
            ],
            0..8,
        ),
    ) {
        for cli in CliSpec::built_in() {
            let (kept, taken) = managed::strip_managed_arguments(cli, &tokens);
            prop_assert_eq!(kept.len() + taken.len(), tokens.len());
            let mut rest = tokens.iter();
            prop_assert!(kept.iter().all(|word| rest.any(|token| token == word)));
            let (again, more) = managed::strip_managed_arguments(cli, &kept);
            prop_assert!(more.is_empty() && again == kept, "{}: {kept:?} leaves {more:?}", cli.name);
        }
    }
}

/// A tool of ours that a rule limits is called here: the program's own one, which nothing counts, does not take its place.
#[test]
fn a_counted_tool_is_never_that_of_the_program() {
    let cli = with("claude", "{}");
    let own = |is_counted: bool| {
        let tools = [CliTool {
            is_counted,
            ..tool("write_file", Verdict::Allow)
        }];
        let server = ["mathchain".to_owned(), "serve".to_owned()];
        let request = CliRequest {
            tools: Some(&tools),
            permission: Confinement::WorkspaceWrite,
            server: Some(ServerStart {
                argv: &server,
                file: "mcp.json",
            }),
            ..CliRequest::default()
        };
        let args = translate_cli_request(&cli, ToolAliases::built_in(), &request);
        args.unwrap_or_else(|problems| panic!("{problems:?}"))
            .argv
            .join(" ")
    };
    assert!(
        !own(false).contains("mcp__mathchain__write_file"),
        "{}",
        own(false)
    );
    assert!(
        own(true).contains("mcp__mathchain__write_file"),
        "{}",
        own(true)
    );
}
