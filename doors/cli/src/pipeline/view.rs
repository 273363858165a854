//! What is shown of a pipeline that runs: on a terminal a line for each agent, redrawn; elsewhere a line for each event.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use agents::pipeline::{
    AgentState, AgentUsage, GateQuestion, PhaseEvent, PhaseState, PipelineMachine,
    PipelineObserver, agent_state,
};
use agents::spawn::AgentProgress;
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::super::prelude::*;
use super::super::progress::is_drawn;

/// Time between two drawings.
const TICK: Duration = Duration::from_millis(200);

pub(super) struct PipelineView {
    /// The lines on the terminal; none elsewhere.
    screen: Option<MultiProgress>,
    bars: Vec<ProgressBar>,
    last: Instant,
    begun: Instant,
    /// The command that starts this program with the same configuration.
    command: String,
    of: BTreeMap<(String, String), (Instant, AgentProgress)>,
}

impl PipelineView {
    pub(super) fn new(command: String) -> Self {
        let screen = || MultiProgress::with_draw_target(ProgressDrawTarget::stderr());
        Self {
            command,
            screen: is_drawn().then(screen),
            bars: Vec::new(),
            last: Instant::now(),
            begun: Instant::now(),
            of: BTreeMap::new(),
        }
    }

    /// Takes what an agent said.
    fn note(&mut self, phase: &str, agent: &str, said: AgentProgress) {
        let key = (phase.to_owned(), agent.to_owned());
        self.of
            .entry(key)
            .or_insert_with(|| (Instant::now(), AgentProgress::default()))
            .1 = said;
    }

    /// Says something above the lines of the agents.
    fn say(&self, text: &str) {
        match &self.screen {
            Some(screen) => screen.suspend(|| write_stderr(text)),
            None => write_stderr(text),
        }
    }
}

impl PipelineObserver for PipelineView {
    fn progressed(&mut self, phase: &str, agent: &str, said: &AgentProgress) {
        self.note(phase, agent, said.clone());
    }

    fn over_limits(&mut self, used: &AgentUsage) {
        write_stderr(&format!(
            "the pipeline stops: {} and {} are beyond its limits\n",
            used.cost(),
            used.turns()
        ));
    }

    fn happened(&mut self, event: &PhaseEvent) {
        match event {
            PhaseEvent::AgentBegan { phase, agent, .. } => {
                self.note(phase, agent, AgentProgress::default());
            }
            PhaseEvent::AgentEnded { phase, agent, .. } => {
                self.of.remove(&(phase.clone(), agent.clone()));
            }
            _ => {}
        }
        if output::is_quiet() {
            return;
        }
        let line = match event {
            PhaseEvent::PhaseBegan { phase } => format!("{phase}: begins"),
            PhaseEvent::PhaseSkipped(skip) => format!("{}: skipped, {}", skip.phase, skip.reason),
            PhaseEvent::AgentBegan {
                phase,
                agent,
                attempt,
            } => match attempt {
                1 => format!("{phase}/{agent}: started"),
                _ => format!("{phase}/{agent}: started, attempt {attempt}"),
            },
            PhaseEvent::AgentEnded {
                phase,
                agent,
                result,
            } => {
                let cost = result
                    .cost_usd
                    .map_or_else(|| "cost unknown".to_owned(), |cost| format!("${cost:.4}"));
                match result.category {
                    None => format!(
                        "{phase}/{agent}: done, {cost}, {}",
                        result.output.as_deref().unwrap_or_default()
                    ),
                    Some(category) => format!("{phase}/{agent}: {category}: {}", result.message),
                }
            }
            PhaseEvent::RetryPlanned {
                phase,
                agent,
                wait_ms,
            } => format!("{phase}/{agent}: runs again in {} s", wait_ms / 1000),
            PhaseEvent::GateSettled { phase, text, .. } => format!("{phase}: gate: {text}"),
            PhaseEvent::PhaseEnded {
                phase,
                status,
                error,
            } => match error {
                Some(error) => format!("{phase}: {status}: {error}"),
                None => format!("{phase}: {status}"),
            },
            PhaseEvent::StopRequested { why } => format!("stopping: {why}"),
            _ => return,
        };
        self.say(&format!("{line}\n"));
    }

    /// Says what waits for a person, and how it is answered.
    fn asked(&mut self, asked: &GateQuestion) {
        let GateQuestion {
            phase,
            notice,
            prompt,
            ..
        } = asked;
        self.say(&format!(
            "{phase}: waits for a person: {prompt}\n  in another terminal: {} inbox answer {notice} yes    # or no\n",
            self.command
        ));
    }

    /// Draws the agents that run, on a terminal: a line each, cut to its width.
    fn looked(&mut self, machine: &PipelineMachine) {
        let Some(screen) = self.screen.clone().filter(|_| self.last.elapsed() >= TICK) else {
            return;
        };
        self.last = Instant::now();
        let mut lines = Vec::new();
        let phases = machine.phases().iter();
        for phase in phases.filter(|phase| phase.state == PhaseState::Running) {
            let is_over = |state: &AgentState| matches!(state, AgentState::Ended(_));
            for agent in phase.agents.iter().filter(|one| !is_over(&one.state)) {
                let key = (phase.setup.name.clone(), agent.name.clone());
                let (time, said) = match self.of.get(&key) {
                    Some((since, said)) => (since.elapsed().as_secs(), said.clone()),
                    None => (0, AgentProgress::default()),
                };
                let turns = said.turns.map_or_else(String::new, |turns| {
                    format!(" {}", count_phrase(turns, "turn"))
                });
                let cost = said
                    .cost_usd
                    .map_or_else(String::new, |cost| format!(" ${cost:.4}"));
                let state = agent_state(&agent.state);
                let last = said.last.replace('\t', " ");
                let line = format!("{}/{} {state} {time} s{turns}{cost}  {last}", key.0, key.1);
                lines.push(human::replace_controls(&line).into_owned());
            }
        }
        if !lines.is_empty() {
            lines.push(format!("{} s in all", self.begun.elapsed().as_secs()));
        }
        while self.bars.len() > lines.len() {
            let bar = self.bars.pop();
            bar.inspect(|bar| screen.remove(bar));
        }
        for (number, line) in lines.into_iter().enumerate() {
            if self.bars.len() <= number {
                let style = ProgressStyle::with_template("{wide_msg}");
                let bar = screen.add(ProgressBar::no_length());
                bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
                self.bars.push(bar);
            }
            self.bars[number].set_message(line);
            self.bars[number].tick();
        }
    }

    /// Takes the agents off the screen.
    fn closed(&mut self) {
        if let Some(screen) = &self.screen {
            self.bars.drain(..).for_each(|bar| screen.remove(&bar));
            let _ = screen.clear(); // the terminal is gone
        }
    }
}
