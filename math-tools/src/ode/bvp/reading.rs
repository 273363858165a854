//! From arguments to an [`ExpressionBoundary`] and its first guess.

use numerics::ode::bvp::{BoundaryEquations, BvpError, MeshSolution, first_mesh};
use tool_core::{Ctx, ErrorCode, ToolError};

use super::Args;
use super::equations::ExpressionBoundary;
use crate::expression::parameters::ParameterValue;
use crate::expression::{Expression, ExpressionScope, ExpressionSystem, unknowns};
use crate::ode::solve::sensitivity::ByParameters;
use crate::ode::solve::system::{self, StateNames};

impl ExpressionBoundary {
    /// Checks the arguments.
    ///
    /// # Errors
    /// `invalid_args` at the argument.
    pub(super) fn parse(args: &Args, ctx: &Ctx) -> Result<Self, ToolError> {
        let n = args.system.len();
        let mut first = Vec::with_capacity(args.unknowns.len());
        for (index, name) in args.unknowns.iter().enumerate() {
            let Some(ParameterValue::Number(value)) = args.parameters.get(name) else {
                refuse!(invalid format!("/unknowns/{index}"); "expected the name of a number in `parameters`, found `{name}`";
                    "give it a first guess in `parameters`");
            };
            if args.unknowns[..index].contains(name) {
                refuse!(invalid format!("/unknowns/{index}"); "`{name}` is named twice"; "name each unknown once");
            }
            first.push(*value);
        }
        let (count, expected) = (args.boundary.len(), n + first.len());
        if count != expected {
            refuse!(invalid "/boundary", "shape"; "expected {expected} conditions, one per component and unknown, found {count}";
                "give expressions in a0, a1, ... and b0, b1, ... that have to be 0");
        }
        let (state, data) = (StateNames::First(n), args.data.as_ref());
        let scope = state.scope(&args.parameters, &args.unknowns, data, ctx)?;
        let dynamics = system::parse_equations(&args.system, &scope, state)?;
        unknowns::check_use(data, dynamics.equations(), ctx)?;
        let unknown = |at: &'static str| {
            move |err| ToolError::invalid(at, err).hint("replace the function by others")
        };
        let by_unknowns = ByParameters::of(&dynamics, first.len()).map_err(unknown("/system"))?;
        let fixed = args.parameters.without(&args.unknowns);
        let ends = ExpressionScope::new().variables("a", n).variables("b", n);
        let ends = ends.with_parameters(&fixed, "/parameters")?;
        let scope = args
            .unknowns
            .iter()
            .fold(ends, |scope, name| scope.variable(name));
        let parse = |(index, text): (usize, &String)| {
            let pointer = format!("/boundary/{index}");
            Expression::parse(text, &scope).map_err(|err| err.into_tool_error(&pointer))
        };
        let conditions: Vec<Expression> = args
            .boundary
            .iter()
            .enumerate()
            .map(parse)
            .collect::<Result<_, _>>()?;
        let slots: Vec<usize> = (0..2 * n + first.len()).collect();
        let (by_ends, condition_slopes) =
            ExpressionSystem::jacobian(&conditions, &slots).map_err(unknown("/boundary"))?;
        Ok(Self {
            dynamics,
            first,
            by_unknowns,
            conditions: ExpressionSystem::values(&conditions),
            by_ends,
            condition_slopes,
            breakpoints: check_breakpoints(args)?,
        })
    }

    /// The first guess on a mesh of equal intervals, of at most so many points.
    ///
    /// # Errors
    /// `invalid_args` at `/guess`.
    pub(super) fn guess(
        &self,
        args: &Args,
        (start, end): (f64, f64),
        nodes: usize,
        ctx: &Ctx,
    ) -> Result<MeshSolution, ToolError> {
        let n = self.components();
        if !args.guess.is_empty() && args.guess.len() != n {
            let found = args.guess.len();
            refuse!(invalid "/guess", "shape"; "expected {n} expressions in t, one per component, found {found}");
        }
        let scope = ExpressionScope::new()
            .variable("t")
            .with_parameters(&args.parameters, "/parameters")?;
        let mut components = Vec::with_capacity(n);
        for (index, text) in args.guess.iter().enumerate() {
            let pointer = format!("/guess/{index}");
            let parsed = Expression::parse(text, &scope);
            components.push(parsed.map_err(|err| err.into_tool_error(&pointer))?);
        }
        let t = first_mesh((start, end), &self.breakpoints, nodes).map_err(mesh_error)?;
        ctx.reserve_doubles(20 * n * t.len())?;
        let mut y = vec![0.0; n * t.len()];
        for (k, component) in components.iter().enumerate() {
            let mut evaluator = component.evaluator();
            for (node, &t) in t.iter().enumerate() {
                let value = evaluator.eval(&[t]);
                if !value.is_finite() {
                    let found = tool_core::number::non_finite_spelling(value);
                    refuse!(invalid format!("/guess/{k}"); "the guess is {found} at t = {t}"; "give one that is finite on `t_span`");
                }
                y[node * n + k] = value;
            }
        }
        Ok(MeshSolution::new(t, y, self.first.clone()))
    }
}

/// Why there is no first mesh.
fn mesh_error(error: BvpError) -> ToolError {
    match error {
        BvpError::FewNodes { least, found } => {
            let message = format!(
                "expected at least {least} mesh points for the ends and the breakpoints, found {found}"
            );
            ToolError::invalid("/max_nodes", message)
        }
        BvpError::TooShort => ToolError::invalid("/t_span", error),
        other => ToolError::new(ErrorCode::Internal, other),
    }
}

/// Most breakpoints.
const BREAKPOINTS_MAX: usize = 1000;

fn check_breakpoints(args: &Args) -> Result<Vec<f64>, ToolError> {
    let times: Vec<f64> = args.breakpoints.iter().map(|time| time.get()).collect();
    if times.len() > BREAKPOINTS_MAX {
        let found = times.len();
        refuse!(invalid "/breakpoints"; "expected at most {BREAKPOINTS_MAX} breakpoints, found {found}");
    }
    let [start, end] = args.t_span.map(tool_core::Finite::get);
    for (index, &time) in times.iter().enumerate() {
        let before = if index > 0 { times[index - 1] } else { start };
        if !(before < time && time < end) {
            refuse!(invalid format!("/breakpoints/{index}"); "expected ascending times within `t_span`, found {time}";
                "sort them, and leave out the ends");
        }
    }
    Ok(times)
}
