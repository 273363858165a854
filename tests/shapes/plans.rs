//! Plans whose arrays do not fit, and plans of which that is not certain.

use chain_runtime::{CheckedPlan, Fault, Plan, PlanProblems};
use tool_core::Object;

use super::{check, value};

fn plan(steps: &str) -> Plan {
    Plan::parse(&format!("version: 1\nid: p\ninputs: {{quick: {{type: boolean, default: false}}, a: {{type: list, default: [[1, 2], [3, 5]]}}}}\nsteps:\n{steps}\n")).expect("a plan")
}

fn checked(steps: &str) -> Result<CheckedPlan, PlanProblems> {
    check(&plan(steps), &Object::new())
}

const TALL: &str = "[[1, 2], [3, 4], [5, 7]]";
const WIDE: &str = "[[1, 3, 5], [2, 4, 7]]";

#[test]
fn arrays_that_do_not_fit_are_refused_with_both_ends() {
    let product = format!("  - {{id: p, tool: matrix_multiply, args: {{A: {TALL}, B: {WIDE}}}}}\n");
    let cases: [(String, &[&str]); 9] = [
        (
            format!("  - {{id: p, tool: matrix_multiply, args: {{A: {TALL}, B: {TALL}}}}}"),
            &["/steps/0/args/B: `B`: array<f64>[3,2] has 3 rows, but `A`: array<f64>[3,2] has 2 columns: `matrix_multiply` takes `A` as [m,n] and `B` as [n,*k]"],
        ),
        (
            format!("{product}  - {{id: s, tool: matrix_solve, args: {{A: [[2, 0], [0, 1]], b: {{$ref: p.product}}}}}}"),
            &["/steps/1/args/b: `p.product`: array<f64>[3,3] has 3 rows (the rows of /steps/0/args/A), but `A`: array<f64>[2,2] has 2 rows: `matrix_solve` takes `A` as [m,n] and `b` as [m,*k]"],
        ),
        (
            format!("  - {{id: e, tool: matrix_determinant, args: {{A: {TALL}}}}}\n  - {{id: f, tool: matrix_determinant, args: {{A: {WIDE}}}}}"),
            &[
                "/steps/0/args/A: `A`: array<f64>[3,2] has 2 columns, but 3 rows: `matrix_determinant` takes `A` as [n,n]",
                "/steps/1/args/A: `A`: array<f64>[2,3] has 3 columns, but 2 rows",
            ],
        ),
        (
            format!("{product}  - {{id: s, tool: matrix_solve, args: {{A: {{$ref: p.product}}, b: {{$ref: \"p.product[0]\"}}}}}}\n  - {{id: t, tool: matrix_rank, args: {{A: {{$ref: s.x}}}}}}"),
            &["/steps/2/args/A: `s.x`: array<f64>[3] does not have the rank of [m,n], which `matrix_rank` takes"],
        ),
        (
            "  - {id: q, tool: json_query, args: {data: [[1, 2]], query: \"@\"}}\n  - {id: p, tool: matrix_multiply, args: {A: [[1, 2]], B: {$ref: q.result}}}\n  - {id: r, tool: matrix_multiply, args: {A: [[1, 2, 3]], B: {$ref: p.product}}}".to_owned(),
            &["/steps/2/args/B: `p.product`: array<f64>[1,*] has 1 row (the rows of /steps/1/args/A), but `A`: array<f64>[1,3] has 3 columns"],
        ),
        (
            format!("  - {{id: m, tool: matrix_qr, map: {{over: [{TALL}, {TALL}]}}, args: {{A: {{$ref: item}}}}}}\n  - {{id: p, tool: matrix_multiply, args: {{A: {{$ref: \"m[1].Q\"}}, B: {WIDE}}}}}\n  - {{id: s, tool: matrix_multiply, args: {{A: {{$ref: \"m[0].R\"}}, B: {TALL}}}}}"),
            &["/steps/2/args/B: `B`: array<f64>[3,2] has 3 rows, but `m[0].R`: array<f64>[2,2] has 2 columns (axis 2 of /steps/0/map/over)"],
        ),
        (
            "  - {id: s, tool: sparse_solve, args: {n: 3, rows: [0, 1], cols: [0, 1], values: [1, 2, 3], b: [1, 2]}}".to_owned(),
            &["`values`: array<f64>[3] has 3 entries, but `cols`: array<f64>[2] has 2 entries", "/steps/0/args/b: `b`: array<f64>[2] has 2 entries, but `n` is 3"],
        ),
        (
            "  - {id: s, tool: matrix_multiply, args: {A: {$ref: inputs.a}, B: [1, 2, 3]}}".to_owned(),
            &["/steps/0/args/B: `B`: array<f64>[3] has 3 entries, but `A`: array<f64>[2,2] has 2 columns"],
        ),
        (
            format!("  - {{id: l, tool: matrix_rank, args: {{A: {TALL}}}}}\n  - {{id: i, tool: monte_carlo_native, on_error: continue, args: {{bounds: [[0, 1, 2]]}}}}\n  - {{id: b, tool: matrix_multiply, args: {{A: [[{{$ref: l.rank}}, 1, 2]], B: {TALL}, transpose_B: true}}}}"),
            &["/steps/1/args/bounds: `bounds`: array<f64>[1,3] has 3 columns, but should have 2: `monte_carlo_native` takes `bounds` as [d,2]", "/steps/2/args/B: `B`: array<f64>[3,2] has 2 columns, but `A`: array<f64>[1,3] has 3 columns (the entries of /steps/2/args/A/0)"],
        ),
    ];
    for (steps, expected) in cases {
        let problems = checked(&steps).expect_err(&steps);
        let found: Vec<String> = problems
            .list()
            .iter()
            .map(|problem| {
                assert_eq!(problem.fault, Fault::Shape, "{problem}");
                format!("{}: {}", problem.pointer, problem.message)
            })
            .collect();
        assert_eq!(found.len(), expected.len(), "{steps}\n{found:#?}");
        let missing = |expected: &&&str| !found.iter().any(|found| found.contains(**expected));
        let missing: Vec<&&str> = expected.iter().filter(missing).collect();
        assert!(missing.is_empty(), "{steps}\n{missing:#?}\n{found:#?}");
    }
}

/// What is not certain is no error: it may be skipped, fail and be passed over, or something else may take its place.
#[test]
fn what_may_not_happen_is_no_error() {
    let bad = format!("A: {TALL}, B: {TALL}");
    let any = "  - {id: q, tool: json_query, args: {data: [[1, 2]], query: \"@\"}}\n";
    let cases = [
        format!("  - {{id: p, tool: matrix_multiply, when: inputs.quick, args: {{{bad}}}}}"),
        format!("{any}  - {{id: a, tool: matrix_multiply, when: inputs.quick, args: {{A: {{$ref: q.result}}, B: [1, 2]}}}}\n  - {{id: b, tool: matrix_multiply, when: \"!inputs.quick\", args: {{A: {{$ref: q.result}}, B: [1, 2, 3]}}}}"),
        format!("{any}  - {{id: a, tool: matrix_multiply, on_error: continue, args: {{A: {{$ref: q.result}}, B: [1, 2]}}}}\n  - {{id: b, tool: matrix_multiply, on_error: continue, args: {{A: {{$ref: q.result}}, B: [1, 2, 3]}}}}"),
        format!("{any}  - {{id: a, tool: matrix_multiply, on_error: continue, args: {{A: {{$ref: q.result}}, B: [1, 2]}}}}\n  - {{id: b, tool: matrix_multiply, args: {{A: {{$ref: q.result}}, B: {{$ref: a.product}}}}}}\n  - {{id: c, tool: matrix_multiply, args: {{A: {{$ref: q.result}}, B: [1, 2, 3]}}}}"),
        format!("  - {{id: a, tool: matrix_multiply, args: {{A: {TALL}, B: [1, 2]}}}}\n  - {{id: p, tool: matrix_multiply, args: {{A: [[1, 2]], B: {{$ref: a.product, default: [1, 2]}}}}}}"),
        format!("{any}  - {{id: m, tool: matrix_multiply, map: {{over: {{$ref: q.result}}}}, args: {{{bad}}}}}"),
        format!("  - {{id: m, tool: matrix_multiply, map: {{over: []}}, args: {{{bad}}}}}"),
        format!("{any}  - {{id: m, tool: matrix_multiply, map: {{over: [[1, 2], [1, 2, 3]]}}, args: {{A: [[1], [2]], B: [{{$ref: item}}]}}}}\n  - {{id: a, tool: matrix_multiply, args: {{A: {{$ref: \"m[0].product\"}}, B: [1, 2]}}}}\n  - {{id: b, tool: matrix_multiply, args: {{A: {{$ref: \"m[1].product\"}}, B: [1, 2, 3]}}}}"),
        format!("  - {{id: v, tool: matrix_svd, args: {{A: {TALL}, vectors: thin}}}}\n  - {{id: p, tool: matrix_multiply, args: {{A: {{$ref: v.U, default: [[1]]}}, B: [[1]]}}}}"),
        "  - {id: q, tool: json_query, args: {data: true, query: \"@\"}}\n  - {id: p, tool: matrix_multiply, args: {A: [[1, 2]], B: [[1, 2]], transpose_B: {$ref: q.result}}}".to_owned(),
        "  - {id: p, tool: matrix_multiply, args: {A: {$npy: AAAA}, B: [1, 2]}}".to_owned(),
    ];
    for steps in cases {
        let shape = |problems: &PlanProblems| {
            problems
                .list()
                .iter()
                .any(|problem| problem.fault == Fault::Shape)
        };
        if let Err(problems) = checked(&steps) {
            assert!(!shape(&problems), "{steps}\n{problems}");
        }
    }
}

#[test]
fn what_would_fail_if_it_ran_is_noted() {
    let steps = format!(
        "  - {{id: p, tool: matrix_multiply, when: inputs.quick, args: {{A: {TALL}, B: {TALL}}}}}"
    );
    let notes = checked(&steps).expect("sound").notes.join("\n");
    assert!(
        notes.contains("/steps/0/args/B: if `p` runs, it fails: `B`: array<f64>[3,2] has 3 rows"),
        "{notes}"
    );
}

/// A default of an input counts only where nothing is given: the check is that of the run.
#[test]
fn inputs_have_the_extents_they_are_given_with() {
    let plan =
        plan("  - {id: s, tool: matrix_multiply, args: {A: {$ref: inputs.a}, B: [1, 2, 3]}}");
    assert!(check(&plan, &Object::new()).is_err());
    let mut given = Object::new();
    given.insert("a", value("[[1, 2, 3]]"));
    assert!(check(&plan, &given).is_ok());
}

#[test]
fn explained_plans_say_what_steps_give() {
    let steps = format!(
        "  - {{id: q, tool: json_query, args: {{data: {TALL}, query: \"@\"}}}}\n  - {{id: f, tool: matrix_lu, args: {{A: {{$ref: q.result}}}}}}\n  - {{id: p, tool: matrix_multiply, args: {{A: {{$ref: f.L}}, B: [[1], [2]]}}}}\n  - {{id: m, tool: matrix_multiply, map: {{over: [1, 2, 3]}}, args: {{A: {TALL}, B: [1, 2]}}}}"
    );
    let text = checked(&steps).expect("sound").explain_text();
    for expected in [
        "gives L array<f64>[m,2], U array<f64>[2,n], permutation array<i64>[m]",
        "gives product array<f64>[f.m,1]",
        "gives product array<f64>[3,3]",
    ] {
        assert!(text.contains(expected), "{expected}\n{text}");
    }
}
