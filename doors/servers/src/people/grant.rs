//! Grants of approval requests: once, or by a rule that is recorded.

use std::path::Path;

use journal::{Approval, StateStore};
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
