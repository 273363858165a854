//! Checks of arguments that several families share.

use crate::prelude::*;

/// A name of 1 to 64 letters, digits, `-`, `_` and `.`.
///
/// # Errors
/// `invalid_args` at the pointer.
pub(crate) fn check_name<'a>(name: &'a str, pointer: &str) -> Result<&'a str> {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    if (1..=64).contains(&name.len()) && name.bytes().all(fits) {
        return Ok(name);
    }
    let found = name.chars().take(80).collect::<String>();
    Err(tool_error!(InvalidArgs at pointer, "name";
        "expected 1 to 64 letters, digits, `-`, `_` or `.`, found `{}`", found.escape_debug()))
}

/// A trimmed text of 1 to `characters_max` characters.
///
/// # Errors
/// `invalid_args` at the pointer.
pub(crate) fn trim_text(text: &str, characters_max: usize, pointer: &str) -> Result<String> {
    let text = text.trim();
    let count = text.chars().count();
    if (1..=characters_max).contains(&count) {
        return Ok(text.to_owned());
    }
    Err(tool_error!(InvalidArgs at pointer, "length";
        "expected 1 to {characters_max} characters, found {count}"))
}

/// Invisible characters that change how a name looks: text directions, joiners, marks.
pub(crate) fn is_invisible(character: char) -> bool {
    matches!(
        character,
        '\u{ad}'
            | '\u{61c}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}'
    )
}
