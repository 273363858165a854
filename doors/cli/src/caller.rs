//! The caller, as the command line names it: the same options for every command that calls, runs, serves, lists or explains.

use clap::Args;
use registry::model::Confinement;
use registry::{PolicyLayer, ToolOverrides};
use tool_core::{Result, tool_error};

use super::complete;
use super::global::{GlobalArgs, one_of};
use super::open;
use mathchain::{CallContext, Toolkit};

/// The permissions by name.
pub(super) const PERMISSIONS: &[(&str, Confinement, &str)] = &[
    (
        "read-only",
        Confinement::ReadOnly,
        "Change nothing; read files and the web",
    ),
    (
        "workspace-write",
        Confinement::WorkspaceWrite,
        "Change files of the workspace; send nothing over the network",
    ),
    (
        "full-access",
        Confinement::FullAccess,
        "Everything that its tools can do",
    ),
];

/// Everything about a caller beside its role. An unknown name is an error that suggests the nearest one.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Caller")]
pub(super) struct CallerArgs {
    /// Agent that calls: one with a file, or an agent CLI; determines the role
    #[arg(long, value_name = "AGENT", add = complete::complete_agents())]
    pub agent: Option<String>,
    /// Phase of the configuration, with its tools, permission and layers
    #[arg(long, value_name = "PHASE", add = complete::complete_phases())]
    pub phase: Option<String>,
    /// Maximum permission; narrows what phase and layers leave, and never widens it
    #[arg(long, value_parser = one_of(PERMISSIONS))]
    pub permission: Option<Confinement>,
    /// Kind of task, with its layers and budget
    #[arg(long, value_name = "TASK")]
    pub task: Option<String>,
    /// Provider profile, such as `openai`, that orders, adds and removes tools
    #[arg(long, value_name = "PROFILE")]
    pub profile: Option<String>,
    /// Add tools to the selection, by id or selector, where every layer allows them; repeatable
    #[arg(long, value_name = "TOOL,...", value_delimiter = ',')]
    pub enable: Vec<String>,
    /// Remove tools from the selection; overrides --enable; repeatable
    #[arg(long, value_name = "TOOL,...", value_delimiter = ',')]
    pub disable: Vec<String>,
    /// The same as --enable, under the name of an earlier system
    #[arg(long, hide = true, value_name = "TOOL,...", value_delimiter = ',')]
    pub force: Vec<String>,
    /// Decide as if this held: `read_only` (change nothing) or `no_web` (no network); listings and explanations take facts of the host too,
    /// such as `workspace=closed`; repeatable
    #[arg(long = "fact", value_name = "FACT")]
    pub facts: Vec<String>,
}

impl CallerArgs {
    /// Opens the toolkit; agent files are read if an agent is named.
    pub(super) fn open(&self, global: &GlobalArgs) -> Result<Toolkit> {
        match self.agent {
            Some(_) => open::with_agents(global),
            None => open::open_toolkit(global),
        }
    }

    /// The context of a call by this caller; without a role the agent's, else the configuration's.
    pub(super) fn context(&self, role: Option<String>) -> CallContext {
        CallContext {
            role,
            agent: self.agent.clone(),
            phase: self.phase.clone(),
            task: self.task.clone(),
            profile: self.profile.clone(),
            overrides: ToolOverrides {
                enable: self.enable.clone(),
                disable: self.disable.clone(),
                force: self.force.clone(),
            },
            layers: self.narrowing().collect(),
            ..CallContext::default()
        }
    }

    /// The layers of facts and permission, which narrow what a caller may do.
    fn narrowing(&self) -> impl Iterator<Item = PolicyLayer> {
        let facts = self
            .facts
            .iter()
            .filter_map(|fact| PolicyLayer::context(fact));
        facts.chain(self.permission.map(Confinement::layer))
    }

    /// Refuses facts that a call cannot assume: they hold or do not.
    ///
    /// # Errors
    /// `invalid_request` with the facts that can be assumed.
    pub(super) fn check_facts(&self) -> Result<()> {
        let other = self
            .facts
            .iter()
            .find(|fact| PolicyLayer::context(fact).is_none());
        other.map_or(Ok(()), |fact| {
            Err(tool_error!(InvalidRequest, "fact";
                "expected `read_only` or `no_web` for a call, found `{fact}`"))
        })
    }
}
