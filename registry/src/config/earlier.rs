//! Files of earlier systems that a configuration names: roles as an index or as flat permissions, and indices of tools.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use tool_core::Category;
use tool_core::nearest::nearest;

use super::part::{Part, Table};
use crate::aliases::Aliases;
use crate::catalogue::Catalogue;
use crate::document::{self, Format};
use crate::error::{LoadError, Place};
use crate::model::Config;
use crate::model::{EarlierFiles, NamedFile};
use crate::model::{Role, Selector, Tools};
use crate::policy::{Group, RolePermissions, components, resolve_selector};

/// Reads which files there are.
pub(super) fn files(part: Part<'_>) -> EarlierFiles {
    let Some(mut table) = part.into_table(&["roles", "tools"]) else {
        return EarlierFiles::default();
    };
    EarlierFiles {
        roles: named(&mut table, "roles"),
        tools: named(&mut table, "tools"),
    }
}

fn named(table: &mut Table<'_>, key: &str) -> Vec<NamedFile> {
    let listed = table.selectors(key).unwrap_or_default();
    for path in &listed {
        let inside = components(&path.text).is_some_and(|parts| !parts.is_empty());
        if !inside {
            table.report(format!(
                "expected paths of files below the folder of this file, found `{}`",
                path.text
            ));
        }
    }
    let unread = Err("nobody handed it in".to_owned());
    let file = |path| NamedFile {
        path,
        text: unread.clone(),
    };
    listed.into_iter().map(file).collect()
}

/// What the files say.
#[derive(Default)]
pub(crate) struct Earlier {
    pub(crate) roles: Vec<Role>,
    /// What does not hold here, and is no error.
    pub(crate) notes: Vec<LoadError>,
}

/// Reads the files of a configuration; what is wrong with any of them is added to the errors.
pub(crate) fn load(catalogue: &Catalogue, config: &Config, errors: &mut Vec<LoadError>) -> Earlier {
    let mut earlier = Earlier::default();
    let mut index = BTreeMap::new();
    for file in &config.files.tools {
        read(file, errors, |top| {
            let Some(mut top) = top.into_table(&["version", "generatedAt", "tools"]) else {
                return;
            };
            top.text("generatedAt");
            top.need("tools", "expected `tools`, a list");
            top.each("tools", |part| indexed(part, &mut index));
        });
    }
    for (id, tool) in &index {
        let own = catalogue.get(id).filter(|_| tool.mutates == Some(false));
        if own.is_some_and(|own| Group::Write.contains(own.spec())) {
            let message = format!("`{id}` changes nothing by this index, and can here");
            earlier
                .notes
                .push(LoadError::new(Some(&tool.place), message));
        }
    }
    let mut roles = Vec::new();
    for file in &config.files.roles {
        read(file, errors, |top| {
            let Some(mut top) = top.into_table(&["version", "roles"]) else {
                return;
            };
            top.need(
                "roles",
                "expected `roles`: a list with `toolIds`, or a table of flat permissions",
            );
            top.within("roles", |mut part| {
                if part.value.as_object().is_some() {
                    part.members(|name, part| roles.extend(flat(name, part)));
                } else {
                    part.items(|part| roles.extend(of_index(part)));
                }
            });
        });
    }
    for (position, role) in roles.iter().enumerate() {
        let before = config.roles.iter().chain(&roles[..position]);
        if before
            .map(|other| &other.name)
            .any(|name| *name == role.name)
        {
            let message = format!("two roles are named `{}`", role.name);
            errors.push(LoadError::new(role.place.as_ref(), message));
        }
    }
    let resolved = |role: Role| here(catalogue, &index, role, &mut earlier.notes, errors);
    earlier.roles = roles.into_iter().map(resolved).collect();
    let of_files = config.roles.iter().chain(&earlier.roles);
    let mut known: Vec<String> = of_files.map(|role| role.name.clone()).collect();
    known.extend(crate::policy::built_in_roles().map(str::to_owned));
    for role in index.values().flat_map(|tool| &tool.roles) {
        if !known.contains(&role.text) {
            let message = format!("no role named `{}`", role.text);
            let error = LoadError::new(role.place.as_ref(), message);
            errors.push(error.nearest(&role.text, known.iter().map(String::as_str)));
        }
    }
    earlier
}

fn read(file: &NamedFile, errors: &mut Vec<LoadError>, part: impl FnOnce(Part<'_>)) {
    let path = &file.path.text;
    let text = match &file.text {
        Ok(text) => text,
        Err(why) => {
            let message = format!("`{path}` cannot be read: {why}");
            return errors.push(LoadError::new(file.path.place.as_ref(), message));
        }
    };
    match document::parse(path, text, Format::of_name(path)) {
        Ok(document) => {
            errors.extend(document.secrets());
            part(Part::root(&document, errors));
        }
        Err(faults) => errors.extend(faults.into_list()),
    }
}

/// A tool as an index has it.
pub(super) struct Indexed {
    mutates: Option<bool>,
    roles: Vec<Selector>,
    place: Place,
}

pub(super) fn indexed(part: Part<'_>, index: &mut BTreeMap<String, Indexed>) {
    let place = part.place();
    let keys = [
        "id",
        "name",
        "description",
        "category",
        "mutates",
        "parameters",
        "roles",
    ];
    let Some(mut table) = part.into_table(&keys) else {
        return;
    };
    table.need("id", "a tool needs its `id`");
    for key in ["name", "description", "category"] {
        table.text(key);
    }
    table.within("parameters", |mut part| {
        if part.value.as_object().is_none() {
            let kind = part.value.kind();
            part.report(format!("expected a JSON Schema, found {kind}"), None);
        }
    });
    let tool = Indexed {
        mutates: table.truth("mutates"),
        roles: table.selectors("roles").unwrap_or_default(),
        place,
    };
    let Some(id) = table.text("id") else { return };
    match index.entry(id) {
        Entry::Occupied(known) => {
            table.report(format!("two tools have the id `{}`", known.key()));
        }
        Entry::Vacant(free) => drop(free.insert(tool)),
    }
}

/// A role of an index. Its model and its prompt are for whoever runs an agent: nothing here uses them.
pub(super) fn of_index(part: Part<'_>) -> Option<Role> {
    let place = part.place();
    let mut table = part.into_table(&[
        "id",
        "name",
        "description",
        "toolIds",
        "model",
        "systemPrompt",
        "createdAt",
        "updatedAt",
    ])?;
    table.need("id", "a role needs its `id`");
    table.need(
        "toolIds",
        "a role needs its `toolIds`; an empty list selects nothing",
    );
    for key in ["name", "systemPrompt", "createdAt", "updatedAt"] {
        table.text(key);
    }
    table.within("model", |part| {
        let keys = ["provider", "model", "temperature", "maxTokens", "options"];
        let Some(mut table) = part.into_table(&keys) else {
            return;
        };
        table.text("provider");
        table.text("model");
        table.number("temperature");
        table.positive("maxTokens");
    });
    let (description, tools) = (table.text("description"), table.selectors("toolIds"));
    Some(Role {
        name: table.text("id")?,
        description: description.unwrap_or_default(),
        tools: Tools::List(tools.unwrap_or_default()),
        deny: Vec::new(),
        place: Some(place),
    })
}

/// A role of a table of flat permissions.
pub(super) fn flat(name: String, part: Part<'_>) -> Option<Role> {
    let place = part.place();
    let mut table = part.into_table(&[
        "web_access",
        "allowed_categories",
        "allowed_tools",
        "forbidden_tools",
    ])?;
    let mut permissions = RolePermissions {
        web_access: table.truth("web_access").unwrap_or(false),
        allowed_categories: Vec::new(),
        allowed_tools: table.selectors("allowed_tools").unwrap_or_default(),
        forbidden_tools: table.selectors("forbidden_tools").unwrap_or_default(),
    };
    table.each("allowed_categories", |mut part| {
        let Some(text) = part.as_text() else { return };
        // Tools for files are of the category `system` here.
        let wanted = if text == "file" { "system" } else { &text };
        match Category::parse(wanted) {
            Some(category) => permissions.allowed_categories.push(category),
            None => part.report(
                format!("no category named `{text}`"),
                nearest(&text, Category::ALL.iter().map(|known| known.as_str())),
            ),
        }
    });
    let layer = permissions.to_layer(&name);
    Some(Role {
        name,
        description: String::new(),
        tools: Tools::List(layer.allow.unwrap_or_default()),
        deny: layer.deny,
        place: Some(place),
    })
}

/// The role without the tools that an index knows and that are not here; a tool that nobody knows is an error.
fn here(
    catalogue: &Catalogue,
    index: &BTreeMap<String, Indexed>,
    mut role: Role,
    notes: &mut Vec<LoadError>,
    errors: &mut Vec<LoadError>,
) -> Role {
    let mut missing = Vec::new();
    let mut sift = |list: &mut Vec<Selector>| {
        list.retain(|tool| {
            let Err(error) = resolve_selector(tool, catalogue) else {
                return true;
            };
            if index.contains_key(&tool.text) {
                missing.push(format!("`{}`", tool.text));
            } else {
                errors.push(match error.hint {
                    Some(_) => error,
                    None => {
                        let aliases = Aliases::built_in().general().map(|(name, _)| name);
                        error.nearest(&tool.text, index.keys().map(String::as_str).chain(aliases))
                    }
                });
            }
            false
        });
    };
    if let Tools::List(list) = &mut role.tools {
        sift(list);
    }
    sift(&mut role.deny);
    if !missing.is_empty() {
        let message = format!(
            "role `{}`: not here, and so never called: {}",
            role.name,
            missing.join(", ")
        );
        notes.push(LoadError::new(role.place.as_ref(), message));
    }
    role
}
