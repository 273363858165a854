//! Missing values between others.

/// A series without gaps.
#[derive(Debug, Clone, PartialEq)]
pub struct RepairedSeries {
    /// Its values from the first to the last that was there.
    pub values: Vec<f64>,
    /// Place of the first value in the given series.
    pub first: usize,
    /// How many values between others were missing.
    pub filled: usize,
    /// The longest run of missing values.
    pub longest_gap: usize,
}

/// Fills missing values between others: by a line between the neighbours, or, of a series with a period, by a line between the values one period before and
/// after where both are there. Missing values at the ends are left out.
pub fn interpolate_missing(cells: &[Option<f64>], period: usize) -> RepairedSeries {
    let first = cells
        .iter()
        .position(Option::is_some)
        .unwrap_or(cells.len());
    let last = cells
        .iter()
        .rposition(Option::is_some)
        .map_or(first, |at| at + 1);
    let inside = &cells[first..last];
    let known: Vec<usize> = (0..inside.len())
        .filter(|&at| inside[at].is_some())
        .collect();
    let at_place = |place: Option<usize>| place.and_then(|place| *inside.get(place)?);
    let mut values: Vec<f64> = inside.iter().map(|cell| cell.unwrap_or(0.0)).collect();
    let mut longest_gap = 0;
    for pair in known.windows(2) {
        let (from, to) = (pair[0], pair[1]);
        longest_gap = longest_gap.max(to - from - 1);
        for at in from + 1..to {
            let ends = (
                at_place(at.checked_sub(period)),
                at_place(at.checked_add(period)),
            );
            values[at] = match ends {
                (Some(before), Some(after)) if period > 1 => 0.5 * before + 0.5 * after,
                _ => {
                    let share = (at - from) as f64 / (to - from) as f64;
                    values[from] * (1.0 - share) + values[to] * share
                }
            };
        }
    }
    RepairedSeries {
        filled: inside.len() - known.len(),
        values,
        first,
        longest_gap,
    }
}
