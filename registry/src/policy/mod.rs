//! Policy.

mod layer;

pub use layer::{Layer, Level, Match, Obligation, Obligations, Rule, Selector, Verdict};

use crate::catalogue::Catalogue;
use crate::config::Config;
use crate::error::LoadErrors;

/// The tool whose permission `{"$file": path}` needs.
pub const FILE_READER: &str = "read_file";

/// The policy of one generation.
#[derive(Debug, Clone)]
pub struct Policy {
    generation: String,
}

impl Policy {
    /// Compiles.
    ///
    /// # Errors
    /// All.
    pub fn compile(
        catalogue: &Catalogue,
        config: &Config,
        extra: &[Layer],
    ) -> Result<Self, LoadErrors> {
        let _ = (config, extra);
        Ok(Self {
            generation: catalogue.generation().to_owned(),
        })
    }

    /// Digest of everything decisions depend on.
    pub fn generation(&self) -> &str {
        &self.generation
    }
}

/// What was decided, by whom and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// The verdict.
    pub verdict: Verdict,
    /// The deciding layer: `global`, ``role `worker_math` ``, `defaults`.
    pub layer: String,
    /// The deciding rule: where it was written, or which it is.
    pub rule: Option<String>,
    /// Why, in words.
    pub reason: String,
    /// What the call must also keep to.
    pub obligations: Obligations,
    /// Whether checked arguments could not change the verdict.
    pub certain: bool,
}
