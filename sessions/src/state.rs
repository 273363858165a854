//! [`SessionState`]: all that a session is after its events.

use std::collections::BTreeSet;

use registry::{Facts, Overrides, Principal};
use schemars::JsonSchema;
use serde::Serialize;
use tool_core::{ToolError, Value, convert};

use super::batch::Batch;
use super::emitted::RunStatus;
use super::event::WorkspaceStatus;
use super::tools::OfferedTool;

/// Whether things happen in a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SessionStatus {
    /// It has not begun.
    #[default]
    New,
    /// It takes events.
    Open,
    /// Nothing new starts.
    Paused,
    /// It is over.
    Closed,
}

/// All that a session is after its events. As data it is the same bytes for the same events.
#[derive(Debug, Clone, PartialEq, Default, Serialize, JsonSchema)]
pub struct SessionState {
    /// Names the session.
    pub session: String,
    /// Whether things happen.
    pub status: SessionStatus,
    /// Events that were applied.
    pub events: u64,
    /// Digest of the registry at the last look.
    pub registry: String,
    /// Who calls.
    pub caller: SessionCaller,
    /// Facts that hold at the door; events do not change them.
    pub facts: BTreeSet<String>,
    /// Contexts that events switched on.
    pub contexts: BTreeSet<String>,
    /// The workspace.
    pub workspace: SessionWorkspace,
    /// Runs so far.
    pub runs: u64,
    /// The newest run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<Run>,
    /// What the model was offered in the newest turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offered: Option<Offered>,
    /// Batches so far.
    pub batches: u64,
    /// The batch that is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch: Option<Batch>,
    /// Calls so far.
    pub calls: u64,
    /// Digest of the newest plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_plan: Option<String>,
    /// Digest of the newest results.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_results: Option<String>,
}

/// Who calls in a session.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct SessionCaller {
    /// Role.
    pub role: String,
    /// Agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Phase.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
    /// Kind of task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// Toolset.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub toolset: Option<String>,
    /// Provider profile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// What the session adds and takes away.
    pub session: Names,
    /// What the run adds and takes away.
    pub run: Names,
}

/// Overrides of one scope.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct Names {
    /// Tools beside the selected ones.
    pub enable: Vec<String>,
    /// Tools taken away.
    pub disable: Vec<String>,
    /// As `enable`.
    pub force: Vec<String>,
}

/// The workspace of a session.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct SessionWorkspace {
    /// Names its newest opening.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// How it stands; none before it was opened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<WorkspaceStatus>,
    /// The folder that is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// How often one was opened.
    pub opened: u64,
}

/// A run of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Run {
    /// Its number in the session, from 1.
    pub number: u64,
    /// The caller's name for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Where it stands.
    pub status: RunStatus,
    /// Turns so far.
    pub turn: u64,
    /// Whether a turn is due that is held back.
    pub due: bool,
    /// Inputs that no turn has taken in yet.
    pub inputs: u64,
}

/// What the model was offered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Offered {
    /// Digest of the list.
    pub digest: String,
    /// How many tools.
    pub count: usize,
    /// The list itself, which is in the answers of the log.
    #[serde(skip)]
    pub(super) tools: Vec<OfferedTool>,
}

impl SessionState {
    /// As data.
    ///
    /// # Errors
    /// None in practice: a state holds no double.
    pub fn to_value(&self) -> Result<Value, ToolError> {
        convert::to_value(self)
    }

    /// Digest of it as data.
    ///
    /// # Errors
    /// As [`SessionState::to_value`].
    pub fn digest(&self) -> Result<String, ToolError> {
        Ok(registry::digest::of_value(&self.to_value()?))
    }

    /// The run that is active.
    pub fn active_run(&self) -> Option<&Run> {
        self.run.as_ref().filter(|run| run.status.is_active())
    }

    /// Who calls, as the policy knows it.
    pub fn who(&self) -> Principal {
        let caller = &self.caller;
        Principal {
            role: caller.role.clone(),
            agent: caller.agent.clone(),
            phase: caller.phase.clone(),
            task: caller.task.clone(),
            profile: caller.profile.clone(),
            toolset: caller.toolset.clone(),
            session: overrides(&caller.session),
            run: overrides(&caller.run),
            layers: Vec::new(),
        }
    }

    /// What holds, as the policy knows it.
    ///
    /// # Errors
    /// A fact that does not exist.
    pub fn holding(&self) -> Result<Facts, String> {
        let mut facts = Facts::default();
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

fn overrides(names: &Names) -> Overrides {
    Overrides {
        enable: names.enable.clone(),
        disable: names.disable.clone(),
        force: names.force.clone(),
    }
}
