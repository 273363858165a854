//! From the text of a unit to its dimension and exact factor.
//!
//! ```text
//! product = term { [ "*" | "·" | "/" | "per" ] term }          from left to right; nothing between two terms is a product
//! term    = number [ unit power ] | unit power | "(" product ")" power     a number beside a unit belongs to it: "L/100km"
//! power   = [ [ "^" | "**" ] integer ]                          "m^2", "m**2", "m2", "m²", "s-1"
//! ```

use crate::prelude::did_you_mean;

use super::table::{
    AllowedPrefixes, BASE, BINARY_PREFIXES, Dimension, SI_PREFIXES, UNITS, UnitDefinition,
    UnitSource,
};
use crate::expression::rational::Rational;

/// Longest text of a unit, in bytes.
pub(super) const LENGTH_MAX: usize = 200;
/// Deepest parentheses.
const DEPTH_MAX: usize = 16;
/// Largest exponent of a unit.
const EXPONENT_MAX: i32 = 30;

/// The size of a unit: `factor * pi^pi` of the coherent SI unit.
#[derive(Debug, Clone)]
pub(super) struct UnitQuantity {
    pub(super) factor: Rational,
    pub(super) pi: i32,
    pub(super) dimension: Dimension,
    /// The zero point, in units of this one, of a thermometer scale.
    pub(super) offset: Option<Rational>,
    /// Whether it counts differences of temperature only.
    pub(super) difference: bool,
    pub(super) sources: Vec<UnitSource>,
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
pub(super) fn parse_unit(text: &str) -> Result<UnitQuantity, UnitError> {
    if text.len() > LENGTH_MAX {
        return Err(UnitError::TooLong(text.len()));
    }
    if text.trim().is_empty() {
        return Err(UnitError::Empty);
    }
    let mut parser = UnitParser {
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
    let part = |(symbol, exponent): (&&str, &i32)| match exponent {
        0 => None,
        1 => Some((*symbol).to_owned()),
        _ => Some(format!("{symbol}^{exponent}")),
    };
    let parts: Vec<String> = BASE.iter().zip(dimension).filter_map(part).collect();
    match parts.is_empty() {
        true => "1".into(),
        false => parts.join(" "),
    }
}

struct UnitParser<'a> {
    rest: &'a str,
    depth: usize,
}

impl<'a> UnitParser<'a> {
    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn accept(&mut self, sign: &str) -> bool {
        let found = self.rest.strip_prefix(sign);
        self.rest = found.unwrap_or(self.rest);
        found.is_some()
    }

    fn product(&mut self) -> Result<UnitQuantity, UnitError> {
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

    fn term(&mut self) -> Result<UnitQuantity, UnitError> {
        if self.accept("(") {
            if self.depth == DEPTH_MAX {
                return Err(UnitError::TooDeep);
            }
            self.depth += 1;
            let inner = self.product()?;
            self.depth -= 1;
            if !self.accept(")") {
                let found = Some(self.rest).filter(|rest| !rest.is_empty());
                return Err(UnitError::Unexpected(found.unwrap_or("end").into()));
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
            let number = UnitQuantity::plain(number, 0, [0; 9], Vec::new());
            let exponent = match self.rest.starts_with('^') {
                true => self.exponent()?,
                false => 1,
            };
            let number = number.power(exponent)?;
            return match self.rest.starts_with(is_name) {
                true => number.times(&self.unit()?),
                false => Ok(number),
            };
        }
        self.unit()
    }

    fn unit(&mut self) -> Result<UnitQuantity, UnitError> {
        let length = self.rest.find(|c| !is_name(c)).unwrap_or(self.rest.len());
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
            let digit = |c: char| SUPERSCRIPTS.iter().position(|s| *s == c);
            let plain = |c| digit(c).map_or('-', |digit| char::from(b'0' + digit as u8));
            return parse_small_exponent(&superscript.chars().map(plain).collect::<String>());
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
        let exponent = parse_small_exponent(self.rest[start..end].trim_start_matches('+'))?;
        self.rest = &self.rest[end..];
        if parenthesis && !self.accept(")") {
            return Err(UnitError::Unexpected("(".into()));
        }
        Ok(exponent)
    }
}

fn parse_small_exponent(text: &str) -> Result<i32, UnitError> {
    text.parse()
        .ok()
        .filter(|exponent: &i32| exponent.abs() <= EXPONENT_MAX)
        .ok_or(UnitError::Range)
}

fn is_name(c: char) -> bool {
    c.is_alphabetic() || matches!(c, '_' | '°' | '%' | '′' | '″' | 'µ')
}

impl UnitQuantity {
    fn of(unit: &UnitDefinition) -> Self {
        let factor = match unit.factor.split_once('/') {
            Some((top, bottom)) => parse_table_decimal(top)
                .div(&parse_table_decimal(bottom))
                .ok(),
            None => Some(parse_table_decimal(unit.factor)),
        };
        Self {
            factor: factor.expect("the table's divisors are not zero"),
            pi: unit.pi,
            dimension: unit.dimension,
            offset: unit.offset.map(parse_table_decimal),
            difference: unit.difference,
            sources: vec![unit.source],
        }
    }

    /// Whether its factor is defined and rational.
    pub(super) fn is_exact(&self) -> bool {
        self.pi == 0 && !self.sources.contains(&UnitSource::Codata)
    }

    /// A size without a zero point of its own.
    fn plain(factor: Rational, pi: i32, dimension: Dimension, sources: Vec<UnitSource>) -> Self {
        Self {
            factor,
            pi,
            dimension,
            offset: None,
            difference: false,
            sources,
        }
    }

    fn check_plain(&self) -> Result<(), UnitError> {
        match self.offset {
            None => Ok(()),
            Some(_) => Err(UnitError::Scale("the temperature".into())),
        }
    }

    fn times(&self, other: &Self) -> Result<Self, UnitError> {
        self.check_plain()?;
        other.check_plain()?;
        let mut dimension = self.dimension;
        for (sum, exponent) in dimension.iter_mut().zip(other.dimension) {
            *sum = sum.saturating_add(exponent);
        }
        let mut sources = self.sources.clone();
        let new = |source: &&UnitSource| !self.sources.contains(source);
        sources.extend(other.sources.iter().filter(new));
        let factor = self
            .factor
            .mul(&other.factor)
            .map_err(|_| UnitError::Range)?;
        let pi = self.pi.saturating_add(other.pi);
        Ok(Self::plain(factor, pi, dimension, sources))
    }

    pub(super) fn power(&self, exponent: i32) -> Result<Self, UnitError> {
        if exponent == 1 {
            return Ok(self.clone());
        }
        self.check_plain()?;
        let factor = self
            .factor
            .pow(&Rational::from(exponent))
            .map_err(|_| UnitError::Range)?;
        let dimension = self.dimension.map(|part| part.saturating_mul(exponent));
        let pi = self.pi.saturating_mul(exponent);
        Ok(Self::plain(factor, pi, dimension, self.sources.clone()))
    }
}

/// A decimal of the table.
fn parse_table_decimal(text: &str) -> Rational {
    Rational::parse(text).expect("the table holds decimals")
}

/// A unit by its name: as it is spelled, then with a prefix, then in lower case and in the plural.
fn look_up(name: &str) -> Result<UnitQuantity, UnitError> {
    let lower = name.to_lowercase();
    let singular = lower.strip_suffix('s').unwrap_or(&lower);
    // Only words in lower case: in symbols the case counts.
    let words = [lower.as_str(), singular]
        .into_iter()
        .filter(|word| word.chars().count() > 3);
    let find = |name: &str| {
        let unit = UNITS.iter().find(|unit| unit.names.contains(&name));
        unit.map(UnitQuantity::of)
            .or_else(|| find_prefixed_unit(name))
    };
    if let Some(found) = std::iter::once(name).chain(words).find_map(find) {
        return Ok(found);
    }
    if let Some(scale) = prefixed_scale(name) {
        return Err(UnitError::Unknown {
            name: name.into(),
            hint: format!(
                "temperatures in `{scale}` take no prefix: scale the value; differences are in `delta_{scale}`"
            ),
        });
    }
    let names = || UNITS.iter().flat_map(|unit| unit.names.iter().copied());
    let hint = did_you_mean(name, names());
    let hint = hint.unwrap_or_else(|| match UNITS.iter().flat_map(|unit| unit.names).find(|known| known.eq_ignore_ascii_case(name)) {
            Some(meant) => format!("names are case-sensitive: did you mean `{meant}`?"),
            None => "write symbols such as `m`, `kg`, `s`, `N`, `psi`, `degC` with SI prefixes, or names such as `mile`".into(),
        });
    Err(UnitError::Unknown {
        name: name.into(),
        hint,
    })
}

/// The temperature scale that stands behind a prefix.
fn prefixed_scale(name: &str) -> Option<&'static str> {
    let scale = |rest: &str| {
        let unit = UNITS.iter().find(|unit| unit.names.contains(&rest))?;
        UnitQuantity::of(unit)
            .offset
            .is_some()
            .then_some(unit.names[0])
    };
    let mut prefixes = SI_PREFIXES
        .iter()
        .flat_map(|(symbols, word, _)| symbols.iter().chain([word]));
    prefixes.find_map(|prefix| scale(name.strip_prefix(*prefix)?))
}

/// A symbol with a prefix's symbol, or a name with a prefix's name.
fn find_prefixed_unit(name: &str) -> Option<UnitQuantity> {
    let scaled = |prefix: &str, word: bool, base: i32, exponent: i32| {
        let rest = name.strip_prefix(prefix)?;
        let unit = UNITS.iter().find(|unit| {
            let takes = match unit.prefixes {
                AllowedPrefixes::None => false,
                AllowedPrefixes::Si => base == 10,
                AllowedPrefixes::Both => true,
            };
            let same = |known: &&str| *known == rest && (known.chars().count() > 3) == word;
            takes && unit.names.iter().any(same)
        })?;
        let mut quantity = UnitQuantity::of(unit);
        let scale = Rational::from(base).pow(&Rational::from(exponent)).ok()?;
        quantity.factor = quantity.factor.mul(&scale).ok()?;
        Some(quantity)
    };
    let decimal = SI_PREFIXES.iter().find_map(|(symbols, word, exponent)| {
        let mut symbols = symbols.iter();
        symbols
            .find_map(|symbol| scaled(symbol, false, 10, *exponent))
            .or_else(|| scaled(word, true, 10, *exponent))
            .or_else(|| scaled(word, false, 10, *exponent))
    });
    decimal.or_else(|| {
        BINARY_PREFIXES.iter().find_map(|(symbol, word, exponent)| {
            let either = |prefix: &&str| {
                scaled(prefix, false, 2, *exponent).or_else(|| scaled(prefix, true, 2, *exponent))
            };
            [*symbol, *word].iter().find_map(either)
        })
    })
}
