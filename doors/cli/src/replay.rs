//! `mathchain replay`: verifies a recorded run, recomputes and compares it, or runs it again.

use chain_runtime::RunOptions;
use chain_runtime::run::{self as chains, LISTED_MAX};
use journal::artifacts::ArtifactHandle;
use journal::{RunRecord, RunState};
use registry::ApprovalAnswer;

use super::prelude::*;
use super::resume::open_run;
use super::{folders, run, runs};

#[derive(Debug, Args)]
#[command(
    after_help = "`mathchain runs list` shows the ids. For a run that has not ended, the recorded part is compared; calls without a recorded result are not made.
Exit code 0 if everything is identical, 1 if something differs or is damaged; for a rerun, that of the new run.
Examples:
  mathchain run plan.yaml && mathchain replay --last
  mathchain replay 3f2a --mode verify
  mathchain replay 3f2a --mode rerun"
)]
pub(super) struct ReplayCommand {
    /// Id of the run, or a unique prefix
    #[arg(required_unless_present = "last", conflicts_with = "last", add = complete::run_ids())]
    pub run: Option<String>,
    /// Replay the newest run that has ended
    #[arg(long)]
    pub last: bool,
    /// Depth of the replay
    #[arg(long, value_enum, default_value_t = ReplayMode::Replay)]
    pub mode: ReplayMode,
    /// In a rerun, approve every request automatically, as the operator
    #[arg(short, long)]
    pub yes: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ReplayMode {
    /// Check the hashes of every record and value; call nothing
    Verify,
    /// Recompute deterministic calls and compare bit for bit; use recorded results for the rest
    Replay,
    /// Run the plan again with the same inputs and seed, effects included, as a new run
    Rerun,
}

pub(super) fn replay_run(global: &GlobalArgs, replay: &ReplayCommand) -> Result<ExitCode> {
    let (toolkit, found) = match &replay.run {
        Some(id) => open_run(global, id, false)?,
        None => open_last(global)?,
    };
    let context = CallContext {
        // Only a rerun repeats effects.
        answer: match replay.mode {
            ReplayMode::Rerun => open::approval_answer(&toolkit, replay.yes, false)?,
            ReplayMode::Verify | ReplayMode::Replay => ApprovalAnswer::Yes,
        },
        ..CallContext::of_run(&found)
    };
    let code = match replay.mode {
        ReplayMode::Verify => verify_run(global, &toolkit, &found),
        ReplayMode::Replay => compare_replay(global, &toolkit, &context, &found),
        ReplayMode::Rerun => {
            let (plan, inputs) =
                chains::load_recorded_plan(open::require_state(&toolkit)?, &found.id)?;
            let result = toolkit.run_plan(&context, &plan, &inputs, RunOptions::default())?;
            return Ok(run::print_run_result(global, &toolkit, &result));
        }
    };
    answer::close_audit(&toolkit);
    code
}

/// Reads every record and value of a run; damage is an error.
fn verify_run(global: &GlobalArgs, toolkit: &Toolkit, found: &RunRecord) -> Result<ExitCode> {
    let state = open::require_state(toolkit)?;
    let records = state.run_records(&found.id)?;
    found.with_values()?;
    let mut handles = vec![found.plan.clone(), found.inputs.clone()];
    for record in records.iter().filter_map(Value::as_object) {
        let members = record.iter();
        handles.extend(members.filter_map(|(_, value)| ArtifactHandle::from_value(value)));
    }
    for handle in &handles {
        state.value(handle)?;
    }
    let (records, values) = (records.len(), handles.len());
    let id = found.id.as_str();
    let data = object! {
        "run" => id, "mode" => "verify", "records" => records, "values" => values, "sound" => true,
    };
    output::print_data(global, &data, || {
        format!("run {id}: {records} records and {values} values verified\n")
    })
}

/// Recomputes deterministic calls, and compares.
fn compare_replay(
    global: &GlobalArgs,
    toolkit: &Toolkit,
    context: &CallContext,
    found: &RunRecord,
) -> Result<ExitCode> {
    let replayed = toolkit.replay(context, &found.id)?;
    let compared = &replayed.compared;
    let divergences = compared.divergences.iter().map(|one| {
        object! {
            "call" => one.call.as_str(),
            "recorded" => one.recorded.clone(),
            "found" => one.found.clone(),
        }
    });
    let unreadable = compared.unreadable.iter();
    let unreadable = unreadable
        .map(|one| object! { "what" => one.what.as_str(), "error" => one.error.to_value() });
    let same = replayed.is_same();
    // A run that has not completed has no result.
    let scope = match (replayed.result_same, found.state) {
        (Some(_), _) => "result",
        (None, RunState::Running) => "calls",
        (None, _) => "steps",
    };
    let computed = compared.same + compared.divergences.len();
    let data = object! {
        "run" => found.id.as_str(),
        "state" => found.state.as_str(),
        "mode" => "replay",
        "same" => same,
        "compared" => scope,
        "reasons" => first_entries(&replayed.reasons),
        "not_compared" => first_entries(&replayed.open),
        "computed" => computed,
        "taken" => compared.taken,
        "divergences" => divergences.collect::<Vec<_>>(),
        "unreadable" => unreadable.collect::<Vec<_>>(),
        "differs" => replayed.differs.clone(),
    };
    output::print_data(global, &data, || render_replay(found, &replayed))?;
    Ok(exit::of_check(same))
}

fn render_replay(found: &RunRecord, replayed: &chains::RunReplayResult) -> String {
    let compared = &replayed.compared;
    let verdict = match (replayed.is_same(), compared.unreadable.is_empty()) {
        (true, _) => "identical, bit for bit",
        (false, true) => "different",
        (false, false) => "stored values are damaged",
    };
    let computed = count_phrase((compared.same + compared.divergences.len()) as u64, "call");
    let (id, state, taken) = (&found.id, found.state.as_str(), compared.taken);
    let mut text =
        format!("run {id} ({state}): {computed} recomputed, {taken} from the record: {verdict}\n");
    for reason in first_entries(&replayed.reasons) {
        let _ = writeln!(text, "{reason}");
    }
    if !replayed.open.is_empty() {
        let names = human::first_of(&replayed.open, LISTED_MAX);
        let _ = writeln!(text, "not compared, as no result is recorded: {names}");
    }
    for one in &compared.unreadable {
        let (what, message) = (&one.what, one.error.message());
        let _ = writeln!(text, "cannot read the stored {what}: {message}");
    }
    if let Some(first) = compared.divergences.first() {
        let _ = writeln!(text, "first divergence at {}", first.call);
        let _ = writeln!(text, "  recorded {}", shorten_value(&first.recorded));
        let _ = writeln!(text, "  found    {}", shorten_value(&first.found));
    }
    for one in &replayed.differs {
        let _ = writeln!(text, "recorded with another {one}: last digits may differ");
    }
    text
}

/// The first entries of a list, and how many more there are.
fn first_entries(list: &[String]) -> Vec<String> {
    let mut shown: Vec<String> = list.iter().take(LISTED_MAX).cloned().collect();
    if let Some(more @ 1..) = list.len().checked_sub(LISTED_MAX) {
        shown.push(format!("and {more} more"));
    }
    shown
}

fn shorten_value(value: &Value) -> String {
    const SHOWN: usize = 400;
    let text = json::to_text(value);
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

fn open_last(global: &GlobalArgs) -> Result<(Toolkit, RunRecord)> {
    let toolkit = open::open_toolkit(global)?;
    let runs = open::require_state(&toolkit)?.runs(None, usize::MAX)?;
    let here = folders::current_workspace(&toolkit);
    let fits = |run: &RunRecord| here.as_ref().is_none_or(|here| runs::is_in(run, here));
    let last = runs
        .into_iter()
        .find(|run| run.state.is_final() && run.state != RunState::Rejected && fits(run));
    let found = last.ok_or_else(|| {
        tool_error!(InvalidArgs, "run"; "no run has ended yet"; "run one with `mathchain run PLAN`")
    })?;
    drop(toolkit);
    open_run(global, &found.id, false)
}
