//! [`ToolkitBuilder`]: joins tools, policy and host capabilities to a [`Toolkit`].

use std::path::{Path, PathBuf};
use std::sync::Arc;

use agents::{AgentProgram, AgentProject, AgentService};
use chain_runtime::SubchainRunner;
use host_sandbox::Sandbox;
use journal::StateStore;
use registry::{
    CallCounts, CallWitness, Config, DispatchHost, Governor, Level, PolicyLayer, ResultStore,
    Verdict,
};
use tool_core::capability::{ApprovalStore, AuditLedger, Clock, EventLog, NotificationLog};
use tool_core::{Access, Capabilities, ErasedTool, Result, tool_error};
use workflow::governance::Ruling;
use workflow::tools::governance;

use super::Toolkit;
use crate::agent_host::local_host;
use crate::clock::SystemClock;
use crate::environment;
use crate::generation::{ConfigGenerations, Reread};
use crate::identity::ProjectState;
use crate::plugins::{PluginLoader, PluginRoot};
use crate::real_paths::RealPaths;
use crate::workflows::WorkflowLog;
use crate::{WorkspaceRoot, roots};

/// Builds a [`Toolkit`].
#[derive(Default)]
pub struct ToolkitBuilder {
    families: Vec<&'static [ErasedTool]>,
    config: Option<Config>,
    layers: Vec<PolicyLayer>,
    roots: Vec<WorkspaceRoot>,
    state: Option<PathBuf>,
    plugins: Vec<PluginRoot>,
    protected: Vec<PathBuf>,
    reread: Option<Box<Reread>>,
    witnesses: Vec<Arc<dyn CallWitness>>,
    agent_program: Option<AgentProgram>,
    agent_project: Option<AgentProject>,
    agent_state: Option<PathBuf>,
    paths: RealPaths,
}

impl ToolkitBuilder {
    /// Adds a family of custom tools.
    #[must_use]
    pub fn add_tools(mut self, family: &'static [ErasedTool]) -> Self {
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
    pub fn add_global_policy(mut self, mut layer: PolicyLayer) -> Self {
        layer.level = Level::Global;
        self.layers.push(layer);
        self
    }

    /// Adds a layer for one role.
    #[must_use]
    pub fn add_role_policy(mut self, role: &str, mut layer: PolicyLayer) -> Self {
        layer.level = Level::Role;
        layer.name = role.to_owned();
        self.layers.push(layer);
        self
    }

    /// Sets the folder that file tools may use.
    #[must_use]
    pub fn workspace(self, root: impl Into<PathBuf>) -> Self {
        self.roots(roots::single_root(root.into()))
    }

    /// Sets the folders that file tools may use; relative paths start from the first.
    #[must_use]
    pub fn roots(mut self, roots: impl IntoIterator<Item = WorkspaceRoot>) -> Self {
        self.roots = roots.into_iter().collect();
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
    pub fn witness(mut self, witness: Arc<dyn CallWitness>) -> Self {
        self.witnesses.push(witness);
        self
    }

    /// Sets the program that is the MCP server of agents, so that `spawn_agent` and pipelines start them; without it, or without
    /// [`ToolkitBuilder::agent_project`], their calls are refused. It is `mathchain`, or a program with its command line.
    #[must_use]
    pub fn agent_program(mut self, program: AgentProgram) -> Self {
        self.agent_program = Some(program);
        self
    }

    /// Sets the project that servers of agents open again; [`crate::Door::builder`] sets it.
    #[must_use]
    pub fn agent_project(mut self, project: AgentProject) -> Self {
        self.agent_project = Some(project);
        self
    }

    /// The state folder beside which agents' misplaced files are put, where the toolkit itself uses none.
    #[must_use]
    pub fn agent_state(mut self, folder: Option<PathBuf>) -> Self {
        self.agent_state = folder;
        self
    }

    /// Uses what was found of paths just before.
    #[must_use]
    pub fn real_paths(mut self, paths: RealPaths) -> Self {
        self.paths = paths;
        self
    }

    /// Sets the state folder; without one pure calls carry a warning and calls with effects are refused.
    #[must_use]
    pub fn state(mut self, folder: impl Into<PathBuf>) -> Self {
        self.state = Some(folder.into());
        self
    }

    /// Uses no state folder: pure calls are not recorded, calls with effects are refused.
    #[must_use]
    pub fn without_state(mut self) -> Self {
        self.state = None;
        self
    }

    /// Builds the toolkit.
    ///
    /// # Errors
    /// Tools that contradict each other, a policy with errors, a workspace that cannot be opened. A state that cannot be
    /// opened is no error: see [`Toolkit::state_fault`].
    pub fn build(self) -> Result<Toolkit> {
        registry::install_panic_hook();
        let families: Vec<&'static [ErasedTool]> =
            crate::tool_families().chain(self.families).collect();
        let mut config = self.config.unwrap_or_default();
        // What decides who may open a gate or change a file is written by people.
        let mut protected_files = self.protected;
        if let Some(first) = self.roots.first() {
            let rules = [
                "workflow/templates",
                "governance.yaml",
                "choragen.governance.yaml",
            ];
            protected_files.extend(rules.map(|name| first.path.join(name)));
        }
        let paths = self.paths;
        let names = roots::root_names(&self.roots, &paths);
        config.workspace.opened.clone_from(&names);
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
        let protected = roots::protected_paths(&self.plugins, &protected_files, &paths);
        let (closed, files) = match self.roots.as_slice() {
            [] => (Vec::new(), None),
            roots => {
                let closed = environment::closed_by(roots, self.state.as_deref(), &paths);
                let files = roots::open_roots(roots, &closed, &protected, &paths)?;
                (closed, Some(files))
            }
        };
        let mut found =
            crate::identity::recognise_workspace(&self.roots, self.state.as_deref(), &paths);
        let workspace = roots::workspace_identity(&self.roots, &paths);
        let workflow_folder = roots::first_identity(&self.roots, &paths);
        let agent_state = self.agent_state.or_else(|| self.state.clone());
        let state = self
            .state
            .map(|folder| StateStore::open(folder, Arc::clone(&clock)));
        let (state, state_fault) = match state {
            None => (None, None),
            Some(Ok(state)) => {
                if let Some(workspace) = &workspace {
                    state.set_workspace(workspace.clone());
                }
                (Some(Arc::new(state)), None)
            }
            Some(Err(err)) => (None, Some(err)),
        };
        let copy_of = match (&state, &mut found) {
            (Some(state), Some(found)) => {
                let here = [workspace.as_ref(), workflow_folder.as_ref()];
                note_older(state, found, &here.map(|one| one.map(|one| &*one.id)));
                found.settle();
                found.copy_of().map(str::to_owned)
            }
            _ => None,
        };
        let folders: Vec<PathBuf> = self.roots.iter().map(|root| root.path.clone()).collect();
        let mut surroundings = environment::surroundings_by(&folders, &closed, &protected, &paths);
        let first = folders.first().map_or(Path::new("/"), PathBuf::as_path);
        let python = config.code.python.as_ref();
        surroundings.python = python.map(|named| environment::resolve_interpreter(named, first));
        let real = surroundings.workspace.clone();
        surroundings.writable = writable_folders(&config, real.as_deref(), &self.roots, &paths)?;
        let sandbox = Arc::new(Sandbox::new(surroundings));
        let http = crate::web::http_client(&config, Arc::clone(&clock))?;
        let backups = crate::inputs::backup_store(files.as_ref(), state.as_ref());
        let workflows = state.as_ref().map(|state| {
            let workspace = workflow_folder.clone();
            let workflows =
                WorkflowLog::new(Arc::clone(state), files.clone(), workspace, copy_of.clone());
            Arc::new(workflows) as Arc<dyn EventLog>
        });
        let governor = workflows.as_ref().map(|log| file_governor(log, &clock));
        let service = match (self.agent_program, self.agent_project) {
            (Some(program), Some(project)) => {
                let host = agent_state.and_then(|folder| local_host(protected.clone(), folder));
                host.map(|host| {
                    Arc::new(AgentService {
                        project,
                        program,
                        workspace: self.roots.first().map(|root| root.path.clone()),
                        state: state.clone(),
                        host,
                    })
                })
            }
            _ => None,
        };
        let host = DispatchHost {
            arrays: crate::inputs::array_opener(files.as_ref(), state.as_ref()),
            capabilities: Capabilities {
                files: files.clone(),
                spawner: Some(Arc::clone(&sandbox) as _),
                http: http.clone(),
                clock: Some(Arc::clone(&clock)),
                model: crate::models::of_config(&config.models, http),
                algebra: crate::algebra::of_config(
                    &config.symbolic,
                    Some(Arc::clone(&sandbox) as _),
                    Arc::clone(&clock),
                ),
                events: workflows.clone(),
                state: state.clone().map(|state| state as _),
                ..Capabilities::default()
            },
            clock,
            ledger: state.clone().map(|state| state as Arc<dyn AuditLedger>),
            ledger_fault: state_fault.as_ref().map(|fault| fault.message().to_owned()),
            approvals: state.clone().map(|state| state as Arc<dyn ApprovalStore>),
            counts: state.clone().map(|state| state as Arc<dyn CallCounts>),
            backups,
            notices: state.clone().map(|state| state as Arc<dyn NotificationLog>),
            results: None,
            answers: state.clone().map(|state| state as Arc<dyn ResultStore>),
            witnesses: self.witnesses,
            workspace,
            governor,
            // Each generation has its own, with its configuration.
            agents: None,
            pipelines: None,
            notifier: None,
            chains: Some(SubchainRunner::new(config.chain, state.clone()).into_chains()),
        };
        let (spawner, clock) = (Arc::clone(&sandbox) as _, Arc::clone(&host.clock));
        let loader =
            (!self.plugins.is_empty()).then(|| PluginLoader::new(self.plugins, spawner, clock));
        let layers = self.layers;
        let reread = self.reread.map(|reread| -> Box<Reread> {
            Box::new(move || {
                let mut config = reread()?;
                config.workspace.opened.clone_from(&names);
                Ok(config)
            })
        });
        Ok(Toolkit {
            generations: ConfigGenerations::start(
                families, layers, config, host, service, loader, reread,
            )?,
            state,
            state_fault,
            roots: self.roots,
            closed,
            protected,
            sandbox,
            workflows,
            world: None,
            workflow_folder,
            copy_of,
            found,
            brief: super::briefly::InlineTrials::default(),
        })
    }
}

/// Finds out whose a state of an earlier version is, which has no name in a file: it belongs here if it knows this folder, or none.
fn note_older(state: &StateStore, found: &mut ProjectState, here: &[Option<&str>]) {
    if found.bound.is_some() {
        return;
    }
    let known = state.known_folders().unwrap_or_default();
    if known.iter().any(|one| here.contains(&Some(&*one.id))) {
        return;
    }
    // The folder with the workflows, else the one that was used last.
    if let Some(original) = known.iter().max_by_key(|one| one.workflow_events) {
        found.note_original(&original.id, &original.root);
    }
}

/// The folders in which the configuration lets programs write, as absolute paths.
///
/// # Errors
/// `invalid_request` for one that a root keeps read-only.
fn writable_folders(
    config: &Config,
    first: Option<&Path>,
    roots: &[WorkspaceRoot],
    paths: &RealPaths,
) -> Result<Vec<PathBuf>> {
    let Some(first) = first else {
        return Ok(Vec::new());
    };
    let absolute = |name: &String| {
        let folder = first.join(name);
        let above = roots.iter().filter_map(|root| {
            let path = paths.real(&root.path);
            folder.starts_with(&path).then_some((path, root.access))
        });
        match above.max_by_key(|(path, _)| path.components().count()) {
            Some((_, Access::Write)) => Ok(folder),
            _ => Err(
                tool_error!(InvalidRequest at "/workspace/writable", "read_only_root";
                "`{name}` is not in a root with `access = \"write\"`"; "name a folder that is"),
            ),
        }
    };
    config.workspace.writable.iter().map(absolute).collect()
}

/// The rules of the project on files, and the locks of its chains.
fn file_governor(log: &Arc<dyn EventLog>, clock: &Arc<dyn Clock>) -> Arc<Governor> {
    let (log, clock) = (Arc::clone(log), Arc::clone(clock));
    Arc::new(move |identity, tool, paths, below| {
        let now = clock.unix_ms();
        let ruled = governance::govern_files(&*log, identity, now, tool, (paths, below))?;
        Ok(ruled.map(|(ruling, reason)| match ruling {
            Ruling::Allow => (Verdict::Allow, reason),
            Ruling::Ask => (Verdict::Ask, reason),
            Ruling::Deny => (Verdict::Deny, reason),
        }))
    })
}
