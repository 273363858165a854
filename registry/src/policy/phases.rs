//! Phases of a workflow: who works in each, with which tools.

use std::collections::BTreeMap;

use super::selection::CompiledSelection;
use crate::catalogue::Catalogue;
use crate::error::LoadError;
use crate::model::{Config, Selector};

#[derive(Debug, Clone)]
pub(super) struct CompiledPhase {
    pub(super) agents: Vec<String>,
    pub(super) selection: CompiledSelection,
    pub(super) of_agents: BTreeMap<String, CompiledSelection>,
}

/// Compiles the phases; `agents` are the known ones.
pub(super) fn compile(
    catalogue: &Catalogue,
    config: &Config,
    agents: &[&str],
    errors: &mut Vec<LoadError>,
) -> BTreeMap<String, CompiledPhase> {
    let mut compiled: BTreeMap<String, CompiledPhase> = BTreeMap::new();
    for phase in &config.phases {
        if compiled.contains_key(&phase.name) {
            let message = format!("two phases are named `{}`", phase.name);
            errors.push(LoadError::new(phase.place.as_ref(), message));
        }
        let is_unknown = |agent: &&Selector| !agents.contains(&agent.text.as_str());
        for agent in phase.agents.iter().filter(is_unknown) {
            errors.push(agent.unknown("agent", agents.iter().copied()));
        }
        let mut names = phase.agents.iter().map(|agent| agent.text.as_str());
        let mut of_agents = BTreeMap::new();
        for selection in phase.agent_tools.iter() {
            let agent = &selection.name;
            if !names.clone().any(|known| known == agent) {
                let name = &phase.name;
                let message =
                    format_args!("`agent_tools.{agent}`: the phase `{name}` has no such agent");
                let error = LoadError::new(selection.place.as_ref(), message);
                errors.push(error.nearest(agent, names.clone()));
            }
            let selection = CompiledSelection::of(catalogue, config, selection, errors);
            of_agents.insert(agent.clone(), selection);
        }
        let mut selection = CompiledSelection::of(catalogue, config, &phase.tools, errors);
        selection.max_turns = selection.max_turns.or(phase.limits.max_turns);
        let built = CompiledPhase {
            agents: names.by_ref().map(str::to_owned).collect(),
            selection,
            of_agents,
        };
        compiled.insert(phase.name.clone(), built);
    }
    compiled
}
