//! Templates: the stages of a workflow and the gates between them, as data.

mod read;

pub use read::{BUILT_IN, built_in, read_template};
use tool_core::{Decode, Describe, Encode};

use crate::fault::WorkflowFault;
use crate::names::{GateAction, GateKind, StageKind};

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// A template of workflows.
#[derive(Debug, Clone, PartialEq, Decode, Describe)]
#[value(deny_unknown_fields)]
pub struct WorkflowTemplate {
    /// Name: lower-case letters, digits and `-`
    pub name: String,
    /// Title, for lists
    #[value(default)]
    pub title: String,
    /// Purpose, for lists
    #[value(default)]
    pub description: String,
    /// Stages, in order
    #[schema(length(min = 1, max = 64))]
    pub stages: Vec<WorkflowStage>,
}

/// A stage of a workflow.
#[derive(Debug, Clone, PartialEq, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub struct WorkflowStage {
    /// Name, unique in the template
    pub name: String,
    /// Kind of the stage
    #[value(rename = "type")]
    pub kind: StageKind,
    /// Role that works in it
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub role: Option<String>,
    /// Instruction for the agents of the stage
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// Condition for leaving it
    pub gate: StageGate,
}

/// The condition for leaving a stage.
#[derive(Debug, Clone, PartialEq, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub struct StageGate {
    /// Kind of the gate
    #[value(rename = "type")]
    pub kind: GateKind,
    /// Question to the person, of `human_approval`
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// Whether the question is asked only when an agent requests approval, of `human_approval`
    #[value(default, skip_encoding_if = "is_default")]
    pub agent_triggered: bool,
    /// Possible answers, of `human_approval`
    #[value(default, skip_encoding_if = "is_default")]
    pub options: Vec<GateOption>,
    /// The chain to wait for, of `chain_complete`; every chain of the workflow where absent
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub chain: Option<String>,
    /// Commands that must succeed, in this order, of `verification_pass`
    #[value(default, skip_encoding_if = "is_default")]
    pub commands: Vec<String>,
}

/// A possible answer at a gate.
#[derive(Debug, Clone, PartialEq, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub struct GateOption {
    /// The answer, as it is shown
    pub label: String,
    /// Its consequence
    pub action: GateAction,
}

/// What a command returned.
#[derive(Debug, Clone, PartialEq, Encode, Decode, Describe)]
#[value(deny_unknown_fields, rename_all = "camelCase")]
pub struct CommandResult {
    /// The command
    pub command: String,
    /// Its exit code; 0 is success
    pub exit_code: i32,
}

impl StageGate {
    /// Whether an event has to record that its condition is met; the other kinds are always open.
    pub const fn needs_event(&self) -> bool {
        matches!(
            self.kind,
            GateKind::HumanApproval | GateKind::ChainComplete | GateKind::VerificationPass
        )
    }

    /// The consequence of an answer; without options there is none to choose.
    ///
    /// # Errors
    /// No such option; the fault lists them.
    pub fn choose(&self, label: Option<&str>) -> Result<GateAction, WorkflowFault> {
        let labels: Vec<String> = self
            .options
            .iter()
            .map(|option| format!("`{}`", option.label))
            .collect();
        match label {
            None if self.options.is_empty() => Ok(GateAction::Advance),
            None => Err(WorkflowFault::Invalid {
                field: "option",
                expected: format!("one of {}", labels.join(", ")),
                found: "nothing".to_owned(),
            }),
            Some(label) => match self.options.iter().find(|option| option.label == label) {
                Some(option) => Ok(option.action),
                None if self.options.is_empty() => Err(WorkflowFault::invalid(
                    "option",
                    "nothing, since the gate has no options",
                    label,
                )),
                None => Err(WorkflowFault::invalid(
                    "option",
                    format!("one of {}", labels.join(", ")),
                    label,
                )),
            },
        }
    }
}
