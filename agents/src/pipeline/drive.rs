//! Runs a pipeline: does what its machine says, and records each event before the next.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::Scope;
use std::time::{Duration, Instant};

use journal::StateStore;
use tool_core::capability::{Notification, Spawner, WorkspaceFiles, WriteMode};
use tool_core::{ErrorCode, Result, StopFlag, ToolError, tool_error};

use super::event::{AgentResult, Category, End, PhaseEvent, Stop};
use super::gates::{self, GateQuestion};
use super::logs::{AgentLogs, agent_file_path};
use super::machine::{AgentState, PhaseState, PipelineAction, PipelineMachine};
use super::observer::PipelineObserver;
use super::prepare::{PipelineProject, ReadyPipeline};
use super::record::{self, AgentUsage};
use crate::spawn::AgentProgress;
use crate::spawn::launch::{AgentLaunch, AgentMessage, AgentMessageKind, AgentStop};

/// Longest wait for an agent before gates, waits and signals are looked at.
const LOOK: Duration = Duration::from_millis(100);
/// Interval at which the process shows that it runs the pipeline.
const SIGN: Duration = Duration::from_secs(10);
/// Number of messages of agents that wait; beyond it the agents block.
const WAITING_MAX: usize = 256;

/// A pipeline that this process runs.
pub(super) struct PipelineDriver<'a> {
    pub project: PipelineProject<'a>,
    pub spawner: &'a dyn Spawner,
    pub ready: &'a ReadyPipeline,
    pub state: &'a Arc<StateStore>,
    pub id: String,
    pub machine: PipelineMachine,
    /// Every event so far.
    pub events: Vec<PhaseEvent>,
    pub observer: &'a mut dyn PipelineObserver,
    /// What the agents that run have said so far, by phase and agent.
    pub running: BTreeMap<(String, String), AgentProgress>,
    pub logs: AgentLogs,
    pub controls: BTreeMap<(String, String), Arc<AgentStop>>,
    /// Waits for next attempts, and when they are over.
    pub due: Vec<(Instant, String, String)>,
    /// The question of the gate that waits for a person.
    pub asked: Option<GateQuestion>,
    pub signed: Instant,
}

impl<'a> PipelineDriver<'a> {
    /// Runs to the end of the pipeline.
    ///
    /// # Errors
    /// A record that cannot be written: the agents are stopped, and what they did is unknown.
    pub(super) fn run(&mut self, stop: &StopFlag) -> Result<End> {
        let (tell, told) = sync_channel(WAITING_MAX);
        std::thread::scope(|scope| {
            // Where it fails, the agents find no listener and are stopped.
            let done = self.rounds(scope, stop, &tell, told);
            for control in self.controls.values() {
                control.stop(Category::Cancelled, "the pipeline could not be recorded");
            }
            done
        })
    }

    fn rounds<'scope>(
        &mut self,
        scope: &'scope Scope<'scope, 'a>,
        stop: &StopFlag,
        tell: &SyncSender<AgentMessage>,
        told: Receiver<AgentMessage>,
    ) -> Result<End> {
        loop {
            if stop.is_set() && self.machine.stop().is_none() {
                let why = match stop.is_interrupted() {
                    true => Stop::Interrupted,
                    false => Stop::Cancelled,
                };
                self.record(PhaseEvent::StopRequested { why })?;
            }
            while self.act(scope, stop, tell)? {}
            if let Some(end) = self.machine.end() {
                self.observer.closed();
                return Ok(end);
            }
            match told.recv_timeout(LOOK) {
                Ok(one) => {
                    self.hear(one)?;
                    // Those that wait, before anything else is looked at.
                    for one in told.try_iter().take(WAITING_MAX).collect::<Vec<_>>() {
                        self.hear(one)?;
                    }
                }
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
            }
            self.look()?;
        }
    }

    /// Does what is to be done now; whether anything was.
    fn act<'scope>(
        &mut self,
        scope: &'scope Scope<'scope, 'a>,
        stop: &StopFlag,
        tell: &SyncSender<AgentMessage>,
    ) -> Result<bool> {
        let mut acted = false;
        for act in self.machine.next() {
            acted |= !matches!(act, PipelineAction::Cancel { .. });
            match act {
                PipelineAction::Skip(skip) => self.record(PhaseEvent::PhaseSkipped(skip))?,
                PipelineAction::Begin(phase) => self.record(PhaseEvent::PhaseBegan { phase })?,
                PipelineAction::Start {
                    phase,
                    agent,
                    attempt,
                } => self.start(scope, tell, phase, agent, attempt)?,
                PipelineAction::Wait { .. } => {}
                PipelineAction::Cancel { phase, agent } => {
                    let why = match self.machine.stop() {
                        Some(why) => format!("the pipeline stops: {why}"),
                        None => "another agent of the phase failed".to_owned(),
                    };
                    if let Some(control) = self.controls.get(&(phase, agent)) {
                        control.stop(Category::Cancelled, why);
                    }
                }
                PipelineAction::Leave { phase, agent } => {
                    let result = AgentResult::failed(Category::Cancelled, "not started");
                    self.record(PhaseEvent::AgentEnded {
                        phase,
                        agent,
                        result,
                    })?;
                }
                PipelineAction::Gate(phase) => self.open_gate(&phase, stop)?,
                PipelineAction::EndPhase {
                    phase,
                    status,
                    error,
                } => self.record(PhaseEvent::PhaseEnded {
                    phase,
                    status,
                    error,
                })?,
                PipelineAction::End(end) => self.record(PhaseEvent::Ended { end })?,
            }
        }
        Ok(acted)
    }

    /// Records what happened, then applies it.
    fn record(&mut self, event: PhaseEvent) -> Result<()> {
        self.record_all(vec![event])
    }

    fn record_all(&mut self, events: Vec<PhaseEvent>) -> Result<()> {
        self.record_asking(events, None)
    }

    /// Records events, with the question that they are about.
    fn record_asking(
        &mut self,
        events: Vec<PhaseEvent>,
        question: Option<(String, Notification)>,
    ) -> Result<()> {
        let state = events.iter().rev().find_map(|event| match event {
            PhaseEvent::Ended { end } => Some(end.as_str()),
            PhaseEvent::GateOpened { .. } => Some("waiting"),
            PhaseEvent::GateSettled { .. } | PhaseEvent::Resumed { .. } => Some("running"),
            _ => None,
        });
        let mut values = self.logs.taken();
        for event in &events {
            values.push(record::to_value(event)?);
        }
        (self.state).append_pipeline_asking(&self.id, &values, state, question.as_ref())?;
        self.signed = Instant::now();
        for event in events {
            self.machine.apply(&event);
            if let PhaseEvent::AgentBegan { phase, agent, .. } = &event {
                let key = (phase.clone(), agent.clone());
                self.running.insert(key, AgentProgress::default());
            }
            self.observer.happened(&event);
            self.events.push(event);
        }
        Ok(())
    }

    fn start<'scope>(
        &mut self,
        scope: &'scope Scope<'scope, 'a>,
        tell: &SyncSender<AgentMessage>,
        phase: String,
        agent: String,
        attempt: u32,
    ) -> Result<()> {
        let (ready, service) = (self.ready, self.project.service);
        let (Some(of_phase), Some(of_agent)) = (ready.phase(&phase), ready.agent(&phase, &agent))
        else {
            let message = format!("the agent `{agent}` of the phase `{phase}` is not prepared");
            return Err(ToolError::new(ErrorCode::Internal, message));
        };
        if let Some(message) = self.over_cost(&phase, &AgentResult::default()) {
            let result = AgentResult::failed(Category::Limit, message);
            return self.record(PhaseEvent::AgentEnded {
                phase,
                agent,
                result,
            });
        }
        // The intent is on disk before the effect.
        self.record(PhaseEvent::AgentBegan {
            phase: phase.clone(),
            agent: agent.clone(),
            attempt,
        })?;
        self.logs.begin(&phase, &agent);
        let control = Arc::new(AgentStop::default());
        self.controls
            .insert((phase.clone(), agent.clone()), Arc::clone(&control));
        let launch = AgentLaunch {
            phase: &of_phase.phase.name,
            ready: &of_agent.ready,
            limits: &of_phase.phase.limits,
            folder: service.config_folder(),
            workspace: &ready.workspace,
            server: match &of_agent.caller {
                Some(who) => service.server_as(who),
                None => service.server_in_phase(&phase, &agent),
            },
            program: &service.program,
            host: &*service.host,
            control,
            tell: tell.clone(),
        };
        let spawner = self.spawner;
        scope.spawn(move || launch.run(spawner));
        Ok(())
    }

    fn hear(&mut self, told: AgentMessage) -> Result<()> {
        let AgentMessage { phase, agent, what } = told;
        match what {
            AgentMessageKind::Line { text, said } => {
                let used = said.cost_usd.is_some() || said.turns.is_some();
                // One that has its answer only ends: its cost limits what follows.
                let stops = used && !said.is_over;
                self.observer.progressed(&phase, &agent, &said);
                self.running.insert((phase.clone(), agent.clone()), *said);
                let files = self.files()?;
                self.logs.add(&phase, &agent, text, &*files);
                if stops {
                    self.limits(Some(&phase))?;
                }
                match self.logs.is_full() {
                    true => self.record_all(Vec::new()),
                    false => Ok(()),
                }
            }
            AgentMessageKind::Ended { result, answer } => self.ended(phase, agent, result, &answer),
        }
    }

    fn ended(
        &mut self,
        phase: String,
        agent: String,
        result: AgentResult,
        answer: &str,
    ) -> Result<()> {
        self.controls.remove(&(phase.clone(), agent.clone()));
        self.running.remove(&(phase.clone(), agent.clone()));
        let files = self.files()?;
        self.logs.end(&phase, &agent, &*files);
        let mut result = self.saved(&phase, &agent, result, answer, &*files);
        // One that says its cost at its end was not stopped before. Where others of the phase follow, the limit stops those.
        if self.is_last(&phase, &agent)
            && let (None, Some(message)) = (result.category, self.over_cost(&phase, &result))
        {
            result.category = Some(Category::Limit);
            result.message = message;
        }
        let mut events = vec![PhaseEvent::AgentEnded {
            phase: phase.clone(),
            agent: agent.clone(),
            result: result.clone(),
        }];
        if let Some(PipelineAction::Wait { wait_ms, .. }) =
            self.machine.retry(&phase, &agent, &result)
        {
            let due = Instant::now() + Duration::from_millis(wait_ms);
            self.due.push((due, phase.clone(), agent.clone()));
            events.push(PhaseEvent::RetryPlanned {
                phase: phase.clone(),
                agent,
                wait_ms,
            });
        }
        self.record_all(events)?;
        self.limits(Some(&phase))
    }

    /// The result with the file of the answer; an answer that cannot be written is a failure.
    fn saved(
        &self,
        phase: &str,
        agent: &str,
        mut result: AgentResult,
        answer: &str,
        files: &dyn WorkspaceFiles,
    ) -> AgentResult {
        if answer.is_empty() {
            return result;
        }
        let (folder, path) = agent_file_path(phase, agent, "md");
        let content = format!("{answer}\n");
        let written = files
            .make_folder(&folder)
            .and_then(|()| files.write(&path, content.as_bytes(), WriteMode::Overwrite));
        match written {
            Ok(_) => {
                result.output = Some(path);
                result.output_digest = Some(registry::digest::of_texts([content.as_str()]));
            }
            Err(error) if result.category.is_none() => {
                result.category = Some(Category::OsError);
                result.message = format!("its answer cannot be written: {}", error.message());
            }
            Err(_) => {}
        }
        result
    }

    fn files(&self) -> Result<Arc<dyn WorkspaceFiles>> {
        let files = self.project.dispatcher.host().capabilities.files.clone();
        files.ok_or_else(
            || tool_error!(PreconditionFailed, "workspace"; "a pipeline needs a workspace"),
        )
    }

    /// Looks at waits, gates and the clock.
    fn look(&mut self) -> Result<()> {
        let now = Instant::now();
        let (over, open) = std::mem::take(&mut self.due)
            .into_iter()
            .partition(|one| one.0 <= now);
        self.due = open;
        let over: Vec<(Instant, String, String)> = over;
        for (_, phase, agent) in over {
            self.record(PhaseEvent::RetryDue { phase, agent })?;
        }
        if let Some(asked) = &mut self.asked
            && self.machine.stop().is_none()
            && let Some(event) = asked.answered(self.state)?
        {
            self.asked = None;
            self.record(event)?;
        }
        if self.logs.is_due() {
            self.record_all(Vec::new())?;
        }
        if self.signed.elapsed() > SIGN {
            self.state.sign_pipeline(&self.id)?;
            self.signed = now;
        }
        self.observer.looked(&self.machine);
        Ok(())
    }

    fn open_gate(&mut self, phase: &str, stop: &StopFlag) -> Result<()> {
        let gate = self
            .ready
            .phase(phase)
            .and_then(|one| one.phase.gate.as_ref());
        let Some(gate) = gate else {
            let message = format!("the phase `{phase}` has no gate");
            return Err(ToolError::new(ErrorCode::Internal, message));
        };
        let before = gates::open_notice(&self.events, phase);
        let (events, asked, question) =
            gates::open_gate(self.spawner, &self.id, phase, gate, before, stop)?;
        self.record_asking(events, question)?;
        if let Some(asked) = asked {
            self.observer.asked(&asked);
            if let Some(notifier) = &self.project.dispatcher.host().notifier {
                notifier(&asked.notifier_entry(&self.id));
            }
            self.asked = Some(asked);
        }
        Ok(())
    }

    /// What the agents of a phase, or of all, have used, those that run among them.
    fn used(&self, of: Option<&str>) -> AgentUsage {
        let mut used = record::sum_usage(&self.events, of);
        for ((phase, _), progress) in &self.running {
            if of.is_none_or(|of| of == *phase) {
                used.cost_usd += progress.cost_usd.unwrap_or(0.0);
                used.add_turns(progress.turns);
            }
        }
        used
    }

    /// Why no more agents of a phase may start.
    fn over_cost(&self, phase: &str, ended: &AgentResult) -> Option<String> {
        let limit = self.ready.phase(phase)?.phase.limits.max_cost_usd?;
        let cost = self.used(Some(phase)).cost_usd + ended.cost_usd.unwrap_or(0.0);
        (cost > limit).then(|| format!("the phase has cost ${cost:.4}, its limit is ${limit}"))
    }

    /// Stops the agents of a phase beyond its cost, and the pipeline beyond its own limits.
    fn limits(&mut self, phase: Option<&str>) -> Result<()> {
        if let Some(phase) = phase
            && let Some(message) = self.over_cost(phase, &AgentResult::default())
        {
            let of_phase = self.controls.iter().filter(|((one, _), _)| one == phase);
            of_phase.for_each(|(_, control)| control.stop(Category::Limit, message.clone()));
        }
        let limits = &self.ready.config.pipeline;
        let used = self.used(None);
        let over = limits
            .max_cost_usd
            .is_some_and(|limit| used.cost_usd > limit)
            || limits
                .max_turns
                .is_some_and(|limit| used.turns.unwrap_or(0) > limit);
        if over && self.machine.stop().is_none() && self.is_more() {
            self.observer.over_limits(&used);
            let why = Stop::Limit;
            self.record(PhaseEvent::StopRequested { why })?;
        }
        Ok(())
    }

    /// Whether every other agent of a phase has ended.
    fn is_last(&self, phase: &str, agent: &str) -> bool {
        let ended = |state: &AgentState| matches!(state, AgentState::Ended(_));
        let phases = self.machine.phases().iter();
        let mut others = phases
            .filter(|one| one.setup.name == phase)
            .flat_map(|one| one.agents.iter())
            .filter(|one| one.name != agent);
        others.all(|one| ended(&one.state))
    }

    /// Whether anything is left that a limit could stop.
    fn is_more(&self) -> bool {
        let ended = |state: &AgentState| matches!(state, AgentState::Ended(_));
        self.machine.phases().iter().any(|phase| {
            let pending = phase.state == PhaseState::Pending;
            pending
                || phase.agents.iter().any(|agent| !ended(&agent.state))
                    && record::phase_status(&phase.state).0 == "running"
        })
    }
}
