//! A whole article.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{Ctx, Example, ResourceKey, Spec, Syntax, Tool, ToolError};

use super::wikipedia::{self, Extent, Section};

/// Gives a whole article.
pub struct GetWikipediaArticle;

/// Give the whole text of a Wikipedia article, by its title, with its headings and categories.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// Title of the article, as `search_wikipedia` finds it.
    pub title: String,
    /// Language of the encyclopaedia, such as `en` or `de`.
    #[serde(default = "wikipedia::default_language")]
    pub language: String,
}

/// The result.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
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
    fn examples() -> Vec<Example<Args, Output>> {
        let section = |title: &str, level| Section {
            title: title.to_owned(),
            level,
        };
        vec![Example {
            title: "a short article",
            args: Args {
                title: "Twin prime".to_owned(),
                language: "en".to_owned(),
            },
            output: Output {
                title: "Twin prime".to_owned(),
                full_text:
                    "A twin prime is a prime.\n\n== History ==\nLong.\n\n=== Proofs ===\nNone."
                        .to_owned(),
                url: "https://en.wikipedia.org/wiki/Twin_prime".to_owned(),
                categories: vec!["Prime numbers".to_owned()],
                sections: vec![section("History", 2), section("Proofs", 3)],
            },
        }]
    }
}
