//! Decoding of responses as text.

use encoding_rs::{CoderResult, Encoding, UTF_8};

use super::html;

/// Number of bytes searched for a charset declaration, as browsers do.
const BEGINNING: usize = 1024;

/// Decodes a body; also returns whether some bytes were invalid.
///
/// The charset is that of the byte-order mark, else of the content type, else of the page itself, else UTF-8, as in browsers.
/// Unknown names are ignored.
pub(super) fn decode_body(body: &[u8], content_type: Option<&str>) -> (String, bool) {
    let (encoding, mark) = Encoding::for_bom(body)
        .or_else(|| Some((encoding_by_label(&content_type_charset(content_type?)?)?, 0)))
        .or_else(|| {
            Some((
                encoding_by_label(&declared_charset(body, content_type?)?)?,
                0,
            ))
        })
        .unwrap_or((UTF_8, 0));
    let body = &body[mark..];
    if encoding == UTF_8
        && let Ok(text) = str::from_utf8(body)
    {
        return (text.to_owned(), false);
    }
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let mut text = String::new();
    let (mut read, mut lossy) = (0, false);
    loop {
        text.reserve((body.len() - read).max(16));
        // Never `last`: a character cut by the size limit is not an error.
        let (result, count, faulty) = decoder.decode_to_string(&body[read..], &mut text, false);
        read += count;
        lossy |= faulty;
        if result == CoderResult::InputEmpty {
            return (text, lossy);
        }
    }
}

/// Whether a content type is text.
pub(super) fn is_text(content_type: Option<&str>) -> bool {
    const TEXTS: &str = "json xml javascript x-www-form-urlencoded x-ndjson yaml";
    let kind = content_type.unwrap_or_default().to_ascii_lowercase();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    let listed = kind.strip_prefix("application/");
    kind.starts_with("text/")
        || kind.ends_with("+json")
        || kind.ends_with("+xml")
        || listed.is_some_and(|kind| TEXTS.split(' ').any(|text| text == kind))
}

/// The charset of a content type.
pub(super) fn content_type_charset(content_type: &str) -> Option<String> {
    let lower = content_type.to_ascii_lowercase();
    let (_, rest) = lower.split_once("charset")?;
    let rest = rest.trim_start().strip_prefix('=')?.trim_start();
    let name = rest.trim_start_matches(['"', '\'']);
    let name = name.split([';', ' ', '"', '\'']).next()?;
    Some(name.to_owned())
}

fn encoding_by_label(label: &str) -> Option<&'static Encoding> {
    Encoding::for_label(label.as_bytes())
}

/// The charset declared in a page or an XML document. The declaration is ASCII, so it is not UTF-16.
fn declared_charset(body: &[u8], content_type: &str) -> Option<String> {
    let beginning = &body[..body.len().min(BEGINNING)];
    let kind = content_type.to_ascii_lowercase();
    let label = xml_encoding(beginning)
        .filter(|_| kind.contains("xml"))
        .or_else(|| html::page_charset(beginning).filter(|_| kind.contains("html")))?;
    let is_utf_16 =
        encoding_by_label(&label).is_some_and(|encoding| encoding.name().starts_with("UTF-16"));
    (!is_utf_16).then_some(label)
}

/// The encoding of `<?xml version="1.0" encoding="..."?>`.
fn xml_encoding(beginning: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(beginning);
    let declaration = text.strip_prefix("<?xml")?.split("?>").next()?;
    let (_, rest) = declaration.split_once("encoding")?;
    let rest = rest.trim_start().strip_prefix('=')?.trim_start();
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    Some(rest[1..].split(quote).next()?.to_owned())
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
                Some("text/html; Charset = \"windows-1252\""),
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
            (
                b"\x93\xfa\x96\x7b",
                Some("text/html; charset=Shift_JIS"),
                "日本",
                false,
            ),
            (
                b"\xd6\xd0\xce\xc4",
                Some("text/plain; charset=gbk"),
                "中文",
                false,
            ),
            (
                b"\xed\xc9\xd2",
                Some("text/plain; charset=KOI8-R"),
                "Мир",
                false,
            ),
            (b"\xff\xfea\x00\xfc\x00", Some("text/plain"), "aü", false),
            (
                b"\xfe\xff\x00a\x00\xfc",
                Some("text/html; charset=gbk"),
                "aü",
                false,
            ),
            (
                b"a\x00\xfc\x00",
                Some("text/plain; charset=utf-16le"),
                "aü",
                false,
            ),
            (
                b"\xd6\xd0\xce",
                Some("text/plain; charset=gbk"),
                "中",
                false,
            ),
            (
                b"\x93\xfa\xffx",
                Some("text/plain; charset=shift_jis"),
                "日\u{fffd}x",
                true,
            ),
            (b"\xc3\xbc", Some("text/plain; charset=klingon"), "ü", false),
            (b"\xfc", Some("text/plain; charset"), "\u{fffd}", true),
            (b"", Some("text/plain; charset=utf-16"), "", false),
        ] {
            assert_eq!(
                decode_body(body, kind),
                (expected.to_owned(), lossy),
                "{kind:?}"
            );
        }
    }

    #[test]
    fn pages_and_documents_say_their_charset_themselves() {
        for (body, kind, expected) in [
            (
                &b"<meta charset=koi8-r>\xed\xc9\xd2"[..],
                "text/html",
                "<meta charset=koi8-r>Мир",
            ),
            (
                b"<meta charset=koi8-r>\xc3\xbc",
                "text/html; charset=utf-8",
                "<meta charset=koi8-r>ü",
            ),
            (
                b"<meta charset=utf-16>\xc3\xbc",
                "text/html",
                "<meta charset=utf-16>ü",
            ),
            (
                b"<meta charset=gbk>\xc3\xbc",
                "text/plain",
                "<meta charset=gbk>ü",
            ),
            (
                b"<?xml version='1.0' encoding='Shift_JIS'?>\x93\xfa",
                "application/xml",
                "<?xml version='1.0' encoding='Shift_JIS'?>日",
            ),
        ] {
            assert_eq!(
                decode_body(body, Some(kind)),
                (expected.to_owned(), false),
                "{kind}"
            );
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

    proptest::proptest! {
        #[test]
        fn no_bytes_crash(body in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200), label in "gbk|big5|euc-kr|iso-2022-jp|utf-16|utf-16be|x-user-defined|replacement|hz-gb-2312|gb18030|macintosh|none") {
            let (text, _) = decode_body(&body, Some(&format!("text/html; charset={label}")));
            proptest::prop_assert!(text.len() <= 3 * body.len() + 3);
        }
    }
}
