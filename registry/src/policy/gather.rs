//! Compiling a policy: every name of a configuration resolved against one catalogue, every error at once.

use std::collections::BTreeMap;

use tool_core::convert::to_value;
use tool_core::{Encode, Permission, Spec, json};

use super::agent_names::AgentNames;
use super::decide::PermissionDefaults;
use super::selection::CompiledSelection;
use super::{
    CompiledAgent, CompiledLayer, CompiledProfile, CompiledRole, Policy, PolicyCompiler, ToolSet,
    context_of_task, phases, roles, runtime,
};
use crate::catalogue::Catalogue;
use crate::error::LoadError;
use crate::model::{
    AgentDefinition, Config, Confinement, Level, PermissionTable, Phase, PolicyLayer, PolicyRule,
    ProviderProfile, Role, TaskBudget, ToolSelector, Toolset, Verdict,
};

impl Policy {
    /// Compiles a configuration whose files have been loaded; errors are added to the list.
    pub(crate) fn build(
        catalogue: &Catalogue,
        config: &Config,
        further: &[PolicyLayer],
        errors: &mut Vec<LoadError>,
    ) -> Self {
        let roles = roles::merged_roles(config);
        let names: Vec<&str> = roles.iter().map(|role| role.name.as_str()).collect();
        let mut compiler = PolicyCompiler::new(catalogue, names.clone(), &config.toolsets)
            .with_clis(&config.clis)
            .in_roots(&config.workspace.opened);
        let compile = |role: &Role| (role.name.clone(), compiler.role(role));
        let mut compiled: BTreeMap<String, CompiledRole> = roles.iter().map(compile).collect();
        compiler.check_toolsets(&roles);
        let agents = compile_agents(&mut compiler, &config.agents);
        let own_programs = config.clis.iter().map(|cli| cli.name.clone());
        let broken = config.broken_agents.iter().map(|agent| agent.name.clone());
        let with_file = agents.keys().cloned().chain(broken);
        let agent_names = AgentNames::new(with_file.collect(), own_programs.collect());
        let phases = phases::compile_phases(&mut compiler, &config.phases, &agent_names);
        let tasks = compile_tasks(&mut compiler, config);
        let mut layers = Vec::new();
        for layer in config.layers.iter().chain(further) {
            let built = compiler.layer(layer);
            // A delegate never has more than who delegates, so nothing is allowed to it alone.
            if layer.level == Level::Delegation {
                let message =
                    "a layer of level `delegation` narrows: its rules say `ask` or `deny`";
                compiler.errors.extend(allow_rules(layer).map(|rule| {
                    LoadError::new(rule.place.as_ref().or(layer.place.as_ref()), message)
                }));
            }
            let (what, of): (&str, Vec<&str>) = match layer.level {
                Level::Role => {
                    if let Some(role) = compiled.get_mut(&layer.name) {
                        role.layers.push(built);
                        continue;
                    }
                    ("role", names.clone())
                }
                Level::Agent => ("agent", agent_names.iter().collect()),
                Level::Phase => ("phase", phases.keys().map(String::as_str).collect()),
                _ => ("", Vec::new()),
            };
            if !what.is_empty() && !of.contains(&layer.name.as_str()) {
                let message = format!("no {what} named `{}`", layer.name);
                let error = LoadError::new(layer.place.as_ref(), message);
                compiler.errors.push(error.nearest(&layer.name, of));
            }
            layers.push(built);
        }
        let default_role = &config.default_role;
        if !compiled.contains_key(&default_role.text) {
            let error = default_role.unknown("role", names.iter().copied());
            compiler.errors.push(error.at("/default_role"));
        }
        let written = PolicyContent {
            permissions: &config.permissions,
            roles: &roles,
            layers: &config.layers,
            phases: &config.phases,
            profiles: &config.profiles,
            toolsets: &config.toolsets,
            agents: &config.agents,
            budgets: &config.budgets,
            gates: &config.workflow.gates,
            further,
            untrusted: &config.untrusted,
        };
        let toolset = |toolset: &Toolset| {
            let name = ToolSelector::from(toolset.name.as_str());
            // What is wrong with it has been reported.
            let mut compiler = PolicyCompiler::new(catalogue, Vec::new(), &config.toolsets);
            compiler = compiler.with_clis(&config.clis);
            let chosen = compiler.toolset(&name);
            let said = CompiledSelection::tools_only(chosen, toolset.place.clone());
            (toolset.name.clone(), said)
        };
        let policy = Self {
            generation: crate::digest::of_texts([catalogue.generation(), &written.text()]),
            default_role: default_role.text.clone(),
            layers,
            agents,
            agent_names,
            phases,
            tasks,
            profiles: compile_profiles(&mut compiler, &config.profiles),
            toolsets: config.toolsets.iter().map(toolset).collect(),
            confinements: Confinement::ALL
                .iter()
                .map(|one| compiler.layer(&one.layer()))
                .collect(),
            contexts: [PolicyLayer::read_only(), PolicyLayer::no_web()]
                .map(|layer| compiler.layer(&layer)),
            preconditions: runtime::compile_runtime_facts(catalogue),
            roles: compiled,
            defaults: PermissionDefaults::new(&config.permissions, &config.workspace.opened),
            roots_in_use: config.workspace.opened.clone(),
            approvals: config.approvals,
            gates: compile_gates(&mut compiler, &config.workflow.gates),
            budgets: config.budgets.to_vec(),
            untrusted: config.untrusted.clone(),
            notes: Vec::new(),
            broken_agents: Vec::new(),
        };
        for (role, agent) in &config.workflow.agents {
            let error = if !names.contains(&role.as_str()) {
                let known = names.iter().copied();
                let error = agent.cli.error(format_args!("no role named `{role}`"));
                error.nearest(role, known)
            } else if config.cli(&agent.cli.text).is_none() {
                agent
                    .cli
                    .unknown("agent command line", policy.agent_names.iter())
            } else {
                continue;
            };
            let at = format!("/workflow/agents/{role}");
            compiler.errors.push(error.at(at));
        }
        errors.append(&mut compiler.errors);
        policy
    }
}

/// All that decisions depend on beside the catalogue, without the places where it is written: a comment changes no decision.
#[derive(Encode)]
struct PolicyContent<'a> {
    permissions: &'a PermissionTable,
    roles: &'a [Role],
    layers: &'a [PolicyLayer],
    phases: &'a [Phase],
    profiles: &'a [ProviderProfile],
    toolsets: &'a [Toolset],
    agents: &'a [AgentDefinition],
    budgets: &'a [TaskBudget],
    gates: &'a BTreeMap<String, Vec<ToolSelector>>,
    further: &'a [PolicyLayer],
    #[value(skip_encoding_if = "are_none")]
    untrusted: &'a [String],
}

fn are_none(tables: &&[String]) -> bool {
    tables.is_empty()
}

impl PolicyContent<'_> {
    fn text(&self) -> String {
        let value = to_value(self).expect("texts, whole numbers and lists have a spelling");
        json::canonical_json(&value)
    }
}

/// The rules of a layer that allow.
pub(super) fn allow_rules(layer: &PolicyLayer) -> impl Iterator<Item = &PolicyRule> {
    let rules = layer.rules.iter();
    rules.filter(|rule| rule.decision == Verdict::Allow)
}

/// The grants of gates; a tool without a gate needs none.
fn compile_gates(
    compiler: &mut PolicyCompiler<'_>,
    written: &BTreeMap<String, Vec<ToolSelector>>,
) -> BTreeMap<String, ToolSet> {
    let catalogue = compiler.catalogue;
    let mut compiled = BTreeMap::new();
    for (agent, tools) in written {
        for selector in tools {
            let selected = compiler.tools(std::slice::from_ref(selector));
            let grantable =
                |spec: &Spec| spec.human_gate && spec.permissions.contains(&Permission::Workflow);
            if let Some(other) = selected
                .iter()
                .find(|tool| !grantable(catalogue.tool(*tool).spec()))
            {
                let spec = catalogue.tool(other).spec();
                let message = match spec.human_gate {
                    true => format!("only a person opens the human gate of `{}`", spec.id),
                    false => format!(
                        "`{}` has no human gate, so no agent needs a grant for it",
                        spec.id
                    ),
                };
                compiler
                    .errors
                    .push(LoadError::new(selector.place.as_ref(), message));
            }
        }
        compiled.insert(agent.clone(), compiler.tools(tools));
    }
    compiled
}

fn compile_agents(
    compiler: &mut PolicyCompiler<'_>,
    agents: &[AgentDefinition],
) -> BTreeMap<String, CompiledAgent> {
    let mut compiled = BTreeMap::new();
    for agent in agents {
        if let Some(role) = &agent.role
            && !compiler.roles.contains(&role.text.as_str())
        {
            let error = role.unknown("role", compiler.roles.iter().copied());
            compiler.errors.push(error);
        }
        let selection = compiler.selection(&agent.selection);
        let mut layer = compiler.layer(&agent.layer);
        // Whatever a phase says: nothing shows an agent a tool that its file does not list.
        if let Some(tools) = &selection.tools {
            layer.narrow(&tools.set);
        }
        let built = CompiledAgent {
            role: agent.role.as_ref().map(|role| role.text.clone()),
            selection,
            layer,
        };
        if compiled.insert(agent.name.clone(), built).is_some() {
            let message = format_args!("two agents are named `{}`", agent.name);
            let error = LoadError::new(agent.place.as_ref(), message);
            compiler.errors.push(error);
        }
    }
    compiled
}

/// The kinds of tasks: those that the program knows, and those that budgets and layers speak of.
fn compile_tasks(
    compiler: &mut PolicyCompiler<'_>,
    config: &Config,
) -> BTreeMap<String, Vec<CompiledLayer>> {
    let of_layers = config.layers.iter().filter(|one| one.level == Level::Task);
    let of_layers = of_layers.map(|layer| layer.name.as_str());
    let of_budgets = config.budgets.iter().map(|budget| budget.task.as_str());
    let mut kinds: Vec<&str> = roles::kinds_of_tasks().collect();
    kinds.extend(of_layers.chain(of_budgets));
    let with_context = |kind: &str| {
        let contexts = context_of_task(kind);
        let implied = contexts.iter().map(|layer| compiler.layer(layer));
        (kind.to_owned(), implied.collect())
    };
    kinds.into_iter().map(with_context).collect()
}

fn compile_profiles(
    compiler: &mut PolicyCompiler<'_>,
    own: &[ProviderProfile],
) -> BTreeMap<String, CompiledProfile> {
    let mut profiles = roles::builtin_profiles(compiler.catalogue);
    profiles.retain(|built_in| own.iter().all(|own| own.name != built_in.name));
    let compile = |profile: &ProviderProfile| {
        let built = CompiledProfile {
            prefer: compiler.chosen(&profile.prefer),
            enable: compiler.chosen(&profile.enable),
            disable: compiler.chosen(&profile.disable),
        };
        (profile.name.clone(), built)
    };
    profiles.iter().chain(own).map(compile).collect()
}
