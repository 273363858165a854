//! `mathchain run PLAN`.

use std::fmt::Write as _;
use std::io::{IsTerminal, Read};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use chain_runtime::{ChainResult, Mode as PlanMode, Plan, Problems, StepStatus};
use tool_core::{ErrorCode, Object, StopFlag, ToolError, Value};

use super::args::{Format, Global, Mode, Run};
use super::progress::Display;
use super::{
    call, cancel_on_signal, complain, exit, flags, human, print, print_line, print_outcome, session,
};
use crate::{Context, Toolkit};

/// Runs a plan, or explains it.
pub(super) fn run(global: &Global, run: &Run) -> Result<ExitCode, ToolError> {
    let toolkit = run.caller.open(global)?;
    let mut plan = Plan::parse(&read_plan(&run.plan)?)?.with_defaults(toolkit.chain_defaults());
    if let Some(mode) = run.mode {
        plan = plan.with_mode(match mode {
            Mode::Dep => PlanMode::Dep,
            Mode::Seq => PlanMode::Seq,
        });
    }
    if run.barrier {
        plan.barrier = true;
    }
    let inputs = inputs(&plan, &run.inputs)?;
    let stop = StopFlag::new();
    // An explanation shows what would be asked; it runs nothing.
    let context = Context {
        answer: session::answer(&toolkit, run.yes || run.explain, false),
        stop: stop.clone(),
        ..run.caller.context(run.role.clone())
    };
    // An unknown name is one error, not one for each step.
    toolkit.dispatcher().visible(&toolkit.caller(&context))?;
    if run.explain || run.dry_run {
        return match toolkit.check(&context, &plan, &inputs) {
            Ok(checked) => {
                match global.format() {
                    Format::Human => print(&checked.explain_text()),
                    Format::Json | Format::Raw | Format::Npy => print_line(&checked.explain()),
                }
                Ok(exit::OK.into())
            }
            Err(problems) => Ok(refused(global, problems)),
        };
    }
    cancel_on_signal(&stop);
    let display = display();
    let observer = display
        .clone()
        .map(|display| display as Arc<dyn chain_runtime::Observer>);
    let threads = run.threads.map_or(0, usize::from);
    let result = toolkit.run_chain_with(&context, &plan, &inputs, threads, observer);
    if let Some(display) = display {
        display.clear();
    }
    match result {
        Ok(result) => Ok(finish(global, &toolkit, &result)),
        Err(problems) => {
            call::close(&toolkit);
            Ok(refused(global, problems))
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
    let outcome = result.to_outcome();
    match global.format() {
        Format::Human => {
            complain(&summary(result));
            print(&human::value(&Value::Object(Arc::new(
                result.outputs.clone(),
            ))));
            complain(&human::outcome(&outcome).stderr);
        }
        format => print_outcome(format, &outcome),
    }
    call::close(toolkit);
    exit::of_outcome(&outcome)
}

/// What ran, wave by wave, for a reader.
fn summary(result: &ChainResult) -> String {
    let mut text = format!("chain {}: {}\n", result.chain_id, result.status.as_str());
    let waves = result
        .steps
        .iter()
        .map(|step| step.wave + 1)
        .max()
        .unwrap_or(0);
    for wave in 0..waves {
        let steps = result.steps.iter().filter(|step| step.wave == wave);
        let words: Vec<String> = steps
            .map(|step| {
                if step.end.status == StepStatus::Done {
                    step.id.to_string()
                } else {
                    format!("{} ({})", step.id, step.end.status.as_str())
                }
            })
            .collect();
        let _ = writeln!(text, "  wave {wave}: {}", words.join(", "));
    }
    for step in result
        .steps
        .iter()
        .filter(|step| step.end.status != StepStatus::Done)
    {
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
    text
}

/// Prints why a plan was refused; nothing has run.
fn refused(global: &Global, problems: Problems) -> ExitCode {
    let mut text = String::new();
    for problem in problems.list() {
        let _ = writeln!(text, "  {problem}");
    }
    if problems.more() > 0 {
        let _ = writeln!(text, "  and {} more", problems.more());
    }
    let err = ToolError::from(problems);
    let code = exit::of_error(err.code());
    if global.format() != Format::Human {
        print_line(&tool_core::Outcome::error(err.clone()).to_value());
    }
    complain(&format!(
        "the plan was refused; nothing ran [{}]\n{text}",
        err.code()
    ));
    code.into()
}

fn read_plan(path: &Path) -> Result<String, ToolError> {
    const BYTES_MAX: u64 = 4 << 20;
    let failed = |err: std::io::Error| {
        ToolError::new(
            ErrorCode::InvalidRequest,
            format_args!("cannot read the plan `{}`: {err}", path.display()),
        )
        .reason("io")
    };
    let mut text = String::new();
    // One byte more than allowed, so that the plan's own limit speaks.
    if path == Path::new("-") {
        std::io::stdin()
            .lock()
            .take(BYTES_MAX + 1)
            .read_to_string(&mut text)
            .map_err(failed)?;
    } else {
        std::fs::File::open(path)
            .map_err(failed)?
            .take(BYTES_MAX + 1)
            .read_to_string(&mut text)
            .map_err(failed)?;
    }
    Ok(text)
}

fn inputs(plan: &Plan, pairs: &[String]) -> Result<Object, ToolError> {
    let mut inputs = Object::new();
    for pair in pairs {
        let (name, text) = flags::split(pair)?;
        let value = match plan.input(&name) {
            Some(input) => input.read(&text).map_err(|message| {
                ToolError::invalid(
                    format!("/inputs/{name}"),
                    format_args!("the input `{name}`: {message}"),
                )
            })?,
            // An unknown input is the check's to report, with the others.
            None => text.as_str().into(),
        };
        if inputs.get(&name).is_some() {
            return Err(ToolError::new(
                ErrorCode::InvalidRequest,
                format_args!("the input `{name}` is given twice"),
            ));
        }
        inputs.insert(name, value);
    }
    Ok(inputs)
}
