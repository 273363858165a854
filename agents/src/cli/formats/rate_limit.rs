//! Errors about too many requests, whose words each provider chooses.

/// Whether an error is about too many requests, and after how many seconds the provider takes requests again, where it says so.
pub fn rate_limit(error: &str) -> Option<Option<u64>> {
    const WORDS: [&str; 7] = [
        "rate limit",
        "rate_limit",
        "ratelimit",
        "too many requests",
        "usage limit",
        "quota exceeded",
        "resource_exhausted",
    ];
    let lower = error.to_lowercase();
    let is_status = lower
        .split(|one: char| !one.is_ascii_alphanumeric())
        .any(|word| word == "429");
    if !is_status && !WORDS.iter().any(|word| lower.contains(word)) {
        return None;
    }
    const BEFORE: [&str; 4] = ["retry after ", "try again in ", "resets in ", "retry in "];
    let stated = BEFORE.iter().find_map(|words| {
        let rest = lower.split_once(words)?.1;
        let end = rest.find(|one: char| !one.is_ascii_digit() && one != '.')?;
        let number: f64 = rest[..end].trim_end_matches('.').parse().ok()?;
        let unit = rest[end..].trim_start();
        let seconds = match unit.chars().next() {
            Some('h') => number * 3600.0,
            Some('m') if !unit.starts_with("ms") => number * 60.0,
            Some('s') => number,
            _ => return None,
        };
        Some(seconds.ceil().min(1e9) as u64)
    });
    Some(stated)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rate_limits_are_recognised_with_their_time() {
        for (text, expected) in [
            ("HTTP 429", Some(None)),
            ("Rate limit reached, try again in 20s", Some(Some(20))),
            ("too many requests; retry after 1.5 m.", Some(Some(90))),
            ("usage limit: resets in 2 hours", Some(Some(7200))),
            ("quota exceeded, retry in 300ms", Some(None)),
            ("error 4290", None),
            ("file not found", None),
        ] {
            assert_eq!(rate_limit(text), expected, "{text}");
        }
    }
}
