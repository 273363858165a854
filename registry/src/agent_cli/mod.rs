//! Agent command lines as data: [`CliSpec`] is a table of templates, and [`translate`] puts in what an agent may do.
//!
//! What is visible, what asks, where files may be written and how long a run is are four things, and each goes to the flag or
//! setting that enforces it. What a command line cannot enforce is a problem, or a warning where its table says so.

mod environment;
mod managed;
mod read;
mod request;
mod template;
mod translate;

#[cfg(test)]
mod tests;

use std::sync::OnceLock;

pub use environment::{Environment, quoted};
pub(crate) use read::cli_table;
pub use request::{CliArgs, CliRequest, CliTool, ConfigFile};
pub use translate::translate;

use crate::document::{self, Format};
use crate::error::LoadErrors;
use crate::model::{CliSpec, Config};
use read::cli_file;

const BUILT_IN: &str = include_str!("../../agent_clis.yaml");

impl Config {
    /// The table of an agent command line: the configuration's, else the built-in one.
    pub fn cli(&self, name: &str) -> Option<&CliSpec> {
        let own = self.clis.iter().find(|cli| cli.name == name);
        own.or_else(|| CliSpec::of_name(name))
    }
}

impl CliSpec {
    /// The tables that come with the program.
    pub fn built_in() -> &'static [Self] {
        static BUILT: OnceLock<Vec<CliSpec>> = OnceLock::new();
        BUILT.get_or_init(|| {
            Self::parse_file("agent_clis.yaml", BUILT_IN)
                .expect("agent_clis.yaml is part of the program and a test reads it")
        })
    }

    /// The built-in table of a name.
    pub fn of_name(name: &str) -> Option<&'static Self> {
        Self::built_in().iter().find(|cli| cli.name == name)
    }

    /// Reads a file of tables: `clis`, each over the built-in one of its name.
    ///
    /// # Errors
    /// Every unknown key and wrong type.
    pub fn parse_file(name: &str, text: &str) -> Result<Vec<Self>, LoadErrors> {
        let document = document::parse(name, text, Format::of_name(name))?;
        let mut errors = Vec::new();
        let clis = cli_file(&document, name != "agent_clis.yaml", &mut errors);
        LoadErrors::check(errors)?;
        Ok(clis)
    }
}
