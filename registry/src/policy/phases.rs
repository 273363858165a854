//! Phases of a workflow: who works in each, with which tools.

use std::collections::BTreeMap;

use super::agent_names::AgentNames;
use super::compile::PolicyCompiler;
use super::selection::CompiledSelection;
use crate::error::LoadError;
use crate::model::{Phase, ToolSelector};

#[derive(Debug, Clone)]
pub(super) struct CompiledPhase {
    pub(super) agents: Vec<String>,
    pub(super) selection: CompiledSelection,
    pub(super) of_agents: BTreeMap<String, CompiledSelection>,
}

/// Compiles the phases; `agents` are the known ones.
pub(super) fn compile_phases(
    compiler: &mut PolicyCompiler<'_>,
    phases: &[Phase],
    agents: &AgentNames,
) -> BTreeMap<String, CompiledPhase> {
    let mut compiled: BTreeMap<String, CompiledPhase> = BTreeMap::new();
    for phase in phases {
        if compiled.contains_key(&phase.name) {
            let message = format!("two phases are named `{}`", phase.name);
            let error = LoadError::new(phase.place.as_ref(), message);
            compiler.errors.push(error);
        }
        let is_unknown = |agent: &&ToolSelector| !agents.iter().any(|known| known == agent.text);
        for agent in phase.agents.iter().filter(is_unknown) {
            let error = agent.unknown("agent", agents.iter());
            compiler.errors.push(error);
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
                compiler.errors.push(error.nearest(agent, names.clone()));
            }
            of_agents.insert(agent.clone(), compiler.selection(selection));
        }
        let mut selection = compiler.selection(&phase.tools);
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
