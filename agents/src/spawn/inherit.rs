//! What an agent has of who starts it: at most the same tools, under the same layers, and a sandbox no wider than those tools.

use registry::model::{Confinement, Level};
use registry::{Config, DelegatedPrincipal, Dispatcher, PolicyLayer, Principal, Verdict};
use tool_core::{Effect, Result};

/// The call that begins a pipeline: who makes it, and who its agents are to be.
pub struct PipelineCaller<'a> {
    /// Who makes the call.
    pub who: &'a Principal,
    /// An agent of a role, with at most the tools of the caller.
    pub heirs: &'a dyn Fn(&str) -> Result<DelegatedPrincipal>,
}

impl PipelineCaller<'_> {
    /// How far the program of an agent may go.
    pub(crate) fn permission(&self, dispatcher: &Dispatcher) -> Result<Confinement> {
        program_permission(dispatcher, self.who)
    }

    /// An agent of a role.
    pub(crate) fn heir(&self, role: &str) -> Result<DelegatedPrincipal> {
        (self.heirs)(role)
    }
}

/// How far an agent may go by itself, in its sandbox: no further than the tools of who starts it.
pub(crate) fn program_permission(dispatcher: &Dispatcher, who: &Principal) -> Result<Confinement> {
    let catalogue = dispatcher.catalogue();
    let caller = dispatcher
        .policy()
        .caller(catalogue, who, dispatcher.facts())?;
    let has = |effect: Effect| {
        let mut listed = caller.listed();
        listed.any(|tool| catalogue.tool(tool).spec().effects.contains(&effect))
    };
    Ok(
        match (has(Effect::ModifiesFiles), has(Effect::NetworkAccess)) {
            (false, _) => Confinement::ReadOnly,
            (true, false) => Confinement::WorkspaceWrite,
            (true, true) => Confinement::FullAccess,
        },
    )
}

/// The agent under the layers that restrict who starts it, whichever role, agent or phase they are for.
pub(crate) fn inherited_principal(
    config: &Config,
    who: &Principal,
    mut heir: Principal,
) -> Principal {
    let is =
        |name: &Option<String>, layer: &PolicyLayer| name.as_deref() == Some(layer.name.as_str());
    for layer in &config.layers {
        let of_caller = match layer.level {
            Level::Role => layer.name == who.role && layer.name != heir.role,
            Level::Agent => is(&who.agent, layer),
            Level::Phase => is(&who.phase, layer),
            // Those hold for the agent too, but for the rules that name the role of who starts it.
            Level::Global | Level::Task | Level::Delegation | Level::User => false,
        };
        let mut taken = PolicyLayer::new(Level::Delegation, layer.title());
        for rule in &layer.rules {
            let of_role = rule.matches.role.as_ref();
            let names_caller = of_role.is_some_and(|role| *role == who.role && *role != heir.role);
            if rule.decision != Verdict::Allow && (names_caller || of_caller && of_role.is_none()) {
                let mut rule = rule.clone();
                rule.matches.role = None;
                taken.rules.push(rule);
            }
        }
        if of_caller {
            // What the caller sees is stated already, and its transitions are the role's own.
            taken.deny.clone_from(&layer.deny);
            taken.without.clone_from(&layer.without);
        }
        if !(taken.rules.is_empty() && taken.deny.is_empty() && taken.without.is_empty()) {
            heir = heir.narrow(taken);
        }
    }
    heir
}
