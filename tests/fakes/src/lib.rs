//! A clock, files, records and tools in memory, for the tests of every crate.
//!
//! Everything here fails by panicking where a test misuses it, and by a typed error where a test asks for one (`broken`).

mod clock;
mod files;
pub mod reading_time;
mod records;
mod tools;

pub use clock::TestClock;
pub use files::MemoryFiles;
pub use records::{MemoryApprovals, MemoryBackups, MemoryLedger, MemoryNotices, MemoryState};
pub use tools::{
    AnyArgs, ArgvArgs, CommandArgs, NoArgs, NumberArgs, PathArgs, QueryArgs, READS_PATH,
    RunCommand, SeedArgs, TWELVE, TextArgs, UrlArgs, WRITES_PATH, WriteArgs, call,
};

// Named by `tool!` in the crates that use it.
#[doc(hidden)]
pub use tool_core;
