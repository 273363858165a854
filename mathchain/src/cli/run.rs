//! `mathchain run PLAN`.

use std::fmt::Write as _;
use std::io::IsTerminal;
use std::process::ExitCode;
use std::sync::Arc;

use chain_runtime::{ChainResult, ChainStatus, Problems, StepStatus, counted};
use registry::Answer;
use tool_core::{Status, StopFlag, ToolError, Value, json};

use super::args::{Format, Global, Run};
use super::plan::{self, Problematic};
use super::progress::Display;
use super::{call, complain, exit, human, print_line, print_outcome, say, session, signals};
use crate::{Context, Toolkit};

/// Runs a plan, or explains it.
pub(super) fn run(global: &Global, run: &Run) -> Result<ExitCode, ToolError> {
    let toolkit = run.caller.open(global)?;
    let refused = |problems: Problems| {
        let what = "the plan was refused; nothing ran";
        let head = call::head(&toolkit);
        plan::refused(global, Some(&run.plan), what, problems, head.as_ref())
    };
    let mut plan = match plan::read(&run.plan) {
        Ok(plan) => plan.with_defaults(toolkit.chain_defaults()),
        Err(Problematic::Plan(problems)) => return Ok(refused(problems)),
        Err(Problematic::Error(err)) => return Err(err),
    };
    if let Some(mode) = run.mode {
        plan = plan.with_mode(mode.into());
    }
    if run.barrier {
        plan.barrier = true;
    }
    let inputs = plan::settle(&plan, &run.inputs)?;
    let stop = StopFlag::new();
    // An explanation shows what would be asked; it runs nothing.
    let context = Context {
        answer: match run.explain {
            true => Answer::Yes,
            false => session::answer(&toolkit, run.yes, false)?,
        },
        stop: stop.clone(),
        ..run.caller.context(run.role.clone())
    };
    // An unknown name is one error, not one for each step.
    toolkit.dispatcher().visible(&toolkit.caller(&context))?;
    if run.explain || run.dry_run {
        return match toolkit.check(&context, &plan, &inputs, chain_runtime::CheckMode::Inspect) {
            Ok(checked) => {
                match global.format() {
                    Format::Human => say(&checked.explain_text()),
                    Format::Json | Format::Raw | Format::Npy => print_line(&checked.explain()),
                }
                Ok(exit::OK.into())
            }
            Err(problems) => Ok(refused(problems)),
        };
    }
    if let Some(file) = &run.trace_file {
        // What cannot be written is told before anything runs.
        plan::begun(file)?;
    }
    signals::stop_on_signal(&stop);
    let display = display();
    let observer = display
        .clone()
        .map(|display| display as Arc<dyn chain_runtime::Observer>);
    let options = chain_runtime::RunOptions {
        threads: run.threads.map_or(0, usize::from),
        observer,
        no_cache: run.no_cache,
        ..Default::default()
    };
    let result = toolkit.run_plan(&context, &plan, &inputs, options);
    if let Some(display) = display {
        display.clear();
    }
    match result {
        Ok(result) => {
            let code = finish_with(global, &toolkit, &result, run.trace);
            if let Some(file) = &run.trace_file {
                let text = json::to_text(&result.chrome_trace());
                plan::written(file, &format!("{text}\n"))?;
            }
            Ok(code)
        }
        Err(problems) => {
            call::close(&toolkit);
            Ok(refused(problems))
        }
    }
}

/// What shows steps as they run, on a terminal.
pub(super) fn display() -> Option<Arc<Display>> {
    std::io::stderr()
        .is_terminal()
        .then(|| Arc::new(Display::default()))
}

/// Prints the result of a run.
pub(super) fn finish(global: &Global, toolkit: &Toolkit, result: &ChainResult) -> ExitCode {
    finish_with(global, toolkit, result, false)
}

/// As [`finish`]; where asked, with what ran when.
fn finish_with(global: &Global, toolkit: &Toolkit, result: &ChainResult, trace: bool) -> ExitCode {
    let mut outcome = match trace {
        true => result.to_traced_outcome(),
        false => result.to_outcome(),
    };
    call::write_out(toolkit, global.format(), &mut outcome);
    match global.format() {
        Format::Human => {
            complain(&summary(global, result));
            if trace {
                complain(&result.trace_text());
            }
            say(&human::value(&Value::Object(Arc::new(
                result.outputs.clone(),
            ))));
            complain(&match outcome.status {
                // The commands that go on are in the summary.
                Status::PendingApproval { .. } => human::beside(&outcome),
                _ => human::outcome(&outcome).stderr,
            });
        }
        format => print_outcome(format, &outcome),
    }
    exit::of_outcome(&outcome)
}

/// Most waves, steps of a wave, and steps that are not done that a reader is told of one by one.
const SHOWN_MAX: usize = 20;

/// What ran, wave by wave, for a reader; what was undone; and how to go on.
fn summary(global: &Global, result: &ChainResult) -> String {
    let mut text = format!("chain {}: {}\n", result.chain_id, result.status.as_str());
    let mut waves: Vec<Vec<String>> = Vec::new();
    for step in &result.steps {
        if waves.len() <= step.wave {
            waves.resize(step.wave + 1, Vec::new());
        }
        waves[step.wave].push(match step.end.status {
            StepStatus::Done => step.id.to_string(),
            status => format!("{} ({})", step.id, status.as_str()),
        });
    }
    for (wave, steps) in waves.iter().enumerate().take(SHOWN_MAX) {
        let _ = writeln!(text, "  wave {wave}: {}", human::first_of(steps, SHOWN_MAX));
    }
    more(&mut text, waves.len(), "wave");
    let open = || (result.steps.iter()).filter(|step| step.end.status != StepStatus::Done);
    for step in open().take(SHOWN_MAX) {
        let cause = step
            .end
            .cause
            .and_then(|cause| result.steps.get(cause))
            .map(|cause| format!(", because of `{}`", cause.id))
            .unwrap_or_default();
        let message = step
            .end
            .error
            .as_ref()
            .map(|err| format!(": {}", err.message()))
            .unwrap_or_default();
        let _ = writeln!(
            text,
            "  {} {}{cause}{message}",
            step.id,
            step.end.status.as_str()
        );
    }
    more(&mut text, open().count(), "step");
    let undone = undone(result);
    if !undone.is_empty() {
        let _ = writeln!(text, "  undone: {}", human::first_of(&undone, SHOWN_MAX));
    }
    text.push_str(&next_commands(global, result));
    text
}

/// Says that there is more than was shown.
fn more(text: &mut String, count: usize, what: &str) {
    if let Some(more @ 1..) = count.checked_sub(SHOWN_MAX) {
        let _ = writeln!(text, "  ... and {} more", counted(more as u64, what));
    }
}

/// What was undone, and how that ended.
pub(super) fn undone(result: &ChainResult) -> Vec<String> {
    let undone = result.undone.iter();
    undone
        .map(|one| format!("{} ({})", one.step, one.end.status.as_str()))
        .collect()
}

/// The commands that let a run go on which waits for a person.
fn next_commands(global: &Global, result: &ChainResult) -> String {
    if result.status != ChainStatus::Suspended {
        return String::new();
    }
    let (command, folder) = session::command(global);
    let mut text = format!("to continue, in {folder}:\n");
    for id in result.approvals() {
        let _ = writeln!(text, "  {command} approve {id}");
    }
    let _ = writeln!(text, "  {command} runs resume {}", result.chain_id);
    text
}
