//! What a caller starts from: the tools, permission and turns of the first level that sets each, field by field.

use std::collections::BTreeMap;

use super::ToolSet;
use super::compile::PolicyCompiler;
use super::outside::{is_external, is_handed, of_any_native};
use super::selector::is_kind;
use crate::aliases::ToolAliases;
use crate::error::TextPlace;
use crate::model::{CallerSelection, Confinement, ToolSelector};

/// Longest description of a tool for a model, in characters.
const DESCRIPTION_CHARS_MAX: usize = 1000;
/// Turns of an agent where nothing says.
pub const MAX_TURNS: u32 = 25;

/// Tools in the order they were named, and the names that stand for tools of others.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSelection {
    /// Numbers of the catalogue's tools, each once.
    pub order: Vec<usize>,
    /// The same as a set.
    pub set: ToolSet,
    /// Tools of other servers and of providers, each once.
    pub external: Vec<String>,
}

impl ToolSelection {
    pub(super) fn none(universe: usize) -> Self {
        Self {
            order: Vec::new(),
            set: ToolSet::none(universe),
            external: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, tool: usize) {
        if !self.set.contains(tool) {
            self.set.insert(tool);
            self.order.push(tool);
        }
    }

    pub(super) fn add_external(&mut self, name: &str) {
        if !self.external.iter().any(|known| known == name) {
            self.external.push(name.to_owned());
        }
    }

    pub(super) fn unite(&mut self, other: &Self) {
        other.order.iter().for_each(|tool| self.add(*tool));
        let external = other.external.iter();
        external.for_each(|name| self.add_external(name));
    }

    pub(super) fn subtract(&mut self, other: &Self) {
        self.set.subtract(&other.set);
        self.order.retain(|tool| self.set.contains(*tool));
        self.external
            .retain(|name| !other.external.iter().any(|gone| gone == name));
    }
}

impl PolicyCompiler<'_> {
    /// What a list or a toolset selects; `None` where neither is given.
    pub(super) fn choice(
        &mut self,
        listed: Option<&[ToolSelector]>,
        named: Option<&ToolSelector>,
    ) -> Option<ToolSelection> {
        match (listed, named) {
            (Some(list), _) => Some(self.chosen(list)),
            (None, Some(name)) => Some(self.toolset(name)),
            (None, None) => None,
        }
    }

    /// What a list selects, in its order; each selector's tools in the order of the catalogue.
    pub(super) fn chosen(&mut self, list: &[ToolSelector]) -> ToolSelection {
        let catalogue = self.catalogue;
        let mut chosen = ToolSelection::none(catalogue.len());
        for selector in list {
            let name = selector.text.as_str();
            // Only a table of the configuration can call a tool as a kind of selector.
            let is_no_name = is_kind(name) && self.clis.is_empty();
            if !is_no_name && catalogue.get(name).is_none() {
                // Names of agent command lines for their own tools are part of lists of tools, not of layers.
                let native = of_any_native(name, ToolAliases::built_in(), self.clis);
                if let Some(tool) = native.and_then(|id| catalogue.index(id)) {
                    chosen.add(tool);
                    continue;
                }
                if is_handed(name, catalogue, self.clis) {
                    chosen.add_external(name);
                    continue;
                }
            }
            match self.resolve(selector) {
                Ok(tools) => tools.iter().for_each(|tool| chosen.add(tool)),
                Err(error) => self.errors.push(match error.hint {
                    Some(_) => error,
                    None => error.nearest(name, ToolAliases::built_in().native_names()),
                }),
            }
        }
        chosen
    }

    pub(super) fn selection(&mut self, selection: &CallerSelection) -> CompiledSelection {
        let tools = self.choice(selection.listed(), selection.toolset.as_ref());
        let external = selection.external.as_ref().map(|list| {
            let (of_servers, others): (Vec<_>, Vec<_>) =
                list.iter().cloned().partition(|one| is_external(&one.text));
            for selector in others {
                self.errors.push(selector.error(format_args!(
                    "expected the name of another server's tool, `mcp__SERVER__TOOL`, found `{}`",
                    selector.text
                )));
            }
            self.chosen(&of_servers)
        });
        CompiledSelection {
            tools,
            external,
            descriptions: self.descriptions(&selection.descriptions),
            permission: selection.permission,
            max_turns: selection.max_turns,
            inherit: selection.inherit,
            place: selection.place.clone(),
        }
    }
}

impl PolicyCompiler<'_> {
    /// Descriptions by tool.
    pub(crate) fn descriptions(
        &mut self,
        said: &BTreeMap<String, ToolSelector>,
    ) -> BTreeMap<usize, String> {
        let mut found = BTreeMap::new();
        for (name, description) in said {
            let text = description.text.trim();
            let chars = text.chars().count();
            let is_control = |one: char| one.is_control() && one != '\n';
            if chars == 0 || chars > DESCRIPTION_CHARS_MAX || text.contains(is_control) {
                self.errors.push(description.error(format_args!(
                    "expected a description of `{name}` with 1 to {DESCRIPTION_CHARS_MAX} characters and no control characters, found {chars}"
                )));
            }
            let id = ToolAliases::built_in().resolve(name).unwrap_or(name);
            match self.catalogue.index(id) {
                Some(tool) => drop(found.insert(tool, text.to_owned())),
                None if is_handed(name, self.catalogue, self.clis) => {
                    let message = format_args!("`{name}` runs elsewhere, where its description is");
                    self.errors.push(description.error(message));
                }
                None => {
                    let named = ToolSelector {
                        text: name.clone(),
                        place: description.place.clone(),
                    };
                    self.errors
                        .push(named.unknown("tool", self.catalogue.ids()));
                }
            }
        }
        found
    }
}

/// A selection against one catalogue.
#[derive(Debug, Clone)]
pub(super) struct CompiledSelection {
    pub(super) tools: Option<ToolSelection>,
    /// Tools of outside servers, ours and those that are handed on.
    pub(super) external: Option<ToolSelection>,
    pub(super) descriptions: BTreeMap<usize, String>,
    pub(super) permission: Option<Confinement>,
    pub(super) max_turns: Option<u32>,
    pub(super) inherit: bool,
    pub(super) place: Option<TextPlace>,
}

impl CompiledSelection {
    /// Whether it says nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.tools.is_none()
            && self.external.is_none()
            && self.permission.is_none()
            && self.max_turns.is_none()
            && self.descriptions.is_empty()
            && self.inherit
    }

    pub(super) fn tools_only(tools: ToolSelection, place: Option<TextPlace>) -> Self {
        Self {
            tools: Some(tools),
            external: None,
            descriptions: BTreeMap::new(),
            permission: None,
            max_turns: None,
            inherit: true,
            place,
        }
    }
}

/// A field, and the level it came from.
#[derive(Debug, Clone, PartialEq)]
pub struct TracedField<T> {
    /// The value.
    pub value: T,
    /// The level: ``agent `codex` in phase `audit` ``, `default`.
    pub from: String,
    /// Where it was written.
    pub place: Option<TextPlace>,
}

impl<T> TracedField<T> {
    pub(super) fn default(value: T) -> Self {
        Self {
            value,
            from: "default".to_owned(),
            place: None,
        }
    }
}

/// What a caller starts from, each field with its origin.
#[derive(Debug, Clone, PartialEq)]
pub struct CallerBaseline {
    /// The tools, in order.
    pub tools: TracedField<ToolSelection>,
    /// How far calls may go; `None` where no level says and there is no phase.
    pub permission: Option<TracedField<Confinement>>,
    /// Whether the table of an agent in a phase sets the permission.
    pub permission_is_own: bool,
    /// Turns of the agent; 0 is no limit.
    pub max_turns: TracedField<u32>,
}
