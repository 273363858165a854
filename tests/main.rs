//! Tests that need several crates: architecture, determinism of whole chains, agreement with references, cases of earlier systems.

mod aliases;
mod architecture;
mod compatibility;
mod conformance;
mod determinism;
mod documents;
mod effects;
mod english;
mod gbnf;
mod imports;
mod keys;
mod large;
mod neutral;
mod offers;
mod opened;
mod present;
mod python_stubs;
mod references;
mod resources;
mod schema;
mod scripts;
mod sessions;
mod shapes;
mod sparse_reference;
mod syntaxes;
mod tool_pages;
