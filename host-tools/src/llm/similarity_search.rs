//! Similarity search.

use super::backend::{KnownVector, SimilarityBackend};
use super::compare::SimilarityQuery;
use crate::prelude::*;

/// Find the texts most similar to a query. The `lexical` backend combines BM25 with hashed n-grams: it compares spelling, not
/// meaning, and is deterministic; `endpoint` compares vectors of the configured embedding model.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The query, at most 1048576 bytes.
    pub query: Input<TextInput>,
    /// The texts to search: up to 100000, each at most 1048576 bytes, together at most 67108864.
    pub items: Vec<String>,
    /// Maximum results, 1 to 100000.
    #[value(default = "BoundedInteger::<1, 100_000>::of::<5>")]
    pub top_k: BoundedInteger<1, 100_000>,
    /// The source of the vectors: `lexical` or `endpoint`.
    #[value(default)]
    pub backend: SimilarityBackend,
    /// Results of `embed_text` for the items, in their order and of the same backend. If empty, the vectors are computed.
    #[value(default)]
    pub vectors: Vec<KnownVector>,
}

/// The result of a search.
#[derive(Debug, Encode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Output {
    /// The most similar texts, best first; ties in the order of `items`.
    pub results: Vec<SimilarityHit>,
    /// Name of the backend; only scores with equal names are comparable.
    pub backend: String,
}

/// A search hit.
#[derive(Debug, Encode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct SimilarityHit {
    /// The text.
    pub item: String,
    /// Similarity: lexical from 0 (nothing in common) to 1 (the query itself); endpoint the cosine, -1 to 1.
    pub score: f64,
    /// Index in `items`, from 0.
    pub index: usize,
}

impl Tool for Args {
    const SPEC: Spec = SimilarityBackend::SPEC
        .with_name("similarity_search", "Find similar texts")
        .tags(&["text", "similarity", "search"]);
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output> {
        let query = args.query.load(ctx)?;
        let texts: Vec<&str> = args.items.iter().map(String::as_str).collect();
        let found = SimilarityQuery {
            query: (&query, "/query"),
            texts: (&texts, "/items"),
            vectors: &args.vectors,
            backend: args.backend,
        }
        .run(ctx)?;
        let scores = found.scores;
        let mut order: Vec<usize> = (0..scores.len()).collect();
        order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]).then(a.cmp(&b)));
        order.truncate(usize::try_from(args.top_k.get()).unwrap_or(usize::MAX));
        let mut items = args.items;
        Ok(Output {
            results: order
                .into_iter()
                .map(|index| SimilarityHit {
                    item: std::mem::take(&mut items[index]),
                    score: scores[index],
                    index,
                })
                .collect(),
            backend: found.backend,
        })
    }

    fn narrow(args: &Args) -> EffectReach {
        args.backend.reach()
    }

    const EXAMPLES: &'static [JsonExample] = examples! {
        "the query itself has the score 1, an unrelated text 0": r#"{
            "query": "craters; moon", "items": ["bread recipe", "Moon craters", "the price of gold"], "top_k": 2
        }"#
            => r#"{
                "results": [
                    {"item": "Moon craters", "score": 1.0, "index": 1},
                    {"item": "bread recipe", "score": 0.0, "index": 0}
                ],
                "backend": "lexical-1"
            }"#;
    };
}
