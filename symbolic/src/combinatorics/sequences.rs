//! Numbers with one index: of Fibonacci and Lucas, Catalan, Bell, Bernoulli, Euler.

use num_bigint::{BigInt, BigUint, Sign};
use num_rational::BigRational;
use num_traits::{One as _, Zero as _};

use super::counts::binomial;

/// The Fibonacci and the Lucas number of an index, by doubling: `F(2k) = F(k) (2 F(k+1) - F(k))`, `F(2k+1) = F(k)^2 + F(k+1)^2`.
pub fn fibonacci_and_lucas(n: u64) -> (BigUint, BigUint) {
    let (mut a, mut b) = (BigUint::zero(), BigUint::one());
    for bit in (0..64 - n.leading_zeros()).rev() {
        let even = &a * (2_u8 * &b - &a);
        let odd = &a * &a + &b * &b;
        (a, b) = match n >> bit & 1 {
            0 => (even, odd),
            _ => (odd.clone(), even + odd),
        };
    }
    let lucas = 2_u8 * &b - &a;
    (a, lucas)
}

/// `C(2n, n) / (n + 1)`: balanced parentheses, triangulations of polygons.
pub fn catalan_number(n: u64) -> BigUint {
    binomial(2 * n, n) / (n + 1)
}

/// Divisions of `n` items into sets, by the triangle of Aitken; `n^2 / 2` additions.
pub fn bell_number(n: u64) -> BigUint {
    let mut row = vec![BigUint::one()];
    for _ in 1..=n {
        let mut next = Vec::with_capacity(row.len() + 1);
        next.push(row.last().cloned().unwrap_or_default());
        for entry in &row {
            let sum = next.last().map(|last| last + entry).unwrap_or_default();
            next.push(sum);
        }
        row = next;
    }
    row.swap_remove(0)
}

/// Bernoulli's number with `B(1) = -1/2`, from the numbers of tangents (Brent and Harvey, Fast computation of Bernoulli, tangent and secant
/// numbers, 2013); `n^2 / 4` products by words.
pub fn bernoulli_number(n: u64) -> BigRational {
    match n {
        0 => return BigRational::one(),
        1 => return BigRational::new((-1).into(), 2.into()),
        odd if odd % 2 == 1 => return BigRational::zero(),
        _ => {}
    }
    let half = n / 2;
    let tangent = tangent_number(half);
    // B(2k) = (-1)^(k-1) 2k T(k) / (2^(2k) (2^(2k) - 1)).
    let power = BigInt::one() << n;
    let sign = if half % 2 == 1 {
        Sign::Plus
    } else {
        Sign::Minus
    };
    let numerator = BigInt::from_biguint(sign, tangent * n);
    BigRational::new(numerator, &power * (&power - 1))
}

/// The `k`-th coefficient of the tangent: 1, 2, 16, 272, ...
fn tangent_number(k: u64) -> BigUint {
    let count = usize::try_from(k).unwrap_or(usize::MAX);
    let mut row = vec![BigUint::one(); count + 1];
    for index in 2..=count {
        row[index] = &row[index - 1] * (index as u64 - 1);
    }
    for outer in 2..=count {
        for index in outer..=count {
            let gap = (index - outer) as u64;
            row[index] = &row[index - 1] * gap + &row[index] * (gap + 2);
        }
    }
    row.swap_remove(count)
}

/// Euler's number: coefficients of the hyperbolic secant, 1, 0, -1, 0, 5, 0, -61, ...; from the numbers of secants, as [`bernoulli_number`].
pub fn euler_number(n: u64) -> BigInt {
    if n % 2 == 1 {
        return BigInt::zero();
    }
    let count = usize::try_from(n / 2).unwrap_or(usize::MAX);
    let mut row = vec![BigUint::one(); count + 1];
    for index in 1..=count {
        row[index] = &row[index - 1] * (index as u64);
    }
    for outer in 1..=count {
        for index in outer + 1..=count {
            let gap = (index - outer) as u64;
            row[index] = &row[index - 1] * gap + &row[index] * (gap + 1);
        }
    }
    let sign = if count % 2 == 0 {
        Sign::Plus
    } else {
        Sign::Minus
    };
    BigInt::from_biguint(sign, row.swap_remove(count))
}
