//! Stalls: runs that nobody works on, calls and waves that take far longer than usual.

use std::collections::{BTreeMap, BTreeSet};

use registry::model::AnomalyLimits;

use super::facts::{Call, Chain, Facts, Site};
use super::{Evidence, Finding, Kind, Location, names};
use crate::RunState;

/// Runs that say they are running although no process works on them.
pub(super) fn runs(evidence: Evidence<'_>, findings: &mut Vec<Finding>) {
    let left = evidence
        .runs
        .iter()
        .filter(|run| run.state == RunState::Running && run.holder.is_none())
        .filter(|run| evidence.of.is_none_or(|id| run.id == id));
    for run in left {
        findings.push(Finding {
            kind: Kind::StalledRun,
            location: Location {
                run: Some(run.id.clone()),
                ..Location::default()
            },
            measured: 0.0,
            threshold: 1.0,
            unit: "processes",
            message: format!(
                "the run of `{}` says that it is running, and no process works on it",
                run.plan_id
            ),
            next: format!("`mathchain runs resume {}` goes on with it", run.id),
            calls: Vec::new(),
        });
    }
}

/// Calls that took too long, one finding for each tool of a run; and waves that did although none of their calls did.
pub(super) fn steps_and_waves(
    facts: &Facts<'_>,
    usual_ms: &BTreeMap<&str, f64>,
    limits: &AnomalyLimits,
    findings: &mut Vec<Finding>,
) {
    let mut stalled: BTreeMap<(Site<'_>, &str), Vec<(&Call<'_>, f64)>> = BTreeMap::new();
    for call in facts.calls.iter().filter(|call| !call.cached) {
        let Some(usual) = usual_ms.get(call.tool) else {
            continue;
        };
        let bound = bound(*usual, limits);
        if call.elapsed_ms > bound {
            let one = stalled.entry((call.site, call.tool)).or_default();
            one.push((call, bound));
        }
    }
    for calls in stalled.values() {
        let longest = calls
            .iter()
            .max_by(|(a, _), (b, _)| a.elapsed_ms.total_cmp(&b.elapsed_ms));
        let Some(&(call, bound)) = longest else {
            continue;
        };
        findings.push(Finding {
            kind: Kind::StalledStep,
            location: Location::of_call(call),
            measured: call.elapsed_ms,
            threshold: bound,
            unit: "ms",
            message: format!(
                "{} of `{}` took {} ms at most, where {} ms are usual",
                counted(calls.len(), "call"),
                call.tool,
                call.elapsed_ms,
                usual_ms.get(call.tool).copied().unwrap_or_default()
            ),
            next: format!(
                "`mathchain audit show {}` has the call; a `timeout_ms` of the step would end one like it",
                call.call_id
            ),
            calls: names(calls.iter().map(|(call, _)| *call)),
        });
    }
    let explained: BTreeSet<Site<'_>> = stalled.keys().map(|(site, _)| *site).collect();
    let mut calls: BTreeMap<Site<'_>, Vec<&Call<'_>>> = BTreeMap::new();
    for call in &facts.calls {
        calls.entry(call.site).or_default().push(call);
    }
    for chain in &facts.chains {
        let site = Site::Run(chain.id);
        if let Some(calls) = calls.get(&site)
            && !explained.contains(&site)
        {
            findings.extend(slowest_wave(chain, calls, usual_ms, limits));
        }
    }
}

/// From when on a time is too long.
fn bound(usual_ms: f64, limits: &AnomalyLimits) -> f64 {
    (usual_ms * limits.stall_times as f64).max(limits.stall_ms as f64)
}

/// The wave of a plan that took longest of those that took too long.
fn slowest_wave(
    chain: &Chain<'_>,
    calls: &[&Call<'_>],
    usual_ms: &BTreeMap<&str, f64>,
    limits: &AnomalyLimits,
) -> Option<Finding> {
    // The wait before another attempt is a part of the wave, and meant to be.
    if calls.iter().any(|call| call.attempt > 1) {
        return None;
    }
    // No bound is below: most waves are done with here.
    let least = limits.stall_ms as f64;
    let long = (chain.waves.iter().enumerate()).filter(|&(_, &took)| took > least);
    let slow = long.filter_map(|(wave, &took)| {
        // Without a barrier, steps of a wave begin as they can: what runs between them is of any other wave.
        let meanwhile = |call: &&&Call<'_>| !chain.barrier || call.wave == i64::try_from(wave).ok();
        let usual = calls
            .iter()
            .filter(meanwhile)
            .map(|call| match call.cached {
                true => Some(0.0),
                false => usual_ms.get(call.tool).copied(),
            })
            .sum::<Option<f64>>()?;
        (took > bound(usual, limits)).then_some((wave, took, usual))
    });
    let (wave, took, usual) = slow.max_by(|a, b| a.1.total_cmp(&b.1))?;
    Some(Finding {
        kind: Kind::StalledWave,
        location: Location {
            wave: Some(wave),
            ..Location::of_site(Site::Run(chain.id))
        },
        measured: took,
        threshold: bound(usual, limits),
        unit: "ms",
        message: format!(
            "wave {wave} took {took} ms, where its calls one after the other take {usual} ms: something else was waited for"
        ),
        next: "look for other processes that use the same files, or the machine itself; `mathchain doctor`".to_owned(),
        calls: Vec::new(),
    })
}

pub(super) fn counted(count: usize, what: &str) -> String {
    match count {
        1 => format!("one {what}"),
        _ => format!("{count} {what}s"),
    }
}
