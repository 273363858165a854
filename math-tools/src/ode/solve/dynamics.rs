//! [`OdeDynamics`]: a checked right-hand side with its derivatives, which are compiled when first needed; [`DynamicsEvaluator`], its evaluation.

use std::sync::{Arc, OnceLock};

use crate::expression::program;
use numerics::ode::{FiniteDifferences, JacobianPattern, OdeFlow, OdeTolerances, RightHandSide};
use numerics::vector;
use tool_core::{Matrix, Vector};

use super::system::StateNames;
use crate::expression::{Expression, ExpressionSystem, LoweredExpressions, NotDifferentiable};
use crate::linalg::dense::dot;

/// A checked right-hand side, shared by all integrations of a call.
#[derive(Debug)]
pub(crate) struct OdeDynamics {
    n: usize,
    form: DynamicsForm,
    mass: Option<Vec<(usize, usize, f64)>>,
    tolerances: Option<OdeTolerances>,
    slopes: OnceLock<DynamicsJacobian>,
}

#[derive(Debug)]
enum DynamicsForm {
    /// Expressions in the slots t, the state, the free parameters; compiled together. A state of second order begins with the
    /// positions, whose derivatives are the velocities.
    Expressions {
        expressions: Vec<Expression>,
        lowered: LoweredExpressions,
        system: Box<ExpressionSystem>,
        state: StateNames,
    },
    /// y' = A y + b.
    Linear(Matrix, Vector),
}

/// The derivatives.
#[derive(Debug)]
struct DynamicsJacobian {
    pattern: Arc<JacobianPattern>,
    /// The entries of the pattern that are expressions, and the derivatives by time with their rows; `None` when a function in
    /// them has no known derivative.
    exact: Option<(ExpressionSystem, usize, Vec<usize>, ExpressionSystem)>,
}

impl OdeDynamics {
    /// The expressions; none of a linear system.
    pub(crate) fn equations(&self) -> &[Expression] {
        match &self.form {
            DynamicsForm::Expressions { expressions, .. } => expressions,
            DynamicsForm::Linear { .. } => &[],
        }
    }

    /// By expressions, one for each equation of the state.
    pub(crate) fn expressions(expressions: Vec<Expression>, state: StateNames) -> Self {
        let lowered = LoweredExpressions::new(&expressions);
        Self {
            n: state.len(),
            form: DynamicsForm::Expressions {
                system: Box::new(lowered.values()),
                lowered,
                expressions,
                state,
            },
            mass: None,
            tolerances: None,
            slopes: OnceLock::new(),
        }
    }

    /// y' = A y + b.
    pub(crate) fn linear(a: Matrix, b: Vector) -> Self {
        Self {
            n: b.len(),
            form: DynamicsForm::Linear(a, b),
            mass: None,
            tolerances: None,
            slopes: OnceLock::new(),
        }
    }

    /// Sets tolerances, which tell the sizes of components to differences.
    #[must_use]
    pub(crate) fn with_tolerances(self, tolerances: &OdeTolerances) -> Self {
        Self {
            tolerances: Some(tolerances.clone()),
            ..self
        }
    }

    /// Sets the mass matrix by its entries.
    #[must_use]
    pub(crate) fn with_mass(self, mass: Vec<(usize, usize, f64)>) -> Self {
        Self {
            mass: Some(mass),
            slopes: OnceLock::new(),
            ..self
        }
    }

    /// Number of entries of the state.
    pub(crate) fn len(&self) -> usize {
        self.n
    }

    /// Whether the time occurs in it.
    pub(crate) fn uses_time(&self) -> bool {
        match &self.form {
            DynamicsForm::Expressions { expressions, .. } => expressions.iter().any(|e| e.uses(0)),
            DynamicsForm::Linear(..) => false,
        }
    }

    /// The pattern of the Jacobian.
    pub(crate) fn pattern(&self) -> &Arc<JacobianPattern> {
        &self.slopes().pattern
    }

    /// The derivatives by the first free parameters: row and parameter of each, and their system.
    ///
    /// # Errors
    /// [`NotDifferentiable`], also where a derivative by the state is not known.
    pub(crate) fn by_parameters(
        &self,
        count: usize,
    ) -> Result<(Vec<(usize, usize)>, ExpressionSystem), NotDifferentiable> {
        let DynamicsForm::Expressions {
            expressions,
            lowered,
            state,
            ..
        } = &self.form
        else {
            return Ok((Vec::new(), ExpressionSystem::values([])));
        };
        let slots: Vec<usize> = (1..=self.n).collect();
        lowered.clone().jacobian(expressions, &slots)?;
        let first = self.n + 1;
        let slots: Vec<usize> = (first..first + count).collect();
        let (mut places, system) = lowered.clone().jacobian(expressions, &slots)?;
        let offset = self.n - state.equations();
        places.iter_mut().for_each(|(row, _)| *row += offset);
        Ok((places, system))
    }

    fn slopes(&self) -> &DynamicsJacobian {
        self.slopes.get_or_init(|| self.differentiate())
    }

    fn differentiate(&self) -> DynamicsJacobian {
        let n = self.n;
        let (entries, exact) = match &self.form {
            DynamicsForm::Linear(a, _) => {
                let all = (0..n).flat_map(|row| (0..n).map(move |column| (row, column)));
                (
                    all.filter(|&(row, column)| a.row(row)[column] != 0.0)
                        .collect(),
                    None,
                )
            }
            DynamicsForm::Expressions {
                expressions,
                lowered,
                state,
                ..
            } => {
                let offset = n - state.equations();
                let slots: Vec<usize> = (1..=n).collect();
                let by_state = lowered.clone().jacobian(expressions, &slots);
                let by_time = match self.uses_time() {
                    true => lowered.clone().jacobian(expressions, &[0]),
                    false => Ok((Vec::new(), ExpressionSystem::values([]))),
                };
                let velocities = (0..offset).map(|index| (index, offset + index));
                match (by_state, by_time) {
                    (Ok((places, system)), Ok((rows, slope))) => {
                        let count = places.len();
                        let places = places.iter().map(|&(row, column)| (row + offset, column));
                        let rows = rows.iter().map(|&(row, _)| row + offset).collect();
                        (
                            places.chain(velocities).collect(),
                            Some((system, count, rows, slope)),
                        )
                    }
                    _ => {
                        let used = |(row, expression): (usize, &Expression)| {
                            let slots = expression.slots().into_iter();
                            let slots = slots.filter(|slot| (1..=n).contains(slot));
                            let row = row + offset;
                            slots.map(move |slot| (row, slot - 1)).collect::<Vec<_>>()
                        };
                        let entries = expressions.iter().enumerate().flat_map(used);
                        (entries.chain(velocities).collect(), None)
                    }
                }
            }
        };
        DynamicsJacobian {
            pattern: Arc::new(JacobianPattern::new(n, entries, self.mass.clone())),
            exact,
        }
    }

    /// An evaluator, with the values of the free parameters; one for each thread.
    pub(crate) fn evaluator<'a>(&'a self, free: &[f64]) -> DynamicsEvaluator<'a> {
        let mut slots = vec![0.0; self.n + 1];
        slots.extend_from_slice(free);
        DynamicsEvaluator {
            dynamics: self,
            values: match &self.form {
                DynamicsForm::Expressions { system, .. } => Some(system.evaluator()),
                DynamicsForm::Linear(..) => None,
            },
            slots,
            slopes: None,
            differences: None,
        }
    }
}

/// Evaluates a right-hand side and its derivatives without allocating.
pub(crate) struct DynamicsEvaluator<'a> {
    dynamics: &'a OdeDynamics,
    values: Option<program::SystemEvaluator<'a>>,
    /// t, the state, the free parameters.
    slots: Vec<f64>,
    slopes: Option<(program::SystemEvaluator<'a>, program::SystemEvaluator<'a>)>,
    /// What takes their place where they are not known.
    differences: Option<FiniteDifferences>,
}

impl<'a> DynamicsEvaluator<'a> {
    /// t, the state, the free parameters, as an expression sees them.
    pub(crate) fn slots(&mut self, t: f64, y: &[f64]) -> &[f64] {
        self.place(t, y);
        &self.slots
    }

    fn place(&mut self, t: f64, y: &[f64]) {
        self.slots[0] = t;
        vector::copy_numbers(y, &mut self.slots[1..=y.len()]);
    }

    /// At as many points as a method has stages; false where they must be evaluated one after the other.
    fn together<const POINTS: usize>(
        &mut self,
        t: &[f64],
        y: &[Vec<f64>],
        dy: &mut [Vec<f64>],
    ) -> bool {
        let (DynamicsForm::Expressions { state, .. }, Some(values)) =
            (&self.dynamics.form, &mut self.values)
        else {
            return false;
        };
        let (Ok(t), Ok(y), Ok(dy)) = (
            <&[f64; POINTS]>::try_from(t),
            <&[Vec<f64>; POINTS]>::try_from(y),
            <&mut [Vec<f64>; POINTS]>::try_from(dy),
        ) else {
            return false;
        };
        let n = self.dynamics.n;
        let offset = n - state.equations();
        let free = &self.slots[1 + n..];
        let points = std::array::from_fn(|point| [&t[point..=point], &y[point], free]);
        let mut point = 0;
        let second = dy.each_mut().map(|dy| {
            let (first, second) = dy.split_at_mut(offset);
            first.copy_from_slice(&y[point][n - offset..]);
            point += 1;
            second
        });
        values.points_of(points, second);
        true
    }

    fn by_differences(
        &mut self,
        find: impl FnOnce(&mut FiniteDifferences, &mut RightHandSide<'_>) -> u64,
    ) -> u64 {
        let dynamics = self.dynamics;
        let make = || FiniteDifferences::new(dynamics.pattern(), dynamics.tolerances.as_ref());
        let mut differences = self.differences.take().unwrap_or_else(make);
        let evaluations = find(&mut differences, &mut |t, y, dy| self.eval(t, y, dy));
        self.differences = Some(differences);
        evaluations
    }

    /// Evaluators of the derivatives, made when first needed.
    fn exact(
        &mut self,
    ) -> Option<(
        &mut (program::SystemEvaluator<'a>, program::SystemEvaluator<'a>),
        usize,
    )> {
        let (system, count, _, slope) = self.dynamics.slopes().exact.as_ref()?;
        let make = || (system.evaluator(), slope.evaluator());
        Some((self.slopes.get_or_insert_with(make), *count))
    }
}

impl OdeFlow for DynamicsEvaluator<'_> {
    fn eval(&mut self, t: f64, y: &[f64], dy: &mut [f64]) {
        match &self.dynamics.form {
            DynamicsForm::Linear(a, b) => {
                for (row, value) in dy.iter_mut().enumerate() {
                    *value = dot(a.row(row), y) + b[row];
                }
            }
            DynamicsForm::Expressions { state, .. } => {
                let offset = self.dynamics.n - state.equations();
                let (first, second) = dy.split_at_mut(offset);
                vector::copy_numbers(&y[y.len() - offset..], first);
                let free = &self.slots[1 + y.len()..];
                if let Some(values) = &mut self.values {
                    values.point_of([&[t], y, free], second);
                }
            }
        }
    }

    fn eval_together(&mut self, t: &[f64], y: &[Vec<f64>], dy: &mut [Vec<f64>]) -> bool {
        self.together::<3>(t, y, dy) || self.together::<5>(t, y, dy)
    }

    fn pattern(&mut self) -> Arc<JacobianPattern> {
        Arc::clone(self.dynamics.pattern())
    }

    fn jacobian(&mut self, t: f64, y: &[f64], entries: &mut [f64]) -> u64 {
        let dynamics = self.dynamics;
        let pattern = dynamics.pattern();
        if let DynamicsForm::Linear(a, _) = &dynamics.form {
            for (entry, &(row, column)) in entries.iter_mut().zip(&pattern.entries) {
                *entry = a.row(row)[column];
            }
            return 0;
        }
        self.place(t, y);
        let slots = std::mem::take(&mut self.slots);
        let exact = self.exact().map(|((by_state, _), count)| {
            by_state.point(&slots, &mut entries[..count]);
            entries[count..].fill(1.0);
        });
        self.slots = slots;
        if exact.is_some() {
            return 0;
        }
        self.by_differences(|differences, f| differences.jacobian(f, (t, y), entries))
    }

    fn time_slope(&mut self, t: f64, y: &[f64], slope: &mut [f64]) -> u64 {
        slope.fill(0.0);
        let dynamics = self.dynamics;
        if matches!(dynamics.form, DynamicsForm::Linear(..)) {
            return 0;
        }
        let Some((_, _, rows, _)) = &dynamics.slopes().exact else {
            return self.by_differences(|differences, f| differences.time_slope(f, (t, y), slope));
        };
        if rows.is_empty() {
            return 0;
        }
        self.place(t, y);
        let slots = std::mem::take(&mut self.slots);
        let mut values = vec![0.0; rows.len()];
        if let Some(((_, by_time), _)) = self.exact() {
            by_time.point(&slots, &mut values);
        }
        self.slots = slots;
        for (&row, value) in rows.iter().zip(values) {
            slope[row] = value;
        }
        0
    }
}
