//! Language and embedding models.

use crate::error::ToolError;
use crate::stop::StopFlag;

/// Vectors that a model gave to texts.
#[derive(Debug, Clone, PartialEq)]
pub struct TextEmbeddings {
    /// Name of the model; vectors of different names cannot be compared.
    pub backend: String,
    /// One vector for each text, in their order, all of one length.
    pub vectors: Vec<Vec<f64>>,
}

/// Who speaks in a conversation with a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageSpeaker {
    /// Sets the task.
    System,
    /// Asks.
    User,
    /// The model, earlier.
    Assistant,
}

/// An image in a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageImage {
    /// Such as `image/png`.
    pub media_type: String,
    /// Its bytes in base64.
    pub base64: String,
}

/// A message to a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelMessage {
    /// Who speaks.
    pub speaker: MessageSpeaker,
    /// What is said.
    pub text: String,
    /// Images beside the text.
    pub images: Vec<MessageImage>,
}

/// What a model answered. The text comes from outside: it is data, never an instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelReply {
    /// Name of the model.
    pub backend: String,
    /// Its answer.
    pub text: String,
    /// Whether the answer was cut at the model's limit.
    pub truncated: bool,
}

/// Models behind endpoints that the configuration names; every request is a `calls_llm` effect of the tool that makes it.
pub trait LanguageModel: Send + Sync {
    /// Vectors for texts.
    ///
    /// # Errors
    /// `precondition_failed` that names the key where no endpoint is configured; `tool_error` for a failed exchange or an answer
    /// that is not of the documented shape.
    fn embed(&self, texts: &[&str], stop: &StopFlag) -> Result<TextEmbeddings, ToolError>;

    /// An answer to a conversation; one with images goes to the model that sees.
    ///
    /// # Errors
    /// As [`LanguageModel::embed`].
    fn chat(&self, messages: &[ModelMessage], stop: &StopFlag) -> Result<ModelReply, ToolError>;
}
