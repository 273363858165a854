//! What an OpenAI-compatible endpoint answers. Everything in it comes from outside and is checked.

use tool_core::capability::{Embeddings, Reply};

use crate::prelude::*;

/// Most numbers in a vector.
const DIMENSION_MAX: usize = 16_384;
/// Most characters kept of a server's own words.
const WORDS_MAX: usize = 200;
const NAME_MAX: usize = 100;

/// How an answer is not what was asked for.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum AnswerError {
    /// It is not JSON.
    #[error("the answer is not JSON: {0}")]
    NotJson(String),
    /// A member is missing or of another type.
    #[error("the answer has no {0}")]
    Missing(String),
    /// There are more or fewer vectors than texts.
    #[error("the answer has {found} vectors for {expected} texts")]
    Count {
        /// Vectors in the answer.
        found: usize,
        /// Texts in the request.
        expected: usize,
    },
    /// Two vectors say they belong to one text, or one to none.
    #[error("the answer has no vector, or several, for text {0}")]
    Index(usize),
    /// A vector is empty, too long, not finite, or of another length than the others.
    #[error("vector {index} of the answer has {found} numbers, expected {expected}")]
    Length {
        /// Position of the vector.
        index: usize,
        /// Its length.
        found: usize,
        /// What was expected.
        expected: String,
    },
    /// Answers to the parts of one request come from different models.
    #[error("the endpoint changed its model from `{0}` to `{1}` within one call")]
    Changed(String, String),
}

impl AnswerError {
    /// As the error of a call, with the endpoint it is about.
    pub(crate) fn of(self, key: &str) -> ToolError {
        ToolError::new(ErrorCode::ToolError, self)
            .reason("answer")
            .hint(format!(
                "check that `{key}.endpoint` is an OpenAI-compatible URL that fits its use"
            ))
    }
}

/// The name under which numbers of a model are known.
pub(crate) fn name(model: Option<&str>) -> String {
    format!("endpoint:{}", words(model.unwrap_or("unnamed"), NAME_MAX))
}

/// Reads vectors, in the order of the texts. The configured name of the model counts, else the server's.
///
/// # Errors
/// When the answer is not of the documented shape.
pub(crate) fn embeddings(
    body: &[u8],
    texts: usize,
    model: Option<&str>,
) -> Result<Embeddings, AnswerError> {
    let answer = parse(body)?;
    let data = answer
        .get("data")
        .and_then(Value::items)
        .ok_or_else(|| AnswerError::Missing("list `data`".to_owned()))?;
    if data.len() != texts {
        return Err(AnswerError::Count {
            found: data.len(),
            expected: texts,
        });
    }
    let mut vectors: Vec<Vec<f64>> = vec![Vec::new(); texts];
    let mut dimension = None;
    for (position, entry) in data.iter().enumerate() {
        // Servers may answer out of order; those that number nothing keep it.
        let index = match entry.get("index") {
            None | Some(Value::Null) => position,
            Some(index) => index
                .as_i64()
                .and_then(|index| usize::try_from(index).ok())
                .filter(|index| *index < texts)
                .ok_or(AnswerError::Index(position))?,
        };
        let numbers = entry.get("embedding").and_then(Value::as_numbers);
        let numbers = numbers
            .filter(|numbers| numbers.rank() == 1)
            .ok_or_else(|| {
                AnswerError::Missing(format!("list of numbers `data/{position}/embedding`"))
            })?;
        let length = numbers.len();
        let expected = *dimension.get_or_insert(length);
        if length != expected || length > DIMENSION_MAX {
            return Err(AnswerError::Length {
                index,
                found: length,
                expected: match length > DIMENSION_MAX {
                    true => format!("at most {DIMENSION_MAX}"),
                    false => expected.to_string(),
                },
            });
        }
        if !vectors[index].is_empty() {
            return Err(AnswerError::Index(index));
        }
        vectors[index] = numbers.as_slice().to_vec();
    }
    let served = answer.get("model").and_then(Value::as_str);
    Ok(Embeddings {
        backend: name(model.or(served.filter(|served| !served.is_empty()))),
        vectors,
    })
}

/// Adds the vectors of a further part of one request.
///
/// # Errors
/// When they are of another model or length.
pub(crate) fn append(all: &mut Embeddings, part: Embeddings) -> Result<(), AnswerError> {
    if all.backend != part.backend {
        return Err(AnswerError::Changed(all.backend.clone(), part.backend));
    }
    let length = |vectors: &[Vec<f64>]| vectors.first().map_or(0, Vec::len);
    let (expected, found) = (length(&all.vectors), length(&part.vectors));
    if expected != found {
        return Err(AnswerError::Length {
            index: all.vectors.len(),
            found,
            expected: expected.to_string(),
        });
    }
    all.vectors.extend(part.vectors);
    Ok(())
}

/// Reads a reply.
///
/// # Errors
/// As [`embeddings`]; an empty reply too.
pub(crate) fn chat(body: &[u8], model: Option<&str>) -> Result<Reply, AnswerError> {
    let answer = parse(body)?;
    let choice = answer
        .pointer("/choices/0")
        .ok_or_else(|| AnswerError::Missing("member `choices/0`".to_owned()))?;
    let text = choice
        .pointer("/message/content")
        .and_then(|content| content.as_str().map(str::to_owned))
        .filter(|text| !text.trim().is_empty())
        .ok_or_else(|| AnswerError::Missing("text `choices/0/message/content`".to_owned()))?;
    let served = answer.get("model").and_then(Value::as_str);
    Ok(Reply {
        backend: name(model.or(served.filter(|served| !served.is_empty()))),
        text,
        truncated: choice.get("finish_reason").and_then(Value::as_str) == Some("length"),
    })
}

/// Words the refusal of a server.
pub(crate) fn refusal(key: &str, status: u16, body: &[u8]) -> ToolError {
    let hint = match status {
        401 | 403 => format!("check `{key}.api_key`"),
        404 | 405 => format!("check the path of `{key}.endpoint` and the name of `{key}.model`"),
        408 | 429 | 500..=599 => "try again later".to_owned(),
        _ => format!("check `{key}` in the configuration"),
    };
    let said = said(body)
        .map(|said| format!(": {said}"))
        .unwrap_or_default();
    tool_error!(
        ToolError,
        "the endpoint of `{key}` answered with status {status}{said}"
    )
    .reason(if status == 429 {
        "rate_limit"
    } else {
        "endpoint"
    })
    .hint(hint)
}

/// The server's own words: OpenAI, llama.cpp and vLLM write `error.message`, Ollama `error`, older vLLM `message`.
fn said(body: &[u8]) -> Option<String> {
    let answer = parse(body).ok()?;
    let places = ["/error/message", "/error", "/message", "/detail"];
    places
        .iter()
        .find_map(|place| answer.pointer(place)?.as_str().map(str::to_owned))
        .map(|said| words(&said, WORDS_MAX))
}

fn parse(body: &[u8]) -> Result<Value, AnswerError> {
    json::parse_bytes(body, json::Limits::default())
        .map_err(|err| AnswerError::NotJson(words(&err.to_string(), WORDS_MAX)))
}

/// On one line and not too long.
fn words(text: &str, most: usize) -> String {
    let visible = |character: char| match character.is_control() {
        true => ' ',
        false => character,
    };
    text.chars().map(visible).take(most).collect()
}
