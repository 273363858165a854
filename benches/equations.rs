//! Differential equations with right-hand sides in Rust, for `models.rs`: the methods alone, as a program in Rust calls them.

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::Instant;

use numerics::NoWatch;
use numerics::ode::{OdeFunction, OdeMethod, OdeOptions, OdeTolerances, OdeTrajectory};

fn lorenz(_t: f64, y: &[f64], dy: &mut [f64]) {
    let &[a, b, c] = y else { return };
    dy.copy_from_slice(&[10.0 * (b - a), a * (28.0 - c) - b, a * b - 8.0 / 3.0 * c]);
}

fn kepler(_t: f64, y: &[f64], dy: &mut [f64]) {
    let &[a, b, c, d] = y else { return };
    let square = a * a + b * b;
    let cube = square * square.sqrt();
    dy.copy_from_slice(&[c, d, -a / cube, -b / cube]);
}

fn van_der_pol(_t: f64, y: &[f64], dy: &mut [f64]) {
    let &[a, b] = y else { return };
    dy.copy_from_slice(&[b, 1000.0 * (1.0 - a * a) * b - a]);
}

fn robertson(_t: f64, y: &[f64], dy: &mut [f64]) {
    let &[a, b, c] = y else { return };
    let (first, last) = (-0.04 * a + 1e4 * b * c, 3e7 * b * b);
    dy.copy_from_slice(&[first, -first - last, last]);
}

fn hires(_t: f64, y: &[f64], dy: &mut [f64]) {
    let &[a, b, c, d, e, f, g, h] = y else { return };
    let product = 280.0 * f * h;
    dy.copy_from_slice(&[
        -1.71 * a + 0.43 * b + 8.32 * c + 0.0007,
        1.71 * a - 8.75 * b,
        -10.03 * c + 0.43 * d + 0.035 * e,
        8.32 * b + 1.71 * c - 1.12 * d,
        -1.745 * e + 0.43 * f + 0.43 * g,
        -product + 0.69 * d + 1.71 * e - 0.43 * f + 0.69 * g,
        product - 1.81 * g,
        -product + 1.81 * g,
    ]);
}

fn heat(_t: f64, y: &[f64], dy: &mut [f64]) {
    let n = y.len();
    let factor = ((n + 1) * (n + 1)) as f64;
    dy[0] = factor * (y[1] - 2.0 * y[0]);
    dy[n - 1] = factor * (y[n - 2] - 2.0 * y[n - 1]);
    for (dy, y) in dy[1..].iter_mut().zip(y.windows(3)) {
        *dy = factor * (y[0] - 2.0 * y[1] + y[2]);
    }
}

/// From where to where, and how.
struct Call {
    end: f64,
    y0: Vec<f64>,
    options: OdeOptions,
}

impl Call {
    /// The time in milliseconds, and the solution.
    fn time<F: FnMut(f64, &[f64], &mut [f64])>(
        &self,
        mut function: OdeFunction<F>,
    ) -> (f64, OdeTrajectory) {
        let span = (0.0, self.end);
        let start = Instant::now();
        let path = function
            .integrate(span, black_box(&self.y0), &[], &self.options, &NoWatch)
            .expect("an integration");
        (start.elapsed().as_secs_f64() * 1e3, path)
    }
}

/// Answers `{"problem": ..., "method": ..., "rtol": ..., "atol": ..., "end": ..., "y0": [...]}` with the end and the time of the integration.
pub(crate) fn answer(request: &serde_json::Value) -> String {
    let text = |name: &str| request[name].as_str().expect("a text");
    let number = |name: &str| request[name].as_f64().expect("a number");
    let is_named = |method: &OdeMethod| method.name() == text("method");
    let method = OdeMethod::ALL.into_iter().find(is_named).expect("a method");
    let options = OdeOptions {
        tolerances: OdeTolerances {
            rtol: number("rtol"),
            atol: vec![number("atol")],
        },
        max_steps: 1_000_000,
        method,
        ..OdeOptions::default()
    };
    let call = Call {
        end: number("end"),
        y0: serde_json::from_value(request["y0"].clone()).expect("numbers"),
        options,
    };
    let (ms, path) = match text("problem") {
        "lorenz" => call.time(OdeFunction::new(3, lorenz)),
        "kepler" => call.time(OdeFunction::new(4, kepler)),
        "van_der_pol" => call.time(OdeFunction::new(2, van_der_pol)),
        "robertson" => call.time(OdeFunction::new(3, robertson)),
        "hires" => call.time(OdeFunction::new(8, hires)),
        "heat" => call.time(OdeFunction::banded(1000, (1, 1), heat)),
        other => panic!("no problem {other}"),
    };
    let y = path.stopped.is_none().then(|| path.y_end());
    let y = serde_json::to_string(&y).expect("numbers");
    let mut out = String::new();
    write!(
        out,
        "{{\"ms\":{ms},\"steps\":{},\"evaluations\":{},\"y\":{y}}}",
        path.t.len() - 1,
        path.work.evaluations
    )
    .expect("a string grows");
    out
}
