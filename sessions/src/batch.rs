//! A batch of calls: their waves, from resources alone, and their status.

use registry::conflicts::ConflictCollector;
use registry::{Principal, RuntimeFacts};
use tool_core::{Describe, Encode, EncodeError, Encoder, ResourceKey, Value};

use super::emitted::{CallResult, CallStatus, PlannedCall, StartedCall};
use super::state::SessionWorkspace;
use super::tools::{Failure, Judged, PermittedVerdict};

/// The open batch.
#[derive(Debug, Clone, PartialEq, Encode, Describe)]
pub struct CallBatch {
    /// Number in the session, from 1.
    pub number: u64,
    /// Digest of its plan.
    pub plan: String,
    /// The calls, by position in call order.
    #[value(encode_with = "by_place")]
    #[schema(with = "std::collections::BTreeMap<String, OpenCall>")]
    pub calls: Vec<OpenCall>,
    /// The next wave to start.
    pub next_wave: usize,
    /// The basis of its judgements, which follows from the events.
    #[value(skip)]
    pub(super) basis: JudgementBasis,
}

/// The basis of a judgement.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct JudgementBasis {
    pub(super) who: Principal,
    pub(super) facts: RuntimeFacts,
    /// With the count of openings, since paths depend on the open folder.
    pub(super) workspace: SessionWorkspace,
    /// Digest of the registry.
    pub(super) registry: String,
}

/// A call of the open batch.
#[derive(Debug, Clone, PartialEq, Encode, Describe)]
pub struct OpenCall {
    /// The caller's id.
    pub call_id: String,
    /// Canonical id of the tool; for an unknown tool the name that was called.
    pub tool: String,
    /// Status of the call.
    pub status: CallStatus,
    /// Its wave.
    #[value(skip_encoding_if = "Option::is_none")]
    pub wave: Option<usize>,
    /// Digest of its arguments.
    pub args: String,
    /// Digest of its result.
    #[value(skip_encoding_if = "Option::is_none")]
    pub result: Option<String>,
    /// The arguments, which are also in the events.
    #[value(skip)]
    pub(super) given: Value,
    /// Whether it needs approval, according to the plan.
    #[value(skip)]
    pub(super) decision: Option<PermittedVerdict>,
    #[value(skip)]
    pub(super) ended: Option<CallResult>,
}

fn by_place(calls: &[OpenCall], encoder: &mut Encoder) -> Result<Value, EncodeError> {
    let places = calls.iter().enumerate();
    let members: Vec<(String, &OpenCall)> = places
        .map(|(place, call)| (place.to_string(), call))
        .collect();
    encoder.members(&mut members.iter().map(|(place, call)| (place as _, *call as _)))
}

impl OpenCall {
    /// Sets the result of the call.
    pub(super) fn end(&mut self, result: CallResult) {
        self.status = result.status;
        let value = tool_core::convert::to_value(&result).unwrap_or_default();
        self.result = Some(registry::digest::of_value(&value));
        self.ended = Some(result);
    }

    /// The result of a call that did not run or was stopped.
    pub(super) fn without(&self, status: CallStatus, error: Failure) -> CallResult {
        CallResult {
            call_id: self.call_id.clone(),
            tool: self.tool.clone(),
            status,
            output: None,
            error: Some(error),
            approval_id: None,
            warnings: Vec::new(),
        }
    }
}

impl CallBatch {
    /// Makes a batch and its plan from judged calls in call order; rejected calls get their result at once.
    pub(super) fn new(
        number: u64,
        basis: JudgementBasis,
        calls: Vec<(OpenCall, Result<Judged, Failure>)>,
    ) -> (Self, Vec<PlannedCall>, Vec<Vec<String>>) {
        let judged = calls.iter().map(|(_, found)| found.as_ref().ok());
        let waves = assign_waves(&judged.collect::<Vec<_>>());
        let mut planned = Vec::with_capacity(calls.len());
        let mut open = Vec::with_capacity(calls.len());
        for ((mut call, found), wave) in calls.into_iter().zip(waves) {
            call.wave = wave;
            let mut entry = PlannedCall {
                call_id: call.call_id.clone(),
                tool: call.tool.clone(),
                status: CallStatus::Planned,
                wave,
                decision: None,
                layer: None,
                resources: Vec::new(),
                alone: false,
                error: None,
            };
            match found {
                Ok(judged) => {
                    call.decision = Some(judged.decision);
                    entry.decision = Some(judged.decision);
                    entry.layer = Some(judged.layer);
                    entry.resources = judged.resources;
                    entry.alone = judged.alone;
                }
                Err(failure) => {
                    entry.status = CallStatus::Rejected;
                    entry.error = Some(failure.clone());
                    let result = call.without(CallStatus::Rejected, failure);
                    call.end(result);
                }
            }
            planned.push(entry);
            open.push(call);
        }
        let batch = Self {
            number,
            plan: String::new(),
            calls: open,
            next_wave: 0,
            basis,
        };
        let ids = |wave| {
            batch
                .of_wave(wave)
                .map(|call| call.call_id.clone())
                .collect()
        };
        let waves = (0..batch.waves()).map(ids).collect();
        (batch, planned, waves)
    }

    /// Number of waves.
    pub(super) fn waves(&self) -> usize {
        let last = self.calls.iter().filter_map(|call| call.wave).max();
        last.map_or(0, |last| last + 1)
    }

    fn of_wave(&self, wave: usize) -> impl Iterator<Item = &OpenCall> {
        (self.calls.iter()).filter(move |call| call.wave == Some(wave))
    }

    /// Whether a call is running.
    pub(super) fn is_running(&self) -> bool {
        (self.calls.iter()).any(|call| call.status == CallStatus::Running)
    }

    /// The calls of the next wave without a result.
    pub(super) fn next(&mut self) -> impl Iterator<Item = &mut OpenCall> {
        let wave = Some(self.next_wave);
        (self.calls.iter_mut()).filter(move |call| call.wave == wave && call.ended.is_none())
    }

    /// Starts the next wave; `None` when none of its calls may run.
    pub(super) fn start(&mut self) -> Option<(usize, Vec<StartedCall>)> {
        let wave = self.next_wave;
        let start = |call: &mut OpenCall| {
            call.status = CallStatus::Running;
            StartedCall {
                call_id: call.call_id.clone(),
                tool: call.tool.clone(),
                args: call.given.clone(),
            }
        };
        let started: Vec<StartedCall> = self.next().map(start).collect();
        self.next_wave += 1;
        (!started.is_empty()).then_some((wave, started))
    }

    /// Cancels every call without a result.
    pub(super) fn cancel(&mut self, failure: &Failure) {
        for call in &mut self.calls {
            if call.ended.is_none() {
                let result = call.without(CallStatus::Cancelled, failure.clone());
                call.end(result);
            }
        }
    }

    /// The results, once every call has one.
    pub(super) fn results(&self) -> Option<Vec<CallResult>> {
        self.calls.iter().map(|call| call.ended.clone()).collect()
    }
}

/// The wave of each permitted call: 0 without dependencies, else one more than the deepest dependency. A call depends on earlier calls
/// that share a resource if either writes it; a call that runs alone separates all earlier calls from all later ones.
pub(super) fn assign_waves(calls: &[Option<&Judged>]) -> Vec<Option<usize>> {
    let judged: Vec<&Judged> = calls.iter().copied().flatten().collect();
    let mut conflicts = ConflictCollector::default();
    // Pairs of an earlier step and one that waits for it.
    let mut edges: Vec<(usize, usize)> = Vec::new();
    let mut alone: Option<usize> = None;
    let mut since: Vec<usize> = Vec::new();
    for (step, call) in judged.iter().enumerate() {
        let keys: Vec<ResourceKey> = call.resources.iter().map(ResourceKey::from).collect();
        conflicts.step(step, &keys);
        edges.extend(alone.map(|from| (from, step)));
        if call.alone {
            edges.extend(since.drain(..).map(|from| (from, step)));
            alone = Some(step);
        } else {
            since.push(step);
        }
    }
    match conflicts.finish() {
        Some(found) => edges.extend(found.iter().map(|edge| (edge.from, edge.to))),
        // Too many conflicts to list: one call after the other.
        None => edges = (1..judged.len()).map(|step| (step - 1, step)).collect(),
    }
    edges.sort_unstable_by_key(|(_, to)| *to);
    let mut depths = vec![0; judged.len()];
    for (from, to) in edges {
        depths[to] = depths[to].max(depths[from] + 1);
    }
    let mut depths = depths.into_iter();
    calls
        .iter()
        .map(|call| call.and_then(|_| depths.next()))
        .collect()
}
