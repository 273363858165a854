//! Obligations that apply before a call runs; one that cannot be met refuses the call.

use std::collections::BTreeSet;

use tool_core::capability::{BackupCopy, Notification};
use tool_core::schema::Schema;
use tool_core::{
    Access, AnyTool, Capability, Effect, ResourceKind, ToolError, Value, fields, object, tool_error,
};

use super::limits::json_bytes;
use super::trail::CallTrail;
use super::{Dispatcher, panic, preview};
use crate::model::JoinedObligations;
use crate::policy::CallFacts;

fn obligation_refusal(id: &str, what: &str) -> ToolError {
    tool_error!(PolicyDenied, "a rule on `{id}` obliges {what}").reason("obligation")
}

/// The refusal of a call whose obligation needs a state folder.
fn no_state(id: &str, obligation: &str) -> ToolError {
    obligation_refusal(id, &format!("`{obligation}`, and there is no state folder"))
        .hint("`mathchain doctor` shows the state folder and what is wrong with it")
}

/// Checks the arguments against the obligation `max_bytes`.
pub(super) fn check_argument_size(
    id: &str,
    obligations: JoinedObligations,
    args: &Value,
) -> Result<(), ToolError> {
    let Some(limit) = obligations.max_bytes else {
        return Ok(());
    };
    let bytes = json_bytes(args, limit);
    if bytes <= limit {
        return Ok(());
    }
    let what = format!("at most {limit} bytes; the arguments have {bytes}");
    Err(obligation_refusal(id, &what).hint("pass less"))
}

/// Backs up the files that the call can change or delete.
pub(super) fn backup_changed_files(
    dispatcher: &Dispatcher,
    id: &str,
    trail: &CallTrail,
) -> Result<Vec<BackupCopy>, ToolError> {
    if !trail.effects.contains(&Effect::ModifiesFiles) {
        return Ok(Vec::new());
    }
    let written = (trail.resources.iter())
        .filter(|key| key.kind == ResourceKind::Path && key.access == Access::Write);
    let paths: Vec<String> = written.map(|key| key.name.clone()).collect();
    if paths.is_empty() {
        let what = "`backup`, and the call does not say which files it changes";
        return Err(obligation_refusal(id, what).hint("use a tool that names the files it changes"));
    }
    let Some(backups) = &dispatcher.host.backups else {
        return Err(no_state(id, "backup"));
    };
    let call_id = trail.call_id();
    panic::catch_tool_panic(id, call_id, || backups.keep(call_id, &paths)).map_err(|err| {
        let what = format!("`backup`, which failed: {}", err.message());
        obligation_refusal(id, &what)
            .hint("nothing was changed; `mathchain doctor` shows the state folder")
    })
}

/// Sends the notification, and returns its id.
pub(super) fn send_notification(
    dispatcher: &Dispatcher,
    id: &str,
    args: &Value,
    trail: &CallTrail,
) -> Result<String, ToolError> {
    let Some(notices) = &dispatcher.host.notices else {
        return Err(no_state(id, "notify"));
    };
    let (call_id, who) = (trail.call_id(), trail.who());
    let notice = Notification {
        kind: "call",
        call_id: call_id.to_owned(),
        tool: Some(id.to_owned()),
        role: who.role.clone(),
        agent: who.agent.clone(),
        text: preview::preview_arguments(args).0,
    };
    panic::catch_tool_panic(id, call_id, || dispatcher.host.notify(&**notices, &notice)).map_err(
        |err| {
            let what = format!("`notify`, which failed: {}", err.message());
            obligation_refusal(id, &what)
                .hint("nothing ran; `mathchain doctor` shows the state folder")
        },
    )
}

/// The narrowest `match` of a rule that covers this call; `null` where no rule can be that narrow, and for destructive calls and
/// calls behind a human gate, which need approval each time.
///
/// Beside paths and hosts, such a rule names the effects and every argument with few values. A call that runs a program, or has
/// neither path nor host, is matched by the digest of its arguments.
pub(super) fn narrowest_rule_match(tool: &dyn AnyTool, facts: &CallFacts<'_>) -> Value {
    if facts.reach.destructive || tool.spec().human_gate {
        return Value::Null;
    }
    let effects = facts.reach.effects.iter().map(|effect| effect.as_str());
    let mut parts = fields! {
        "destructive" => false,
        "effects" => effects.collect::<Vec<_>>(),
    };
    let (Some(paths), Some(programs), Some(hosts)) = (&facts.paths, &facts.programs, &facts.hosts)
    else {
        return Value::Null;
    };
    if !facts.files.is_empty() || programs.len() > 1 {
        return Value::Null;
    }
    if !paths.is_empty() {
        let mut under = Vec::new();
        for path in paths {
            match path.name() {
                Some(name) => under.push(name),
                None => return Value::Null,
            }
        }
        let under = BTreeSet::from_iter(under);
        parts.insert("path", object! { "under" => Vec::from_iter(under) });
    }
    if let Some(argv) = programs.first() {
        parts.insert("argv", object! { "prefix" => argv.clone() });
    }
    if !hosts.is_empty() {
        let names: BTreeSet<&str> = hosts.iter().map(|host| host.name.as_str()).collect();
        parts.insert("url", object! { "host" => Vec::from_iter(names) });
    }
    let spec = tool.spec();
    let runs = facts.reach.effects.contains(&Effect::LocalExec)
        || spec.capabilities.contains(&Capability::Spawn);
    let placed = !paths.is_empty() || !hosts.is_empty();
    let choices = enumerable_arguments(&tool.input_schema(), facts.args);
    match choices.filter(|_| placed && !runs) {
        Some(choices) if choices.is_empty() => {}
        Some(choices) => parts.insert("args", Value::object(choices)),
        None => parts.insert("call", crate::digest::of_value(facts.args)),
    }
    parts.into()
}

/// The arguments with few values; `None` where one of them is absent.
fn enumerable_arguments(schema: &Schema, args: &Value) -> Option<Vec<(String, Value)>> {
    let properties = schema.get("properties")?.as_object()?.iter();
    let chosen = properties.filter(|(_, property)| is_choice(schema, property));
    let given = chosen.map(|(name, _)| {
        let value = args.get(name).filter(|value| !value.is_null())?;
        Some((name.clone(), value.clone()))
    });
    given.collect()
}

/// Whether a schema lists its values, directly, behind one reference or in a branch.
fn is_choice(root: &Schema, schema: &Schema) -> bool {
    let referred = schema.get("$ref").and_then(Schema::as_str);
    let referred = referred.and_then(|path| root.pointer(path.strip_prefix('#')?));
    if let Some(schema) = referred {
        return is_choice(&Schema::Null, schema);
    }
    let branches = ["oneOf", "anyOf"].into_iter();
    let mut branches = branches
        .filter_map(|key| schema.get(key)?.as_array())
        .flatten();
    schema.get("enum").is_some()
        || schema.get("const").is_some()
        || schema.get("type").and_then(Schema::as_str) == Some("boolean")
        || branches.any(|branch| is_choice(root, branch))
}
