//! Gates: what must pass after a phase.

use std::time::{Duration, Instant};

use journal::StateStore;
use registry::model::{GateKind, PhaseGate};
use tool_core::capability::{Notification, Spawner};
use tool_core::command::SandboxCommand;
use tool_core::{Result, StopFlag, Value, object};

use super::event::PhaseEvent;

/// Interval at which the inbox is looked at.
const LOOK: Duration = Duration::from_millis(300);
/// Longest run of a verification.
const VERIFY: Duration = Duration::from_secs(600);

/// A new question with its id, to be recorded with its event: a question without an event would wait for an answer that nobody takes.
pub(super) type Question = (String, Notification);

/// A question to a person.
pub struct GateQuestion {
    /// The phase that waits.
    pub phase: String,
    /// Id of the question in the inbox.
    pub notice: String,
    /// What is asked.
    pub prompt: String,
    looked: Option<Instant>,
}

impl GateQuestion {
    /// The event of an answer that was given meanwhile.
    pub(super) fn answered(&mut self, state: &StateStore) -> Result<Option<PhaseEvent>> {
        if self.looked.is_some_and(|looked| looked.elapsed() < LOOK) {
            return Ok(None);
        }
        self.looked = Some(Instant::now());
        let (_, answers) = state.notice(&self.notice)?;
        let Some(answer) = answers.first() else {
            return Ok(None);
        };
        let passed = answer.text == "yes";
        Ok(Some(PhaseEvent::GateSettled {
            phase: self.phase.clone(),
            passed,
            by: "a person".to_owned(),
            text: match passed {
                true => "a person approved it".to_owned(),
                false => "a person declined it".to_owned(),
            },
        }))
    }
}

/// The question about a phase that an earlier process asked and that was not settled.
pub(super) fn open_notice(events: &[PhaseEvent], of: &str) -> Option<String> {
    let mut found = None;
    for event in events {
        match event {
            PhaseEvent::GateOpened { phase, notice } if phase == of => found.clone_from(notice),
            PhaseEvent::GateSettled { phase, .. } if phase == of => found = None,
            _ => {}
        }
    }
    found
}

/// Opens the gate of a phase: the events, and the question where it waits for a person.
///
/// # Errors
/// A question that cannot be recorded.
pub(super) fn open_gate(
    spawner: &dyn Spawner,
    id: &str,
    phase: &str,
    gate: &PhaseGate,
    before: Option<String>,
    stop: &StopFlag,
) -> Result<(Vec<PhaseEvent>, Option<GateQuestion>, Option<Question>)> {
    let opened = |notice: Option<String>| PhaseEvent::GateOpened {
        phase: phase.to_owned(),
        notice,
    };
    let settled = |passed: bool, by: &str, text: String| PhaseEvent::GateSettled {
        phase: phase.to_owned(),
        passed,
        by: by.to_owned(),
        text,
    };
    match gate.kind {
        GateKind::Auto => {
            let text = "it opens by itself".to_owned();
            Ok((vec![opened(None), settled(true, "auto", text)], None, None))
        }
        GateKind::VerificationPass => {
            let (passed, text) = verify_gate(spawner, gate, stop);
            if stop.is_set() {
                // Nothing was found: the gate runs again when the pipeline is resumed.
                return Ok((Vec::new(), None, None));
            }
            Ok((
                vec![opened(None), settled(passed, "verification", text)],
                None,
                None,
            ))
        }
        GateKind::HumanApproval => {
            let prompt = gate
                .prompt
                .clone()
                .unwrap_or_else(|| format!("may the pipeline go past the phase `{phase}`?"));
            let question = before.is_none().then(|| {
                let text = format!(
                    "gate of the phase `{phase}` in pipeline {id}: {prompt} (answer `yes` or `no`)"
                );
                let notice = Notification {
                    kind: "gate",
                    call_id: id.to_owned(),
                    tool: None,
                    role: "operator".to_owned(),
                    agent: None,
                    text,
                };
                (StateStore::new_notice_id(), notice)
            });
            let new = question.as_ref().map(|(id, _)| id.clone());
            let notice = before.or(new).unwrap_or_default();
            let asked = GateQuestion {
                phase: phase.to_owned(),
                notice: notice.clone(),
                prompt,
                looked: None,
            };
            Ok((vec![opened(Some(notice))], Some(asked), question))
        }
    }
}

/// Runs the command of a gate: whether it passed, and what was found.
fn verify_gate(spawner: &dyn Spawner, gate: &PhaseGate, stop: &StopFlag) -> (bool, String) {
    let mut argv = gate.command.clone();
    let mut readable = Vec::new();
    if let Some(found) = argv.first().and_then(|program| spawner.find(program)) {
        argv[0] = found.path;
        readable = found.readable;
    }
    let mut command = SandboxCommand::new(argv);
    command.readable = readable;
    (command.limits.wall, command.limits.cpu) = (VERIFY, VERIFY);
    match spawner.run(&command, stop) {
        Ok(finished) if finished.exit.success() && !finished.timed_out => {
            (true, "the verification passed".to_owned())
        }
        Ok(finished) => {
            let output = format!("{}{}", finished.stdout.text(), finished.stderr.text());
            let last = output.lines().rev().find(|line| !line.trim().is_empty());
            let code = finished.exit.code();
            (
                false,
                format!(
                    "the verification ended with status {code}: {}",
                    last.unwrap_or("no output")
                ),
            )
        }
        Err(error) => (
            false,
            format!("the verification did not run: {}", error.message()),
        ),
    }
}

impl GateQuestion {
    /// The entry that the configured program is told.
    pub(super) fn notifier_entry(&self, pipeline: &str) -> Value {
        object! {
            "event" => "gate",
            "id" => self.notice.as_str(),
            "pipeline" => pipeline,
            "phase" => self.phase.as_str(),
            "text" => self.prompt.as_str(),
        }
    }
}
