//! The one dispatcher: every call through every door passes here, in one order of stages.

use std::sync::Arc;

use tool_core::capability::{Approvals, Arrays, Clock, Ledger};
use tool_core::ctx::Progress;
use tool_core::{
    AnyTool, Call, Capabilities, ErrorCode, Outcome, ResourceKey, Seed, StopFlag, ToolError, Value,
};

use crate::catalogue::Catalogue;
use crate::config::Limits;
use crate::policy::{Decision, Layer, Obligations, Policy, Verdict};

/// What of the world the dispatcher is given.
#[derive(Clone)]
pub struct Host {
    /// Time and timers.
    pub clock: Arc<dyn Clock>,
    /// What tools may be given, each only what it declares.
    pub capabilities: Capabilities,
    /// Opens files and artifacts; absent: such arguments are refused.
    pub arrays: Option<Arc<dyn Arrays>>,
    /// The audit; absent: calls with effects are refused, pure calls carry a warning.
    pub ledger: Option<Arc<dyn Ledger>>,
    /// Approvals; absent: a call that needs one is refused.
    pub approvals: Option<Arc<dyn Approvals>>,
}

/// An operator's answer to approvals, given in advance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Answer {
    /// None: the call waits for a person.
    #[default]
    Ask,
    /// `--yes` at the command line; recorded as `approved_by: caller-yes`.
    Yes,
}

/// Where in a chain a call stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainPosition {
    /// The chain.
    pub chain_id: String,
    /// Index of the step in the plan.
    pub chain_index: usize,
    /// Id of the step.
    pub step: String,
    /// Planned wave of the step.
    pub wave: usize,
}

/// Who calls, and from where.
#[derive(Debug, Clone)]
pub struct CallerContext {
    /// Role.
    pub role: String,
    /// Where in a chain; `None` for a direct call.
    pub chain: Option<ChainPosition>,
    /// Further layers of this call: context (`read_only`, `no_web`), delegation. They only narrow.
    pub layers: Vec<Layer>,
    /// The operator's answer given in advance.
    pub answer: Answer,
}

/// One call.
#[derive(Clone)]
pub struct CallRequest {
    /// Canonical or wire name.
    pub tool: String,
    /// Arguments, as scanned at the door.
    pub args: Value,
    /// Who calls.
    pub context: CallerContext,
    /// The seed that holds where the arguments set none.
    pub seed: Seed,
    /// Deadline; the strictest of this, the tool's, the rules' and the configuration's holds.
    pub timeout_ms: Option<u64>,
    /// Set from outside to cancel.
    pub stop: StopFlag,
    /// Receives progress.
    pub progress: Option<Arc<Progress>>,
}

/// The one dispatcher. Immutable: a reloaded policy makes a new one, and a call sees one generation from end to end.
pub struct Dispatcher {
    catalogue: Arc<Catalogue>,
    policy: Arc<Policy>,
    limits: Limits,
    host: Host,
}

impl Dispatcher {
    /// Joins what there is, who may, how much, and the world.
    pub fn new(catalogue: Arc<Catalogue>, policy: Arc<Policy>, limits: Limits, host: Host) -> Self {
        Self {
            catalogue,
            policy,
            limits,
            host,
        }
    }

    /// The tools there are.
    pub fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    /// Who may call which.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Limits of every call.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// What of the world it was given.
    pub fn host(&self) -> &Host {
        &self.host
    }

    /// Runs one call through every stage. Never panics, never loses the audit record.
    pub fn call(&self, request: CallRequest) -> Outcome {
        let _ = request;
        Outcome::error(ToolError::new(ErrorCode::Internal, "to come"))
    }

    /// Look-up and visibility: what a planner asks first. A direct-only tool is refused for a chain caller.
    ///
    /// # Errors
    /// `unknown_tool` or `not_visible`.
    pub fn resolve(&self, tool: &str, context: &CallerContext) -> Result<&dyn AnyTool, ToolError> {
        let _ = context;
        self.catalogue
            .get(tool)
            .ok_or_else(|| self.catalogue.unknown(tool, None))
    }

    /// The verdict on a call without running it; without checked arguments the strictest that could come.
    pub fn preview(
        &self,
        tool: &dyn AnyTool,
        call: Option<&dyn Call>,
        context: &CallerContext,
    ) -> Decision {
        let _ = (tool, call, context);
        Decision {
            verdict: Verdict::Deny,
            layer: String::new(),
            rule: None,
            reason: String::new(),
            obligations: Obligations::default(),
            certain: true,
        }
    }

    /// The resources a call uses, files of its arguments included; paths by their real identity.
    ///
    /// # Errors
    /// When a path leaves the workspace, or the arguments name none.
    pub fn resource_keys(
        &self,
        tool: &dyn AnyTool,
        call: &dyn Call,
    ) -> Result<Vec<ResourceKey>, ToolError> {
        let _ = tool;
        call.resources()
    }
}

/// Makes panics report an id and a place, never a message: it could hold arguments.
pub fn install_panic_hook() {}
