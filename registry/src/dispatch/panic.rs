//! Panics: caught and reported by call id and source location, never by message, which could contain arguments.

use std::any::Any;
use std::cell::RefCell;
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, Location, catch_unwind};

use tool_core::{ToolError, tool_error};

thread_local! {
    /// The call that this thread runs, for the hook.
    static CALL: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// A caught panic; its message is dropped.
#[derive(Debug)]
pub(super) struct CaughtPanic;

/// Runs a function and catches its panic.
pub(super) fn catch_panic<T>(call_id: &str, run: impl FnOnce() -> T) -> Result<T, CaughtPanic> {
    let outer = CALL.with(|call| call.replace(Some(call_id.to_owned())));
    let result = catch_unwind(AssertUnwindSafe(run)).map_err(drop_payload);
    CALL.with(|call| *call.borrow_mut() = outer);
    result
}

/// Drops a payload, whose own drop may panic; that panic is caught and leaked.
fn drop_payload(payload: Box<dyn Any + Send>) -> CaughtPanic {
    if let Err(second) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        std::mem::forget(second);
    }
    CaughtPanic
}

/// As [`catch_panic`]; a panic is an error of the tool.
pub(super) fn catch_tool_panic<T>(
    tool: &str,
    call_id: &str,
    run: impl FnOnce() -> Result<T, ToolError>,
) -> Result<T, ToolError> {
    catch_panic(call_id, run).unwrap_or_else(|_| Err(panic_error(tool, call_id)))
}

/// The error of a call that panicked.
pub(super) fn panic_error(tool: &str, call_id: &str) -> ToolError {
    tool_error!(Internal, "panic";
        "`{tool}` failed unexpectedly; this is a defect in mathchain";
        "report it with the id {call_id}")
}

/// Makes panics report a call id and a source location, never a message, which could contain arguments.
pub fn install_panic_hook() {
    std::panic::set_hook(Box::new(|info| {
        // Nothing can be reported when standard error is closed.
        let _ = writeln!(std::io::stderr(), "{}", panic_report(info.location()));
    }));
}

/// The report of the hook: the call that the thread runs, if any, and the source location.
fn panic_report(place: Option<&Location<'_>>) -> String {
    let call = CALL.with(|call| call.try_borrow().ok().and_then(|call| call.clone()));
    let call = call.as_deref().unwrap_or("-");
    let place = place.map(ToString::to_string).unwrap_or_default();
    format!("mathchain: internal error, id {call}, at {place}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_report_names_the_innermost_call_and_the_outer_one_again_afterwards() {
        let place = Location::caller();
        let inside = catch_panic("outer", || {
            let inner = catch_panic("inner", || panic_report(Some(place)));
            (inner.unwrap(), panic_report(None))
        });
        let (inner, outer) = inside.unwrap();
        assert!(inner.starts_with("mathchain: internal error, id inner, at "));
        assert!(inner.contains("dispatch/panic.rs:"), "{inner}");
        assert_eq!(outer, "mathchain: internal error, id outer, at ");
        assert_eq!(panic_report(None), "mathchain: internal error, id -, at ");
        assert!(catch_panic("x", || panic!("said")).is_err());
        assert_eq!(panic_report(None), "mathchain: internal error, id -, at ");
    }
}
