//! Equations in one unknown.

use num_traits::Signed;

use super::check::{SolutionCandidate, check_candidates};
use super::invert::{InverseValues, invert_kernel};
use super::{EquationSolutions, SolveDomain};
use crate::budget::{Budget, Outcome, SymbolicFault, refuse};
use crate::numeric::evaluate::describe_value;
use crate::poly::fraction::{KernelFraction, NormalForm, normal_form, normal_form_of_prepared};
use crate::poly::roots::polynomial_roots;
use crate::poly::sparse::SparsePoly;
use crate::poly::sparse_factor::factor_sparse;
use crate::poly::sparse_gcd::{eliminate, to_dense};
use crate::tree::{Expr, ExprNode, MathFunction, RelationKind};

/// Equations within equations.
const NESTING: usize = 6;

/// A search for the zeros of expressions.
struct ZeroSearch<'a> {
    x: &'a Expr,
    domain: SolveDomain,
    budget: &'a Budget<'a>,
    conditions: Vec<Expr>,
    unsolved: Vec<Expr>,
}

/// Solves an equation, or an expression that is to be zero.
pub fn solve_equation(
    equation: &Expr,
    x: &Expr,
    domain: SolveDomain,
    budget: &Budget<'_>,
) -> Outcome<EquationSolutions> {
    let equation = budget.admit(equation.clone())?;
    let (left, right) = match equation.node() {
        ExprNode::Relation(RelationKind::Equal, a, b) => (a.clone(), b.clone()),
        ExprNode::Relation(..) => return refuse("an inequality is solved as one"),
        _ => (equation.clone(), Expr::zero()),
    };
    let mut result = EquationSolutions::default();
    let difference = &left - &right;
    let is_identity = crate::numeric::compare_values(&left, &right, 6, budget)?.is_agreement()
        && crate::poly::fraction::is_proved_zero(&difference, budget).unwrap_or(false);
    if is_identity {
        result.is_identity = true;
        return Ok(result);
    }
    let mut search = ZeroSearch {
        x,
        domain,
        budget,
        conditions: Vec::new(),
        unsolved: Vec::new(),
    };
    let candidates = search.zeros_of(&difference, 0)?;
    result.conditions = search.conditions;
    for factor in crate::simplify::conditions::denominator_factors(&equation, budget)? {
        if factor.contains(x) {
            result
                .conditions
                .push(crate::simplify::conditions::nonzero_condition(&factor));
        }
    }
    result.unsolved = search.unsolved;
    check_candidates(candidates, (&left, &right), x, domain, &mut result, budget)?;
    // Real numbers by size; families and complex numbers after them, as they were found.
    result.solutions.sort_by(|a, b| {
        let size = |digits: &Option<String>| {
            digits
                .as_ref()
                .and_then(|digits| digits.parse::<f64>().ok())
                .unwrap_or(f64::INFINITY)
        };
        size(&a.digits).total_cmp(&size(&b.digits))
    });
    Ok(result)
}

impl ZeroSearch<'_> {
    fn zeros_of(&mut self, expr: &Expr, nesting: usize) -> Outcome<Vec<SolutionCandidate>> {
        self.budget.spend(100)?;
        if nesting > NESTING {
            self.unsolved.push(expr.clone());
            return Ok(Vec::new());
        }
        if !expr.contains(self.x) {
            return Ok(Vec::new());
        }
        if let Some(branches) = self.absolute_branches(expr) {
            let mut all = Vec::new();
            for branch in branches {
                if branch.is_zero() {
                    return refuse(
                        "an equation with absolute values holds on a whole interval: pose it as an inequality",
                    );
                }
                all.extend(self.zeros_of(&branch, nesting + 1)?);
            }
            return Ok(all);
        }
        // As it is written first: multiples of angles stay together.
        let mut forms: Vec<NormalForm> = Vec::new();
        if let Ok(plain) = normal_form_of_prepared(expr, Some(self.x), &self.budget.share(400_000))
            && self.unknown_kernels(&plain, &plain.fraction.num).len() <= 1
        {
            forms.push(plain);
        }
        if forms.is_empty() && expr.any(&|part| part.argument_of(MathFunction::Sin).is_some()) {
            let lowered =
                crate::simplify::circular::products_to_sums(expr, &self.budget.share(100_000));
            let form = lowered.and_then(|lowered| {
                normal_form_of_prepared(&lowered, Some(self.x), &self.budget.share(200_000))
            });
            if let Ok(form) = form
                && self.unknown_kernels(&form, &form.fraction.num).len() <= 1
            {
                forms.push(form);
            }
        }
        if forms.is_empty() {
            if let Some(found) = self.logarithms(expr, nesting)? {
                return Ok(found);
            }
            forms.push(normal_form(expr, Some(self.x), self.budget)?);
        }
        let form = forms.remove(0);
        let factored = factor_sparse(&form.fraction.num, self.budget)?;
        let mut all = Vec::new();
        for (factor, count) in factored.factors {
            let mut found = self.factor_zeros(&form, &factor, nesting)?;
            for candidate in &mut found {
                candidate.multiplicity *= count;
            }
            all.extend(found);
        }
        Ok(all)
    }

    /// With one absolute value replaced by its argument and by the opposite.
    fn absolute_branches(&self, expr: &Expr) -> Option<Vec<Expr>> {
        if self.domain != SolveDomain::Real {
            return None;
        }
        let calls = expr.collect(&|part| {
            part.argument_of(MathFunction::Abs).is_some() && part.contains(self.x)
        });
        let call = calls.first()?;
        let inside = call.argument_of(MathFunction::Abs)?;
        Some(vec![
            expr.replace(call, inside),
            expr.replace(call, &-inside),
        ])
    }

    /// Kernels of a polynomial that contain the unknown.
    fn unknown_kernels(&self, form: &NormalForm, poly: &SparsePoly) -> Vec<usize> {
        (0..form.table.count())
            .filter(|&place| poly.depends_on(place) && form.table.kernels[place].contains(self.x))
            .collect()
    }

    fn factor_zeros(
        &mut self,
        form: &NormalForm,
        factor: &SparsePoly,
        nesting: usize,
    ) -> Outcome<Vec<SolutionCandidate>> {
        let kernels = self.unknown_kernels(form, factor);
        match kernels.as_slice() {
            [] => Ok(Vec::new()),
            [only] => {
                let values = self.kernel_values(form, factor, *only)?;
                self.invert_values(&form.table.kernels[*only], values, nesting)
            }
            _ => self.several_kernels(form, factor, &kernels, nesting),
        }
    }

    /// The values of a kernel at which a polynomial in it is zero.
    fn kernel_values(
        &mut self,
        form: &NormalForm,
        factor: &SparsePoly,
        place: usize,
    ) -> Outcome<Vec<SolutionCandidate>> {
        let is_numeric =
            (0..form.table.count()).all(|other| other == place || !factor.depends_on(other));
        if is_numeric {
            return self.polynomial_values(factor, place);
        }
        let parts: Vec<Expr> = factor
            .coefficients(place)
            .iter()
            .map(|part| form.table.poly_to_expr(part))
            .collect();
        let leading = parts[parts.len() - 1].clone();
        if !leading.symbols().is_empty() && !crate::tree::walk::is_known_positive(&leading) {
            let condition = Expr::relation(RelationKind::Unequal, leading, Expr::zero());
            if !self.conditions.contains(&condition) {
                self.conditions.push(condition);
            }
        }
        let values = match parts.as_slice() {
            [c, b] => vec![-c / b],
            [c, b, a] => {
                let discriminant = crate::simplify::expand::expand(
                    &(b.powi(2) - Expr::integer(4) * a * c),
                    self.budget,
                )?;
                let root = crate::simplify::forms::factor(&discriminant, self.budget)
                    .unwrap_or(discriminant)
                    .sqrt();
                let double = Expr::integer(2) * a;
                vec![(-b - &root) / &double, (root - b) / double]
            }
            [c, middle @ .., a] if middle.iter().all(Expr::is_zero) => {
                let degree = parts.len() as i64 - 1;
                let value = -c / a;
                let root = value.pow(&Expr::ratio(1, degree));
                match (self.domain, degree % 2 == 0) {
                    (SolveDomain::Real, true) => vec![root.clone(), -root],
                    (SolveDomain::Real, false) => vec![root],
                    (SolveDomain::Complex, _) => (0..degree)
                        .map(|k| {
                            &root * (Expr::ratio(2 * k, degree) * Expr::pi() * Expr::i()).exp()
                        })
                        .collect(),
                }
            }
            _ => {
                self.unsolved.push(form.table.poly_to_expr(factor));
                Vec::new()
            }
        };
        Ok(values.into_iter().map(SolutionCandidate::exact).collect())
    }

    fn polynomial_values(
        &mut self,
        factor: &SparsePoly,
        place: usize,
    ) -> Outcome<Vec<SolutionCandidate>> {
        let mut values = Vec::new();
        for root in polynomial_roots(&to_dense(factor, place), self.budget)? {
            if self.domain == SolveDomain::Real && !root.is_real {
                continue;
            }
            let digits = describe_value(&root.value, 16).text;
            // Three real roots by cosines are long; digits stand beside them.
            let (value, is_exact) = match root.exact {
                Some(exact) => (exact, true),
                None => (number_of_digits(&root.value), false),
            };
            values.push(SolutionCandidate {
                value,
                is_exact,
                digits: Some(digits),
                multiplicity: root.multiplicity,
                family: None,
            });
        }
        Ok(values)
    }

    /// Solves `kernel = value` for each value.
    fn invert_values(
        &mut self,
        kernel: &Expr,
        values: Vec<SolutionCandidate>,
        nesting: usize,
    ) -> Outcome<Vec<SolutionCandidate>> {
        if kernel == self.x {
            return Ok(values);
        }
        // Powers of the unknown itself: x^(1/2) = v.
        let mut all = Vec::new();
        for candidate in values {
            let Some((argument, InverseValues { values, family })) =
                invert_kernel(kernel, &candidate.value, self.domain, self.budget)?
            else {
                self.unsolved.push(Expr::relation(
                    RelationKind::Equal,
                    kernel.clone(),
                    candidate.value,
                ));
                continue;
            };
            for value in values {
                let mut inner = self.zeros_of(&(&argument - &value), nesting + 1)?;
                for solution in &mut inner {
                    solution.multiplicity *= candidate.multiplicity;
                    solution.is_exact &= candidate.is_exact;
                    if family.is_some() {
                        solution.family.clone_from(&family);
                    }
                    if solution.family.is_some() || !solution.is_exact {
                        solution.digits = None;
                    }
                }
                all.extend(inner);
            }
        }
        Ok(all)
    }

    /// `c1*log(u1) + c2*log(u2) + ... = c`.
    fn logarithms(
        &mut self,
        expr: &Expr,
        nesting: usize,
    ) -> Outcome<Option<Vec<SolutionCandidate>>> {
        let (mut product, mut constant) = (Vec::new(), Vec::new());
        // A factor that all logarithms have, such as that of another base.
        let mut common: Option<Expr> = None;
        for term in expr.terms() {
            let (inside, outside): (Vec<&Expr>, Vec<&Expr>) = term
                .factors()
                .iter()
                .partition(|factor| factor.contains(self.x));
            let (coefficient, scale) =
                Expr::product(outside.into_iter().cloned()).coefficient_and_rest();
            match inside.as_slice() {
                [only]
                    if only.argument_of(MathFunction::Ln).is_some()
                        && common.as_ref().is_none_or(|common| *common == scale) =>
                {
                    let argument = only
                        .argument_of(MathFunction::Ln)
                        .cloned()
                        .unwrap_or_else(Expr::one);
                    product.push(argument.pow(&Expr::number(coefficient)));
                    common = Some(scale);
                }
                [] => constant.push(term.clone()),
                _ => return Ok(None),
            }
        }
        let constant = Expr::sum(constant) / common.unwrap_or_else(Expr::one);
        if product.len() < 2 {
            return Ok(None);
        }
        let equation = Expr::product(product) - (-constant).exp();
        self.zeros_of(&equation, nesting + 1).map(Some)
    }

    fn several_kernels(
        &mut self,
        form: &NormalForm,
        factor: &SparsePoly,
        kernels: &[usize],
        nesting: usize,
    ) -> Outcome<Vec<SolutionCandidate>> {
        if let Some(found) = self.two_exponentials(form, factor, kernels, nesting)? {
            return Ok(found);
        }
        if let Some(found) = self.circular_pair(form, factor, kernels, nesting)? {
            return Ok(found);
        }
        if let Some(found) = self.radicals(form, factor, kernels, nesting)? {
            return Ok(found);
        }
        self.unsolved.push(form.table.poly_to_expr(factor));
        Ok(Vec::new())
    }

    /// `a*2^x - b*3^x = 0`: two terms of powers.
    fn two_exponentials(
        &mut self,
        form: &NormalForm,
        factor: &SparsePoly,
        kernels: &[usize],
        nesting: usize,
    ) -> Outcome<Option<Vec<SolutionCandidate>>> {
        let is_power = |place: usize| {
            let (base, exponent) = form.table.kernels[place].base_and_exponent();
            !base.contains(self.x) && exponent.contains(self.x)
        };
        if factor.terms.len() != 2
            || !kernels.iter().all(|&place| is_power(place))
            || self.domain == SolveDomain::Complex
        {
            return Ok(None);
        }
        let mut terms = factor.terms.iter();
        let (Some((first, a)), Some((second, b))) = (terms.next(), terms.next()) else {
            return Ok(None);
        };
        let ratio = -a / b;
        if !ratio.is_positive() {
            return Ok(Some(Vec::new()));
        }
        let log = |exponents: &[u32]| {
            Expr::sum(
                exponents
                    .iter()
                    .zip(&form.table.kernels)
                    .filter(|(power, _)| **power > 0)
                    .map(|(&power, kernel)| {
                        let (base, exponent) = kernel.base_and_exponent();
                        let factor = Expr::integer(i64::from(power));
                        match kernel.contains(self.x) {
                            true => factor * exponent * base.ln(),
                            false => factor * kernel.ln(),
                        }
                    }),
            )
        };
        let equation = log(first) + Expr::number(ratio).ln() - log(second);
        let expanded = crate::simplify::expand::expand(&equation, self.budget)?;
        if let Some((slope, constant)) =
            crate::calculus::linear_parts(&expanded, self.x, self.budget)?
        {
            return Ok(Some(vec![SolutionCandidate::exact(-constant / slope)]));
        }
        self.zeros_of(&equation, nesting + 1).map(Some)
    }

    /// Sine and cosine of one angle.
    fn circular_pair(
        &mut self,
        form: &NormalForm,
        factor: &SparsePoly,
        kernels: &[usize],
        nesting: usize,
    ) -> Outcome<Option<Vec<SolutionCandidate>>> {
        let [one, two] = kernels else {
            return Ok(None);
        };
        let angle_of = |place: usize, function: MathFunction| {
            form.table.kernels[place].argument_of(function).cloned()
        };
        let (s, c) = match (
            angle_of(*one, MathFunction::Sin),
            angle_of(*two, MathFunction::Cos),
        ) {
            (Some(a), Some(b)) if a == b => (*one, *two),
            _ => match (
                angle_of(*two, MathFunction::Sin),
                angle_of(*one, MathFunction::Cos),
            ) {
                (Some(a), Some(b)) if a == b => (*two, *one),
                _ => return Ok(None),
            },
        };
        let Some(angle) = angle_of(s, MathFunction::Sin) else {
            return Ok(None);
        };
        // Even in the cosine: a polynomial in the sine.
        let parts = factor.coefficients(c);
        if parts.iter().skip(1).step_by(2).all(SparsePoly::is_zero) {
            let sine = SparsePoly::power_of(factor.variables, s, 2);
            let square = SparsePoly::one(factor.variables).sub(&sine);
            let mut total = SparsePoly::zero(factor.variables);
            for (power, part) in parts.iter().enumerate().step_by(2) {
                total =
                    total.add(&part.mul(&square.pow(power as u32 / 2, self.budget)?, self.budget)?);
            }
            return self.factors_of(form, &total, nesting).map(Some);
        }
        // Homogeneous of the first degree without constant: the tangent.
        let expr = form.table.poly_to_expr(factor);
        let (sine, cosine) = (&form.table.kernels[s], &form.table.kernels[c]);
        let is_homogeneous = factor
            .terms
            .keys()
            .all(|exponents| exponents[s] + exponents[c] == 1);
        if is_homogeneous {
            let by_sine = form.table.poly_to_expr(&factor.coefficients(s)[1]);
            let by_cosine = form.table.poly_to_expr(&factor.coefficients(c)[1]);
            let tangent = Expr::apply(MathFunction::Tan, angle);
            let values = vec![SolutionCandidate::exact(-by_cosine / by_sine)];
            return self.invert_values(&tangent, values, nesting).map(Some);
        }
        // The tangent of the half, and the half turn that it leaves out.
        let t = Expr::symbol("\u{3b7}");
        let square = t.powi(2);
        let one = Expr::one();
        let replaced = expr
            .replace(sine, &(Expr::integer(2) * &t / (&one + &square)))
            .replace(cosine, &((&one - &square) / (&one + &square)));
        let mut inner = ZeroSearch {
            x: &t,
            domain: self.domain,
            budget: self.budget,
            conditions: Vec::new(),
            unsolved: Vec::new(),
        };
        let values = inner.zeros_of(&replaced, nesting + 1)?;
        let lost = std::mem::take(&mut inner.unsolved);
        if !lost.is_empty() {
            self.unsolved.push(expr);
            return Ok(Some(Vec::new()));
        }
        let half = Expr::apply(MathFunction::Tan, &angle / Expr::integer(2));
        let mut all = self.invert_values(&half, values, nesting)?;
        let k = super::invert::family_symbol();
        let opposite = Expr::pi() + Expr::integer(2) * Expr::pi() * &k;
        let at_opposite = expr
            .replace(sine, &Expr::zero())
            .replace(cosine, &Expr::integer(-1));
        if crate::poly::fraction::is_proved_zero(&at_opposite, self.budget)? {
            let mut found = self.zeros_of(&(angle - opposite), nesting + 1)?;
            found.iter_mut().for_each(|solution| {
                solution.family = Some(k.clone());
                solution.digits = None;
            });
            all.extend(found);
        }
        Ok(Some(all))
    }

    fn factors_of(
        &mut self,
        form: &NormalForm,
        poly: &SparsePoly,
        nesting: usize,
    ) -> Outcome<Vec<SolutionCandidate>> {
        let mut all = Vec::new();
        for (factor, count) in factor_sparse(poly, self.budget)?.factors {
            let mut found = self.factor_zeros(form, &factor, nesting)?;
            found
                .iter_mut()
                .for_each(|candidate| candidate.multiplicity *= count);
            all.extend(found);
        }
        Ok(all)
    }

    /// Roots of polynomials are eliminated one after the other; candidates are put back later.
    fn radicals(
        &mut self,
        form: &NormalForm,
        factor: &SparsePoly,
        kernels: &[usize],
        nesting: usize,
    ) -> Outcome<Option<Vec<SolutionCandidate>>> {
        // The unknown, or the root of it in powers of which all is written.
        let x_place = form
            .table
            .kernels
            .iter()
            .position(|kernel| kernel.base_and_exponent().0 == *self.x);
        let mut poly = factor.clone();
        let mut open: Vec<usize> = kernels
            .iter()
            .copied()
            .filter(|place| Some(*place) != x_place)
            .collect();
        open.reverse();
        for place in open {
            let Some(relation) = &form.table.relations[place] else {
                return Ok(None);
            };
            if !matches!(form.table.kernels[place].node(), ExprNode::Power(..)) {
                return Ok(None);
            }
            if !poly.depends_on(place) {
                continue;
            }
            let KernelFraction { num, den } = &relation.value;
            let power = SparsePoly::power_of(poly.variables, place, relation.degree);
            let equation = power.mul(den, self.budget)?.sub(num);
            poly = eliminate(&poly, &equation, place, self.budget)?;
            if poly.is_zero() {
                return Ok(None);
            }
        }
        let left = self.unknown_kernels(form, &poly);
        match left.as_slice() {
            [only] if Some(*only) == x_place => {
                let mut found = self.factors_of(form, &poly, nesting)?;
                found
                    .iter_mut()
                    .for_each(|candidate| candidate.multiplicity = 1);
                if found.iter().any(|candidate| !candidate.is_exact) {
                    return Err(SymbolicFault::Refused(
                        "a radical equation leads to a polynomial without roots in radicals"
                            .to_owned(),
                    ));
                }
                Ok(Some(found))
            }
            [] => Ok(Some(Vec::new())),
            _ => Ok(None),
        }
    }
}

/// The digits as a number.
pub(crate) fn number_of_digits(value: &crate::numeric::complex::ManyDigitComplex) -> Expr {
    let part = |value: &astro_float_num::BigFloat| {
        let text = crate::numeric::evaluate::format_digits(value, 30);
        let read = crate::parse::read_expression(&text, &crate::parse::NotationOptions::default());
        read.map_or_else(|_| Expr::undefined(), |read| read.expr)
    };
    let re = part(&value.re);
    match value.im.is_zero() {
        true => re,
        false => re + part(&value.im) * Expr::i(),
    }
}
