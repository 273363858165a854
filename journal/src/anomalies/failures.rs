//! Failures that repeat, and attempts that never end.

use std::collections::{BTreeMap, BTreeSet};

use registry::model::AnomalyLimits;

use super::facts::{Call, Facts, Site};
use super::times::counted;
use super::{Finding, Kind, Location, is_above, names, percent};

/// The calls of one tool.
#[derive(Default)]
struct Tally<'a> {
    calls: usize,
    failed: Vec<&'a Call<'a>>,
}

impl<'a> Tally<'a> {
    fn count(&mut self, call: &'a Call<'a>, failed: bool) {
        self.calls += 1;
        if failed {
            self.failed.push(call);
        }
    }

    /// Whether so many failed, and so large a share.
    fn is_much(&self, least: u64, percent: u64) -> bool {
        let failed = self.failed.len();
        failed as u64 >= least
            && !is_above(
                self.calls - failed,
                self.calls,
                100_u64.saturating_sub(percent),
            )
    }

    /// The code that most of the failures have.
    fn code(&self) -> &'a str {
        let mut codes: BTreeMap<&str, usize> = BTreeMap::new();
        for code in self.failed.iter().filter_map(|call| call.failed) {
            *codes.entry(code).or_default() += 1;
        }
        let most = codes.into_iter().rev().max_by_key(|(_, count)| *count);
        most.map_or("unknown", |(code, _)| code)
    }

    /// What all of the failures have in common: the tool; and run, session and step where they have one.
    fn location(&self) -> Location {
        let Some((first, rest)) = self.failed.split_first() else {
            return Location::default();
        };
        let mut location = Location::of_call(first);
        for call in rest {
            let other = Location::of_call(call);
            if (&other.run, &other.session) != (&location.run, &location.session) {
                (location.run, location.session, location.step) = (None, None, None);
            } else if other.step != location.step {
                location.step = None;
            }
        }
        location
    }

    fn finding(&self, kind: Kind, threshold: u64, how: &str) -> Finding {
        let location = self.location();
        let tool = location.tool.clone().unwrap_or_default();
        let newest = self.failed.first();
        let (call_id, role) = newest.map_or(("", ""), |call| (call.call_id, call.role));
        let code = self.code();
        Finding {
            kind,
            location,
            measured: self.failed.len() as f64,
            threshold: threshold as f64,
            unit: "failures",
            message: format!(
                "{} of {} of `{tool}` failed{how} ({} %), most often with `{code}`",
                self.failed.len(),
                counted(self.calls, "call"),
                percent(self.failed.len(), self.calls)
            ),
            next: match code {
                "policy_denied" | "not_visible" | "approval_required" | "approval_declined"
                | "approval_expired" => {
                    format!("`mathchain policy explain {role} {tool}` says who decides")
                }
                "invalid_args" => format!(
                    "`mathchain tools show {tool}` has its arguments, `mathchain audit show {call_id}` what was wrong"
                ),
                "timeout" => {
                    "more `timeout_ms`, or less work in one call: each was stopped".to_owned()
                }
                _ => format!("`mathchain audit show {call_id}` has the newest with its error"),
            },
            calls: names(self.failed.iter().copied()),
        }
    }
}

/// Tools that fail again and again: over all, and at once within one run or session.
pub(super) fn failures(facts: &Facts<'_>, limits: &AnomalyLimits, findings: &mut Vec<Finding>) {
    let mut tools: BTreeMap<&str, Tally<'_>> = BTreeMap::new();
    let mut instant: BTreeMap<(&str, Site<'_>), Tally<'_>> = BTreeMap::new();
    for call in &facts.calls {
        let failed = call.failed.is_some();
        tools.entry(call.tool).or_default().count(call, failed);
        let at_once = failed && call.elapsed_ms <= limits.instant_ms as f64;
        let tally = instant.entry((call.tool, call.site)).or_default();
        tally.count(call, at_once);
    }
    instant.retain(|_, tally| tally.is_much(limits.instant_least, limits.failure_percent));
    let mut told: BTreeMap<&str, usize> = BTreeMap::new();
    for ((tool, _), tally) in &instant {
        *told.entry(tool).or_default() += tally.failed.len();
        let how = format!(" within {} ms", limits.instant_ms);
        findings.push(tally.finding(Kind::InstantFailures, limits.instant_least, &how));
    }
    for (tool, tally) in &tools {
        // What is said of all of them already is not said twice.
        let rest = tally.failed.len() > told.get(tool).copied().unwrap_or_default();
        if rest && tally.is_much(limits.failures_least, limits.failure_percent) {
            findings.push(tally.finding(Kind::RepeatedFailures, limits.failures_least, ""));
        }
    }
}

/// Calls of a tool in one run that are made again and again.
pub(super) fn retries(facts: &Facts<'_>, limits: &AnomalyLimits, findings: &mut Vec<Finding>) {
    type Units<'a> = BTreeMap<(Option<&'a str>, Option<i64>), &'a Call<'a>>;
    let mut tools: BTreeMap<(Site<'_>, &str), Units<'_>> = BTreeMap::new();
    for call in &facts.calls {
        // A direct call that is repeated is another call.
        if call.step.is_none() {
            continue;
        }
        let units = tools.entry((call.site, call.tool)).or_default();
        let last = units.entry((call.step, call.item)).or_insert(call);
        if last.attempt < call.attempt {
            *last = call;
        }
    }
    for ((_, tool), units) in &tools {
        let attempts: u64 = units.values().map(|call| call.attempt).sum();
        let settled = units.len() as u64;
        if attempts < limits.attempts_least
            || u128::from(attempts) <= u128::from(limits.attempts_per_call) * u128::from(settled)
        {
            continue;
        }
        let Some(worst) = units.values().rev().max_by_key(|call| call.attempt) else {
            continue;
        };
        let again: BTreeSet<&str> = units
            .values()
            .filter(|call| call.attempt > 1)
            .filter_map(|call| call.step)
            .collect();
        let mut location = Location::of_call(worst);
        if again.len() > 1 {
            location.step = None;
        }
        findings.push(Finding {
            kind: Kind::RetryStorm,
            location,
            measured: (attempts as f64 / settled as f64 * 100.0).round() / 100.0,
            threshold: limits.attempts_per_call as f64,
            unit: "attempts per call",
            message: format!(
                "{attempts} attempts for {} of `{tool}`, {} for the worst (`{}`)",
                counted(units.len(), "call"),
                worst.attempt,
                worst.step.unwrap_or_default()
            ),
            next: "retry only what passes by itself (`retry: {on: [..]}`), fewer times (`max`), after a longer wait (`backoff_ms`)".to_owned(),
            calls: names(units.values().copied().filter(|call| call.attempt > 1)),
        });
    }
}
