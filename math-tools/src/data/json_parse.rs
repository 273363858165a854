//! A text as JSON.

use tool_core::json::{JsonLimits, parse_json};

use crate::prelude::*;

/// Parses a JSON text. It is read strictly by RFC 8259, and a key that is there twice is an error; `lenient` also takes
/// comments (`//`, `/* */`, `#`) and commas before a closing bracket, as configurations have them. Integers keep all digits up to 64 bits.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The text.
    #[schema(extend("x-file-endings" = [".json", ".jsonc"]))]
    pub text: Input<TextInput>,
    /// Whether comments and trailing commas are taken.
    #[value(default)]
    pub lenient: bool,
}

/// The value of a text.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The value, of any type.
    pub value: Value,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("json_parse", "Parse JSON")
        .category(Category::Data)
        .tags(&["json", "convert"]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "a comment and a trailing comma":
            r#"{"text": "{\"a\": [1, 2,], // two\n}", "lenient": true}"# => r#"{"value": {"a": [1, 2]}}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let text = args.text.load(ctx)?;
        // A value takes several times its text.
        ctx.reserve((text.len() as u64).saturating_mul(4))?;
        let whole = text;
        let plain;
        let text = match args.lenient {
            true => {
                plain = strip_comments(&whole);
                plain.as_str()
            }
            false => whole.strip_prefix('\u{feff}').unwrap_or(&whole),
        };
        let limits = JsonLimits {
            bytes_max: text.len(),
            ..JsonLimits::default()
        };
        let value = parse_json(text, limits).map_err(|err| {
            let error = ToolError::invalid("/text", &err).reason("json");
            match (&err.hint, args.lenient) {
                (Some(hint), _) => error.hint(hint),
                // The setting is named where it would help.
                (None, false) if parse_json(&strip_comments(&whole), limits).is_ok() => error.hint(
                    "`\"lenient\": true` takes comments and trailing commas, which this text has",
                ),
                (None, _) => error.hint(fault_hint(text)),
            }
        })?;
        Ok(Output { value })
    }
}

/// The next step for a text that is no JSON.
fn fault_hint(text: &str) -> &'static str {
    let start = text.trim_start();
    if start.is_empty() {
        return "the text is empty: pass the document itself";
    }
    if start.starts_with('<') {
        return "the text looks like HTML or XML: look at where it comes from";
    }
    if text.lines().filter(|line| !line.trim().is_empty()).count() > 1
        && start.starts_with(['{', '['])
        && text
            .lines()
            .next()
            .is_some_and(|line| parse_json(line, JsonLimits::default()).is_ok())
    {
        return "each line is a document: save it as .jsonl, or parse line by line";
    }
    if text.contains('\'') && !text.contains('"') {
        return "texts and names are written in double quotes";
    }
    "names and texts are written in double quotes, nothing but space follows the last bracket, and words are `true`, `false` and `null`"
}

/// The text with spaces in place of comments and of commas before a closing bracket, so that places stay what they are.
fn strip_comments(text: &str) -> String {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut out = text.as_bytes().to_vec();
    let mut at = 0;
    // The comma after the last value, and the last byte that is no space.
    let (mut comma, mut before) = (None, b'[');
    while at < out.len() {
        let end = match (out[at], out.get(at + 1)) {
            (b'"', _) => {
                (comma, before) = (None, b'"');
                at = string_end(&out, at + 1);
                continue;
            }
            (b'#', _) | (b'/', Some(b'/')) => {
                let line = out[at..].iter().position(|byte| *byte == b'\n');
                line.map_or(out.len(), |line| at + line)
            }
            (b'/', Some(b'*')) => {
                let close = out[at + 2..].windows(2).position(|pair| pair == b"*/");
                match close {
                    Some(close) => at + 2 + close + 2,
                    // It stays, and is an error of the text.
                    None => break,
                }
            }
            (byte, _) => {
                if !byte.is_ascii_whitespace() {
                    let follows_value = !matches!(before, b'[' | b'{' | b',' | b':');
                    match (byte, comma) {
                        (b',', _) => comma = Some(at).filter(|_| follows_value),
                        (b']' | b'}', Some(place)) => {
                            out[place] = b' ';
                            comma = None;
                        }
                        _ => comma = None,
                    }
                    before = byte;
                }
                at += 1;
                continue;
            }
        };
        // Whole characters are replaced: a comment ends at ASCII.
        out[at..end]
            .iter_mut()
            .filter(|byte| **byte != b'\n')
            .for_each(|byte| *byte = b' ');
        at = end;
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// The place after a string that begins before `at`.
fn string_end(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tool_core::tool_entry;

    fn parse(text: &str, lenient: bool) -> Result<String, ToolError> {
        let args = Value::object([
            ("text", Value::from(text)),
            ("lenient", Value::Bool(lenient)),
        ]);
        let found = tool_entry::<Args>()
            .tool()
            .decode(&args)?
            .run(&Ctx::default())?;
        Ok(found.get("value").expect("a value").to_string())
    }

    #[test]
    fn comments_and_commas_are_taken_when_asked() {
        for (text, expected) in [
            ("[1,/* é */2,]", "[1,2]"),
            ("# head\n{\"a//b\": \"#,]\", }", r##"{"a//b":"#,]"}"##),
            ("{\"a\": \"x\\\",\" , // y ,\n}", r#"{"a":"x\","}"#),
            ("\u{feff}[] // end", "[]"),
        ] {
            assert_eq!(parse(text, true).unwrap(), expected, "{text}");
            assert!(parse(text, false).is_err(), "{text}");
        }
        for text in [
            "[,]",
            "[1,,2]",
            "[1 2]",
            "{\"a\":1,\"a\":2}",
            "/* open",
            "{,}",
        ] {
            assert!(parse(text, true).is_err(), "{text}");
        }
        assert_eq!(
            parse("9007199254740993", false).unwrap(),
            "9007199254740993"
        );
        assert!(
            parse("[1,]", false)
                .unwrap_err()
                .hint_str()
                .unwrap()
                .contains("lenient")
        );
    }
}
