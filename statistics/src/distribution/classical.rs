//! The distributions of test statistics: normal, Student t, chi-squared, Fisher F.
//!
//! `sf` is the probability above a value, accurate where it is tiny; `isf` is the value above which a probability lies.

use numerics::special::{
    inverse_regularised_beta, inverse_regularised_gamma, normal_cdf, normal_quantile,
    regularised_beta, regularised_gamma_p, regularised_gamma_q, student_cdf, student_quantile,
};

/// Probability of a standard normal value above `z`.
pub fn normal_sf(z: f64) -> f64 {
    normal_cdf(-z)
}

/// The value that a standard normal one exceeds with probability `p`.
pub fn normal_isf(p: f64) -> f64 {
    -normal_quantile(p)
}

/// Probability of a Student t value above `t`, for `df` degrees of freedom, which need not be whole.
pub fn student_sf(t: f64, df: f64) -> f64 {
    student_cdf(df, -t)
}

/// The value that a Student t one exceeds with probability `p`.
pub fn student_isf(p: f64, df: f64) -> f64 {
    -student_quantile(df, p)
}

/// Probability of a chi-squared value at or below `x`.
pub fn chi_squared_cdf(x: f64, df: f64) -> f64 {
    match x > 0.0 {
        true => regularised_gamma_p(0.5 * df, 0.5 * x),
        false => 0.0,
    }
}

/// Probability of a chi-squared value above `x`.
pub fn chi_squared_sf(x: f64, df: f64) -> f64 {
    match x > 0.0 {
        true => regularised_gamma_q(0.5 * df, 0.5 * x),
        false => 1.0,
    }
}

/// The value below which a chi-squared one lies with probability `p`.
pub fn chi_squared_quantile(p: f64, df: f64) -> f64 {
    2.0 * inverse_regularised_gamma(0.5 * df, p)
}

/// Probability of an F value at or below `x`, for `df1` and `df2` degrees of freedom.
pub fn fisher_f_cdf(x: f64, df1: f64, df2: f64) -> f64 {
    match x > 0.0 {
        true => regularised_beta(0.5 * df1, 0.5 * df2, df1 * x / (df1 * x + df2)),
        false => 0.0,
    }
}

/// Probability of an F value above `x`.
pub fn fisher_f_sf(x: f64, df1: f64, df2: f64) -> f64 {
    match x > 0.0 {
        true => regularised_beta(0.5 * df2, 0.5 * df1, df2 / (df1 * x + df2)),
        false => 1.0,
    }
}

/// The value below which an F one lies with probability `p`.
pub fn fisher_f_quantile(p: f64, df1: f64, df2: f64) -> f64 {
    // The upper part from the other side, where the complement keeps its digits.
    match p < 0.5 {
        true => {
            let x = inverse_regularised_beta(0.5 * df1, 0.5 * df2, p);
            df2 * x / (df1 * (1.0 - x))
        }
        false => {
            let x = inverse_regularised_beta(0.5 * df2, 0.5 * df1, 1.0 - p);
            df2 * (1.0 - x) / (df1 * x)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values to 15 digits by mpmath 1.3.
    #[test]
    fn tails_are_those_of_tables() {
        let near = |value: f64, expected: f64| (value / expected - 1.0).abs() < 1e-12;
        assert!(near(normal_sf(10.0), 7.619_853_024_160_526e-24));
        assert!(near(student_sf(2.0, 10.0), 0.036_694_017_385_370_2));
        assert!(near(chi_squared_sf(3.841_458_820_694_124, 1.0), 0.05));
        assert!(near(fisher_f_sf(4.964_602_743_730_711, 1.0, 10.0), 0.05));
        assert!(near(
            fisher_f_quantile(0.95, 1.0, 10.0),
            4.964_602_743_730_711
        ));
        assert!(near(chi_squared_quantile(0.95, 1.0), 3.841_458_820_694_124));
    }
}
