//! [`first_mesh`], the mesh of a first guess, and the entry with a guess: [`BvpProblem::solve`].

use super::error::BvpError;
use super::mesh::{BvpOptions, BvpResult, solve_on_meshes};
use super::problem::{BvpProblem, MeshSolution};
use crate::watch::Watch;

/// First number of intervals.
const INTERVALS: usize = 10;

/// A mesh of about ten equal intervals, of at most so many points, with the breakpoints among them, which are ascending and within the interval.
///
/// # Errors
/// [`BvpError::FewNodes`], [`BvpError::TooShort`].
pub fn first_mesh(
    (start, end): (f64, f64),
    breakpoints: &[f64],
    nodes: usize,
) -> Result<Vec<f64>, BvpError> {
    let least = breakpoints.len() + 2;
    if nodes < least {
        return Err(BvpError::FewNodes {
            least,
            found: nodes,
        });
    }
    let intervals = INTERVALS.min(nodes - 1);
    let step = (end - start) / intervals as f64;
    let mut t: Vec<f64> = (0..=intervals)
        .map(|index| start + step * index as f64)
        .collect();
    t[intervals] = end;
    insert_breakpoints(&mut t, breakpoints, nodes);
    if t.windows(2).any(|pair| pair[0] >= pair[1]) {
        return Err(BvpError::TooShort);
    }
    Ok(t)
}

/// Makes the breakpoints points of a mesh, in the place of those that are near.
fn insert_breakpoints(t: &mut Vec<f64>, breakpoints: &[f64], nodes: usize) {
    let (start, end) = (t[0], t[t.len() - 1]);
    let near = 0.1 * (t[1] - t[0]);
    for &place in breakpoints {
        let is_far = |node: f64| (node - place).abs() > near || breakpoints.contains(&node);
        t.retain(|&node| node == start || node == end || node != place && is_far(node));
        let after = t.partition_point(|&node| node < place);
        t.insert(after, place);
    }
    // Other points give way to the limit.
    let mut spare = t.len().saturating_sub(nodes);
    t.retain(|&node| {
        let is_kept = spare == 0 || node == start || node == end || breakpoints.contains(&node);
        spare -= usize::from(!is_kept);
        is_kept
    });
}

impl BvpProblem<'_> {
    /// A first guess on an interval: `guess(t, y)` sets the components at a time, which are 0 before; then the unknowns.
    ///
    /// # Errors
    /// [`BvpError`] for an interval, breakpoints and a limit of points that do not fit.
    pub fn guess(
        &self,
        (start, end): (f64, f64),
        options: &BvpOptions,
        guess: impl Fn(f64, &mut [f64]),
        unknowns: &[f64],
    ) -> Result<MeshSolution, BvpError> {
        if !(start < end && (end - start).is_finite()) {
            return Err(BvpError::Span { start, end });
        }
        let mut before = start;
        for (index, &time) in self.breakpoints.iter().enumerate() {
            if !(before < time && time < end) {
                return Err(BvpError::Breakpoint { index, time });
            }
            before = time;
        }
        let t = first_mesh((start, end), self.breakpoints, options.nodes)?;
        let n = self.n();
        let mut y = vec![0.0; n * t.len()];
        for (&t, y) in t.iter().zip(y.chunks_exact_mut(n)) {
            guess(t, y);
        }
        Ok(MeshSolution::new(t, y, unknowns.to_vec()))
    }

    /// Solves the problem from a first guess.
    ///
    /// # Method
    /// On each interval the solution is a cubic that fulfils the equations at both ends and in the middle (Lobatto IIIA of order 4), found by damped Newton
    /// iterations; intervals with a large residual are cut. A solution on a mesh twice as fine confirms the last one. Source: J. Kierzenka, L. F. Shampine, "A
    /// BVP Solver Based on Residual Control and the MATLAB PSE", ACM TOMS 27, 2001.
    ///
    /// # Errors
    /// [`BvpError::Guess`], an interruption. A problem that is not solved is a result that says so.
    pub fn solve(
        &self,
        first: MeshSolution,
        options: &BvpOptions,
        watch: &dyn Watch,
    ) -> Result<BvpResult, BvpError> {
        let (components, nodes) = (self.n(), first.t.len());
        let ascends = first.t.windows(2).all(|pair| pair[0] < pair[1]);
        let mut numbers = first.t.iter().chain(&first.y).chain(&first.p);
        if components == 0
            || nodes < 2
            || !ascends
            || first.y.len() != components * nodes
            || first.slope.len() != 2 * components * (nodes - 1)
            || !numbers.all(|number| number.is_finite())
        {
            return Err(BvpError::Guess { components });
        }
        let options = BvpOptions {
            tolerance: options.tolerance.max(100.0 * f64::EPSILON),
            ..*options
        };
        Ok(solve_on_meshes(self, first, options, watch)?)
    }
}
