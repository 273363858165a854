//! Recording a fact.

use super::facts::{self, FACTS_MAX, UserFact, UserFacts};
use super::injection::find_suspicion;
use crate::prelude::*;
use crate::{argument, stored};

/// Record a fact about a user for later calls. A text that reads like an instruction to a model is refused; a known fact is not
/// recorded again.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The fact, in one line: 1 to 500 characters.
    pub fact: String,
    /// Subject of the fact: letters, digits, `-`, `_`, `.`.
    #[value(default = "default_category")]
    pub category: String,
    /// The user: letters, digits, `-`, `_`, `.`.
    #[value(default = "super::default_user")]
    pub user_id: String,
}

fn default_category() -> String {
    "general".to_owned()
}

#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The fact as it is stored.
    pub fact: UserFact,
    /// Whether it was stored before.
    pub known: bool,
    /// Number of facts about the user.
    pub count: usize,
}

impl Tool for Args {
    const SPEC: Spec = Spec {
        id: "user_conclude",
        title: "Record a fact about a user",
        effects: &[Effect::SystemState],
        capabilities: &[Capability::State, Capability::Clock],
        resources: &[resource_template(
            ResourceKind::Name,
            "/user_id",
            Access::Write,
        )],
        ..super::READING
    };
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output> {
        let text = argument::trim_text(&args.fact, 500, "/fact")?;
        let category = argument::check_name(&args.category, "/category")?;
        if let Some(why) = find_suspicion(&text) {
            return Err(tool_error!(InvalidArgs at "/fact", "injection";
                "the fact reads like an instruction to a model: {why}";
                "state plainly, in one line, what is true of the user"));
        }
        let noted_at = ctx.clock()?.unix_ms() as f64 / 1000.0;
        let key = facts::user_facts_key(&args.user_id)?;
        stored::update_document(ctx, &key, &mut |stored: &mut UserFacts| {
            let same = |fact: &&UserFact| fact.fact.to_lowercase() == text.to_lowercase();
            let known = stored.facts.iter().find(same).cloned();
            if known.is_none() && stored.facts.len() == FACTS_MAX {
                return Err(tool_error!(LimitExceeded at "/user_id", "facts";
                    "`{}` has {FACTS_MAX} facts already", args.user_id));
            }
            let is_known = known.is_some();
            let fact = known.unwrap_or_else(|| UserFact {
                fact: text.clone(),
                category: category.to_owned(),
                noted_at,
            });
            if !is_known {
                stored.facts.push(fact.clone());
            }
            Ok(Output {
                fact,
                known: is_known,
                count: stored.facts.len(),
            })
        })
    }

    /// Run with the clock at second 1,700,000,000.
    const EXAMPLES: &'static [JsonExample] = examples! {
        "a fact": r#"{"fact": "prefers tables to prose", "category": "style"}"# => r#"{
            "fact": {"fact": "prefers tables to prose", "category": "style", "noted_at": 1700000000.0},
            "known": false, "count": 1
        }"#;
    };
}
