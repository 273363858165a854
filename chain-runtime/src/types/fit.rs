//! Compatibility of types.

use super::{Field, Record, Type};

/// Result of a comparison of types.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fit {
    /// Never.
    Never,
    /// Sometimes: the value is checked when it arrives.
    Check,
    /// Always.
    Always,
}

/// Whether a value of one type fits where another is expected.
pub fn fit(from: &Type, to: &Type) -> Fit {
    match (from, to) {
        (_, Type::Any) => Fit::Always,
        (Type::Any, _) => Fit::Check,
        (Type::Union(members), _) => {
            let fits = members.iter().map(|one| fit(one, to));
            let joined = fits.reduce(|all, one| if all == one { all } else { Fit::Check });
            joined.unwrap_or(Fit::Always)
        }
        (_, Type::Union(members)) => {
            let fits = members.iter().map(|one| fit(from, one));
            fits.max().unwrap_or(Fit::Never)
        }
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
            match (slot.required, fit(&ty, &slot.ty)) {
                (true, one) if optional || !known => one.min(Fit::Check),
                (false, _) if !known => Fit::Check,
                (_, one) => one,
            }
        }
        None if slot.required => Fit::Never,
        None => Fit::Always,
    });
    let is_extra = |field: &&Field| !to.fields.iter().any(|slot| slot.name == field.name);
    let extra = from.fields.iter().filter(is_extra);
    let extra = extra.map(|field| match (&to.rest, field.required) {
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
