//! Durable runs: beginning, taking over and listing them.

use std::collections::BTreeMap;
use std::sync::Arc;

use rusqlite::{Connection, params};
use tool_core::capability::RecordDurability;
use tool_core::{Result, ToolError, Value, json, object, tool_error};

use super::chain::{self, RecordChain};
use super::journal::Journal;
use super::lease::{self, LeaseTime, RunLease};
use super::ledger;
use super::open::OpenRun;
use super::packs::{self, RecordPacks};
use super::random;
use super::run::{self, COLUMNS, RunHeader, RunHolder, RunRecord, RunRow, RunState, StoredEnd};
use super::scope::{OF_RUNS, StateScope};
use super::sql::{self, Done, Hash};
use super::state::StateStore;
use super::values;
use crate::artifacts::{self, FILE_BYTES_LEAST};

/// Longest id that a caller may give.
const ID_BYTES_MAX: usize = 64;
const ID_BYTES_LEAST: usize = 4;

/// Which runs are wanted: those with all that is given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunFilter {
    /// One of these states; any where there is none.
    pub states: Vec<RunState>,
    /// Beginning of the id, or a part of the plan's id or of the role.
    pub text: String,
}

impl StateStore {
    /// Reads the end of a call.
    ///
    /// # Errors
    /// As [`StateStore::value`].
    pub fn end(&self, end: &StoredEnd) -> Result<Value> {
        let whole = self.value(&end.handle)?;
        let Some(at) = end.at else {
            return Ok(whole);
        };
        let found = whole.items().and_then(|ends| ends.get(at).cloned());
        found.ok_or_else(|| artifacts::missing_artifact(end.handle.hash))
    }

    /// Begins a run: writes its chain, header, plan and inputs. This process holds the lease.
    ///
    /// # Errors
    /// `invalid_args` for an id of another form than `[a-z0-9-]{4,64}`, `conflict` with reason `run_exists` for one that is
    /// taken, `tool_error` when the state cannot be written.
    pub fn begin_run(self: &Arc<Self>, header: &RunHeader) -> Result<Arc<Journal>> {
        const ACTION: &str = "begin the run";
        let shared = &self.shared;
        let plan = artifacts::encode_value(&header.plan, FILE_BYTES_LEAST)?;
        let inputs = artifacts::encode_value(&header.inputs, FILE_BYTES_LEAST)?;
        let id = match &header.id {
            Some(id) => checked_id(id)?.to_owned(),
            None => random::random_id(),
        };
        let now = shared.now();
        let row = RunRow {
            run: RunRecord {
                id: id.clone(),
                parent: header.parent.clone(),
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
            lease: RunLease {
                owner: Some(shared.machine.here()),
                until: lease::lease_end(now),
            },
            fence: 1,
        };
        let mut chain = RecordChain::begin(id.clone(), now.unix_ms, row.header());
        let mut core = shared.lock();
        let fail = |err: rusqlite::Error| match err.sqlite_error_code() {
            Some(rusqlite::ErrorCode::ConstraintViolation) => run_exists_error(&id),
            _ => shared.fail(ACTION, &err),
        };
        core.set_full_sync(false).map_err(fail)?;
        let begun = || -> rusqlite::Result<()> {
            let transaction = ledger::begin_write(&core.connection)?;
            chain.write_pending(&transaction, shared.folder_of_calls())?;
            row.insert(&transaction)?;
            for stored in [&plan, &inputs] {
                values::insert_value(&transaction, &id, stored, now.unix_ms)?;
            }
            transaction.commit()
        };
        begun().map_err(fail)?;
        chain.written(false);
        let journal = self.open_journal(&mut core, chain, row.fence, now);
        drop(core);
        for stored in [&plan, &inputs] {
            if let Err(err) = shared.write_files(stored) {
                // Nothing has run, so a failure to record the end does no harm.
                let _ = journal.finish(RunState::Failed);
                return Err(err);
            }
        }
        Ok(journal)
    }

    fn open_journal(
        self: &Arc<Self>,
        core: &mut ledger::LedgerCore,
        chain: RecordChain,
        fence: i64,
        now: LeaseTime,
    ) -> Arc<Journal> {
        let id = chain.session.clone();
        let key = format!("{id}#{fence}");
        let open = OpenRun {
            id: id.clone(),
            chain,
            packs: RecordPacks::default(),
            fence,
            renewed_up_ms: now.up_ms,
            closed: None,
            synced: false,
            watched: None,
        };
        core.chains.runs.insert(key.clone(), open);
        // The thread renews the lease, also while nothing is written.
        self.start_flusher();
        let part = u64::try_from(fence).unwrap_or(1);
        Arc::new(Journal::new(Arc::clone(self), id, key, part))
    }

    /// Takes the lease of a run that no process executes, to resume it; returns its verified records.
    ///
    /// # Errors
    /// `conflict` with reason `run_busy` (naming the holder and the time left) or `run_ended`; `tool_error` with reason `run_corrupt`
    /// when a record or the header was changed; `invalid_args` for an id of no run, or a prefix of several.
    pub fn take_run(self: &Arc<Self>, id: &str) -> Result<(Arc<Journal>, Vec<Value>)> {
        const ACTION: &str = "take the run";
        self.flush()?;
        let id = self.run(id)?.id;
        let shared = &self.shared;
        let now = shared.now();
        let fail = |err: rusqlite::Error| shared.fail(ACTION, &err);
        let mut core = shared.lock();
        core.set_full_sync(false).map_err(fail)?;
        let transaction = ledger::begin_write(&core.connection).map_err(fail)?;
        let row = run::find_run_row(&transaction, &id)
            .map_err(fail)?
            .ok_or_else(|| unknown_run_error(&id))?;
        if row.run.state.is_final() {
            return Err(lease::run_ended_error(&id));
        }
        let left_ms = row.lease.left_ms(shared.machine.as_ref(), now.unix_ms);
        if left_ms > 0 {
            let until_ms = now.unix_ms.saturating_add(left_ms);
            let owner = row.lease.owner.as_ref();
            return Err(lease::run_busy_error(&id, owner, left_ms, until_ms));
        }
        let (chain, records) =
            read_chain(&transaction, &row).map_err(|failure| shared.failed(ACTION, failure))?;
        let fence = row.fence + 1;
        let until = lease::lease_end(now);
        let owner = shared.machine.here();
        const TAKE: &str = "UPDATE runs SET lease_owner = ?, lease_fence = ?, lease_until_ms = ?, lease_up_ms = ?, state = 'running', changed_ms = ?
                 WHERE id = ?";
        let (until_ms, up_ms) = (until.unix_ms as i64, until.up_ms as i64);
        let params = params![
            owner.to_text(),
            fence,
            until_ms,
            up_ms,
            now.unix_ms as i64,
            id
        ];
        let done = sql::execute_statement(&transaction, TAKE, params);
        done.and_then(|_| transaction.commit()).map_err(fail)?;
        let journal = self.open_journal(&mut core, chain, fence, now);
        drop(core);
        let taken = object! {
            "kind" => "taken",
            "state_before" => row.run.state.as_str(),
            "fence" => fence,
            "process" => owner.process,
        };
        journal.write(&taken, RecordDurability::Batched)?;
        Ok((journal, records))
    }

    /// Reads and verifies the records of a run, whether or not a process holds it.
    ///
    /// # Errors
    /// `tool_error` with reason `run_corrupt` when a record or the header was changed; `invalid_args` for an id of no run, or a prefix
    /// of several.
    pub fn run_records(&self, id: &str) -> Result<Vec<Value>> {
        self.flush()?;
        let id = self.run(id)?.id;
        self.shared.read("read the run", |connection| {
            let transaction = connection.unchecked_transaction()?;
            let row =
                run::find_run_row(&transaction, &id)?.ok_or_else(|| unknown_run_error(&id))?;
            Ok(read_chain(&transaction, &row)?.1)
        })
    }

    /// Whether a run has a record of a kind. The chain is not verified: [`StateStore::take_run`] and [`StateStore::run_records`] do that.
    ///
    /// # Errors
    /// `tool_error` when the state cannot be read.
    pub fn run_has(&self, id: &str, kind: &str) -> Result<bool> {
        const SQL: &str = "SELECT EXISTS(SELECT 1 FROM events WHERE session = ?1 AND instr(body, ?2) > 0 AND json_valid(body)
            AND body ->> '$.kind' = ?3)";
        self.flush()?;
        let text = format!("\"kind\":\"{kind}\"");
        let found = self.shared.read("read the run", |connection| {
            Ok(sql::first_row(connection, SQL, params![id, text, kind])?)
        })?;
        Ok(found.unwrap_or(false))
    }

    /// Lists the tool and the duration in milliseconds of each of the newest calls in runs.
    ///
    /// # Errors
    /// `tool_error` when the state cannot be read.
    pub fn recent_durations_ms(&self) -> Result<Vec<(String, f64)>> {
        const NEWEST: i64 = 2_000;
        const SQL: &str = "SELECT body ->> '$.tool', body ->> '$.elapsed_ms' FROM
            (SELECT body FROM events ORDER BY number DESC LIMIT ?) WHERE body ->> '$.kind' = 'settled'
                AND body ->> '$.tool' IS NOT NULL AND body ->> '$.elapsed_ms' >= 0";
        const PACKS: &str = "SELECT body FROM (SELECT body FROM events ORDER BY number DESC LIMIT ?) WHERE body ->> '$.kind' = 'pack' LIMIT 4";
        let action = "read the durations of calls";
        let mut found: Vec<(String, f64)> = self.shared.select(action, SQL, [NEWEST])?;
        for body in self.shared.select::<String>(action, PACKS, [NEWEST])? {
            let pack = json::parse_json(&body, json::JsonLimits::default()).unwrap_or_default();
            for record in packs::expanded(pack).unwrap_or_default() {
                let elapsed = record.get("elapsed_ms").and_then(Value::as_f64);
                if let (Some("settled"), Some(tool), Some(elapsed @ 0.0..)) =
                    (record.text("kind"), record.text("tool"), elapsed)
                {
                    found.push((tool.to_owned(), elapsed));
                }
            }
        }
        Ok(found)
    }

    /// Lists the newest runs in one state, or in all; newest first.
    ///
    /// # Errors
    /// `tool_error` when the state cannot be read.
    pub fn runs(&self, state: Option<RunState>, count_max: usize) -> Result<Vec<RunRecord>> {
        self.runs_in(&StateScope::default(), state, count_max)
    }

    /// As [`StateStore::runs`], of those that a caller sees.
    ///
    /// # Errors
    /// `tool_error` when the state cannot be read.
    pub fn runs_in(
        &self,
        scope: &StateScope,
        state: Option<RunState>,
        count_max: usize,
    ) -> Result<Vec<RunRecord>> {
        let sql = format!(
            "SELECT {COLUMNS} FROM runs WHERE {OF_RUNS} AND (?5 IS NULL OR state = ?5)
             ORDER BY created_ms DESC, rowid DESC LIMIT ?6"
        );
        let (role, every, id, root) = scope.params();
        let (state, limit) = (state.map(RunState::as_str), sql::row_limit(count_max));
        self.select_runs(&sql, params![role, every, id, root, state, limit])
    }

    /// Lists a part of the runs that a caller sees and that a filter selects; newest first.
    ///
    /// # Errors
    /// `tool_error` when the state cannot be read.
    pub fn runs_matching(
        &self,
        scope: &StateScope,
        filter: &RunFilter,
        skipped: usize,
        count_max: usize,
    ) -> Result<Vec<RunRecord>> {
        let sql = format!(
            "SELECT {COLUMNS} FROM runs WHERE {OF_RUNS}
                AND (?5 = '' OR instr(?5, ',' || state || ',') > 0)
                AND (?6 = '' OR instr(lower(id), ?6) = 1 OR instr(lower(plan_id), ?6) > 0 OR instr(lower(role), ?6) > 0)
             ORDER BY created_ms DESC, rowid DESC LIMIT ?7 OFFSET ?8"
        );
        let (role, every, id, root) = scope.params();
        let states: Vec<&str> = filter.states.iter().map(|state| state.as_str()).collect();
        let states = match states.is_empty() {
            true => String::new(),
            false => format!(",{},", states.join(",")),
        };
        let text = filter.text.to_lowercase();
        let (limit, skipped) = (sql::row_limit(count_max), sql::row_limit(skipped));
        let params = params![role, every, id, root, states, text, limit, skipped];
        self.select_runs(&sql, params)
    }

    /// Lists the runs that a run (transitively) started; newest first.
    ///
    /// # Errors
    /// `tool_error` when the state cannot be read.
    pub fn runs_within(&self, id: &str) -> Result<Vec<RunRecord>> {
        let sql = format!(
            "WITH RECURSIVE nested(id) AS (SELECT id FROM runs WHERE parent = ?1
                UNION SELECT runs.id FROM runs JOIN nested ON runs.parent = nested.id)
             SELECT {COLUMNS} FROM runs WHERE id IN nested ORDER BY created_ms DESC, rowid DESC"
        );
        self.select_runs(&sql, params![id])
    }

    /// The number of runs that a caller sees, by the state that is shown of them.
    ///
    /// # Errors
    /// `tool_error` when the state cannot be read.
    pub fn run_counts(&self, scope: &StateScope) -> Result<BTreeMap<String, u64>> {
        let sql = format!(
            "SELECT state, count(*) FROM runs WHERE {OF_RUNS} AND state <> 'running' GROUP BY state"
        );
        let (role, every, id, root) = scope.params();
        let params = params![role, every, id, root];
        let counted = self.shared.select("count the runs", &sql, params)?;
        let mut counts: BTreeMap<String, u64> = counted.into_iter().collect();
        for run in self.runs_in(scope, Some(RunState::Running), usize::MAX)? {
            *counts.entry(run.state_shown().to_owned()).or_default() += 1;
        }
        Ok(counts)
    }

    /// Finds the run with exactly this id.
    ///
    /// # Errors
    /// `tool_error` when the state cannot be read.
    pub fn run_named(&self, id: &str) -> Result<Option<RunRecord>> {
        let sql = format!("SELECT {COLUMNS} FROM runs WHERE id = ?1");
        Ok(self.select_runs(&sql, params![id])?.pop())
    }

    /// Finds the run with this id, or with this unique prefix of its id.
    ///
    /// # Errors
    /// `invalid_args` for no or several matching runs.
    pub fn run(&self, id: &str) -> Result<RunRecord> {
        self.run_in(&StateScope::default(), id)
    }

    /// As [`StateStore::run`], among the runs that a caller sees.
    ///
    /// # Errors
    /// As [`StateStore::run`]: a run of another workspace or role is none.
    pub fn run_in(&self, scope: &StateScope, id: &str) -> Result<RunRecord> {
        let sql = format!(
            "SELECT {COLUMNS} FROM runs WHERE {OF_RUNS} AND substr(id, 1, length(?5)) = ?5 ORDER BY id <> ?5 LIMIT 2"
        );
        let (role, every, workspace, root) = scope.params();
        let mut found = self.select_runs(&sql, params![role, every, workspace, root, id])?;
        if found.is_empty() || id.is_empty() {
            return Err(unknown_run_error(id));
        }
        if found.len() > 1 && found[0].id != id {
            return Err(tool_error!(InvalidArgs, "ambiguous_run";
                "`{id}` is a prefix of several run ids";
                "`mathchain runs list` shows them"));
        }
        Ok(found.swap_remove(0))
    }

    fn select_runs(&self, sql: &str, values: &[&dyn rusqlite::ToSql]) -> Result<Vec<RunRecord>> {
        let rows = self.shared.select("look for runs", sql, values)?;
        let now_ms = self.shared.clock.unix_ms();
        let run = |row: RunRow| {
            let left_ms = row.lease.left_ms(self.shared.machine.as_ref(), now_ms);
            let holder = row.lease.owner.filter(|_| left_ms > 0);
            RunRecord {
                holder: holder.map(|owner| RunHolder {
                    process: owner.process,
                    left_ms,
                }),
                ..row.run
            }
        };
        Ok(rows.into_iter().map(run).collect())
    }

    /// Protects the values of a run from collection, or ends that. Recorded in the audit log.
    ///
    /// # Errors
    /// As [`StateStore::run`].
    pub fn pin_run(&self, id: &str, pinned: bool) -> Result<RunRecord> {
        const SQL: &str = "UPDATE runs SET pinned = ? WHERE id = ?";
        let run = self.run(id)?;
        self.shared.transact("pin the run", |transaction, _| {
            sql::execute_statement(transaction, SQL, params![pinned, run.id])?;
            let event = if pinned { "pin" } else { "unpin" };
            Ok((
                (),
                Some(object! { "event" => event, "run" => run.id.as_str() }),
            ))
        })?;
        Ok(RunRecord { pinned, ..run })
    }
}

fn checked_id(id: &str) -> Result<&str> {
    let letters = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if (ID_BYTES_LEAST..=ID_BYTES_MAX).contains(&id.len()) && id.bytes().all(letters) {
        return Ok(id);
    }
    Err(tool_error!(InvalidArgs, "run_id";
        "the id of a run has 4 to 64 of the characters a-z, 0-9 and `-`"))
}

fn run_exists_error(id: &str) -> ToolError {
    tool_error!(Conflict, "run_exists"; "the id `{id}` is taken by a run or a session";
        "choose another id, or none")
}

fn unknown_run_error(id: &str) -> ToolError {
    tool_error!(InvalidArgs, "unknown_run"; "no run has the id `{id}`";
        "`mathchain runs list` shows runs")
}

fn corrupt_run_error(id: &str, sequence: u64, why: &str) -> ToolError {
    tool_error!(ToolError, "run_corrupt";
        "run `{id}` cannot be resumed: record {sequence}: {why}";
        "`mathchain audit verify` lists all damage; run the plan again for another run")
}

/// Reads and verifies the chain of a run from its header to its newest record; returns the records too.
fn read_chain(connection: &Connection, row: &RunRow) -> Done<(RecordChain, Vec<Value>)> {
    const HEADER: &str = "SELECT header FROM sessions WHERE id = ?";
    const EVENTS: &str =
        "SELECT sequence, body, hash FROM events WHERE session = ? ORDER BY sequence";
    const LINKED: &str = "SELECT max(sequence) FROM heads WHERE session = ?";
    let id = &row.run.id;
    let header: Option<String> = sql::first_row(connection, HEADER, [id])?;
    let Some(header) = header.filter(|header| row.is_headed(header)) else {
        return Err(corrupt_run_error(id, 0, "the header was changed").into());
    };
    let chain = RecordChain::begin(id.clone(), row.run.created_ms, header);
    let events: Vec<(u64, String, Hash)> = sql::all_rows(connection, EVENTS, [id])?;
    let linked: u64 = sql::first_row(connection, LINKED, [id])?.unwrap_or(0);
    let mut hash = *chain.genesis();
    let mut records = Vec::with_capacity(events.len());
    for ((sequence, body, stored), expected) in events.iter().zip(1..) {
        if *sequence != expected {
            return Err(corrupt_run_error(id, expected, "it is missing").into());
        }
        hash = chain::record_hash(&hash, body);
        if hash != *stored {
            return Err(corrupt_run_error(id, expected, "it was changed").into());
        }
        let record = json::parse_json(body, json::JsonLimits::default());
        let record = record.map_err(|err| corrupt_run_error(id, expected, &err.to_string()))?;
        let read = packs::expanded(record);
        records.extend(read.map_err(|err| corrupt_run_error(id, expected, err.message()))?);
    }
    let newest = events.len() as u64;
    if linked > newest {
        let why = "it is missing, and a head confirms that it existed";
        return Err(corrupt_run_error(id, newest + 1, why).into());
    }
    Ok((chain.resume(newest, hash, linked), records))
}
