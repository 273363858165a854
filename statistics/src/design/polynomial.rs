//! Orthogonal polynomials over the values of a column.

use super::DesignError;
use super::evaluate::{ColumnMemory, PreciseColumn};

/// The columns `poly(x, degree)`: polynomials of degree 1 to `degree` that are orthogonal to each other and to the constant over the fitted rows,
/// each of length 1 with a positive leading coefficient, as R's `poly`.
///
/// # Method
/// The three-term recurrence of monic polynomials (G. E. Forsythe, "Generation and use of orthogonal polynomials for data-fitting", J. SIAM 5, 1957);
/// new rows use the coefficients of the fitted ones.
pub(super) fn orthogonal_polynomials(
    x: &[f64],
    degree: usize,
    memory: &mut ColumnMemory,
    factor: &str,
) -> Result<Vec<PreciseColumn>, DesignError> {
    let facts = memory.fact(|| learn_recurrence(x, degree, factor))?;
    let (centres, squares) = facts.split_at(degree.min(facts.len()));
    let mut before = vec![0.0; x.len()];
    let mut current = vec![1.0; x.len()];
    let mut columns = Vec::with_capacity(degree);
    for (k, centre) in centres.iter().enumerate() {
        let next = next_polynomial(x, *centre, &current, &before, ratio(squares, k));
        before = std::mem::replace(&mut current, next);
        let length = squares[k + 1].sqrt();
        columns.push(PreciseColumn::new(
            current.iter().map(|value| value / length).collect(),
        ));
    }
    Ok(columns)
}

/// The centres of the recurrence, then the squared lengths of the polynomials of degree 0 to `degree`.
fn learn_recurrence(x: &[f64], degree: usize, factor: &str) -> Result<Vec<f64>, DesignError> {
    let mut sorted = x.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted.dedup();
    if sorted.len() <= degree {
        return Err(DesignError::PolynomialDegree {
            factor: factor.to_owned(),
            needed: degree + 1,
            found: sorted.len(),
        });
    }
    let (mut centres, mut squares) = (Vec::new(), vec![x.len() as f64]);
    let mut before = vec![0.0; x.len()];
    let mut current = vec![1.0; x.len()];
    for k in 0..degree {
        let moment: f64 = x.iter().zip(&current).map(|(x, p)| x * p * p).sum();
        let centre = moment / squares[k];
        let next = next_polynomial(x, centre, &current, &before, ratio(&squares, k));
        before = std::mem::replace(&mut current, next);
        centres.push(centre);
        squares.push(current.iter().map(|value| value * value).sum());
    }
    centres.extend(squares);
    Ok(centres)
}

fn ratio(squares: &[f64], k: usize) -> f64 {
    match k {
        0 => 0.0,
        _ => squares[k] / squares[k - 1],
    }
}

fn next_polynomial(
    x: &[f64],
    centre: f64,
    current: &[f64],
    before: &[f64],
    ratio: f64,
) -> Vec<f64> {
    let pairs = current.iter().zip(before);
    let rows = x.iter().zip(pairs);
    rows.map(|(x, (current, before))| (x - centre) * current - ratio * before)
        .collect()
}
