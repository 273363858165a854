//! Observers of ended calls and runs, and the origin that links them.

use std::sync::{Arc, OnceLock};

use tool_core::{Object, Value};

use super::trace::TraceParent;
use super::{CallerContext, Dispatcher, panic};
use crate::redact;

/// Observes every call and run when it has ended, with its audit record. It changes nothing, and its panics are ignored; it is
/// called on the thread of the call, so it must not block.
pub trait CallWitness: Send + Sync {
    /// A call ended, awaits approval or was refused: its arguments (with defaults, once decoded), and its result, if any.
    fn call(&self, record: &Value, args: &Value, result: Option<&Value>);

    /// A run ended, is waiting, or was refused.
    fn chain(&self, record: &Value);
}

/// The call, run and trace that a call or run is part of. It is recorded; no decision depends on it but a limit by key.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CallLineage {
    /// The outermost call or run; `None` for the outermost itself.
    pub root: Option<String>,
    /// The tool call that makes this call or starts this run.
    pub call: Option<String>,
    /// The client's id for it.
    pub client_id: Option<String>,
    /// The client's span that it belongs to.
    pub trace: Option<TraceParent>,
    /// Name of the server's key with which the client came.
    pub key: Option<String>,
    /// The request that may act once, by which a server finds whether it acted.
    pub request: Option<String>,
    /// Receives the id of the run that this call begins.
    pub begun: Option<RunIdReceiver>,
}

/// Receives the id of a run, once.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RunIdReceiver(Arc<OnceLock<String>>);

impl RunIdReceiver {
    /// States the id; the first one counts.
    pub fn set(&self, id: &str) {
        let _ = self.0.set(id.to_owned());
    }

    /// The id, as soon as the run is begun.
    pub fn id(&self) -> Option<&str> {
        self.0.get().map(String::as_str)
    }
}

impl CallLineage {
    /// The origin of the calls of a tool.
    pub(super) fn within(outer: &CallerContext, call_id: &str) -> Self {
        let chain = outer.chain.as_ref().map(|chain| &chain.chain_id);
        let root = outer.origin.root.as_ref().or(chain);
        Self {
            root: Some(root.map_or(call_id, String::as_str).to_owned()),
            call: Some(call_id.to_owned()),
            client_id: None,
            trace: outer.origin.trace.clone(),
            key: outer.origin.key.clone(),
            request: outer.origin.request.clone(),
            begun: outer.origin.begun.clone(),
        }
    }

    /// The origin of the steps of a run.
    #[must_use]
    pub fn of_step(&self) -> Self {
        Self {
            root: self.root.clone(),
            trace: self.trace.clone(),
            key: self.key.clone(),
            request: self.request.clone(),
            ..Self::default()
        }
    }

    /// Adds its members to a record.
    pub fn note(&self, record: &mut Object) {
        const CHARS_MAX: usize = 80;
        record.insert_some("root", self.root.clone());
        record.insert_some("within", self.call.clone());
        if let Some(id) = &self.client_id {
            let short: String = id.chars().take(CHARS_MAX).collect();
            record.insert("client_id", redact::redact_text(&short).0.into_owned());
        }
        record.insert_some("traceparent", self.trace.as_ref().map(TraceParent::as_str));
        record.insert_some("key", self.key.clone());
        record.insert_some("request", self.request.clone());
    }
}

impl Dispatcher {
    /// Notifies the witnesses of a run that ended, is waiting, or was refused; the record is made only for a witness.
    pub fn notify_chain_end(&self, record: impl FnOnce() -> Value) {
        if self.host.witnesses.is_empty() {
            return;
        }
        let record = record();
        for witness in &self.host.witnesses {
            let _ = panic::catch_panic("chain", || witness.chain(&record));
        }
    }
}
