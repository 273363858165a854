//! [`Aliases`]: other names of our tools, the names that agent command lines give their own, and tools that a provider runs.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use tool_core::{Category, Effect};

use crate::catalogue::Catalogue;
use crate::config::part::Part;
use crate::document::{self, Document, Format};
use crate::error::{LoadError, LoadErrors, Place};

const BUILT_IN: &str = include_str!("../aliases.yaml");

/// Other names of tools. An id of the catalogue always comes before a name from here.
#[derive(Debug, Clone, Default)]
pub struct Aliases {
    general: Vec<Alias>,
    clis: BTreeMap<String, Vec<Native>>,
    provider: Vec<ProviderTool>,
}

#[derive(Debug, Clone)]
struct Alias {
    name: String,
    id: String,
    place: Place,
}

/// A name that an agent command line gives its own tool.
#[derive(Debug, Clone)]
struct Native {
    name: String,
    id: String,
    former: bool,
    place: Place,
}

/// A tool that a provider runs on its own machines: listed, checked and handed on, never run here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderTool {
    /// Its name in agent files.
    pub name: String,
    /// Who runs it.
    pub provider: String,
    /// What kind of work it is.
    pub category: Category,
    /// What it changes or reaches.
    pub effects: Vec<Effect>,
    /// What it does.
    pub description: String,
    /// What each agent command line of that provider calls it.
    pub native: BTreeMap<String, String>,
    /// Where it was written.
    pub place: Place,
}

impl Aliases {
    /// The names that come with the program.
    pub fn built_in() -> &'static Self {
        static BUILT: OnceLock<Aliases> = OnceLock::new();
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
        let document = document::parse(name, text, Format::of_name(name))?;
        let mut errors = Vec::new();
        let aliases = read(&document, &mut errors);
        aliases.check_unique(&mut errors);
        LoadErrors::check(errors)?;
        Ok(aliases)
    }

    /// The tool that a name of an earlier system means.
    pub fn resolve(&self, name: &str) -> Option<&str> {
        let alias = self.general.iter().find(|alias| alias.name == name)?;
        Some(&alias.id)
    }

    /// What an agent command line calls its own tool for the work of ours; `None` where it has none.
    pub fn native(&self, cli: &str, id: &str) -> Option<&str> {
        let mut names = self.clis.get(cli)?.iter();
        let found = names.find(|native| !native.former && native.id == id)?;
        Some(&found.name)
    }

    /// Our tool for the work of an agent command line's own, by the name it has there or had once.
    pub fn of_native(&self, cli: &str, native: &str) -> Option<&str> {
        let mut names = self.clis.get(cli)?.iter();
        let found = names.find(|candidate| candidate.name == native)?;
        Some(&found.id)
    }

    /// Our tool for a name that agent command lines use, where all that use it mean the same work.
    pub fn of_any_native(&self, native: &str) -> Option<&str> {
        let mut meant = self
            .clis
            .keys()
            .filter_map(|cli| self.of_native(cli, native));
        let first = meant.next()?;
        meant.all(|other| other == first).then_some(first)
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
        self.general
            .iter()
            .map(|alias| (alias.name.as_str(), alias.id.as_str()))
    }

    /// The agent command lines whose names are known.
    pub fn clis(&self) -> impl Iterator<Item = &str> {
        self.clis.keys().map(String::as_str)
    }

    /// Holds the names against a catalogue: every target exists, and no alias or provider's tool has the name of a tool.
    pub fn faults(&self, catalogue: &Catalogue) -> Vec<LoadError> {
        let mut errors = Vec::new();
        let targets = self
            .general
            .iter()
            .map(|alias| (&alias.id, &alias.place))
            .chain(
                self.clis
                    .values()
                    .flatten()
                    .map(|native| (&native.id, &native.place)),
            );
        for (id, place) in targets {
            if catalogue.get(id).is_none_or(|tool| tool.spec().id != id) {
                let error = LoadError::new(Some(place), format!("no tool named `{id}`"));
                errors.push(error.nearest(id, catalogue.ids()));
            }
        }
        let names = self
            .general
            .iter()
            .map(|alias| (&alias.name, &alias.place))
            .chain(self.provider.iter().map(|tool| (&tool.name, &tool.place)));
        for (name, place) in names {
            if let Some(tool) = catalogue.get(name) {
                let message = format!("`{name}` is a name of the tool `{}`", tool.spec().id);
                errors.push(LoadError::new(Some(place), message));
            }
        }
        errors
    }

    /// A provider's tool may not have the name of an alias: which one counts would depend on the order of look-ups.
    fn check_unique(&self, errors: &mut Vec<LoadError>) {
        for tool in &self.provider {
            if self.resolve(&tool.name).is_some() {
                let message = format!("`{}` is also an alias", tool.name);
                errors.push(LoadError::new(Some(&tool.place), message));
            }
        }
        for (cli, names) in &self.clis {
            for (index, native) in names.iter().enumerate() {
                if let Some(other) = names[..index]
                    .iter()
                    .find(|other| other.name == native.name)
                {
                    let message = format!(
                        "`{}` of {cli} means `{}` and `{}`",
                        native.name, other.id, native.id
                    );
                    errors.push(LoadError::new(Some(&native.place), message));
                }
            }
        }
    }
}

fn read(document: &Document, errors: &mut Vec<LoadError>) -> Aliases {
    let mut aliases = Aliases::default();
    let Some(mut top) =
        Part::root(document, errors).table(&["version", "aliases", "native", "provider"])
    else {
        return aliases;
    };
    top.version();
    top.each_named("aliases", |name, mut part| {
        let place = part.place();
        aliases
            .general
            .extend(part.as_text().map(|id| Alias { name, id, place }));
    });
    top.each_named("native", |cli, part| {
        let Some(mut table) = part.into_table(&["tools", "former"]) else {
            return;
        };
        let mut names = Vec::new();
        for (key, former) in [("tools", false), ("former", true)] {
            table.each_named(key, |name, mut part| {
                let place = part.place();
                names.extend(part.as_text().map(|id| Native {
                    name,
                    id,
                    former,
                    place,
                }));
            });
        }
        aliases.clis.insert(cli, names);
    });
    top.each_named("provider", |name, part| {
        aliases.provider.extend(provider_tool(name, part));
    });
    aliases
}

fn provider_tool(name: String, part: Part<'_>) -> Option<ProviderTool> {
    let place = part.place();
    let mut table =
        part.into_table(&["provider", "category", "effects", "description", "native"])?;
    let categories: Vec<&str> = Category::ALL.iter().map(|item| item.as_str()).collect();
    let category = table
        .one_of("category", &categories)
        .and_then(|text| Category::parse(&text));
    let mut effects = Vec::new();
    table.each("effects", |mut part| {
        let Some(text) = part.as_text() else { return };
        match Effect::parse(&text) {
            Some(effect) => effects.push(effect),
            None => part.report(
                format!("no effect named `{text}`"),
                tool_core::nearest::nearest(&text, Effect::ALL.iter().map(|item| item.as_str())),
            ),
        }
    });
    let mut native = BTreeMap::new();
    table.each_named("native", |cli, mut part| {
        native.extend(part.as_text().map(|text| (cli, text)));
    });
    let provider = table.text("provider");
    if provider.is_none() || category.is_none() || effects.is_empty() {
        table.report("a provider's tool needs `provider`, `category` and `effects`");
    }
    Some(ProviderTool {
        name,
        provider: provider?,
        category: category?,
        effects,
        description: table.text("description").unwrap_or_default(),
        native,
        place,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fakes::twelve;

    #[test]
    fn names_of_earlier_systems_and_of_command_lines_mean_our_tools() {
        let aliases = Aliases::built_in();
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
        assert_eq!(clis, ["claude", "codex", "copilot", "gemini", "opencode"]);
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
        let tool = Aliases::built_in()
            .provider_tool("google_search")
            .expect("listed");
        assert_eq!(tool.provider, "google");
        assert_eq!(tool.category, Category::Web);
        assert_eq!(tool.effects, [Effect::NetworkAccess]);
        assert_eq!(
            tool.native.get("gemini").map(String::as_str),
            Some("google_web_search")
        );
        assert!(Aliases::built_in().provider_tool("google_serch").is_none());
    }

    #[test]
    fn targets_must_exist_and_no_name_hides_a_tool() {
        let text = "version: 1\naliases:\n  fetch: web_fetch\n  calc: calculat\n  query_db: plot\n\
                    provider:\n  run_shell: {provider: x, category: web, effects: [network_access]}\n";
        let faults = Aliases::parse("a.yaml", text).unwrap().faults(&twelve());
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
        let errors = Aliases::parse("a.yaml", text).unwrap_err().to_string();
        for expected in [
            "a.yaml:6:",
            "`T` of x means `plot` and `calculate`",
            "expected one of `web`",
            "did you mean `web`?",
            "no effect named `network`",
        ] {
            assert!(errors.contains(expected), "no {expected:?} in {errors}");
        }
        let text = "version: 1\naliases: {a: plot}\nprovider:\n  a: {provider: p, category: web, effects: [network_access]}\n";
        let errors = Aliases::parse("a.yaml", text).unwrap_err().to_string();
        assert_eq!(errors, "a.yaml:4:3: `a` is also an alias");
    }
}
