//! Roles of workflows, and which of them each may spawn. Which tools a role may call is in `registry/roles.yaml`.

use registry::ToolAliases;

/// A role.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkflowRole {
    /// Its name.
    pub name: &'static str,
    /// The roles that it may spawn.
    pub spawns: &'static [&'static str],
}

/// Every role of a workflow that works in it.
const WORKERS: &[&str] = &[
    "impl",
    "design",
    "review",
    "ideation",
    "commit",
    "orchestration",
    "control",
];

/// The roles.
pub const ROLES: &[WorkflowRole] = &[
    spawning_role("impl", &["impl"]),
    spawning_role("review", &["review"]),
    spawning_role("ideation", &["ideation"]),
    spawning_role("design", &["design"]),
    spawning_role("commit", &["commit"]),
    spawning_role("orchestration", WORKERS),
    spawning_role("control", WORKERS),
    spawning_role("operator", WORKERS),
];

const fn spawning_role(name: &'static str, spawns: &'static [&'static str]) -> WorkflowRole {
    WorkflowRole { name, spawns }
}

/// The role of a name or alias.
pub fn find_role(name: &str) -> Option<&'static WorkflowRole> {
    let name = ToolAliases::built_in().role(name).unwrap_or(name);
    ROLES.iter().find(|role| role.name == name)
}

/// Every name and alias of a role.
pub fn role_names() -> impl Iterator<Item = &'static str> {
    ROLES
        .iter()
        .map(|role| role.name)
        .chain(ToolAliases::built_in().roles().map(|(alias, _)| alias))
}

/// Whether a role may spawn another, both given by name or alias; an unknown role spawns nothing.
pub fn may_spawn(spawner: &str, spawned: &str) -> bool {
    match (find_role(spawner), find_role(spawned)) {
        (Some(spawner), Some(spawned)) => spawner.spawns.contains(&spawned.name),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aliases_lead_to_what_exists() {
        for (alias, meant) in ToolAliases::built_in().roles() {
            assert_eq!(find_role(alias).map(|role| role.name), Some(meant));
        }
        assert!(find_role("implementr").is_none());
    }

    #[test]
    fn spawning_is_limited() {
        assert!(
            may_spawn("control", "impl")
                && may_spawn("orchestration", "review")
                && may_spawn("impl", "implementation")
        );
        assert!(
            !may_spawn("impl", "control")
                && !may_spawn("review", "impl")
                && !may_spawn("nothing", "impl")
        );
    }
}
