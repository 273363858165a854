//! What tools state of parts that their results may lack (`x-present`), held against calls; and plans that rely on it.

use std::collections::BTreeSet;

use chain_runtime::{Fault, Plan, PlanProblems};
use mathchain::{CallContext, Toolkit};
use serde_json::Value as Schema;
use tool_core::present::{ConditionalField, condition_fields};
use tool_core::{AnyTool, Object, Value};

use crate::shapes::{calls, run, tools, value};

/// Parts that every call known here has although no argument makes them: what does.
const UNSTATED: &[(&str, &str)] = &[
    (
        "anova.robust",
        "whether the design has a robust alternative",
    ),
    ("budget_override.error", "what the caller may grant"),
    (
        "classify_text.category",
        "the text: one that has nothing in common with any category has none",
    ),
    (
        "compare_groups.estimate",
        "the test: two groups have a difference",
    ),
    (
        "compare_groups.robust",
        "whether the test has a robust alternative",
    ),
    (
        "convert_units.exact_value",
        "the units, and the length of the exact result",
    ),
    ("find_root.root", "whether there is one"),
    (
        "git:branch.current",
        "the repository, whose `HEAD` may be detached",
    ),
    (
        "git:commit.branch",
        "the repository, whose `HEAD` may be detached",
    ),
    (
        "git:status.branch",
        "the repository, whose `HEAD` may be detached",
    ),
    ("git:status.head", "whether there is a commit"),
    (
        "hierarchical_clustering.cophenetic",
        "whether distances and heights vary",
    ),
    ("linear_program.objective", "whether there is an optimum"),
    ("linear_program.residuals", "whether there is an optimum"),
    ("linear_program.x", "whether there is a point"),
    ("mcmc.reason", "whether the chains have converged"),
    (
        "mcmc_diagnostics.reason",
        "whether the chains have converged",
    ),
    (
        "quadratic_program.lowest_eigenvalue",
        "the number of variables",
    ),
    ("run_tests.failed", "what the runner prints"),
    ("run_tests.passed", "what the runner prints"),
    ("run_tests.skipped", "what the runner prints"),
    ("search_arxiv.total", "what the service answers"),
    ("search_books.total", "what the service answers"),
    ("search_papers.total", "what the service answers"),
    ("solve_bvp.error_estimate", "whether it converges"),
    ("spawn_agent.event", "whether the log could be written"),
    ("spawn_agent.exit", "whether its process ended by itself"),
    (
        "spawn_impl_session.event",
        "whether the log could be written",
    ),
    (
        "spawn_impl_session.exit",
        "whether its process ended by itself",
    ),
    ("symbolic_solve.verified", "whether there are solutions"),
    (
        "task:status.submitter",
        "the task, which may never have been submitted",
    ),
    (
        "task:status.summary",
        "the task, which may never have been submitted",
    ),
    ("time_series.fit.mape", "whether a value is 0"),
    ("time_series.fit.mase", "whether the series varies"),
    (
        "todo_update.task.completed_at",
        "the task, which may be open",
    ),
];

/// Parts that only a machine can make: `host-tools` looks at them.
const OF_THE_MACHINE: [&str; 2] = ["disk_usage.disk_bytes", "disk_usage.free_bytes"];

/// Calls that nothing else makes.
const CALLS: [(&str, &str); 28] = [
    (
        "matrix_symbolic",
        r#"{"matrix": [[1, "a"], [0, 1]], "operation": "solve", "b": [1, 2]}"#,
    ),
    (
        "symbolic_integrate",
        r#"{"expression": "x**2", "from": "0", "to": "1"}"#,
    ),
    (
        "symbolic_simplify",
        r#"{"expression": "x", "equal_to": "sqrt(x**2)"}"#,
    ),
    ("integrate_samples", r#"{"y": [1, 2]}"#),
    (
        "optimize",
        r#"{"objective": "sum((y - a)**2)", "x0": {"a": 0}, "data": {"y": [1, 3]}}"#,
    ),
    (
        "optimize_global",
        r#"{"objective": "sum((y - a)**2)", "bounds": {"a": [0, 4]}, "data": {"y": [1, 3]}, "max_evals": 100}"#,
    ),
    (
        "mcmc",
        r#"{"log_density": "sum(normal_lpdf(y, a, 1))", "x0": {"a": 0}, "data": {"y": [1, 3]}, "n_samples": 200}"#,
    ),
    (
        "nonlinear_least_squares",
        r#"{"residuals": ["y - a"], "x0": {"a": 0}, "data": {"y": [1, 3]}}"#,
    ),
    (
        "statistics",
        r#"{"data": [1, 2], "metrics": ["var", "variance_sample"]}"#,
    ),
    ("statistics", r#"{"data": [1]}"#),
    ("statistics", r#"{"data": [1, 2, 4], "weights": [1, 2, 1]}"#),
    (
        "linear_regression",
        r#"{"data": {"x": [1, 2, 3, 4], "y": [2, 4, 5, 9]}, "formula": "y ~ x", "predict": {"x": [5]}}"#,
    ),
    (
        "glm",
        r#"{"data": {"x": [1, 2, 3, 4], "y": [1, 2, 6, 7]}, "formula": "y ~ x", "family": "poisson", "predict": {"x": [5]}}"#,
    ),
    (
        "survival",
        r#"{"data": {"t": [1, 2, 3, 4, 5, 6], "e": [1, 1, 0, 1, 1, 1], "g": ["a", "b", "a", "b", "a", "b"]}, "time": "t", "event": "e", "group": "g"}"#,
    ),
    (
        "survival",
        r#"{"data": {"t": [1, 2, 3, 4, 5, 6], "e": [1, 1, 0, 1, 1, 1], "x": [2, 1, 3, 1, 2, 4]}, "formula": "Surv(t, e) ~ x"}"#,
    ),
    (
        "least_squares",
        r#"{"A": [[1], [2], [4]], "b": [1, 2, 3], "ridge": 0.1}"#,
    ),
    (
        "matrix_svd",
        r#"{"A": [[1, 2], [3, 4]], "components": 1, "randomised": true, "vectors": "thin"}"#,
    ),
    (
        "solve_ode",
        r#"{"y0": [1], "t_span": [0, 1], "system": "-k*y", "parameters": {"k": 2}, "events": [{"g": "y - 0.5"}], "sensitivities": ["k"], "sweep": [{"y0": [2]}]}"#,
    ),
    (
        "solve_ode",
        r#"{"y0": [1], "t_span": [0, 1], "system": "-y", "sweep": [{"y0": [2]}], "t_eval": [1], "quantiles": [0.5]}"#,
    ),
    (
        "curve_fit",
        r#"{"model": "a*t", "data": {"t": [1, 2, 3], "y": [2, 4.1, 6]}, "draws": 2, "predict": {"t": [4, 5]}, "plot": false}"#,
    ),
    (
        "interpolate",
        r#"{"x": [0, 1, 2], "y": [0, 1, 1], "grid": 3, "method": "smoothing", "smoothing": 1}"#,
    ),
    (
        "solve_nonlinear",
        r#"{"system": ["a-1"], "bounds": {"a": [0, 4]}, "starts": 2}"#,
    ),
    (
        "fft",
        r#"{"data": [1, 2, 4, 3], "kind": "power", "plot": true}"#,
    ),
    ("fft", r#"{"data": [[1, 2], [4, 3]]}"#),
    (
        "filter_signal",
        r#"{"data": [1, 2, 4, 3], "cutoff": 0.2, "order": 1, "zero_phase": false}"#,
    ),
    (
        "filter_signal",
        r#"{"data": [1, 2, 4, 3, 5, 7, 1, 2, 4, 3, 5, 7], "cutoff": 0.2, "order": 1, "plot": false}"#,
    ),
    (
        "filter_signal",
        r#"{"data": [1, 2, 4, 3], "sos": [[1, 0, 0, 1, -0.5, 0]], "zero_phase": false}"#,
    ),
    (
        "solve_bvp",
        r#"{"system": ["y1", "-k**2*y0"], "boundary": ["a0", "b0", "a1-k"], "t_span": [0, 1], "parameters": {"k": 3}, "unknowns": ["k"], "guess": ["sin(3*t)", "3*cos(3*t)"]}"#,
    ),
];

/// Calls with every value of every argument that takes few: what an argument could make present is made present.
fn varied(tool: &dyn AnyTool) -> Vec<(Value, Value)> {
    let mut all = calls(tool);
    if !tool.spec().of_engine(None).capabilities.is_empty() || tool.spec().id == "bayesopt" {
        return all; // needs more than its arguments, or minutes
    }
    for (_, args) in CALLS.iter().filter(|(id, _)| *id == tool.spec().id) {
        let args = value(args);
        let output = run(tool, &args).expect("runs");
        all.push((args, output));
    }
    let schema = tool.input_schema();
    let properties = schema.get("properties").and_then(Schema::as_object);
    let bases: Vec<Object> = all
        .iter()
        .filter_map(|(args, _)| args.as_object().cloned())
        .collect();
    for (name, property) in properties.into_iter().flatten() {
        for choice in choices(property) {
            for base in &bases {
                let mut args = base.clone();
                args.insert(name.as_str(), value(&choice.to_string()));
                let args = Value::Object(args.into());
                if let Ok(output) = run(tool, &args) {
                    all.push((args, output));
                }
            }
        }
    }
    all
}

/// The values of an argument that is one of few, or is switched on and off.
fn choices(schema: &Schema) -> Vec<Schema> {
    let branches = ["anyOf", "oneOf"]
        .iter()
        .filter_map(|key| schema.get(key)?.as_array());
    let mut found: Vec<Schema> = branches.flatten().flat_map(choices).collect();
    found.extend(schema.get("const").cloned());
    found.extend(
        schema
            .get("enum")
            .and_then(Schema::as_array)
            .cloned()
            .unwrap_or_default(),
    );
    if schema.get("type") == Some(&"boolean".into()) {
        found.extend([true.into(), false.into()]);
    }
    found
}

/// Parts of a result that may be absent or `null`, with the records around them required.
fn optional(schema: &Schema, path: &str, found: &mut Vec<String>) {
    let required = schema.get("required").and_then(Schema::as_array);
    let properties = schema.get("properties").and_then(Schema::as_object);
    for (name, property) in properties.into_iter().flatten() {
        let path = if path.is_empty() {
            name.clone()
        } else {
            format!("{path}.{name}")
        };
        let is_null = |schema: &Schema| match schema.get("type") {
            Some(Schema::Array(types)) => types.contains(&"null".into()),
            one => one == Some(&"null".into()),
        };
        let branches = property.get("anyOf").and_then(Schema::as_array);
        let nullable = is_null(property) || branches.is_some_and(|all| all.iter().any(is_null));
        if nullable || !required.is_some_and(|names| names.contains(&Schema::from(name.as_str()))) {
            found.push(path);
        } else {
            optional(property, &path, found);
        }
    }
}

fn part(all: &Value, path: &str) -> Option<Value> {
    let found = path
        .split('.')
        .try_fold(all.clone(), |inner, name| inner.get(name).cloned());
    found.filter(|value| !value.is_null())
}

/// Whether a tool states of these arguments that the part is there.
fn is_stated(tool: &dyn AnyTool, field: &ConditionalField, args: &Value) -> bool {
    let canonical = tool.decode(args).map(|call| call.args().clone());
    let canonical = canonical.expect("arguments of a call that was made");
    let input = tool.input_schema();
    field.is_there(&|name| {
        let default = || input.pointer(&format!("/properties/{name}/default"));
        match canonical.get(name) {
            Some(given) => Some(given.clone()),
            None => Some(default().map_or(Value::Null, |stated| value(&stated.to_string()))),
        }
    })
}

#[test]
fn what_is_stated_to_be_there_is_there() {
    let mut unseen = Vec::new();
    let mut unstated = BTreeSet::new();
    for tool in tools() {
        let id = tool.spec().id;
        let (input, output) = (tool.input_schema(), tool.output_schema());
        let stated = condition_fields(&output).unwrap_or_else(|fault| panic!("`{id}`: {fault}"));
        let mut may_lack = Vec::new();
        optional(&output, "", &mut may_lack);
        if may_lack.is_empty() {
            assert!(
                stated.is_empty(),
                "`{id}` states of what is always there that it is"
            );
            continue;
        }
        let calls = varied(tool);
        for field in &stated {
            let path = field.path.join(".");
            assert!(may_lack.contains(&path), "`{id}`: `{path}` is always there");
            for name in field.arguments() {
                let known = input.pointer(&format!("/properties/{name}"));
                assert!(known.is_some(), "`{id}` has no argument `{name}`");
            }
            let relied: Vec<_> = calls
                .iter()
                .filter(|(args, _)| is_stated(tool, field, args))
                .collect();
            for (args, output) in &relied {
                assert!(
                    part(output, &path).is_some(),
                    "`{id}`, {args}: no `{path}`, stated was {}",
                    field.stated()
                );
            }
            if relied.is_empty() && !OF_THE_MACHINE.contains(&&*format!("{id}.{path}")) {
                unseen.push(format!("{id}.{path}"));
            }
        }
        let is_known = |path: &String| stated.iter().any(|field| field.path.join(".") == *path);
        for path in may_lack.iter().filter(|path| !is_known(path)) {
            if !calls.is_empty() && calls.iter().all(|(_, output)| part(output, path).is_some()) {
                unstated.insert(format!("{id}.{path}"));
            }
        }
    }
    assert_eq!(unseen, [""; 0], "no call here has these parts");
    let listed: Vec<&str> = UNSTATED.iter().map(|(path, _)| *path).collect();
    let found: Vec<&str> = unstated.iter().map(String::as_str).collect();
    assert_eq!(found, listed, "always there in calls, and not stated");
}

thread_local! {
    static TOOLKIT: Toolkit = Toolkit::builder().build().expect("builds");
}

fn problems(steps: &str) -> PlanProblems {
    let plan = Plan::parse(&format!("version: 1\nsteps:\n{steps}\n")).expect("a plan");
    let checked = TOOLKIT.with(|toolkit| {
        toolkit.check(
            &CallContext::default(),
            &plan,
            &Object::new(),
            chain_runtime::CheckMode::Run,
        )
    });
    checked.err().unwrap_or_default()
}

const A: &str = "A: [[1, 2], [3, 4], [5, 7]]";

#[test]
fn plans_use_what_arguments_make_present_without_a_default() {
    for (step, used) in [
        (
            "statistics, args: {data: [1, 2, 3]}",
            "statistics, args: {data: [{$ref: s.mean}, {$ref: s.std_sample}]}",
        ),
        (
            "statistics, args: {data: [1, 2], metrics: [std]}",
            "statistics, args: {data: [{$ref: s.std}]}",
        ),
        (
            &format!("matrix_svd, args: {{{A}, vectors: thin}}"),
            "matrix_rank, args: {A: {$ref: s.U}}",
        ),
        (
            &format!("matrix_svd, map: {{over: [1, 2]}}, args: {{{A}, full: true}}"),
            "matrix_rank, args: {A: {$ref: \"s[1].V\"}}",
        ),
        (
            "mcmc, args: {log_density: \"-x0**2\", x0: [0], n_samples: 20}",
            "mcmc_diagnostics, args: {samples: {$ref: s.samples}}",
        ),
        (
            "matrix_eigenvalues, args: {A: [[2, 1], [1, 2]], vectors: true}",
            "matrix_rank, args: {A: {$ref: s.eigenvectors}}",
        ),
        // A default that nothing needs is no fault.
        (
            "statistics, args: {data: [1, 2, 3]}",
            "statistics, args: {data: [{$ref: s.mean, default: 0}]}",
        ),
    ] {
        let found = problems(&format!(
            "  - {{id: s, tool: {step}}}\n  - {{id: u, tool: {used}}}"
        ));
        assert!(found.is_empty(), "{step}\n{used}\n{found}");
    }
}

/// What is there has its extents: they are checked, and shown.
#[test]
fn what_arguments_make_present_has_extents() {
    let svd = format!("  - {{id: s, tool: matrix_svd, args: {{{A}, vectors: thin}}}}\n");
    let found = problems(&format!(
        "{svd}  - {{id: p, tool: matrix_multiply, args: {{A: [[1, 2]], B: {{$ref: s.U}}}}}}"
    ));
    assert!(found.to_string().contains("has 3 rows"), "{found}");
    let plan = Plan::parse(&format!("version: 1\nsteps:\n{svd}")).expect("a plan");
    let checked = TOOLKIT.with(|toolkit| {
        toolkit.check(
            &CallContext::default(),
            &plan,
            &Object::new(),
            chain_runtime::CheckMode::Run,
        )
    });
    let text = checked.expect("sound").explain_text();
    assert!(text.contains("U array<f64>[3,left]"), "{text}");
}

/// Where an argument is not known, or says otherwise, the part may be absent; the error says which arguments make it.
#[test]
fn what_arguments_do_not_make_present_needs_a_default() {
    let any = "  - {id: q, tool: json_query, args: {data: true, query: \"@\"}}\n";
    for (step, used, there) in [
        (
            "statistics, args: {data: [1, 2], metrics: [mean]}",
            "s.median",
            "{\"has\":\"median\"}",
        ),
        (
            "statistics, args: {data: [1, 2], metrics: {$ref: q.result}}",
            "s.mean",
            "{\"has\":\"mean\"}",
        ),
        (
            "statistics, args: {data: {$ref: q.result}}",
            "s.std_sample",
            "{\"least\":2}",
        ),
        (
            "matrix_lu, args: {A: [[1, 2], [3, 4]]}",
            "s.rcond",
            "add a `default`",
        ),
        (
            "mcmc, args: {log_density: \"-x0**2\", x0: [0], return_samples: {$ref: q.result}}",
            "s.samples[0][0][0]",
            "{\"return_samples\":{\"not\":false}}",
        ),
    ] {
        let found = problems(&format!(
            "{any}  - {{id: s, tool: {step}}}\n  - {{id: u, tool: statistics, args: {{data: [{{$ref: \"{used}\"}}]}}}}"
        ));
        let [problem] = found.list() else {
            panic!("{step}\n{used}\n{found}");
        };
        assert_eq!(problem.fault, Fault::Type);
        assert!(
            problem
                .hint
                .as_ref()
                .is_some_and(|hint| hint.contains(there)),
            "{problem}"
        );
    }
}
