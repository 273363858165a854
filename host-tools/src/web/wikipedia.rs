//! Wikipedia through the MediaWiki API: search, first sentences, full articles.

use super::services::{self, ConfiguredService, check_query, items_of, text_of};
use crate::prelude::*;

/// The declaration of a tool that reads one language edition.
const OF_LANGUAGE: Spec = Spec {
    keyed_by: Some(&["/language"]),
    tags: &["wikipedia", "encyclopaedia"],
    syntax: &[("/language", Syntax::Host)],
    ..super::WEB
};

fn default_language() -> String {
    "en".to_owned()
}

/// The host of a language edition as a resource.
fn language_host_resource(language: &str) -> Result<Vec<ResourceKey>> {
    let language = check_language(language)?;
    Ok(services::service_host_resource(format!(
        "{language}.wikipedia.org"
    )))
}

/// Search Wikipedia, best match first, each with its first sentences.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct SearchWikipedia {
    /// Search text, 1 to 1000 characters.
    pub query: String,
    /// Maximum results, 1 to 20.
    #[value(default = "BoundedInteger::<1, 20>::of::<5>")]
    pub max_results: BoundedInteger<1, 20>,
    /// Language edition, such as `en` or `de`.
    #[value(default = "default_language")]
    pub language: String,
}

#[derive(Debug, Encode, Describe)]
pub(crate) struct WikipediaArticles {
    /// The articles, best match first; may be empty.
    pub results: Vec<WikipediaArticle>,
}

/// An article.
#[derive(Debug, Encode, Describe)]
pub(crate) struct WikipediaArticle {
    /// Title.
    pub title: String,
    /// The first sentences.
    pub summary: String,
    /// URL.
    pub url: String,
    /// Page id in its language edition.
    pub page_id: i64,
}

impl Tool for SearchWikipedia {
    const SPEC: Spec = OF_LANGUAGE
        .with_name("search_wikipedia", "Search Wikipedia")
        .tags(&["wikipedia", "encyclopaedia", "search"]);
    type Output = WikipediaArticles;

    fn run(args: Self, ctx: &Ctx) -> Result<WikipediaArticles> {
        let count = args.max_results.get();
        let pages = search_articles(check_query(&args.query)?, count, &args.language, ctx)?;
        let article = |page: WikipediaPage| WikipediaArticle {
            title: page.title,
            summary: page.text,
            url: page.url,
            page_id: page.id,
        };
        let results = pages.into_iter().take(args.max_results.size());
        Ok(WikipediaArticles {
            results: results.map(article).collect(),
        })
    }

    fn resources(args: &Self) -> Result<Vec<ResourceKey>> {
        language_host_resource(&args.language)
    }

    /// Against a recorded answer of the service.
    const EXAMPLES: &'static [JsonExample] = examples! {
        "two articles": r#"{"query": "prime numbers", "max_results": 2}"# => r#"{
            "results": [
                {
                    "title": "Prime number", "summary": "A prime number is a natural number with two divisors.",
                    "url": "https://en.wikipedia.org/wiki/Prime_number", "page_id": 23666
                },
                {
                    "title": "Twin prime", "summary": "A twin prime is a prime that is two away from another.",
                    "url": "https://en.wikipedia.org/wiki/Twin_prime", "page_id": 30654
                }
            ]
        }"#;
    };
}

/// Get the first sentences of a Wikipedia article by its title.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct FetchWikipedia {
    /// Title of the article, as returned by `search_wikipedia`.
    pub title: String,
    /// Number of sentences, 1 to 10.
    #[value(default = "BoundedInteger::<1, 10>::of::<5>")]
    pub sentences: BoundedInteger<1, 10>,
    /// Language edition, such as `en` or `de`.
    #[value(default = "default_language")]
    pub language: String,
}

#[derive(Debug, Encode, Describe)]
pub(crate) struct WikipediaSummary {
    /// Title of the article found, after redirects.
    pub title: String,
    /// The first sentences.
    pub summary: String,
    /// URL of the article.
    pub url: String,
    /// Categories of the article, up to 50.
    pub categories: Vec<String>,
}

impl Tool for FetchWikipedia {
    const SPEC: Spec =
        OF_LANGUAGE.with_name("fetch_wikipedia", "Get the summary of a Wikipedia article");
    type Output = WikipediaSummary;

    fn run(args: Self, ctx: &Ctx) -> Result<WikipediaSummary> {
        let sentences = args.sentences.get().to_string();
        let extent = [("exintro", "1"), ("exsentences", sentences.as_str())];
        let page = fetch_article(&args.title, &args.language, &extent, ctx)?;
        Ok(WikipediaSummary {
            title: page.title,
            summary: page.text,
            url: page.url,
            categories: page.categories,
        })
    }

    fn resources(args: &Self) -> Result<Vec<ResourceKey>> {
        language_host_resource(&args.language)
    }

    /// Against a recorded answer of the service.
    const EXAMPLES: &'static [JsonExample] = examples! {
        "one sentence": r#"{"title": "euler's number", "sentences": 1}"# => r#"{
            "title": "E (mathematical constant)", "summary": "The number e is a mathematical constant.",
            "url": "https://en.wikipedia.org/wiki/E_(mathematical_constant)",
            "categories": ["Mathematical constants", "Leonhard Euler"]
        }"#;
    };
}

/// Get the full text of a Wikipedia article by its title, with headings and categories.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct GetWikipediaArticle {
    /// Title of the article, as returned by `search_wikipedia`.
    pub title: String,
    /// Language edition, such as `en` or `de`.
    #[value(default = "default_language")]
    pub language: String,
}

#[derive(Debug, Encode, Describe)]
pub(crate) struct FullArticle {
    /// Title of the article found, after redirects.
    pub title: String,
    /// The text; headings are lines such as `== Title ==`.
    pub full_text: String,
    /// URL of the article.
    pub url: String,
    /// Categories of the article, up to 50.
    pub categories: Vec<String>,
    /// The headings in document order.
    pub sections: Vec<WikipediaSection>,
}

/// A section of an article.
#[derive(Debug, PartialEq, Eq, Encode, Decode, Describe)]
pub(crate) struct WikipediaSection {
    /// Heading.
    pub title: String,
    /// Level: 2 for a main section, 3 for one below it.
    pub level: u32,
}

impl Tool for GetWikipediaArticle {
    const SPEC: Spec = OF_LANGUAGE.with_name("get_wikipedia_article", "Get a Wikipedia article");
    type Output = FullArticle;

    fn run(args: Self, ctx: &Ctx) -> Result<FullArticle> {
        // Sections marked as in `== Title ==`.
        let extent = [("exsectionformat", "wiki")];
        let page = fetch_article(&args.title, &args.language, &extent, ctx)?;
        Ok(FullArticle {
            title: page.title,
            sections: section_headings(&page.text),
            full_text: page.text,
            url: page.url,
            categories: page.categories,
        })
    }

    fn resources(args: &Self) -> Result<Vec<ResourceKey>> {
        language_host_resource(&args.language)
    }

    /// Against a recorded answer of the service.
    const EXAMPLES: &'static [JsonExample] = examples! {
        "a short article": r#"{"title": "Twin prime"}"# => r#"{
            "title": "Twin prime",
            "full_text": "A twin prime is a prime.\n\n== History ==\nLong.\n\n=== Proofs ===\nNone.",
            "url": "https://en.wikipedia.org/wiki/Twin_prime", "categories": ["Prime numbers"],
            "sections": [{"title": "History", "level": 2}, {"title": "Proofs", "level": 3}]
        }"#;
    };
}

/// A page of the API.
pub(super) struct WikipediaPage {
    pub(super) title: String,
    pub(super) id: i64,
    pub(super) url: String,
    pub(super) text: String,
    pub(super) categories: Vec<String>,
    /// Rank among the search results.
    pub(super) index: i64,
}

/// Checks a language code: it becomes part of a host, so only letters and dashes are allowed.
fn check_language(language: &str) -> Result<&str> {
    let letters =
        |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase());
    if language.len() <= 16 && language.split('-').all(letters) {
        return Ok(language);
    }
    Err(tool_error!(InvalidArgs at "/language";
        "expected a language code such as `en` or `zh-yue`, found `{language}`"))
}

/// The page of a title, after redirects; `extent` selects the part of its text.
fn fetch_article(
    title: &str,
    language: &str,
    extent: &[(&str, &str)],
    ctx: &Ctx,
) -> Result<WikipediaPage> {
    const TITLE_BYTES_MAX: usize = 255;
    const HINT: &str = "find titles with `search_wikipedia`";
    let title = title.trim();
    let sound = !title.contains(['|', '\n', '#', '[', ']', '{', '}', '<', '>']);
    if !sound || !(1..=TITLE_BYTES_MAX).contains(&title.len()) {
        return Err(tool_error!(InvalidArgs at "/title";
            "expected a title of 1 to {TITLE_BYTES_MAX} bytes without |, #, brackets or line breaks").hint(HINT));
    }
    let mut query = vec![
        ("prop", "extracts|info|categories"),
        ("titles", title),
        ("redirects", "1"),
        ("explaintext", "1"),
        ("inprop", "url"),
        ("clshow", "!hidden"),
        ("cllimit", "50"),
    ];
    query.extend(extent);
    let (service, answer) = query_api(language, &query, ctx)?;
    let pages = service.list(&answer, "/query/pages")?;
    let no_page = || service.unreadable("it has no page");
    let page = pages.first().ok_or_else(no_page)?;
    let flagged = |key: &&str| {
        page.get(key)
            .is_some_and(|flag| flag.as_bool() != Some(false))
    };
    if ["missing", "invalid"].iter().any(flagged) {
        return Err(tool_error!(ToolError at "/title", Reason::NotFound;
            "the Wikipedia edition `{language}` has no page `{title}`")
        .hint(HINT));
    }
    Ok(parse_article(page))
}

/// The pages that match a query, best first, each with its first sentences.
pub(super) fn search_articles(
    query: &str,
    count: i64,
    language: &str,
    ctx: &Ctx,
) -> Result<Vec<WikipediaPage>> {
    let count = count.to_string();
    let query = [
        ("generator", "search"),
        ("gsrsearch", query),
        ("gsrlimit", count.as_str()),
        ("prop", "extracts|info"),
        ("exintro", "1"),
        ("exsentences", "3"),
        ("exlimit", "max"),
        ("explaintext", "1"),
        ("inprop", "url"),
    ];
    let (service, answer) = query_api(language, &query, ctx)?;
    // Without hits there is no `query`.
    if answer.get("query").is_none() && answer.as_object().is_some() {
        return Ok(Vec::new());
    }
    let pages = service.list(&answer, "/query/pages")?;
    let mut pages: Vec<WikipediaPage> = pages.iter().map(parse_article).collect();
    pages.sort_by_key(|page| page.index);
    Ok(pages)
}

fn query_api(
    language: &str,
    query: &[(&str, &str)],
    ctx: &Ctx,
) -> Result<(ConfiguredService, Value)> {
    let service = ConfiguredService::of("wikipedia", Some(check_language(language)?), ctx)?;
    let mut whole = vec![
        ("action", "query"),
        ("format", "json"),
        ("formatversion", "2"),
    ];
    whole.extend(query);
    let answer = service.json("/w/api.php", &whole, ctx)?;
    if let Some(error) = answer.get("error") {
        return Err(tool_error!(ToolError, "answer";
            "`wikipedia` refuses the query: {}", text_of(error, "info")));
    }
    Ok((service, answer))
}

fn parse_article(page: &Value) -> WikipediaPage {
    let categories = items_of(page, "categories");
    let name = |category: &Value| {
        let title = text_of(category, "title");
        match title.split_once(':') {
            Some((_, name)) => name.to_owned(),
            None => title,
        }
    };
    WikipediaPage {
        title: text_of(page, "title"),
        id: services::number_of(page, "pageid").unwrap_or(0),
        url: text_of(page, "fullurl"),
        text: text_of(page, "extract"),
        categories: categories.iter().map(name).collect(),
        index: services::number_of(page, "index").unwrap_or(i64::MAX),
    }
}

/// The headings of a text: lines such as `== Title ==`.
fn section_headings(text: &str) -> Vec<WikipediaSection> {
    let section = |line: &str| {
        let line = line.trim();
        let level = line.bytes().take_while(|byte| *byte == b'=').count();
        let closing = line.bytes().rev().take_while(|byte| *byte == b'=').count();
        let title = line.get(level..line.len().checked_sub(level)?)?.trim();
        (level >= 2 && level == closing && !title.is_empty()).then(|| WikipediaSection {
            title: title.to_owned(),
            level: level as u32,
        })
    };
    text.lines().filter_map(section).collect()
}
