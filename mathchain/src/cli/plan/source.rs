//! Reading a plan that the command line names, and saying what is wrong with it.

use std::fmt::Write as _;
use std::io::Read;
use std::path::Path;
use std::process::ExitCode;

use chain_runtime::plan::InputType;
use chain_runtime::{Plan, Problems};
use tool_core::capability::LedgerHead;
use tool_core::{ErrorCode, Object, Outcome, ToolError};

use super::super::args::Global;
use super::super::{complain, exit, flags, human, print_line};
use super::for_reader;

/// Why there is no checked plan.
pub(in crate::cli) enum Problematic {
    /// It has problems, each with its place.
    Plan(Problems),
    /// It could not be looked at.
    Error(ToolError),
}

impl From<Problems> for Problematic {
    fn from(problems: Problems) -> Self {
        Self::Plan(problems)
    }
}

impl From<ToolError> for Problematic {
    fn from(err: ToolError) -> Self {
        Self::Error(err)
    }
}

/// Reads a plan file, or stdin for `-`, in the language that its name or its beginning says.
pub(in crate::cli) fn read(path: &Path) -> Result<Plan, Problematic> {
    Ok(Plan::read(&path.to_string_lossy(), &text(path)?)?)
}

fn text(path: &Path) -> Result<String, ToolError> {
    // One byte more than allowed, so that the plan's own limit speaks.
    const BYTES_MAX: u64 = chain_runtime::plan::TEXT_BYTES_MAX as u64;
    let failed = |err: std::io::Error| {
        ToolError::new(
            ErrorCode::InvalidRequest,
            format_args!("cannot read the plan `{}`: {err}", path.display()),
        )
        .reason("io")
    };
    let mut text = String::new();
    if path == Path::new("-") {
        let mut input = std::io::stdin().lock().take(BYTES_MAX + 1);
        input.read_to_string(&mut text).map_err(failed)?;
    } else {
        // Opening a pipe that nobody writes would wait for ever.
        if !std::fs::metadata(path).map_err(failed)?.is_file() {
            let message = format_args!("the plan `{}` is no regular file", path.display());
            return Err(ToolError::new(ErrorCode::InvalidRequest, message)
                .reason("not_a_file")
                .hint("name a file, or `-` for a plan from stdin"));
        }
        let file = std::fs::File::open(path).map_err(failed)?;
        file.take(BYTES_MAX + 1)
            .read_to_string(&mut text)
            .map_err(failed)?;
    }
    Ok(text)
}

/// The inputs that flags give.
pub(in crate::cli) fn settle(plan: &Plan, pairs: &[String]) -> Result<Object, ToolError> {
    let mut inputs = Object::new();
    for pair in pairs {
        let (name, text) = flags::split(pair)?;
        let value = match plan.input(&name) {
            // What does not fit is the check's to report, with the others.
            Some(input) => input.read(&text).unwrap_or_else(|_| match input.kind {
                InputType::String | InputType::Path => text.as_str().into(),
                _ => crate::parse(&text).unwrap_or_else(|_| text.as_str().into()),
            }),
            None => text.as_str().into(),
        };
        if inputs.get(&name).is_some() {
            return Err(ToolError::new(
                ErrorCode::InvalidRequest,
                format_args!("the input `{name}` is given twice"),
            ));
        }
        inputs.insert(name, value);
    }
    Ok(inputs)
}

/// Prints why a plan was refused, each problem as `file:line:column: ..`, and where the audit stands if it says so; nothing has
/// run.
pub(in crate::cli) fn refused(
    global: &Global,
    file: Option<&Path>,
    what: &str,
    problems: Problems,
    head: Option<&LedgerHead>,
) -> ExitCode {
    let file = file.map(|file| file.display().to_string());
    let mut text = String::new();
    for problem in problems.list() {
        // Without a place of its own a problem is about the whole.
        let join = if problem.place.is_some() { ":" } else { ": " };
        let place = file.as_ref().map(|file| format!("{file}{join}"));
        let _ = writeln!(text, "  {}{problem}", place.unwrap_or_default());
    }
    if problems.more() > 0 {
        let _ = writeln!(text, "  and {} more", problems.more());
    }
    let err = ToolError::from(problems);
    let code = exit::of_error(&err);
    let mut outcome = Outcome::error(err.clone());
    if let Some(head) = head {
        outcome.metadata.insert("audit", head.to_value());
    }
    if !for_reader(global) {
        print_line(&outcome.to_value());
    }
    complain(&format!(
        "{what} [{}]\n{text}{}",
        err.code(),
        human::head(&outcome)
    ));
    code.into()
}
