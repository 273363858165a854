//! Discrete Fourier transforms of any length: `X[k] = sum x[j] exp(-2 pi i j k / n)`; the inverse divides by n.
//!
//! # Method
//! `rustfft`: mixed radices, Rader's and Bluestein's algorithms for large prime factors, O(n log n) for every n. The relative error in the
//! Euclidean norm is a few units in the last place times sqrt(log n).
//!
//! # References
//! J. W. Cooley, J. W. Tukey, "An algorithm for the machine calculation of complex Fourier series", Math. Comp. 19, 1965; C. M. Rader,
//! Proc. IEEE 56, 1968; L. I. Bluestein, IEEE Trans. Audio Electroacoust. 18, 1970.

use std::cell::RefCell;
use std::sync::Arc;

use realfft::{ComplexToReal, RealFftPlanner, RealToComplex};
use rustfft::{Fft, FftDirection, FftPlanner};

use super::Complex64;

/// A plan, which takes longer than the transform.
#[derive(Clone)]
enum TransformPlan {
    Complex(Arc<dyn Fft<f64>>, FftDirection),
    Real(Arc<dyn RealToComplex<f64>>),
    RealInverse(Arc<dyn ComplexToReal<f64>>),
}

/// Plans that a thread keeps, and the points of all of them together.
const KEPT_MAX: usize = 16;
const POINTS_KEPT_MAX: usize = 1 << 21;

thread_local! {
    /// The last plans of this thread, the latest last.
    static PLANS: RefCell<Vec<(usize, TransformPlan)>> = const { RefCell::new(Vec::new()) };
}

/// The plan that fits, of those kept or a new one. The same plan gives the same bits, kept or not.
fn find_plan<T>(
    n: usize,
    fits: impl Fn(&TransformPlan) -> Option<T>,
    new: impl FnOnce() -> TransformPlan,
) -> T {
    PLANS.with_borrow_mut(|plans| {
        let known = plans
            .iter()
            .position(|(size, plan)| *size == n && fits(plan).is_some());
        let plan = match known {
            Some(at) => plans.remove(at).1,
            None => new(),
        };
        let found = fits(&plan).expect("a plan of the kind that is made");
        plans.push((n, plan));
        while plans.len() > KEPT_MAX
            || plans.iter().map(|(size, _)| size).sum::<usize>() > POINTS_KEPT_MAX
        {
            plans.remove(0);
        }
        found
    })
}

thread_local! {
    /// Space that the last transform of this thread worked in: fresh pages can take longer than the transform.
    static SPACE: RefCell<Vec<Complex64>> = const { RefCell::new(Vec::new()) };
    /// Samples of the last transform of real data, which overwrites them.
    static COPY: RefCell<Vec<f64>> = const { RefCell::new(Vec::new()) };
}

/// Space for a transform to work in, kept for the next one unless it is large. What is in it does not matter.
struct TransformScratch(Vec<Complex64>);

impl TransformScratch {
    fn new(len: usize) -> Self {
        let mut space = SPACE.take();
        space.resize(len.max(space.len()), Complex64::default());
        Self(space)
    }

    fn of(&mut self, len: usize) -> &mut [Complex64] {
        &mut self.0[..len]
    }
}

impl Drop for TransformScratch {
    fn drop(&mut self) {
        if self.0.len() <= POINTS_KEPT_MAX {
            // A thread that ends keeps nothing.
            let _ = SPACE.try_with(|kept| kept.replace(std::mem::take(&mut self.0)));
        }
    }
}

/// Which way a transform goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransformDirection {
    /// From samples to coefficients.
    Forward,
    /// From coefficients to samples, divided by their number.
    Inverse,
}

/// Operations of a transform of n points, plan included: for its cost before it starts.
pub fn transform_cost(n: usize) -> f64 {
    // Measured: 10 at 1,000,003, which takes two transforms of twice the length, and their plans.
    const WORST: f64 = 12.0;
    WORST * n as f64 * (n.max(2) as f64).log2()
}

/// The instruction set that transforms use here: `avx`, `sse4.1`, `neon` or `scalar`.
pub fn instruction_set() -> &'static str {
    if rustfft::FftPlannerAvx::<f64>::new().is_ok() {
        "avx"
    } else if rustfft::FftPlannerSse::<f64>::new().is_ok() {
        "sse4.1"
    } else if rustfft::FftPlannerNeon::<f64>::new().is_ok() {
        "neon"
    } else {
        "scalar"
    }
}

/// Transforms complex data in place.
pub fn transform_complex(data: &mut [Complex64], way: TransformDirection) {
    complex_rows(data, data.len(), way);
}

/// Transforms each row of `width` entries in place.
fn complex_rows(data: &mut [Complex64], width: usize, way: TransformDirection) {
    if width == 0 {
        return;
    }
    let direction = match way {
        TransformDirection::Forward => FftDirection::Forward,
        TransformDirection::Inverse => FftDirection::Inverse,
    };
    let plan = find_plan(
        width,
        |plan| match plan {
            TransformPlan::Complex(plan, of) if *of == direction => Some(plan.clone()),
            _ => None,
        },
        || TransformPlan::Complex(FftPlanner::new().plan_fft(width, direction), direction),
    );
    let len = plan.get_inplace_scratch_len();
    plan.process_with_scratch(data, TransformScratch::new(len).of(len));
    if way == TransformDirection::Inverse {
        data.iter_mut().for_each(|value| *value /= width as f64);
    }
}

/// The n / 2 + 1 coefficients of frequencies from 0 to half of the rate of n real samples; the others are their conjugates.
pub fn transform_real(samples: &[f64]) -> Vec<Complex64> {
    if samples.is_empty() {
        return Vec::new();
    }
    let mut copy = COPY.take();
    copy.clear();
    copy.extend_from_slice(samples);
    let found = RealTransform::new(samples.len()).run(&mut copy);
    if copy.len() <= POINTS_KEPT_MAX {
        COPY.set(copy);
    }
    found
}

/// A planned transform of real data, for many rows of one length.
pub struct RealTransform {
    plan: Arc<dyn RealToComplex<f64>>,
    scratch: TransformScratch,
}

impl RealTransform {
    /// Plans the transform of n >= 1 samples.
    pub fn new(n: usize) -> Self {
        let plan = find_plan(
            n,
            |plan| match plan {
                TransformPlan::Real(plan) => Some(plan.clone()),
                _ => None,
            },
            || TransformPlan::Real(RealFftPlanner::new().plan_fft_forward(n)),
        );
        let scratch = TransformScratch::new(plan.get_scratch_len());
        Self { plan, scratch }
    }

    /// The coefficients of as many samples as planned; the samples are overwritten.
    pub fn run(&mut self, samples: &mut [f64]) -> Vec<Complex64> {
        let mut out = self.plan.make_output_vec();
        self.plan
            .process_with_scratch(
                samples,
                &mut out,
                self.scratch.of(self.plan.get_scratch_len()),
            )
            .expect("buffers of the planned lengths");
        out
    }
}

/// The n real samples of n / 2 + 1 coefficients; the imaginary parts of the first and, for even n, of the last must be zero and are ignored.
///
/// # Panics
/// When there are not n / 2 + 1 coefficients, or n is 0.
pub fn real_inverse(coefficients: &[Complex64], n: usize) -> Vec<f64> {
    assert_eq!(coefficients.len(), n / 2 + 1, "coefficients of n samples");
    let plan = find_plan(
        n,
        |plan| match plan {
            TransformPlan::RealInverse(plan) => Some(plan.clone()),
            _ => None,
        },
        || TransformPlan::RealInverse(RealFftPlanner::new().plan_fft_inverse(n)),
    );
    let mut input = coefficients.to_vec();
    input[0].im = 0.0;
    if n.is_multiple_of(2) {
        input[n / 2].im = 0.0;
    }
    let mut out = plan.make_output_vec();
    let len = plan.get_scratch_len();
    plan.process_with_scratch(&mut input, &mut out, TransformScratch::new(len).of(len))
        .expect("buffers of the planned lengths, ends that are real");
    out.iter_mut().for_each(|value| *value /= n as f64);
    out
}

/// Transforms a matrix, given row by row, over both its indices in place.
///
/// # Panics
/// When the sizes do not fit.
pub fn complex_2d(data: &mut [Complex64], rows: usize, columns: usize, way: TransformDirection) {
    assert_eq!(data.len(), rows * columns, "a matrix of this shape");
    complex_rows(data, columns, way);
    let mut turned = transpose_complex(data, rows, columns);
    complex_rows(&mut turned, rows, way);
    data.copy_from_slice(&transpose_complex(&turned, columns, rows));
}

fn transpose_complex(data: &[Complex64], rows: usize, columns: usize) -> Vec<Complex64> {
    const BLOCK: usize = 16;
    let mut out = vec![Complex64::default(); data.len()];
    for row_block in (0..rows).step_by(BLOCK) {
        for column_block in (0..columns).step_by(BLOCK) {
            for row in row_block..(row_block + BLOCK).min(rows) {
                for column in column_block..(column_block + BLOCK).min(columns) {
                    out[column * rows + row] = data[row * columns + column];
                }
            }
        }
    }
    out
}

/// Frequency of each coefficient of n samples: 0 up to half the rate, then for `two_sided` the negative ones, as `numpy.fft.fftfreq`.
pub fn bin_frequencies(n: usize, rate: f64, two_sided: bool) -> Vec<f64> {
    let at = |k: i64| k as f64 * rate / n as f64;
    if !two_sided {
        return (0..=n as i64 / 2).map(at).collect();
    }
    let positive = n.div_ceil(2) as i64;
    (0..positive).chain(-(n as i64 / 2)..0).map(at).collect()
}
