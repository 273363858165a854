//! Usage of the budget of a run and of the runs it is nested in: a nested plan charges both. The rulings of a resumed run reach
//! nested plans in the same way.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tool_core::{ToolError, tool_error};

use super::resume::ResumeRequest;
use crate::plan::PlanBudget;

/// Counts what a run uses.
#[derive(Debug, Default)]
pub struct UsageMeter {
    budget: PlanBudget,
    used: [AtomicU64; UsageKind::COUNT],
    above: Option<Arc<Self>>,
    how: Option<Arc<ResumeRequest>>,
}

/// A counted quantity; the alarm measures wall time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UsageKind {
    Steps,
    Cost,
    CpuMs,
    BytesOut,
    ArtifactBytes,
}

impl UsageKind {
    /// Number of kinds.
    const COUNT: usize = 5;

    /// The key of the budget, and its limit.
    const fn of(self, budget: &PlanBudget) -> (&'static str, Option<u64>) {
        match self {
            Self::Steps => ("steps", budget.steps),
            Self::Cost => ("cost", budget.cost),
            Self::CpuMs => ("cpu_ms", budget.cpu_ms),
            Self::BytesOut => ("bytes_out", budget.bytes_out),
            Self::ArtifactBytes => ("artifact_bytes", budget.artifact_bytes),
        }
    }
}

impl UsageMeter {
    /// Meter of a plan with this budget, nested in the runs above; with the rulings of a run that is resumed.
    pub(super) fn new(
        budget: PlanBudget,
        above: Option<Arc<Self>>,
        how: Option<Arc<ResumeRequest>>,
    ) -> Arc<Self> {
        Arc::new(Self {
            budget,
            used: Default::default(),
            above,
            how,
        })
    }

    /// Rulings for a nested run.
    pub(crate) fn resume_of(&self, run: &str) -> ResumeRequest {
        let how = self.all().find_map(|meter| meter.how.as_ref());
        how.map_or_else(ResumeRequest::default, |how| how.of_nested(run))
    }

    /// This meter and those above it.
    fn all(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |meter| meter.above.as_deref())
    }

    /// Whether any budget limits it; otherwise it need not be measured.
    pub(super) fn limits(&self, kind: UsageKind) -> bool {
        self.all().any(|meter| kind.of(&meter.budget).1.is_some())
    }

    /// Charges a call before it starts, or nothing at all.
    pub(super) fn take(&self, kind: UsageKind, amount: u64) -> Result<(), ToolError> {
        for (taken, meter) in self.all().enumerate() {
            let (name, most) = kind.of(&meter.budget);
            let most = most.unwrap_or(u64::MAX);
            let room = |used: u64| used.checked_add(amount).filter(|&sum| sum <= most);
            let used = &meter.used[kind as usize];
            let fits = used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, room);
            if fits.is_err() {
                for below in self.all().take(taken) {
                    below.used[kind as usize].fetch_sub(amount, Ordering::Relaxed);
                }
                return Err(budget_exhausted_error(name, taken > 0));
            }
        }
        Ok(())
    }

    /// Charges the usage of a call; fails with the first budget that it exceeds, this one before those above.
    pub(super) fn spend(&self, kind: UsageKind, amount: u64) -> Result<(), ToolError> {
        let mut exceeded = Ok(());
        for (above, meter) in self.all().enumerate() {
            let before = meter.used[kind as usize].fetch_add(amount, Ordering::Relaxed);
            let (name, most) = kind.of(&meter.budget);
            let is_over = most.is_some_and(|most| before.saturating_add(amount) > most);
            if exceeded.is_ok() && is_over {
                exceeded = Err(budget_exhausted_error(name, above > 0));
            }
        }
        exceeded
    }
}

pub(super) fn budget_exhausted_error(what: &str, above: bool) -> ToolError {
    let (of, whose) = match above {
        true => (
            format!("the budget of `{what}` of an enclosing plan"),
            "that plan",
        ),
        false => (format!("the plan's budget of `{what}`"), "the plan"),
    };
    tool_error!(LimitExceeded, "budget_exceeded"; "{of} is exhausted";
        "raise `budget.{what}` of {whose}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_used_below_is_used_above() {
        let budget = |steps| PlanBudget {
            steps: Some(steps),
            cpu_ms: Some(10),
            ..PlanBudget::default()
        };
        let outer = UsageMeter::new(budget(3), None, None);
        let inner = UsageMeter::new(budget(2), Some(Arc::clone(&outer)), None);
        let message = |err: ToolError| err.message().to_owned();
        assert!(inner.take(UsageKind::Steps, 1).is_ok());
        assert!(outer.take(UsageKind::Steps, 1).is_ok());
        assert!(outer.take(UsageKind::Steps, 1).is_ok());
        let refused = message(inner.take(UsageKind::Steps, 1).unwrap_err());
        assert!(refused.contains("of an enclosing plan"), "{refused}");
        // A charge that the outer budget refused is not charged to the inner one.
        assert_eq!(
            inner.used[UsageKind::Steps as usize].load(Ordering::Relaxed),
            1
        );
        assert!(inner.spend(UsageKind::CpuMs, 10).is_ok());
        let refused = message(outer.spend(UsageKind::CpuMs, 1).unwrap_err());
        assert_eq!(refused, "the plan's budget of `cpu_ms` is exhausted");
        assert!(!inner.limits(UsageKind::BytesOut) && inner.limits(UsageKind::Steps));
    }
}
