//! Workflows: requests, chains of tasks, reviews, gates, feedback and locks, as a fold of events.
//!
//! Three functions carry everything. [`decide_command`] takes the state, a command and a [`DecisionContext`] (time, date, actor,
//! grants) and returns events or a [`WorkflowFault`]; [`WorkflowState::apply`] is the only way the state changes; [`item::project_item`] gives the
//! files that show it. What each command and its event are is one file in [`commands`]. Beside them are data: [`template`] (stages and gates), [`roles`] (who may call what) and [`governance`]
//! (which files may change, and whose locks collide). [`import`] reads the layouts of earlier systems. Nothing here does I/O or
//! knows a clock, a thread or a random number.
//!
//! ```
//! use workflow::commands::{Command, RequestCreate};
//! use workflow::names::{ActorKind, RequestKind};
//! use workflow::{CalendarDate, DecisionContext, EventActor, EventTime, GateGrants, WorkflowState};
//!
//! let mut state = WorkflowState::default();
//! let (actor, grants) = (EventActor::new("pat", ActorKind::Person, "operator"), GateGrants::default());
//! let today = CalendarDate::parse("2025-01-31").unwrap();
//! let context = DecisionContext { now: EventTime(1_738_281_600_000), today, actor: &actor, grants: &grants, checkout: "" };
//! let args = RequestCreate {
//!     r#type: RequestKind::Cr,
//!     title: "A parser".to_owned(),
//!     domain: "core".to_owned(),
//!     content: "Numbers have to be read.".to_owned(),
//!     draft: None,
//! };
//! for event in args.decide(&state, &context)? {
//!     state.apply(&event)?;
//! }
//! assert_eq!(state.request("CR-20250131-001")?.title, "A parser");
//! # Ok::<(), workflow::WorkflowFault>(())
//! ```

pub mod actor;
pub mod commands;
mod decide;
pub mod event;
mod fault;
pub mod governance;
pub mod ids;
pub mod import;
pub mod item;
pub mod limits;
pub mod names;
pub mod roles;
pub mod state;
pub mod template;
pub mod tools;

pub use actor::{CalendarDate, DecisionContext, EventActor, EventOrigin, EventTime, GateGrants};
pub use decide::{ItemCommand, decide_command};
pub use event::{EventPayload, WorkflowEvent};
pub use fault::WorkflowFault;
pub use state::WorkflowState;
pub use template::WorkflowTemplate;

// Tests name the crate as its callers do, and see the cases in the files of commands.
#[cfg(test)]
extern crate self as workflow;

#[cfg(test)]
#[path = "../tests/main.rs"]
mod tests;
