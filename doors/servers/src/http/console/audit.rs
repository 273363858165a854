//! `/console/audit`: records that a caller sees, found by tool, role and status; the check of every chain for the operator.

use std::sync::Arc;

use axum::extract::{Extension, Path, RawQuery, Request, State};
use journal::{AuditFilter, AuditRecord};
use maud::{Markup, html};
use tool_core::brief::count_phrase;
use tool_core::{Result, Value, json, tool_error};

use super::super::server::HttpServer;
use super::form::{self, FormFields, encode_part, link_to};
use super::guard::ConsoleVisit;
use super::layout::{self, ConsolePage, ConsoleSection, PageReply, form_token};
use super::parts::{OutsideText, empty_block, page_links, state_badge, time_element};
use super::values::value_block;

/// Records of a page, and pages that can be reached; `audit export` has all.
const SHOWN: usize = 50;
const PAGES_MAX: usize = 40;
/// What a record may have as its status.
const STATUSES: [&str; 3] = ["success", "error", "pending_approval"];

/// Lists records, newest first.
pub(super) async fn list_records(
    State(server): State<Arc<HttpServer>>,
    Extension(visit): Extension<ConsoleVisit>,
    RawQuery(query): RawQuery,
) -> PageReply {
    let query = FormFields::parse(&query.unwrap_or_default())?;
    layout::build_page(&server, visit, move |server, visit| {
        Ok(ConsolePage {
            title: "Audit".to_owned(),
            section: ConsoleSection::Audit,
            is_live: true,
            body: audit_body(server, visit, &query)?,
        })
    })
    .await
}

/// The filter of a query, within what the caller sees.
fn filter_of(server: &HttpServer, visit: &ConsoleVisit, query: &FormFields) -> AuditFilter {
    let own = AuditFilter::of(&visit.session.caller.scope(server));
    let text = |name: &str| query.get(name).map(|text| text.trim().to_owned());
    AuditFilter {
        tool: text("tool"),
        status: text("status"),
        role: own.role.clone().or_else(|| text("role")),
        ..own
    }
}

fn audit_body(server: &HttpServer, visit: &ConsoleVisit, query: &FormFields) -> Result<Markup> {
    let filter = filter_of(server, visit, query);
    let page = query.number("page").min(PAGES_MAX);
    let until = (page + 1) * SHOWN;
    let records = server.records()?.audit_matching(&filter, until + 1)?;
    let field = |name: &str| query.get(name).unwrap_or_default();
    let link = |page: usize| {
        let page = if page == 0 {
            String::new()
        } else {
            page.to_string()
        };
        link_to(
            "/console/audit",
            &[
                ("tool", field("tool")),
                ("role", field("role")),
                ("status", field("status")),
                ("page", &page),
            ],
        )
    };
    let newer = (page > 0).then(|| link(page - 1));
    let older = (records.len() > until && page < PAGES_MAX).then(|| link(page + 1));
    let shown = records.get(page * SHOWN..).unwrap_or_default();
    let shown = &shown[..shown.len().min(SHOWN)];
    let is_operator = visit.session.caller.role(server) == journal::OPERATOR;
    Ok(html! {
        h1 { "Audit" }
        form class="search wrap" action="/console/audit" role="search" {
            label for="tool" { "Tool" } input id="tool" name="tool" value=(field("tool"));
            @if is_operator { label for="role" { "Role" } input id="role" name="role" value=(field("role")); }
            label for="status" { "Status" }
            select id="status" name="status" {
                option value="" { "any" }
                @for one in STATUSES { option value=(one) selected[field("status") == one] { (one.replace('_', " ")) } }
            }
            button { "Search" }
        }
        @if is_operator {
            form method="post" action="/console/audit/verify" class="actions" {
                (form_token(&visit.session))
                button { "Verify every chain" }
                span class="small" { "reads all records and the values that they name; it may take a while" }
            }
        }
        @if shown.is_empty() { (empty_block("No record is like that.")) }
        @else { (records_table(shown)) (page_links((newer.as_deref(), "Newer"), (older.as_deref(), "Older"))) }
    })
}

fn records_table(shown: &[AuditRecord]) -> Markup {
    html! {
        div class="scroll" tabindex="0" role="region" aria-label="Records" {
            table class="rows" {
                thead { tr { th scope="col" { "When" } th scope="col" { "What" } th scope="col" { "Tool" } th scope="col" { "Role" } th scope="col" { "Status" } th scope="col" { "Record" } } }
                tbody {
                    @for one in shown {
                        @let text = |key: &str| one.record.text(key).unwrap_or_default();
                        @let name = format!("{}:{}", one.session, one.sequence);
                        tr id={ "record-" (name) } {
                            td { (time_element(recorded_ms(one))) }
                            td { (OutsideText(one.record.text("event").or(one.record.text("kind")).unwrap_or("-"))) }
                            td { (OutsideText(text("tool"))) }
                            td { (OutsideText(text("role"))) }
                            td { @if !text("status").is_empty() { (state_badge(text("status"))) } }
                            th scope="row" { a href={ "/console/audit/" (encode_part(&name)) } { code { (OutsideText(&name)) } } }
                        }
                    }
                }
            }
        }
    }
}

fn recorded_ms(record: &AuditRecord) -> u64 {
    let recorded = record.record.get("recorded_ms").and_then(Value::as_i64);
    recorded.unwrap_or(0).unsigned_abs()
}

/// Shows one record.
pub(super) async fn show_record(
    State(server): State<Arc<HttpServer>>,
    Extension(visit): Extension<ConsoleVisit>,
    Path(name): Path<String>,
) -> PageReply {
    layout::build_page(&server, visit, move |server, visit| {
        let filter = AuditFilter::of(&visit.session.caller.scope(server));
        let found = server.records()?.audit_find(&filter, &name)?;
        let body = html! {
            p class="crumbs" { a href="/console/audit" { "Audit" } }
            h1 { "Record " code { (OutsideText(&found.session)) ":" (found.sequence) } }
            p { (time_element(recorded_ms(&found))) }
            (value_block(&found.record))
            p class="small" { "hash " code { (found.hash) } }
            details { summary { "As JSON" } pre tabindex="0" { (OutsideText(&json::to_text(&found.record))) } }
        };
        Ok(ConsolePage { title: "Record".to_owned(), section: ConsoleSection::Audit, is_live: false, body })
    })
    .await
}

/// Verifies every chain and the values that runs refer to.
pub(super) async fn verify_records(
    State(server): State<Arc<HttpServer>>,
    Extension(visit): Extension<ConsoleVisit>,
    request: Request,
) -> PageReply {
    form::read_form(&server, &visit, request).await?;
    layout::build_page(&server, visit, move |server, visit| {
        if visit.session.caller.role(server) != journal::OPERATOR {
            return Err(tool_error!(PolicyDenied, "operator"; "only the operator verifies the records of every role"));
        }
        let found = server.records()?.verify(&[], true)?;
        let head = found.head.as_ref().map(ToString::to_string);
        let body = html! {
            p class="crumbs" { a href="/console/audit" { "Audit" } }
            h1 { "Verification " @if found.is_sound() { (state_badge("succeeded")) } @else { (state_badge("failed")) } }
            p {
                (count_phrase(found.records, "record")) " in " (count_phrase(found.sessions, "chain"))
                @if let Some(values) = found.values { ", " (count_phrase(values, "value")) }
                @if found.is_sound() { ": every hash is as it was written." } @else { ": something was changed." }
            }
            @if !found.faults.is_empty() {
                ul { @for fault in &found.faults { li class="error" { code { (OutsideText(&fault.session)) ":" (fault.sequence) } " " (OutsideText(&fault.message)) } } }
            }
            @if let Some(head) = &head {
                p { "Store this head elsewhere: " code { "mathchain audit verify --head " (OutsideText(head)) } " then shows, too, that nothing newer was removed." }
            }
        };
        Ok(ConsolePage { title: "Verification".to_owned(), section: ConsoleSection::Audit, is_live: false, body })
    })
    .await
}
