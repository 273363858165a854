//! Resources of a step with unknown arguments: those that are known, and those that must be assumed.

use tool_core::capability::{WorkspaceFiles, fold_file_name};
use tool_core::schema::Schema;
use tool_core::{
    Access, Capability, Determinism, ResourceKey, ResourceKind, Spec, ToolError, Value,
};

use super::checked::CheckedStep;
use crate::template::ArgumentNode;

/// Resources of a step.
#[derive(Debug, Default)]
pub(super) struct StepResources {
    /// The keys; an unknown path or host that is read stands for all of them.
    pub keys: Vec<ResourceKey>,
    /// Why the plan cannot be ordered by resources.
    pub unknown: Option<String>,
}

/// Whether a tool declares nothing from which an order follows.
pub(super) fn declares_nothing(spec: &Spec) -> bool {
    spec.effects.is_empty()
        && spec.permissions.is_empty()
        && spec.capabilities.is_empty()
        && spec.resources.is_empty()
        && spec.determinism == Determinism::External
}

/// The resources of a call with references in its arguments; `known` are those that follow from arguments that the plan holds.
///
/// # Errors
/// When a path in the plan is refused.
pub(super) fn of_open_call(
    spec: &Spec,
    schema: &Schema,
    args: &ArgumentNode,
    files: Option<&dyn WorkspaceFiles>,
    known: Option<Vec<ResourceKey>>,
) -> Result<StepResources, ToolError> {
    let mut found = StepResources::default();
    match (known, spec.keyed_by) {
        (Some(keys), _) => found.keys = keys,
        (None, Some(by)) if !spec.effects.is_empty() => {
            let is_open = |node: ArgumentNode| !node.is_literal();
            let open = |pointer: &&&str| args.pointer(pointer).is_some_and(is_open);
            found.unknown_at(by.iter().find(open).unwrap_or(&""));
        }
        (None, Some(_)) if spec.capabilities.contains(&Capability::Http) => {
            found
                .keys
                .push(ResourceKey::new(ResourceKind::Host, "", Access::Read));
        }
        _ => {}
    }
    for template in spec.resources {
        let key = |name: &str| ResourceKey::new(template.kind, name, template.access);
        match args.pointer(template.pointer) {
            Some(ArgumentNode::Literal(Value::String(name))) => {
                found.keys.push(normalise_path_key(key(&name), files)?);
            }
            Some(ArgumentNode::Literal(_)) => {} // null, or refused with the arguments
            Some(_) if template.access == Access::Read && template.kind == ResourceKind::Path => {
                found.keys.push(any_path());
            }
            Some(_) => found.unknown_at(template.pointer),
            None if refers_above(args, template.pointer) => found.unknown_at(template.pointer),
            None => {
                if let Some(name) = default_of(schema, template.pointer) {
                    found.keys.push(normalise_path_key(key(&name), files)?);
                }
            }
        }
    }
    let reads_files = spec.capabilities.contains(&Capability::FilesRead);
    if spec.resources.is_empty() && reads_files {
        found.keys.push(any_path());
    }
    each_source(args, &mut |path| {
        found.keys.push(match path {
            Some(path) => normalise_path_key(ResourceKey::read_path(path), files)?,
            None => any_path(),
        });
        Ok(())
    })?;
    found.keys.dedup();
    Ok(found)
}

impl StepResources {
    fn unknown_at(&mut self, pointer: &str) {
        self.unknown.get_or_insert_with(|| match pointer {
            "" => "names its resources only when it runs".to_owned(),
            _ => format!("names the resource at `{pointer}` only when it runs"),
        });
    }
}

/// The root of the workspace contains every path.
fn any_path() -> ResourceKey {
    ResourceKey::read_path("")
}

/// Normalizes the spelling of a path.
fn normalise_path_key(
    key: ResourceKey,
    files: Option<&dyn WorkspaceFiles>,
) -> Result<ResourceKey, ToolError> {
    if let (ResourceKind::Path, Some(files)) = (key.kind, files) {
        let id = files.identity(&key.name)?;
        return Ok(key.identified(id));
    }
    Ok(key)
}

/// Whether an argument above the pointer is a reference, so that the value at the pointer is unknown.
fn refers_above(args: &ArgumentNode, pointer: &str) -> bool {
    let is_open =
        |node: &ArgumentNode| matches!(node, ArgumentNode::Reference(_) | ArgumentNode::Format(_));
    let mut above = pointer.match_indices('/').skip(1);
    let is_open_at = |end: usize| {
        args.pointer(&pointer[..end])
            .is_some_and(|node| is_open(&node))
    };
    is_open(args) || above.any(|(end, _)| is_open_at(end))
}

/// The default that the schema states for an argument that is left out.
fn default_of(schema: &Schema, pointer: &str) -> Option<String> {
    let mut at = schema;
    for token in pointer.strip_prefix('/')?.split('/') {
        at = at.get("properties")?.get(token)?;
    }
    at.get("default")?.as_str().map(str::to_owned)
}

/// Visits every `$file` in the arguments: its path, or `None` when that is a reference.
pub(super) fn each_source(
    node: &ArgumentNode,
    visit: &mut dyn FnMut(Option<&str>) -> Result<(), ToolError>,
) -> Result<(), ToolError> {
    match node {
        ArgumentNode::Literal(value) => literal_sources(value, visit),
        ArgumentNode::Object(members) => {
            members
                .iter()
                .try_for_each(|(key, member)| match (&**key, member) {
                    ("$file", ArgumentNode::Literal(path)) => visit(path.as_str()),
                    ("$file", _) => visit(None),
                    _ => each_source(member, visit),
                })
        }
        ArgumentNode::Array(nodes) => nodes.iter().try_for_each(|node| each_source(node, visit)),
        ArgumentNode::Reference(_) | ArgumentNode::Format(_) => Ok(()),
    }
}

/// As [`each_source`], in a literal; its depth was checked with the plan's.
fn literal_sources(
    value: &Value,
    visit: &mut dyn FnMut(Option<&str>) -> Result<(), ToolError>,
) -> Result<(), ToolError> {
    match value {
        Value::Array(items) => items
            .iter()
            .try_for_each(|item| literal_sources(item, visit)),
        Value::Object(object) => object
            .iter()
            .try_for_each(|(key, member)| match (key, member) {
                ("$file", Value::String(path)) => visit(Some(path)),
                _ => literal_sources(member, visit),
            }),
        _ => Ok(()),
    }
}

/// Writes that earlier steps may do.
#[derive(Default)]
pub(super) struct EarlierWrites {
    keys: Vec<ResourceKey>,
    /// Whether one of them may write to any resource.
    anything: bool,
}

impl EarlierWrites {
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
                    .any(|other| is_path_overlap(&one.name, &other.name))
            })
    }
}

/// Whether one path is the other, or contains it; the root of the workspace contains every path.
fn is_path_overlap(one: &str, other: &str) -> bool {
    let path = |name: &str| {
        let name = fold_file_name(name.trim_end_matches('/'));
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
            assert!(
                is_path_overlap(one, other) && is_path_overlap(other, one),
                "{one} {other}"
            );
        }
        for (one, other) in [("plans", "plan"), ("a", "b/a"), (".git", "a")] {
            assert!(
                !is_path_overlap(one, other) && !is_path_overlap(other, one),
                "{one} {other}"
            );
        }
    }
}
