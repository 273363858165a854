//! Counts of arrangements: factorials and their quotients, Stirling's and Euler's triangles.

use num_bigint::{BigInt, BigUint, Sign};
use num_traits::{One as _, Zero as _};

/// The product of the integers from `low` to `high`, by halves, so that factors are of one length; 1 where there are none.
pub(super) fn product_of_range(low: u64, high: u64) -> BigUint {
    if low > high {
        return BigUint::one();
    }
    if high - low < 8 {
        return (low..=high).map(BigUint::from).product();
    }
    let middle = low + (high - low) / 2;
    product_of_range(low, middle) * product_of_range(middle + 1, high)
}

/// `n!`.
pub fn factorial(n: u64) -> BigUint {
    product_of_range(2, n)
}

/// Ordered choices of `k` of `n` without repetition: `n! / (n - k)!`.
pub fn count_permutations(n: u64, k: u64) -> BigUint {
    match k > n {
        true => BigUint::zero(),
        false => product_of_range(n - k + 1, n),
    }
}

/// Choices of `k` of `n`: `n! / (k! (n - k)!)`.
pub fn binomial(n: u64, k: u64) -> BigUint {
    if k > n {
        return BigUint::zero();
    }
    let k = k.min(n - k);
    count_permutations(n, k) / factorial(k)
}

/// Choices of `k` of `n` with repetition; for `n = 0` one of nothing.
pub fn count_multisets(n: u64, k: u64) -> BigUint {
    match n {
        0 => BigUint::from(u8::from(k == 0)),
        _ => binomial(n + k - 1, k),
    }
}

/// `(k1 + k2 + ...)! / (k1! k2! ...)`, as a product of binomials.
pub fn multinomial(parts: &[u64]) -> BigUint {
    let mut sum = 0;
    let each = parts.iter().map(|part| {
        sum += part;
        binomial(sum, *part)
    });
    each.product()
}

/// Permutations of `n` that leave no item in its place: `d(n) = n d(n-1) + (-1)^n`.
pub fn count_derangements(n: u64) -> BigUint {
    let mut count = BigInt::one();
    for k in 1..=n {
        let sign = if k % 2 == 0 { 1 } else { -1 };
        count = count * k + sign;
    }
    count.to_biguint().unwrap_or_default()
}

/// Unsigned Stirling number of the first kind: permutations of `n` with `k` cycles, by `c(n, k) = c(n-1, k-1) + (n-1) c(n-1, k)`.
pub fn stirling_first(n: u64, k: u64) -> BigUint {
    triangle(n, k, |before, last, n, _| before + last * (n - 1))
}

/// Stirling number of the second kind: divisions of `n` items into `k` sets, by `S(n, k) = S(n-1, k-1) + k S(n-1, k)`.
pub fn stirling_second(n: u64, k: u64) -> BigUint {
    triangle(n, k, |before, last, _, k| before + last * k)
}

/// The last entry of a triangle whose rows follow from those above; `n k` steps.
fn triangle(n: u64, k: u64, next: impl Fn(&BigUint, &BigUint, u64, u64) -> BigUint) -> BigUint {
    if k > n {
        return BigUint::zero();
    }
    let width = usize::try_from(k).unwrap_or(usize::MAX);
    let mut row = vec![BigUint::zero(); width + 1];
    row[0] = BigUint::one();
    for step in 1..=n {
        for column in (1..=width).rev() {
            row[column] = next(&row[column - 1], &row[column], step, column as u64);
        }
        row[0] = BigUint::zero();
    }
    row[width].clone()
}

/// Eulerian number: permutations of `n` with `k` ascents, by Worpitzky's sum.
pub fn eulerian_number(n: u64, k: u64) -> BigUint {
    if n == 0 {
        return BigUint::from(u8::from(k == 0));
    }
    if k >= n {
        return BigUint::zero();
    }
    let power = u32::try_from(n).unwrap_or(u32::MAX);
    let mut sum = BigInt::zero();
    for j in 0..=k {
        let sign = if j % 2 == 0 { Sign::Plus } else { Sign::Minus };
        let term = binomial(n + 1, j) * BigUint::from(k + 1 - j).pow(power);
        sum += BigInt::from_biguint(sign, term);
    }
    sum.to_biguint().unwrap_or_default()
}
