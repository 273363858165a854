//! The embedding of a text.

use tool_core::ToolExample;

use super::backend::{SimilarityBackend, check_text, nothing_to_compare};
use super::{compare, lexical};
use crate::prelude::*;

/// Compute the vector of a text; the cosine of two vectors measures the similarity of their texts. The `lexical` backend compares
/// spelling, not meaning, and is deterministic; `endpoint` uses the configured embedding model.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The text, at most 1048576 bytes.
    pub text: Input<TextInput>,
    /// The source of the vectors: `lexical` or `endpoint`.
    #[value(default)]
    pub backend: SimilarityBackend,
}

/// The vector of a text, in the form that `similarity_search` accepts in `vectors`.
#[derive(Debug, Encode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Output {
    /// The components; the lexical backend has 1024, with norm 1.
    pub vector: Vec<f64>,
    /// Name of the backend; only vectors with equal names are comparable.
    pub backend: String,
    /// Number of components.
    pub dimension: usize,
}

impl Tool for Args {
    const SPEC: Spec = SimilarityBackend::SPEC
        .with_name("embed_text", "Embed a text")
        .tags(&["text", "similarity"]);
    type Output = Output;

    fn run(args: Args, ctx: &Ctx) -> Result<Output> {
        let text = args.text.load(ctx)?;
        check_text(&text, "/text")?;
        ctx.reserve(64 * text.len() as u64 + 8 * lexical::DIMENSION as u64)?;
        let (vector, backend) = match args.backend {
            SimilarityBackend::Lexical => (
                lexical::lexical_vector(&text, ctx.stop())?
                    .ok_or_else(|| nothing_to_compare("/text"))?,
                lexical::NAME.to_owned(),
            ),
            SimilarityBackend::Endpoint if text.trim().is_empty() => {
                return Err(nothing_to_compare("/text"));
            }
            SimilarityBackend::Endpoint => {
                let mut answer = compare::request_embeddings(&[&text], ctx)?;
                (answer.vectors.swap_remove(0), answer.backend)
            }
        };
        Ok(Output {
            dimension: vector.len(),
            vector,
            backend,
        })
    }

    fn narrow(args: &Args) -> EffectReach {
        args.backend.reach()
    }

    fn examples() -> Vec<ToolExample<Args, Output>> {
        let mut vector = vec![0.0; lexical::DIMENSION];
        for (plus, minus) in [(92, 352), (811, 727), (934, 946)] {
            vector[plus] = (1.0_f64 / 6.0).sqrt();
            vector[minus] = -vector[plus];
        }
        vec![ToolExample {
            title: "a word of three letters has six n-grams of 3 to 5 characters, each in its own dimension",
            args: Args {
                text: Input::inline("Sun"),
                backend: SimilarityBackend::Lexical,
            },
            output: Output {
                vector,
                backend: lexical::NAME.to_owned(),
                dimension: lexical::DIMENSION,
            },
        }]
    }
}
