//! Tables of agent CLIs: [`CliSpec`] is a table of templates, read over those that come with the program and checked.
//!
//! A configuration may have tables of its own, and the policy knows the names of tools in them, so that they are read here; the crate
//! `agents` fills them in.

mod earlier;
mod placeholders;
mod read;
mod variables;

use std::sync::OnceLock;

pub(crate) use earlier::earlier_tables;
pub(crate) use read::cli_tables;
pub use read::{bad_profile, is_profile};
pub(crate) use variables::is_plain_secret;
pub use variables::{BuiltInPatterns, NamePatterns, variable_patterns};

use crate::document::{self, DocumentFormat};
use crate::error::{LoadError, LoadErrors};
use crate::model::{BUILT_IN_CLIS, CliSpec, Config};
use read::{CliFile, cli_file};

impl Config {
    /// The table of an agent CLI: the configuration's, else the built-in one.
    pub fn cli(&self, name: &str) -> Option<&CliSpec> {
        let own = self.clis.iter().find(|cli| cli.name == name);
        own.or_else(|| CliSpec::of_name(name))
    }
}

/// The file that comes with the program: its tables, and the names of variables by policy.
fn built_in() -> &'static (CliFile, Vec<CliSpec>) {
    static BUILT: OnceLock<(CliFile, Vec<CliSpec>)> = OnceLock::new();
    BUILT.get_or_init(|| {
        let document =
            document::parse_document("agent_clis.yaml", BUILT_IN_CLIS, DocumentFormat::Yaml);
        let mut errors = Vec::new();
        let read = document.map(|document| cli_file(&document, &[], &mut errors));
        read.and_then(|read| LoadErrors::check(errors).map(|()| read))
            .expect("agent_clis.yaml is part of the program and a test reads it")
    })
}

impl CliSpec {
    /// The tables that come with the program.
    pub fn built_in() -> &'static [Self] {
        &built_in().1
    }

    /// Whether it has a profile of this name. In a phase without tools of its own, the flags of a profile are passed untranslated.
    pub fn has_profile(&self, name: Option<&str>) -> bool {
        name.is_some_and(|name| self.flags.contains_key(name))
    }

    /// The built-in table of a name.
    pub fn of_name(name: &str) -> Option<&'static Self> {
        Self::built_in().iter().find(|cli| cli.name == name)
    }

    /// Reads a file of tables: `clis`, each over the built-in one of its name; tables of the built-in file itself,
    /// `agent_clis.yaml`, are whole.
    ///
    /// # Errors
    /// Every unknown key and wrong type.
    pub fn parse_file(name: &str, text: &str) -> Result<Vec<Self>, LoadErrors> {
        let document = document::parse_document(name, text, DocumentFormat::of_name(name))?;
        let mut errors = Vec::new();
        let known = if name == "agent_clis.yaml" {
            &[]
        } else {
            Self::built_in()
        };
        let (_, clis) = cli_file(&document, known, &mut errors);
        if document.value.get("environment").is_some() {
            let place = document.place("/environment");
            errors.push(LoadError::new(Some(&place), "unknown key `environment`"));
        }
        LoadErrors::check(errors)?;
        Ok(clis)
    }
}
