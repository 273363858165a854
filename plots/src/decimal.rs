//! Round numbers of an axis as exact decimals: an integer times a power of ten.

/// `digits * 10^exponent`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ExactDecimal {
    pub(crate) digits: i64,
    pub(crate) exponent: i32,
}

impl ExactDecimal {
    /// The double nearest to it.
    pub(crate) fn value(self) -> f64 {
        format!("{}e{}", self.digits, self.exponent)
            .parse()
            .expect("an integer and an exponent make a number")
    }

    /// Without zeros at the end of the digits.
    fn trimmed(self) -> Self {
        let mut short = self;
        if short.digits == 0 {
            return Self {
                digits: 0,
                exponent: 0,
            };
        }
        while short.digits % 10 == 0 {
            short.digits /= 10;
            short.exponent += 1;
        }
        short
    }

    /// Exponent of the leading digit: 2 for 345.
    fn magnitude(self) -> i32 {
        match self.digits {
            0 => 0,
            digits => self.exponent + digits.unsigned_abs().ilog10() as i32,
        }
    }

    /// Digits after the point.
    fn places(self) -> i32 {
        (-self.trimmed().exponent).max(0)
    }

    /// With exactly so many digits after the point, and commas between thousands from 10,000 on.
    fn plain(self, places: i32) -> String {
        let trimmed = self.trimmed();
        let mut digits = trimmed.digits.unsigned_abs().to_string();
        let mut exponent = trimmed.exponent;
        while exponent > -places {
            digits.push('0');
            exponent -= 1;
        }
        let places = places as usize;
        while digits.len() <= places {
            digits.insert(0, '0');
        }
        let (whole, fraction) = digits.split_at(digits.len() - places);
        let sign = if self.digits < 0 { "−" } else { "" };
        let whole = if whole.len() > 4 {
            group_thousands(whole)
        } else {
            whole.to_owned()
        };
        match fraction {
            "" => format!("{sign}{whole}"),
            fraction => format!("{sign}{whole}.{fraction}"),
        }
    }

    /// `1.5×10⁷`, or `10⁷` where the digits are 1 and `bare` is true.
    fn scientific(self, bare: bool) -> String {
        if self.digits == 0 {
            return "0".to_owned();
        }
        let (trimmed, magnitude) = (self.trimmed(), self.magnitude());
        let mantissa = Self {
            digits: trimmed.digits,
            exponent: trimmed.exponent - magnitude,
        };
        let power = format!("10{}", superscript(magnitude));
        match trimmed.digits {
            1 if bare => power,
            -1 if bare => format!("−{power}"),
            _ => format!("{}×{power}", mantissa.plain(mantissa.places())),
        }
    }
}

fn group_thousands(whole: &str) -> String {
    let mut grouped = String::new();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// An integer in raised digits.
pub(crate) fn superscript(number: i32) -> String {
    const RAISED: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let digits = number.unsigned_abs().to_string();
    let raised = digits
        .bytes()
        .map(|digit| RAISED[usize::from(digit - b'0')]);
    let sign = if number < 0 { "⁻" } else { "" };
    format!("{sign}{}", raised.collect::<String>())
}

/// The labels of the ticks of one axis, all of one kind: plain with the same places, or with powers of ten.
pub(crate) fn label_decimals(ticks: &[ExactDecimal], bare_powers: bool) -> Vec<String> {
    let largest = ticks.iter().map(|tick| tick.magnitude()).max().unwrap_or(0);
    let smallest = ticks
        .iter()
        .filter(|tick| tick.digits != 0)
        .map(|tick| tick.magnitude())
        .min();
    let places = ticks.iter().map(|tick| tick.places()).max().unwrap_or(0);
    let is_plain = largest <= 6 && smallest.unwrap_or(0) >= -5 && places <= 6;
    // Digits that only a long mantissa tells apart stay plain: 1000000.001 beside 1000000.002.
    let is_plain = is_plain
        || (largest <= 9
            && largest + places <= 12
            && places <= 6
            && smallest.unwrap_or(0) >= -2
            && places > 0);
    let one = |tick: &ExactDecimal| match (is_plain, bare_powers) {
        (true, true) => tick.plain(tick.places()),
        (true, false) => tick.plain(places),
        (false, bare) => tick.scientific(bare),
    };
    ticks.iter().map(one).collect()
}

/// A number for readers: up to `digits` significant digits, without zeros at the end.
pub fn readable_number(value: f64, digits: usize) -> String {
    if !value.is_finite() {
        return "missing".to_owned();
    }
    let text = format!("{value:.*e}", digits.saturating_sub(1));
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let places = mantissa
        .split_once('.')
        .map_or(0, |(_, places)| places.len()) as i32;
    let number: i64 = mantissa.replace('.', "").parse().unwrap_or(0);
    let exact = ExactDecimal {
        digits: number,
        exponent: exponent - places,
    };
    if exact.digits == 0 {
        return "0".to_owned();
    }
    if (-5..=8).contains(&exponent) {
        exact.plain(exact.places())
    } else {
        exact.scientific(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_exact() {
        let ticks = |digits: &[i64], exponent| -> Vec<ExactDecimal> {
            digits
                .iter()
                .map(|&digits| ExactDecimal { digits, exponent })
                .collect()
        };
        assert_eq!(
            label_decimals(&ticks(&[-5, 0, 5, 10], -1), false),
            ["−0.5", "0.0", "0.5", "1.0"]
        );
        assert_eq!(
            label_decimals(&ticks(&[0, 5000, 10_000], 0), false),
            ["0", "5000", "10,000"]
        );
        assert_eq!(
            label_decimals(&ticks(&[0, 5, 10], 8), false),
            ["0", "5×10⁸", "1×10⁹"]
        );
        assert_eq!(
            label_decimals(&ticks(&[2, 15], -301), false),
            ["2×10⁻³⁰¹", "1.5×10⁻³⁰⁰"]
        );
        assert_eq!(label_decimals(&ticks(&[1], -8), true), ["10⁻⁸"]);
        assert_eq!(
            label_decimals(
                &[
                    ExactDecimal {
                        digits: 1,
                        exponent: -2
                    },
                    ExactDecimal {
                        digits: 1,
                        exponent: 3
                    }
                ],
                true
            ),
            ["0.01", "1000"]
        );
        assert_eq!(
            ExactDecimal {
                digits: 3,
                exponent: -1
            }
            .value(),
            0.3
        );
    }

    #[test]
    fn numbers_for_readers_are_short() {
        assert_eq!(readable_number(0.1 + 0.2, 4), "0.3");
        assert_eq!(readable_number(-12_345.678, 4), "−12,350");
        assert_eq!(readable_number(1.5e-300, 4), "1.5×10⁻³⁰⁰");
        assert_eq!(readable_number(0.0, 4), "0");
    }
}
