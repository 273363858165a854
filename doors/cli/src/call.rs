//! `mathchain call TOOL`.

use std::io::IsTerminal;

use journal::artifacts::ArtifactHandle;
use tool_core::json::JsonLimits;
use tool_core::schema::Schema;
use tool_core::{AnyTool, CallOutcome, OutcomeStatus};

use super::answer::{answer_reader, finish_answer, on_stack};
use super::flags::CallOptions;
use super::output::print_usage_error;
use super::prelude::*;
use super::save::{PictureFile, PictureSource};
use super::{asking, csv, data, flags, help, log, natural, progress, signals, stdin};

#[derive(Debug, Clone, Args)]
#[command(
    override_usage = "mathchain call TOOL [--NAME VALUE]... [OPTIONS]",
    after_help = "Without arguments of the tool on the command line, one JSON object is read from stdin. A VALUE is JSON, a list such as 1,2,3, a file (@PATH, @- for stdin, or the name of a data file), or plain text if the tool expects text; @@ begins a text with @. `mathchain help TOOL` lists the arguments of a tool.

Examples:
  mathchain call calculate --expression '2**200'
  mathchain call statistics --data 1,2,3 --digits 3
  mathchain call matrix_solve --A A.npy --b @b.csv
  mathchain call read_file --path notes.md --role worker_general"
)]
pub(super) struct CallCommand {
    #[command(flatten)]
    pub options: CallOptions,
    /// Role of the caller
    #[arg(long, value_name = "ROLE", help_heading = "Caller", add = complete::complete_roles())]
    pub role: Option<String>,
    #[command(flatten)]
    pub caller: CallerArgs,
    /// Tool name, then its arguments and more options
    #[arg(trailing_var_arg = true, required = true, value_name = "TOOL", add = complete::complete_tools())]
    pub words: Vec<String>,
}

impl CallCommand {
    /// The global options, including those after the tool name that opening the toolkit and printing errors need, which are not parsed yet.
    pub(super) fn global(&self, before: &GlobalArgs) -> GlobalArgs {
        let after = GlobalArgs::in_words(&self.words);
        GlobalArgs {
            config: before.config.clone().or(after.config),
            workspace: before.workspace.clone().or(after.workspace),
            output: before.output.or(after.output),
            json: before.json || after.json,
            ..before.clone()
        }
    }
}

/// Answers one call. The words after the tool name are parsed once the tool, and so its arguments, is known.
pub(super) fn run_call_command(global: &GlobalArgs, call: &CallCommand) -> Result<ExitCode> {
    let missing = || tool_error!(InvalidRequest, "expected the name of a tool");
    let (name, rest) = call.words.split_first().ok_or_else(missing)?;
    // Usage errors and help of built-in tools need no toolkit; tools of plugins are known once plugins are loaded.
    let built_in = mathchain::built_in_tool(name);
    let opened = match built_in {
        Some(_) => None,
        None => Some(call.caller.open(global)?),
    };
    let dispatcher = opened.as_ref().map(Toolkit::dispatcher);
    let of_catalogue = || {
        let catalogue = dispatcher.as_ref()?.catalogue();
        Some(catalogue.tool(catalogue.called(name)?))
    };
    let built_in = built_in.map(|tool| tool as &dyn AnyTool);
    let Some(tool) = built_in.or_else(of_catalogue) else {
        // The dispatcher words and records the refusal.
        let toolkit = opened.map_or_else(|| call.caller.open(global), Ok)?;
        let context = call.caller.context(call.role.clone());
        let refused = toolkit.call_with(&context, name, &object! {});
        return finish_answer(&toolkit, global, &refused);
    };
    let schema = tool.input_schema();
    let (whole, matches) = match super::Cli::with_tool(tool, &schema) {
        Ok(parsed) => parsed,
        Err(err) if err.use_stderr() => {
            return Ok(print_usage_error(global, &flags::suggest_argument(tool, err)).into());
        }
        Err(_) => return Ok(help::print_tool_help(tool)),
    };
    let (of_call, mut call) = whole;
    let global = GlobalArgs {
        agent_program: global.agent_program.clone(),
        ..of_call
    };
    output::apply_output_options(&global);
    log::start_log(&global)?;
    flags::check_ambiguous(tool, &schema, rest)?;
    if global.format() == OutputFormat::Csv {
        csv::require_table_output(tool.spec().id, &tool.output_schema())?;
    }
    call.caller.check_facts()?;
    if let ([_, word], Some(only)) = (&call.words[..], only_required(&schema)) {
        call.options.arg.push(format!("{only}={word}"));
    } else if let Some(word) = call.words.get(1) {
        return Err(tool_error!(InvalidRequest;
            "unexpected word `{word}` after the tool name"; "write arguments as --NAME VALUE: `mathchain help {name}`"));
    }
    let toolkit = opened.map_or_else(|| call.caller.open(&global), Ok)?;
    let limits = toolkit.config().limits;
    let files = data::CommandFiles {
        arrays: toolkit.dispatcher().host().arrays.clone(),
        bytes_max: limits.max_input_bytes,
    };
    let given =
        flags::read_option_arguments(tool.spec(), &schema, &call.options, &matches, &files)?;
    let args = given.map_or_else(|| read_arguments(tool, &schema, &limits), Ok)?;
    let picture = call.options.save.file()?;
    let (args, is_drawn) = match &picture {
        Some(picture) => match picture.source(tool.spec(), &schema, args)? {
            PictureSource::Answer(args) => (args, false),
            PictureSource::Drawing(args) => (args, true),
        },
        None => (args, false),
    };
    let calls_once = !tool.spec().calls_tools && !is_drawn;
    if let (true, Some(state)) = (calls_once, toolkit.state()) {
        state.close_follows(); // by `finish`, as soon as the call has its record
    }
    let context = CallContext {
        answer: open::approval_answer(&toolkit, call.options.yes, asking::may_ask(&toolkit))?,
        reader: answer_reader(global.format()),
        timeout_ms: call.options.timeout_ms,
        ..call.caller.context(call.role.clone())
    };
    let caller = CommandCall {
        toolkit: &toolkit,
        global: &global,
        context,
    };
    if let (Some(picture), true) = (&picture, is_drawn) {
        return caller.call_and_draw(tool, &args, picture);
    }
    let outcome = open_table(&toolkit, &global, caller.call_tool(name, &args)?)?;
    let Some(picture) = picture else {
        return finish_answer(&toolkit, &global, &outcome);
    };
    let saved = outcome.output().map(|output| picture.save_answer(output));
    match saved {
        Some(Err(err)) => {
            finish_answer(&toolkit, &global, &outcome)?;
            Err(err)
        }
        Some(Ok(rest)) => {
            let status = OutcomeStatus::Success(rest);
            finish_answer(&toolkit, &global, &CallOutcome { status, ..outcome })
        }
        None => finish_answer(&toolkit, &global, &outcome),
    }
}

/// The answer; for delimited text, which has no handles, with all rows of a table that is an artifact.
fn open_table(toolkit: &Toolkit, global: &GlobalArgs, outcome: CallOutcome) -> Result<CallOutcome> {
    let output = outcome
        .output()
        .filter(|_| global.format() == OutputFormat::Csv);
    let handle = output.and_then(|output| ArtifactHandle::from_value(output.get("table")?));
    let (Some(handle), Some(state), Some(output)) = (handle, toolkit.state(), output) else {
        return Ok(outcome);
    };
    let mut members = output.as_object().cloned().unwrap_or_default();
    members.insert("table", state.value(&handle)?);
    let status = OutcomeStatus::Success(members.into());
    Ok(CallOutcome { status, ..outcome })
}

/// The one argument that a tool needs, which may be given without its name.
fn only_required(schema: &Schema) -> Option<&str> {
    match schema["required"].as_array()?.as_slice() {
        [only] => only.as_str(),
        _ => None,
    }
}

/// Reads the arguments from stdin, as one JSON object.
fn read_arguments(
    tool: &dyn AnyTool,
    schema: &Schema,
    limits: &registry::CallLimits,
) -> Result<Value> {
    let none = Ok(object! {});
    if std::io::stdin().is_terminal() {
        if schema["required"].as_array().is_none_or(Vec::is_empty) {
            return none;
        }
        return Err(tool_error!(InvalidRequest; "no arguments";
            "pipe one JSON object in, or use options: `mathchain help {}`", tool.spec().id));
    }
    let text = stdin::read_stdin(limits.max_input_bytes)
        .map_err(|err| tool_error!(ToolError, "io"; "cannot read stdin: {err}"))?;
    if text.iter().all(u8::is_ascii_whitespace) {
        return none;
    }
    let bytes_max = usize::try_from(limits.max_input_bytes).unwrap_or(usize::MAX);
    let limits = JsonLimits {
        bytes_max,
        ..JsonLimits::default()
    };
    json::parse_call_arguments(&json::parse_bytes(&text, limits)?, bytes_max)
}

/// What a call is made with.
struct CommandCall<'a> {
    toolkit: &'a Toolkit,
    global: &'a GlobalArgs,
    context: CallContext,
}

impl CommandCall<'_> {
    fn call_tool(&self, name: &str, args: &Value) -> Result<CallOutcome> {
        let stop = StopFlag::new();
        signals::stop_on_signal(&stop);
        let context = CallContext {
            stop,
            ..self.context.clone()
        };
        let call = || {
            progress::around_call(name, |progress| {
                let context = CallContext {
                    progress,
                    ..context.clone()
                };
                on_stack(|| self.toolkit.call_with(&context, name, args))
            })
        };
        let mut outcome = call()?;
        if let OutcomeStatus::PendingApproval { approval_id, .. } = &outcome.status
            && asking::may_ask(self.toolkit)
        {
            // The answer may take long; a failure is reported at the end.
            let _ = self.toolkit.state().map(|state| state.flush());
            if asking::ask_approval(self.global, self.toolkit, &context.stop, approval_id)? {
                outcome = call()?;
            }
        }
        Ok(outcome)
    }

    /// Answers the call, and writes the picture that `plot` makes of its answer. Whether the caller may draw is asked before anything runs.
    fn call_and_draw(
        &self,
        tool: &dyn AnyTool,
        args: &Value,
        picture: &PictureFile<'_>,
    ) -> Result<ExitCode> {
        let preview = natural::drawing_preview(picture);
        (self.toolkit).permits(&self.context, natural::DRAWING_TOOL, &preview)?;
        let outcome = self.call_tool(tool.spec().id, args)?;
        let saved = match outcome.output() {
            Some(answer) => natural::drawing_arguments(picture, tool, args, answer)
                .and_then(|drawing| self.call_tool(natural::DRAWING_TOOL, &drawing))
                .and_then(|drawn| natural::save_drawing(picture, &drawn)),
            None => Ok(()),
        };
        let code = finish_answer(self.toolkit, self.global, &outcome)?;
        saved.map(|()| code)
    }
}
