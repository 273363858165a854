//! Searching Wikipedia.

use super::services::question;
use super::wikipedia;
use crate::prelude::*;

pub(crate) struct SearchWikipedia;

/// Search Wikipedia, best match first, each with its first sentences.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Search text, 1 to 1000 characters.
    pub query: String,
    /// Maximum results, 1 to 20.
    #[serde(default = "Bounded::<1, 20>::of::<5>")]
    pub max_results: Bounded<1, 20>,
    /// Language edition, such as `en` or `de`.
    #[serde(default = "wikipedia::default_language")]
    pub language: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The articles, best match first; may be empty.
    pub results: Vec<Article>,
}

/// An article.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Article {
    /// Title.
    pub title: String,
    /// The first sentences.
    pub summary: String,
    /// URL.
    pub url: String,
    /// Page id in its language edition.
    pub page_id: i64,
}

impl Tool for SearchWikipedia {
    const SPEC: Spec = Spec {
        id: "search_wikipedia",
        keyed_by: Some(&["/language"]),
        title: "Search Wikipedia",
        tags: &["wikipedia", "encyclopaedia", "search"],
        syntax: &[("/language", Syntax::Host)],
        ..super::WEB
    };
    type Args = Args;
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let count = args.max_results.get();
        let pages = wikipedia::search(question(&args.query)?, count, &args.language, ctx)?;
        let results = pages
            .into_iter()
            .take(args.max_results.size())
            .map(|page| Article {
                title: page.title,
                summary: page.text,
                url: page.url,
                page_id: page.id,
            });
        Ok(Output {
            results: results.collect(),
        })
    }

    fn resources(args: &Args) -> Result<Vec<ResourceKey>, ToolError> {
        wikipedia::host(&args.language)
    }

    /// Against a recorded answer of the service.
    const EXAMPLES: &'static [JsonExample] = &[JsonExample {
        title: "two articles",
        args: r#"{"query": "prime numbers", "max_results": 2}"#,
        output: r#"{
            "results": [
                {
                    "title": "Prime number", "summary": "A prime number is a natural number with two divisors.",
                    "url": "https://en.wikipedia.org/wiki/Prime_number", "page_id": 23666
                },
                {
                    "title": "Twin prime", "summary": "A twin prime is a prime that is two away from another.",
                    "url": "https://en.wikipedia.org/wiki/Twin_prime", "page_id": 30654
                }
            ]
        }"#,
    }];
}
