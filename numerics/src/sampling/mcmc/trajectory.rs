//! Trajectories that double until they turn, and the draw of one of their states.
//!
//! # Method
//! Every doubling extends the trajectory forwards or backwards in time, at random, by as many leapfrog steps as it has states.
//! The states of the extension are joined like the digits of a binary counter, so nothing recurses: after leaf `n` as many
//! segments of equal length are joined as `n` has trailing zero bits. A join looks for a turn over the whole segment and over
//! each half with the first state of the other, and keeps one state of the two by their weights `exp(-energy)`; the last join,
//! of trajectory and extension, prefers the extension. An extension that turns within itself, diverges or leaves the support is
//! thrown away and ends the trajectory.
//!
//! # References
//! M. D. Hoffman, A. Gelman, "The No-U-Turn Sampler: Adaptively Setting Path Lengths in Hamiltonian Monte Carlo", JMLR 15,
//! 2014; M. Betancourt, "A Conceptual Introduction to Hamiltonian Monte Carlo", arXiv:1701.02434, 2017, appendix A; the checks
//! across halves are those of Stan since 2.21.

use rand::RngExt;
use rand_distr::{Distribution as _, StandardNormal};
use random_streams::StreamRng;

use super::hamiltonian::{Hamiltonian, PhasePoint};
use crate::sampling::SamplingError;
use crate::vector::{Unary, evaluate_unary};
use crate::watch::Watch;

/// Most doublings: at most 1023 leapfrog steps.
pub const DEPTH_MAX: u32 = 10;

/// A rise of the energy beyond this is a divergence: the integration follows the density no longer.
const RISE_MAX: f64 = 1000.0;

/// Reason a trajectory ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TrajectoryEnd {
    /// U-turn.
    Turn,
    /// The energy rose by more than [`RISE_MAX`], or the gradient is not finite.
    Divergence,
    /// It entered a region of density zero.
    Outside,
    /// After [`DEPTH_MAX`] doublings.
    DepthMax,
}

/// Statistics of a trajectory.
#[derive(Debug, Clone, Copy)]
pub(super) struct TrajectoryOutcome {
    pub(super) end: TrajectoryEnd,
    /// Mean over its states of the probability that a Metropolis step would accept them.
    pub(super) acceptance: f64,
    /// The energy of the state that was drawn.
    pub(super) energy: f64,
}

/// Consecutive states, in the order in which they were made.
#[derive(Default)]
struct TrajectorySegment {
    /// Momentum of the first state.
    first: Vec<f64>,
    /// Momentum of the last state.
    last: Vec<f64>,
    /// Sum of the momenta.
    sum: Vec<f64>,
    /// Sum of the weights of the states.
    weight: f64,
    /// The state kept of them.
    chosen: PhasePoint,
}

impl TrajectorySegment {
    /// One state.
    fn set(&mut self, state: &PhasePoint, weight: f64) {
        self.first.clone_from(&state.momentum);
        self.last.clone_from(&state.momentum);
        self.sum.clone_from(&state.momentum);
        self.weight = weight;
        self.chosen.copy_from(state);
    }

    /// Appends the segment that follows, which becomes scratch. Its chosen state is taken when `uniform * against` is less than
    /// its weight. False when the whole turns back, or a half with the first state of the other.
    fn join(&mut self, next: &mut Self, uniform: f64, against: f64) -> bool {
        let mut along = [0.0; 6];
        let ends = self.first.iter().zip(&self.last);
        let next_ends = next.first.iter().zip(&next.last);
        let sums = self.sum.iter_mut().zip(&next.sum);
        for (((first, last), (next_first, next_last)), (sum, next_sum)) in
            ends.zip(next_ends).zip(sums)
        {
            let whole = *sum + next_sum;
            let left = *sum + next_first;
            let right = last + next_sum;
            along[0] += first * whole;
            along[1] += next_last * whole;
            along[2] += first * left;
            along[3] += next_first * left;
            along[4] += last * right;
            along[5] += next_last * right;
            *sum = whole;
        }
        std::mem::swap(&mut self.last, &mut next.last);
        if uniform * against < next.weight {
            std::mem::swap(&mut self.chosen, &mut next.chosen);
        }
        self.weight += next.weight;
        along.iter().all(|along| *along > 0.0)
    }

    /// Turns the order around.
    fn reverse(&mut self) {
        std::mem::swap(&mut self.first, &mut self.last);
    }
}

/// The memory of trajectories: a few dozen vectors, reused.
pub(super) struct TrajectoryTree {
    /// The states at the backward and the forward end.
    ends: [PhasePoint; 2],
    whole: TrajectorySegment,
    /// Segments of the extension that are not joined yet, the longest first; the rest is scratch.
    pending: Vec<TrajectorySegment>,
    /// Weights are relative to a state whose energy is this much below the start's.
    reference: f64,
}

impl TrajectoryTree {
    /// Empty.
    pub(super) fn new() -> Self {
        Self {
            ends: [PhasePoint::default(), PhasePoint::default()],
            whole: TrajectorySegment::default(),
            pending: (0..=DEPTH_MAX)
                .map(|_| TrajectorySegment::default())
                .collect(),
            reference: 0.0,
        }
    }

    /// Moves a state to one drawn from a trajectory through it with a fresh momentum.
    ///
    /// # Errors
    /// [`SamplingError::Interrupted`], [`SamplingError::Unbounded`].
    pub(super) fn step(
        &mut self,
        state: &mut PhasePoint,
        hamiltonian: &mut Hamiltonian<'_>,
        step: f64,
        rng: &mut StreamRng,
        watch: &dyn Watch,
    ) -> Result<TrajectoryOutcome, SamplingError> {
        state.momentum.fill_with(|| StandardNormal.sample(rng));
        let start = state.energy();
        self.ends.iter_mut().for_each(|end| end.copy_from(state));
        self.whole.set(state, 1.0);
        self.reference = 0.0;
        let (mut end, mut acceptance, mut steps) = (TrajectoryEnd::DepthMax, 0.0, 0.0);
        for depth in 0..DEPTH_MAX {
            let forward: bool = rng.random();
            let mut walk = LeapfrogWalk {
                hamiltonian: &mut *hamiltonian,
                step: if forward { step } else { -step },
                start,
                acceptance: 0.0,
                steps: 0.0,
            };
            let broken = self.extend(depth, forward, &mut walk, rng, watch)?;
            acceptance += walk.acceptance;
            steps += walk.steps;
            if let Some(found) = broken {
                end = found;
                break;
            }
            let (whole, extension) = (&mut self.whole, &mut self.pending[0]);
            let against = whole.weight;
            if !forward {
                whole.reverse();
            }
            let straight = whole.join(extension, rng.random(), against);
            if !forward {
                whole.reverse();
            }
            if !straight {
                end = TrajectoryEnd::Turn;
                break;
            }
        }
        std::mem::swap(state, &mut self.whole.chosen);
        Ok(TrajectoryOutcome {
            end,
            acceptance: acceptance / steps,
            energy: state.energy(),
        })
    }

    /// Builds `2^depth` further states at one end as `pending[0]`; why it cannot be used, if so.
    fn extend(
        &mut self,
        depth: u32,
        forward: bool,
        walk: &mut LeapfrogWalk<'_, '_>,
        rng: &mut StreamRng,
        watch: &dyn Watch,
    ) -> Result<Option<TrajectoryEnd>, SamplingError> {
        let mut height = 0;
        for leaf in 1..=1_u32 << depth {
            watch.check()?;
            let state = &mut self.ends[usize::from(forward)];
            let fall = match walk.go(state)? {
                Ok(fall) => fall,
                Err(end) => return Ok(Some(end)),
            };
            self.refer(fall, height);
            let weight = evaluate_unary(Unary::Exp, fall - self.reference);
            self.pending[height].set(&self.ends[usize::from(forward)], weight);
            height += 1;
            for _ in 0..leaf.trailing_zeros() {
                let (left, right) = self.pending.split_at_mut(height - 1);
                let (left, right) = (&mut left[height - 2], &mut right[0]);
                let both = left.weight + right.weight;
                if !left.join(right, rng.random(), both) {
                    return Ok(Some(TrajectoryEnd::Turn));
                }
                height -= 1;
            }
        }
        Ok(None)
    }

    /// Makes a state that is far more likely than all before the reference, so that weights do not overflow.
    fn refer(&mut self, fall: f64, height: usize) {
        const RANGE: f64 = 300.0;
        if fall > self.reference + RANGE {
            let factor = evaluate_unary(Unary::Exp, self.reference - fall);
            self.whole.weight *= factor;
            for segment in &mut self.pending[..height] {
                segment.weight *= factor;
            }
            self.reference = fall;
        }
    }
}

/// Steps in one direction, and how they went.
struct LeapfrogWalk<'w, 'a> {
    hamiltonian: &'w mut Hamiltonian<'a>,
    step: f64,
    /// The energy of the trajectory's start.
    start: f64,
    acceptance: f64,
    steps: f64,
}

impl LeapfrogWalk<'_, '_> {
    /// One leapfrog step: by how much the energy is below the start's, or why the trajectory ends.
    fn go(&mut self, state: &mut PhasePoint) -> Result<Result<f64, TrajectoryEnd>, SamplingError> {
        self.hamiltonian.leapfrog(state, self.step)?;
        self.steps += 1.0;
        if state.level.is_nan() || state.level == f64::NEG_INFINITY {
            return Ok(Err(TrajectoryEnd::Outside));
        }
        let fall = self.start - state.energy();
        if fall.is_nan() || fall < -RISE_MAX {
            return Ok(Err(TrajectoryEnd::Divergence));
        }
        self.acceptance += evaluate_unary(Unary::Exp, fall.min(0.0));
        Ok(Ok(fall))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A segment of one state with this momentum.
    fn leaf(momentum: [f64; 2], weight: f64) -> TrajectorySegment {
        let mut segment = TrajectorySegment::default();
        let state = PhasePoint {
            point: momentum.to_vec(),
            momentum: momentum.to_vec(),
            slope: vec![0.0; 2],
            level: 0.0,
        };
        segment.set(&state, weight);
        segment
    }

    #[test]
    fn a_straight_pair_goes_on_and_an_opposed_one_turns() {
        let mut straight = leaf([1.0, 0.0], 1.0);
        assert!(straight.join(&mut leaf([1.0, 0.2], 1.0), 0.9, 2.0));
        assert_eq!(straight.sum, [2.0, 0.2]);
        assert_eq!(
            (&straight.first[..], &straight.last[..]),
            (&[1.0, 0.0][..], &[1.0, 0.2][..])
        );
        assert_eq!(straight.chosen.point, [1.0, 0.0]);
        assert!(!leaf([1.0, 0.0], 1.0).join(&mut leaf([-1.5, 0.0], 1.0), 0.9, 2.0));
    }

    #[test]
    fn a_turn_between_halves_is_seen() {
        // Over the whole the momenta add up to (1.5, 0.1), along which both ends go; the left half with the first state of the
        // right one adds up to (-0.5, 0.2).
        let mut left = leaf([0.5, 0.1], 1.0);
        let mut right = leaf([-1.0, 0.1], 1.0);
        right.last = vec![1.0, 0.0];
        right.sum = vec![1.0, 0.0];
        assert!(!left.join(&mut right, 0.9, 2.0));
    }

    #[test]
    fn states_are_kept_by_weight() {
        for (uniform, point) in [(0.74, [2.0, 0.0]), (0.76, [1.0, 0.0])] {
            let mut left = leaf([1.0, 0.0], 1.0);
            left.join(&mut leaf([2.0, 0.0], 3.0), uniform, 4.0);
            assert_eq!((left.chosen.point, left.weight), (point.to_vec(), 4.0));
        }
    }
}
