//! The full text of a Wikipedia article.

use super::wikipedia::{self, Extent, Section};
use crate::prelude::*;

pub(crate) struct GetWikipediaArticle;

/// Get the full text of a Wikipedia article by its title, with headings and categories.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Title of the article, as returned by `search_wikipedia`.
    pub title: String,
    /// Language edition, such as `en` or `de`.
    #[serde(default = "wikipedia::default_language")]
    pub language: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Title of the article found, after redirects.
    pub title: String,
    /// The text; headings are lines such as `== Title ==`.
    pub full_text: String,
    /// URL of the article.
    pub url: String,
    /// Categories of the article, up to 50.
    pub categories: Vec<String>,
    /// The headings in document order.
    pub sections: Vec<Section>,
}

impl Tool for GetWikipediaArticle {
    const SPEC: Spec = Spec {
        id: "get_wikipedia_article",
        keyed_by: Some(&["/language"]),
        title: "Get a Wikipedia article",
        tags: &["wikipedia", "encyclopaedia"],
        syntax: &[("/language", Syntax::Host)],
        ..super::WEB
    };
    type Args = Args;
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let page = wikipedia::page(&args.title, &args.language, &Extent::Whole, ctx)?;
        Ok(Output {
            title: page.title,
            sections: wikipedia::sections(&page.text),
            full_text: page.text,
            url: page.url,
            categories: page.categories,
        })
    }

    fn resources(args: &Args) -> Result<Vec<ResourceKey>, ToolError> {
        wikipedia::host(&args.language)
    }

    /// Against a recorded answer of the service.
    const EXAMPLES: &'static [JsonExample] = &[JsonExample {
        title: "a short article",
        args: r#"{"title": "Twin prime"}"#,
        output: r#"{
            "title": "Twin prime",
            "full_text": "A twin prime is a prime.\n\n== History ==\nLong.\n\n=== Proofs ===\nNone.",
            "url": "https://en.wikipedia.org/wiki/Twin_prime", "categories": ["Prime numbers"],
            "sections": [{"title": "History", "level": 2}, {"title": "Proofs", "level": 3}]
        }"#,
    }];
}
