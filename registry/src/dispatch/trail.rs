//! The audit record of a call, collected on its way through the stages; and the end of every call: record and envelope.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell};
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher as _;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tool_core::capability::{BackupCopy, LedgerHead, RecordDurability};
use tool_core::outcome::{EVENT, EVENT_DATA};
use tool_core::{
    CallOutcome, Determinism, Effect, Object, OutcomeStatus, ResourceKey, Spec, ToolError, Value,
    object, tool_error,
};

use super::ended::{CallEnd, CallEndReport};
use super::first_arguments::FirstArguments;
use super::{CallPlace, CallRequest, CallerContext, ChainPosition, Dispatcher, limits, panic};
use crate::model::Principal;
use crate::policy::{LimitClaim, LimitUse, PolicyDecision};
use crate::{digest, redact};

/// Fewest numbers among the arguments whose digest is computed beside the call: below, a thread costs as much.
const BESIDE_LEAST: usize = 1 << 17;

/// A number that differs between processes; not a secret.
pub(super) fn process_nonce() -> u64 {
    RandomState::new().hash_one(0_u8)
}

/// The facts about a call so far.
#[derive(Default)]
pub(super) struct CallTrail {
    call_id: String,
    time_ms: u64,
    started: Duration,
    context: CallerContext,
    generation: String,
    /// The name as given, until the tool is known.
    tool: String,
    /// The arguments, as received until they are decoded.
    args: Value,
    /// Computed on first use, unless a thread does so beside the call.
    args_digest: OnceCell<String>,
    digesting: Cell<Option<JoinHandle<String>>>,
    pub(super) version: Option<u32>,
    /// Source of a tool that is not built in: plugin, version, digest.
    source: Option<&'static str>,
    pub(super) declared: &'static [Effect],
    /// Whether its engine is an outside program, where the tool has one of its own too: the same arguments may give another result.
    pub(super) is_outside: bool,
    /// Effects of this call at most.
    pub(super) effects: &'static [Effect],
    pub(super) decision: Option<PolicyDecision>,
    /// The limits that the call is counted against, with what their windows hold before it.
    pub(super) limits: Vec<(LimitClaim, LimitUse)>,
    /// Whether the call was counted.
    pub(super) is_counted: bool,
    /// Whether the tool was called.
    pub(super) has_begun: bool,
    pub(super) resources: Vec<ResourceKey>,
    pub(super) approval_id: Option<String>,
    pub(super) approved_by: Option<String>,
    /// Of a call with the arguments of an approver: those that the caller gave.
    pub(super) first_arguments: Option<FirstArguments>,
    pub(super) seed: Option<u64>,
    pub(super) warnings: Vec<String>,
    /// Backups of files that the call changes.
    pub(super) backups: Vec<BackupCopy>,
    /// Id of the notification that was sent.
    pub(super) notice: Option<String>,
    /// Evidence from which the tool tells, after a crash, whether the call happened.
    pub(super) before: Option<Value>,
    /// The tool's finding about an interrupted call.
    pub(super) probed: Option<&'static str>,
    /// Whether the intent is already durable.
    pub(super) intended: bool,
    /// Whether the result came from the cache.
    pub(super) kept: bool,
    /// Where it was computed, if that was to be elsewhere.
    pub(super) place: Option<CallPlace>,
    /// Whether it runs on a thread that must not wait.
    pub(super) is_brief: bool,
    /// Whether the arguments opened files or stored values.
    pub(super) opened: bool,
    /// Whether it took longer than its thread could be spared.
    pub(super) outlasted: Cell<bool>,
}

impl CallTrail {
    pub(super) fn start(dispatcher: &Dispatcher, request: &CallRequest) -> Self {
        let number = dispatcher.calls.fetch_add(1, Ordering::Relaxed);
        let id = dispatcher
            .nonce
            .wrapping_add(number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let clock = &dispatcher.host.clock;
        const NAME_CHARS: usize = 80;
        let name: String = request.tool.chars().take(NAME_CHARS).collect();
        Self {
            call_id: format!("{id:016x}"),
            time_ms: clock.unix_ms(),
            started: clock.monotonic(),
            context: request.context.clone(),
            generation: dispatcher.policy.generation().to_owned(),
            tool: redact::redact_text(&name).0.into_owned(),
            args: request.args.clone(),
            ..Self::default()
        }
    }

    pub(super) fn call_id(&self) -> &str {
        &self.call_id
    }

    pub(super) fn who(&self) -> &Principal {
        &self.context.who
    }

    pub(super) fn chain(&self) -> Option<&ChainPosition> {
        self.context.chain.as_ref()
    }

    /// Whether the plan requires an approval where the policy allows the call.
    pub(super) fn requires_approval(&self) -> bool {
        let chain = self.context.chain.as_ref();
        chain.is_some_and(|chain| chain.requires_approval)
    }

    /// Resources the plan was scheduled by.
    pub(super) fn planned(&self) -> Option<&[ResourceKey]> {
        self.context.chain.as_ref()?.planned.as_deref()
    }

    /// Name of the server's key with which the client came.
    pub(super) fn key(&self) -> Option<&str> {
        self.context.origin.key.as_deref()
    }

    pub(super) fn tool(&self) -> &str {
        &self.tool
    }

    pub(super) fn set_tool(&mut self, spec: &Spec) {
        spec.id.clone_into(&mut self.tool);
        self.version = Some(spec.version);
        self.source = (spec.source != Spec::pure().source).then_some(spec.source);
    }

    pub(super) fn set_args(&mut self, args: &Value) {
        self.args = args.clone();
        self.args_digest = OnceCell::new();
        self.digesting = Cell::default();
    }

    pub(super) fn args_digest(&self) -> &str {
        self.args_digest.get_or_init(|| {
            let digesting = self.digesting.take();
            let digest = digesting.and_then(|thread| thread.join().ok());
            digest.unwrap_or_else(|| digest::of_value(&self.args))
        })
    }

    /// Begins to compute the digest of large arguments on a thread of its own, so that a call that will be recorded does not wait for it.
    pub(super) fn digest_beside(&mut self, dispatcher: &Dispatcher) {
        let numbers = |value: &Value| {
            value
                .as_numbers()
                .map_or(0, |numbers| numbers.as_slice().len())
        };
        let members = self.args.as_object().into_iter().flat_map(Object::iter);
        let is_large = members.map(|(_, value)| numbers(value)).sum::<usize>() >= BESIDE_LEAST;
        if !is_large || !is_recorded(dispatcher) || self.args_digest.get().is_some() {
            return;
        }
        let args = self.args.clone();
        let thread = thread::Builder::new().name("digest".to_owned());
        let thread = thread.spawn(move || digest::of_value_alone(&args));
        // Where no thread can be started, the record waits.
        self.digesting = Cell::new(thread.ok());
    }

    /// The intent record.
    pub(super) fn intent(&self) -> Value {
        let mut record = self.record("intent");
        record.insert("status", "started");
        record.insert_some("before", self.before.clone());
        Value::Object(Arc::new(record))
    }

    /// Records the intent durably, unless it was recorded with an approval.
    pub(super) fn intend(&mut self, dispatcher: &Dispatcher) -> Result<(), ToolError> {
        if self.intended {
            return Ok(());
        }
        self.write(dispatcher, &self.intent(), RecordDurability::Synced)
            .map_err(|err| unaudited_refusal(err.message()))?;
        self.intended = true;
        Ok(())
    }

    fn record(&self, kind: &str) -> Object {
        let mut record = Object::new();
        let chain = self.context.chain.as_ref();
        record.insert("kind", kind);
        record.insert("time_ms", self.time_ms);
        record.insert("call_id", self.call_id.as_str());
        record.insert(
            "caller_type",
            if chain.is_some() { "chain" } else { "direct" },
        );
        record.insert("chain_id", chain.map(|chain| chain.chain_id.clone()));
        record.insert("chain_index", chain.map_or(0, |chain| chain.chain_index));
        if let Some(chain) = chain {
            record.insert("step", chain.step.as_str());
            record.insert_some("item", chain.item);
            record.insert_some(
                "attempt",
                Some(chain.attempt).filter(|attempt| *attempt > 1),
            );
            record.insert("wave", chain.wave);
            record.insert_some("part", Some(chain.part).filter(|part| *part > 1));
        }
        self.context.origin.note(&mut record);
        self.context.who.note(&mut record);
        record.insert("tool", self.tool.as_str());
        record.insert("version", self.version);
        record.insert_some("source", self.source);
        record.insert("args_digest", self.args_digest());
        record.insert("policy_generation", self.generation.as_str());
        if let Some(decision) = &self.decision {
            record.insert("decision", decision.verdict.as_str());
            record.insert("layer", decision.layer.as_str());
            let rule = decision
                .rule
                .as_deref()
                .map(|rule| redact::redact_text(rule).0);
            record.insert("rule", rule.as_deref());
            record.insert(
                "reason",
                redact::redact_text(&decision.reason).0.into_owned(),
            );
        }
        if !self.limits.is_empty() {
            let limits = self.limits.iter();
            let limits = limits.map(|(claim, found)| claim.to_record(found));
            record.insert(
                "limits",
                redact::redact_value(&Value::array(limits.collect())).0,
            );
        }
        record.insert("approval_id", self.approval_id.clone());
        record.insert("approved_by", self.approved_by.clone());
        let first = self.first_arguments.as_ref();
        record.insert_some(
            "first_args_digest",
            first.map(|first| first.digest.as_str()),
        );
        record.insert("effects", effect_names(self.effects));
        record.insert_some("determinism", self.outside_mark());
        let resources = self.resources.iter().map(|key| {
            let id = key.id().to_string();
            format!("{}:{}:{}", key.kind, key.access, redact::redact_text(&id).0)
        });
        record.insert("resources", resources.collect::<Vec<String>>());
        record.insert_some("backups", self.backups_shown());
        record.insert_some("notice", self.notice.clone());
        record.insert_some("probed", self.probed);
        record
    }

    /// Writes the final record and builds the envelope; a ledger that fails or panics becomes a warning.
    pub(super) fn finish(self, dispatcher: &Dispatcher, ended: CallEndReport) -> CallOutcome {
        let last = self.last(dispatcher, &ended);
        let durability = match self.effects {
            [] => RecordDurability::Batched,
            _ => RecordDurability::Synced,
        };
        let head = self.write(dispatcher, &last.record, durability);
        self.concluded(dispatcher, ended, last, head)
    }

    /// As [`CallTrail::finish`] for a call without effects; `None`, with nothing recorded, where the ledger would have to be waited for.
    pub(super) fn finish_at_once(
        self,
        dispatcher: &Dispatcher,
        ended: CallEndReport,
    ) -> Option<CallOutcome> {
        let last = self.last(dispatcher, &ended);
        let head = match &dispatcher.host.ledger {
            None => Err(Self::no_ledger(dispatcher)),
            Some(ledger) => {
                panic::catch_panic(&self.call_id, || ledger.record_at_once(&last.record))
                    .unwrap_or_else(|_| Some(Err(ledger_panicked())))?
            }
        };
        Some(self.concluded(dispatcher, ended, last, head))
    }

    /// The final record.
    fn last(&self, dispatcher: &Dispatcher, ended: &CallEndReport) -> FinalRecord {
        let elapsed = dispatcher
            .host
            .clock
            .monotonic()
            .saturating_sub(self.started);
        let elapsed_ms = (elapsed.as_secs_f64() * 1e6).round() / 1e3;
        let is_recorded = is_recorded(dispatcher);
        // The runtime digests the result of an unrecorded step, on demand.
        let is_shown = is_recorded || self.context.chain.is_none();
        let output_digest = match &ended.ending {
            CallEnd::Success(output) if is_shown => Some(digest::of_value(output)),
            _ => None,
        };
        let record = || {
            let mut record = self.record("call");
            record.insert_some("output_digest", output_digest.clone());
            record_call_ending(&mut record, ended);
            record.insert("elapsed_ms", elapsed_ms);
            record.insert_some("cached", self.kept.then_some(true));
            let is_limited = !self.limits.is_empty();
            record.insert_some("counted", is_limited.then_some(self.is_counted));
            self.note_place(&mut record);
            Value::Object(Arc::new(record))
        };
        FinalRecord {
            record: is_recorded.then(record).unwrap_or_default(),
            output_digest,
            elapsed_ms,
        }
    }

    /// The envelope of a call whose final record was written, or could not be.
    fn concluded(
        mut self,
        dispatcher: &Dispatcher,
        mut ended: CallEndReport,
        last: FinalRecord,
        head: Result<LedgerHead, ToolError>,
    ) -> CallOutcome {
        let FinalRecord {
            record,
            output_digest,
            elapsed_ms,
        } = last;
        for witness in &dispatcher.host.witnesses {
            let result = match &ended.ending {
                CallEnd::Success(output) => Some(output),
                CallEnd::Failed(_) | CallEnd::Pending(..) => None,
            };
            let _ = panic::catch_panic(&self.call_id, || witness.call(&record, &self.args, result));
        }
        let head = match head {
            Ok(head) => Some(head),
            Err(err) => {
                let what = if self.intended {
                    "the outcome of the call"
                } else {
                    "the call"
                };
                let why = err.message();
                self.warnings
                    .push(format!("{what} is not in the audit: {why}"));
                None
            }
        };
        let mut warnings = std::mem::take(&mut self.warnings);
        warnings.append(&mut ended.warnings);
        if self.context.chain.is_none() {
            for warning in &mut warnings {
                if let (Cow::Owned(clean), _) = redact::redact_text(warning) {
                    *warning = clean;
                }
            }
        }
        let mut metadata = self.metadata(elapsed_ms, output_digest, head);
        metadata.extend(&ended.notes);
        let limits = dispatcher.limits;
        CallOutcome {
            status: match ended.ending {
                CallEnd::Success(output) => OutcomeStatus::Success(output),
                CallEnd::Failed(error) => {
                    // Errors quote what they are about.
                    let error = match self.context.chain {
                        None => redact::redact_error(error),
                        Some(_) => error,
                    };
                    OutcomeStatus::Error(limits::limit_error_evidence(error, limits, &mut warnings))
                }
                CallEnd::Pending(approval_id, so_far) => OutcomeStatus::PendingApproval {
                    approval_id,
                    so_far,
                },
            },
            effects: self.declared.to_vec(),
            warnings,
            metadata,
        }
    }

    /// Writes one record; a ledger that panics counts as one that failed.
    pub(super) fn write(
        &self,
        dispatcher: &Dispatcher,
        record: &Value,
        durability: RecordDurability,
    ) -> Result<LedgerHead, ToolError> {
        let Some(ledger) = &dispatcher.host.ledger else {
            return Err(Self::no_ledger(dispatcher));
        };
        panic::catch_panic(&self.call_id, || ledger.record(record, durability))
            .unwrap_or_else(|_| Err(ledger_panicked()))
    }

    fn no_ledger(dispatcher: &Dispatcher) -> ToolError {
        tool_error!(PreconditionFailed, "audit"; "{}", dispatcher.host.no_ledger();
            "a writable state folder is needed")
    }

    fn metadata(
        &self,
        elapsed_ms: f64,
        output_digest: Option<String>,
        head: Option<LedgerHead>,
    ) -> Object {
        let mut metadata = Object::new();
        metadata.insert("tool", self.tool.as_str());
        metadata.insert_some("version", self.version);
        metadata.insert("call_id", self.call_id.as_str());
        metadata.insert("elapsed_ms", elapsed_ms);
        metadata.insert("role", self.context.who.role.as_str());
        if let Some(decision) = &self.decision {
            metadata.insert("decision", decision.verdict.as_str());
            metadata.insert("layer", decision.layer.as_str());
        }
        metadata.insert_some("seed", self.seed);
        metadata.insert_some("determinism", self.outside_mark());
        metadata.insert_some("output_digest", output_digest);
        metadata.insert_some("cached", self.kept.then_some(true));
        self.note_place(&mut metadata);
        metadata.insert_some("approved_by", self.approved_by.clone());
        metadata.insert_some("approval_id", self.approval_id.clone());
        metadata.insert_some("backups", self.backups_shown());
        metadata.insert_some("notice", self.notice.clone());
        metadata.insert_some("audit", head.map(|head| head.to_value()));
        metadata
    }

    /// The mark of a call that an outside program may have answered, of a tool whose other calls are functions of their arguments.
    fn outside_mark(&self) -> Option<&'static str> {
        self.is_outside.then_some(Determinism::External.as_str())
    }

    /// Notes the node that computed the call, or why none did.
    fn note_place(&self, noted: &mut Object) {
        match &self.place {
            Some(CallPlace::Node(node)) => noted.insert("node", node.as_str()),
            Some(CallPlace::Fallback(why)) => noted.insert("placement_fallback", why.as_str()),
            None => {}
        }
    }

    /// The backups in records and answers; `None` without any.
    fn backups_shown(&self) -> Option<Value> {
        /// The list of backups has all of them.
        const SHOWN_MAX: usize = 100;
        let shown = self.backups.iter().take(SHOWN_MAX).map(|kept| {
            object! {
                "id" => kept.id.as_str(),
                "path" => redact::redact_text(&kept.path).0.into_owned(),
                "digest" => kept.digest.as_str(),
                "bytes" => kept.bytes,
            }
        });
        (!self.backups.is_empty()).then(|| Value::array(shown.collect()))
    }
}

/// The final record of a call, and what its envelope has of it.
struct FinalRecord {
    /// Null where nothing is recorded.
    record: Value,
    output_digest: Option<String>,
    elapsed_ms: f64,
}

fn ledger_panicked() -> ToolError {
    tool_error!(PreconditionFailed, "audit"; "the audit failed unexpectedly")
}

/// Whether calls are recorded or witnessed.
fn is_recorded(dispatcher: &Dispatcher) -> bool {
    dispatcher.host.ledger.is_some() || !dispatcher.host.witnesses.is_empty()
}

fn record_call_ending(record: &mut Object, ended: &CallEndReport) {
    match &ended.ending {
        CallEnd::Success(_) => {
            record.insert("status", "success");
            for key in [EVENT, EVENT_DATA] {
                let noted = ended
                    .notes
                    .get(key)
                    .map(|noted| redact::redact_value(noted).0);
                record.insert_some(key, noted);
            }
        }
        CallEnd::Failed(error) => {
            record.insert("status", "error");
            record.insert("error_code", error.code().as_str());
            record.insert("error_reason", error.reason_str().map(str::to_owned));
            record.insert("error", redact::redact_text(error.message()).0.into_owned());
            if error.is_outcome_unknown() {
                record.insert("outcome", "unknown");
            }
        }
        CallEnd::Pending(id, _) => {
            record.insert("status", "pending_approval");
            record.insert("approval_id", id.as_str());
        }
    }
    if ended.redacted > 0 {
        record.insert("redacted", ended.redacted);
    }
}

fn effect_names(effects: &[Effect]) -> Vec<&'static str> {
    effects.iter().map(|effect| effect.as_str()).collect()
}

/// The refusal of a call with effects that cannot be recorded.
pub(super) fn unaudited_refusal(why: &str) -> ToolError {
    tool_error!(PreconditionFailed, "audit";
        "a call with effects is refused where it cannot be recorded: {why}";
        "`mathchain doctor` shows the state folder and what is wrong with it")
}
