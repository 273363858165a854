//! Requests over the network, and the rules on hosts.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::error::ToolError;
use crate::stop::StopFlag;

names! {
    /// The method of a request.
    HttpMethod {
        /// Reading; may be repeated.
        Get = "GET",
        /// Sending; never repeated by itself.
        Post = "POST",
        /// Replacing; never repeated by itself.
        Put = "PUT",
        /// Changing; never repeated by itself.
        Patch = "PATCH",
        /// Deleting; never repeated by itself.
        Delete = "DELETE",
    }
}

/// The rules on the hosts of a request and its redirects, by name without the port.
///
/// The dispatcher sets it on every request of a tool; the client checks it before each hop.
#[derive(Clone, Default)]
pub struct HostJudge(Option<Arc<JudgeHost>>);

type JudgeHost = dyn Fn(&str) -> Result<(), ToolError> + Send + Sync;

impl HostJudge {
    /// Judges by a function.
    pub fn new(judge: impl Fn(&str) -> Result<(), ToolError> + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(judge)))
    }

    /// Checks a host; without rules, every host passes.
    ///
    /// # Errors
    /// `policy_denied` with the rule and a hint.
    pub fn judge(&self, host: &str) -> Result<(), ToolError> {
        self.0.as_ref().map_or(Ok(()), |judge| judge(host))
    }
}

impl fmt::Debug for HostJudge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HostJudge")
    }
}

impl PartialEq for HostJudge {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(one), Some(another)) => Arc::ptr_eq(one, another),
            (one, another) => one.is_none() && another.is_none(),
        }
    }
}

impl Eq for HostJudge {}

/// An HTTP request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpRequest {
    /// The method.
    pub method: HttpMethod,
    /// Absolute http(s) URL.
    pub url: String,
    /// Header names and values.
    pub headers: Vec<(String, String)>,
    /// Body.
    pub body: Vec<u8>,
    /// Media types the caller can read, such as `text/html`; a type that ends in `/` means all below it. Empty: any.
    pub accept: &'static [&'static str],
    /// The service this request is for: its configured key is added, as long as the URL is beneath the service's address.
    pub service: Option<&'static str>,
    /// Longest wait for the whole exchange, redirects and repetitions included.
    pub timeout: Duration,
    /// Maximum size of the decoded body in bytes; longer ones are truncated.
    pub bytes_max: u64,
    /// Most redirects followed.
    pub redirects_max: u32,
    /// Whether a redirect may lead to any public host, not only to the same one and to listed ones.
    pub any_host: bool,
    /// Asked about every host on the way, the first included.
    pub hosts: HostJudge,
}

impl HttpRequest {
    /// Reading one URL, with the usual limits.
    pub fn get(url: impl Into<String>) -> Self {
        Self {
            method: HttpMethod::Get,
            url: url.into(),
            headers: Vec::new(),
            body: Vec::new(),
            accept: &[],
            service: None,
            timeout: Duration::from_secs(30),
            bytes_max: 10 << 20,
            redirects_max: 5,
            any_host: false,
            hosts: HostJudge::default(),
        }
    }
}

/// An HTTP response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpResponse {
    /// Status code.
    pub status: u16,
    /// Header names, in lower case, and values.
    pub headers: Vec<(String, String)>,
    /// Decoded body, up to the limit.
    pub body: Vec<u8>,
    /// Whether the body has more.
    pub truncated: bool,
    /// The URL that answered, after redirects.
    pub url: String,
    /// Time from the first attempt to the last byte.
    pub elapsed: Duration,
}

impl HttpResponse {
    /// The first value of a header, by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// Where a service that tools speak to is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpService {
    /// Which service it is: `wikipedia`, `crossref`, `searxng`; results name it.
    pub provider: String,
    /// Its address, without a trailing slash; `{language}` is replaced by a language code.
    pub base: String,
}

/// HTTP requests to hosts that the configuration allows; addresses are checked when the connection is made.
pub trait HttpTransport: Send + Sync {
    /// Sends one request and reads the answer, whatever its status.
    ///
    /// # Errors
    /// `policy_denied` for a host, port, address or redirect that is not allowed, `invalid_args` for a URL that is none,
    /// `limit_exceeded`, `timeout`, `cancelled`, `tool_error` for a failed exchange.
    fn send(&self, request: &HttpRequest, stop: &StopFlag) -> Result<HttpResponse, ToolError>;

    /// Where a service is reached, by its role: `wikipedia`, `arxiv`, `papers`, `books`, `search`.
    fn service(&self, role: &str) -> Option<HttpService>;
}
