//! The program of `[notify]`, which learns what begins to wait for a person.

use std::io::Write as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use registry::Notifier;
use registry::model::NotifyProgram;
use tool_core::capability::{Decide, EventLog, Memo, Show, Spawner};
use tool_core::command::{Isolation, SandboxCommand};
use tool_core::{Object, Result, StopFlag, Value, json};
use workflow::state::WorkflowState;
use workflow::tools::log;

use crate::environment;
use crate::waiting::{WaitingEntry, in_workflows};

/// Longest run of the program.
const TIME_MAX: Duration = Duration::from_secs(10);

/// Runs the program of a configuration for each entry; `None` where it names no program.
pub fn of_config(
    notify: &NotifyProgram,
    spawner: Option<Arc<dyn Spawner>>,
) -> Option<Arc<Notifier>> {
    let (notify, spawner) = (notify.clone(), spawner?);
    (!notify.command.is_empty()).then(|| {
        Arc::new(move |entry: &Value| run_notifier(&*spawner, &notify, entry)) as Arc<Notifier>
    })
}

/// Tells the program what waits: one line of JSON. Its failure is a warning.
pub fn run_notifier(spawner: &dyn Spawner, notify: &NotifyProgram, entry: &Value) {
    let Some(program) = notify.command.first() else {
        return;
    };
    let mut command = SandboxCommand::new(notify.command.clone());
    command.isolation = Isolation::None;
    command.environment = environment::of_user();
    command.stdin = format!("{}\n", json::to_text(entry)).into_bytes();
    (command.limits.wall, command.limits.cpu) = (TIME_MAX, TIME_MAX);
    let failed = match spawner.run(&command, &StopFlag::new()) {
        Ok(finished) if finished.timed_out => {
            format!("it ran for more than {} s", TIME_MAX.as_secs())
        }
        Ok(finished) if finished.exit.success() => return,
        Ok(finished) => format!("it ended with status {}", finished.exit.code()),
        Err(error) => error.message().to_owned(),
    };
    print_warning(&format!("the notifier `{program}` failed: {failed}"));
}

fn print_warning(text: &str) {
    // Without stderr nobody reads a warning.
    let _ = writeln!(std::io::stderr(), "warning: {text}");
}

/// A log of workflows that tells a notifier which gates and which feedback begin to wait.
pub struct NotifyingLog {
    log: Arc<dyn EventLog>,
    notifier: Arc<Notifier>,
    /// The workflows as of the newest change.
    known: Mutex<Arc<WorkflowState>>,
}

impl NotifyingLog {
    pub fn new(log: Arc<dyn EventLog>, notifier: Arc<Notifier>) -> Self {
        let known = Mutex::default();
        Self {
            log,
            notifier,
            known,
        }
    }

    /// What waits since the log was continued after `before`, by `count` events.
    fn newly(&self, before: u64, count: usize) -> Result<Vec<Value>> {
        let mut state = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if state.seq() > before {
            *state = Arc::default();
        }
        let mut events = self.log.after(state.seq())?;
        let old = (before - state.seq()) as usize;
        events.truncate(old + count);
        let continued = events.split_off(old.min(events.len()));
        log::fold_events(&mut state, &events)?;
        let waited: Vec<Value> = in_workflows(&state)
            .iter()
            .map(WaitingEntry::value)
            .collect();
        log::fold_events(&mut state, &continued)?;
        let waiting = in_workflows(&state);
        let mut waiting: Vec<Value> = waiting.iter().map(WaitingEntry::value).collect();
        waiting.retain(|entry| !waited.contains(entry));
        Ok(waiting)
    }
}

/// An entry of the inbox as the notifier gets it.
fn notifier_entry(waiting: &Value) -> Value {
    let mut entry = Object::new();
    for (name, value) in waiting.as_object().into_iter().flat_map(Object::iter) {
        let name = match name {
            "kind" => "event",
            "prompt" => "text",
            name => name,
        };
        entry.insert(name, value.clone());
    }
    Value::Object(entry.into())
}

impl EventLog for NotifyingLog {
    fn append(&self, known: u64, decide: &mut Decide<'_>) -> Result<()> {
        let (mut before, mut count) = (known, 0);
        self.log.append(known, &mut |events, now| {
            let new = decide(events, now)?;
            (before, count) = (known + events.len() as u64, new.len());
            Ok(new)
        })?;
        // The events are written: what cannot be told is no error of the call.
        match self.newly(before, count) {
            Ok(waiting) => {
                for waiting in &waiting {
                    (self.notifier)(&notifier_entry(waiting));
                }
            }
            Err(error) => print_warning(&format!("no notification was sent: {}", error.message())),
        }
        Ok(())
    }

    fn after(&self, number: u64) -> Result<Vec<String>> {
        self.log.after(number)
    }

    fn show(&self, known: u64, show: &mut Show<'_>) -> Result<()> {
        self.log.show(known, show)
    }

    fn shown(&self) -> Result<u64> {
        self.log.shown()
    }

    fn read(&self, path: &str) -> Result<Option<String>> {
        self.log.read(path)
    }

    fn write(&self, path: &str, text: &str) -> Result<()> {
        self.log.write(path, text)
    }

    fn check_origin(&self) -> Result<()> {
        self.log.check_origin()
    }

    fn checkout(&self) -> Result<String> {
        self.log.checkout()
    }

    fn memo(&self) -> &Memo {
        self.log.memo()
    }
}
