//! The forms of secrets: one pattern for each kind, whose first group is the secret.

use std::cmp::Reverse;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use regex::bytes::{Regex, RegexSet};

/// The known kinds of secret, each with its pattern. Of two that match the same range, the first names it.
pub(super) const FORMS: [(&str, &str); 14] = [
    // `NAME=value` or `NAME: value` where the name says secret, up to the closing quote or a separator.
    (
        "env_secret",
        r#"(?i-u)(?:NAMES)["']? *[=:] *(?:"([^"\n]+)|'([^'\n]+)|([^ \t\n\r\x0c,;"'&)}]+))"#,
    ),
    ("bearer_token", r"(?i-u)\bbearer +([a-z0-9_.~+/=-]{16,})"),
    // `://user:password@`: the password.
    (
        "connection_string",
        r#"(?-u)[a-zA-Z0-9]://[^ \t\n\r\x0c/@:"']*:([^ \t\n\r\x0c/@"']+)@"#,
    ),
    // From the opening line to the closing one, or to the end of the text where it was cut.
    (
        "ssh_private_key",
        r"(?s-u)(-----BEGIN [A-Z0-9 ]{0,29}PRIVATE KEY-----.*?(?:-----END [A-Z0-9 ]{0,29}PRIVATE KEY-----|$))",
    ),
    (
        "aws_access_key",
        r"(?-u)\b((?:AKIA|ASIA)[A-Z0-9]{16})(?:[^A-Z0-9]|$)",
    ),
    ("anthropic_key", r"(?-u)\b(sk-ant-[\w-]{16,})"),
    ("openai_key", r"(?-u)\b(sk-[\w-]{20,})"),
    ("gcloud_key", r"(?-u)\b(AIza[\w-]{35})(?:[^\w-]|$)"),
    ("github_fine_grained", r"(?-u)\b(github_pat_\w{22,})"),
    ("github_pat", r"(?-u)\b(ghp_[a-zA-Z0-9]{36,})"),
    ("github_oauth", r"(?-u)\b(gho_[a-zA-Z0-9]{36,})"),
    ("github_app", r"(?-u)\b(gh[usr]_[a-zA-Z0-9]{36,})"),
    ("slack_token", r"(?-u)\b(xox[abprs]-[\w-]{10,})"),
    (
        "stripe_key",
        r"(?-u)\b([sr]k_(?:live|test)_[a-zA-Z0-9]{16,})",
    ),
];

/// Words that a name of a secret contains, without `-` and `_`.
const WORDS: [&str; 9] = [
    "secret",
    "password",
    "passwd",
    "apikey",
    "accesskey",
    "privatekey",
    "accesstoken",
    "authtoken",
    "credential",
];
/// Words that a name of a secret ends with.
const ENDS: [&str; 2] = ["token", "pwd"];

/// Minimum length of the value of a name, in bytes.
const VALUE_MIN: usize = 6;

/// A secret in a text: bytes from `start` to `end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hit {
    pub start: usize,
    pub end: usize,
    pub kind: &'static str,
}

/// The pattern of a kind, with the names of secrets filled in.
fn pattern(form: &str) -> String {
    let spaced = |word: &&str| word.split("").collect::<Vec<_>>().join("[-_]*");
    let words = WORDS.iter().map(|word| spaced(word) + "[a-z0-9_-]*");
    let names: Vec<String> = words.chain(ENDS.iter().map(spaced)).collect();
    form.replace("NAMES", &names.join("|"))
}

/// What the secrets of all kinds but `env_secret` contain.
const MARKS: [&str; 14] = [
    "://",
    "-----BEGIN ",
    "AKIA",
    "ASIA",
    "sk-",
    "AIza",
    "github_pat_",
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "xox",
    "k_",
];

/// Whether a text has what every secret has, so that the patterns are worth asking: they take a millisecond to compile.
pub(super) fn may_have_one(text: &str) -> bool {
    let letters = text.bytes().filter(|byte| !matches!(byte, b'-' | b'_'));
    let plain: String = letters
        .map(|byte| char::from(byte.to_ascii_lowercase()))
        .collect();
    let mut names = WORDS.iter().chain(&ENDS);
    MARKS.iter().any(|mark| text.contains(mark))
        || plain.contains("bearer ")
        || text.contains(['=', ':']) && names.any(|name| plain.contains(name))
}

/// The patterns of all kinds; `None` for a short text that has no secret, as long as they are not compiled.
pub(super) fn set_for(text: &str) -> Option<&'static RegexSet> {
    /// In bytes: a longer one is found faster by the patterns.
    const SHORT: usize = 512;
    /// A process that looks at more texts serves, and the patterns are faster once they are compiled.
    const LOOKS_MAX: u32 = 64;
    static SET: OnceLock<RegexSet> = OnceLock::new();
    static LOOKS: AtomicU32 = AtomicU32::new(0);
    if SET.get().is_none()
        && text.len() <= SHORT
        && !may_have_one(text)
        && LOOKS.fetch_add(1, Ordering::Relaxed) < LOOKS_MAX
    {
        return None;
    }
    Some(SET.get_or_init(|| {
        RegexSet::new(FORMS.map(|(_, form)| pattern(form))).expect("a test compiles each pattern")
    }))
}

/// Every secret in a text, in order; where two overlap, both ranges are redacted.
pub(super) fn find(text: &str) -> Vec<Hit> {
    let Some(set) = set_for(text) else {
        return Vec::new();
    };
    static EACH: [OnceLock<Regex>; FORMS.len()] = [const { OnceLock::new() }; FORMS.len()];
    let bytes = text.as_bytes();
    let mut hits = Vec::new();
    for form in &set.matches(bytes) {
        let (kind, source) = FORMS[form];
        let each = EACH[form]
            .get_or_init(|| Regex::new(&pattern(source)).expect("a test compiles each pattern"));
        let named = kind == "env_secret";
        let secrets = each.captures_iter(bytes).filter_map(|found| {
            let secret = found.iter().skip(1).flatten().next()?;
            let redacted = secret.as_bytes().starts_with(b"[redacted:");
            let counts = !named || secret.len() >= VALUE_MIN && !redacted;
            counts.then_some(Hit {
                start: secret.start(),
                end: secret.end(),
                kind,
            })
        });
        hits.extend(secrets);
    }
    hits.sort_by_key(|hit| (hit.start, Reverse(hit.end)));
    let mut apart: Vec<Hit> = Vec::new();
    for hit in hits {
        match apart.last_mut().filter(|last| hit.start < last.end) {
            Some(last) => last.end = last.end.max(hit.end),
            None => apart.push(hit),
        }
    }
    apart
}

/// Whether a name is that of a secret: `API_KEY`, `db_password`, `accessToken`.
pub(super) fn names_a_secret(name: &str) -> bool {
    const NAME_MAX: usize = 64;
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    let plain: String = letters.map(|letter| letter.to_ascii_lowercase()).collect();
    name.len() <= NAME_MAX
        && (WORDS.iter().any(|word| plain.contains(word))
            || ENDS.iter().any(|end| plain.ends_with(end)))
}
