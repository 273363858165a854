//! Joining what holds for one caller: what it starts from, field by field, and the layers that narrow it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use tool_core::{ErrorCode, ToolError};

use super::gather::allowing;
use super::selection::{self, Step};
use super::{
    Caller, Chosen, CompiledLayer, CompiledProfile, Facts, Layer, Level, NO_WEB, Policy, READ_ONLY,
    Selected, Selector, ToolSet, Who, compile, effective,
};
use crate::catalogue::Catalogue;
use crate::error::{LoadError, LoadErrors};

impl Policy {
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
        if allowing(layer).next().is_some() {
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
