//! Bytes of an answer as text.

/// The text of a body, by the charset its type names (UTF-8 where it names none), and whether some bytes were none of it.
pub(super) fn decode(body: &[u8], content_type: Option<&str>) -> (String, bool) {
    let charset = content_type.and_then(charset).unwrap_or_default();
    match charset.as_str() {
        "iso-8859-1" | "latin1" | "windows-1252" => {
            (body.iter().map(|byte| western(*byte)).collect(), false)
        }
        _ => {
            let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
            match str::from_utf8(body) {
                Ok(text) => (text.to_owned(), false),
                // A character cut in half by the limit is no fault of the text.
                Err(err) if err.error_len().is_none() => (
                    String::from_utf8_lossy(&body[..err.valid_up_to()]).into_owned(),
                    false,
                ),
                Err(_) => (String::from_utf8_lossy(body).into_owned(), true),
            }
        }
    }
}

/// Whether a type of content is text.
pub(super) fn is_text(content_type: Option<&str>) -> bool {
    let kind = content_type
        .unwrap_or_default()
        .split(';')
        .next()
        .unwrap_or_default();
    let kind = kind.trim().to_ascii_lowercase();
    const TEXTS: [&str; 6] = [
        "application/json",
        "application/xml",
        "application/javascript",
        "application/x-www-form-urlencoded",
        "application/x-ndjson",
        "application/yaml",
    ];
    kind.starts_with("text/")
        || kind.ends_with("+json")
        || kind.ends_with("+xml")
        || TEXTS.contains(&kind.as_str())
}

fn charset(content_type: &str) -> Option<String> {
    let lower = content_type.to_ascii_lowercase();
    let (_, rest) = lower.split_once("charset=")?;
    let name = rest.split([';', ' ']).next()?.trim_matches(['"', '\'']);
    Some(name.to_owned())
}

/// A byte of windows-1252, which pages that say ISO 8859-1 are read as.
fn western(byte: u8) -> char {
    const HIGH: [char; 32] = [
        '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž',
        '\u{8f}', '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}',
        'ž', 'Ÿ',
    ];
    match byte {
        0x80..=0x9f => HIGH[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn charsets_are_read_as_they_say() {
        for (body, kind, expected, lossy) in [
            (&b"\xc3\xbc"[..], None, "ü", false),
            (b"\xef\xbb\xbfa", Some("text/html"), "a", false),
            (
                b"\xfc\x80",
                Some("text/html; charset=ISO-8859-1"),
                "ü€",
                false,
            ),
            (
                b"\xfc",
                Some("text/html; Charset=\"windows-1252\""),
                "ü",
                false,
            ),
            (
                b"a\xfcb",
                Some("text/plain; charset=utf-8"),
                "a\u{fffd}b",
                true,
            ),
            (b"a\xe2\x82", Some("text/plain"), "a", false),
        ] {
            assert_eq!(decode(body, kind), (expected.to_owned(), lossy), "{kind:?}");
        }
    }

    #[test]
    fn texts_are_told_from_pictures() {
        for (kind, text) in [
            (Some("text/html; charset=x"), true),
            (Some("application/JSON"), true),
            (Some("application/atom+xml"), true),
            (Some("image/png"), false),
            (Some("application/octet-stream"), false),
            (None, false),
        ] {
            assert_eq!(is_text(kind), text, "{kind:?}");
        }
    }
}
