//! Ticks of a logarithmic axis: powers of ten, then 2 and 5 between them, then round numbers; always with a label.

use super::extended::{choose_extended, ten_to};
use super::{LabelsFit, ScaleTick, fitting_ticks};
use crate::decimal::{ExactDecimal, label_decimals};

fn labelled(decimals: &[ExactDecimal]) -> Vec<ScaleTick> {
    let labels = label_decimals(decimals, true);
    let ticks = decimals.iter().zip(labels);
    ticks
        .map(|(decimal, label)| ScaleTick {
            value: decimal.value(),
            label,
        })
        .collect()
}

/// `digits * 10^n` within the range, for each of the digits.
fn multiples(low: f64, high: f64, digits: &[i64]) -> Vec<ExactDecimal> {
    let first = libm::floor(libm::log10(low)) as i32 - 1;
    let last = libm::ceil(libm::log10(high)) as i32 + 1;
    let all = (first..=last).flat_map(|exponent| {
        digits
            .iter()
            .map(move |&digits| ExactDecimal { digits, exponent })
    });
    all.filter(|decimal| (low..=high).contains(&decimal.value()))
        .collect()
}

/// Ticks between two positive ends, at most about `most` with labels; marks without labels between the powers of ten.
pub(crate) fn decade_ticks(
    low: f64,
    high: f64,
    most: usize,
    fits: LabelsFit<'_>,
) -> Vec<ScaleTick> {
    let decades = multiples(low, high, &[1]);
    let with_labels = if decades.len() >= 3 || (decades.len() == 2 && high / low > 200.0) {
        let spread = |stride: usize| -> Vec<ScaleTick> {
            let kept: Vec<ExactDecimal> = decades
                .iter()
                .filter(|decade| decade.exponent.rem_euclid(stride as i32) == 0)
                .copied()
                .collect();
            labelled(&kept)
        };
        const STRIDES: [usize; 9] = [1, 2, 3, 5, 10, 20, 50, 100, 200];
        let strides = STRIDES
            .into_iter()
            .filter(|stride| decades.len().div_ceil(*stride) <= most.max(2));
        let mut found = strides
            .map(spread)
            .filter(|ticks| !ticks.is_empty() && fits(ticks));
        found
            .next()
            .unwrap_or_else(|| labelled(&decades[decades.len() / 2..=decades.len() / 2]))
    } else {
        let sets: [&[i64]; 3] = [&[1, 2, 3, 5], &[1, 2, 5], &[1, 3]];
        let mut sets = sets
            .iter()
            .map(|digits| labelled(&multiples(low, high, digits)));
        let found =
            sets.find(|ticks| ticks.len() >= 3 && ticks.len() <= most.max(3) && fits(ticks));
        found.unwrap_or_else(|| {
            fitting_ticks(most, fits, |count| {
                labelled(&choose_extended(low, high, count))
            })
        })
    };
    add_marks(with_labels, low, high, decades.len())
}

/// Adds the marks without labels: 2 to 9 times each power of ten, where there are not too many.
fn add_marks(mut ticks: Vec<ScaleTick>, low: f64, high: f64, decades: usize) -> Vec<ScaleTick> {
    const DECADES_MAX: usize = 9;
    if decades == 0 || decades > DECADES_MAX || high / low < 2.0 {
        return ticks;
    }
    for decimal in multiples(low, high, &[1, 2, 3, 4, 5, 6, 7, 8, 9]) {
        let value = decimal.value();
        if ticks.iter().all(|tick| tick.value != value) {
            ticks.push(ScaleTick {
                value,
                label: String::new(),
            });
        }
    }
    ticks.sort_by(|a, b| a.value.total_cmp(&b.value));
    ticks
}

/// The ends of an axis moved outwards to a share of its length on a logarithmic scale.
pub(crate) fn widen_decades(low: f64, high: f64, share: f64) -> (f64, f64) {
    let (from, to) = (libm::log10(low), libm::log10(high));
    if to - from < 1e-9 {
        return (low / 2.0, high * 2.0);
    }
    let margin = share * (to - from);
    let (low, high) = (libm::pow(10.0, from - margin), libm::pow(10.0, to + margin));
    (low.max(ten_to(-305)), high.min(ten_to(305)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(low: f64, high: f64, most: usize) -> Vec<String> {
        let ticks = decade_ticks(low, high, most, &|_| true);
        ticks
            .into_iter()
            .map(|tick| tick.label)
            .filter(|label| !label.is_empty())
            .collect()
    }

    #[test]
    fn there_is_always_a_label() {
        assert_eq!(labels(1.0, 1000.0, 6), ["1", "10", "100", "1000"]);
        assert_eq!(labels(1.5, 60.0, 6), ["2", "5", "10", "20", "50"]);
        assert_eq!(
            labels(1e-20, 1e20, 5),
            ["10⁻²⁰", "10⁻¹⁰", "10⁰", "10¹⁰", "10²⁰"]
        );
        for exponent in -290..290 {
            for (low, factor) in [(1.1, 1.05), (2.0, 1.4), (9.5, 1.2), (3.0, 40.0), (5.0, 1e4)] {
                let low = low * ten_to(exponent);
                let found = labels(low, low * factor, 6);
                assert!(found.len() >= 2, "{low} {factor} {found:?}");
            }
        }
        let none_fit = decade_ticks(1.0, 1e6, 6, &|ticks| ticks.len() < 2);
        assert!(none_fit.iter().any(|tick| !tick.label.is_empty()));
    }
}
