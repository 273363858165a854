//! [`Toolkit`]: the tools, the policy and this machine, joined.

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

/// The tools, the policy and this machine, joined; cheap to share between threads.
pub struct Toolkit {
    generations: Arc<Generations>,
    state: Option<Arc<State>>,
    state_fault: Option<ToolError>,
    workspace: Option<PathBuf>,
    closed: Vec<PathBuf>,
    sandbox: Arc<Sandbox>,
    /// Where a run goes on that began in a session, instead of the door's own.
    world: Option<Arc<Dispatcher>>,
}

/// Gathers what a [`Toolkit`] is made of.
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

/// Who calls, and how: everything a call has beside its tool and arguments.
#[derive(Clone, Default)]
pub struct Context {
    /// Role; `None` takes the agent's, else the configuration's default.
    pub role: Option<String>,
    /// Agent.
    pub agent: Option<String>,
    /// Phase.
    pub phase: Option<String>,
    /// Kind of task.
    pub task: Option<String>,
    /// Provider profile.
    pub profile: Option<String>,
    /// Toolset instead of the phase's.
    pub toolset: Option<String>,
    /// What this run adds to the selection and takes away; layers hold over it.
    pub overrides: Overrides,
    /// Layers of this call; they only narrow.
    pub layers: Vec<Layer>,
    /// The operator's answer given in advance.
    pub answer: Answer,
    /// What the client calls this call; it stands in the audit.
    pub client_id: Option<String>,
    /// The span of the client that this call is part of; it stands in the audit, and spans follow it.
    pub trace: Option<TraceParent>,
    /// Longest run in milliseconds.
    pub timeout_ms: Option<u64>,
    /// Set from outside to cancel.
    pub stop: StopFlag,
    /// Receives progress.
    pub progress: Option<Arc<Progress>>,
}

impl Context {
    /// With a role.
    #[must_use]
    pub fn role(mut self, role: impl Into<String>) -> Self {
        self.role = Some(role.into());
        self
    }

    /// With a further layer, such as [`Layer::read_only`].
    #[must_use]
    pub fn narrow(mut self, layer: Layer) -> Self {
        self.layers.push(layer);
        self
    }

    /// What a delegate gets: everything this context has, narrowed once more.
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
        // Nothing has run, and what would have is not what was loaded: what is there now is read, and called.
        let _ = self.reload();
        let now = self.generations.current();
        if Arc::ptr_eq(&first, &now) {
            outcome
        } else {
            call(&now)
        }
    }

    /// Reads configuration and plugins again. Calls that run end as they began; what changed holds for later ones.
    ///
    /// # Errors
    /// Everything that is wrong; what held before stays then, without plugins that were removed or switched off.
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

    /// Plugins that could not be read; nothing of them is used.
    pub fn broken_plugins(&self) -> Vec<Broken> {
        self.generations.current().broken.clone()
    }

    /// What would happen to a call, who decides and why.
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

    /// As [`Toolkit::explain`], were other facts to hold.
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

    /// The dispatcher and the caller of one act, both of one generation.
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
                .hint("`mathchain doctor` shows the state folder and what is wrong with it")
        })
    }

    /// What the configuration says of chains.
    pub fn chain_defaults(&self) -> chain_runtime::Defaults {
        self.config().chain.into()
    }

    /// The dispatcher that every call which begins now passes; a reload puts another in its place.
    pub fn dispatcher(&self) -> Arc<Dispatcher> {
        self.at(&self.generations.current())
    }

    /// That of a generation, in the world of this toolkit. What is done in one act asks for the generation once.
    fn at(&self, generation: &Generation) -> Arc<Dispatcher> {
        let own = || Arc::clone(&generation.dispatcher);
        self.world.as_ref().map_or_else(own, Arc::clone)
    }

    /// The same in another world, for a run that began there.
    pub(crate) fn in_world(mut self, world: Dispatcher) -> Self {
        self.world = Some(Arc::new(world));
        self
    }

    /// The configuration that holds now.
    pub fn config(&self) -> Arc<Config> {
        Arc::clone(&self.generations.current().config)
    }

    /// Audit and approvals, where there is a state folder.
    pub fn state(&self) -> Option<&Arc<State>> {
        self.state.as_ref()
    }

    /// What brings files back; absent without a state or a workspace.
    pub fn keeper(&self) -> Option<Keeper> {
        let files = self.dispatcher().host().capabilities.files.clone()?;
        Some(Keeper::new(Arc::clone(self.state.as_ref()?), files))
    }

    /// Why there is no state, where one was asked for.
    pub fn state_fault(&self) -> Option<&ToolError> {
        self.state_fault.as_ref()
    }

    /// The workspace root, where there is one.
    pub fn workspace(&self) -> Option<&Path> {
        self.workspace.as_deref()
    }

    /// What of the workspace neither tools nor programs read.
    pub(crate) fn closed(&self) -> &[PathBuf] {
        &self.closed
    }

    /// Where programs run.
    pub fn sandbox(&self) -> &Sandbox {
        &self.sandbox
    }

    /// The caller that a context stands for.
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
    /// Adds own tools.
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

    /// Adds a layer that holds for every call.
    #[must_use]
    pub fn add_global_policy(mut self, mut layer: Layer) -> Self {
        layer.level = Level::Global;
        self.layers.push(layer);
        self
    }

    /// Adds a layer that holds for one role.
    #[must_use]
    pub fn add_role_policy(mut self, role: &str, mut layer: Layer) -> Self {
        layer.level = Level::Role;
        layer.name = role.to_owned();
        self.layers.push(layer);
        self
    }

    /// Gives tools the files beneath a folder.
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

    /// Adds files and folders that tools never write: a configuration, and what it names.
    #[must_use]
    pub fn protected(mut self, files: impl IntoIterator<Item = PathBuf>) -> Self {
        self.protected.extend(files);
        self
    }

    /// How a reload gets the configuration; without it the one given stays.
    #[must_use]
    pub fn reread(
        mut self,
        reread: impl Fn() -> Result<Config, ToolError> + Send + Sync + 'static,
    ) -> Self {
        self.reread = Some(Box::new(reread));
        self
    }

    /// Tells somebody of every call and chain that ended.
    #[must_use]
    pub fn witness(mut self, witness: Arc<dyn Witness>) -> Self {
        self.witness = Some(witness);
        self
    }

    /// Keeps audit and approvals in a folder; without it pure calls carry a warning and effects are refused.
    #[must_use]
    pub fn state(mut self, folder: impl Into<PathBuf>) -> Self {
        self.state = Some(folder.into());
        self
    }

    /// Joins everything.
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
            chains: Some(Arc::new(Subchains::new(config.chain.into(), state.clone()))),
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

/// Opens the workspace: what decides about tools is never written by them, and a state folder is not read either.
fn open_workspace(
    root: &Path,
    closed: &[PathBuf],
    plugins: &[PluginRoot],
    files: &[PathBuf],
) -> Result<Arc<dyn Files>, ToolError> {
    // Places are compared as they are: a root by another name is another place.
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
            "the workspace `{}` lies in `{}`, which no tool writes",
            root.display(),
            around.display()
        );
        return Err(ToolError::new(ErrorCode::PreconditionFailed, message)
            .reason("workspace")
            .hint("name another folder with --workspace"));
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
