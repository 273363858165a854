//! Lenstra's method of elliptic curves (1987), on curves of Montgomery (1987) with Suyama's parameters.
//!
//! The second stage is the standard continuation (Crandall and Pomerance, Prime Numbers, algorithm 7.4.4).

use num_bigint::BigUint;
use num_traits::One as _;

use super::modular::{greatest_common_divisor, invert_modulo};
use super::montgomery::{MontgomeryRing, Residue};
use super::sieve::primes_below;
use super::work::{WorkBudget, WorkEnd};

/// Span of a giant step of the second stage: 2 * 3 * 5 * 7 * 11.
const SPAN: usize = 2310;

/// Bounds of the second stage as a multiple of those of the first.
const SECOND_STAGE: u32 = 60;

/// A point with its coordinate X : Z.
#[derive(Debug, Clone, Copy)]
struct CurvePoint<const N: usize> {
    x: Residue<N>,
    z: Residue<N>,
}

/// A curve `B y^2 = x^3 + A x^2 + x` modulo a number, by `(A + 2) / 4`.
struct MontgomeryCurve<'a, const N: usize> {
    ring: &'a MontgomeryRing<N>,
    quarter: Residue<N>,
}

impl<const N: usize> MontgomeryCurve<'_, N> {
    fn double(&self, point: &CurvePoint<N>) -> CurvePoint<N> {
        let ring = self.ring;
        let sum = ring.add(&point.x, &point.z);
        let difference = ring.sub(&point.x, &point.z);
        let (sum, difference) = (ring.mul(&sum, &sum), ring.mul(&difference, &difference));
        let gap = ring.sub(&sum, &difference);
        CurvePoint {
            x: ring.mul(&sum, &difference),
            z: ring.mul(&gap, &ring.add(&difference, &ring.mul(&self.quarter, &gap))),
        }
    }

    /// The sum of two points whose difference is known.
    fn add(
        &self,
        a: &CurvePoint<N>,
        b: &CurvePoint<N>,
        difference: &CurvePoint<N>,
    ) -> CurvePoint<N> {
        let ring = self.ring;
        let first = ring.mul(&ring.sub(&a.x, &a.z), &ring.add(&b.x, &b.z));
        let second = ring.mul(&ring.add(&a.x, &a.z), &ring.sub(&b.x, &b.z));
        let (sum, gap) = (ring.add(&first, &second), ring.sub(&first, &second));
        CurvePoint {
            x: ring.mul(&difference.z, &ring.mul(&sum, &sum)),
            z: ring.mul(&difference.x, &ring.mul(&gap, &gap)),
        }
    }

    /// A multiple by Montgomery's ladder.
    fn multiply(&self, point: &CurvePoint<N>, factor: u64) -> CurvePoint<N> {
        if factor == 1 {
            return *point;
        }
        let (mut low, mut high) = (*point, self.double(point));
        for bit in (0..63 - factor.leading_zeros()).rev() {
            let sum = self.add(&low, &high, point);
            match factor >> bit & 1 {
                1 => {
                    high = self.double(&high);
                    low = sum;
                }
                _ => {
                    low = self.double(&low);
                    high = sum;
                }
            }
        }
        low
    }
}

/// What the curve of a parameter gives before any step.
enum CurveStart<const N: usize> {
    Curve(Residue<N>, CurvePoint<N>),
    /// Its construction met a factor.
    Factor(BigUint),
    Degenerate,
}

/// Suyama's curve of a parameter, with a point; its order is a multiple of 12.
fn start_curve<const N: usize>(ring: &MontgomeryRing<N>, n: &BigUint, sigma: u64) -> CurveStart<N> {
    let sigma = ring.enter(sigma);
    let u = ring.sub(&ring.mul(&sigma, &sigma), &ring.enter(5));
    let v = ring.mul(&ring.enter(4), &sigma);
    let cube = |a: &Residue<N>| ring.mul(a, &ring.mul(a, a));
    let (u_cube, v_cube) = (cube(&u), cube(&v));
    let gap = cube(&ring.sub(&v, &u));
    let ends = ring.add(&ring.mul(&ring.enter(3), &u), &v);
    // (A + 2) / 4 = (v - u)^3 (3 u + v) / (16 u^3 v).
    let denominator = ring.mul(&ring.enter(16), &ring.mul(&u_cube, &v));
    let plain = ring.leave(&denominator);
    let Some(inverse) = invert_modulo(&plain, n) else {
        let divisor = greatest_common_divisor(&plain, n);
        return match divisor.is_one() || divisor == *n {
            true => CurveStart::Degenerate,
            false => CurveStart::Factor(divisor),
        };
    };
    let inverse = enter_large(ring, &inverse);
    let quarter = ring.mul(&ring.mul(&gap, &ends), &inverse);
    CurveStart::Curve(
        quarter,
        CurvePoint {
            x: u_cube,
            z: v_cube,
        },
    )
}

/// A number of several words in Montgomery's form.
fn enter_large<const N: usize>(ring: &MontgomeryRing<N>, number: &BigUint) -> Residue<N> {
    let radix = ring.power(&ring.enter(1 << 32), 2);
    let digits: Vec<u64> = number.iter_u64_digits().collect();
    let zero = ring.sub(&ring.one, &ring.one);
    digits.iter().rev().fold(zero, |sum, digit| {
        let (high, low) = (digit >> 32, digit & 0xFFFF_FFFF);
        let half = ring.mul(&ring.enter(high), &ring.enter(1 << 32));
        ring.add(&ring.mul(&sum, &radix), &ring.add(&half, &ring.enter(low)))
    })
}

/// The primes of both stages, made once for all curves of one bound.
pub(super) struct CurveBounds {
    bound: u32,
    primes: Vec<u32>,
}

impl CurveBounds {
    pub(super) fn new(bound: u32) -> Self {
        Self {
            bound,
            primes: primes_below(bound.saturating_mul(SECOND_STAGE)),
        }
    }
}

/// A proper factor, if the curve of a parameter (at least 6) has one.
pub(super) fn search_curve<const N: usize>(
    n: &BigUint,
    sigma: u64,
    bounds: &CurveBounds,
    work: &mut WorkBudget<'_>,
) -> Result<Option<BigUint>, WorkEnd> {
    let ring = MontgomeryRing::<N>::new(n);
    let (quarter, mut point) = match start_curve(&ring, n, sigma) {
        CurveStart::Curve(quarter, point) => (quarter, point),
        CurveStart::Factor(factor) => return Ok(Some(factor)),
        CurveStart::Degenerate => return Ok(None),
    };
    let curve = MontgomeryCurve {
        ring: &ring,
        quarter,
    };
    let first = bounds.primes.partition_point(|prime| *prime < bounds.bound);
    for chunk in bounds.primes[..first].chunks(64) {
        let mut bits = 0;
        for &prime in chunk {
            let mut power = u64::from(prime);
            while power * u64::from(prime) <= u64::from(bounds.bound) {
                power *= u64::from(prime);
            }
            bits += u64::from(64 - power.leading_zeros());
            point = curve.multiply(&point, power);
        }
        work.spend(11 * bits * MontgomeryRing::<N>::COST)?;
    }
    let divisor = greatest_common_divisor(&ring.leave(&point.z), n);
    if !divisor.is_one() {
        return Ok((divisor != *n).then_some(divisor));
    }
    search_second_stage(&curve, n, &point, &bounds.primes[first..], work)
}

/// One prime beyond the first bound: giant steps of [`SPAN`], and baby steps to the residues prime to it.
fn search_second_stage<const N: usize>(
    curve: &MontgomeryCurve<'_, N>,
    n: &BigUint,
    point: &CurvePoint<N>,
    primes: &[u32],
    work: &mut WorkBudget<'_>,
) -> Result<Option<BigUint>, WorkEnd> {
    let ring = curve.ring;
    let Some(&start) = primes.first() else {
        return Ok(None);
    };
    // Odd multiples up to half a span: 1, 3, 5, ...
    let double = curve.double(point);
    let mut odd = vec![*point, curve.add(point, &double, point)];
    while odd.len() * 2 < SPAN / 2 + 2 {
        let last = odd.len() - 1;
        odd.push(curve.add(&odd[last], &double, &odd[last - 1]));
    }
    let stride = curve.multiply(point, SPAN as u64);
    let mut step = (start as usize + SPAN / 2) / SPAN;
    let mut centre = curve.multiply(&stride, step.max(1) as u64);
    let mut before = match step {
        0 | 1 => stride,
        _ => curve.multiply(&stride, step as u64 - 1),
    };
    step = step.max(1);
    work.spend((odd.len() as u64 * 6 + 600) * MontgomeryRing::<N>::COST)?;
    let mut product = ring.one;
    for chunk in primes.chunks(1024) {
        for &prime in chunk {
            let prime = prime as usize;
            while prime > step * SPAN + SPAN / 2 {
                let next = match step {
                    1 => curve.double(&stride),
                    _ => curve.add(&centre, &stride, &before),
                };
                before = centre;
                centre = next;
                step += 1;
            }
            let offset = prime.abs_diff(step * SPAN);
            if offset.is_multiple_of(2) {
                continue;
            }
            let Some(baby) = odd.get(offset / 2) else {
                continue;
            };
            let cross = ring.sub(&ring.mul(&centre.x, &baby.z), &ring.mul(&baby.x, &centre.z));
            product = ring.mul(&product, &cross);
        }
        work.spend(chunk.len() as u64 * 4 * MontgomeryRing::<N>::COST)?;
    }
    let divisor = greatest_common_divisor(&ring.leave(&product), n);
    Ok((!divisor.is_one() && divisor != *n).then_some(divisor))
}
