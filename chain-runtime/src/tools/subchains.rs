//! Plans that calls hand on, run with the rights of their caller.

use std::collections::BTreeMap;
use std::sync::Arc;

use registry::{CallerContext, Chains, Dispatcher};
use tool_core::capability::ChainRequest;
use tool_core::{Object, StopFlag, ToolError, Value};

use crate::check::check;
use crate::plan::{Defaults, Plan};
use crate::run::{ChainResult, RunOptions, record_rejection, run};

/// Runs the plans that calls hand on.
#[derive(Debug, Clone, Copy, Default)]
pub struct Subchains {
    defaults: Defaults,
}

impl Subchains {
    /// With what holds where a plan says nothing.
    pub fn new(defaults: Defaults) -> Self {
        Self { defaults }
    }
}

impl Chains for Subchains {
    fn chain(
        &self,
        dispatcher: &Dispatcher,
        context: &CallerContext,
        request: &ChainRequest,
        stop: &StopFlag,
    ) -> Result<Value, ToolError> {
        let plan = match &request.plan {
            Value::String(text) => Plan::parse(text)?,
            value => Plan::from_value(value),
        }
        .with_defaults(self.defaults);
        let none = Object::new();
        let inputs = request.inputs.as_object().unwrap_or(&none);
        let checked = check(&plan, dispatcher, context, inputs).map_err(|problems| {
            record_rejection(&plan, dispatcher, context, &problems);
            ToolError::from(problems)
        })?;
        if request.check_only {
            return Ok(checked.explain());
        }
        let options = RunOptions {
            stop: stop.clone(),
            ..RunOptions::default()
        };
        let result = run(&checked, dispatcher, options);
        match &result.error {
            Some(error) => Err(error.clone().evidence(result.to_value())),
            None => Ok(summary(&result)),
        }
    }
}

fn summary(result: &ChainResult) -> Value {
    let mut counted: BTreeMap<&str, u64> = BTreeMap::new();
    for step in &result.steps {
        *counted.entry(step.end.status.as_str()).or_default() += 1;
    }
    let mut summary = Object::new();
    summary.insert("outputs", Value::Object(Arc::new(result.outputs.clone())));
    summary.insert("chain_id", result.chain_id.as_str());
    summary.insert("steps", Value::object(counted));
    for key in ["waves", "mode_used", "fallback_reason"] {
        let value = result.diagnostics.get(key).cloned();
        summary.insert(key, value.unwrap_or_default());
    }
    summary.insert("warnings", result.warnings.clone());
    Value::Object(Arc::new(summary))
}
