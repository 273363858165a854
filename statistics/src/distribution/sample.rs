//! Random values.

use rand::RngExt;
use random_streams::{StreamRng, stream_rng};

use super::Distribution;
use numerics::special::normal_quantile;

/// Draws of one stream: parts of this size have streams of their own.
const PART: usize = 65_536;

/// A uniform number inside 0 to 1.
pub(super) fn open_uniform(random: &mut StreamRng) -> f64 {
    (f64::from_bits(0x3ff0_0000_0000_0000 | (random.random::<u64>() >> 12)) - 1.0)
        + 0.5_f64.powi(53)
}

/// A standard normal number, by inversion.
pub(super) fn draw_normal(random: &mut StreamRng) -> f64 {
    normal_quantile(open_uniform(random))
}

/// A gamma value of scale 1: G. Marsaglia and W. W. Tsang, "A simple method for generating gamma variables", ACM TOMS 26(3), 2000.
pub(super) fn draw_gamma(shape: f64, random: &mut StreamRng) -> f64 {
    if shape < 1.0 {
        let power = open_uniform(random).ln() / shape;
        return draw_gamma(shape + 1.0, random) * power.exp();
    }
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let x = draw_normal(random);
        let v = (1.0 + c * x).powi(3);
        if v <= 0.0 {
            continue;
        }
        let u = open_uniform(random);
        if u.ln() < 0.5 * x * x + d - d * v + d * v.ln() {
            return d * v;
        }
    }
}

/// `count` values of a distribution by a seed and a stream: the same for every number of threads. `is_stopped` is asked now and then; the
/// values are then fewer.
pub fn draw_sample(
    distribution: &dyn Distribution,
    count: usize,
    seed: u64,
    is_stopped: &dyn Fn() -> bool,
) -> Vec<f64> {
    const CHECKED: usize = 1024;
    let mut values = Vec::with_capacity(count);
    let mut random = stream_rng(seed, 0);
    for index in 0..count {
        if index % PART == 0 {
            random = stream_rng(seed, (index / PART) as u64);
        }
        if index % CHECKED == 0 && is_stopped() {
            break;
        }
        values.push(distribution.draw(&mut random));
    }
    values
}
