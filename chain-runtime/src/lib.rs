//! Plans: read, checked whole, scheduled and executed through the one dispatcher.
//!
//! Read [`Plan`] first, then [`check_plan()`], which reports every problem at once and gives a [`CheckedPlan`], then [`run_checked_plan()`]. The
//! graph, the waves and every result are functions of the plan alone; threads change only how long it takes. Nothing here
//! names a tool or decides who may call one: that is the registry's. What outlives a process (records, approvals, stored values) is
//! in the crate `journal`.

pub mod check;
pub mod cluster;
mod condition;
pub mod draw;
mod explain;
mod graph;
pub mod plan;
pub mod problem;
pub mod reference;
pub mod run;
pub mod script;
pub mod shapes;
mod source;
pub mod template;
pub mod tools;
mod trace;
mod types;

pub use check::{CheckMode, CheckedPlan, CheckedStep, StepPermit, check_plan};
pub use plan::{Approval, Defaults, Mode, OnError, Plan, PlanBudget, PlanStep};
pub use problem::{Fault, PlanProblem, PlanProblems};
pub use run::{
    ChainResult, ChainStatus, RunOptions, StepObserver, StepOutcome, StepReport, StepStatus,
    execute_plan, run_checked_plan,
};
pub use tool_core::brief::count_phrase;
pub use tools::SubchainRunner;
