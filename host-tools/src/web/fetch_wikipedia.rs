//! The first sentences of a Wikipedia article.

use super::wikipedia::{self, Extent};
use crate::prelude::*;

pub(crate) struct FetchWikipedia;

/// Get the first sentences of a Wikipedia article by its title.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Title of the article, as returned by `search_wikipedia`.
    pub title: String,
    /// Number of sentences, 1 to 10.
    #[serde(default = "Bounded::<1, 10>::of::<5>")]
    pub sentences: Bounded<1, 10>,
    /// Language edition, such as `en` or `de`.
    #[serde(default = "wikipedia::default_language")]
    pub language: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
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
    const SPEC: Spec = Spec {
        id: "fetch_wikipedia",
        keyed_by: Some(&["/language"]),
        title: "Get the summary of a Wikipedia article",
        tags: &["wikipedia", "encyclopaedia"],
        syntax: &[("/language", Syntax::Host)],
        ..super::WEB
    };
    type Args = Args;
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let extent = Extent::Sentences(args.sentences.get());
        let page = wikipedia::page(&args.title, &args.language, &extent, ctx)?;
        Ok(Output {
            title: page.title,
            summary: page.text,
            url: page.url,
            categories: page.categories,
        })
    }

    fn resources(args: &Args) -> Result<Vec<ResourceKey>, ToolError> {
        wikipedia::host(&args.language)
    }

    /// Against a recorded answer of the service.
    const EXAMPLES: &'static [JsonExample] = &[JsonExample {
        title: "one sentence",
        args: r#"{"title": "euler's number", "sentences": 1}"#,
        output: r#"{
            "title": "E (mathematical constant)", "summary": "The number e is a mathematical constant.",
            "url": "https://en.wikipedia.org/wiki/E_(mathematical_constant)",
            "categories": ["Mathematical constants", "Leonhard Euler"]
        }"#,
    }];
}
