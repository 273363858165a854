//! The beginning and the end of a session: by the link of the terminal, which opens once, or with a key.

use std::sync::Arc;

use axum::extract::{Extension, RawQuery, Request, State};
use axum::http::header::{HeaderValue, REFRESH, SET_COOKIE};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::Response;
use maud::{Markup, html};
use tool_core::{Result, ToolError, tool_error};

use super::super::callers::HttpCaller;
use super::super::reply;
use super::super::server::HttpServer;
use super::form::{self, FormFields};
use super::guard::{ConsoleVisit, redirect_response};
use super::layout::{self, PageReply};
use super::parts::error_block;
use super::sessions::{SessionOrigin, cookie_field};

/// Opens the link of the terminal: begins a session, once.
pub(super) async fn open_link(
    State(server): State<Arc<HttpServer>>,
    method: Method,
    RawQuery(query): RawQuery,
) -> PageReply {
    let query = FormFields::parse(&query.unwrap_or_default())?;
    let ticket = query.get("ticket").unwrap_or_default();
    let has_link = server.has_terminal_access() && method == Method::GET;
    if !(has_link && server.console.take_ticket(ticket)) {
        return Err(tool_error!(PolicyDenied, "ticket"; "this link was used, is too old, or is none of this server";
            "start `mathchain console` again: each start prints a link that opens once, within ten minutes")
        .into());
    }
    let caller = Arc::new(HttpCaller::new(&server, None));
    let mut response = begin_session(&server, SessionOrigin::Terminal, caller)?;
    // A page that another program opens is left by itself: the browser sends the cookie only between pages of this server.
    *response.status_mut() = StatusCode::OK;
    let body = html! {
        main id="main" tabindex="-1" {
            h1 { "You are signed in" }
            p { "This browser has a session of its own now; the link opens no other. " a href="/console" { "To the inbox" } }
        }
    };
    let page = layout::html_response(
        StatusCode::OK,
        layout::frame_document("Signed in", false, &body),
    );
    let (parts, body) = page.into_parts();
    *response.body_mut() = body;
    let fields = response.headers_mut();
    fields.extend(parts.headers);
    fields.insert(REFRESH, HeaderValue::from_static("0;url=/console"));
    Ok(response)
}

/// Shows the form for a key.
pub(super) async fn show_sign_in(State(server): State<Arc<HttpServer>>) -> Response {
    sign_in_page(&server, StatusCode::OK, None)
}

fn sign_in_page(server: &HttpServer, status: StatusCode, error: Option<&ToolError>) -> Response {
    let body = html! {
        header class="top" { span class="brand" { "mathchain" } }
        main id="main" class="narrow" tabindex="-1" {
            h1 { "Sign in" }
            @if let Some(error) = error { (error_block(error)) }
            @if server.has_terminal_access() {
                p { "At the machine where " code { "mathchain console" } " runs, open the link that it printed. It opens one browser, once; start the command again for another." }
                h2 { "Or with a key" }
            }
            (key_form())
        }
    };
    layout::html_response(status, layout::frame_document("Sign in", false, &body))
}

fn key_form() -> Markup {
    html! {
        form method="post" action="/console/sign-in" class="stacked" {
            label for="key" { "Key" }
            input id="key" name="key" type="password" required autocomplete="off" spellcheck="false" aria-describedby="key-help";
            p class="small" id="key-help" {
                code { "mathchain keys create NAME --role ROLE" } " makes one; with " code { "--approve" }
                " its holder decides requests of other roles. The key is sent once, and is stored neither here nor in the browser."
            }
            button class="main" { "Sign in" }
        }
    }
}

/// Begins a session with a key. There is no session yet whose form it could be: the origin of the page is what was checked.
pub(super) async fn sign_in(State(server): State<Arc<HttpServer>>, request: Request) -> PageReply {
    let form = form::read_any_form(&server, request).await?;
    let secret = form.get("key").unwrap_or_default().trim();
    let found = server.callers.of_secret(&server, secret);
    let begun = found.and_then(|caller| {
        if caller.key.as_ref().is_some_and(|key| key.metrics_only) {
            return Err(
                tool_error!(PolicyDenied, "metrics_only"; "this key reads the metrics and nothing else"; "use a key with a role"),
            );
        }
        begin_session(&server, SessionOrigin::Key, caller)
    });
    Ok(begun
        .unwrap_or_else(|error| sign_in_page(&server, reply::error_status(&error), Some(&error))))
}

fn begin_session(
    server: &HttpServer,
    origin: SessionOrigin,
    caller: Arc<HttpCaller>,
) -> Result<Response> {
    let secret = server.console.begin(origin, caller)?;
    let mut response = redirect_response("/console");
    set_cookie(&mut response, &cookie_field(server, Some(&secret)));
    Ok(response)
}

fn set_cookie(response: &mut Response, field: &str) {
    if let Ok(field) = HeaderValue::from_str(field) {
        response.headers_mut().insert(SET_COOKIE, field);
    }
}

/// Ends the session.
pub(super) async fn sign_out(
    State(server): State<Arc<HttpServer>>,
    Extension(visit): Extension<ConsoleVisit>,
    headers: HeaderMap,
    request: Request,
) -> PageReply {
    form::read_form(&server, &visit, request).await?;
    server.console.end(&server, &headers);
    let mut response = redirect_response("/console/sign-in");
    set_cookie(&mut response, &cookie_field(&server, None));
    Ok(response)
}
