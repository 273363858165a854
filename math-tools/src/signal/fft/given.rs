//! What a call of `fft` gives, checked.

use numerics::signal::Complex64;
use numerics::signal::spectrum::TrendRemoval;
use numerics::signal::transform::transform_cost;
use numerics::signal::window::WindowFunction;

use super::{Args, Kind, Sides, TrendName, WindowName};
use crate::linalg::solve::Rhs;
use crate::prelude::*;

/// Most points of a transform.
pub(super) const POINTS_MAX: i64 = 1 << 30;

/// The numbers to transform.
pub(super) enum FftSamples {
    Real(Vec<f64>),
    Complex(Vec<Complex64>),
    /// A matrix row by row, and its number of columns.
    Matrix(Vec<Complex64>, usize),
}

impl FftSamples {
    /// As complex numbers, and the number of columns of a matrix.
    pub(super) fn into_complex(self) -> (Vec<Complex64>, Option<usize>) {
        match self {
            Self::Real(x) => (
                x.into_iter().map(|x| Complex64::new(x, 0.0)).collect(),
                None,
            ),
            Self::Complex(z) => (z, None),
            Self::Matrix(z, columns) => (z, Some(columns)),
        }
    }
}

/// The form of a result.
pub(super) struct TransformShape {
    columns: Option<usize>,
}

impl TransformShape {
    /// Real and imaginary parts.
    pub(super) fn parts(&self, values: &[Complex64]) -> (Rhs, Rhs) {
        let form = |part: Vec<f64>| match self.columns {
            None => Rhs::One(part.into()),
            Some(columns) => Matrix::new(part.len() / columns, columns, part)
                .map_or_else(Rhs::default, Rhs::Many),
        };
        let part = |of: fn(&Complex64) -> f64| form(values.iter().map(of).collect());
        (part(|z| z.re), part(|z| z.im))
    }
}

/// A checked call.
pub(super) struct FftRequest {
    pub samples: FftSamples,
    /// Samples before zeros are appended.
    pub length: usize,
    pub n: usize,
    pub rate: f64,
    pub sides: Sides,
    pub window: WindowFunction,
    pub window_name: WindowName,
    pub trend: TrendRemoval,
}

impl FftRequest {
    /// # Errors
    /// `invalid_args` at the argument that does not fit the others; `limit_exceeded`.
    pub(super) fn new(args: &Args, ctx: &Ctx) -> Result<Self, ToolError> {
        refuse_idle(args)?;
        let data = args.data.load(ctx)?;
        let imaginary = args
            .imaginary
            .as_ref()
            .map(|input| input.load(ctx))
            .transpose()?;
        let count = data.as_slice().len();
        if count == 0 {
            refuse!(invalid "/data", "empty"; "`data` is empty"; "give at least one sample");
        }
        if let Some(imaginary) = &imaginary
            && (imaginary.rows() != data.rows()
                || imaginary.columns() != data.columns()
                || imaginary.as_slice().len() != count)
        {
            let (rows, columns) = (imaginary.rows(), imaginary.columns());
            refuse!(invalid "/imaginary", "shape";
                "`imaginary` has {rows} x {columns} entries, `data` {} x {}", data.rows(), data.columns();
                "give one imaginary part for each real part");
        }
        let is_matrix = matches!(data, Rhs::Many(_));
        if is_matrix {
            refuse_for_matrices(args)?;
        }
        let usual = if is_matrix || imaginary.is_some() || args.inverse {
            Sides::Two
        } else {
            Sides::One
        };
        let sides = args.sides.unwrap_or(usual);
        if sides == Sides::One && !args.inverse && imaginary.is_some() {
            refuse!(invalid "/sides"; "complex samples have negative frequencies of their own"; "leave `sides` out");
        }
        let n = transform_points(args, sides, count)?;
        ctx.reserve_doubles(n.max(count).saturating_mul(12))?;
        ctx.afford(transform_cost(n))?;
        let samples = match (data, imaginary) {
            (Rhs::Many(re), im) => {
                FftSamples::Matrix(complex_values(re.as_slice(), im.as_ref()), re.columns())
            }
            (Rhs::One(re), None) if !args.inverse => FftSamples::Real(re.to_vec()),
            (Rhs::One(re), im) => FftSamples::Complex(complex_values(&re, im.as_ref())),
        };
        let mut given = Self {
            samples,
            length: count,
            n,
            rate: args.rate.map_or(1.0, Positive::get),
            sides,
            window: build_window(args)?,
            window_name: window_name(args),
            trend: choose_trend(args),
        };
        if args.kind != Kind::Power && !args.inverse {
            given.cut();
        }
        if args.inverse && sides == Sides::Two && n != count {
            refuse!(invalid "/n"; "`n` of an inverse is the number of coefficients, {count}; found {n}";
                "leave `n` out; pass `sides`: \"one\" for coefficients of real samples");
        }
        Ok(given)
    }

    /// Leaves samples beyond `n` out.
    fn cut(&mut self) {
        self.length = self.length.min(self.n);
        match &mut self.samples {
            FftSamples::Real(x) => x.truncate(self.n),
            FftSamples::Complex(z) => z.truncate(self.n),
            FftSamples::Matrix(..) => {}
        }
    }

    pub(super) fn shape(&self) -> TransformShape {
        let columns = match self.samples {
            FftSamples::Matrix(_, columns) => Some(columns),
            _ => None,
        };
        TransformShape { columns }
    }
}

fn complex_values(re: &[f64], im: Option<&Rhs>) -> Vec<Complex64> {
    let im = im
        .map_or(&[][..], Rhs::as_slice)
        .iter()
        .copied()
        .chain(std::iter::repeat(0.0));
    re.iter()
        .zip(im)
        .map(|(&re, im)| Complex64::new(re, im))
        .collect()
}

/// Points of the transform.
fn transform_points(args: &Args, sides: Sides, count: usize) -> Result<usize, ToolError> {
    let asked = args.n.map(BoundedInteger::size);
    if !(args.inverse && sides == Sides::One) {
        return Ok(asked.unwrap_or(count));
    }
    if count < 2 && asked != Some(1) {
        refuse!(invalid "/data"; "expected the coefficients of frequencies 0 to half the rate, at least 2, found {count}";
            "pass `n`: 1 for a single sample");
    }
    let n = asked.unwrap_or(2 * count.saturating_sub(1));
    if n / 2 + 1 != count {
        refuse!(invalid "/n"; "{n} real samples have {} coefficients, `data` has {count}", n / 2 + 1;
            "pass the number of samples that the coefficients are of");
    }
    Ok(n)
}

/// Whether `peaks` asks for any: 0 is what there is without it too.
fn asks_for_peaks(args: &Args) -> bool {
    args.peaks.is_some_and(|most| most.get() > 0)
}

/// Refuses options that would do nothing.
fn refuse_idle(args: &Args) -> Result<(), ToolError> {
    let power = [
        ("segment", args.segment.is_some()),
        ("overlap", args.overlap.is_some()),
        ("scaling", args.scaling.is_some()),
    ];
    let forward = [
        ("rate", args.rate.is_some()),
        ("kind", args.kind != Kind::Spectrum),
        (
            "window",
            args.window.is_some_and(|name| name != WindowName::None),
        ),
        (
            "detrend",
            args.detrend.is_some_and(|name| name != TrendName::None),
        ),
        ("peaks", asks_for_peaks(args)),
    ];
    let idle =
        |all: &[(&'static str, bool)]| all.iter().find(|(_, given)| *given).map(|(name, _)| *name);
    if args.inverse
        && let Some(name) = idle(&forward)
    {
        refuse!(invalid format!("/{name}"), "idle"; "`{name}` does nothing for an inverse"; "leave it out");
    }
    if args.kind != Kind::Power
        && let Some(name) = idle(&power)
    {
        refuse!(invalid format!("/{name}"), "idle"; "`{name}` is for `kind`: \"power\""; "leave it out, or ask for power");
    }
    if args.kind == Kind::Power && args.imaginary.is_some() {
        refuse!(invalid "/imaginary"; "power is of real samples"; "take the real and the imaginary parts one after the other");
    }
    if args.imaginary.is_some()
        && args.detrend.is_some_and(|trend| trend != TrendName::None)
        && !args.inverse
    {
        refuse!(invalid "/detrend"; "a trend is subtracted from real samples only"; "leave `detrend` out");
    }
    Ok(())
}

fn refuse_for_matrices(args: &Args) -> Result<(), ToolError> {
    let idle = [
        ("kind", args.kind == Kind::Power),
        ("n", args.n.is_some()),
        ("sides", args.sides == Some(Sides::One)),
        (
            "window",
            args.window.is_some_and(|name| name != WindowName::None),
        ),
        (
            "detrend",
            args.detrend.is_some_and(|name| name != TrendName::None),
        ),
        ("peaks", asks_for_peaks(args)),
    ];
    if let Some((name, _)) = idle.iter().find(|(_, given)| *given) {
        refuse!(invalid format!("/{name}"), "matrix"; "`{name}` is for a list of samples, `data` is a matrix";
            "pass one row at a time, or leave it out");
    }
    Ok(())
}

fn window_name(args: &Args) -> WindowName {
    let usual = match args.kind {
        Kind::Power => WindowName::Hann,
        _ => WindowName::None,
    };
    args.window.unwrap_or(usual)
}

fn build_window(args: &Args) -> Result<WindowFunction, ToolError> {
    const BETA_MAX: f64 = 700.0;
    let name = window_name(args);
    let shapes = [
        ("beta", args.beta.is_some(), WindowName::Kaiser, "kaiser"),
        ("alpha", args.alpha.is_some(), WindowName::Tukey, "tukey"),
    ];
    for (argument, given, of, word) in shapes {
        if given && name != of {
            refuse!(invalid format!("/{argument}"), "idle"; "`{argument}` is for `window`: \"{word}\""; "leave it out, or ask for that window");
        }
    }
    let beta = args.beta.map_or(8.6, Tolerance::get);
    if beta > BETA_MAX {
        refuse!(invalid "/beta"; "expected a shape from 0 to 700, found {beta}"; "the usual ones are 5 to 14");
    }
    Ok(match name {
        WindowName::None => WindowFunction::None,
        WindowName::Hann => WindowFunction::Hann,
        WindowName::Hamming => WindowFunction::Hamming,
        WindowName::Blackman => WindowFunction::Blackman,
        WindowName::FlatTop => WindowFunction::FlatTop,
        WindowName::Kaiser => WindowFunction::Kaiser(beta),
        WindowName::Tukey => WindowFunction::Tukey(args.alpha.map_or(0.5, Probability::get)),
    })
}

fn choose_trend(args: &Args) -> TrendRemoval {
    let usual = match args.kind {
        Kind::Power => TrendName::Constant,
        _ => TrendName::None,
    };
    match args.detrend.unwrap_or(usual) {
        TrendName::None => TrendRemoval::None,
        TrendName::Constant => TrendRemoval::Constant,
        TrendName::Linear => TrendRemoval::Linear,
    }
}
