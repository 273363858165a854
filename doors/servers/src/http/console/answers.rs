//! Gates, feedback and questions: what waits in workflows and pipelines, and `POST /console/answer`.

use std::sync::Arc;

use axum::extract::{Extension, Request, State};
use journal::NoticeRecord;
use maud::{Markup, html};
use tool_core::{CallOutcome, Result, ToolError, tool_error};

use super::super::server::HttpServer;
use super::deciding::{person_at_terminal, require_terminal};
use super::form::{self, FormFields};
use super::guard::{ConsoleVisit, redirect_response};
use super::inbox::sees_approvals;
use super::layout::{PageReply, form_token};
use super::parts::{OutsideText, time_element};
use super::values::text_block;
use crate::people::answers;
use crate::people::waiting::collect_waiting;
use mathchain::waiting::{WaitingEntry, option_labels};

/// Longest answer, in bytes.
const ANSWER_BYTES_MAX: usize = 64 << 10;

/// Gates and feedback of workflows, for the operator at the terminal; `None` where none waits.
///
/// # Errors
/// A state that cannot be read.
pub(super) fn workflow_entries(
    server: &HttpServer,
    visit: &ConsoleVisit,
) -> Result<Option<Markup>> {
    if !(visit.is_terminal() && sees_approvals(server, visit)) {
        return Ok(None);
    }
    let here = server.toolkit.workspace_id();
    let all = collect_waiting(server.records()?, &server.toolkit, here.as_ref())?;
    let entries: Vec<Markup> = all
        .iter()
        .filter_map(|entry| entry_card(visit, entry))
        .collect();
    Ok((!entries.is_empty()).then(|| {
        html! {
            section aria-labelledby="gates" {
                h2 id="gates" { "Workflows" }
                @for entry in &entries { (entry) }
            }
        }
    }))
}

/// The card of a gate or of feedback; requests have their own.
fn entry_card(visit: &ConsoleVisit, entry: &WaitingEntry) -> Option<Markup> {
    match entry {
        WaitingEntry::Approval(_) => None,
        WaitingEntry::Gate(gate) => Some(html! {
            article class="card waits" id={ "gate-" (gate.workflow) } {
                h3 { "Gate of stage " code { (OutsideText(&gate.stage)) } " in " code { (OutsideText(&gate.workflow)) } }
                @if let Some(prompt) = &gate.prompt { (text_block(prompt)) }
                form method="post" action="/console/answer" class="stacked" {
                    (form_token(&visit.session))
                    input type="hidden" name="kind" value="gate";
                    input type="hidden" name="workflow" value=(gate.workflow);
                    label for={ "reason-" (gate.workflow) } { "Reason, where the answer gives the workflow up" }
                    input id={ "reason-" (gate.workflow) } name="reason";
                    div class="actions" {
                        @if gate.options.is_empty() { button class="main" { "Satisfy" } }
                        @for option in &gate.options { button name="option" value=(option) { (OutsideText(option)) } }
                    }
                }
            }
        }),
        WaitingEntry::Feedback { workflow, item } => {
            let id = format!("feedback-{workflow}-{}", item.id);
            Some(html! {
                article class="card waits" id=(id) {
                    h3 { (OutsideText(item.kind.as_str())) " of " code { (OutsideText(workflow)) } @if item.blocking { ", blocking" } }
                    (text_block(&item.content))
                    p class="small" { "by " (OutsideText(&item.author.principal)) }
                    form method="post" action="/console/answer" class="stacked" {
                        (form_token(&visit.session))
                        input type="hidden" name="kind" value="feedback";
                        input type="hidden" name="workflow" value=(workflow);
                        input type="hidden" name="feedback" value=(item.id);
                        label for={ "text-" (id) } { "Answer" }
                        textarea id={ "text-" (id) } name="text" rows="3" {}
                        div class="actions" {
                            button class="main" { "Answer" }
                            @for option in option_labels(item) { button name="option" value=(option) { (OutsideText(&option)) } }
                        }
                    }
                }
            })
        }
    }
}

/// The card of a question of an agent, or of the gate of a pipeline.
pub(super) fn question_card(visit: &ConsoleVisit, notice: &NoticeRecord) -> Markup {
    let id = format!("notice-{}", notice.id);
    html! {
        article class="card waits" id=(id) {
            h3 {
                @if notice.kind == "gate" { "Gate of a pipeline" } @else { "Question" }
                " of " code { (OutsideText(notice.agent.as_deref().unwrap_or(&notice.role))) }
            }
            (text_block(&notice.text))
            p class="small" { "asked " (time_element(notice.time_ms)) " as " code { (OutsideText(&notice.role)) } }
            form method="post" action="/console/answer" class="stacked" {
                (form_token(&visit.session))
                input type="hidden" name="kind" value="notice";
                input type="hidden" name="notice" value=(notice.id);
                @if notice.kind == "gate" {
                    div class="actions" {
                        button class="main" name="text" value="yes" { "Yes, continue" }
                        button class="danger" name="text" value="no" { "No" }
                    }
                } @else {
                    label for={ "text-" (id) } { "Answer" }
                    textarea id={ "text-" (id) } name="text" rows="3" required {}
                    div class="actions" { button class="main" { "Answer" } }
                }
            }
        }
    }
}

/// Answers a gate, feedback or a question.
pub(super) async fn answer_entry(
    State(server): State<Arc<HttpServer>>,
    Extension(visit): Extension<ConsoleVisit>,
    request: Request,
) -> PageReply {
    let form = form::read_form(&server, &visit, request).await?;
    let visitor = visit.clone();
    let said = server
        .aside(move |server| answer_form(server, &visitor, &form))
        .await?;
    visit.session.tell(said);
    Ok(redirect_response("/console"))
}

fn answer_form(server: &HttpServer, visit: &ConsoleVisit, form: &FormFields) -> Result<String> {
    let by = person_at_terminal(server, visit)?;
    let (toolkit, state) = (&server.toolkit, server.records()?);
    let field = |name: &str| form.get(name).unwrap_or_default();
    let text = field("text").trim();
    if text.len() > ANSWER_BYTES_MAX {
        return Err(
            tool_error!(InvalidArgs, "answer"; "an answer has at most {ANSWER_BYTES_MAX} bytes, found {}", text.len()),
        );
    }
    match field("kind") {
        "gate" => {
            require_terminal(server, None)?;
            let (option, reason) = (form.get("option"), form.get("reason"));
            let outcome =
                answers::satisfy_gate(toolkit, state, field("workflow"), option, reason, &by)?;
            require_success(outcome)?;
        }
        "feedback" => {
            let option = form.get("option");
            let text = if text.is_empty() {
                option.unwrap_or_default()
            } else {
                text
            };
            require_terminal(server, None)?;
            let (workflow, feedback) = (field("workflow"), field("feedback"));
            let outcome =
                answers::respond_to_feedback(toolkit, workflow, feedback, text, option, Some(by));
            require_success(outcome)?;
        }
        "notice" => answer_notice(server, field("notice"), text, &by)?,
        _ => {
            return Err(
                tool_error!(InvalidRequest, "answer"; "the form answers nothing"; "open the inbox again"),
            );
        }
    }
    Ok("Answered.".to_owned())
}

fn answer_notice(server: &HttpServer, id: &str, text: &str, by: &str) -> Result<()> {
    let state = server.records()?;
    let (found, answers) = state.notice(id)?;
    if let Some(answer) = answers.first() {
        let first: String = answer.text.chars().take(80).collect();
        return Err(
            tool_error!(Conflict, "settled"; "this has its answer: `{first}`"; "another person was first; open the inbox again"),
        );
    }
    if found.kind == "gate" {
        if !matches!(text, "yes" | "no") {
            return Err(tool_error!(InvalidArgs, "gate"; "expected `yes` or `no` for a gate"));
        }
        let pipeline = state.pipeline(&found.call_id)?;
        require_terminal(server, pipeline.requester_group)?;
    }
    if text.is_empty() {
        return Err(tool_error!(InvalidArgs, "answer"; "an answer has at least one character"));
    }
    state.answer(&found.id, text, by).map(drop)
}

/// Makes an outcome that is none an error.
fn require_success(outcome: CallOutcome) -> Result<(), ToolError> {
    match outcome.err() {
        Some(error) => Err(error.clone()),
        None => Ok(()),
    }
}
