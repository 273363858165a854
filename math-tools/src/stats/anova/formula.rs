//! The formula of an analysis of variance: `score ~ arm * sex`.

use statistics::anova::FactorTerm;

use crate::prelude::*;

/// Most characters of a formula.
const LENGTH_MAX: usize = 2000;
/// Most factors of a formula.
const FACTORS_MAX: usize = 8;

/// A response and terms over factors.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct VarianceFormula {
    /// Name of the response.
    pub response: String,
    /// Names of the factors, in the order in which they appear.
    pub factors: Vec<String>,
    /// The terms by places of factors: main effects first, then interactions by their number of factors.
    pub terms: Vec<FactorTerm>,
}

impl VarianceFormula {
    /// Reads `response ~ a + b + a:b`, where `a * b` is all three. Names with other characters stand between backticks.
    pub(crate) fn parse(text: &str) -> Result<Self, ToolError> {
        if text.len() > LENGTH_MAX {
            refuse!(invalid "/formula", "formula"; "expected at most {LENGTH_MAX} characters, found more");
        }
        let Some((response, right)) = text.split_once('~') else {
            refuse!(invalid "/formula", "formula"; "expected `response ~ factors`, found `{text}`";
                "such as `score ~ arm * sex`")
        };
        let mut formula = Self {
            response: plain_name(response)?,
            factors: Vec::new(),
            terms: Vec::new(),
        };
        for part in right.split('+') {
            if part.contains('*') {
                let places = formula.places(part.split('*'))?;
                let subsets = (1..1_usize << places.len()).map(|chosen| {
                    let bits = places.iter().enumerate();
                    let taken = bits.filter(|(bit, _)| chosen >> bit & 1 == 1);
                    taken.map(|(_, place)| *place).collect::<FactorTerm>()
                });
                for term in subsets.collect::<Vec<FactorTerm>>() {
                    formula.add(term);
                }
            } else {
                let term = formula.places(part.split(':'))?;
                formula.add(term);
            }
        }
        formula.terms.sort_by_key(Vec::len);
        Ok(formula)
    }

    fn places<'a>(
        &mut self,
        names: impl Iterator<Item = &'a str>,
    ) -> Result<FactorTerm, ToolError> {
        let mut places = FactorTerm::new();
        for name in names {
            let name = plain_name(name)?;
            let known = self.factors.iter().position(|factor| *factor == name);
            let place = known.unwrap_or(self.factors.len());
            if known.is_none() {
                self.factors.push(name);
            }
            if self.factors.len() > FACTORS_MAX {
                refuse!(invalid "/formula", "formula"; "expected at most {FACTORS_MAX} factors, found more");
            }
            if !places.contains(&place) {
                places.push(place);
            }
        }
        Ok(places)
    }

    fn add(&mut self, mut term: FactorTerm) {
        term.sort_unstable();
        if !self.terms.contains(&term) {
            self.terms.push(term);
        }
    }

    /// A term in words: `arm:sex`.
    pub(crate) fn term_name(&self, term: &FactorTerm) -> String {
        let names: Vec<&str> = term.iter().map(|&at| self.factors[at].as_str()).collect();
        names.join(":")
    }
}

/// A name without blanks around it and backticks; `C(name)` is `name`.
fn plain_name(text: &str) -> Result<String, ToolError> {
    let text = text.trim();
    let inner = text
        .strip_prefix("C(")
        .and_then(|rest| rest.strip_suffix(')'));
    let text = inner.unwrap_or(text).trim();
    let name = match text
        .strip_prefix('`')
        .and_then(|rest| rest.strip_suffix('`'))
    {
        Some(quoted) => quoted,
        None => text,
    };
    let is_plain = |character: char| character.is_alphanumeric() || "_.`".contains(character);
    let is_fit = !name.is_empty() && (name.len() < text.len() || name.chars().all(is_plain));
    match is_fit {
        true => Ok(name.to_owned()),
        false => {
            refuse!(invalid "/formula", "formula"; "expected a column, found `{text}`";
                "terms are names joined by `+`, `:` and `*`; other names stand between backticks")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_have_all_terms() {
        let formula = VarianceFormula::parse("y ~ a*b + C(c) + b:c").expect("a formula");
        assert_eq!(formula.response, "y");
        assert_eq!(formula.factors, ["a", "b", "c"]);
        assert_eq!(
            formula.terms,
            [vec![0], vec![1], vec![2], vec![0, 1], vec![1, 2]]
        );
        assert_eq!(formula.term_name(&vec![1, 2]), "b:c");
        let quoted = VarianceFormula::parse("`a b` ~ `c d`").expect("names in backticks");
        assert_eq!(
            (quoted.response.as_str(), quoted.factors[0].as_str()),
            ("a b", "c d")
        );
    }

    #[test]
    fn what_is_no_formula_is_refused() {
        for text in [
            "y",
            "~ a",
            "y ~",
            "y ~ a +",
            "y ~ log(a)",
            "y ~ a ** 2",
            "y ~ a*b*c*d*e*f*g*h*i",
        ] {
            let error = VarianceFormula::parse(text).expect_err(text);
            assert_eq!(error.path(), Some("/formula"), "{text}");
        }
    }
}
