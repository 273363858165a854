//! Holds an agent against the tools and roles there are: every name it uses means something, or it is an error.

use std::collections::BTreeMap;

use tool_core::nearest::nearest_name;

use super::{AgentFile, error_position};
use crate::aliases::ToolAliases;
use crate::catalogue::{Catalogue, RESERVED_PREFIXES};
use crate::error::{LoadError, LoadErrors};
use crate::model::Config;
use crate::model::{PolicyLayer, ToolSelector};
use crate::policy::{
    self, HandedTool, Home, PolicyCompiler, ToolSet, is_external, is_handed, of_any_native,
};

/// How our own server names its tools at agent command lines.
const OWN_PREFIX: &str = "mcp__mathchain__";

/// What agents are held against; made once for many of them.
pub struct AgentChecker<'a> {
    catalogue: &'a Catalogue,
    config: &'a Config,
    aliases: &'a ToolAliases,
    roles: Vec<String>,
}

/// A tool that an agent selects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolName {
    /// One of ours, by its id.
    Tool(String),
    /// One of another server, `mcp__server__tool`: kept and handed on.
    External(String),
    /// One that a provider runs.
    Provider(String),
    /// One of an agent command line's own, without a counterpart here: kept and handed on.
    Native(String),
}

/// What a sound agent file gives.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentCheckResult {
    /// Its tools in the order of the list, each once.
    pub selection: Vec<ToolName>,
    /// Descriptions of its tools instead of their own, by id.
    pub descriptions: BTreeMap<String, String>,
    /// The layer that holds for it: `allow` is exactly its own list.
    pub layer: PolicyLayer,
    /// What a reader should know: aliases, tools that run elsewhere, sections of no prompt.
    pub notes: Vec<LoadError>,
}

impl ToolName {
    /// The name of a tool that a selection kept to hand it on.
    pub fn handed(tool: &HandedTool) -> Self {
        let name = tool.name.clone();
        match tool.home {
            Home::Server => Self::External(name),
            Home::Provider => Self::Provider(name),
            Home::CommandLine => Self::Native(name),
        }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            Self::Tool(name) | Self::External(name) | Self::Provider(name) | Self::Native(name) => {
                name
            }
        }
    }
}

impl AgentCheckResult {
    /// The ids of our own tools.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.selection.iter().filter_map(|selected| match selected {
            ToolName::Tool(id) => Some(id.as_str()),
            _ => None,
        })
    }

    /// A line for each tool, for the variable `tool_descriptions`.
    pub fn tool_descriptions(&self, catalogue: &Catalogue) -> String {
        let line = |selected: &ToolName| match selected {
            ToolName::Tool(id) => {
                let title = catalogue.get(id).map(|tool| tool.spec().title);
                let own = self.descriptions.get(id).map(String::as_str);
                format!("- `{id}`: {}", own.or(title).unwrap_or_default())
            }
            other => {
                let tool = HandedTool::of(other.name());
                format!("- `{}`: {}", tool.name, tool.description)
            }
        };
        let lines: Vec<String> = self.selection.iter().map(line).collect();
        lines.join("\n")
    }
}

impl<'a> AgentChecker<'a> {
    /// For the tools of a catalogue, and the roles and toolsets of a configuration.
    pub fn new(catalogue: &'a Catalogue, config: &'a Config, aliases: &'a ToolAliases) -> Self {
        let roles = policy::merged_roles(config);
        Self {
            catalogue,
            config,
            aliases,
            roles: roles.into_iter().map(|role| role.name).collect(),
        }
    }

    /// Reads an agent file and resolves its names.
    ///
    /// # Errors
    /// As [`AgentFile::parse`] and [`AgentChecker::check`], all at once.
    pub fn load(
        &self,
        path: &str,
        text: &str,
    ) -> Result<(AgentFile, AgentCheckResult), LoadErrors> {
        let mut errors = Vec::new();
        let agent = AgentFile::read(path, text, &mut errors)?;
        let checked = self.check(&agent);
        if let Err(found) = &checked {
            errors.extend(found.list().iter().cloned());
        }
        errors.sort_by_key(error_position);
        LoadErrors::check(errors)?;
        Ok((agent, checked?))
    }

    /// Resolves every name of an agent file.
    ///
    /// # Errors
    /// Every tool, toolset, role and selector that is not there, with the nearest one; every rule that can never match.
    pub fn check(&self, agent: &AgentFile) -> Result<AgentCheckResult, LoadErrors> {
        let roles = self.roles.iter().map(String::as_str).collect();
        let mut found = AgentFileFindings {
            selection: Vec::new(),
            listed: Vec::new(),
            notes: agent.notes.clone(),
            names: PolicyCompiler::new(self.catalogue, roles, &self.config.toolsets)
                .with_clis(&self.config.clis),
        };
        let head = &agent.head;
        if let Some(name) = head.toolset.as_ref().filter(|_| head.tools.is_none()) {
            let set = found.names.toolset(name);
            for tool in self.ids_of(&set.set) {
                found.add(ToolName::Tool(tool.to_owned()), name, false);
            }
            for tool in set.external {
                found.add(ToolName::handed(&HandedTool::of(&tool)), name, false);
            }
        }
        for item in agent.head.tools.iter().flatten() {
            self.item(agent, item, &mut found);
        }
        if found.selection.is_empty() && found.names.errors.is_empty() {
            let message = format_args!("`{}` lists no tools, so it has none", agent.name);
            found
                .notes
                .push(LoadError::new(Some(&agent.place), message));
        }
        let role = agent.head.role.as_ref();
        if let Some(role) = role.filter(|role| !self.roles.contains(&role.text)) {
            let error = role.unknown("role", self.roles.iter().map(String::as_str));
            found.names.errors.push(error);
        }
        let descriptions = found.names.descriptions(&head.descriptions);
        let mut described = BTreeMap::new();
        for (tool, text) in descriptions {
            let id = self.catalogue.tool(tool).spec().id;
            let listed = found.selection.iter().any(|one| one.name() == id);
            if !listed {
                let message =
                    format_args!("`descriptions` has `{id}`, which the agent does not list");
                let error = LoadError::new(Some(&agent.place), message);
                found.names.errors.push(error.at("/descriptions"));
            }
            described.insert(id.to_owned(), text);
        }
        let layer = self.layer(agent, &mut found);
        found.names.errors.sort_by_key(error_position);
        found.notes.sort_by_key(error_position);
        LoadErrors::check(found.names.errors)?;
        Ok(AgentCheckResult {
            selection: found.selection,
            descriptions: described,
            layer,
            notes: found.notes,
        })
    }

    fn item(&self, agent: &AgentFile, item: &ToolSelector, found: &mut AgentFileFindings<'_>) {
        let text = item.text.as_str();
        let own = text.strip_prefix(OWN_PREFIX).unwrap_or(text);
        if let Some(tool) = self.catalogue.get(own) {
            found.add(ToolName::Tool(tool.spec().id.to_owned()), item, true);
        } else if is_selector(text) {
            let set = found.names.tools(std::slice::from_ref(item));
            for tool in self.ids_of(&set) {
                found.add(ToolName::Tool(tool.to_owned()), item, false);
            }
        } else if let Some(id) =
            (self.aliases.resolve(text)).or(of_any_native(text, self.aliases, &self.config.clis))
        {
            if self.catalogue.get(id).is_none() {
                let message = format_args!("`{text}` means `{id}`, and there is no such tool");
                found.names.errors.push(item.error(message));
                return;
            }
            found.note(item, format!("`{text}` is the tool `{id}` here"));
            found.add(ToolName::Tool(id.to_owned()), item, true);
        } else if let Some(tool) = self.aliases.provider_tool(text) {
            let message = format!(
                "`{text}` is run by the provider `{}`, never here",
                tool.provider
            );
            found.note(item, message);
            found.add(ToolName::Provider(text.to_owned()), item, true);
        } else if is_external(text) && self.catalogue.is_lost(text) {
            found.note(item, format!("`{text}` is of a server that cannot be used"));
        } else if own == text && is_handed(text, self.catalogue, &self.config.clis) {
            let tool = ToolName::handed(&HandedTool::of(text));
            if let ToolName::Native(_) = tool {
                let message =
                    format!("`{text}` is a tool of an agent command line, never run here");
                found.note(item, message);
            }
            found.add(tool, item, true);
        } else {
            let errors = &mut found.names.errors;
            errors.push(self.unknown(agent, item, own));
        }
    }

    /// Names the nearest tool.
    fn unknown(&self, agent: &AgentFile, item: &ToolSelector, own: &str) -> LoadError {
        let shown: String = item.text.chars().take(80).collect();
        let others = self
            .aliases
            .general()
            .map(|(name, _)| name)
            .chain(self.aliases.provider_tools().map(|tool| tool.name.as_str()));
        let near = self
            .catalogue
            .nearest(own)
            .or_else(|| nearest_name(own, others));
        let message = format!("agent `{}`: no tool named `{shown}`", agent.name);
        let error = item.error(message);
        match near {
            Some(near) => error.hint(format!("did you mean `{near}`?")),
            None => error.hint(
                "`mathchain tools search WORD` looks for tools, `mathchain tools list` lists them",
            ),
        }
    }

    /// The agent's layer. Its own `allow` can only take away from the list, as every layer can.
    fn layer(&self, agent: &AgentFile, found: &mut AgentFileFindings<'_>) -> PolicyLayer {
        let policy = agent.head.policy.clone().unwrap_or_default();
        let mut layer = policy.layer(&agent.name);
        if layer.place.is_none() {
            layer.place = Some(agent.place.clone());
        }
        let written = layer.allow.take();
        let narrowed = written.as_ref().map(|allow| found.names.tools(allow));
        let names_it = |selector: &ToolSelector| {
            let tool = HandedTool::of(&selector.text);
            let mut allow = written.iter().flatten();
            allow.any(|one| tool.selected_by(&one.text) == Some(true))
        };
        let kept = found.listed.iter().filter(|selector| match &narrowed {
            None => true,
            Some(set) => match self.catalogue.index(&selector.text) {
                Some(tool) => set.contains(tool),
                None => names_it(selector),
            },
        });
        layer.allow = Some(kept.cloned().collect());
        // A wrong list would make rules on its tools look unreachable.
        if found.names.errors.is_empty() {
            found.names.layer(&layer);
        }
        layer
    }

    fn ids_of(&self, set: &ToolSet) -> impl Iterator<Item = &'a str> {
        let catalogue = self.catalogue;
        set.iter().map(move |tool| catalogue.tool(tool).spec().id)
    }
}

struct AgentFileFindings<'a> {
    selection: Vec<ToolName>,
    /// Their names, each with the place of the entry that brought it.
    listed: Vec<ToolSelector>,
    notes: Vec<LoadError>,
    names: PolicyCompiler<'a>,
}

impl AgentFileFindings<'_> {
    fn add(&mut self, selected: ToolName, item: &ToolSelector, named: bool) {
        if self.selection.contains(&selected) {
            if named {
                self.note(item, format!("`{}` is listed twice", selected.name()));
            }
            return;
        }
        self.listed.push(ToolSelector {
            text: selected.name().to_owned(),
            place: item.place.clone(),
        });
        self.selection.push(selected);
    }

    fn note(&mut self, item: &ToolSelector, message: String) {
        self.notes.push(item.error(message));
    }
}

fn is_selector(text: &str) -> bool {
    let prefix = text.split_once(':').map(|(prefix, _)| prefix);
    prefix.is_some_and(|prefix| RESERVED_PREFIXES.contains(&prefix)) || text.contains(['*', '?'])
}
