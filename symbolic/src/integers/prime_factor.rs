//! [`PrimeFactor`]: a prime with its exponent.

use num_bigint::BigUint;

/// A prime of a number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrimeFactor {
    /// The prime.
    pub prime: BigUint,
    /// Its exponent.
    pub exponent: u32,
    /// Whether it is proven to be prime, or passed the test of Baillie, Pomerance, Selfridge and Wagstaff alone.
    pub is_proven: bool,
}
