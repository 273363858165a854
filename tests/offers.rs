//! Tools as models are offered them: token budgets, the dialects of providers, and agreement with the full schemas.

use std::collections::BTreeSet;

use registry::offer::{self, Catalog, Dialect, Finder, OfferDetail, ToolOffer};
use tool_core::schema::Schema;
use tool_core::{AnyTool, Value};

fn tools() -> Vec<&'static dyn AnyTool> {
    mathchain::tool_families()
        .flatten()
        .map(|entry| entry.tool())
        .collect()
}

/// A catalogue with every tool visible, whatever the host lacks.
fn all_of(catalog: Catalog) -> Vec<ToolOffer> {
    let finders = |wanted: &[Finder]| wanted.iter().map(|one| one.offered()).collect::<Vec<_>>();
    let brief = |tool: &dyn AnyTool| ToolOffer::of(tool, OfferDetail::Brief);
    let named = |id: &str| {
        tools()
            .into_iter()
            .find(|tool| tool.spec().id == id)
            .map(brief)
    };
    match catalog {
        Catalog::Full => tools()
            .into_iter()
            .map(brief)
            .chain(finders(&[Finder::Describe]))
            .collect(),
        Catalog::Core => offer::core_ids()
            .iter()
            .map(|id| named(id).expect(id))
            .chain(finders(Finder::ALL))
            .collect(),
        Catalog::Search => finders(Finder::ALL)
            .into_iter()
            .chain(named("chain_run"))
            .collect(),
    }
}

/// Tokens of everything that a list of tools sends, at four bytes a token.
fn tokens(tools: &[ToolOffer]) -> usize {
    Dialect::Mcp.declare(tools).to_string().len() / 4
}

/// Tokens of everything that a client of a catalogue is sent.
fn told(catalog: Catalog) -> usize {
    tokens(&all_of(catalog)) + offer::catalog_instructions(catalog).len() / 4
}

/// A number as pages write it, rounded to hundreds.
fn rounded(tokens: usize) -> String {
    let hundreds = (tokens + 50) / 100 * 100;
    match hundreds / 1000 {
        0 => hundreds.to_string(),
        thousands => format!("{thousands},{:03}", hundreds % 1000),
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "a test reads and writes a page of the repository"
)]
#[test]
fn the_page_of_the_server_has_the_figures_of_each_catalogue() {
    let path = tests::root().join("docs/mcp.md");
    let page = std::fs::read_to_string(&path).expect("the page");
    let always: Vec<ToolOffer> = all_of(Catalog::Core)
        .into_iter()
        .filter(|tool| offer::ALWAYS_LOADED.contains(&tool.name.as_str()))
        .collect();
    let mut rows: Vec<(String, String)> = Vec::new();
    for catalog in [Catalog::Core, Catalog::Search, Catalog::Full] {
        rows.push((format!("| `{catalog}`"), rounded(told(catalog))));
    }
    rows.push(("| always loaded".to_owned(), rounded(tokens(&always))));
    let line = |line: &str| match rows
        .iter()
        .find(|(begin, _)| line.starts_with(begin.as_str()))
    {
        Some((_, figure)) => {
            let cells = line.trim_end_matches(" |").rsplit_once("| ");
            let (cells, _) = cells.expect("a row of a table");
            format!("{cells}| {figure} |")
        }
        None => line.to_owned(),
    };
    let expected: Vec<String> = page.lines().map(line).collect();
    let expected = expected.join("\n") + "\n";
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &expected).expect("writes");
    }
    let found = std::fs::read_to_string(&path).expect("the page");
    assert_eq!(
        found, expected,
        "run `UPDATE=1 cargo test -p tests offers` and review the difference"
    );
    for (begin, _) in rows {
        assert!(
            found.lines().any(|line| line.starts_with(&begin)),
            "no row {begin}"
        );
    }
}

#[test]
fn each_catalogue_keeps_its_token_budget() {
    // Statistics brought 26 tools to the full list, exact mathematics 10; formulas, errors and weights to two tools of the core.
    for (catalog, count, most) in [
        (Catalog::Full, 160..=220, 50_000),
        (Catalog::Core, 23..=27, 6_200),
        (Catalog::Search, 4..=4, 1_500),
    ] {
        let offered = all_of(catalog);
        let told = told(catalog);
        assert!(
            count.contains(&offered.len()),
            "{catalog}: {} tools",
            offered.len()
        );
        assert!(
            told < most,
            "{catalog}: {told} tokens with the instructions, the budget is {most}"
        );
    }
}

#[test]
fn no_provider_refuses_a_tool() {
    for detail in [OfferDetail::Brief, OfferDetail::Whole] {
        let offered: Vec<ToolOffer> = tools()
            .into_iter()
            .map(|tool| ToolOffer::of(tool, detail))
            .collect();
        // A list may be too long for a provider, which `tools export` says; no tool of it is refused.
        for dialect in Dialect::ALL {
            for part in offered.chunks(100) {
                assert_eq!(
                    offer::dialect_faults(part, *dialect),
                    Vec::<String>::new(),
                    "{dialect}, {detail:?}"
                );
            }
        }
    }
}

#[test]
fn the_lint_finds_what_providers_refuse() {
    let refused = |input: Schema| {
        let tool = ToolOffer {
            input,
            ..Finder::Search.offered()
        };
        offer::dialect_faults(&[tool], Dialect::Openai)
    };
    let of =
        |property: Schema| serde_json::json!({ "type": "object", "properties": { "a": property } });
    let mut deep = serde_json::json!({ "type": "string" });
    for _ in 0..12 {
        deep = serde_json::json!({ "type": "object", "properties": { "inner": deep } });
    }
    for (input, expected) in [
        (
            serde_json::json!({ "type": "array", "items": {} }),
            "not of an object",
        ),
        (
            of(serde_json::json!({ "type": "array" })),
            "an array without items",
        ),
        (
            of(serde_json::json!({ "description": "any" })),
            "has no type",
        ),
        (
            of(serde_json::json!({ "type": "string", "enum": [1] })),
            "an enum that is not of texts",
        ),
        (
            serde_json::json!({ "type": "object", "required": ["b"] }),
            "requires `b`",
        ),
        (deep, "nested too deeply"),
    ] {
        let found = refused(input.clone());
        assert!(
            found.iter().any(|fault| fault.contains(expected)),
            "{input}: {found:?}"
        );
    }
}

/// Names of the members that any alternative of a schema has.
fn members(schema: &Schema) -> BTreeSet<String> {
    let mut names: BTreeSet<String> = schema["properties"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, _)| name.clone())
        .collect();
    for key in ["anyOf", "oneOf"] {
        names.extend(
            schema[key]
                .as_array()
                .into_iter()
                .flatten()
                .flat_map(members),
        );
    }
    names
}

#[test]
fn a_brief_offer_names_every_argument_and_the_whole_one_shows_it() {
    for tool in tools() {
        let (full, id) = (tool.input_schema(), tool.spec().id);
        let (brief, whole) = (
            ToolOffer::of(tool, OfferDetail::Brief),
            ToolOffer::of(tool, OfferDetail::Whole),
        );
        assert_eq!(members(&whole.input), members(&full), "{id}");
        for name in members(&full) {
            let listed = brief.input["properties"].get(&name).is_some();
            let (_, more) = brief
                .description
                .split_once("More arguments: ")
                .unwrap_or_default();
            let told = more
                .trim_end_matches('.')
                .split(", ")
                .any(|one| one == name);
            assert!(
                listed != told,
                "{id}: `{name}` is listed or named among the rare ones"
            );
            assert!(
                !told
                    || !full["required"]
                        .as_array()
                        .is_some_and(|all| all.contains(&name.as_str().into())),
                "{id}: {name}"
            );
        }
        assert_eq!(brief.input["required"], full["required"], "{id}");
    }
}

/// Whether the schemas of an offer, which are open and without references, admit a value.
fn admits(schema: &Schema, value: &Value) -> bool {
    let kind = match value {
        Value::Null => return true,
        Value::Bool(_) => "boolean",
        Value::Int(_) => "integer",
        Value::Float(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) | Value::Numbers(_) => "array",
        Value::Object(_) => "object",
    };
    let is = |name: &Schema| {
        name == kind
            || (name == "number" && kind == "integer")
            || (name == "integer" && value.as_i64().is_some())
    };
    let fits = match &schema["type"] {
        Schema::Array(types) => types.iter().any(is),
        Schema::Null => true,
        one => is(one),
    };
    let named = match (schema["enum"].as_array(), value) {
        (Some(names), Value::String(text)) => names.iter().any(|name| name == &**text),
        _ => true,
    };
    let items = value.items().unwrap_or_default();
    let all_items = schema
        .get("items")
        .is_none_or(|items_schema| items.iter().all(|item| admits(items_schema, item)));
    let mut members = value
        .as_object()
        .into_iter()
        .flat_map(tool_core::Object::iter);
    let all_members = members.all(|(name, member)| {
        schema["properties"]
            .get(name)
            .is_none_or(|one| admits(one, member))
    });
    fits && named && all_items && all_members
}

#[test]
fn offered_schemas_admit_the_examples_and_their_results() {
    for tool in tools() {
        for detail in [OfferDetail::Brief, OfferDetail::Whole] {
            let offered = ToolOffer::of(tool, detail);
            for example in tool.examples() {
                let (id, title) = (tool.spec().id, example.title);
                assert!(
                    admits(&offered.input, &example.args),
                    "{id}, {title}: {} for {}",
                    offered.input,
                    example.args
                );
                assert!(
                    admits(&offered.output, &example.output),
                    "{id}, {title}: {} for {}",
                    offered.output,
                    example.output
                );
            }
        }
    }
}

#[test]
fn results_of_any_size_fit_the_offered_schema() {
    for tool in tools() {
        let offered = ToolOffer::of(tool, OfferDetail::Brief);
        assert_eq!(offered.output["type"], "object", "{}", tool.spec().id);
        let handle = Value::object([("$artifact", "b3:0")]);
        for example in tool.examples() {
            let cut = registry::truncate_value(&example.output, 40, &mut |_| Some(handle.clone()));
            assert!(
                admits(&offered.output, &cut),
                "{}: {} for {cut}",
                tool.spec().id,
                offered.output
            );
        }
    }
}

#[test]
fn hints_follow_from_effects() {
    let hints = |id: &str| {
        let found = tools()
            .into_iter()
            .find(|tool| tool.spec().id == id)
            .expect(id);
        ToolOffer::of(found, OfferDetail::Brief).hints.members()
    };
    assert_eq!(
        hints("matrix_solve"),
        [("readOnlyHint", true), ("openWorldHint", false)]
    );
    assert_eq!(hints("http_get"), [("readOnlyHint", true)]);
    assert_eq!(
        hints("write_file").first(),
        Some(&("openWorldHint", false)),
        "it can overwrite"
    );
    assert_eq!(hints("run_shell").first(), Some(&("openWorldHint", false)));
    assert_eq!(hints("chain_run"), [], "it may do anything");
}
