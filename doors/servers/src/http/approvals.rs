//! `/v1/approvals`: requests for approval, for keys that may approve, and never for calls of their own role.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Extension, Path, State};
use journal::{Approval, StateScope};
use tool_core::capability::Clock as _;
use tool_core::{Result, Value, object, tool_error};

use super::callers::HttpCaller;
use super::chains;
use super::pipelines::read_members;
use super::reply::{self, Replied};
use super::server::HttpServer;
use crate::keys::ApiKey;
use crate::people::grant::grant_edited;
use crate::people::waiting::approval_members;
use mathchain::clock::SystemClock;

/// Maximum number of requests that are listed.
const LISTED: usize = 1000;

/// The key of a caller who may approve.
///
/// # Errors
/// `policy_denied` with reason `approver`.
pub(super) fn approver_key(caller: &HttpCaller) -> Result<&ApiKey> {
    let key = caller.key.as_ref().filter(|key| key.approves);
    key.ok_or_else(|| {
        tool_error!(PolicyDenied, "approver"; "only a key that approves sees and answers requests for approval";
            "`mathchain keys create NAME --role ROLE --approve` creates one; `mathchain approvals list` lists them in a terminal")
    })
}

/// Lists pending requests of the workspace.
pub(super) async fn list_approvals(
    State(server): State<Arc<HttpServer>>,
    Extension(caller): Extension<Arc<HttpCaller>>,
) -> Replied {
    approver_key(&caller)?;
    let listed = server
        .aside(|server| {
            let scope = workspace_scope(server);
            let listed = server.records()?.approvals_in(&scope, false, LISTED)?;
            Ok(Value::array(listed.iter().map(approval_value).collect()))
        })
        .await?;
    Ok(reply::data_response(&object! { "approvals" => listed }))
}

/// Shows a request with the details of its call.
pub(super) async fn show_approval(
    State(server): State<Arc<HttpServer>>,
    Extension(caller): Extension<Arc<HttpCaller>>,
    Path(id): Path<String>,
) -> Replied {
    approver_key(&caller)?;
    let found = server
        .aside(move |server| {
            let scope = workspace_scope(server);
            let (found, details) = server.records()?.approval_in(&scope, &id)?;
            let mut members = approval_members(&found, SystemClock::default().unix_ms());
            members.insert("details", details.unwrap_or_default());
            Ok(Value::from(members))
        })
        .await?;
    Ok(reply::data_response(&found))
}

/// The requests of every role in the workspace.
pub(super) fn workspace_scope(server: &HttpServer) -> StateScope {
    StateScope::workspace(server.toolkit.workspace_id())
}

fn approval_value(approval: &Approval) -> Value {
    Value::from(approval_members(approval, SystemClock::default().unix_ms()))
}

/// Approves a request: the same call, sent again, runs once.
pub(super) async fn approve_request(
    State(server): State<Arc<HttpServer>>,
    Extension(caller): Extension<Arc<HttpCaller>>,
    Path(id): Path<String>,
    text: Bytes,
) -> Replied {
    let members = read_members(&server, &text, &["arguments"])?;
    let grant = match members.get("arguments") {
        None => RequestGrant::AsAsked,
        Some(arguments) => RequestGrant::Edited(arguments.clone()),
    };
    decide_request(server, caller, id, Some(grant)).await
}

/// How a request is granted.
enum RequestGrant {
    AsAsked,
    /// For these arguments in place of the caller's.
    Edited(Value),
}

/// Declines a request.
pub(super) async fn deny_request(
    State(server): State<Arc<HttpServer>>,
    Extension(caller): Extension<Arc<HttpCaller>>,
    Path(id): Path<String>,
) -> Replied {
    decide_request(server, caller, id, None).await
}

/// The name under which the holder of a key decides a request.
///
/// # Errors
/// `policy_denied` with reason `approver` for a key that does not approve, and for requests of its own role.
pub(super) fn deciding_key(caller: &HttpCaller, found: &Approval) -> Result<String> {
    let key = approver_key(caller)?;
    if found.role == key.role {
        let (role, id) = (&key.role, &found.id);
        return Err(
            tool_error!(PolicyDenied, "approver"; "the key calls as role `{role}`, and does not answer requests of that role";
            "a key of another role answers it, or `mathchain approve {id}` in a terminal"),
        );
    }
    Ok(format!("key {}", key.name))
}

async fn decide_request(
    server: Arc<HttpServer>,
    caller: Arc<HttpCaller>,
    id: String,
    grant: Option<RequestGrant>,
) -> Replied {
    let (going, grants) = (Arc::clone(&server), grant.is_some());
    let decided = server
        .aside(move |server| {
            let state = server.records()?;
            let scope = workspace_scope(server);
            let (found, _) = state.approval_in(&scope, &id)?;
            let by = deciding_key(&caller, &found)?;
            match grant {
                Some(RequestGrant::AsAsked) => state.approve_in(&scope, &found.id, &by),
                Some(RequestGrant::Edited(arguments)) => {
                    grant_edited(&server.toolkit, state, &scope, &found, &by, &arguments)
                }
                None => state.decline_in(&scope, &found.id, &by),
            }
        })
        .await?;
    if let (true, Some(run)) = (grants, decided.run.clone()) {
        chains::go_on(&going, run).await;
    }
    Ok(reply::data_response(&approval_value(&decided)))
}
