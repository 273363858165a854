//! The known units with their factors to the SI.
//!
//! Factors are those of the SI Brochure (BIPM, 9th edition, 2019, tables 4, 8 and the prefixes of 2022) and of NIST Special Publication
//! 811 (2008, appendix B); where a unit is defined by a number, that number stands here as it is defined.

/// Exponents of the base quantities, in this order: metre, kilogram, second, ampere, kelvin, mole, candela, radian, bit.
pub(super) type Dimension = [i32; 9];

/// Symbols of the base units, in the order of [`Dimension`].
pub(super) const BASE: [&str; 9] = ["m", "kg", "s", "A", "K", "mol", "cd", "rad", "bit"];

/// Prefixes allowed on a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AllowedPrefixes {
    None,
    Si,
    /// Decimal and binary ones.
    Both,
}

/// Source of a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UnitSource {
    Si,
    Nist,
    /// IEC 80000-13.
    Iec,
    /// CODATA 2018: measured, so not exact.
    Codata,
}

impl UnitSource {
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Si => "SI Brochure, 9th edition (BIPM 2019)",
            Self::Nist => "NIST Special Publication 811 (2008), appendix B",
            Self::Iec => "IEC 80000-13:2008",
            Self::Codata => "CODATA 2018 (measured)",
        }
    }
}

/// A unit: `factor * pi^pi` of the SI's coherent unit of its dimension, from a zero point `offset` of that unit.
#[derive(Debug)]
pub(super) struct UnitDefinition {
    /// Symbols and names; the first is the symbol.
    pub(super) names: Names,
    /// A decimal, or a quotient of two.
    pub(super) factor: &'static str,
    pub(super) pi: i32,
    pub(super) offset: Option<&'static str>,
    /// Whether it counts differences of temperature only.
    pub(super) difference: bool,
    pub(super) dimension: Dimension,
    pub(super) prefixes: AllowedPrefixes,
    pub(super) source: UnitSource,
}

type Names = &'static [&'static str];

const fn define_unit(
    names: Names,
    factor: &'static str,
    dimension: Dimension,
    prefixes: AllowedPrefixes,
    source: UnitSource,
) -> UnitDefinition {
    UnitDefinition {
        names,
        factor,
        pi: 0,
        offset: None,
        difference: false,
        dimension,
        prefixes,
        source,
    }
}

const fn si_unit(names: Names, dimension: Dimension) -> UnitDefinition {
    define_unit(names, "1", dimension, AllowedPrefixes::Si, UnitSource::Si)
}

/// With prefixes.
const fn accepted_si(names: Names, factor: &'static str, dimension: Dimension) -> UnitDefinition {
    define_unit(
        names,
        factor,
        dimension,
        AllowedPrefixes::Si,
        UnitSource::Si,
    )
}

const fn accepted_unit(names: Names, factor: &'static str, dimension: Dimension) -> UnitDefinition {
    define_unit(
        names,
        factor,
        dimension,
        AllowedPrefixes::None,
        UnitSource::Si,
    )
}

const fn measured_unit(names: Names, factor: &'static str, dimension: Dimension) -> UnitDefinition {
    define_unit(
        names,
        factor,
        dimension,
        AllowedPrefixes::Si,
        UnitSource::Codata,
    )
}

/// With prefixes.
const fn other_si(names: Names, factor: &'static str, dimension: Dimension) -> UnitDefinition {
    define_unit(
        names,
        factor,
        dimension,
        AllowedPrefixes::Si,
        UnitSource::Nist,
    )
}

const fn data_unit(names: Names, factor: &'static str, dimension: Dimension) -> UnitDefinition {
    define_unit(
        names,
        factor,
        dimension,
        AllowedPrefixes::Both,
        UnitSource::Iec,
    )
}

const fn other_unit(names: Names, factor: &'static str, dimension: Dimension) -> UnitDefinition {
    define_unit(
        names,
        factor,
        dimension,
        AllowedPrefixes::None,
        UnitSource::Nist,
    )
}

const fn angle_unit(names: Names, factor: &'static str) -> UnitDefinition {
    UnitDefinition {
        pi: 1,
        ..other_unit(names, factor, ANGLE)
    }
}

const fn temperature_unit(
    names: Names,
    factor: &'static str,
    offset: Option<&'static str>,
) -> UnitDefinition {
    UnitDefinition {
        offset,
        ..other_unit(names, factor, TEMPERATURE)
    }
}

const NONE: Dimension = [0; 9];
const LENGTH: Dimension = [1, 0, 0, 0, 0, 0, 0, 0, 0];
const AREA: Dimension = [2, 0, 0, 0, 0, 0, 0, 0, 0];
const VOLUME: Dimension = [3, 0, 0, 0, 0, 0, 0, 0, 0];
const MASS: Dimension = [0, 1, 0, 0, 0, 0, 0, 0, 0];
const TIME: Dimension = [0, 0, 1, 0, 0, 0, 0, 0, 0];
const CURRENT: Dimension = [0, 0, 0, 1, 0, 0, 0, 0, 0];
const TEMPERATURE: Dimension = [0, 0, 0, 0, 1, 0, 0, 0, 0];
const AMOUNT: Dimension = [0, 0, 0, 0, 0, 1, 0, 0, 0];
const LIGHT: Dimension = [0, 0, 0, 0, 0, 0, 1, 0, 0];
const ANGLE: Dimension = [0, 0, 0, 0, 0, 0, 0, 1, 0];
const DATA: Dimension = [0, 0, 0, 0, 0, 0, 0, 0, 1];
const SPEED: Dimension = [1, 0, -1, 0, 0, 0, 0, 0, 0];
const FREQUENCY: Dimension = [0, 0, -1, 0, 0, 0, 0, 0, 0];
const FORCE: Dimension = [1, 1, -2, 0, 0, 0, 0, 0, 0];
const PRESSURE: Dimension = [-1, 1, -2, 0, 0, 0, 0, 0, 0];
const ENERGY: Dimension = [2, 1, -2, 0, 0, 0, 0, 0, 0];
const POWER: Dimension = [2, 1, -3, 0, 0, 0, 0, 0, 0];

/// Every unit.
pub(super) static UNITS: &[UnitDefinition] = &[
    // base
    si_unit(&["m", "metre", "meter"], LENGTH),
    accepted_si(&["g", "gram", "gramme"], "0.001", MASS),
    si_unit(&["s", "second", "sec"], TIME),
    si_unit(&["A", "ampere", "amp"], CURRENT),
    si_unit(&["K", "kelvin"], TEMPERATURE),
    si_unit(&["mol", "mole"], AMOUNT),
    si_unit(&["cd", "candela"], LIGHT),
    si_unit(&["rad", "radian"], ANGLE),
    si_unit(&["sr", "steradian"], [0, 0, 0, 0, 0, 0, 0, 2, 0]),
    // derived
    si_unit(&["Hz", "hertz"], FREQUENCY),
    si_unit(&["N", "newton"], FORCE),
    si_unit(&["Pa", "pascal"], PRESSURE),
    si_unit(&["J", "joule"], ENERGY),
    si_unit(&["W", "watt"], POWER),
    si_unit(&["C", "coulomb"], [0, 0, 1, 1, 0, 0, 0, 0, 0]),
    si_unit(&["V", "volt"], [2, 1, -3, -1, 0, 0, 0, 0, 0]),
    si_unit(&["F", "farad"], [-2, -1, 4, 2, 0, 0, 0, 0, 0]),
    si_unit(&["Ω", "ohm", "Ohm", "Ω"], [2, 1, -3, -2, 0, 0, 0, 0, 0]),
    si_unit(&["S", "siemens"], [-2, -1, 3, 2, 0, 0, 0, 0, 0]),
    si_unit(&["Wb", "weber"], [2, 1, -2, -1, 0, 0, 0, 0, 0]),
    si_unit(&["T", "tesla"], [0, 1, -2, -1, 0, 0, 0, 0, 0]),
    si_unit(&["H", "henry"], [2, 1, -2, -2, 0, 0, 0, 0, 0]),
    si_unit(&["lm", "lumen"], [0, 0, 0, 0, 0, 0, 1, 2, 0]),
    si_unit(&["lx", "lux"], [-2, 0, 0, 0, 0, 0, 1, 2, 0]),
    si_unit(&["Bq", "becquerel"], FREQUENCY),
    si_unit(&["Gy", "gray"], [2, 0, -2, 0, 0, 0, 0, 0, 0]),
    si_unit(&["Sv", "sievert"], [2, 0, -2, 0, 0, 0, 0, 0, 0]),
    si_unit(&["kat", "katal"], [0, 0, -1, 0, 0, 1, 0, 0, 0]),
    // accepted with the SI
    accepted_si(&["t", "tonne", "metric_ton"], "1000", MASS),
    accepted_si(&["L", "l", "litre", "liter"], "0.001", VOLUME),
    accepted_unit(&["min", "minute"], "60", TIME),
    accepted_unit(&["h", "hour", "hr"], "3600", TIME),
    accepted_unit(&["d", "day"], "86400", TIME),
    accepted_unit(&["ha", "hectare"], "10000", AREA),
    accepted_unit(&["au", "astronomical_unit"], "149597870700", LENGTH),
    accepted_si(&["eV", "electronvolt"], "1.602176634e-19", ENERGY),
    measured_unit(&["Da", "dalton", "u"], "1.66053906660e-27", MASS),
    // length
    other_unit(&["in", "inch", "inches"], "0.0254", LENGTH),
    other_unit(&["ft", "foot", "feet"], "0.3048", LENGTH),
    other_unit(&["yd", "yard"], "0.9144", LENGTH),
    other_unit(&["mi", "mile"], "1609.344", LENGTH),
    other_unit(&["nmi", "nautical_mile"], "1852", LENGTH),
    other_unit(&["mil", "thou"], "0.0000254", LENGTH),
    other_unit(&["ftUS", "survey_foot", "survey_feet"], "1200/3937", LENGTH),
    other_unit(&["fathom"], "1.8288", LENGTH),
    other_unit(&["chain"], "20.1168", LENGTH),
    other_unit(&["furlong"], "201.168", LENGTH),
    other_unit(&["Å", "angstrom", "Å"], "1e-10", LENGTH),
    other_unit(
        &["ly", "light_year", "lightyear"],
        "9460730472580800",
        LENGTH,
    ),
    UnitDefinition {
        pi: -1,
        ..other_si(&["pc", "parsec"], "96939420213600000", LENGTH)
    },
    other_unit(&["pt", "point"], "0.0254/72", LENGTH),
    // mass
    other_unit(&["lb", "lbm", "pound"], "0.45359237", MASS),
    other_unit(&["oz", "ounce"], "0.028349523125", MASS),
    other_unit(&["gr", "grain"], "0.00006479891", MASS),
    other_unit(&["st", "stone"], "6.35029318", MASS),
    other_unit(&["ozt", "troy_ounce"], "0.0311034768", MASS),
    other_unit(&["ton", "short_ton"], "907.18474", MASS),
    other_unit(&["long_ton"], "1016.0469088", MASS),
    other_unit(&["slug"], "4.4482216152605/0.3048", MASS),
    other_unit(&["ct", "carat"], "0.0002", MASS),
    // time
    other_unit(&["week", "wk"], "604800", TIME),
    other_unit(&["fortnight"], "1209600", TIME),
    other_unit(&["a", "yr", "year", "julian_year"], "31557600", TIME),
    // temperature
    temperature_unit(&["degC", "°C", "celsius"], "1", Some("273.15")),
    temperature_unit(&["degF", "°F", "fahrenheit"], "5/9", Some("459.67")),
    temperature_unit(&["degR", "°R", "rankine"], "5/9", None),
    UnitDefinition {
        difference: true,
        ..temperature_unit(&["delta_degC", "celsius_difference"], "1", None)
    },
    UnitDefinition {
        difference: true,
        ..temperature_unit(&["delta_degF", "fahrenheit_difference"], "5/9", None)
    },
    // area and volume
    other_unit(&["acre"], "4046.8564224", AREA),
    other_si(&["b", "barn"], "1e-28", AREA),
    other_unit(&["gal", "gallon"], "0.003785411784", VOLUME),
    other_unit(&["qt", "quart"], "0.000946352946", VOLUME),
    other_unit(&["pint"], "0.000473176473", VOLUME),
    other_unit(&["cup"], "0.0002365882365", VOLUME),
    other_unit(&["floz", "fluid_ounce"], "0.0000295735295625", VOLUME),
    other_unit(&["tbsp", "tablespoon"], "0.00001478676478125", VOLUME),
    other_unit(&["tsp", "teaspoon"], "0.00000492892159375", VOLUME),
    other_unit(&["galUK", "imperial_gallon"], "0.00454609", VOLUME),
    other_unit(&["pintUK", "imperial_pint"], "0.00056826125", VOLUME),
    other_unit(&["bbl", "oil_barrel"], "0.158987294928", VOLUME),
    // speed
    other_unit(&["kn", "knot", "kt"], "1852/3600", SPEED),
    other_unit(&["mph"], "0.44704", SPEED),
    other_unit(&["kph", "kmh"], "1/3.6", SPEED),
    accepted_unit(&["c", "speed_of_light"], "299792458", SPEED),
    other_unit(
        &["gn", "standard_gravity"],
        "9.80665",
        [1, 0, -2, 0, 0, 0, 0, 0, 0],
    ),
    // pressure
    other_si(&["bar"], "100000", PRESSURE),
    other_unit(&["atm", "atmosphere"], "101325", PRESSURE),
    other_unit(&["at", "technical_atmosphere"], "98066.5", PRESSURE),
    other_unit(&["Torr", "torr"], "101325/760", PRESSURE),
    other_unit(&["mmHg"], "133.322387415", PRESSURE),
    other_unit(&["inHg"], "3386.388640341", PRESSURE),
    other_unit(&["psi"], "4.4482216152605/0.00064516", PRESSURE),
    // force
    other_unit(&["dyn", "dyne"], "0.00001", FORCE),
    other_unit(&["kgf", "kilopond"], "9.80665", FORCE),
    other_unit(&["lbf", "pound_force"], "4.4482216152605", FORCE),
    // energy
    other_si(&["cal", "calorie"], "4.184", ENERGY),
    other_unit(&["cal_IT"], "4.1868", ENERGY),
    other_unit(&["BTU", "Btu"], "1055.05585262", ENERGY),
    other_unit(&["erg"], "1e-7", ENERGY),
    other_si(&["Wh", "watt_hour"], "3600", ENERGY),
    other_unit(&["therm"], "105505585.262", ENERGY),
    other_unit(&["tTNT", "ton_of_TNT"], "4184000000", ENERGY),
    // power
    other_unit(&["hp", "horsepower"], "745.69987158227022", POWER),
    other_unit(&["PS", "metric_horsepower"], "735.49875", POWER),
    // angle
    angle_unit(&["deg", "°", "degree"], "1/180"),
    angle_unit(&["arcmin", "arcminute", "′"], "1/10800"),
    angle_unit(&["arcsec", "arcsecond", "″"], "1/648000"),
    angle_unit(&["gon", "grad", "gradian"], "1/200"),
    angle_unit(&["turn", "revolution", "rev"], "2"),
    UnitDefinition {
        pi: 1,
        ..other_unit(&["rpm"], "1/30", [0, 0, -1, 0, 0, 0, 0, 1, 0])
    },
    // data
    data_unit(&["bit"], "1", DATA),
    data_unit(&["B", "byte"], "8", DATA),
    data_unit(&["bps"], "1", [0, 0, -1, 0, 0, 0, 0, 0, 1]),
    // fuel economy
    other_unit(
        &["mpg"],
        "1609.344/0.003785411784",
        [-2, 0, 0, 0, 0, 0, 0, 0, 0],
    ),
    other_unit(
        &["mpgUK"],
        "1609.344/0.00454609",
        [-2, 0, 0, 0, 0, 0, 0, 0, 0],
    ),
    // other
    other_si(&["Gs", "gauss"], "0.0001", [0, 1, -2, -1, 0, 0, 0, 0, 0]),
    other_si(&["P", "poise"], "0.1", [-1, 1, -1, 0, 0, 0, 0, 0, 0]),
    other_si(&["St", "stokes"], "0.0001", [2, 0, -1, 0, 0, 0, 0, 0, 0]),
    other_unit(&["Ci", "curie"], "3.7e10", FREQUENCY),
    other_unit(&["%", "percent"], "0.01", NONE),
    other_unit(&["ppm"], "0.000001", NONE),
    other_unit(&["1", "one"], "1", NONE),
];

/// Decimal prefixes: symbols, name, exponent of ten.
pub(super) const SI_PREFIXES: &[(&[&str], &str, i32)] = &[
    (&["Q"], "quetta", 30),
    (&["R"], "ronna", 27),
    (&["Y"], "yotta", 24),
    (&["Z"], "zetta", 21),
    (&["E"], "exa", 18),
    (&["P"], "peta", 15),
    (&["T"], "tera", 12),
    (&["G"], "giga", 9),
    (&["M"], "mega", 6),
    (&["k"], "kilo", 3),
    (&["h"], "hecto", 2),
    (&["da"], "deca", 1),
    (&["d"], "deci", -1),
    (&["c"], "centi", -2),
    (&["m"], "milli", -3),
    (&["µ", "μ", "u"], "micro", -6),
    (&["n"], "nano", -9),
    (&["p"], "pico", -12),
    (&["f"], "femto", -15),
    (&["a"], "atto", -18),
    (&["z"], "zepto", -21),
    (&["y"], "yocto", -24),
    (&["r"], "ronto", -27),
    (&["q"], "quecto", -30),
];

/// Binary prefixes: symbol, name, exponent of two.
pub(super) const BINARY_PREFIXES: &[(&str, &str, i32)] = &[
    ("Ki", "kibi", 10),
    ("Mi", "mebi", 20),
    ("Gi", "gibi", 30),
    ("Ti", "tebi", 40),
    ("Pi", "pebi", 50),
    ("Ei", "exbi", 60),
    ("Zi", "zebi", 70),
    ("Yi", "yobi", 80),
];
