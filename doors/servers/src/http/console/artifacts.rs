//! `/console/artifacts`: large values that a caller sees: the first of each, a picture of numbers, and the file.

use std::sync::Arc;

use axum::extract::{Extension, Path, RawQuery, State};
use axum::http::StatusCode;
use axum::http::header::{CONTENT_DISPOSITION, HeaderValue};
use journal::StoredArtifact;
use journal::artifacts::ArtifactKind;
use maud::{Markup, html};
use tool_core::{Result, Value, json, tool_error};

use super::super::reply;
use super::super::server::HttpServer;
use super::form::{FormFields, encode_part, link_to};
use super::guard::ConsoleVisit;
use super::layout::{self, ConsolePage, ConsoleSection, PageReply};
use super::parts::{OutsideText, empty_block, page_links, size_words, time_element};
use super::values::value_block;

/// Artifacts of a page, and pages that can be reached.
const SHOWN: usize = 50;
const PAGES_MAX: usize = 100;
/// Largest value that is opened to be looked at, and to be sent, in bytes.
const LOOKED_BYTES_MAX: u64 = 32 << 20;
const SENT_BYTES_MAX: u64 = 256 << 20;
/// Numbers of a picture.
const POINTS_MAX: usize = 600;

/// Lists artifacts, newest first.
pub(super) async fn list_artifacts(
    State(server): State<Arc<HttpServer>>,
    Extension(visit): Extension<ConsoleVisit>,
    RawQuery(query): RawQuery,
) -> PageReply {
    let query = FormFields::parse(&query.unwrap_or_default())?;
    layout::build_page(&server, visit, move |server, visit| {
        let page = query.number("page").min(PAGES_MAX);
        let scope = visit.session.caller.scope(server);
        let listed = server
            .records()?
            .artifacts_in(&scope, (page + 1) * SHOWN + 1)?;
        let has_more = listed.len() > (page + 1) * SHOWN && page < PAGES_MAX;
        let shown: Vec<&StoredArtifact> = listed.iter().skip(page * SHOWN).take(SHOWN).collect();
        let link = |page: usize| {
            let page = if page == 0 { String::new() } else { page.to_string() };
            link_to("/console/artifacts", &[("page", &page)])
        };
        let newer = (page > 0).then(|| link(page - 1));
        let older = has_more.then(|| link(page + 1));
        let body = html! {
            h1 { "Artifacts" }
            @if shown.is_empty() { (empty_block("No large value is stored: results of more than a few kilobytes come here.")) }
            @else { (artifacts_table(&shown)) (page_links((newer.as_deref(), "Newer"), (older.as_deref(), "Older"))) }
        };
        Ok(ConsolePage { title: "Artifacts".to_owned(), section: ConsoleSection::Artifacts, is_live: true, body })
    })
    .await
}

fn artifacts_table(shown: &[&StoredArtifact]) -> Markup {
    html! {
        div class="scroll" tabindex="0" role="region" aria-label="Artifacts" {
            table class="rows" {
                thead { tr { th scope="col" { "Value" } th scope="col" { "Content" } th scope="col" { "Size" } th scope="col" { "Made" } th scope="col" { "Runs" } } }
                tbody {
                    @for one in shown {
                        @let name = one.handle.hash.to_string();
                        tr id={ "artifact-" (name) } {
                            th scope="row" { a href={ "/console/artifacts/" (encode_part(&name)) } { code { (name.chars().take(15).collect::<String>()) } } }
                            td { (OutsideText(&content_words(&one.handle.kind))) }
                            td class="number" { (size_words(one.handle.bytes())) }
                            td { (time_element(one.created_ms)) }
                            td { @for run in one.runs.iter().take(3) { a href={ "/console/runs/" (run) } { code { (run) } } " " } @if one.runs.len() > 3 { "…" } }
                        }
                    }
                }
            }
        }
    }
}

/// What a value is, in words.
fn content_words(kind: &ArtifactKind) -> String {
    match kind {
        ArtifactKind::Npy { shape, summary, .. } => {
            let extents: Vec<String> = shape.iter().map(usize::to_string).collect();
            let summary = summary.to_string().replace(['{', '}', '"'], "");
            let summary = summary.replace(':', " ").replace(',', ", ");
            format!("numbers {}: {summary}", extents.join(" × "))
        }
        ArtifactKind::Json { .. } => "JSON".to_owned(),
        ArtifactKind::Small => "small value".to_owned(),
    }
}

/// Shows an artifact.
pub(super) async fn show_artifact(
    State(server): State<Arc<HttpServer>>,
    Extension(visit): Extension<ConsoleVisit>,
    Path(handle): Path<String>,
) -> PageReply {
    layout::build_page(&server, visit, move |server, visit| {
        let (state, scope) = (server.records()?, visit.session.caller.scope(server));
        let opened = state.open_in(&scope, &handle, LOOKED_BYTES_MAX);
        // One that is too large to be opened is seen all the same.
        let value = match opened {
            Ok(value) => Some(value),
            Err(error) if error.code() == tool_core::ErrorCode::LimitExceeded => None,
            Err(error) => return Err(error),
        };
        let found = state.artifact_named(&handle)?;
        let name = found.handle.hash.to_string();
        let path = format!("/console/artifacts/{}", encode_part(&name));
        let body = html! {
            p class="crumbs" { a href="/console/artifacts" { "Artifacts" } }
            h1 { "Value " code { (name.chars().take(15).collect::<String>()) } }
            p { (OutsideText(&content_words(&found.handle.kind))) " · " (size_words(found.handle.bytes())) " · made " (time_element(found.created_ms)) }
            div class="actions" {
                @if matches!(found.handle.kind, ArtifactKind::Npy { .. }) { a class="button" href={ (path) "/npy" } { "Download as .npy" } }
                a class="button" href={ (path) "/json" } { "Download as JSON" }
            }
            @match &value {
                Some(value) => { @if let Some(picture) = series_picture(value) { (picture) } (value_block(value)) }
                None => p class="note" { "It is too large to be shown here." },
            }
            p class="small" { code { (name) } }
        };
        Ok(ConsolePage { title: "Value".to_owned(), section: ConsoleSection::Artifacts, is_live: false, body })
    })
    .await
}

/// A line through the numbers of a list, where a value is one; of many, the least and the greatest of each part.
fn series_picture(value: &Value) -> Option<Markup> {
    const WIDTH: f64 = 600.0;
    const HEIGHT: f64 = 120.0;
    let numbers = value.as_numbers()?.as_slice();
    let finite: Vec<f64> = numbers
        .iter()
        .copied()
        .filter(|one| one.is_finite())
        .collect();
    let (least, most) = (
        finite.iter().copied().reduce(f64::min)?,
        finite.iter().copied().reduce(f64::max)?,
    );
    if finite.len() < 3
        || finite.len() < numbers.len()
        || value.items()?.first()?.as_f64().is_none()
    {
        return None;
    }
    let part = finite.len().div_ceil(POINTS_MAX / 2);
    let mut points: Vec<f64> = Vec::new();
    for chunk in finite.chunks(part) {
        let low = chunk.iter().copied().reduce(f64::min)?;
        let high = chunk.iter().copied().reduce(f64::max)?;
        points.push(low);
        if part > 1 {
            points.push(high);
        }
    }
    let span = if most > least { most - least } else { 1.0 };
    let across = WIDTH / (points.len() - 1).max(1) as f64;
    let place = |(number, value): (usize, &f64)| {
        let (x, y) = (
            number as f64 * across,
            HEIGHT - (value - least) / span * HEIGHT,
        );
        format!("{x:.1},{y:.1}")
    };
    let line = points
        .iter()
        .enumerate()
        .map(place)
        .collect::<Vec<_>>()
        .join(" ");
    Some(html! {
        figure {
            svg class="series" viewBox="-2 -4 604 128" role="img" aria-label={ "Line through " (finite.len()) " numbers from " (least) " to " (most) } {
                polyline points=(line) {}
            }
            figcaption class="small" { (finite.len()) " numbers from " (least) " to " (most) }
        }
    })
}

/// Sends the content of an artifact as a file.
pub(super) async fn download_artifact(
    State(server): State<Arc<HttpServer>>,
    Extension(visit): Extension<ConsoleVisit>,
    Path((handle, format)): Path<(String, String)>,
) -> PageReply {
    let (bytes, name) = server
        .aside(move |server| file_of(server, &visit, &handle, &format))
        .await?;
    let mut response = reply::text_response(StatusCode::OK, "application/octet-stream", bytes);
    if let Ok(stated) = HeaderValue::from_str(&format!("attachment; filename=\"{name}\"")) {
        response.headers_mut().insert(CONTENT_DISPOSITION, stated);
    }
    Ok(response)
}

fn file_of(
    server: &HttpServer,
    visit: &ConsoleVisit,
    handle: &str,
    format: &str,
) -> Result<(Vec<u8>, String)> {
    let (state, scope) = (server.records()?, visit.session.caller.scope(server));
    // A handle is a name, not a permission: this asks whether the caller sees it.
    let value = state.open_in(&scope, handle, SENT_BYTES_MAX)?;
    let found = state.artifact_named(handle)?;
    let digits: String = (found.handle.hash.to_string().chars())
        .filter(char::is_ascii_alphanumeric)
        .take(14)
        .collect();
    match (format, &found.handle.kind) {
        ("npy", ArtifactKind::Npy { .. }) => {
            Ok((state.bytes(&found.handle)?, format!("{digits}.npy")))
        }
        ("json", _) => Ok((json::to_text(&value).into_bytes(), format!("{digits}.json"))),
        _ => Err(tool_error!(InvalidRequest, "no_path"; "the value has no such form")),
    }
}
