//! `mathchain schedule`: plans that a server runs at times.

mod units;

use std::path::PathBuf;
use std::sync::Arc;

use chain_runtime::{Plan, RunOptions};
use registry::model::Schedule;

use super::plan::source;
use super::prelude::*;
use super::progress::with_display;
use super::{asking, run, signals};
use mathchain_servers::people::schedules::ListedSchedule;

#[derive(Debug, Subcommand)]
#[command(
    after_help = "`mathchain serve --http` runs the schedules of the configuration (docs/schedules.md)."
)]
pub(super) enum ScheduleCommand {
    /// List schedules with their next times and what became of the last one
    List,
    /// Show one schedule with what became of its times, newest first
    Show {
        /// Name of the schedule
        name: String,
        /// Maximum number of times
        #[arg(long, default_value_t = 20, value_name = "N")]
        limit: u32,
    },
    /// Run the plan of a schedule now, beside its times
    Run {
        /// Name of the schedule
        name: String,
    },
    /// Print schedules as timer and service units of systemd, in place of a server
    Export {
        /// Name of the schedule; every one where absent
        name: Option<String>,
        /// Write the units into this folder, replacing those of the same names
        #[arg(long, value_name = "FOLDER")]
        dir: Option<PathBuf>,
    },
}

/// Lists, shows, runs or exports.
pub(super) fn run_schedule_command(
    global: &GlobalArgs,
    schedule: &ScheduleCommand,
) -> Result<ExitCode> {
    match schedule {
        ScheduleCommand::List => list_schedules(global),
        ScheduleCommand::Show { name, limit } => show_schedule(global, name, *limit as usize),
        ScheduleCommand::Run { name } => run_now(global, name),
        ScheduleCommand::Export { name, dir } => {
            units::export_schedules(global, name.as_deref(), dir.as_deref())
        }
    }
}

/// The schedule of a name.
///
/// # Errors
/// `invalid_args` with the nearest name, or that it awaits consent.
fn find_schedule(toolkit: &Toolkit, name: &str) -> Result<Schedule> {
    let config = toolkit.config();
    if let Some(found) = config.schedules.iter().find(|one| one.name == name) {
        return Ok(found.clone());
    }
    if config.untrusted.contains(&format!("schedules.{name}")) {
        return Err(
            tool_error!(PolicyDenied, "untrusted"; "this user has not agreed to the schedule `{name}` and its plan as they are now";
            "{}", mathchain::trust::HINT),
        );
    }
    let error = tool_error!(InvalidArgs, "schedule"; "no schedule is named `{name}`");
    let names = config.schedules.iter().map(|one| one.name.as_str());
    Err(output::suggest_nearest_name(
        error,
        name,
        names,
        "`mathchain schedule list` lists them",
    ))
}

/// A schedule for a reader.
fn schedule_text(listed: &ListedSchedule) -> String {
    let Schedule { name, plan, .. } = &listed.schedule;
    let role = listed.schedule.role.as_ref();
    let role = role.map_or(String::new(), |role| format!(" as `{role}`"));
    let mut text = format!("{name}  {}  {plan}{role}\n", listed.schedule.timing_text());
    let next: Vec<String> = listed
        .next
        .iter()
        .map(|ms| human::format_local_time(*ms))
        .collect();
    let next = match next.as_slice() {
        [] => "never".to_owned(),
        next => next.join(", "),
    };
    let _ = writeln!(text, "    next  {next}");
    for (time, state) in &listed.times {
        let due = human::format_local_time(time.due_ms);
        let _ = write!(text, "    {due}  {}", time.outcome);
        if let Some(run) = &time.run {
            let _ = write!(text, ", run {run}");
        }
        if let Some(state) = state {
            let _ = write!(text, ": {state}");
        }
        if let Some(error) = &time.error {
            let _ = write!(text, ": {error}");
        }
        text.push('\n');
    }
    if listed.missed > 0 {
        let missed = count_phrase(listed.missed as u64, "time");
        let _ = writeln!(text, "    missed {missed}");
    }
    if let Some(problem) = &listed.problem {
        let _ = writeln!(text, "    problem: {problem}");
    }
    text
}

fn list_schedules(global: &GlobalArgs) -> Result<ExitCode> {
    let toolkit = open::read_only(global, false)?;
    let config = toolkit.config();
    let state = toolkit.state().map(Arc::as_ref);
    let listed: Vec<ListedSchedule> = config
        .schedules
        .iter()
        .map(|one| ListedSchedule::of(&toolkit, state, one, 1))
        .collect::<Result<_>>()?;
    let none = "no schedules; docs/schedules.md shows how to write one";
    output::print_list(global, &listed, ListedSchedule::value, none, schedule_text)
}

fn show_schedule(global: &GlobalArgs, name: &str, limit: usize) -> Result<ExitCode> {
    let toolkit = open::read_only(global, false)?;
    let schedule = find_schedule(&toolkit, name)?;
    let state = toolkit.state().map(Arc::as_ref);
    let shown = ListedSchedule::of(&toolkit, state, &schedule, limit)?;
    output::print_data(global, &shown.value(), || schedule_text(&shown))
}

/// Runs the plan of a schedule as the caller of this command line.
fn run_now(global: &GlobalArgs, name: &str) -> Result<ExitCode> {
    let toolkit = open::open_toolkit(global)?;
    let schedule = find_schedule(&toolkit, name)?;
    let text = match &schedule.text {
        Some(Ok(text)) => text,
        Some(Err(why)) => return Err(tool_error!(InvalidRequest, "schedule"; "{why}")),
        None => return Err(tool_error!(InvalidRequest, "schedule"; "the plan was not read")),
    };
    let refused = |problems| {
        let head = answer::audit_head(&toolkit);
        let file = std::path::Path::new(&schedule.plan);
        source::print_plan_problems(global, Some(file), problems, head.as_ref())
    };
    let plan = match Plan::read(&schedule.plan, text) {
        Ok(plan) => plan.with_defaults(toolkit.chain_defaults()),
        Err(problems) => return Ok(refused(problems)),
    };
    let inputs = schedule.inputs.as_object().cloned().unwrap_or_default();
    let stop = StopFlag::new();
    signals::stop_on_signal(&stop);
    let context = CallContext {
        answer: open::approval_answer(&toolkit, false, asking::may_ask(&toolkit))?,
        role: schedule.role.clone(),
        stop,
        ..CallContext::default()
    };
    toolkit.dispatcher().visible(&toolkit.caller(&context))?;
    let result = with_display(|observer| {
        let options = RunOptions {
            observer,
            ..RunOptions::default()
        };
        toolkit.run_plan(&context, &plan, &inputs, options)
    });
    match result {
        Ok(result) => {
            let result = asking::continue_suspended_run(global, &toolkit, &context, result)?;
            Ok(run::print_run_result(global, &toolkit, &result))
        }
        Err(problems) => {
            answer::close_audit(&toolkit);
            Ok(refused(problems))
        }
    }
}
