//! Catalogues: which of the visible tools a model is offered, and what is explained to it once.

use std::sync::OnceLock;

use tool_core::{Decode, Describe, ToolError};

use super::finder::Finder;
use super::{OfferDetail, ToolOffer};
use crate::dispatch::{CallerContext, Dispatcher};
use crate::document::{self, DocumentFormat};
pub use crate::model::Catalog;
use crate::model::{FormatVersion, ToolSelector};

const CORE: &str = include_str!("../../core.yaml");

/// The tool that runs plans, which every catalogue has.
const PLANS: &str = "chain_run";

#[derive(Default, Decode, Describe)]
#[value(default)]
#[schema(extend("required" = ["version", "tools"]))]
struct CoreFile {
    version: FormatVersion,
    tools: Vec<ToolSelector>,
}

/// Ids of the tools of the catalogue `core`, in order.
pub fn core_ids() -> &'static [String] {
    static IDS: OnceLock<Vec<String>> = OnceLock::new();
    IDS.get_or_init(|| {
        let parsed =
            document::parse_document("core.yaml", CORE, DocumentFormat::of_name("core.yaml"));
        let mut errors = Vec::new();
        let file = parsed.map(|document| document::read_typed::<CoreFile>(&document, &mut errors));
        let tools = file.ok().flatten().unwrap_or_default().tools;
        tools.into_iter().map(|tool| tool.text).collect()
    })
}

/// The tools of a catalogue that are visible to a caller, in order.
///
/// # Errors
/// `not_visible` for an unknown role.
pub fn visible_tools(
    dispatcher: &Dispatcher,
    caller: &CallerContext,
    catalog: Catalog,
) -> Result<Vec<ToolOffer>, ToolError> {
    let mut listed = dispatcher.visible(caller)?;
    listed.retain(|listing| listing.hidden.is_none());
    let ids = core_ids();
    let place = |id: &str| ids.iter().position(|one| one == id);
    match catalog {
        Catalog::Full => {}
        Catalog::Core => {
            listed.retain(|listing| place(listing.tool.spec().id).is_some());
            listed.sort_by_key(|listing| place(listing.tool.spec().id));
        }
        Catalog::Search => listed.retain(|listing| listing.tool.spec().id == PLANS),
    }
    let catalogue = dispatcher.catalogue();
    let of_caller = dispatcher
        .policy()
        .caller(catalogue, &caller.who, dispatcher.facts())?;
    let tools = listed.iter().map(|listing| {
        let index = catalogue.index(listing.tool.spec().id);
        let own = index.and_then(|index| of_caller.description(index));
        ToolOffer::described(listing.tool, OfferDetail::Brief, own)
    });
    let finders = match catalog {
        Catalog::Full => &[Finder::Describe][..],
        Catalog::Core | Catalog::Search => Finder::ALL,
    };
    let finders = finders.iter().map(|finder| finder.offered());
    Ok(match catalog {
        Catalog::Full | Catalog::Core => tools.chain(finders).collect(),
        Catalog::Search => finders.chain(tools).collect(),
    })
}

/// What a model is told once about a catalogue: the alternatives of arguments, large results, approvals, and where the other tools are.
pub fn catalog_instructions(catalog: Catalog) -> String {
    let mut text = "Exact maths, data work and host tools under one policy; every call is recorded.\n\
        Arguments with a type beside `object` are inline, or an object that names the value: {\"$file\": \"data.npy\"} (.npy, .npz, .json, .csv \
        or text of the workspace; of a table with \"column\", \"columns\" or \"where\": {column: value, list or {min, max}}) or \
        {\"$artifact\": \"b3:..\"} (a handle of an earlier answer). Integers beyond 2**53 and numbers that are not finite are strings. \
        Arguments are checked in full: an error names the argument, what was expected and the next step.\n\
        Large results are cut to a summary with handles; pass a handle on instead of its data.\n\
        Calls that depend on each other are one plan for `chain_run`: {\"version\": 1, \"steps\": [{\"id\": \"a\", \"tool\": .., \"args\": {..}}, \
        {\"id\": \"b\", \"tool\": .., \"args\": {\"data\": {\"$ref\": \"a.member\"}}}], \"outputs\": {\"x\": {\"$ref\": \"b.member\"}}}.\n\
        A call that needs an approval is answered with its id; repeat the call after the operator approved it.\n"
        .to_owned();
    text.push_str(match catalog {
        Catalog::Full => "`describe_tool` shows every argument of a tool, with examples.",
        Catalog::Core => "More tools: `search_tools` finds them, `describe_tool` shows arguments and examples, `call_tool` calls them.",
        Catalog::Search => "`search_tools` finds tools, `describe_tool` shows arguments and examples, `call_tool` calls them.",
    });
    text
}
