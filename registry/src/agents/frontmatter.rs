//! The table between the lines `---` at the top of an agent file.

use super::{AgentFile, AgentTools, ENTRIES_MAX, prompt};
use crate::config::outline::Outline;
use crate::config::part::{Part, Table};
use crate::config::read;
use crate::document::{self, Format};
use crate::error::{LoadError, Place};
use crate::model::{Layer, Level};

const KEYS: [&str; 11] = [
    "name",
    "description",
    "model",
    "role",
    "tools",
    "toolset",
    "variables",
    "policy",
    "limits",
    "temperature",
    "max_tokens",
];

/// An agent file in its two parts.
pub(super) struct Split<'a> {
    /// The table, preceded by as many empty lines as the file has before it: its places are those of the file.
    table: Option<String>,
    pub body: &'a str,
    /// The line where the body begins, from 1.
    pub body_line: u32,
}

/// Finds the two parts.
///
/// # Errors
/// A table that is not closed.
pub(super) fn split<'a>(start: &Place, text: &'a str) -> Result<Split<'a>, LoadError> {
    let mut lines = text.split_inclusive('\n');
    let mut number = 0;
    let mut offset = 0;
    let mut open: Option<(u32, usize)> = None;
    for line in lines.by_ref() {
        number += 1;
        let fence = line.trim_end() == "---";
        match open {
            None if fence => open = Some((number, offset + line.len())),
            None if line.trim().is_empty() => {}
            None => break,
            Some((_, from)) if fence => {
                let mut table = "\n".repeat(lines_before(text, from));
                table.push_str(&text[from..offset]);
                return Ok(Split {
                    table: Some(table),
                    body: &text[offset + line.len()..],
                    body_line: number + 1,
                });
            }
            Some(_) => {}
        }
        offset += line.len();
    }
    match open {
        None => Ok(Split {
            table: None,
            body: text,
            body_line: 1,
        }),
        Some((line, _)) => {
            let place = Place {
                line,
                ..start.clone()
            };
            Err(
                LoadError::new(Some(&place), "the table that begins here is not closed")
                    .hint("end it with a line `---`"),
            )
        }
    }
}

fn lines_before(text: &str, offset: usize) -> usize {
    text[..offset].bytes().filter(|byte| *byte == b'\n').count()
}

/// Reads the table as far as it can be read.
pub(super) fn read(
    start: &Place,
    name: &str,
    split: &Split<'_>,
    errors: &mut Vec<LoadError>,
) -> AgentFile {
    let mut agent = empty(start, name);
    let Some(text) = &split.table else {
        return agent;
    };
    match document::parse(&start.file, text, Format::Yaml) {
        Ok(document) if document.value.is_null() => {}
        Ok(document) => {
            errors.extend(document.secrets());
            table(&mut agent, Part::root(&document, errors));
        }
        Err(faults) => errors.extend(faults.into_list()),
    }
    agent
}

fn empty(start: &Place, name: &str) -> AgentFile {
    AgentFile {
        name: name.to_owned(),
        description: String::new(),
        model: None,
        role: None,
        tools: AgentTools::List(Vec::new()),
        variables: Vec::new(),
        policy: None,
        max_turns: None,
        timeout_ms: None,
        temperature: None,
        max_tokens: None,
        system_prompt: String::new(),
        user_prompt: String::new(),
        place: start.clone(),
        notes: Vec::new(),
    }
}

/// What the table takes.
pub(crate) fn outline() -> Outline {
    Part::outline(|part| table(&mut empty(&part.place(), ""), part))
}

fn table(agent: &mut AgentFile, part: Part<'_>) {
    let Some(mut table) = part.into_table(&KEYS) else {
        return;
    };
    let expected = agent.name.clone();
    table.within("name", |mut part| {
        let name = part.as_text();
        if name.as_ref().is_some_and(|name| *name != expected) {
            part.report(
                format!(
                    "the name is `{}` and the file is that of `{expected}`",
                    shown(name.as_deref())
                ),
                None,
            );
        }
    });
    agent.description = table.text("description").unwrap_or_default();
    agent.model = table.text("model");
    agent.role = table.selector("role");
    tools(agent, &mut table);
    variables(agent, &mut table);
    agent.policy = table.within("policy", |part| policy(&expected, part));
    table.within("limits", |part| {
        if let Some(mut limits) = part.into_table(&["max_turns", "timeout_ms"]) {
            agent.max_turns = limits.positive("max_turns");
            agent.timeout_ms = limits.positive("timeout_ms");
        }
    });
    agent.temperature = table.number("temperature");
    if agent.temperature.is_some_and(|t| !(0.0..=2.0).contains(&t)) {
        table.within("temperature", |mut part| {
            part.report("expected a temperature between 0 and 2".to_owned(), None);
        });
    }
    agent.max_tokens = table.positive("max_tokens");
}

fn tools(agent: &mut AgentFile, table: &mut Table<'_>) {
    if table.has("tools") && table.has("toolset") {
        table.report("an agent has `tools` or `toolset`, not both");
    }
    let listed = table.within("tools", |mut part| {
        match part.value.items().map(|items| items.len()) {
            Some(count) if count > ENTRIES_MAX => {
                part.report(
                    format!("{count} entries, the limit is {ENTRIES_MAX}"),
                    None,
                );
                return Vec::new();
            }
            Some(_) => {}
            None => {
                let message = format!(
                    "expected a list of tools, one to a line after `- `, found {}; an empty list is `[]`",
                    part.value.kind()
                );
                part.report(message, None);
                return Vec::new();
            }
        }
        let mut list = Vec::new();
        part.items(|mut item| list.extend(item.as_selector()));
        list
    });
    if let Some(list) = listed {
        agent.tools = AgentTools::List(list);
    } else if let Some(name) = table.selector("toolset") {
        agent.tools = AgentTools::Toolset(name);
    }
}

/// A list of names, or a table whose keys are the names.
fn variables(agent: &mut AgentFile, table: &mut Table<'_>) {
    table.within("variables", |mut part| {
        let names: Vec<String> = match part.value.as_object() {
            Some(object) => object.iter().map(|(name, _)| name.to_owned()).collect(),
            None => part.texts(),
        };
        if names.len() > ENTRIES_MAX {
            part.report(
                format!("{} entries, the limit is {ENTRIES_MAX}", names.len()),
                None,
            );
            return;
        }
        for name in names {
            if name == prompt::TOOL_DESCRIPTIONS {
                let message = format!("`{name}` is always there and need not be declared");
                let note = LoadError::new(Some(&part.place()), message);
                agent.notes.push(note);
            } else if !prompt::is_word(&name) {
                part.report(
                    format!(
                        "`{}` is no name for a variable: letters, digits and `_`",
                        shown(Some(&name))
                    ),
                    None,
                );
            } else if !agent.variables.contains(&name) {
                agent.variables.push(name);
            }
        }
    });
}

/// The agent's own layer: what every layer of a configuration has, without level and name.
fn policy(name: &str, part: Part<'_>) -> Layer {
    let mut layer = Layer::new(Level::Agent, name);
    layer.place = Some(part.place());
    if let Some(mut table) = part.into_table(&["allow", "deny", "rules"]) {
        layer.allow = table.selectors("allow");
        layer.deny = table.selectors("deny").unwrap_or_default();
        table.each("rules", |part| layer.rules.extend(read::rule(part)));
    }
    layer
}

fn shown(text: Option<&str>) -> String {
    text.unwrap_or_default().chars().take(80).collect()
}
