//! `convolve`: convolution and correlation.

use numerics::signal::convolve::{
    SequenceBlock, by_transforms, convolve_direct, direct_operations, transform_operations,
};

use crate::call_watch::CallWatch;
use crate::linalg::solve::Rhs;
use crate::prelude::*;

/// Convolve or correlate two lists or two matrices. Directly, which is exact for whole numbers, or through Fourier transforms.
#[derive(Debug, Clone, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// A list of numbers, or a matrix.
    pub a: Input<Rhs>,
    /// The other one, likewise.
    pub b: Input<Rhs>,
    /// Part of the result: `full`, `same` (size of `a`, its middle) or `valid` (where they overlap wholly).
    #[value(default)]
    pub mode: ConvolveMode,
    /// Whether to correlate: `b` is not reversed, and full lag 0 is at index len(b) - 1.
    #[value(default)]
    pub correlate: bool,
    /// `direct` (sums), `fft`, or `auto`: the quicker one, and `direct` for whole numbers where it takes at most a tenth of a second.
    #[value(default)]
    pub method: ConvolveMethod,
}

/// Part of a convolution.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum ConvolveMode {
    /// All of it.
    #[default]
    Full,
    /// The middle, of the size of `a`.
    Same,
    /// What no edge touches.
    Valid,
}

/// How it is computed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum ConvolveMethod {
    /// The quicker one.
    #[default]
    Auto,
    /// By the sum.
    Direct,
    /// By transforms.
    Fft,
}

/// The convolution.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The values, a list or a matrix as `a` and `b`.
    pub values: Rhs,
    /// Method used; never `auto`.
    pub method: ConvolveMethod,
    /// Bound of the error of each value (by `fft` an estimate), in the unit of the values; 0 where sums are exact.
    pub error: f64,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("convolve", "Convolution and correlation")
        .tags(&["signal", "convolution", "correlation", "filter"])
        .large();
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "the product of 1 + 2 x and 3 + x": r#"{"a": [1, 2], "b": [3, 1]}"#
            => r#"{"values": [3.0, 7.0, 2.0], "method": "direct", "error": 0.0}"#;
        "a moving sum of two, where both are there": r#"{"a": [1, 2, 4], "b": [1, 1], "mode": "valid"}"#
            => r#"{"values": [3.0, 6.0], "method": "direct", "error": 0.0}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let (a, b) = (args.a.load(ctx)?, args.b.load(ctx)?);
        for (path, name, rhs) in [("/a", "a", &a), ("/b", "b", &b)] {
            if rhs.as_slice().is_empty() {
                refuse!(invalid path, "empty"; "`{name}` is empty"; "give at least one number");
            }
        }
        if matches!(a, Rhs::One(_)) != matches!(b, Rhs::One(_)) {
            refuse!(invalid "/b", "shape"; "one of `a` and `b` is a list, the other a matrix"; "write a row as [[1, 2]]");
        }
        let reversed: Vec<f64> = b.as_slice().iter().rev().copied().collect();
        let (one, mut two) = (block_view(&a), block_view(&b));
        if args.correlate {
            two.data = &reversed;
        }
        let (rows, columns) = (one.rows + two.rows - 1, one.columns + two.columns - 1);
        ctx.reserve_doubles(rows.saturating_mul(columns).saturating_mul(2))?;
        let method = choose_method(args.method, one, two);
        let full = if method == ConvolveMethod::Direct {
            let watch = CallWatch(ctx);
            convolve_direct(one, two, &watch)
                .map_err(|interruption| watch.interruption_error(interruption))?
        } else {
            ctx.reserve_doubles(rows.saturating_mul(columns).saturating_mul(10))?;
            ctx.afford(transform_operations(one, two))?;
            by_transforms(one, two)
        };
        if full.iter().any(|value| !value.is_finite()) {
            refuse!(numeric "/a", "overflow"; "a value is larger than any double"; "scale `a` or `b`");
        }
        let error = rounding_error_bound(one, two, method);
        let (values, shape) =
            crop_to_part(full, (rows, columns), part_ranges(args.mode, one, two)?);
        let values = match a {
            Rhs::One(_) => Rhs::One(values.into()),
            Rhs::Many(_) => {
                Matrix::new(shape.0, shape.1, values).map_or_else(Rhs::default, Rhs::Many)
            }
        };
        Ok(Output {
            values,
            method,
            error,
        })
    }
}

fn block_view(rhs: &Rhs) -> SequenceBlock<'_> {
    match rhs {
        Rhs::One(values) => SequenceBlock {
            data: values,
            rows: 1,
            columns: values.len(),
        },
        Rhs::Many(matrix) => SequenceBlock {
            data: matrix.as_slice(),
            rows: matrix.rows(),
            columns: matrix.columns(),
        },
    }
}

fn choose_method(
    asked: ConvolveMethod,
    a: SequenceBlock<'_>,
    b: SequenceBlock<'_>,
) -> ConvolveMethod {
    const TENTH_OF_A_SECOND: f64 = 1e8;
    if asked != ConvolveMethod::Auto {
        return asked;
    }
    let directly = direct_operations(a, b);
    let quick = directly <= TENTH_OF_A_SECOND && is_exact(a, b);
    if quick || directly <= transform_operations(a, b) {
        ConvolveMethod::Direct
    } else {
        ConvolveMethod::Fft
    }
}

/// Whether all sums are of whole numbers below 2^53.
fn is_exact(a: SequenceBlock<'_>, b: SequenceBlock<'_>) -> bool {
    let whole = |block: SequenceBlock<'_>| block.data.iter().all(|value| value.fract() == 0.0);
    let size = |block: SequenceBlock<'_>| block.data.iter().map(|value| value.abs()).sum::<f64>();
    whole(a) && whole(b) && size(a) * size(b) < 9_007_199_254_740_992.0
}

/// Every sum is at most the product of both norms, and rounded once for each term; transforms are rounded once for each stage.
fn rounding_error_bound(a: SequenceBlock<'_>, b: SequenceBlock<'_>, method: ConvolveMethod) -> f64 {
    if method == ConvolveMethod::Direct && is_exact(a, b) {
        return 0.0;
    }
    let product = numerics::dense::euclidean_norm(a.data) * numerics::dense::euclidean_norm(b.data);
    let terms = a.data.len().min(b.data.len()) as f64;
    let points = (a.data.len() + b.data.len()) as f64;
    let rounded = match method {
        ConvolveMethod::Direct => terms,
        _ => 2.0 * points.log2().max(1.0),
    };
    rounded * f64::EPSILON * product
}

/// First index and size of the part, for rows and for columns.
fn part_ranges(
    mode: ConvolveMode,
    a: SequenceBlock<'_>,
    b: SequenceBlock<'_>,
) -> Result<[(usize, usize); 2], ToolError> {
    let sizes = [(a.rows, b.rows), (a.columns, b.columns)];
    let fits = |order: fn(&usize, &usize) -> bool| sizes.iter().all(|(a, b)| order(a, b));
    if mode == ConvolveMode::Valid && !fits(usize::ge) && !fits(usize::le) {
        refuse!(invalid "/mode", "shape"; "neither of {} x {} and {} x {} holds the other", a.rows, a.columns, b.rows, b.columns;
            "`valid` needs one matrix that is at least as large both ways");
    }
    Ok(sizes.map(|(a, b)| match mode {
        ConvolveMode::Full => (0, a + b - 1),
        ConvolveMode::Same => ((b - 1) / 2, a),
        ConvolveMode::Valid => (a.min(b) - 1, a.abs_diff(b) + 1),
    }))
}

fn crop_to_part(
    full: Vec<f64>,
    (rows, columns): (usize, usize),
    [(row, row_count), (column, column_count)]: [(usize, usize); 2],
) -> (Vec<f64>, (usize, usize)) {
    if (row_count, column_count) == (rows, columns) {
        return (full, (rows, columns));
    }
    let rows = full.chunks_exact(columns).skip(row).take(row_count);
    let values = rows.flat_map(|entries| &entries[column..column + column_count]);
    (values.copied().collect(), (row_count, column_count))
}

#[cfg(test)]
mod tests;
