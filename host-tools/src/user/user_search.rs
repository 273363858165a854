//! Facts that match a query.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{Ctx, Example, Spec, Tool, ToolError};

use super::facts::{Fact, Facts, as_text};
use crate::todo::short;

/// Most facts in an answer.
const FOUND_MAX: usize = 20;

/// Finds facts about a user.
pub struct UserSearch;

/// Find the facts about a user that share words with a query, best first.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// The words to look for: 1 to 1000 characters.
    pub query: String,
    /// Whose facts: letters, digits, `-`, `_`, `.`.
    #[serde(default = "super::default_user")]
    pub user_id: String,
}

/// The result.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The facts as text, marked as data.
    pub found: String,
    /// The facts, best first, at most twenty.
    pub facts: Vec<Fact>,
}

impl Tool for UserSearch {
    const SPEC: Spec = Spec {
        id: "user_search",
        title: "Search what is known of a user",
        ..super::READING
    };
    type Args = Args;
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        const CHARACTERS_MAX: usize = 1000;
        short(&args.query, CHARACTERS_MAX, "/query")?;
        let mut facts = Facts::read(ctx, &args.user_id)?.about(&args.query);
        facts.truncate(FOUND_MAX);
        Ok(Output {
            found: as_text(&facts),
            facts,
        })
    }

    fn examples() -> Vec<Example<Args, Output>> {
        vec![Example {
            title: "a user of whom nothing is known",
            args: Args {
                query: "tables".to_owned(),
                user_id: "nobody".to_owned(),
            },
            output: Output {
                found: "Nothing is known.".to_owned(),
                facts: Vec::new(),
            },
        }]
    }
}
