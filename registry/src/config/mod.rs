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

pub use anomalies::AnomalyLimits;
pub use approvers::{Approver, key_digest};
pub(crate) use cases::cases;
pub use earlier::{EarlierFiles, NamedFile};
pub use schema::{documents, schema};

use serde::Serialize;

use crate::agent_cli::CliSpec;
use crate::catalogue::Catalogue;
use crate::document::{self, Format};
use crate::error::{LoadErrors, Place};
use crate::policy::{Layer, Permissions, Phase, Policy, Role, Selection, Selector, Toolset};

/// Limits of every call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Largest request and largest file loaded for an argument, in bytes.
    pub max_input_bytes: u64,
    /// Longest run in milliseconds.
    pub timeout_ms: u64,
    /// Largest result of a direct call, in bytes of JSON.
    pub max_output_bytes: u64,
    /// Memory that input can size, in bytes, per call; what a step of a chain hands on counts against it too.
    pub memory_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_input_bytes: 256 << 20,
            timeout_ms: 60_000,
            max_output_bytes: 1 << 20,
            memory_bytes: 8 << 30,
        }
    }
}

/// Where the files of a project are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workspace {
    /// The root, relative to the configuration file.
    pub root: String,
    /// The state folder, relative to the root; `None` where the configuration does not say.
    pub state: Option<String>,
}

/// How chains run where the plan does not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ChainMode {
    /// By dependencies.
    #[default]
    Dep,
    /// One step after the other.
    Seq,
}

/// What a failed step does to the chain where the plan does not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnError {
    /// No further step starts.
    #[default]
    FailChain,
    /// What does not depend on it still runs.
    SkipDependents,
    /// Dependents whose references carry a default run too.
    Continue,
}

/// Defaults of chains.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ChainDefaults {
    /// How chains run.
    pub mode: ChainMode,
    /// Whether steps with effects may run at the same time.
    pub parallel_mutations: bool,
    /// What a failed step does.
    pub on_error: OnError,
    /// From when on the journal is said to look wrong.
    pub anomalies: AnomalyLimits,
}

/// What tools may reach on the web, and which services they ask.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Web {
    /// Where present, the only hosts that are reached, whatever was approved.
    pub allow_hosts: Option<Vec<String>>,
    /// Hosts that are never reached, by redirects neither.
    pub deny_hosts: Vec<String>,
    /// Longest exchange in seconds.
    pub timeout_s: Option<u64>,
    /// Largest answer in bytes.
    pub bytes_max: Option<u64>,
    /// Addresses of services instead of the public ones, by provider.
    pub services: Vec<(String, String)>,
    /// What `web_search` asks.
    pub search: Option<WebSearch>,
}

/// The provider of `web_search`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebSearch {
    /// `wikipedia`, `searxng` or `brave`.
    pub provider: String,
    /// Its address.
    pub endpoint: Option<String>,
    /// The environment variable that holds its key.
    pub api_key_variable: Option<String>,
}

/// A model behind an OpenAI-compatible endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelEndpoint {
    /// Absolute http(s) URL.
    pub endpoint: String,
    /// The environment variable that holds the key.
    pub api_key_variable: Option<String>,
    /// Which model, where the server has several.
    pub model: Option<String>,
    /// Longest wait for one answer in milliseconds, where it is set.
    pub timeout_ms: Option<u64>,
}

/// The models that tools may ask.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Models {
    /// Gives vectors for texts.
    pub embeddings: Option<ModelEndpoint>,
    /// Answers texts.
    pub chat: Option<ModelEndpoint>,
    /// Answers texts with images.
    pub vision: Option<ModelEndpoint>,
}

/// What calls of one provider's models start from, over what the caller selected.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProviderProfile {
    /// Its name, such as `openai`.
    pub name: String,
    /// Tools that come first in lists.
    pub prefer: Vec<Selector>,
    /// Tools beside the selected ones.
    pub enable: Vec<Selector>,
    /// Tools taken away.
    pub disable: Vec<Selector>,
    /// Where it was written.
    #[serde(skip)]
    pub place: Option<Place>,
}

/// How many calls of each kind a task may make; `None` sets no limit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Budget {
    /// Kind of task.
    pub task: String,
    /// Calls that only read.
    pub read: Option<u64>,
    /// Calls that modify files or state.
    pub write: Option<u64>,
    /// Calls that run programs.
    pub exec: Option<u64>,
    /// Calls that ask a language model.
    pub llm: Option<u64>,
    /// How often it may be raised.
    pub overrides: Option<u64>,
    /// Where it was written.
    #[serde(skip)]
    pub place: Option<Place>,
}

/// An agent, as its file says.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Agent {
    /// Its name.
    pub name: String,
    /// The role it calls as.
    pub role: Option<Selector>,
    /// What it selects where nothing nearer does.
    pub selection: Selection,
    /// Its layer: nothing shows it a tool that its file does not list.
    pub layer: Layer,
    /// Where it was written.
    #[serde(skip)]
    pub place: Option<Place>,
}

/// What becomes of a call that asks at a door where nobody can answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unattended {
    /// It waits for a person elsewhere.
    #[default]
    Pending,
    /// It is denied.
    Deny,
}

/// Where answers to approvals come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub enum ApprovalsFrom {
    /// The operator: the command line of this user, at a terminal or not.
    #[default]
    Terminal,
    /// An approver with a key, and nothing else.
    Key,
}

/// What a project sets.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// Role of a call that names none at the command line.
    pub default_role: String,
    /// Where that was written.
    pub default_role_place: Option<Place>,
    /// Where the files are.
    pub workspace: Workspace,
    /// Named selections.
    pub toolsets: Vec<Toolset>,
    /// Roles beside or instead of the built-in ones.
    pub roles: Vec<Role>,
    /// Layers.
    pub layers: Vec<Layer>,
    /// Phases of a pipeline.
    pub phases: Vec<Phase>,
    /// What models of a provider start from.
    pub profiles: Vec<ProviderProfile>,
    /// Budgets of kinds of tasks.
    pub budgets: Vec<Budget>,
    /// Agents that a program made.
    pub agents: Vec<Agent>,
    /// Agent files, each with its path and what it says; read with the policy, since they name tools.
    pub agent_texts: Vec<(String, String)>,
    /// What holds where no rule is about a call.
    pub permissions: Permissions,
    /// What tools may reach on the web.
    pub web: Web,
    /// Limits of every call.
    pub limits: Limits,
    /// Defaults of chains.
    pub chain: ChainDefaults,
    /// What becomes of a call that asks where nobody can answer.
    pub unattended: Unattended,
    /// Where answers to approvals come from.
    pub approvals_from: ApprovalsFrom,
    /// The models that tools may ask.
    pub models: Models,
    /// Agent command lines beside or instead of the built-in ones.
    pub clis: Vec<CliSpec>,
    /// Files of earlier systems; read with the policy, since they name tools.
    pub files: EarlierFiles,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            default_role: "operator".to_owned(),
            default_role_place: None,
            workspace: Workspace {
                root: ".".to_owned(),
                state: None,
            },
            toolsets: Vec::new(),
            roles: Vec::new(),
            layers: Vec::new(),
            phases: Vec::new(),
            profiles: Vec::new(),
            budgets: Vec::new(),
            agents: Vec::new(),
            agent_texts: Vec::new(),
            permissions: Permissions::default(),
            web: Web::default(),
            limits: Limits::default(),
            chain: ChainDefaults::default(),
            unattended: Unattended::default(),
            approvals_from: ApprovalsFrom::default(),
            models: Models::default(),
            clis: Vec::new(),
            files: EarlierFiles::default(),
        }
    }
}

impl Config {
    /// The table of an agent command line: the configuration's, else the built-in one.
    pub fn cli(&self, name: &str) -> Option<&CliSpec> {
        let own = self.clis.iter().find(|cli| cli.name == name);
        own.or_else(|| CliSpec::of_name(name))
    }

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
        let policy = Policy::gather(catalogue, &config, &[], &mut errors);
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
