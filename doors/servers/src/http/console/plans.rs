//! `/console/plans`: a plan is written, checked as one types, explained, and run with its inputs.

use std::sync::Arc;

use axum::extract::{Extension, RawQuery, Request, State};
use axum::http::StatusCode;
use chain_runtime::draw::{self, DrawingFormat};
use chain_runtime::run as chains;
use chain_runtime::{CheckMode, CheckedPlan, Plan, PlanProblems};
use maud::{Markup, html};
use registry::ApprovalAnswer;
use tool_core::brief::count_phrase;
use tool_core::{Object, Result, ToolError, json, tool_error};

use super::super::chains::submit_for_person;
use super::super::server::HttpServer;
use super::form::{self, FormFields};
use super::guard::{ConsoleVisit, redirect_response};
use super::layout::{self, ConsolePage, ConsoleSection, PageReply, form_token};
use super::parts::{OutsideMessage, OutsideText, error_block, visible_json};
use crate::recorded;
use mathchain::CallContext;

/// What an empty editor begins with.
const STARTER: &str = "version: 1
id: first
inputs:
  n: {type: integer, minimum: 1, maximum: 100, default: 5}
steps:
  - {id: squares, tool: calculate, args: {expression: \"n*(n+1)*(2*n+1)/6\", variables: {n: {$ref: inputs.n}}}}
  - {id: half, tool: calculate, args: {expression: \"s/2\", variables: {s: {$ref: squares.value}}}}
outputs:
  half: {$ref: half.value}
";
/// Steps of a plan that is drawn; a larger one is explained in words alone.
const DRAWN_MAX: usize = 100;

/// A plan as it is written, and its inputs as JSON.
struct PlanDraft {
    plan: String,
    inputs: String,
}

impl PlanDraft {
    fn of_form(form: &FormFields) -> Self {
        // A browser writes line ends in its own way.
        let text = |name| form.get(name).unwrap_or_default().replace("\r\n", "\n");
        Self {
            plan: text("plan"),
            inputs: text("inputs"),
        }
    }

    /// The plan and its inputs.
    fn read(&self, server: &HttpServer) -> Result<(Plan, Object), DraftFault> {
        let plan = Plan::read("-", &self.plan)?.with_defaults(server.toolkit.chain_defaults());
        let inputs = match self.inputs.trim() {
            "" => Object::new(),
            text => {
                let value = mathchain::parse_json(text)?;
                value.as_object().cloned().ok_or_else(|| {
                    tool_error!(InvalidArgs at "/inputs"; "expected the inputs as an object, found {}", value.kind(); "such as `{{\"n\": 5}}`")
                })?
            }
        };
        Ok((plan, inputs))
    }

    fn check(
        &self,
        server: &HttpServer,
        visit: &ConsoleVisit,
    ) -> Result<Box<CheckedPlan>, DraftFault> {
        let (plan, inputs) = self.read(server)?;
        let context = CallContext {
            // Who runs it is asked then.
            answer: ApprovalAnswer::Yes,
            ..visit.session.caller.context.clone()
        };
        let checked = server
            .toolkit
            .check(&context, &plan, &inputs, CheckMode::Inspect)?;
        Ok(Box::new(checked))
    }
}

/// Why there is no checked plan.
enum DraftFault {
    Plan(PlanProblems),
    Other(ToolError),
}

impl From<PlanProblems> for DraftFault {
    fn from(problems: PlanProblems) -> Self {
        Self::Plan(problems)
    }
}

impl From<ToolError> for DraftFault {
    fn from(error: ToolError) -> Self {
        Self::Other(error)
    }
}

/// Shows the editor: empty, or with the plan of a recorded run.
pub(super) async fn show_editor(
    State(server): State<Arc<HttpServer>>,
    Extension(visit): Extension<ConsoleVisit>,
    RawQuery(query): RawQuery,
) -> PageReply {
    let query = FormFields::parse(&query.unwrap_or_default())?;
    layout::build_page(&server, visit, move |server, visit| {
        let draft = match query.get("run") {
            Some(id) => recorded_draft(server, visit, id)?,
            None => PlanDraft {
                plan: STARTER.to_owned(),
                inputs: String::new(),
            },
        };
        Ok(editor_page(server, visit, &draft, None))
    })
    .await
}

/// The plan of a run with the inputs that were given.
fn recorded_draft(server: &HttpServer, visit: &ConsoleVisit, id: &str) -> Result<PlanDraft> {
    let (state, scope) = (server.records()?, visit.session.caller.scope(server));
    let run = recorded::visible_run(state, &scope, id)?;
    let written = state.value(&run.plan)?;
    let plan = written.get("plan").unwrap_or(&written);
    let (_, inputs) = chains::load_recorded_plan(state, &run.id)?;
    Ok(PlanDraft {
        plan: visible_json(&one_step_a_line(plan)),
        inputs: match inputs.is_empty() {
            true => String::new(),
            false => visible_json(&json::to_text(&inputs.into())),
        },
    })
}

/// A plan as JSON with a line for each member and each step.
fn one_step_a_line(plan: &tool_core::Value) -> String {
    let none = Object::new();
    let members = plan.as_object().unwrap_or(&none).iter();
    let lines = members.map(|(name, value)| {
        let name = json::to_text(&name.into());
        match (name.as_str(), value.items()) {
            ("\"steps\"", Some(steps)) => {
                let steps: Vec<String> = steps.iter().map(json::to_text).collect();
                format!("  {name}: [\n    {}\n  ]", steps.join(",\n    "))
            }
            _ => format!("  {name}: {}", json::to_text(value)),
        }
    });
    let lines: Vec<String> = lines.collect();
    format!("{{\n{}\n}}\n", lines.join(",\n"))
}

/// Checks a plan, or runs it.
pub(super) async fn submit_draft(
    State(server): State<Arc<HttpServer>>,
    Extension(visit): Extension<ConsoleVisit>,
    request: Request,
) -> PageReply {
    let form = form::read_form(&server, &visit, request).await?;
    let draft = PlanDraft::of_form(&form);
    let mut refusal = None;
    // A plan that cannot be read is checked below, which says what is wrong.
    if let (Some("run"), Ok((plan, inputs))) = (form.get("act"), draft.read(&server)) {
        match submit_for_person(&server, &visit.session.caller, plan, inputs).await {
            Ok(run) => return Ok(redirect_response(&format!("/console/runs/{run}"))),
            Err(error) => refusal = Some(error),
        }
    }
    let visitor = visit.clone();
    let (page, is_valid) = server
        .aside(move |server| {
            // What only a run lacks, such as an input, is no problem of the plan.
            let checked = match (draft.check(server, &visitor), refusal) {
                (Ok(_), Some(error)) => Err(DraftFault::Other(error)),
                (checked, _) => checked,
            };
            let page = editor_page(server, &visitor, &draft, Some(&checked));
            Ok((page, checked.is_ok()))
        })
        .await?;
    let mut response = layout::page_response(&server, &visit, &page);
    if !is_valid {
        *response.status_mut() = StatusCode::UNPROCESSABLE_ENTITY;
    }
    Ok(response)
}

type Checked = Result<Box<CheckedPlan>, DraftFault>;

fn editor_page(
    server: &HttpServer,
    visit: &ConsoleVisit,
    draft: &PlanDraft,
    checked: Option<&Checked>,
) -> ConsolePage {
    let rows = draft.plan.lines().count().clamp(12, 30);
    let body = html! {
        h1 { "Plans" }
        p class="small" { "YAML, JSON or a call script, with the keys of " code { "mathchain schema plan" } ". It runs as " code { (OutsideText(&visit.session.caller.role(server))) } "; what needs approval waits in the inbox." }
        form method="post" action="/console/plans" data-check="checked" {
            (form_token(&visit.session))
            label for="plan" { "Plan" }
            textarea id="plan" name="plan" rows=(rows) spellcheck="false" data-keep required { (draft.plan) }
            label for="inputs" { "Inputs, as JSON" }
            textarea id="inputs" name="inputs" rows="2" spellcheck="false" data-keep placeholder="{\"n\": 5}" { (draft.inputs) }
            div class="actions" {
                button class="main" name="act" value="run" { "Run" }
                button name="act" value="check" { "Check and explain" }
            }
        }
        section id="checked" aria-live="polite" { @if let Some(checked) = checked { (checked_block(checked)) } }
    };
    ConsolePage {
        title: "Plans".to_owned(),
        section: ConsoleSection::Plans,
        is_live: false,
        body,
    }
}

/// The problems of a plan, or what would happen.
fn checked_block(checked: &Checked) -> Markup {
    match checked {
        Err(DraftFault::Other(error)) => error_block(error),
        Err(DraftFault::Plan(problems)) => {
            let count = problems.list().len() + problems.more();
            html! {
                h2 { (count_phrase(count as u64, "problem")) }
                ul class="problems" {
                    @for problem in problems.list() {
                        li class="error" {
                            @if let Some((line, column)) = problem.place { b { "line " (line) ", column " (column) ": " } }
                            (OutsideMessage(&problem.message))
                            @if !problem.pointer.is_empty() { " " code class="small" { (OutsideText(&problem.pointer)) } }
                            @if let Some(hint) = &problem.hint { p { "Next: " (OutsideMessage(hint)) } }
                        }
                    }
                }
                @if problems.more() > 0 { p class="small" { "and " (problems.more()) " more" } }
            }
        }
        Ok(plan) => {
            let waits = plan.steps.iter().filter(|step| step.needs_approval());
            let waits: Vec<&str> = waits.map(|step| &*step.id).collect();
            let drawn = (plan.steps.len() <= DRAWN_MAX)
                .then(|| draw::draw_plan(plan, DrawingFormat::Text).ok())
                .flatten();
            html! {
                h2 { "Valid" }
                p {
                    (count_phrase(plan.steps.len() as u64, "step")) " in " (count_phrase(plan.graph.waves().len() as u64, "wave"))
                    @if !waits.is_empty() { "; waits for a person at " (OutsideText(&waits.join(", "))) }
                    @if !plan.open_inputs.is_empty() { "; needs the inputs " (OutsideText(&plan.open_inputs.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))) }
                    "."
                }
                @for note in &plan.notes { p class="note" { (OutsideMessage(note)) } }
                @if let Some(drawn) = drawn { pre tabindex="0" { (OutsideText(&drawn)) } }
                details { summary { "What happens, in order" } pre tabindex="0" { (OutsideText(&plan.explain_text())) } }
            }
        }
    }
}
