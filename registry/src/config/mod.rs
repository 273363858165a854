//! [`Config`]: what a project sets; read from a text that the caller hands in, every error at once with its place.

mod anomalies;
mod approvers;
mod cases;
pub(crate) mod earlier;
pub(crate) mod outline;
pub(crate) mod part;
mod phases;
pub(crate) mod read;
mod schema;
mod services;

#[cfg(test)]
mod tests;

pub use approvers::{Approver, key_digest};
pub(crate) use cases::cases;
pub use schema::{documents, schema};

use std::borrow::Cow;

use crate::catalogue::Catalogue;
use crate::document::{self, Format};
use crate::error::{LoadError, LoadErrors};
use crate::model::{CliSpec, Config, Layer};
use crate::policy::Policy;

impl Config {
    /// Reads a configuration; the language follows from the name's ending.
    ///
    /// # Errors
    /// Every unknown key, wrong type and unknown name that shows without a catalogue, at once.
    pub fn parse(name: &str, text: &str) -> Result<Self, LoadErrors> {
        let document = document::parse(name, text, Format::of_name(name))?;
        let (config, errors) = read::config(&document);
        LoadErrors::check(errors)?;
        Ok(config)
    }

    /// Reads a configuration and compiles its policy against a catalogue.
    ///
    /// # Errors
    /// As [`Config::parse`] and [`Policy::compile`], all at once.
    pub fn load(
        name: &str,
        text: &str,
        catalogue: &Catalogue,
    ) -> Result<(Self, Policy), LoadErrors> {
        Self::load_with((name, text), |_| {}, catalogue)
    }

    /// As [`Config::load`]; `fill` adds the texts of agent files and of the files that the configuration names.
    ///
    /// # Errors
    /// As [`Config::load`], those of these files among them.
    pub fn load_with(
        (name, text): (&str, &str),
        fill: impl FnOnce(&mut Self),
        catalogue: &Catalogue,
    ) -> Result<(Self, Policy), LoadErrors> {
        let document = document::parse(name, text, Format::of_name(name))?;
        let (mut config, mut errors) = read::config(&document);
        fill(&mut config);
        let policy = compile(catalogue, &config, &[], &mut errors);
        errors.sort_by_key(|error| {
            let place = error.place.as_ref();
            place.map(|place| {
                (
                    *place.file != *name,
                    place.file.clone(),
                    place.line,
                    place.column,
                )
            })
        });
        LoadErrors::check(errors)?;
        Ok((config, policy))
    }
}

impl Policy {
    /// Compiles the built-in roles, a configuration and further layers against a catalogue.
    ///
    /// # Errors
    /// Every unknown tool, group, role, phase, agent and selector and every rule that can never match, at once.
    pub fn compile(
        catalogue: &Catalogue,
        config: &Config,
        further: &[Layer],
    ) -> Result<Self, LoadErrors> {
        let mut errors = Vec::new();
        let policy = compile(catalogue, config, further, &mut errors);
        LoadErrors::check(errors)?;
        Ok(policy)
    }
}

/// Loads the files that a configuration names and compiles its policy; errors are added to the list.
fn compile(
    catalogue: &Catalogue,
    config: &Config,
    further: &[Layer],
    errors: &mut Vec<LoadError>,
) -> Policy {
    let mut config = Cow::Borrowed(config);
    let earlier = earlier::load(catalogue, &config, errors);
    if !earlier.roles.is_empty() {
        config.to_mut().roles.extend(earlier.roles);
    }
    if !config.agent_texts.is_empty() {
        let agents = crate::agents::load(catalogue, &config, errors);
        config.to_mut().agents.extend(agents);
    }
    let clis = CliSpec::built_in().iter().chain(&config.clis);
    let programs = clis.map(|cli| cli.name.as_str());
    let policy = Policy::build(catalogue, &config, programs, further, errors);
    policy.with_notes(earlier.notes)
}
