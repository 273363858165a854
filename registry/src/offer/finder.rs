//! Tools that find, describe and call others. They belong to catalogues and not to the registry: they show what a listing shows, and a
//! call through `call_tool` is a call of the tool that it names.

use serde_json::json;
use tool_core::{AnyTool, Category, Object, Result, Value, names, object, tool_error};

use super::{OfferDetail, ToolHints, ToolOffer, text};
use crate::dispatch::{CallerContext, Dispatcher, ToolListing};
use crate::search::ToolQuery;

names! {
    /// A tool that finds, describes or calls others.
    Finder {
        /// Finds tools by words.
        Search = "search_tools",
        /// Shows one tool: every argument, the result, examples.
        Describe = "describe_tool",
        /// Calls a tool by name.
        Call = "call_tool",
    }
}

impl Finder {
    /// Names of its arguments.
    pub fn arguments(self) -> &'static [&'static str] {
        match self {
            Self::Search => &["query"],
            Self::Describe => &["name"],
            Self::Call => &["name", "arguments"],
        }
    }

    /// As it is offered to a model.
    pub fn offered(self) -> ToolOffer {
        let (title, description, input, output, hints) = match self {
            Self::Search => (
                "Search tools",
                "Find tools by words such as `eigenvalues` or `category:data`. Returns names with their purpose; without words, the categories.",
                json!({ "type": "object", "properties": {
                    "query": { "type": "string", "description": "Words of the task, a name, or `category:NAME`" },
                } }),
                json!({ "type": "object", "properties": {
                    "tools": { "type": "array", "items": {} },
                    "more": { "type": "integer" },
                    "note": { "type": "string" },
                    "categories": { "type": "object" },
                } }),
                ToolHints::READS,
            ),
            Self::Describe => (
                "Describe a tool",
                "Show every argument of a tool with its range, the result, effects and examples.",
                json!({ "type": "object", "properties": {
                    "name": { "type": "string", "description": "Name of the tool" },
                }, "required": ["name"] }),
                json!({ "type": "object", "properties": {
                    "name": { "type": "string" }, "description": { "type": "string" }, "input_schema": { "type": "object" },
                    "output_schema": { "type": "object" }, "effects": { "type": "array", "items": {} }, "examples": { "type": "array", "items": {} },
                } }),
                ToolHints::READS,
            ),
            Self::Call => (
                "Call a tool",
                "Call a tool by name. The answer is that of the tool.",
                json!({ "type": "object", "properties": {
                    "name": { "type": "string", "description": "Name of the tool" },
                    "arguments": { "type": "object", "description": "Its arguments, as `describe_tool` shows them" },
                }, "required": ["name"] }),
                json!({ "type": "object" }),
                ToolHints::ANYTHING,
            ),
        };
        ToolOffer {
            name: self.as_str().to_owned(),
            title: title.to_owned(),
            description: description.to_owned(),
            input,
            output,
            hints,
        }
    }
}

/// Answers `search_tools`: the visible tools that have the words, best first.
///
/// # Errors
/// `not_visible` for an unknown role, `invalid_args` for an unknown category.
pub fn search_catalogue(
    dispatcher: &Dispatcher,
    caller: &CallerContext,
    query: &str,
) -> Result<Value> {
    const SHOWN_MAX: usize = 15;
    let mut listed = dispatcher.visible(caller)?;
    listed.retain(|listing| listing.hidden.is_none());
    let seen = |tool: &dyn AnyTool| {
        let of_listing = |listing: &ToolListing<'_>| listing.tool.spec().id == tool.spec().id;
        listed.iter().any(of_listing)
    };
    let (of_category, words): (Vec<&str>, Vec<&str>) = query
        .split_whitespace()
        .partition(|word| word.starts_with("category:"));
    let category = of_category
        .first()
        .map(|word| parse_category(word))
        .transpose()?;
    let words = words.join(" ");
    let wanted = ToolQuery {
        text: &words,
        category,
        ..ToolQuery::default()
    };
    if words.is_empty() && category.is_none() {
        let tools: Vec<&dyn AnyTool> = listed.iter().map(|listing| listing.tool).collect();
        return Ok(category_counts(&tools));
    }
    let catalogue = dispatcher.catalogue();
    let mut found = catalogue.search(&wanted);
    let mut note = None;
    found.retain(|tool| seen(*tool));
    if found.is_empty() {
        let instead = catalogue.instead_of(&wanted);
        note = Some(match instead.said {
            Some(said) => format!("no tool matches `{words}`: {said}"),
            None if instead.tools.is_empty() => format!("no tool matches `{words}`"),
            None => format!(
                "no tool matches `{words}`; these are the nearest, and none may do what is asked"
            ),
        });
        found = instead.tools;
        found.retain(|tool| seen(*tool));
    }
    let more = found.len().saturating_sub(SHOWN_MAX);
    let shown = found.iter().take(SHOWN_MAX).map(|tool| {
        let purpose = text::whole_opening(&tool.description(), OfferDetail::Brief.extent().tool_chars);
        object! { "name" => tool.spec().wire_name(), "title" => tool.spec().title, "description" => purpose }
    });
    let mut answer = Object::new();
    answer.insert_some("note", note);
    answer.insert("tools", Value::array(shown.collect()));
    answer.insert("more", more);
    Ok(answer.into())
}

fn parse_category(word: &str) -> Result<Category> {
    let name = word.trim_start_matches("category:");
    Category::parse(name).ok_or_else(|| {
        let all: Vec<&str> = Category::ALL.iter().map(|one| one.as_str()).collect();
        tool_error!(InvalidArgs at "/query"; "no category named `{name}`"; "expected one of: {}", all.join(", "))
    })
}

fn category_counts(tools: &[&dyn AnyTool]) -> Value {
    let of = |category: Category| {
        tools
            .iter()
            .filter(move |tool| tool.spec().category == category)
    };
    let counted = Category::ALL
        .iter()
        .filter(|one| of(**one).next().is_some());
    let counted = counted.map(|one| {
        let names: Vec<String> = of(*one).map(|tool| tool.spec().wire_name()).collect();
        (one.as_str(), Value::from(names))
    });
    object! { "categories" => Value::object(counted), "more" => 0_usize }
}

/// Answers `describe_tool`.
///
/// # Errors
/// `unknown_tool` or `not_visible`.
pub fn describe_named_tool(
    dispatcher: &Dispatcher,
    caller: &CallerContext,
    name: &str,
) -> Result<Value> {
    const EXAMPLES_MAX: usize = 3;
    let tool = dispatcher.resolve(name, caller)?;
    let catalogue = dispatcher.catalogue();
    let of_caller = dispatcher
        .policy()
        .caller(catalogue, &caller.who, dispatcher.facts())?;
    let index = catalogue.index(tool.spec().id);
    let own = index.and_then(|index| of_caller.description(index));
    let whole = ToolOffer::described(tool, OfferDetail::Whole, own);
    let as_value = |schema: &tool_core::schema::Schema| {
        Ok::<_, tool_core::ToolError>(tool_core::json::parse_json(
            &schema.to_string(),
            tool_core::json::JsonLimits::default(),
        )?)
    };
    let examples = tool.examples().into_iter().take(EXAMPLES_MAX);
    let examples =
        examples.map(|example| object! { "title" => example.title, "arguments" => example.args });
    let effects = tool.spec().effects.iter().map(|effect| effect.as_str());
    Ok(object! {
        "name" => whole.name.as_str(),
        "description" => whole.description.as_str(),
        "effects" => effects.collect::<Vec<_>>(),
        "input_schema" => as_value(&whole.input)?,
        "output_schema" => as_value(&whole.output)?,
        "examples" => Value::array(examples.collect()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_of_a_finder_are_those_of_its_schema() {
        for finder in Finder::ALL {
            let input = finder.offered().input;
            let mut known: Vec<&str> = finder.arguments().to_vec();
            known.sort_unstable();
            let of_schema: Vec<&String> = input["properties"]
                .as_object()
                .into_iter()
                .flat_map(|all| all.keys())
                .collect();
            assert_eq!(known, of_schema, "{finder}");
        }
    }

    #[test]
    fn no_tool_has_the_name_of_a_finder() {
        let names: Vec<&str> = Finder::ALL.iter().map(|finder| finder.as_str()).collect();
        assert_eq!(names, crate::catalogue::RESERVED_NAMES);
    }
}
