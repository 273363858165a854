//! All facts about a user.

use super::facts::{Fact, Facts, as_text};
use crate::prelude::*;

/// Show all facts about a user, by category.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The user: letters, digits, `-`, `_`, `.`.
    #[serde(default = "super::default_user")]
    pub user_id: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The facts as text, marked as data.
    pub profile: String,
    /// The facts, by category, oldest first.
    pub facts: Vec<Fact>,
}

impl Tool for Args {
    const SPEC: Spec = Spec {
        id: "user_profile",
        title: "Show facts about a user",
        ..super::READING
    };
    type Args = Self;
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let mut facts = Facts::read(ctx, &args.user_id)?.facts;
        facts.sort_by(|a, b| a.category.cmp(&b.category)); // stable: within one, the oldest first
        Ok(Output {
            profile: as_text(&facts),
            facts,
        })
    }

    const EXAMPLES: &'static [JsonExample] = &[JsonExample {
        title: "a user without facts",
        args: r#"{"user_id": "new"}"#,
        output: r#"{"profile": "No facts.", "facts": []}"#,
    }];
}
