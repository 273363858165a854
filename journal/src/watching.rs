//! Watching for requests to cancel the runs of this process.

use std::time::Duration;

use rusqlite::Connection;

use super::lease::RENEWAL;
use super::open::{OpenChains, OpenRun};
use super::sql;

/// The interval at which the holder of a run looks for a request.
const LOOK: Duration = Duration::from_millis(500);

/// The longest wait of the state's thread for records.
pub(super) fn longest_wait(chains: &OpenChains) -> Duration {
    let mut runs = chains.runs.values();
    match runs.any(is_watched) {
        true => LOOK,
        false => RENEWAL,
    }
}

fn is_watched(run: &OpenRun) -> bool {
    run.closed.is_none() && run.watched.as_ref().is_some_and(|stop| !stop.is_set())
}

/// Stops the runs of this process whose cancellation was requested. A failed read is repeated at the next interval.
pub(super) fn stop_cancelled_runs(connection: &Connection, chains: &OpenChains) {
    for run in chains.runs.values().filter(|run| is_watched(run)) {
        if let (Ok(true), Some(stop)) = (is_requested(connection, &run.id), &run.watched) {
            stop.cancel();
        }
    }
}

pub(super) fn is_requested(connection: &Connection, id: &str) -> rusqlite::Result<bool> {
    const SQL: &str = "SELECT cancel_ms IS NOT NULL FROM runs WHERE id = ?";
    Ok(sql::first_row(connection, SQL, [id])?.unwrap_or(false))
}
