//! Whether somebody must be asked, and what they said.

use tool_core::capability::{ApprovalRequest, ApprovalState};
use tool_core::{ErrorCode, Source, ToolError};

use super::{Cleared, Halt, Opened, Ruled, budget};
use crate::digest;
use crate::dispatch::trail::{Trail, unaudited};
use crate::dispatch::{Answer, CallRequest, Dispatcher, preview};
use crate::policy::Verdict;

impl<'a> Opened<'a> {
    pub(super) fn approve(
        self,
        request: &CallRequest,
        trail: &mut Trail,
    ) -> Result<Cleared<'a>, Halt> {
        let dispatcher = self.ruled.looked.dispatcher;
        let has_effects = !trail.effects.is_empty();
        if has_effects && dispatcher.host.ledger.is_none() {
            return Err(unaudited("there is no audit").into());
        }
        budget(&self.ruled.looked, trail, false)?;
        if self.ruled.decision.verdict == Verdict::Ask {
            match request.context.answer {
                Answer::Nobody => return Err(unattended(&self.ruled).into()),
                Answer::Yes => trail.approved_by = Some("caller-yes".to_owned()),
                Answer::Ask => self.settle(dispatcher, trail)?,
            }
        }
        Ok(Cleared {
            ruled: self.ruled,
            ctx: self.ctx,
            alarm: self.alarm,
        })
    }

    fn settle(&self, dispatcher: &Dispatcher, trail: &mut Trail) -> Result<(), Halt> {
        let spec = self.ruled.looked.tool().spec();
        let decision = &self.ruled.decision;
        let Some(approvals) = &dispatcher.host.approvals else {
            let message = format_args!(
                "`{}` needs a person's approval: {}",
                spec.id, decision.reason
            );
            return Err(ToolError::new(ErrorCode::ApprovalRequired, message)
                .hint("an `allow` rule in the configuration, or `--yes` at the command line")
                .into());
        };
        let opened = self.opened();
        let mut preview = preview::of(self.ruled.call.args());
        for (pointer, name, digest) in &opened {
            preview.push_str(&format!("\n`{pointer}` opens `{name}`, blake3 {digest}"));
        }
        let chain = trail.chain();
        let step = chain.map(|chain| (chain.chain_id.clone(), chain.call_name()));
        let request = ApprovalRequest {
            digest: self.digest(dispatcher, trail, &opened),
            tool: spec.id.to_owned(),
            role: self.ruled.looked.caller.role().to_owned(),
            agent: trail.who().agent.clone(),
            condition: self.ruled.condition.clone(),
            preview,
            step,
            reason: match &decision.rule {
                Some(rule) => format!("layer {}, {rule}: {}", decision.layer, decision.reason),
                None => decision.reason.to_string(),
            },
        };
        // Were it consumed, this would be the record that makes the intent durable.
        if !trail.effects.is_empty() {
            super::load::look(&self.ruled, &self.ctx, trail);
        }
        match approvals.settle(&request, &trail.intent())? {
            ApprovalState::Pending(id) => Err(Halt::Pending(id)),
            ApprovalState::Consumed { id, approved_by } => {
                trail.approval_id = Some(id);
                trail.approved_by = Some(approved_by);
                trail.intended = true;
                Ok(())
            }
            ApprovalState::Declined(id) => {
                trail.approval_id = Some(id.clone());
                let message = format_args!("a person declined this call of `{}`", spec.id);
                Err(ToolError::new(ErrorCode::ApprovalDeclined, message)
                    .hint(format!(
                        "the answer holds as long as the question would have stood: `mathchain approvals list --all` shows `{id}`"
                    ))
                    .into())
            }
            ApprovalState::Expired(id) => {
                trail.approval_id = Some(id);
                let message = format_args!("the approval for this call of `{}` expired", spec.id);
                Err(ToolError::new(ErrorCode::ApprovalExpired, message)
                    .hint("send the call again to ask anew")
                    .into())
            }
        }
    }

    /// Binds an approval to this call and to nothing else.
    fn digest(
        &self,
        dispatcher: &Dispatcher,
        trail: &Trail,
        opened: &[(&str, &str, String)],
    ) -> String {
        let who = trail.who();
        let spec = self.ruled.looked.tool().spec();
        let version = spec.version.to_string();
        let fixed = [
            spec.id,
            &version,
            trail.args_digest(),
            self.ruled.looked.caller.role(),
            dispatcher.policy.generation(),
            // Absent and empty differ: no agent, phase or task has an empty name.
            who.agent.as_deref().unwrap_or_default(),
            who.phase.as_deref().unwrap_or_default(),
            who.task.as_deref().unwrap_or_default(),
        ];
        let mut parts = fixed.map(str::to_owned).to_vec();
        let keys = self.keys.iter();
        parts.extend(keys.map(|key| format!("{} {} {}", key.kind, key.access, key.name)));
        for (pointer, _, digest) in opened {
            parts.extend([(*pointer).to_owned(), digest.clone()]);
        }
        // One run's answer is not another's.
        if let Some(chain) = trail.chain() {
            parts.extend(["run".to_owned(), chain.chain_id.clone(), chain.call_name()]);
        }
        digest::of_texts(parts.iter().map(String::as_str))
    }

    /// What the arguments open: pointer, name, digest of the content.
    fn opened(&self) -> Vec<(&str, &str, String)> {
        let sources = self.ruled.call.sources().iter();
        let found = sources.filter_map(|reference| {
            let (Source::File(name) | Source::Artifact(name)) = &reference.source;
            let content = self.ctx.loaded(&reference.source).ok()?;
            Some((&*reference.pointer, &**name, digest::of_value(&content)))
        });
        found.collect()
    }
}

/// What would ask is denied where nobody can answer and the configuration says so.
fn unattended(ruled: &Ruled<'_>) -> ToolError {
    let id = ruled.looked.tool().spec().id;
    let message = format_args!(
        "`{id}` needs a person's approval, and nobody can answer at this door: {}",
        ruled.decision.reason
    );
    ToolError::new(ErrorCode::PolicyDenied, message)
        .reason("unattended")
        .hint("call it at a terminal, add an `allow` rule, or set `[approvals] unattended = \"pending\"`")
}
