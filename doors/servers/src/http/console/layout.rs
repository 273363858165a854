//! The frame of every page: head, navigation, what was done last, and pages of errors.

use std::sync::Arc;

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use journal::StateScope;
use maud::{DOCTYPE, Markup, html};
use tool_core::{ToolError, tool_error};

use super::super::approvals::approver_key;
use super::super::reply;
use super::super::server::HttpServer;
use super::assets;
use super::form::TOKEN_FIELD;
use super::guard::ConsoleVisit;
use super::parts::{OutsideText, error_block};
use super::sessions::ConsoleSession;

/// An error that ends a request for a page.
pub(super) struct PageError(ToolError);

impl From<ToolError> for PageError {
    fn from(error: ToolError) -> Self {
        Self(error)
    }
}

impl IntoResponse for PageError {
    fn into_response(self) -> Response {
        error_response(&self.0)
    }
}

/// What a handler of a page answers.
pub(super) type PageReply = Result<Response, PageError>;

/// The parts of the console, in the order of the navigation.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ConsoleSection {
    Inbox,
    Runs,
    Plans,
    Tools,
    Artifacts,
    Audit,
    Policy,
    Workflows,
}

const SECTIONS: [(ConsoleSection, &str, &str); 8] = [
    (ConsoleSection::Inbox, "/console", "Inbox"),
    (ConsoleSection::Runs, "/console/runs", "Runs"),
    (ConsoleSection::Plans, "/console/plans", "Plans"),
    (ConsoleSection::Tools, "/console/tools", "Tools"),
    (ConsoleSection::Artifacts, "/console/artifacts", "Artifacts"),
    (ConsoleSection::Workflows, "/console/workflows", "Workflows"),
    (ConsoleSection::Policy, "/console/policy", "Policy"),
    (ConsoleSection::Audit, "/console/audit", "Audit"),
];

/// What a page is made of.
pub(super) struct ConsolePage {
    pub(super) title: String,
    pub(super) section: ConsoleSection,
    /// Whether it is brought up to date while it is open.
    pub(super) is_live: bool,
    pub(super) body: Markup,
}

/// A page of a session.
pub(super) fn page_response(
    server: &HttpServer,
    visit: &ConsoleVisit,
    page: &ConsolePage,
) -> Response {
    let text = frame_document(
        &page.title,
        page.is_live,
        &html! {
            (page_header(server, &visit.session, page.section))
            main id="main" tabindex="-1" {
                @if let Some(told) = visit.session.take_told() {
                    p class="told" role="status" { (OutsideText(&told)) }
                }
                (page.body)
            }
        },
    );
    html_response(StatusCode::OK, text)
}

/// A whole document as an answer.
pub(super) fn html_response(status: StatusCode, text: Markup) -> Response {
    reply::text_response(status, "text/html; charset=utf-8", text.into_string())
}

/// The document around a page.
pub(super) fn frame_document(title: &str, is_live: bool, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (OutsideText(title)) " · mathchain" }
                link rel="icon" href=(assets::link_of("icon.svg"));
                link rel="stylesheet" href=(assets::link_of("console.css"));
                script src=(assets::link_of("console.js")) defer {}
            }
            body data-live[is_live] {
                a class="skip" href="#main" { "Skip to the content" }
                (body)
            }
        }
    }
}

fn page_header(server: &HttpServer, session: &ConsoleSession, current: ConsoleSection) -> Markup {
    let waiting = waiting_count(server, session);
    let role = session.caller.role(server);
    let name = session.caller.key.as_ref().map(|key| key.name.clone());
    html! {
        header class="top" id="top" {
            a class="brand" href="/console" { "mathchain" }
            nav aria-label="Console" {
                ul {
                    @for (section, link, name) in SECTIONS {
                        li {
                            a href=(link) aria-current=[(section == current).then_some("page")] {
                                (name)
                                @if let (ConsoleSection::Inbox, Some(count @ 1..)) = (section, waiting) {
                                    " " span class="count" { (count) span class="unseen" { " waiting" } }
                                }
                            }
                        }
                    }
                }
            }
            div class="who" {
                span class="live" id="live" role="status" {}
                span {
                    @match &name {
                        Some(name) => { "key " b { (OutsideText(name)) } }
                        None => "terminal",
                    }
                    " as " code { (OutsideText(&role)) }
                }
                form method="post" action="/console/sign-out" {
                    (form_token(session))
                    button class="plain" { "Sign out" }
                }
            }
        }
    }
}

/// The approvals that wait, for who may see them.
fn waiting_count(server: &HttpServer, session: &ConsoleSession) -> Option<u64> {
    let is_shown = match session.caller.key {
        Some(_) => approver_key(&session.caller).is_ok(),
        None => session.caller.role(server) == journal::OPERATOR,
    };
    let state = server.toolkit.state().filter(|_| is_shown)?;
    let scope = StateScope::workspace(server.toolkit.workspace_id());
    state.approvals_pending(&scope).ok()
}

/// The field of a form that no other page can make.
pub(super) fn form_token(session: &ConsoleSession) -> Markup {
    html! { input type="hidden" name=(TOKEN_FIELD) value=(session.form_token); }
}

/// An error as a page, with the status that fits.
pub(super) fn error_response(error: &ToolError) -> Response {
    let status = reply::error_status(error);
    let body = html! {
        header class="top" { a class="brand" href="/console" { "mathchain" } }
        main id="main" tabindex="-1" {
            h1 { (error_title(status)) }
            (error_block(error))
            p { a href="/console" { "To the inbox" } }
        }
    };
    html_response(status, frame_document(error_title(status), false, &body))
}

fn error_title(status: StatusCode) -> &'static str {
    match status {
        StatusCode::NOT_FOUND => "Not found",
        StatusCode::UNAUTHORIZED => "Not signed in",
        StatusCode::FORBIDDEN => "Not permitted",
        StatusCode::CONFLICT => "Not any more",
        StatusCode::TOO_MANY_REQUESTS => "Too many requests",
        _ => "It did not work",
    }
}

/// A path that is no page.
pub(super) async fn no_page() -> PageReply {
    Err(tool_error!(InvalidRequest, "no_path"; "there is no such page").into())
}

/// Makes a page on a thread, so that no other request waits for the state.
///
/// # Errors
/// Those of the work.
pub(super) async fn build_page(
    server: &Arc<HttpServer>,
    visit: ConsoleVisit,
    work: impl FnOnce(&HttpServer, &ConsoleVisit) -> tool_core::Result<ConsolePage> + Send + 'static,
) -> PageReply {
    let made = server
        .aside(move |server| {
            let page = work(server, &visit)?;
            Ok(page_response(server, &visit, &page))
        })
        .await;
    Ok(made?)
}
