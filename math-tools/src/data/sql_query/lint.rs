//! Checks of function arguments, which SQLite's authoriser does not see, on the tokens of the query.
//!
//! Two families of calls are looked at. `printf` and `format` run for seconds on widths such as `%.999999999d`, out of reach of
//! the progress handler, so their format must be a literal with small widths. Date functions read the clock for `'now'` (or no
//! argument at all) and the machine's time zone for `'localtime'`, which would make the result depend on the machine.

use tool_core::{ToolError, tool_error};

/// Longest query, in bytes.
pub(super) const QUERY_BYTES_MAX: usize = 100_000;
/// Largest width or precision in a format.
const WIDTH_MAX: u32 = 1000;
const FORMATTERS: [&str; 2] = ["printf", "format"];
const DATES: [&str; 7] = [
    "date",
    "time",
    "datetime",
    "julianday",
    "unixepoch",
    "strftime",
    "timediff",
];
const MOMENTS: [&str; 3] = ["now", "localtime", "utc"];

/// Refuses a query that is too long or calls those functions in such a way.
pub(super) fn check_query(query: &str) -> Result<(), ToolError> {
    if query.len() > QUERY_BYTES_MAX {
        let length = query.len();
        let error = tool_error!(LimitExceeded, "query_length";
            "the query has {length} bytes, the limit is {QUERY_BYTES_MAX}";
            "put data into `tables` or `params` instead of the query");
        return Err(error.at("/query"));
    }
    // SQLite reads to the first NUL and would answer another query.
    if let Some(at) = query.find('\0') {
        refuse!(invalid "/query", "sql"; "NUL at byte {}, which ends a query", at + 1;
            "leave it out; a text with NUL can be passed in `params`");
    }
    let tokens = tokenise_query(query);
    for (index, token) in tokens.iter().enumerate() {
        let SqlToken::Name(name) = token else {
            continue;
        };
        if !matches!(tokens.get(index + 1), Some(SqlToken::Sign(b'('))) {
            continue;
        }
        let name = name.to_ascii_lowercase();
        let arguments = &tokens[index + 2..];
        if FORMATTERS.contains(&name.as_str()) {
            check_format(&name, arguments)?;
        } else if DATES.contains(&name.as_str()) {
            check_date(&name, arguments)?;
        }
    }
    Ok(())
}

/// Whether a query is nothing but space and comments.
pub(super) fn is_blank(query: &str) -> bool {
    tokenise_query(query)
        .iter()
        .all(|token| *token == SqlToken::Sign(b';'))
}

/// The format must be one literal, alone in its argument, without `*` and with small widths.
fn check_format(name: &str, arguments: &[SqlToken]) -> Result<(), ToolError> {
    let refuse = |message: String| {
        Err(
            tool_error!(InvalidArgs at "/query", "sql_format"; "{message}";
            "write `{name}('%.2f', x)` with a literal format and widths up to {WIDTH_MAX}"),
        )
    };
    let [SqlToken::Text(format), SqlToken::Sign(b',' | b')'), ..] = arguments else {
        return refuse(format!("the format of `{name}` is not a literal text"));
    };
    let mut width = 0_u32;
    let mut inside = false;
    for character in format.chars() {
        match character {
            '%' => (inside, width) = (!inside, 0),
            '*' if inside => {
                return refuse(format!(
                    "the format of `{name}` takes a width from its arguments (`*`)"
                ));
            }
            '0'..='9' if inside => {
                width = width
                    .saturating_mul(10)
                    .saturating_add(u32::from(character) - u32::from('0'));
                if width > WIDTH_MAX {
                    return refuse(format!(
                        "the format of `{name}` has a width above {WIDTH_MAX}"
                    ));
                }
            }
            '.' => width = 0,
            _ if character.is_ascii_alphabetic() && character != 'l' => inside = false,
            _ => {}
        }
    }
    Ok(())
}

/// At least one argument, and none of the literals that read the clock or the time zone.
fn check_date(name: &str, arguments: &[SqlToken]) -> Result<(), ToolError> {
    let mut depth = 1;
    let mut count = 0;
    for token in arguments {
        match token {
            SqlToken::Sign(b'(') => depth += 1,
            SqlToken::Sign(b')') => depth -= 1,
            SqlToken::Text(text)
                if MOMENTS.contains(&text.trim().to_ascii_lowercase().as_str()) =>
            {
                return Err(clock_error(name, &format!("'{text}'")));
            }
            _ => {}
        }
        if depth == 0 {
            break;
        }
        count += 1;
    }
    // `strftime(format)` alone reads the clock too.
    let least = if name == "strftime" { 2 } else { 1 };
    if count < least {
        return Err(clock_error(name, "no time given"));
    }
    Ok(())
}

fn clock_error(name: &str, what: &str) -> ToolError {
    tool_error!(InvalidArgs at "/query", "sql_clock";
        "`{name}` with {what} depends on the clock or the time zone of the machine";
        "pass the moment as a parameter: `params`")
}

/// A token of SQL, as far as it matters here.
#[derive(Debug, PartialEq)]
pub(super) enum SqlToken {
    /// A name, a keyword or a number, bare or quoted in any of SQLite's three ways.
    Name(String),
    /// A text literal.
    Text(String),
    /// Any other character.
    Sign(u8),
}

impl SqlToken {
    /// Whether it is this name, in any case.
    pub(super) fn is(&self, name: &str) -> bool {
        matches!(self, Self::Name(own) if own.eq_ignore_ascii_case(name))
    }
}

pub(super) fn tokenise_query(query: &str) -> Vec<SqlToken> {
    let bytes = query.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        match bytes[at] {
            b'-' if bytes.get(at + 1) == Some(&b'-') => at = find_mark_end(bytes, at, b"\n"),
            b'/' if bytes.get(at + 1) == Some(&b'*') => at = find_mark_end(bytes, at + 2, b"*/"),
            b'\'' => {
                let text;
                (text, at) = read_quoted_token(query, at, b'\'');
                tokens.push(SqlToken::Text(text));
            }
            open @ (b'"' | b'`') => {
                let name;
                (name, at) = read_quoted_token(query, at, open);
                tokens.push(SqlToken::Name(name));
            }
            b'[' => {
                at = find_mark_end(bytes, at + 1, b"]");
                let name = query.get(start + 1..at).unwrap_or_default();
                tokens.push(SqlToken::Name(name.trim_end_matches(']').to_owned()));
            }
            byte if byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80 => {
                while at < bytes.len()
                    && (bytes[at].is_ascii_alphanumeric()
                        || matches!(bytes[at], b'_' | b'$')
                        || bytes[at] >= 0x80)
                {
                    at += 1;
                }
                tokens.push(SqlToken::Name(query[start..at].to_owned()));
            }
            byte => {
                at += 1;
                if !byte.is_ascii_whitespace() {
                    tokens.push(SqlToken::Sign(byte));
                }
            }
        }
    }
    tokens
}

/// The place after the next occurrence of a mark, or the end.
fn find_mark_end(bytes: &[u8], from: usize, mark: &[u8]) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    rest.windows(mark.len())
        .position(|window| window == mark)
        .map_or(bytes.len(), |position| from + position + mark.len())
}

/// The content of a quoted token, with doubled quotes undone, and the place after it.
fn read_quoted_token(query: &str, open: usize, quote: u8) -> (String, usize) {
    let bytes = query.as_bytes();
    let mut content = Vec::new();
    let mut at = open + 1;
    while at < bytes.len() {
        if bytes[at] != quote {
            content.push(bytes[at]);
        } else if bytes.get(at + 1) == Some(&quote) {
            content.push(quote);
            at += 1;
        } else {
            at += 1;
            break;
        }
        at += 1;
    }
    (String::from_utf8_lossy(&content).into_owned(), at)
}
