//! [`RuleLimit`]: how many calls a rule lets through in a window of time, or how large the sum of an argument may be.

use tool_core::{Decode, Describe, Encode, names};

use super::UnitDuration;
use super::rule::encode_bound;

/// Most calls that a limit may name: the rows of a window are counted at each call.
pub const LIMIT_CALLS_MAX: u64 = 100_000;
/// The longest window, in days.
pub const LIMIT_WINDOW_MAX: UnitDuration = UnitDuration::days(366);

names! {
    /// Which calls count together.
    #[derive(Default)]
    CountedBy {
        /// Those in one workspace, whoever makes them.
        #[default]
        Workspace = "workspace",
        /// Those of one role, in every workspace of the state folder.
        Role = "role",
        /// Those of one server key, in every workspace; calls without a key together.
        Key = "key",
        /// Those that reach one host, in every workspace.
        Host = "host",
    }

    /// The verdict on a call beyond a limit.
    #[derive(Default)]
    BeyondLimit {
        /// It is denied.
        #[default]
        Deny = "deny",
        /// It needs approval; approved calls count too.
        Ask = "ask",
    }
}

/// A limit on the calls that a rule matches, in a sliding window that ends with each call.
#[derive(Debug, Clone, PartialEq, Encode, Decode, Describe)]
pub struct RuleLimit {
    /// Most calls in the window
    #[value(default, skip_encoding_if = "Option::is_none")]
    #[schema(range(min = 1, max = 100000))]
    pub calls: Option<u64>,
    /// JSON pointer of a numeric argument, such as `/amount`, instead of `calls`: its values in the window add up to at most `most`
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub sum: Option<String>,
    /// Largest sum in the window
    #[value(
        default,
        skip_encoding_if = "Option::is_none",
        encode_with = "encode_bound"
    )]
    pub most: Option<f64>,
    /// Length of the window, such as `1h`; at most 366 days
    pub per: UnitDuration,
    /// Which calls count together: those in one workspace, of one role, of one server key, or to one host
    #[value(default, skip_encoding_if = "is_default")]
    pub by: CountedBy,
    /// Verdict on a call beyond the limit
    #[value(default, skip_encoding_if = "is_default")]
    pub beyond: BeyondLimit,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl RuleLimit {
    /// At most this many calls in a window.
    pub fn calls(calls: u64, per: UnitDuration) -> Self {
        Self {
            calls: Some(calls),
            sum: None,
            most: None,
            per,
            by: CountedBy::default(),
            beyond: BeyondLimit::default(),
        }
    }

    /// What the window may hold: calls, or the sum of the argument.
    pub fn most(&self) -> f64 {
        match self.calls {
            Some(calls) => calls as f64,
            None => self.most.unwrap_or(0.0),
        }
    }
}
