//! `mathchain policy rules|forget`: the rules that `mathchain approve ID --always` recorded.

use journal::WITHOUT_KEY;
use registry::PolicyRule;

use super::super::prelude::*;
use mathchain::user_rules;
use mathchain_servers::people::rules::{audit_rule_change, conditions_of, rule_text, tools_of};

/// Lists the recorded rules.
pub(super) fn list_rules(global: &GlobalArgs) -> Result<ExitCode> {
    let folder = open::state_folder(global)?;
    let rules = user_rules::list_rules(&folder)?;
    let rules: Vec<(usize, (Option<String>, PolicyRule))> = (1..).zip(rules).collect();
    let none = "no recorded rules; record one with `mathchain approve ID --always`";
    let value = |(number, (root, rule)): &_| rule_value(*number, Option::as_deref(root), rule);
    output::print_list(global, &rules, value, none, |(number, (root, rule))| {
        let root = root.as_deref().unwrap_or("no workspace: it has no effect");
        format!("{number:3}  {}\n     in {root}\n", rule_text(rule))
    })
}

/// Deletes a recorded rule.
pub(super) fn forget_rule(global: &GlobalArgs, number: usize) -> Result<ExitCode> {
    let folder = open::state_folder(global)?;
    let rule = user_rules::forget_rule(&folder, number)?;
    let toolkit = open::open_toolkit(global)?;
    let state = open::require_state(&toolkit)?;
    audit_rule_change(state, "forgotten", WITHOUT_KEY, &rule)?;
    state.close()?;
    output::print_data(global, &rule_value(number, None, &rule), || {
        format!("deleted: {}\n", rule_text(&rule))
    })
}

fn rule_value(number: usize, workspace: Option<&str>, rule: &PolicyRule) -> Value {
    let conditions = conditions_of(rule);
    let at = |pointer: &str| conditions.pointer(pointer).unwrap_or_default();
    object! {
        "number" => number,
        "workspace" => workspace,
        "decision" => rule.decision.as_str(),
        "tools" => tools_of(rule),
        "role" => at("/role"),
        "path_under" => at("/path/under"),
        "argv_prefix" => at("/argv/prefix"),
        "url_host" => at("/url/host"),
        "rule" => rule_text(rule),
        "reason" => rule.reason.clone(),
        "place" => rule.place.as_ref().map(ToString::to_string),
        "match" => conditions,
    }
}
