//! What gives texts their numbers, and the limits on texts.

use tool_core::{Input, Vector};

use crate::prelude::*;

/// Longest text in bytes.
pub(crate) const TEXT_BYTES_MAX: usize = 1 << 20;
/// Most texts in one call.
pub(crate) const TEXTS_MAX: usize = 100_000;
/// Most bytes of all texts of one call.
pub(crate) const TOTAL_BYTES_MAX: usize = 64 << 20;

/// What gives texts their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Backend {
    /// Words and parts of words, computed here: the same numbers always, no meaning beyond spelling.
    #[default]
    Lexical,
    /// The embedding model at `models.embeddings.endpoint` of the configuration.
    Endpoint,
}

impl Backend {
    /// What every tool of the family says about itself; the arguments narrow it.
    pub(crate) const SPEC: Spec = Spec {
        category: Category::Llm,
        effects: &[Effect::CallsLlm, Effect::NetworkAccess],
        avoidable: &[Effect::CallsLlm, Effect::NetworkAccess],
        capabilities: &[Capability::Model],
        determinism: Determinism::External,
        resources: &[resource(ResourceKind::Name, "/backend", Access::Read)],
        ..Spec::pure()
    };

    /// The lexical backend reaches nothing.
    pub(crate) fn reach(self) -> Reach {
        Reach {
            effects: match self {
                Self::Lexical => &[],
                Self::Endpoint => Self::SPEC.effects,
            },
            ..Reach::of(&Self::SPEC)
        }
    }
}

/// A vector that `embed_text` gave, as it gave it.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct KnownVector {
    /// The numbers.
    pub vector: Input<Vector>,
    /// Name of the backend that computed them.
    pub backend: String,
    /// How many there are.
    pub dimension: usize,
}

/// The error for a backend whose endpoint nobody configured.
pub(crate) fn no_endpoint(key: &str) -> ToolError {
    tool_error!(
        PreconditionFailed,
        "no endpoint is configured: `{key}.endpoint` is not set"
    )
    .reason("no_endpoint")
    .hint(format!(
        "set `{key}.endpoint` in the configuration to an OpenAI-compatible URL"
    ))
}

/// Holds one text against the limits.
///
/// # Errors
/// `limit_exceeded`.
pub(crate) fn check_text(text: &str, pointer: &str) -> Result<(), ToolError> {
    if text.len() <= TEXT_BYTES_MAX {
        return Ok(());
    }
    let length = text.len();
    Err(tool_error!(
        LimitExceeded,
        "the text has {length} bytes, the most is {TEXT_BYTES_MAX}"
    )
    .reason("text")
    .at(pointer)
    .hint("split it into parts"))
}

/// Holds all texts of a list against the limits.
///
/// # Errors
/// `limit_exceeded`.
pub(crate) fn check_texts<T: AsRef<str>>(
    texts: &[T],
    pointer: &str,
    ctx: &Ctx,
) -> Result<(), ToolError> {
    let error = |message: String| {
        ToolError::new(ErrorCode::LimitExceeded, message)
            .reason("texts")
            .at(pointer)
            .hint("make several calls")
    };
    if texts.len() > TEXTS_MAX {
        return Err(error(format!(
            "{} texts, the most is {TEXTS_MAX}",
            texts.len()
        )));
    }
    let mut total = 0;
    for (index, text) in texts.iter().enumerate() {
        check_text(text.as_ref(), &format!("{pointer}/{index}"))?;
        total += text.as_ref().len();
    }
    if total > TOTAL_BYTES_MAX {
        return Err(error(format!(
            "the texts have {total} bytes, the most is {TOTAL_BYTES_MAX}"
        )));
    }
    ctx.check()
}

/// The error for a text without anything to compare.
pub(crate) fn nothing_to_compare(pointer: &str) -> ToolError {
    tool_error!(
        InvalidArgs,
        "expected a text with a letter, a digit or an emoji, found none"
    )
    .at(pointer)
    .reason("empty")
}
