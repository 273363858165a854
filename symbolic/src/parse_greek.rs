//! Greek letters by their names.

use crate::parse::GREEK;

/// Whether the name is of a Greek letter.
pub(crate) fn is_greek(name: &str) -> bool {
    GREEK.iter().any(|(greek, _)| *greek == name)
}

/// The sign of a Greek name; other names as they are.
pub(crate) fn greek_sign(name: &str) -> String {
    GREEK
        .iter()
        .find(|(greek, _)| *greek == name)
        .map_or_else(|| name.to_owned(), |(_, sign)| sign.to_string())
}
