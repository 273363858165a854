//! Versions of plugins and the ranges that dependencies name, written as package managers write them.

use semver::{Version, VersionReq};

/// Reads `1.2.3`; missing parts are zero. `None` for pre-releases and anything else.
pub(super) fn parse_version(text: &str) -> Option<Version> {
    let plain = text
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.');
    let missing = 3_usize.checked_sub(text.split('.').count())?;
    let padded = format!("{text}{}", ".0".repeat(missing));
    plain.then(|| padded.parse().ok())?
}

/// Reads `>=1.2, <2`, `^1.2`, `~1.2.3`, `=1.0.0`; a bare version means `^`, an empty text any version.
pub(super) fn parse_version_range(text: &str) -> Option<VersionReq> {
    let plain = |byte: u8| byte.is_ascii_digit() || b".,<>=^~ ".contains(&byte);
    let text = text.trim().replace("==", "=");
    match text.as_str() {
        "" => Some(VersionReq::STAR),
        _ => text.bytes().all(plain).then(|| text.parse().ok())?,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_mean_what_package_managers_mean() {
        for (text, inside, outside) in [
            ("", &["0.0.1", "9"][..], &[][..]),
            ("1.2", &["1.2.0", "1.9"], &["1.1.9", "2"]),
            ("^0.2.3", &["0.2.3", "0.2.9"], &["0.2.2", "0.3"]),
            ("^0.0", &["0.0.5"], &["0.1"]),
            ("~1.2.3", &["1.2.3", "1.2.9"], &["1.3", "1.2.2"]),
            ("=1.2", &["1.2", "1.2.7"], &["1.3"]),
            ("==1.2.0", &["1.2"], &["1.2.1"]),
            (">=1.2, <2", &["1.2", "1.99.1"], &["2", "1.1"]),
            (">1.2.3", &["1.2.4"], &["1.2.3"]),
            ("<=2.0.0", &["2", "0.1"], &["2.0.1"]),
        ] {
            let parsed = parse_version_range(text).unwrap();
            let fits = |one: &&str| parsed.matches(&parse_version(one).unwrap());
            assert!(inside.iter().all(fits), "{text}");
            assert!(!outside.iter().any(fits), "{text}");
        }
        for wrong in ["^", "1.2.3.4", "=>1", "1.x", "latest", "1..2", "-1"] {
            assert_eq!(parse_version_range(wrong), None, "{wrong}");
        }
        assert_eq!(parse_version("1.18446744073709551616"), None);
    }
}
