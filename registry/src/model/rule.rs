//! Layers and their rules, as configuration, agents and recorded rules write them.

use std::collections::BTreeMap;
use std::fmt::Display;

use tool_core::capability::ApprovalFallback;
use tool_core::schema::{Schema, json};
use tool_core::{
    Decode, DecodeError, Describe, Effect, Encode, EncodeError, Encoder, Value, names,
};

use super::{OneOrMany, RuleLimit, UnitDuration};
use crate::error::{LoadError, TextPlace};

names! {
    /// The level of a layer, outermost first.
    Level {
        /// Holds for every call.
        Global = "global",
        /// Holds for one role.
        Role = "role",
        /// Holds for one agent.
        Agent = "agent",
        /// Holds in one phase.
        Phase = "phase",
        /// Holds for one kind of task, or one context.
        Task = "task",
        /// Holds for delegates.
        Delegation = "delegation",
        /// Set by the user at the terminal.
        User = "user",
    }

    /// The answer of a rule; the strictest wins.
    Verdict {
        /// The call runs.
        Allow = "allow",
        /// The call needs approval.
        Ask = "ask",
        /// The call is refused.
        Deny = "deny",
    }
}

/// Selects tools: an id, `group:`, `category:`, `tag:`, `effect:`, `permission:`, `plugin:`, or a pattern with `*`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolSelector {
    /// The text as written.
    pub text: String,
    /// Source location; `None` for a selector made by the program.
    pub place: Option<TextPlace>,
}

impl From<&str> for ToolSelector {
    fn from(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            place: None,
        }
    }
}

impl ToolSelector {
    /// An error at its place.
    pub(crate) fn error(&self, message: impl Display) -> LoadError {
        LoadError::new(self.place.as_ref(), message)
    }

    /// The error for a name that does not exist, with the nearest one.
    pub(crate) fn unknown<'a>(
        &self,
        what: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) -> LoadError {
        let error = self.error(format_args!("no {what} named `{}`", self.text));
        error.nearest(&self.text, known)
    }
}

impl Encode for ToolSelector {
    fn encode(&self, encoder: &mut Encoder) -> Result<Value, EncodeError> {
        self.text.encode(encoder)
    }
}

impl Decode for ToolSelector {
    fn decode(value: &Value) -> Result<Self, DecodeError> {
        #[derive(Decode)]
        struct PlacedSelector {
            text: String,
            place: TextPlace,
        }
        if let Some(text) = value.as_str() {
            return Ok(text.into());
        }
        let placed =
            PlacedSelector::decode(value).map_err(|error| DecodeError::new(error.to_string()))?;
        Ok(Self {
            text: placed.text,
            place: Some(placed.place),
        })
    }
}

tool_core::inline_schema!(
    ToolSelector,
    tool_core::schema::json!({"type": "string", "x-place": true})
);

/// Conditions of a rule; a call matches when every one given holds.
#[derive(Debug, Clone, PartialEq, Default, Encode, Decode, Describe)]
#[value(default)]
pub struct RuleMatch {
    /// Selectors of the tools; `group:all` selects every tool
    pub tools: Vec<ToolSelector>,
    /// Only calls of this role
    #[value(skip_encoding_if = "Option::is_none")]
    pub role: Option<String>,
    /// Paths of the call; `allow` needs every path to match, `ask` and `deny` any
    #[value(skip_encoding_if = "Option::is_none")]
    pub path: Option<PathMatch>,
    /// The program and its arguments
    #[value(skip_encoding_if = "Option::is_none")]
    pub argv: Option<ArgvMatch>,
    /// Hosts of the call; `allow` needs every host to match, `ask` and `deny` any
    #[value(skip_encoding_if = "Option::is_none")]
    pub url: Option<UrlMatch>,
    /// A number among the arguments lies in this range
    #[value(skip_encoding_if = "Option::is_none")]
    pub number: Option<NumberMatch>,
    /// The longest text among the arguments has a size in this range, in bytes
    #[value(skip_encoding_if = "Option::is_none")]
    pub bytes: Option<NumberRange>,
    /// Whether the call can destroy existing data
    #[value(skip_encoding_if = "Option::is_none")]
    pub destructive: Option<bool>,
    /// Effects of the call; `allow` needs every effect to be listed, `ask` and `deny` any
    #[value(skip_encoding_if = "Option::is_none")]
    pub effects: Option<Vec<Effect>>,
    /// Arguments with exactly these values
    #[value(skip_encoding_if = "Option::is_none")]
    #[schema(schema_with = "scalar_map_schema")]
    pub args: Option<BTreeMap<String, Value>>,
    /// Digest of all arguments, 64 hex digits: exactly one call
    #[value(skip_encoding_if = "Option::is_none")]
    pub call: Option<String>,
}

fn scalar_map_schema() -> Schema {
    json!({
        "type": "object",
        "additionalProperties": {"type": ["string", "boolean", "number"]},
    })
}

/// A condition on paths; both parts must hold where both are given.
#[derive(Debug, Clone, PartialEq, Eq, Default, Encode, Decode, Describe)]
#[value(default)]
pub struct PathMatch {
    /// Folders of the workspace that contain the path
    #[value(skip_encoding_if = "Option::is_none")]
    pub under: Option<OneOrMany>,
    /// Patterns such as `**/*.key`, from the root of the workspace
    #[value(skip_encoding_if = "Option::is_none")]
    pub glob: Option<OneOrMany>,
}

/// A condition on programs.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode, Describe)]
pub struct ArgvMatch {
    /// First words of the program and its arguments
    pub prefix: OneOrMany,
}

/// A condition on hosts.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode, Describe)]
pub struct UrlMatch {
    /// Host names; `*.example.org` is any below it
    pub host: OneOrMany,
}

/// A closed range of a numeric argument.
#[derive(Debug, Clone, PartialEq, Default, Encode, Decode, Describe)]
#[value(default)]
pub struct NumberMatch {
    /// Name of the argument; every numeric argument where absent
    #[value(skip_encoding_if = "Option::is_none")]
    pub argument: Option<String>,
    /// Smallest value in the range
    #[value(skip_encoding_if = "Option::is_none", encode_with = "encode_bound")]
    pub min: Option<f64>,
    /// Largest value in the range
    #[value(skip_encoding_if = "Option::is_none", encode_with = "encode_bound")]
    pub max: Option<f64>,
}

/// A closed range.
#[derive(Debug, Clone, Copy, PartialEq, Default, Encode, Decode, Describe)]
#[value(default)]
pub struct NumberRange {
    /// Smallest value in the range
    #[value(skip_encoding_if = "Option::is_none", encode_with = "encode_bound")]
    pub min: Option<f64>,
    /// Largest value in the range
    #[value(skip_encoding_if = "Option::is_none", encode_with = "encode_bound")]
    pub max: Option<f64>,
}

/// Writes a bound; a program may set an infinite one, which JSON has no number for.
pub(super) fn encode_bound(
    bound: &Option<f64>,
    encoder: &mut Encoder,
) -> Result<Value, EncodeError> {
    match bound {
        Some(bound) if !bound.is_finite() => Ok(Value::from(bound.to_string())),
        bound => bound.encode(encoder),
    }
}

/// A duty of a call that a rule lets through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Decode, Describe)]
#[value(rename_all = "snake_case")]
pub enum Obligation {
    /// Files are backed up before they are overwritten.
    Backup,
    /// The user is notified.
    Notify,
    /// Secrets in the result are redacted.
    Redact,
    /// The answer is computed a second time by another library, where the tool can (`verify`).
    Verify,
    /// Largest arguments and largest result, in bytes of JSON
    MaxBytes(#[schema(range(min = 1))] u64),
    /// Longest run in milliseconds
    TimeoutMs(#[schema(range(min = 1))] u64),
    /// How long a request for approval of the call waits, such as `2h`; not longer than `approvals.expire`
    Expire(UnitDuration),
    /// What becomes of a request that nobody decides in that time; not milder than `approvals.fallback`
    Fallback(ApprovalFallback),
}

/// The obligations of every rule that matched, joined: the strictest of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Encode)]
pub struct JoinedObligations {
    /// A copy of what is overwritten is kept.
    pub backup: bool,
    /// A person is told.
    pub notify: bool,
    /// Secrets are taken out of the result.
    pub redact: bool,
    /// The answer is computed a second time by another library, where the tool can.
    pub verify: bool,
    /// Neither arguments nor result are larger, in bytes of JSON.
    pub max_bytes: Option<u64>,
    /// It does not run longer, in milliseconds.
    pub timeout_ms: Option<u64>,
    /// A request for approval does not wait longer.
    #[value(skip_encoding_if = "Option::is_none")]
    pub expire: Option<UnitDuration>,
    /// What at least becomes of a request that nobody decides in time.
    #[value(skip_encoding_if = "Option::is_none")]
    pub fallback: Option<ApprovalFallback>,
}

impl JoinedObligations {
    /// The obligations of one rule.
    pub fn of(list: &[Obligation]) -> Self {
        let mut joined = Self::default();
        for obligation in list {
            match *obligation {
                Obligation::Backup => joined.backup = true,
                Obligation::Notify => joined.notify = true,
                Obligation::Redact => joined.redact = true,
                Obligation::Verify => joined.verify = true,
                Obligation::MaxBytes(bytes) => {
                    joined.max_bytes = strictest_limit(joined.max_bytes, Some(bytes))
                }
                Obligation::TimeoutMs(ms) => {
                    joined.timeout_ms = strictest_limit(joined.timeout_ms, Some(ms))
                }
                Obligation::Expire(within) => {
                    joined.expire = strictest_limit(joined.expire, Some(within))
                }
                Obligation::Fallback(fallback) => {
                    joined.fallback = joined.fallback.max(Some(fallback))
                }
            }
        }
        joined
    }

    /// Both, the strictest of each.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            backup: self.backup || other.backup,
            notify: self.notify || other.notify,
            redact: self.redact || other.redact,
            verify: self.verify || other.verify,
            max_bytes: strictest_limit(self.max_bytes, other.max_bytes),
            timeout_ms: strictest_limit(self.timeout_ms, other.timeout_ms),
            expire: strictest_limit(self.expire, other.expire),
            fallback: self.fallback.max(other.fallback),
        }
    }
}

fn strictest_limit<T: Ord>(a: Option<T>, b: Option<T>) -> Option<T> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

/// A rule on calls.
#[derive(Debug, Clone, PartialEq, Encode, Decode, Describe)]
pub struct PolicyRule {
    /// Conditions of the rule; every one given must hold
    #[value(rename = "match")]
    pub matches: RuleMatch,
    /// Verdict on calls that match; between layers the strictest wins
    pub decision: Verdict,
    /// Among the matching rules of one layer the highest wins; meaningless between layers
    #[value(default, skip_encoding_if = "is_zero")]
    pub priority: i64,
    /// Duties of calls that the rule lets through: `backup`, `notify`, `redact`, `verify`, or a limit; terms of their approvals
    #[value(default, skip_encoding_if = "Vec::is_empty")]
    pub obligations: Vec<Obligation>,
    /// Most calls, or largest sum of an argument, of the calls that it matches in a window of time
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub limit: Option<RuleLimit>,
    /// Reason shown to the caller
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Source location; `None` for a rule made by the program.
    #[value(rename = "$place", default, skip_encoding)]
    pub place: Option<TextPlace>,
}

fn is_zero(priority: &i64) -> bool {
    *priority == 0
}

/// One layer: it narrows visibility, and adds rules.
#[derive(Debug, Clone, PartialEq, Encode, Decode, Describe)]
pub struct PolicyLayer {
    /// Whom the layer is for; the layers of all levels hold together
    pub level: Level,
    /// Which role, agent, phase or kind of task the layer is for
    #[value(default, skip_encoding_if = "String::is_empty")]
    pub name: String,
    /// Selectors of visible tools; absent: all, an empty list: none
    #[value(default, skip_encoding_if = "Option::is_none")]
    pub allow: Option<Vec<ToolSelector>>,
    /// Selectors of hidden tools
    #[value(default, skip_encoding_if = "Vec::is_empty")]
    pub deny: Vec<ToolSelector>,
    /// Effects that no call may have: tools that always have one are hidden, other calls with one are refused
    #[value(default, skip_encoding_if = "Vec::is_empty")]
    pub without: Vec<Effect>,
    /// Rules on calls, by their checked arguments
    #[value(default, skip_encoding_if = "Vec::is_empty")]
    pub rules: Vec<PolicyRule>,
    /// Source location; `None` for a layer made by the program.
    #[value(rename = "$place", default, skip_encoding)]
    pub place: Option<TextPlace>,
    /// Whether the user has not agreed to what its rules allow: they ask then; set by the program.
    #[value(skip)]
    pub untrusted: bool,
}

impl PolicyLayer {
    /// A layer that changes nothing yet.
    pub fn new(level: Level, name: impl Into<String>) -> Self {
        Self {
            level,
            name: name.into(),
            allow: None,
            deny: Vec::new(),
            without: Vec::new(),
            rules: Vec::new(),
            place: None,
            untrusted: false,
        }
    }

    /// Leaves visible at most what these select.
    #[must_use]
    pub fn allow<'a>(mut self, selectors: impl IntoIterator<Item = &'a str>) -> Self {
        let list = self.allow.get_or_insert_default();
        list.extend(selectors.into_iter().map(ToolSelector::from));
        self
    }

    /// Hides what these select.
    #[must_use]
    pub fn deny<'a>(mut self, selectors: impl IntoIterator<Item = &'a str>) -> Self {
        self.deny
            .extend(selectors.into_iter().map(ToolSelector::from));
        self
    }

    /// Hides every tool that cannot do without an effect, and refuses calls of the others that have it.
    #[must_use]
    pub fn without(mut self, effect: Effect) -> Self {
        self.without.push(effect);
        self
    }

    /// Adds a rule on calls.
    #[must_use]
    pub fn rule(mut self, rule: PolicyRule) -> Self {
        self.rules.push(rule);
        self
    }

    /// The context in which nothing may be changed: hides every tool that writes, runs programs or can destroy.
    pub fn read_only() -> Self {
        Self::new(Level::Task, "read_only").deny(["group:write"])
    }

    /// The context without network: hides every tool of the web and every other that always reaches the network; of those
    /// that need not, calls that would are refused.
    pub fn no_web() -> Self {
        Self::new(Level::Task, "no_web")
            .deny(["category:web"])
            .without(Effect::NetworkAccess)
    }

    /// A context by its name.
    pub fn context(name: &str) -> Option<Self> {
        match name {
            "read_only" => Some(Self::read_only()),
            "no_web" => Some(Self::no_web()),
            _ => None,
        }
    }

    /// What it is called in decisions: `global`, ``role `reviewer` ``.
    pub fn title(&self) -> String {
        if self.name.is_empty() {
            self.level.as_str().to_owned()
        } else {
            format!("{} `{}`", self.level.as_str(), self.name)
        }
    }
}

impl PolicyRule {
    /// An error at its place.
    pub(crate) fn error(&self, message: impl Display) -> LoadError {
        LoadError::new(self.place.as_ref(), message)
    }

    /// A rule on every call of these tools.
    pub fn new<'a>(decision: Verdict, tools: impl IntoIterator<Item = &'a str>) -> Self {
        Self {
            matches: RuleMatch {
                tools: tools.into_iter().map(ToolSelector::from).collect(),
                ..RuleMatch::default()
            },
            decision,
            priority: 0,
            obligations: Vec::new(),
            limit: None,
            reason: None,
            place: None,
        }
    }

    /// Only where the paths of the call lie under one of these.
    #[must_use]
    pub fn path_under<'a>(mut self, roots: impl IntoIterator<Item = &'a str>) -> Self {
        let path = self.matches.path.get_or_insert_default();
        path.under = Some(roots.into_iter().collect());
        self
    }

    /// Only where the program and its arguments begin with these words.
    #[must_use]
    pub fn argv_prefix<'a>(mut self, words: impl IntoIterator<Item = &'a str>) -> Self {
        let prefix = words.into_iter().collect();
        self.matches.argv = Some(ArgvMatch { prefix });
        self
    }

    /// Limits the calls that it matches.
    #[must_use]
    pub fn limited(mut self, limit: RuleLimit) -> Self {
        self.limit = Some(limit);
        self
    }

    /// Adds an obligation.
    #[must_use]
    pub fn obliges(mut self, obligation: Obligation) -> Self {
        self.obligations.push(obligation);
        self
    }
}
