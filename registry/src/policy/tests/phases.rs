//! Phases, agents, profiles and overrides: which tools a caller starts from, and who said so.

use super::*;
use crate::model::AgentDefinition;

const PHASES: &str = r#"
version = 1
[toolsets.read]
internal = ["read_file", "search_files"]
mcp = ["mcp__tavily__search"]
[toolsets.more]
include = ["plot"]
extends = ["read"]
exclude = ["search_files"]
[[phases]]
name = "audit"
agents = ["claude", "codex", "gemini"]
[phases.tools]
toolset = "read"
max_turns = 50
[phases.agent_tools.codex]
permission = "workspace-write"
max_turns = 30
[phases.agent_tools.gemini]
inherit = false
internal = ["plot"]
[[phases]]
name = "research"
agents = ["claude"]
tools = { internal = ["web_fetch", "write_file", "read_file"], permission = "full-access" }
[[policies]]
level = "phase"
name = "research"
deny = ["write_file"]
[[policies]]
level = "task"
name = "tidy"
deny = ["plot"]
[[policies]]
level = "delegation"
deny = ["run_shell"]
"#;

fn policy() -> (Catalogue, Policy) {
    let catalogue = twelve();
    let (_, policy) =
        Config::load("mathchain.toml", PHASES, &catalogue).unwrap_or_else(|err| panic!("{err}"));
    (catalogue, policy)
}

fn who(phase: &str, agent: Option<&str>) -> Principal {
    Principal {
        phase: Some(phase.to_owned()),
        agent: agent.map(str::to_owned),
        ..Principal::role("operator")
    }
}

fn listed(policy: &Policy, catalogue: &Catalogue, who: &Principal) -> Vec<String> {
    let caller = policy.caller(catalogue, who, &ready()).unwrap();
    caller
        .listed()
        .map(|tool| catalogue.tool(tool).spec().id.to_owned())
        .collect()
}

#[test]
fn each_field_comes_from_the_first_level_that_sets_it() {
    let (catalogue, policy) = policy();
    // A3: the phase's own. A6: an agent without its own table has the phase's.
    let phase = policy
        .select(&catalogue, &who("audit", Some("claude")))
        .unwrap();
    assert_eq!(phase.tools.from, "phase `audit`");
    assert_eq!(phase.tools.value.external, ["mcp__tavily__search"]);
    assert_eq!(phase.max_turns.value, 50);
    let permission = phase.permission.unwrap();
    assert_eq!(
        (permission.value, permission.from.as_str()),
        (Confinement::ReadOnly, "default")
    );
    // A5: what the agent's table does not say is the phase's, where an earlier system emptied it.
    let codex = policy
        .select(&catalogue, &who("audit", Some("codex")))
        .unwrap();
    assert_eq!(codex.tools.from, "phase `audit`");
    assert_eq!(codex.tools.value.order.len(), 2);
    assert_eq!(codex.max_turns.value, 30);
    let permission = codex.permission.unwrap();
    assert_eq!(permission.value, Confinement::WorkspaceWrite);
    assert_eq!(permission.from, "agent `codex` in phase `audit`");
    assert_eq!(permission.place.unwrap().line, 16);
    // A level that does not inherit is the last.
    let gemini = policy
        .select(&catalogue, &who("audit", Some("gemini")))
        .unwrap();
    assert_eq!(gemini.tools.value.external, Vec::<String>::new());
    assert_eq!(gemini.max_turns.value, MAX_TURNS);
    assert_eq!(
        listed(&policy, &catalogue, &who("audit", Some("gemini"))),
        ["plot"]
    );
    // A2: an explicit toolset is over the phase's, and under the agent's in the phase.
    let explicit = Principal {
        toolset: Some("more".to_owned()),
        ..who("audit", Some("codex"))
    };
    assert_eq!(
        listed(&policy, &catalogue, &explicit),
        ["read_file", "plot"]
    );
    // A1: the agent in the phase is over both.
    let over = Principal {
        toolset: Some("more".to_owned()),
        ..who("audit", Some("gemini"))
    };
    assert_eq!(
        policy.select(&catalogue, &over).unwrap().tools.from,
        "agent `gemini` in phase `audit`"
    );
    // A4: without a phase the role's, and no permission.
    let none = policy
        .select(&catalogue, &Principal::role("worker_math"))
        .unwrap();
    assert_eq!(none.tools.from, "role `worker_math`");
    assert!(none.permission.is_none());
}

#[test]
fn a_permission_and_the_layers_of_a_phase_narrow() {
    let (catalogue, policy) = policy();
    assert_eq!(
        listed(&policy, &catalogue, &who("audit", None)),
        ["read_file", "search_files"]
    );
    assert_eq!(
        listed(&policy, &catalogue, &who("research", None)),
        ["web_fetch", "read_file"],
        "in the order written, less what the layer of the phase denies"
    );
    let caller = policy
        .caller(&catalogue, &who("audit", None), &ready())
        .unwrap();
    let reason = |name: &str| {
        caller
            .hidden(&catalogue, catalogue.index(name).unwrap())
            .unwrap()
    };
    assert_eq!(reason("plot").layer, "phase `audit`");
    assert!(
        reason("write_file").reason.contains("permission read-only"),
        "{:?}",
        reason("write_file")
    );
    let mut tidy = Principal::role("operator");
    tidy.task = Some("tidy".to_owned());
    assert!(!listed(&policy, &catalogue, &tidy).contains(&"plot".to_owned()));
    let delegate = Principal::role("operator").narrow(PolicyLayer::new(Level::Delegation, "child"));
    assert!(!listed(&policy, &catalogue, &delegate).contains(&"run_shell".to_owned()));
    assert!(
        listed(&policy, &catalogue, &Principal::role("operator")).contains(&"run_shell".to_owned())
    );
}

#[test]
fn unknown_names_of_a_caller_are_refused_with_the_nearest() {
    let (catalogue, policy) = policy();
    let refused = |who: Principal| policy.caller(&catalogue, &who, &ready()).unwrap_err();
    for (who, expected) in [
        (who("audits", None), "did you mean `audit`?"),
        (who("audit", Some("codexx")), "did you mean `codex`?"),
        (who("research", Some("codex")), "its agents are `claude`"),
        (
            Principal {
                task: Some("maths".to_owned()),
                ..Principal::role("operator")
            },
            "did you mean `math`?",
        ),
        (
            Principal {
                profile: Some("openapi".to_owned()),
                ..Principal::role("operator")
            },
            "did you mean `openai`?",
        ),
    ] {
        let error = refused(who);
        assert_eq!(error.code(), ErrorCode::NotVisible);
        assert_eq!(error.hint_str(), Some(expected));
    }
    // D10: nothing changes where a name is unknown.
    let mut odd = Principal::role("operator");
    odd.run.enable = vec!["plto".to_owned()];
    let error = refused(odd);
    assert!(
        error.message().contains("did you mean `plot`?"),
        "{}",
        error.message()
    );
}

#[test]
fn what_is_disabled_stays_away_and_extras_come_last_in_order_of_their_names() {
    let (catalogue, policy) = policy();
    let mut who = who("audit", None);
    who.session.enable = vec!["plot".to_owned(), "calculate".to_owned()];
    who.run.force = vec!["list_dir".to_owned(), "read_file".to_owned()];
    assert_eq!(
        listed(&policy, &catalogue, &who),
        ["read_file", "search_files", "calculate", "list_dir", "plot"]
    );
    who.run.disable = vec!["list_dir".to_owned(), "read_file".to_owned()];
    assert_eq!(
        listed(&policy, &catalogue, &who),
        ["search_files", "calculate", "plot"]
    );
    // No override reaches beyond the role or over a layer.
    let mut math = Principal::role("worker_math");
    math.run.force = vec!["run_shell".to_owned()];
    assert!(!listed(&policy, &catalogue, &math).contains(&"run_shell".to_owned()));
}

#[test]
fn an_agent_sees_nothing_that_its_file_does_not_list() {
    let catalogue = twelve();
    let mut config = Config::parse("mathchain.toml", PHASES).unwrap();
    config.agents.push(AgentDefinition {
        name: "claude".to_owned(),
        role: Some(ToolSelector::from("worker_general")),
        selection: CallerSelection {
            tools: Some(vec!["plot".into(), "web_fetch".into()]),
            ..CallerSelection::default()
        },
        layer: PolicyLayer::new(Level::Agent, "claude"),
        place: None,
    });
    let policy = Policy::compile(&catalogue, &config, &[]).unwrap();
    assert_eq!(policy.role_of_agent("claude"), Some("worker_general"));
    let alone = Principal {
        agent: Some("claude".to_owned()),
        ..Principal::role("operator")
    };
    assert_eq!(listed(&policy, &catalogue, &alone), ["plot", "web_fetch"]);
    assert_eq!(
        listed(&policy, &catalogue, &who("research", Some("claude"))),
        ["web_fetch"]
    );
}

#[test]
fn facts_hide_tools_and_say_what_would_help() {
    let (catalogue, policy) = policy();
    let reader = catalogue.index("read_file").unwrap();
    for (fact, cure) in [
        ("workspace=none", "--workspace DIR"),
        ("workspace=closed", "open the workspace again"),
        ("workspace=expired", "open the workspace again"),
        ("workspace=error", "mathchain doctor"),
    ] {
        let facts = RuntimeFacts::default().with(fact);
        let caller = policy
            .caller(&catalogue, &Principal::role("operator"), &facts)
            .unwrap();
        let reason = caller.hidden(&catalogue, reader).unwrap().reason;
        assert!(
            reason.contains("workspace=ready") && reason.contains(cure),
            "{reason}"
        );
        assert!(caller.lacks_facts(reader));
        assert!(caller.visible().contains(catalogue.index("plot").unwrap()));
    }
    let quiet = ready().with(NO_WEB).with(READ_ONLY);
    let caller = policy
        .caller(&catalogue, &Principal::role("operator"), &quiet)
        .unwrap();
    for name in ["web_fetch", "write_file", "run_shell"] {
        let tool = catalogue.index(name).unwrap();
        assert!(!caller.visible().contains(tool), "{name}");
        assert!(!caller.lacks_facts(tool), "{name}");
    }
    let mut facts = RuntimeFacts::default();
    let error = facts.add("workspace=raedy").unwrap_err();
    assert!(error.contains("did you mean `workspace=ready`?"), "{error}");
    assert!(
        facts
            .add("noweb")
            .unwrap_err()
            .contains("did you mean `no_web`?")
    );
}

#[test]
fn phases_that_cannot_be_meant_are_refused_all_at_once() {
    let text = r#"
version = 1
[[phases]]
name = "a"
depends_on = ["a"]
agents = ["codexx"]
[phases.tools]
internal = ["plto"]
permission = "banana"
max_turns = -1
permision = "read-only"
[[phases]]
name = "b"
depends_on = ["c", "nothing"]
[phases.agent_tools.codex]
max_turns = 3
[[phases]]
name = "c"
depends_on = ["b"]
limits = { max_turns = 3 }
tools = { max_turns = 4, mcp = ["tavily"] }
[[phases]]
name = "c"
flag_profile = "--bad"
failure_mode = "require_minimum"
"#;
    let errors = Config::load("mathchain.toml", text, &twelve())
        .unwrap_err()
        .to_string();
    for expected in [
        "mathchain.toml:14:20: no phase named `nothing`",
        "mathchain.toml:3:1: phases depend on each other: a -> a",
        "mathchain.toml:6:11: no agent named `codexx` (did you mean `codex`?)",
        "mathchain.toml:8:13: no tool named `plto` (did you mean `plot`?)",
        "mathchain.toml:9:1: expected one of `read-only`, `workspace-write`, `full-access`, found `banana`",
        "mathchain.toml:10:1: expected an integer from 0 to 1000000",
        "mathchain.toml:11:1: unknown key `permision` (did you mean `permission`?)",
        "`agent_tools.codex`: the phase `b` has no such agent",
        "`limits.max_turns` is 3 and `tools.max_turns` is 4",
        "found `tavily`",
        "two phases are named `c`",
        "mathchain.toml:24:1: `--bad` is no name for a profile",
        "mathchain.toml:25:1: `require_minimum` needs `min_count`",
    ] {
        assert!(errors.contains(expected), "no {expected:?} in\n{errors}");
    }
}

#[test]
fn a_higher_priority_counts_inside_its_layer_only() {
    let rule = |decision: &str, priority: i32| {
        format!(
            "[[policies.rules]]\nmatch = {{ tools = [\"write_file\"] }}\ndecision = \"{decision}\"\npriority = {priority}\n"
        )
    };
    let args = r#"{"path":"a","content":"x"}"#;
    let same = rules(&format!("{}{}", rule("allow", 10), rule("ask", 0)));
    assert_eq!(
        decide_with(&same, "operator", "write_file", args).verdict,
        Verdict::Allow
    );
    let equal = rules(&format!("{}{}", rule("allow", 3), rule("ask", 3)));
    assert_eq!(
        decide_with(&equal, "operator", "write_file", args).verdict,
        Verdict::Ask
    );
    let across = format!(
        "{}[[policies]]\nlevel = \"user\"\n{}",
        rules(&rule("allow", 10)),
        rule("deny", 0)
    );
    assert_eq!(
        decide_with(&across, "operator", "write_file", args).verdict,
        Verdict::Deny
    );
}

const HANDED: &str = r#"
version = 1
[cli.mine]
binary = "mine"
tools = ["Look", "Think"]
native = { Look = "read_file" }
[roles.narrow]
tools = ["read_file", "mcp__exa__*"]
[[phases]]
name = "look"
agents = ["claude", "mine"]
[phases.tools]
internal = ["Read", "Look", "Agent", "TodoWrite", "NotebookEdit", "Skill", "Think", "google_search"]
mcp = ["mcp__exa__search", "mcp__exa__fetch", "mcp__other__tool"]
[[phases]]
name = "full"
tools = { internal = ["NotebookEdit", "google_search"], mcp = ["mcp__exa__search"], permission = "full-access" }
"#;

/// Names and verdicts of the tools that are handed on.
fn handed(rules: &str, role: &str, phase: &str) -> Vec<(String, Verdict)> {
    let catalogue = twelve();
    let text = format!("{HANDED}{rules}");
    let (_, policy) =
        Config::load("c.toml", &text, &catalogue).unwrap_or_else(|err| panic!("{err}"));
    let who = Principal {
        phase: Some(phase.to_owned()),
        ..Principal::role(role)
    };
    let caller = policy.caller(&catalogue, &who, &ready()).unwrap();
    let own: Vec<usize> = caller.listed().collect();
    assert!(own.len() <= 1, "only `read_file` is a tool of ours");
    let handed = caller.handed().into_iter();
    handed
        .map(|(tool, decision)| (tool.name, decision.verdict))
        .collect()
}

fn verdict(found: &[(String, Verdict)], name: &str) -> Verdict {
    let found = found.iter().find(|(known, _)| known == name);
    found.unwrap_or_else(|| panic!("no {name}")).1
}

/// Tools of agent command lines without a counterpart here, of servers that are not configured and of providers are kept.
#[test]
fn names_of_others_are_handed_on_with_a_verdict() {
    use Verdict::{Allow, Ask, Deny};
    let found = handed("", "operator", "look");
    let expected = [
        ("Agent", Allow),
        ("TodoWrite", Allow),
        // It modifies files, and the phase is read-only.
        ("NotebookEdit", Deny),
        ("Skill", Allow),
        ("Think", Ask),
        // It reads the web and changes nothing.
        ("google_search", Allow),
        ("mcp__exa__search", Ask),
        ("mcp__exa__fetch", Ask),
        ("mcp__other__tool", Ask),
    ];
    let expected: Vec<(String, Verdict)> = expected
        .map(|(name, verdict)| (name.to_owned(), verdict))
        .into();
    assert_eq!(found, expected);
    let full = handed("", "operator", "full");
    assert_eq!(verdict(&full, "NotebookEdit"), Allow);
    assert_eq!(verdict(&full, "google_search"), Allow);
    assert_eq!(
        verdict(&full, "mcp__exa__search"),
        Ask,
        "nothing is known of it"
    );
}

/// What a read-only phase hides is what changes something: a tool that reads the web, and one of a server that only asks it, stay.
#[test]
fn a_read_only_phase_hides_what_changes_something() {
    use tool_core::{Effect, Permission, Spec};
    let of = |id, effects, permissions| Spec {
        id,
        effects,
        permissions,
        ..Spec::pure()
    };
    let hidden = |spec: &Spec| {
        (
            ToolGroup::Change.contains(spec),
            ToolGroup::Send.contains(spec),
        )
    };
    for (spec, expected) in [
        (of("http_get", &[], &[Permission::Network]), (false, false)),
        (
            of(
                "mcp__tavily__search",
                &[Effect::NetworkAccess],
                &[Permission::Network],
            ),
            (false, false),
        ),
        (
            of("mcp__notes__write", &[Effect::ModifiesFiles], &[]),
            (true, false),
        ),
        (
            of(
                "http_post",
                &[Effect::NetworkAccess],
                &[Permission::Network],
            ),
            (true, true),
        ),
        (
            of(
                "task:approve",
                &[Effect::SystemState],
                &[Permission::Workflow],
            ),
            (false, false),
        ),
        (
            of("todo_create", &[Effect::SystemState], &[]),
            (true, false),
        ),
        (of("embed_text", &[Effect::CallsLlm], &[]), (true, false)),
    ] {
        assert_eq!(hidden(&spec), expected, "{}", spec.id);
    }
}

#[test]
fn tools_that_a_phase_names_and_its_agents_lack_are_found() {
    let catalogue = twelve();
    let text = r#"
version = 1
[[phases]]
name = "audit"
agents = ["claude", "codex"]
tools = { internal = ["Read", "write_file", "group:all"], permission = "read-only" }
[phases.agent_tools.codex]
permission = "workspace-write"
"#;
    let (config, policy) = Config::load("mathchain.toml", text, &catalogue).unwrap();
    let lacked = |agent: &str| -> Vec<String> {
        let who = who("audit", Some(agent));
        let caller = policy.caller(&catalogue, &who, &ready()).unwrap();
        let phase = &config.phases[0];
        let found = caller.lacking(&catalogue, &config, phase, Some(agent));
        found
            .iter()
            .map(|tool| format!("{}: {}", tool.name.text, tool.reason))
            .collect()
    };
    let [one] = <[String; 1]>::try_from(lacked("claude")).unwrap();
    assert!(
        one.starts_with("write_file: denied by layer phase"),
        "{one}"
    );
    assert_eq!(lacked("codex"), [] as [&str; 0]);
}

/// Layers and rules name outside tools as they name ours; what cannot be told of them is denied and never allowed.
#[test]
fn policies_allow_ask_and_deny_what_is_handed_on() {
    use Verdict::{Allow, Ask, Deny};
    let layer = |said: &str| format!("[[policies]]\nlevel = \"global\"\n{said}\n");
    let rule = |tool: &str, decision: &str| {
        layer(&format!(
            "rules = [{{ match = {{ tools = [\"{tool}\"] }}, decision = \"{decision}\" }}]"
        ))
    };
    let of = |rules: &str, name: &str| verdict(&handed(rules, "operator", "look"), name);
    let search = "mcp__exa__search";
    for (rules, expected) in [
        (rule(search, "allow"), [Allow, Ask]),
        (rule("mcp__exa__*", "allow"), [Allow, Allow]),
        (rule("group:all", "allow"), [Allow, Allow]),
        // What it reaches is not known: no rule on effects allows it.
        (rule("group:web", "allow"), [Ask, Ask]),
        (rule("group:web", "deny"), [Deny, Deny]),
        (rule(search, "deny"), [Deny, Ask]),
        (layer("deny = [\"mcp__exa__search\"]"), [Deny, Ask]),
        (layer("deny = [\"effect:network_access\"]"), [Deny, Deny]),
        (layer("deny = [\"group:all\"]"), [Deny, Deny]),
        (
            layer("allow = [\"read_file\", \"mcp__exa__fetch\"]"),
            [Deny, Ask],
        ),
        (layer("allow = [\"group:web\"]"), [Deny, Deny]),
        (rule(search, "allow") + &rule(search, "ask"), [Ask, Ask]),
    ] {
        let found = [of(&rules, search), of(&rules, "mcp__exa__fetch")];
        assert_eq!(found, expected, "{rules}");
    }
    assert_eq!(of(&rule("Skill", "deny"), "Skill"), Deny);
    assert_eq!(of(&rule("Think", "allow"), "Think"), Allow);
    // A role sees what it lists, of others too.
    let narrow = handed("", "narrow", "look");
    assert_eq!(verdict(&narrow, search), Ask);
    assert_eq!(verdict(&narrow, "mcp__other__tool"), Deny);
    assert_eq!(verdict(&narrow, "Agent"), Deny);
}

#[test]
fn a_name_that_nothing_knows_stays_an_error() {
    for (tools, expected) in [
        (
            "[\"TodoWrit\"]",
            "no tool named `TodoWrit` (did you mean `TodoWrite`?)",
        ),
        ("[\"Look\"]", "no tool named `Look`"),
        ("[\"mcp__exa\"]", "no tool named `mcp__exa`"),
    ] {
        let text =
            format!("version = 1\n[[phases]]\nname = \"p\"\ntools = {{ internal = {tools} }}\n");
        let errors = Config::load("c.toml", &text, &twelve())
            .unwrap_err()
            .to_string();
        assert!(errors.contains(expected), "{errors}");
    }
    let layer = "version = 1\n[[policies]]\nlevel = \"global\"\ndeny = [\"TodoWrit\"]\n";
    let errors = Config::load("c.toml", layer, &twelve())
        .unwrap_err()
        .to_string();
    assert!(errors.contains("no tool named `TodoWrit`"), "{errors}");
}
