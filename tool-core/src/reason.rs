//! Error reasons that code decides on; the other reasons are for callers only.

use std::borrow::Cow;

names! {
    /// A reason below an error code that some caller in this workspace handles specially.
    ///
    /// [`ToolError::is`](crate::ToolError::is) compares it; the wire text is the same as that of a reason given as text.
    Reason {
        /// The value of an artifact is no longer stored.
        ArtifactMissing = "artifact_missing",
        /// The client of the call cannot answer what the call asks.
        ClientCapability = "client_capability",
        /// No connection to the host.
        Connect = "connect",
        /// The host name did not resolve.
        Dns = "dns",
        /// The program of a conversation ended.
        Ended = "ended",
        /// The path is taken.
        Exists = "exists",
        /// The call waits for an answer of its client.
        InputRequired = "input_required",
        /// The process was asked to end.
        Interrupted = "interrupted",
        /// A part of the path is no folder.
        NotAFolder = "not_a_folder",
        /// No such file, program or page.
        NotFound = "not_found",
        /// Nothing tells whether the call happened.
        OutcomeUnknown = "outcome_unknown",
        /// The path leads to no root of the workspace.
        OutsideWorkspace = "outside_workspace",
        /// Another process executes the run.
        RunBusy = "run_busy",
        /// The run has ended already.
        RunEnded = "run_ended",
        /// The state folder cannot be written.
        StateUnwritable = "state_unwritable",
    }
}

impl From<Reason> for Cow<'static, str> {
    fn from(reason: Reason) -> Self {
        Cow::Borrowed(reason.as_str())
    }
}
