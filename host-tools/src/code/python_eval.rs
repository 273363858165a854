//! Evaluating a Python expression.

use std::time::Duration;

use tool_core::Object;
use tool_core::command::{CommandAccess, CommandOutput, Level, ProcessExit, SandboxCommand};

use super::python;
use crate::prelude::*;

/// The evaluator program.
const EVALUATOR: &str = include_str!("python_eval.py");
/// Maximum size of the result in bytes.
const ANSWER_BYTES_MAX: usize = 4 << 20;
/// Address space of the interpreter.
const MEMORY_BYTES: u64 = 1 << 30;

/// Evaluate one Python expression (CPython) in a sandbox without files, network or other processes. Modules such as `math`,
/// `statistics`, `itertools`, `re` and `datetime` are available without an import. For formulas `calculate` is exact and
/// faster.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The expression, such as `sum(x * x for x in xs)`.
    pub expression: String,
    /// Values of the variables in the expression; names of built-in functions are refused.
    #[value(default = "no_variables")]
    pub variables: Value,
    /// Timeout in seconds, 1 to 600.
    #[value(default = "BoundedInteger::<1, 600>::of::<10>")]
    pub timeout: BoundedInteger<1, 600>,
}

fn no_variables() -> Value {
    Value::Object(Object::new().into())
}

#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The value. Tuples are lists; integers beyond 2^53 are texts; `NaN`, `Infinity` and `-Infinity` are spelled out.
    pub value: Value,
    /// Python type of the value.
    #[value(rename = "type")]
    pub kind: String,
    /// What the expression printed, up to 10000 bytes.
    pub printed: String,
    /// Sandbox level of the run.
    pub level: Level,
}

impl Tool for Args {
    const SPEC: Spec = Spec {
        id: "python_eval",
        title: "Evaluate an expression of Python",
        tags: &["python", "expression"],
        // Text assembled from data would be code.
        syntax: &[("/expression", Syntax::Expression)],
        ..python::SPEC
    };
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output> {
        if args.variables.as_object().is_none() {
            let found = args.variables.kind();
            return Err(tool_error!(InvalidArgs at "/variables";
                "expected an object of names and values, found {found}"));
        }
        let mut command = evaluator_command(&args, ctx)?;
        ctx.reserve((command.stdin.len() + 2 * ANSWER_BYTES_MAX) as u64)?;
        command.limits.wall = Duration::from_secs(args.timeout.get().unsigned_abs());
        let finished = ctx.spawner()?.run(&command, ctx.stop())?;
        parse_answer(&finished)
    }

    /// The level depends on the machine.
    const EXAMPLES: &'static [JsonExample] = examples! {
        "a sum over a variable":
            r#"{"expression": "sum(x * x for x in xs)", "variables": {"xs": [1, 2, 3]}}"#
            => r#"{"value": 14, "type": "int", "printed": "", "level": "S3"}"#;
        "a module without an import": r#"{"expression": "math.gcd(12, 18)"}"#
            => r#"{"value": 6, "type": "int", "printed": "", "level": "S3"}"#;
    };
}

fn evaluator_command(args: &Args, ctx: &Ctx) -> Result<SandboxCommand> {
    let mut command =
        python::isolated_command(python::find_interpreter(ctx)?, &["-S", "-c", EVALUATOR]);
    command.workspace = CommandAccess::None;
    command.limits.memory_bytes = MEMORY_BYTES;
    command.limits.tree_memory_bytes = MEMORY_BYTES;
    command.limits.scratch_bytes = 16 << 20;
    command.limits.processes = 16;
    command.limits.file_bytes = 1 << 20;
    command.limits.stdout_bytes = ANSWER_BYTES_MAX;
    let request = Value::object([
        ("expression", Value::from(args.expression.as_str())),
        ("variables", args.variables.clone()),
    ]);
    command.stdin = json::to_text(&request).into_bytes();
    Ok(command)
}

fn parse_answer(finished: &CommandOutput) -> Result<Output> {
    if finished.timed_out {
        return Err(tool_error!(Timeout at "/timeout";
            "the expression did not finish before the timeout";
            "raise `timeout`, or simplify the expression"));
    }
    if let Some(excess) = finished.exceeded {
        let what = excess.as_str();
        return Err(tool_error!(LimitExceeded at "/expression", what;
            "the expression exceeded its limit on {what}"));
    }
    if finished.stdout.truncated() {
        return Err(tool_error!(OutputTooLarge;
            "the value has more than {ANSWER_BYTES_MAX} bytes";
            "request a part of it, or its length"));
    }
    let ended = || {
        let how = match finished.exit {
            ProcessExit::Signal(number) => format!("signal {number}"),
            ProcessExit::Status(status) => format!("status {status}"),
        };
        let text = finished.stderr.text();
        let last = text.lines().last().unwrap_or("no output");
        tool_error!(ToolError at "/expression", "python";
            "Python ended with {how} and no value: {last}")
    };
    let text = &finished.stdout.bytes;
    let result = json::parse_bytes(text, json::JsonLimits::default()).map_err(|_| ended())?;
    if let Some(error) = result.get("error") {
        return Err(evaluation_error(error));
    }
    let kind = result.get("type").and_then(Value::as_str);
    let (Some(value), Some(kind)) = (result.get("value"), kind) else {
        return Err(ended());
    };
    Ok(Output {
        value: value.clone(),
        kind: kind.to_owned(),
        printed: super::run::complete_text(&finished.stderr),
        level: finished.level,
    })
}

fn evaluation_error(error: &Value) -> ToolError {
    let member = |name: &str| error.get(name).and_then(Value::as_str).unwrap_or_default();
    let message = member("message");
    let fail = |code, reason| {
        ToolError::new(code, message)
            .reason(reason)
            .at("/expression")
    };
    match member("kind") {
        "syntax" => tool_error!(InvalidArgs at "/expression", "syntax";
            "not a Python expression: {message}";
            "pass one expression; `python_run` runs statements"),
        "variable" => ToolError::invalid("/variables", message).hint("choose another name"),
        "not_json" => fail(ErrorCode::ToolError, "not_json").hint(
            "convert it to numbers, texts, lists or dicts, such as `list(...)` or `str(...)`",
        ),
        "memory" => fail(ErrorCode::LimitExceeded, "memory"),
        _ => fail(ErrorCode::ToolError, "exception"),
    }
}
