//! The algebra of layers on every chain of five, the cases of an earlier system, and the ways it failed open.

use std::borrow::Cow;
use std::collections::BTreeSet;

use tool_core::{Category, Reach, Value};

use super::compile::{self, CompiledLayer};
use super::*;
use crate::fakes::{FakeFiles, twelve};

/// The names that stay visible when these layers narrow the whole catalogue.
fn visible(catalogue: &Catalogue, layers: &[Layer]) -> Result<BTreeSet<String>, LoadErrors> {
    let mut errors = Vec::new();
    let compiled: Vec<Cow<'_, CompiledLayer>> = layers
        .iter()
        .map(|layer| Cow::Owned(compile::layer(catalogue, layer, &[], &mut errors)))
        .collect();
    LoadErrors::check(errors)?;
    let set = effective(
        &ToolSet::all(catalogue.len()),
        &compiled,
        &ToolSet::none(catalogue.len()),
    );
    Ok(set
        .iter()
        .map(|tool| catalogue.tool(tool).spec().id.to_owned())
        .collect())
}

fn global() -> Layer {
    Layer::new(Level::Global, "")
}

fn names(list: &[&str]) -> BTreeSet<String> {
    list.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn r23_to_r34_what_chains_of_layers_leave_visible() {
    let catalogue = twelve();
    let all: BTreeSet<String> = catalogue.ids().map(str::to_owned).collect();
    let without = |hidden: &[&str]| &all - &names(hidden);
    let role = |name| Layer::new(Level::Role, name);
    let task = |name| Layer::new(Level::Task, name);
    let cases: Vec<(&str, Vec<Layer>, BTreeSet<String>)> = vec![
        ("R23", vec![], all.clone()),
        (
            "R24",
            vec![global().deny(["raw_exec"])],
            without(&["raw_exec"]),
        ),
        (
            "R25",
            vec![global().allow(["raw_exec", "read_file"]).deny(["raw_exec"])],
            names(&["read_file"]),
        ),
        (
            "R26",
            vec![
                global().allow(["read_file", "write_file"]),
                role("r").allow(["read_file", "write_file", "plot", "calculate"]),
            ],
            names(&["read_file", "write_file"]),
        ),
        (
            "R27",
            vec![
                global().allow(["group:code"]),
                task("t").deny(["group:write"]),
            ],
            names(&["list_dir", "read_file", "search_files"]),
        ),
        (
            "R28",
            vec![
                global().deny(["raw_exec"]),
                role("r").allow(["group:code"]),
                task("t").deny(["run_shell"]),
            ],
            names(&[
                "list_dir",
                "read_file",
                "search_files",
                "write_file",
                "edit_file",
            ]),
        ),
        (
            "R29",
            vec![
                global().allow(["read_file", "plot"]),
                task("t").deny(["plot"]),
            ],
            names(&["read_file"]),
        ),
        (
            "R30",
            vec![global().allow(["read_file"]), task("t").deny(["read_file"])],
            names(&[]),
        ),
        ("R32 all", vec![global().allow(["group:all"])], all.clone()),
        (
            "R32 mixed",
            vec![global().allow(["group:math", "read_file"])],
            names(&["calculate", "plot", "read_file"]),
        ),
        ("R33", vec![global().deny(["group:all"])], names(&[])),
        ("empty allow", vec![global().allow([])], names(&[])),
        (
            "pattern",
            vec![global().allow(["web_*"])],
            names(&["web_fetch", "web_search"]),
        ),
        (
            "tag",
            vec![global().deny(["tag:raw-exec"])],
            without(&["raw_exec"]),
        ),
        (
            "effect",
            vec![global().allow(["effect:network_access"])],
            names(&["web_fetch", "web_search"]),
        ),
        (
            "permission",
            vec![global().allow(["permission:shell"])],
            names(&["run_shell", "raw_exec"]),
        ),
        (
            "category",
            vec![global().allow(["category:data"])],
            names(&["query_db"]),
        ),
    ];
    for (case, layers, expected) in cases {
        assert_eq!(
            visible(&catalogue, &layers).unwrap_or_else(|err| panic!("{case}: {err}")),
            expected,
            "{case}"
        );
    }
    let empty = Catalogue::new(&[]).unwrap();
    assert_eq!(visible(&empty, &[]).unwrap(), names(&[]), "R31");
}

#[test]
fn r34_unknown_names_are_errors_with_the_nearest() {
    let catalogue = twelve();
    for (selector, expected) in [
        ("group:nonexistent", "no group named `nonexistent`"),
        ("group:wirte", "did you mean `write`?"),
        ("category:maths", "did you mean `math`?"),
        ("effect:modify_files", "did you mean `modifies_files`?"),
        ("permission:netwrok", "did you mean `network`?"),
        ("tag:raw_exec", "did you mean `raw-exec`?"),
        ("raed_file", "did you mean `read_file`?"),
        ("write", "did you mean `group:write`?"),
        ("grop:write", "did you mean `group:`?"),
        ("foo_*", "no tool fits the pattern"),
    ] {
        for layer in [
            global().allow([selector]),
            global().deny([selector]),
            global().rule(Rule::new(Verdict::Deny, [selector])),
        ] {
            let error = visible(&catalogue, &[layer])
                .expect_err(selector)
                .to_string();
            assert!(error.contains(expected), "{selector}: {error}");
        }
    }
}

#[test]
fn r36_r37_read_only_hides_all_that_writes_and_no_web_all_that_reaches_the_network() {
    let catalogue = twelve();
    let writing = names(&["write_file", "edit_file", "run_shell", "raw_exec"]);
    let web = names(&["web_fetch", "web_search"]);
    let all: BTreeSet<String> = catalogue.ids().map(str::to_owned).collect();
    assert_eq!(
        visible(&catalogue, &[Layer::read_only()]).unwrap(),
        &all - &writing
    );
    assert_eq!(
        visible(&catalogue, &[Layer::no_web()]).unwrap(),
        &all - &web
    );
}

/// The five ways the earlier system failed open.
#[test]
fn the_five_cases_that_failed_open() {
    let catalogue = twelve();
    assert!(
        visible(&catalogue, &[global().deny(["group:all"])])
            .unwrap()
            .is_empty(),
        "deny of all denied nothing"
    );
    assert!(
        visible(&catalogue, &[global().allow(["group:mispelt"])]).is_err(),
        "a misspelt allow left everything"
    );
    assert!(
        visible(&catalogue, &[global().deny(["group:mispelt"])]).is_err(),
        "a misspelt deny denied nothing"
    );
    assert!(
        visible(&catalogue, &[global().allow([])])
            .unwrap()
            .is_empty(),
        "an empty allow list meant everything"
    );
    let web = Group::Web;
    for tool in catalogue.iter().filter(|tool| {
        tool.spec()
            .effects
            .contains(&tool_core::Effect::NetworkAccess)
    }) {
        assert!(
            web.contains(tool.spec()),
            "`{}` reaches the network and was not in the group",
            tool.spec().id
        );
    }
}

#[test]
fn r38_an_unknown_role_may_call_nothing() {
    let catalogue = twelve();
    let policy = Policy::compile(&catalogue, &Config::default(), &[]).unwrap();
    let error = policy
        .caller(&catalogue, "worker_maths", &[], &Facts::default())
        .unwrap_err();
    assert_eq!(error.code(), ErrorCode::NotVisible);
    assert_eq!(error.hint_str(), Some("did you mean `worker_math`?"));
}

#[test]
fn r39_kinds_of_tasks_imply_contexts() {
    for kind in ["math", "thinking", "instruction_precision"] {
        assert_eq!(context_of_task(kind), vec![Layer::no_web()], "{kind}");
    }
    for kind in ["chat", "general", "agentic", "coder", ""] {
        assert!(context_of_task(kind).is_empty(), "{kind}");
    }
}

#[test]
fn the_default_roles_follow_the_intended_matrix() {
    let catalogue = twelve();
    let policy = Policy::compile(&catalogue, &Config::default(), &[]).unwrap();
    let matrix: [(&str, &[Category]); 7] = [
        ("frontdoor", &[Category::Web, Category::Data, Category::Llm]),
        (
            "coder_escalation",
            &[
                Category::Web,
                Category::Data,
                Category::Code,
                Category::Math,
                Category::System,
                Category::Archive,
                Category::Llm,
            ],
        ),
        (
            "worker_general",
            &[Category::Web, Category::Data, Category::Math, Category::Llm],
        ),
        ("worker_math", &[Category::Math, Category::Data]),
        (
            "worker_summarize",
            &[Category::Web, Category::Data, Category::Llm],
        ),
        (
            "architect_general",
            &[Category::Web, Category::Data, Category::Llm],
        ),
        (
            "architect_coding",
            &[Category::Web, Category::Data, Category::Code, Category::Llm],
        ),
    ];
    for (role, categories) in matrix {
        let caller = policy
            .caller(&catalogue, role, &[], &Facts::default())
            .unwrap();
        for (index, tool) in catalogue.iter().enumerate() {
            let expected = categories.contains(&tool.spec().category);
            assert_eq!(
                caller.visible().contains(index),
                expected,
                "{role} {}",
                tool.spec().id
            );
            assert_eq!(caller.hidden(&catalogue, index).is_none(), expected);
        }
    }
    for role in ["toolrunner", "operator"] {
        let caller = policy
            .caller(&catalogue, role, &[], &Facts::default())
            .unwrap();
        assert_eq!(caller.visible(), &ToolSet::all(catalogue.len()), "{role}");
    }
    assert_eq!(policy.roles().count(), 9);
    assert_eq!(policy.default_role(), "operator");
}

#[test]
fn r2_r3_r35_the_layer_of_flat_permissions_equals_their_rule_on_every_tool() {
    let catalogue = twelve();
    let categories = [Category::Web, Category::System, Category::Math];
    let tools = ["web_fetch", "write_file", "plot"];
    let subset = |bits: usize, of: &[&str]| {
        of.iter()
            .enumerate()
            .filter(|(bit, _)| bits >> bit & 1 == 1)
            .map(|(_, name)| (*name).to_owned())
            .collect::<Vec<_>>()
    };
    for bits in 0..1 << 10 {
        let permissions = RolePermissions {
            web_access: bits & 1 == 1,
            allowed_categories: categories
                .iter()
                .enumerate()
                .filter(|(bit, _)| bits >> (1 + bit) & 1 == 1)
                .map(|(_, category)| *category)
                .collect(),
            allowed_tools: subset(bits >> 4, &tools),
            forbidden_tools: subset(bits >> 7, &tools),
        };
        let shown = visible(&catalogue, &[permissions.to_layer("r")]).unwrap();
        for tool in catalogue.iter() {
            let spec = tool.spec();
            let listed = |list: &[String]| list.iter().any(|name| name == spec.id);
            let by_category = permissions.allowed_categories.contains(&spec.category)
                && (spec.category != Category::Web || permissions.web_access);
            let legacy = !listed(&permissions.forbidden_tools)
                && (listed(&permissions.allowed_tools) || by_category);
            assert_eq!(
                shown.contains(spec.id),
                legacy,
                "{} {permissions:?}",
                spec.id
            );
        }
    }
}

/// The twelve states a layer can be in for one tool: inherits, lists or does not list it; denies it or not; asks or not.
fn twelve_states(catalogue: &Catalogue, tool: &str, other: &str) -> Vec<CompiledLayer> {
    let mut states = Vec::new();
    for allow in [None, Some(tool), Some(other)] {
        for deny in [false, true] {
            for ask in [false, true] {
                let mut layer = global();
                if let Some(listed) = allow {
                    layer = layer.allow([listed]);
                }
                if deny {
                    layer = layer.deny([tool]);
                }
                let mut built = compile::layer(catalogue, &layer, &[], &mut Vec::new());
                if ask {
                    // Added after the layer was checked: a rule on a tool that the same layer hides is a load error.
                    let asking = compile::layer(
                        catalogue,
                        &global().rule(Rule::new(Verdict::Ask, [tool])),
                        &[],
                        &mut Vec::new(),
                    );
                    built.rules = asking.rules;
                }
                states.push(built);
            }
        }
    }
    states
}

#[test]
fn every_chain_of_five_layers_keeps_the_algebra() {
    let catalogue = twelve();
    let tool = catalogue.index("calculate").unwrap();
    let states = twelve_states(&catalogue, "calculate", "plot");
    assert_eq!(states.len(), 12);
    let universe = ToolSet::all(catalogue.len());
    let nothing = ToolSet::none(catalogue.len());
    let permissions = Permissions::default();
    let spec = catalogue.tool(tool).spec();
    let args = Value::object::<&str, Value>([]);
    let facts = CallFacts {
        reach: Reach {
            effects: &[],
            destructive: false,
        },
        paths: Some(vec![]),
        files: vec![],
        programs: Some(vec![]),
        hosts: Some(vec![]),
        args: &args,
    };
    let verdict = |chain: &[usize]| {
        let layers: Vec<Cow<'_, CompiledLayer>> = chain
            .iter()
            .map(|state| Cow::Borrowed(&states[*state]))
            .collect();
        if !effective(&universe, &layers, &nothing).contains(tool) {
            return Verdict::Deny;
        }
        decide::decide((tool, spec), "r", &layers, &permissions, Some(&facts)).verdict
    };
    // What a chain must give, from the states alone.
    let listed = |state: usize| state < 8; // inherits or lists
    let denies = |state: usize| state / 2 % 2 == 1;
    let asks = |state: usize| state % 2 == 1;
    let mut before: Vec<(Vec<usize>, Verdict)> = vec![(vec![], verdict(&[]))];
    assert_eq!(
        before[0].1,
        Verdict::Allow,
        "the catalogue itself allows a pure tool"
    );
    let mut chains = 0_u32;
    for length in 1..=5 {
        let mut now = Vec::new();
        for (chain, outer) in &before {
            for state in 0..12 {
                let mut longer = chain.clone();
                longer.push(state);
                let found = verdict(&longer);
                let expected = if longer.iter().any(|state| !listed(*state) || denies(*state)) {
                    Verdict::Deny
                } else if longer.iter().any(|state| asks(*state)) {
                    Verdict::Ask
                } else {
                    Verdict::Allow
                };
                assert_eq!(found, expected, "{longer:?}");
                assert!(found >= *outer, "a layer widened: {longer:?}");
                if denies(state) || !listed(state) {
                    assert_eq!(found, Verdict::Deny, "a denial was lost: {longer:?}");
                }
                if length == 5 {
                    chains += 1;
                    let mut turned = longer.clone();
                    turned.reverse();
                    assert_eq!(verdict(&turned), found, "the order counted: {longer:?}");
                    turned.rotate_left(2);
                    assert_eq!(verdict(&turned), found, "the order counted: {longer:?}");
                    let doubled: Vec<usize> = longer.iter().chain(&longer).copied().collect();
                    assert_eq!(
                        verdict(&doubled),
                        found,
                        "a layer given twice counted twice: {longer:?}"
                    );
                }
                now.push((longer, found));
            }
        }
        before = now;
    }
    assert_eq!(chains, 248_832);
}

#[test]
fn no_chain_of_five_shows_a_tool_that_is_not_there() {
    let catalogue = twelve();
    let states = twelve_states(&catalogue, "calculate", "plot");
    let universe = ToolSet::all(catalogue.len());
    let nothing = ToolSet::none(catalogue.len());
    for code in 0..248_832_usize {
        let layers: Vec<Cow<'_, CompiledLayer>> = (0..5)
            .map(|place| Cow::Borrowed(&states[code / 12_usize.pow(place) % 12]))
            .collect();
        let set = effective(&universe, &layers, &nothing);
        assert!(!set.contains(catalogue.len()) && !set.contains(63) && !set.contains(1_000));
        assert!(set.is_subset(&universe));
        for layer in &layers {
            assert!(
                layer
                    .allow
                    .as_ref()
                    .is_none_or(|allow| set.is_subset(allow))
            );
        }
    }
}

/// The decision on a call, with the rules of one configuration.
fn decide_with(config: &str, role: &str, tool: &str, args: &str) -> Decision {
    let catalogue = twelve();
    let (_, policy) =
        Config::load("mathchain.toml", config, &catalogue).unwrap_or_else(|err| panic!("{err}"));
    let caller = policy
        .caller(&catalogue, role, &[], &Facts::default())
        .unwrap();
    let mut files = FakeFiles::default();
    files
        .links
        .insert("out/link".to_owned(), "secret".to_owned());
    let index = catalogue.index(tool).unwrap();
    let found = catalogue.tool(index);
    let call = found
        .decode(&tool_core::json::parse(args, tool_core::json::Limits::default()).unwrap())
        .unwrap();
    let facts = CallFacts::of(found, call.as_ref(), Some(&files));
    caller.decide(&catalogue, index, Some(&facts), Some(&files))
}

fn rules(rules: &str) -> String {
    format!("version = 1\n[[policies]]\nlevel = \"global\"\n{rules}")
}

#[test]
fn the_permission_table_holds_where_no_rule_does() {
    let hosts = "version = 1\n[permissions.network]\nallowed_hosts = [\"en.example.org\", \"*.data.example\"]\n";
    let narrow = "version = 1\n[permissions.filesystem]\nallowed_paths = [\"data\"]\n";
    let free = "version = 1\n[permissions.filesystem]\nrequires_approval = false\n";
    let strict = "version = 1\n[permissions.compute]\nrequires_approval = true\n";
    let none = "version = 1\n";
    let cases = [
        (none, "calculate", r#"{"x":1}"#, Verdict::Allow),
        (strict, "calculate", r#"{"x":1}"#, Verdict::Ask),
        (none, "read_file", r#"{"path":"data/a"}"#, Verdict::Allow),
        (narrow, "read_file", r#"{"path":"data/a"}"#, Verdict::Allow),
        (narrow, "read_file", r#"{"path":"data2/a"}"#, Verdict::Ask),
        (narrow, "read_file", r#"{"path":"data/../x"}"#, Verdict::Ask),
        (none, "write_file", r#"{"path":"out/a"}"#, Verdict::Ask),
        (free, "write_file", r#"{"path":"out/a"}"#, Verdict::Allow),
        (
            free,
            "write_file",
            r#"{"path":"out/a","overwrite":true}"#,
            Verdict::Ask,
        ),
        (none, "run_shell", r#"{"argv":["ls"]}"#, Verdict::Ask),
        (
            none,
            "web_fetch",
            r#"{"url":"https://en.example.org/"}"#,
            Verdict::Ask,
        ),
        (
            hosts,
            "web_fetch",
            r#"{"url":"https://EN.example.org.:443/x"}"#,
            Verdict::Allow,
        ),
        (
            hosts,
            "web_fetch",
            r#"{"url":"https://a.data.example/"}"#,
            Verdict::Allow,
        ),
        (
            hosts,
            "web_fetch",
            r#"{"url":"https://data.example/"}"#,
            Verdict::Ask,
        ),
        (
            hosts,
            "web_fetch",
            r#"{"url":"https://evildata.example/"}"#,
            Verdict::Ask,
        ),
        (
            hosts,
            "web_fetch",
            r#"{"url":"https://en.example.org@evil.example/"}"#,
            Verdict::Ask,
        ),
        (
            hosts,
            "web_fetch",
            r#"{"url":"https://evil.example\\@en.example.org/"}"#,
            Verdict::Ask,
        ),
        (
            hosts,
            "web_fetch",
            r#"{"url":"file:///etc/passwd"}"#,
            Verdict::Ask,
        ),
        (hosts, "web_search", r#"{"x":1}"#, Verdict::Ask),
    ];
    for (config, tool, args, expected) in cases {
        let found = decide_with(config, "operator", tool, args);
        assert_eq!(found.verdict, expected, "{tool} {args}: {}", found.reason);
        assert_eq!(found.layer, "defaults");
    }
}

#[test]
fn the_strictest_explicit_rule_holds_and_replaces_only_defaults() {
    let out = "[[policies.rules]]\nmatch = { tools = [\"write_file\"], path = { under = \"out\" } }\ndecision = \"allow\"\n";
    let group = "[[policies.rules]]\nmatch = { tools = [\"group:write\"] }\ndecision = \"allow\"\n";
    let ask = "[[policies.rules]]\nmatch = { tools = [\"write_file\"] }\ndecision = \"ask\"\nreason = \"careful\"\n";
    let deny = "[[policies.rules]]\nmatch = { tools = [\"group:all\"], path = { under = \"secret\" } }\ndecision = \"deny\"\n";
    let in_out = r#"{"path":"out/x"}"#;
    let over = r#"{"path":"out/x","overwrite":true}"#;
    let cases = [
        (rules(out), "write_file", in_out, Verdict::Allow),
        (rules(out), "write_file", over, Verdict::Allow),
        (rules(group), "write_file", in_out, Verdict::Allow),
        (rules(group), "write_file", over, Verdict::Ask), // it does not name that very tool
        (
            rules(&format!("{out}{ask}")),
            "write_file",
            in_out,
            Verdict::Ask,
        ),
        (
            rules(&format!("{ask}{out}")),
            "write_file",
            in_out,
            Verdict::Ask,
        ),
        (
            rules(out),
            "write_file",
            r#"{"path":"output/x"}"#,
            Verdict::Ask,
        ),
        (
            rules(out),
            "write_file",
            r#"{"path":"out"}"#,
            Verdict::Allow,
        ),
        (
            rules(out),
            "write_file",
            r#"{"path":"./out//a/../x"}"#,
            Verdict::Allow,
        ),
        (
            rules(out),
            "write_file",
            r#"{"path":"out/../x"}"#,
            Verdict::Ask,
        ),
        (
            rules(out),
            "write_file",
            r#"{"path":"../out/x"}"#,
            Verdict::Ask,
        ),
        (
            rules(out),
            "write_file",
            r#"{"path":"/out/x"}"#,
            Verdict::Ask,
        ),
        (
            rules(out),
            "write_file",
            r#"{"path":"out/link/x"}"#,
            Verdict::Ask,
        ), // a link to `secret`
        (
            rules(&format!("{out}{deny}")),
            "write_file",
            r#"{"path":"out/link/x"}"#,
            Verdict::Deny,
        ),
        (
            rules(&format!("{out}{deny}")),
            "write_file",
            r#"{"path":"../x"}"#,
            Verdict::Deny,
        ), // cannot be told: still denied
        (
            rules(&format!("{out}{deny}")),
            "write_file",
            r#"{"path":"secrets/x"}"#,
            Verdict::Ask,
        ),
        (
            rules(&format!("{group}{deny}")),
            "write_file",
            r#"{"path":"secret"}"#,
            Verdict::Deny,
        ),
        (
            rules(deny),
            "plot",
            r#"{"text":{"$file":"secret/key"}}"#,
            Verdict::Deny,
        ),
        (
            rules(deny),
            "plot",
            r#"{"text":{"$file":"data/a.txt"}}"#,
            Verdict::Allow,
        ),
    ];
    for (config, tool, args, expected) in cases {
        let found = decide_with(&config, "operator", tool, args);
        assert_eq!(
            found.verdict, expected,
            "{args}: {} in\n{config}",
            found.reason
        );
    }
    let asked = decide_with(
        &rules(&format!("{out}{ask}")),
        "operator",
        "write_file",
        in_out,
    );
    assert_eq!(
        (asked.layer.as_str(), asked.reason.as_str()),
        ("global", "careful")
    );
    assert_eq!(asked.rule.as_deref(), Some("mathchain.toml:7"));
}

#[test]
fn a_role_layer_does_not_waive_the_question_before_destruction() {
    let config = "version = 1\n[[policies]]\nlevel = \"role\"\nname = \"operator\"\n[[policies.rules]]\nmatch = { tools = [\"write_file\"] }\ndecision = \"allow\"\n";
    assert_eq!(
        decide_with(config, "operator", "write_file", r#"{"path":"a"}"#).verdict,
        Verdict::Allow
    );
    assert_eq!(
        decide_with(
            config,
            "operator",
            "write_file",
            r#"{"path":"a","overwrite":true}"#
        )
        .verdict,
        Verdict::Ask
    );
    assert_eq!(
        decide_with(config, "toolrunner", "write_file", r#"{"path":"a"}"#).verdict,
        Verdict::Ask
    );
    let user = config.replace("level = \"role\"\nname = \"operator\"", "level = \"user\"");
    assert_eq!(
        decide_with(
            &user,
            "operator",
            "write_file",
            r#"{"path":"a","overwrite":true}"#
        )
        .verdict,
        Verdict::Allow
    );
}

#[test]
fn rules_match_on_parsed_values() {
    let rule = |tool: &str, condition: &str, decision: &str| {
        rules(&format!(
            "[[policies.rules]]\nmatch = {{ tools = [\"{tool}\"], {condition} }}\ndecision = \"{decision}\"\n"
        ))
    };
    let cases = [
        (
            "run_shell",
            "argv = { prefix = [\"git\", \"status\"] }",
            "allow",
            r#"{"argv":["git","status","-s"]}"#,
            Verdict::Allow,
        ),
        (
            "run_shell",
            "argv = { prefix = [\"git\", \"status\"] }",
            "allow",
            r#"{"argv":["git","push"]}"#,
            Verdict::Ask,
        ),
        (
            "run_shell",
            "argv = { prefix = [\"git\", \"status\"] }",
            "allow",
            r#"{"argv":["git"]}"#,
            Verdict::Ask,
        ),
        (
            "run_shell",
            "argv = { prefix = [\"git\"] }",
            "allow",
            r#"{"argv":["evil/git"]}"#,
            Verdict::Ask,
        ),
        (
            "run_shell",
            "argv = { prefix = [\"git\", \"push\"] }",
            "deny",
            r#"{"argv":["/usr/bin/git","push"]}"#,
            Verdict::Deny,
        ),
        (
            "run_shell",
            "argv = { prefix = [\"git\", \"push\"] }",
            "deny",
            r#"{"argv":["git","pushy"]}"#,
            Verdict::Ask,
        ),
        (
            "run_shell",
            "argv = { prefix = [\"git\"] }",
            "deny",
            r#"{"argv":[]}"#,
            Verdict::Deny,
        ),
        (
            "web_fetch",
            "url = { host = \"*.example.org\" }",
            "allow",
            r#"{"url":"http://a.example.org:80/x"}"#,
            Verdict::Allow,
        ),
        (
            "web_fetch",
            "url = { host = \"*.example.org\" }",
            "allow",
            r#"{"url":"http://example.org/"}"#,
            Verdict::Ask,
        ),
        (
            "web_fetch",
            "url = { host = [\"bad.example\"] }",
            "deny",
            r#"{"url":"http://user:x@BAD.example/"}"#,
            Verdict::Deny,
        ),
        (
            "web_fetch",
            "url = { host = [\"bad.example\"] }",
            "deny",
            r#"{"url":"gopher://x"}"#,
            Verdict::Deny,
        ),
        (
            "calculate",
            "number = { argument = \"x\", min = 10 }",
            "deny",
            r#"{"x":10}"#,
            Verdict::Deny,
        ),
        (
            "calculate",
            "number = { argument = \"x\", min = 10 }",
            "deny",
            r#"{"x":9,"count":50}"#,
            Verdict::Allow,
        ),
        (
            "calculate",
            "number = { min = 10 }",
            "ask",
            r#"{"x":9,"count":50}"#,
            Verdict::Ask,
        ),
        (
            "calculate",
            "number = { argument = \"count\", max = 3 }",
            "deny",
            r#"{"x":1}"#,
            Verdict::Allow,
        ),
        (
            "write_file",
            "bytes = { max = 4 }",
            "allow",
            r#"{"path":"a","content":"1234"}"#,
            Verdict::Allow,
        ),
        (
            "write_file",
            "bytes = { max = 4 }",
            "allow",
            r#"{"path":"a","content":"12345"}"#,
            Verdict::Ask,
        ),
    ];
    for (tool, condition, decision, args, expected) in cases {
        let found = decide_with(&rule(tool, condition, decision), "operator", tool, args);
        assert_eq!(
            found.verdict, expected,
            "{decision} {condition} on {args}: {}",
            found.reason
        );
    }
}

#[test]
fn a_file_argument_needs_the_reader_to_be_allowed_for_that_caller_on_that_path() {
    let none = "version = 1\n";
    let plot = r#"{"text":{"$file":"data/a.txt"}}"#;
    assert_eq!(
        decide_with(none, "operator", "plot", plot).verdict,
        Verdict::Allow
    );
    let hidden = decide_with(none, "worker_math", "plot", plot);
    assert_eq!(
        hidden.verdict,
        Verdict::Deny,
        "worker_math does not see read_file"
    );
    assert!(
        hidden.reason.contains("needs `read_file`"),
        "{}",
        hidden.reason
    );
    assert_eq!(
        decide_with(none, "worker_math", "plot", r#"{"text":"inline"}"#).verdict,
        Verdict::Allow
    );
    let ask = rules(
        "[[policies.rules]]\nmatch = { tools = [\"read_file\"], path = { under = \"data\" } }\ndecision = \"ask\"\n",
    );
    assert_eq!(
        decide_with(&ask, "operator", "plot", plot).verdict,
        Verdict::Ask
    );
    assert_eq!(
        decide_with(&ask, "operator", "plot", r#"{"text":{"$file":"other"}}"#).verdict,
        Verdict::Allow
    );
    let link = rules(
        "[[policies.rules]]\nmatch = { tools = [\"read_file\"], path = { under = \"secret\" } }\ndecision = \"deny\"\n",
    );
    assert_eq!(
        decide_with(
            &link,
            "operator",
            "plot",
            r#"{"text":{"$file":"out/link/key"}}"#
        )
        .verdict,
        Verdict::Deny
    );
}

#[test]
fn obligations_join_to_the_strictest() {
    let config = rules(
        "[[policies.rules]]\nmatch = { tools = [\"write_file\"] }\ndecision = \"allow\"\nobligations = [{ max_bytes = 100 }, \"redact\"]\n\
         [[policies.rules]]\nmatch = { tools = [\"group:write\"] }\ndecision = \"allow\"\nobligations = [{ max_bytes = 50 }, { timeout_ms = 9 }]\n",
    );
    let found = decide_with(&config, "operator", "write_file", r#"{"path":"a"}"#);
    assert_eq!(
        found.obligations,
        Obligations {
            backup: false,
            notify: false,
            redact: true,
            max_bytes: Some(50),
            timeout_ms: Some(9)
        }
    );
}

#[test]
fn a_rule_that_can_never_match_is_an_error() {
    for (rule, expected) in [
        (
            "match = { tools = [\"calculate\"], path = { under = \"x\" } }\ndecision = \"deny\"",
            "uses paths",
        ),
        (
            "match = { tools = [\"plot\"], path = { under = \"x\" } }\ndecision = \"allow\"",
            "uses paths",
        ),
        (
            "match = { tools = [\"calculate\"], argv = { prefix = [\"git\"] } }\ndecision = \"deny\"",
            "runs programs",
        ),
        (
            "match = { tools = [\"calculate\"], url = { host = \"x.example\" } }\ndecision = \"deny\"",
            "reaches a host",
        ),
        (
            "match = { tools = [\"calculate\"], number = { min = 2, max = 1 } }\ndecision = \"deny\"",
            "`number.min` is greater",
        ),
        (
            "match = { tools = [\"calculate\"], number = { argument = \"coumt\", min = 2 } }\ndecision = \"deny\"",
            "did you mean `count`?",
        ),
        (
            "match = { tools = [\"calculate\"], bytes = { max = -1 } }\ndecision = \"deny\"",
            "never negative",
        ),
        (
            "match = { tools = [\"category:archive\"] }\ndecision = \"deny\"",
            "no tool is selected",
        ),
        (
            "match = { tools = [] }\ndecision = \"deny\"",
            "a rule names its tools",
        ),
        (
            "match = { tools = [\"write_file\"], path = { under = \"../x\" } }\ndecision = \"deny\"",
            "inside the workspace",
        ),
        (
            "match = { tools = [\"write_file\"], path = { under = [] } }\ndecision = \"deny\"",
            "lists no path",
        ),
        (
            "match = { tools = [\"web_fetch\"], url = { host = \"http://x\" } }\ndecision = \"deny\"",
            "expected a host",
        ),
        (
            "match = { tools = [\"write_file\"], role = \"operater\" }\ndecision = \"deny\"",
            "did you mean `operator`?",
        ),
    ] {
        let catalogue = twelve();
        let config = rules(&format!("[[policies.rules]]\n{rule}\n"));
        let error = Config::load("mathchain.toml", &config, &catalogue)
            .expect_err(rule)
            .to_string();
        assert!(error.contains(expected), "{rule}: {error}");
        assert!(error.contains("mathchain.toml:"), "{error}");
    }
    let hidden = "version = 1\n[[policies]]\nlevel = \"global\"\ndeny = [\"group:write\"]\n[[policies.rules]]\nmatch = { tools = [\"write_file\"] }\ndecision = \"ask\"\n";
    let error = Config::load("m.toml", hidden, &twelve())
        .unwrap_err()
        .to_string();
    assert!(error.contains("its own layer hides"), "{error}");
}

#[test]
fn a_layer_of_a_call_only_narrows() {
    let catalogue = twelve();
    let policy = Policy::compile(&catalogue, &Config::default(), &[]).unwrap();
    let allowing = Layer::new(Level::User, "x").rule(Rule::new(Verdict::Allow, ["write_file"]));
    let error = policy
        .caller(&catalogue, "operator", &[allowing], &Facts::default())
        .unwrap_err();
    assert_eq!(error.code(), ErrorCode::PolicyDenied);
    let misspelt = Layer::new(Level::Delegation, "x").deny(["group:wirte"]);
    assert!(
        policy
            .caller(&catalogue, "operator", &[misspelt], &Facts::default())
            .is_err()
    );
    let parent = policy
        .caller(&catalogue, "worker_math", &[], &Facts::default())
        .unwrap();
    let widening = Layer::new(Level::Delegation, "x").allow(["group:all"]);
    let child = policy
        .caller(&catalogue, "worker_math", &[widening], &Facts::default())
        .unwrap();
    assert_eq!(child.visible(), parent.visible());
}

#[test]
fn unmet_preconditions_hide_with_their_reason() {
    static NEEDS: &[tool_core::Entry] = &[tool_core::entry::<Needs>()];
    crate::fakes::fake!(Needs(crate::fakes::Nothing) { id: "needs", preconditions: &["workspace=ready"] } = |_, _| Ok(Value::Null));
    use tool_core::{Ctx, Example, Spec, Tool, ToolError};
    let catalogue = Catalogue::new(&[NEEDS]).unwrap();
    let policy = Policy::compile(&catalogue, &Config::default(), &[]).unwrap();
    let caller = policy
        .caller(&catalogue, "operator", &[], &Facts::default())
        .unwrap();
    assert!(
        caller
            .hidden(&catalogue, 0)
            .unwrap()
            .reason
            .contains("workspace=ready")
    );
    let facts = Facts::default().with("workspace=ready");
    assert!(
        policy
            .caller(&catalogue, "operator", &[], &facts)
            .unwrap()
            .visible()
            .contains(0)
    );
}

#[test]
fn an_explanation_names_every_layer_and_rule_and_what_would_help() {
    let catalogue = twelve();
    let config = "version = 1\n[[policies]]\nlevel = \"global\"\ndeny = [\"raw_exec\"]\n[[policies.rules]]\nmatch = { tools = [\"write_file\"], path = { under = \"secret\" } }\ndecision = \"deny\"\n";
    let (_, policy) = Config::load("m.toml", config, &catalogue).unwrap();
    let facts = Facts::default();
    let explain = |tool: &str, role: &str| {
        policy
            .explain(
                &catalogue,
                (tool, None),
                (role, &[Layer::no_web()]),
                &facts,
                None,
            )
            .unwrap()
    };
    let denied = explain("raw_exec", "operator");
    assert!(!denied.visible && denied.decision.layer == "global");
    assert_eq!(
        denied
            .layers
            .iter()
            .map(|step| step.effect)
            .collect::<Vec<_>>(),
        ["lists", "denies", "inherits", "inherits"]
    );
    let hidden = explain("calculate", "frontdoor");
    assert_eq!(hidden.decision.layer, "role `frontdoor`");
    let no_web = explain("web_fetch", "operator");
    assert_eq!(no_web.decision.layer, "task `no_web`");
    let could = explain("write_file", "operator");
    assert_eq!(
        (could.decision.verdict, could.decision.certain),
        (Verdict::Deny, false),
        "the strictest that could come"
    );
    assert_eq!(
        (could.rules[0].fit, could.rules[0].counts),
        ("cannot be told", true)
    );
    assert!(could.remedy.is_some());
    assert_eq!(explain("calculate", "operator").remedy, None);
    assert_eq!(
        could.to_value().pointer("/rules/0/rule"),
        Some(Value::from("m.toml:5"))
    );
    let unknown = policy
        .explain(
            &catalogue,
            ("calculat", None),
            ("operator", &[]),
            &facts,
            None,
        )
        .unwrap_err();
    assert_eq!(unknown.hint_str(), Some("did you mean `calculate`?"));
}

#[test]
fn generations_change_with_what_decisions_depend_on() {
    let catalogue = twelve();
    let generation = |config: &str| {
        Config::load("m.toml", config, &catalogue)
            .unwrap()
            .1
            .generation()
            .to_owned()
    };
    let plain = generation("version = 1\n");
    assert_eq!(
        plain,
        generation("version = 1\n[limits]\ntimeout_ms = 5\n"),
        "limits decide nothing here"
    );
    assert_ne!(
        plain,
        generation("version = 1\n[permissions.shell]\nrequires_approval = false\n")
    );
    assert_ne!(plain, generation(&rules("deny = [\"plot\"]\n")));
    let fewer = Catalogue::new(&[&crate::fakes::TWELVE[..11]]).unwrap();
    assert_ne!(
        plain,
        Config::load("m.toml", "version = 1\n", &fewer)
            .unwrap()
            .1
            .generation()
    );
}

proptest::proptest! {
    #[test]
    fn normalised_paths_never_escape_and_are_stable(path in "(\\.\\./|\\./|/|a|b|\\.\\.|\\.){0,8}") {
        if let Some(parts) = components(&path) {
            proptest::prop_assert!(parts.iter().all(|part| part != ".." && part != "." && !part.is_empty() && !part.contains('/')));
            proptest::prop_assert_eq!(components(&parts.join("/")), Some(parts));
        }
    }

    #[test]
    fn p8_adding_a_tool_changes_no_other_decision(count in 1_usize..12, role in 0_usize..9) {
        let all = twelve();
        let fewer = Catalogue::new(&[&crate::fakes::TWELVE[..count]]).unwrap();
        let big = Policy::compile(&all, &Config::default(), &[]).unwrap();
        let small = Policy::compile(&fewer, &Config::default(), &[]).unwrap();
        let role = big.roles().nth(role).unwrap().0.to_owned();
        let in_big = big.caller(&all, &role, &[], &Facts::default()).unwrap();
        let in_small = small.caller(&fewer, &role, &[], &Facts::default()).unwrap();
        for tool in 0..count {
            proptest::prop_assert_eq!(in_big.decide(&all, tool, None, None), in_small.decide(&fewer, tool, None, None));
        }
    }
}
