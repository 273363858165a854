//! The real Schur form of a small upper Hessenberg matrix by Francis' double-shift QR steps.
//!
//! # References
//! G. H. Golub, C. F. Van Loan, "Matrix Computations", 4th ed., 2013, section 7.5; the test for negligible entries is that of M. Ahues,
//! F. Tisseur, "A new deflation criterion for the QR algorithm", LAPACK working note 122, 1997, the form of the blocks that of LAPACK's
//! xLANV2.

use faer::Mat;
use pulp::Simd;

use crate::dense::lanes::{LaneKernel, VectorUnit, dispatch_kernel};
use crate::dense::{NO_EIGENVALUES, SpectralConvergenceError, entries_of};

const EPS: f64 = f64::EPSILON;
/// Entries below this, beside a matrix of ordinary size, are zeros.
const SMALL: f64 = f64::MIN_POSITIVE / f64::EPSILON;
/// Steps an eigenvalue may take.
const STEPS_EACH: usize = 60;
/// Every so many steps without a find the shifts are replaced by others.
const UNUSUAL: usize = 10;

/// Replaces the Hessenberg matrix by its Schur form, the basis `Z` by its product with the transformations, and gives the eigenvalues.
/// Without a basis only the eigenvalues are found, and the matrix is used up.
///
/// # Errors
/// [`SpectralConvergenceError`].
pub(super) fn real_schur(
    h: &mut Mat<f64>,
    basis: Option<&mut Mat<f64>>,
) -> Result<(Vec<f64>, Vec<f64>), SpectralConvergenceError> {
    dispatch_kernel(FrancisIteration { h, basis })
}

struct FrancisIteration<'a> {
    h: &'a mut Mat<f64>,
    basis: Option<&'a mut Mat<f64>>,
}

impl LaneKernel for FrancisIteration<'_> {
    type Output = Result<(Vec<f64>, Vec<f64>), SpectralConvergenceError>;

    #[inline(always)]
    fn run<S: Simd, const R: usize>(self, unit: VectorUnit<S, R>) -> Self::Output {
        let Self { h, mut basis } = self;
        let n = h.nrows();
        let (mut real, mut imaginary) = (vec![0.0; n], vec![0.0; n]);
        let whole = basis.is_some();
        // Rows and columns `start..end` are the block that is worked on.
        let mut end = n;
        let mut steps = 0;
        while end > 0 {
            let start = block_start(h, end);
            if start > 0 {
                h[(start, start - 1)] = 0.0;
            }
            let size = end - start;
            if size == 1 {
                (real[start], imaginary[start]) = (h[(start, start)], 0.0);
            } else if size == 2 {
                let block = standardise_block(
                    h[(start, start)],
                    h[(start, start + 1)],
                    h[(start + 1, start)],
                    h[(start + 1, start + 1)],
                );
                (real[start], imaginary[start]) = block.first;
                (real[start + 1], imaginary[start + 1]) = block.second;
                if whole {
                    apply_rotation(unit, h, basis.as_deref_mut(), start, block);
                }
            }
            if size <= 2 {
                end = start;
                steps = 0;
                continue;
            }
            steps += 1;
            if steps > STEPS_EACH {
                return Err(NO_EIGENVALUES);
            }
            let shifts = choose_shifts(h, start, end, steps);
            double_step(unit, h, basis.as_deref_mut(), start, end, shifts);
        }
        Ok((real, imaginary))
    }
}

/// The first row of the last block that does not fall apart before `end`.
fn block_start(h: &Mat<f64>, end: usize) -> usize {
    for k in (1..end).rev() {
        let beside = h[(k, k - 1)].abs();
        if beside <= SMALL {
            return k;
        }
        let mut test = h[(k - 1, k - 1)].abs() + h[(k, k)].abs();
        if test == 0.0 {
            if k >= 2 {
                test += h[(k - 1, k - 2)].abs();
            }
            if k + 1 < h.nrows() {
                test += h[(k + 1, k)].abs();
            }
        }
        if beside <= EPS * test {
            let other = h[(k - 1, k)].abs();
            let (large, small) = (beside.max(other), beside.min(other));
            let difference = (h[(k - 1, k - 1)] - h[(k, k)]).abs();
            let own = h[(k, k)].abs();
            let (most, least) = (own.max(difference), own.min(difference));
            let sum = most + large;
            if small * (large / sum) <= SMALL.max(EPS * (least * (most / sum))) {
                return k;
            }
        }
    }
    0
}

/// Trace and determinant of the pair of shifts, with the entries they refer to scaled as in the matrix.
struct ShiftPair {
    real: [f64; 2],
    imaginary: [f64; 2],
}

/// The eigenvalues of the last two rows; now and then others, so that no cycle lasts.
fn choose_shifts(h: &Mat<f64>, start: usize, end: usize, steps: usize) -> ShiftPair {
    const UNUSUAL_SHIFTS: (f64, f64) = (0.75, -0.4375);
    let last = end - 1;
    let [a, b, c, d] = if steps.is_multiple_of(2 * UNUSUAL) {
        let size = h[(last, last - 1)].abs() + h[(last - 1, last - 2)].abs();
        let diagonal = UNUSUAL_SHIFTS.0 * size + h[(last, last)];
        [diagonal, UNUSUAL_SHIFTS.1 * size, size, diagonal]
    } else if steps.is_multiple_of(UNUSUAL) {
        let size = h[(start + 1, start)].abs() + h[(start + 2, start + 1)].abs();
        let diagonal = UNUSUAL_SHIFTS.0 * size + h[(start, start)];
        [diagonal, UNUSUAL_SHIFTS.1 * size, size, diagonal]
    } else {
        [
            h[(last - 1, last - 1)],
            h[(last - 1, last)],
            h[(last, last - 1)],
            h[(last, last)],
        ]
    };
    let size = a.abs() + b.abs() + c.abs() + d.abs();
    if size == 0.0 {
        return ShiftPair {
            real: [0.0; 2],
            imaginary: [0.0; 2],
        };
    }
    let [a, b, c, d] = [a / size, b / size, c / size, d / size];
    let mean = 0.5 * (a + d);
    let determinant = (a - mean) * (d - mean) - b * c;
    let root = determinant.abs().sqrt();
    if determinant >= 0.0 {
        return ShiftPair {
            real: [mean * size; 2],
            imaginary: [root * size, -root * size],
        };
    }
    // Two real shifts: the one nearer to the last entry, twice.
    let (low, high) = (mean - root, mean + root);
    let near = if (low - d).abs() <= (high - d).abs() {
        low
    } else {
        high
    };
    ShiftPair {
        real: [near * size; 2],
        imaginary: [0.0; 2],
    }
}

/// A reflection `I - tau v v'` of three entries or two, `v0 = 1`.
#[derive(Clone, Copy)]
struct BulgeReflection {
    tau: f64,
    second: f64,
    third: f64,
    /// The first entry of the image.
    image: f64,
}

fn bulge_reflection(x: [f64; 3]) -> BulgeReflection {
    let size = x[0].abs() + x[1].abs() + x[2].abs();
    if x[1] == 0.0 && x[2] == 0.0 {
        return BulgeReflection {
            tau: 0.0,
            second: 0.0,
            third: 0.0,
            image: x[0],
        };
    }
    let [a, b, c] = x.map(|entry| entry / size);
    let length = (a * a + b * b + c * c).sqrt();
    let image = -length.copysign(a);
    let leading = a - image;
    BulgeReflection {
        tau: -leading / image,
        second: b / leading,
        third: c / leading,
        image: image * size,
    }
}

/// One double step on rows and columns `start..end`.
#[inline(always)]
fn double_step<S: Simd, const R: usize>(
    unit: VectorUnit<S, R>,
    h: &mut Mat<f64>,
    mut basis: Option<&mut Mat<f64>>,
    start: usize,
    end: usize,
    shifts: ShiftPair,
) {
    let (first, mut head) = bulge_start(h, start, end, &shifts);
    // With a basis the whole matrix is transformed, without one only the block.
    let (top, right) = if basis.is_some() {
        (0, h.ncols())
    } else {
        (start, end)
    };
    for k in first..end - 1 {
        let three = k + 2 < end;
        if k > first {
            let column = &h.col_as_slice(k - 1)[k..];
            head = [column[0], column[1], if three { column[2] } else { 0.0 }];
        }
        let p = bulge_reflection(head);
        if k > first {
            let column = &mut h.col_as_slice_mut(k - 1)[k..];
            column[0] = p.image;
            column[1] = 0.0;
            if three {
                column[2] = 0.0;
            }
        } else if k > start {
            // Entry beside a start in the middle: small, and kept up to rounding.
            h[(k, k - 1)] *= 1.0 - p.tau;
        }
        for column in k..right {
            let rows = &mut h.col_as_slice_mut(column)[k..];
            if three {
                let sum = rows[2].mul_add(p.third, rows[1].mul_add(p.second, rows[0])) * p.tau;
                rows[0] -= sum;
                rows[1] = sum.mul_add(-p.second, rows[1]);
                rows[2] = sum.mul_add(-p.third, rows[2]);
            } else {
                let sum = rows[1].mul_add(p.second, rows[0]) * p.tau;
                rows[0] -= sum;
                rows[1] = sum.mul_add(-p.second, rows[1]);
            }
        }
        let bottom = (k + 4).min(end);
        from_the_right(unit, h, top..bottom, k, p, three);
        if let Some(basis) = basis.as_deref_mut() {
            let rows = 0..basis.nrows();
            from_the_right(unit, basis, rows, k, p, three);
        }
    }
}

/// First row at which two small entries allow the step to start, and the start vector.
fn bulge_start(h: &Mat<f64>, start: usize, end: usize, shifts: &ShiftPair) -> (usize, [f64; 3]) {
    let mut m = end - 3;
    loop {
        let [h00, h10, h01, h11] = [h[(m, m)], h[(m + 1, m)], h[(m, m + 1)], h[(m + 1, m + 1)]];
        let distance = h00 - shifts.real[1];
        let size = distance.abs() + shifts.imaginary[1].abs() + h10.abs();
        let mut v = [0.0; 3];
        if size > 0.0 {
            let below = h10 / size;
            v = [
                below * h01 + (h00 - shifts.real[0]) * (distance / size)
                    - shifts.imaginary[0] * (shifts.imaginary[1] / size),
                below * (h00 + h11 - shifts.real[0] - shifts.real[1]),
                below * h[(m + 2, m + 1)],
            ];
            let size = v[0].abs() + v[1].abs() + v[2].abs();
            if size > 0.0 {
                v = v.map(|entry| entry / size);
            }
        }
        if m == start {
            return (m, v);
        }
        let beside = h[(m, m - 1)].abs();
        let around = h[(m - 1, m - 1)].abs() + h00.abs() + h11.abs();
        if beside * (v[1].abs() + v[2].abs()) <= EPS * v[0].abs() * around {
            return (m, v);
        }
        m -= 1;
    }
}

/// Multiplies columns `k..k + 3`, or two, with a reflection.
#[inline(always)]
fn from_the_right<S: Simd, const R: usize>(
    unit: VectorUnit<S, R>,
    matrix: &mut Mat<f64>,
    rows: std::ops::Range<usize>,
    k: usize,
    p: BulgeReflection,
    three: bool,
) {
    let [a, b, c] = adjacent_columns(matrix, k, three);
    let (a, b) = (&mut a[rows.clone()], &mut b[rows.clone()]);
    if three {
        unit.reflect_three([a, b, &mut c[rows]], p.tau, p.second, p.third);
    } else {
        unit.reflect_two([a, b], p.tau, p.second);
    }
}

/// Columns `k`, `k + 1`, and `k + 2` or nothing.
fn adjacent_columns(matrix: &mut Mat<f64>, k: usize, three: bool) -> [&mut [f64]; 3] {
    let columns = matrix.as_mut().subcols_mut(k, if three { 3 } else { 2 });
    let mut found = columns.col_iter_mut().map(entries_of);
    std::array::from_fn(|_| found.next().unwrap_or_default())
}

/// A block `[[a, b], [c, d]]` brought to standard form by a rotation: triangular, or with equal diagonal entries and `b c < 0`.
#[derive(Clone, Copy)]
struct StandardBlock {
    entries: [f64; 4],
    first: (f64, f64),
    second: (f64, f64),
    cosine: f64,
    sine: f64,
}

fn standardise_block(a: f64, b: f64, c: f64, d: f64) -> StandardBlock {
    let triangular = |a: f64, b: f64, d: f64, cosine: f64, sine: f64| StandardBlock {
        entries: [a, b, 0.0, d],
        first: (a, 0.0),
        second: (d, 0.0),
        cosine,
        sine,
    };
    let complex = |a: f64, b: f64, c: f64, cosine: f64, sine: f64| {
        let imaginary = b.abs().sqrt() * c.abs().sqrt();
        StandardBlock {
            entries: [a, b, c, a],
            first: (a, imaginary),
            second: (a, -imaginary),
            cosine,
            sine,
        }
    };
    if c == 0.0 {
        return triangular(a, b, d, 1.0, 0.0);
    }
    if b == 0.0 {
        return triangular(d, -c, a, 0.0, 1.0);
    }
    let difference = a - d;
    if difference == 0.0 && (b > 0.0) != (c > 0.0) {
        return complex(a, b, c, 1.0, 0.0);
    }
    let half = 0.5 * difference;
    let (large, small) = (b.abs().max(c.abs()), b.abs().min(c.abs()));
    let small = small * b.signum() * c.signum();
    let scale = half.abs().max(large);
    let z = half / scale * half + large / scale * small;
    if z >= 4.0 * EPS {
        // Two real eigenvalues.
        let z = half + (scale.sqrt() * z.sqrt()).copysign(half);
        let length = libm::hypot(c, z);
        return triangular(d + z, b - c, d - large / z * small, z / length, c / length);
    }
    // Complex, or nearly equal: make the diagonal entries equal first.
    let sum = b + c;
    let length = libm::hypot(sum, difference);
    let cosine = (0.5 * (1.0 + sum.abs() / length)).sqrt();
    let sine = -(half / (length * cosine)).copysign(half * sum);
    let [aa, bb] = [a * cosine + b * sine, b * cosine - a * sine];
    let [cc, dd] = [c * cosine + d * sine, d * cosine - c * sine];
    let [a, b] = [aa * cosine + cc * sine, bb * cosine + dd * sine];
    let [c, d] = [cc * cosine - aa * sine, dd * cosine - bb * sine];
    let mean = 0.5 * (a + d);
    if c == 0.0 {
        return triangular(mean, b, mean, cosine, sine);
    }
    if b == 0.0 {
        return triangular(mean, -c, mean, -sine, cosine);
    }
    if (b > 0.0) != (c > 0.0) {
        return complex(mean, b, c, cosine, sine);
    }
    let (root_b, root_c) = (b.abs().sqrt(), c.abs().sqrt());
    let p = (root_b * root_c).copysign(c);
    let scale = (b + c).abs().sqrt().recip();
    let (c1, s1) = (root_b * scale, root_c * scale);
    triangular(
        mean + p,
        b - c,
        mean - p,
        cosine * c1 - sine * s1,
        cosine * s1 + sine * c1,
    )
}

/// Applies the rotation of a standard block at `at` to the rest of the matrix and to the basis.
#[inline(always)]
fn apply_rotation<S: Simd, const R: usize>(
    unit: VectorUnit<S, R>,
    h: &mut Mat<f64>,
    basis: Option<&mut Mat<f64>>,
    at: usize,
    block: StandardBlock,
) {
    let (c, s) = (block.cosine, block.sine);
    for column in at + 2..h.ncols() {
        let rows = &mut h.col_as_slice_mut(column)[at..at + 2];
        let (x, y) = (rows[0], rows[1]);
        rows[0] = c.mul_add(x, s * y);
        rows[1] = c.mul_add(y, -s * x);
    }
    let [a, b, _] = adjacent_columns(h, at, false);
    unit.rotate([&mut a[..at], &mut b[..at]], c, s);
    for (index, entry) in block.entries.into_iter().enumerate() {
        h[(at + index / 2, at + index % 2)] = entry;
    }
    if let Some(basis) = basis {
        let [a, b, _] = adjacent_columns(basis, at, false);
        unit.rotate([a, b], c, s);
    }
}
