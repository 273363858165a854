//! Who may see and call what: layers that only narrow, rules on parsed values, and a reason for every decision.
//!
//! [`Policy`] is compiled once against a catalogue; [`Policy::caller`] joins what holds for one caller, and
//! [`Caller::decide`] answers for one call. Both are pure. The verdicts form a lattice, `allow < ask < deny`, and the
//! strictest explicit rule holds.

mod compile;
mod decide;
mod explain;
mod facts;
mod hosts;
mod layer;
mod legacy;
mod phases;
mod roles;
mod runtime;
mod selection;
mod selector;
mod set;
mod shell;
mod who;

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::BTreeMap;

use tool_core::capability::Files;
use tool_core::{AnyTool, Call, ErrorCode, ToolError};

pub use compile::{CompiledLayer, CompiledRule};
pub use decide::effective;
pub use explain::{Explanation, LayerStep, RuleStep};
pub use facts::{CallFacts, PathFact, components};
pub use hosts::HostRules;
pub use layer::{Layer, Level, Match, Obligation, Obligations, Range, Rule, Selector, Verdict};
pub use legacy::RolePermissions;
pub use phases::{FailureMode, Gate, GateKind, Phase};
pub use roles::{Role, Toolset, context_of_task};
pub use runtime::{FLAGS, Facts, NO_WEB, READ_ONLY, WORKSPACE_READY, WorkspaceState};
pub use selection::{
    Chosen, Confinement, EXTERNAL_PREFIX, Field, MAX_TURNS, Selected, Selection, Tools, is_external,
};
pub use selector::Group;
pub use set::ToolSet;
pub use who::{Overrides, Who};

pub(crate) use compile::layer as compile_layer;
pub(crate) use roles::{merged as merged_roles, toolset as resolve_toolset};
pub(crate) use selector::resolve as resolve_selector;

use crate::agent_cli::CliSpec;
use crate::catalogue::Catalogue;
use crate::config::Config;
use crate::error::{LoadError, LoadErrors};
use phases::CompiledPhase;
use selection::{CompiledSelection, Step};

/// The tool whose permission `{"$file": path}` needs.
pub const FILE_READER: &str = "read_file";

/// What holds where no rule is about a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Permissions {
    /// Every use of the network asks, listed hosts too.
    pub network_asks: bool,
    /// Hosts that do not ask; `*.example.org` is any below it.
    pub allowed_hosts: Vec<String>,
    /// Private and loopback addresses that may be reached at all; looked at when the connection is made.
    pub allow_private: Vec<String>,
    /// Changes of files ask.
    pub filesystem_asks: bool,
    /// Paths that do not ask when they are read.
    pub allowed_paths: Vec<String>,
    /// Programs ask.
    pub shell_asks: bool,
    /// Pure work asks too.
    pub compute_asks: bool,
}

impl Default for Permissions {
    fn default() -> Self {
        Self {
            network_asks: false,
            allowed_hosts: Vec::new(),
            allow_private: Vec::new(),
            filesystem_asks: true,
            allowed_paths: vec![".".to_owned()],
            shell_asks: true,
            compute_asks: false,
        }
    }
}

/// What was decided, by whom and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// The verdict.
    pub verdict: Verdict,
    /// The deciding layer: `global`, ``role `worker_math` ``, `defaults`.
    pub layer: String,
    /// The deciding rule: where it was written, or which of its layer it is.
    pub rule: Option<String>,
    /// Why, in words.
    pub reason: String,
    /// What the call must also keep to.
    pub obligations: Obligations,
    /// Whether checked arguments could not change the verdict.
    pub certain: bool,
}

impl Decision {
    /// A denial that no rule spells.
    pub fn denied(layer: impl Into<String>, reason: impl Into<String>) -> Self {
        Self {
            verdict: Verdict::Deny,
            layer: layer.into(),
            rule: None,
            reason: reason.into(),
            obligations: Obligations::default(),
            certain: true,
        }
    }
}

#[derive(Debug, Clone)]
struct CompiledRole {
    description: String,
    selection: CompiledSelection,
    layers: Vec<CompiledLayer>,
}

#[derive(Debug, Clone)]
struct CompiledAgent {
    role: Option<String>,
    selection: CompiledSelection,
    layer: CompiledLayer,
}

/// A provider profile against one catalogue.
#[derive(Debug, Clone)]
struct CompiledProfile {
    prefer: Chosen,
    enable: Chosen,
    disable: Chosen,
}

/// The policy of one generation: immutable, compiled against one catalogue.
#[derive(Debug, Clone)]
pub struct Policy {
    generation: String,
    default_role: String,
    /// Layers of every level but that of roles.
    layers: Vec<CompiledLayer>,
    roles: BTreeMap<String, CompiledRole>,
    agents: BTreeMap<String, CompiledAgent>,
    /// Agents, and command lines that have no file.
    agent_names: Vec<String>,
    phases: BTreeMap<String, CompiledPhase>,
    /// Kinds of tasks, with the contexts they imply.
    tasks: BTreeMap<String, Vec<CompiledLayer>>,
    profiles: BTreeMap<String, CompiledProfile>,
    toolsets: BTreeMap<String, CompiledSelection>,
    /// What each permission of a phase adds, in the order of [`Confinement::ALL`].
    confinements: Vec<CompiledLayer>,
    /// The contexts of the facts `read_only` and `no_web`.
    contexts: [CompiledLayer; 2],
    preconditions: Vec<(&'static str, ToolSet)>,
    permissions: Permissions,
}

impl Policy {
    /// Compiles the built-in roles, a configuration and further layers against a catalogue.
    ///
    /// # Errors
    /// Every unknown tool, group, role, phase, agent and selector and every rule that can never match, at once.
    pub fn compile(
        catalogue: &Catalogue,
        config: &Config,
        further: &[Layer],
    ) -> Result<Self, LoadErrors> {
        let mut errors = Vec::new();
        let policy = Self::gather(catalogue, config, further, &mut errors);
        LoadErrors::check(errors)?;
        Ok(policy)
    }

    /// As [`Policy::compile`], with the errors added to a list.
    pub(crate) fn gather(
        catalogue: &Catalogue,
        config: &Config,
        further: &[Layer],
        errors: &mut Vec<LoadError>,
    ) -> Self {
        let mut config = Cow::Borrowed(config);
        if !config.agent_texts.is_empty() {
            let agents = crate::agents::load(catalogue, &config, errors);
            config.to_mut().agents.extend(agents);
        }
        let config: &Config = &config;
        let roles = roles::merged(config);
        let names: Vec<&str> = roles.iter().map(|role| role.name.as_str()).collect();
        let mut compiled: BTreeMap<String, CompiledRole> = roles
            .iter()
            .map(|role| {
                (
                    role.name.clone(),
                    roles::compile(catalogue, role, config, &names, errors),
                )
            })
            .collect();
        roles::check_toolsets(catalogue, config, &roles, errors);
        let agents = compile_agents(catalogue, config, &names, errors);
        let mut agent_names: Vec<String> = agents.keys().cloned().collect();
        let clis = CliSpec::built_in().iter().chain(&config.clis);
        let clis = clis.map(|cli| cli.name.clone());
        agent_names.extend(clis.filter(|cli| !agents.contains_key(cli)));
        let known: Vec<&str> = agent_names.iter().map(String::as_str).collect();
        let phases = phases::compile(catalogue, config, &known, errors);
        let tasks = compile_tasks(catalogue, config, errors);
        let mut layers = Vec::new();
        for layer in config.layers.iter().chain(further) {
            let built = compile::layer(catalogue, layer, &names, errors);
            let (what, of): (&str, Vec<&str>) = match layer.level {
                Level::Role => {
                    if let Some(role) = compiled.get_mut(&layer.name) {
                        role.layers.push(built);
                        continue;
                    }
                    ("role", names.clone())
                }
                Level::Agent => ("agent", known.clone()),
                Level::Phase => ("phase", phases.keys().map(String::as_str).collect()),
                _ => ("", Vec::new()),
            };
            if !what.is_empty() && !of.contains(&layer.name.as_str()) {
                let message = format!("no {what} named `{}`", layer.name);
                let error = LoadError::new(layer.place.as_ref(), message);
                errors.push(error.nearest(&layer.name, of));
            }
            layers.push(built);
        }
        if !compiled.contains_key(&config.default_role) {
            let error = LoadError::new(
                config.default_role_place.as_ref(),
                format!("no role named `{}`", config.default_role),
            );
            errors.push(
                error
                    .at("/default_role")
                    .nearest(&config.default_role, names.iter().copied()),
            );
        }
        let written = format!(
            "{:?}{roles:?}{:?}{:?}{:?}{:?}{:?}{:?}{further:?}",
            config.permissions,
            config.layers,
            config.phases,
            config.profiles,
            config.toolsets,
            config.agents,
            config.budgets,
        );
        Self {
            generation: crate::digest::of_texts([catalogue.generation(), &written]),
            default_role: config.default_role.clone(),
            layers,
            agents,
            agent_names: agent_names.clone(),
            phases,
            tasks,
            profiles: compile_profiles(catalogue, config, errors),
            toolsets: config
                .toolsets
                .iter()
                .map(|toolset| {
                    let name = Selector::from(toolset.name.as_str());
                    // What is wrong with it has been reported.
                    let chosen =
                        roles::toolset(catalogue, config, &name, &mut Vec::new(), &mut Vec::new());
                    let said = CompiledSelection::tools_only(chosen, toolset.place.clone());
                    (toolset.name.clone(), said)
                })
                .collect(),
            confinements: Confinement::ALL
                .map(|one| one.compile(catalogue, errors))
                .into(),
            contexts: [Layer::read_only(), Layer::no_web()]
                .map(|layer| compile::layer(catalogue, &layer, &[], errors)),
            preconditions: runtime::compile(catalogue),
            roles: compiled,
            permissions: config.permissions.clone(),
        }
    }

    /// Digest of the catalogue and of every layer: decisions of one generation are the same.
    pub fn generation(&self) -> &str {
        &self.generation
    }

    /// The role of a call that names none at the command line.
    pub fn default_role(&self) -> &str {
        &self.default_role
    }

    /// The roles, with what they are for.
    pub fn roles(&self) -> impl Iterator<Item = (&str, &str)> {
        self.roles
            .iter()
            .map(|(name, role)| (name.as_str(), role.description.as_str()))
    }

    /// The role that an agent's file names.
    pub fn role_of_agent(&self, agent: &str) -> Option<&str> {
        self.agents.get(agent)?.role.as_deref()
    }

    /// The agents that have a file, by name.
    pub fn agents(&self) -> impl Iterator<Item = &str> {
        self.agents.keys().map(String::as_str)
    }

    /// The phases, by name.
    pub fn phases(&self) -> impl Iterator<Item = &str> {
        self.phases.keys().map(String::as_str)
    }

    /// What holds where no rule is about a call.
    pub fn permissions(&self) -> &Permissions {
        &self.permissions
    }

    /// Joins what holds for one caller, its further layers included, which only narrow.
    ///
    /// # Errors
    /// `not_visible` for an unknown role, agent, phase, task, profile or toolset, and for an agent that does not work in its
    /// phase; `policy_denied` when a layer of the call is not sound or tries to allow; `invalid_request` for overrides that
    /// name no tool.
    pub fn caller<'a>(
        &'a self,
        catalogue: &Catalogue,
        who: &Who,
        facts: &Facts,
    ) -> Result<Caller<'a>, ToolError> {
        let found = self.named("role", &who.role, &self.roles)?;
        let selected = self.select(catalogue, who)?;
        let mut layers: Vec<Cow<'a, CompiledLayer>> = self
            .layers
            .iter()
            .filter(|layer| applies(layer, who))
            .chain(&found.layers)
            .map(Cow::Borrowed)
            .collect();
        if let Some(agent) = who.agent.as_ref().and_then(|name| self.agents.get(name)) {
            layers.push(Cow::Borrowed(&agent.layer));
        }
        if let Some(permission) = &selected.permission {
            layers.push(Cow::Borrowed(&self.confinements[permission.value as usize]));
        }
        if let Some(task) = &who.task {
            let implied = self.named("task", task, &self.tasks)?;
            layers.extend(implied.iter().map(Cow::Borrowed));
        }
        for (fact, context) in [READ_ONLY, NO_WEB].into_iter().zip(&self.contexts) {
            if facts.holds(fact) {
                layers.push(Cow::Borrowed(context));
            }
        }
        for layer in &who.layers {
            layers.push(Cow::Owned(self.layer_of_call(catalogue, layer)?));
        }
        let mut unmet = ToolSet::none(catalogue.len());
        for (fact, tools) in &self.preconditions {
            if !facts.holds(fact) {
                unmet.unite(tools);
            }
        }
        Ok(Caller {
            visible: effective(&selected.tools.value.set, &layers, &unmet),
            role: who.role.clone(),
            selected,
            layers,
            unmet,
            facts: facts.clone(),
            permissions: &self.permissions,
        })
    }

    /// What a caller starts from, each field from the first level that sets it.
    ///
    /// # Errors
    /// As [`Policy::caller`].
    pub fn select(&self, catalogue: &Catalogue, who: &Who) -> Result<Selected, ToolError> {
        let mut steps: Vec<Step<'_>> = Vec::new();
        let agent = who.agent.as_deref();
        if let Some(agent) = agent
            && !self.agent_names.iter().any(|known| known == agent)
        {
            let known = self.agent_names.iter().map(String::as_str);
            return Err(unknown("agent", agent, known));
        }
        let phase = match &who.phase {
            Some(name) => Some((name, self.named("phase", name, &self.phases)?)),
            None => None,
        };
        if let (Some((name, phase)), Some(agent)) = (phase, agent) {
            if !phase.agents.iter().any(|known| known == agent) {
                let message = format_args!("`{agent}` does not work in the phase `{name}`");
                let known = phase.agents.join("`, `");
                return Err(ToolError::new(ErrorCode::NotVisible, message)
                    .reason("agent")
                    .hint(format!("its agents are `{known}`")));
            }
            if let Some(says) = phase.of_agents.get(agent) {
                let title = format!("agent `{agent}` in phase `{name}`");
                steps.push(Step { title, says });
            }
        }
        if let Some(name) = &who.toolset {
            let says = self.named("toolset", name, &self.toolsets)?;
            let title = format!("toolset `{name}`");
            steps.push(Step { title, says });
        }
        if let Some((name, phase)) = phase {
            let title = format!("phase `{name}`");
            steps.push(Step {
                title,
                says: &phase.selection,
            });
        }
        if let Some((name, agent)) = agent.and_then(|name| Some((name, self.agents.get(name)?))) {
            let title = format!("agent `{name}`");
            steps.push(Step {
                title,
                says: &agent.selection,
            });
        }
        let role = self.named("role", &who.role, &self.roles)?;
        let title = format!("role `{}`", who.role);
        steps.push(Step {
            title,
            says: &role.selection,
        });
        let mut selected = selection::walk(&steps, catalogue.len(), who.phase.is_some());
        if let Some(name) = &who.profile {
            let profile = self.named("profile", name, &self.profiles)?;
            selected.tools.value.shape(profile);
        }
        if !who.session.is_empty() || !who.run.is_empty() {
            self.override_selection(catalogue, who, &mut selected.tools.value)?;
        }
        Ok(selected)
    }

    /// Adds what is enabled or forced, sorted, after what is there; then takes away what is disabled.
    fn override_selection(
        &self,
        catalogue: &Catalogue,
        who: &Who,
        chosen: &mut Chosen,
    ) -> Result<(), ToolError> {
        let scopes = [&who.session, &who.run];
        let resolve = |names: Vec<&String>| {
            let mut errors = Vec::new();
            let list: Vec<Selector> = names
                .iter()
                .map(|name| Selector::from(name.as_str()))
                .collect();
            let found = Chosen::of(catalogue, &list, &mut errors);
            LoadErrors::check(errors).map(|()| found).map_err(|errors| {
                ToolError::new(
                    ErrorCode::InvalidRequest,
                    format_args!("an override: {errors}"),
                )
                .reason("override")
            })
        };
        let added = scopes
            .iter()
            .flat_map(|scope| scope.enable.iter().chain(&scope.force))
            .collect();
        let mut added = resolve(added)?;
        added
            .order
            .sort_by_key(|tool| catalogue.tool(*tool).spec().id);
        chosen.unite(&added);
        let gone = scopes.iter().flat_map(|scope| &scope.disable).collect();
        chosen.subtract(&resolve(gone)?);
        Ok(())
    }

    fn named<'a, T>(
        &self,
        what: &str,
        name: &str,
        map: &'a BTreeMap<String, T>,
    ) -> Result<&'a T, ToolError> {
        map.get(name)
            .ok_or_else(|| unknown(what, name, map.keys().map(String::as_str)))
    }

    fn layer_of_call(
        &self,
        catalogue: &Catalogue,
        layer: &Layer,
    ) -> Result<CompiledLayer, ToolError> {
        let names: Vec<&str> = self.roles.keys().map(String::as_str).collect();
        let mut errors = Vec::new();
        let built = compile::layer(catalogue, layer, &names, &mut errors);
        if layer
            .rules
            .iter()
            .any(|rule| rule.decision == Verdict::Allow)
        {
            errors.push(LoadError::new(
                layer.place.as_ref(),
                "a layer of a call narrows: its rules say `ask` or `deny`",
            ));
        }
        let title = layer.title();
        LoadErrors::check(errors).map(|()| built).map_err(|errors| {
            ToolError::new(
                ErrorCode::PolicyDenied,
                format_args!("the layer {title} of this call is not sound: {errors}"),
            )
            .reason("layer")
        })
    }
}

/// Whether a layer of the configuration holds for a caller. Layers of roles are with their roles.
fn applies(layer: &CompiledLayer, who: &Who) -> bool {
    let is = |name: &Option<String>| name.as_deref() == Some(layer.name.as_str());
    match layer.level {
        Level::Global | Level::User => true,
        Level::Role => layer.name == who.role,
        Level::Agent => is(&who.agent),
        Level::Phase => is(&who.phase),
        Level::Task => is(&who.task),
        Level::Delegation => who.is_delegate(),
    }
}

fn unknown<'a>(what: &str, name: &str, known: impl Iterator<Item = &'a str> + Clone) -> ToolError {
    let near = tool_core::nearest::nearest(name, known.clone());
    let shown: String = name.chars().take(80).collect();
    let error = ToolError::new(
        ErrorCode::NotVisible,
        format_args!("no {what} named `{shown}`"),
    )
    .reason(match what {
        "role" => "role",
        "agent" => "agent",
        "phase" => "phase",
        "task" => "task",
        "profile" => "profile",
        _ => "toolset",
    });
    let listed: Vec<&str> = known.take(20).collect();
    match near {
        Some(near) => error.hint(format!("did you mean `{near}`?")),
        None if what == "role" => error.hint("an unknown role may call nothing"),
        None if listed.is_empty() => error.hint("the configuration has none"),
        None => error.hint(format!("there are `{}`", listed.join("`, `"))),
    }
}

impl Chosen {
    /// What a provider profile makes of it: the preferred first, then the rest, then what it adds; what it disables is gone.
    fn shape(&mut self, profile: &CompiledProfile) {
        let mut shaped = Chosen::none(self.set.universe());
        for tool in &profile.prefer.order {
            if self.set.contains(*tool) {
                shaped.add(*tool);
            }
        }
        shaped.unite(self);
        shaped.unite(&profile.enable);
        shaped.subtract(&profile.disable);
        *self = shaped;
    }
}

fn compile_agents(
    catalogue: &Catalogue,
    config: &Config,
    roles: &[&str],
    errors: &mut Vec<LoadError>,
) -> BTreeMap<String, CompiledAgent> {
    let mut compiled = BTreeMap::new();
    for agent in &config.agents {
        if let Some(role) = &agent.role
            && !roles.contains(&role.text.as_str())
        {
            let message = format!("no role named `{}`", role.text);
            let error = LoadError::new(role.place.as_ref(), message);
            errors.push(error.nearest(&role.text, roles.iter().copied()));
        }
        let selection = CompiledSelection::of(catalogue, config, &agent.selection, errors);
        let mut layer = compile::layer(catalogue, &agent.layer, roles, errors);
        // Whatever a phase says: nothing shows an agent a tool that its file does not list.
        if let Some(tools) = &selection.tools {
            let listed = layer.allow.get_or_insert_with(|| tools.set.clone());
            listed.intersect(&tools.set);
        }
        let built = CompiledAgent {
            role: agent.role.as_ref().map(|role| role.text.clone()),
            selection,
            layer,
        };
        if compiled.insert(agent.name.clone(), built).is_some() {
            errors.push(LoadError::new(
                agent.place.as_ref(),
                format!("two agents are named `{}`", agent.name),
            ));
        }
    }
    compiled
}

/// The kinds of tasks: those that the program knows, and those that budgets and layers speak of.
fn compile_tasks(
    catalogue: &Catalogue,
    config: &Config,
    errors: &mut Vec<LoadError>,
) -> BTreeMap<String, Vec<CompiledLayer>> {
    let of_layers = config.layers.iter().filter(|one| one.level == Level::Task);
    let written = of_layers
        .map(|layer| layer.name.as_str())
        .chain(config.budgets.iter().map(|budget| budget.task.as_str()));
    let mut kinds: Vec<&str> = roles::kinds_of_tasks().collect();
    kinds.extend(written);
    kinds
        .into_iter()
        .map(|kind| {
            let implied = context_of_task(kind)
                .iter()
                .map(|layer| compile::layer(catalogue, layer, &[], errors))
                .collect();
            (kind.to_owned(), implied)
        })
        .collect()
}

fn compile_profiles(
    catalogue: &Catalogue,
    config: &Config,
    errors: &mut Vec<LoadError>,
) -> BTreeMap<String, CompiledProfile> {
    let mut profiles = roles::profiles(catalogue);
    profiles.retain(|built_in| config.profiles.iter().all(|own| own.name != built_in.name));
    profiles
        .iter()
        .chain(&config.profiles)
        .map(|profile| {
            let built = CompiledProfile {
                prefer: Chosen::of(catalogue, &profile.prefer, errors),
                enable: Chosen::of(catalogue, &profile.enable, errors),
                disable: Chosen::of(catalogue, &profile.disable, errors),
            };
            (profile.name.clone(), built)
        })
        .collect()
}

/// What holds for one caller.
#[derive(Debug, Clone)]
pub struct Caller<'a> {
    role: String,
    selected: Selected,
    layers: Vec<Cow<'a, CompiledLayer>>,
    visible: ToolSet,
    unmet: ToolSet,
    facts: Facts,
    permissions: &'a Permissions,
}

impl Caller<'_> {
    /// The caller's role.
    pub fn role(&self) -> &str {
        &self.role
    }

    /// What it starts from, and where each part of that was said.
    pub fn selected(&self) -> &Selected {
        &self.selected
    }

    /// The tools this caller may see, in the order of its selection.
    pub fn listed(&self) -> impl Iterator<Item = usize> {
        let order = &self.selected.tools.value.order;
        order
            .iter()
            .copied()
            .filter(|tool| self.visible.contains(*tool))
    }

    /// Whether only facts hide a tool: it would be visible if its preconditions held.
    pub fn lacks_facts(&self, tool: usize) -> bool {
        self.unmet.contains(tool)
            && self.selected.tools.value.set.contains(tool)
            && self.layers.iter().all(|layer| layer.shows(tool))
    }

    /// The tools this caller may see.
    pub fn visible(&self) -> &ToolSet {
        &self.visible
    }

    /// Why a tool is hidden; `None` when it is not.
    pub fn hidden(&self, catalogue: &Catalogue, tool: usize) -> Option<Decision> {
        if self.visible.contains(tool) {
            return None;
        }
        let spec = catalogue.tool(tool).spec();
        let denied = self.layers.iter().find(|layer| layer.deny.contains(tool));
        if let Some(layer) = denied {
            return Some(Decision::denied(
                layer.title.clone(),
                format!("denied by layer {}", layer.title),
            ));
        }
        let selected = &self.selected.tools;
        if !selected.value.set.contains(tool) {
            let from = &selected.from;
            let reason = match from.split(' ').next() {
                Some("role") => "the role does not list it".to_owned(),
                _ => format!("{from} does not list it"),
            };
            return Some(Decision::denied(from.clone(), reason));
        }
        if let Some(layer) = self.layers.iter().find(|layer| !layer.shows(tool)) {
            return Some(Decision::denied(
                layer.title.clone(),
                format!("layer {} does not list it", layer.title),
            ));
        }
        let unmet = runtime::needs(spec)
            .into_iter()
            .find(|fact| !self.facts.holds(fact))
            .unwrap_or_default();
        Some(Decision::denied(
            "preconditions".to_owned(),
            format!(
                "it needs `{unmet}`, which does not hold: {}",
                runtime::cure(unmet, &self.facts)
            ),
        ))
    }

    /// Whether a call may run now; without a call, the strictest that could come.
    ///
    /// A file that the arguments refer to needs [`FILE_READER`] to be allowed on that path, by the same rules.
    pub fn decide(
        &self,
        catalogue: &Catalogue,
        tool: usize,
        call: Option<&CallFacts<'_>>,
        files: Option<&dyn Files>,
    ) -> Decision {
        if let Some(decision) = self.hidden(catalogue, tool) {
            return decision;
        }
        let spec = catalogue.tool(tool).spec();
        let mut decision = decide::decide(
            (tool, spec),
            &self.role,
            &self.layers,
            self.permissions,
            call,
        );
        for file in call.iter().flat_map(|call| &call.files) {
            let reading = self.decide_reading(catalogue, &file.written, files);
            if reading.verdict > decision.verdict {
                decision = Decision {
                    reason: format!(
                        "`{{\"$file\": \"{}\"}}` needs `{FILE_READER}`: {}",
                        file.written, reading.reason
                    ),
                    obligations: decision.obligations,
                    ..reading
                };
            }
        }
        decision
    }

    /// The decision on reading one file.
    fn decide_reading(
        &self,
        catalogue: &Catalogue,
        path: &str,
        files: Option<&dyn Files>,
    ) -> Decision {
        let Some(reader) = catalogue.index(FILE_READER) else {
            return Decision::denied("defaults".to_owned(), "there is no such tool".to_owned());
        };
        let tool = catalogue.tool(reader);
        let arguments = tool_core::Value::object([("path", path)]);
        match tool.decode(&arguments) {
            Ok(call) => self.decide_call(catalogue, reader, tool, call.as_ref(), files),
            Err(err) => Decision::denied("defaults".to_owned(), err.message().to_owned()),
        }
    }

    fn decide_call(
        &self,
        catalogue: &Catalogue,
        index: usize,
        tool: &dyn AnyTool,
        call: &dyn Call,
        files: Option<&dyn Files>,
    ) -> Decision {
        let mut facts = CallFacts::of(tool, call, files);
        facts.files.clear(); // the reader itself takes a path, never a reference
        self.decide(catalogue, index, Some(&facts), files)
    }
}
