//! `/console/policy`: who may do what, and why: an explanation of one decision, and a table of roles and tools.

use std::sync::Arc;

use axum::extract::{Extension, RawQuery, State};
use maud::{Markup, html};
use registry::policy::{Access, DecisionExplanation};
use tool_core::{Result, tool_error};

use super::super::server::HttpServer;
use super::form::FormFields;
use super::guard::ConsoleVisit;
use super::layout::{self, ConsolePage, ConsoleSection, PageReply};
use super::parts::{OutsideMessage, OutsideText, empty_block, error_block, state_badge};

/// Tools of the table; words narrow it.
const TOOLS_MAX: usize = 60;

/// Shows the policy: the operator sees every role, others their own.
pub(super) async fn show_policy(
    State(server): State<Arc<HttpServer>>,
    Extension(visit): Extension<ConsoleVisit>,
    RawQuery(query): RawQuery,
) -> PageReply {
    let query = FormFields::parse(&query.unwrap_or_default())?;
    layout::build_page(&server, visit, move |server, visit| {
        Ok(ConsolePage {
            title: "Policy".to_owned(),
            section: ConsoleSection::Policy,
            is_live: false,
            body: policy_body(server, visit, &query)?,
        })
    })
    .await
}

fn policy_body(server: &HttpServer, visit: &ConsoleVisit, query: &FormFields) -> Result<Markup> {
    let own = visit.session.caller.role(server);
    let is_operator = own == journal::OPERATOR;
    let dispatcher = server.toolkit.dispatcher();
    let roles: Vec<String> = match is_operator {
        true => {
            let roles = dispatcher.policy().roles();
            roles.map(|(name, _)| name.to_owned()).collect()
        }
        false => vec![own.clone()],
    };
    let role = query.get("role").unwrap_or(&own);
    let (tool, args) = (
        query.get("tool").unwrap_or_default().trim(),
        query.get("args").unwrap_or_default(),
    );
    let explained = match tool {
        "" => None,
        tool => Some(explain_decision(server, visit, &roles, (role, tool, args))),
    };
    let search = query.get("q").unwrap_or_default();
    Ok(html! {
        h1 { "Policy" }
        section aria-labelledby="explain" {
            h2 id="explain" { "Explain a decision" }
            form class="search wrap" action="/console/policy" {
                label for="role" { "Role" }
                select id="role" name="role" { @for one in &roles { option value=(one) selected[one == role] { (OutsideText(one)) } } }
                label for="tool" { "Tool" } input id="tool" name="tool" value=(tool) required;
                label for="args" { "Arguments as JSON, if they matter" } input id="args" name="args" value=(args) spellcheck="false";
                button { "Explain" }
            }
            @match &explained {
                None => {}
                Some(Ok(explanation)) => (explanation_block(explanation)),
                Some(Err(error)) => (error_block(error)),
            }
        }
        section aria-labelledby="table" {
            h2 id="table" { @if is_operator { "Roles and tools" } @else { "Tools of " code { (OutsideText(&own)) } } }
            form class="search" action="/console/policy" role="search" {
                label for="q" class="unseen" { "Part of the name of a tool" }
                input id="q" name="q" type="search" value=(search) placeholder="Part of the name of a tool";
                button { "Search" }
            }
            (access_table(server, &roles, search)?)
        }
    })
}

fn explain_decision(
    server: &HttpServer,
    visit: &ConsoleVisit,
    roles: &[String],
    (role, tool, args): (&str, &str, &str),
) -> Result<DecisionExplanation> {
    if !roles.iter().any(|one| one == role) {
        return Err(
            tool_error!(PolicyDenied, "role"; "the role `{role}` is not explained here"; "the operator sees every role"),
        );
    }
    let args = match args.trim() {
        "" => None,
        text => Some(mathchain::parse_json(text)?),
    };
    let context = visit.session.caller.context.clone().role(role);
    server.toolkit.explain(&context, tool, args.as_ref())
}

fn explanation_block(explanation: &DecisionExplanation) -> Markup {
    let decision = &explanation.decision;
    html! {
        article class="card" {
            h3 { code { (OutsideText(&explanation.tool)) } " as " code { (OutsideText(&explanation.role)) } " " (state_badge(decision.verdict.as_str())) }
            p {
                "By " b { (OutsideMessage(decision.layer.as_ref())) } ": " (OutsideMessage(&decision.reason))
                @if !decision.certain { ", unless a rule on the arguments says otherwise" }
            }
            @if let Some(file) = &explanation.file { p class="small" { "written in " code { (OutsideText(file)) @if let Some(line) = explanation.line { ":" (line) } } } }
            @if let Some(what) = &explanation.what_would_allow { p { "To allow it: " (OutsideMessage(what)) } }
            @for step in &explanation.limits { p { "Limit of " code { (OutsideText(&step.rule)) } ": " (OutsideMessage(&step.phrase)) } }
            details {
                summary { "Every layer and rule" }
                ul {
                    @for step in &explanation.layers { li { b { (OutsideMessage(&step.layer)) } ": " (OutsideText(step.effect)) } }
                    @for step in &explanation.rules {
                        li { b { (OutsideMessage(&step.layer)) } " " (OutsideText(&step.rule)) ": " (step.decision.as_str()) " (" (OutsideText(step.fit)) @if !step.counts { ", ignored" } ")" }
                    }
                }
            }
        }
    }
}

/// A row for each tool, a column for each role.
fn access_table(server: &HttpServer, roles: &[String], search: &str) -> Result<Markup> {
    let dispatcher = server.toolkit.dispatcher();
    let catalogue = dispatcher.catalogue();
    let rows = dispatcher
        .policy()
        .matrix(catalogue, None, dispatcher.facts())?;
    let columns: Vec<_> = rows
        .iter()
        .filter(|row| roles.contains(&row.role))
        .collect();
    let ids: Vec<(usize, &str)> = catalogue
        .iter()
        .map(|tool| tool.spec().id)
        .enumerate()
        .filter(|(_, id)| id.contains(search.trim()))
        .collect();
    let more = ids.len().saturating_sub(TOOLS_MAX);
    Ok(html! {
        @if ids.is_empty() { (empty_block("No tool is called like that.")) }
        @else {
            p class="small" { "yes: runs; ask: needs approval; no: is seen and does not run; an empty cell: is not seen" }
            div class="scroll" tabindex="0" role="region" aria-label="Table of roles and tools" {
                table class="grid" {
                    thead { tr { th scope="col" { "Tool" } @for column in &columns { th scope="col" { (OutsideText(&column.role)) } } } }
                    tbody {
                        @for (place, id) in ids.iter().take(TOOLS_MAX) {
                            tr {
                                th scope="row" { (id) }
                                @for column in &columns { (access_cell(column.access.get(*place))) }
                            }
                        }
                    }
                }
            }
            @if more > 0 { p class="small" { (more) " more tools: search for a part of their names" } }
        }
    })
}

fn access_cell(access: Option<&Access>) -> Markup {
    let (class, words) = match access {
        Some(Access::Hidden) | None => ("", ""),
        Some(Access::Allow) => ("good", "yes"),
        Some(Access::Ask) => ("waits", "ask"),
        Some(Access::Deny) => ("bad", "no"),
    };
    html! { td class=(class) { (words) } }
}
