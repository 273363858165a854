//! The record of a pipeline: its events as the journal has them, and the pipeline that they give.

use journal::{PipelineEvent, PipelineRecord, StateStore};
use tool_core::brief::count_phrase;
use tool_core::{Result, Value, convert, object, tool_error};

use super::PhaseSetup;
use super::event::{AgentResult, PhaseEvent};
use super::machine::{AgentState, PhaseState, PipelineMachine};

/// The key of an event with output, which the machine does not need.
pub const OUTPUT: &str = "output";

pub(crate) fn to_value(event: &PhaseEvent) -> Result<Value> {
    convert::to_value(event)
}

/// The events of a pipeline without its output.
///
/// # Errors
/// `tool_error` with reason `state_corrupt` for an event that is damaged.
pub fn parse_pipeline_events(recorded: &[PipelineEvent], id: &str) -> Result<Vec<PhaseEvent>> {
    let steps = recorded
        .iter()
        .filter(|one| one.event.get(OUTPUT).is_none());
    let parsed = |one: &PipelineEvent| {
        convert::from_value(&one.event).map_err(|_| {
            let number = one.number;
            tool_error!(ToolError, "state_corrupt"; "event {number} of pipeline `{id}` is damaged, or of a newer program")
        })
    };
    steps.map(parsed).collect()
}

/// The pipeline that events give.
pub(crate) fn fold_events(
    setups: &[PhaseSetup],
    at_once: usize,
    events: &[PhaseEvent],
) -> PipelineMachine {
    let mut machine = PipelineMachine::new(setups, at_once);
    events.iter().for_each(|event| machine.apply(event));
    machine
}

/// The phases of a pipeline by its events alone, for one whose file may have changed.
pub(crate) fn phase_setups(events: &[PhaseEvent]) -> Vec<PhaseSetup> {
    let mut setups: Vec<PhaseSetup> = Vec::new();
    for event in events {
        if let PhaseEvent::Began { phases, .. } = event {
            setups.clone_from(phases);
        }
    }
    setups
}

/// The phases that the newest pipeline of a file completed, with its id.
///
/// # Errors
/// `tool_error` when the state cannot be read.
pub fn completed_phases(state: &StateStore, file: &str) -> Result<Vec<(String, String)>> {
    const LOOKED_MAX: usize = 1000;
    let listed = state.pipelines(None, LOOKED_MAX)?;
    let Some(newest) = listed.into_iter().find(|one| one.file == file) else {
        return Ok(Vec::new());
    };
    let events = parse_pipeline_events(&state.pipeline_events(&newest.id, 0)?, &newest.id)?;
    let machine = fold_events(&phase_setups(&events), 1, &events);
    let is_done = |state: &PhaseState| match state {
        PhaseState::Ended(status) => status.passes(),
        PhaseState::Skipped(skip) => skip.met,
        _ => false,
    };
    let done = machine
        .phases()
        .iter()
        .filter(|phase| is_done(&phase.state));
    let done = done.map(|phase| (phase.setup.name.clone(), newest.id.clone()));
    Ok(done.collect())
}

/// What agents used, as far as their command lines say.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct AgentUsage {
    /// Known cost in US dollars.
    pub cost_usd: f64,
    /// Number of attempts whose cost is unknown.
    pub unknown: u64,
    /// Known turns.
    pub turns: Option<u64>,
}

impl AgentUsage {
    /// Adds what an attempt used.
    pub fn add(&mut self, result: &AgentResult) {
        match result.cost_usd {
            Some(cost) => self.cost_usd += cost,
            None => self.unknown += 1,
        }
        self.add_turns(result.turns);
    }

    /// Adds turns, where they are known.
    pub fn add_turns(&mut self, turns: Option<u64>) {
        self.turns = match (self.turns, turns) {
            (known, None) => known,
            (known, Some(turns)) => Some(known.unwrap_or(0) + turns),
        };
    }

    /// The turns for a reader.
    pub fn turns(&self) -> String {
        self.turns.map_or_else(
            || "turns unknown".to_owned(),
            |turns| count_phrase(turns, "turn"),
        )
    }

    /// The cost for a reader: `unknown` where nothing is known.
    pub fn cost(&self) -> String {
        match (self.cost_usd, self.unknown) {
            (0.0, 1..) => "cost unknown".to_owned(),
            (cost, 0) => format!("${cost:.4}"),
            (cost, _) => format!("${cost:.4} and unknown"),
        }
    }
}

/// What every attempt of the agents of a phase used, or of all phases.
pub fn sum_usage<'e>(
    events: impl IntoIterator<Item = &'e PhaseEvent>,
    of: Option<&str>,
) -> AgentUsage {
    let mut used = AgentUsage::default();
    for event in events {
        if let PhaseEvent::AgentEnded { phase, result, .. } = event
            && of.is_none_or(|of| of == phase)
            && result.started()
        {
            used.add(result);
        }
    }
    used
}

/// A pipeline as data.
pub fn pipeline_value(
    id: &str,
    file: &str,
    state: &str,
    machine: &PipelineMachine,
    events: &[PhaseEvent],
) -> Value {
    let phases = machine.phases().iter().map(|phase| {
        let (status, reason) = phase_status(&phase.state);
        let agents = phase.agents.iter().map(|agent| {
            let result = match &agent.state {
                AgentState::Ended(result) => Some(result),
                _ => None,
            };
            object! {
                "agent" => agent.name.as_str(),
                "state" => agent_state(&agent.state),
                "attempts" => u64::from(agent.attempts),
                "message" => result.map(|one| one.message.as_str()).filter(|text| !text.is_empty()),
                "exit" => result.and_then(|one| one.exit).map(i64::from),
                "turns" => result.and_then(|one| one.turns),
                "cost_usd" => result.and_then(|one| one.cost_usd),
                "output" => result.and_then(|one| one.output.clone()),
                "elapsed_ms" => result.map(|one| one.elapsed_ms),
            }
        });
        let used = sum_usage(events, Some(&phase.setup.name));
        object! {
            "phase" => phase.setup.name.as_str(),
            "status" => status,
            "reason" => reason.or(phase.error.clone()),
            "agents" => Value::array(agents.collect()),
            "cost_usd" => (used.unknown == 0).then_some(used.cost_usd),
            "turns" => used.turns,
        }
    });
    let used = sum_usage(events, None);
    object! {
        "pipeline" => id,
        "file" => file,
        "state" => state,
        "phases" => Value::array(phases.collect()),
        "cost_usd" => (used.unknown == 0).then_some(used.cost_usd),
        "known_cost_usd" => used.cost_usd,
        "turns" => used.turns,
    }
}

/// The word for the state of a phase, and why it was skipped.
pub fn phase_status(state: &PhaseState) -> (&'static str, Option<String>) {
    match state {
        PhaseState::Pending => ("pending", None),
        PhaseState::Running => ("running", None),
        PhaseState::AtGate(_) | PhaseState::GateOpen(_) => ("at_gate", None),
        PhaseState::Ended(status) => (status.as_str(), None),
        PhaseState::Skipped(skip) => ("skipped", Some(skip.reason.clone())),
    }
}

/// The word for the state of an agent.
pub fn agent_state(state: &AgentState) -> &'static str {
    match state {
        AgentState::Idle => "not_started",
        AgentState::Running => "running",
        AgentState::Waiting => "waiting",
        AgentState::Ended(result) => result.category.map_or("done", |category| category.as_str()),
    }
}

/// A pipeline as the journal has it.
#[derive(Debug)]
pub struct RecordedPipeline {
    /// Its row.
    pub row: PipelineRecord,
    /// What its events give.
    pub machine: PipelineMachine,
    /// Its events without output.
    pub events: Vec<PhaseEvent>,
}

impl RecordedPipeline {
    /// Reads the events of a pipeline.
    ///
    /// # Errors
    /// `tool_error` when the state cannot be read, or an event is damaged.
    pub fn load(state: &StateStore, row: PipelineRecord) -> Result<Self> {
        let events = parse_pipeline_events(&state.pipeline_events(&row.id, 0)?, &row.id)?;
        let machine = fold_events(&phase_setups(&events), 1, &events);
        Ok(Self {
            row,
            machine,
            events,
        })
    }

    /// Where it is: what ran when its process ended is unknown, not running.
    pub fn shown_machine(&self) -> PipelineMachine {
        shown_machine(&self.machine, &self.row.state)
    }

    /// The gate whose question to a person is not settled.
    pub fn open_gate(&self) -> Option<OpenGate> {
        let mut open: Option<OpenGate> = None;
        for event in &self.events {
            match event {
                PhaseEvent::GateOpened {
                    phase,
                    notice: Some(notice),
                } => {
                    open = Some(OpenGate {
                        phase: phase.clone(),
                        notice: notice.clone(),
                    });
                }
                PhaseEvent::GateSettled { .. } => open = None,
                _ => {}
            }
        }
        open
    }

    /// The pipeline as data.
    pub fn to_value(&self) -> Value {
        let PipelineRecord {
            id, file, state, ..
        } = &self.row;
        pipeline_value(id, file, state, &self.shown_machine(), &self.events)
    }
}

/// A gate that asks a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenGate {
    /// The phase that waits.
    pub phase: String,
    /// Id of the question in the inbox.
    pub notice: String,
}

/// A machine in a state of its row: what ran when the process of an interrupted pipeline ended is unknown.
pub fn shown_machine(machine: &PipelineMachine, state: &str) -> PipelineMachine {
    let mut machine = machine.clone();
    if state == "interrupted" {
        machine.apply(&PhaseEvent::Resumed {
            retry_unknown: false,
        });
    }
    machine
}
