//! The sources of vectors, and the limits on texts.

use tool_core::Vector;

use crate::prelude::*;

/// Maximum size of a text in bytes.
pub(crate) const TEXT_BYTES_MAX: usize = 1 << 20;
/// Maximum texts per call.
pub(crate) const TEXTS_MAX: usize = 100_000;
/// Maximum total size of the texts of a call, in bytes.
pub(crate) const TOTAL_BYTES_MAX: usize = 64 << 20;

/// The source of vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum SimilarityBackend {
    /// Words and n-grams, computed locally: deterministic, based on spelling only.
    #[default]
    Lexical,
    /// The embedding model at `models.embeddings.endpoint` of the configuration.
    Endpoint,
}

impl SimilarityBackend {
    /// The declaration of a tool of this family; the arguments narrow its effects.
    pub(crate) const SPEC: Spec = Spec {
        category: Category::Llm,
        effects: &[Effect::CallsLlm, Effect::NetworkAccess],
        avoidable: &[Effect::CallsLlm, Effect::NetworkAccess],
        capabilities: &[Capability::Model],
        determinism: Determinism::External,
        resources: &[resource_template(
            ResourceKind::Name,
            "/backend",
            Access::Read,
        )],
        ..Spec::pure()
    };

    /// The lexical backend uses no resource.
    pub(crate) fn reach(self) -> EffectReach {
        EffectReach {
            effects: match self {
                Self::Lexical => &[],
                Self::Endpoint => Self::SPEC.effects,
            },
            ..EffectReach::of(&Self::SPEC)
        }
    }
}

/// A vector as returned by `embed_text`.
#[derive(Debug, Clone, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct KnownVector {
    /// The components.
    pub vector: Input<Vector>,
    /// Name of the backend that computed the vector.
    pub backend: String,
    /// Number of components.
    pub dimension: usize,
}

/// The error for an endpoint that is not configured.
pub(crate) fn no_endpoint(key: &str) -> ToolError {
    tool_error!(PreconditionFailed, "no_endpoint";
        "no endpoint is configured: `{key}.endpoint` is not set";
        "set `{key}.endpoint` in the configuration to an OpenAI-compatible URL")
}

/// Checks a text against the limits.
///
/// # Errors
/// `limit_exceeded`.
pub(crate) fn check_text(text: &str, pointer: &str) -> Result<()> {
    let length = text.len();
    if length <= TEXT_BYTES_MAX {
        return Ok(());
    }
    Err(tool_error!(LimitExceeded at pointer, "text";
        "the text has {length} bytes; the maximum is {TEXT_BYTES_MAX}"; "split it into parts"))
}

/// Checks a list of texts against the limits.
///
/// # Errors
/// `limit_exceeded`.
pub(crate) fn check_texts(texts: &[&str], pointer: &str, ctx: &Ctx) -> Result<()> {
    let error = |message: String| tool_error!(LimitExceeded at pointer, "texts"; "{message}"; "make several calls");
    let count = texts.len();
    if count > TEXTS_MAX {
        return Err(error(format!("{count} texts; the maximum is {TEXTS_MAX}")));
    }
    let mut total = 0;
    for (index, text) in texts.iter().enumerate() {
        check_text(text, &format!("{pointer}/{index}"))?;
        total += text.len();
    }
    if total > TOTAL_BYTES_MAX {
        let most = format!("the maximum is {TOTAL_BYTES_MAX}");
        return Err(error(format!("the texts have {total} bytes; {most}")));
    }
    ctx.check()
}

/// The error for a text without features.
pub(crate) fn nothing_to_compare(pointer: &str) -> ToolError {
    tool_error!(InvalidArgs at pointer, "empty";
        "expected a text with a letter, a digit or an emoji, found none")
}
