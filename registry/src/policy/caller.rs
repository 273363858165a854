//! What one caller sees, and the decision on one call.

use tool_core::capability::Files;
use tool_core::{AnyTool, Call};

use super::{CallFacts, Caller, Decision, FILE_READER, Selected, ToolSet, decide, runtime};
use crate::catalogue::Catalogue;

impl Caller<'_> {
    /// The caller's role.
    pub fn role(&self) -> &str {
        &self.role
    }

    /// What it starts from, and where each part of that was said.
    pub fn selected(&self) -> &Selected {
        &self.selected
    }

    /// The tools this caller may see, in the order of its selection.
    pub fn listed(&self) -> impl Iterator<Item = usize> {
        let order = &self.selected.tools.value.order;
        order
            .iter()
            .copied()
            .filter(|tool| self.visible.contains(*tool))
    }

    /// Whether only facts hide a tool: it would be visible if its preconditions held.
    pub fn lacks_facts(&self, tool: usize) -> bool {
        self.unmet.contains(tool)
            && self.selected.tools.value.set.contains(tool)
            && self.layers.iter().all(|layer| layer.shows(tool))
    }

    /// The fact that a tool lacks where only facts hide it, and what would make it hold.
    pub fn lacked_fact(
        &self,
        catalogue: &Catalogue,
        tool: usize,
    ) -> Option<(&'static str, &'static str)> {
        let needs = runtime::needs(catalogue.tool(tool).spec());
        let lacked = needs.into_iter().find(|fact| !self.facts.holds(fact))?;
        let only_that = self.lacks_facts(tool);
        only_that.then(|| (lacked, runtime::cure(lacked, &self.facts)))
    }

    /// The tools this caller may see.
    pub fn visible(&self) -> &ToolSet {
        &self.visible
    }

    /// Why a tool is hidden; `None` when it is not.
    pub fn hidden(&self, catalogue: &Catalogue, tool: usize) -> Option<Decision> {
        if self.visible.contains(tool) {
            return None;
        }
        let spec = catalogue.tool(tool).spec();
        let denied = self.layers.iter().find(|layer| layer.deny.contains(tool));
        if let Some(layer) = denied {
            return Some(Decision::denied(
                layer.title.clone(),
                format!("denied by layer {}", layer.title),
            ));
        }
        let selected = &self.selected.tools;
        if !selected.value.set.contains(tool) {
            let from = &selected.from;
            let reason = match from.split(' ').next() {
                Some("role") => "the role does not list it".to_owned(),
                _ => format!("{from} does not list it"),
            };
            return Some(Decision::denied(from.clone(), reason));
        }
        if let Some(layer) = self.layers.iter().find(|layer| !layer.shows(tool)) {
            return Some(Decision::denied(
                layer.title.clone(),
                format!("layer {} does not list it", layer.title),
            ));
        }
        let unmet = runtime::needs(spec)
            .into_iter()
            .find(|fact| !self.facts.holds(fact))
            .unwrap_or_default();
        Some(Decision::denied(
            "preconditions".to_owned(),
            format!(
                "it needs `{unmet}`, which does not hold: {}",
                runtime::cure(unmet, &self.facts)
            ),
        ))
    }

    /// Whether a call may run now; without a call, the strictest that could come.
    ///
    /// A file that the arguments refer to needs [`FILE_READER`] to be allowed on that path, by the same rules.
    pub fn decide(
        &self,
        catalogue: &Catalogue,
        tool: usize,
        call: Option<&CallFacts<'_>>,
        files: Option<&dyn Files>,
    ) -> Decision {
        if let Some(decision) = self.hidden(catalogue, tool) {
            return decision;
        }
        let spec = catalogue.tool(tool).spec();
        let mut decision = decide::decide(
            (tool, spec),
            &self.role,
            &self.layers,
            self.permissions,
            call,
        );
        for file in call.iter().flat_map(|call| &call.files) {
            let reading = self.decide_reading(catalogue, &file.written, files);
            if reading.verdict > decision.verdict {
                decision = Decision {
                    reason: format!(
                        "`{{\"$file\": \"{}\"}}` needs `{FILE_READER}`: {}",
                        file.written, reading.reason
                    ),
                    obligations: decision.obligations,
                    ..reading
                };
            }
        }
        decision
    }

    /// The decision on reading one file.
    fn decide_reading(
        &self,
        catalogue: &Catalogue,
        path: &str,
        files: Option<&dyn Files>,
    ) -> Decision {
        let Some(reader) = catalogue.index(FILE_READER) else {
            return Decision::denied("defaults".to_owned(), "there is no such tool".to_owned());
        };
        let tool = catalogue.tool(reader);
        let arguments = tool_core::Value::object([("path", path)]);
        match tool.decode(&arguments) {
            Ok(call) => self.decide_call(catalogue, reader, tool, call.as_ref(), files),
            Err(err) => Decision::denied("defaults".to_owned(), err.message().to_owned()),
        }
    }

    fn decide_call(
        &self,
        catalogue: &Catalogue,
        index: usize,
        tool: &dyn AnyTool,
        call: &dyn Call,
        files: Option<&dyn Files>,
    ) -> Decision {
        let mut facts = CallFacts::of(tool, call, files);
        facts.files.clear(); // the reader itself takes a path, never a reference
        self.decide(catalogue, index, Some(&facts), files)
    }
}
