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
        let is_path = |key: &&ResourceKey| key.kind == ResourceKind::Path;
        let mut written = self.keys.iter().filter(is_path);
        self.anything
            || written.any(|one| {
                read.iter()
                    .filter(is_path)
                    .any(|other| overlap(&one.name, &other.name))
            })
    }
}

/// Whether one path is the other, or contains it; the root of the workspace contains every path.
fn overlap(one: &str, other: &str) -> bool {
    let path = |name: &str| {
        let name = folded(name.trim_end_matches('/'));
        if name == "." { String::new() } else { name }
    };
    let within = |inner: &str, outer: &str| {
        let rest = inner.strip_prefix(outer);
        rest.is_some_and(|rest| outer.is_empty() || rest.is_empty() || rest.starts_with('/'))
    };
    let (one, other) = (path(one), path(other));
    within(&one, &other) || within(&other, &one)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_of_the_workspace_contains_every_path() {
        for (one, other) in [
            (".", "plans/a.yaml"),
            ("", "a"),
            ("plans/", "plans/a.yaml"),
            ("a", "a"),
        ] {
            assert!(overlap(one, other) && overlap(other, one), "{one} {other}");
        }
        for (one, other) in [("plans", "plan"), ("a", "b/a"), (".git", "a")] {
            assert!(
                !overlap(one, other) && !overlap(other, one),
                "{one} {other}"
            );
        }
    }
}
