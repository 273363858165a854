//! The kernels of an expression: symbols, functions, roots and exponentials, of which it is a fraction of polynomials.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, ToPrimitive, Zero};

use super::fraction::KernelFraction;
use super::sparse::SparsePoly;
use crate::budget::{Budget, Outcome, SymbolicFault};
use crate::tree::integer::lcm_of;
use crate::tree::walk::is_known_real;
use crate::tree::{Expr, ExprNode, MathConstant, MathFunction};

/// Kernels that an expression may have.
const KERNEL_LIMIT: usize = 24;
/// Powers that are multiplied out.
const POWER_LIMIT: i64 = 400;

/// A power of a kernel that is known otherwise: `kernel^degree = value`.
#[derive(Debug, Clone)]
pub(crate) struct KernelRelation {
    pub degree: u32,
    pub value: KernelFraction,
    /// Whether the value is a number, so that the kernel is an algebraic number.
    pub is_constant: bool,
}

/// The kernels in their order, and their relations.
#[derive(Debug, Clone, Default)]
pub(crate) struct KernelTable {
    pub kernels: Vec<Expr>,
    pub relations: Vec<Option<KernelRelation>>,
    /// Base and direction of the exponent, with the divisor of the unit: a kernel is `base^(direction/divisor)`.
    groups: BTreeMap<(Expr, Expr), (usize, BigInt)>,
}

/// Whether a base is a kernel by itself.
fn is_atomic(expr: &Expr) -> bool {
    matches!(
        expr.node(),
        ExprNode::Symbol(_) | ExprNode::Constant(_) | ExprNode::Call(..)
    )
}

impl KernelTable {
    /// The kernels of prepared expressions. Symbols in `first` come last in the order, so that they lead.
    pub(crate) fn of(
        expressions: &[&Expr],
        leading: Option<&Expr>,
        budget: &Budget<'_>,
    ) -> Outcome<Self> {
        let mut found: BTreeMap<(Expr, Expr), BigInt> = BTreeMap::new();
        for expr in expressions {
            collect_groups(expr, &mut found, budget)?;
        }
        // A sine needs its cosine for the relation between them.
        let sines: Vec<Expr> = found
            .keys()
            .filter_map(|(base, _)| base.argument_of(MathFunction::Sin).cloned())
            .collect();
        for angle in sines {
            let cosine = Expr::apply(MathFunction::Cos, angle);
            if is_atomic(&cosine) {
                found
                    .entry((cosine, Expr::one()))
                    .or_insert_with(BigInt::one);
            }
        }
        let squares: Vec<Expr> = found
            .keys()
            .filter_map(|(base, _)| base.argument_of(MathFunction::Abs).cloned())
            .filter(is_known_real)
            .collect();
        for inside in squares {
            collect_groups(&inside, &mut found, budget)?;
        }
        if found.len() > KERNEL_LIMIT {
            return Err(SymbolicFault::Refused(format!(
                "the expression has {} independent parts, more than {KERNEL_LIMIT}",
                found.len()
            )));
        }
        let mut ordered: Vec<((Expr, Expr), BigInt)> = found.into_iter().collect();
        let rank = |base: &Expr| match (Some(base) == leading, base.node()) {
            (true, _) => 9,
            (_, ExprNode::Number(_)) => 0,
            (_, ExprNode::Constant(_)) => 1,
            (_, ExprNode::Symbol(_)) => 2,
            _ => 3 + i32::from(leading.is_some_and(|symbol| base.contains(symbol))),
        };
        ordered.sort_by_key(|((base, _), _)| rank(base));
        let mut table = Self::default();
        for (place, ((base, direction), divisor)) in ordered.into_iter().enumerate() {
            let exponent =
                &direction * Expr::number(BigRational::new(BigInt::one(), divisor.clone()));
            table.kernels.push(base.pow(&exponent));
            table.groups.insert((base, direction), (place, divisor));
        }
        table.relate(budget)?;
        Ok(table)
    }

    /// Number of kernels.
    pub(crate) fn count(&self) -> usize {
        self.kernels.len()
    }

    /// The place of a kernel.
    pub(crate) fn place_of(&self, kernel: &Expr) -> Option<usize> {
        self.kernels.iter().position(|known| known == kernel)
    }

    fn relate(&mut self, budget: &Budget<'_>) -> Outcome<()> {
        self.relations = vec![None; self.count()];
        let groups = self.groups.clone();
        let one = Expr::one();
        for ((base, direction), (place, divisor)) in &groups {
            let relation = match base.node() {
                ExprNode::Constant(MathConstant::I) => Some((2, Expr::integer(-1))),
                ExprNode::Call(MathFunction::Sin, arguments) => {
                    let cosine = Expr::apply(MathFunction::Cos, arguments[0].clone());
                    self.place_of(&cosine)
                        .map(|_| (2, one.clone() - cosine.powi(2)))
                }
                ExprNode::Call(MathFunction::Abs, arguments)
                    if is_known_real(&arguments[0]) && divisor.is_one() =>
                {
                    Some((2, arguments[0].powi(2)))
                }
                _ if *direction == one && !is_atomic(base) => {
                    divisor.to_u32().map(|degree| (degree, base.clone()))
                }
                _ => None,
            };
            if let Some((degree, value)) = relation {
                let is_constant =
                    value.symbols().is_empty() && !value.any(&|part| part.as_call().is_some());
                let value = self.convert(&value, budget)?;
                self.relations[*place] = Some(KernelRelation {
                    degree,
                    value,
                    is_constant,
                });
            }
        }
        Ok(())
    }

    /// The fraction of an expression whose kernels are in the table.
    pub(crate) fn convert(&self, expr: &Expr, budget: &Budget<'_>) -> Outcome<KernelFraction> {
        budget.spend(1)?;
        let count = self.count();
        match expr.node() {
            ExprNode::Number(value) => Ok(KernelFraction::constant(count, value.clone())),
            ExprNode::Sum(terms) => {
                let mut total = KernelFraction::constant(count, BigRational::zero());
                for term in terms {
                    total = total.add(&self.convert(term, budget)?, budget)?;
                }
                self.reduce(total, budget)
            }
            ExprNode::Product(factors) => {
                let mut total = KernelFraction::constant(count, BigRational::one());
                for factor in factors {
                    total = total.mul(&self.convert(factor, budget)?, budget)?;
                }
                self.reduce(total, budget)
            }
            ExprNode::Power(base, exponent) => match exponent.as_integer() {
                Some(power) if power.abs() > POWER_LIMIT => Err(SymbolicFault::Size),
                Some(power) if !is_atomic(base) => {
                    let inner = self.convert(base, budget)?;
                    let raised = inner.pow(power, budget)?;
                    self.reduce(raised, budget)
                }
                _ => self.convert_power(base, exponent, budget),
            },
            _ if is_atomic(expr) => self.convert_power(expr, &Expr::one(), budget),
            _ => Err(SymbolicFault::Refused("relations have no value".to_owned())),
        }
    }

    fn convert_power(
        &self,
        base: &Expr,
        exponent: &Expr,
        budget: &Budget<'_>,
    ) -> Outcome<KernelFraction> {
        let count = self.count();
        let mut total = KernelFraction::constant(count, BigRational::one());
        for term in exponent.terms() {
            let (coefficient, direction) = term.coefficient_and_rest();
            let Some((place, divisor)) = self.groups.get(&(base.clone(), direction)) else {
                return Err(SymbolicFault::Refused(
                    "a part of the expression is no kernel".to_owned(),
                ));
            };
            let power = coefficient * BigRational::from_integer(divisor.clone());
            let Some(power) = power.to_i64().filter(|power| power.abs() <= POWER_LIMIT) else {
                return Err(SymbolicFault::Size);
            };
            let monomial = SparsePoly::power_of(count, *place, power.unsigned_abs() as u32);
            let one = SparsePoly::one(count);
            let factor = match power < 0 {
                true => KernelFraction {
                    num: one,
                    den: monomial,
                },
                false => KernelFraction {
                    num: monomial,
                    den: one,
                },
            };
            total = total.mul(&factor, budget)?;
        }
        self.reduce(total, budget)
    }

    /// Powers of kernels that are known otherwise are replaced.
    pub(crate) fn reduce(
        &self,
        fraction: KernelFraction,
        budget: &Budget<'_>,
    ) -> Outcome<KernelFraction> {
        if self.relations.iter().all(Option::is_none) {
            return Ok(fraction);
        }
        let (num, scale) = self.reduce_poly(&fraction.num, budget)?;
        let (den, other) = self.reduce_poly(&fraction.den, budget)?;
        let num = num.mul(&other, budget)?;
        let den = den.mul(&scale, budget)?;
        if den.is_zero() {
            return Err(SymbolicFault::Undefined);
        }
        Ok(KernelFraction { num, den })
    }

    /// The reduced polynomial and what it is to be divided by.
    fn reduce_poly(
        &self,
        poly: &SparsePoly,
        budget: &Budget<'_>,
    ) -> Outcome<(SparsePoly, SparsePoly)> {
        let mut poly = poly.clone();
        let mut divisor = SparsePoly::one(poly.variables);
        loop {
            let high = (0..self.relations.len()).rev().find_map(|place| {
                let relation = self.relations[place].as_ref()?;
                (poly.degree(place) >= relation.degree).then_some((place, relation))
            });
            let Some((place, relation)) = high else {
                return Ok((poly, divisor));
            };
            let parts = poly.coefficients(place);
            let top = (parts.len() as u32 - 1) / relation.degree;
            let mut total = SparsePoly::zero(poly.variables);
            for (power, part) in parts.iter().enumerate().filter(|(_, part)| !part.is_zero()) {
                let (times, left) = (
                    power as u32 / relation.degree,
                    power as u32 % relation.degree,
                );
                let term = part
                    .mul(&relation.value.num.pow(times, budget)?, budget)?
                    .mul(&relation.value.den.pow(top - times, budget)?, budget)?
                    .mul(&SparsePoly::power_of(poly.variables, place, left), budget)?;
                total = total.add(&term);
            }
            divisor = divisor.mul(&relation.value.den.pow(top, budget)?, budget)?;
            poly = total;
        }
    }

    /// Square roots of numbers and the imaginary unit leave the denominator.
    pub(crate) fn rationalise(
        &self,
        mut fraction: KernelFraction,
        budget: &Budget<'_>,
    ) -> Outcome<KernelFraction> {
        for (place, relation) in self.relations.iter().enumerate() {
            let Some(relation) = relation else {
                continue;
            };
            if !relation.is_constant || relation.degree != 2 || !fraction.den.depends_on(place) {
                continue;
            }
            let parts = fraction.den.coefficients(place);
            if parts.len() > 2 {
                continue;
            }
            let root = SparsePoly::power_of(fraction.den.variables, place, 1);
            let conjugate = parts[0].sub(&parts[1].mul(&root, budget)?);
            let widened = KernelFraction {
                num: fraction.num.mul(&conjugate, budget)?,
                den: fraction.den.mul(&conjugate, budget)?,
            };
            fraction = self.reduce(widened, budget)?;
        }
        Ok(fraction)
    }

    /// The expression of a polynomial in the kernels.
    pub(crate) fn poly_to_expr(&self, poly: &SparsePoly) -> Expr {
        Expr::sum(poly.terms.iter().map(|(exponents, value)| {
            let powers = exponents
                .iter()
                .zip(&self.kernels)
                .filter(|(power, _)| **power > 0)
                .map(|(&power, kernel)| kernel.powi(i64::from(power)));
            Expr::product(std::iter::once(Expr::number(value.clone())).chain(powers))
        }))
    }

    /// The expression of a fraction.
    pub(crate) fn to_expr(&self, fraction: &KernelFraction) -> Expr {
        let num = self.poly_to_expr(&fraction.num);
        match fraction.den.is_one() {
            true => num,
            false => num / self.poly_to_expr(&fraction.den),
        }
    }
}

fn collect_groups(
    expr: &Expr,
    found: &mut BTreeMap<(Expr, Expr), BigInt>,
    budget: &Budget<'_>,
) -> Outcome<()> {
    budget.spend(1)?;
    let mut note = |base: &Expr, direction: Expr, divisor: &BigInt| {
        let known = found
            .entry((base.clone(), direction))
            .or_insert_with(BigInt::one);
        *known = lcm_of(known, divisor);
    };
    match expr.node() {
        ExprNode::Number(_) => Ok(()),
        ExprNode::Sum(parts) | ExprNode::Product(parts) => {
            for part in parts {
                collect_groups(part, found, budget)?;
            }
            Ok(())
        }
        ExprNode::Power(base, exponent) => {
            if exponent.as_integer().is_some() {
                return collect_groups(base, found, budget);
            }
            let mut has_root = false;
            for term in exponent.terms() {
                let (coefficient, direction) = term.coefficient_and_rest();
                has_root |= direction.is_one();
                note(base, direction, coefficient.denom());
            }
            match has_root && !is_atomic(base) {
                true => collect_groups(base, found, budget),
                false => Ok(()),
            }
        }
        _ if is_atomic(expr) => {
            note(expr, Expr::one(), &BigInt::one());
            Ok(())
        }
        _ => Err(SymbolicFault::Refused("relations have no value".to_owned())),
    }
}
