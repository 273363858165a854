//! Sessions: recorded conversations with a model, as a fold of events over tools offered and calls answered.
//!
//! [`apply_event`] folds an [`Event`] into a [`SessionState`] and returns requests and reports ([`Emitted`]). It uses no clock, thread or
//! file. It asks a [`SessionRegistry`] about tools; [`LiveRegistry`] is the one over the dispatcher. A [`Session`] records the answers with the
//! events, so that a [`LogReplay`] of its log gives the same bytes even when the registry has changed.

mod batch;
mod document;
mod emitted;
mod event;
mod fold;
mod limits;
mod live;
mod record;
mod replay;
pub mod schema;
mod state;
mod tools;

pub use emitted::{
    BatchSettled, CallResult, CallStatus, Emitted, GenerateRequested, PlanCreated, PlannedCall,
    RunEnded, RunStatus, StartedCall, WaveStarted,
};
pub use event::{
    CallSettled, CallSettlement, CallsObserved, Event, FactsSet, InputAppended, ObservedCall,
    OverrideScope, OverridesSet, ProfileSelected, RegistrySet, RunFinish, RunFinished,
    RunInterrupted, RunRequested, SessionClosed, SessionOpened, SessionPaused, SessionResumed,
    TurnEnded, WorkspaceChanged, WorkspaceStatus,
};
pub use fold::{FoldResult, apply_event};
pub use limits::{
    ARGS_BYTES_MAX, CALLS_MAX, DEPTH_MAX, EVENTS_MAX, ID_BYTES_MAX, NAMES_MAX, OUTPUT_BYTES_MAX,
    VERSION,
};
pub use live::LiveRegistry;
pub use record::{
    Answer, Applied, AuditHead, EventRefused, LineRefused, Record, Session, StateDocument,
};
pub use replay::{LogDivergence, LogReplay, LogReplayResult};
pub use state::{SessionState, SessionStatus};
pub use tools::{
    ElsewhereTool, Failure, Judged, Missing, Offer, OfferedTool, PermittedVerdict, Resource,
    SessionRegistry,
};
