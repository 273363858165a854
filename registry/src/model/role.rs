//! What callers start from: roles, toolsets, phases, agents and provider profiles.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Layer, Level, Selector};
use crate::error::Place;

/// How far the calls of a phase may go.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Default,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Confinement {
    /// Reading and computing only.
    #[default]
    ReadOnly,
    /// Changes inside the workspace too, without the network.
    WorkspaceWrite,
    /// Nothing beside the other layers.
    FullAccess,
}

impl Confinement {
    /// Every one, the narrowest first.
    pub const ALL: [Self; 3] = [Self::ReadOnly, Self::WorkspaceWrite, Self::FullAccess];

    /// The spelling in configuration.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ReadOnly => "read-only",
            Self::WorkspaceWrite => "workspace-write",
            Self::FullAccess => "full-access",
        }
    }

    /// Reads the spelling back.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.as_str() == text)
    }

    /// The layer it adds.
    pub fn layer(self) -> Layer {
        let name = format!("permission {}", self.as_str());
        match self {
            Self::ReadOnly => Layer::new(Level::Phase, name).deny([
                "effect:local_exec",
                "effect:calls_llm",
                "effect:modifies_files",
                "effect:network_access",
                "effect:system_state",
            ]),
            Self::WorkspaceWrite => Layer::new(Level::Phase, name).deny(["group:web"]),
            Self::FullAccess => Layer::new(Level::Phase, name),
        }
    }
}

/// The tools that one level selects.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub enum Tools {
    /// By selectors, in order.
    List(Vec<Selector>),
    /// A toolset of the configuration.
    Toolset(Selector),
}

/// What one level says; what it does not say comes from the next.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Selection {
    /// The tools.
    pub tools: Option<Tools>,
    /// Tools of other servers, `mcp__SERVER__TOOL`; kept and exported, never run here.
    pub external: Option<Vec<Selector>>,
    /// How far calls may go.
    pub permission: Option<Confinement>,
    /// Turns of the agent; 0 sets no limit.
    pub max_turns: Option<u32>,
    /// Whether the next levels count for what is not said here.
    pub inherit: bool,
    /// Where it was written.
    #[serde(skip)]
    pub place: Option<Place>,
}

impl Default for Selection {
    fn default() -> Self {
        Self {
            tools: None,
            external: None,
            permission: None,
            max_turns: None,
            inherit: true,
            place: None,
        }
    }
}

/// What a caller starts from.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Role {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// The tools it selects, and the most it ever sees.
    pub tools: Tools,
    /// What it never gets.
    pub deny: Vec<Selector>,
    /// Where it was written.
    #[serde(skip)]
    pub place: Option<Place>,
}

/// A named selection.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Toolset {
    /// Its name.
    pub name: String,
    /// What is in it.
    pub include: Vec<Selector>,
    /// What is not.
    pub exclude: Vec<Selector>,
    /// Toolsets whose tools it also has.
    pub extends: Vec<Selector>,
    /// Where it was written.
    #[serde(skip)]
    pub place: Option<Place>,
}

/// One phase.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Phase {
    /// Its name.
    pub name: String,
    /// Who works in it.
    pub agents: Vec<Selector>,
    /// Whether its agents work at the same time.
    pub parallel: bool,
    /// Whether the pipeline needs it.
    pub required: bool,
    /// The phases before it.
    pub depends_on: Vec<Selector>,
    /// The tools of its agents.
    pub selection: Selection,
    /// What single agents have instead, field by field.
    pub agent_selections: Vec<(Selector, Selection)>,
    /// Where it was written.
    #[serde(skip)]
    pub place: Option<Place>,
}

/// What calls of one provider's models start from, over what the caller selected.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProviderProfile {
    /// Its name, such as `openai`.
    pub name: String,
    /// Tools that come first in lists.
    pub prefer: Vec<Selector>,
    /// Tools beside the selected ones.
    pub enable: Vec<Selector>,
    /// Tools taken away.
    pub disable: Vec<Selector>,
    /// Where it was written.
    #[serde(skip)]
    pub place: Option<Place>,
}

/// An agent, as its file says.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Agent {
    /// Its name.
    pub name: String,
    /// The role it calls as.
    pub role: Option<Selector>,
    /// What it selects where nothing nearer does.
    pub selection: Selection,
    /// Its layer: nothing shows it a tool that its file does not list.
    pub layer: Layer,
    /// Where it was written.
    #[serde(skip)]
    pub place: Option<Place>,
}
