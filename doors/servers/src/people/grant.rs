//! Grants of approval requests: once, or by a rule that is recorded.

use std::path::Path;

use journal::{Approval, StateScope, StateStore};
use registry::{PolicyRule, WorkspaceId};
use tool_core::convert::from_value;
use tool_core::{Result, Value, tool_error};

use super::rules;
use mathchain::{Toolkit, user_rules};

/// A rule to record, and the workspace in which it holds.
pub type Recorded = (WorkspaceId, PolicyRule);

/// Grants a request, or settles it by a rule; gives number and words of the rule.
///
/// # Errors
/// `conflict` for a request that no longer waits; a rule that cannot be stored in `folder`, that of the state.
pub fn grant_request(
    folder: &Path,
    state: &StateStore,
    request: &Approval,
    by: &str,
    rule: Option<Recorded>,
) -> Result<(Approval, Option<(usize, String)>)> {
    let Some((workspace, rule)) = rule else {
        return Ok((state.approve(&request.id, by)?, None));
    };
    let granted = state.approve_by_rule(&request.id, by)?;
    rules::audit_rule_change(state, "recorded", by, &rule)?;
    let number = user_rules::record_rule(folder, &workspace, rule.clone())?;
    Ok((granted, Some((number, rules::rule_text(&rule)))))
}

/// Grants a request of a workspace for other arguments, which its tool must take: its call, sent again, runs once with these.
///
/// # Errors
/// Arguments that the tool refuses; as [`StateStore::approve_edited_in`].
pub fn grant_edited(
    toolkit: &Toolkit,
    state: &StateStore,
    scope: &StateScope,
    request: &Approval,
    by: &str,
    arguments: &Value,
) -> Result<Approval> {
    let dispatcher = toolkit.dispatcher();
    let catalogue = dispatcher.catalogue();
    // A tool that is gone since is found when the call is sent again.
    if let Some(index) = catalogue.called(&request.tool) {
        catalogue.tool(index).decode(arguments)?;
    }
    state.approve_edited_in(scope, &request.id, by, arguments)
}

/// The rule that `always` records for a request.
///
/// # Errors
/// A rule that the policy would refuse.
pub fn record_of(
    toolkit: &Toolkit,
    request: &Approval,
    details: Option<&Value>,
) -> Result<Recorded> {
    Ok((
        workspace_of(details)?,
        rules::of_approval(toolkit, request)?,
    ))
}

/// The workspace of the call, if it has one.
fn workspace_of(details: Option<&Value>) -> Result<WorkspaceId> {
    let workspace =
        details.and_then(|details| from_value::<WorkspaceId>(details.get("workspace")?).ok());
    workspace.ok_or_else(|| {
        tool_error!(PreconditionFailed, "workspace";
            "a rule applies to one workspace, and this call has none";
            "approve it without `--always`")
    })
}
