//! Targets of requests: checked URLs, and the rules on hosts, ports and addresses.

use std::net::{IpAddr, SocketAddr};

use url::{Host, Url};

use super::address::not_public;
use super::settings::WebSettings;
use crate::prelude::*;

/// Maximum length of a URL in bytes.
const URL_BYTES_MAX: usize = 8192;

/// An http(s) URL without credentials, its host in canonical spelling for rules.
#[derive(Debug, Clone)]
pub(super) struct HttpTarget {
    pub(super) url: Url,
    pub(super) host: String,
    pub(super) port: u16,
}

impl HttpTarget {
    /// Parses and checks a URL.
    ///
    /// # Errors
    /// `invalid_args` with the fault of the URL.
    pub(super) fn parse(text: &str) -> Result<Self> {
        const FORM: &str = "pass an absolute URL such as https://example.org/page";
        let refuse = |why: &str, hint: &str| {
            Err(tool_error!(InvalidArgs at "/url", "url"; "{why}"; "{hint}"))
        };
        let (length, authority) = (text.len(), url_authority(text));
        let odd = |letter: char| letter.is_control() || letter.is_whitespace() || letter == '\\';
        if length > URL_BYTES_MAX {
            let why = format!("the URL has {length} bytes, the limit is {URL_BYTES_MAX}");
            return refuse(&why, "send long data with `http_post`");
        }
        if text.contains(odd) {
            let why = "the URL has spaces, control characters or backslashes";
            return refuse(why, FORM);
        }
        let mut url = match Url::parse(text) {
            Ok(url) => url,
            Err(err) => return refuse(&format!("invalid URL: {err}"), FORM),
        };
        let scheme = url.scheme();
        if !matches!(scheme, "http" | "https") {
            return refuse(&format!("expected http or https, found `{scheme}`"), FORM);
        }
        if !url.username().is_empty() || url.password().is_some() || authority.contains('@') {
            let hint = "omit them and pass an `authorization` header";
            return refuse("the URL carries credentials", hint);
        }
        let (host, named) = match url.host() {
            Some(Host::Domain(name)) => {
                let name = name.trim_end_matches('.').to_owned();
                let named = !name.split('.').any(str::is_empty);
                let named = named && url.set_host(Some(&name)).is_ok();
                (name, named)
            }
            Some(address) => {
                let host = address.to_string();
                // Rules compare hosts as text, so an address has a single spelling.
                let written = host_of(authority);
                if written != host {
                    let why = format!("the address is written `{written}`");
                    return refuse(&why, &format!("write it as {host}"));
                }
                (host, true)
            }
            None => (String::new(), false),
        };
        if !named {
            return refuse("the URL names no host", FORM);
        }
        url.set_fragment(None);
        let port = url.port_or_known_default().unwrap_or(0);
        Ok(Self { url, host, port })
    }

    /// Resolves a `Location` against this URL.
    ///
    /// # Errors
    /// As [`HttpTarget::parse`].
    pub(super) fn join(&self, location: &str) -> Result<Self> {
        let next = self.url.join(location).map_err(|err| {
            let from = self.shown();
            tool_error!(ToolError, "redirect"; "{from} redirects to an invalid URL: {err}")
        })?;
        Self::parse(next.as_str())
    }

    /// The host as an IP address, if it is one.
    pub(super) fn literal(&self) -> Option<IpAddr> {
        match self.url.host()? {
            Host::Ipv4(address) => Some(IpAddr::V4(address)),
            Host::Ipv6(address) => Some(IpAddr::V6(address)),
            Host::Domain(_) => None,
        }
    }

    pub(super) fn secure(&self) -> bool {
        self.url.scheme() == "https"
    }

    pub(super) fn same_origin(&self, other: &Self) -> bool {
        self.host == other.host && self.port == other.port && self.secure() == other.secure()
    }

    /// The URL for messages, without the query, which may contain secrets.
    pub(super) fn shown(&self) -> String {
        let mut url = self.url.clone();
        url.set_query(None);
        format!("`{url}`")
    }
}

/// The part between `//` and the path.
fn url_authority(text: &str) -> &str {
    let rest = text.split_once(':').map_or("", |(_, rest)| rest);
    let rest = rest.trim_start_matches('/');
    rest.split(['/', '?', '#']).next().unwrap_or_default()
}

/// The host of an authority, in lower case, without its port.
fn host_of(authority: &str) -> String {
    let end = match authority.rfind(']') {
        Some(bracket) => bracket + 1,
        None => authority.rfind(':').unwrap_or(authority.len()),
    };
    authority[..end].to_ascii_lowercase()
}

/// The pattern of every host.
const ANY_HOST: &str = "*";

/// A host pattern of the configuration: a name, `*.` and a name, or an address, with or without a port; or `*`.
#[derive(Debug, Clone, PartialEq, Eq)]
struct HostPattern {
    host: String,
    port: Option<u16>,
}

impl HostPattern {
    fn parse(text: &str) -> Result<Self> {
        let wrong = || {
            tool_error!(InvalidRequest;
                "expected a host such as `example.org`, `*.example.org` or `example.org:8080`, found `{text}`")
        };
        if text == ANY_HOST {
            let host = ANY_HOST.to_owned();
            return Ok(Self { host, port: None });
        }
        let (front, host) = match text.strip_prefix("*.") {
            Some(rest) => ("*.", rest),
            None => ("", text),
        };
        let target = HttpTarget::parse(&format!("http://{host}/")).map_err(|_| wrong())?;
        if target.url.path() != "/" || target.url.query().is_some() || host.contains('/') {
            return Err(wrong());
        }
        // The parser drops the default port of the scheme; here it restricts the pattern to that port.
        let port = if host.ends_with(":80") {
            Some(80)
        } else {
            target.url.port()
        };
        let host = format!("{front}{}", target.host);
        Ok(Self { host, port })
    }

    fn names(&self, host: &str) -> bool {
        match self.host.strip_prefix("*.") {
            Some(parent) => {
                let front = host.strip_suffix(parent);
                front.is_some_and(|front| front.len() > 1 && front.ends_with('.'))
            }
            None => self.host == ANY_HOST || self.host == host,
        }
    }

    /// Without a port, the ordinary ports are allowed.
    fn allows(&self, host: &str, port: u16) -> bool {
        self.names(host)
            && self
                .port
                .map_or(is_ordinary_port(port), |only| only == port)
    }

    /// Without a port, all ports are denied.
    fn denies(&self, host: &str, port: u16) -> bool {
        self.names(host) && self.port.is_none_or(|only| only == port)
    }
}

fn is_ordinary_port(port: u16) -> bool {
    matches!(port, 80 | 443)
}

/// Rules on the hosts, ports and addresses that a client may reach.
#[derive(Debug, Clone)]
pub(super) struct NetworkRules {
    /// Whether redirects to listed hosts are followed, not only on the same host.
    follow_listed: bool,
    /// Listed hosts: redirects may lead there, and their ports are allowed.
    listed: Vec<HostPattern>,
    /// If present, no other host may be reached.
    only: Option<Vec<HostPattern>>,
    denied: Vec<HostPattern>,
    private: Vec<(IpAddr, Option<u16>)>,
}

impl NetworkRules {
    /// Parses the lists of a configuration.
    ///
    /// # Errors
    /// An entry that is not a host or an address.
    pub(super) fn new(settings: &WebSettings) -> Result<Self> {
        let patterns = |texts: &Vec<String>| -> Result<Vec<HostPattern>> {
            texts.iter().map(|text| HostPattern::parse(text)).collect()
        };
        let private = settings
            .allow_private
            .iter()
            .map(|text| parse_address(text));
        Ok(Self {
            follow_listed: settings.follow_listed,
            listed: patterns(&settings.allowed_hosts)?,
            only: settings.only_hosts.as_ref().map(patterns).transpose()?,
            denied: patterns(&settings.deny_hosts)?,
            private: private.collect::<Result<_, _>>()?,
        })
    }

    /// Adds the host and port of a configured service.
    pub(super) fn list(&mut self, base: &HttpTarget) {
        let pattern = HostPattern {
            host: base.host.clone(),
            port: Some(base.port),
        };
        if let Some(only) = &mut self.only {
            only.push(pattern.clone());
        }
        self.listed.push(pattern);
    }

    /// Checks whether a host may be reached; its addresses are checked when it is dialled.
    ///
    /// # Errors
    /// `policy_denied` that names the list to change.
    pub(super) fn host(&self, target: &HttpTarget) -> Result<()> {
        let (host, port) = (target.host.as_str(), target.port);
        if self.denied.iter().any(|pattern| pattern.denies(host, port)) {
            let error = access_denied("host", format!("`{host}` is denied by `web.deny_hosts`"));
            return Err(error.hint("this is set in the configuration; use another source"));
        }
        if let Some(only) = &self.only
            && !only.iter().any(|pattern| pattern.allows(host, port))
        {
            return Err(tool_error!(PolicyDenied at "/url", "host";
                "`{host}:{port}` is not listed in `web.allow_hosts`";
                "this is set in the configuration; use a listed host"));
        }
        if let Some(literal) = target.literal() {
            self.address(host, SocketAddr::new(literal, port))?;
        }
        Ok(())
    }

    /// Whether a redirect may lead from one host to another.
    pub(super) fn may_follow(&self, from: &HttpTarget, to: &HttpTarget) -> bool {
        let bare = |host: &str| host.strip_prefix("www.").unwrap_or(host).to_owned();
        let mut lists = self.listed.iter().chain(self.only.iter().flatten());
        bare(&from.host) == bare(&to.host)
            || self.follow_listed && lists.any(|pattern| pattern.allows(&to.host, to.port))
    }

    /// Checks all addresses of a host: a single refused address refuses the host.
    ///
    /// # Errors
    /// As [`NetworkRules::address`].
    pub(super) fn addresses(&self, host: &str, found: &[SocketAddr]) -> Result<()> {
        found
            .iter()
            .try_for_each(|address| self.address(host, *address))
    }

    /// Checks one address.
    ///
    /// # Errors
    /// `policy_denied` that names the kind of the address.
    pub(super) fn address(&self, host: &str, found: SocketAddr) -> Result<()> {
        let (ip, port) = (found.ip().to_canonical(), found.port());
        let private = (self.private.iter()).any(|(listed, listed_port)| {
            *listed == ip && listed_port.map_or(is_ordinary_port(port), |only| only == port)
        });
        if private {
            return Ok(());
        }
        if let Some(why) = not_public(found.ip()) {
            let literal = host.trim_matches(['[', ']']).parse() == Ok(found.ip());
            let message = match literal {
                true => format!("`{host}` is {why}"),
                false => format!("`{host}` resolves to {ip}, which is {why}"),
            };
            return Err(access_denied("address", message).hint(format!(
                "only `permissions.network.allow_private = [\"{}\"]` in the configuration opens it",
                SocketAddr::new(ip, port)
            )));
        }
        let lists = self.listed.iter().chain(self.only.iter().flatten());
        if !is_ordinary_port(port) && !lists.into_iter().any(|pattern| pattern.allows(host, port)) {
            let message = format!("port {port} of `{host}` is neither 80 nor 443");
            return Err(access_denied("port", message).hint(format!(
                "only `permissions.network.allowed_hosts = [\"{host}:{port}\"]` in the configuration opens it"
            )));
        }
        Ok(())
    }
}

fn access_denied(reason: &'static str, message: String) -> ToolError {
    tool_error!(PolicyDenied at "/url", reason; "{message}")
}

/// Parses an address with or without a port.
fn parse_address(text: &str) -> Result<(IpAddr, Option<u16>)> {
    let known = text
        .parse()
        .map(|address: SocketAddr| (address.ip(), Some(address.port())));
    let known = known.or_else(|_| text.parse().map(|address: IpAddr| (address, None)));
    let (address, port) = known.map_err(|_| {
        tool_error!(InvalidRequest; "expected an address such as `127.0.0.1:8080`, found `{text}`")
    })?;
    Ok((address.to_canonical(), port))
}
