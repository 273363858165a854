//! [`Command`]: what a command decides, and [`CommandTool`]: how its tool is offered.

use tool_core::{Caller, Capability, Category, Determinism, Effect, JsonExample, Permission, Spec};

use crate::actor::DecisionContext;
use crate::event::{EventPayload, WorkflowEvent};
use crate::fault::WorkflowFault;
use crate::state::WorkflowState;

/// The event of a command.
pub type DraftResult = Result<EventDraft, WorkflowFault>;

/// The events of a command, in order.
pub type DecisionResult = Result<Vec<WorkflowEvent>, WorkflowFault>;

/// A command with its arguments, which are those of its tool, in its spelling. It validates everything before anything is written;
/// nothing here changes the state.
pub trait Command {
    /// Id of the tool that gives it; where none does, a name of the same form.
    const ID: &'static str;

    /// The event that the command is about, from arguments that are checked here.
    ///
    /// # Errors
    /// An argument that cannot be; see each command.
    fn draft_event(&self, state: &WorkflowState, context: &DecisionContext<'_>) -> DraftResult;

    /// Whether this actor may give it, where anybody may.
    ///
    /// # Errors
    /// The actor may not.
    fn may(
        &self,
        state: &WorkflowState,
        context: &DecisionContext<'_>,
    ) -> Result<(), WorkflowFault> {
        let _ = (state, context);
        Ok(())
    }

    /// The events of the command, in order: mostly one; none where the state is as wanted already.
    ///
    /// # Errors
    /// Those of [`Command::draft_event`], what the state does not permit, then those of [`Command::may`].
    fn decide(&self, state: &WorkflowState, context: &DecisionContext<'_>) -> DecisionResult {
        decide_one_event(self, state, context).map(|event| vec![event])
    }
}

/// An event without its number, time and actor.
#[derive(Debug, Clone, PartialEq)]
pub struct EventDraft {
    /// What happens.
    pub data: EventPayload,
    /// The reason given.
    pub reason: Option<String>,
}

impl EventDraft {
    /// A draft without a reason.
    pub fn new(data: impl Into<EventPayload>) -> Self {
        Self {
            data: data.into(),
            reason: None,
        }
    }

    /// The draft with a reason.
    pub fn because(self, reason: Option<String>) -> Self {
        Self { reason, ..self }
    }

    /// The next event of a state, `offset` events ahead.
    pub(super) fn at(
        self,
        state: &WorkflowState,
        context: &DecisionContext<'_>,
        offset: u64,
    ) -> WorkflowEvent {
        WorkflowEvent {
            seq: state.seq() + 1 + offset,
            time: context.now,
            actor: context.actor.clone(),
            reason: self.reason,
            data: self.data,
        }
    }

    /// The next event, if the state accepts it.
    pub(super) fn accept(
        self,
        state: &WorkflowState,
        context: &DecisionContext<'_>,
    ) -> Result<WorkflowEvent, WorkflowFault> {
        let event = self.at(state, context, 0);
        state.check(&event)?;
        Ok(event)
    }
}

/// What [`Command::decide`] does where a command does nothing else: what is wrong with the command is told before who may give it.
pub(super) fn decide_one_event(
    command: &(impl Command + ?Sized),
    state: &WorkflowState,
    context: &DecisionContext<'_>,
) -> Result<WorkflowEvent, WorkflowFault> {
    let event = command
        .draft_event(state, context)?
        .accept(state, context)?;
    command.may(state, context)?;
    Ok(event)
}

/// The tool of a command.
pub(crate) trait CommandTool {
    /// Its specification.
    const SPEC: Spec;
    /// Where its example stands among those of the other tools.
    const STEP: ExampleStep;
    /// Its example.
    const EXAMPLES: &'static [JsonExample];
}

/// Where the example of a tool stands: one project can take all examples in their order, and a test of the binary does.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ExampleStep {
    /// Number of events that the log has before.
    pub(crate) events_before: u64,
    /// The role that calls the tool.
    pub(crate) role: &'static str,
}

impl ExampleStep {
    pub(crate) const fn new(events_before: u64, role: &'static str) -> Self {
        Self {
            events_before,
            role,
        }
    }
}

/// The tags of the tools that change items; `registry/roles.yaml` denies them to those who only lead.
const CHANGING_TAGS: &[&str] = &["workflow", "transition"];

/// What the tools that change items share.
pub(crate) const CHANGES: Spec = Spec {
    category: Category::Workflow,
    tags: CHANGING_TAGS,
    effects: &[Effect::SystemState],
    permissions: &[Permission::Workflow],
    capabilities: &[Capability::Events],
    idempotent: false,
    determinism: Determinism::External,
    ..Spec::pure()
};

/// Decisions of a person or a reviewer are calls of their own, never steps of a plan that someone wrote before.
pub(crate) const DECIDED: &[Caller] = &[Caller::Direct];

/// Defines the arguments of a command.
macro_rules! args {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty),* $(,)? }) => {
        #[derive(Debug, Clone, Default, PartialEq, tool_core::Encode, tool_core::Decode, tool_core::Describe)]
        #[value(deny_unknown_fields, rename_all = "camelCase")]
        $(#[$doc])*
        pub struct $name {
            $($(#[$field_doc])* pub $field: $type,)*
        }
    };
}
pub(super) use args;
