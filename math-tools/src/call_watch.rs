//! [`CallWatch`]: a call as the caller of a computation, and the errors of computations as errors of the call.

use std::sync::Arc;

use numerics::{FunctionError, Interruption, StopHandle, Watch};
use tool_core::{Ctx, ErrorCode, ToolError};

/// The stop flag, the budget and the progress of a call.
#[derive(Clone, Copy)]
pub(crate) struct CallWatch<'a>(pub(crate) &'a Ctx);

impl Watch for CallWatch<'_> {
    fn check(&self) -> Result<(), Interruption> {
        self.0.check().map_err(|_| Interruption::Stopped)
    }

    fn reserve(&self, bytes: u64) -> Result<(), Interruption> {
        self.0
            .reserve(bytes)
            .map_err(|_| Interruption::Memory { bytes })
    }

    fn afford(&self, operations: f64) -> Result<(), Interruption> {
        self.0.afford(operations).map_err(|_| match self.0.check() {
            Ok(()) => Interruption::Cost { operations },
            Err(_) => Interruption::Stopped,
        })
    }

    fn count_evaluations(&self, count: u64) -> Result<(), Interruption> {
        self.0
            .count_evaluations(count)
            .map_err(|_| Interruption::Evaluations)
    }

    fn stop_handle(&self) -> StopHandle {
        let stop = self.0.stop().clone();
        Arc::new(move || stop.is_set())
    }

    fn progress(&self, fraction: Option<f64>, words: &dyn Fn() -> String) {
        self.0.progress(fraction, words);
    }
}

impl CallWatch<'_> {
    /// What the call says to an interruption: the same question, asked of the call again.
    pub(crate) fn interruption_error(self, interruption: Interruption) -> ToolError {
        let asked = match interruption {
            Interruption::Stopped => self.0.check(),
            Interruption::Memory { bytes } => self.0.reserve(bytes),
            Interruption::Cost { operations } => self.0.afford(operations),
            Interruption::Evaluations => self.0.count_evaluations(0),
        };
        asked
            .err()
            .unwrap_or_else(|| ToolError::new(ErrorCode::Cancelled, interruption))
    }

    /// The error of a function that the call passed to a computation.
    pub(crate) fn function_error(error: FunctionError) -> ToolError {
        error
            .downcast::<ToolError>()
            .unwrap_or_else(|other| ToolError::new(ErrorCode::Internal, other))
    }
}
