//! Walks over expressions: symbols, replacement, and what is known of signs.

use std::collections::BTreeSet;

use num_traits::Signed;

use super::{Expr, ExprNode, MathConstant, MathFunction, Symbol};

impl Expr {
    /// The direct parts.
    pub(crate) fn parts(&self) -> Vec<&Expr> {
        match self.node() {
            ExprNode::Sum(parts) | ExprNode::Product(parts) | ExprNode::Call(_, parts) => {
                parts.iter().collect()
            }
            ExprNode::Power(a, b) | ExprNode::Relation(_, a, b) => vec![a, b],
            _ => Vec::new(),
        }
    }

    /// The same node of other parts.
    pub(crate) fn map_parts(&self, change: &mut dyn FnMut(&Expr) -> Expr) -> Expr {
        match self.node() {
            ExprNode::Sum(parts) => Expr::sum(parts.iter().map(change).collect::<Vec<_>>()),
            ExprNode::Product(parts) => Expr::product(parts.iter().map(change).collect::<Vec<_>>()),
            ExprNode::Call(function, parts) => {
                Expr::call(function.clone(), parts.iter().map(change).collect())
            }
            ExprNode::Power(a, b) => change(a).pow(&change(b)),
            ExprNode::Relation(kind, a, b) => Expr::relation(*kind, change(a), change(b)),
            _ => self.clone(),
        }
    }

    /// Whether the symbol occurs.
    pub fn contains(&self, symbol: &Expr) -> bool {
        self == symbol || self.parts().into_iter().any(|part| part.contains(symbol))
    }

    /// Whether any part fulfils the condition.
    pub(crate) fn any(&self, condition: &dyn Fn(&Expr) -> bool) -> bool {
        condition(self) || self.parts().into_iter().any(|part| part.any(condition))
    }

    /// Every occurrence of `from` replaced.
    pub fn replace(&self, from: &Expr, to: &Expr) -> Expr {
        if self == from {
            return to.clone();
        }
        if self.parts().is_empty() {
            return self.clone();
        }
        self.map_parts(&mut |part| part.replace(from, to))
    }

    /// From the leaves up, each part changed.
    pub(crate) fn rewrite(&self, change: &dyn Fn(&Expr) -> Option<Expr>) -> Expr {
        let inner = match self.parts().is_empty() {
            true => self.clone(),
            false => self.map_parts(&mut |part| part.rewrite(change)),
        };
        change(&inner).unwrap_or(inner)
    }

    /// The symbols that occur, in their order.
    pub fn symbols(&self) -> BTreeSet<Symbol> {
        let mut found = BTreeSet::new();
        self.collect_symbols(&mut found);
        found
    }

    fn collect_symbols(&self, found: &mut BTreeSet<Symbol>) {
        match self.node() {
            ExprNode::Symbol(symbol) => {
                found.insert(symbol.clone());
            }
            _ => self
                .parts()
                .into_iter()
                .for_each(|part| part.collect_symbols(found)),
        }
    }

    /// All different parts that fulfil the condition, inner ones first.
    pub(crate) fn collect(&self, condition: &dyn Fn(&Expr) -> bool) -> Vec<Expr> {
        fn gather(expr: &Expr, condition: &dyn Fn(&Expr) -> bool, found: &mut Vec<Expr>) {
            for part in expr.parts() {
                gather(part, condition, found);
            }
            if condition(expr) && !found.contains(expr) {
                found.push(expr.clone());
            }
        }
        let mut found = Vec::new();
        gather(self, condition, &mut found);
        found
    }
}

/// Whether the value is real for all values of the symbols where it is defined.
pub(crate) fn is_known_real(expr: &Expr) -> bool {
    match expr.node() {
        ExprNode::Number(_) => true,
        ExprNode::Constant(constant) => *constant != MathConstant::I,
        ExprNode::Symbol(symbol) => symbol.traits.is_real,
        ExprNode::Sum(parts) | ExprNode::Product(parts) => parts.iter().all(is_known_real),
        ExprNode::Power(base, exponent) => {
            is_known_real(base)
                && (exponent.as_integer().is_some()
                    || (is_known_real(exponent) && is_known_nonnegative(base)))
        }
        ExprNode::Call(function, arguments) => {
            function.keeps_real_line() && arguments.iter().all(is_known_real)
                || (*function == MathFunction::Ln && is_known_positive(&arguments[0]))
                || (*function == MathFunction::Abs)
        }
        _ => false,
    }
}

/// Whether the value is above zero for all values of the symbols where it is defined.
pub(crate) fn is_known_positive(expr: &Expr) -> bool {
    match expr.node() {
        ExprNode::Number(value) => value.is_positive(),
        ExprNode::Constant(constant) => {
            !matches!(constant, MathConstant::I | MathConstant::MinusInfinity)
        }
        ExprNode::Symbol(symbol) => symbol.traits.is_positive,
        ExprNode::Sum(parts) => {
            parts.iter().all(is_known_nonnegative) && parts.iter().any(is_known_positive)
        }
        ExprNode::Product(parts) => parts.iter().all(is_known_positive),
        ExprNode::Power(base, exponent) => is_known_positive(base) && is_known_real(exponent),
        ExprNode::Call(MathFunction::Cosh, arguments) => is_known_real(&arguments[0]),
        ExprNode::Call(MathFunction::Ln, arguments) => arguments[0]
            .as_number()
            .is_some_and(|value| value > &num_traits::One::one()),
        _ => false,
    }
}

/// Whether the value is at least zero for all values of the symbols where it is defined.
pub(crate) fn is_known_nonnegative(expr: &Expr) -> bool {
    if is_known_positive(expr) {
        return true;
    }
    match expr.node() {
        ExprNode::Number(value) => !value.is_negative(),
        ExprNode::Symbol(symbol) => symbol.traits.is_nonnegative,
        ExprNode::Sum(parts) | ExprNode::Product(parts) => parts.iter().all(is_known_nonnegative),
        ExprNode::Power(base, exponent) => {
            (is_known_nonnegative(base) && is_known_real(exponent))
                || (is_known_real(base)
                    && exponent.as_integer().is_some_and(|count| count % 2 == 0))
        }
        ExprNode::Call(MathFunction::Abs, _) => true,
        _ => false,
    }
}

/// Whether a sum or product begins with a minus sign when printed.
pub(crate) fn has_minus_sign(expr: &Expr) -> bool {
    match expr.node() {
        ExprNode::Constant(MathConstant::MinusInfinity) => true,
        ExprNode::Sum(terms) => terms.iter().all(has_minus_sign),
        _ => expr.coefficient_and_rest().0.is_negative(),
    }
}
