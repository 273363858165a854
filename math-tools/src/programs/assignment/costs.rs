//! [`CostMatrix`]: numbers, and nothing where a pair is forbidden.

use tool_core::input::InputKind;
use tool_core::schema::{Schema, json};
use tool_core::{LoadInput, RequestProblem, Value};

/// Costs row by row, infinite where forbidden; at least one row and one column.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CostMatrix {
    pub data: std::sync::Arc<Vec<f64>>,
    pub rows: usize,
    pub columns: usize,
}

fn cost_problem(path: String, message: String) -> RequestProblem {
    RequestProblem::new(path, message)
}

/// A cost; `null` and infinity forbid.
fn parse_cost(value: &Value) -> Option<f64> {
    let number = match value {
        Value::Null => f64::INFINITY,
        Value::String(text) if &**text == "Infinity" => f64::INFINITY,
        other => other.as_f64()?,
    };
    (number.is_finite() || number == f64::INFINITY).then_some(number)
}

impl LoadInput for CostMatrix {
    const KIND: InputKind = InputKind::Data;

    fn from_value(value: &Value) -> Result<Self, RequestProblem> {
        if let Value::Numbers(numbers) = value
            && numbers.rank() == 2
        {
            let (rows, columns) = (numbers.shape()[0], numbers.shape()[1]);
            let bad = |cost: &f64| cost.is_nan() || *cost == f64::NEG_INFINITY;
            if let Some(at) = numbers.as_slice().iter().position(bad) {
                let path = format!("/{}/{}", at / columns, at % columns);
                let message = "expected a number, or null or infinity for a forbidden pair";
                return Err(cost_problem(path, message.to_owned()));
            }
            if rows > 0 && columns > 0 {
                let data = std::sync::Arc::new(numbers.as_slice().to_vec());
                return Ok(Self {
                    data,
                    rows,
                    columns,
                });
            }
        }
        let Some(lists) = value.items() else {
            let message = format!("expected a list of rows of costs, found {}", value.kind());
            return Err(cost_problem(String::new(), message));
        };
        let (mut data, mut columns) = (Vec::new(), None);
        for (row, list) in lists.iter().enumerate() {
            let Some(entries) = list.items() else {
                let message = format!("expected a row of costs, found {}", list.kind());
                return Err(cost_problem(format!("/{row}"), message));
            };
            let count = *columns.get_or_insert(entries.len());
            if entries.len() != count {
                let message = format!(
                    "row {row} has {} costs, the first has {count}",
                    entries.len()
                );
                return Err(cost_problem(format!("/{row}"), message));
            }
            for (column, entry) in entries.iter().enumerate() {
                let Some(cost) = parse_cost(entry) else {
                    let message = format!(
                        "expected a number, or null for a forbidden pair, found {}",
                        entry.kind()
                    );
                    return Err(cost_problem(format!("/{row}/{column}"), message));
                };
                data.push(cost);
            }
        }
        match columns {
            None | Some(0) => Err(cost_problem(
                String::new(),
                "expected at least one row and one column".to_owned(),
            )),
            Some(columns) => Ok(Self {
                rows: lists.len(),
                columns,
                data: std::sync::Arc::new(data),
            }),
        }
    }

    fn to_value(&self) -> Value {
        let cost = |cost: &f64| match *cost {
            f64::INFINITY => Value::Null,
            cost => Value::Float(cost),
        };
        let rows = self.data.chunks_exact(self.columns);
        let rows = rows.map(|row| Value::Array(row.iter().map(cost).collect::<Vec<_>>().into()));
        Value::Array(rows.collect::<Vec<_>>().into())
    }

    fn schema() -> Schema {
        json!({ "type": "array", "minItems": 1, "items": { "type": "array", "minItems": 1, "items": { "type": ["number", "null"] } } })
    }
}
