//! [`ToolAliases`]: other names of our tools, the names that agent command lines give their own, and tools that a provider runs.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use tool_core::{Category, Decode, Describe, Effect, Value};

use crate::catalogue::Catalogue;
use crate::document::{self, DocumentFormat};
use crate::error::{LoadError, LoadErrors, TextPlace};
use crate::model::{FormatVersion, NamedTable, ToolSelector};

const BUILT_IN: &str = include_str!("../aliases.yaml");

/// Other names of tools. An id of the catalogue always wins over a name from here.
#[derive(Debug, Clone, Default, Decode, Describe)]
#[value(default)]
#[schema(extend("required" = ["version"]))]
pub struct ToolAliases {
    version: FormatVersion,
    /// Names of earlier systems, each with the id of our tool.
    aliases: BTreeMap<String, ToolSelector>,
    /// Other names of roles of workflows.
    roles: BTreeMap<String, String>,
    /// Names that agent command lines give their own tools.
    native: BTreeMap<String, NativeNames>,
    /// Tools that a provider runs.
    provider: NamedTable<ProviderTool>,
}

/// Names that one agent command line gives its own tools, each with the id of ours.
#[derive(Debug, Clone, Default, Decode, Describe)]
#[value(default)]
struct NativeNames {
    /// Names in use.
    tools: BTreeMap<String, ToolSelector>,
    /// Names that are understood and never written.
    former: BTreeMap<String, ToolSelector>,
    /// Tools for work that none of ours does, each with its effects: kept and handed on.
    own: BTreeMap<String, Vec<Effect>>,
}

/// A tool that a provider runs on its own machines: listed, checked and exported, never run here.
#[derive(Debug, Clone, PartialEq, Decode, Describe)]
pub struct ProviderTool {
    /// Its name in agent files.
    #[value(rename = "$name", default)]
    pub name: String,
    /// The provider that runs it.
    pub provider: String,
    /// The field it belongs to.
    pub category: Category,
    /// What it changes or reaches.
    #[schema(length(min = 1))]
    pub effects: Vec<Effect>,
    /// Purpose, for lists.
    #[value(default)]
    pub description: String,
    /// Its declaration beside those of functions, by format of `mathchain tools export`.
    #[value(default)]
    pub declaration: BTreeMap<String, Value>,
    /// Its name in each agent command line of that provider.
    #[value(default)]
    pub native: BTreeMap<String, String>,
    /// Source location.
    #[value(rename = "$place", default)]
    pub place: Option<TextPlace>,
}

impl ToolAliases {
    /// The names that come with the program.
    pub fn built_in() -> &'static Self {
        static BUILT: OnceLock<ToolAliases> = OnceLock::new();
        BUILT.get_or_init(|| {
            Self::parse("aliases.yaml", BUILT_IN)
                .expect("aliases.yaml is part of the program and a test reads it")
        })
    }

    /// Reads a file of names.
    ///
    /// # Errors
    /// All that is wrong with it, names that mean two things among them.
    pub fn parse(name: &str, text: &str) -> Result<Self, LoadErrors> {
        let document = document::parse_document(name, text, DocumentFormat::of_name(name))?;
        let mut errors = Vec::new();
        let aliases: Self = document::read_typed(&document, &mut errors).unwrap_or_default();
        aliases.check_unique(&mut errors);
        LoadErrors::check(errors)?;
        Ok(aliases)
    }

    /// The tool that a name of an earlier system means.
    pub fn resolve(&self, name: &str) -> Option<&str> {
        Some(&self.aliases.get(name)?.text)
    }

    /// The role that a name of an earlier system means.
    pub fn role(&self, name: &str) -> Option<&str> {
        self.roles.get(name).map(String::as_str)
    }

    /// Other names of roles, with what each means.
    pub fn roles(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        let roles = self.roles.iter();
        roles.map(|(name, role)| (name.as_str(), role.as_str()))
    }

    /// The name an agent command line gives its own tool for the work of ours; `None` where it has none.
    pub fn native(&self, cli: &str, id: &str) -> Option<&str> {
        let mut names = self.native.get(cli)?.tools.iter();
        let (name, _) = names.find(|(_, target)| target.text == id)?;
        Some(name)
    }

    /// Our tool for the work of an agent command line's own, by its present or a former name.
    pub fn of_native(&self, cli: &str, native: &str) -> Option<&str> {
        let names = self.native.get(cli)?;
        let found = names.tools.get(native).or(names.former.get(native))?;
        Some(&found.text)
    }

    /// Our tool for a name that agent command lines use, where all that use it mean the same work.
    pub fn of_any_native(&self, native: &str) -> Option<&str> {
        let mut meant = self
            .native
            .keys()
            .filter_map(|cli| self.of_native(cli, native));
        let first = meant.next()?;
        meant.all(|other| other == first).then_some(first)
    }

    /// Whether a name is that of a command line's own tool for work that none of ours does.
    pub fn is_own(&self, cli: &str, name: &str) -> bool {
        let names = self.native.get(cli);
        names.is_some_and(|names| names.own.contains_key(name))
    }

    /// The effects of a tool of some agent command line for work that none of ours does.
    pub fn own_tool(&self, name: &str) -> Option<Vec<Effect>> {
        let lists = self.native.values().filter_map(|names| names.own.get(name));
        let mut lists = lists.peekable();
        lists.peek()?;
        let mut effects: Vec<Effect> = lists.flatten().copied().collect();
        effects.sort_unstable();
        effects.dedup();
        Some(effects)
    }

    /// Names of agent command lines for their own tools.
    pub fn native_names(&self) -> impl Iterator<Item = &str> {
        let natives = self.native.values();
        let names = natives.flat_map(|names| names.tools.keys().chain(names.own.keys()));
        names.map(String::as_str)
    }

    /// A tool that a provider runs.
    pub fn provider_tool(&self, name: &str) -> Option<&ProviderTool> {
        self.provider.iter().find(|tool| tool.name == name)
    }

    /// The tools that providers run.
    pub fn provider_tools(&self) -> impl ExactSizeIterator<Item = &ProviderTool> {
        self.provider.iter()
    }

    /// Names of earlier systems, with what each means.
    pub fn general(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        let aliases = self.aliases.iter();
        aliases.map(|(name, id)| (name.as_str(), id.text.as_str()))
    }

    /// The agent command lines whose names are known.
    pub fn clis(&self) -> impl Iterator<Item = &str> {
        self.native.keys().map(String::as_str)
    }

    /// Checks the names against a catalogue: every target exists, and no alias or provider's tool has the name of a tool.
    pub fn faults(&self, catalogue: &Catalogue) -> Vec<LoadError> {
        let mut errors = Vec::new();
        let natives = self.native.values();
        let natives = natives.flat_map(|names| names.tools.values().chain(names.former.values()));
        for target in self.aliases.values().chain(natives) {
            let tool = catalogue.get(&target.text);
            if tool.is_none_or(|tool| tool.spec().id != target.text) {
                errors.push(target.unknown("tool", catalogue.ids()));
            }
        }
        let names = self.aliases.iter().map(|(name, id)| (name, &id.place));
        for (name, place) in names.chain(self.provider.iter().map(|one| (&one.name, &one.place))) {
            if let Some(tool) = catalogue.get(name) {
                let message = format!("`{name}` is a name of the tool `{}`", tool.spec().id);
                errors.push(LoadError::new(place.as_ref(), message));
            }
        }
        for name in self.native.values().flat_map(|names| names.own.keys()) {
            if let Some(tool) = catalogue.get(name) {
                let message = format!("`{name}` is a name of the tool `{}`", tool.spec().id);
                errors.push(LoadError::new(None, message));
            }
        }
        errors.sort_by_key(|error| error.place.as_ref().map(|place| (place.line, place.column)));
        errors
    }

    /// Reports names that mean two things, whose meaning would depend on the order of look-ups.
    fn check_unique(&self, errors: &mut Vec<LoadError>) {
        for tool in self.provider.iter() {
            if self.resolve(&tool.name).is_some() {
                let message = format!("`{}` is also an alias", tool.name);
                errors.push(LoadError::new(tool.place.as_ref(), message));
            }
        }
        let own = self.native.values().flat_map(|names| names.own.keys());
        for name in own {
            if self.resolve(name).is_some() || self.of_any_native(name).is_some() {
                errors.push(LoadError::new(None, format!("`{name}` is also an alias")));
            }
        }
        for (cli, names) in &self.native {
            for (name, former) in &names.former {
                if let Some(other) = names.tools.get(name) {
                    let (one, other) = (&former.text, &other.text);
                    let message = format_args!("`{name}` of {cli} means `{other}` and `{one}`");
                    errors.push(former.error(message));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::RESERVED_PREFIXES;
    use crate::fakes::twelve;

    #[test]
    fn names_of_earlier_systems_and_of_command_lines_mean_our_tools() {
        let aliases = ToolAliases::built_in();
        for (name, id) in [
            ("execute_command", "run_shell"),
            ("get_file_info", "stat"),
            ("fetch_url", "http_get"),
            ("google_url_context", "fetch_docs"),
            ("host.exec", "run_shell"),
            ("host.fs.list_dir", "list_directory"),
            ("lint_code", "lint_python"),
        ] {
            assert_eq!(aliases.resolve(name), Some(id), "{name}");
        }
        assert_eq!(aliases.resolve("read_file"), None, "an id is no alias");
        let clis: Vec<&str> = aliases.clis().collect();
        let is_table = |cli: &&str| crate::model::CliSpec::of_name(cli).is_some();
        assert!(!clis.is_empty() && clis.iter().all(is_table), "{clis:?}");
        for cli in clis {
            let name = aliases.native(cli, "run_shell").expect("each has a shell");
            assert_eq!(aliases.of_native(cli, name), Some("run_shell"), "{cli}");
        }
        assert_eq!(aliases.native("claude", "read_file"), Some("Read"));
        assert_eq!(aliases.of_native("claude", "LS"), Some("list_directory"));
        assert_eq!(
            aliases.native("claude", "list_directory"),
            None,
            "a former name is not written"
        );
        assert_eq!(aliases.native("codex", "read_file"), None);
        assert_eq!(aliases.native("nobody", "read_file"), None);
        assert_eq!(aliases.of_any_native("Bash"), Some("run_shell"));
        assert_eq!(aliases.of_any_native("bash"), Some("run_shell"));
        assert_eq!(aliases.of_any_native("BASH"), None);
    }

    #[test]
    fn a_providers_tool_says_who_runs_it_and_what_it_reaches() {
        let tool = ToolAliases::built_in()
            .provider_tool("google_search")
            .expect("listed");
        assert_eq!(tool.provider, "google");
        assert_eq!(tool.category, Category::Web);
        assert_eq!(tool.effects, [Effect::NetworkAccess]);
        assert_eq!(
            tool.native.get("gemini").map(String::as_str),
            Some("google_web_search")
        );
        assert!(
            ToolAliases::built_in()
                .provider_tool("google_serch")
                .is_none()
        );
    }

    #[test]
    fn no_name_reads_as_a_selector_of_some_kind() {
        let aliases = ToolAliases::built_in();
        let natives = aliases.native.values().flat_map(|names| {
            let tools = names.tools.keys().chain(names.former.keys());
            tools.chain(names.own.keys())
        });
        let names = natives.chain(aliases.aliases.keys());
        for name in names.chain(aliases.provider.iter().map(|one| &one.name)) {
            let kind = name.split(':').next().unwrap_or_default();
            assert!(!RESERVED_PREFIXES.contains(&kind), "{name}");
        }
    }

    #[test]
    fn targets_must_exist_and_no_name_hides_a_tool() {
        let text = "version: 1\naliases:\n  fetch: web_fetch\n  calc: calculat\n  query_db: plot\n\
                    provider:\n  run_shell: {provider: x, category: web, effects: [network_access]}\n";
        let faults = ToolAliases::parse("a.yaml", text)
            .unwrap()
            .faults(&twelve());
        let lines: Vec<String> = faults.iter().map(ToString::to_string).collect();
        assert_eq!(
            lines,
            [
                "a.yaml:4:3: no tool named `calculat` (did you mean `calculate`?)",
                "a.yaml:5:3: `query_db` is a name of the tool `query_db`",
                "a.yaml:7:3: `run_shell` is a name of the tool `run_shell`",
            ]
        );
    }

    #[test]
    fn a_name_that_means_two_things_is_an_error_with_its_place() {
        let text = "version: 1\naliases: {a: plot}\nnative:\n  x:\n    tools: {T: plot}\n    former: {T: calculate}\n\
                    provider:\n  a: {provider: p, category: wbe, effects: [network]}\n  b: {provider: p, category: web, effects: [network_access]}\n";
        let errors = ToolAliases::parse("a.yaml", text).unwrap_err().to_string();
        for expected in [
            "a.yaml:6:",
            "`T` of x means `plot` and `calculate`",
            "expected one of `web`",
            "did you mean `web`?",
            "expected one of `local_exec`",
        ] {
            assert!(errors.contains(expected), "no {expected:?} in {errors}");
        }
        let text = "version: 1\naliases: {a: plot}\nprovider:\n  a: {provider: p, category: web, effects: [network_access]}\n";
        let errors = ToolAliases::parse("a.yaml", text).unwrap_err().to_string();
        assert_eq!(errors, "a.yaml:4:3: `a` is also an alias");
    }
}
