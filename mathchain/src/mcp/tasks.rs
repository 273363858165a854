//! The end of a call: its answer, or a task that the client asks for later where the call takes long and the client knows tasks.

use std::sync::Arc;
use std::time::Duration;

use rmcp::ErrorData;
use rmcp::model::{CallToolResponse, CreateTaskResult};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::task_manager::{TaskExit, TaskOptions};
use tokio::task::JoinError;

use super::approval;
use super::door::Door;
use super::running::{Done, Running};
use crate::toolkit::Wanted;

/// Time after which a call becomes a task.
const PROMOTED_AFTER: Duration = Duration::from_secs(2);
/// How long the result of a task can be fetched.
const KEPT: Duration = Duration::from_secs(60 * 60);
/// Suggested time between two requests for the state of a task.
const POLL_MS: u64 = 1000;

/// Waits for a call; cancelling the request stops it.
///
/// # Errors
/// `-32603` when the thread of the call was lost.
pub(super) async fn finish(
    door: &Arc<Door>,
    mut running: Running,
    wanted: &Wanted,
    context: RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let knows_tasks = context
        .client_capabilities()
        .is_some_and(|known| known.supports_tasks());
    let progress = async {
        match context.meta.get_progress_token() {
            Some(token) => {
                running
                    .reports
                    .clone()
                    .send(context.peer.clone(), token)
                    .await
            }
            None => std::future::pending().await,
        }
    };
    let promoted = async {
        match knows_tasks {
            true => tokio::time::sleep(PROMOTED_AFTER).await,
            false => std::future::pending().await,
        }
    };
    tokio::select! {
        done = &mut running.thread => answered(door, &context, wanted, done),
        () = progress => answered(door, &context, wanted, running.thread.await),
        () = context.ct.cancelled() => {
            running.stop.cancel();
            answered(door, &context, wanted, running.thread.await)
        }
        () = promoted => Ok(task(door, running).into()),
    }
}

fn answered(
    door: &Door,
    context: &RequestContext<RoleServer>,
    wanted: &Wanted,
    done: Result<Done, JoinError>,
) -> Result<CallToolResponse, ErrorData> {
    let done = done.map_err(lost)?;
    let question = approval::question(door, context, wanted, &done);
    Ok(question.unwrap_or_else(|| done.answer.into()))
}

fn lost(err: JoinError) -> ErrorData {
    ErrorData::internal_error(format!("the thread of the call ended: {err}"), None)
}

/// Hands a running call to the manager of tasks.
fn task(door: &Arc<Door>, mut running: Running) -> CreateTaskResult {
    let kept_ms = u64::try_from(KEPT.as_millis()).unwrap_or(u64::MAX);
    let options = TaskOptions::new()
        .with_ttl_ms(kept_ms)
        .with_poll_interval_ms(POLL_MS);
    let task = door.tasks.spawn(options, |context| {
        Box::pin(async move {
            let words = async {
                loop {
                    tokio::time::sleep(Duration::from_millis(POLL_MS)).await;
                    if let Some(words) = running.reports.words() {
                        context.set_status_message(words);
                    }
                }
            };
            let done = tokio::select! {
                done = &mut running.thread => done,
                () = words => running.thread.await,
                () = context.cancelled() => {
                    running.stop.cancel();
                    let _ = running.thread.await;
                    return Err(TaskExit::Cancelled);
                }
            };
            done.map(|done| done.answer)
                .map_err(|err| TaskExit::Error(lost(err)))
        })
    });
    CreateTaskResult::new(task)
}
