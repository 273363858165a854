//! The log as a state: folded once for each process, continued by commands, shown by files.

use std::sync::{Arc, PoisonError};

use tool_core::capability::{EventLog, Identity};
use tool_core::{Ctx, Result, ToolError, tool_error};

use crate::actor::{Actor, Context, Grants, Time};
use crate::decide::{Command, decide};
use crate::event::Event;
use crate::fault::Fault;
use crate::item::{ItemId, items, project, touched};
use crate::names::ActorKind;
use crate::state::State;
use crate::template::{self, Template};

/// Longest event that is written, in bytes of JSON.
const WRITTEN_BYTES_MAX: usize = 1 << 20;
/// Folder of the project's templates, below the workspace.
const TEMPLATES: &str = "workflow/templates";

/// The state of the workspace.
///
/// # Errors
/// `tool_error` for a log that cannot be read, or is damaged.
pub fn state(log: &dyn EventLog) -> Result<Arc<State>> {
    let mut memo = log.memo().lock().unwrap_or_else(PoisonError::into_inner);
    let kept = memo.clone().and_then(|kept| kept.downcast::<State>().ok());
    let mut state = kept.unwrap_or_default();
    let newer = log.after(state.seq())?;
    fold(&mut state, &newer)?;
    *memo = Some(state.clone());
    Ok(state)
}

/// Applies events to a state, and returns them.
///
/// # Errors
/// `tool_error` with reason `state_corrupt` for one that does not follow.
pub fn fold(state: &mut Arc<State>, bodies: &[String]) -> Result<Vec<Event>> {
    let mut events = Vec::with_capacity(bodies.len());
    for body in bodies {
        let event = Event::from_json(body).and_then(|event| {
            Arc::make_mut(state).apply(&event)?;
            Ok(event)
        });
        let number = state.seq() + 1;
        events.push(event.map_err(|fault| {
            tool_error!(ToolError, "state_corrupt"; "event {number} of the workflows: {fault}";
                "`mathchain doctor` shows the state file; restore it from a copy")
        })?);
    }
    Ok(events)
}

/// Who acts. The person who approved the call does; else the agent; else the role at a door, which counts as a service: nothing but an
/// approval shows that a person acted.
pub(super) fn actor(identity: &Identity) -> Actor {
    let role = &identity.role;
    match (&identity.approved_by, &identity.agent) {
        (Some(person), _) => Actor::new(person, ActorKind::Person, role),
        (None, Some(agent)) => Actor::new(agent, ActorKind::Agent, role),
        (None, None) if identity.is_delegate => Actor::new(role, ActorKind::Agent, role),
        (None, None) => Actor::new(role, ActorKind::Service, role),
    }
}

/// What a command did: the state after it, and its events.
pub(super) struct Done {
    pub(super) state: Arc<State>,
    pub(super) events: Vec<Event>,
}

/// Decides a command on the newest state, writes its events, and then the files that show them.
pub(super) fn run(ctx: &Ctx, command: &Command) -> Result<Done> {
    let (log, identity) = (ctx.events()?, ctx.identity()?);
    let actor = actor(identity);
    let events = append(log, |state, now| {
        decide_as(state, command, &actor, identity.has_grant, now)
    })?;
    for event in &events {
        ctx.note("event", event.kind());
    }
    // The events are written: whatever happens to the files, the command was carried out.
    if let Err(err) = show(log) {
        let reason = err.message();
        ctx.warn(format!(
            "the files below `workflow/` do not show this yet: {reason}"
        ));
    }
    Ok(Done {
        state: state(log)?,
        events,
    })
}

/// The events of a command of an actor at a time.
pub(super) fn decide_as(
    state: &State,
    command: &Command,
    actor: &Actor,
    has_grant: bool,
    now: Time,
) -> std::result::Result<Vec<Event>, Fault> {
    let granted = has_grant.then(|| actor.principal.clone());
    let grants = Grants::to(granted);
    let context = Context {
        now,
        today: now.date(),
        actor,
        grants: &grants,
    };
    decide(state, &context, command)
}

/// Continues the log by what `decide` makes of the newest state.
///
/// # Errors
/// Those of `decide` and of writing; nothing is written then.
pub fn append(
    log: &dyn EventLog,
    decide: impl Fn(&State, Time) -> std::result::Result<Vec<Event>, Fault>,
) -> Result<Vec<Event>> {
    let before = state(log)?;
    let mut events = Vec::new();
    log.append(before.seq(), &mut |newer, now_ms| {
        let mut state = Arc::clone(&before);
        fold(&mut state, newer)?;
        let now = Time(i64::try_from(now_ms).unwrap_or(i64::MAX));
        events = decide(&state, now)?;
        // What is written can be folded again.
        let mut after = State::clone(&state);
        let bodies = events.iter().map(|event| {
            after.apply(event)?;
            let body = event.to_json()?;
            if body.len() > WRITTEN_BYTES_MAX {
                return Err(Fault::TooLong {
                    field: "arguments",
                    bytes: body.len(),
                    max: WRITTEN_BYTES_MAX,
                });
            }
            Event::from_json(&body)?;
            Ok(body)
        });
        Ok(bodies.collect::<std::result::Result<Vec<String>, Fault>>()?)
    })?;
    Ok(events)
}

/// Writes the files of every item that changed since files were last written.
///
/// # Errors
/// `conflict` for a file whose first lines cannot be read; `tool_error` for one that cannot be written.
pub fn show(log: &dyn EventLog) -> Result<()> {
    write_files(log, false)
}

/// Writes every file anew, keeping what the state does not determine.
///
/// # Errors
/// As [`show`].
pub fn rebuild(log: &dyn EventLog) -> Result<()> {
    write_files(log, true)
}

fn write_files(log: &dyn EventLog, all: bool) -> Result<()> {
    let known = state(log)?;
    let mut fault = None;
    log.show(known.seq(), &mut |shown, newer| {
        let mut state = Arc::clone(&known);
        let from = known.seq().min(shown);
        let unknown = usize::try_from(known.seq() - from).unwrap_or(usize::MAX);
        fold(&mut state, newer.get(unknown..).unwrap_or_default())?;
        let unshown = usize::try_from(shown - from).unwrap_or(usize::MAX);
        let mut wanted = match all {
            true => items(&state),
            false => changed(&state, newer.get(unshown..).unwrap_or_default())?,
        };
        wanted.sort();
        wanted.dedup();
        // One file that cannot be written keeps no other from showing its item.
        for item in &wanted {
            fault = fault.take().or(write_file(log, &state, item).err());
        }
        Ok(state.seq())
    })?;
    fault.map_or(Ok(()), Err)
}

/// The items that events changed.
fn changed(state: &State, bodies: &[String]) -> Result<Vec<ItemId>> {
    let mut wanted = Vec::new();
    for body in bodies {
        wanted.extend(touched(&Event::from_json(body)?, state));
    }
    Ok(wanted)
}

fn write_file(log: &dyn EventLog, state: &State, item: &ItemId) -> Result<()> {
    let path = project(state, item, None)?.path;
    let old = log.read(&path)?;
    let file = project(state, item, old.as_deref()).map_err(|fault| {
        tool_error!(Conflict, "edited"; "`{path}`: {fault}"; "repair its first lines, or delete the file: it is written anew")
    })?;
    match old.as_deref() == Some(&*file.text) {
        true => Ok(()),
        false => log.write(&path, &file.text),
    }
}

/// A template of the project, else one that comes with the program.
pub(super) fn template(log: &dyn EventLog, name: &str) -> Result<Template> {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if name.is_empty() || !name.bytes().all(plain) {
        return Err(ToolError::invalid(
            "/template",
            "a name has lower-case letters, digits and `-`",
        ));
    }
    // No file of the workspace replaces a template of the program.
    if let Ok(built_in) = template::built_in(name) {
        return Ok(built_in);
    }
    let path = format!("{TEMPLATES}/{name}.yaml");
    let own = match log.read(&path) {
        // Without a workspace there are only those of the program.
        Err(err) if err.reason_str() == Some("workspace") => None,
        other => other?,
    };
    let Some(text) = own else {
        return Ok(template::built_in(name)?);
    };
    let read = template::read(&path, &text).map_err(
        |errors| tool_error!(InvalidRequest, "template"; "{errors}"; "repair the template"),
    )?;
    match read.name == name {
        true => Ok(read),
        false => Err(
            tool_error!(InvalidRequest, "template"; "{path}: expected the key `name` to be `{name}`, found `{}`", read.name;
            "name the template as its file"),
        ),
    }
}
