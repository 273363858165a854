//! The beginning of an article.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{Bounded, Ctx, Example, ResourceKey, Spec, Syntax, Tool, ToolError};

use super::wikipedia::{self, Extent};

/// Gives the beginning of an article.
pub struct FetchWikipedia;

/// Give the first sentences of a Wikipedia article, by its title.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// Title of the article, as `search_wikipedia` finds it.
    pub title: String,
    /// Number of sentences, 1 to 10.
    #[serde(default = "default_sentences")]
    pub sentences: Bounded<1, 10>,
    /// Language of the encyclopaedia, such as `en` or `de`.
    #[serde(default = "wikipedia::default_language")]
    pub language: String,
}

fn default_sentences() -> Bounded<1, 10> {
    Bounded::literal(5)
}

/// The result.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Title of the article that was found, redirects followed.
    pub title: String,
    /// The first sentences.
    pub summary: String,
    /// Address of the article.
    pub url: String,
    /// Categories the article is in, up to 50.
    pub categories: Vec<String>,
}

impl Tool for FetchWikipedia {
    const SPEC: Spec = Spec {
        id: "fetch_wikipedia",
        keyed_by: Some(&["/language"]),
        title: "Begin an encyclopaedia article",
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

    /// Answered in the form of the service.
    fn examples() -> Vec<Example<Args, Output>> {
        vec![Example {
            title: "one sentence",
            args: Args {
                title: "euler's number".to_owned(),
                sentences: Bounded::literal(1),
                language: "en".to_owned(),
            },
            output: Output {
                title: "E (mathematical constant)".to_owned(),
                summary: "The number e is a mathematical constant.".to_owned(),
                url: "https://en.wikipedia.org/wiki/E_(mathematical_constant)".to_owned(),
                categories: vec![
                    "Mathematical constants".to_owned(),
                    "Leonhard Euler".to_owned(),
                ],
            },
        }]
    }
}
