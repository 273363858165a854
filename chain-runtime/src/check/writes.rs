//! Resources that earlier steps may write.

use tool_core::capability::folded;
use tool_core::{Access, ResourceKey, ResourceKind};

use super::checked::CheckedStep;

/// Writes that earlier steps may do.
#[derive(Default)]
pub(super) struct Written {
    keys: Vec<ResourceKey>,
    /// Whether one of them may write to any resource.
    anything: bool,
}

impl Written {
    pub(super) fn add(&mut self, step: &CheckedStep) {
        let before = self.keys.len();
        let writes = |key: &&ResourceKey| key.access == Access::Write;
        let found = step.resources.iter().filter(writes).cloned();
        self.keys.extend(found);
        self.anything |= !step.effects.is_empty() && self.keys.len() == before;
    }

    /// Whether one of these resources may be written by an earlier step.
    pub(super) fn touches(&self, read: &[ResourceKey]) -> bool {
        let path = |key: &ResourceKey| folded(key.name.trim_end_matches('/'));
        let within = |inner: &str, outer: &str| {
            let rest = inner.strip_prefix(outer);
            rest.is_some_and(|rest| outer.is_empty() || rest.is_empty() || rest.starts_with('/'))
        };
        let is_path = |key: &&ResourceKey| key.kind == ResourceKind::Path;
        let meet = |one: &ResourceKey, other: &ResourceKey| {
            let (one, other) = (path(one), path(other));
            within(&one, &other) || within(&other, &one)
        };
        self.anything
            || read.iter().filter(is_path).any(|one| {
                let mut written = self.keys.iter().filter(is_path);
                written.any(|other| meet(one, other))
            })
    }
}
