//! [`Registry`]: what a session asks about tools and calls, and the answers, which are data.

use registry::{Facts, Principal};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::{Access, ErrorCode, ResourceId, ResourceKey, ResourceKind, ToolError};

use super::limits::cut;

/// What a session asks. Its answers are kept in the log, so that a replay asks nobody.
pub trait Registry {
    /// The tools that a caller may see, in order.
    ///
    /// # Errors
    /// A role, agent, phase, task or profile that there is not, or overrides that name no tool.
    fn offer(&self, who: &Principal, facts: &Facts) -> Result<Offer, ToolError>;

    /// Judges one call by what holds now; nothing runs.
    ///
    /// # Errors
    /// Why the call may not run: an unknown or hidden tool, arguments that do not fit, a rule that denies it.
    fn judge(
        &self,
        who: &Principal,
        facts: &Facts,
        tool: &str,
        args: &tool_core::Value,
    ) -> Result<Judged, ToolError>;
}

/// The tools of a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Offer {
    /// Digest of the registry: tools and policy.
    pub generation: String,
    /// The tools: the profile's first, in its order, those that were enabled last, by name.
    pub tools: Vec<OfferedTool>,
    /// What hides tools that would be there otherwise.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<Missing>,
}

/// A tool of a turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OfferedTool {
    /// Its name for models.
    pub name: String,
    /// Its canonical id.
    pub id: String,
    /// Version of its contract.
    pub version: u32,
    /// Digest of id, version, description and schema of the arguments.
    pub digest: String,
}

/// A fact that does not hold, and the tools it hides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Missing {
    /// The fact, such as `workspace=ready`.
    pub fact: String,
    /// The tools that it alone hides.
    pub tools: Vec<String>,
    /// What makes it hold.
    pub hint: String,
}

/// A call that may run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Judged {
    /// Canonical id of the tool.
    pub id: String,
    /// Version of its contract.
    pub version: u32,
    /// As in [`OfferedTool`].
    pub digest: String,
    /// Whether a person is asked before it runs.
    pub decision: Decided,
    /// The layer that decided.
    pub layer: String,
    /// What it touches.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resources: Vec<Resource>,
    /// Whether nothing may run beside it: the tool says so, or it can change what it does not name.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub alone: bool,
}

/// A verdict that lets a call run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Decided {
    /// It runs.
    Allow,
    /// A person is asked first.
    Ask,
}

/// A resource and how it is used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Resource {
    /// Kind.
    pub kind: ResourceKind,
    /// Its name; a path by its real identity.
    pub name: String,
    /// How it is used.
    pub access: Access,
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

/// Why a call did not succeed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Failure {
    /// Code.
    pub code: ErrorCode,
    /// The finer reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// In words.
    pub message: String,
    /// JSON pointer of the argument that is to blame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The next step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
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

    /// With every text no longer than it may be.
    pub(super) fn cut(&self) -> Self {
        let short = |text: &Option<String>| text.as_deref().map(cut);
        Self {
            code: self.code,
            reason: short(&self.reason),
            message: cut(&self.message),
            path: short(&self.path),
            hint: short(&self.hint),
        }
    }
}

impl From<&ToolError> for Failure {
    fn from(error: &ToolError) -> Self {
        Self {
            code: error.code(),
            reason: error.reason_str().map(cut),
            message: cut(error.message()),
            path: error.path().map(cut),
            hint: error.hint_str().map(cut),
        }
    }
}

impl From<&Failure> for ToolError {
    fn from(failure: &Failure) -> Self {
        let mut error = Self::new(failure.code, &failure.message);
        if let Some(reason) = &failure.reason {
            error = error.reason(reason.clone());
        }
        if let Some(path) = &failure.path {
            error = error.at(path.clone());
        }
        if let Some(hint) = &failure.hint {
            error = error.hint(hint.clone());
        }
        error
    }
}
