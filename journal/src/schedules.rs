//! Due times of schedules: each is claimed once, by one of the processes that share the state, under its name and time.
//!
//! A claim says under which id the plan runs before the run is recorded. Where its process ended between the two, another begins the run
//! under the same id, which the table of runs has once.

use rusqlite::{Transaction, params};
use tool_core::{Encode, Result, Value, fields};

use super::sql::{self, Done, row_structs};
use super::state::StateStore;

/// Due times of a schedule that are kept.
const KEPT: i64 = 1000;

row_structs! {
    /// What became of a due time.
    #[derive(Debug, Clone, PartialEq, Eq, Encode)]
    pub ScheduleTime {
        /// Name of the schedule.
        pub name: String,
        /// The due time, in milliseconds since 1970-01-01 UTC.
        pub due_ms: u64,
        /// `claimed`, `begun`, `missed` (no server ran), `overlapped` (an earlier run had not ended), or `refused`.
        pub outcome: String,
        /// Id of its run; of the earlier run for `overlapped`.
        pub run: Option<String>,
        /// Why it was refused.
        pub error: Option<String>,
        /// When this was recorded.
        pub time_ms: u64,
    }
}

/// A due time of a schedule of a workspace.
#[derive(Debug, Clone, Copy)]
pub struct DueTime<'a> {
    /// Id of the workspace.
    pub workspace: &'a str,
    /// Name of the schedule.
    pub name: &'a str,
    /// The time, in milliseconds since 1970-01-01 UTC.
    pub due_ms: u64,
}

/// What is claimed of a due time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DueClaim<'a> {
    /// It begins, as a run with this id.
    Run(&'a str),
    /// No server ran.
    Missed,
    /// A run of an earlier time has not ended.
    Overlapped(&'a str),
    /// It cannot begin, for this reason.
    Refused(&'a str),
}

impl<'a> DueClaim<'a> {
    /// Outcome, run and error.
    fn columns(self) -> (&'static str, Option<&'a str>, Option<&'a str>) {
        match self {
            Self::Run(run) => ("claimed", Some(run), None),
            Self::Missed => ("missed", None, None),
            Self::Overlapped(run) => ("overlapped", Some(run), None),
            Self::Refused(error) => ("refused", None, Some(error)),
        }
    }
}

impl StateStore {
    /// The time up to which a schedule was looked at. One that is new, or has other times than before, begins now.
    ///
    /// # Errors
    /// `tool_error` when the state cannot be read or written.
    pub fn schedule_mark(&self, workspace: &str, name: &str, digest: &str) -> Result<u64> {
        const FIND: &str =
            "SELECT digest, handled_ms FROM schedules WHERE workspace = ? AND name = ?";
        const KEEP: &str = "INSERT OR REPLACE INTO schedules(workspace, name, digest, handled_ms) VALUES (?, ?, ?, ?)";
        let found: Vec<(String, u64)> =
            self.shared
                .select("look for the schedule", FIND, [workspace, name])?;
        if let Some((_, handled_ms)) = found.into_iter().find(|(of, _)| of == digest) {
            return Ok(handled_ms);
        }
        self.shared
            .transact("record the schedule", |transaction, now_ms| {
                let found: Option<(String, u64)> =
                    sql::first_row(transaction, FIND, [workspace, name])?;
                if let Some((_, handled_ms)) = found.filter(|(of, _)| of == digest) {
                    return Ok((handled_ms, None));
                }
                let params = params![workspace, name, digest, now_ms as i64];
                sql::execute_statement(transaction, KEEP, params)?;
                Ok((now_ms, None))
            })
    }

    /// Claims a due time, durably, and records the claim in the audit log; false where it was claimed before.
    ///
    /// # Errors
    /// `tool_error` when the state cannot be written.
    pub fn claim_due(&self, due: &DueTime<'_>, claim: DueClaim<'_>) -> Result<bool> {
        const CLAIM: &str = "INSERT OR IGNORE INTO schedule_times(workspace, name, due_ms, outcome, run, error, time_ms, claimer)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?)";
        const MARK: &str =
            "UPDATE schedules SET handled_ms = max(handled_ms, ?) WHERE workspace = ? AND name = ?";
        const FORGET: &str = "DELETE FROM schedule_times WHERE workspace = ?1 AND name = ?2 AND due_ms <=
             (SELECT due_ms FROM schedule_times WHERE workspace = ?1 AND name = ?2 ORDER BY due_ms DESC LIMIT 1 OFFSET ?3)";
        let here = self.shared.machine.here().to_text();
        let (outcome, run, error) = claim.columns();
        self.shared
            .transact("claim a due time", |transaction, now_ms| {
                let DueTime {
                    workspace,
                    name,
                    due_ms,
                } = *due;
                // One that is no longer kept was claimed too.
                if is_handled(transaction, due)? {
                    return Ok((false, None));
                }
                let time_ms = now_ms as i64;
                let params = params![
                    workspace,
                    name,
                    due_ms as i64,
                    outcome,
                    run,
                    error,
                    time_ms,
                    here
                ];
                if sql::execute_statement(transaction, CLAIM, params)? == 0 {
                    return Ok((false, None));
                }
                sql::execute_statement(transaction, MARK, params![due_ms as i64, workspace, name])?;
                sql::execute_statement(transaction, FORGET, params![workspace, name, KEPT])?;
                Ok((true, Some(due_record(due, claim))))
            })
    }

    /// Records that the run of a claimed time is recorded.
    ///
    /// # Errors
    /// `tool_error` when the state cannot be written.
    pub fn begin_due(&self, due: &DueTime<'_>) -> Result<()> {
        const SQL: &str = "UPDATE schedule_times SET outcome = 'begun' WHERE workspace = ? AND name = ? AND due_ms = ? AND outcome = 'claimed'";
        self.shared.transact("begin a due time", |transaction, _| {
            let params = params![due.workspace, due.name, due.due_ms as i64];
            sql::execute_statement(transaction, SQL, params)?;
            Ok(((), None))
        })
    }

    /// Records that a claimed time does not begin.
    ///
    /// # Errors
    /// `tool_error` when the state cannot be written.
    pub fn refuse_due(&self, due: &DueTime<'_>, error: &str) -> Result<()> {
        const SQL: &str =
            "UPDATE schedule_times SET outcome = 'refused', run = NULL, error = ?, time_ms = ?
             WHERE workspace = ? AND name = ? AND due_ms = ? AND outcome = 'claimed'";
        self.shared
            .transact("refuse a due time", |transaction, now_ms| {
                let params = params![
                    error,
                    now_ms as i64,
                    due.workspace,
                    due.name,
                    due.due_ms as i64
                ];
                sql::execute_statement(transaction, SQL, params)?;
                let record = due_record(due, DueClaim::Refused(error));
                Ok(((), Some(record)))
            })
    }

    /// Takes over the claimed times of a schedule whose process ended before it recorded their runs: the times with the ids of the runs.
    ///
    /// # Errors
    /// `tool_error` when the state cannot be read or written.
    pub fn take_over_due(&self, workspace: &str, name: &str) -> Result<Vec<(u64, String)>> {
        const FIND: &str = "SELECT due_ms, run, claimer FROM schedule_times WHERE workspace = ? AND name = ? AND outcome = 'claimed' ORDER BY due_ms";
        const BEGUN: &str = "UPDATE schedule_times SET outcome = 'begun' WHERE workspace = ? AND name = ? AND outcome = 'claimed'
             AND run IN (SELECT id FROM runs)";
        const TAKE: &str =
            "UPDATE schedule_times SET claimer = ? WHERE workspace = ? AND name = ? AND due_ms = ?";
        type Row = (u64, String, String);
        let has_ended = |(_, _, claimer): &Row| self.shared.has_ended(Some(claimer));
        let open: Vec<Row> = self
            .shared
            .select("look for due times", FIND, [workspace, name])?;
        if !open.iter().any(has_ended) {
            return Ok(Vec::new());
        }
        let here = self.shared.machine.here().to_text();
        self.shared
            .transact("take over due times", |transaction, _| {
                let mut taken = Vec::new();
                sql::execute_statement(transaction, BEGUN, params![workspace, name])?;
                let open: Vec<Row> = sql::all_rows(transaction, FIND, [workspace, name])?;
                for (due_ms, run, _) in open.into_iter().filter(has_ended) {
                    let params = params![here, workspace, name, due_ms as i64];
                    sql::execute_statement(transaction, TAKE, params)?;
                    taken.push((due_ms, run));
                }
                Ok((taken, None))
            })
    }

    /// What became of the due times of a workspace, or of one of its schedules, newest first.
    ///
    /// # Errors
    /// `tool_error` when the state cannot be read.
    pub fn schedule_times(
        &self,
        workspace: &str,
        name: Option<&str>,
        count_max: usize,
    ) -> Result<Vec<ScheduleTime>> {
        let sql = ScheduleTime::sql(
            "FROM schedule_times WHERE workspace = ?1 AND (?2 IS NULL OR name = ?2) ORDER BY due_ms DESC, name LIMIT ?3",
        );
        let params = params![workspace, name, sql::row_limit(count_max)];
        self.shared.select("list due times", &sql, params)
    }
}

/// Whether a schedule was looked at beyond a time whose record is no longer kept.
fn is_handled(transaction: &Transaction<'_>, due: &DueTime<'_>) -> Done<bool> {
    const SQL: &str = "SELECT 1 FROM (SELECT count(*) AS kept, min(due_ms) AS oldest FROM schedule_times WHERE workspace = ? AND name = ?)
         WHERE kept >= ? AND oldest > ?";
    let params = params![due.workspace, due.name, KEPT, due.due_ms as i64];
    Ok(sql::row_exists(transaction, SQL, params)?)
}

/// The record of a claim.
fn due_record(due: &DueTime<'_>, claim: DueClaim<'_>) -> Value {
    let (outcome, run, error) = claim.columns();
    let mut record = fields! {
        "event" => "schedule",
        "schedule" => due.name,
        "due_ms" => due.due_ms,
        "outcome" => outcome,
    };
    record.insert_some("run", run);
    record.insert_some("error", error);
    Value::from(record)
}
