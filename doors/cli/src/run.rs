//! `mathchain run PLAN`.

use std::path::PathBuf;
use std::sync::Arc;

use chain_runtime::{ChainResult, ChainStatus, CheckMode, PlanProblems, RunOptions, StepStatus};
use registry::ApprovalAnswer;
use tool_core::OutcomeStatus;

use super::plan::source::{self, PlanArgs, PlanSourceError};
use super::prelude::*;
use super::progress::with_display;
use super::save::SaveOptions;
use super::worker::EngineArgs;
use super::{asking, signals};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mathchain run examples/quickstart.yaml
  mathchain run plan.yaml --input csv=data/houses.csv --input draws=5000
  mathchain run examples/script.chain --mode dep --trace
  mathchain run plan.yaml --explain          # waves, edges, verdicts; nothing runs
  mathchain run plan.yaml --agent tester --phase audit --disable run_shell
  mathchain run examples/study.yaml --engine files --dir /shared/tickets    # with `mathchain worker` on each machine

Every run is recorded under an id: `mathchain runs` lists and resumes runs, `mathchain replay` replays them. A run that needs approval asks at a terminal. Elsewhere it stops (exit code 4) and prints how to continue: `mathchain approve ID --resume`.")]
pub(super) struct PlanRunCommand {
    #[command(flatten)]
    pub given: PlanArgs,
    /// Maximum number of steps to run in parallel
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub threads: Option<u16>,
    #[command(flatten)]
    pub engine: EngineArgs,
    /// Compute every call, even if an identical call has a stored result
    #[arg(long)]
    pub no_cache: bool,
    /// Show order, reasons and verdicts; run nothing
    #[arg(long)]
    pub explain: bool,
    /// Same as --explain, with each approval that the run would need; run nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Approve every request automatically, as the operator
    #[arg(short, long)]
    pub yes: bool,
    /// Show a timeline: waves, calls, and how many ran in parallel
    #[arg(long)]
    pub trace: bool,
    /// Write the timeline as a Chrome trace, for chrome://tracing and Perfetto; replaces the file
    #[arg(long, value_name = "FILE")]
    pub trace_file: Option<PathBuf>,
    #[command(flatten)]
    pub save: SaveOptions,
}

/// Runs a plan, or explains it.
pub(super) fn execute_plan(global: &GlobalArgs, run: &PlanRunCommand) -> Result<ExitCode> {
    run.given.caller.check_facts()?;
    let toolkit = run.given.caller.open(global)?;
    let refused = |problems: PlanProblems| {
        let head = answer::audit_head(&toolkit);
        source::print_plan_problems(global, Some(&run.given.plan), problems, head.as_ref())
    };
    // An explanation shows each request for approval; it runs nothing.
    let approval = match run.explain {
        true => ApprovalAnswer::Yes,
        false => open::approval_answer(&toolkit, run.yes, asking::may_ask(&toolkit))?,
    };
    let prepared = match run.given.prepare(&toolkit, approval) {
        Ok(prepared) => prepared,
        Err(PlanSourceError::Plan(problems)) => return Ok(refused(problems)),
        Err(PlanSourceError::Error(err)) => return Err(err),
    };
    let (plan, inputs) = (&prepared.plan, &prepared.inputs);
    if run.explain || run.dry_run {
        return match toolkit.check(&prepared.context, plan, inputs, CheckMode::Inspect) {
            Ok(checked) => {
                output::print_data(global, &checked.explain(), || checked.explain_text())
            }
            Err(problems) => Ok(refused(problems)),
        };
    }
    let picture = run.save.file()?;
    if let Some(file) = &run.trace_file {
        // A file that cannot be written is an error before anything runs.
        source::create_named_file(file)?;
    }
    let stop = StopFlag::new();
    signals::stop_on_signal(&stop);
    let context = CallContext {
        stop,
        cluster: toolkit.open_engine(&run.engine.request())?,
        ..prepared.context
    };
    let result = with_display(|observer| {
        let options = RunOptions {
            threads: run.threads.map_or(0, usize::from),
            observer,
            no_cache: run.no_cache,
            ..RunOptions::default()
        };
        toolkit.run_plan(&context, plan, inputs, options)
    });
    match result {
        Ok(result) => {
            let mut result = asking::continue_suspended_run(global, &toolkit, &context, result)?;
            let saved = match &picture {
                Some(picture) if result.is_success() => {
                    let outputs = Value::Object(Arc::new(result.outputs.clone()));
                    picture.save_answer(&outputs).map(|rest| {
                        result.outputs = rest.as_object().cloned().unwrap_or_default();
                    })
                }
                _ => Ok(()),
            };
            let code = finish_with(global, &toolkit, &result, run.trace);
            if let Some(file) = &run.trace_file {
                let text = json::to_text(&result.chrome_trace());
                source::write_named_file(file, &format!("{text}\n"))?;
            }
            saved.map(|()| code)
        }
        Err(problems) => {
            answer::close_audit(&toolkit);
            Ok(refused(problems))
        }
    }
}

/// Prints the result of a run.
pub(super) fn print_run_result(
    global: &GlobalArgs,
    toolkit: &Toolkit,
    result: &ChainResult,
) -> ExitCode {
    finish_with(global, toolkit, result, false)
}

fn finish_with(
    global: &GlobalArgs,
    toolkit: &Toolkit,
    result: &ChainResult,
    trace: bool,
) -> ExitCode {
    let mut outcome = match trace {
        true => result.to_traced_outcome(),
        false => result.to_outcome(),
    };
    answer::flush_audit(toolkit, global.format(), &mut outcome);
    match global.format() {
        OutputFormat::Human => {
            if !output::is_quiet() || !result.is_success() {
                write_stderr(&run_summary(global, result));
            }
            if trace {
                write_stderr(&result.trace_text());
            }
            let outputs = Value::Object(Arc::new(result.outputs.clone()));
            print_text(&human::render_value(&human::without_pictures(&outputs)));
            write_stderr(&match outcome.status {
                // The summary has the commands to continue.
                OutcomeStatus::PendingApproval { .. } => human::render_warnings(&outcome),
                _ => human::render_outcome(&outcome).stderr,
            });
            output::print_audit_head(&outcome);
        }
        OutputFormat::Csv if result.is_success() => {
            let outputs = Value::Object(Arc::new(result.outputs.clone()));
            write_stderr(&human::render_warnings(&outcome));
            match super::csv::render_csv(&outputs) {
                Ok(text) => output::write_stdout(&text),
                Err(err) => {
                    output::print_error(global, &err);
                    return exit::of_error(&err).into();
                }
            }
        }
        format => {
            if let Err(err) = output::print_outcome(format, &outcome) {
                output::print_error(global, &err);
            }
        }
    }
    exit::of_outcome(&outcome)
}

/// Maximum number of waves, steps of a wave, and incomplete steps that a reader is shown.
const SHOWN_MAX: usize = 20;

/// The run for a reader: incomplete and undone steps, how to continue, and its waves where they are wanted.
fn run_summary(global: &GlobalArgs, result: &ChainResult) -> String {
    let mut text = format!("run {}: {}\n", result.chain_id, result.status.as_str());
    if output::is_verbose() {
        text.push_str(&render_waves(result));
    }
    let open = || (result.steps.iter()).filter(|step| step.end.status != StepStatus::Done);
    for step in open().take(SHOWN_MAX) {
        let cause = step.end.cause.and_then(|cause| result.steps.get(cause));
        let cause = cause.map(|cause| format!(", because of `{}`", cause.id));
        let message = step
            .end
            .error
            .as_ref()
            .map(|err| format!(": {}", err.message()));
        let (cause, message) = (cause.unwrap_or_default(), message.unwrap_or_default());
        let (id, status) = (&step.id, step.end.status.as_str());
        let _ = writeln!(text, "  {id} {status}{cause}{message}");
    }
    append_more_count(&mut text, open().count(), "step");
    let undone = undone_steps(result);
    if !undone.is_empty() {
        let _ = writeln!(text, "  undone: {}", human::first_of(&undone, SHOWN_MAX));
    }
    if result.status == ChainStatus::Suspended {
        let (command, folder) = open::own_command_line(global);
        let _ = writeln!(text, "To continue, in {folder}:");
        let id = &result.chain_id;
        let _ = writeln!(text, "  {command} approve --all --run {id} --resume");
        let _ = writeln!(text, "or, one by one:");
        for approval in result.approvals() {
            let _ = writeln!(text, "  {command} approve {approval}");
        }
        let _ = writeln!(text, "  {command} runs resume {id}");
    }
    text
}

/// The steps of each wave.
fn render_waves(result: &ChainResult) -> String {
    let mut text = String::new();
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
    append_more_count(&mut text, waves.len(), "wave");
    text
}

fn append_more_count(text: &mut String, count: usize, noun: &str) {
    if let Some(more @ 1..) = count.checked_sub(SHOWN_MAX) {
        let _ = writeln!(text, "  ... and {} more", count_phrase(more as u64, noun));
    }
}

/// The undone steps, each with its status.
pub(super) fn undone_steps(result: &ChainResult) -> Vec<String> {
    let undone = result.undone.iter();
    undone
        .map(|one| format!("{} ({})", one.step, one.end.status.as_str()))
        .collect()
}
