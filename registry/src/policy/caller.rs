//! What one caller sees, and the decision on one call.

use tool_core::capability::WorkspaceFiles;
use tool_core::file_pattern::{is_file_pattern, matching_files};
use tool_core::{StopFlag, Value};

use super::{
    CallFacts, CallerBaseline, CallerPolicy, CompiledLayer, CompiledRule, DecisionReason,
    FILE_READER, PolicyDecision, PolicyLabel, ToolSet, decide, effective_tools, runtime,
};
use crate::catalogue::Catalogue;
use crate::model::Level;

impl CallerPolicy<'_> {
    /// The caller's role.
    pub fn role(&self) -> &str {
        self.start.role
    }

    /// What it starts from, and where each part of that was said.
    pub fn selected(&self) -> CallerBaseline {
        self.start.selected()
    }

    /// The description of a tool for this caller's model; `None` for the tool's own.
    pub fn description(&self, tool: usize) -> Option<&str> {
        self.start.description(tool)
    }

    /// Whether neither phase nor agent nor toolset says which tools, permission and turns it has: then those of its role hold here, and in
    /// an agent command line its profile alone, as it is written.
    pub fn has_no_selection(&self) -> bool {
        self.start.says_nothing()
    }

    /// Maximum number of turns of a run: what a level says, and in a phase the default; `None` for no limit.
    pub fn turns_of_run(&self) -> Option<u64> {
        let turns = u64::from(self.start.turns_of_run()?);
        (turns > 0).then_some(turns)
    }

    /// Every layer that holds for it.
    pub(super) fn layers(&self) -> impl Iterator<Item = &CompiledLayer> + Clone {
        self.layers.iter().copied().chain(&self.of_call)
    }

    /// The tools this caller may see, in the order of its selection.
    pub fn listed(&self) -> impl Iterator<Item = usize> {
        let (order, visible) = (&self.start.tools().order, self.visible());
        let order = order.iter().copied();
        order.filter(|tool| visible.contains(*tool))
    }

    /// Whether only facts hide a tool: it would be visible if its preconditions held.
    pub fn lacks_facts(&self, tool: usize) -> bool {
        self.lacks(tool).is_some() && self.shows(tool)
    }

    /// The fact that a tool lacks where only facts hide it, and what would make it hold.
    pub fn lacked_fact(
        &self,
        catalogue: &Catalogue,
        tool: usize,
    ) -> Option<(&'static str, &'static str)> {
        let needs = runtime::runtime_needs(catalogue.tool(tool).spec());
        let lacked = needs.into_iter().find(|fact| !self.facts.holds(fact))?;
        let only_that = self.lacks_facts(tool);
        only_that.then(|| (lacked, runtime::cure_for_fact(lacked, &self.facts)))
    }

    /// The tools this caller may see.
    pub fn visible(&self) -> &ToolSet {
        self.visible.get_or_init(|| {
            let listed = self.start.listed();
            let mut unmet = ToolSet::none(listed.universe());
            for (fact, tools) in &self.policy.preconditions {
                if !self.facts.holds(fact) {
                    unmet.unite(tools);
                }
            }
            effective_tools(listed, self.layers(), &unmet)
        })
    }

    /// Whether the configuration lets the agent through the human gate of a tool; a delegate has no grants.
    pub fn has_grant(&self, tool: usize) -> bool {
        let grants = self
            .start
            .agent
            .and_then(|agent| self.policy.gates.get(agent));
        grants.is_some_and(|tools| tools.contains(tool))
            && self
                .of_call
                .iter()
                .all(|layer| layer.level != Level::Delegation)
    }

    /// Whether a rule limits calls of a tool, so that only those made here may be let through.
    pub fn is_limited(&self, tool: usize) -> bool {
        self.limiting(tool).next().is_some()
    }

    /// Whether a rule limits calls of a tool, and would not hold for an agent that the caller starts as another role.
    pub(crate) fn is_limited_alone(&self, tool: usize) -> bool {
        let own = [Level::Role, Level::Agent, Level::Phase];
        self.limiting(tool)
            .any(|(layer, rule)| own.contains(&layer.level) || rule.role.is_some())
    }

    fn limiting(&self, tool: usize) -> impl Iterator<Item = (&CompiledLayer, &CompiledRule)> {
        let rules = self
            .layers()
            .flat_map(move |layer| layer.rules.naming(tool).map(move |rule| (layer, rule)));
        rules.filter(move |(_, rule)| rule.limit.is_some() && rule.is_about(tool, self.role()))
    }

    /// Whether it may see one tool: what [`CallerPolicy::visible`] says, without joining the others.
    pub(super) fn sees(&self, tool: usize) -> bool {
        self.shows(tool) && self.lacks(tool).is_none()
    }

    /// Whether it starts from a tool and every layer leaves it there.
    fn shows(&self, tool: usize) -> bool {
        self.start.listed().contains(tool) && self.layers().all(|layer| layer.shows(tool))
    }

    /// A fact that a tool needs and that does not hold.
    pub(super) fn lacks(&self, tool: usize) -> Option<&'static str> {
        let mut needed = self.policy.preconditions.iter();
        let unmet = needed.find(|(fact, tools)| tools.contains(tool) && !self.facts.holds(fact));
        unmet.map(|(fact, _)| *fact)
    }

    /// Why a tool is hidden; `None` when it is not.
    pub fn hidden(&self, catalogue: &Catalogue, tool: usize) -> Option<PolicyDecision> {
        if self.sees(tool) {
            return None;
        }
        if let Some(layer) = self.layers().find(|layer| layer.deny.contains(tool)) {
            let title = &layer.title;
            let reason = DecisionReason::about("denied by layer ", title.clone(), "");
            return Some(PolicyDecision::denied(title.clone(), reason));
        }
        if self.start.takes_away(tool) {
            let reason = DecisionReason::from(
                "a profile, or an override of its session or run, disables it",
            );
            return Some(PolicyDecision::denied("overrides", reason));
        }
        if !self.start.listed().contains(tool) {
            let from = PolicyLabel::from(self.start.origin().0);
            let reason = match from.split(' ').next() {
                Some("role") => DecisionReason::from("the role does not list it"),
                _ => DecisionReason::about("", from.clone(), " does not list it"),
            };
            return Some(PolicyDecision::denied(from, reason));
        }
        if let Some(layer) = self.layers().find(|layer| !layer.shows(tool)) {
            let title = &layer.title;
            let reason = DecisionReason::about("layer ", title.clone(), " does not list it");
            return Some(PolicyDecision::denied(title.clone(), reason));
        }
        // In the order in which the tool names them.
        let unmet = runtime::runtime_needs(catalogue.tool(tool).spec())
            .into_iter()
            .find(|fact| !self.facts.holds(fact))
            .unwrap_or_default();
        let cure = runtime::cure_for_fact(unmet, &self.facts);
        Some(PolicyDecision::denied(
            "preconditions",
            format!("it needs `{unmet}`, which does not hold: {cure}"),
        ))
    }

    /// As [`CallerPolicy::decide`] without a call, where a program of another does the work of the tool: what a call of its own destroys is not
    /// seen, so that the permission of the phase grants that too.
    pub fn decide_elsewhere(&self, catalogue: &Catalogue, tool: usize) -> PolicyDecision {
        self.decide_on(catalogue, tool, None, true)
    }

    fn decide_on(
        &self,
        catalogue: &Catalogue,
        tool: usize,
        call: Option<&CallFacts<'_>>,
        elsewhere: bool,
    ) -> PolicyDecision {
        if let Some(decision) = self.hidden(catalogue, tool) {
            return decision;
        }
        let ground = decide::DefaultGround {
            defaults: &self.policy.defaults,
            permission: (self.policy.granted(self.start.permission())).max(self.permission),
            elsewhere,
            has_grant: self.has_grant(tool),
        };
        let spec = catalogue.tool(tool).spec();
        decide::decide_call((tool, spec), self.role(), self.layers(), ground, call)
    }

    /// Whether a call may run now; without a call, the strictest that could come.
    ///
    /// A file that the arguments refer to, or whose contents the tool answers, needs [`FILE_READER`] to be allowed on that path, by the
    /// same rules.
    pub fn decide(
        &self,
        catalogue: &Catalogue,
        tool: usize,
        call: Option<&CallFacts<'_>>,
        files: Option<&dyn WorkspaceFiles>,
    ) -> PolicyDecision {
        let mut decision = self.decide_on(catalogue, tool, call, false);
        if call.is_none() && !catalogue.tool(tool).spec().reads.is_empty() {
            decision = decision.stricter(self.decide_reading_one(catalogue, None, files));
        }
        for file in call.iter().flat_map(|call| &call.files) {
            let path = (!file.is_open()).then_some(file.written.as_str());
            let reading = self.decide_reading_one(catalogue, path, files);
            decision = decision.stricter(reading);
        }
        decision
    }

    /// The decision on reading one file for a call, or each of several by a pattern; without a path the strictest that could come.
    pub(crate) fn decide_reading(
        &self,
        catalogue: &Catalogue,
        path: Option<&str>,
        files: Option<&dyn WorkspaceFiles>,
    ) -> PolicyDecision {
        let Some(pattern) = path.filter(|path| is_file_pattern(path)) else {
            return self.decide_reading_one(catalogue, path, files);
        };
        let found =
            files.and_then(|files| matching_files(files, pattern, &StopFlag::default()).ok());
        let Some(found) = found else {
            return self.decide_reading_one(catalogue, None, files);
        };
        let literal = self.decide_reading_one(catalogue, path, files);
        found.iter().fold(literal, |decision, path| {
            decision.stricter(self.decide_reading_one(catalogue, Some(path), files))
        })
    }

    fn decide_reading_one(
        &self,
        catalogue: &Catalogue,
        path: Option<&str>,
        files: Option<&dyn WorkspaceFiles>,
    ) -> PolicyDecision {
        let Some(reader) = catalogue.index(FILE_READER) else {
            return PolicyDecision::denied("defaults", "there is no such tool");
        };
        let tool = catalogue.tool(reader);
        let decision = match path.map(|path| tool.decode(&Value::object([("path", path)]))) {
            None => self.decide(catalogue, reader, None, files),
            Some(Ok(call)) => {
                let mut facts = CallFacts::of(tool, call.as_ref(), files);
                facts.files.clear(); // the reader itself takes a path, never a reference
                self.decide(catalogue, reader, Some(&facts), files)
            }
            Some(Err(err)) => PolicyDecision::denied("defaults", err.message().to_owned()),
        };
        let path = path.unwrap_or("...");
        let reason = format!(
            "reading `{path}` needs `{FILE_READER}`: {}",
            decision.reason
        );
        PolicyDecision {
            reason: DecisionReason::from(reason),
            ..decision
        }
    }
}
