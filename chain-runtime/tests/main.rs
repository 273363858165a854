//! Behaviour of plans with fake tools, through the real dispatcher.

mod checks;
mod crashes;
mod damage;
mod determinism;
mod drawing;
mod durable;
mod failures;
mod fakes;
mod forms;
mod hazards;
mod journal;
mod language;
mod order;
mod plans;
mod records;
mod session;
mod shuffles;
mod truth;
mod within;
