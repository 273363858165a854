//! Tests of the crate as its callers use it.

mod cases;
mod commands;
mod events;
mod files;
mod hostile;
mod laws;
mod limits;
mod rules;
mod transitions;
mod world;
