//! `manifest.json`: the plugin and its tools as they describe themselves. All problems are reported, with their places.

use semver::{Version, VersionReq};
use tool_core::schema::{Schema, json};
use tool_core::{Caller, Category, Decode, DecodeError, Describe, Effect, RequestProblem, Value};

use super::shape::PluginSchema;
use super::version::{parse_version, parse_version_range};
use crate::catalogue::RESERVED_PREFIXES;
use crate::document::{self, ParsedDocument};
use crate::error::LoadError;

/// The version of the format.
pub const SCHEMA_VERSION: &str = "1.0";
/// Beginning of the names of plugins that are MCP servers; no folder has one.
pub(super) const SERVER_PREFIX: &str = "mcp__";
/// Longest id of a tool, `PLUGIN:TOOL`; the catalogue refuses longer ones, without a place.
pub(super) const ID_MAX: usize = 48;

/// A dependency of a plugin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PluginDependency {
    /// Another plugin, in a range of versions.
    Plugin(String, VersionReq),
    /// A program.
    Program(String),
    /// A module of Python; the plugin reports in its greeting whether it is missing.
    Module(String),
}

/// A manifest.
#[derive(Debug, Clone, Decode, Describe)]
pub struct PluginManifest {
    /// The schema of this file, for editors.
    #[value(rename = "$schema")]
    _editor: Option<String>,
    /// The version of the format, `1.0`.
    #[value(rename = "schema_version")]
    _format: String,
    /// Name of the plugin, and the namespace of its tools.
    pub name: String,
    /// Version of the plugin.
    #[value(decode_with = "of_text")]
    #[schema(with = "String")]
    pub version: Version,
    /// Purpose of the plugin.
    pub description: String,
    /// Whether the plugin is used where its settings say nothing.
    #[value(default = "default_true")]
    pub enabled: bool,
    /// What the plugin needs: `PLUGIN >=1.2, <2`, `bin:PROGRAM` or `python:MODULE`.
    #[value(default)]
    #[schema(with = "Vec<String>")]
    pub dependencies: Vec<PluginDependency>,
    pub(super) settings_schema: Option<PluginSchema>,
    command: Option<Vec<String>>,
    #[value(default)]
    workspace: PluginAccess,
    #[schema(range(min = 1, max = 64))]
    concurrency: Option<u64>,
    /// The tools.
    pub tools: Vec<ToolEntry>,
}

/// A tool of a manifest.
#[derive(Debug, Clone, Decode, Describe)]
pub struct ToolEntry {
    /// Name without that of the plugin.
    pub name: String,
    /// A few words for a list.
    #[value(default)]
    pub title: String,
    /// What the tool does.
    pub description: String,
    #[value(default = "PluginSchema::empty")]
    pub(super) parameters: PluginSchema,
    pub(super) returns: Option<PluginSchema>,
    #[value(default = "default_category", decode_with = "decode_category")]
    #[schema(schema_with = "category_schema")]
    pub(super) category: Category,
    effects: Option<Vec<Effect>>,
    destructive: Option<bool>,
    #[value(default)]
    pub(super) idempotent: bool,
    #[value(default)]
    callers: Vec<Caller>,
    #[value(default)]
    pub(super) tags: Vec<String>,
    /// Longest run in seconds.
    timeout: Option<f64>,
    /// The program and its arguments; that of the plugin where the manifest names none.
    #[value(default)]
    pub(super) command: Vec<String>,
    #[value(default = "default_true")]
    pub(super) enabled: bool,
    #[value(rename = "module")]
    _module: Option<String>,
    #[value(rename = "function")]
    _function: Option<String>,
}

/// Access of the process to the workspace.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Decode, Describe)]
#[value(rename_all = "snake_case")]
enum PluginAccess {
    #[default]
    None,
    Read,
}

fn default_true() -> bool {
    true
}

fn default_category() -> Category {
    Category::System
}

/// The category; older manifests use two more names.
fn decode_category(value: &Value) -> Result<Category, DecodeError> {
    let name = String::decode(value)?;
    Ok(Category::parse(&name).unwrap_or(Category::System))
}

fn category_schema() -> Schema {
    let names = Category::ALL.iter().map(|category| category.as_str());
    let names: Vec<_> = names.chain(["file", "specialized"]).collect();
    json!({"type": "string", "enum": names})
}

fn of_text(value: &Value) -> Result<Version, DecodeError> {
    let text = String::decode(value)?;
    parse_version(&text).ok_or_else(|| DecodeError::new("expected a version"))
}

impl Decode for PluginDependency {
    fn decode(value: &Value) -> Result<Self, DecodeError> {
        Self::parse(&String::decode(value)?).map_err(DecodeError::new)
    }
}

impl PluginDependency {
    fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if let Some(program) = text.strip_prefix("bin:") {
            let sound = !program.is_empty() && !program.contains('/');
            let wrong =
                || format!("expected the name of a program after `bin:`, found `{program}`");
            return sound
                .then(|| Self::Program(program.to_owned()))
                .ok_or_else(wrong);
        }
        if let Some(module) = text.strip_prefix("python:") {
            let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.');
            let sound = !module.is_empty() && module.bytes().all(plain);
            let wrong =
                || format!("expected the name of a module after `python:`, found `{module}`");
            return sound
                .then(|| Self::Module(module.to_owned()))
                .ok_or_else(wrong);
        }
        let end = text.find([' ', '<', '>', '=', '^', '~']);
        let (name, versions) = text.split_at(end.unwrap_or(text.len()));
        match parse_version_range(versions).filter(|_| !name.is_empty()) {
            Some(range) => Ok(Self::Plugin(name.to_owned(), range)),
            None => Err(format!(
                "expected `PLUGIN`, `PLUGIN >=1.2, <2`, `bin:PROGRAM` or `python:MODULE`, found `{text}`"
            )),
        }
    }
}

fn tool_id(plugin: &str, tool: &str) -> String {
    let between = match plugin.starts_with(SERVER_PREFIX) {
        true => "__",
        false => ":",
    };
    format!("{plugin}{between}{tool}")
}

impl ToolEntry {
    /// Reads a declaration that is no part of a manifest; `None` when required parts are missing or malformed.
    pub(super) fn of_declaration(
        document: &ParsedDocument,
        errors: &mut Vec<LoadError>,
    ) -> Option<Self> {
        let manifest = Value::object([("tools", Value::array(vec![document.value.clone()]))]);
        let mut problems = Vec::new();
        for (path, rule) in RULES.iter().filter(|(path, _)| path.starts_with("tools/*")) {
            let keys: Vec<&str> = path.split('/').collect();
            visit_pointers(&manifest, &keys, String::new(), &mut |value, pointer| {
                let found = rule(value).into_iter().map(|problem| RequestProblem {
                    path: format!("{}{}", &pointer["/tools/0".len()..], problem.path),
                    ..problem
                });
                problems.extend(found);
            });
        }
        let mut found = Vec::new();
        let read = document::read_typed::<Self>(document, &mut found);
        found.retain(|error| problems.iter().all(|problem| problem.path != error.pointer));
        errors.extend(found);
        document::report_problems(document, problems, errors);
        let mut entry = read?;
        entry.complete_title();
        Some(entry)
    }

    /// The title of a tool without one is the first line of its description.
    fn complete_title(&mut self) {
        if self.title.is_empty() {
            let line = self.description.lines().next();
            let line = line.filter(|line| !line.is_empty());
            self.title = line.unwrap_or("plugin tool").to_owned();
        }
    }

    /// The most the tool may change; one that does not declare its effects may have any.
    pub(super) fn effects(&self) -> Vec<Effect> {
        self.effects.clone().unwrap_or_else(|| Effect::ALL.to_vec())
    }

    /// Whether it can destroy existing data.
    pub(super) fn destructive(&self) -> bool {
        self.destructive.unwrap_or(self.effects.is_none())
    }

    /// Who may call it; one that does not declare its effects is called directly only.
    pub(super) fn callers(&self) -> Vec<Caller> {
        match self.effects.is_some() && !self.callers.is_empty() {
            true => self.callers.clone(),
            false => vec![Caller::Direct],
        }
    }

    /// Longest run in milliseconds.
    pub(super) fn timeout_ms(&self) -> Option<u64> {
        self.timeout.map(|seconds| (seconds * 1e3) as u64)
    }
}

impl PluginManifest {
    /// Reads a manifest; `None` when required parts are missing or malformed.
    pub(super) fn read(document: &ParsedDocument, errors: &mut Vec<LoadError>) -> Option<Self> {
        errors.extend(document.secrets());
        let problems = manifest_problems(&document.value);
        let mut found = Vec::new();
        let read = document::read_typed::<Self>(document, &mut found);
        // A rule says more of a value than its type.
        found.retain(|error| problems.iter().all(|problem| problem.path != error.pointer));
        errors.extend(found);
        document::report_problems(document, problems, errors);
        let mut manifest = read?;
        let common = manifest.command.take().unwrap_or_default();
        for tool in &mut manifest.tools {
            if tool.command.is_empty() {
                tool.command.clone_from(&common);
            }
            tool.complete_title();
        }
        Some(manifest)
    }

    /// The id of one of its tools: `PLUGIN:TOOL`, of an MCP server `mcp__SERVER__TOOL`.
    pub(super) fn id(&self, tool: &str) -> String {
        tool_id(&self.name, tool)
    }

    /// Whether the process may read the workspace.
    pub fn reads_workspace(&self) -> bool {
        self.workspace == PluginAccess::Read
    }

    /// Most calls at a time.
    pub fn concurrency(&self) -> usize {
        self.concurrency.map_or(1, |calls| calls as usize)
    }

    /// The modules of Python that the plugin needs.
    pub fn modules(&self) -> Vec<String> {
        let module = |dependency: &PluginDependency| match dependency {
            PluginDependency::Module(name) => Some(name.clone()),
            _ => None,
        };
        self.dependencies.iter().filter_map(module).collect()
    }

    /// Every word of the form `./x` of every command.
    pub(super) fn files(&self) -> impl Iterator<Item = &str> {
        let words = self.tools.iter().flat_map(|tool| &tool.command);
        words.filter_map(|word| word.strip_prefix("./"))
    }
}

/// A rule on the value at a place, beyond its type.
type Rule = fn(&Value) -> Vec<RequestProblem>;

/// The places that rules are about; `*` is every item of a list.
const RULES: [(&str, Rule); 10] = [
    ("schema_version", |value| {
        check_text_value(value, |found| {
            let wrong =
                || format!("expected schema version \"{SCHEMA_VERSION}\", found \"{found}\"");
            (found == SCHEMA_VERSION).then_some(()).ok_or_else(wrong)
        })
    }),
    ("name", |value| check_text_value(value, check_name)),
    ("version", |value| {
        let expected = |text: &str| format!("expected a version such as 1.0.0, found `{text}`");
        check_text_value(value, |text| {
            parse_version(text).map(drop).ok_or_else(|| expected(text))
        })
    }),
    ("dependencies/*", |value| {
        check_text_value(value, |text| PluginDependency::parse(text).map(drop))
    }),
    ("command", check_command),
    ("settings_schema", |value| PluginSchema::read(value).1),
    ("tools/*/name", |value| check_text_value(value, check_name)),
    ("tools/*/command", check_command),
    ("tools/*/parameters", |value| PluginSchema::read(value).1),
    ("tools/*/returns", |value| PluginSchema::read(value).1),
];

/// The problems of a manifest beyond the types of its values.
fn manifest_problems(manifest: &Value) -> Vec<RequestProblem> {
    let mut problems = Vec::new();
    for (path, rule) in RULES {
        let keys: Vec<&str> = path.split('/').collect();
        visit_pointers(manifest, &keys, String::new(), &mut |value, pointer| {
            problems.extend(rule(value).into_iter().map(|problem| RequestProblem {
                path: format!("{pointer}{}", problem.path),
                ..problem
            }));
        });
    }
    let tools = manifest.items_at("tools");
    let name_of = |tool: &Value| tool.text("name").map(str::to_owned);
    let plugin = name_of(manifest).unwrap_or_default();
    let has_command = manifest.get("command").is_some();
    let mut names = Vec::new();
    for (index, tool) in tools.iter().enumerate() {
        let at = |key: &str| format!("/tools/{index}{key}");
        let mut report = |path, message: String| problems.push(RequestProblem::new(path, message));
        if let Some(name) = name_of(tool) {
            if names.contains(&name) {
                report(at(""), format!("two tools are named `{name}`"));
            } else if tool_id(&plugin, &name).len() > ID_MAX {
                let most = ID_MAX - 1;
                let message = format!(
                    "expected a plugin and a tool whose names have at most {most} characters together"
                );
                report(at(""), message);
            }
            names.push(name);
        }
        if !has_command && tool.as_object().is_some() && tool.get("command").is_none() {
            let has_handler = tool.get("module").or(tool.get("function")).is_some();
            report(at(""), match has_handler {
                true => "`module` and `function` are not called here: name a `command` that speaks the protocol of docs/plugins.md",
                false => "missing `command`, here or for the whole plugin",
            }.to_owned());
        }
        let effects = tool.get("effects").and_then(Value::items);
        let destructive = tool.get("destructive").and_then(Value::as_bool);
        if effects.is_some_and(|effects| effects.is_empty()) && destructive == Some(true) {
            let message = "a tool without effects cannot be destructive";
            report(at(""), message.to_owned());
        }
        let seconds = tool.get("timeout").and_then(Value::as_f64);
        if seconds.is_some_and(|seconds| !(0.001..=86_400.0).contains(&seconds)) {
            let message = "expected seconds from 0.001 to 86400";
            report(at("/timeout"), message.to_owned());
        }
    }
    problems
}

fn visit_pointers(
    value: &Value,
    keys: &[&str],
    pointer: String,
    found: &mut dyn FnMut(&Value, &str),
) {
    match keys.split_first() {
        None => found(value, &pointer),
        Some((&"*", rest)) => {
            for (index, item) in value.items().iter().flatten().enumerate() {
                visit_pointers(item, rest, format!("{pointer}/{index}"), found);
            }
        }
        Some((key, rest)) => {
            if let Some(member) = value.get(key) {
                visit_pointers(member, rest, format!("{pointer}/{key}"), found);
            }
        }
    }
}

/// The problem of a text; anything else is reported by its type.
fn check_text_value(
    value: &Value,
    rule: impl FnOnce(&str) -> Result<(), String>,
) -> Vec<RequestProblem> {
    let found = value.as_str().and_then(|text| rule(text).err());
    Vec::from_iter(found.map(|message| RequestProblem::new("", message)))
}

fn check_command(value: &Value) -> Vec<RequestProblem> {
    let items = value.items().unwrap_or_default();
    let words: Option<Vec<&str>> = items.iter().map(Value::as_str).collect();
    let (Some(words), Value::Array(_)) = (words, value) else {
        return Vec::new();
    };
    let outside = |word: &&str| {
        let file = word.strip_prefix("./");
        file.is_some_and(|file| file.split('/').any(|name| name == ".."))
    };
    let message = match words.first() {
        None => "expected a program and its arguments",
        Some(_) if words.iter().any(outside) => "a file of the plugin is in its folder: no `..`",
        Some(program) if program.contains('/') && !program.starts_with("./") => {
            "expected the name of a program, or a file of the plugin that begins with `./`"
        }
        Some(_) => return Vec::new(),
    };
    vec![RequestProblem::new("", message)]
}

/// Whether a plugin or one of its tools can have a name.
///
/// # Errors
/// What was expected.
pub fn check_name(name: &str) -> Result<(), String> {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    let sound =
        name.starts_with(|first: char| first.is_ascii_lowercase()) && name.bytes().all(plain);
    let expected = match sound {
        false => "a name of the form [a-z][a-z0-9_]*",
        true if RESERVED_PREFIXES.contains(&name) => "a name that selectors do not use",
        true => return Ok(()),
    };
    Err(format!("expected {expected}, found `{name}`"))
}
