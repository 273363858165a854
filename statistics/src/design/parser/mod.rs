//! [`FormulaParser`]: the grammar of formulas, by recursive descent with a limit of depth.

mod expression;
mod tokens;

use super::formula::{
    FORMULA_LENGTH_MAX, FactorKind, Formula, FormulaFactor, NumericExpression, RandomTerm,
    ResponseKind, ResponseTerm,
};
use super::lexer::{FormulaToken, PlacedToken, read_tokens};
use super::{FormulaError, FormulaProblem};

/// Deepest nesting of parentheses and signs.
const DEPTH_MAX: usize = 64;
/// Most signs of arithmetic.
const SIGNS_MAX: usize = 500;
/// Most terms of a formula; `(a + b + ...)^n` grows fast.
const TERMS_MAX: usize = 2000;
/// Largest exponent of terms.
const EXPONENT_MAX: usize = 10;
/// Largest degree of a polynomial.
const DEGREE_MAX: usize = 60;

/// Terms as lists of places of factors, ascending; the empty list is the intercept.
type TermList = Vec<Vec<usize>>;

/// A reader of one formula.
pub(super) struct FormulaParser<'a> {
    text: &'a str,
    columns: &'a [&'a str],
    tokens: Vec<PlacedToken>,
    at: usize,
    depth: usize,
    signs: usize,
    factors: Vec<FormulaFactor>,
    offsets: Vec<NumericExpression>,
    random: Vec<RandomTerm>,
    response: Option<ResponseTerm>,
}

impl<'a> FormulaParser<'a> {
    pub(super) fn new(text: &'a str, columns: &'a [&'a str]) -> Result<Self, FormulaError> {
        if text.len() > FORMULA_LENGTH_MAX {
            return Err(FormulaError {
                problem: FormulaProblem::Depth(DEPTH_MAX),
                place: FORMULA_LENGTH_MAX,
                text: text.chars().take(40).collect(),
            });
        }
        Ok(Self {
            text,
            columns,
            tokens: read_tokens(text)?,
            at: 0,
            depth: 0,
            signs: 0,
            factors: Vec::new(),
            offsets: Vec::new(),
            random: Vec::new(),
            response: None,
        })
    }

    pub(super) fn read_formula(mut self) -> Result<Formula, FormulaError> {
        let is_tilde = |placed: &PlacedToken| placed.token == FormulaToken::Sign('~');
        if self.tokens.iter().any(is_tilde) && !self.takes('~') {
            self.response = Some(self.read_response()?);
            self.expect('~', "`~`")?;
        }
        if *self.peek() == FormulaToken::End {
            return Err(self.fault(FormulaProblem::Empty));
        }
        let mut terms = self.read_sum(true)?;
        if *self.peek() != FormulaToken::End {
            return Err(self.expected("`+`, `-`, `*`, `:` or the end"));
        }
        let has_intercept = take_intercept(&mut terms);
        terms.sort_by_key(Vec::len);
        Ok(Formula {
            text: self.text.to_owned(),
            response: self.response,
            has_intercept,
            terms,
            factors: self.factors,
            offsets: self.offsets,
            random: self.random,
        })
    }

    fn read_response(&mut self) -> Result<ResponseTerm, FormulaError> {
        let start = self.at;
        let pair = match self.peek() {
            FormulaToken::Name(name) if self.sign_after('(') => match name.as_str() {
                "cbind" => Some(false),
                "Surv" => Some(true),
                _ => None,
            },
            _ => None,
        };
        let kind = match pair {
            None => ResponseKind::Single(self.read_expression()?),
            Some(is_survival) => {
                self.at += 2;
                let one = self.read_expression()?;
                self.expect(',', "`,`")?;
                let two = self.read_expression()?;
                self.expect(')', "`)`")?;
                match is_survival {
                    true => ResponseKind::Survival(one, two),
                    false => ResponseKind::Counts(one, two),
                }
            }
        };
        Ok(ResponseTerm {
            name: self.printed(start),
            kind,
        })
    }

    /// A sum of terms; the intercept is there unless `0` or `- 1` removes it.
    fn read_sum(&mut self, is_outermost: bool) -> Result<TermList, FormulaError> {
        self.enter()?;
        let mut terms: TermList = match is_outermost {
            true => vec![Vec::new()],
            false => Vec::new(),
        };
        let mut is_minus = self.takes('-');
        if !is_minus {
            self.takes('+');
        }
        loop {
            if is_minus || !self.read_zero() {
                let zero = is_minus && self.read_zero();
                let read = match zero {
                    true => vec![Vec::new()],
                    false => self.read_crossing()?,
                };
                match is_minus && !zero {
                    true => terms.retain(|term| !read.contains(term)),
                    false => read.into_iter().for_each(|term| add_term(&mut terms, term)),
                }
            } else {
                terms.retain(|term| !term.is_empty());
            }
            self.check_terms(&terms)?;
            is_minus = match () {
                () if self.takes('+') => false,
                () if self.takes('-') => true,
                () => break,
            };
        }
        self.depth -= 1;
        Ok(terms)
    }

    /// `0` alone, as a term of a sum.
    fn read_zero(&mut self) -> bool {
        let is_zero = matches!(self.peek(), FormulaToken::Number(number) if *number == 0.0);
        self.at += usize::from(is_zero);
        is_zero
    }

    /// `a*b` and `a/b`.
    fn read_crossing(&mut self) -> Result<TermList, FormulaError> {
        let mut terms = self.read_interaction()?;
        loop {
            let is_nested = match () {
                () if self.takes('*') => false,
                () if self.takes('/') => true,
                () => return Ok(terms),
            };
            let right = self.read_interaction()?;
            self.check_factors(&terms, &right)?;
            let left = match is_nested {
                true => vec![joined_factors(&terms)],
                false => terms.clone(),
            };
            let both = products(&left, &right);
            let alone = if is_nested { Vec::new() } else { right };
            for term in alone.into_iter().chain(both) {
                add_term(&mut terms, term);
            }
            self.check_terms(&terms)?;
        }
    }

    /// `a:b`.
    fn read_interaction(&mut self) -> Result<TermList, FormulaError> {
        let mut terms = self.read_power()?;
        while self.takes(':') {
            let right = self.read_power()?;
            self.check_factors(&terms, &right)?;
            terms = products(&terms, &right);
            self.check_terms(&terms)?;
        }
        Ok(terms)
    }

    /// `(a + b)^n`.
    fn read_power(&mut self) -> Result<TermList, FormulaError> {
        let base = self.read_atom()?;
        if !self.takes('^') {
            return Ok(base);
        }
        let exponent = match self.peek() {
            FormulaToken::Number(number) if number.fract() == 0.0 && *number >= 1.0 => {
                (*number as usize).min(EXPONENT_MAX)
            }
            _ => return Err(self.expected("a whole number (`I(x^2)` squares a variable)")),
        };
        self.at += 1;
        let mut terms = base.clone();
        for _ in 1..exponent {
            for term in products(&terms, &base) {
                add_term(&mut terms, term);
            }
            self.check_terms(&terms)?;
        }
        Ok(terms)
    }

    fn read_atom(&mut self) -> Result<TermList, FormulaError> {
        match self.peek().clone() {
            FormulaToken::Number(1.0) => {
                self.at += 1;
                Ok(vec![Vec::new()])
            }
            FormulaToken::Number(number) => Err(self.fault(FormulaProblem::Number(number))),
            FormulaToken::Sign('.') => {
                self.at += 1;
                self.all_columns()
            }
            FormulaToken::Sign('(') => self.read_parentheses(),
            FormulaToken::Name(name) if self.sign_after('(') => self.read_call(&name),
            FormulaToken::Name(name) => {
                self.at += 1;
                let kind = FactorKind::Expression(NumericExpression::Column(name.clone()));
                Ok(vec![vec![self.factor(name, kind)]])
            }
            _ => Err(self.expected("a term")),
        }
    }

    /// A sum in parentheses, or a random term.
    fn read_parentheses(&mut self) -> Result<TermList, FormulaError> {
        let start = self.at;
        self.expect('(', "`(`")?;
        let is_random = self.bar_before_end();
        if !is_random {
            let terms = self.read_sum(false)?;
            self.expect(')', "`)`")?;
            return Ok(terms);
        }
        if self.depth > 1 {
            self.at = start;
            return Err(self.fault(FormulaProblem::Misplaced("(.. | ..)".to_owned())));
        }
        let mut terms = self.read_sum(true)?;
        let has_intercept = take_intercept(&mut terms);
        self.expect('|', "`|`")?;
        let is_independent = self.takes('|');
        let groups = self.read_groups()?;
        self.expect(')', "`)`")?;
        for group in groups {
            let parts = match is_independent {
                true => split_terms(has_intercept, &terms),
                false => vec![(has_intercept, terms.clone())],
            };
            for (has_intercept, terms) in parts {
                self.add_random(has_intercept, terms, &group);
            }
        }
        Ok(Vec::new())
    }

    fn add_random(&mut self, has_intercept: bool, terms: TermList, group: &[String]) {
        let names = terms.iter().map(|term| {
            let names = term
                .iter()
                .map(|factor| self.factors[*factor].name.as_str());
            names.collect::<Vec<_>>().join(":")
        });
        let mut parts: Vec<String> = match (has_intercept, terms.is_empty()) {
            (true, true) => vec!["1".to_owned()],
            (true, false) => Vec::new(),
            (false, _) => vec!["0".to_owned()],
        };
        parts.extend(names);
        self.random.push(RandomTerm {
            name: format!("({} | {})", parts.join(" + "), group.join(":")),
            has_intercept,
            terms,
            group: group.to_vec(),
        });
    }

    /// `g`, `a:b`, or `a/b`, which is `a` and `a:b`.
    fn read_groups(&mut self) -> Result<Vec<Vec<String>>, FormulaError> {
        let mut groups: Vec<Vec<String>> = vec![vec![self.read_name()?]];
        loop {
            let is_nested = match () {
                () if self.takes(':') => false,
                () if self.takes('/') => true,
                () => return Ok(groups),
            };
            let mut last = groups.last().cloned().unwrap_or_default();
            last.push(self.read_name()?);
            if !is_nested {
                groups.pop();
            }
            groups.push(last);
        }
    }

    fn read_name(&mut self) -> Result<String, FormulaError> {
        match self.peek().clone() {
            FormulaToken::Name(name) => {
                self.at += 1;
                Ok(name)
            }
            _ => Err(self.expected("the name of a column")),
        }
    }

    /// Whether a `|` stands before the parenthesis closes.
    fn bar_before_end(&self) -> bool {
        let mut open = 0_usize;
        for placed in &self.tokens[self.at..] {
            match placed.token {
                FormulaToken::Sign('(') => open += 1,
                FormulaToken::Sign(')') if open == 0 => return false,
                FormulaToken::Sign(')') => open -= 1,
                FormulaToken::Sign('|') if open == 0 => return true,
                _ => {}
            }
        }
        false
    }

    /// A function among the terms.
    fn read_call(&mut self, name: &str) -> Result<TermList, FormulaError> {
        let start = self.at;
        match name {
            "C" | "factor" => {
                self.at += 2;
                let kind = self.read_category()?;
                let name = match &kind {
                    FactorKind::Category { column, .. } => format!("{name}({column})"),
                    _ => self.printed(start),
                };
                Ok(vec![vec![self.factor(name, kind)]])
            }
            "poly" => {
                self.at += 2;
                let kind = self.read_polynomial()?;
                let name = self.printed(start);
                Ok(vec![vec![self.factor(name, kind)]])
            }
            "offset" => {
                if self.depth > 1 {
                    return Err(self.fault(FormulaProblem::Misplaced("offset(..)".to_owned())));
                }
                self.at += 2;
                let of = self.read_expression()?;
                self.expect(')', "`)`")?;
                self.offsets.push(of);
                Ok(Vec::new())
            }
            "cbind" | "Surv" => Err(self.fault(FormulaProblem::Misplaced(format!("{name}(..)")))),
            _ => {
                let of = self.read_operand()?;
                let name = self.printed(start);
                Ok(vec![vec![self.factor(name, FactorKind::Expression(of))]])
            }
        }
    }

    /// The terms of all columns but those of the response.
    fn all_columns(&mut self) -> Result<TermList, FormulaError> {
        let mut used = Vec::new();
        if let Some(response) = self.response.clone() {
            let mut names = Vec::new();
            match &response.kind {
                ResponseKind::Single(one) => one.add_columns(&mut names),
                ResponseKind::Counts(one, two) | ResponseKind::Survival(one, two) => {
                    one.add_columns(&mut names);
                    two.add_columns(&mut names);
                }
            }
            used.extend(names.into_iter().map(str::to_owned));
        }
        let mut terms = Vec::new();
        for name in self.columns {
            if !used.iter().any(|used| used == name) {
                let kind = FactorKind::Expression(NumericExpression::Column((*name).to_owned()));
                terms.push(vec![self.factor((*name).to_owned(), kind)]);
            }
        }
        self.check_terms(&terms)?;
        Ok(terms)
    }

    /// The place of a factor, which is one with the factor of the same name.
    fn factor(&mut self, name: String, kind: FactorKind) -> usize {
        let known = self.factors.iter().position(|factor| factor.name == name);
        known.unwrap_or_else(|| {
            self.factors.push(FormulaFactor { name, kind });
            self.factors.len() - 1
        })
    }
}

fn take_intercept(terms: &mut TermList) -> bool {
    let has_intercept = terms.iter().any(Vec::is_empty);
    terms.retain(|term| !term.is_empty());
    has_intercept
}

fn add_term(terms: &mut TermList, term: Vec<usize>) {
    if !terms.contains(&term) {
        terms.push(term);
    }
}

fn joined_factors(terms: &TermList) -> Vec<usize> {
    let mut all: Vec<usize> = terms.iter().flatten().copied().collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Every term of one list with every term of another.
fn products(left: &TermList, right: &TermList) -> TermList {
    let mut terms = TermList::new();
    for one in left {
        for two in right {
            add_term(&mut terms, joined_factors(&vec![one.clone(), two.clone()]));
            if terms.len() > TERMS_MAX {
                return terms;
            }
        }
    }
    terms
}

/// The intercept and each term alone, for random terms without correlation.
fn split_terms(has_intercept: bool, terms: &TermList) -> Vec<(bool, TermList)> {
    let intercept = has_intercept.then(|| (true, TermList::new()));
    let alone = terms.iter().map(|term| (false, vec![term.clone()]));
    intercept.into_iter().chain(alone).collect()
}
