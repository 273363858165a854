//! What a configuration says of the web, as plain data; and the services that tools speak to.

use std::collections::BTreeMap;
use std::time::Duration;

use tool_core::capability::HttpService;
use tool_core::{ErrorCode, ToolError, tool_error};

use super::target::Target;

/// What a configuration says of the web.
#[derive(Clone)]
pub struct Settings {
    /// Hosts that redirects may lead to and whose ports are allowed: `permissions.network.allowed_hosts`.
    pub allowed_hosts: Vec<String>,
    /// Whether redirects lead to listed hosts; not where every use of the network asks a person.
    pub follow_listed: bool,
    /// Private addresses that may be reached: `permissions.network.allow_private`.
    pub allow_private: Vec<String>,
    /// Where present, the only hosts that are reached at all: `web.allow_hosts`.
    pub only_hosts: Option<Vec<String>>,
    /// Hosts that are never reached: `web.deny_hosts`.
    pub deny_hosts: Vec<String>,
    /// Longest exchange, whatever a call asks for; the deadline of the call holds too.
    pub timeout: Duration,
    /// Largest decoded body in bytes.
    pub bytes_max: u64,
    /// First wait before an attempt is repeated; it doubles.
    pub backoff: Duration,
    /// Addresses of services, by provider, instead of the public ones.
    pub services: BTreeMap<String, String>,
    /// What `web_search` asks.
    pub search: Search,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            allowed_hosts: Vec::new(),
            follow_listed: true,
            allow_private: Vec::new(),
            only_hosts: None,
            deny_hosts: Vec::new(),
            timeout: Duration::from_secs(600),
            bytes_max: 10 << 20,
            backoff: Duration::from_millis(500),
            services: BTreeMap::new(),
            search: Search::default(),
        }
    }
}

/// What `web_search` asks.
#[derive(Clone)]
pub struct Search {
    /// `wikipedia`, `searxng` or `brave`.
    pub provider: String,
    /// Its address; `searxng` has no public one.
    pub endpoint: Option<String>,
    /// Its key; never part of a message or a result.
    pub api_key: Option<String>,
}

impl Default for Search {
    fn default() -> Self {
        Self {
            provider: "wikipedia".to_owned(),
            endpoint: None,
            api_key: None,
        }
    }
}

/// The services, by role: provider and public address.
const SERVICES: [(&str, &str, &str); 4] = [
    ("wikipedia", "wikipedia", "https://{language}.wikipedia.org"),
    ("arxiv", "arxiv", "https://export.arxiv.org"),
    ("papers", "crossref", "https://api.crossref.org"),
    ("books", "openlibrary", "https://openlibrary.org"),
];
const BRAVE: &str = "https://api.search.brave.com";

/// The services that are known, each with its address, and the header that its key travels in.
pub(super) struct Services {
    by_role: BTreeMap<&'static str, HttpService>,
    key: Option<(&'static str, String)>,
}

impl Services {
    /// Joins the public addresses with the configured ones.
    ///
    /// # Errors
    /// An unknown provider, an address that is none, a provider without the address or key it needs.
    pub(super) fn new(settings: &Settings) -> Result<Self, ToolError> {
        let wrong = |message: String| ToolError::new(ErrorCode::InvalidRequest, message);
        let providers = || SERVICES.iter().map(|(_, provider, _)| *provider);
        if let Some(unknown) =
            (settings.services.keys()).find(|name| !providers().any(|known| known == *name))
        {
            return Err(wrong(format!("`web.services` has no service `{unknown}`")));
        }
        let mut by_role = BTreeMap::new();
        for (role, provider, public) in SERVICES {
            let base = settings
                .services
                .get(provider)
                .map_or(public, String::as_str);
            by_role.insert(role, service(provider, base)?);
        }
        let search = &settings.search;
        let endpoint = search.endpoint.as_deref();
        let mut key = None;
        let search = match (search.provider.as_str(), endpoint, &search.api_key) {
            ("wikipedia", None, None) => by_role["wikipedia"].clone(),
            ("searxng", Some(endpoint), None) => service("searxng", endpoint)?,
            ("brave", endpoint, Some(secret)) => {
                key = Some(("x-subscription-token", secret.clone()));
                service("brave", endpoint.unwrap_or(BRAVE))?
            }
            // Without its key there is no search, and `web_search` says so; everything else works.
            ("brave", _, None) => return Ok(Self { by_role, key }),
            (provider, endpoint, _) => {
                let fault = match provider {
                    "wikipedia" => "takes no endpoint and no key",
                    "searxng" if endpoint.is_none() => "needs its `endpoint`",
                    "searxng" => "takes no `api_key`",
                    other => {
                        return Err(wrong(format!(
                            "`web.search.provider` is `wikipedia`, `searxng` or `brave`, not `{other}`"
                        )));
                    }
                };
                let message = format!("`web.search.provider = \"{provider}\"` {fault}");
                return Err(wrong(message));
            }
        };
        by_role.insert("search", search);
        Ok(Self { by_role, key })
    }

    pub(super) fn get(&self, role: &str) -> Option<&HttpService> {
        self.by_role.get(role)
    }

    /// Addresses that a configuration names itself.
    pub(super) fn own(&self, settings: &Settings) -> Vec<Target> {
        let named = settings.services.values().chain(&settings.search.endpoint);
        // Those with a placeholder are names of the public service or below it, on ordinary ports.
        named.filter_map(|base| Target::parse(base).ok()).collect()
    }

    /// The key of a service, for a URL beneath its address and no other.
    pub(super) fn key(&self, role: Option<&str>, target: &Target) -> Option<(&'static str, &str)> {
        let (header, secret) = self.key.as_ref()?;
        let service = self.by_role.get(role.filter(|role| *role == "search")?)?;
        let base = Target::parse(&service.base).ok()?;
        base.same_origin(target)
            .then_some((*header, secret.as_str()))
    }
}

fn service(provider: &str, base: &str) -> Result<HttpService, ToolError> {
    let base = base.trim_end_matches('/');
    Target::parse(&base.replace("{language}", "en")).map_err(|err| {
        tool_error!(
            InvalidRequest,
            "the address of `{provider}` is not usable: {}",
            err.message()
        )
    })?;
    Ok(HttpService {
        provider: provider.to_owned(),
        base: base.to_owned(),
    })
}
