//! What a person is shown and decides, at the terminal and in the console: requests with all that would happen, grants, rules, what waits.

pub mod answers;
pub mod changes;
pub mod grant;
pub mod request;
pub mod rules;
pub(crate) mod run;
pub mod schedules;
pub(crate) mod states;
pub mod waiting;
