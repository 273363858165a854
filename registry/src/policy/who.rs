//! [`Who`]: everything about a caller that selects and narrows.

use tool_core::Object;

use super::{Layer, Level};
use crate::redact;

/// Names that a session or a run adds to or takes from the selection. Nothing here beats a layer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Overrides {
    /// Tools beside the selected ones.
    pub enable: Vec<String>,
    /// Tools taken away; over `enable` and `force` of the same or another scope.
    pub disable: Vec<String>,
    /// As `enable`: a denial holds over it too.
    pub force: Vec<String>,
}

impl Overrides {
    /// Whether nothing is overridden.
    pub fn is_empty(&self) -> bool {
        self.enable.is_empty() && self.disable.is_empty() && self.force.is_empty()
    }
}

/// Who calls, in which phase, as which agent: everything that selects and narrows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Who {
    /// Role.
    pub role: String,
    /// Agent: one with a file, or an agent command line.
    pub agent: Option<String>,
    /// Phase of the configuration.
    pub phase: Option<String>,
    /// Kind of task.
    pub task: Option<String>,
    /// Provider profile.
    pub profile: Option<String>,
    /// Toolset that was asked for by name; over that of the phase.
    pub toolset: Option<String>,
    /// What the session adds and takes away.
    pub session: Overrides,
    /// What this run adds and takes away.
    pub run: Overrides,
    /// Further layers: context (`read_only`, `no_web`), delegation. They only narrow.
    pub layers: Vec<Layer>,
}

impl Who {
    /// A caller with a role and nothing else.
    pub fn role(role: impl Into<String>) -> Self {
        Self {
            role: role.into(),
            ..Self::default()
        }
    }

    /// With a further layer.
    #[must_use]
    pub fn narrow(mut self, layer: Layer) -> Self {
        self.layers.push(layer);
        self
    }

    /// Writes into a record who it was: the role, and agent, phase and task where they are named.
    pub fn note(&self, record: &mut Object) {
        record.insert("role", redact::text(&self.role).0.into_owned());
        for (key, name) in [
            ("agent", &self.agent),
            ("phase", &self.phase),
            ("task", &self.task),
        ] {
            if let Some(name) = name {
                record.insert(key, redact::text(name).0.into_owned());
            }
        }
    }

    /// Whether the call is made for somebody else.
    pub fn is_delegate(&self) -> bool {
        self.layers
            .iter()
            .any(|layer| layer.level == Level::Delegation)
    }
}
