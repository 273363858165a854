//! The frontmatter of an agent file: the table between the lines `---` at its top.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use tool_core::Value;

use crate::document::{self, Format};
use crate::error::{LoadError, Place};
use crate::model::{Layer, Level, Rule, Selector};

/// The table at the top of an agent file.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Frontmatter {
    /// Name of the agent, which is that of the file
    pub name: Option<Selector>,
    /// Purpose of the agent, for lists
    pub description: String,
    /// Model that the agent was written for
    pub model: Option<String>,
    /// Role of its calls
    pub role: Option<Selector>,
    /// Names and selectors of its tools; an agent that lists none has none
    #[schemars(length(max = 512))]
    pub tools: Option<Vec<Selector>>,
    /// Name of a toolset; instead of `tools`
    pub toolset: Option<Selector>,
    /// Variables of the prompts beside those found in them: a list of names, or a table whose keys are the names
    pub variables: Variables,
    /// Rules on its own tools
    pub policy: Option<AgentPolicy>,
    /// Limits of one run
    pub limits: AgentLimits,
    /// Sampling temperature for the model
    #[schemars(range(min = 0.0, max = 2.0))]
    pub temperature: Option<f64>,
    /// Maximum number of tokens of an answer
    #[schemars(range(min = 1))]
    pub max_tokens: Option<u64>,
}

/// Limits of one run of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AgentLimits {
    /// Maximum number of turns
    #[schemars(range(min = 1))]
    pub max_turns: Option<u64>,
    /// Longest run, in milliseconds
    #[schemars(range(min = 1))]
    pub timeout_ms: Option<u64>,
}

/// The layer of an agent, without level and name.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct AgentPolicy {
    /// Selectors of visible tools, of those that the agent lists
    pub allow: Option<Vec<Selector>>,
    /// Selectors of hidden tools
    pub deny: Vec<Selector>,
    /// Rules on calls
    pub rules: Vec<Rule>,
    /// Source location.
    #[serde(rename = "$place")]
    pub place: Option<Place>,
}

impl AgentPolicy {
    /// The layer of the agent of a name.
    pub(super) fn layer(&self, agent: &str) -> Layer {
        let mut layer = Layer::new(Level::Agent, agent);
        layer.allow.clone_from(&self.allow);
        layer.deny.clone_from(&self.deny);
        layer.rules.clone_from(&self.rules);
        layer.place.clone_from(&self.place);
        layer
    }
}

/// Declared variables: a list of names, or a table whose keys are the names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Variables(pub Vec<String>);

impl<'de> Deserialize<'de> for Variables {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let names: Vec<String> = match value.as_object() {
            Some(table) => table.iter().map(|(name, _)| name.to_owned()).collect(),
            None => {
                let items = value.items().unwrap_or_default();
                items
                    .iter()
                    .filter_map(Value::as_str)
                    .map(str::to_owned)
                    .collect()
            }
        };
        Ok(Self(names))
    }
}

tool_core::inline_schema!(
    Variables,
    "Variables",
    schemars::json_schema!({"anyOf": [
        {"type": "array", "items": {"type": "string"}, "maxItems": 512},
        {"type": "object", "additionalProperties": {}},
    ]})
);

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

/// Reads the table as far as it is sound; errors are added to the list.
pub(super) fn read(start: &Place, split: &Split<'_>, errors: &mut Vec<LoadError>) -> Frontmatter {
    let Some(text) = &split.table else {
        return Frontmatter::default();
    };
    match document::parse(&start.file, text, Format::Yaml) {
        Ok(document) if document.value.is_null() => Frontmatter::default(),
        Ok(document) => {
            errors.extend(document.secrets());
            let head: Frontmatter = document::read_typed(&document, errors).unwrap_or_default();
            for error in errors.iter_mut() {
                if error.pointer == "/tools" && error.message.starts_with("expected a list") {
                    let hint = "write one tool to a line after `- `; an empty list is `[]`";
                    error.hint = Some(hint.to_owned());
                }
            }
            let mut report = |pointer: &str, message: &str| {
                errors.push(LoadError::new(Some(&document.place(pointer)), message).at(pointer));
            };
            if head.tools.is_some() && head.toolset.is_some() {
                report("", "an agent has `tools` or `toolset`, not both");
            }
            for name in head
                .variables
                .0
                .iter()
                .filter(|name| !super::prompt::is_word(name))
            {
                let name = tool_core::brief::name(name);
                let message =
                    format!("`{name}` is not a valid name of a variable: letters, digits and `_`");
                report("/variables", &message);
            }
            head
        }
        Err(found) => {
            errors.extend(found.into_list());
            Frontmatter::default()
        }
    }
}
