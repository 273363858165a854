//! The MediaWiki API of Wikipedia.

use super::services::{self, Service, text_of};
use crate::prelude::*;

/// A page of the API.
pub(super) struct Page {
    pub(super) title: String,
    pub(super) id: i64,
    pub(super) url: String,
    pub(super) text: String,
    pub(super) categories: Vec<String>,
    /// Rank among the search results.
    pub(super) index: i64,
}

/// Requested part of an article.
pub(super) enum Extent {
    /// The first sentences.
    Sentences(i64),
    /// Everything, sections marked as in `== Title ==`.
    Whole,
}

pub(super) fn default_language() -> String {
    "en".to_owned()
}

/// The host of a language edition as a resource.
pub(super) fn host(language: &str) -> Result<Vec<ResourceKey>, ToolError> {
    Ok(services::host(format!(
        "{}.wikipedia.org",
        checked(language)?
    )))
}

/// Checks a language code: it becomes part of a host, so only letters and dashes are allowed.
fn checked(language: &str) -> Result<&str, ToolError> {
    let letters =
        |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase());
    if language.len() <= 16 && language.split('-').all(letters) {
        return Ok(language);
    }
    Err(tool_error!(
        InvalidArgs,
        "expected a language code such as `en` or `zh-yue`, found `{language}`"
    )
    .at("/language"))
}

/// The page of a title, after redirects.
pub(super) fn page(
    title: &str,
    language: &str,
    extent: &Extent,
    ctx: &Ctx,
) -> Result<Page, ToolError> {
    const TITLE_BYTES_MAX: usize = 255;
    let title = title.trim();
    if title.is_empty()
        || title.len() > TITLE_BYTES_MAX
        || title.contains(['|', '\n', '#', '[', ']', '{', '}', '<', '>'])
    {
        return Err(tool_error!(
            InvalidArgs,
            "expected a title of 1 to {TITLE_BYTES_MAX} bytes without |, #, brackets or line breaks"
        )
        .at("/title")
        .hint("find titles with `search_wikipedia`"));
    }
    let sentences;
    let mut query = vec![
        ("prop", "extracts|info|categories"),
        ("titles", title),
        ("redirects", "1"),
        ("explaintext", "1"),
        ("inprop", "url"),
        ("clshow", "!hidden"),
        ("cllimit", "50"),
    ];
    match extent {
        Extent::Sentences(count) => {
            sentences = count.to_string();
            query.extend([("exintro", "1"), ("exsentences", sentences.as_str())]);
        }
        Extent::Whole => query.push(("exsectionformat", "wiki")),
    }
    let (service, answer) = ask(language, &query, ctx)?;
    let pages = service.list(&answer, "/query/pages")?;
    let page = pages
        .first()
        .ok_or_else(|| service.unreadable("it has no page"))?;
    let absent = |key: &str| {
        page.get(key)
            .is_some_and(|value| value.as_bool() != Some(false))
    };
    if absent("missing") || absent("invalid") {
        return Err(tool_error!(
            ToolError,
            "the Wikipedia edition `{language}` has no page `{title}`"
        )
        .reason("not_found")
        .at("/title")
        .hint("find titles with `search_wikipedia`"));
    }
    Ok(read(page))
}

/// The pages that match a query, best first, each with its first sentences.
pub(super) fn search(
    query: &str,
    count: i64,
    language: &str,
    ctx: &Ctx,
) -> Result<Vec<Page>, ToolError> {
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
    let (service, answer) = ask(language, &query, ctx)?;
    // Without hits there is no `query`.
    if answer.get("query").is_none() && answer.as_object().is_some() {
        return Ok(Vec::new());
    }
    let mut pages: Vec<Page> = service
        .list(&answer, "/query/pages")?
        .iter()
        .map(read)
        .collect();
    pages.sort_by_key(|page| page.index);
    Ok(pages)
}

fn ask(language: &str, query: &[(&str, &str)], ctx: &Ctx) -> Result<(Service, Value), ToolError> {
    let service = Service::of("wikipedia", Some(checked(language)?), ctx)?;
    let mut whole = vec![
        ("action", "query"),
        ("format", "json"),
        ("formatversion", "2"),
    ];
    whole.extend(query);
    let answer = service.json("/w/api.php", &whole, ctx)?;
    if let Some(error) = answer.get("error") {
        let message = format_args!("`wikipedia` refuses the query: {}", text_of(error, "info"));
        return Err(ToolError::new(ErrorCode::ToolError, message).reason("answer"));
    }
    Ok((service, answer))
}

fn read(page: &Value) -> Page {
    let categories = page
        .get("categories")
        .and_then(Value::items)
        .unwrap_or_default();
    let name = |category: &Value| {
        let title = text_of(category, "title");
        title
            .split_once(':')
            .map_or(title.clone(), |(_, name)| name.to_owned())
    };
    Page {
        title: text_of(page, "title"),
        id: services::number_of(page, "pageid").unwrap_or(0),
        url: text_of(page, "fullurl"),
        text: text_of(page, "extract"),
        categories: categories.iter().map(name).collect(),
        index: services::number_of(page, "index").unwrap_or(i64::MAX),
    }
}

/// A section of an article.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Section {
    /// Heading.
    pub title: String,
    /// Level: 2 for a main section, 3 for one below it.
    pub level: u32,
}

/// The headings of a text: lines such as `== Title ==`.
pub(super) fn sections(text: &str) -> Vec<Section> {
    let section = |line: &str| {
        let line = line.trim();
        let level = line.bytes().take_while(|byte| *byte == b'=').count();
        let closing = line.bytes().rev().take_while(|byte| *byte == b'=').count();
        let title = line.get(level..line.len().checked_sub(level)?)?.trim();
        (level >= 2 && level == closing && !title.is_empty()).then(|| Section {
            title: title.to_owned(),
            level: level as u32,
        })
    };
    text.lines().filter_map(section).collect()
}
