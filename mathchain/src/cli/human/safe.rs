//! Text that cannot steer a terminal.

use std::borrow::Cow;

/// Replaces characters that control the terminal or change the direction of text; line ends, tabs and whole sixel pictures remain.
/// All text for readers passes here.
pub(in crate::cli) fn safe(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("\x1bP") {
        let (before, from) = rest.split_at(start);
        let end = from.find("\x1b\\").map_or(from.len(), |end| end + 2);
        let (picture, after) = from.split_at(end);
        safe.extend(before.chars().map(shown));
        match is_picture(picture) {
            true => safe.push_str(picture),
            false => safe.extend(picture.chars().map(shown)),
        }
        rest = after;
    }
    safe.extend(rest.chars().map(shown));
    Cow::Owned(safe)
}

fn shown(character: char) -> char {
    match is_unsafe(character) {
        true => char::REPLACEMENT_CHARACTER,
        false => character,
    }
}

/// Control characters of terminals and of text direction, and zero-width characters that hide in names.
fn is_unsafe(character: char) -> bool {
    match character {
        '\n' | '\t' => false,
        '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}' | '\u{2029}' => true,
        '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' => true,
        character => character.is_control(),
    }
}

/// Whether a text is exactly one sixel picture, which a terminal draws without other effects.
pub(super) fn is_picture(text: &str) -> bool {
    let body = text
        .strip_prefix("\x1bP")
        .and_then(|rest| rest.strip_suffix("\x1b\\"));
    let Some((parameters, data)) = body.and_then(|body| body.split_once('q')) else {
        return false;
    };
    let is_parameter = |byte: u8| byte.is_ascii_digit() || byte == b';';
    let is_data = |byte| matches!(byte, b'!'..=b'-' | b'0'..=b'9' | b';' | b'?'..=b'~');
    parameters.bytes().all(is_parameter) && data.bytes().all(is_data)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_from_outside_does_not_steer_the_terminal() {
        for text in [
            "\x1b[2J",
            "a\n\x1b]0;title\x07b\n",
            "\x1bP0;1q#0\x1b[2J\x1b\\",
            "\x1bP unended",
            "\u{9b}2J",
            "gpj.\u{202e}exe",
            "pay\u{200b}pal",
        ] {
            let safe = safe(text);
            assert!(!safe.contains(is_unsafe), "{safe:?}");
            assert_eq!(safe.chars().count(), text.chars().count());
        }
        assert_eq!(safe("a\n\tb \u{e9}\u{1f600}\n"), "a\n\tb \u{e9}\u{1f600}\n");
    }

    #[test]
    fn a_picture_is_printed_as_it_is() {
        let picture = "\x1bP0;1q\"1;1;100;50#0;2;100;100;100#0!100~$-\x1b\\";
        assert!(is_picture(picture));
        let among = format!("\x1b[2Ja {picture}\x1b]");
        assert_eq!(safe(&among), format!("\u{fffd}[2Ja {picture}\u{fffd}]"));
    }
}
