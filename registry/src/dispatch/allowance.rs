//! Quotas that calls pass to nested runs.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// An opaque value that calls pass to nested runs.
#[derive(Clone, Default)]
pub struct NestedRunAllowance(Option<Arc<dyn Any + Send + Sync>>);

impl NestedRunAllowance {
    /// Wraps a value.
    pub fn new(carried: Arc<dyn Any + Send + Sync>) -> Self {
        Self(Some(carried))
    }

    /// The value, if it has this type.
    pub fn get<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        Arc::clone(self.0.as_ref()?).downcast().ok()
    }
}

impl fmt::Debug for NestedRunAllowance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Allowance").field(&self.0.is_some()).finish()
    }
}

impl PartialEq for NestedRunAllowance {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            (one, other) => one.is_none() && other.is_none(),
        }
    }
}

impl Eq for NestedRunAllowance {}
