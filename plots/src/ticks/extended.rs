//! Round numbers on a linear axis.

use super::ScaleTick;
use crate::decimal::{ExactDecimal, label_decimals};

/// Steps in the order of their niceness, in tenths.
const STEPS: [i64; 6] = [10, 50, 20, 25, 40, 30];

/// Weights of simplicity, coverage, density and legibility.
const WEIGHTS: [f64; 4] = [0.25, 0.2, 0.5, 0.05];

/// Rounds of one loop of the search; it ends far below by its bounds.
const ROUNDS_MAX: i64 = 60;

/// A choice of ticks: `(first + index * skip) * step * 10^(power - 1)` for `count` indices.
#[derive(Debug, Clone, Copy)]
struct TickChoice {
    score: f64,
    first: i64,
    skip: i64,
    step: i64,
    power: i32,
    count: i64,
}

/// Ticks between `low` and `high` (finite, `low < high`), near `target` of them.
///
/// The search of the extended Wilkinson algorithm over steps `q`, with every tick an exact decimal; only choices whose ticks lie
/// within the range are taken.
///
/// # References
/// J. Talbot, S. Lin, P. Hanrahan, "An Extension of Wilkinson's Algorithm for Positioning Tick Labels on Axes", IEEE TVCG 16, 2010.
pub(crate) fn choose_extended(low: f64, high: f64, target: usize) -> Vec<ExactDecimal> {
    let span = high - low;
    if !(span > 0.0 && span.is_finite()) {
        return Vec::new();
    }
    let target = target.max(2) as f64;
    let mut best = TickChoice {
        score: -2.0,
        first: 0,
        skip: 1,
        step: 10,
        power: 0,
        count: 0,
    };
    'skips: for skip in 1..=ROUNDS_MAX {
        for (rank, &step) in STEPS.iter().enumerate() {
            let simple = simplicity(rank, skip, true);
            if score(simple, 1.0, 1.0) < best.score {
                break 'skips;
            }
            for count in 2..=ROUNDS_MAX {
                let dense_max = if count as f64 >= target {
                    2.0 - (count - 1) as f64 / (target - 1.0)
                } else {
                    1.0
                };
                if score(simple, 1.0, dense_max) < best.score {
                    break;
                }
                let unit = step as f64 / 10.0;
                let delta = span / (count + 1) as f64 / skip as f64 / unit;
                let start = libm::ceil(libm::log10(delta)) as i32;
                for power in start..start + 4 {
                    let width = skip as f64 * unit * ten_to(power);
                    let cover_max = coverage_max(span, width * (count - 1) as f64);
                    if score(simple, cover_max, dense_max) < best.score || !width.is_finite() {
                        break;
                    }
                    let choice = TickChoice {
                        score: 0.0,
                        first: 0,
                        skip,
                        step,
                        power,
                        count,
                    };
                    try_starts(&mut best, choice, rank, (low, high), target);
                }
            }
        }
    }
    (0..best.count)
        .map(|index| ExactDecimal {
            digits: (best.first + index * best.skip) * best.step,
            exponent: best.power - 1,
        })
        .collect()
}

/// Tries each place of the first tick.
fn try_starts(
    best: &mut TickChoice,
    choice: TickChoice,
    rank: usize,
    (low, high): (f64, f64),
    target: f64,
) {
    let TickChoice {
        skip,
        step,
        power,
        count,
        ..
    } = choice;
    let unit = ExactDecimal {
        digits: step,
        exponent: power - 1,
    }
    .value();
    let span = high - low;
    // In units of the step; beyond 2^53 neighbours are the same double.
    let (first, last) = (low / unit, high / unit);
    if !(first.abs() < 4e15 && last.abs() < 4e15) {
        return;
    }
    // Choices with a tick outside the range are not taken, so the first tick lies in its lower part.
    let starts =
        libm::ceil(first - 1e-9) as i64..=libm::floor(last + 1e-9) as i64 - (count - 1) * skip;
    for first in starts {
        let (start, end) = (
            first as f64 * unit,
            (first + (count - 1) * skip) as f64 * unit,
        );
        if start < low - 1e-10 * span || end > high + 1e-10 * span {
            continue;
        }
        let has_zero = first <= 0 && first + (count - 1) * skip >= 0 && first % skip == 0;
        let simple = simplicity(rank, skip, has_zero);
        let cover = 1.0 - 50.0 * (square((high - end) / span) + square((low - start) / span));
        let density = (count - 1) as f64 / (end - start);
        let wanted = (target - 1.0) / (end.max(high) - start.min(low));
        let dense = 2.0 - (density / wanted).max(wanted / density);
        let found = score(simple, cover, dense);
        if found > best.score {
            *best = TickChoice {
                score: found,
                first,
                ..choice
            };
        }
    }
}

fn square(value: f64) -> f64 {
    value * value
}

fn simplicity(rank: usize, skip: i64, has_zero: bool) -> f64 {
    let bonus = if has_zero { 1.0 } else { 0.0 };
    1.0 - rank as f64 / (STEPS.len() - 1) as f64 - skip as f64 + 1.0 + bonus
}

fn coverage_max(span: f64, width: f64) -> f64 {
    if width <= span {
        return 1.0;
    }
    let half = (width / span - 1.0) / 2.0;
    1.0 - 100.0 * square(half)
}

fn score(simple: f64, cover: f64, dense: f64) -> f64 {
    WEIGHTS[0] * simple + WEIGHTS[1] * cover + WEIGHTS[2] * dense + WEIGHTS[3]
}

/// `10^power`, correctly rounded.
pub(crate) fn ten_to(power: i32) -> f64 {
    ExactDecimal {
        digits: 1,
        exponent: power,
    }
    .value()
}

/// The ticks with their labels.
pub(crate) fn extended_ticks(low: f64, high: f64, target: usize) -> Vec<ScaleTick> {
    let decimals = choose_extended(low, high, target);
    let labels = label_decimals(&decimals, false);
    let ticks = decimals.iter().zip(labels);
    ticks
        .map(|(decimal, label)| ScaleTick {
            value: decimal.value(),
            label,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(low: f64, high: f64, target: usize) -> Vec<String> {
        extended_ticks(low, high, target)
            .into_iter()
            .map(|tick| tick.label)
            .collect()
    }

    #[test]
    fn ticks_are_round_and_inside() {
        assert_eq!(
            labels(0.0, 1.0, 5),
            ["0.00", "0.25", "0.50", "0.75", "1.00"]
        );
        assert_eq!(labels(0.0, 100.0, 6), ["0", "20", "40", "60", "80", "100"]);
        assert_eq!(
            labels(-1.07, 1.07, 5),
            ["−1.0", "−0.5", "0.0", "0.5", "1.0"]
        );
        assert_eq!(labels(1e15, 1e15 + 4.0, 5).len(), 5);
        for (low, high) in [
            (1e-300, 3e-300),
            (-1e299, 1e300),
            (0.1, 0.1 + 1e-9),
            (12.3, 987.6),
            (-5e-7, -1e-7),
            (99_999.0, 100_001.0),
        ] {
            let ticks = extended_ticks(low, high, 6);
            assert!(ticks.len() >= 2, "{low} {high}");
            assert!(
                ticks
                    .iter()
                    .all(|tick| low <= tick.value && tick.value <= high),
                "{low} {high} {ticks:?}"
            );
            let mut seen: Vec<&String> = ticks.iter().map(|tick| &tick.label).collect();
            seen.dedup();
            assert_eq!(seen.len(), ticks.len(), "{low} {high} {seen:?}");
        }
    }
}
