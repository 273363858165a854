//! The names that phases and layers of agents may use.

use crate::model::CliSpec;

/// The names of those that work in phases: agents, and agent command lines that have no file.
#[derive(Debug, Clone)]
pub(super) struct AgentNames {
    agents: Vec<String>,
    /// The command lines of the configuration, beside those that come with the program.
    programs: Vec<String>,
}

impl AgentNames {
    pub(super) fn new(agents: Vec<String>, programs: Vec<String>) -> Self {
        Self { agents, programs }
    }

    /// All names; the tables that come with the program are read once they are reached.
    pub(super) fn iter(&self) -> impl Iterator<Item = &str> + Clone {
        let built_in = std::iter::once(()).flat_map(|()| CliSpec::built_in());
        let programs = built_in.map(|cli| &cli.name).chain(&self.programs);
        let programs = programs.filter(|name| !self.agents.contains(name));
        self.agents.iter().chain(programs).map(String::as_str)
    }
}
