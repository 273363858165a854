//! Searching the web, and the providers of searches.

use super::html;
use super::services::{ConfiguredService, check_query, text_of};
use super::wikipedia;
use crate::prelude::*;

/// Search the web with the configured provider: a SearXNG server, Brave, or Wikipedia by default. The result names the provider.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct WebSearch {
    /// Search text, 1 to 1000 characters.
    pub query: String,
    /// Maximum results, 1 to 20.
    #[value(default = "BoundedInteger::<1, 20>::of::<10>")]
    pub max_results: BoundedInteger<1, 20>,
    /// Country and language as in `us-en`; `wt-wt` for no region.
    #[value(default = "default_region")]
    pub region: String,
}

fn default_region() -> String {
    "wt-wt".to_owned()
}

#[derive(Debug, Encode, Describe)]
pub(crate) struct WebHits {
    /// The provider: `wikipedia`, `searxng` or `brave`.
    pub provider: String,
    /// The pages, best match first; may be empty.
    pub results: Vec<WebHit>,
}

impl Tool for WebSearch {
    const SPEC: Spec = super::WEB
        .with_name("web_search", "Search the web")
        .tags(&["search"]);
    type Output = WebHits;

    fn run(args: WebSearch, ctx: &Ctx) -> Result<WebHits> {
        let region = SearchRegion::parse(&args.region)?;
        let query = check_query(&args.query)?;
        search_web(query, args.max_results.size(), &region, ctx)
    }

    /// Against a recorded answer of Wikipedia.
    const EXAMPLES: &'static [JsonExample] = examples! {
        "one result": r#"{"query": "prime numbers", "max_results": 1, "region": "us-en"}"# => r#"{
            "provider": "wikipedia",
            "results": [{
                "title": "Prime number", "url": "https://en.wikipedia.org/wiki/Prime_number",
                "snippet": "A prime number is a natural number with two divisors."
            }]
        }"#;
    };
}

/// A search hit.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode, Describe)]
pub(crate) struct WebHit {
    /// Title of the page.
    pub title: String,
    /// URL of the page.
    pub url: String,
    /// Excerpt from the provider.
    pub snippet: String,
}

/// A region such as `us-en`: a country and a language; `wt-wt` for no region.
#[derive(Default)]
pub(super) struct SearchRegion {
    country: Option<String>,
    language: Option<String>,
}

impl SearchRegion {
    pub(super) fn parse(text: &str) -> Result<Self> {
        let letters =
            |part: &str| part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_lowercase());
        match text.split_once('-') {
            Some(("wt", "wt")) => Ok(Self::default()),
            Some((country, language)) if letters(country) && letters(language) => Ok(Self {
                // The only code here that is not of ISO 3166.
                country: Some(if country == "uk" { "gb" } else { country }.to_owned()),
                language: Some(language.to_owned()),
            }),
            _ => Err(tool_error!(InvalidArgs at "/region";
                "expected a country and a language as in `us-en`, or `wt-wt` for none, found `{text}`")),
        }
    }
}

/// Searches with the configured provider.
pub(super) fn search_web(
    query: &str,
    count: usize,
    region: &SearchRegion,
    ctx: &Ctx,
) -> Result<WebHits> {
    let service = ConfiguredService::of("search", None, ctx)?;
    let mut hits = match service.provider() {
        "searxng" => search_searxng(&service, query, region, ctx)?,
        "brave" => search_brave(&service, query, count, region, ctx)?,
        _ => search_encyclopaedia(query, count, region, ctx)?,
    };
    // Keeps http(s) URLs, each once.
    let mut seen = std::collections::HashSet::new();
    hits.retain(|hit| {
        (hit.url.starts_with("https://") || hit.url.starts_with("http://"))
            && seen.insert(hit.url.clone())
    });
    hits.truncate(count);
    Ok(WebHits {
        provider: service.provider().to_owned(),
        results: hits,
    })
}

fn search_searxng(
    service: &ConfiguredService,
    query: &str,
    region: &SearchRegion,
    ctx: &Ctx,
) -> Result<Vec<WebHit>> {
    let language = match (&region.language, &region.country) {
        (Some(language), Some(country)) => format!("{language}-{}", country.to_ascii_uppercase()),
        _ => "all".to_owned(),
    };
    let parameters = [("q", query), ("format", "json"), ("language", &language)];
    let answer = service.json("/search", &parameters, ctx)?;
    Ok(parse_hits(&service.list(&answer, "/results")?, "content"))
}

fn search_brave(
    service: &ConfiguredService,
    query: &str,
    count: usize,
    region: &SearchRegion,
    ctx: &Ctx,
) -> Result<Vec<WebHit>> {
    let count = count.to_string();
    let country = region
        .country
        .as_ref()
        .map(|name| name.to_ascii_uppercase());
    let mut parameters = vec![("q", query), ("count", count.as_str())];
    parameters.extend(country.as_deref().map(|country| ("country", country)));
    let language = region.language.as_deref();
    parameters.extend(language.map(|language| ("search_lang", language)));
    let answer = service.json("/res/v1/web/search", &parameters, ctx)?;
    // Without hits there is no `web`.
    if answer.get("web").is_none() && answer.get("query").is_some() {
        return Ok(Vec::new());
    }
    Ok(parse_hits(
        &service.list(&answer, "/web/results")?,
        "description",
    ))
}

fn parse_hits(results: &[Value], snippet: &str) -> Vec<WebHit> {
    let hit = |result: &Value| WebHit {
        title: html::plain_text(&text_of(result, "title")),
        url: text_of(result, "url"),
        snippet: html::plain_text(&text_of(result, snippet)),
    };
    results.iter().map(hit).collect()
}

fn search_encyclopaedia(
    query: &str,
    count: usize,
    region: &SearchRegion,
    ctx: &Ctx,
) -> Result<Vec<WebHit>> {
    let language = region.language.as_deref().unwrap_or("en");
    let pages = wikipedia::search_articles(query, count as i64, language, ctx)?;
    let hit = |page: wikipedia::WikipediaPage| WebHit {
        title: page.title,
        url: page.url,
        snippet: page.text,
    };
    Ok(pages.into_iter().map(hit).collect())
}
