//! Calls that rules limit: what their windows hold is read when the call is decided, and the call is counted before it runs.
//!
//! [`CallCounts::count`] compares and counts in one transaction, so that no two calls take the last place; where the windows changed since
//! the decision, the call is denied. A call that never runs is given back.

use tool_core::{ToolCall, ToolError, tool_error};

use super::trail::CallTrail;
use super::{CallerContext, Dispatcher, panic};
use crate::model::Verdict;
use crate::policy::{
    CallFacts, CountedCaller, DecisionExplanation, LimitClaim, LimitUse, PolicyDecision,
    RuntimeFacts,
};

/// Counts of calls that rules limit, shared by every process of a state folder.
pub trait CallCounts: Send + Sync {
    /// What the window of each claim holds now.
    ///
    /// # Errors
    /// When the counts cannot be read; the caller then denies the call.
    fn used(&self, claims: &[LimitClaim]) -> Result<Vec<LimitUse>, ToolError>;

    /// Counts a call against every claim, or against none: each window must have room, or its limit ask beyond and the call be
    /// `approved`.
    ///
    /// # Errors
    /// When the counts cannot be written; the caller then denies the call.
    fn count(
        &self,
        call_id: &str,
        claims: &[LimitClaim],
        approved: bool,
    ) -> Result<CountedCall, ToolError>;

    /// Takes back the count of a call that did not run.
    ///
    /// # Errors
    /// When the counts cannot be written; the call then stays counted.
    fn give_back(&self, call_id: &str) -> Result<(), ToolError>;
}

/// The end of an attempt to count a call.
#[derive(Debug, Clone, PartialEq)]
pub struct CountedCall {
    /// What the window of each claim held before the call.
    pub found: Vec<LimitUse>,
    /// Whether it was counted.
    pub is_counted: bool,
}

/// The decision on a limited call by what its windows hold now. Where that cannot be found out, the call is denied.
pub(super) fn decide_by_counts(
    dispatcher: &Dispatcher,
    decision: PolicyDecision,
    facts: &CallFacts<'_>,
    trail: &mut CallTrail,
) -> PolicyDecision {
    if decision.verdict == Verdict::Deny {
        return decision;
    }
    let caller = counted_caller(dispatcher, &trail.who().role, trail.key());
    let claims = match decision.claims(Some(facts), caller) {
        Ok(claims) => claims,
        Err(denied) => return *denied,
    };
    let Some(counts) = &dispatcher.host.counts else {
        return decision.uncounted("there is no state folder");
    };
    let found = panic::catch_panic(trail.call_id(), || counts.used(&claims));
    match found.unwrap_or_else(|_| Err(counts_panicked())) {
        Err(error) => decision.uncounted(&format!("the count cannot be read: {}", error.message())),
        Ok(found) => {
            let now_ms = dispatcher.host.clock.unix_ms();
            let decided = decision.limited(&claims, &found, now_ms);
            trail.limits = claims.into_iter().zip(found).collect();
            decided
        }
    }
}

fn counted_caller<'a>(
    dispatcher: &'a Dispatcher,
    role: &'a str,
    key: Option<&'a str>,
) -> CountedCaller<'a> {
    let workspace = dispatcher.host.workspace.as_ref();
    CountedCaller {
        role,
        key,
        workspace: workspace.map(|workspace| &*workspace.id),
    }
}

impl Dispatcher {
    /// Explains the decision on a tool, for a call when there is one, with what the windows of its limits hold now.
    ///
    /// # Errors
    /// As [`Policy::explain`](crate::Policy::explain).
    pub fn explain(
        &self,
        (tool, call): (&str, Option<&dyn ToolCall>),
        context: &CallerContext,
        facts: &RuntimeFacts,
    ) -> Result<DecisionExplanation, ToolError> {
        let files = self.host.capabilities.files.as_deref();
        let catalogue = &self.catalogue;
        let mut explained =
            (self.policy).explain(catalogue, (tool, call), &context.who, facts, files)?;
        let decision = explained.decision.clone();
        let Some(found) = catalogue.get(tool).filter(|_| decision.is_limited()) else {
            return Ok(explained);
        };
        let of_call = call.map(|call| CallFacts::of(found, call, files));
        let caller = counted_caller(self, &context.who.role, context.origin.key.as_deref());
        let claims = match decision.claims(of_call.as_ref(), caller) {
            Ok(claims) => claims,
            Err(denied) => {
                explained.limited_to(*denied);
                return Ok(explained);
            }
        };
        let used = self.host.counts.as_ref().map(|counts| counts.used(&claims));
        let used = used.transpose()?;
        let step = |(index, claim): (usize, &LimitClaim)| {
            claim.to_step(used.as_ref().map(|used| &used[index]))
        };
        explained.limits = claims.iter().enumerate().map(step).collect();
        let decided = match &used {
            Some(used) => decision.limited(&claims, used, self.host.clock.unix_ms()),
            None => decision.uncounted("there is no state folder"),
        };
        explained.limited_to(decided);
        Ok(explained)
    }
}

/// Counts a call that is about to run; its approval, where it needed one, has been given.
///
/// # Errors
/// The denial, where another call took the place since the decision, or the count cannot be written.
pub(super) fn count_call(
    dispatcher: &Dispatcher,
    decision: &PolicyDecision,
    trail: &mut CallTrail,
) -> Result<(), Box<PolicyDecision>> {
    if !decision.is_limited() {
        return Ok(());
    }
    let claims: Vec<LimitClaim> = trail
        .limits
        .iter()
        .map(|(claim, _)| claim.clone())
        .collect();
    let counts = dispatcher
        .host
        .counts
        .as_ref()
        .filter(|_| !claims.is_empty());
    let Some(counts) = counts else {
        return Err(Box::new(decision.uncounted("there is no state folder")));
    };
    let is_approved = decision.verdict == Verdict::Ask;
    let call_id = trail.call_id();
    let counted = panic::catch_panic(call_id, || counts.count(call_id, &claims, is_approved));
    let counted = counted.unwrap_or_else(|_| Err(counts_panicked()));
    let CountedCall { found, is_counted } = counted.map_err(|error| {
        let why = format!("the count cannot be written: {}", error.message());
        Box::new(decision.uncounted(&why))
    })?;
    let now_ms = dispatcher.host.clock.unix_ms();
    let decided = decision.clone().limited(&claims, &found, now_ms);
    trail.limits = claims.into_iter().zip(found).collect();
    trail.is_counted = is_counted;
    match is_counted {
        true => Ok(()),
        // Where the limit asks, the same call asks when it is made again.
        false => Err(Box::new(PolicyDecision {
            verdict: Verdict::Deny,
            ..decided
        })),
    }
}

/// The denial of a limited call, with what its window holds.
pub(super) fn limit_denial(denial: ToolError, id: &str, trail: &CallTrail) -> ToolError {
    let mut limits = trail.limits.iter();
    let full = limits.find(|(claim, found)| !claim.has_room(found));
    let role = &trail.who().role;
    let denial = denial.reason("limit").hint(format!(
        "`mathchain policy explain {role} {id}` shows the limit and its present count"
    ));
    match full {
        Some((claim, found)) => denial.evidence(claim.to_record(found)),
        None => denial,
    }
}

impl CallTrail {
    /// Takes back the count of a call that did not reach its tool.
    pub(super) fn give_back_count(&mut self, dispatcher: &Dispatcher) {
        let counts = dispatcher.host.counts.as_ref();
        let Some(counts) = counts.filter(|_| self.is_counted && !self.has_begun) else {
            return;
        };
        let given = panic::catch_panic(self.call_id(), || counts.give_back(self.call_id()));
        match given.unwrap_or_else(|_| Err(counts_panicked())) {
            Ok(()) => self.is_counted = false,
            Err(error) => {
                let warning = format!("the call stays counted by its limits: {}", error.message());
                self.warnings.push(warning);
            }
        }
    }
}

fn counts_panicked() -> ToolError {
    tool_error!(ToolError, "the counts failed unexpectedly")
}
