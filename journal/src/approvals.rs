//! Approval requests: filed by calls, answered by a person, consumed by exactly one call.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use registry::WorkspaceId;
use rusqlite::{Connection, Transaction, params};
use tool_core::capability::{ApprovalFallback, ApprovalRequest, ApprovalState};
use tool_core::{Encode, ErrorCode, Result, ToolError, Value, fields, json, tool_error};

use super::grants;
use super::ledger::{CommitMode, LedgerShared};
use super::open::ChainTarget;
use super::random;
use super::scope::StateScope;
use super::sql::{self, Done, row_structs};
use super::state::StateStore;

row_structs! {
    /// An approval request and its state.
    #[derive(Debug, Clone, PartialEq, Eq, Encode)]
    pub Approval {
        /// Twelve hex digits; any unique prefix names it.
        pub id: String,
        /// Canonical id of the tool.
        pub tool: String,
        /// Role of the caller.
        pub role: String,
        /// Agent of the caller.
        pub agent: Option<String>,
        /// Root of the workspace of the call.
        pub workspace: Option<String>,
        /// `pending`, `granted`, `declined`, `expired` or `consumed`.
        pub state: String,
        /// A preview of the arguments, secrets redacted.
        pub preview: String,
        /// Whether the preview leaves out some of the arguments.
        pub cut: bool,
        /// The reason for asking.
        pub reason: String,
        /// Time of the request, in milliseconds since 1970-01-01 UTC.
        pub created_ms: u64,
        /// Time at which it expires, answered or not; what `fallback` says becomes of it then, where it still waits.
        pub expires_ms: u64,
        /// What becomes of it without a decision in time: `expire`, `deny`, or `keep`, which leaves it pending.
        pub fallback: String,
        /// Name of the approver.
        pub decided_by: Option<String>,
        /// Time of the answer.
        pub decided_ms: Option<u64>,
        /// Id of the run, for a step of a plan.
        pub run: Option<String>,
        /// The step: `step`, `step[3]`.
        pub step: Option<String>,
        /// The condition of a rule that would match this call, as JSON; `None` where no rule could be that exact.
        #[value(skip)]
        pub condition: Option<String>,
    }

    /// The newest approval of a call.
    Newest {
        id: String,
        state: String,
        decided_by: Option<String>,
        expires_ms: u64,
        decided_ms: Option<u64>,
        run: Option<String>,
        told: bool,
        edited: Option<String>,
    }
}

/// Most bytes of a call's details that are stored with a request, and of arguments that an approver gives.
const DETAILS_BYTES_MAX: usize = 16 << 20;

/// The name of an approver without a key.
pub const WITHOUT_KEY: &str = "terminal";

impl Approval {
    /// Marks a request whose time has passed as what it comes to.
    fn expire_at(&mut self, now_ms: u64) {
        if self.expires_ms > now_ms {
            return;
        }
        let state = match (&*self.state, &*self.fallback) {
            ("pending", "keep") => return,
            ("pending", "deny") => "declined",
            ("pending" | "granted", _) => "expired",
            _ => return,
        };
        state.clone_into(&mut self.state);
    }

    /// The time that is left to decide it, in milliseconds; `None` where nothing ends it, or it no longer waits.
    pub fn left_ms(&self, now_ms: u64) -> Option<u64> {
        let ends = self.state == "pending" && self.fallback != ApprovalFallback::Keep.as_str();
        ends.then(|| self.expires_ms.saturating_sub(now_ms))
    }
}

/// The decision on a request.
#[derive(Debug, Clone, Copy, PartialEq)]
enum ApprovalDecision<'a> {
    Granted,
    /// Granted for these arguments in place of the caller's.
    Edited(&'a Value),
    Declined,
    /// Declined, where it still waits.
    Refused,
    /// Granted by a rule for all calls like it; the request itself permits none.
    Recorded,
}

impl ApprovalDecision<'_> {
    /// Its name in the record, and the state of the approval afterwards.
    fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Granted | Self::Edited(_) => ("granted", "granted"),
            Self::Declined | Self::Refused => ("declined", "declined"),
            Self::Recorded => ("recorded", "consumed"),
        }
    }
}

impl StateStore {
    /// Lists pending approval requests, or all, of a folder or of every one; newest first.
    ///
    /// # Errors
    /// `tool_error` when the state cannot be read.
    pub fn approvals(
        &self,
        of: Option<&WorkspaceId>,
        all: bool,
        count_max: usize,
    ) -> Result<Vec<Approval>> {
        let scope = of.map_or_else(StateScope::default, |of| {
            StateScope::workspace(Some(of.clone()))
        });
        self.approvals_in(&scope, all, count_max)
    }

    /// As [`StateStore::approvals`], of a workspace.
    ///
    /// # Errors
    /// `tool_error` when the state cannot be read.
    pub fn approvals_in(
        &self,
        scope: &StateScope,
        all: bool,
        count_max: usize,
    ) -> Result<Vec<Approval>> {
        let now_ms = self.shared.clock.unix_ms();
        let sql = Approval::sql(
            "FROM approvals WHERE (?1 OR (state = 'pending' AND (expires_ms > ?2 OR fallback = 'keep'))) AND (?4 OR workspace IS ?5)
             ORDER BY number DESC LIMIT ?3",
        );
        let (_, every, _, root) = scope.params();
        let params = params![all, now_ms as i64, sql::row_limit(count_max), every, root];
        let mut listed: Vec<Approval> = self.shared.select("list the approvals", &sql, params)?;
        for approval in &mut listed {
            approval.expire_at(now_ms);
        }
        Ok(listed)
    }

    /// The ids of the pending requests of a run and of the runs within it, oldest first.
    ///
    /// # Errors
    /// `tool_error` when the state cannot be read.
    pub fn approvals_of_run(&self, run: &str) -> Result<Vec<String>> {
        const SQL: &str = "WITH RECURSIVE own(id) AS (SELECT ?1 UNION SELECT runs.id FROM runs JOIN own ON runs.parent = own.id)
             SELECT id FROM approvals WHERE run IN own AND state = 'pending' AND (expires_ms > ?2 OR fallback = 'keep') ORDER BY number";
        let now_ms = self.shared.clock.unix_ms() as i64;
        self.shared
            .select("list the approvals", SQL, params![run, now_ms])
    }

    /// The number of pending requests of a workspace.
    ///
    /// # Errors
    /// `tool_error` when the state cannot be read.
    pub fn approvals_pending(&self, scope: &StateScope) -> Result<u64> {
        const SQL: &str = "SELECT count(*) FROM approvals
             WHERE state = 'pending' AND (expires_ms > ?1 OR fallback = 'keep') AND (?2 OR workspace IS ?3)";
        let now_ms = self.shared.clock.unix_ms() as i64;
        let (_, every, _, root) = scope.params();
        let counted =
            self.shared
                .select("count the approvals", SQL, params![now_ms, every, root])?;
        Ok(counted.first().copied().unwrap_or_default())
    }

    /// Finds a pending approval request by its id or a unique prefix of it.
    ///
    /// # Errors
    /// As [`StateStore::approve`].
    pub fn waiting(&self, id: &str) -> Result<Approval> {
        self.shared
            .transact("look for the approval", |transaction, now_ms| {
                expire_approvals(transaction, now_ms)?;
                let mut found = find_approval(transaction, &StateScope::default(), id)?;
                found.expire_at(now_ms);
                match &*found.state {
                    "pending" => Ok((found, None)),
                    _ => Err(approval_settled_error(&found).into()),
                }
            })
    }

    /// Finds an approval request by its id or a unique prefix of it; with the details of its call, which are retained until it is answered
    /// or expires.
    ///
    /// # Errors
    /// `invalid_args` for an id that is unknown or the beginning of several.
    pub fn approval(&self, id: &str) -> Result<(Approval, Option<Value>)> {
        self.approval_in(&StateScope::default(), id)
    }

    /// As [`StateStore::approval`], among the requests of a workspace.
    ///
    /// # Errors
    /// As [`StateStore::approval`]: a request of another workspace is none.
    pub fn approval_in(&self, scope: &StateScope, id: &str) -> Result<(Approval, Option<Value>)> {
        const SQL: &str = "SELECT details FROM approvals WHERE id = ?";
        let now_ms = self.shared.clock.unix_ms();
        let (mut found, details) = self.shared.read("look for the approval", |connection| {
            let found = find_approval(connection, scope, id)?;
            let details: Option<Option<String>> = sql::first_row(connection, SQL, [&found.id])?;
            Ok((found, details.flatten()))
        })?;
        found.expire_at(now_ms);
        let details = details.filter(|_| found.state == "pending");
        let details =
            details.and_then(|text| json::parse_json(&text, json::JsonLimits::default()).ok());
        Ok((found, details))
    }

    /// Declares this process one of an approver: requests of its calls name no process group that may not approve them.
    pub fn act_for_approver(&self) {
        self.shared.by_approver.store(true, Ordering::Relaxed);
    }

    /// Grants a pending request: the same call, sent again, then runs once. The answer is recorded in the audit log.
    ///
    /// # Errors
    /// `invalid_args` for an unknown id or a prefix of several, `conflict` for a request that is no longer pending, `policy_denied` when
    /// an agent would answer its own request.
    pub fn approve(&self, id: &str, by: &str) -> Result<Approval> {
        self.approve_in(&StateScope::default(), id, by)
    }

    /// As [`StateStore::approve`], among the requests of a workspace.
    ///
    /// # Errors
    /// As [`StateStore::approve`].
    pub fn approve_in(&self, scope: &StateScope, id: &str, by: &str) -> Result<Approval> {
        self.shared.decide(scope, id, by, ApprovalDecision::Granted)
    }

    /// Grants a pending request of a workspace for other arguments: the same call, sent again, then runs once with these. The policy decides
    /// about them as about any call, and asks anew where they open or destroy files that the request did not show. The record has the
    /// digest of the arguments.
    ///
    /// # Errors
    /// As [`StateStore::approve`]; `invalid_args` for arguments that are no object, or larger than a request may be.
    pub fn approve_edited_in(
        &self,
        scope: &StateScope,
        id: &str,
        by: &str,
        arguments: &Value,
    ) -> Result<Approval> {
        if arguments.as_object().is_none() {
            return Err(
                tool_error!(InvalidArgs, "type"; "expected the arguments of a call, an object such as `{{\"path\": \"out.txt\"}}`")
                    .at("/arguments"),
            );
        }
        let bytes = json::to_text(arguments).len();
        if bytes > DETAILS_BYTES_MAX {
            return Err(tool_error!(InvalidArgs, "limit"; "the arguments have {bytes} bytes, at most {DETAILS_BYTES_MAX} are taken").at("/arguments"));
        }
        let decision = ApprovalDecision::Edited(arguments);
        self.shared.decide(scope, id, by, decision)
    }

    /// Settles a pending request by a rule that allows such calls from now on: the request itself lets none through.
    ///
    /// # Errors
    /// As [`StateStore::approve`].
    pub fn approve_by_rule(&self, id: &str, by: &str) -> Result<Approval> {
        self.shared
            .decide(&StateScope::default(), id, by, ApprovalDecision::Recorded)
    }

    /// Declines a pending request, or revokes an unused grant: the same call is refused until the request would have expired.
    ///
    /// # Errors
    /// As [`StateStore::approve`].
    pub fn decline(&self, id: &str, by: &str) -> Result<Approval> {
        self.decline_in(&StateScope::default(), id, by)
    }

    /// Declines a request of a workspace that is pending; the grant of another person is not revoked.
    ///
    /// # Errors
    /// As [`StateStore::approve`].
    pub fn decline_pending_in(&self, scope: &StateScope, id: &str, by: &str) -> Result<Approval> {
        self.shared.decide(scope, id, by, ApprovalDecision::Refused)
    }

    /// As [`StateStore::decline`], among the requests of a workspace.
    ///
    /// # Errors
    /// As [`StateStore::approve`].
    pub fn decline_in(&self, scope: &StateScope, id: &str, by: &str) -> Result<Approval> {
        self.shared
            .decide(scope, id, by, ApprovalDecision::Declined)
    }
}

impl LedgerShared {
    /// The process group of this process, which may not approve its own requests.
    fn requester(&self) -> Option<i32> {
        match self.by_approver.load(Ordering::Relaxed) {
            true => None,
            false => crate::process_group(),
        }
    }

    /// Settles the approval of a call; an intent that consumes one is appended to the target's chain and names it.
    pub(super) fn settle(
        &self,
        target: ChainTarget<'_>,
        request: &ApprovalRequest,
        intent: &Value,
    ) -> Result<ApprovalState> {
        self.deny_overdue()?;
        let work = |transaction: &Transaction<'_>, now_ms| {
            let state = settle_in(transaction, request, self.requester(), now_ms)?;
            let record = match &state {
                ApprovalState::Consumed { id, approved_by } => {
                    let mut record = intent.as_object().cloned().unwrap_or_default();
                    record.insert("approval_id", id.as_str());
                    record.insert("approved_by", approved_by.as_str());
                    Some(Value::Object(Arc::new(record)))
                }
                _ => None,
            };
            Ok((state, record))
        };
        Ok(self
            .transact_on(target, CommitMode::SYNCED, "settle the approval", work)?
            .0)
    }

    fn decide(
        &self,
        scope: &StateScope,
        id: &str,
        by: &str,
        decision: ApprovalDecision<'_>,
    ) -> Result<Approval> {
        const SQL: &str = "UPDATE approvals SET state = ?, decided_by = ?, decided_ms = ?, decided_in = ?, edited = ?, expires_ms = ?, details = NULL, condition = NULL WHERE id = ?";
        const DIGEST: &str = "SELECT digest FROM approvals WHERE id = ?";
        let (name, state) = decision.names();
        let edited = match decision {
            ApprovalDecision::Edited(arguments) => Some(json::to_text(arguments)),
            _ => None,
        };
        self.deny_overdue()?;
        let session = self.lock().chains.own.session.clone();
        self.transact("answer the approval", |transaction, now_ms| {
            expire_approvals(transaction, now_ms)?;
            let mut found = find_approval(transaction, scope, id)?;
            found.expire_at(now_ms);
            let digest: Option<String> = sql::first_row(transaction, DIGEST, [&found.id])?;
            let takes_back = found.state == "granted" && decision == ApprovalDecision::Declined;
            if found.state != "pending" && !takes_back {
                return Err(approval_settled_error(&found).into());
            }
            if found.agent.as_deref() == Some(by) {
                let id = &found.id;
                let message = format_args!("`{by}` asks for approval `{id}` and cannot answer it");
                let error = ToolError::new(ErrorCode::PolicyDenied, message).reason("approver");
                return Err(error
                    .hint("a person answers, with `mathchain approve` or `mathchain deny`")
                    .into());
            }
            // A request that stays open gets its time anew, so that the call can use the grant.
            let lifetime_ms = found.expires_ms.saturating_sub(found.created_ms);
            let expires_ms = match found.expires_ms <= now_ms {
                true => now_ms.saturating_add(lifetime_ms).min(i64::MAX as u64),
                false => found.expires_ms,
            };
            let params = params![
                state,
                by,
                now_ms as i64,
                session,
                &edited,
                expires_ms as i64,
                found.id
            ];
            sql::execute_statement(transaction, SQL, params)?;
            let mut record = fields! {
                "event" => "approval",
                "approval_id" => found.id.as_str(),
                "decision" => name,
                "decided_by" => by,
                "tool" => found.tool.as_str(),
                "role" => found.role.as_str(),
                "agent" => found.agent.clone(),
                "digest" => digest,
            };
            record.insert_some(
                "edited_digest",
                edited.as_deref().map(grants::edited_digest),
            );
            let approval = Approval {
                state: state.to_owned(),
                decided_by: Some(by.to_owned()),
                decided_ms: Some(now_ms),
                expires_ms,
                ..found
            };
            Ok((approval, Some(Value::from(record))))
        })
    }
}

fn approval_settled_error(found: &Approval) -> ToolError {
    let Approval { id, state, .. } = found;
    tool_error!(Conflict, "settled"; "approval `{id}` is no longer pending: it is {state}";
        "call again to request a new approval")
}

/// Expires the approvals that were not answered or used in time, but for those that stay open or are denied ([`LedgerShared::deny_overdue`]).
fn expire_approvals(transaction: &Transaction<'_>, now_ms: u64) -> rusqlite::Result<usize> {
    const SQL: &str = "UPDATE approvals SET state = 'expired', details = NULL, condition = NULL, edited = NULL WHERE (state = 'granted' OR state = 'pending' AND fallback = 'expire') AND expires_ms <= ?";
    sql::execute_statement(transaction, SQL, [now_ms as i64])
}

/// Answers a request from the newest approval of its digest; files a new one where there is none, or its outcome was reported.
fn settle_in(
    transaction: &Transaction<'_>,
    request: &ApprovalRequest,
    requester: Option<i32>,
    now_ms: u64,
) -> Done<ApprovalState> {
    let newest = Newest::sql("FROM approvals WHERE digest = ? ORDER BY number DESC LIMIT 1");
    expire_approvals(transaction, now_ms)?;
    // A call with the arguments that an approver gave uses the grant of the request that they were given for.
    let digest = request
        .edited
        .as_ref()
        .map_or(&request.digest, |edited| &edited.digest);
    let newest = sql::first_row(transaction, &newest, [digest])?;
    let mark = |id: &str, change: &str| {
        let sql = format!("UPDATE approvals SET {change} WHERE id = ?");
        sql::execute_statement(transaction, &sql, [id])
    };
    if let Some(Newest {
        id,
        state,
        decided_by,
        expires_ms,
        decided_ms,
        run,
        told,
        edited,
    }) = newest
    {
        let uses_grant = request.edited.as_ref().map(|edited| edited.id == id);
        if uses_grant == Some(false) || uses_grant.is_some() && state != "granted" {
            return Err(grant_used_error(&id).into());
        }
        match &*state {
            // A grant without a key does not count once approvers are configured.
            "granted" if request.by_key && decided_by.as_deref() == Some(WITHOUT_KEY) => {
                mark(
                    &id,
                    "state = 'expired', told = 1, details = NULL, condition = NULL, edited = NULL",
                )?;
            }
            "granted" => {
                if !grants::is_recorded(transaction, &id)? {
                    return Err(grants::grant_unrecorded(&id).into());
                }
                let approved_by = decided_by.unwrap_or_default();
                if let (Some(edited), None) = (edited, uses_grant) {
                    let arguments = json::parse_json(&edited, json::JsonLimits::default())
                        .map_err(|_| grants::grant_unrecorded(&id))?;
                    return Ok(ApprovalState::Edited {
                        id,
                        approved_by,
                        arguments,
                    });
                }
                mark(&id, "state = 'consumed', edited = NULL")?;
                return Ok(ApprovalState::Consumed { id, approved_by });
            }
            "pending" => return Ok(ApprovalState::Pending { id, is_new: false }),
            // Denied by its fallback: reported to a call once, then it may ask again; to the step of a run it is the answer.
            "declined" if decided_ms.is_some_and(|at| at >= expires_ms) => {
                if !told {
                    mark(&id, "told = 1")?;
                }
                if !told || run.is_some() {
                    return Ok(ApprovalState::TimedOut(id));
                }
            }
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
    match &request.edited {
        Some(edited) => Err(grant_used_error(&edited.id).into()),
        None => insert_request(transaction, request, requester, now_ms),
    }
}

fn grant_used_error(id: &str) -> ToolError {
    tool_error!(Conflict, "settled"; "approval `{id}` was used or taken back meanwhile"; "call again to request a new approval")
}

fn insert_request(
    transaction: &Transaction<'_>,
    request: &ApprovalRequest,
    requester: Option<i32>,
    now_ms: u64,
) -> Done<ApprovalState> {
    const SQL: &str = "INSERT INTO approvals(id, digest, tool, role, preview, reason, state, created_ms, expires_ms, agent, condition, run, step, workspace, cut, details, fallback)
         VALUES (?, ?, ?, ?, ?, ?, 'pending', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    let id = random::random_id();
    let expires_ms = now_ms
        .saturating_add(request.lifetime_ms)
        .min(i64::MAX as u64);
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
        kept_details(&request.details, requester),
        request.fallback.as_str(),
    ];
    sql::execute_statement(transaction, SQL, params)?;
    Ok(ApprovalState::Pending { id, is_new: true })
}

/// The details as text with the process group of the requester, without arguments that are too long to store.
fn kept_details(details: &Value, requester: Option<i32>) -> Option<String> {
    let mut members = details.as_object().cloned()?;
    members.insert("requester_group", requester.map(i64::from));
    let text = json::to_text(&Value::Object(Arc::new(members.clone())));
    if text.len() <= DETAILS_BYTES_MAX {
        return Some(text);
    }
    members.insert("arguments", Value::Null);
    members.insert("arguments_bytes", text.len());
    Some(json::to_text(&Value::Object(Arc::new(members))))
}

/// Finds an approval of a workspace by its id or a unique prefix of it.
fn find_approval(connection: &Connection, scope: &StateScope, id: &str) -> Done<Approval> {
    const SHOWN_MAX: usize = 5;
    let sql = Approval::sql(
        "FROM approvals WHERE substr(id, 1, length(?1)) = ?1 AND (?2 OR workspace IS ?3) ORDER BY number DESC LIMIT 6",
    );
    let (_, every, _, root) = scope.params();
    let mut found: Vec<Approval> = sql::all_rows(connection, &sql, params![id, every, root])?;
    if id.is_empty() || found.is_empty() {
        let error = tool_error!(InvalidArgs, "no approval has the id `{id}`");
        let error = error.reason("unknown_approval");
        return Err(error
            .hint("`mathchain approvals list` shows pending approvals")
            .into());
    }
    if found.len() > 1 {
        let shown = found.iter().take(SHOWN_MAX);
        let ids: Vec<String> = shown.map(|found| format!("`{}`", found.id)).collect();
        let message = format_args!("several approvals begin with `{id}`: {}", ids.join(", "));
        let error = ToolError::new(ErrorCode::InvalidArgs, message).reason("ambiguous_approval");
        return Err(error.hint("give more of the id").into());
    }
    Ok(found.remove(0))
}
