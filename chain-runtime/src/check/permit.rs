//! Permission of a call before it runs: the resources that it uses, and the verdict of the policy.

use std::sync::Arc;

use registry::{ApprovalAnswer, PolicyDecision, Verdict};
use tool_core::{DataPlace, ResourceKey, ToolCall, ToolError, Value};

use super::access::{self, StepResources};
use super::args;
use super::checked::{self, CheckedStep, StepPermit};
use super::checker::{PlanChecker, ResolvedCall, StepSite};
use super::tools::ToolFacts;
use crate::plan::Approval;
use crate::problem::{Fault, PlanProblem, problem};
use crate::template::ArgumentNode;

impl PlanChecker<'_> {
    /// Permits a step whose arguments are all known.
    pub(super) fn permit_known(
        &mut self,
        called: ResolvedCall<'_>,
        call: &dyn ToolCall,
        checked: &mut CheckedStep,
    ) {
        let ResolvedCall { site, facts, .. } = called;
        let reach = call.reach();
        checked.effects = reach.effects;
        checked.idempotent = reach.idempotent;
        match self.dispatcher.resource_keys(facts.tool, call) {
            Ok(keys) => self.take_keys(called, keys, checked),
            Err(err) => {
                let pointer = format!("{}{}", site.base, err.path().unwrap_or_default());
                self.report(PlanProblem::of_error(Fault::Resource, pointer, &err));
            }
        }
        // The verdict on a tool is the same for all its calls; that on files of the arguments is not.
        let decision = match facts.strictest.certain && call.sources().is_empty() {
            true => facts.strictest.clone(),
            false => self.preview(facts, call),
        };
        checked.permit = self.permit(called, decision, true);
        if checked::is_chain(checked.tool) {
            self.subplan(called, &ArgumentNode::Literal(call.args().clone()), checked);
        }
    }

    /// Permits a step with arguments that are not known yet.
    pub(super) fn permit_open(&mut self, called: ResolvedCall<'_>, checked: &mut CheckedStep) {
        let ResolvedCall { site, facts, .. } = called;
        let files = self.dispatcher.host().capabilities.files.as_deref();
        let known = self.keyed(facts, &checked.args).transpose();
        let found = known.and_then(|known| {
            access::of_open_call(facts.tool.spec(), &facts.input, &checked.args, files, known)
        });
        match found {
            Ok(StepResources { keys, unknown }) => {
                if let Some(unknown) = unknown {
                    self.fall_back(site, &unknown);
                }
                self.take_keys(called, keys, checked);
            }
            Err(err) => self.report(PlanProblem::of_error(Fault::Resource, &site.base, &err)),
        }
        let strictest = facts.strictest.clone();
        let is_sure = strictest.certain || strictest.verdict == Verdict::Allow;
        let likely = (!is_sure)
            .then(|| self.likely(facts, &checked.args))
            .flatten();
        let (known, decision) = match likely {
            // A denial of placeholders does not imply a denial of the later values.
            Some(decision) => (decision.verdict != Verdict::Deny, decision),
            None => (is_sure, strictest),
        };
        let (decision, known) = self.with_files(facts, &checked.args, decision, known);
        checked.permit = self.permit(called, decision, known);
        if checked::is_chain(checked.tool) {
            let args = checked.args.clone();
            self.subplan(called, &args, checked);
        }
    }

    fn preview(&self, facts: &ToolFacts<'_>, call: &dyn ToolCall) -> PolicyDecision {
        self.dispatcher
            .preview(facts.tool, Some(call), &self.context)
    }

    /// Resources of a call, where all arguments that determine them are literal.
    fn keyed(
        &self,
        facts: &ToolFacts<'_>,
        args: &ArgumentNode,
    ) -> Option<Result<Vec<ResourceKey>, ToolError>> {
        let held = |pointer: &&str| args.pointer(pointer).is_none_or(|node| node.is_literal());
        facts.tool.spec().keyed_by?.iter().all(held).then_some(())?;
        let call = stand_in(facts, args)?;
        Some(self.dispatcher.resource_keys(facts.tool, &*call))
    }

    /// The decision on a call joined with those on the files of its arguments, and whether it is certain.
    fn with_files(
        &self,
        facts: &ToolFacts<'_>,
        args: &ArgumentNode,
        mut decision: PolicyDecision,
        mut known: bool,
    ) -> (PolicyDecision, bool) {
        let mut read = |path: Option<&str>, is_known: bool| {
            let reading = self.dispatcher.preview_file(path, &self.context);
            if reading.verdict > decision.verdict {
                known = is_known || reading.certain;
            }
            decision = decision.clone().stricter(reading);
        };
        let call = stand_in(facts, args);
        for found in call.iter().flat_map(|call| call.sources()) {
            if let DataPlace::File(path) = &found.source.place {
                read(Some(path), true);
            }
        }
        // Below references, an object that looks like a file may be data.
        let members: &[(Arc<str>, ArgumentNode)] = match args {
            ArgumentNode::Object(members) => members,
            _ => &[],
        };
        for (_, member) in members.iter().filter(|(_, node)| !node.is_literal()) {
            let _ = access::each_source(member, &mut |path| {
                read(path, false);
                Ok(())
            });
        }
        (decision, known)
    }

    /// The verdict on a call like this one, with placeholders for unknown values; only where the plan names every resource, so
    /// that the rules see the resources of the later call.
    fn likely(&self, facts: &ToolFacts<'_>, node: &ArgumentNode) -> Option<PolicyDecision> {
        let named = |pointer: &str| node.pointer(pointer).is_none_or(|node| node.is_literal());
        let mut resources = facts.tool.spec().resources.iter();
        resources
            .all(|template| named(template.pointer))
            .then_some(())?;
        let call = stand_in(facts, node)?;
        Some(self.preview(facts, &*call))
    }

    fn permit(
        &mut self,
        called: ResolvedCall<'_>,
        mut decision: PolicyDecision,
        known: bool,
    ) -> StepPermit {
        let ResolvedCall { site, facts, .. } = called;
        let (id, tool) = (&self.plan.steps[site.position].id, facts.tool.spec().id);
        let pointer = format!("/steps/{}", site.position);
        if site.approval == Approval::Required && decision.verdict == Verdict::Allow {
            decision.require("plan", "the plan requires an approval");
        }
        let permit = StepPermit {
            verdict: decision.verdict,
            layer: decision.layer.to_string(),
            reason: decision.reason.to_string(),
            certain: known,
        };
        let why = format!("layer {}", permit.why());
        let asks = matches!(
            self.context.answer,
            ApprovalAnswer::Ask | ApprovalAnswer::AtOnce
        ) && self.dispatcher.host().approvals.is_some();
        match decision.verdict {
            Verdict::Deny if known => self.report(problem!(Policy, pointer;
                "`{id}` may not call `{tool}`: denied by {why}")),
            Verdict::Deny => {
                let what = format!("`{id}` may be denied when it is called: {why}");
                self.note(format!("{pointer}: {what}"));
            }
            Verdict::Ask if site.approval == Approval::NeverAsk && known => {
                self.report(problem!(Approval, pointer;
                    "`{id}` needs an approval to call `{tool}`, and its `approval` is `never-ask`: {why}";
                    "add an `allow` rule that names the tool, or remove `approval`"));
            }
            Verdict::Ask if asks => {
                let what = format!("`{id}` awaits an approval to call `{tool}`: {why}");
                self.note(format!("{pointer}: {what}"));
            }
            Verdict::Ask if self.context.answer != ApprovalAnswer::Yes => {
                self.report(problem!(Approval, pointer;
                    "`{id}` needs an approval to call `{tool}`: {why}";
                    "run with `--yes`, or add an `allow` rule that names the tool"));
            }
            _ => {}
        }
        permit
    }

    /// Enters the resources of a step. Falls back to sequential order when it has effects without resources, or its tool
    /// declares nothing.
    fn take_keys(
        &mut self,
        called: ResolvedCall<'_>,
        keys: Vec<ResourceKey>,
        checked: &mut CheckedStep,
    ) {
        if !checked.effects.is_empty() && keys.is_empty() {
            self.fall_back(called.site, "has effects and names no resources");
        } else if access::declares_nothing(called.facts.tool.spec()) {
            self.fall_back(called.site, "has a tool that declares nothing about itself");
        }
        checked.resources = keys;
    }

    pub(super) fn fall_back(&mut self, site: &StepSite, why: &str) {
        if site.undoing {
            return; // compensations run alone
        }
        let id = &self.plan.steps[site.position].id;
        self.found
            .unnamed
            .get_or_insert_with(|| format!("step `{id}` {why}"));
    }
}

/// A call with placeholders for arguments that contain references.
fn stand_in(facts: &ToolFacts<'_>, node: &ArgumentNode) -> Option<Box<dyn ToolCall>> {
    let properties = facts.input.get("properties")?;
    let ArgumentNode::Object(members) = node else {
        return None;
    };
    let args = Value::object(members.iter().filter_map(|(key, member)| {
        let value = match member {
            ArgumentNode::Literal(value) => value.clone(),
            _ => args::sample_value(properties.get(&**key)?),
        };
        Some((Arc::clone(key), value))
    }));
    facts.tool.decode(&args).ok()
}
