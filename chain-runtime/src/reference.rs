//! References: `root ( "." ident | "[" int "]" | "[*]" )*`, such as `fit.samples[0].mean` or `rows[*].price`.
//!
//! A reference is read once, typed against the schema of the step it names (`types`), and resolved on values by
//! moving pointers: only a projection `[*]` followed by more builds a new list.

use std::fmt;
use std::sync::Arc;

use tool_core::Value;
use tool_core::nearest::nearest_name;

/// Longest text of a reference, in bytes.
pub const TEXT_BYTES_MAX: usize = 1024;
/// Most segments after the root.
pub const SEGMENTS_MAX: usize = 64;

/// Source of a value: a step (or `inputs`) and the path to a part of its output.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PlanReference {
    root: Arc<str>,
    segments: Vec<ReferenceSegment>,
}

/// One segment of a path into a value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ReferenceSegment {
    /// A member of a record.
    Field(Arc<str>),
    /// An element of a list, from 0.
    Index(usize),
    /// The rest of the path, in every element.
    Each,
}

/// Syntax error of a reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReferenceSyntaxError {
    /// What was expected, and at which position.
    pub message: String,
    /// Forms of references.
    pub hint: &'static str,
}

/// A reference to a part that a value does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingValueError {
    /// The part of the reference that could be followed.
    pub reached: String,
    /// The segment that could not be followed, and what was found there.
    pub message: String,
}

const HINT: &str = "write `step`, `step.field`, `step.list[0]` or `step.list[*].field`";

impl PlanReference {
    /// Reads the text of a reference.
    ///
    /// # Errors
    /// [`ReferenceSyntaxError`] with the position of the first character that does not fit.
    pub fn parse(text: &str) -> Result<Self, ReferenceSyntaxError> {
        if text.len() > TEXT_BYTES_MAX {
            let most = format!("a reference has at most {TEXT_BYTES_MAX} bytes");
            return Err(malformed_reference(format!("{most}, found {}", text.len())));
        }
        let mut rest = text;
        let root = parse_identifier(&mut rest)
            .ok_or_else(|| unexpected_text_error(text, rest, "the id of a step"))?;
        let mut segments = Vec::new();
        while !rest.is_empty() {
            segments.push(parse_segment(text, &mut rest)?);
        }
        if segments.len() > SEGMENTS_MAX {
            let most = format!("a reference has at most {SEGMENTS_MAX} parts");
            return Err(malformed_reference(format!(
                "{most}, found {}",
                segments.len()
            )));
        }
        Ok(Self {
            root: root.into(),
            segments,
        })
    }

    /// The id of the step, or `inputs`.
    pub fn root(&self) -> &str {
        &self.root
    }

    /// The path into its output.
    pub fn segments(&self) -> &[ReferenceSegment] {
        &self.segments
    }

    /// The part of the root's value that is meant.
    ///
    /// # Errors
    /// [`MissingValueError`] where a field, an element or a list is not there.
    pub fn resolve(&self, root: &Value) -> Result<Value, MissingValueError> {
        walk_segments(root, &self.segments).map_err(|(left, message)| MissingValueError {
            reached: self.prefix(self.segments.len() - left),
            message,
        })
    }

    /// Number of projections `[*]`.
    pub fn projections(&self) -> usize {
        let each = |segment: &&ReferenceSegment| **segment == ReferenceSegment::Each;
        self.segments.iter().filter(each).count()
    }

    /// Whether the value is `null`, or has an element that is, so that a default replaces it.
    pub fn is_lacking(&self, given: &Value) -> bool {
        is_lacking_value(given, self.projections())
    }

    /// The text of the first `count` segments.
    pub fn prefix(&self, count: usize) -> String {
        let segments = self.segments.iter().take(count).map(ToString::to_string);
        std::iter::once(self.root.to_string())
            .chain(segments)
            .collect()
    }
}

impl fmt::Display for MissingValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (at `{}`)", self.message, self.reached)
    }
}

impl fmt::Display for PlanReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.root)?;
        self.segments.iter().try_for_each(|segment| segment.fmt(f))
    }
}

impl fmt::Display for ReferenceSegment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field(name) => write!(f, ".{name}"),
            Self::Index(index) => write!(f, "[{index}]"),
            Self::Each => f.write_str("[*]"),
        }
    }
}

/// Follows segments; a failure says how many were left, the failing one included. Recursion is bounded by
/// [`SEGMENTS_MAX`].
fn walk_segments(value: &Value, segments: &[ReferenceSegment]) -> Result<Value, (usize, String)> {
    let mut current = value.clone();
    for (position, segment) in segments.iter().enumerate() {
        let left = segments.len() - position;
        current = match segment {
            ReferenceSegment::Field(name) => match current.get(name) {
                Some(member) => member.clone(),
                None => return Err((left, no_field(&current, name))),
            },
            ReferenceSegment::Index(index) => current.at(*index).ok_or_else(|| {
                (
                    left,
                    format!("there is no element {index} in {}", current.kind()),
                )
            })?,
            ReferenceSegment::Each => {
                return walk_each_item(&current, &segments[position + 1..], left);
            }
        };
    }
    Ok(current)
}

fn walk_each_item(
    list: &Value,
    rest: &[ReferenceSegment],
    left: usize,
) -> Result<Value, (usize, String)> {
    if !matches!(list, Value::Array(_) | Value::Numbers(_)) {
        return Err((left, format!("expected a list, found {}", list.kind())));
    }
    if rest.is_empty() {
        return Ok(list.clone());
    }
    let items = list.items().unwrap_or_default();
    let items = items.iter().enumerate().map(|(index, item)| {
        walk_segments(item, rest)
            .map_err(|(left, message)| (left, format!("element {index}: {message}")))
    });
    items.collect::<Result<Vec<_>, _>>().map(Value::array)
}

/// Whether a value is `null`, or an element so many lists deep. Recursion is bounded by [`SEGMENTS_MAX`].
fn is_lacking_value(value: &Value, depth: usize) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) if depth > 0 => {
            items.iter().any(|item| is_lacking_value(item, depth - 1))
        }
        _ => false, // blocks of numbers hold no `null`
    }
}

fn no_field(value: &Value, name: &str) -> String {
    let Some(object) = value.as_object() else {
        return format!("there is no field `{name}` in {}", value.kind());
    };
    let near = nearest_name(name, object.iter().map(|(key, _)| key));
    let near = near
        .map(|near| format!("; did you mean `{near}`?"))
        .unwrap_or_default();
    format!("there is no field `{name}`{near}")
}

fn parse_identifier<'a>(rest: &mut &'a str) -> Option<&'a str> {
    let end = rest
        .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .unwrap_or(rest.len());
    let (name, after) = rest.split_at(end);
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    starts.then(|| {
        *rest = after;
        name
    })
}

fn parse_segment(text: &str, rest: &mut &str) -> Result<ReferenceSegment, ReferenceSyntaxError> {
    if let Some(after) = rest.strip_prefix('.') {
        *rest = after;
        let name = parse_identifier(rest)
            .ok_or_else(|| unexpected_text_error(text, rest, "the name of a field"))?;
        return Ok(ReferenceSegment::Field(name.into()));
    }
    if let Some(after) = rest.strip_prefix("[*]") {
        *rest = after;
        return Ok(ReferenceSegment::Each);
    }
    let Some(after) = rest.strip_prefix('[') else {
        return Err(unexpected_text_error(text, rest, "`.` or `[`"));
    };
    let end = after
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(after.len());
    match (after[..end].parse(), after[end..].strip_prefix(']')) {
        (Ok(index), Some(after)) => {
            *rest = after;
            Ok(ReferenceSegment::Index(index))
        }
        (Ok(_), None) => Err(unexpected_text_error(text, &after[end..], "`]`")),
        (Err(_), _) => Err(unexpected_text_error(
            text,
            after,
            "an index from 0, or `*`",
        )),
    }
}

fn unexpected_text_error(text: &str, rest: &str, expected: &str) -> ReferenceSyntaxError {
    let position = text.len() - rest.len();
    let found = rest.chars().next();
    let found = found.map_or_else(|| "the end".to_owned(), |c| format!("{c:?}"));
    let expected = format!("expected {expected} at position {position}, found {found}");
    malformed_reference(format!("`{text}` is not a valid reference: {expected}"))
}

fn malformed_reference(message: String) -> ReferenceSyntaxError {
    let hint = HINT;
    ReferenceSyntaxError { message, hint }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn value(text: &str) -> Value {
        tool_core::json::parse_json(text, tool_core::json::JsonLimits::default()).unwrap()
    }

    #[test]
    fn parses_and_prints() {
        for text in [
            "fit",
            "fit.mean",
            "a.b[0].c",
            "rows[*].price",
            "m[1][2]",
            "a[*][*].x[3]",
        ] {
            assert_eq!(PlanReference::parse(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn malformed_texts_name_the_position() {
        let cases = [
            ("", "position 0, found the end"),
            (".a", "position 0"),
            ("a.", "name of a field at position 2"),
            ("a..b", "name of a field at position 2"),
            ("a[", "an index from 0, or `*` at position 2"),
            ("a[-1]", "an index from 0, or `*` at position 2"),
            ("a[1", "`]` at position 3"),
            ("a[x]", "position 2"),
            ("a[99999999999999999999999]", "an index"),
            ("a b", "position 1"),
            ("a.b()", "position 3"),
            ("$a.b", "position 0"),
            ("é", "position 0"),
            ("a.é", "position 2"),
        ];
        for (text, expected) in cases {
            let found = PlanReference::parse(text).unwrap_err().message;
            assert!(found.contains(expected), "{text}: {found}");
        }
        assert!(PlanReference::parse(&"a".repeat(2000)).is_err());
        assert!(PlanReference::parse(&format!("a{}", "[0]".repeat(65))).is_err());
    }

    #[test]
    fn resolves() {
        let root = value(r#"{"m":[[1,2],[3,4]],"rows":[{"p":1.5},{"p":2}],"n":null,"e":[]}"#);
        let cases = [
            ("r.m", "[[1,2],[3,4]]"),
            ("r.m[1]", "[3,4]"),
            ("r.m[1][0]", "3"),
            ("r.m[*][0]", "[1,3]"),
            ("r.rows[*].p", "[1.5,2.0]"),
            ("r.rows[0].p", "1.5"),
            ("r.n", "null"),
            ("r.e[*].x", "[]"),
            ("r.m[*]", "[[1,2],[3,4]]"),
        ];
        for (text, expected) in cases {
            let found = PlanReference::parse(text).unwrap().resolve(&root).unwrap();
            assert_eq!(found.to_string(), expected, "{text}");
        }
    }

    #[test]
    fn missing_parts_say_how_far_they_got() {
        let root = value(r#"{"mean":1,"rows":[{"p":1},{"q":2}]}"#);
        let cases = [
            ("r.meen", "r", "did you mean `mean`?"),
            ("r.mean.x", "r.mean", "no field `x` in the integer 1"),
            ("r.rows[2]", "r.rows", "no element 2"),
            (
                "r.rows[*].p",
                "r.rows[*]",
                "element 1: there is no field `p`",
            ),
            ("r.mean[*]", "r.mean", "expected a list"),
        ];
        for (text, reached, message) in cases {
            let missing = PlanReference::parse(text)
                .unwrap()
                .resolve(&root)
                .unwrap_err();
            assert_eq!(missing.reached, reached, "{text}");
            assert!(
                missing.message.contains(message),
                "{text}: {}",
                missing.message
            );
        }
    }

    #[test]
    fn a_sub_block_shares_its_data() {
        let root = Value::object([("m", value("[[1,2],[3,4]]"))]);
        let whole = root.get("m").unwrap().as_numbers();
        let whole = whole.unwrap().as_slice().as_ptr();
        let row = PlanReference::parse("r.m[1]")
            .unwrap()
            .resolve(&root)
            .unwrap();
        let row = row.as_numbers().unwrap().as_slice().as_ptr();
        assert_eq!(row as usize - whole as usize, 16);
    }

    proptest! {
        #[test]
        fn never_panics_and_round_trips(text in "[a-c_.\\[\\]*0-9é ]{0,20}") {
            if let Ok(reference) = PlanReference::parse(&text) {
                prop_assert_eq!(PlanReference::parse(&reference.to_string()).unwrap(), reference.clone());
                let _ = reference.resolve(&value(r#"{"a":[[1]],"b":{"c":[]}}"#));
            }
        }
    }
}
