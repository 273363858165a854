//! Forms and queries as browsers send them, and links as pages write them.

use std::fmt::Write as _;

use axum::extract::Request;
use axum::http::header::CONTENT_TYPE;
use tool_core::{Result, tool_error};

use super::super::body;
use super::super::server::HttpServer;
use super::guard::ConsoleVisit;

/// Most fields of a form.
const FIELDS_MAX: usize = 2000;
/// Name of the field that proves that a form was made for the signed-in browser.
pub(super) const TOKEN_FIELD: &str = "form_token";

/// The fields of a form or query, in their order.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct FormFields(Vec<(String, String)>);

impl FormFields {
    /// Reads `name=value&name=value`; what is no UTF-8 is replaced.
    ///
    /// # Errors
    /// `limit_exceeded` for too many fields.
    pub(super) fn parse(text: &str) -> Result<Self> {
        let pairs = text.split('&').filter(|pair| !pair.is_empty());
        let mut fields = Vec::new();
        for pair in pairs {
            if fields.len() == FIELDS_MAX {
                return Err(
                    tool_error!(LimitExceeded, "form"; "a form has at most {FIELDS_MAX} fields"),
                );
            }
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            fields.push((decode_part(name), decode_part(value)));
        }
        Ok(Self(fields))
    }

    /// The first value of a field that is not empty.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let of_name = self.0.iter().filter(|(found, _)| found == name);
        of_name
            .map(|(_, value)| value.as_str())
            .find(|value| !value.is_empty())
    }

    /// Every value of a field.
    pub(super) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let of_name = self.0.iter().filter(move |(found, _)| found == name);
        of_name.map(|(_, value)| value.as_str())
    }

    /// Every field.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// A whole number in a field; 0 for none or another text.
    pub(super) fn number(&self, name: &str) -> usize {
        self.get(name)
            .and_then(|text| text.parse().ok())
            .unwrap_or(0)
    }
}

/// Reads a form that was made for the signed-in browser.
///
/// # Errors
/// `policy_denied` with reason `form` for a form that is not of the session; another kind of body; as reading a body.
pub(super) async fn read_form(
    server: &HttpServer,
    visit: &ConsoleVisit,
    request: Request,
) -> Result<FormFields> {
    let form = read_any_form(server, request).await?;
    let tokens: Vec<&str> = form.all(TOKEN_FIELD).collect();
    match matches!(tokens[..], [token] if visit.session.is_own_form(token)) {
        true => Ok(form),
        false => Err(
            tool_error!(PolicyDenied, "form"; "the form was made for another sign-in";
            "open the page again, and send it from there"),
        ),
    }
}

/// Reads the form of a request before there is a session.
///
/// # Errors
/// Another kind of body; as reading a body.
pub(super) async fn read_any_form(server: &HttpServer, request: Request) -> Result<FormFields> {
    const KIND: &str = "application/x-www-form-urlencoded";
    let (parts, sent) = request.into_parts();
    let stated = parts
        .headers
        .get(CONTENT_TYPE)
        .and_then(|it| it.to_str().ok());
    let kind = stated.and_then(|stated| stated.split(';').next());
    if !kind.is_some_and(|kind| kind.trim().eq_ignore_ascii_case(KIND)) {
        return Err(
            tool_error!(InvalidRequest, "content_type"; "expected a form (`{KIND}`)"; "send it from its page"),
        );
    }
    let text = body::read_body(&parts.headers, sent, server.body_bytes_max()).await?;
    FormFields::parse(&String::from_utf8_lossy(&text))
}

/// Decodes a name or value: `+` is a space, `%41` a byte.
fn decode_part(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'+' => bytes.push(b' '),
            b'%' => {
                let mut ahead = rest.clone();
                let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
                match (digit(ahead.next()), digit(ahead.next())) {
                    (Some(high), Some(low)) => {
                        bytes.push(u8::try_from(high * 16 + low).unwrap_or(b'?'));
                        rest = ahead;
                    }
                    _ => bytes.push(b'%'),
                }
            }
            other => bytes.push(other),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A text as part of a path or query.
pub(super) fn encode_part(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                encoded.push(char::from(byte));
            }
            other => {
                let _ = write!(encoded, "%{other:02X}");
            }
        }
    }
    encoded
}

/// A link with a query; parameters without a value are left out.
pub(super) fn link_to(path: &str, parameters: &[(&str, &str)]) -> String {
    let mut link = path.to_owned();
    let given = parameters.iter().filter(|(_, value)| !value.is_empty());
    for (number, (name, value)) in given.enumerate() {
        link.push(if number == 0 { '?' } else { '&' });
        let _ = write!(link, "{name}={}", encode_part(value));
    }
    link
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_read_as_browsers_write_them() {
        let form = FormFields::parse("a=1+2&b=%C3%A9%26&a=3&c&d=%zz%4").unwrap();
        assert_eq!(form.all("a").collect::<Vec<_>>(), ["1 2", "3"]);
        assert_eq!(form.get("b"), Some("é&"));
        assert_eq!(form.get("c"), None);
        assert_eq!(form.get("d"), Some("%zz%4"));
        let many = "a=1&".repeat(FIELDS_MAX + 1);
        assert!(FormFields::parse(&many).is_err());
    }

    #[test]
    fn what_a_link_carries_comes_back() {
        let text = "a b&c=d%é/\u{202e}\"'<";
        let link = link_to("/console/x", &[("q", text), ("none", "")]);
        let query = link.split_once('?').unwrap().1;
        assert!(
            query
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"=%-_.~".contains(&byte))
        );
        assert_eq!(FormFields::parse(query).unwrap().get("q"), Some(text));
    }
}
