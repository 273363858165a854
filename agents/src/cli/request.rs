//! A request for the command of an agent CLI, and the answer.

use registry::agents::ToolName;
use registry::model::{Confinement, Verdict};

/// A tool of an agent and its verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CliTool {
    /// The tool.
    pub tool: ToolName,
    /// Verdict on its calls, whatever their arguments.
    pub verdict: Verdict,
    /// Whether a rule limits its calls: they are made here, and never by a tool of the program itself.
    pub is_counted: bool,
}

/// The permissions and the task of an agent.
#[derive(Debug, Clone, Copy, Default)]
pub struct CliRequest<'a> {
    /// The agent's tools; `None` keeps the defaults of the CLI.
    pub tools: Option<&'a [CliTool]>,
    /// How far calls may go.
    pub permission: Confinement,
    /// Whether the permission was written for this agent by name: what only a lower permission would confine is then a warning.
    pub permission_is_own: bool,
    /// Whether the output is read as a stream, also where the flags of a profile replace the tools.
    pub reads_output: bool,
    /// Maximum number of turns; 0 for no limit.
    pub max_turns: u64,
    /// Name of a profile.
    pub profile: Option<&'a str>,
    /// The task; without one the CLI reads stdin.
    pub prompt: Option<&'a str>,
    /// mathchain's own server, to be registered; `None` registers nothing.
    pub server: Option<ServerStart<'a>>,
    /// Further words of the templates, such as `mcp_config`, that the caller of the CLI knows.
    pub words: &'a [(&'a str, &'a str)],
}

/// How an agent CLI starts mathchain's own server.
#[derive(Debug, Clone, Copy)]
pub struct ServerStart<'a> {
    /// Program and arguments, such as `mathchain serve --mcp --phase audit --agent claude`.
    pub argv: &'a [String],
    /// Path of the file behind `{mcp_config}`, where the table asks for one.
    pub file: &'a str,
}

/// The command of an agent CLI.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CliArgs {
    /// Program and arguments.
    pub argv: Vec<String>,
    /// The configuration file, if one is needed.
    pub config: Option<CliConfigFile>,
    /// The file behind `{mcp_config}`, if the table asks for one.
    pub mcp_config: Option<CliConfigFile>,
    /// Name of its output format; empty where the table names none.
    pub stream_format: String,
    /// Warnings.
    pub warnings: Vec<String>,
    /// Maximum number of turns, for the caller to enforce where the CLI cannot.
    pub count_turns: Option<u64>,
}

impl CliArgs {
    /// The files to write before it starts. Where one has a variable, the variable may name another path for this run.
    pub fn files(&self) -> impl Iterator<Item = &CliConfigFile> {
        self.config.iter().chain(&self.mcp_config)
    }
}

/// A configuration file of an agent CLI.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CliConfigFile {
    /// Path where the CLI looks for it.
    pub file: String,
    /// The environment variable that names another file for one run.
    pub variable: Option<String>,
    /// Content, as JSON.
    pub text: String,
}
