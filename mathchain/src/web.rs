//! The HTTP client, from the configuration.

use std::sync::Arc;
use std::time::Duration;

use host_tools::web::client::{self, WebClient, WebSearchSettings, WebSettings};
use registry::Config;
use registry::model::KeyVariable;
use tool_core::capability::{Clock, HttpTransport};
use tool_core::{Result, ToolError};

use crate::environment;
use crate::service_client::ServiceClient;

/// The HTTP client of a configuration.
///
/// # Errors
/// An entry that is not a host, address or URL.
pub(crate) fn http_client(
    config: &Config,
    clock: Arc<dyn Clock>,
) -> Result<Option<Arc<dyn HttpTransport>>> {
    let reason = |err: ToolError| {
        err.reason("configuration")
            .hint("`docs/web.md` shows the form of `[web]` and `[permissions.network]`")
    };
    let client = WebClient::new(&web_settings(config)).map_err(reason)?;
    Ok(Some(Arc::new(client.with_clock(clock))))
}

/// A client for one service alone: no other host is reached, and a private address only where the URL of the service is that address, or
/// the configuration lists it.
///
/// # Errors
/// A URL that is none, an entry of the configuration that is not a host or address.
pub(crate) fn service_client(config: &Config, base_url: &str) -> Result<ServiceClient> {
    let address = client::host_and_port(base_url)?;
    let (host, is_literal) = client::host_of_url(base_url)?;
    let web = web_settings(config);
    let mut allow_private = web.allow_private;
    if is_literal {
        allow_private.push(address.clone());
    }
    let own = WebSettings {
        allowed_hosts: vec![address.clone()],
        allow_private,
        only_hosts: Some(web.only_hosts.unwrap_or_else(|| vec![address.clone()])),
        deny_hosts: web.deny_hosts,
        timeout: web.timeout,
        bytes_max: web.bytes_max,
        ..WebSettings::default()
    };
    let http = Arc::new(WebClient::new(&own)?);
    Ok(ServiceClient {
        host,
        address,
        http: Some(http),
    })
}

fn web_settings(config: &Config) -> WebSettings {
    let (web, usual) = (&config.web, WebSettings::default());
    let search = web.search.as_ref().map(|search| WebSearchSettings {
        provider: search.provider.to_string(),
        endpoint: search.endpoint.clone(),
        api_key: (search.api_key.as_ref())
            .and_then(KeyVariable::variable)
            .and_then(environment::read_secret),
    });
    WebSettings {
        allowed_hosts: config.permissions.network.allowed_hosts.clone(),
        follow_listed: config.permissions.network.requires_approval != Some(true),
        allow_private: config.permissions.network.allow_private.clone(),
        only_hosts: web.allow_hosts.clone(),
        deny_hosts: web.deny_hosts.clone(),
        timeout: web.timeout_s.map_or(usual.timeout, Duration::from_secs),
        bytes_max: web.bytes_max.unwrap_or(usual.bytes_max),
        services: web.services.clone(),
        search: search.unwrap_or(usual.search),
        backoff: usual.backoff,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock() -> Arc<dyn Clock> {
        Arc::new(crate::clock::SystemClock::default())
    }

    fn parse(text: &str) -> Config {
        Config::parse("mathchain.toml", &format!("version = 1\n{text}")).expect("a configuration")
    }

    #[test]
    fn the_configuration_reaches_the_client() {
        let config = parse(concat!(
            "[permissions.network]\nallowed_hosts = [\"a.example\"]\nallow_private = [\"127.0.0.1:8080\"]\n",
            "[web]\nallow_hosts = [\"b.example\"]\ndeny_hosts = [\"c.example\"]\ntimeout_s = 7\nbytes_max = 1000\n",
            "[web.services]\narxiv = \"https://mirror.example\"\n",
            "[web.search]\nprovider = \"searxng\"\nendpoint = \"http://127.0.0.1:8080\"\n",
        ));
        let found = web_settings(&config);
        assert_eq!(found.allowed_hosts, ["a.example"]);
        assert_eq!(found.allow_private, ["127.0.0.1:8080"]);
        assert_eq!(found.only_hosts, Some(vec!["b.example".to_owned()]));
        assert_eq!(found.deny_hosts, ["c.example"]);
        assert_eq!(
            (found.timeout, found.bytes_max),
            (Duration::from_secs(7), 1000)
        );
        assert_eq!(found.services["arxiv"], "https://mirror.example");
        let client = http_client(&config, clock())
            .expect("usable")
            .expect("present");
        assert_eq!(client.service("search").expect("set").provider, "searxng");
        assert_eq!(
            client.service("arxiv").expect("set").base,
            "https://mirror.example"
        );
    }

    #[test]
    fn an_entry_that_is_none_is_an_error_of_the_configuration() {
        let config = parse("[permissions.network]\nallow_private = [\"nowhere\"]\n");
        let err = http_client(&config, clock()).err().expect("refused");
        assert_eq!(err.reason_str(), Some("configuration"));
        assert!(err.message().contains("nowhere"));
    }

    #[test]
    fn a_key_that_is_not_set_leaves_only_the_search_out() {
        let config = parse(
            "[web.search]\nprovider = \"brave\"\napi_key = \"env:MATHCHAIN_TEST_NO_SUCH_KEY\"\n",
        );
        let client = http_client(&config, clock())
            .expect("usable")
            .expect("present");
        assert_eq!(client.service("search"), None);
        assert!(client.service("wikipedia").is_some());
    }
}
