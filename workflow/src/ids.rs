//! Ids and slugs. Numbers come from counters of the state, never from a scan of files.

use unicode_normalization::UnicodeNormalization;

use crate::actor::CalendarDate;
use crate::limits::{ID_BYTES_MAX, SLUG_BYTES_MAX};

/// The part of an id that reminds of a title: lower-case ASCII letters and digits joined by single `-`.
///
/// Accents are dropped, every other character separates words, and a title without ASCII letters or digits is `untitled`. The
/// result has at most [`SLUG_BYTES_MAX`] bytes, cut between words where there are several.
pub fn title_slug(title: &str) -> String {
    let mut slug = String::new();
    for character in title.nfkd().take(16 * SLUG_BYTES_MAX) {
        if character.is_ascii_alphanumeric() {
            slug.push(character.to_ascii_lowercase());
        } else if is_joined(character) {
            // An accent or an apostrophe within a word.
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    if slug.len() > SLUG_BYTES_MAX {
        let cut = &slug[..=SLUG_BYTES_MAX];
        let end = cut.rfind('-').unwrap_or(SLUG_BYTES_MAX);
        slug.truncate(end);
    }
    slug.truncate(slug.trim_end_matches('-').len());
    match slug.is_empty() {
        true => "untitled".to_owned(),
        false => slug,
    }
}

fn is_joined(character: char) -> bool {
    unicode_normalization::char::is_combining_mark(character)
        || matches!(character, '\'' | '\u{2019}')
}

/// Whether a text can be an id: ASCII letters, digits, `.`, `_` and `-`, beginning with a letter or digit, without `..`. Such a
/// text is one name of a path on every system.
pub fn is_id(text: &str) -> bool {
    let first = text.as_bytes().first();
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    text.len() <= ID_BYTES_MAX
        && first.is_some_and(u8::is_ascii_alphanumeric)
        && text.bytes().all(allowed)
        && !text.contains("..")
        && !text.ends_with('.')
}

/// `CHAIN-001-slug`; of a checkout `CHAIN-001-4f1ac-slug`.
pub fn chain_id(number: u32, checkout: &str, slug: &str) -> String {
    format!("CHAIN-{}", task_id(number, checkout, slug))
}

/// `001-slug`; of a checkout `001-4f1ac-slug`.
pub fn task_id(number: u32, checkout: &str, slug: &str) -> String {
    match checkout.is_empty() {
        true => format!("{number:03}-{slug}"),
        false => format!("{number:03}-{checkout}-{slug}"),
    }
}

/// `CR`; of a checkout `CR-4f1ac`.
pub fn checkout_prefix(prefix: &str, checkout: &str) -> String {
    match checkout.is_empty() {
        true => prefix.to_owned(),
        false => format!("{prefix}-{checkout}"),
    }
}

/// `CR-20251206-001`, with any prefix.
pub fn dated_id(prefix: &str, date: CalendarDate, number: u32) -> String {
    format!("{prefix}-{date}-{number:03}")
}

/// `FB-001`; of a checkout `FB-001-4f1ac`.
pub fn feedback_id(number: u32, checkout: &str) -> String {
    match checkout.is_empty() {
        true => format!("FB-{number:03}"),
        false => format!("FB-{number:03}-{checkout}"),
    }
}

/// The number of a chain's id; `None` for one without `CHAIN-NNN-`.
pub fn chain_number(id: &str) -> Option<u32> {
    number_before_slug(id.strip_prefix("CHAIN-")?)
}

/// The number of a task's id; `None` for one without `NNN-`.
pub fn task_number(id: &str) -> Option<u32> {
    number_before_slug(id)
}

/// The number of a feedback item's id.
pub fn feedback_number(id: &str) -> Option<u32> {
    let rest = id.strip_prefix("FB-")?;
    parse_id_number(rest.split_once('-').map_or(rest, |(digits, _)| digits))
}

/// Prefix with date, and number: `("CR-20251206", 1)`.
pub fn dated_number(id: &str) -> Option<(&str, u32)> {
    let (head, last) = id.rsplit_once('-')?;
    let (_, date) = head.rsplit_once('-')?;
    CalendarDate::parse(date).filter(|_| date.len() == 8)?;
    Some((head, parse_id_number(last)?))
}

fn number_before_slug(text: &str) -> Option<u32> {
    let (digits, slug) = text.split_once('-')?;
    parse_id_number(digits).filter(|_| !slug.is_empty())
}

/// The largest number of an id that is counted; with a larger one, from elsewhere, the id is a name without a number.
const NUMBER_MAX: u32 = 999_999;

/// At least three digits, as written by this crate; a longer number has no leading zero.
fn parse_id_number(digits: &str) -> Option<u32> {
    let well_formed = digits.len() == 3 || digits.len() > 3 && !digits.starts_with('0');
    if !well_formed || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    digits.parse().ok().filter(|number| *number <= NUMBER_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slugs_are_safe_names() {
        for (title, expected) in [
            ("Add the parser", "add-the-parser"),
            ("Café Ünïcode", "cafe-unicode"),
            ("Don't stop", "dont-stop"),
            ("", "untitled"),
            ("日本語", "untitled"),
            ("../../etc/passwd", "etc-passwd"),
            ("..", "untitled"),
            ("a\0b\nc", "a-b-c"),
            ("  --x--  ", "x"),
            ("ﬁne ①", "fine-1"),
        ] {
            assert_eq!(title_slug(title), expected, "{title:?}");
            assert!(is_id(&task_id(1, "", &title_slug(title))), "{title:?}");
        }
        let long = title_slug(&"word ".repeat(10_000));
        assert!(
            long.len() <= SLUG_BYTES_MAX && long.ends_with("word"),
            "{long}"
        );
        assert_eq!(title_slug(&"x".repeat(1000)).len(), SLUG_BYTES_MAX);
    }

    #[test]
    fn ids_have_numbers() {
        assert_eq!(chain_number("CHAIN-012-parser"), Some(12));
        assert_eq!(chain_number(&chain_id(1234, "", "x")), Some(1234));
        for other in [
            "parser",
            "CHAIN-1-x",
            "CHAIN-001",
            "CHAIN-001-",
            "CHAIN-x01-y",
            "CHAIN-0001-x",
            "CHAIN-1000000-x",
            "CHAIN-99999999999-x",
        ] {
            assert_eq!(chain_number(other), None, "{other}");
        }
        assert_eq!(task_number("002-next"), Some(2));
        // The ids of another checkout are others, and count as well.
        assert_eq!(chain_id(2, "4f1ac", "x"), "CHAIN-002-4f1ac-x");
        assert_eq!(chain_number("CHAIN-002-4f1ac-x"), Some(2));
        assert_eq!(task_number(&task_id(3, "4f1ac", "next")), Some(3));
        assert_eq!(feedback_number(&feedback_id(4, "4f1ac")), Some(4));
        let dated_there = dated_id(
            &checkout_prefix("CR", "4f1ac"),
            CalendarDate::parse("20250101").unwrap(),
            7,
        );
        assert_eq!(dated_there, "CR-4f1ac-20250101-007");
        assert_eq!(dated_number(&dated_there), Some(("CR-4f1ac-20250101", 7)));
        assert_eq!(dated_number("CR-20250101-007"), Some(("CR-20250101", 7)));
        assert_eq!(dated_number("CR-20251301-007"), None);
        assert_eq!(feedback_number("FB-001"), Some(1));
        assert_eq!(feedback_number("FB-1765500000000"), None);
    }

    #[test]
    fn ids_are_names_of_paths() {
        for good in ["CHAIN-001-a", "a", "001-a.b_c"] {
            assert!(is_id(good), "{good}");
        }
        for bad in [
            "",
            ".",
            "..",
            "a/b",
            "a\\b",
            "a..b",
            "-a",
            ".a",
            "a b",
            "é",
            "a.",
            &"a".repeat(101),
        ] {
            assert!(!is_id(bad), "{bad}");
        }
    }
}
