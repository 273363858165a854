use super::*;
use crate::WorkflowFault;
use crate::actor::EventTime;
use crate::state::ChainLock;

const FILE: &str = "
mutations:
  allow:
    - {pattern: '**/*'}
  approve:
    - {pattern: package.json, actions: [modify], reason: dependencies are reviewed}
    - {pattern: src/build.rs}
  deny:
    - {pattern: '.git/**'}
    - {pattern: '**/dist/**'}
    - {pattern: '*.key'}
    - {pattern: docs/tasks/**, actions: [delete], reason: tasks are kept}
collision_detection: {strategy: directory-lock, on_collision: warn}
";

fn ruling(governance: &Governance, role: Option<&str>, action: Action, path: &str) -> Ruling {
    governance.decide(role, action, path).unwrap().ruling
}

#[test]
fn deny_then_approve_then_allow() {
    let governance = read_governance("g.yaml", FILE).unwrap();
    for (action, path, expected) in [
        (Action::Modify, ".git/config", Ruling::Deny),
        (Action::Modify, ".GIT/config", Ruling::Deny),
        (Action::Create, "a/dist/x.js", Ruling::Deny),
        (Action::Create, "deep/in/a.key", Ruling::Deny),
        (Action::Delete, "docs/tasks/todo/a.md", Ruling::Deny),
        (Action::Modify, "docs/tasks/todo/a.md", Ruling::Allow),
        (Action::Modify, "package.json", Ruling::Ask),
        (Action::Create, "package.json", Ruling::Allow),
        (Action::Create, "src/a.rs", Ruling::Allow),
        (Action::Create, "./src//a.rs", Ruling::Allow),
    ] {
        assert_eq!(
            ruling(&governance, None, action, path),
            expected,
            "{action} {path}"
        );
    }
    let reason = governance
        .decide(None, Action::Delete, "docs/tasks/x")
        .unwrap()
        .reason;
    assert_eq!(
        reason,
        "`deny` of the project, pattern `docs/tasks/**`: tasks are kept"
    );
    for path in ["../x", "/etc/passwd", "", "a/../../b"] {
        assert!(
            governance.decide(None, Action::Create, path).is_err(),
            "{path}"
        );
    }
    assert_eq!(governance.lock_pattern("src/a/b.rs").unwrap(), "./src/a/**");
    assert_eq!(governance.on_collision, OnCollision::Warn);
    assert_eq!(
        ruling(&Governance::default(), None, Action::Create, "a"),
        Ruling::Deny
    );
}

#[test]
fn the_global_denials_hold_for_every_role() {
    let roles = "roles:\n  implementer:\n    allow: [{pattern: 'src/**'}, {pattern: '.git/**'}]\n    deny: [{pattern: 'src/secret/**'}]\n";
    let governance = read_governance("g.yaml", &format!("{FILE}{roles}")).unwrap();
    for (role, path, expected) in [
        (Some("impl"), "src/a.rs", Ruling::Allow),
        (Some("impl"), ".git/config", Ruling::Deny),
        (Some("impl"), "src/a.key", Ruling::Deny),
        (Some("impl"), "src/secret/a", Ruling::Deny),
        (Some("impl"), "src/build.rs", Ruling::Ask),
        (Some("impl"), "package.json", Ruling::Deny),
        (Some("impl"), "docs/a.md", Ruling::Deny),
        (Some("review"), "src/a.rs", Ruling::Deny),
        (None, "src/a.rs", Ruling::Deny),
    ] {
        assert_eq!(
            ruling(&governance, role, Action::Modify, path),
            expected,
            "{role:?} {path}"
        );
    }
}

#[test]
fn every_name_must_resolve() {
    for (text, expected) in [
        (
            "mutations: {deny: [{pattern: a, actions: [move]}]}",
            "g.yaml:1:43: no action is named `move` (write `delete` for the old path and `create` for the new one)",
        ),
        (
            "mutations: {deny: [{pattern: a, actions: [modfy]}]}",
            "did you mean `modify`?",
        ),
        (
            "mutations: {deny: [{pattern: a, actions: []}]}",
            "a rule without actions never applies",
        ),
        (
            "mutations: {deny: [{pattern: /etc}]}",
            "g.yaml:1:21: expected a pattern that begins at the root",
        ),
        ("mutations: {forbid: []}", "unknown key `forbid`"),
        (
            "roles: {implr: {allow: []}}",
            "g.yaml:1:9: no role is named `implr` (did you mean `impl`?)",
        ),
        (
            "roles: {impl: {}, implementer: {}}",
            "the role `impl` is given twice",
        ),
        ("collision_detection: {on_collision: stop}", "on_collision"),
        (
            "mutations: {deny: [{patern: a}]}",
            "unknown key `patern` (did you mean `pattern`?)",
        ),
    ] {
        let told = read_governance("g.yaml", text).unwrap_err();
        let all = told.to_string()
            + &told
                .list()
                .iter()
                .map(|error| error.pointer.as_str())
                .collect::<String>();
        assert!(all.contains(expected), "{all}\n{expected}");
    }
    assert_eq!(
        read_governance("g.yaml", "").unwrap(),
        Governance::default()
    );
}

fn lock(chain: &str, pattern: &str, expires: i64) -> ChainLock {
    ChainLock {
        chain: chain.to_owned(),
        patterns: vec![pattern.to_owned()],
        holder: "x".to_owned(),
        acquired: EventTime(0),
        expires: EventTime(expires),
    }
}

#[test]
fn locks_collide_by_common_paths() {
    let locks = [lock("CHAIN-001-a", "src/**", 100)];
    let check = |chain, pattern: &str| {
        collide::check_lock_overlap(
            chain,
            &[pattern.to_owned()],
            locks.iter().map(ChainLock::held),
        )
    };
    let fault = check("CHAIN-002-b", "src/a/**").unwrap_err();
    assert!(
        matches!(&fault, WorkflowFault::Locked { pattern, other_pattern, .. } if pattern == "src/a/**" && other_pattern == "src/**")
    );
    assert!(
        fault
            .to_string()
            .contains("`src/a/**` overlaps `src/**`, which chain `CHAIN-001-a`")
    );
    check("CHAIN-001-a", "src/a/**").unwrap();
    check("CHAIN-002-b", "lib/**").unwrap();
    assert!(collide::check_lock_overlap("c", &[], locks.iter().map(ChainLock::held)).is_err());
    assert_eq!(
        collide::find_lock_holder(
            Some("CHAIN-002-b"),
            &["src", "x"],
            locks.iter().map(ChainLock::held)
        )
        .map(|lock| lock.chain),
        Some("CHAIN-001-a")
    );
    assert!(
        collide::find_lock_holder(
            Some("CHAIN-001-a"),
            &["src", "x"],
            locks.iter().map(ChainLock::held)
        )
        .is_none()
    );
}

#[test]
fn the_lock_of_a_file_is_about_that_file_alone() {
    let governance = Governance::default();
    for odd in ["src/a[b].rs", "{x}/*?", "a]", "!a", "[!a]/{b,c}", "x**y"] {
        let pattern = governance.lock_pattern(odd).unwrap();
        let glob =
            PathGlob::parse(&pattern).unwrap_or_else(|expected| panic!("{pattern}: {expected}"));
        assert!(
            glob.matches(&split_workspace_path(odd).unwrap(), GlobCase::Exact),
            "{pattern}"
        );
        assert!(
            !glob.matches(&["src", "ab.rs"], GlobCase::Exact)
                && !glob.matches(&["a", "b"], GlobCase::Exact),
            "{pattern}"
        );
    }
}
