//! The frontmatter of an agent file: the table between the lines `---` at its top.

use std::collections::BTreeMap;

use tool_core::{Decode, DecodeError, Describe, Object, Value};

use crate::document::{self, Format};
use crate::error::{LoadError, Place};
use crate::model::{Layer, Level, Rule, Selector};

/// The table at the top of an agent file.
#[derive(Debug, Clone, PartialEq, Default, Decode, Describe)]
#[value(default)]
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
    #[schema(length(max = 512))]
    pub tools: Option<Vec<Selector>>,
    /// Name of a toolset; instead of `tools`
    pub toolset: Option<Selector>,
    /// Descriptions of its tools for its model, instead of their own, by name; at most 1000 characters each
    pub descriptions: BTreeMap<String, Selector>,
    /// Variables of the prompts beside those found in them: a list of names, or a table whose keys are the names
    pub variables: Variables,
    /// Rules on its own tools
    pub policy: Option<AgentPolicy>,
    /// Limits of one run
    pub limits: AgentLimits,
    /// Sampling temperature for the model
    #[schema(range(min = 0.0, max = 2.0))]
    pub temperature: Option<f64>,
    /// Maximum number of tokens of an answer
    #[schema(range(min = 1))]
    pub max_tokens: Option<u64>,
}

/// Limits of one run of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Default, Decode, Describe)]
#[value(default)]
pub struct AgentLimits {
    /// Maximum number of turns
    #[schema(range(min = 1))]
    pub max_turns: Option<u64>,
    /// Longest run, in milliseconds
    #[schema(range(min = 1))]
    pub timeout_ms: Option<u64>,
}

/// The layer of an agent, without level and name.
#[derive(Debug, Clone, PartialEq, Default, Decode, Describe)]
#[value(default)]
pub struct AgentPolicy {
    /// Selectors of visible tools, of those that the agent lists
    pub allow: Option<Vec<Selector>>,
    /// Selectors of hidden tools
    pub deny: Vec<Selector>,
    /// Rules on calls
    pub rules: Vec<Rule>,
    /// Source location.
    #[value(rename = "$place")]
    pub place: Option<Place>,
}

impl AgentPolicy {
    /// The layer of the agent of a name.
    pub(super) fn layer(&self, agent: &str) -> Layer {
        let policy = self.clone();
        Layer {
            allow: policy.allow,
            deny: policy.deny,
            rules: policy.rules,
            place: policy.place,
            ..Layer::new(Level::Agent, agent)
        }
    }
}

/// Declared variables: a list of names, or a table whose keys are the names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Variables(pub Vec<String>);

impl Decode for Variables {
    fn decode(value: &Value) -> Result<Self, DecodeError> {
        let items = value.items().unwrap_or_default();
        let listed = items.iter().filter_map(Value::as_str);
        let keys = value.as_object().into_iter().flat_map(Object::iter);
        let keys = keys.map(|(name, _)| name);
        Ok(Self(listed.chain(keys).map(str::to_owned).collect()))
    }
}

tool_core::inline_schema!(
    Variables,
    tool_core::schema::json!({"anyOf": [
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
    let is_fence = |line: &str| line.trim_end() == "---";
    let mut offset = 0;
    let mut lines = (1..).zip(text.split_inclusive('\n')).map(|(number, line)| {
        offset += line.len();
        (number, offset, line)
    });
    let first = lines.find(|(.., line)| !line.trim().is_empty());
    let Some((line, from, _)) = first.filter(|(.., line)| is_fence(line)) else {
        return Ok(Split {
            table: None,
            body: text,
            body_line: 1,
        });
    };
    if let Some((number, end, fence)) = lines.find(|(.., line)| is_fence(line)) {
        let table = &text[from..end - fence.len()];
        return Ok(Split {
            table: Some("\n".repeat(line as usize) + table),
            body: &text[end..],
            body_line: number + 1,
        });
    }
    let start = start.clone();
    let error = LoadError::new(
        Some(&Place { line, ..start }),
        "the table that begins here is not closed",
    );
    Err(error.hint("end it with a line `---`"))
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
            let is_wrong = |name: &&String| !super::prompt::is_word(name);
            for name in head.variables.0.iter().filter(is_wrong) {
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
