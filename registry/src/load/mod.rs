//! Loading: documents, agent files and files of earlier systems become a [`Config`] and a [`Policy`], every error at once with its
//! place.

mod approvers;
mod check;
mod legacy;
mod schema;

#[cfg(test)]
mod tests;

pub use approvers::{Approver, key_digest};
pub use legacy::RolePermissions;
pub use schema::{config_schema, document_schemas};

use std::borrow::Cow;

use tool_core::convert::to_value;
use tool_core::{Encode, Value};

use crate::agent_cli::{cli_tables, earlier_tables};
use crate::catalogue::Catalogue;
use crate::document::{self, DocumentFormat, ParsedDocument};
use crate::error::{LoadError, LoadErrors};
use crate::model::{CliSpec, Config, FormatVersion, PolicyLayer};
use crate::policy::Policy;

impl Config {
    /// Reads a configuration; the language follows from the name's ending.
    ///
    /// # Errors
    /// Every unknown key, wrong type and unknown name that shows without a catalogue, at once.
    pub fn parse(name: &str, text: &str) -> Result<Self, LoadErrors> {
        let document = document::parse_document(name, text, DocumentFormat::of_name(name))?;
        let mut errors = Vec::new();
        let config = read_config(&document, &mut errors);
        LoadErrors::check(in_order(name, errors)).map(|()| config)
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
        let document = document::parse_document(name, text, DocumentFormat::of_name(name))?;
        let mut errors = Vec::new();
        let mut config = read_config(&document, &mut errors);
        fill(&mut config);
        let policy = compile_config_policy(catalogue, &config, &[], &mut errors);
        LoadErrors::check(in_order(name, errors)).map(|()| (config, policy))
    }
}

/// Errors by place, those of the named text first.
fn in_order(name: &str, mut errors: Vec<LoadError>) -> Vec<LoadError> {
    errors.sort_by_key(|error| {
        let place = error.place.clone();
        place.map(|place| (*place.file != *name, place.file, place.line, place.column))
    });
    errors
}

/// Reads a configuration as far as it is sound; an empty document sets nothing.
fn read_config(document: &ParsedDocument, errors: &mut Vec<LoadError>) -> Config {
    errors.extend(document.secrets());
    errors.extend(check::plain_secrets(document));
    if document.value.is_null() {
        return Config::default();
    }
    let Some(mut config) = document::read_typed::<Config>(document, errors) else {
        return Config::default();
    };
    check::check_config(&config, document, errors);
    if document.value.get("cli").is_some() {
        config.clis = cli_tables(document, "cli", CliSpec::built_in(), errors);
    }
    let earlier = earlier_tables(&config.earlier_agents, &config.clis, errors);
    config.clis.extend(earlier);
    config
}

/// A value without members that are `null`, for which TOML has no word.
fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(object) => {
            let present = object.iter().filter(|(_, member)| !member.is_null());
            Value::object(present.map(|(key, member)| (key, without_nulls(member.clone()))))
        }
        Value::Array(items) => Value::array(items.iter().cloned().map(without_nulls).collect()),
        other => other,
    }
}

/// Writes layers in the format of a configuration, which reads them back.
pub fn layers_to_toml(layers: &[PolicyLayer]) -> String {
    #[derive(Encode)]
    struct LayersDocument<'a> {
        version: FormatVersion,
        policies: &'a [PolicyLayer],
    }
    let layers = LayersDocument {
        version: FormatVersion,
        policies: layers,
    };
    let value = to_value(&layers).map(without_nulls).unwrap_or_default();
    toml::to_string(&value).expect("layers have names, numbers and lists only")
}

impl Policy {
    /// Compiles the built-in roles, a configuration and further layers against a catalogue.
    ///
    /// # Errors
    /// Every unknown tool, group, role, phase, agent and selector and every rule that can never match, at once.
    pub fn compile(
        catalogue: &Catalogue,
        config: &Config,
        further: &[PolicyLayer],
    ) -> Result<Self, LoadErrors> {
        let mut errors = Vec::new();
        let policy = compile_config_policy(catalogue, config, further, &mut errors);
        LoadErrors::check(errors).map(|()| policy)
    }
}

/// Loads the files that a configuration names and compiles its policy; errors are added to the list.
fn compile_config_policy(
    catalogue: &Catalogue,
    config: &Config,
    further: &[PolicyLayer],
    errors: &mut Vec<LoadError>,
) -> Policy {
    let mut config = Cow::Borrowed(config);
    let legacy = legacy::load_legacy_files(catalogue, &config, errors);
    if !legacy.roles.is_empty() {
        config.to_mut().roles.extend(legacy.roles);
    }
    if !config.agent_texts.is_empty() {
        let (agents, broken) = crate::agents::load_agents(catalogue, &config);
        let config = config.to_mut();
        config.agents.extend(agents);
        config.broken_agents = broken;
    }
    let mut policy = Policy::build(catalogue, &config, further, errors);
    policy.notes = legacy.notes;
    policy.broken_agents.clone_from(&config.broken_agents);
    policy
}
