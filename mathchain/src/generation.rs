//! Generations: tools, policy and dispatcher of one moment, swapped whole. A call holds the one it began with.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock, Weak};

use registry::plugins::{Broken, Plugin, Status};
use registry::{Catalogue, Config, Dispatcher, Host, Layer, Policy};
use tool_core::{Entry, ErrorCode, ToolError, Value};

use crate::plugins::{self, Loaded, Loader, Seen};

/// Reads the configuration again.
pub(crate) type Reread = dyn Fn() -> Result<Config, ToolError> + Send + Sync;

/// What one moment consists of.
pub(crate) struct Generation {
    pub(crate) dispatcher: Arc<Dispatcher>,
    pub(crate) config: Arc<Config>,
    pub(crate) plugins: Arc<Vec<Plugin>>,
    /// Plugins that could not be read; nothing of them is used.
    pub(crate) broken: Vec<Broken>,
}

/// What a reload changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reloaded {
    /// Plugins that are new.
    pub added: Vec<String>,
    /// Plugins that are gone.
    pub removed: Vec<String>,
    /// Plugins whose files, settings or status changed.
    pub changed: Vec<String>,
    /// Plugins that cannot be read, whose tools are not there.
    pub broken: Vec<String>,
    /// Whether the configuration changed.
    pub configuration: bool,
    /// The policy generation that holds now.
    pub generation: String,
}

impl Reloaded {
    /// Whether anything changed.
    pub fn is_any(&self) -> bool {
        self.configuration
            || [&self.added, &self.removed, &self.changed, &self.broken]
                .iter()
                .any(|list| !list.is_empty())
    }

    /// As data.
    pub fn to_value(&self) -> Value {
        Value::object([
            ("added", Value::from(self.added.clone())),
            ("removed", Value::from(self.removed.clone())),
            ("changed", Value::from(self.changed.clone())),
            ("broken", Value::from(self.broken.clone())),
            ("configuration", Value::from(self.configuration)),
            ("generation", Value::from(self.generation.as_str())),
        ])
    }
}

/// Everything generations are made of, and the one that holds.
pub(crate) struct Generations {
    current: RwLock<Arc<Generation>>,
    /// One reload at a time.
    reloading: Mutex<()>,
    families: Vec<&'static [Entry]>,
    layers: Vec<Layer>,
    host: Host,
    loader: Option<Loader>,
    reread: Option<Box<Reread>>,
}

impl Generations {
    /// The first one.
    ///
    /// # Errors
    /// Tools that contradict each other, a policy or plugin with errors.
    pub(crate) fn start(
        families: Vec<&'static [Entry]>,
        layers: Vec<Layer>,
        config: Config,
        mut host: Host,
        loader: Option<Loader>,
        reread: Option<Box<Reread>>,
    ) -> Result<Arc<Self>, ToolError> {
        let loaded = loader.as_ref().map(|loader| loader.load(&[]));
        let loaded = loaded.transpose()?.unwrap_or_default();
        let cell = Arc::new(OnceLock::<Weak<Self>>::new());
        let reloaded = Arc::clone(&cell);
        host.capabilities.reload = Some(Arc::new(move || {
            match reloaded.get().and_then(Weak::upgrade) {
                Some(generations) => generations.reload().map(|changes| changes.to_value()),
                None => Err(ToolError::new(
                    ErrorCode::PreconditionFailed,
                    "the toolkit is closed",
                )),
            }
        }));
        let first = Arc::new(generation(&families, &layers, &host, config, loaded)?);
        let made = Self {
            current: RwLock::new(first),
            reloading: Mutex::default(),
            families,
            layers,
            host,
            loader,
            reread,
        };
        let made = Arc::new(made);
        let _ = cell.set(Arc::downgrade(&made)); // it is empty: only this function has it
        Ok(made)
    }

    /// The one that holds.
    pub(crate) fn current(&self) -> Arc<Generation> {
        Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn lock(&self) -> MutexGuard<'_, ()> {
        self.reloading
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads configuration and plugins again, and swaps the generation when anything changed.
    ///
    /// # Errors
    /// Everything that is wrong; the old generation stays then, without plugins that were removed or switched off.
    pub(crate) fn reload(&self) -> Result<Reloaded, ToolError> {
        let _one = self.lock();
        let old = self.current();
        self.next(&old).inspect_err(|_| {
            let roots = self.loader.as_ref().map(Loader::roots).unwrap_or_default();
            for plugin in old.plugins.iter() {
                if let Some(reason) = plugins::withdrawn(plugin, roots) {
                    plugin.close(&reason);
                }
            }
        })
    }

    fn next(&self, old: &Generation) -> Result<Reloaded, ToolError> {
        let config = match &self.reread {
            Some(reread) => reread()?,
            None => Config::clone(&old.config),
        };
        let named = |config: &Config| -> Vec<String> {
            let files = config.files.iter();
            files.map(|file| file.path.text.clone()).collect()
        };
        // What tools see and never write was settled when the workspace was opened.
        for (key, changed) in [
            ("workspace", config.workspace != old.config.workspace),
            ("files", named(&config) != named(&old.config)),
        ] {
            if changed {
                let message = format_args!("`{key}` changed, which needs a new start");
                return Err(ToolError::new(ErrorCode::Conflict, message).reason("configuration"));
            }
        }
        let loader = self.loader.as_ref();
        let found = loader
            .map(|loader| loader.load(&old.plugins))
            .transpose()?
            .unwrap_or_default();
        // One that works goes on as it was until what is wrong is mended.
        let fell = found.broken.iter().filter(|broken| {
            let names = &broken.names;
            let mut loaded = old.plugins.iter();
            loaded.any(|plugin| names.contains(&plugin.manifest.name))
        });
        Loaded::strict(&fell.cloned().collect::<Vec<_>>())?;
        let mut reloaded = differences(&old.plugins, &found.plugins);
        reloaded.configuration = config != *old.config;
        let names = found
            .broken
            .iter()
            .filter_map(|one| one.names.last().cloned());
        reloaded.broken = names.collect();
        if !reloaded.is_any() && found.broken == old.broken {
            reloaded.generation = old.dispatcher.policy().generation().to_owned();
            return Ok(reloaded);
        }
        let mut host = self.host.clone();
        if reloaded.configuration {
            let http = crate::web::client(&config, Arc::clone(&self.host.clock))?;
            host.capabilities.model =
                crate::models::of_config(&config.models, Some(Arc::clone(&http)));
            host.capabilities.http = Some(http);
        } else {
            host = old.dispatcher.host().clone();
        }
        let mut next = generation(&self.families, &self.layers, &host, config, found)?;
        // What a session has used of its budgets it does not get back.
        let counting = Dispatcher::clone(&next.dispatcher).continuing(&old.dispatcher);
        next.dispatcher = Arc::new(counting);
        reloaded.generation = next.dispatcher.policy().generation().to_owned();
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(next);
        Ok(reloaded)
    }

    /// What the files of plugins look like, and others beside them.
    pub(crate) fn seen(&self, others: &[PathBuf]) -> Seen {
        Seen::now(
            self.loader.as_ref().map(Loader::roots).unwrap_or_default(),
            others,
        )
    }

    pub(crate) fn loader(&self) -> Option<&Loader> {
        self.loader.as_ref()
    }
}

fn generation(
    families: &[&'static [Entry]],
    layers: &[Layer],
    host: &Host,
    config: Config,
    Loaded { plugins, broken }: Loaded,
) -> Result<Generation, ToolError> {
    let tools: Vec<_> = plugins
        .iter()
        .flat_map(|plugin| plugin.erased().iter().cloned())
        .collect();
    let lost = broken.iter().flat_map(|broken| broken.names.clone());
    let catalogue = Catalogue::with_plugins(families, &tools)?.without(lost);
    let policy = Policy::compile(&catalogue, &config, layers)?;
    let dispatcher = Dispatcher::new(
        Arc::new(catalogue),
        Arc::new(policy),
        config.limits,
        host.clone(),
    );
    Ok(Generation {
        dispatcher: Arc::new(dispatcher),
        config: Arc::new(config),
        plugins: Arc::new(plugins),
        broken,
    })
}

fn differences(old: &[Plugin], new: &[Plugin]) -> Reloaded {
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
    let mut reloaded = Reloaded::default();
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

/// One plugin as a list shows it.
pub(crate) fn describe(plugin: &Plugin) -> Value {
    let tools = plugin.tools.iter().map(|(id, unmet)| {
        Value::object([
            ("id", Value::from(id.as_str())),
            ("unmet", Value::from(unmet.clone())),
        ])
    });
    let reason = match &plugin.status {
        Status::Unavailable(reason) => Some(reason.clone()),
        _ => None,
    };
    Value::object([
        ("name", Value::from(plugin.manifest.name.as_str())),
        ("version", Value::from(plugin.manifest.version.to_string())),
        ("status", Value::from(plugin.status.as_str())),
        ("lacks", Value::from(reason)),
        (
            "description",
            Value::from(plugin.manifest.description.as_str()),
        ),
        (
            "manifest",
            Value::from(plugin.bundle.manifest_name.as_str()),
        ),
        ("digest", Value::from(plugin.bundle.digest.as_str())),
        ("tools", Value::array(tools.collect())),
    ])
}

/// A plugin that could not be read, as a list shows it.
pub(crate) fn describe_broken(broken: &Broken) -> Value {
    let errors = broken
        .errors
        .list()
        .iter()
        .map(|error| Value::from(error.to_string()));
    Value::object([
        ("name", Value::from(broken.names.last().cloned())),
        ("status", Value::from("broken")),
        ("manifest", Value::from(broken.manifest_name.as_str())),
        ("errors", Value::array(errors.collect())),
        ("tools", Value::array(Vec::new())),
    ])
}
