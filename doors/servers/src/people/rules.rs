//! Rules that a person records by allowing calls like one that waits, from now on.

use std::sync::Arc;

use journal::{Approval, StateStore};
use registry::model::RuleMatch;
use registry::{PolicyRule, Verdict};
use tool_core::capability::{AuditLedger as _, RecordDurability};
use tool_core::convert::{from_value, to_value};
use tool_core::{ErrorCode, Result, ToolError, Value, object, tool_error};

use mathchain::{CallContext, Toolkit};

/// The rule for calls like an approved one: its tool, its role, and its paths, program or hosts.
///
/// # Errors
/// `policy_denied` if such a rule would have no effect, or no rule is as exact as the call.
pub fn of_approval(toolkit: &Toolkit, approval: &Approval) -> Result<PolicyRule> {
    let Some(text) = &approval.condition else {
        return Err(tool_error!(PolicyDenied, "rule";
            "cannot record a rule for this call of `{}`: it is destructive, or no rule can be as exact", approval.tool;
            "approve it without `--always`, or add an `allow` rule to the configuration"));
    };
    let condition = mathchain::parse_json(text)?;
    let mut rule = PolicyRule::new(Verdict::Allow, [approval.tool.as_str()]);
    let tools = std::mem::take(&mut rule.matches.tools);
    rule.matches = from_value(&condition)
        .map_err(|problem| ToolError::new(ErrorCode::Internal, problem.message))?;
    rule.matches.tools = tools;
    rule.matches.role = Some(approval.role.clone());
    rule.matches.destructive.get_or_insert(false);
    rule.matches.effects.get_or_insert_default();
    rule.reason = Some(format!("approved at the terminal ({})", approval.id));
    let who = toolkit
        .caller(&CallContext {
            role: Some(approval.role.clone()),
            agent: approval.agent.clone(),
            ..CallContext::default()
        })
        .who;
    let dispatcher = toolkit.dispatcher();
    let (policy, catalogue) = (dispatcher.policy(), dispatcher.catalogue());
    policy.may_record(catalogue, (&approval.tool, &rule), &who, dispatcher.facts())?;
    Ok(rule)
}

/// Records a change of the rules in the audit.
pub fn audit_rule_change(
    state: &StateStore,
    action: &str,
    by: &str,
    rule: &PolicyRule,
) -> Result<()> {
    let record = object! {
        "event" => "user_rule",
        "action" => action,
        "decided_by" => by,
        "rule" => rule_text(rule),
    };
    state.record(&record, RecordDurability::Synced).map(|_| ())
}

/// The rule on one line, every condition as `match` spells it.
pub fn rule_text(rule: &PolicyRule) -> String {
    let mut conditions = Vec::new();
    flatten_conditions("", &conditions_of(rule), &mut conditions);
    let mut text = format!("{} {}", rule.decision, tools_of(rule).join(", "));
    if !conditions.is_empty() {
        text.push_str(&format!(" where {}", conditions.join(", ")));
    }
    if let Some(reason) = &rule.reason {
        text.push_str(&format!(": {reason}"));
    }
    text
}

/// The conditions of a rule as written, without its tools.
pub fn conditions_of(rule: &PolicyRule) -> Value {
    let matches = RuleMatch {
        tools: Vec::new(),
        ..rule.matches.clone()
    };
    let mut value = to_value(&matches).expect("conditions are texts, numbers and lists");
    if let Value::Object(members) = &mut value {
        Arc::make_mut(members).remove("tools");
    }
    value
}

/// Conditions as `path.under out`, one for each leaf.
fn flatten_conditions(key: &str, value: &Value, found: &mut Vec<String>) {
    if let Some(members) = value.as_object() {
        for (name, member) in members.iter() {
            let below = match key {
                "" => name.to_owned(),
                _ => format!("{key}.{name}"),
            };
            flatten_conditions(&below, member, found);
        }
        return;
    }
    let shown = match (value.as_str(), value.items()) {
        (Some(text), _) => format!("`{text}`"),
        (None, Some(items)) => {
            let texts = items.iter().map(|item| item.as_str().unwrap_or_default());
            format!("`{}`", texts.collect::<Vec<_>>().join(" "))
        }
        _ => value.to_string(),
    };
    found.push(format!("{key} {shown}"));
}

/// The tools of a rule.
pub fn tools_of(rule: &PolicyRule) -> Vec<&str> {
    let tools = rule.matches.tools.iter();
    tools.map(|tool| tool.text.as_str()).collect()
}
