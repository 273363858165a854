//! Searching arXiv.

use roxmltree::{Document, Node, ParsingOptions};

use super::html;
use super::services::{self, ConfiguredService, check_query};
use crate::prelude::*;

/// Search arXiv for papers, most relevant first, with abstracts.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// Words that must all occur, or an arXiv query with prefixes such as `ti:`, `au:`, `abs:`, `cat:`.
    pub query: String,
    /// Maximum results, 1 to 100.
    #[value(default = "BoundedInteger::<1, 100>::of::<10>")]
    pub max_results: BoundedInteger<1, 100>,
}

#[derive(Debug, PartialEq, Encode, Describe)]
pub(crate) struct Output {
    /// Number of matching papers.
    pub total: Option<u64>,
    /// The papers, most relevant first.
    pub results: Vec<ArxivPaper>,
}

/// A paper.
#[derive(Debug, PartialEq, Encode, Describe)]
pub(crate) struct ArxivPaper {
    /// Title.
    pub title: String,
    /// Authors, in the order of the paper.
    pub authors: Vec<String>,
    /// Abstract.
    pub r#abstract: String,
    /// Identifier on arXiv, with its version.
    pub arxiv_id: String,
    /// DOI, if the authors gave one.
    pub doi: Option<String>,
    /// Subjects, the primary one first.
    pub categories: Vec<String>,
    /// Publication time of the first version, as in `2017-06-12T17:57:34Z`.
    pub published: String,
    /// Publication time of this version.
    pub updated: String,
    /// URL of the paper.
    pub url: String,
    /// URL of the PDF.
    pub pdf_url: Option<String>,
}

impl Tool for Args {
    const SPEC: Spec = Spec {
        id: "search_arxiv",
        keyed_by: Some(&[]),
        title: "Search arXiv",
        tags: &["papers", "search"],
        syntax: &[("/query", Syntax::Query)],
        ..super::WEB
    };
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output> {
        let query = require_all_terms(check_query(&args.query)?);
        let count = args.max_results.get().to_string();
        let service = ConfiguredService::of("arxiv", None, ctx)?;
        let query = [
            ("search_query", query.as_str()),
            ("start", "0"),
            ("max_results", count.as_str()),
            ("sortBy", "relevance"),
            ("sortOrder", "descending"),
        ];
        const FEEDS: &[&str] = &["application/atom+xml", "application/xml", "text/xml"];
        let (text, _) = service.ask("/api/query", &query, FEEDS, ctx)?;
        ctx.check()?;
        parse_feed(&text, args.max_results.size(), &service)
    }

    fn resources(_: &Args) -> Result<Vec<ResourceKey>> {
        Ok(services::service_host_resource("export.arxiv.org"))
    }

    /// Against a recorded answer of the service.
    const EXAMPLES: &'static [JsonExample] = examples! {
        "one paper": r#"{"query": "attention transformer", "max_results": 1}"# => r#"{
            "total": 4321,
            "results": [{
                "title": "Attention Is All You Need", "authors": ["Ashish Vaswani", "Noam Shazeer"],
                "abstract": "We propose a new simple network architecture.", "arxiv_id": "1706.03762v7",
                "doi": null, "categories": ["cs.CL", "cs.LG"], "published": "2017-06-12T17:57:34Z",
                "updated": "2023-08-02T00:41:18Z", "url": "http://arxiv.org/abs/1706.03762v7",
                "pdf_url": "http://arxiv.org/pdf/1706.03762v7"
            }]
        }"#;
    };
}

/// Requires every plain word in any field; a query with prefixes is unchanged.
fn require_all_terms(query: &str) -> String {
    const PREFIXES: [&str; 8] = ["all:", "ti:", "au:", "abs:", "co:", "jr:", "cat:", "id:"];
    if PREFIXES.iter().any(|prefix| query.contains(prefix)) {
        return query.to_owned();
    }
    let odd = |letter: char| !letter.is_alphanumeric() && !"-_.'".contains(letter);
    let words = query.split_whitespace().map(|word| word.replace(odd, ""));
    let words = words.filter(|word| !word.is_empty());
    let words: Vec<String> = words.map(|word| format!("all:{word}")).collect();
    match words.is_empty() {
        true => format!("all:{query}"),
        false => words.join(" AND "),
    }
}

/// Parses the feed; document types are refused, so no entity expands.
fn parse_feed(text: &str, count: usize, service: &ConfiguredService) -> Result<Output> {
    let options = ParsingOptions {
        allow_dtd: false,
        nodes_limit: 200_000,
        ..ParsingOptions::default()
    };
    let document = Document::parse_with_options(text, options)
        .map_err(|err| service.unreadable(&format!("it is no feed: {err}")))?;
    let feed = document.root_element();
    if feed.tag_name().name() != "feed" {
        return Err(service.unreadable("it is no feed"));
    }
    let results: Vec<ArxivPaper> = child_elements(feed, "entry")
        .map(parse_feed_entry)
        .take(count)
        .collect();
    // The service reports its errors as an entry of that title.
    if let [only] = results.as_slice()
        && only.title == "Error"
    {
        return Err(tool_error!(ToolError at "/query", "answer";
            "`arxiv` refuses the query: {}", only.r#abstract));
    }
    Ok(Output {
        total: child_text(feed, "totalResults").parse().ok(),
        results,
    })
}

fn parse_feed_entry(entry: Node<'_, '_>) -> ArxivPaper {
    let link = |key: &str, value: &str| {
        let mut links = child_elements(entry, "link");
        let found = links.find(|node| node.attribute(key) == Some(value))?;
        found.attribute("href").map(str::to_owned)
    };
    let id = child_text(entry, "id");
    let mut categories: Vec<String> = Vec::new();
    for node in child_elements(entry, "primary_category").chain(child_elements(entry, "category")) {
        let term = node.attribute("term").map(str::to_owned);
        categories.extend(term.filter(|term| !categories.contains(term)));
    }
    ArxivPaper {
        title: child_text(entry, "title"),
        authors: child_elements(entry, "author")
            .map(|author| child_text(author, "name"))
            .collect(),
        r#abstract: child_text(entry, "summary"),
        arxiv_id: id
            .rsplit_once("/abs/")
            .map_or(&*id, |(_, id)| id)
            .to_owned(),
        doi: Some(child_text(entry, "doi")).filter(|doi| !doi.is_empty()),
        categories,
        published: child_text(entry, "published"),
        updated: child_text(entry, "updated"),
        url: link("rel", "alternate").unwrap_or(id),
        pdf_url: link("title", "pdf"),
    }
}

fn child_elements<'a, 'x>(
    node: Node<'a, 'x>,
    name: &'static str,
) -> impl Iterator<Item = Node<'a, 'x>> {
    node.children()
        .filter(move |child| child.tag_name().name() == name)
}

/// The text of a child on one line.
fn child_text(node: Node<'_, '_>, name: &'static str) -> String {
    let found = child_elements(node, name).next();
    html::one_line(found.and_then(|child| child.text()).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::require_all_terms;

    #[test]
    fn plain_words_must_all_occur_and_queries_stay() {
        for (query, expected) in [
            ("graph neural", "all:graph AND all:neural"),
            ("  one ", "all:one"),
            ("\"quoted\" (words)", "all:quoted AND all:words"),
            (
                "au:del_maestro AND ti:checkerboard",
                "au:del_maestro AND ti:checkerboard",
            ),
            ("???", "all:???"),
        ] {
            assert_eq!(require_all_terms(query.trim()), expected);
        }
    }
}
