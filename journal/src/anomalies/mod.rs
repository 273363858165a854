//! Anomalies in recorded runs and calls: a pure function of records, with the same findings on any machine.
//!
//! [`find_anomalies`] reads the records of calls and plans (`facts.rs`) and checks each rule (`rules.rs`) against the limits of the
//! configuration. A [`Anomaly`] is no error: it has a measurement, its threshold, and the next command to run.

mod facts;
mod rules;

#[cfg(test)]
mod tests;

use registry::model::AnomalyLimits;
use tool_core::{Value, fields, names};

use self::facts::{CallSite, EndedCall, RunFacts};
use crate::{AuditRecord, RunRecord};

/// The records and runs to examine.
#[derive(Debug, Clone, Copy, Default)]
pub struct AnomalyEvidence<'a> {
    /// Records of runs and sessions, in any order; those of other kinds are ignored.
    pub records: &'a [AuditRecord],
    /// The current state of runs.
    pub runs: &'a [RunRecord],
    /// The only run to report on; the others then only show how long tools usually take.
    pub of: Option<&'a str>,
}

names! {
    /// The kinds of findings, in the order in which they are reported.
    Kind {
        /// A run is marked as running, and no process executes it.
        StalledRun = "stalled_run",
        /// A call took far longer than its tool usually does.
        StalledStep = "stalled_step",
        /// A wave took far longer than its calls usually do, and none of them did.
        StalledWave = "stalled_wave",
        /// One tool fails repeatedly.
        RepeatedFailures = "repeated_failures",
        /// One tool fails repeatedly before it has begun to work.
        InstantFailures = "instant_failures",
        /// Calls are retried far more often than they end.
        RetryStorm = "retry_storm",
        /// Plans that were to run by dependencies run sequentially.
        Fallback = "fallback",
        /// Nearly all calls are of one tool.
        ToolShare = "tool_share",
        /// Nearly all calls are of one role.
        RoleShare = "role_share",
    }
}

impl Kind {
    /// The unit of the measurement and of its threshold.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::StalledRun => "processes",
            Self::StalledStep | Self::StalledWave => "ms",
            Self::RepeatedFailures | Self::InstantFailures => "failures",
            Self::RetryStorm => "attempts per call",
            Self::Fallback => "% of plans",
            Self::ToolShare | Self::RoleShare => "% of calls",
        }
    }
}

/// Where an anomaly is; parts that do not apply are absent.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct AnomalyLocation {
    /// Id of the run.
    pub run: Option<String>,
    /// Id of the session of direct calls.
    pub session: Option<String>,
    /// Id of the step.
    pub step: Option<String>,
    /// Number of the wave, from 0.
    pub wave: Option<usize>,
    /// Canonical id of the tool.
    pub tool: Option<String>,
    /// Role of the caller.
    pub role: Option<String>,
}

impl AnomalyLocation {
    fn of_call(call: &EndedCall<'_>) -> Self {
        Self {
            step: call.step.map(str::to_owned),
            tool: Some(call.tool.to_owned()),
            ..Self::of_site(call.site)
        }
    }

    fn of_site(site: CallSite<'_>) -> Self {
        let mut location = Self::default();
        match site {
            CallSite::Run(run) => location.run = Some(run.to_owned()),
            CallSite::Session(session) => location.session = Some(session.to_owned()),
        }
        location
    }

    /// The parts that apply, by name.
    pub fn parts(&self) -> impl Iterator<Item = (&'static str, Value)> {
        let text = |name: &Option<String>| name.as_deref().map(Value::from);
        let parts = [
            ("run", text(&self.run)),
            ("session", text(&self.session)),
            ("step", text(&self.step)),
            ("wave", self.wave.map(Value::from)),
            ("tool", text(&self.tool)),
            ("role", text(&self.role)),
        ];
        parts
            .into_iter()
            .filter_map(|(name, part)| Some((name, part?)))
    }
}

/// An anomaly: a measurement beyond its threshold.
#[derive(Debug, Clone, PartialEq)]
pub struct Anomaly {
    /// The rule that reports it; gives the unit of both numbers.
    pub kind: Kind,
    /// The run, session, step, wave, tool or role concerned.
    pub location: AnomalyLocation,
    /// The measurement.
    pub measured: f64,
    /// The limit that it exceeds.
    pub threshold: f64,
    /// A sentence that explains the finding.
    pub message: String,
    /// The command to run next, or the remedy.
    pub next: String,
    /// Ids of at most five calls that show it, newest first.
    pub calls: Vec<String>,
}

impl Anomaly {
    /// The finding as an object, the parts of its location beside its other members.
    pub fn to_value(&self) -> Value {
        let mut members = fields! {
            "kind" => self.kind.as_str(),
            "measured" => self.measured,
            "threshold" => self.threshold,
            "unit" => self.kind.unit(),
            "message" => self.message.as_str(),
            "next" => self.next.as_str(),
            "calls" => self.calls.clone(),
        };
        for (name, part) in self.location.parts() {
            members.insert(name, part);
        }
        members.into()
    }
}

/// Finds all anomalies, ordered by [`Kind`], then by location. The order of the records does not matter.
pub fn find_anomalies(evidence: AnomalyEvidence<'_>, limits: &AnomalyLimits) -> Vec<Anomaly> {
    let mut facts = RunFacts::read(evidence.records);
    let usual_ms = facts.usual_ms(limits.calls_least);
    if let Some(run) = evidence.of {
        facts.calls.retain(|call| call.site == CallSite::Run(run));
        facts.chains.retain(|chain| chain.id == run);
    }
    let mut findings: Vec<Anomaly> = rules::stalled_runs(evidence).collect();
    findings.extend(rules::find_stalls(&facts, &usual_ms, limits));
    findings.extend(rules::find_repeated_failures(&facts, limits));
    findings.extend(rules::find_excessive_retries(&facts, limits));
    findings.extend(rules::find_sequential_fallback(&facts, limits));
    findings.extend(rules::find_dominant_shares(&facts, limits));
    findings.sort_by(|a, b| (a.kind, &a.location).cmp(&(b.kind, &b.location)));
    findings
}
