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
    let shown = record.fields.iter().take(SHOWN);
    let shown: Vec<String> = shown.map(|field| format!("`{}`", field.name)).collect();
    let more = if record.fields.len() > SHOWN {
        ", ..."
    } else {
        ""
    };
    write!(f, "a record of {}{more}", shown.join(", "))
}
