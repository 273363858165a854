//! What is too large a part of a whole: plans that fell back, one tool, one role.

use std::collections::BTreeMap;

use registry::model::AnomalyLimits;

use super::facts::{Call, Chain, Facts, Site};
use super::{Finding, Kind, Location, is_above, names, percent};

/// Plans that were to run by dependencies and ran one step after the other.
pub(super) fn fallback(facts: &Facts<'_>, limits: &AnomalyLimits, findings: &mut Vec<Finding>) {
    let wanted: Vec<&Chain<'_>> = facts
        .chains
        .iter()
        .filter(|chain| chain.wanted_dep)
        .collect();
    let fell: Vec<(&str, &Chain<'_>)> = wanted
        .iter()
        .filter_map(|chain| Some((chain.fallback?, *chain)))
        .collect();
    let enough = wanted.len() as u64 >= limits.chains_least;
    if !enough || !is_above(fell.len(), wanted.len(), limits.fallback_percent) {
        return;
    }
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for (reason, _) in &fell {
        *reasons.entry(reason).or_default() += 1;
    }
    let most = reasons.into_iter().rev().max_by_key(|(_, count)| *count);
    let reason = most.map_or("", |(reason, _)| reason);
    let example = fell.iter().find(|(one, _)| *one == reason);
    findings.push(Finding {
        kind: Kind::Fallback,
        location: example.map_or_else(Location::default, |(_, chain)| {
            Location::of_site(Site::Run(chain.id))
        }),
        measured: percent(fell.len(), wanted.len()),
        threshold: limits.fallback_percent as f64,
        unit: "% of plans",
        message: format!(
            "{} of {} plans ran one step after the other, most often because: {reason}",
            fell.len(),
            wanted.len()
        ),
        next: "`mathchain run PLAN --explain` names the steps; say what they touch as a literal, or the order with `after`, or ask for `mode: seq`"
            .to_owned(),
        calls: Vec::new(),
    });
}

/// One tool, or one role, that nearly all calls are of. Where there is no other, that is no wonder and nothing is said.
pub(super) fn shares(facts: &Facts<'_>, limits: &AnomalyLimits, findings: &mut Vec<Finding>) {
    if (facts.calls.len() as u64) < limits.share_calls_least {
        return;
    }
    if let Some((tool, calls)) = leader(facts, |call| call.tool, limits.tool_percent) {
        let share = percent(calls.len(), facts.calls.len());
        findings.push(Finding {
            kind: Kind::ToolShare,
            location: Location {
                tool: Some(tool.to_owned()),
                ..Location::default()
            },
            measured: share,
            threshold: limits.tool_percent as f64,
            unit: "% of calls",
            message: message(&calls, facts, &format!("of `{tool}`")),
            next: format!(
                "`mathchain tools show {tool}`: one call with an array, or a `map` in one plan, may do the work of many"
            ),
            calls: names(calls),
        });
    }
    let by_role = |call: &Call<'_>| !call.role.is_empty();
    if !facts.calls.iter().all(by_role) {
        return;
    }
    if let Some((role, calls)) = leader(facts, |call| call.role, limits.role_percent) {
        let share = percent(calls.len(), facts.calls.len());
        findings.push(Finding {
            kind: Kind::RoleShare,
            location: Location {
                role: Some(role.to_owned()),
                ..Location::default()
            },
            measured: share,
            threshold: limits.role_percent as f64,
            unit: "% of calls",
            message: message(&calls, facts, &format!("by the role `{role}`")),
            next: "`mathchain policy matrix` shows what other roles may do; work that none but this one may do ends up here"
                .to_owned(),
            calls: names(calls),
        });
    }
}

fn message(calls: &[&Call<'_>], facts: &Facts<'_>, whose: &str) -> String {
    format!("{} of {} calls are {whose}", calls.len(), facts.calls.len())
}

/// The name that more than this share of all calls have, where some have another.
fn leader<'a, 'b: 'a>(
    facts: &'a Facts<'b>,
    name: impl Fn(&Call<'b>) -> &'b str,
    percent: u64,
) -> Option<(&'b str, Vec<&'a Call<'b>>)> {
    let mut groups: BTreeMap<&str, Vec<&Call<'_>>> = BTreeMap::new();
    for call in &facts.calls {
        groups.entry(name(call)).or_default().push(call);
    }
    let others = groups.len() > 1;
    let (name, calls) = groups
        .into_iter()
        .rev()
        .max_by_key(|(_, calls)| calls.len())?;
    (others && is_above(calls.len(), facts.calls.len(), percent)).then_some((name, calls))
}
