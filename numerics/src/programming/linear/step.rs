//! [`PresolveStep`]: how a row or column was taken out of a program, as far as its way back needs it.

/// How a row or column was taken out.
#[derive(Debug, Clone, Copy)]
pub(super) enum PresolveStep {
    /// A row that its variables satisfy.
    Redundant { row: u32 },
    /// A column at a bound.
    Fixed { column: u32, is_high: bool },
    /// A row that only one value of its variables satisfies: all at the bounds where the row is least, or most. Its entries are in
    /// `Reduction::row_entries`.
    Forced {
        row: u32,
        is_most: bool,
        start: u32,
        count: u32,
    },
    /// A row of one variable, and which bounds it narrowed.
    Singleton {
        row: u32,
        column: u32,
        value: f64,
        is_low: bool,
        is_high: bool,
    },
    /// An equation of two variables with their coefficients, and which bounds of the kept one come from the other.
    Doubleton {
        row: u32,
        kept: u32,
        gone: u32,
        by: f64,
        own: f64,
        is_low: bool,
        is_high: bool,
    },
    /// A variable that an equation gives, whose other entries are in `Reduction::row_entries`.
    Replaced {
        row: u32,
        column: u32,
        own: f64,
        start: u32,
        count: u32,
    },
    /// A variable that was the slack of a row, and whether they rise together.
    Slack {
        row: u32,
        column: u32,
        is_same: bool,
    },
}
