//! [`Toolkit`]: tools, policy and host capabilities, ready to answer calls and run plans.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use chain_runtime::run::{Cancelled, Replay, Resume};
use chain_runtime::{
    ChainResult, CheckMode, CheckedPlan, Observer, Plan, Problems, RunOptions, Subchains,
};
use host_sandbox::{Sandbox, Workspace};
use journal::{Keeper, State};
use registry::plugins::{Broken, Plugin};
use registry::{
    Answer, CallRequest, CallerContext, Config, Dispatcher, Host, Layer, Level, Origin, Overrides,
    Principal, TraceParent, Witness,
};
use tool_core::capability::{Approvals, Backups, Clock, Files, Ledger, Notices};
use tool_core::ctx::Progress;
use tool_core::{
    Capabilities, Entry, ErrorCode, Object, Outcome, Seed, StopFlag, ToolError, Value,
};

use crate::clock::SystemClock;
use crate::environment;
use crate::generation::{Generation, Generations, Reloaded, Reread};
use crate::plugins::{Loader, PluginRoot};

/// Tools, policy and host capabilities; cheap to share between threads.
pub struct Toolkit {
    generations: Arc<Generations>,
    state: Option<Arc<State>>,
    state_fault: Option<ToolError>,
    workspace: Option<PathBuf>,
    closed: Vec<PathBuf>,
    sandbox: Arc<Sandbox>,
    /// The dispatcher of a session's world, in which a run that began there is resumed.
    world: Option<Arc<Dispatcher>>,
}

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
    witness: Option<Arc<dyn Witness>>,
}

/// The caller and circumstances of a call: everything beside its tool and arguments.
#[derive(Clone, Default)]
pub struct Context {
    /// Role; `None` for the agent's, else the configuration's default.
    pub role: Option<String>,
    /// Name of the calling agent.
    pub agent: Option<String>,
    /// Phase of the configuration.
    pub phase: Option<String>,
    /// Kind of task, with its budget.
    pub task: Option<String>,
    /// Provider profile, which orders, adds and removes tools.
    pub profile: Option<String>,
    /// Toolset that replaces the phase's.
    pub toolset: Option<String>,
    /// Tools added to and removed from the selection, within the layers.
    pub overrides: Overrides,
    /// Layers of this call, which only narrow.
    pub layers: Vec<Layer>,
    /// The operator's answer to approval requests, given in advance.
    pub answer: Answer,
    /// The client's id of this call, recorded in the audit.
    pub client_id: Option<String>,
    /// The client's span that this call belongs to, recorded in the audit and the parent of its spans.
    pub trace: Option<TraceParent>,
    /// Deadline in milliseconds from the start of the call.
    pub timeout_ms: Option<u64>,
    /// Set by the owner to cancel the call.
    pub stop: StopFlag,
    /// Receives the progress of the tool.
    pub progress: Option<Arc<Progress>>,
}

impl Context {
    /// Sets the role.
    #[must_use]
    pub fn role(mut self, role: impl Into<String>) -> Self {
        self.role = Some(role.into());
        self
    }

    /// Adds a layer, such as [`Layer::read_only`].
    #[must_use]
    pub fn narrow(mut self, layer: Layer) -> Self {
        self.layers.push(layer);
        self
    }

    /// The context of a delegate: this one, narrowed to the selected tools.
    #[must_use]
    pub fn delegate(&self, name: &str, allow: &[&str]) -> Self {
        self.clone()
            .narrow(Layer::new(Level::Delegation, name).allow(allow.iter().copied()))
    }
}

impl Toolkit {
    /// Starts with the built-in tools, the built-in roles, no workspace and no state.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// Calls a tool as the default role.
    pub fn call(&self, tool: &str, args: &Value) -> Outcome {
        self.call_with(&Context::default(), tool, args)
    }

    /// Calls a tool.
    pub fn call_with(&self, context: &Context, tool: &str, args: &Value) -> Outcome {
        let call = |generation: &Generation| {
            generation.dispatcher.call(CallRequest {
                tool: tool.to_owned(),
                args: args.clone(),
                context: caller(generation, context),
                seed: Seed::DEFAULT,
                timeout_ms: context.timeout_ms,
                stop: context.stop.clone(),
                progress: context.progress.clone(),
            })
        };
        let first = self.generations.current();
        let outcome = call(&first);
        let reason = outcome.err().and_then(ToolError::reason_str);
        if reason != Some("plugin_changed") {
            return outcome;
        }
        // The plugin's files changed after loading and nothing has run: load and call the present version.
        let _ = self.reload();
        let now = self.generations.current();
        if Arc::ptr_eq(&first, &now) {
            outcome
        } else {
            call(&now)
        }
    }

    /// Reloads configuration and plugins. Running calls keep their generation; later calls use the new one.
    ///
    /// # Errors
    /// Every error found; the old generation then stays in force, without removed or disabled plugins.
    pub fn reload(&self) -> Result<Reloaded, ToolError> {
        self.generations.reload()
    }

    pub(crate) fn generations(&self) -> &Arc<Generations> {
        &self.generations
    }

    /// The plugins that are loaded.
    pub fn plugins(&self) -> Arc<Vec<Plugin>> {
        Arc::clone(&self.generations.current().plugins)
    }

    /// Plugins with errors, none of whose tools is available.
    pub fn broken_plugins(&self) -> Vec<Broken> {
        self.generations.current().broken.clone()
    }

    /// Explains the policy's verdict on a call: the deciding layer, the reason, and every rule considered.
    ///
    /// # Errors
    /// `unknown_tool`, an unknown role, or arguments that do not fit.
    pub fn explain(
        &self,
        context: &Context,
        tool: &str,
        args: Option<&Value>,
    ) -> Result<registry::policy::Explanation, ToolError> {
        let generation = self.generations.current();
        let facts = self.at(&generation).facts().clone();
        Self::explained(&generation, context, tool, args, &facts)
    }

    /// As [`Toolkit::explain`], under other facts.
    ///
    /// # Errors
    /// As [`Toolkit::explain`].
    pub fn explain_with(
        &self,
        context: &Context,
        tool: &str,
        args: Option<&Value>,
        facts: &registry::Facts,
    ) -> Result<registry::policy::Explanation, ToolError> {
        Self::explained(&self.generations.current(), context, tool, args, facts)
    }

    fn explained(
        generation: &Generation,
        context: &Context,
        tool: &str,
        args: Option<&Value>,
        facts: &registry::Facts,
    ) -> Result<registry::policy::Explanation, ToolError> {
        let caller = caller(generation, context);
        let dispatcher = &generation.dispatcher;
        let catalogue = dispatcher.catalogue();
        let call = match (args, catalogue.get(tool)) {
            (Some(args), Some(found)) => Some(found.decode(args)?),
            _ => None,
        };
        let files = dispatcher.host().capabilities.files.as_deref();
        dispatcher.policy().explain(
            catalogue,
            (tool, call.as_deref()),
            &caller.who,
            facts,
            files,
        )
    }

    /// Checks a plan completely, for a run or for inspection; nothing runs.
    ///
    /// # Errors
    /// Every problem of the plan, each with its place and the next step.
    pub fn check(
        &self,
        context: &Context,
        plan: &Plan,
        inputs: &Object,
        mode: CheckMode,
    ) -> Result<CheckedPlan, Problems> {
        let generation = self.generations.current();
        let caller = caller(&generation, context);
        chain_runtime::check(plan, &generation.dispatcher, &caller, inputs, mode)
    }

    /// Checks and runs a plan; the run is durable where there is a state. `stop`, `timeout_ms` and `state` of the options are set here.
    ///
    /// # Errors
    /// As [`Toolkit::check`]; nothing has run then. A step that fails is part of the result.
    pub fn run_plan(
        &self,
        context: &Context,
        plan: &Plan,
        inputs: &Object,
        options: RunOptions,
    ) -> Result<ChainResult, Problems> {
        let options = RunOptions {
            stop: context.stop.clone(),
            timeout_ms: context.timeout_ms,
            state: self.state.clone(),
            ..options
        };
        let (dispatcher, caller) = self.act(context);
        chain_runtime::execute(plan, &dispatcher, &caller, inputs, options)
    }

    /// Resumes a run that awaits an approval, needs a decision, or was interrupted; see [`chain_runtime::run::resume`].
    ///
    /// # Errors
    /// `precondition_failed` without a state folder; else as [`chain_runtime::run::resume`].
    pub fn resume(
        &self,
        context: &Context,
        id: &str,
        how: &Resume,
        observer: Option<Arc<dyn Observer>>,
    ) -> Result<ChainResult, ToolError> {
        let options = RunOptions {
            stop: context.stop.clone(),
            timeout_ms: context.timeout_ms,
            observer,
            ..RunOptions::default()
        };
        let (dispatcher, caller) = self.act(context);
        chain_runtime::run::resume(self.runs()?, id, &dispatcher, &caller, options, how)
    }

    /// Cancels a run that no process is executing; steps with a `compensate` are undone.
    ///
    /// # Errors
    /// As [`Toolkit::resume`].
    pub fn cancel(&self, context: &Context, id: &str) -> Result<Cancelled, ToolError> {
        let (dispatcher, caller) = self.act(context);
        chain_runtime::run::cancel(self.runs()?, id, &dispatcher, &caller)
    }

    /// Replays a run and compares the results; see [`chain_runtime::run::replay`].
    ///
    /// # Errors
    /// As [`Toolkit::resume`].
    pub fn replay(&self, context: &Context, id: &str) -> Result<Replay, ToolError> {
        let options = RunOptions {
            stop: context.stop.clone(),
            ..RunOptions::default()
        };
        let (dispatcher, caller) = self.act(context);
        chain_runtime::run::replay(self.runs()?, id, &dispatcher, &caller, options)
    }

    /// Dispatcher and caller of one act, both of one generation.
    fn act(&self, context: &Context) -> (Arc<Dispatcher>, CallerContext) {
        let generation = self.generations.current();
        let caller = caller(&generation, context);
        (self.at(&generation), caller)
    }

    /// The state that records runs.
    fn runs(&self) -> Result<&Arc<State>, ToolError> {
        self.state.as_ref().ok_or_else(|| {
            ToolError::new(ErrorCode::PreconditionFailed, "there is no state folder")
                .reason("state")
                .hint("`mathchain doctor` checks the state folder")
        })
    }

    /// The defaults of the configuration for plans.
    pub fn chain_defaults(&self) -> chain_runtime::Defaults {
        self.config().chain.into()
    }

    /// The dispatcher of the current generation.
    pub fn dispatcher(&self) -> Arc<Dispatcher> {
        self.at(&self.generations.current())
    }

    /// The dispatcher of a generation, or of this toolkit's world. An act reads the current generation once.
    fn at(&self, generation: &Generation) -> Arc<Dispatcher> {
        let own = || Arc::clone(&generation.dispatcher);
        self.world.as_ref().map_or_else(own, Arc::clone)
    }

    /// This toolkit in another world, to resume a run that began there.
    pub(crate) fn in_world(mut self, world: Dispatcher) -> Self {
        self.world = Some(Arc::new(world));
        self
    }

    /// The configuration of the current generation.
    pub fn config(&self) -> Arc<Config> {
        Arc::clone(&self.generations.current().config)
    }

    /// Audit and approvals, where there is a state folder.
    pub fn state(&self) -> Option<&Arc<State>> {
        self.state.as_ref()
    }

    /// Restores backups; `None` without a state or a workspace.
    pub fn keeper(&self) -> Option<Keeper> {
        let files = self.dispatcher().host().capabilities.files.clone()?;
        Some(Keeper::new(Arc::clone(self.state.as_ref()?), files))
    }

    /// The error that prevented a requested state from opening.
    pub fn state_fault(&self) -> Option<&ToolError> {
        self.state_fault.as_ref()
    }

    /// The workspace root, where there is one.
    pub fn workspace(&self) -> Option<&Path> {
        self.workspace.as_deref()
    }

    /// Folders of the workspace that neither tools nor programs may read.
    pub(crate) fn closed(&self) -> &[PathBuf] {
        &self.closed
    }

    /// The sandbox of programs.
    pub fn sandbox(&self) -> &Sandbox {
        &self.sandbox
    }

    /// The caller described by a context.
    pub fn caller(&self, context: &Context) -> CallerContext {
        caller(&self.generations.current(), context)
    }
}

fn caller(generation: &Generation, context: &Context) -> CallerContext {
    let policy = generation.dispatcher.policy();
    let of_agent = context
        .agent
        .as_deref()
        .and_then(|agent| policy.role_of_agent(agent));
    let role = context.role.as_deref().or(of_agent);
    CallerContext {
        who: Principal {
            role: role.unwrap_or(&generation.config.default_role).to_owned(),
            agent: context.agent.clone(),
            phase: context.phase.clone(),
            task: context.task.clone(),
            profile: context.profile.clone(),
            toolset: context.toolset.clone(),
            session: Overrides::default(),
            run: context.overrides.clone(),
            layers: context.layers.clone(),
        },
        chain: None,
        answer: context.answer,
        origin: Origin {
            client_id: context.client_id.clone(),
            trace: context.trace.clone(),
            ..Origin::default()
        },
    }
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
    pub fn reread(
        mut self,
        reread: impl Fn() -> Result<Config, ToolError> + Send + Sync + 'static,
    ) -> Self {
        self.reread = Some(Box::new(reread));
        self
    }

    /// Notifies a witness of every call and run that ended.
    #[must_use]
    pub fn witness(mut self, witness: Arc<dyn Witness>) -> Self {
        self.witness = Some(witness);
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
    pub fn build(self) -> Result<Toolkit, ToolError> {
        registry::install_panic_hook();
        let families: Vec<&'static [Entry]> = crate::families().chain(self.families).collect();
        let config = self.config.unwrap_or_default();
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
        let closed = (self.workspace.as_deref()).map_or_else(Vec::new, |root| {
            environment::closed(root, self.state.as_deref())
        });
        let files = self
            .workspace
            .as_deref()
            .map(|root| open_workspace(root, &closed, &self.plugins, &self.protected))
            .transpose()?;
        let (state, state_fault) = match self
            .state
            .map(|folder| State::open(folder, Arc::clone(&clock)))
        {
            None => (None, None),
            Some(Ok(state)) => (Some(Arc::new(state)), None),
            Some(Err(err)) => (None, Some(err)),
        };
        let sandbox = Arc::new(Sandbox::new(environment::surroundings(
            self.workspace.as_deref(),
            &closed,
        )));
        let http = crate::web::client(&config, Arc::clone(&clock))?;
        let backups = match (&state, &files) {
            (Some(state), Some(files)) => {
                let keeper = Keeper::new(Arc::clone(state), Arc::clone(files));
                Some(Arc::new(keeper) as Arc<dyn Backups>)
            }
            _ => None,
        };
        let host = Host {
            arrays: (files.is_some() || state.is_some()).then(|| {
                Arc::new(crate::inputs::Inputs {
                    files: files.clone().map(host_tools::Inputs::new),
                    state: state.clone(),
                }) as _
            }),
            capabilities: Capabilities {
                files,
                spawner: Some(Arc::clone(&sandbox) as _),
                http: Some(Arc::clone(&http)),
                clock: Some(Arc::clone(&clock)),
                model: crate::models::of_config(&config.models, Some(http)),
                state: state.clone().map(|state| state as _),
                ..Capabilities::default()
            },
            clock,
            ledger: state.clone().map(|state| state as Arc<dyn Ledger>),
            approvals: state.clone().map(|state| state as Arc<dyn Approvals>),
            backups,
            notices: state.clone().map(|state| state as Arc<dyn Notices>),
            results: None,
            answers: state
                .clone()
                .map(|state| state as Arc<dyn registry::Answers>),
            witness: self.witness,
            workspace: self
                .workspace
                .as_deref()
                .and_then(environment::workspace_id),
            chains: Some(Subchains::new(config.chain.into(), state.clone()).into_chains()),
        };
        let loader = (!self.plugins.is_empty()).then(|| {
            Loader::new(
                self.plugins,
                Arc::clone(&sandbox) as _,
                Arc::clone(&host.clock),
            )
        });
        Ok(Toolkit {
            generations: Generations::start(
                families,
                self.layers,
                config,
                host,
                loader,
                self.reread,
            )?,
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
) -> Result<Arc<dyn Files>, ToolError> {
    // Paths are compared without links, so that another name of one folder compares equal.
    let root = environment::real(root);
    let of_plugins = plugins.iter();
    let of_plugins = of_plugins.flat_map(|plugins| [&plugins.plugins, &plugins.settings]);
    let mut places: Vec<PathBuf> = files.iter().chain(of_plugins).cloned().collect();
    places.extend(places.clone().iter().map(|place| environment::real(place)));
    if let Some(around) = places
        .iter()
        .chain(closed)
        .find(|place| root.starts_with(place))
    {
        let message = format_args!(
            "the workspace `{}` is inside `{}`, which tools must not write",
            root.display(),
            around.display()
        );
        return Err(ToolError::new(ErrorCode::PreconditionFailed, message)
            .reason("workspace")
            .hint("choose another folder with --workspace"));
    }
    let below = |place: &'_ PathBuf| place.strip_prefix(&root).ok()?.to_str().map(str::to_owned);
    let places: Vec<String> = places.iter().filter_map(below).collect();
    let closed: Vec<String> = closed.iter().filter_map(below).collect();
    let protected = host_sandbox::workspace::PROTECTED.iter().copied();
    let protected: Vec<&str> = protected.chain(places.iter().map(String::as_str)).collect();
    let closed: Vec<&str> = closed.iter().map(String::as_str).collect();
    Ok(Arc::new(
        Workspace::with_protected(&root, &protected)?.close(&closed),
    ))
}
