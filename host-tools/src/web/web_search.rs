//! Searching the web.

use super::providers::{self, Hit, Region};
use super::services::question;
use crate::prelude::*;

/// Search the web with the configured provider: a SearXNG server, Brave, or Wikipedia by default. The result names the provider.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// Search text, 1 to 1000 characters.
    pub query: String,
    /// Maximum results, 1 to 20.
    #[serde(default = "Bounded::<1, 20>::of::<10>")]
    pub max_results: Bounded<1, 20>,
    /// Country and language as in `us-en`; `wt-wt` for no region.
    #[serde(default = "default_region")]
    pub region: String,
}

pub(super) fn default_region() -> String {
    "wt-wt".to_owned()
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The provider: `wikipedia`, `searxng` or `brave`.
    pub provider: String,
    /// The pages, best match first; may be empty.
    pub results: Vec<Hit>,
}

impl Tool for Args {
    const SPEC: Spec = Spec {
        id: "web_search",
        title: "Search the web",
        tags: &["search"],
        ..super::WEB
    };
    type Args = Self;
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

    /// Against a recorded answer of Wikipedia.
    const EXAMPLES: &'static [JsonExample] = &[JsonExample {
        title: "one result",
        args: r#"{"query": "prime numbers", "max_results": 1, "region": "us-en"}"#,
        output: r#"{
            "provider": "wikipedia",
            "results": [{
                "title": "Prime number", "url": "https://en.wikipedia.org/wiki/Prime_number",
                "snippet": "A prime number is a natural number with two divisors."
            }]
        }"#,
    }];
}
