//! Behaviour of plans with fake tools, through the real dispatcher.

mod checks;
mod determinism;
mod failures;
mod fakes;
mod hazards;
mod order;
mod records;
mod session;
