//! [`PipelineMachine`]: the state of a pipeline, and what is to be done next.

use registry::model::FailureMode;

use super::event::{AgentResult, Category, End, PhaseEvent, PhaseSkip, PhaseStatus, Stop};
use super::{PhaseSetup, order_phases, retry};

/// What is to be done next.
#[derive(Debug, Clone, PartialEq)]
pub enum PipelineAction {
    /// Record that a phase is skipped.
    Skip(PhaseSkip),
    /// Record that a phase begins.
    Begin(String),
    /// Start an agent of a phase.
    Start {
        /// The phase.
        phase: String,
        /// The agent.
        agent: String,
        /// The number of the attempt, from 1.
        attempt: u32,
    },
    /// Record the wait before the next attempt of an agent.
    Wait {
        /// The phase.
        phase: String,
        /// The agent.
        agent: String,
        /// The wait.
        wait_ms: u64,
    },
    /// Stop an agent that runs.
    Cancel {
        /// The phase.
        phase: String,
        /// The agent.
        agent: String,
    },
    /// Record that an agent is not started.
    Leave {
        /// The phase.
        phase: String,
        /// The agent.
        agent: String,
    },
    /// Open the gate of a phase.
    Gate(String),
    /// Record the end of a phase.
    EndPhase {
        /// The phase.
        phase: String,
        /// How it ended.
        status: PhaseStatus,
        /// The messages of the agents that failed.
        error: Option<String>,
    },
    /// Record the end of the pipeline.
    End(End),
}

/// Where an agent is.
#[derive(Debug, Clone, PartialEq)]
pub enum AgentState {
    /// It has not started.
    Idle,
    /// It runs.
    Running,
    /// It waits for its next attempt.
    Waiting,
    /// It ended.
    Ended(AgentResult),
}

/// An agent of a phase.
#[derive(Debug, Clone, PartialEq)]
pub struct PhaseAgent {
    /// Its name.
    pub name: String,
    /// Where it is.
    pub state: AgentState,
    /// The number of attempts that began.
    pub attempts: u32,
    /// The repetitions after rate limits since the pipeline began or was resumed.
    retries: u32,
}

/// Where a phase is.
#[derive(Debug, Clone, PartialEq)]
pub enum PhaseState {
    /// It has not begun.
    Pending,
    /// Its agents run.
    Running,
    /// Its agents are done with this status and its gate does not ask yet.
    AtGate(PhaseStatus),
    /// Its gate asks.
    GateOpen(PhaseStatus),
    /// It ended.
    Ended(PhaseStatus),
    /// It did not run.
    Skipped(PhaseSkip),
}

/// A phase and its agents.
#[derive(Debug, Clone, PartialEq)]
pub struct PhaseProgress {
    /// What the configuration says.
    pub setup: PhaseSetup,
    /// Where it is.
    pub state: PhaseState,
    /// Its agents.
    pub agents: Vec<PhaseAgent>,
    /// The messages of the agents that failed, or of its gate.
    pub error: Option<String>,
    /// Whether its gate did not open.
    refused: bool,
}

/// The state of a pipeline.
#[derive(Debug, Clone, PartialEq)]
pub struct PipelineMachine {
    /// In the order in which they run.
    phases: Vec<PhaseProgress>,
    at_once: usize,
    skips: Vec<PhaseSkip>,
    seed: String,
    stop: Option<Stop>,
    end: Option<End>,
}

impl PipelineMachine {
    /// A pipeline that has not begun; `at_once` agents of a parallel phase run at a time.
    pub fn new(phases: &[PhaseSetup], at_once: usize) -> Self {
        let progress = |phase: usize| {
            let setup = phases[phase].clone();
            let agent = |name: &String| PhaseAgent {
                name: name.clone(),
                state: AgentState::Idle,
                attempts: 0,
                retries: 0,
            };
            PhaseProgress {
                agents: setup.agents.iter().map(agent).collect(),
                setup,
                state: PhaseState::Pending,
                error: None,
                refused: false,
            }
        };
        Self {
            phases: order_phases(phases).into_iter().map(progress).collect(),
            at_once: at_once.max(1),
            skips: Vec::new(),
            seed: String::new(),
            stop: None,
            end: None,
        }
    }

    /// The phases, in the order in which they run.
    pub fn phases(&self) -> &[PhaseProgress] {
        &self.phases
    }

    /// How it ended.
    pub fn end(&self) -> Option<End> {
        self.end
    }

    /// Why it stops early.
    pub fn stop(&self) -> Option<Stop> {
        self.stop
    }

    /// The agents that run, as far as the events say, each with its phase.
    pub fn running(&self) -> Vec<(String, String)> {
        let mut found = Vec::new();
        for phase in &self.phases {
            for agent in &phase.agents {
                if agent.state == AgentState::Running {
                    found.push((phase.setup.name.clone(), agent.name.clone()));
                }
            }
        }
        found
    }

    /// What is to be done now; nothing where the pipeline waits for agents, times or a gate, and at the end.
    pub fn next(&self) -> Vec<PipelineAction> {
        if self.end.is_some() {
            return Vec::new();
        }
        let active = |phase: &&PhaseProgress| {
            matches!(
                phase.state,
                PhaseState::Running | PhaseState::AtGate(_) | PhaseState::GateOpen(_)
            )
        };
        match self.phases.iter().find(active) {
            Some(phase) if phase.state == PhaseState::Running => self.in_phase(phase),
            // The gate asks again when the pipeline is resumed.
            Some(_) if self.stop.is_some() => vec![PipelineAction::End(End::Stopped)],
            Some(phase) => match phase.state {
                PhaseState::AtGate(_) => vec![PipelineAction::Gate(phase.setup.name.clone())],
                _ => Vec::new(),
            },
            None => vec![self.between()],
        }
    }

    /// What follows a phase that has ended.
    fn between(&self) -> PipelineAction {
        let fatal = self.phases.iter().any(|phase| {
            let unmet = matches!(&phase.state, PhaseState::Skipped(skip) if self.is_unmet(skip));
            phase.setup.required && (unmet || phase.state == PhaseState::Ended(PhaseStatus::Failed))
        });
        if self.stop.is_some() {
            return PipelineAction::End(End::Stopped);
        }
        let pending = |phase: &&PhaseProgress| phase.state == PhaseState::Pending;
        let Some(phase) = self.phases.iter().find(pending).filter(|_| !fatal) else {
            let failed =
                |phase: &PhaseProgress| phase.state == PhaseState::Ended(PhaseStatus::Failed);
            let end = match fatal || self.phases.iter().any(failed) {
                true => End::Failed,
                false => End::Succeeded,
            };
            return PipelineAction::End(end);
        };
        let name = &phase.setup.name;
        if let Some(skip) = self.skips.iter().find(|skip| skip.phase == *name) {
            return PipelineAction::Skip(skip.clone());
        }
        let skip = |reason: String| {
            PipelineAction::Skip(PhaseSkip {
                phase: name.clone(),
                reason,
                met: false,
            })
        };
        let unmet: Vec<&str> = (phase.setup.depends_on.iter())
            .filter(|other| !self.is_met(other))
            .map(String::as_str)
            .collect();
        if !unmet.is_empty() {
            return skip(format!("{UNMET}{}", unmet.join(", ")));
        }
        // A gate without agents before it asks all the same.
        if phase.agents.is_empty() && !phase.setup.gated {
            return skip("it has no agents".to_owned());
        }
        PipelineAction::Begin(name.clone())
    }

    /// Whether a phase was skipped because of its dependencies, and not by the user.
    fn is_unmet(&self, skip: &PhaseSkip) -> bool {
        skip.reason.starts_with(UNMET) && !self.skips.contains(skip)
    }

    fn is_met(&self, name: &str) -> bool {
        let found = self.phases.iter().find(|phase| phase.setup.name == name);
        found.is_some_and(|phase| match &phase.state {
            PhaseState::Ended(status) => status.passes(),
            PhaseState::Skipped(skip) => skip.met,
            _ => false,
        })
    }

    /// What is to be done for the agents of a phase that runs.
    fn in_phase(&self, phase: &PhaseProgress) -> Vec<PipelineAction> {
        let failed = |agent: &PhaseAgent| match &agent.state {
            AgentState::Ended(result) => result.category.is_some(),
            _ => false,
        };
        let fails_fast = phase.setup.failure_mode == FailureMode::FailFast;
        let over = self.stop.is_some() || (fails_fast && phase.agents.iter().any(failed));
        let names = |agent: &PhaseAgent| (phase.setup.name.clone(), agent.name.clone());
        let mut acts = Vec::new();
        if over {
            for agent in &phase.agents {
                let (phase, name) = names(agent);
                match agent.state {
                    AgentState::Running => acts.push(PipelineAction::Cancel { phase, agent: name }),
                    AgentState::Idle | AgentState::Waiting => {
                        acts.push(PipelineAction::Leave { phase, agent: name });
                    }
                    AgentState::Ended(_) => {}
                }
            }
        } else {
            acts = self.to_start(phase);
        }
        let ended = |agent: &PhaseAgent| matches!(agent.state, AgentState::Ended(_));
        if phase.agents.iter().all(ended) {
            let (status, error) = phase_outcome(phase);
            acts.push(PipelineAction::EndPhase {
                phase: phase.setup.name.clone(),
                status,
                error,
            });
        }
        acts
    }

    fn to_start(&self, phase: &PhaseProgress) -> Vec<PipelineAction> {
        let parallel = phase.setup.parallel && phase.agents.len() > 1;
        let mut free = match parallel {
            true => self.at_once,
            false => 1,
        };
        // In a sequence, an agent that waits for its next attempt has its place; beside others it gives it up.
        let holds = |agent: &&PhaseAgent| {
            agent.state == AgentState::Running || (!parallel && agent.state == AgentState::Waiting)
        };
        free = free.saturating_sub(phase.agents.iter().filter(holds).count());
        let idle = phase
            .agents
            .iter()
            .filter(|agent| agent.state == AgentState::Idle);
        let start = |agent: &PhaseAgent| PipelineAction::Start {
            phase: phase.setup.name.clone(),
            agent: agent.name.clone(),
            attempt: agent.attempts + 1,
        };
        idle.take(free).map(start).collect()
    }

    /// What follows the result of an agent that just ended: a wait before its next attempt, where it met a rate limit and the policy of its
    /// phase repeats it.
    pub fn retry(&self, phase: &str, agent: &str, result: &AgentResult) -> Option<PipelineAction> {
        let found = self.phases.iter().find(|one| one.setup.name == phase)?;
        let policy = found.setup.retry.as_ref()?;
        let of = found.agents.iter().find(|one| one.name == agent)?;
        if result.category != Some(Category::RateLimit) || self.stop.is_some() {
            return None;
        }
        let number = of.retries + 1;
        let key = [self.seed.as_str(), phase, agent];
        let wait_ms = retry::wait_ms(policy, number, result.reset_s, key)?;
        Some(PipelineAction::Wait {
            phase: phase.to_owned(),
            agent: agent.to_owned(),
            wait_ms,
        })
    }

    /// Applies what happened.
    pub fn apply(&mut self, event: &PhaseEvent) {
        match event {
            PhaseEvent::Began { skipped, seed, .. } => {
                self.skips.clone_from(skipped);
                self.seed.clone_from(seed);
            }
            PhaseEvent::PhaseBegan { phase } => self.set(phase, PhaseState::Running),
            PhaseEvent::PhaseSkipped(skip) => {
                self.set(&skip.phase, PhaseState::Skipped(skip.clone()))
            }
            PhaseEvent::AgentBegan {
                phase,
                agent,
                attempt,
            } => self.with_agent(phase, agent, |agent| {
                agent.attempts = *attempt;
                agent.state = AgentState::Running;
            }),
            PhaseEvent::AgentEnded {
                phase,
                agent,
                result,
            } => self.with_agent(phase, agent, |agent| {
                agent.state = AgentState::Ended(result.clone());
            }),
            PhaseEvent::RetryPlanned { phase, agent, .. } => {
                self.with_agent(phase, agent, |agent| {
                    agent.retries += 1;
                    agent.state = AgentState::Waiting;
                })
            }
            PhaseEvent::RetryDue { phase, agent } => self.with_agent(phase, agent, |agent| {
                if agent.state == AgentState::Waiting {
                    agent.state = AgentState::Idle;
                }
            }),
            PhaseEvent::GateOpened { phase, .. } => {
                if let Some(phase) = self.phase(phase)
                    && let PhaseState::AtGate(status) = phase.state
                {
                    phase.state = PhaseState::GateOpen(status);
                }
            }
            PhaseEvent::GateSettled {
                phase,
                passed,
                text,
                ..
            } => self.gate_settled(phase, *passed, text),
            PhaseEvent::PhaseEnded {
                phase,
                status,
                error,
            } => {
                if let Some(phase) = self.phase(phase) {
                    phase.error.clone_from(error);
                    phase.state = match phase.setup.gated && status.passes() {
                        true => PhaseState::AtGate(*status),
                        false => PhaseState::Ended(*status),
                    };
                }
            }
            PhaseEvent::StopRequested { why } => self.stop = Some(*why),
            PhaseEvent::Resumed { retry_unknown } => self.resumed(*retry_unknown),
            PhaseEvent::Ended { end } => self.end = Some(*end),
        }
    }

    fn gate_settled(&mut self, phase: &str, passed: bool, text: &str) {
        let Some(phase) = self.phase(phase) else {
            return;
        };
        let (PhaseState::GateOpen(status) | PhaseState::AtGate(status)) = phase.state else {
            return;
        };
        phase.refused = !passed;
        phase.state = PhaseState::Ended(match passed {
            true => status,
            false => PhaseStatus::Failed,
        });
        if !passed {
            phase.error = Some(format!("its gate did not open: {text}"));
        }
    }

    /// What is done stays done; all else runs again.
    fn resumed(&mut self, retry_unknown: bool) {
        self.stop = None;
        self.end = None;
        for phase in &mut self.phases {
            for agent in &mut phase.agents {
                agent.retries = 0;
                agent.state = match &agent.state {
                    AgentState::Ended(result) if result.category.is_none() => continue,
                    AgentState::Running if !retry_unknown => {
                        let message = "the process that ran the pipeline ended first";
                        let unknown = AgentResult::failed(Category::Unknown, message);
                        AgentState::Ended(unknown)
                    }
                    AgentState::Ended(result)
                        if result.category == Some(Category::Unknown) && !retry_unknown =>
                    {
                        continue;
                    }
                    _ => AgentState::Idle,
                };
            }
            phase.state = match &phase.state {
                PhaseState::Ended(PhaseStatus::Failed) if phase.refused => {
                    let (status, error) = phase_outcome(phase);
                    phase.error = error;
                    PhaseState::AtGate(status)
                }
                PhaseState::Ended(PhaseStatus::Failed) | PhaseState::Running => PhaseState::Pending,
                PhaseState::GateOpen(status) => PhaseState::AtGate(*status),
                PhaseState::Skipped(skip) if !self.skips.contains(skip) => PhaseState::Pending,
                _ => continue,
            };
        }
    }

    fn set(&mut self, phase: &str, state: PhaseState) {
        if let Some(phase) = self.phase(phase) {
            phase.state = state;
        }
    }

    fn phase(&mut self, name: &str) -> Option<&mut PhaseProgress> {
        self.phases
            .iter_mut()
            .find(|phase| phase.setup.name == name)
    }

    fn with_agent(&mut self, phase: &str, name: &str, change: impl FnOnce(&mut PhaseAgent)) {
        let agents = self.phase(phase).map(|phase| &mut phase.agents);
        let found = agents.and_then(|agents| agents.iter_mut().find(|agent| agent.name == name));
        if let Some(agent) = found {
            change(agent);
        }
    }
}

/// The beginning of the reason for a phase whose dependencies are not met.
const UNMET: &str = "Dependencies not met: ";

/// The status of a phase whose agents have all ended, and the messages of those that failed.
fn phase_outcome(phase: &PhaseProgress) -> (PhaseStatus, Option<String>) {
    let mut succeeded = 0;
    let mut messages = Vec::new();
    for agent in &phase.agents {
        match &agent.state {
            AgentState::Ended(result) => match result.category {
                None => succeeded += 1,
                Some(category) => {
                    messages.push(format!("{}: {category}: {}", agent.name, result.message));
                }
            },
            _ => messages.push(format!("{}: did not end", agent.name)),
        }
    }
    let enough = match phase.setup.failure_mode {
        FailureMode::FailFast => phase.agents.len(),
        FailureMode::Continue => 1,
        FailureMode::RequireMinimum => phase.setup.min_count,
    };
    let status = match (succeeded, messages.is_empty()) {
        (_, true) => PhaseStatus::Done,
        (count, _) if count >= enough => PhaseStatus::Partial,
        _ => PhaseStatus::Failed,
    };
    let error = (!messages.is_empty()).then(|| messages.join("; "));
    (status, error)
}
