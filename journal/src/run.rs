//! A durable run: its header, its state, and its row.

use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};
use tool_core::{ErrorCode, Object, ToolError, Value, json};

use super::lease::{Lease, Now, Owner};
use crate::artifacts::{self, ArtifactHash, Handle};

/// The state of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RunState {
    /// A process executes it, or died while doing so.
    Running,
    /// It waits for an approval, and can be resumed.
    Suspended,
    /// The outcome of an effect is unknown; a person decides.
    NeedsDecision,
    /// Every required step succeeded.
    Succeeded,
    /// A step failed.
    Failed,
    /// It was cancelled.
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

    /// The name in the file and in answers.
    pub const fn as_str(self) -> &'static str {
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

    /// Parses a name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == text)
    }

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
pub struct Run {
    /// Id of the run and name of its chain; any unique prefix names it.
    pub id: String,
    /// Id of the run whose step began this one.
    pub parent: Option<String>,
    /// The plan's own id.
    pub plan_id: String,
    /// Digest of the checked plan.
    pub plan_digest: String,
    /// The plan; missing after collection.
    pub plan: Handle,
    /// The inputs; missing after collection.
    pub inputs: Handle,
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
    pub holder: Option<Holder>,
}

impl Run {
    /// Checks that the values of the run still exist.
    ///
    /// # Errors
    /// `precondition_failed` with reason `values_collected`.
    pub fn with_values(&self) -> Result<(), ToolError> {
        if !self.collected {
            return Ok(());
        }
        let message = format_args!(
            "the values of the run `{}` were collected by `mathchain runs gc`, so it cannot be repeated",
            self.id
        );
        Err(ToolError::new(ErrorCode::PreconditionFailed, message)
            .reason("values_collected")
            .hint("run the plan again for another run; `mathchain runs pin` keeps its values"))
    }
}

/// Member of the record of a call: the handle of its outcome.
pub const END_KEY: &str = "end";
/// Member of the record of a chain: the handle of its lists of steps and waves, where they are long.
pub const LISTS_KEY: &str = "lists";

/// The handles in a record, by member.
pub fn named_values(record: &Value) -> impl Iterator<Item = (&str, Handle)> {
    let members = record.as_object().into_iter().flat_map(Object::iter);
    members.filter_map(|(key, value)| Some((key, Handle::from_value(value)?)))
}

/// The process that executes a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    /// Process id.
    pub process: u32,
    /// Remaining time of its lease in milliseconds, without a renewal.
    pub left_ms: u64,
}

/// A row of the table of runs.
pub(super) struct RunRow {
    pub(super) run: Run,
    pub(super) state: RunState,
    pub(super) who: String,
    pub(super) lease: Lease,
    pub(super) fence: i64,
}

pub(super) const COLUMNS: &str = "id, plan_id, plan_digest, plan, inputs, role, who, seed, build, profile, state, created_ms, changed_ms,
    pinned, collected, lease_owner, lease_fence, lease_until_ms, lease_up_ms, cancel_ms, parent";

impl RunRow {
    pub(super) fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        let who: String = row.get(6)?;
        let state = RunState::parse(&row.get::<_, String>(10)?).unwrap_or(RunState::NeedsDecision);
        let owner: Option<String> = row.get(15)?;
        let time = |column| row.get::<_, i64>(column).map(i64::unsigned_abs);
        Ok(Self {
            run: Run {
                id: row.get(0)?,
                parent: row.get(20)?,
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
                cancel_asked: row.get::<_, Option<i64>>(19)?.is_some(),
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

    /// Whether a stored header matches this row. Headers of before version 10 do not name a parent.
    pub(super) fn is_headed(&self, header: &str) -> bool {
        header == self.header()
            || self.run.parent.is_some() && header == self.header_without_parent()
    }

    /// The text that the first hash of the chain covers.
    pub(super) fn header(&self) -> String {
        match &self.run.parent {
            None => self.header_without_parent(),
            Some(parent) => json::canonical(&Value::object(
                self.members()
                    .into_iter()
                    .chain([("parent", Value::from(parent.as_str()))]),
            )),
        }
    }

    fn header_without_parent(&self) -> String {
        json::canonical(&Value::object(self.members()))
    }

    fn members(&self) -> [(&'static str, Value); 12] {
        let run = &self.run;
        let text = |text: &str| Value::from(text);
        [
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
        ]
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
            run.parent,
        ])?;
        Ok(())
    }
}

fn parsed(text: &str) -> Value {
    json::parse(text, json::Limits::default()).unwrap_or_else(|_| Value::from(text))
}

/// A handle in a row; for a damaged one the header of the chain differs.
fn handle_of(text: &str) -> Handle {
    Handle::from_value(&parsed(text)).unwrap_or(Handle {
        hash: ArtifactHash([0; 32]),
        kind: artifacts::Kind::Small,
    })
}

/// Finds the row of a run.
pub(super) fn row(connection: &Connection, id: &str) -> rusqlite::Result<Option<RunRow>> {
    connection
        .prepare_cached(&format!("SELECT {COLUMNS} FROM runs WHERE id = ?"))?
        .query_row([id], RunRow::read)
        .optional()
}

/// Whether the chain confirms the state in the row: the newest record of a run that is not running names it.
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
