//! Initial value problems by the explicit Runge-Kutta method of order 8 of `ode_solvers`.

use std::cell::{Cell, RefCell};

use ode_solvers::{DVector, Dop853, OutputType, System};

/// The right-hand side: time, state, derivatives; false where there are none, and integration ends.
pub type RightHandSide<'a> = dyn FnMut(f64, &[f64], &mut [f64]) -> bool + 'a;

/// Most steps between two times.
const STEPS_MAX: usize = 200_000;
/// Most numbers of the states after all steps between two times, which the library keeps.
const KEPT_MAX: usize = 1 << 24;

/// A system that time is part of, as its first component: `ode_solvers` evaluates one stage of its method at a wrong time.
struct AutonomousSystem<'a, 'f> {
    right: RefCell<&'a mut RightHandSide<'f>>,
    failed: &'a Cell<bool>,
}

impl System<f64, DVector<f64>> for AutonomousSystem<'_, '_> {
    fn system(&self, _: f64, y: &DVector<f64>, dy: &mut DVector<f64>) {
        let (y, dy) = (y.as_slice(), dy.as_mut_slice());
        dy[0] = 1.0;
        if !self.failed.get() && !(self.right.borrow_mut())(y[0], &y[1..], &mut dy[1..]) {
            self.failed.set(true);
        }
        if self.failed.get() {
            // A step along zeros is accepted, and the run ends after it.
            dy.fill(0.0);
        }
    }

    fn solout(&mut self, _: f64, _: &DVector<f64>, _: &DVector<f64>) -> bool {
        self.failed.get()
    }
}

/// The states at increasing or decreasing times, from the state `y0` at `t0`.
///
/// # Errors
/// Why the method ended before the last time.
pub fn integrate(
    right: &mut RightHandSide<'_>,
    (t0, y0): (f64, &[f64]),
    times: &[f64],
    (rtol, atol): (f64, f64),
) -> Result<Vec<Vec<f64>>, String> {
    let failed = Cell::new(false);
    let mut state =
        DVector::from_iterator(y0.len() + 1, std::iter::once(t0).chain(y0.iter().copied()));
    let steps_max = (KEPT_MAX / state.len()).clamp(100, STEPS_MAX) as u32;
    let mut states = Vec::with_capacity(times.len());
    let mut time = t0;
    for &next in times {
        if next != time {
            let system = AutonomousSystem {
                right: RefCell::new(&mut *right),
                failed: &failed,
            };
            let length = next - time;
            let mut solver = Dop853::from_param(
                system,
                0.0,
                length,
                length,
                state,
                rtol,
                atol,
                0.9,
                0.0,
                0.333,
                6.0,
                length.abs(),
                0.0,
                steps_max,
                1000,
                OutputType::Sparse,
            );
            let run = solver.integrate();
            if failed.get() {
                return Err("the right-hand side has no finite value".to_owned());
            }
            run.map_err(|err| err.to_string())?;
            let last = solver.y_out().last().cloned();
            state = last.ok_or_else(|| "no step was taken".to_owned())?;
            time = next;
            state[0] = next;
        }
        states.push(state.as_slice()[1..].to_vec());
    }
    Ok(states)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_part_of_the_state() {
        // y' = 2 t y, whose solution is exp(t^2).
        let mut right = |t: f64, y: &[f64], dy: &mut [f64]| {
            dy[0] = 2.0 * t * y[0];
            true
        };
        let found = integrate(
            &mut right,
            (0.0, &[1.0]),
            &[0.5, 1.0, 1.0, 2.0],
            (1e-12, 1e-14),
        )
        .unwrap();
        for (state, t) in found.iter().zip([0.5_f64, 1.0, 1.0, 2.0]) {
            let expected = (t * t).exp();
            assert!(
                (state[0] - expected).abs() < 1e-9 * expected,
                "{state:?} {expected}"
            );
        }
        let back = integrate(&mut right, (2.0, &[4.0_f64.exp()]), &[0.0], (1e-12, 1e-14)).unwrap();
        assert!((back[0][0] - 1.0).abs() < 1e-8, "{back:?}");
    }

    #[test]
    fn a_right_hand_side_without_a_value_ends_the_run() {
        // Of a stiff problem, which has long to go.
        for last in [0, 3, 1000] {
            let mut calls = 0;
            let mut right = |_: f64, y: &[f64], dy: &mut [f64]| {
                calls += 1;
                dy[0] = -1e6 * (y[0] - 1.0);
                calls <= last
            };
            let start = (0.0, &[0.0][..]);
            assert!(integrate(&mut right, start, &[1e3, 2e3], (1e-9, 1e-9)).is_err());
            assert_eq!(calls, last + 1);
        }
    }
}
