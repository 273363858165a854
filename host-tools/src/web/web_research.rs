//! Searching the web, reading pages and summarizing them.

use std::time::Duration;

use url::Url;

use super::fetch_docs;
use super::services::check_query;
use super::textrank::SentenceGraph;
use super::web_search::{self, SearchRegion, WebHit};
use crate::prelude::*;

/// Maximum ranked sentences of one page.
const SENTENCES_EACH: usize = 120;

/// Search the web, read the best pages in parallel, and return the most relevant sentences, each with its source. The summary is
/// extracted from the pages (TextRank); no text is generated.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The query, 1 to 1000 characters.
    pub query: String,
    /// Maximum results of the search, 1 to 20.
    #[value(default = "BoundedInteger::<1, 20>::of::<5>")]
    pub max_results: BoundedInteger<1, 20>,
    /// Maximum pages to read, 1 to 8.
    #[value(default = "BoundedInteger::<1, 8>::of::<3>")]
    pub max_pages: BoundedInteger<1, 8>,
    /// Only pages of this host or its subdomains, such as `wikipedia.org`.
    #[value(default)]
    pub domain_filter: Option<String>,
    /// Maximum sentences of the summary, 1 to 20.
    #[value(default = "BoundedInteger::<1, 20>::of::<5>")]
    pub sentences: BoundedInteger<1, 20>,
}

#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The most relevant sentences, best first.
    pub summary: Vec<PageQuote>,
    /// The search hits, best first.
    pub sources: Vec<ResearchSource>,
    /// Provenance of the summary.
    pub metadata: ResearchMetadata,
}

/// A sentence of a page.
#[derive(Debug, Encode, Describe)]
pub(crate) struct PageQuote {
    /// The sentence.
    pub text: String,
    /// URL of its page.
    pub source: String,
}

/// A search hit.
#[derive(Debug, Encode, Describe)]
pub(crate) struct ResearchSource {
    /// Title.
    pub title: String,
    /// URL.
    pub url: String,
    /// Excerpt from the provider.
    pub snippet: String,
    /// Whether its text was read; otherwise the snippet was used.
    pub read: bool,
    /// The error of reading it, if that failed.
    pub error: Option<String>,
}

/// Provenance of a summary.
#[derive(Debug, Encode, Describe)]
pub(crate) struct ResearchMetadata {
    /// The provider: `wikipedia`, `searxng` or `brave`.
    pub provider: String,
    /// The method of selection.
    pub method: String,
    /// Number of pages read.
    pub pages: usize,
    /// Number of sentences ranked.
    pub sentences: usize,
}

impl Tool for Args {
    const SPEC: Spec = super::WEB
        .with_name("web_research", "Search and summarize the web")
        .tags(&["search", "summary"])
        .syntax(&[("/domain_filter", Syntax::Host)]);
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output> {
        let query = check_query(&args.query)?;
        let domain = args
            .domain_filter
            .as_deref()
            .map(check_domain)
            .transpose()?;
        let count = args.max_results.size();
        let found = web_search::search_web(query, count, &SearchRegion::default(), ctx)?;
        let mut hits = found.results;
        if let Some(domain) = &domain {
            hits.retain(|hit| is_below(&hit.url, domain));
        }
        ctx.progress(0.2, || "search done".to_owned());
        let pages = read_all(&hits[..hits.len().min(args.max_pages.size())], ctx)?;
        ctx.progress(0.8, || "pages read".to_owned());
        let text_of = |index: usize| match pages.get(index) {
            Some(Ok(text)) => text.as_str(),
            _ => hits[index].snippet.as_str(),
        };
        let sentences = SentenceGraph::of((0..hits.len()).map(text_of), SENTENCES_EACH);
        let best = sentences.best(query, args.sentences.size(), ctx.stop())?;
        let summary = best.into_iter().map(|sentence| PageQuote {
            source: hits[sentence.source].url.clone(),
            text: sentence.text,
        });
        Ok(Output {
            summary: summary.collect(),
            metadata: ResearchMetadata {
                provider: found.provider,
                method: "textrank".to_owned(),
                pages: pages.iter().filter(|page| page.is_ok()).count(),
                sentences: sentences.len(),
            },
            sources: (hits.iter().enumerate())
                .map(|(index, hit)| hit_to_source(hit, pages.get(index)))
                .collect(),
        })
    }

    /// Against a recorded answer of Wikipedia.
    const EXAMPLES: &'static [JsonExample] = examples! {
        "one page": r#"{
            "query": "prime numbers", "max_results": 1, "max_pages": 1, "domain_filter": "wikipedia.org",
            "sentences": 1
        }"#
            => r#"{
                "summary": [{
                    "text": "Every natural number is a product of prime numbers.",
                    "source": "https://en.wikipedia.org/wiki/Prime_number"
                }],
                "sources": [{
                    "title": "Prime number", "url": "https://en.wikipedia.org/wiki/Prime_number",
                    "snippet": "A prime number is a natural number with two divisors.", "read": true, "error": null
                }],
                "metadata": {"provider": "wikipedia", "method": "textrank", "pages": 1, "sentences": 1}
            }"#;
    };
}

fn hit_to_source(hit: &WebHit, page: Option<&Result<String>>) -> ResearchSource {
    let error = page.and_then(|page| page.as_ref().err());
    ResearchSource {
        title: hit.title.clone(),
        url: hit.url.clone(),
        snippet: hit.snippet.clone(),
        read: matches!(page, Some(Ok(_))),
        error: error.map(|err| err.message().to_owned()),
    }
}

/// Reads pages in parallel, each on a thread; the results are in the order of the pages.
fn read_all(hits: &[WebHit], ctx: &Ctx) -> Result<Vec<Result<String>>> {
    let read = |hit: &WebHit| {
        let request = HttpRequest {
            timeout: Duration::from_secs(15),
            any_host: true,
            ..HttpRequest::get(hit.url.as_str())
        };
        fetch_docs::fetch_page(request, ctx).map(|(page, _, _)| page.text)
    };
    let pages = std::thread::scope(|scope| {
        let threads = hits.iter().map(|hit| scope.spawn(move || read(hit)));
        let threads: Vec<_> = threads.collect();
        let ended = |_| Err(tool_error!(Internal, "reading a page ended unexpectedly"));
        let results = threads.into_iter();
        results
            .map(|thread| thread.join().unwrap_or_else(ended))
            .collect()
    });
    ctx.check()?;
    Ok(pages)
}

/// Checks the host of the filter.
fn check_domain(text: &str) -> Result<String> {
    let domain = text.trim().trim_start_matches("*.").trim_matches('.');
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-');
    if domain.is_empty() || !domain.bytes().all(plain) {
        return Err(tool_error!(InvalidArgs at "/domain_filter";
            "expected a host such as `wikipedia.org`, found `{text}`"));
    }
    Ok(domain.to_ascii_lowercase())
}

fn is_below(url: &str, domain: &str) -> bool {
    let url = Url::parse(url).ok();
    let host = url.as_ref().and_then(Url::host_str);
    host.and_then(|host| host.strip_suffix(domain))
        .is_some_and(|front| front.is_empty() || front.ends_with('.'))
}
