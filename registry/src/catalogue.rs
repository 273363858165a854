//! [`Catalogue`]: all tools by name, built once from the lists of the families.

use std::collections::HashMap;
use std::fmt::{self, Write as _};
use std::sync::Arc;

use tool_core::nearest::nearest_name;
use tool_core::spec::wire_name;
use tool_core::{AnyTool, ErasedTool, Spec, ToolError, tool_error};

use crate::aliases::ToolAliases;
use crate::error::{LoadError, LoadErrors};

/// Prefixes of selectors, before a `:`; the id of a tool cannot start with one.
pub const RESERVED_PREFIXES: [&str; 6] =
    ["group", "category", "tag", "effect", "permission", "plugin"];

/// Wire names of the tools that find and call others ([`crate::offer::Finder`]); no tool has one.
pub const RESERVED_NAMES: [&str; 3] = ["search_tools", "describe_tool", "call_tool"];

/// All tools. Immutable: tools are numbered from 0 in the order of the lists, and a policy is compiled against exactly one
/// catalogue, named by its [`generation`](Catalogue::generation).
#[derive(Clone)]
pub struct Catalogue {
    tools: Vec<CatalogueTool>,
    /// Canonical ids and wire names.
    names: HashMap<String, usize>,
    generation: String,
    /// Names of broken plugins: their tools are absent, and policies may name them.
    lost: Vec<String>,
}

/// A built-in tool, or one of a plugin, which lives as long as the last call that uses it.
#[derive(Clone)]
enum CatalogueTool {
    Own(&'static dyn AnyTool),
    Plugin(Arc<dyn AnyTool>),
}

impl CatalogueTool {
    fn tool(&self) -> &dyn AnyTool {
        match self {
            Self::Own(tool) => *tool,
            Self::Plugin(tool) => tool.as_ref(),
        }
    }
}

/// Names of tools that other systems have, each with the tool here that does the work, or that there is none.
const ELSEWHERE: &[(&str, &str)] = &[
    (
        "render_math",
        "no tool typesets formulas; `plot_function` draws them",
    ),
    (
        "json_parse",
        "`json_query` reads JSON and takes parts of it",
    ),
    (
        "vision_analyze",
        "no tool describes pictures; `ocr_extract` reads the text in one",
    ),
    (
        "vision_search",
        "no tool searches pictures; `ocr_extract` reads the text in one, `web_search` searches the web",
    ),
    ("vision_face_identify", "no tool knows faces"),
    (
        "web_fetch",
        "`fetch_docs` reads a page as text, `http_get` as it is",
    ),
];

impl Catalogue {
    /// Collects the lists of the families.
    ///
    /// # Errors
    /// Every duplicate id or wire name, reserved prefix and unsound spec.
    pub fn new(families: &[&[ErasedTool]]) -> Result<Self, LoadErrors> {
        Self::with_plugins(families, &[])
    }

    /// As [`Catalogue::new`], followed by the tools of plugins.
    ///
    /// # Errors
    /// As [`Catalogue::new`]; a plugin's tool cannot take the name of another.
    pub fn with_plugins(
        families: &[&[ErasedTool]],
        plugins: &[Arc<dyn AnyTool>],
    ) -> Result<Self, LoadErrors> {
        let mut catalogue = Self {
            tools: Vec::new(),
            names: HashMap::new(),
            generation: String::new(),
            lost: Vec::new(),
        };
        let mut errors = Vec::new();
        let (mut digest, mut written) = (blake3::Hasher::new(), String::new());
        let own = families.iter().flat_map(|family| family.iter());
        let own = own.map(|entry| CatalogueTool::Own(entry.tool()));
        for held in own.chain(plugins.iter().cloned().map(CatalogueTool::Plugin)) {
            let spec = held.tool().spec();
            let fault = catalogue.fault(spec);
            errors.extend(fault.map(|fault| LoadError::new(None, fault)));
            let index = catalogue.tools.len();
            catalogue.names.insert(spec.id.to_owned(), index);
            catalogue.names.insert(spec.wire_name(), index);
            written.clear();
            let _ = writeln!(written, "{spec:?}"); // a text takes everything
            digest.update(written.as_bytes());
            catalogue.tools.push(held);
        }
        catalogue.generation = digest.finalize().to_hex().to_string();
        LoadErrors::check(errors)?;
        Ok(catalogue)
    }

    /// Adds the names of broken plugins: selectors of their tools select nothing and are not errors.
    #[must_use]
    pub fn without(mut self, plugins: impl IntoIterator<Item = String>) -> Self {
        self.lost.extend(plugins);
        self
    }

    /// Whether a selector names a broken plugin.
    pub(crate) fn is_lost(&self, selector: &str) -> bool {
        let plugin = match selector.split_once(':') {
            Some(("plugin", name)) => name,
            Some((name, _)) => name,
            None => {
                // The id of a tool of an MCP server.
                let is_of = |name: &String| selector.starts_with(&format!("{name}__"));
                return self.lost.iter().any(is_of);
            }
        };
        self.lost.iter().any(|name| name == plugin)
    }

    fn fault(&self, spec: &Spec) -> Option<String> {
        if let Some(fault) = spec.fault() {
            return Some(fault);
        }
        let prefix = spec.id.split(':').next().unwrap_or_default();
        if spec.id.contains(':') && RESERVED_PREFIXES.contains(&prefix) {
            let id = spec.id;
            return Some(format!(
                "the id `{id}` starts with `{prefix}:`, which selectors use"
            ));
        }
        let wire = spec.wire_name();
        if RESERVED_NAMES.contains(&wire.as_str()) {
            return Some(format!("`{wire}` is a tool of catalogues of tools"));
        }
        let other = self.names.get(spec.id).or_else(|| self.names.get(&wire))?;
        let other = self.tool(*other).spec().id;
        let id = spec.id;
        Some(match other == id {
            true => format!("two tools are named `{other}`"),
            false => format!("`{id}` and `{other}` have the same wire name `{wire}`"),
        })
    }

    /// Number of tools.
    pub fn len(&self) -> usize {
        self.tools.len()
    }

    /// Whether there is no tool.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// The tools, in the order of the lists.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &dyn AnyTool> {
        self.tools.iter().map(CatalogueTool::tool)
    }

    /// A tool by its canonical id or wire name.
    pub fn get(&self, name: &str) -> Option<&dyn AnyTool> {
        self.index(name).map(|index| self.tool(index))
    }

    /// The number of a tool, by its canonical id or wire name.
    pub fn index(&self, name: &str) -> Option<usize> {
        self.names.get(name).copied()
    }

    /// The number of a tool that a caller names: as [`Catalogue::index`], or by its name in an earlier system.
    pub fn called(&self, name: &str) -> Option<usize> {
        self.index(name)
            .or_else(|| self.index(ToolAliases::built_in().resolve(name)?))
    }

    /// A tool by its number.
    ///
    /// # Panics
    /// For a number that [`Catalogue::index`] did not give.
    pub fn tool(&self, index: usize) -> &dyn AnyTool {
        self.tools[index].tool()
    }

    /// Canonical ids, in the order of the lists.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.iter().map(|tool| tool.spec().id)
    }

    /// The canonical id nearest to a mistyped name.
    pub fn nearest(&self, name: &str) -> Option<&str> {
        nearest_name(&wire_name(name), self.names.keys().map(String::as_str))
            .and_then(|near| self.get(near))
            .map(|tool| tool.spec().id)
    }

    /// The error for an unknown name.
    pub fn unknown(&self, name: &str, suggestion: Option<&str>) -> ToolError {
        let shown: String = name.chars().take(80).collect();
        let error = tool_error!(UnknownTool, "no tool named `{shown}`");
        if let Some((_, hint)) = ELSEWHERE
            .iter()
            .find(|(known, _)| *known == wire_name(name))
        {
            return error.hint(*hint);
        }
        let aliases = ToolAliases::built_in();
        if let Some(tool) = aliases.provider_tool(name) {
            let provider = &tool.provider;
            return error.hint(format!(
                "the provider {provider} runs it for its models, never here"
            ));
        }
        match suggestion {
            None if aliases.own_tool(name).is_some() => {
                error.hint("it is a tool of an agent command line, and never runs here")
            }
            None if name.starts_with("mcp__") => {
                error.hint("its server is not in `mcp_servers` here, or its tools are not pinned: `mathchain plugins list` shows them, docs/mcp.md says how to pin")
            }
            Some(near) => error.hint(format!("did you mean `{near}`?")),
            None => error.hint("`mathchain tools list` shows the tools there are"),
        }
    }

    /// Digest of all specs; a policy is compiled against one.
    pub fn generation(&self) -> &str {
        &self.generation
    }
}

impl fmt::Debug for Catalogue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.ids()).finish()
    }
}

/// The plugin that a spec names as its source.
pub(crate) fn plugin_of_source(source: &str) -> Option<&str> {
    let (name, _) = source.strip_prefix("plugin ")?.split_once('@')?;
    Some(name)
}

#[cfg(test)]
mod tests {
    use tool_core::{ErasedTool, Value, tool_entry};

    use super::*;
    use crate::fakes::twelve;
    use fakes::{NoArgs, TWELVE, tool};

    tool!(Submit(NoArgs) { id: "task:submit" } = |_, _| Ok(Value::Null));
    tool!(Same(NoArgs) { id: "task_submit" } = |_, _| Ok(Value::Null));
    tool!(Grouped(NoArgs) { id: "group:write" } = |_, _| Ok(Value::Null));
    tool!(Loud(NoArgs) { id: "LOUD" } = |_, _| Ok(Value::Null));
    tool!(Finding(NoArgs) { id: "search_tools" } = |_, _| Ok(Value::Null));
    tool!(Unsound(NoArgs) { id: "unsound", destructive: true } = |_, _| Ok(Value::Null));

    #[test]
    fn both_spellings_find_a_tool_and_names_are_unique() {
        static ONE: &[ErasedTool] = &[tool_entry::<Submit>()];
        let catalogue = Catalogue::new(&[TWELVE, ONE]).unwrap();
        assert_eq!(catalogue.len(), 13);
        for name in ["task:submit", "task_submit"] {
            assert_eq!(
                catalogue.get(name).map(|tool| tool.spec().id),
                Some("task:submit")
            );
        }
        static BAD: &[ErasedTool] = &[
            tool_entry::<Submit>(),
            tool_entry::<Submit>(),
            tool_entry::<Same>(),
            tool_entry::<Grouped>(),
            tool_entry::<Loud>(),
            tool_entry::<Unsound>(),
            tool_entry::<Finding>(),
        ];
        let errors = Catalogue::new(&[BAD]).unwrap_err().to_string();
        for expected in [
            "two tools are named `task:submit`",
            "have the same wire name `task_submit`",
            "starts with `group:`",
            "`LOUD` does not give a wire name",
            "destructive and has no effects",
            "`search_tools` is a tool of catalogues",
            "`search_tools` is a tool of catalogues",
        ] {
            assert!(errors.contains(expected), "no {expected:?} in {errors}");
        }
    }

    #[test]
    fn the_generation_follows_the_specs() {
        assert_eq!(twelve().generation(), twelve().generation());
        let fewer = Catalogue::new(&[&TWELVE[1..]]).unwrap();
        assert_ne!(twelve().generation(), fewer.generation());
        assert_eq!(twelve().generation().len(), 64);
    }
}
