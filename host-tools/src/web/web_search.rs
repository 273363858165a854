//! Searching the web.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{Bounded, Ctx, Example, Spec, Tool, ToolError};

use super::providers::{self, Hit, Region};
use super::services::question;

/// Searches the web.
pub struct WebSearch;

/// Search the web through the provider that the configuration names: a SearXNG server, Brave, or, without any, Wikipedia. The
/// result says who answered.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// What to look for, 1 to 1000 characters.
    pub query: String,
    /// Most results, 1 to 20.
    #[serde(default = "default_max_results")]
    pub max_results: Bounded<1, 20>,
    /// Country and language as in `us-en`; `wt-wt` is none.
    #[serde(default = "default_region")]
    pub region: String,
}

fn default_max_results() -> Bounded<1, 20> {
    Bounded::literal(10)
}

pub(super) fn default_region() -> String {
    "wt-wt".to_owned()
}

/// The result.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Who answered: `wikipedia`, `searxng` or `brave`.
    pub provider: String,
    /// The pages, best first; none is no error.
    pub results: Vec<Hit>,
}

impl Tool for WebSearch {
    const SPEC: Spec = Spec {
        id: "web_search",
        title: "Search the web",
        tags: &["search"],
        ..super::WEB
    };
    type Args = Args;
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let region = Region::parse(&args.region)?;
        let query = question(&args.query)?;
        let found = providers::search(query, args.max_results.size(), &region, ctx)?;
        Ok(Output {
            provider: found.provider,
            results: found.hits,
        })
    }

    /// Answered in the form of Wikipedia.
    fn examples() -> Vec<Example<Args, Output>> {
        vec![Example {
            title: "one result",
            args: Args {
                query: "prime numbers".to_owned(),
                max_results: Bounded::literal(1),
                region: "us-en".to_owned(),
            },
            output: Output {
                provider: "wikipedia".to_owned(),
                results: vec![Hit {
                    title: "Prime number".to_owned(),
                    url: "https://en.wikipedia.org/wiki/Prime_number".to_owned(),
                    snippet: "A prime number is a natural number with two divisors.".to_owned(),
                }],
            },
        }]
    }
}
