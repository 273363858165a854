//! `/console/runs/ID`: what failed and what a run waits for first, then its graph, its steps in time, and those that are open.

mod compare;
mod graph;
mod nodes;
mod step;

use std::sync::Arc;

use axum::extract::{Extension, Path, RawQuery, Request, State};
use chain_runtime::run::{self as chains, OutcomeRuling, ResumeRequest};
use journal::{Approval, RunRecord, RunState, StateStore};
use maud::{Markup, html};
use registry::ApprovalAnswer;
use tool_core::brief::count_phrase;
use tool_core::json::{self, JsonLimits, parse_json};
use tool_core::{Reason, Result, Value, tool_error};

use super::super::approvals::workspace_scope;
use super::super::chains as submitted;
use super::super::server::HttpServer;
use super::form::{self, FormFields, encode_part, link_to};
use super::guard::{ConsoleVisit, redirect_response};
use super::inbox::sees_approvals;
use super::layout::{self, ConsolePage, ConsoleSection, PageReply, form_token};
use super::parts::{
    OutsideText, duration_words, empty_block, error_block, page_links, shorten_text, state_badge,
    time_element,
};
use super::values::value_block;
use crate::people::run::{RunModel, StepRow};
use crate::people::states::state_class;
use crate::recorded;
pub(super) use compare::compare_runs;
use mathchain::CallContext;

/// Steps of a page of the table.
const STEPS_SHOWN: usize = 100;
/// Steps that are open at a time.
const OPEN_MAX: usize = 6;

/// Shows a run.
pub(super) async fn show_run(
    State(server): State<Arc<HttpServer>>,
    Extension(visit): Extension<ConsoleVisit>,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
) -> PageReply {
    let query = FormFields::parse(&query.unwrap_or_default())?;
    layout::build_page(&server, visit, move |server, visit| {
        let state = server.records()?;
        let run = recorded::visible_run(state, &visit.session.caller.scope(server), &id)?;
        Ok(ConsolePage {
            title: format!("Run of {}", run.plan_id),
            section: ConsoleSection::Runs,
            is_live: !run.state.is_final(),
            body: run_body(server, visit, &run, &query)?,
        })
    })
    .await
}

/// A run with what its page shows.
struct RunView<'a> {
    run: &'a RunRecord,
    model: RunModel,
    /// Requests that its steps wait for.
    waiting: Vec<Approval>,
    query: &'a FormFields,
}

fn run_body(
    server: &HttpServer,
    visit: &ConsoleVisit,
    run: &RunRecord,
    query: &FormFields,
) -> Result<Markup> {
    let state = server.records()?;
    let mut model = RunModel::read(state, run)?;
    let mut waiting = Vec::new();
    for id in state.approvals_of_run(&run.id)? {
        let (approval, _) = state.approval_in(&workspace_scope(server), &id)?;
        model.note_waiting(&approval, run);
        waiting.push(approval);
    }
    let view = RunView {
        run,
        model,
        waiting,
        query,
    };
    let open: Vec<&StepRow> = query
        .all("open")
        .take(OPEN_MAX)
        .filter_map(|id| view.model.steps.iter().find(|step| step.id == id))
        .collect();
    let nested = state.runs_within(&run.id)?;
    Ok(html! {
        p class="crumbs" { a href="/console/runs" { "Runs" } }
        h1 { (OutsideText(&run.plan_id)) " " (state_badge(run.state_shown())) }
        (view.summary(server, visit, state)?)
        @if !open.is_empty() {
            section aria-labelledby="open" {
                h2 id="open" { "Open steps" }
                div class="beside" {
                    @for one in &open { (step::step_card(state, &view.model, one, &view.link_without(&one.id))) }
                }
            }
        }
        @if !view.model.steps.is_empty() {
            section aria-labelledby="graph" {
                h2 id="graph" { "Graph" }
                (graph::draw_graph(&view.model, &|step| view.link_with(step)))
            }
        }
        (nodes::nodes_section(&view.model))
        (view.steps_table())
        @if !nested.is_empty() {
            section aria-labelledby="nested" { h2 id="nested" { "Runs within" } (super::runs::runs_table(&nested)) }
        }
        (view.values(state))
    })
}

impl RunView<'_> {
    /// The link of this page with the open steps and the part of the table changed.
    fn link(&self, open: &[&str], page: usize) -> String {
        let page = if page == 0 {
            String::new()
        } else {
            page.to_string()
        };
        let only = self.query.get("only").unwrap_or_default();
        let mut parameters: Vec<(&str, &str)> = open.iter().map(|id| ("open", *id)).collect();
        parameters.extend([("only", only), ("page", &page)]);
        link_to(&format!("/console/runs/{}", self.run.id), &parameters)
    }

    fn open_ids(&self) -> Vec<&str> {
        self.query.all("open").take(OPEN_MAX).collect()
    }

    fn link_with(&self, step: &str) -> String {
        let mut open = self.open_ids();
        if !open.contains(&step) {
            open.truncate(OPEN_MAX - 1);
            open.push(step);
        }
        self.link(&open, self.query.number("page")) + "#step-" + &encode_part(step)
    }

    fn link_without(&self, step: &str) -> String {
        let mut open = self.open_ids();
        open.retain(|one| *one != step);
        self.link(&open, self.query.number("page")) + "#steps"
    }

    /// What failed, what it waits for, what can be done.
    fn summary(
        &self,
        server: &HttpServer,
        visit: &ConsoleVisit,
        state: &StateStore,
    ) -> Result<Markup> {
        let run = self.run;
        let answer = match run.state {
            RunState::Running | RunState::Succeeded => None,
            _ => recorded::recorded_answer(state, run)?,
        };
        let error = answer.as_ref().and_then(|answer| answer.err());
        let failed = self.model.failed_step.as_deref();
        let counts = self.model.counts();
        Ok(html! {
            div class="summary" {
                @if let Some(step) = failed {
                    p { "Failed at step " a href=(self.link_with(step)) { code { (OutsideText(step)) } } "." }
                }
                @if let Some(error) = error { (error_block(error)) }
                @if !self.waiting.is_empty() {
                    div class="note" {
                        p { b { "Waits for " @if self.waiting.len() == 1 { "an approval" } @else { (self.waiting.len()) " approvals" } } }
                        @if sees_approvals(server, visit) {
                            ul { @for one in self.waiting.iter().take(10) {
                                li { a href={ "/console/approvals/" (one.id) } { (OutsideText(&one.tool)) " of step " (OutsideText(one.step.as_deref().unwrap_or("-"))) } }
                            } }
                        } @else { p { "Who may approve sees it in the inbox." } }
                    }
                }
                @if run.state == RunState::NeedsDecision { (self.ruling_forms(visit, server)) }
                p class="small" {
                    "run " code { (run.id) } " as " code { (OutsideText(&run.role)) }
                    " · begun " (time_element(run.created_ms)) " · changed " (time_element(run.changed_ms))
                    @if let Some(holder) = &run.holder { " · process " (holder.process) }
                    @if let Some(parent) = &run.parent { " · within " a href={ "/console/runs/" (parent) } { code { (parent) } } }
                    @if run.collected { " · its values were deleted" }
                }
                p class="small" {
                    (self.model.steps.len()) " steps"
                    @for (state, count) in &counts { " · " (count) " " (state.replace('_', " ")) }
                }
                (self.actions(visit))
            }
        })
    }

    fn actions(&self, visit: &ConsoleVisit) -> Markup {
        let run = self.run;
        let path = format!("/console/runs/{}", run.id);
        let may_resume = run.is_resumable()
            && run.parent.is_none()
            && run.state != RunState::NeedsDecision
            && self.waiting.is_empty();
        html! {
            div class="actions" {
                @if !run.collected {
                    form method="post" action={ (path) "/replay" } {
                        (form_token(&visit.session))
                        button title="Computes again what is a function of its arguments, and compares every bit; changes nothing" { "Replay" }
                    }
                    a class="button" href={ (path) "/compare" } { "Compare with another run" }
                    a class="button" href={ "/console/plans?run=" (run.id) } { "Edit the plan" }
                }
                @if !run.state.is_final() {
                    @if may_resume {
                        form method="post" action={ (path) "/resume" } { (form_token(&visit.session)) button class="main" { "Resume" } }
                    }
                    form method="post" action={ (path) "/cancel" } {
                        (form_token(&visit.session))
                        button class="danger" title="Completed steps that say how they are undone are undone" { "Cancel and undo" }
                    }
                }
            }
        }
    }

    /// Forms that rule on calls whose outcome is unknown.
    fn ruling_forms(&self, visit: &ConsoleVisit, server: &HttpServer) -> Markup {
        let may = visit.is_terminal() && sees_approvals(server, visit);
        html! {
            div class="note" {
                p { b { "It is unknown whether these calls acted." } " Check each, then rule on it." }
                @if !may { p { "The operator rules on them, at the terminal or in the console of the terminal." } }
                @for call in &self.model.unknown_calls {
                    p { code { (OutsideText(call)) } }
                    @if may {
                        form method="post" action={ "/console/runs/" (self.run.id) "/rule" } class="stacked" {
                            (form_token(&visit.session))
                            input type="hidden" name="call" value=(call);
                            label for={ "result-" (call) } { "Its result as JSON, where it acted and a later step needs it" }
                            input id={ "result-" (call) } name="result" placeholder="{\"path\":\"a\"}";
                            div class="actions" {
                                button name="outcome" value="done" { "It acted" }
                                button name="outcome" value="failed" { "It did not act, and failed" }
                                button name="outcome" value="again" { "It did not act: call it again" }
                            }
                        }
                    }
                }
            }
        }
    }

    /// The steps in time, a part at a time.
    fn steps_table(&self) -> Markup {
        let only = self.query.get("only").unwrap_or_default();
        let rows: Vec<&StepRow> = (self.model.steps.iter())
            .filter(|step| only.is_empty() || step.is_of_kind(only))
            .collect();
        let page = self.query.number("page").min(rows.len() / STEPS_SHOWN);
        let shown = rows.iter().skip(page * STEPS_SHOWN).take(STEPS_SHOWN);
        let has_more = rows.len() > (page + 1) * STEPS_SHOWN;
        let open = self.open_ids();
        let newer = (page > 0).then(|| self.link(&open, page - 1) + "#steps");
        let older = has_more.then(|| self.link(&open, page + 1) + "#steps");
        let of_kind = |kind: &str| {
            let path = format!("/console/runs/{}", self.run.id);
            link_to(&path, &[("only", kind)]) + "#steps"
        };
        html! {
            section aria-labelledby="steps" {
                h2 id="steps" { "Steps" }
                nav class="chips" aria-label="Steps by state" {
                    @for (kind, words) in [("", "All"), ("failed", "Failed"), ("waiting", "Waiting"), ("done", "Done")] {
                        a href=(of_kind(kind)) aria-current=[(kind == only).then_some("true")] { (words) }
                    }
                }
                @if rows.is_empty() { (empty_block("No step is like that.")) }
                @else {
                    div class="scroll" tabindex="0" role="region" aria-label="Table of steps" {
                        table class="rows" {
                            thead { tr {
                                th scope="col" { "State" } th scope="col" { "Step" } th scope="col" { "Tool" } th scope="col" { "Took" }
                                th scope="col" class="time" { "In time" }
                            } }
                            tbody { @for step in shown { (self.step_row(step)) } }
                        }
                    }
                    (page_links((newer.as_deref(), "Before"), (older.as_deref(), "Next")))
                }
            }
        }
    }

    fn step_row(&self, step: &StepRow) -> Markup {
        let (begin, length) = self.model.place_in_time(step);
        let (class, _) = state_class(&step.state);
        html! {
            tr id={ "row-" (step.id) } {
                td { (state_badge(&step.state)) @if let Some(items) = step.items_words() { " " span class="small" { (items) } } }
                th scope="row" { a href=(self.link_with(&step.id)) { (OutsideText(&step.id)) } }
                td { (OutsideText(&step.tool)) @if let Some(nodes) = step.nodes_words() { " " span class="small" { "on " (OutsideText(&nodes)) } } }
                td class="number" { @if let Some(ms) = step.elapsed_ms { (duration_words(ms)) } @if step.attempts > 1 { " · " (step.attempts) " attempts" } }
                td class="time" {
                    @if length > 0 {
                        svg class={ "bar " (class) } viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true" {
                            rect x=(begin) y="1" width=(length) height="8" rx="1" {}
                        }
                    }
                }
            }
        }
    }

    /// Inputs, outputs and the plan.
    fn values(&self, state: &StateStore) -> Markup {
        let outputs = chains::RecordedOutcome::of(state, self.run)
            .map(|outcome| outcome.shown(state))
            .unwrap_or_default();
        let inputs = state.value(&self.run.inputs).unwrap_or_default();
        let has_members = |value: &Value| value.as_object().is_some_and(|it| !it.is_empty());
        html! {
            @if has_members(&outputs) { section aria-labelledby="outputs" { h2 id="outputs" { "Outputs" } (value_block(&outputs)) } }
            @if has_members(&inputs) { section aria-labelledby="inputs" { h2 id="inputs" { "Inputs" } (value_block(&inputs)) } }
            details {
                summary { "Record" }
                dl class="members" {
                    @for (name, value) in [("plan digest", &self.run.plan_digest), ("build", &self.run.build), ("profile", &self.run.profile)] {
                        div { dt { (name) } dd { code { (OutsideText(value)) } } }
                    }
                    div { dt { "seed" } dd { code { (self.run.seed) } } }
                }
            }
        }
    }
}

/// Cancels, resumes, rules on or replays a run.
pub(super) async fn act_on_run(
    State(server): State<Arc<HttpServer>>,
    Extension(visit): Extension<ConsoleVisit>,
    Path((id, action)): Path<(String, String)>,
    request: Request,
) -> PageReply {
    let form = form::read_form(&server, &visit, request).await?;
    let visitor = visit.clone();
    let run = server
        .aside(move |server| {
            let scope = visitor.session.caller.scope(server);
            recorded::visible_run(server.records()?, &scope, &id)
        })
        .await?;
    let page = format!("/console/runs/{}", run.id);
    let said = match action.as_str() {
        "cancel" => cancel_run(&server, &visit, run).await?.to_owned(),
        "resume" => {
            let caller = Arc::clone(&visit.session.caller);
            submitted::resume_for_person(&server, &caller, run, ResumeRequest::default()).await?;
            "The run continues.".to_owned()
        }
        "rule" => {
            let (visitor, by) = (visit.clone(), Arc::clone(&visit.session.caller));
            server
                .aside(move |server| {
                    super::deciding::person_at_terminal(server, &visitor)?;
                    super::deciding::require_terminal(server, None)
                })
                .await?;
            let how = ResumeRequest {
                decisions: vec![parse_ruling(&form)?],
                ..ResumeRequest::default()
            };
            submitted::resume_for_person(&server, &by, run, how).await?;
            "Ruled; the run continues.".to_owned()
        }
        "replay" => replay_run(&server, run).await?,
        _ => return layout::no_page().await,
    };
    visit.session.tell(said);
    Ok(redirect_response(&page))
}

/// Replays a run, and says whether everything was equal, else what differs first.
async fn replay_run(server: &Arc<HttpServer>, run: RunRecord) -> Result<String> {
    const SHOWN_CHARS: usize = 200;
    let stop = server.calls.child();
    let context = CallContext {
        // A replay repeats no effects.
        answer: ApprovalAnswer::Yes,
        stop,
        ..CallContext::of_run(&run)
    };
    let replayed = server
        .aside(move |server| server.toolkit.replay(&context, &run.id))
        .await?;
    let compared = &replayed.compared;
    let counts = format!(
        "{} computed again, {} taken from the record",
        count_phrase((compared.same + compared.divergences.len()) as u64, "call"),
        compared.taken
    );
    let shown = |value: &Value| shorten_text(&json::to_text(value), SHOWN_CHARS);
    Ok(match (compared.divergences.first(), replayed.is_same()) {
        (_, true) => format!("Replayed: identical, bit for bit ({counts})."),
        (Some(first), _) => format!(
            "Replayed: it differs first at `{}`, recorded {}, found {} ({counts}).",
            first.call,
            shown(&first.recorded),
            shown(&first.found)
        ),
        (None, _) => {
            let unreadable = compared.unreadable.iter();
            let unreadable = unreadable.map(|one| format!("{} cannot be read", one.what));
            let why: Vec<String> = replayed.reasons.iter().cloned().chain(unreadable).collect();
            format!("Replayed: not identical: {} ({counts}).", why.join("; "))
        }
    })
}

async fn cancel_run(
    server: &Arc<HttpServer>,
    visit: &ConsoleVisit,
    run: RunRecord,
) -> Result<&'static str> {
    let sees = |role: &str| visit.session.caller.sees(server, role);
    if let Some(chain) = server.chains.running(&run.id, sees) {
        chain.stop.cancel();
        return Ok("The run is being cancelled.");
    }
    server
        .aside(move |server| {
            let state = server.records()?;
            match server
                .toolkit
                .cancel(&CallContext::of_run(&run), &run.id, false)
            {
                Ok(_) => Ok("The run was cancelled."),
                Err(error) if error.is(Reason::RunBusy) => {
                    state.request_cancel(&run.id)?;
                    Ok("The process that executes the run was asked to cancel it.")
                }
                Err(error) => Err(error),
            }
        })
        .await
}

/// The ruling of a form: the call, and what became of it.
fn parse_ruling(form: &FormFields) -> Result<(String, OutcomeRuling)> {
    let call = form.get("call").unwrap_or_default().to_owned();
    let ruling = match form.get("outcome") {
        Some("again") => OutcomeRuling::Again,
        Some("failed") => OutcomeRuling::Failed,
        Some("done") => {
            let result = form
                .get("result")
                .map(str::trim)
                .filter(|text| !text.is_empty());
            let value = result.map(|text| parse_json(text, JsonLimits::default()));
            let value = value.transpose().map_err(|err| {
                tool_error!(InvalidArgs at "/result", "decision"; "the result of the call is not valid JSON: {err}"; "write `{{\"path\":\"a\"}}`, or nothing")
            })?;
            OutcomeRuling::Done(value.unwrap_or_default())
        }
        _ => return Err(tool_error!(InvalidRequest, "decision"; "the form has no outcome")),
    };
    Ok((call, ruling))
}
