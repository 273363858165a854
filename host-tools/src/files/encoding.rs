//! Between the bytes of a file and the text of a result or an argument.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{ErrorCode, ToolError};

/// How the bytes of a file are spelled as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub enum Encoding {
    /// UTF-8; a byte-order mark at the start is left out.
    #[default]
    #[serde(rename = "utf-8")]
    Utf8,
    /// UTF-16; a byte-order mark at the start says which order, else little-endian.
    #[serde(rename = "utf-16")]
    Utf16,
    /// One byte per character, U+0000 to U+00FF.
    #[serde(rename = "latin-1")]
    Latin1,
    /// Any bytes, in base64 (RFC 4648, with padding).
    #[serde(rename = "base64")]
    Base64,
}

impl Encoding {
    /// The text of some bytes. Where the bytes were `truncated`, a character cut in two at their end is left out.
    ///
    /// # Errors
    /// `invalid_args` with the place of the first byte that does not fit.
    pub(super) fn decode(self, bytes: &[u8], truncated: bool) -> Result<String, ToolError> {
        match self {
            Self::Utf8 => decode_utf8(bytes, truncated),
            Self::Utf16 => decode_utf16(bytes, truncated),
            Self::Latin1 => Ok(bytes.iter().copied().map(char::from).collect()),
            Self::Base64 => Ok(STANDARD.encode(bytes)),
        }
    }

    /// The bytes of a text.
    ///
    /// # Errors
    /// `invalid_args` for a character the encoding does not have, or a text that is no base64.
    pub(super) fn encode(self, text: &str) -> Result<Vec<u8>, ToolError> {
        match self {
            Self::Utf8 => Ok(text.as_bytes().to_vec()),
            Self::Utf16 => Ok([0xfeff]
                .into_iter()
                .chain(text.encode_utf16())
                .flat_map(u16::to_le_bytes)
                .collect()),
            Self::Latin1 => text
                .chars()
                .enumerate()
                .map(|(index, character)| {
                    u8::try_from(u32::from(character)).map_err(|_| {
                        unfit(format!(
                            "character {index}, {character:?}, does not exist in latin-1"
                        ))
                        .hint("use the encoding `utf-8`")
                    })
                })
                .collect(),
            Self::Base64 => STANDARD.decode(text).map_err(|err| {
                unfit(format!("the content is no base64: {err}"))
                    .hint("use the standard alphabet with padding and no line breaks")
            }),
        }
    }
}

fn unfit(message: String) -> ToolError {
    ToolError::new(ErrorCode::InvalidArgs, message).reason("encoding")
}

fn decode_utf8(bytes: &[u8], truncated: bool) -> Result<String, ToolError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text.to_owned()),
        // `error_len` is absent when the bytes end inside a character.
        Err(err) if truncated && err.error_len().is_none() => {
            Ok(String::from_utf8_lossy(&bytes[..err.valid_up_to()]).into_owned())
        }
        Err(err) => {
            let hint = if matches!(bytes, [0xff, 0xfe, ..] | [0xfe, 0xff, ..]) {
                "it begins with a byte-order mark of UTF-16: use `encoding: \"utf-16\"`"
            } else {
                "use `encoding: \"latin-1\"` for old texts, `\"base64\"` for bytes as they are"
            };
            let place = err.valid_up_to();
            Err(unfit(format!(
                "the file is no UTF-8: byte {place} is {:#04x}",
                bytes[place]
            ))
            .hint(hint))
        }
    }
}

fn decode_utf16(bytes: &[u8], truncated: bool) -> Result<String, ToolError> {
    let (bytes, big_endian) = match bytes {
        [0xff, 0xfe, rest @ ..] => (rest, false),
        [0xfe, 0xff, rest @ ..] => (rest, true),
        _ => (bytes, false),
    };
    let (pairs, rest) = bytes.as_chunks::<2>();
    if !rest.is_empty() && !truncated {
        let hint = "use `encoding: \"base64\"` for bytes as they are";
        return Err(
            unfit("the file is no UTF-16: it has an odd number of bytes".to_owned()).hint(hint),
        );
    }
    let units = pairs.iter().map(|&pair| {
        if big_endian {
            u16::from_be_bytes(pair)
        } else {
            u16::from_le_bytes(pair)
        }
    });
    let mut text = String::with_capacity(bytes.len());
    let mut place = 0;
    for character in char::decode_utf16(units) {
        match character {
            Ok(character) => {
                place += character.len_utf16();
                text.push(character);
            }
            Err(_) if truncated && place + 1 == pairs.len() => {}
            Err(err) => {
                let hint = "use `encoding: \"base64\"` for bytes as they are";
                return Err(unfit(format!(
                    "the file is no UTF-16: unit {place} is the lone surrogate {:#06x}",
                    err.unpaired_surrogate()
                ))
                .hint(hint));
            }
        }
    }
    Ok(text)
}
