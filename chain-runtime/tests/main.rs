//! Behaviour of plans with fake tools, through the real dispatcher.

mod checks;
mod crashes;
mod damage;
mod determinism;
mod drawing;
mod durable;
mod endings;
mod failures;
mod fakes;
mod formats;
mod forms;
mod gaps;
mod hazards;
mod inner;
mod journal;
mod language;
mod order;
mod plans;
mod reading;
mod records;
mod room;
mod scripts;
mod session;
mod shuffles;
mod truth;
mod within;
