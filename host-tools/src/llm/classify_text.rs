//! Classification of a text by similarity to categories.

use std::collections::HashMap;

use tool_core::nearest::nearest_name;

use super::backend::{SimilarityBackend, check_text};
use super::compare::SimilarityQuery;
use crate::prelude::*;

/// Maximum categories.
const CATEGORIES_MAX: usize = 1000;
/// Number of best matches whose mean is the score of a category.
const BEST: usize = 3;

/// Choose the best category for a text by its similarity to the names and examples of the categories. The
/// `lexical` backend compares spelling, not meaning: provide examples, since names rarely share words with a text. `endpoint` uses
/// the configured embedding model.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The text, at most 1048576 bytes.
    pub text: Input<TextInput>,
    /// Names of the categories: 1 to 1000, all different. A name may be a short description.
    pub categories: Vec<String>,
    /// Labelled texts.
    #[value(default)]
    pub examples: Vec<LabelledText>,
    /// The source of the vectors: `lexical` or `endpoint`.
    #[value(default)]
    pub backend: SimilarityBackend,
}

/// A labelled text.
#[derive(Debug, Clone, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct LabelledText {
    /// The text.
    pub text: String,
    /// Its category: one of `categories`.
    pub category: String,
}

/// The classification of a text.
#[derive(Debug, Encode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Output {
    /// The category with the best score, the earlier one on a tie; null if every score is 0.
    pub category: Option<String>,
    /// The fraction of all scores that `category` has, 0 to 1; not a probability.
    pub confidence: f64,
    /// The scores of all categories, in the order of `categories`.
    pub scores: Vec<CategoryScore>,
    /// Name of the backend that computed the scores.
    pub backend: String,
}

/// The score of a category.
#[derive(Debug, Encode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct CategoryScore {
    /// The category.
    pub category: String,
    /// Mean similarity of the three best matches among its name and its examples.
    pub score: f64,
}

impl Tool for Args {
    const SPEC: Spec = SimilarityBackend::SPEC
        .with_name("classify_text", "Classify a text")
        .tags(&["text", "similarity"]);
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output> {
        let text = args.text.load(ctx)?;
        check_categories(&args.categories)?;
        let owners = category_indices(&args.categories, &args.examples)?;
        let examples = args.examples.iter().map(|example| &example.text);
        let texts = args.categories.iter().chain(examples);
        let texts: Vec<&str> = texts.map(String::as_str).collect();
        let found = SimilarityQuery {
            query: (&text, "/text"),
            texts: (&texts, "/examples"),
            vectors: &[],
            backend: args.backend,
        }
        .run(ctx)?;
        let mut by_category = vec![Vec::new(); args.categories.len()];
        for (owner, score) in owners.iter().zip(&found.scores) {
            by_category[*owner].push(*score);
        }
        let scores: Vec<f64> = by_category.into_iter().map(mean_of_best).collect();
        let (category, confidence) = best_category(&scores);
        if category.is_none() {
            ctx.warn("no category has anything in common with the text: give `examples`, or use the backend `endpoint`");
        }
        let chosen = category.map(|index| args.categories[index].clone());
        let scores = args.categories.into_iter().zip(scores);
        Ok(Output {
            category: chosen,
            confidence,
            scores: scores
                .map(|(category, score)| CategoryScore { category, score })
                .collect(),
            backend: found.backend,
        })
    }

    fn narrow(args: &Args) -> EffectReach {
        args.backend.reach()
    }

    const EXAMPLES: &'static [JsonExample] = examples! {
        "a text equal to an example of one category and unrelated to the other": r#"{
            "text": "Bake the bread!", "categories": ["astronomy", "cooking"],
            "examples": [{"text": "bake the bread", "category": "cooking"}]
        }"#
            => r#"{
                "category": "cooking", "confidence": 1.0,
                "scores": [{"category": "astronomy", "score": 0.0}, {"category": "cooking", "score": 0.5}],
                "backend": "lexical-1"
            }"#;
    };
}

fn check_categories(categories: &[String]) -> Result<()> {
    let count = categories.len();
    if !(1..=CATEGORIES_MAX).contains(&count) {
        return Err(tool_error!(InvalidArgs at "/categories";
            "expected 1 to {CATEGORIES_MAX} categories, found {count}"));
    }
    for (index, category) in categories.iter().enumerate() {
        let at = format!("/categories/{index}");
        check_text(category, &at)?;
        if category.trim().is_empty() {
            return Err(tool_error!(InvalidArgs at at;
                "expected a name, found none"));
        }
        if categories[..index].contains(category) {
            return Err(tool_error!(InvalidArgs at at;
                "`{category}` is listed twice"));
        }
    }
    Ok(())
}

/// The index of the category of each text: names first, then examples.
fn category_indices(categories: &[String], examples: &[LabelledText]) -> Result<Vec<usize>> {
    let mut owners: Vec<usize> = (0..categories.len()).collect();
    let names = || categories.iter().map(String::as_str);
    let positions: HashMap<&str, usize> = names().zip(0..).collect();
    for (index, example) in examples.iter().enumerate() {
        check_text(&example.text, &format!("/examples/{index}/text"))?;
        let category = example.category.as_str();
        let Some(&owner) = positions.get(category) else {
            let error = tool_error!(InvalidArgs at format!("/examples/{index}/category");
                "`{category}` is not one of `categories`");
            return Err(match nearest_name(category, names()) {
                Some(near) => error.hint(format!("did you mean `{near}`?")),
                None => error,
            });
        };
        owners.push(owner);
    }
    Ok(owners)
}

fn mean_of_best(mut scores: Vec<f64>) -> f64 {
    scores.sort_by(|a, b| b.total_cmp(a));
    scores.truncate(BEST);
    scores.iter().sum::<f64>() / scores.len().max(1) as f64
}

/// The best category and its fraction of the positive scores.
fn best_category(scores: &[f64]) -> (Option<usize>, f64) {
    let total: f64 = scores.iter().map(|score| score.max(0.0)).sum();
    let best = (0..scores.len())
        .max_by(|&a, &b| scores[a].total_cmp(&scores[b]).then(b.cmp(&a)))
        .filter(|&best| scores[best] > 0.0);
    (best, best.map_or(0.0, |best| scores[best] / total))
}
