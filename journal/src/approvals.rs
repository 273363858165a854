//! Approval requests: filed by calls, answered by a person, consumed by exactly one call.

use std::sync::Arc;

use rusqlite::{Connection, Row, Transaction, params};
use tool_core::capability::{ApprovalRequest, ApprovalState};
use tool_core::{ErrorCode, Object, ToolError, Value, json};

use super::grants;
use super::ledger::{How, Shared};
use super::open::Target;
use super::random;
use super::sql::{self, Done};
use super::state::State;

/// An approval request and its state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approval {
    /// Twelve hex digits; any unique prefix names it.
    pub id: String,
    /// Canonical id of the tool.
    pub tool: String,
    /// Role of the caller.
    pub role: String,
    /// Agent of the caller.
    pub agent: Option<String>,
    /// The condition of a rule that would match this call, as JSON; `None` where no rule could be that exact.
    pub condition: Option<String>,
    /// Root of the workspace of the call.
    pub workspace: Option<String>,
    /// A preview of the arguments, secrets redacted.
    pub preview: String,
    /// Whether the preview leaves out some of the arguments.
    pub cut: bool,
    /// The reason for asking.
    pub reason: String,
    /// `pending`, `granted`, `declined`, `expired` or `consumed`.
    pub state: String,
    /// Time of the request, in milliseconds since 1970-01-01 UTC.
    pub created_ms: u64,
    /// Time at which it expires, answered or not.
    pub expires_ms: u64,
    /// Name of the approver.
    pub decided_by: Option<String>,
    /// Time of the answer.
    pub decided_ms: Option<u64>,
    /// Id of the run, for a step of a plan.
    pub run: Option<String>,
    /// The step: `step`, `step[3]`.
    pub step: Option<String>,
}

/// The name of an approver without a key.
pub const WITHOUT_KEY: &str = "terminal";

const COLUMNS: &str = "id, tool, role, preview, reason, state, created_ms, expires_ms, decided_by, decided_ms, digest, agent, condition, run, step, workspace, cut";

impl Approval {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            id: row.get(0)?,
            tool: row.get(1)?,
            role: row.get(2)?,
            agent: row.get(11)?,
            condition: row.get(12)?,
            workspace: row.get(15)?,
            preview: row.get(3)?,
            cut: row.get(16)?,
            reason: row.get(4)?,
            state: row.get(5)?,
            created_ms: sql::ms_at(row, 6)?,
            expires_ms: sql::ms_at(row, 7)?,
            decided_by: row.get(8)?,
            decided_ms: row.get::<_, Option<i64>>(9)?.map(i64::unsigned_abs),
            run: row.get(13)?,
            step: row.get(14)?,
        })
    }
}

impl Approval {
    /// Marks a request as expired whose time has passed.
    fn age(&mut self, now_ms: u64) {
        if matches!(&*self.state, "pending" | "granted") && self.expires_ms <= now_ms {
            self.state = "expired".to_owned();
        }
    }
}

/// The answer of a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Decision {
    Granted,
    Declined,
    /// Granted by a rule for all calls like it; the request itself lets none through.
    Recorded,
}

impl Decision {
    fn as_str(self) -> &'static str {
        match self {
            Self::Granted => "granted",
            Self::Declined => "declined",
            Self::Recorded => "recorded",
        }
    }

    /// The state of the approval afterwards.
    fn state(self) -> &'static str {
        match self {
            Self::Recorded => "consumed",
            other => other.as_str(),
        }
    }
}

impl State {
    /// Lists pending approval requests, or all; newest first.
    ///
    /// # Errors
    /// `tool_error` when the state cannot be read.
    pub fn approvals(&self, all: bool, count_max: usize) -> Result<Vec<Approval>, ToolError> {
        let now_ms = self.shared.clock.unix_ms();
        let sql = format!(
            "SELECT {COLUMNS} FROM approvals WHERE ?1 OR (state = 'pending' AND expires_ms > ?2) ORDER BY number DESC LIMIT ?3"
        );
        let mut listed = self.shared.read("list the approvals", |connection| {
            let params = params![all, now_ms as i64, sql::limit(count_max)];
            Ok(sql::rows(connection, &sql, params, Approval::read)?)
        })?;
        for approval in &mut listed {
            approval.age(now_ms);
        }
        Ok(listed)
    }

    /// Finds a pending approval request by its id or a unique prefix of it.
    ///
    /// # Errors
    /// As [`State::approve`].
    pub fn waiting(&self, id: &str) -> Result<Approval, ToolError> {
        self.shared
            .transact("look for the approval", |transaction, now_ms| {
                expire(transaction, now_ms)?;
                let (found, _) = find(transaction, id)?;
                match &*found.state {
                    "pending" => Ok((found, None)),
                    _ => Err(settled(&found).into()),
                }
            })
    }

    /// Finds an approval request by its id or a unique prefix of it; with the details of its call, which are retained until it is answered
    /// or expires.
    ///
    /// # Errors
    /// `invalid_args` for an id that is unknown or the beginning of several.
    pub fn approval(&self, id: &str) -> Result<(Approval, Option<Value>), ToolError> {
        const SQL: &str = "SELECT details FROM approvals WHERE id = ?";
        let now_ms = self.shared.clock.unix_ms();
        let (mut found, details) = self.shared.read("look for the approval", |connection| {
            let (found, _) = find(connection, id)?;
            let details = sql::row(connection, SQL, [&found.id], |row| row.get(0))?;
            Ok((found, details.flatten()))
        })?;
        found.age(now_ms);
        let details: Option<String> = details.filter(|_| found.state == "pending");
        let details = details.and_then(|text| json::parse(&text, json::Limits::default()).ok());
        Ok((found, details))
    }

    /// Grants a pending request: the same call, sent again, then runs once. The answer is recorded in the audit log.
    ///
    /// # Errors
    /// `invalid_args` for an unknown id or a prefix of several, `conflict` for a request that is no longer pending, `policy_denied` when
    /// an agent would answer its own request.
    pub fn approve(&self, id: &str, by: &str) -> Result<Approval, ToolError> {
        self.shared.decide(id, by, Decision::Granted)
    }

    /// Settles a pending request by a rule that allows such calls from now on: the request itself lets none through.
    ///
    /// # Errors
    /// As [`State::approve`].
    pub fn approve_by_rule(&self, id: &str, by: &str) -> Result<Approval, ToolError> {
        self.shared.decide(id, by, Decision::Recorded)
    }

    /// Declines a pending request, or revokes an unused grant: the same call is refused until the request would have expired.
    ///
    /// # Errors
    /// As [`State::approve`].
    pub fn decline(&self, id: &str, by: &str) -> Result<Approval, ToolError> {
        self.shared.decide(id, by, Decision::Declined)
    }
}

impl Shared {
    /// Settles the approval of a call; an intent that consumes one is appended to the target's chain and names it.
    pub(super) fn settle(
        &self,
        target: Target<'_>,
        request: &ApprovalRequest,
        intent: &Value,
    ) -> Result<ApprovalState, ToolError> {
        let lifetime_ms = self.approval_lifetime_ms();
        let (state, _) = self.transact_on(
            target,
            How::SYNCED,
            "settle the approval",
            |transaction, now_ms| {
                let state = settle_in(transaction, request, now_ms, lifetime_ms)?;
                let record = match &state {
                    ApprovalState::Consumed { id, approved_by } => {
                        let mut record = intent.as_object().cloned().unwrap_or_else(Object::new);
                        record.insert("approval_id", id.as_str());
                        record.insert("approved_by", approved_by.as_str());
                        Some(Value::Object(Arc::new(record)))
                    }
                    _ => None,
                };
                Ok((state, record))
            },
        )?;
        Ok(state)
    }

    fn decide(&self, id: &str, by: &str, decision: Decision) -> Result<Approval, ToolError> {
        const SQL: &str = "UPDATE approvals SET state = ?, decided_by = ?, decided_ms = ?, decided_in = ?, details = NULL WHERE id = ?";
        let session = self.lock().chains.own.session.clone();
        self.transact("answer the approval", |transaction, now_ms| {
            expire(transaction, now_ms)?;
            let (found, digest) = find(transaction, id)?;
            let takes_back = found.state == "granted" && decision == Decision::Declined;
            if found.state != "pending" && !takes_back {
                return Err(settled(&found).into());
            }
            if found.agent.as_deref() == Some(by) {
                let message = format_args!(
                    "`{by}` asks for approval `{}` and cannot answer it",
                    found.id
                );
                return Err(ToolError::new(ErrorCode::PolicyDenied, message)
                    .reason("approver")
                    .hint("a person answers, with `mathchain approve` or `mathchain deny`")
                    .into());
            }
            let params = params![decision.state(), by, now_ms as i64, session, found.id];
            sql::execute(transaction, SQL, params)?;
            let record = Value::object([
                ("event", Value::from("approval")),
                ("approval_id", Value::from(found.id.as_str())),
                ("decision", Value::from(decision.as_str())),
                ("decided_by", Value::from(by)),
                ("tool", Value::from(found.tool.as_str())),
                ("role", Value::from(found.role.as_str())),
                ("agent", Value::from(found.agent.clone())),
                ("digest", Value::from(digest)),
            ]);
            let approval = Approval {
                state: decision.state().to_owned(),
                decided_by: Some(by.to_owned()),
                decided_ms: Some(now_ms),
                ..found
            };
            Ok((approval, Some(record)))
        })
    }
}

fn settled(found: &Approval) -> ToolError {
    let message = format_args!(
        "approval `{}` is no longer pending: it is {}",
        found.id, found.state
    );
    ToolError::new(ErrorCode::Conflict, message)
        .reason("settled")
        .hint("call again to request a new approval")
}

/// Expires the approvals that were not answered or used in time.
fn expire(transaction: &Transaction<'_>, now_ms: u64) -> rusqlite::Result<usize> {
    const SQL: &str = "UPDATE approvals SET state = 'expired', details = NULL WHERE state IN ('pending', 'granted') AND expires_ms <= ?";
    sql::execute(transaction, SQL, [now_ms as i64])
}

/// The newest approval of a call.
struct Newest {
    id: String,
    state: String,
    decided_by: Option<String>,
    expires_ms: u64,
    told: bool,
}

/// Answers a request from the newest approval of its digest; files a new one where there is none, or its outcome was reported.
fn settle_in(
    transaction: &Transaction<'_>,
    request: &ApprovalRequest,
    now_ms: u64,
    lifetime_ms: u64,
) -> Done<ApprovalState> {
    const NEWEST: &str = "SELECT id, state, decided_by, expires_ms, told FROM approvals WHERE digest = ? ORDER BY number DESC LIMIT 1";
    expire(transaction, now_ms)?;
    let newest = sql::row(transaction, NEWEST, [&request.digest], |row| {
        Ok(Newest {
            id: row.get(0)?,
            state: row.get(1)?,
            decided_by: row.get(2)?,
            expires_ms: sql::ms_at(row, 3)?,
            told: row.get(4)?,
        })
    })?;
    let mark = |id: &str, change: &str| {
        let sql = format!("UPDATE approvals SET {change} WHERE id = ?");
        sql::execute(transaction, &sql, [id])
    };
    if let Some(Newest {
        id,
        state,
        decided_by,
        expires_ms,
        told,
    }) = newest
    {
        match &*state {
            // A grant without a key does not count once approvers are configured.
            "granted" if request.by_key && decided_by.as_deref() == Some(WITHOUT_KEY) => {
                mark(&id, "state = 'expired', told = 1")?;
            }
            "granted" => {
                if !grants::is_recorded(transaction, &id)? {
                    return Err(grants::unrecorded(&id).into());
                }
                mark(&id, "state = 'consumed'")?;
                let approved_by = decided_by.unwrap_or_default();
                return Ok(ApprovalState::Consumed { id, approved_by });
            }
            "pending" => return Ok(ApprovalState::Pending(id)),
            // A denial lasts until the request would have expired, so that asking again at once does not evade it.
            "declined" if now_ms < expires_ms => return Ok(ApprovalState::Declined(id)),
            // Reported once, so that the caller learns the reason; then it may ask again.
            "expired" if !told => {
                mark(&id, "told = 1")?;
                return Ok(ApprovalState::Expired(id));
            }
            _ => {}
        }
    }
    file(transaction, request, now_ms, lifetime_ms)
}

fn file(
    transaction: &Transaction<'_>,
    request: &ApprovalRequest,
    now_ms: u64,
    lifetime_ms: u64,
) -> Done<ApprovalState> {
    const SQL: &str = "INSERT INTO approvals(id, digest, tool, role, preview, reason, state, created_ms, expires_ms, agent, condition, run, step, workspace, cut, details)
         VALUES (?, ?, ?, ?, ?, ?, 'pending', ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    let id = random::id();
    let expires_ms = now_ms.saturating_add(lifetime_ms).min(i64::MAX as u64);
    let params = params![
        id,
        request.digest,
        request.tool,
        request.role,
        request.preview,
        request.reason,
        now_ms as i64,
        expires_ms as i64,
        request.agent,
        (!request.condition.is_null()).then(|| json::to_text(&request.condition)),
        request.step.as_ref().map(|(run, _)| run),
        request.step.as_ref().map(|(_, step)| step),
        request.workspace,
        request.cut,
        kept_details(&request.details),
    ];
    sql::execute(transaction, SQL, params)?;
    Ok(ApprovalState::Pending(id))
}

/// The details as text, without arguments that are too long to store.
fn kept_details(details: &Value) -> Option<String> {
    const BYTES_MAX: usize = 16 << 20;
    if details.is_null() {
        return None;
    }
    let text = json::to_text(details);
    if text.len() <= BYTES_MAX {
        return Some(text);
    }
    let mut members = details.as_object().cloned().unwrap_or_else(Object::new);
    members.insert("arguments", Value::Null);
    members.insert("arguments_bytes", text.len());
    Some(json::to_text(&Value::Object(Arc::new(members))))
}

/// Finds an approval by its id or a unique prefix of it; returns its digest too.
fn find(connection: &Connection, id: &str) -> Done<(Approval, String)> {
    const SHOWN_MAX: usize = 5;
    let sql = format!(
        "SELECT {COLUMNS} FROM approvals WHERE substr(id, 1, length(?1)) = ?1 ORDER BY number DESC LIMIT 6"
    );
    let mut found: Vec<(Approval, String)> = sql::rows(connection, &sql, [id], |row| {
        Ok((Approval::read(row)?, row.get(10)?))
    })?;
    if id.is_empty() || found.is_empty() {
        let message = format_args!("no approval has the id `{id}`");
        return Err(ToolError::new(ErrorCode::InvalidArgs, message)
            .reason("unknown_approval")
            .hint("`mathchain approvals list` shows pending approvals")
            .into());
    }
    if found.len() > 1 {
        let shown = found.iter().take(SHOWN_MAX);
        let ids: Vec<String> = shown.map(|(found, _)| format!("`{}`", found.id)).collect();
        let message = format_args!("several approvals begin with `{id}`: {}", ids.join(", "));
        return Err(ToolError::new(ErrorCode::InvalidArgs, message)
            .reason("ambiguous_approval")
            .hint("give more of the id")
            .into());
    }
    Ok(found.remove(0))
}
