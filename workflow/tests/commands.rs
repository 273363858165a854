//! Commands by the id of their tool, with arguments as JSON; and the cases that each command has in its own file.

use tool_core::convert::from_value;
use tool_core::{Decode, Value};

use crate::commands::case::{CaseOutcome, CommandCase, CommandCases};
use crate::commands::{self, Command, TemplateStart, with_commands};
use crate::{ItemCommand, WorkflowFault, WorkflowTemplate};

use super::world::{World, told};

/// A command of the list: how its arguments are read, and its cases.
pub(crate) struct ListedCommand {
    pub(crate) id: &'static str,
    read: fn(&Value) -> Result<ItemCommand, WorkflowFault>,
    pub(crate) cases: &'static [CommandCase],
}

/// Defines the commands of the list.
macro_rules! define_list {
    ($($module:ident:
        $(transition $transition:ident)? $(command $command:ident)? $(=> $event:ident)? $(tool $tool:ident)? $(other $other:ident)?;
    )+) => {
        pub(crate) const LISTED: &[ListedCommand] = &[$(
            $(listed::<commands::$transition>(),)?
            $(listed::<commands::$command>(),)?
        )+];
    };
}
with_commands!(define_list);

const fn listed<C: Command + CommandCases + Decode + Into<ItemCommand>>() -> ListedCommand {
    ListedCommand {
        id: C::ID,
        read: |args| arguments::<C>(args).map(Into::into),
        cases: C::CASES,
    }
}

/// The command of a tool, by its id or alias, with its arguments; `template` gives the templates by name.
pub(crate) fn read(
    tool: &str,
    args: &Value,
    template: impl Fn(&str) -> Result<WorkflowTemplate, WorkflowFault>,
) -> Result<ItemCommand, WorkflowFault> {
    let id = registry::ToolAliases::built_in()
        .resolve(tool)
        .unwrap_or(tool);
    if id == TemplateStart::ID {
        let args: commands::WorkflowStart = arguments(args)?;
        let template = template(&args.template)?;
        return Ok(TemplateStart { args, template }.into());
    }
    let listed = LISTED.iter().find(|listed| listed.id == id);
    (listed.unwrap_or_else(|| panic!("no command `{tool}`")).read)(args)
}

fn arguments<T: Decode>(args: &Value) -> Result<T, WorkflowFault> {
    from_value(args).map_err(|problem| WorkflowFault::Malformed {
        path: if problem.path.is_empty() {
            "arguments".to_owned()
        } else {
            problem.path
        },
        message: problem.message,
    })
}

/// The members of an object in a case, with the ids of its project.
fn case_args(args: &str) -> String {
    let workflow = r#""workflowId":"WF-20250101-001""#;
    let chain = r#""chainId":"CHAIN-001-parser""#;
    let args = args
        .replace("$request", r#""requestId":"CR-20250101-001""#)
        .replace("$chain", chain)
        .replace("$task", &format!(r#"{chain},"taskId":"001-read-numbers""#))
        .replace("$workflow", workflow)
        .replace("$feedback", &format!(r#"{workflow},"feedbackId":"FB-001""#));
    format!("{{{args}}}")
}

/// The project of a case.
fn case_world(given: &str) -> World {
    let mut steps = given.split("; ");
    let begin: Vec<&str> = steps.next().expect("a beginning").split(' ').collect();
    let mut world = match begin.as_slice() {
        ["new"] => World::new(),
        ["task", status] => World::with_task(status),
        ["workflow", template, status] => World::with_workflow(template, status),
        other => panic!("no beginning {other:?}"),
    };
    for step in steps {
        let [by, tool, args] = step.splitn(3, ' ').collect::<Vec<_>>()[..] else {
            panic!("not an actor, a command and arguments: {step}");
        };
        world.did(by, tool, &case_args(args));
    }
    world
}

/// Runs a case; a wrong outcome panics.
pub(crate) fn run_case(id: &str, case: &CommandCase) {
    let mut world = case_world(case.given);
    let before = world.state.clone();
    let outcome = world.call(case.by, id, &case_args(case.args));
    match (case.outcome, outcome) {
        (CaseOutcome::Accepted(expected), Ok(events)) => {
            let kinds: Vec<&str> = events.iter().map(crate::WorkflowEvent::kind).collect();
            assert_eq!(kinds.join(" "), expected, "{id}: {case:?}");
        }
        (CaseOutcome::Refused(expected), Err(fault)) => {
            let told = told(&fault);
            assert!(told.contains(expected), "{id}: {case:?}\n{told}");
            assert!(before == world.state, "{id}: {case:?} changed the state");
        }
        (_, outcome) => panic!("{id}: {case:?}\n{outcome:?}"),
    }
}

/// Each command of the list shows in its file what it does, and what it refuses.
#[test]
fn the_cases_of_every_command_hold() {
    for listed in LISTED {
        let is_accepted = |case: &&CommandCase| matches!(case.outcome, CaseOutcome::Accepted(_));
        let accepted = listed.cases.iter().filter(is_accepted).count();
        assert!(accepted > 0, "{}: no case is accepted", listed.id);
        assert!(
            accepted < listed.cases.len(),
            "{}: no case is refused",
            listed.id
        );
        for case in listed.cases {
            run_case(listed.id, case);
        }
    }
}

/// An id names one command, and its tool has the same.
#[test]
fn every_command_has_an_id_of_its_own() {
    let mut ids: Vec<&str> = LISTED.iter().map(|listed| listed.id).collect();
    ids.sort_unstable();
    let count = ids.len();
    ids.dedup();
    assert_eq!(ids.len(), count);
    let without: Vec<&str> = ids
        .into_iter()
        .filter(|id| {
            crate::tools::TOOLS
                .iter()
                .all(|entry| entry.tool().spec().id != *id)
        })
        .collect();
    assert_eq!(without, ["agent:end", "feedback:acknowledge"]);
}
