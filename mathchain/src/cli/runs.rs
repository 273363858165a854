//! `mathchain runs list|show|export|gc|pin|unpin`; `resume` and `cancel` are in `resume.rs`.

use std::fmt::Write as _;
use std::process::ExitCode;
use std::sync::Arc;

use chain_runtime::counted;
use chain_runtime::run as chains;
use clap::{Subcommand, ValueEnum};
use journal::{AuditRecord, Collected, Keep, Run, RunState, State};
use tool_core::{ToolError, Value};

use super::args::Global;
use super::{WhileRead, artifacts, cancel, exit, human, print_data, resume, session, stdout};

#[derive(Debug, Subcommand)]
pub(super) enum Runs {
    /// List them, newest first
    #[command(after_help = "Examples:
  mathchain runs list
  mathchain runs list --state suspended --json")]
    List {
        /// Only those in this state
        #[arg(long, value_enum)]
        state: Option<RunStateArg>,
        /// How many
        #[arg(long, default_value_t = 20, value_name = "N")]
        limit: u32,
    },
    /// Show one: header, inputs and records
    #[command(after_help = "Example:
  mathchain runs show 3f2a             # any unique beginning of the id")]
    Show {
        /// Id of the run, or its beginning
        run: String,
    },
    /// Go on with one that waits for an approval, needs a decision, or whose process ended
    Resume(super::resume::Resume),
    /// Cancel one, whoever works on it, and undo what it did
    Cancel(super::cancel::Cancel),
    /// Write the records of one as JSON Lines, with what its hashes cover; or its spans
    #[command(after_help = "Examples:
  mathchain runs export 3f2a > run.jsonl
  mathchain runs export 3f2a --format otlp > spans.jsonl   # docs/observability.md")]
    Export {
        /// Id of the run, or its beginning
        run: String,
        /// What is written
        #[arg(long, value_enum, default_value_t = ExportFormat::Jsonl)]
        format: ExportFormat,
    },
    /// Free the values of old runs; their records stay for ever
    #[command(
        after_help = "Without --keep-days and --quota-mb only what nobody refers to is freed. Pinned runs, and runs that have not ended, keep all.
Examples:
  mathchain runs gc --keep-days 30 --dry-run
  mathchain runs gc --quota-mb 2000"
    )]
    Gc {
        /// Free values of runs that ended longer ago, and kept results not used since
        #[arg(long, value_name = "DAYS")]
        keep_days: Option<u64>,
        /// Free values of the runs that ended first, until no more than this is left
        #[arg(long, value_name = "MB")]
        quota_mb: Option<u64>,
        /// Only say what would be freed
        #[arg(long)]
        dry_run: bool,
    },
    /// Keep the values of a run whatever their age
    Pin {
        /// Id of the run, or its beginning
        run: String,
    },
    /// Undo a pin
    Unpin {
        /// Id of the run, or its beginning
        run: String,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ExportFormat {
    /// The records, with what their hashes cover
    Jsonl,
    /// OpenTelemetry spans as OTLP/JSON; in builds with the feature `otel`
    Otlp,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(super) enum RunStateArg {
    /// A process works on it
    Running,
    /// The process that worked on it died
    Interrupted,
    /// It waits for an approval
    Suspended,
    /// An effect may or may not have happened
    NeedsDecision,
    /// All went well
    Succeeded,
    /// A step failed
    Failed,
    /// Somebody stopped it
    Cancelled,
    /// The plan was refused
    Rejected,
}

/// Most records that are shown of a run; `runs export` has all.
const RECORDS_MAX: usize = 1000;

/// Looks at durable runs, and frees what they keep.
pub(super) fn runs(global: &Global, runs: &Runs) -> Result<ExitCode, ToolError> {
    match runs {
        Runs::Resume(resume) => return resume::resume(global, resume),
        Runs::Cancel(cancel) => return cancel::cancel(global, cancel),
        _ => {}
    }
    let toolkit = session::open(global)?;
    let looks = matches!(
        runs,
        Runs::List { .. } | Runs::Show { .. } | Runs::Export { .. }
    );
    let state = match looks {
        true => session::state_to_read(global, &toolkit)?,
        false => Arc::clone(session::state(&toolkit)?),
    };
    let state = &*state;
    match runs {
        Runs::Resume(_) | Runs::Cancel(_) => {}
        Runs::List {
            state: wanted,
            limit,
        } => {
            let listed = listed(state, *wanted, *limit as usize)?;
            let data = Value::array(listed.iter().map(value).collect());
            print_data(global, &data, || {
                if listed.is_empty() {
                    return "no runs\n".to_owned();
                }
                listed.iter().map(line).collect()
            });
        }
        Runs::Show { run } => show(global, state, run)?,
        Runs::Export { run, format } => {
            let id = state.run(run)?.id;
            let out = &mut WhileRead(stdout());
            match format {
                ExportFormat::Jsonl => {
                    state.export_chain(Some(&id), out)?;
                }
                ExportFormat::Otlp => crate::otel::write_run(&state.run_records(&id)?, out)?,
            }
        }
        Runs::Gc {
            keep_days,
            quota_mb,
            dry_run,
        } => {
            let done = state.gc(Keep {
                days: *keep_days,
                quota_bytes: quota_mb.map(|mb| mb.saturating_mul(1_000_000)),
                dry_run: *dry_run,
            })?;
            print_data(global, &collected(&done, *dry_run), || {
                summary(&done, *dry_run)
            });
        }
        Runs::Pin { run } => pin(global, state, run, true)?,
        Runs::Unpin { run } => pin(global, state, run, false)?,
    }
    state.close()?;
    Ok(exit::OK.into())
}

/// The newest runs, newest first. That a run was interrupted shows by nobody holding it.
fn listed(state: &State, wanted: Option<RunStateArg>, limit: usize) -> Result<Vec<Run>, ToolError> {
    let held = match wanted {
        Some(RunStateArg::Running) => true,
        Some(RunStateArg::Interrupted) => false,
        _ => return state.runs(wanted.map(RunState::from), limit),
    };
    let mut runs = state.runs(Some(RunState::Running), usize::MAX)?;
    runs.retain(|run| run.holder.is_some() == held);
    runs.truncate(limit);
    Ok(runs)
}

impl From<RunStateArg> for RunState {
    fn from(state: RunStateArg) -> Self {
        match state {
            RunStateArg::Running | RunStateArg::Interrupted => Self::Running,
            RunStateArg::Suspended => Self::Suspended,
            RunStateArg::NeedsDecision => Self::NeedsDecision,
            RunStateArg::Succeeded => Self::Succeeded,
            RunStateArg::Failed => Self::Failed,
            RunStateArg::Cancelled => Self::Cancelled,
            RunStateArg::Rejected => Self::Rejected,
        }
    }
}

fn pin(global: &Global, state: &State, run: &str, pinned: bool) -> Result<(), ToolError> {
    let run = state.pin_run(run, pinned)?;
    print_data(global, &value(&run), || line(&run));
    Ok(())
}

/// The state as a reader calls it: who died while running interrupted the run.
fn words(run: &Run) -> &'static str {
    match (run.state, &run.holder) {
        (RunState::Running, None) => "interrupted",
        (state, _) => state.as_str(),
    }
}

fn value(run: &Run) -> Value {
    let holder = run.holder.as_ref().map(|holder| {
        Value::object([
            ("process", Value::from(holder.process)),
            ("left_ms", Value::from(holder.left_ms)),
        ])
    });
    Value::object([
        ("run", Value::from(run.id.as_str())),
        ("plan_id", Value::from(run.plan_id.as_str())),
        ("plan_digest", Value::from(run.plan_digest.as_str())),
        ("state", Value::from(words(run))),
        ("role", Value::from(run.role.as_str())),
        ("who", run.who.clone()),
        ("seed", Value::from(run.seed)),
        ("build", Value::from(run.build.as_str())),
        ("profile", Value::from(run.profile.as_str())),
        ("created_ms", Value::from(run.created_ms)),
        ("changed_ms", Value::from(run.changed_ms)),
        ("holder", Value::from(holder)),
        ("pinned", Value::from(run.pinned)),
        ("collected", Value::from(run.collected)),
    ])
}

fn line(run: &Run) -> String {
    let mut notes = String::new();
    if let Some(holder) = &run.holder {
        let _ = write!(notes, "  process {}", holder.process);
    }
    if run.pinned {
        notes.push_str("  pinned");
    }
    if run.collected {
        notes.push_str("  values collected");
    }
    format!(
        "{}  {}  {:14} {:20} {}{notes}\n",
        run.id,
        human::time(run.created_ms),
        words(run),
        run.plan_id,
        run.role
    )
}

fn show(global: &Global, state: &State, run: &str) -> Result<(), ToolError> {
    let run = state.run(run)?;
    let mut records = state.audit_list(Some(&run.id), RECORDS_MAX)?;
    records.retain(|record| record.session == run.id);
    records.reverse();
    let files = state.artifacts(Some(&run.id), RECORDS_MAX)?;
    let mut data = value(&run).as_object().cloned().unwrap_or_default();
    // What was collected is said above, and its name stays.
    for (key, handle) in [("plan", &run.plan), ("inputs", &run.inputs)] {
        let found = state.value(handle).unwrap_or_else(|_| handle.to_value());
        data.insert(key, found);
    }
    let recorded = chains::Recorded::of(state, &run)?;
    data.insert("outputs", recorded.shown(state));
    data.insert(
        "records",
        Value::array(records.iter().map(|record| record.record.clone()).collect()),
    );
    data.insert(
        "artifacts",
        Value::array(files.iter().map(artifacts::value).collect()),
    );
    let data = Value::Object(data.into());
    print_data(global, &data, || {
        let mut text = line(&run);
        let _ = writeln!(
            text,
            "  seed {}, build {}, profile {}\n  inputs {}",
            run.seed,
            run.build,
            run.profile,
            short(&data.get("inputs").map(Value::to_string).unwrap_or_default())
        );
        let outputs = data.get("outputs").filter(|outputs| !outputs.is_null());
        if let Some(outputs) = outputs {
            let _ = writeln!(text, "  outputs {}", short(&outputs.to_string()));
        }
        for record in &records {
            text.push_str(&record_line(record));
        }
        for file in &files {
            let _ = write!(text, "  {}", artifacts::line(file));
        }
        text
    });
    Ok(())
}

/// The beginning of a long text.
fn short(text: &str) -> String {
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
    let what: Vec<String> = what.into_iter().filter(|word| !word.is_empty()).collect();
    format!(
        "  {:5} {:10} {}\n",
        record.sequence,
        text("kind"),
        what.join("  ")
    )
}

fn collected(done: &Collected, dry_run: bool) -> Value {
    let mut data = done.to_value().as_object().cloned().unwrap_or_default();
    data.insert("dry_run", dry_run);
    Value::Object(data.into())
}

fn summary(done: &Collected, dry_run: bool) -> String {
    let mut text = format!(
        "{} {}: {}, {}, {}, {} of crashes\n",
        if dry_run { "would free" } else { "freed" },
        counted(done.freed_bytes, "byte"),
        counted(done.artifacts, "artifact"),
        counted(done.values, "small value"),
        counted(done.results, "kept result"),
        counted(done.strays, "leftover"),
    );
    if !done.runs.is_empty() {
        let lose = if done.runs.len() == 1 {
            "loses its"
        } else {
            "lose their"
        };
        let _ = writeln!(
            text,
            "{} {lose} values: {}",
            counted(done.runs.len() as u64, "run"),
            short(&done.runs.join(" "))
        );
    }
    let _ = writeln!(text, "{} of values left", counted(done.left_bytes, "byte"));
    text
}
