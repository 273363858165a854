//! What layers, selectors and roles leave visible, and why.

use super::*;

#[test]
fn what_chains_of_layers_leave_visible() {
    let catalogue = twelve();
    let all: BTreeSet<String> = catalogue.ids().map(str::to_owned).collect();
    let without = |hidden: &[&str]| &all - &names(hidden);
    let role = |name| PolicyLayer::new(Level::Role, name);
    let task = |name| PolicyLayer::new(Level::Task, name);
    let cases: Vec<(&str, Vec<PolicyLayer>, BTreeSet<String>)> = vec![
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

/// A tool of another system that is denied does not exist here, and the error says what to do about that.
#[test]
fn a_denial_of_no_tool_says_to_remove_it() {
    let catalogue = twelve();
    let error = |layer: PolicyLayer| visible(&catalogue, &[layer]).unwrap_err().to_string();
    let hint = "what is no tool cannot be called: remove the name";
    let denied = error(global().deny(["transmogrify"]));
    assert!(
        denied.contains("no tool named `transmogrify`") && denied.contains(hint),
        "{denied}"
    );
    assert!(!error(global().allow(["transmogrify"])).contains(hint));
    assert!(!error(global().deny(["raed_file"])).contains(hint));
}

#[test]
fn unknown_names_are_errors_with_the_nearest() {
    let catalogue = twelve();
    for (selector, expected) in [
        ("group:nonexistent", "no group named `nonexistent`"),
        ("group:wirte", "did you mean `group:write`?"),
        ("category:maths", "did you mean `category:math`?"),
        (
            "effect:modify_files",
            "did you mean `effect:modifies_files`?",
        ),
        ("permission:netwrok", "did you mean `permission:network`?"),
        ("tag:raw_exec", "did you mean `tag:raw-exec`?"),
        ("raed_file", "did you mean `read_file`?"),
        ("write", "did you mean `group:write`?"),
        ("grop:write", "did you mean `group:`?"),
        ("foo_*", "no tool fits the pattern"),
    ] {
        for layer in [
            global().allow([selector]),
            global().deny([selector]),
            global().rule(PolicyRule::new(Verdict::Deny, [selector])),
        ] {
            let error = visible(&catalogue, &[layer])
                .expect_err(selector)
                .to_string();
            assert!(error.contains(expected), "{selector}: {error}");
        }
    }
}

#[test]
fn read_only_hides_all_that_writes_and_no_web_all_that_reaches_the_network() {
    let catalogue = twelve();
    let writing = names(&["write_file", "edit_file", "run_shell", "raw_exec"]);
    let web = names(&["web_fetch", "web_search"]);
    let all: BTreeSet<String> = catalogue.ids().map(str::to_owned).collect();
    assert_eq!(
        visible(&catalogue, &[PolicyLayer::read_only()]).unwrap(),
        &all - &writing
    );
    assert_eq!(
        visible(&catalogue, &[PolicyLayer::no_web()]).unwrap(),
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
    let web = ToolGroup::Web;
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
fn an_unknown_role_may_call_nothing() {
    let catalogue = twelve();
    let policy = Policy::compile(&catalogue, &Config::default(), &[]).unwrap();
    let error = policy
        .caller(&catalogue, &Principal::role("worker_maths"), &ready())
        .unwrap_err();
    assert_eq!(error.code(), ErrorCode::NotVisible);
    assert_eq!(error.hint_str(), Some("did you mean `worker_math`?"));
}

#[test]
fn kinds_of_tasks_imply_contexts() {
    for kind in ["math", "thinking", "instruction_precision"] {
        assert_eq!(context_of_task(kind), vec![PolicyLayer::no_web()], "{kind}");
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
            .caller(&catalogue, &Principal::role(role), &ready())
            .unwrap();
        for (index, tool) in catalogue.iter().enumerate() {
            let spec = tool.spec();
            // As in the earlier system, general work reads files; there they were `data`.
            let reads = role == "worker_general"
                && ToolGroup::Read.contains(spec)
                && spec.category != Category::Code;
            let expected = categories.contains(&spec.category) || reads;
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
            .caller(&catalogue, &Principal::role(role), &ready())
            .unwrap();
        assert_eq!(caller.visible(), &ToolSet::all(catalogue.len()), "{role}");
    }
    assert_eq!(policy.roles().count(), 16);
    assert_eq!(policy.default_role(), "operator");
}

#[test]
fn roles_of_workflows_have_what_their_work_needs() {
    let catalogue = twelve();
    let policy = Policy::compile(&catalogue, &Config::default(), &[]).unwrap();
    let seen = |role: &str| {
        let caller = policy.caller(&catalogue, &Principal::role(role), &ready());
        caller.unwrap().visible().clone()
    };
    let writing = ToolSet::of(catalogue.len(), |tool| {
        ToolGroup::Write.contains(catalogue.tool(tool).spec())
    });
    for role in ["ideation", "review", "commit"] {
        let mut written = seen(role);
        written.intersect(&writing);
        assert!(written.is_empty(), "{role}: {written:?}");
        assert!(seen(role).contains(catalogue.index("read_file").unwrap()));
    }
    // A delegate has at most what its role has, so who hands work on can do what is handed on.
    for (smaller, larger) in [
        ("ideation", "orchestration"),
        ("design", "orchestration"),
        ("impl", "orchestration"),
        ("review", "orchestration"),
        ("commit", "orchestration"),
        ("orchestration", "control"),
    ] {
        assert!(seen(smaller).is_subset(&seen(larger)), "{smaller} {larger}");
    }
    assert!(seen("impl").contains(catalogue.index("run_shell").unwrap()));
    assert!(!seen("design").contains(catalogue.index("run_shell").unwrap()));
    assert_eq!(seen("control"), ToolSet::all(catalogue.len()));
}

#[test]
fn the_layer_of_flat_permissions_equals_their_rule_on_every_tool() {
    let catalogue = twelve();
    let categories = [Category::Web, Category::System, Category::Math];
    let tools = ["web_fetch", "write_file", "plot"];
    let subset = |bits: usize, of: &[&str]| {
        of.iter()
            .enumerate()
            .filter(|(bit, _)| bits >> bit & 1 == 1)
            .map(|(_, name)| ToolSelector::from(*name))
            .collect::<Vec<_>>()
    };
    for bits in 0..1 << 10 {
        let permissions = crate::load::RolePermissions {
            description: String::new(),
            web_access: bits & 1 == 1,
            allowed_categories: categories
                .iter()
                .enumerate()
                .filter(|(bit, _)| bits >> (1 + bit) & 1 == 1)
                .map(|(_, category)| ToolSelector::from(category.as_str()))
                .collect(),
            allowed_tools: subset(bits >> 4, &tools),
            forbidden_tools: subset(bits >> 7, &tools),
            name: "r".to_owned(),
            place: None,
        };
        let shown = visible(&catalogue, &[permissions.to_layer()]).unwrap();
        for tool in catalogue.iter() {
            let spec = tool.spec();
            let listed =
                |list: &[ToolSelector], wanted: &str| list.iter().any(|name| name.text == wanted);
            let by_category = listed(&permissions.allowed_categories, spec.category.as_str())
                && (spec.category != Category::Web || permissions.web_access);
            let legacy = !listed(&permissions.forbidden_tools, spec.id)
                && (listed(&permissions.allowed_tools, spec.id) || by_category);
            assert_eq!(
                shown.contains(spec.id),
                legacy,
                "{} {permissions:?}",
                spec.id
            );
        }
    }
}

#[test]
fn a_layer_of_a_call_only_narrows() {
    let catalogue = twelve();
    let policy = Policy::compile(&catalogue, &Config::default(), &[]).unwrap();
    let allowing =
        PolicyLayer::new(Level::User, "x").rule(PolicyRule::new(Verdict::Allow, ["write_file"]));
    let error = policy
        .caller(
            &catalogue,
            &Principal::role("operator").narrow(allowing),
            &ready(),
        )
        .unwrap_err();
    assert_eq!(error.code(), ErrorCode::PolicyDenied);
    let misspelt = PolicyLayer::new(Level::Delegation, "x").deny(["group:wirte"]);
    assert!(
        policy
            .caller(
                &catalogue,
                &Principal::role("operator").narrow(misspelt),
                &ready()
            )
            .is_err()
    );
    let parent = policy
        .caller(&catalogue, &Principal::role("worker_math"), &ready())
        .unwrap();
    let widening = PolicyLayer::new(Level::Delegation, "x").allow(["group:all"]);
    let child = policy
        .caller(
            &catalogue,
            &Principal::role("worker_math").narrow(widening),
            &ready(),
        )
        .unwrap();
    assert_eq!(child.visible(), parent.visible());
}

#[test]
fn unmet_preconditions_hide_with_their_reason() {
    static NEEDS: &[tool_core::ErasedTool] = &[tool_core::tool_entry::<Needs>()];
    fakes::tool!(Needs(fakes::NoArgs) { id: "needs", preconditions: &["workspace=ready"] } = |_, _| Ok(Value::Null));
    let catalogue = Catalogue::new(&[NEEDS]).unwrap();
    let policy = Policy::compile(&catalogue, &Config::default(), &[]).unwrap();
    let caller = policy
        .caller(
            &catalogue,
            &Principal::role("operator"),
            &RuntimeFacts::default(),
        )
        .unwrap();
    assert!(
        caller
            .hidden(&catalogue, 0)
            .unwrap()
            .reason
            .contains("workspace=ready")
    );
    let facts = RuntimeFacts::default().with("workspace=ready");
    assert!(
        policy
            .caller(&catalogue, &Principal::role("operator"), &facts)
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
    let facts = ready();
    let explain = |tool: &str, role: &str| {
        policy
            .explain(
                &catalogue,
                (tool, None),
                &Principal::role(role).narrow(PolicyLayer::no_web()),
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
        ["lists", "denies", "lists", "inherits"]
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
    assert!(could.what_would_allow.is_some());
    assert_eq!(explain("calculate", "operator").what_would_allow, None);
    assert_eq!(
        could.to_value().pointer("/rules/0/rule"),
        Some(Value::from("m.toml:5"))
    );
    let unknown = policy
        .explain(
            &catalogue,
            ("calculat", None),
            &Principal::role("operator"),
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
    let fewer = Catalogue::new(&[&fakes::TWELVE[..11]]).unwrap();
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
        if let Some(parts) = relative_path_components(&path) {
            proptest::prop_assert!(parts.iter().all(|part| part != ".." && part != "." && !part.is_empty() && !part.contains('/')));
            proptest::prop_assert_eq!(relative_path_components(&parts.join("/")), Some(parts));
        }
    }

    #[test]
    fn adding_a_tool_changes_no_other_decision(count in 1_usize..12, role in 0_usize..9) {
        let all = twelve();
        let fewer = Catalogue::new(&[&fakes::TWELVE[..count]]).unwrap();
        let big = Policy::compile(&all, &Config::default(), &[]).unwrap();
        let small = Policy::compile(&fewer, &Config::default(), &[]).unwrap();
        let role = big.roles().nth(role).unwrap().0.to_owned();
        let in_big = big.caller(&all, &Principal::role(role.as_str()), &ready()).unwrap();
        let in_small = small.caller(&fewer, &Principal::role(role.as_str()), &ready()).unwrap();
        for tool in 0..count {
            proptest::prop_assert_eq!(in_big.decide(&all, tool, None, None), in_small.decide(&fewer, tool, None, None));
        }
    }
}
