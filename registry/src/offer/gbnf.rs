//! A grammar (GBNF, as llama.cpp reads it) of calls: `{"name": .., "arguments": {..}}`.

use std::collections::BTreeMap;

use serde_json::Value as Json;
use tool_core::schema::Schema;

use super::ToolOffer;

const BASE: &str = r#"value ::= object | array | string | number | boolean | "null"
object ::= "{" ws ( member ( "," ws member )* )? "}" ws
member ::= string ":" ws value
array ::= "[" ws ( value ( "," ws value )* )? "]" ws
string ::= "\"" ( [^"\\\x7F\x00-\x1F] | "\\" ( ["\\bfnrt/] | "u" [0-9a-fA-F]{4} ) )* "\"" ws
number ::= integer-part ( "." [0-9]+ )? ( [eE] [-+]? [0-9]+ )? ws
integer ::= integer-part ws
integer-part ::= "-"? ( "0" | [1-9] [0-9]{0,15} )
boolean ::= ( "true" | "false" ) ws
ws ::= [ \t\n]{0,20}
"#;

/// The grammar of one call of any of the tools.
pub fn tool_call_grammar(tools: &[ToolOffer]) -> String {
    let mut grammar = GbnfGrammar {
        rules: BTreeMap::new(),
    };
    let mut calls = Vec::new();
    for tool in tools {
        let rule = tool.name.replace('_', "-");
        let arguments = grammar.schema(&tool.input, &format!("{rule}-args"));
        let call = format!(
            r#""{{" ws {name} ":" ws {value} "," ws {args} ":" ws {arguments} "}}" ws"#,
            name = grammar_literal("name"),
            value = grammar_literal(&tool.name),
            args = grammar_literal("arguments"),
        );
        grammar.rules.insert(rule.clone(), call);
        calls.push(rule);
    }
    let rules = grammar
        .rules
        .iter()
        .map(|(name, rule)| format!("{name} ::= {rule}\n"));
    format!(
        "root ::= {}\n{}{BASE}",
        calls.join(" | "),
        rules.collect::<String>()
    )
}

struct GbnfGrammar {
    rules: BTreeMap<String, String>,
}

impl GbnfGrammar {
    /// An expression for a schema; objects get a rule of the given name.
    fn schema(&mut self, schema: &Schema, name: &str) -> String {
        if let Some(names) = schema["enum"].as_array() {
            let names = names.iter().filter_map(Json::as_str).map(grammar_literal);
            return format!("( {} )", names.collect::<Vec<_>>().join(" | "));
        }
        let types: Vec<&str> = match &schema["type"] {
            Json::String(one) => vec![one],
            Json::Array(all) => all.iter().filter_map(Json::as_str).collect(),
            _ => return "value".to_owned(),
        };
        let branches: Vec<String> = types
            .iter()
            .map(|one| self.of_type(schema, one, name))
            .collect();
        match branches.as_slice() {
            [only] => only.clone(),
            several => format!("( {} )", several.join(" | ")),
        }
    }

    fn of_type(&mut self, schema: &Schema, one: &str, name: &str) -> String {
        match one {
            "object" if schema["properties"].is_object() => {
                let members = self.members(schema, name);
                self.rules
                    .insert(name.to_owned(), format!(r#""{{" ws {members} "}}" ws"#));
                name.to_owned()
            }
            "array"
                if schema["items"]["type"].is_string() || schema["items"]["type"].is_array() =>
            {
                let item = self.schema(&schema["items"], &format!("{name}-item"));
                format!(r#""[" ws ( {item} ( "," ws {item} )* )? "]" ws"#)
            }
            known @ ("array" | "object" | "string" | "number" | "integer" | "boolean") => {
                known.to_owned()
            }
            "null" => r#""null" ws"#.to_owned(),
            _ => "value".to_owned(),
        }
    }

    /// The members of an object in one order: the required ones, then each optional one or not.
    fn members(&mut self, schema: &Schema, name: &str) -> String {
        let required: Vec<&str> = schema["required"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Json::as_str)
            .collect();
        let properties = schema["properties"]
            .as_object()
            .cloned()
            .unwrap_or_default();
        let mut member = |key: &str, one: &Json| {
            let value = self.schema(one, &format!("{name}-{}", rule_name(key)));
            format!(r#"{} ":" ws {value}"#, grammar_literal(key))
        };
        let first: Vec<String> = required
            .iter()
            .filter_map(|key| Some(member(key, properties.get(*key)?)))
            .collect();
        let optional = properties
            .iter()
            .filter(|(key, _)| !required.contains(&key.as_str()));
        let optional: Vec<String> = optional.map(|(key, one)| member(key, one)).collect();
        let after = |from: usize| -> String {
            optional[from..]
                .iter()
                .map(|one| format!(r#" ( "," ws {one} )?"#))
                .collect()
        };
        if !first.is_empty() {
            return first.join(r#" "," ws "#) + &after(0);
        }
        let starts = optional
            .iter()
            .enumerate()
            .map(|(place, one)| format!("{one}{}", after(place + 1)));
        match optional.is_empty() {
            true => String::new(),
            false => format!("( {} )?", starts.collect::<Vec<_>>().join(" | ")),
        }
    }
}

fn rule_name(key: &str) -> String {
    let plain = |character: char| {
        if character.is_ascii_alphanumeric() {
            character.to_ascii_lowercase()
        } else {
            '-'
        }
    };
    key.chars().map(plain).collect()
}

/// A JSON string as a literal of the grammar.
fn grammar_literal(text: &str) -> String {
    let json = Json::from(text).to_string();
    format!("\"{}\"", json.replace('\\', "\\\\").replace('"', "\\\""))
}
