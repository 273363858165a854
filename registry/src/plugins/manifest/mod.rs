//! `manifest.json`: what a plugin says about itself. Everything that is wrong is reported, with its place.

mod tool;

use tool_core::nearest::nearest;

pub use tool::ToolEntry;

use super::shape::{Fault, Shape};
use super::version::{Range, Version};
use crate::catalogue::RESERVED_PREFIXES;
use crate::config::part::{Part, Table};
use crate::document::Document;
use crate::error::LoadError;

/// The version of the format.
pub const SCHEMA_VERSION: &str = "1.0";

const KEYS: [&str; 12] = [
    "$schema",
    "schema_version",
    "name",
    "version",
    "description",
    "enabled",
    "dependencies",
    "settings_schema",
    "command",
    "workspace",
    "concurrency",
    "tools",
];
/// Longest id of a tool, `PLUGIN:TOOL`: what the catalogue refuses otherwise, without a place.
const ID_MAX: usize = 48;
/// Calls of one plugin that may run side by side, at most.
const CONCURRENCY_MAX: u64 = 64;

/// What a plugin needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Dependency {
    /// Another plugin, in a range of versions.
    Plugin(String, Range),
    /// A program.
    Program(String),
    /// A module of Python; the plugin says when it greets whether it is there.
    Module(String),
}

/// A manifest that was read.
#[derive(Debug, Clone)]
pub struct Manifest {
    /// Its name, and the namespace of its tools.
    pub name: String,
    /// Its version.
    pub version: Version,
    /// What it is for.
    pub description: String,
    /// Whether it is used where its settings say nothing.
    pub enabled: bool,
    /// What it needs.
    pub dependencies: Vec<Dependency>,
    pub(in crate::plugins) settings_schema: Option<Shape>,
    /// Whether its process may read the workspace.
    pub reads_workspace: bool,
    /// Calls that may run side by side.
    pub concurrency: usize,
    /// Its tools.
    pub tools: Vec<ToolEntry>,
}

impl Manifest {
    /// Reads a manifest; `None` when it is too broken to go on with.
    pub(in crate::plugins) fn read(
        document: &Document,
        errors: &mut Vec<LoadError>,
    ) -> Option<Self> {
        errors.extend(document.secrets());
        Self::of(Part::root(document, errors))
    }

    /// What a manifest can say.
    pub(crate) fn of(part: Part<'_>) -> Option<Self> {
        let mut top = part.table(&KEYS)?;
        required(
            &mut top,
            &["schema_version", "name", "version", "description", "tools"],
        );
        if let Some(found) = top
            .text("schema_version")
            .filter(|found| found != SCHEMA_VERSION)
        {
            top.within("schema_version", |mut part| {
                part.report(
                    format!("expected schema version \"{SCHEMA_VERSION}\", found \"{found}\""),
                    None,
                )
            });
        }
        let name = name(&mut top, "name");
        let version = top.text("version").and_then(|text| {
            let version = Version::parse(&text);
            if version.is_none() {
                top.within("version", |mut part| {
                    part.report(
                        format!("expected a version such as 1.0.0, found `{text}`"),
                        None,
                    )
                });
            }
            version
        });
        let mut manifest = Self {
            name: name.clone().unwrap_or_default(),
            version: version.unwrap_or(Version([0; 3])),
            description: top.text("description").unwrap_or_default(),
            enabled: top.truth("enabled").unwrap_or(true),
            dependencies: Vec::new(),
            settings_schema: top.within("settings_schema", shape),
            reads_workspace: top.one_of("workspace", &["none", "read"]).as_deref() == Some("read"),
            concurrency: 1,
            tools: Vec::new(),
        };
        if let Some(count) = top.positive("concurrency") {
            if count > CONCURRENCY_MAX {
                top.within("concurrency", |mut part| {
                    part.report(format!("expected at most {CONCURRENCY_MAX}"), None)
                });
            }
            manifest.concurrency = count.min(CONCURRENCY_MAX) as usize;
        }
        top.each("dependencies", |part| {
            manifest.dependencies.extend(dependency(part))
        });
        let command = command(&mut top);
        top.each("tools", |part| {
            manifest.tools.extend(tool::tool(part, command.as_deref()))
        });
        for (index, tool) in manifest.tools.iter().enumerate() {
            let mut before = manifest.tools[..index].iter();
            let fault = if before.any(|other| other.name == tool.name) {
                format!("two tools are named `{}`", tool.name)
            } else if manifest.name.len() + 1 + tool.name.len() > ID_MAX {
                format!(
                    "expected a plugin and a tool whose names have at most {} characters together",
                    ID_MAX - 1
                )
            } else {
                continue;
            };
            top.within("tools", |mut part| {
                part.child_key(&index.to_string()).report(fault, None)
            });
        }
        name.map(|_| manifest)
    }

    /// The modules of Python that it needs.
    pub fn modules(&self) -> Vec<String> {
        let module = |dependency: &Dependency| match dependency {
            Dependency::Module(name) => Some(name.clone()),
            _ => None,
        };
        self.dependencies.iter().filter_map(module).collect()
    }

    /// Every word of the form `./x` of every command.
    pub(in crate::plugins) fn files(&self) -> impl Iterator<Item = &str> {
        let words = self.tools.iter().flat_map(|tool| &tool.command);
        words.filter_map(|word| word.strip_prefix("./"))
    }
}

fn required(table: &mut Table<'_>, keys: &[&str]) {
    for key in keys {
        if !table.has(key) {
            table.report(format!("missing `{key}`"));
        }
    }
}

/// A name that can be part of an id.
fn name(table: &mut Table<'_>, key: &str) -> Option<String> {
    let text = table.text(key)?;
    let Err(fault) = check_name(&text) else {
        return Some(text);
    };
    table.within(key, |mut part| part.report(fault, None));
    None
}

/// Whether a plugin or a tool of one can have a name.
///
/// # Errors
/// What was expected.
pub fn check_name(name: &str) -> Result<(), String> {
    let sound = name.starts_with(|first: char| first.is_ascii_lowercase())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    let expected = match sound {
        false => "a name of the form [a-z][a-z0-9_]*",
        true if RESERVED_PREFIXES.contains(&name) => "a name that selectors do not use",
        true => return Ok(()),
    };
    Err(format!("expected {expected}, found `{name}`"))
}

fn shape(part: Part<'_>) -> Shape {
    let mut part = part;
    let mut faults = Vec::new();
    let shape = Shape::read(&part.value.clone(), "", &mut faults);
    for fault in faults {
        report_below(&mut part, &fault);
    }
    shape
}

/// Reports at a pointer relative to a part.
fn report_below(part: &mut Part<'_>, fault: &Fault) {
    let mut keys = fault
        .pointer
        .split('/')
        .skip(1)
        .map(|key| key.replace("~1", "/").replace("~0", "~"));
    match keys.next() {
        None => part.report(
            fault.message.clone(),
            nearest(&fault.name, fault.known.iter().copied()),
        ),
        Some(key) => {
            let rest = fault.pointer[1..]
                .find('/')
                .map_or("", |at| &fault.pointer[at + 1..]);
            let below = Fault {
                pointer: rest.to_owned(),
                message: fault.message.clone(),
                name: fault.name.clone(),
                known: fault.known,
            };
            let mut child = match key
                .parse::<usize>()
                .ok()
                .and_then(|index| Some((index, part.value.at(index)?)))
            {
                Some((index, value)) => part.child_index(index, value),
                None => part.child_key(&key),
            };
            report_below(&mut child, &below);
        }
    }
}

fn dependency(mut part: Part<'_>) -> Option<Dependency> {
    let text = part.as_text()?;
    let text = text.trim();
    if let Some(program) = text.strip_prefix("bin:") {
        let sound = !program.is_empty() && !program.contains('/');
        if !sound {
            part.report(
                format!("expected the name of a program after `bin:`, found `{program}`"),
                None,
            );
        }
        return sound.then(|| Dependency::Program(program.to_owned()));
    }
    if let Some(module) = text.strip_prefix("python:") {
        let sound = !module.is_empty()
            && module
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'));
        if !sound {
            part.report(
                format!("expected the name of a module after `python:`, found `{module}`"),
                None,
            );
        }
        return sound.then(|| Dependency::Module(module.to_owned()));
    }
    let end = text
        .find([' ', '<', '>', '=', '^', '~'])
        .unwrap_or(text.len());
    let (name, range) = text.split_at(end);
    match Range::parse(range) {
        Some(range) if !name.is_empty() => Some(Dependency::Plugin(name.to_owned(), range)),
        _ => {
            part.report(
                format!("expected `PLUGIN`, `PLUGIN >=1.2, <2`, `bin:PROGRAM` or `python:MODULE`, found `{text}`"),
                None,
            );
            None
        }
    }
}

fn command(table: &mut Table<'_>) -> Option<Vec<String>> {
    table.within("command", |mut part| {
        let words = part.texts();
        let outside = |word: &String| {
            word.strip_prefix("./")
                .is_some_and(|rest| rest.split('/').any(|name| name == ".."))
        };
        if words.is_empty() {
            part.report("expected a program and its arguments".to_owned(), None);
        } else if words.iter().any(outside) {
            part.report(
                "a file of the plugin lies in its folder: no `..`".to_owned(),
                None,
            );
        } else if words[0].contains('/') && !words[0].starts_with("./") {
            part.report(
                "expected the name of a program, or a file of the plugin that begins with `./`"
                    .to_owned(),
                None,
            );
        }
        words
    })
}
