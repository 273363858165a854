//! Digest of the result of a step, computed once and only on demand.

use std::fmt;
use std::sync::{Arc, LazyLock};

use tool_core::Value;

/// Size from which a result is digested on demand; digesting a smaller one costs less than retaining it.
const LARGE_BYTES: u64 = 1 << 20;

/// Digest of a result. A recorded run has it already; a run in memory retains a large result until the digest is needed.
#[derive(Clone)]
pub struct OutputDigest(Arc<Made>);

type Made = LazyLock<String, Box<dyn FnOnce() -> String + Send>>;

impl OutputDigest {
    /// Digest of a result; a large one that `keep` accepts (by its size in bytes) is digested on demand.
    pub(super) fn of(value: &Value, keep: impl FnOnce(u64) -> bool) -> Self {
        let bytes = value.memory_bytes();
        if bytes < LARGE_BYTES || !keep(bytes) {
            return Self::from(registry::digest::of_value(value));
        }
        let value = value.clone();
        Self::made(move || registry::digest::of_value(&value))
    }

    fn made(make: impl FnOnce() -> String + Send + 'static) -> Self {
        Self(Arc::new(LazyLock::new(Box::new(make))))
    }

    /// The digest in hex digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<String> for OutputDigest {
    fn from(text: String) -> Self {
        let known = Self::made(move || text);
        LazyLock::force(&known.0);
        known
    }
}

impl PartialEq for OutputDigest {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl fmt::Debug for OutputDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_result_is_kept_where_there_is_room_and_has_the_same_digest() {
        let large = Value::vector(vec![0.5; 1 << 18]);
        let small = Value::vector(vec![0.5; 16]);
        for (value, room, asked) in [(&large, true, 1), (&large, false, 1), (&small, true, 0)] {
            let mut times = 0;
            let digest = OutputDigest::of(value, |bytes| {
                times += 1;
                assert!(bytes >= 2 << 20, "{bytes}");
                room
            });
            assert_eq!(times, asked);
            assert_eq!(LazyLock::get(&digest.0).is_none(), asked > 0 && room);
            assert_eq!(digest.as_str(), registry::digest::of_value(value));
        }
    }
}
