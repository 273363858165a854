//! One step as written: the tool it calls, under which condition, how often, and what follows a failure.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use super::schema::{args_schema, id_schema, list_schema, names_schema, positive, reserved_schema};
use super::{OnError, Retry, STEPS_MAX};
use crate::condition::Condition;
use crate::template::Node;

/// Maximum number of elements of one map; every element counts as a step.
pub const ITEMS_MAX: usize = STEPS_MAX;
/// Suffix of the id under which records name the call that undoes a step.
pub const COMPENSATE_SUFFIX: &str = "!compensate";

/// A call of a tool.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(extend("required" = ["id", "tool"]))]
pub struct Step {
    /// Name of the step, unique in the plan.
    #[schemars(schema_with = "reserved_schema")]
    pub id: Arc<str>,
    /// Tool to call; it must list `chain` among its callers.
    #[schemars(length(min = 1), extend("examples" = ["linear_regression"]))]
    pub tool: Arc<str>,
    /// Arguments by name; `mathchain tools show TOOL` lists them.
    #[schemars(schema_with = "args_schema")]
    pub args: Node,
    /// Steps that must end first, in addition to those that it references.
    #[serde(deserialize_with = "super::one_or_more")]
    #[schemars(schema_with = "names_schema")]
    pub after: Vec<Arc<str>>,
    /// Condition; the step is skipped where it is false: `fit.r2 > 0.9 && len(raw.rows) >= 10`.
    pub when: Option<Condition>,
    /// Calls the tool once per element of a list; the results keep its order.
    #[schemars(extend("examples" = [{"over": [1, 2, 3], "as": "item"}]))]
    pub map: Option<Map>,
    /// Which errors are retried, and when.
    #[schemars(extend("examples" = [{"max": 2, "on": ["timeout"], "backoff_ms": 200}]))]
    pub retry: Retry,
    /// Timeout of one attempt in milliseconds.
    #[schemars(schema_with = "positive")]
    pub timeout_ms: Option<u64>,
    /// Deadline of all attempts and waits together in milliseconds.
    #[schemars(schema_with = "positive")]
    pub deadline_ms: Option<u64>,
    /// Expected duration in milliseconds: a hint for scheduling the critical path first.
    #[schemars(schema_with = "positive")]
    pub cost_ms: Option<u64>,
    /// Whether the call needs an approval.
    pub approval: Approval,
    /// Effect of a failure on the other steps.
    pub on_error: Option<OnError>,
    /// Call that undoes the step when the run fails later; it may reference the step's own result.
    #[schemars(extend("examples" = [{"tool": "delete_file", "args": {"path": "out/a.txt"}}]))]
    pub compensate: Option<Compensate>,
    /// Where it runs: on this machine.
    pub place: Place,
}

/// The same call for every element of a list.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(extend("required" = ["over"]))]
pub struct Map {
    /// The list: literal, or a reference to one.
    #[schemars(schema_with = "list_schema")]
    pub over: Node,
    /// Name of the element in references; `index` is its position, from 0.
    #[serde(rename = "as")]
    #[schemars(schema_with = "id_schema", extend("not" = {"enum": ["inputs", "index"]}))]
    pub name: Arc<str>,
    /// Maximum number of elements.
    #[schemars(range(min = 1, max = 10_000))]
    pub max: usize,
    /// Maximum number of calls in parallel; no limit of its own where absent.
    #[schemars(range(min = 1, max = 10_000))]
    pub concurrency: Option<usize>,
    /// Effect of an element that fails.
    pub on_item_error: OnItemError,
}

impl Default for Map {
    fn default() -> Self {
        Self {
            over: Node::default(),
            name: "item".into(),
            max: ITEMS_MAX,
            concurrency: None,
            on_item_error: OnItemError::default(),
        }
    }
}

impl Map {
    /// Number of elements, where the plan lists them.
    pub fn elements(&self) -> Option<usize> {
        Some(self.over.literal()?.items()?.len())
    }

    /// The list in a few words.
    pub(crate) fn over_words(&self) -> String {
        match (&self.over, self.elements()) {
            (_, Some(1)) => "1 element".to_owned(),
            (_, Some(count)) => format!("{count} elements"),
            (Node::Reference(placed), _) => placed.reference.to_string(),
            _ => "a list".to_owned(),
        }
    }
}

/// The call that undoes a step.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(extend("required" = ["tool"]))]
pub struct Compensate {
    /// Tool to call.
    #[schemars(length(min = 1))]
    pub tool: Arc<str>,
    /// Its arguments; they may reference the result of the step.
    #[schemars(schema_with = "args_schema")]
    pub args: Node,
}

tool_core::names! {
    /// What an element that fails means for its map.
    #[derive(Default)]
    OnItemError {
        /// The step fails with the error of the first such element.
        #[default]
        Fail = "fail",
        /// The result has `{ok, value, error}` for every element.
        Collect = "collect",
    }
}

tool_core::names! {
    /// Whether a call needs an approval: a plan may require more than the policy, never less.
    #[derive(Default)]
    Approval {
        /// As the policy decides.
        #[default]
        Auto = "auto",
        /// Always required.
        Required = "required",
        /// Never requested: a call that needs one is denied.
        NeverAsk = "never-ask",
    }
}

tool_core::names! {
    /// Where a step runs.
    #[derive(Default)]
    Place {
        /// On this machine.
        #[default]
        Local = "local",
    }
}
