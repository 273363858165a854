//! Facts that help to answer a question.

use super::facts::{Fact, Facts, as_text};
use crate::argument;
use crate::prelude::*;

/// Maximum facts in a result.
const FOUND_MAX: usize = 10;

/// Gather the facts about a user that help to answer a question: those that share words with it, then the newest ones.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The question: 1 to 1000 characters.
    pub question: String,
    /// The user: letters, digits, `-`, `_`, `.`.
    #[serde(default = "super::default_user")]
    pub user_id: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The facts as text, marked as data.
    pub context: String,
    /// The facts, those of the question first, at most ten.
    pub facts: Vec<Fact>,
}

impl Tool for Args {
    const SPEC: Spec = Spec {
        id: "user_context",
        title: "Gather facts for a question",
        ..super::READING
    };
    type Args = Self;
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        argument::text(&args.question, 1000, "/question")?;
        let known = Facts::read(ctx, &args.user_id)?;
        let mut facts = known.about(&args.question);
        for fact in known.facts.iter().rev() {
            if facts.len() >= FOUND_MAX {
                break;
            }
            if !facts.contains(fact) {
                facts.push(fact.clone());
            }
        }
        facts.truncate(FOUND_MAX);
        Ok(Output {
            context: as_text(&facts),
            facts,
        })
    }

    const EXAMPLES: &'static [JsonExample] = &[JsonExample {
        title: "a user without facts",
        args: r#"{"question": "which format?", "user_id": "new"}"#,
        output: r#"{"context": "No facts.", "facts": []}"#,
    }];
}
