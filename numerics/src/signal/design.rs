//! Recursive filters by the bilinear transformation of analogue prototypes, as second-order sections.
//!
//! # References
//! A. V. Oppenheim, R. W. Schafer, "Discrete-Time Signal Processing", 3rd edition, Prentice Hall 2010, chapter 7; S. Orfanidis, "Lecture Notes
//! on Elliptic Filter Design", 2006, for the prototypes. Poles and zeros are paired as SciPy's `zpk2sos` does (`pairing="nearest"`).

use std::f64::consts::PI;

use super::Complex64;

/// `b0, b1, b2, a0, a1, a2` with `a0` = 1: y = (b0 + b1 / z + b2 / z^2) / (1 + a1 / z + a2 / z^2) x.
pub type Section = [f64; 6];

/// What a filter lets pass.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PassBand {
    /// Below a frequency.
    Low(f64),
    /// Above it.
    High(f64),
    /// Between two.
    Pass(f64, f64),
    /// Outside of them.
    Stop(f64, f64),
}

/// Shape of the response.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FilterPrototype {
    /// Flat; gain sqrt(1/2) at the cutoff.
    Butterworth,
    /// Ripples of this many decibels in the pass band, which end at the cutoff.
    Chebyshev1(f64),
    /// Flat in the pass band; at least this many decibels down in the stop band, which begins at the cutoff.
    Chebyshev2(f64),
}

/// Poles, zeros and gain.
#[derive(Debug, Clone)]
pub struct ZerosPolesGain {
    /// Zeros.
    pub zeros: Vec<Complex64>,
    /// Poles.
    pub poles: Vec<Complex64>,
    /// Gain.
    pub gain: f64,
}

fn complex_product(values: impl Iterator<Item = Complex64>) -> Complex64 {
    values.fold(Complex64::new(1.0, 0.0), |product, value| product * value)
}

/// Square root to the last digits of both parts; on the negative axis exactly imaginary.
fn complex_root(z: Complex64) -> Complex64 {
    let half = (0.5 * (z.re.abs() + z.re.hypot(z.im))).sqrt();
    if half == 0.0 {
        return Complex64::default();
    }
    if z.re >= 0.0 {
        Complex64::new(half, z.im / (2.0 * half))
    } else {
        Complex64::new(z.im.abs() / (2.0 * half), half.copysign(z.im))
    }
}

impl FilterPrototype {
    /// The analogue low pass with cutoff 1.
    fn analogue(self, order: usize) -> ZerosPolesGain {
        let angles = (0..order).map(|k| (2 * k + 1) as f64 - order as f64);
        let unit = |m: f64| {
            let angle = PI * m / (2 * order) as f64;
            Complex64::new(libm::cos(angle), libm::sin(angle))
        };
        match self {
            Self::Butterworth => ZerosPolesGain {
                zeros: Vec::new(),
                poles: angles.map(|m| -unit(m)).collect(),
                gain: 1.0,
            },
            Self::Chebyshev1(ripple) => {
                let epsilon = (libm::expm1(ripple / 10.0 * std::f64::consts::LN_10)).sqrt();
                let mu = libm::asinh(epsilon.recip()) / order as f64;
                let poles: Vec<Complex64> = angles
                    .map(|m| {
                        let z = unit(m);
                        Complex64::new(-libm::sinh(mu) * z.re, -libm::cosh(mu) * z.im)
                    })
                    .collect();
                let mut gain = complex_product(poles.iter().map(|p| -p)).re;
                if order.is_multiple_of(2) {
                    gain /= (1.0 + epsilon * epsilon).sqrt();
                }
                ZerosPolesGain {
                    zeros: Vec::new(),
                    poles,
                    gain,
                }
            }
            Self::Chebyshev2(attenuation) => {
                let epsilon = (libm::expm1(attenuation / 10.0 * std::f64::consts::LN_10)).sqrt();
                let mu = libm::asinh(epsilon) / order as f64;
                let zeros: Vec<Complex64> = angles
                    .clone()
                    .filter(|m| *m != 0.0)
                    .map(|m| {
                        let s = libm::sin(m * PI / (2 * order) as f64);
                        -Complex64::new(0.0, 1.0 / s).conj()
                    })
                    .collect();
                let poles: Vec<Complex64> = angles
                    .map(|m| {
                        let z = -unit(m);
                        Complex64::new(libm::sinh(mu) * z.re, libm::cosh(mu) * z.im).inv()
                    })
                    .collect();
                let gain = (complex_product(poles.iter().map(|p| -p))
                    / complex_product(zeros.iter().map(|z| -z)))
                .re;
                ZerosPolesGain { zeros, poles, gain }
            }
        }
    }
}

/// Designs a filter of an order, with frequencies in cycles per sample, above 0 and below 0.5, ascending.
///
/// Bands that pass or stop between two frequencies have twice the order.
pub fn design_filter(prototype: FilterPrototype, order: usize, band: PassBand) -> ZerosPolesGain {
    let analogue = prototype.analogue(order);
    // Rate 2, as SciPy's: the bilinear map is (4 + s) / (4 - s).
    const MAP: f64 = 4.0;
    let warped = |frequency: f64| MAP * libm::tan(PI * frequency);
    let moved = match band {
        PassBand::Low(cutoff) => low_pass(analogue, warped(cutoff)),
        PassBand::High(cutoff) => high_pass(analogue, warped(cutoff)),
        PassBand::Pass(from, to) => band_pass(analogue, warped(from), warped(to)),
        PassBand::Stop(from, to) => band_stop(analogue, warped(from), warped(to)),
    };
    bilinear_transform(moved, MAP)
}

fn low_pass(of: ZerosPolesGain, cutoff: f64) -> ZerosPolesGain {
    let degree = (of.poles.len() - of.zeros.len()) as i32;
    ZerosPolesGain {
        zeros: of.zeros.iter().map(|z| z * cutoff).collect(),
        poles: of.poles.iter().map(|p| p * cutoff).collect(),
        gain: of.gain * cutoff.powi(degree),
    }
}

/// What the gain becomes when poles and zeros are inverted.
fn inverted_gain(of: &ZerosPolesGain) -> f64 {
    let ratio =
        complex_product(of.zeros.iter().map(|z| -z)) / complex_product(of.poles.iter().map(|p| -p));
    of.gain * ratio.re
}

fn high_pass(of: ZerosPolesGain, cutoff: f64) -> ZerosPolesGain {
    let degree = of.poles.len() - of.zeros.len();
    let inverted = |z: &Complex64| cutoff / z;
    let mut zeros: Vec<Complex64> = of.zeros.iter().map(inverted).collect();
    zeros.resize(zeros.len() + degree, Complex64::default());
    ZerosPolesGain {
        zeros,
        poles: of.poles.iter().map(inverted).collect(),
        gain: inverted_gain(&of),
    }
}

/// Both solutions of a shift from around 0 to around +-centre.
fn shift_points(points: impl Iterator<Item = Complex64> + Clone, centre: f64) -> Vec<Complex64> {
    let apart = |z: Complex64| complex_root(z * z - centre * centre);
    let above = points.clone().map(|z| z + apart(z));
    above.chain(points.map(|z| z - apart(z))).collect()
}

fn band_pass(of: ZerosPolesGain, from: f64, to: f64) -> ZerosPolesGain {
    let degree = of.poles.len() - of.zeros.len();
    let (width, centre) = (to - from, (from * to).sqrt());
    let scaled = |points: &[Complex64]| {
        shift_points(
            points
                .iter()
                .map(|z| z * (width / 2.0))
                .collect::<Vec<_>>()
                .into_iter(),
            centre,
        )
    };
    let mut zeros = scaled(&of.zeros);
    zeros.resize(zeros.len() + degree, Complex64::default());
    ZerosPolesGain {
        zeros,
        poles: scaled(&of.poles),
        gain: of.gain * width.powi(degree as i32),
    }
}

fn band_stop(of: ZerosPolesGain, from: f64, to: f64) -> ZerosPolesGain {
    let degree = of.poles.len() - of.zeros.len();
    let (width, centre) = (to - from, (from * to).sqrt());
    let scaled = |points: &[Complex64]| {
        shift_points(
            points
                .iter()
                .map(|z| width / 2.0 / z)
                .collect::<Vec<_>>()
                .into_iter(),
            centre,
        )
    };
    let mut zeros = scaled(&of.zeros);
    zeros.resize(zeros.len() + degree, Complex64::new(0.0, centre));
    zeros.resize(zeros.len() + degree, Complex64::new(0.0, -centre));
    ZerosPolesGain {
        zeros,
        poles: scaled(&of.poles),
        gain: inverted_gain(&of),
    }
}

fn bilinear_transform(of: ZerosPolesGain, map: f64) -> ZerosPolesGain {
    let degree = of.poles.len() - of.zeros.len();
    let mapped = |z: &Complex64| (map + z) / (map - z);
    let mut zeros: Vec<Complex64> = of.zeros.iter().map(mapped).collect();
    zeros.resize(zeros.len() + degree, Complex64::new(-1.0, 0.0));
    let ratio = complex_product(of.zeros.iter().map(|z| map - z))
        / complex_product(of.poles.iter().map(|p| map - p));
    ZerosPolesGain {
        zeros,
        poles: of.poles.iter().map(mapped).collect(),
        gain: of.gain * ratio.re,
    }
}

impl ZerosPolesGain {
    /// Second-order sections, the poles nearest to the unit circle last, each with the zeros nearest to it; the gain is in the first.
    pub fn sections(&self) -> Vec<Section> {
        let count = self.poles.len().max(self.zeros.len()).div_ceil(2);
        let filled = |points: &[Complex64]| {
            let mut all = points.to_vec();
            all.resize(2 * count, Complex64::default());
            conjugate_halves(&all)
        };
        let (mut zeros, mut poles) = (filled(&self.zeros), filled(&self.poles));
        let mut sections = vec![[0.0; 6]; count];
        for section in sections.iter_mut().rev() {
            *section = next_section(&mut zeros, &mut poles);
        }
        sections[0][..3].iter_mut().for_each(|b| *b *= self.gain);
        sections
    }
}

fn is_real(z: &Complex64) -> bool {
    z.im == 0.0
}

/// One of each conjugate pair, then the real ones; each ascending by real part.
fn conjugate_halves(points: &[Complex64]) -> Vec<Complex64> {
    const SAME: f64 = 100.0 * f64::EPSILON;
    let real = |z: &Complex64| z.im.abs() <= SAME * z.norm();
    let order = |a: &Complex64, b: &Complex64| {
        a.re.total_cmp(&b.re)
            .then(a.im.abs().total_cmp(&b.im.abs()))
    };
    let mut upper: Vec<Complex64> = points
        .iter()
        .copied()
        .filter(|z| !real(z) && z.im > 0.0)
        .collect();
    let mut reals: Vec<Complex64> = points
        .iter()
        .filter(|z| real(z))
        .map(|z| Complex64::new(z.re, 0.0))
        .collect();
    upper.sort_by(order);
    reals.sort_by(order);
    upper.extend(reals);
    upper
}

/// Index of the pole nearest to the unit circle, among those that fit.
fn worst_pole(poles: &[Complex64], fits: impl Fn(&Complex64) -> bool) -> usize {
    let distance = |z: &Complex64| (1.0 - z.norm()).abs();
    let candidates = (0..poles.len()).filter(|&at| fits(&poles[at]));
    candidates
        .min_by(|&a, &b| distance(&poles[a]).total_cmp(&distance(&poles[b])))
        .expect("a pole is left")
}

/// Takes the zero nearest to a pole, among those that fit.
fn take_nearest(
    zeros: &mut Vec<Complex64>,
    to: Complex64,
    fits: impl Fn(&Complex64) -> bool,
) -> Complex64 {
    let distance = |z: &Complex64| (z - to).norm();
    let candidates = (0..zeros.len()).filter(|&at| fits(&zeros[at]));
    let nearest = candidates
        .min_by(|&a, &b| distance(&zeros[a]).total_cmp(&distance(&zeros[b])))
        .expect("as many zeros as poles");
    zeros.remove(nearest)
}

fn next_section(zeros: &mut Vec<Complex64>, poles: &mut Vec<Complex64>) -> Section {
    let first = poles.remove(worst_pole(poles, |_| true));
    let reals = |points: &[Complex64]| points.iter().filter(|z| is_real(z)).count();
    let origin = Complex64::default();
    if is_real(&first) && reals(poles) == 0 {
        let zero = take_nearest(zeros, first, is_real);
        return make_section([zero, origin], [first, origin]);
    }
    if !is_real(&first) && poles.len() + 1 == zeros.len() && reals(poles) == 1 && reals(zeros) == 1
    {
        let zero = take_nearest(zeros, first, |z| !is_real(z));
        return make_section([zero, zero.conj()], [first, first.conj()]);
    }
    let second = if is_real(&first) {
        poles.remove(worst_pole(poles, is_real))
    } else {
        first.conj()
    };
    let zero = take_nearest(zeros, first, |_| true);
    let other = if is_real(&zero) {
        take_nearest(zeros, first, is_real)
    } else {
        zero.conj()
    };
    make_section([zero, other], [first, second])
}

fn make_section(zeros: [Complex64; 2], poles: [Complex64; 2]) -> Section {
    let of = |[a, b]: [Complex64; 2]| [1.0, -(a + b).re, (a * b).re];
    let (b, a) = (of(zeros), of(poles));
    [b[0], b[1], b[2], a[0], a[1], a[2]]
}
