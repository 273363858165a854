//! `mathchain call TOOL`.

use std::io::IsTerminal;

use clap::ArgMatches;
use registry::Catalogue;
use tool_core::json::Limits;
use tool_core::{AnyTool, Status};

use super::answer::{finish, on_stack, reader};
use super::output::misused;
use super::prelude::*;
use super::{asking, flags, progress, signals, stdin};

#[derive(Debug, Args)]
#[command(
    override_usage = "mathchain call [CALLER OPTIONS] TOOL [--role ROLE] [--yes] [--timeout-ms N] [--arg NAME=VALUE | --NAME VALUE]...",
    after_help = "Without arguments on the command line, one JSON object is read from stdin. A VALUE is JSON, or plain text if the tool expects text.
Put caller options before the tool name, and tool arguments after it. `mathchain call TOOL --help` lists the tool's arguments.

Examples:
  mathchain call calculate --expression '2**200'
  mathchain call --agent researcher --phase research read_file --path notes.md
  mathchain call --task bugfix --disable write_file,group:web run_tests < args.json"
)]
pub(super) struct Call {
    #[command(flatten)]
    pub caller: Caller,
    /// Role of the caller; before or after the tool name
    #[arg(long, value_name = "ROLE", help_heading = "Caller")]
    pub role: Option<String>,
    /// Tool name, then its options
    #[arg(trailing_var_arg = true, required = true, value_name = "TOOL")]
    pub words: Vec<String>,
}

impl Call {
    /// The global options, including those after the tool name, which clap has not parsed: opening the toolkit needs them first.
    pub(super) fn global(&self, before: &Global) -> Global {
        let after = Global::in_words(&self.words);
        Global {
            config: after.config.or_else(|| before.config.clone()),
            workspace: after.workspace.or_else(|| before.workspace.clone()),
            output: after.output.or(before.output),
            json: before.json || after.json,
        }
    }
}

/// Answers one call.
pub(super) fn call(global: &Global, call: &Call) -> Result<ExitCode> {
    call.caller.check_facts()?;
    let missing = || tool_error!(InvalidRequest, "expected the name of a tool");
    let (name, rest) = call.words.split_first().ok_or_else(missing)?;
    let built_in = Catalogue::new(&crate::families().collect::<Vec<_>>())?;
    // Usage errors and help of built-in tools need no toolkit; tools of plugins are known once plugins are loaded.
    let opened = match built_in.called(name) {
        Some(_) => None,
        None => Some(call.caller.open(global)?),
    };
    let dispatcher = opened.as_ref().map(Toolkit::dispatcher);
    let catalogue = dispatcher
        .as_ref()
        .map_or(&built_in, |dispatcher| dispatcher.catalogue());
    let open = || opened.map_or_else(|| call.caller.open(global), Ok);
    let Some(tool) = catalogue.called(name).map(|index| catalogue.tool(index)) else {
        // The dispatcher words and records the refusal.
        let toolkit = open()?;
        let context = call.caller.context(call.role.clone());
        let refused = toolkit.call_with(&context, name, &object! {});
        return finish(&toolkit, global.format(), &refused);
    };
    let words = std::iter::once(name).chain(rest);
    let matches = match flags::command(tool).try_get_matches_from(words) {
        Ok(matches) => matches,
        Err(err) => return Ok(misused_tool(global, name, rest, &err)),
    };
    let toolkit = open()?;
    let given = flags::arguments(tool, &matches, toolkit.config().limits.max_input_bytes)?;
    let args = given.map_or_else(|| read_arguments(tool, &toolkit.config().limits), Ok)?;
    let context = context(call, global, &toolkit, &matches)?;
    run(&toolkit, global, name, &args, context)
}

/// Prints a usage error of the tool's options; a caller option among them gets a note.
fn misused_tool(global: &Global, name: &str, rest: &[String], err: &clap::Error) -> ExitCode {
    let code = misused(global, err);
    let flag = rest.iter().find_map(|word| Caller::flag_in(word));
    if let Some(flag) = flag.filter(|_| err.use_stderr()) {
        complain(&format!(
            "\nput caller options before the tool name: `mathchain call {flag} ... {name}`\n"
        ));
    }
    code.into()
}

fn context(
    call: &Call,
    global: &Global,
    toolkit: &Toolkit,
    matches: &ArgMatches,
) -> Result<Context> {
    let role = match (&call.role, matches.get_one::<String>("role")) {
        (Some(_), Some(_)) => {
            return Err(tool_error!(InvalidRequest;
                "--role is given twice, before and after the tool name"));
        }
        (before, after) => before.as_ref().or(after).cloned(),
    };
    let mut caller = call.caller.clone();
    let after = matches.get_many::<String>("fact").unwrap_or_default();
    caller.facts.extend(after.cloned());
    Ok(Context {
        answer: open::answer(toolkit, matches.get_flag("yes"), asking::may_ask(toolkit))?,
        reader: reader(global.format()),
        timeout_ms: matches.get_one::<u64>("timeout-ms").copied(),
        ..caller.context(role)
    })
}

/// Reads the arguments from stdin, as one JSON object.
fn read_arguments(tool: &dyn AnyTool, limits: &registry::Limits) -> Result<Value> {
    let none = Ok(object! {});
    if std::io::stdin().is_terminal() {
        let schema = tool.input_schema();
        if schema["required"].as_array().is_none_or(Vec::is_empty) {
            return none;
        }
        return Err(tool_error!(InvalidRequest; "no arguments";
            "pipe one JSON object in, or use options: `mathchain call {} --help`", tool.spec().id));
    }
    let text = stdin::read(limits.max_input_bytes)
        .map_err(|err| tool_error!(ToolError, "io"; "cannot read stdin: {err}"))?;
    if text.iter().all(u8::is_ascii_whitespace) {
        return none;
    }
    let bytes_max = usize::try_from(limits.max_input_bytes).unwrap_or(usize::MAX);
    let limits = Limits {
        bytes_max,
        ..Limits::default()
    };
    json::arguments(&json::parse_bytes(&text, limits)?, bytes_max)
}

fn run(
    toolkit: &Toolkit,
    global: &Global,
    name: &str,
    args: &Value,
    context: Context,
) -> Result<ExitCode> {
    let stop = StopFlag::new();
    signals::stop_on_signal(&stop);
    let context = Context { stop, ..context };
    let call = || {
        progress::around_call(name, |progress| {
            let context = Context {
                progress,
                ..context.clone()
            };
            on_stack(|| toolkit.call_with(&context, name, args))
        })
    };
    let mut outcome = call()?;
    if let Status::PendingApproval { approval_id, .. } = &outcome.status
        && asking::may_ask(toolkit)
        && asking::ask(global, toolkit, &context.stop, approval_id)?
    {
        outcome = call()?;
    }
    finish(toolkit, global.format(), &outcome)
}
