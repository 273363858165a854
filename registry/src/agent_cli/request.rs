//! A request for the command of an agent CLI, and the answer.

use crate::agents::ToolName;
use crate::model::{Confinement, Verdict};

/// A tool of an agent and its verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CliTool {
    /// The tool.
    pub tool: ToolName,
    /// Verdict on its calls, whatever their arguments.
    pub verdict: Verdict,
}

/// The permissions and the task of an agent.
#[derive(Debug, Clone, Copy, Default)]
pub struct CliRequest<'a> {
    /// The agent's tools; `None` keeps the defaults of the CLI.
    pub tools: Option<&'a [CliTool]>,
    /// How far calls may go.
    pub permission: Confinement,
    /// Maximum number of turns; 0 for no limit.
    pub max_turns: u64,
    /// Name of a profile.
    pub profile: Option<&'a str>,
    /// The task; without one the CLI reads stdin.
    pub prompt: Option<&'a str>,
}

/// The command of an agent CLI.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CliArgs {
    /// Program and arguments.
    pub argv: Vec<String>,
    /// The configuration file, if one is needed.
    pub config: Option<ConfigFile>,
    /// Name of its output format; empty where the table names none.
    pub stream_format: String,
    /// Warnings.
    pub warnings: Vec<String>,
    /// Maximum number of turns, for the caller to enforce where the CLI cannot.
    pub count_turns: Option<u64>,
}

/// A configuration file of an agent CLI.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigFile {
    /// Path where the CLI looks for it.
    pub file: String,
    /// The environment variable that names another file for one run.
    pub variable: Option<String>,
    /// Content, as JSON.
    pub text: String,
}
