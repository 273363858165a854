//! Short schemas for models, made from the full ones.
//!
//! Alternatives of one value become one list of types; data that is not inline (`{"$file": ..}`) is the type `object` beside the
//! inline one. Only keywords that every provider reads stay.

use serde_json::{Map, Value as Json, json};
use tool_core::schema::{Schema, resolve_shared_definition};

use super::OfferDetail;
use super::text;

/// Names of an enum that a brief schema lists.
const NAMES_MAX: usize = 24;
/// Most parts of a result whose types a short schema has.
const PARTS_MAX: usize = 6;

/// The schema of arguments, and the names of those it leaves out.
pub(super) fn shorten_input_schema(
    full: &Schema,
    detail: OfferDetail,
    order: &[String],
    shown: &[String],
) -> (Schema, Vec<String>) {
    let required = string_items(&full["required"]);
    let properties = full["properties"].as_object().cloned().unwrap_or_default();
    let mut optional: Vec<&String> = properties
        .keys()
        .filter(|name| !required.contains(name))
        .collect();
    let place = |name: &String| {
        order
            .iter()
            .position(|one| one == name)
            .unwrap_or(usize::MAX)
    };
    optional.sort_by_key(|name| (!shown.contains(name), place(name)));
    let shown_count = optional.iter().filter(|name| shown.contains(name)).count();
    let kept_count = detail
        .extent()
        .optional
        .max(shown_count)
        .min(optional.len());
    let mut rare: Vec<String> = optional
        .split_off(kept_count)
        .into_iter()
        .cloned()
        .collect();
    rare.sort_by_key(&place);
    let shortener = SchemaShortener {
        detail,
        is_result: false,
    };
    let listed = properties.iter().filter(|(name, _)| !rare.contains(name));
    let listed = listed
        .map(|(name, property)| (name.clone(), shortener.short(property, 1)))
        .collect();
    (object_schema(listed, required), rare)
}

/// The schema of a result: any member may be absent, since a large result is cut to a summary, and an array may be a handle.
pub(super) fn shorten_output_schema(full: &Schema, detail: OfferDetail) -> Schema {
    let mut short = SchemaShortener {
        detail,
        is_result: true,
    }
    .short(full, 0);
    if let Some(members) = short.as_object_mut() {
        members.remove("required");
        members.remove("description");
    }
    if detail == OfferDetail::Brief
        && let Some(members) = short["properties"].as_object_mut()
    {
        // That a number may also be the text "NaN" decides no call, and of many parts the names are enough.
        let has_many = members.len() > PARTS_MAX;
        let is_untold = |member: &Json| match &member["type"] {
            Json::Array(_) => true,
            _ => has_many && member.as_object().is_some_and(|only| only.len() == 1),
        };
        for member in members.values_mut().filter(|member| is_untold(member)) {
            *member = json!({});
        }
    }
    short
}

fn object_schema(properties: Map<String, Json>, required: Vec<String>) -> Schema {
    let mut schema = json!({ "type": "object", "properties": properties });
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}

fn string_items(list: &Json) -> Vec<String> {
    let names = list
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Json::as_str);
    names.map(str::to_owned).collect()
}

/// The alternatives of a value, merged.
#[derive(Default)]
struct MergedSchema<'a> {
    types: Vec<&'static str>,
    names: Vec<Json>,
    /// Whether every alternative so far is a list of names.
    only_names: bool,
    /// Whether it is an element of a list of arguments.
    is_element: bool,
    items: Vec<&'a Schema>,
    properties: Option<(Map<String, Json>, Vec<String>)>,
    bounds: Map<String, Json>,
}

struct SchemaShortener {
    detail: OfferDetail,
    is_result: bool,
}

/// The types of JSON, as schemas name them.
const TYPES: [&str; 7] = [
    "array", "object", "string", "number", "integer", "boolean", "null",
];
/// Bounds that a whole schema keeps.
const BOUNDS: [&str; 6] = [
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minItems",
    "maxItems",
];

impl SchemaShortener {
    /// Levels of members that are described.
    fn levels(&self) -> usize {
        match (self.detail, self.is_result) {
            (OfferDetail::Brief, true) => 1,
            (detail, _) => detail.extent().levels,
        }
    }

    /// The members of an object.
    fn members(&self, full: &Schema, depth: usize) -> Map<String, Json> {
        let properties = full["properties"].as_object().into_iter().flatten();
        properties
            .map(|(name, property)| (name.clone(), self.short(property, depth + 1)))
            .collect()
    }

    /// One value.
    fn short(&self, full: &Schema, depth: usize) -> Json {
        let mut short = self.any_of(&[full], depth, false);
        let described = full["description"].as_str().filter(|text| !text.is_empty());
        if let Some(description) = described.and_then(|text| self.description(text)) {
            short.insert("description".to_owned(), description.into());
        }
        if let Some(default) = full
            .get("default")
            .filter(|default| self.keeps_default(default))
        {
            short.insert("default".to_owned(), default.clone());
        }
        Json::Object(short)
    }

    /// One value that any of the schemas allows.
    fn any_of(&self, full: &[&Schema], depth: usize, is_element: bool) -> Map<String, Json> {
        let mut merged = MergedSchema {
            only_names: true,
            is_element,
            ..MergedSchema::default()
        };
        full.iter()
            .for_each(|one| self.merge(one, depth, &mut merged));
        let items = match merged.items.as_slice() {
            [] => Map::new(),
            items => self.any_of(items, depth + 1, !self.is_result),
        };
        merged.into_schema(items, self.is_result)
    }

    fn description(&self, text: &str) -> Option<String> {
        match (self.detail, self.is_result) {
            (OfferDetail::Brief, true) => None,
            (detail, _) => Some(text::opening_sentences(
                text,
                detail.extent().argument_chars,
            )),
        }
    }

    fn keeps_default(&self, default: &Json) -> bool {
        !self.is_result && (default.is_number() || default.is_boolean() || default.is_string())
    }

    /// Adds what a schema allows.
    fn merge<'a>(&self, full: &'a Schema, depth: usize, merged: &mut MergedSchema<'a>) {
        if resolve_shared_definition(full).is_some() || is_source(full) {
            return merged.add_type("object");
        }
        for key in ["anyOf", "oneOf"] {
            if let Some(branches) = full[key].as_array() {
                branches
                    .iter()
                    .for_each(|branch| self.merge(branch, depth, merged));
                return;
            }
        }
        if let Some(name) = full.get("const") {
            return merged.names.push(name.clone());
        }
        if let Some(list) = full["enum"].as_array() {
            return merged
                .names
                .extend(list.iter().filter(|one| !one.is_null()).cloned());
        }
        let listed = match &full["type"] {
            Json::String(one) => vec![one.as_str()],
            Json::Array(several) => several.iter().filter_map(Json::as_str).collect(),
            // Any value.
            _ => TYPES
                .into_iter()
                .filter(|one| !["integer", "null"].contains(one))
                .collect(),
        };
        // An argument that is absent need not be null; an element of a list may have to be.
        let is_told = |name: &&str| *name != "null" || merged.is_element;
        let listed: Vec<&str> = listed.into_iter().filter(is_told).collect();
        for name in listed {
            merged.only_names = false;
            let known = TYPES.into_iter().find(|one| *one == name);
            merged.add_type(known.unwrap_or("object"));
            match name {
                "array" => {
                    let items = full.get("items").or_else(|| full["prefixItems"].get(0));
                    merged.items.extend(items.filter(|items| items.is_object()));
                }
                "object" => self.add_members(full, depth, merged),
                _ => {}
            }
        }
        if self.detail == OfferDetail::Whole && !self.is_result {
            let bounds = BOUNDS
                .iter()
                .filter_map(|key| Some(((*key).to_owned(), full.get(key)?.clone())));
            merged.bounds.extend(bounds);
        }
    }

    fn add_members(&self, full: &Schema, depth: usize, merged: &mut MergedSchema<'_>) {
        let has_members = full["properties"]
            .as_object()
            .is_some_and(|all| !all.is_empty());
        if has_members && depth < self.levels() {
            let required = match self.is_result {
                true => Vec::new(),
                false => string_items(&full["required"]),
            };
            let (all, common) = merged
                .properties
                .get_or_insert_with(|| (Map::new(), required.clone()));
            common.retain(|name| required.contains(name));
            for (name, member) in self.members(full, depth) {
                all.entry(name).or_insert(member);
            }
        }
    }
}

/// Whether the schema is of an object that names data elsewhere.
fn is_source(schema: &Schema) -> bool {
    let members = schema["properties"].as_object();
    members.is_some_and(|members| members.keys().any(|name| name.starts_with('$')))
}

impl MergedSchema<'_> {
    fn add_type(&mut self, name: &'static str) {
        let has = |one: &str| self.types.contains(&one);
        if has(name) || (name == "integer" && has("number")) {
            return;
        }
        if name == "number" {
            self.types.retain(|one| *one != "integer");
        }
        self.types.push(name);
    }

    fn into_schema(mut self, items: Map<String, Json>, is_result: bool) -> Map<String, Json> {
        let mut schema = Map::new();
        if !self.names.is_empty() {
            let text = self.names.iter().any(Json::is_string);
            self.add_type(if text { "string" } else { "number" });
            let is_listed =
                self.only_names && self.types.len() == 1 && self.names.len() <= NAMES_MAX;
            if is_listed && text && !is_result {
                self.names.retain(Json::is_string);
                schema.insert("enum".to_owned(), self.names.clone().into());
            }
        }
        if is_result && (self.types.len() > 3 || self.types.contains(&"array")) {
            return schema; // any value, or a handle instead of an array
        }
        let types = match self.types.as_slice() {
            [only] => json!(only),
            several => json!(several),
        };
        schema.insert("type".to_owned(), types);
        if self.types.contains(&"array") {
            schema.insert("items".to_owned(), items.into());
        }
        if let Some((properties, required)) = self.properties {
            schema.insert("properties".to_owned(), properties.into());
            if !required.is_empty() {
                schema.insert("required".to_owned(), json!(required));
            }
        }
        schema.extend(self.bounds);
        schema
    }
}
