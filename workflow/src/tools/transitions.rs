//! The transitions as tools: each is a type of arguments of [`crate::decide_command`] with its specification.

use tool_core::{
    CallProbe, Caller, Ctx, Decode, Describe, Encode, JsonExample, Result, Spec, Syntax, Tool,
    Value, object,
};

use super::changes::{self, CommandItem, TransitionResult};
use super::{CHANGES, examples, log};
use crate::actor::EventActor;
use crate::decide::{self, ItemCommand};
use crate::names::ActorKind;

/// Decisions of a person or a reviewer are calls of their own, never steps of a plan that someone wrote before.
const DECIDED: &[Caller] = &[Caller::Direct];

/// Makes tools of types of arguments: id, title, changes of the declaration.
macro_rules! transitions {
    ($($args:ident: $id:literal, $title:literal $(, $field:ident = $value:expr)*;)+) => {$(
        impl Tool for decide::$args {
            const SPEC: Spec = Spec { $($field: $value,)* ..CHANGES }.with_name($id, $title);
            type Output = TransitionResult;
            const EXAMPLES: &'static [JsonExample] = examples::$args;

            fn run(args: Self, ctx: &Ctx) -> Result<TransitionResult> {
                changes::run_item_command(ctx, &ItemCommand::$args(args), &CommandItem::OfEvent)
            }

            fn before(_: &Self, ctx: &Ctx) -> Result<Option<Value>> {
                changes::last_event_number(ctx)
            }

            fn probe(args: &Self, before: &Value, ctx: &Ctx) -> Result<CallProbe> {
                changes::probe_command(ctx, before, &ItemCommand::$args(args.clone()))
            }
        }
    )+};
}

transitions! {
    RequestCreate: "request:create", "Create a request";
    RequestApprove: "request:approve", "Approve a request", callers = DECIDED;
    RequestRequestChanges: "request:request_changes", "Request changes of a request", callers = DECIDED;
    RequestClose: "request:close", "Close a request";
    ChainCreate: "chain:create", "Add a chain of tasks to a request", syntax = &[("/fileScope", Syntax::Pattern)];
    ChainApprove: "chain:approve", "Approve a chain", callers = DECIDED;
    ChainRequestChanges: "chain:request_changes", "Request changes of a chain", callers = DECIDED;
    TaskCreate: "task:create", "Add a task to a chain", syntax = &[("/fileScope", Syntax::Pattern)];
    TaskReady: "task:ready", "Make a task ready";
    TaskStart: "task:start", "Start a task";
    TaskSubmit: "task:submit", "Submit a task";
    TaskApprove: "task:approve", "Approve a task", callers = DECIDED;
    TaskRequestChanges: "task:request_changes", "Send a task back", callers = DECIDED;
    TaskBlock: "task:block", "Mark a task as blocked";
    TaskUnblock: "task:unblock", "Unblock a task";
    FeedbackCreate: "feedback:create", "Ask a question in a workflow";
    FeedbackRespond: "feedback:respond", "Answer feedback", callers = DECIDED;
    WorkflowPause: "workflow:pause", "Pause a workflow";
    WorkflowResume: "workflow:resume", "Resume a workflow";
    WorkflowDiscard: "workflow:discard", "Give a workflow up";
    RequestApproval: "request_approval", "Ask for the decision at a gate";
    LockAcquire: "lock:acquire", "Lock files for a chain", syntax = &[("/patterns", Syntax::Pattern)];
    LockRelease: "lock:release", "Release the files of a chain";
}

impl Tool for decide::GateSatisfy {
    const SPEC: Spec = Spec {
        human_gate: true,
        callers: DECIDED,
        ..CHANGES
    }
    .with_name("gate:satisfy", "Satisfy a human gate");
    type Output = TransitionResult;
    const EXAMPLES: &'static [JsonExample] = examples::GateSatisfy;

    fn run(args: Self, ctx: &Ctx) -> Result<TransitionResult> {
        changes::run_item_command(ctx, &ItemCommand::GateSatisfy(args), &CommandItem::OfEvent)
    }

    /// The stage with its question: an approval is for this gate alone, and no person is asked about one that is not open.
    fn bound(args: &Self, ctx: &Ctx) -> Result<Option<Value>> {
        let state = log::current_state(ctx.events()?)?;
        let workflow = state.workflow(&args.workflow_id)?;
        let number = workflow.stage;
        let gate = &workflow.stages[number].gate;
        if !workflow.awaits(number) {
            // What the command itself would say.
            let person = EventActor::new("a person", ActorKind::Person, "operator");
            let command = ItemCommand::GateSatisfy(args.clone());
            let who = log::DecisionActor {
                actor: &person,
                has_grant: false,
                checkout: "",
            };
            log::decide_as(&state, &command, &who, workflow.updated)?;
        }
        gate.choose(args.option.as_deref())?;
        Ok(Some(object! {
            "stage" => workflow.stages[number].name.as_str(),
            "number" => number as u64,
            "prompt" => gate.prompt.clone(),
        }))
    }

    fn before(_: &Self, ctx: &Ctx) -> Result<Option<Value>> {
        changes::last_event_number(ctx)
    }

    fn probe(args: &Self, before: &Value, ctx: &Ctx) -> Result<CallProbe> {
        changes::probe_command(ctx, before, &ItemCommand::GateSatisfy(args.clone()))
    }
}

impl Tool for decide::FeedbackDismiss {
    const SPEC: Spec = Spec {
        idempotent: true,
        callers: DECIDED,
        ..CHANGES
    }
    .with_name("feedback:dismiss", "Dismiss feedback");
    type Output = TransitionResult;
    const EXAMPLES: &'static [JsonExample] = examples::FeedbackDismiss;

    fn run(args: Self, ctx: &Ctx) -> Result<TransitionResult> {
        let (workflow, feedback) = (args.workflow_id.clone(), args.feedback_id.clone());
        let command = ItemCommand::FeedbackDismiss(args);
        changes::run_item_command(ctx, &command, &CommandItem::Feedback(&workflow, &feedback))
    }
}

/// Start a workflow from a template.
#[derive(Debug, Clone, Encode, Decode, Describe)]
#[value(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct WorkflowStart {
    /// Name of the template: `standard`, `hotfix`, `documentation`, `ideation`, or of a file `workflow/templates/NAME.yaml`.
    template: String,
    /// Id of the request it serves.
    request_id: Option<String>,
    /// Id of the one chain it serves; every chain of the request where absent.
    chain_id: Option<String>,
    /// Commands of its verification, instead of those of the template.
    commands: Option<Vec<String>>,
}

impl WorkflowStart {
    fn command(self, ctx: &Ctx) -> Result<ItemCommand> {
        let template = log::load_template(ctx.events()?, &self.template)?;
        let args = decide::WorkflowStart {
            template: self.template,
            request_id: self.request_id,
            chain_id: self.chain_id,
            commands: self.commands,
        };
        Ok(ItemCommand::WorkflowStart(args, template))
    }
}

impl Tool for WorkflowStart {
    const SPEC: Spec = Spec {
        syntax: &[("/commands", Syntax::Shell)],
        ..CHANGES
    }
    .with_name("workflow:start", "Start a workflow");
    type Output = TransitionResult;
    const EXAMPLES: &'static [JsonExample] = examples::WorkflowStart;

    fn run(args: Self, ctx: &Ctx) -> Result<TransitionResult> {
        changes::run_item_command(ctx, &args.command(ctx)?, &CommandItem::OfEvent)
    }

    fn before(_: &Self, ctx: &Ctx) -> Result<Option<Value>> {
        changes::last_event_number(ctx)
    }

    fn probe(args: &Self, before: &Value, ctx: &Ctx) -> Result<CallProbe> {
        changes::probe_command(ctx, before, &args.clone().command(ctx)?)
    }
}
