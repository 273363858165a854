//! Standard output and standard error: everything that commands print passes here.

use clap::error::{ContextKind, ContextValue};
use std::fmt::Display;
use std::fs::File;
use std::io::{BufWriter, IsTerminal as _, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use tool_core::{CallOutcome, Encode, ErrorCode, Result, ToolError, Value, convert, tool_error};

use super::global::{GlobalArgs, OutputFormat};
use super::{csv, exit, human};

/// Set when a write to stdout failed although the reader had not gone away.
static UNWRITTEN: AtomicBool = AtomicBool::new(false);

/// Set once anything was written to stdout.
static PRINTED: AtomicBool = AtomicBool::new(false);

/// The amount of output for a reader: 0 quiet, 1 usual, 2 verbose.
static VERBOSITY: AtomicU8 = AtomicU8::new(1);

/// Applies the options that concern text for readers.
pub(super) fn apply_output_options(global: &GlobalArgs) {
    human::set_digits(global.digits.unwrap_or(human::DIGITS));
    let verbosity = 1 + u8::from(global.verbose) - u8::from(global.quiet);
    VERBOSITY.store(verbosity, Ordering::Relaxed);
}

/// Whether progress and summaries are left out.
pub(super) fn is_quiet() -> bool {
    VERBOSITY.load(Ordering::Relaxed) == 0
}

/// Whether audit heads and waves are shown.
pub(super) fn is_verbose() -> bool {
    VERBOSITY.load(Ordering::Relaxed) == 2
}

/// Whether output was lost; the exit code then reports it.
pub(super) fn is_incomplete() -> bool {
    UNWRITTEN.load(Ordering::Relaxed)
}

/// Prints the answer to a call.
///
/// # Errors
/// A result that is no table where one is asked for.
pub(super) fn print_outcome(format: OutputFormat, outcome: &CallOutcome) -> Result<()> {
    match format {
        OutputFormat::Json | OutputFormat::Npy => write_stdout(&format.line(&outcome.to_value())),
        OutputFormat::Human => {
            let rendered = human::render_outcome(outcome);
            print_text(&rendered.stdout);
            write_stderr(&rendered.stderr);
            print_audit_head(outcome);
        }
        OutputFormat::Raw => match outcome.output() {
            // Unchanged for a program; on a terminal the text must not steer it.
            Some(Value::String(text)) if std::io::stdout().is_terminal() => print_text(text),
            Some(Value::String(text)) => write_stdout(text),
            Some(output) => match human::find_picture(output) {
                Some(picture) => write_stdout(picture),
                None => print_json_line(output),
            },
            None => write_stderr(&human::render_outcome(outcome).stderr),
        },
        OutputFormat::Csv => match outcome.output() {
            Some(output) => {
                write_stderr(&human::render_warnings(outcome));
                write_stdout(&csv::render_csv(output)?);
            }
            None => write_stderr(&human::render_outcome(outcome).stderr),
        },
    }
    Ok(())
}

/// Prints the audit head of an answer where it is wanted.
pub(super) fn print_audit_head(outcome: &CallOutcome) {
    if is_verbose() {
        write_stderr(&human::render_audit_head(outcome));
    }
}

/// Prints data: `readable` for a reader, with `--json` one line of JSON; gives the exit code of success.
pub(super) fn print_data(
    global: &GlobalArgs,
    data: &Value,
    readable: impl FnOnce() -> String,
) -> Result<ExitCode> {
    match global.format() {
        OutputFormat::Human => print_text(&readable()),
        OutputFormat::Json | OutputFormat::Raw | OutputFormat::Npy => print_json_line(data),
        OutputFormat::Csv => write_stdout(&csv::render_csv(data)?),
    }
    Ok(exit::OK.into())
}

/// Prints a list: a line of text for each item, or `none`; else one line of JSON.
pub(super) fn print_list<T>(
    global: &GlobalArgs,
    items: &[T],
    value: impl Fn(&T) -> Value,
    none: &str,
    line: impl Fn(&T) -> String,
) -> Result<ExitCode> {
    let values = Value::array(items.iter().map(value).collect());
    print_data(global, &values, || match items {
        [] => format!("{none}\n"),
        _ => items
            .iter()
            .map(|item| human::fit_list_entry(&line(item)).into_owned())
            .collect(),
    })
}

/// The value of plain data: texts, integers and lists, which have one.
pub(super) fn plain_value<T: Encode>(item: &T) -> Value {
    convert::to_value(item).unwrap_or_default()
}

/// Prints a stored record: its members on lines for a reader, else one line of JSON.
pub(super) fn print_record(global: &GlobalArgs, value: &Value) -> Result<ExitCode> {
    print_data(global, value, || human::render_record(value))
}

/// Leaves stdout to a protocol: no envelope of an error is printed there.
pub(super) fn leave_stdout() {
    PRINTED.store(true, Ordering::Relaxed);
}

/// Prints an error that answers no call: text on stderr, and its envelope on stdout unless a reader is there.
pub(super) fn print_error(global: &GlobalArgs, err: &ToolError) {
    print_error_envelope(global, err);
    write_stderr(&human::render_error(err));
}

/// Prints the envelope of an error, unless stdout is for a reader or has a document already: there is never a second one.
pub(super) fn print_error_envelope(global: &GlobalArgs, err: &ToolError) {
    let format = global.format();
    if matches!(format, OutputFormat::Json | OutputFormat::Npy) && !PRINTED.load(Ordering::Relaxed)
    {
        write_stdout(&format.line(&CallOutcome::error(err.clone()).to_value()));
    }
}

/// Prints a parse error of the command line; gives the exit code.
pub(super) fn print_usage_error(global: &GlobalArgs, err: &clap::Error) -> u8 {
    let text = err.render().to_string();
    let first = text.lines().next().unwrap_or_default();
    let first = first.strip_prefix("error: ").unwrap_or(first);
    let usage = ToolError::new(ErrorCode::InvalidRequest, first).reason("usage");
    let hint = match nearest_suggestion(err) {
        Some(suggested) => format!("did you mean `{suggested}`? See --help"),
        None => "see --help".to_owned(),
    };
    print_error_envelope(global, &usage.hint(hint));
    let _ = err.print();
    exit::USAGE
}

/// The option, command or value that is nearest to a wrong one.
fn nearest_suggestion(err: &clap::Error) -> Option<String> {
    let kinds = [
        ContextKind::SuggestedArg,
        ContextKind::SuggestedSubcommand,
        ContextKind::SuggestedValue,
    ];
    kinds.into_iter().find_map(|kind| match err.get(kind)? {
        ContextValue::String(text) => Some(text.clone()),
        ContextValue::Strings(texts) => texts.first().cloned(),
        _ => None,
    })
}

/// Prints one line of JSON.
pub(super) fn print_json_line(value: &Value) {
    write_stdout(&OutputFormat::Json.line(value));
}

/// Standard output, for results that are written piece by piece.
pub(super) struct StdoutWriter(std::io::Stdout);

pub(super) fn standard_output() -> StdoutWriter {
    StdoutWriter(std::io::stdout())
}

impl Write for StdoutWriter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        PRINTED.store(true, Ordering::Relaxed);
        self.0.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.0.flush()
    }
}

/// [`StdoutWriter`] for exports: a reader that closes the pipe early is no error.
pub(super) struct WhileRead(pub(super) StdoutWriter);

impl Write for WhileRead {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        or_closed(self.0.write(bytes), bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        or_closed(self.0.flush(), ())
    }
}

fn or_closed<T>(written: std::io::Result<T>, closed: T) -> std::io::Result<T> {
    match written {
        Err(err) if err.kind() == std::io::ErrorKind::BrokenPipe => Ok(closed),
        other => other,
    }
}

/// Writes to stdout. A closed pipe ends the output silently; any other failure is reported once and sets the exit code.
pub(super) fn write_stdout(text: &str) {
    let mut out = standard_output();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    if let Some(error) = written.err().as_ref().and_then(stdout_error)
        && !UNWRITTEN.swap(true, Ordering::Relaxed)
    {
        write_stderr(&human::render_error(&error));
    }
}

/// The error for a failed write to stdout; `None` for a closed pipe.
pub(super) fn stdout_error(err: &std::io::Error) -> Option<ToolError> {
    if err.kind() == std::io::ErrorKind::BrokenPipe {
        return None;
    }
    Some(tool_error!(ToolError, "io";
        "cannot write the answer to stdout: {err}";
        "free space at the destination; `mathchain audit list` shows which calls ran"))
}

/// Adds the nearest known name to an error about an unknown one, or else another hint.
pub(super) fn suggest_nearest_name<'a>(
    error: ToolError,
    name: &str,
    known: impl IntoIterator<Item = &'a str>,
    otherwise: impl Display,
) -> ToolError {
    match tool_core::nearest::nearest_name(name, known) {
        Some(near) => error.hint(format_args!("did you mean `{near}`?")),
        None => error.hint(otherwise),
    }
}

/// Writes a file that does not exist yet, or with `force` any; returns its size in bytes. A file that could not be written whole is
/// removed.
///
/// # Errors
/// `tool_error` with reason `io`, or that of `write`.
pub(super) fn to_file(
    path: &Path,
    force: bool,
    write: impl FnOnce(&mut dyn Write) -> Result<()>,
) -> Result<u64> {
    let flag = ReplaceFlag {
        name: "--force",
        is_set: force,
    };
    to_file_unless(path, flag, write)
}

/// The flag by which an existing file is replaced.
pub(super) struct ReplaceFlag {
    /// As a user writes it.
    pub(super) name: &'static str,
    /// Whether it is given.
    pub(super) is_set: bool,
}

/// As [`to_file`], with the flag that the command has.
///
/// # Errors
/// As [`to_file`].
pub(super) fn to_file_unless(
    path: &Path,
    flag: ReplaceFlag,
    write: impl FnOnce(&mut dyn Write) -> Result<()>,
) -> Result<u64> {
    let failed = |err: std::io::Error| {
        let hint = match err.kind() {
            std::io::ErrorKind::AlreadyExists => {
                format!("choose a new name, or replace it with {}", flag.name)
            }
            _ => "choose a file in a writable folder".to_owned(),
        };
        let path = path.display();
        tool_error!(ToolError, "io"; "cannot write `{path}`: {err}").hint(hint)
    };
    let file = match flag.is_set {
        true => File::create(path),
        false => File::create_new(path),
    };
    let mut out = BufWriter::new(file.map_err(failed)?);
    let size = |mut out: BufWriter<File>| {
        out.flush()?;
        out.get_ref().metadata().map(|found| found.len())
    };
    let done = write(&mut out).and_then(|()| size(out).map_err(failed));
    if done.is_err() {
        // The error that follows is that of the writing.
        let _ = std::fs::remove_file(path);
    }
    done
}

/// Writes text for a reader to stdout.
pub(super) fn print_text(text: &str) {
    write_stdout(&human::at_width(&human::replace_controls(text)));
}

/// Writes text for a reader to stderr.
pub(super) fn write_stderr(text: &str) {
    let text = human::colour_severity(&human::replace_controls(text));
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}
