//! [`Watch`]: what a computation asks of its caller while it runs, and how it ends when the caller says no.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

/// What a computation asks of its caller while it runs: whether to go on, memory, time, and who hears of its progress.
///
/// Every method has a default that permits everything, so `impl Watch for MyType {}` is a caller without limits, as [`NoWatch`] is.
/// Results do not depend on the answers, as long as they are yes.
pub trait Watch: Sync {
    /// Whether to go on; every loop asks at least every 10 ms.
    ///
    /// # Errors
    /// [`Interruption::Stopped`].
    fn check(&self) -> Result<(), Interruption> {
        Ok(())
    }

    /// Sets memory aside before it is allocated.
    ///
    /// # Errors
    /// [`Interruption::Memory`].
    fn reserve(&self, bytes: u64) -> Result<(), Interruption> {
        let _ = bytes;
        Ok(())
    }

    /// Sets memory aside for `count` doubles; a count that overflows counts as too large.
    ///
    /// # Errors
    /// As [`Watch::reserve`].
    fn reserve_doubles(&self, count: usize) -> Result<(), Interruption> {
        self.reserve((count as u64).saturating_mul(8))
    }

    /// Whether work that cannot be interrupted, at 10^9 operations a second, ends in time.
    ///
    /// # Errors
    /// [`Interruption::Cost`], or [`Interruption::Stopped`].
    fn afford(&self, operations: f64) -> Result<(), Interruption> {
        let _ = operations;
        Ok(())
    }

    /// Counts evaluations of a function of the caller.
    ///
    /// # Errors
    /// [`Interruption::Evaluations`].
    fn count_evaluations(&self, count: u64) -> Result<(), Interruption> {
        let _ = count;
        Ok(())
    }

    /// Whether to stop, for libraries that keep the question longer than a borrow lasts; who answers [`Watch::check`] with no answers here too.
    fn stop_handle(&self) -> StopHandle {
        Arc::new(|| false)
    }

    /// Hears how far the work is: a fraction from 0 to 1 where it is known, and words that are made only where somebody reads them.
    fn progress(&self, fraction: Option<f64>, words: &dyn Fn() -> String) {
        let _ = (fraction, words);
    }
}

/// A question whether to stop that outlives the computation.
pub type StopHandle = Arc<dyn Fn() -> bool + Send + Sync>;

/// A caller without limits, who hears nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoWatch;

impl Watch for NoWatch {}

/// What the caller said no to.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum Interruption {
    /// The work was stopped.
    #[error("the computation was stopped")]
    Stopped,
    /// There is not so much memory.
    #[error("the computation needs {bytes} bytes of memory more than the limit leaves")]
    Memory {
        /// Bytes that were asked for.
        bytes: u64,
    },
    /// The work could not be interrupted, and would outlast its deadline.
    #[error(
        "the computation needs about {operations:.0e} operations and cannot be interrupted, more than the deadline allows"
    )]
    Cost {
        /// Operations, at 10^9 a second.
        operations: f64,
    },
    /// No further evaluations of the caller's function.
    #[error("the computation needs more evaluations than the limit allows")]
    Evaluations,
}

/// The error of a function that the caller passed, as it returned it.
pub struct FunctionError(Box<dyn Error + Send + Sync>);

impl FunctionError {
    /// Takes the error of a function.
    pub fn new(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self(error.into())
    }

    /// The error as the type that the function returned.
    ///
    /// # Errors
    /// The error unchanged, where it is of another type.
    pub fn downcast<E: Error + 'static>(self) -> Result<E, Self> {
        self.0.downcast().map(|error| *error).map_err(Self)
    }

    /// The error.
    pub fn get(&self) -> &(dyn Error + Send + Sync) {
        &*self.0
    }
}

impl fmt::Debug for FunctionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for FunctionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Error for FunctionError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::sync::Arc;

    use super::{FunctionError, Interruption, NoWatch, StopHandle, Watch};

    /// A caller who stops everything.
    pub(crate) struct StoppedWatch;

    impl Watch for StoppedWatch {
        fn check(&self) -> Result<(), Interruption> {
            Err(Interruption::Stopped)
        }

        fn stop_handle(&self) -> StopHandle {
            Arc::new(|| true)
        }
    }

    #[test]
    fn without_limits_everything_is_permitted() {
        assert_eq!(NoWatch.check(), Ok(()));
        assert_eq!(NoWatch.reserve_doubles(usize::MAX), Ok(()));
        assert_eq!(NoWatch.afford(f64::INFINITY), Ok(()));
        assert_eq!(NoWatch.count_evaluations(u64::MAX), Ok(()));
    }

    #[test]
    fn the_error_of_a_function_comes_back_as_its_type() {
        let error = FunctionError::new(Interruption::Evaluations);
        assert_eq!(error.to_string(), Interruption::Evaluations.to_string());
        let error = error
            .downcast::<std::fmt::Error>()
            .expect_err("of another type");
        assert_eq!(
            error.downcast::<Interruption>().expect("its type"),
            Interruption::Evaluations
        );
    }
}
