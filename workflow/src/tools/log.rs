//! The log as a state: folded once for each process, continued by commands, shown by files.

use std::sync::{Arc, PoisonError};

use tool_core::capability::{CallerIdentity, EventLog};
use tool_core::{Ctx, Result, StopFlag, ToolError, tool_error};

use crate::actor::{DecisionContext, EventActor, EventTime, GateGrants};
use crate::decide::{ItemCommand, decide_command};
use crate::event::WorkflowEvent;
use crate::fault::WorkflowFault;
use crate::item::{ItemId, items_with_files, project_item, touched_items};
use crate::names::ActorKind;
use crate::state::WorkflowState;
use crate::template::{self, WorkflowTemplate};

/// Longest event that is written, in bytes of JSON.
const WRITTEN_BYTES_MAX: usize = 1 << 20;
/// Folder of the project's templates, below the workspace.
const TEMPLATES: &str = "workflow/templates";

/// The state of the workspace.
///
/// # Errors
/// `tool_error` for a log that cannot be read, or is damaged.
pub fn load_state(log: &dyn EventLog) -> Result<Arc<WorkflowState>> {
    let mut memo = log.memo().lock().unwrap_or_else(PoisonError::into_inner);
    let kept = memo
        .clone()
        .and_then(|kept| kept.downcast::<WorkflowState>().ok());
    let mut state = kept.unwrap_or_default();
    let newer = log.after(state.seq())?;
    fold_events(&mut state, &newer)?;
    *memo = Some(state.clone());
    Ok(state)
}

/// Applies events to a state, and returns them.
///
/// # Errors
/// `tool_error` with reason `state_corrupt` for one that does not follow.
pub fn fold_events(
    state: &mut Arc<WorkflowState>,
    bodies: &[String],
) -> Result<Vec<WorkflowEvent>> {
    let mut events = Vec::with_capacity(bodies.len());
    for body in bodies {
        let event = WorkflowEvent::from_json(body).and_then(|event| {
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
pub(super) fn resolve_actor(identity: &CallerIdentity) -> EventActor {
    let role = &identity.role;
    match (&identity.approved_by, &identity.agent) {
        (Some(person), _) => EventActor::new(person, ActorKind::Person, role),
        (None, Some(agent)) => EventActor::new(agent, ActorKind::Agent, role),
        (None, None) if identity.is_delegate => EventActor::new(role, ActorKind::Agent, role),
        (None, None) => EventActor::new(role, ActorKind::Service, role),
    }
}

/// What a command did: the state after it, and its events.
pub(super) struct CommandChanges {
    pub(super) state: Arc<WorkflowState>,
    pub(super) events: Vec<WorkflowEvent>,
}

/// The state of the workspace, for tools: refused where the log is that of another workspace.
///
/// # Errors
/// As [`load_state`]; `precondition_failed` in a copy.
pub(super) fn current_state(log: &dyn EventLog) -> Result<Arc<WorkflowState>> {
    log.check_origin()?;
    load_state(log)
}

/// Decides a command on the newest state, writes its events, and then the files that show them.
pub(super) fn run_command(ctx: &Ctx, command: &ItemCommand) -> Result<CommandChanges> {
    let (log, identity) = (ctx.events()?, ctx.identity()?);
    let actor = resolve_actor(identity);
    let before = current_state(log)?;
    let checkout = log.checkout()?;
    let decide = |state: &WorkflowState, now| {
        let who = DecisionActor {
            actor: &actor,
            has_grant: identity.has_grant,
            checkout: &checkout,
        };
        decide_as(state, command, &who, now)
    };
    refuse_taken(log, &before, &decide)?;
    let events = append_events(log, decide)?;
    for event in &events {
        ctx.note(tool_core::outcome::EVENT, event.kind());
    }
    // The events are written: whatever happens to the files, the command was carried out.
    if let Err(err) = write_files(log, false, ctx.stop()) {
        let reason = err.message();
        ctx.warn(format!(
            "the files below `workflow/` do not show this yet: {reason}"
        ));
    }
    Ok(CommandChanges {
        state: load_state(log)?,
        events,
    })
}

/// Refuses a command whose new item would have a file that is there already: another checkout made it, and this log knows nothing of it.
fn refuse_taken(
    log: &dyn EventLog,
    state: &WorkflowState,
    decide: &impl Fn(
        &WorkflowState,
        EventTime,
    ) -> std::result::Result<Vec<WorkflowEvent>, WorkflowFault>,
) -> Result<()> {
    // Why a command is refused is said where it is decided.
    let events = decide(state, EventTime(0)).unwrap_or_default();
    let is_new = |event: &WorkflowEvent| event.kind().ends_with(".created");
    if !events.iter().any(is_new) {
        return Ok(());
    }
    // Ids have the date that the log gives.
    let mut now = EventTime(0);
    log.append(state.seq(), &mut |_, now_ms| {
        now = EventTime(i64::try_from(now_ms).unwrap_or(i64::MAX));
        Ok(Vec::new())
    })?;
    let events = decide(state, now).unwrap_or_default();
    let mut after = state.clone();
    let mut paths = Vec::new();
    for event in &events {
        after.apply(event)?;
        // What an event makes comes first in what it touches.
        let made = touched_items(event, &after).into_iter().next();
        if let (true, Some(item)) = (is_new(event), made) {
            paths.push(project_item(&after, &item, None)?.path);
        }
    }
    for path in paths {
        // Without a workspace no files show the items.
        if let Ok(Some(_)) = log.read(&path) {
            return Err(
                tool_error!(Conflict, "file_exists"; "`{path}` is there already, and the log of this workspace knows no such item";
                "`mathchain workspace adopt` takes the items of the files into the log; or move the file away"),
            );
        }
    }
    Ok(())
}

/// Who decides a command, beside its state and time.
pub(super) struct DecisionActor<'a> {
    pub(super) actor: &'a EventActor,
    pub(super) has_grant: bool,
    pub(super) checkout: &'a str,
}

/// The events of a command of an actor at a time.
pub(super) fn decide_as(
    state: &WorkflowState,
    command: &ItemCommand,
    who: &DecisionActor<'_>,
    now: EventTime,
) -> std::result::Result<Vec<WorkflowEvent>, WorkflowFault> {
    let granted = who.has_grant.then(|| who.actor.principal.clone());
    let grants = GateGrants::to(granted);
    let context = DecisionContext {
        now,
        today: now.date(),
        actor: who.actor,
        grants: &grants,
        checkout: who.checkout,
    };
    decide_command(state, &context, command)
}

/// How often work that another process made stale is done again before it is done under the lock, or left to that process.
const ATTEMPTS: usize = 8;

/// Continues the log by what `decide` makes of the newest state.
///
/// Events of other processes are read before the log is locked; they are read under the lock only where others wrote each time.
///
/// # Errors
/// Those of `decide` and of writing; nothing is written then.
pub fn append_events(
    log: &dyn EventLog,
    decide: impl Fn(&WorkflowState, EventTime) -> std::result::Result<Vec<WorkflowEvent>, WorkflowFault>,
) -> Result<Vec<WorkflowEvent>> {
    let mut events = Vec::new();
    for attempt in 1..=ATTEMPTS {
        let before = load_state(log)?;
        let mut is_stale = false;
        log.append(before.seq(), &mut |newer, now_ms| {
            let mut state = Arc::clone(&before);
            if !newer.is_empty() {
                if attempt < ATTEMPTS {
                    is_stale = true;
                    return Ok(Vec::new());
                }
                fold_events(&mut state, newer)?;
            }
            let now = EventTime(i64::try_from(now_ms).unwrap_or(i64::MAX));
            events = decide(&state, now)?;
            event_bodies(&state, &events)
        })?;
        if !is_stale {
            break;
        }
    }
    Ok(events)
}

/// The bodies of events, which can be folded again.
fn event_bodies(state: &WorkflowState, events: &[WorkflowEvent]) -> Result<Vec<String>> {
    let mut after = WorkflowState::clone(state);
    let bodies = events.iter().map(|event| {
        after.apply(event)?;
        let body = event.to_json()?;
        if body.len() > WRITTEN_BYTES_MAX {
            return Err(WorkflowFault::TooLong {
                field: "arguments",
                bytes: body.len(),
                max: WRITTEN_BYTES_MAX,
            });
        }
        WorkflowEvent::from_json(&body)?;
        Ok(body)
    });
    Ok(bodies.collect::<std::result::Result<Vec<String>, WorkflowFault>>()?)
}

/// Writes the files of every item that changed since files were last written.
///
/// # Errors
/// `conflict` for a file whose first lines cannot be read; `tool_error` for one that cannot be written.
pub fn write_changed_files(log: &dyn EventLog) -> Result<()> {
    write_files(log, false, &StopFlag::new())
}

/// Writes every file anew, keeping what the state does not determine.
///
/// # Errors
/// As [`write_changed_files`].
pub fn rebuild_files(log: &dyn EventLog) -> Result<()> {
    write_files(log, true, &StopFlag::new())
}

/// A file to write, and what it was made from.
struct PreparedFile {
    path: String,
    old: Option<String>,
    new: String,
}

/// Files are read and made before the log is locked, and written under the lock where neither they nor the log changed since: nobody
/// waits for the reading of a long file. Where they changed it is done again.
fn write_files(log: &dyn EventLog, all: bool, stop: &StopFlag) -> Result<()> {
    for _ in 0..ATTEMPTS {
        let (known, shown) = (load_state(log)?, log.shown()?);
        if shown >= known.seq() && !all {
            return Ok(());
        }
        let mut wanted = match all {
            true => items_with_files(&known),
            false => {
                let mut bodies = log.after(shown)?;
                bodies.truncate(usize::try_from(known.seq() - shown).unwrap_or(usize::MAX));
                changed_items(&known, &bodies)?
            }
        };
        wanted.sort();
        wanted.dedup();
        // One file that cannot be written keeps no other from showing its item.
        let mut fault = None;
        let mut prepared = Vec::new();
        for item in &wanted {
            stop.check()?;
            match prepare_item_file(log, &known, item) {
                Ok(file) => prepared.extend(file),
                Err(err) => fault = fault.or(Some(err)),
            }
        }
        let mut is_stale = false;
        log.show(known.seq(), &mut |now_shown, newer| {
            let expected = known.seq().saturating_sub(now_shown.min(known.seq()));
            is_stale = now_shown != shown || newer.len() as u64 != expected;
            if is_stale {
                return Ok(now_shown);
            }
            for file in &prepared {
                match log.read(&file.path) {
                    Ok(now) if now != file.old => is_stale = true,
                    Ok(_) => fault = fault.take().or(log.write(&file.path, &file.new).err()),
                    Err(err) => fault = fault.take().or(Some(err)),
                }
            }
            Ok(if is_stale { now_shown } else { known.seq() })
        })?;
        if !is_stale {
            return fault.map_or(Ok(()), Err);
        }
    }
    // Whoever continued the log each time writes the files of all events.
    Ok(())
}

/// The items that events changed.
fn changed_items(state: &WorkflowState, bodies: &[String]) -> Result<Vec<ItemId>> {
    let mut wanted = Vec::new();
    for body in bodies {
        wanted.extend(touched_items(&WorkflowEvent::from_json(body)?, state));
    }
    Ok(wanted)
}

/// The file of an item; `None` where it is as it has to be.
fn prepare_item_file(
    log: &dyn EventLog,
    state: &WorkflowState,
    item: &ItemId,
) -> Result<Option<PreparedFile>> {
    let path = project_item(state, item, None)?.path;
    let old = log.read(&path)?;
    let file = project_item(state, item, old.as_deref()).map_err(|fault| {
        tool_error!(Conflict, "edited"; "`{path}`: {fault}"; "repair its first lines, or delete the file: it is written anew")
    })?;
    let is_same = old.as_deref() == Some(&*file.text);
    Ok((!is_same).then_some(PreparedFile {
        path,
        old,
        new: file.text,
    }))
}

/// A template of the project, else one that comes with the program.
pub(super) fn load_template(log: &dyn EventLog, name: &str) -> Result<WorkflowTemplate> {
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
    let read = template::read_template(&path, &text).map_err(
        |errors| tool_error!(InvalidRequest, "template"; "{}", errors.with_keys(); "repair the template"),
    )?;
    match read.name == name {
        true => Ok(read),
        false => Err(
            tool_error!(InvalidRequest, "template"; "{path}: expected the key `name` to be `{name}`, found `{}`", read.name;
            "name the template as its file"),
        ),
    }
}
