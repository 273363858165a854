//! From layers as written to sets of bits; everything that is wrong is reported at once.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use tool_core::{Effect, Permission, Spec};

use super::condition::{self, RuleCondition};
use super::limit::CompiledLimit;
use super::outside::{HandedLimits, names_handed};
use super::selector;
use super::set::ToolSet;
use super::text::PolicyLabel;
use crate::catalogue::Catalogue;
use crate::error::{LoadError, TextPlace};
use crate::model::{
    CliSpec, JoinedObligations, Level, PolicyLayer, PolicyRule, RuleMatch, ToolSelector, Toolset,
    Verdict, WorkspaceRoots,
};

/// Resolves names against one catalogue; errors are collected.
pub(crate) struct PolicyCompiler<'a> {
    pub(super) catalogue: &'a Catalogue,
    pub(super) roles: Vec<&'a str>,
    pub(super) toolsets: &'a [Toolset],
    /// Agent command lines of the configuration, whose own tools are names too.
    pub(super) clis: &'a [CliSpec],
    /// The roots that paths of rules are read by.
    pub(super) roots: WorkspaceRoots,
    pub(crate) errors: Vec<LoadError>,
    /// What selectors select, by their texts: roles name the same ones.
    resolved: RefCell<HashMap<String, ToolSet>>,
}

/// A layer against one catalogue.
#[derive(Debug, Clone)]
pub struct CompiledLayer {
    pub(super) title: PolicyLabel,
    pub(super) level: Level,
    pub(super) name: String,
    pub(super) place: Option<TextPlace>,
    /// Changed by [`CompiledLayer::narrow`] only.
    pub(super) allow: Option<ToolSet>,
    pub(super) deny: ToolSet,
    /// What these two leave.
    shown: ToolSet,
    pub(super) without: Vec<Effect>,
    pub(super) handed: HandedLimits,
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

    /// Those about a tool, whatever the role.
    pub(super) fn naming(&self, tool: usize) -> impl Iterator<Item = &CompiledRule> {
        let rules = self.about(tool).iter();
        rules.filter(move |rule| rule.tools.contains(tool))
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
    /// The conditions as written.
    pub(super) matches: RuleMatch,
    /// The conditions on arguments, compiled.
    pub(super) conditions: Vec<RuleCondition>,
    pub(super) decision: Verdict,
    pub(super) priority: i64,
    pub(super) obligations: JoinedObligations,
    pub(super) limit: Option<Arc<CompiledLimit>>,
    pub(super) reason: Option<PolicyLabel>,
    /// `mathchain.toml:14`, or `rule 1`.
    pub(super) label: PolicyLabel,
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

impl<'a> PolicyCompiler<'a> {
    /// For names of roles and toolsets among these.
    pub(crate) fn new(
        catalogue: &'a Catalogue,
        roles: Vec<&'a str>,
        toolsets: &'a [Toolset],
    ) -> Self {
        Self {
            catalogue,
            roles,
            toolsets,
            clis: &[],
            roots: WorkspaceRoots::default(),
            errors: Vec::new(),
            resolved: RefCell::default(),
        }
    }

    /// The tools that a selector selects, found once.
    ///
    /// # Errors
    /// As [`selector::resolve_selector`].
    pub(super) fn resolve(&self, selector: &ToolSelector) -> Result<ToolSet, LoadError> {
        if let Some(known) = self.resolved.borrow().get(&selector.text) {
            return Ok(known.clone());
        }
        let tools = selector::resolve_selector(selector, self.catalogue)?;
        let mut resolved = self.resolved.borrow_mut();
        resolved.insert(selector.text.clone(), tools.clone());
        Ok(tools)
    }

    /// Knows the tools of these agent command lines too.
    #[must_use]
    pub(crate) fn with_clis(mut self, clis: &'a [CliSpec]) -> Self {
        self.clis = clis;
        self
    }

    /// Reads paths of rules by these roots.
    #[must_use]
    pub(super) fn in_roots(mut self, roots: &WorkspaceRoots) -> Self {
        self.roots.clone_from(roots);
        self
    }

    /// Resolves the names of a layer.
    pub(crate) fn layer(&mut self, layer: &PolicyLayer) -> CompiledLayer {
        let catalogue = self.catalogue;
        let allow = layer.allow.as_ref().map(|list| self.tools(list));
        let before = self.errors.len();
        let mut deny = self.tools(&layer.deny);
        // Where nothing is near, the name is often that of another system's tool.
        let unknown = self.errors[before..].iter_mut();
        for error in unknown.filter(|error| error.message.starts_with("no tool named")) {
            let hint = || "what is no tool cannot be called: remove the name".to_owned();
            error.hint.get_or_insert_with(hint);
        }
        deny.unite(&ToolSet::of(catalogue.len(), |tool| {
            let spec = catalogue.tool(tool).spec();
            (layer.without.iter()).any(|effect| selector::always_has(*effect, spec))
        }));
        let mut shown = allow
            .clone()
            .unwrap_or_else(|| ToolSet::all(catalogue.len()));
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
            handed: HandedLimits {
                allow: layer.allow.as_deref().map(selector_texts),
                deny: selector_texts(&layer.deny),
            },
            rules: CompiledRules {
                list: Vec::new(),
                tools: ToolSet::none(catalogue.len()),
            },
        };
        for (index, rule) in layer.rules.iter().enumerate() {
            let before = self.errors.len();
            let built = self.rule(rule, index, compiled.counter_names());
            if self.errors.len() == before {
                self.errors.extend(out_of_reach(&compiled, rule, &built));
            }
            if layer.untrusted && rule.decision == Verdict::Allow {
                compiled.rules.push(built.asking(catalogue));
                compiled.rules.push(built.of_harmless(catalogue));
            } else {
                compiled.rules.push(built);
            }
        }
        compiled
    }

    /// The union of what several selectors select.
    pub(crate) fn tools(&mut self, list: &[ToolSelector]) -> ToolSet {
        let mut set = ToolSet::none(self.catalogue.len());
        for selector in list {
            match self.resolve(selector) {
                Ok(tools) => set.unite(&tools),
                Err(_) if names_handed(selector, self.catalogue, self.clis) => {}
                Err(error) => self.errors.push(error),
            }
        }
        set
    }

    fn rule(&mut self, rule: &PolicyRule, index: usize, counter: (&str, &str)) -> CompiledRule {
        let catalogue = self.catalogue;
        let matches = &rule.matches;
        let before = self.errors.len();
        let tools = self.tools(&matches.tools);
        let known = self.errors.len() == before;
        let mut by_id = ToolSet::none(catalogue.len());
        let named = matches.tools.iter();
        let named = named.filter_map(|one| selector::named_tool(one, catalogue));
        named.for_each(|tool| by_id.insert(tool));
        let lost = |selector: &ToolSelector| {
            catalogue.is_lost(&selector.text) || names_handed(selector, catalogue, self.clis)
        };
        if matches.tools.is_empty() {
            let message = "a rule names its tools; `group:all` is every tool";
            self.errors.push(rule.error(message));
        } else if tools.is_empty() && known && !matches.tools.iter().any(lost) {
            let message = "the rule can never match: no tool is selected";
            self.errors.push(rule.error(message));
        }
        if let Some(role) = &matches.role
            && !self.roles.contains(&role.as_str())
        {
            let error = rule.error(format_args!("no role named `{role}`"));
            let roles = self.roles.iter().copied();
            self.errors.push(error.nearest(role, roles));
        }
        CompiledRule {
            by_id,
            role: matches.role.clone(),
            conditions: condition::compile_conditions(self, rule, &tools),
            matches: matches.clone(),
            decision: rule.decision,
            priority: rule.priority,
            obligations: JoinedObligations::of(&rule.obligations),
            limit: condition::compile_limit(self, rule, &tools)
                .map(|limit| Arc::new(CompiledLimit::of(counter, rule, limit))),
            reason: rule.reason.clone().map(PolicyLabel::from),
            label: match &rule.place {
                Some(place) => format!("{}:{}", place.file, place.line).into(),
                None => format!("rule {}", index + 1).into(),
            },
            tools,
        }
    }
}

impl CompiledRule {
    /// The rule as one that asks, for the tools that reach or change something.
    fn asking(&self, catalogue: &Catalogue) -> Self {
        let mut asking = self.clone();
        asking.keep(|tool| !is_harmless(catalogue.tool(tool).spec()));
        asking.decision = Verdict::Ask;
        asking.reason = Some(PolicyLabel::from(UNTRUSTED.to_owned()));
        asking
    }

    /// The rule for the tools that need no permission.
    fn of_harmless(mut self, catalogue: &Catalogue) -> Self {
        self.keep(|tool| is_harmless(catalogue.tool(tool).spec()));
        self
    }

    fn keep(&mut self, test: impl Fn(usize) -> bool) {
        let kept = ToolSet::of(self.tools.universe(), test);
        self.tools.intersect(&kept);
        self.by_id.intersect(&kept);
    }
}

/// The reason of a rule that would allow.
const UNTRUSTED: &str =
    "a rule of this folder allows it, and counts once you agree to it with `mathchain trust`";

/// Whether a tool changes and reaches nothing, so that a rule about it gives nothing.
pub fn is_harmless(spec: &Spec) -> bool {
    spec.effects.is_empty()
        && !spec.destructive
        && !spec.human_gate
        && !spec.permissions.contains(&Permission::Network)
}

/// Selectors as written.
pub(super) fn selector_texts(list: &[ToolSelector]) -> Vec<String> {
    list.iter().map(|selector| selector.text.clone()).collect()
}

/// The error of a rule on tools that its own layer hides, or for a role its layer is not for: it can never match.
fn out_of_reach(
    layer: &CompiledLayer,
    rule: &PolicyRule,
    built: &CompiledRule,
) -> Option<LoadError> {
    let hidden = !built.tools.is_empty() && built.tools.iter().all(|tool| !layer.shows(tool));
    let foreign =
        layer.level == Level::Role && built.role.as_ref().is_some_and(|role| *role != layer.name);
    let why = match (hidden, foreign) {
        (true, _) => "its own layer hides every tool it is about",
        (_, true) => "its layer is for another role",
        _ => return None,
    };
    Some(rule.error(format_args!("the rule can never match: {why}")))
}
