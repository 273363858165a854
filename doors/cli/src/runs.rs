//! `mathchain runs`: recorded runs, and the storage of their values; `resume` and `cancel` have files of their own.

use std::sync::Arc;

use chain_runtime::run as chains;
use journal::{AuditRecord, GcReport, RetentionPolicy, RunRecord, RunState, StateStore};
use registry::WorkspaceId;

use super::folders::FolderArgs;
use super::output::WhileRead;
use super::prelude::*;
use super::{anomalies, artifacts, cancel, resume, when};

#[derive(Debug, Subcommand)]
pub(super) enum RunsCommand {
    /// List runs, newest first
    #[command(after_help = "Examples:
  mathchain runs list
  mathchain runs list --state suspended --json")]
    List {
        /// Only runs in this state
        #[arg(long, value_parser = one_of(STATES))]
        state: Option<Listed>,
        /// Only runs of this role
        #[arg(long, value_name = "ROLE")]
        role: Option<String>,
        /// Only runs begun since: age or local date, such as 7d or 2026-01-01
        #[arg(long, value_name = "TIME")]
        since: Option<String>,
        #[command(flatten)]
        folders: FolderArgs,
        /// Maximum number of rows
        #[arg(long, default_value_t = 20, value_name = "N")]
        limit: u32,
    },
    /// Show a run: header, inputs, outputs, records and artifacts
    #[command(after_help = "Examples:
  mathchain runs show 3f2a             # any unique prefix of the id
  mathchain runs show --last")]
    Show {
        /// Id of the run, or a unique prefix
        #[arg(required_unless_present = "last", conflicts_with = "last", add = complete::run_ids())]
        run: Option<String>,
        /// Show the newest run of this workspace
        #[arg(long)]
        last: bool,
    },
    /// Resume a run that is awaiting approval, needs a decision, or was interrupted
    Resume(super::resume::ResumeCommand),
    /// Cancel a run and undo its completed steps
    Cancel(super::cancel::CancelCommand),
    /// Export the records of a run as JSON Lines with their hashes, or its spans
    #[command(after_help = "Examples:
  mathchain runs export 3f2a > run.jsonl
  mathchain runs export 3f2a --format otlp > spans.jsonl   # docs/observability.md")]
    Export {
        /// Id of the run, or a unique prefix
        #[arg(add = complete::run_ids())]
        run: String,
        /// Export format
        #[arg(long, value_enum, default_value_t = RunExportFormat::Jsonl)]
        format: RunExportFormat,
    },
    /// Delete stored values of old runs; their records are retained
    #[command(
        after_help = "Without --keep-days and --quota-mb only unreferenced values are deleted. Pinned runs, and runs that have not ended, retain everything.
Examples:
  mathchain runs gc --keep-days 30 --dry-run
  mathchain runs gc --quota-mb 2000"
    )]
    Gc {
        /// Delete values of runs that ended, and stored results last used, more than DAYS ago
        #[arg(long, value_name = "DAYS")]
        keep_days: Option<u64>,
        /// Delete values of the oldest runs until at most this much is left
        #[arg(long, value_name = "MB")]
        quota_mb: Option<u64>,
        /// Only report the values that would be deleted
        #[arg(long)]
        dry_run: bool,
    },
    /// Pin a run: retain its values whatever their age
    Pin {
        /// Id of the run, or a unique prefix
        #[arg(add = complete::run_ids())]
        run: String,
    },
    /// Unpin a run
    Unpin {
        /// Id of the run, or a unique prefix
        #[arg(add = complete::run_ids())]
        run: String,
    },
    /// Find stalls, repeated failures, retry storms, fallbacks and dominant tools
    Anomalies(anomalies::AnomaliesCommand),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum RunExportFormat {
    /// Records, with the bytes that their hashes cover
    Jsonl,
    /// OpenTelemetry spans as OTLP/JSON; in builds with the feature `otel`
    Otlp,
}

/// The states of the list: that of a run, and for `running` whether a process executes it.
type Listed = (RunState, Option<bool>);

const STATES: &[(&str, Listed, &str)] = {
    use RunState::*;
    const NOW: Listed = (Running, Some(true));
    const ENDED: Listed = (Running, Some(false));
    &[
        ("running", NOW, "Executed by a process now"),
        ("interrupted", ENDED, "Its process ended before the run did"),
        ("suspended", (Suspended, None), "Awaiting approval"),
        (
            "needs_decision",
            (NeedsDecision, None),
            "An outcome is unknown",
        ),
        ("succeeded", (Succeeded, None), "Every step succeeded"),
        ("failed", (Failed, None), "A step failed"),
        ("cancelled", (Cancelled, None), "Cancelled by a user"),
        ("rejected", (Rejected, None), "The plan check failed"),
    ]
};

const DAY_MS: u64 = 24 * 60 * 60 * 1000;

/// Maximum number of steps whose tickets are shown.
const STEPS_MAX: usize = 50;

/// Maximum number of records shown of a run; `runs export` writes all.
const RECORDS_MAX: usize = 1000;

/// Runs one of the commands about recorded runs.
pub(super) fn run_runs_command(global: &GlobalArgs, runs: &RunsCommand) -> Result<ExitCode> {
    match runs {
        RunsCommand::Anomalies(wanted) => return anomalies::print_anomalies(global, wanted),
        RunsCommand::Resume(resume) => return resume::resume_run(global, resume),
        RunsCommand::Cancel(cancel) => return cancel::cancel_run(global, cancel),
        _ => {}
    }
    let toolkit = open::open_toolkit(global)?;
    let state = match runs {
        RunsCommand::List { .. } | RunsCommand::Show { .. } | RunsCommand::Export { .. } => {
            open::state_to_read(global, &toolkit)?
        }
        _ => Arc::clone(open::require_state(&toolkit)?),
    };
    let state = &*state;
    let code = match runs {
        RunsCommand::Resume(_) | RunsCommand::Cancel(_) | RunsCommand::Anomalies(_) => {
            exit::OK.into()
        }
        RunsCommand::List {
            state: wanted,
            role,
            since,
            folders,
            limit,
        } => {
            let of = folders.of(&toolkit);
            let since_ms = since.as_deref().map(when::unix_ms).transpose()?;
            let fits = |run: &RunRecord| {
                role.as_ref().is_none_or(|role| *role == run.role)
                    && since_ms.is_none_or(|since_ms| since_ms <= run.created_ms)
                    && of.as_ref().is_none_or(|here| is_in(run, here))
            };
            let listed = matching_runs(state, *wanted, fits, *limit as usize)?;
            let none = folders.none(&toolkit, "no runs");
            output::print_list(global, &listed, run_value, &none, |run| {
                let began = chains::workspace_of(run).map(|began| began.root);
                folders.line(run_line(run), began.as_deref())
            })?
        }
        RunsCommand::Show { run: Some(run), .. } => show_run(global, state, run)?,
        RunsCommand::Show { run: None, .. } => {
            let here = super::folders::current_workspace(&toolkit);
            let fits = |run: &RunRecord| here.as_ref().is_none_or(|here| is_in(run, here));
            let newest = state.runs(None, usize::MAX)?.into_iter().find(fits);
            let newest = newest.ok_or_else(|| {
                tool_error!(InvalidArgs, "run"; "no run is recorded here"; "run one with `mathchain run PLAN`")
            })?;
            show_run(global, state, &newest.id)?
        }
        RunsCommand::Export { run, format } => {
            let id = state.run(run)?.id;
            let out = &mut WhileRead(standard_output());
            match format {
                RunExportFormat::Jsonl => {
                    state.export(Some(&id), out)?;
                }
                RunExportFormat::Otlp => mathchain::otel::write_run(&state.run_records(&id)?, out)?,
            }
            exit::OK.into()
        }
        RunsCommand::Gc {
            keep_days,
            quota_mb,
            dry_run,
        } => {
            let done = state.gc(RetentionPolicy {
                age_ms: keep_days.map(|days| days.saturating_mul(DAY_MS)),
                quota_bytes: quota_mb.map(|mb| mb.saturating_mul(1_000_000)),
                dry_run: *dry_run,
            })?;
            let mut data = done.to_object();
            data.insert("dry_run", *dry_run);
            let data = Value::Object(data.into());
            output::print_data(global, &data, || collection_summary(&done, *dry_run))?
        }
        RunsCommand::Pin { run } => set_run_pin(global, state, run, true)?,
        RunsCommand::Unpin { run } => set_run_pin(global, state, run, false)?,
    };
    state.close()?;
    Ok(code)
}

/// Whether a run began in a folder, or in another one at the same path.
pub(super) fn is_in(run: &RunRecord, here: &WorkspaceId) -> bool {
    let began = chains::workspace_of(run);
    began.is_some_and(|began| began.id == here.id || began.root == here.root)
}

/// The newest runs that fit. A running run without a process was interrupted.
fn matching_runs(
    state: &StateStore,
    wanted: Option<Listed>,
    fits: impl Fn(&RunRecord) -> bool,
    limit: usize,
) -> Result<Vec<RunRecord>> {
    let held = wanted.and_then(|(_, held)| held);
    let mut runs = state.runs(wanted.map(|(wanted, _)| wanted), usize::MAX)?;
    runs.retain(|run| fits(run) && held.is_none_or(|held| run.holder.is_some() == held));
    runs.truncate(limit);
    Ok(runs)
}

fn set_run_pin(
    global: &GlobalArgs,
    state: &StateStore,
    run: &str,
    pinned: bool,
) -> Result<ExitCode> {
    let run = state.pin_run(run, pinned)?;
    output::print_data(global, &run_value(&run), || run_line(&run))
}

fn run_value(run: &RunRecord) -> Value {
    let holder = run.holder.as_ref();
    let holder =
        holder.map(|holder| object! { "process" => holder.process, "left_ms" => holder.left_ms });
    object! {
        "run" => run.id.as_str(),
        "plan_id" => run.plan_id.as_str(),
        "plan_digest" => run.plan_digest.as_str(),
        "state" => run.state_shown(),
        "role" => run.role.as_str(),
        "who" => run.who.clone(),
        "seed" => run.seed,
        "build" => run.build.as_str(),
        "profile" => run.profile.as_str(),
        "created_ms" => run.created_ms,
        "changed_ms" => run.changed_ms,
        "holder" => holder,
        "pinned" => run.pinned,
        "collected" => run.collected,
    }
}

pub(super) fn run_line(run: &RunRecord) -> String {
    let mut notes = String::new();
    if let Some(holder) = &run.holder {
        let _ = write!(notes, "  process {}", holder.process);
    }
    if run.pinned {
        notes.push_str("  pinned");
    }
    if run.collected {
        notes.push_str("  values deleted");
    }
    let (id, plan_id, role) = (&run.id, &run.plan_id, &run.role);
    let (began, state) = (human::format_local_time(run.created_ms), run.state_shown());
    format!("{id}  {plan_id:20} {state:14} {role:12} {began}{notes}\n")
}

fn show_run(global: &GlobalArgs, state: &StateStore, run: &str) -> Result<ExitCode> {
    let run = state.run(run)?;
    let mut records = state.audit_list(Some(&run.id), RECORDS_MAX)?;
    records.retain(|record| record.session == run.id);
    records.reverse();
    let files = state.artifacts(Some(&run.id), RECORDS_MAX)?;
    let mut data = run_value(&run).as_object().cloned().unwrap_or_default();
    // A deleted value is shown as its handle.
    for (key, handle) in [("plan", &run.plan), ("inputs", &run.inputs)] {
        let value = state.value(handle).unwrap_or_else(|_| handle.to_value());
        data.insert(key, value);
    }
    data.insert(
        "outputs",
        chains::RecordedOutcome::of(state, &run)?.shown(state),
    );
    let raw = records.iter().map(|record| record.record.clone());
    data.insert("records", raw.collect::<Vec<_>>());
    let values: Vec<Value> = files.iter().map(artifacts::artifact_value).collect();
    data.insert("artifacts", values);
    let data = Value::Object(data.into());
    output::print_data(global, &data, || {
        let part = |key: &str| data.get(key).filter(|value| !value.is_null());
        let part = |key: &str| part(key).map(|value| shorten_text(&value.to_string()));
        let mut text = run_line(&run);
        let (seed, build, profile) = (run.seed, &run.build, &run.profile);
        let _ = writeln!(text, "  seed {seed}, build {build}, profile {profile}");
        let _ = writeln!(text, "  inputs {}", part("inputs").unwrap_or_default());
        if let Some(outputs) = part("outputs") {
            let _ = writeln!(text, "  outputs {outputs}");
        }
        text.extend(records.iter().map(record_line));
        let lines = files.iter().map(artifacts::artifact_line);
        text.extend(lines.map(|line| format!("  {line}")));
        human::fit_list_entry(&text).into_owned()
    })
}

/// The beginning of a long text.
fn shorten_text(text: &str) -> String {
    const SHOWN: usize = 200;
    let mut shown: String = text.chars().take(SHOWN).collect();
    if shown.len() < text.len() {
        shown.push_str("...");
    }
    shown
}

fn record_line(record: &AuditRecord) -> String {
    let text = |key: &str| match record.record.get(key) {
        Some(Value::String(text)) => text.to_string(),
        Some(other) => other.to_string(),
        None => String::new(),
    };
    let what = [text("step"), text("tool"), text("state"), text("status")];
    let mut what: Vec<String> = what.into_iter().filter(|word| !word.is_empty()).collect();
    for (key, words) in [("node", "on "), ("nodes", "calls by node: ")] {
        let found = text(key);
        if !found.is_empty() && found != "{}" {
            what.push(format!("{words}{found}"));
        }
    }
    let (number, kind, what) = (record.sequence, text("kind"), what.join("  "));
    let mut lines = format!("  {number:5} {kind:10} {what}\n");
    if let Some(costs) = record.record.get("tickets") {
        let engine = text("engine");
        let _ = writeln!(lines, "        moved by {engine}: {}", moving_costs(costs));
        for step in record
            .record
            .items_at("step_tickets")
            .iter()
            .take(STEPS_MAX)
        {
            let id = step.text("id").unwrap_or_default();
            let _ = writeln!(lines, "          {id}: {}", moving_costs(step));
        }
    }
    lines
}

/// What moving calls to other nodes cost: bytes, and time of computing, of waiting for a worker, and between the two.
fn moving_costs(costs: &Value) -> String {
    let count = |key: &str| costs.get(key).and_then(Value::as_i64).unwrap_or(0);
    let count = |key: &str| count(key).unsigned_abs();
    let seconds = |key: &str| {
        let ms = costs.get(key).and_then(Value::as_f64);
        ms.unwrap_or(0.0) / 1e3
    };
    format!(
        "{} on {}, {} sent, {} received; computing {:.2} s, waiting for a worker {:.2} s, in transit {:.2} s",
        count_phrase(count("calls"), "call"),
        count_phrase(count("tickets"), "ticket"),
        human::format_byte_size(count("bytes_sent")),
        human::format_byte_size(count("bytes_received")),
        seconds("computing_ms"),
        seconds("waiting_ms"),
        seconds("moving_ms"),
    )
}

fn collection_summary(done: &GcReport, dry_run: bool) -> String {
    let mut text = format!(
        "{} {}: {}, {}, {}, {} of crashes\n",
        if dry_run { "would delete" } else { "deleted" },
        human::format_byte_size(done.freed_bytes),
        count_phrase(done.artifacts, "artifact"),
        count_phrase(done.values, "small value"),
        count_phrase(done.results, "stored result"),
        count_phrase(done.strays, "leftover"),
    );
    if !done.runs.is_empty() {
        let runs = count_phrase(done.runs.len() as u64, "run");
        let names = shorten_text(&done.runs.join(" "));
        let _ = writeln!(text, "without values now: {runs}: {names}");
    }
    let _ = writeln!(
        text,
        "{} of values left",
        human::format_byte_size(done.left_bytes)
    );
    text
}
