//! Recursive filters at work: causal, and forward and backward without a shift of phase.

use super::Complex64;
use super::design::Section;

/// A quotient of polynomials in 1 / z, `b` over `a`, as long as each other, with `a[0]` = 1.
#[derive(Debug, Clone, PartialEq)]
pub struct FilterStage {
    b: Vec<f64>,
    a: Vec<f64>,
}

impl FilterStage {
    /// Normalises by `a[0]`, which is not zero, and fills the shorter with zeros.
    pub fn new(b: &[f64], a: &[f64]) -> Self {
        let n = b.len().max(a.len()).max(1);
        let scaled = |of: &[f64]| {
            let mut all: Vec<f64> = of.iter().map(|value| value / a[0]).collect();
            all.resize(n, 0.0);
            all
        };
        Self {
            b: scaled(b),
            a: scaled(a),
        }
    }

    /// Length of the state.
    pub fn delays(&self) -> usize {
        self.b.len() - 1
    }

    /// Filters in place: the transposed direct form II, from a state, which is left as it is at the end.
    fn run(&self, samples: &mut [f64], state: &mut [f64]) {
        let (b, a) = (&self.b, &self.a);
        let n = self.delays();
        for sample in samples {
            let x = *sample;
            if n == 0 {
                *sample = b[0] * x;
                continue;
            }
            let y = b[0] * x + state[0];
            for k in 1..n {
                state[k - 1] = b[k] * x - a[k] * y + state[k];
            }
            state[n - 1] = b[n] * x - a[n] * y;
            *sample = y;
        }
    }

    /// The coefficients of a stage of second order.
    fn second_order(&self) -> Option<[f64; 5]> {
        match (&self.b[..], &self.a[..]) {
            (&[b0, b1, b2], &[_, a1, a2]) => Some([b0, b1, b2, a1, a2]),
            _ => None,
        }
    }

    /// The state that a constant input of 1 leaves in the end, or `None` with a pole at 1.
    fn steady(&self) -> Option<Vec<f64>> {
        let gain = self.gain_at_zero()?;
        let n = self.delays();
        let mut state = vec![0.0; n];
        for k in (1..=n).rev() {
            let after = if k < n { state[k] } else { 0.0 };
            state[k - 1] = self.b[k] - self.a[k] * gain + after;
        }
        Some(state)
    }

    fn gain_at_zero(&self) -> Option<f64> {
        let (b, a) = (self.b.iter().sum::<f64>(), self.a.iter().sum::<f64>());
        (a != 0.0).then(|| b / a)
    }

    fn response(&self, turn: Complex64) -> Complex64 {
        let of = |c: &[f64]| {
            let terms = c.iter().rev();
            terms.fold(Complex64::default(), |sum, &c| sum * turn + c)
        };
        of(&self.b) / of(&self.a)
    }

    /// Slope of the phase, in samples, by the derivatives of both polynomials.
    fn delay(&self, turn: Complex64) -> f64 {
        let of = |c: &[f64]| {
            let (mut value, mut weighted) = (Complex64::default(), Complex64::default());
            for (k, &c) in c.iter().enumerate().rev() {
                value = value * turn + c;
                weighted = weighted * turn + c * k as f64;
            }
            (weighted / value).re
        };
        of(&self.b) - of(&self.a)
    }
}

/// Filters in place by stages of second order in one pass, as if one after another: their recurrences, each as slow as its latencies, run
/// beside each other.
fn filter_stages<const N: usize>(
    stages: [[f64; 5]; N],
    samples: &mut [f64],
    states: &mut [Vec<f64>],
) {
    let mut kept = [[0.0; 2]; N];
    for (kept, state) in kept.iter_mut().zip(&*states) {
        kept.copy_from_slice(state);
    }
    for sample in samples {
        let mut x = *sample;
        for ([b0, b1, b2, a1, a2], [s0, s1]) in stages.iter().zip(&mut kept) {
            let y = b0 * x + *s0;
            *s0 = b1 * x - a1 * y + *s1;
            *s1 = b2 * x - a2 * y;
            x = y;
        }
        *sample = x;
    }
    for (kept, state) in kept.iter().zip(states) {
        state.copy_from_slice(kept);
    }
}

/// Stages one after another.
#[derive(Debug, Clone, PartialEq)]
pub struct FilterCascade {
    stages: Vec<FilterStage>,
    /// Samples that [`FilterCascade::zero_phase`] adds at each end.
    padding: usize,
}

impl FilterCascade {
    /// Second-order sections.
    pub fn of_sections(sections: &[Section]) -> Self {
        let zeros = |at: usize| sections.iter().filter(|section| section[at] == 0.0).count();
        let taps = 2 * sections.len() + 1 - zeros(2).min(zeros(5));
        Self {
            stages: sections
                .iter()
                .map(|s| FilterStage::new(&s[..3], &s[3..]))
                .collect(),
            padding: 3 * taps,
        }
    }

    /// A single quotient of polynomials.
    pub fn of_polynomials(b: &[f64], a: &[f64]) -> Self {
        Self {
            stages: vec![FilterStage::new(b, a)],
            padding: 3 * b.len().max(a.len()),
        }
    }

    /// Samples that filtering forward and backward adds at each end unless told otherwise: 3 times the coefficients, as SciPy.
    pub fn padding(&self) -> usize {
        self.padding
    }

    /// Lengths of the states of all stages.
    pub fn state_lengths(&self) -> Vec<usize> {
        self.stages.iter().map(FilterStage::delays).collect()
    }

    /// A state without a past.
    pub fn rest(&self) -> Vec<Vec<f64>> {
        self.stages
            .iter()
            .map(|stage| vec![0.0; stage.delays()])
            .collect()
    }

    /// The state after a constant input of 1 for ever; `None` with a pole at 1.
    pub fn steady(&self) -> Option<Vec<Vec<f64>>> {
        let mut scale = 1.0;
        let mut states = Vec::with_capacity(self.stages.len());
        for stage in &self.stages {
            let state = stage.steady()?;
            states.push(state.iter().map(|s| s * scale).collect());
            scale *= stage.gain_at_zero()?;
        }
        Some(states)
    }

    /// Filters in place from a state on, and leaves the state after.
    pub fn causal(&self, samples: &mut [f64], state: &mut [Vec<f64>]) {
        const TOGETHER: usize = 4;
        let mut at = 0;
        while let Some(stage) = self.stages.get(at) {
            let next = self.stages[at..].iter().take(TOGETHER);
            let found: Vec<[f64; 5]> = next.map_while(FilterStage::second_order).collect();
            let states = &mut state[at..at + found.len().max(1)];
            match *found {
                [a, b, c, d] => filter_stages([a, b, c, d], samples, states),
                [a, b, c] => filter_stages([a, b, c], samples, states),
                [a, b] => filter_stages([a, b], samples, states),
                [a] => filter_stages([a], samples, states),
                _ => stage.run(samples, &mut states[0]),
            }
            at += found.len().max(1);
        }
    }

    /// Filters forward and backward, with `padding` samples of the odd extension at both ends; `None` with a pole at 1.
    ///
    /// # References
    /// F. Gustafsson, "Determining the initial states in forward-backward filtering", IEEE Trans. Signal Process. 44, 1996, for the problem;
    /// the ends are as in SciPy's `sosfiltfilt` (odd extension, steady state).
    ///
    /// # Panics
    /// When there are not more samples than `padding`.
    pub fn zero_phase(&self, samples: &[f64], padding: usize) -> Option<Vec<f64>> {
        let n = samples.len();
        assert!(n > padding, "more samples than padding");
        let steady = self.steady()?;
        let (first, last) = (samples[0], samples[n - 1]);
        let before = (1..=padding).rev().map(|k| 2.0 * first - samples[k]);
        let after = (0..padding).map(|k| 2.0 * last - samples[n - 2 - k]);
        let mut all: Vec<f64> = before.chain(samples.iter().copied()).chain(after).collect();
        for _ in 0..2 {
            let level = all[0];
            let scaled = |state: &Vec<f64>| state.iter().map(|s| s * level).collect();
            let mut state: Vec<Vec<f64>> = steady.iter().map(scaled).collect();
            self.causal(&mut all, &mut state);
            all.reverse();
        }
        Some(all[padding..padding + n].to_vec())
    }

    /// The factor of a wave of a frequency in cycles per sample.
    pub fn response(&self, frequency: f64) -> Complex64 {
        let turn = delay_factor(frequency);
        let factors = self.stages.iter().map(|stage| stage.response(turn));
        factors.fold(Complex64::new(1.0, 0.0), |product, factor| product * factor)
    }

    /// Delay of a packet of waves of a frequency, in samples.
    pub fn group_delay(&self, frequency: f64) -> f64 {
        let turn = delay_factor(frequency);
        self.stages.iter().map(|stage| stage.delay(turn)).sum()
    }

    /// Denominators of the stages.
    pub fn denominators(&self) -> impl Iterator<Item = &[f64]> {
        self.stages.iter().map(|stage| &stage.a[..])
    }
}

/// `1 / z` at a frequency.
fn delay_factor(frequency: f64) -> Complex64 {
    let angle = -2.0 * std::f64::consts::PI * frequency;
    Complex64::new(libm::cos(angle), libm::sin(angle))
}

/// Whether all roots of `a[0] z^n + ... + a[n]`, with `a[0]` not 0, lie inside the unit circle.
///
/// # References
/// I. Schur, J. reine angew. Math. 147, 1917; A. Cohn, Math. Z. 14, 1922: by the reflection coefficients.
pub fn is_stable(a: &[f64]) -> bool {
    let mut a: Vec<f64> = a.iter().map(|value| value / a[0]).collect();
    while a.len() > 1 {
        let n = a.len() - 1;
        let k = a[n];
        if k.abs() >= 1.0 || k.is_nan() {
            return false;
        }
        let scale = 1.0 - k * k;
        a = (0..n).map(|i| (a[i] - k * a[n - i]) / scale).collect();
    }
    true
}

/// The largest magnitude of the roots of `a[0] z^n + ... + a[n]`, to 12 digits.
///
/// By halving the circle that holds them all, O(n^2) for each digit.
pub fn pole_radius(a: &[f64]) -> f64 {
    let end = a.iter().rposition(|&value| value != 0.0).unwrap_or(0);
    let a = &a[..=end];
    if a.len() < 2 {
        return 0.0;
    }
    // Roots of the polynomial whose unknown is divided by the radius.
    let is_inside = |radius: f64| {
        let mut power = 1.0;
        let scaled = a.iter().map(|value| {
            let entry = value * power;
            power /= radius;
            entry
        });
        is_stable(&scaled.collect::<Vec<f64>>())
    };
    let largest = a[1..]
        .iter()
        .fold(0.0_f64, |most, value| most.max((value / a[0]).abs()));
    let (mut low, mut high) = (0.0, 1.0 + largest);
    while high - low > 1e-13 * high {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if is_inside(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    high
}
