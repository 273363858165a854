//! Encodings of text: by the mark at its start, as UTF-8 where it is that, else by its bytes.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

use crate::error::TableError;

/// An encoding of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextDecoding {
    /// UTF-8.
    Utf8,
    /// UTF-16 with the low byte first.
    Utf16Le,
    /// UTF-16 with the high byte first.
    Utf16Be,
    /// Latin-1, with the characters of Windows in its gaps (windows-1252).
    Latin1,
}

impl TextDecoding {
    /// The encoding of a word.
    pub fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "utf-8" => Self::Utf8,
            "utf-16" | "utf-16le" => Self::Utf16Le,
            "utf-16be" => Self::Utf16Be,
            "latin-1" => Self::Latin1,
            _ => return None,
        })
    }

    /// Its word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Utf16Le => "utf-16le",
            Self::Utf16Be => "utf-16be",
            Self::Latin1 => "latin-1",
        }
    }

    fn encoding(self) -> &'static Encoding {
        match self {
            Self::Utf8 => UTF_8,
            Self::Utf16Le => UTF_16LE,
            Self::Utf16Be => UTF_16BE,
            Self::Latin1 => WINDOWS_1252,
        }
    }

    /// The encoding that a mark states, and the bytes after it.
    fn of_mark(bytes: &[u8]) -> Option<(Self, &[u8])> {
        let marks: [(&[u8], Self); 3] = [
            (b"\xef\xbb\xbf", Self::Utf8),
            (b"\xff\xfe", Self::Utf16Le),
            (b"\xfe\xff", Self::Utf16Be),
        ];
        marks
            .into_iter()
            .find_map(|(mark, decoding)| Some((decoding, bytes.strip_prefix(mark)?)))
    }

    /// The encoding of bytes without a mark that are no UTF-8, or have zeros as only UTF-16 has: on one side of each pair, in every fiftieth of
    /// them, and beside the line ends. A zero here and there is a fault of a text in another encoding.
    fn guess(bytes: &[u8]) -> Self {
        const LOOKED_AT: usize = 4096;
        const PAIRS_FOR_A_ZERO: usize = 50;
        let pairs = &bytes[..bytes.len().min(LOOKED_AT) / 2 * 2];
        let pairs = pairs.chunks_exact(2);
        let zeros = |side: usize| pairs.clone().filter(|pair| pair[side] == 0).count();
        // A line end is a zero on one side, and the line end on the other.
        let has_line_ends = |zero: usize| {
            let mut ends = pairs.clone().filter(|pair| pair.contains(&b'\n'));
            let mut is_missing = true;
            let is_found = ends.any(|pair| {
                is_missing = false;
                pair[zero] == 0 && pair[1 - zero] == b'\n'
            });
            is_found || is_missing
        };
        let is_wide = |zero: usize, zeros: usize, others: usize| {
            others == 0 && zeros * PAIRS_FOR_A_ZERO >= pairs.len().max(1) && has_line_ends(zero)
        };
        let (first, second) = (zeros(0), zeros(1));
        match std::str::from_utf8(bytes) {
            _ if bytes.len().is_multiple_of(2) && is_wide(1, second, first) => Self::Utf16Le,
            _ if bytes.len().is_multiple_of(2) && is_wide(0, first, second) => Self::Utf16Be,
            Ok(_) => Self::Utf8,
            Err(_) => Self::Latin1,
        }
    }
}

/// A text with the encoding that it had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecodedText<'a> {
    /// The text, without a mark.
    pub text: Cow<'a, str>,
    /// Its encoding.
    pub decoding: TextDecoding,
}

impl DecodedText<'_> {
    /// What was found, where it is not UTF-8.
    pub(super) fn describe(&self) -> Option<String> {
        let word = self.decoding.word();
        (self.decoding != TextDecoding::Utf8).then(|| format!("encoding {word}"))
    }
}

/// The text of bytes; the encoding is found where none is stated. A mark at the start counts before what is stated.
///
/// # Errors
/// Bytes that are not in the encoding, with the place of the first.
pub fn decode_text(
    bytes: &[u8],
    stated: Option<TextDecoding>,
) -> Result<DecodedText<'_>, TableError> {
    const HINT: &str = "state its `encoding`, or convert the file to UTF-8";
    let (decoding, rest) = match TextDecoding::of_mark(bytes) {
        Some(found) => found,
        None => (stated.unwrap_or_else(|| TextDecoding::guess(bytes)), bytes),
    };
    let text = match decoding {
        TextDecoding::Utf8 => {
            let text = std::str::from_utf8(rest).map_err(|err| {
                let offset = err.valid_up_to();
                let byte = rest[offset];
                let message =
                    format!("expected UTF-8, found the byte {byte:#04x} at offset {offset}");
                TableError::format(message, HINT)
            })?;
            Cow::Borrowed(text)
        }
        other => {
            let decoded = other
                .encoding()
                .decode_without_bom_handling_and_without_replacement(rest);
            decoded.ok_or_else(|| {
                TableError::format(format_args!("the bytes are not {}", other.word()), HINT)
            })?
        }
    };
    Ok(DecodedText { text, decoding })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_are_found_by_mark_and_by_bytes() {
        let utf16 = |text: &str, big: bool| -> Vec<u8> {
            let units = text.encode_utf16();
            units
                .flat_map(|unit| {
                    if big {
                        unit.to_be_bytes()
                    } else {
                        unit.to_le_bytes()
                    }
                })
                .collect()
        };
        let text = "name,größe\nä,1\n";
        let latin: Vec<u8> = text.chars().map(|letter| letter as u8).collect();
        for (bytes, expected) in [
            (text.as_bytes().to_vec(), TextDecoding::Utf8),
            (
                [b"\xef\xbb\xbf", text.as_bytes()].concat(),
                TextDecoding::Utf8,
            ),
            (utf16(text, false), TextDecoding::Utf16Le),
            (utf16(text, true), TextDecoding::Utf16Be),
            (
                utf16(&format!("\u{feff}{text}"), true),
                TextDecoding::Utf16Be,
            ),
            (latin, TextDecoding::Latin1),
        ] {
            let found = decode_text(&bytes, None).unwrap();
            assert_eq!((&*found.text, found.decoding), (text, expected));
        }
        for text in ["a,b\n1\0,2\n", "a,b\n12\0,2\n", "x\0\n"] {
            let found = decode_text(text.as_bytes(), None).unwrap();
            assert_eq!((&*found.text, found.decoding), (text, TextDecoding::Utf8));
        }
        let cyrillic = utf16("имя;город\nАнна;Рим\n", false);
        let found = decode_text(&cyrillic, None).unwrap();
        assert_eq!(found.decoding, TextDecoding::Utf16Le);
        assert!(decode_text(b"a\xff", Some(TextDecoding::Utf8)).is_err());
        assert!(decode_text(b"\x00\xd8", Some(TextDecoding::Utf16Le)).is_err());
    }
}
