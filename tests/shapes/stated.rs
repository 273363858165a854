//! What tools state of their arrays, held against calls.

use chain_runtime::shapes::{ShapeCall, ShapeCallSite, ShapeSolver, ToolShapes, shape_of_node};
use chain_runtime::template::ArgumentNode;
use tool_core::shape::{ArrayField, shape_fields};
use tool_core::{
    AnyTool, Ctx, Decode, Describe, Encode, ErasedTool, Input, Spec, Tool, ToolError, Value,
    Vector, tool_entry,
};

use super::{run, tools, value};

/// Contradictions between the arguments or result of a tool and the shapes that it states.
fn faults(tool: &dyn AnyTool, args: &Value, output: &Value) -> Result<Vec<String>, String> {
    let stated = ToolShapes::of(&tool.input_schema(), &tool.output_schema())?;
    let (args, output) = (
        ArgumentNode::Literal(args.clone()),
        ArgumentNode::Literal(output.clone()),
    );
    let mut solver = ShapeSolver::default();
    let (tool, base) = (tool.spec().id, "");
    let mut call = ShapeCall::new(
        ShapeCallSite {
            tool,
            step: 0,
            base,
        },
        &stated,
        &args,
    );
    let misfits = call.arguments(&mut solver, &mut |_, _| None);
    let mut faults: Vec<String> = misfits.into_iter().map(|misfit| misfit.message).collect();
    let outputs = call.outputs(&mut solver);
    for (field, expected) in stated.output.iter().zip(outputs) {
        let path = field.path.join("/");
        let part = output.pointer(&format!("/{path}"));
        let found =
            part.and_then(|part| shape_of_node(&mut solver, &part, &path, &mut |_, _| None));
        let (Some(found), Some(expected)) = (found, expected) else {
            continue;
        };
        let mut clashes = Vec::new();
        solver.unify(found, expected, &mut clashes);
        let mut write = |shape| solver.write(shape, 0, &|_| "".into());
        if !clashes.is_empty() {
            let (found, expected) = (write(found), write(expected));
            faults.push(format!("`{path}` is {found}, stated was {expected}"));
        }
    }
    Ok(faults)
}

/// Calls in which different extents have different sizes, and in which parts are asked for that examples leave out.
const CALLS: [(&str, &str); 35] = [
    (
        "plot",
        r#"{"data": {"x": [1, 2, 3], "y": [2, 4, 3]}, "width": 120, "height": 80}"#,
    ),
    (
        "curve_fit",
        r#"{"model": "a*t", "data": {"t": [1, 2, 3, 4], "y": [2, 4.1, 6, 8.2], "s": [1, 1, 2, 2]}, "sigma": "s", "predict": {"t": [4, 5], "s": [1, 1]}, "plot": false}"#,
    ),
    (
        "filter_signal",
        r#"{"data": [1, 2, 4, 3], "sos": [[1, 0, 0, 1, -0.5, 0]], "zero_phase": false}"#,
    ),
    (
        "interpolate",
        r#"{"x": [0, 1, 2, 3, 4], "y": [0, 1, 4, 9, 16], "weights": [1, 1, 2, 1, 1], "method": "smoothing", "smoothing": 1, "at": [1.5]}"#,
    ),
    (
        "polynomial_roots",
        r#"{"coefficients": [1, 0, 1], "imaginary": [0, 1, 0]}"#,
    ),
    (
        "differentiate",
        r#"{"x": [0, 1, 3, 4], "y": [0, 1, 9, 16], "accuracy": 2}"#,
    ),
    (
        "matrix_multiply",
        r#"{"A": [[1,2,3],[4,5,6]], "B": [[1,2,3,4],[5,6,7,8],[1,0,0,1]]}"#,
    ),
    (
        "matrix_multiply",
        r#"{"A": [[1,2,3],[4,5,6]], "B": [1,2,3]}"#,
    ),
    (
        "matrix_multiply",
        r#"{"A": [[1,2,3],[4,5,6]], "B": [[1,2],[3,4],[5,6],[7,8]], "transpose_A": true, "transpose_B": true}"#,
    ),
    (
        "matrix_solve",
        r#"{"A": [[1,2],[3,4],[5,7]], "b": [[1,2,3,4],[3,4,5,6],[1,1,1,1]]}"#,
    ),
    (
        "matrix_qr",
        r#"{"A": [[1,2],[3,4],[5,7]], "pivoting": true}"#,
    ),
    ("matrix_qr", r#"{"A": [[1,2],[3,4],[5,7]], "full": true}"#),
    ("matrix_lu", r#"{"A": [[1,2],[3,4],[5,7]]}"#),
    ("matrix_lu", r#"{"A": [[1,3,5],[2,4,7]]}"#),
    (
        "matrix_svd",
        r#"{"A": [[1,2],[3,4],[5,7]], "vectors": "thin"}"#,
    ),
    (
        "matrix_svd",
        r#"{"A": [[1,2],[3,4],[5,7]], "vectors": "full"}"#,
    ),
    (
        "matrix_svd",
        r#"{"A": [[1,2],[3,4],[5,7]], "vectors": "thin", "components": 1}"#,
    ),
    (
        "matrix_inverse",
        r#"{"A": [[1,2],[3,4],[5,7]], "pseudo": true}"#,
    ),
    (
        "matrix_rank",
        r#"{"A": [[1,2,3],[4,5,6]], "null_space": true}"#,
    ),
    (
        "matrix_eigenvalues",
        r#"{"A": [[0,1,0],[0,0,1],[1,0,0]], "left": true}"#,
    ),
    (
        "matrix_eigenvalues",
        r#"{"A": [[2,1,0],[1,2,1],[0,1,2]], "vectors": true, "select": "largest", "count": 2}"#,
    ),
    (
        "matrix_eigenvalues",
        r#"{"A": [[2,1,0],[1,2,1],[0,1,2]], "left": true}"#,
    ),
    (
        "matrix_eigenvalues",
        r#"{"A": [[2,1],[1,2]], "B": [[1,0],[0,2]], "vectors": true}"#,
    ),
    (
        "least_squares",
        r#"{"A": [[1,2],[3,4],[5,7],[1,1]], "b": [1,2,3,4], "weights": [1,1,2,1], "covariance": true}"#,
    ),
    (
        "least_squares",
        r#"{"A": [[1,2],[3,4],[5,7],[1,1]], "b": [[1,2,3],[2,3,4],[3,4,5],[4,5,6]], "C": [[1,1]], "d": [[1,2,3]]}"#,
    ),
    (
        "least_squares",
        r#"{"A": [[1],[2],[3],[4],[5]], "b": [1,2,4,8,15], "polynomial": 2, "covariance": true}"#,
    ),
    (
        "sparse_solve",
        r#"{"indptr": [0,2,3,4], "indices": [0,1,1,2], "data": [2,1,3,1], "b": [[1,2],[3,4],[5,6]]}"#,
    ),
    (
        "linear_regression",
        r#"{"x": [[1,2],[2,1],[3,5],[4,3],[5,9]], "y": [1,2,3,4,6]}"#,
    ),
    (
        "solve_ode",
        r#"{"y0": [1,0], "t_span": [0,1], "coefficients": {"A": [[0,1],[-1,0]], "b": [0,1]}, "t_eval": [0.2,0.5,1]}"#,
    ),
    (
        "solve_ode",
        r#"{"y0": [1,0], "t_span": [0,1], "system": ["y1","t"], "mass": [[1,0],[0,2]], "method": "radau", "atol": [1e-9,1e-9]}"#,
    ),
    (
        "optimize",
        r#"{"x0": [0,0], "objective": {"quadratic": {"A": [[2,0],[0,4]], "b": [-2,-4]}}}"#,
    ),
    (
        "optimize_global",
        r#"{"bounds": [[-1,1],[-1,1]], "objective": {"quadratic": {"A": [[2,0],[0,4]], "b": [-1,-2]}}, "max_evals": 500}"#,
    ),
    (
        "mcmc",
        r#"{"log_density": "-x0**2-x1**2", "x0": [0,0], "chains": 3, "n_samples": 20, "burnin": 50}"#,
    ),
    (
        "mcmc_diagnostics",
        r#"{"samples": [[[1,2],[2,1],[1,3],[3,1]],[[1,2],[2,2],[1,1],[3,1]],[[1,2],[2,1],[0,3],[3,1]]]}"#,
    ),
    (
        "bayesopt",
        r#"{"bounds": [[0,1],[0,1],[-1,1]], "objective": "-(x0-0.5)**2-x1**2-x2**2", "n_init": 4, "n_iter": 2}"#,
    ),
];

/// Every call that is known of a tool, with its result.
pub(crate) fn calls(tool: &dyn AnyTool) -> Vec<(Value, Value)> {
    let id = tool.spec().id;
    let examples = tool
        .examples()
        .into_iter()
        .map(|example| (example.args, example.output));
    let further = CALLS.iter().filter(|(of, _)| *of == id).map(|(_, args)| {
        let args = value(args);
        let output = run(tool, &args).unwrap_or_else(|err| panic!("`{id}`, {args}: {err:?}"));
        (args, output)
    });
    examples.chain(further).collect()
}

fn is_array(all: &Value, field: &ArrayField) -> bool {
    let part = field
        .path
        .iter()
        .try_fold(all.clone(), |inner, name| inner.get(name).cloned());
    part.is_some_and(|part| part.items().is_some())
}

#[test]
fn what_tools_state_of_their_arrays_is_true_of_calls() {
    for tool in tools() {
        let id = tool.spec().id;
        let sides = [tool.input_schema(), tool.output_schema()];
        let [args, output] = sides
            .map(|schema| shape_fields(&schema).unwrap_or_else(|fault| panic!("`{id}`: {fault}")));
        if args.is_empty() && output.is_empty() {
            continue;
        }
        let calls = calls(tool);
        for (args, output) in &calls {
            let faults = faults(tool, args, output).expect("read above");
            assert!(faults.is_empty(), "`{id}`, {args}: {}", faults.join("; "));
        }
        let unseen = |fields: &[ArrayField], of: &dyn Fn(&(Value, Value)) -> Value| {
            let names = fields
                .iter()
                .filter(|field| !calls.iter().any(|call| is_array(&of(call), field)));
            names.map(|field| field.path.join(".")).collect::<Vec<_>>()
        };
        assert_eq!(
            unseen(&args, &|call| call.0.clone()),
            [""; 0],
            "no call of `{id}` has these arguments"
        );
        assert_eq!(
            unseen(&output, &|call| call.1.clone()),
            [""; 0],
            "no call of `{id}` gives these"
        );
    }
}

/// Gives what it is given.
#[derive(Debug, Clone, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
struct Args {
    /// Numbers.
    #[schema(extend("x-shape" = ["n"]))]
    data: Input<Vector>,
    /// As many numbers.
    #[schema(extend("x-shape" = ["n"]))]
    more: Input<Vector>,
}

#[derive(Debug, Encode, Describe)]
struct Output {
    /// Stated as a column.
    #[schema(extend("x-shape" = ["n", 1]))]
    same: Vec<f64>,
    /// Stated as long as `data`.
    #[schema(extend("x-shape" = ["n"]))]
    longer: Vec<f64>,
}

impl Tool for Args {
    const SPEC: Spec = Spec {
        id: "liar",
        title: "States what is not true",
        ..Spec::pure()
    };
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let same = args.data.load(ctx)?.to_vec();
        let longer = [same.clone(), vec![0.0]].concat();
        Ok(Output { same, longer })
    }
}

#[test]
fn a_statement_that_is_not_true_is_found() {
    static LIAR: ErasedTool = tool_entry::<Args>();
    let args = value(r#"{"data": [1,2], "more": [1,2,3]}"#);
    let output = run(LIAR.tool(), &args).expect("runs");
    let found = faults(LIAR.tool(), &args, &output)
        .expect("reads")
        .join("\n");
    for expected in [
        "`more`: array<f64>[3] has 3 entries, but `data`: array<f64>[2] has 2 entries",
        "`same` is [2], stated was [2,1]",
        "`longer` is [3], stated was [2]",
    ] {
        assert!(found.contains(expected), "{expected}\n{found}");
    }
}
