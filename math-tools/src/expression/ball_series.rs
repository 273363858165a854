//! The error and the gamma function of balls, by series of positive terms.

use num_bigint::BigInt;

use super::ball::{Ball, BallArithmetic, BallResult};
use super::fault::EvaluationFault;
use super::magnitude::ErrorMagnitude;
use super::rational::Rational;

/// Most bits for which Stirling's series is quicker than what else there is.
const STIRLING_BITS_MAX: usize = 2048;

/// The Bernoulli numbers B2, B4, ... over `2k (2k - 1)`: the coefficients of Stirling's series, as many as [`STIRLING_BITS_MAX`] takes, by
/// the tangent numbers (R. P. Brent and D. Harvey, "Fast computation of Bernoulli, tangent and secant numbers", 2013).
fn stirling_coefficients(count: usize) -> Vec<Rational> {
    let mut tangents = vec![BigInt::from(1)];
    for k in 1..count {
        let next = &tangents[k - 1] * k;
        tangents.push(next);
    }
    for k in 1..count {
        for j in k..count {
            let next = &tangents[j - 1] * (j - k) + &tangents[j] * (j - k + 2);
            tangents[j] = next;
        }
    }
    let coefficient = |(index, tangent): (usize, BigInt)| {
        // B(2k) = (-1)^(k - 1) 2k T(k) / (4^k (4^k - 1))
        let k = index + 1;
        let power = BigInt::from(1) << (2 * k);
        let over = &power * (&power - 1) * (2 * k - 1);
        let sign = if k % 2 == 1 { 1 } else { -1 };
        Rational::quotient(tangent * sign, over)
    };
    tangents.into_iter().enumerate().map(coefficient).collect()
}

impl BallArithmetic<'_> {
    /// Whether [`Self::ln_gamma`] has a value for positive numbers.
    pub(super) fn has_stirling(&self) -> bool {
        self.bits <= STIRLING_BITS_MAX
    }

    /// The logarithm of the gamma function of a positive number: Stirling's series after a shift to where as many terms as there are
    /// give the precision (NIST DLMF 5.11.1; the rest is below the first term that is left out, 5.11(ii)). `None` for others.
    pub(super) fn ln_gamma(&mut self, x: &Ball) -> Result<Option<Ball>, EvaluationFault> {
        // With 2 k = bits / 4 terms and x = bits / 4 the rest is below exp(-0.7 bits) (A&S 6.1.40 with (2 k)! / (2 pi x)^(2 k)).
        static COEFFICIENTS: std::sync::Mutex<Vec<Rational>> = std::sync::Mutex::new(Vec::new());
        if !self.has_stirling() || x.sign()? <= 0 {
            return Ok(None);
        }
        let least = self.bits as f64 / 4.0 + 8.0;
        let terms = self.bits / 8 + 4;
        let coefficients = {
            let mut known = COEFFICIENTS.lock().unwrap_or_else(|err| err.into_inner());
            if known.len() <= terms {
                *known = stirling_coefficients(terms + 1);
            }
            known[..=terms].to_vec()
        };
        let one = self.small(1);
        let (mut at, mut product) = (self.cut(x), None);
        while at.magnitude().to_f64_up() < least {
            self.check_stop()?;
            product = Some(match product {
                Some(product) => self.mul(&product, &at)?,
                None => at.clone(),
            });
            at = self.add(&at, &one)?;
        }
        // (x - 1/2) ln(x) - x + ln(2 pi) / 2
        let ln = self.ln(&at)?;
        let half = self.div(&one, &self.small(2))?;
        let less = self.sub(&at, &half)?;
        let leading = self.mul(&less, &ln)?;
        let leading = self.sub(&leading, &at)?;
        let pi = self.pi()?;
        let twice = self.mul(&pi, &self.small(2))?;
        let constant = self.ln(&twice)?;
        let constant = self.mul(&constant, &half)?;
        let mut sum = self.add(&leading, &constant)?;
        let mut power = self.div(&one, &at)?;
        let square = self.mul(&power, &power)?;
        for (index, coefficient) in coefficients.iter().enumerate() {
            self.check_stop()?;
            let coefficient = self.rational(coefficient)?;
            let term = self.mul(&coefficient, &power)?;
            let is_last = index == terms
                || term.magnitude().exponent() + (self.bits as i64) + 8
                    < sum.magnitude().exponent();
            if is_last {
                sum.radius = sum.radius.add(term.magnitude());
                break;
            }
            sum = self.add(&sum, &term)?;
            power = self.mul(&power, &square)?;
        }
        match product {
            Some(product) => {
                let shift = self.ln(&product)?;
                self.sub(&sum, &shift).map(Some)
            }
            None => Ok(Some(sum)),
        }
    }

    /// `2 / sqrt(pi) exp(-x^2)` times the sum of `2^k x^(2k + 1) / (2k + 1)!!` (NIST DLMF 7.6.2), whose terms are positive.
    pub(super) fn erf(&mut self, x: &Ball) -> BallResult {
        const MAGNITUDE_MAX: i64 = 8; // 2^8 takes 2^16 terms and more
        if x.magnitude().exponent() >= MAGNITUDE_MAX {
            return Err(EvaluationFault::Argument);
        }
        if x.middle.is_zero() && x.radius.is_zero() {
            return Ok(x.clone());
        }
        let square = self.mul(x, x)?;
        let twice = self.mul(&square, &self.small(2))?;
        let (mut sum, mut term) = (x.clone(), x.clone());
        let mut k = 1_i32;
        loop {
            self.check_stop()?;
            let product = self.mul(&term, &twice)?;
            term = self.div(&product, &self.small(2 * k + 1))?;
            sum = self.add(&sum, &term)?;
            // The rest is a falling geometric series once 2 x^2 < k.
            let falls = square.magnitude().exponent() + 2 < 31
                && f64::from(k) > 4.0 * square.magnitude().to_f64_up();
            if falls && term.magnitude().exponent() < sum.magnitude().exponent() - self.bits as i64
            {
                sum.radius = sum
                    .radius
                    .add(term.magnitude().mul(ErrorMagnitude::power_of_two(1)));
                break;
            }
            k += 1;
        }
        let negative = Ball {
            middle: square.middle.neg(),
            radius: square.radius,
        };
        let decay = self.exp(&negative)?;
        let pi = self.pi()?;
        let root = self.sqrt(&pi)?;
        let factor = self.div(&decay, &root)?;
        let factor = self.mul(&factor, &self.small(2))?;
        self.mul(&factor, &sum)
    }

    /// The gamma function: moved into [1, 2] by its recurrence, there the incomplete one up to an N beyond which less than the last bit is
    /// left (NIST DLMF 8.7.1; R. P. Brent, "A Fortran multiple-precision arithmetic package", ACM TOMS 4, 1978).
    pub(super) fn gamma(&mut self, x: &Ball) -> BallResult {
        const MAGNITUDE_MAX: i64 = 14;
        if x.magnitude().exponent() >= MAGNITUDE_MAX {
            return Err(EvaluationFault::Argument);
        }
        let whole = self.floor_integer(x)?;
        if x.radius.is_zero() && x.middle.is_int() && whole.sign() != num_bigint::Sign::Plus {
            return Err(EvaluationFault::Domain); // a pole
        }
        let steps = i64::try_from(&whole).map_err(|_| EvaluationFault::Argument)? - 1;
        let shift = self.whole_ball(&BigInt::from(steps));
        let base = self.sub(x, &shift)?; // in [1, 2]
        let mut value = self.gamma_near_one(&base)?;
        let mut factor = if steps >= 0 { base } else { x.clone() };
        for _ in 0..steps.unsigned_abs() {
            self.check_stop()?;
            value = if steps > 0 {
                self.mul(&value, &factor)?
            } else {
                self.div(&value, &factor)?
            };
            factor = self.add(&factor, &self.small(1))?;
        }
        Ok(value)
    }

    fn gamma_near_one(&mut self, x: &Ball) -> BallResult {
        // The upper part is below N exp(-N).
        let limit = (self.bits as f64 * std::f64::consts::LN_2 + 40.0).ceil() as i32;
        let n = self.small(limit);
        let one = self.small(1);
        let mut term = self.div(&one, x)?;
        let mut sum = term.clone();
        let mut below = x.clone();
        let mut k = 0_i32;
        loop {
            self.check_stop()?;
            below = self.add(&below, &one)?;
            let product = self.mul(&term, &n)?;
            term = self.div(&product, &below)?;
            sum = self.add(&sum, &term)?;
            k += 1;
            if k > 2 * limit
                && term.magnitude().exponent() < sum.magnitude().exponent() - self.bits as i64 - 8
            {
                sum.radius = sum
                    .radius
                    .add(term.magnitude().mul(ErrorMagnitude::power_of_two(1)));
                break;
            }
        }
        let ln = self.ln(&n)?;
        let exponent = self.mul(x, &ln)?;
        let exponent = self.sub(&exponent, &n)?;
        let factor = self.exp(&exponent)?;
        let mut value = self.mul(&factor, &sum)?;
        let rest = f64::from(limit) * 2.0;
        let decay = (-(f64::from(limit)) * std::f64::consts::LOG2_E).ceil() as i64;
        value.radius = value.radius.add(ErrorMagnitude::new(rest, decay));
        Ok(value)
    }
}
