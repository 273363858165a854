//! Plugins on this machine: their folders and the processes that run their tools.

mod folder;
mod servers;
mod watch;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use registry::model::McpServer;
use registry::plugins::{
    BrokenPlugin, Plugin, PluginBundle, PluginHost, PluginManifest, PluginProcess, PluginRunner,
    PluginSpeech, ProcessLaunch, ProcessProtocol,
};
use registry::{LoadError, LoadErrors};
use tool_core::capability::{Clock, Spawner};
use tool_core::command::{CommandAccess, SandboxCommand};
use tool_core::{Ctx, Result, ToolError, Value, tool_error};

use crate::environment;
use crate::trust::{self, NOT_TRUSTED, TrustRecord};

pub use servers::server_launch;
pub use watch::PluginSnapshot;

/// Longest line of the protocol, in bytes.
const LINE_BYTES_MAX: usize = 16 << 20;
/// Number of last bytes of standard error that are kept.
const STDERR_BYTES_MAX: usize = 4096;
/// Lifetime of a process, after which it is restarted; calls have their own deadlines.
const LIFE: Duration = Duration::from_secs(24 * 3600);

/// Code and manifest of the template.
const TEMPLATE: (&str, &str) = (
    include_str!("../../assets/plugin/plugin.py"),
    include_str!("../../assets/plugin/manifest.json"),
);

/// A folder of plugins, and the one with their settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PluginRoot {
    /// One folder below it for each plugin.
    pub plugins: PathBuf,
    /// `<name>.json` for each plugin that has settings.
    pub settings: PathBuf,
    /// `<name>.json` for each MCP server, with its pinned tools.
    pub servers: PathBuf,
    /// Whether manifests without a schema version belong to another program and are ignored.
    pub shared: bool,
    /// The folder whose plugins count as far as this user agreed to them (`mathchain trust`); `None` where the caller vouches for them.
    pub folder: Option<PathBuf>,
}

impl PluginRoot {
    /// `plugins`, `plugin-settings` and `mcp-servers` in a folder.
    pub fn beside(folder: &Path) -> Self {
        Self {
            plugins: folder.join("plugins"),
            settings: folder.join("plugin-settings"),
            servers: folder.join(McpServer::PINS),
            shared: false,
            folder: None,
        }
    }

    /// The same, of a folder that may come from anywhere: a plugin counts once this user agreed to it as it is.
    #[must_use]
    pub fn of_folder(self, folder: &Path) -> Self {
        Self {
            folder: Some(folder.to_owned()),
            ..self
        }
    }

    /// The same in a folder that may have a `plugins` of another program.
    #[must_use]
    pub fn shared(self) -> Self {
        Self {
            shared: true,
            ..self
        }
    }
}

/// Loads plugins from their folders.
pub struct PluginLoader {
    roots: Vec<PluginRoot>,
    spawner: Arc<dyn Spawner>,
    clock: Arc<dyn Clock>,
}

impl PluginLoader {
    pub fn new(roots: Vec<PluginRoot>, spawner: Arc<dyn Spawner>, clock: Arc<dyn Clock>) -> Self {
        Self {
            roots,
            spawner,
            clock,
        }
    }

    pub fn roots(&self) -> &[PluginRoot] {
        &self.roots
    }

    /// Loads all plugins, and servers as plugins; one of `previous` that did not change is reused. Errors in one do not affect the others.
    ///
    /// # Errors
    /// A folder of plugins that cannot be listed.
    pub fn load(&self, servers: &[McpServer], previous: &[Plugin]) -> Result<LoadedPlugins> {
        let (mut bundles, mut unread) = (Vec::new(), Vec::new());
        for server in servers {
            match registry::plugins::server_bundle(server) {
                Ok(bundle) => bundles.push(bundle),
                Err(errors) => unread.push(BrokenPlugin {
                    names: vec![server.plugin()],
                    manifest_name: format!("{}/{}.json", McpServer::PINS, server.name),
                    errors,
                    is_off: false,
                    is_untrusted: true,
                }),
            }
        }
        for root in &self.roots {
            let mut record = None;
            for found in folder::read_bundles(root)? {
                match found {
                    Ok(bundle) if is_agreed_to(root, &bundle, &mut record) => bundles.push(bundle),
                    Ok(bundle) => {
                        let error = LoadError::new(None, NOT_TRUSTED).hint(trust::HINT);
                        unread.push(BrokenPlugin {
                            is_untrusted: true,
                            ..BrokenPlugin::new(
                                &bundle.manifest_name,
                                &bundle.manifest,
                                error.into(),
                            )
                        });
                    }
                    Err(broken) => unread.push(broken),
                }
            }
        }
        let (plugins, mut broken) = registry::plugins::load_plugins(&bundles, self, previous);
        broken.append(&mut unread);
        let broken = broken.into_iter().map(|one| {
            let is_off = broken_settings(&one, &self.roots)
                .is_some_and(|settings| settings.enabled == Some(false));
            one.off(is_off)
        });
        Ok(LoadedPlugins {
            plugins,
            broken: broken.collect(),
        })
    }
}

/// Whether this user agreed to a plugin of a folder as it is; the record is read for the first one.
fn is_agreed_to(
    root: &PluginRoot,
    bundle: &PluginBundle,
    record: &mut Option<TrustRecord>,
) -> bool {
    let Some(folder) = &root.folder else {
        return true;
    };
    let record = record.get_or_insert_with(|| TrustRecord::of(&environment::real_path(folder)));
    record.has(&trust::of_plugin(&trust::name_of(bundle), &bundle.digest))
}

/// The plugins of a folder, as they are agreed to; broken ones are none.
///
/// # Errors
/// A folder of plugins that cannot be listed.
pub fn plugin_trust_items(root: &PluginRoot) -> Result<Vec<trust::TrustItem>> {
    let bundles = folder::read_bundles(root)?.into_iter().flatten();
    Ok(bundles
        .map(|bundle| trust::of_plugin(&trust::name_of(&bundle), &bundle.digest))
        .collect())
}

/// The loaded plugins, and the broken ones.
#[derive(Default)]
pub struct LoadedPlugins {
    pub plugins: Vec<Plugin>,
    pub broken: Vec<BrokenPlugin>,
}

impl LoadedPlugins {
    /// All problems of all plugins that are not switched off, for strict commands.
    pub fn strict(broken: &[BrokenPlugin]) -> Result<()> {
        let broken = broken.iter().filter(|one| !one.is_off);
        let errors = broken.flat_map(|one| one.errors.list().to_vec());
        Ok(LoadErrors::check(errors.collect())?)
    }
}

impl PluginHost for PluginLoader {
    fn has_program(&self, name: &str) -> bool {
        self.spawner.find(name).is_some()
    }

    fn runner(
        &self,
        bundle: &PluginBundle,
        manifest: &PluginManifest,
        command: &[String],
        config: &Value,
    ) -> Arc<dyn PluginRunner> {
        let folder = Path::new(&bundle.manifest_name).parent();
        let folder = folder.unwrap_or(Path::new("")).to_owned();
        let (spawner, clock) = (Arc::clone(&self.spawner), Arc::clone(&self.clock));
        if let Some(server) = &bundle.server {
            let folder = folder.parent().unwrap_or(&folder);
            return match self.server(server, folder) {
                Ok(launch) => Arc::new(PluginProcess::new(
                    launch,
                    spawner,
                    clock,
                    Box::new(|| true),
                )),
                Err(err) => Arc::new(RefusingRunner(err)),
            };
        }
        let command = match self.command(&folder, manifest, command) {
            Ok(command) => command,
            Err(err) => return Arc::new(RefusingRunner(err)),
        };
        let launch = ProcessLaunch {
            name: manifest.name.clone(),
            command,
            speech: ProcessProtocol::Plugin(PluginSpeech {
                version: manifest.version.to_string(),
                modules: manifest.modules(),
                config: config.clone(),
            }),
            concurrency: manifest.concurrency(),
        };
        let digest = bundle.digest.clone();
        let unchanged =
            move || folder::read_plugin_folder(&folder).is_ok_and(|read| read.digest == digest);
        Arc::new(PluginProcess::new(
            launch,
            spawner,
            clock,
            Box::new(unchanged),
        ))
    }
}

impl PluginLoader {
    fn server(&self, server: &McpServer, folder: &Path) -> Result<ProcessLaunch> {
        let pinned = match &server.pin {
            Some(Ok(pin)) => registry::plugins::parse_pinned_tools(&server.name, pin)?,
            _ => Vec::new(),
        };
        server_launch(server, folder, pinned, &*self.spawner)
    }

    fn command(
        &self,
        folder: &Path,
        manifest: &PluginManifest,
        words: &[String],
    ) -> Result<SandboxCommand> {
        let text = |path: &Path| {
            path.to_str().map(str::to_owned).ok_or_else(
                || tool_error!(PreconditionFailed; "the path `{}` is not UTF-8", path.display()),
            )
        };
        let mut argv = Vec::new();
        let mut readable = vec![folder.to_owned()];
        for (index, word) in words.iter().enumerate() {
            match word.strip_prefix("./") {
                Some(file) => argv.push(text(&folder.join(file))?),
                None if index == 0 => {
                    let program = self.spawner.find(word).ok_or_else(|| {
                        tool_error!(PreconditionFailed, "program `{word}` not found")
                    })?;
                    argv.push(program.path);
                    readable.extend(program.readable);
                }
                None => argv.push(word.clone()),
            }
        }
        let mut command = SandboxCommand::new(argv);
        command.readable = readable;
        command.workspace = match manifest.reads_workspace() {
            true => CommandAccess::Read,
            false => CommandAccess::None,
        };
        command.limits.wall = LIFE;
        command.limits.cpu = LIFE;
        command.limits.stdout_bytes = LINE_BYTES_MAX;
        command.limits.stderr_bytes = STDERR_BYTES_MAX;
        Ok(command)
    }
}

/// Runs nothing.
struct RefusingRunner(ToolError);

impl PluginRunner for RefusingRunner {
    fn call(&self, _: &str, _: &Value, _: &Ctx) -> Result<Value> {
        Err(self.0.clone())
    }

    fn greet(&self, _: &Ctx) -> Result<()> {
        Err(self.0.clone())
    }
}

fn root_of<'a>(manifest: &str, roots: &'a [PluginRoot]) -> Option<&'a PluginRoot> {
    let manifest = Path::new(manifest);
    roots
        .iter()
        .find(|root| manifest.starts_with(&root.plugins))
}

/// The settings of a broken plugin, if they can be read.
fn broken_settings(
    broken: &BrokenPlugin,
    roots: &[PluginRoot],
) -> Option<registry::plugins::PluginSettings> {
    let root = root_of(&broken.manifest_name, roots)?;
    let (_, text) = folder::plugin_settings(root, broken.names.last()?).ok()??;
    registry::plugins::PluginSettings::of_text(&broken.manifest_name, &text).ok()
}

/// The reason to close a running plugin: its settings disable it, or its folder was removed.
pub fn withdrawal_reason(plugin: &Plugin, roots: &[PluginRoot]) -> Option<String> {
    let name = &plugin.manifest.name;
    if !Path::new(&plugin.bundle.manifest_name).exists() {
        return Some(format!("the plugin `{name}` was removed"));
    }
    let root = root_of(&plugin.bundle.manifest_name, roots)?;
    let (_, text) = folder::plugin_settings(root, name).ok()??;
    let settings = registry::plugins::PluginSettings::of_text(name, &text).ok()?;
    (settings.enabled == Some(false)).then(|| format!("the plugin `{name}` was switched off"))
}

/// Writes the files of a working plugin, the manifest last, and returns their paths.
pub fn write_template(folder: &Path, name: &str) -> Result<Vec<PathBuf>> {
    let manifest = TEMPLATE.1.replace("\"example\"", &format!("\"{name}\""));
    registry::plugins::check_manifest(&folder.join("manifest.json").to_string_lossy(), &manifest)?;
    let files = [("plugin.py", TEMPLATE.0), ("manifest.json", &manifest)];
    folder::write_new(folder, &files)
}

/// Changes the settings of a plugin, and returns the path of the file.
pub fn change_settings(
    plugin: &Plugin,
    roots: &[PluginRoot],
    change: impl FnOnce(&mut registry::plugins::PluginSettings),
) -> Result<PathBuf> {
    let name = &plugin.manifest.name;
    let missing = || tool_error!(Internal, "the plugin `{name}` is in no folder of plugins");
    let root = root_of(&plugin.bundle.manifest_name, roots).ok_or_else(missing)?;
    let mut settings = plugin.settings.clone();
    change(&mut settings);
    folder::write_settings(root, name, &settings.to_text())
}

/// Switches a broken plugin on or off in its settings, and returns the path of the file.
pub fn switch_broken(broken: &BrokenPlugin, roots: &[PluginRoot], on: bool) -> Result<PathBuf> {
    let name = broken.names.last().map_or("", String::as_str);
    let missing = || tool_error!(Internal, "the plugin `{name}` is in no folder of plugins");
    registry::plugins::check_name(name)
        .map_err(|fault| tool_error!(InvalidRequest, "plugin"; "{fault}"))?;
    let root = root_of(&broken.manifest_name, roots).ok_or_else(missing)?;
    let mut settings = broken_settings(broken, roots).unwrap_or_default();
    settings.enabled = Some(on);
    folder::write_settings(root, name, &settings.to_text())
}
