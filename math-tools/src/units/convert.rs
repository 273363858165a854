//! The converter of units.

use tool_core::examples;
use tool_core::{
    Ctx, Decode, Describe, Encode, Finite, JsonExample, Spec, Syntax, Tool, ToolError, number,
};

use super::quantity::{self, UnitError, UnitQuantity, dimension_text};
use super::table::{Dimension, UnitSource};
use crate::expression::rational::Rational;

/// Convert a value from one unit of measurement to another, with exact factors where the units are defined exactly (1 in = 2.54 cm).
///
/// Units: SI base and derived units with all prefixes (`km`, `mV`, `µs`), units accepted with the SI, common others (`mile`, `lb`, `psi`, `BTU`, `gal`,
/// `mpg`, `acre`, `knot`, `eV`), data with decimal and binary prefixes (`MB`, `MiB`), angles (`deg`, `rpm`), and products of them:
/// `km/h`, `kg*m^2/s^3`, `m s^-1`, `L/100km`; `*` and `/` are read from left to right. `degC` and `degF` are temperatures with their zero points,
/// `delta_degC` and `delta_degF` differences. `mpg` and `L/100km` are converted through the reciprocal. The case of symbols counts.
#[derive(Debug, Encode, Decode, Describe)]
#[value(deny_unknown_fields)]
pub(crate) struct Args {
    /// The value, in the unit `from`.
    pub value: Finite,
    /// Unit of the value.
    pub from: String,
    /// Unit to convert to, of the same dimension.
    pub to: String,
}

/// The converted value.
#[derive(Debug, Encode, Describe)]
pub(crate) struct Output {
    /// The value in the unit `to`: the double nearest to the exact result.
    pub value: f64,
    /// The unit converted to.
    pub unit: String,
    /// Whether the conversion is exact: both units are defined, without pi and without measurement. The value is then only rounded to a double.
    pub exact: bool,
    /// The exact result as `p` or `p/q`, where the conversion is exact and it is short (40 characters).
    #[value(skip_encoding_if = "Option::is_none")]
    pub exact_value: Option<String>,
    /// Kind of conversion: `factor` (a multiplication), `scale` (with zero points) or `reciprocal` (fuel economy).
    pub method: ConvertMethod,
    /// Dimension of both units in SI base units with `rad` and `bit`, such as `m s^-1`; of `from` for a reciprocal.
    pub dimension: String,
    /// Sources of the definitions.
    pub sources: Vec<String>,
}

/// Kind of conversion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Describe)]
#[value(rename_all = "snake_case")]
pub(crate) enum ConvertMethod {
    /// A multiplication.
    Factor,
    /// Between scales with zero points.
    Scale,
    /// A division: distance per volume to volume per distance or back.
    Reciprocal,
}

/// Pi to 60 digits: more than the double nearest to any product needs.
const PI: &str = "3.14159265358979323846264338327950288419716939937510582097494";
/// Dimension of distance per volume.
const ECONOMY: Dimension = [-2, 0, 0, 0, 0, 0, 0, 0, 0];
/// Dimension of volume per distance.
const CONSUMPTION: Dimension = [2, 0, 0, 0, 0, 0, 0, 0, 0];

impl Tool for Args {
    const SPEC: Spec = Spec::named("convert_units", "Unit converter")
        .tags(&["units", "conversion"])
        .syntax(&[("/from", Syntax::Expression), ("/to", Syntax::Expression)]);
    type Output = Output;
    const EXAMPLES: &'static [JsonExample] = examples! {
        "inches to centimetres": r#"{"value": 10, "from": "in", "to": "cm"}"#
            => r#"{"value": 25.4, "unit": "cm", "exact": true, "exact_value": "127/5",
                "method": "factor", "dimension": "m",
                "sources": ["NIST Special Publication 811 (2008), appendix B", "SI Brochure, 9th edition (BIPM 2019)"]}"#;
        "a temperature": r#"{"value": 212, "from": "degF", "to": "degC"}"#
            => r#"{"value": 100.0, "unit": "degC", "exact": true, "exact_value": "100",
                "method": "scale", "dimension": "K",
                "sources": ["NIST Special Publication 811 (2008), appendix B"]}"#;
        "a speed": r#"{"value": 90, "from": "km/h", "to": "m/s"}"#
            => r#"{"value": 25.0, "unit": "m/s", "exact": true, "exact_value": "25",
                "method": "factor", "dimension": "m s^-1",
                "sources": ["SI Brochure, 9th edition (BIPM 2019)"]}"#;
    };

    fn run(args: Args, _: &Ctx) -> Result<Output, ToolError> {
        let from =
            quantity::parse_unit(&args.from).map_err(|err| unit_error(&args, &err, "/from"))?;
        let to = quantity::parse_unit(&args.to).map_err(|err| unit_error(&args, &err, "/to"))?;
        let mixed =
            |scale: &UnitQuantity, other: &UnitQuantity| scale.offset.is_some() && other.difference;
        if mixed(&from, &to) || mixed(&to, &from) {
            refuse!(invalid "/to", "dimension"; "one unit is a temperature, the other a difference of temperatures";
                "convert temperatures with `degC`, `degF`, `K` and differences with `delta_degC`, `delta_degF`, `K`");
        }
        let method =
            conversion_method(&from, &to).ok_or_else(|| dimensions_differ(&args, &from, &to))?;
        let value = Rational::parse(&number::non_finite_spelling(args.value.get()))
            .map_err(|_| range_error())?;
        let exact = from.is_exact() && to.is_exact();
        let result = convert_value(&value, &from, &to, method)?;
        let nearest = result.to_f64();
        if nearest.is_infinite() || (nearest == 0.0 && !result.is_zero()) {
            return Err(range_error());
        }
        Ok(Output {
            value: nearest,
            unit: args.to,
            exact,
            exact_value: Some(result.to_string()).filter(|text| exact && text.len() <= 40),
            method,
            dimension: dimension_text(&from.dimension),
            sources: source_titles(&from, &to),
        })
    }
}

fn conversion_method(from: &UnitQuantity, to: &UnitQuantity) -> Option<ConvertMethod> {
    let economy =
        |a: &UnitQuantity, b: &UnitQuantity| a.dimension == ECONOMY && b.dimension == CONSUMPTION;
    if from.dimension == to.dimension {
        let scale = from.offset.is_some() || to.offset.is_some();
        Some(if scale {
            ConvertMethod::Scale
        } else {
            ConvertMethod::Factor
        })
    } else if economy(from, to) || economy(to, from) {
        Some(ConvertMethod::Reciprocal)
    } else {
        None
    }
}

fn convert_value(
    value: &Rational,
    from: &UnitQuantity,
    to: &UnitQuantity,
    method: ConvertMethod,
) -> Result<Rational, ToolError> {
    let zero = Rational::from(0);
    let offset = |quantity: &UnitQuantity| quantity.offset.clone().unwrap_or_else(|| zero.clone());
    let convert = || {
        if method == ConvertMethod::Reciprocal {
            return Rational::from(1).div(&value.mul(&from.factor)?.mul(&to.factor)?);
        }
        let base = value.add(&offset(from))?.mul(&from.factor)?;
        let pi = Rational::parse(PI)?.pow(&Rational::from(from.pi - to.pi))?;
        base.mul(&pi)?.div(&to.factor)?.sub(&offset(to))
    };
    if method == ConvertMethod::Reciprocal && value.is_zero() {
        refuse!(numeric "/value", "division_by_zero"; "the reciprocal of zero does not exist";
            "pass a fuel economy above zero");
    }
    let result = convert().map_err(|_| range_error())?;
    if method == ConvertMethod::Scale
        && value
            .add(&offset(from))
            .map_err(|_| range_error())?
            .is_negative()
    {
        refuse!(numeric "/value", "domain"; "the temperature is below absolute zero";
            "for differences write `delta_degC`, `delta_degF` or `K`");
    }
    Ok(result)
}

fn source_titles(from: &UnitQuantity, to: &UnitQuantity) -> Vec<String> {
    let mut sources: Vec<UnitSource> = Vec::new();
    for source in from.sources.iter().chain(&to.sources) {
        if !sources.contains(source) {
            sources.push(*source);
        }
    }
    sources.iter().map(|source| source.title().into()).collect()
}

fn dimensions_differ(args: &Args, from: &UnitQuantity, to: &UnitQuantity) -> ToolError {
    let hint = match from.dimension == to.dimension.map(|exponent| -exponent) {
        true => "one is the reciprocal of the other: invert the value first",
        false => "choose units of one dimension",
    };
    let (a, b) = (
        dimension_text(&from.dimension),
        dimension_text(&to.dimension),
    );
    let message = format!(
        "`{}` has the dimension {a} but `{}` has {b}",
        args.from, args.to
    );
    let error = ToolError::invalid("/to", message).reason("dimension");
    match temperature_hint(args) {
        Some(meant) => error.hint(meant),
        None => error.hint(hint),
    }
}

/// The hint for temperatures written as letters: `F` is the farad and `C` the coulomb.
fn temperature_hint(args: &Args) -> Option<String> {
    let scale = |unit: &str| match unit.trim() {
        "F" | "f" | "degF" | "°F" => Some("degF"),
        "C" | "c" | "degC" | "°C" => Some("degC"),
        "R" | "r" | "degR" | "°R" => Some("degR"),
        "K" | "k" => Some("K"),
        _ => None,
    };
    let (from, to) = (scale(&args.from)?, scale(&args.to)?);
    Some(format!(
        "for temperatures write `{from}` and `{to}`: `F` is the farad, `C` the coulomb"
    ))
}

fn range_error() -> ToolError {
    let error = ToolError::numeric(
        "/value",
        "the converted value is beyond the range of a double",
    );
    error
        .reason("overflow")
        .hint("choose a unit of another size")
}

fn unit_error(args: &Args, err: &UnitError, pointer: &str) -> ToolError {
    let hint = temperature_hint(args).unwrap_or_else(|| err.hint());
    ToolError::invalid(pointer, err).reason("unit").hint(hint)
}
