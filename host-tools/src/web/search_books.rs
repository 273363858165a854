//! Searching books.

use super::services::{
    self, SearchIndex, ServiceResults, check_query, number_of, text_of, texts_of,
};
use crate::prelude::*;

/// Search books by words of the title, author or subject, most relevant first (source: Open Library).
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// Search text, 1 to 1000 characters; `title:`, `author:`, `subject:` and `isbn:` before a word are supported.
    pub query: String,
    /// Maximum results, 1 to 100.
    #[value(default = "BoundedInteger::<1, 100>::of::<10>")]
    pub max_results: BoundedInteger<1, 100>,
    /// Only books that can be read online.
    #[value(default)]
    pub filter: Option<BookFilter>,
}

/// Filter by availability.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum BookFilter {
    /// Books with full text, to borrow or to read.
    #[value(alias = "full")]
    Ebooks,
    /// Books in the public domain.
    #[value(alias = "free-ebooks")]
    FreeEbooks,
}

/// A book with all its editions.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Book {
    /// Title.
    pub title: String,
    /// Authors.
    pub authors: Vec<String>,
    /// Year of the first edition.
    pub first_published: Option<i64>,
    /// ISBNs of editions, up to 10.
    pub isbn: Vec<String>,
    /// Publishers of editions, up to 5.
    pub publishers: Vec<String>,
    /// Languages of editions, as codes of three letters.
    pub languages: Vec<String>,
    /// Subjects, up to 10.
    pub subjects: Vec<String>,
    /// Median number of pages.
    pub pages: Option<i64>,
    /// Number of editions.
    pub editions: Option<i64>,
    /// URL of the book.
    pub url: String,
}

impl Tool for Args {
    const SPEC: Spec = Spec {
        id: "search_books",
        keyed_by: Some(&[]),
        title: "Search books",
        tags: &["books", "search"],
        syntax: &[("/query", Syntax::Query)],
        ..super::WEB
    };
    type Output = ServiceResults<Book>;

    fn run(args: Args, ctx: &Ctx) -> Result<ServiceResults<Book>> {
        const BOOKS: SearchIndex = SearchIndex {
            role: "books",
            path: "/search.json",
            query: "q",
            count: "limit",
            fields: (
                "fields",
                "key,title,author_name,first_publish_year,isbn,publisher,language,subject,number_of_pages_median,edition_count",
            ),
            list: "/docs",
            total: "/numFound",
        };
        let mut query = check_query(&args.query)?.to_owned();
        if args.filter == Some(BookFilter::FreeEbooks) {
            query.push_str(" ebook_access:public");
        }
        let full_text =
            (args.filter == Some(BookFilter::Ebooks)).then_some(("has_fulltext", "true"));
        BOOKS.search(&query, args.max_results, full_text, parse_book, ctx)
    }

    fn resources(_: &Args) -> Result<Vec<ResourceKey>> {
        Ok(services::service_host_resource("openlibrary.org"))
    }

    /// Against a recorded answer of the service.
    const EXAMPLES: &'static [JsonExample] = examples! {
        "one book": r#"{"query": "principia mathematica", "max_results": 1}"# => r#"{
            "provider": "openlibrary", "total": 42,
            "results": [{
                "title": "Principia Mathematica", "authors": ["Alfred North Whitehead", "Bertrand Russell"],
                "first_published": 1910, "isbn": ["9781603864374"], "publishers": ["University Press"],
                "languages": ["eng"], "subjects": ["Mathematics"], "pages": 666, "editions": 30,
                "url": "https://openlibrary.org/works/OL1432084W"
            }]
        }"#;
    };
}

fn parse_book(item: &Value) -> Book {
    let first = |key, count| {
        let mut list = texts_of(item, key);
        list.truncate(count);
        list
    };
    Book {
        title: text_of(item, "title"),
        authors: first("author_name", 50),
        first_published: number_of(item, "first_publish_year"),
        isbn: first("isbn", 10),
        publishers: first("publisher", 5),
        languages: first("language", 50),
        subjects: first("subject", 10),
        pages: number_of(item, "number_of_pages_median"),
        editions: number_of(item, "edition_count"),
        url: format!("https://openlibrary.org{}", text_of(item, "key")),
    }
}
