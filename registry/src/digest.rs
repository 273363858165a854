//! Digests of values: the same for every spelling of the same value.

use std::convert::Infallible;

use tool_core::value::exact_double;
use tool_core::{AnyTool, Value};

/// Hex digits of the digest of a value.
///
/// The value is hashed in a canonical binary form: a letter for the kind, then numbers as eight bytes of their double
/// (little end first), texts and arrays behind their length, members of objects sorted by key. A packed block of numbers
/// hashes as the nested arrays it stands for, so `1` and `1.0`, packed or not, give one digest.
pub fn of_value(value: &Value) -> String {
    let mut digest = BufferedHasher::new();
    digest.value(value);
    digest.finish()
}

/// As [`of_value`], without the threads that share the work on large blocks: for a digest beside a computation that uses them.
pub fn of_value_alone(value: &Value) -> String {
    let mut digest = BufferedHasher::new();
    digest.is_alone = true;
    digest.value(value);
    digest.finish()
}

/// Hex digits of the digest of how a value is spelt, where [`of_value`] says what it is: whole numbers or doubles, packed or
/// not, the order of members. The two together name a value to the last byte of its text.
pub fn of_spelling(value: &Value) -> String {
    let mut digest = BufferedHasher::new();
    digest.spelling(value);
    digest.finish()
}

/// Digest of what a caller of a tool depends on: id, version, description and schema of the arguments.
pub fn of_tool(tool: &dyn AnyTool) -> String {
    let spec = tool.spec();
    let (version, schema) = (spec.version.to_string(), tool.input_schema().to_string());
    let description = tool.description();
    of_texts([spec.id, &version, &description, &schema])
}

/// Hex digits of the digest of several texts; each is hashed behind its length.
pub fn of_texts<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    let mut digest = BufferedHasher::new();
    texts.into_iter().for_each(|text| digest.text(text));
    digest.finish()
}

/// Hex digits of the digest of the bytes of a reader, such as the file of a program.
///
/// # Errors
/// When it cannot be read.
pub fn of_reader(reader: impl std::io::Read) -> std::io::Result<String> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(reader)?;
    Ok(hasher.finalize().to_hex().to_string())
}

/// Hex digits of the code that only who has the key can make of these texts; each is hashed behind its length.
pub fn keyed<'a>(key: &[u8; 32], texts: impl IntoIterator<Item = &'a str>) -> String {
    let mut hasher = blake3::Hasher::new_keyed(key);
    for text in texts {
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}

/// Hex digits of the digest of several byte texts, added one after another; each is hashed behind its length.
#[derive(Default)]
pub struct DigestParts(blake3::Hasher);

impl DigestParts {
    /// None yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one.
    pub fn add(&mut self, bytes: &[u8]) {
        self.0.update(&(bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    /// The digest.
    pub fn finish(self) -> String {
        self.0.finalize().to_hex().to_string()
    }
}

/// A hasher behind a buffer: most parts of a value are a few bytes, and the hash is fast on many.
struct BufferedHasher {
    hasher: blake3::Hasher,
    buffer: Vec<u8>,
    /// The hasher takes whole buffers of this size.
    full: usize,
    /// Whether no other thread takes part.
    is_alone: bool,
}

impl BufferedHasher {
    /// Subtrees that the hasher works on side by side.
    const FULL: usize = 64 * 1024;
    /// What several threads share, where a block has as much.
    const WIDE: usize = 4 << 20;

    fn new() -> Self {
        Self {
            hasher: blake3::Hasher::new(),
            buffer: Vec::with_capacity(256),
            full: Self::FULL,
            is_alone: false,
        }
    }

    fn push(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
        self.flush();
    }

    /// Hands what fills whole buffers to the hasher.
    fn flush(&mut self) {
        let whole = self.buffer.len() / self.full * self.full;
        match whole {
            0 => return,
            Self::WIDE.. if !self.is_alone => {
                thread_pools::run_in_pool(|| self.hasher.update_rayon(&self.buffer[..whole]))
            }
            _ => self.hasher.update(&self.buffer[..whole]),
        };
        self.buffer.drain(..whole);
    }

    fn finish(mut self) -> String {
        self.hasher.update(&self.buffer);
        self.hasher.finalize().to_hex().to_string()
    }

    fn spelling(&mut self, value: &Value) {
        match value {
            Value::Null | Value::Bool(_) | Value::String(_) => self.push(b"."),
            Value::Int(_) => self.push(b"i"),
            Value::Float(number) => {
                self.push(if number.is_sign_negative() {
                    b"-"
                } else {
                    b"f"
                });
            }
            Value::Numbers(numbers) => self.push(if numbers.integral() { b"I" } else { b"F" }),
            Value::Array(items) => {
                self.sized(b'a', items.len());
                items.iter().for_each(|item| self.spelling(item));
            }
            Value::Object(object) => {
                self.sized(b'o', object.len());
                let Ok(()) = object.visit(|key, member| -> Result<(), Infallible> {
                    self.text(key);
                    self.spelling(member);
                    Ok(())
                });
            }
        }
    }

    fn sized(&mut self, kind: u8, length: usize) {
        let mut bytes = [kind; 9];
        bytes[1..].copy_from_slice(&(length as u64).to_le_bytes());
        self.push(&bytes);
    }

    fn text(&mut self, text: &str) {
        self.sized(b's', text.len());
        self.push(text.as_bytes());
    }

    fn number(&mut self, number: f64) {
        let mut bytes = [b'd'; 9];
        bytes[1..].copy_from_slice(&number.to_le_bytes());
        self.push(&bytes);
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.push(b"n"),
            Value::Bool(false) => self.push(b"f"),
            Value::Bool(true) => self.push(b"t"),
            Value::Int(number) => match exact_double(*number) {
                Some(double) => self.number(double),
                None => {
                    self.push(b"i");
                    self.push(&number.to_le_bytes());
                }
            },
            Value::Float(number) => self.number(*number),
            Value::String(text) => self.text(text),
            Value::Array(items) => {
                self.sized(b'a', items.len());
                items.iter().for_each(|item| self.value(item));
            }
            Value::Numbers(numbers) => {
                let data = numbers.as_slice();
                if size_of_val(data) >= Self::WIDE && !self.is_alone {
                    self.full = Self::WIDE;
                }
                self.block(numbers.shape(), data);
                self.full = Self::FULL;
            }
            Value::Object(object) => {
                self.sized(b'o', object.len());
                let Ok(()) = object.visit_sorted(|key, member| -> Result<(), Infallible> {
                    self.text(key);
                    self.value(member);
                    Ok(())
                });
            }
        }
    }

    fn block(&mut self, shape: &[usize], data: &[f64]) {
        self.sized(b'a', shape[0]);
        if shape.len() == 1 {
            const BATCH: usize = 512;
            for batch in data.chunks(BATCH) {
                let start = self.buffer.len();
                self.buffer.resize(start + 9 * batch.len(), b'd');
                let places = self.buffer[start..].as_chunks_mut::<9>().0.iter_mut();
                for (place, number) in places.zip(batch) {
                    place[1..].copy_from_slice(&number.to_le_bytes());
                }
                self.flush();
            }
            return;
        }
        for part in data.chunks_exact(data.len() / shape[0]) {
            self.block(&shape[1..], part);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(text: &str) -> String {
        of_value(
            &tool_core::json::parse_json(text, tool_core::json::JsonLimits::default()).unwrap(),
        )
    }

    #[test]
    fn digests_of_spelling_tell_spellings_apart() {
        let spelling = |text: &str| {
            let value = tool_core::json::parse_json(text, tool_core::json::JsonLimits::default());
            of_spelling(&value.unwrap())
        };
        for (a, b) in [
            ("1", "1.0"),
            ("[1,2]", "[1.0,2]"),
            (r#"{"a":1,"b":[2]}"#, r#"{"b":[2],"a":1}"#),
            ("[\"x\",1]", "[\"x\",1.0]"),
        ] {
            assert_ne!(spelling(a), spelling(b), "{a} {b}");
            assert_eq!(digest(a), digest(b), "{a} {b}");
        }
        assert_eq!(spelling("[1,2]"), spelling("[3,4]"));
    }

    #[test]
    fn spellings_of_one_value_share_a_digest_and_values_do_not() {
        for (a, b) in [
            ("1", "1.0"),
            ("[1,2]", "[1.0, 2e0]"),
            ("[[1,2],[3,4]]", "[[1,2.0],[3,4]]"),
            (r#"{"a":1,"b":[2]}"#, r#"{"b":[2],"a":1}"#),
            (r#""\u0041""#, r#""A""#),
        ] {
            assert_eq!(digest(a), digest(b), "{a} {b}");
        }
        let apart = [
            "null",
            "false",
            "0",
            "\"\"",
            "[]",
            "{}",
            "[1,2]",
            "[[1],[2]]",
            "[[1,2]]",
            "[1,[2]]",
            "[\"12\"]",
            "[\"1\",\"2\"]",
            "{\"a\":1}",
            "{\"a\":null}",
            "-0.0",
        ];
        let digests: std::collections::BTreeSet<String> =
            apart.iter().map(|text| digest(text)).collect();
        assert_eq!(digests.len(), apart.len());
        assert_ne!(of_texts(["ab", "c"]), of_texts(["a", "bc"]));
    }

    #[test]
    fn a_block_that_threads_share_hashes_as_a_small_one_does() {
        let data: Vec<f64> = (0..1_400_003).map(f64::from).collect();
        let mut bytes = vec![b'a'];
        bytes.extend_from_slice(&(data.len() as u64).to_le_bytes());
        for number in &data {
            bytes.push(b'd');
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        let expected = blake3::hash(&bytes).to_hex();
        assert_eq!(
            of_value_alone(&Value::vector(data.clone())),
            expected.as_str()
        );
        assert_eq!(of_value(&Value::vector(data)), expected.as_str());
    }

    #[test]
    fn a_packed_block_hashes_as_the_arrays_it_stands_for() {
        let packed = digest("[[1,2],[3,4]]");
        let rows =
            [[1.0, 2.0], [3.0, 4.0]].map(|row| Value::Array(row.map(Value::from).to_vec().into()));
        assert_eq!(of_value(&Value::Array(rows.to_vec().into())), packed);
    }
}
