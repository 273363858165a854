//! Audit record of a run, closing of a durable run, and the record of a refused plan.

use std::sync::Arc;

use registry::{CallerContext, Dispatcher, cut, redact};
use tool_core::capability::{Durability, LedgerHead};
use tool_core::{ErrorCode, Object, ToolError, Value, json};

use super::{ChainResult, ChainStatus};
use crate::check::CheckedPlan;
use crate::plan::Plan;
use crate::problem::Problems;
use crate::run::digest::OutputDigest;
use crate::run::durable;
use journal::artifacts;
use journal::{Journal, LISTS_KEY};

/// Longest lists of steps and waves that stand in the record itself.
const LISTS_BYTES_MAX: usize = 256 << 10;

impl ChainResult {
    /// Writes the chain's record into the audit; a failure becomes a warning.
    pub(crate) fn record(&mut self, plan: &CheckedPlan, dispatcher: &Dispatcher) {
        let Some(ledger) = &dispatcher.host().ledger else {
            return;
        };
        let durability = if self.effects.is_empty() {
            Durability::Batched
        } else {
            Durability::Synced
        };
        let (mut record, lists) = self.to_record(plan);
        match is_long(&lists) {
            // There is no run to store them in.
            true => record.insert(
                "left_out",
                lists.iter().map(|(key, _)| key).collect::<Vec<_>>(),
            ),
            false => extend(&mut record, &lists),
        }
        match ledger.record(&Value::Object(Arc::new(record)), durability) {
            Ok(head) => self.stands_at(&head),
            Err(err) => self.warnings.push(format!(
                "the run is not recorded in the audit: {}",
                err.message()
            )),
        }
    }

    /// Records the end or the state of a durable run. A run whose end could not be recorded has not succeeded: it stays open
    /// and can be resumed.
    pub(crate) fn close(
        &mut self,
        plan: &CheckedPlan,
        journal: &Journal,
        broken: Option<ToolError>,
        bytes_max: u64,
    ) {
        let closed = match broken {
            Some(err) => Err(err),
            None => self.close_with(plan, journal, bytes_max),
        };
        let err = match closed {
            Ok(head) => return self.stands_at(&head),
            Err(err) => err,
        };
        let run = journal.id();
        let message = format!(
            "the run `{run}` could not be written to its end: {}",
            err.message()
        );
        self.diagnostics.insert("success", false);
        if self.status == ChainStatus::Success {
            self.status = ChainStatus::Failed;
        }
        if self.error.is_some() {
            return self.warnings.push(message);
        }
        let unwritten = ToolError::new(ErrorCode::ToolError, message)
            .reason("run_not_written")
            .hint(format!(
                "`mathchain runs resume {run}` continues it; completed steps are not repeated"
            ));
        self.error = Some(unwritten);
    }

    fn close_with(
        &mut self,
        plan: &CheckedPlan,
        journal: &Journal,
        bytes_max: u64,
    ) -> Result<LedgerHead, ToolError> {
        let (mut record, lists) = self.to_record(plan);
        match is_long(&lists) {
            true => {
                let handle = journal.put(&Value::Object(Arc::new(lists)))?;
                record.insert(LISTS_KEY, handle.to_value());
            }
            false => extend(&mut record, &lists),
        }
        let outputs = journal.put(&Value::Object(Arc::new(self.outputs.clone())))?;
        record.insert("outputs", outputs.to_value());
        self.shown = Some(shown(
            &self.outputs,
            journal,
            bytes_max,
            &mut self.warnings,
        )?);
        record.insert(
            "result_digest",
            registry::digest::of_value(&self.deterministic()),
        );
        journal.write(&Value::Object(Arc::new(record)), Durability::Batched)?;
        match durable::state_of(self.status) {
            Some(state) => journal.finish(state),
            None => journal.release_lease(),
        }
    }

    fn stands_at(&mut self, head: &LedgerHead) {
        self.audit = Some(head.to_value());
    }

    /// The record with its lists, however long, for who watches.
    pub(crate) fn whole_record(&self, plan: &CheckedPlan) -> Object {
        let (mut record, lists) = self.to_record(plan);
        extend(&mut record, &lists);
        record
    }

    /// The record, and apart from it the lists that grow with the plan.
    fn to_record(&self, plan: &CheckedPlan) -> (Object, Object) {
        let mut record = Object::new();
        let mut lists = Object::new();
        record.insert("kind", "chain");
        plan.context.who.note(&mut record);
        plan.context.origin.note(&mut record);
        if self.part > 1 {
            record.insert("part", self.part);
        }
        record.insert("plan", &*plan.id);
        record.insert("plan_digest", self.plan_digest.as_str());
        record.insert("status", self.status.as_str());
        for (key, value) in self.diagnostics.iter() {
            match value {
                Value::Array(_) => lists.insert(key, value.clone()),
                _ => record.insert(key, value.clone()),
            }
        }
        if let (Some(error), Some(step)) = (&self.error, self.failed_step) {
            record.insert("failed_step", &*self.steps[step].id);
            record.insert("error_code", error.code().as_str());
            record.insert("error", redact::text(error.message()).0.into_owned());
            for (key, words) in [
                ("error_reason", error.reason_str()),
                ("error_hint", error.hint_str()),
            ] {
                if let Some(words) = words {
                    record.insert(key, redact::text(words).0.into_owned());
                }
            }
        }
        if !self.warnings.is_empty() {
            let warnings = self
                .warnings
                .iter()
                .map(|one| redact::text(one).0.into_owned());
            lists.insert("warnings", warnings.collect::<Vec<_>>());
        }
        let steps = self.steps.iter().map(|step| {
            let mut fields = Object::new();
            fields.insert("id", &*step.id);
            fields.insert("tool", step.tool);
            fields.insert("wave", step.wave);
            fields.insert("status", step.end.status.as_str());
            fields.insert("real_status", step.real_status.as_str());
            fields.insert(
                "output_digest",
                step.end.output_digest.as_ref().map(OutputDigest::as_str),
            );
            fields.insert(
                "call_id",
                step.end
                    .metadata
                    .get("call_id")
                    .cloned()
                    .unwrap_or_default(),
            );
            fields.insert(
                "cause",
                step.end.cause.map(|cause| self.steps[cause].id.to_string()),
            );
            fields.insert("defaults_used", step.end.defaults_used.clone());
            Value::Object(Arc::new(fields))
        });
        lists.insert("step_status", Value::array(steps.collect()));
        (record, lists)
    }
}

/// Outputs as an answer has them: large arrays as handles, and what is beyond the limit of answers cut to handles as well.
fn shown(
    outputs: &Object,
    journal: &Journal,
    bytes_max: u64,
    warnings: &mut Vec<String>,
) -> Result<Object, ToolError> {
    let outputs = Value::Object(Arc::new(outputs.clone()));
    let shown = artifacts::shown(&outputs, journal.state().artifact_bytes())?;
    let mut keep = |value: &Value| Some(journal.put(value).ok()?.to_value());
    let cut = cut(&shown, bytes_max, &mut keep);
    if cut != shown {
        let run = journal.id();
        warnings.push(format!(
            "the outputs have more than {bytes_max} bytes (limits.max_output_bytes) and are cut; `mathchain runs show {run}` names the whole"
        ));
    }
    Ok(cut.as_object().cloned().unwrap_or_default())
}

fn is_long(lists: &Object) -> bool {
    json::to_text(&Value::Object(Arc::new(lists.clone()))).len() > LISTS_BYTES_MAX
}

fn extend(record: &mut Object, lists: &Object) {
    for (key, list) in lists.iter() {
        record.insert(key, list.clone());
    }
}

/// The record of a plan that was refused.
pub(crate) fn rejection(
    plan: &Plan,
    context: &CallerContext,
    problems: &Problems,
    unix_ms: u64,
) -> Value {
    let mut record = Object::new();
    record.insert("kind", "chain");
    record.insert("time_ms", unix_ms);
    record.insert("chain_id", Value::Null);
    record.insert("caller_type", "chain");
    context.who.note(&mut record);
    context.origin.note(&mut record);
    record.insert("plan", &*plan.id);
    record.insert("plan_digest", plan.digest());
    record.insert("status", "rejected");
    record.insert("success", false);
    record.insert("mode_requested", plan.mode_requested().as_str());
    record.insert("steps", plan.steps.len());
    record.insert("blocked_tools", problems.blocked_tools());
    const SHOWN: usize = 50;
    let reasons = problems.list().iter().take(SHOWN).map(|problem| {
        Value::object([
            ("reason", problem.fault.as_str()),
            ("path", &problem.pointer),
            ("message", &redact::text(&problem.message).0),
        ])
    });
    record.insert("problems", Value::array(reasons.collect()));
    Value::Object(Arc::new(record))
}
