//! [`AgentService`]: the project whose agents are started, the program that serves them, and the machine they run on.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use journal::StateStore;
use registry::Principal;
use tool_core::{Value, json};

use crate::host::{AgentHost, AgentProgram, AgentProject};

/// What starting agents needs of a project and its machine; one for each opened toolkit.
pub struct AgentService {
    /// The project.
    pub project: AgentProject,
    /// The program that is the MCP server of agents.
    pub program: AgentProgram,
    /// The first root of the workspace; without one no agent starts.
    pub workspace: Option<PathBuf>,
    /// Where pipelines are recorded.
    pub state: Option<Arc<StateStore>>,
    /// The machine.
    pub host: Arc<dyn AgentHost>,
}

impl AgentService {
    /// The folder of the configuration file.
    pub fn config_folder(&self) -> &Path {
        let file = &self.project.config_file;
        file.parent().unwrap_or(file)
    }

    /// The command of a server, without its caller.
    fn server(&self) -> Vec<String> {
        let absolute = |path: &Path| {
            let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
            path.display().to_string()
        };
        let mut words = self.program.words.clone();
        words.extend(["--config".to_owned(), absolute(&self.project.config_file)]);
        if let Some(workspace) = &self.project.workspace {
            words.extend(["--workspace".to_owned(), absolute(workspace)]);
        }
        words.extend(["serve", "--mcp", "--catalog", "full"].map(str::to_owned));
        words
    }

    /// The command of the server of an agent in a phase, which the configuration alone says who it is.
    pub(crate) fn server_in_phase(&self, phase: &str, agent: &str) -> Vec<String> {
        let mut words = self.server();
        words.extend(["--phase", phase, "--agent", agent].map(str::to_owned));
        words
    }

    /// The command of a server whose calls this caller makes.
    pub(crate) fn server_as(&self, who: &Principal) -> Vec<String> {
        let mut caller = who.to_value().as_object().cloned().unwrap_or_default();
        caller.insert("role", who.role.as_str());
        let mut words = self.server();
        words.extend([
            "--as".to_owned(),
            json::to_text(&Value::Object(caller.into())),
        ]);
        words
    }
}
