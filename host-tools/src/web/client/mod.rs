//! The HTTP client behind the capability: enforces network rules, timeouts, size limits and redirect rules.
//!
//! Read [`WebClient`] first. `target` checks URLs, hosts, ports and addresses (`address` has the table), `wire` connects and waits,
//! `answer` and `body` read. Redirects and retries are our own loops, so that each hop passes every check. Certificates are always
//! verified, proxies of the environment are never used, nothing is cached and no cookie is stored.

mod address;
mod answer;
mod body;
mod settings;
mod target;
mod wire;

#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use ureq::config::Config;
use ureq::http::{Request, Response};
use ureq::tls::{RootCerts, TlsConfig};
use ureq::unversioned::transport::{Connector, RustlsConnector};
use ureq::{Agent, Body};

#[cfg(test)]
use address::not_public;
pub use settings::{WebSearchSettings, WebSettings};

use answer::{convert_ureq_error, finish_response, redirect_location, retry_after};
use settings::WebServices;
use target::{HttpTarget, NetworkRules};
use wire::{HttpExchange, NetworkStack, SharedExchange, SystemNetwork};

use crate::prelude::*;

/// Maximum size of response headers in bytes.
const HEAD_BYTES_MAX: usize = 64 << 10;
/// Maximum attempts per hop.
const ATTEMPTS_MAX: u32 = 3;
/// Maximum delay that a server may request before a retry.
const RETRY_AFTER_MAX: Duration = Duration::from_secs(10);
/// Headers that only the client sets.
const OWN_HEADERS: &str = "host content-length transfer-encoding connection keep-alive upgrade te trailer \
    expect accept-encoding proxy-authorization proxy-connection";
/// Headers of the caller that are sent to other hosts too.
const PLAIN_HEADERS: [&str; 4] = ["accept", "accept-language", "user-agent", "content-type"];

/// The HTTP client: one connection per hop, no state between exchanges.
pub struct WebClient {
    rules: Arc<NetworkRules>,
    services: WebServices,
    net: Arc<dyn NetworkStack>,
    /// Without a clock, a `Retry-After` time counts as too far away.
    clock: Option<Arc<dyn Clock>>,
    roots: RootCerts,
    timeout: Duration,
    bytes_max: u64,
    backoff: Duration,
}

impl WebClient {
    /// A client that enforces a configuration.
    ///
    /// # Errors
    /// An entry of the configuration that is not a host, address or URL.
    pub fn new(settings: &WebSettings) -> Result<Self> {
        let services = WebServices::new(settings)?;
        let mut rules = NetworkRules::new(settings)?;
        services
            .own(settings)
            .iter()
            .for_each(|base| rules.list(base));
        Ok(Self {
            rules: Arc::new(rules),
            services,
            net: Arc::new(SystemNetwork),
            clock: None,
            roots: RootCerts::WebPki,
            timeout: settings.timeout,
            bytes_max: settings.bytes_max,
            backoff: settings.backoff,
        })
    }

    /// Adds a clock for `Retry-After` times.
    #[must_use]
    pub fn with_clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = Some(clock);
        self
    }
}

/// One hop of an exchange.
struct HttpHop {
    method: HttpMethod,
    target: HttpTarget,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

/// A response before its body is read.
type Head = Response<Body>;

impl HttpTransport for WebClient {
    fn send(&self, request: &HttpRequest, stop: &StopFlag) -> Result<HttpResponse> {
        let started = Instant::now();
        let mut hop = HttpHop {
            method: request.method,
            target: HttpTarget::parse(&request.url)?,
            headers: own_names(&request.headers)?,
            body: request.body.clone(),
        };
        let wire = Arc::new(HttpExchange {
            rules: Arc::clone(&self.rules),
            net: Arc::clone(&self.net),
            stop: stop.clone(),
            deadline: started + request.timeout.min(self.timeout),
            fault: Mutex::default(),
        });
        let agent = self.agent(&wire);
        request.hosts.judge(&hop.target.host)?;
        for followed in 0.. {
            self.rules.host(&hop.target)?;
            let head = self.attempts(&agent, &wire, request.service, &hop)?;
            let Some(location) = redirect_location(&head) else {
                let bytes_max = request.bytes_max.min(self.bytes_max);
                let response =
                    finish_response(head, &hop.target, &wire, bytes_max, request.accept)?;
                return Ok(HttpResponse {
                    elapsed: started.elapsed(),
                    ..response
                });
            };
            if followed == request.redirects_max {
                let from = hop.target.shown();
                return Err(tool_error!(ToolError, "redirect";
                    "{from} redirects more than {followed} times";
                    "the site redirects in a circle; use another URL"));
            }
            hop = self.follow(hop, head.status().as_u16(), &location, request)?;
        }
        unreachable!("the loop ends by returning")
    }

    fn service(&self, role: &str) -> Option<HttpService> {
        self.services.get(role).cloned()
    }
}

impl WebClient {
    /// An agent for one exchange; its connections check the deadline and the stop flag of the exchange.
    fn agent(&self, wire: &Arc<HttpExchange>) -> Agent {
        let shared = SharedExchange(Arc::clone(wire));
        let config = Config::builder()
            .proxy(None)
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .max_response_header_size(HEAD_BYTES_MAX)
            .max_idle_connections(0)
            .user_agent(concat!("mathchain/", env!("CARGO_PKG_VERSION")))
            .accept_encoding("gzip")
            .tls_config(TlsConfig::builder().root_certs(self.roots.clone()).build())
            .build();
        let connector = shared.clone().chain(RustlsConnector::default());
        Agent::with_parts(config, connector, shared)
    }

    /// Sends the request of a hop, with retries where they are safe and useful.
    fn attempts(
        &self,
        agent: &Agent,
        wire: &HttpExchange,
        role: Option<&str>,
        hop: &HttpHop,
    ) -> Result<Head> {
        let mut wait = self.backoff;
        for attempt in 1.. {
            let result = self.attempt(agent, wire, role, hop);
            let again = attempt < ATTEMPTS_MAX && hop.method == HttpMethod::Get;
            let asked = match &result {
                Ok(head) if again && matches!(head.status().as_u16(), 429 | 502 | 503 | 504) => {
                    retry_after(head, self.clock.as_deref()).unwrap_or_default()
                }
                Err(err) if again && (err.is(Reason::Connect) || err.is(Reason::Dns)) => {
                    Duration::ZERO
                }
                _ => return result,
            };
            if asked > RETRY_AFTER_MAX || !asked.is_zero() && asked >= wire.left() {
                return result;
            }
            wire.wait(wait.max(asked))?;
            wait *= 2;
        }
        unreachable!("the loop ends by returning")
    }

    fn attempt(
        &self,
        agent: &Agent,
        wire: &HttpExchange,
        role: Option<&str>,
        hop: &HttpHop,
    ) -> Result<Head> {
        wire.check()?;
        let mut builder = Request::builder()
            .method(hop.method.as_str())
            .uri(hop.target.url.as_str());
        for (name, value) in &hop.headers {
            builder = builder.header(name, value);
        }
        if let Some((name, secret)) = self.services.key(role, &hop.target) {
            builder = builder.header(name, secret);
        }
        let unfit = |_| {
            tool_error!(InvalidArgs at "/headers"; "the request has a header that cannot be sent";
                "names are letters, digits and dashes; values have no line breaks")
        };
        let result = match hop.method {
            HttpMethod::Get | HttpMethod::Delete => agent.run(builder.body(()).map_err(unfit)?),
            HttpMethod::Post | HttpMethod::Put | HttpMethod::Patch => {
                agent.run(builder.body(hop.body.as_slice()).map_err(unfit)?)
            }
        };
        result.map_err(|err| convert_ureq_error(&err, &hop.target, wire))
    }

    /// The next hop, if the redirect may be followed.
    fn follow(
        &self,
        hop: HttpHop,
        status: u16,
        location: &str,
        request: &HttpRequest,
    ) -> Result<HttpHop> {
        let next = hop.target.join(location)?;
        let refuse = |what: &str, to: &str| {
            tool_error!(PolicyDenied at "/url", "redirect";
                "{} redirects {what}{to}", hop.target.shown())
        };
        let to = format!(" {}", next.shown());
        if hop.target.secure() && !next.secure() {
            return Err(refuse("from https to", &to).hint("request the unencrypted URL directly"));
        }
        // The rules on the call apply to the targets of redirects too.
        if let Err(err) = request.hosts.judge(&next.host) {
            let refused = refuse(&format!("to {}: {}", next.shown(), err.message()), "");
            return Err(match err.hint_str() {
                Some(hint) => refused.hint(hint.to_owned()),
                None => refused,
            });
        }
        if !request.any_host && !self.rules.may_follow(&hop.target, &next) {
            return Err(refuse("to another host,", &to).hint("call the tool with that URL, or list the host in `permissions.network.allowed_hosts`"));
        }
        let same = hop.target.same_origin(&next);
        let keeps_body = matches!(status, 307 | 308);
        if hop.method != HttpMethod::Get && keeps_body && !same {
            let refused = refuse("what was sent to another host,", &to);
            return Err(refused.hint("send it there yourself"));
        }
        let mut headers = hop.headers;
        if !same {
            headers.retain(|(name, _)| PLAIN_HEADERS.contains(&name.as_str()));
        }
        let (method, body) = if keeps_body {
            (hop.method, hop.body)
        } else {
            headers.retain(|(name, _)| name != "content-type");
            (HttpMethod::Get, Vec::new())
        };
        Ok(HttpHop {
            method,
            target: next,
            headers,
            body,
        })
    }
}

/// The caller's headers with lower-case names; headers that only the client sets are refused.
fn own_names(headers: &[(String, String)]) -> Result<Vec<(String, String)>> {
    const BYTES_MAX: usize = 16 << 10;
    let bytes = headers.iter().map(|(name, value)| name.len() + value.len());
    let bytes: usize = bytes.sum();
    if bytes > BYTES_MAX {
        return Err(tool_error!(InvalidArgs at "/headers";
            "the headers have {bytes} bytes, the limit is {BYTES_MAX}"));
    }
    let lower = |(name, value): &(String, String)| (name.to_ascii_lowercase(), value.clone());
    let lower: Vec<(String, String)> = headers.iter().map(lower).collect();
    let own = |name: &str| OWN_HEADERS.split(' ').any(|own| own == name);
    match lower.iter().find(|(name, _)| own(name)) {
        Some((name, _)) => Err(tool_error!(InvalidArgs at "/headers";
            "the header `{name}` is set by the client"; "omit it")),
        None => Ok(lower),
    }
}

/// The host and port of a URL, as `example.org:443`; the same for every spelling.
///
/// # Errors
/// `invalid_args` for a text that is not an http(s) URL.
pub fn host_and_port(url: &str) -> Result<String> {
    HttpTarget::parse(url).map(|target| format!("{}:{}", target.host, target.port))
}

/// The host of a URL, by which rules name it, and whether it is an address.
///
/// # Errors
/// As [`host_and_port`].
pub fn host_of_url(url: &str) -> Result<(String, bool)> {
    HttpTarget::parse(url).map(|target| (target.host.clone(), target.literal().is_some()))
}
