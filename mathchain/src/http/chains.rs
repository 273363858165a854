//! `/v1/chains`: plans that are submitted, shown and cancelled; each is a recorded run where there is a state.

use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;

use axum::extract::{Extension, Path, Request, State};
use axum::http::StatusCode;
use axum::http::header::{HeaderValue, LOCATION};
use axum::response::Response;
use chain_runtime::run as chains;
use chain_runtime::{CheckMode, Plan, RunOptions};
use tool_core::json::{Limits, parse_bytes};
use tool_core::{ErrorCode, Object, Outcome, Result, Value, tool_error};

use super::begun::Chain;
use super::callers::Caller;
use super::calls::{json_of, trace_of, unattended};
use super::once::{Answer, Once};
use super::reply::{self, Replied};
use super::server::{Server, lost};
use crate::queue::Queue;
use crate::{Context, recorded};

/// A plan with its inputs.
struct Submitted {
    plan: Plan,
    inputs: Object,
}

impl Submitted {
    fn read(server: &Server, text: &[u8]) -> Result<Self> {
        const KEYS: [&str; 2] = ["plan", "inputs"];
        let limits = Limits {
            bytes_max: server.body_bytes_max(),
            ..Limits::default()
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

/// Checks a plan, and begins to run it.
pub(super) async fn submit(
    State(server): State<Arc<Server>>,
    Extension(caller): Extension<Arc<Caller>>,
    request: Request,
) -> Replied {
    let (headers, text) = json_of(&server, request).await?;
    let sent = text.clone();
    let submitted = server
        .aside(move |server| Submitted::read(server, &sent))
        .await?;
    let once = Once::of(&server, &caller, &headers, "/v1/chains", &text)?;
    let chain = Arc::new(Chain::new(
        new_id(),
        caller.role(&server),
        server.calls.child(),
    ));
    let context = Context {
        answer: unattended(&server.toolkit),
        stop: chain.stop.clone(),
        trace: trace_of(&headers),
        ..caller.context.clone()
    };
    let checking = context.clone();
    let submitted = server
        .aside(move |server| {
            let Submitted { plan, inputs } = &submitted;
            let checked = server
                .toolkit
                .check(&checking, plan, inputs, CheckMode::Run);
            checked.map(|_| ())?;
            Ok(submitted)
        })
        .await?;
    let (chain, _once) = match once {
        None => (chain, None),
        Some(once) => match server
            .aside(move |server| claimed(server, chain, once))
            .await?
        {
            Claimed::Begins(chain, once) => (chain, Some(once)),
            Claimed::Began(again) => {
                let place = again.text("id").map(place_of);
                return Ok(located(again.replayed(), place));
            }
        },
    };
    // The key of the request is free again when the plan is known.
    server.chains.add(Arc::clone(&chain));
    let begun = reply::value(StatusCode::ACCEPTED, &chain.shown());
    let begun = located(begun, Some(place_of(&chain.id)));
    tokio::spawn(run(
        server,
        Arc::clone(&caller.queue),
        chain,
        context,
        submitted,
    ));
    Ok(begun)
}

fn place_of(id: &str) -> String {
    format!("/v1/chains/{id}")
}

fn located(mut response: Response, place: Option<String>) -> Response {
    if let Some(place) = place.and_then(|place| HeaderValue::from_str(&place).ok()) {
        response.headers_mut().insert(LOCATION, place);
    }
    response
}

/// A submission that may act once.
enum Claimed {
    Begins(Arc<Chain>, Once),
    Began(Answer),
}

/// Claims a submission with the id of its plan. A plan is recorded before its first step, so that one that is neither here nor recorded has
/// not begun, and begins under the same id.
fn claimed(server: &Server, chain: Arc<Chain>, once: Once) -> Result<Claimed> {
    let answer = Answer {
        status: StatusCode::ACCEPTED,
        body: chain.shown(),
    };
    let Some(earlier) = once.claim_with(&answer)? else {
        return Ok(Claimed::Begins(chain, once));
    };
    let id = earlier.text("id").unwrap_or_default();
    if server.chains.find(id, &chain.role).is_some() {
        return Ok(Claimed::Began(earlier));
    }
    match server.records()?.run(id) {
        Ok(_) => Ok(Claimed::Began(earlier)),
        Err(err) if err.code() == ErrorCode::InvalidArgs => {
            let (role, stop) = (chain.role.clone(), chain.stop.clone());
            let chain = Arc::new(Chain::new(id.to_owned(), role, stop));
            Ok(Claimed::Begins(chain, once))
        }
        Err(err) => Err(err),
    }
}

/// Runs a plan on a thread of its own.
async fn run(
    server: Arc<Server>,
    queue: Arc<Queue>,
    chain: Arc<Chain>,
    context: Context,
    submitted: Submitted,
) {
    let permit = match queue.enter().await {
        Ok(permit) => permit,
        Err(overloaded) => {
            chain.end(Outcome::error(overloaded).to_value());
            return;
        }
    };
    let (toolkit, observer) = (Arc::clone(&server.toolkit), Arc::clone(&chain));
    let thread = tokio::task::spawn_blocking(move || {
        let _permit = permit;
        let options = RunOptions {
            chain_id: Some(observer.id.clone()),
            observer: Some(observer),
            ..RunOptions::default()
        };
        let ran = toolkit.run_plan(&context, &submitted.plan, &submitted.inputs, options);
        match ran {
            Ok(result) => result.to_outcome(),
            Err(problems) => Outcome::error(problems.into()),
        }
    });
    let outcome = thread.await.unwrap_or_else(|err| Outcome::error(lost(err)));
    chain.end(outcome.to_value());
}

/// Id of twelve hex digits, as that of every run.
fn new_id() -> String {
    let random = |_| RandomState::new().hash_one(0_u8).to_string();
    let parts: Vec<String> = (0..2).map(random).collect();
    let mut id = registry::digest::of_texts(parts.iter().map(String::as_str));
    id.truncate(12);
    id
}

/// Shows a plan: whether it runs, and its answer.
pub(super) async fn show(
    State(server): State<Arc<Server>>,
    Extension(caller): Extension<Arc<Caller>>,
    Path(id): Path<String>,
) -> Replied {
    let role = caller.role(&server);
    if let Some(chain) = server.chains.find(&id, &role) {
        return Ok(reply::data(&chain.shown()));
    }
    let recorded = server
        .aside(move |server| {
            let state = server.records()?;
            let run = recorded::run(state, &role, &id)?;
            let mut members = recorded::summary(&run)
                .as_object()
                .cloned()
                .unwrap_or_default();
            if run.state.is_final() {
                members.insert("answer", chains::ended(state, &run)?.to_value());
            }
            Ok(Value::from(members))
        })
        .await?;
    Ok(reply::data(&recorded))
}

/// Cancels a plan; completed steps with a `compensate` are undone.
pub(super) async fn cancel(
    State(server): State<Arc<Server>>,
    Extension(caller): Extension<Arc<Caller>>,
    Path(id): Path<String>,
) -> Replied {
    let role = caller.role(&server);
    if let Some(chain) = server.chains.find(&id, &role).filter(|it| !it.has_ended()) {
        chain.stop.cancel();
        return Ok(reply::value(StatusCode::ACCEPTED, &chain.shown()));
    }
    let cancelled = server
        .aside(move |server| {
            let run = recorded::run(server.records()?, &role, &id)?;
            server.toolkit.cancel(&caller.context, &run.id)?;
            Ok(recorded::summary(&recorded::run(
                server.records()?,
                &role,
                &id,
            )?))
        })
        .await?;
    Ok(reply::data(&cancelled))
}
