//! Grants of approval requests: once, or by a rule that is recorded.

use journal::Approval;
use registry::{PolicyRule, WorkspaceId};
use tool_core::convert::from_value;

use super::policy::rules;
use super::prelude::*;

/// A rule to record, and the workspace in which it holds.
pub(super) type Recorded = (WorkspaceId, PolicyRule);

/// Grants a request, or settles it by a rule; gives number and words of the rule.
pub(super) fn grant_request(
    global: &GlobalArgs,
    toolkit: &Toolkit,
    request: &Approval,
    by: &str,
    rule: Option<Recorded>,
) -> Result<(Approval, Option<(usize, String)>)> {
    let state = open::require_state(toolkit)?;
    let Some((workspace, rule)) = rule else {
        return Ok((state.approve(&request.id, by)?, None));
    };
    let granted = state.approve_by_rule(&request.id, by)?;
    let number = rules::record_rule(global, state, by, (&workspace, &rule))?;
    Ok((granted, Some((number, rules::rule_text(&rule)))))
}

/// The rule that `always` records for a request.
///
/// # Errors
/// A rule that the policy would refuse.
pub(super) fn record_of(
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
