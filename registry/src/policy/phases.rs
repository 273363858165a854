//! Phases of a pipeline: who works in each, with which tools, after which others.

use std::collections::BTreeMap;

use super::selection::CompiledSelection;
use crate::catalogue::Catalogue;
use crate::error::LoadError;
use crate::model::Config;
use crate::model::Phase;

#[derive(Debug, Clone)]
pub(super) struct CompiledPhase {
    pub(super) agents: Vec<String>,
    pub(super) selection: CompiledSelection,
    pub(super) of_agents: BTreeMap<String, CompiledSelection>,
}

/// Compiles the phases; names, dependencies and circles are checked. `agents` are the known ones.
pub(super) fn compile(
    catalogue: &Catalogue,
    config: &Config,
    agents: &[&str],
    errors: &mut Vec<LoadError>,
) -> BTreeMap<String, CompiledPhase> {
    let mut compiled = BTreeMap::new();
    let names: Vec<&str> = config
        .phases
        .iter()
        .map(|phase| phase.name.as_str())
        .collect();
    for (index, phase) in config.phases.iter().enumerate() {
        if names[..index].contains(&phase.name.as_str()) {
            errors.push(LoadError::new(
                phase.place.as_ref(),
                format!("two phases are named `{}`", phase.name),
            ));
        }
        for wanted in &phase.depends_on {
            if !names.contains(&wanted.text.as_str()) {
                let message = format!("no phase named `{}`", wanted.text);
                errors.push(
                    LoadError::new(wanted.place.as_ref(), message)
                        .nearest(&wanted.text, names.iter().copied()),
                );
            }
        }
        for agent in &phase.agents {
            if !agents.contains(&agent.text.as_str()) {
                let message = format!("no agent named `{}`", agent.text);
                errors.push(
                    LoadError::new(agent.place.as_ref(), message)
                        .nearest(&agent.text, agents.iter().copied()),
                );
            }
        }
        let mut of_agents = BTreeMap::new();
        for (agent, selection) in &phase.agent_selections {
            if !phase.agents.iter().any(|known| known.text == agent.text) {
                let message = format!(
                    "`agent_tools.{}`: the phase `{}` has no such agent",
                    agent.text, phase.name
                );
                errors.push(LoadError::new(agent.place.as_ref(), message).nearest(
                    &agent.text,
                    phase.agents.iter().map(|known| known.text.as_str()),
                ));
            }
            of_agents.insert(
                agent.text.clone(),
                CompiledSelection::of(catalogue, config, selection, errors),
            );
        }
        compiled.insert(
            phase.name.clone(),
            CompiledPhase {
                agents: phase
                    .agents
                    .iter()
                    .map(|agent| agent.text.clone())
                    .collect(),
                selection: CompiledSelection::of(catalogue, config, &phase.selection, errors),
                of_agents,
            },
        );
    }
    circles(&config.phases, errors);
    compiled
}

/// Reports each circle of dependencies once, as the path that closes it.
fn circles(phases: &[Phase], errors: &mut Vec<LoadError>) {
    let find = |name: &str| phases.iter().position(|phase| phase.name == name);
    let mut done = vec![false; phases.len()];
    for start in 0..phases.len() {
        // A walk in depth by hand: names come from outside, and recursion would be as deep as their number.
        let mut path: Vec<(usize, usize)> = vec![(start, 0)];
        while let Some((at, next)) = path.pop() {
            if done[at] {
                continue;
            }
            let Some(wanted) = phases[at].depends_on.get(next) else {
                done[at] = true;
                continue;
            };
            path.push((at, next + 1));
            let Some(to) = find(&wanted.text) else {
                continue;
            };
            if let Some(from) = path.iter().position(|(known, _)| *known == to) {
                let mut circle: Vec<&str> = path[from..]
                    .iter()
                    .map(|(phase, _)| phases[*phase].name.as_str())
                    .collect();
                circle.push(&phases[to].name);
                let message = format!("phases depend on each other: {}", circle.join(" -> "));
                errors.push(LoadError::new(wanted.place.as_ref(), message));
                path.iter().for_each(|(known, _)| done[*known] = true);
                break;
            }
            path.push((to, 0));
        }
    }
}
