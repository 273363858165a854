//! The frontmatter of an agent file: the table between the lines `---` at its top.

use std::collections::BTreeMap;

use tool_core::{Decode, DecodeError, Describe, Object, Value};

use crate::document::{self, DocumentFormat};
use crate::error::{LoadError, TextPlace};
use crate::frontmatter::{FrontmatterPlace, find_frontmatter};
use crate::model::{Level, PolicyLayer, PolicyRule, ToolSelector};

/// The table at the top of an agent file.
#[derive(Debug, Clone, PartialEq, Default, Decode, Describe)]
#[value(default)]
pub struct AgentFrontmatter {
    /// Name of the agent, which is that of the file
    pub name: Option<ToolSelector>,
    /// Purpose of the agent, for lists
    pub description: String,
    /// Model that the agent was written for
    pub model: Option<String>,
    /// Role of its calls
    pub role: Option<ToolSelector>,
    /// Names and selectors of its tools; an agent that lists none has none
    #[schema(length(max = 512))]
    pub tools: Option<Vec<ToolSelector>>,
    /// Name of a toolset; instead of `tools`
    pub toolset: Option<ToolSelector>,
    /// Descriptions of its tools for its model, instead of their own, by name; at most 1000 characters each
    pub descriptions: BTreeMap<String, ToolSelector>,
    /// Variables of the prompts beside those found in them: a list of names, or a table whose keys are the names
    pub variables: VariableDeclarations,
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
    pub allow: Option<Vec<ToolSelector>>,
    /// Selectors of hidden tools
    pub deny: Vec<ToolSelector>,
    /// Rules on calls
    pub rules: Vec<PolicyRule>,
    /// Source location.
    #[value(rename = "$place")]
    pub place: Option<TextPlace>,
}

impl AgentPolicy {
    /// The layer of the agent of a name.
    pub(super) fn layer(&self, agent: &str) -> PolicyLayer {
        let policy = self.clone();
        PolicyLayer {
            allow: policy.allow,
            deny: policy.deny,
            rules: policy.rules,
            place: policy.place,
            ..PolicyLayer::new(Level::Agent, agent)
        }
    }
}

/// Declared variables: a list of names, or a table whose keys are the names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct VariableDeclarations(pub Vec<String>);

impl Decode for VariableDeclarations {
    fn decode(value: &Value) -> Result<Self, DecodeError> {
        let items = value.items().unwrap_or_default();
        let listed = items.iter().filter_map(Value::as_str);
        let keys = value.as_object().into_iter().flat_map(Object::iter);
        let keys = keys.map(|(name, _)| name);
        Ok(Self(listed.chain(keys).map(str::to_owned).collect()))
    }
}

tool_core::inline_schema!(
    VariableDeclarations,
    tool_core::schema::json!({"anyOf": [
        {"type": "array", "items": {"type": "string"}, "maxItems": 512},
        {"type": "object", "additionalProperties": {}},
    ]})
);

/// An agent file in its two parts.
pub(super) struct AgentFileParts<'a> {
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
pub(super) fn split_frontmatter<'a>(
    start: &TextPlace,
    text: &'a str,
) -> Result<AgentFileParts<'a>, LoadError> {
    match find_frontmatter(text) {
        FrontmatterPlace::Absent => Ok(AgentFileParts {
            table: None,
            body: text,
            body_line: 1,
        }),
        FrontmatterPlace::Table(range) => {
            let empty = "\n".repeat(range.line as usize);
            Ok(AgentFileParts {
                table: Some(empty + &text[range.table]),
                body: &text[range.body..],
                body_line: range.body_line,
            })
        }
        FrontmatterPlace::Unclosed { line } => {
            let start = TextPlace {
                line,
                ..start.clone()
            };
            let error = LoadError::new(Some(&start), "the table that begins here is not closed");
            Err(error.hint("end it with a line `---`"))
        }
    }
}

/// Reads the table as far as it is sound; errors are added to the list.
pub(super) fn read_frontmatter(
    start: &TextPlace,
    split: &AgentFileParts<'_>,
    errors: &mut Vec<LoadError>,
) -> AgentFrontmatter {
    let Some(text) = &split.table else {
        return AgentFrontmatter::default();
    };
    match document::parse_document(&start.file, text, DocumentFormat::Yaml) {
        Ok(document) if document.value.is_null() => AgentFrontmatter::default(),
        Ok(document) => {
            errors.extend(document.secrets());
            let head: AgentFrontmatter =
                document::read_typed(&document, errors).unwrap_or_default();
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
                let name = tool_core::brief::brief_name(name);
                let message =
                    format!("`{name}` is not a valid name of a variable: letters, digits and `_`");
                report("/variables", &message);
            }
            head
        }
        Err(found) => {
            errors.extend(found.into_list());
            AgentFrontmatter::default()
        }
    }
}
