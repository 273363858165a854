//! Optional parts of a result and the arguments that make them present: the schema keyword `x-present`.
//!
//! A field of a result that may be absent (or `null`) says for which arguments it is there: `{"vectors": ["thin", "full"]}`. All
//! arguments that a condition names must hold; of a list of conditions one must. A test of an argument is
//!
//! | written | holds where the argument |
//! |---|---|
//! | `true`, `2`, `"qr"`, `null` | is that; one that is left out is its default, else `null` |
//! | `["qr", "ridge"]` | is one of them |
//! | `{"not": test}` | does not pass that test |
//! | `{"has": "mean"}` | is a list with that entry |
//! | `{"least": 2}` | is a list of at least so many entries |
//! | `{"is": "vector"}` | is a list of numbers; `square`, `symmetric`: such a matrix; `named`: an object of values by name |
//!
//! An argument that is not known yet passes no test. What is stated is certain: the call has the field, or fails.

use std::sync::Arc;

use crate::schema::{Schema, equals_constant};
use crate::value::Value;

/// The keyword.
pub const KEYWORD: &str = "x-present";

/// Maximum depth of a schema that is searched.
const DEPTH_MAX: usize = 24;

/// An optional field of a result with its condition.
#[derive(Debug, Clone, PartialEq)]
pub struct ConditionalField {
    /// The names on the way to it.
    pub path: Vec<Arc<str>>,
    /// Of these one must hold.
    when: Vec<Condition>,
    /// The condition as it is stated.
    stated: Schema,
}

/// Arguments by name, each with a test; all must pass.
type Condition = Vec<(Arc<str>, PresenceTest)>;

#[derive(Debug, Clone, PartialEq)]
enum PresenceTest {
    OneOf(Vec<Schema>),
    Not(Box<Self>),
    Has(Schema),
    Least(usize),
    Is(ArrayForm),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ArrayForm {
    Vector,
    Square,
    Symmetric,
    Named,
}

/// The fields of a schema that state a condition, in its order.
///
/// # Errors
/// The first malformed statement, with its place.
pub fn condition_fields(schema: &Schema) -> Result<Vec<ConditionalField>, String> {
    let mut found = Vec::new();
    collect_condition_fields(schema, &mut Vec::new(), &mut found)?;
    Ok(found)
}

fn collect_condition_fields(
    schema: &Schema,
    path: &mut Vec<Arc<str>>,
    found: &mut Vec<ConditionalField>,
) -> Result<(), String> {
    if path.len() > DEPTH_MAX {
        return Ok(());
    }
    if let Some(stated) = schema.get(KEYWORD) {
        let when = parse_conditions(stated);
        let place = path.join(".");
        found.push(ConditionalField {
            path: path.clone(),
            when: when
                .ok_or_else(|| format!("`{KEYWORD}` of `{place}` cannot be read: {stated}"))?,
            stated: stated.clone(),
        });
    }
    let properties = schema.get("properties").and_then(Schema::as_object);
    for (name, property) in properties.into_iter().flatten() {
        path.push(name.as_str().into());
        collect_condition_fields(property, path, found)?;
        path.pop();
    }
    Ok(())
}

fn parse_conditions(stated: &Schema) -> Option<Vec<Condition>> {
    match stated {
        Schema::Array(list) => list.iter().map(parse_condition).collect(),
        one => Some(vec![parse_condition(one)?]),
    }
}

fn parse_condition(stated: &Schema) -> Option<Condition> {
    let tests = stated.as_object().filter(|tests| !tests.is_empty())?;
    let test =
        |(name, stated): (&String, &Schema)| Some((name.as_str().into(), parse_test(stated)?));
    tests.iter().map(test).collect()
}

fn parse_test(stated: &Schema) -> Option<PresenceTest> {
    let object = match stated {
        Schema::Array(values) => return Some(PresenceTest::OneOf(values.clone())),
        Schema::Object(object) if object.len() == 1 => object,
        Schema::Object(_) => return None,
        value => return Some(PresenceTest::OneOf(vec![value.clone()])),
    };
    let (name, of) = object.iter().next()?;
    Some(match (name.as_str(), of) {
        ("not", of) => PresenceTest::Not(Box::new(parse_test(of)?)),
        ("has", of) => PresenceTest::Has(of.clone()),
        ("least", of) => PresenceTest::Least(usize::try_from(of.as_u64()?).ok()?),
        ("is", Schema::String(form)) => PresenceTest::Is(match form.as_str() {
            "vector" => ArrayForm::Vector,
            "square" => ArrayForm::Square,
            "symmetric" => ArrayForm::Symmetric,
            "named" => ArrayForm::Named,
            _ => return None,
        }),
        _ => return None,
    })
}

impl ConditionalField {
    /// Whether the field is certain to be present; `argument` returns the value of an argument, `null` where it is absent without a
    /// default, and `None` where it is not known.
    pub fn is_there(&self, argument: &dyn Fn(&str) -> Option<Value>) -> bool {
        self.when.iter().any(|all| {
            all.iter()
                .all(|(name, test)| argument(name).is_some_and(|value| test.passes(&value)))
        })
    }

    /// The arguments in the condition.
    pub fn arguments(&self) -> impl Iterator<Item = &str> {
        self.when.iter().flatten().map(|(name, _)| &**name)
    }

    /// The condition as it is stated.
    pub fn stated(&self) -> &Schema {
        &self.stated
    }
}

impl PresenceTest {
    fn passes(&self, value: &Value) -> bool {
        match self {
            Self::OneOf(values) => values.iter().any(|one| equals_constant(one, value)),
            Self::Not(test) => !test.passes(value),
            Self::Has(entry) => (value.items())
                .is_some_and(|items| items.iter().any(|one| equals_constant(entry, one))),
            Self::Least(count) => match value {
                Value::Array(items) => items.len() >= *count,
                Value::Numbers(numbers) => numbers.len() >= *count,
                _ => false,
            },
            Self::Is(form) => form.fits(value),
        }
    }
}

impl ArrayForm {
    fn fits(self, value: &Value) -> bool {
        if let Some(object) = value.as_object() {
            // A reference to a file or an artifact has one key, with a dollar sign.
            return self == Self::Named && !object.iter().any(|(name, _)| name.starts_with('$'));
        }
        if let Some(numbers) = value.as_numbers() {
            return match (self, numbers.shape()) {
                (Self::Vector, [_]) => true,
                (Self::Square, [rows, columns]) => rows == columns,
                (Self::Symmetric, &[rows, columns]) => {
                    let data = numbers.as_slice();
                    let mirrored =
                        |row, column| data[row * rows + column] == data[column * rows + row];
                    rows == columns
                        && (0..rows).all(|row| (0..row).all(|column| mirrored(row, column)))
                }
                _ => false,
            };
        }
        let Some(rows) = value.items().filter(|_| self != Self::Named) else {
            return false;
        };
        let is_number = |value: &Value| value.as_f64().is_some();
        if self == Self::Vector {
            return !rows.is_empty() && rows.iter().all(is_number);
        }
        let count = rows.len();
        let rows: Vec<Vec<Value>> = rows.iter().filter_map(Value::items).collect();
        let is_row = |row: &Vec<Value>| row.len() == count && row.iter().all(is_number);
        let is_square = count > 0 && rows.len() == count && rows.iter().all(is_row);
        let mirrored = |(row, column): (usize, usize)| {
            rows[row][column].as_f64() == rows[column][row].as_f64()
        };
        is_square
            && (self == Self::Square
                || (0..count).all(|row| (0..row).all(|column| mirrored((row, column)))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;
    use serde_json::json;

    fn holds(stated: Schema, args: &str) -> bool {
        let schema = json!({"properties": {"a": {KEYWORD: stated}}});
        let found = condition_fields(&schema).unwrap();
        let args = json::parse_json(args, json::JsonLimits::default()).unwrap();
        found[0].is_there(&|name| match args.get(name) {
            Some(Value::String(text)) if **text == *"?" => None,
            known => Some(known.cloned().unwrap_or_default()),
        })
    }

    #[test]
    fn conditions_hold_where_every_test_passes() {
        for (stated, args, expected) in [
            (json!({"m": "qr"}), r#"{"m":"qr"}"#, true),
            (json!({"m": "qr"}), r#"{"m":"?"}"#, false),
            (json!({"m": {"not": "qr"}}), r#"{"m":"?"}"#, false),
            (json!({"m": {"not": null}}), "{}", false),
            (json!({"m": {"not": null}}), r#"{"m":0}"#, true),
            (json!({"m": null}), "{}", true),
            (json!({"m": [1, true]}), r#"{"m":true}"#, true),
            (json!({"m": [1, true]}), r#"{"m":1.0}"#, true),
            (json!({"m": 1, "n": 2}), r#"{"m":1,"n":3}"#, false),
            (json!([{"m": 1}, {"n": 2}]), r#"{"m":"?","n":2}"#, true),
            (json!({"m": {"has": "x"}}), r#"{"m":["y","x"]}"#, true),
            (json!({"m": {"has": "x"}}), r#"{"m":"x"}"#, false),
            (json!({"m": {"least": 2}}), "{\"m\":[1,2]}", true),
            (json!({"m": {"least": 2}}), "{\"m\":[1]}", false),
            (json!({"m": {"is": "vector"}}), "{\"m\":[1,2]}", true),
            (json!({"m": {"is": "vector"}}), "{\"m\":[[1],[2]]}", false),
            (
                json!({"m": {"is": "square"}}),
                "{\"m\":[[1,2],[3,4]]}",
                true,
            ),
            (json!({"m": {"is": "named"}}), r#"{"m":{"a":1}}"#, true),
            (
                json!({"m": {"is": "named"}}),
                r#"{"m":{"$file":"a"}}"#,
                false,
            ),
            (json!({"m": {"is": "named"}}), r#"{"m":[1,2]}"#, false),
            (json!({"m": {"is": "square"}}), "{\"m\":[[1,2]]}", false),
            (
                json!({"m": {"is": "symmetric"}}),
                "{\"m\":[[1,2],[2,4]]}",
                true,
            ),
            (
                json!({"m": {"is": "symmetric"}}),
                "{\"m\":[[1,2],[3,4]]}",
                false,
            ),
            (
                json!({"m": {"is": "symmetric"}}),
                r#"{"m":{"$file":"a.npy"}}"#,
                false,
            ),
        ] {
            assert_eq!(holds(stated.clone(), args), expected, "{stated} {args}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        for stated in [
            json!("m"),
            json!({}),
            json!({"m": {}}),
            json!({"m": {"is": "round"}}),
            json!({"m": {"least": -1}}),
            json!({"m": {"has": 1, "least": 1}}),
        ] {
            let schema = json!({"properties": {"a": {"properties": {"b": {KEYWORD: stated}}}}});
            let fault = condition_fields(&schema).unwrap_err();
            assert!(
                fault.contains("`x-present` of `a.b` cannot be read"),
                "{fault}"
            );
        }
    }
}
