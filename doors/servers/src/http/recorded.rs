//! `GET /v1/runs`: recorded runs that the caller may see.

use std::sync::Arc;

use axum::extract::{Extension, Path, State};
use journal::StateStore as Records;
use tool_core::{Result, Value, object, tool_error};

use super::callers::HttpCaller;
use super::reply::{self, Replied};
use super::server::HttpServer;
use crate::recorded;

/// Maximum number of runs that are listed.
const LISTED: usize = 200;

impl HttpServer {
    /// The state.
    ///
    /// # Errors
    /// `precondition_failed` where there is none.
    pub(super) fn records(&self) -> Result<&Arc<Records>> {
        self.toolkit.state().ok_or_else(|| {
            tool_error!(PreconditionFailed, "state"; "there is no state folder"; "`mathchain doctor` checks the state folder")
        })
    }
}

/// Lists runs, newest first.
pub(super) async fn list_runs(
    State(server): State<Arc<HttpServer>>,
    Extension(caller): Extension<Arc<HttpCaller>>,
) -> Replied {
    let listed = server
        .aside(move |server| {
            let runs = server
                .records()?
                .runs_in(&caller.scope(server), None, LISTED)?;
            Ok(Value::array(
                runs.iter().map(recorded::run_summary).collect(),
            ))
        })
        .await?;
    Ok(reply::data_response(&object! { "runs" => listed }))
}

/// Shows a run with its records.
pub(super) async fn show_run(
    State(server): State<Arc<HttpServer>>,
    Extension(caller): Extension<Arc<HttpCaller>>,
    Path(id): Path<String>,
) -> Replied {
    let shown = server
        .aside(move |server| {
            let state = server.records()?;
            let run = recorded::visible_run(state, &caller.scope(server), &id)?;
            let records = Value::array(state.run_records(&run.id)?);
            Ok(object! { "run" => recorded::run_summary(&run), "records" => records })
        })
        .await?;
    Ok(reply::data_response(&shown))
}
