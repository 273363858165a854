//! `mathchain runs anomalies`: anomalies in the journal.

use journal::RunState;
use journal::anomalies::{self, Anomaly, AnomalyEvidence};
use tool_core::capability::Clock as _;

use super::prelude::*;
use mathchain::clock::SystemClock;

#[derive(Debug, Args)]
#[command(
    after_help = "Findings are no error: the exit code stays 0. `[chain.anomalies]` in the configuration sets the thresholds.
Examples:
  mathchain runs anomalies
  mathchain runs anomalies --since 7
  mathchain runs anomalies --run 3f2a         # any unique prefix of the id
  mathchain runs anomalies --json | jq '.findings[] | {kind, run, tool, next}'"
)]
pub(super) struct AnomaliesCommand {
    /// Only this run; other runs still provide typical durations of tools
    #[arg(long, value_name = "RUN", conflicts_with = "since", add = complete::run_ids())]
    run: Option<String>,
    /// Number of days to look back
    #[arg(long, value_name = "DAYS", default_value_t = 30)]
    since: u64,
}

/// The former name of `runs anomalies`.
#[derive(Debug, Subcommand)]
pub(super) enum ChainCommand {
    /// Find stalls, repeated failures, retry storms, fallbacks and dominant tools
    Anomalies(AnomaliesCommand),
}

/// Maximum number of records, newest first, and of running runs.
const RECORDS_MAX: usize = 200_000;
const RUNS_MAX: usize = 10_000;
const DAY_MS: u64 = 24 * 60 * 60 * 1000;
/// Days before a single run whose records give the typical durations of tools.
const HISTORY_DAYS: u64 = 30;

/// Prints the findings of one run, or of recent days.
pub(super) fn print_anomalies(global: &GlobalArgs, wanted: &AnomaliesCommand) -> Result<ExitCode> {
    let AnomaliesCommand { run, since } = wanted;
    let toolkit = open::open_toolkit(global)?;
    let state = open::state_to_read(global, &toolkit)?;
    let of = run.as_ref().map(|run| state.run(run)).transpose()?;
    let (end_ms, days) = match &of {
        Some(run) => (run.created_ms, HISTORY_DAYS),
        None => (SystemClock::default().unix_ms(), *since),
    };
    let of = of.as_ref();
    let runs = match of {
        Some(run) => vec![run.clone()],
        None => state.runs(Some(RunState::Running), RUNS_MAX)?,
    };
    let of = of.map(|run| run.id.as_str());
    let since_ms = end_ms.saturating_sub(days.saturating_mul(DAY_MS));
    let records = state.calls_and_plans(of, since_ms, RECORDS_MAX)?;
    let (records, runs) = (&records, &runs);
    let evidence = AnomalyEvidence { records, runs, of };
    let findings = anomalies::find_anomalies(evidence, &toolkit.config().chain.anomalies);
    let is_whole = records.len() < RECORDS_MAX;
    let data = object! {
        "run" => of,
        "since_ms" => since_ms,
        "records" => records.len(),
        "whole" => is_whole,
        "findings" => findings.iter().map(Anomaly::to_value).collect::<Vec<_>>(),
    };
    state.close()?;
    output::print_data(global, &data, || {
        let mut text: String = findings.iter().map(render_finding).collect();
        let newest = if is_whole { "" } else { "the newest " };
        let count = match findings.len() {
            0 => "no anomalies".to_owned(),
            count => chain_runtime::count_phrase(count as u64, "finding"),
        };
        let _ = writeln!(text, "{count} in {newest}{} records", records.len());
        text
    })
}

/// A finding for a reader.
fn render_finding(finding: &Anomaly) -> String {
    let mut place = String::new();
    for (name, part) in finding.location.parts() {
        let text = part.as_str().map(str::to_owned);
        let part = text.unwrap_or_else(|| part.to_string());
        let _ = write!(place, "  {name} {part}");
    }
    let (kind, unit) = (finding.kind.as_str(), finding.kind.unit());
    let (measured, threshold) = (&finding.measured, &finding.threshold);
    let (message, next) = (&finding.message, &finding.next);
    let text = format!(
        "{kind}{place}\n  {message}\n  {measured} {unit}, threshold {threshold}\n  next: {next}\n"
    );
    // Names of tools come from callers and must not move the cursor.
    text.replace(|one: char| one.is_control() && one != '\n', "\u{fffd}")
}
