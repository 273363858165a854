//! What looks wrong in the journal: a pure function of records, so that it says the same of the same journal, on any machine.
//!
//! [`anomalies`] reads the records of calls and plans (`facts.rs`) and holds each rule (`times.rs`, `failures.rs`, `shares.rs`)
//! against the limits of the configuration. Nothing here is an error: each [`Finding`] says what was measured, from when on it
//! counts, and where to look next.

mod facts;
mod failures;
mod shares;
mod times;

#[cfg(test)]
mod tests;

use registry::model::AnomalyLimits;
use tool_core::{Object, Value};

use self::facts::{Call, Facts, Site};
use crate::{AuditRecord, Run};

/// What is looked at.
#[derive(Debug, Clone, Copy, Default)]
pub struct Evidence<'a> {
    /// Records of runs and sessions, in any order; what is neither a call nor a plan is passed over.
    pub records: &'a [AuditRecord],
    /// Runs as they stand.
    pub runs: &'a [Run],
    /// The run that is judged; all others then only say how long tools usually take.
    pub of: Option<&'a str>,
}

/// What was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A run says that it is running, and no process works on it.
    StalledRun,
    /// A call took far longer than its tool usually does.
    StalledStep,
    /// A wave took far longer than its calls usually do, and none of them did.
    StalledWave,
    /// One tool fails again and again.
    RepeatedFailures,
    /// One tool fails again and again before it has begun to work.
    InstantFailures,
    /// Calls are made again far more often than they end.
    RetryStorm,
    /// Plans run one step after the other where they were to run by dependencies.
    Fallback,
    /// Nearly all calls are of one tool.
    ToolShare,
    /// Nearly all calls are of one role.
    RoleShare,
}

impl Kind {
    /// Every kind, in the order in which findings are given.
    pub const ALL: [Self; 9] = [
        Self::StalledRun,
        Self::StalledStep,
        Self::StalledWave,
        Self::RepeatedFailures,
        Self::InstantFailures,
        Self::RetryStorm,
        Self::Fallback,
        Self::ToolShare,
        Self::RoleShare,
    ];

    /// As it is written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::StalledRun => "stalled_run",
            Self::StalledStep => "stalled_step",
            Self::StalledWave => "stalled_wave",
            Self::RepeatedFailures => "repeated_failures",
            Self::InstantFailures => "instant_failures",
            Self::RetryStorm => "retry_storm",
            Self::Fallback => "fallback",
            Self::ToolShare => "tool_share",
            Self::RoleShare => "role_share",
        }
    }
}

/// Where it was found; what does not apply is absent.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Location {
    /// The run, by its id or that of its chain.
    pub run: Option<String>,
    /// The session of direct calls.
    pub session: Option<String>,
    /// The step.
    pub step: Option<String>,
    /// The wave.
    pub wave: Option<usize>,
    /// The tool.
    pub tool: Option<String>,
    /// The role.
    pub role: Option<String>,
}

impl Location {
    fn of_call(call: &Call<'_>) -> Self {
        Self {
            step: call.step.map(str::to_owned),
            tool: Some(call.tool.to_owned()),
            ..Self::of_site(call.site)
        }
    }

    fn of_site(site: Site<'_>) -> Self {
        let (run, session) = match site {
            Site::Run(run) => (Some(run.to_owned()), None),
            Site::Session(session) => (None, Some(session.to_owned())),
        };
        Self {
            run,
            session,
            ..Self::default()
        }
    }
}

/// Something that looks wrong.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// What.
    pub kind: Kind,
    /// Where.
    pub location: Location,
    /// What was measured,
    pub measured: f64,
    /// and from when on it counts,
    pub threshold: f64,
    /// both in this unit.
    pub unit: &'static str,
    /// What that means, for a reader.
    pub message: String,
    /// Where to look, or what to do.
    pub next: String,
    /// Some of the calls that show it, newest first.
    pub calls: Vec<String>,
}

impl Finding {
    /// As data.
    pub fn to_value(&self) -> Value {
        let mut fields = Object::new();
        fields.insert("kind", self.kind.as_str());
        let location = &self.location;
        for (key, name) in [
            ("run", &location.run),
            ("session", &location.session),
            ("step", &location.step),
            ("tool", &location.tool),
            ("role", &location.role),
        ] {
            if let Some(name) = name {
                fields.insert(key, name.as_str());
            }
        }
        if let Some(wave) = location.wave {
            fields.insert("wave", wave);
        }
        fields.insert("measured", self.measured);
        fields.insert("threshold", self.threshold);
        fields.insert("unit", self.unit);
        fields.insert("message", self.message.as_str());
        fields.insert("next", self.next.as_str());
        fields.insert("calls", self.calls.clone());
        Value::Object(fields.into())
    }
}

/// Everything that looks wrong, in the order of [`Kind`], then of the place. The order of the records does not matter.
pub fn anomalies(evidence: Evidence<'_>, limits: &AnomalyLimits) -> Vec<Finding> {
    let facts = Facts::read(evidence.records);
    let usual_ms = facts.usual_ms(limits.calls_least);
    let judged = Facts {
        calls: facts
            .calls
            .into_iter()
            .filter(|call| evidence.of.is_none_or(|run| call.site == Site::Run(run)))
            .collect(),
        chains: facts
            .chains
            .into_iter()
            .filter(|chain| evidence.of.is_none_or(|run| chain.id == run))
            .collect(),
    };
    let mut findings = Vec::new();
    times::runs(evidence, &mut findings);
    times::steps_and_waves(&judged, &usual_ms, limits, &mut findings);
    failures::failures(&judged, limits, &mut findings);
    failures::retries(&judged, limits, &mut findings);
    shares::fallback(&judged, limits, &mut findings);
    shares::shares(&judged, limits, &mut findings);
    findings.sort_by(|a, b| (a.kind, &a.location).cmp(&(b.kind, &b.location)));
    findings
}

/// The names of the newest of some calls.
fn names<'a>(calls: impl IntoIterator<Item = &'a Call<'a>>) -> Vec<String> {
    const SHOWN: usize = 5;
    let shown = calls.into_iter().take(SHOWN);
    shown.map(|call| call.call_id.to_owned()).collect()
}

/// A share of a whole, in percent with one decimal.
fn percent(part: usize, whole: usize) -> f64 {
    (part as f64 * 1000.0 / whole.max(1) as f64).round() / 10.0
}

/// Whether a part is more than a share of a whole; without rounding.
fn is_above(part: usize, whole: usize, percent: u64) -> bool {
    part as u128 * 100 > u128::from(percent) * whole as u128
}
