//! Tools with the argument `verify`: what a second computation says of right answers, and of answers that are not.

use tool_core::{AnyTool, Ctx, Value, json};

use crate::every_tool::tools;

fn with_verify(args: &Value) -> Value {
    let mut object = args.as_object().expect("arguments").clone();
    object.insert("verify", "independent");
    Value::from(object)
}

fn run(tool: &dyn AnyTool, args: &Value) -> (Value, Vec<String>, Option<String>) {
    let ctx = Ctx::default();
    let call = tool.decode(args).unwrap_or_else(|err| panic!("{err:?}"));
    let output = call
        .run(&ctx)
        .unwrap_or_else(|err| panic!("{args:?}: {err:?}"));
    let shortfall = ctx
        .take_notes()
        .get("shortfall")
        .and_then(|one| Some(one.as_str()?.to_owned()));
    (output, ctx.take_warnings(), shortfall)
}

fn call(id: &str, args: &str) -> (Value, Vec<String>, Option<String>) {
    let tool = tools().find(|tool| tool.spec().id == id).expect("a tool");
    let args = json::parse_json(args, json::JsonLimits::default()).expect("JSON");
    run(tool, &with_verify(&args))
}

fn outcome(output: &Value) -> String {
    let outcome = output.pointer("/verified/outcome");
    outcome
        .and_then(|one| Some(one.as_str()?.to_owned()))
        .unwrap_or_else(|| panic!("{output:?}"))
}

fn takes_verify(tool: &dyn AnyTool) -> bool {
    tool.input_schema().pointer("/properties/verify").is_some()
}

#[test]
fn examples_are_borne_out_and_answers_stay_the_same() {
    let mut tried = 0;
    for tool in tools().filter(|tool| takes_verify(*tool)) {
        for example in tool.examples() {
            let (plain, ..) = run(tool, &example.args);
            let (output, warnings, _) = run(tool, &with_verify(&example.args));
            let id = tool.spec().id;
            assert!(plain.get("verified").is_none(), "{id}");
            assert_ne!(outcome(&output), "differs", "{id}: {warnings:?}");
            let mut object = output.as_object().expect("an object").clone();
            object.remove("verified");
            assert_eq!(Value::from(object), plain, "{id}");
            tried += usize::from(outcome(&output) == "agrees");
        }
    }
    assert!(tried >= 10, "{tried} examples agree");
}

#[test]
fn thirteen_tools_take_it() {
    let mut ids: Vec<&str> = tools()
        .filter(|tool| takes_verify(*tool))
        .map(|tool| tool.spec().id)
        .collect();
    ids.sort_unstable();
    assert_eq!(
        ids,
        [
            "curve_fit",
            "glm",
            "hypothesis_test",
            "integrate",
            "least_squares",
            "linear_regression",
            "matrix_eigenvalues",
            "matrix_solve",
            "matrix_svd",
            "monte_carlo",
            "optimize",
            "optimize_global",
            "solve_ode",
        ]
    );
}

#[test]
fn right_answers_agree_in_many_digits() {
    for (id, args, least) in [
        (
            "matrix_solve",
            r#"{"A": [[2,1,0],[1,3,1],[0,1,4]], "b": [1,2,3]}"#,
            14.0,
        ),
        (
            "matrix_solve",
            r#"{"A": [[2,1],[1,3]], "b": [[1,2],[3,4]], "method": "qr"}"#,
            14.0,
        ),
        (
            "least_squares",
            r#"{"A": [[1,0],[1,1],[1,2],[1,3]], "b": [1,3,2,5]}"#,
            13.0,
        ),
        (
            "matrix_eigenvalues",
            r#"{"A": [[0,1,0],[0,0,1],[6,-11,6]]}"#,
            10.0,
        ),
        (
            "matrix_eigenvalues",
            r#"{"A": [[0,-2],[2,0]], "left": true}"#,
            14.0,
        ),
        ("matrix_svd", r#"{"A": [[1,2],[3,4],[5,6]]}"#, 14.0),
        // Lorenz' system.
        (
            "solve_ode",
            r#"{"system": ["10*(y1-y0)","y0*(28-y2)-y1","y0*y1-8/3*y2"], "y0": [1,1,1], "t_span": [0,5]}"#,
            3.0,
        ),
        // Robertson's, which is stiff.
        (
            "solve_ode",
            r#"{"system": ["-0.04*y0+1e4*y1*y2","0.04*y0-1e4*y1*y2-3e7*y1**2","3e7*y1**2"], "y0": [1,0,0], "t_span": [0,1e5]}"#,
            4.0,
        ),
        (
            "optimize",
            r#"{"objective": "rosenbrock", "x0": [-1.2, 1]}"#,
            8.0,
        ),
        (
            "optimize",
            r#"{"objective": "x**2+y**2", "x0": [3, 1], "constraints": ["x+y>=1"], "mode": "minimize"}"#,
            7.0,
        ),
        (
            "optimize",
            r#"{"objective": "3-x**2", "x0": [3], "bounds": [[1, null]], "mode": "maximize"}"#,
            8.0,
        ),
        (
            "optimize_global",
            r#"{"objective": "(x**2-1)**2+x", "bounds": [[-2, 2]]}"#,
            8.0,
        ),
        (
            "curve_fit",
            r#"{"model": "a*exp(-k*t)", "data": {"t": [0,1,2,3,4], "y": [8.1,3.9,2.1,0.9,0.6]}, "start": {"a": 8, "k": 1}, "plot": false}"#,
            7.0,
        ),
        (
            "integrate",
            r#"{"f": "exp(-x**2)", "from": "-inf", "to": "inf"}"#,
            12.0,
        ),
        (
            "integrate",
            r#"{"f": "log(x)", "from": 0, "to": 1, "method": "tanh_sinh"}"#,
            8.0,
        ),
        (
            "monte_carlo",
            r#"{"expression": "x+y", "samples": 100000}"#,
            2.0,
        ),
        (
            "linear_regression",
            r#"{"x": [1e6, 2e6, 3e6, 5e6, 8e6], "y": [2, 3, 5, 4, 9], "polynomial": 2}"#,
            11.0,
        ),
        (
            "linear_regression",
            r#"{"data": {"y": [3, 5, 4, 7, 9, 8], "x": [1, 2, 3, 4, 5, 7], "g": ["a", "b", "a", "b", "a", "b"], "w": [1, 2, 1, 2, 1, 2]},
                "formula": "y ~ x + g", "weights": "w"}"#,
            12.0,
        ),
        (
            "glm",
            r#"{"data": {"y": [0, 0, 1, 0, 1, 1, 1, 0], "x": [1e-6, 2e-6, 3e-6, 4e-6, 5e-6, 6e-6, 7e-6, 8e-6]},
                "formula": "y ~ x", "family": "binomial"}"#,
            8.0,
        ),
        (
            "glm",
            r#"{"data": {"y": [1, 4, 2, 8, 5, 7], "x": [1, 2, 3, 4, 5, 7], "n": [10, 20, 10, 20, 10, 10]},
                "formula": "y ~ x + offset(log(n))", "family": "poisson"}"#,
            8.0,
        ),
        (
            "hypothesis_test",
            r#"{"test": "mann_whitney", "x": [1, 2, 3, 4, 8], "y": [5, 6, 7, 9, 10, 11]}"#,
            1.5,
        ),
        (
            "hypothesis_test",
            r#"{"test": "wilcoxon", "x": [1.1, 2.3, -0.4, 3.2, 1.9, 0.7, 2.2], "mu": 0.5}"#,
            1.5,
        ),
        (
            "hypothesis_test",
            r#"{"test": "chi_squared", "table": [[12, 5], [4, 9]]}"#,
            1.0,
        ),
        (
            "hypothesis_test",
            r#"{"test": "t_paired", "x": [5, 6, 7, 9, 12, 8], "y": [4, 6, 5, 7, 9, 8]}"#,
            1.0,
        ),
    ] {
        let (output, warnings, shortfall) = call(id, args);
        assert_eq!(
            outcome(&output),
            "agrees",
            "{id} {args}: {output:?} {warnings:?}"
        );
        let digits = output
            .pointer("/verified/digits")
            .and_then(|one| one.as_f64());
        assert!(
            digits.is_some_and(|digits| digits >= least),
            "{id} {args}: {output:?}"
        );
        assert_eq!(shortfall, None, "{id} {args}");
    }
}

#[test]
fn an_answer_that_is_not_reached_differs_and_says_so() {
    for (id, args) in [
        (
            "optimize",
            r#"{"objective": "rosenbrock", "x0": [-1.2, 1], "max_iter": 3, "method": "gradient"}"#,
        ),
        (
            "optimize_global",
            r#"{"objective": "sin(x)+sin(10*x/3)+0.01*(x-5)**2*y**2", "bounds": [[-50, 50], [-50, 50]], "max_evals": 8, "method": "cma_es"}"#,
        ),
        (
            "curve_fit",
            r#"{"model": "a*exp(-k*t)", "data": {"t": [0,1,2,3,4], "y": [8.1,3.9,2.1,0.9,0.6]}, "start": {"a": 1, "k": 5}, "max_iter": 1, "plot": false}"#,
        ),
    ] {
        let (output, warnings, shortfall) = call(id, args);
        assert_eq!(outcome(&output), "differs", "{id}: {output:?}");
        assert!(
            warnings.iter().any(|one| one.contains("disagrees")),
            "{id}: {warnings:?}"
        );
        assert_eq!(shortfall.as_deref(), Some("unverified"), "{id}");
    }
}

#[test]
fn where_there_is_no_second_answer_the_first_stands_with_a_word() {
    for (id, args) in [
        (
            "matrix_eigenvalues",
            r#"{"A": [[2,1],[1,3]], "B": [[1,0],[0,2]]}"#,
        ),
        (
            "least_squares",
            r#"{"A": [[1],[2]], "b": [1,2], "weights": [1,2]}"#,
        ),
        (
            "optimize",
            r#"{"objective": "x**2+y**2", "x0": [3, 1], "constraints": ["x+y==1"]}"#,
        ),
        (
            "hypothesis_test",
            r#"{"test": "shapiro_wilk", "x": [1, 2, 4, 3, 7, 5]}"#,
        ),
        (
            "linear_regression",
            r#"{"data": {"y": [3, 5, 4, 7], "x": [1, 2, 3, 4]}, "formula": "y ~ x", "penalty": "ridge"}"#,
        ),
    ] {
        let (output, warnings, shortfall) = call(id, args);
        assert_eq!(outcome(&output), "unavailable", "{id}: {output:?}");
        assert!(
            warnings.iter().any(|one| one.starts_with("not verified")),
            "{id}: {warnings:?}"
        );
        assert_eq!(shortfall.as_deref(), Some("unverified"), "{id}");
    }
}

#[test]
fn another_value_of_the_argument_is_refused() {
    let tool = tools()
        .find(|tool| tool.spec().id == "matrix_solve")
        .expect("a tool");
    for value in ["true", "\"twice\"", "1"] {
        let text = format!(r#"{{"A": [[1]], "b": [1], "verify": {value}}}"#);
        let args = json::parse_json(&text, json::JsonLimits::default()).expect("JSON");
        let Err(err) = tool.decode(&args) else {
            panic!("{value}")
        };
        assert_eq!(err.path(), Some("/verify"), "{value}");
    }
}
