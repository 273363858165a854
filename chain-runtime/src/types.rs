//! The type lattice of plans: what the schemas say of a value, before it exists.
//!
//! [`Type::of_schema`] reads JSON Schema as made by `tool_core::schema`; what a schema cannot say becomes [`Type::Any`].
//! [`Type::walk`] follows a reference into a type; [`fit`] compares what comes with what a slot takes. Start with [`Type`].

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use tool_core::schema::Schema;

use crate::reference::Segment;

/// Deepest nesting of a schema that is read; below it anything goes.
const DEPTH_MAX: usize = 24;

/// What is known of a value.
#[derive(Debug, Clone, PartialEq)]
pub enum Type {
    /// Anything.
    Any,
    /// `null`.
    Null,
    /// `true` or `false`.
    Boolean,
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// A text.
    String,
    /// A list; an array of rank r is r lists deep.
    List(Arc<Type>),
    /// Named members.
    Record(Arc<Record>),
    /// One of several; an empty union is no value at all, one with `Null` is a "maybe".
    Union(Arc<[Type]>),
}

/// The members of a record.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// Those with a name of their own.
    pub fields: Vec<Field>,
    /// What others hold; `None` where there are no others.
    pub rest: Option<Type>,
}

/// A member of a record.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// Its name.
    pub name: Arc<str>,
    /// What it holds.
    pub ty: Type,
    /// Whether it is always there.
    pub required: bool,
}

/// Whether what comes fits into a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fit {
    /// Never.
    Never,
    /// Sometimes: the value is checked when it arrives.
    Check,
    /// Always.
    Always,
}

/// The type a reference leads to.
#[derive(Debug, Clone, PartialEq)]
pub struct Walked {
    /// The type there, without `null`.
    pub ty: Type,
    /// Whether it may be absent or `null`.
    pub maybe: bool,
}

/// A reference that cannot lead anywhere.
#[derive(Debug, Clone, PartialEq)]
pub struct DeadEnd {
    /// How many segments could be followed.
    pub followed: usize,
    /// What is there.
    pub found: Type,
    /// The fields that could be meant, when a field was asked for.
    pub known: Vec<Arc<str>>,
}

impl Type {
    /// What a schema says.
    pub fn of_schema(schema: &Schema) -> Self {
        read(schema, 0)
    }

    /// The type of a value at hand, as far as a message needs it.
    pub fn of_value(value: &tool_core::Value) -> Self {
        use tool_core::Value;
        match value {
            Value::Null => Self::Null,
            Value::Bool(_) => Self::Boolean,
            Value::Int(_) => Self::Integer,
            Value::Float(_) => Self::Number,
            Value::String(_) => Self::String,
            Value::Numbers(numbers) => {
                let element = if numbers.integral() {
                    Self::Integer
                } else {
                    Self::Number
                };
                (0..numbers.rank()).fold(element, |inner, _| Self::List(Arc::new(inner)))
            }
            Value::Array(_) => Self::List(Arc::new(Self::Any)),
            Value::Object(object) => Self::Record(Arc::new(Record {
                fields: object
                    .iter()
                    .map(|(name, member)| Field {
                        name: name.into(),
                        ty: Self::of_value(member),
                        required: true,
                    })
                    .collect(),
                rest: None,
            })),
        }
    }

    /// One of several types, in simplest form.
    pub fn union(members: impl IntoIterator<Item = Self>) -> Self {
        let mut flat: Vec<Self> = Vec::new();
        for member in members {
            match member {
                Self::Any => return Self::Any,
                Self::Union(inner) => inner.iter().for_each(|one| add(&mut flat, one.clone())),
                other => add(&mut flat, other),
            }
        }
        if flat.contains(&Self::Number) {
            flat.retain(|one| *one != Self::Integer);
        }
        if flat.len() == 1 {
            return flat.remove(0);
        }
        Self::Union(flat.into())
    }

    /// A list of the given rank.
    pub fn list(rank: usize, element: Self) -> Self {
        (0..rank).fold(element, |inner, _| Self::List(Arc::new(inner)))
    }

    fn members(&self) -> &[Self] {
        match self {
            Self::Union(members) => members,
            other => std::slice::from_ref(other),
        }
    }

    /// Whether `null` is among its values for certain to be expected.
    pub fn is_maybe(&self) -> bool {
        self.members().contains(&Self::Null)
    }

    /// The same without `null`.
    #[must_use]
    pub fn without_null(&self) -> Self {
        match self {
            Self::Union(members) => {
                Self::union(members.iter().filter(|one| **one != Self::Null).cloned())
            }
            other => other.clone(),
        }
    }

    /// Follows a reference.
    ///
    /// # Errors
    /// [`DeadEnd`] where no value of the type has such a part.
    pub fn walk(&self, segments: &[Segment]) -> Result<Walked, DeadEnd> {
        let mut current = self.clone();
        let mut maybe = false;
        for (position, segment) in segments.iter().enumerate() {
            maybe |= current.is_maybe();
            let here = current.without_null();
            if *segment == Segment::Each {
                let items = here.items().ok_or_else(|| dead_end(position, &here))?;
                let inner = items.walk(&segments[position + 1..]).map_err(|mut end| {
                    end.followed += position + 1;
                    end
                })?;
                let item = match inner.maybe {
                    true => Self::union([inner.ty, Self::Null]),
                    false => inner.ty,
                };
                return Ok(Walked {
                    ty: Self::List(Arc::new(item)),
                    maybe,
                });
            }
            let (next, optional) = here
                .part(segment)
                .ok_or_else(|| dead_end(position, &here))?;
            maybe |= optional;
            current = next;
        }
        maybe |= current.is_maybe() && current != Self::Null;
        Ok(Walked {
            ty: current.without_null(),
            maybe,
        })
    }

    /// The type of the elements, when it can be a list.
    fn items(&self) -> Option<Self> {
        let found: Vec<Self> = self
            .members()
            .iter()
            .filter_map(|one| match one {
                Self::List(items) => Some((**items).clone()),
                Self::Any => Some(Self::Any),
                _ => None,
            })
            .collect();
        (!found.is_empty()).then(|| Self::union(found))
    }

    /// A part, and whether it may be absent although its record is there.
    fn part(&self, segment: &Segment) -> Option<(Self, bool)> {
        let Segment::Field(name) = segment else {
            return Some((self.items()?, false));
        };
        let found: Vec<(Self, bool)> = self
            .members()
            .iter()
            .filter_map(|one| match one {
                Self::Record(record) => record.field(name),
                Self::Any => Some((Self::Any, false)),
                _ => None,
            })
            .collect();
        let optional = found.iter().any(|(_, optional)| *optional);
        (!found.is_empty()).then(|| (Self::union(found.into_iter().map(|(ty, _)| ty)), optional))
    }

    fn field_names(&self) -> Vec<Arc<str>> {
        let mut names: Vec<Arc<str>> = Vec::new();
        for one in self.members() {
            if let Self::Record(record) = one {
                names.extend(record.fields.iter().map(|field| Arc::clone(&field.name)));
            }
        }
        names.sort_unstable();
        names.dedup();
        names
    }
}

impl Record {
    /// What a member holds, and whether it may be absent; members of an open record are looked for when it arrives.
    fn field(&self, name: &str) -> Option<(Type, bool)> {
        match self.fields.iter().find(|field| &*field.name == name) {
            Some(field) => Some((field.ty.clone(), !field.required)),
            None => self.rest.clone().map(|rest| (rest, false)),
        }
    }
}

/// The types of the parts of one schema, each read once.
#[derive(Debug, Default)]
pub struct Slots(RefCell<HashMap<*const Schema, Type>>);

impl Slots {
    /// What a part of the schema says; the schema must outlive the slots and stay where it is.
    pub fn of(&self, schema: &Schema) -> Type {
        let mut known = self.0.borrow_mut();
        known
            .entry(std::ptr::from_ref(schema))
            .or_insert_with(|| Type::of_schema(schema))
            .clone()
    }
}

fn add(flat: &mut Vec<Type>, one: Type) {
    if !flat.contains(&one) {
        flat.push(one);
    }
}

fn dead_end(followed: usize, found: &Type) -> DeadEnd {
    DeadEnd {
        followed,
        found: found.clone(),
        known: found.field_names(),
    }
}

fn read(schema: &Schema, depth: usize) -> Type {
    let Some(object) = schema.as_object() else {
        return match schema {
            Schema::Bool(false) => Type::union([]),
            _ => Type::Any,
        };
    };
    if depth > DEPTH_MAX || object.contains_key("$ref") || object.contains_key("allOf") {
        return Type::Any;
    }
    for key in ["anyOf", "oneOf"] {
        if let Some(branches) = object.get(key).and_then(Schema::as_array) {
            let spelled = branches.iter().any(is_spelling);
            let read = branches
                .iter()
                .filter(|branch| !(spelled && is_spelling(branch)))
                .map(|branch| read(branch, depth + 1));
            return Type::union(read);
        }
    }
    if let Some(constant) = object.get("const") {
        return of_constant(constant);
    }
    if let Some(names) = object.get("enum").and_then(Schema::as_array) {
        return Type::union(names.iter().map(of_constant));
    }
    match object.get("type") {
        Some(Schema::String(name)) => named(name, object, depth),
        Some(Schema::Array(names)) => Type::union(
            names
                .iter()
                .filter_map(Schema::as_str)
                .map(|name| named(name, object, depth)),
        ),
        _ if object.contains_key("properties") => named("object", object, depth),
        _ => Type::Any,
    }
}

/// A double that may be non-finite is a number with three more spellings; it counts as a number.
fn is_spelling(schema: &Schema) -> bool {
    let names = schema.get("enum").and_then(Schema::as_array);
    names.is_some_and(|names| {
        names.len() == 3
            && names.iter().all(|name| {
                name.as_str()
                    .and_then(tool_core::number::from_spelling)
                    .is_some()
            })
    })
}

fn of_constant(constant: &Schema) -> Type {
    match constant {
        Schema::Null => Type::Null,
        Schema::Bool(_) => Type::Boolean,
        Schema::Number(number) if number.is_f64() => Type::Number,
        Schema::Number(_) => Type::Integer,
        Schema::String(_) => Type::String,
        Schema::Array(_) => Type::List(Arc::new(Type::Any)),
        Schema::Object(_) => Type::Any,
    }
}

fn named(name: &str, schema: &serde_json::Map<String, Schema>, depth: usize) -> Type {
    match name {
        "null" => Type::Null,
        "boolean" => Type::Boolean,
        "integer" => Type::Integer,
        "number" => Type::Number,
        "string" => Type::String,
        "array" => {
            let items = match schema.get("prefixItems").and_then(Schema::as_array) {
                Some(items) => Type::union(items.iter().map(|item| read(item, depth + 1))),
                None => schema
                    .get("items")
                    .map_or(Type::Any, |items| read(items, depth + 1)),
            };
            Type::List(Arc::new(items))
        }
        "object" => Type::Record(Arc::new(record(schema, depth))),
        _ => Type::Any,
    }
}

fn record(schema: &serde_json::Map<String, Schema>, depth: usize) -> Record {
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Schema::as_array)
        .into_iter()
        .flatten()
        .filter_map(Schema::as_str)
        .collect();
    let fields = schema
        .get("properties")
        .and_then(Schema::as_object)
        .into_iter()
        .flatten()
        .map(|(name, member)| Field {
            name: name.as_str().into(),
            ty: read(member, depth + 1),
            required: required.contains(&name.as_str()),
        })
        .collect();
    let rest = match schema.get("additionalProperties") {
        Some(Schema::Bool(false)) => None,
        Some(rest) => Some(read(rest, depth + 1)),
        None => Some(Type::Any),
    };
    Record { fields, rest }
}

/// Whether a value of one type fits where another is expected.
pub fn fit(from: &Type, to: &Type) -> Fit {
    match (from, to) {
        (_, Type::Any) => Fit::Always,
        (Type::Any, _) => Fit::Check,
        (Type::Union(members), _) => {
            let mut fits = members.iter().map(|one| fit(one, to));
            let Some(first) = fits.next() else {
                return Fit::Always;
            };
            fits.fold(first, |all, one| if all == one { all } else { Fit::Check })
        }
        (_, Type::Union(members)) => members
            .iter()
            .map(|one| fit(from, one))
            .max()
            .unwrap_or(Fit::Never),
        (Type::Integer, Type::Number) => Fit::Always,
        (Type::Number, Type::Integer) => Fit::Check,
        (Type::List(from), Type::List(to)) => fit(from, to),
        (Type::Record(from), Type::Record(to)) => fit_records(from, to),
        _ if from == to => Fit::Always,
        _ => Fit::Never,
    }
}

fn fit_records(from: &Record, to: &Record) -> Fit {
    let wanted = to.fields.iter().map(|slot| match from.field(&slot.name) {
        Some((ty, optional)) => {
            let known = from.fields.iter().any(|field| field.name == slot.name);
            let one = fit(&ty, &slot.ty);
            if slot.required && (optional || !known) {
                one.min(Fit::Check)
            } else if slot.required || known {
                one
            } else {
                Fit::Check
            }
        }
        None if slot.required => Fit::Never,
        None => Fit::Always,
    });
    let extra = from
        .fields
        .iter()
        .filter(|field| !to.fields.iter().any(|slot| slot.name == field.name))
        .map(|field| match (&to.rest, field.required) {
            (Some(rest), _) => fit(&field.ty, rest),
            (None, true) => Fit::Never,
            (None, false) => Fit::Check,
        });
    let open = match (&from.rest, &to.rest) {
        (None, _) => Fit::Always,
        (Some(_), None) => Fit::Check,
        (Some(from), Some(to)) => fit(from, to).max(Fit::Check),
    };
    wanted.chain(extra).min().unwrap_or(Fit::Always).min(open)
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("any value"),
            Self::Null => f.write_str("null"),
            Self::Boolean => f.write_str("a boolean"),
            Self::Integer => f.write_str("an integer"),
            Self::Number => f.write_str("a number"),
            Self::String => f.write_str("a string"),
            Self::List(_) => write_list(self, f),
            Self::Record(record) => write_record(record, f),
            Self::Union(members) if members.is_empty() => f.write_str("nothing"),
            Self::Union(members) => {
                for (index, member) in members.iter().enumerate() {
                    if index > 0 {
                        f.write_str(" or ")?;
                    }
                    member.fmt(f)?;
                }
                Ok(())
            }
        }
    }
}

fn write_list(list: &Type, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let (mut rank, mut element) = (0, list);
    while let Type::List(items) = element {
        rank += 1;
        element = items;
    }
    let of = match element {
        Type::Any => "any values",
        Type::Boolean => "booleans",
        Type::Integer => "integers",
        Type::Number => "numbers",
        Type::String => "strings",
        Type::Record(_) => "records",
        _ => "values",
    };
    match rank {
        1 => write!(f, "a list of {of}"),
        _ => write!(f, "an array of {of} of rank {rank}"),
    }
}

fn write_record(record: &Record, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    const SHOWN: usize = 6;
    if record.fields.is_empty() {
        return f.write_str("a record");
    }
    f.write_str("a record of ")?;
    for (index, field) in record.fields.iter().take(SHOWN).enumerate() {
        if index > 0 {
            f.write_str(", ")?;
        }
        write!(f, "`{}`", field.name)?;
    }
    if record.fields.len() > SHOWN {
        f.write_str(", ...")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
