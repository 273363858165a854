//! `GET /v1/tools`: the tools that the caller sees, as they are or as model providers want them declared.

use std::sync::Arc;

use axum::extract::{Extension, Path, RawQuery, State};
use axum::http::StatusCode;
use clap::ValueEnum as _;
use registry::offer::{self, Catalog};
use tool_core::{Result, ToolError, tool_error};

use super::callers::HttpCaller;
use super::reply::{self, Replied};
use super::server::HttpServer;
use crate::exported::{self, DeclarationFormat};

/// The parameters of a query, each one of those known.
///
/// # Errors
/// `invalid_request` with the known names.
pub(super) fn query_parameters<'a>(
    query: &'a str,
    known: &[&str],
) -> Result<Vec<(&'a str, &'a str)>> {
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    let pair = |pair: &'a str| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        match known.contains(&name) {
            true => Ok((name, value)),
            false => Err(
                tool_error!(InvalidRequest, "query"; "unknown parameter `{name}`"; "the parameters are `{}`", known.join("`, `")),
            ),
        }
    };
    pairs.map(pair).collect()
}

/// Lists tools.
pub(super) async fn list_tools(
    State(server): State<Arc<HttpServer>>,
    Extension(caller): Extension<Arc<HttpCaller>>,
    RawQuery(query): RawQuery,
) -> Replied {
    let query = query.unwrap_or_default();
    let (mut format, mut catalog) = (DeclarationFormat::Jsonschema, Catalog::Full);
    for (name, value) in query_parameters(&query, &["format", "catalog"])? {
        match name {
            "format" => {
                format = DeclarationFormat::from_str(value, false).map_err(|_| {
                    unknown_value_error("format", value, &DeclarationFormat::names().join(", "))
                })?
            }
            _ => {
                catalog = Catalog::parse(value)
                    .ok_or_else(|| unknown_value_error("catalog", value, "full, core, search"))?
            }
        }
    }
    let text = server
        .aside(move |server| {
            let dispatcher = server.toolkit.dispatcher();
            let who = server.toolkit.caller(&caller.context);
            let offered = offer::visible_tools(&dispatcher, &who, catalog)?;
            let elsewhere = exported::external_tools(&dispatcher, &who)?;
            Ok(format.text(&dispatcher, catalog, &offered, &elsewhere))
        })
        .await?;
    let kind = match format.is_json() {
        true => reply::JSON,
        false => "text/plain; charset=utf-8",
    };
    Ok(reply::text_response(StatusCode::OK, kind, text))
}

fn unknown_value_error(what: &str, found: &str, expected: &str) -> ToolError {
    tool_error!(InvalidRequest, "query"; "unknown {what} `{found}`"; "one of: {expected}")
}

/// Shows one tool with its full schemas.
pub(super) async fn show_tool(
    State(server): State<Arc<HttpServer>>,
    Extension(caller): Extension<Arc<HttpCaller>>,
    Path(name): Path<String>,
) -> Replied {
    let described = server
        .aside(move |server| {
            let who = server.toolkit.caller(&caller.context);
            offer::describe_named_tool(&server.toolkit.dispatcher(), &who, &name)
        })
        .await?;
    Ok(reply::data_response(&described))
}
