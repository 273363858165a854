//! The two questions: what may this caller see, and may this call run now. Pure functions of their arguments.

use tool_core::{Effect, Permission, Spec, Value};

use super::compile::{CompiledLayer, CompiledRule};
use super::facts::{CallFacts, HostFact, PathCondition, PathFact, components, host_fits};
use super::{Decision, Label, Reason, ToolSet};
use crate::digest;
use crate::model::{Level, Match, Obligations, Permissions, Range, Verdict};

/// What a caller may see.
///
/// The selection, narrowed by every layer: intersected with its `allow` where it has one, less its `deny`; tools whose
/// preconditions are unmet are not in it either. The order of the layers does not matter, and none adds anything.
pub fn effective<'l, L: AsRef<CompiledLayer> + 'l>(
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

/// What one rule says to one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fit {
    /// It is about this call.
    Yes,
    /// It is not.
    No,
    /// That cannot be told: the arguments are not known, or not readable as what the rule looks at.
    Unknown,
}

impl Fit {
    /// Both parts must hold.
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::No, _) | (_, Self::No) => Self::No,
            (Self::Yes, Self::Yes) => Self::Yes,
            _ => Self::Unknown,
        }
    }

    fn from(holds: bool) -> Self {
        if holds { Self::Yes } else { Self::No }
    }

    /// Whether a rule with this verdict counts: an `allow` only when it certainly is about the call, `ask` and `deny` also
    /// when that cannot be told.
    pub(super) fn counts(self, decision: Verdict) -> bool {
        match self {
            Self::Yes => true,
            Self::No => false,
            Self::Unknown => decision != Verdict::Allow,
        }
    }
}

impl CompiledRule {
    /// Whether the rule is about this call; without facts, about some call of the tool.
    pub(super) fn fit(&self, tool: usize, role: &str, call: Option<&CallFacts<'_>>) -> Fit {
        if !self.is_about(tool, role) {
            return Fit::No;
        }
        if !self.looks_at_arguments() {
            return Fit::Yes;
        }
        let Some(call) = call else {
            return Fit::Unknown;
        };
        let fit = self.fit_but_for_hosts(call);
        let narrows = self.decision == Verdict::Allow;
        match &self.hosts {
            Some(hosts) => fit.and(hosts_fit(hosts, call, narrows)),
            None => fit,
        }
    }

    /// What the other parts than `url.host` say to the arguments.
    pub(super) fn fit_but_for_hosts(&self, call: &CallFacts<'_>) -> Fit {
        let narrows = self.decision == Verdict::Allow;
        let mut fit = Fit::Yes;
        let matches = &self.matches;
        if let Some(paths) = &self.paths {
            fit = fit.and(paths_fit(paths, call, narrows));
        }
        if let Some(prefix) = &matches.argv_prefix {
            fit = fit.and(programs_fit(prefix, call, narrows));
        }
        if let Some(range) = &matches.number {
            fit = fit.and(numbers_fit(range, call.args, narrows));
        }
        if let Some(range) = &matches.bytes {
            fit = fit.and(Fit::from(lies_in(range, longest_text(call.args) as f64)));
        }
        if let Some(destructive) = matches.destructive {
            fit = fit.and(Fit::from(call.reach.destructive == destructive));
        }
        if let Some(wanted) = &matches.effects {
            let mut effects = call.reach.effects.iter();
            fit = fit.and(Fit::from(match narrows {
                true => effects.all(|effect| wanted.contains(effect)),
                false => effects.any(|effect| wanted.contains(effect)),
            }));
        }
        for (name, wanted) in matches.args.iter().flatten() {
            let found = call.args.get(name);
            let same = |found| digest::of_value(found) == digest::of_value(wanted);
            fit = fit.and(Fit::from(found.is_some_and(same)));
        }
        if let Some(wanted) = &matches.call {
            fit = fit.and(Fit::from(digest::of_value(call.args) == *wanted));
        }
        fit
    }

    /// Whether it is about a tool and a role at all.
    pub(super) fn is_about(&self, tool: usize, role: &str) -> bool {
        self.tools.contains(tool) && self.role.as_ref().is_none_or(|wanted| wanted == role)
    }

    fn looks_at_arguments(&self) -> bool {
        let Match {
            tools: _,
            role: _,
            path_under,
            path_glob,
            argv_prefix,
            url_host,
            number,
            bytes,
            destructive,
            effects,
            args,
            call,
        } = &self.matches;
        let lists = [path_under, path_glob, argv_prefix, url_host];
        lists.into_iter().any(Option::is_some)
            || number.is_some()
            || bytes.is_some()
            || destructive.is_some()
            || effects.is_some()
            || args.is_some()
            || call.is_some()
    }
}

/// `allow` wants every path of the tool to be one of those meant; `ask` and `deny` care for any, files of arguments included.
fn paths_fit(wanted: &PathCondition, call: &CallFacts<'_>, narrows: bool) -> Fit {
    let Some(paths) = &call.paths else {
        return Fit::Unknown;
    };
    if narrows {
        return Fit::from(!paths.is_empty() && paths.iter().all(|path| wanted.certainly(path)));
    }
    let mut all = paths.iter().chain(&call.files);
    if all.clone().any(|path| wanted.certainly(path)) {
        return Fit::Yes;
    }
    if all.any(|path| wanted.possibly(path)) {
        Fit::Unknown
    } else {
        Fit::No
    }
}

/// `allow` compares the words as they are; `ask` and `deny` also see through a path before the program's name.
fn programs_fit(prefix: &[String], call: &CallFacts<'_>, narrows: bool) -> Fit {
    let Some(programs) = &call.programs else {
        return Fit::Unknown;
    };
    let begins = |words: &Vec<String>| {
        let bare = |word: &String| word.rsplit('/').next().unwrap_or_default().to_owned();
        let same_program = words.first() == prefix.first()
            || !narrows && words.first().map(bare) == prefix.first().map(bare);
        same_program && words.len() >= prefix.len() && words[1..prefix.len()] == prefix[1..]
    };
    if narrows {
        Fit::from(!programs.is_empty() && programs.iter().all(begins))
    } else {
        Fit::from(programs.iter().any(begins))
    }
}

fn hosts_fit(patterns: &[String], call: &CallFacts<'_>, narrows: bool) -> Fit {
    let Some(hosts) = &call.hosts else {
        return Fit::Unknown;
    };
    let listed = |host: &HostFact| (patterns.iter()).any(|pattern| host_fits(pattern, &host.name));
    if narrows {
        Fit::from(!hosts.is_empty() && hosts.iter().all(listed))
    } else {
        Fit::from(hosts.iter().any(listed))
    }
}

fn numbers_fit(range: &Range, args: &Value, narrows: bool) -> Fit {
    let Some(object) = args.as_object() else {
        return Fit::Unknown;
    };
    let numbers: Vec<f64> = match &range.argument {
        Some(name) => match object.get(name) {
            None | Some(Value::Null) => return Fit::No,
            Some(value) => match value.as_f64() {
                Some(number) => vec![number],
                None => return Fit::Unknown,
            },
        },
        None => object
            .iter()
            .filter_map(|(_, value)| value.as_f64())
            .collect(),
    };
    if narrows {
        Fit::from(!numbers.is_empty() && numbers.iter().all(|number| lies_in(range, *number)))
    } else {
        Fit::from(numbers.iter().any(|number| lies_in(range, *number)))
    }
}

fn lies_in(range: &Range, number: f64) -> bool {
    range.min.is_none_or(|min| number >= min) && range.max.is_none_or(|max| number <= max)
}

/// Length of the longest text anywhere among the arguments; arguments are at most 128 deep.
fn longest_text(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(longest_text).max().unwrap_or(0),
        Value::Object(object) => object
            .iter()
            .map(|(_, member)| longest_text(member))
            .max()
            .unwrap_or(0),
        _ => 0,
    }
}

/// Whether a visible tool's call may run now.
///
/// Every explicit rule of every layer is collected; of each layer the rules of the highest priority count, and the strictest of
/// all of them holds. Only where none is about the call do the
/// defaults of the permission table count. A destructive call asks unless an `allow` rule of a global or user layer names
/// that very tool. Without facts it is the strictest that could come.
pub(super) fn decide<'l, L: AsRef<CompiledLayer> + 'l>(
    (tool, spec): (usize, &Spec),
    role: &str,
    layers: impl IntoIterator<Item = &'l L>,
    permissions: &Permissions,
    call: Option<&CallFacts<'_>>,
) -> Decision {
    let effects = call.map_or(spec.effects, |call| call.reach.effects);
    let mut strictest: Option<(&CompiledLayer, &CompiledRule)> = None;
    let mut obligations = Obligations::default();
    let mut waived = false;
    let mut looks_at_arguments = false;
    let unlinked = call.and_then(CallFacts::as_if_unlinked);
    let mut but_for_links = false;
    for layer in layers.into_iter().map(AsRef::as_ref) {
        if let Some(effect) = layer.without.iter().find(|effect| effects.contains(effect)) {
            return refused(layer, *effect, spec, call.is_some());
        }
        let mut held: Option<&CompiledRule> = None;
        for rule in layer.rules.about(tool) {
            let fit = rule.fit(tool, role, call);
            looks_at_arguments |= fit == Fit::Unknown;
            if !fit.counts(rule.decision) {
                but_for_links |= rule.decision == Verdict::Allow
                    && unlinked
                        .as_ref()
                        .is_some_and(|call| rule.fit(tool, role, Some(call)) == Fit::Yes);
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
    let destructive = call.map_or(spec.destructive, |call| call.reach.destructive) && !waived;
    let mut decision = match strictest {
        Some((layer, rule)) => by_rule(layer, rule),
        None => by_default(spec, effects, permissions, call),
    };
    if but_for_links && strictest.is_none() && decision.verdict == Verdict::Ask {
        decision.reason = Reason::about("`", spec.id, HAS_OTHER_NAMES);
    }
    let fixed = match strictest {
        Some(_) => decision.verdict > Verdict::Allow || !spec.destructive,
        None => decision.verdict == Verdict::Allow && spec.read_only(),
    };
    if destructive && decision.verdict < Verdict::Ask {
        decision.verdict = Verdict::Ask;
        decision.layer = Label::Fixed("defaults");
        decision.rule = None;
        decision.reason = Reason::about(
            "`",
            spec.id,
            "` can destroy what was there, and no `allow` rule of the global or user layer names it",
        );
    }
    decision.obligations = obligations;
    decision.certain = call.is_some() || fixed && !looks_at_arguments;
    decision
}

/// The denial of a call with an effect that a layer does without.
fn refused(layer: &CompiledLayer, effect: Effect, spec: &Spec, certain: bool) -> Decision {
    let reason = format!(
        "it has the effect `{effect}`, and only calls of `{}` without it are left there",
        spec.id
    );
    Decision {
        certain,
        ..Decision::denied(layer.title.clone(), reason)
    }
}

fn by_rule(layer: &CompiledLayer, rule: &CompiledRule) -> Decision {
    let says = match rule.decision {
        Verdict::Allow => "a rule says `allow`",
        Verdict::Ask => "a rule says `ask`",
        Verdict::Deny => "a rule says `deny`",
    };
    let reason = rule.reason.clone().unwrap_or(Label::Fixed(says));
    Decision {
        verdict: rule.decision,
        layer: layer.title.clone(),
        rule: Some(rule.label.clone()),
        reason: reason.into(),
        obligations: Obligations::default(),
        certain: true,
    }
}

/// The permission table: reads inside the allowed paths and pure tools run, everything else asks.
fn by_default(
    spec: &Spec,
    effects: &[Effect],
    permissions: &Permissions,
    call: Option<&CallFacts<'_>>,
) -> Decision {
    let question = questions(spec, effects, permissions, call);
    let after = question.unwrap_or("` reaches nothing that asks");
    Decision {
        verdict: match question {
            Some(_) => Verdict::Ask,
            None => Verdict::Allow,
        },
        layer: Label::Fixed("defaults"),
        rule: None,
        reason: Reason::about("`", spec.id, after),
        obligations: Obligations::default(),
        certain: true,
    }
}

const HAS_OTHER_NAMES: &str = "` uses a file with other names (hard links), which may lie elsewhere: \
     the rule that allows the folder of this one does not count";
const RUNS_A_PROGRAM: &str = "` runs a program, and no rule allows it";

/// The first reason to ask a person, if there is one: what follows the name of the tool.
fn questions(
    spec: &Spec,
    effects: &[Effect],
    permissions: &Permissions,
    call: Option<&CallFacts<'_>>,
) -> Option<&'static str> {
    for effect in effects {
        let asks = match effect {
            Effect::ModifiesFiles => permissions
                .filesystem_asks
                .then_some("` modifies files, and no rule allows it"),
            Effect::LocalExec => permissions.shell_asks.then_some(RUNS_A_PROGRAM),
            Effect::NetworkAccess => None, // below, for every tool that reaches the network
            Effect::CallsLlm => Some("` asks a language model, and no rule allows it"),
            Effect::SystemState => Some("` changes state, and no rule allows it"),
        };
        if asks.is_some() {
            return asks;
        }
    }
    let needs = |permission| spec.permissions.contains(&permission);
    if needs(Permission::Shell) && permissions.shell_asks {
        return Some(RUNS_A_PROGRAM);
    }
    if needs(Permission::Compute) && permissions.compute_asks {
        return Some("` needs `compute`, which the configuration makes conditional");
    }
    if needs(Permission::Network) || effects.contains(&Effect::NetworkAccess) {
        let listed = |host: &HostFact| {
            permissions
                .allowed_hosts
                .iter()
                .any(|entry| host.listed_as(entry))
        };
        let hosts = call.and_then(|call| call.hosts.as_ref());
        if permissions.network_asks
            || !hosts.is_some_and(|hosts| !hosts.is_empty() && hosts.iter().all(listed))
        {
            return Some("` reaches a host that `permissions.network.allowed_hosts` does not list");
        }
    }
    if needs(Permission::Filesystem) {
        let roots: Vec<Vec<String>> = permissions
            .allowed_paths
            .iter()
            .filter_map(|path| components(path))
            .collect();
        // The root itself is the rule of the workspace: whatever lies in it is beneath it.
        if roots.iter().any(Vec::is_empty) {
            return None;
        }
        let beneath = |paths: &Vec<PathFact>| paths.iter().all(|path| path.certainly_under(&roots));
        if !call.is_some_and(|call| call.paths.as_ref().is_some_and(beneath)) {
            return Some("` uses a path that `permissions.filesystem.allowed_paths` does not list");
        }
    }
    None
}
