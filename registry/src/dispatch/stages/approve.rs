//! The approval stage: the request, its binding to the call, and the decision.

use std::borrow::Cow;

use tool_core::capability::{ApprovalRequest, ApprovalState, EditedGrant};
use tool_core::convert::to_value;
use tool_core::{ResourceKey, ToolError, Value, object, tool_error};

use super::edited::EditedCall;
use super::{
    ApprovedCall, DecidedCall, OpenedCall, StageHalt, check_task_budget, destroyed, shown,
};
use crate::dispatch::first_arguments::ShownFiles;
use crate::dispatch::trail::{CallTrail, unaudited_refusal};
use crate::dispatch::{ApprovalAnswer, CallRequest, Dispatcher, preview};
use crate::model::Verdict;
use crate::{digest, redact};

impl<'a> OpenedCall<'a> {
    pub(super) fn approve(
        self,
        request: &CallRequest,
        trail: &mut CallTrail,
    ) -> Result<ApprovedCall<'a>, StageHalt> {
        let dispatcher = self.decided.located.dispatcher;
        let has_effects = !trail.effects.is_empty();
        if has_effects && dispatcher.host.ledger.is_none() {
            return Err(unaudited_refusal(&dispatcher.host.no_ledger()).into());
        }
        check_task_budget(&self.decided.located, trail, false)?;
        // What a person granted for these arguments is used up, though the policy might let them pass.
        if trail.first_arguments.is_some() {
            self.settle(dispatcher, trail, true)?;
        } else if self.decided.decision.verdict == Verdict::Ask {
            let by_key = has_effects && dispatcher.policy.approvals_by_key();
            let needs_person = by_key || self.decided.located.tool().spec().human_gate;
            match request.context.answer {
                ApprovalAnswer::Unattended => return Err(unattended_denial(&self.decided).into()),
                ApprovalAnswer::Yes if !needs_person => {
                    trail.approved_by = Some("caller-yes".to_owned());
                }
                answer => self.settle(dispatcher, trail, answer != ApprovalAnswer::AtOnce)?,
            }
        }
        Ok(ApprovedCall(self))
    }

    fn settle(
        &self,
        dispatcher: &Dispatcher,
        trail: &mut CallTrail,
        notifies: bool,
    ) -> Result<(), StageHalt> {
        let spec = self.decided.located.tool().spec();
        let decision = &self.decided.decision;
        let Some(approvals) = &dispatcher.host.approvals else {
            let (tool, why) = (spec.id, &decision.reason);
            let error = tool_error!(ApprovalRequired, "`{tool}` needs approval: {why}");
            let hint = "an `allow` rule in the configuration, or `--yes` at the command line";
            return Err(error.hint(hint).into());
        };
        let bound = ApprovalBinding {
            opened: self.opened(),
            destroyed: destroyed::destroyed_file_contents(&self.decided, &self.keys, &self.ctx)?,
            folder: opened_folder(dispatcher),
            subject: self.decided.call.bound(&self.ctx.uncounted())?,
        };
        let shown = bound.files();
        // Where the approver's arguments reach files that the request did not show, a person sees these first.
        let edited = trail.first_arguments.as_ref();
        let edited = edited.filter(|first| first.shown.covers(&shown));
        let edited = edited.map(|first| first.grant.clone());
        let (mut preview, mut cut) = preview::preview_arguments(self.decided.call.args());
        for (pointer, name, digest) in &bound.opened {
            preview.push_str(&format!("\n`{pointer}` opens `{name}`, blake3 {digest}"));
        }
        for (path, content) in &bound.destroyed {
            preview.push_str(&format!("\ncan destroy `{path}`, {content}"));
        }
        if let Some(subject) = &bound.subject {
            let (subject, more) = preview::preview_arguments(subject);
            preview.push_str(&format!("\n{subject}"));
            cut |= more;
        }
        let chain = trail.chain();
        let step = chain.map(|chain| (chain.chain_id.clone(), chain.call_name()));
        if let (Cow::Owned(clean), _) = redact::redact_text(&preview) {
            preview = clean;
        }
        let workspace = dispatcher.host.workspace.as_ref();
        let digest = self.digest(dispatcher, trail, &bound);
        let (lifetime_ms, fallback) = dispatcher.policy.approval_terms(decision.obligations);
        let request = ApprovalRequest {
            cut,
            workspace: workspace.map(|workspace| workspace.root.clone()),
            details: self.details(dispatcher, trail, &bound, &digest),
            digest,
            tool: spec.id.to_owned(),
            role: self.decided.located.caller.role().to_owned(),
            agent: trail.who().agent.clone(),
            condition: without_secrets(&self.decided.condition),
            preview,
            by_key: dispatcher.policy.approvals_by_key(),
            lifetime_ms,
            fallback,
            step,
            edited,
            reason: redact::redact_text(&match &decision.rule {
                Some(rule) => format!("layer {}, {rule}: {}", decision.layer, decision.reason),
                None => decision.reason.to_string(),
            })
            .0
            .into_owned(),
        };
        // Were it consumed, this would be the record that makes the intent durable.
        // A call with an approver's arguments leaves none: the tool would be asked about the caller's.
        if !trail.effects.is_empty() && trail.first_arguments.is_none() {
            super::load::record_crash_evidence(&self.decided, &self.ctx, trail);
        }
        match approvals.settle(&request, &trail.intent())? {
            ApprovalState::Pending { id, is_new } => {
                if is_new && notifies {
                    dispatcher.host.tell(|| {
                        object! { "event" => "approval", "id" => id.as_str(), "tool" => request.tool.as_str(),
                            "role" => request.role.as_str(), "agent" => request.agent.clone(),
                            "text" => request.preview.as_str(), "reason" => request.reason.as_str() }
                    });
                }
                Err(StageHalt::Pending(id))
            }
            ApprovalState::Consumed { id, approved_by } => {
                trail.approval_id = Some(id);
                trail.approved_by = Some(approved_by);
                trail.intended = true;
                Ok(())
            }
            ApprovalState::Edited {
                id,
                approved_by,
                arguments,
            } => Err(StageHalt::Edited(Box::new(EditedCall {
                grant: EditedGrant {
                    id,
                    digest: request.digest,
                },
                approved_by,
                arguments,
                shown,
            }))),
            ApprovalState::Declined(id) => {
                trail.approval_id = Some(id.clone());
                let hint = format_args!(
                    "the decision expires when the request would have: `mathchain approvals list --all` shows `{id}`"
                );
                let tool = spec.id;
                let error = tool_error!(
                    ApprovalDeclined,
                    "the operator declined this call of `{tool}`"
                );
                Err(error.hint(hint).into())
            }
            ApprovalState::TimedOut(id) => {
                trail.approval_id = Some(id);
                let tool = spec.id;
                let error = tool_error!(
                    ApprovalDeclined, "timeout";
                    "denied this call of `{tool}`: no decision on its request for approval in time"
                );
                Err(error
                    .hint("call again to request a new approval; a run has to be started anew")
                    .into())
            }
            ApprovalState::Expired(id) => {
                trail.approval_id = Some(id);
                let tool = spec.id;
                let error = tool_error!(
                    ApprovalExpired,
                    "the approval for this call of `{tool}` expired"
                );
                Err(error.hint("call again to request a new approval").into())
            }
        }
    }

    /// The digest that binds an approval to exactly this call.
    fn digest(
        &self,
        dispatcher: &Dispatcher,
        trail: &CallTrail,
        bound: &ApprovalBinding<'_>,
    ) -> String {
        let who = trail.who();
        let spec = self.decided.located.tool().spec();
        let version = spec.version.to_string();
        let workspace = dispatcher.host.workspace.as_ref();
        let fixed = [
            spec.id,
            &version,
            trail.args_digest(),
            self.decided.located.caller.role(),
            dispatcher.policy.generation(),
            workspace.map_or("", |workspace| &workspace.id),
            bound.folder.as_deref().unwrap_or_default(),
            // Absent and empty differ: no agent, phase or task has an empty name.
            who.agent.as_deref().unwrap_or_default(),
            who.phase.as_deref().unwrap_or_default(),
            who.task.as_deref().unwrap_or_default(),
        ];
        let mut parts = fixed.map(str::to_owned).to_vec();
        parts.extend(self.keys.iter().map(key_text));
        for (pointer, _, digest) in &bound.opened {
            parts.extend([(*pointer).to_owned(), digest.clone()]);
        }
        for (path, content) in &bound.destroyed {
            parts.extend([path.clone(), content.clone()]);
        }
        if let Some(subject) = &bound.subject {
            parts.extend(["subject".to_owned(), digest::of_value(subject)]);
        }
        // One run's answer is not another's.
        if let Some(chain) = trail.chain() {
            parts.extend(["run".to_owned(), chain.chain_id.clone(), chain.call_name()]);
        }
        digest::of_texts(parts.iter().map(String::as_str))
    }

    /// The details for the approver, redacted.
    fn details(
        &self,
        dispatcher: &Dispatcher,
        trail: &CallTrail,
        bound: &ApprovalBinding<'_>,
        digest: &str,
    ) -> Value {
        let workspace = dispatcher.host.workspace.as_ref();
        let who = trail.who();
        let spec = self.decided.located.tool().spec();
        let arguments = shown::resolved_arguments(self.decided.call.as_ref(), &self.ctx);
        let (arguments, redacted) = redact::redact_value(&arguments);
        let opened = bound.opened.iter().map(|(pointer, name, digest)| {
            object! { "argument" => *pointer, "name" => *name, "digest" => digest.as_str() }
        });
        let destroyed = bound.destroyed.iter().map(|(path, content)| {
            object! { "path" => path.as_str(), "content" => content.as_str() }
        });
        let details = object! {
            "version" => spec.version,
            "arguments" => arguments,
            "arguments_digest" => trail.args_digest(),
            "redacted" => redacted,
            "workspace" => to_value(&workspace).unwrap_or_default(),
            "folder" => bound.folder.clone(),
            "phase" => who.phase.clone(),
            "task" => who.task.clone(),
            "resources" => self.keys.iter().map(key_text).collect::<Vec<_>>(),
            "opens" => Value::array(opened.collect()),
            "destroys" => Value::array(destroyed.collect()),
            "subject" => bound.subject.clone(),
            "digest" => digest,
        };
        // What is opened, destroyed and decided about may have names that hold secrets.
        redact::redact_value(&details).0
    }

    /// The files and artifacts that the arguments open: pointer, name, digest of the content.
    fn opened(&self) -> Vec<(&str, &str, String)> {
        let sources = self.decided.call.sources().iter();
        let found = sources.filter_map(|reference| {
            let content = self.ctx.loaded(&reference.source).ok()?;
            Some((
                &*reference.pointer,
                reference.source.name(),
                digest::of_value(&content),
            ))
        });
        found.collect()
    }
}

/// The condition of a rule that would match a call; none for one with a secret, which is not kept in the state for a rule.
fn without_secrets(condition: &Value) -> Value {
    match redact::redact_value(condition) {
        (_, 0) => condition.clone(),
        _ => Value::Null,
    }
}

/// Contents that an approval is bound to beside the arguments.
struct ApprovalBinding<'a> {
    /// Pointer, name and digest of each file and artifact that the arguments open.
    opened: Vec<(&'a str, &'a str, String)>,
    /// Path and content of the files that the call can destroy.
    destroyed: Vec<(String, String)>,
    /// The workspace folder that is open in the session.
    folder: Option<String>,
    /// What the tool itself binds an approval to.
    subject: Option<Value>,
}

impl ApprovalBinding<'_> {
    /// The files that the request shows.
    fn files(&self) -> ShownFiles {
        let opened = self.opened.iter();
        ShownFiles {
            opened: opened
                .map(|(_, name, digest)| ((*name).to_owned(), digest.clone()))
                .collect(),
            destroyed: self.destroyed.clone(),
        }
    }
}

fn opened_folder(dispatcher: &Dispatcher) -> Option<String> {
    let workspaces = dispatcher.host.capabilities.workspaces.as_ref()?;
    Some(workspaces.opened()?.path)
}

fn key_text(key: &ResourceKey) -> String {
    format!("{} {} {}", key.kind, key.access, key.id())
}

/// The denial of a call that needs approval where no operator is present and the configuration denies such calls.
fn unattended_denial(decided: &DecidedCall<'_>) -> ToolError {
    let (id, why) = (decided.located.tool().spec().id, &decided.decision.reason);
    tool_error!(PolicyDenied, "unattended";
        "`{id}` needs approval, and no operator is present: {why}";
        "call it at a terminal, add an `allow` rule, or set `[approvals] unattended = \"pending\"`")
}
