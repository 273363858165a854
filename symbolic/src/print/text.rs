//! Plain text in the language of `calculate`, and the same with mathematical signs.

use num_traits::One;

use super::{reading_order, split_fraction, split_sign};
use crate::greek::greek_sign;
use crate::tree::{Expr, ExprNode, MathConstant, MathFunction, RelationKind};

/// How tightly a text binds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum BindingStrength {
    Sum,
    Product,
    Power,
    Atom,
}

struct TextWriter {
    is_unicode: bool,
}

/// The text that `calculate` reads.
pub fn write_text(expr: &Expr) -> String {
    TextWriter { is_unicode: false }.write(expr).0
}

/// One line with mathematical signs.
pub fn write_unicode(expr: &Expr) -> String {
    TextWriter { is_unicode: true }.write(expr).0
}

impl TextWriter {
    fn write(&self, expr: &Expr) -> (String, BindingStrength) {
        match expr.node() {
            ExprNode::Poisoned(_) => ("undefined".to_owned(), BindingStrength::Atom),
            ExprNode::Number(value) => {
                let binding = match (value.is_integer(), expr.is_negative_number()) {
                    (_, true) => BindingStrength::Sum,
                    (true, false) => BindingStrength::Atom,
                    (false, false) => BindingStrength::Product,
                };
                (value.to_string(), binding)
            }
            ExprNode::Constant(constant) => {
                (self.constant(*constant).to_owned(), BindingStrength::Atom)
            }
            ExprNode::Symbol(symbol) => match self.is_unicode {
                true => (greek_sign(&symbol.name), BindingStrength::Atom),
                false => (symbol.name.to_string(), BindingStrength::Atom),
            },
            ExprNode::Sum(terms) => (self.sum(terms), BindingStrength::Sum),
            ExprNode::Product(_) => self.product(expr),
            ExprNode::Power(base, exponent) => self.power(expr, base, exponent),
            ExprNode::Call(function, arguments) => {
                (self.call(function, arguments), BindingStrength::Atom)
            }
            ExprNode::Relation(kind, a, b) => {
                let sign = self.relation_sign(*kind);
                (
                    format!("{} {sign} {}", self.write(a).0, self.write(b).0),
                    BindingStrength::Sum,
                )
            }
        }
    }

    fn relation_sign(&self, kind: RelationKind) -> &'static str {
        match (kind, self.is_unicode) {
            (RelationKind::Equal, _) => "=",
            (RelationKind::Less, _) => "<",
            (RelationKind::Greater, _) => ">",
            (RelationKind::Unequal, false) => "!=",
            (RelationKind::LessEqual, false) => "<=",
            (RelationKind::GreaterEqual, false) => ">=",
            (RelationKind::Unequal, true) => "≠",
            (RelationKind::LessEqual, true) => "≤",
            (RelationKind::GreaterEqual, true) => "≥",
        }
    }

    fn constant(&self, constant: MathConstant) -> &'static str {
        match (constant, self.is_unicode) {
            (MathConstant::Pi, false) => "pi",
            (MathConstant::Pi, true) => "π",
            (MathConstant::E, _) => "e",
            (MathConstant::I, _) => "i",
            (MathConstant::EulerGamma, false) => "euler_gamma",
            (MathConstant::EulerGamma, true) => "γ",
            (MathConstant::Infinity, false) => "inf",
            (MathConstant::Infinity, true) => "∞",
            (MathConstant::MinusInfinity, false) => "-inf",
            (MathConstant::MinusInfinity, true) => "-∞",
        }
    }

    /// The text, in brackets where it binds less than needed.
    fn within(&self, expr: &Expr, needed: BindingStrength) -> String {
        let (text, binding) = self.write(expr);
        match binding < needed {
            true => format!("({text})"),
            false => text,
        }
    }

    fn sum(&self, terms: &[Expr]) -> String {
        let mut text = String::new();
        for (place, term) in reading_order(terms).iter().enumerate() {
            let (is_negative, size) = split_sign(term);
            text.push_str(match (place, is_negative) {
                (0, false) => "",
                (0, true) => "-",
                (_, false) => " + ",
                (_, true) => " - ",
            });
            text.push_str(&self.within(&size, BindingStrength::Product));
        }
        text
    }

    fn product(&self, expr: &Expr) -> (String, BindingStrength) {
        let (is_negative, size) = split_sign(expr);
        let (top, bottom) = split_fraction(&size);
        let times = if self.is_unicode { "·" } else { "*" };
        let join = |factors: &[Expr]| {
            factors
                .iter()
                .map(|factor| self.within(factor, BindingStrength::Power))
                .collect::<Vec<_>>()
                .join(times)
        };
        let mut text = match top.as_slice() {
            [] => "1".to_owned(),
            _ => join(&top),
        };
        match bottom.as_slice() {
            [] => {}
            [only] => {
                text.push('/');
                text.push_str(&self.within(only, BindingStrength::Power));
            }
            _ => {
                text.push_str("/(");
                text.push_str(&join(&bottom));
                text.push(')');
            }
        }
        match is_negative {
            true => (format!("-{text}"), BindingStrength::Sum),
            false => (text, BindingStrength::Product),
        }
    }

    fn power(&self, expr: &Expr, base: &Expr, exponent: &Expr) -> (String, BindingStrength) {
        if let Some(exponent) = expr.as_exponential() {
            return (
                format!("exp({})", self.write(exponent).0),
                BindingStrength::Atom,
            );
        }
        if let Some(part) = exponent.as_number() {
            if *part == num_rational::BigRational::new(1.into(), 2.into()) {
                let name = if self.is_unicode { "√" } else { "sqrt" };
                let inside = self.write(base);
                return match (self.is_unicode, inside.1) {
                    (true, BindingStrength::Atom)
                        if inside.0.chars().count() <= 3 && !inside.0.contains('(') =>
                    {
                        (format!("{name}{}", inside.0), BindingStrength::Atom)
                    }
                    _ => (format!("{name}({})", inside.0), BindingStrength::Atom),
                };
            }
            if exponent.is_negative_number() {
                let denominator = base.pow(&-exponent);
                return (
                    format!("1/{}", self.within(&denominator, BindingStrength::Power)),
                    BindingStrength::Product,
                );
            }
            if self.is_unicode && part.is_integer() && part.denom().is_one() {
                let raised: String = part.to_string().chars().map(superscript).collect();
                return (
                    format!("{}{raised}", self.within(base, BindingStrength::Atom)),
                    BindingStrength::Power,
                );
            }
        }
        let raised = self.within(exponent, BindingStrength::Atom);
        let sign = if self.is_unicode { "^" } else { "**" };
        (
            format!("{}{sign}{raised}", self.within(base, BindingStrength::Atom)),
            BindingStrength::Power,
        )
    }

    fn call(&self, function: &MathFunction, arguments: &[Expr]) -> String {
        let texts: Vec<String> = arguments
            .iter()
            .map(|argument| self.write(argument).0)
            .collect();
        match (function, self.is_unicode) {
            (MathFunction::Abs, true) => format!("|{}|", texts.join(", ")),
            (MathFunction::Gamma, true) => format!("Γ({})", texts.join(", ")),
            (MathFunction::Zeta, true) => format!("ζ({})", texts.join(", ")),
            (MathFunction::Ln, false) => format!("log({})", texts.join(", ")),
            (MathFunction::Row, _) => format!("[{}]", texts.join(", ")),
            (MathFunction::MatrixOf, _) => format!("[{}]", texts.join(", ")),
            _ => format!("{}({})", function.name(), texts.join(", ")),
        }
    }
}

fn superscript(digit: char) -> char {
    match digit.to_digit(10) {
        Some(value) => ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'][value as usize],
        None => '⁻',
    }
}
