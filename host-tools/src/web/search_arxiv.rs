//! Searching arXiv.

use roxmltree::{Document, Node, ParsingOptions};

use super::services::{self, Service, question};
use crate::prelude::*;

pub(crate) struct SearchArxiv;

/// Search arXiv for papers, most relevant first, with abstracts.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Words that must all occur, or an arXiv query with prefixes such as `ti:`, `au:`, `abs:`, `cat:`.
    pub query: String,
    /// Maximum results, 1 to 100.
    #[serde(default = "Bounded::<1, 100>::of::<10>")]
    pub max_results: Bounded<1, 100>,
}

#[derive(Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Number of matching papers.
    pub total: Option<u64>,
    /// The papers, most relevant first.
    pub results: Vec<Paper>,
}

/// A paper.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct Paper {
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

impl Tool for SearchArxiv {
    const SPEC: Spec = Spec {
        id: "search_arxiv",
        keyed_by: Some(&[]),
        title: "Search arXiv",
        tags: &["papers", "search"],
        syntax: &[("/query", Syntax::Query)],
        ..super::WEB
    };
    type Args = Args;
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let query = terms(question(&args.query)?);
        let count = args.max_results.get().to_string();
        let service = Service::of("arxiv", None, ctx)?;
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
        read(&text, args.max_results.size(), &service)
    }

    fn resources(_: &Args) -> Result<Vec<ResourceKey>, ToolError> {
        Ok(services::host("export.arxiv.org"))
    }

    /// Against a recorded answer of the service.
    const EXAMPLES: &'static [JsonExample] = &[JsonExample {
        title: "one paper",
        args: r#"{"query": "attention transformer", "max_results": 1}"#,
        output: r#"{
            "total": 4321,
            "results": [{
                "title": "Attention Is All You Need", "authors": ["Ashish Vaswani", "Noam Shazeer"],
                "abstract": "We propose a new simple network architecture.", "arxiv_id": "1706.03762v7",
                "doi": null, "categories": ["cs.CL", "cs.LG"], "published": "2017-06-12T17:57:34Z",
                "updated": "2023-08-02T00:41:18Z", "url": "http://arxiv.org/abs/1706.03762v7",
                "pdf_url": "http://arxiv.org/pdf/1706.03762v7"
            }]
        }"#,
    }];
}

/// Requires every plain word in any field; a query with prefixes is unchanged.
fn terms(query: &str) -> String {
    const PREFIXES: [&str; 8] = ["all:", "ti:", "au:", "abs:", "co:", "jr:", "cat:", "id:"];
    if PREFIXES.iter().any(|prefix| query.contains(prefix)) {
        return query.to_owned();
    }
    let words = query.split_whitespace().map(|word| {
        let plain: String = word
            .chars()
            .filter(|letter| letter.is_alphanumeric() || "-_.'".contains(*letter))
            .collect();
        plain
    });
    let words: Vec<String> = words
        .filter(|word| !word.is_empty())
        .map(|word| format!("all:{word}"))
        .collect();
    if words.is_empty() {
        format!("all:{query}")
    } else {
        words.join(" AND ")
    }
}

/// Parses the feed; document types are refused, so no entity expands.
fn read(text: &str, count: usize, service: &Service) -> Result<Output, ToolError> {
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
    let entries = feed
        .children()
        .filter(|node| node.tag_name().name() == "entry");
    let results: Vec<Paper> = entries.map(paper).take(count).collect();
    // The service reports its errors as an entry of that title.
    if let [only] = results.as_slice()
        && only.title == "Error"
    {
        return Err(
            tool_error!(ToolError, "`arxiv` refuses the query: {}", only.r#abstract)
                .reason("answer")
                .at("/query"),
        );
    }
    Ok(Output {
        total: child(feed, "totalResults").parse().ok(),
        results,
    })
}

fn paper(entry: Node<'_, '_>) -> Paper {
    let named = |name: &'static str| {
        entry
            .children()
            .filter(move |node| node.tag_name().name() == name)
    };
    let links: Vec<Node<'_, '_>> = named("link").collect();
    let link = |key: &str, value: &str| {
        let found = links.iter().find(|node| node.attribute(key) == Some(value));
        found
            .and_then(|node| node.attribute("href"))
            .map(str::to_owned)
    };
    let id = child(entry, "id");
    let terms = |name| {
        named(name)
            .filter_map(|node| node.attribute("term"))
            .map(str::to_owned)
    };
    let mut categories: Vec<String> = terms("primary_category").collect();
    for category in terms("category") {
        if !categories.contains(&category) {
            categories.push(category);
        }
    }
    Paper {
        title: child(entry, "title"),
        authors: named("author")
            .map(|author| child(author, "name"))
            .collect(),
        r#abstract: child(entry, "summary"),
        arxiv_id: id
            .rsplit_once("/abs/")
            .map_or(id.clone(), |(_, id)| id.to_owned()),
        doi: Some(child(entry, "doi")).filter(|doi| !doi.is_empty()),
        categories,
        published: child(entry, "published"),
        updated: child(entry, "updated"),
        url: link("rel", "alternate").unwrap_or(id),
        pdf_url: link("title", "pdf"),
    }
}

/// The text of a child on one line.
fn child(node: Node<'_, '_>, name: &str) -> String {
    let found = node
        .children()
        .find(|child| child.tag_name().name() == name);
    let text = found.and_then(|child| child.text()).unwrap_or_default();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::terms;

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
            assert_eq!(terms(query.trim()), expected);
        }
    }
}
