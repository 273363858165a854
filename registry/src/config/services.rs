//! Reads what a configuration says of services outside: the web and models.

use super::part::{Part, Table, set};
use crate::model::{ModelEndpoint, Models, Web, WebSearch};

pub(super) fn web(part: Part<'_>) -> Web {
    let mut web = Web::default();
    let keys = [
        "allow_hosts",
        "deny_hosts",
        "timeout_s",
        "bytes_max",
        "services",
        "search",
    ];
    let Some(mut table) = part.into_table(&keys) else {
        return web;
    };
    web.allow_hosts = table.list("allow_hosts");
    set(&mut web.deny_hosts, table.list("deny_hosts"));
    web.timeout_s = table.positive("timeout_s");
    web.bytes_max = table.positive("bytes_max");
    table.each_named("services", |name, mut part| {
        web.services
            .extend(part.as_text().map(|address| (name, address)));
    });
    table.within("search", |part| web.search = web_search(part));
    web
}

fn web_search(part: Part<'_>) -> Option<WebSearch> {
    let mut table = part.into_table(&["provider", "endpoint", "api_key"])?;
    let provider = table.one_of("provider", &["wikipedia", "searxng", "brave"]);
    table.need("provider", "`web.search` needs its `provider`");
    let endpoint = table.text("endpoint");
    let api_key_variable = key_variable(&mut table);
    Some(WebSearch {
        provider: provider?,
        endpoint,
        api_key_variable,
    })
}

pub(super) fn models(part: Part<'_>) -> Models {
    let mut models = Models::default();
    if let Some(mut table) = part.into_table(&["embeddings", "chat", "vision"]) {
        table.within("embeddings", |part| {
            models.embeddings = model_endpoint(part)
        });
        table.within("chat", |part| models.chat = model_endpoint(part));
        table.within("vision", |part| models.vision = model_endpoint(part));
    }
    models
}

/// Secrets stay outside: neither the URL nor the key may hold one, and no error repeats what was written there.
fn model_endpoint(part: Part<'_>) -> Option<ModelEndpoint> {
    let mut table = part.into_table(&["endpoint", "api_key", "model", "timeout_ms"])?;
    let endpoint = table.text("endpoint");
    table.need("endpoint", "a model needs its `endpoint`");
    if endpoint.as_ref().is_some_and(|url| !is_plain_url(url)) {
        table.report(
            "`endpoint` is an http(s) URL without a user or password, such as `http://127.0.0.1:8080/v1/embeddings`",
        );
    }
    let api_key_variable = key_variable(&mut table);
    let model = table.text("model");
    let timeout_ms = table.positive("timeout_ms");
    Some(ModelEndpoint {
        endpoint: endpoint?,
        api_key_variable,
        model,
        timeout_ms,
    })
}

/// The variable that `api_key` names: a key itself is refused, and not repeated.
fn key_variable(table: &mut Table<'_>) -> Option<String> {
    let key = table.text("api_key")?;
    let variable = key.strip_prefix("env:").filter(|name| is_variable(name));
    if variable.is_none() {
        table.report("`api_key` names the environment variable that holds the key, such as `env:SEARCH_KEY`; the key itself does not belong here");
    }
    variable.map(str::to_owned)
}

fn is_plain_url(url: &str) -> bool {
    let rest = ["http://", "https://"]
        .iter()
        .find_map(|scheme| url.strip_prefix(scheme));
    let host = rest.and_then(|rest| rest.split(['/', '?', '#', '\\']).next());
    let printable = url.bytes().all(|byte| byte.is_ascii_graphic());
    printable && host.is_some_and(|host| !host.is_empty() && !host.contains('@'))
}

fn is_variable(name: &str) -> bool {
    let word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    name.bytes().all(word) && name.starts_with(|first: char| !first.is_ascii_digit())
}
