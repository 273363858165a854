//! Where a function of one variable is zero: one root between two points or near a start, or all roots of an interval.
//!
//! # Method
//! A bracket is made smaller ([`bracket`](super::bracket)) and what is in it is told apart: a root, a pole, a jump, a stretch of zeros. Where
//! the function is known over intervals ([`RealFunction::enclosure`]), errors are proven, and [`find_all_roots`] isolates every root
//! ([`isolate`](super::isolate)); else it looks among samples and says so.
//!
//! ```
//! use numerics::NoWatch;
//! use numerics::roots::find::{RootSearchEnd, find_root_between};
//!
//! let found = find_root_between(&|x: f64| x * x - 2.0, [0.0, 2.0], 0.0, &NoWatch)?;
//! assert_eq!(found.end, RootSearchEnd::Root);
//! assert!((found.roots[0].x - 2.0_f64.sqrt()).abs() < 1e-15);
//!
//! let pole = find_root_between(&|x: f64| 1.0 / (x - 1.0), [0.0, 3.0], 0.0, &NoWatch)?;
//! assert_eq!(pole.end, RootSearchEnd::Pole);
//! # Ok::<(), numerics::roots::RootError>(())
//! ```

mod all;
mod function;
mod shrink;
mod single;

use self::function::CountedFunction;
pub use self::function::{RealFunction, UnenclosedFunction};
use super::RootError;
use crate::watch::Watch;

/// The roots and how they are known.
#[derive(Debug, Clone, PartialEq)]
pub struct RootSearchResult {
    /// Every root found, ascending.
    pub roots: Vec<RealRootEstimate>,
    /// Places that are no roots or not decided.
    pub places: Vec<IrregularPlace>,
    /// What was found.
    pub end: RootSearchEnd,
    /// How.
    pub method: RootSearchMethod,
    /// Evaluations of the function, at points and over intervals.
    pub evaluations: u64,
    /// What a reader should know of it.
    pub notes: Vec<RootSearchNote>,
}

/// A root.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RealRootEstimate {
    /// The root.
    pub x: f64,
    /// Distance that the true root is within: a bound where it is proven, else the width of the bracket.
    pub error: f64,
    /// The value at `x`.
    pub residual: f64,
    /// Whether intervals prove that the function is continuous and changes its sign within `error`, or is exactly zero.
    pub is_proven: bool,
}

/// A place that is no root or not decided.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IrregularPlace {
    /// What it is.
    pub kind: IrregularKind,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Whether there is a root in it.
    pub has_root: bool,
    /// The point in it where the function is nearest to zero, of those tried.
    pub x: f64,
    /// The value at `x`; NaN where there is none.
    pub residual: f64,
}

/// What a place is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IrregularKind {
    /// The function changes its sign through infinity.
    Pole,
    /// The function jumps across zero.
    Jump,
    /// A root of higher order, several roots close to each other, or a value not told from zero.
    Multiple,
    /// Zero, or below the smallest double, on a whole interval.
    Flat,
    /// The function is not defined everywhere there.
    Undefined,
    /// Not searched: the limits of parts or roots were reached, as where roots accumulate.
    Unsearched,
}

/// What a search found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RootSearchEnd {
    /// A root: a sign change without a pole or a jump, or a value of exactly zero.
    Root,
    /// Every root of the interval is proven.
    All,
    /// Some places are not decided.
    Unresolved,
    /// Found by samples, which may miss roots: the function is not known over intervals.
    Sampled,
    /// The sign changes through infinity: no root.
    Pole,
    /// The sign changes by a jump: no root.
    Jump,
    /// Zero on a whole interval, or too small for doubles.
    Flat,
}

/// How roots were looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RootSearchMethod {
    /// A bracket made smaller.
    Chandrupatla,
    /// Interval arithmetic on the whole interval.
    Intervals,
    /// Sign changes and minima of samples.
    Sampling,
}

/// What a reader of a result should know.
#[derive(Debug, Clone, PartialEq)]
pub enum RootSearchNote {
    /// The signs at the ends did not single the root out: it is the first of several sign changes between samples.
    FirstOfChanges {
        /// Sign changes.
        changes: usize,
        /// Samples.
        samples: usize,
    },
    /// Only places that are no roots were found around the start.
    NoRootAround,
    /// Roots are those of samples, for the function is not known over intervals.
    Sampled {
        /// What is not known over intervals.
        function: &'static str,
        /// Samples.
        samples: usize,
    },
    /// The limits were reached: roots may be missing in a part of the interval.
    Unsearched {
        /// Roots that were found.
        roots: usize,
        /// Most parts.
        parts: usize,
        /// Lower end of the part.
        low: f64,
        /// Upper end of the part.
        high: f64,
    },
    /// Some places could not be decided.
    Undecided,
}

/// The root between two points, ascending, to a width of the bracket of `tolerance` (0: neighbouring doubles).
///
/// # Errors
/// [`RootError::NoSignChange`], [`RootError::UndefinedEnd`], what the function returns, an interruption.
pub fn find_root_between(
    f: &dyn RealFunction,
    [low, high]: [f64; 2],
    tolerance: f64,
    watch: &dyn Watch,
) -> Result<RootSearchResult, RootError> {
    let f = CountedFunction::new(f, watch);
    single::search_between(&f, (low, high), tolerance).map(|found| found.counted(&f))
}

/// The root nearest to a start: ends move outwards until the signs differ.
///
/// # Errors
/// [`RootError::NoSignChangeAround`], [`RootError::UndefinedStart`], what the function returns, an interruption.
pub fn find_root_around(
    f: &dyn RealFunction,
    start: f64,
    tolerance: f64,
    watch: &dyn Watch,
) -> Result<RootSearchResult, RootError> {
    let f = CountedFunction::new(f, watch);
    single::search_around(&f, start, tolerance).map(|found| found.counted(&f))
}

/// Every root from one point to another, ascending; by intervals where the function is known over them, else among samples.
///
/// # Errors
/// What the function returns, an interruption.
pub fn find_all_roots(
    f: &dyn RealFunction,
    [low, high]: [f64; 2],
    watch: &dyn Watch,
) -> Result<RootSearchResult, RootError> {
    let f = CountedFunction::new(f, watch);
    all::search_all(&f, (low, high)).map(|found| found.counted(&f))
}

impl RootSearchResult {
    fn counted(mut self, f: &CountedFunction<'_>) -> Self {
        self.evaluations = f.evaluations();
        self
    }
}
