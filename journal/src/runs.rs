//! Durable runs: how one begins, how one is taken over, and which there are.

use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension, params};
use tool_core::{ErrorCode, Reason, ToolError, Value, json};

use super::chain::{self, Chain, Hash};
use super::journal::Journal;
use super::lease::{self, Lease, Now};
use super::ledger;
use super::open::OpenRun;
use super::random;
use super::run::{self, COLUMNS, Holder, Run, RunHeader, RunRow, RunState};
use super::{State, values};
use crate::artifacts;

/// A run in which nothing can happen any more.
pub(super) fn ended(id: &str) -> ToolError {
    ToolError::new(
        ErrorCode::Conflict,
        format_args!("run `{id}` has ended: nothing more is written to it"),
    )
    .reason(Reason::RunEnded)
    .hint("`mathchain runs show` says how; run the plan again for another one")
}

/// Longest id that a caller may give.
const ID_BYTES_MAX: usize = 64;
const ID_BYTES_LEAST: usize = 4;

impl State {
    /// Begins a run: its chain, its header, the values it begins with. This process holds it.
    ///
    /// # Errors
    /// `invalid_args` for an id of another form than `[a-z0-9-]{4,64}`, `conflict` with reason `run_exists` for one that is
    /// taken, `tool_error` when the state cannot be written.
    pub fn begin_run(self: &Arc<Self>, header: &RunHeader) -> Result<Arc<Journal>, ToolError> {
        const ACTION: &str = "begin the run";
        let shared = &self.shared;
        let least = shared.artifact_bytes();
        let plan = artifacts::stored(&header.plan, least)?;
        let inputs = artifacts::stored(&header.inputs, least)?;
        let id = match &header.id {
            Some(id) => checked_id(id)?.to_owned(),
            None => random::id(),
        };
        let now = shared.now();
        let row = RunRow {
            run: Run {
                id: id.clone(),
                plan_id: header.plan_id.clone(),
                plan_digest: header.plan_digest.clone(),
                plan: plan.handle.clone(),
                inputs: inputs.handle.clone(),
                role: header.role.clone(),
                who: header.who.clone(),
                seed: header.seed,
                build: header.build.clone(),
                profile: header.profile.clone(),
                state: RunState::Running,
                created_ms: now.unix_ms,
                changed_ms: now.unix_ms,
                pinned: false,
                collected: false,
                cancel_asked: false,
                holder: None,
            },
            state: RunState::Running,
            who: json::canonical(&header.who),
            lease: Lease {
                owner: Some(shared.machine.here()),
                until: lease::until(now),
            },
            fence: 1,
        };
        let mut chain = Chain::begin(id.clone(), now.unix_ms, row.header());
        let mut core = shared.lock();
        let fail = |err: rusqlite::Error| match err.sqlite_error_code() {
            Some(rusqlite::ErrorCode::ConstraintViolation) => taken(&id),
            _ => shared.fail(ACTION, &err),
        };
        core.set_full_sync(false).map_err(fail)?;
        let begun = || -> rusqlite::Result<()> {
            let transaction = ledger::begin(&core.connection)?;
            chain.write_pending(&transaction)?;
            row.insert(&transaction)?;
            for stored in [&plan, &inputs] {
                values::enter(&transaction, &id, stored, now.unix_ms)?;
            }
            transaction.commit()
        };
        begun().map_err(fail)?;
        chain.written(false);
        let journal = self.open_journal(&mut core, chain, row.fence, now);
        drop(core);
        for stored in [&plan, &inputs] {
            if let Err(err) = shared.write_files(stored) {
                // Nothing has run; that the end is written too is not needed for that.
                let _ = journal.finish(RunState::Failed);
                return Err(err);
            }
        }
        Ok(journal)
    }

    fn open_journal(
        self: &Arc<Self>,
        core: &mut ledger::Core,
        chain: Chain,
        fence: i64,
        now: Now,
    ) -> Arc<Journal> {
        let id = chain.session.clone();
        let key = format!("{id}#{fence}");
        let open = OpenRun {
            id: id.clone(),
            chain,
            fence,
            renewed_up_ms: now.up_ms,
            closed: None,
            synced: false,
            watched: None,
        };
        core.chains.runs.insert(key.clone(), open);
        // The thread keeps the lease young, also while nothing is written.
        self.start_flusher();
        let part = u64::try_from(fence).unwrap_or(1);
        Arc::new(Journal::new(Arc::clone(self), id, key, part))
    }

    /// Takes a run that nobody works on, to go on with it; gives its records so far, each verified against its hash.
    ///
    /// # Errors
    /// `conflict` with reason `run_busy` (who holds it, for how long) or `run_ended`; `tool_error` with reason `run_corrupt`
    /// when a record or the header is not what was written; `invalid_args` for an id that names no run, or several.
    pub fn take_run(self: &Arc<Self>, id: &str) -> Result<(Arc<Journal>, Vec<Value>), ToolError> {
        const ACTION: &str = "take the run";
        self.flush()?;
        let id = self.run(id)?.id;
        let shared = &self.shared;
        let now = shared.now();
        let fail = |err: rusqlite::Error| shared.fail(ACTION, &err);
        let mut core = shared.lock();
        core.set_full_sync(false).map_err(fail)?;
        let transaction = ledger::begin(&core.connection).map_err(fail)?;
        let row = run::row(&transaction, &id)
            .map_err(fail)?
            .ok_or_else(|| unknown(&id))?;
        if row.state.is_final() {
            return Err(ended(&id));
        }
        let left_ms = row.lease.left_ms(shared.machine.as_ref(), now.unix_ms);
        if left_ms > 0 {
            let until_ms = now.unix_ms.saturating_add(left_ms);
            return Err(lease::busy(
                &id,
                row.lease.owner.as_ref(),
                left_ms,
                until_ms,
            ));
        }
        let (chain, records) = read_chain(&transaction, &row, &fail)?;
        let fence = row.fence + 1;
        let until = lease::until(now);
        let owner = shared.machine.here();
        transaction
            .execute(
                "UPDATE runs SET lease_owner = ?, lease_fence = ?, lease_until_ms = ?, lease_up_ms = ?, state = 'running', changed_ms = ?
                 WHERE id = ?",
                params![
                    owner.to_text(),
                    fence,
                    until.unix_ms as i64,
                    until.up_ms as i64,
                    now.unix_ms as i64,
                    id
                ],
            )
            .and_then(|_| transaction.commit())
            .map_err(fail)?;
        let journal = self.open_journal(&mut core, chain, fence, now);
        drop(core);
        let mut taken = tool_core::Object::new();
        taken.insert("kind", "taken");
        taken.insert("state_before", row.state.as_str());
        taken.insert("fence", fence);
        taken.insert("process", owner.process);
        journal.write(
            &Value::Object(taken.into()),
            tool_core::capability::Durability::Batched,
        )?;
        Ok((journal, records))
    }

    /// The records of a run so far, each verified against its hash; nobody has to hold it.
    ///
    /// # Errors
    /// `tool_error` with reason `run_corrupt` when a record or the header is not what was written; `invalid_args` for an id that
    /// names no run, or several.
    pub fn run_records(&self, id: &str) -> Result<Vec<Value>, ToolError> {
        const ACTION: &str = "read the run";
        self.flush()?;
        let id = self.run(id)?.id;
        let fail = |err: rusqlite::Error| self.shared.fail(ACTION, &err);
        let core = self.shared.lock();
        let transaction = core.connection.unchecked_transaction().map_err(fail)?;
        let row = run::row(&transaction, &id)
            .map_err(fail)?
            .ok_or_else(|| unknown(&id))?;
        Ok(read_chain(&transaction, &row, &fail)?.1)
    }

    /// What calls of tools took in the newest runs, in milliseconds.
    ///
    /// # Errors
    /// `tool_error` when the state cannot be read.
    pub fn took_ms(&self) -> Result<Vec<(String, f64)>, ToolError> {
        const NEWEST: i64 = 2_000;
        const SQL: &str = "SELECT body ->> '$.tool', body ->> '$.elapsed_ms' FROM
            (SELECT body FROM events ORDER BY number DESC LIMIT ?) WHERE body ->> '$.kind' = 'settled'";
        let core = self.shared.lock();
        let read = || {
            let mut query = core.connection.prepare_cached(SQL)?;
            let rows = query.query_map([NEWEST], |row| Ok((row.get(0)?, row.get(1)?)))?;
            rows.collect::<rusqlite::Result<Vec<(String, f64)>>>()
        };
        read().map_err(|err| self.shared.fail("read what tools took", &err))
    }

    /// The newest runs, newest first: in one state, or all.
    ///
    /// # Errors
    /// `tool_error` when the state cannot be read.
    pub fn runs(&self, state: Option<RunState>, count_max: usize) -> Result<Vec<Run>, ToolError> {
        let limit = i64::try_from(count_max).unwrap_or(i64::MAX);
        let sql = format!(
            "SELECT {COLUMNS} FROM runs WHERE ?1 IS NULL OR state = ?1 ORDER BY created_ms DESC, rowid DESC LIMIT ?2"
        );
        self.select_runs(&sql, params![state.map(RunState::as_str), limit])
    }

    /// The runs whose ids begin with that of another and a dash, the newest first.
    ///
    /// # Errors
    /// `tool_error` when the state cannot be read.
    pub fn runs_within(&self, id: &str) -> Result<Vec<Run>, ToolError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM runs WHERE substr(id, 1, length(?1) + 1) = ?1 || '-' ORDER BY created_ms DESC, rowid DESC"
        );
        self.select_runs(&sql, params![id])
    }

    /// The run with exactly this id, where there is one.
    ///
    /// # Errors
    /// `tool_error` when the state cannot be read.
    pub fn run_named(&self, id: &str) -> Result<Option<Run>, ToolError> {
        let sql = format!("SELECT {COLUMNS} FROM runs WHERE id = ?1");
        Ok(self.select_runs(&sql, params![id])?.pop())
    }

    /// The run that an id, or its beginning, names.
    ///
    /// # Errors
    /// `invalid_args` for what names none, or several.
    pub fn run(&self, id: &str) -> Result<Run, ToolError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM runs WHERE substr(id, 1, length(?1)) = ?1 ORDER BY id <> ?1 LIMIT 2"
        );
        let mut found = self.select_runs(&sql, params![id])?;
        match found.len() {
            0 => Err(unknown(id)),
            _ if id.is_empty() => Err(unknown(id)),
            2 if found[0].id != id => Err(ToolError::new(
                ErrorCode::InvalidArgs,
                format_args!("the ids of several runs begin with `{id}`"),
            )
            .reason("ambiguous_run")
            .hint("`mathchain runs list` shows them")),
            _ => Ok(found.swap_remove(0)),
        }
    }

    fn select_runs(
        &self,
        sql: &str,
        values: &[&dyn rusqlite::ToSql],
    ) -> Result<Vec<Run>, ToolError> {
        let core = self.shared.lock();
        let rows = core.connection.prepare_cached(sql).and_then(|mut query| {
            query
                .query_map(values, RunRow::read)?
                .collect::<rusqlite::Result<Vec<_>>>()
        });
        drop(core);
        let rows = rows.map_err(|err| self.shared.fail("look for runs", &err))?;
        let now_ms = self.shared.clock.unix_ms();
        let run = |row: RunRow| {
            let left_ms = row.lease.left_ms(self.shared.machine.as_ref(), now_ms);
            let holder = row.lease.owner.filter(|_| left_ms > 0);
            Run {
                holder: holder.map(|owner| Holder {
                    process: owner.process,
                    left_ms,
                }),
                ..row.run
            }
        };
        Ok(rows.into_iter().map(run).collect())
    }

    /// Keeps the values of a run whatever their age, or not any more. This is itself a record of the audit.
    ///
    /// # Errors
    /// As [`State::run`].
    pub fn pin_run(&self, id: &str, pinned: bool) -> Result<Run, ToolError> {
        const ACTION: &str = "pin the run";
        let run = self.run(id)?;
        self.shared.transact(ACTION, |transaction, _| {
            transaction
                .execute(
                    "UPDATE runs SET pinned = ? WHERE id = ?",
                    params![pinned, run.id],
                )
                .map_err(|err| self.shared.fail(ACTION, &err))?;
            let record = Value::object([
                ("event", Value::from(if pinned { "pin" } else { "unpin" })),
                ("run", Value::from(run.id.as_str())),
            ]);
            Ok(((), Some(record)))
        })?;
        Ok(Run { pinned, ..run })
    }
}

fn checked_id(id: &str) -> Result<&str, ToolError> {
    let letters = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if (ID_BYTES_LEAST..=ID_BYTES_MAX).contains(&id.len()) && id.bytes().all(letters) {
        return Ok(id);
    }
    Err(ToolError::new(
        ErrorCode::InvalidArgs,
        "the id of a run has 4 to 64 of the characters a-z, 0-9 and `-`",
    )
    .reason("run_id"))
}

fn taken(id: &str) -> ToolError {
    ToolError::new(
        ErrorCode::Conflict,
        format_args!("there is a run or a session `{id}` already"),
    )
    .reason("run_exists")
    .hint("choose another id, or none")
}

fn unknown(id: &str) -> ToolError {
    ToolError::new(
        ErrorCode::InvalidArgs,
        format_args!("no run has the id `{id}`"),
    )
    .reason("unknown_run")
    .hint("`mathchain runs list` shows runs")
}

fn corrupt(id: &str, sequence: u64, why: &str) -> ToolError {
    ToolError::new(
        ErrorCode::ToolError,
        format_args!("run `{id}` cannot go on: record {sequence}: {why}"),
    )
    .reason("run_corrupt")
    .hint("`mathchain audit verify` shows everything that is damaged; run the plan again for another run")
}

/// An event as it stands in the table.
struct Stored {
    sequence: u64,
    body: String,
    hash: Hash,
}

/// The chain of a run from its header to its newest record, verified; and its records. `fail` words what SQLite says.
fn read_chain(
    connection: &Connection,
    row: &RunRow,
    fail: &dyn Fn(rusqlite::Error) -> ToolError,
) -> Result<(Chain, Vec<Value>), ToolError> {
    let id = &row.run.id;
    let header: Option<String> = connection
        .query_row("SELECT header FROM sessions WHERE id = ?", [id], |row| {
            row.get(0)
        })
        .optional()
        .map_err(fail)?;
    if header.as_ref() != Some(&row.header()) {
        return Err(corrupt(id, 0, "the header is not what was written"));
    }
    let chain = Chain::begin(id.clone(), row.run.created_ms, row.header());
    let events = events(connection, id).map_err(fail)?;
    let linked: Option<i64> = connection
        .query_row(
            "SELECT max(sequence) FROM heads WHERE session = ?",
            [id],
            |row| row.get(0),
        )
        .map_err(fail)?;
    let linked = linked.unwrap_or(0).unsigned_abs();
    let mut hash = *chain.genesis();
    let mut records = Vec::with_capacity(events.len());
    for (index, event) in events.iter().enumerate() {
        let expected = index as u64 + 1;
        if event.sequence != expected {
            return Err(corrupt(id, expected, "it is missing"));
        }
        hash = chain::record_hash(&hash, &event.body);
        if hash != event.hash {
            return Err(corrupt(id, expected, "it is not what was written"));
        }
        let record = json::parse(&event.body, json::Limits::default())
            .map_err(|err| corrupt(id, expected, &err.to_string()))?;
        records.push(record);
    }
    let newest = events.len() as u64;
    if linked > newest {
        let why = "it is missing, and a head vouches for it";
        return Err(corrupt(id, newest + 1, why));
    }
    Ok((chain.go_on(newest, hash, linked), records))
}

fn events(connection: &Connection, id: &str) -> rusqlite::Result<Vec<Stored>> {
    connection
        .prepare_cached(
            "SELECT sequence, body, hash FROM events WHERE session = ? ORDER BY sequence",
        )?
        .query_map([id], |row| {
            Ok(Stored {
                sequence: row.get::<_, i64>(0)?.unsigned_abs(),
                body: row.get(1)?,
                hash: row.get(2)?,
            })
        })?
        .collect()
}
