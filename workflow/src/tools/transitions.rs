//! The commands as tools: each is the type of its arguments, with what its file declares.

use tool_core::{CallProbe, Ctx, JsonExample, Result, Spec, Tool, Value, object};

use super::changes::{self, CommandItem, TransitionResult};
use super::log;
use crate::actor::EventActor;
use crate::commands::command::CommandTool;
use crate::commands::{
    self, FeedbackDismiss, GateSatisfy, TemplateStart, WorkflowStart, with_commands,
};
use crate::decide::ItemCommand;
use crate::names::ActorKind;

/// Makes the tools of the list that do nothing but decide their command and write its event.
macro_rules! define_transitions {
    ($($module:ident:
        $(transition $transition:ident)? $(command $command:ident)? $(=> $event:ident)? $(tool $tool:ident)? $(other $other:ident)?;
    )+) => {$($(
        impl Tool for commands::$transition {
            const SPEC: Spec = <Self as CommandTool>::SPEC;
            type Output = TransitionResult;
            const EXAMPLES: &'static [JsonExample] = <Self as CommandTool>::EXAMPLES;

            fn run(args: Self, ctx: &Ctx) -> Result<TransitionResult> {
                changes::run_item_command(ctx, &args.into(), &CommandItem::OfEvent)
            }

            fn before(_: &Self, ctx: &Ctx) -> Result<Option<Value>> {
                changes::last_event_number(ctx)
            }

            fn probe(args: &Self, before: &Value, ctx: &Ctx) -> Result<CallProbe> {
                changes::probe_command(ctx, before, &args.clone().into())
            }
        }
    )?)+};
}
with_commands!(define_transitions);

impl Tool for GateSatisfy {
    const SPEC: Spec = <Self as CommandTool>::SPEC;
    type Output = TransitionResult;
    const EXAMPLES: &'static [JsonExample] = <Self as CommandTool>::EXAMPLES;

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

impl Tool for FeedbackDismiss {
    const SPEC: Spec = <Self as CommandTool>::SPEC;
    type Output = TransitionResult;
    const EXAMPLES: &'static [JsonExample] = <Self as CommandTool>::EXAMPLES;

    fn run(args: Self, ctx: &Ctx) -> Result<TransitionResult> {
        let (workflow, feedback) = (args.workflow_id.clone(), args.feedback_id.clone());
        let command = ItemCommand::FeedbackDismiss(args);
        changes::run_item_command(ctx, &command, &CommandItem::Feedback(&workflow, &feedback))
    }
}

impl WorkflowStart {
    /// The start, with the template of the project or the program.
    fn command(self, ctx: &Ctx) -> Result<ItemCommand> {
        let template = log::load_template(ctx.events()?, &self.template)?;
        let start = TemplateStart {
            args: self,
            template,
        };
        Ok(ItemCommand::TemplateStart(start))
    }
}

impl Tool for WorkflowStart {
    const SPEC: Spec = <Self as CommandTool>::SPEC;
    type Output = TransitionResult;
    const EXAMPLES: &'static [JsonExample] = <Self as CommandTool>::EXAMPLES;

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
