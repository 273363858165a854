//! `/v1/chains`: plans that are submitted, shown, resumed and cancelled. Each is a recorded run where there is a state: it is recorded before
//! its submission is answered, and what is shown of it comes from the records, so that a server that starts again goes on where it was.

use std::sync::Arc;

use axum::extract::{Extension, Path, Request, State};
use axum::http::StatusCode;
use axum::http::header::{HeaderValue, LOCATION};
use axum::response::Response;
use chain_runtime::run::{self as chains, ACCEPTED_KEY, QueuedRun, ResumeRequest};
use chain_runtime::{CheckMode, Plan, RunOptions};
use journal::{RunRecord, RunState, StateScope};
use tokio::task::JoinSet;
use tool_core::json::{JsonLimits, parse_bytes};
use tool_core::{CallOutcome, Object, Reason, Result, Value, object, tool_error};

use super::begun::SubmittedChain;
use super::callers::HttpCaller;
use super::calls::{json_of, trace_of, unattended_approvals};
use super::once::{IdempotentRequest, StoredAnswer};
use super::reply::{self, Replied};
use super::schedules;
use super::server::{HttpServer, lost_thread_error};
use crate::recorded;
use mathchain::CallContext;
use registry::ApprovalAnswer;

/// A plan with its inputs.
struct PlanSubmission {
    plan: Plan,
    inputs: Object,
}

impl PlanSubmission {
    fn read(server: &HttpServer, text: &[u8]) -> Result<Self> {
        const KEYS: [&str; 2] = ["plan", "inputs"];
        let limits = JsonLimits {
            bytes_max: server.body_bytes_max(),
            ..JsonLimits::default()
        };
        let body = parse_bytes(text, limits)?;
        let members = body.as_object().ok_or_else(|| {
            let found = body.kind();
            tool_error!(InvalidRequest; "expected an object, found {found}"; "send {{\"plan\":{{...}},\"inputs\":{{...}}}}")
        })?;
        if let Some((key, _)) = members.iter().find(|(key, _)| !KEYS.contains(key)) {
            return Err(
                tool_error!(InvalidRequest at format!("/{key}"); "unknown key `{key}`"; "the keys are `plan` and `inputs`"),
            );
        }
        let plan = members.get("plan").ok_or_else(|| {
            tool_error!(InvalidRequest at "/plan"; "expected `plan`, a plan"; "docs/plans.md describes plans")
        })?;
        let inputs = match members.get("inputs") {
            None | Some(Value::Null) => Object::new(),
            Some(Value::Object(inputs)) => Object::clone(inputs),
            Some(other) => {
                let found = other.kind();
                return Err(
                    tool_error!(InvalidRequest at "/inputs"; "expected an object, found {found}"; "name each input of the plan"),
                );
            }
        };
        let plan = Plan::from_value(plan).with_defaults(server.toolkit.chain_defaults());
        Ok(Self { plan, inputs })
    }
}

/// What a plan that waits for a thread begins with.
enum ChainStart {
    /// Its recorded run, where there is a state.
    Begin(Option<QueuedRun>, Box<PlanSubmission>),
    /// The records of its run; those of an earlier process are counted against the budget of its task first.
    Resume {
        after_restart: bool,
        how: ResumeRequest,
    },
}

/// Checks a plan, records its run, and begins it.
pub(super) async fn submit_plan(
    State(server): State<Arc<HttpServer>>,
    Extension(caller): Extension<Arc<HttpCaller>>,
    request: Request,
) -> Replied {
    let (headers, text) = json_of(&server, request).await?;
    let sent = text.clone();
    let submitted = server
        .aside(move |server| PlanSubmission::read(server, &sent))
        .await?;
    let once = IdempotentRequest::of(&server, &caller, &headers, "/v1/chains", &text)?;
    let context = CallContext {
        answer: unattended_approvals(&server.toolkit),
        trace: trace_of(&headers),
        ..caller.context.clone()
    };
    let by = Arc::clone(&caller);
    let begun = server
        .aside(move |server| begin_run(server, &by, context, submitted, once))
        .await?;
    match begun {
        SubmissionOutcome::Before(answer) => {
            let place = answer.text("id").map(place_of);
            Ok(set_location(answer.replayed(), place))
        }
        SubmissionOutcome::Now(chain, context, work) => {
            let begun = reply::value_response(StatusCode::ACCEPTED, &chain.shown());
            let begun = set_location(begun, Some(place_of(&chain.id)));
            tokio::spawn(run_chain(server, caller, chain, *context, work));
            Ok(begun)
        }
    }
}

/// What became of a submission.
enum SubmissionOutcome {
    /// It begins now.
    Now(Arc<SubmittedChain>, Box<CallContext>, ChainStart),
    /// It began before, as what it is now.
    Before(StoredAnswer),
}

/// Checks a plan, and records its run under the id that its request has.
fn begin_run(
    server: &HttpServer,
    caller: &HttpCaller,
    context: CallContext,
    submitted: PlanSubmission,
    once: Option<IdempotentRequest>,
) -> Result<SubmissionOutcome> {
    let PlanSubmission { plan, inputs } = &submitted;
    let mut id = journal::new_id();
    if let Some(once) = &once {
        let checked = server.toolkit.check(&context, plan, inputs, CheckMode::Run);
        checked.map(|_| ())?;
        let first = SubmittedChain::new(id.clone(), caller.role(server), server.calls.child());
        let answer = StoredAnswer {
            status: StatusCode::ACCEPTED,
            body: first.shown(),
        };
        if let Some(earlier) = once.claim_with(&answer)? {
            id = earlier.text("id").unwrap_or_default().to_owned();
            let here = server.chains.running(&id, |_| true).is_some();
            if here || server.records()?.run_named(&id)?.is_some() {
                let body = state_of(server, caller, &id).unwrap_or(earlier.body);
                return Ok(SubmissionOutcome::Before(StoredAnswer { body, ..answer }));
            }
        }
    }
    let accepted = object! { "key" => context.key.clone() };
    let (chain, context, work) = record_run(server, caller, context, submitted, (id, accepted))?;
    Ok(SubmissionOutcome::Now(chain, Box::new(context), work))
}

/// Records a run under an id, with what its server accepts it as.
fn record_run(
    server: &HttpServer,
    caller: &HttpCaller,
    mut context: CallContext,
    submitted: PlanSubmission,
    (id, accepted): (String, Value),
) -> Result<(Arc<SubmittedChain>, CallContext, ChainStart)> {
    let PlanSubmission { plan, inputs } = &submitted;
    let chain = SubmittedChain::new(id, caller.role(server), server.calls.child());
    context.stop = chain.stop.clone();
    let options = RunOptions {
        chain_id: Some(chain.id.clone()),
        accepted: Some(accepted),
        ..RunOptions::default()
    };
    let queued = server.toolkit.enqueue(&context, plan, inputs, options)?;
    let chain = Arc::new(chain);
    // The key of the request is free again when the plan is known.
    server.chains.add(Arc::clone(&chain));
    let work = ChainStart::Begin(queued, Box::new(submitted));
    Ok((chain, context, work))
}

/// A recorded run of a schedule that waits to begin.
pub(super) struct ScheduledChain {
    caller: Arc<HttpCaller>,
    chain: Arc<SubmittedChain>,
    context: CallContext,
    work: ChainStart,
}

/// Checks the plan of a schedule and records its run under an id, as any plan that is submitted.
///
/// # Errors
/// Every problem of the plan; a state that cannot be written.
pub(super) fn record_scheduled(
    server: &HttpServer,
    caller: Arc<HttpCaller>,
    (plan, inputs): (Plan, Object),
    (id, accepted): (String, Value),
) -> Result<ScheduledChain> {
    let context = CallContext {
        answer: unattended_approvals(&server.toolkit),
        ..caller.context.clone()
    };
    let plan = plan.with_defaults(server.toolkit.chain_defaults());
    let submitted = PlanSubmission { plan, inputs };
    let (chain, context, work) = record_run(server, &caller, context, submitted, (id, accepted))?;
    Ok(ScheduledChain {
        caller,
        chain,
        context,
        work,
    })
}

impl ScheduledChain {
    /// Begins it as soon as a thread is free.
    pub(super) fn begin(self, server: &Arc<HttpServer>) {
        let Self {
            caller,
            chain,
            context,
            work,
        } = self;
        tokio::spawn(run_chain(Arc::clone(server), caller, chain, context, work));
    }
}

/// Begins a plan for a person who looks, whom its steps may ask; gives the id of its run.
///
/// # Errors
/// Every problem of the plan.
pub(super) async fn submit_for_person(
    server: &Arc<HttpServer>,
    caller: &Arc<HttpCaller>,
    plan: Plan,
    inputs: Object,
) -> Result<String> {
    let context = CallContext {
        answer: ApprovalAnswer::Ask,
        ..caller.context.clone()
    };
    let by = Arc::clone(caller);
    let submitted = PlanSubmission { plan, inputs };
    let begun = server
        .aside(move |server| begin_run(server, &by, context, submitted, None))
        .await?;
    let SubmissionOutcome::Now(chain, context, work) = begun else {
        return Err(tool_error!(Conflict, "the plan began before"));
    };
    let id = chain.id.clone();
    let (server, caller) = (Arc::clone(server), Arc::clone(caller));
    tokio::spawn(run_chain(server, caller, chain, *context, work));
    Ok(id)
}

fn place_of(id: &str) -> String {
    format!("/v1/chains/{id}")
}

pub(super) fn set_location(mut response: Response, place: Option<String>) -> Response {
    let place = place.and_then(|place| HeaderValue::from_str(&place).ok());
    if let Some(place) = place {
        response.headers_mut().insert(LOCATION, place);
    }
    response
}

/// Runs a plan on a thread of its own, as soon as one is free.
async fn run_chain(
    server: Arc<HttpServer>,
    caller: Arc<HttpCaller>,
    chain: Arc<SubmittedChain>,
    mut context: CallContext,
    work: ChainStart,
) {
    let permit = match caller.queue.enter().await {
        // A key that was revoked meanwhile begins nothing.
        Ok(permit) => server.callers.check(&caller).map(|()| permit),
        Err(overloaded) => Err(overloaded),
    };
    chain.runs();
    let (toolkit, observer) = (Arc::clone(&server.toolkit), Arc::clone(&chain));
    let engine = server.settings.engine.clone();
    let thread = tokio::task::spawn_blocking(move || {
        let permit = permit.and_then(|permit| {
            let engine = engine
                .map(|engine| toolkit.open_engine(&engine))
                .transpose()?;
            context.cluster = engine.flatten();
            Ok(permit)
        });
        let ran = match (work, &permit) {
            (ChainStart::Begin(None, _) | ChainStart::Resume { .. }, Err(refused)) => {
                Err(refused.clone())
            }
            (ChainStart::Begin(Some(queued), _), Err(refused)) => queued
                .refuse(RunState::Cancelled, refused)
                .and(Err(refused.clone())),
            (ChainStart::Begin(queued, submitted), Ok(_)) => {
                let options = RunOptions {
                    chain_id: Some(observer.id.clone()),
                    observer: Some(observer),
                    ..RunOptions::default()
                };
                let PlanSubmission { plan, inputs } = *submitted;
                match queued {
                    Some(queued) => toolkit.run_queued(&context, &plan, &inputs, queued, options),
                    None => toolkit
                        .run_plan(&context, &plan, &inputs, options)
                        .map_err(Into::into),
                }
            }
            (ChainStart::Resume { after_restart, how }, Ok(_)) => {
                let id = observer.id.clone();
                let counted = match (after_restart, toolkit.state()) {
                    (true, Some(state)) => state
                        .run(&id)
                        .and_then(|found| toolkit.count_recorded(&found)),
                    _ => Ok(()),
                };
                counted.and_then(|()| toolkit.resume(&context, &id, &how, Some(observer)))
            }
        };
        match ran {
            Ok(result) => result.to_outcome(),
            Err(error) => CallOutcome::error(error),
        }
    });
    let outcome = thread
        .await
        .unwrap_or_else(|err| CallOutcome::error(lost_thread_error(err)));
    let is_recorded = server
        .records()
        .and_then(|state| state.run_named(&chain.id))
        .is_ok_and(|found| found.is_some());
    let answer = (!is_recorded).then(|| outcome.to_value());
    server.chains.end(&chain, answer);
}

/// The state of a plan that a caller sees: whether it runs, and its answer.
///
/// # Errors
/// `invalid_args` with reason `run` for any other.
pub(super) fn state_of(server: &HttpServer, caller: &HttpCaller, id: &str) -> Result<Value> {
    let scope = caller.scope(server);
    let may_see = |role: &str| caller.sees(server, role);
    if let Some(chain) = server.chains.running(id, may_see) {
        return Ok(chain.shown());
    }
    let unrecorded = || server.chains.find(id, may_see).map(|chain| chain.shown());
    let state = match server.records() {
        Ok(state) => state,
        Err(none) => return unrecorded().ok_or(none),
    };
    match recorded::visible_run(state, &scope, id) {
        Ok(found) => run_value(state, &found),
        Err(unknown) => unrecorded().ok_or(unknown),
    }
}

fn run_value(state: &journal::StateStore, run: &RunRecord) -> Result<Value> {
    let summary = recorded::run_summary(run);
    let mut members = summary.as_object().cloned().unwrap_or_default();
    let answer = recorded::recorded_answer(state, run)?;
    members.insert_some("answer", answer.map(|answer| answer.to_value()));
    Ok(Value::from(members))
}

/// Shows a plan: whether it runs, and its answer.
pub(super) async fn show_chain(
    State(server): State<Arc<HttpServer>>,
    Extension(caller): Extension<Arc<HttpCaller>>,
    Path(id): Path<String>,
) -> Replied {
    let shown = server
        .aside(move |server| state_of(server, &caller, &id))
        .await?;
    Ok(reply::data_response(&shown))
}

/// Cancels a plan; completed steps with a `compensate` are undone.
pub(super) async fn cancel_chain(
    State(server): State<Arc<HttpServer>>,
    Extension(caller): Extension<Arc<HttpCaller>>,
    Path(id): Path<String>,
) -> Replied {
    let may_see = |role: &str| caller.sees(&server, role);
    if let Some(chain) = server.chains.running(&id, may_see) {
        chain.stop.cancel();
        return Ok(reply::value_response(StatusCode::ACCEPTED, &chain.shown()));
    }
    let cancelled = server
        .aside(move |server| {
            let (state, scope) = (server.records()?, caller.scope(server));
            let run = recorded::visible_run(state, &scope, &id)?;
            let context = CallContext::of_run(&run);
            server.toolkit.cancel(&context, &run.id, false)?;
            Ok(recorded::run_summary(&recorded::visible_run(
                state, &scope, &run.id,
            )?))
        })
        .await?;
    Ok(reply::data_response(&cancelled))
}

/// Resumes a plan that was interrupted, or whose approvals were given.
pub(super) async fn resume_chain(
    State(server): State<Arc<HttpServer>>,
    Extension(caller): Extension<Arc<HttpCaller>>,
    Path(id): Path<String>,
) -> Replied {
    let by = Arc::clone(&caller);
    let begun = server
        .aside(move |server| {
            let scope = by.scope(server);
            let may_see = |role: &str| by.sees(server, role);
            if let Some(chain) = server.chains.running(&id, may_see) {
                return Ok((chain.shown(), chain.id.clone(), None));
            }
            let found = recorded::visible_run(server.records()?, &scope, &id)?;
            let resumed = reload_run(server, &found, false)?;
            Ok((resumed.0.shown(), found.id, Some(resumed)))
        })
        .await?;
    let (shown, id, resumed) = begun;
    if let Some((chain, context)) = resumed {
        let work = ChainStart::Resume {
            after_restart: false,
            how: ResumeRequest::default(),
        };
        tokio::spawn(run_chain(server, caller, chain, context, work));
    }
    let answer = reply::value_response(StatusCode::ACCEPTED, &shown);
    Ok(set_location(answer, Some(place_of(&id))))
}

/// Continues a run for a person who looks: what its next steps need waits for that person, and unknown outcomes are as ruled.
///
/// # Errors
/// `conflict` for one that has ended, runs elsewhere, or needs a decision and gets none; `precondition_failed` with reason `workspace`.
pub(super) async fn resume_for_person(
    server: &Arc<HttpServer>,
    caller: &Arc<HttpCaller>,
    found: RunRecord,
    how: ResumeRequest,
) -> Result<()> {
    let is_ruled = !how.decisions.is_empty() || !how.within.is_empty();
    let (chain, context) = server
        .aside(move |server| reload_run(server, &found, is_ruled))
        .await?;
    let context = CallContext {
        answer: ApprovalAnswer::Ask,
        ..context
    };
    let work = ChainStart::Resume {
        after_restart: false,
        how,
    };
    let (server, caller) = (Arc::clone(server), Arc::clone(caller));
    tokio::spawn(run_chain(server, caller, chain, context, work));
    Ok(())
}

/// A recorded run that continues, as its own caller.
///
/// # Errors
/// `conflict` for one that has ended, runs elsewhere, or needs a decision that is not given; `precondition_failed` with reason `workspace`.
fn reload_run(
    server: &HttpServer,
    found: &RunRecord,
    is_ruled: bool,
) -> Result<(Arc<SubmittedChain>, CallContext)> {
    let id = &found.id;
    if found.state.is_final() {
        let ended = found.state.as_str();
        return Err(
            tool_error!(Conflict, Reason::RunEnded; "the run `{id}` has ended: {ended}"; "submit the plan again for another run"),
        );
    }
    if found.holder.is_some() {
        return Err(
            tool_error!(Conflict, Reason::RunBusy; "another process executes the run `{id}`"; "ask for its state later"),
        );
    }
    if found.state == RunState::NeedsDecision && !is_ruled {
        return Err(
            tool_error!(Conflict, Reason::OutcomeUnknown; "the outcome of a call of the run `{id}` is unknown";
            "the operator decides it: `mathchain runs resume {id} --decide CALL=OUTCOME`"),
        );
    }
    if let Some(outer) = &found.parent {
        return Err(
            tool_error!(Conflict, "run_within"; "the run `{id}` is nested in the run `{outer}`"; "resume the outer run"),
        );
    }
    chains::same_workspace(found, &server.toolkit.dispatcher())?;
    let chain = Arc::new(SubmittedChain::new(
        id.clone(),
        found.role.clone(),
        server.calls.child(),
    ));
    let context = CallContext {
        answer: unattended_approvals(&server.toolkit),
        stop: chain.stop.clone(),
        key: accepting_key(found).and_then(|key| key.map(str::to_owned)),
        ..CallContext::of_run(found)
    };
    if !server.chains.add(Arc::clone(&chain)) {
        return Err(
            tool_error!(Conflict, Reason::RunBusy; "the run `{id}` is being resumed already"; "ask for its state later"),
        );
    }
    Ok((chain, context))
}

/// The name of the key with which a server accepted a run, `None` within for a token; `None` for a run of another door.
fn accepting_key(run: &RunRecord) -> Option<Option<&str>> {
    Some(run.who.get(ACCEPTED_KEY)?.text("key"))
}

/// The caller with whom a server accepted a run, while it still may run it: the holder of its key, or the server for a schedule.
///
/// # Errors
/// `policy_denied` for a run of another door, of a key that is no longer valid, and of a schedule that is gone.
fn accepting_caller(server: &Arc<HttpServer>, run: &RunRecord) -> Result<Arc<HttpCaller>> {
    let accepted = run
        .who
        .get(ACCEPTED_KEY)
        .ok_or_else(|| tool_error!(PolicyDenied, "server_key"; "no server accepted the run"))?;
    match accepted.text("schedule") {
        Some(name) => schedules::accepting_caller(server, name, &run.role),
        None => server
            .callers
            .named(server, accepted.text("key"), &run.role),
    }
}

/// Continues a run whose approval was given, where a server accepted it and it waits for no other.
pub(super) async fn go_on(server: &Arc<HttpServer>, id: String) {
    let at = Arc::clone(server);
    let resumed = server
        .aside(move |server| {
            let state = server.records()?;
            let found = state.run_in(&StateScope::workspace(server.toolkit.workspace_id()), &id)?;
            let found = chains::root_run(state, &found)?.unwrap_or(found);
            if accepting_key(&found).is_none() || found.state != RunState::Suspended {
                return Ok(None);
            }
            if !state.approvals_of_run(&found.id)?.is_empty() {
                return Ok(None);
            }
            let caller = accepting_caller(&at, &found)?;
            let (chain, context) = reload_run(server, &found, false)?;
            Ok(Some((caller, chain, context)))
        })
        .await;
    // What does not go on stays as it is recorded: its submitter resumes it.
    if let Ok(Some((caller, chain, context))) = resumed {
        let work = ChainStart::Resume {
            after_restart: false,
            how: ResumeRequest::default(),
        };
        tokio::spawn(run_chain(Arc::clone(server), caller, chain, context, work));
    }
}

/// Takes up the runs that a server accepted, and whose process ended before they did. Runs of other doors stay interrupted.
pub(super) async fn take_up(server: Arc<HttpServer>, tell: impl Fn(&str) + Send + Sync + 'static) {
    let found = server
        .aside(|server| {
            let scope = StateScope::workspace(server.toolkit.workspace_id());
            let runs = server
                .records()?
                .runs_in(&scope, Some(RunState::Running), usize::MAX)?;
            let runs = runs.into_iter().rev();
            let open = runs.filter(|run| run.is_resumable() && run.parent.is_none());
            Ok(open.collect::<Vec<RunRecord>>())
        })
        .await
        .unwrap_or_default();
    let mut left = 0;
    let mut going = JoinSet::new();
    for run in found {
        // A thread for each would leave none to new requests.
        while going.len() >= server.settings.workers.max(1) {
            going.join_next().await;
        }
        if server.closing.is_cancelled() {
            break;
        }
        let at = Arc::clone(&server);
        let resumed = server
            .aside(move |server| {
                let caller = accepting_caller(&at, &run)?;
                let (chain, context) = reload_run(server, &run, false)?;
                Ok((caller, chain, context))
            })
            .await;
        match resumed {
            Ok((caller, chain, context)) => {
                let work = ChainStart::Resume {
                    after_restart: true,
                    how: ResumeRequest::default(),
                };
                going.spawn(self::run_chain(
                    Arc::clone(&server),
                    caller,
                    chain,
                    context,
                    work,
                ));
            }
            Err(_) => left += 1,
        }
    }
    if left > 0 {
        tell(&format!(
            "{left} interrupted runs of this workspace were not accepted by a server with a valid key; `mathchain runs resume --interrupted` resumes them"
        ));
    }
    while going.join_next().await.is_some() {}
}
