//! Pipelines: each is a row and an append-only list of events, from which it is resumed.
//!
//! One process at a time runs a pipeline. Its owner is in the row; another takes over only where the owner is known not to run, or has given
//! no sign for a while.

use registry::WorkspaceId;
use rusqlite::{Connection, params};
use tool_core::capability::Notification;
use tool_core::{Encode, ErrorCode, Result, ToolError, Value, json, object, tool_error};

use super::folders::{self, IS_IN, ROOT};
use super::lease::LeaseOwner;
use super::notices;
use super::random;
use super::scope::{OF_ANSWERS as OF_ROLE_AND_FOLDER, StateScope};
use super::sql::{self, Done, row_structs};
use super::state::StateStore;

/// Age of the last sign of an owner of whom it is unknown whether it runs, after which another process may take over.
const SILENT_MS: u64 = 60_000;

row_structs! {
    /// A pipeline.
    #[derive(Debug, Clone, PartialEq, Eq, Encode)]
    pub PipelineRecord {
        /// Twelve hex digits.
        pub id: String,
        /// Path of the file that defines it.
        pub file: String,
        /// Digest of that file and of the prompts that it names.
        pub digest: String,
        /// `running`, `waiting`, `succeeded`, `failed`, `stopped`, or `interrupted`: its process ended first.
        pub state: String,
        /// Time of its beginning, in milliseconds since 1970-01-01 UTC.
        pub created_ms: u64,
        /// Time of its newest event.
        pub changed_ms: u64,
        /// Process group of the command that runs it, which cannot answer its gates.
        pub requester_group: Option<i64>,
        /// The process that runs it.
        #[value(skip)]
        owner: Option<String>,
        /// Time of the last sign of that process.
        #[value(skip)]
        beat_ms: u64,
        /// Root of the workspace, where it is known.
        #[value(rename = "folder")]
        pub folder_root: Option<String>,
        /// Role of the call that began it; none where a person began it at the command line.
        #[value(skip_encoding_if = "Option::is_none")]
        pub role: Option<String>,
    }

    /// An event of a pipeline.
    #[derive(Debug, Clone, PartialEq, Eq)]
    Row {
        number: u64,
        body: String,
        time_ms: u64,
    }
}

/// An event of a pipeline.
#[derive(Debug, Clone, PartialEq)]
pub struct PipelineEvent {
    /// Its number, from 1.
    pub number: u64,
    /// What happened.
    pub event: Value,
    /// When, in milliseconds since 1970-01-01 UTC.
    pub time_ms: u64,
}

/// Who begins a pipeline.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PipelineRequester {
    /// Role of the call that begins it; `None` for a person at the command line.
    pub role: Option<String>,
}

impl StateStore {
    /// Begins a pipeline, which this process runs; gives its id. The record is on disk when this returns.
    ///
    /// # Errors
    /// `tool_error` when the state cannot be written.
    pub fn begin_pipeline(
        &self,
        file: &str,
        digest: &str,
        requester: &PipelineRequester,
    ) -> Result<String> {
        const SQL: &str = "INSERT INTO pipelines(id, file, digest, state, created_ms, changed_ms, requester_group, owner, beat_ms, folder, role)
             VALUES (?, ?, ?, 'running', ?, ?, ?, ?, ?, ?, ?)";
        let id = random::random_id();
        let owner = self.shared.machine.here().to_text();
        self.shared
            .transact("begin the pipeline", |transaction, now_ms| {
                let folder = folders::folder_number(transaction, self.shared.folder_of_calls())?;
                let now = now_ms as i64;
                let group = crate::process_group();
                let role = &requester.role;
                let params = params![
                    id, file, digest, now, now, group, owner, now, folder, role
                ];
                sql::execute_statement(transaction, SQL, params)?;
                let record = object! { "event" => "pipeline", "pipeline" => id.as_str(), "file" => file, "state" => "running" };
                Ok(((), Some(record)))
            })?;
        Ok(id)
    }

    /// Takes over a pipeline that no process runs.
    ///
    /// # Errors
    /// As [`StateStore::pipeline`]; `conflict` with reason `pipeline_busy` while another process runs it.
    pub fn take_pipeline(&self, id: &str) -> Result<()> {
        const SQL: &str = "UPDATE pipelines SET owner = ?, beat_ms = ?, changed_ms = ?, requester_group = ?, state = 'running' WHERE id = ?";
        let owner = self.shared.machine.here().to_text();
        self.shared
            .transact("take over the pipeline", |transaction, now_ms| {
                let row = find_pipeline(transaction, id)?;
                if self.is_run(&row, now_ms) {
                    return Err(pipeline_busy_error(&row).into());
                }
                let now = now_ms as i64;
                let params = params![owner, now, now, crate::process_group(), row.id];
                sql::execute_statement(transaction, SQL, params)?;
                let record = object! { "event" => "pipeline", "pipeline" => row.id.as_str(), "file" => row.file.as_str(), "state" => "resumed" };
                Ok(((), Some(record)))
            })
    }

    /// Whether a process runs a pipeline, or may.
    fn is_run(&self, row: &PipelineRecord, now_ms: u64) -> bool {
        let owner = row.owner.as_deref().and_then(LeaseOwner::parse);
        owner.is_some_and(|owner| {
            let known = self.shared.machine.runs(&owner);
            known.unwrap_or(now_ms.saturating_sub(row.beat_ms) < SILENT_MS)
        })
    }

    /// As [`StateStore::append_pipeline_asking`], without a question.
    ///
    /// # Errors
    /// As [`StateStore::append_pipeline_asking`].
    pub fn append_pipeline(&self, id: &str, events: &[Value], state: Option<&str>) -> Result<()> {
        self.append_pipeline_asking(id, events, state, None)
    }

    /// Appends events to a pipeline that this process runs, with the question that they are about; on disk when this returns. `state` is that of the pipeline from now on; a final one
    /// releases it.
    ///
    /// # Errors
    /// `conflict` with reason `pipeline_lost` where another process has taken over; `tool_error` when they cannot be written.
    pub fn append_pipeline_asking(
        &self,
        id: &str,
        events: &[Value],
        state: Option<&str>,
        question: Option<&(String, Notification)>,
    ) -> Result<()> {
        const ADD: &str = "INSERT INTO pipeline_events(pipeline, number, body, time_ms)
             SELECT ?1, ifnull(max(number), 0) + 1, ?2, ?3 FROM pipeline_events WHERE pipeline = ?1";
        const SIGN: &str =
            "UPDATE pipelines SET changed_ms = ?1, beat_ms = ?1, state = ifnull(?2, state),
             owner = CASE WHEN ?2 IN ('succeeded', 'failed', 'stopped') THEN NULL ELSE owner END
             WHERE id = ?3 AND owner = ?4";
        let owner = self.shared.machine.here().to_text();
        self.shared
            .transact("record the pipeline", |transaction, now_ms| {
                if let Some((id, notice)) = question {
                    let folder = self.shared.folder_of_calls();
                    notices::insert_new(transaction, (id, notice), now_ms, folder)?;
                }
                for event in events {
                    let body = json::to_text(event);
                    sql::execute_statement(transaction, ADD, params![id, body, now_ms as i64])?;
                }
                let signed = params![now_ms as i64, state, id, owner];
                if sql::execute_statement(transaction, SIGN, signed)? == 0 {
                    return Err(pipeline_lost_error(id).into());
                }
                let is_end = state.filter(|state| *state != "running" && *state != "waiting");
                let record = is_end.map(|state| {
                    object! { "event" => "pipeline", "pipeline" => id, "state" => state }
                });
                Ok(((), record))
            })
    }

    /// Shows that this process still runs a pipeline.
    ///
    /// # Errors
    /// As [`StateStore::append_pipeline`].
    pub fn sign_pipeline(&self, id: &str) -> Result<()> {
        self.append_pipeline(id, &[], None)
    }

    /// Lists the newest pipelines of a folder, or of all; newest first.
    ///
    /// # Errors
    /// `tool_error` when the state cannot be read.
    pub fn pipelines(
        &self,
        of: Option<&WorkspaceId>,
        count_max: usize,
    ) -> Result<Vec<PipelineRecord>> {
        let sql = of_table(&format!(
            "WHERE {IS_IN} ORDER BY created_ms DESC, id LIMIT ?3"
        ));
        let (id, root) = folders::folder_params(of);
        let params = params![id, root, sql::row_limit(count_max)];
        let mut rows: Vec<PipelineRecord> =
            self.shared.select("list the pipelines", &sql, params)?;
        rows.iter_mut().for_each(|row| self.mark(row));
        Ok(rows)
    }

    /// Finds a pipeline by its id or a unique prefix of it.
    ///
    /// # Errors
    /// `invalid_args` for an id that is unknown or the beginning of several.
    pub fn pipeline(&self, id: &str) -> Result<PipelineRecord> {
        let read = |connection: &Connection| find_pipeline(connection, id);
        let mut row = self.shared.read("look for the pipeline", read)?;
        self.mark(&mut row);
        Ok(row)
    }

    /// Lists the newest pipelines that a caller sees, newest first.
    ///
    /// # Errors
    /// `tool_error` when the state cannot be read.
    pub fn pipelines_in(
        &self,
        scope: &StateScope,
        count_max: usize,
    ) -> Result<Vec<PipelineRecord>> {
        let sql = of_table(&format!(
            "WHERE {OF_ROLE_AND_FOLDER} ORDER BY created_ms DESC, id LIMIT ?5"
        ));
        let (role, every, id, root) = scope.params();
        let params = params![role, every, id, root, sql::row_limit(count_max)];
        let mut rows: Vec<PipelineRecord> =
            self.shared.select("list the pipelines", &sql, params)?;
        rows.iter_mut().for_each(|row| self.mark(row));
        Ok(rows)
    }

    /// As [`StateStore::pipeline`], among the pipelines that a caller sees.
    ///
    /// # Errors
    /// As [`StateStore::pipeline`]: a pipeline of another workspace or role is none.
    pub fn pipeline_in(&self, scope: &StateScope, id: &str) -> Result<PipelineRecord> {
        let sql = of_table(&format!(
            "WHERE {OF_ROLE_AND_FOLDER} AND substr(id, 1, length(?5)) = ?5 AND ?5 != '' LIMIT 2"
        ));
        let (role, every, folder, root) = scope.params();
        let params = params![role, every, folder, root, id];
        let found = self.shared.select("look for the pipeline", &sql, params)?;
        let mut row = only_pipeline(found, id)?;
        self.mark(&mut row);
        Ok(row)
    }

    /// A pipeline whose process ended before it did is interrupted.
    fn mark(&self, row: &mut PipelineRecord) {
        let open = matches!(row.state.as_str(), "running" | "waiting");
        if open && !self.is_run(row, self.shared.clock.unix_ms()) {
            "interrupted".clone_into(&mut row.state);
        }
    }

    /// The events of a pipeline after a number, in order.
    ///
    /// # Errors
    /// `tool_error` when the state cannot be read, or an event is damaged.
    pub fn pipeline_events(&self, id: &str, after: u64) -> Result<Vec<PipelineEvent>> {
        let sql =
            Row::sql("FROM pipeline_events WHERE pipeline = ? AND number > ? ORDER BY number");
        let params = params![id, after as i64];
        let rows: Vec<Row> = self.shared.select("read the pipeline", &sql, params)?;
        let parsed = |row: Row| {
            let event = json::parse_json(&row.body, json::JsonLimits::default());
            let event = event.map_err(|_| {
                let message = format!("event {} of pipeline `{id}` is damaged", row.number);
                ToolError::new(ErrorCode::ToolError, message).reason("state_corrupt")
            })?;
            Ok(PipelineEvent {
                number: row.number,
                event,
                time_ms: row.time_ms,
            })
        };
        rows.into_iter().map(parsed).collect()
    }
}

fn of_table(rest: &str) -> String {
    PipelineRecord::sql(&format!("FROM (SELECT *, {ROOT} FROM pipelines) {rest}"))
}

fn find_pipeline(connection: &Connection, id: &str) -> Done<PipelineRecord> {
    let sql = of_table("WHERE substr(id, 1, length(?1)) = ?1 AND ?1 != '' LIMIT 2");
    let found: Vec<PipelineRecord> = sql::all_rows(connection, &sql, [id])?;
    Ok(only_pipeline(found, id)?)
}

/// The one pipeline that an id or its beginning names.
fn only_pipeline(mut found: Vec<PipelineRecord>, id: &str) -> Result<PipelineRecord> {
    Err(match found.len() {
        1 => return Ok(found.remove(0)),
        0 => tool_error!(InvalidArgs, "unknown_pipeline"; "no pipeline has the id `{id}`";
            "`mathchain pipeline list` shows them"),
        _ => tool_error!(InvalidArgs, "ambiguous_pipeline"; "several pipelines begin with `{id}`";
            "give more of the id"),
    })
}

fn pipeline_busy_error(row: &PipelineRecord) -> ToolError {
    let owner = row.owner.as_deref().and_then(LeaseOwner::parse);
    let by = owner.map_or_else(String::new, |owner| format!(" (process {})", owner.process));
    tool_error!(Conflict, "pipeline_busy"; "another process{by} runs the pipeline `{}`", row.id;
        "`mathchain pipeline show` shows its progress")
}

fn pipeline_lost_error(id: &str) -> ToolError {
    tool_error!(Conflict, "pipeline_lost"; "another process runs the pipeline `{id}` now, or it has ended";
        "`mathchain pipeline show` shows its progress")
}
