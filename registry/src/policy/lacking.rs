//! Tools that a phase names and its agent does not have: what `mathchain check` warns of.

use super::CallerPolicy;
use super::outside::{EXTERNAL_PREFIX, of_any_native};
use super::selector::named_tool;
use crate::aliases::ToolAliases;
use crate::catalogue::Catalogue;
use crate::model::{CallerSelection, Config, Phase, ToolSelector, Verdict};

/// A name in a phase, and why the agent does not have the tool.
#[derive(Debug, Clone, PartialEq)]
pub struct LackedTool {
    /// The name as written, with its place.
    pub name: ToolSelector,
    /// Reason, without a full stop.
    pub reason: String,
    /// Whether the tool is of a plugin or server that is not loaded.
    pub not_loaded: bool,
}

impl CallerPolicy<'_> {
    /// The tools that a phase lists by name for an agent and that this caller, who is that agent, does not have. Tools that only lack a fact
    /// of the host, such as a workspace, are left out.
    pub fn lacking(
        &self,
        catalogue: &Catalogue,
        config: &Config,
        phase: &Phase,
        agent: Option<&str>,
    ) -> Vec<LackedTool> {
        let handed = self.handed();
        let mut lacking: Vec<LackedTool> = Vec::new();
        for name in effective_names(config, phase, agent) {
            let text = name.text.as_str();
            let tool = named_tool(&name, catalogue).or_else(|| {
                let native = of_any_native(text, ToolAliases::built_in(), &config.clis);
                catalogue.index(native?)
            });
            let reason = match tool {
                _ if catalogue.is_lost(text) => Some(not_loaded(text)),
                Some(tool) if self.lacks_facts(tool) => None,
                Some(tool) => self.hidden(catalogue, tool).map(|it| it.reason.to_string()),
                None => handed
                    .iter()
                    .find(|(tool, decision)| tool.name == text && decision.verdict == Verdict::Deny)
                    .map(|(_, decision)| decision.reason.to_string()),
            };
            let is_known = lacking.iter().any(|known| known.name.text == text);
            if let Some(reason) = reason.filter(|_| !is_known) {
                let not_loaded = catalogue.is_lost(text);
                lacking.push(LackedTool {
                    name,
                    reason,
                    not_loaded,
                });
            }
        }
        lacking
    }
}

fn not_loaded(name: &str) -> String {
    let server = name.strip_prefix(EXTERNAL_PREFIX);
    match server.and_then(|rest| rest.split_once("__")) {
        Some((server, _)) => {
            format!("its server is not pinned: `mathchain plugins pin {server}` pins it")
        }
        None => "its plugin is not loaded: `mathchain plugins check` says why".to_owned(),
    }
}

/// The names that hold for an agent in a phase: its own list, else that of the phase, with the toolset that either names.
fn effective_names(config: &Config, phase: &Phase, agent: Option<&str>) -> Vec<ToolSelector> {
    let own = phase.agent_tools.iter();
    let own = agent.and_then(|agent| own.clone().find(|own| own.name == agent));
    let inherits = own.is_none_or(|own| own.inherit);
    let levels: Vec<&CallerSelection> = own
        .into_iter()
        .chain(inherits.then_some(&phase.tools))
        .collect();
    let says_tools =
        |level: &&&CallerSelection| level.listed().is_some() || level.toolset.is_some();
    let mut names = Vec::new();
    if let Some(level) = levels.iter().find(says_tools) {
        names.extend(level.listed().unwrap_or_default().iter().cloned());
        let toolset = level.toolset.as_ref();
        let toolset = toolset.and_then(|name| {
            let mut known = config.toolsets.iter();
            known.find(|known| known.name == name.text)
        });
        let lists = toolset.map(|set| [&set.include, &set.internal, &set.mcp]);
        let lists = lists.into_iter().flatten().flatten();
        names.extend(lists.cloned());
    }
    let external = levels.iter().find_map(|level| level.external.as_ref());
    names.extend(external.into_iter().flatten().cloned());
    names
}
