//! Phases: who works in each, with which tools, and how `mathchain pipeline` runs them.

use std::collections::BTreeMap;

use tool_core::command::Isolation;
use tool_core::{Decode, Describe, Encode, names};

use super::{CallerSelection, NamedTable, ToolSelector};
use crate::error::TextPlace;

/// A phase of a workflow: who works in it, with which tools, and when.
#[derive(Debug, Clone, PartialEq, Encode, Decode, Describe)]
pub struct Phase {
    /// Name: letters, digits, `.`, `_` and `-`
    pub name: String,
    /// Agents and agent command lines that work in it
    #[value(default)]
    pub agents: Vec<ToolSelector>,
    /// Tools, permission and turns of callers in this phase
    #[value(default)]
    pub tools: CallerSelection,
    /// Tools, permission and turns of single agents, by name; fields they leave out are inherited
    #[value(default)]
    pub agent_tools: NamedTable<CallerSelection>,
    /// Limits of the phase
    #[value(default)]
    pub limits: PhaseLimits,
    /// Task of its agents (docs/pipelines.md)
    #[value(default)]
    pub prompt: Option<String>,
    /// File with the task of its agents, relative to this file; instead of `prompt`
    #[value(default)]
    pub prompt_file: Option<String>,
    /// Phases that must be done before it
    #[value(default)]
    pub depends_on: Vec<ToolSelector>,
    /// Whether its agents run at the same time
    #[value(default)]
    pub parallel: bool,
    /// Whether the pipeline stops where the phase fails, or where a phase that it depends on is not done
    #[value(default = "default_true")]
    pub required: bool,
    /// Effect of an agent that fails
    #[value(default)]
    pub failure_mode: FailureMode,
    /// Number of agents that must succeed; with `failure_mode = "require_minimum"`
    #[value(default)]
    #[schema(range(min = 1))]
    pub min_count: Option<u32>,
    /// Repetition of agents that met a rate limit; without it none is repeated
    #[value(default)]
    pub retry_policy: Option<RetryPolicy>,
    /// What must pass after the phase, before any other begins
    #[value(default)]
    pub gate: Option<PhaseGate>,
    /// Profile of arguments in the tables of its agent command lines
    #[value(default)]
    pub flag_profile: Option<String>,
    /// Agent command lines of agents that have a file, by agent
    #[value(default)]
    pub clis: BTreeMap<String, ToolSelector>,
    /// What its agents are kept from, instead of what the tables of their command lines say: `offline`, `network` or `none`
    #[value(default)]
    pub isolation: Option<Isolation>,
    /// Source location.
    #[value(rename = "$place", default, skip_encoding)]
    pub place: Option<TextPlace>,
}

fn default_true() -> bool {
    true
}

impl Default for Phase {
    fn default() -> Self {
        Self {
            name: String::new(),
            agents: Vec::new(),
            tools: CallerSelection::default(),
            agent_tools: NamedTable::default(),
            limits: PhaseLimits::default(),
            prompt: None,
            prompt_file: None,
            depends_on: Vec::new(),
            parallel: false,
            required: true,
            failure_mode: FailureMode::default(),
            min_count: None,
            retry_policy: None,
            gate: None,
            flag_profile: None,
            clis: BTreeMap::new(),
            isolation: None,
            place: None,
        }
    }
}

/// Limits of a phase.
#[derive(Debug, Clone, PartialEq, Default, Encode, Decode, Describe)]
#[value(default)]
pub struct PhaseLimits {
    /// Maximum number of turns of an agent, 0 for no limit; as `tools.max_turns`
    #[schema(range(max = 1_000_000))]
    pub max_turns: Option<u32>,
    /// Maximum cost of its agents together, in US dollars; an agent whose command line does not report its cost is refused
    #[schema(range(min = 0.0))]
    pub max_cost_usd: Option<f64>,
    /// Longest run of an agent, in seconds; 3600 where absent
    #[schema(range(min = 1, max = 604_800))]
    pub timeout_s: Option<u64>,
    /// Longest silence of an agent, in seconds; 300 where absent
    #[schema(range(min = 1, max = 604_800))]
    pub stall_s: Option<u64>,
}

names! {
    /// Effect of an agent that fails.
    #[derive(Default)]
    FailureMode {
        /// The phase fails; agents that run are stopped, and no other starts.
        #[default]
        FailFast = "fail_fast",
        /// The other agents run; the phase is done in part where one succeeds.
        Continue = "continue",
        /// The other agents run; the phase is done in part where `min_count` succeed.
        RequireMinimum = "require_minimum",
    }

    /// Who or what opens a gate.
    GateKind {
        /// A person, by `mathchain inbox answer`; neither `--yes` nor a rule opens it.
        HumanApproval = "human_approval",
        /// A command that ends with status 0.
        VerificationPass = "verification_pass",
        /// Nothing: it is recorded and opens by itself.
        Auto = "auto",
    }
}

/// What must pass after a phase.
#[derive(Debug, Clone, PartialEq, Encode, Decode, Describe)]
pub struct PhaseGate {
    /// Who or what opens it
    pub kind: GateKind,
    /// Question to the person
    #[value(default)]
    pub prompt: Option<String>,
    /// Program and arguments of `verification_pass`; runs without network, reads the workspace and writes nothing to it
    #[value(default)]
    pub command: Vec<String>,
}

/// Repetition of agents that met a rate limit. Other failures are not repeated.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode, Describe)]
#[value(default)]
pub struct RetryPolicy {
    /// Maximum number of repetitions
    #[schema(range(max = 100))]
    pub max_retries: u32,
    /// Seconds before each repetition, the last for all further ones; a time that the agent states counts instead
    pub waits_s: Vec<u64>,
    /// Up to this many seconds are added, the same in every run of one pipeline
    #[schema(range(max = 21_600))]
    pub jitter_s: u64,
    /// Longest wait, in seconds
    #[schema(range(max = 604_800))]
    pub longest_s: u64,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            max_retries: 3,
            waits_s: vec![120, 300, 900, 1800],
            jitter_s: 30,
            longest_s: 21_600,
        }
    }
}

/// Limits of a whole pipeline (docs/pipelines.md).
#[derive(Debug, Clone, PartialEq, Encode, Decode, Describe)]
#[value(default)]
pub struct PipelineLimits {
    /// Maximum number of agents of a parallel phase that run at a time
    #[schema(range(min = 1, max = 64))]
    pub agents_at_once: u32,
    /// Maximum cost of all agents together, in US dollars; an agent whose command line does not report its cost is refused
    #[schema(range(min = 0.0))]
    pub max_cost_usd: Option<f64>,
    /// Maximum number of turns of all agents together
    #[schema(range(min = 1))]
    pub max_turns: Option<u64>,
}

impl Default for PipelineLimits {
    fn default() -> Self {
        Self {
            agents_at_once: 3,
            max_cost_usd: None,
            max_turns: None,
        }
    }
}

/// A program that learns what waits for a person.
#[derive(Debug, Clone, PartialEq, Eq, Default, Decode, Describe)]
#[value(default)]
pub struct NotifyProgram {
    /// Program and arguments; it gets one line of JSON on stdin, runs as the user, and its failure is a warning
    pub command: Vec<String>,
}
