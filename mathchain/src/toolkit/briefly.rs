//! Calls that end before a thread of their own would have begun: servers run them on the thread that reads requests.
//!
//! A call without effects that takes longer than [`LONGEST`] is stopped, leaves nothing behind, and runs again on a thread; its tool is
//! then not tried for a while.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tool_core::{CallOutcome, Value};

use super::{CallContext, Toolkit};

/// Time after which a call is stopped and begun again on a thread.
const LONGEST: Duration = Duration::from_millis(1);
/// Time within which a call is worth no thread: a hand-over to one and back takes about 30 us.
const WORTH: Duration = Duration::from_micros(250);
/// Largest arguments, in values and bytes of text.
const SIZE_MAX: usize = 2048;
/// Most calls of a tool that run on threads before it is tried again.
const ASIDE_MAX: u32 = 1024;

/// What is known of tools.
#[derive(Default)]
pub(super) struct InlineTrials(Mutex<HashMap<String, ToolTrial>>);

/// How a tool did.
#[derive(Clone, Copy, Default)]
struct ToolTrial {
    /// Further calls that run on threads.
    aside: u32,
    /// The number that follows the next call that takes long.
    next: u32,
}

impl InlineTrials {
    /// Whether the next call of a tool is tried.
    fn is_tried(&self, tool: &str) -> bool {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match known.get_mut(tool) {
            Some(known) if known.aside > 0 => {
                known.aside -= 1;
                false
            }
            _ => true,
        }
    }

    /// Learns how long a call took.
    fn learn(&self, tool: &str, was_brief: bool) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if was_brief {
            known.remove(tool);
            return;
        }
        let known = known.entry(tool.to_owned()).or_default();
        known.next = (known.next * 4).clamp(1, ASIDE_MAX);
        known.aside = known.next;
    }
}

impl Toolkit {
    /// Calls a tool on this thread where the call is small, has no effects, and ends at once; `None` where it has to run on a thread:
    /// nothing has happened then.
    pub fn call_briefly(
        &self,
        context: &CallContext,
        tool: &str,
        args: &Value,
    ) -> Option<CallOutcome> {
        if !is_small(args, &mut SIZE_MAX.clone()) || !self.brief.is_tried(tool) {
            return None;
        }
        let generation = self.generations.current();
        let mut request = context.request(&generation, tool, args);
        let began = Instant::now();
        let late = move || began.elapsed() > LONGEST;
        request.stop = request.stop.child_until(Arc::new(late));
        let outcome = generation.dispatcher.call_briefly(&request);
        if outcome.is_some() || began.elapsed() > WORTH {
            self.brief.learn(tool, began.elapsed() <= WORTH);
        }
        outcome
    }
}

/// Whether a value has few parts, counted against what is left.
fn is_small(value: &Value, left: &mut usize) -> bool {
    let mut take = |size: usize| match left.checked_sub(size) {
        Some(rest) => {
            *left = rest;
            true
        }
        None => false,
    };
    match value {
        Value::String(text) => take(text.len()),
        Value::Object(members) => {
            take(members.len())
                && members
                    .iter()
                    .all(|(name, value)| name.len() < SIZE_MAX && is_small(value, left))
        }
        value => match value.as_numbers() {
            Some(numbers) => take(numbers.as_slice().len()),
            None => match value.items() {
                Some(items) => take(items.len()) && items.iter().all(|item| is_small(item, left)),
                None => take(1),
            },
        },
    }
}

#[cfg(test)]
mod tests {
    use tool_core::{ErrorCode, OutcomeStatus, object};

    use super::*;

    fn tried(toolkit: &Toolkit, tool: &str, args: &Value) -> Option<CallOutcome> {
        toolkit.call_briefly(&CallContext::default(), tool, args)
    }

    #[test]
    fn a_small_call_ends_here_and_a_long_one_is_begun_again_on_a_thread() {
        let toolkit = Toolkit::builder().build().expect("a toolkit");
        let sum = object! { "expression" => "1 + 1" };
        // A debug build on a busy machine may take longer than a thread would.
        let outcome = (0..2000).find_map(|_| tried(&toolkit, "calculate", &sum));
        let outcome = outcome.expect("an answer");
        let OutcomeStatus::Success(value) = &outcome.status else {
            panic!("{outcome:?}")
        };
        assert_eq!(value.get("value").and_then(Value::as_f64), Some(2.0));
        let long = object! {
            "log_density" => "-0.5*x0**2", "x0" => Value::from(vec![0.0]), "n_samples" => 100_000_i64
        };
        assert!(tried(&toolkit, "mcmc", &long).is_none());
        let wrong = object! { "expression" => "1 +" };
        let outcome = (0..2000).find_map(|_| tried(&toolkit, "calculate", &wrong));
        let outcome = outcome.expect("an answer");
        let code = outcome.err().map(|error| error.code());
        assert_eq!(code, Some(ErrorCode::InvalidArgs));
    }

    #[test]
    fn what_is_large_or_has_effects_is_not_tried() {
        let toolkit = Toolkit::builder().build().expect("a toolkit");
        let large = object! { "data" => Value::from(vec![1.0; SIZE_MAX + 1]) };
        assert!(tried(&toolkit, "statistics", &large).is_none());
        let writes = object! { "path" => "a", "content" => "b" };
        assert!(tried(&toolkit, "write_file", &writes).is_none());
    }

    #[test]
    fn a_tool_whose_calls_take_long_is_tried_ever_less_often() {
        let brief = InlineTrials::default();
        let mut tries = 0;
        for _ in 0..1000 {
            if brief.is_tried("slow") {
                tries += 1;
                brief.learn("slow", false);
            }
        }
        assert!(tries < 8, "{tries}");
        brief.learn("slow", true);
        assert!(brief.is_tried("slow"));
    }
}
