//! Everything known of a user.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{Ctx, Example, Spec, Tool, ToolError};

use super::facts::{Fact, Facts, as_text};

/// Shows what is known of a user.
pub struct UserProfile;

/// Show everything that is known of a user, by category.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// Whose facts: letters, digits, `-`, `_`, `.`.
    #[serde(default = "super::default_user")]
    pub user_id: String,
}

/// The result.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The facts as text, marked as data.
    pub profile: String,
    /// The facts, by category, oldest first.
    pub facts: Vec<Fact>,
}

impl Tool for UserProfile {
    const SPEC: Spec = Spec {
        id: "user_profile",
        title: "What is known of a user",
        ..super::READING
    };
    type Args = Args;
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let mut facts = Facts::read(ctx, &args.user_id)?.facts;
        facts.sort_by(|a, b| a.category.cmp(&b.category)); // stable: within one, the oldest first
        Ok(Output {
            profile: as_text(&facts),
            facts,
        })
    }

    fn examples() -> Vec<Example<Args, Output>> {
        vec![Example {
            title: "a user of whom nothing is known",
            args: Args {
                user_id: "nobody".to_owned(),
            },
            output: Output {
                profile: "Nothing is known.".to_owned(),
                facts: Vec::new(),
            },
        }]
    }
}
