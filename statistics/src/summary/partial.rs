//! Partial correlation.

use super::correlation::{Correlation, CorrelationError, pearson};

/// What is left of a column, relative to its length, below which it is nothing but rounding.
const NOTHING: f64 = 1e-12;

/// Pearson's correlation of what is left of two columns beside the linear influence of others: modified Gram and Schmidt, twice.
///
/// # Errors
/// [`CorrelationError`] for too few rows, and for a column of which nothing is left.
pub fn partial_correlation(
    x: &[f64],
    y: &[f64],
    given: &[Vec<f64>],
) -> Result<Correlation, CorrelationError> {
    let n = x.len();
    if n < given.len() + 3 {
        return Err(CorrelationError::TooFew(n));
    }
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let remove = |column: &mut Vec<f64>, basis: &[Vec<f64>]| {
        for _ in 0..2 {
            for direction in basis {
                let dot: f64 = column.iter().zip(direction).map(|(a, b)| a * b).sum();
                column
                    .iter_mut()
                    .zip(direction)
                    .for_each(|(a, b)| *a -= dot * b);
            }
        }
    };
    let length = |column: &[f64]| column.iter().map(|a| a * a).sum::<f64>().sqrt();
    for column in std::iter::once(&vec![1.0; n]).chain(given) {
        let before = length(column);
        let mut rest = column.clone();
        remove(&mut rest, &basis);
        let after = length(&rest);
        if after > NOTHING * before {
            rest.iter_mut().for_each(|a| *a /= after);
            basis.push(rest);
        }
    }
    let taken = |column: &[f64], is_first: bool| {
        let mut rest = column.to_vec();
        let before = length(&rest);
        remove(&mut rest, &basis);
        match length(&rest) > NOTHING * before {
            true => Ok(rest),
            false => Err(CorrelationError::Constant(is_first)),
        }
    };
    pearson(&taken(x, true)?, &taken(y, false)?, basis.len() - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By the formula of three coefficients, `(r12 - r13 r23) / sqrt((1 - r13^2) (1 - r23^2))`.
    #[test]
    fn one_covariate_is_the_formula_of_the_textbook() {
        let x = [2.0, 4.0, 15.0, 20.0, 13.0, 9.0];
        let y = [1.0, 2.0, 3.0, 4.0, 7.0, 5.0];
        let z = vec![0.5, 0.0, 1.5, 1.0, 2.5, 0.0];
        let r = |a: &[f64], b: &[f64]| pearson(a, b, 0).unwrap().estimate;
        let (xy, xz, yz) = (r(&x, &y), r(&x, &z), r(&y, &z));
        let expected = (xy - xz * yz) / ((1.0 - xz * xz) * (1.0 - yz * yz)).sqrt();
        let given = [z.clone()];
        let found = partial_correlation(&x, &y, &given).unwrap();
        assert!((found.estimate - expected).abs() < 1e-14, "{found:?}");
        // A covariate that says the same again takes no degree of freedom.
        let twice = [z.clone(), z.iter().map(|z| 3.0 * z - 1.0).collect()];
        let again = partial_correlation(&x, &y, &twice).unwrap();
        assert!(
            (again.estimate - found.estimate).abs() < 1e-13 && (again.p - found.p).abs() < 1e-12
        );
        let of_x = [x.to_vec()];
        assert_eq!(
            partial_correlation(&x, &y, &of_x),
            Err(CorrelationError::Constant(true))
        );
    }
}
