//! Text that cannot steer a terminal.

use std::borrow::Cow;

use registry::is_unseen;

/// Replaces characters that control the terminal or change the direction of text; line ends, tabs and whole sixel pictures remain.
/// All text for readers passes here.
pub(crate) fn replace_controls(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("\x1bP") {
        let (before, from) = rest.split_at(start);
        let end = from.find("\x1b\\").map_or(from.len(), |end| end + 2);
        let (picture, after) = from.split_at(end);
        safe.extend(before.chars().map(replace_control));
        match is_picture(picture) {
            true => safe.push_str(picture),
            false => safe.extend(picture.chars().map(replace_control)),
        }
        rest = after;
    }
    safe.extend(rest.chars().map(replace_control));
    Cow::Owned(safe)
}

fn replace_control(character: char) -> char {
    match is_unsafe(character) {
        true => char::REPLACEMENT_CHARACTER,
        false => character,
    }
}

/// The text with every character that a reader does not see, or that steers a terminal, as its number: what is agreed to is what is shown.
pub(crate) fn escape_invisible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match is_unsafe(character) || character == '\t' || is_unseen(character) {
            true => shown.extend(character.escape_unicode()),
            false => shown.push(character),
        }
    }
    shown
}

/// Control characters of terminals, and characters that no reader sees.
fn is_unsafe(character: char) -> bool {
    match character {
        '\n' | '\t' => false,
        // Emoji are joined by it.
        '\u{200d}' | '\u{ad}' | '\u{200c}' => false,
        character => character.is_control() || is_unseen(character),
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
            let safe = replace_controls(text);
            assert!(!safe.contains(is_unsafe), "{safe:?}");
            assert_eq!(safe.chars().count(), text.chars().count());
        }
        assert_eq!(
            replace_controls("a\n\tb \u{e9}\u{1f600}\n"),
            "a\n\tb \u{e9}\u{1f600}\n"
        );
    }

    #[test]
    fn what_is_agreed_to_shows_every_character() {
        assert_eq!(escape_invisible("a\n\u{e9}"), "a\n\u{e9}");
        let hidden = escape_invisible("run\u{e0041}\u{202e}\u{200b}\u{ad}\u{1b}[2J\u{3164}");
        assert_eq!(
            hidden,
            "run\\u{e0041}\\u{202e}\\u{200b}\\u{ad}\\u{1b}[2J\\u{3164}"
        );
        assert!(!replace_controls("tag \u{e0041}").contains('\u{e0041}'));
    }

    #[test]
    fn a_picture_is_printed_as_it_is() {
        let picture = "\x1bP0;1q\"1;1;100;50#0;2;100;100;100#0!100~$-\x1b\\";
        assert!(is_picture(picture));
        let among = format!("\x1b[2Ja {picture}\x1b]");
        assert_eq!(
            replace_controls(&among),
            format!("\u{fffd}[2Ja {picture}\u{fffd}]")
        );
    }
}
