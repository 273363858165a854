//! What callers start from: roles, toolsets, agents and provider profiles.

use std::collections::BTreeMap;

use tool_core::{Decode, Describe, Effect, Encode, names};

use super::{Level, PolicyLayer, ToolSelector};
use crate::error::{LoadErrors, TextPlace};

names! {
    /// How far calls may go.
    #[derive(Default)]
    Confinement {
        /// Changes nothing: reads files and the web, computes.
        #[default]
        ReadOnly = "read-only",
        /// Changes inside the workspace too; sends nothing over the network.
        WorkspaceWrite = "workspace-write",
        /// No limit beside the other layers.
        FullAccess = "full-access",
    }
}

impl Confinement {
    /// The layer it adds.
    pub fn layer(self) -> PolicyLayer {
        let layer = PolicyLayer::new(Level::Phase, format!("permission {self}"));
        match self {
            Self::ReadOnly => layer.deny(["group:change"]),
            Self::WorkspaceWrite => layer.deny(["group:send"]),
            Self::FullAccess => layer,
        }
    }

    /// Whether calls with an effect run without approval where no rule is about them.
    pub fn grants(self, effect: Effect) -> bool {
        match effect {
            Effect::ModifiesFiles => self >= Self::WorkspaceWrite,
            Effect::LocalExec => self == Self::FullAccess,
            Effect::NetworkAccess | Effect::CallsLlm | Effect::SystemState => false,
        }
    }
}

/// A role: the tools it selects, and the most it ever sees.
#[derive(Debug, Clone, PartialEq, Default, Encode, Decode, Describe)]
#[value(default)]
pub struct Role {
    /// The key of its table.
    #[value(rename = "$name")]
    pub name: String,
    /// Purpose of the role, for lists
    pub description: String,
    /// Selectors of its tools; an empty list selects nothing
    pub tools: Option<Vec<ToolSelector>>,
    /// Name of a toolset; instead of `tools`
    pub toolset: Option<ToolSelector>,
    /// Selectors of hidden tools
    pub deny: Vec<ToolSelector>,
    /// Source location.
    #[value(rename = "$place", skip_encoding)]
    pub place: Option<TextPlace>,
}

/// A named selection of tools.
#[derive(Debug, Clone, PartialEq, Default, Encode, Decode, Describe)]
#[value(default)]
pub struct Toolset {
    /// The key of its table.
    #[value(rename = "$name")]
    pub name: String,
    /// Selectors of its tools: an id, `group:`, `category:`, `tag:`, `effect:`, `permission:`, or a pattern with `*`
    pub include: Vec<ToolSelector>,
    /// The same as `include`
    pub internal: Vec<ToolSelector>,
    /// Tools of MCP servers, `mcp__server__tool`: called here where the server is configured, else handed on
    pub mcp: Vec<ToolSelector>,
    /// Selectors of tools to leave out
    pub exclude: Vec<ToolSelector>,
    /// Toolsets whose tools it also has
    pub extends: Vec<ToolSelector>,
    /// Source location.
    #[value(rename = "$place", skip_encoding)]
    pub place: Option<TextPlace>,
}

/// What one level sets; fields it leaves out are inherited from the next.
#[derive(Debug, Clone, PartialEq, Encode, Decode, Describe)]
#[value(default)]
pub struct CallerSelection {
    /// The key of its table, where it has one.
    #[value(rename = "$name")]
    pub name: String,
    /// Name of a toolset; instead of a list of tools
    pub toolset: Option<ToolSelector>,
    /// Selectors of tools; `tools` means the same
    pub internal: Option<Vec<ToolSelector>>,
    /// Selectors of tools
    pub tools: Option<Vec<ToolSelector>>,
    /// Tools of MCP servers, `mcp__server__tool`: called here where the server is configured, else handed on
    #[value(rename = "mcp")]
    pub external: Option<Vec<ToolSelector>>,
    /// The most that calls may change; `read-only` in a phase that sets none
    pub permission: Option<Confinement>,
    /// Maximum number of turns of the agent, 0 for no limit; 25 where absent
    #[schema(range(max = 1_000_000))]
    pub max_turns: Option<u32>,
    /// Descriptions of tools for models, instead of their own, by id; at most 1000 characters each
    pub descriptions: BTreeMap<String, ToolSelector>,
    /// `false`: inherit nothing from other levels
    pub inherit: bool,
    /// Source location.
    #[value(rename = "$place", skip_encoding)]
    pub place: Option<TextPlace>,
}

impl Default for CallerSelection {
    fn default() -> Self {
        Self {
            name: String::new(),
            toolset: None,
            internal: None,
            tools: None,
            external: None,
            permission: None,
            max_turns: None,
            descriptions: BTreeMap::new(),
            inherit: true,
            place: None,
        }
    }
}

impl CallerSelection {
    /// The list of tools, by either of its keys.
    pub fn listed(&self) -> Option<&[ToolSelector]> {
        self.tools.as_deref().or(self.internal.as_deref())
    }
}

/// Changes to the selection of callers whose model is of one provider.
#[derive(Debug, Clone, PartialEq, Default, Encode, Decode, Describe)]
#[value(default)]
pub struct ProviderProfile {
    /// The key of its table, such as `openai`.
    #[value(rename = "$name")]
    pub name: String,
    /// Selectors of tools that come first in lists
    pub prefer: Vec<ToolSelector>,
    /// Selectors of tools to add to the selection
    pub enable: Vec<ToolSelector>,
    /// Selectors of tools to remove
    pub disable: Vec<ToolSelector>,
    /// Source location.
    #[value(rename = "$place", skip_encoding)]
    pub place: Option<TextPlace>,
}

/// An agent, as its file defines it.
#[derive(Debug, Clone, PartialEq, Encode)]
pub struct AgentDefinition {
    /// Name of the agent.
    pub name: String,
    /// Role of its calls.
    pub role: Option<ToolSelector>,
    /// Its selection, where no nearer level sets one.
    pub selection: CallerSelection,
    /// Its layer: no other level shows it a tool that its file does not list.
    pub layer: PolicyLayer,
    /// Source location.
    #[value(skip)]
    pub place: Option<TextPlace>,
}

/// An agent whose file cannot be used: who calls as it is refused, and every other agent works.
#[derive(Debug, Clone, PartialEq)]
pub struct BrokenAgent {
    /// Its name.
    pub name: String,
    /// Everything that is wrong with its file.
    pub errors: LoadErrors,
}
