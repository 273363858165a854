//! Items of an earlier layout as events: text in, events out; nothing is written.
//!
//! Read are `docs/tasks/<status>/<chain>/<task>.md`, `docs/tasks/.chains/<chain>.json` (or `000-chain.md` among its tasks),
//! `docs/requests/{change-requests,fix-requests}/<status>/<id>-<slug>.md`, `.choragen/requests/<id>.json` (reviews),
//! `.choragen/workflows/<id>.json` and `.choragen/workflows/<id>/feedback/<id>.json`. Ids stay as they are. The folder of a task or
//! request is its status. Every event has the actor `import`, a service, and the time of its item.
//!
//! What cannot be imported is an error with file and line, and the rest is imported without it; what is imported differently
//! or not at all without harm, such as an unknown key, is a note.

mod chain;
mod feedback;
mod json;
mod markdown;
mod own;
mod request;
mod task;
mod workflow;

use std::collections::BTreeMap;

use registry::{LoadError, TextPlace};

use crate::actor::{EventActor, EventTime};
use crate::event::{EventPayload, WorkflowEvent};
use crate::names::ActorKind;
use crate::state::WorkflowState;

pub use self::own::adopt_item_files;

/// A file of the earlier layout.
#[derive(Debug, Clone, Copy)]
pub struct ImportSource<'a> {
    /// Its path below the root of the project.
    pub path: &'a str,
    /// Its text.
    pub text: &'a str,
}

/// What was read.
#[derive(Debug, Clone)]
pub struct ImportResult {
    /// The events, in order, for the state that was given.
    pub events: Vec<WorkflowEvent>,
    /// What could not be imported.
    pub errors: Vec<LoadError>,
    /// What was imported differently or left out.
    pub notes: Vec<LoadError>,
}

/// Reads files of the earlier layout as events that follow a state.
pub fn import_files(state: &WorkflowState, files: &[ImportSource<'_>]) -> ImportResult {
    let mut reading = ImportReader::default();
    let mut files: Vec<&ImportSource<'_>> = files.iter().collect();
    files.sort_by_key(|file| file.path);
    for file in files {
        reading.file(file);
    }
    reading.order_tasks();
    reading.into_events(state)
}

/// When an event of an import comes: what it refers to comes before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ImportTurn {
    Request,
    Chain,
    Task,
    ChainReview,
    RequestReview,
    Workflow,
    Feedback,
    WorkflowEnd,
    RequestEnd,
}

/// An event to come.
struct EventDraft {
    turn: ImportTurn,
    /// The order within a turn.
    key: String,
    place: TextPlace,
    time: EventTime,
    reason: Option<String>,
    /// Who did it, where that is known.
    by: Option<String>,
    data: EventPayload,
}

/// What has been read so far.
#[derive(Default)]
struct ImportReader {
    drafts: Vec<EventDraft>,
    errors: Vec<LoadError>,
    notes: Vec<LoadError>,
    /// Orders of tasks that chains state.
    orders: BTreeMap<String, Vec<String>>,
}

impl ImportReader {
    fn file(&mut self, file: &ImportSource<'_>) {
        let path = file.path.strip_prefix("./").unwrap_or(file.path);
        let parts: Vec<&str> = path.split('/').collect();
        match parts.as_slice() {
            [.., name] if name.starts_with("README") || *name == ".gitkeep" => {}
            ["docs", "tasks", ".chains", name] if name.ends_with(".json") => self.chain(file),
            ["docs", "tasks", _, chain, "000-chain.md"] => self.chain_page(file, chain),
            ["docs", "tasks", status, chain, name] if name.ends_with(".md") => {
                self.task(file, status, chain, name.trim_end_matches(".md"));
            }
            ["docs", "requests", kind @ ("change-requests" | "fix-requests"), status, name] if name.ends_with(".md") => {
                self.request(file, kind, status, name.trim_end_matches(".md"));
            }
            [".choragen", "requests", name] if name.ends_with(".json") => self.request_review(file),
            [".choragen", "workflows", name] if name.ends_with(".json") => self.workflow(file),
            [".choragen", "workflows", workflow, "feedback", name] if name.ends_with(".json") => self.feedback(file, workflow),
            _ => self.error(&line_place(file, 1), "the file has no place in the earlier layout").hint =
                Some("tasks are `docs/tasks/<status>/<chain>/<task>.md`, requests `docs/requests/<kind>/<status>/<id>-<slug>.md`".to_owned()),
        }
    }

    fn error(&mut self, place: &TextPlace, message: impl std::fmt::Display) -> &mut LoadError {
        self.errors.push(LoadError::new(Some(place), message));
        self.errors.last_mut().expect("pushed above")
    }

    fn note(&mut self, place: &TextPlace, message: impl std::fmt::Display) {
        self.notes.push(LoadError::new(Some(place), message));
    }

    fn draft(
        &mut self,
        turn: ImportTurn,
        key: &str,
        place: &TextPlace,
        time: EventTime,
        data: impl Into<EventPayload>,
    ) -> &mut EventDraft {
        self.drafts.push(EventDraft {
            turn,
            key: key.to_owned(),
            place: place.clone(),
            time,
            reason: None,
            by: None,
            data: data.into(),
        });
        self.drafts.last_mut().expect("pushed above")
    }

    /// Tasks come in the order that their chain states, then by id.
    fn order_tasks(&mut self) {
        for draft in &mut self.drafts {
            if let EventPayload::TaskCreated(task) = &draft.data {
                let order = self.orders.get(&task.chain);
                let position = order.and_then(|order| order.iter().position(|id| *id == task.task));
                draft.key = format!(
                    "{} {:05} {}",
                    task.chain,
                    position.unwrap_or(99_999),
                    task.task
                );
            }
        }
    }

    fn into_events(mut self, state: &WorkflowState) -> ImportResult {
        let mut drafts = std::mem::take(&mut self.drafts);
        drafts.sort_by(|one, other| (one.turn, &one.key).cmp(&(other.turn, &other.key)));
        let mut state = state.clone();
        let mut events = Vec::new();
        // A chain may depend on one that comes later: what is refused is tried again as long as something else succeeds.
        let mut open: Vec<EventDraft> = drafts;
        loop {
            let mut refused = Vec::new();
            let before = events.len();
            let mut faults = Vec::new();
            for draft in open {
                let event = WorkflowEvent {
                    seq: state.seq() + 1,
                    time: draft.time,
                    actor: EventActor::new(
                        draft.by.as_deref().unwrap_or("import"),
                        ActorKind::Service,
                        "import",
                    ),
                    reason: draft.reason.clone(),
                    data: draft.data.clone(),
                };
                match state.apply(&event) {
                    Ok(()) => events.push(event),
                    Err(fault) => {
                        faults.push(fault);
                        refused.push(draft);
                    }
                }
            }
            if refused.is_empty() || events.len() == before {
                for (draft, fault) in refused.iter().zip(faults) {
                    let error = self.error(&draft.place, format!("{}: {fault}", draft.data.kind()));
                    error.hint = match (&draft.data, &fault) {
                        (EventPayload::TaskCreated(task), crate::WorkflowFault::Unknown { .. }) => {
                            Some(format!(
                                "its chain needs a file `docs/tasks/.chains/{}.json`",
                                task.chain
                            ))
                        }
                        _ => fault.hint(),
                    };
                }
                break;
            }
            open = refused;
        }
        ImportResult {
            events,
            errors: self.errors,
            notes: self.notes,
        }
    }
}

/// A line of a file.
fn line_place(file: &ImportSource<'_>, line: usize) -> TextPlace {
    TextPlace {
        file: file.path.into(),
        line: u32::try_from(line).unwrap_or(u32::MAX),
        column: 1,
    }
}

#[cfg(test)]
mod tests;
