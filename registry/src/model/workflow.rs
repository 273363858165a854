//! Workflows: who passes their gates, and what runs the agents of a role.

use std::collections::BTreeMap;

use tool_core::command::Isolation;
use tool_core::{Decode, Describe};

use super::{Confinement, PhaseLimits, ToolSelector};

/// Requests, tasks and their gates.
#[derive(Debug, Clone, PartialEq, Decode, Describe)]
#[value(default)]
pub struct WorkflowConfig {
    /// Command lines that `spawn_agent` starts, by role
    pub agents: BTreeMap<String, RoleAgent>,
    /// How deep agents may start agents: one that no agent started has depth 0
    #[schema(range(max = 8))]
    pub agent_depth: u32,
    /// Agents that pass human gates of workflows without a person, each with the tools, such as `release_bot = ["gate:satisfy"]`
    pub gates: BTreeMap<String, Vec<ToolSelector>>,
}

impl Default for WorkflowConfig {
    fn default() -> Self {
        Self {
            agents: BTreeMap::new(),
            agent_depth: 2,
            gates: BTreeMap::new(),
        }
    }
}

/// The command line that runs the agents of a role.
#[derive(Debug, Clone, PartialEq, Decode, Describe)]
pub struct RoleAgent {
    /// Name of the agent command line
    pub cli: ToolSelector,
    /// Maximum permission of its calls, within that of who starts it
    #[value(default)]
    pub permission: Confinement,
    /// What it is kept from, instead of what the table of its command line says: `offline`, `network` or `none`
    #[value(default)]
    pub isolation: Option<Isolation>,
    /// Profile of arguments in the table of its command line
    #[value(default)]
    pub flag_profile: Option<String>,
    /// Limits of each run
    #[value(default)]
    pub limits: PhaseLimits,
}
