//! `mathchain plan`: checks, explains, draws and creates plans.

use super::prelude::*;

pub(super) mod source;
mod starter;

use std::path::PathBuf;

use chain_runtime::{CheckMode, CheckedPlan, draw};
use registry::ApprovalAnswer;

use source::{PlanArgs, PlanSourceError};

#[derive(Debug, Subcommand)]
pub(super) enum PlanCommand {
    /// Check a plan: list every problem with line and column, run nothing
    #[command(
        after_help = "Exit codes as for `run`: 0 the plan is valid, 2 it is invalid, 3 denied, 4 approval is needed and no user could be prompted.
Examples:
  mathchain plan check examples/quickstart.yaml
  mathchain plan check plan.yaml --input draws=5000 --role worker_math --output json"
    )]
    Check {
        #[command(flatten)]
        given: Box<PlanArgs>,
        /// Assume that the operator approves every request
        #[arg(long)]
        yes: bool,
    },
    /// Explain a plan: order, reasons, conditions, maps, retries, approvals, undo
    Explain {
        #[command(flatten)]
        given: Box<PlanArgs>,
    },
    /// Draw the dependencies between steps, with the reason for each
    #[command(after_help = "Examples:
  mathchain plan graph examples/cleanup.yaml
  mathchain plan graph examples/cleanup.yaml --format svg --to cleanup.svg
  mathchain plan graph examples/script.chain --format dot | dot -Tpng > script.png")]
    Graph {
        #[command(flatten)]
        given: Box<PlanArgs>,
        /// Format of the picture
        #[arg(long, value_parser = one_of(PICTURES), default_value = "text")]
        format: draw::DrawingFormat,
        /// File to write or replace, instead of stdout
        #[arg(long, alias = "out", short_alias = 'o', value_name = "FILE")]
        to: Option<PathBuf>,
    },
    /// Write a commented starter plan that runs as it is
    New {
        /// Name of the plan, or of its file; `.chain` writes a call script
        #[arg(default_value = "plan")]
        name: String,
    },
}

const PICTURES: &[(&str, draw::DrawingFormat, &str)] = &[
    ("text", draw::DrawingFormat::Text, "Text for a terminal"),
    ("dot", draw::DrawingFormat::Dot, "Graphviz"),
    (
        "mermaid",
        draw::DrawingFormat::Mermaid,
        "Mermaid, for Markdown",
    ),
    ("svg", draw::DrawingFormat::Svg, "SVG, for a browser"),
];

/// Runs one of the commands about plans.
pub(super) fn run_plan_command(global: &GlobalArgs, command: &PlanCommand) -> Result<ExitCode> {
    let (given, yes) = match command {
        PlanCommand::Check { given, yes } => (given, *yes),
        PlanCommand::Explain { given } | PlanCommand::Graph { given, .. } => (given, true),
        PlanCommand::New { name } => return starter::write_starter_plan(name),
    };
    let plan = match check_plan(global, given, yes) {
        Ok(plan) => plan,
        Err(PlanSourceError::Error(err)) => return Err(err),
        Err(PlanSourceError::Plan(problems)) => {
            return Ok(source::print_plan_problems(
                global,
                Some(&given.plan),
                problems,
                None,
            ));
        }
    };
    match command {
        PlanCommand::Check { .. } => {
            output::print_data(global, &plan_verdict(&plan), || render_plan(given, &plan))
        }
        PlanCommand::Explain { .. } => {
            output::print_data(global, &plan.explain(), || plan.explain_text())
        }
        PlanCommand::New { .. } => Ok(exit::OK.into()),
        PlanCommand::Graph { format, to, .. } => {
            let picture = draw::draw_plan(&plan, *format)?;
            match to {
                Some(file) => source::write_named_file(file, &picture)?,
                None => print_text(&picture),
            }
            Ok(exit::OK.into())
        }
    }
}

/// Reads and checks a plan for its caller; with `yes` as if every request were approved, since nothing runs.
fn check_plan(
    global: &GlobalArgs,
    given: &PlanArgs,
    yes: bool,
) -> Result<CheckedPlan, PlanSourceError> {
    let toolkit = given.caller.open(global)?;
    let answer = match yes {
        true => ApprovalAnswer::Yes,
        false => open::approval_answer(&toolkit, false, false)?,
    };
    let given = given.prepare(&toolkit, answer)?;
    Ok(toolkit.check(
        &given.context,
        &given.plan,
        &given.inputs,
        CheckMode::Inspect,
    )?)
}

/// The facts of a valid plan.
fn plan_verdict(plan: &CheckedPlan) -> Value {
    let waiting = plan.steps.iter().filter(|step| step.needs_approval());
    object! {
        "status" => "valid",
        "id" => &*plan.id,
        "plan_digest" => plan.digest(),
        "steps" => plan.steps.len(),
        "calls" => plan.calls().0,
        "waves" => plan.graph.waves().len(),
        "mode_used" => plan.mode_used.as_str(),
        "fallback_reason" => plan.fallback_reason.clone(),
        "waits_for_person" => waiting.map(|step| step.id.to_string()).collect::<Vec<_>>(),
        "needs_inputs" => plan.open_inputs.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "notes" => plan.notes.clone(),
    }
}

fn render_plan(given: &PlanArgs, plan: &CheckedPlan) -> String {
    let steps = count_phrase(plan.steps.len() as u64, "step");
    let waves = count_phrase(plan.graph.waves().len() as u64, "wave");
    let (file, id) = (given.plan.display(), &plan.id);
    let mut text = format!("{file}: plan `{id}` is valid: {steps} in {waves}\n");
    if let Some(reason) = &plan.fallback_reason {
        let _ = writeln!(text, "steps run sequentially: {reason}");
    }
    if !plan.open_inputs.is_empty() {
        let flags = plan
            .open_inputs
            .iter()
            .map(|name| format!("--input {name}=.."));
        let flags = flags.collect::<Vec<_>>().join(" ");
        let _ = writeln!(text, "a run needs {flags}; only their types were checked");
    }
    for note in &plan.notes {
        let _ = writeln!(text, "note: {note}");
    }
    text
}
