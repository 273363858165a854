//! Polynomials over a field of a prime below 2^31, and their factors.

use crate::budget::{Budget, Outcome};

/// Coefficients from the constant term up; the last one is not zero.
pub(crate) type ModularPoly = Vec<u64>;

/// The field of residues of a prime.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ResidueField(pub u64);

impl ResidueField {
    pub(crate) fn mul(self, a: u64, b: u64) -> u64 {
        a * b % self.0
    }

    pub(crate) fn pow(self, mut base: u64, mut exponent: u64) -> u64 {
        let mut result = 1;
        while exponent > 0 {
            if exponent & 1 == 1 {
                result = self.mul(result, base);
            }
            base = self.mul(base, base);
            exponent >>= 1;
        }
        result
    }

    pub(crate) fn inverse(self, a: u64) -> u64 {
        self.pow(a, self.0 - 2)
    }

    fn trim(mut poly: ModularPoly) -> ModularPoly {
        while poly.last() == Some(&0) {
            poly.pop();
        }
        poly
    }

    pub(crate) fn sub_poly(self, a: &[u64], b: &[u64]) -> ModularPoly {
        let at = |poly: &[u64], place: usize| poly.get(place).copied().unwrap_or(0);
        Self::trim(
            (0..a.len().max(b.len()))
                .map(|place| (at(a, place) + self.0 - at(b, place)) % self.0)
                .collect(),
        )
    }

    pub(crate) fn mul_poly(self, a: &[u64], b: &[u64]) -> ModularPoly {
        if a.is_empty() || b.is_empty() {
            return Vec::new();
        }
        let mut product = vec![0; a.len() + b.len() - 1];
        for (i, x) in a.iter().enumerate() {
            for (j, y) in b.iter().enumerate() {
                product[i + j] = (product[i + j] + x * y) % self.0;
            }
        }
        Self::trim(product)
    }

    pub(crate) fn div_rem(self, a: &[u64], b: &[u64]) -> (ModularPoly, ModularPoly) {
        let mut rest = a.to_vec();
        if rest.len() < b.len() {
            return (Vec::new(), rest);
        }
        let inverse = self.inverse(b[b.len() - 1]);
        let mut quotient = vec![0; rest.len() + 1 - b.len()];
        for at in (0..quotient.len()).rev() {
            let factor = self.mul(rest[at + b.len() - 1], inverse);
            quotient[at] = factor;
            if factor != 0 {
                for (place, value) in b.iter().enumerate() {
                    rest[at + place] =
                        (rest[at + place] + self.0 * self.0 - factor * value) % self.0;
                }
            }
        }
        rest.truncate(b.len() - 1);
        (Self::trim(quotient), Self::trim(rest))
    }

    pub(crate) fn monic(self, poly: &[u64]) -> ModularPoly {
        match poly.last() {
            None => Vec::new(),
            Some(&leading) => {
                let inverse = self.inverse(leading);
                poly.iter().map(|&value| self.mul(value, inverse)).collect()
            }
        }
    }

    pub(crate) fn gcd(self, a: &[u64], b: &[u64]) -> ModularPoly {
        let (mut a, mut b) = (a.to_vec(), b.to_vec());
        while !b.is_empty() {
            let rest = self.div_rem(&a, &b).1;
            a = b;
            b = rest;
        }
        self.monic(&a)
    }

    /// `s` and `t` with `s*a + t*b = 1` for coprime polynomials.
    pub(crate) fn bezout(self, a: &[u64], b: &[u64]) -> (ModularPoly, ModularPoly) {
        let (mut r0, mut r1) = (a.to_vec(), b.to_vec());
        let (mut s0, mut s1): (ModularPoly, ModularPoly) = (vec![1], Vec::new());
        let (mut t0, mut t1): (ModularPoly, ModularPoly) = (Vec::new(), vec![1]);
        while !r1.is_empty() {
            let (quotient, rest) = self.div_rem(&r0, &r1);
            (r0, r1) = (r1, rest);
            let next = self.sub_poly(&s0, &self.mul_poly(&quotient, &s1));
            (s0, s1) = (s1, next);
            let next = self.sub_poly(&t0, &self.mul_poly(&quotient, &t1));
            (t0, t1) = (t1, next);
        }
        let inverse = r0.last().map_or(1, |&value| self.inverse(value));
        let scale =
            |poly: ModularPoly| poly.iter().map(|&value| self.mul(value, inverse)).collect();
        (scale(s0), scale(t0))
    }

    fn power_modulo(
        self,
        base: &[u64],
        exponent: &[u64],
        modulus: &[u64],
        budget: &Budget<'_>,
    ) -> Outcome<ModularPoly> {
        // The exponent is a list of factors: base^(e1*e2*...).
        let mut value = base.to_vec();
        for &factor in exponent {
            let mut result = vec![1];
            let mut square = value;
            let mut left = factor;
            while left > 0 {
                budget.spend(modulus.len() * modulus.len() / 4 + 1)?;
                if left & 1 == 1 {
                    result = self.div_rem(&self.mul_poly(&result, &square), modulus).1;
                }
                square = self.div_rem(&self.mul_poly(&square, &square), modulus).1;
                left >>= 1;
            }
            value = result;
        }
        Ok(value)
    }

    /// The irreducible factors of a monic square-free polynomial (D. Cantor and H. Zassenhaus, Math. Comp. 36, 1981).
    pub(crate) fn factors(self, poly: &[u64], budget: &Budget<'_>) -> Outcome<Vec<ModularPoly>> {
        let mut found = Vec::new();
        let mut rest = poly.to_vec();
        let mut power = vec![0, 1];
        let mut degree = 1;
        while rest.len() > 2 * degree {
            power = self.power_modulo(&power, &[self.0], &rest, budget)?;
            let difference = self.sub_poly(&power, &[0, 1]);
            let same = self.gcd(&rest, &difference);
            if same.len() > 1 {
                self.split_equal_degrees(&same, degree, &mut found, budget)?;
                rest = self.div_rem(&rest, &same).0;
                power = self.div_rem(&power, &rest).1;
            }
            degree += 1;
        }
        if rest.len() > 1 {
            found.push(self.monic(&rest));
        }
        Ok(found)
    }

    fn split_equal_degrees(
        self,
        poly: &[u64],
        degree: usize,
        found: &mut Vec<ModularPoly>,
        budget: &Budget<'_>,
    ) -> Outcome<()> {
        let mut open = vec![poly.to_vec()];
        let mut state = 0x2545_f491_4f6c_dd1du64;
        while let Some(product) = open.pop() {
            if product.len() == degree + 1 {
                found.push(product);
                continue;
            }
            loop {
                budget.spend(product.len())?;
                let trial: ModularPoly = (0..product.len() - 1)
                    .map(|_| {
                        state ^= state << 13;
                        state ^= state >> 7;
                        state ^= state << 17;
                        state % self.0
                    })
                    .collect();
                let trial = Self::trim(trial);
                if trial.len() < 2 {
                    continue;
                }
                // trial^((p^d - 1)/2) = (trial^(1 + p + ... + p^(d-1)))^((p - 1)/2).
                let mut norm = trial.clone();
                let mut frobenius = trial;
                for _ in 1..degree {
                    frobenius = self.power_modulo(&frobenius, &[self.0], &product, budget)?;
                    norm = self.div_rem(&self.mul_poly(&norm, &frobenius), &product).1;
                }
                let power = self.power_modulo(&norm, &[(self.0 - 1) / 2], &product, budget)?;
                let part = self.gcd(&product, &self.sub_poly(&power, &[1]));
                if part.len() > 1 && part.len() < product.len() {
                    open.push(self.div_rem(&product, &part).0);
                    open.push(part);
                    break;
                }
            }
        }
        Ok(())
    }
}
