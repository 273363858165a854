//! [`TargetDensity`]: what chains draw from.

/// What gives the log density at a point.
pub type LevelEvaluator<'d> = Box<dyn FnMut(&[f64]) -> f64 + 'd>;

/// What fills in the log density at a point and its derivatives after it.
pub type GradientEvaluator<'d> = Box<dyn FnMut(&[f64], &mut [f64]) + 'd>;

/// The logarithm of a density, up to a constant. A point where it is NaN or minus infinity has density zero.
pub trait TargetDensity: Sync {
    /// What gives the log density at a point; one for each chain, with its memory.
    fn level(&self) -> LevelEvaluator<'_>;

    /// What gives the log density and its derivatives, for `nuts`; one for each chain. `None` where there are none.
    fn gradient(&self) -> Option<GradientEvaluator<'_>> {
        None
    }
}

impl<F: Fn(&[f64]) -> f64 + Sync> TargetDensity for F {
    fn level(&self) -> LevelEvaluator<'_> {
        Box::new(self)
    }
}

/// A log density by a function that writes it and its derivatives after it.
#[derive(Debug, Clone, Copy)]
pub struct SmoothDensity<F>(pub F);

impl<F: Fn(&[f64], &mut [f64]) + Sync> TargetDensity for SmoothDensity<F> {
    fn level(&self) -> LevelEvaluator<'_> {
        let mut found = Vec::new();
        Box::new(move |point| {
            found.resize(point.len() + 1, 0.0);
            (self.0)(point, &mut found);
            found[0]
        })
    }

    fn gradient(&self) -> Option<GradientEvaluator<'_>> {
        Some(Box::new(&self.0))
    }
}
