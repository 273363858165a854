//! Verdicts on tools that are handed on: layers and rules hold for them as for ours, as far as they are known.

use tool_core::Effect;

use super::compile::{CompiledLayer, CompiledRule};
use super::condition::RuleFit;
use super::decide::DefaultGround;
use super::outside::HandedTool;
use super::{CallerPolicy, DecisionReason, PolicyDecision, PolicyLabel};
use crate::model::{JoinedObligations, Level, ToolSelector, Verdict};

impl CompiledLayer {
    /// Whether it is the layer of a permission, which the command line enforces itself on tools of which nothing is known.
    fn is_permission(&self) -> bool {
        self.level == Level::Phase && self.name.starts_with("permission ")
    }

    /// Why it hides a tool that is handed on; what cannot be told hides it.
    fn hides(&self, tool: &HandedTool) -> Option<DecisionReason> {
        let limits = &self.handed;
        let title = || self.title.clone();
        let unknown = !self.is_permission();
        let lacks = |effect: &Effect| tool.has(*effect).unwrap_or(unknown);
        if tool.is_selected(&limits.deny, unknown) || self.without.iter().any(lacks) {
            return Some(DecisionReason::about("denied by layer ", title(), ""));
        }
        let listed = limits.allow.as_ref();
        let listed = listed.is_none_or(|allow| tool.is_selected(allow, false));
        (!listed).then(|| DecisionReason::about("layer ", title(), " does not list it"))
    }
}

impl CompiledRule {
    /// Whether the rule is about a tool that is handed on, whose arguments are not seen here.
    fn fit_handed(&self, tool: &HandedTool, role: &str) -> RuleFit {
        if self.role.as_ref().is_some_and(|wanted| wanted != role) {
            return RuleFit::No;
        }
        let fits = |selector: &ToolSelector| match tool.selected_by(&selector.text) {
            Some(true) => RuleFit::Yes,
            Some(false) => RuleFit::No,
            None => RuleFit::Unknown,
        };
        let mut found = RuleFit::No;
        for fit in self.matches.tools.iter().map(fits) {
            match fit {
                RuleFit::Yes => found = RuleFit::Yes,
                RuleFit::Unknown if found == RuleFit::No => found = RuleFit::Unknown,
                _ => {}
            }
        }
        match self.conditions.is_empty() {
            true => found,
            false => found.and(RuleFit::Unknown),
        }
    }
}

/// Why a tool that is handed on is denied where a rule limits its calls.
const NOT_COUNTED: &str = "a rule limits its calls, which are not made here and cannot be counted";

impl CallerPolicy<'_> {
    /// The selected tools that are handed on, in order, each with its verdict: whether the caller has it, and whether its calls ask.
    pub fn handed(&self) -> Vec<(HandedTool, PolicyDecision)> {
        let names = self.start.tools().external.iter();
        let tools = names.map(|name| HandedTool::of(name));
        tools
            .map(|tool| {
                let decision = self.decide_handed(&tool);
                (tool, decision)
            })
            .collect()
    }

    fn decide_handed(&self, tool: &HandedTool) -> PolicyDecision {
        let hiding = self
            .layers()
            .find_map(|layer| Some((layer, layer.hides(tool)?)));
        if let Some((layer, reason)) = hiding {
            return PolicyDecision::denied(layer.title.clone(), reason);
        }
        let mut strictest: Option<(&CompiledLayer, &CompiledRule)> = None;
        for layer in self.layers() {
            let mut rules = layer.rules.into_iter();
            let counted = |rule: &&CompiledRule| {
                rule.limit.is_some() && rule.fit_handed(tool, self.role()) != RuleFit::No
            };
            if let Some(rule) = rules.find(counted) {
                return PolicyDecision {
                    rule: Some(rule.label.clone()),
                    ..PolicyDecision::denied(layer.title.clone(), NOT_COUNTED)
                };
            }
            let counting = layer.rules.into_iter().filter(|rule| {
                let fit = rule.fit_handed(tool, self.role());
                fit.counts(rule.decision)
            });
            let weight = |rule: &&CompiledRule| (rule.priority, rule.decision);
            if let Some(held) = counting.max_by_key(weight)
                && strictest.is_none_or(|(_, other)| held.decision > other.decision)
            {
                strictest = Some((layer, held));
            }
        }
        let (verdict, layer, rule, reason) = match strictest {
            Some((layer, rule)) => {
                let says = rule
                    .reason
                    .clone()
                    .unwrap_or(PolicyLabel::Fixed("a rule is about it"));
                let label = Some(rule.label.clone());
                (
                    rule.decision,
                    layer.title.clone(),
                    label,
                    DecisionReason::from(says),
                )
            }
            None => {
                let (verdict, reason) = self.handed_default(tool);
                (
                    verdict,
                    PolicyLabel::Fixed("defaults"),
                    None,
                    DecisionReason::from(reason),
                )
            }
        };
        PolicyDecision {
            verdict,
            layer,
            rule,
            reason,
            obligations: JoinedObligations::default(),
            limits: Vec::new(),
            certain: true,
        }
    }

    /// The verdict of the permission table, and why.
    fn handed_default(&self, tool: &HandedTool) -> (Verdict, &'static str) {
        let Some(effects) = &tool.effects else {
            return (
                Verdict::Ask,
                "nothing is known of what it does, and no rule allows it",
            );
        };
        let ground = DefaultGround {
            defaults: &self.policy.defaults,
            permission: self.policy.granted(self.start.permission()),
            elsewhere: true,
            has_grant: false,
        };
        let permissions = self.policy.permissions();
        let asks = |effect: &&Effect| match effect {
            Effect::ModifiesFiles => permissions.filesystem.requires_approval,
            Effect::LocalExec => permissions.shell.requires_approval,
            Effect::NetworkAccess => permissions.network.requires_approval == Some(true),
            Effect::CallsLlm | Effect::SystemState => true,
        };
        let mut asking = effects.iter().filter(|effect| !ground.grants(**effect));
        match asking.find(asks) {
            Some(_) => (
                Verdict::Ask,
                "its effects need approval, and no rule allows it",
            ),
            None => (Verdict::Allow, "nothing that it does needs approval"),
        }
    }
}
