//! Who is told of calls and chains when they have ended, and how what belongs together is found again.

use tool_core::{Object, Value};

use super::trace::TraceParent;
use super::{CallerContext, Dispatcher, panic};
use crate::redact;

/// Told of every call and chain when it has ended, with the record that the audit gets. It changes nothing, and its panic is
/// swallowed; it is called where the call was made, so it must not wait.
pub trait Witness: Send + Sync {
    /// A call ended, waits for a person, or was refused: the arguments (with what was left out, once they were decoded), and the result where there is one.
    fn call(&self, record: &Value, args: &Value, result: Option<&Value>);

    /// A chain ended, stands, or was refused.
    fn chain(&self, record: &Value);
}

/// What a call or chain is part of, beyond its own chain. It is recorded; nothing is decided on it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Origin {
    /// The outermost call or chain; `None` where this one is it.
    pub root: Option<String>,
    /// The call of a tool that makes this call, or hands on this chain.
    pub call: Option<String>,
    /// What the client calls it.
    pub client_id: Option<String>,
    /// The span of the client that it is part of, with all that it makes.
    pub trace: Option<TraceParent>,
}

impl Origin {
    /// Of what a tool calls.
    pub(super) fn within(outer: &CallerContext, call_id: &str) -> Self {
        let chain = outer.chain.as_ref().map(|chain| &chain.chain_id);
        let root = outer.origin.root.as_ref().or(chain);
        Self {
            root: Some(root.map_or(call_id, String::as_str).to_owned()),
            call: Some(call_id.to_owned()),
            client_id: None,
            trace: outer.origin.trace.clone(),
        }
    }

    /// Of the steps of a chain.
    #[must_use]
    pub fn of_step(&self) -> Self {
        Self {
            root: self.root.clone(),
            trace: self.trace.clone(),
            ..Self::default()
        }
    }

    /// Writes into a record what there is.
    pub fn note(&self, record: &mut Object) {
        const CHARS_MAX: usize = 80;
        for (key, name) in [("root", &self.root), ("within", &self.call)] {
            if let Some(name) = name {
                record.insert(key, name.as_str());
            }
        }
        if let Some(id) = &self.client_id {
            let short: String = id.chars().take(CHARS_MAX).collect();
            record.insert("client_id", redact::text(&short).0.into_owned());
        }
        if let Some(trace) = &self.trace {
            record.insert("traceparent", trace.as_str());
        }
    }
}

impl Dispatcher {
    /// Tells of a chain that ended, stands, or was refused; its record is made only where somebody listens.
    pub fn tell_of_chain(&self, record: impl FnOnce() -> Value) {
        if let Some(witness) = &self.host.witness {
            let _ = panic::guard("chain", || witness.chain(&record()));
        }
    }
}
