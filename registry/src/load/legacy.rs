//! Files of earlier systems that a configuration names: roles as an index or as flat permissions, and indices of tools.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use tool_core::{Decode, Describe, Effect, Value};

use crate::aliases::ToolAliases;
use crate::catalogue::Catalogue;
use crate::document::{self, DocumentFormat, ParsedDocument};
use crate::error::{LoadError, TextPlace};
use crate::model::{Config, Level, NamedFile, NamedTable, PolicyLayer, Role, ToolSelector};
use crate::policy::{ToolGroup, built_in_roles, resolve_selector};

/// Categories by the names that earlier systems gave them; all others are ours.
const CATEGORIES: [(&str, &str); 1] = [("file", "system")];

/// An index of tools. Only what policy compares is used.
#[derive(Debug, Decode, Describe)]
#[value(rename_all = "camelCase")]
struct ToolIndex {
    /// Version of the format, of any kind
    #[value(default, rename = "version")]
    _version: Value,
    /// Time of creation
    #[value(default, rename = "generatedAt")]
    _generated_at: Option<String>,
    /// Categories that its tools may have
    #[value(default)]
    categories: Vec<IndexedCategory>,
    /// Its tools; a file may have categories alone
    #[value(default)]
    tools: Vec<IndexedTool>,
}

/// A category of an index.
#[derive(Debug, Decode, Describe)]
struct IndexedCategory {
    /// Id of the category
    id: String,
    #[value(default, rename = "name")]
    _name: Option<String>,
    #[value(default, rename = "description")]
    _description: Option<String>,
    #[value(default, rename = "order")]
    _order: Option<i64>,
    #[value(rename = "$place", default)]
    place: Option<TextPlace>,
}

/// A tool of an index.
#[derive(Debug, Decode, Describe)]
pub(super) struct IndexedTool {
    /// Id of the tool
    id: String,
    #[value(default, rename = "name")]
    _name: Option<String>,
    #[value(default, rename = "description")]
    _description: Option<String>,
    /// Id of a category; one of those listed, where any are
    #[value(default)]
    category: Option<String>,
    /// Whether it changes anything
    #[value(default)]
    mutates: Option<bool>,
    #[value(default, rename = "effects")]
    _effects: Vec<Effect>,
    #[value(default, rename = "parameters")]
    _parameters: BTreeMap<String, Value>,
    /// Roles that may call it
    #[value(default)]
    roles: Vec<ToolSelector>,
    #[value(rename = "$place", default)]
    place: Option<TextPlace>,
}

/// An index of roles.
#[derive(Debug, Decode, Describe)]
struct RoleIndex {
    #[value(default, rename = "version")]
    _version: Value,
    roles: Vec<IndexedRole>,
}

/// A role of an index. Model and prompt are settings of other programs: only their form is checked.
#[derive(Debug, Decode, Describe)]
#[value(rename_all = "camelCase")]
pub(super) struct IndexedRole {
    /// Id of the role
    id: String,
    #[value(default, rename = "name")]
    _name: Option<String>,
    #[value(default)]
    description: String,
    /// Ids of its tools; an empty or absent list selects nothing
    #[value(default)]
    tool_ids: Vec<ToolSelector>,
    #[value(default, rename = "model")]
    _model: IndexedModel,
    #[value(default, rename = "systemPrompt")]
    _system_prompt: Option<String>,
    #[value(default, rename = "createdAt")]
    _created_at: Option<String>,
    #[value(default, rename = "updatedAt")]
    _updated_at: Option<String>,
    #[value(rename = "$place", default)]
    place: Option<TextPlace>,
}

/// The model of a role.
#[derive(Debug, Default, Decode, Describe)]
#[value(default, rename_all = "camelCase")]
struct IndexedModel {
    #[value(rename = "provider")]
    _provider: Option<String>,
    #[value(rename = "model")]
    _model: Option<String>,
    #[value(rename = "temperature")]
    _temperature: Option<f64>,
    #[value(rename = "maxTokens")]
    #[schema(range(min = 1))]
    _max_tokens: Option<u64>,
    #[value(rename = "options")]
    _options: Value,
}

/// A table of flat permissions.
#[derive(Debug, Decode, Describe)]
struct FlatRoles {
    #[value(default, rename = "version")]
    _version: Value,
    roles: NamedTable<RolePermissions>,
}

/// Flat permissions of a role: forbidden tools win, then the listed tools, then the categories, of which `web` also needs
/// `web_access`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Decode, Describe)]
#[value(default)]
pub struct RolePermissions {
    /// The key of its table.
    #[value(rename = "$name")]
    pub name: String,
    /// Purpose of the role, for lists
    pub description: String,
    /// Whether the category `web` counts
    pub web_access: bool,
    /// Categories whose tools are allowed
    pub allowed_categories: Vec<ToolSelector>,
    /// Tools that are allowed whatever their category
    pub allowed_tools: Vec<ToolSelector>,
    /// Tools that are never allowed
    pub forbidden_tools: Vec<ToolSelector>,
    /// Source location.
    #[value(rename = "$place")]
    pub place: Option<TextPlace>,
}

impl RolePermissions {
    /// The same permissions as a layer; those that grant nothing give a layer that allows nothing.
    pub fn to_layer(&self) -> PolicyLayer {
        let categories = self.allowed_categories.iter();
        let categories = categories.filter(|category| category.text != "web" || self.web_access);
        let categories = categories.map(|category| {
            let name = category.text.as_str();
            let renamed = CATEGORIES.iter().find(|(theirs, _)| *theirs == name);
            let name = renamed.map_or(name, |(_, ours)| ours);
            ToolSelector {
                text: format!("category:{name}"),
                place: category.place.clone(),
            }
        });
        let mut layer = PolicyLayer::new(Level::Role, self.name.as_str());
        let tools = self.allowed_tools.iter().cloned();
        layer.allow = Some(tools.chain(categories).collect());
        layer.deny.clone_from(&self.forbidden_tools);
        layer
    }
}

/// Roles of the files, and what does not hold here without being an error.
#[derive(Default)]
pub(super) struct LegacyRoles {
    pub(super) roles: Vec<Role>,
    pub(super) notes: Vec<LoadError>,
}

/// Reads the files of a configuration; errors are added to the list.
pub(super) fn load_legacy_files(
    catalogue: &Catalogue,
    config: &Config,
    errors: &mut Vec<LoadError>,
) -> LegacyRoles {
    let mut loaded = LegacyRoles::default();
    let mut index: BTreeMap<String, IndexedTool> = BTreeMap::new();
    let read = config.files.tools.iter();
    let read: Vec<ToolIndex> = read
        .filter_map(|file| decode_named_file(file, errors))
        .collect();
    check_categories(&read, errors);
    for read in read {
        for tool in read.tools {
            match index.entry(tool.id.clone()) {
                Entry::Occupied(known) => {
                    let message = format!("two tools have the id `{}`", known.key());
                    errors.push(LoadError::new(tool.place.as_ref(), message));
                }
                Entry::Vacant(free) => drop(free.insert(tool)),
            }
        }
    }
    for (id, tool) in &index {
        let own = catalogue.get(id).filter(|_| tool.mutates == Some(false));
        if own.is_some_and(|own| ToolGroup::Write.contains(own.spec())) {
            let message = format_args!("`{id}` changes nothing by this index, but can here");
            loaded
                .notes
                .push(LoadError::new(tool.place.as_ref(), message));
        }
    }
    let mut roles = Vec::new();
    for file in &config.files.roles {
        roles.extend(roles_of(file, errors));
    }
    for (position, role) in roles.iter().enumerate() {
        let mut before = config.roles.iter().chain(&roles[..position]);
        if before.any(|other| other.name == role.name) {
            let message = format!("two roles are named `{}`", role.name);
            errors.push(LoadError::new(role.place.as_ref(), message));
        }
    }
    for role in roles {
        let role = drop_indexed_tools(catalogue, &index, role, &mut loaded.notes, errors);
        loaded.roles.push(role);
    }
    if index.is_empty() {
        return loaded;
    }
    let mut known: Vec<&str> = built_in_roles().collect();
    let of_files = config.roles.iter().chain(&loaded.roles);
    known.extend(of_files.map(|role| role.name.as_str()));
    let aliases = ToolAliases::built_in();
    for role in index.values().flat_map(|tool| &tool.roles) {
        let name = aliases.role(&role.text).unwrap_or(&role.text);
        if !known.contains(&role.text.as_str()) && !known.contains(&name) {
            errors.push(role.unknown("role", known.iter().copied()));
        }
    }
    loaded
}

/// Two categories with one id; where any are listed, tools with another.
fn check_categories(read: &[ToolIndex], errors: &mut Vec<LoadError>) {
    let mut known: Vec<&str> = Vec::new();
    for category in read.iter().flat_map(|read| &read.categories) {
        if known.contains(&category.id.as_str()) {
            let message = format!("two categories have the id `{}`", category.id);
            errors.push(LoadError::new(category.place.as_ref(), message));
        }
        known.push(&category.id);
    }
    for tool in read.iter().flat_map(|read| &read.tools) {
        if let Some(category) = &tool.category
            && !known.is_empty()
            && !known.contains(&category.as_str())
        {
            let message = format!("no category has the id `{category}`");
            let error = LoadError::new(tool.place.as_ref(), message);
            errors.push(error.nearest(category, known.iter().copied()));
        }
    }
}

/// The roles of a file, which is an index or a table of flat permissions.
fn roles_of(file: &NamedFile, errors: &mut Vec<LoadError>) -> Vec<Role> {
    let Some(document) = parse_named_file(file, errors) else {
        return Vec::new();
    };
    if matches!(document.value.get("roles"), Some(Value::Object(_))) {
        let flat: Option<FlatRoles> = document::read_typed(&document, errors);
        let flat = flat.into_iter().flat_map(|flat| flat.roles.0);
        let role = |flat: RolePermissions| {
            let layer = flat.to_layer();
            Role {
                name: flat.name,
                description: flat.description,
                tools: layer.allow,
                deny: layer.deny,
                place: flat.place,
                ..Role::default()
            }
        };
        return flat.map(role).collect();
    }
    let index: Option<RoleIndex> = document::read_typed(&document, errors);
    let roles = index.into_iter().flat_map(|index| index.roles);
    let role = |role: IndexedRole| Role {
        name: role.id,
        description: role.description,
        tools: Some(role.tool_ids),
        place: role.place,
        ..Role::default()
    };
    roles.map(role).collect()
}

fn parse_named_file(file: &NamedFile, errors: &mut Vec<LoadError>) -> Option<ParsedDocument> {
    let path = &file.path.text;
    let parsed = match &file.text {
        Ok(text) => document::parse_document(path, text, DocumentFormat::of_name(path)),
        Err(why) => {
            let message = format_args!("cannot read `{path}`: {why}");
            errors.push(file.path.error(message));
            return None;
        }
    };
    match parsed {
        Ok(document) => {
            errors.extend(document.secrets());
            Some(document)
        }
        Err(found) => {
            errors.extend(found.into_list());
            None
        }
    }
}

fn decode_named_file<T: Decode + Describe + 'static>(
    file: &NamedFile,
    errors: &mut Vec<LoadError>,
) -> Option<T> {
    document::read_typed(&parse_named_file(file, errors)?, errors)
}

/// The role without the tools that only an index knows; a tool that neither knows is an error.
fn drop_indexed_tools(
    catalogue: &Catalogue,
    index: &BTreeMap<String, IndexedTool>,
    mut role: Role,
    notes: &mut Vec<LoadError>,
    errors: &mut Vec<LoadError>,
) -> Role {
    let mut missing = Vec::new();
    let mut sift = |list: &mut Vec<ToolSelector>| {
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
                        let aliases = ToolAliases::built_in().general().map(|(name, _)| name);
                        error.nearest(&tool.text, index.keys().map(String::as_str).chain(aliases))
                    }
                });
            }
            false
        });
    };
    if let Some(list) = &mut role.tools {
        sift(list);
    }
    sift(&mut role.deny);
    if !missing.is_empty() {
        let (name, missing) = (&role.name, missing.join(", "));
        let message = format_args!("role `{name}`: tools that do not exist here: {missing}");
        notes.push(LoadError::new(role.place.as_ref(), message));
    }
    role
}
