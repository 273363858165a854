//! Plugins: tools from folders, run by their own processes in the sandbox.
//!
//! [`load_plugins`] turns the texts of all folders into [`Plugin`]s: it checks manifests, settings and dependencies, and adds each tool to
//! the catalogue, with a spec that claims no more than its manifest. A [`PluginProcess`] runs their calls. A tool that is disabled or
//! lacks a dependency stays in the catalogue, so that policies can name it, and cannot be called.

mod manifest;
mod message;
mod openapi;
mod outside;
mod process;
mod running;
mod settings;
mod shape;
mod tool;
mod version;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use semver::VersionReq;
use tool_core::{AnyTool, Ctx, ToolError, Value};

use manifest::SERVER_PREFIX;
pub use manifest::{PluginDependency, PluginManifest, SCHEMA_VERSION, ToolEntry, check_name};
pub use message::PROTOCOL;
pub use openapi::{
    BODY, OpenApiOperation, OperationParameter, ParameterPlace, operation_tool, read_operations,
    template_names,
};
pub use outside::{PinnedTool, parse_pinned_tools, server_bundle, server_digest};
pub use process::{PluginProcess, PluginSpeech, ProcessLaunch, ProcessProtocol, Unchanged, pin_of};
pub use settings::{PluginSettings, PluginToolSettings};
pub use tool::{PluginRunner, own_tool};

use crate::document::{self, DocumentFormat, ParsedDocument};
use crate::error::{LoadError, LoadErrors};
use crate::model::McpServer;

/// The texts of one plugin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PluginBundle {
    /// Path of the manifest, as errors name it.
    pub manifest_name: String,
    /// The manifest.
    pub manifest: String,
    /// Path and text of the settings, if any.
    pub settings: Option<(String, String)>,
    /// Paths of all files, relative to the folder, with `/`.
    pub files: Vec<String>,
    /// Digest of everything in the folder.
    pub digest: String,
    /// The MCP server whose tools these are; they have no folder.
    pub server: Option<McpServer>,
}

/// The machine that plugins are loaded on.
pub trait PluginHost {
    /// Whether a program exists.
    fn has_program(&self, name: &str) -> bool;

    /// Makes the runner for the calls of tools with one command.
    fn runner(
        &self,
        bundle: &PluginBundle,
        manifest: &PluginManifest,
        command: &[String],
        config: &Value,
    ) -> Arc<dyn PluginRunner>;
}

/// Whether a plugin can be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PluginStatus {
    /// Ready.
    Ready,
    /// Disabled.
    Disabled,
    /// A dependency is missing, named here.
    Unavailable(String),
}

impl PluginStatus {
    /// The spelling in lists.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::Disabled => "disabled",
            Self::Unavailable(_) => "unavailable",
        }
    }
}

/// A loaded plugin.
#[derive(Clone)]
pub struct Plugin {
    /// The manifest.
    pub manifest: PluginManifest,
    /// The settings.
    pub settings: PluginSettings,
    /// The texts it was loaded from.
    pub bundle: PluginBundle,
    /// Whether it can be used.
    pub status: PluginStatus,
    /// Its tools: id, and the unmet precondition of one that cannot be called.
    pub tools: Vec<(String, Option<String>)>,
    erased: Vec<Arc<dyn AnyTool>>,
    runners: Vec<Arc<dyn PluginRunner>>,
    closed: Arc<AtomicBool>,
}

impl Plugin {
    /// Its tools, for the catalogue.
    pub fn erased(&self) -> &[Arc<dyn AnyTool>] {
        &self.erased
    }

    /// Starts its processes, where they are not running, and waits for their greetings.
    ///
    /// # Errors
    /// The first failure.
    pub fn greet(&self, ctx: &Ctx) -> Result<(), ToolError> {
        self.runners.iter().try_for_each(|runner| runner.greet(ctx))
    }

    /// Refuses further calls; a reload does not reuse it.
    pub fn close(&self, reason: &str) {
        self.closed.store(true, Ordering::Relaxed);
        self.runners.iter().for_each(|runner| runner.close(reason));
    }

    /// Whether it was closed.
    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }

    /// The source in the specs of its tools.
    pub fn source(&self) -> String {
        plugin_source(&self.manifest, &self.bundle.digest)
    }
}

fn plugin_source(manifest: &PluginManifest, digest: &str) -> String {
    format!("plugin {}@{} {digest}", manifest.name, manifest.version)
}

/// Checks a manifest alone.
///
/// # Errors
/// All its problems.
pub fn check_manifest(name: &str, text: &str) -> Result<(), LoadErrors> {
    let document = document::parse_document(name, text, DocumentFormat::Json)?;
    let mut errors = Vec::new();
    PluginManifest::read(&document, &mut errors);
    LoadErrors::check(errors)
}

/// A plugin with errors; no part of it is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokenPlugin {
    /// Names it may have: that of its folder, and the one in its manifest. Selectors of its tools select nothing.
    pub names: Vec<String>,
    /// Path of its manifest.
    pub manifest_name: String,
    /// All its problems.
    pub errors: LoadErrors,
    /// Whether its settings switch it off: its problems are then no faults of the project.
    pub is_off: bool,
    /// Whether it is sound, as far as is known, and waits for the user's agreement.
    pub is_untrusted: bool,
}

impl BrokenPlugin {
    /// A plugin with these errors.
    pub fn new(manifest_name: &str, manifest: &str, errors: LoadErrors) -> Self {
        let folder = manifest_name.rsplit('/').nth(1).unwrap_or_default();
        let mut names = vec![folder.to_owned()];
        // The text may be no JSON any more.
        let said = manifest.split_once("\"name\"").map(|(_, rest)| rest);
        let said = said.and_then(|rest| rest.split('"').nth(1));
        names.extend(said.filter(|name| *name != folder).map(str::to_owned));
        Self {
            names,
            manifest_name: manifest_name.to_owned(),
            errors,
            is_off: false,
            is_untrusted: false,
        }
    }

    /// The same, switched off or not.
    #[must_use]
    pub fn off(self, is_off: bool) -> Self {
        Self { is_off, ..self }
    }
}

/// Loads every plugin; one of `previous` that did not change is reused, with its process. Errors in one plugin do not affect the
/// others. A missing dependency is not an error: see [`PluginStatus`].
pub fn load_plugins(
    bundles: &[PluginBundle],
    machine: &dyn PluginHost,
    previous: &[Plugin],
) -> (Vec<Plugin>, Vec<BrokenPlugin>) {
    let mut read = Vec::new();
    let mut broken = Vec::new();
    for bundle in bundles {
        let mut errors = Vec::new();
        let found = ValidPlugin::of(bundle, &mut errors);
        match (found, LoadErrors::check(errors)) {
            (Some(found), Ok(())) => read.push(found),
            (None, Ok(())) => {}
            (_, Err(errors)) => {
                broken.push(BrokenPlugin::new(
                    &bundle.manifest_name,
                    &bundle.manifest,
                    errors,
                ));
            }
        }
    }
    let place = |one: &ValidPlugin| (one.manifest.name.clone(), one.bundle.manifest_name.clone());
    let places: Vec<(String, String)> = read.iter().map(place).collect();
    // Which of two with one name is meant is not guessed.
    read.retain(|one| {
        let (name, here) = (&one.manifest.name, &one.bundle.manifest_name);
        let mut places = places.iter();
        let Some((_, other)) = places.find(|(other, at)| other == name && at != here) else {
            return true;
        };
        let message = format!("two plugins are named `{name}`: here and in {other}");
        let error = LoadError::new(Some(&one.document.place("/name")), message).at("/name");
        let manifest = &one.bundle.manifest;
        broken.push(BrokenPlugin::new(here, manifest, LoadErrors::from(error)));
        false
    });
    let statuses = plugin_statuses(&read, machine);
    let plugins = read.into_iter().zip(statuses);
    let plugins = plugins.map(|(read, status)| read.plugin(status, machine, previous));
    (plugins.collect(), broken)
}

/// A plugin without errors.
struct ValidPlugin {
    bundle: PluginBundle,
    document: ParsedDocument,
    manifest: PluginManifest,
    settings: PluginSettings,
    config: Value,
}

impl ValidPlugin {
    fn of(bundle: &PluginBundle, errors: &mut Vec<LoadError>) -> Option<Self> {
        let mut parse = |name: &str, text: &str| match document::parse_document(
            name,
            text,
            DocumentFormat::Json,
        ) {
            Ok(document) => Some(document),
            Err(found) => {
                errors.extend(found.into_list());
                None
            }
        };
        let document = parse(&bundle.manifest_name, &bundle.manifest);
        let settings = bundle.settings.as_ref();
        let settings = settings.map(|(name, text)| parse(name, text));
        let document = document?;
        let manifest = PluginManifest::read(&document, errors)?;
        let known = || bundle.files.iter().map(String::as_str);
        if bundle.server.is_none() && manifest.name.starts_with(SERVER_PREFIX) {
            let message =
                format!("names that begin with `{SERVER_PREFIX}` are those of MCP servers");
            errors.push(LoadError::new(Some(&document.place("/name")), message).at("/name"));
        }
        for file in manifest
            .files()
            .filter(|file| !known().any(|known| known == *file))
        {
            let message = format_args!("the plugin has no file `{file}`");
            let error = LoadError::new(Some(&document.place("/command")), message);
            errors.push(error.at("/command").nearest(file, known()));
        }
        let settings = match settings {
            None => None,
            Some(None) => return None,
            Some(found) => found,
        };
        let (settings, config) = PluginSettings::read(settings.as_ref(), &manifest, errors);
        Some(Self {
            bundle: bundle.clone(),
            document,
            manifest,
            settings,
            config,
        })
    }

    fn is_enabled(&self) -> bool {
        self.settings.enabled.unwrap_or(self.manifest.enabled)
    }

    fn plugin(self, status: PluginStatus, machine: &dyn PluginHost, previous: &[Plugin]) -> Plugin {
        let same = |other: &&Plugin| {
            other.bundle == self.bundle && other.status == status && !other.is_closed()
        };
        if let Some(same) = previous.iter().find(same) {
            return same.clone();
        }
        let Self {
            bundle,
            manifest,
            settings,
            config,
            ..
        } = self;
        let source = plugin_source(&manifest, &bundle.digest);
        // Tools with one command share a process.
        let mut runners: BTreeMap<Vec<String>, Arc<dyn PluginRunner>> = BTreeMap::new();
        let mut tools = Vec::new();
        let mut erased = Vec::new();
        for entry in &manifest.tools {
            let enabled = settings
                .tools
                .get(&entry.name)
                .and_then(|tool| tool.enabled);
            let id = manifest.id(&entry.name);
            let unmet = match &status {
                PluginStatus::Disabled => Some(format!("plugin {}=enabled", manifest.name)),
                PluginStatus::Unavailable(reason) => Some(reason.clone()),
                PluginStatus::Ready if enabled.unwrap_or(entry.enabled) => None,
                PluginStatus::Ready => Some(format!("tool {id}=enabled")),
            };
            let runner = runners.entry(entry.command.clone());
            let runner = runner
                .or_insert_with(|| machine.runner(&bundle, &manifest, &entry.command, &config));
            let (unmet_fact, runner) = (unmet.as_deref(), Arc::clone(runner));
            erased.push(tool::build_plugin_tool(
                &manifest, entry, &source, unmet_fact, runner,
            ));
            tools.push((id, unmet));
        }
        Plugin {
            status,
            tools,
            erased,
            runners: runners.into_values().collect(),
            closed: Arc::default(),
            manifest,
            settings,
            bundle,
        }
    }
}

/// The status of each; a plugin whose dependency is not ready is not ready either.
fn plugin_statuses(read: &[ValidPlugin], machine: &dyn PluginHost) -> Vec<PluginStatus> {
    let status = |one: &ValidPlugin| match one.is_enabled() {
        true => PluginStatus::Ready,
        false => PluginStatus::Disabled,
    };
    let mut statuses: Vec<PluginStatus> = read.iter().map(status).collect();
    let programs: BTreeSet<&str> = read.iter().flat_map(required_programs).collect();
    let missing = programs
        .into_iter()
        .filter(|name| !machine.has_program(name));
    let missing: BTreeSet<&str> = missing.collect();
    loop {
        let mut changed = false;
        for index in 0..read.len() {
            if statuses[index] != PluginStatus::Ready {
                continue;
            }
            if let Some(reason) = unmet_requirement(&read[index], read, &statuses, &missing) {
                statuses[index] = PluginStatus::Unavailable(reason);
                changed = true;
            }
        }
        if !changed {
            return statuses;
        }
    }
}

/// The programs that a plugin declares, and those its commands begin with.
fn required_programs(read: &ValidPlugin) -> impl Iterator<Item = &str> {
    let manifest = &read.manifest;
    let declared = manifest
        .dependencies
        .iter()
        .filter_map(|dependency| match dependency {
            PluginDependency::Program(name) => Some(name.as_str()),
            _ => None,
        });
    let run = manifest
        .tools
        .iter()
        .filter_map(|tool| Some(tool.command.first()?.as_str()));
    declared.chain(run.filter(|word| !word.starts_with("./")))
}

fn unmet_requirement(
    read: &ValidPlugin,
    all: &[ValidPlugin],
    statuses: &[PluginStatus],
    missing: &BTreeSet<&str>,
) -> Option<String> {
    if let Some(program) = required_programs(read).find(|name| missing.contains(name)) {
        return Some(format!("bin:{program}"));
    }
    read.manifest.dependencies.iter().find_map(|dependency| {
        let PluginDependency::Plugin(name, range) = dependency else {
            return None;
        };
        let wanted = match *range == VersionReq::STAR {
            true => format!("plugin {name}"),
            false => format!("plugin {name} {range}"),
        };
        let found = all.iter().position(|other| other.manifest.name == *name);
        let ready = found.is_some_and(|index| {
            statuses[index] == PluginStatus::Ready && range.matches(&all[index].manifest.version)
        });
        (!ready).then_some(wanted)
    })
}
