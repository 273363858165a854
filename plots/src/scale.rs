//! Scales: from values to shares of the length of an axis.

use crate::dates::DAY;
use crate::ticks::dates::date_ticks;
use crate::ticks::decades::{decade_ticks, widen_decades};
use crate::ticks::extended::extended_ticks;
use crate::ticks::{LabelsFit, ScaleTick, fitting_ticks};

/// The kind of an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ScaleKind {
    Linear,
    Logarithmic,
    Time,
    Band,
}

/// An axis.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AxisScale {
    pub(crate) kind: ScaleKind,
    pub(crate) low: f64,
    pub(crate) high: f64,
    pub(crate) levels: Vec<String>,
    pub(crate) is_reversed: bool,
    pub(crate) title: String,
    pub(crate) is_hidden: bool,
    /// Smallest and largest value of the data, for the description.
    pub(crate) data: Option<[f64; 2]>,
}

/// Share of the length beyond the data at each end.
const MARGIN: f64 = 0.04;

/// Ends that are nearer than this share of their size count as one value: rounding noise.
const NARROW: f64 = 1e-12;

/// Spans below this are one value: steps of them leave the normal numbers.
const SPAN_MIN: f64 = 1e-303;

impl AxisScale {
    /// An axis with these ends; where they are one value, a little around it.
    pub(crate) fn of_ends(kind: ScaleKind, low: f64, high: f64) -> Self {
        let (low, high) = match kind {
            ScaleKind::Logarithmic => (low.max(1e-305), high.max(1e-305)),
            _ => (low, high),
        };
        let size = low.abs().max(high.abs());
        let is_narrow = high - low <= (NARROW * size).max(SPAN_MIN);
        let (low, high) = match (is_narrow, kind) {
            (false, _) => (low, high),
            (true, ScaleKind::Logarithmic) => (low / 2.0, high * 2.0),
            (true, ScaleKind::Time) => (low - DAY / 2.0, high + DAY / 2.0),
            (true, _) => {
                let half = if size > 1e-290 { size / 20.0 } else { 1.0 };
                (low - half, high + half)
            }
        };
        Self {
            kind,
            low,
            high,
            levels: Vec::new(),
            is_reversed: false,
            title: String::new(),
            is_hidden: false,
            data: None,
        }
    }

    /// An axis around data, with a margin but at zero and where `is_tight`.
    pub(crate) fn of_values(
        kind: ScaleKind,
        low: f64,
        high: f64,
        has_zero: bool,
        is_tight: [bool; 2],
    ) -> Self {
        let (low, high) = if has_zero {
            (low.min(0.0), high.max(0.0))
        } else {
            (low, high)
        };
        let mut scale = Self::of_ends(kind, low, high);
        if scale.low != low || scale.high != high {
            return scale;
        }
        let margin = (high - low) * MARGIN;
        if !(has_zero && low == 0.0 || is_tight[0]) {
            scale.low = low - margin;
            // No axis begins below zero for the sake of a margin.
            if low >= 0.0 && scale.low < 0.0 && kind == ScaleKind::Linear {
                scale.low = 0.0;
            }
        }
        if !(has_zero && high == 0.0 || is_tight[1]) {
            scale.high = high + margin;
        }
        scale
    }

    /// A logarithmic axis around data.
    pub(crate) fn of_decades(low: f64, high: f64) -> Self {
        let (low, high) = widen_decades(low, high, MARGIN);
        Self::of_ends(ScaleKind::Logarithmic, low, high)
    }

    /// An axis of categories.
    pub(crate) fn of_levels(levels: Vec<String>) -> Self {
        let high = levels.len().max(1) as f64;
        Self {
            levels,
            ..Self::of_ends(ScaleKind::Band, 0.0, high)
        }
    }

    /// Share of the length at a value, without regard to direction; NaN where the axis has no such value.
    pub(crate) fn fraction(&self, value: f64) -> f64 {
        match self.kind {
            ScaleKind::Linear | ScaleKind::Time => (value - self.low) / (self.high - self.low),
            ScaleKind::Logarithmic => {
                if value <= 0.0 {
                    return f64::NAN;
                }
                let (low, high) = (libm::log10(self.low), libm::log10(self.high));
                (libm::log10(value) - low) / (high - low)
            }
            ScaleKind::Band => (value + 0.5) / self.high,
        }
    }

    /// From values to places between two ends in pixels.
    pub(crate) fn projection(&self, start: f64, end: f64) -> AxisProjection {
        let (start, end) = if self.is_reversed {
            (end, start)
        } else {
            (start, end)
        };
        let is_log = self.kind == ScaleKind::Logarithmic;
        let (low, high) = match self.kind {
            ScaleKind::Logarithmic => (libm::log10(self.low), libm::log10(self.high)),
            ScaleKind::Band => (-0.5, self.high - 0.5),
            _ => (self.low, self.high),
        };
        AxisProjection {
            low,
            span: high - low,
            start,
            length: end - start,
            is_log,
        }
    }

    /// The ticks, at most about `most`, with labels that fit.
    pub(crate) fn ticks(&self, most: usize, fits: LabelsFit<'_>) -> Vec<ScaleTick> {
        match self.kind {
            ScaleKind::Linear => fitting_ticks(most, fits, |count| {
                extended_ticks(self.low, self.high, count)
            }),
            ScaleKind::Logarithmic => decade_ticks(self.low, self.high, most, fits),
            ScaleKind::Time => date_ticks(self.low, self.high, most, fits),
            ScaleKind::Band => self
                .levels
                .iter()
                .enumerate()
                .map(|(index, level)| ScaleTick {
                    value: index as f64,
                    label: level.clone(),
                })
                .collect(),
        }
    }
}

/// From values to pixels.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AxisProjection {
    low: f64,
    span: f64,
    start: f64,
    length: f64,
    is_log: bool,
}

impl AxisProjection {
    /// The place of a value; NaN where it has none. Infinite values are the ends.
    pub(crate) fn place(&self, value: f64) -> f64 {
        let value = if self.is_log {
            if value > 0.0 {
                libm::log10(value)
            } else {
                return self.end_of(value);
            }
        } else {
            value
        };
        let share = (value - self.low) / self.span;
        if share.is_nan() {
            return f64::NAN;
        }
        // Far outside, so that files have no enormous numbers.
        self.start + share.clamp(-1e4, 1e4) * self.length
    }

    /// Where a value lies that a logarithmic axis does not have: below its end for an area, nowhere for a point.
    fn end_of(&self, value: f64) -> f64 {
        if value == f64::NEG_INFINITY {
            self.start
        } else {
            f64::NAN
        }
    }

    /// The place of a value, or of an end of the axis for an infinite one.
    pub(crate) fn place_or_end(&self, value: f64) -> f64 {
        match value {
            f64::INFINITY => self.start + self.length,
            f64::NEG_INFINITY => self.start,
            value => self.place(value),
        }
    }

    /// Length of one unit: of a band on an axis of categories.
    pub(crate) fn unit(&self) -> f64 {
        self.length / self.span
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_hold_their_data_and_constants_have_room() {
        let axis = AxisScale::of_values(ScaleKind::Linear, 2.0, 12.0, false, [false; 2]);
        assert_eq!((axis.low, axis.high), (1.6, 12.4));
        let axis = AxisScale::of_values(ScaleKind::Linear, 2.0, 10.0, true, [false; 2]);
        assert_eq!((axis.low, axis.high), (0.0, 10.4));
        let axis = AxisScale::of_values(ScaleKind::Linear, 5.0, 5.0, false, [false; 2]);
        assert_eq!((axis.low, axis.high), (4.75, 5.25));
        let axis = AxisScale::of_values(ScaleKind::Linear, 1e-300, 3e-300, false, [false; 2]);
        assert!(axis.fraction(2e-300) > 0.4 && axis.fraction(2e-300) < 0.7);
        let axis = AxisScale::of_decades(1.0, 100.0);
        assert!(axis.low < 1.0 && axis.high > 100.0 && (axis.fraction(10.0) - 0.5).abs() < 1e-12);
        let projection = axis.projection(0.0, 100.0);
        assert!(projection.place(-1.0).is_nan() && (projection.place(10.0) - 50.0).abs() < 1e-9);
    }
}
