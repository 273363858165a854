use tool_core::Category;

use crate::fakes::twelve;
use crate::model::Principal;
use crate::model::*;
use crate::policy::{Policy, RuntimeFacts};

fn compiled(roles: &[&str], tools: &[&str]) -> Result<Policy, Vec<String>> {
    let file = |kind: &str, number: usize, text: &str| NamedFile {
        path: ToolSelector::from(format!("{kind}{number}.yaml").as_str()),
        text: Ok(text.to_owned()),
    };
    let all = |kind: &str, texts: &[&str]| {
        let files = texts.iter().enumerate();
        files
            .map(|(number, text)| file(kind, number, text))
            .collect()
    };
    let config = Config {
        files: LegacyFiles {
            roles: all("roles", roles),
            tools: all("tools", tools),
        },
        ..Config::default()
    };
    Policy::compile(&twelve(), &config, &[])
        .map_err(|errors| errors.into_list().iter().map(ToString::to_string).collect())
}

fn seen(policy: &Policy, role: &str) -> Vec<&'static str> {
    let catalogue = twelve();
    let facts = RuntimeFacts::default().with("workspace=ready");
    let caller = policy
        .caller(&catalogue, &Principal::role(role), &facts)
        .unwrap();
    caller
        .visible()
        .iter()
        .map(|tool| catalogue.tool(tool).spec().id)
        .collect()
}

#[test]
fn roles_of_an_index_see_the_tools_they_list_and_nothing_else() {
    let roles = "roles:\n- id: a\n  name: A\n  toolIds: [plot, read_file, task:start]\n- {id: b, toolIds: []}\n";
    let tools = "tools:\n- {id: task:start, mutates: true, parameters: {}}\n- {id: write_file, mutates: false}\n";
    let policy = compiled(&[roles], &[tools]).unwrap();
    assert_eq!(seen(&policy, "a"), ["read_file", "plot"]);
    assert!(seen(&policy, "b").is_empty());
    let notes: Vec<String> = policy.notes().iter().map(ToString::to_string).collect();
    assert_eq!(notes.len(), 2, "{notes:?}");
    assert!(
        notes[0].contains("tools0.yaml:3")
            && notes[0].contains("`write_file` changes nothing by this index")
    );
    assert!(
        notes[1].contains("roles0.yaml:2") && notes[1].contains("`task:start`"),
        "{notes:?}"
    );
}

#[test]
fn what_nobody_knows_is_an_error_with_its_place() {
    let roles = "roles:\n- {id: a, toolIds: [red_file, task:begin]}\n- {id: a, toolIds: []}\n- {toolIds: [plot], tool: x}\n";
    let tools = "tools:\n- {id: task:begins, roles: [imp]}\n- {id: task:begins, mutates: 1}\n";
    let errors = compiled(&[roles], &[tools]).unwrap_err();
    for part in [
        "roles0.yaml:2:21: no tool named `red_file` (did you mean `read_file`?)",
        "no tool named `task:begin` (did you mean `task:begins`?)",
        "roles0.yaml:3:3: two roles are named `a`",
        "roles0.yaml:4:3: missing key `id`",
        "unknown key `tool`",
        "no role named `imp` (did you mean `impl`?)",
        "two tools have the id `task:begins`",
        "expected true or false, found",
    ] {
        assert!(
            errors.iter().any(|error| error.contains(part)),
            "{part}: {errors:#?}"
        );
    }
    assert_eq!(errors.len(), 8, "{errors:#?}");
    let config = Config::parse("c.toml", "version = 1\n[files]\nroles = [\"../r.yaml\"]\n");
    assert!(
        config
            .unwrap_err()
            .to_string()
            .contains("below the folder of this file")
    );
    let config = Config::parse("c.toml", "version = 1\n[files]\nroles = [\"r.yaml\"]\n").unwrap();
    let unread = Policy::compile(&twelve(), &config, &[])
        .unwrap_err()
        .to_string();
    assert!(
        unread.contains("c.toml:3:10") && unread.contains("cannot read `r.yaml`"),
        "{unread}"
    );
}

#[test]
fn an_index_with_categories_is_checked_against_them() {
    let categories = "categories:\n- {id: task, name: Tasks, description: of a chain, order: 1}\n- {id: filesystem, name: Files, order: 2}\n";
    let tools = "generatedAt: 2025-12-14T17:30:00.000Z\ncategories: [{id: command}]\ntools:\n- {id: task:start, category: task, mutates: true, roles: [implementer, control]}\n- {id: read_file, category: filesystem}\n- {id: run_shell, category: command, effects: [local_exec]}\n";
    let roles = "roles:\n- {id: a, toolIds: [read_file, task:start, run_command]}\n- {id: idle}\n";
    let policy = compiled(&[roles], &[categories, tools]).unwrap();
    assert_eq!(seen(&policy, "a"), ["read_file", "run_shell"]);
    assert!(seen(&policy, "idle").is_empty());
    let wrong = "categories:\n- {id: task}\n- {id: task}\ntools:\n- {id: read_file, category: tsk}\n- {id: plot, parameters: [1]}\n- {id: calculate, roles: [implementr]}\n";
    let errors = compiled(&[], &[wrong]).unwrap_err();
    for part in [
        "tools0.yaml:3:3: two categories have the id `task`",
        "tools0.yaml:5:3: no category has the id `tsk` (did you mean `task`?)",
        "expected a table, found an array",
        "no role named `implementr`",
    ] {
        assert!(
            errors.iter().any(|error| error.contains(part)),
            "{part}: {errors:#?}"
        );
    }
}

#[test]
fn flat_permissions_say_what_a_role_is_for() {
    let text = "version: 1\nroles:\n  a: {description: reads, allowed_tools: [read_file]}\n";
    let policy = compiled(&[text], &[]).unwrap();
    assert!(policy.roles().any(|role| role == ("a", "reads")));
}

/// Decides as the earlier registry did, written again from its description.
fn flat_rule(
    web: bool,
    categories: &[Category],
    tools: &[&str],
    forbidden: &[&str],
    id: &str,
    category: Category,
) -> bool {
    if forbidden.contains(&id) {
        return false;
    }
    tools.contains(&id) || (categories.contains(&category) && (category != Category::Web || web))
}

#[test]
fn flat_permissions_of_a_file_decide_as_their_rule_on_every_tool() {
    let (web, system, data) = (Category::Web, Category::System, Category::Data);
    type Flat<'a> = (&'a str, bool, &'a [Category], &'a [&'a str], &'a [&'a str]);
    let cases: [Flat<'_>; 6] = [
        ("frontdoor", true, &[web, system, data], &[], &[]),
        (
            "worker_general",
            false,
            &[system, data],
            &[],
            &["write_file"],
        ),
        ("closed", false, &[web], &[], &[]),
        ("one_page", false, &[web], &["web_fetch"], &[]),
        ("both", false, &[], &["plot"], &["plot"]),
        ("nothing", false, &[], &[], &[]),
    ];
    let mut text = "roles:\n".to_owned();
    for (role, web, categories, tools, forbidden) in cases {
        let categories: Vec<&str> = categories
            .iter()
            // What is `system` here was `file` in such tables.
            .map(|category| {
                if *category == system {
                    "file"
                } else {
                    category.as_str()
                }
            })
            .collect();
        let (categories, tools, forbidden) = (
            categories.join(", "),
            tools.join(", "),
            forbidden.join(", "),
        );
        text.push_str(&format!(
            "  {role}: {{web_access: {web}, allowed_categories: [{categories}], allowed_tools: [{tools}], forbidden_tools: [{forbidden}]}}\n"
        ));
    }
    let policy = compiled(&[&text], &[]).unwrap();
    for (role, web, categories, tools, forbidden) in cases {
        let shown = seen(&policy, role);
        for tool in twelve().iter() {
            let spec = tool.spec();
            let expected = flat_rule(web, categories, tools, forbidden, spec.id, spec.category);
            assert_eq!(shown.contains(&spec.id), expected, "{role} {}", spec.id);
        }
    }
    let wrong = "roles:\n  a: {allowed_categories: [dat], allowed_tools: [plat], web: true}\n";
    let errors = compiled(&[wrong], &[]).unwrap_err();
    assert_eq!(errors.len(), 3, "{errors:#?}");
}
