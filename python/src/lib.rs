//! The Python package: the module `mathchain._mathchain`, on which the package in `package/` builds.
//!
//! A call converts its arguments (`arguments`, arrays without a copy in `arrays`, frames as typed tables in `frames`), releases the interpreter's lock, passes the one
//! dispatcher, and converts the result (`results`). `interrupt` cancels a call by Ctrl-C, `own` runs tools that are Python functions.
//! `ticket` computes for runs of other processes.

mod arguments;
mod arrays;
mod call;
mod command;
mod declared;
mod errors;
mod frames;
mod interrupt;
mod own;
mod plans;
mod progress;
mod results;
mod ticket;
mod toolkit;

/// As in the command: calls are many small values (`docs/decisions/packages.md`).
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The native part of the package `mathchain`.
#[pyo3::pymodule]
mod _mathchain {
    #[pymodule_export]
    use crate::call::Stop;
    #[pymodule_export]
    use crate::command::{launch, main, name_launcher};
    #[pymodule_export]
    use crate::results::{SharedArray, png_of_sixel};
    #[pymodule_export]
    use crate::ticket::{build_identity, compute_ticket};
    #[pymodule_export]
    use crate::toolkit::Toolkit;
}
