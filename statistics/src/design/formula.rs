//! [`Formula`]: response, terms, offsets and random terms, as a text says them.

use super::FormulaError;
use super::parser::FormulaParser;

/// A formula: `y ~ x*g + poly(z, 2) + (x | subject)`.
///
/// # Form
/// `+` adds terms and `-` takes them away; `a:b` is an interaction, `a*b` is `a + b + a:b`, `a/b` is `a + a:b`, `(a + b)^2` all terms of up to two of
/// them; `1` is the intercept, which is there unless `0` or `- 1` takes it away; `.` stands for all columns that the response does not use. Terms come in
/// order of the number of their factors, then as written.
///
/// # References
/// G. N. Wilkinson and C. E. Rogers, "Symbolic description of factorial models for analysis of variance", Applied Statistics 22, 1973; random terms
/// as in D. Bates et al., "Fitting linear mixed-effects models using lme4", J. Stat. Softw. 67(1), 2015, section 2.2.
#[derive(Debug, Clone, PartialEq)]
pub struct Formula {
    /// The text.
    pub text: String,
    /// What stands before `~`.
    pub response: Option<ResponseTerm>,
    /// Whether a constant is fitted.
    pub has_intercept: bool,
    /// The terms without the intercept, each a list of places in `factors`.
    pub terms: Vec<Vec<usize>>,
    /// The factors that terms are made of.
    pub factors: Vec<FormulaFactor>,
    /// Expressions added to the linear predictor with the coefficient 1.
    pub offsets: Vec<NumericExpression>,
    /// Random terms.
    pub random: Vec<RandomTerm>,
}

/// The left side of a formula.
#[derive(Debug, Clone, PartialEq)]
pub struct ResponseTerm {
    /// As it is printed.
    pub name: String,
    /// What it is.
    pub kind: ResponseKind,
}

/// What a response is.
#[derive(Debug, Clone, PartialEq)]
pub enum ResponseKind {
    /// A number or category for each row.
    Single(NumericExpression),
    /// `cbind(successes, failures)`.
    Counts(NumericExpression, NumericExpression),
    /// `Surv(time, event)`.
    Survival(NumericExpression, NumericExpression),
}

/// A factor of terms.
#[derive(Debug, Clone, PartialEq)]
pub struct FormulaFactor {
    /// As it is printed.
    pub name: String,
    /// What it is.
    pub kind: FactorKind,
}

/// What a factor is.
#[derive(Debug, Clone, PartialEq)]
pub enum FactorKind {
    /// An expression; a column alone is a category where its cells are.
    Expression(NumericExpression),
    /// `C(column)`: a category, with the named base level where one is given.
    Category {
        /// The column.
        column: String,
        /// The base.
        base: Option<String>,
    },
    /// `poly(x, degree)`.
    Polynomial {
        /// The variable.
        of: NumericExpression,
        /// The degree.
        degree: usize,
        /// Plain powers instead of orthogonal polynomials.
        is_raw: bool,
    },
}

/// Arithmetic over columns.
#[derive(Debug, Clone, PartialEq)]
pub enum NumericExpression {
    /// A number.
    Number(f64),
    /// A column.
    Column(String),
    /// The opposite.
    Negative(Box<NumericExpression>),
    /// Two expressions joined.
    Binary(
        ArithmeticSign,
        Box<NumericExpression>,
        Box<NumericExpression>,
    ),
    /// A function of an expression.
    Function(ColumnFunction, Box<NumericExpression>),
}

/// `+ - * / ^`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArithmeticSign {
    /// Sum.
    Add,
    /// Difference.
    Subtract,
    /// Product.
    Multiply,
    /// Quotient.
    Divide,
    /// Power.
    Power,
}

/// A function of one column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnFunction {
    /// Natural logarithm.
    Log,
    /// Logarithm to base 2.
    Log2,
    /// Logarithm to base 10.
    Log10,
    /// `log(1 + x)`.
    Log1p,
    /// Exponential.
    Exp,
    /// `exp(x) - 1`.
    Expm1,
    /// Square root.
    Sqrt,
    /// Magnitude.
    Abs,
    /// Sine.
    Sin,
    /// Cosine.
    Cos,
    /// Less the mean, over the standard deviation (`n - 1`).
    Scale,
    /// Less the mean.
    Center,
}

impl ColumnFunction {
    /// All with their names.
    pub const NAMED: [(&'static str, Self); 12] = [
        ("log", Self::Log),
        ("log2", Self::Log2),
        ("log10", Self::Log10),
        ("log1p", Self::Log1p),
        ("exp", Self::Exp),
        ("expm1", Self::Expm1),
        ("sqrt", Self::Sqrt),
        ("abs", Self::Abs),
        ("sin", Self::Sin),
        ("cos", Self::Cos),
        ("scale", Self::Scale),
        ("center", Self::Center),
    ];
}

/// `(x | g)`: coefficients that vary between the levels of a group.
#[derive(Debug, Clone, PartialEq)]
pub struct RandomTerm {
    /// As it is printed.
    pub name: String,
    /// Whether the intercept varies.
    pub has_intercept: bool,
    /// Terms whose coefficients vary, as those of [`Formula::terms`].
    pub terms: Vec<Vec<usize>>,
    /// Columns whose combinations are the groups.
    pub group: Vec<String>,
}

/// Most characters of a formula.
pub const FORMULA_LENGTH_MAX: usize = 10_000;

impl Formula {
    /// Reads a formula; `columns` are those that `.` may stand for.
    ///
    /// # Errors
    /// [`FormulaError`] with the character.
    pub fn parse(text: &str, columns: &[&str]) -> Result<Self, FormulaError> {
        FormulaParser::new(text, columns)?.read_formula()
    }

    /// The columns that it uses, each once, in order of appearance; those of the response only with `with_response`.
    pub fn columns(&self, with_response: bool) -> Vec<&str> {
        let mut names = Vec::new();
        if let (true, Some(response)) = (with_response, &self.response) {
            match &response.kind {
                ResponseKind::Single(one) => one.add_columns(&mut names),
                ResponseKind::Counts(one, two) | ResponseKind::Survival(one, two) => {
                    one.add_columns(&mut names);
                    two.add_columns(&mut names);
                }
            }
        }
        for factor in self.used_factors() {
            match &self.factors[factor].kind {
                FactorKind::Expression(of) | FactorKind::Polynomial { of, .. } => {
                    of.add_columns(&mut names);
                }
                FactorKind::Category { column, .. } => names.push(column),
            }
        }
        self.offsets
            .iter()
            .for_each(|of| of.add_columns(&mut names));
        for term in &self.random {
            names.extend(term.group.iter().map(String::as_str));
        }
        let mut unique: Vec<&str> = Vec::with_capacity(names.len());
        names.into_iter().for_each(|name| {
            if !unique.contains(&name) {
                unique.push(name);
            }
        });
        unique
    }

    /// Places of the factors that a term has, ascending.
    pub(super) fn used_factors(&self) -> Vec<usize> {
        let fixed = self.terms.iter().flatten();
        let random = self
            .random
            .iter()
            .flat_map(|term| term.terms.iter().flatten());
        let mut used: Vec<usize> = fixed.chain(random).copied().collect();
        used.sort_unstable();
        used.dedup();
        used
    }

    /// A term as it is printed.
    pub fn term_name(&self, term: &[usize]) -> String {
        let names: Vec<&str> = term
            .iter()
            .map(|factor| self.factors[*factor].name.as_str())
            .collect();
        names.join(":")
    }
}

impl NumericExpression {
    /// Appends the names of its columns.
    pub(super) fn add_columns<'a>(&'a self, names: &mut Vec<&'a str>) {
        match self {
            Self::Number(_) => {}
            Self::Column(name) => names.push(name),
            Self::Negative(of) | Self::Function(_, of) => of.add_columns(names),
            Self::Binary(_, left, right) => {
                left.add_columns(names);
                right.add_columns(names);
            }
        }
    }
}
