//! How much work an answer may take.

use std::cell::Cell;
use std::fmt;

use thiserror::Error;

use crate::tree::{Expr, Poison};

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SymbolicFault {
    /// More steps of work than allowed.
    #[error("the work is beyond the limit of {0} steps")]
    Work(u64),
    /// An expression larger or deeper than allowed.
    #[error("an expression grows beyond the limit of size or depth")]
    Size,
    /// The caller asked to stop.
    #[error("stopped")]
    Stopped,
    /// An operation without a value, such as a division by zero.
    #[error("the expression has no value: it divides by zero or is not defined")]
    Undefined,
    /// A question of a kind that is not answered.
    #[error("{0}")]
    Refused(String),
}

/// A result or the reason why there is none.
pub type Outcome<T> = Result<T, SymbolicFault>;

/// Refuses with a reason in words.
pub(crate) fn refuse<T>(reason: impl Into<String>) -> Outcome<T> {
    Err(SymbolicFault::Refused(reason.into()))
}

/// The steps that one answer may take, with a way to stop it. A step is about one operation of coefficients.
pub struct Budget<'a> {
    limit: u64,
    used: Cell<u64>,
    is_stopped: &'a dyn Fn() -> bool,
    /// Of a share: what it is a share of, which pays too.
    whole: Option<&'a Budget<'a>>,
}

impl fmt::Debug for Budget<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Budget({} of {})", self.used.get(), self.limit)
    }
}

/// Steps of an ordinary answer.
pub const ORDINARY_STEPS: u64 = 4_000_000;

impl<'a> Budget<'a> {
    /// A budget of steps; `is_stopped` is asked about every thousand steps.
    pub fn new(limit: u64, is_stopped: &'a dyn Fn() -> bool) -> Self {
        Self {
            limit,
            used: Cell::new(0),
            is_stopped,
            whole: None,
        }
    }

    /// The steps that were taken.
    pub fn used(&self) -> u64 {
        self.used.get()
    }

    /// A part of what is left, so that one attempt cannot use up all; its steps are steps of the whole.
    pub fn share(&self, part: u64) -> Budget<'_> {
        let left = self.limit.saturating_sub(self.used.get());
        Budget {
            whole: Some(self),
            ..Budget::new(left.min(part), self.is_stopped)
        }
    }

    /// Counts steps here and in the whole.
    fn count(&self, steps: u64) {
        let mut budget = Some(self);
        while let Some(one) = budget {
            one.used.set(one.used.get().saturating_add(steps));
            budget = one.whole;
        }
    }

    /// Takes steps, or says that they are used up.
    pub fn spend(&self, steps: usize) -> Outcome<()> {
        let before = self.used.get();
        self.count(steps as u64);
        let after = self.used.get();
        if after > self.limit {
            return Err(SymbolicFault::Work(self.limit));
        }
        if before >> 10 != after >> 10 && (self.is_stopped)() {
            return Err(SymbolicFault::Stopped);
        }
        Ok(())
    }

    /// Passes an expression on unless it has grown too large or has no value.
    pub fn admit(&self, expr: Expr) -> Outcome<Expr> {
        self.spend(1)?;
        match expr.poison() {
            None => Ok(expr),
            Some(Poison::TooLarge) => Err(SymbolicFault::Size),
            Some(Poison::Undefined) => Err(SymbolicFault::Undefined),
        }
    }
}

/// Never stops.
pub fn never_stopped() -> bool {
    false
}

/// A budget for tests and small questions.
pub fn ordinary_budget() -> Budget<'static> {
    Budget::new(ORDINARY_STEPS, &never_stopped)
}

/// Bytes of stack for expressions of the greatest depth in builds without optimisation.
const STACK_BYTES: usize = 256 << 20;

/// Runs work on a stack that expressions of the greatest depth do not fill; `None` where no thread can be started.
pub fn on_wide_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Option<T> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new()
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, work)
            .ok()?;
        thread.join().ok()
    })
}
