//! Tools as an index in the layout of an earlier system, which the files of a configuration may name too.

use std::fmt::Write as _;

use tool_core::{AnyTool, Category};

/// The index of tools as YAML: id, name, description, category, whether it changes anything, effects, and the schema of its arguments as
/// JSON below its key.
pub fn index<'a>(tools: impl Iterator<Item = &'a dyn AnyTool>) -> String {
    let tools: Vec<&dyn AnyTool> = tools.collect();
    let mut text = "categories:\n".to_owned();
    let used = |category: &&Category| tools.iter().any(|tool| tool.spec().category == **category);
    for (order, category) in (1..).zip(Category::ALL.iter().filter(used)) {
        let (id, name) = (category.as_str(), title_from_id(category.as_str()));
        let _ = writeln!(text, "  - id: {id}\n    name: {name}\n    order: {order}");
    }
    text.push_str("tools:\n");
    for tool in tools {
        let spec = tool.spec();
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        let effects: Vec<&str> = spec.effects.iter().map(|effect| effect.as_str()).collect();
        let _ = write!(
            text,
            "  - id: {}\n    name: {}\n    description: {}\n    category: {}\n    mutates: {}\n    effects: [{}]\n    parameters:\n",
            quoted(spec.id),
            quoted(&title_from_id(spec.id)),
            quoted(&tool.description()),
            spec.category,
            !spec.changes_nothing(),
            effects.join(", "),
        );
        let _ = writeln!(text, "      {}", tool.input_schema());
    }
    text
}

/// An id as words, each with a capital.
fn title_from_id(id: &str) -> String {
    let words = id.split([':', '_']).map(|word| {
        let (first, rest) = word.split_at(word.chars().next().map_or(0, char::len_utf8));
        format!("{}{rest}", first.to_uppercase())
    });
    words.collect::<Vec<_>>().join(" ")
}
