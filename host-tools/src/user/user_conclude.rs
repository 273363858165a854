//! A new fact about a user.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::convert::to_value;
use tool_core::{
    Access, Caller, Capability, Category, Ctx, Determinism, Effect, ErrorCode, Example,
    ResourceKind, ResourceTemplate, Spec, Tool, ToolError,
};

use super::facts::{FACTS_MAX, Fact, Facts};
use super::injection::suspicious;
use crate::todo::{plain, short};

/// Notes a fact about a user.
pub struct UserConclude;

/// Note a fact about a user, to be read again later. A text that reads like an instruction to a model is refused; a fact that is known
/// already is not noted again.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// The fact, in one line: 1 to 500 characters.
    pub fact: String,
    /// What it is about: letters, digits, `-`, `_`, `.`.
    #[serde(default = "default_category")]
    pub category: String,
    /// Whose fact: letters, digits, `-`, `_`, `.`.
    #[serde(default = "super::default_user")]
    pub user_id: String,
}

fn default_category() -> String {
    "general".to_owned()
}

/// The result.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The fact as it is kept.
    pub fact: Fact,
    /// Whether it was known already.
    pub known: bool,
    /// Number of facts known of the user.
    pub count: usize,
}

impl Tool for UserConclude {
    const SPEC: Spec = Spec {
        id: "user_conclude",
        title: "Note a fact of a user",
        category: Category::Workflow,
        tags: &["user", "memory"],
        effects: &[Effect::SystemState],
        capabilities: &[Capability::State, Capability::Clock],
        idempotent: true,
        determinism: Determinism::External,
        callers: &[Caller::Direct, Caller::Chain],
        resources: &[ResourceTemplate {
            kind: ResourceKind::Name,
            pointer: "/user_id",
            access: Access::Write,
        }],
        ..Spec::pure()
    };
    type Args = Args;
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let text = short(&args.fact, 500, "/fact")?;
        let category = plain(&args.category, "/category")?.to_owned();
        if let Some(why) = suspicious(&text) {
            return Err(ToolError::invalid(
                "/fact",
                format_args!("the fact reads like an instruction to a model: {why}"),
            )
            .reason("injection")
            .hint("say plainly, in one line, what is true of the user"));
        }
        let noted_at = ctx.clock()?.unix_ms() as f64 / 1000.0;
        let mut output = None;
        ctx.state()?
            .update(&Facts::key(&args.user_id)?, &mut |before| {
                let mut known = Facts::of(before)?;
                let same = |fact: &&Fact| fact.fact.to_lowercase() == text.to_lowercase();
                let found = known.facts.iter().find(same).cloned();
                if found.is_none() && known.facts.len() == FACTS_MAX {
                    return Err(ToolError::new(
                        ErrorCode::LimitExceeded,
                        format_args!("{FACTS_MAX} facts are known of `{}`", args.user_id),
                    )
                    .reason("facts")
                    .at("/user_id"));
                }
                let is_known = found.is_some();
                let fact = found.unwrap_or_else(|| {
                    let fact = Fact {
                        fact: text.clone(),
                        category: category.clone(),
                        noted_at,
                    };
                    known.facts.push(fact.clone());
                    fact
                });
                output = Some(Output {
                    fact,
                    known: is_known,
                    count: known.facts.len(),
                });
                to_value(&known)
            })?;
        output.ok_or_else(|| ToolError::new(ErrorCode::Internal, "nothing was noted"))
    }

    /// Run when the clock stands at second 1,700,000,000.
    fn examples() -> Vec<Example<Args, Output>> {
        vec![Example {
            title: "a fact",
            args: Args {
                fact: "prefers tables to prose".to_owned(),
                category: "style".to_owned(),
                user_id: super::default_user(),
            },
            output: Output {
                fact: Fact {
                    fact: "prefers tables to prose".to_owned(),
                    category: "style".to_owned(),
                    noted_at: 1_700_000_000.0,
                },
                known: false,
                count: 1,
            },
        }]
    }
}
