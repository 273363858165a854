//! The types of the tools for TypeScript: `packages/npm/mathchain/tools.d.ts`, made from their specifications, for a host whose model writes
//! code that calls tools. `UPDATE=1` writes the file.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use tool_core::AnyTool;
use tool_core::schema::Schema;

const FILE: &str = "packages/npm/mathchain/tools.d.ts";

const HEAD: &str = "// The tools as functions. Made from their specifications; `UPDATE=1 cargo test -p tests typescript_stubs` writes it.

/** Data that is not inline: a file of the workspace, or a stored value that an answer named. */
export type Data = { $file: string; [option: string]: unknown } | { $artifact: string };

";

/// The schema of one tool, of its arguments or its result.
struct Types<'a> {
    root: &'a Schema,
    /// Definitions on the way, so that one that holds itself ends.
    open: BTreeSet<String>,
}

impl<'a> Types<'a> {
    fn of(root: &'a Schema) -> Self {
        Self {
            root,
            open: BTreeSet::new(),
        }
    }

    fn schema(&mut self, schema: &'a Schema) -> String {
        if let Some(pointer) = schema["$ref"].as_str() {
            let target = pointer
                .strip_prefix('#')
                .and_then(|at| self.root.pointer(at));
            let Some(target) = target.filter(|_| self.open.insert(pointer.to_owned())) else {
                return "unknown".to_owned();
            };
            let text = self.schema(target);
            self.open.remove(pointer);
            return text;
        }
        if let Some(branches) = schema["anyOf"].as_array().or(schema["oneOf"].as_array()) {
            return union(branches.iter().map(|one| self.schema(one)).collect());
        }
        if let Some(names) = schema["enum"].as_array() {
            return union(names.iter().map(Schema::to_string).collect());
        }
        if let Some(one) = schema.get("const") {
            return one.to_string();
        }
        let kinds: Vec<&str> = match &schema["type"] {
            Schema::Array(kinds) => kinds.iter().filter_map(Schema::as_str).collect(),
            Schema::String(kind) => vec![kind],
            _ => return "unknown".to_owned(),
        };
        union(kinds.iter().map(|kind| self.kind(kind, schema)).collect())
    }

    fn kind(&mut self, kind: &str, schema: &'a Schema) -> String {
        match kind {
            "null" | "boolean" | "string" => kind.to_owned(),
            "integer" | "number" => "number".to_owned(),
            "array" => match schema.get("items") {
                Some(items) => format!("Array<{}>", self.schema(items)),
                None => "unknown[]".to_owned(),
            },
            "object" => self.object(schema),
            _ => "unknown".to_owned(),
        }
    }

    fn object(&mut self, schema: &'a Schema) -> String {
        if members(schema).any(|(name, _)| name.starts_with('$')) {
            return "Data".to_owned();
        }
        if members(schema).next().is_none() {
            let value = match schema["additionalProperties"].is_object() {
                true => self.schema(&schema["additionalProperties"]),
                false => "unknown".to_owned(),
            };
            return format!("Record<string, {value}>");
        }
        let required: Vec<&str> = (schema["required"].as_array().into_iter().flatten())
            .filter_map(Schema::as_str)
            .collect();
        let member = |(name, inner): (&'a String, &'a Schema)| {
            let mark = if required.contains(&name.as_str()) {
                ""
            } else {
                "?"
            };
            let name = serde_json::to_string(name).expect("a text");
            format!("{name}{mark}: {}", self.schema(inner))
        };
        let all: Vec<String> = members(schema).map(member).collect();
        format!("{{ {} }}", all.join("; "))
    }
}

fn members(schema: &Schema) -> impl Iterator<Item = (&String, &Schema)> {
    schema["properties"].as_object().into_iter().flatten()
}

/// A union without repetitions.
fn union(types: Vec<String>) -> String {
    let mut found: Vec<String> = Vec::new();
    for one in types {
        if !found.contains(&one) {
            found.push(one);
        }
    }
    match found.is_empty() || found.iter().any(|one| one == "unknown") {
        true => "unknown".to_owned(),
        false => found.join(" | "),
    }
}

/// The function of one tool, with what its description and its arguments say.
fn function(tool: &dyn AnyTool) -> String {
    let (input, output) = (tool.input_schema(), tool.output_schema());
    let mut said = format!("{}\n", tool.description());
    for (name, member) in members(&input) {
        let words = member["description"].as_str().unwrap_or_default();
        let words: Vec<&str> = words.split_whitespace().collect();
        let _ = writeln!(said, "@param args.{name} {}", words.join(" "));
    }
    // The end of a comment within one would end it.
    let said = said.replace("*/", "* /");
    let lines: Vec<&str> = said.lines().map(str::trim_end).collect();
    let (arguments, result) = (
        Types::of(&input).schema(&input),
        Types::of(&output).schema(&output),
    );
    let optional = match input["required"]
        .as_array()
        .is_some_and(|all| !all.is_empty())
    {
        true => "",
        false => "?",
    };
    format!(
        "  /**\n   * {}\n   */\n  {}(args{optional}: {arguments}): Promise<{result}>;\n",
        lines.join("\n   * "),
        tool.spec().wire_name()
    )
}

fn stubs() -> String {
    let mut text = HEAD.to_owned();
    text.push_str(
        "/** The tools by the names that clients of MCP use. */\nexport interface Tools {\n",
    );
    for entry in mathchain::tool_families().flatten() {
        text.push_str(&function(entry.tool()));
    }
    text.push_str("}\n\nexport declare const tools: Tools;\n");
    // A line that holds a space alone is a fault of no one's.
    text.replace(" * \n", " *\n")
}

#[test]
fn the_types_are_those_of_the_tools() {
    let (made, file) = (stubs(), tests::root().join(FILE));
    if std::env::var_os("UPDATE").is_some() {
        #[expect(clippy::disallowed_methods, reason = "writes the generated file")]
        std::fs::write(&file, &made).expect("writes the types");
    }
    #[expect(clippy::disallowed_methods, reason = "a file of the repository")]
    let found = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        found == made,
        "run `UPDATE=1 cargo test -p tests typescript_stubs` and review the difference"
    );
}

#[test]
fn a_schema_is_the_type_that_it_describes() {
    let shown = |schema: Schema| Types::of(&schema).schema(&schema);
    let of = serde_json::json!({
        "type": "object", "required": ["a"],
        "properties": {
            "a": { "type": "array", "items": { "type": ["number", "null"] } },
            "b-c": { "enum": ["x", "y"] },
            "d": { "$ref": "#/$defs/tree" },
        },
        "$defs": { "tree": { "type": "object", "properties": { "below": { "$ref": "#/$defs/tree" } } } },
    });
    assert_eq!(
        shown(of),
        r#"{ "a": Array<number | null>; "b-c"?: "x" | "y"; "d"?: { "below"?: unknown } }"#
    );
    let data = serde_json::json!({ "type": ["string", "object"], "properties": { "$file": {} } });
    assert_eq!(shown(data), "string | Data");
    let table =
        serde_json::json!({ "type": "object", "additionalProperties": { "type": "integer" } });
    assert_eq!(shown(table), "Record<string, number>");
    assert_eq!(shown(serde_json::json!({})), "unknown");
}
