//! The elements of a map while their calls are made: which may start, how each ended, and what the map gives.

use tool_core::{ResourceKey, ToolError, Value, fields, object, tool_error};

use super::finished::{StepOutcome, StepStatus};
use crate::plan::{OnItemError, StepMap};
use registry::conflicts::ConflictCollector;

/// A completed element: its index, its value, and the result of its call.
pub(super) type DoneItem = (usize, Value, Value);

/// The elements of one map.
pub(super) struct MapItems {
    values: Vec<Value>,
    ends: Vec<Option<StepOutcome>>,
    /// Number of unfinished predecessors by element.
    waiting: Vec<u32>,
    /// Successors by element.
    followers: Vec<Vec<u32>>,
    /// Elements that wait for nothing and were not offered yet, the next one last.
    free: Vec<usize>,
    /// Calls that may be under way together, and those that are offered or under way.
    together: usize,
    out: usize,
    left: usize,
    /// Lowest element whose failure ends the map; elements after it do not start.
    stop_at: usize,
    on_item_error: OnItemError,
}

impl MapItems {
    pub(super) fn new(map: &StepMap, list: Value) -> Result<Self, ToolError> {
        let kind = list.kind();
        let Some(values) = list.items() else {
            return Err(tool_error!(InvalidArgs, "map"; "a map needs a list, found {kind}"));
        };
        let (count, most) = (values.len(), map.max);
        if count > most {
            return Err(tool_error!(LimitExceeded, "map";
                "the map takes at most {most} elements, found {count}"));
        }
        Ok(Self {
            values,
            ends: (0..count).map(|_| None).collect(),
            waiting: vec![0; count],
            followers: vec![Vec::new(); count],
            free: (0..count).rev().collect(),
            together: map.concurrency.unwrap_or(usize::MAX),
            out: 0,
            left: count,
            stop_at: usize::MAX,
            on_item_error: map.on_item_error,
        })
    }

    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    pub(super) fn value(&self, index: usize) -> Value {
        self.values.get(index).cloned().unwrap_or_default()
    }

    /// Makes elements wait for earlier ones that use the same: by their keys, or one after the other.
    pub(super) fn order(&mut self, keys: &[Vec<ResourceKey>], together: bool) {
        let mut edges: Vec<(usize, usize)> = Vec::new();
        let mut conflicts = ConflictCollector::default();
        let named = keys.iter().all(|keys| !keys.is_empty());
        for (index, keys) in keys.iter().enumerate() {
            conflicts.step(index, keys);
        }
        match conflicts.finish() {
            Some(found) if together && named && keys.len() == self.len() => {
                edges.extend(found.iter().map(|edge| (edge.from, edge.to)));
            }
            _ => edges.extend((1..self.len()).map(|index| (index - 1, index))),
        }
        edges.sort_unstable();
        edges.dedup();
        for (from, to) in edges {
            self.waiting[to] += 1;
            self.followers[from].push(to as u32);
        }
        self.free.retain(|&index| self.waiting[index] == 0);
    }

    /// Elements whose calls may start now.
    pub(super) fn take_free(&mut self) -> Vec<usize> {
        let mut taken = Vec::new();
        while self.out < self.together {
            let Some(index) = self.free.pop() else {
                break;
            };
            self.out += 1;
            taken.push(index);
        }
        taken
    }

    pub(super) fn is_barred(&self, index: usize) -> bool {
        index > self.stop_at
    }

    /// Enters how an element ended; whether it was the last.
    pub(super) fn settle(&mut self, index: usize, end: StepOutcome) -> bool {
        let failed = matches!(end.status, StepStatus::Failed | StepStatus::Denied);
        if failed && self.on_item_error == OnItemError::Fail {
            self.stop_at = self.stop_at.min(index);
        }
        if self.ends[index].replace(end).is_none() {
            self.left -= 1;
            self.out = self.out.saturating_sub(1);
            for follower in std::mem::take(&mut self.followers[index]) {
                let follower = follower as usize;
                self.waiting[follower] -= 1;
                if self.waiting[follower] == 0 {
                    self.free.push(follower);
                }
            }
            self.free.sort_unstable_by(|a, b| b.cmp(a));
        }
        self.left == 0
    }

    /// The elements whose calls were done, whatever became of the map.
    pub(super) fn done(&self) -> Vec<DoneItem> {
        let ends = self.ends.iter().enumerate();
        let done = ends.filter_map(|(index, end)| {
            let end = end.as_ref().filter(|end| end.status == StepStatus::Done)?;
            let output = end.output.clone().unwrap_or_default();
            Some((index, self.value(index), output))
        });
        done.collect()
    }

    /// Result of the whole map, in the order of its elements.
    pub(super) fn gather(&mut self) -> StepOutcome {
        let ends = std::mem::take(&mut self.ends).into_iter();
        let mut ends: Vec<StepOutcome> = ends.map(Option::unwrap_or_default).collect();
        for end in ends.iter_mut().skip(self.stop_at.saturating_add(1)) {
            if end.status != StepStatus::Cancelled {
                *end = StepOutcome {
                    warnings: std::mem::take(&mut end.warnings),
                    ..StepOutcome::default()
                };
            }
        }
        let began = ends.iter().filter(|end| end.has_run());
        let began = began.map(|end| end.began).min();
        let mut whole = StepOutcome {
            attempts: ends.iter().map(|end| end.attempts).max().unwrap_or(1),
            began: began.unwrap_or_default(),
            ended: ends.iter().map(|end| end.ended).max().unwrap_or_default(),
            ..StepOutcome::default()
        };
        for end in &mut ends {
            add_each(&mut whole.warnings, &mut end.warnings);
            add_each(&mut whole.defaults_used, &mut end.defaults_used);
        }
        let cancelled = ends.iter().find(|end| end.status == StepStatus::Cancelled);
        if let Some(why) = cancelled.and_then(|end| end.error.clone()) {
            whole.status = StepStatus::Cancelled;
            whole.error = Some(why);
        } else if let Some(failed) = ends.get(self.stop_at) {
            let index = self.stop_at;
            let named =
                |error: &ToolError| error.prefixed(format_args!("element {index}")).settled();
            whole.status = failed.status;
            whole.error = failed.error.as_ref().map(named);
        } else {
            whole.status = StepStatus::Done;
            let digests = ends.iter().map(|end| match (end.digest(), &end.error) {
                (Some(digest), _) => digest,
                (None, Some(error)) => error.code().as_str(),
                (None, None) => "",
            });
            whole.output_digest = Some(registry::digest::of_texts(digests).into());
            let collect = self.on_item_error == OnItemError::Collect;
            let elements = ends.iter_mut().map(|end| {
                let output = end.output.take();
                match collect {
                    true => collect_item_end(end, output),
                    false => output.unwrap_or_default(),
                }
            });
            whole.output = Some(Value::array(elements.collect()));
        }
        ends.iter_mut().for_each(|end| end.output = None);
        whole.items = ends;
        whole
    }
}

/// Moves texts that are not known yet.
fn add_each(known: &mut Vec<String>, texts: &mut Vec<String>) {
    for text in texts.drain(..) {
        if !known.contains(&text) {
            known.push(text);
        }
    }
}

/// `{ok, value}` or `{ok, error}`.
fn collect_item_end(end: &StepOutcome, output: Option<Value>) -> Value {
    let mut element = fields! { "ok" => end.status == StepStatus::Done };
    element.insert_some("value", output);
    let error = end.error.as_ref();
    let error = error
        .map(|error| object! { "code" => error.code().as_str(), "message" => error.message() });
    element.insert_some("error", error);
    element.into()
}
