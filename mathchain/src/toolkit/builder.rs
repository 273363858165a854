//! [`Builder`]: joins tools, policy and host capabilities to a [`Toolkit`].

use std::path::{Path, PathBuf};
use std::sync::Arc;

use chain_runtime::Subchains;
use host_sandbox::{Sandbox, Workspace};
use journal::State;
use registry::{Answers, Config, Host, Layer, Level, Witness};
use tool_core::capability::{Approvals, Clock, Files, Ledger, Notices};
use tool_core::{Capabilities, Entry, Result, tool_error};

use super::Toolkit;
use crate::clock::SystemClock;
use crate::environment;
use crate::generation::{Generations, Reread};
use crate::plugins::{Loader, PluginRoot};

/// Builds a [`Toolkit`].
#[derive(Default)]
pub struct Builder {
    families: Vec<&'static [Entry]>,
    config: Option<Config>,
    layers: Vec<Layer>,
    workspace: Option<PathBuf>,
    state: Option<PathBuf>,
    plugins: Vec<PluginRoot>,
    protected: Vec<PathBuf>,
    reread: Option<Box<Reread>>,
    witnesses: Vec<Arc<dyn Witness>>,
}

impl Builder {
    /// Adds a family of custom tools.
    #[must_use]
    pub fn add_tools(mut self, family: &'static [Entry]) -> Self {
        self.families.push(family);
        self
    }

    /// Sets the configuration.
    #[must_use]
    pub fn config(mut self, config: Config) -> Self {
        self.config = Some(config);
        self
    }

    /// Adds a layer for every call.
    #[must_use]
    pub fn add_global_policy(mut self, mut layer: Layer) -> Self {
        layer.level = Level::Global;
        self.layers.push(layer);
        self
    }

    /// Adds a layer for one role.
    #[must_use]
    pub fn add_role_policy(mut self, role: &str, mut layer: Layer) -> Self {
        layer.level = Level::Role;
        layer.name = role.to_owned();
        self.layers.push(layer);
        self
    }

    /// Sets the folder that file tools may use.
    #[must_use]
    pub fn workspace(mut self, root: impl Into<PathBuf>) -> Self {
        self.workspace = Some(root.into());
        self
    }

    /// Adds the plugins of a folder.
    #[must_use]
    pub fn plugins(mut self, roots: impl IntoIterator<Item = PluginRoot>) -> Self {
        self.plugins.extend(roots);
        self
    }

    /// Adds files and folders that tools must not write: a configuration, and the files it names.
    #[must_use]
    pub fn protected(mut self, files: impl IntoIterator<Item = PathBuf>) -> Self {
        self.protected.extend(files);
        self
    }

    /// Sets the reader of the configuration for reloads; without one the configuration never changes.
    #[must_use]
    pub fn reread(mut self, reread: impl Fn() -> Result<Config> + Send + Sync + 'static) -> Self {
        self.reread = Some(Box::new(reread));
        self
    }

    /// Notifies another witness of every call and run that ended.
    #[must_use]
    pub fn witness(mut self, witness: Arc<dyn Witness>) -> Self {
        self.witnesses.push(witness);
        self
    }

    /// Sets the state folder; without one pure calls carry a warning and calls with effects are refused.
    #[must_use]
    pub fn state(mut self, folder: impl Into<PathBuf>) -> Self {
        self.state = Some(folder.into());
        self
    }

    /// Builds the toolkit.
    ///
    /// # Errors
    /// Tools that contradict each other, a policy with errors, a workspace that cannot be opened. A state that cannot be
    /// opened is no error: see [`Toolkit::state_fault`].
    pub fn build(self) -> Result<Toolkit> {
        registry::install_panic_hook();
        let families: Vec<&'static [Entry]> = crate::families().chain(self.families).collect();
        let config = self.config.unwrap_or_default();
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
        let closed = (self.workspace.as_deref()).map_or_else(Vec::new, |root| {
            environment::closed(root, self.state.as_deref())
        });
        let root = self.workspace.as_deref();
        let files = root.map(|root| open_workspace(root, &closed, &self.plugins, &self.protected));
        let files = files.transpose()?;
        let state = self
            .state
            .map(|folder| State::open(folder, Arc::clone(&clock)));
        let (state, state_fault) = match state {
            None => (None, None),
            Some(Ok(state)) => (Some(Arc::new(state)), None),
            Some(Err(err)) => (None, Some(err)),
        };
        let sandbox = Arc::new(Sandbox::new(environment::surroundings(root, &closed)));
        let http = crate::web::client(&config, Arc::clone(&clock))?;
        let backups = crate::inputs::backups(files.as_ref(), state.as_ref());
        let host = Host {
            arrays: crate::inputs::arrays(files.as_ref(), state.as_ref()),
            capabilities: Capabilities {
                files,
                spawner: Some(Arc::clone(&sandbox) as _),
                http: http.clone(),
                clock: Some(Arc::clone(&clock)),
                model: crate::models::of_config(&config.models, http),
                state: state.clone().map(|state| state as _),
                ..Capabilities::default()
            },
            clock,
            ledger: state.clone().map(|state| state as Arc<dyn Ledger>),
            ledger_fault: state_fault.as_ref().map(|fault| fault.message().to_owned()),
            approvals: state.clone().map(|state| state as Arc<dyn Approvals>),
            backups,
            notices: state.clone().map(|state| state as Arc<dyn Notices>),
            results: None,
            answers: state.clone().map(|state| state as Arc<dyn Answers>),
            witnesses: self.witnesses,
            workspace: root.and_then(environment::workspace_id),
            chains: Some(Subchains::new(config.chain, state.clone()).into_chains()),
        };
        let (spawner, clock) = (Arc::clone(&sandbox) as _, Arc::clone(&host.clock));
        let loader = (!self.plugins.is_empty()).then(|| Loader::new(self.plugins, spawner, clock));
        let (layers, reread) = (self.layers, self.reread);
        Ok(Toolkit {
            generations: Generations::start(families, layers, config, host, loader, reread)?,
            state,
            state_fault,
            workspace: self.workspace,
            closed,
            sandbox,
            world: None,
        })
    }
}

/// Opens the workspace: files that determine permissions are write-protected, state folders are unreadable.
fn open_workspace(
    root: &Path,
    closed: &[PathBuf],
    plugins: &[PluginRoot],
    files: &[PathBuf],
) -> Result<Arc<dyn Files>> {
    // Paths are compared without links, so that another name of one folder compares equal.
    let root = environment::real(root);
    let of_plugins = plugins.iter();
    let of_plugins = of_plugins.flat_map(|plugins| [&plugins.plugins, &plugins.settings]);
    let mut places: Vec<PathBuf> = files.iter().chain(of_plugins).cloned().collect();
    places.extend(places.clone().iter().map(|place| environment::real(place)));
    let mut around = places.iter().chain(closed);
    if let Some(around) = around.find(|place| root.starts_with(place)) {
        let (root, around) = (root.display(), around.display());
        return Err(tool_error!(PreconditionFailed, "workspace";
            "the workspace `{root}` is inside `{around}`, which tools must not write";
            "choose another folder with --workspace"));
    }
    let below = |place: &'_ PathBuf| place.strip_prefix(&root).ok()?.to_str().map(str::to_owned);
    let places: Vec<String> = places.iter().filter_map(below).collect();
    let closed: Vec<String> = closed.iter().filter_map(below).collect();
    let protected = host_sandbox::workspace::PROTECTED.iter().copied();
    let protected: Vec<&str> = protected.chain(places.iter().map(String::as_str)).collect();
    let closed: Vec<&str> = closed.iter().map(String::as_str).collect();
    let workspace = Workspace::with_protected(&root, &protected)?;
    Ok(Arc::new(workspace.close(&closed)))
}
