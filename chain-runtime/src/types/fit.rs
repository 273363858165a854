//! Compatibility of types, and types in words.

use std::fmt;

use super::{RecordField, RecordType, Type};

/// Result of a comparison of types.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum TypeFit {
    Never,
    /// Sometimes: the value is checked when it arrives.
    Check,
    Always,
}

/// Whether a value of one type fits where another is expected.
pub(crate) fn check_type_fit(from: &Type, to: &Type) -> TypeFit {
    match (from, to) {
        (_, Type::Any) => TypeFit::Always,
        (Type::Any, _) => TypeFit::Check,
        (Type::Union(members), _) => {
            let fits = members.iter().map(|one| check_type_fit(one, to));
            let joined = fits.reduce(|all, one| if all == one { all } else { TypeFit::Check });
            joined.unwrap_or(TypeFit::Always)
        }
        (_, Type::Union(members)) => {
            let fits = members.iter().map(|one| check_type_fit(from, one));
            fits.max().unwrap_or(TypeFit::Never)
        }
        (Type::Integer, Type::Number) => TypeFit::Always,
        (Type::Number, Type::Integer) => TypeFit::Check,
        (Type::List(from), Type::List(to)) => check_type_fit(from, to),
        (Type::Record(from), Type::Record(to)) => fit_records(from, to),
        _ if from == to => TypeFit::Always,
        _ => TypeFit::Never,
    }
}

fn fit_records(from: &RecordType, to: &RecordType) -> TypeFit {
    let wanted = to.fields.iter().map(|slot| match from.field(&slot.name) {
        Some((ty, optional)) => {
            let known = from.fields.iter().any(|field| field.name == slot.name);
            match (slot.required, check_type_fit(&ty, &slot.ty)) {
                (true, one) if optional || !known => one.min(TypeFit::Check),
                (false, _) if !known => TypeFit::Check,
                (_, one) => one,
            }
        }
        None if slot.required => TypeFit::Never,
        None => TypeFit::Always,
    });
    let is_extra = |field: &&RecordField| !to.fields.iter().any(|slot| slot.name == field.name);
    let extra = from.fields.iter().filter(is_extra);
    let extra = extra.map(|field| match (&to.rest, field.required) {
        (Some(rest), _) => check_type_fit(&field.ty, rest),
        (None, true) => TypeFit::Never,
        (None, false) => TypeFit::Check,
    });
    let open = match (&from.rest, &to.rest) {
        (None, _) => TypeFit::Always,
        (Some(_), None) => TypeFit::Check,
        (Some(from), Some(to)) => check_type_fit(from, to).max(TypeFit::Check),
    };
    wanted
        .chain(extra)
        .min()
        .unwrap_or(TypeFit::Always)
        .min(open)
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
                let members: Vec<String> = members.iter().map(Self::to_string).collect();
                f.write_str(&members.join(" or "))
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
    if rank == 1 {
        return write!(f, "a list of {of}");
    }
    write!(f, "an array of {of} of rank {rank}")
}

fn write_record(record: &RecordType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    const SHOWN: usize = 6;
    if record.fields.is_empty() {
        return f.write_str("a record");
    }
    let shown = record.fields.iter().take(SHOWN);
    let shown: Vec<String> = shown.map(|field| format!("`{}`", field.name)).collect();
    let more = if record.fields.len() > SHOWN {
        ", ..."
    } else {
        ""
    };
    write!(f, "a record of {}{more}", shown.join(", "))
}
