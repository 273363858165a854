//! Decisions under limits: what the limits of a decision claim for a call, and the decision by what their windows hold.

use tool_core::Value;

use super::compile::CompiledLayer;
use super::compiled::PolicyDecision;
use super::facts::CallFacts;
use super::limit::{AppliedLimit, CountedCaller, LimitClaim, LimitUse};
use crate::digest;
use crate::model::{CountedBy, Verdict};

impl CompiledLayer {
    /// The part of the name of a counter that the layer gives.
    pub(super) fn counter_names(&self) -> (&'static str, &str) {
        (self.level.as_str(), &self.name)
    }
}

impl PolicyDecision {
    /// Whether calls under this decision are counted.
    pub fn is_limited(&self) -> bool {
        !self.limits.is_empty()
    }

    /// What the limits of the decision claim for a call. Without one, a sum claims nothing, and limits by host are left out.
    ///
    /// # Errors
    /// The denial of a call that cannot be counted: its argument is no number, or its hosts are not known.
    pub fn claims(
        &self,
        call: Option<&CallFacts<'_>>,
        caller: CountedCaller<'_>,
    ) -> Result<Vec<LimitClaim>, Box<Self>> {
        let mut claims: Vec<LimitClaim> = Vec::new();
        for applied in &self.limits {
            let uncounted =
                |reason: String| Box::new(applied.verdict_on(self, Verdict::Deny, reason));
            let limit = &applied.compiled.limit;
            let amount = match (&limit.sum, call) {
                (None, _) => 1.0,
                (Some(pointer), Some(call)) => amount_at(call.args, pointer).map_err(uncounted)?,
                (Some(_), None) => 0.0,
            };
            let known = |of: Option<&str>| vec![of.unwrap_or_default().to_owned()];
            let whose = match limit.by {
                CountedBy::Workspace => known(caller.workspace),
                CountedBy::Role => known(Some(caller.role)),
                CountedBy::Key => known(caller.key),
                CountedBy::Host => match call.map(|call| &call.hosts) {
                    None => Vec::new(),
                    Some(None) => {
                        let reason = "a limit counts calls by host, and the hosts of this call cannot be read";
                        return Err(uncounted(reason.to_owned()));
                    }
                    Some(Some(hosts)) if hosts.is_empty() => known(None),
                    Some(Some(hosts)) => hosts.iter().map(|host| host.name.clone()).collect(),
                },
            };
            for of in whose {
                let claim = LimitClaim {
                    applied: applied.clone(),
                    counter: digest::of_texts([&*applied.compiled.name, &of]),
                    of: match limit.by {
                        CountedBy::Workspace => String::new(),
                        _ => of,
                    },
                    amount,
                };
                if !claims.contains(&claim) {
                    claims.push(claim);
                }
            }
        }
        Ok(claims)
    }

    /// The decision on a call whose windows hold this: beyond a limit it is denied, or asks where the limit says so.
    #[must_use]
    pub fn limited(mut self, claims: &[LimitClaim], found: &[LimitUse], now_ms: u64) -> Self {
        for (claim, found) in claims.iter().zip(found) {
            let verdict = match claim.asks_beyond() {
                true => Verdict::Ask,
                false => Verdict::Deny,
            };
            if !claim.has_room(found) && verdict > self.verdict {
                let reason = claim.beyond_reason(found, now_ms);
                self = claim.applied.verdict_on(&self, verdict, reason);
            }
        }
        self
    }

    /// The denial of a limited call that cannot be counted anywhere.
    #[must_use]
    pub fn uncounted(&self, why: &str) -> Self {
        let reason = format!("a limit counts its calls, and {why}");
        match self.limits.first() {
            Some(applied) => applied.verdict_on(self, Verdict::Deny, reason),
            None => self.clone(),
        }
    }
}

impl AppliedLimit {
    fn verdict_on(
        &self,
        decision: &PolicyDecision,
        verdict: Verdict,
        reason: String,
    ) -> PolicyDecision {
        PolicyDecision {
            verdict,
            layer: self.layer.clone(),
            rule: Some(self.rule.clone()),
            reason: reason.into(),
            ..decision.clone()
        }
    }
}

/// The number that a call adds to a sum.
fn amount_at(args: &Value, pointer: &str) -> Result<f64, String> {
    let found = args.pointer(pointer).filter(|value| !value.is_null());
    let Some(value) = found else {
        return Err(format!(
            "a limit adds up `{pointer}`, and the call has no such argument"
        ));
    };
    match value.as_f64() {
        Some(number) if number.is_finite() && number >= 0.0 => Ok(number),
        Some(number) => Err(format!(
            "a limit adds up `{pointer}`: expected a number of at least 0, found {number}"
        )),
        None => Err(format!(
            "a limit adds up `{pointer}`: expected a number, found {}",
            value.kind()
        )),
    }
}
