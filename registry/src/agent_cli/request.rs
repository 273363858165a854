//! What an agent command line is to be told, and the answer.

use crate::agents::ToolName;
use crate::model::{Confinement, Verdict};

/// A tool of an agent and what may happen to its calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CliTool {
    /// Which.
    pub tool: ToolName,
    /// Calls without arguments that say otherwise.
    pub verdict: Verdict,
}

/// What an agent command line is to be told.
#[derive(Debug, Clone, Copy, Default)]
pub struct CliRequest<'a> {
    /// The agent's tools; `None` leaves its own defaults alone.
    pub tools: Option<&'a [CliTool]>,
    /// What it may change.
    pub permission: Confinement,
    /// Most turns; 0 is no limit.
    pub max_turns: u64,
    /// Which of its profiles.
    pub profile: Option<&'a str>,
    /// Its task; without one it reads stdin.
    pub prompt: Option<&'a str>,
}

/// How to start an agent command line.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CliArgs {
    /// Program and arguments.
    pub argv: Vec<String>,
    /// What has to be in a file.
    pub config: Option<ConfigFile>,
    /// Name of the format it prints; empty where its table does not say.
    pub stream_format: String,
    /// What a reader should know.
    pub warnings: Vec<String>,
    /// Turns that whoever runs it has to count, since it does not.
    pub count_turns: Option<u64>,
}

/// A file that an agent command line reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigFile {
    /// Where it looks for it.
    pub file: String,
    /// The environment variable that names another file for one run.
    pub variable: Option<String>,
    /// JSON.
    pub text: String,
}
