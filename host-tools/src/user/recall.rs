//! Reading facts: all of them, those that share words with a query, those that help to answer a question.

use super::facts::{UserFact, UserFacts, as_text};
use crate::argument;
use crate::prelude::*;

/// Show all facts about a user, by category.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct UserProfile {
    /// The user: letters, digits, `-`, `_`, `.`.
    #[value(default = "super::default_user")]
    pub user_id: String,
}

#[derive(Debug, Encode, Describe)]
pub(crate) struct UserProfileResult {
    /// The facts as text, marked as data.
    pub profile: String,
    /// The facts, by category, oldest first.
    pub facts: Vec<UserFact>,
}

impl Tool for UserProfile {
    const SPEC: Spec = super::READING.with_name("user_profile", "Show facts about a user");
    type Output = UserProfileResult;

    fn run(args: UserProfile, ctx: &Ctx) -> Result<UserProfileResult> {
        let mut facts = UserFacts::read(ctx, &args.user_id)?.facts;
        facts.sort_by(|a, b| a.category.cmp(&b.category)); // stable: within one, the oldest first
        Ok(UserProfileResult {
            profile: as_text(&facts),
            facts,
        })
    }

    const EXAMPLES: &'static [JsonExample] = examples! {
        "a user without facts": r#"{"user_id": "new"}"#
            => r#"{"profile": "No facts.", "facts": []}"#;
    };
}

/// Maximum facts in a result.
const MATCHES_MAX: usize = 20;

/// Find the facts about a user that share words with a query, best first.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct UserSearch {
    /// The words to look for: 1 to 1000 characters.
    pub query: String,
    /// The user: letters, digits, `-`, `_`, `.`.
    #[value(default = "super::default_user")]
    pub user_id: String,
}

#[derive(Debug, Encode, Describe)]
pub(crate) struct UserSearchResult {
    /// The facts as text, marked as data.
    pub found: String,
    /// The facts, best first, at most twenty.
    pub facts: Vec<UserFact>,
}

impl Tool for UserSearch {
    const SPEC: Spec = super::READING.with_name("user_search", "Search facts about a user");
    type Output = UserSearchResult;

    fn run(args: UserSearch, ctx: &Ctx) -> Result<UserSearchResult> {
        argument::trim_text(&args.query, 1000, "/query")?;
        let mut facts = UserFacts::read(ctx, &args.user_id)?.about(&args.query);
        facts.truncate(MATCHES_MAX);
        Ok(UserSearchResult {
            found: as_text(&facts),
            facts,
        })
    }

    const EXAMPLES: &'static [JsonExample] = examples! {
        "a user without facts": r#"{"query": "tables", "user_id": "new"}"#
            => r#"{"found": "No facts.", "facts": []}"#;
    };
}

/// Maximum facts in a result.
const CONTEXT_MAX: usize = 10;

/// Gather the facts about a user that help to answer a question: those that share words with it, then the newest ones.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct UserContext {
    /// The question: 1 to 1000 characters.
    pub question: String,
    /// The user: letters, digits, `-`, `_`, `.`.
    #[value(default = "super::default_user")]
    pub user_id: String,
}

#[derive(Debug, Encode, Describe)]
pub(crate) struct UserContextResult {
    /// The facts as text, marked as data.
    pub context: String,
    /// The facts, those of the question first, at most ten.
    pub facts: Vec<UserFact>,
}

impl Tool for UserContext {
    const SPEC: Spec = super::READING.with_name("user_context", "Gather facts for a question");
    type Output = UserContextResult;

    fn run(args: UserContext, ctx: &Ctx) -> Result<UserContextResult> {
        argument::trim_text(&args.question, 1000, "/question")?;
        let known = UserFacts::read(ctx, &args.user_id)?;
        let mut facts = known.about(&args.question);
        for fact in known.facts.iter().rev() {
            if facts.len() >= CONTEXT_MAX {
                break;
            }
            if !facts.contains(fact) {
                facts.push(fact.clone());
            }
        }
        facts.truncate(CONTEXT_MAX);
        Ok(UserContextResult {
            context: as_text(&facts),
            facts,
        })
    }

    const EXAMPLES: &'static [JsonExample] = examples! {
        "a user without facts": r#"{"question": "which format?", "user_id": "new"}"#
            => r#"{"context": "No facts.", "facts": []}"#;
    };
}
