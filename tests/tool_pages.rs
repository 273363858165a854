//! `docs/tools/`: a page for each category of tools, made from their specifications, schemas and examples. `UPDATE=1` writes them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use tool_core::schema::Schema;
use tool_core::{AnyTool, Category, ErrorCode, Object, Value, json};

/// Answers of examples are shown up to this many characters.
const ANSWER_CHARS_MAX: usize = 600;

const HEAD: &str = "<!-- Made from the specifications of the tools; `UPDATE=1 cargo test -p tests tool_pages` writes it. -->\n";

fn tools() -> impl Iterator<Item = &'static dyn AnyTool> {
    mathchain::tool_families()
        .flatten()
        .map(|entry| entry.tool())
}

fn read(path: &Path) -> String {
    #[expect(
        clippy::disallowed_methods,
        reason = "sources and pages of the repository"
    )]
    std::fs::read_to_string(path).unwrap_or_default()
}

/// Text in a cell of a table.
fn cell(text: &str) -> String {
    text.split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .replace('|', "\\|")
}

/// A schema with `$ref` into the definitions of its document replaced by what it names.
fn resolved<'a>(root: &'a Schema, schema: &'a Schema) -> &'a Schema {
    let target = schema["$ref"]
        .as_str()
        .and_then(|text| text.strip_prefix('#'));
    target
        .and_then(|pointer| root.pointer(pointer))
        .unwrap_or(schema)
}

fn branches(schema: &Schema) -> impl Iterator<Item = &Schema> {
    ["anyOf", "oneOf"]
        .into_iter()
        .filter_map(|key| schema[key].as_array())
        .flatten()
}

/// Whether the schema is of an object that stands for data elsewhere, such as `{"$file": "a.npy"}`.
fn is_source(schema: &Schema) -> bool {
    let mut names = schema["properties"].as_object().into_iter().flatten();
    names.any(|(name, _)| name.starts_with('$'))
}

/// Types of a schema in words, without `null`; `file` stands for data elsewhere.
fn kinds(root: &Schema, schema: &Schema) -> Vec<String> {
    let schema = resolved(root, schema);
    let mut found = Vec::new();
    let mut add = |kind: String| {
        if !found.contains(&kind) {
            found.push(kind);
        }
    };
    branches(schema)
        .flat_map(|one| kinds(root, one))
        .for_each(&mut add);
    if let Some(name) = schema.get("const") {
        add(format!(
            "`{}`",
            name.as_str().map_or(name.to_string(), str::to_owned)
        ));
    } else if let Some(names) = schema["enum"].as_array() {
        let names = names.iter().filter_map(Schema::as_str);
        names.map(|name| format!("`{name}`")).for_each(&mut add);
    } else if is_source(schema) {
        add("file".to_owned());
    } else {
        let types = match &schema["type"] {
            Schema::Array(types) => types.clone(),
            one => vec![one.clone()],
        };
        for name in types.iter().filter_map(Schema::as_str) {
            match name {
                "null" => {}
                "string" => add("text".to_owned()),
                "array" => add(of("list", &kinds(root, &schema["items"]))),
                "object" => add(of("object", &kinds(root, &schema["additionalProperties"]))),
                other => add(other.to_owned()),
            }
        }
    }
    found
}

fn of(container: &str, kinds: &[String]) -> String {
    let kinds: Vec<String> = kinds.iter().map(|kind| plural(kind)).collect();
    match kinds.is_empty() {
        true => container.to_owned(),
        false => format!("{container} of {}", kinds.join(" or ")),
    }
}

fn plural(kind: &str) -> String {
    match kind {
        "text" => "texts".to_owned(),
        "number" | "integer" | "object" | "boolean" => format!("{kind}s"),
        _ => match kind.strip_prefix("list of ") {
            Some(items) => format!("lists of {items}"),
            None => kind.to_owned(),
        },
    }
}

fn kind(root: &Schema, schema: &Schema) -> String {
    match kinds(root, schema) {
        kinds if kinds.is_empty() => "any".to_owned(),
        kinds => kinds.join(", "),
    }
}

/// Bounds and lengths that the schema states.
fn range(root: &Schema, schema: &Schema) -> String {
    let schema = resolved(root, schema);
    let mut parts = Vec::new();
    for (key, sign) in [
        ("minimum", ">="),
        ("exclusiveMinimum", ">"),
        ("maximum", "<="),
        ("exclusiveMaximum", "<"),
    ] {
        if let Some(bound) = schema.get(key) {
            parts.push(format!("{sign} {bound}"));
        }
    }
    for (low, high, unit) in [
        ("minItems", "maxItems", "entries"),
        ("minLength", "maxLength", "characters"),
    ] {
        let bound = |key: &str| schema[key].as_u64();
        match (bound(low), bound(high)) {
            (Some(low), Some(high)) if low == high => parts.push(format!("{low} {unit}")),
            (low, high) => {
                parts.extend(low.map(|low| format!("{unit} >= {low}")));
                parts.extend(high.map(|high| format!("{unit} <= {high}")));
            }
        }
    }
    if let Some(extents) = schema["x-shape"].as_array() {
        let extents = extents.iter().map(|one| match one.as_str() {
            Some(name) => name.trim_start_matches('*').to_owned(),
            None => one.to_string(),
        });
        parts.push(extents.collect::<Vec<_>>().join(" x "));
    }
    parts.join(", ")
}

/// Rows of the members of an object, and of the objects in it.
fn rows(root: &Schema, schema: &Schema, prefix: &str, input: bool, text: &mut String) {
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    let is_required = |name: &str| required.contains(&Schema::from(name));
    let properties = schema["properties"].as_object();
    let mut members: Vec<_> = properties.into_iter().flatten().collect();
    members.sort_by_key(|(name, _)| input && !is_required(name));
    for (name, member) in members {
        let description = member["description"].as_str();
        let member = resolved(root, member);
        let description = description.or(member["description"].as_str());
        let description = cell(&description.unwrap_or_default().replace("\\\"", "\""));
        let (name, kind) = (format!("{prefix}{name}"), cell(&kind(root, member)));
        let range = cell(&range(root, member));
        let _ = match input {
            true => {
                let default = match member.get("default").filter(|value| !value.is_null()) {
                    _ if prefix.is_empty() && is_required(&name) => "required".to_owned(),
                    Some(default) => cell(&format!("`{default}`")),
                    None => String::new(),
                };
                writeln!(
                    text,
                    "| `{name}` | {kind} | {default} | {range} | {description} |"
                )
            }
            false => writeln!(text, "| `{name}` | {kind} | {description} |"),
        };
        let below = [member].into_iter().chain(branches(member));
        for object in below.map(|one| resolved(root, one)) {
            if object["properties"].is_object() && !is_source(object) {
                rows(root, object, &format!("{name}."), input, text);
            }
        }
    }
}

/// One line on what a call may do.
fn reach(tool: &dyn AnyTool) -> String {
    let spec = tool.spec();
    let mut effects: Vec<&str> = spec.effects.iter().map(|effect| effect.as_str()).collect();
    if spec.calls_tools {
        effects.push("those of the calls it makes");
    }
    let mut parts = vec![match effects.is_empty() {
        true => "Effects: none".to_owned(),
        false => format!("Effects: {}", effects.join(", ")),
    }];
    if spec.destructive {
        parts.push("may destroy existing data".to_owned());
    }
    if spec.human_gate {
        parts.push("every call needs a person's approval".to_owned());
    }
    parts.push(spec.determinism_in_words());
    let callers: Vec<&str> = spec.callers.iter().map(|caller| caller.as_str()).collect();
    parts.push(format!("callers: {}", callers.join(", ")));
    if !spec.preconditions.is_empty() {
        parts.push(format!("needs {}", spec.preconditions.join(", ")));
    }
    if let Some(limit) = spec.timeout_ms {
        parts.push(format!(
            "stops after {limit} ms unless the caller says otherwise"
        ));
    }
    if let Some(limit) = spec.output_bytes_max {
        parts.push(format!(
            "answers up to {limit} bytes where `limits.max_output_bytes` allows"
        ));
    }
    parts.join("; ")
}

/// A text as one word of a POSIX shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Arguments without those that are the defaults anyway.
fn given(input: &Schema, args: &Value) -> Value {
    let members = args.as_object().into_iter().flat_map(Object::iter);
    let is_default = |name: &str, value: &Value| {
        let default = &input["properties"][name]["default"];
        mathchain::parse_json(&default.to_string()).is_ok_and(|default| default == *value)
    };
    let kept = members.filter(|(name, value)| !is_default(name, value));
    Value::object(kept.map(|(name, value)| (name, value.clone())))
}

fn examples(tool: &dyn AnyTool, text: &mut String) {
    let (input, output) = (tool.input_schema(), tool.output_schema());
    let mut properties = output["properties"].as_object().into_iter().flatten();
    let is_picture = properties.any(|(_, one)| one.get("contentMediaType").is_some());
    for example in tool.examples() {
        let (id, title) = (tool.spec().id, example.title);
        let args = quoted(&json::to_text(&given(&input, &example.args)));
        let answer = json::to_text(&example.output);
        let answer = match answer.char_indices().nth(ANSWER_CHARS_MAX) {
            Some((end, _)) => format!("{}...", &answer[..end]),
            None => answer,
        };
        let command = format!("printf '%s' {args} | mathchain call {id} --output raw");
        let shown = match is_picture {
            true => format!("{command} > picture"),
            false => format!("{command}\n    {answer}"),
        };
        let _ = write!(text, "\nExample: {title}\n\n    $ {shown}\n");
    }
}

/// The sources of each numeric tool alone: the file with its specification, or the folder of that file where it has one.
fn sources() -> BTreeMap<&'static str, Vec<PathBuf>> {
    let mut found = BTreeMap::new();
    for file in tests::files_below(&tests::root().join("math-tools/src"), "rs") {
        let text: String = read(&file).split_whitespace().collect();
        let mut ids = tools()
            .map(|tool| tool.spec().id)
            .filter(|id| text.contains(&format!("Spec::named(\"{id}\",")));
        let (Some(id), None) = (ids.next(), ids.next()) else {
            continue;
        };
        let folder = file.parent().filter(|_| file.ends_with("mod.rs"));
        let files = folder.map(|folder| tests::files_below(folder, "rs"));
        found.insert(id, files.unwrap_or_else(|| vec![file]));
    }
    found
}

/// The publications that the doc comments of a file name under `# References`.
fn references(file: &Path) -> Vec<String> {
    let text = read(file);
    let comments: Vec<Option<&str>> = text
        .lines()
        .map(|line| {
            let line = line.trim_start();
            line.strip_prefix("///").or(line.strip_prefix("//!"))
        })
        .collect();
    let mut found = Vec::new();
    for (at, _) in comments
        .iter()
        .enumerate()
        .filter(|(_, line)| line.is_some_and(|line| line.trim() == "# References"))
    {
        let block = comments[at + 1..].iter().map_while(|line| *line);
        let block = block.map(str::trim);
        let block: Vec<_> = block.take_while(|line| !line.is_empty()).collect();
        found.push(block.join(" ").trim_end_matches('.').to_owned());
    }
    found
}

/// The pages that say more of a category.
fn pages(category: Category) -> &'static [&'static str] {
    match category {
        Category::Web => &["web"],
        Category::Data => &["plans"],
        Category::Code => &["sandbox"],
        Category::Math => &[
            "expressions",
            "linear-algebra",
            "linear-algebra-sparse",
            "optimisation",
            "statistics",
            "verification",
        ],
        Category::System => &["files"],
        Category::Archive => &["archives"],
        Category::Llm => &["text"],
        Category::Workflow => &["policy", "sessions"],
        Category::Chain => &["plans", "runs"],
    }
}

fn section(tool: &dyn AnyTool, sources: &[PathBuf]) -> String {
    let spec = tool.spec();
    let description = tool.description().replace("\\\"", "\"");
    let mut text = format!("\n## {}\n\n**{}.** {description}\n", spec.id, spec.title);
    let picture = format!("docs/pictures/tools/{}.png", spec.id);
    if tests::root().join(&picture).exists() {
        let _ = write!(
            text,
            "\n![What `{}` answers, drawn by `plot`](../pictures/tools/{}.png)\n",
            spec.id, spec.id
        );
    }
    let _ = write!(text, "\n{}.\n", reach(tool));
    let (input, output) = (tool.input_schema(), tool.output_schema());
    let mut arguments = String::new();
    rows(&input, &input, "", true, &mut arguments);
    if !arguments.is_empty() {
        let head = "| argument | type | default | range | meaning |\n|---|---|---|---|---|\n";
        let _ = write!(text, "\n{head}{arguments}");
    }
    let mut results = String::new();
    rows(&output, &output, "", false, &mut results);
    if !results.is_empty() {
        let _ = write!(
            text,
            "\n| answer | type | meaning |\n|---|---|---|\n{results}"
        );
    }
    examples(tool, &mut text);
    let mut named: Vec<String> = sources.iter().flat_map(|file| references(file)).collect();
    named.sort();
    named.dedup();
    if !named.is_empty() {
        let _ = write!(text, "\nReferences: {}.\n", named.join("; "));
    }
    text
}

/// The documented members of an enum of names.
fn members<T: tool_core::Describe>() -> Vec<(String, String)> {
    let schema = tool_core::schema::of_output::<T>();
    let text = |one: &Schema, key: &str| one[key].as_str().unwrap_or_default().to_owned();
    branches(&schema)
        .map(|one| (text(one, "const"), text(one, "description")))
        .collect()
}

fn index() -> String {
    let count = tools().count();
    let mut text = format!(
        "{HEAD}# Tools

The {count} built-in tools by category. `mathchain tools list` prints those that a role sees, `mathchain tools show NAME` one of them;
plugins add more ([plugins.md](../plugins.md)). The tables of arguments use these words: `file` stands for a value that is read from
elsewhere, such as `{{\"$file\": \"data.npy\"}}` or `{{\"$artifact\": \"b3:...\"}}`; a range such as `m x n` names the lengths of an array, and
the same letter means the same length.
"
    );
    for (category, meaning) in members::<Category>() {
        let mut of = tools()
            .filter(|tool| tool.spec().category.as_str() == category)
            .peekable();
        if of.peek().is_none() {
            continue;
        }
        let _ = write!(
            text,
            "\n## {category}\n\n{meaning} Arguments, results and examples: [{category}.md]({category}.md).\n\n| tool | |\n|---|---|\n"
        );
        for spec in of.map(|tool| tool.spec()) {
            let anchor = spec.id.replace(':', "");
            let _ = writeln!(
                text,
                "| [`{}`]({category}.md#{anchor}) | {} |",
                spec.id,
                cell(spec.title)
            );
        }
    }
    text += "\n## Errors

Every failure has one of these codes, a message, and where it applies a `reason` (a finer kind), the `path` of the argument, a `hint` and
`evidence`. Every tool can fail with those of the dispatcher: a name or argument that is wrong, a verdict of the policy, a limit, the
deadline. `numeric` and `tool_error` come from the tool itself.

| code | meaning |
|---|---|
";
    for (code, meaning) in members::<ErrorCode>() {
        let _ = writeln!(text, "| `{code}` | {} |", cell(&meaning));
    }
    text
}

/// Every page, by name.
fn made() -> BTreeMap<String, String> {
    let sources = sources();
    let mut made = BTreeMap::from([("README.md".to_owned(), index())]);
    for tool in tools() {
        let category = tool.spec().category;
        let page = made.entry(format!("{category}.md")).or_insert_with(|| {
            let all = "The [index](README.md) has all categories, the words used in the tables, and the errors.";
            let more = pages(category).iter().map(|name| format!("[{name}.md](../{name}.md)"));
            let more = more.collect::<Vec<_>>().join(", ");
            format!("{HEAD}# Tools: {category}\n\n{all} More: {more}.\n")
        });
        let sources = sources.get(tool.spec().id).map_or(&[][..], Vec::as_slice);
        *page += &section(tool, sources);
    }
    made
}

#[test]
#[expect(clippy::disallowed_methods, reason = "pages of the repository")]
fn the_pages_of_tools_are_those_of_their_specifications() {
    let folder = tests::root().join("docs/tools");
    let made = made();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::create_dir_all(&folder).expect("a folder");
        for page in tests::files_below(&folder, "md") {
            std::fs::remove_file(page).expect("removes an old page");
        }
        for (name, text) in &made {
            std::fs::write(folder.join(name), text).expect("writes a page");
        }
    }
    let stale: Vec<&String> = made
        .iter()
        .filter(|(name, text)| read(&folder.join(name)) != **text)
        .map(|(name, _)| name)
        .collect();
    let names = tests::files_below(&folder, "md");
    let extra = names.iter().filter(|page| {
        let name = page.file_name().unwrap_or_default().to_string_lossy();
        !made.contains_key(name.as_ref())
    });
    assert!(
        stale.is_empty() && extra.count() == 0,
        "run `UPDATE=1 cargo test -p tests tool_pages` and look at the difference: {stale:?}"
    );
}

#[test]
fn every_tool_and_each_of_its_arguments_is_on_its_page() {
    let made = made();
    for tool in tools() {
        let spec = tool.spec();
        let page = &made[&format!("{}.md", spec.category)];
        let (_, rest) = page
            .split_once(&format!("\n## {}\n", spec.id))
            .unwrap_or_else(|| panic!("no section of {}", spec.id));
        let section = rest.split("\n## ").next().unwrap_or_default();
        let input = tool.input_schema();
        for (name, _) in input["properties"].as_object().into_iter().flatten() {
            let row = section
                .lines()
                .find(|line| line.starts_with(&format!("| `{name}` |")));
            let row = row.unwrap_or_else(|| panic!("{}: no row of {name}", spec.id));
            assert_eq!(row.replace("\\|", "").matches('|').count(), 6, "{row}");
        }
        assert!(
            !spec.title.is_empty() && section.contains(spec.title),
            "{}",
            spec.id
        );
    }
}

#[test]
fn types_and_ranges_are_said_in_words() {
    let of = |schema: Schema| (kind(&schema, &schema), range(&schema, &schema));
    let matrix = serde_json::json!({"anyOf": [
        {"type": "array", "items": {"type": "array", "items": {"type": "number"}}},
        {"type": "object", "properties": {"$file": {"type": "string"}}},
        {"type": "null"}], "x-shape": ["m", "*k"]});
    assert_eq!(
        of(matrix),
        ("list of lists of numbers, file".into(), "m x k".into())
    );
    let shared = serde_json::json!({"$ref": "#/$defs/mode", "$defs": {"mode": {"oneOf": [{"const": "a"}, {"const": "b"}]}}});
    assert_eq!(of(shared), ("`a`, `b`".into(), String::new()));
    let count =
        serde_json::json!({"type": ["integer", "null"], "minimum": 1, "exclusiveMaximum": 9});
    assert_eq!(of(count), ("integer".into(), ">= 1, < 9".into()));
    let pair = serde_json::json!({"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 2});
    assert_eq!(of(pair), ("list of texts".into(), "2 entries".into()));
}
