//! The plan: one document, as data. [`Plan::from_document`] reads its form; what it means is for [`crate::check()`].

mod ends;
mod inputs;
mod read;
mod retry;
mod schema;
mod step;

use std::fmt;
use std::sync::Arc;

use registry::LoadError;
use registry::document::{self, Document, Format};
use tool_core::{Seed, ToolError, Value};

pub(crate) use inputs::{Given, settle};
pub use inputs::{Input, InputType};
pub(crate) use read::RESERVED;
pub use retry::{Backoff, RETRIES_MAX, Retry};
pub use schema::schema;
pub use step::{Approval, COMPENSATE_SUFFIX, Compensate, ITEMS_MAX, Map, OnItemError, Step};

use crate::problem::{Fault, PlanProblem, Problems};
use crate::script;
use crate::template::Node;

/// Most steps of a plan.
pub const STEPS_MAX: usize = 10_000;
/// Most inputs, and most outputs, of a plan.
pub const NAMES_MAX: usize = 1_000;
/// Longest text of a plan, in bytes.
pub const TEXT_BYTES_MAX: usize = 4 << 20;
/// The version of the plan language.
pub const VERSION: i64 = 1;

/// How steps are put in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Mode {
    /// By what they depend on: independent steps run together.
    #[default]
    Dep,
    /// One after the other, as written.
    Seq,
}

impl Mode {
    /// The spelling in plans and answers.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Dep => "dep",
            Self::Seq => "seq",
        }
    }

    /// Reads the spelling.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Dep, Self::Seq]
            .into_iter()
            .find(|mode| mode.as_str() == text)
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What a failed step means for the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum OnError {
    /// Also dependents run whose references carry a `default`.
    Continue,
    /// All that does not depend on the failed step runs.
    SkipDependents,
    /// No further step starts.
    #[default]
    FailChain,
}

impl OnError {
    /// Every member.
    pub const ALL: [Self; 3] = [Self::FailChain, Self::SkipDependents, Self::Continue];

    /// The spelling in plans and answers.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::FailChain => "fail_chain",
            Self::SkipDependents => "skip_dependents",
            Self::Continue => "continue",
        }
    }

    /// Reads the spelling.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.as_str() == text)
    }
}

/// What holds where a plan says nothing: the `[chain]` table of the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Defaults {
    /// Order of steps.
    pub mode: Mode,
    /// Whether steps with effects may run together.
    pub parallel_mutations: bool,
    /// What a failed step means.
    pub on_error: OnError,
}

impl From<registry::model::ChainDefaults> for Defaults {
    fn from(defaults: registry::model::ChainDefaults) -> Self {
        use registry::model::{ChainMode, OnError as Configured};
        Self {
            mode: match defaults.mode {
                ChainMode::Dep => Mode::Dep,
                ChainMode::Seq => Mode::Seq,
            },
            parallel_mutations: defaults.parallel_mutations,
            on_error: match defaults.on_error {
                Configured::FailChain => OnError::FailChain,
                Configured::SkipDependents => OnError::SkipDependents,
                Configured::Continue => OnError::Continue,
            },
        }
    }
}

/// What a run may use at most; what is exceeded ends it before the next step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Budget {
    /// Calls, every item of a map and every attempt counted.
    pub steps: Option<u64>,
    /// Milliseconds from the beginning.
    pub wall_ms: Option<u64>,
    /// Milliseconds of all calls together.
    pub cpu_ms: Option<u64>,
    /// Bytes of all results together.
    pub bytes_out: Option<u64>,
    /// Bytes of the results that are large enough to be kept as files.
    pub artifact_bytes: Option<u64>,
    /// The `cost_ms` of all calls together, as the plan says them.
    pub cost: Option<u64>,
}

/// A plan, read but not yet checked.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Its name.
    pub id: Arc<str>,
    /// What it asks for.
    pub inputs: Vec<Input>,
    /// The seed from which every step's seed derives.
    pub seed: Seed,
    /// Order of steps, when it says one.
    pub mode: Option<Mode>,
    /// Whether a wave starts only when the one before has ended.
    pub barrier: bool,
    /// Whether steps with effects may run together, when it says so.
    pub parallel_mutations: Option<bool>,
    /// What a run may use at most.
    pub budget: Budget,
    /// Longest run of the whole in milliseconds.
    pub deadline_ms: Option<u64>,
    /// The steps, in the order of the document.
    pub steps: Vec<Step>,
    /// What it answers with.
    pub outputs: Vec<(Arc<str>, Node)>,
    /// What holds where it says nothing.
    pub defaults: Defaults,
    pub(crate) digest: String,
    /// The document as a value.
    pub(crate) source: Value,
    pub(crate) faults: Problems,
    /// Whether it was written as a call script, whose words are others.
    pub(crate) is_script: bool,
    document: Option<Arc<Document>>,
}

impl Plan {
    /// Reads a text: JSON when it starts with `{`, a call script when its first line is a call, YAML otherwise.
    ///
    /// # Errors
    /// When the text is too long or no document. What is wrong with the plan itself is reported by [`crate::check()`], all at
    /// once.
    pub fn parse(text: &str) -> Result<Self, ToolError> {
        Ok(Self::read("plan", text)?)
    }

    /// Reads a text in the language that its name says: a script for `.chain`, JSON for `.json`, YAML for `.yaml` and `.yml`; where
    /// it says nothing, as [`Plan::parse`].
    ///
    /// # Errors
    /// When the text is too long or no document.
    pub fn read(name: &str, text: &str) -> Result<Self, Problems> {
        if text.len() > TEXT_BYTES_MAX {
            let message = format_args!(
                "a plan has at most {TEXT_BYTES_MAX} bytes, found {}",
                text.len()
            );
            let problem = PlanProblem::new(Fault::Limit, "", message)
                .hint("pass data as {\"$file\": path}, or as an input");
            return Err(problem.into());
        }
        let ending = name.rsplit_once('.').map(|(_, ending)| ending);
        let format = match ending {
            Some("json") => Format::Json,
            Some("yaml" | "yml") => Format::Yaml,
            Some("chain") => return Ok(Self::of_script(name, text)),
            _ if text.trim_start().starts_with('{') => Format::Json,
            _ if script::is_likely(text) => return Ok(Self::of_script(name, text)),
            _ => Format::Yaml,
        };
        let (document, errors) = document::read(name, text, format)?;
        Ok(Self::of_text(document, errors))
    }

    fn of_script(name: &str, text: &str) -> Self {
        let (document, errors) = script::read(name, text);
        Self {
            is_script: true,
            ..Self::of_text(document, errors)
        }
    }

    /// A document, and what was wrong with its text.
    fn of_text(document: Document, errors: Vec<LoadError>) -> Self {
        let mut plan = Self::from_document(document);
        let mut faults = Problems::of_errors(errors);
        faults.append(std::mem::take(&mut plan.faults));
        plan.faults = faults;
        plan
    }

    /// Reads a document; problems carry line and column.
    pub fn from_document(document: Document) -> Self {
        let mut plan = read::read(&document.value);
        plan.document = Some(Arc::new(document));
        plan
    }

    /// Reads a value.
    pub fn from_value(value: &Value) -> Self {
        read::read(value)
    }

    /// With another order of steps than it says.
    #[must_use]
    pub fn with_mode(mut self, mode: Mode) -> Self {
        self.mode = Some(mode);
        self
    }

    /// With what holds where it says nothing.
    #[must_use]
    pub fn with_defaults(mut self, defaults: Defaults) -> Self {
        self.defaults = defaults;
        self
    }

    /// The order of steps that is asked for.
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
    pub fn input(&self, name: &str) -> Option<&Input> {
        self.inputs.iter().find(|input| &*input.name == name)
    }

    /// Names the place of each problem, where the plan came from a text.
    pub(crate) fn locate(&self, problems: &mut Problems) {
        if let Some(document) = &self.document {
            problems.locate(|pointers| document.locate_all(pointers));
        }
    }
}
