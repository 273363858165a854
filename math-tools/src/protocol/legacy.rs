//! The commands of the 0.1.0 binary: `matrix_op`, `plot`, `monte_carlo` with an `operation`, the keys of `integrate`, the flat keys of
//! `optimize` and `plot_sixel`, and the statistics beside the results of four tools.
//!
//! Their shapes are data: [`COMMANDS`] and [`MATRIX`]. All other commands, and the results, are those of the tools.

use tool_core::{AnyTool, Ctx, Object, ToolError, Value, object, tool_error};

use super::request::{CommandParams, member_pointer};
use super::work::{
    LegacyOperation, RequestJob, ResolvedRequest, call_tool, find_tool, keep_result, near_or_all,
    refuse_unknown, shorten_name,
};
use crate::sampling;

type Find = fn(CommandParams) -> Result<ResolvedRequest, ToolError>;

/// Every command of the earlier binary that differs from the tool of its name.
const COMMANDS: [(&str, Find); 11] = [
    ("matrix_op", matrix_op),
    ("plot", resolve_plot),
    ("plot_sixel", plot_sixel),
    ("monte_carlo", monte_carlo),
    ("optimize", resolve_optimize),
    ("mcmc", resolve_mcmc),
    ("bayesopt", |params| {
        ResolvedRequest::tool("bayesopt", params, |args, result, stats| {
            copy_members(&["n_init", "n_iter", "acquisition"], args, &result, stats);
            result
        })
    }),
    ("solve_ode", |params| {
        ResolvedRequest::tool("solve_ode", params, |_, result, stats| {
            if let Some(own) = result.get("stats").and_then(Value::as_object) {
                own.iter()
                    .for_each(|(name, value)| stats.insert(name, value.clone()));
            }
            result
        })
    }),
    ("simplify", resolve_simplify),
    ("symbolic_diff", resolve_symbolic_diff),
    ("integrate", resolve_integrate),
];

/// The resolver of a command of the earlier binary.
pub(super) fn find_resolver(command: &str) -> Option<Find> {
    let known = COMMANDS.iter().find(|(name, _)| *name == command);
    known.map(|&(_, find)| find)
}

/// `simplify` with the earlier flags; `trigsimp` did what `simplify` does.
fn resolve_simplify(mut params: CommandParams) -> Result<ResolvedRequest, ToolError> {
    for (flag, form) in [
        ("expand", "expand"),
        ("factor", "factor"),
        ("trigsimp", "trig"),
    ] {
        match params.0.remove(flag) {
            None | Some(Value::Bool(false)) => {}
            Some(Value::Bool(true)) => {
                refuse_both(&params, "form", flag)?;
                params.0.insert("form", form);
            }
            Some(other) => return Err(not_boolean(flag, &other)),
        }
    }
    ResolvedRequest::tool("symbolic_simplify", params, |args, result, _| {
        let part = |name: &str| result.pointer(name).unwrap_or(Value::Null);
        object! {
            "original" => args.get("expression").cloned().unwrap_or(Value::Null),
            "simplified" => part("/result/text"),
            "latex" => part("/result/latex"),
        }
    })
}

/// `symbolic_diff` with the members of the earlier answer, in `x` where no variable is named.
fn resolve_symbolic_diff(mut params: CommandParams) -> Result<ResolvedRequest, ToolError> {
    if params.0.get("variable").is_none() {
        params.0.insert("variable", "x");
    }
    ResolvedRequest::tool("symbolic_diff", params, |args, result, _| {
        let part = |name: &str| result.pointer(name).unwrap_or(Value::Null);
        object! {
            "derivative" => part("/derivative/text"),
            "simplified" => part("/derivative/text"),
            "latex" => part("/derivative/latex"),
            "order" => args.get("order").cloned().unwrap_or(Value::from(1.0)),
            "variable" => part("/variable"),
        }
    })
}

/// The operations of `matrix_op`: the name, the tool whose result answers it, the arguments passed on, and the members returned, some
/// under their earlier names. `inverse` calls two tools.
///
/// `lu` takes any shape, `A[P[i]] = (L U)[i]`; `qr` is thin; the condition number of `inverse` is that of the 2-norm; the tolerance of
/// `rank` is relative to the largest singular value. `eigen` and `svd` have flags of their own, see [`run_matrix_operation`].
const MATRIX: [[&str; 4]; 9] = [
    ["solve", "matrix_solve", "A b", "x relative_error"],
    ["inverse", "matrix_inverse", "A", "inverse"],
    ["inverse", "matrix_rank", "A", "condition_number=condition"],
    [
        "det",
        "matrix_determinant",
        "A",
        "determinant sign log_abs_determinant",
    ],
    ["eigen", "matrix_eigenvalues", "A vectors", ""],
    ["svd", "matrix_svd", "A vectors", "singular_values rank U V"],
    ["lu", "matrix_lu", "A", "L U P=permutation"],
    ["qr", "matrix_qr", "A", "Q R"],
    ["rank", "matrix_rank", "A tolerance", "rank"],
];

fn matrix_op(mut params: CommandParams) -> Result<ResolvedRequest, ToolError> {
    const ARGUMENTS: [&str; 7] = [
        "operation",
        "A",
        "b",
        "vectors",
        "full",
        "matrices",
        "tolerance",
    ];
    let name = params.take_text("operation")?;
    refuse_unknown(&params, "matrix_op", &ARGUMENTS)?;
    Ok(ResolvedRequest::other(RequestJob::Operation(
        LegacyOperation {
            run: run_matrix_operation,
            name: name.unwrap_or_else(|| "solve".to_owned()),
            params: params.into_value(),
        },
    )))
}

/// Runs an operation of [`MATRIX`]; parameters that it does not take are ignored, null is absent.
///
/// # Errors
/// `invalid_args` for an unknown operation; those of the tools.
pub(super) fn run_matrix_operation(
    operation: &str,
    params: &Value,
    ctx: &Ctx,
) -> Result<Value, ToolError> {
    const RANK_TOLERANCE: f64 = 1e-10;
    let mut names = MATRIX.map(|[name, ..]| name).to_vec();
    names.dedup();
    if !names.contains(&operation) {
        let message = format!("no matrix operation named `{}`", shorten_name(operation));
        return Err(ToolError::invalid("/operation", message)
            .reason("unknown_operation")
            .hint(near_or_all(operation, &names)));
    }
    let mut given = Object::new();
    for (name, value) in params.as_object().into_iter().flat_map(Object::iter) {
        if !value.is_null() {
            given.insert(name, value.clone());
        }
    }
    match operation {
        "svd" => {
            let vectors = take_flag(&given, "full")? || take_flag(&given, "matrices")?;
            given.insert("vectors", if vectors { "thin" } else { "none" });
        }
        "rank" if given.get("tolerance").is_none() => given.insert("tolerance", RANK_TOLERANCE),
        _ => {}
    }
    let mut result = Object::new();
    for [_, id, arguments, members] in MATRIX.iter().filter(|[name, ..]| *name == operation) {
        let arguments = arguments.split_whitespace();
        let arguments = arguments.filter_map(|name| Some((name, given.get(name)?.clone())));
        let found = call_tool(require_tool(id)?, &Value::object(arguments), ctx)?.1;
        for member in members.split_whitespace() {
            let (name, member) = member.split_once('=').unwrap_or((member, member));
            if let Some(value) = found.get(member) {
                result.insert(name, value.clone());
            }
        }
        if operation == "eigen" {
            pair_complex(&found, &mut result);
        }
    }
    if operation == "rank" {
        copy_members(
            &["tolerance"],
            &Value::Object(given.into()),
            &Value::Null,
            &mut result,
        );
    }
    Ok(Value::Object(result.into()))
}

fn require_tool(id: &str) -> Result<&'static dyn AnyTool, ToolError> {
    find_tool(id).ok_or_else(|| tool_error!(Internal, "no tool `{id}`"))
}

fn take_flag(given: &Object, name: &str) -> Result<bool, ToolError> {
    match given.get(name) {
        None => Ok(false),
        Some(Value::Bool(value)) => Ok(*value),
        Some(other) => Err(not_boolean(name, other)),
    }
}

fn not_boolean(name: &str, found: &Value) -> ToolError {
    let message = format!("expected a boolean, found {}", found.kind());
    ToolError::invalid(member_pointer(name), message)
}

/// Eigenvalues as numbers, or as {real, imag} where complex, and the eigenvectors as a list of such vectors.
fn pair_complex(found: &Value, result: &mut Object) {
    let numbers = |name: &str, index: usize| found.get(name).and_then(|list| list.at(index));
    let pair = |re: Option<Value>, im: Option<Value>| match im {
        Some(im) if im.as_f64() != Some(0.0) => {
            Value::object([("real", re.unwrap_or_default()), ("imag", im)])
        }
        _ => re.unwrap_or_default(),
    };
    let items = |name: &str| found.get(name).and_then(Value::items);
    let size = items("real").map_or(0, |values| values.len());
    let values = (0..size).map(|index| pair(numbers("real", index), numbers("imaginary", index)));
    result.insert("eigenvalues", Value::array(values.collect()));
    if let Some(real) = items("eigenvectors").or_else(|| items("eigenvectors_real")) {
        let imaginary = items("eigenvectors_imaginary").unwrap_or_default();
        let vector = |column: usize| {
            let entries = real.iter().enumerate().map(|(row, entries)| {
                let imaginary = imaginary.get(row).and_then(|entries| entries.at(column));
                pair(entries.at(column), imaginary)
            });
            Value::array(entries.collect())
        };
        result.insert(
            "eigenvectors",
            Value::array((0..size).map(vector).collect()),
        );
    }
}

fn monte_carlo(mut params: CommandParams) -> Result<ResolvedRequest, ToolError> {
    let operation = params.take_text("operation")?;
    let expression = params.0.get("expression").is_some();
    let name = match operation {
        Some(_) if expression => {
            let message = "`operation` and `expression` are two different commands";
            return Err(ToolError::invalid("/operation", message).hint("leave one of them out"));
        }
        Some(name) => name,
        // The default operation of the earlier command.
        None if !expression && params.0.get("bounds").is_some() => "integrate".to_owned(),
        None => return ResolvedRequest::tool("monte_carlo", params, keep_result),
    };
    if name == "integrate" {
        return ResolvedRequest::tool("monte_carlo_native", params, keep_result);
    }
    Ok(ResolvedRequest::other(RequestJob::Operation(
        LegacyOperation {
            run: sampling::legacy::run_operation,
            name,
            params: params.into_value(),
        },
    )))
}

fn resolve_plot(mut params: CommandParams) -> Result<ResolvedRequest, ToolError> {
    const TYPES: [&str; 5] = ["scatter", "line", "bar", "histogram", "function"];
    let kind = params.take_text("type")?;
    let kind = kind.unwrap_or_else(|| "scatter".to_owned());
    let tool = match kind.as_str() {
        "scatter" | "line" | "bar" => {
            refuse_both(&params, "plot_type", "type")?;
            params.0.insert("plot_type", kind);
            "plot_braille"
        }
        "histogram" => "histogram",
        "function" => "plot_function",
        other => {
            let message = format!("no type of plot named `{}`", shorten_name(other));
            return Err(ToolError::invalid("/type", message).hint(near_or_all(other, &TYPES)));
        }
    };
    // The earlier results had `format`, `width` and `height`.
    ResolvedRequest::tool(tool, params, |args, result, _| {
        let mut members = result.as_object().cloned().unwrap_or_default();
        members.insert("format", "braille");
        copy_members(&["width", "height"], args, &Value::Null, &mut members);
        Value::Object(members.into())
    })
}

fn plot_sixel(mut params: CommandParams) -> Result<ResolvedRequest, ToolError> {
    if let Some(kind) = params.take_text("type")? {
        refuse_both(&params, "plot_type", "type")?;
        params.0.insert("plot_type", kind);
    }
    ResolvedRequest::tool("plot_sixel", params, keep_result)
}

/// `optimize` with the objective as a flat key, and the earlier names of its methods.
fn resolve_optimize(mut params: CommandParams) -> Result<ResolvedRequest, ToolError> {
    const METHODS: [(&str, &str); 3] = [
        ("simplex", "nelder_mead"),
        ("gd", "gradient"),
        ("gradient_descent", "gradient"),
    ];
    for name in ["rosenbrock", "sphere", "quadratic"] {
        let objective = match params.0.remove(name) {
            None => continue,
            Some(matrix) if name == "quadratic" => Value::object([(name, matrix)]),
            Some(Value::Bool(false)) => continue,
            Some(Value::Bool(true)) => Value::from(name),
            Some(other) => return Err(not_boolean(name, &other)),
        };
        refuse_both(&params, "objective", name)?;
        params.0.insert("objective", objective);
    }
    let method = params.0.get("method").and_then(Value::as_str);
    if let Some((_, now)) = METHODS.iter().find(|(earlier, _)| Some(*earlier) == method) {
        params.0.insert("method", *now);
    }
    let step = params.0.remove("learning_rate");
    let mut work = ResolvedRequest::tool("optimize", params, |args, result, stats| {
        copy_members(&["iterations", "evaluations"], args, &result, stats);
        result
    })?;
    if step.is_some() {
        work.notes.push(
            "`learning_rate` has no effect: a line search chooses the length of each step"
                .to_owned(),
        );
    }
    Ok(work)
}

fn resolve_mcmc(params: CommandParams) -> Result<ResolvedRequest, ToolError> {
    ResolvedRequest::tool("mcmc", params, |args, result, stats| {
        copy_members(&["burnin", "thin", "chains"], args, &result, stats);
        let number = |name: &str| args.get(name).and_then(Value::as_i64).unwrap_or(1);
        let per_chain = number("n_samples")
            .saturating_mul(number("thin"))
            .saturating_add(number("burnin"));
        let total = per_chain.saturating_mul(number("chains"));
        stats.insert("total_iterations", total);
        result
    })
}

/// `integrate` with the earlier keys, which answers a bare number.
fn resolve_integrate(mut params: CommandParams) -> Result<ResolvedRequest, ToolError> {
    const RENAMED: [(&str, &str); 4] = [
        ("function", "f"),
        ("a", "from"),
        ("b", "to"),
        ("tol", "atol"),
    ];
    if params.0.get("function").is_none() {
        return ResolvedRequest::tool("integrate", params, |args, result, stats| {
            copy_members(&["evaluations"], args, &result, stats);
            result
        });
    }
    let depth = params.0.remove("max_depth");
    for (earlier, now) in RENAMED {
        if let Some(value) = params.0.remove(earlier) {
            refuse_both(&params, now, earlier)?;
            params.0.insert(now, value);
        }
    }
    let mut work = ResolvedRequest::tool("integrate", params, |args, result, stats| {
        copy_members(&["evaluations", "error", "converged"], args, &result, stats);
        result.get("integral").cloned().unwrap_or_default()
    })?;
    if depth.is_some() {
        work.notes
            .push("`max_depth` has no effect: `max_evals` limits the work".to_owned());
    }
    Ok(work)
}

fn refuse_both(params: &CommandParams, name: &str, other: &str) -> Result<(), ToolError> {
    if params.0.get(name).is_none() {
        return Ok(());
    }
    let message = format!("`{name}` and `{other}` set the same thing twice");
    Err(ToolError::invalid(member_pointer(other), message).hint("leave one of them out"))
}

/// Copies members of the arguments, or else of the result.
fn copy_members(names: &[&'static str], args: &Value, result: &Value, to: &mut Object) {
    for name in names {
        if let Some(value) = args.get(name).or_else(|| result.get(name)) {
            to.insert(*name, value.clone());
        }
    }
}
