//! The plan that a command line names: its arguments, reading it, and printing its problems.

use std::io::{Read, Write as _};
use std::path::{Path, PathBuf};

use chain_runtime::plan::InputType;
use chain_runtime::{Mode, Plan, PlanProblems};
use registry::ApprovalAnswer;
use tool_core::capability::LedgerHead;
use tool_core::{CallOutcome, Object};

use super::super::flags;
use super::super::prelude::*;

/// A plan, its inputs and its caller.
#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    /// Plan file (.yaml, .yml, .json), call script (.chain), or `-` for stdin
    pub plan: PathBuf,
    /// Input of the plan: NAME=VALUE, the value as JSON or plain text; repeatable
    #[arg(long = "input", value_name = "NAME=VALUE")]
    pub inputs: Vec<String>,
    /// Order of the steps; overrides the plan's
    #[arg(long, value_parser = one_of(MODES))]
    pub mode: Option<Mode>,
    /// Run wave by wave: each step waits for all steps of the previous wave
    #[arg(long)]
    pub barrier: bool,
    /// Compute answers a second time by another library, where the tool can; the same as the key `verify` of a plan
    #[arg(long, value_name = "HOW", value_parser = ["independent"])]
    pub verify: Option<String>,
    /// Role of the caller
    #[arg(long, value_name = "ROLE", help_heading = "Caller", add = complete::complete_roles())]
    pub role: Option<String>,
    #[command(flatten)]
    pub caller: CallerArgs,
}

const MODES: &[(&str, Mode, &str)] = &[
    (
        "dep",
        Mode::Dep,
        "In parallel where dependencies and resources allow",
    ),
    ("seq", Mode::Seq, "In plan order, one step at a time"),
];

/// A plan that was read, with its inputs and its caller.
pub(crate) struct PreparedPlan {
    pub plan: Plan,
    pub inputs: Object,
    pub context: CallContext,
}

impl PlanArgs {
    /// Reads the plan, and applies the options and the defaults of the configuration.
    pub(crate) fn prepare(
        &self,
        toolkit: &Toolkit,
        answer: ApprovalAnswer,
    ) -> Result<PreparedPlan, PlanSourceError> {
        let mut plan = read_plan(&self.plan)?.with_defaults(toolkit.chain_defaults());
        if let Some(mode) = self.mode {
            plan = plan.with_mode(mode);
        }
        if self.verify.is_some() {
            plan = plan.verifying();
        }
        plan.barrier |= self.barrier;
        let inputs = parse_plan_inputs(&plan, &self.inputs)?;
        let context = CallContext {
            answer,
            ..self.caller.context(self.role.clone())
        };
        // An unknown name is one error, not one for each step.
        toolkit.dispatcher().visible(&toolkit.caller(&context))?;
        Ok(PreparedPlan {
            plan,
            inputs,
            context,
        })
    }
}

/// The reason why there is no checked plan.
pub(crate) enum PlanSourceError {
    /// Problems of the plan, each with its place.
    Plan(PlanProblems),
    /// An error before the plan could be checked.
    Error(ToolError),
}

impl From<PlanProblems> for PlanSourceError {
    fn from(problems: PlanProblems) -> Self {
        Self::Plan(problems)
    }
}

impl From<ToolError> for PlanSourceError {
    fn from(err: ToolError) -> Self {
        Self::Error(err)
    }
}

/// Reads a plan file, or stdin for `-`; the file name or the first characters determine the language.
fn read_plan(path: &Path) -> Result<Plan, PlanSourceError> {
    Ok(Plan::read(&path.to_string_lossy(), &read_plan_text(path)?)?)
}

fn read_plan_text(path: &Path) -> Result<String> {
    // One byte more than allowed, so that the limit of plans reports the error.
    const BYTES_MAX: u64 = chain_runtime::plan::TEXT_BYTES_MAX as u64;
    let name = format_args!("the plan `{}`", path.display());
    let failed = |err: std::io::Error| io::cannot_read(name, &err);
    let mut text = String::new();
    if path == Path::new("-") {
        let mut input = std::io::stdin().lock().take(BYTES_MAX + 1);
        input.read_to_string(&mut text).map_err(failed)?;
    } else {
        // Opening a pipe without a writer would block forever.
        if !std::fs::metadata(path).map_err(failed)?.is_file() {
            return Err(tool_error!(InvalidRequest, "not_a_file";
                "the plan `{}` is not a regular file", path.display();
                "name a file, or `-` for a plan from stdin"));
        }
        let file = std::fs::File::open(path).map_err(failed)?;
        file.take(BYTES_MAX + 1)
            .read_to_string(&mut text)
            .map_err(failed)?;
    }
    Ok(text)
}

/// The inputs given as options.
fn parse_plan_inputs(plan: &Plan, pairs: &[String]) -> Result<Object, PlanSourceError> {
    let mut inputs = Object::new();
    for pair in pairs {
        let (name, text) = flags::split_assignment(pair)?;
        let value = match plan.input(&name) {
            // The check reports a value of the wrong type, with all other problems.
            Some(input) => input.read(&text).unwrap_or_else(|_| match input.kind {
                InputType::String | InputType::Path => text.as_str().into(),
                _ => mathchain::parse_json(&text).unwrap_or_else(|_| text.as_str().into()),
            }),
            None => text.as_str().into(),
        };
        if inputs.get(&name).is_some() {
            return Err(tool_error!(InvalidRequest;
                "the input `{name}` is given twice")
            .into());
        }
        inputs.insert(name, value);
    }
    Ok(inputs)
}

/// Prints the problems of a plan, each as `file:line:column: ..`, and the head of the audit if there is one; nothing has run.
pub(crate) fn print_plan_problems(
    global: &GlobalArgs,
    file: Option<&Path>,
    problems: PlanProblems,
    head: Option<&LedgerHead>,
) -> ExitCode {
    let file = file.map(|file| file.display().to_string());
    let count =
        chain_runtime::count_phrase((problems.list().len() + problems.more()) as u64, "problem");
    let mut text = String::new();
    for problem in problems.list() {
        // A problem without a place is about the whole plan.
        let join = if problem.place.is_some() { ":" } else { ": " };
        let place = file.as_ref().map(|file| format!("{file}{join}"));
        let _ = writeln!(text, "  {}{problem}", place.unwrap_or_default());
    }
    if problems.more() > 0 {
        let _ = writeln!(text, "  and {} more", problems.more());
    }
    let err = ToolError::from(problems);
    let code = exit::of_error(&err);
    let mut outcome = CallOutcome::error(err.clone());
    if let Some(head) = head {
        outcome.metadata.insert("audit", head.to_value());
    }
    if global.format() != OutputFormat::Human {
        output::print_json_line(&outcome.to_value());
    }
    write_stderr(&format!(
        "plan check failed with {count}, nothing ran [{}]\n{text}",
        err.code()
    ));
    output::print_audit_head(&outcome);
    code.into()
}

/// Writes or replaces a file named on the command line.
pub(crate) fn write_named_file(path: &Path, text: &str) -> Result<()> {
    let write = || -> std::io::Result<()> {
        let mut file = std::fs::File::create(path)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()
    };
    write().map_err(|err| io::cannot_write(path, &err))?;
    write_stderr(&format!("wrote {}\n", path.display()));
    Ok(())
}

/// Creates a file that will be written later.
pub(crate) fn create_named_file(path: &Path) -> Result<()> {
    let file = std::fs::File::create(path);
    file.map(drop).map_err(|err| io::cannot_write(path, &err))
}
