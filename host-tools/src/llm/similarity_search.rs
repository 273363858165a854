//! The texts most similar to a query.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{Bounded, Ctx, Example, Input, Reach, Spec, Text, Tool, ToolError};

use super::backend::{Backend, KnownVector};
use super::compare::Comparison;
use super::lexical;

/// The tool `similarity_search`.
pub struct SimilaritySearch;

/// Find the texts most similar to a query. The `lexical` backend joins BM25 with hashed parts of words: it compares spelling, not
/// meaning, and always gives the same numbers; `endpoint` compares vectors of the configured embedding model.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// What to look for, at most 1048576 bytes.
    pub query: Input<Text>,
    /// The texts to search: up to 100000, each at most 1048576 bytes, together at most 67108864.
    pub items: Vec<String>,
    /// Most results, 1 to 100000.
    #[serde(default = "default_top_k")]
    pub top_k: Bounded<1, 100_000>,
    /// What gives the numbers.
    #[serde(default)]
    pub backend: Backend,
    /// Results of `embed_text` for the items, in their order and of the same backend, so that they need not be made again; empty
    /// makes them.
    #[serde(default)]
    pub vectors: Vec<KnownVector>,
}

fn default_top_k() -> Bounded<1, 100_000> {
    Bounded::literal(5)
}

/// What was found.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Output {
    /// The most similar texts, best first; of equal ones the earlier first.
    pub results: Vec<Hit>,
    /// Name of the backend that gave the scores; only scores of one name can be compared.
    pub backend: String,
}

/// A text found.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Hit {
    /// The text.
    pub item: String,
    /// How similar it is: lexical from 0 (nothing in common) to 1 (the query itself); endpoint the cosine, from -1 to 1.
    pub score: f64,
    /// Its place in `items`, from 0.
    pub index: usize,
}

impl Tool for SimilaritySearch {
    const SPEC: Spec = Spec {
        id: "similarity_search",
        title: "Find similar texts",
        tags: &["text", "similarity", "search"],
        ..Backend::SPEC
    };
    type Args = Args;
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let query = args.query.load(ctx)?;
        let texts: Vec<&str> = args.items.iter().map(String::as_str).collect();
        let found = Comparison {
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
                .map(|index| Hit {
                    item: std::mem::take(&mut items[index]),
                    score: scores[index],
                    index,
                })
                .collect(),
            backend: found.backend,
        })
    }

    fn narrow(args: &Args) -> Reach {
        args.backend.reach()
    }

    fn examples() -> Vec<Example<Args, Output>> {
        let items = ["bread recipe", "Moon craters", "the price of gold"];
        vec![Example {
            title: "the query itself has the score 1, a text that shares nothing with it 0",
            args: Args {
                query: Input::inline("craters; moon"),
                items: items.map(str::to_owned).to_vec(),
                top_k: Bounded::literal(2),
                backend: Backend::Lexical,
                vectors: Vec::new(),
            },
            output: Output {
                results: vec![
                    Hit {
                        item: items[1].to_owned(),
                        score: 1.0,
                        index: 1,
                    },
                    Hit {
                        item: items[0].to_owned(),
                        score: 0.0,
                        index: 0,
                    },
                ],
                backend: lexical::NAME.to_owned(),
            },
        }]
    }
}
