//! The web settings of a configuration as plain data, and the services of the tools.

use std::collections::BTreeMap;
use std::time::Duration;

use super::target::HttpTarget;
use crate::prelude::*;

/// The web settings of a configuration.
#[derive(Clone)]
pub struct WebSettings {
    /// Hosts that redirects may lead to, and whose ports are allowed: `permissions.network.allowed_hosts`.
    pub allowed_hosts: Vec<String>,
    /// Whether redirects to listed hosts are followed; false if every use of the network requires approval.
    pub follow_listed: bool,
    /// Private addresses that may be reached: `permissions.network.allow_private`.
    pub allow_private: Vec<String>,
    /// If present, the only hosts that may be reached: `web.allow_hosts`.
    pub only_hosts: Option<Vec<String>>,
    /// Hosts that must not be reached: `web.deny_hosts`.
    pub deny_hosts: Vec<String>,
    /// Maximum duration of an exchange; the timeout and the deadline of the call apply too.
    pub timeout: Duration,
    /// Maximum size of a decoded body in bytes.
    pub bytes_max: u64,
    /// Delay before the first retry; it doubles.
    pub backoff: Duration,
    /// Addresses of services by provider, instead of the public ones.
    pub services: BTreeMap<String, String>,
    /// The provider of `web_search`.
    pub search: WebSearchSettings,
}

impl Default for WebSettings {
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
            search: WebSearchSettings::default(),
        }
    }
}

/// The provider of `web_search`.
#[derive(Clone)]
pub struct WebSearchSettings {
    /// `wikipedia`, `searxng` or `brave`.
    pub provider: String,
    /// Its address; required for `searxng`.
    pub endpoint: Option<String>,
    /// Its key; never included in a message or a result.
    pub api_key: Option<String>,
}

impl Default for WebSearchSettings {
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

/// The known services with their addresses, and the header and key of the search.
pub(super) struct WebServices {
    by_role: BTreeMap<&'static str, HttpService>,
    key: Option<(&'static str, String)>,
}

impl WebServices {
    /// Merges the public addresses with the configured ones.
    ///
    /// # Errors
    /// An unknown provider, an invalid address, a provider without its required address or key.
    pub(super) fn new(settings: &WebSettings) -> Result<Self> {
        let wrong = |message: String| ToolError::new(ErrorCode::InvalidRequest, message);
        let known = |name: &str| SERVICES.iter().any(|(_, provider, _)| *provider == name);
        if let Some(unknown) = settings.services.keys().find(|name| !known(name)) {
            return Err(wrong(format!("`web.services` has no service `{unknown}`")));
        }
        let mut by_role = BTreeMap::new();
        for (role, provider, public) in SERVICES {
            let base = settings.services.get(provider);
            by_role.insert(
                role,
                http_service(provider, base.map_or(public, String::as_str))?,
            );
        }
        let search = &settings.search;
        let endpoint = search.endpoint.as_deref();
        let mut key = None;
        let search = match (search.provider.as_str(), endpoint, &search.api_key) {
            ("wikipedia", None, None) => by_role["wikipedia"].clone(),
            ("searxng", Some(endpoint), None) => http_service("searxng", endpoint)?,
            ("brave", endpoint, Some(secret)) => {
                key = Some(("x-subscription-token", secret.clone()));
                http_service("brave", endpoint.unwrap_or(BRAVE))?
            }
            // Without its key `web_search` fails with an error; everything else works.
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
                return Err(wrong(format!(
                    "`web.search.provider = \"{provider}\"` {fault}"
                )));
            }
        };
        by_role.insert("search", search);
        Ok(Self { by_role, key })
    }

    pub(super) fn get(&self, role: &str) -> Option<&HttpService> {
        self.by_role.get(role)
    }

    /// The addresses named in the configuration.
    pub(super) fn own(&self, settings: &WebSettings) -> Vec<HttpTarget> {
        let named = settings.services.values().chain(&settings.search.endpoint);
        // Addresses with a placeholder are those of the public service, on ordinary ports.
        named
            .filter_map(|base| HttpTarget::parse(base).ok())
            .collect()
    }

    /// The key of a service, only for URLs of its own origin.
    pub(super) fn key(
        &self,
        role: Option<&str>,
        target: &HttpTarget,
    ) -> Option<(&'static str, &str)> {
        let (header, secret) = self.key.as_ref()?;
        let service = self.by_role.get(role.filter(|role| *role == "search")?)?;
        let base = HttpTarget::parse(&service.base).ok()?;
        base.same_origin(target)
            .then_some((*header, secret.as_str()))
    }
}

fn http_service(provider: &str, base: &str) -> Result<HttpService> {
    let base = base.trim_end_matches('/');
    HttpTarget::parse(&base.replace("{language}", "en")).map_err(|err| {
        let fault = err.message();
        tool_error!(InvalidRequest, "invalid address of `{provider}`: {fault}")
    })?;
    Ok(HttpService {
        provider: provider.to_owned(),
        base: base.to_owned(),
    })
}
