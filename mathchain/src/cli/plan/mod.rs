//! `mathchain plan`: everything about a plan but running it.

pub(super) mod args;
mod source;
mod starter;

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use chain_runtime::{CheckedPlan, counted, draw};
use tool_core::{ErrorCode, Object, ToolError, Value};

use super::args::{Format, Global};
use super::{complain, exit, print_data, say, session};
use args::{Given, Plan};
pub(super) use source::{Problematic, read, refused, settle};

/// One of the commands about plans.
pub(super) fn plan(global: &Global, command: &Plan) -> Result<ExitCode, ToolError> {
    let done = match command {
        Plan::Check { given, yes } => checked(global, given, *yes).map(|plan| {
            print_data(global, &verdict(&plan), || readable(given, &plan));
        }),
        Plan::Explain { given } => checked(global, given, true).map(|plan| {
            print_data(global, &plan.explain(), || plan.explain_text());
        }),
        Plan::Graph { given, format, out } => checked(global, given, true).and_then(|plan| {
            let picture = draw::draw(&plan, (*format).into())?;
            match out {
                Some(file) => written(file, &picture)?,
                None => say(&picture),
            }
            Ok(())
        }),
        Plan::New { name } => starter::write(name).map_err(Problematic::Error),
    };
    match done {
        Ok(()) => Ok(exit::OK.into()),
        Err(Problematic::Error(err)) => Err(err),
        Err(Problematic::Plan(problems)) => {
            let file = match command {
                Plan::Check { given, .. } | Plan::Explain { given } | Plan::Graph { given, .. } => {
                    Some(given.plan.as_path())
                }
                Plan::New { .. } => None,
            };
            Ok(refused(
                global,
                file,
                "the plan is not right",
                problems,
                None,
            ))
        }
    }
}

/// Reads and checks a plan for its caller.
fn checked(global: &Global, given: &Given, yes: bool) -> Result<CheckedPlan, Problematic> {
    let toolkit = given.caller.open(global)?;
    let mut plan = read(&given.plan)?.with_defaults(toolkit.chain_defaults());
    if let Some(mode) = given.mode {
        plan = plan.with_mode(mode.into());
    }
    plan.barrier |= given.barrier;
    let inputs = settle(&plan, &given.inputs)?;
    let context = crate::Context {
        answer: match yes {
            // Nothing runs: it is looked at as if it were approved.
            true => registry::Answer::Yes,
            false => session::answer(&toolkit, false, false)?,
        },
        ..given.caller.context(given.role.clone())
    };
    // An unknown name is one error, not one for each step.
    toolkit.dispatcher().visible(&toolkit.caller(&context))?;
    Ok(toolkit.check(&context, &plan, &inputs, chain_runtime::CheckMode::Inspect)?)
}

/// What is known of a plan in which nothing is wrong.
fn verdict(plan: &CheckedPlan) -> Value {
    let waiting = plan.steps.iter().filter(|step| step.needs_approval());
    let mut object = Object::new();
    object.insert("status", "valid");
    object.insert("id", &*plan.id);
    object.insert("plan_digest", plan.digest());
    object.insert("steps", plan.steps.len());
    object.insert("calls", plan.calls().0);
    object.insert("waves", plan.graph.waves().len());
    object.insert("mode_used", plan.mode_used.as_str());
    object.insert("fallback_reason", plan.fallback_reason.clone());
    object.insert(
        "waits_for_person",
        Value::from(waiting.map(|step| step.id.to_string()).collect::<Vec<_>>()),
    );
    let needed: Vec<String> = plan.open_inputs.iter().map(ToString::to_string).collect();
    object.insert("needs_inputs", Value::from(needed));
    object.insert("notes", plan.notes.clone());
    Value::Object(object.into())
}

fn readable(given: &Given, plan: &CheckedPlan) -> String {
    let mut text = format!(
        "{}: plan `{}`, {} in {}; nothing is wrong\n",
        given.plan.display(),
        plan.id,
        counted(plan.steps.len() as u64, "step"),
        counted(plan.graph.waves().len() as u64, "wave")
    );
    if let Some(reason) = &plan.fallback_reason {
        let _ = writeln!(text, "steps run one after the other: {reason}");
    }
    if !plan.open_inputs.is_empty() {
        let flags = plan
            .open_inputs
            .iter()
            .map(|name| format!("--input {name}=.."));
        let flags = flags.collect::<Vec<_>>().join(" ");
        let _ = writeln!(
            text,
            "a run needs {flags}; they were checked by their types"
        );
    }
    for note in &plan.notes {
        let _ = writeln!(text, "note: {note}");
    }
    text
}

/// Writes a file that the command line names; what was there is replaced.
pub(super) fn written(path: &Path, text: &str) -> Result<(), ToolError> {
    let write = || -> std::io::Result<()> {
        let mut file = std::fs::File::create(path)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()
    };
    write().map_err(|err| unwritten(path, &err))?;
    complain(&format!("wrote {}\n", path.display()));
    Ok(())
}

/// Makes a file that will be written later.
pub(super) fn begun(path: &Path) -> Result<(), ToolError> {
    let file = std::fs::File::create(path);
    file.map(drop).map_err(|err| unwritten(path, &err))
}

fn unwritten(path: &Path, err: &std::io::Error) -> ToolError {
    ToolError::new(
        ErrorCode::ToolError,
        format_args!("cannot write `{}`: {err}", path.display()),
    )
    .reason("io")
}

/// Whether results go to a reader.
pub(super) fn for_reader(global: &Global) -> bool {
    global.format() == Format::Human
}
