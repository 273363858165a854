//! Who may see and call what: layers that only narrow, rules on parsed values, and a reason for every decision.
//!
//! [`Policy`] is compiled once against a catalogue; [`Policy::caller`] joins what holds for one caller, and
//! [`Caller::decide`] answers for one call. Both are pure. The verdicts form a lattice, `allow < ask < deny`, and the
//! strictest explicit rule holds.

mod caller;
mod cases;
mod compare;
mod compile;
mod condition;
mod decide;
mod explain;
mod facts;
mod gather;
mod glob;
mod hosts;
mod join;
mod phases;
mod record;
mod roles;
mod runtime;
mod selection;
mod selector;
mod set;
mod shell;
mod start;
mod text;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::OnceLock;

pub use cases::{Case, CaseResult, read as read_cases};
pub use compare::{Access, AccessChange, MatrixRow, difference};
pub use compile::{CompiledLayer, CompiledRule};
pub use decide::effective;
pub use explain::{Explanation, LayerStep, RuleStep};
pub use facts::{CallFacts, PathFact, components};
pub use hosts::HostRules;
pub use roles::context_of_task;
pub use runtime::{FLAGS, Facts, NO_WEB, READ_ONLY, SESSION_OPEN, WORKSPACE_READY, WorkspaceState};
pub use selection::{Chosen, EXTERNAL_PREFIX, Field, MAX_TURNS, Selected, is_external};
pub use selector::Group;
pub use set::ToolSet;
pub use text::{Label, Reason};

pub(crate) use compile::layer as compile_layer;
pub(crate) use roles::{built_in_roles, merged as merged_roles, toolset as resolve_toolset};
pub(crate) use selector::resolve as resolve_selector;

use crate::error::LoadError;
use crate::model::{Budget, Obligations, Permissions, Verdict};
use decide::Defaults;
use phases::CompiledPhase;
use selection::CompiledSelection;
use start::Start;

/// The tool whose permission `{"$file": path}` needs.
pub const FILE_READER: &str = "read_file";

/// What was decided, by whom and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// The verdict.
    pub verdict: Verdict,
    /// The deciding layer: `global`, ``role `worker_math` ``, `defaults`.
    pub layer: Label,
    /// The deciding rule: where it was written, or which of its layer it is.
    pub rule: Option<Label>,
    /// Why, in words.
    pub reason: Reason,
    /// What the call must also keep to.
    pub obligations: Obligations,
    /// Whether checked arguments could not change the verdict.
    pub certain: bool,
}

impl Decision {
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
                ..other
            },
            false => self,
        }
    }

    /// A denial that no rule spells.
    pub fn denied(layer: impl Into<Label>, reason: impl Into<Reason>) -> Self {
        Self {
            verdict: Verdict::Deny,
            layer: layer.into(),
            rule: None,
            reason: reason.into(),
            obligations: Obligations::default(),
            certain: true,
        }
    }
}

#[derive(Debug, Clone)]
struct CompiledRole {
    description: String,
    selection: CompiledSelection,
    layers: Vec<CompiledLayer>,
}

#[derive(Debug, Clone)]
struct CompiledAgent {
    role: Option<String>,
    selection: CompiledSelection,
    layer: CompiledLayer,
}

/// A provider profile against one catalogue.
#[derive(Debug, Clone)]
struct CompiledProfile {
    prefer: Chosen,
    enable: Chosen,
    disable: Chosen,
}

/// The policy of one generation: immutable, compiled against one catalogue.
#[derive(Debug, Clone)]
pub struct Policy {
    generation: String,
    default_role: String,
    /// Layers of every level but that of roles.
    layers: Vec<CompiledLayer>,
    roles: BTreeMap<String, CompiledRole>,
    agents: BTreeMap<String, CompiledAgent>,
    /// Agents, and command lines that have no file.
    agent_names: Vec<String>,
    phases: BTreeMap<String, CompiledPhase>,
    /// Kinds of tasks, with the contexts they imply.
    tasks: BTreeMap<String, Vec<CompiledLayer>>,
    profiles: BTreeMap<String, CompiledProfile>,
    toolsets: BTreeMap<String, CompiledSelection>,
    /// What each permission of a phase adds, in the order of [`Confinement::ALL`].
    confinements: Vec<CompiledLayer>,
    /// The contexts of the facts `read_only` and `no_web`.
    contexts: [CompiledLayer; 2],
    preconditions: Vec<(&'static str, ToolSet)>,
    defaults: Defaults,
    /// Whether only approvers with keys answer approvals.
    approvals_by_key: bool,
    budgets: Vec<Budget>,
    pub(crate) notes: Vec<LoadError>,
}

impl Policy {
    /// Whether only approvers with keys answer approvals.
    pub fn approvals_by_key(&self) -> bool {
        self.approvals_by_key
    }

    /// How many calls a kind of task may make, where the configuration says.
    pub fn budget(&self, task: &str) -> Option<&Budget> {
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

    /// What holds where no rule is about a call.
    pub fn permissions(&self) -> &Permissions {
        &self.defaults.permissions
    }
}

/// What holds for one caller.
#[derive(Debug, Clone)]
pub struct Caller<'a> {
    policy: &'a Policy,
    start: Start<'a>,
    layers: Vec<&'a CompiledLayer>,
    /// Those that only this call has.
    of_call: Vec<CompiledLayer>,
    facts: Facts,
    /// Joined when somebody asks for all of it.
    visible: OnceLock<ToolSet>,
}
