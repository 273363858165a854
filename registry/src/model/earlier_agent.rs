//! [`EarlierAgent`]: an agent command line as an earlier system configured it.

use std::collections::BTreeMap;

use tool_core::{Decode, Describe, Value, names};

use super::stream_formats::stream_format_names;
use super::{EnvPolicy, OneOrMany, PromptVia, Unenforced};
use crate::error::TextPlace;

/// An agent command line in the layout of an earlier system, `[agents.NAME]`. Its format of output says which built-in table it is like.
#[derive(Debug, Clone, PartialEq, Default, Decode, Describe)]
#[value(default)]
#[schema(extend("required" = ["binary"]))]
pub struct EarlierAgent {
    /// The key of its table.
    #[value(rename = "$name")]
    pub table: String,
    /// The name of its table, once more
    pub name: Option<String>,
    /// The program
    pub binary: String,
    /// The model
    pub model: Option<String>,
    /// Words after the program
    pub subcommand: Option<OneOrMany>,
    /// Arguments by profile
    pub flags: BTreeMap<String, Vec<String>>,
    /// Format of its output; by default that of its name
    #[schema(extend("enum" = stream_format_names()))]
    pub stream_format: Option<String>,
    /// Variables that it gets with these values, whatever the policy
    pub env_vars: BTreeMap<String, String>,
    /// Variables of the environment that it gets
    pub env_policy: EnvPolicy,
    /// Patterns for whole names of variables that it gets in any case
    pub env_passlist: Vec<String>,
    /// How it gets its task
    pub prompt_via: Option<PromptVia>,
    /// Argument that announces the task on stdin
    pub stdin_sentinel: Option<String>,
    /// Treatment of permissions that it cannot enforce; a key of ours
    pub unenforced: Unenforced,
    /// How the answer is found in its output; for the program that runs it
    pub output_extraction: Option<OutputExtraction>,
    /// Longest silence, in seconds; for the program that runs it
    pub stall_timeout: Option<f64>,
    /// Longest silence while a tool works, in seconds; for the program that runs it
    pub deep_tool_timeout: Option<f64>,
    /// Longest run, in seconds; for the program that runs it
    pub max_runtime: Option<f64>,
    /// Whether it is stopped after the longest silence; for the program that runs it
    pub kill_on_stall: Option<bool>,
    /// Arguments that print its version; for the program that runs it
    pub version_command: Option<OneOrMany>,
    /// Versions that are known to work; for the program that runs it
    pub compatible_versions: Option<OneOrMany>,
    /// Versions that are known not to work; for the program that runs it
    pub incompatible_versions: Option<OneOrMany>,
    /// Source location.
    #[value(rename = "$place")]
    pub place: Option<TextPlace>,
}

/// How the answer of an agent is found in its output.
#[derive(Debug, Clone, PartialEq, Decode, Describe)]
pub struct OutputExtraction {
    /// The way
    pub strategy: ExtractionStrategy,
    /// Filter of `jq_filter`
    #[value(default)]
    pub jq_expression: Option<String>,
    /// Whether text before the answer is cut
    #[value(default)]
    pub strip_preamble: Option<bool>,
    /// Whether its standard error is part of the output
    #[value(default)]
    pub stderr_as_stream: Option<bool>,
}

names! {
    /// How the answer of an agent is found in its output.
    ExtractionStrategy {
        /// By a filter of jq.
        JqFilter = "jq_filter",
        /// In a file that the agent writes.
        DirectFile = "direct_file",
        /// It is the whole output.
        StdoutCapture = "stdout_capture",
    }
}

impl EarlierAgent {
    /// What is said to the program that runs it, as written.
    pub fn runner(&self) -> Value {
        let mut members: Vec<(&str, Value)> = Vec::new();
        let mut add = |name, value: Option<Value>| members.extend(value.map(|value| (name, value)));
        let words =
            |list: &Option<OneOrMany>| list.as_ref().map(|list| Value::from(list.0.clone()));
        add("stall_timeout", self.stall_timeout.map(Value::from));
        add("deep_tool_timeout", self.deep_tool_timeout.map(Value::from));
        add("max_runtime", self.max_runtime.map(Value::from));
        add("kill_on_stall", self.kill_on_stall.map(Value::from));
        add("version_command", words(&self.version_command));
        add("compatible_versions", words(&self.compatible_versions));
        add("incompatible_versions", words(&self.incompatible_versions));
        add(
            "output_extraction",
            self.output_extraction
                .as_ref()
                .map(OutputExtraction::to_value),
        );
        Value::object(members)
    }
}

impl OutputExtraction {
    fn to_value(&self) -> Value {
        let mut members = vec![("strategy", Value::from(self.strategy.as_str()))];
        let expression = self.jq_expression.as_deref();
        members.extend(expression.map(|text| ("jq_expression", Value::from(text))));
        let strip = self.strip_preamble;
        members.extend(strip.map(|strip| ("strip_preamble", Value::from(strip))));
        let errors = self.stderr_as_stream;
        members.extend(errors.map(|errors| ("stderr_as_stream", Value::from(errors))));
        Value::object(members)
    }
}
