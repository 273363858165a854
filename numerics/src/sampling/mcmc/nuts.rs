//! The No-U-Turn sampler: its warm-up and its chains.
//!
//! # Method
//! Warm-up as in Stan: the step size follows dual averaging to the target acceptance throughout; the metric is replaced at the end
//! of windows of doubling length by the covariance of the draws in that window ([`Hamiltonian::learn`] says when it is dense
//! and when diagonal), and the step size starts anew. Both are frozen then, which keeps the chain exact.
//!
//! # References
//! B. Carpenter et al., "Stan: A Probabilistic Programming Language", Journal of Statistical Software 76(1), 2017; Stan Reference
//! Manual, "Automatic Parameter Tuning"; M. Betancourt, "Diagnosing Suboptimal Cotangent Disintegrations in Hamiltonian Monte
//! Carlo", arXiv:1604.00695, 2016 (E-BFMI).

use rand_distr::{Distribution as _, StandardNormal};
use random_streams::StreamRng;

use super::chain::{ChainSchedule, MarkovChain, TrajectoryStatistics, chain_start};
use super::density::GradientEvaluator;
use super::hamiltonian::{Hamiltonian, PhasePoint};
use super::trajectory::{TrajectoryEnd, TrajectoryOutcome, TrajectoryTree};
use super::warmup::{StepSize, WarmupWindow, window_ends};
use crate::sampling::{ImproperEvidence, SamplingError};
use crate::watch::Watch;

/// Runs one chain.
///
/// # Errors
/// [`SamplingError`].
pub(super) fn run_chain(
    plan: &ChainSchedule<'_>,
    gradient: GradientEvaluator<'_>,
    target_accept: f64,
    index: usize,
    mut rng: StreamRng,
    watch: &dyn Watch,
) -> Result<MarkovChain, SamplingError> {
    let dimension = plan.start.len();
    let mut hamiltonian = Hamiltonian::new(gradient, dimension, plan.proposal_std);
    let level = |point: &[f64]| hamiltonian.start_level(point);
    let point = chain_start(plan, index, &mut rng, level);
    let mut sampler = NutsSampler {
        state: hamiltonian.state(point)?,
        hamiltonian,
        trajectory: TrajectoryTree::new(),
        rng,
        watch,
        counted: 0,
    };
    let step = sampler.warm_up(plan, index, target_accept)?;
    let mut draws = Vec::with_capacity(plan.draws * dimension);
    let mut tally = NutsTally::default();
    for draw in 0..plan.draws {
        for extra in 0..plan.thin {
            plan.report(index, plan.burnin + draw * plan.thin + extra, watch);
            tally.add(sampler.step(step)?);
        }
        draws.extend_from_slice(&sampler.state.point);
    }
    Ok(MarkovChain {
        draws,
        accepted: tally.acceptance,
        proposal_std: sampler.hamiltonian.std(),
        evaluations: sampler.hamiltonian.evaluations,
        trajectories: Some(TrajectoryStatistics {
            divergences: tally.divergences,
            outside: tally.outside,
            saturated: tally.saturated,
            bfmi: tally.bfmi(),
            step_size: step,
            metric: sampler.hamiltonian.metric(),
        }),
    })
}

/// A chain on its way.
struct NutsSampler<'a> {
    state: PhasePoint,
    hamiltonian: Hamiltonian<'a>,
    trajectory: TrajectoryTree,
    rng: StreamRng,
    watch: &'a dyn Watch,
    /// Evaluations counted against the call's budget.
    counted: u64,
}

impl NutsSampler<'_> {
    /// One trajectory.
    fn step(&mut self, step: f64) -> Result<TrajectoryOutcome, SamplingError> {
        let (state, hamiltonian) = (&mut self.state, &mut self.hamiltonian);
        let trajectory = &mut self.trajectory;
        let outcome = trajectory.step(state, hamiltonian, step, &mut self.rng, self.watch)?;
        self.count()?;
        Ok(outcome)
    }

    fn count(&mut self) -> Result<(), SamplingError> {
        let fresh = self.hamiltonian.evaluations - self.counted;
        self.counted += fresh;
        self.watch.count_evaluations(fresh)?;
        Ok(())
    }

    /// Learns metric and step size; the step size to use from now on.
    fn warm_up(
        &mut self,
        plan: &ChainSchedule<'_>,
        chain: usize,
        target: f64,
    ) -> Result<f64, SamplingError> {
        let burnin = plan.burnin;
        let (first, last) = warmup_window_edges(burnin);
        let mut ends = window_ends(first, last, (last - first).clamp(1, 25));
        let dimension = self.state.point.len();
        let mut window = WarmupWindow::new(dimension);
        let mut step_size = StepSize::new(self.reasonable_step(1.0)?, target);
        for iteration in 1..=burnin {
            plan.report(chain, iteration, self.watch);
            let outcome = self.step(step_size.current)?;
            step_size.adapt(outcome.acceptance);
            window.add(&self.state.point);
            if ends.last() == Some(&iteration) {
                ends.pop();
                if iteration > first {
                    self.hamiltonian.learn(&window.covariance());
                    self.hamiltonian.evaluate(&mut self.state)?;
                    let guess = self.reasonable_step(step_size.current)?;
                    step_size = StepSize::new(guess, target);
                }
                window = WarmupWindow::new(dimension);
            }
        }
        Ok(step_size.settled())
    }

    /// A step whose first move is accepted with a probability near 0.8, by doubling or halving (Hoffman and Gelman 2014, algorithm
    /// 4).
    ///
    /// # Errors
    /// [`SamplingError::Improper`] where every step is accepted, [`SamplingError::Rough`] where none is.
    fn reasonable_step(&mut self, guess: f64) -> Result<f64, SamplingError> {
        const STEPS: std::ops::Range<f64> = 1e-150..1e150;
        let mut step = guess;
        let grow = self.is_accepted(step)?;
        loop {
            step *= if grow { 2.0 } else { 0.5 };
            if !STEPS.contains(&step) {
                return Err(if grow {
                    SamplingError::Improper(ImproperEvidence::FlatDirection)
                } else {
                    SamplingError::Rough
                });
            }
            if self.is_accepted(step)? != grow {
                return Ok(step);
            }
        }
    }

    /// Whether one step with a fresh momentum is accepted with a probability of at least 0.8.
    fn is_accepted(&mut self, step: f64) -> Result<bool, SamplingError> {
        self.watch.check()?;
        let mut moved = self.state.clone();
        let normal = || StandardNormal.sample(&mut self.rng);
        moved.momentum.fill_with(normal);
        let before = moved.energy();
        self.hamiltonian.leapfrog(&mut moved, step)?;
        self.count()?;
        Ok(before - moved.energy() > 0.8_f64.ln())
    }
}

/// When the windows that learn the metric begin and end: after 75 steps to find the bulk and before 50 to settle the step size,
/// or after 15 % and before 10 % of a short burn-in; in less than 20 steps the metric is not learnt.
fn warmup_window_edges(burnin: usize) -> (usize, usize) {
    match burnin {
        0..20 => (burnin, burnin),
        20..150 => (burnin * 15 / 100, burnin - burnin / 10),
        _ => (75, burnin - 50),
    }
}

/// Counts after burn-in.
#[derive(Default)]
struct NutsTally {
    acceptance: f64,
    divergences: u64,
    outside: u64,
    saturated: u64,
    /// The last energy, and moments of all.
    energy: f64,
    count: f64,
    mean: f64,
    squares: f64,
    /// Sum of the squared differences of successive energies.
    jumps: f64,
}

impl NutsTally {
    fn add(&mut self, outcome: TrajectoryOutcome) {
        self.acceptance += outcome.acceptance;
        match outcome.end {
            TrajectoryEnd::Turn => {}
            TrajectoryEnd::Divergence => self.divergences += 1,
            TrajectoryEnd::Outside => self.outside += 1,
            TrajectoryEnd::DepthMax => self.saturated += 1,
        }
        if self.count > 0.0 {
            self.jumps += (outcome.energy - self.energy).powi(2);
        }
        self.energy = outcome.energy;
        self.count += 1.0;
        let difference = outcome.energy - self.mean;
        self.mean += difference / self.count;
        self.squares += difference * (outcome.energy - self.mean);
    }

    /// Share of the energy's variance that fresh momenta explore from one draw to the next.
    fn bfmi(&self) -> f64 {
        let known = self.count >= 3.0;
        if known {
            self.jumps / self.squares
        } else {
            f64::NAN
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampling::mcmc::MetricShape;

    /// The log density `-cosh(x - y) - x^4 - y^2 / 2` with its derivatives.
    fn curved_density(point: &[f64], out: &mut [f64]) {
        let (x, y) = (point[0], point[1]);
        out[0] = -(x - y).cosh() - x.powi(4) - 0.5 * y * y;
        out[1] = -(x - y).sinh() - 4.0 * x.powi(3);
        out[2] = (x - y).sinh() - y;
    }

    /// Two metrics, learnt from covariances with and without correlation, on a density with curvature.
    fn each_metric(check: impl Fn(&mut Hamiltonian<'_>, PhasePoint)) {
        for (correlation, metric) in [(0.1, MetricShape::Diagonal), (0.9, MetricShape::Dense)] {
            let mut hamiltonian = Hamiltonian::new(Box::new(curved_density), 2, 1.0);
            hamiltonian.learn(&[4.0, 0.0, 2.0 * correlation, 1.0]);
            assert_eq!(hamiltonian.metric(), metric);
            let std = hamiltonian.std();
            assert!(
                (std[0] - 2.0).abs() + (std[1] - 1.0).abs() < 1e-15,
                "{std:?}"
            );
            let mut state = hamiltonian.state(vec![0.3, -0.2]).unwrap();
            state.momentum = vec![0.7, -1.1];
            check(&mut hamiltonian, state);
        }
    }

    #[test]
    fn leapfrog_steps_are_reversible() {
        each_metric(|hamiltonian, start| {
            let mut state = start.clone();
            (0..100).for_each(|_| hamiltonian.leapfrog(&mut state, 0.05).unwrap());
            let far = state.point[0] - start.point[0];
            (0..100).for_each(|_| hamiltonian.leapfrog(&mut state, -0.05).unwrap());
            assert!(far.abs() > 1e-3);
            for (back, first) in [
                (&state.point, &start.point),
                (&state.momentum, &start.momentum),
            ] {
                for (back, first) in back.iter().zip(first) {
                    assert!((back - first).abs() < 1e-11, "{back} {first}"); // 200 steps of some roundings each
                }
            }
        });
    }

    #[test]
    fn the_energy_error_is_of_second_order() {
        each_metric(|hamiltonian, start| {
            let mut error = |steps: u32| {
                let mut state = start.clone();
                let step = 0.5 / f64::from(steps);
                (0..steps).for_each(|_| hamiltonian.leapfrog(&mut state, step).unwrap());
                (state.energy() - start.energy()).abs()
            };
            let ratio = error(200) / error(400);
            assert!((3.9..4.1).contains(&ratio), "{ratio}");
        });
    }

    #[test]
    fn warm_up_is_cut_into_windows() {
        let cut = |burnin: usize| {
            let (first, last) = warmup_window_edges(burnin);
            let mut ends = window_ends(first, last, (last - first).clamp(1, 25));
            ends.reverse();
            ends
        };
        assert_eq!(cut(1000), [75, 100, 150, 250, 450, 950]); // Stan's
        assert_eq!(cut(100), [15, 40, 90]);
        assert_eq!(cut(10), [10]);
        assert_eq!(cut(0), [0]);
    }
}
