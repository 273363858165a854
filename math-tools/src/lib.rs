//! Numeric, data and plot tools: values in, values out, no I/O; and one that asks a program, through a capability.
//!
//! One folder per family; each lists its tools in `mod.rs`. [`FAMILIES`] is what a catalogue is built from. Adding a tool is one
//! file and one line in its family's list.

use tool_core::ErasedTool;

#[macro_use]
mod prelude;
#[macro_use]
mod mirror;

pub(crate) mod bayes;
pub(crate) mod calculus;
pub(crate) mod call_watch;
pub(crate) mod data;
pub mod expression;
pub(crate) mod interpolation;
pub mod linalg;
pub(crate) mod ode;
pub(crate) mod optimise;
pub(crate) mod plot;
pub(crate) mod programs;
pub mod protocol;
pub(crate) mod roots;
pub mod sampling;
pub(crate) mod signal;
pub(crate) mod stats;
pub(crate) mod symbolic;
pub mod unified_diff;
pub(crate) mod units;

#[cfg(test)]
mod testing;

/// Tools that start programs, which the binary `math-tools` has not.
pub static PROGRAMS: &[ErasedTool] = optimise::PROGRAMS;

/// Every family of pure tools, in the order of the documentation.
pub static FAMILIES: &[&[ErasedTool]] = &[
    expression::TOOLS,
    linalg::TOOLS,
    calculus::TOOLS,
    ode::TOOLS,
    optimise::TOOLS,
    programs::TOOLS,
    roots::TOOLS,
    interpolation::TOOLS,
    signal::TOOLS,
    sampling::TOOLS,
    bayes::TOOLS,
    stats::TOOLS,
    symbolic::TOOLS,
    units::TOOLS,
    data::TOOLS,
    plot::TOOLS,
];
