//! [`TransitionResult`]: the result of a transition.

use tool_core::{CallProbe, Ctx, Describe, Encode, Result, Value, object};

use super::log::{self, CommandChanges};
use crate::actor::EventTime;
use crate::decide::ItemCommand;
use crate::event::WorkflowEvent;
use crate::state::WorkflowState;

/// What a transition did.
#[derive(Debug, Encode, Describe)]
pub struct TransitionResult {
    /// Id of the item.
    pub id: String,
    /// Its status now.
    pub status: String,
    /// The events written, in order; none where the item was as wanted already.
    pub events: Vec<EventReport>,
}

/// An event.
#[derive(Debug, Encode, Describe)]
pub struct EventReport {
    /// Its number.
    pub number: u64,
    /// Its type, such as `task.submitted`.
    pub r#type: String,
    /// The reason given.
    pub reason: Option<String>,
    /// What happened, as `docs/workflows.md` lists it for each type.
    pub data: Value,
}

/// Runs a command.
pub(super) fn run_item_command(
    ctx: &Ctx,
    command: &ItemCommand,
    item: &CommandItem<'_>,
) -> Result<TransitionResult> {
    let CommandChanges { state, events } = log::run_command(ctx, command)?;
    build_changed(&state, &events, item)
}

/// The item that a command is about, where it exists before.
pub(super) enum CommandItem<'a> {
    /// Read from the first event.
    OfEvent,
    /// Feedback that may need no event.
    Feedback(&'a str, &'a str),
}

fn build_changed(
    state: &WorkflowState,
    events: &[WorkflowEvent],
    item: &CommandItem<'_>,
) -> Result<TransitionResult> {
    let mut happened = Vec::with_capacity(events.len());
    for event in events {
        let value = event.to_value()?;
        happened.push(EventReport {
            number: event.seq,
            r#type: event.kind().to_owned(),
            reason: event.reason.clone(),
            data: value.get("data").cloned().unwrap_or_default(),
        });
    }
    let (id, status) = match (happened.first(), item) {
        (Some(first), _) => event_subject(state, &first.r#type, &first.data)?,
        (None, CommandItem::Feedback(workflow, id)) => {
            let feedback = state.workflow(workflow)?.feedback(id)?;
            (feedback.id.clone(), feedback.status.as_str().to_owned())
        }
        (None, CommandItem::OfEvent) => Default::default(),
    };
    Ok(TransitionResult {
        id,
        status,
        events: happened,
    })
}

/// Id and status of the item of an event.
fn event_subject(state: &WorkflowState, kind: &str, data: &Value) -> Result<(String, String)> {
    let text = |key: &str| data.text(key).unwrap_or_default().to_owned();
    let both = |id: &str, status: &str| Ok((id.to_owned(), status.to_owned()));
    match kind.split('.').next().unwrap_or_default() {
        "task" => {
            let task = state.task(&text("chain"), &text("task"))?;
            both(&task.id, task.status.as_str())
        }
        "chain" => {
            let chain = state.chain(&text("chain"))?;
            both(&chain.id, chain.status().as_str())
        }
        "request" => {
            let request = state.request(&text("request"))?;
            both(&request.id, state.request_status(request).as_str())
        }
        "feedback" => {
            let feedback = state
                .workflow(&text("workflow"))?
                .feedback(&text("feedback"))?;
            both(&feedback.id, feedback.status.as_str())
        }
        "lock" => {
            let chain = text("chain");
            let status = match state.locks().contains_key(&chain) {
                true => "held",
                false => "released",
            };
            both(&chain, status)
        }
        "agent" => {
            let id = text("agent");
            let outcome = state.agents().get(&id).and_then(|agent| agent.outcome);
            both(&id, outcome.map_or("running", |outcome| outcome.as_str()))
        }
        _ => {
            let workflow = state.workflow(&text("workflow"))?;
            both(&workflow.id, workflow.status().as_str())
        }
    }
}

/// The number of the last event before a call, from which [`probe_command`] tells whether it happened.
pub(super) fn last_event_number(ctx: &Ctx) -> Result<Option<Value>> {
    let number = log::load_state(ctx.events()?)?.seq();
    Ok(Some(object! { "number" => number }))
}

/// Whether a command happened after an event: whether the events that it would have written then follow, by the same actor.
pub(super) fn probe_command(ctx: &Ctx, before: &Value, command: &ItemCommand) -> Result<CallProbe> {
    let (log, identity) = (ctx.events()?, ctx.identity()?);
    let number = before.get("number").and_then(Value::as_f64);
    let Some(number) = number.map(|number| number as usize) else {
        return Ok(CallProbe::Unknown);
    };
    let bodies = log.after(0)?;
    if bodies.len() < number {
        return Ok(CallProbe::Unknown);
    }
    if bodies.len() == number {
        return Ok(CallProbe::NotHappened);
    }
    let mut state = std::sync::Arc::new(WorkflowState::default());
    log::fold_events(&mut state, &bodies[..number])?;
    let mut actor = log::resolve_actor(identity);
    let followed = log::fold_events(&mut std::sync::Arc::clone(&state), &bodies[number..])?;
    // A person's approval is not known here: the event itself says who it was.
    if let Some(first) = followed.first() {
        let by_person = first.actor.is_person() && first.actor.role == actor.role;
        actor = if by_person {
            first.actor.clone()
        } else {
            actor
        };
    }
    let now = followed.first().map_or(EventTime(0), |event| event.time);
    let who = log::DecisionActor {
        actor: &actor,
        has_grant: true,
        checkout: &log.checkout()?,
    };
    let Ok(wanted) = log::decide_as(&state, command, &who, now) else {
        return Ok(CallProbe::Unknown);
    };
    let same = |(one, other): (&WorkflowEvent, &WorkflowEvent)| {
        one.data == other.data && one.actor == other.actor
    };
    if !wanted.is_empty()
        && wanted.len() <= followed.len()
        && wanted.iter().zip(&followed).all(same)
    {
        let mut after = WorkflowState::clone(&state);
        for event in &wanted {
            after.apply(event)?;
        }
        let changed = build_changed(&after, &followed[..wanted.len()], &CommandItem::OfEvent)?;
        return Ok(CallProbe::Happened(tool_core::convert::to_value(&changed)?));
    }
    // Others wrote in between: whether this call is among them cannot be told from here.
    Ok(CallProbe::Unknown)
}
