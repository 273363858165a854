//! What is worth knowing before a question is answered.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{Ctx, Example, Spec, Tool, ToolError};

use super::facts::{Fact, Facts, as_text};
use crate::todo::short;

/// Most facts in an answer.
const FOUND_MAX: usize = 10;

/// Gathers what helps to answer a question.
pub struct UserContext;

/// Gather what is known of a user that helps to answer a question: the facts that share words with it, then the newest ones.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// The question: 1 to 1000 characters.
    pub question: String,
    /// Whose facts: letters, digits, `-`, `_`, `.`.
    #[serde(default = "super::default_user")]
    pub user_id: String,
}

/// The result.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The facts as text, marked as data.
    pub context: String,
    /// The facts, those of the question first, at most ten.
    pub facts: Vec<Fact>,
}

impl Tool for UserContext {
    const SPEC: Spec = Spec {
        id: "user_context",
        title: "Context of a user",
        ..super::READING
    };
    type Args = Args;
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        const CHARACTERS_MAX: usize = 1000;
        short(&args.question, CHARACTERS_MAX, "/question")?;
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

    fn examples() -> Vec<Example<Args, Output>> {
        vec![Example {
            title: "a user of whom nothing is known",
            args: Args {
                question: "which format?".to_owned(),
                user_id: "nobody".to_owned(),
            },
            output: Output {
                context: "Nothing is known.".to_owned(),
                facts: Vec::new(),
            },
        }]
    }
}
