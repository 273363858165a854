//! The files that show the state: one for each request, chain, task and feedback item, below `workflow/`.
//!
//! A path depends on ids alone, so that no file moves when a status changes. A file that exists keeps everything but the fields
//! and sections that the state determines.

use tool_core::Value;

use super::ItemPage;
use super::body::{
    chain_body, feedback_answer, feedback_body, request_body, review_lines, task_body,
};
use crate::fault::WorkflowFault;
use crate::ids::title_slug;
use crate::state::{
    ChainTask, TaskChain, WorkRequest, WorkReview, WorkflowFeedback, WorkflowState,
};

/// The folder of all files.
pub const FOLDER: &str = "workflow";

/// Which item.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum ItemId {
    /// A request.
    Request(String),
    /// A chain.
    Chain(String),
    /// A task of a chain.
    Task {
        /// The chain.
        chain: String,
        /// The task.
        task: String,
    },
    /// Feedback in a workflow.
    Feedback {
        /// The workflow.
        workflow: String,
        /// The feedback.
        feedback: String,
    },
}

/// A file as it has to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectedFile {
    /// Its path below the root of the workspace.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// Every item of a state that has a file.
pub fn items_with_files(state: &WorkflowState) -> Vec<ItemId> {
    let mut items: Vec<ItemId> = state
        .requests()
        .keys()
        .cloned()
        .map(ItemId::Request)
        .collect();
    for chain in state.chains().values() {
        items.push(ItemId::Chain(chain.id.clone()));
        items.extend(chain.tasks.iter().map(|task| ItemId::Task {
            chain: chain.id.clone(),
            task: task.id.clone(),
        }));
    }
    for workflow in state.workflows().values() {
        items.extend(workflow.feedback.keys().map(|feedback| ItemId::Feedback {
            workflow: workflow.id.clone(),
            feedback: feedback.clone(),
        }));
    }
    items
}

/// The items whose files an event changes.
pub fn touched_items(event: &crate::WorkflowEvent, state: &WorkflowState) -> Vec<ItemId> {
    let Ok(value) = event.to_value() else {
        return Vec::new();
    };
    let text = |key: &str| {
        value
            .get("data")
            .and_then(|data| data.text(key))
            .map(str::to_owned)
    };
    let kind = event.kind().split('.').next().unwrap_or_default();
    let mut items = Vec::new();
    let chain = text("chain").filter(|_| matches!(kind, "chain" | "task"));
    if let (Some(chain), Some(task)) = (chain.clone(), text("task")) {
        items.push(ItemId::Task { chain, task });
    }
    if let (Some(workflow), Some(feedback)) = (text("workflow"), text("feedback")) {
        items.push(ItemId::Feedback { workflow, feedback });
    }
    // The status of a chain follows its tasks, and that of a request its chains.
    let request = match chain.as_ref().and_then(|chain| state.chain(chain).ok()) {
        Some(chain) => Some(chain.request.clone()),
        None => text("request").filter(|_| kind == "request"),
    };
    items.extend(chain.map(ItemId::Chain));
    items.extend(request.map(ItemId::Request));
    items
}

/// The file of an item, given its old text.
///
/// # Errors
/// Unknown item; an old text whose frontmatter cannot be read or extended.
pub fn project_item(
    state: &WorkflowState,
    item: &ItemId,
    old: Option<&str>,
) -> Result<ProjectedFile, WorkflowFault> {
    let (path, fields, title, body) = match item {
        ItemId::Request(id) => {
            let request = state.request(id)?;
            let path = format!("{FOLDER}/requests/{id}-{}.md", title_slug(&request.title));
            (
                path,
                request_fields(state, request),
                request.title.clone(),
                request_body(request),
            )
        }
        ItemId::Chain(id) => {
            let chain = state.chain(id)?;
            (
                format!("{FOLDER}/chains/{id}.md"),
                chain_fields(chain),
                chain.title.clone(),
                chain_body(chain),
            )
        }
        ItemId::Task { chain, task: id } => {
            let task = state.task(chain, id)?;
            (
                format!("{FOLDER}/tasks/{chain}/{id}.md"),
                task_fields(chain, task),
                task.title.clone(),
                task_body(task),
            )
        }
        ItemId::Feedback {
            workflow,
            feedback: id,
        } => {
            let feedback = state.workflow(workflow)?.feedback(id)?;
            let title = format!("{id}: {}", feedback.kind);
            let path = format!("{FOLDER}/feedback/{workflow}/{id}.md");
            (
                path,
                feedback_fields(workflow, feedback),
                title,
                feedback_body(feedback),
            )
        }
    };
    let fresh = || {
        format!(
            "---
---

# {title}
{body}"
        )
    };
    let mut page = ItemPage::parse(old.map_or_else(fresh, str::to_owned))?;
    page.set_fields(&fields)?;
    for (name, text) in item_sections(state, item)? {
        match text {
            Some(text) if text.is_empty() => page.remove_section(name),
            Some(text) => page.set_section(name, &text)?,
            None => {}
        }
    }
    Ok(ProjectedFile {
        path,
        text: page.render().to_owned(),
    })
}

type Field = (&'static str, Option<Value>);

fn text_value(text: impl AsRef<str>) -> Option<Value> {
    Some(Value::from(text.as_ref()))
}

fn optional_text_value(text: Option<&String>) -> Option<Value> {
    text.map(|text| Value::from(text.as_str()))
}

fn list_value(texts: &[String]) -> Option<Value> {
    let texts: Vec<Value> = texts
        .iter()
        .map(|text| Value::from(text.as_str()))
        .collect();
    (!texts.is_empty()).then(|| Value::array(texts))
}

/// Reviews are never taken back: a log without any knows nothing of those that the file of another checkout has.
fn review_fields(all: &[WorkReview]) -> Vec<Field> {
    let fields = all.last().map(|last| {
        [
            ("review", text_value(last.verdict.as_str())),
            ("reviewer", text_value(&last.by)),
        ]
    });
    fields.into_iter().flatten().collect()
}

fn request_fields(state: &WorkflowState, request: &WorkRequest) -> Vec<Field> {
    let mut fields = vec![
        ("id", text_value(&request.id)),
        ("type", text_value(request.kind.as_str())),
        ("title", text_value(&request.title)),
        ("domain", text_value(&request.domain)),
        ("status", text_value(state.request_status(request).as_str())),
        (
            "closed",
            request
                .closed
                .as_ref()
                .and_then(|closed| text_value(closed.outcome.as_str())),
        ),
        (
            "closed_because",
            optional_text_value(
                request
                    .closed
                    .as_ref()
                    .and_then(|closed| closed.reason.as_ref()),
            ),
        ),
        ("author", text_value(&request.author.principal)),
        ("created", text_value(request.created.to_string())),
        ("updated", text_value(request.updated.to_string())),
    ];
    fields.extend(review_fields(&request.reviews));
    fields
}

fn chain_fields(chain: &TaskChain) -> Vec<Field> {
    let mut fields = vec![
        ("id", text_value(&chain.id)),
        ("request", text_value(&chain.request)),
        ("title", text_value(&chain.title)),
        ("type", text_value(chain.kind.as_str())),
        ("status", text_value(chain.status().as_str())),
        ("depends_on", optional_text_value(chain.depends_on.as_ref())),
        ("file_scope", list_value(&chain.file_scope)),
        (
            "skip_design",
            optional_text_value(chain.skip_design.as_ref()),
        ),
        ("author", text_value(&chain.author.principal)),
        ("created", text_value(chain.created.to_string())),
        ("updated", text_value(chain.updated.to_string())),
    ];
    fields.extend(review_fields(&chain.reviews));
    fields
}

fn task_fields(chain: &str, task: &ChainTask) -> Vec<Field> {
    let rework = (task.rework_count > 0).then(|| Value::from(i64::from(task.rework_count)));
    let mut fields = vec![
        ("id", text_value(&task.id)),
        ("chain", text_value(chain)),
        ("title", text_value(&task.title)),
        ("type", text_value(task.kind.as_str())),
        ("status", text_value(task.status.as_str())),
        (
            "blocked_because",
            optional_text_value(task.blocked.as_ref()),
        ),
        ("rework_of", optional_text_value(task.rework_of.as_ref())),
        ("rework_count", rework),
        ("submitter", optional_text_value(task.submitter.as_ref())),
        ("author", text_value(&task.author.principal)),
        ("created", text_value(task.created.to_string())),
        ("updated", text_value(task.updated.to_string())),
    ];
    fields.extend(review_fields(&task.reviews));
    fields
}

fn feedback_fields(workflow: &str, feedback: &WorkflowFeedback) -> Vec<Field> {
    let response = feedback.response.as_ref();
    vec![
        ("id", text_value(&feedback.id)),
        ("workflow", text_value(workflow)),
        ("type", text_value(feedback.kind.as_str())),
        ("priority", text_value(feedback.priority.as_str())),
        ("blocking", Some(Value::from(feedback.blocking))),
        ("status", text_value(feedback.status.as_str())),
        ("chain", optional_text_value(feedback.chain.as_ref())),
        ("task", optional_text_value(feedback.task.as_ref())),
        ("author", text_value(&feedback.author.principal)),
        ("created", text_value(feedback.created.to_string())),
        ("updated", text_value(feedback.updated.to_string())),
        (
            "answered_by",
            response.and_then(|response| text_value(&response.by)),
        ),
        (
            "selected_option",
            optional_text_value(response.and_then(|response| response.selected_option.as_ref())),
        ),
        (
            "dismissed_because",
            optional_text_value(feedback.dismissed.as_ref()),
        ),
    ]
}

type Section = (&'static str, Option<String>);

/// The sections that the state determines; an empty one is removed, and one of which the log knows nothing stays as it is.
fn item_sections(state: &WorkflowState, item: &ItemId) -> Result<Vec<Section>, WorkflowFault> {
    let reviewed = |all: &[WorkReview]| ("Reviews", (!all.is_empty()).then(|| review_lines(all)));
    Ok(match item {
        ItemId::Request(id) => vec![reviewed(&state.request(id)?.reviews)],
        ItemId::Chain(id) => vec![reviewed(&state.chain(id)?.reviews)],
        ItemId::Task { chain, task } => {
            let task = state.task(chain, task)?;
            let summary = task
                .summary
                .as_deref()
                .map(super::body::section_text)
                .unwrap_or_default();
            let summary = (!task.submitters.is_empty()).then_some(summary);
            vec![("Summary", summary), reviewed(&task.reviews)]
        }
        ItemId::Feedback { workflow, feedback } => {
            let feedback = state.workflow(workflow)?.feedback(feedback)?;
            vec![("Answer", Some(feedback_answer(feedback)))]
        }
    })
}
