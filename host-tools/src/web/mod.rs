//! The web: pages, encyclopaedia, papers, books and search, behind one HTTP client that decides what may be reached.
//!
//! Tools ask through their context; `client` is what answers. `services` speaks to the services behind the tools, whose
//! addresses the configuration may change. What comes from the web is data: nothing here acts on it.

pub mod client;
mod exchange;
pub mod fetch_docs;
pub mod fetch_wikipedia;
pub mod get_wikipedia_article;
mod html;
pub mod http_get;
pub mod http_post;
mod providers;
pub mod search_arxiv;
pub mod search_books;
pub mod search_papers;
pub mod search_wikipedia;
mod services;
mod text;
mod textrank;
pub mod web_research;
pub mod web_search;
mod wikipedia;

#[cfg(test)]
mod loopback;
#[cfg(test)]
mod tests;

use tool_core::{Capability, Category, Determinism, Entry, Permission, Spec, entry};

pub use client::{Client, Settings};

/// What every tool of the web declares; those that only read need no more.
const WEB: Spec = Spec {
    category: Category::Web,
    permissions: &[Permission::Network],
    capabilities: &[Capability::Http],
    determinism: Determinism::External,
    ..Spec::pure()
};

/// The tools of this family, in the order they should be read.
pub static TOOLS: &[Entry] = &[
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
