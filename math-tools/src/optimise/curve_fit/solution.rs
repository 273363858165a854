//! [`OdeCurve`]: the solution of differential equations as a model.
//!
//! # Method
//! The states and their derivatives by the parameters are integrated together (`ode/solve/parametric.rs`) from `t0` to the times of the
//! rows, forwards and backwards, each different time once; what is observed is differentiated by the chain rule. Steps that jump over a
//! feature of the equations are made shorter for the whole fit.

use numerics::ode::{OdeEnd, OdeOptions, OdeTolerances, RTOL_MIN};
use tool_core::{Ctx, ToolError};

use super::arguments::Args;
use super::equations::OdeModel;
use super::model::{
    Columns, FitCurve, FitRows, FormulaCurve, require_finite_columns, without_derivative,
};
use super::names::{ModelNames, member_pointer, scope_of_names};
use crate::expression::{Expression, ExpressionScope, ExpressionSystem, NamedParameters};
use crate::ode::solve::method::SolveOdeMethod;
use crate::ode::solve::parametric::{OdeStop, ParametricOde};

/// Differential equations at the times of rows.
pub(super) struct OdeCurve<'a> {
    equations: ParametricOde,
    /// What is observed, with its derivatives by the parameters and then by the states.
    observed: FormulaCurve<'a>,
    states: usize,
    parameters: usize,
    t0: f64,
    /// The different times from `t0` on, ascending, and those before it, descending.
    after: Vec<f64>,
    before: Vec<f64>,
    /// The place of the time of each row in `after` and then `before`.
    places: Vec<usize>,
    ctx: &'a Ctx,
}

impl<'a> OdeCurve<'a> {
    /// # Errors
    /// `invalid_args` below `/model` for what cannot be read or differentiated.
    pub(super) fn new(
        equations: &OdeModel,
        args: &Args,
        names: &ModelNames,
        rows: &FitRows,
        ctx: &'a Ctx,
    ) -> Result<Self, ToolError> {
        if equations.method == SolveOdeMethod::Rodas4 {
            refuse!(invalid "/model/method"; "`rodas4` gives no derivatives by parameters"; "use `auto`, `radau` or `bdf`");
        }
        let (states, parameters) = (names.states.len(), names.parameters.len());
        let width = states.saturating_mul(1 + parameters);
        ctx.reserve_doubles(width.saturating_mul(rows.len().saturating_add(12)))?;
        let slopes = parse_right_hand_sides(equations, names, &args.parameters)?;
        let start = parse_initial_values(equations, names, &args.parameters)?;
        let observed = observed_formula(equations, names, &args.parameters, ctx)?;
        let equations_of = ParametricOde::new(
            slopes,
            start,
            parameters,
            integration_options(equations, ctx)?,
        );
        let times = &rows.predictors[0];
        let least = times.iter().copied().fold(f64::INFINITY, f64::min);
        let t0 = equations.t0.map_or(least, tool_core::Finite::get);
        let mut after: Vec<f64> = times.iter().copied().filter(|t| *t >= t0).collect();
        let mut before: Vec<f64> = times.iter().copied().filter(|t| *t < t0).collect();
        after.sort_by(f64::total_cmp);
        before.sort_by(|a, b| b.total_cmp(a));
        after.dedup();
        before.dedup();
        let found = |of: &[f64], t: f64| of.iter().position(|known| *known == t);
        let ascending = |t: &f64| match after.binary_search_by(|known| known.total_cmp(t)) {
            Ok(place) => place,
            Err(_) => found(&after, *t).unwrap_or(0),
        };
        let place = |t: &f64| match *t >= t0 {
            true => ascending(t),
            false => {
                let descending = before.binary_search_by(|known| t.total_cmp(known));
                after.len() + descending.unwrap_or_else(|_| found(&before, *t).unwrap_or(0))
            }
        };
        Ok(Self {
            equations: equations_of.map_err(|err| without_derivative(err, "/model/system"))?,
            observed,
            states,
            parameters,
            t0,
            places: times.iter().map(place).collect(),
            after,
            before,
            ctx,
        })
    }

    /// The columns at new rows, to whose times it must be integrable.
    ///
    /// # Errors
    /// `numeric` at `/predict` where it is not.
    pub(super) fn predicted(
        &mut self,
        point: &[f64],
        rows: &FitRows,
    ) -> Result<Option<Columns>, ToolError> {
        if let Err(OdeStop { t, .. }) = self.solutions(point)? {
            refuse!(numeric "/predict", "not_integrable"; "the equations of the fit can only be integrated to time {t}";
                "leave out the places beyond it");
        }
        self.look(point)?;
        self.columns(point, rows)
    }

    /// The solution with its derivatives at all times, or where its integration stopped.
    fn solutions(&self, point: &[f64]) -> Result<Result<Vec<f64>, OdeStop>, ToolError> {
        let solve = |times| self.equations.solutions(point, self.t0, times, self.ctx);
        let mut all = match solve(&self.after)? {
            Ok(all) => all,
            stopped => return Ok(stopped),
        };
        Ok(solve(&self.before)?.map(|before| {
            all.extend(before);
            all
        }))
    }
}

impl FitCurve for OdeCurve<'_> {
    fn columns(&mut self, point: &[f64], rows: &FitRows) -> Result<Option<Columns>, ToolError> {
        let Ok(solutions) = self.solutions(point)? else {
            return Ok(None);
        };
        let width = self.equations.width();
        let entry = |index: usize| -> Vec<f64> {
            let rows = self.places.iter();
            rows.map(|place| solutions[place * width + index]).collect()
        };
        let states: Vec<Vec<f64>> = (0..self.states).map(entry).collect();
        let varying: Vec<&[f64]> = rows
            .predictors
            .iter()
            .chain(&states)
            .map(Vec::as_slice)
            .collect();
        let mut columns = self.observed.at(point, &varying, rows.len())?;
        let by_states = columns.split_off(1 + self.parameters);
        for (parameter, column) in columns[1..].iter_mut().enumerate() {
            for (state, by_state) in by_states.iter().enumerate() {
                let index = (1 + parameter) * self.states + state;
                for ((value, by_state), place) in column.iter_mut().zip(by_state).zip(&self.places)
                {
                    *value += by_state * solutions[place * width + index];
                }
            }
        }
        Ok(require_finite_columns(columns))
    }

    fn error(&self) -> f64 {
        self.equations.options.tolerances.rtol
    }

    fn look(&mut self, point: &[f64]) -> Result<bool, ToolError> {
        if let Err(stop) = self.solutions(point)? {
            return Err(not_integrable_error(stop, self.t0));
        }
        let mut shortest = self.equations.options.step_max;
        for times in [&self.after, &self.before] {
            let Some(&end) = times.last().filter(|end| **end != self.t0) else {
                continue;
            };
            if let Some(jump) = self.equations.unseen(point, (self.t0, end), self.ctx)? {
                let (t, step) = (jump.t, jump.step);
                shortest = shortest.min(step);
                self.ctx.warn(format!(
                    "the equations change near t = {t} within less than the steps saw: steps of at most {step} are used"
                ));
            }
        }
        let is_new = shortest < self.equations.options.step_max;
        if is_new {
            self.equations.options.step_max = shortest;
        }
        Ok(is_new)
    }
}

/// The error of a start from which the equations cannot be integrated.
fn not_integrable_error(OdeStop { t, reason }: OdeStop, t0: f64) -> ToolError {
    let message = match reason {
        OdeEnd::NotFinite if t == t0 => {
            format!("an initial value or a derivative is not finite at the start, at time {t}")
        }
        OdeEnd::MaxSteps => format!("with the start values `max_steps` were used up at time {t}"),
        OdeEnd::BlowUp => {
            format!("with the start values the solution grows without bound towards time {t}")
        }
        _ => format!("with the start values the equations can only be integrated to time {t}"),
    };
    let error = ToolError::numeric("/start", message).reason("not_integrable");
    error.hint("choose start values with which `solve_ode` reaches the last time of the data")
}

fn integration_options(equations: &OdeModel, ctx: &Ctx) -> Result<OdeOptions, ToolError> {
    let (mut rtol, atol) = (equations.rtol.get(), equations.atol.get());
    if atol == 0.0 {
        refuse!(invalid "/model/atol"; "expected a tolerance above 0, found 0: derivatives by parameters begin at 0, where `rtol` allows no error");
    }
    if rtol < RTOL_MIN {
        ctx.warn(format!(
            "`rtol` {rtol:e} is below what doubles resolve: {RTOL_MIN:.1e} is used"
        ));
        rtol = RTOL_MIN;
    }
    let atol = vec![atol];
    Ok(OdeOptions {
        tolerances: OdeTolerances { rtol, atol },
        max_steps: u32::try_from(equations.max_steps.get()).unwrap_or(u32::MAX),
        step_max: f64::INFINITY,
        method: equations.method.into(),
    })
}

/// The right-hand sides, in the slots time, states, parameters.
fn parse_right_hand_sides(
    equations: &OdeModel,
    names: &ModelNames,
    given: &NamedParameters,
) -> Result<Vec<Expression>, ToolError> {
    let slots = [&equations.time].into_iter();
    let scope = scope_of_names(slots.chain(&names.states).chain(&names.parameters), given)?;
    let parse = |(state, text): (&String, &String)| {
        parse_formula(text, &scope, &member_pointer("/model/system", state))
    };
    equations.system.iter().map(parse).collect()
}

/// The initial values, in the slots of the parameters, with their derivatives.
fn parse_initial_values(
    equations: &OdeModel,
    names: &ModelNames,
    given: &NamedParameters,
) -> Result<ExpressionSystem, ToolError> {
    let scope = scope_of_names(&names.parameters, given)?;
    let mut initial = Vec::with_capacity(names.states.len());
    for (state, value) in &equations.y0 {
        initial.push(parse_formula(
            &value.text(),
            &scope,
            &member_pointer("/model/y0", state),
        )?);
    }
    let system = ExpressionSystem::values_and_jacobian(&initial, names.parameters.len());
    Ok(system
        .map_err(|err| without_derivative(err, "/model/y0"))?
        .0)
}

fn observed_formula<'a>(
    equations: &OdeModel,
    names: &ModelNames,
    given: &NamedParameters,
    ctx: &'a Ctx,
) -> Result<FormulaCurve<'a>, ToolError> {
    let pointer = "/model/observe";
    let text = equations.observe.as_ref().unwrap_or(&names.states[0]);
    let expression = parse_formula(text, &names.scope(given)?, pointer)?;
    let first = names.parameters.len() + names.predictors.len();
    let slots: Vec<usize> = (0..names.parameters.len())
        .chain(first..first + names.states.len())
        .collect();
    FormulaCurve::new(&expression, &slots, pointer, ctx)
}

fn parse_formula(
    text: &str,
    scope: &ExpressionScope,
    pointer: &str,
) -> Result<Expression, ToolError> {
    Expression::parse(text, scope).map_err(|err| err.into_tool_error(pointer))
}
