//! Matrices and vectors of `ndarray` and `nalgebra` in and out: a differential equation, a fit, and a minimum.
//!
//! `cargo run -p numerics --example numerics`.
#![expect(clippy::print_stdout, reason = "an example shows its results")]

use nalgebra::DVector;
use ndarray::{Array1, Array2};
use numerics::NoWatch;
use numerics::dense::DenseMatrix;
use numerics::ode::{OdeFunction, OdeOptions};
use numerics::optimise::{FitOptions, MinimiseOptions, fit_residuals, minimise};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A pendulum for ten seconds, every half second: one row for each time, angle and speed in the columns.
    let mut pendulum = OdeFunction::new(2, |_t, y, dy| {
        dy.copy_from_slice(&[y[1], -9.81 * y[0].sin()])
    });
    let times = Array1::linspace(0.0, 10.0, 21);
    let options = OdeOptions::default();
    let start = DVector::from_vec(vec![0.1, 0.0]);
    let path = pendulum.integrate(
        (0.0, 10.0),
        start.as_slice(),
        &times.to_vec(),
        &options,
        &NoWatch,
    )?;
    let path = DenseMatrix::new(times.len(), 2, path.samples).ok_or("ended early")?;
    let path: Array2<f64> = path.into();

    // Its amplitude and frequency, from the angles.
    let angles = path.column(0);
    let residuals = |p: &[f64]| {
        let pairs = times.iter().zip(angles);
        pairs
            .map(|(t, angle)| p[0] * (p[1] * t).cos() - angle)
            .collect()
    };
    let fit = fit_residuals(residuals, &[0.1, 3.1], &FitOptions::default(), &NoWatch)?;
    println!("amplitude and frequency = {:.5}", Array1::from(fit.point));

    // The least point of a curved valley.
    let valley = |x: &[f64]| 100.0 * (x[1] - x[0] * x[0]).powi(2) + (1.0 - x[0]).powi(2);
    let start = DVector::from_vec(vec![-1.2, 1.0]);
    let found = minimise(
        valley,
        start.as_slice(),
        &MinimiseOptions::default(),
        &NoWatch,
    )?;
    println!("least point = {:.5}", DVector::from_vec(found.x));
    Ok(())
}
