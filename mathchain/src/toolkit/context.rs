//! [`CallContext`]: the caller and circumstances of a call.

use std::sync::Arc;

use chain_runtime::cluster::Cluster;
use journal::RunRecord;
use registry::model::Confinement;
use registry::{
    AnswerReader, ApprovalAnswer, CallLineage, CallRequest, CallerContext, Level, PolicyLayer,
    Principal, RunIdReceiver, ToolOverrides, TraceParent,
};
use tool_core::capability::CallClient;
use tool_core::ctx::Progress;
use tool_core::{RandomSeed, StopFlag, Value};

use crate::generation::ConfigGeneration;

/// The caller and circumstances of a call: everything beside its tool and arguments.
#[derive(Clone, Default)]
pub struct CallContext {
    /// Role; `None` for the agent's, else the configuration's default.
    pub role: Option<String>,
    /// Name of the calling agent.
    pub agent: Option<String>,
    /// Id of the agent that calls, where a call started it.
    pub spawned: Option<String>,
    /// Of such an agent: what its program may do in its sandbox, which its calls may do without approval too.
    pub permission: Option<Confinement>,
    /// Phase of the configuration.
    pub phase: Option<String>,
    /// Kind of task, with its budget.
    pub task: Option<String>,
    /// Provider profile, which orders, adds and removes tools.
    pub profile: Option<String>,
    /// Toolset that replaces the phase's.
    pub toolset: Option<String>,
    /// Tools added to and removed from the selection, within the layers.
    pub overrides: ToolOverrides,
    /// Layers of this call, which only narrow.
    pub layers: Vec<PolicyLayer>,
    /// The operator's answer to approval requests, given in advance.
    pub answer: ApprovalAnswer,
    /// The person who makes the call, where the interface knows one: at a terminal, or with an approver's key.
    pub person: Option<String>,
    /// The reader of the answer, which decides when arrays of numbers are handles.
    pub reader: AnswerReader,
    /// The client's id of this call, recorded in the audit.
    pub client_id: Option<String>,
    /// The client's span that this call belongs to, recorded in the audit and the parent of its spans.
    pub trace: Option<TraceParent>,
    /// Name of the server's key with which the client came, recorded in the audit.
    pub key: Option<String>,
    /// The request that may act once, recorded in the audit.
    pub request: Option<String>,
    /// Receives the id of the run that the call begins.
    pub begun: Option<RunIdReceiver>,
    /// Deadline in milliseconds from the start of the call.
    pub timeout_ms: Option<u64>,
    /// Set by the owner to cancel the call.
    pub stop: StopFlag,
    /// Receives the progress of the tool.
    pub progress: Option<Arc<Progress>>,
    /// The client, which a tool that declares it may ask.
    pub client: Option<Arc<dyn CallClient>>,
    /// The engine that computes calls of a plan elsewhere; its owner closes it.
    pub cluster: Option<Arc<Cluster>>,
}

impl CallContext {
    /// The caller that began a run, with everything that narrowed its permissions.
    pub fn of_run(run: &RunRecord) -> Self {
        let who = Principal::from_value(&run.role, &run.who);
        Self {
            role: Some(who.role),
            agent: who.agent,
            permission: who.permission,
            phase: who.phase,
            task: who.task,
            profile: who.profile,
            toolset: who.toolset,
            overrides: who.run,
            layers: who.layers,
            ..Self::default()
        }
    }

    /// Sets the role.
    #[must_use]
    pub fn role(mut self, role: impl Into<String>) -> Self {
        self.role = Some(role.into());
        self
    }

    /// Adds a layer, such as [`PolicyLayer::read_only`].
    #[must_use]
    pub fn narrow(mut self, layer: PolicyLayer) -> Self {
        self.layers.push(layer);
        self
    }

    /// The context of a delegate: this one, narrowed to the selected tools.
    #[must_use]
    pub fn delegate(&self, name: &str, allow: &[&str]) -> Self {
        self.clone()
            .narrow(PolicyLayer::new(Level::Delegation, name).allow(allow.iter().copied()))
    }

    /// The caller that this context describes, under one generation.
    /// A call in this context.
    pub(super) fn request(
        &self,
        generation: &ConfigGeneration,
        tool: &str,
        args: &Value,
    ) -> CallRequest {
        CallRequest {
            tool: tool.to_owned(),
            args: args.clone(),
            context: self.caller(generation),
            seed: RandomSeed::DEFAULT,
            timeout_ms: self.timeout_ms,
            stop: self.stop.clone(),
            progress: self.progress.clone(),
            client: self.client.clone(),
            remote: None,
        }
    }

    pub fn caller(&self, generation: &ConfigGeneration) -> CallerContext {
        let policy = generation.dispatcher.policy();
        let agent = self.agent.as_deref();
        let of_agent = agent.and_then(|agent| policy.role_of_agent(agent));
        let usual = &generation.config.default_role.text;
        let role = self.role.as_deref().or(of_agent).unwrap_or(usual);
        CallerContext {
            who: Principal {
                role: role.to_owned(),
                agent: self.agent.clone(),
                spawned: self.spawned.clone(),
                permission: self.permission,
                phase: self.phase.clone(),
                task: self.task.clone(),
                profile: self.profile.clone(),
                toolset: self.toolset.clone(),
                session: ToolOverrides::default(),
                run: self.overrides.clone(),
                layers: self.layers.clone(),
            },
            chain: None,
            answer: self.answer,
            person: self.person.clone(),
            reader: self.reader,
            origin: CallLineage {
                client_id: self.client_id.clone(),
                trace: self.trace.clone(),
                key: self.key.clone(),
                request: self.request.clone(),
                begun: self.begun.clone(),
                ..CallLineage::default()
            },
        }
    }
}
