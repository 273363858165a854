//! [`WorkBudget`]: how much a search may multiply, and when its caller wants it to end.

use thiserror::Error;

/// Why a search ended before its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum WorkEnd {
    /// The multiplications are spent.
    #[error("the budget of multiplications is spent")]
    Spent,
    /// The caller stopped it.
    #[error("the search was stopped")]
    Stopped,
}

/// Multiplications that may still be done, in units of one product of two words, and the question whether to continue.
pub struct WorkBudget<'a> {
    left: u64,
    spent: u64,
    stop: &'a dyn Fn() -> bool,
}

impl<'a> WorkBudget<'a> {
    /// So many products of words; `stop` is asked at least every few milliseconds.
    pub fn new(products: u64, stop: &'a dyn Fn() -> bool) -> Self {
        Self {
            left: products,
            spent: 0,
            stop,
        }
    }

    /// Takes products away.
    ///
    /// # Errors
    /// [`WorkEnd`].
    pub fn spend(&mut self, products: u64) -> Result<(), WorkEnd> {
        if (self.stop)() {
            return Err(WorkEnd::Stopped);
        }
        self.spent = self.spent.saturating_add(products);
        match self.left.checked_sub(products) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => {
                self.left = 0;
                Err(WorkEnd::Spent)
            }
        }
    }

    /// What is left.
    pub fn left(&self) -> u64 {
        self.left
    }

    /// What was spent.
    pub fn spent(&self) -> u64 {
        self.spent
    }

    /// A budget of a share of what is left, for an attempt that may fail; [`WorkBudget::settle`] gives back what it did not spend.
    #[must_use]
    pub fn share(&self, divisor: u64) -> Self {
        Self {
            left: self.left / divisor.max(1),
            spent: 0,
            stop: self.stop,
        }
    }

    /// Counts what a shared budget spent.
    pub fn settle(&mut self, shared: &Self) {
        self.left = self.left.saturating_sub(shared.spent);
        self.spent = self.spent.saturating_add(shared.spent);
    }
}
