//! Text for messages, bounded whatever a caller sends: long names and messages are cut, with their length.

use std::borrow::Cow;
use std::fmt::{self, Display, Write as _};

/// Maximum length of a message in bytes, before the note on its cut.
pub const MESSAGE_BYTES_MAX: usize = 8 << 10;
/// Maximum length of a name that is shown whole, in bytes.
const NAME_BYTES_MAX: usize = 128;
/// Bytes shown of a longer name.
const NAME_BYTES_SHOWN: usize = 64;

/// A name, a key or a text of a caller, for a message.
pub fn brief_name(text: &str) -> Cow<'_, str> {
    if text.len() <= NAME_BYTES_MAX {
        return Cow::Borrowed(text);
    }
    let shown = text_head(text, NAME_BYTES_SHOWN);
    Cow::Owned(format!("{shown}...({} bytes)", text.len()))
}

/// A whole message; text beyond the limit is counted and never stored.
pub fn brief_message(message: impl Display) -> String {
    let mut kept = BriefWriter::default();
    let _ = write!(kept, "{message}"); // it cannot fail: nothing below gives an error
    if kept.bytes > kept.text.len() {
        kept.text.push_str(&format!("...({} bytes)", kept.bytes));
    }
    kept.text
}

/// A number of things, in words: `1 step`, `2 steps`.
pub fn count_phrase(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// The beginning of a text: at most this many bytes, at a character boundary.
fn text_head(text: &str, bytes_max: usize) -> &str {
    &text[..text.floor_char_boundary(bytes_max)]
}

/// A writer that keeps the beginning and counts the length.
#[derive(Default)]
struct BriefWriter {
    text: String,
    bytes: usize,
}

impl fmt::Write for BriefWriter {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        // After a first cut nothing is added any more, also where a short piece would fit again.
        if self.bytes == self.text.len() {
            self.text.push_str(text_head(
                text,
                MESSAGE_BYTES_MAX.saturating_sub(self.bytes),
            ));
        }
        self.bytes += text.len();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_short_stays_and_what_is_long_says_how_long_it_was() {
        assert_eq!(brief_name("samples"), "samples");
        assert_eq!(
            brief_name(&"a".repeat(NAME_BYTES_MAX)).len(),
            NAME_BYTES_MAX
        );
        let long = brief_name(&"a".repeat(1_000_000)).into_owned();
        assert_eq!(long, format!("{}...(1000000 bytes)", "a".repeat(64)));
        // No character is cut in two.
        let wide = brief_name(&"\u{20ac}".repeat(100)).into_owned();
        assert_eq!(wide, format!("{}...(300 bytes)", "\u{20ac}".repeat(21)));
    }

    #[test]
    fn a_message_is_held_up_to_its_limit_only() {
        assert_eq!(brief_message(format_args!("found {}", 3)), "found 3");
        let whole = "b".repeat(MESSAGE_BYTES_MAX);
        assert_eq!(brief_message(&whole), whole);
        let long = "b".repeat(1_000_000);
        let cut = brief_message(format_args!("{long} and {long}"));
        assert_eq!(cut, format!("{whole}...(2000005 bytes)"));
    }
}
