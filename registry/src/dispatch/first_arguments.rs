//! What a call with the arguments of an approver keeps of those that its caller gave.

use tool_core::capability::EditedGrant;

/// Files that a call opens or can destroy, each with its content.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(in crate::dispatch) struct ShownFiles {
    /// Name and digest of what the arguments open.
    pub(in crate::dispatch) opened: Vec<(String, String)>,
    /// Path and content of what the call can destroy.
    pub(in crate::dispatch) destroyed: Vec<(String, String)>,
}

impl ShownFiles {
    /// Whether another call opens and destroys nothing beside these.
    pub(in crate::dispatch) fn covers(&self, other: &Self) -> bool {
        let opened = |file| self.opened.contains(file);
        let destroyed = |file| self.destroyed.contains(file);
        other.opened.iter().all(opened) && other.destroyed.iter().all(destroyed)
    }
}

/// What the trail of a call knows of the arguments that it had first.
pub(in crate::dispatch) struct FirstArguments {
    /// Digest of the caller's arguments.
    pub(in crate::dispatch) digest: String,
    pub(in crate::dispatch) grant: EditedGrant,
    pub(in crate::dispatch) shown: ShownFiles,
}
