//! Names: symbols, functions and their arguments.

use super::lexer::NotationTokenKind;
use super::parser::{ExpressionReader, Read};
use crate::greek::is_greek_name;
use crate::tree::{Expr, MathFunction};

/// Other names of functions.
const OTHER_NAMES: &[(&str, &str)] = &[
    ("arcsin", "asin"),
    ("arccos", "acos"),
    ("arctan", "atan"),
    ("arcsinh", "asinh"),
    ("arccosh", "acosh"),
    ("arctanh", "atanh"),
    ("arccot", "acot"),
    ("arcsec", "asec"),
    ("arccsc", "acsc"),
    ("arccoth", "acoth"),
    ("arcsech", "asech"),
    ("arccsch", "acsch"),
    ("absolute", "abs"),
    ("Abs", "abs"),
    ("fabs", "abs"),
    ("log", "ln"),
    ("sgn", "sign"),
    ("cosec", "csc"),
    ("ctg", "cot"),
    ("tg", "tan"),
    ("arctg", "atan"),
    ("Ei", "expi"),
    ("Si", "sinint"),
    ("Ci", "cosint"),
    ("Heaviside", "heaviside"),
    ("DiracDelta", "dirac"),
    ("ceiling", "ceil"),
    ("sen", "sin"),
    ("sh", "sinh"),
    ("ch", "cosh"),
    ("LambertW", "lambertw"),
];

/// Names that are built from other functions.
const BUILT: &[&str] = &[
    "exp",
    "sqrt",
    "cbrt",
    "acot",
    "asec",
    "acsc",
    "acoth",
    "asech",
    "acsch",
    "log2",
    "log10",
    "log1p",
    "expm1",
    "exp2",
    "square",
    "reciprocal",
    "negative",
    "pow",
    "divide",
    "hypot",
    "comb",
    "binom",
    "degrees",
    "radians",
    "root",
    "diff",
    "integrate",
    "limit",
];

/// The name under which a function is known here.
fn known_name(name: &str) -> &str {
    let other = OTHER_NAMES.iter().find(|(other, _)| *other == name);
    other.map_or(name, |(_, known)| known)
}

/// The function of a name, by any of its names.
pub(super) fn function_by_name(name: &str) -> Option<MathFunction> {
    let known = known_name(name);
    match known {
        "matrix" | "row" | "integral" | "derivative" | "summation" | "limit" => None,
        _ => MathFunction::by_name(known),
    }
}

pub(super) fn is_function_name(name: &str) -> bool {
    function_by_name(name).is_some() || BUILT.contains(&known_name(name))
}

impl ExpressionReader<'_> {
    /// A name in plain text, or a letter of LaTeX.
    pub(super) fn name(&mut self, name: &str) -> Read<Expr> {
        let from = self.at;
        if self.integrals > 0
            && let Some(variable) = self.differential_name(name)
        {
            return Ok(variable);
        }
        if let Some(derivative) = self.quotient_of_differentials(name)? {
            return Ok(derivative);
        }
        self.at += 1;
        if self
            .options
            .function
            .as_ref()
            .is_some_and(|(function, _)| function == name)
        {
            return self.unknown_function(name);
        }
        let is_declared = self.options.traits.contains_key(name)
            || self.options.symbols.iter().any(|known| known == name);
        if !is_declared && !self.text.contains('\\') && is_function_name(name) {
            let is_called = self.is_sign('(') || self.is_sign('^') || self.starts_factor();
            if is_called {
                return self.function(name, from);
            }
            if !matches!(name, "gamma" | "zeta" | "beta") {
                return Err(self.fault(&format!(
                    "`{name}` is a function: expected its argument, found {}",
                    self.describe()
                )));
            }
        }
        if let Some(constant) = self.constant(name) {
            return Ok(constant);
        }
        let symbol = self.symbol_with_index(name)?;
        let is_word =
            name.len() > 1 && name.chars().all(char::is_alphabetic) && !is_greek_name(name);
        let is_word = is_word && !is_declared && !self.text.contains('\\');
        let bracket = self.tokens.get(self.at).filter(|_| self.is_sign('('));
        if bracket.is_some_and(|token| !token.is_apart) {
            if is_word {
                return Err(self.fault(&format!(
                    "`{name}` is no function that is known here: write `{name}*(...)` for a product"
                )));
            }
            self.note(
                from,
                format!("{name} times the bracket"),
                format!("a function `{name}` of what is in the bracket"),
            );
        }
        if is_word {
            let letters: Vec<String> = name.chars().map(String::from).collect();
            self.note(from, format!("one symbol `{name}`"), letters.join("*"));
        }
        Ok(symbol)
    }

    /// `x_1`, `x_{max}`.
    pub(super) fn symbol_with_index(&mut self, name: &str) -> Read<Expr> {
        if !self.take_sign('_') {
            return Ok(self.symbol(name));
        }
        let mut index = String::new();
        let is_group = self.take_sign('{');
        loop {
            match self.peek() {
                Some(NotationTokenKind::Name(part)) => index.push_str(part),
                Some(NotationTokenKind::Number(value)) if value.is_integer() => {
                    index.push_str(&value.to_string())
                }
                Some(NotationTokenKind::Command(part)) if is_group => index.push_str(part),
                _ => break,
            }
            self.at += 1;
            if !is_group {
                break;
            }
        }
        if is_group {
            self.expect_sign('}')?;
        }
        if index.is_empty() {
            return Err(self.fault("expected an index of letters or digits"));
        }
        Ok(self.symbol(&format!("{name}_{index}")))
    }

    /// `dx` at the end of an integral.
    fn differential_name(&mut self, name: &str) -> Option<Expr> {
        let (variable, tokens) = match (name, self.peek_at(1)) {
            ("d", Some(NotationTokenKind::Name(variable))) => (variable.clone(), 2),
            ("d", Some(NotationTokenKind::Command(variable))) if is_greek_name(variable) => {
                (variable.clone(), 2)
            }
            _ => {
                let rest = name
                    .strip_prefix('d')
                    .filter(|rest| rest.chars().count() == 1)?;
                (rest.to_owned(), 1)
            }
        };
        self.at += tokens;
        self.differential = Some(variable);
        Some(Expr::symbol("\u{2202}"))
    }

    /// A function: an exponent may stand before the argument.
    pub(super) fn function(&mut self, name: &str, from: usize) -> Read<Expr> {
        let mut base = None;
        if name == "log" && self.take_sign('_') {
            base = Some(self.group()?);
        }
        let mut exponent = None;
        if self.is_sign('^') {
            self.at += 1;
            exponent = Some(self.exponent()?);
        }
        let mut arguments = self.arguments(name, from)?;
        if let Some(base) = base {
            arguments.push(base);
        } else if name == "log" && arguments.len() == 1 {
            self.note(from, "the natural logarithm", "the logarithm of base 10");
        }
        let is_inverse = exponent
            .as_ref()
            .is_some_and(|exponent| exponent.as_integer() == Some(-1));
        if is_inverse {
            let inverse = match name {
                "sin" | "cos" | "tan" | "sinh" | "cosh" | "tanh" => Some(format!("a{name}")),
                _ => None,
            };
            if let Some(inverse) = inverse {
                self.note(
                    from,
                    format!("the inverse function {inverse}"),
                    format!("1/{name}"),
                );
                return self.apply_function(&inverse, arguments);
            }
        }
        let value = self.apply_function(name, arguments)?;
        Ok(match exponent {
            Some(exponent) => value.pow(&exponent),
            None => value,
        })
    }

    fn arguments(&mut self, name: &str, from: usize) -> Read<Vec<Expr>> {
        if self.is_sign('(') || (self.is_sign('{') && self.text.contains('\\')) {
            let close = if self.is_sign('(') { ')' } else { '}' };
            self.at += 1;
            let bars = std::mem::take(&mut self.bars);
            let integrals = std::mem::take(&mut self.integrals);
            let mut arguments = vec![self.sum()?];
            while self.take_sign(',') {
                arguments.push(self.sum()?);
            }
            self.bars = bars;
            self.integrals = integrals;
            self.expect_sign(close)?;
            if self.is_sign('^') && close == ')' {
                let end = self.at;
                self.at += 1;
                self.note(
                    from,
                    format!("{name}(...) to a power"),
                    format!("{name} of the power of the bracket"),
                );
                self.at = end;
            }
            return Ok(arguments);
        }
        Ok(vec![self.open_argument(name, from)?])
    }

    /// An argument without brackets: factors without a sign between them, up to the next function, bracket or sign.
    fn open_argument(&mut self, name: &str, from: usize) -> Read<Expr> {
        let is_negative = self.take_sign('-');
        let mut count = 0;
        let mut letters = 0;
        let mut total = Expr::one();
        let mut has_power = false;
        while self.starts_factor() {
            let is_stop = match self.peek() {
                Some(NotationTokenKind::Sign(_)) => count > 0,
                Some(NotationTokenKind::Name(word)) => {
                    (count > 0 && !self.text.contains('\\') && is_function_name(word))
                        || (self.integrals > 0
                            && word.starts_with('d')
                            && self.is_differential_ahead(word))
                }
                Some(NotationTokenKind::Command(word)) => {
                    count > 0
                        && (is_function_name(word)
                            || matches!(word.as_str(), "int" | "sum" | "lim" | "frac"))
                }
                _ => false,
            };
            if is_stop {
                break;
            }
            letters += usize::from(!matches!(self.peek(), Some(NotationTokenKind::Number(_))));
            let before = self.at;
            total = total * self.factor()?;
            has_power |= self.tokens[before..self.at]
                .iter()
                .any(|token| token.kind == NotationTokenKind::Sign('^'));
            count += 1;
        }
        if count == 0 {
            return Err(self.fault(&format!(
                "expected the argument of `{name}`, found {}",
                self.describe()
            )));
        }
        if letters > 1 {
            self.note(
                from,
                format!("{name} of all factors up to here"),
                format!("{name} of the first factors, times the others"),
            );
        }
        if has_power {
            self.note(
                from,
                format!("{name} of the power"),
                format!("the power of {name}"),
            );
        }
        if self.is_sign('(') && !self.is_sign('|') {
            self.note(
                from,
                format!("{name} of this, times the bracket that follows"),
                format!("{name} of all, with the bracket"),
            );
        }
        if self.is_sign('/') {
            self.note(
                from,
                format!("{name} of this, divided by what follows"),
                format!("{name} of the quotient"),
            );
        }
        Ok(if is_negative { -total } else { total })
    }

    fn is_differential_ahead(&self, word: &str) -> bool {
        match word.len() {
            1 => matches!(self.peek_at(1), Some(NotationTokenKind::Name(_))),
            _ => word.chars().count() == 2,
        }
    }

    /// The value of a function by its name.
    pub(super) fn apply_function(&mut self, name: &str, arguments: Vec<Expr>) -> Read<Expr> {
        if known_name(name) == "acot" {
            self.note(self.at, "acot(x) = atan(1/x)", "acot(x) = pi/2 - atan(x)");
        }
        let value = built_function(known_name(name), &arguments);
        if let Some(value) = value {
            return Ok(value);
        }
        match (function_by_name(name), arguments.as_slice()) {
            (Some(MathFunction::Ln), [x, base]) => Ok(x.ln() / base.ln()),
            (Some(function), [x]) => Ok(Expr::apply(function, x.clone())),
            (Some(_), _) => Err(self.fault(&format!(
                "`{name}` takes one argument, found {}",
                arguments.len()
            ))),
            _ => Err(self.fault(&format!("`{name}` is no function of symbolic expressions"))),
        }
    }
}

fn built_function(name: &str, arguments: &[Expr]) -> Option<Expr> {
    let of = |function: MathFunction, x: &Expr| Expr::apply(function, x.clone());
    Some(match (name, arguments) {
        ("exp", [x]) => x.exp(),
        ("sqrt", [x]) => x.sqrt(),
        ("cbrt", [x]) => {
            of(MathFunction::Sign, x) * of(MathFunction::Abs, x).pow(&Expr::ratio(1, 3))
        }
        ("root", [x, n]) => x.pow(&n.recip()),
        ("acot", [x]) => of(MathFunction::Atan, &x.recip()),
        ("asec", [x]) => of(MathFunction::Acos, &x.recip()),
        ("acsc", [x]) => of(MathFunction::Asin, &x.recip()),
        ("acoth", [x]) => of(MathFunction::Atanh, &x.recip()),
        ("asech", [x]) => of(MathFunction::Acosh, &x.recip()),
        ("acsch", [x]) => of(MathFunction::Asinh, &x.recip()),
        ("log2", [x]) => x.ln() / Expr::integer(2).ln(),
        ("log10", [x]) => x.ln() / Expr::integer(10).ln(),
        ("log1p", [x]) => (x + Expr::one()).ln(),
        ("expm1", [x]) => x.exp() - Expr::one(),
        ("exp2", [x]) => Expr::integer(2).pow(x),
        ("square", [x]) => x.powi(2),
        ("reciprocal", [x]) => x.recip(),
        ("negative", [x]) => -x,
        ("pow", [x, n]) => x.pow(n),
        ("divide", [a, b]) => a / b,
        ("hypot", [a, b]) => (a.powi(2) + b.powi(2)).sqrt(),
        ("degrees", [x]) => x * Expr::integer(180) / Expr::pi(),
        ("radians", [x]) => x * Expr::pi() / Expr::integer(180),
        ("comb" | "binom", [n, k]) => {
            let factorial = |x: &Expr| Expr::apply(MathFunction::Factorial, x.clone());
            match (n.as_integer(), k.as_integer()) {
                (_, Some(k)) if (0..=60).contains(&k) => {
                    Expr::product((0..k).map(|j| n - Expr::integer(j)))
                        / factorial(&Expr::integer(k))
                }
                _ => factorial(n) / (factorial(k) * factorial(&(n - k))),
            }
        }
        ("diff", [f, x]) => Expr::call(
            MathFunction::Derivative,
            vec![f.clone(), x.clone(), Expr::one()],
        ),
        ("diff", [f, x, n]) => Expr::call(
            MathFunction::Derivative,
            vec![f.clone(), x.clone(), n.clone()],
        ),
        ("integrate", [f, x]) => Expr::call(MathFunction::Integral, vec![f.clone(), x.clone()]),
        ("integrate", [f, x, a, b]) => Expr::call(
            MathFunction::Integral,
            vec![f.clone(), x.clone(), a.clone(), b.clone()],
        ),
        ("limit", [f, x, a]) => Expr::call(
            MathFunction::Limit,
            vec![f.clone(), x.clone(), a.clone(), Expr::zero()],
        ),
        _ => return None,
    })
}
