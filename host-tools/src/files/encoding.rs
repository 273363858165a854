//! Text encodings of files, results and arguments.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::prelude::*;

/// Text encoding of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Encode, Decode, Describe)]
pub(crate) enum TextEncoding {
    /// UTF-8; a byte-order mark at the start is removed.
    #[default]
    #[value(rename = "utf-8")]
    Utf8,
    /// UTF-16, in the order of the byte-order mark, little-endian without one.
    #[value(rename = "utf-16")]
    Utf16,
    /// One byte per character, U+0000 to U+00FF.
    #[value(rename = "latin-1")]
    Latin1,
    /// Any bytes, in base64 (RFC 4648, with padding).
    #[value(rename = "base64")]
    Base64,
}

impl TextEncoding {
    /// Decodes bytes and returns how many of them the text covers: a character cut at the end of `truncated` bytes is omitted.
    ///
    /// # Errors
    /// `invalid_args` with the offset of the first invalid byte.
    pub(crate) fn decode(self, bytes: Vec<u8>, truncated: bool) -> Result<(String, usize)> {
        let count = bytes.len();
        match self {
            Self::Utf8 => decode_utf8(bytes, truncated),
            Self::Utf16 => decode_utf16(&bytes, truncated),
            Self::Latin1 => Ok((bytes.into_iter().map(char::from).collect(), count)),
            Self::Base64 => Ok((STANDARD.encode(bytes), count)),
        }
    }

    /// The code units of a file in this encoding; `None` for `base64`, which has no lines.
    pub(super) fn units(self, start: &[u8]) -> Option<CodeUnits> {
        match self {
            Self::Utf8 | Self::Latin1 => Some(CodeUnits::Bytes),
            Self::Utf16 if start.starts_with(&[0xfe, 0xff]) => Some(CodeUnits::HighFirst),
            Self::Utf16 => Some(CodeUnits::LowFirst),
            Self::Base64 => None,
        }
    }

    /// Encodes a text.
    ///
    /// # Errors
    /// `invalid_args` for a character that the encoding lacks, or invalid base64.
    pub(super) fn encode(self, text: &str) -> Result<Vec<u8>> {
        match self {
            Self::Utf8 => Ok(text.as_bytes().to_vec()),
            Self::Utf16 => {
                let units = [0xfeff].into_iter().chain(text.encode_utf16());
                Ok(units.flat_map(u16::to_le_bytes).collect())
            }
            Self::Latin1 => {
                let encode = |(index, character): (usize, char)| {
                    u8::try_from(character).map_err(|_| {
                        let what = format!("character {index}, {character:?},");
                        encoding_error(format!("{what} does not exist in latin-1"))
                            .hint("use the encoding `utf-8`")
                    })
                };
                text.chars().enumerate().map(encode).collect()
            }
            Self::Base64 => STANDARD.decode(text).map_err(|err| {
                encoding_error(format!("the content is not base64: {err}"))
                    .hint("use the standard alphabet with padding and no line breaks")
            }),
        }
    }
}

/// Code units of an encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CodeUnits {
    /// One byte.
    Bytes,
    /// Two bytes, the low one first.
    LowFirst,
    /// Two bytes, the high one first.
    HighFirst,
}

impl CodeUnits {
    /// Offsets after each line feed, for bytes that begin at an even offset of the file.
    pub(super) fn line_ends(self, bytes: &[u8]) -> impl Iterator<Item = usize> {
        memchr::memchr_iter(b'\n', bytes).filter_map(move |place| match self {
            Self::Bytes => Some(place + 1),
            Self::LowFirst => {
                (place % 2 == 0 && bytes.get(place + 1) == Some(&0)).then_some(place + 2)
            }
            Self::HighFirst => (place % 2 == 1 && bytes[place - 1] == 0).then_some(place + 1),
        })
    }
}

fn encoding_error(message: String) -> ToolError {
    ToolError::new(ErrorCode::InvalidArgs, message).reason("encoding")
}

fn decode_utf8(mut bytes: Vec<u8>, truncated: bool) -> Result<(String, usize)> {
    const MARK: &[u8] = b"\xef\xbb\xbf";
    let count = bytes.len();
    if bytes.starts_with(MARK) {
        bytes.drain(..MARK.len());
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok((text, count)),
        // `error_len` is absent when the bytes end inside a character.
        Err(err) if truncated && err.utf8_error().error_len().is_none() => {
            let valid = &err.as_bytes()[..err.utf8_error().valid_up_to()];
            let cut = err.as_bytes().len() - valid.len();
            Ok((String::from_utf8_lossy(valid).into_owned(), count - cut))
        }
        Err(err) => {
            let place = err.utf8_error().valid_up_to();
            let bytes = err.as_bytes();
            let hint = if matches!(bytes, [0xff, 0xfe, ..] | [0xfe, 0xff, ..]) {
                "it begins with a byte-order mark of UTF-16: use `encoding: \"utf-16\"`"
            } else {
                "use `encoding: \"latin-1\"` for old texts, `\"base64\"` for bytes as they are"
            };
            let byte = bytes[place];
            Err(encoding_error(format!(
                "the file is not UTF-8: byte {place} is {byte:#04x}"
            ))
            .hint(hint))
        }
    }
}

fn decode_utf16(bytes: &[u8], truncated: bool) -> Result<(String, usize)> {
    let count = bytes.len();
    let (bytes, big_endian) = match bytes {
        [0xff, 0xfe, rest @ ..] => (rest, false),
        [0xfe, 0xff, rest @ ..] => (rest, true),
        _ => (bytes, false),
    };
    let (pairs, rest) = bytes.as_chunks::<2>();
    let refuse = |why: String| {
        encoding_error(format!("the file is not UTF-16: {why}"))
            .hint("use `encoding: \"base64\"` for bytes as they are")
    };
    if !rest.is_empty() && !truncated {
        return Err(refuse("it has an odd number of bytes".to_owned()));
    }
    let units = pairs.iter().map(|&pair| match big_endian {
        true => u16::from_be_bytes(pair),
        false => u16::from_le_bytes(pair),
    });
    let mut text = String::with_capacity(bytes.len());
    let mut place = 0;
    let mut cut = rest.len();
    for character in char::decode_utf16(units) {
        match character {
            Ok(character) => {
                place += character.len_utf16();
                text.push(character);
            }
            Err(_) if truncated && place + 1 == pairs.len() => cut += 2,
            Err(err) => {
                let unit = err.unpaired_surrogate();
                return Err(refuse(format!(
                    "unit {place} is the lone surrogate {unit:#06x}"
                )));
            }
        }
    }
    Ok((text, count - cut))
}
