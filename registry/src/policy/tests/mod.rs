//! The algebra of layers on every chain of five, the cases of an earlier system, and the ways it failed open.

use std::borrow::Cow;
use std::collections::BTreeSet;

use tool_core::{Category, EffectReach, ErrorCode, Value};

mod algebra;
mod compare;
mod differential;
mod layers;
mod limit;
mod phases;
mod properties;
mod random;
mod record;
mod rules;
mod samples;
mod who;

use super::*;
use crate::catalogue::Catalogue;
use crate::error::LoadErrors;
use crate::fakes::twelve;
use crate::model::*;
use fakes::MemoryFiles;

fn compiler(catalogue: &Catalogue) -> PolicyCompiler<'_> {
    PolicyCompiler::new(catalogue, Vec::new(), &[])
}

/// The names that stay visible when these layers narrow the whole catalogue.
fn visible(catalogue: &Catalogue, layers: &[PolicyLayer]) -> Result<BTreeSet<String>, LoadErrors> {
    let mut compiler = compiler(catalogue);
    let compiled: Vec<Cow<'_, CompiledLayer>> = layers
        .iter()
        .map(|layer| Cow::Owned(compiler.layer(layer)))
        .collect();
    LoadErrors::check(compiler.errors)?;
    let set = effective_tools(
        &ToolSet::all(catalogue.len()),
        &compiled,
        &ToolSet::none(catalogue.len()),
    );
    Ok(set
        .iter()
        .map(|tool| catalogue.tool(tool).spec().id.to_owned())
        .collect())
}

fn global() -> PolicyLayer {
    PolicyLayer::new(Level::Global, "")
}

/// A workspace is open.
fn ready() -> RuntimeFacts {
    RuntimeFacts::default().with(WORKSPACE_READY)
}

fn names(list: &[&str]) -> BTreeSet<String> {
    list.iter().map(|name| (*name).to_owned()).collect()
}

/// The decision on a call, with the rules of one configuration.
fn decide_with(config: &str, role: &str, tool: &str, args: &str) -> PolicyDecision {
    let catalogue = twelve();
    let (_, policy) =
        Config::load("mathchain.toml", config, &catalogue).unwrap_or_else(|err| panic!("{err}"));
    let caller = policy
        .caller(&catalogue, &Principal::role(role), &ready())
        .unwrap();
    let files = MemoryFiles::default();
    files.link("out/link", "secret");
    files.link("out/hard", "out/hard//8:1042");
    let index = catalogue.index(tool).unwrap();
    let found = catalogue.tool(index);
    let call = found
        .decode(&tool_core::json::parse_json(args, tool_core::json::JsonLimits::default()).unwrap())
        .unwrap();
    let facts = CallFacts::of(found, call.as_ref(), Some(&files));
    caller.decide(&catalogue, index, Some(&facts), Some(&files))
}

fn rules(rules: &str) -> String {
    format!("version = 1\n[[policies]]\nlevel = \"global\"\n{rules}")
}
