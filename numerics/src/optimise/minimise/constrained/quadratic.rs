//! Strictly convex quadratic programs: minimise `x'Hx / 2 + g'x` subject to linear constraints.
//!
//! The dual method starts at the unconstrained minimum and adds one violated constraint after another, so that no feasible point is
//! needed to start with and contradictory constraints are found out.
//!
//! D. Goldfarb, A. Idnani, "A numerically stable dual method for solving strictly convex quadratic programs", Mathematical Programming
//! 27, 1983.

use faer::Mat;

use crate::dense::cholesky::Cholesky;
use crate::dense::{add_multiple, dot, euclidean_norm};
use crate::{Interruption, Watch};

/// `normal' x >= least`, or `= least`.
#[derive(Debug, Clone)]
pub(super) struct LinearConstraint {
    pub normal: Vec<f64>,
    pub least: f64,
    pub equal: bool,
}

/// The minimum.
#[derive(Debug)]
pub(super) struct SubproblemSolution {
    pub x: Vec<f64>,
    /// One for each row: `Hx + g` is the sum of the normals times these; not negative for inequalities.
    pub multipliers: Vec<f64>,
    /// The rows that hold with equality and determine the minimum, in the order in which they were added.
    pub active: Vec<usize>,
}

/// Reason there is no solution.
#[derive(Debug)]
pub(super) enum SubproblemFailure {
    /// These rows contradict each other.
    Infeasible(Vec<usize>),
    /// The matrix is not positive definite to rounding, or the iteration did not end.
    Numeric,
}

/// Normals below this share of their length, in the metric of the matrix, depend on the active ones.
const DEPENDENT: f64 = 1e-10;

/// The active constraints: `J' N = [R; 0]` with `J J' = H^-1`.
struct ActiveSetFactors {
    j: Mat<f64>,
    /// Columns of the upper triangular factor.
    r: Vec<Vec<f64>>,
    rows: Vec<usize>,
    /// -1 where the normal of an equality is reversed.
    signs: Vec<f64>,
    multipliers: Vec<f64>,
}

impl ActiveSetFactors {
    /// `J' v`.
    fn image(&self, v: &[f64]) -> Vec<f64> {
        let columns = 0..self.j.ncols();
        columns
            .map(|column| dot(self.j.col_as_slice(column), v))
            .collect()
    }

    /// The primal direction for an image.
    fn primal(&self, image: &[f64]) -> Vec<f64> {
        let mut z = vec![0.0; image.len()];
        for (column, share) in image.iter().enumerate().skip(self.rows.len()) {
            add_multiple(&mut z, *share, self.j.col_as_slice(column));
        }
        z
    }

    /// How the multipliers of the active rows fall.
    fn dual(&self, image: &[f64]) -> Vec<f64> {
        let mut r = image[..self.rows.len()].to_vec();
        for column in (0..r.len()).rev() {
            r[column] /= self.r[column][column];
            let value = r[column];
            for (entry, factor) in r[..column].iter_mut().zip(&self.r[column]) {
                *entry -= value * factor;
            }
        }
        r
    }

    fn rotate(&mut self, first: usize, c: f64, s: f64) {
        for row in 0..self.j.nrows() {
            let (a, b) = (self.j[(row, first)], self.j[(row, first + 1)]);
            self.j[(row, first)] = c * a + s * b;
            self.j[(row, first + 1)] = c * b - s * a;
        }
    }

    fn add(&mut self, row: usize, sign: f64, multiplier: f64, mut image: Vec<f64>) {
        let q = self.rows.len();
        for index in (q..image.len() - 1).rev() {
            let (a, b) = (image[index], image[index + 1]);
            if b == 0.0 {
                continue;
            }
            let length = a.hypot(b);
            (image[index], image[index + 1]) = (length, 0.0);
            self.rotate(index, a / length, b / length);
        }
        image.truncate(q + 1);
        self.r.push(image);
        self.rows.push(row);
        self.signs.push(sign);
        self.multipliers.push(multiplier);
    }

    fn drop(&mut self, position: usize) {
        self.r.remove(position);
        self.rows.remove(position);
        self.signs.remove(position);
        self.multipliers.remove(position);
        for column in position..self.rows.len() {
            let (a, b) = (self.r[column][column], self.r[column][column + 1]);
            let length = a.hypot(b);
            if length > 0.0 && b != 0.0 {
                let (c, s) = (a / length, b / length);
                for later in &mut self.r[column..] {
                    let (a, b) = (later[column], later[column + 1]);
                    later[column] = c * a + s * b;
                    later[column + 1] = c * b - s * a;
                }
                self.rotate(column, c, s);
            }
            self.r[column].truncate(column + 1);
        }
    }
}

/// Solves the program; `watch` is asked once for each step.
///
/// # Errors
/// A stop.
pub(super) fn minimise_quadratic(
    hessian: &Mat<f64>,
    gradient: &[f64],
    rows: &[LinearConstraint],
    watch: &dyn Watch,
) -> Result<Result<SubproblemSolution, SubproblemFailure>, Interruption> {
    let n = gradient.len();
    let Ok(factor) = Cholesky::new(hessian.clone()) else {
        return Ok(Err(SubproblemFailure::Numeric));
    };
    let mut start = Mat::from_fn(n, 1, |row, _| -gradient[row]);
    factor.solve(&mut start);
    let mut x = start.col_as_slice(0).to_vec();
    let mut active = ActiveSetFactors {
        j: inverse_transposed(&factor),
        r: Vec::new(),
        rows: Vec::new(),
        signs: Vec::new(),
        multipliers: Vec::new(),
    };
    let lengths: Vec<f64> = rows.iter().map(|row| euclidean_norm(&row.normal)).collect();
    let mut skipped = vec![false; rows.len()];
    let steps_max = 100 + 50 * (n + rows.len());
    let mut next_equality = (0..rows.len()).filter(|&index| rows[index].equal);
    let mut steps = 0;
    loop {
        let chosen = match next_equality.next() {
            Some(index) => Some(index),
            None => most_violated(rows, &lengths, &x, &active.rows, &skipped),
        };
        let Some(row) = chosen else {
            return Ok(Ok(build_solution(x, &active, rows.len())));
        };
        let gap = dot(&rows[row].normal, &x) - rows[row].least;
        let sign = if rows[row].equal && gap > 0.0 {
            -1.0
        } else {
            1.0
        };
        let normal: Vec<f64> = rows[row].normal.iter().map(|entry| sign * entry).collect();
        let mut multiplier = 0.0;
        loop {
            watch.check()?;
            steps += 1;
            if steps > steps_max || x.iter().any(|entry| !entry.is_finite()) {
                return Ok(Err(SubproblemFailure::Numeric));
            }
            let image = active.image(&normal);
            let free = euclidean_norm(&image[active.rows.len()..]);
            let dependent = free <= DEPENDENT * euclidean_norm(&image);
            let r = active.dual(&image);
            // The first multiplier to vanish; those of equalities may have any sign.
            let mut blocking: Option<(usize, f64)> = None;
            for (position, (fall, value)) in r.iter().zip(&active.multipliers).enumerate() {
                if *fall > 0.0 && !rows[active.rows[position]].equal {
                    let ratio = value.max(0.0) / fall;
                    if blocking.is_none_or(|(_, least)| ratio < least) {
                        blocking = Some((position, ratio));
                    }
                }
            }
            let gap = dot(&normal, &x) - sign * rows[row].least;
            let full = if dependent {
                f64::INFINITY
            } else {
                -gap / free.powi(2)
            };
            let dual = blocking.map_or(f64::INFINITY, |(_, ratio)| ratio);
            if dependent && dual.is_infinite() {
                // The start may be far larger than the point, and leaves its rounding.
                let far = euclidean_norm(&x).max(1e-4 * euclidean_norm(start.col_as_slice(0)));
                let size = rows[row].least.abs() + lengths[row] * far;
                if gap.abs() <= 1e-9 * size.max(f64::MIN_POSITIVE) {
                    skipped[row] = true; // it follows from the others
                    break;
                }
                let mut conflict = vec![row];
                let most = r.iter().fold(0.0, |most: f64, entry| most.max(entry.abs()));
                let shares = r.iter().zip(&active.rows);
                conflict.extend(
                    shares
                        .filter(|(share, _)| share.abs() > 1e-9 * most)
                        .map(|(_, row)| *row),
                );
                return Ok(Err(SubproblemFailure::Infeasible(conflict)));
            }
            let step = full.min(dual);
            if !dependent {
                add_multiple(&mut x, step, &active.primal(&image));
            }
            add_multiple(&mut active.multipliers, -step, &r);
            multiplier += step;
            if full <= dual {
                active.add(row, sign, multiplier, image);
                break;
            }
            if let Some((position, _)) = blocking {
                active.drop(position);
            }
        }
    }
}

/// `L^-T` for the factor `L`.
fn inverse_transposed(factor: &Cholesky) -> Mat<f64> {
    let n = factor.packed.nrows();
    let l = &factor.packed;
    let mut inverse = Mat::<f64>::zeros(n, n);
    for column in 0..n {
        inverse[(column, column)] = l[(column, column)].recip();
        for row in (0..column).rev() {
            let sum: f64 = (row + 1..=column)
                .map(|k| l[(k, row)] * inverse[(k, column)])
                .sum();
            inverse[(row, column)] = -sum / l[(row, row)];
        }
    }
    inverse
}

fn most_violated(
    rows: &[LinearConstraint],
    lengths: &[f64],
    x: &[f64],
    active: &[usize],
    skipped: &[bool],
) -> Option<usize> {
    const ROUNDING: f64 = 1e-13;
    let size = euclidean_norm(x);
    let mut worst: Option<(usize, f64)> = None;
    for (index, row) in rows.iter().enumerate() {
        if row.equal || skipped[index] || active.contains(&index) {
            continue;
        }
        let gap = dot(&row.normal, x) - row.least;
        let noise = ROUNDING * (row.least.abs() + lengths[index] * size);
        if gap < -noise {
            let distance = gap / lengths[index].max(f64::MIN_POSITIVE);
            if worst.is_none_or(|(_, least)| distance < least) {
                worst = Some((index, distance));
            }
        }
    }
    worst.map(|(index, _)| index)
}

fn build_solution(x: Vec<f64>, active: &ActiveSetFactors, count: usize) -> SubproblemSolution {
    let mut multipliers = vec![0.0; count];
    for (position, &row) in active.rows.iter().enumerate() {
        multipliers[row] = active.signs[position] * active.multipliers[position];
    }
    SubproblemSolution {
        x,
        multipliers,
        active: active.rows.clone(),
    }
}
