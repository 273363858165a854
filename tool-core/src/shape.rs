//! Extents of arrays, as schemas state them: the keyword `x-shape`.
//!
//! A field of arguments or result says how long its array is along each axis: `["m", "n"]`. An extent is a number, a name, the
//! name of an integer argument (its value), or `min(m,n)`. A name means the same in all fields of one tool. A last entry `*k` stands
//! for further extents, none or more, so that `["n", "*k"]` is a vector or a matrix. Where the shape follows from an argument it
//! is `{"if": "transposed", "then": [..], "else": [..]}`: `then` holds when that argument is given and neither `null` nor `false`.

use std::fmt;
use std::sync::Arc;

use crate::schema::Schema;

/// The keyword.
pub const KEYWORD: &str = "x-shape";

/// Maximum depth of a schema that is searched.
const DEPTH_MAX: usize = 24;

/// How long an array is along one axis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AxisExtent {
    /// As many as this.
    Size(u64),
    /// Equal to every other extent of this name.
    Name(Arc<str>),
    /// The smaller of two.
    Least(Arc<str>, Arc<str>),
}

/// The extents of an array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArrayShape {
    /// The first ones.
    pub extents: Vec<AxisExtent>,
    /// The name of further ones, where there may be some.
    pub rest: Option<Arc<str>>,
}

/// What a field says of its array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShapeDeclaration {
    /// One shape.
    Always(ArrayShape),
    /// One shape or the other.
    If {
        /// The argument that decides.
        argument: Arc<str>,
        /// Where it is given and neither `null` nor `false`.
        then: ArrayShape,
        /// Else.
        otherwise: ArrayShape,
    },
}

/// A field with a shape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArrayField {
    /// The names on the way to it.
    pub path: Vec<Arc<str>>,
    /// Whether it is always there.
    pub required: bool,
    /// Whether its elements are integers.
    pub integers: bool,
    /// Its shape.
    pub declared: ShapeDeclaration,
}

/// The fields of a schema that state a shape, in its order.
///
/// # Errors
/// The first malformed statement, with its place.
pub fn shape_fields(schema: &Schema) -> Result<Vec<ArrayField>, String> {
    let mut found = Vec::new();
    collect_shape_fields(schema, &mut Vec::new(), true, &mut found)?;
    Ok(found)
}

fn collect_shape_fields(
    schema: &Schema,
    path: &mut Vec<Arc<str>>,
    required: bool,
    found: &mut Vec<ArrayField>,
) -> Result<(), String> {
    if path.len() > DEPTH_MAX {
        return Ok(());
    }
    if let Some(stated) = schema.get(KEYWORD) {
        let declared = parse_declared_shape(stated).ok_or_else(|| {
            format!(
                "`{KEYWORD}` of `{}` cannot be read: {stated}",
                path.join(".")
            )
        })?;
        found.push(ArrayField {
            path: path.clone(),
            required,
            integers: element_type(schema) == Some("integer"),
            declared,
        });
        return Ok(());
    }
    let needed = schema.get("required").and_then(Schema::as_array);
    let properties = schema.get("properties").and_then(Schema::as_object);
    for (name, property) in properties.into_iter().flatten() {
        let always = needed.is_some_and(|names| names.iter().any(|one| one == name));
        path.push(name.as_str().into());
        collect_shape_fields(property, path, required && always, found)?;
        path.pop();
    }
    schema_branches(schema).try_for_each(|branch| collect_shape_fields(branch, path, false, found))
}

fn schema_branches(schema: &Schema) -> impl Iterator<Item = &Schema> {
    let of = |key| {
        schema
            .get(key)
            .and_then(Schema::as_array)
            .into_iter()
            .flatten()
    };
    of("anyOf").chain(of("oneOf"))
}

/// The type of the innermost elements.
fn element_type(schema: &Schema) -> Option<&str> {
    let mut inner = schema;
    for _ in 0..DEPTH_MAX {
        inner = match (inner.get("items"), schema_branches(inner).next()) {
            (Some(items), _) => items,
            (None, Some(branch)) => branch,
            (None, None) => return inner.get("type").and_then(Schema::as_str),
        };
    }
    None
}

fn parse_declared_shape(stated: &Schema) -> Option<ShapeDeclaration> {
    let Some(choice) = stated.as_object() else {
        return parse_shape(stated).map(ShapeDeclaration::Always);
    };
    match (choice.len(), choice.get("if")) {
        (3, Some(argument)) => Some(ShapeDeclaration::If {
            argument: parse_dimension_name(argument.as_str()?)?,
            then: parse_shape(choice.get("then")?)?,
            otherwise: parse_shape(choice.get("else")?)?,
        }),
        _ => None,
    }
}

fn parse_shape(stated: &Schema) -> Option<ArrayShape> {
    let mut entries = stated.as_array()?.as_slice();
    let mut rest = None;
    if let Some((last, first)) = entries.split_last()
        && let Some(named) = last.as_str().and_then(|text| text.strip_prefix('*'))
    {
        (entries, rest) = (first, Some(parse_dimension_name(named)?));
    }
    let extents = entries.iter().map(parse_extent).collect::<Option<_>>()?;
    Some(ArrayShape { extents, rest })
}

fn parse_extent(stated: &Schema) -> Option<AxisExtent> {
    let Some(text) = stated.as_str() else {
        return stated.as_u64().map(AxisExtent::Size);
    };
    match text
        .strip_prefix("min(")
        .and_then(|inside| inside.strip_suffix(')'))
    {
        Some(inside) => {
            let (a, b) = inside.split_once(',')?;
            Some(AxisExtent::Least(
                parse_dimension_name(a)?,
                parse_dimension_name(b)?,
            ))
        }
        None => parse_dimension_name(text).map(AxisExtent::Name),
    }
}

fn parse_dimension_name(text: &str) -> Option<Arc<str>> {
    let letters = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let begins = text.starts_with(|first: char| first.is_ascii_alphabetic());
    (begins && text.bytes().all(letters)).then(|| text.into())
}

impl fmt::Display for AxisExtent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Size(size) => size.fmt(f),
            Self::Name(name) => f.write_str(name),
            Self::Least(a, b) => write!(f, "min({a},{b})"),
        }
    }
}

impl fmt::Display for ArrayShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rest = self.rest.iter().map(|name| format!("*{name}"));
        let entries: Vec<String> = self
            .extents
            .iter()
            .map(AxisExtent::to_string)
            .chain(rest)
            .collect();
        write!(f, "[{}]", entries.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn only(stated: Schema) -> Result<Vec<ArrayField>, String> {
        shape_fields(&json!({"properties": {"a": {"type": "array", KEYWORD: stated}}}))
    }

    #[test]
    fn shapes_are_read_and_written() {
        for (stated, expected) in [
            (json!(["m", "n"]), "[m,n]"),
            (json!([]), "[]"),
            (json!(["n", "*k"]), "[n,*k]"),
            (json!(["d", 2]), "[d,2]"),
            (json!(["min(m,n)"]), "[min(m,n)]"),
        ] {
            let found = only(stated).unwrap();
            let ShapeDeclaration::Always(shape) = &found[0].declared else {
                panic!("one shape");
            };
            assert_eq!(shape.to_string(), expected);
        }
        let chosen = only(json!({"if": "full", "then": ["m"], "else": ["n"]})).unwrap();
        assert!(matches!(chosen[0].declared, ShapeDeclaration::If { .. }));
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        for stated in [
            json!("m"),
            json!([""]),
            json!([-1]),
            json!(["*k", "n"]),
            json!(["min(m)"]),
            json!(["2n"]),
            json!({"if": "full", "then": ["m"]}),
            json!({"if": "full", "then": ["m"], "else": ["n"], "more": 1}),
        ] {
            let fault = only(stated.clone()).unwrap_err();
            assert!(
                fault.contains("`x-shape` of `a` cannot be read"),
                "{stated}: {fault}"
            );
        }
    }

    #[test]
    fn fields_are_found_below_records_and_branches() {
        let integers = json!({"type": "array", "items": {"type": "integer"}, KEYWORD: ["n"]});
        let schema = json!({
            "required": ["r"],
            "properties": {
                "r": {"required": ["x"], "properties": {"x": integers}},
                "s": {"anyOf": [{"type": "string"}, {"required": ["x"], "properties": {"x": {KEYWORD: ["n"], "anyOf": [{"items": {"type": "number"}}]}}}]},
                "t": {"type": "string"}
            }
        });
        let found: Vec<(String, bool, bool)> = shape_fields(&schema)
            .unwrap()
            .iter()
            .map(|field| (field.path.join("."), field.required, field.integers))
            .collect();
        let expected = [
            ("r.x".to_owned(), true, true),
            ("s.x".to_owned(), false, false),
        ];
        assert_eq!(found, expected);
    }
}
