//! The forms of secrets: one pattern for each kind, whose first group is the secret.

use std::cmp::Reverse;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use regex::bytes::{Regex, RegexSet};

/// The known kinds of secret, each with its pattern. Of two that match the same range, the first names it.
pub(super) const FORMS: [(&str, &str); 36] = [
    // `NAME=value` or `NAME: value` where the name says secret, up to the closing quote or a separator.
    (
        "env_secret",
        r#"(?i-u)(?:NAMES)["']? *[=:] *(?:"([^"\n]+)|'([^'\n]+)|([^ \t\n\r\x0c,;"'&)}]+))"#,
    ),
    ("bearer_token", r"(?i-u)\bbearer +([a-z0-9_.~+/=-]{16,})"),
    (
        "basic_authorization",
        r#"(?i-u)\bauthorization["']? *[=:] *["']?basic +([a-z0-9+/=_-]{4,})"#,
    ),
    // `Cookie: name=value; name=value`, to the end of the line or text.
    (
        "cookie",
        r#"(?i-u)\b(?:set-)?cookie["']? *: *["']?([^ \t\n\r"'=;]+=[^\n\r"']+)"#,
    ),
    // `://user:password@`: the password.
    (
        "connection_string",
        r#"(?-u)[a-zA-Z0-9]://[^ \t\n\r\x0c/@:"']*:([^ \t\n\r\x0c/@"']+)@"#,
    ),
    // `AccountKey=...;` of a storage account, and the signature of a shared link.
    (
        "azure_key",
        r"(?i-u)\b(?:AccountKey|SharedAccessSignature|SharedSecret)=([a-z0-9+/=%]{16,})",
    ),
    ("azure_signature", r"(?-u)[?&]sig=([a-zA-Z0-9%+/=_-]{20,})"),
    // From the opening line to the closing one, or to the end of the text where it was cut.
    (
        "ssh_private_key",
        r"(?s-u)(-----BEGIN [A-Z0-9 ]{0,29}PRIVATE KEY-----.*?(?:-----END [A-Z0-9 ]{0,29}PRIVATE KEY-----|$))",
    ),
    // The end of one whose beginning was cut.
    (
        "private_key_end",
        r"(?-u)((?:[a-zA-Z0-9+/=]{16,}[ \t\r\n]+)*-----END [A-Z0-9 ]{0,29}PRIVATE KEY-----)",
    ),
    // PuTTY's layout and age.
    (
        "putty_private_key",
        r"(?-u)(Private-Lines: [0-9]+[\r\n]+(?:[a-zA-Z0-9+/=]+(?:[\r\n]+|$))+)",
    ),
    ("age_key", r"(?-u)\b(AGE-SECRET-KEY-1[A-Z0-9]{20,})"),
    (
        "aws_access_key",
        r"(?-u)\b((?:AKIA|ASIA)[A-Z0-9]{16})(?:[^A-Z0-9]|$)",
    ),
    ("mathchain_key", r"(?-u)\b(mathchain_[0-9a-f]{64})"),
    ("anthropic_key", r"(?-u)\b(sk-ant-[\w-]{16,})"),
    ("openai_key", r"(?-u)\b(sk-[\w-]{20,})"),
    ("gcloud_key", r"(?-u)\b(AIza[\w-]{35})(?:[^\w-]|$)"),
    ("gcloud_token", r"(?-u)\b(ya29\.[\w-]{20,})"),
    ("github_fine_grained", r"(?-u)\b(github_pat_\w{22,})"),
    ("github_pat", r"(?-u)\b(ghp_[a-zA-Z0-9]{36,})"),
    ("github_oauth", r"(?-u)\b(gho_[a-zA-Z0-9]{36,})"),
    ("github_app", r"(?-u)\b(gh[usr]_[a-zA-Z0-9]{36,})"),
    (
        "gitlab_token",
        r"(?-u)\b(gl(?:pat|dt|rt|cbt|ptt|soat)-[\w.-]{20,})",
    ),
    ("npm_token", r"(?-u)\b(npm_[a-zA-Z0-9]{36,})"),
    ("pypi_token", r"(?-u)\b(pypi-[\w-]{16,})"),
    ("slack_token", r"(?-u)\b(xox[abeprs]-[\w-]{10,})"),
    (
        "slack_webhook",
        r"(?-u)hooks\.slack\.com/(?:services|workflows)/([\w/-]{20,})",
    ),
    (
        "stripe_key",
        r"(?-u)\b([sr]k_(?:live|test)_[a-zA-Z0-9]{16,})",
    ),
    ("huggingface_token", r"(?-u)\b(hf_[a-zA-Z0-9]{30,})"),
    ("sendgrid_key", r"(?-u)\b(SG\.[\w-]{16,}\.[\w-]{16,})"),
    (
        "telegram_token",
        r"(?-u)\b([0-9]{8,10}:[a-zA-Z0-9_-]{35})\b",
    ),
    ("tavily_key", r"(?-u)\b(tvly-[\w-]{20,})"),
    ("groq_key", r"(?-u)\b(gsk_[a-zA-Z0-9]{30,})"),
    (
        "shopify_token",
        r"(?-u)\b(shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32,})",
    ),
    ("digitalocean_token", r"(?-u)\b(do[opr]_v1_[a-f0-9]{40,})"),
    ("twilio_key", r"(?-u)\b(SK[0-9a-f]{32})(?:[^0-9a-zA-Z]|$)"),
    // A signed token of three parts; the first is an object of JSON.
    ("jwt", r"(?-u)\b(eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*)"),
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
pub(super) struct SecretHit {
    pub start: usize,
    pub end: usize,
    pub kind: &'static str,
}

/// The pattern of a kind, with the names of secrets filled in.
fn secret_pattern(form: &str) -> String {
    let spaced = |word: &&str| word.split("").collect::<Vec<_>>().join("[-_]*");
    let words = WORDS.iter().map(|word| spaced(word) + "[a-z0-9_-]*");
    let names: Vec<String> = words.chain(ENDS.iter().map(spaced)).collect();
    form.replace("NAMES", &names.join("|"))
}

/// What the secrets of all kinds but `env_secret` contain.
const MARKS: [&str; 36] = [
    "://",
    "-----BEGIN ",
    "-----END ",
    "Private-Lines: ",
    "AGE-SECRET-KEY-1",
    "sig=",
    "mathchain_",
    "ya29.",
    "glpat-",
    "gldt-",
    "glrt-",
    "glcbt-",
    "glptt-",
    "glsoat-",
    "npm_",
    "pypi-",
    "hooks.slack.com/",
    "hf_",
    "SG.",
    "tvly-",
    "gsk_",
    "shp",
    "_v1_",
    "eyJ",
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

/// What else stands before a secret behind `=` or `:`.
const HEADS: [&str; 5] = [
    "authorization",
    "cookie",
    "accountkey",
    "sharedaccesssignature",
    "sharedsecret",
];

/// Whether a text has a number as long as those that begin some tokens, before a colon or behind `SK`.
fn has_long_number(text: &str) -> bool {
    let mut digits = 0;
    let mut bytes = text.bytes();
    let is_id = bytes.any(|byte| {
        let is_end = byte == b':' && digits >= 8;
        digits = if byte.is_ascii_digit() { digits + 1 } else { 0 };
        is_end
    });
    is_id || text.contains("SK")
}

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
        || text.contains(['=', ':']) && HEADS.iter().any(|head| plain.contains(head))
        || has_long_number(text)
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
        RegexSet::new(FORMS.map(|(_, form)| secret_pattern(form)))
            .expect("a test compiles each pattern")
    }))
}

/// Every secret in a text, in order; where two overlap, both ranges are redacted.
pub(super) fn find_secrets(text: &str) -> Vec<SecretHit> {
    let Some(set) = set_for(text) else {
        return Vec::new();
    };
    static EACH: [OnceLock<Regex>; FORMS.len()] = [const { OnceLock::new() }; FORMS.len()];
    let bytes = text.as_bytes();
    let mut hits = Vec::new();
    for form in &set.matches(bytes) {
        let (kind, source) = FORMS[form];
        let each = EACH[form].get_or_init(|| {
            Regex::new(&secret_pattern(source)).expect("a test compiles each pattern")
        });
        let named = kind == "env_secret";
        let secrets = each.captures_iter(bytes).filter_map(|found| {
            let secret = found.iter().skip(1).flatten().next()?;
            let redacted = secret.as_bytes().starts_with(b"[redacted:");
            let counts = !named || secret.len() >= VALUE_MIN && !redacted;
            counts.then_some(SecretHit {
                start: secret.start(),
                end: secret.end(),
                kind,
            })
        });
        hits.extend(secrets);
    }
    hits.sort_by_key(|hit| (hit.start, Reverse(hit.end)));
    let mut apart: Vec<SecretHit> = Vec::new();
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
