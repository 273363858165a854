//! Limits of rules: [`LimitClaim`] is one limit as it holds for one call; `limited` narrows a decision by what the window of each holds.
//!
//! How much a window holds is a fact that the caller reads ([`LimitUse`]); everything here is a pure function of it. The same
//! [`LimitClaim::has_room`] decides where the call is counted, so that decision and count cannot differ.

use std::sync::Arc;

use tool_core::convert::to_value;
use tool_core::{Encode, Value, json, object};

use super::text::PolicyLabel;
use crate::digest;
use crate::model::{BeyondLimit, CountedBy, PolicyRule, RuleLimit};

/// How far a sum of doubles may exceed its limit by rounding, relative to the limit: ten times 0.1 fit into 1.
const ROUNDING: f64 = 1e-12;

/// The limit of a rule that a call matches.
#[derive(Debug, Clone, PartialEq)]
pub struct AppliedLimit {
    pub(super) layer: PolicyLabel,
    pub(super) rule: PolicyLabel,
    pub(super) compiled: Arc<CompiledLimit>,
}

/// A limit with the name of its counter.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CompiledLimit {
    pub(super) limit: RuleLimit,
    /// Digest of what is counted. Neither places nor amounts are in it: an edit of the number keeps the count.
    pub(super) name: String,
}

impl CompiledLimit {
    pub(super) fn of(layer: (&str, &str), rule: &PolicyRule, limit: &RuleLimit) -> Self {
        let matches = to_value(&rule.matches);
        let matches = matches.expect("texts, numbers and lists have a spelling");
        let matches = json::canonical_json(&matches);
        let what = limit.sum.as_deref().unwrap_or_default();
        Self {
            name: digest::of_texts([layer.0, layer.1, &matches, limit.by.as_str(), what]),
            limit: limit.clone(),
        }
    }
}

/// Whose calls a claim counts with.
#[derive(Debug, Clone, Copy)]
pub struct CountedCaller<'a> {
    /// Role of the caller.
    pub role: &'a str,
    /// Name of the server's key, where it came with one.
    pub key: Option<&'a str>,
    /// Identity of the workspace, where there is one.
    pub workspace: Option<&'a str>,
}

/// One limit as it holds for one call.
#[derive(Debug, Clone, PartialEq)]
pub struct LimitClaim {
    pub(super) applied: AppliedLimit,
    /// Name of the counter: what is counted, and whose.
    pub counter: String,
    /// The role, key or host; empty for a workspace, and for calls without a key.
    pub of: String,
    /// What the call adds.
    pub amount: f64,
}

/// What the window of a claim holds before the call.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct LimitUse {
    /// Calls, or the sum.
    pub used: f64,
    /// When the window will have room for the call, in milliseconds since 1970-01-01 UTC; `None` where it has, or never will.
    pub free_ms: Option<u64>,
}

impl LimitClaim {
    /// The limit as written.
    pub fn limit(&self) -> &RuleLimit {
        &self.applied.compiled.limit
    }

    /// Place of the rule.
    pub fn rule(&self) -> &str {
        &self.applied.rule
    }

    /// Title of the layer of the rule.
    pub fn layer(&self) -> &str {
        &self.applied.layer
    }

    /// Length of the window in milliseconds.
    pub fn window_ms(&self) -> u64 {
        self.limit().per.ms()
    }

    /// Whether the window has room for the call.
    pub fn has_room(&self, found: &LimitUse) -> bool {
        let most = self.limit().most();
        found.used + self.amount <= most * (1.0 + ROUNDING)
    }

    /// Whether an approval lets a call beyond the limit through.
    pub fn asks_beyond(&self) -> bool {
        self.limit().beyond == BeyondLimit::Ask
    }

    /// When the window has room again, from its entries (time and amount, oldest first) and their sum; `None` if it has room, or never
    /// will have any.
    pub fn free_at(&self, used: f64, entries: impl IntoIterator<Item = (u64, f64)>) -> Option<u64> {
        let mut left = LimitUse {
            used,
            free_ms: None,
        };
        if self.has_room(&left) {
            return None;
        }
        let mut newest_ms = None;
        for (time_ms, amount) in entries {
            newest_ms = Some(time_ms);
            left.used -= amount;
            if self.has_room(&left) {
                break;
            }
        }
        // Differences round: an empty window is one of 0.
        let free_ms = newest_ms?.saturating_add(self.window_ms());
        self.has_room(&LimitUse::default()).then_some(free_ms)
    }

    /// The count in words: ``20 of 20 calls in 1h by role `worker` ``.
    pub fn phrase(&self, used: f64) -> String {
        let limit = self.limit();
        let (most, per) = (limit.most(), limit.per);
        let whose = self.whose();
        match &limit.sum {
            None => format!("{used} of {most} calls in {per} {whose}"),
            Some(pointer) => format!("{used} of {most} of `{pointer}` in {per} {whose}"),
        }
    }

    fn whose(&self) -> String {
        match (self.limit().by, &*self.of) {
            (CountedBy::Workspace, _) => "in this workspace".to_owned(),
            (CountedBy::Key, "") => "without a key".to_owned(),
            (CountedBy::Host, "") => "to no host".to_owned(),
            (by, of) => format!("by {by} `{of}`"),
        }
    }

    /// The limit in explanations, with what its window holds where that is known.
    pub fn to_step(&self, found: Option<&LimitUse>) -> LimitStep {
        LimitStep {
            layer: self.layer().to_owned(),
            rule: self.rule().to_owned(),
            limit: self.limit().clone(),
            of: self.of.clone(),
            used: found.map(|found| found.used),
            free_ms: found.and_then(|found| found.free_ms),
            phrase: found.map_or_else(
                || format!("{}, not counted here", self.phrase(0.0)),
                |found| self.phrase(found.used),
            ),
        }
    }

    /// The claim in audit records, with what the window held: from it, the verdict follows again.
    pub fn to_record(&self, found: &LimitUse) -> Value {
        let limit = self.limit();
        object! {
            "layer" => self.layer(),
            "rule" => self.rule(),
            "by" => limit.by.as_str(),
            "of" => self.of.as_str(),
            "counts" => limit.sum.as_deref().unwrap_or("calls"),
            "used" => found.used,
            "amount" => self.amount,
            "most" => limit.most(),
            "per_ms" => limit.per.ms(),
            "beyond" => limit.beyond.as_str(),
            "free_ms" => found.free_ms,
        }
    }
}

/// A limit in the explanation of a decision.
#[derive(Debug, Clone, PartialEq, Encode)]
pub struct LimitStep {
    /// The layer of its rule.
    pub layer: String,
    /// Where the rule was written, or its number in the layer.
    pub rule: String,
    /// The limit.
    pub limit: RuleLimit,
    /// The role, key or host whose calls are counted; empty for a workspace.
    pub of: String,
    /// What its window holds; `None` where there are no counts.
    pub used: Option<f64>,
    /// When the window will have room for the call; `None` where it has, or never will.
    pub free_ms: Option<u64>,
    /// The count in words.
    #[value(skip)]
    pub phrase: String,
}

impl LimitClaim {
    pub(super) fn beyond_reason(&self, found: &LimitUse, now_ms: u64) -> String {
        let used = self.phrase(found.used);
        let adds = match self.limit().sum {
            None => String::new(),
            Some(_) => format!(", and this call adds {}", self.amount),
        };
        let next = match found.free_ms {
            Some(free_ms) => {
                let seconds = free_ms.saturating_sub(now_ms).div_ceil(1000);
                format!("such a call is allowed again in {seconds} s")
            }
            None => "no window allows such a call".to_owned(),
        };
        format!("{used} are used{adds}; {next}")
    }
}
