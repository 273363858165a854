//! [`Value`]: the data between interfaces, tools and steps.
//!
//! Like a JSON value, with one difference: an array of numbers is one shared block of doubles ([`Numbers`]) with a shape, so
//! that a matrix is parsed, passed between steps, hashed and written without a node per element. Cloning is a pointer copy.

mod numbers;
mod object;

use std::sync::Arc;

pub use numbers::{MemoryLender, Note, NumberBlock, Numbers};
pub use object::{Object, TableSource};

/// The largest magnitude below which every integer is a double (2^53).
pub const SAFE_INTEGER: i64 = 1 << 53;

/// A JSON value; arrays of numbers are packed into [`Numbers`].
#[derive(Clone, Default)]
pub enum Value {
    /// `null`
    #[default]
    Null,
    /// `true` or `false`
    Bool(bool),
    /// An integer. One that no double holds exactly (beyond 2^53) is kept and written with all its digits, and is no number to
    /// arithmetic: [`Value::as_f64`] has none for it.
    Int(i64),
    /// A finite double.
    Float(f64),
    /// A string.
    String(Arc<str>),
    /// An array that is not a regular block of numbers.
    Array(Arc<Vec<Value>>),
    /// A regular, non-empty block of numbers of rank 1 or more.
    Numbers(Numbers),
    /// An object; keys are unique and keep their order.
    Object(Arc<Object>),
}

impl Value {
    /// An object of the given members; later duplicates replace earlier ones.
    pub fn object<K: Into<Arc<str>>, V: Into<Value>>(
        members: impl IntoIterator<Item = (K, V)>,
    ) -> Self {
        let mut object = Object::new();
        for (key, value) in members {
            object.insert(key, value);
        }
        Self::Object(Arc::new(object))
    }

    /// An array; packed into [`Numbers`] when it is a regular block of numbers.
    pub fn array(items: Vec<Self>) -> Self {
        match pack_numbers(&items) {
            Some(numbers) => Self::Numbers(numbers),
            None => Self::Array(Arc::new(items)),
        }
    }

    /// A vector of doubles.
    pub fn vector(data: Vec<f64>) -> Self {
        if data.is_empty() {
            Self::Array(Arc::default())
        } else {
            Self::Numbers(Numbers::vector(data, false))
        }
    }

    /// The member of an object, where it is a text.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.get(key)?.as_str()
    }

    /// The member of an object.
    pub fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Object(object) => object.get(key),
            _ => None,
        }
    }

    /// The element of an array.
    pub fn at(&self, index: usize) -> Option<Self> {
        match self {
            Self::Array(items) => items.get(index).cloned(),
            Self::Numbers(numbers) => numbers.get(index),
            _ => None,
        }
    }

    /// The value at a JSON pointer (RFC 6901).
    pub fn pointer(&self, pointer: &str) -> Option<Self> {
        if pointer.is_empty() {
            return Some(self.clone());
        }
        pointer
            .strip_prefix('/')?
            .split('/')
            .try_fold(self.clone(), |value, token| {
                let token = token.replace("~1", "/").replace("~0", "~");
                match &value {
                    Self::Object(object) => object.get(&token).cloned(),
                    _ => value.at(token.parse().ok()?),
                }
            })
    }

    /// The elements of an array, packed or not.
    pub fn items(&self) -> Option<Vec<Self>> {
        match self {
            Self::Array(items) => Some(items.as_ref().clone()),
            Self::Numbers(numbers) => Some(
                (0..numbers.len())
                    .filter_map(|index| numbers.get(index))
                    .collect(),
            ),
            _ => None,
        }
    }

    /// The elements of an array below a key; empty where there is none.
    pub fn items_at(&self, key: &str) -> Vec<Self> {
        self.get(key).and_then(Self::items).unwrap_or_default()
    }

    /// The object, if it is one.
    pub fn as_object(&self) -> Option<&Object> {
        match self {
            Self::Object(object) => Some(object),
            _ => None,
        }
    }

    /// Number of rows, if it is a table: an object of columns, which are arrays of one length.
    pub fn table_rows(&self) -> Option<usize> {
        let object = self.as_object()?;
        if let Some(table) = object.table() {
            return Some(table.rows());
        }
        let mut columns = object.iter().map(|(_, column)| match column {
            Self::Array(items) => Some(items.len()),
            Self::Numbers(numbers) if numbers.rank() == 1 => Some(numbers.len()),
            _ => None,
        });
        let rows = columns.next()??;
        columns.all(|length| length == Some(rows)).then_some(rows)
    }

    /// The text, if it is a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The truth value, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The number as a double, if it is one that a double holds exactly.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Int(value) => exact_double(*value),
            Self::Float(value) => Some(*value),
            _ => None,
        }
    }

    /// The number as an integer, if it is one (a double that is whole counts).
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Self::Int(value) => Some(*value),
            Self::Float(value) if value.fract() == 0.0 && value.abs() <= SAFE_INTEGER as f64 => {
                Some(*value as i64)
            }
            _ => None,
        }
    }

    /// The packed numbers, if it is a block of them.
    pub fn as_numbers(&self) -> Option<&Numbers> {
        match self {
            Self::Numbers(numbers) => Some(numbers),
            _ => None,
        }
    }

    /// Whether it is `null`.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// A description for error messages: `a string`, `an array of 3`.
    pub fn kind(&self) -> String {
        match self {
            Self::Null => "null".to_owned(),
            Self::Bool(value) => format!("the boolean {value}"),
            Self::Int(value) if exact_double(*value).is_none() => {
                format!("the integer {value}, beyond 2^53 where doubles are not exact")
            }
            Self::Int(value) => format!("the integer {value}"),
            Self::Float(value) => format!("the number {value:?}"),
            Self::String(text) if text.chars().count() <= 40 => format!("the string {text:?}"),
            Self::String(text) => format!("a string of {} characters", text.chars().count()),
            Self::Array(items) => format!("an array of {}", items.len()),
            Self::Numbers(numbers) => {
                let extents: Vec<String> = numbers.shape().iter().map(usize::to_string).collect();
                format!("an array of numbers ({})", extents.join(" x "))
            }
            Self::Object(object) => format!("an object with {} members", object.len()),
        }
    }

    /// Its size in bytes, with shared parts counted each time; `None` beyond `most`. The cost grows with `most` and not with the value,
    /// whose shared parts can expand beyond any memory.
    pub fn bytes_within(&self, most: u64) -> Option<u64> {
        fn left(value: &Value, most: u64) -> Option<u64> {
            const NODE: u64 = 48;
            let most = most.checked_sub(NODE)?;
            match value {
                Value::Null | Value::Bool(_) | Value::Int(_) | Value::Float(_) => Some(most),
                Value::String(text) => most.checked_sub(text.len() as u64),
                Value::Numbers(numbers) => most.checked_sub(8 * numbers.as_slice().len() as u64),
                Value::Array(items) => items.iter().try_fold(most, |most, item| left(item, most)),
                Value::Object(object) => match object.table() {
                    Some(table) => most.checked_sub(table.memory_bytes()),
                    None => object.iter().try_fold(most, |most, (key, member)| {
                        left(member, most.checked_sub(NODE + key.len() as u64)?)
                    }),
                },
            }
        }
        Some(most - left(self, most)?)
    }

    /// An estimate of the memory it keeps alive, in bytes.
    pub fn memory_bytes(&self) -> u64 {
        const NODE: u64 = 48;
        match self {
            Self::Null | Self::Bool(_) | Self::Int(_) | Self::Float(_) => NODE,
            Self::String(text) => NODE + text.len() as u64,
            Self::Array(items) => NODE + items.iter().map(Self::memory_bytes).sum::<u64>(),
            Self::Numbers(numbers) => NODE + 8 * numbers.as_slice().len() as u64,
            Self::Object(object) => match object.table() {
                Some(table) => NODE + table.memory_bytes(),
                None => {
                    NODE + object
                        .iter()
                        .map(|(key, value)| NODE + key.len() as u64 + value.memory_bytes())
                        .sum::<u64>()
                }
            },
        }
    }
}

/// Packs a list into one block when it is non-empty and every item is a number, or every item is a block of one shape.
fn pack_numbers(items: &[Value]) -> Option<Numbers> {
    const RANK_MAX: usize = 8;
    let scalar = |value: &Value| match value {
        Value::Int(number) if number.unsigned_abs() <= SAFE_INTEGER as u64 => {
            Some((*number as f64, true))
        }
        Value::Float(number) => Some((*number, false)),
        _ => None,
    };
    match items.first()? {
        Value::Int(_) | Value::Float(_) => {
            let mut integral = true;
            let mut data = Vec::with_capacity(items.len());
            for item in items {
                let (number, whole) = scalar(item)?;
                integral &= whole;
                data.push(number);
            }
            Some(Numbers::vector(data, integral))
        }
        Value::Numbers(first) if first.rank() < RANK_MAX => {
            let mut integral = true;
            let mut data = Vec::with_capacity(items.len() * first.as_slice().len());
            for item in items {
                let block = item
                    .as_numbers()
                    .filter(|block| block.shape() == first.shape())?;
                integral &= block.integral();
                data.extend_from_slice(block.as_slice());
            }
            let mut shape = vec![items.len()];
            shape.extend_from_slice(first.shape());
            Numbers::new(shape, data, integral)
        }
        _ => None,
    }
}

/// The double that is exactly this integer.
pub fn exact_double(integer: i64) -> Option<f64> {
    let double = integer as f64;
    (double as i128 == i128::from(integer)).then_some(double)
}

/// Numbers compare by value, whatever their spelling; objects compare without regard to order.
impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::String(a), Self::String(b)) => a == b,
            (Self::Int(a), Self::Int(b)) => a == b,
            (Self::Array(a), Self::Array(b)) => a == b,
            (Self::Numbers(a), Self::Numbers(b)) => {
                a.shape() == b.shape() && a.as_slice() == b.as_slice()
            }
            (Self::Object(a), Self::Object(b)) => a.equals(b),
            _ => match (self.as_f64(), other.as_f64()) {
                (Some(a), Some(b)) => a == b,
                _ => false,
            },
        }
    }
}

/// The members of an object: `fields! { "run" => id, "state" => state }`.
#[macro_export]
macro_rules! fields {
    ($($key:literal => $value:expr),* $(,)?) => {{
        let mut members = $crate::Object::new();
        $(members.insert($key, $value);)*
        members
    }};
}

/// An object as a value: `object! { "run" => id, "state" => state }`.
#[macro_export]
macro_rules! object {
    ($($members:tt)*) => {
        $crate::Value::from($crate::fields! { $($members)* })
    };
}

impl From<Object> for Value {
    fn from(members: Object) -> Self {
        Self::Object(Arc::new(members))
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Self::String(value.into())
    }
}

impl From<String> for Value {
    fn from(value: String) -> Self {
        Self::String(value.into())
    }
}

/// A non-finite double becomes its spelling: `"NaN"`, `"Infinity"`, `"-Infinity"`.
impl From<f64> for Value {
    fn from(value: f64) -> Self {
        if value.is_finite() {
            Self::Float(value)
        } else {
            Self::from(crate::number::non_finite_spelling(value))
        }
    }
}

/// An integer beyond 2^53 becomes a string.
impl From<i64> for Value {
    fn from(value: i64) -> Self {
        if value.unsigned_abs() <= SAFE_INTEGER as u64 {
            Self::Int(value)
        } else {
            Self::from(value.to_string())
        }
    }
}

/// An integer beyond 2^53 becomes a string.
impl From<u64> for Value {
    fn from(value: u64) -> Self {
        if value <= SAFE_INTEGER as u64 {
            Self::Int(value as i64)
        } else {
            Self::from(value.to_string())
        }
    }
}

impl From<usize> for Value {
    fn from(value: usize) -> Self {
        Self::from(value as u64)
    }
}

impl From<u32> for Value {
    fn from(value: u32) -> Self {
        Self::Int(i64::from(value))
    }
}

impl<T: Into<Self>> From<Vec<T>> for Value {
    fn from(items: Vec<T>) -> Self {
        Self::array(items.into_iter().map(Into::into).collect())
    }
}

impl<T: Into<Self>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// For libraries that write JSON by serde.
impl serde::Serialize for Value {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Int(number) => serializer.serialize_i64(*number),
            Self::Float(number) => serializer.serialize_f64(*number),
            Self::String(text) => serializer.serialize_str(text),
            Self::Array(items) => serializer.collect_seq(items.iter()),
            Self::Numbers(_) => serializer.collect_seq(self.items().unwrap_or_default()),
            Self::Object(object) => serializer.collect_map(object.iter()),
        }
    }
}
