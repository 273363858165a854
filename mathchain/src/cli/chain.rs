//! `mathchain chain anomalies`: what looks wrong in the journal.

use std::fmt::Write as _;
use std::process::ExitCode;

use clap::Subcommand;
use journal::RunState;
use journal::anomalies::{Evidence, Finding, anomalies};
use tool_core::capability::Clock as _;
use tool_core::{ToolError, Value};

use super::args::Global;
use super::{exit, print_data, session};
use crate::clock::SystemClock;

#[derive(Debug, Subcommand)]
pub(super) enum Chain {
    /// Find stalls, repeated failures, retry storms, plans that fall back, one tool or role that does nearly all
    #[command(
        after_help = "What is found is no error, and the exit code is 0 all the same. `[chain.anomalies]` in the configuration sets the limits.
Examples:
  mathchain chain anomalies
  mathchain chain anomalies --since 7
  mathchain chain anomalies --run 3f2a         # any unique beginning of the id
  mathchain chain anomalies --json | jq '.findings[] | {kind, run, tool, next}'"
    )]
    Anomalies {
        /// Only in this run: its id, or the beginning; others say how long tools take
        #[arg(long, value_name = "RUN", conflicts_with = "since")]
        run: Option<String>,
        /// Look back so many days
        #[arg(long, value_name = "DAYS", default_value_t = 30)]
        since: u64,
    },
}

/// Most records that are looked at, the newest; and most running runs.
const RECORDS_MAX: usize = 200_000;
const RUNS_MAX: usize = 10_000;
const DAY_MS: u64 = 24 * 60 * 60 * 1000;
/// How far back records say how long tools take, beside the run that is asked about.
const HISTORY_DAYS: u64 = 30;

/// Looks at what plans and calls did.
pub(super) fn chain(global: &Global, chain: &Chain) -> Result<ExitCode, ToolError> {
    let Chain::Anomalies { run, since } = chain;
    let toolkit = session::open(global)?;
    let state = session::state_to_read(global, &toolkit)?;
    let (of, runs, end_ms, days) = match run {
        Some(run) => {
            let run = state.run(run)?;
            (
                Some(run.id.clone()),
                vec![run.clone()],
                run.created_ms,
                HISTORY_DAYS,
            )
        }
        None => {
            let runs = state.runs(Some(RunState::Running), RUNS_MAX)?;
            (None, runs, SystemClock::default().unix_ms(), *since)
        }
    };
    let since_ms = end_ms.saturating_sub(days.saturating_mul(DAY_MS));
    let records = state.calls_and_plans(of.as_deref(), since_ms, RECORDS_MAX)?;
    let evidence = Evidence {
        records: &records,
        runs: &runs,
        of: of.as_deref(),
    };
    let findings = anomalies(evidence, &toolkit.config().chain.anomalies);
    // What was looked at is all there is, or the newest.
    let is_whole = records.len() < RECORDS_MAX;
    let data = Value::object([
        ("run", Value::from(of)),
        ("since_ms", Value::from(since_ms)),
        ("records", Value::from(records.len())),
        ("whole", Value::from(is_whole)),
        (
            "findings",
            Value::array(findings.iter().map(Finding::to_value).collect()),
        ),
    ]);
    print_data(global, &data, || {
        let mut text = String::new();
        for finding in &findings {
            text.push_str(&told(finding));
        }
        let newest = if is_whole { "" } else { "the newest " };
        let _ = match findings.len() {
            0 => writeln!(
                text,
                "nothing looks wrong in {newest}{} records",
                records.len()
            ),
            count => writeln!(text, "{count} found in {newest}{} records", records.len()),
        };
        text
    });
    state.close()?;
    Ok(exit::OK.into())
}

/// A finding for a reader.
fn told(finding: &Finding) -> String {
    let location = &finding.location;
    let mut place = String::new();
    for (what, name) in [
        ("run", location.run.clone()),
        ("session", location.session.clone()),
        ("step", location.step.clone()),
        ("wave", location.wave.map(|wave| wave.to_string())),
        ("tool", location.tool.clone()),
        ("role", location.role.clone()),
    ] {
        if let Some(name) = name {
            let _ = write!(place, "  {what} {name}");
        }
    }
    let text = format!(
        "{}{place}\n  {}\n  {} {}, the limit is {}\n  next: {}\n",
        finding.kind.as_str(),
        finding.message,
        finding.measured,
        finding.unit,
        finding.threshold,
        finding.next
    );
    // The name of a tool is what a caller wrote: it moves no cursor here.
    text.chars()
        .map(|one| match one.is_control() && one != '\n' {
            true => '\u{fffd}',
            false => one,
        })
        .collect()
}
