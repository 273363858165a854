//! Responses of OpenAI-compatible endpoints. They are untrusted, so everything is checked.

use crate::prelude::*;

/// Maximum dimension of a vector.
const DIMENSION_MAX: usize = 16_384;
/// Maximum characters of a server message.
const WORDS_MAX: usize = 200;
const NAME_MAX: usize = 100;

/// A response that does not match the request.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum AnswerError {
    /// Invalid JSON.
    #[error("the response is not JSON: {0}")]
    NotJson(String),
    /// A member is missing or has the wrong type.
    #[error("the response has no {0}")]
    Missing(String),
    /// The number of vectors differs from the number of texts.
    #[error("the response has {found} vectors for {expected} texts")]
    Count {
        /// Vectors in the response.
        found: usize,
        /// Texts in the request.
        expected: usize,
    },
    /// Two vectors have the index of one text, or a vector has an unknown index.
    #[error("the response does not have exactly one vector for text {0}")]
    Index(usize),
    /// A vector is empty, too long, not finite, or differs in length from the others.
    #[error("vector {index} of the response has {found} numbers, expected {expected}")]
    Length {
        /// Index of the vector.
        index: usize,
        /// Its length.
        found: usize,
        /// The expected length.
        expected: String,
    },
    /// The responses of one request come from different models.
    #[error("the endpoint changed its model from `{0}` to `{1}` within one call")]
    Changed(String, String),
}

impl AnswerError {
    /// Converts to the error of a call, with the configuration key of the endpoint.
    pub(crate) fn of(self, key: &str) -> ToolError {
        ToolError::new(ErrorCode::ToolError, self)
            .reason("answer")
            .hint(format!(
                "check that `{key}.endpoint` is an OpenAI-compatible URL for this use"
            ))
    }
}

/// The backend name of a model.
pub(crate) fn backend_name(model: Option<&str>) -> String {
    format!(
        "endpoint:{}",
        single_line_excerpt(model.unwrap_or("unnamed"), NAME_MAX)
    )
}

/// The backend name of a response: of the configured model, else of the server's.
fn response_backend(answer: &Value, model: Option<&str>) -> String {
    let served = answer.get("model").and_then(Value::as_str);
    backend_name(model.or(served.filter(|served| !served.is_empty())))
}

/// Parses vectors in the order of the texts. The configured name of the model has priority over the server's.
///
/// # Errors
/// If the response does not have the documented shape.
pub(crate) fn parse_embeddings(
    body: &[u8],
    texts: usize,
    model: Option<&str>,
) -> Result<TextEmbeddings, AnswerError> {
    let answer = parse_json_body(body)?;
    let missing = |what: String| AnswerError::Missing(what);
    let data = answer.get("data").and_then(Value::items);
    let data = data.ok_or_else(|| missing("list `data`".to_owned()))?;
    if data.len() != texts {
        return Err(AnswerError::Count {
            found: data.len(),
            expected: texts,
        });
    }
    let mut vectors: Vec<Vec<f64>> = vec![Vec::new(); texts];
    let mut dimension = None;
    for (position, entry) in data.iter().enumerate() {
        // Servers may return another order; those without indices keep it.
        let index = match entry.get("index") {
            None | Some(Value::Null) => Some(position),
            Some(index) => index.as_i64().and_then(|index| usize::try_from(index).ok()),
        };
        let index = index.filter(|index| *index < texts);
        let index = index.ok_or(AnswerError::Index(position))?;
        let numbers = entry.get("embedding").and_then(Value::as_numbers);
        let numbers = numbers.filter(|numbers| numbers.rank() == 1);
        let numbers = numbers
            .ok_or_else(|| missing(format!("list of numbers `data/{position}/embedding`")))?;
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
    Ok(TextEmbeddings {
        backend: response_backend(&answer, model),
        vectors,
    })
}

/// Appends the vectors of a further batch.
///
/// # Errors
/// If they have another model or length.
pub(crate) fn append_batch(
    all: &mut TextEmbeddings,
    part: TextEmbeddings,
) -> Result<(), AnswerError> {
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

/// Parses a chat reply.
///
/// # Errors
/// As [`parse_embeddings`]; also an empty reply.
pub(crate) fn parse_chat_reply(
    body: &[u8],
    model: Option<&str>,
) -> Result<ModelReply, AnswerError> {
    let answer = parse_json_body(body)?;
    let missing = |what: &str| AnswerError::Missing(what.to_owned());
    let choice = answer.pointer("/choices/0");
    let choice = choice.ok_or_else(|| missing("member `choices/0`"))?;
    let content = choice.pointer("/message/content");
    let text = content.and_then(|content| content.as_str().map(str::to_owned));
    let text = text.filter(|text| !text.trim().is_empty());
    let text = text.ok_or_else(|| missing("text `choices/0/message/content`"))?;
    Ok(ModelReply {
        backend: response_backend(&answer, model),
        text,
        truncated: choice.get("finish_reason").and_then(Value::as_str) == Some("length"),
    })
}

/// The error for a server error.
pub(crate) fn server_status_error(key: &str, status: u16, body: &[u8]) -> ToolError {
    let hint = match status {
        401 | 403 => format!("check `{key}.api_key`"),
        404 | 405 => format!("check the path of `{key}.endpoint` and the name of `{key}.model`"),
        408 | 429 | 500..=599 => "try again later".to_owned(),
        _ => format!("check `{key}` in the configuration"),
    };
    let said = server_message(body).map_or(String::new(), |said| format!(": {said}"));
    let reason = if status == 429 {
        "rate_limit"
    } else {
        "endpoint"
    };
    tool_error!(ToolError, reason; "the endpoint of `{key}` answered with status {status}{said}")
        .hint(hint)
}

/// The message of the server: OpenAI, llama.cpp and vLLM write `error.message`, Ollama `error`, older vLLM `message`.
fn server_message(body: &[u8]) -> Option<String> {
    let answer = parse_json_body(body).ok()?;
    let places = ["/error/message", "/error", "/message", "/detail"];
    places
        .iter()
        .find_map(|place| answer.pointer(place)?.as_str().map(str::to_owned))
        .map(|said| single_line_excerpt(&said, WORDS_MAX))
}

fn parse_json_body(body: &[u8]) -> Result<Value, AnswerError> {
    json::parse_bytes(body, json::JsonLimits::default())
        .map_err(|err| AnswerError::NotJson(single_line_excerpt(&err.to_string(), WORDS_MAX)))
}

/// On one line, and shortened.
fn single_line_excerpt(text: &str, most: usize) -> String {
    text.replace(char::is_control, " ")
        .chars()
        .take(most)
        .collect()
}
