//! [`SelectionLevels`]: what a caller starts from, each field from the first level that sets it; borrowed where nothing changes it.

use std::borrow::Cow;

use tool_core::{ToolError, tool_error};

use super::compile::PolicyCompiler;
use super::join::unknown_name_error;
use super::selection::CompiledSelection;
use super::{
    CallerBaseline, CompiledProfile, CompiledRole, MAX_TURNS, Policy, ToolSelection, ToolSet,
    TracedField,
};
use crate::catalogue::Catalogue;
use crate::error::{LoadErrors, TextPlace};
use crate::model::{Confinement, Principal, ToolSelector};

/// The levels that say what a caller starts from, and the tools that come of it.
#[derive(Debug, Clone)]
pub(super) struct SelectionLevels<'a> {
    pub(super) role: &'a str,
    pub(super) of_role: &'a CompiledRole,
    pub(super) agent: Option<&'a str>,
    phase: Option<&'a str>,
    toolset: Option<&'a str>,
    /// Innermost first.
    steps: [Option<LevelSelection<'a>>; 5],
    tools: Cow<'a, ToolSelection>,
}

#[derive(Debug, Clone, Copy)]
struct LevelSelection<'a> {
    level: SelectionLevel,
    says: &'a CompiledSelection,
}

/// Which level speaks.
#[derive(Debug, Clone, Copy)]
enum SelectionLevel {
    AgentInPhase,
    Toolset,
    Phase,
    Agent,
    Role,
}

impl<'a> SelectionLevels<'a> {
    /// The tools, in order.
    pub(super) fn tools(&self) -> &ToolSelection {
        &self.tools
    }

    pub(super) fn listed(&self) -> &ToolSet {
        &self.tools.set
    }

    /// Whether the level lists a tool that a profile or an override may have taken away.
    pub(super) fn takes_away(&self, tool: usize) -> bool {
        let by_level = self.first(|says| says.tools.as_ref());
        by_level.is_some_and(|(_, chosen)| chosen.set.contains(tool))
            && !self.listed().contains(tool)
    }

    /// How far calls may go; `None` where no level says and there is no phase.
    pub(super) fn permission(&self) -> Option<Confinement> {
        let said = self.first(|says| says.permission);
        let in_phase = self.phase.map(|_| Confinement::default());
        said.map(|(_, permission)| permission).or(in_phase)
    }

    /// Turns of a run; `None` where no level says and there is no phase. 0 is no limit.
    pub(super) fn turns_of_run(&self) -> Option<u32> {
        let said = self.first(|says| says.max_turns);
        let in_phase = self.phase.map(|_| MAX_TURNS);
        said.map(|(_, turns)| turns).or(in_phase)
    }

    /// The description of a tool, where a level says one.
    pub(super) fn description(&self, tool: usize) -> Option<&'a str> {
        let (_, text) = self.first(|says| says.descriptions.get(&tool))?;
        Some(text)
    }

    /// Whether no level beside the role says anything.
    pub(super) fn says_nothing(&self) -> bool {
        let beside_role = self.steps.iter().flatten();
        let mut beside_role =
            beside_role.filter(|step| !matches!(step.level, SelectionLevel::Role));
        beside_role.all(|step| step.says.is_empty())
    }

    /// What the level is called that selects the tools, and where it was written.
    pub(super) fn origin(&self) -> (String, Option<&'a TextPlace>) {
        match self.first(|says| says.tools.as_ref()) {
            Some((step, _)) => (self.title(step.level), step.says.place.as_ref()),
            None => ("default".to_owned(), None),
        }
    }

    /// All of it, each field with its origin.
    pub(super) fn selected(&self) -> CallerBaseline {
        let (from, place) = self.origin();
        CallerBaseline {
            tools: TracedField {
                value: ToolSelection::clone(&self.tools),
                from,
                place: place.cloned(),
            },
            permission: self.field(|says| says.permission).or_else(|| {
                self.phase
                    .map(|_| TracedField::default(Confinement::default()))
            }),
            permission_is_own: (self.first(|says| says.permission))
                .is_some_and(|(step, _)| matches!(step.level, SelectionLevel::AgentInPhase)),
            max_turns: self
                .field(|says| says.max_turns)
                .unwrap_or_else(|| TracedField::default(MAX_TURNS)),
        }
    }

    fn field<T>(&self, of: impl Fn(&'a CompiledSelection) -> Option<T>) -> Option<TracedField<T>> {
        let (step, value) = self.first(of)?;
        Some(TracedField {
            value,
            from: self.title(step.level),
            place: step.says.place.clone(),
        })
    }

    /// The first level that says something; one that does not inherit is the last.
    fn first<T>(
        &self,
        of: impl Fn(&'a CompiledSelection) -> Option<T>,
    ) -> Option<(LevelSelection<'a>, T)> {
        first_selected_step(&self.steps, of)
    }

    fn title(&self, level: SelectionLevel) -> String {
        let name = |name: Option<&'a str>| name.unwrap_or_default();
        match level {
            SelectionLevel::AgentInPhase => {
                let (agent, phase) = (name(self.agent), name(self.phase));
                format!("agent `{agent}` in phase `{phase}`")
            }
            SelectionLevel::Toolset => format!("toolset `{}`", name(self.toolset)),
            SelectionLevel::Phase => format!("phase `{}`", name(self.phase)),
            SelectionLevel::Agent => format!("agent `{}`", name(self.agent)),
            SelectionLevel::Role => format!("role `{}`", self.role),
        }
    }
}

fn first_selected_step<'a, T>(
    steps: &[Option<LevelSelection<'a>>],
    of: impl Fn(&'a CompiledSelection) -> Option<T>,
) -> Option<(LevelSelection<'a>, T)> {
    for step in steps.iter().flatten() {
        if let Some(value) = of(step.says) {
            return Some((*step, value));
        }
        if !step.says.inherit {
            break;
        }
    }
    None
}

impl Policy {
    /// What a caller starts from, each field from the first level that sets it.
    ///
    /// # Errors
    /// As [`Policy::caller`].
    pub fn select(
        &self,
        catalogue: &Catalogue,
        who: &Principal,
    ) -> Result<CallerBaseline, ToolError> {
        Ok(self.start(catalogue, who)?.selected())
    }

    pub(super) fn start<'a>(
        &'a self,
        catalogue: &Catalogue,
        who: &Principal,
    ) -> Result<SelectionLevels<'a>, ToolError> {
        let (role, of_role) = self.named("role", &who.role, &self.roles)?;
        let mut steps = [None; 5];
        let mut says = |level: SelectionLevel, says: &'a CompiledSelection| {
            steps[level as usize] = Some(LevelSelection { level, says });
        };
        says(SelectionLevel::Role, &of_role.selection);
        let agent = who
            .agent
            .as_ref()
            .map(|agent| self.agent(agent))
            .transpose()?;
        let phase = who.phase.as_ref();
        let phase = phase
            .map(|name| self.named("phase", name, &self.phases))
            .transpose()?;
        if let Some((name, phase)) = phase {
            says(SelectionLevel::Phase, &phase.selection);
            if let Some(agent) = agent {
                if !phase.agents.iter().any(|known| known == agent) {
                    return Err(not_of_phase(agent, name, &phase.agents));
                }
                if let Some(selection) = phase.of_agents.get(agent) {
                    says(SelectionLevel::AgentInPhase, selection);
                }
            }
        }
        let toolset = who.toolset.as_ref();
        let toolset = toolset
            .map(|name| self.named("toolset", name, &self.toolsets))
            .transpose()?;
        if let Some((_, selection)) = toolset {
            says(SelectionLevel::Toolset, selection);
        }
        if let Some(agent) = agent.and_then(|name| self.agents.get(name)) {
            says(SelectionLevel::Agent, &agent.selection);
        }
        Ok(SelectionLevels {
            tools: self.tools_of(catalogue, who, &steps)?,
            role,
            of_role,
            agent,
            phase: phase.map(|(name, _)| name),
            toolset: toolset.map(|(name, _)| name),
            steps,
        })
    }

    fn agent(&self, agent: &str) -> Result<&str, ToolError> {
        if let Some(broken) = self
            .broken_agents
            .iter()
            .find(|broken| broken.name == agent)
        {
            return Err(broken.errors.clone().into());
        }
        let mut known = self.agent_names.iter();
        known
            .find(|known| *known == agent)
            .ok_or_else(|| unknown_name_error("agent", agent, self.agent_names.iter()))
    }

    /// The tools of the first level that lists some, shaped by the profile and the overrides.
    fn tools_of<'a>(
        &'a self,
        catalogue: &Catalogue,
        who: &Principal,
        steps: &[Option<LevelSelection<'a>>],
    ) -> Result<Cow<'a, ToolSelection>, ToolError> {
        let mut tools = match first_selected_step(steps, |says| says.tools.as_ref()) {
            Some((_, tools)) => Cow::Borrowed(tools),
            None => Cow::Owned(ToolSelection::none(catalogue.len())),
        };
        if let Some((_, external)) = first_selected_step(steps, |says| says.external.as_ref()) {
            tools.to_mut().unite(external);
        }
        if let Some(name) = &who.profile {
            let (_, profile) = self.named("profile", name, &self.profiles)?;
            tools.to_mut().shape(profile);
        }
        if !who.session.is_empty() || !who.run.is_empty() {
            override_selection(catalogue, who, tools.to_mut())?;
        }
        Ok(tools)
    }
}

fn not_of_phase(agent: &str, phase: &str, agents: &[String]) -> ToolError {
    tool_error!(NotVisible, "`{agent}` does not work in the phase `{phase}`")
        .reason("agent")
        .hint(format!("its agents are `{}`", agents.join("`, `")))
}

/// Adds what is enabled or forced, sorted, after what is there; then takes away what is disabled.
fn override_selection(
    catalogue: &Catalogue,
    who: &Principal,
    chosen: &mut ToolSelection,
) -> Result<(), ToolError> {
    let scopes = [&who.session, &who.run];
    let resolve = |names: Vec<&String>| {
        let list = names.iter().map(|name| ToolSelector::from(name.as_str()));
        let mut compiler = PolicyCompiler::new(catalogue, Vec::new(), &[]);
        let found = compiler.chosen(&list.collect::<Vec<_>>());
        LoadErrors::check(compiler.errors)
            .map(|()| found)
            .map_err(|errors| tool_error!(InvalidRequest, "override"; "an override: {errors}"))
    };
    let added = scopes
        .iter()
        .flat_map(|scope| scope.enable.iter().chain(&scope.force));
    let mut added = resolve(added.collect())?;
    added
        .order
        .sort_by_key(|tool| catalogue.tool(*tool).spec().id);
    chosen.unite(&added);
    let gone = scopes.iter().flat_map(|scope| &scope.disable).collect();
    chosen.subtract(&resolve(gone)?);
    Ok(())
}

impl ToolSelection {
    /// What a provider profile makes of it: the preferred first, then the rest, then what it adds; what it disables is gone.
    fn shape(&mut self, profile: &CompiledProfile) {
        let mut shaped = Self::none(self.set.universe());
        let preferred = profile
            .prefer
            .order
            .iter()
            .filter(|tool| self.set.contains(**tool));
        preferred.for_each(|tool| shaped.add(*tool));
        shaped.unite(self);
        shaped.unite(&profile.enable);
        shaped.subtract(&profile.disable);
        *self = shaped;
    }
}
