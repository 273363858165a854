//! Arithmetic modulo an odd number of a fixed number of words (Montgomery 1985; the loop of Koc, Acar and Kaliski 1996, `CIOS`).

use num_bigint::BigUint;

/// A residue in Montgomery's form, the lowest word first.
pub(super) type Residue<const N: usize> = [u64; N];

/// An odd modulus of at most `N` words.
#[derive(Debug, Clone)]
pub(super) struct MontgomeryRing<const N: usize> {
    modulus: Residue<N>,
    /// `-1 / modulus` modulo 2^64.
    inverse: u64,
    /// The residue 1.
    pub(super) one: Residue<N>,
    /// `2^(128 N)` modulo the modulus.
    square: Residue<N>,
}

fn words<const N: usize>(number: &BigUint) -> Residue<N> {
    let mut out = [0; N];
    for (slot, digit) in out.iter_mut().zip(number.iter_u64_digits()) {
        *slot = digit;
    }
    out
}

fn is_less<const N: usize>(a: &Residue<N>, b: &Residue<N>) -> bool {
    a.iter().rev().lt(b.iter().rev())
}

/// `a - b` modulo 2^(64 N).
fn subtract_words<const N: usize>(a: &Residue<N>, b: &Residue<N>) -> Residue<N> {
    let mut out = [0; N];
    let mut borrow = false;
    for index in 0..N {
        let (first, under) = a[index].overflowing_sub(b[index]);
        let (second, below) = first.overflowing_sub(u64::from(borrow));
        out[index] = second;
        borrow = under || below;
    }
    out
}

impl<const N: usize> MontgomeryRing<N> {
    /// The ring of an odd modulus above 1 of at most `N` words.
    pub(super) fn new(modulus: &BigUint) -> Self {
        let low = modulus.iter_u64_digits().next().unwrap_or(1);
        // Newton's iteration doubles the correct bits, of which the first value has three.
        let mut inverse = low;
        for _ in 0..6 {
            inverse = inverse.wrapping_mul(2_u64.wrapping_sub(low.wrapping_mul(inverse)));
        }
        let radix = BigUint::from(1_u8) << (64 * N);
        let one = &radix % modulus;
        let square = (&one * &one) % modulus;
        Self {
            modulus: words(modulus),
            inverse: inverse.wrapping_neg(),
            one: words(&one),
            square: words(&square),
        }
    }

    /// Products of words that one multiplication costs.
    pub(super) const COST: u64 = 2 * (N as u64) * (N as u64) + 4;

    /// A number in Montgomery's form.
    pub(super) fn enter(&self, number: u64) -> Residue<N> {
        let mut plain = [0; N];
        plain[0] = number;
        if N == 1 {
            plain[0] %= self.modulus[0];
        }
        self.mul(&plain, &self.square)
    }

    /// The number of a residue.
    pub(super) fn leave(&self, residue: &Residue<N>) -> BigUint {
        let mut unit = [0; N];
        unit[0] = 1;
        let plain = self.mul(residue, &unit);
        let digits = plain
            .iter()
            .flat_map(|word| [*word as u32, (*word >> 32) as u32]);
        BigUint::new(digits.collect())
    }

    #[inline]
    pub(super) fn mul(&self, a: &Residue<N>, b: &Residue<N>) -> Residue<N> {
        let mut sum = [0_u64; N];
        let mut high = 0_u64;
        for &factor in a {
            let mut carry = 0_u64;
            for index in 0..N {
                let product = u128::from(factor) * u128::from(b[index])
                    + u128::from(sum[index])
                    + u128::from(carry);
                sum[index] = product as u64;
                carry = (product >> 64) as u64;
            }
            let (top, over) = high.overflowing_add(carry);
            let multiple = sum[0].wrapping_mul(self.inverse);
            let first = u128::from(multiple) * u128::from(self.modulus[0]) + u128::from(sum[0]);
            let mut carry = (first >> 64) as u64;
            for index in 1..N {
                let product = u128::from(multiple) * u128::from(self.modulus[index])
                    + u128::from(sum[index])
                    + u128::from(carry);
                sum[index - 1] = product as u64;
                carry = (product >> 64) as u64;
            }
            let (last, above) = top.overflowing_add(carry);
            sum[N - 1] = last;
            high = u64::from(over) + u64::from(above);
        }
        match high != 0 || !is_less(&sum, &self.modulus) {
            true => subtract_words(&sum, &self.modulus),
            false => sum,
        }
    }

    #[inline]
    pub(super) fn add(&self, a: &Residue<N>, b: &Residue<N>) -> Residue<N> {
        let mut sum = [0; N];
        let mut carry = false;
        for index in 0..N {
            let (first, over) = a[index].overflowing_add(b[index]);
            let (second, above) = first.overflowing_add(u64::from(carry));
            sum[index] = second;
            carry = over || above;
        }
        match carry || !is_less(&sum, &self.modulus) {
            true => subtract_words(&sum, &self.modulus),
            false => sum,
        }
    }

    #[inline]
    pub(super) fn sub(&self, a: &Residue<N>, b: &Residue<N>) -> Residue<N> {
        let difference = subtract_words(a, b);
        if !is_less(a, b) {
            return difference;
        }
        // Below zero by less than the modulus: the words of the modulus added wrap around.
        let mut sum = [0; N];
        let mut carry = false;
        for index in 0..N {
            let (first, over) = difference[index].overflowing_add(self.modulus[index]);
            let (second, above) = first.overflowing_add(u64::from(carry));
            sum[index] = second;
            carry = over || above;
        }
        sum
    }

    /// A power with an exponent of one word.
    pub(super) fn power(&self, base: &Residue<N>, exponent: u64) -> Residue<N> {
        let mut result = self.one;
        for bit in (0..64 - exponent.leading_zeros()).rev() {
            result = self.mul(&result, &result);
            if exponent >> bit & 1 == 1 {
                result = self.mul(&result, base);
            }
        }
        result
    }
}
