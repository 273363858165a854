//! Texts written for other places: Base64, hexadecimal digits, URLs, HTML.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};

use super::hash_text::to_hex;
use crate::prelude::*;

/// Encodes a text, or decodes one: Base64 (also the form for URLs), hexadecimal digits of its bytes, percent-encoding (RFC 3986), or HTML.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The text.
    pub text: Input<TextInput>,
    /// The encoding.
    pub encoding: TextCoding,
    /// Whether to decode; what is decoded must be UTF-8.
    #[value(default)]
    pub decode: bool,
}

/// An encoding of texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum TextCoding {
    /// Base64 with padding (RFC 4648, section 4); spaces and line ends are passed over in decoding.
    Base64,
    /// Base64 for URLs, without padding (RFC 4648, section 5); padding is passed over in decoding.
    Base64url,
    /// Two hexadecimal digits for each byte.
    Hex,
    /// Percent-encoding of all but letters, digits and `-._~`.
    Url,
    /// `&`, `<`, `>`, `"` and `'` as references; in decoding also references by number.
    Html,
}

/// An encoded or decoded text.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The text.
    pub text: String,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("encode_text", "Encode or decode a text")
        .category(Category::Data)
        .tags(&["text", "convert"]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "Base64": r#"{"text": "Größe", "encoding": "base64"}"# => r#"{"text": "R3LDtsOfZQ=="}"#;
        "a text for a URL, back": r#"{"text": "a%20b%C3%A9", "encoding": "url", "decode": true}"# => r#"{"text": "a bé"}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let text = args.text.load(ctx)?;
        ctx.reserve((text.len() as u64).saturating_mul(6))?;
        let text = match args.decode {
            false => encode(&text, args.encoding),
            true => decode(&text, args.encoding).map_err(|fault| {
                let error = ToolError::invalid("/text", fault.message).reason("encoding");
                error.hint(fault.hint)
            })?,
        };
        Ok(Output { text })
    }
}

fn encode(text: &str, encoding: TextCoding) -> String {
    match encoding {
        TextCoding::Base64 => STANDARD.encode(text),
        TextCoding::Base64url => URL_SAFE_NO_PAD.encode(text),
        TextCoding::Hex => to_hex(text.as_bytes()),
        TextCoding::Url => {
            let byte = |byte: u8| match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                    char::from(byte).to_string()
                }
                other => format!("%{other:02X}"),
            };
            text.bytes().map(byte).collect()
        }
        TextCoding::Html => {
            let letter = |letter: char| match letter {
                '&' => "&amp;".to_owned(),
                '<' => "&lt;".to_owned(),
                '>' => "&gt;".to_owned(),
                '"' => "&quot;".to_owned(),
                '\'' => "&#39;".to_owned(),
                other => other.to_string(),
            };
            text.chars().map(letter).collect()
        }
    }
}

/// Why a text cannot be decoded.
#[derive(Debug, Clone, PartialEq, Eq)]
struct DecodeFault {
    message: String,
    /// The next step.
    hint: &'static str,
}

impl DecodeFault {
    fn new(message: impl Into<String>, hint: &'static str) -> Self {
        Self {
            message: message.into(),
            hint,
        }
    }

    /// Of the two forms of Base64, which share all letters but two.
    fn of_base64(err: &base64::DecodeError, text: &str, is_for_urls: bool) -> Self {
        let (name, others) = match is_for_urls {
            true => ("Base64 for URLs", ['+', '/']),
            false => ("Base64", ['-', '_']),
        };
        let what = match err {
            base64::DecodeError::InvalidByte(place, byte) => format!(
                "{:?} at place {} is no letter of it",
                char::from(*byte),
                place + 1
            ),
            base64::DecodeError::InvalidPadding => "its padding with `=` is wrong".to_owned(),
            _ => format!("its {} letters are cut short", text.len()),
        };
        let hint = match (text.contains(others), is_for_urls) {
            (true, true) => "`+` and `/` are letters of `base64`",
            (true, false) => "`-` and `_` are letters of `base64url`",
            (false, _) => {
                "check that the text is whole, and that it is Base64 and not `hex` or `url`"
            }
        };
        Self::new(format!("no {name}: {what}"), hint)
    }
}

fn decode(text: &str, encoding: TextCoding) -> Result<String, DecodeFault> {
    let plain = || -> String {
        text.chars()
            .filter(|letter| !letter.is_ascii_whitespace())
            .collect()
    };
    let bytes = match encoding {
        TextCoding::Html => return Ok(decode_html(text)),
        TextCoding::Base64 => {
            let plain = plain();
            let decoded = STANDARD.decode(&plain);
            decoded.map_err(|err| DecodeFault::of_base64(&err, &plain, false))?
        }
        TextCoding::Base64url => {
            let plain = plain();
            let plain = plain.trim_end_matches('=');
            let decoded = URL_SAFE_NO_PAD.decode(plain);
            decoded.map_err(|err| DecodeFault::of_base64(&err, plain, true))?
        }
        TextCoding::Hex => decode_hex(&plain())?,
        TextCoding::Url => decode_percent(text)?,
    };
    String::from_utf8(bytes).map_err(|err| {
        let place = err.utf8_error().valid_up_to();
        DecodeFault::new(
            format!("the decoded bytes are no UTF-8 from byte {place} on"),
            "the result is a text: bytes of pictures and archives stay encoded",
        )
    })
}

fn decode_hex(text: &str) -> Result<Vec<u8>, DecodeFault> {
    const HINT: &str = "two digits of 0 to 9 and a to f for each byte, without `0x`";
    let digits = text.as_bytes();
    if digits.len() % 2 == 1 {
        let message = format!(
            "expected an even number of hexadecimal digits, found {}",
            digits.len()
        );
        return Err(DecodeFault::new(message, HINT));
    }
    let pairs = digits.chunks_exact(2).enumerate();
    pairs
        .map(|(index, pair)| {
            let place = 2 * index + 1;
            hex_byte(pair).ok_or_else(|| {
                DecodeFault::new(format!("no hexadecimal digits at place {place}"), HINT)
            })
        })
        .collect()
}

/// The byte of two hexadecimal digits.
fn hex_byte(pair: &[u8]) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let (high, low) = (digit(*pair.first()?)?, digit(*pair.get(1)?)?);
    u8::try_from(16 * high + low).ok()
}

fn decode_percent(text: &str) -> Result<Vec<u8>, DecodeFault> {
    let bytes = text.as_bytes();
    let (mut decoded, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while at < bytes.len() {
        match bytes[at] {
            b'%' => {
                let pair = bytes.get(at + 1..at + 3).and_then(hex_byte);
                let byte = pair.ok_or_else(|| {
                    let message = format!("`%` without two hexadecimal digits at byte {}", at + 1);
                    DecodeFault::new(message, "a percent sign itself is `%25`")
                })?;
                decoded.push(byte);
                at += 3;
            }
            byte => {
                decoded.push(byte);
                at += 1;
            }
        }
    }
    Ok(decoded)
}

/// References by the five names and by number; others stay as they are.
fn decode_html(text: &str) -> String {
    const LONGEST: usize = 10;
    let mut decoded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        decoded.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest.bytes().take(LONGEST).position(|byte| byte == b';');
        let letter = end.and_then(|end| html_reference(&rest[1..end]));
        match (letter, end) {
            (Some(letter), Some(end)) => {
                decoded.push(letter);
                rest = &rest[end + 1..];
            }
            _ => {
                decoded.push('&');
                rest = &rest[1..];
            }
        }
    }
    decoded + rest
}

fn html_reference(name: &str) -> Option<char> {
    Some(match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => '\u{a0}',
        name => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(digits) => u32::from_str_radix(digits, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)?
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ALL: [TextCoding; 5] = [
        TextCoding::Base64,
        TextCoding::Base64url,
        TextCoding::Hex,
        TextCoding::Url,
        TextCoding::Html,
    ];

    #[test]
    fn texts_of_others_are_decoded_or_refused() {
        for (encoding, text, expected) in [
            (TextCoding::Base64, "Zm9v\nYmFy", Some("foobar")),
            (TextCoding::Base64, "Zm9", None),
            (TextCoding::Base64url, "Zm9vYg==", Some("foob")),
            (TextCoding::Hex, "C3 A4", Some("ä")),
            (TextCoding::Hex, "C3", None),
            (TextCoding::Hex, "abc", None),
            (TextCoding::Url, "a+b%2", None),
            (TextCoding::Url, "a+b", Some("a+b")),
            (
                TextCoding::Html,
                "&lt;&#xe4;&#65; &unknown; & &amp",
                Some("<äA &unknown; & &amp"),
            ),
        ] {
            assert_eq!(decode(text, encoding).ok().as_deref(), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn every_text_comes_back(text in ".{0,30}") {
            for encoding in ALL {
                prop_assert_eq!(decode(&encode(&text, encoding), encoding), Ok(text.clone()));
            }
        }

        #[test]
        fn no_text_crashes_a_decoder(text in "[&#;%=+a-fA-F0-9xé]{0,20}") {
            for encoding in ALL {
                let _ = decode(&text, encoding);
            }
        }
    }
}
