//! What waits for a decision: approvals of calls, gates and feedback of workflows.

use journal::Approval;
use tool_core::{Value, convert, object};
use workflow::state::{WorkflowFeedback, WorkflowInstance, WorkflowState};

/// An entry that waits.
pub enum WaitingEntry {
    Approval(Box<Approval>),
    Gate(Box<WaitingGate>),
    Feedback {
        workflow: String,
        item: Box<WorkflowFeedback>,
    },
}

/// The gate of a stage that a person satisfies.
pub struct WaitingGate {
    pub workflow: String,
    pub stage: String,
    pub prompt: Option<String>,
    pub options: Vec<String>,
}

/// What waits in workflows: gates first, then feedback.
pub fn in_workflows(state: &WorkflowState) -> Vec<WaitingEntry> {
    let gates = state.workflows().values().filter_map(waiting_gate);
    let mut all: Vec<WaitingEntry> = gates
        .map(|gate| WaitingEntry::Gate(Box::new(gate)))
        .collect();
    let running = state.workflows().values();
    for workflow in running.filter(|one| one.ended.is_none()) {
        let open = workflow
            .feedback
            .values()
            .filter(|one| one.status.is_open());
        all.extend(open.map(|one| WaitingEntry::Feedback {
            workflow: workflow.id.clone(),
            item: Box::new(one.clone()),
        }));
    }
    all
}

/// The gate of a workflow that waits for a person.
fn waiting_gate(workflow: &WorkflowInstance) -> Option<WaitingGate> {
    let stage = workflow
        .current()
        .filter(|_| workflow.awaits(workflow.stage))?;
    Some(WaitingGate {
        workflow: workflow.id.clone(),
        stage: stage.name.clone(),
        prompt: stage.gate.prompt.clone(),
        options: stage
            .gate
            .options
            .iter()
            .map(|option| option.label.clone())
            .collect(),
    })
}

impl WaitingEntry {
    /// Whether an id names it; the beginning of an approval's is enough, and of feedback the part after its workflow.
    pub fn is_called(&self, id: &str) -> bool {
        match self {
            Self::Approval(approval) => !id.is_empty() && approval.id.starts_with(id),
            Self::Gate(gate) => gate.workflow == id,
            Self::Feedback { workflow, item } => {
                id == item.id || id.split_once('/') == Some((workflow, &item.id))
            }
        }
    }

    pub fn value(&self) -> Value {
        match self {
            Self::Approval(approval) => {
                let mut fields = convert::to_value(&**approval)
                    .unwrap_or_default()
                    .as_object()
                    .cloned()
                    .unwrap_or_default();
                fields.insert("kind", "approval");
                Value::Object(fields.into())
            }
            Self::Gate(gate) => object! {
                "kind" => "gate", "id" => gate.workflow.as_str(), "stage" => gate.stage.as_str(),
                "prompt" => gate.prompt.clone(), "options" => gate.options.clone(),
            },
            Self::Feedback { workflow, item } => object! {
                "kind" => "feedback", "id" => format!("{workflow}/{}", item.id), "type" => item.kind.as_str(),
                "blocking" => item.blocking, "by" => item.author.principal.as_str(), "text" => item.content.as_str(),
                "options" => option_labels(item),
            },
        }
    }
}

pub fn option_labels(item: &WorkflowFeedback) -> Vec<String> {
    let options = item.context.options.iter();
    options.map(|option| option.label.clone()).collect()
}
