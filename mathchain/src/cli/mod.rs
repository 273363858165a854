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
mod signals;
mod stdin;
mod tools;

use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::{CommandFactory, Parser, ValueEnum as _};
use tool_core::{ErrorCode, Outcome, ToolError, Value};

use args::{Cli, Command, Format, Global};

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    host_sandbox::sandbox::launch_if_asked();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(err) => {
            let words: Vec<String> = std::env::args_os()
                .map(|word| word.to_string_lossy().into_owned())
                .collect();
            return misused(&Global::in_words(&words), &err).into();
        }
    };
    let global = match &cli.command {
        Command::Call(call) => call::global(&cli.global, call),
        _ => cli.global,
    };
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
        exit::of_error(&err).into()
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

/// Says what is wrong with words of the command line, or prints the help they ask for; gives the exit code.
fn misused(global: &Global, err: &clap::Error) -> u8 {
    if !err.use_stderr() {
        let _ = err.print();
        return exit::OK;
    }
    let text = err.render().to_string();
    let said = text.lines().next().unwrap_or_default();
    let said = said.strip_prefix("error: ").unwrap_or(said);
    let usage = ToolError::new(ErrorCode::InvalidRequest, said).reason("usage");
    print_envelope(global, &usage.hint("--help shows what can be said"));
    let _ = err.print();
    exit::USAGE
}

impl Global {
    /// The flags as far as they stand among words that are not read yet.
    fn in_words(words: &[String]) -> Self {
        let value_of = |flag: &str| {
            let mut places = words.iter().enumerate();
            places.find_map(|(place, word)| match word.strip_prefix(flag)? {
                "" => words.get(place + 1).map(String::as_str),
                rest => rest.strip_prefix('='),
            })
        };
        let output = value_of("--output");
        Self {
            config: value_of("--config").map(Into::into),
            workspace: value_of("--workspace").map(Into::into),
            output: output.and_then(|name| Format::from_str(name, false).ok()),
            json: words.iter().any(|word| word == "--json"),
        }
    }

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

/// Prints an error that is no answer to a call: words on stderr, and its envelope on stdout where a program reads that.
fn print_error(global: &Global, err: &ToolError) {
    print_envelope(global, err);
    complain(&human::error(err));
}

/// Prints the envelope of an error, unless a reader is there or something stands on stdout already: there is one document.
fn print_envelope(global: &Global, err: &ToolError) {
    let format = global.format();
    if matches!(format, Format::Json | Format::Npy) && !PRINTED.load(Ordering::Relaxed) {
        print(&format.line(&Outcome::error(err.clone()).to_value()));
    }
}

fn print_line(value: &Value) {
    let mut text = tool_core::json::to_text(value);
    text.push('\n');
    print(&text);
}

/// Whether something that was to be on stdout is not there, though somebody may still read it.
static UNWRITTEN: AtomicBool = AtomicBool::new(false);

/// Whether anything was written to stdout.
static PRINTED: AtomicBool = AtomicBool::new(false);

/// Standard output, for what is written bit by bit.
struct Stdout(std::io::Stdout);

fn stdout() -> Stdout {
    Stdout(std::io::stdout())
}

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        PRINTED.store(true, Ordering::Relaxed);
        self.0.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.0.flush()
    }
}

/// As [`Stdout`], for what a reader may have enough of: nothing is wrong then.
struct WhileRead(Stdout);

impl Write for WhileRead {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self.0.write(bytes) {
            Err(err) if err.kind() == std::io::ErrorKind::BrokenPipe => Ok(bytes.len()),
            written => written,
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match self.0.flush() {
            Err(err) if err.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
            flushed => flushed,
        }
    }
}

/// Writes to stdout; a closed pipe ends the output and nothing else. Any other failure is told once, and is the exit code.
fn print(text: &str) {
    let mut out = stdout();
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
