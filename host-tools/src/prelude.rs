//! Common imports of the tool files.

pub(crate) use tool_core::Describe;
#[allow(
    unused_imports,
    reason = "some names are used by families that a build may leave out"
)]
pub(crate) use tool_core::capability::{
    Clock, DraftFolder, FileChange, FileInfo, FileKind, FileReader, HttpMethod, HttpRequest,
    HttpResponse, HttpService, HttpTransport, LanguageModel, LinkMode, ModelMessage, ModelReply,
    TextEmbeddings, WorkspaceFiles, WriteMode,
};
pub(crate) use tool_core::convert::{from_value, to_value};
pub(crate) use tool_core::value::SAFE_INTEGER;
pub(crate) use tool_core::{
    Access, BoundedInteger, CallProbe, Caller, Capability, Category, Ctx, Determinism, Effect,
    EffectReach, ErasedTool, ErrorCode, Input, JsonExample, Numbers, Permission, Reason,
    ResourceId, ResourceKey, ResourceKind, ResourceTemplate, Result, Shortfall, Spec, StopFlag,
    Syntax, TextInput, Tool, ToolError, Value, examples, json, tool_entry, tool_error,
};
pub(crate) use tool_core::{Decode, Encode};

/// The default of an argument that names a folder: the workspace root.
pub(crate) fn default_root() -> String {
    ".".to_owned()
}

/// The default of a flag that is on.
pub(crate) fn default_true() -> bool {
    true
}

/// The argument at `pointer` as the one resource of a call.
pub(crate) const fn resource_template(
    kind: ResourceKind,
    pointer: &'static str,
    access: Access,
) -> ResourceTemplate {
    ResourceTemplate {
        kind,
        pointer,
        access,
    }
}

/// The parts of a path without empty ones and `.`.
pub(crate) fn path_parts(path: &str) -> impl Iterator<Item = &str> {
    path.split('/')
        .filter(|part| !part.is_empty() && *part != ".")
}

/// Adds the argument to an error.
pub(crate) trait AtPointer {
    /// Adds the JSON pointer of the argument to the error, unless it names one already.
    fn at(self, pointer: &str) -> Self;
}

impl<T> AtPointer for Result<T> {
    fn at(self, pointer: &str) -> Self {
        self.map_err(|err| match err.path() {
            None => err.at(pointer),
            Some(_) => err,
        })
    }
}
