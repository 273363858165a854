//! What changed between two JSON values.

use std::collections::HashMap;

use tool_core::{Object, path};

use crate::prelude::*;

/// The changes from one JSON value to another as a JSON Patch (RFC 6902), which `json_patch` applies: members of objects one by one; of arrays what
/// lies between the items that they have in common at both ends.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The value before: any JSON.
    pub before: Input<Value>,
    /// The value after.
    pub after: Input<Value>,
}

/// Changes.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// Whether the values are equal; numbers compare by value, objects without regard to order.
    pub equal: bool,
    /// Operations that make `before` into `after`.
    pub patch: Value,
    /// Number of operations.
    pub count: usize,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("json_diff", "Compare JSON values")
        .category(Category::Data)
        .tags(&["json", "compare"]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "a changed, a removed and a new member":
            r#"{"before": {"a": 1, "b": [1, 2, 3]}, "after": {"b": [1, 3], "c": null}}"#
            => r#"{"equal": false, "patch": [{"op": "remove", "path": "/a"}, {"op": "remove", "path": "/b/1"},
                {"op": "add", "path": "/c", "value": null}], "count": 3}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let (before, after) = (args.before.load(ctx)?, args.after.load(ctx)?);
        let mut diff = JsonDiff {
            operations: Vec::new(),
            ctx,
        };
        diff.values(&before, &after, &mut String::new())?;
        Ok(Output {
            equal: diff.operations.is_empty(),
            count: diff.operations.len(),
            patch: Value::array(diff.operations),
        })
    }
}

struct JsonDiff<'a> {
    operations: Vec<Value>,
    ctx: &'a Ctx,
}

impl JsonDiff<'_> {
    fn push(&mut self, operation: &str, at: &str, value: Option<&Value>) {
        let mut members = Object::new();
        members.insert("op", operation);
        members.insert("path", at);
        members.insert_some("value", value.cloned());
        self.operations.push(members.into());
    }

    fn values(&mut self, before: &Value, after: &Value, at: &mut String) -> Result<(), ToolError> {
        self.ctx.check()?;
        match (before, after) {
            (Value::Object(one), Value::Object(two)) => self.objects(one, two, at),
            _ if is_array(before) && is_array(after) => {
                let one = before.items().unwrap_or_default();
                let two = after.items().unwrap_or_default();
                self.arrays(&one, &two, at)
            }
            _ if before == after => Ok(()),
            _ => {
                self.push("replace", at, Some(after));
                Ok(())
            }
        }
    }

    fn objects(&mut self, one: &Object, two: &Object, at: &mut String) -> Result<(), ToolError> {
        let length = at.len();
        let after: HashMap<&str, &Value> = two.iter().collect();
        let before: HashMap<&str, &Value> = one.iter().collect();
        for (key, before) in one.iter() {
            path::push_key(at, key);
            match after.get(key) {
                Some(after) => self.values(before, after, at)?,
                None => self.push("remove", at, None),
            }
            at.truncate(length);
        }
        for (key, after) in two.iter().filter(|(key, _)| !before.contains_key(key)) {
            path::push_key(at, key);
            self.push("add", at, Some(after));
            at.truncate(length);
        }
        Ok(())
    }

    fn arrays(&mut self, one: &[Value], two: &[Value], at: &mut String) -> Result<(), ToolError> {
        let length = at.len();
        let start = one
            .iter()
            .zip(two)
            .take_while(|(one, two)| one == two)
            .count();
        let (one, two) = (&one[start..], &two[start..]);
        let pairs = one.iter().rev().zip(two.iter().rev());
        let end = pairs.take_while(|(one, two)| one == two).count();
        let (one, two) = (&one[..one.len() - end], &two[..two.len() - end]);
        let common = one.len().min(two.len());
        for (index, (before, after)) in one.iter().zip(two).enumerate() {
            path::push_index(at, start + index);
            self.values(before, after, at)?;
            at.truncate(length);
        }
        // From the last on, so that the places of the others stay.
        for index in (common..one.len()).rev() {
            path::push_index(at, start + index);
            self.push("remove", at, None);
            at.truncate(length);
        }
        for (index, after) in two.iter().enumerate().skip(common) {
            path::push_index(at, start + index);
            self.push("add", at, Some(after));
            at.truncate(length);
        }
        Ok(())
    }
}

fn is_array(value: &Value) -> bool {
    matches!(value, Value::Array(_) | Value::Numbers(_))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::json_patch;
    use proptest::prelude::*;
    use tool_core::tool_entry;

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::Bool),
            (-3_i64..3).prop_map(Value::Int),
            "[a/~]{0,2}".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 20, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::array),
                prop::collection::btree_map("[a/~]{0,2}", inner, 0..4).prop_map(Value::object),
            ]
        })
    }

    proptest! {
        /// The patch of a difference makes the one value into the other.
        #[test]
        fn a_difference_is_a_patch(before in any_json(), after in any_json()) {
            let args = Value::object([("before", before.clone()), ("after", after.clone())]);
            let found = tool_entry::<Args>().tool().decode(&args).unwrap().run(&Ctx::default()).unwrap();
            prop_assert_eq!(found.get("equal"), Some(&Value::Bool(before == after)));
            let args = Value::object([("document", before), ("patch", found.get("patch").unwrap().clone())]);
            let patched = tool_entry::<json_patch::Args>().tool().decode(&args).unwrap().run(&Ctx::default()).unwrap();
            prop_assert_eq!(patched.get("result"), Some(&after));
        }
    }
}
