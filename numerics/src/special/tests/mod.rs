//! Tables of reference values, special values and relations between the functions.

mod bessel;
mod error;
mod gamma;
mod incomplete;
mod number;
mod order;

/// Compares with correctly rounded references, in units in the last place.
fn check<A: Copy + std::fmt::Debug>(function: impl Fn(A) -> f64, table: &[(A, f64)], units: f64) {
    for &(argument, expected) in table {
        let found = function(argument);
        if found == expected || (found.is_nan() && expected.is_nan()) {
            continue;
        }
        let unit = expected.abs().next_up() - expected.abs();
        // The reference itself is rounded: an error below `units` is at most `units + 1/2` here.
        let error = (found - expected).abs() / unit;
        assert!(
            error <= units + 0.5,
            "at {argument:?}: {found:e}, expected {expected:e}, {error} units"
        );
    }
}
