//! The data of policy: layers, selectors, rules, as configuration or a program writes them.

use std::fmt;

use serde::{Serialize, Serializer};
use tool_core::{Effect, Value};

use crate::error::Place;

/// The level of a layer, outermost first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub enum Level {
    /// Holds for every call.
    Global,
    /// Holds for one role.
    Role,
    /// Holds for one agent.
    Agent,
    /// Holds in one phase.
    Phase,
    /// Holds for one task or context.
    Task,
    /// Holds for a delegate.
    Delegation,
    /// What the person at the terminal set.
    User,
}

impl Level {
    /// Every level, outermost first.
    pub const ALL: [Self; 7] = [
        Self::Global,
        Self::Role,
        Self::Agent,
        Self::Phase,
        Self::Task,
        Self::Delegation,
        Self::User,
    ];

    /// The spelling in configuration.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::Role => "role",
            Self::Agent => "agent",
            Self::Phase => "phase",
            Self::Task => "task",
            Self::Delegation => "delegation",
            Self::User => "user",
        }
    }

    /// Reads the spelling back.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.as_str() == text)
    }
}

/// What may happen to a call; the strictest holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub enum Verdict {
    /// It runs.
    Allow,
    /// A person is asked.
    Ask,
    /// It does not run.
    Deny,
}

impl Verdict {
    /// The spelling in configuration and audit.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }

    /// Reads the spelling back.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Allow, Self::Ask, Self::Deny]
            .into_iter()
            .find(|verdict| verdict.as_str() == text)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Names tools: an id, `group:`, `category:`, `tag:`, `effect:`, `permission:`, `plugin:`, or a pattern with `*`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Selector {
    /// As written.
    pub text: String,
    /// Where.
    #[serde(skip)]
    pub place: Option<Place>,
}

impl From<&str> for Selector {
    fn from(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            place: None,
        }
    }
}

/// What a rule looks at; every given part must hold.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Match {
    /// Tools.
    pub tools: Vec<Selector>,
    /// Only for this role.
    pub role: Option<String>,
    /// Paths of the call lie under one of these: every one for `allow`, any for `ask` and `deny`.
    pub path_under: Option<Vec<String>>,
    /// Paths of the call fit one of these patterns, such as `**/*.key`; read as `path_under`.
    pub path_glob: Option<Vec<String>>,
    /// The program and its arguments begin so.
    pub argv_prefix: Option<Vec<String>>,
    /// Every host of the call is one of these; `*.example.org` is any below it.
    pub url_host: Option<Vec<String>>,
    /// A number among the arguments lies in a range.
    pub number: Option<Range>,
    /// The longest text among the arguments has a size in a range, in bytes.
    pub bytes: Option<Range>,
    /// Whether the call can destroy what was there.
    pub destructive: Option<bool>,
    /// Effects of the call are of these: all for `allow`, any for `ask` and `deny`.
    pub effects: Option<Vec<Effect>>,
    /// Arguments with exactly these values.
    pub args: Option<Vec<(String, Value)>>,
    /// The digest of all arguments: one call, word for word.
    pub call: Option<String>,
}

/// A closed range, of one argument or of all.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Range {
    /// Name of the argument; `None` means every one.
    pub argument: Option<String>,
    /// Smallest value that lies in it.
    #[serde(serialize_with = "bound")]
    pub min: Option<f64>,
    /// Largest value that lies in it.
    #[serde(serialize_with = "bound")]
    pub max: Option<f64>,
}

/// A bound as text, since it may be infinite.
fn bound<S: Serializer>(bound: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    match bound {
        Some(bound) => serializer.collect_str(bound),
        None => serializer.serialize_none(),
    }
}

/// What a call that a rule lets through must also keep to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Obligation {
    /// A copy of what is overwritten is kept.
    Backup,
    /// A person is told.
    Notify,
    /// Secrets are taken out of the result.
    Redact,
    /// Neither arguments nor result are larger, in bytes of JSON.
    MaxBytes(u64),
    /// It does not run longer, in milliseconds.
    TimeoutMs(u64),
}

/// The obligations of every rule that matched, joined: the strictest of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Obligations {
    /// A copy of what is overwritten is kept.
    pub backup: bool,
    /// A person is told.
    pub notify: bool,
    /// Secrets are taken out of the result.
    pub redact: bool,
    /// Neither arguments nor result are larger, in bytes of JSON.
    pub max_bytes: Option<u64>,
    /// It does not run longer, in milliseconds.
    pub timeout_ms: Option<u64>,
}

impl Obligations {
    /// The obligations of one rule.
    pub fn of(list: &[Obligation]) -> Self {
        let mut joined = Self::default();
        for obligation in list {
            match *obligation {
                Obligation::Backup => joined.backup = true,
                Obligation::Notify => joined.notify = true,
                Obligation::Redact => joined.redact = true,
                Obligation::MaxBytes(bytes) => {
                    joined.max_bytes = strictest(joined.max_bytes, Some(bytes))
                }
                Obligation::TimeoutMs(ms) => {
                    joined.timeout_ms = strictest(joined.timeout_ms, Some(ms))
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
            max_bytes: strictest(self.max_bytes, other.max_bytes),
            timeout_ms: strictest(self.timeout_ms, other.timeout_ms),
        }
    }
}

fn strictest(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

/// A rule on calls.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Rule {
    /// What it looks at.
    pub matches: Match,
    /// What it says.
    pub decision: Verdict,
    /// Among the rules of one layer that match, those with the highest count; between layers it means nothing.
    pub priority: i64,
    /// What calls that it lets through must keep to.
    pub obligations: Vec<Obligation>,
    /// Why, in the author's words.
    pub reason: Option<String>,
    /// Where it was written.
    #[serde(skip)]
    pub place: Option<Place>,
}

/// One layer: it narrows what is visible, and adds rules.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Layer {
    /// Its level.
    pub level: Level,
    /// Which role, agent, phase or task it is for, or what it is called.
    pub name: String,
    /// What stays visible; `None` leaves all, an empty list leaves nothing.
    pub allow: Option<Vec<Selector>>,
    /// What does not stay visible.
    pub deny: Vec<Selector>,
    /// Effects that no call may have: tools that always have one are hidden, calls that have one are refused.
    pub without: Vec<Effect>,
    /// Rules on calls.
    pub rules: Vec<Rule>,
    /// Where it was written.
    #[serde(skip)]
    pub place: Option<Place>,
}

impl Layer {
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
        }
    }

    /// Leaves visible at most what these select.
    #[must_use]
    pub fn allow<'a>(mut self, selectors: impl IntoIterator<Item = &'a str>) -> Self {
        let list = self.allow.get_or_insert_default();
        list.extend(selectors.into_iter().map(Selector::from));
        self
    }

    /// Hides what these select.
    #[must_use]
    pub fn deny<'a>(mut self, selectors: impl IntoIterator<Item = &'a str>) -> Self {
        self.deny.extend(selectors.into_iter().map(Selector::from));
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
    pub fn rule(mut self, rule: Rule) -> Self {
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

impl Rule {
    /// A rule on every call of these tools.
    pub fn new<'a>(decision: Verdict, tools: impl IntoIterator<Item = &'a str>) -> Self {
        Self {
            matches: Match {
                tools: tools.into_iter().map(Selector::from).collect(),
                ..Match::default()
            },
            decision,
            priority: 0,
            obligations: Vec::new(),
            reason: None,
            place: None,
        }
    }

    /// Only where the paths of the call lie under one of these.
    #[must_use]
    pub fn path_under<'a>(mut self, roots: impl IntoIterator<Item = &'a str>) -> Self {
        self.matches.path_under = Some(roots.into_iter().map(str::to_owned).collect());
        self
    }

    /// Adds an obligation.
    #[must_use]
    pub fn obliges(mut self, obligation: Obligation) -> Self {
        self.obligations.push(obligation);
        self
    }
}
