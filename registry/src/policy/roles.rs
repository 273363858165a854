//! Roles and toolsets: what a caller starts from.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use tool_core::{Decode, Describe, names};

use super::CompiledRole;
use super::compile::{PolicyCompiler, selector_texts};
use super::outside::names_handed;
use super::selection::{CompiledSelection, ToolSelection};
use crate::catalogue::Catalogue;
use crate::document::{self, DocumentFormat};
use crate::model::{
    Config, FormatVersion, Level, NamedTable, PolicyLayer, ProviderProfile, Role, ToolSelector,
};

/// The roles that come with the program, and the contexts that kinds of tasks imply.
const BUILT_IN: &str = include_str!("../../roles.yaml");
const BUILT_IN_NAME: &str = "roles.yaml";

/// A file of roles, and the contexts that kinds of tasks imply.
#[derive(Decode, Describe)]
struct RolesFile {
    #[value(rename = "version")]
    _version: FormatVersion,
    roles: NamedTable<Role>,
    tasks: BTreeMap<String, Vec<Context>>,
}

names! {
    /// A context that a kind of task implies.
    Context {
        /// No effects.
        ReadOnly = "read_only",
        /// No network.
        NoWeb = "no_web",
    }
}

fn built_in() -> &'static RolesFile {
    static BUILT: OnceLock<RolesFile> = OnceLock::new();
    BUILT.get_or_init(|| {
        let document = document::parse_document(BUILT_IN_NAME, BUILT_IN, DocumentFormat::Yaml);
        let mut errors = Vec::new();
        let file = document
            .ok()
            .and_then(|document| document::read_typed(&document, &mut errors));
        file.filter(|_| errors.is_empty())
            .expect("roles.yaml is part of the program and a test reads it")
    })
}

/// The names of the roles that come with the program.
pub(crate) fn built_in_roles() -> impl Iterator<Item = &'static str> {
    built_in().roles.iter().map(|role| role.name.as_str())
}

/// The layers that a kind of task implies: `math` means no network.
pub fn context_of_task(kind: &str) -> Vec<PolicyLayer> {
    let contexts = built_in().tasks.get(kind).into_iter().flatten();
    let layer = |context: &Context| match context {
        Context::ReadOnly => PolicyLayer::read_only(),
        Context::NoWeb => PolicyLayer::no_web(),
    };
    contexts.map(layer).collect()
}

/// The built-in roles and those of the configuration, which replace built-in ones of the same name.
pub(crate) fn merged_roles(config: &Config) -> Vec<Role> {
    let built_in = built_in()
        .roles
        .iter()
        .filter(|role| config.roles.iter().all(|own| own.name != role.name));
    built_in.chain(config.roles.iter()).cloned().collect()
}

/// The provider profiles that come with the program, where the catalogue has what they speak of: models of one provider were
/// trained on patches, those of the others on single replacements.
pub(super) fn builtin_profiles(catalogue: &Catalogue) -> Vec<ProviderProfile> {
    const PATCH: &str = "apply_patch";
    const EDIT: &str = "edit_file";
    let has_both = [PATCH, EDIT]
        .iter()
        .all(|tool| catalogue.get(tool).is_some());
    let list = |tool: &str| match has_both {
        true => vec![ToolSelector::from(tool)],
        false => Vec::new(),
    };
    [
        ("openai", PATCH, EDIT),
        ("anthropic", EDIT, PATCH),
        ("gemini", EDIT, PATCH),
    ]
    .map(|(name, prefer, disable)| ProviderProfile {
        name: name.to_owned(),
        prefer: list(prefer),
        enable: Vec::new(),
        disable: list(disable),
        place: None,
    })
    .into()
}

/// The kinds of tasks that the program knows, beside those that a configuration speaks of.
pub(super) fn kinds_of_tasks() -> impl Iterator<Item = &'static str> {
    const PLAIN: [&str; 4] = ["chat", "general", "agentic", "coder"];
    let implying = built_in().tasks.keys().map(String::as_str);
    PLAIN.into_iter().chain(implying)
}

impl PolicyCompiler<'_> {
    pub(super) fn role(&mut self, role: &Role) -> CompiledRole {
        // A pattern of names of other servers' tools selects none, and limits what a phase selects.
        let is_limit = |tool: &ToolSelector| {
            tool.text.contains('*')
                && names_handed(tool, self.catalogue, self.clis)
                && self.resolve(tool).is_err()
        };
        let listed = role.tools.as_ref().map(|tools| {
            let tools = self.held(role, tools);
            tools
                .into_iter()
                .filter(|tool| !is_limit(tool))
                .collect::<Vec<_>>()
        });
        let chosen = self.choice(listed.as_deref(), role.toolset.as_ref());
        let tools = chosen.unwrap_or_else(|| ToolSelection::none(self.catalogue.len()));
        let mut own = PolicyLayer::new(Level::Role, role.name.clone());
        own.deny = self.held(role, &role.deny);
        own.place.clone_from(&role.place);
        let mut layer = self.layer(&own);
        layer.handed.allow = Some(self.selectors(role.tools.as_deref(), role.toolset.as_ref()));
        // A phase or a session may choose among the tools of a role, and never beyond them.
        layer.narrow(&tools.set);
        CompiledRole {
            description: role.description.clone(),
            selection: CompiledSelection::tools_only(tools, role.place.clone()),
            layers: vec![layer],
        }
    }

    /// The selectors of a role; those of a built-in role without the names that this catalogue lacks.
    fn held(&self, role: &Role, list: &[ToolSelector]) -> Vec<ToolSelector> {
        let is_built_in = role
            .place
            .as_ref()
            .is_none_or(|place| &*place.file == BUILT_IN_NAME);
        let exists = |selector: &&ToolSelector| !is_built_in || self.resolve(selector).is_ok();
        list.iter().filter(exists).cloned().collect()
    }

    /// The selectors of a list or of a toolset, as written.
    fn selectors(
        &self,
        listed: Option<&[ToolSelector]>,
        named: Option<&ToolSelector>,
    ) -> Vec<String> {
        let mut found = selector_texts(listed.unwrap_or_default());
        let mut names: Vec<&str> = named.iter().map(|name| name.text.as_str()).collect();
        let mut gone = Vec::new();
        let mut place = 0;
        while let Some(name) = names.get(place).copied() {
            place += 1;
            let Some(toolset) = self.toolsets.iter().find(|one| one.name == name) else {
                continue;
            };
            for list in [&toolset.include, &toolset.internal, &toolset.mcp] {
                found.extend(selector_texts(list));
            }
            gone.extend(selector_texts(&toolset.exclude));
            for parent in &toolset.extends {
                if !names.contains(&parent.text.as_str()) {
                    names.push(&parent.text);
                }
            }
        }
        found.retain(|text| !gone.contains(text));
        found
    }

    /// Toolsets that no role uses are checked all the same.
    pub(super) fn check_toolsets(&mut self, roles: &[Role]) {
        let uses =
            |role: &Role, name: &str| role.toolset.as_ref().is_some_and(|used| used.text == name);
        for unused in self.toolsets {
            if !roles.iter().any(|role| uses(role, &unused.name)) {
                self.toolset(&ToolSelector {
                    text: unused.name.clone(),
                    place: unused.place.clone(),
                });
            }
        }
    }

    /// The tools that a toolset selects.
    pub(crate) fn toolset(&mut self, name: &ToolSelector) -> ToolSelection {
        self.toolset_below(name, &mut Vec::new())
    }

    /// As [`PolicyCompiler::toolset`]; `path` holds those being resolved, so that a circle is found.
    fn toolset_below(&mut self, name: &ToolSelector, path: &mut Vec<String>) -> ToolSelection {
        let mut chosen = ToolSelection::none(self.catalogue.len());
        let mut toolsets = self.toolsets.iter();
        let Some(found) = toolsets.find(|toolset| toolset.name == name.text) else {
            let known = self.toolsets.iter().map(|toolset| toolset.name.as_str());
            self.errors.push(name.unknown("toolset", known));
            return chosen;
        };
        if path.contains(&found.name) || path.len() >= self.toolsets.len() {
            let (name_text, way) = (&name.text, path.join(" -> "));
            self.errors.push(name.error(format_args!(
                "the toolset `{name_text}` extends itself: {way} -> {name_text}"
            )));
            return chosen;
        }
        path.push(found.name.clone());
        for parent in &found.extends {
            chosen.unite(&self.toolset_below(parent, path));
        }
        path.pop();
        for list in [&found.include, &found.internal, &found.mcp] {
            chosen.unite(&self.chosen(list));
        }
        chosen.subtract(&self.chosen(&found.exclude));
        chosen
    }
}
