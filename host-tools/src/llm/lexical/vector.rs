//! The vector of a text: its n-grams, hashed into a fixed number of dimensions with signs.
//!
//! # Method
//! The hash of an n-gram selects one of [`DIMENSION`] dimensions and the sign of its weight, so that collisions cancel on average.
//! Sums are integers; each becomes the root of its size with its sign, and the vector is normalised.
//!
//! # References
//! K. Weinberger and others, "Feature hashing for large scale multitask learning", ICML 2009; W. B. Cavnar and J. M. Trenkle, "N-gram-based
//! text categorization", SDAIR 1994.

use super::features::{TextFeature, for_each_feature};
use crate::prelude::*;

/// Number of dimensions.
pub(crate) const DIMENSION: usize = 1024;

/// The vector of a text; `None` if it has no letter, digit or emoji.
///
/// # Errors
/// If the stop flag is set.
pub(crate) fn lexical_vector(text: &str, stop: &StopFlag) -> Result<Option<Vec<f64>>> {
    let mut places = vec![0_i64; DIMENSION];
    for_each_feature(text, stop, &mut |feature, weight| {
        if let TextFeature::Part(hash) = feature {
            let weight = weight.cast_signed();
            let signed = if hash >> 63 == 0 { weight } else { -weight };
            places[hash as usize % DIMENSION] += signed;
        }
    })?;
    // The sum of the squares of the roots is this integer.
    let total: u64 = places.iter().map(|place| place.unsigned_abs()).sum();
    Ok((total > 0).then(|| {
        let scaled = |place: i64| {
            let root = (place.unsigned_abs() as f64 / total as f64).sqrt();
            if place < 0 { -root } else { root }
        };
        places.into_iter().map(scaled).collect()
    }))
}
