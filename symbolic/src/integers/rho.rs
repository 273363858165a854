//! Pollard's rho in the form of Brent (1980), and Pollard's p - 1 (1974).

use num_bigint::BigUint;
use num_traits::One as _;

use super::modular::greatest_common_divisor;
use super::montgomery::MontgomeryRing;
use super::sieve::primes_below;
use super::work::{WorkBudget, WorkEnd};

/// Differences multiplied together before a greatest common divisor is taken.
const BATCH: u64 = 128;

/// A proper factor, if one is found within `steps` iterations of `x^2 + constant`.
pub(super) fn search_rho<const N: usize>(
    n: &BigUint,
    constant: u64,
    steps: u64,
    work: &mut WorkBudget<'_>,
) -> Result<Option<BigUint>, WorkEnd> {
    let ring = MontgomeryRing::<N>::new(n);
    let shift = ring.enter(constant);
    let step = |x: &[u64; N]| ring.add(&ring.mul(x, x), &shift);
    let mut y = ring.enter(2);
    let mut length = 1_u64;
    let mut done = 0_u64;
    while done < steps {
        let x = y;
        for _ in 0..length {
            y = step(&y);
        }
        let mut walked = 0;
        while walked < length && done < steps {
            let start = y;
            let count = BATCH.min(length - walked);
            let mut product = ring.one;
            for _ in 0..count {
                y = step(&y);
                product = ring.mul(&product, &ring.sub(&x, &y));
            }
            work.spend(3 * count * MontgomeryRing::<N>::COST)?;
            let divisor = greatest_common_divisor(&ring.leave(&product), n);
            if !divisor.is_one() {
                if divisor != *n {
                    return Ok(Some(divisor));
                }
                return Ok(search_batch_again(&ring, n, &x, start, count, &step));
            }
            walked += count;
            done += count;
        }
        length *= 2;
    }
    Ok(None)
}

/// A batch whose product has every factor, difference by difference.
fn search_batch_again<const N: usize>(
    ring: &MontgomeryRing<N>,
    n: &BigUint,
    x: &[u64; N],
    start: [u64; N],
    count: u64,
    step: &impl Fn(&[u64; N]) -> [u64; N],
) -> Option<BigUint> {
    let mut y = start;
    for _ in 0..count {
        y = step(&y);
        let divisor = greatest_common_divisor(&ring.leave(&ring.sub(x, &y)), n);
        if !divisor.is_one() {
            return (divisor != *n).then_some(divisor);
        }
    }
    None
}

/// A proper factor `p` where `p - 1` has no prime power above `bound` but for one prime below `50 bound`.
pub(super) fn search_p_minus_one<const N: usize>(
    n: &BigUint,
    bound: u32,
    work: &mut WorkBudget<'_>,
) -> Result<Option<BigUint>, WorkEnd> {
    let ring = MontgomeryRing::<N>::new(n);
    let primes = primes_below(bound.saturating_mul(50));
    let mut power = ring.enter(3);
    let found = |residue: &[u64; N]| {
        let divisor = greatest_common_divisor(&ring.leave(&ring.sub(residue, &ring.one)), n);
        (!divisor.is_one() && divisor != *n).then_some(divisor)
    };
    let first = primes.partition_point(|prime| *prime < bound);
    for chunk in primes[..first].chunks(256) {
        for &prime in chunk {
            let mut exponent = u64::from(prime);
            while exponent * u64::from(prime) <= u64::from(bound) {
                exponent *= u64::from(prime);
            }
            power = ring.power(&power, exponent);
        }
        work.spend(chunk.len() as u64 * 25 * MontgomeryRing::<N>::COST)?;
        if let Some(divisor) = found(&power) {
            return Ok(Some(divisor));
        }
    }
    // Second stage: from one prime to the next by the power of their gap.
    const GAPS: usize = 200;
    let mut gap_powers = vec![ring.one];
    let square = ring.mul(&power, &power);
    for index in 1..GAPS {
        gap_powers.push(ring.mul(&gap_powers[index - 1], &square));
    }
    let Some(&start) = primes.get(first) else {
        return Ok(None);
    };
    let mut current = ring.power(&power, u64::from(start));
    let mut product = ring.sub(&current, &ring.one);
    for window in primes[first..].windows(2).collect::<Vec<_>>().chunks(1024) {
        for pair in window {
            let half = ((pair[1] - pair[0]) / 2) as usize;
            current = match gap_powers.get(half) {
                Some(gap) => ring.mul(&current, gap),
                None => ring.mul(&current, &ring.power(&square, half as u64)),
            };
            product = ring.mul(&product, &ring.sub(&current, &ring.one));
        }
        work.spend(window.len() as u64 * 2 * MontgomeryRing::<N>::COST)?;
    }
    let divisor = greatest_common_divisor(&ring.leave(&product), n);
    Ok((!divisor.is_one() && divisor != *n).then_some(divisor))
}
