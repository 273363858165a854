//! What the targets share: one toolkit without workspace and state, so that nothing but memory is touched.

use std::sync::OnceLock;

use mathchain::{Toolkit, Value};

/// The toolkit of this process.
pub fn toolkit() -> &'static Toolkit {
    static TOOLKIT: OnceLock<Toolkit> = OnceLock::new();
    TOOLKIT.get_or_init(|| Toolkit::builder().build().expect("a toolkit"))
}

/// Calls a tool through the dispatcher; the envelope of its answer.
pub fn call(tool: &str, args: Vec<(&'static str, Value)>) -> Value {
    toolkit().call(tool, &Value::object(args)).to_value()
}
