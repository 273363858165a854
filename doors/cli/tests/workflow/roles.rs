//! Every role and every tool of workflows, as a table.

use std::collections::BTreeSet;

use super::Project;

const READS: &[&str] = &[
    "task:status",
    "task:list",
    "chain:status",
    "chain:list",
    "chain:summary",
    "request:list",
    "feedback:list",
    "workflow:status",
    "lock:status",
    "governance:check",
];

/// What each role may call beside [`READS`].
const ROLES: &[(&str, &[&str])] = &[
    ("impl", &["task:submit", "feedback:create"]),
    (
        "review",
        &[
            "task:approve",
            "task:request_changes",
            "chain:approve",
            "chain:request_changes",
            "request:approve",
            "request:request_changes",
        ],
    ),
    ("ideation", &["request:create", "request_approval"]),
    ("design", &["feedback:create"]),
    (
        "commit",
        &[
            "git:status",
            "git:diff",
            "git:log",
            "git:commit",
            "git:branch",
            "git:push",
        ],
    ),
    ("orchestration", &["spawn_agent", "spawn_impl_session"]),
    ("control", &["spawn_agent", "spawn_impl_session"]),
];

/// The tools that the table is about.
fn is_meant(tool: &str) -> bool {
    let families = [
        "task:",
        "chain:",
        "request:",
        "feedback:",
        "workflow:",
        "lock:",
        "governance:",
        "gate:",
        "git:",
    ];
    let others = ["request_approval", "spawn_agent", "spawn_impl_session"];
    others.contains(&tool) || families.iter().any(|family| tool.starts_with(family))
}

#[test]
fn each_role_may_call_exactly_its_tools() {
    let project = Project::new("");
    for (role, own) in ROLES {
        let listed = project
            .place
            .run(&["tools", "list", "--role", role, "--json"], "");
        let listed = listed.json();
        let listed = listed.items().expect("a list");
        let ids = listed
            .iter()
            .filter_map(|tool| tool.text("id").or_else(|| tool.text("name")));
        let found: BTreeSet<&str> = ids.filter(|id| is_meant(id)).collect();
        let mut wanted: BTreeSet<&str> = READS.iter().chain(*own).copied().collect();
        // Reading a repository is reading.
        let reads = ["git:status", "git:diff", "git:log"];
        wanted.extend(found.iter().filter(|id| reads.contains(id)));
        assert_eq!(found, wanted, "{role}");
    }
    let all = project.place.run(&["tools", "list", "--json"], "").stdout;
    assert!(
        all.contains("workflow:start") && all.contains("gate:satisfy"),
        "the operator sees every tool"
    );
}

#[test]
fn transitions_ask_where_the_configuration_says_so() {
    let project = Project::new("");
    project.place.write(
        "mathchain.toml",
        "version = 1\n[permissions.workflow]\nrequires_approval = true\n",
    );
    project.task("operator", "task:start", "").expect_code(4);
    project.task("review", "task:status", "").expect_code(0);
}
