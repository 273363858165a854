//! Approvals: filed by calls, answered by a person, used up by exactly one call.

use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};
use tool_core::capability::{ApprovalRequest, ApprovalState};
use tool_core::{ErrorCode, Object, ToolError, Value, json};

use super::State;
use super::grants;
use super::ledger::{How, Shared};
use super::open::Target;
use super::random;

/// One request for approval and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approval {
    /// Its id; any unique beginning names it.
    pub id: String,
    /// Canonical id of the tool.
    pub tool: String,
    /// Role of the caller.
    pub role: String,
    /// Agent of the caller.
    pub agent: Option<String>,
    /// What a rule about this call would match, as JSON; `None` where no rule could be that exact.
    pub condition: Option<String>,
    /// The root of the workspace that the call works in.
    pub workspace: Option<String>,
    /// The arguments in short, secrets redacted.
    pub preview: String,
    /// Whether the preview leaves out some of the arguments.
    pub cut: bool,
    /// Why a person is asked.
    pub reason: String,
    /// `pending`, `granted`, `declined`, `expired` or `consumed`.
    pub state: String,
    /// When it was filed, in milliseconds since 1970-01-01 UTC.
    pub created_ms: u64,
    /// When it ends, answered or not.
    pub expires_ms: u64,
    /// Who answered.
    pub decided_by: Option<String>,
    /// When.
    pub decided_ms: Option<u64>,
    /// The run that asks, if one does.
    pub run: Option<String>,
    /// Its step: `step`, `step[3]`.
    pub step: Option<String>,
}

/// Who answers without a key.
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
            created_ms: row.get::<_, i64>(6)?.unsigned_abs(),
            expires_ms: row.get::<_, i64>(7)?.unsigned_abs(),
            decided_by: row.get(8)?,
            decided_ms: row.get::<_, Option<i64>>(9)?.map(i64::unsigned_abs),
            run: row.get(13)?,
            step: row.get(14)?,
        })
    }
}

impl Approval {
    /// Time passes without a record of it.
    fn age(&mut self, now_ms: u64) {
        if matches!(&*self.state, "pending" | "granted") && self.expires_ms <= now_ms {
            self.state = "expired".to_owned();
        }
    }
}

/// What a person answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Decision {
    Granted,
    Declined,
    /// Granted for all calls like it, by a rule; nothing is left for one call.
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
    /// The approvals, newest first: those that wait, or all (at most `count_max`).
    ///
    /// # Errors
    /// `tool_error` when the state cannot be read.
    pub fn approvals(&self, all: bool, count_max: usize) -> Result<Vec<Approval>, ToolError> {
        let now_ms = self.shared.clock.unix_ms();
        let core = self.shared.lock();
        let sql = format!(
            "SELECT {COLUMNS} FROM approvals WHERE ?1 OR (state = 'pending' AND expires_ms > ?2) ORDER BY number DESC LIMIT ?3"
        );
        let listed = core.connection.prepare_cached(&sql).and_then(|mut query| {
            let limit = i64::try_from(count_max).unwrap_or(i64::MAX);
            query
                .query_map(params![all, now_ms as i64, limit], Approval::read)?
                .collect::<rusqlite::Result<Vec<_>>>()
        });
        let mut listed = listed.map_err(|err| self.shared.fail("list the approvals", &err))?;
        for approval in &mut listed {
            approval.age(now_ms);
        }
        Ok(listed)
    }

    /// The waiting approval that an id, or its beginning, names.
    ///
    /// # Errors
    /// As [`State::approve`].
    pub fn waiting(&self, id: &str) -> Result<Approval, ToolError> {
        const ACTION: &str = "look for the approval";
        let (approval, _) = self.shared.transact(ACTION, |transaction, now_ms| {
            let fail = |err: rusqlite::Error| self.shared.fail(ACTION, &err);
            expire(transaction, now_ms).map_err(fail)?;
            let (found, _) = find(transaction, id).map_err(fail)??;
            if found.state == "pending" {
                Ok((found, None))
            } else {
                Err(settled(&found))
            }
        })?;
        Ok(approval)
    }

    /// The approval that an id, or its beginning, names; with all that its call is about, which is kept until it is answered or has
    /// expired.
    ///
    /// # Errors
    /// `invalid_args` for an id that is unknown or the beginning of several.
    pub fn approval(&self, id: &str) -> Result<(Approval, Option<Value>), ToolError> {
        const ACTION: &str = "look for the approval";
        let fail = |err: rusqlite::Error| self.shared.fail(ACTION, &err);
        let now_ms = self.shared.clock.unix_ms();
        let core = self.shared.lock();
        let (mut found, _) = find(&core.connection, id).map_err(fail)??;
        let details: Option<String> = core
            .connection
            .query_row(
                "SELECT details FROM approvals WHERE id = ?",
                [&found.id],
                |row| row.get(0),
            )
            .map_err(fail)?;
        drop(core);
        found.age(now_ms);
        let details = details.filter(|_| found.state == "pending");
        let details = details.and_then(|text| json::parse(&text, json::Limits::default()).ok());
        Ok((found, details))
    }

    /// Grants a waiting approval: the same call, sent again, then runs once. The answer is itself a record of the audit.
    ///
    /// # Errors
    /// `invalid_args` for an id that is unknown or the beginning of several, `conflict` for one that does not wait any more,
    /// `policy_denied` when who asks would answer itself.
    pub fn approve(&self, id: &str, by: &str) -> Result<Approval, ToolError> {
        self.shared.decide(id, by, Decision::Granted)
    }

    /// Settles a waiting approval by a rule that lets such calls through from now on: the approval itself lets none through.
    ///
    /// # Errors
    /// As [`State::approve`].
    pub fn approve_by_rule(&self, id: &str, by: &str) -> Result<Approval, ToolError> {
        self.shared.decide(id, by, Decision::Recorded)
    }

    /// Declines a waiting approval, or takes back one that was granted and not used: the same call is refused until the approval
    /// would have expired.
    ///
    /// # Errors
    /// As [`State::approve`].
    pub fn decline(&self, id: &str, by: &str) -> Result<Approval, ToolError> {
        self.shared.decide(id, by, Decision::Declined)
    }
}

impl Shared {
    /// The intent goes to the end of the target's chain, and names the approval that it used up.
    pub(super) fn settle(
        &self,
        target: Target<'_>,
        request: &ApprovalRequest,
        intent: &Value,
    ) -> Result<ApprovalState, ToolError> {
        const ACTION: &str = "settle the approval";
        let lifetime_ms = self.approval_lifetime_ms();
        let (state, _) = self.transact_on(target, How::SYNCED, ACTION, |transaction, now_ms| {
            let state = settle_in(transaction, request, now_ms, lifetime_ms)
                .map_err(|err| self.fail(ACTION, &err))??;
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
        })?;
        Ok(state)
    }

    fn decide(&self, id: &str, by: &str, decision: Decision) -> Result<Approval, ToolError> {
        const ACTION: &str = "answer the approval";
        let session = self.lock().chains.own.session.clone();
        let (approval, _) = self.transact(ACTION, |transaction, now_ms| {
            let fail = |err: rusqlite::Error| self.fail(ACTION, &err);
            expire(transaction, now_ms).map_err(fail)?;
            let (found, digest) = find(transaction, id).map_err(fail)??;
            let takes_back = found.state == "granted" && decision == Decision::Declined;
            if found.state != "pending" && !takes_back {
                return Err(settled(&found));
            }
            if found.agent.as_deref() == Some(by) {
                let message = format_args!(
                    "`{by}` asks for approval `{}` and cannot answer it",
                    found.id
                );
                return Err(ToolError::new(ErrorCode::PolicyDenied, message)
                    .reason("approver")
                    .hint("a person answers, with `mathchain approve` or `mathchain deny`"));
            }
            transaction
                .execute(
                    "UPDATE approvals SET state = ?, decided_by = ?, decided_ms = ?, decided_in = ?, details = NULL WHERE id = ?",
                    params![decision.state(), by, now_ms as i64, session, found.id],
                )
                .map_err(fail)?;
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
        })?;
        Ok(approval)
    }
}

fn settled(found: &Approval) -> ToolError {
    let message = format_args!(
        "approval `{}` does not wait any more: it is {}",
        found.id, found.state
    );
    ToolError::new(ErrorCode::Conflict, message)
        .reason("settled")
        .hint("call again to request a new approval")
}

/// Ends what nobody answered or used in time.
fn expire(transaction: &Transaction<'_>, now_ms: u64) -> rusqlite::Result<usize> {
    transaction
        .prepare_cached(
            "UPDATE approvals SET state = 'expired', details = NULL WHERE state IN ('pending', 'granted') AND expires_ms <= ?",
        )?
        .execute([now_ms as i64])
}

/// The answer to a request, from the newest approval of its digest; without one, or when its story has ended and been told, a
/// new one is filed.
fn settle_in(
    transaction: &Transaction<'_>,
    request: &ApprovalRequest,
    now_ms: u64,
    lifetime_ms: u64,
) -> rusqlite::Result<Result<ApprovalState, ToolError>> {
    expire(transaction, now_ms)?;
    let newest = transaction
        .prepare_cached(
            "SELECT id, state, decided_by, expires_ms, told FROM approvals WHERE digest = ? ORDER BY number DESC LIMIT 1",
        )?
        .query_row([&request.digest], |row| {
            Ok((
                row.get::<_, String>(0)?,
                row.get::<_, String>(1)?,
                row.get::<_, Option<String>>(2)?,
                row.get::<_, i64>(3)?,
                row.get::<_, bool>(4)?,
            ))
        })
        .optional()?;
    let Some((id, state, decided_by, expires_ms, told)) = newest else {
        return file(transaction, request, now_ms, lifetime_ms).map(Ok);
    };
    let state = match &*state {
        "granted" => {
            // Given before approvers were configured: it does not count any more.
            if request.by_key && decided_by.as_deref() == Some(WITHOUT_KEY) {
                mark(
                    transaction,
                    "UPDATE approvals SET state = 'expired', told = 1 WHERE id = ?",
                    &id,
                )?;
                return file(transaction, request, now_ms, lifetime_ms).map(Ok);
            }
            if !grants::is_recorded(transaction, &id)? {
                return Ok(Err(grants::unrecorded(&id)));
            }
            mark(
                transaction,
                "UPDATE approvals SET state = 'consumed' WHERE id = ?",
                &id,
            )?;
            let approved_by = decided_by.unwrap_or_default();
            ApprovalState::Consumed { id, approved_by }
        }
        "pending" => ApprovalState::Pending(id),
        // A no holds as long as the question would have stood: asking again at once is not a way around it.
        "declined" if now_ms < expires_ms.unsigned_abs() => ApprovalState::Declined(id),
        // Told once, so that the caller learns why; then it may ask anew.
        "expired" if !told => {
            mark(
                transaction,
                "UPDATE approvals SET told = 1 WHERE id = ?",
                &id,
            )?;
            ApprovalState::Expired(id)
        }
        _ => file(transaction, request, now_ms, lifetime_ms)?,
    };
    Ok(Ok(state))
}

fn mark(transaction: &Transaction<'_>, sql: &str, id: &str) -> rusqlite::Result<usize> {
    transaction.prepare_cached(sql)?.execute([id])
}

fn file(
    transaction: &Transaction<'_>,
    request: &ApprovalRequest,
    now_ms: u64,
    lifetime_ms: u64,
) -> rusqlite::Result<ApprovalState> {
    let id = random::id();
    let expires_ms = now_ms.saturating_add(lifetime_ms).min(i64::MAX as u64);
    transaction
        .prepare_cached(
            "INSERT INTO approvals(id, digest, tool, role, preview, reason, state, created_ms, expires_ms, agent, condition, run, step, workspace, cut, details)
             VALUES (?, ?, ?, ?, ?, ?, 'pending', ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
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
        ])?;
    Ok(ApprovalState::Pending(id))
}

/// The details as text; without the arguments where those are too long to keep.
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

/// The approval that an id, or the beginning of one, names; with its digest.
fn find(
    transaction: &Connection,
    id: &str,
) -> rusqlite::Result<Result<(Approval, String), ToolError>> {
    const SHOWN_MAX: usize = 5;
    let sql = format!(
        "SELECT {COLUMNS} FROM approvals WHERE substr(id, 1, length(?1)) = ?1 ORDER BY number DESC LIMIT 6"
    );
    let mut query = transaction.prepare_cached(&sql)?;
    let mut found = query
        .query_map([id], |row| Ok((Approval::read(row)?, row.get(10)?)))?
        .collect::<rusqlite::Result<Vec<_>>>()?;
    if id.is_empty() || found.is_empty() {
        return Ok(Err(ToolError::new(
            ErrorCode::InvalidArgs,
            format_args!("no approval has the id `{id}`"),
        )
        .reason("unknown_approval")
        .hint("`mathchain approvals list` shows those that wait")));
    }
    if found.len() > 1 {
        let ids: Vec<String> = found
            .iter()
            .take(SHOWN_MAX)
            .map(|(approval, _): &(Approval, String)| format!("`{}`", approval.id))
            .collect();
        return Ok(Err(ToolError::new(
            ErrorCode::InvalidArgs,
            format_args!("several approvals begin with `{id}`: {}", ids.join(", ")),
        )
        .reason("ambiguous_approval")
        .hint("give more of the id")));
    }
    Ok(Ok(found.remove(0)))
}
