//! Requests to the services behind the tools, with checks of status, size and type.

use url::Url;

use super::text;
use crate::prelude::*;

/// Maximum size of a response in bytes.
const ANSWER_BYTES_MAX: u64 = 8 << 20;

/// A configured service.
pub(super) struct ConfiguredService {
    role: &'static str,
    at: HttpService,
}

impl ConfiguredService {
    /// The service of a role; `language` fills the placeholder of its address.
    pub(super) fn of(role: &'static str, language: Option<&str>, ctx: &Ctx) -> Result<Self> {
        let mut at = ctx.http()?.service(role).ok_or_else(|| {
            tool_error!(PreconditionFailed, "no_provider"; "no service for `{role}`";
                "set `web.search` in the configuration, and the environment variable that its `api_key` names")
        })?;
        if let Some(language) = language {
            at.base = at.base.replace("{language}", language);
        }
        Ok(Self { role, at })
    }

    pub(super) fn provider(&self) -> &str {
        &self.at.provider
    }

    /// Requests JSON.
    pub(super) fn json(&self, path: &str, query: &[(&str, &str)], ctx: &Ctx) -> Result<Value> {
        let (text, _) = self.ask(path, query, &["application/json", "text/json"], ctx)?;
        let limits = json::JsonLimits {
            bytes_max: ANSWER_BYTES_MAX as usize * 3, // a byte of another charset can become three
            memory_bytes_max: 512 << 20,
            ..json::JsonLimits::default()
        };
        json::parse_json(&text, limits).map_err(|err| self.unreadable(&format!("not JSON: {err}")))
    }

    /// Requests a text of some content types; also returns the final URL.
    pub(super) fn ask(
        &self,
        path: &str,
        query: &[(&str, &str)],
        accept: &'static [&'static str],
        ctx: &Ctx,
    ) -> Result<(String, String)> {
        // The bytes, their text and the parsed value.
        ctx.reserve(ANSWER_BYTES_MAX * 4)?;
        let address = format!("{}{path}", self.at.base);
        let url = Url::parse_with_params(&address, query)
            .map_err(|err| self.unreadable(&format!("invalid address: {err}")))?;
        let request = HttpRequest {
            accept,
            headers: vec![("accept".to_owned(), accept.join(", "))],
            service: Some(self.role),
            bytes_max: ANSWER_BYTES_MAX,
            ..HttpRequest::get(url)
        };
        let response = ctx.http()?.send(&request, ctx.stop())?;
        self.good(&response)?;
        let (text, _) = text::decode_body(&response.body, response.header("content-type"));
        Ok((text, response.url))
    }

    fn good(&self, response: &HttpResponse) -> Result<()> {
        let (provider, status) = (&self.at.provider, response.status);
        if response.truncated {
            return Err(tool_error!(LimitExceeded;
                "the response of `{provider}` has more than {ANSWER_BYTES_MAX} bytes";
                "request fewer results"));
        }
        let hint = match status {
            200..=299 => return Ok(()),
            401 | 403 => "the service refuses this client; check its key in the configuration",
            429 => "rate limit of the service exceeded; try again later",
            500.. => "the service failed; try again later",
            _ => "change the query",
        };
        Err(
            tool_error!(ToolError, reason_of(status); "`{provider}` answered with status {status}")
                .hint(hint),
        )
    }

    /// The error for a response in an unexpected format.
    pub(super) fn unreadable(&self, why: &str) -> ToolError {
        let provider = &self.at.provider;
        tool_error!(ToolError, "answer"; "cannot read the response of `{provider}`: {why}";
            "check the address in the configuration")
    }

    /// The list at a JSON pointer of a response.
    pub(super) fn list(&self, answer: &Value, pointer: &str) -> Result<Vec<Value>> {
        let list = answer.pointer(pointer).and_then(|list| list.items());
        list.ok_or_else(|| self.unreadable(&format!("it has no list at `{pointer}`")))
    }
}

/// A service that answers a search with a JSON list.
pub(super) struct SearchIndex {
    pub(super) role: &'static str,
    pub(super) path: &'static str,
    /// Parameters of the query and of the number of results.
    pub(super) query: &'static str,
    pub(super) count: &'static str,
    /// The parameter that selects fields, and its value.
    pub(super) fields: (&'static str, &'static str),
    /// JSON pointers of the list and of the total.
    pub(super) list: &'static str,
    pub(super) total: &'static str,
}

/// The result of a search.
#[derive(Debug, Encode, Describe)]
pub(crate) struct ServiceResults<T> {
    /// The service that answered.
    pub provider: String,
    /// Number of matches.
    pub total: Option<i64>,
    /// The matches, most relevant first.
    pub results: Vec<T>,
}

impl SearchIndex {
    /// Searches, and reads each entry of the list.
    pub(super) fn search<T>(
        &self,
        query: &str,
        count: BoundedInteger<1, 100>,
        more: Option<(&str, &str)>,
        read: fn(&Value) -> T,
        ctx: &Ctx,
    ) -> Result<ServiceResults<T>> {
        let limit = count.get().to_string();
        let mut parameters = vec![(self.query, query), (self.count, &limit), self.fields];
        parameters.extend(more);
        let service = ConfiguredService::of(self.role, None, ctx)?;
        let answer = service.json(self.path, &parameters, ctx)?;
        let list = service.list(&answer, self.list)?;
        Ok(ServiceResults {
            provider: service.provider().to_owned(),
            total: answer.pointer(self.total).and_then(|total| total.as_i64()),
            results: list.iter().take(count.size()).map(read).collect(),
        })
    }
}

/// The trimmed text of a member; empty if it is missing.
pub(super) fn text_of(value: &Value, key: &str) -> String {
    let text = value.get(key).and_then(Value::as_str);
    text.unwrap_or_default().trim().to_owned()
}

/// The items of a member that is a list.
pub(super) fn items_of(value: &Value, key: &str) -> Vec<Value> {
    let items = value.get(key).and_then(Value::items);
    items.unwrap_or_default()
}

/// The texts of a member that is a list.
pub(super) fn texts_of(value: &Value, key: &str) -> Vec<String> {
    let items = items_of(value, key);
    let texts = items.iter().filter_map(Value::as_str);
    texts.map(str::to_owned).collect()
}

/// The integer of a member.
pub(super) fn number_of(value: &Value, key: &str) -> Option<i64> {
    value.get(key).and_then(Value::as_i64)
}

/// The public host of a service as a resource; an address from the configuration is trusted.
pub(super) fn service_host_resource(name: impl Into<String>) -> Vec<ResourceKey> {
    vec![ResourceKey::new(ResourceKind::Host, name, Access::Read)]
}

/// Checks that a query is not empty and not too long.
pub(super) fn check_query(query: &str) -> Result<&str> {
    const CHARS_MAX: usize = 1000;
    let query = query.trim();
    let chars = query.chars().count();
    let found = match query.chars().find(|letter| letter.is_control()) {
        _ if chars == 0 => "none".to_owned(),
        _ if chars > CHARS_MAX => chars.to_string(),
        Some(letter) => format!("the control character {letter:?}"),
        None => return Ok(query),
    };
    Err(tool_error!(InvalidArgs at "/query";
        "expected 1 to {CHARS_MAX} characters on one line, found {found}"; "use a few words"))
}

/// The error reason for a status; plans retry by it.
pub(super) fn reason_of(status: u16) -> &'static str {
    match status {
        429 => "rate_limit",
        _ => "status",
    }
}

#[cfg(test)]
mod tests {
    use super::check_query;

    #[test]
    fn a_question_that_is_none_says_why() {
        assert_eq!(check_query(" a b ").unwrap(), "a b");
        let long = "x".repeat(1001);
        for (query, found) in [
            (" ", "found none"),
            ("a\u{0}b", "found the control character '\\0'"),
            ("a\nb", "found the control character '\\n'"),
            (long.as_str(), "found 1001"),
        ] {
            let err = check_query(query).unwrap_err();
            assert!(err.message().ends_with(found), "{err}");
            assert_eq!(err.path(), Some("/query"));
        }
    }
}
