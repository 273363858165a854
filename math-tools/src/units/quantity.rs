//! From the text of a unit to its dimension and exact factor.
//!
//! ```text
//! product = term { [ "*" | "·" | "/" | "per" ] term }          from left to right; nothing between two terms is a product
//! term    = number [ unit power ] | unit power | "(" product ")" power     a number beside a unit belongs to it: "L/100km"
//! power   = [ [ "^" | "**" ] integer ]                          "m^2", "m**2", "m2", "m²", "s-1"
//! ```

use tool_core::nearest::nearest;

use super::table::{BASE, BINARY_PREFIXES, Dimension, Prefixes, SI_PREFIXES, Source, UNITS, Unit};
use crate::expression::rational::Rational;

/// Longest text of a unit, in bytes.
pub(super) const LENGTH_MAX: usize = 200;
/// Deepest parentheses.
const DEPTH_MAX: usize = 16;
/// Largest exponent of a unit.
const EXPONENT_MAX: i32 = 30;

/// The size of a unit: `factor * pi^pi` of the coherent SI unit.
#[derive(Debug, Clone)]
pub(super) struct Quantity {
    pub(super) factor: Rational,
    pub(super) pi: i32,
    pub(super) dimension: Dimension,
    /// The zero point, in units of this one, of a thermometer scale.
    pub(super) offset: Option<Rational>,
    /// Whether it counts differences of temperature only.
    pub(super) difference: bool,
    pub(super) sources: Vec<Source>,
}

/// Errors of a unit.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub(super) enum UnitError {
    #[error("the unit is empty")]
    Empty,
    #[error("the unit has {0} bytes, the limit is {LENGTH_MAX}")]
    TooLong(usize),
    #[error("unknown unit `{name}`")]
    Unknown { name: String, hint: String },
    #[error("unexpected `{0}` in the unit")]
    Unexpected(String),
    #[error("nested more than {DEPTH_MAX} levels deep")]
    TooDeep,
    #[error("an exponent beyond {EXPONENT_MAX}, or a factor out of range")]
    Range,
    #[error("`{0}` is a scale with a zero point of its own and cannot be part of a product")]
    Scale(String),
}

impl UnitError {
    pub(super) fn hint(&self) -> String {
        match self {
            Self::Unknown { hint, .. } => hint.clone(),
            Self::Scale(_) => "for differences write `delta_degC`, `delta_degF` or `K`".into(),
            Self::Range => "use smaller exponents".into(),
            Self::Empty | Self::TooLong(_) | Self::Unexpected(_) | Self::TooDeep => {
                "write units such as `km/h`, `kg*m^2/s^3` or `m s^-1`".into()
            }
        }
    }
}

/// Reads a unit.
pub(super) fn parse(text: &str) -> Result<Quantity, UnitError> {
    if text.len() > LENGTH_MAX {
        return Err(UnitError::TooLong(text.len()));
    }
    if text.trim().is_empty() {
        return Err(UnitError::Empty);
    }
    let mut parser = Parser {
        rest: text,
        depth: 0,
    };
    let product = parser.product()?;
    match parser.rest.chars().next() {
        None => Ok(product),
        Some(found) => Err(UnitError::Unexpected(found.into())),
    }
}

/// A dimension in base units, such as `m kg s^-2`; `1` for none.
pub(super) fn dimension_text(dimension: &Dimension) -> String {
    let parts: Vec<String> = BASE
        .iter()
        .zip(dimension)
        .filter(|(_, exponent)| **exponent != 0)
        .map(|(symbol, exponent)| {
            if *exponent == 1 {
                (*symbol).into()
            } else {
                format!("{symbol}^{exponent}")
            }
        })
        .collect();
    if parts.is_empty() {
        "1".into()
    } else {
        parts.join(" ")
    }
}

struct Parser<'a> {
    rest: &'a str,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn accept(&mut self, sign: &str) -> bool {
        let found = self.rest.strip_prefix(sign);
        self.rest = found.unwrap_or(self.rest);
        found.is_some()
    }

    fn product(&mut self) -> Result<Quantity, UnitError> {
        self.skip_space();
        let mut product = self.term()?;
        loop {
            self.skip_space();
            if self.rest.is_empty() || self.rest.starts_with(')') {
                return Ok(product);
            }
            let divides = if self.accept("/") || self.accept("per ") {
                true
            } else {
                let _ = self.accept("*") || self.accept("·") || self.accept("⋅");
                false
            };
            self.skip_space();
            let term = self.term()?;
            product = product.times(&if divides { term.power(-1)? } else { term })?;
        }
    }

    fn term(&mut self) -> Result<Quantity, UnitError> {
        if self.accept("(") {
            if self.depth == DEPTH_MAX {
                return Err(UnitError::TooDeep);
            }
            self.depth += 1;
            let inner = self.product()?;
            self.depth -= 1;
            if !self.accept(")") {
                return Err(UnitError::Unexpected(if self.rest.is_empty() {
                    "end".into()
                } else {
                    self.rest.into()
                }));
            }
            let exponent = self.exponent()?;
            return inner.power(exponent);
        }
        let digits = self
            .rest
            .bytes()
            .take_while(|byte| byte.is_ascii_digit() || *byte == b'.')
            .count();
        if digits > 0 {
            let number = Rational::parse(&self.rest[..digits]).map_err(|_| UnitError::Range)?;
            if number.is_zero() {
                return Err(UnitError::Unexpected("0".into()));
            }
            self.rest = &self.rest[digits..];
            let number = Quantity {
                factor: number,
                pi: 0,
                dimension: [0; 9],
                offset: None,
                difference: false,
                sources: Vec::new(),
            };
            let exponent = if self.rest.starts_with(['^']) {
                self.exponent()?
            } else {
                1
            };
            let number = number.power(exponent)?;
            let beside = self.rest.chars().next().is_some_and(is_name);
            return if beside {
                number.times(&self.unit()?)
            } else {
                Ok(number)
            };
        }
        self.unit()
    }

    fn unit(&mut self) -> Result<Quantity, UnitError> {
        let length: usize = self
            .rest
            .chars()
            .take_while(|&c| is_name(c))
            .map(char::len_utf8)
            .sum();
        let name = &self.rest[..length];
        if name.is_empty() {
            let found = self.rest.chars().next().map_or("end".into(), String::from);
            return Err(UnitError::Unexpected(found));
        }
        self.rest = &self.rest[length..];
        let unit = look_up(name)?;
        let exponent = self.exponent()?;
        unit.power(exponent)
    }

    fn exponent(&mut self) -> Result<i32, UnitError> {
        const SUPERSCRIPTS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
        let superscript: String = self
            .rest
            .chars()
            .take_while(|c| *c == '⁻' || SUPERSCRIPTS.contains(c))
            .collect();
        if !superscript.is_empty() {
            self.rest = &self.rest[superscript.len()..];
            let plain: String = superscript
                .chars()
                .map(|c| {
                    SUPERSCRIPTS
                        .iter()
                        .position(|s| *s == c)
                        .map_or('-', |digit| char::from(b'0' + digit as u8))
                })
                .collect();
            return small(&plain);
        }
        let marked = self.accept("**") || self.accept("^");
        let bytes = self.rest.as_bytes();
        let parenthesis = marked && bytes.first() == Some(&b'(');
        let start = usize::from(parenthesis);
        let sign = usize::from(matches!(bytes.get(start), Some(b'-' | b'+')));
        let digits = bytes
            .iter()
            .skip(start + sign)
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        if digits == 0 {
            return if marked {
                Err(UnitError::Unexpected("^".into()))
            } else {
                Ok(1)
            };
        }
        let end = start + sign + digits;
        let exponent = small(self.rest[start..end].trim_start_matches('+'))?;
        self.rest = &self.rest[end..];
        if parenthesis && !self.accept(")") {
            return Err(UnitError::Unexpected("(".into()));
        }
        Ok(exponent)
    }
}

fn small(text: &str) -> Result<i32, UnitError> {
    text.parse()
        .ok()
        .filter(|exponent: &i32| exponent.abs() <= EXPONENT_MAX)
        .ok_or(UnitError::Range)
}

fn is_name(c: char) -> bool {
    c.is_alphabetic() || matches!(c, '_' | '°' | '%' | '′' | '″' | 'µ')
}

impl Quantity {
    fn of(unit: &Unit) -> Self {
        let factor = match unit.factor.split_once('/') {
            Some((top, bottom)) => exact(top).div(&exact(bottom)).ok(),
            None => Some(exact(unit.factor)),
        };
        Self {
            factor: factor.expect("the table's divisors are not zero"),
            pi: unit.pi,
            dimension: unit.dimension,
            offset: unit.offset.map(exact),
            difference: unit.difference,
            sources: vec![unit.source],
        }
    }

    /// Whether its factor is defined and rational.
    pub(super) fn is_exact(&self) -> bool {
        self.pi == 0 && !self.sources.contains(&Source::Codata)
    }

    fn plain(&self) -> Result<(), UnitError> {
        match self.offset {
            None => Ok(()),
            Some(_) => Err(UnitError::Scale("the temperature".into())),
        }
    }

    fn times(&self, other: &Self) -> Result<Self, UnitError> {
        self.plain()?;
        other.plain()?;
        let mut dimension = self.dimension;
        for (sum, exponent) in dimension.iter_mut().zip(other.dimension) {
            *sum = sum.saturating_add(exponent);
        }
        let mut sources = self.sources.clone();
        sources.extend(
            other
                .sources
                .iter()
                .filter(|source| !self.sources.contains(source)),
        );
        Ok(Self {
            factor: self
                .factor
                .mul(&other.factor)
                .map_err(|_| UnitError::Range)?,
            pi: self.pi.saturating_add(other.pi),
            dimension,
            offset: None,
            difference: false,
            sources,
        })
    }

    pub(super) fn power(&self, exponent: i32) -> Result<Self, UnitError> {
        if exponent == 1 {
            return Ok(self.clone());
        }
        self.plain()?;
        Ok(Self {
            factor: self
                .factor
                .pow(&Rational::from(exponent))
                .map_err(|_| UnitError::Range)?,
            pi: self.pi.saturating_mul(exponent),
            dimension: self.dimension.map(|part| part.saturating_mul(exponent)),
            offset: None,
            difference: false,
            sources: self.sources.clone(),
        })
    }
}

/// A decimal of the table.
fn exact(text: &str) -> Rational {
    Rational::parse(text).expect("the table holds decimals")
}

/// A unit by its name: as it is spelled, then with a prefix, then in lower case and in the plural.
fn look_up(name: &str) -> Result<Quantity, UnitError> {
    let whole = |name: &str| UNITS.iter().find(|unit| unit.names.contains(&name));
    if let Some(unit) = whole(name) {
        return Ok(Quantity::of(unit));
    }
    if let Some(found) = prefixed(name) {
        return Ok(found);
    }
    let lower = name.to_lowercase();
    let singular = lower.strip_suffix('s').unwrap_or(&lower);
    for candidate in [lower.as_str(), singular] {
        // Only words: in symbols the case counts.
        if candidate.chars().count() > 3 {
            if let Some(unit) = whole(candidate) {
                return Ok(Quantity::of(unit));
            }
            if let Some(found) = prefixed(candidate) {
                return Ok(found);
            }
        }
    }
    let names = || UNITS.iter().flat_map(|unit| unit.names.iter().copied());
    let hint = match nearest(name, names()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => match UNITS.iter().flat_map(|unit| unit.names).find(|known| known.eq_ignore_ascii_case(name)) {
            Some(meant) => format!("names are case-sensitive: did you mean `{meant}`?"),
            None => "write symbols such as `m`, `kg`, `s`, `N`, `psi`, `degC` with SI prefixes, or names such as `mile`".into(),
        },
    };
    Err(UnitError::Unknown {
        name: name.into(),
        hint,
    })
}

/// A symbol with a prefix's symbol, or a name with a prefix's name.
fn prefixed(name: &str) -> Option<Quantity> {
    let scaled = |rest: &str, word: bool, binary: bool, base: i32, exponent: i32| {
        let unit = UNITS.iter().find(|unit| {
            let takes = match unit.prefixes {
                Prefixes::None => false,
                Prefixes::Si => !binary,
                Prefixes::Both => true,
            };
            takes
                && unit
                    .names
                    .iter()
                    .any(|known| *known == rest && (known.chars().count() > 3) == word)
        })?;
        let mut quantity = Quantity::of(unit);
        let scale = Rational::from(base).pow(&Rational::from(exponent)).ok()?;
        quantity.factor = quantity.factor.mul(&scale).ok()?;
        Some(quantity)
    };
    for (symbols, word, exponent) in SI_PREFIXES {
        for symbol in *symbols {
            if let Some(found) = name
                .strip_prefix(symbol)
                .and_then(|rest| scaled(rest, false, false, 10, *exponent))
            {
                return Some(found);
            }
        }
        let long = name.strip_prefix(word);
        if let Some(found) = long.and_then(|rest| {
            scaled(rest, true, false, 10, *exponent)
                .or_else(|| scaled(rest, false, false, 10, *exponent))
        }) {
            return Some(found);
        }
    }
    for (symbol, word, exponent) in BINARY_PREFIXES {
        for prefix in [symbol, word] {
            let rest = name.strip_prefix(prefix);
            if let Some(found) = rest.and_then(|rest| {
                scaled(rest, false, true, 2, *exponent)
                    .or_else(|| scaled(rest, true, true, 2, *exponent))
            }) {
                return Some(found);
            }
        }
    }
    None
}
