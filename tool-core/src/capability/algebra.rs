//! An outside computer algebra system.

use crate::ctx::Ctx;
use crate::error::ToolError;
use crate::value::Value;

/// A computer algebra system outside of this program. What it answers is a claim: who asks checks it.
pub trait ComputerAlgebra: Send + Sync {
    /// Asks one question, as JSON both ways; the context has the deadline.
    ///
    /// # Errors
    /// `precondition_failed` where the system is not installed, `limit_exceeded` where it gives no answer within its limits, `tool_error` where it
    /// crashes or answers in another form, `cancelled` and `timeout`.
    fn ask(&self, question: &Value, ctx: &Ctx) -> Result<Value, ToolError>;
}
