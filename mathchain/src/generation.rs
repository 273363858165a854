//! Generations: configuration, tools, policy and dispatcher, replaced as a whole. A call uses one generation from start to end.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock, Weak};

use agents::AgentService;
use agents::pipeline::run_requested_pipeline;
use agents::spawn::prepare_role_agent;
use registry::plugins::{BrokenPlugin, Plugin, PluginStatus};
use registry::{Catalogue, Config, DispatchHost, Dispatcher, LoadError, Policy, PolicyLayer};
use tool_core::capability::EventLog;
use tool_core::{AnyTool, Encode, ErasedTool, Result, Value, convert, object, tool_error};

use crate::notify;
use crate::plugins::{self, LoadedPlugins, PluginLoader, PluginRoot, PluginSnapshot};

/// Reloads the configuration.
pub type Reread = dyn Fn() -> Result<Config> + Send + Sync;

/// One loaded configuration, with its tools, policy and dispatcher.
pub struct ConfigGeneration {
    pub dispatcher: Arc<Dispatcher>,
    pub config: Arc<Config>,
    pub plugins: Arc<Vec<Plugin>>,
    /// Plugins with errors, none of whose tools is available.
    pub broken: Vec<BrokenPlugin>,
}

/// The changes of a reload.
#[derive(Debug, Clone, Default, PartialEq, Eq, Encode)]
pub struct ReloadReport {
    /// Added plugins.
    pub added: Vec<String>,
    /// Removed plugins.
    pub removed: Vec<String>,
    /// Plugins whose files, settings or status changed.
    pub changed: Vec<String>,
    /// Plugins with errors, none of whose tools is available.
    pub broken: Vec<String>,
    /// Whether the configuration changed.
    pub configuration: bool,
    /// The policy generation in force now.
    pub generation: String,
}

impl ReloadReport {
    /// Whether anything changed.
    pub fn is_any(&self) -> bool {
        self.configuration
            || [&self.added, &self.removed, &self.changed, &self.broken]
                .iter()
                .any(|list| !list.is_empty())
    }

    /// As an object of JSON.
    pub fn to_value(&self) -> Value {
        convert::to_value(self).unwrap_or_default()
    }
}

/// The sources of generations, and the current one.
pub struct ConfigGenerations {
    current: RwLock<Arc<ConfigGeneration>>,
    /// One reload at a time.
    reloading: Mutex<()>,
    families: Vec<&'static [ErasedTool]>,
    /// Tools added at run time.
    added: Mutex<Vec<Arc<dyn AnyTool>>>,
    layers: Vec<PolicyLayer>,
    host: DispatchHost,
    agents: Option<Arc<AgentService>>,
    loader: Option<PluginLoader>,
    reread: Option<Box<Reread>>,
}

impl ConfigGenerations {
    /// Builds the first generation.
    ///
    /// # Errors
    /// Tools that contradict each other, a policy or plugin with errors.
    pub fn start(
        families: Vec<&'static [ErasedTool]>,
        layers: Vec<PolicyLayer>,
        config: Config,
        mut host: DispatchHost,
        agents: Option<Arc<AgentService>>,
        loader: Option<PluginLoader>,
        reread: Option<Box<Reread>>,
    ) -> Result<Arc<Self>> {
        let servers = &config.mcp_servers;
        let loaded = loader.as_ref().map(|loader| loader.load(servers, &[]));
        let loaded = loaded.transpose()?.unwrap_or_default();
        let cell = Arc::new(OnceLock::<Weak<Self>>::new());
        let reloaded = Arc::clone(&cell);
        host.capabilities.reload = Some(Arc::new(move || {
            match reloaded.get().and_then(Weak::upgrade) {
                Some(generations) => generations.reload().map(|changes| changes.to_value()),
                None => Err(tool_error!(PreconditionFailed, "the toolkit is closed")),
            }
        }));
        let first = Arc::new(build_generation(
            &families,
            &[],
            &layers,
            (&host, agents.as_ref()),
            config,
            loaded,
        )?);
        let made = Arc::new(Self {
            current: RwLock::new(first),
            reloading: Mutex::default(),
            families,
            added: Mutex::default(),
            layers,
            host,
            agents,
            loader,
            reread,
        });
        let _ = cell.set(Arc::downgrade(&made)); // it is empty: only this function has it
        Ok(made)
    }

    /// The current generation.
    pub fn current(&self) -> Arc<ConfigGeneration> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Reloads configuration and plugins, and replaces the generation if anything changed.
    ///
    /// # Errors
    /// Every error found; the old generation then stays in force, without removed or disabled plugins.
    pub fn reload(&self) -> Result<ReloadReport> {
        let _one = self
            .reloading
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let old = self.current();
        self.next(&old).inspect_err(|_| {
            for plugin in old.plugins.iter() {
                if let Some(reason) = plugins::withdrawal_reason(plugin, self.roots()) {
                    plugin.close(&reason);
                }
            }
        })
    }

    fn next(&self, old: &ConfigGeneration) -> Result<ReloadReport> {
        let config = match &self.reread {
            Some(reread) => reread()?,
            None => Config::clone(&old.config),
        };
        let named = |config: &Config| -> Vec<String> {
            let files = config.files.iter();
            files.map(|file| file.path.text.clone()).collect()
        };
        // The visible and write-protected files were determined when the workspace was opened.
        for (key, changed) in [
            ("workspace", config.workspace != old.config.workspace),
            ("code", config.code != old.config.code),
            ("files", named(&config) != named(&old.config)),
        ] {
            if changed {
                return Err(tool_error!(Conflict, "configuration";
                    "`{key}` changed, which requires a restart"));
            }
        }
        let found = self.loader.as_ref();
        let found = found.map(|loader| loader.load(&config.mcp_servers, &old.plugins));
        let found = found.transpose()?.unwrap_or_default();
        // A working plugin stays in use until its new version is free of errors.
        let fell = found.broken.iter().filter(|broken| {
            let names = &broken.names;
            let mut loaded = old.plugins.iter();
            loaded.any(|plugin| names.contains(&plugin.manifest.name))
        });
        LoadedPlugins::strict(&fell.cloned().collect::<Vec<_>>())?;
        let mut reloaded = plugin_differences(&old.plugins, &found.plugins);
        reloaded.configuration = config != *old.config;
        let names = found.broken.iter().map(|one| one.names.last().cloned());
        reloaded.broken = names.flatten().collect();
        if !reloaded.is_any() && found.broken == old.broken {
            reloaded.generation = old.dispatcher.policy().generation().to_owned();
            return Ok(reloaded);
        }
        let mut host = self.host.clone();
        if reloaded.configuration {
            let http = crate::web::http_client(&config, Arc::clone(&self.host.clock))?;
            host.capabilities.algebra = crate::algebra::of_config(
                &config.symbolic,
                self.host.capabilities.spawner.clone(),
                Arc::clone(&self.host.clock),
            );
            host.capabilities.model = crate::models::of_config(&config.models, http.clone());
            host.capabilities.http = http;
        } else {
            host = self.host_of(old);
        }
        let added = self.added();
        let next = build_generation(
            &self.families,
            &added,
            &self.layers,
            (&host, self.agents.as_ref()),
            config,
            found,
        )?;
        reloaded.generation = next.dispatcher.policy().generation().to_owned();
        self.replace(old, next);
        Ok(reloaded)
    }

    /// The host of a generation, with the log of workflows as none of them has changed it.
    fn host_of(&self, old: &ConfigGeneration) -> DispatchHost {
        let mut host = old.dispatcher.host().clone();
        host.capabilities
            .events
            .clone_from(&self.host.capabilities.events);
        host
    }

    /// Puts the next generation in force. Budgets already used stay used.
    fn replace(&self, old: &ConfigGeneration, mut next: ConfigGeneration) {
        let counting = Dispatcher::clone(&next.dispatcher).continuing(&old.dispatcher);
        next.dispatcher = Arc::new(counting);
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(next);
    }

    fn added(&self) -> MutexGuard<'_, Vec<Arc<dyn AnyTool>>> {
        self.added.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds tools to the current and every later generation.
    ///
    /// # Errors
    /// As [`ConfigGenerations::start`]; the old generation then stays in force.
    pub fn add_tools(&self, tools: &[Arc<dyn AnyTool>]) -> Result<()> {
        let _one = self
            .reloading
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let old = self.current();
        let mut added = self.added();
        let all: Vec<_> = added.iter().chain(tools).cloned().collect();
        let loaded = LoadedPlugins {
            plugins: old.plugins.to_vec(),
            broken: old.broken.clone(),
        };
        let (host, config) = (self.host_of(&old), Config::clone(&old.config));
        let next = build_generation(
            &self.families,
            &all,
            &self.layers,
            (&host, self.agents.as_ref()),
            config,
            loaded,
        )?;
        self.replace(&old, next);
        *added = all;
        Ok(())
    }

    /// A snapshot of the files of plugins and of others, to detect changes.
    pub fn seen(&self, others: &[PathBuf]) -> PluginSnapshot {
        PluginSnapshot::now(self.roots(), others)
    }

    /// What starts agents.
    pub fn agents(&self) -> Option<&Arc<AgentService>> {
        self.agents.as_ref()
    }

    /// The folders of plugins.
    pub fn roots(&self) -> &[PluginRoot] {
        self.loader
            .as_ref()
            .map(PluginLoader::roots)
            .unwrap_or_default()
    }
}

fn build_generation(
    families: &[&'static [ErasedTool]],
    added: &[Arc<dyn AnyTool>],
    layers: &[PolicyLayer],
    (host, agents): (&DispatchHost, Option<&Arc<AgentService>>),
    config: Config,
    LoadedPlugins { plugins, broken }: LoadedPlugins,
) -> Result<ConfigGeneration> {
    let tools: Vec<_> = plugins
        .iter()
        .flat_map(|plugin| plugin.erased().iter().cloned())
        .chain(added.iter().cloned())
        .chain(crate::openapi::service_tools(&config)?)
        .collect();
    let lost = broken.iter().flat_map(|broken| broken.names.clone());
    let catalogue = Catalogue::with_plugins(families, &tools)?.without(lost);
    let policy = Policy::compile(&catalogue, &config, layers)?;
    let (catalogue, policy) = (Arc::new(catalogue), Arc::new(policy));
    let config = Arc::new(config);
    let mut host = host.clone();
    host.capabilities.commit_rules = Some(Arc::new(config.git.commit.clone()));
    host.notifier = notify::of_config(&config.notify, host.capabilities.spawner.clone());
    if let Some(notifier) = &host.notifier {
        let told = |log| {
            Arc::new(notify::NotifyingLog::new(log, Arc::clone(notifier))) as Arc<dyn EventLog>
        };
        host.capabilities.events = host.capabilities.events.take().map(told);
    }
    host.agents = agents.map(|agents| -> Arc<registry::Agents> {
        let (service, config) = (Arc::clone(agents), Arc::clone(&config));
        Arc::new(move |dispatcher, who, heir| {
            prepare_role_agent(&service, &config, dispatcher, who, heir)
        })
    });
    host.pipelines = agents.map(|agents| -> Arc<registry::Pipelines> {
        let (service, config) = (Arc::clone(agents), Arc::clone(&config));
        Arc::new(move |dispatcher, call| {
            run_requested_pipeline(&service, &config, dispatcher, call)
        })
    });
    let dispatcher = Dispatcher::new(catalogue, policy, config.limits, host);
    Ok(ConfigGeneration {
        dispatcher: Arc::new(dispatcher),
        config,
        plugins: Arc::new(plugins),
        broken,
    })
}

fn plugin_differences(old: &[Plugin], new: &[Plugin]) -> ReloadReport {
    let state = |plugin: &Plugin| {
        (
            plugin.bundle.clone(),
            plugin.status.clone(),
            plugin.is_closed(),
        )
    };
    let name = |plugin: &Plugin| plugin.manifest.name.clone();
    let find = |list: &[Plugin], wanted: &Plugin| {
        list.iter()
            .position(|plugin| plugin.manifest.name == wanted.manifest.name)
    };
    let mut reloaded = ReloadReport::default();
    for plugin in new {
        match find(old, plugin) {
            None => reloaded.added.push(name(plugin)),
            Some(index) if state(&old[index]) != state(plugin) => {
                reloaded.changed.push(name(plugin))
            }
            Some(_) => {}
        }
    }
    let gone = old.iter().filter(|plugin| find(new, plugin).is_none());
    reloaded.removed = gone.map(name).collect();
    reloaded
}

/// A loaded plugin, for lists.
pub fn describe_plugin(plugin: &Plugin) -> Value {
    let (manifest, bundle) = (&plugin.manifest, &plugin.bundle);
    let tools = plugin.tools.iter();
    let tools = tools.map(|(id, unmet)| object! { "id" => id.as_str(), "unmet" => unmet.clone() });
    let lacks = match &plugin.status {
        PluginStatus::Unavailable(reason) => Some(reason.clone()),
        _ => None,
    };
    object! {
        "name" => manifest.name.as_str(),
        "version" => manifest.version.to_string(),
        "status" => plugin.status.as_str(),
        "lacks" => lacks,
        "description" => manifest.description.as_str(),
        "manifest" => bundle.manifest_name.as_str(),
        "digest" => bundle.digest.as_str(),
        "tools" => tools.collect::<Vec<_>>(),
    }
}

/// A broken plugin, for lists.
pub fn describe_broken(broken: &BrokenPlugin) -> Value {
    let errors = broken.errors.list().iter().map(LoadError::with_key);
    object! {
        "name" => broken.names.last().cloned(),
        "status" => status_of_broken(broken),
        "manifest" => broken.manifest_name.as_str(),
        "errors" => errors.collect::<Vec<_>>(),
        "tools" => Vec::<Value>::new(),
    }
}

/// The status of a broken plugin: its settings may switch it off.
pub fn status_of_broken(broken: &BrokenPlugin) -> &'static str {
    match (broken.is_off, broken.is_untrusted) {
        (true, _) => "disabled, broken",
        (false, true) => "not trusted",
        (false, false) => "broken",
    }
}
