//! [`SessionRegistry`]: the questions of a session about tools and calls, and the answers, which are data.

use registry::{Principal, RuntimeFacts};
use tool_core::{
    Access, Decode, Describe, Encode, ErrorCode, ResourceId, ResourceKey, ResourceKind, Result,
    ToolError,
};

use super::document::structs;
use super::limits::truncate_text;

/// The questions of a session. The log records the answers, so that a replay needs no registry.
pub trait SessionRegistry {
    /// Lists the tools that a principal may see, in order.
    ///
    /// # Errors
    /// An unknown role, agent, phase, task or profile, or overrides of unknown tools.
    fn offer(&self, who: &Principal, facts: &RuntimeFacts) -> Result<Offer>;

    /// Judges one call by the current policy and facts, without running it.
    ///
    /// # Errors
    /// The reason for a refusal: an unknown or hidden tool, invalid arguments, a denying rule.
    fn judge(
        &self,
        who: &Principal,
        facts: &RuntimeFacts,
        tool: &str,
        args: &tool_core::Value,
    ) -> Result<Judged>;
}

structs! {
    /// The error of a call.
    #[derive(Eq)]
    Failure {
        /// Error code.
        code: ErrorCode,
        /// Reason within the code.
        #[value(default, skip_encoding_if = "Option::is_none")]
        reason: Option<String>,
        /// Message.
        message: String,
        /// JSON pointer of the invalid argument.
        #[value(default, skip_encoding_if = "Option::is_none")]
        path: Option<String>,
        /// The next step.
        #[value(default, skip_encoding_if = "Option::is_none")]
        hint: Option<String>,
    }

    /// The tools of a turn.
    Offer {
        /// Digest of the registry: tools and policy.
        generation: String,
        /// The tools: those of the profile in its order, then enabled ones by name.
        tools: Vec<OfferedTool>;
        /// Missing facts that hide tools.
        missing: Vec<Missing>,
        /// Tools that run elsewhere.
        elsewhere: Vec<ElsewhereTool>,
        /// Maximum number of turns of a run; absent where there is none.
        max_turns: Option<u64>,
    }

    /// A tool that the provider of the model, another server or an agent command line runs: part of the offer, never called here.
    #[derive(Eq)]
    ElsewhereTool {
        /// Its name.
        name: String,
        /// Where it runs: `provider`, `server` or `command line`.
        source: String,
        /// Whether its calls need approval.
        decision: PermittedVerdict,
    }

    /// A tool of a turn.
    #[derive(Eq)]
    OfferedTool {
        /// Its name for models.
        name: String,
        /// Its canonical id.
        id: String,
        /// Version of its contract.
        version: u32,
        /// Digest of id, version, description and schema of the arguments.
        digest: String,
    }

    /// A missing fact, and the tools it hides.
    #[derive(Eq)]
    Missing {
        /// The fact, such as `workspace=ready`.
        fact: String,
        /// The tools that it alone hides.
        tools: Vec<String>,
        /// How to establish the fact.
        hint: String,
    }

    /// A call that may run.
    #[derive(Eq)]
    Judged {
        /// Canonical id of the tool.
        id: String,
        /// Version of its contract.
        version: u32,
        /// As in [`OfferedTool`].
        digest: String,
        /// Whether it needs approval.
        decision: PermittedVerdict,
        /// The deciding layer.
        layer: String;
        /// Its resources.
        resources: Vec<Resource>,
        /// Whether it must run alone: the tool requires it, or can change resources that it does not name.
        alone: bool,
    }

    /// A resource and the access to it.
    #[derive(Eq)]
    Resource {
        /// Kind of the resource.
        kind: ResourceKind,
        /// Name of the resource; for a path with its identity.
        name: String,
        /// Read or write.
        access: Access,
    }
}

/// A verdict that permits a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub enum PermittedVerdict {
    /// It runs.
    Allow,
    /// It needs approval first.
    Ask,
}

impl From<&ResourceKey> for Resource {
    fn from(key: &ResourceKey) -> Self {
        Self {
            kind: key.kind,
            name: key.id().to_string(),
            access: key.access,
        }
    }
}

impl From<&Resource> for ResourceKey {
    fn from(resource: &Resource) -> Self {
        Self::new(resource.kind, "", resource.access).identified(ResourceId::parse(&resource.name))
    }
}

impl Failure {
    pub(super) fn new(code: ErrorCode, reason: &str, message: impl Into<String>) -> Self {
        Self {
            code,
            reason: Some(reason.to_owned()),
            message: message.into(),
            path: None,
            hint: None,
        }
    }

    pub(super) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Shortens every text to its limit.
    pub(super) fn cut(&self) -> Self {
        Self::from(&ToolError::from(self))
    }
}

impl From<&ToolError> for Failure {
    fn from(error: &ToolError) -> Self {
        Self {
            code: error.code(),
            reason: error.reason_str().map(truncate_text),
            message: truncate_text(error.message()),
            path: error.path().map(truncate_text),
            hint: error.hint_str().map(truncate_text),
        }
    }
}

impl From<&Failure> for ToolError {
    fn from(failure: &Failure) -> Self {
        let error = Self::new(failure.code, &failure.message);
        let texts = [&failure.reason, &failure.path, &failure.hint].map(Clone::clone);
        let [reason, path, hint] = texts;
        let error = reason.into_iter().fold(error, Self::reason);
        let error = path.into_iter().fold(error, Self::at);
        hint.into_iter().fold(error, Self::hint)
    }
}
