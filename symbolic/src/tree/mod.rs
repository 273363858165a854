//! Exact expressions: numbers, constants, symbols, sums, products, powers and functions, in a canonical order.
//!
//! An expression is built only by the functions here, which flatten sums and products, add equal terms, multiply equal bases and evaluate what is exact.
//! Every rule holds for all complex values of the symbols where both sides are defined. One that would be deeper or larger than the limits is
//! [`Poison::TooLarge`], one without a value [`Poison::Undefined`]; both spread to what is built from them, and [`crate::budget::Budget::admit`] turns them
//! into faults.

pub(crate) mod function;
pub(crate) mod integer;
pub(crate) mod power;
pub(crate) mod product;
pub(crate) mod special_angles;
pub(crate) mod sum;
pub(crate) mod walk;

use std::cmp::Ordering;
use std::sync::Arc;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};

pub use function::MathFunction;

/// Nesting that an expression may have.
pub const DEPTH_LIMIT: u16 = 150;
/// Nodes that an expression may have.
pub const SIZE_LIMIT: u32 = 200_000;

/// A named number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MathConstant {
    /// 3.14159...
    Pi,
    /// Euler's number 2.71828...
    E,
    /// The imaginary unit.
    I,
    /// The Euler-Mascheroni constant 0.57721...
    EulerGamma,
    /// Positive infinity.
    Infinity,
    /// Negative infinity.
    MinusInfinity,
}

/// What is known of the values of a symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct SymbolTraits {
    /// The values are real.
    pub is_real: bool,
    /// The values are above zero.
    pub is_positive: bool,
    /// The values are at least zero.
    pub is_nonnegative: bool,
    /// The values are integers.
    pub is_integer: bool,
}

impl SymbolTraits {
    /// Any real number.
    pub const REAL: Self = Self {
        is_real: true,
        is_positive: false,
        is_nonnegative: false,
        is_integer: false,
    };
    /// Any positive number.
    pub const POSITIVE: Self = Self {
        is_real: true,
        is_positive: true,
        is_nonnegative: true,
        is_integer: false,
    };
    /// Any integer.
    pub const INTEGER: Self = Self {
        is_real: true,
        is_positive: false,
        is_nonnegative: false,
        is_integer: true,
    };
}

/// A name for a number, with what is known of it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol {
    /// The name.
    pub name: Arc<str>,
    /// What is known of its values.
    pub traits: SymbolTraits,
}

/// How two sides of a relation compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RelationKind {
    /// `=`
    Equal,
    /// `!=`
    Unequal,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
}

/// Why an expression is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Poison {
    /// Deeper or larger than allowed.
    TooLarge,
    /// Without a value.
    Undefined,
}

/// The kinds of expressions.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ExprNode {
    /// No expression.
    Poisoned(Poison),
    /// An exact fraction.
    Number(BigRational),
    /// A named number.
    Constant(MathConstant),
    /// A symbol.
    Symbol(Symbol),
    /// Two or more terms.
    Sum(Vec<Expr>),
    /// Two or more factors, a number first.
    Product(Vec<Expr>),
    /// A base and its exponent.
    Power(Expr, Expr),
    /// A function of its arguments.
    Call(MathFunction, Vec<Expr>),
    /// An equation or inequality.
    Relation(RelationKind, Expr, Expr),
}

#[derive(Debug, Hash, PartialEq, Eq)]
struct ExprData {
    depth: u16,
    size: u32,
    node: ExprNode,
}

/// An exact expression; cheap to clone.
#[derive(Debug, Clone)]
pub struct Expr(Arc<ExprData>);

impl std::hash::Hash for Expr {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl PartialEq for Expr {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0 == other.0
    }
}

impl Eq for Expr {}

impl PartialOrd for Expr {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Expr {
    fn cmp(&self, other: &Self) -> Ordering {
        match Arc::ptr_eq(&self.0, &other.0) {
            true => Ordering::Equal,
            false => self.0.node.cmp(&other.0.node),
        }
    }
}

impl Expr {
    /// A node as it is, within the limits.
    pub(crate) fn from_node(node: ExprNode) -> Self {
        let (mut depth, mut size, mut poison) = (0u16, 1u32, None);
        let mut count = |part: &Expr| {
            depth = depth.max(part.0.depth);
            size = size.saturating_add(part.0.size);
            poison = poison.or(part.poison());
        };
        match &node {
            ExprNode::Sum(parts) | ExprNode::Product(parts) | ExprNode::Call(_, parts) => {
                parts.iter().for_each(&mut count);
            }
            ExprNode::Power(a, b) | ExprNode::Relation(_, a, b) => {
                count(a);
                count(b);
            }
            ExprNode::Number(value) => {
                size += (value.numer().bits() + value.denom().bits()) as u32 / 256;
            }
            _ => {}
        }
        let node = match poison {
            Some(poison) => ExprNode::Poisoned(poison),
            None if depth >= DEPTH_LIMIT || size > SIZE_LIMIT => {
                ExprNode::Poisoned(Poison::TooLarge)
            }
            None => node,
        };
        let (depth, size) = match node {
            ExprNode::Poisoned(_) => (0, 1),
            _ => (depth + 1, size),
        };
        Self(Arc::new(ExprData { depth, size, node }))
    }

    /// The kind of the expression and its parts.
    pub fn node(&self) -> &ExprNode {
        &self.0.node
    }

    /// The number of its nodes.
    pub fn size(&self) -> u32 {
        self.0.size
    }

    /// Its nesting.
    pub fn depth(&self) -> u16 {
        self.0.depth
    }

    /// Why it is no expression.
    pub fn poison(&self) -> Option<Poison> {
        match self.node() {
            ExprNode::Poisoned(poison) => Some(*poison),
            _ => None,
        }
    }

    /// No value.
    pub(crate) fn undefined() -> Self {
        Self::from_node(ExprNode::Poisoned(Poison::Undefined))
    }

    /// A whole number.
    pub fn integer(value: i64) -> Self {
        Self::number(BigRational::from_integer(BigInt::from(value)))
    }

    /// The fraction `p/q`; `q` is not zero.
    pub fn ratio(p: i64, q: i64) -> Self {
        match q {
            0 => Self::undefined(),
            _ => Self::number(BigRational::new(BigInt::from(p), BigInt::from(q))),
        }
    }

    /// An exact number.
    pub fn number(value: BigRational) -> Self {
        Self::from_node(ExprNode::Number(value))
    }

    /// Zero.
    pub fn zero() -> Self {
        Self::integer(0)
    }

    /// One.
    pub fn one() -> Self {
        Self::integer(1)
    }

    /// A named number.
    pub fn constant(constant: MathConstant) -> Self {
        Self::from_node(ExprNode::Constant(constant))
    }

    /// The ratio of a circle's circumference to its diameter.
    pub fn pi() -> Self {
        Self::constant(MathConstant::Pi)
    }

    /// The imaginary unit.
    pub fn i() -> Self {
        Self::constant(MathConstant::I)
    }

    /// Positive infinity.
    pub fn infinity() -> Self {
        Self::constant(MathConstant::Infinity)
    }

    /// A real symbol.
    pub fn symbol(name: &str) -> Self {
        Self::symbol_with(name, SymbolTraits::REAL)
    }

    /// A symbol with what is known of it.
    pub fn symbol_with(name: &str, traits: SymbolTraits) -> Self {
        Self::from_node(ExprNode::Symbol(Symbol {
            name: Arc::from(name),
            traits,
        }))
    }

    /// A relation of two sides.
    pub fn relation(kind: RelationKind, left: Self, right: Self) -> Self {
        Self::from_node(ExprNode::Relation(kind, left, right))
    }

    /// The sum of terms.
    pub fn sum(terms: impl IntoIterator<Item = Self>) -> Self {
        sum::build_sum(terms)
    }

    /// The product of factors.
    pub fn product(factors: impl IntoIterator<Item = Self>) -> Self {
        product::build_product(factors)
    }

    /// The power of a base.
    pub fn pow(&self, exponent: &Self) -> Self {
        power::build_power(self, exponent)
    }

    /// A whole power.
    pub fn powi(&self, exponent: i64) -> Self {
        self.pow(&Self::integer(exponent))
    }

    /// The principal square root.
    pub fn sqrt(&self) -> Self {
        self.pow(&Self::ratio(1, 2))
    }

    /// Euler's number to this power.
    pub fn exp(&self) -> Self {
        Self::constant(MathConstant::E).pow(self)
    }

    /// A function of one argument.
    pub fn apply(function: MathFunction, argument: Self) -> Self {
        function::build_call(function, vec![argument])
    }

    /// A function of its arguments.
    pub fn call(function: MathFunction, arguments: Vec<Self>) -> Self {
        function::build_call(function, arguments)
    }

    /// The natural logarithm.
    pub fn ln(&self) -> Self {
        Self::apply(MathFunction::Ln, self.clone())
    }

    /// The reciprocal.
    pub fn recip(&self) -> Self {
        self.powi(-1)
    }

    /// The value of a number.
    pub fn as_number(&self) -> Option<&BigRational> {
        match self.node() {
            ExprNode::Number(value) => Some(value),
            _ => None,
        }
    }

    /// The value of a whole number of 64 bits.
    pub fn as_integer(&self) -> Option<i64> {
        self.as_number()
            .filter(|value| value.is_integer())
            .and_then(|value| value.numer().to_i64())
    }

    /// The symbol, where it is one.
    pub fn as_symbol(&self) -> Option<&Symbol> {
        match self.node() {
            ExprNode::Symbol(symbol) => Some(symbol),
            _ => None,
        }
    }

    /// The named number, where it is one.
    pub fn as_constant(&self) -> Option<MathConstant> {
        match self.node() {
            ExprNode::Constant(constant) => Some(*constant),
            _ => None,
        }
    }

    /// Whether it is the number 0.
    pub fn is_zero(&self) -> bool {
        self.as_number().is_some_and(Zero::is_zero)
    }

    /// Whether it is the number 1.
    pub fn is_one(&self) -> bool {
        self.as_number().is_some_and(One::is_one)
    }

    /// Whether it is a negative number.
    pub fn is_negative_number(&self) -> bool {
        self.as_number().is_some_and(Signed::is_negative)
    }

    /// Whether it is plus or minus infinity.
    pub fn is_infinite(&self) -> bool {
        matches!(
            self.as_constant(),
            Some(MathConstant::Infinity | MathConstant::MinusInfinity)
        )
    }

    /// The terms: of a sum, or itself.
    pub fn terms(&self) -> &[Self] {
        match self.node() {
            ExprNode::Sum(terms) => terms,
            _ => std::slice::from_ref(self),
        }
    }

    /// The factors: of a product, or itself.
    pub fn factors(&self) -> &[Self] {
        match self.node() {
            ExprNode::Product(factors) => factors,
            _ => std::slice::from_ref(self),
        }
    }

    /// Base and exponent; the exponent of what is no power is 1.
    pub fn base_and_exponent(&self) -> (Self, Self) {
        match self.node() {
            ExprNode::Power(base, exponent) => (base.clone(), exponent.clone()),
            _ => (self.clone(), Self::one()),
        }
    }

    /// The number in front and the rest.
    pub fn coefficient_and_rest(&self) -> (BigRational, Self) {
        match self.node() {
            ExprNode::Number(value) => (value.clone(), Self::one()),
            ExprNode::Product(factors) => match factors[0].as_number() {
                Some(value) => (
                    value.clone(),
                    match factors.len() {
                        2 => factors[1].clone(),
                        _ => Self::from_node(ExprNode::Product(factors[1..].to_vec())),
                    },
                ),
                None => (BigRational::one(), self.clone()),
            },
            _ => (BigRational::one(), self.clone()),
        }
    }

    /// The exponent, where it is Euler's number to a power.
    pub fn as_exponential(&self) -> Option<&Self> {
        match self.node() {
            ExprNode::Power(base, exponent) if base.as_constant() == Some(MathConstant::E) => {
                Some(exponent)
            }
            _ => None,
        }
    }

    /// Function and arguments of a call.
    pub fn as_call(&self) -> Option<(&MathFunction, &[Self])> {
        match self.node() {
            ExprNode::Call(function, arguments) => Some((function, arguments)),
            _ => None,
        }
    }

    /// The one argument of a call of the function.
    pub fn argument_of(&self, wanted: MathFunction) -> Option<&Self> {
        match self.as_call() {
            Some((function, [argument])) if *function == wanted => Some(argument),
            _ => None,
        }
    }
}

macro_rules! operator {
    ($trait:ident, $method:ident, |$a:ident, $b:ident| $body:expr) => {
        impl std::ops::$trait for Expr {
            type Output = Expr;
            fn $method(self, other: Expr) -> Expr {
                let ($a, $b) = (self, other);
                $body
            }
        }
        impl std::ops::$trait<&Expr> for &Expr {
            type Output = Expr;
            fn $method(self, other: &Expr) -> Expr {
                let ($a, $b) = (self.clone(), other.clone());
                $body
            }
        }
        impl std::ops::$trait<&Expr> for Expr {
            type Output = Expr;
            fn $method(self, other: &Expr) -> Expr {
                let ($a, $b) = (self, other.clone());
                $body
            }
        }
        impl std::ops::$trait<Expr> for &Expr {
            type Output = Expr;
            fn $method(self, other: Expr) -> Expr {
                let ($a, $b) = (self.clone(), other);
                $body
            }
        }
    };
}

operator!(Add, add, |a, b| Expr::sum([a, b]));
operator!(Sub, sub, |a, b| Expr::sum([
    a,
    Expr::product([Expr::integer(-1), b])
]));
operator!(Mul, mul, |a, b| Expr::product([a, b]));
operator!(Div, div, |a, b| Expr::product([a, b.recip()]));

impl std::ops::Neg for Expr {
    type Output = Expr;
    fn neg(self) -> Expr {
        Expr::product([Expr::integer(-1), self])
    }
}

impl std::ops::Neg for &Expr {
    type Output = Expr;
    fn neg(self) -> Expr {
        Expr::product([Expr::integer(-1), self.clone()])
    }
}
