//! Types in words.

use std::fmt;

use super::{Record, Type};

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
