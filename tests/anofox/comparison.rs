//! Two answers to the same question, number by number, and whether the comparison would notice a wrong one.

use std::collections::BTreeMap;
use std::fmt::Display;

/// How far two numbers may differ: by a share of the expected one, or by an amount around zero.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tolerance {
    pub relative: f64,
    pub absolute: f64,
}

impl Tolerance {
    /// A relative tolerance, and a thousandth of it around zero.
    pub(crate) const fn relative(relative: f64) -> Self {
        Self {
            relative,
            absolute: 1e-3 * relative,
        }
    }

    /// Of a p value: a share of it alone, so that the smallest ones count as much as the others.
    pub(crate) const fn p_value(relative: f64) -> Self {
        Self {
            relative,
            absolute: 1e-290,
        }
    }

    /// Of a number whose digits are those of a larger one, such as an end of an interval near zero.
    pub(crate) fn beside(self, scale: f64) -> Self {
        Self {
            absolute: self.absolute.max(self.relative * scale.abs()),
            ..self
        }
    }

    /// Whether two numbers agree; NaN agrees with nothing, an infinity with itself.
    pub(crate) fn admits(self, ours: f64, theirs: f64) -> bool {
        ours == theirs || (ours - theirs).abs() <= self.absolute + self.relative * theirs.abs()
    }

    fn used(self, ours: f64, theirs: f64) -> f64 {
        match ours == theirs {
            true => 0.0,
            false => (ours - theirs).abs() / (self.absolute + self.relative * theirs.abs()),
        }
    }
}

/// Statistics, estimates and degrees of freedom.
pub(crate) const VALUE: Tolerance = Tolerance::relative(1e-9);
/// P values.
pub(crate) const P: Tolerance = Tolerance::p_value(1e-8);
/// Ends of intervals: `statrs` finds quantiles of Student's distribution to ten digits at worst.
pub(crate) const END: Tolerance = Tolerance::relative(1e-8);

#[derive(Debug)]
struct Pair {
    case: usize,
    detail: String,
    ours: f64,
    theirs: f64,
    tolerance: Tolerance,
}

/// Numbers that were computed twice, by what they are.
#[derive(Debug, Default)]
pub(crate) struct Comparison {
    pairs: BTreeMap<String, Vec<Pair>>,
    case: usize,
    detail: String,
}

impl Comparison {
    /// The data of what follows: the number of the case, and what the message of a difference adds.
    pub(crate) fn begin(&mut self, case: usize, detail: impl Display) {
        self.case = case;
        self.detail = detail.to_string();
    }

    /// Two numbers that should be one.
    pub(crate) fn number(&mut self, what: &str, ours: f64, theirs: f64, tolerance: Tolerance) {
        let pair = Pair {
            case: self.case,
            detail: self.detail.clone(),
            ours,
            theirs,
            tolerance,
        };
        self.pairs.entry(what.to_owned()).or_default().push(pair);
    }

    /// Fails where two numbers differ, where a quantity has fewer than `least` pairs, and where a wrong number would pass: each of theirs changed by thrice
    /// its tolerance, and ours held against theirs of other data.
    pub(crate) fn end(&self, least: usize) {
        assert!(!self.pairs.is_empty(), "nothing was compared");
        let mut faults = Vec::new();
        for (what, pairs) in &self.pairs {
            let worst = pairs
                .iter()
                .map(|pair| pair.tolerance.used(pair.ours, pair.theirs))
                .fold(0.0, f64::max);
            println!(
                "{what}: {} pairs, at most {worst:.1e} of the tolerance {:.0e}",
                pairs.len(),
                pairs[0].tolerance.relative
            );
            faults.extend(differences(what, pairs));
            if pairs.len() < least {
                faults.push(format!("{what}: {} pairs of {least}", pairs.len()));
            }
            faults.extend(blindness(what, pairs));
        }
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    }
}

/// The pairs that differ: how many, and the first ones.
fn differences(what: &str, pairs: &[Pair]) -> Vec<String> {
    let apart: Vec<&Pair> = pairs
        .iter()
        .filter(|pair| !pair.tolerance.admits(pair.ours, pair.theirs))
        .collect();
    let mut lines: Vec<String> = apart
        .iter()
        .take(4)
        .map(|pair| {
            format!(
                "    case {}, {}: {:e}, anofox {:e}",
                pair.case, pair.detail, pair.ours, pair.theirs
            )
        })
        .collect();
    if !lines.is_empty() {
        lines.insert(
            0,
            format!("{what}: {} of {} differ", apart.len(), pairs.len()),
        );
    }
    lines
}

/// What the comparison would not see.
fn blindness(what: &str, pairs: &[Pair]) -> Vec<String> {
    let mut faults = Vec::new();
    let changed = |pair: &&Pair| {
        let step = 3.0 * (pair.tolerance.absolute + pair.tolerance.relative * pair.theirs.abs());
        pair.theirs.is_finite() && pair.tolerance.admits(pair.ours, pair.theirs + step)
    };
    if let Some(pair) = pairs.iter().find(changed) {
        faults.push(format!(
            "{what}, case {}, {}: a changed number passes",
            pair.case, pair.detail
        ));
    }
    let passes_for_another = |(at, pair): &(usize, &Pair)| {
        let mut others = pairs[*at..].iter().chain(&pairs[..*at]);
        let other = others.find(|other| other.case != pair.case);
        other.is_none_or(|other| pair.tolerance.admits(pair.ours, other.theirs))
    };
    let alike = pairs.iter().enumerate().filter(passes_for_another).count();
    // Degrees of freedom, ends and p values of 1 repeat; what is the same for most data says nothing of them.
    if 10 * alike > 8 * pairs.len() {
        faults.push(format!(
            "{what}: {alike} of {} agree with the answer to other data",
            pairs.len()
        ));
    }
    faults
}

mod tests {
    use super::*;

    fn with(numbers: &[(f64, f64)], tolerance: Tolerance) -> Comparison {
        let mut comparison = Comparison::default();
        for (case, &(ours, theirs)) in numbers.iter().enumerate() {
            comparison.begin(case, "made");
            comparison.number("value", ours, theirs, tolerance);
        }
        comparison
    }

    #[test]
    fn equal_numbers_pass() {
        with(&[(1.0, 1.0 + 1e-12), (2.0, 2.0), (-3.0, -3.0)], VALUE).end(3);
    }

    #[test]
    #[should_panic(expected = "1 of 2 differ")]
    fn a_ninth_digit_is_seen() {
        with(&[(1.0, 1.0 + 3e-9), (2.0, 2.0)], VALUE).end(1);
    }

    #[test]
    #[should_panic(expected = "1 of 2 differ")]
    fn a_tiny_p_value_is_seen() {
        with(&[(1e-200, 1.1e-200), (0.5, 0.5)], P).end(1);
    }

    #[test]
    #[should_panic(expected = "1 of 2 differ")]
    fn nan_is_never_equal() {
        with(&[(f64::NAN, f64::NAN), (2.0, 2.0)], VALUE).end(1);
    }

    #[test]
    #[should_panic(expected = "1 of 2 differ")]
    fn an_infinite_end_is_seen() {
        with(&[(f64::INFINITY, 1.0), (2.0, 2.0)], VALUE).end(1);
    }

    #[test]
    #[should_panic(expected = "2 pairs of 3")]
    fn too_few_numbers_are_seen() {
        with(&[(1.0, 1.0), (2.0, 2.0)], VALUE).end(3);
    }

    #[test]
    #[should_panic(expected = "agree with the answer to other data")]
    fn a_constant_is_seen() {
        with(&[(1.0, 1.0), (1.0, 1.0)], VALUE).end(1);
    }

    #[test]
    #[should_panic(expected = "nothing was compared")]
    fn an_empty_comparison_is_seen() {
        Comparison::default().end(0);
    }
}
