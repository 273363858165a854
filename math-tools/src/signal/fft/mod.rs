//! `fft`: discrete Fourier transforms and spectra, with the tones named.

mod given;
pub(in crate::signal) mod plot;
mod power;
#[cfg(test)]
mod tests;
mod tones;
mod transforms;

use self::given::FftRequest;
use self::tones::SpectralTone;
use crate::linalg::solve::Rhs;
use crate::prelude::*;

/// Transform samples to frequencies (FFT), or back; names the tones it finds. Spectrum, amplitudes, or power by Welch's method.
#[derive(Debug, Clone, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// Equally spaced samples, or a matrix for a transform over both indices; with `inverse` the real parts of coefficients.
    #[schema(extend("x-shape" = ["m", "*c"]))]
    pub data: Input<Rhs>,
    /// Imaginary parts, of the same shape as `data`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-shape" = ["m", "*c"]))]
    pub imaginary: Option<Input<Rhs>>,
    /// Samples per second, which makes frequencies hertz; absent: 1, cycles per sample.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub rate: Option<Positive>,
    /// Result: `spectrum` (complex coefficients), `amplitude` (of cosines, and phases), or `power` (Welch's method).
    #[value(default)]
    pub kind: Kind,
    /// Whether to go from coefficients to samples.
    #[value(default)]
    pub inverse: bool,
    /// Points of the transform: samples are cut or zeros appended. With `kind` power, of each segment.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub n: Option<BoundedInteger<1, { given::POINTS_MAX }>>,
    /// Frequencies: `one` (0 to half the rate) or `two` (then negative ones; power is shared between both); absent: `one` for a list of real samples, else `two`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub sides: Option<Sides>,
    /// Weights of the samples: `none`, `hann`, `hamming`, `blackman`, `flat_top`, `kaiser` or `tukey`; absent: `none`, for power `hann`.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub window: Option<WindowName>,
    /// Shape of the Kaiser window, from 0 to 700; absent: 8.6.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub beta: Option<Tolerance>,
    /// Share of the Tukey window that is tapered; absent: 0.5.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub alpha: Option<Probability>,
    /// Trend that is subtracted: `none`, `constant` or `linear`; absent: `none`, and `constant` for `kind` power.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub detrend: Option<TrendName>,
    /// Power: samples of a segment; absent: 256, or all where there are fewer.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub segment: Option<Count>,
    /// Power: samples that segments share, fewer than `segment`; absent: half.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub overlap: Option<BoundedInteger<0, { given::POINTS_MAX }>>,
    /// Power: `density` (per hertz, the default) or `spectrum` (a sine of amplitude A has A^2/2).
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub scaling: Option<ScalingName>,
    /// Most tones to name; absent: 5.
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub peaks: Option<BoundedInteger<0, 1000>>,
    /// Whether to draw a list's spectrum, or the samples of an inverse.
    #[value(default = "default_true")]
    pub plot: bool,
}

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$inner:meta])* $variant:ident),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Encode, Decode, Describe)]
        #[value(rename_all = "snake_case")]
        pub(crate) enum $name { $($(#[$inner])* $variant),* }
    };
}

words! {
    /// What a transform answers.
    Kind {
        /// Complex coefficients.
        #[default]
        Spectrum,
        /// Amplitudes and phases.
        Amplitude,
        /// Power.
        Power,
    }
}

words! {
    /// Which frequencies.
    Sides {
        /// Those of real samples.
        #[default]
        One,
        /// All.
        Two,
    }
}

words! {
    /// A window.
    WindowName {
        /// All weights 1.
        #[default]
        None,
        /// 0.5 - 0.5 cos.
        Hann,
        /// 0.54 - 0.46 cos.
        Hamming,
        /// 0.42 - 0.5 cos + 0.08 cos 2.
        Blackman,
        /// Right amplitudes.
        FlatTop,
        /// Bessel function.
        Kaiser,
        /// Flat with tapers.
        Tukey,
    }
}

words! {
    /// A trend.
    TrendName {
        /// Nothing.
        #[default]
        None,
        /// The mean.
        Constant,
        /// A straight line.
        Linear,
    }
}

words! {
    /// Unit of power.
    ScalingName {
        /// Per unit of frequency.
        #[default]
        Density,
        /// Power.
        Spectrum,
    }
}

/// The transform.
#[derive(Debug, Default, Encode, Describe)]
pub(crate) struct Output {
    /// Tones by falling amplitude: peaks that are neither noise nor leakage of larger ones. Of lists only, not of an inverse.
    pub peaks: Vec<SpectralTone>,
    /// Points of the transform.
    pub n: usize,
    /// Width of a tone's peak at half of its power: tones that are closer together are one peak. In the unit of the frequencies.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "inverse": false }))]
    pub resolution: Option<f64>,
    /// The weights that were used.
    pub window: WindowName,
    /// Frequencies of the coefficients; of a matrix, along its rows.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "inverse": false }))]
    pub frequencies: Option<Vec<f64>>,
    /// Of a matrix, the frequencies along its columns.
    #[value(skip_encoding_if = "Option::is_none")]
    pub row_frequencies: Option<Vec<f64>>,
    /// Real parts: sums of sample times exp(-2 pi i j k / n); of an inverse the samples, divided by n.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "kind": "spectrum" }))]
    pub real: Option<Rhs>,
    /// Imaginary parts; not of an inverse from one side, which is real.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "kind": "spectrum", "inverse": false }))]
    pub imaginary: Option<Rhs>,
    /// Amplitudes of cosines, in the unit of the data.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "kind": "amplitude" }))]
    pub amplitude: Option<Rhs>,
    /// Their phases at the first sample, in radians.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "kind": "amplitude" }))]
    pub phase: Option<Rhs>,
    /// Power or power density.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "kind": "power" }))]
    pub power: Option<Vec<f64>>,
    /// Segments that were averaged.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "kind": "power" }))]
    pub segments: Option<usize>,
    /// Relative difference of the energy of (weighted) samples and coefficients, which are equal but for rounding (Parseval).
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(extend("x-present" = { "kind": ["spectrum", "amplitude"] }))]
    pub parseval_error: Option<f64>,
    /// The amplitudes, power in decibels, or the samples of an inverse.
    #[value(skip_encoding_if = "Option::is_none")]
    pub plot: Option<String>,
}

impl Tool for Args {
    const SPEC: Spec = Spec::named("fft", "Fourier transform and spectrum")
        .tags(&[
            "signal",
            "fourier",
            "spectrum",
            "frequency",
            "welch",
            "window",
        ])
        .large();
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "a cosine of two cycles in eight samples at 8 Hz":
            r#"{"data": [1, 0, -1, 0, 1, 0, -1, 0], "rate": 8, "kind": "amplitude", "plot": false}"#
            => r#"{"peaks": [{"frequency": 2.0, "uncertainty": 0.12408060258340473, "amplitude": 1.0, "width": 1.0, "above_noise_db": "Infinity"}],
                "n": 8, "resolution": 0.8919266924019649, "window": "none", "frequencies": [0.0, 1.0, 2.0, 3.0, 4.0],
                "amplitude": [0.0, 0.0, 1.0, 0.0, 0.0], "phase": [0.0, 0.0, 0.0, 0.0, 0.0], "parseval_error": 0.0}"#;
        "back from coefficients":
            r#"{"data": [6, 0], "imaginary": [0, 0], "inverse": true, "plot": false}"#
            => r#"{"peaks": [], "n": 2, "window": "none", "real": [3.0, 3.0], "imaginary": [0.0, 0.0], "parseval_error": 0.0}"#;
    };

    fn run(args: Args, ctx: &Ctx) -> Result<Output, ToolError> {
        let given = FftRequest::new(&args, ctx)?;
        let mut output = match (args.inverse, args.kind) {
            (true, _) => transforms::inverse_transform(given)?,
            (false, Kind::Power) => power::power_spectrum(&args, given, ctx)?,
            (false, _) => transforms::forward_transform(&args, given, ctx)?,
        };
        if args.plot {
            output.plot = plot::plot_spectrum(&output, args.rate, ctx)?;
        }
        Ok(output)
    }
}
