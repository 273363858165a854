//! `mathchain policy rules|forget`, and the rule that `mathchain approve ID --always` records.

use std::process::ExitCode;
use std::sync::Arc;

use journal::{Approval, State, WITHOUT_KEY};
use registry::model::Match;
use registry::{Rule, Verdict, WorkspaceId};
use tool_core::capability::{Durability, Ledger as _};
use tool_core::convert::{from_value, to_value};
use tool_core::{ErrorCode, ToolError, Value};

use super::super::global::Global;
use super::super::{open, output};
use crate::{Context, Toolkit, user_rules};

/// Lists the recorded rules.
pub(super) fn rules(global: &Global) -> Result<ExitCode, ToolError> {
    let folder = open::state_folder(global)?;
    let rules = user_rules::list(&folder)?;
    let data = rules.iter().enumerate();
    let data = data
        .map(|(index, (root, rule))| value(index + 1, root.as_deref(), rule))
        .collect();
    output::data(global, &Value::array(data), || {
        if rules.is_empty() {
            return "no recorded rules; record one with `mathchain approve ID --always`\n"
                .to_owned();
        }
        let numbered = rules.iter().enumerate();
        numbered
            .map(|(index, (root, rule))| {
                let root = root.as_deref().unwrap_or("no workspace: it has no effect");
                format!("{:3}  {}\n     in {root}\n", index + 1, words(rule))
            })
            .collect()
    })
}

/// Deletes a recorded rule.
pub(super) fn forget(global: &Global, number: usize) -> Result<ExitCode, ToolError> {
    let folder = open::state_folder(global)?;
    let rule = user_rules::forget(&folder, number)?;
    let toolkit = open::toolkit(global)?;
    let state = open::state(&toolkit)?;
    note(state, "forgotten", WITHOUT_KEY, &rule)?;
    state.close()?;
    output::data(global, &value(number, None, &rule), || {
        format!("deleted: {}\n", words(&rule))
    })
}

/// The rule for calls like an approved one: its tool, its role, and its paths, program or hosts.
///
/// # Errors
/// `policy_denied` if such a rule would have no effect, or no rule is as exact as the call.
pub(in crate::cli) fn of_approval(
    toolkit: &Toolkit,
    approval: &Approval,
) -> Result<Rule, ToolError> {
    let Some(text) = &approval.condition else {
        let message = format_args!(
            "cannot record a rule for this call of `{}`: it is destructive, or no rule can be as exact",
            approval.tool
        );
        return Err(ToolError::new(ErrorCode::PolicyDenied, message)
            .reason("rule")
            .hint("approve it without `--always`, or add an `allow` rule to the configuration"));
    };
    let condition = crate::parse(text)?;
    let mut rule = Rule::new(Verdict::Allow, [approval.tool.as_str()]);
    let tools = std::mem::take(&mut rule.matches.tools);
    rule.matches = from_value(&condition)
        .map_err(|problem| ToolError::new(ErrorCode::Internal, problem.message))?;
    rule.matches.tools = tools;
    rule.matches.role = Some(approval.role.clone());
    rule.matches.destructive.get_or_insert(false);
    rule.matches.effects.get_or_insert_default();
    rule.reason = Some(format!("approved at the terminal ({})", approval.id));
    let who = toolkit
        .caller(&Context {
            role: Some(approval.role.clone()),
            agent: approval.agent.clone(),
            ..Context::default()
        })
        .who;
    let dispatcher = toolkit.dispatcher();
    dispatcher.policy().may_record(
        dispatcher.catalogue(),
        (&approval.tool, &rule),
        &who,
        dispatcher.facts(),
    )?;
    Ok(rule)
}

/// Records a rule and returns its number.
pub(in crate::cli) fn record(
    global: &Global,
    state: &State,
    by: &str,
    (workspace, rule): (&WorkspaceId, &Rule),
) -> Result<usize, ToolError> {
    let folder = open::state_folder(global)?;
    note(state, "recorded", by, rule)?;
    user_rules::record(&folder, workspace, rule.clone())
}

/// Records a change of the rules in the audit.
fn note(state: &State, action: &str, by: &str, rule: &Rule) -> Result<(), ToolError> {
    let record = Value::object([
        ("event", Value::from("user_rule")),
        ("action", Value::from(action)),
        ("decided_by", Value::from(by)),
        ("rule", Value::from(words(rule))),
    ]);
    state.record(&record, Durability::Synced).map(|_| ())
}

/// The rule on one line, every condition as `match` spells it.
pub(in crate::cli) fn words(rule: &Rule) -> String {
    let mut conditions = Vec::new();
    flatten("", &conditions_of(rule), &mut conditions);
    let tools: Vec<&str> = rule
        .matches
        .tools
        .iter()
        .map(|tool| tool.text.as_str())
        .collect();
    let mut text = format!("{} {}", rule.decision, tools.join(", "));
    if !conditions.is_empty() {
        text.push_str(&format!(" where {}", conditions.join(", ")));
    }
    if let Some(reason) = &rule.reason {
        text.push_str(&format!(": {reason}"));
    }
    text
}

/// The conditions of a rule as written, without its tools.
fn conditions_of(rule: &Rule) -> Value {
    let matches = Match {
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
fn flatten(key: &str, value: &Value, found: &mut Vec<String>) {
    if let Some(members) = value.as_object() {
        for (name, member) in members.iter() {
            let below = match key {
                "" => name.to_owned(),
                _ => format!("{key}.{name}"),
            };
            flatten(&below, member, found);
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

fn value(number: usize, workspace: Option<&str>, rule: &Rule) -> Value {
    let tools: Vec<String> = rule
        .matches
        .tools
        .iter()
        .map(|tool| tool.text.clone())
        .collect();
    let conditions = conditions_of(rule);
    let at = |pointer: &str| conditions.pointer(pointer).unwrap_or_default();
    Value::object([
        ("number", Value::from(number)),
        ("workspace", Value::from(workspace.map(str::to_owned))),
        ("decision", Value::from(rule.decision.as_str())),
        ("tools", Value::from(tools)),
        ("role", at("/role")),
        ("path_under", at("/path/under")),
        ("argv_prefix", at("/argv/prefix")),
        ("url_host", at("/url/host")),
        ("rule", Value::from(words(rule))),
        ("reason", Value::from(rule.reason.clone())),
        (
            "place",
            Value::from(rule.place.as_ref().map(ToString::to_string)),
        ),
        ("match", conditions),
    ])
}
