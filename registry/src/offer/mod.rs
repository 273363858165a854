//! Tools as models are offered them: short schemas, catalogues, and the dialects of model providers.
//!
//! Read [`ToolOffer`] first. A schema made for a model says what decides a call and no more: arrays and texts have a short type, whose
//! alternatives [`catalog_instructions`] explains once; rare arguments are listed by `describe_tool`. Arguments are checked against the full
//! schema whatever was offered.

mod catalogue;
mod dialect;
mod finder;
mod gbnf;
mod index;
mod shorten;
mod text;

use tool_core::schema::Schema;
use tool_core::{AnyTool, Capability, Effect, Spec};

pub use catalogue::{Catalog, catalog_instructions, core_ids, visible_tools};
pub use dialect::{Dialect, dialect_faults};
pub use finder::{Finder, describe_named_tool, search_catalogue};
pub use gbnf::tool_call_grammar;
pub use index::index;

/// Tools that a client has from the start although it loads others on demand: what finds, describes and calls all others, expressions, and
/// plans.
pub const ALWAYS_LOADED: [&str; 5] = [
    "search_tools",
    "describe_tool",
    "call_tool",
    "calculate",
    "chain_run",
];

/// A tool as a model is offered it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolOffer {
    /// Wire name.
    pub name: String,
    /// A few words for a list.
    pub title: String,
    /// Purpose, and anything else that decides a call.
    pub description: String,
    /// Schema of the arguments.
    pub input: Schema,
    /// Schema of the result, which results cut to a budget also fit.
    pub output: Schema,
    /// What a call may do.
    pub hints: ToolHints,
}

/// What a call may do at most, in the terms that clients know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToolHints {
    /// It changes nothing.
    pub read_only: bool,
    /// It can destroy existing data.
    pub destructive: bool,
    /// Repeating a call has no further effect.
    pub idempotent: bool,
    /// It reaches beyond this machine.
    pub open_world: bool,
}

impl ToolHints {
    /// The hints that follow from the effects of a tool.
    pub fn of(spec: &Spec) -> Self {
        let reaches = |effect: &Effect| matches!(effect, Effect::NetworkAccess | Effect::CallsLlm);
        let runs_programs = spec.effects.contains(&Effect::LocalExec);
        Self {
            read_only: spec.changes_nothing(),
            destructive: spec.destructive || spec.calls_tools || runs_programs,
            idempotent: spec.idempotent && !spec.calls_tools,
            open_world: spec.calls_tools
                || spec.capabilities.contains(&Capability::Http)
                || spec.effects.iter().any(reaches),
        }
    }

    /// The hints as members, without those that clients assume where they are absent.
    pub fn members(self) -> Vec<(&'static str, bool)> {
        let mut members = Vec::new();
        // The other two only matter for a tool that changes something.
        match self.read_only {
            true => members.push(("readOnlyHint", true)),
            false => {
                members.extend((!self.destructive).then_some(("destructiveHint", false)));
                members.extend(self.idempotent.then_some(("idempotentHint", true)));
            }
        }
        members.extend((!self.open_world).then_some(("openWorldHint", false)));
        members
    }

    /// Those of a tool that may do anything.
    const ANYTHING: Self = Self {
        read_only: false,
        destructive: true,
        idempotent: false,
        open_world: true,
    };

    /// Those of a tool that only reads what this process knows.
    const READS: Self = Self {
        read_only: true,
        destructive: false,
        idempotent: true,
        open_world: false,
    };
}

/// How much an offer says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OfferDetail {
    /// What decides a call.
    Brief,
    /// Every argument, with whole descriptions and bounds.
    Whole,
}

/// The most that an offer says: characters of descriptions, optional arguments beyond those of examples, levels of members.
struct OfferExtent {
    tool_chars: usize,
    argument_chars: usize,
    optional: usize,
    levels: usize,
}

impl OfferDetail {
    const fn extent(self) -> OfferExtent {
        let (tool_chars, argument_chars, optional, levels) = match self {
            Self::Brief => (140, 60, 4, 1),
            Self::Whole => (usize::MAX, usize::MAX, usize::MAX, 6),
        };
        OfferExtent {
            tool_chars,
            argument_chars,
            optional,
            levels,
        }
    }
}

impl ToolOffer {
    /// A tool with the given detail.
    pub fn of(tool: &dyn AnyTool, detail: OfferDetail) -> Self {
        Self::described(tool, detail, None)
    }

    /// As [`ToolOffer::of`], with this description instead of the tool's own.
    pub fn described(tool: &dyn AnyTool, detail: OfferDetail, own: Option<&str>) -> Self {
        let spec = tool.spec();
        let full = tool.input_schema();
        let whole = tool.description();
        let (input, rare) = shorten::shorten_input_schema(
            &full,
            detail,
            &argument_order(tool),
            &shown_in_examples(tool),
        );
        let mut description = match detail {
            _ if let Some(own) = own => own.to_owned(),
            OfferDetail::Brief => text::whole_opening(&whole, detail.extent().tool_chars),
            OfferDetail::Whole => whole,
        };
        if !rare.is_empty() {
            let stop = if description.ends_with('.') { "" } else { "." };
            description.push_str(&format!("{stop} More arguments: {}.", rare.join(", ")));
        }
        Self {
            name: spec.wire_name(),
            title: spec.title.to_owned(),
            description,
            input,
            output: shorten::shorten_output_schema(&tool.output_schema(), detail),
            hints: ToolHints::of(spec),
        }
    }
}

/// The arguments in the order of the struct: a schema has them by name.
fn argument_order(tool: &dyn AnyTool) -> Vec<String> {
    let examples = tool.examples();
    let calls = examples
        .iter()
        .filter_map(|example| tool.decode(&example.args).ok());
    let mut calls = calls.filter_map(|call| {
        let names = call
            .args()
            .as_object()?
            .iter()
            .map(|(name, _)| name.to_owned());
        Some(names.collect::<Vec<_>>())
    });
    calls.next().unwrap_or_default()
}

/// Arguments that the examples give another value than the default.
fn shown_in_examples(tool: &dyn AnyTool) -> Vec<String> {
    let schema = tool.input_schema();
    let is_default = |name: &str, value: &tool_core::Value| {
        let default = schema["properties"][name]["default"].to_string();
        value.is_null() || tool_core::json::to_text(value) == default
    };
    let mut shown = Vec::new();
    for example in tool.examples() {
        let members = example
            .args
            .as_object()
            .into_iter()
            .flat_map(tool_core::Object::iter);
        for (name, value) in members {
            if !is_default(name, value) && !shown.iter().any(|one| one == name) {
                shown.push(name.to_owned());
            }
        }
    }
    shown
}
