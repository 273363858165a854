//! A durable run: what it begins with, where it stands, and its row.

use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};
use tool_core::{ErrorCode, Object, ToolError, Value, json};

use super::lease::{Lease, Now, Owner};
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
    /// Whether somebody asked the process that works on it to cancel it.
    pub cancel_asked: bool,
    /// Who works on it now; `None` for nobody, also when who did died.
    pub holder: Option<Holder>,
}

impl Run {
    /// Whether what the run refers to is still kept.
    ///
    /// # Errors
    /// `precondition_failed` with reason `values_collected`.
    pub fn with_values(&self) -> Result<(), ToolError> {
        if !self.collected {
            return Ok(());
        }
        let message = format_args!(
            "the values of the run `{}` were collected by `mathchain runs gc`: there is nothing to go through again",
            self.id
        );
        Err(ToolError::new(ErrorCode::PreconditionFailed, message)
            .reason("values_collected")
            .hint("run the plan again for another run; `mathchain runs pin` keeps its values"))
    }
}

/// Member of the record of a call that names how it ended.
pub const END_KEY: &str = "end";
/// Member of the record of a chain that names its lists of steps and waves, where they are long.
pub const LISTS_KEY: &str = "lists";

/// The values that a record names, by member.
pub fn named_values(record: &Value) -> impl Iterator<Item = (&str, Handle)> {
    let members = record.as_object().into_iter().flat_map(Object::iter);
    members.filter_map(|(key, value)| Some((key, Handle::from_value(value)?)))
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
    pub(super) who: String,
    pub(super) lease: Lease,
    pub(super) fence: i64,
}

pub(super) const COLUMNS: &str = "id, plan_id, plan_digest, plan, inputs, role, who, seed, build, profile, state, created_ms, changed_ms,
    pinned, collected, lease_owner, lease_fence, lease_until_ms, lease_up_ms, cancel_ms";

impl RunRow {
    pub(super) fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
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

    pub(super) fn insert(&self, transaction: &Transaction<'_>) -> rusqlite::Result<()> {
        let run = &self.run;
        let sql = format!(
            "INSERT INTO runs({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)"
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
