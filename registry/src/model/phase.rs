//! Phases: who works in each, with which tools, and how `mathchain pipeline` runs them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tool_core::command::Isolation;
use tool_core::names;

use super::{Named, Selection, Selector};
use crate::error::Place;

/// A phase of a workflow: who works in it, with which tools, and when.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Phase {
    /// Name: letters, digits, `.`, `_` and `-`
    pub name: String,
    /// Agents and agent command lines that work in it
    #[serde(default)]
    pub agents: Vec<Selector>,
    /// Tools, permission and turns of callers in this phase
    #[serde(default)]
    pub tools: Selection,
    /// Tools, permission and turns of single agents, by name; fields they leave out are inherited
    #[serde(default)]
    pub agent_tools: Named<Selection>,
    /// Limits of the phase
    #[serde(default)]
    pub limits: PhaseLimits,
    /// Task of its agents (docs/pipelines.md)
    #[serde(default)]
    pub prompt: Option<String>,
    /// File with the task of its agents, relative to this file; instead of `prompt`
    #[serde(default)]
    pub prompt_file: Option<String>,
    /// Phases that must be done before it
    #[serde(default)]
    pub depends_on: Vec<Selector>,
    /// Whether its agents run at the same time
    #[serde(default)]
    pub parallel: bool,
    /// Whether the pipeline stops where the phase fails, or where a phase that it depends on is not done
    #[serde(default = "yes")]
    pub required: bool,
    /// Effect of an agent that fails
    #[serde(default)]
    pub failure_mode: FailureMode,
    /// Number of agents that must succeed; with `failure_mode = "require_minimum"`
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub min_count: Option<u32>,
    /// Repetition of agents that met a rate limit; without it none is repeated
    #[serde(default)]
    pub retry_policy: Option<RetryPolicy>,
    /// What must pass after the phase, before any other begins
    #[serde(default)]
    pub gate: Option<Gate>,
    /// Profile of arguments in the tables of its agent command lines
    #[serde(default)]
    pub flag_profile: Option<String>,
    /// Agent command lines of agents that have a file, by agent
    #[serde(default)]
    pub clis: BTreeMap<String, Selector>,
    /// What its agents are kept from, instead of what the tables of their command lines say: `offline`, `network` or `none`
    #[serde(default)]
    pub isolation: Option<Isolation>,
    /// Source location.
    #[serde(rename = "$place", default, skip_serializing)]
    pub place: Option<Place>,
}

fn yes() -> bool {
    true
}

impl Default for Phase {
    fn default() -> Self {
        Self {
            name: String::new(),
            agents: Vec::new(),
            tools: Selection::default(),
            agent_tools: Named::default(),
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
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PhaseLimits {
    /// Maximum number of turns of an agent, 0 for no limit; as `tools.max_turns`
    #[schemars(range(max = 1_000_000))]
    pub max_turns: Option<u32>,
    /// Maximum cost of its agents together, in US dollars; an agent whose command line does not report its cost is refused
    #[schemars(range(min = 0.0))]
    pub max_cost_usd: Option<f64>,
    /// Longest run of an agent, in seconds; 3600 where absent
    #[schemars(range(min = 1, max = 604_800))]
    pub timeout_s: Option<u64>,
    /// Longest silence of an agent, in seconds; 300 where absent
    #[schemars(range(min = 1, max = 604_800))]
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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Gate {
    /// Who or what opens it
    pub kind: GateKind,
    /// Question to the person
    #[serde(default)]
    pub prompt: Option<String>,
    /// Program and arguments of `verification_pass`; runs without network, reads the workspace and writes nothing to it
    #[serde(default)]
    pub command: Vec<String>,
}

/// Repetition of agents that met a rate limit. Other failures are not repeated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RetryPolicy {
    /// Maximum number of repetitions
    #[schemars(range(max = 100))]
    pub max_retries: u32,
    /// Seconds before each repetition, the last for all further ones; a time that the agent states counts instead
    pub waits_s: Vec<u64>,
    /// Up to this many seconds are added, the same in every run of one pipeline
    #[schemars(range(max = 21_600))]
    pub jitter_s: u64,
    /// Longest wait, in seconds
    #[schemars(range(max = 604_800))]
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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Pipeline {
    /// Maximum number of agents of a parallel phase that run at a time
    #[schemars(range(min = 1, max = 64))]
    pub agents_at_once: u32,
    /// Maximum cost of all agents together, in US dollars; an agent whose command line does not report its cost is refused
    #[schemars(range(min = 0.0))]
    pub max_cost_usd: Option<f64>,
    /// Maximum number of turns of all agents together
    #[schemars(range(min = 1))]
    pub max_turns: Option<u64>,
}

impl Default for Pipeline {
    fn default() -> Self {
        Self {
            agents_at_once: 3,
            max_cost_usd: None,
            max_turns: None,
        }
    }
}

/// A program that learns what waits for a person.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Notify {
    /// Program and arguments; it gets one line of JSON on stdin, runs as the user, and its failure is a warning
    pub command: Vec<String>,
}
