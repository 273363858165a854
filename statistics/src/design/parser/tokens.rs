//! Looking at tokens, limits, and errors with their place.

use super::{DEPTH_MAX, FormulaParser, SIGNS_MAX, TERMS_MAX, TermList};
use crate::design::lexer::FormulaToken;
use crate::design::{FormulaError, FormulaProblem};

impl FormulaParser<'_> {
    pub(super) fn peek(&self) -> &FormulaToken {
        &self.tokens[self.at].token
    }

    pub(super) fn sign_after(&self, sign: char) -> bool {
        let next = self.tokens.get(self.at + 1);
        next.is_some_and(|next| next.token == FormulaToken::Sign(sign))
    }

    pub(super) fn takes(&mut self, sign: char) -> bool {
        let is_there = *self.peek() == FormulaToken::Sign(sign);
        self.at += usize::from(is_there);
        is_there
    }

    pub(super) fn expect(&mut self, sign: char, words: &'static str) -> Result<(), FormulaError> {
        match self.takes(sign) {
            true => Ok(()),
            false => Err(self.expected(words)),
        }
    }

    pub(super) fn enter(&mut self) -> Result<(), FormulaError> {
        self.depth += 1;
        match self.depth > DEPTH_MAX {
            true => Err(self.fault(FormulaProblem::Depth(DEPTH_MAX))),
            false => Ok(()),
        }
    }

    /// A chain of signs is a tree as deep as it is long.
    pub(super) fn count_sign(&mut self) -> Result<(), FormulaError> {
        self.signs += 1;
        match self.signs > SIGNS_MAX {
            true => Err(self.fault(FormulaProblem::Depth(SIGNS_MAX))),
            false => Ok(()),
        }
    }

    pub(super) fn check_terms(&self, terms: &TermList) -> Result<(), FormulaError> {
        match terms.len() > TERMS_MAX {
            true => Err(self.fault(FormulaProblem::Terms(TERMS_MAX))),
            false => Ok(()),
        }
    }

    /// Offsets and random terms leave no terms that others could be crossed with.
    pub(super) fn check_factors(
        &self,
        left: &TermList,
        right: &TermList,
    ) -> Result<(), FormulaError> {
        match left.is_empty() || right.is_empty() {
            true => Err(self.expected("terms on both sides of `:`, `*` or `/`")),
            false => Ok(()),
        }
    }

    pub(super) fn expected(&self, expected: &'static str) -> FormulaError {
        let found = self.peek().words();
        self.fault(FormulaProblem::Expected { expected, found })
    }

    pub(super) fn fault(&self, problem: FormulaProblem) -> FormulaError {
        FormulaError {
            problem,
            place: self.tokens[self.at].place,
            text: self.text.to_owned(),
        }
    }

    /// The tokens from a place to here, as R prints them.
    pub(super) fn printed(&self, start: usize) -> String {
        let mut out = String::new();
        let mut is_operand_before = false;
        for placed in &self.tokens[start..self.at] {
            match &placed.token {
                FormulaToken::Sign(sign @ ('+' | '-' | '*' | '=')) if is_operand_before => {
                    out.extend([' ', *sign, ' ']);
                    is_operand_before = false;
                }
                FormulaToken::Sign(',') => {
                    out.push_str(", ");
                    is_operand_before = false;
                }
                FormulaToken::Sign(sign) => {
                    out.push(*sign);
                    is_operand_before = *sign == ')';
                }
                FormulaToken::Name(word) => {
                    out.push_str(word);
                    is_operand_before = true;
                }
                FormulaToken::Text(word) => {
                    out.push_str(&format!("\"{word}\""));
                    is_operand_before = true;
                }
                FormulaToken::Number(number) => {
                    out.push_str(&number.to_string());
                    is_operand_before = true;
                }
                FormulaToken::End => {}
            }
        }
        out
    }
}
