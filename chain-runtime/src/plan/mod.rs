//! The plan: one document as typed data, which defines its keys, their schema and their defaults.
//!
//! [`Plan::from_document`] reads its form; references, types and permissions are up to [`crate::check_plan()`].

mod inputs;
mod pictures;
mod read;
mod schema;
mod step;

use std::collections::BTreeMap;
use std::sync::Arc;

use registry::document::ParsedDocument;
pub use registry::model::{ChainDefaults as Defaults, ChainMode as Mode, OnError};
use tool_core::{Decode, DecodeError, Describe, Encode, RandomSeed, Value, verification};

pub(crate) use inputs::{InputBindings, settle_inputs};
pub use inputs::{InputType, PlanInput};
pub use pictures::{DRAWING_TOOL, PictureFileMode, StepPicture, WRITING_TOOL};
pub use schema::plan_schema;
use schema::{id_schema, outputs_schema, positive_integer_schema, version_schema};
pub use step::{
    Approval, COMPENSATE_SUFFIX, ITEMS_MAX, OnItemError, Place, PlanStep, StepCompensation, StepMap,
};
pub use step::{Jitter, RETRIES_MAX, StepRetry};

use crate::problem::PlanProblems;
use crate::template::ArgumentNode;

/// Maximum number of steps of a plan.
pub const STEPS_MAX: usize = 10_000;
/// Maximum number of calls of a plan: its steps, and the elements of its maps.
pub const CALLS_MAX: usize = 100_000;
/// Maximum number of inputs, and of outputs, of a plan.
pub const NAMES_MAX: usize = 1_000;
/// Maximum length of a plan in bytes.
pub const TEXT_BYTES_MAX: usize = 4 << 20;
/// Version of the plan language.
pub const VERSION: i64 = 1;
/// Largest integer below which a double holds every one.
const INTEGER_MAX: i64 = 1 << 53;
/// Roots of references that are not steps.
pub(crate) const RESERVED: [&str; 3] = ["inputs", "item", "index"];

/// Limits of a run; the first that is exceeded ends it before the next step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Encode, Decode, Describe)]
#[value(default, deny_unknown_fields)]
pub struct PlanBudget {
    /// Number of calls; every element of a map and every attempt counts.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(schema_with = "positive_integer_schema")]
    pub steps: Option<u64>,
    /// Milliseconds since the start.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(schema_with = "positive_integer_schema")]
    pub wall_ms: Option<u64>,
    /// Milliseconds of all calls together.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(schema_with = "positive_integer_schema")]
    pub cpu_ms: Option<u64>,
    /// Bytes of all results together.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(schema_with = "positive_integer_schema")]
    pub bytes_out: Option<u64>,
    /// Bytes of the results that are large enough to be stored as files.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(schema_with = "positive_integer_schema")]
    pub artifact_bytes: Option<u64>,
    /// Sum of the `cost_ms` of all calls.
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(schema_with = "positive_integer_schema")]
    pub cost: Option<u64>,
}

/// Steps that call tools, the values they use of each other, and the outputs (docs/plans.md).
#[derive(Debug, Clone, Default, Decode, Describe)]
#[value(default, deny_unknown_fields)]
#[schema(extend("required" = ["version", "steps"]))]
pub struct Plan {
    /// Version of the plan language.
    #[schema(schema_with = "version_schema")]
    pub version: i64,
    /// Name of the plan in records.
    #[schema(schema_with = "id_schema")]
    pub id: Arc<str>,
    /// Purpose of the plan, for its users.
    pub description: Option<Arc<str>>,
    /// Values that can be given to a run: `--input name=value`.
    #[value(decode_with = "inputs_by_name")]
    #[schema(with = "BTreeMap<String, PlanInput>", extend("maxProperties" = NAMES_MAX, "propertyNames" = {"pattern": schema::ID}))]
    pub inputs: Vec<PlanInput>,
    /// Seed from which every random stream derives; beyond 2^53 as a text.
    pub seed: RandomSeed,
    /// Order of the steps; the configuration decides where absent.
    pub mode: Option<Mode>,
    /// Whether a wave starts only when the one before has ended.
    pub barrier: bool,
    /// Whether steps with effects may run in parallel where they use different resources; the configuration decides where absent.
    pub parallel_mutations: Option<bool>,
    /// `independent`: every step whose answer another library can compute again is computed twice, as with the argument `verify`.
    pub verify: Option<VerifyMode>,
    /// Limits of a run, plans that it calls included.
    pub budget: PlanBudget,
    /// Deadline of the whole run in milliseconds.
    #[schema(schema_with = "positive_integer_schema")]
    pub deadline_ms: Option<u64>,
    /// The calls; a step uses earlier steps only.
    #[schema(length(max = 10_000), extend("examples" = [[{"id": "fit", "tool": "linear_regression", "args": {}}]]))]
    pub steps: Vec<PlanStep>,
    /// Results of the plan, by name.
    #[value(decode_with = "by_name")]
    #[schema(schema_with = "outputs_schema")]
    pub outputs: Vec<(Arc<str>, ArgumentNode)>,
    /// Settings where the plan has none.
    #[value(skip)]
    pub defaults: Defaults,
    #[value(skip)]
    pub(crate) digest: String,
    /// The document as a value.
    #[value(skip)]
    pub(crate) source: Value,
    /// The steps whose `out` the last steps stand for, one for each of these.
    #[value(skip)]
    pub(crate) drawn: Vec<usize>,
    #[value(skip)]
    pub(crate) faults: PlanProblems,
    /// Whether it was written as a call script, whose words are others.
    #[value(skip)]
    pub(crate) is_script: bool,
    #[value(skip)]
    pub(crate) document: Option<Arc<ParsedDocument>>,
}

/// How the answers of steps are verified.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub enum VerifyMode {
    /// By another library and another method.
    Independent,
}

/// The members of an object in the order of the document.
fn by_name<T: Decode>(value: &Value) -> Result<Vec<(Arc<str>, T)>, DecodeError> {
    let members = value.as_object().map(|object| object.iter());
    let read = |(name, member): (&str, &Value)| {
        let member = T::decode(member).map_err(|error| DecodeError::new(error.to_string()))?;
        Ok((name.into(), member))
    };
    members.into_iter().flatten().map(read).collect()
}

fn inputs_by_name(value: &Value) -> Result<Vec<PlanInput>, DecodeError> {
    let inputs = by_name::<PlanInput>(value)?.into_iter();
    let named = inputs.map(|(name, input)| PlanInput { name, ..input });
    Ok(named.collect())
}

/// A text, or a list of them.
fn one_or_more(value: &Value) -> Result<Vec<Arc<str>>, DecodeError> {
    let items = value.items().unwrap_or_else(|| vec![value.clone()]);
    let texts = items.iter().filter_map(Value::as_str);
    Ok(texts.map(Arc::from).collect())
}

impl Plan {
    /// Reads a document; problems carry line and column.
    pub fn from_document(document: ParsedDocument) -> Self {
        let mut plan = read::read_plan(&document.value);
        plan.document = Some(Arc::new(document));
        plan
    }

    /// Reads a value, without places of problems.
    pub fn from_value(value: &Value) -> Self {
        read::read_plan(value)
    }

    /// Returns the plan with another order of steps.
    #[must_use]
    pub fn with_mode(mut self, mode: Mode) -> Self {
        self.mode = Some(mode);
        self
    }

    /// Returns the plan with `verify`, as if it were written there.
    #[must_use]
    pub fn verifying(self) -> Self {
        let Some(object) = self.source.as_object() else {
            return self;
        };
        let mut object = object.clone();
        object.insert(verification::ARGUMENT, verification::INDEPENDENT);
        Self {
            document: self.document,
            defaults: self.defaults,
            is_script: self.is_script,
            ..read::read_plan(&Value::from(object))
        }
    }

    /// Returns the plan with other defaults.
    #[must_use]
    pub fn with_defaults(mut self, defaults: Defaults) -> Self {
        self.defaults = defaults;
        self
    }

    /// The requested order of steps.
    pub fn mode_requested(&self) -> Mode {
        self.mode.unwrap_or(self.defaults.mode)
    }

    /// Whether steps with effects may run together.
    pub fn parallel_mutations(&self) -> bool {
        self.parallel_mutations
            .unwrap_or(self.defaults.parallel_mutations)
    }

    /// Digest of the document, whatever its spelling.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// The declared input of that name.
    pub fn input(&self, name: &str) -> Option<&PlanInput> {
        self.inputs.iter().find(|input| &*input.name == name)
    }

    /// Adds line and column to problems, where the plan was read from text. Problems of steps that `out` stands for are told at `out`.
    pub(crate) fn locate(&self, problems: &mut PlanProblems) {
        let written = self.steps.len().saturating_sub(self.drawn.len());
        problems.move_pointers(|pointer| {
            let rest = pointer.strip_prefix("/steps/")?;
            let step: usize = rest.split('/').next()?.parse().ok()?;
            let origin = self.drawn.get(step.checked_sub(written)?)?;
            Some(format!("/steps/{origin}/out"))
        });
        if let Some(document) = &self.document {
            problems.locate(|pointers| document.locate_all(pointers));
        }
    }
}
