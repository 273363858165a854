//! A whole article.

use super::wikipedia::{self, Extent, Section};
use crate::prelude::*;

pub(crate) struct GetWikipediaArticle;

/// Give the whole text of a Wikipedia article, by its title, with its headings and categories.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Title of the article, as `search_wikipedia` finds it.
    pub title: String,
    /// Language of the encyclopaedia, such as `en` or `de`.
    #[serde(default = "wikipedia::default_language")]
    pub language: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Title of the article that was found, redirects followed.
    pub title: String,
    /// The text; headings stand on lines such as `== Title ==`.
    pub full_text: String,
    /// Address of the article.
    pub url: String,
    /// Categories the article is in, up to 50.
    pub categories: Vec<String>,
    /// The headings in their order.
    pub sections: Vec<Section>,
}

impl Tool for GetWikipediaArticle {
    const SPEC: Spec = Spec {
        id: "get_wikipedia_article",
        keyed_by: Some(&["/language"]),
        title: "Read an encyclopaedia article",
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

    /// Answered in the form of the service.
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
