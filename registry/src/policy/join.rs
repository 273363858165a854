//! Joining what holds for one caller: what it starts from, and the layers that narrow it. Nothing of the policy is copied.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use tool_core::{ToolError, tool_error};

use super::compile::PolicyCompiler;
use super::gather::allow_rules;
use super::{CallerPolicy, CompiledLayer, NO_WEB, Policy, READ_ONLY, RuntimeFacts};
use crate::catalogue::Catalogue;
use crate::error::{LoadError, LoadErrors};
use crate::model::{Level, PolicyLayer, Principal};

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
        who: &Principal,
        facts: &RuntimeFacts,
    ) -> Result<CallerPolicy<'a>, ToolError> {
        let start = self.start(catalogue, who)?;
        let of_role = &start.of_role.layers;
        // Beside them: one of the agent, of the permission and of each fact; what a task implies is short.
        let mut layers = Vec::with_capacity(self.layers.len() + of_role.len() + 6);
        layers.extend(
            self.layers
                .iter()
                .filter(|layer| applies_to_principal(layer, who)),
        );
        layers.extend(of_role);
        if let Some(agent) = start.agent.and_then(|name| self.agents.get(name)) {
            layers.push(&agent.layer);
        }
        if let Some(permission) = start.permission() {
            layers.push(&self.confinements[permission as usize]);
        }
        if let Some(task) = &who.task {
            layers.extend(self.named("task", task, &self.tasks)?.1);
        }
        for (fact, context) in [READ_ONLY, NO_WEB].into_iter().zip(&self.contexts) {
            if facts.holds(fact) {
                layers.push(context);
            }
        }
        let of_call = who
            .layers
            .iter()
            .map(|layer| self.layer_of_call(catalogue, layer));
        Ok(CallerPolicy {
            of_call: of_call.collect::<Result<_, _>>()?,
            policy: self,
            start,
            permission: who.permission,
            layers,
            facts: facts.clone(),
            visible: OnceLock::new(),
        })
    }

    pub(super) fn named<'a, T>(
        &self,
        what: &'static str,
        name: &str,
        map: &'a BTreeMap<String, T>,
    ) -> Result<(&'a str, &'a T), ToolError> {
        map.get_key_value(name)
            .map(|(name, found)| (name.as_str(), found))
            .ok_or_else(|| unknown_name_error(what, name, map.keys().map(String::as_str)))
    }

    fn layer_of_call(
        &self,
        catalogue: &Catalogue,
        layer: &PolicyLayer,
    ) -> Result<CompiledLayer, ToolError> {
        let roles = self.roles.keys().map(String::as_str).collect();
        let mut compiler = PolicyCompiler::new(catalogue, roles, &[]).in_roots(&self.roots_in_use);
        let built = compiler.layer(layer);
        let mut errors = compiler.errors;
        if allow_rules(layer).next().is_some() {
            let message = "a layer of a call narrows: its rules say `ask` or `deny`";
            errors.push(LoadError::new(layer.place.as_ref(), message));
        }
        let title = layer.title();
        LoadErrors::check(errors).map(|()| built).map_err(|errors| {
            tool_error!(PolicyDenied, "layer"; "the layer {title} of this call is not sound: {errors}")
        })
    }
}

/// Whether a layer of the configuration holds for a caller. Layers of roles are with their roles.
fn applies_to_principal(layer: &CompiledLayer, who: &Principal) -> bool {
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

pub(super) fn unknown_name_error<'a>(
    what: &'static str,
    name: &str,
    known: impl Iterator<Item = &'a str> + Clone,
) -> ToolError {
    let near = tool_core::nearest::nearest_name(name, known.clone());
    let shown: String = name.chars().take(80).collect();
    let error = tool_error!(NotVisible, "no {what} named `{shown}`").reason(what);
    let listed: Vec<&str> = known.take(20).collect();
    match near {
        Some(near) => error.hint(format!("did you mean `{near}`?")),
        None if listed.is_empty() => error.hint("the configuration has none"),
        None => error.hint(format!("there are `{}`", listed.join("`, `"))),
    }
}
