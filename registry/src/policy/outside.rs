//! Tools that run elsewhere: at a server that is not configured here, at a provider, in an agent command line. Their names, what is known
//! of them, and which selectors select them.

use tool_core::{Category, Effect, Permission, Value, names, object};

use super::glob::fits_name;
use super::selector::ToolGroup;
use crate::aliases::ToolAliases;
use crate::catalogue::Catalogue;
use crate::model::{CliSpec, ToolSelector};

/// Names of tools of other servers, as agent command lines spell them: `mcp__SERVER__TOOL`.
pub const EXTERNAL_PREFIX: &str = "mcp__";

names! {
    /// Where a tool runs that is handed on.
    Home {
        /// At an MCP server that is not configured here.
        Server = "server",
        /// At the provider of the model.
        Provider = "provider",
        /// In an agent command line, as one of its own.
        CommandLine = "command line",
    }
}

/// A tool that is handed on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandedTool {
    /// Its name.
    pub name: String,
    /// Where it runs.
    pub home: Home,
    /// The field it belongs to, where that is known.
    pub category: Option<Category>,
    /// What it changes or reaches; `None` where nothing is known of it.
    pub effects: Option<Vec<Effect>>,
    /// Purpose, for lists; may be empty.
    pub description: String,
}

impl HandedTool {
    /// What is known of a name that a selection kept.
    pub fn of(name: &str) -> Self {
        let aliases = ToolAliases::built_in();
        let (home, category, effects, description) = match aliases.provider_tool(name) {
            Some(tool) => (
                Home::Provider,
                Some(tool.category),
                Some(tool.effects.clone()),
                tool.description.clone(),
            ),
            None if is_external(name) => {
                let text = "a tool of another server";
                (Home::Server, None, None, text.to_owned())
            }
            None => {
                let text = "a tool of an agent command line";
                (
                    Home::CommandLine,
                    None,
                    aliases.own_tool(name),
                    text.to_owned(),
                )
            }
        };
        Self {
            name: name.to_owned(),
            home,
            category,
            effects,
            description,
        }
    }

    /// As data.
    pub fn to_value(&self) -> Value {
        let effects = self.effects.as_ref();
        let effects =
            effects.map(|list| -> Vec<&str> { list.iter().map(|one| one.as_str()).collect() });
        object! {
            "id" => self.name.as_str(),
            "source" => self.home.as_str(),
            "description" => self.description.as_str(),
            "category" => self.category.map(Category::as_str),
            "effects" => effects,
        }
    }

    /// Whether it has an effect, as far as that is known.
    pub(super) fn has(&self, effect: Effect) -> Option<bool> {
        self.effects
            .as_ref()
            .map(|effects| effects.contains(&effect))
    }

    /// Whether a selector selects it; `None` where that cannot be told.
    pub(crate) fn selected_by(&self, selector: &str) -> Option<bool> {
        let any = |effects: &[Effect]| {
            let own = self.effects.as_ref()?;
            Some(effects.iter().any(|effect| own.contains(effect)))
        };
        let of_category = |category: Category| Some(self.category? == category);
        match selector.split_once(':') {
            Some(("group", name)) => match ToolGroup::parse(name)? {
                ToolGroup::All => Some(true),
                ToolGroup::Read => Some(false),
                ToolGroup::Write => any(&[
                    Effect::ModifiesFiles,
                    Effect::SystemState,
                    Effect::LocalExec,
                ]),
                ToolGroup::Change => {
                    let effects = self.effects.as_ref()?;
                    Some(effects.iter().any(|effect| match effect {
                        Effect::NetworkAccess => self.category != Some(Category::Web),
                        _ => true,
                    }))
                }
                ToolGroup::Send => match of_category(Category::Web) {
                    Some(true) => Some(false),
                    _ => any(&[Effect::NetworkAccess]),
                },
                ToolGroup::Web => match of_category(Category::Web) {
                    Some(true) => Some(true),
                    _ => any(&[Effect::NetworkAccess]),
                },
                ToolGroup::Code => any(&[Effect::ModifiesFiles, Effect::LocalExec]),
                ToolGroup::Of(category) => of_category(category),
            },
            Some(("category", name)) => of_category(Category::parse(name)?),
            Some(("effect", name)) => match Effect::parse(name) {
                Some(effect) => any(&[effect]),
                None => any(&[Effect::NetworkAccess]),
            },
            Some(("permission", name)) => match Permission::parse(name)? {
                Permission::Network => any(&[Effect::NetworkAccess]),
                Permission::Filesystem => any(&[Effect::ModifiesFiles]),
                Permission::Shell => any(&[Effect::LocalExec]),
                Permission::Compute => any(&[]),
                // No tool of another has items of workflows.
                Permission::Workflow => Some(false),
            },
            Some(("plugin", name)) => Some(self.name.starts_with(&format!("{name}__"))),
            Some(("tag", _)) => Some(false),
            _ if selector.contains(['*', '?']) => Some(fits_name(selector, &self.name)),
            _ => Some(selector == self.name),
        }
    }

    pub(super) fn is_selected(&self, selectors: &[String], unknown: bool) -> bool {
        let mut selectors = selectors.iter();
        selectors.any(|one| self.selected_by(one).unwrap_or(unknown))
    }
}

/// What a layer says of tools that are handed on: selectors, as written.
#[derive(Debug, Clone, Default)]
pub(super) struct HandedLimits {
    pub(super) allow: Option<Vec<String>>,
    pub(super) deny: Vec<String>,
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

/// Whether a name of no tool here is kept and handed on: of a tool of a server that is not configured here, of a provider, or of an
/// agent command line.
pub(crate) fn is_handed(name: &str, catalogue: &Catalogue, clis: &[CliSpec]) -> bool {
    if catalogue.is_lost(name) || catalogue.get(name).is_some() {
        return false;
    }
    if is_external(name) {
        // Of a server that is configured here every tool is known.
        let server = name.strip_prefix(EXTERNAL_PREFIX);
        let server = server.and_then(|rest| rest.split_once("__"));
        let prefix = server.map(|(server, _)| format!("{EXTERNAL_PREFIX}{server}__"));
        return prefix.is_some_and(|prefix| !catalogue.ids().any(|id| id.starts_with(&prefix)));
    }
    let aliases = ToolAliases::built_in();
    aliases.provider_tool(name).is_some()
        || aliases.own_tool(name).is_some()
        || clis
            .iter()
            .any(|cli| cli.tools.iter().any(|own| own == name))
}

/// Whether a selector of a layer names tools that are handed on.
pub(super) fn names_handed(
    selector: &ToolSelector,
    catalogue: &Catalogue,
    clis: &[CliSpec],
) -> bool {
    let name = selector.text.as_str();
    match name.contains(['*', '?']) {
        true => name.starts_with(EXTERNAL_PREFIX),
        false => is_handed(name, catalogue, clis),
    }
}

/// Our tool for a name that agent command lines use for their own: of the configuration's tables, else of the known ones.
pub(crate) fn of_any_native<'a>(
    name: &str,
    aliases: &'a ToolAliases,
    clis: &'a [CliSpec],
) -> Option<&'a str> {
    let mut meant = clis.iter().filter_map(|cli| cli.native.get(name));
    match meant.next() {
        Some(first) => meant.all(|other| other == first).then_some(first.as_str()),
        None => aliases.of_any_native(name),
    }
}
