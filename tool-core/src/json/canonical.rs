//! Canonical JSON: one text per value, for digests and hash chains.

use super::write::{self, JsonStyle};
use crate::value::Value;

/// The value as canonical JSON: equal values give equal texts.
///
/// As [`to_text`](super::to_text), with the members of every object in the byte order of their keys, and with numbers spelled
/// by value: a whole number of magnitude at most 2^53 is written as an integer however it was given (`1`, not `1.0`); every
/// other double is the shortest text that reads back as the same bits. Minus zero keeps its sign (`-0.0`), since it divides
/// differently. Reading the text and making it canonical again gives the same text.
pub fn canonical_json(value: &Value) -> String {
    let mut text = String::new();
    write::write_styled(value, JsonStyle::Canonical, &mut text);
    text
}

#[cfg(test)]
mod tests {
    use super::super::{JsonLimits, parse_json};
    use super::*;

    fn check(text: &str, expected: &str) {
        let value = parse_json(text, JsonLimits::default()).unwrap();
        let found = canonical_json(&value);
        assert_eq!(found, expected, "{text}");
        let again = parse_json(&found, JsonLimits::default()).unwrap();
        assert_eq!(
            canonical_json(&again),
            found,
            "{text}: reading back changes it"
        );
    }

    #[test]
    fn keys_are_sorted_at_every_level() {
        check(
            r#"{"b":1,"a":{"d":[{"z":1,"y":2}],"c":3}}"#,
            r#"{"a":{"c":3,"d":[{"y":2,"z":1}]},"b":1}"#,
        );
        check(r#"{"é":1,"z":2,"Z":3,"":4}"#, r#"{"":4,"Z":3,"z":2,"é":1}"#);
        check(r#"{"10":1,"9":2}"#, r#"{"10":1,"9":2}"#);
    }

    #[test]
    fn numbers_are_spelled_by_value() {
        check("[1, 2.0, 3e0]", "[1,2,3]");
        check("[1.5, 2.0]", "[1.5,2]");
        check("[[1.0,2],[3,4]]", "[[1,2],[3,4]]");
        check("1.0", "1");
        check("-0.0", "-0.0");
        check("[-0.0, 0.0, 0]", "[-0.0,0,0]");
        check("1e3", "1000");
        check("9007199254740992", "9007199254740992");
        check("9007199254740992.0", "9007199254740992");
        check("0.1", "0.1");
    }

    #[test]
    fn other_values_are_written_as_elsewhere() {
        check(
            r#"[null, true, "a\n\"b\"", [], {}]"#,
            r#"[null,true,"a\n\"b\"",[],{}]"#,
        );
    }

    #[test]
    fn large_doubles_read_back() {
        for number in [
            1e300,
            -2.5e-310,
            9007199254740994.0,
            f64::MAX,
            f64::MIN_POSITIVE,
        ] {
            let text = canonical_json(&Value::Float(number));
            let again = parse_json(&text, JsonLimits::default()).unwrap();
            assert_eq!(
                again.as_f64().map(f64::to_bits),
                Some(number.to_bits()),
                "{text}"
            );
        }
    }
}
