//! Ranges and ticks: from data to the two ends of an axis, and to round numbers along it.

/// The two ends of an axis: finite, and far enough apart to draw between.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct AxisRange {
    low: f64,
    high: f64,
}

impl AxisRange {
    /// The range from `low` to `high` (finite, in this order).
    ///
    /// Ends that are equal, or nearer than 10^-12 of their size (rounding noise), count as one value `v` and give
    /// `v - w .. v + w` with `w = max(1, |v| / 20)`.
    pub(crate) fn exact(low: f64, high: f64) -> Self {
        let size = low.abs().max(high.abs());
        let narrow = high / 2.0 - low / 2.0 <= (0.5e-12 * size).max(1e-300);
        if !narrow {
            return Self { low, high };
        }
        let centre = low / 2.0 + high / 2.0;
        let half = (centre.abs() / 20.0).max(1.0);
        Self {
            low: (centre - half).max(-f64::MAX),
            high: (centre + half).min(f64::MAX),
        }
    }

    /// As [`AxisRange::exact`], and one twentieth wider at each end (unless it was one value).
    pub(crate) fn with_margin(low: f64, high: f64) -> Self {
        let exact = Self::exact(low, high);
        if exact.low != low || exact.high != high {
            return exact;
        }
        let margin = exact.half_span() / 10.0;
        Self {
            low: (low - margin).max(-f64::MAX),
            high: (high + margin).min(f64::MAX),
        }
    }

    /// The two ends, as results show them.
    pub(crate) fn ends(self) -> [f64; 2] {
        [self.low, self.high]
    }

    /// Half the length; the whole one may overflow.
    pub(crate) fn half_span(self) -> f64 {
        self.high / 2.0 - self.low / 2.0
    }

    /// Position of a value: 0 at the low end, 1 at the high end; clamped to a thousand million far outside.
    pub(crate) fn fraction(self, value: f64) -> f64 {
        let fraction = (value / 2.0 - self.low / 2.0) / self.half_span();
        fraction.clamp(-1e9, 1e9)
    }

    /// Whether a value lies between the ends.
    pub(crate) fn contains(self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }
}

/// A round number on an axis.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AxisTick {
    /// Position on the axis.
    pub(crate) value: f64,
    /// Label.
    pub(crate) label: String,
}

/// At most `ticks_max` (at least 2 are allowed for) multiples of 1, 2 or 5 times a power of ten within a range.
///
/// # References
/// P. S. Heckbert, "Nice Numbers for Graph Labels", Graphics Gems, 1990; here with the smallest step that keeps the count.
pub(crate) fn choose_ticks(range: AxisRange, ticks_max: usize) -> Vec<AxisTick> {
    let ticks_max = ticks_max.max(2);
    let raw = range.half_span() / (ticks_max as f64) * 2.0;
    let first = raw.log10().floor() as i32;
    let steps = (first..=first + 2).flat_map(|exponent| [1, 2, 5].map(|digit| (digit, exponent)));
    for (digit, exponent) in steps {
        let Some(multiples) = multiples_in_range(range, digit, exponent) else {
            continue;
        };
        if multiples.len() <= ticks_max {
            return label_ticks(&multiples, exponent);
        }
    }
    Vec::new()
}

/// Where labels go beside an axis: how long each is, where its tick is, and the length of the whole with the gap between two.
pub(crate) struct LabelPlacement<L, C> {
    /// Length of a label.
    pub(crate) length: L,
    /// Place of a tick.
    pub(crate) centre: C,
    /// Length of the whole.
    pub(crate) whole: usize,
    /// Least distance of two labels.
    pub(crate) gap: usize,
}

impl<L: Fn(&AxisTick) -> usize, C: Fn(&AxisTick) -> usize> LabelPlacement<L, C> {
    /// Start of each label, centred on its tick inside the whole; `None` when two would touch.
    pub(crate) fn starts(&self, ticks: &[AxisTick]) -> Option<Vec<usize>> {
        let mut free = 0;
        let mut start = |tick| {
            let length = (self.length)(tick);
            let room = self.whole.checked_sub(length)?;
            let start = (self.centre)(tick).saturating_sub(length / 2).min(room);
            let fits = start >= free;
            free = start + length + self.gap;
            fits.then_some(start)
        };
        ticks.iter().map(&mut start).collect()
    }

    /// At most `most` ticks of a range, as many as fit without touching, and the starts of their labels.
    pub(crate) fn fitting(
        &self,
        range: AxisRange,
        most: usize,
    ) -> Option<(Vec<AxisTick>, Vec<usize>)> {
        (2..=most).rev().find_map(|count| {
            let ticks = choose_ticks(range, count);
            let starts = self.starts(&ticks)?;
            Some((ticks, starts))
        })
    }
}

/// The integers `n` with `n * 10^exponent` in the range that are multiples of `digit`; `None` when they are too many to be meant.
fn multiples_in_range(range: AxisRange, digit: i64, exponent: i32) -> Option<Vec<i64>> {
    const COUNT_MAX: f64 = 1000.0;
    let step = scale_by_power(digit, exponent);
    let (first, last) = ((range.low / step).ceil(), (range.high / step).floor());
    let sound = step > 0.0 && first.abs() < 1e15 && last.abs() < 1e15 && last - first < COUNT_MAX;
    sound.then(|| {
        (first as i64..=last as i64)
            .map(|index| index * digit)
            .filter(|&number| range.contains(scale_by_power(number, exponent)))
            .collect()
    })
}

/// `number * 10^exponent`, correctly rounded.
fn scale_by_power(number: i64, exponent: i32) -> f64 {
    format!("{number}e{exponent}")
        .parse()
        .expect("an integer and an exponent make a number")
}

fn label_ticks(numbers: &[i64], exponent: i32) -> Vec<AxisTick> {
    let largest = numbers
        .iter()
        .map(|number| scale_by_power(*number, exponent).abs())
        .fold(0.0, f64::max);
    let fixed = (-6..=6).contains(&exponent) && largest < 1e7;
    let digits_of =
        |value: f64| (value.abs().log10().floor() as i32 - exponent).clamp(0, 17) as usize;
    numbers
        .iter()
        .map(|&number| {
            let value = scale_by_power(number, exponent);
            let label = if number == 0 {
                "0".to_owned()
            } else if fixed {
                format!("{value:.*}", exponent.min(0).unsigned_abs() as usize)
            } else {
                format_scientific(value, digits_of(value))
            };
            AxisTick { value, label }
        })
        .collect()
}

/// `1.5e10`, `2e-7`: no zeros at the end of the mantissa.
fn format_scientific(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$e}");
    match text.split_once('e') {
        Some((mantissa, exponent)) if mantissa.contains('.') => {
            format!(
                "{}e{exponent}",
                mantissa.trim_end_matches('0').trim_end_matches('.')
            )
        }
        _ => text,
    }
}

#[cfg(test)]
mod tests;
