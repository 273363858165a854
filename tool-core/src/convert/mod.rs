//! Between typed arguments and [`Value`]: [`from_value`] and [`to_value`].
//!
//! A [`Value`] inside a typed struct moves as a pointer: it announces itself as a newtype named `TOKEN`, and hands itself
//! over through a thread-local slot that is filled and emptied within one serde call.

mod de;
mod ser;

use std::cell::RefCell;

pub(crate) use de::custom_at;
pub use de::from_value;
pub use ser::{Encoded, encode, to_value};

use crate::value::Value;

/// The newtype name under which a [`Value`] passes through serde whole.
pub(crate) const TOKEN: &str = "$mathchain::Value";
/// The newtype names of references to files and artifacts, by kind of content.
pub(crate) const DATA_TOKEN: &str = "$mathchain::Data";
pub(crate) const ANY_TOKEN: &str = "$mathchain::Any";
pub(crate) const TEXT_TOKEN: &str = "$mathchain::Text";

thread_local! {
    static HANDOFF: RefCell<Option<Value>> = const { RefCell::new(None) };
}

pub(crate) fn hand_over(value: Value) {
    HANDOFF.with(|slot| *slot.borrow_mut() = Some(value));
}

pub(crate) fn receive() -> Option<Value> {
    HANDOFF.with(|slot| slot.borrow_mut().take())
}

#[cfg(test)]
mod tests;
