//! The types of the Python package: `python/package/mathchain/tools.pyi`, made from the specifications of the tools, and the classes of its
//! errors. `UPDATE=1` writes the stubs.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::PathBuf;

use tool_core::schema::Schema;
use tool_core::{AnyTool, ErrorCode};

const HEAD: &str = r##""""The tools as functions. Made from their specifications; `UPDATE=1 cargo test -p tests python_stubs` writes it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, Protocol, TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import NotRequired

from ._toolkit import Toolkit

class Frame(Protocol):
    """A frame of pandas, polars or anything else with the Arrow interface."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

#: Data that is not inline, such as `{"$file": "a.npy"}`, or a frame.
Data = Mapping[str, Any] | Frame
Progress = Callable[[float | None, str], object]

"##;

/// Words of Python among names: arguments with these names end in `_`.
const RESERVED: [&str; 6] = ["class", "def", "from", "global", "in", "lambda"];

fn read(name: &str) -> String {
    #[expect(clippy::disallowed_methods, reason = "files of the repository")]
    std::fs::read_to_string(package().join(name)).unwrap_or_default()
}

fn package() -> PathBuf {
    tests::root().join("python/package/mathchain")
}

/// `matrix_solve` as `MatrixSolve`.
fn pascal(name: &str) -> String {
    let parts = name.split(|letter: char| !letter.is_ascii_alphanumeric());
    parts
        .map(|part| {
            let (first, rest) = part.split_at(part.len().min(1));
            first.to_uppercase() + rest
        })
        .collect()
}

fn is_identifier(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    !name.is_empty() && name.bytes().all(plain) && !name.as_bytes()[0].is_ascii_digit()
}

fn spelt(name: &str) -> String {
    let mark = if RESERVED.contains(&name) { "_" } else { "" };
    format!("{name}{mark}")
}

fn members(schema: &Schema) -> impl Iterator<Item = (&String, &Schema)> {
    schema["properties"].as_object().into_iter().flatten()
}

fn is_required(schema: &Schema, name: &str) -> bool {
    let mut required = schema["required"].as_array().into_iter().flatten();
    required.any(|one| one == name)
}

fn literal(value: &Schema) -> String {
    match value {
        Schema::Null => "None".to_owned(),
        Schema::Bool(true) => "True".to_owned(),
        Schema::Bool(false) => "False".to_owned(),
        other => other.to_string(),
    }
}

/// A union without repetitions.
fn union(types: Vec<String>) -> String {
    let mut found: Vec<String> = Vec::new();
    for one in types.iter().flat_map(|one| parts(one)) {
        if !found.contains(&one) {
            found.push(one);
        }
    }
    if found.is_empty() || found.iter().any(|one| one == "Any") {
        return "Any".to_owned();
    }
    let name = |one: &String| Some(one.strip_prefix("Literal[")?.strip_suffix(']')?.to_owned());
    let names: Vec<String> = found.iter().filter_map(name).collect();
    found.retain(|one| name(one).is_none());
    if !names.is_empty() {
        found.insert(0, format!("Literal[{}]", names.join(", ")));
    }
    found.join(" | ")
}

/// The parts of a union at the top level.
fn parts(text: &str) -> Vec<String> {
    let (mut depth, mut found, mut part) = (0, Vec::new(), String::new());
    for letter in text.chars() {
        match letter {
            '[' => depth += 1,
            ']' => depth -= 1,
            '|' if depth == 0 => {
                found.push(part.trim().to_owned());
                part.clear();
                continue;
            }
            _ => {}
        }
        part.push(letter);
    }
    found.push(part.trim().to_owned());
    found
}

/// The schemas of one tool, of arguments or of its result.
struct Types<'a> {
    root: &'a Schema,
    tool: String,
    is_result: bool,
    classes: String,
    made: BTreeSet<String>,
}

impl<'a> Types<'a> {
    fn of(root: &'a Schema, tool: &str, is_result: bool) -> Self {
        Self {
            root,
            tool: pascal(tool),
            is_result,
            classes: String::new(),
            made: BTreeSet::new(),
        }
    }

    fn target(&self, schema: &'a Schema) -> Option<(String, &'a Schema)> {
        let pointer = schema["$ref"].as_str()?.strip_prefix('#')?;
        let name = format!("{}{}", self.tool, pascal(pointer.rsplit('/').next()?));
        Some((name, self.root.pointer(pointer)?))
    }

    /// The type of elements, for arrays of numbers of any rank.
    fn numbers(&self, schema: &'a Schema) -> Option<&'static str> {
        if let Some((_, target)) = self.target(schema) {
            return self.numbers(target);
        }
        if let Some(branches) = schema["anyOf"].as_array() {
            // A number that may not be finite.
            let spelled = branches.iter().any(|one| one["enum"][0] == "NaN");
            return spelled.then_some("np.float64");
        }
        match schema["type"].as_str()? {
            "number" => Some("np.float64"),
            "integer" => Some("np.int64"),
            "array" => self.numbers(&schema["items"]),
            _ => None,
        }
    }

    fn of_schema(&mut self, schema: &'a Schema, name: &str) -> String {
        if let Some((name, target)) = self.target(schema) {
            return self.of_schema(target, &name);
        }
        if let Some(branches) = schema["anyOf"].as_array().or(schema["oneOf"].as_array()) {
            if self.numbers(schema).is_some() {
                return "float".to_owned();
            }
            let each = branches.iter().map(|one| self.of_schema(one, name));
            return union(each.collect());
        }
        if let Some(names) = schema["enum"].as_array() {
            let names: Vec<String> = names.iter().map(literal).collect();
            return format!("Literal[{}]", names.join(", "));
        }
        if let Some(one) = schema.get("const") {
            return format!("Literal[{}]", literal(one));
        }
        let types = match &schema["type"] {
            Schema::Array(types) => types.iter().filter_map(Schema::as_str).collect(),
            Schema::String(one) => vec![one.as_str()],
            _ => return "Any".to_owned(),
        };
        let each = types.iter().map(|kind| self.of_kind(kind, schema, name));
        union(each.collect())
    }

    fn of_kind(&mut self, kind: &str, schema: &'a Schema, name: &str) -> String {
        match kind {
            "null" => "None".to_owned(),
            "boolean" => "bool".to_owned(),
            "integer" => "int".to_owned(),
            "number" => "float".to_owned(),
            "string" => "str".to_owned(),
            "array" => self.of_array(schema, name),
            "object" => self.of_object(schema, name),
            _ => "Any".to_owned(),
        }
    }

    fn of_array(&mut self, schema: &'a Schema, name: &str) -> String {
        let items = schema.get("items");
        match (items.and_then(|items| self.numbers(items)), self.is_result) {
            (Some(kind), true) => return format!("NDArray[{kind}]"),
            (Some(_), false) => return "ArrayLike".to_owned(),
            _ => {}
        }
        let item = items.map_or("Any".to_owned(), |items| self.of_schema(items, name));
        match self.is_result {
            true => format!("list[{item}]"),
            false => format!("Sequence[{item}]"),
        }
    }

    fn of_object(&mut self, schema: &'a Schema, name: &str) -> String {
        let mapping = if self.is_result { "dict" } else { "Mapping" };
        if members(schema).any(|(name, _)| name.starts_with('$')) {
            return "Data".to_owned();
        }
        if schema["additionalProperties"].is_object() {
            let value = self.of_schema(&schema["additionalProperties"], name);
            return format!("{mapping}[str, {value}]");
        }
        let is_class = members(schema).next().is_some()
            && members(schema).all(|(name, _)| is_identifier(name) && !RESERVED.contains(&&**name));
        match self.is_result && is_class {
            true => self.class(schema, name),
            false => format!("{mapping}[str, Any]"),
        }
    }

    fn class(&mut self, schema: &'a Schema, name: &str) -> String {
        if !self.made.insert(name.to_owned()) {
            return name.to_owned();
        }
        let mut text = format!("class {name}(TypedDict):\n");
        for (member, inner) in members(schema) {
            let found = self.of_schema(inner, &format!("{name}{}", pascal(member)));
            let found = match is_required(schema, member) {
                true => found,
                false => format!("NotRequired[{found}]"),
            };
            let _ = writeln!(text, "    {member}: {found}");
        }
        let _ = writeln!(self.classes, "{text}");
        name.to_owned()
    }
}

/// The docstring of a tool: its description, and its arguments.
fn documentation(description: &str, input: &Schema, indent: &str) -> String {
    let mut text = format!("{description}\n");
    if members(input).next().is_some() {
        text.push_str("\nArguments:\n");
    }
    for (name, member) in members(input) {
        let said = member["description"].as_str().unwrap_or_default();
        let said: Vec<&str> = said.split_whitespace().collect();
        let _ = writeln!(text, "    {}: {}", spelt(name), said.join(" "));
    }
    let text = text.replace('\\', "\\\\").replace("\"\"\"", "\\\"\\\"\\\"");
    let lines: Vec<String> = (text.lines().enumerate())
        .map(|(index, line)| match index == 0 || line.is_empty() {
            true => line.to_owned(),
            false => format!("{indent}{line}"),
        })
        .collect();
    format!("{indent}\"\"\"{}\n{indent}\"\"\"", lines.join("\n"))
}

/// The method of one tool, and the classes of its result.
fn method(tool: &dyn AnyTool) -> (String, String) {
    let name = tool.spec().wire_name();
    let (input, output) = (tool.input_schema(), tool.output_schema());
    let mut arguments = vec!["self".to_owned(), "*".to_owned()];
    let mut types = Types::of(&input, &name, false);
    let mut further = "";
    for (argument, schema) in members(&input) {
        if !is_identifier(argument) {
            further = ", **further: Any";
            continue;
        }
        let found = types.of_schema(schema, "");
        let default = if is_required(&input, argument) {
            ""
        } else {
            " = ..."
        };
        arguments.push(format!("{}: {found}{default}", spelt(argument)));
    }
    arguments.push("progress: Progress | None = None".to_owned());
    let mut types = Types::of(&output, &name, true);
    let result = types.of_schema(&output, &format!("{}Result", pascal(&name)));
    let said = documentation(&tool.description(), &input, "        ");
    let arguments = arguments.join(", ");
    let text = format!("    def {name}({arguments}{further}) -> {result}:\n{said}\n\n");
    (text, types.classes)
}

fn stubs() -> String {
    let tools: Vec<_> = mathchain::tool_families()
        .flatten()
        .map(|entry| entry.tool())
        .collect();
    let made: Vec<(String, String)> = tools.iter().map(|tool| method(*tool)).collect();
    let mut text = HEAD.to_owned();
    made.iter().for_each(|(_, classes)| text.push_str(classes));
    text.push_str("class Tools:\n    \"\"\"The tools that a role sees.\"\"\"\n\n");
    text.push_str("    def __init__(self, toolkit: Toolkit) -> None: ...\n");
    text.push_str("    def __getattr__(self, name: str) -> Callable[..., Any]: ...\n");
    text.push_str("    def __getitem__(self, name: str) -> Callable[..., Any]: ...\n");
    text.push_str("    def __iter__(self) -> Iterator[str]: ...\n");
    text.push_str("    def __len__(self) -> int: ...\n");
    text.push_str("    def __contains__(self, name: object) -> bool: ...\n");
    made.iter().for_each(|(method, _)| text.push_str(method));
    text.push_str("_tools: Tools\n\n");
    for tool in &tools {
        let name = tool.spec().wire_name();
        let _ = writeln!(text, "{name} = _tools.{name}");
    }
    text
}

#[test]
fn the_stubs_are_those_of_the_tools() {
    let made = stubs();
    if std::env::var_os("UPDATE").is_some() {
        #[expect(clippy::disallowed_methods, reason = "writes the generated file")]
        std::fs::write(package().join("tools.pyi"), &made).expect("writes the stubs");
    }
    assert!(
        read("tools.pyi") == made,
        "run `UPDATE=1 cargo test -p tests python_stubs` and review the difference"
    );
}

#[test]
fn every_error_code_has_a_class_of_exceptions() {
    let errors = read("_errors.py");
    let exported = read("__init__.py");
    for code in ErrorCode::ALL {
        let name = pascal(code.as_str());
        let class = format!("class {name}(Error):");
        assert!(errors.contains(&class), "no `{class}`");
        assert!(errors.contains(&format!("code = \"{code}\"")), "{code}");
        assert!(exported.contains(&format!("\"{name}\",")), "{name}");
    }
}
