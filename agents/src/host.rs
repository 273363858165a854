//! [`AgentHost`]: what agents need of the machine beside processes, which they start through the capability `Spawner` alone.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use tool_core::Result;

/// Names in the folder of an exchange: the home folder of the agent, the file with its MCP server, the settings of its command line.
pub(crate) const HOME: &str = "home";
pub(crate) const MCP_CONFIG: &str = "mcp.json";
pub(crate) const SETTINGS: &str = "settings.json";

/// The program that is the MCP server of agents: this one, or another with the same command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentProgram {
    /// The program and what comes before its options, such as an interpreter with the module that it runs; never empty.
    pub words: Vec<String>,
    /// What the program reads beside the system's files: agents start it in their sandbox to join their server.
    pub readable: Vec<PathBuf>,
}

impl AgentProgram {
    /// A program by its path.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        Self {
            words: vec![path.display().to_string()],
            readable: vec![path],
        }
    }

    /// The command that an agent's command line starts as its MCP server, in its sandbox.
    pub fn joining(&self, exchange: &str) -> Vec<String> {
        let mut words = self.words.clone();
        words.extend(["serve", "--mcp", "--through", exchange].map(str::to_owned));
        words
    }
}

/// The project whose agents are started: what their servers open again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentProject {
    /// The configuration file, which is also that of pipelines.
    pub config_file: PathBuf,
    /// The folder with the agent files.
    pub folder: PathBuf,
    /// The workspace, where it is another than that of the configuration.
    pub workspace: Option<PathBuf>,
}

impl AgentProject {
    /// The project of a configuration file, with the workspace that the file names.
    pub fn of_file(config_file: impl Into<PathBuf>) -> Self {
        let config_file = config_file.into();
        let folder = config_file.parent().map(Path::to_owned);
        Self {
            folder: folder.unwrap_or_default(),
            config_file,
            workspace: None,
        }
    }
}

/// The text of an agent file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentFileText {
    /// Path relative to the project.
    pub path: String,
    /// Its content.
    pub text: String,
}

/// A file that an agent left where only people write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MovedFile {
    /// Where it was.
    pub path: PathBuf,
    /// Where it is now; `None` where it could not be moved.
    pub place: Option<PathBuf>,
}

/// Files, variables and the folders that agents share with this process.
pub trait AgentHost: Send + Sync {
    /// Makes the folder that one agent shares with its pipeline or call.
    ///
    /// # Errors
    /// `tool_error` for a folder that cannot be made; `precondition_failed` on a machine without pipes of that kind.
    fn open_exchange(&self) -> Result<Box<dyn AgentExchange>>;

    /// The names of the variables of the environment.
    fn variable_names(&self) -> Vec<String>;

    /// The value of a variable of the environment; `None` for one that is not set, or no text.
    fn variable(&self, name: &str) -> Option<String>;

    /// Whether the user's home folder has this file.
    fn has_home_file(&self, path: &str) -> bool;

    /// Reads a file of the user's home folder.
    ///
    /// # Errors
    /// A file that cannot be read; `limit_exceeded` above `bytes_max` bytes.
    fn read_home_file(&self, path: &str, bytes_max: u64) -> Result<Vec<u8>>;

    /// Reads a text that the configuration names: itself, or a prompt beside it.
    ///
    /// # Errors
    /// A file that cannot be read.
    fn read_text(&self, path: &Path) -> Result<String>;

    /// The agent files of a project.
    ///
    /// # Errors
    /// A file that cannot be read, or that belongs to another user.
    fn agent_files(&self, project: &Path) -> Result<Vec<AgentFileText>>;

    /// What of a workspace only people write.
    fn protected_files(&self, workspace: &Path) -> BTreeSet<PathBuf>;

    /// Moves out of a workspace what of that was not there `before`.
    fn set_aside(&self, workspace: &Path, before: &BTreeSet<PathBuf>) -> Vec<MovedFile>;
}

/// The folder that an agent shares with its pipeline or call, with two pipes to its MCP server, which runs outside of its sandbox. It is
/// removed when this value is dropped.
pub trait AgentExchange: Send + Sync {
    /// The folder.
    fn folder(&self) -> &Path;

    /// The file for the answer, where the command line writes one.
    fn output(&self) -> String;

    /// Writes a file before the agent starts.
    ///
    /// # Errors
    /// `tool_error` with reason `io`.
    fn write(&self, name: &str, content: &[u8]) -> Result<()>;

    /// The answer that the agent wrote to its file; empty without one.
    fn answer(&self) -> String;

    /// Starts the server for each client that joins, one after the other, until the agent has ended.
    fn serve(&self, server: &[String], ended: &AtomicBool);

    /// The path of a file in the folder.
    fn path(&self, name: &str) -> String {
        self.folder().join(name).display().to_string()
    }
}
