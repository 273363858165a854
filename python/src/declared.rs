//! The tools of a toolkit: their names, their specifications, and their declarations for models.

use std::collections::HashMap;
use std::sync::{LazyLock, PoisonError, RwLock};

use mathchain::{CallContext, Toolkit};
use registry::offer::{self, Catalog, Dialect, OfferDetail, ToolOffer};
use serde_json::Value as Json;
use tool_core::{AnyTool, Result, tool_error};

/// The format with the schemas that arguments are checked against; every other is a [`Dialect`].
const WHOLE: &str = "jsonschema";

/// The ids of the tools that the role sees.
pub(crate) fn visible_tool_names(toolkit: &Toolkit, context: &CallContext) -> Result<Vec<String>> {
    let dispatcher = toolkit.dispatcher();
    let listed = dispatcher.visible(&toolkit.caller(context))?;
    let seen = listed.into_iter().filter(|one| one.hidden.is_none());
    Ok(seen.map(|one| one.tool.spec().id.to_owned()).collect())
}

/// Name, title, description and schemas of a tool; `None` for an unknown one.
pub(crate) fn tool_declaration(toolkit: &Toolkit, name: &str) -> Option<Json> {
    let dispatcher = toolkit.dispatcher();
    let catalogue = dispatcher.catalogue();
    let index = catalogue.called(name)?;
    Some(describe_tool(catalogue.tool(index)))
}

/// The tools of a catalogue, or those named, as a format declares them.
///
/// # Errors
/// `invalid_request` for an unknown format or catalogue; `unknown_tool` or `not_visible` for a name.
pub(crate) fn declare_tools(
    toolkit: &Toolkit,
    context: &CallContext,
    format: &str,
    catalog: &str,
    names: Option<Vec<String>>,
) -> Result<Json> {
    let dialect = Dialect::parse(format);
    if dialect.is_none() && format != WHOLE {
        let dialects: Vec<&str> = Dialect::ALL.iter().map(|one| one.as_str()).collect();
        return Err(
            tool_error!(InvalidRequest, "format"; "no format `{format}`"; "one of {WHOLE}, {}", dialects.join(", ")),
        );
    }
    let catalog = Catalog::parse(catalog).ok_or_else(|| {
        tool_error!(InvalidRequest, "catalog"; "no catalogue `{catalog}`"; "one of full, core, search")
    })?;
    let dispatcher = toolkit.dispatcher();
    let caller = toolkit.caller(context);
    let names = match (names, dialect) {
        (None, None) => Some(self::visible_tool_names(toolkit, context)?),
        (names, _) => names,
    };
    let Some(names) = names else {
        let offered = offer::visible_tools(&dispatcher, &caller, catalog)?;
        return Ok(dialect.map_or(Json::Null, |dialect| dialect.declare(&offered)));
    };
    let named = names.iter().map(|name| dispatcher.resolve(name, &caller));
    let named = named.collect::<Result<Vec<&dyn AnyTool>>>()?;
    Ok(match dialect {
        None => named.into_iter().map(describe_tool).collect(),
        Some(dialect) => {
            let offered = named
                .into_iter()
                .map(|tool| ToolOffer::of(tool, OfferDetail::Brief));
            dialect.declare(&offered.collect::<Vec<_>>())
        }
    })
}

/// A tool as a document.
fn describe_tool(tool: &dyn AnyTool) -> serde_json::Value {
    let spec = tool.spec();
    let effects: Vec<&str> = spec.effects.iter().map(|effect| effect.as_str()).collect();
    serde_json::json!({
        "name": spec.wire_name(),
        "id": spec.id,
        "title": spec.title,
        "description": tool.description(),
        "input_schema": tool.input_schema(),
        "output_schema": tool.output_schema(),
        "effects": effects,
        "destructive": spec.destructive,
    })
}

/// Whether the results of a tool hold numbers that may not be finite, which are then spelled: from its schema, which is read once.
pub(crate) fn has_spelled_numbers(toolkit: &Toolkit, name: &str) -> bool {
    /// By id and source.
    static KNOWN: LazyLock<RwLock<HashMap<(&'static str, &'static str), bool>>> =
        LazyLock::new(RwLock::default);

    let dispatcher = toolkit.dispatcher();
    let catalogue = dispatcher.catalogue();
    let Some(index) = catalogue.called(name) else {
        return false;
    };
    let tool = catalogue.tool(index);
    let spec = tool.spec();
    let key = (spec.id, spec.source);
    let known = KNOWN.read().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = known.get(&key) {
        return *known;
    }
    drop(known);
    let found = tool.output_schema().to_string().contains("\"-Infinity\"");
    let mut known = KNOWN.write().unwrap_or_else(PoisonError::into_inner);
    known.insert(key, found);
    found
}
