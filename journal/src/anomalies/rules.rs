//! The rules: each compares recorded calls and plans with a limit of the configuration.

use std::collections::{BTreeMap, BTreeSet};

use registry::model::AnomalyLimits;

use super::facts::{CallSite, EndedCall, PlanExecution, RunFacts};
use super::{Anomaly, AnomalyEvidence, AnomalyLocation, Kind};
use crate::RunState;

/// Runs that are marked as running although no process executes them.
pub(super) fn stalled_runs(evidence: AnomalyEvidence<'_>) -> impl Iterator<Item = Anomaly> {
    let stalled = evidence.runs.iter().filter(move |run| {
        run.state == RunState::Running
            && run.holder.is_none()
            && evidence.of.is_none_or(|id| run.id == id)
    });
    stalled.map(|run| Anomaly {
        kind: Kind::StalledRun,
        location: AnomalyLocation::of_site(CallSite::Run(&run.id)),
        measured: 0.0,
        threshold: 1.0,
        message: format!(
            "the run of `{}` is marked as running, but no process executes it",
            run.plan_id
        ),
        next: format!("resume it: `mathchain runs resume {}`", run.id),
        calls: Vec::new(),
    })
}

/// Calls that took too long, one finding per tool and run; and waves that did although none of their calls did.
pub(super) fn find_stalls(
    facts: &RunFacts<'_>,
    usual_ms: &BTreeMap<&str, f64>,
    limits: &AnomalyLimits,
) -> Vec<Anomaly> {
    let is_slow = |call: &&EndedCall<'_>| {
        let usual = usual_ms.get(call.tool);
        !call.cached
            && usual.is_some_and(|usual| call.elapsed_ms > stall_threshold_ms(*usual, limits))
    };
    let slow = facts.calls.iter().filter(is_slow);
    let slow = group_by_key(slow, |call| (call.site, call.tool));
    let mut findings = Vec::new();
    for calls in slow.values() {
        let by_time =
            |a: &&&EndedCall<'_>, b: &&&EndedCall<'_>| a.elapsed_ms.total_cmp(&b.elapsed_ms);
        let Some(longest) = calls.iter().max_by(by_time) else {
            continue;
        };
        let usual = usual_ms[longest.tool];
        findings.push(Anomaly {
            kind: Kind::StalledStep,
            location: AnomalyLocation::of_call(longest),
            measured: longest.elapsed_ms,
            threshold: stall_threshold_ms(usual, limits),
            message: format!(
                "{} of `{}` took up to {} ms; the median is {usual} ms",
                count_with_noun(calls.len(), "call"),
                longest.tool,
                longest.elapsed_ms,
            ),
            next: format!(
                "show the call: `mathchain audit show {}`; a `timeout_ms` on the step stops such calls",
                longest.call_id
            ),
            calls: newest_call_ids(calls.iter().copied()),
        });
    }
    let explained: BTreeSet<CallSite<'_>> = slow.keys().map(|(site, _)| *site).collect();
    let by_site = group_by_key(&facts.calls, |call| call.site);
    for chain in &facts.chains {
        let site = CallSite::Run(chain.id);
        if let Some(calls) = by_site.get(&site)
            && !explained.contains(&site)
        {
            findings.extend(slowest_wave(chain, calls, usual_ms, limits));
        }
    }
    findings
}

/// The duration above which a call or wave counts as stalled, in milliseconds.
fn stall_threshold_ms(usual_ms: f64, limits: &AnomalyLimits) -> f64 {
    (usual_ms * limits.stall_times as f64).max(limits.stall_ms as f64)
}

/// The longest of the waves of a plan that took too long.
fn slowest_wave(
    chain: &PlanExecution<'_>,
    calls: &[&EndedCall<'_>],
    usual_ms: &BTreeMap<&str, f64>,
    limits: &AnomalyLimits,
) -> Option<Anomaly> {
    // The pause before a retry is part of the wave, and intended.
    if calls.iter().any(|call| call.attempt > 1) {
        return None;
    }
    // No bound is lower: this dismisses most waves at once.
    let least = limits.stall_ms as f64;
    let long = (chain.waves.iter().enumerate()).filter(|&(_, &took)| took > least);
    let slow = long.filter_map(|(wave, &took)| {
        // Without a barrier, steps of any wave may run during this one.
        let meanwhile =
            |call: &&&EndedCall<'_>| !chain.barrier || call.wave == i64::try_from(wave).ok();
        let usual = |call: &&EndedCall<'_>| match call.cached {
            true => Some(0.0),
            false => usual_ms.get(call.tool).copied(),
        };
        let usual = (calls.iter().filter(meanwhile).map(usual)).sum::<Option<f64>>()?;
        (took > stall_threshold_ms(usual, limits)).then_some((wave, took, usual))
    });
    let (wave, took, usual) = slow.max_by(|a, b| a.1.total_cmp(&b.1))?;
    Some(Anomaly {
        kind: Kind::StalledWave,
        location: AnomalyLocation {
            wave: Some(wave),
            ..AnomalyLocation::of_site(CallSite::Run(chain.id))
        },
        measured: took,
        threshold: stall_threshold_ms(usual, limits),
        message: format!(
            "wave {wave} took {took} ms; its calls in sequence usually take {usual} ms, so it waited for something else"
        ),
        next: "look for other processes that use the same files, or a busy machine: `mathchain doctor`"
            .to_owned(),
        calls: Vec::new(),
    })
}

/// Failures among some calls of one tool.
struct ToolFailures<'a> {
    calls: usize,
    failed: Vec<&'a EndedCall<'a>>,
}

impl<'a> ToolFailures<'a> {
    fn of(calls: &[&'a EndedCall<'a>], counts: impl Fn(&EndedCall<'_>) -> bool) -> Self {
        let failed = calls.iter().copied();
        let failed = failed
            .filter(|call| call.failed.is_some() && counts(call))
            .collect();
        Self {
            calls: calls.len(),
            failed,
        }
    }

    /// Whether there are enough of them, in number and as a share of the calls.
    fn is_much(&self, least: u64, percent: u64) -> bool {
        let succeeded = self.calls - self.failed.len();
        self.failed.len() as u64 >= least
            && !is_above(succeeded, self.calls, 100_u64.saturating_sub(percent))
    }

    /// The run or session and the step that all failures share, and the tool.
    fn location(&self) -> AnomalyLocation {
        let Some((first, rest)) = self.failed.split_first() else {
            return AnomalyLocation::default();
        };
        let mut location = AnomalyLocation::of_call(first);
        if rest.iter().any(|call| call.step != first.step) {
            location.step = None;
        }
        if rest.iter().any(|call| call.site != first.site) {
            (location.run, location.session, location.step) = (None, None, None);
        }
        location
    }

    fn finding(&self, kind: Kind, least: u64, how: &str) -> Anomaly {
        let (tool, call_id, role) = match self.failed.first() {
            Some(newest) => (newest.tool, newest.call_id, newest.role),
            None => ("", "", ""),
        };
        let code = most_common(self.failed.iter().filter_map(|call| call.failed));
        let code = code.unwrap_or("unknown");
        Anomaly {
            kind,
            location: self.location(),
            measured: self.failed.len() as f64,
            threshold: least as f64,
            message: format!(
                "{} of {} of `{tool}` failed{how} ({} %), most often with `{code}`",
                self.failed.len(),
                count_with_noun(self.calls, "call"),
                percent_share(self.failed.len(), self.calls)
            ),
            next: match code {
                "policy_denied" | "not_visible" | "approval_required" | "approval_declined"
                | "approval_expired" => {
                    format!("`mathchain policy explain {role} {tool}` shows the deciding rule")
                }
                "invalid_args" => format!(
                    "`mathchain tools show {tool}` shows its arguments, `mathchain audit show {call_id}` the error"
                ),
                "timeout" => "raise `timeout_ms`, or do less work in one call".to_owned(),
                _ => {
                    format!("`mathchain audit show {call_id}` shows the newest one with its error")
                }
            },
            calls: newest_call_ids(self.failed.iter().copied()),
        }
    }
}

/// Tools that fail repeatedly: overall, and instantly within one run or session.
pub(super) fn find_repeated_failures(facts: &RunFacts<'_>, limits: &AnomalyLimits) -> Vec<Anomaly> {
    let mut findings = Vec::new();
    let mut reported: BTreeMap<&str, usize> = BTreeMap::new();
    for ((tool, _), calls) in group_by_key(&facts.calls, |call| (call.tool, call.site)) {
        let instant = ToolFailures::of(&calls, |call| call.elapsed_ms <= limits.instant_ms as f64);
        if instant.is_much(limits.instant_least, limits.failure_percent) {
            *reported.entry(tool).or_default() += instant.failed.len();
            let how = format!(" within {} ms", limits.instant_ms);
            findings.push(instant.finding(Kind::InstantFailures, limits.instant_least, &how));
        }
    }
    for (tool, calls) in group_by_key(&facts.calls, |call| call.tool) {
        let all = ToolFailures::of(&calls, |_| true);
        // Failures that are all reported as instant are not reported twice.
        let is_more = all.failed.len() > reported.get(tool).copied().unwrap_or_default();
        if is_more && all.is_much(limits.failures_least, limits.failure_percent) {
            findings.push(all.finding(Kind::RepeatedFailures, limits.failures_least, ""));
        }
    }
    findings
}

/// Tools whose calls in one run are retried too often.
pub(super) fn find_excessive_retries(facts: &RunFacts<'_>, limits: &AnomalyLimits) -> Vec<Anomaly> {
    // A repeated direct call is a call of its own.
    let steps = facts.calls.iter().filter(|call| call.step.is_some());
    let mut findings = Vec::new();
    for ((_, tool), calls) in group_by_key(steps, |call| (call.site, call.tool)) {
        let units = group_by_key(calls, |call| (call.step, call.item));
        let attempts = units
            .values()
            .map(|attempts| attempts.iter().copied().rev());
        let last = attempts.filter_map(|attempts| attempts.max_by_key(|call| call.attempt));
        let last: Vec<&EndedCall<'_>> = last.collect();
        let attempts: u64 = last.iter().map(|call| call.attempt).sum();
        let most = u128::from(limits.attempts_per_call) * last.len() as u128;
        if attempts < limits.attempts_least || u128::from(attempts) <= most {
            continue;
        }
        let Some(worst) = last.iter().rev().max_by_key(|call| call.attempt) else {
            continue;
        };
        let retried = || last.iter().copied().filter(|call| call.attempt > 1);
        let mut location = AnomalyLocation::of_call(worst);
        if retried().any(|call| call.step != worst.step) {
            location.step = None;
        }
        findings.push(Anomaly {
            kind: Kind::RetryStorm,
            location,
            measured: (attempts as f64 / last.len() as f64 * 100.0).round() / 100.0,
            threshold: limits.attempts_per_call as f64,
            message: format!(
                "{attempts} attempts for {} of `{tool}`, {} for the worst (`{}`)",
                count_with_noun(last.len(), "call"),
                worst.attempt,
                worst.step.unwrap_or_default()
            ),
            next: "retry only transient errors (`retry: {on: [..]}`), fewer times (`max`), after a longer pause (`backoff_ms`)".to_owned(),
            calls: newest_call_ids(retried()),
        });
    }
    findings
}

/// Plans that were to run by dependencies and ran sequentially.
pub(super) fn find_sequential_fallback(
    facts: &RunFacts<'_>,
    limits: &AnomalyLimits,
) -> Option<Anomaly> {
    let wanted = facts.chains.iter().filter(|chain| chain.wanted_dep).count();
    let fallen = facts.chains.iter().filter(|chain| chain.wanted_dep);
    let fallen = fallen.filter_map(|chain| Some((chain.fallback?, chain.id)));
    let fallen: Vec<(&str, &str)> = fallen.collect();
    let is_much = is_above(fallen.len(), wanted, limits.fallback_percent);
    if (wanted as u64) < limits.chains_least || !is_much {
        return None;
    }
    let reason = most_common(fallen.iter().map(|(reason, _)| *reason))?;
    let example = fallen.iter().find(|(one, _)| *one == reason);
    Some(Anomaly {
        kind: Kind::Fallback,
        location: example.map_or_else(AnomalyLocation::default, |(_, run)| {
            AnomalyLocation::of_site(CallSite::Run(run))
        }),
        measured: percent_share(fallen.len(), wanted),
        threshold: limits.fallback_percent as f64,
        message: format!(
            "{} of {wanted} plans ran sequentially, most often because: {reason}",
            fallen.len()
        ),
        next: "`mathchain run PLAN --explain` names the steps; write their resources as literals, order them with `after`, or use `mode: seq`"
            .to_owned(),
        calls: Vec::new(),
    })
}

/// One tool, or one role, with nearly all calls. Where there is no other, nothing is reported.
pub(super) fn find_dominant_shares(facts: &RunFacts<'_>, limits: &AnomalyLimits) -> Vec<Anomaly> {
    let whole = facts.calls.len();
    if (whole as u64) < limits.share_calls_least {
        return Vec::new();
    }
    let finding =
        |kind, location, calls: &[&EndedCall<'_>], limit: u64, whose: String, next| Anomaly {
            kind,
            location,
            measured: percent_share(calls.len(), whole),
            threshold: limit as f64,
            message: format!("{} of {whole} calls are {whose}", calls.len()),
            next,
            calls: newest_call_ids(calls.iter().copied()),
        };
    let limit = limits.tool_percent;
    let tool = dominant_group(facts, |call| call.tool, limit).map(|(tool, calls)| {
        let location = AnomalyLocation {
            tool: Some(tool.to_owned()),
            ..AnomalyLocation::default()
        };
        let next = format!(
            "one call with an array, or a `map` in one plan, may replace many: `mathchain tools show {tool}`"
        );
        finding(Kind::ToolShare, location, &calls, limit, format!("of `{tool}`"), next)
    });
    let limit = limits.role_percent;
    let has_roles = facts.calls.iter().all(|call| !call.role.is_empty());
    let role = dominant_group(facts, |call| call.role, limit).filter(|_| has_roles);
    let role = role.map(|(role, calls)| {
        let location = AnomalyLocation {
            role: Some(role.to_owned()),
            ..AnomalyLocation::default()
        };
        let next = "other roles may lack permissions for this work: `mathchain policy matrix`";
        let whose = format!("by the role `{role}`");
        let next = next.to_owned();
        finding(Kind::RoleShare, location, &calls, limit, whose, next)
    });
    tool.into_iter().chain(role).collect()
}

/// The name that more than this share of all calls have, if some have another.
fn dominant_group<'a>(
    facts: &'a RunFacts<'a>,
    name: impl Fn(&EndedCall<'a>) -> &'a str,
    percent: u64,
) -> Option<(&'a str, Vec<&'a EndedCall<'a>>)> {
    let groups = group_by_key(&facts.calls, |call| name(call));
    let has_others = groups.len() > 1;
    let leader = groups
        .into_iter()
        .rev()
        .max_by_key(|(_, calls)| calls.len());
    leader.filter(|(_, calls)| has_others && is_above(calls.len(), facts.calls.len(), percent))
}

/// Groups items by a key; each group keeps their order.
fn group_by_key<T, K: Ord>(
    items: impl IntoIterator<Item = T>,
    key: impl Fn(&T) -> K,
) -> BTreeMap<K, Vec<T>> {
    let mut groups: BTreeMap<K, Vec<T>> = BTreeMap::new();
    for item in items {
        groups.entry(key(&item)).or_default().push(item);
    }
    groups
}

/// The most frequent of some names; of several, the first in alphabetical order.
fn most_common<'a>(names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let groups = group_by_key(names, |name| *name).into_iter().rev();
    Some(groups.max_by_key(|(_, group)| group.len())?.0)
}

/// The ids of the newest of some calls.
fn newest_call_ids<'a>(calls: impl IntoIterator<Item = &'a EndedCall<'a>>) -> Vec<String> {
    const SHOWN: usize = 5;
    let shown = calls.into_iter().take(SHOWN);
    shown.map(|call| call.call_id.to_owned()).collect()
}

/// A share in percent, rounded to one decimal.
fn percent_share(part: usize, whole: usize) -> f64 {
    (part as f64 * 1000.0 / whole.max(1) as f64).round() / 10.0
}

/// Whether a part is more than a share of a whole, without rounding.
fn is_above(part: usize, whole: usize, percent: u64) -> bool {
    part as u128 * 100 > u128::from(percent) * whole as u128
}

fn count_with_noun(count: usize, what: &str) -> String {
    match count {
        1 => format!("one {what}"),
        _ => format!("{count} {what}s"),
    }
}
