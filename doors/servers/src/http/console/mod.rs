//! `/console`: pages for a person, who approves, watches and tries. Server-rendered HTML that works without scripts; a script of our own
//! brings pages up to date.
//!
//! A page shows what the JSON interface answers the same caller, by the same functions. What comes from outside (arguments, results, names,
//! errors) is written through [`parts::OutsideText`], which escapes it and makes invisible characters visible.

mod answers;
mod artifacts;
mod assets;
mod audit;
mod deciding;
mod form;
mod guard;
mod inbox;
mod layout;
mod live;
mod parts;
mod peer;
mod plans;
mod policy;
mod run;
mod runs;
mod sessions;
mod sign_in;
mod tools;
mod values;
mod workflows;

use std::path::PathBuf;
use std::sync::Arc;

use axum::Router;
use axum::routing::{get, post};

use super::server::HttpServer;
pub(super) use guard::{check_visit, is_console_path, protect_response};
pub(super) use live::LiveChanges;
pub(super) use sessions::ConsoleSessions;

/// Receives the one-time link.
pub type LinkReceiver = Box<dyn Fn(&str) + Send + Sync>;

/// Whether the server has pages for people, and who opens them.
pub enum ConsoleAccess {
    /// Holders of keys, who sign in with them.
    Keys,
    /// The user at the terminal, by a link that opens once, and holders of keys.
    Terminal(TerminalAccess),
}

/// How the user at the terminal opens and decides.
pub struct TerminalAccess {
    /// Receives the link when the server listens.
    pub opened: LinkReceiver,
    /// The file of the approver's key with which decisions are made.
    pub approver_key: Option<PathBuf>,
}

impl ConsoleAccess {
    /// What the user at the terminal has; `None` where only keys open pages.
    pub(super) fn terminal(&self) -> Option<&TerminalAccess> {
        match self {
            Self::Keys => None,
            Self::Terminal(access) => Some(access),
        }
    }
}

/// The paths of the pages.
pub(super) fn console_routes() -> Router<Arc<HttpServer>> {
    Router::new()
        .route("/console", get(inbox::show_inbox))
        .route("/console/", get(inbox::show_inbox))
        .route("/console/open", get(sign_in::open_link))
        .route(
            "/console/sign-in",
            get(sign_in::show_sign_in).post(sign_in::sign_in),
        )
        .route("/console/sign-out", post(sign_in::sign_out))
        .route("/console/assets/{name}", get(assets::send_asset))
        .route("/console/live", get(live::stream_changes))
        .route("/console/approvals/{id}", get(inbox::show_approval))
        .route("/console/decide", post(deciding::decide_requests))
        .route("/console/answer", post(answers::answer_entry))
        .route("/console/runs", get(runs::list_runs))
        .route("/console/runs/{id}", get(run::show_run))
        .route("/console/runs/{id}/compare", get(run::compare_runs))
        .route("/console/runs/{id}/{action}", post(run::act_on_run))
        .route(
            "/console/plans",
            get(plans::show_editor).post(plans::submit_draft),
        )
        .route("/console/tools", get(tools::list_tools))
        .route(
            "/console/tools/{name}",
            get(tools::show_tool).post(tools::try_tool),
        )
        .route("/console/artifacts", get(artifacts::list_artifacts))
        .route("/console/artifacts/{handle}", get(artifacts::show_artifact))
        .route(
            "/console/artifacts/{handle}/{format}",
            get(artifacts::download_artifact),
        )
        .route("/console/audit", get(audit::list_records))
        .route("/console/audit/verify", post(audit::verify_records))
        .route("/console/audit/{name}", get(audit::show_record))
        .route("/console/policy", get(policy::show_policy))
        .route("/console/workflows", get(workflows::list_workflows))
        .route("/console/{*rest}", get(layout::no_page))
}
