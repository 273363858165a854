//! Searching facts.

use super::facts::{Fact, Facts, as_text};
use crate::argument;
use crate::prelude::*;

/// Maximum facts in a result.
const FOUND_MAX: usize = 20;

/// Find the facts about a user that share words with a query, best first.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The words to look for: 1 to 1000 characters.
    pub query: String,
    /// The user: letters, digits, `-`, `_`, `.`.
    #[serde(default = "super::default_user")]
    pub user_id: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The facts as text, marked as data.
    pub found: String,
    /// The facts, best first, at most twenty.
    pub facts: Vec<Fact>,
}

impl Tool for Args {
    const SPEC: Spec = Spec {
        id: "user_search",
        title: "Search facts about a user",
        ..super::READING
    };
    type Args = Self;
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        argument::text(&args.query, 1000, "/query")?;
        let mut facts = Facts::read(ctx, &args.user_id)?.about(&args.query);
        facts.truncate(FOUND_MAX);
        Ok(Output {
            found: as_text(&facts),
            facts,
        })
    }

    const EXAMPLES: &'static [JsonExample] = &[JsonExample {
        title: "a user without facts",
        args: r#"{"query": "tables", "user_id": "new"}"#,
        output: r#"{"found": "No facts.", "facts": []}"#,
    }];
}
