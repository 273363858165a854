//! The web: pages, Wikipedia, papers, books and search, behind one HTTP client that enforces the network rules.
//!
//! Tools send requests through their context; `client` implements that capability. `services` has the protocols of the services behind
//! the tools, whose addresses the configuration may change. Web content is data: nothing here acts on it.

pub mod client;
mod fetch_docs;
mod html;
mod http;
mod search_arxiv;
mod search_books;
mod search_papers;
mod services;
mod text;
mod textrank;
mod web_research;
mod web_search;
mod wikipedia;

#[cfg(test)]
pub(crate) mod tests;

use crate::prelude::*;

pub use client::{WebClient, WebSettings};

/// The declaration of a tool that reads from the web.
const WEB: Spec = Spec {
    category: Category::Web,
    permissions: &[Permission::Network],
    capabilities: &[Capability::Http],
    determinism: Determinism::External,
    ..Spec::pure()
};

/// The tools of this family, in the order of the documentation.
pub(crate) static TOOLS: &[ErasedTool] = &[
    tool_entry::<http::HttpGet>(),
    tool_entry::<http::HttpPost>(),
    tool_entry::<fetch_docs::Args>(),
    tool_entry::<web_search::WebSearch>(),
    tool_entry::<web_research::Args>(),
    tool_entry::<wikipedia::SearchWikipedia>(),
    tool_entry::<wikipedia::FetchWikipedia>(),
    tool_entry::<wikipedia::GetWikipediaArticle>(),
    tool_entry::<search_arxiv::Args>(),
    tool_entry::<search_papers::Args>(),
    tool_entry::<search_books::Args>(),
];
