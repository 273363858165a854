//! Places where a test ends the process as `kill -9` would.
//!
//! `MATHCHAIN_FAILPOINT=name` ends it the first time the place is passed, `name:3` the third time. Without the feature
//! `failpoints` (and outside this crate's own tests) nothing of it is compiled.

/// Ends the process here, if a test asked for it.
#[cfg(any(test, feature = "failpoints"))]
pub fn fail_at(name: &str) {
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};
    static WANTED: OnceLock<Option<(String, u64)>> = OnceLock::new();
    static PASSED: AtomicU64 = AtomicU64::new(0);
    let wanted = WANTED.get_or_init(|| {
        let text = std::env::var_os("MATHCHAIN_FAILPOINT")?
            .into_string()
            .ok()?;
        Some(match text.split_once(':') {
            Some((name, nth)) => (name.to_owned(), nth.parse().unwrap_or(1)),
            None => (text, 1),
        })
    });
    if let Some((place, nth)) = wanted
        && place == name
        && PASSED.fetch_add(1, Ordering::Relaxed) + 1 == *nth
    {
        std::process::abort();
    }
}

/// Does nothing.
#[cfg(not(any(test, feature = "failpoints")))]
#[inline(always)]
pub fn fail_at(_: &str) {}
