//! Conditions of rules on the arguments of calls: [`compile_conditions`] checks each once, [`RuleCondition::fit`] evaluates it for a call.

use std::collections::BTreeMap;
use std::fmt::Display;

use tool_core::schema::Schema;
use tool_core::{Capability, Effect, Permission, ResourceKind, Spec, Syntax, Value};

use super::compile::PolicyCompiler;
use super::facts::{CallFacts, HostFact, PathCondition, host_fits};
use super::glob::PathPattern;
use super::set::ToolSet;
use crate::catalogue::Catalogue;
use crate::digest;
use crate::error::LoadError;
use crate::model::{
    CountedBy, LIMIT_CALLS_MAX, LIMIT_WINDOW_MAX, NumberMatch, NumberRange, PathMatch, PolicyRule,
    RuleLimit, Verdict, WorkspaceRoots,
};

/// Whether a condition or a whole rule matches a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RuleFit {
    /// It matches.
    Yes,
    /// It does not.
    No,
    /// Undecidable: the arguments are not known, or cannot be read as the condition needs them.
    Unknown,
}

impl RuleFit {
    /// Both parts must hold.
    pub(super) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::No, _) | (_, Self::No) => Self::No,
            (Self::Yes, Self::Yes) => Self::Yes,
            _ => Self::Unknown,
        }
    }

    fn from(holds: bool) -> Self {
        if holds { Self::Yes } else { Self::No }
    }

    /// A rule that allows needs at least one item, and all to fit; any other rule one that fits.
    fn over<T>(items: &[T], narrows: bool, fits: impl Fn(&T) -> bool) -> Self {
        Self::from(match narrows {
            true => !items.is_empty() && items.iter().all(fits),
            false => items.iter().any(fits),
        })
    }

    /// Whether a rule with this verdict counts: an `allow` only when it certainly is about the call, `ask` and `deny` also
    /// when that cannot be told.
    pub(super) fn counts(self, decision: Verdict) -> bool {
        match self {
            Self::Yes => true,
            Self::No => false,
            Self::Unknown => decision != Verdict::Allow,
        }
    }
}

/// One condition on the arguments of a call.
#[derive(Debug, Clone)]
pub(super) enum RuleCondition {
    Paths(PathCondition),
    Argv(Vec<String>),
    Hosts(Vec<String>),
    Number(NumberMatch),
    Bytes(NumberRange),
    Destructive(bool),
    Effects(Vec<Effect>),
    /// Digests of the values, by name.
    Args(BTreeMap<String, String>),
    Call(String),
}

impl RuleCondition {
    /// Whether it holds for a call. `narrows` says that the rule allows: then everything the call uses must match, otherwise
    /// anything.
    pub(super) fn fit(&self, call: &CallFacts<'_>, narrows: bool) -> RuleFit {
        match self {
            Self::Paths(wanted) => paths_fit(wanted, call, narrows),
            Self::Argv(prefix) => programs_fit(prefix, call, narrows),
            Self::Hosts(patterns) => hosts_fit(patterns, call, narrows),
            Self::Number(range) => numbers_fit(range, call.args, narrows),
            Self::Bytes(range) => {
                let longest = longest_text(call.args) as f64;
                RuleFit::from(lies_in(range.min, range.max, longest))
            }
            Self::Destructive(wanted) => RuleFit::from(call.reach.destructive == *wanted),
            Self::Effects(wanted) => {
                let mut effects = call.reach.effects.iter();
                RuleFit::from(match narrows {
                    true => effects.all(|effect| wanted.contains(effect)),
                    false => effects.any(|effect| wanted.contains(effect)),
                })
            }
            Self::Args(wanted) => RuleFit::from(wanted.iter().all(|(name, digest)| {
                let found = call.args.get(name);
                found.is_some_and(|found| digest::of_value(found) == *digest)
            })),
            Self::Call(wanted) => RuleFit::from(digest::of_value(call.args) == *wanted),
        }
    }
}

/// Compiles the conditions of a rule on these tools.
pub(super) fn compile_conditions(
    compiler: &mut PolicyCompiler<'_>,
    rule: &PolicyRule,
    tools: &ToolSet,
) -> Vec<RuleCondition> {
    let matches = &rule.matches;
    let mut check = RuleCheck {
        catalogue: compiler.catalogue,
        rule,
        tools,
        roots: &compiler.roots,
        errors: &mut compiler.errors,
    };
    let mut conditions = Vec::new();
    if let Some(path) = &matches.path {
        conditions.push(RuleCondition::Paths(check.paths(path)));
    }
    if let Some(argv) = &matches.argv {
        check.argv(&argv.prefix);
        conditions.push(RuleCondition::Argv(argv.prefix.to_vec()));
    }
    if let Some(url) = &matches.url {
        conditions.push(RuleCondition::Hosts(check.hosts(&url.host)));
    }
    if let Some(range) = &matches.number {
        check.range((range.min, range.max), "number");
        if let Some(argument) = &range.argument {
            check.argument(argument);
        }
        conditions.push(RuleCondition::Number(range.clone()));
    }
    if let Some(range) = &matches.bytes {
        check.range((range.min, range.max), "bytes");
        if range.max.is_some_and(|max| max < 0.0) {
            check.never("a size is never negative");
        }
        conditions.push(RuleCondition::Bytes(*range));
    }
    conditions.extend(matches.destructive.map(RuleCondition::Destructive));
    if let Some(effects) = &matches.effects {
        if effects.is_empty() && rule.decision != Verdict::Allow {
            check.never("`effects` lists no effect");
        }
        conditions.push(RuleCondition::Effects(effects.clone()));
    }
    if let Some(args) = &matches.args {
        args.keys().for_each(|argument| check.argument(argument));
        let digest = |(name, value): (&String, &Value)| (name.clone(), digest::of_value(value));
        let digests = args.iter().map(digest);
        conditions.push(RuleCondition::Args(digests.collect()));
    }
    if let Some(call) = &matches.call {
        let hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        if call.len() != 64 || !call.bytes().all(hex) {
            check.report("`call` is the digest of all arguments: 64 hex digits");
        }
        conditions.push(RuleCondition::Call(call.clone()));
    }
    conditions
}

/// Checks the limit of a rule on these tools.
pub(super) fn compile_limit<'a>(
    compiler: &mut PolicyCompiler<'_>,
    rule: &'a PolicyRule,
    tools: &ToolSet,
) -> Option<&'a RuleLimit> {
    let limit = rule.limit.as_ref()?;
    let mut check = RuleCheck {
        catalogue: compiler.catalogue,
        rule,
        tools,
        roots: &compiler.roots,
        errors: &mut compiler.errors,
    };
    check.limit(limit);
    Some(limit)
}

/// What the conditions of one rule are checked with.
struct RuleCheck<'a> {
    catalogue: &'a Catalogue,
    rule: &'a PolicyRule,
    tools: &'a ToolSet,
    roots: &'a WorkspaceRoots,
    errors: &'a mut Vec<LoadError>,
}

impl RuleCheck<'_> {
    fn report(&mut self, message: impl Display) {
        self.errors.push(self.rule.error(message));
    }

    fn never(&mut self, why: &str) {
        self.report(format!("the rule can never match: {why}"));
    }

    fn any_tool(&self, test: impl Fn(&Spec) -> bool) -> bool {
        let mut tools = self.tools.iter();
        tools.any(|tool| test(self.catalogue.tool(tool).spec()))
    }

    fn paths(&mut self, path: &PathMatch) -> PathCondition {
        if path.under.is_none() && path.glob.is_none() {
            self.report("`path` needs `under`, `glob` or both");
        }
        let read = PathCondition {
            under: path.under.as_ref().map(|roots| self.roots(roots)),
            globs: path.glob.as_ref().map(|globs| self.globs(globs)),
        };
        let lets_through = self.rule.decision == Verdict::Allow;
        let catalogue = self.catalogue;
        let has_paths = self.any_tool(has_paths)
            || !lets_through && self.tools.iter().any(|tool| takes_files(catalogue, tool));
        if !self.tools.is_empty() && !has_paths {
            self.never("none of its tools uses paths");
        }
        read
    }

    fn roots(&mut self, roots: &[String]) -> Vec<Vec<String>> {
        if roots.is_empty() {
            self.never("`path.under` is empty");
        }
        let mut read = Vec::new();
        for root in roots {
            match self.roots.named(root) {
                Some(_) if root.contains(['*', '?']) => {
                    let message = format!(
                        "the rule can never match: `path.under` names folders, and `{root}` is a pattern"
                    );
                    let glob = root.trim_start_matches("**/");
                    let hint = format!("write `path = {{ glob = \"**/{glob}\" }}`");
                    self.errors.push(self.rule.error(message).hint(hint));
                }
                Some(root) => read.push(root),
                None => self.report(format!(
                    "expected a path inside the workspace, relative to its first root or in another one, found `{root}`"
                )),
            }
        }
        read
    }

    fn globs(&mut self, globs: &[String]) -> Vec<PathPattern> {
        if globs.is_empty() {
            self.never("`path.glob` is empty");
        }
        let mut read = Vec::new();
        for glob in globs {
            match PathPattern::parse(glob) {
                Ok(pattern) => read.push(pattern),
                Err(wrong) => {
                    let error = self
                        .rule
                        .error(format_args!("`path.glob` cannot be `{glob}`"));
                    self.errors.push(error.hint(wrong));
                }
            }
        }
        read
    }

    fn argument(&mut self, argument: &str) {
        let tools = self.tools.iter();
        let known: Vec<String> = tools
            .flat_map(|tool| input_property_names(self.catalogue, tool))
            .collect();
        if !self.tools.is_empty() && !known.iter().any(|name| name == argument) {
            let message = format_args!("none of its tools has an argument `{argument}`");
            let known = known.iter().map(String::as_str);
            self.errors
                .push(self.rule.error(message).nearest(argument, known));
        }
    }

    fn argv(&mut self, prefix: &[String]) {
        if prefix.first().is_some_and(|program| program.contains('*')) {
            self.never(
                "`argv.prefix` lists words as they are, and no program has a `*` in its name",
            );
        }
        if prefix.is_empty() {
            self.report("`argv.prefix` lists no word; leave it out to match every program");
        }
        if !self.tools.is_empty() && !self.any_tool(|spec| has_syntax(spec, Syntax::Shell)) {
            self.never("none of its tools runs programs");
        }
    }

    fn hosts(&mut self, hosts: &[String]) -> Vec<String> {
        if hosts.is_empty() {
            self.never("`url.host` is empty");
        }
        for host in hosts {
            let name = host.strip_prefix("*.").unwrap_or(host);
            // What could never equal the name of a host would be a denial that denies nothing.
            let with_port = name.contains(':') && !(name.starts_with('[') && name.ends_with(']'));
            if name.is_empty() || name.contains(['/', '*', '@', ' ']) || with_port {
                self.report(format!(
                    "expected a host such as `example.org` or `*.example.org`, without scheme and port, found `{host}`"
                ));
            } else if !name.is_ascii() {
                self.report(format!(
                    "expected a host in the form that is looked up, such as `xn--bcher-kva.example`, found `{host}`"
                ));
            }
        }
        if !self.tools.is_empty() && !self.any_tool(reaches_hosts) {
            self.never("none of its tools reaches a host");
        }
        let plain = |host: &String| host.trim_end_matches('.').to_lowercase();
        hosts.iter().map(plain).collect()
    }

    fn limit(&mut self, limit: &RuleLimit) {
        if self.rule.decision == Verdict::Deny {
            self.report("a rule that denies has no `limit`: it lets no call through");
        }
        match (limit.calls, &limit.sum, limit.most) {
            (Some(calls), None, None) if (1..=LIMIT_CALLS_MAX).contains(&calls) => {}
            (Some(calls), None, None) => self.report(format!(
                "expected `limit.calls` from 1 to {LIMIT_CALLS_MAX}, found {calls}"
            )),
            (None, Some(pointer), Some(most)) => {
                if !most.is_finite() || most <= 0.0 {
                    self.report(format!(
                        "expected `limit.most` to be a finite number above 0, found {most}"
                    ));
                }
                match pointer.strip_prefix('/') {
                    Some(rest) => {
                        let name = rest.split('/').next().unwrap_or_default();
                        self.argument(&name.replace("~1", "/").replace("~0", "~"));
                    }
                    None => self.report(format!(
                        "expected `limit.sum` to be a JSON pointer such as `/amount`, found `{pointer}`"
                    )),
                }
            }
            _ => self.report(
                "a `limit` has either `calls`, or `sum` with `most`; two limits are two rules",
            ),
        }
        if limit.per.ms() == 0 || limit.per > LIMIT_WINDOW_MAX {
            self.report(format!(
                "expected `limit.per` above 0 and at most {LIMIT_WINDOW_MAX}, found {}",
                limit.per
            ));
        }
        if limit.by == CountedBy::Host && !self.tools.is_empty() && !self.any_tool(reaches_hosts) {
            self.report("`limit.by` is `host`, and none of its tools reaches a host");
        }
    }

    fn range(&mut self, (min, max): (Option<f64>, Option<f64>), what: &str) {
        match (min, max) {
            (None, None) => self.report(format!("`{what}` needs `min`, `max` or both")),
            (Some(min), Some(max)) if min > max => {
                self.never(&format!("`{what}.min` is greater than `{what}.max`"))
            }
            _ => {}
        }
    }
}

/// `allow` wants every path of the tool to be one of those meant; `ask` and `deny` care for any, files of arguments included.
fn paths_fit(wanted: &PathCondition, call: &CallFacts<'_>, narrows: bool) -> RuleFit {
    let Some(paths) = &call.paths else {
        return RuleFit::Unknown;
    };
    if narrows {
        return RuleFit::over(paths, true, |path| wanted.certainly(path));
    }
    let mut all = paths.iter().chain(&call.files);
    if all.clone().any(|path| wanted.certainly(path)) {
        return RuleFit::Yes;
    }
    match all.any(|path| wanted.possibly(path)) {
        true => RuleFit::Unknown,
        false => RuleFit::No,
    }
}

/// `allow` compares the words as they are; `ask` and `deny` also see through a path before the program's name.
fn programs_fit(prefix: &[String], call: &CallFacts<'_>, narrows: bool) -> RuleFit {
    let Some(programs) = &call.programs else {
        return RuleFit::Unknown;
    };
    let begins = |words: &Vec<String>| {
        let bare = |word: &String| word.rsplit('/').next().unwrap_or_default().to_owned();
        let same_program = words.first() == prefix.first()
            || !narrows && words.first().map(bare) == prefix.first().map(bare);
        same_program && words.len() >= prefix.len() && words[1..prefix.len()] == prefix[1..]
    };
    RuleFit::over(programs, narrows, begins)
}

fn hosts_fit(patterns: &[String], call: &CallFacts<'_>, narrows: bool) -> RuleFit {
    let Some(hosts) = &call.hosts else {
        return RuleFit::Unknown;
    };
    let listed = |host: &HostFact| (patterns.iter()).any(|pattern| host_fits(pattern, &host.name));
    RuleFit::over(hosts, narrows, listed)
}

fn numbers_fit(range: &NumberMatch, args: &Value, narrows: bool) -> RuleFit {
    let Some(object) = args.as_object() else {
        return RuleFit::Unknown;
    };
    let numbers: Vec<f64> = match &range.argument {
        Some(name) => match object.get(name) {
            None | Some(Value::Null) => return RuleFit::No,
            Some(value) => match value.as_f64() {
                Some(number) => vec![number],
                None => return RuleFit::Unknown,
            },
        },
        None => object
            .iter()
            .filter_map(|(_, value)| value.as_f64())
            .collect(),
    };
    RuleFit::over(&numbers, narrows, |number| {
        lies_in(range.min, range.max, *number)
    })
}

fn lies_in(min: Option<f64>, max: Option<f64>, number: f64) -> bool {
    min.is_none_or(|min| number >= min) && max.is_none_or(|max| number <= max)
}

/// Length of the longest text anywhere among the arguments; arguments are at most 128 deep.
fn longest_text(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(longest_text).max().unwrap_or(0),
        Value::Object(object) => {
            let members = object.iter().map(|(_, member)| longest_text(member));
            members.max().unwrap_or(0)
        }
        _ => 0,
    }
}

fn reaches_hosts(spec: &Spec) -> bool {
    has_syntax(spec, Syntax::Url)
        || names_resource(spec, ResourceKind::Host)
        || spec.permissions.contains(&Permission::Network)
        || spec.capabilities.contains(&Capability::Http)
}

fn has_syntax(spec: &Spec, wanted: Syntax) -> bool {
    spec.syntax.iter().any(|(_, syntax)| *syntax == wanted)
}

fn names_resource(spec: &Spec, kind: ResourceKind) -> bool {
    spec.resources.iter().any(|template| template.kind == kind)
}

fn has_paths(spec: &Spec) -> bool {
    has_syntax(spec, Syntax::Path)
        || has_syntax(spec, Syntax::Tree)
        || names_resource(spec, ResourceKind::Path)
        || spec.permissions.contains(&Permission::Filesystem)
        || spec.uses_files()
}

fn input_property_names(catalogue: &Catalogue, tool: usize) -> Vec<String> {
    let schema = catalogue.tool(tool).input_schema();
    let properties = schema.get("properties").and_then(Schema::as_object);
    properties
        .into_iter()
        .flat_map(|known| known.keys().cloned())
        .collect()
}

fn takes_files(catalogue: &Catalogue, tool: usize) -> bool {
    let schema = catalogue.tool(tool).input_schema().to_string();
    schema.contains("\"$file\"")
}
