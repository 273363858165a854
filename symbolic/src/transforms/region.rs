//! Half planes in which transforms converge.

use crate::budget::{Budget, Outcome, refuse};
use crate::simplify::expand::expand;
use crate::tree::walk::{is_known_nonnegative, is_known_real};
use crate::tree::{Expr, MathConstant};

/// The real part must be above each of these; none is the whole plane.
#[derive(Debug, Clone, Default)]
pub(super) struct HalfPlane {
    pub bounds: Vec<Expr>,
}

impl HalfPlane {
    pub(super) fn above(bound: Expr) -> Self {
        Self {
            bounds: vec![bound],
        }
    }

    /// What both allow, without bounds that follow from others.
    pub(super) fn meet(&self, other: &Self) -> Self {
        let mut bounds: Vec<Expr> = Vec::new();
        for bound in self.bounds.iter().chain(&other.bounds) {
            let follows = |known: &Expr| is_known_nonnegative(&(known - bound));
            if bounds.iter().any(follows) {
                continue;
            }
            bounds.retain(|known| !is_known_nonnegative(&(bound - known)));
            bounds.push(bound.clone());
        }
        Self { bounds }
    }

    /// Moved to the right.
    pub(super) fn shift(&self, by: &Expr) -> Self {
        Self {
            bounds: self.bounds.iter().map(|bound| bound + by).collect(),
        }
    }
}

/// The real part of an expression whose parts are known to be real or imaginary.
pub(super) fn real_part(expr: &Expr, budget: &Budget<'_>) -> Outcome<Expr> {
    if is_known_real(expr) {
        return Ok(expr.clone());
    }
    let mut real = Vec::new();
    for term in expand(expr, budget)?.terms() {
        if is_known_real(term) {
            real.push(term.clone());
            continue;
        }
        let rest = Expr::product(
            term.factors()
                .iter()
                .filter(|factor| factor.as_constant() != Some(MathConstant::I))
                .cloned(),
        );
        if !is_known_real(&rest) {
            return refuse("an exponent is not known to be real, so that no half plane is known");
        }
    }
    Ok(Expr::sum(real))
}
