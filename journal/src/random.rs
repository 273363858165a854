//! Random numbers for names, without a dependency.

use std::hash::{BuildHasher, Hasher, RandomState};

/// Returns 64 random bits: the keys of a new hasher come from the operating system.
pub(crate) fn random_bits() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// Returns a new id of a run or an approval: twelve hex digits.
pub fn random_id() -> String {
    format!("{:012x}", random_bits() & 0xffff_ffff_ffff)
}
