//! Singular values alone: Householder reduction to bidiagonal form, then differential quotient-difference sweeps with shifts.
//!
//! The iteration is dqds (K. V. Fernando and B. N. Parlett, "Accurate singular values and differential qd algorithms", Numer. Math.
//! 67, 1994) with the deflation rules and part of the shift rules of B. N. Parlett and O. A. Marques ("An implementation of the dqds
//! algorithm", Linear Algebra Appl. 309, 2000). No subtraction but that of the shift: the values of the bidiagonal matrix come out with
//! high relative accuracy.

use faer::{Mat, MatRef};

use super::FAILED;
use super::reduction::reduce_to_bidiagonal;
use crate::dense::{
    SpectralConvergenceError, all_scaled, exponent_of, max_abs, qr_factors, range_exponent,
    scale_by_exponent,
};

/// Sweeps a singular value may take on average.
const SWEEPS_EACH: usize = 100;

/// Off-diagonal quotients below this, relative to their neighbours, are dropped.
const TOLERANCE: f64 = (50.0 * f64::EPSILON) * (50.0 * f64::EPSILON);

/// The singular values of `matrix`, descending: 8/3 n^3 operations for a square matrix; tall ones are first reduced by QR.
///
/// # Errors
/// [`SpectralConvergenceError`], also when an entry is not finite.
pub(super) fn singular_values(
    matrix: MatRef<'_, f64>,
) -> Result<Vec<f64>, SpectralConvergenceError> {
    let (m, n) = matrix.shape();
    if m < n {
        return singular_values(matrix.transpose());
    }
    if n == 0 {
        return Ok(Vec::new());
    }
    let finite = |column: usize| matrix.col(column).iter().all(|entry| entry.is_finite());
    if !(0..n).all(finite) {
        return Err(FAILED);
    }
    let exponent = range_exponent(matrix);
    if exponent != 0 {
        let inside = Mat::from_fn(m, n, |i, j| scale_by_exponent(matrix[(i, j)], -exponent));
        return Ok(all_scaled(singular_values(inside.as_ref())?, exponent));
    }
    let work = if 5 * m > 8 * n {
        let (packed, _) = qr_factors(matrix.to_owned());
        Mat::from_fn(n, n, |i, j| if i <= j { packed[(i, j)] } else { 0.0 })
    } else {
        matrix.to_owned()
    };
    let (diagonal, above) = reduce_to_bidiagonal(work.as_ref());
    bidiagonal_values(&diagonal, &above)
}

/// The descending singular values of the bidiagonal matrix with `above` next to `diagonal`.
pub(in crate::dense) fn bidiagonal_values(
    diagonal: &[f64],
    above: &[f64],
) -> Result<Vec<f64>, SpectralConvergenceError> {
    let finite = |values: &[f64]| values.iter().all(|value| value.is_finite());
    if !finite(diagonal) || !finite(above) {
        return Err(FAILED);
    }
    let exponent = exponent_of(max_abs(diagonal).max(max_abs(above)));
    let square = |&value: &f64| scale_by_exponent(value, -exponent).powi(2);
    let mut array = QdArray {
        q: diagonal.iter().map(square).collect(),
        e: above.iter().map(square).collect(),
    };
    let mut spare = array.clone();
    let mut values = Vec::with_capacity(diagonal.len());
    let mut parts = vec![QdBlock {
        lo: 0,
        hi: diagonal.len(),
        shift: 0.0,
        rest: 0.0,
    }];
    let mut sweeps = SWEEPS_EACH * diagonal.len();
    while let Some(part) = parts.pop() {
        reduce_part(
            &mut array,
            &mut spare,
            part,
            &mut parts,
            &mut values,
            &mut sweeps,
        )
        .ok_or(FAILED)?;
    }
    values
        .iter_mut()
        .for_each(|value: &mut f64| *value = scale_by_exponent(value.max(0.0).sqrt(), exponent));
    values.sort_unstable_by(|a, b| b.total_cmp(a));
    Ok(values)
}

/// The quotients `q` and `e` of a qd array: squares of the bidiagonal entries at first.
#[derive(Clone)]
struct QdArray {
    q: Vec<f64>,
    e: Vec<f64>,
}

/// Rows `lo..hi` with the accumulated shift, `shift + rest` in doubled precision.
#[derive(Clone, Copy)]
struct QdBlock {
    lo: usize,
    hi: usize,
    shift: f64,
    rest: f64,
}

/// Statistics of a sweep: the smallest pivot of all, without the last, without the last two; and the last three pivots.
#[derive(Clone, Copy)]
struct SweepPivots {
    least: [f64; 3],
    last: [f64; 3],
    e_min: f64,
}

/// Works on one part until all its values are found; parts that split off go on the pile.
fn reduce_part(
    array: &mut QdArray,
    spare: &mut QdArray,
    mut part: QdBlock,
    parts: &mut Vec<QdBlock>,
    values: &mut Vec<f64>,
    sweeps: &mut usize,
) -> Option<()> {
    let mut seen: Option<SweepPivots> = None;
    loop {
        let before = part.hi;
        deflate_values(array, &mut part, values);
        if part.hi == part.lo {
            return Some(());
        }
        let deflated = before - part.hi;
        let (lo, hi) = (part.lo, part.hi);
        if seen.is_none_or(|seen| {
            seen.e_min.is_nan() || seen.e_min <= TOLERANCE * part.shift.max(f64::MIN_POSITIVE)
        }) || deflated == 0
        {
            let split = (lo..hi - 1).rev().find(|&i| {
                array.e[i] <= TOLERANCE * array.q[i] || array.e[i] <= TOLERANCE * part.shift
            });
            if let Some(at) = split {
                array.e[at] = 0.0;
                parts.push(QdBlock { hi: at + 1, ..part });
                part.lo = at + 1;
                seen = None;
                continue;
            }
        }
        if 1.5 * array.q[lo] < array.q[hi - 1] {
            array.q[lo..hi].reverse();
            array.e[lo..hi - 1].reverse();
            seen = None;
        }
        let mut tau = seen.map_or(0.0, |seen| shift_for(array, part, seen, deflated));
        let mut tries = 0;
        let done = loop {
            *sweeps = sweeps.checked_sub(1)?;
            let seen = dqds_sweep(array, spare, part, tau);
            if seen.least[0] >= 0.0 {
                break seen;
            }
            if tau == 0.0 {
                return None;
            }
            tries += 1;
            tau = if tries > 2 || seen.least[0].is_nan() {
                0.0
            } else if seen.least[1] > 0.0 {
                (tau + seen.least[0]).max(0.0) * (1.0 - 2.0 * f64::EPSILON)
            } else {
                0.25 * tau
            };
        };
        array.q[lo..hi].copy_from_slice(&spare.q[lo..hi]);
        array.e[lo..hi - 1].copy_from_slice(&spare.e[lo..hi - 1]);
        add_shift(&mut part, tau);
        seen = Some(done);
    }
}

/// Adds to the shift, keeping what rounds off.
fn add_shift(part: &mut QdBlock, tau: f64) {
    let sum = part.shift + tau;
    let (larger, smaller) = if part.shift > tau {
        (part.shift, tau)
    } else {
        (tau, part.shift)
    };
    part.rest += smaller - (sum - larger);
    part.shift = sum;
}

/// Deflates the converged values at the end.
fn deflate_values(array: &mut QdArray, part: &mut QdBlock, values: &mut Vec<f64>) {
    let (q, e) = (&mut array.q, &mut array.e);
    while part.hi > part.lo {
        let (last, count) = (part.hi - 1, part.hi - part.lo);
        let total = |value: f64| (value + part.rest) + part.shift;
        let small = |i: usize, q: &[f64]| {
            e[i] <= TOLERANCE * (part.shift + q[i + 1]) || e[i] <= TOLERANCE * q[i]
        };
        if count == 1 || small(last - 1, q) {
            values.push(total(q[last]));
            part.hi -= 1;
        } else if count == 2 || small(last - 2, q) {
            let (high, low) = two_by_two(q[last - 1], e[last - 1], q[last]);
            values.extend([total(high), total(low)]);
            part.hi -= 2;
        } else {
            return;
        }
    }
}

/// The eigenvalues of the 2 x 2 qd array `q1, e, q2`, the larger first, without cancellation.
fn two_by_two(q1: f64, e: f64, q2: f64) -> (f64, f64) {
    let (high, low) = if q2 > q1 { (q2, q1) } else { (q1, q2) };
    let t = 0.5 * ((high - low) + e);
    if t == 0.0 || e <= low * TOLERANCE {
        return (high, low);
    }
    let s = low * (e / t);
    let s = if s <= t {
        low * (e / (t * (1.0 + (1.0 + s / t).sqrt())))
    } else {
        low * (e / (t + t.sqrt() * (t + s).sqrt()))
    };
    let top = high + (s + e);
    (top, low * (high / top))
}

/// One dqds sweep from `array` to `spare`; a pivot below zero or not a number says that `tau` was too large.
fn dqds_sweep(array: &QdArray, spare: &mut QdArray, part: QdBlock, tau: f64) -> SweepPivots {
    let QdBlock { lo, hi, .. } = part;
    let count = hi - lo;
    let (q, e) = (&array.q[lo..hi], &array.e[lo..hi - 1]);
    let (new_q, new_e) = (&mut spare.q[lo..hi], &mut spare.e[lo..hi - 1]);
    let mut d = q[0] - tau;
    let (mut least, mut last) = ([d; 3], [d; 3]);
    let mut e_min = f64::INFINITY;
    for i in 0..count - 1 {
        let sum = d + e[i];
        let quotient = q[i + 1] / sum;
        new_q[i] = sum;
        new_e[i] = e[i] * quotient;
        d = d * quotient - tau;
        e_min = e_min.min(new_e[i]);
        least = if i + 2 < count - 1 {
            let running = if d >= least[0] { least[0] } else { d };
            [running; 3]
        } else if i + 2 == count - 1 {
            let running = if d >= least[0] { least[0] } else { d };
            [running, running, least[2]]
        } else {
            [if d >= least[0] { least[0] } else { d }, least[1], least[2]]
        };
        last = [d, last[0], last[1]];
    }
    new_q[count - 1] = d;
    if least[0] >= 0.0 && !d.is_nan() {
        return SweepPivots { least, last, e_min };
    }
    SweepPivots {
        least: [f64::NAN.min(least[0]), least[1], least[2]],
        last,
        e_min,
    }
}

/// A lower bound, most often, of the least eigenvalue that is left.
fn shift_for(array: &QdArray, part: QdBlock, seen: SweepPivots, deflated: usize) -> f64 {
    let SweepPivots { least, last, .. } = seen;
    let (q, e) = (&array.q[part.lo..part.hi], &array.e[part.lo..part.hi - 1]);
    let n = q.len();
    match deflated {
        0 if least[0] == last[0] && least[1] == last[1] => {
            let b1 = q[n - 1].sqrt() * e[n - 2].sqrt();
            let b2 = q[n - 2].sqrt() * e[n - 3].sqrt();
            let a2 = q[n - 2] + e[n - 2];
            let gap2 = 0.75 * least[2] - a2;
            let gap1 = if gap2 > 0.0 && gap2 > b2 {
                a2 - last[0] - (b2 / gap2) * b2
            } else {
                a2 - last[0] - (b1 + b2)
            };
            if gap1 > 0.0 && gap1 > b1 {
                (last[0] - (b1 / gap1) * b1).max(0.5 * least[0])
            } else {
                let mut s = (last[0] - b1).max(0.0);
                if a2 > b1 + b2 {
                    s = s.min(a2 - (b1 + b2));
                }
                s.max(least[0] / 3.0)
            }
        }
        0 if least[0] == last[0] => match tail_norm(q, e) {
            Some(norm) if norm < 0.563 => last[0] * (1.0 - norm.sqrt()) / (1.0 + norm),
            _ => 0.25 * least[0],
        },
        0 => 0.25 * least[0],
        1 if least[1] == last[1] => match tail_norm(q, e) {
            Some(norm) => {
                let b2 = norm.sqrt();
                let a2 = least[1] / (1.0 + norm);
                let gap = 0.5 * least[2] - a2;
                let s = if gap > 0.0 && gap > b2 * a2 {
                    a2 * (1.0 - 1.01 * a2 * (b2 / gap) * b2)
                } else {
                    a2 * (1.0 - 1.01 * b2)
                };
                s.max(least[1] / 3.0)
            }
            None => least[1] / 3.0,
        },
        1 => 0.25 * least[1],
        2 if least[2] == last[2] => least[2] / 3.0,
        2 => 0.25 * least[2],
        _ => 0.0,
    }
}

/// An estimate of the squared norm of the rest of the last eigenvector, where quotients fall; `None` where they do not.
fn tail_norm(q: &[f64], e: &[f64]) -> Option<f64> {
    let mut product = 1.0;
    let mut norm = 0.0;
    for i in (0..e.len()).rev() {
        if e[i] > q[i] {
            return None;
        }
        product *= e[i] / q[i];
        norm += product;
        if 100.0 * product < norm || norm > 0.563 {
            break;
        }
    }
    Some(1.05 * norm)
}
