//! Primes below a bound.

use std::sync::LazyLock;

/// Bound of [`SMALL_PRIMES`].
pub(super) const SMALL_BOUND: u32 = 1 << 16;

/// The 6,542 primes below 65,536.
pub(super) static SMALL_PRIMES: LazyLock<Vec<u32>> = LazyLock::new(|| primes_below(SMALL_BOUND));

/// The primes below a bound, by Eratosthenes' sieve over odd numbers; one byte for two numbers.
pub(super) fn primes_below(bound: u32) -> Vec<u32> {
    let half = (bound / 2) as usize;
    let mut is_composite = vec![false; half];
    let mut primes = Vec::new();
    if bound > 2 {
        primes.push(2);
    }
    for index in 1..half {
        if is_composite[index] {
            continue;
        }
        let prime = 2 * index + 1;
        primes.push(prime as u32);
        let mut multiple = prime.saturating_mul(prime) / 2;
        while multiple < half {
            is_composite[multiple] = true;
            multiple += prime;
        }
    }
    primes
}

/// The primes from `low` to `high`, both included and below 2^32: a sieve of that window alone, of one byte a number.
pub fn primes_between(low: u64, high: u64) -> Vec<u64> {
    let (low, high) = (low.max(2), high.min(u64::from(u32::MAX)));
    if low > high {
        return Vec::new();
    }
    let mut is_composite = vec![false; (high - low + 1) as usize];
    for prime in SMALL_PRIMES.iter().map(|prime| u64::from(*prime)) {
        if prime * prime > high {
            break;
        }
        let mut multiple = (low.div_ceil(prime) * prime).max(prime * prime);
        while multiple <= high {
            is_composite[(multiple - low) as usize] = true;
            multiple += prime;
        }
    }
    (low..=high)
        .zip(is_composite)
        .filter_map(|(number, composite)| (!composite).then_some(number))
        .collect()
}
