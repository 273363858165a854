//! `mathchain policy diff`: what a change of a configuration, its agents and its plugins grants and revokes.

use std::path::Path;

use registry::RuntimeFacts;
use registry::policy::{AccessChange, policy_difference};

use super::super::prelude::*;
use mathchain::configured::ConfiguredTools;

/// Prints the permissions that a change of configuration grants and revokes.
pub(super) fn print_policy_diff(
    global: &GlobalArgs,
    before: &Path,
    after: &Path,
) -> Result<ExitCode> {
    let (old, new) = (
        ConfiguredTools::load(before)?,
        ConfiguredTools::load(after)?,
    );
    // The comparison assumes that every precondition of tools is met.
    let facts = ["workspace=ready", "sandbox=ready", "state=ready"]
        .into_iter()
        .fold(RuntimeFacts::default(), RuntimeFacts::with);
    let (old, new) = ((&old.catalogue, &old.policy), (&new.catalogue, &new.policy));
    let changes = policy_difference(old, new, &facts);
    let data = Value::array(changes.iter().map(AccessChange::to_value).collect());
    output::print_data(global, &data, || {
        if changes.is_empty() {
            return "no role, agent or phase gains or loses permissions\n".to_owned();
        }
        changes.iter().map(access_change_line).collect()
    })
}

fn access_change_line(change: &AccessChange) -> String {
    let mut who = format!("role `{}`", change.role);
    for (what, name) in [("agent", &change.agent), ("phase", &change.phase)] {
        if let Some(name) = name {
            let _ = write!(who, ", {what} `{name}`");
        }
    }
    let (kind, tool) = (change.kind(), &change.tool);
    let (before, after) = (change.before.as_str(), change.after.as_str());
    format!("{who}: {kind} `{tool}` ({before} -> {after})\n")
}
