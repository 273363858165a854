//! Matrices, differences and tables of expected verdicts.

use super::*;

const BEFORE: &str = r#"
version = 1
[[policies]]
level = "global"
deny = ["raw_exec"]
[[policies.rules]]
match = { tools = ["write_file"], path = { under = ["secret"] } }
decision = "deny"
[[phases]]
name = "audit"
agents = ["codex"]
tools = { internal = ["read_file"] }
"#;

const AFTER: &str = r#"
version = 1
[[policies]]
level = "global"
deny = ["plot"]
[[policies.rules]]
match = { tools = ["write_file"], path = { under = ["secret", "keys"] } }
decision = "deny"
[[phases]]
name = "audit"
agents = ["codex"]
tools = { internal = ["read_file", "list_dir"] }
"#;

fn policy(text: &str) -> (Catalogue, Policy) {
    let catalogue = twelve();
    let (_, policy) =
        Config::load("m.toml", text, &catalogue).unwrap_or_else(|err| panic!("{err}"));
    (catalogue, policy)
}

#[test]
fn a_matrix_says_what_each_role_can_expect() {
    let (catalogue, policy) = policy(BEFORE);
    let rows = policy.matrix(&catalogue, None, &ready()).unwrap();
    let access = |rows: &[MatrixRow], role: &str, tool: &str| {
        let row = rows.iter().find(|row| row.role == role).unwrap();
        row.access[catalogue.index(tool).unwrap()]
    };
    for (role, tool, expected) in [
        ("operator", "calculate", Access::Allow),
        ("operator", "run_shell", Access::Ask),
        ("operator", "write_file", Access::Deny),
        ("operator", "raw_exec", Access::Hidden),
        ("worker_math", "calculate", Access::Allow),
        ("worker_math", "write_file", Access::Hidden),
    ] {
        assert_eq!(access(&rows, role, tool), expected, "{role} {tool}");
    }
    let audit = policy.matrix(&catalogue, Some("audit"), &ready()).unwrap();
    assert_eq!(access(&audit, "operator", "calculate"), Access::Hidden);
    assert_eq!(access(&audit, "operator", "read_file"), Access::Allow);
    let unknown = policy.matrix(&catalogue, Some("adit"), &ready());
    assert_eq!(
        unknown.unwrap_err().hint_str(),
        Some("did you mean `audit`?")
    );
}

/// The matrix shows a tool exactly where the caller's list does.
#[test]
fn a_matrix_hides_what_lists_hide() {
    let (catalogue, policy) = policy(BEFORE);
    for phase in [None, Some("audit")] {
        for row in policy.matrix(&catalogue, phase, &ready()).unwrap() {
            let who = Principal {
                phase: phase.map(str::to_owned),
                ..Principal::role(&row.role)
            };
            let caller = policy.caller(&catalogue, &who, &ready()).unwrap();
            for (tool, access) in row.access.iter().enumerate() {
                assert_eq!(
                    *access != Access::Hidden,
                    caller.visible().contains(tool),
                    "{} {tool}",
                    row.role
                );
            }
        }
    }
}

#[test]
fn a_difference_says_what_is_granted_and_revoked() {
    let ((old_tools, old), (new_tools, new)) = (policy(BEFORE), policy(AFTER));
    let changes = policy_difference((&old_tools, &old), (&new_tools, &new), &ready());
    let kind = |role: &str, phase: Option<&str>, tool: &str| {
        let found = changes.iter().find(|change| {
            change.role == role
                && change.agent.is_none()
                && change.phase.as_deref() == phase
                && change.tool == tool
        });
        found.map(AccessChange::kind)
    };
    assert_eq!(kind("operator", None, "raw_exec"), Some("grants"));
    assert_eq!(kind("operator", None, "plot"), Some("revokes"));
    assert_eq!(
        kind("operator", None, "write_file"),
        Some("changes conditions")
    );
    assert_eq!(kind("operator", None, "calculate"), None);
    assert_eq!(kind("worker_math", None, "plot"), Some("revokes"));
    assert_eq!(kind("worker_math", None, "write_file"), None);
    assert_eq!(kind("operator", Some("audit"), "list_dir"), Some("grants"));
    let same = policy_difference((&old_tools, &old), (&old_tools, &old), &ready());
    assert_eq!(same, Vec::new());
    let back = policy_difference((&new_tools, &new), (&old_tools, &old), &ready());
    assert_eq!(back.len(), changes.len());
    for (there, back) in changes.iter().zip(&back) {
        assert_eq!((there.before, there.after), (back.after, back.before));
    }
}

#[test]
fn a_role_that_is_new_is_granted_what_it_sees() {
    let with_role = "version = 1\n[roles.clerk]\ntools = [\"calculate\"]\n";
    let ((tools, old), (_, new)) = (policy("version = 1"), policy(with_role));
    let changes = policy_difference((&tools, &old), (&tools, &new), &ready());
    let told: Vec<(&str, &str, &str)> = changes
        .iter()
        .map(|change| (change.role.as_str(), change.tool.as_str(), change.kind()))
        .collect();
    assert_eq!(told, [("clerk", "calculate", "grants")]);
}

#[test]
fn expected_verdicts_are_held_against_the_policy() {
    let (catalogue, policy) = policy(BEFORE);
    let table = r#"
cases:
  - {role: operator, tool: write_file, args: {path: secret/a, content: x}, expect: deny, layer: global}
  - {role: operator, tool: write_file, args: {path: out/a, content: x}, expect: ask}
  - {role: operator, tool: raw_exec, expect: hidden}
  - {role: operator, tool: read_file, facts: [workspace=closed], expect: hidden, layer: preconditions}
  - {role: operator, tool: calculate, phase: audit, expect: hidden}
  - {role: operator, tool: calculate, expect: deny}
  - {role: operator, tool: calculate, expect: allow, layer: global}
  - {role: operator, tool: calculat, expect: allow}
  - {role: operator, tool: calculate, args: {y: 1}, expect: allow}
  - {role: operator, tool: web_fetch, task: math, expect: hidden}
  - {role: operator, tool: web_fetch, expect: ask}
  - {role: operator, tool: calculate, phase: audit, agent: claude, expect: hidden}
"#;
    let cases = read_cases("cases.yaml", table).unwrap_or_else(|err| panic!("{err}"));
    let files = MemoryFiles::default();
    let results = policy.test(&catalogue, &cases, &ready(), Some(&files));
    let told: Vec<Option<&str>> = results
        .iter()
        .map(|result| result.mismatch.as_deref())
        .collect();
    assert_eq!(told[..5], [None; 5]);
    assert_eq!(told[5], Some("expected `deny`, found `allow`"));
    assert_eq!(
        told[6],
        Some("expected layer `global` to decide, it was `defaults`")
    );
    assert!(told[7].unwrap().contains("calculat"), "{:?}", told[7]);
    assert!(told[8].unwrap().contains("do not fit"), "{:?}", told[8]);
    assert_eq!(told[9..11], [None; 2]);
    let not_of_phase = told[11].unwrap();
    assert!(not_of_phase.contains("audit"), "{not_of_phase}");
    assert_eq!(
        results[5].case.place.as_ref().map(|place| place.line),
        Some(8)
    );
    assert!(results[5].explanation.is_some() && results[7].explanation.is_none());
}

#[test]
fn a_bad_table_is_told_with_every_place() {
    let table = "cases:\n  - {role: operator, tool: x, expect: alow}\n  - {role: a, expect: ask, fact: [b]}\n  - {role: a, tool: b, expect: ask, facts: [worksp=ready], args: 3}\n";
    let errors = read_cases("cases.yaml", table).unwrap_err().to_string();
    for part in [
        "cases.yaml:2:",
        "did you mean `allow`?",
        "cases.yaml:3:",
        "unknown key `fact` (did you mean `facts`?)",
        "missing key `tool`",
        "cases.yaml:4:",
        "no fact named `worksp=ready`",
        "cases.yaml:4:60: expected a table",
    ] {
        assert!(errors.contains(part), "{part}: {errors}");
    }
    assert!(read_cases("cases.json", "{}").is_err());
    assert!(read_cases("cases.json", r#"{"cases": []}"#).is_ok());
}

/// What decided is named with file and line: the rule, else the layer that narrows.
#[test]
fn an_explanation_names_file_and_line() {
    let (catalogue, policy) = policy(BEFORE);
    let explain = |tool: &str| {
        policy
            .explain(
                &catalogue,
                (tool, None),
                &Principal::role("operator"),
                &ready(),
                None,
            )
            .unwrap()
    };
    let place = |tool: &str| {
        let found = explain(tool);
        found.file.zip(found.line)
    };
    assert_eq!(place("raw_exec"), Some(("m.toml".to_owned(), 3)));
    assert_eq!(place("write_file"), Some(("m.toml".to_owned(), 6)));
    assert_eq!(place("calculate"), None);
    let closed = policy
        .explain(
            &catalogue,
            ("read_file", None),
            &Principal::role("operator"),
            &RuntimeFacts::default(),
            None,
        )
        .unwrap();
    assert!(
        closed
            .what_would_allow
            .is_some_and(|what| what.starts_with("open a workspace"))
    );
    let value = explain("raw_exec").to_value();
    assert_eq!(value.pointer("/line"), Some(Value::from(3_i64)));
    assert!(
        value
            .pointer("/what_would_allow")
            .is_some_and(|text| text.as_str().is_some())
    );
}
