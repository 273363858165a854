//! Scores of texts against a query, with either backend.

use super::backend::{
    KnownVector, SimilarityBackend, check_text, check_texts, no_endpoint, nothing_to_compare,
};
use super::lexical;
use tool_core::Vector;

use crate::prelude::*;

/// Memory per byte of the query: four features, each in two lists and a table.
const QUERY_BYTES: u64 = 512;
/// Memory per byte of a text while it is read: normalised characters and positions of words.
const READING_BYTES: u64 = 32;
/// Memory retained per byte of a text: at most two counts per three bytes.
const KEPT_BYTES: u64 = 24;
/// Memory retained per text: its score, its counts and its rank.
const TEXT_BYTES: u64 = 128;
/// Texts per request to an endpoint, and the memory of the response: as text, as a document and as vectors.
const ASKED_AT_ONCE: usize = 64;
const ANSWER_BYTES: u64 = 128 << 20;

/// A query and the texts to score.
#[derive(Debug)]
pub(crate) struct SimilarityQuery<'a> {
    /// The query and the name of its argument.
    pub query: (&'a str, &'static str),
    /// The texts and the name of their argument.
    pub texts: (&'a [&'a str], &'static str),
    /// Precomputed vectors of the texts: none, or one per text.
    pub vectors: &'a [KnownVector],
    /// The source of the vectors: `lexical` or `endpoint`.
    pub backend: SimilarityBackend,
}

/// Scores in the order of the texts.
#[derive(Debug)]
pub(crate) struct SimilarityScores {
    /// One score per text; higher is more similar.
    pub scores: Vec<f64>,
    /// Name of the backend.
    pub backend: String,
}

impl SimilarityQuery<'_> {
    /// Computes the scores.
    ///
    /// # Errors
    /// An exceeded limit, a query without features, vectors of another backend, a failed request.
    pub(crate) fn run(&self, ctx: &Ctx) -> Result<SimilarityScores> {
        let (query, query_at) = self.query;
        let (texts, texts_at) = self.texts;
        check_text(query, query_at)?;
        check_texts(texts, texts_at, ctx)?;
        let longest = texts.iter().map(|text| text.len()).max().unwrap_or(0) as u64;
        let total: u64 = texts.iter().map(|text| text.len() as u64).sum();
        ctx.reserve(
            QUERY_BYTES * query.len() as u64
                + READING_BYTES * longest
                + KEPT_BYTES * total
                + TEXT_BYTES * texts.len() as u64,
        )?;
        let known = self.known(ctx)?;
        match self.backend {
            SimilarityBackend::Lexical => self.lexical(ctx),
            SimilarityBackend::Endpoint => self.endpoint(&known, ctx),
        }
    }

    /// Checks that the given vectors have one backend and one length.
    fn known(&self, ctx: &Ctx) -> Result<Vec<Vector>> {
        let Some(first) = self.vectors.first() else {
            return Ok(Vec::new());
        };
        let (vectors, texts) = (self.vectors.len(), self.texts.0.len());
        if vectors != texts {
            return Err(tool_error!(InvalidArgs at "/vectors";
                "{vectors} vectors for {texts} texts";
                "pass one vector per text, in the same order"));
        }
        let mut known = Vec::with_capacity(texts);
        for (index, given) in self.vectors.iter().enumerate() {
            let at = format!("/vectors/{index}");
            if given.backend != first.backend {
                return Err(mixed_backends_error(&at, &given.backend, &first.backend));
            }
            let vector = given.vector.load(ctx).map_err(|err| err.at(at.clone()))?;
            check_length(vector.len(), first.dimension, &at)?;
            known.push(vector);
        }
        Ok(known)
    }

    /// The effects of given vectors do not exceed those of the texts.
    fn lexical(&self, ctx: &Ctx) -> Result<SimilarityScores> {
        self.same_backend(lexical::NAME, lexical::DIMENSION)?;
        let mut search = lexical::LexicalSearch::new(self.query.0, ctx.stop())?
            .ok_or_else(|| nothing_to_compare(self.query.1))?;
        for text in self.texts.0 {
            ctx.check()?;
            search.add(text, ctx.stop())?;
        }
        Ok(SimilarityScores {
            scores: search.scores(),
            backend: lexical::NAME.to_owned(),
        })
    }

    fn endpoint(&self, known: &[Vector], ctx: &Ctx) -> Result<SimilarityScores> {
        let (query, query_at) = self.query;
        if query.trim().is_empty() {
            return Err(nothing_to_compare(query_at));
        }
        ctx.reserve(ANSWER_BYTES)?;
        let own = request_embeddings(&[query], ctx)?;
        let vector = &own.vectors[0];
        self.same_backend(&own.backend, vector.len())?;
        let scores = match known {
            [] => self.against(vector, &own.backend, ctx)?,
            known => known
                .iter()
                .map(|known| cosine_similarity(vector, known))
                .collect(),
        };
        Ok(SimilarityScores {
            scores,
            backend: own.backend,
        })
    }

    /// Requests the vectors of the texts in batches to bound memory. Endpoints refuse empty texts, so these get the score 0.
    fn against(&self, query: &[f64], backend: &str, ctx: &Ctx) -> Result<Vec<f64>> {
        let texts = self.texts.0;
        let mut scores = vec![0.0; texts.len()];
        let sent: Vec<usize> = (0..texts.len())
            .filter(|&index| !texts[index].trim().is_empty())
            .collect();
        for part in sent.chunks(ASKED_AT_ONCE) {
            let part_texts: Vec<&str> = part.iter().map(|&index| texts[index]).collect();
            let answer = request_embeddings(&part_texts, ctx)?;
            let fits = |vector: &Vec<f64>| vector.len() == query.len();
            if answer.backend != backend || !answer.vectors.iter().all(fits) {
                let changed = answer.backend;
                return Err(tool_error!(ToolError, "answer";
                    "the endpoint changed its model within one call: `{backend}` to `{changed}`"));
            }
            for (&index, vector) in part.iter().zip(&answer.vectors) {
                scores[index] = cosine_similarity(query, vector);
            }
        }
        Ok(scores)
    }

    /// Checks that the given vectors have the backend of the query.
    fn same_backend(&self, backend: &str, dimension: usize) -> Result<()> {
        match self.vectors.first() {
            Some(first) if first.backend != backend => {
                Err(mixed_backends_error("/vectors/0", &first.backend, backend))
            }
            Some(first) => check_length(first.dimension, dimension, "/vectors/0"),
            None => Ok(()),
        }
    }
}

/// Requests one vector per text from the endpoint.
///
/// # Errors
/// A failed request; a response with a different number of vectors.
pub(crate) fn request_embeddings(texts: &[&str], ctx: &Ctx) -> Result<TextEmbeddings> {
    let model = ctx.model().map_err(|_| no_endpoint("models.embeddings"))?;
    let answer = model.embed(texts, ctx.stop())?;
    ctx.check()?;
    if answer.vectors.len() == texts.len() {
        return Ok(answer);
    }
    let (found, expected) = (answer.vectors.len(), texts.len());
    Err(tool_error!(ToolError, "answer";
        "the endpoint returned {found} vectors for {expected} texts"))
}

/// The cosine similarity of two vectors; 0 if one has norm 0.
fn cosine_similarity(a: &[f64], b: &[f64]) -> f64 {
    let (a, b) = (scale_to_unit_maximum(a), scale_to_unit_maximum(b));
    let lengths = dot(&a, &a).sqrt() * dot(&b, &b).sqrt();
    match lengths > 0.0 {
        true => (dot(&a, &b) / lengths).clamp(-1.0, 1.0),
        false => 0.0,
    }
}

/// Scales the largest component to 1 to avoid overflow.
fn scale_to_unit_maximum(vector: &[f64]) -> Vec<f64> {
    let largest = vector.iter().map(|number| number.abs()).fold(0.0, f64::max);
    let scale = if largest > 0.0 { largest } else { 1.0 };
    vector.iter().map(|number| number / scale).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn mixed_backends_error(at: &str, found: &str, expected: &str) -> ToolError {
    tool_error!(InvalidArgs at at, "backend_mismatch";
        "expected a vector of the backend `{expected}`, found one of `{found}`";
        "vectors of different backends are not comparable: embed all texts with one backend")
}

fn check_length(found: usize, expected: usize, at: &str) -> Result<()> {
    match found == expected {
        true => Ok(()),
        false => Err(tool_error!(InvalidArgs at at, "backend_mismatch";
            "expected a vector of {expected} numbers, found {found}")),
    }
}
