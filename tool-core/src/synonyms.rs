//! Other names of arguments: what one tool calls `f`, others call `function`, `expression` or `objective`.
//!
//! They are read and never listed: a name that a tool does not have means the one argument of the tool in the same group, where there is
//! exactly one.

use crate::schema::Schema;
use crate::spec::{Category, Spec};
use crate::value::{Object, Value};

/// Names for one thing, over all tools that compute.
const GROUPS: &[&[&str]] = &[
    &[
        "f",
        "function",
        "expression",
        "formula",
        "objective",
        "model",
        "log_density",
        "system",
        "equations",
        "residuals",
        "integrand",
        "func",
        "fun",
        "expr",
        "log_prob",
    ],
    &["from", "lower", "a", "x_min", "xmin", "low"],
    &["to", "upper", "b", "x_max", "xmax", "high"],
    &[
        "x0",
        "y0",
        "start",
        "initial",
        "guess",
        "initial_guess",
        "p0",
    ],
    &["integrality", "integer", "integers"],
];

/// The argument of a tool that another name means.
pub fn resolve_synonym<'a>(spec: &Spec, schema: &'a Schema, name: &str) -> Option<&'a str> {
    if spec.category != Category::Math {
        return None;
    }
    of_properties(schema, name)
}

/// As [`resolve_synonym`], of the schema of the arguments of a tool that computes.
pub fn of_properties<'a>(schema: &'a Schema, name: &str) -> Option<&'a str> {
    let properties = schema["properties"].as_object()?;
    if properties.contains_key(name) {
        return None;
    }
    let group = GROUPS.iter().find(|group| group.contains(&name))?;
    let mut own = properties
        .keys()
        .filter(|own| group.contains(&own.as_str()));
    let first = own.next()?;
    own.next().is_none().then_some(first)
}

/// The other names of an argument.
pub fn argument_synonyms<'a>(
    spec: &Spec,
    schema: &'a Schema,
    argument: &'a str,
) -> Vec<&'static str> {
    let group = GROUPS.iter().find(|group| group.contains(&argument));
    let names = group.into_iter().flat_map(|group| group.iter().copied());
    names
        .filter(|name| resolve_synonym(spec, schema, name) == Some(argument))
        .collect()
}

/// Arguments by the names of the tool; `None` where no other name is among them, and where both names of one are.
pub fn rename_arguments(spec: &Spec, schema: &Schema, args: &Value) -> Option<Value> {
    let given = args.as_object()?;
    let mut renamed = Object::new();
    let mut changed = false;
    for (name, value) in given.iter() {
        let own = resolve_synonym(spec, schema, name);
        changed |= own.is_some();
        let own = own.unwrap_or(name);
        if own != name && given.get(own).is_some() || renamed.get(own).is_some() {
            return None;
        }
        renamed.insert(own.to_owned(), value.clone());
    }
    changed.then(|| Value::Object(renamed.into()))
}
