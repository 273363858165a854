//! `POST /console/decide`: grants and denies requests, alone or equal ones together.

use std::sync::Arc;

use axum::extract::{Extension, Request, State};
use axum::http::StatusCode;
use chain_runtime::run::{self as chains, ResumeRequest};
use journal::{Approval, RunState};
use maud::html;
use tool_core::brief::count_phrase;
use tool_core::json::{self, JsonLimits};
use tool_core::{Result, ToolError, Value, tool_error};

use super::super::approvals::{deciding_key, workspace_scope};
use super::super::chains as submitted;
use super::super::server::HttpServer;
use super::form::{self, FormFields};
use super::guard::{ConsoleVisit, redirect_response};
use super::inbox::{decided_card, sees_approvals};
use super::layout::{self, ConsolePage, ConsoleSection, PageReply};
use crate::people::grant::{grant_edited, grant_request, record_of};
use mathchain::approvers::{at_terminal, authenticate_approver};

/// Most requests that are decided at once.
const DECIDED_MAX: usize = 1000;

/// What a person decides.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RequestDecision {
    Approve,
    /// Approve, and continue the run.
    Resume,
    /// Approve for the arguments of the form.
    Edit,
    /// Record a rule that allows such calls.
    Always,
    Deny,
}

impl RequestDecision {
    fn parse(text: &str) -> Result<Self> {
        Ok(match text {
            "approve" => Self::Approve,
            "resume" => Self::Resume,
            "edit" => Self::Edit,
            "always" => Self::Always,
            "deny" => Self::Deny,
            other => {
                let shown: String = other.chars().take(40).collect();
                return Err(tool_error!(InvalidRequest, "decision"; "unknown decision `{shown}`"));
            }
        })
    }
}

/// The name under which a session decides a request.
///
/// # Errors
/// `policy_denied` for a session that does not: a key that approves nothing or calls as the role that asks, another role than the operator's
/// at the terminal, a process without a terminal or of the group that asks, approvers with keys.
pub(super) fn deciding_person(
    server: &HttpServer,
    visit: &ConsoleVisit,
    approval: &Approval,
    details: Option<&Value>,
) -> Result<String> {
    if !visit.is_terminal() {
        return deciding_key(&visit.session.caller, approval);
    }
    let by = person_at_terminal(server, visit)?;
    let group = details.and_then(|it| it.get("requester_group"));
    require_terminal(server, group.and_then(Value::as_i64))?;
    Ok(by)
}

/// The name under which the user at the terminal decides.
///
/// # Errors
/// As [`deciding_person`].
pub(super) fn person_at_terminal(server: &HttpServer, visit: &ConsoleVisit) -> Result<String> {
    let access = server
        .settings
        .console
        .as_ref()
        .and_then(|it| it.terminal());
    let Some(access) = access.filter(|_| visit.is_terminal() && sees_approvals(server, visit))
    else {
        return Err(
            tool_error!(PolicyDenied, "approver"; "only the operator at the terminal decides this";
            "`mathchain inbox answer` in a terminal answers it"),
        );
    };
    server.toolkit.check_origin()?;
    let from = server.toolkit.config().approvals.from;
    authenticate_approver(access.approver_key.as_deref(), from)
}

/// Requires, without an approver's key, that this process was started from a terminal and not by who asks.
///
/// # Errors
/// `policy_denied`.
pub(super) fn require_terminal(server: &HttpServer, group: Option<i64>) -> Result<()> {
    let access = server
        .settings
        .console
        .as_ref()
        .and_then(|it| it.terminal());
    match access.is_some_and(|it| it.approver_key.is_some()) {
        true => Ok(()),
        false => at_terminal(group),
    }
}

/// What was decided, and the runs that may continue.
struct DecisionReport {
    decided: usize,
    rule: Option<String>,
    /// Runs whose approvals were given.
    runs: Vec<String>,
    /// A request that somebody else decided first.
    settled: Option<Box<Approval>>,
}

/// Decides requests.
pub(super) async fn decide_requests(
    State(server): State<Arc<HttpServer>>,
    Extension(visit): Extension<ConsoleVisit>,
    request: Request,
) -> PageReply {
    let form = form::read_form(&server, &visit, request).await?;
    let decision = RequestDecision::parse(form.get("decision").unwrap_or_default())?;
    let visitor = visit.clone();
    let report = server
        .aside(move |server| decide_each(server, &visitor, &form, decision))
        .await?;
    let session = Arc::clone(&visit.session);
    if let Some(settled) = report.settled {
        let page = ConsolePage {
            title: "Decided already".to_owned(),
            section: ConsoleSection::Inbox,
            is_live: false,
            body: html! {
                h1 { "Another person was first" }
                p { "This request waits no longer, and your decision changed nothing." }
                (decided_card(&settled))
                p { a href="/console" { "To the inbox" } }
            },
        };
        let mut response = layout::page_response(&server, &visit, &page);
        *response.status_mut() = StatusCode::CONFLICT;
        return Ok(response);
    }
    let mut said = match decision {
        RequestDecision::Deny => format!(
            "Denied: {}.",
            count_phrase(report.decided as u64, "request")
        ),
        _ => format!(
            "Approved: {}.",
            count_phrase(report.decided as u64, "request")
        ),
    };
    if let Some(rule) = &report.rule {
        said.push_str(&format!(" Recorded the rule `{rule}`."));
    }
    let mut to = "/console".to_owned();
    let continues = matches!(decision, RequestDecision::Resume | RequestDecision::Edit);
    for run in report.runs {
        let is_wanted = continues && visit.is_terminal();
        match is_wanted {
            true => match continue_run(&server, &visit, &run).await {
                Ok(root) => to = format!("/console/runs/{root}"),
                Err(error) => said.push_str(&format!(
                    " The run {run} does not continue: {}.",
                    error.message()
                )),
            },
            // As over HTTP: a run that a server accepted goes on by itself.
            false if decision != RequestDecision::Deny => submitted::go_on(&server, run).await,
            false => {}
        }
    }
    session.tell(said);
    Ok(redirect_response(&to))
}

fn decide_each(
    server: &HttpServer,
    visit: &ConsoleVisit,
    form: &FormFields,
    decision: RequestDecision,
) -> Result<DecisionReport> {
    let (state, scope) = (server.records()?, workspace_scope(server));
    let mut report = DecisionReport {
        decided: 0,
        rule: None,
        runs: Vec::new(),
        settled: None,
    };
    for id in form.all("id").take(DECIDED_MAX) {
        let (found, details) = state.approval_in(&scope, id)?;
        let by = deciding_person(server, visit, &found, details.as_ref())?;
        let done = match decision {
            RequestDecision::Approve | RequestDecision::Resume => {
                state.approve_in(&scope, &found.id, &by)
            }
            RequestDecision::Edit => {
                let limits = JsonLimits {
                    bytes_max: server.body_bytes_max(),
                    ..JsonLimits::default()
                };
                let text = form.get("arguments").unwrap_or_default();
                let arguments = json::parse_json(text, limits)
                    .map_err(|error| ToolError::from(error).at("/arguments"))?;
                grant_edited(&server.toolkit, state, &scope, &found, &by, &arguments)
            }
            RequestDecision::Deny => state.decline_pending_in(&scope, &found.id, &by),
            RequestDecision::Always if found.state != "pending" => {
                Err(tool_error!(Conflict, "settled"; "it waits no longer"))
            }
            RequestDecision::Always => {
                person_at_terminal(server, visit)?;
                let rule = record_of(&server.toolkit, &found, details.as_ref())?;
                let folder = state.file();
                let folder = folder.parent().unwrap_or(&folder);
                let granted = grant_request(folder, state, &found, &by, Some(rule));
                granted.map(|(approval, recorded)| {
                    report.rule = recorded.map(|(_, words)| words);
                    approval
                })
            }
        };
        match done {
            Ok(approval) => {
                report.decided += 1;
                if let Some(run) = approval.run.filter(|run| !report.runs.contains(run)) {
                    report.runs.push(run);
                }
            }
            Err(error) if error.reason_str() == Some("settled") => {
                let (now, _) = state.approval_in(&scope, &found.id)?;
                report.settled = Some(Box::new(now));
                break;
            }
            Err(error) => return Err(error),
        }
    }
    if report.rule.is_some() {
        server.toolkit.reload()?;
    }
    match (report.decided, &report.settled) {
        (0, None) => Err(no_request_error()),
        _ => Ok(report),
    }
}

fn no_request_error() -> ToolError {
    tool_error!(InvalidRequest, "decision"; "the form names no request"; "open the inbox again")
}

/// Continues the run of an approved step, as soon as it waits for nothing else; gives the run around it.
async fn continue_run(server: &Arc<HttpServer>, visit: &ConsoleVisit, id: &str) -> Result<String> {
    let (id, caller) = (id.to_owned(), Arc::clone(&visit.session.caller));
    let found = server
        .aside(move |server| {
            let state = server.records()?;
            let found = state.run_in(&workspace_scope(server), &id)?;
            let found = chains::root_run(state, &found)?.unwrap_or(found);
            let waits =
                found.state == RunState::Suspended && state.approvals_of_run(&found.id)?.is_empty();
            Ok((found, waits))
        })
        .await?;
    let (found, is_ready) = found;
    let root = found.id.clone();
    if is_ready {
        submitted::resume_for_person(server, &caller, found, ResumeRequest::default()).await?;
    }
    Ok(root)
}
