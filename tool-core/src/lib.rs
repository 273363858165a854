//! The contract that every tool and every runtime part of mathchain shares.
//!
//! A tool is one type that implements [`Tool`]; [`tool_entry`] erases it for a family's list. Arguments arrive as a [`Value`], parsed
//! once by the strict scan of [`json`], and become typed through the checked types of [`types`] and [`input`]. A running tool
//! knows the world only through its [`Ctx`]. Nothing here does I/O or knows a clock: what crosses the border is a trait in
//! [`capability`].

extern crate self as tool_core; // derives name this crate so, here too

#[macro_use]
mod names; // first: its macros are used below

pub mod brief;
pub mod capability;
pub mod command;
pub mod conversation;
pub mod convert;
pub mod csv;
pub mod ctx;
pub mod error;
pub mod file_pattern;
pub mod input;
pub mod json;
pub mod nearest;
pub mod npy;
pub mod number;
pub mod outcome;
pub mod path;
pub mod present;
pub mod reason;
pub mod resource;
pub mod schema;
pub mod selection;
pub mod shape;
pub mod source;
pub mod spec;
pub mod stop;
pub mod synonyms;
pub mod tool;
pub mod types;
pub mod value;
pub mod verification;

pub use convert::{Decode, DecodeError, Encode, EncodeError, Encoder};
pub use ctx::{CallBudget, Capabilities, Ctx};
pub use error::{ErrorCode, RequestProblem, Result, ToolError};
pub use input::{DataSource, Input, LoadInput, Matrix, Table, TextInput, Vector};
pub use outcome::{CallOutcome, OutcomeStatus, Shortfall};
pub use random_streams as rng;
pub use reason::Reason;
pub use resource::{Access, Inode, ResourceId, ResourceKey, ResourceKind, ResourceTemplate};
pub use schema::Describe;
pub use source::DataPlace;
pub use spec::{Caller, Capability, Category, Determinism, Effect, Permission, Spec, Syntax};
pub use stop::StopFlag;
pub use tool::{
    AnyTool, CallProbe, EffectReach, ErasedTool, JsonExample, Tool, ToolCall, ToolExample,
    tool_entry,
};
pub use types::{
    BoundedInteger, Count, Finite, Positive, Probability, RandomSeed, Real, Tolerance,
};
pub use value::{Numbers, Object, Value};
pub use verification::{AnswerVerification, VerificationOutcome, Verify, verified_entry};

#[cfg(test)]
mod npy_tests;
#[cfg(test)]
mod tests;
