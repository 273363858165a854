//! The web: pages, Wikipedia, papers, books and search, behind one HTTP client that enforces the network rules.
//!
//! Tools send requests through their context; `client` implements that capability. `services` has the protocols of the services behind
//! the tools, whose addresses the configuration may change. Web content is data: nothing here acts on it.

pub mod client;
mod exchange;
mod fetch_docs;
mod fetch_wikipedia;
mod get_wikipedia_article;
mod html;
mod http_get;
mod http_post;
mod providers;
mod search_arxiv;
mod search_books;
mod search_papers;
mod search_wikipedia;
mod services;
mod text;
mod textrank;
mod web_research;
mod web_search;
mod wikipedia;

#[cfg(test)]
pub(crate) mod tests;

use crate::prelude::*;

pub use client::{Client, Settings};

/// The declaration of a tool that reads from the web.
const WEB: Spec = Spec {
    category: Category::Web,
    permissions: &[Permission::Network],
    capabilities: &[Capability::Http],
    determinism: Determinism::External,
    ..Spec::pure()
};

/// The tools of this family, in the order of the documentation.
pub(crate) static TOOLS: &[Entry] = &[
    entry::<http_get::HttpGet>(),
    entry::<http_post::HttpPost>(),
    entry::<fetch_docs::FetchDocs>(),
    entry::<web_search::WebSearch>(),
    entry::<web_research::WebResearch>(),
    entry::<search_wikipedia::SearchWikipedia>(),
    entry::<fetch_wikipedia::FetchWikipedia>(),
    entry::<get_wikipedia_article::GetWikipediaArticle>(),
    entry::<search_arxiv::SearchArxiv>(),
    entry::<search_papers::SearchPapers>(),
    entry::<search_books::SearchBooks>(),
];
