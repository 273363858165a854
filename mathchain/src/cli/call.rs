//! `mathchain call TOOL`.

use std::io::IsTerminal;
use std::process::ExitCode;

use journal::WITHOUT_KEY;
use registry::{ApprovalsFrom, Verdict};
use tool_core::capability::LedgerHead;
use tool_core::json::{self, Limits};
use tool_core::{AnyTool, ErrorCode, Object, Outcome, Status, StopFlag, ToolError, Value};

use super::args::{Call, Format, Global};
use super::caller::Caller;
use super::{
    approvals, complain, exit, flags, human, misused, print_outcome, session, signals, stdin,
};
use crate::{Context, Toolkit};

/// Answers one call.
pub(super) fn call(global: &Global, call: &Call) -> Result<ExitCode, ToolError> {
    let (name, rest) = call
        .words
        .split_first()
        .ok_or_else(|| ToolError::new(ErrorCode::InvalidRequest, "expected the name of a tool"))?;
    let families = registry::Catalogue::new(&crate::families().collect::<Vec<_>>())?;
    // A tool of a plugin is known when its plugin is loaded; where that is, the flags may say.
    let with_plugins = match families.get(name) {
        Some(_) => None,
        None => Some(call.caller.open(global)?),
    };
    let dispatcher = with_plugins.as_ref().map(Toolkit::dispatcher);
    let known = dispatcher
        .as_ref()
        .map_or(&families, |dispatcher| dispatcher.catalogue());
    let Some(tool) = known.get(name) else {
        // The dispatcher words and records the refusal.
        let toolkit = with_plugins.map_or_else(|| call.caller.open(global), Ok)?;
        let context = call.caller.context(call.role.clone());
        let refused = toolkit.call_with(&context, name, &Value::object::<&str, Value>([]));
        return finish(&toolkit, global.format(), &refused);
    };
    let matches = match flags::command(tool).try_get_matches_from(std::iter::once(name).chain(rest))
    {
        Ok(matches) => matches,
        Err(err) => {
            let code = misused(global, &err);
            let usage = err.use_stderr();
            if let Some(flag) = rest
                .iter()
                .find_map(|word| Caller::flag_in(word))
                .filter(|_| usage)
            {
                complain(&format!(
                    "\nwho calls is said before the tool: `mathchain call {flag} ... {name}`\n"
                ));
            }
            return Ok(code.into());
        }
    };
    let toolkit = with_plugins.map_or_else(|| call.caller.open(global), Ok)?;
    let args = read_arguments(
        flags::arguments(tool, &matches)?,
        tool,
        &toolkit.config().limits,
    )?;
    let role = match (&call.role, matches.get_one::<String>("role")) {
        (Some(_), Some(_)) => {
            let message = "the role is given twice, before the tool and behind it";
            return Err(ToolError::new(ErrorCode::InvalidRequest, message));
        }
        (before, behind) => before.as_ref().or(behind).cloned(),
    };
    let context = Context {
        answer: session::answer(&toolkit, matches.get_flag("yes"), attended())?,
        timeout_ms: matches.get_one::<u64>("timeout-ms").copied(),
        ..call.caller.context(role)
    };
    run(&toolkit, global, name, args, context)
}

/// The global flags, also those that stand behind the tool: they are read before anything is opened with them, and before it is known
/// which tool it is.
pub(super) fn global(before: &Global, call: &Call) -> Global {
    let behind = Global::in_words(&call.words);
    Global {
        config: behind.config.or_else(|| before.config.clone()),
        workspace: behind.workspace.or_else(|| before.workspace.clone()),
        output: behind.output.or(before.output),
        json: before.json || behind.json,
    }
}

/// The arguments: those of the flags, else one JSON object on stdin.
fn read_arguments(
    given: Option<Value>,
    tool: &dyn AnyTool,
    limits: &registry::Limits,
) -> Result<Value, ToolError> {
    if let Some(args) = given {
        return Ok(args);
    }
    if std::io::stdin().is_terminal() {
        let required = tool.input_schema()["required"]
            .as_array()
            .is_some_and(|required| !required.is_empty());
        if !required {
            return Ok(Value::Object(Object::new().into()));
        }
        return Err(
            ToolError::new(ErrorCode::InvalidRequest, "no arguments").hint(format!(
                "pipe one JSON object in, or use flags: `mathchain call {} --help`",
                tool.spec().id
            )),
        );
    }
    let bytes_max = usize::try_from(limits.max_input_bytes).unwrap_or(usize::MAX);
    let text = stdin::read(limits.max_input_bytes).map_err(|err| {
        ToolError::new(
            ErrorCode::ToolError,
            format_args!("stdin cannot be read: {err}"),
        )
        .reason("io")
    })?;
    if text.iter().all(u8::is_ascii_whitespace) {
        return Ok(Value::Object(Object::new().into()));
    }
    Ok(json::parse_bytes(
        &text,
        Limits {
            bytes_max,
            ..Limits::default()
        },
    )?)
}

fn run(
    toolkit: &Toolkit,
    global: &Global,
    name: &str,
    args: Value,
    context: Context,
) -> Result<ExitCode, ToolError> {
    let stop = StopFlag::new();
    signals::stop_on_signal(&stop);
    let context = Context { stop, ..context };
    let mut outcome = on_stack(|| toolkit.call_with(&context, name, &args))?;
    if let Status::PendingApproval { approval_id, .. } = &outcome.status
        && let Some(answer) = ask(toolkit, &context, name, &args, approval_id)
    {
        let state = session::state(toolkit)?;
        let settled = if answer {
            state.approve(approval_id, WITHOUT_KEY)
        } else {
            state.decline(approval_id, WITHOUT_KEY)
        };
        settled?;
        outcome = on_stack(|| toolkit.call_with(&context, name, &args))?;
    }
    finish(toolkit, global.format(), &outcome)
}

/// Whether somebody sits at a terminal and can be asked.
fn attended() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Asks the person at the terminal; `None` without one.
fn ask(
    toolkit: &Toolkit,
    context: &Context,
    name: &str,
    args: &Value,
    approval: &str,
) -> Option<bool> {
    if !attended() || toolkit.config().approvals_from == ApprovalsFrom::Key {
        return None;
    }
    let explanation = toolkit.explain(context, name, Some(args)).ok()?;
    if explanation.decision.verdict != Verdict::Ask {
        return None;
    }
    complain(&format!(
        "{name}: {}\n{}run it? [y/N] ",
        explanation.decision.reason,
        match toolkit
            .state()
            .and_then(|state| state.approval(approval).ok())
        {
            Some((approval, details)) => approvals::readable(&approval, details.as_ref()),
            None => human::value(args),
        }
    ));
    // A signal ends the process here: what is known so far is written.
    let _ = toolkit.state().map(|state| state.flush());
    let mut line = String::new();
    signals::while_asking(|| std::io::stdin().read_line(&mut line)).ok()?;
    Some(matches!(line.trim(), "y" | "Y" | "yes"))
}

/// Runs on a thread whose stack does not depend on how the process was started.
pub(super) fn on_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, ToolError> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new()
            .name("call".to_owned())
            .stack_size(super::jsonl::CALL_STACK_BYTES)
            .spawn_scoped(scope, work);
        let thread = thread.map_err(|err| {
            ToolError::new(
                ErrorCode::LimitExceeded,
                format_args!("no thread could be started: {err}"),
            )
        })?;
        thread.join().map_err(|_| {
            ToolError::new(
                ErrorCode::Internal,
                "the call ended in a panic outside the tool",
            )
        })
    })
}

/// Prints the answer, writes the audit out, and gives the exit code.
pub(super) fn finish(
    toolkit: &Toolkit,
    format: Format,
    outcome: &Outcome,
) -> Result<ExitCode, ToolError> {
    let mut outcome = outcome.clone();
    write_out(toolkit, format, &mut outcome);
    let outcome = &outcome;
    print_outcome(format, outcome);
    if std::io::stderr().is_terminal() {
        complain(&human::kept(outcome));
    }
    Ok(exit::of_outcome(outcome))
}

/// Writes out what of the audit is still batched, before the answer of a process that ends. Where that fails, the answer says so and names no head,
/// which nobody would find.
pub(super) fn write_out(toolkit: &Toolkit, format: Format, outcome: &mut Outcome) {
    let Some(Err(err)) = toolkit.state().map(|state| state.close()) else {
        return;
    };
    let warning = format!("the audit of this run is incomplete: {err}");
    if format == Format::Raw {
        complain(&format!("warning: {warning}\n"));
    }
    outcome.metadata.remove("audit");
    outcome.warnings.push(warning);
}

/// Where the audit stands, once it is written out.
pub(super) fn head(toolkit: &Toolkit) -> Option<LedgerHead> {
    let state = toolkit.state()?;
    // `close` tells of a failure.
    state.close().ok()?;
    state.head()
}

/// Writes out what of the audit is still batched.
pub(super) fn close(toolkit: &Toolkit) {
    if let Some(Err(err)) = toolkit.state().map(|state| state.close()) {
        complain(&format!(
            "warning: the audit of this run is incomplete: {err}\n"
        ));
    }
}
