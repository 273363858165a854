//! What a caller starts from: the tools, permission and turns of the first level that sets each, field by field.

use super::ToolSet;
use super::compile::Compiler;
use crate::aliases::Aliases;
use crate::error::Place;
use crate::model::{Confinement, Selection, Selector};

/// Names of tools of other servers, as agent command lines spell them: `mcp__SERVER__TOOL`.
pub const EXTERNAL_PREFIX: &str = "mcp__";
/// Turns of an agent where nothing says.
pub const MAX_TURNS: u32 = 25;

/// Tools in the order they were named, and the names that stand for tools of others.
#[derive(Debug, Clone, PartialEq)]
pub struct Chosen {
    /// Numbers of the catalogue's tools, each once.
    pub order: Vec<usize>,
    /// The same as a set.
    pub set: ToolSet,
    /// Tools of other servers and of providers, each once.
    pub external: Vec<String>,
}

impl Chosen {
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

impl Compiler<'_> {
    /// What a list or a toolset selects; `None` where neither is given.
    pub(super) fn choice(
        &mut self,
        listed: Option<&[Selector]>,
        named: Option<&Selector>,
    ) -> Option<Chosen> {
        match (listed, named) {
            (Some(list), _) => Some(self.chosen(list)),
            (None, Some(name)) => Some(self.toolset(name)),
            (None, None) => None,
        }
    }

    /// What a list selects, in its order; each selector's tools in the order of the catalogue.
    pub(super) fn chosen(&mut self, list: &[Selector]) -> Chosen {
        let (catalogue, aliases) = (self.catalogue, Aliases::built_in());
        let mut chosen = Chosen::none(catalogue.len());
        for selector in list {
            let name = selector.text.as_str();
            if catalogue.get(name).is_none() {
                if is_external(name) || aliases.provider_tool(name).is_some() {
                    chosen.add_external(name);
                    continue;
                }
                // Names of agent command lines for their own tools are part of lists of tools, not of layers.
                let native = aliases.of_any_native(name);
                if let Some(tool) = native.and_then(|id| catalogue.index(id)) {
                    chosen.add(tool);
                    continue;
                }
            }
            match super::selector::resolve(selector, catalogue) {
                Ok(tools) => tools.iter().for_each(|tool| chosen.add(tool)),
                Err(error) => self.errors.push(error),
            }
        }
        chosen
    }

    pub(super) fn selection(&mut self, selection: &Selection) -> CompiledSelection {
        let tools = self.choice(selection.listed(), selection.toolset.as_ref());
        let external = selection.external.as_ref().map(|list| {
            for selector in list.iter().filter(|one| !is_external(&one.text)) {
                self.errors.push(selector.error(format_args!(
                    "expected the name of another server's tool, `mcp__SERVER__TOOL`, found `{}`",
                    selector.text
                )));
            }
            list.iter().map(|one| one.text.clone()).collect()
        });
        CompiledSelection {
            tools,
            external,
            permission: selection.permission,
            max_turns: selection.max_turns,
            inherit: selection.inherit,
            place: selection.place.clone(),
        }
    }
}

/// `mcp__server__tool`, the name that agent command lines give a tool of a server.
pub fn is_external(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let word = |text: &str| !text.is_empty() && text.bytes().all(plain);
    let rest = name
        .strip_prefix("mcp__")
        .and_then(|rest| rest.split_once("__"));
    name.len() <= 128 && rest.is_some_and(|(server, tool)| word(server) && word(tool))
}

/// A selection against one catalogue.
#[derive(Debug, Clone)]
pub(super) struct CompiledSelection {
    pub(super) tools: Option<Chosen>,
    pub(super) external: Option<Vec<String>>,
    pub(super) permission: Option<Confinement>,
    pub(super) max_turns: Option<u32>,
    pub(super) inherit: bool,
    pub(super) place: Option<Place>,
}

impl CompiledSelection {
    pub(super) fn tools_only(tools: Chosen, place: Option<Place>) -> Self {
        Self {
            tools: Some(tools),
            external: None,
            permission: None,
            max_turns: None,
            inherit: true,
            place,
        }
    }
}

/// A field, and the level it came from.
#[derive(Debug, Clone, PartialEq)]
pub struct Field<T> {
    /// The value.
    pub value: T,
    /// The level: ``agent `codex` in phase `audit` ``, `default`.
    pub from: String,
    /// Where it was written.
    pub place: Option<Place>,
}

impl<T> Field<T> {
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
pub struct Selected {
    /// The tools, in order.
    pub tools: Field<Chosen>,
    /// How far calls may go; `None` where no level says and there is no phase.
    pub permission: Option<Field<Confinement>>,
    /// Turns of the agent; 0 is no limit.
    pub max_turns: Field<u32>,
}
