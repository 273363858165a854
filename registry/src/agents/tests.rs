use std::collections::BTreeMap;

use proptest::prelude::*;
use tool_core::Value;

use super::*;
use crate::aliases::ToolAliases;
use crate::catalogue::Catalogue;
use crate::document::{self, DocumentFormat};
use crate::fakes::twelve;
use crate::model::Config;
use crate::model::{Level, Principal, Verdict};
use crate::policy::Policy;

const CASES: &str = include_str!("../../../tests/conformance/agents.yaml");

/// Names that mean the fakes.
fn aliases() -> ToolAliases {
    let text = "version: 1\naliases: {execute_command: run_shell, host.fs.read_file: read_file, gone: not_there}\n\
                native:\n  claude: {tools: {Read: read_file, Bash: run_shell}}\n  other: {tools: {view: read_file}}\n  third: {tools: {view: write_file}}\n\
                provider:\n  google_search: {provider: google, category: web, effects: [network_access], description: searches}\n";
    ToolAliases::parse("aliases.yaml", text).unwrap()
}

fn check_with(
    catalogue: &Catalogue,
    config: &Config,
    text: &str,
) -> Result<AgentCheckResult, LoadErrors> {
    let agent = AgentFile::parse("agents/a.md", text)?;
    AgentChecker::new(catalogue, config, &aliases()).check(&agent)
}

fn check(text: &str) -> Result<AgentCheckResult, LoadErrors> {
    check_with(&twelve(), &Config::default(), text)
}

fn errors(text: &str) -> Vec<String> {
    check(text)
        .unwrap_err()
        .list()
        .iter()
        .map(ToString::to_string)
        .collect()
}

fn names(checked: &AgentCheckResult) -> Vec<&str> {
    checked.selection.iter().map(ToolName::name).collect()
}

fn notes(checked: &AgentCheckResult) -> Vec<String> {
    checked.notes.iter().map(ToString::to_string).collect()
}

/// The cases of the earlier system, as data.
#[test]
fn the_cases_of_the_earlier_system_hold() {
    let document = document::parse_document("agents.yaml", CASES, DocumentFormat::Yaml).unwrap();
    let cases = document.value.get("cases").unwrap().items().unwrap();
    assert_eq!(cases.len(), 11);
    for case in cases {
        let id = case.get("id").unwrap().as_str().unwrap().to_owned();
        let text = |pointer: &str| {
            case.pointer(pointer)
                .and_then(|value| value.as_str().map(str::to_owned))
        };
        let file = text("/given/file").unwrap();
        let answer = AgentFile::parse(&file, &text("/given/text").unwrap()).and_then(|agent| {
            let checked =
                AgentChecker::new(&twelve(), &Config::default(), &aliases()).check(&agent)?;
            Ok((agent, checked))
        });
        if let Some(expected) = text("/expect/error") {
            let errors = answer.expect_err(&id);
            let shown = errors.to_string();
            assert!(
                shown.contains(&expected),
                "{id}: no {expected:?} in {shown}"
            );
            let line = errors.list()[0].place.as_ref().unwrap().line;
            assert_eq!(
                Some(i64::from(line)),
                case.get("expect").unwrap().get("line").unwrap().as_i64(),
                "{id}"
            );
            continue;
        }
        let (agent, checked) = answer.unwrap_or_else(|errors| panic!("{id}: {errors}"));
        let list =
            |values: &[&str]| Value::array(values.iter().map(|text| Value::from(*text)).collect());
        let variables: Vec<&str> = agent.variables.iter().map(String::as_str).collect();
        for (key, found) in [
            ("name", Value::from(agent.name.as_str())),
            ("description", Value::from(agent.head.description.as_str())),
            ("system", Value::from(agent.system_prompt.as_str())),
            ("user", Value::from(agent.user_prompt.as_str())),
            ("variables", list(&variables)),
            ("tools", list(&names(&checked))),
        ] {
            if let Some(expected) = case.pointer(&format!("/expect/{key}")) {
                assert_eq!(found, expected, "{id}: {key}");
            }
        }
    }
}

#[test]
fn every_way_to_name_a_tool_resolves_in_the_order_of_the_list() {
    let checked = check(
        "---\ntools:\n- write_file\n- execute_command\n- mcp__tavily__tavily_search\n- google_search\n- host.fs.read_file\n\
         - Read\n- mcp__mathchain__plot\n- group:math\n- web_*\n---\n# System Prompt\nx\n",
    )
    .unwrap();
    assert_eq!(
        names(&checked),
        [
            "write_file",
            "run_shell",
            "mcp__tavily__tavily_search",
            "google_search",
            "read_file",
            "plot",
            "calculate",
            "web_fetch",
            "web_search",
        ]
    );
    assert_eq!(
        checked.selection[2],
        ToolName::External("mcp__tavily__tavily_search".into())
    );
    assert_eq!(
        checked.selection[3],
        ToolName::Provider("google_search".into())
    );
    assert_eq!(
        notes(&checked),
        [
            "agents/a.md:4:3: `execute_command` is the tool `run_shell` here",
            "agents/a.md:6:3: `google_search` is run by the provider `google`, never here",
            "agents/a.md:7:3: `host.fs.read_file` is the tool `read_file` here",
            "agents/a.md:8:3: `Read` is the tool `read_file` here",
            "agents/a.md:8:3: `read_file` is listed twice",
        ]
    );
    let allowed: Vec<&str> = checked.ids().collect();
    assert_eq!(allowed.len(), 7, "external and provider tools are not ours");
    assert_eq!(
        checked
            .tool_descriptions(&twelve())
            .lines()
            .collect::<Vec<_>>()[..4],
        [
            "- `write_file`: a fake",
            "- `run_shell`: a fake",
            "- `mcp__tavily__tavily_search`: a tool of another server",
            "- `google_search`: searches the web with Google while the model answers",
        ]
    );
}

#[test]
fn an_unknown_name_is_an_error_with_the_nearest() {
    let found = errors(
        "---\ntools:\n  - raed_file\n  - mcp__x\n  - mcp__mathchain__plott\n  - group:raed\n  - execute_comand\n  - gone\n  - view\nrole: operater\n---\n# System Prompt\nx\n",
    );
    assert_eq!(
        found,
        [
            "agents/a.md:3:5: agent `a`: no tool named `raed_file` (did you mean `read_file`?)",
            "agents/a.md:4:5: agent `a`: no tool named `mcp__x` (`mathchain tools search WORD` looks for tools, `mathchain tools list` lists them)",
            "agents/a.md:5:5: agent `a`: no tool named `mcp__mathchain__plott` (did you mean `plot`?)",
            "agents/a.md:6:5: no group named `raed` (did you mean `group:read`?)",
            "agents/a.md:7:5: agent `a`: no tool named `execute_comand` (did you mean `execute_command`?)",
            "agents/a.md:8:5: `gone` means `not_there`, and there is no such tool",
            "agents/a.md:9:5: agent `a`: no tool named `view` (`mathchain tools search WORD` looks for tools, `mathchain tools list` lists them)",
            "agents/a.md:10:1: no role named `operater` (did you mean `operator`?)",
        ]
    );
}

#[test]
fn unknown_keys_and_wrong_types_are_errors_where_they_stand() {
    let found = errors(
        "---\nname: b\ntool: [read_file]\ntemperature: 3\nmax_tokens: 0\nlimits: {max_turn: 3, timeout_ms: soon}\nvariables: [a b]\ntoolset: x\ntools: ~\n---\n",
    );
    assert_eq!(
        found,
        [
            "agents/a.md:2:1: the name is `b`, but the file is that of `a`",
            "agents/a.md:3:1: unknown key `tool` (did you mean `tools`?)",
            "agents/a.md:4:1: expected a number of at most 2, found 3.0",
            "agents/a.md:5:1: expected an integer of at least 1, found the integer 0",
            "agents/a.md:6:10: unknown key `max_turn` (did you mean `max_turns`?)",
            "agents/a.md:6:23: expected an integer of at least 1, found the string \"soon\"",
            "agents/a.md:7:1: `a b` is not a valid name of a variable: letters, digits and `_`",
            "agents/a.md:9:1: expected a list, found null (write one tool to a line after `- `; an empty list is `[]`)",
        ]
    );
}

#[test]
fn a_role_a_toolset_limits_and_a_policy_are_read() {
    let config = Config::parse(
        "mathchain.toml",
        "version = 1\n[toolsets.pair]\ninclude = [\"plot\", \"read_file\"]\n",
    )
    .unwrap();
    let text = "---\nname: a\ndescription: d\nmodel: any\nrole: worker_general\ntoolset: pair\nlimits: {max_turns: 7, timeout_ms: 9}\n\
                temperature: 0.5\nmax_tokens: 100\n---\n# System Prompt\nx\n";
    let agent = AgentFile::parse("agents/a.md", text).unwrap();
    assert_eq!(
        (agent.head.limits.max_turns, agent.head.limits.timeout_ms),
        (Some(7), Some(9))
    );
    assert_eq!(
        (agent.head.temperature, agent.head.max_tokens),
        (Some(0.5), Some(100))
    );
    assert_eq!(agent.head.model.as_deref(), Some("any"));
    let checked = check_with(&twelve(), &config, text).unwrap();
    assert_eq!(names(&checked), ["read_file", "plot"]);
    let wrong = check_with(&twelve(), &config, "---\ntoolset: pairs\n---\n").unwrap_err();
    assert_eq!(
        wrong.to_string(),
        "agents/a.md:2:1: no toolset named `pairs` (did you mean `pair`?)"
    );
}

/// The layer allows the list and nothing else; the agent's own policy narrows it further and never widens it.
#[test]
fn the_layer_is_exactly_the_list_and_its_policy() {
    let checked = check(
        "---\ntools: [read_file, write_file, execute_command, mcp__x__y]\npolicy:\n  deny: [run_shell]\n  rules:\n\
         \x20   - match: {tools: [write_file], path: {under: out}}\n      decision: ask\n      reason: results\n---\n# System Prompt\nx\n",
    )
    .unwrap();
    let layer = &checked.layer;
    assert_eq!((layer.level, layer.name.as_str()), (Level::Agent, "a"));
    let allowed: Vec<&str> = layer
        .allow
        .as_ref()
        .unwrap()
        .iter()
        .map(|item| item.text.as_str())
        .collect();
    assert_eq!(
        allowed,
        ["read_file", "write_file", "run_shell", "mcp__x__y"]
    );
    assert_eq!(layer.deny[0].text, "run_shell");
    assert_eq!(layer.rules[0].decision, Verdict::Ask);
    assert_eq!(layer.rules[0].place.as_ref().unwrap().line, 6);

    let catalogue = twelve();
    let policy = Policy::compile(&catalogue, &Config::default(), &[]).unwrap();
    let caller = policy
        .caller(
            &catalogue,
            &Principal::role("operator").narrow(layer.clone()),
            &crate::policy::RuntimeFacts::default().with("workspace=ready"),
        )
        .unwrap_or_else(|err| panic!("{err}"));
    let visible: Vec<&str> = (0..catalogue.len())
        .filter(|tool| caller.visible().contains(*tool))
        .map(|tool| catalogue.tool(tool).spec().id)
        .collect();
    assert_eq!(visible, ["read_file", "write_file"]);

    let none = check("# System Prompt\nx\n").unwrap();
    assert_eq!(none.layer.allow, Some(Vec::new()), "no list: nothing");
    let narrowed =
        check("---\ntools: [read_file, plot]\npolicy: {allow: [read_file, web_fetch]}\n---\n")
            .unwrap();
    assert_eq!(
        narrowed.layer.allow.as_ref().unwrap().len(),
        1,
        "allow only takes away"
    );
}

#[test]
fn a_policy_of_an_agent_is_checked_like_any_layer() {
    let found = errors(
        "---\ntools: [read_file]\npolicy:\n  level: global\n  deny: [plto]\n  rules:\n    - match: {tools: [read_file]}\n      decision: alow\n---\n",
    );
    assert_eq!(
        found,
        [
            "agents/a.md:4:3: unknown key `level`",
            "agents/a.md:8:7: expected one of `allow`, `ask`, `deny`, found `alow` (did you mean `allow`?)",
        ]
    );
    let found = errors("---\ntools: [read_file]\npolicy: {deny: [plto]}\n---\n");
    assert_eq!(
        found,
        ["agents/a.md:3:17: no tool named `plto` (did you mean `plot`?)"]
    );
    let found = errors(
        "---\ntools: [read_file]\npolicy:\n  rules:\n    - match: {tools: [plot]}\n      decision: allow\n---\n",
    );
    assert_eq!(
        found.len(),
        1,
        "a rule on a tool that the agent lacks never matches: {found:?}"
    );
    assert!(found[0].starts_with("agents/a.md:5:"), "{found:?}");
}

#[test]
fn sections_are_headings_of_the_first_level_outside_code() {
    let text = "---\nname: a\n---\nintro\n\n# SYSTEM  prompt\n\nUse:\n\n```sh\n# not a heading\nls\n```\n\n    # nor this\n\n> # nor this\n\n## Tool usage guidelines\n- first\n\n\
                User Prompt Template\n====================\n\nDo {{ no }} {{task}} {{a b}} {{{x}}} {{}} {{é }}.\n\n# Notes\nnothing\n";
    let agent = AgentFile::parse("agents/a.md", text).unwrap();
    assert!(agent.system_prompt.starts_with("Use:"));
    assert!(agent.system_prompt.contains("# not a heading\nls"));
    assert!(
        agent
            .system_prompt
            .ends_with("## Tool usage guidelines\n- first")
    );
    assert_eq!(
        agent.user_prompt,
        "Do {{ no }} {{task}} {{a b}} {{{x}}} {{}} {{é }}."
    );
    assert_eq!(agent.variables, ["task", "x"]);
    let checked = check(text).unwrap();
    assert_eq!(
        notes(&checked),
        [
            "agents/a.md:1:1: `a` lists no tools, so it has none",
            "agents/a.md:27:1: the section `Notes` is part of no prompt",
        ]
    );
    let found = AgentFile::parse(
        "agents/a.md",
        "# System Prompt\na\n# system prompt\nb\n# User Promt\nc\n",
    )
    .unwrap_err()
    .to_string();
    assert_eq!(
        found,
        "agents/a.md:3:1: the section `System Prompt` is there twice, first in line 1\n\
         agents/a.md:5:1: no section is called `User Promt` (did you mean `User Prompt`?)"
    );
    let both = AgentFile::parse(
        "agents/a.md",
        "# User Prompt\nold\n# User Prompt Template\nnew\n",
    )
    .unwrap();
    assert_eq!(both.user_prompt, "new");
    assert!(
        both.notes[0]
            .message
            .contains("there is no section `# System Prompt`")
    );
}

#[test]
fn windows_line_ends_marks_and_leading_lines_change_nothing() {
    let plain = "---\nname: a\ntools: [read_file]\n---\n# System Prompt\n\nOne\ntwo {{x}}\n";
    let expected = AgentFile::parse("agents/a.md", plain).unwrap();
    for text in [
        plain.replace('\n', "\r\n"),
        format!("\u{feff}{plain}"),
        plain.replace("---\n", "---  \n"),
    ] {
        assert_eq!(AgentFile::parse("agents/a.md", &text).unwrap(), expected);
    }
    let later = AgentFile::parse("agents/a.md", &format!("\n\n{plain}")).unwrap();
    let list = later.head.tools.unwrap();
    assert_eq!(
        list[0].place.as_ref().unwrap().line,
        5,
        "lines are those of the file"
    );
    let dashes = AgentFile::parse("agents/a.md", "# System Prompt\na\n\n---\nb\n").unwrap();
    assert_eq!(
        dashes.system_prompt, "a\n\n---\nb",
        "a rule in the text is no table"
    );
}

#[test]
fn the_name_is_that_of_the_file_or_folder() {
    for (path, name) in [
        ("agents/reviewer.md", "reviewer"),
        ("agents/reviewer/agent.md", "reviewer"),
        ("agents/agent.md", "agent"),
        ("agent.md", "agent"),
        ("/x/y\\z/agent.md", "z"),
    ] {
        assert_eq!(
            AgentFile::parse(path, "# System Prompt\nx").unwrap().name,
            name,
            "{path}"
        );
    }
    for path in ["agents/..md", "agents/a b.md", "agents/.md", "agents/-x.md"] {
        let errors = AgentFile::parse(path, "").unwrap_err().to_string();
        assert!(
            errors.contains("is not a valid name of an agent"),
            "{path}: {errors}"
        );
    }
}

#[test]
fn prompts_are_rendered_once_and_values_are_only_text() {
    let agent = AgentFile::parse(
        "agents/a.md",
        "---\nvariables: [unused]\n---\n# System Prompt\nTools:\n{{tool_descriptions}}\n# User Prompt\n{{topic}} and {{depth}}, {{topic}}\n",
    )
    .unwrap();
    let values = |pairs: &[(&str, &str)]| -> BTreeMap<String, String> {
        pairs
            .iter()
            .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
            .collect()
    };
    let prompts = agent
        .render(
            &values(&[
                ("topic", "{{depth}} {{tool_descriptions}}"),
                ("depth", "deep"),
            ]),
            "- `x`: y {{topic}}",
        )
        .unwrap();
    assert_eq!(prompts.system, "Tools:\n- `x`: y {{topic}}");
    assert_eq!(
        prompts.user,
        "{{depth}} {{tool_descriptions}} and deep, {{depth}} {{tool_descriptions}}"
    );
    let err = agent
        .render(
            &values(&[("topc", "x"), ("depth", "y"), ("tool_descriptions", "none")]),
            "",
        )
        .unwrap_err();
    let messages: Vec<String> = err
        .problems()
        .iter()
        .map(|problem| {
            format!(
                "{} [{}]",
                problem.message,
                problem.hint.as_deref().unwrap_or("")
            )
        })
        .collect();
    assert_eq!(
        messages,
        [
            "`tool_descriptions` is made from the agent's tools and cannot be given []",
            "no variable `topc`; there are `unused`, `topic`, `depth` [did you mean `topic`?]",
            "no value for the variable `topic`; there are `unused`, `topic`, `depth` [give it as `topic=TEXT`]",
        ]
    );
}

#[test]
fn limits_hold_for_hostile_files() {
    let error = |text: &str| {
        AgentFile::parse("agents/a.md", text)
            .unwrap_err()
            .to_string()
    };
    assert!(error(&"x".repeat(BYTES_MAX + 1)).contains("the limit is 1048576"));
    let at_limit = format!("# System Prompt\n{}", "x".repeat(BYTES_MAX - 16));
    assert!(AgentFile::parse("agents/a.md", &at_limit).is_ok());
    assert_eq!(
        error("# A\nb\0"),
        "agents/a.md:2:2: a control character is not accepted"
    );
    assert!(
        error(&format!(
            "---\na: {}1{}\n---\n",
            "[".repeat(200),
            "]".repeat(200)
        ))
        .contains("nested deeper than")
    );
    assert!(error("---\na: &x [1]\nb: *x\n---\n").contains("anchor"));
    let many = |count: usize| format!("---\ntools: [{}]\n---\n", "x, ".repeat(count));
    assert!(error(&many(513)).contains("expected at most 512 elements, found 513"));
    assert!(AgentFile::parse("agents/a.md", &many(512)).is_ok());
    assert!(error(&"# x\n".repeat(SECTIONS_MAX + 1)).contains("more than 256 headings"));
    assert!(AgentFile::parse("agents/a.md", &"# x\n".repeat(SECTIONS_MAX)).is_ok());
    let keys: String = (0..80_000).map(|key| format!("k{key}: v\n")).collect();
    let shown = error(&format!("---\n{keys}---\n"));
    assert_eq!(shown.lines().count(), 21, "{shown}");
    assert!(shown.ends_with("and more unknown keys"), "{shown}");
    // Quadratic on a naive reader.
    for text in [
        "{{".repeat(200_000),
        "[".repeat(200_000),
        "> ".repeat(5_000),
        "---\n".to_owned() + &"- ".repeat(2_000),
    ] {
        let _ = AgentFile::parse("agents/a.md", &format!("# System Prompt\n{text}"));
        let _ = AgentFile::parse("agents/a.md", &text);
    }
}

proptest! {
    /// No text panics, whatever it is, and a place lies in the file.
    #[test]
    fn any_text_is_an_agent_or_errors_with_places(
        text in prop_oneof![
            any::<String>(),
            "(---\r?\n|name: a\n|tools: ?|- [a-z_*:]{0,9}\n|# (System|User) Prompt\n|\\{\\{[a-zé ]{0,4}\\}\\}|```\n|\u{feff}|policy: \\{|\\}|[a-z]: |\n){0,24}",
        ],
    ) {
        match AgentFile::parse("agents/a.md", &text) {
            Ok(agent) => {
                let catalogue = twelve();
                let _ = AgentChecker::new(&catalogue, &Config::default(), &aliases()).check(&agent);
                let values = agent.variables.iter().map(|name| (name.clone(), "v".to_owned())).collect();
                prop_assert!(agent.render(&values, "t").is_ok());
            }
            Err(errors) => for error in errors.list() {
                let place = error.place.as_ref().expect("each has a place");
                prop_assert!(place.line as usize <= text.split('\n').count() + 1, "{error}");
            }
        }
    }
}
