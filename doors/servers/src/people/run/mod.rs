//! [`RunModel`]: the steps of a run, from its plan and its records; `graph` places them in a picture.

pub(crate) mod graph;

use std::collections::{BTreeMap, HashMap};

use chain_runtime::Plan;
use chain_runtime::run as chains;
use journal::{Approval, RunRecord, RunState, StateStore, StoredEnd};
use tool_core::{Result, Value};

/// Suffix of the id under which records name the call that undoes a step.
const UNDO: &str = chain_runtime::plan::COMPENSATE_SUFFIX;
/// Units of the axis of time.
const AXIS: u64 = 1000;
/// Items of a map whose ends are held.
const ENDS_MAX: usize = 50;

/// A run in steps.
#[derive(Default)]
pub(crate) struct RunModel {
    pub(crate) steps: Vec<StepRow>,
    /// The step at which it failed.
    pub(crate) failed_step: Option<String>,
    /// What moving its calls to other nodes cost, as its record has it.
    pub(crate) tickets: Option<Value>,
    /// Calls that began and whose end is unknown.
    pub(crate) unknown_calls: Vec<String>,
    /// First and last moment of any call, in milliseconds of Unix time.
    first_ms: u64,
    last_ms: u64,
}

/// A step.
#[derive(Default)]
pub(crate) struct StepRow {
    pub(crate) id: String,
    pub(crate) tool: String,
    pub(crate) state: String,
    pub(crate) attempts: u64,
    /// Time of its calls together.
    pub(crate) elapsed_ms: Option<f64>,
    begun_ms: Option<u64>,
    ended_ms: Option<u64>,
    pub(crate) is_map: bool,
    items_done: usize,
    items_failed: usize,
    /// Number of its calls by the node that computed them, where an engine did.
    pub(crate) nodes: BTreeMap<String, usize>,
    /// Calls that were computed here although an engine was wanted.
    pub(crate) fallen_back: usize,
    /// Positions of the steps before it.
    pub(crate) before: Vec<usize>,
    /// Longest way to it, in steps.
    pub(crate) wave: usize,
    /// As written in the plan.
    pub(crate) written: Value,
    /// Ends of its calls, by the item.
    pub(crate) ends: Vec<(Option<i64>, StoredEnd)>,
    /// Records of its calls, with what was decided about each.
    pub(crate) calls: Vec<Value>,
    /// Digests of the results of its calls, by the item.
    pub(crate) results: BTreeMap<Option<i64>, String>,
}

impl StepRow {
    /// Whether it is of a choice of states.
    pub(crate) fn is_of_kind(&self, kind: &str) -> bool {
        match kind {
            "failed" => matches!(self.state.as_str(), "failed" | "denied" | "cancelled"),
            "waiting" => matches!(
                self.state.as_str(),
                "pending_approval" | "needs_decision" | "running" | "not_run"
            ),
            "done" => self.state == "done",
            _ => true,
        }
    }

    /// Where its calls were computed, where an engine was wanted.
    pub(crate) fn nodes_words(&self) -> Option<String> {
        /// Nodes that are named.
        const SHOWN: usize = 3;
        let mut words: Vec<String> = (self.nodes.iter().take(SHOWN))
            .map(|(node, count)| match self.is_map {
                true => format!("{node} ({count})"),
                false => node.clone(),
            })
            .collect();
        if let Some(more @ 1..) = self.nodes.len().checked_sub(SHOWN) {
            words.push(format!("{more} more"));
        }
        if self.fallen_back > 0 {
            words.push(format!("here ({})", self.fallen_back));
        }
        (!words.is_empty()).then(|| words.join(", "))
    }

    /// How many items of a map ended how.
    pub(crate) fn items_words(&self) -> Option<String> {
        self.is_map.then(|| match self.items_failed {
            0 => format!("{} items", self.items_done),
            failed => format!("{} items, {failed} failed", self.items_done + failed),
        })
    }
}

impl RunModel {
    /// Reads plan and records of a run.
    ///
    /// # Errors
    /// Records that cannot be read.
    pub(crate) fn read(state: &StateStore, run: &RunRecord) -> Result<Self> {
        let mut model = Self::default();
        // After its values were deleted, a run has records alone.
        if let Ok((plan, _)) = chains::load_recorded_plan(state, &run.id) {
            let written = state.value(&run.plan).unwrap_or_default();
            model.note_plan(&plan, &written);
        }
        let mut places: HashMap<String, usize> = HashMap::new();
        for (place, step) in model.steps.iter().enumerate() {
            places.insert(step.id.clone(), place);
        }
        let mut begun: BTreeMap<String, bool> = BTreeMap::new();
        for record in state.run_records(&run.id)? {
            let record = state.with_lists(&record);
            model.note_record(&record, &mut places, &mut begun);
        }
        for step in &mut model.steps {
            step.conclude(run);
        }
        if run.state == RunState::NeedsDecision {
            let open = begun.into_iter().filter(|(_, has_ended)| !has_ended);
            model.unknown_calls = open.map(|(call, _)| call).collect();
        }
        Ok(model)
    }

    fn note_plan(&mut self, plan: &Plan, written: &Value) {
        let places: HashMap<&str, usize> = (plan.steps.iter().enumerate())
            .map(|(place, step)| (&*step.id, place))
            .collect();
        let documents = written
            .pointer("/plan/steps")
            .and_then(|steps| steps.items());
        let documents = documents.unwrap_or_default();
        for (place, step) in plan.steps.iter().enumerate() {
            let mut names: Vec<String> = step.after.iter().map(|id| id.to_string()).collect();
            let over = step.map.as_ref().map(|map| map.over.references());
            let placed = step.args.references().into_iter();
            let placed = placed.chain(over.into_iter().flatten());
            names.extend(placed.map(|one| one.reference.root().to_owned()));
            if let Some(when) = &step.when {
                let text = when.to_string();
                let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-'));
                names.extend(words.map(str::to_owned));
            }
            let mut before: Vec<usize> = names
                .iter()
                .filter_map(|name| places.get(name.as_str()).copied())
                .filter(|earlier| *earlier < place)
                .collect();
            before.sort_unstable();
            before.dedup();
            let wave = before.iter().map(|one| self.steps[*one].wave + 1).max();
            self.steps.push(StepRow {
                id: step.id.to_string(),
                tool: step.tool.to_string(),
                is_map: step.map.is_some(),
                wave: wave.unwrap_or(0),
                before,
                written: documents.get(place).cloned().unwrap_or_default(),
                ..StepRow::default()
            });
        }
    }

    fn note_record(
        &mut self,
        record: &Value,
        places: &mut HashMap<String, usize>,
        begun: &mut BTreeMap<String, bool>,
    ) {
        let kind = record.text("kind").unwrap_or_default();
        if kind == "chain" {
            self.failed_step = record.text("failed_step").map(str::to_owned);
            self.tickets = record.get("tickets").cloned();
            for one in record.items_at("step_status") {
                let state = one.text("status").unwrap_or_default();
                let place = one.text("id").and_then(|id| places.get(id));
                if let Some(step) = place.and_then(|place| self.steps.get_mut(*place)) {
                    state.clone_into(&mut step.state);
                }
            }
            return;
        }
        let Some(name) = record.text("step") else {
            return;
        };
        let item = record.get("item").and_then(Value::as_i64);
        let call = match (name.strip_suffix(UNDO), item) {
            (Some(step), Some(item)) => format!("{step}[{item}]{UNDO}"),
            (None, Some(item)) => format!("{name}[{item}]"),
            (_, None) => name.to_owned(),
        };
        match kind {
            "intent" => drop(begun.entry(call).or_insert(false)),
            "settled" => drop(begun.insert(call, true)),
            _ => {}
        }
        if name.ends_with(UNDO) {
            return;
        }
        let place = *places.entry(name.to_owned()).or_insert_with(|| {
            self.steps.push(StepRow {
                id: name.to_owned(),
                tool: record.text("tool").unwrap_or_default().to_owned(),
                ..StepRow::default()
            });
            self.steps.len() - 1
        });
        let number = |key: &str| {
            record
                .get(key)
                .and_then(Value::as_i64)
                .map(i64::unsigned_abs)
        };
        if let Some(moment) = number("time_ms").or(number("recorded_ms")) {
            self.first_ms = if self.first_ms == 0 {
                moment
            } else {
                self.first_ms.min(moment)
            };
            self.last_ms = self.last_ms.max(number("recorded_ms").unwrap_or(moment));
        }
        if let Some(step) = self.steps.get_mut(place) {
            step.note_record(kind, record, item);
        }
    }

    /// Marks the step of a request that waits.
    pub(crate) fn note_waiting(&mut self, approval: &Approval, run: &RunRecord) {
        let name = approval.step.as_deref().unwrap_or_default();
        let name = name.split(['[', '!']).next().unwrap_or_default();
        let is_own = approval.run.as_deref() == Some(run.id.as_str());
        if let Some(step) = self.steps.iter_mut().find(|step| is_own && step.id == name) {
            "pending_approval".clone_into(&mut step.state);
        }
    }

    /// Number of calls by the node that computed them, and of those that were computed here although an engine was wanted.
    pub(crate) fn nodes(&self) -> (BTreeMap<&str, usize>, usize) {
        let mut counts = BTreeMap::new();
        for (node, count) in self.steps.iter().flat_map(|step| &step.nodes) {
            *counts.entry(node.as_str()).or_default() += count;
        }
        (counts, self.steps.iter().map(|step| step.fallen_back).sum())
    }

    /// The number of steps in each state.
    pub(crate) fn counts(&self) -> BTreeMap<&str, usize> {
        let mut counts = BTreeMap::new();
        for step in &self.steps {
            *counts.entry(step.state.as_str()).or_default() += 1;
        }
        counts
    }

    /// Begin and length of a step on the axis of time; 0 for one that did not run.
    pub(crate) fn place_in_time(&self, step: &StepRow) -> (u64, u64) {
        let span = self.last_ms.saturating_sub(self.first_ms).max(1);
        let (Some(begun), Some(ended)) = (step.begun_ms, step.ended_ms) else {
            return (0, 0);
        };
        let on_axis = |ms: u64| (ms.saturating_sub(self.first_ms) * AXIS / span).min(AXIS);
        let (begin, end) = (on_axis(begun), on_axis(ended));
        let least = AXIS / 250;
        let begin = begin.min(AXIS - least);
        (begin, end.saturating_sub(begin).max(least))
    }
}

impl StepRow {
    fn note_record(&mut self, kind: &str, record: &Value, item: Option<i64>) {
        let number = |key: &str| {
            record
                .get(key)
                .and_then(Value::as_i64)
                .map(i64::unsigned_abs)
        };
        let moment = number("time_ms").or(number("recorded_ms"));
        match kind {
            "intent" => {
                self.begun_ms = self.begun_ms.min(moment).or(moment);
                if self.state.is_empty() {
                    "running".clone_into(&mut self.state);
                }
            }
            "call" => {
                self.begun_ms = self.begun_ms.into_iter().chain(moment).min();
                if let Some(node) = record.text("node") {
                    *self.nodes.entry(node.to_owned()).or_default() += 1;
                }
                self.fallen_back += usize::from(record.get("placement_fallback").is_some());
                if let Some(digest) = record.text("output_digest") {
                    self.results.insert(item, digest.to_owned());
                }
                if self.calls.len() < ENDS_MAX {
                    self.calls.push(record.clone());
                }
            }
            "settled" => {
                self.attempts = self.attempts.max(number("attempt").unwrap_or(1));
                let elapsed = record.get("elapsed_ms").and_then(Value::as_f64);
                if let Some(elapsed) = elapsed {
                    self.elapsed_ms = Some(self.elapsed_ms.unwrap_or(0.0) + elapsed);
                }
                let ended = number("recorded_ms");
                self.ended_ms = self.ended_ms.max(ended);
                let before = ended.zip(elapsed);
                let before = before.map(|(ended, ms)| ended.saturating_sub(ms.max(0.0) as u64));
                self.begun_ms = self.begun_ms.into_iter().chain(before).min();
                let status = record.text("status").unwrap_or_default();
                match item {
                    Some(_) if status == "done" => self.items_done += 1,
                    Some(_) => self.items_failed += 1,
                    None => status.clone_into(&mut self.state),
                }
                if let Some(end) = StoredEnd::of(record)
                    && self.ends.len() < ENDS_MAX
                {
                    self.ends.push((item, end));
                }
            }
            _ => {}
        }
    }

    /// Sets the state of a step of which the records say none.
    fn conclude(&mut self, run: &RunRecord) {
        if !self.state.is_empty() {
            return;
        }
        let state = match (self.items_done + self.items_failed, run.state) {
            (1.., RunState::Running) => "running",
            _ => "not_run",
        };
        state.clone_into(&mut self.state);
    }
}
