//! [`NamedParameters`]: named numbers that an expression may use beside its variables.

use std::collections::BTreeMap;

use tool_core::schema::json;
use tool_core::{
    Decode, DecodeError, Describe, Encode, EncodeError, Encoder, Finite, LoadInput as _, ToolError,
    Value, Vector, path, tool_error,
};

use super::functions;

/// Most numbers of all parameters together.
pub(crate) const VALUES_MAX: usize = 100_000;

/// Named numbers, and lists of numbers whose entries are read as `name[0]`, `name[1]`, ...
#[derive(Debug, Clone, Default, PartialEq, Encode, Decode, Describe)]
#[value(transparent)]
pub struct NamedParameters(BTreeMap<String, ParameterValue>);

/// One parameter.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ParameterValue {
    /// A number, read by its name.
    Number(f64),
    /// Numbers, each read by the name and its 0-based position.
    List(Vector),
}

impl NamedParameters {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Name and value of each, in alphabetical order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &ParameterValue)> {
        self.0
            .iter()
            .map(|(name, parameter)| (name.as_str(), parameter))
    }

    /// The parameter of a name.
    pub(crate) fn get(&self, name: &str) -> Option<&ParameterValue> {
        self.0.get(name)
    }

    /// The parameters but for the named ones.
    pub(crate) fn without(&self, names: &[String]) -> Self {
        let mut rest = self.clone();
        rest.0.retain(|name, _| !names.contains(name));
        rest
    }

    /// Checks names and sizes; `pointer` is where the parameters stand.
    ///
    /// # Errors
    /// `invalid_args` for what is no name or a name of the language, `limit_exceeded` beyond `VALUES_MAX` numbers.
    pub fn check(&self, pointer: &str) -> Result<(), ToolError> {
        let mut count = 0;
        for (name, parameter) in self.iter() {
            check_name(name, pointer)?;
            count += match parameter {
                ParameterValue::Number(_) => 1,
                ParameterValue::List(list) => list.len(),
            };
        }
        if count > VALUES_MAX {
            return Err(tool_error!(LimitExceeded at pointer, "parameters";
                "{count} numbers, the limit for all parameters is {VALUES_MAX}";
                "pass only what the expression reads"));
        }
        Ok(())
    }
}

impl<'a> FromIterator<(&'a str, f64)> for NamedParameters {
    fn from_iter<I: IntoIterator<Item = (&'a str, f64)>>(numbers: I) -> Self {
        let named = |(name, value): (&str, f64)| (name.to_owned(), ParameterValue::Number(value));
        Self(numbers.into_iter().map(named).collect())
    }
}

impl<const N: usize> From<[(&str, f64); N]> for NamedParameters {
    fn from(numbers: [(&str, f64); N]) -> Self {
        numbers.into_iter().collect()
    }
}

/// A name must be readable as one, and must not hide a function or a constant.
pub(super) fn check_name(name: &str, pointer: &str) -> Result<(), ToolError> {
    let at = || {
        let mut pointer = pointer.to_owned();
        path::push_key(&mut pointer, name);
        pointer
    };
    let mut bytes = name.bytes();
    let starts = bytes
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == b'_');
    if !starts || !bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
        refuse!(invalid at(); "expected a name of letters, digits and `_` that starts with a letter";
            "rename it");
    }
    use functions::ExpressionFunction::{Count, CumSum, Density, Dot, Mean};
    let hides = |function| !matches!(function, Count | CumSum | Density(_) | Dot | Mean);
    if functions::find_function(name).is_some_and(hides) || functions::find_constant(name).is_some()
    {
        refuse!(invalid at(); "`{name}` is a name of the language"; "rename it");
    }
    Ok(())
}

impl Encode for ParameterValue {
    fn encode(&self, encoder: &mut Encoder) -> Result<Value, EncodeError> {
        match self {
            Self::Number(value) => value.encode(encoder),
            Self::List(list) => list[..].encode(encoder),
        }
    }
}

impl Decode for ParameterValue {
    fn decode(value: &Value) -> Result<Self, DecodeError> {
        if let Some(number) = value.as_f64().and_then(Finite::new) {
            return Ok(Self::Number(number.get()));
        }
        let mismatch = |_| DecodeError::expected("a finite number or a list of them", value);
        Vector::from_value(value).map(Self::List).map_err(mismatch)
    }
}

tool_core::inline_schema!(
    ParameterValue,
    json!({ "anyOf": [
        { "type": "number" },
        { "type": "array", "items": { "type": "number" } }
    ] })
);
