//! A call that a person granted for other arguments: it passes every stage again, with these.

use tool_core::capability::EditedGrant;
use tool_core::{Object, Value};

use super::{StageHalt, identify_call};
use crate::dispatch::ended::CallEndReport;
use crate::dispatch::first_arguments::{FirstArguments, ShownFiles};
use crate::dispatch::trail::CallTrail;
use crate::dispatch::{CallRequest, Dispatcher};
use crate::redact;

/// The grant of a call for other arguments, before it is used.
pub(super) struct EditedCall {
    pub(super) grant: EditedGrant,
    /// Who gave it.
    pub(super) approved_by: String,
    /// The arguments in place of the caller's.
    pub(super) arguments: Value,
    /// Files that the request showed to the approver.
    pub(super) shown: ShownFiles,
}

impl EditedCall {
    /// Takes the call with the approver's arguments through every stage: the policy decides about them as about any.
    pub(super) fn complete(
        self,
        dispatcher: &Dispatcher,
        request: &CallRequest,
        trail: &mut CallTrail,
    ) -> Result<CallEndReport, StageHalt> {
        let names = changed_names(&request.args, &self.arguments);
        trail.warnings.push(format!(
            "`{}` changed the arguments when approving: {names}",
            self.approved_by
        ));
        let first = trail.first_arguments.take().map(|first| first.digest);
        trail.first_arguments = Some(FirstArguments {
            digest: first.unwrap_or_else(|| trail.args_digest().to_owned()),
            grant: self.grant,
            shown: self.shown,
        });
        let request = CallRequest {
            args: self.arguments,
            ..request.clone()
        };
        identify_call(dispatcher, &request, trail)?.complete(&request, trail)
    }
}

/// The members that differ, with their new values in short.
fn changed_names(before: &Value, after: &Value) -> String {
    const SHOWN_CHARS: usize = 200;
    let none = Object::new();
    let before = before.as_object().unwrap_or(&none);
    let after = after.as_object().unwrap_or(&none);
    let changed = after
        .iter()
        .filter(|(name, value)| before.get(name) != Some(value))
        .map(|(name, value)| {
            let text = redact::redact_value(value).0.to_string();
            let short: String = text.chars().take(SHOWN_CHARS).collect();
            let rest = if short.len() < text.len() { "..." } else { "" };
            format!("`{name}` is {short}{rest}")
        });
    let dropped = before
        .iter()
        .filter(|(name, _)| after.get(name).is_none())
        .map(|(name, _)| format!("`{name}` is not given"));
    let all: Vec<String> = changed.chain(dropped).collect();
    match all.is_empty() {
        true => "they are the same".to_owned(),
        false => all.join(", "),
    }
}
