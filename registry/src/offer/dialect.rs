//! The dialects of model providers: how each wants a tool declared, and what it refuses.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};
use tool_core::names;
use tool_core::schema::Schema;

use super::ToolOffer;

names! {
    /// A provider's declaration of tools.
    Dialect {
        /// Functions of the chat completions interface.
        Openai = "openai",
        /// Tools of the messages interface.
        Anthropic = "anthropic",
        /// Function declarations.
        Gemini = "gemini",
        /// Tools of the Model Context Protocol.
        Mcp = "mcp",
    }
}

/// Says in the metadata of a tool that a client that loads tools on demand has it from the start.
const ALWAYS_LOAD: &str = "anthropic/alwaysLoad";

/// Keywords of schemas that a dialect takes; any other is refused by a provider or ignored.
const KEYWORDS: [&str; 13] = [
    "type",
    "properties",
    "required",
    "items",
    "enum",
    "description",
    "default",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minItems",
    "maxItems",
];
const KEYWORDS_GEMINI: [&str; 10] = [
    "type",
    "properties",
    "required",
    "items",
    "enum",
    "description",
    "anyOf",
    "minimum",
    "maximum",
    "nullable",
];

impl Dialect {
    /// The declaration of a list of tools.
    pub fn declare(self, tools: &[ToolOffer]) -> Json {
        let each = tools.iter().map(|tool| self.tool(tool)).collect::<Vec<_>>();
        match self {
            Self::Openai | Self::Anthropic => each.into(),
            Self::Gemini => json!([{ "functionDeclarations": each }]),
            Self::Mcp => json!({ "tools": each }),
        }
    }

    /// The declaration of one tool.
    pub fn tool(self, tool: &ToolOffer) -> Json {
        let ToolOffer {
            name,
            title,
            description,
            output,
            hints,
            ..
        } = tool;
        let input = self.schema(&tool.input);
        match self {
            Self::Openai => json!({
                "type": "function",
                "function": { "name": name, "description": description, "parameters": input },
            }),
            Self::Anthropic => {
                json!({ "name": name, "description": description, "input_schema": input })
            }
            Self::Gemini => {
                json!({ "name": name, "description": description, "parameters": input })
            }
            Self::Mcp => {
                let mut declared = json!({
                    "name": name, "title": title, "description": description, "inputSchema": input, "outputSchema": output,
                });
                let hints: BTreeMap<&str, bool> = hints.members().into_iter().collect();
                if !hints.is_empty() {
                    declared["annotations"] = json!(hints);
                }
                if super::ALWAYS_LOADED.contains(&name.as_str()) {
                    declared["_meta"] = json!({ ALWAYS_LOAD: true });
                }
                declared
            }
        }
    }

    fn keywords(self) -> &'static [&'static str] {
        match self {
            Self::Gemini => &KEYWORDS_GEMINI,
            Self::Openai | Self::Anthropic | Self::Mcp => &KEYWORDS,
        }
    }

    /// A schema in this dialect.
    fn schema(self, schema: &Schema) -> Schema {
        let Some(members) = schema.as_object() else {
            return schema.clone();
        };
        let mut adapted = Map::new();
        for (key, value) in members
            .iter()
            .filter(|(key, _)| self.keywords().contains(&key.as_str()))
        {
            let value = match (key.as_str(), value) {
                ("properties", Json::Object(all)) => all
                    .iter()
                    .map(|(name, one)| (name.clone(), self.schema(one)))
                    .collect(),
                ("items", one) => self.schema(one),
                _ => value.clone(),
            };
            adapted.insert(key.clone(), value);
        }
        if self == Self::Gemini {
            split_types(&mut adapted);
        }
        Json::Object(adapted)
    }
}

/// Turns a list of types into alternatives, and gives every value a type.
fn split_types(schema: &mut Map<String, Json>) {
    const OF_ONE: [(&str, &[&str]); 2] = [
        ("array", &["items"]),
        ("object", &["properties", "required"]),
    ];
    let types = match schema.get("type") {
        Some(Json::Array(types)) => types.clone(),
        Some(_) => return fill_items(schema),
        None => vec!["string".into()],
    };
    let mut branches = Vec::new();
    for one in types {
        let mut branch = Map::from_iter([("type".to_owned(), one.clone())]);
        let own = OF_ONE
            .iter()
            .find(|(name, _)| one == *name)
            .map_or(&[][..], |(_, keys)| keys);
        branch.extend(
            own.iter()
                .filter_map(|key| Some(((*key).to_owned(), schema.get(*key)?.clone()))),
        );
        fill_items(&mut branch);
        branches.push(Json::Object(branch));
    }
    let description = schema.remove("description");
    schema.clear();
    match branches.as_mut_slice() {
        [Json::Object(only)] => schema.append(only),
        _ => drop(schema.insert("anyOf".to_owned(), branches.into())),
    }
    schema.extend(description.map(|text| ("description".to_owned(), text)));
}

fn fill_items(schema: &mut Map<String, Json>) {
    let is_array = schema.get("type").is_some_and(|one| one == "array");
    let has_items = schema
        .get("items")
        .is_some_and(|items| items.as_object().is_some_and(|items| !items.is_empty()));
    if is_array && !has_items {
        schema.insert("items".to_owned(), json!({ "type": "string" }));
    }
}

/// Limits of a provider.
struct ProviderLimits {
    name_chars: usize,
    description_chars: usize,
    depth: usize,
    tools: usize,
}

impl Dialect {
    fn limits(self) -> ProviderLimits {
        match self {
            Self::Openai => ProviderLimits {
                name_chars: 64,
                description_chars: 1024,
                depth: 10,
                tools: 128,
            },
            Self::Anthropic => ProviderLimits {
                name_chars: 64,
                description_chars: 10_000,
                depth: 16,
                tools: 1000,
            },
            Self::Gemini => ProviderLimits {
                name_chars: 64,
                description_chars: 1024,
                depth: 8,
                tools: 128,
            },
            // Hosts put `mcp__mathchain__` before the name.
            Self::Mcp => ProviderLimits {
                name_chars: 48,
                description_chars: 2048,
                depth: 16,
                tools: 1000,
            },
        }
    }
}

/// Everything in a list of tools that a provider would refuse.
pub fn dialect_faults(tools: &[ToolOffer], dialect: Dialect) -> Vec<String> {
    let limits = dialect.limits();
    let mut faults = Vec::new();
    if tools.len() > limits.tools {
        faults.push(format!(
            "{} tools, the provider takes {}",
            tools.len(),
            limits.tools
        ));
    }
    for tool in tools {
        let name = &tool.name;
        let mut report = |what: String| faults.push(format!("`{name}`: {what}"));
        let letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        if name.len() > limits.name_chars || !name.bytes().all(letter) || name.is_empty() {
            report("the name does not fit [a-z0-9_]".to_owned());
        }
        let chars = tool.description.chars().count();
        if chars == 0 || chars > limits.description_chars {
            report(format!(
                "the description has {chars} characters, expected 1 to {}",
                limits.description_chars
            ));
        }
        let input = dialect.schema(&tool.input);
        if input["type"] != "object" {
            report("the schema is not of an object".to_owned());
        }
        check_schema_dialect(&input, "", limits.depth, dialect, &mut report);
    }
    faults
}

fn check_schema_dialect(
    schema: &Schema,
    at: &str,
    depth_left: usize,
    dialect: Dialect,
    report: &mut impl FnMut(String),
) {
    let Some(members) = schema.as_object() else {
        return report(format!("`{at}` is not a schema"));
    };
    if depth_left == 0 {
        return report(format!("`{at}` is nested too deeply"));
    }
    for key in members
        .keys()
        .filter(|key| !dialect.keywords().contains(&key.as_str()))
    {
        report(format!("`{at}` has the keyword `{key}`"));
    }
    let types: Vec<&str> = match &schema["type"] {
        Json::String(one) => vec![one],
        Json::Array(all) => all.iter().filter_map(Json::as_str).collect(),
        _ => Vec::new(),
    };
    // Items of any kind are the one value without a type.
    if types.is_empty() && schema.get("anyOf").is_none() && !at.ends_with("/items") {
        report(format!("`{at}` has no type"));
    }
    if types.contains(&"array") && schema.get("items").is_none() {
        report(format!("`{at}` is an array without items"));
    }
    if schema["enum"]
        .as_array()
        .is_some_and(|names| names.is_empty() || !names.iter().all(Json::is_string))
    {
        report(format!("`{at}` has an enum that is not of texts"));
    }
    let properties = schema["properties"].as_object();
    for name in schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Json::as_str)
    {
        if !properties.is_some_and(|all| all.contains_key(name)) {
            report(format!("`{at}` requires `{name}`, which it does not have"));
        }
    }
    for (name, one) in properties.into_iter().flatten() {
        check_schema_dialect(
            one,
            &format!("{at}/{name}"),
            depth_left - 1,
            dialect,
            report,
        );
    }
    for one in schema["anyOf"].as_array().into_iter().flatten() {
        check_schema_dialect(one, at, depth_left, dialect, report);
    }
    if let Some(items) = schema.get("items") {
        check_schema_dialect(
            items,
            &format!("{at}/items"),
            depth_left - 1,
            dialect,
            report,
        );
    }
}
