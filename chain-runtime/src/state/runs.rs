//! Durable runs: their rows, how one begins, and how one is taken over.

use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};
use tool_core::{ErrorCode, ToolError, Value, json};

use super::chain::{self, Chain, Hash};
use super::journal::Journal;
use super::lease::{self, Lease, Now, Owner};
use super::ledger::{self, OpenRun};
use super::{State, values};
use crate::artifacts::{self, ArtifactHash, Handle};

/// Where a run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RunState {
    /// A process works on it, or worked on it and died.
    Running,
    /// It waits for a person, and goes on when asked to.
    Suspended,
    /// An effect may or may not have happened; a person says which.
    NeedsDecision,
    /// Every step that counts succeeded.
    Succeeded,
    /// A step failed.
    Failed,
    /// Somebody stopped it.
    Cancelled,
    /// The plan was refused; nothing ran.
    Rejected,
}

impl RunState {
    /// Every state.
    pub const ALL: [Self; 7] = [
        Self::Running,
        Self::Suspended,
        Self::NeedsDecision,
        Self::Succeeded,
        Self::Failed,
        Self::Cancelled,
        Self::Rejected,
    ];

    /// As it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Suspended => "suspended",
            Self::NeedsDecision => "needs_decision",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Rejected => "rejected",
        }
    }

    /// Reads it back.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == text)
    }

    /// Whether nothing can happen in the run any more.
    pub fn is_final(self) -> bool {
        !matches!(self, Self::Running | Self::Suspended | Self::NeedsDecision)
    }
}

/// What a run begins with. All of it stands in the first hash of its chain.
#[derive(Debug, Clone, Default)]
pub struct RunHeader {
    /// Its id; made when none is given.
    pub id: Option<String>,
    /// The plan's own id.
    pub plan_id: String,
    /// Digest of the checked plan.
    pub plan_digest: String,
    /// The plan, as the runner wants it back.
    pub plan: Value,
    /// The values of its inputs.
    pub inputs: Value,
    /// Role of the caller: artifacts are opened for it.
    pub role: String,
    /// Everything else that says who calls.
    pub who: Value,
    /// The seed of every step.
    pub seed: u64,
    /// Which program made the results.
    pub build: String,
    /// Which instructions and libraries made them.
    pub profile: String,
}

/// A run as it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// Its id, which is also the name of its chain; any unique beginning names it.
    pub id: String,
    /// The plan's own id.
    pub plan_id: String,
    /// Digest of the checked plan.
    pub plan_digest: String,
    /// The plan; gone when the run was collected.
    pub plan: Handle,
    /// The inputs; gone when the run was collected.
    pub inputs: Handle,
    /// Role of the caller.
    pub role: String,
    /// Everything else that says who calls.
    pub who: Value,
    /// The seed.
    pub seed: u64,
    /// Which program made the results.
    pub build: String,
    /// Which instructions and libraries made them.
    pub profile: String,
    /// Where it stands.
    pub state: RunState,
    /// When it began, in milliseconds since 1970-01-01 UTC.
    pub created_ms: u64,
    /// When its state changed last.
    pub changed_ms: u64,
    /// Whether its values are kept whatever their age.
    pub pinned: bool,
    /// Whether its values were collected.
    pub collected: bool,
    /// Who works on it now; `None` for nobody, also when who did died.
    pub holder: Option<Holder>,
}

/// The process that works on a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    /// Its number.
    pub process: u32,
    /// How much longer its lease holds without a renewal, in milliseconds.
    pub left_ms: u64,
}

/// A run as it stands in the table.
pub(super) struct RunRow {
    pub(super) run: Run,
    pub(super) state: RunState,
    who: String,
    lease: Lease,
    fence: i64,
}

const COLUMNS: &str = "id, plan_id, plan_digest, plan, inputs, role, who, seed, build, profile, state, created_ms, changed_ms,
    pinned, collected, lease_owner, lease_fence, lease_until_ms, lease_up_ms";

impl RunRow {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        let who: String = row.get(6)?;
        let state = RunState::parse(&row.get::<_, String>(10)?).unwrap_or(RunState::NeedsDecision);
        let owner: Option<String> = row.get(15)?;
        let time = |column| row.get::<_, i64>(column).map(i64::unsigned_abs);
        Ok(Self {
            run: Run {
                id: row.get(0)?,
                plan_id: row.get(1)?,
                plan_digest: row.get(2)?,
                plan: handle_of(&row.get::<_, String>(3)?),
                inputs: handle_of(&row.get::<_, String>(4)?),
                role: row.get(5)?,
                who: parsed(&who),
                seed: row.get::<_, String>(7)?.parse().unwrap_or(0),
                build: row.get(8)?,
                profile: row.get(9)?,
                state,
                created_ms: time(11)?,
                changed_ms: time(12)?,
                pinned: row.get(13)?,
                collected: row.get(14)?,
                holder: None,
            },
            state,
            who,
            lease: Lease {
                owner: owner.as_deref().and_then(Owner::parse),
                until: Now {
                    unix_ms: time(17)?,
                    up_ms: time(18)?,
                },
            },
            fence: row.get(16)?,
        })
    }

    /// The text that the first hash of the chain covers.
    pub(super) fn header(&self) -> String {
        let run = &self.run;
        let text = |text: &str| Value::from(text);
        json::canonical(&Value::object([
            ("build", text(&run.build)),
            ("inputs", run.inputs.to_value()),
            ("kind", text("run")),
            ("opened_ms", Value::from(run.created_ms)),
            ("plan", run.plan.to_value()),
            ("plan_digest", text(&run.plan_digest)),
            ("plan_id", text(&run.plan_id)),
            ("profile", text(&run.profile)),
            ("role", text(&run.role)),
            ("seed", Value::from(run.seed.to_string())),
            ("session", text(&run.id)),
            ("who", parsed(&self.who)),
        ]))
    }

    fn insert(&self, transaction: &Transaction<'_>) -> rusqlite::Result<()> {
        let run = &self.run;
        let sql = format!(
            "INSERT INTO runs({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        );
        transaction.prepare_cached(&sql)?.execute(params![
            run.id,
            run.plan_id,
            run.plan_digest,
            json::to_text(&run.plan.to_value()),
            json::to_text(&run.inputs.to_value()),
            run.role,
            self.who,
            run.seed.to_string(),
            run.build,
            run.profile,
            self.state.as_str(),
            run.created_ms as i64,
            run.changed_ms as i64,
            run.pinned,
            run.collected,
            self.lease.owner.as_ref().map(Owner::to_text),
            self.fence,
            self.lease.until.unix_ms as i64,
            self.lease.until.up_ms as i64,
        ])?;
        Ok(())
    }
}

fn parsed(text: &str) -> Value {
    json::parse(text, json::Limits::default()).unwrap_or_else(|_| Value::from(text))
}

/// A handle in a row; a damaged one names nothing, and the header of the chain then differs.
fn handle_of(text: &str) -> Handle {
    Handle::from_value(&parsed(text)).unwrap_or(Handle {
        hash: ArtifactHash([0; 32]),
        kind: artifacts::Kind::Small,
    })
}

/// The run of an id, as it stands in the table.
pub(super) fn row(connection: &Connection, id: &str) -> rusqlite::Result<Option<RunRow>> {
    connection
        .prepare_cached(&format!("SELECT {COLUMNS} FROM runs WHERE id = ?"))?
        .query_row([id], RunRow::read)
        .optional()
}

/// Whether the chain says that the run stands where its row has it: the newest record of a run that nobody works on says so.
pub(super) fn is_told(connection: &Connection, row: &RunRow) -> rusqlite::Result<bool> {
    if row.state == RunState::Running {
        return Ok(true);
    }
    let body: Option<String> = connection
        .prepare_cached("SELECT body FROM events WHERE session = ? ORDER BY sequence DESC LIMIT 1")?
        .query_row([&row.run.id], |row| row.get(0))
        .optional()?;
    let record = body.map(|body| parsed(&body)).unwrap_or_default();
    let text = |key| record.get(key).and_then(Value::as_str);
    Ok(text("kind") == Some("state") && text("state") == Some(row.state.as_str()))
}

/// A run in which nothing can happen any more.
pub(super) fn ended(id: &str) -> ToolError {
    ToolError::new(
        ErrorCode::Conflict,
        format_args!("run `{id}` has ended: nothing more is written to it"),
    )
    .reason("run_ended")
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
            None => format!("{:012x}", ledger::chance() & 0xffff_ffff_ffff),
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
        };
        core.chains.runs.insert(key.clone(), open);
        // The thread keeps the lease young, also while nothing is written.
        self.start_flusher();
        Arc::new(Journal::new(Arc::clone(self), id, key))
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
        let row = row(&transaction, &id)
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
        let (chain, records) = read_chain(&transaction, &row)?.map_err(fail)?;
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
        let row = row(&transaction, &id)
            .map_err(fail)?
            .ok_or_else(|| unknown(&id))?;
        Ok(read_chain(&transaction, &row)?.map_err(fail)?.1)
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

/// The chain of a run from its header to its newest record, verified; and its records.
#[expect(
    clippy::type_complexity,
    reason = "what is damaged and what SQLite says are told apart"
)]
fn read_chain(
    connection: &Connection,
    row: &RunRow,
) -> Result<rusqlite::Result<(Chain, Vec<Value>)>, ToolError> {
    let id = &row.run.id;
    let header: Result<Option<String>, _> = connection
        .query_row("SELECT header FROM sessions WHERE id = ?", [id], |row| {
            row.get(0)
        })
        .optional();
    let header = match header {
        Ok(header) => header,
        Err(err) => return Ok(Err(err)),
    };
    if header.as_ref() != Some(&row.header()) {
        return Err(corrupt(id, 0, "the header is not what was written"));
    }
    let chain = Chain::begin(id.clone(), row.run.created_ms, row.header());
    let read = || -> rusqlite::Result<(Vec<(u64, String, Hash)>, u64)> {
        let events = connection
            .prepare_cached(
                "SELECT sequence, body, hash FROM events WHERE session = ? ORDER BY sequence",
            )?
            .query_map([id], |row| {
                Ok((
                    row.get::<_, i64>(0)?.unsigned_abs(),
                    row.get(1)?,
                    row.get(2)?,
                ))
            })?
            .collect::<rusqlite::Result<Vec<_>>>()?;
        let linked: Option<i64> = connection.query_row(
            "SELECT max(sequence) FROM heads WHERE session = ?",
            [id],
            |row| row.get(0),
        )?;
        Ok((events, linked.unwrap_or(0).unsigned_abs()))
    };
    let (events, linked) = match read() {
        Ok(found) => found,
        Err(err) => return Ok(Err(err)),
    };
    let mut hash = *chain.genesis();
    let mut records = Vec::with_capacity(events.len());
    for (index, (sequence, body, found)) in events.iter().enumerate() {
        let expected = index as u64 + 1;
        if *sequence != expected {
            return Err(corrupt(id, expected, "it is missing"));
        }
        hash = chain::record_hash(&hash, body);
        if hash != *found {
            return Err(corrupt(id, expected, "it is not what was written"));
        }
        let record = json::parse(body, json::Limits::default())
            .map_err(|err| corrupt(id, expected, &err.to_string()))?;
        records.push(record);
    }
    let newest = events.len() as u64;
    if linked > newest {
        return Err(corrupt(
            id,
            newest + 1,
            "it is missing, and a head vouches for it",
        ));
    }
    Ok(Ok((chain.go_on(newest, hash, linked), records)))
}
