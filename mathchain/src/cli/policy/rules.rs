//! `mathchain policy rules|forget`, and the rule that `mathchain approve ID --always` records.

use std::process::ExitCode;

use journal::{Approval, State, WITHOUT_KEY};
use registry::{Rule, Verdict, WorkspaceId};
use tool_core::capability::{Durability, Ledger as _};
use tool_core::{Effect, ErrorCode, ToolError, Value};

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
            return "no recorded rules; record one with `mathchain approve ID --always`\n".to_owned();
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
            .hint(
                "approve it without `--always`, or add an `allow` rule to the configuration",
            ));
    };
    let condition = crate::parse(text)?;
    let texts = |pointer: &str| {
        let list = condition.pointer(pointer)?.items()?;
        list.iter()
            .map(|text| text.as_str().map(str::to_owned))
            .collect::<Option<Vec<String>>>()
    };
    let mut rule = Rule::new(Verdict::Allow, [approval.tool.as_str()]);
    rule.matches.role = Some(approval.role.clone());
    rule.matches.path_under = texts("/path/under");
    rule.matches.argv_prefix = texts("/argv/prefix");
    rule.matches.url_host = texts("/url/host");
    let truth = condition.get("destructive").and_then(Value::as_bool);
    rule.matches.destructive = Some(truth.unwrap_or(false));
    let effects = texts("/effects").unwrap_or_default();
    let effects = effects.iter().filter_map(|name| Effect::parse(name));
    rule.matches.effects = Some(effects.collect());
    let args = condition.get("args").and_then(Value::as_object);
    rule.matches.args = args.map(|args| {
        let args = args.iter();
        args.map(|(name, value)| (name.to_owned(), value.clone()))
            .collect()
    });
    let call = condition.get("call").and_then(Value::as_str);
    rule.matches.call = call.map(str::to_owned);
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

pub(in crate::cli) fn words(rule: &Rule) -> String {
    let matches = &rule.matches;
    let tools: Vec<&str> = matches
        .tools
        .iter()
        .map(|tool| tool.text.as_str())
        .collect();
    let mut text = format!("{} {}", rule.decision, tools.join(", "));
    if let Some(role) = &matches.role {
        text.push_str(&format!(" as `{role}`"));
    }
    for (what, list) in [
        ("under", &matches.path_under),
        ("running", &matches.argv_prefix),
        ("at", &matches.url_host),
    ] {
        if let Some(list) = list {
            text.push_str(&format!(" {what} `{}`", list.join(" ")));
        }
    }
    for (name, value) in matches.args.iter().flatten() {
        text.push_str(&format!(" with `{name}` {value}"));
    }
    if let Some(call) = &matches.call {
        text.push_str(&format!(
            " with exactly the arguments {}",
            &call[..call.len().min(12)]
        ));
    }
    if let Some(effects) = &matches.effects {
        let names: Vec<&str> = effects.iter().map(|effect| effect.as_str()).collect();
        text.push_str(&format!(", effects [{}]", names.join(", ")));
    }
    if matches.destructive == Some(false) {
        text.push_str(", never destructive");
    }
    if let Some(reason) = &rule.reason {
        text.push_str(&format!(": {reason}"));
    }
    text
}

fn value(number: usize, workspace: Option<&str>, rule: &Rule) -> Value {
    let matches = &rule.matches;
    let tools: Vec<String> = matches.tools.iter().map(|tool| tool.text.clone()).collect();
    Value::object([
        ("number", Value::from(number)),
        ("workspace", Value::from(workspace.map(str::to_owned))),
        ("decision", Value::from(rule.decision.as_str())),
        ("tools", Value::from(tools)),
        ("role", Value::from(matches.role.clone())),
        ("path_under", Value::from(matches.path_under.clone())),
        ("argv_prefix", Value::from(matches.argv_prefix.clone())),
        ("url_host", Value::from(matches.url_host.clone())),
        ("rule", Value::from(words(rule))),
        ("reason", Value::from(rule.reason.clone())),
        (
            "place",
            Value::from(rule.place.as_ref().map(ToString::to_string)),
        ),
    ])
}
