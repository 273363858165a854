//! A vector for a text: its parts of words, hashed into a fixed number of places with a sign each.
//!
//! # Method
//! Each part adds its weight to one of [`DIMENSION`] places, or takes it away, as its hash says, so that meetings of different parts
//! cancel on average. Places hold integers; each becomes the root of its size, with its sign, and the whole gets the length 1.
//!
//! # References
//! K. Weinberger and others, "Feature hashing for large scale multitask learning", ICML 2009; W. B. Cavnar and J. M. Trenkle, "N-gram-based
//! text categorization", SDAIR 1994.

use tool_core::{StopFlag, ToolError};

use super::features::{Feature, for_each_feature};

/// Numbers in a vector.
pub(crate) const DIMENSION: usize = 1024;

/// The vector of a text; `None` when it has no letter, digit or emoji.
///
/// # Errors
/// When the flag stops it.
pub(crate) fn embed(text: &str, stop: &StopFlag) -> Result<Option<Vec<f64>>, ToolError> {
    let mut places = vec![0_i64; DIMENSION];
    for_each_feature(text, stop, &mut |feature, weight| {
        if let Feature::Part(hash) = feature {
            let weight = weight.cast_signed();
            let signed = if hash >> 63 == 0 { weight } else { -weight };
            places[hash as usize % DIMENSION] += signed;
        }
    })?;
    // The squares of the roots are the sizes, so that the sum of squares is this integer.
    let total: u64 = places.iter().map(|place| place.unsigned_abs()).sum();
    Ok((total > 0).then(|| {
        let scaled = |place: i64| {
            let root = (place.unsigned_abs() as f64 / total as f64).sqrt();
            if place < 0 { -root } else { root }
        };
        places.into_iter().map(scaled).collect()
    }))
}
