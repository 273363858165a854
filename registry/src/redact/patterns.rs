//! The forms of secrets, matched by hand in linear time without backtracking.

/// The known kinds of secret.
pub const KINDS: [&str; 14] = [
    "aws_access_key",
    "anthropic_key",
    "openai_key",
    "gcloud_key",
    "github_pat",
    "github_oauth",
    "github_app",
    "github_fine_grained",
    "ssh_private_key",
    "bearer_token",
    "connection_string",
    "slack_token",
    "stripe_key",
    "env_secret",
];

/// A secret in a text: bytes from `start` to `end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hit {
    pub start: usize,
    pub end: usize,
    pub kind: &'static str,
}

/// A kind with a fixed prefix and a number of bytes of a class.
struct Token {
    kind: &'static str,
    prefix: &'static str,
    class: fn(u8) -> bool,
    min: usize,
    max: usize,
}

const fn token(
    kind: &'static str,
    prefix: &'static str,
    class: fn(u8) -> bool,
    min: usize,
    max: usize,
) -> Token {
    Token {
        kind,
        prefix,
        class,
        min,
        max,
    }
}

fn alphanumeric(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
}

fn upper(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit()
}

fn word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn dashed(byte: u8) -> bool {
    word(byte) || byte == b'-'
}

const ANY: usize = usize::MAX;

/// Of two prefixes that begin alike, the longer comes first.
const TOKENS: &[Token] = &[
    token("aws_access_key", "AKIA", upper, 16, 16),
    token("aws_access_key", "ASIA", upper, 16, 16),
    token("anthropic_key", "sk-ant-", dashed, 16, ANY),
    token("openai_key", "sk-", dashed, 20, ANY),
    token("gcloud_key", "AIza", dashed, 35, 35),
    token("github_fine_grained", "github_pat_", word, 22, ANY),
    token("github_pat", "ghp_", alphanumeric, 36, ANY),
    token("github_oauth", "gho_", alphanumeric, 36, ANY),
    token("github_app", "ghu_", alphanumeric, 36, ANY),
    token("github_app", "ghs_", alphanumeric, 36, ANY),
    token("github_app", "ghr_", alphanumeric, 36, ANY),
    token("slack_token", "xoxa-", dashed, 10, ANY),
    token("slack_token", "xoxb-", dashed, 10, ANY),
    token("slack_token", "xoxp-", dashed, 10, ANY),
    token("slack_token", "xoxr-", dashed, 10, ANY),
    token("slack_token", "xoxs-", dashed, 10, ANY),
    token("stripe_key", "sk_live_", alphanumeric, 16, ANY),
    token("stripe_key", "sk_test_", alphanumeric, 16, ANY),
    token("stripe_key", "rk_live_", alphanumeric, 16, ANY),
    token("stripe_key", "rk_test_", alphanumeric, 16, ANY),
];

/// Every secret in a text, in order, not overlapping.
///
/// Private keys are searched separately: one may begin inside the value of another form, with its body beyond it. Where two forms
/// overlap, both ranges are redacted.
pub(super) fn find(text: &str) -> Vec<Hit> {
    let bytes = text.as_bytes();
    let mut hits = scan(bytes, |at| {
        if bytes[at] == b'-' {
            private_key(text, at)
        } else {
            None
        }
    });
    hits.extend(scan(bytes, |at| at_position(text, bytes, at)));
    hits.sort_by_key(|hit| (hit.start, std::cmp::Reverse(hit.end)));
    let mut apart: Vec<Hit> = Vec::new();
    for hit in hits {
        match apart.last_mut().filter(|last| hit.start < last.end) {
            Some(last) => last.end = last.end.max(hit.end),
            None => apart.push(hit),
        }
    }
    apart
}

/// The hits of one search. The range of a hit is not searched again, but the name before a value is: it may be a secret.
fn scan(bytes: &[u8], look: impl Fn(usize) -> Option<Hit>) -> Vec<Hit> {
    let mut hits: Vec<Hit> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if let Some(covering) = hits.last().filter(|hit| hit.start <= at && at < hit.end) {
            at = covering.end;
            continue;
        }
        hits.extend(look(at));
        at += 1;
    }
    hits
}

fn at_position(text: &str, bytes: &[u8], at: usize) -> Option<Hit> {
    match bytes[at] {
        b'A' | b's' | b'g' | b'x' | b'r' if starts_word(bytes, at) => {
            fixed_token(bytes, at).or_else(|| assignment(text, bytes, at))
        }
        b'b' | b'B' if starts_word(bytes, at) => {
            bearer(bytes, at).or_else(|| assignment(text, bytes, at))
        }
        b':' => connection(bytes, at),
        byte if byte.is_ascii_alphabetic() && starts_word(bytes, at) => assignment(text, bytes, at),
        _ => None,
    }
}

fn starts_word(bytes: &[u8], at: usize) -> bool {
    at == 0 || !word(bytes[at - 1])
}

fn run(bytes: &[u8], from: usize, class: fn(u8) -> bool) -> usize {
    bytes[from.min(bytes.len())..]
        .iter()
        .take_while(|byte| class(**byte))
        .count()
}

fn fixed_token(bytes: &[u8], at: usize) -> Option<Hit> {
    TOKENS.iter().find_map(|token| {
        bytes[at..]
            .starts_with(token.prefix.as_bytes())
            .then_some(())?;
        let from = at + token.prefix.len();
        let length = run(bytes, from, token.class);
        (length >= token.min && (length <= token.max)).then_some(Hit {
            start: at,
            end: from + length,
            kind: token.kind,
        })
    })
}

/// From the opening line to the closing one, or to the end of the text where it was cut.
fn private_key(text: &str, at: usize) -> Option<Hit> {
    let rest = text[at..].strip_prefix("-----BEGIN ")?;
    let line_end = rest.find("-----")?;
    let label = &rest[..line_end];
    let plain = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b' ';
    if label.len() > 40 || !label.ends_with("PRIVATE KEY") || !label.bytes().all(plain) {
        return None;
    }
    let closing = format!("-----END {label}-----");
    let end = text[at..]
        .find(&closing)
        .map_or(text.len(), |found| at + found + closing.len());
    Some(Hit {
        start: at,
        end,
        kind: "ssh_private_key",
    })
}

fn bearer(bytes: &[u8], at: usize) -> Option<Hit> {
    let word = bytes.get(at..at + 6)?;
    if !word.eq_ignore_ascii_case(b"bearer") {
        return None;
    }
    let spaces = run(bytes, at + 6, |byte| byte == b' ');
    let from = at + 6 + spaces;
    let length = run(bytes, from, |byte| {
        dashed(byte) || matches!(byte, b'.' | b'~' | b'+' | b'/' | b'=')
    });
    (spaces > 0 && length >= 16).then_some(Hit {
        start: from,
        end: from + length,
        kind: "bearer_token",
    })
}

/// `://user:password@`: the password.
fn connection(bytes: &[u8], at: usize) -> Option<Hit> {
    if !bytes[at..].starts_with(b"://") || at == 0 || !alphanumeric(bytes[at - 1]) {
        return None;
    }
    const USER_MAX: usize = 256;
    let user_from = at + 3;
    let plain = |byte: u8| {
        !byte.is_ascii_whitespace() && !matches!(byte, b'/' | b'@' | b':' | b'"' | b'\'')
    };
    let user = run(
        &bytes[..bytes.len().min(user_from + USER_MAX)],
        user_from,
        plain,
    );
    let colon = user_from + user;
    if bytes.get(colon) != Some(&b':') {
        return None;
    }
    let until =
        |byte: u8| !byte.is_ascii_whitespace() && !matches!(byte, b'/' | b'@' | b'"' | b'\'');
    let from = colon + 1;
    let length = run(&bytes[..bytes.len().min(from + USER_MAX)], from, until);
    let closed = bytes.get(from + length) == Some(&b'@');
    (closed && length > 0).then_some(Hit {
        start: from,
        end: from + length,
        kind: "connection_string",
    })
}

/// `NAME=value` or `NAME: value` where the name says secret: the value.
fn assignment(text: &str, bytes: &[u8], at: usize) -> Option<Hit> {
    const NAME_MAX: usize = 64;
    let name_length = run(&bytes[..bytes.len().min(at + NAME_MAX)], at, dashed);
    let name_end = at + name_length;
    let mut cursor = name_end;
    if matches!(bytes.get(cursor), Some(b'"' | b'\'')) {
        cursor += 1; // the name was quoted
    }
    cursor += run(bytes, cursor, |byte| byte == b' ');
    if !matches!(bytes.get(cursor), Some(b'=' | b':')) || !names_a_secret(&text[at..name_end]) {
        return None;
    }
    cursor += 1;
    cursor += run(bytes, cursor, |byte| byte == b' ');
    let quote = bytes
        .get(cursor)
        .copied()
        .filter(|byte| matches!(byte, b'"' | b'\''));
    let from = cursor + usize::from(quote.is_some());
    let rest = &bytes[from.min(bytes.len())..];
    let length = match quote {
        Some(quote) => rest
            .iter()
            .take_while(|byte| **byte != quote && **byte != b'\n')
            .count(),
        None => rest
            .iter()
            .take_while(|byte| {
                !byte.is_ascii_whitespace()
                    && !matches!(byte, b',' | b';' | b'"' | b'\'' | b'&' | b')' | b'}')
            })
            .count(),
    };
    const SECRET_MIN: usize = 6;
    let end = from + length;
    let redacted = rest.starts_with(b"[redacted:");
    (length >= SECRET_MIN && !redacted && text.is_char_boundary(end)).then_some(Hit {
        start: from,
        end,
        kind: "env_secret",
    })
}

/// Whether a name is that of a secret: `API_KEY`, `db_password`, `accessToken`.
pub(super) fn names_a_secret(name: &str) -> bool {
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
    const ENDS: [&str; 2] = ["token", "pwd"];
    if name.len() > 64 {
        return false;
    }
    let plain: String = name
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|letter| letter.to_ascii_lowercase())
        .collect();
    WORDS.iter().any(|word| plain.contains(word)) || ENDS.iter().any(|end| plain.ends_with(end))
}
