//! What a selector selects: ids, computed groups and facts of the spec, the tools of a plugin, patterns.

use tool_core::{Capability, Category, Effect, Permission, Spec};

use super::ToolSet;
use super::glob::fits_name;
use super::outside::is_external;
use crate::aliases::ToolAliases;
use crate::catalogue::{Catalogue, RESERVED_PREFIXES, plugin_of_source};
use crate::error::LoadError;
use crate::model::ToolSelector;

/// A group: computed from what tools say about themselves, never from a list of names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolGroup {
    /// Every tool.
    All,
    /// Changes nothing, runs no program of its caller, and reads files or state of this machine.
    Read,
    /// Changes files, state or processes, or can destroy.
    Write,
    /// Changes something: files, state, processes; sends, or asks a model. What belongs to items of workflows is decided by roles.
    Change,
    /// Sends over the network.
    Send,
    /// Works on files and programs of this machine, or is of the category `code`.
    Code,
    /// Reaches the network, or is of the category `web`.
    Web,
    /// The tools of a category.
    Of(Category),
}

impl ToolGroup {
    /// The names of all groups.
    pub fn names() -> Vec<&'static str> {
        let mut names = vec!["all", "read", "write", "change", "send", "code", "web"];
        for category in Category::ALL {
            if !names.contains(&category.as_str()) {
                names.push(category.as_str());
            }
        }
        names
    }

    /// Reads a name.
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "all" => Self::All,
            "read" => Self::Read,
            "write" => Self::Write,
            "change" => Self::Change,
            "send" => Self::Send,
            "code" => Self::Code,
            "web" => Self::Web,
            _ => Self::Of(Category::parse(name)?),
        })
    }

    /// Whether the tool belongs to it.
    pub fn contains(self, spec: &Spec) -> bool {
        match self {
            Self::All => true,
            Self::Read => spec.read_only() && has_reading_call(spec) && !may_reach_network(spec),
            Self::Write => has_writing_call(spec),
            Self::Change => has_changing_call(spec),
            Self::Send => has_sending_call(spec),
            Self::Code => {
                spec.category == Category::Code || (!reaches_network(spec) && has_host_access(spec))
            }
            Self::Web => spec.category == Category::Web || reaches_network(spec),
            Self::Of(category) => spec.category == category,
        }
    }
}

fn has_reading_call(spec: &Spec) -> bool {
    let only_computes = |permission: &Permission| *permission == Permission::Compute;
    // A program of the caller reads nothing by itself.
    let mut used = spec.capabilities.iter();
    used.any(|used| *used != Capability::Spawn) || !spec.permissions.iter().all(only_computes)
}

/// Whether some call of a tool changes something. The tools of workflows change items, which a role owns by its transitions.
fn has_changing_call(spec: &Spec) -> bool {
    let of_items = spec.permissions.contains(&Permission::Workflow);
    spec.effects.iter().any(|effect| match effect {
        Effect::ModifiesFiles | Effect::CallsLlm => true,
        Effect::LocalExec | Effect::SystemState => !of_items,
        Effect::NetworkAccess => has_sending_call(spec),
    })
}

/// Whether some call of a tool sends over the network. A tool of an MCP server asks its service, and changes what its table says.
fn has_sending_call(spec: &Spec) -> bool {
    spec.effects.contains(&Effect::NetworkAccess) && !is_external(spec.id)
}

fn has_writing_call(spec: &Spec) -> bool {
    let changing = [
        Effect::ModifiesFiles,
        Effect::SystemState,
        Effect::LocalExec,
    ];
    spec.destructive
        || spec.effects.iter().any(|effect| changing.contains(effect))
        || spec.capabilities.contains(&Capability::FilesWrite)
}

/// Whether every call of a tool has an effect.
pub(super) fn always_has(effect: Effect, spec: &Spec) -> bool {
    let has = match effect {
        Effect::NetworkAccess => reaches_network(spec),
        other => spec.effects.contains(&other),
    };
    has && !spec.avoidable.contains(&effect)
}

/// The effect by which selectors tell sending from reading; `effect:network_access` selects both.
const NETWORK_SEND: &str = "network_send";

/// What a tool does on the network, as selectors see it: `send` where `effect:network_send` selects it, `read` where only
/// `effect:network_access` does.
pub fn network_use(spec: &Spec) -> Option<&'static str> {
    match (
        spec.effects.contains(&Effect::NetworkAccess),
        may_reach_network(spec),
    ) {
        (true, _) => Some("send"),
        (false, true) => Some("read"),
        (false, false) => None,
    }
}

/// Whether some call of a tool reaches the network, those that ask a model behind an endpoint among them.
fn may_reach_network(spec: &Spec) -> bool {
    reaches_network(spec) || spec.capabilities.contains(&Capability::Model)
}

fn reaches_network(spec: &Spec) -> bool {
    spec.effects.contains(&Effect::NetworkAccess)
        || spec.capabilities.contains(&Capability::Http)
        || spec.permissions.contains(&Permission::Network)
}

fn has_host_access(spec: &Spec) -> bool {
    spec.permissions.contains(&Permission::Filesystem)
        || spec.permissions.contains(&Permission::Shell)
        || spec.capabilities.contains(&Capability::Spawn)
        || spec.uses_files()
}

/// Whether a text is a selector of some kind, which no tool is named.
pub(super) fn is_kind(text: &str) -> bool {
    let kind = text.split_once(':').map(|(kind, _)| kind);
    kind.is_some_and(|kind| RESERVED_PREFIXES.contains(&kind))
}

/// The tools that a selector selects.
///
/// # Errors
/// An unknown name, with the nearest; a tag or pattern that selects nothing.
pub(crate) fn resolve_selector(
    selector: &ToolSelector,
    catalogue: &Catalogue,
) -> Result<ToolSet, LoadError> {
    let text = selector.text.as_str();
    let of_spec = |test: &dyn Fn(&Spec) -> bool| {
        ToolSet::of(catalogue.len(), |tool| test(catalogue.tool(tool).spec()))
    };
    let error = |message: String| LoadError::new(selector.place.as_ref(), message);
    if catalogue.is_lost(text) {
        return Ok(ToolSet::none(catalogue.len()));
    }
    // The hint is a selector again: the kind belongs to it.
    let near = |error: LoadError, kind: &str, name: &str, known: Vec<&str>| {
        match tool_core::nearest::nearest_name(name, known) {
            Some(near) => error.hint(format!("did you mean `{kind}:{near}`?")),
            None => error,
        }
    };
    let unknown_name = |kind: &str, name: &str, known: Vec<&str>| {
        Err(near(
            error(format!("no {kind} named `{name}`")),
            kind,
            name,
            known,
        ))
    };
    let found = |set: ToolSet, wrong: &dyn Fn() -> LoadError| match set.is_empty() {
        true => Err(wrong()),
        false => Ok(set),
    };
    match text.split_once(':') {
        Some(("group", name)) => match ToolGroup::parse(name) {
            Some(group) => Ok(of_spec(&|spec| group.contains(spec))),
            None => unknown_name("group", name, ToolGroup::names()),
        },
        Some(("category", name)) => match Category::parse(name) {
            Some(category) => Ok(of_spec(&|spec| spec.category == category)),
            None => unknown_name(
                "category",
                name,
                spelled_names(Category::ALL, Category::as_str),
            ),
        },
        Some(("effect", NETWORK_SEND)) => Ok(of_spec(&|spec| {
            spec.effects.contains(&Effect::NetworkAccess)
        })),
        Some(("effect", name)) => match Effect::parse(name) {
            Some(Effect::NetworkAccess) => Ok(of_spec(&may_reach_network)),
            Some(effect) => Ok(of_spec(&|spec| spec.effects.contains(&effect))),
            None => {
                let known = spelled_names(Effect::ALL, Effect::as_str);
                unknown_name("effect", name, [known, vec![NETWORK_SEND]].concat())
            }
        },
        Some(("permission", name)) => match Permission::parse(name) {
            Some(Permission::Network) => Ok(of_spec(&may_reach_network)),
            Some(permission) => Ok(of_spec(&|spec| spec.permissions.contains(&permission))),
            None => unknown_name(
                "permission",
                name,
                spelled_names(Permission::ALL, Permission::as_str),
            ),
        },
        Some(("tag", name)) => found(of_spec(&|spec| spec.tags.contains(&name)), &|| {
            let tags = catalogue.iter().flat_map(|tool| tool.spec().tags);
            let error = error(format!("no tool has the tag `{name}`"));
            near(error, "tag", name, tags.copied().collect())
        }),
        Some(("plugin", name)) => {
            let of_plugin = |spec: &Spec| plugin_of_source(spec.source) == Some(name);
            found(of_spec(&of_plugin), &|| {
                let known = catalogue.iter().map(|tool| tool.spec().source);
                let known = known.filter_map(plugin_of_source);
                let error = error(format!("no plugin named `{name}`"));
                near(error, "plugin", name, known.collect())
            })
        }
        _ if text.contains(['*', '?']) => found(of_spec(&|spec| fits_name(text, spec.id)), &|| {
            error(format!("no tool fits the pattern `{text}`"))
        }),
        _ => match named_tool(selector, catalogue) {
            Some(tool) => Ok(ToolSet::of(catalogue.len(), |other| other == tool)),
            None => Err(unknown_selector_error(selector, catalogue)),
        },
    }
}

/// The tool that a selector names by its id or an alias of it; `None` for every other kind.
pub(super) fn named_tool(selector: &ToolSelector, catalogue: &Catalogue) -> Option<usize> {
    let text = selector.text.as_str();
    catalogue.index(text).or_else(|| of_alias(text, catalogue))
}

/// The tool that an earlier system calls so. Names of groups are none: `deny = ["write"]` would deny one tool of many.
fn of_alias(name: &str, catalogue: &Catalogue) -> Option<usize> {
    if ToolGroup::parse(name).is_some() {
        return None;
    }
    catalogue.index(ToolAliases::built_in().resolve(name)?)
}

fn unknown_selector_error(selector: &ToolSelector, catalogue: &Catalogue) -> LoadError {
    let text = selector.text.as_str();
    let error = |message: String| LoadError::new(selector.place.as_ref(), message);
    if let Some((prefix, _)) = text.split_once(':')
        && let Some(near) = tool_core::nearest::nearest_name(prefix, RESERVED_PREFIXES)
        && catalogue.nearest(text).is_none()
    {
        return error(format!("no kind of selector named `{prefix}:`"))
            .hint(format!("did you mean `{near}:`?"));
    }
    let error = error(format!("no tool named `{text}`"));
    match catalogue.nearest(text) {
        Some(near) => error.hint(format!("did you mean `{near}`?")),
        None if ToolGroup::parse(text).is_some() => {
            error.hint(format!("did you mean `group:{text}`?"))
        }
        None => error,
    }
}

fn spelled_names<T: Copy>(all: &[T], name: fn(T) -> &'static str) -> Vec<&'static str> {
    all.iter().map(|item| name(*item)).collect()
}
