//! [`SessionState`]: the result of folding events.

use std::collections::BTreeSet;

use registry::{Principal, RuntimeFacts, ToolOverrides};
use tool_core::{Describe, Encode, Result, Value, convert};

use super::batch::CallBatch;
use super::emitted::RunStatus;
use super::event::WorkspaceStatus;
use super::tools::OfferedTool;

/// The status of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Encode, Describe)]
#[value(rename_all = "snake_case")]
pub enum SessionStatus {
    /// It has not begun.
    #[default]
    New,
    /// It accepts events.
    Open,
    /// No turn or wave starts.
    Paused,
    /// It has ended.
    Closed,
}

/// The result of folding events. As JSON it has the same bytes for the same events.
#[derive(Debug, Clone, PartialEq, Default, Encode, Describe)]
pub struct SessionState {
    /// Name of the session.
    pub session: String,
    /// Status of the session.
    pub status: SessionStatus,
    /// Number of applied events.
    pub events: u64,
    /// Digest of the registry at the last question.
    pub registry: String,
    /// The principal.
    pub caller: SessionCaller,
    /// Facts of the door, which events do not change.
    pub facts: BTreeSet<String>,
    /// Contexts that events switched on.
    pub contexts: BTreeSet<String>,
    /// The workspace.
    pub workspace: SessionWorkspace,
    /// Number of runs.
    pub runs: u64,
    /// The newest run.
    #[value(skip_encoding_if = "Option::is_none")]
    pub run: Option<SessionRun>,
    /// The tools offered in the newest turn.
    #[value(skip_encoding_if = "Option::is_none")]
    pub offered: Option<OfferedTools>,
    /// Number of batches.
    pub batches: u64,
    /// The open batch.
    #[value(skip_encoding_if = "Option::is_none")]
    pub batch: Option<CallBatch>,
    /// Number of calls.
    pub calls: u64,
    /// Digest of the newest plan.
    #[value(skip_encoding_if = "Option::is_none")]
    pub last_plan: Option<String>,
    /// Digest of the newest results.
    #[value(skip_encoding_if = "Option::is_none")]
    pub last_results: Option<String>,
}

/// The principal of a session.
#[derive(Debug, Clone, PartialEq, Eq, Default, Encode, Describe)]
pub struct SessionCaller {
    /// Role.
    pub role: String,
    /// Agent.
    #[value(skip_encoding_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Phase.
    #[value(skip_encoding_if = "Option::is_none")]
    pub phase: Option<String>,
    /// Kind of task.
    #[value(skip_encoding_if = "Option::is_none")]
    pub task: Option<String>,
    /// Toolset.
    #[value(skip_encoding_if = "Option::is_none")]
    pub toolset: Option<String>,
    /// Provider profile.
    #[value(skip_encoding_if = "Option::is_none")]
    pub profile: Option<String>,
    /// Overrides of the session.
    pub session: ScopeOverrides,
    /// Overrides of the run.
    pub run: ScopeOverrides,
}

/// Overrides of one scope.
#[derive(Debug, Clone, PartialEq, Eq, Default, Encode, Describe)]
pub struct ScopeOverrides {
    /// Additional tools.
    pub enable: Vec<String>,
    /// Removed tools.
    pub disable: Vec<String>,
    /// As `enable`.
    pub force: Vec<String>,
}

/// The workspace of a session.
#[derive(Debug, Clone, PartialEq, Eq, Default, Encode, Describe)]
pub struct SessionWorkspace {
    /// Id of its newest opening.
    #[value(skip_encoding_if = "Option::is_none")]
    pub id: Option<String>,
    /// Its status; `None` before it was opened.
    #[value(skip_encoding_if = "Option::is_none")]
    pub status: Option<WorkspaceStatus>,
    /// The open folder.
    #[value(skip_encoding_if = "Option::is_none")]
    pub path: Option<String>,
    /// Number of openings.
    pub opened: u64,
}

/// A run of a session.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Describe)]
pub struct SessionRun {
    /// Its number in the session, from 1.
    pub number: u64,
    /// The caller's name for it.
    #[value(skip_encoding_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its status.
    pub status: RunStatus,
    /// Number of turns.
    pub turn: u64,
    /// Whether a turn is due.
    pub due: bool,
    /// Number of inputs not yet part of a turn.
    pub inputs: u64,
}

/// The tools offered to the model.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Describe)]
pub struct OfferedTools {
    /// Digest of the list.
    pub digest: String,
    /// Number of tools.
    pub count: usize,
    /// The list, which is also in the answers of the log.
    #[value(skip)]
    pub(super) tools: Vec<OfferedTool>,
}

impl SessionState {
    /// The state as a value.
    ///
    /// # Errors
    /// None in practice, since a state contains no doubles.
    pub fn to_value(&self) -> Result<Value> {
        convert::to_value(self)
    }

    /// Digest of the state as a value.
    ///
    /// # Errors
    /// As [`SessionState::to_value`].
    pub fn digest(&self) -> Result<String> {
        Ok(registry::digest::of_value(&self.to_value()?))
    }

    /// The active run.
    pub fn active_run(&self) -> Option<&SessionRun> {
        self.run.as_ref().filter(|run| run.status.is_active())
    }

    /// The principal, for the policy.
    pub fn who(&self) -> Principal {
        let caller = &self.caller;
        Principal {
            role: caller.role.clone(),
            agent: caller.agent.clone(),
            permission: None,
            spawned: None,
            phase: caller.phase.clone(),
            task: caller.task.clone(),
            profile: caller.profile.clone(),
            toolset: caller.toolset.clone(),
            session: names_to_overrides(&caller.session),
            run: names_to_overrides(&caller.run),
            layers: Vec::new(),
        }
    }

    /// The facts, for the policy.
    ///
    /// # Errors
    /// An unknown fact.
    pub fn policy_facts(&self) -> Result<RuntimeFacts, String> {
        let mut facts = RuntimeFacts::default();
        for fact in self.facts.iter().chain(&self.contexts) {
            facts.add(fact)?;
        }
        if let Some(status) = self.workspace.status {
            facts.add(match status {
                WorkspaceStatus::Ready => "workspace=ready",
                WorkspaceStatus::Closed => "workspace=closed",
                WorkspaceStatus::Expired => "workspace=expired",
                WorkspaceStatus::Error => "workspace=error",
            })?;
        }
        Ok(facts)
    }
}

fn names_to_overrides(names: &ScopeOverrides) -> ToolOverrides {
    ToolOverrides {
        enable: names.enable.clone(),
        disable: names.disable.clone(),
        force: names.force.clone(),
    }
}
