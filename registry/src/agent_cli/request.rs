//! What an agent command line is to be told, and the answer.

use crate::agents::Selected;
use crate::policy::Verdict;

/// What an agent may change, whatever its tools could.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Permission {
    /// Nothing.
    #[default]
    ReadOnly,
    /// Files of the workspace; no network.
    WorkspaceWrite,
    /// What its tools can.
    FullAccess,
}

impl Permission {
    /// Every permission, the narrowest first.
    pub const ALL: [Self; 3] = [Self::ReadOnly, Self::WorkspaceWrite, Self::FullAccess];

    /// The spelling in configuration.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ReadOnly => "read-only",
            Self::WorkspaceWrite => "workspace-write",
            Self::FullAccess => "full-access",
        }
    }

    /// Reads the spelling back.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == text)
    }
}

/// A tool of an agent and what may happen to its calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CliTool {
    /// Which.
    pub tool: Selected,
    /// Calls without arguments that say otherwise.
    pub verdict: Verdict,
}

/// What an agent command line is to be told.
#[derive(Debug, Clone, Copy, Default)]
pub struct CliRequest<'a> {
    /// The agent's tools; `None` leaves its own defaults alone.
    pub tools: Option<&'a [CliTool]>,
    /// What it may change.
    pub permission: Permission,
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
