//! Who calls, as the command line says it: one home of the flags for every command that calls, runs, serves, lists or explains.

use clap::Args;
use tool_core::ToolError;

use super::args::Global;
use super::session;
use crate::{Context, Toolkit};
use registry::Overrides;

/// Everything about a caller beside its role. What does not exist is an error with the nearest name.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct Caller {
    /// Agent that calls: one with a file, or an agent command line; it brings its role
    #[arg(long, value_name = "AGENT", help_heading = "Caller")]
    pub agent: Option<String>,
    /// Phase of the configuration, with its tools, its permission and its layers
    #[arg(long, value_name = "PHASE", help_heading = "Caller")]
    pub phase: Option<String>,
    /// Kind of task, with its layers and its budget
    #[arg(long, value_name = "TASK", help_heading = "Caller")]
    pub task: Option<String>,
    /// Provider profile, such as `openai`: which tools come first, are added and taken away
    #[arg(long, value_name = "PROFILE", help_heading = "Caller")]
    pub profile: Option<String>,
    /// Tools beside those that its phase, agent or role selects, by id or selector, as far as every layer allows; repeatable
    #[arg(
        long,
        value_name = "TOOL,...",
        value_delimiter = ',',
        help_heading = "Caller"
    )]
    pub enable: Vec<String>,
    /// Tools taken away, over --enable and --force; repeatable
    #[arg(
        long,
        value_name = "TOOL,...",
        value_delimiter = ',',
        help_heading = "Caller"
    )]
    pub disable: Vec<String>,
    /// As --enable: a denial holds over it too; repeatable
    #[arg(
        long,
        value_name = "TOOL,...",
        value_delimiter = ',',
        help_heading = "Caller"
    )]
    pub force: Vec<String>,
}

impl Caller {
    /// Opens the toolkit; agent files are read where an agent is named.
    ///
    /// # Errors
    /// As [`session::open`] and [`session::open_with_agents`].
    pub(super) fn open(&self, global: &Global) -> Result<Toolkit, ToolError> {
        match self.agent {
            Some(_) => session::open_with_agents(global),
            None => session::open(global),
        }
    }

    /// The context of a call by this caller; without a role the agent's, else the configuration's.
    pub(super) fn context(&self, role: Option<String>) -> Context {
        Context {
            role,
            agent: self.agent.clone(),
            phase: self.phase.clone(),
            task: self.task.clone(),
            profile: self.profile.clone(),
            overrides: Overrides {
                enable: self.enable.clone(),
                disable: self.disable.clone(),
                force: self.force.clone(),
            },
            ..Context::default()
        }
    }

    /// The flag of a caller that a word is.
    pub(super) fn flag_in(word: &str) -> Option<String> {
        let flag = word.strip_prefix("--")?.split('=').next()?;
        let flags = Self::augment_args(clap::Command::new("caller"));
        let known = flags
            .get_arguments()
            .any(|arg| arg.get_long() == Some(flag));
        known.then(|| format!("--{flag}"))
    }
}
