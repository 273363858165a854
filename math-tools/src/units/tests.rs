use proptest::prelude::*;
use tool_core::{Ctx, ErrorCode, Finite, Tool, ToolError};

use super::convert::{Args, ConvertMethod, Output};

fn run(value: f64, from: &str, to: &str) -> Result<Output, ToolError> {
    let args = Args {
        value: Finite::new(value).unwrap(),
        from: from.into(),
        to: to.into(),
    };
    Args::run(args, &Ctx::default())
}

/// Definitions in the SI Brochure (9th edition) and NIST SP 811, appendix B.8; where that prints rounded factors, the quotient of the
/// definitions it gives in bold.
#[test]
fn defined_conversions_are_exact() {
    for (value, from, to, expected) in [
        (1.0, "in", "cm", 2.54),
        (1.0, "mile", "km", 1.609344),
        (1.0, "nmi", "m", 1852.0),
        (3.0, "ft", "yd", 1.0),
        (1.0, "acre", "m^2", 4046.8564224),
        (1.0, "ha", "m²", 10_000.0),
        (1.0, "gal", "L", 3.785411784),
        (1.0, "gal", "in^3", 231.0),
        (1.0, "imperial_gallon", "litres", 4.54609),
        (1.0, "lb", "kg", 0.45359237),
        (1.0, "lb", "oz", 16.0),
        (1.0, "stone", "lb", 14.0),
        (1.0, "troy_ounce", "grain", 480.0),
        (36.0, "km/h", "m/s", 10.0),
        (1.0, "knot", "km/h", 1.852),
        (60.0, "mph", "ft/s", 88.0),
        (1.0, "atm", "kPa", 101.325),
        (760.0, "Torr", "atm", 1.0),
        (1.0, "bar", "hPa", 1000.0),
        (1.0, "psi", "lbf/in^2", 1.0),
        (1.0, "kWh", "MJ", 3.6),
        (1.0, "cal", "J", 4.184),
        (1.0, "BTU", "J", 1055.05585262),
        (1.0, "therm", "BTU", 100_000.0),
        (1.0, "eV", "J", 1.602176634e-19),
        (1.0, "PS", "W", 735.49875),
        (550.0, "ft*lbf/s", "hp", 1.0),
        (1.0, "kgf", "N", 9.80665),
        (1.0, "lbf", "N", 4.4482216152605),
        (1.0, "slug", "lbf*s^2/ft", 1.0),
        (0.0, "degC", "K", 273.15),
        (-40.0, "degF", "degC", -40.0),
        (98.6, "°F", "°C", 37.0),
        (100.0, "degC", "degF", 212.0),
        (491.67, "degR", "degC", 0.0),
        (9.0, "delta_degF", "delta_degC", 5.0),
        (5.0, "K", "delta_degF", 9.0),
        (1.0, "GiB", "MiB", 1024.0),
        (1.0, "MB", "kB", 1000.0),
        (1.0, "MiB", "bytes", 1_048_576.0),
        (1.0, "Gbit/s", "MB/s", 125.0),
        (1.0, "kg*m^2/s^3", "W", 1.0),
        (1.0, "kg m^2 s^-3", "mW", 1000.0),
        (1.0, "N·m", "J", 1.0),
        (1.0, "W/(m^2 K)", "kg s-3 K-1", 1.0),
        (5.0, "µm", "nm", 5000.0),
        (1.0, "megawatt hour", "GJ", 3.6),
        (1.0, "week", "d", 7.0),
        (1.0, "turn", "deg", 360.0),
        (1.0, "c", "km/s", 299_792.458),
        (1.0, "light_year", "km", 9_460_730_472_580.8),
        (50.0, "%", "1", 0.5),
        (1.0, "kat", "mol/min", 60.0),
    ] {
        let output = run(value, from, to).unwrap_or_else(|err| panic!("{from} -> {to}: {err:?}"));
        assert_eq!(output.value, expected, "{value} {from} -> {to}");
        assert_eq!(output.exact, !matches!(from, "turn"), "{from} -> {to}");
    }
}

#[test]
fn factors_with_pi_and_measured_ones_say_so() {
    use std::f64::consts::PI;
    for (value, from, to, expected) in [
        (180.0, "deg", "rad", PI),
        (60.0, "rpm", "rad/s", 2.0 * PI),
        (1.0, "rad", "turn", 0.5 / PI),
        (1.0, "arcsec", "rad", 4.848_136_811_095_36e-6),
        (1.0, "pc", "au", 206_264.806_247_096_36), // 648000 / pi
        (1.0, "kpc", "ly", 3_261.563_777_167_434),
        (1.0, "Da", "kg", 1.660_539_066_60e-27),
    ] {
        let output = run(value, from, to).unwrap_or_else(|err| panic!("{from} -> {to}: {err:?}"));
        assert!(
            (output.value / expected - 1.0).abs() < 1e-15,
            "{from} -> {to}: {}",
            output.value
        );
        assert!(!output.exact && output.exact_value.is_none());
    }
}

#[test]
fn fuel_economy_goes_through_the_reciprocal() {
    // 235.2145833 by NIST SP 811, B.5: (100 x 3.785411784) / 1.609344
    let output = run(30.0, "mpg", "L/100km").unwrap();
    assert!((output.value - 378.5411784 / 1.609344 / 30.0).abs() < 1e-14);
    assert_eq!(output.method, ConvertMethod::Reciprocal);
    let back = run(output.value, "L/100km", "mpg").unwrap();
    assert!((back.value - 30.0).abs() < 1e-13);
    assert_eq!(run(8.0, "L/100km", "L/km").unwrap().value, 0.08);
    assert_eq!(
        run(0.0, "mpg", "L/100km").unwrap_err().reason_str(),
        Some("division_by_zero")
    );
}

#[test]
fn letters_of_temperatures_are_hinted_at() {
    for (from, to, named) in [
        ("F", "C", ["`degF`", "`degC`"]),
        ("f", "c", ["`degF`", "`degC`"]),
        ("C", "K", ["`degC`", "`K`"]),
        ("degC", "F", ["`degC`", "`degF`"]),
        ("R", "K", ["`degR`", "`K`"]),
    ] {
        let err = run(98.6, from, to).expect_err(from);
        let hint = err.hint_str().unwrap_or_default();
        for name in named {
            assert!(hint.contains(name), "{from} -> {to}: {hint}");
        }
    }
    // Farads and coulombs among units of electricity are meant as such.
    assert_eq!(run(1.0, "F", "C/V").unwrap().value, 1.0);
    let err = run(1.0, "F", "m").unwrap_err();
    assert_eq!(err.hint_str(), Some("choose units of one dimension"));
}

#[test]
fn faults_are_typed() {
    for (value, from, to, path, reason, words) in [
        (
            1.0,
            "kg",
            "m",
            "/to",
            "dimension",
            "`kg` has the dimension kg but `m` has m",
        ),
        (1.0, "J/s", "J", "/to", "dimension", "m^2 kg s^-3"),
        (20.0, "degC", "delta_degF", "/to", "dimension", "difference"),
        (1.0, "Hz", "rpm", "/to", "dimension", "s^-1 rad"),
        (1.0, "Hz", "s", "/to", "dimension", "s^-1"),
        (1.0, "milez", "m", "/from", "unit", "milez"),
        (1.0, "m", "KM", "/to", "unit", "KM"),
        (1.0, "", "m", "/from", "unit", "empty"),
        (1.0, "m^", "m", "/from", "unit", "^"),
        (1.0, "(m", "m", "/from", "unit", "end"),
        (1.0, "m)", "m", "/from", "unit", ")"),
        (1.0, "m^99", "m", "/from", "unit", "exponent"),
        (1.0, "degC/s", "K/s", "/from", "unit", "zero point"),
        (1.0, "0 m", "m", "/from", "unit", "0"),
        (1.0, "m//s", "m/s", "/from", "unit", "/"),
        (-300.0, "degC", "K", "/value", "domain", "absolute zero"),
        (1e308, "Qm", "qm", "/value", "overflow", "range"),
        (1e-308, "qm", "Qm", "/value", "overflow", "range"),
    ] {
        let err = run(value, from, to).expect_err(from);
        assert_eq!(
            (err.path(), err.reason_str()),
            (Some(path), Some(reason)),
            "{from} -> {to}: {err:?}"
        );
        assert!(
            err.message().contains(words),
            "{from} -> {to}: {}",
            err.message()
        );
        assert!(err.hint_str().is_some());
    }
    let err = run(1.0, "meterz", "m").unwrap_err();
    assert!(err.hint_str().unwrap().contains("meter"), "{err:?}");
    for hostile in [
        "(".repeat(10_000),
        "m".repeat(10_000),
        "m ".repeat(90),
        "9".repeat(199),
    ] {
        let found = run(1.0, &hostile, "m");
        assert_eq!(
            found.map_err(|err| err.code()).unwrap_err(),
            ErrorCode::InvalidArgs
        );
    }
}

#[test]
fn every_unit_is_read_back_by_each_of_its_names() {
    for unit in super::table::UNITS {
        for name in unit.names {
            if *name == "1" {
                continue;
            }
            let found =
                super::quantity::parse_unit(name).unwrap_or_else(|err| panic!("{name}: {err}"));
            assert_eq!(found.dimension, unit.dimension, "{name}");
        }
    }
}

#[test]
fn a_prefix_on_a_scale_of_temperatures_is_explained() {
    let error = run(1.0, "mdegC", "K").unwrap_err();
    let hint = error.hint_str().unwrap();
    assert!(
        hint.contains("take no prefix") && hint.contains("delta_degC"),
        "{hint}"
    );
}

proptest! {
    /// There and back again is the same double or its neighbour.
    #[test]
    fn conversions_invert(value in -1e12_f64..1e12, pair in 0_usize..6) {
        let (from, to) = [("mile", "km"), ("degF", "K"), ("psi", "Pa"), ("deg", "rad"), ("hp", "BTU/h"), ("GiB", "kbit")][pair];
        prop_assume!(pair != 1 || value > 0.0);
        let there = run(value, from, to).unwrap().value;
        let back = run(there, to, from).unwrap().value;
        let floor = if pair == 1 { 1000.0 } else { 0.0 };
        let error = (back - value).abs();
        prop_assert!(error <= 4e-16 * value.abs().max(floor), "{}", error);
    }
}
