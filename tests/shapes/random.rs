//! Random plans, checked and run without a check.

use chain_runtime::Plan;
use chain_runtime::reference::PlanReference;
use proptest::prelude::*;
use tool_core::{ErrorCode, Object, ToolError, Value};

use super::{check, run, tool, value};

/// An operand: a literal of that many rows and columns, or a part of what an earlier step gave.
#[derive(Debug, Clone)]
enum Operand {
    Literal(usize, usize, u8),
    Earlier(prop::sample::Index, u8),
}

fn operand() -> impl Strategy<Value = Operand> {
    prop_oneof![
        (1..=3usize, 1..=3usize, 0..9u8)
            .prop_map(|(rows, columns, fill)| Operand::Literal(rows, columns, fill)),
        (any::<prop::sample::Index>(), 0..8u8).prop_map(|(of, part)| Operand::Earlier(of, part)),
        (any::<prop::sample::Index>(), Just(7u8)).prop_map(|(of, part)| Operand::Earlier(of, part)),
    ]
}

fn written(operand: &Operand, known: &[String]) -> serde_json::Value {
    match operand {
        Operand::Earlier(of, part) if !known.is_empty() => {
            let part = match part {
                0 => "[0]",
                1 => "[*][0]",
                _ => "",
            };
            serde_json::json!({"$ref": format!("{}{part}", known[of.index(known.len())])})
        }
        Operand::Earlier(of, _) => written(&Operand::Literal(1 + of.index(3), 2, 1), known),
        Operand::Literal(rows, columns, fill) => {
            let entry = |row: usize, column: usize| {
                (row * 5 + column * 3 + usize::from(*fill)) % 7 + usize::from(row == column)
            };
            let row = |row: usize| {
                (0..*columns)
                    .map(|column| entry(row, column))
                    .collect::<Vec<_>>()
            };
            serde_json::json!((0..*rows).map(row).collect::<Vec<_>>())
        }
    }
}

/// Steps of a random plan, and whether every extent of it is known beforehand.
fn steps(drawn: &[(u8, Operand, Operand, bool, bool)]) -> (Vec<serde_json::Value>, bool) {
    let (mut known, mut steps, mut tight) = (Vec::new(), Vec::new(), true);
    for (index, (kind, a, b, one, other)) in drawn.iter().enumerate() {
        let (a, b) = (written(a, &known), written(b, &known));
        let (tool, args, fields): (_, _, &[&str]) = match kind {
            0..=3 => (
                "matrix_multiply",
                serde_json::json!({"A": a, "B": b, "transpose_A": one, "transpose_B": other}),
                &["product"],
            ),
            4 => (
                "matrix_solve",
                serde_json::json!({"A": a, "b": b, "method": "lstsq"}),
                &["x"],
            ),
            5 => (
                "matrix_qr",
                serde_json::json!({"A": a, "full": one}),
                &["Q", "R"],
            ),
            6 => ("matrix_lu", serde_json::json!({"A": a}), &["L", "U"]),
            7 => (
                "matrix_inverse",
                serde_json::json!({"A": a, "pseudo": true}),
                &["inverse"],
            ),
            8 => (
                "matrix_rank",
                serde_json::json!({"A": a}),
                &["singular_values"],
            ),
            9 => ("matrix_determinant", serde_json::json!({"A": a}), &[]),
            10 => ("matrix_eigenvalues", serde_json::json!({"A": a}), &["real"]),
            _ => {
                tight = false;
                (
                    "json_query",
                    serde_json::json!({"data": a, "query": "@"}),
                    &["result"],
                )
            }
        };
        tight &= *kind != 10; // how many eigenvalues there are is not stated
        known.extend(fields.iter().map(|field| format!("s{index}.{field}")));
        steps.push(serde_json::json!({"id": format!("s{index}"), "tool": tool, "args": args}));
    }
    (steps, tight)
}

/// How a plan ends that nobody has checked: the error of the first step that fails, `None` where a reference leads nowhere.
fn unchecked(steps: &[serde_json::Value]) -> Result<(), Option<ToolError>> {
    let mut results: Vec<Value> = Vec::new();
    for step in steps {
        let mut args = Object::new();
        for (name, argument) in step["args"].as_object().expect("arguments") {
            let given = match argument.get("$ref").and_then(serde_json::Value::as_str) {
                Some(text) => {
                    let reference = PlanReference::parse(text).expect("a reference");
                    let step: usize = reference.root()[1..].parse().expect("a number");
                    reference
                        .resolve(&results[step])
                        .map_err(|_| None::<ToolError>)?
                }
                None => value(&argument.to_string()),
            };
            args.insert(name.as_str(), given);
        }
        let tool = tool(step["tool"].as_str().expect("a tool"));
        results.push(run(tool, &Value::Object(args.into())).map_err(Some)?);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// What is refused for its arrays fails when it runs all the same; what runs is not refused; and where all extents are known
    /// beforehand, whatever fails for its arrays is refused.
    #[test]
    fn a_plan_is_refused_for_its_arrays_exactly_where_it_would_fail(
        drawn in prop::collection::vec((0..12u8, operand(), operand(), any::<bool>(), any::<bool>()), 1..6)
    ) {
        let (steps, tight) = steps(&drawn);
        let text = serde_json::json!({"version": 1, "id": "p", "steps": steps}).to_string();
        let plan = Plan::parse(&text).expect("a plan");
        let problems = check(&plan, &Object::new()).err();
        match unchecked(&steps) {
            Ok(()) => prop_assert!(problems.is_none(), "{text}\nruns, but: {}", problems.expect("problems")),
            Err(None) => {}
            Err(Some(err)) => {
                prop_assert_eq!(err.code(), ErrorCode::InvalidArgs, "{}: {:?}", text, err);
                prop_assert!(problems.is_some() || !tight, "{text}\nfails: {err:?}");
            }
        }
    }
}
