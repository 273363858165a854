//! Calls made by tools: with the permissions of their caller, narrowed once more.

use std::sync::Arc;

use tool_core::capability::{
    AskedQuestion, BudgetRaise, CallDelegation, ChainRequest, Notification, OperatorQuestion,
    PipelineRequest, PreparedAgent, ToolCaller,
};
use tool_core::ctx::Progress;
use tool_core::{CallOutcome, OutcomeStatus, RandomSeed, StopFlag, ToolError, Value, tool_error};

use super::budgets::Kind;
use super::{
    AnswerReader, CallLineage, CallRequest, CallerContext, Dispatcher, PipelineCall, preview,
};
use crate::catalogue::Catalogue;
use crate::model::{
    Confinement, Level, PolicyLayer, PolicyRule, Principal, RuleMatch, ToolOverrides, Verdict,
};
use crate::redact;

/// Maximum nesting of calls.
pub const DEPTH_MAX: usize = 4;
/// Maximum number of calls of one delegate.
pub const CALLS_MAX: usize = 64;

/// The calls that one call of a tool may make.
pub(super) struct NestedCalls {
    pub(super) dispatcher: Dispatcher,
    /// The caller of the tool.
    pub(super) context: CallerContext,
    pub(super) tool: &'static str,
    pub(super) call_id: String,
    pub(super) seed: RandomSeed,
    /// Receives the progress of the calls.
    pub(super) progress: Option<Arc<Progress>>,
}

impl NestedCalls {
    /// The caller of the tool, narrowed by a layer of delegation.
    fn child(&self, layer: PolicyLayer) -> Result<CallerContext, ToolError> {
        let who = &self.context.who;
        let is_delegation = |layer: &&PolicyLayer| layer.level == Level::Delegation;
        if who.layers.iter().filter(is_delegation).count() >= DEPTH_MAX {
            let error = tool_error!(LimitExceeded, "calls are nested at most {DEPTH_MAX} deep");
            return Err(error.reason("depth").hint("make the call directly"));
        }
        Ok(CallerContext {
            who: who.clone().narrow(layer),
            origin: CallLineage::within(&self.context, &self.call_id),
            reader: AnswerReader::Program,
            person: None,
            ..self.context.clone()
        })
    }

    fn send(
        &self,
        context: &CallerContext,
        tool: &str,
        args: &Value,
        stop: &StopFlag,
    ) -> CallOutcome {
        self.dispatcher.call(CallRequest {
            tool: tool.to_owned(),
            args: args.clone(),
            context: context.clone(),
            seed: self.seed,
            timeout_ms: None,
            stop: stop.child(),
            progress: self.progress.clone(),
            client: None,
            remote: None,
        })
    }
}

impl NestedCalls {
    /// Who an agent of a role is that the caller starts: of the role, with the tools of the caller at most, and no verdict below the caller's.
    /// Tools with a tag of `own` are left to its role, and to the layers of this call.
    fn heir(&self, role: &str, own: &[&str]) -> Result<DelegatedPrincipal, ToolError> {
        let who = &self.context.who;
        let catalogue = &self.dispatcher.catalogue;
        let caller = self.dispatcher.caller(&self.context)?;
        let disabled = [&who.session, &who.run].map(|scope| scope.disable.clone());
        let mut heir = Principal {
            task: who.task.clone(),
            run: ToolOverrides {
                disable: disabled.concat(),
                ..ToolOverrides::default()
            },
            layers: who.layers.clone(),
            ..Principal::role(role)
        };
        if let Some(permission) = caller.selected().permission {
            heir = heir.narrow(permission.value.layer());
        }
        let spec = |tool: usize| catalogue.tool(tool).spec();
        let handed = caller.handed().into_iter();
        let handed = handed.filter(|(_, decision)| decision.verdict != Verdict::Deny);
        let mut allowed: Vec<String> = handed.map(|(tool, _)| tool.name).collect();
        // An agent that it starts in turn has those of its own role.
        let exists = |tag: &&str| catalogue.iter().any(|tool| tool.spec().tags.contains(tag));
        let own = own.iter().copied().filter(exists);
        allowed.extend(own.map(|tag| format!("tag:{tag}")));
        let (mut asked, mut asked_by_default) = (Vec::new(), Vec::new());
        // A limit of the caller's own role, agent or phase would not count the calls of an agent.
        let handed_on = caller
            .listed()
            .filter(|tool| !caller.is_limited_alone(*tool));
        for tool in handed_on {
            let id = spec(tool).id;
            allowed.push(id.to_owned());
            let decision = caller.decide_elsewhere(catalogue, tool);
            match (decision.verdict, decision.rule) {
                (Verdict::Ask, Some(_)) => asked.push(id),
                (Verdict::Ask, None) => asked_by_default.push(id),
                _ => {}
            }
        }
        let name = format!("{} of {}", self.tool, who.role);
        let mut layer = PolicyLayer::new(Level::Delegation, name);
        layer = layer.allow(allowed.iter().map(String::as_str));
        layer.rules.extend(ask_about(asked));
        self.child(layer.clone())?;
        Ok(DelegatedPrincipal {
            who: heir.narrow(layer),
            asked_by_default,
        })
    }
}

/// A rule that asks about tools, since calls of who starts the agent are asked about; `None` for no tools.
fn ask_about(tools: Vec<&'static str>) -> Option<PolicyRule> {
    let is_any = !tools.is_empty();
    is_any.then(|| PolicyRule {
        matches: RuleMatch {
            tools: tools.into_iter().map(Into::into).collect(),
            ..RuleMatch::default()
        },
        decision: Verdict::Ask,
        priority: 0,
        obligations: Vec::new(),
        limit: None,
        reason: Some("calls of who started the agent are asked about too".to_owned()),
        place: None,
    })
}

/// Who an agent is to be, before it is known how far its program may go.
pub struct DelegatedPrincipal {
    /// The agent, its id aside; its last layer is that of who starts it.
    pub who: Principal,
    /// Tools about which who starts it is asked since no rule says otherwise.
    asked_by_default: Vec<&'static str>,
}

impl DelegatedPrincipal {
    /// The agent under the permission of its table: what its program may do in its sandbox, its calls may do without approval, where no rule
    /// asks about calls of who starts it.
    pub fn permitted(self, permission: Confinement, catalogue: &Catalogue) -> Principal {
        let mut asked = self.asked_by_default;
        asked.retain(|id| {
            let tool = catalogue.get(id);
            !tool.is_some_and(|tool| {
                let effects = tool.spec().effects;
                !effects.is_empty() && effects.iter().all(|effect| permission.grants(*effect))
            })
        });
        let mut who = self.who;
        who.permission = Some(permission);
        if let Some(layer) = who.layers.last_mut() {
            layer.rules.extend(ask_about(asked));
        }
        who
    }
}

impl ToolCaller for NestedCalls {
    fn call(&self, tool: &str, args: &Value, stop: &StopFlag) -> Result<Value, ToolError> {
        let context = self.child(PolicyLayer::new(Level::Delegation, self.tool))?;
        match self.send(&context, tool, args, stop).status {
            OutcomeStatus::Success(output) => Ok(output),
            OutcomeStatus::Error(error) => Err(error),
            OutcomeStatus::PendingApproval { approval_id, .. } => {
                let caller = self.tool;
                let error = tool_error!(
                    ApprovalRequired,
                    "`{tool}`, called by `{caller}`, needs approval"
                );
                Err(error.hint(format_args!(
                    "`mathchain approve {approval_id}`, then call again"
                )))
            }
        }
    }

    fn delegate(
        &self,
        delegation: &CallDelegation,
        stop: &StopFlag,
    ) -> Result<Vec<Value>, ToolError> {
        if delegation.calls.len() > CALLS_MAX {
            let message = format_args!("a delegate makes at most {CALLS_MAX} calls");
            return Err(ToolError::invalid("/calls", message));
        }
        let tools = delegation.tools.iter().map(String::as_str);
        let layer = PolicyLayer::new(Level::Delegation, &*delegation.name).allow(tools);
        let mut context = self.child(layer)?;
        if delegation.read_only {
            context.who = context.who.narrow(PolicyLayer::read_only());
        }
        // A selector that selects nothing is found before anything runs.
        self.dispatcher
            .caller(&context)
            .map_err(|err| ToolError::invalid("/tools", err.message()))?;
        let mut envelopes = Vec::with_capacity(delegation.calls.len());
        for (tool, args) in &delegation.calls {
            stop.check()?;
            envelopes.push(self.send(&context, tool, args, stop).to_value());
        }
        Ok(envelopes)
    }

    fn chain(&self, request: &ChainRequest, stop: &StopFlag) -> Result<Value, ToolError> {
        let Some(chains) = &self.dispatcher.host.chains else {
            let error = tool_error!(PreconditionFailed, "this interface runs no plans");
            return Err(error.reason("capability"));
        };
        let context = self.child(PolicyLayer::new(Level::Delegation, self.tool))?;
        chains(
            &self.dispatcher,
            &context,
            request,
            stop,
            self.progress.as_ref(),
        )
    }

    fn agent(&self, role: &str, own: &[&str]) -> Result<Box<dyn PreparedAgent>, ToolError> {
        let Some(agents) = &self.dispatcher.host.agents else {
            return Err(
                tool_error!(PreconditionFailed, "capability"; "this interface starts no agents";
                "call it from the command line or through `mathchain serve`"),
            );
        };
        let heir = self.heir(role, own)?;
        agents(&self.dispatcher, &self.context.who, heir)
    }

    fn pipeline(&self, request: &PipelineRequest, stop: &StopFlag) -> Result<Value, ToolError> {
        let Some(pipelines) = &self.dispatcher.host.pipelines else {
            return Err(
                tool_error!(PreconditionFailed, "capability"; "this interface starts no agents";
                "call it from the command line or through `mathchain serve`"),
            );
        };
        let call = PipelineCall {
            request,
            context: &self.context,
            heirs: &|role| self.heir(role, &[]),
            stop,
            progress: self.progress.as_ref(),
        };
        pipelines(&self.dispatcher, &call)
    }

    fn escalate(&self, question: &OperatorQuestion) -> Result<AskedQuestion, ToolError> {
        let Some(notices) = &self.dispatcher.host.notices else {
            return Err(tool_error!(PreconditionFailed, "notices";
                "no operator can be asked: there is no state folder for the question";
                "`mathchain doctor` shows the state folder and what is wrong with it"));
        };
        let catalogue = &self.dispatcher.catalogue;
        let tool = match &question.tool {
            Some(name) => {
                let found = catalogue.get(name);
                let found = found.ok_or_else(|| catalogue.unknown(name, None).at("/tool"))?;
                Some(found.spec().id.to_owned())
            }
            None => None,
        };
        let mut text = redact::redact_text(&question.reason).0.into_owned();
        if let Some(args) = &question.args {
            text.push_str(&format!("\n{}", preview::preview_arguments(args).0));
        }
        let who = &self.context.who;
        let notice = Notification {
            kind: "question",
            call_id: self.call_id.clone(),
            tool,
            role: who.role.clone(),
            agent: who.agent.clone(),
            text,
        };
        if let Some(asked) = notices.asked(&notice)? {
            return Ok(asked);
        }
        let id = self.dispatcher.host.notify(&**notices, &notice)?;
        Ok(AskedQuestion { id, answer: None })
    }

    fn raise_budget(&self, kind: &str) -> Result<BudgetRaise, ToolError> {
        let kind = Kind::parse(kind).ok_or_else(|| {
            let names: Vec<_> = Kind::ALL.iter().map(|kind| kind.as_str()).collect();
            let names = names.join("`, `");
            ToolError::invalid("/category", format_args!("expected one of `{names}`"))
        })?;
        let task = self.context.who.task.as_deref();
        let budget = task.and_then(|task| self.dispatcher.policy.budget(task));
        Ok(match budget {
            Some(budget) => self.dispatcher.tally.raise(budget, kind),
            None => BudgetRaise {
                remaining: None,
                overrides_used: 0,
                refused: Some("the caller has no task with a budget".to_owned()),
            },
        })
    }
}
