//! Searching scholarly papers.

use super::html;
use super::services::{
    self, SearchIndex, ServiceResults, check_query, items_of, number_of, text_of, texts_of,
};
use crate::prelude::*;

/// Search scholarly papers by words of the title, author or abstract, most relevant first (source: Crossref).
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// Search text, 1 to 1000 characters.
    pub query: String,
    /// Maximum results, 1 to 100.
    #[value(default = "BoundedInteger::<1, 100>::of::<10>")]
    pub max_results: BoundedInteger<1, 100>,
    /// Years of publication, as in `2020`, `2018-2022`, `2018-` or `-2022`.
    #[value(default)]
    pub year_range: Option<String>,
}

/// A paper.
#[derive(Debug, Encode, Describe)]
pub(crate) struct ScholarlyPaper {
    /// Title.
    pub title: String,
    /// Authors, in the order of the paper.
    pub authors: Vec<String>,
    /// Abstract, if the publisher provides it.
    pub r#abstract: Option<String>,
    /// DOI.
    pub doi: String,
    /// URL of the DOI.
    pub url: String,
    /// Journal, book or conference.
    pub venue: Option<String>,
    /// Year of publication.
    pub year: Option<i64>,
    /// Number of citations known to the service.
    pub citation_count: Option<i64>,
    /// Kind of publication, such as `journal-article`.
    pub kind: String,
}

impl Tool for Args {
    const SPEC: Spec = Spec {
        id: "search_papers",
        keyed_by: Some(&[]),
        title: "Search papers",
        tags: &["papers", "search"],
        ..super::WEB
    };
    type Output = ServiceResults<ScholarlyPaper>;

    fn run(args: Args, ctx: &Ctx) -> Result<ServiceResults<ScholarlyPaper>> {
        const PAPERS: SearchIndex = SearchIndex {
            role: "papers",
            path: "/works",
            query: "query",
            count: "rows",
            fields: (
                "select",
                "DOI,URL,title,author,abstract,container-title,issued,is-referenced-by-count,type",
            ),
            list: "/message/items",
            total: "/message/total-results",
        };
        let filter = args.year_range.as_deref().map(year_filter).transpose()?;
        let filter = filter.as_deref().map(|filter| ("filter", filter));
        PAPERS.search(
            check_query(&args.query)?,
            args.max_results,
            filter,
            parse_paper,
            ctx,
        )
    }

    fn resources(_: &Args) -> Result<Vec<ResourceKey>> {
        Ok(services::service_host_resource("api.crossref.org"))
    }

    /// Against a recorded answer of the service.
    const EXAMPLES: &'static [JsonExample] = examples! {
        "one paper of one year":
            r#"{"query": "deep learning", "max_results": 1, "year_range": "2015"}"#
            => r#"{
                "provider": "crossref", "total": 1234,
                "results": [{
                    "title": "Deep learning", "authors": ["Yann LeCun", "Yoshua Bengio"],
                    "abstract": "Deep learning allows models & more.", "doi": "10.1038/nature14539",
                    "url": "https://doi.org/10.1038/nature14539", "venue": "Nature", "year": 2015,
                    "citation_count": 50000, "kind": "journal-article"
                }]
            }"#;
    };
}

/// Converts a range of years to a filter.
fn year_filter(range: &str) -> Result<String> {
    let year = |text: &str| match text.trim() {
        "" => Some(None),
        digits if digits.len() == 4 => digits.parse::<u32>().ok().map(Some),
        _ => None,
    };
    let (from, until) = range.split_once('-').unwrap_or((range, range));
    let (from, until) = match (year(from), year(until)) {
        (Some(Some(from)), Some(Some(until))) if from <= until => (Some(from), Some(until)),
        (Some(Some(from)), Some(None)) => (Some(from), None),
        (Some(None), Some(Some(until))) => (None, Some(until)),
        _ => {
            return Err(tool_error!(InvalidArgs at "/year_range";
                "expected years as in `2020`, `2018-2022`, `2018-` or `-2022`, found `{range}`"));
        }
    };
    let from = from.map(|year| format!("from-pub-date:{year}"));
    let until = until.map(|year| format!("until-pub-date:{year}"));
    Ok(from.into_iter().chain(until).collect::<Vec<_>>().join(","))
}

fn parse_paper(item: &Value) -> ScholarlyPaper {
    let doi = text_of(item, "DOI");
    let name = |author: &Value| {
        let [name, given, family] = ["name", "given", "family"].map(|key| text_of(author, key));
        match name.is_empty() {
            true => format!("{given} {family}").trim().to_owned(),
            false => name,
        }
    };
    let url = Some(text_of(item, "URL")).filter(|url| !url.is_empty());
    let summary = html::plain_text(&text_of(item, "abstract"));
    let issued = item.pointer("/issued/date-parts/0/0");
    ScholarlyPaper {
        title: html::plain_text(&texts_of(item, "title").join(" ")),
        authors: items_of(item, "author").iter().map(name).collect(),
        r#abstract: Some(summary).filter(|text| !text.is_empty()),
        url: url.unwrap_or_else(|| format!("https://doi.org/{doi}")),
        doi,
        venue: texts_of(item, "container-title").into_iter().next(),
        year: issued.and_then(|year| year.as_i64()),
        citation_count: number_of(item, "is-referenced-by-count"),
        kind: text_of(item, "type"),
    }
}

#[cfg(test)]
mod tests {
    use super::year_filter;

    #[test]
    fn ranges_of_years_become_filters() {
        for (range, expected) in [
            ("2020", Some("from-pub-date:2020,until-pub-date:2020")),
            ("2018-2022", Some("from-pub-date:2018,until-pub-date:2022")),
            (
                "2018 - 2022",
                Some("from-pub-date:2018,until-pub-date:2022"),
            ),
            ("2018-", Some("from-pub-date:2018")),
            ("-2022", Some("until-pub-date:2022")),
            ("-", None),
            ("", None),
            ("2022-2018", None),
            ("20-22", None),
            ("abcd", None),
            ("2018-2019-2020", None),
        ] {
            assert_eq!(year_filter(range).ok().as_deref(), expected, "{range:?}");
        }
    }
}
