//! From layers as written to sets of bits; everything that is wrong is reported at once.

use tool_core::{Capability, Effect, Permission, ResourceKind, Spec, Syntax};

use super::facts::{PathCondition, components};
use super::glob::PathPattern;
use super::selector;
use super::{Label, ToolSet};
use crate::catalogue::Catalogue;
use crate::error::{LoadError, Place};
use crate::model::{Layer, Level, Match, Obligations, Range, Rule, Selector, Verdict};

/// A layer against one catalogue.
#[derive(Debug, Clone)]
pub struct CompiledLayer {
    pub(super) title: Label,
    pub(super) level: Level,
    pub(super) name: String,
    pub(super) place: Option<Place>,
    /// Changed by [`CompiledLayer::narrow`] only.
    pub(super) allow: Option<ToolSet>,
    pub(super) deny: ToolSet,
    /// What these two leave.
    shown: ToolSet,
    pub(super) without: Vec<Effect>,
    pub(super) rules: CompiledRules,
}

/// The rules of a layer, and the tools that any of them is about.
#[derive(Debug, Clone)]
pub struct CompiledRules {
    list: Vec<CompiledRule>,
    tools: ToolSet,
}

impl CompiledRules {
    /// Those that may be about a tool: all or none.
    pub(super) fn about(&self, tool: usize) -> &[CompiledRule] {
        match self.tools.contains(tool) {
            true => &self.list,
            false => &[],
        }
    }

    fn push(&mut self, rule: CompiledRule) {
        self.tools.unite(&rule.tools);
        self.list.push(rule);
    }
}

impl<'a> IntoIterator for &'a CompiledRules {
    type Item = &'a CompiledRule;
    type IntoIter = std::slice::Iter<'a, CompiledRule>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.iter()
    }
}

/// A rule against one catalogue.
#[derive(Debug, Clone)]
pub struct CompiledRule {
    pub(super) tools: ToolSet,
    /// Those that it names by id.
    pub(super) by_id: ToolSet,
    pub(super) role: Option<String>,
    /// As written; paths and hosts also in the form they are compared in.
    pub(super) matches: Match,
    pub(super) paths: Option<PathCondition>,
    pub(super) hosts: Option<Vec<String>>,
    pub(super) decision: Verdict,
    pub(super) priority: i64,
    pub(super) obligations: Obligations,
    pub(super) reason: Option<Label>,
    /// `mathchain.toml:14`, or `rule 1`.
    pub(super) label: Label,
}

impl AsRef<Self> for CompiledLayer {
    fn as_ref(&self) -> &Self {
        self
    }
}

impl CompiledLayer {
    /// What the layer leaves visible.
    pub(super) fn shown(&self) -> &ToolSet {
        &self.shown
    }

    /// Whether the layer leaves a tool visible.
    pub fn shows(&self, tool: usize) -> bool {
        self.shown.contains(tool)
    }

    /// Narrows what it allows to these tools.
    pub(super) fn narrow(&mut self, tools: &ToolSet) {
        let allow = self.allow.get_or_insert_with(|| tools.clone());
        allow.intersect(tools);
        self.shown.intersect(tools);
    }
}

/// Resolves the names of a layer; errors are added to the list.
pub(crate) fn layer(
    catalogue: &Catalogue,
    layer: &Layer,
    roles: &[&str],
    errors: &mut Vec<LoadError>,
) -> CompiledLayer {
    let allow = layer
        .allow
        .as_ref()
        .map(|list| resolve_all(catalogue, list, errors));
    let mut deny = resolve_all(catalogue, &layer.deny, errors);
    deny.unite(&ToolSet::of(catalogue.len(), |tool| {
        let spec = catalogue.tool(tool).spec();
        (layer.without.iter()).any(|effect| selector::always_has(*effect, spec))
    }));
    let mut shown = match &allow {
        Some(allow) => allow.clone(),
        None => ToolSet::all(catalogue.len()),
    };
    shown.subtract(&deny);
    let mut compiled = CompiledLayer {
        title: layer.title().into(),
        level: layer.level,
        name: layer.name.clone(),
        place: layer.place.clone(),
        allow,
        deny,
        shown,
        without: layer.without.clone(),
        rules: CompiledRules {
            list: Vec::new(),
            tools: ToolSet::none(catalogue.len()),
        },
    };
    for (index, rule) in layer.rules.iter().enumerate() {
        let before = errors.len();
        let built = self::rule(catalogue, rule, index, roles, errors);
        if errors.len() == before {
            check_reach(&compiled, rule, &built, errors);
        }
        compiled.rules.push(built);
    }
    compiled
}

/// The union of what several selectors select.
pub(super) fn resolve_all(
    catalogue: &Catalogue,
    list: &[Selector],
    errors: &mut Vec<LoadError>,
) -> ToolSet {
    let mut set = ToolSet::none(catalogue.len());
    for selector in list {
        match selector::resolve(selector, catalogue) {
            Ok(tools) => set.unite(&tools),
            Err(error) => errors.push(error),
        }
    }
    set
}

fn rule(
    catalogue: &Catalogue,
    rule: &Rule,
    index: usize,
    roles: &[&str],
    errors: &mut Vec<LoadError>,
) -> CompiledRule {
    let matches = &rule.matches;
    let before = errors.len();
    let tools = resolve_all(catalogue, &matches.tools, errors);
    let known = errors.len() == before;
    let mut by_id = ToolSet::none(catalogue.len());
    matches
        .tools
        .iter()
        .filter_map(|one| selector::named(one, catalogue))
        .for_each(|tool| by_id.insert(tool));
    let mut check = RuleCheck {
        catalogue,
        rule,
        tools: &tools,
        errors,
    };
    check.tools_given(known);
    check.role(roles);
    let paths = check.paths();
    check.argv();
    let hosts = check.hosts();
    check.number();
    check.bytes();
    check.exactly();
    CompiledRule {
        by_id,
        role: matches.role.clone(),
        paths,
        matches: matches.clone(),
        hosts,
        decision: rule.decision,
        priority: rule.priority,
        obligations: Obligations::of(&rule.obligations),
        reason: rule.reason.clone().map(Label::from),
        label: match &rule.place {
            Some(place) => format!("{}:{}", place.file, place.line).into(),
            None => format!("rule {}", index + 1).into(),
        },
        tools,
    }
}

/// A rule on tools that its own layer hides, or for a role its layer is not for, can never match.
fn check_reach(
    layer: &CompiledLayer,
    rule: &Rule,
    built: &CompiledRule,
    errors: &mut Vec<LoadError>,
) {
    let hidden = !built.tools.is_empty() && built.tools.iter().all(|tool| !layer.shows(tool));
    let foreign =
        layer.level == Level::Role && built.role.as_ref().is_some_and(|role| *role != layer.name);
    if hidden || foreign {
        let why = if hidden {
            "its own layer hides every tool it is about"
        } else {
            "its layer is for another role"
        };
        errors.push(LoadError::new(
            rule.place.as_ref(),
            format!("the rule can never match: {why}"),
        ));
    }
}

struct RuleCheck<'a> {
    catalogue: &'a Catalogue,
    rule: &'a Rule,
    tools: &'a ToolSet,
    errors: &'a mut Vec<LoadError>,
}

impl RuleCheck<'_> {
    fn report(&mut self, message: impl std::fmt::Display) {
        self.errors
            .push(LoadError::new(self.rule.place.as_ref(), message));
    }

    fn never(&mut self, why: &str) {
        self.report(format!("the rule can never match: {why}"));
    }

    fn any_tool(&self, test: impl Fn(&Spec) -> bool) -> bool {
        self.tools
            .iter()
            .any(|tool| test(self.catalogue.tool(tool).spec()))
    }

    fn tools_given(&mut self, known: bool) {
        if self.rule.matches.tools.is_empty() {
            self.report("a rule names its tools; `group:all` is every tool");
        } else if self.tools.is_empty() && known && !self.lost() {
            self.never("no tool is selected");
        }
    }

    /// Whether it is about a plugin that could not be read.
    fn lost(&self) -> bool {
        let mut tools = self.rule.matches.tools.iter();
        tools.any(|selector| self.catalogue.is_lost(&selector.text))
    }

    fn role(&mut self, roles: &[&str]) {
        if let Some(role) = &self.rule.matches.role
            && !roles.contains(&role.as_str())
        {
            let error = LoadError::new(self.rule.place.as_ref(), format!("no role named `{role}`"));
            self.errors.push(error.nearest(role, roles.iter().copied()));
        }
    }

    fn paths(&mut self) -> Option<PathCondition> {
        let matches = &self.rule.matches;
        if matches.path_under.is_none() && matches.path_glob.is_none() {
            return None;
        }
        let read = PathCondition {
            under: matches.path_under.as_ref().map(|roots| self.roots(roots)),
            globs: matches.path_glob.as_ref().map(|globs| self.globs(globs)),
        };
        let lets_through = self.rule.decision == Verdict::Allow;
        let catalogue = self.catalogue;
        let has_paths = self.any_tool(has_paths)
            || !lets_through && self.tools.iter().any(|tool| takes_files(catalogue, tool));
        if !self.tools.is_empty() && !has_paths {
            self.never("no tool it is about uses paths");
        }
        Some(read)
    }

    fn roots(&mut self, roots: &[String]) -> Vec<Vec<String>> {
        if roots.is_empty() {
            self.never("`path.under` lists no path");
        }
        let mut read = Vec::new();
        for root in roots {
            match components(root) {
                Some(_) if root.contains(['*', '?']) => {
                    let message = format!(
                        "the rule can never match: `path.under` names folders, and `{root}` is a pattern"
                    );
                    let error = LoadError::new(self.rule.place.as_ref(), message);
                    let glob = root.trim_start_matches("**/");
                    self.errors
                        .push(error.hint(format!("write `path = {{ glob = \"**/{glob}\" }}`")));
                }
                Some(root) => read.push(root),
                None => self.report(format!(
                    "expected a path inside the workspace, relative to its root, found `{root}`"
                )),
            }
        }
        read
    }

    fn globs(&mut self, globs: &[String]) -> Vec<PathPattern> {
        if globs.is_empty() {
            self.never("`path.glob` lists no pattern");
        }
        let mut read = Vec::new();
        for glob in globs {
            match PathPattern::parse(glob) {
                Ok(pattern) => read.push(pattern),
                Err(wrong) => {
                    let message = format!("`path.glob` cannot be `{glob}`");
                    let error = LoadError::new(self.rule.place.as_ref(), message);
                    self.errors.push(error.hint(wrong));
                }
            }
        }
        read
    }

    /// Arguments that no tool has, effects that none can have, and digests that no call can have.
    fn exactly(&mut self) {
        let matches = &self.rule.matches;
        for (argument, _) in matches.args.iter().flatten() {
            self.argument(argument);
        }
        if matches.effects.as_ref().is_some_and(Vec::is_empty)
            && self.rule.decision != Verdict::Allow
        {
            self.never("`effects` lists no effect");
        }
        let hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        if let Some(call) = &matches.call
            && (call.len() != 64 || !call.bytes().all(hex))
        {
            self.report("`call` is the digest of all arguments: 64 hex digits");
        }
    }

    fn argument(&mut self, argument: &str) {
        let known: Vec<String> = self
            .tools
            .iter()
            .flat_map(|tool| properties(self.catalogue, tool))
            .collect();
        if !self.tools.is_empty() && !known.iter().any(|name| name == argument) {
            let message = format!("no tool it is about has an argument `{argument}`");
            let error = LoadError::new(self.rule.place.as_ref(), message);
            self.errors
                .push(error.nearest(argument, known.iter().map(String::as_str)));
        }
    }

    fn argv(&mut self) {
        let Some(prefix) = &self.rule.matches.argv_prefix else {
            return;
        };
        if prefix.first().is_some_and(|program| program.contains('*')) {
            self.never(
                "`argv.prefix` lists words as they are, and no program has a `*` in its name",
            );
        }
        if prefix.is_empty() {
            self.report("`argv.prefix` lists no word; leave it out to match every program");
        }
        if !self.tools.is_empty() && !self.any_tool(|spec| has_syntax(spec, Syntax::Shell)) {
            self.never("no tool it is about runs programs");
        }
    }

    fn hosts(&mut self) -> Option<Vec<String>> {
        let hosts = self.rule.matches.url_host.as_ref()?;
        if hosts.is_empty() {
            self.never("`url.host` lists no host");
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
        let reaches = |spec: &Spec| {
            has_syntax(spec, Syntax::Url)
                || spec
                    .resources
                    .iter()
                    .any(|template| template.kind == ResourceKind::Host)
                || spec.permissions.contains(&Permission::Network)
                || spec.capabilities.contains(&Capability::Http)
        };
        if !self.tools.is_empty() && !self.any_tool(reaches) {
            self.never("no tool it is about reaches a host");
        }
        Some(
            hosts
                .iter()
                .map(|host| host.trim_end_matches('.').to_lowercase())
                .collect(),
        )
    }

    fn number(&mut self) {
        let Some(range) = &self.rule.matches.number else {
            return;
        };
        self.range(range, "number");
        if let Some(argument) = &range.argument {
            self.argument(argument);
        }
    }

    fn bytes(&mut self) {
        if let Some(range) = &self.rule.matches.bytes {
            self.range(range, "bytes");
            if range.max.is_some_and(|max| max < 0.0) {
                self.never("a size is never negative");
            }
        }
    }

    fn range(&mut self, range: &Range, what: &str) {
        match (range.min, range.max) {
            (None, None) => self.report(format!("`{what}` needs `min`, `max` or both")),
            (Some(min), Some(max)) if min > max => {
                self.never(&format!("`{what}.min` is greater than `{what}.max`"))
            }
            _ => {}
        }
    }
}

fn has_syntax(spec: &Spec, wanted: Syntax) -> bool {
    spec.syntax.iter().any(|(_, syntax)| *syntax == wanted)
}

fn has_paths(spec: &Spec) -> bool {
    has_syntax(spec, Syntax::Path)
        || has_syntax(spec, Syntax::Tree)
        || spec
            .resources
            .iter()
            .any(|template| template.kind == ResourceKind::Path)
        || spec.permissions.contains(&Permission::Filesystem)
        || spec
            .capabilities
            .iter()
            .any(|capability| matches!(capability, Capability::FilesRead | Capability::FilesWrite))
}

fn properties(catalogue: &Catalogue, tool: usize) -> Vec<String> {
    let schema = catalogue.tool(tool).input_schema();
    let properties = schema
        .get("properties")
        .and_then(|properties| properties.as_object());
    properties
        .map(|properties| properties.keys().cloned().collect())
        .unwrap_or_default()
}

fn takes_files(catalogue: &Catalogue, tool: usize) -> bool {
    catalogue
        .tool(tool)
        .input_schema()
        .to_string()
        .contains("\"$file\"")
}
