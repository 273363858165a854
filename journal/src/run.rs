//! A durable run: its header, its state, and its row.

use rusqlite::{Connection, Row, Transaction, params};
use tool_core::{Object, Result, Value, json, names, object, tool_error};

use super::lease::{LeaseOwner, LeaseTime, RunLease};
use super::sql::{self, SqlColumns, column_value};
use crate::artifacts::{ArtifactHandle, ArtifactHash};

names! {
    /// The state of a run, with its name in the file and in answers.
    RunState {
        /// A process executes it, or died while doing so.
        Running = "running",
        /// It waits for an approval, and can be resumed.
        Suspended = "suspended",
        /// The outcome of an effect is unknown; the user decides.
        NeedsDecision = "needs_decision",
        /// Every required step succeeded.
        Succeeded = "succeeded",
        /// A step failed.
        Failed = "failed",
        /// It was cancelled.
        Cancelled = "cancelled",
        /// The plan was refused; nothing ran.
        Rejected = "rejected",
    }
}

impl RunState {
    /// Whether the run has ended.
    pub fn is_final(self) -> bool {
        !matches!(self, Self::Running | Self::Suspended | Self::NeedsDecision)
    }
}

/// The content with which a run begins. The first hash of its chain covers all of it.
#[derive(Debug, Clone, Default)]
pub struct RunHeader {
    /// Id of the run; generated when `None`.
    pub id: Option<String>,
    /// Id of the run whose step begins this one.
    pub parent: Option<String>,
    /// The plan's own id.
    pub plan_id: String,
    /// Digest of the checked plan.
    pub plan_digest: String,
    /// The plan, in the form of the runner.
    pub plan: Value,
    /// The values of its inputs.
    pub inputs: Value,
    /// Role of the caller, who may open the artifacts.
    pub role: String,
    /// The rest of the principal: agent, phase, overrides, workspace.
    pub who: Value,
    /// The seed of every step.
    pub seed: u64,
    /// Version of the program.
    pub build: String,
    /// Instruction sets and libraries, on which exact results depend.
    pub profile: String,
}

/// A run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRecord {
    /// Id of the run and name of its chain; any unique prefix names it.
    pub id: String,
    /// Id of the run whose step began this one.
    pub parent: Option<String>,
    /// The plan's own id.
    pub plan_id: String,
    /// Digest of the checked plan.
    pub plan_digest: String,
    /// The plan; missing after collection.
    pub plan: ArtifactHandle,
    /// The inputs; missing after collection.
    pub inputs: ArtifactHandle,
    /// Role of the caller.
    pub role: String,
    /// The rest of the principal: agent, phase, overrides, workspace.
    pub who: Value,
    /// The seed.
    pub seed: u64,
    /// Version of the program.
    pub build: String,
    /// Instruction sets and libraries, on which exact results depend.
    pub profile: String,
    /// State of the run.
    pub state: RunState,
    /// Time of its beginning, in milliseconds since 1970-01-01 UTC.
    pub created_ms: u64,
    /// Time of the last change of state.
    pub changed_ms: u64,
    /// Whether its values are protected from collection.
    pub pinned: bool,
    /// Whether its values were collected.
    pub collected: bool,
    /// Whether its cancellation was requested.
    pub cancel_asked: bool,
    /// The process that executes it; `None` also when that process died.
    pub holder: Option<RunHolder>,
}

impl RunRecord {
    /// The state as it is shown: `interrupted` for a running run whose process has gone.
    pub fn state_shown(&self) -> &'static str {
        match (self.state, &self.holder) {
            (RunState::Running, None) => "interrupted",
            (state, _) => state.as_str(),
        }
    }

    /// Whether it can be resumed now: it waits, or its process has gone.
    pub fn is_resumable(&self) -> bool {
        !self.state.is_final() && self.holder.is_none()
    }

    /// Checks that the values of the run still exist.
    ///
    /// # Errors
    /// `precondition_failed` with reason `values_collected`.
    pub fn with_values(&self) -> Result<()> {
        if !self.collected {
            return Ok(());
        }
        Err(tool_error!(PreconditionFailed, "the values of the run `{}` were collected by `mathchain runs gc`, so it cannot be repeated",
            self.id)
            .reason("values_collected")
            .hint("run the plan again for another run; `mathchain runs pin` retains its values"))
    }
}

/// Member of the record of a call: the handle of its outcome.
pub const END_KEY: &str = "end";
/// Member of the record of an end: its place in the stored value, where that is the list of the ends of a pack.
pub(super) const AT_KEY: &str = "end_at";
/// Member of the record of a chain: the handle of its lists of steps and waves, where they are long.
pub const LISTS_KEY: &str = "lists";

/// Where the end of a call is stored.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredEnd {
    /// The value that has it.
    pub handle: ArtifactHandle,
    /// Its place in that value, where it is the list of several ends.
    pub at: Option<usize>,
}

impl StoredEnd {
    /// The one that the record of an end names.
    pub fn of(record: &Value) -> Option<Self> {
        let handle = record.get(END_KEY).and_then(ArtifactHandle::from_value)?;
        let at = record.get(AT_KEY).and_then(Value::as_i64);
        let at = at.and_then(|at| usize::try_from(at).ok());
        Some(Self { handle, at })
    }
}

/// The handles in a record, by member.
pub fn named_values(record: &Value) -> impl Iterator<Item = (&str, ArtifactHandle)> {
    let members = record.as_object().into_iter().flat_map(Object::iter);
    members.filter_map(|(key, value)| Some((key, ArtifactHandle::from_value(value)?)))
}

/// The process that executes a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunHolder {
    /// Process id.
    pub process: u32,
    /// Remaining time of its lease in milliseconds, without a renewal.
    pub left_ms: u64,
}

/// A row of the table of runs.
pub(super) struct RunRow {
    pub(super) run: RunRecord,
    pub(super) lease: RunLease,
    pub(super) fence: i64,
}

pub(super) const COLUMNS: &str = "id, plan_id, plan_digest, plan, inputs, role, who, seed, build, profile, state, created_ms, changed_ms,
    pinned, collected, lease_owner, lease_fence, lease_until_ms, lease_up_ms, cancel_ms, parent";

impl SqlColumns for RunRow {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        let text = |place| column_value::<String>(row, place);
        let handle = |place| Ok::<_, rusqlite::Error>(handle_of(&text(place)?));
        let owner: Option<String> = column_value(row, 15)?;
        Ok(Self {
            run: RunRecord {
                id: text(0)?,
                parent: column_value(row, 20)?,
                plan_id: text(1)?,
                plan_digest: text(2)?,
                plan: handle(3)?,
                inputs: handle(4)?,
                role: text(5)?,
                who: parse_or_text(&text(6)?),
                seed: text(7)?.parse().unwrap_or(0),
                build: text(8)?,
                profile: text(9)?,
                state: RunState::parse(&text(10)?).unwrap_or(RunState::NeedsDecision),
                created_ms: column_value(row, 11)?,
                changed_ms: column_value(row, 12)?,
                pinned: column_value(row, 13)?,
                collected: column_value(row, 14)?,
                cancel_asked: column_value::<Option<u64>>(row, 19)?.is_some(),
                holder: None,
            },
            lease: RunLease {
                owner: owner.as_deref().and_then(LeaseOwner::parse),
                until: LeaseTime {
                    unix_ms: column_value(row, 17)?,
                    up_ms: column_value(row, 18)?,
                },
            },
            fence: column_value(row, 16)?,
        })
    }
}

impl RunRow {
    /// Whether a stored header matches this row. Headers of before version 10 do not name a parent.
    pub(super) fn is_headed(&self, header: &str) -> bool {
        header == self.header() || header == self.header_of(None)
    }

    /// The text that the first hash of the chain covers.
    pub(super) fn header(&self) -> String {
        self.header_of(self.run.parent.as_deref())
    }

    fn header_of(&self, parent: Option<&str>) -> String {
        let run = &self.run;
        let header = object! {
            "build" => run.build.as_str(),
            "inputs" => run.inputs.to_value(),
            "kind" => "run",
            "opened_ms" => run.created_ms,
            "plan" => run.plan.to_value(),
            "plan_digest" => run.plan_digest.as_str(),
            "plan_id" => run.plan_id.as_str(),
            "profile" => run.profile.as_str(),
            "role" => run.role.as_str(),
            "seed" => run.seed.to_string(),
            "session" => run.id.as_str(),
            "who" => run.who.clone(),
        };
        let mut members = header.as_object().cloned().unwrap_or_default();
        if let Some(parent) = parent {
            members.insert("parent", parent);
        }
        json::canonical_json(&Value::Object(members.into()))
    }

    pub(super) fn insert(&self, transaction: &Transaction<'_>) -> rusqlite::Result<()> {
        let run = &self.run;
        let sql = format!(
            "INSERT INTO runs({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, ?)"
        );
        transaction.prepare_cached(&sql)?.execute(params![
            run.id,
            run.plan_id,
            run.plan_digest,
            json::to_text(&run.plan.to_value()),
            json::to_text(&run.inputs.to_value()),
            run.role,
            json::canonical_json(&run.who),
            run.seed.to_string(),
            run.build,
            run.profile,
            run.state.as_str(),
            run.created_ms as i64,
            run.changed_ms as i64,
            run.pinned,
            run.collected,
            self.lease.owner.as_ref().map(LeaseOwner::to_text),
            self.fence,
            self.lease.until.unix_ms as i64,
            self.lease.until.up_ms as i64,
            run.parent,
        ])?;
        Ok(())
    }
}

fn parse_or_text(text: &str) -> Value {
    json::parse_json(text, json::JsonLimits::default()).unwrap_or_else(|_| Value::from(text))
}

/// A handle in a row; for a damaged one the header of the chain differs.
fn handle_of(text: &str) -> ArtifactHandle {
    ArtifactHandle::parse(text).unwrap_or(ArtifactHandle::small(ArtifactHash([0; 32])))
}

/// Finds the row of a run.
pub(super) fn find_run_row(connection: &Connection, id: &str) -> rusqlite::Result<Option<RunRow>> {
    let sql = format!("SELECT {COLUMNS} FROM runs WHERE id = ?");
    sql::first_row(connection, &sql, [id])
}

/// Whether the chain confirms the state in the row: the newest record of a run that is not running names it.
pub(super) fn is_confirmed(connection: &Connection, row: &RunRow) -> rusqlite::Result<bool> {
    const SQL: &str = "SELECT body FROM events WHERE session = ? ORDER BY sequence DESC LIMIT 1";
    let state = row.run.state;
    if state == RunState::Running {
        return Ok(true);
    }
    let body: Option<String> = sql::first_row(connection, SQL, [&row.run.id])?;
    let record = body.map(|body| parse_or_text(&body)).unwrap_or_default();
    let text = |key| record.get(key).and_then(Value::as_str);
    Ok(text("kind") == Some("state") && text("state") == Some(state.as_str()))
}
