//! [`Toolkit`]: tools, policy and host capabilities, ready to answer calls and run plans.
mod briefly;
mod builder;
mod context;
mod offered;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use agents::AgentService;
use chain_runtime::run::QueuedRun;
use chain_runtime::run::{CancellationResult, ResumeRequest, RunReplayResult};
use chain_runtime::{
    ChainResult, CheckMode, CheckedPlan, Plan, PlanProblems, RunOptions, StepObserver,
};
use host_sandbox::Sandbox;
use journal::{FileBackups, RunRecord, StateStore};
use journal::{RunState, StateScope};
use registry::Verdict;
use registry::plugins::{BrokenPlugin, Plugin};
use registry::policy::DecisionExplanation;
use registry::{CallerContext, Config, Dispatcher, RuntimeFacts, WorkspaceId};
use tool_core::capability::{EventLog, PipelineRequest};
use tool_core::{AnyTool, CallOutcome, Object, Result, ToolError, Value, tool_error};

use crate::WorkspaceRoot;
use crate::generation::{ConfigGeneration, ConfigGenerations, ReloadReport};
pub use builder::ToolkitBuilder;
pub use context::CallContext;
pub use offered::ModelCall;

/// Tools, policy and host capabilities; cheap to share between threads.
pub struct Toolkit {
    generations: Arc<ConfigGenerations>,
    state: Option<Arc<StateStore>>,
    state_fault: Option<ToolError>,
    roots: Vec<WorkspaceRoot>,
    closed: Vec<PathBuf>,
    protected: Vec<PathBuf>,
    pub(crate) sandbox: Arc<Sandbox>,
    /// The workflows of the workspace, where there is a state.
    workflows: Option<Arc<dyn EventLog>>,
    /// The folder whose workflows these are.
    workflow_folder: Option<WorkspaceId>,
    /// The path of the workspace that the state was copied from.
    copy_of: Option<String>,
    /// What was found in the state folder of a project.
    found: Option<crate::identity::ProjectState>,
    /// The dispatcher of a session's world, in which a run that began there is resumed.
    world: Option<Arc<Dispatcher>>,
    /// Tools whose calls end at once.
    brief: briefly::InlineTrials,
}

impl Toolkit {
    /// Starts with the built-in tools, the built-in roles, no workspace and no state.
    pub fn builder() -> ToolkitBuilder {
        ToolkitBuilder::default()
    }

    /// Calls a tool as the default role.
    pub fn call(&self, tool: &str, args: &Value) -> CallOutcome {
        self.call_with(&CallContext::default(), tool, args)
    }

    /// Calls a tool.
    pub fn call_with(&self, context: &CallContext, tool: &str, args: &Value) -> CallOutcome {
        let call = |generation: &ConfigGeneration| {
            let dispatcher = &generation.dispatcher;
            dispatcher.call(context.request(generation, tool, args))
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
    pub fn reload(&self) -> Result<ReloadReport> {
        self.generations.reload()
    }

    /// Adds tools that are known only at run time; later calls can use them.
    ///
    /// # Errors
    /// A name that another tool has, an unsound spec, a policy that no longer compiles; nothing is added then.
    pub fn add_tools(&self, tools: &[Arc<dyn AnyTool>]) -> Result<()> {
        self.generations.add_tools(tools)
    }

    /// The events of workflows after a number, for a caller who may call `workflow:status`.
    pub fn events_for(&self, context: &CallContext, after: u64) -> Result<Vec<String>> {
        const READS: &str = "workflow:status";
        let dispatcher = self.dispatcher();
        let who = self.caller(context).who;
        let caller =
            dispatcher
                .policy()
                .caller(dispatcher.catalogue(), &who, dispatcher.facts())?;
        let index = dispatcher.catalogue().index(READS);
        if let Some(hidden) = index.and_then(|index| caller.hidden(dispatcher.catalogue(), index)) {
            let (role, why) = (&who.role, hidden.reason);
            return Err(
                tool_error!(NotVisible, "events"; "role `{role}` may not read events: it may not call `{READS}`: {why}"),
            );
        }
        match self.workflows() {
            Some(log) => log.after(after),
            None => Err(
                tool_error!(PreconditionFailed, "state"; "there is no state folder"; "`mathchain doctor` checks the state folder"),
            ),
        }
    }

    /// The folder whose workflows these are.
    pub fn workflow_folder(&self) -> Option<WorkspaceId> {
        self.workflow_folder.clone()
    }

    /// What was found in the state folder of a project.
    pub fn state_place(&self) -> Option<&crate::identity::ProjectState> {
        self.found.as_ref()
    }

    /// Whether this state is, or was, a copy of that of a workspace: what began there stays there.
    pub fn is_copied_from(&self, root: &str) -> bool {
        let bound = self.found.as_ref().and_then(|found| found.bound.as_ref());
        let copied_from = bound.map_or(&[][..], |bound| &bound.copied_from);
        self.copy_of.is_some() || copied_from.iter().any(|one| one == root)
    }

    /// The path of the workspace that the state was copied from; `None` for one that belongs here.
    pub fn copy_of(&self) -> Option<&str> {
        self.copy_of.as_deref()
    }

    /// Refuses what a copy of a state may not do: answer and continue what its original asked and began.
    ///
    /// # Errors
    /// `precondition_failed` with reason `workspace_copied`.
    pub fn check_origin(&self) -> Result<()> {
        match &self.copy_of {
            None => Ok(()),
            Some(original) => Err(crate::workflows::copied_state_error(original)),
        }
    }

    pub fn workflows(&self) -> Option<&Arc<dyn EventLog>> {
        self.workflows.as_ref()
    }

    pub fn generations(&self) -> &Arc<ConfigGenerations> {
        &self.generations
    }

    /// The plugins that are loaded.
    pub fn plugins(&self) -> Arc<Vec<Plugin>> {
        Arc::clone(&self.generations.current().plugins)
    }

    /// Plugins with errors, none of whose tools is available.
    pub fn broken_plugins(&self) -> Vec<BrokenPlugin> {
        self.generations.current().broken.clone()
    }

    /// Explains the policy's verdict on a call: the deciding layer, the reason, and every rule considered.
    ///
    /// # Errors
    /// `unknown_tool`, an unknown role, or arguments that do not fit.
    pub fn explain(
        &self,
        context: &CallContext,
        tool: &str,
        args: Option<&Value>,
    ) -> Result<DecisionExplanation> {
        self.explain_with(context, tool, args, None)
    }

    /// As [`Toolkit::explain`], under other facts.
    ///
    /// # Errors
    /// As [`Toolkit::explain`].
    pub fn explain_with(
        &self,
        context: &CallContext,
        tool: &str,
        args: Option<&Value>,
        facts: Option<&RuntimeFacts>,
    ) -> Result<DecisionExplanation> {
        let generation = self.generations.current();
        let caller = context.caller(&generation);
        let dispatcher = &generation.dispatcher;
        let current = self.at(&generation);
        let facts = facts.unwrap_or(current.facts());
        let catalogue = dispatcher.catalogue();
        let call = match (args, catalogue.get(tool)) {
            (Some(args), Some(found)) => Some(found.decode(args)?),
            _ => None,
        };
        dispatcher.explain((tool, call.as_deref()), &caller, facts)
    }

    /// Checks a plan completely, for a run or for inspection; nothing runs.
    ///
    /// # Errors
    /// Every problem of the plan, each with its place and the next step.
    pub fn check(
        &self,
        context: &CallContext,
        plan: &Plan,
        inputs: &Object,
        mode: CheckMode,
    ) -> Result<CheckedPlan, PlanProblems> {
        let generation = self.generations.current();
        let caller = context.caller(&generation);
        chain_runtime::check_plan(plan, &generation.dispatcher, &caller, inputs, mode)
    }

    /// Checks and runs a plan; the run is durable where there is a state. `stop`, `timeout_ms`, `state` and `cluster` of the options are set here.
    ///
    /// # Errors
    /// As [`Toolkit::check`]; nothing has run then. A step that fails is part of the result.
    pub fn run_plan(
        &self,
        context: &CallContext,
        plan: &Plan,
        inputs: &Object,
        options: RunOptions,
    ) -> Result<ChainResult, PlanProblems> {
        let options = RunOptions {
            stop: context.stop.clone(),
            timeout_ms: context.timeout_ms,
            state: self.state.clone(),
            cluster: context.cluster.clone(),
            ..options
        };
        let (dispatcher, caller) = self.act(context);
        chain_runtime::execute_plan(plan, &dispatcher, &caller, inputs, options)
    }

    /// Runs phases of the configuration to their end, and gives the record of the pipeline; `resume` continues one. It is a call of the tool
    /// `pipeline_run`: policy, approvals and audit are those of any call, and its agents have at most the tools of its caller. The toolkit
    /// needs a program that serves agents ([`ToolkitBuilder::agent_program`]), a workspace and a state folder.
    ///
    /// ```no_run
    /// use mathchain::agents::AgentProgram;
    /// use mathchain::{ApprovalAnswer, CallContext, Door, PipelineRequest};
    ///
    /// let door = Door { config: Some("team.toml".into()), ..Door::default() };
    /// let toolkit = door
    ///     .builder()?
    ///     .agent_program(AgentProgram::at("/usr/local/bin/mathchain"))
    ///     .build()?;
    /// let context = CallContext {
    ///     answer: ApprovalAnswer::Yes, // it starts programs
    ///     ..CallContext::default()
    /// };
    /// let outcome = toolkit.run_pipeline(&context, &PipelineRequest::default());
    /// let record = outcome.output().expect("it began");
    /// assert_eq!(record.text("state"), Some("succeeded"));
    /// # Ok::<(), mathchain::ToolError>(())
    /// ```
    pub fn run_pipeline(&self, context: &CallContext, request: &PipelineRequest) -> CallOutcome {
        let args = agents::tools::pipeline_arguments(request);
        self.call_with(context, agents::tools::PIPELINE_RUN, &args)
    }

    /// Resumes a run that awaits an approval, needs a decision, or was interrupted; see [`chain_runtime::run::resume_recorded_run`].
    ///
    /// # Errors
    /// `precondition_failed` without a state folder; else as [`chain_runtime::run::resume_recorded_run`].
    pub fn resume(
        &self,
        context: &CallContext,
        id: &str,
        how: &ResumeRequest,
        observer: Option<Arc<dyn StepObserver>>,
    ) -> Result<ChainResult> {
        let options = RunOptions {
            stop: context.stop.clone(),
            timeout_ms: context.timeout_ms,
            observer,
            cluster: context.cluster.clone(),
            ..RunOptions::default()
        };
        let (dispatcher, caller) = self.act(context);
        chain_runtime::run::resume_recorded_run(
            self.runs()?,
            id,
            &dispatcher,
            &caller,
            options,
            how,
        )
    }

    /// Cancels a run that no process is executing; steps with a `compensate` are undone. A run of another workspace is undone there, unless
    /// changes are accepted.
    ///
    /// # Errors
    /// As [`Toolkit::resume`].
    pub fn cancel(
        &self,
        context: &CallContext,
        id: &str,
        accept_changes: bool,
    ) -> Result<CancellationResult> {
        let (dispatcher, caller) = self.act(context);
        let state = self.runs()?;
        if !accept_changes {
            chain_runtime::run::same_workspace(&state.run(id)?, &dispatcher)?;
        }
        chain_runtime::run::cancel_run(state, id, &dispatcher, &caller)
    }

    /// Checks a plan and records a run of it that begins later; `None` without a state.
    ///
    /// # Errors
    /// The problems of the plan, and a state that cannot be written.
    pub fn enqueue(
        &self,
        context: &CallContext,
        plan: &Plan,
        inputs: &Object,
        options: RunOptions,
    ) -> Result<Option<QueuedRun>> {
        let (dispatcher, caller) = self.act(context);
        let checked =
            chain_runtime::check_plan(plan, &dispatcher, &caller, inputs, CheckMode::Run)?;
        let Some(state) = &self.state else {
            return Ok(None);
        };
        let queued = chain_runtime::run::enqueue_run(state, &checked, &dispatcher, options)?;
        Ok(Some(queued))
    }

    /// Begins a run that was recorded before, under the policy that is in force now.
    pub fn run_queued(
        &self,
        context: &CallContext,
        plan: &Plan,
        inputs: &Object,
        queued: QueuedRun,
        options: RunOptions,
    ) -> Result<ChainResult> {
        let options = RunOptions {
            stop: context.stop.clone(),
            timeout_ms: context.timeout_ms,
            cluster: context.cluster.clone(),
            ..options
        };
        let (dispatcher, caller) = self.act(context);
        match chain_runtime::check_plan(plan, &dispatcher, &caller, inputs, CheckMode::Run) {
            Ok(checked) => Ok(queued.run(&checked, &dispatcher, options)),
            Err(problems) => {
                let error = ToolError::from(problems);
                queued.refuse(RunState::Rejected, &error)?;
                Err(error)
            }
        }
    }

    /// Counts what a run and its nested runs used of the task's budget in earlier processes.
    ///
    /// # Errors
    /// A state that cannot be read.
    pub fn count_recorded(&self, found: &RunRecord) -> Result<()> {
        if found.who.get("task").is_none() {
            return Ok(());
        }
        let state = self.runs()?;
        let within = state.runs_within(&found.id)?;
        let dispatcher = self.dispatcher();
        for run in within.iter().chain([found]) {
            for record in state.run_records(&run.id)? {
                dispatcher.count_recorded(&record);
            }
        }
        Ok(())
    }

    /// What a role sees in the workspace.
    pub fn scope(&self, role: &str) -> StateScope {
        StateScope::new(self.workspace_id(), role)
    }

    /// Refuses a call that the policy no longer permits to a caller.
    ///
    /// # Errors
    /// `not_visible` or `policy_denied`.
    pub fn permits(&self, context: &CallContext, tool: &str, args: &Value) -> Result<()> {
        let (dispatcher, caller) = self.act(context);
        let found = dispatcher.resolve(tool, &caller)?;
        let call = found.decode(args).ok();
        let decision = dispatcher.preview(found, call.as_deref(), &caller);
        // Without readable arguments the verdict is the strictest possible.
        let is_certain = call.is_some() || decision.certain;
        if decision.verdict != Verdict::Deny || !is_certain {
            return Ok(());
        }
        let (role, reason) = (&caller.who.role, &decision.reason);
        Err(tool_error!(
            PolicyDenied,
            "role `{role}` may not call `{tool}`: {reason}"
        ))
    }

    /// Replays a run and compares the results; see [`chain_runtime::run::replay_run`].
    ///
    /// # Errors
    /// As [`Toolkit::resume`].
    pub fn replay(&self, context: &CallContext, id: &str) -> Result<RunReplayResult> {
        let options = RunOptions {
            stop: context.stop.clone(),
            ..RunOptions::default()
        };
        let (dispatcher, caller) = self.act(context);
        chain_runtime::run::replay_run(self.runs()?, id, &dispatcher, &caller, options)
    }

    /// Dispatcher and caller of one act, both of one generation.
    fn act(&self, context: &CallContext) -> (Arc<Dispatcher>, CallerContext) {
        let generation = self.generations.current();
        let caller = context.caller(&generation);
        (self.at(&generation), caller)
    }

    /// The state that records runs.
    fn runs(&self) -> Result<&Arc<StateStore>> {
        self.state.as_ref().ok_or_else(|| {
            tool_error!(PreconditionFailed, "state"; "there is no state folder";
                "`mathchain doctor` checks the state folder")
        })
    }

    /// The defaults of the configuration for plans.
    pub fn chain_defaults(&self) -> chain_runtime::Defaults {
        self.config().chain
    }

    /// The dispatcher of the current generation.
    pub fn dispatcher(&self) -> Arc<Dispatcher> {
        self.at(&self.generations.current())
    }

    /// The dispatcher of a generation, or of this toolkit's world. An act reads the current generation once.
    fn at(&self, generation: &ConfigGeneration) -> Arc<Dispatcher> {
        let own = || Arc::clone(&generation.dispatcher);
        self.world.as_ref().map_or_else(own, Arc::clone)
    }

    /// This toolkit in another world, to resume a run that began there.
    pub fn in_world(mut self, world: Dispatcher) -> Self {
        self.world = Some(Arc::new(world));
        self
    }

    /// The configuration of the current generation.
    pub fn config(&self) -> Arc<Config> {
        Arc::clone(&self.generations.current().config)
    }

    /// Audit and approvals, where there is a state folder.
    pub fn state(&self) -> Option<&Arc<StateStore>> {
        self.state.as_ref()
    }

    /// Restores backups; `None` without a state or a workspace.
    pub fn file_backups(&self) -> Option<FileBackups> {
        let files = self.dispatcher().host().capabilities.files.clone()?;
        Some(FileBackups::new(Arc::clone(self.state.as_ref()?), files))
    }

    /// The error that prevented a requested state from opening.
    pub fn state_fault(&self) -> Option<&ToolError> {
        self.state_fault.as_ref()
    }

    /// The first root of the workspace, where there is one.
    pub fn workspace(&self) -> Option<&Path> {
        self.roots.first().map(|root| root.path.as_path())
    }

    /// The roots of the workspace.
    pub fn roots(&self) -> &[WorkspaceRoot] {
        &self.roots
    }

    /// The identity of the workspace, to which approvals and runs are bound.
    pub fn workspace_id(&self) -> Option<WorkspaceId> {
        self.generations
            .current()
            .dispatcher
            .host()
            .workspace
            .clone()
    }

    /// Folders of the workspace that neither tools nor programs may read.
    pub fn closed(&self) -> &[PathBuf] {
        &self.closed
    }

    /// Files and folders that no tool and no program writes.
    pub fn protected(&self) -> &[PathBuf] {
        &self.protected
    }

    /// What starts agents; `None` where the toolkit was opened without a program that serves them.
    pub fn agents(&self) -> Option<&Arc<AgentService>> {
        self.generations.agents()
    }

    /// The sandbox of programs.
    pub fn sandbox(&self) -> &Sandbox {
        &self.sandbox
    }

    /// The caller described by a context.
    pub fn caller(&self, context: &CallContext) -> CallerContext {
        context.caller(&self.generations.current())
    }
}
