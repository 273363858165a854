//! The end of a call: its answer, or a task that the client asks for later where the call takes long and the client knows tasks.

use std::sync::Arc;
use std::time::Duration;

use rmcp::ErrorData;
use rmcp::model::{
    CallToolResponse, CallToolResult, CreateTaskResult, DetailedTask, InputRequests, Task,
    TaskPayload, TaskStatus,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::task_manager::{TaskContext, TaskExit, TaskOptions};
use tokio::task::{JoinError, JoinSet};
use tool_core::tool_error;

use super::calling::{CallContinuation, McpCall};
use super::client::Answers;
use super::door::McpServerState;
use super::running::{CallCompletion, RunningCall};
use super::{answer, approval};
use crate::recorded;

/// Time after which a call becomes a task.
const PROMOTED_AFTER: Duration = Duration::from_secs(2);
/// How long the result of a task can be fetched.
const KEPT: Duration = Duration::from_secs(60 * 60);
/// Suggested time between two requests for the state of a task.
const POLL_MS: u64 = 1000;

/// Waits for a call; cancelling the request stops it.
///
/// # Errors
/// `-32603` when the thread of the call was lost, `-32021` where the client lacks a capability.
pub(super) async fn await_call(
    door: &Arc<McpServerState>,
    mut running: RunningCall,
    calling: McpCall,
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
    let done = tokio::select! {
        done = &mut running.thread => done,
        () = progress => running.thread.await,
        () = context.ct.cancelled() => {
            running.stop.cancel();
            running.thread.await
        }
        () = promoted => return Ok(create_task(door, running, calling).into()),
    };
    call_response(door, &calling, done.map_err(lost_thread_error)?)
}

/// The answer to a call that has run, or the questions to its client.
///
/// # Errors
/// `-32021` where the client lacks a capability.
pub(super) fn call_response(
    door: &McpServerState,
    calling: &McpCall,
    done: CallCompletion,
) -> Result<CallToolResponse, ErrorData> {
    Ok(match calling.next(done)? {
        CallContinuation::Answer(answer) => (*answer).into(),
        CallContinuation::Ask(questions) => questions.sealed(door, &calling.bound_to()).into(),
    })
}

fn lost_thread_error(err: JoinError) -> ErrorData {
    ErrorData::internal_error(format!("the thread of the call ended: {err}"), None)
}

/// Hands a running call to the manager of tasks.
fn create_task(
    door: &Arc<McpServerState>,
    running: RunningCall,
    calling: McpCall,
) -> CreateTaskResult {
    let kept_ms = u64::try_from(KEPT.as_millis()).unwrap_or(u64::MAX);
    let options = TaskOptions::new()
        .with_ttl_ms(kept_ms)
        .with_poll_interval_ms(POLL_MS);
    let again = Arc::clone(door);
    let begun = running.begun.clone();
    let mut task = door.tasks.spawn(options, move |context| {
        Box::pin(async move { in_task(&again, running, calling, &context).await })
    });
    // A run outlives the process: a task that is one is named by it.
    if let Some(run) = begun.id() {
        door.name_task(run, &task.task_id);
        task.task_id = run.to_owned();
    }
    CreateTaskResult::new(task)
}

/// The state of a task: that of the manager, else that of the recorded run of this id.
///
/// # Errors
/// `-32602` for a task that is neither.
pub(super) fn task_state(door: &McpServerState, id: &str) -> Result<DetailedTask, ErrorData> {
    let unknown = match door.tasks.get_task(&door.task_id(id)) {
        Ok(mut found) => {
            found.task.task_id = id.to_owned();
            return Ok(found);
        }
        Err(unknown) => unknown,
    };
    recorded_task(door, id).map_err(|_| unknown)
}

/// The task that a recorded run is.
fn recorded_task(door: &McpServerState, id: &str) -> tool_core::Result<DetailedTask> {
    let none = || tool_error!(InvalidArgs, "no run is named `{id}`");
    let state = door.toolkit.state().ok_or_else(none)?;
    let run = recorded::visible_run(state, &door.scope(), id)?;
    // A task is named by the whole id.
    if run.id != id {
        return Err(none());
    }
    let (status, payload) = match (run.state_shown(), recorded::recorded_answer(state, &run)?) {
        ("running", _) => (TaskStatus::Working, TaskPayload::Working),
        ("cancelled", _) => (TaskStatus::Cancelled, TaskPayload::Cancelled),
        (_, Some(outcome)) => {
            let bytes_max = door.settings.result_bytes_max;
            let mut answer = answer::of_outcome(&outcome, bytes_max, &mut |_| None);
            approval::describe_request(door, &outcome, &mut answer);
            let result = serde_json::to_value(answer).unwrap_or_default();
            let result = result.as_object().cloned().unwrap_or_default();
            (TaskStatus::Completed, TaskPayload::Completed { result })
        }
        (shown, None) => {
            let message = format!(
                "the server of the run `{id}` ended, and the run is {shown}; `mathchain runs resume {id}` continues it"
            );
            let error = serde_json::to_value(ErrorData::internal_error(message, None));
            let error = error.unwrap_or_default();
            let error = error.as_object().cloned().unwrap_or_default();
            (TaskStatus::Failed, TaskPayload::Failed { error })
        }
    };
    let time = |ms: u64| {
        let time = jiff::Timestamp::from_millisecond(i64::try_from(ms).unwrap_or(i64::MAX));
        time.unwrap_or_default().to_string()
    };
    let mut task = Task::new(run.id, status, time(run.created_ms), time(run.changed_ms));
    task.poll_interval_ms = Some(POLL_MS);
    Ok(DetailedTask::new(task, payload))
}

/// Runs a call to its answer; what it needs of the client is asked by the state of the task.
async fn in_task(
    door: &Arc<McpServerState>,
    mut running: RunningCall,
    mut calling: McpCall,
    context: &TaskContext,
) -> Result<CallToolResult, TaskExit> {
    let mut round = 0_u64;
    loop {
        round += 1;
        let done = await_task_call(running, context).await?;
        let questions = match calling.next(done).map_err(TaskExit::Error)? {
            CallContinuation::Answer(answer) => return Ok(*answer),
            CallContinuation::Ask(questions) => questions,
        };
        let given = ask_client(context, questions.requests, round).await?;
        calling = match questions.waiting.go_on(given) {
            Ok(answers) => calling.having(answers),
            Err(refused) => return Ok(*refused),
        };
        running = match calling.start(door).await {
            Ok(running) => running,
            Err(overloaded) => return Ok(answer::failure_answer(&overloaded)),
        };
    }
}

/// Asks the client all questions of a round at once, and waits for every answer.
async fn ask_client(
    context: &TaskContext,
    requests: InputRequests,
    round: u64,
) -> Result<Answers, TaskExit> {
    let mut waiting: JoinSet<Result<_, TaskExit>> = JoinSet::new();
    for (key, request) in requests {
        let context = context.clone();
        waiting.spawn(async move {
            // A key is used once in a task.
            let asked = match round {
                1 => key.clone(),
                _ => format!("{key}_{round}"),
            };
            Ok((key, context.request_input(asked, request).await?))
        });
    }
    let mut answers = Answers::new();
    while let Some(answered) = waiting.join_next().await {
        let (key, answer) = answered.map_err(|err| TaskExit::Error(lost_thread_error(err)))??;
        answers.insert(key, answer);
    }
    Ok(answers)
}

/// Waits for a call of a task, and shows its progress.
async fn await_task_call(
    mut running: RunningCall,
    context: &TaskContext,
) -> Result<CallCompletion, TaskExit> {
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
    done.map_err(|err| TaskExit::Error(lost_thread_error(err)))
}
