//! The two questions: what may this caller see, and may this call run now. Pure functions of their arguments.

use std::sync::Arc;

use tool_core::{Effect, Permission, Spec};

use super::compile::{CompiledLayer, CompiledRule};
use super::condition::{RuleCondition, RuleFit};
use super::facts::{CallFacts, HostFact, PathFact};
use super::limit::AppliedLimit;
use super::{DecisionReason, PolicyDecision, PolicyLabel, ToolSet};
use crate::model::{
    Confinement, JoinedObligations, Level, PermissionTable, Verdict, WorkspaceRoots,
};

/// What a caller may see.
///
/// The selection, narrowed by every layer: intersected with its `allow` where it has one, less its `deny`; tools whose
/// preconditions are unmet are not in it either. The order of the layers does not matter, and none adds anything.
pub fn effective_tools<'l, L: AsRef<CompiledLayer> + 'l>(
    selection: &ToolSet,
    layers: impl IntoIterator<Item = &'l L>,
    unmet: &ToolSet,
) -> ToolSet {
    let mut visible = selection.clone();
    for layer in layers.into_iter().map(AsRef::as_ref) {
        visible.intersect(layer.shown());
    }
    visible.subtract(unmet);
    visible
}

impl CompiledRule {
    /// Whether the rule matches this call; without facts, some call of the tool.
    pub(super) fn fit(&self, tool: usize, role: &str, call: Option<&CallFacts<'_>>) -> RuleFit {
        if !self.is_about(tool, role) {
            return RuleFit::No;
        }
        match call {
            Some(call) => self.fit_where(call, |_| true),
            None if self.conditions.is_empty() => RuleFit::Yes,
            None => RuleFit::Unknown,
        }
    }

    /// Its limit, where the call could be one that it is about. As `ask` and `deny`, whatever the verdict of the rule: a limit only narrows.
    pub(super) fn applied_limit(
        &self,
        layer: &CompiledLayer,
        tool: usize,
        role: &str,
        call: Option<&CallFacts<'_>>,
    ) -> Option<AppliedLimit> {
        let compiled = self.limit.as_ref()?;
        let could_fit =
            |one: &RuleCondition| call.is_none_or(|call| one.fit(call, false) != RuleFit::No);
        (self.is_about(tool, role) && self.conditions.iter().all(could_fit)).then(|| AppliedLimit {
            layer: layer.title.clone(),
            rule: self.label.clone(),
            compiled: Arc::clone(compiled),
        })
    }

    /// Whether some of the conditions hold for a call.
    pub(super) fn fit_where(
        &self,
        call: &CallFacts<'_>,
        of: fn(&RuleCondition) -> bool,
    ) -> RuleFit {
        let narrows = self.decision == Verdict::Allow;
        let conditions = self.conditions.iter().filter(|one| of(one));
        conditions.fold(RuleFit::Yes, |fit, one| fit.and(one.fit(call, narrows)))
    }

    /// Whether it applies to a tool and a role at all.
    pub(super) fn is_about(&self, tool: usize, role: &str) -> bool {
        self.tools.contains(tool) && self.role.as_ref().is_none_or(|wanted| wanted == role)
    }
}

/// The permission table, with its paths split once.
#[derive(Debug, Clone)]
pub(super) struct PermissionDefaults {
    pub(super) permissions: PermissionTable,
    roots: Vec<Vec<String>>,
}

impl PermissionDefaults {
    pub(super) fn new(permissions: &PermissionTable, roots: &WorkspaceRoots) -> Self {
        let paths = permissions.filesystem.allowed_paths.iter();
        Self {
            permissions: permissions.clone(),
            roots: paths.filter_map(|path| roots.named(path)).collect(),
        }
    }
}

/// What decides a call that no rule is about.
#[derive(Clone, Copy)]
pub(super) struct DefaultGround<'a> {
    pub(super) defaults: &'a PermissionDefaults,
    /// The permission of the caller's phase, or of the agent that a call started, whose changes need no approval.
    pub(super) permission: Option<Confinement>,
    /// Whether a program of another does the work, so that what a call destroys is not seen.
    pub(super) elsewhere: bool,
    /// Whether the caller passes the human gate of the tool.
    pub(super) has_grant: bool,
}

impl DefaultGround<'_> {
    /// Whether the phase lets calls with an effect run without approval.
    pub(super) fn grants(&self, effect: Effect) -> bool {
        self.permission
            .is_some_and(|permission| permission.grants(effect))
    }
}

/// Whether a visible tool's call may run now.
///
/// Every explicit rule of every layer is collected; of each layer the rules of the highest priority count, and the strictest of
/// all of them holds; the limits of all of them count the call. Only where none is about the call do the
/// defaults of the permission table count. A destructive call asks unless an `allow` rule of a global or user layer names
/// that very tool; of a tool behind a human gate every call asks, unless the caller has a grant. The permission of a phase grants changes of files and, at
/// `full-access`, programs, in place of a default only. Without facts it is the strictest that could come.
pub(super) fn decide_call<'l, L: AsRef<CompiledLayer> + 'l>(
    (tool, spec): (usize, &Spec),
    role: &str,
    layers: impl IntoIterator<Item = &'l L>,
    ground: DefaultGround<'_>,
    call: Option<&CallFacts<'_>>,
) -> PolicyDecision {
    let effects = call.map_or(spec.effects, |call| call.reach.effects);
    let mut strictest: Option<(&CompiledLayer, &CompiledRule)> = None;
    let mut obligations = JoinedObligations::default();
    let mut limits = Vec::new();
    let mut waived = false;
    let mut looks_at_arguments = false;
    let unlinked = call.and_then(CallFacts::as_if_unlinked);
    let mut but_for_links = false;
    for layer in layers.into_iter().map(AsRef::as_ref) {
        if let Some(effect) = layer.without.iter().find(|effect| effects.contains(effect)) {
            return effect_refusal(layer, *effect, spec, call.is_some());
        }
        let mut held: Option<&CompiledRule> = None;
        for rule in layer.rules.about(tool) {
            let fit = rule.fit(tool, role, call);
            looks_at_arguments |= fit == RuleFit::Unknown;
            limits.extend(rule.applied_limit(layer, tool, role, call));
            if !fit.counts(rule.decision) {
                let fits = |call: &CallFacts<'_>| rule.fit(tool, role, Some(call)) == RuleFit::Yes;
                but_for_links |=
                    rule.decision == Verdict::Allow && unlinked.as_ref().is_some_and(fits);
                continue;
            }
            obligations = obligations.and(rule.obligations);
            let names_it =
                matches!(layer.level, Level::Global | Level::User) && rule.by_id.contains(tool);
            waived |= names_it && rule.decision == Verdict::Allow;
            // Inside a layer the highest priority holds, the strictest among equals.
            let weight = |rule: &CompiledRule| (rule.priority, rule.decision);
            if held.is_none_or(|held| weight(rule) > weight(held)) {
                held = Some(rule);
            }
        }
        if let Some(rule) = held
            && strictest.is_none_or(|(_, held)| rule.decision > held.decision)
        {
            strictest = Some((layer, rule));
        }
    }
    let granted = !effects.is_empty() && effects.iter().all(|effect| ground.grants(*effect));
    let unseen = ground.elsewhere && granted;
    let destructive =
        call.map_or(spec.destructive, |call| call.reach.destructive) && !waived && !unseen;
    let mut decision = match strictest {
        Some((layer, rule)) => by_rule(layer, rule),
        None => by_default(spec, effects, ground, call),
    };
    if but_for_links && strictest.is_none() && decision.verdict == Verdict::Ask {
        decision.reason = DecisionReason::about("`", spec.id, HAS_OTHER_NAMES);
    }
    let fixed = match strictest {
        Some(_) => decision.verdict > Verdict::Allow || !spec.destructive && !spec.human_gate,
        None => decision.verdict == Verdict::Allow && spec.read_only(),
    };
    if destructive && decision.verdict < Verdict::Ask {
        decision.verdict = Verdict::Ask;
        decision.layer = PolicyLabel::Fixed("defaults");
        decision.rule = None;
        decision.reason = DecisionReason::about(
            "`",
            spec.id,
            "` can destroy what was there, and no `allow` rule of the global or user layer names it",
        );
    }
    if spec.human_gate && !ground.has_grant && decision.verdict < Verdict::Ask {
        decision.verdict = Verdict::Ask;
        decision.layer = PolicyLabel::Fixed("defaults");
        decision.rule = None;
        decision.reason =
            DecisionReason::about("every call of `", spec.id, "` needs a person's approval");
    }
    decision.obligations = obligations;
    decision.limits = limits;
    decision.certain = call.is_some() || fixed && !looks_at_arguments;
    decision
}

/// The denial of a call with an effect that a layer does without.
fn effect_refusal(
    layer: &CompiledLayer,
    effect: Effect,
    spec: &Spec,
    certain: bool,
) -> PolicyDecision {
    let reason = format!(
        "it has the effect `{effect}`, and only calls of `{}` without it are left there",
        spec.id
    );
    PolicyDecision {
        certain,
        ..PolicyDecision::denied(layer.title.clone(), reason)
    }
}

fn by_rule(layer: &CompiledLayer, rule: &CompiledRule) -> PolicyDecision {
    let says = match rule.decision {
        Verdict::Allow => "a rule says `allow`",
        Verdict::Ask => "a rule says `ask`",
        Verdict::Deny => "a rule says `deny`",
    };
    let reason = rule.reason.clone().unwrap_or(PolicyLabel::Fixed(says));
    PolicyDecision {
        verdict: rule.decision,
        layer: layer.title.clone(),
        rule: Some(rule.label.clone()),
        reason: reason.into(),
        obligations: JoinedObligations::default(),
        limits: Vec::new(),
        certain: true,
    }
}

/// The permission table: reads inside the allowed paths and pure tools run, everything else asks.
fn by_default(
    spec: &Spec,
    effects: &[Effect],
    ground: DefaultGround<'_>,
    call: Option<&CallFacts<'_>>,
) -> PolicyDecision {
    let question = question_reason(spec, effects, ground, call);
    let is_granted = || effects.iter().any(|effect| ground.grants(*effect));
    let after = question.unwrap_or_else(|| match is_granted() {
        true => "` does what the permission of its phase grants",
        false => "` reaches nothing that asks",
    });
    PolicyDecision {
        verdict: match question {
            Some(_) => Verdict::Ask,
            None => Verdict::Allow,
        },
        layer: PolicyLabel::Fixed("defaults"),
        rule: None,
        reason: DecisionReason::about("`", spec.id, after),
        obligations: JoinedObligations::default(),
        limits: Vec::new(),
        certain: true,
    }
}

const HAS_OTHER_NAMES: &str = "` uses a file with other names (hard links), which may lie elsewhere: \
     the rule that allows the folder of this one does not count";
/// The entry of `permissions.network.allowed_hosts` that lists every host.
const ANY_HOST: &str = "*";
const RUNS_A_PROGRAM: &str = "` runs a program, and no rule allows it";

/// The first reason to ask a person, if there is one: what follows the name of the tool.
fn question_reason(
    spec: &Spec,
    effects: &[Effect],
    ground: DefaultGround<'_>,
    call: Option<&CallFacts<'_>>,
) -> Option<&'static str> {
    let defaults = ground.defaults;
    let permissions = &defaults.permissions;
    for effect in effects.iter().filter(|effect| !ground.grants(**effect)) {
        let (asks, after) = match effect {
            Effect::ModifiesFiles => (
                permissions.filesystem.requires_approval,
                "` modifies files, and no rule allows it",
            ),
            Effect::LocalExec => (permissions.shell.requires_approval, RUNS_A_PROGRAM),
            Effect::NetworkAccess => continue, // below, for every tool that reaches the network
            Effect::CallsLlm => (true, "` asks a language model, and no rule allows it"),
            Effect::SystemState if spec.permissions.contains(&Permission::Workflow) => (
                permissions.workflow.requires_approval,
                "` changes items of workflows, and no rule allows it",
            ),
            Effect::SystemState => (true, "` changes state, and no rule allows it"),
        };
        if asks {
            return Some(after);
        }
    }
    let needs = |permission| spec.permissions.contains(&permission);
    if needs(Permission::Shell)
        && permissions.shell.requires_approval
        && !ground.grants(Effect::LocalExec)
    {
        return Some(RUNS_A_PROGRAM);
    }
    if needs(Permission::Compute) && permissions.compute.requires_approval {
        return Some("` needs `compute`, which the configuration makes conditional");
    }
    if needs(Permission::Network) || effects.contains(&Effect::NetworkAccess) {
        let network = &permissions.network;
        let listed = |host: &HostFact| {
            let mut entries = network.allowed_hosts.iter();
            entries.any(|entry| host.listed_as(entry))
        };
        let hosts = call
            .and_then(|call| call.hosts.as_ref())
            .filter(|hosts| !hosts.is_empty());
        // Hosts that cannot be told before the call are listed only where every host is.
        let everywhere = match network.allowed_hosts.as_slice() {
            [] => network.requires_approval == Some(false),
            hosts => hosts.iter().any(|host| host == ANY_HOST),
        };
        if network.requires_approval == Some(true) {
            return Some(
                "` reaches the network, and `permissions.network.requires_approval` is true",
            );
        }
        if !everywhere && !hosts.is_some_and(|hosts| hosts.iter().all(listed)) {
            return Some("` reaches a host that `permissions.network.allowed_hosts` does not list");
        }
    }
    if needs(Permission::Filesystem) {
        // The root lists everything in the workspace.
        if defaults.roots.iter().any(Vec::is_empty) {
            return None;
        }
        let listed = |path: &PathFact| path.certainly_under(&defaults.roots);
        let beneath = |paths: &Vec<PathFact>| paths.iter().all(listed);
        if !call.is_some_and(|call| call.paths.as_ref().is_some_and(beneath)) {
            return Some("` uses a path that `permissions.filesystem.allowed_paths` does not list");
        }
    }
    None
}
