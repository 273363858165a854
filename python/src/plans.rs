//! Plans: read, checked and run.

use chain_runtime::{CheckMode, Plan, RunOptions};
use pyo3::prelude::*;
use tool_core::{Object, ToolError, Value, tool_error};

use crate::call::PythonCall;
use crate::errors::{ConversionError, OrRaise as _};
use crate::toolkit::Toolkit;
use crate::{arguments, results};

/// A plan and its inputs.
struct PythonPlan {
    plan: Plan,
    inputs: Object,
}

impl PythonPlan {
    /// From a dictionary, or from the text of a plan with its name.
    fn read(
        toolkit: &Toolkit,
        plan: &Bound<'_, PyAny>,
        inputs: Option<&Bound<'_, PyAny>>,
    ) -> Result<Self, ConversionError> {
        let plan = match plan.extract::<(String, String)>() {
            Ok((name, text)) => Plan::read(&name, &text).map_err(ToolError::from)?,
            Err(_) => Plan::from_value(&arguments::python_to_value(plan)?),
        };
        let inputs = match inputs.map(arguments::python_to_value).transpose()? {
            None | Some(Value::Null) => Object::new(),
            Some(Value::Object(members)) => Object::clone(&members),
            Some(other) => {
                let found = other.kind();
                return Err(tool_error!(
                    InvalidRequest,
                    "expected the inputs as a dictionary, found {found}"
                )
                .into());
            }
        };
        let plan = plan.with_defaults(toolkit.inner.chain_defaults());
        Ok(Self { plan, inputs })
    }
}

/// Checks a plan and describes it: waves, edges, verdicts.
pub(crate) fn check_plan<'py>(
    py: Python<'py>,
    toolkit: &Toolkit,
    plan: &Bound<'py, PyAny>,
    inputs: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let given = PythonPlan::read(toolkit, plan, inputs).or_raise(py)?;
    let context = &toolkit.caller.context;
    let checked = py.detach(|| {
        let checked =
            (toolkit.inner).check(context, &given.plan, &given.inputs, CheckMode::Inspect);
        checked
            .map(|checked| checked.explain())
            .map_err(ToolError::from)
    });
    results::value_to_object(py, checked.or_raise(py)?, false)
}

/// Runs a plan: the result has the outputs and a report of each step.
pub(crate) fn execute_plan<'py>(
    py: Python<'py>,
    toolkit: &Toolkit,
    plan: &Bound<'py, PyAny>,
    inputs: Option<&Bound<'py, PyAny>>,
    call: PythonCall,
) -> PyResult<Bound<'py, PyAny>> {
    let given = PythonPlan::read(toolkit, plan, inputs).or_raise(py)?;
    let outcome = call.make(py, &toolkit.caller, |context, told| {
        let options = RunOptions {
            observer: told.map(|told| told as _),
            ..RunOptions::default()
        };
        let result = (toolkit.inner).run_plan(context, &given.plan, &given.inputs, options);
        match result {
            Ok(result) => result.to_outcome(),
            Err(problems) => tool_core::CallOutcome::error(problems.into()),
        }
    })?;
    toolkit.finish(py, outcome, true)
}
