//! Plans: read, checked whole, scheduled and executed through the one dispatcher.
//!
//! Read [`Plan`] first, then [`check()`], which reports every problem at once and gives a [`CheckedPlan`], then [`run()`]. The
//! graph, the waves and every result are functions of the plan alone; threads change only how long it takes. Nothing here
//! names a tool or decides who may call one: that is the registry's. [`session`] folds the events of a session; [`state`] is what
//! outlives a process: audit, approvals and the journals of runs; [`artifacts`] are the values that those refer to.

pub mod anomalies;
pub mod artifacts;
pub mod check;
pub mod condition;
pub mod conflicts;
pub mod draw;
mod explain;
pub mod failpoints;
pub mod graph;
pub mod plan;
mod private;
pub mod problem;
pub mod reference;
pub mod run;
pub mod script;
pub mod session;
pub mod shapes;
pub mod state;
pub mod template;
pub mod tools;
mod trace;
pub mod types;

pub use check::{CheckedPlan, CheckedStep, Permit, check, look_at};
pub use explain::counted;
pub use plan::{Approval, Budget, Defaults, Mode, OnError, Plan, Step};
pub use problem::{Fault, PlanProblem, Problems};
pub use run::{
    ChainResult, ChainStatus, Finished, Observer, RunOptions, StepReport, StepStatus, execute, run,
};
pub use tools::Subchains;
