//! Verdicts on tools that are handed on: layers and rules hold for them as for ours, as far as they are known.

use tool_core::Effect;

use super::compile::{CompiledLayer, CompiledRule};
use super::condition::Fit;
use super::decide::Ground;
use super::outside::HandedTool;
use super::{Caller, Decision, Label, Reason};
use crate::model::{Level, Obligations, Selector, Verdict};

impl CompiledLayer {
    /// Whether it is the layer of a permission, which the command line enforces itself on tools of which nothing is known.
    fn is_permission(&self) -> bool {
        self.level == Level::Phase && self.name.starts_with("permission ")
    }

    /// Why it hides a tool that is handed on; what cannot be told hides it.
    fn hides(&self, tool: &HandedTool) -> Option<Reason> {
        let limits = &self.handed;
        let title = || self.title.clone();
        let unknown = !self.is_permission();
        let lacks = |effect: &Effect| tool.has(*effect).unwrap_or(unknown);
        if tool.is_selected(&limits.deny, unknown) || self.without.iter().any(lacks) {
            return Some(Reason::about("denied by layer ", title(), ""));
        }
        let listed = limits.allow.as_ref();
        let listed = listed.is_none_or(|allow| tool.is_selected(allow, false));
        (!listed).then(|| Reason::about("layer ", title(), " does not list it"))
    }
}

impl CompiledRule {
    /// Whether the rule is about a tool that is handed on, whose arguments are not seen here.
    fn fit_handed(&self, tool: &HandedTool, role: &str) -> Fit {
        if self.role.as_ref().is_some_and(|wanted| wanted != role) {
            return Fit::No;
        }
        let fits = |selector: &Selector| match tool.selected_by(&selector.text) {
            Some(true) => Fit::Yes,
            Some(false) => Fit::No,
            None => Fit::Unknown,
        };
        let mut found = Fit::No;
        for fit in self.matches.tools.iter().map(fits) {
            match fit {
                Fit::Yes => found = Fit::Yes,
                Fit::Unknown if found == Fit::No => found = Fit::Unknown,
                _ => {}
            }
        }
        match self.conditions.is_empty() {
            true => found,
            false => found.and(Fit::Unknown),
        }
    }
}

impl Caller<'_> {
    /// The selected tools that are handed on, in order, each with its verdict: whether the caller has it, and whether its calls ask.
    pub fn handed(&self) -> Vec<(HandedTool, Decision)> {
        let names = self.start.tools().external.iter();
        let tools = names.map(|name| HandedTool::of(name));
        tools
            .map(|tool| {
                let decision = self.decide_handed(&tool);
                (tool, decision)
            })
            .collect()
    }

    fn decide_handed(&self, tool: &HandedTool) -> Decision {
        let hiding = self
            .layers()
            .find_map(|layer| Some((layer, layer.hides(tool)?)));
        if let Some((layer, reason)) = hiding {
            return Decision::denied(layer.title.clone(), reason);
        }
        let mut strictest: Option<(&CompiledLayer, &CompiledRule)> = None;
        for layer in self.layers() {
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
                    .unwrap_or(Label::Fixed("a rule is about it"));
                let label = Some(rule.label.clone());
                (
                    rule.decision,
                    layer.title.clone(),
                    label,
                    Reason::from(says),
                )
            }
            None => {
                let (verdict, reason) = self.handed_default(tool);
                (
                    verdict,
                    Label::Fixed("defaults"),
                    None,
                    Reason::from(reason),
                )
            }
        };
        Decision {
            verdict,
            layer,
            rule,
            reason,
            obligations: Obligations::default(),
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
        let ground = Ground {
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
