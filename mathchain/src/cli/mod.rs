//! The command line. Data on stdout, everything else on stderr; exit codes in `exit`.

mod agent;
mod agent_args;
mod approvals;
mod args;
mod artifacts;
mod audit;
mod call;
mod caller;
mod cancel;
mod chain;
mod check;
mod doctor;
mod exit;
mod flags;
mod human;
mod init;
mod jsonl;
mod kept;
mod phase;
mod plan;
mod plugins;
mod policy;
mod progress;
mod resume;
mod run;
mod runs;
mod schema;
mod serve;
mod session;
mod session_door;
mod stdin;
mod tools;

use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::{CommandFactory, Parser};
use tool_core::{ErrorCode, Outcome, StopFlag, ToolError, Value};

use args::{Cli, Command, Format, Global};

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    host_tools::sandbox::launch_if_asked();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(err) => {
            let usage = err.use_stderr();
            let _ = err.print();
            return if usage { exit::USAGE } else { exit::OK }.into();
        }
    };
    let global = cli.global;
    let result = match cli.command {
        Command::Call(call) => call::call(&global, &call),
        Command::Run(run) => run::run(&global, &run),
        Command::Plan(command) => plan::plan(&global, &command),
        Command::Serve(serve) => serve::serve(&global, &serve),
        Command::Session(args) => session_door::session(&global, &args),
        Command::Tools(tools) => tools::tools(&global, &tools),
        Command::Policy(policy) => policy::policy(&global, &policy),
        Command::Agent(command) => agent::agent(&global, &command),
        Command::AgentArgs(args) => agent_args::agent_args(&global, &args),
        Command::Phase(phase) => phase::phase(&global, &phase),
        Command::Check => check::check(&global),
        Command::Schema { name } => schema::schema(&global, name.as_deref()),
        Command::Plugins(plugins) => plugins::plugins(&global, &plugins),
        Command::Approve(approve) => approvals::approve(&global, &approve),
        Command::Deny(decide) => approvals::deny(&global, &decide),
        Command::Approvals(list) => approvals::approvals(&global, &list),
        Command::Files(files) => kept::files(&global, &files),
        Command::Notifications(list) => kept::notifications(&global, &list),
        Command::Audit(audit) => audit::audit(&global, &audit),
        Command::Runs(runs) => runs::runs(&global, &runs),
        Command::Replay(replay) => resume::replay(&global, &replay),
        Command::Chain(chain) => chain::chain(&global, &chain),
        Command::Artifacts(artifacts) => artifacts::artifacts(&global, &artifacts),
        Command::Init(init) => init::init(&init),
        Command::Doctor => doctor::doctor(&global),
        Command::Completions { shell } => completions(shell),
        Command::Man => man(),
    };
    let code = result.unwrap_or_else(|err| {
        print_error(&global, &err);
        exit::of_error(err.code()).into()
    });
    if let Some(dropped) = crate::otel::finish() {
        complain(&dropped);
    }
    if UNWRITTEN.load(Ordering::Relaxed) {
        return exit::TOOL_ERROR.into();
    }
    code
}

fn completions(shell: clap_complete::Shell) -> Result<ExitCode, ToolError> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "mathchain", &mut text);
    print(&String::from_utf8_lossy(&text));
    Ok(exit::OK.into())
}

fn man() -> Result<ExitCode, ToolError> {
    let mut text = Vec::new();
    let rendered = clap_mangen::Man::new(Cli::command()).render(&mut text);
    rendered.map_err(|err| ToolError::new(tool_core::ErrorCode::Internal, err))?;
    print(&String::from_utf8_lossy(&text));
    Ok(exit::OK.into())
}

impl Global {
    /// The format asked for, else `human` on a terminal and `json` elsewhere.
    fn format(&self) -> Format {
        match self.output {
            Some(format) => format,
            None if self.json => Format::Json,
            None if std::io::stdout().is_terminal() => Format::Human,
            None => Format::Json,
        }
    }
}

/// Prints the answer to a call in the format asked for.
fn print_outcome(format: Format, outcome: &Outcome) {
    match format {
        Format::Json | Format::Npy => print(&format.line(&outcome.to_value())),
        Format::Human => {
            let rendered = human::outcome(outcome);
            say(&rendered.stdout);
            complain(&rendered.stderr);
        }
        Format::Raw => match outcome.output() {
            // As it is for a program; a terminal is not for the text to steer.
            Some(Value::String(text)) if std::io::stdout().is_terminal() => say(text),
            Some(Value::String(text)) => print(text),
            Some(output) => print_line(output),
            None => complain(&human::outcome(outcome).stderr),
        },
    }
}

/// Prints data: a table or text for a reader, else one line of JSON.
fn print_data(global: &Global, data: &Value, readable: impl FnOnce() -> String) {
    match global.format() {
        Format::Human => say(&readable()),
        Format::Json | Format::Raw | Format::Npy => print_line(data),
    }
}

/// Prints an error that is no answer to a call: words on stderr, and where JSON was asked for its envelope on stdout.
fn print_error(global: &Global, err: &ToolError) {
    if global.json || global.output == Some(Format::Json) {
        print_line(&Outcome::error(err.clone()).to_value());
    }
    complain(&human::error(err));
}

fn print_line(value: &Value) {
    let mut text = tool_core::json::to_text(value);
    text.push('\n');
    print(&text);
}

/// Whether something that was to be on stdout is not there, though somebody may still read it.
static UNWRITTEN: AtomicBool = AtomicBool::new(false);

/// Writes to stdout; a closed pipe ends the output and nothing else. Any other failure is told once, and is the exit code.
fn print(text: &str) {
    let mut out = std::io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    if let Some(error) = written.err().as_ref().and_then(unwritable)
        && !UNWRITTEN.swap(true, Ordering::Relaxed)
    {
        complain(&human::error(&error));
    }
}

/// What is wrong with the output; nothing when nobody reads it any more.
fn unwritable(err: &std::io::Error) -> Option<ToolError> {
    if err.kind() == std::io::ErrorKind::BrokenPipe {
        return None;
    }
    let message = format_args!("the answer cannot be written to stdout: {err}");
    let error = ToolError::new(ErrorCode::ToolError, message).reason("io");
    Some(error.hint("free space where the output goes; `mathchain audit list` shows what was done"))
}

/// Writes words for people to stdout.
fn say(text: &str) {
    print(&human::safe(text));
}

/// Writes words for people to stderr.
fn complain(text: &str) {
    let _ = std::io::stderr()
        .lock()
        .write_all(human::safe(text).as_bytes());
}

/// Sets the flag at the first Ctrl-C; the second ends the process.
fn cancel_on_signal(stop: &StopFlag) {
    let stop = stop.clone();
    let result = ctrlc::set_handler(move || {
        if stop.is_set() {
            // The second time somebody means it: the default action of the signal.
            std::process::abort();
        }
        complain("cancelling; once more to end at once\n");
        stop.cancel();
    });
    if result.is_err() {
        complain("warning: Ctrl-C will end the process without finishing the call\n");
    }
}
