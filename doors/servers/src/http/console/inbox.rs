//! `/console`: what waits for a person, with all that would happen, and what was decided.

use std::sync::Arc;

use axum::extract::{Extension, Path, RawQuery, State};
use journal::{Approval, NoticeRecord, RunState, StateStore};
use maud::{Markup, html};
use registry::ApprovalsFrom;
use tool_core::brief::count_phrase;
use tool_core::capability::{ApprovalFallback, Clock as _};
use tool_core::{Result, Value, json};

use super::super::approvals::{approver_key, workspace_scope};
use super::super::server::HttpServer;
use super::answers;
use super::deciding;
use super::form::{FormFields, encode_part};
use super::guard::ConsoleVisit;
use super::layout::{self, ConsolePage, ConsoleSection, PageReply, form_token};
use super::parts::{
    OutsideMessage, OutsideText, change_lines, empty_block, format_local_time, shorten_text,
    state_badge, time_element, visible_json,
};
use super::values::{text_block, value_block};
use crate::people::request::ApprovalDetails;
use crate::people::waiting::deadline_text;
use mathchain::clock::SystemClock;

/// Requests that are shown with everything; more are counted.
const SHOWN_MAX: usize = 25;
/// Requests that are looked at.
const LISTED_MAX: usize = 1000;
/// Decided requests, notices and runs that are shown.
const DECIDED_MAX: usize = 15;
const NOTICES_MAX: usize = 20;
/// Characters of a preview in a list.
const PREVIEW_CHARS: usize = 160;

/// A request that waits, with the details of its call, and requests for equal calls.
struct WaitingRequest {
    approval: Approval,
    details: Option<Value>,
    /// Ids of requests for equal calls, its own first.
    ids: Vec<String>,
}

/// What the inbox shows.
struct InboxContent {
    requests: Vec<WaitingRequest>,
    /// Groups of requests beyond those shown.
    more: usize,
    decided: Vec<Approval>,
}

impl InboxContent {
    fn read(server: &HttpServer, state: &StateStore, search: &str) -> Result<Self> {
        let scope = workspace_scope(server);
        let mut listed = state.approvals_in(&scope, false, LISTED_MAX)?;
        listed.reverse();
        listed.retain(|one| is_match(one, search));
        let mut requests: Vec<WaitingRequest> = Vec::new();
        let mut more = 0;
        for approval in listed {
            let equal = requests
                .iter()
                .position(|one| is_equal(&one.approval, &approval));
            match equal {
                Some(place) => requests[place].ids.push(approval.id),
                None if requests.len() == SHOWN_MAX => more += 1,
                None => {
                    let (approval, details) = state.approval_in(&scope, &approval.id)?;
                    let ids = vec![approval.id.clone()];
                    requests.push(WaitingRequest {
                        approval,
                        details,
                        ids,
                    });
                }
            }
        }
        let mut decided = state.approvals_in(&scope, true, LISTED_MAX)?;
        decided.retain(|one| one.state != "pending" && is_match(one, search));
        decided.sort_by_key(|one| std::cmp::Reverse(one.decided_ms.unwrap_or(one.expires_ms)));
        decided.truncate(DECIDED_MAX);
        Ok(Self {
            requests,
            more,
            decided,
        })
    }
}

/// Whether requests ask for the same, so that one decision may hold for both. A preview that leaves something out equals none.
fn is_equal(one: &Approval, other: &Approval) -> bool {
    let key = |it: &Approval| (it.tool.clone(), it.role.clone(), it.agent.clone());
    !one.cut && !other.cut && one.preview == other.preview && key(one) == key(other)
}

fn is_match(approval: &Approval, search: &str) -> bool {
    let search = search.to_lowercase();
    let texts = [
        Some(&approval.tool),
        Some(&approval.role),
        approval.run.as_ref(),
        Some(&approval.id),
        Some(&approval.preview),
    ];
    search.is_empty()
        || texts
            .into_iter()
            .flatten()
            .any(|text| text.to_lowercase().contains(&search))
}

/// Whether a session sees requests for approval, as the JSON interface and the terminal show them.
pub(super) fn sees_approvals(server: &HttpServer, visit: &ConsoleVisit) -> bool {
    match visit.is_terminal() {
        true => visit.session.caller.role(server) == journal::OPERATOR,
        false => approver_key(&visit.session.caller).is_ok(),
    }
}

/// Shows the inbox.
pub(super) async fn show_inbox(
    State(server): State<Arc<HttpServer>>,
    Extension(visit): Extension<ConsoleVisit>,
    RawQuery(query): RawQuery,
) -> PageReply {
    let query = FormFields::parse(&query.unwrap_or_default())?;
    layout::build_page(&server, visit, move |server, visit| {
        let search = query.get("q").unwrap_or_default();
        Ok(ConsolePage {
            title: "Inbox".to_owned(),
            section: ConsoleSection::Inbox,
            is_live: true,
            body: inbox_body(server, visit, search)?,
        })
    })
    .await
}

fn inbox_body(server: &HttpServer, visit: &ConsoleVisit, search: &str) -> Result<Markup> {
    let state = server.records()?;
    let scope = visit.session.caller.scope(server);
    let content = match sees_approvals(server, visit) {
        true => Some(InboxContent::read(server, state, search)?),
        false => None,
    };
    let undecided = state.runs_in(&scope, Some(RunState::NeedsDecision), NOTICES_MAX)?;
    let workflows = answers::workflow_entries(server, visit)?;
    let notices = match visit.is_terminal() && sees_approvals(server, visit) {
        true => open_notices(server, state)?,
        false => Vec::new(),
    };
    let is_empty = content.as_ref().is_none_or(|it| it.requests.is_empty())
        && undecided.is_empty()
        && workflows.is_none()
        && notices.is_empty();
    Ok(html! {
        h1 { "Inbox" }
        (proof_note(server, visit))
        (search_form("/console", search, "Tool, role, run or argument"))
        @if is_empty {
            @if search.is_empty() { (empty_block("Nothing waits for a person. What does comes here by itself.")) }
            @else { (empty_block("Nothing that waits has these words.")) }
        }
        @if let Some(content) = &content {
            @for request in &content.requests { (request_card(server, visit, request)) }
            @if content.more > 0 { p { (count_phrase(content.more as u64, "more request")) " below these: search, or decide some first." } }
        } @else {
            p class="small" { "This session sees no requests for approval: a key made with " code { "--approve" } ", or the operator at the terminal, does." }
        }
        @if !undecided.is_empty() {
            section aria-labelledby="unknown" {
                h2 id="unknown" { "Unknown outcomes" }
                @for run in &undecided {
                    article class="card" id={ "run-" (run.id) } {
                        h3 { a href={ "/console/runs/" (run.id) } { (OutsideText(&run.plan_id)) " " code { (run.id) } } }
                        p { "A call began, and it is unknown whether it acted. Check it, then rule on it on the page of the run." }
                        p class="small" { "since " (time_element(run.changed_ms)) " as " code { (OutsideText(&run.role)) } }
                    }
                }
            }
        }
        @if let Some(entries) = workflows { (entries) }
        @if !notices.is_empty() {
            section aria-labelledby="questions" {
                h2 id="questions" { "Questions" }
                @for notice in &notices { (answers::question_card(visit, notice)) }
            }
        }
        @if let Some(content) = &content { (decided_table(&content.decided)) }
    })
}

/// Says what a decision here shows, and what it does not.
fn proof_note(server: &HttpServer, visit: &ConsoleVisit) -> Markup {
    let access = server
        .settings
        .console
        .as_ref()
        .and_then(|it| it.terminal());
    let has_key = access.is_some_and(|it| it.approver_key.is_some());
    let from = server.toolkit.config().approvals.from;
    html! {
        @if visit.is_terminal() && sees_approvals(server, visit) {
            @match (has_key, from) {
                (true, _) => {}
                (false, ApprovalsFrom::Key) => p class="note" {
                    "Approvers have keys here: start " code { "mathchain console --key FILE" } " to decide as one of them."
                },
                (false, ApprovalsFrom::Terminal) => p class="note" {
                    "A decision here counts as one of the terminal where the console was started. It does not show who pressed the button; an approver's key does ("
                    code { "mathchain console --key FILE" } ")."
                },
            }
        }
    }
}

/// A search form of a list.
pub(super) fn search_form(path: &str, search: &str, words: &str) -> Markup {
    html! {
        form class="search" action=(path) role="search" {
            label for="q" class="unseen" { (words) }
            input id="q" name="q" type="search" value=(search) placeholder=(words);
            button { "Search" }
        }
    }
}

/// A request with all that would happen, and the buttons.
fn request_card(server: &HttpServer, visit: &ConsoleVisit, request: &WaitingRequest) -> Markup {
    let approval = &request.approval;
    let count = request.ids.len();
    html! {
        article class="card waits" id={ "approval-" (approval.id) } aria-labelledby={ "title-" (approval.id) } {
            h2 id={ "title-" (approval.id) } {
                code { (OutsideText(&approval.tool)) } " as " code { (OutsideText(&approval.role)) }
                @if count > 1 { " " span class="count" { (count) " equal calls" } }
            }
            p class="small" {
                @if let Some(agent) = &approval.agent { "agent " b { (OutsideText(agent)) } " · " }
                @if let (Some(run), Some(step)) = (&approval.run, &approval.step) {
                    "step " code { (OutsideText(step)) } " of run " a href={ "/console/runs/" (encode_part(run)) } { code { (OutsideText(run)) } } " · "
                }
                "asked " (time_element(approval.created_ms))
                " · " (deadline(approval))
                " · " a href={ "/console/approvals/" (approval.id) } { (approval.id) }
            }
            p { b { "Why it asks: " } (OutsideMessage(&approval.reason)) }
            (effect_of(server, approval, request.details.as_ref()))
            (decision_form(server, visit, request))
        }
    }
}

/// The time that is left to decide a request, and what becomes of it then.
fn deadline(approval: &Approval) -> Markup {
    let until = format_local_time(approval.expires_ms);
    let text = deadline_text(approval, SystemClock::default().unix_ms());
    html! {
        @if approval.fallback == ApprovalFallback::Keep.as_str() { (text) }
        @else { time datetime=(until) title=(until) { (text) } }
    }
}

/// All that happens if a request is granted.
fn effect_of(server: &HttpServer, approval: &Approval, details: Option<&Value>) -> Markup {
    let request = ApprovalDetails::new(&server.toolkit, approval, details);
    let arguments = request.detail("arguments").and_then(Value::as_object);
    let Some(arguments) = arguments else {
        return html! {
            (text_block(&approval.preview))
            @if approval.cut { p class="error" { "This is a part: the whole arguments are not stored, or no longer." } }
        };
    };
    let change = request.change(arguments);
    let in_change = change.as_ref().map_or(&[][..], |(names, _)| names);
    let absent = arguments.iter().filter(|(_, value)| value.is_null());
    let absent: Vec<&str> = absent.map(|(name, _)| name).collect();
    let named = |name: &str| -> Vec<Value> {
        let value = request.detail(name);
        value.and_then(Value::items).unwrap_or_default()
    };
    html! {
        @if let Some(count @ 1..) = request.detail("redacted").and_then(Value::as_i64) {
            p class="note" { (count_phrase(count.unsigned_abs(), "secret")) " not shown" }
        }
        dl class="members" {
            @for program in request.programs(arguments) { div { dt { "program" } dd { code { (OutsideText(&program)) } } } }
            @if let Some(subject) = request.detail("subject").and_then(Value::as_object) {
                @for (name, value) in subject.iter() { div { dt { (OutsideText(name)) } dd { (value_block(value)) } } }
            }
            @for (name, value) in arguments.iter() {
                @if !in_change.contains(&name) && !value.is_null() { div { dt { (OutsideText(name)) } dd { (argument_block(value)) } } }
            }
            @if !absent.is_empty() { div { dt { "not given" } dd class="small" { (OutsideText(&absent.join(", "))) } } }
            @for (name, words) in [("destroys", "destroys"), ("opens", "opens")] {
                @for one in named(name) { div { dt { (words) } dd { (content_line(&one)) } } }
            }
        }
        @if let Some((_, change)) = &change { (change_lines(change)) }
        details {
            summary { "Digests and resources" }
            dl class="members" {
                @for name in ["arguments_digest", "digest", "folder", "phase", "task"] {
                    @if let Some(text) = request.detail(name).and_then(Value::as_str) { div { dt { (name) } dd { code { (OutsideText(text)) } } } }
                }
                @for one in named("resources") { div { dt { "resource" } dd { code { (OutsideText(&plain_text(&one))) } } } }
                @if let Some(workspace) = &approval.workspace { div { dt { "workspace" } dd { code { (OutsideText(workspace)) } } } }
            }
        }
    }
}

/// A file or resource with the digest of its content.
fn content_line(value: &Value) -> Markup {
    let digest = value
        .text("content")
        .filter(|_| value.text("path").is_some());
    html! {
        @match (value.text("path"), digest) {
            (Some(path), Some(digest)) => { code { (OutsideText(path)) } " " span class="small" { (OutsideText(digest)) } }
            _ => code { (OutsideText(&plain_text(value))) },
        }
    }
}

/// An argument whole: what is approved is what is shown.
fn argument_block(value: &Value) -> Markup {
    let text = plain_text(value);
    html! {
        @if text.is_empty() { span class="small" { "(empty)" } }
        @else if text.len() > 60 || text.contains('\n') { pre tabindex="0" { (OutsideText(&text)) } }
        @else { code { (OutsideText(&text)) } }
    }
}

fn plain_text(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| json::to_text(value), str::to_owned)
}

/// The buttons of a request, for who may decide it; else why not.
fn decision_form(server: &HttpServer, visit: &ConsoleVisit, request: &WaitingRequest) -> Markup {
    let approval = &request.approval;
    if let Err(error) = deciding::deciding_person(server, visit, approval, request.details.as_ref())
    {
        return html! { p class="note" { "You do not decide this one: " (OutsideMessage(error.message())) } };
    }
    let (id, count) = (&approval.id, request.ids.len());
    let all = match count {
        1 => String::new(),
        _ => format!(" all {count}"),
    };
    html! {
        form method="post" action="/console/decide" class="actions" {
            (form_token(&visit.session))
            @for id in &request.ids { input type="hidden" name="id" value=(id); }
            @if approval.run.is_some() && visit.is_terminal() {
                button class="main" name="decision" value="resume" { "Approve" (all) " and continue the run" }
                button name="decision" value="approve" { "Approve" (all) }
            } @else {
                button class="main" name="decision" value="approve" { "Approve" (all) }
            }
            @if approval.condition.is_some() && visit.is_terminal() {
                button name="decision" value="always" title="Records a rule that allows calls like this one in this workspace from now on" { "Always allow" }
            }
            button class="danger" name="decision" value="deny" { "Deny" (all) }
            span class="unseen" { "request " (id) }
        }
        @if let Some(arguments) = editable_arguments(request) { (edit_form(visit, id, &arguments)) }
    }
}

/// The arguments of one request as text that a person may change; none where secrets in them are not shown, or where they are too long for a page.
fn editable_arguments(request: &WaitingRequest) -> Option<String> {
    const BYTES_MAX: usize = 16_000;
    let details = request
        .details
        .as_ref()
        .filter(|_| request.ids.len() == 1)?;
    let redacted = details.get("redacted").and_then(Value::as_i64).unwrap_or(0);
    let given = details.get("arguments")?.as_object()?;
    // A member a line; texts stay on theirs.
    let members = given.iter().filter(|(_, value)| !value.is_null());
    let lines: Vec<String> = members
        .map(|(name, value)| format!("  {}: {}", Value::from(name), json::to_text(value)))
        .collect();
    let text = visible_json(&format!("{{\n{}\n}}", lines.join(",\n")));
    (redacted == 0 && text.len() <= BYTES_MAX).then_some(text)
}

/// The form that approves a call with other arguments.
fn edit_form(visit: &ConsoleVisit, id: &str, arguments: &str) -> Markup {
    let rows = arguments.lines().count().clamp(3, 20);
    html! {
        details {
            summary { "Edit the arguments and approve" }
            form method="post" action="/console/decide" {
                (form_token(&visit.session))
                input type="hidden" name="id" value=(id);
                label for={ "arguments-" (id) } { "Arguments, as JSON" }
                textarea id={ "arguments-" (id) } name="arguments" rows=(rows) spellcheck="false" { (arguments) }
                p class="small" {
                    "The call runs once with these in place of its own, when it is sent again or its run continues. The policy decides about them as about any call, and "
                    "asks anew where they reach files that are not shown above. The caller and the audit log are told what was changed."
                }
                button class="main" name="decision" value="edit" { "Approve with these arguments" }
            }
        }
    }
}

fn decided_table(decided: &[Approval]) -> Markup {
    html! {
        section aria-labelledby="decided" {
            h2 id="decided" { "Decided" }
            @if decided.is_empty() { (empty_block("Nothing was decided yet.")) }
            @else {
                div class="scroll" tabindex="0" role="region" aria-label="Decided requests" {
                    table {
                        thead { tr {
                            th scope="col" { "State" } th scope="col" { "Tool" } th scope="col" { "Role" } th scope="col" { "Arguments" }
                            th scope="col" { "By" } th scope="col" { "When" }
                        } }
                        tbody {
                            @for one in decided {
                                tr id={ "decided-" (one.id) } {
                                    td { (state_badge(decision_word(one))) }
                                    th scope="row" { a href={ "/console/approvals/" (one.id) } { (OutsideText(&one.tool)) } }
                                    td { (OutsideText(&one.role)) }
                                    td class="wide" { (OutsideText(&shorten_text(&one.preview, PREVIEW_CHARS))) }
                                    td { (OutsideText(one.decided_by.as_deref().unwrap_or("-"))) }
                                    td { (time_element(one.decided_ms.unwrap_or(one.expires_ms))) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A request whose grant was used was granted.
fn decision_word(approval: &Approval) -> &str {
    match approval.state.as_str() {
        "consumed" => "granted",
        other => other,
    }
}

/// Shows one request, whatever became of it.
pub(super) async fn show_approval(
    State(server): State<Arc<HttpServer>>,
    Extension(visit): Extension<ConsoleVisit>,
    Path(id): Path<String>,
) -> PageReply {
    layout::build_page(&server, visit, move |server, visit| {
        if !sees_approvals(server, visit) {
            approver_key(&visit.session.caller)?;
        }
        let (approval, details) = server
            .records()?
            .approval_in(&workspace_scope(server), &id)?;
        let title = format!("Request {}", approval.id);
        let is_open = approval.state == "pending";
        let ids = vec![approval.id.clone()];
        let request = WaitingRequest {
            approval,
            details,
            ids,
        };
        let body = html! {
            h1 { "Request for approval" }
            @if is_open { (proof_note(server, visit)) (request_card(server, visit, &request)) }
            @else { (decided_card(&request.approval)) }
        };
        Ok(ConsolePage {
            title,
            section: ConsoleSection::Inbox,
            is_live: true,
            body,
        })
    })
    .await
}

/// A request that waits no longer: what became of it, by whom and when.
pub(super) fn decided_card(approval: &Approval) -> Markup {
    html! {
        article class="card" {
            h2 { code { (OutsideText(&approval.tool)) } " as " code { (OutsideText(&approval.role)) } " " (state_badge(decision_word(approval))) }
            p {
                @match (&approval.decided_by, approval.decided_ms) {
                    (Some(by), Some(when)) if by == journal::BY_TIMEOUT && when >= approval.expires_ms => { "Denied by its fallback: nobody decided it in time (" (format_local_time(approval.expires_ms)) ")." }
                    (Some(by), Some(when)) => { "Decided by " b { (OutsideText(by)) } " " (time_element(when)) " (" (format_local_time(when)) ")." }
                    _ => "It was not decided in time.",
                }
                @if approval.state == "consumed" { " The call that it was for was made." }
            }
            (text_block(&approval.preview))
            p class="small" {
                (OutsideMessage(&approval.reason))
                @if let Some(run) = &approval.run { " · " a href={ "/console/runs/" (encode_part(run)) } { "run " (OutsideText(run)) } }
            }
        }
    }
}

/// Questions of agents, and gates of pipelines, without an answer.
fn open_notices(server: &HttpServer, state: &StateStore) -> Result<Vec<NoticeRecord>> {
    let here = server.toolkit.workspace_id();
    let mut open = Vec::new();
    for notice in state.notices(here.as_ref(), LISTED_MAX)? {
        if notice.kind == "call" || open.len() == NOTICES_MAX {
            continue;
        }
        let (notice, answers) = state.notice(&notice.id)?;
        if answers.is_empty() {
            open.push(notice);
        }
    }
    Ok(open)
}
