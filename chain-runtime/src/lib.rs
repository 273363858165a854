//! Plans: check, schedule, execute; and the state that outlives a process.

pub mod state;
