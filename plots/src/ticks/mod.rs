//! Ticks: round places along an axis with labels that do not touch.

pub(crate) mod dates;
pub(crate) mod decades;
pub(crate) mod extended;

/// A place on an axis with its label.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ScaleTick {
    /// The value of the axis.
    pub(crate) value: f64,
    /// The label; empty for a mark without one.
    pub(crate) label: String,
}

/// Whether labels fit beside an axis without touching.
pub(crate) type LabelsFit<'a> = &'a dyn Fn(&[ScaleTick]) -> bool;

/// The ticks of the largest count whose labels fit: from `most` downwards, at least one label where the axis has a tick.
pub(crate) fn fitting_ticks(
    most: usize,
    fits: LabelsFit<'_>,
    choose: impl Fn(usize) -> Vec<ScaleTick>,
) -> Vec<ScaleTick> {
    let mut last = Vec::new();
    for count in (2..=most.max(2)).rev() {
        let ticks = choose(count);
        if !ticks.is_empty() && fits(&ticks) {
            return ticks;
        }
        if !ticks.is_empty() {
            last = ticks;
        }
    }
    // Two labels do not fit: the one in the middle stays.
    let middle = last.len() / 2;
    for (index, tick) in last.iter_mut().enumerate() {
        if index != middle {
            tick.label.clear();
        }
    }
    last
}
