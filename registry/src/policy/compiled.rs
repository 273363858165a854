//! The policy of one generation and what holds for one caller: the compiled data that the other files build and read.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use tool_core::Encode;
use tool_core::capability::ApprovalFallback;

use super::agent_names::AgentNames;
use super::compile::CompiledLayer;
use super::decide::PermissionDefaults;
use super::limit::AppliedLimit;
use super::phases::CompiledPhase;
use super::runtime::RuntimeFacts;
use super::selection::{CompiledSelection, ToolSelection};
use super::set::ToolSet;
use super::start::SelectionLevels;
use super::text::{DecisionReason, PolicyLabel};
use crate::error::LoadError;
use crate::model::{
    ApprovalConfig, ApprovalsFrom, BrokenAgent, Confinement, JoinedObligations, PermissionTable,
    TaskBudget, Verdict, WorkspaceRoots,
};

/// What was decided, by whom and why.
#[derive(Debug, Clone, PartialEq, Encode)]
pub struct PolicyDecision {
    /// The verdict.
    #[value(rename = "decision")]
    pub verdict: Verdict,
    /// Whether checked arguments could not change the verdict.
    pub certain: bool,
    /// The deciding layer: `global`, ``role `worker_math` ``, `defaults`.
    pub layer: PolicyLabel,
    /// The deciding rule: where it was written, or which of its layer it is.
    pub rule: Option<PolicyLabel>,
    /// Why, in words.
    pub reason: DecisionReason,
    /// Duties of the call.
    #[value(skip)]
    pub obligations: JoinedObligations,
    /// Limits that the call is counted against; of every rule that it could match.
    #[value(skip)]
    pub limits: Vec<AppliedLimit>,
}

impl PolicyDecision {
    /// Asks a person where nothing else did.
    pub fn require(&mut self, layer: &'static str, reason: &'static str) {
        self.verdict = Verdict::Ask;
        self.layer = layer.into();
        self.rule = None;
        self.reason = reason.into();
    }

    /// This one, or a stricter one on something the call uses; what the call must keep to stays.
    #[must_use]
    pub fn stricter(self, other: Self) -> Self {
        match other.verdict > self.verdict {
            true => Self {
                obligations: self.obligations,
                limits: self.limits,
                ..other
            },
            false => self,
        }
    }

    /// A denial that no rule spells.
    pub fn denied(layer: impl Into<PolicyLabel>, reason: impl Into<DecisionReason>) -> Self {
        Self {
            verdict: Verdict::Deny,
            layer: layer.into(),
            rule: None,
            reason: reason.into(),
            obligations: JoinedObligations::default(),
            limits: Vec::new(),
            certain: true,
        }
    }
}

#[derive(Debug, Clone)]
pub(crate) struct CompiledRole {
    pub(super) description: String,
    pub(super) selection: CompiledSelection,
    pub(super) layers: Vec<CompiledLayer>,
}

#[derive(Debug, Clone)]
pub(crate) struct CompiledAgent {
    pub(super) role: Option<String>,
    pub(super) selection: CompiledSelection,
    pub(super) layer: CompiledLayer,
}

/// A provider profile against one catalogue.
#[derive(Debug, Clone)]
pub(crate) struct CompiledProfile {
    pub(super) prefer: ToolSelection,
    pub(super) enable: ToolSelection,
    pub(super) disable: ToolSelection,
}

/// The policy of one generation: immutable, compiled against one catalogue.
#[derive(Debug, Clone)]
pub struct Policy {
    pub(super) generation: String,
    pub(super) default_role: String,
    /// Layers of every level but that of roles.
    pub(super) layers: Vec<CompiledLayer>,
    pub(super) roles: BTreeMap<String, CompiledRole>,
    pub(super) agents: BTreeMap<String, CompiledAgent>,
    /// Agents, and command lines that have no file.
    pub(super) agent_names: AgentNames,
    pub(super) phases: BTreeMap<String, CompiledPhase>,
    /// Kinds of tasks, with the contexts they imply.
    pub(super) tasks: BTreeMap<String, Vec<CompiledLayer>>,
    pub(super) profiles: BTreeMap<String, CompiledProfile>,
    pub(super) toolsets: BTreeMap<String, CompiledSelection>,
    /// What each permission of a phase adds, in the order of [`Confinement::ALL`].
    pub(super) confinements: Vec<CompiledLayer>,
    /// The contexts of the facts `read_only` and `no_web`.
    pub(super) contexts: [CompiledLayer; 2],
    pub(super) preconditions: Vec<(&'static str, ToolSet)>,
    pub(super) defaults: PermissionDefaults,
    /// The roots that paths of rules are read by.
    pub(super) roots_in_use: WorkspaceRoots,
    pub(super) approvals: ApprovalConfig,
    /// Agents that pass human gates, with the tools.
    pub(super) gates: BTreeMap<String, ToolSet>,
    pub(super) budgets: Vec<TaskBudget>,
    /// Tables that give what the user has not agreed to.
    pub(super) untrusted: Vec<String>,
    pub(crate) notes: Vec<LoadError>,
    /// Agents whose files cannot be used.
    pub(crate) broken_agents: Vec<BrokenAgent>,
}

impl Policy {
    /// Whether only approvers with keys answer approvals.
    pub fn approvals_by_key(&self) -> bool {
        self.approvals.from == ApprovalsFrom::Key
    }

    /// How long an approval request of a call lives, and its answer until the call is made, in milliseconds; and what becomes of one that
    /// nobody decides in time. Rules only shorten the time, and only make the fallback stricter.
    pub fn approval_terms(&self, obligations: JoinedObligations) -> (u64, ApprovalFallback) {
        let ApprovalConfig {
            expire, fallback, ..
        } = self.approvals;
        let expire = obligations.expire.map_or(expire, |one| one.min(expire));
        let fallback = obligations
            .fallback
            .map_or(fallback, |one| one.max(fallback));
        (expire.ms(), fallback)
    }

    /// Whether a path lies in a root of the workspace, by its text.
    pub(crate) fn has_place(&self, path: &str) -> bool {
        self.roots_in_use.named(path).is_some()
    }

    /// Tables that give what the user has not agreed to, so that they do not count.
    pub fn untrusted(&self) -> &[String] {
        &self.untrusted
    }

    /// How far calls of a phase go without approval: no further than usual where the user has not agreed to what phases give.
    pub(super) fn granted(&self, permission: Option<Confinement>) -> Option<Confinement> {
        let of_phase = |table: &String| table.starts_with("phases.");
        permission.filter(|_| !self.untrusted.iter().any(of_phase))
    }

    /// How many calls a kind of task may make, where the configuration says.
    pub fn budget(&self, task: &str) -> Option<&TaskBudget> {
        self.budgets.iter().find(|budget| budget.task == task)
    }

    /// Digest of the catalogue and of every layer: decisions of one generation are the same.
    pub fn generation(&self) -> &str {
        &self.generation
    }

    /// The role of a call that names none at the command line.
    pub fn default_role(&self) -> &str {
        &self.default_role
    }

    /// The roles, with what they are for.
    pub fn roles(&self) -> impl Iterator<Item = (&str, &str)> {
        self.roles
            .iter()
            .map(|(name, role)| (name.as_str(), role.description.as_str()))
    }

    /// The role that an agent's file names.
    pub fn role_of_agent(&self, agent: &str) -> Option<&str> {
        self.agents.get(agent)?.role.as_deref()
    }

    /// The phases, by name.
    pub fn phases(&self) -> impl Iterator<Item = &str> {
        self.phases.keys().map(String::as_str)
    }

    /// What a file of an earlier system says that does not hold here, and is no error.
    pub fn notes(&self) -> &[LoadError] {
        &self.notes
    }

    /// The agents whose files cannot be used.
    pub fn broken_agents(&self) -> &[BrokenAgent] {
        &self.broken_agents
    }

    /// What holds where no rule is about a call.
    pub fn permissions(&self) -> &PermissionTable {
        &self.defaults.permissions
    }
}

/// What holds for one caller.
#[derive(Debug, Clone)]
pub struct CallerPolicy<'a> {
    pub(super) policy: &'a Policy,
    pub(super) start: SelectionLevels<'a>,
    pub(super) layers: Vec<&'a CompiledLayer>,
    /// The permission of the agent that calls, where a call started it.
    pub(super) permission: Option<Confinement>,
    /// Those that only this call has.
    pub(super) of_call: Vec<CompiledLayer>,
    pub(super) facts: RuntimeFacts,
    /// Joined when somebody asks for all of it.
    pub(super) visible: OnceLock<ToolSet>,
}
