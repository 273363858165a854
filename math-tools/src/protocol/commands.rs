//! From a command and its parameters to what runs: a tool by its name, or a command of the earlier binary.
//!
//! The earlier commands: `matrix_op` (by `operation`), `plot` (by `type`), `monte_carlo` with an `operation`, and the flat keys
//! of `optimize` and `plot_sixel`. All others, and the results, are those of the tools.

use tool_core::nearest::nearest;
use tool_core::spec::wire_name;
use tool_core::{AnyTool, Ctx, ErrorCode, Object, ToolError, Value};

use super::help;
use super::request::{Params, pointer};
use crate::{FAMILIES, linalg, sampling};

/// What a request asks for.
pub(super) struct Work {
    /// What runs.
    pub(super) job: Job,
    /// The command's own deadline, where it is stricter.
    pub(super) timeout_ms: Option<u64>,
    /// What the caller must know of how the request was read.
    pub(super) notes: Vec<String>,
    /// Makes the command's result and statistics of the arguments in canonical form and the result.
    pub(super) finish: Finish,
}

/// See [`Work::finish`].
pub(super) type Finish = fn(&Value, Value, &mut Object) -> Value;

/// What runs.
pub(super) enum Job {
    /// The list of commands, or the description of one.
    Help(Option<&'static dyn AnyTool>),
    /// A tool on arguments.
    Tool(&'static dyn AnyTool, Value),
    /// An operation of an earlier command.
    Operation(Operation),
}

/// Runs an operation, by its name, on its parameters.
pub(super) type Run = fn(&str, &Value, &Ctx) -> Result<Value, ToolError>;

/// An operation of an earlier command on its parameters.
pub(super) struct Operation {
    /// Runs it.
    pub(super) run: Run,
    /// Its name.
    pub(super) name: String,
    /// Its parameters.
    pub(super) params: Value,
}

impl Work {
    fn tool(name: &str, params: Params, finish: Finish) -> Result<Self, ToolError> {
        let tool = tool(name).ok_or_else(|| unknown(name))?;
        Ok(Self {
            timeout_ms: tool.spec().timeout_ms,
            job: Job::Tool(tool, params.into_value()),
            notes: Vec::new(),
            finish,
        })
    }

    fn other(job: Job) -> Self {
        Self {
            job,
            timeout_ms: None,
            notes: Vec::new(),
            finish: as_it_is,
        }
    }
}

/// The commands that are not tools, with what they do; `help` lists them among the tools.
pub(super) const EXTRA: [(&str, &str); 3] = [
    (
        "help",
        "List the commands; with `name`, describe one: its arguments, its result and examples.",
    ),
    (
        "matrix_op",
        "Matrix operations of the earlier binary, by `operation`: solve, eigen, svd, inverse, det, lu, qr, rank. The first three are also the tools `matrix_solve`, `matrix_eigenvalues` and `matrix_svd`, which give more evidence.",
    ),
    (
        "plot",
        "Plots of the earlier binary, by `type`: scatter (default), line, bar, histogram, function. They are the tools `plot_braille`, `histogram` and `plot_function`.",
    ),
];

/// Commands of the earlier binary whose tools are not there yet.
const LATER: [&str; 4] = ["integrate", "render_math", "simplify", "symbolic_diff"];

/// Every tool of this crate.
pub(super) fn tools() -> impl Iterator<Item = &'static dyn AnyTool> {
    FAMILIES
        .iter()
        .flat_map(|family| family.iter())
        .map(|entry| entry.tool())
}

fn tool(name: &str) -> Option<&'static dyn AnyTool> {
    tools().find(|tool| tool.spec().id == name || wire_name(tool.spec().id) == name)
}

/// Finds what a command means.
///
/// # Errors
/// `unknown_tool` with the nearest name; `invalid_args` for parameters that choose nothing.
pub(super) fn find(command: &str, params: Params) -> Result<Work, ToolError> {
    match command {
        "help" => help(params),
        "matrix_op" => matrix_op(params),
        "plot" => plot(params),
        "monte_carlo" => monte_carlo(params),
        "optimize" => optimize(params),
        "plot_sixel" => plot_sixel(params),
        "mcmc" => Work::tool("mcmc", params, mcmc_stats),
        "bayesopt" => Work::tool("bayesopt", params, bayesopt_stats),
        "solve_ode" => Work::tool("solve_ode", params, solve_ode_stats),
        later if LATER.contains(&later) => Err(ToolError::new(
            ErrorCode::UnknownTool,
            format_args!("`{later}` is not part of this release"),
        )
        .reason("not_in_this_release")
        .at("/command")
        .hint("it comes with a later release; send {\"command\":\"help\"} for what there is")),
        name => Work::tool(name, params, as_it_is),
    }
}

fn unknown(name: &str) -> ToolError {
    let shown: String = name.chars().take(80).collect();
    let names = tools()
        .map(|tool| tool.spec().id)
        .chain(EXTRA.map(|(name, _)| name))
        .chain(LATER);
    let hint = match nearest(name, names) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "send {\"command\":\"help\"} for a list".to_owned(),
    };
    ToolError::new(
        ErrorCode::UnknownTool,
        format_args!("no command named `{shown}`"),
    )
    .at("/command")
    .hint(hint)
}

fn help(mut params: Params) -> Result<Work, ToolError> {
    let name = params.take_text("name")?;
    refuse_unknown(&params, "help", &["name"])?;
    let described = match &name {
        Some(name) => Some(tool(name).ok_or_else(|| unknown(name).at("/name"))?),
        None => None,
    };
    Ok(Work::other(Job::Help(described)))
}

fn matrix_op(mut params: Params) -> Result<Work, ToolError> {
    let name = params
        .take_text("operation")?
        .unwrap_or_else(|| "solve".to_owned());
    refuse_unknown(
        &params,
        "matrix_op",
        &[
            "operation",
            "A",
            "b",
            "vectors",
            "full",
            "matrices",
            "tolerance",
        ],
    )?;
    Ok(Work::other(Job::Operation(Operation {
        run: linalg::legacy::run,
        name,
        params: params.into_value(),
    })))
}

fn monte_carlo(mut params: Params) -> Result<Work, ToolError> {
    let operation = params.take_text("operation")?;
    let expression = params.0.get("expression").is_some();
    let name = match operation {
        Some(_) if expression => {
            let message = "`operation` and `expression` are two different commands";
            return Err(ToolError::invalid("/operation", message).hint("leave one of them out"));
        }
        Some(name) => name,
        // The earlier command integrated where nothing else was asked for.
        None if !expression && params.0.get("bounds").is_some() => "integrate".to_owned(),
        None => return Work::tool("monte_carlo", params, as_it_is),
    };
    if name == "integrate" {
        return Work::tool("monte_carlo_native", params, as_it_is);
    }
    Ok(Work::other(Job::Operation(Operation {
        run: sampling::legacy::run,
        name,
        params: params.into_value(),
    })))
}

fn plot(mut params: Params) -> Result<Work, ToolError> {
    const TYPES: [&str; 5] = ["scatter", "line", "bar", "histogram", "function"];
    let kind = params
        .take_text("type")?
        .unwrap_or_else(|| "scatter".to_owned());
    match kind.as_str() {
        "scatter" | "line" | "bar" => {
            refuse_both(&params, "plot_type", "type")?;
            params.0.insert("plot_type", kind);
            Work::tool("plot_braille", params, plot_size)
        }
        "histogram" => Work::tool("histogram", params, plot_size),
        "function" => Work::tool("plot_function", params, plot_size),
        other => {
            let shown: String = other.chars().take(80).collect();
            let err = ToolError::invalid("/type", format_args!("no type of plot named `{shown}`"));
            Err(match nearest(other, TYPES) {
                Some(near) => err.hint(format!("did you mean `{near}`?")),
                None => err.hint(format!("one of {}", TYPES.join(", "))),
            })
        }
    }
}

fn plot_sixel(mut params: Params) -> Result<Work, ToolError> {
    if let Some(kind) = params.take_text("type")? {
        refuse_both(&params, "plot_type", "type")?;
        params.0.insert("plot_type", kind);
    }
    Work::tool("plot_sixel", params, as_it_is)
}

/// `optimize` with the objective as a flat key, and the earlier names of its methods.
fn optimize(mut params: Params) -> Result<Work, ToolError> {
    for name in ["rosenbrock", "sphere"] {
        match params.0.remove(name) {
            None | Some(Value::Bool(false)) => {}
            Some(Value::Bool(true)) => {
                refuse_both(&params, "objective", name)?;
                params.0.insert("objective", name);
            }
            Some(other) => {
                let message = format!("expected a boolean, found {}", other.kind());
                return Err(ToolError::invalid(pointer(name), message));
            }
        }
    }
    if let Some(quadratic) = params.0.remove("quadratic") {
        refuse_both(&params, "objective", "quadratic")?;
        params
            .0
            .insert("objective", Value::object([("quadratic", quadratic)]));
    }
    let method = match params.0.get("method").and_then(Value::as_str) {
        Some("simplex") => Some("nelder_mead"),
        Some("gd" | "gradient_descent") => Some("gradient"),
        _ => None,
    };
    if let Some(method) = method {
        params.0.insert("method", method);
    }
    let step = params.0.remove("learning_rate");
    let mut work = Work::tool("optimize", params, optimize_stats)?;
    if step.is_some() {
        work.notes.push(
            "`learning_rate` has no effect: a line search sets the length of each step".to_owned(),
        );
    }
    Ok(work)
}

fn refuse_both(params: &Params, name: &str, other: &str) -> Result<(), ToolError> {
    if params.0.get(name).is_none() {
        return Ok(());
    }
    let message = format!("`{name}` and `{other}` say the same thing twice");
    Err(ToolError::invalid(pointer(other), message).hint("leave one of them out"))
}

fn refuse_unknown(params: &Params, command: &str, known: &[&'static str]) -> Result<(), ToolError> {
    let Some((name, _)) = params.0.iter().find(|(name, _)| !known.contains(name)) else {
        return Ok(());
    };
    let shown: String = name.chars().take(80).collect();
    let err = ToolError::invalid(pointer(name), format_args!("unknown argument `{shown}`"));
    Err(match nearest(name, known.iter().copied()) {
        Some(near) => err.hint(format!("did you mean `{near}`?")),
        None => err.hint(format!("`{command}` takes {}", known.join(", "))),
    })
}

fn as_it_is(_: &Value, result: Value, _: &mut Object) -> Value {
    result
}

/// Copies members of the arguments, or else of the result, into the statistics.
fn copy(names: &[&'static str], args: &Value, result: &Value, stats: &mut Object) {
    for name in names {
        if let Some(value) = args.get(name).or_else(|| result.get(name)) {
            stats.insert(*name, value.clone());
        }
    }
}

fn mcmc_stats(args: &Value, result: Value, stats: &mut Object) -> Value {
    copy(&["burnin", "thin", "chains"], args, &result, stats);
    let number = |name: &str| args.get(name).and_then(Value::as_i64).unwrap_or(1);
    let per_chain = number("n_samples")
        .saturating_mul(number("thin"))
        .saturating_add(number("burnin"));
    stats.insert(
        "total_iterations",
        per_chain.saturating_mul(number("chains")),
    );
    result
}

fn bayesopt_stats(args: &Value, result: Value, stats: &mut Object) -> Value {
    copy(&["n_init", "n_iter", "acquisition"], args, &result, stats);
    result
}

fn optimize_stats(args: &Value, result: Value, stats: &mut Object) -> Value {
    copy(&["iterations", "evaluations"], args, &result, stats);
    result
}

fn solve_ode_stats(_: &Value, result: Value, stats: &mut Object) -> Value {
    if let Some(own) = result.get("stats").and_then(Value::as_object) {
        own.iter()
            .for_each(|(name, value)| stats.insert(name, value.clone()));
    }
    result
}

/// The members `format`, `width` and `height` that the earlier `plot` had.
fn plot_size(args: &Value, result: Value, _: &mut Object) -> Value {
    let mut members = result.as_object().cloned().unwrap_or_default();
    members.insert("format", "braille");
    for name in ["width", "height"] {
        members.insert(name, args.get(name).cloned().unwrap_or_default());
    }
    Value::Object(members.into())
}

/// The list of commands, or the description of one.
///
/// # Errors
/// When a schema cannot be written, which would be a defect.
pub(super) fn describe(described: Option<&'static dyn AnyTool>) -> Result<Value, ToolError> {
    match described {
        Some(tool) => help::of(tool),
        None => Ok(help::list()),
    }
}
