//! [`RealFunction`]: what roots are looked for of, and its evaluations.

use std::cell::Cell;

use crate::roots::RootError;
use crate::roots::interval::Interval;
use crate::roots::isolate::FunctionEnclosure;
use crate::watch::{FunctionError, Watch};

/// A function of one variable. Every `Fn(f64) -> f64` is one that is not known over intervals.
pub trait RealFunction {
    /// The value; NaN where there is none, infinite beyond the doubles.
    ///
    /// # Errors
    /// What ends the search.
    fn value(&self, x: f64) -> Result<f64, FunctionError>;

    /// What is known over an interval, or the part of the function that is not known over intervals.
    ///
    /// # Errors
    /// What ends the search.
    fn enclosure(
        &self,
        x: Interval,
    ) -> Result<Result<FunctionEnclosure, UnenclosedFunction>, FunctionError> {
        let _ = x;
        Ok(Err(UnenclosedFunction("f")))
    }
}

impl<F: Fn(f64) -> f64> RealFunction for F {
    fn value(&self, x: f64) -> Result<f64, FunctionError> {
        Ok(self(x))
    }
}

/// A function that is not known over intervals, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnenclosedFunction(pub &'static str);

/// A function whose evaluations are counted, each asked for first.
pub(super) struct CountedFunction<'a> {
    function: &'a dyn RealFunction,
    count: Cell<u64>,
    watch: &'a dyn Watch,
}

impl<'a> CountedFunction<'a> {
    pub(super) fn new(function: &'a dyn RealFunction, watch: &'a dyn Watch) -> Self {
        Self {
            function,
            count: Cell::new(0),
            watch,
        }
    }

    /// Evaluations so far, at points and over intervals.
    pub(super) fn evaluations(&self) -> u64 {
        self.count.get()
    }

    fn tick(&self) -> Result<(), RootError> {
        self.count.set(self.count.get() + 1);
        self.watch.check()?;
        self.watch.count_evaluations(1)?;
        Ok(())
    }

    pub(super) fn value(&self, x: f64) -> Result<f64, RootError> {
        self.tick()?;
        Ok(self.function.value(x)?)
    }

    pub(super) fn enclosure(
        &self,
        x: Interval,
    ) -> Result<Result<FunctionEnclosure, UnenclosedFunction>, RootError> {
        self.tick()?;
        Ok(self.function.enclosure(x)?)
    }

    /// The sign that intervals prove at a point; 0 where they prove none.
    pub(super) fn sign(&self, x: f64) -> Result<i32, RootError> {
        let found = self.enclosure(Interval::point(x))?;
        Ok(found
            .ok()
            .and_then(|found| found.values)
            .map_or(0, Interval::sign))
    }
}
