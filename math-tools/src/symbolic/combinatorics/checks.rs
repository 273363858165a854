//! Second computations of counts, most of them modulo a prime of a word.

use num_bigint::{BigInt, BigUint};
use num_traits::{One as _, Zero as _};

/// The prime of the second computations.
const CHECK_PRIME: u64 = (1 << 61) - 1;

/// The sum modulo the prime.
pub(super) fn add_modulo(a: u64, b: u64) -> u64 {
    (a + b) % CHECK_PRIME
}

fn multiply_modulo(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b) % u128::from(CHECK_PRIME);
    u64::try_from(product).unwrap_or(0)
}

/// A count modulo the prime.
pub(super) fn remainder_of(value: &BigUint) -> u64 {
    let rest = value % CHECK_PRIME;
    u64::try_from(rest).unwrap_or(0)
}

/// The coefficient of `x^k` in `x (x + 1) ... (x + n - 1)`.
pub(super) fn first_by_products(n: u64, k: u64) -> u64 {
    let mut coefficients = vec![1_u64];
    for shift in 0..n {
        coefficients.push(0);
        for index in (0..coefficients.len()).rev() {
            let below = if index > 0 {
                coefficients[index - 1]
            } else {
                0
            };
            coefficients[index] = add_modulo(below, multiply_modulo(shift, coefficients[index]));
        }
    }
    let place = usize::try_from(k).unwrap_or(usize::MAX);
    coefficients.get(place).copied().unwrap_or(0)
}

/// Maps of `n` items onto `k`: the sum of `(-1)^j C(k, j) (k - j)^n`.
pub(super) fn second_by_sum(n: u64, k: u64) -> BigInt {
    if k > n {
        return BigInt::zero();
    }
    let power = u32::try_from(n).unwrap_or(u32::MAX);
    let mut choose = BigUint::one();
    let mut sum = BigInt::zero();
    for j in 0..=k {
        let term = BigInt::from(&choose * BigUint::from(k - j).pow(power));
        match j % 2 {
            0 => sum += term,
            _ => sum -= term,
        }
        choose = choose * (k - j) / (j + 1);
    }
    sum
}

/// Stirling's numbers of the second kind of a row, modulo the prime.
pub(super) fn stirling_row(n: u64) -> Vec<u64> {
    let mut row = vec![0_u64; n as usize + 1];
    row[0] = 1;
    for at in 0..n as usize {
        for k in (0..=at + 1).rev() {
            let below = if k > 0 { row[k - 1] } else { 0 };
            row[k] = add_modulo(below, multiply_modulo(k as u64, row[k]));
        }
    }
    row
}

/// Derangements by `d(n) = (n - 1) (d(n-1) + d(n-2))`.
pub(super) fn derangements_modulo(n: u64) -> u64 {
    let (mut before, mut last) = (1_u64, 0_u64);
    if n == 0 {
        return 1;
    }
    for k in 2..=n {
        let next = multiply_modulo(k - 1, add_modulo(before, last));
        before = last;
        last = next;
    }
    last
}

/// Partitions by parts of one size after another; of `k` parts those whose largest part is `k`.
pub(super) fn partitions_by_sums(n: u64, k: Option<u64>) -> u64 {
    let size = usize::try_from(n).unwrap_or(usize::MAX);
    let most = k.map_or(size, |k| usize::try_from(k).unwrap_or(usize::MAX));
    let fill = |most: usize| {
        let mut ways = vec![0_u64; size + 1];
        ways[0] = 1;
        for part in 1..=most.min(size) {
            for sum in part..=size {
                ways[sum] = add_modulo(ways[sum], ways[sum - part]);
            }
        }
        ways[size]
    };
    let all = fill(most);
    match k {
        // Those of at most k parts less those of at most k - 1.
        Some(0) => u64::from(n == 0),
        Some(_) => add_modulo(all, CHECK_PRIME - fill(most - 1)),
        None => all,
    }
}

/// Euler's numbers vanish at odd places, alternate in sign, and are odd.
pub(super) fn euler_properties(n: u64, value: &BigInt) -> bool {
    match n % 4 {
        0 => *value > BigInt::zero() && value.bit(0),
        2 => *value < BigInt::zero() && value.bit(0),
        _ => value.is_zero(),
    }
}
