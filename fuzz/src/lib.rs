//! What the targets share: one toolkit without workspace and state, so that nothing but memory is touched.

use std::sync::OnceLock;

use mathchain::{CallContext, Toolkit, Value};

/// A call that is still at work ten times longer does not listen to its deadline, and fails its target.
const TIMEOUT_MS: u64 = 1000;

/// The toolkit of this process.
pub fn toolkit() -> &'static Toolkit {
    static TOOLKIT: OnceLock<Toolkit> = OnceLock::new();
    TOOLKIT.get_or_init(|| Toolkit::builder().build().expect("a toolkit"))
}

/// Calls a tool through the dispatcher; the envelope of its answer.
pub fn call(tool: &str, args: Vec<(&'static str, Value)>) -> Value {
    let context = CallContext {
        timeout_ms: Some(TIMEOUT_MS),
        ..CallContext::default()
    };
    toolkit()
        .call_with(&context, tool, &Value::object(args))
        .to_value()
}
