//! [`Principal`]: everything about a caller that selects and narrows.

use std::sync::Arc;

use tool_core::convert::{from_value, to_value};
use tool_core::{Object, Value};

use super::{Confinement, Level, PolicyLayer};
use crate::redact;

/// Names that a session or a run adds to or takes from the selection. Nothing here beats a layer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolOverrides {
    /// Tools beside the selected ones.
    pub enable: Vec<String>,
    /// Tools taken away; over `enable` and `force` of the same or another scope.
    pub disable: Vec<String>,
    /// As `enable`: a denial holds over it too.
    pub force: Vec<String>,
}

impl ToolOverrides {
    /// Whether nothing is overridden.
    pub fn is_empty(&self) -> bool {
        self.enable.is_empty() && self.disable.is_empty() && self.force.is_empty()
    }
}

/// Who calls, in which phase, as which agent: everything that selects and narrows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Principal {
    /// Role.
    pub role: String,
    /// Agent: one with a file, or an agent command line.
    pub agent: Option<String>,
    /// Id of the agent that calls, where a call started it; the one who started it gave its layers.
    pub spawned: Option<String>,
    /// Of such an agent: what its program may do in its sandbox, which its calls may do without approval too.
    pub permission: Option<Confinement>,
    /// Phase of the configuration.
    pub phase: Option<String>,
    /// Kind of task.
    pub task: Option<String>,
    /// Provider profile.
    pub profile: Option<String>,
    /// Toolset that was asked for by name; over that of the phase.
    pub toolset: Option<String>,
    /// What the session adds and takes away.
    pub session: ToolOverrides,
    /// What this run adds and takes away.
    pub run: ToolOverrides,
    /// Further layers: context (`read_only`, `no_web`), delegation. They only narrow.
    pub layers: Vec<PolicyLayer>,
}

impl Principal {
    /// A caller with a role and nothing else.
    pub fn role(role: impl Into<String>) -> Self {
        Self {
            role: role.into(),
            ..Self::default()
        }
    }

    /// With a further layer.
    #[must_use]
    pub fn narrow(mut self, layer: PolicyLayer) -> Self {
        self.layers.push(layer);
        self
    }

    /// Writes into a record who it was: the role, and everything else that selected and narrowed.
    pub fn note(&self, record: &mut Object) {
        /// Names of one list that a record shows.
        const SHOWN_MAX: usize = 64;
        let clean = |text: &str| redact::redact_text(text).0.into_owned();
        record.insert("role", clean(&self.role));
        for (key, name) in self.names() {
            record.insert_some(key, name.as_deref().map(clean));
        }
        for (key, tools) in self.overrides() {
            if !tools.is_empty() {
                let mut shown: Vec<String> = tools
                    .iter()
                    .take(SHOWN_MAX)
                    .map(|tool| clean(tool))
                    .collect();
                if tools.len() > SHOWN_MAX {
                    shown.push(format!("and {} more", tools.len() - SHOWN_MAX));
                }
                record.insert(key, shown);
            }
        }
        if !self.layers.is_empty() {
            let titles = self.layers.iter().map(|layer| clean(&layer.title()));
            record.insert("narrowed", titles.collect::<Vec<String>>());
        }
    }

    /// All of a caller but the role, such that [`Principal::from_value`] reads it back.
    pub fn to_value(&self) -> Value {
        let mut object = Object::new();
        for (key, name) in self.names() {
            object.insert_some(key, name.clone());
        }
        object.insert_some("permission", self.permission.map(Confinement::as_str));
        for (key, tools) in self.overrides() {
            if !tools.is_empty() {
                object.insert(key, tools);
            }
        }
        if !self.layers.is_empty() {
            let layers = to_value(&self.layers).expect("layers have names, lists and numbers only");
            object.insert("layers", layers);
        }
        Value::Object(Arc::new(object))
    }

    /// Reads what [`Principal::to_value`] wrote. A layer that cannot be read any more leaves the caller nothing.
    pub fn from_value(role: &str, value: &Value) -> Self {
        let text = |key: &str| value.text(key).map(str::to_owned);
        let texts = |key: &str| {
            let items = value.items_at(key);
            items
                .iter()
                .filter_map(|item| Some(item.as_str()?.to_owned()))
                .collect()
        };
        let layers = value.get("layers");
        let layers = layers.map(|layers| layers.items().unwrap_or_else(|| vec![Value::Null]));
        Self {
            role: role.to_owned(),
            agent: text("agent"),
            spawned: text("spawned"),
            permission: value.text("permission").and_then(Confinement::parse),
            phase: text("phase"),
            task: text("task"),
            profile: text("profile"),
            toolset: text("toolset"),
            session: ToolOverrides::default(),
            run: ToolOverrides {
                enable: texts("enable"),
                disable: texts("disable"),
                force: texts("force"),
            },
            layers: layers
                .iter()
                .flatten()
                .map(|layer| {
                    from_value(layer).unwrap_or_else(|_| {
                        PolicyLayer::new(Level::Delegation, "unreadable").allow([])
                    })
                })
                .collect(),
        }
    }

    fn names(&self) -> [(&'static str, &Option<String>); 6] {
        [
            ("agent", &self.agent),
            ("spawned", &self.spawned),
            ("phase", &self.phase),
            ("task", &self.task),
            ("profile", &self.profile),
            ("toolset", &self.toolset),
        ]
    }

    /// What the session and the run override: both count alike.
    fn overrides(&self) -> [(&'static str, Vec<String>); 3] {
        let both = |list: fn(&ToolOverrides) -> &Vec<String>| {
            let mut both = list(&self.session).clone();
            both.extend(list(&self.run).iter().cloned());
            both
        };
        [
            ("enable", both(|scope| &scope.enable)),
            ("disable", both(|scope| &scope.disable)),
            ("force", both(|scope| &scope.force)),
        ]
    }

    /// Whether the call is made for somebody else.
    pub fn is_delegate(&self) -> bool {
        self.layers
            .iter()
            .any(|layer| layer.level == Level::Delegation)
    }
}
