//! [`AgentFile`]: an agent as a Markdown file says it is, with its prompts, and exactly the tools it lists.
//!
//! [`AgentFile::parse`] reads a text; [`AgentChecker::check`] holds it against the tools and roles there are and gives what it selects;
//! [`AgentChecker::load`] does both and reports all problems at once.

mod check;
mod frontmatter;
mod prompt;
mod sections;

#[cfg(test)]
mod tests;

use std::sync::Arc;

pub use check::{AgentCheckResult, AgentChecker, ToolName};
pub use frontmatter::{AgentFrontmatter, AgentLimits, AgentPolicy, VariableDeclarations};
pub use prompt::{AgentPrompts, TOOL_DESCRIPTIONS};

use crate::aliases::ToolAliases;
use crate::catalogue::Catalogue;
use crate::error::{LoadError, LoadErrors, TextPlace};
use crate::model::{AgentDefinition, BrokenAgent, Config};
use crate::model::{CallerSelection, ToolSelector};

/// Longest agent file, in bytes.
pub const BYTES_MAX: usize = 1 << 20;
/// Most headings of the first level.
pub const SECTIONS_MAX: usize = 256;

/// An agent, as its file defines it.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentFile {
    /// Its name, which is the name of the file.
    pub name: String,
    /// The table at the top of the file.
    pub head: AgentFrontmatter,
    /// Variables of its prompts: those found in them, and further ones it declares.
    pub variables: Vec<String>,
    /// System prompt.
    pub system_prompt: String,
    /// User prompt.
    pub user_prompt: String,
    /// Start of the file.
    pub place: TextPlace,
    /// Remarks that are no errors.
    notes: Vec<LoadError>,
}

impl AgentFile {
    /// Reads an agent file. Its name is that of the file, `agents/NAME.md`, or of the folder where the file is called `agent.md`.
    ///
    /// # Errors
    /// All that is wrong with it without knowing tools and roles, each with line and column.
    pub fn parse(path: &str, text: &str) -> Result<Self, LoadErrors> {
        let mut errors = Vec::new();
        let agent = Self::read(path, text, &mut errors);
        errors.sort_by_key(error_position);
        LoadErrors::check(errors)?;
        agent
    }

    /// Reads as much of a file as is sound; problems are added to the errors.
    ///
    /// # Errors
    /// A text in which nothing can be read.
    fn read(path: &str, text: &str, errors: &mut Vec<LoadError>) -> Result<Self, LoadErrors> {
        let start = TextPlace {
            file: Arc::from(path),
            line: 1,
            column: 1,
        };
        fault_of_text(&start, text)?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let text = &text.replace("\r\n", "\n");
        let split = frontmatter::split_frontmatter(&start, text)?;
        let mut agent = Self {
            name: name_of(path).to_owned(),
            head: frontmatter::read_frontmatter(&start, &split, errors),
            variables: Vec::new(),
            system_prompt: String::new(),
            user_prompt: String::new(),
            place: start.clone(),
            notes: Vec::new(),
        };
        if !is_name(&agent.name) {
            let name = &agent.name;
            let message = format_args!(
                "`{name}` is not a valid name of an agent: letters, digits, `-` and `_`, at most 64"
            );
            errors.push(LoadError::new(Some(&start), message).hint("rename the file"));
        }
        let name = agent.head.name.as_ref();
        if let Some(name) = name.filter(|name| name.text != agent.name) {
            let shown = tool_core::brief::brief_name(&name.text);
            let known = &agent.name;
            let message = format_args!("the name is `{shown}`, but the file is that of `{known}`");
            errors.push(name.error(message));
        }
        sections::read_prompt_sections(&mut agent, split.body, split.body_line, errors);
        prompt::add_variables(&mut agent);
        Ok(agent)
    }
}

/// The agents of a configuration's files, and those whose files cannot be used.
pub(crate) fn load_agents(
    catalogue: &Catalogue,
    config: &Config,
) -> (Vec<AgentDefinition>, Vec<BrokenAgent>) {
    let checker = AgentChecker::new(catalogue, config, ToolAliases::built_in());
    let (mut agents, mut broken) = (Vec::new(), Vec::new());
    for (path, text) in &config.agent_texts {
        match checker.load(path, text) {
            Ok((file, checked)) => {
                let mut agent = file.into_agent(checked);
                let table = format!("agents/{}", agent.name);
                agent.layer.untrusted = config.untrusted.contains(&table);
                agents.push(agent);
            }
            Err(errors) => broken.push(BrokenAgent {
                name: name_of(path).to_owned(),
                errors,
            }),
        }
    }
    (agents, broken)
}

fn error_position(error: &LoadError) -> Option<(u32, u32)> {
    error.place.as_ref().map(|place| (place.line, place.column))
}

impl AgentFile {
    /// The agent as policy knows it.
    fn into_agent(self, checked: AgentCheckResult) -> AgentDefinition {
        let max_turns = self.head.limits.max_turns;
        let listed = checked.selection.iter().map(|tool| ToolSelector {
            text: tool.name().to_owned(),
            place: Some(self.place.clone()),
        });
        AgentDefinition {
            selection: CallerSelection {
                tools: Some(listed.collect()),
                descriptions: self.head.descriptions,
                max_turns: max_turns.and_then(|turns| u32::try_from(turns).ok()),
                place: Some(self.place.clone()),
                ..CallerSelection::default()
            },
            name: self.name,
            role: self.head.role,
            layer: checked.layer,
            place: Some(self.place),
        }
    }
}

/// What no part of the file may contain.
fn fault_of_text(start: &TextPlace, text: &str) -> Result<(), LoadError> {
    if text.len() > BYTES_MAX {
        let bytes = text.len();
        let message = format_args!("the file has {bytes} bytes, the limit is {BYTES_MAX}");
        return Err(LoadError::new(Some(start), message));
    }
    let strange =
        |character: &char| character.is_control() && !matches!(character, '\n' | '\r' | '\t');
    for (line, content) in (1..).zip(text.split('\n')) {
        if let Some(column) = content.chars().position(|character| strange(&character)) {
            let place = TextPlace {
                line,
                column: u32::try_from(column + 1).unwrap_or(u32::MAX),
                ..start.clone()
            };
            let message = "a control character is not accepted";
            return Err(LoadError::new(Some(&place), message));
        }
    }
    Ok(())
}

/// The name that a path gives an agent.
pub fn name_of(path: &str) -> &str {
    let mut parts = path.rsplit(['/', '\\']);
    let file = parts.next().unwrap_or_default();
    let stem = file.strip_suffix(".md").unwrap_or(file);
    match parts.next() {
        Some(folder) if stem == "agent" && !matches!(folder, "" | "." | ".." | "agents") => folder,
        _ => stem,
    }
}

fn is_name(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    (1..=64).contains(&name.len())
        && name.bytes().all(fits)
        && name.starts_with(|first: char| first.is_ascii_alphanumeric())
}
