//! The type lattice of plans: what the schemas say of a value, before it exists.
//!
//! [`Type::of_schema`] reads JSON Schema as made by `tool_core::schema`; what a schema cannot say becomes [`Type::Any`].
//! [`Type::walk`] follows a reference into a type; [`check_type_fit`] compares what comes with what a slot takes. Start with [`Type`].

mod fit;
mod read;

use std::sync::Arc;

use tool_core::schema::Schema;

use crate::reference::{PlanReference, ReferenceSegment};

pub(crate) use fit::{TypeFit, check_type_fit};
pub(crate) use read::SchemaTypes;

/// Type of a value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Type {
    Any,
    Null,
    Boolean,
    Integer,
    Number,
    String,
    /// A list; an array of rank r is r lists deep.
    List(Arc<Type>),
    /// Named members.
    Record(Arc<RecordType>),
    /// One of several; an empty union is not a value at all, one with `Null` is a "maybe".
    Union(Arc<[Type]>),
}

/// The members of a record.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RecordType {
    /// Those with a name of their own.
    pub fields: Vec<RecordField>,
    /// Type of other members; `None` for a closed record.
    pub rest: Option<Type>,
}

/// A member of a record.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RecordField {
    pub name: Arc<str>,
    pub ty: Type,
    /// Whether it is always present.
    pub required: bool,
}

/// The type a reference leads to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ReferenceTarget {
    /// The type there, without `null`.
    pub ty: Type,
    /// Whether it may be absent or `null`.
    pub maybe: bool,
    /// Whether the path to it may end early: a value that it is part of may be absent or `null`.
    pub through: bool,
    /// For a projection whose elements may be absent or `null`: lists of `null` of its depth.
    pub gaps: Option<Type>,
    /// For which arguments of its step it is there, where the tool states that.
    pub there: Option<String>,
}

impl ReferenceTarget {
    /// Whether a slot needs a default: the value may be absent or `null`, which does not fit the slot.
    pub(crate) fn needs_default(&self, slot: &Type) -> bool {
        let refused = |nothing: &Type| check_type_fit(nothing, slot) == TypeFit::Never;
        self.through
            || self.maybe && refused(&Type::Null)
            || self.gaps.as_ref().is_some_and(refused)
    }
}

/// A reference that cannot lead anywhere.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DeadEnd {
    /// Number of segments that could be followed.
    pub followed: usize,
    /// The type found there.
    pub found: Type,
    /// Known fields, for suggestions.
    pub known: Vec<Arc<str>>,
}

impl DeadEnd {
    /// The part of a reference that could be followed, and the segment that could not.
    pub(crate) fn last_of(&self, reference: &PlanReference) -> (String, String) {
        let segment = &reference.segments()[self.followed];
        (reference.prefix(self.followed), segment.to_string())
    }
}

impl Type {
    pub(crate) fn of_schema(schema: &Schema) -> Self {
        read::type_from_schema(schema, 0)
    }

    /// The type of a value at hand, as far as a message needs it.
    pub(crate) fn of_value(value: &tool_core::Value) -> Self {
        use tool_core::Value;
        match value {
            Value::Null => Self::Null,
            Value::Bool(_) => Self::Boolean,
            Value::Int(_) => Self::Integer,
            Value::Float(_) => Self::Number,
            Value::String(_) => Self::String,
            Value::Numbers(numbers) if numbers.integral() => {
                Self::list(numbers.rank(), Self::Integer)
            }
            Value::Numbers(numbers) => Self::list(numbers.rank(), Self::Number),
            Value::Array(_) => Self::List(Arc::new(Self::Any)),
            Value::Object(object) => {
                let field = |(name, member): (&str, &Value)| RecordField {
                    name: name.into(),
                    ty: Self::of_value(member),
                    required: true,
                };
                let fields = object.iter().map(field).collect();
                Self::Record(Arc::new(RecordType { fields, rest: None }))
            }
        }
    }

    /// One of several types, in simplest form.
    pub(crate) fn union(members: impl IntoIterator<Item = Self>) -> Self {
        let mut flat: Vec<Self> = Vec::new();
        for member in members {
            match member {
                Self::Any => return Self::Any,
                Self::Union(inner) => inner
                    .iter()
                    .for_each(|one| add_distinct_type(&mut flat, one.clone())),
                other => add_distinct_type(&mut flat, other),
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
    pub(crate) fn list(rank: usize, element: Self) -> Self {
        (0..rank).fold(element, |inner, _| Self::List(Arc::new(inner)))
    }

    fn members(&self) -> &[Self] {
        match self {
            Self::Union(members) => members,
            other => std::slice::from_ref(other),
        }
    }

    /// Whether `null` is among its values for certain to be expected.
    pub(crate) fn is_maybe(&self) -> bool {
        self.members().contains(&Self::Null)
    }

    /// The type without `null`.
    #[must_use]
    pub(crate) fn without_null(&self) -> Self {
        match self {
            Self::Union(all) => Self::union(all.iter().filter(|one| **one != Self::Null).cloned()),
            other => other.clone(),
        }
    }

    /// The type where the member at a path is certainly present and not `null`.
    #[must_use]
    pub(crate) fn with_present(&self, path: &[Arc<str>]) -> Self {
        let Some((first, rest)) = path.split_first() else {
            return self.without_null();
        };
        let Self::Record(record) = self else {
            return self.clone();
        };
        let mut record = (**record).clone();
        let found = record.fields.iter_mut().find(|field| field.name == *first);
        if let Some(field) = found {
            field.ty = field.ty.with_present(rest);
            field.required |= rest.is_empty();
        }
        Self::Record(Arc::new(record))
    }

    /// Follows a reference.
    ///
    /// # Errors
    /// [`DeadEnd`] where no value of the type has such a part.
    pub(crate) fn walk(&self, segments: &[ReferenceSegment]) -> Result<ReferenceTarget, DeadEnd> {
        let mut current = self.clone();
        let (mut maybe, mut through) = (false, false);
        for (position, segment) in segments.iter().enumerate() {
            maybe |= current.is_maybe();
            through |= maybe;
            let here = current.without_null();
            if *segment == ReferenceSegment::Each {
                let items = here.items().ok_or_else(|| dead_end(position, &here))?;
                let inner = items.walk(&segments[position + 1..]).map_err(|mut end| {
                    end.followed += position + 1;
                    end
                })?;
                let (item, nothing) = match inner.maybe {
                    true => (Self::union([inner.ty, Self::Null]), Some(Self::Null)),
                    false => (inner.ty, inner.gaps),
                };
                return Ok(ReferenceTarget {
                    ty: Self::List(Arc::new(item)),
                    maybe,
                    through: through || inner.through,
                    gaps: nothing.map(|nothing| Self::List(Arc::new(nothing))),
                    there: None,
                });
            }
            let part = here.part(segment);
            let (next, optional) = part.ok_or_else(|| dead_end(position, &here))?;
            maybe |= optional;
            current = next;
        }
        maybe |= current.is_maybe() && current != Self::Null;
        Ok(ReferenceTarget {
            ty: current.without_null(),
            maybe,
            through,
            gaps: None,
            there: None,
        })
    }

    /// The type of the elements, when it can be a list.
    fn items(&self) -> Option<Self> {
        let items = self.members().iter().filter_map(|one| match one {
            Self::List(items) => Some((**items).clone()),
            Self::Any => Some(Self::Any),
            _ => None,
        });
        let mut items = items.peekable();
        items.peek().is_some().then(|| Self::union(items))
    }

    /// A part, and whether it may be absent although its record is there.
    fn part(&self, segment: &ReferenceSegment) -> Option<(Self, bool)> {
        let ReferenceSegment::Field(name) = segment else {
            return Some((self.items()?, false));
        };
        let found = self.members().iter().filter_map(|one| match one {
            Self::Record(record) => record.field(name),
            Self::Any => Some((Self::Any, false)),
            _ => None,
        });
        let found: Vec<(Self, bool)> = found.collect();
        let optional = found.iter().any(|(_, optional)| *optional);
        (!found.is_empty()).then(|| (Self::union(found.into_iter().map(|(ty, _)| ty)), optional))
    }

    fn field_names(&self) -> Vec<Arc<str>> {
        let fields = self.members().iter().filter_map(|one| match one {
            Self::Record(record) => Some(&record.fields),
            _ => None,
        });
        let names = fields.flatten();
        let mut names: Vec<Arc<str>> = names.map(|field| Arc::clone(&field.name)).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

impl RecordType {
    /// Type of a member, and whether it may be absent; members of an open record are checked when it arrives.
    fn field(&self, name: &str) -> Option<(Type, bool)> {
        let known = self.fields.iter().find(|field| &*field.name == name);
        let known = known.map(|field| (field.ty.clone(), !field.required));
        known.or_else(|| Some((self.rest.clone()?, false)))
    }
}

fn add_distinct_type(flat: &mut Vec<Type>, one: Type) {
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

#[cfg(test)]
mod tests;
