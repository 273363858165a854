//! Variables of prompts: `{{word}}`, put in at once, so that a value is never read as a template.

use std::collections::BTreeMap;

use tool_core::nearest::nearest_name;
use tool_core::{ErrorCode, RequestProblem, ToolError};

use super::AgentFile;
use crate::error::LoadError;

/// The variable that stands for the descriptions of the agent's tools; nobody else sets it.
pub const TOOL_DESCRIPTIONS: &str = "tool_descriptions";

/// The prompts of an agent with every variable put in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentPrompts {
    /// What the model is told first.
    pub system: String,
    /// What it is asked.
    pub user: String,
}

/// A part of a template.
enum PromptPiece<'a> {
    Text(&'a str),
    Variable(&'a str),
}

fn is_letter(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// Letters, digits and `_`, as the prompts of earlier systems have it.
pub(super) fn is_word(text: &str) -> bool {
    (1..=128).contains(&text.len()) && text.chars().all(is_letter)
}

/// Sets the variables of an agent: declared ones first, then those of the prompts in the order of the text; notes those that occur
/// nowhere.
pub(super) fn add_variables(agent: &mut AgentFile) {
    let found = prompt_variables(agent);
    let note = |message: String| LoadError::new(Some(&agent.place), message);
    for name in &agent.head.variables.0 {
        if name == TOOL_DESCRIPTIONS {
            let message = format!("`{name}` always exists and need not be declared");
            agent.notes.push(note(message));
        } else if !agent.variables.contains(name) {
            if !found.contains(name) {
                let message = format!("the variable `{name}` is declared but occurs in no prompt");
                let near = found.iter().map(String::as_str);
                agent.notes.push(note(message).nearest(name, near));
            }
            agent.variables.push(name.clone());
        }
    }
    for name in found {
        if !agent.variables.contains(&name) {
            agent.variables.push(name);
        }
    }
}

/// The variables in the prompts, each once.
fn prompt_variables(agent: &AgentFile) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for piece in
        split_prompt_template(&agent.system_prompt).chain(split_prompt_template(&agent.user_prompt))
    {
        if let PromptPiece::Variable(name) = piece
            && name != TOOL_DESCRIPTIONS
            && !names.iter().any(|known| known == name)
        {
            names.push(name.to_owned());
        }
    }
    names
}

/// A template in its parts; braces around anything but a word are text.
fn split_prompt_template(template: &str) -> impl Iterator<Item = PromptPiece<'_>> {
    let mut rest = template;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let mut from = 0;
        while let Some(open) = rest[from..].find("{{").map(|at| from + at) {
            let inside = &rest[open + 2..];
            let length = inside.find(|character| !is_letter(character));
            let length = length.unwrap_or(inside.len());
            if is_word(&inside[..length]) && inside[length..].starts_with("}}") {
                if open > 0 {
                    let (text, after) = rest.split_at(open);
                    rest = after;
                    return Some(PromptPiece::Text(text));
                }
                rest = &inside[length + 2..];
                return Some(PromptPiece::Variable(&inside[..length]));
            }
            from = open + 1;
        }
        Some(PromptPiece::Text(std::mem::take(&mut rest)))
    })
}

impl AgentFile {
    /// The prompts with values put in for every variable that occurs in them, and the descriptions of the tools where they ask
    /// for them. Values are texts: braces in them stay as they are.
    ///
    /// # Errors
    /// `invalid_args` with every variable that is missing and every value that is for none.
    pub fn render(
        &self,
        values: &BTreeMap<String, String>,
        tool_descriptions: &str,
    ) -> Result<AgentPrompts, ToolError> {
        let known = || self.variables.iter().map(String::as_str);
        let named = |text: String| {
            let all: Vec<String> = known().map(|name| format!("`{name}`")).collect();
            match all.as_slice() {
                [] => format!("{text}; the prompts of `{}` have none", self.name),
                _ => format!("{text}; there are {}", all.join(", ")),
            }
        };
        let mut problems = Vec::new();
        for name in values.keys() {
            if name == TOOL_DESCRIPTIONS {
                let message =
                    format_args!("`{name}` is made from the agent's tools and cannot be given");
                problems.push(RequestProblem::new(format!("/{name}"), message));
            } else if !self.variables.contains(name) {
                let shown: String = name.chars().take(80).collect();
                let mut problem = RequestProblem::new(
                    format!("/{shown}"),
                    named(format!("no variable `{shown}`")),
                );
                problem.hint =
                    nearest_name(name, known()).map(|near| format!("did you mean `{near}`?"));
                problems.push(problem);
            }
        }
        for name in prompt_variables(self) {
            if !values.contains_key(&name) {
                let message = named(format!("no value for the variable `{name}`"));
                let problem = RequestProblem::new(format!("/{name}"), message);
                problems.push(problem.hint(format_args!("give it as `{name}=TEXT`")));
            }
        }
        if !problems.is_empty() {
            return Err(ToolError::of_problems(ErrorCode::InvalidArgs, problems));
        }
        let fill = |template: &str| -> String {
            split_prompt_template(template)
                .map(|piece| match piece {
                    PromptPiece::Text(text) => text,
                    PromptPiece::Variable(TOOL_DESCRIPTIONS) => tool_descriptions,
                    PromptPiece::Variable(name) => values.get(name).map_or("", String::as_str),
                })
                .collect()
        };
        Ok(AgentPrompts {
            system: fill(&self.system_prompt),
            user: fill(&self.user_prompt),
        })
    }
}
